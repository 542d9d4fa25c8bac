"""From words to disjuncts: what is found for a word, and where link-parser would go about it in another way."""

from pathlib import Path

import pytest

from schemata.errors import Diagnostic, GrammarError, UsageError
from schemata.grammars import LinkGrammar, SentenceDisjuncts
from schemata.grammars.relations import FREE
from schemata.records import replace
from schemata.structures import Sentence
from tests.oracle.linkages import count_linkages, dictionary_in

DICTIONARIES = Path(__file__).with_name("dictionaries")

TEN_LINES = """\
LEFT-WALL: W+;
the a: D+;
big black: A+;
cat dog.n park: {@A-} & D- & {@M+} & (O- or J- or ({W-} & S+));
Mary: {@M+} & (O- or J- or ({W-} & S+));
she: {W-} & S+;
ran sleeps: S- & {@MV+};
chased saw.v: S- & O+ & {@MV+};
in with: (M- or MV-) & J+;
today: MV-;
"""


def words_of(provided: SentenceDisjuncts) -> list[list[str]]:
    return [sorted({d.word for d in of_word}) for of_word in provided.disjuncts]


def look_up(its: LinkGrammar, text: str) -> list[list[str]]:
    return words_of(its.for_sentence(Sentence.of(text), prune_disjuncts=False))


def problems(its: LinkGrammar, text: str) -> tuple[Diagnostic, ...]:
    with pytest.raises(GrammarError) as caught:
        its.for_sentence(Sentence.of(text))
    return caught.value.diagnostics


def unknown(its: LinkGrammar, text: str) -> tuple[Diagnostic, ...]:
    """Return the warnings of words that are not in a dictionary: without them there is no disjunct."""
    found = its.for_sentence(Sentence.of(text))
    assert not all(found.disjuncts)
    assert problems(replace(its, strict=True), text) == tuple(
        replace(one, severity="error") for one in found.warnings
    )
    return found.warnings


def test_ten_lines_are_a_grammar() -> None:
    its = LinkGrammar.from_text(TEN_LINES)
    assert its.warnings == ()
    found = its.for_sentence(Sentence.of("the cat chased a big black dog in the park"))
    assert found.words[0] == "LEFT-WALL"
    assert found.last == 10
    assert count_linkages(found.disjuncts) == 2  # in the park: the dog, or the chase
    assert [str(d) for d in found.disjuncts[1]] == ["D+"]


def test_walls_are_there_if_the_dictionary_has_them() -> None:
    for left, right in ((0, 0), (1, 0), (0, 1), (1, 1)):
        text = "LEFT-WALL: W+; " * left + "RIGHT-WALL: R-; " * right + "a: {W-} & {R+} & A+; b: {R+} & A-;"
        found = LinkGrammar.from_text(text).for_sentence(Sentence.of("a b"))
        assert found.words == ("LEFT-WALL",) * left + ("a", "b") + ("RIGHT-WALL",) * right


def test_unknown_words_are_named_with_near_ones() -> None:
    its = LinkGrammar.from_text(TEN_LINES)
    first, second, third = unknown(its, "the catt chased xyzzy saw.v")
    assert first.message == 'word 2, "catt", is not in the dictionary'
    assert first.hint == "did you mean cat?"
    assert second.hint == "give it an entry, such as: xyzzy: D- & S+;"
    assert third.hint == "a sentence has words without subscript: saw"


def test_patterns_and_unknown_words(tmp_path: Path) -> None:
    its = dictionary_in(
        tmp_path,
        dict="<NUM>.m: N+; <UNKNOWN-WORD>.n <UNKNOWN-WORD>.v: X+; cat: C-;",
        regex="<NUM>: /^[0-9]+$/\n<NONE>: /^z/",
    )
    assert look_up(its, "12 cat") == [["12.m"], ["cat"]]
    found = its.for_sentence(Sentence.of("12 catt zz"), prune_disjuncts=False)
    assert words_of(found) == [["12.m"], ["catt.n", "catt.v"], ["zz.n", "zz.v"]]
    assert [w.severity for w in found.warnings] == ["warning"] * 2
    assert (
        found.warnings[0].message == 'word 2, "catt", is not in the dictionary: it is read as an unknown word'
    )
    assert found.warnings[0].hint == "did you mean cat?"


def test_capitals(tmp_path: Path) -> None:
    # As link-parser: a capitalised word that begins a sentence is also read in lower case; by its pattern only
    # if it is a name's, or not at the beginning.
    its = dictionary_in(
        tmp_path,
        dict=(
            "<marker-common-entity>: XXX+; the: D+; great: A+ or XXX+; Rose: R+; rose: O+; "
            '<CAP>.c: C+; see: S+; ":": T+;'
        ),
        regex="<CAP>: /^[[:upper:]]/",
    )
    assert look_up(its, "The see") == [["the"], ["see"]]
    assert look_up(its, "see The") == [["see"], ["The.c"]]
    assert look_up(its, "see : The") == [["see"], [":"], ["the"]]
    assert look_up(its, "THE see") == [["THE.c"], ["see"]]
    assert look_up(its, "Rose see") == [["Rose", "rose"], ["see"]]
    assert look_up(its, "see Rose") == [["see"], ["Rose"]]
    assert look_up(its, "Great see") == [["Great.c", "great"], ["see"]]
    assert look_up(its, "Bob see") == [["Bob.c"], ["see"]]


AFFIXES = """
"." "," "!": RPUNC+;
"(" "$": LPUNC+;
's 'll: SUF+;
y': PRE+;
km.u: UNITS+;
-- "/[^0-9]([,:])/.\\1" "/([,:])[^0-9]/.\\1": MPUNC+;
"""


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("cat.", "cat ."),
        ("cat.!", "cat . !"),
        ("(cat,", "( cat ,"),
        ("cat's", "cat 's"),
        ("Cat's", "Cat 's"),
        ("y'cat", "y' cat"),
        ("12km", "12 km"),
        ("cat--dog", "cat -- dog"),
        ("cat--dig", "cat -- dig"),
        ("cat,dog", "cat , dog"),
        ("1,dog", "1 , dog"),
    ],
)
def test_words_that_are_known_in_parts_only(tmp_path: Path, word: str, parts: str) -> None:
    """Unknown parts are no reason to keep a word whole: then the sentence is rejected."""
    its = dictionary_in(tmp_path, dict="cat dog: A-; a: A+;", affix=AFFIXES)
    assert its.for_sentence(Sentence.of(f"a {word}")).words == ("a", *parts.split())


def test_numbers_are_not_split(tmp_path: Path) -> None:
    its = dictionary_in(tmp_path, dict='1,000 "12:30" 1 000 12 30: A-; a: A+;', affix=AFFIXES)
    for number in ("1,000", "12:30"):
        assert its.for_sentence(Sentence.of(f"a {number}")).warnings == ()


def test_a_word_that_is_left_over_is_taken_by_the_word_before_it() -> None:
    its = LinkGrammar.from_text("LEFT-WALL: A+; a: A- & {B+}; b: B-; q: ZZZ-;")
    found = [its.for_sentence(Sentence.of(text)) for text in ("a q", "a q b", "a b q", "q a")]
    assert [count_linkages(provided.disjuncts) for provided in found] == [1, 1, 1, 0]


def test_length_limits() -> None:
    its = LinkGrammar.from_text("LENGTH-LIMIT-1: P+; a: Pa+ or Q+; b: P- or (P- & Q-); c: P- or Q-;")
    assert words_of(its.for_sentence(Sentence.of("a b"))) == [["a"], ["b"]]
    assert [d.disjuncts for d in [its.for_sentence(Sentence.of("a b c"))]] == [((), (), ())]
    far = LinkGrammar.from_text("LENGTH-LIMIT-1: P+; a: P+ & @P+; b: P-;")
    # The first connector needs the neighbour, the second reaches no other word.
    assert far.for_sentence(Sentence.of("a b b")).size == 0
    its = LinkGrammar.from_text("LENGTH-LIMIT-1: P+; a: P+ or Q+; b: Q- & R+; c: P- or R-;")
    found = its.for_sentence(Sentence.of("a b c"), prune_disjuncts=False)
    reach = {
        str(c): found.limits.reach(c) for word in found.disjuncts for d in word for c in (*d.left, *d.right)
    }
    assert found.warnings == ()
    assert reach == {"P+": 1, "P-": 1, "Q+": None, "Q-": None, "R+": None, "R-": None}


def test_where_some_are_unlimited_the_others_reach_sixteen_words() -> None:
    its = LinkGrammar.from_text(
        "UNLIMITED-CONNECTORS: S+; a: S+ or A+; b: S- or A-; x: B+ or B- or (B- & B+);"
    )
    for between in (15, 16):
        found = its.for_sentence(Sentence.of(" ".join(["a", *["x"] * between, "b"])), prune_disjuncts=False)
        left, right = found.disjuncts[0][0].right[0], found.disjuncts[-1][0].left[0]
        assert (str(left), str(right)) == ("A+", "A-")
        assert {found.limits.reach(left), found.limits.reach(right)} == {16}
        codes = found.relations["join"].rows(0, found.last, "a#1: A+", "b#1: A-", FREE, FREE)
        assert bool(codes) == (between == 15)


def test_a_limit_with_a_wildcard_gives_a_warning() -> None:
    its = LinkGrammar.from_text("LENGTH-LIMIT-1: P*a+; a: P*a+; b: P-;")
    assert [w.code for w in its.warnings] == ["limit-with-wildcard"]


def test_a_hint_in_a_large_dictionary_is_quick() -> None:
    letters = "abcdefghij"
    words = [
        f"{a}{b}{c}{d}{e}"
        for a in letters
        for b in letters
        for c in letters
        for d in letters
        for e in letters
    ]
    lines = (" ".join(words[i : i + 1000]) for i in range(0, len(words), 1000))
    its = LinkGrammar.from_text("\n".join(lines) + ": A+;")
    (problem,) = unknown(its, "abcdx")
    assert problem.hint.startswith("did you mean a")


def test_what_stands_between_blanks_is_one_word() -> None:
    its = LinkGrammar.from_text("a: A+; b: A-;")
    (problem,) = unknown(its, "a; b")
    assert problem.message == 'word 1, "a;", is not in the dictionary'


def test_a_very_long_sentence() -> None:
    its = LinkGrammar.from_text("a: {A-} & {A+};")
    assert its.for_sentence(Sentence(("a",) * 60)).size == 60
    with pytest.raises(UsageError, match="at most 254"):
        its.for_sentence(Sentence(("a",) * 255))
