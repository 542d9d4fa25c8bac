"""The grammar option: what each word gives for each kind of schema, and what is said of everything else."""

import shlex
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
from tests.support import titled_blocks


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


OPTIONS = titled_blocks(Path(__file__).with_name("options.txt"))


@pytest.mark.parametrize("option", OPTIONS)
def test_refusals(option: str) -> None:
    kind, text = shlex.split(option)
    with pytest.raises(UsageError) as caught:
        grammar_from_option(text, kind)  # type: ignore[arg-type]
    assert str(caught.value) == OPTIONS[option]


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
