"""The grammar option: what each word gives for each kind of schema, and what is said of everything else."""

from pathlib import Path

import pytest

from schemata.errors import GrammarError, UsageError
from schemata.grammars import (
    ContextFreeGrammar,
    DependencyRules,
    DRules,
    LinkGrammar,
    grammar_from_option,
    grammar_needed,
)
from schemata.grammars.kinds import GrammarKind


def test_words() -> None:
    assert grammar_from_option("all", "d-rules") == DRules.all()
    assert grammar_from_option("all", "d-rules", single_root=True) == DRules.all(single_root=True)
    assert grammar_from_option("gold", "d-rules") == DRules.gold()
    assert grammar_from_option("heads:2, 3,0", "d-rules") == DRules.from_heads((2, 3, 0))
    assert grammar_from_option("gold", "dependency-rules") == DependencyRules.gold()
    assert grammar_from_option("heads:2,0", "dependency-rules") == DependencyRules.from_heads((2, 0))


def test_files_of_any_suffix_of_their_kind_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("g.drules", "g.txt", "g", "all"):
        Path(name).write_text("root VERB\n")
        assert isinstance(grammar_from_option(f"./{name}", "d-rules"), DRules)
    assert grammar_from_option("g", "d-rules", single_root=True) == DRules.read("g", single_root=True)
    assert grammar_from_option("all", "d-rules") == DRules.all()
    Path("g.deprules").write_text("root S\nS(*)\ngo : S\n")
    assert isinstance(grammar_from_option("g.deprules", "dependency-rules"), DependencyRules)
    Path("g.CFG").write_text("S -> 'go'\n")
    assert isinstance(grammar_from_option("g.CFG", "context-free"), ContextFreeGrammar)


def test_dictionaries_of_link_grammar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = "a: A+; b: A-;"
    Path("small.dict").write_text(text)
    for folder in ("own", "en"):
        Path(folder).mkdir()
        (Path(folder) / "4.0.dict").write_text(text)
    for option in ("small.dict", "own", "./own", "./en", "own/4.0.dict"):
        assert grammar_from_option(option, "link-grammar") == LinkGrammar.from_text(text)
    places = ("schemata.grammars.link_grammar.grammar._PLACES", (str(tmp_path),))
    monkeypatch.setattr(*places)
    assert grammar_from_option("en", "link-grammar") == LinkGrammar.from_text(text)


D = "all, gold, heads:2,3,0, example or a .drules file"
R = "gold, heads:2,3,0, example or a .deprules file"
C = "example or a .cfg file"
L = "en, example or a .dict file or a folder with a 4.0.dict"
HEADS = "give one head per word, 0 for the root: heads:2,3,0"


@pytest.mark.parametrize(
    ("text", "kind", "message", "expected", "hint"),
    [
        ("al", "d-rules", "there is no grammar called al, nor a file of that name", D, "did you mean all?"),
        (
            "glod",
            "dependency-rules",
            "there is no grammar called glod, nor a file of that name",
            R,
            "did you mean gold?",
        ),
        (
            "head:2",
            "d-rules",
            "there is no grammar called head:2, nor a file of that name",
            D,
            "did you mean heads:?",
        ),
        (
            "2,0",
            "d-rules",
            "there is no grammar called 2,0, nor a file of that name",
            D,
            "heads are given as heads:2,3,0",
        ),
        ("xyz", "context-free", "there is no grammar called xyz, nor a file of that name", C, None),
        ("", "d-rules", "the name of the grammar is empty", D, None),
        (
            "all",
            "dependency-rules",
            "all licenses every link, which is no grammar of dependency rules",
            R,
            None,
        ),
        (
            "gold",
            "context-free",
            "gold is the tree of each sentence, which is no grammar of context-free rules",
            C,
            None,
        ),
        ("all", "link-grammar", "all licenses every link, which is no grammar of connectors", L, None),
        (
            "en",
            "d-rules",
            "en is the Link Grammar dictionary of English, which is no grammar of D-rules",
            D,
            None,
        ),
        ("ne", "link-grammar", "there is no grammar called ne, nor a file of that name", L, None),
        (
            "a.dict",
            "context-free",
            "a.dict holds connectors by its suffix, but the schema is over context-free rules",
            C,
            None,
        ),
        ("heads:0", "context-free", "heads: is a tree, which is no grammar of context-free rules", C, None),
        ("heads:", "d-rules", "heads: is followed by no heads", None, HEADS),
        ("heads:2,,0", "d-rules", "head 2 of heads:2,,0 is empty, not a whole number", None, HEADS),
        ("heads:2,x", "d-rules", "head 2 of heads:2,x is x, not a whole number", None, HEADS),
        ("heads:-1", "d-rules", "head 1 of heads:-1 is -1, not a whole number", None, HEADS),
        ("heads:2,1", "dependency-rules", "heads (2, 1) have a cycle: 1 -> 2 -> 1", None, None),
        (
            "a.cfg",
            "d-rules",
            "a.cfg holds context-free rules by its suffix, but the schema is over D-rules",
            D,
            None,
        ),
        ("a.schema", "d-rules", "a.schema is a schema, not a grammar", D, None),
        (
            "a.conllu",
            "dependency-rules",
            "a.conllu is a treebank: `schemata grammar extract` makes a grammar of it",
            R,
            None,
        ),
    ],
)
def test_refusals(text: str, kind: GrammarKind, message: str, expected: str | None, hint: str | None) -> None:
    with pytest.raises(UsageError) as caught:
        grammar_from_option(text, kind)
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.message, diagnostic.expected, diagnostic.hint) == (message, expected, hint)


def test_missing_file() -> None:
    with pytest.raises(GrammarError, match="there is no such file"):
        grammar_from_option("no/such/file", "d-rules")


def test_a_name_with_a_null_character() -> None:
    with pytest.raises(UsageError):
        grammar_from_option("a\0", "d-rules")


def test_unknown_kind() -> None:
    with pytest.raises(UsageError, match="there are no grammars of kind d-rule; kinds are d-rules, "):
        grammar_from_option("all", "d-rule")  # type: ignore[arg-type]


def test_needed() -> None:
    error = grammar_needed("cyk", "context-free")
    assert isinstance(error, UsageError)
    says = "the schema cyk needs a context-free grammar (--grammar FILE.cfg; try --grammar example)"
    assert error.diagnostics[0].message == says
    assert error.diagnostics[0].expected == "example or a .cfg file"
