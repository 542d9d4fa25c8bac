"""Broken dictionaries: what is said, where, and that one mistake does not hide the next."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemata.errors import GrammarError, SchemataError, UsageError, text_width
from schemata.grammars import LinkGrammar
from schemata.structures import Sentence

# The text, and for each mistake its code, line, column, and a part of the message, the expectation or the hint.
BROKEN: list[tuple[str, list[tuple[str, int, int, str]]]] = [
    ("", [("empty-dictionary", 1, 1, "there is no entry")]),
    ("% nothing\n", [("empty-dictionary", 2, 1, "there is no entry")]),
    ("a: <m>;", [("unknown-macro", 1, 4, "there is no macro <m>")]),
    ("<verb>: A+; a: <verv>;", [("unknown-macro", 1, 16, "did you mean <verb>?")]),
    ("a: <m> & A+;\n<m>: B+;", [("used-before-defined", 1, 4, "in line 2")]),
    ("<m>: A+ & <m>;", [("recursive-macro", 1, 11, "<m> is defined by itself")]),
    ("<a>: <b>;\n<b>: <a>;", [("used-before-defined", 1, 6, "in a circle")]),
    ("x: A+; a.n: B-; b: a;", [("unknown-word", 1, 20, "with another subscript: a.n")]),
    ("a: Ss;", [("unknown-word", 1, 4, "did you mean the connector Ss+ or Ss-?")]),
    ("a: A+, B+;", [("unknown-word", 1, 4, "there are no commas")]),
    ("a: (A+ & B+;\nb: A-;", [("unbalanced-brackets", 1, 4, "a ) is missing before the ; of line 1")]),
    ("a: (A+\nb: A-;", [("unbalanced-brackets", 1, 4, "before the entry of b")]),
    ("a: A+)\n;", [("unbalanced-brackets", 1, 6, ") closes nothing")]),
    ("a: (A+];", [("unbalanced-brackets", 1, 7, "] does not close the ( of line 1")]),
    ("a: [A+", [("unbalanced-brackets", 1, 4, "a ] is missing")]),
    ("a: A+ & B+\nb: A-;\nc: D-;", [("missing-semicolon", 1, 11, "before that of b in line 2")]),
    ("a: A+ & [B+]\nb c.n: A-;", [("missing-semicolon", 1, 13, "before that of b in line 2")]),
    ("a: A+", [("missing-semicolon", 1, 6, "the last entry is not ended")]),
    ("a: A+;\nb A-;\nc: A-;", [("missing-colon", 2, 5, "the entry of b has no colon")]),
    ("a b c", [("missing-colon", 1, 1, "the last entry has no colon")]),
    ("(: A+;", [("missing-colon", 1, 1, 'in quotes: "("')]),
    (": A+;", [("missing-word", 1, 1, "no word stands before the colon")]),
    ("a: A+;; b: A-;", [("missing-word", 1, 7, "; ends nothing")]),
    ("a: A+;\na: B+;", [("duplicate-word", 2, 1, "has been defined before, in line 1")]),
    ("a.n a.n: A+;", [("duplicate-word", 1, 5, "a.n has been defined before")]),
    ("a: a+;", [("bad-connector", 1, 4, "begins with an upper-case letter")]),
    ("a: @+;", [("bad-connector", 1, 4, "begins with an upper-case letter")]),
    ("a: A!+;", [("bad-connector", 1, 4, "only lower-case letters, digits and *")]),
    ("a: IDAB+;", [("bad-connector", 1, 4, "made for idioms")]),
    ("a: [A+]1.2.3;", [("bad-cost", 1, 8, "1.2.3 is not a cost")]),
    ("a: [A+]1e3;", [("bad-cost", 1, 8, "no exponent")]),
    ("a: [A+]99999999999;", [("bad-cost", 1, 8, "at most seven digits")]),
    ("a: [A+]cheap;", [("bad-cost", 1, 8, "no dialect file")]),
    ("a: A+ B+;", [("unexpected-token", 1, 7, "write & or |")]),
    ("a: A+ adn B+;", [("unexpected-token", 1, 7, "did you mean and?")]),
    ("a: A+ & ;", [("missing-operand", 1, 9, "; stands where an operand is due")]),
    ("a: A+ or & B+;", [("missing-operand", 1, 10, "& stands where an operand is due")]),
    ("a: ;", [("missing-operand", 1, 4, "an expression that is empty is written ()")]),
    ("a: {};", [("missing-operand", 1, 5, "nothing is written ()")]),
    ("a: A+ & B+ or C+;", [("mixed-operators", 1, 12, "A+ & (B+ or C+)")]),
    ('a: A+;\n b "c: A+;', [("missing-colon", 2, 2, ""), ("open-quote", 2, 4, "the quotes are not closed")]),
    ('"": A+;', [("empty-quotes", 1, 1, "nothing stands between the quotes")]),
    ("kind__of: A+;", [("bad-word", 1, 1, "an idiom with an empty word")]),
    ("x.I: A+;", [("bad-word", 1, 1, "kept for the words of idioms")]),
    ("#define x;\na: A+;", [("bad-define", 1, 1, "a name, a value and a semicolon")]),
    ("#define max-disjunct-cost 2.7\na: A+;\nb: A-;", [("bad-define", 1, 27, "expected: ;")]),
    ("#define max-disjunct-cost\na: A+;\nb: A-;", [("bad-define", 1, 1, "a name, a value and a semicolon")]),
    ("#define max-disjunct-cost 2.7", [("bad-define", 1, 27, "expected: ;")]),
    (
        "#define\n#define x 2\na: B+ &;",
        [("bad-define", 1, 1, ""), ("bad-define", 2, 11, ""), ("missing-operand", 3, 8, "")],
    ),
    ("#define x 2 a: A+; b: +;", [("bad-define", 1, 1, ""), ("bad-connector", 1, 23, "")]),
    ("#define x y z;\na: +;", [("bad-define", 1, 1, ""), ("bad-connector", 2, 4, "")]),
    (
        "#define x\n2 3;\nb: +;",
        [("bad-define", 1, 1, ""), ("missing-colon", 2, 4, ""), ("bad-connector", 3, 4, "")],
    ),
    ("#define max-disjunct-cost x;\na: A+;", [("bad-define", 1, 27, "x is not a cost")]),
    ("#include foo;\na: A+;", [("include", 1, 1, "#include is not read")]),
    ("/words/x: A+;", [("missing-word-file", 1, 1, "word files need a folder")]),
    ("a: " + "(" * 300 + "A+" + ")" * 300 + ";", [("too-deep", 1, 205, "more than 200 levels deep")]),
    ("x" * 300 + ": A+;", [("word-too-long", 1, 1, "a word of 300 characters")]),
    # Several mistakes at once.
    (
        "a: A+ & <m>;\nb: (B+;\nc: [C+]x;\nd: D+\ne: e+;\nf: A-;\nf: B-;\ng: a or b or c;",
        [
            ("unknown-macro", 1, 9, "<m>"),
            ("unbalanced-brackets", 2, 4, "("),
            ("bad-cost", 3, 8, "x is not a cost"),
            ("missing-semicolon", 4, 6, "before that of e"),
            ("bad-connector", 5, 4, "e+"),
            ("duplicate-word", 7, 1, "f has been"),
        ],
    ),
]


@pytest.mark.parametrize(("text", "expected"), BROKEN, ids=[text[:30] for text, _ in BROKEN])
def test_broken(text: str, expected: list[tuple[str, int, int, str]]) -> None:
    with pytest.raises(GrammarError) as caught:
        LinkGrammar.from_text(text, name="some.dict")
    found = caught.value.diagnostics
    places = [(d.code, d.location.line, d.location.column) for d in found if d.location]
    assert places == [(code, line, column) for code, line, column, _ in expected]
    for diagnostic, (*_, part) in zip(found, expected, strict=True):
        assert part in diagnostic.render()
        assert diagnostic.location.file == "some.dict"
        assert diagnostic.source_line == text.split("\n")[diagnostic.location.line - 1]


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


def test_the_caret() -> None:
    with pytest.raises(GrammarError) as caught:
        LinkGrammar.from_text("<verb>: A+;\ncat: A- & <verv>;", name="my.dict")
    assert str(caught.value).splitlines() == [
        "my.dict:2:11: error: there is no macro <verv>",
        "  | cat: A- & <verv>;",
        "  |           ^^^^^^",
        "  expected: a connector, which ends in + or -, or a word defined before",
        "  hint: did you mean <verb>?",
    ]


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


def write(folder: Path, **files: str) -> Path:
    for name, text in {"dict": "a: A+; b: A-;", **files}.items():
        (folder / f"4.0.{name}").write_text(text)
    return folder


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
        LinkGrammar.read(write(tmp_path, **{name: text}))
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
    write(tmp_path / "en")
    with pytest.raises(GrammarError, match=r"did you mean .*en"):
        LinkGrammar.read(tmp_path)


def test_nothing_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("schemata.grammars.link_grammar.grammar._PLACES", (str(tmp_path),))
    with pytest.raises(
        GrammarError, match=r"no Link Grammar dictionary called en[\s\S]*link-grammar-dictionaries-en"
    ):
        LinkGrammar.installed()
    (tmp_path / "xx").mkdir()
    write(tmp_path / "xx")
    assert LinkGrammar.installed("xx") == LinkGrammar.read(tmp_path / "xx")
    with pytest.raises(UsageError, match="is not a language"):
        LinkGrammar.installed("../xx")


@pytest.mark.parametrize("cutoff", [-1, float("nan"), float("inf")])
def test_bad_cutoffs(cutoff: float) -> None:
    with pytest.raises(UsageError, match="the cut-off is"):
        LinkGrammar.from_text("a: A+;", cutoff=cutoff)


def test_too_many_disjuncts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("schemata.grammars.link_grammar.preparation.MOST", 1_000)
    letters = [chr(ord("A") + i) for i in range(11)]
    grammar = LinkGrammar.from_text(f"a: {' & '.join(f'{{{x}+}}' for x in letters)}; b: A-;")
    with pytest.raises(GrammarError, match='the entry "a" has more than a million disjuncts'):
        grammar.disjuncts_of("a")
    # In a sentence, what nothing can link with goes before.
    assert grammar.for_sentence(Sentence.of("a b")).size == 2


_PIECES = [
    "a", "b.n", "<m>", "A+", "B-", "@A+", "(", ")", "{", "}", "[", "]", "&", "or", "^", ";", ":",
    '"',
    "%",
    "\n",
]  # fmt: skip
_PIECES += ["0.5", "#define", "a_b", "$", "/x"]


@settings(max_examples=200)
@given(st.lists(st.sampled_from(_PIECES), max_size=30).map(" ".join) | st.text(max_size=40))
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
