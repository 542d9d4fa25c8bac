"""Broken dictionaries, beside those of broken.txt: long ones, files of folders, connectors that nothing matches."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemata.errors import GrammarError, SchemataError, UsageError, text_width
from schemata.grammars import LinkGrammar
from schemata.structures import Sentence
from schemata.thresholds import REFUSALS
from tests.oracle.linkages import dictionary_in


@pytest.mark.parametrize(
    ("text", "code", "column", "message"),
    [
        ("a: " + "(" * 300 + "A+" + ")" * 300 + ";", "too-deep", 205, "more than 200 levels deep"),
        ("x" * 300 + ": A+;", "word-too-long", 1, "a word of 300 characters"),
        ("a: A+", "missing-semicolon", 6, "the last entry is not ended"),
    ],
    ids=["deep", "long", "without a line end"],
)
def test_one_line_that_is_broken(text: str, code: str, column: int, message: str) -> None:
    with pytest.raises(GrammarError, match=message) as caught:
        LinkGrammar.from_text(text)
    (found,) = caught.value.diagnostics
    assert (found.code, found.location.line, found.location.column) == (code, 1, column)


@given(
    st.text("ax \u0301猫", max_size=60),
    st.text("xX<猫", min_size=1, max_size=400),
    st.sampled_from([";", "+;", ">;"]),
)
def test_carets_stay_below_the_excerpt(before: str, word: str, end: str) -> None:
    try:
        LinkGrammar.from_text(f"{before} {word}: A+ & {word}{end}")
    except GrammarError as error:
        for diagnostic in error.diagnostics:
            _, shown, carets = diagnostic.render().splitlines()[:3]
            assert text_width(carets.rstrip()) <= max(text_width(shown), carets.index("^") + 1)
            assert carets.strip(" |^") == ""


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("dog: Wd- & S+; runs: S-;", [(1, 6, "is an entry of LEFT-WALL missing?")]),
        ("dog: S+; runs: S- & RW+;", [(1, 21, "is an entry of RIGHT-WALL missing?")]),
        ("dog: Ss+; runs: Sp- or S-;", [(1, 17, "subscripts must agree: there is Ss+")]),
        ("dog: SB+; runs: S-;", [(1, 6, "did you mean S?"), (1, 17, "did you mean SB?")]),
        ("dog: S+; runs: S-;", []),
    ],
)
def test_connectors_that_nothing_matches(text: str, places: list[tuple[int, int, str]]) -> None:
    warnings = LinkGrammar.from_text(text).warnings
    assert [(d.location.line, d.location.column, d.hint) for d in warnings if d.location] == places
    assert {d.severity for d in warnings} <= {"warning"}


SMALL = "a: A+; b: A-;"


@pytest.mark.parametrize(
    ("name", "text", "code", "place"),
    [
        ("regex", "% fine\n<A> /x/\n", "bad-regex", "4.0.regex:2:1"),
        ("regex", "<A>: /[/\n", "bad-regex", "4.0.regex:1:1"),
        ("regex", "<A>: /[[:odd:]]/\n", "bad-regex", "4.0.regex:1:1"),
        ("regex", "<A>: /(/\n", "bad-regex", "4.0.regex:1:1"),
        ("regex", "<A>:\n", "bad-regex", "4.0.regex:1:1"),
        ("affix", '"." : RPUNC+', "bad-affix", "4.0.affix:1:5"),
        ("affix", '"." ";": RPUNC+; x', "bad-affix", "4.0.affix:1:19"),
        ("affix", "( : RPUNC+;", "bad-affix", "4.0.affix:1:1"),
        ("affix", '"/(/.\\1": MPUNC+;', "bad-affix", "4.0.affix:1:1"),
        ("affix", "/words/none: UNITS+;", "missing-word-file", "4.0.affix:1:1"),
        ("dialect", "cheap: 1", "bad-dialect", "4.0.dialect:1:1"),
        ("dialect", "[default]\ncheap: much", "bad-dialect", "4.0.dialect:2:1"),
        ("dialect", "[default]\nother", "bad-dialect", "4.0.dialect:2:1"),
        ("dialect", "[default]\ndefault", "bad-dialect", "4.0.dialect:2:1"),
        ("dict", "/words/none: A+;", "missing-word-file", "4.0.dict:1:1"),
        ("dict", "/x/../secret: A+;", "missing-word-file", "4.0.dict:1:1"),
    ],
)
def test_broken_files_of_a_folder(tmp_path: Path, name: str, text: str, code: str, place: str) -> None:
    with pytest.raises(GrammarError) as caught:
        dictionary_in(tmp_path, **{"dict": SMALL, name: text})
    (first, *_) = caught.value.diagnostics
    assert first.code == code
    assert str(first.location).endswith(place)


def test_word_files_outside_the_folder_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("password")
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path / "secret")
    (folder / "4.0.dict").write_text("/own/link: A+;")
    with pytest.raises(GrammarError, match="leads out of the folder"):
        LinkGrammar.read(folder)


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(GrammarError, match="there is no such file"):
        LinkGrammar.read(tmp_path / "none.dict")
    with pytest.raises(
        GrammarError, match=r"this folder holds no dictionary[\s\S]*expected: a file called 4.0.dict"
    ):
        LinkGrammar.read(tmp_path)
    (tmp_path / "4.0.dict").write_bytes(b"a: A+;\nb\xff: A-;")
    with pytest.raises(GrammarError, match=r"4.0.dict:2:2: error: byte 0xFF is not valid UTF-8"):
        LinkGrammar.read(tmp_path)
    (tmp_path / "4.0.dict").write_text("/words/x: A+;")
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "x").write_bytes(b"\0")
    with pytest.raises(GrammarError, match=r"the word file /words/x cannot be read: a null byte"):
        LinkGrammar.read(tmp_path)
    (tmp_path / "words" / "x").write_text("cat.I")
    with pytest.raises(GrammarError, match="kept for the words of idioms"):
        LinkGrammar.read(tmp_path)


def test_the_folder_next_door(tmp_path: Path) -> None:
    (tmp_path / "en").mkdir()
    dictionary_in(tmp_path / "en", dict=SMALL)
    with pytest.raises(GrammarError, match=r"did you mean .*en"):
        LinkGrammar.read(tmp_path)


def test_nothing_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("schemata.grammars.link_grammar.grammar._PLACES", (str(tmp_path),))
    with pytest.raises(
        GrammarError, match=r"no Link Grammar dictionary called en[\s\S]*link-grammar-dictionaries-en"
    ):
        LinkGrammar.installed()
    (tmp_path / "xx").mkdir()
    assert dictionary_in(tmp_path / "xx", dict=SMALL) == LinkGrammar.installed("xx")
    with pytest.raises(UsageError, match="is not a language"):
        LinkGrammar.installed("../xx")


@pytest.mark.parametrize("cutoff", [-1, float("nan"), float("inf")])
def test_bad_cutoffs(cutoff: float) -> None:
    with pytest.raises(UsageError, match="the cut-off is"):
        LinkGrammar.from_text("a: A+;", cutoff=cutoff)


def test_too_many_disjuncts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(REFUSALS, "expression_disjuncts", 1_000)
    letters = [chr(ord("A") + i) for i in range(11)]
    grammar = LinkGrammar.from_text(f"a: {' & '.join(f'{{{x}+}}' for x in letters)}; b: A-;")
    with pytest.raises(GrammarError, match='the entry "a" has more than a million disjuncts'):
        grammar.disjuncts_of("a")
    # In a sentence, what nothing can link with goes before.
    assert grammar.for_sentence(Sentence.of("a b")).size == 2


_PIECES = r'a b.n <m> A+ B- @A+ ( ) { } [ ] & or ^ ; : " % 0.5 #define a_b $ /x'


@settings(max_examples=200)
@given(st.lists(st.sampled_from([*_PIECES.split(), "\n"]), max_size=30).map(" ".join) | st.text(max_size=40))
@pytest.mark.thorough
def test_whatever_the_text_is_there_is_a_grammar_or_located_errors(text: str) -> None:
    try:
        grammar = LinkGrammar.from_text(text)
    except SchemataError as problem:
        unplaced = [d for d in problem.diagnostics if d.location is None or not d.message]
        if unplaced:
            raise
        return
    for word in grammar.dictionary.entries:
        grammar.disjuncts_of(word)
