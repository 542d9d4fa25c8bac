"""How link-parser splits words, and whether that gives a sentence linkages it does not have otherwise."""

import random
import re
from pathlib import Path

import pytest

import schemata
from schemata.grammars import LinkGrammar
from schemata.grammars.link_grammar.affixes import Affixes, Splitter, WordPart
from schemata.grammars.link_grammar.grammar import DictionaryLookUp
from schemata.grammars.link_grammar.preparation import Preparation
from schemata.structures import Sentence, check_linkage
from tests.oracle.linkages import (
    ENGLISH,
    answers_of_link_parser,
    count_linkages,
    dictionary_in,
    link_parser_counts,
    needs_english,
    needs_link_parser,
)

AFFIXES = Affixes(
    before=("...", "(", "'", "~"),
    after=("...", ")", ".", ",", "s'"),
    between=("...", "--", "/"),
    between_patterns=(re.compile("[^0-9]([,:])"), re.compile("([,:])[^0-9]")),
    prefixes=("y'",),
    suffixes=("'ll", "'s", "er"),
    units=("sq", "ft.", "km", "ft", "m", "s"),
)
TEXT = "cat dog all so big . , ... -- ( ) ' 's 'll y' km m s ft ft. sq 12 1,000 etc."
WORDS = frozenset(TEXT.split())


@pytest.mark.parametrize(
    ("word", "ways"),
    [
        ("cat", []),
        ("cat.", ["cat ."]),
        ("(cat.)", ["( cat . )"]),
        ("cat....", ["cat . ...", "cat ... ."]),
        ("....", ["... .", ". ..."]),
        ("...", []),
        (".", []),
        ("...cat", ["... cat"]),
        ("cat--dog", ["cat -- dog"]),
        ("cat--dog/all", ["cat -- dog / all"]),
        ("~~cat", ["~ ~ cat"]),
        ("cat--", []),
        ("cat,dog", ["cat , dog"]),
        ("1,000", []),
        ("1,dog", ["1 , dog"]),
        ("cat's", ["cat 's"]),
        ("cut's", []),
        ("bigger", []),
        ("y'all", ["y' all"]),
        ("y'cat's", ["y'cat 's", "y' cat 's"]),
        ("'s", ["' s"]),
        ("12km", ["12 km"]),
        ("12km,", ["12km ,", "12 km ,"]),
        ("12ft.", ["12 ft."]),
        ("12sqft.", ["12 sq ft."]),
        ("cats", []),
        ("ms", ["m s"]),
        ("km", []),
        ("etc.,", ["etc. ,"]),
        ("." * 40, []),
        ("x" * 200 + ".", []),
    ],
)
def test_ways(word: str, ways: list[str]) -> None:
    is_known = (WORDS | {"12km", "y'cat"}).__contains__
    found = Splitter(AFFIXES, WORDS.__contains__, is_known).ways(word)
    assert [" ".join(part.text for part in way) for way in found] == ways


def test_the_reading_that_has_linkages_is_taken(tmp_path: Path) -> None:
    affix = '"." "...": RPUNC+;\n"...": MPUNC+;\n'
    for text, words in (
        ('a: A+; b: A- & B+; ".": B- & C+; "...": C-;', ["a", "b", ".", "..."]),
        ('a: A+; b: A- & B+; ".": C-; "...": B- & C+;', ["a", "b", "...", "."]),
        ('a: A+; b....: A-; b: A- & B+; ".": C-; "...": B- & C-;', ["a", "b...."]),
        ('a: A+; b: B+; ".": B-; "...": B-;', ["a", "b", ".", "..."]),
    ):
        its = dictionary_in(tmp_path, dict=text, affix=affix)
        found = its.for_sentence(Sentence.of("a b...."))
        assert (list(found.words), found.warnings) == (words, ())
        assert all(found.disjuncts) == (count_linkages(found.disjuncts) > 0)


def test_units_are_marked() -> None:
    (way,) = Splitter(AFFIXES, WORDS.__contains__, WORDS.__contains__).ways("12km")
    assert way == (WordPart("12"), WordPart("km", is_unit=True))


ENGLISH_WORDS = """
call As Themselves.... 7grams, Mr. '50s 5ft.6in. don't've 1960's o'clock it's--well "Hello," 12:30pm $10.50 e.g., y'all
"""


@needs_link_parser
@needs_english
@pytest.mark.thorough
def test_english_words_are_split_as_link_parser_does() -> None:
    english = LinkGrammar.read(ENGLISH)
    preparation = Preparation(english.limits, english.cutoff)
    splitter = DictionaryLookUp(english.dictionary, english.patterns, english.affixes, preparation).splitter
    for word in ENGLISH_WORDS.split():
        shown = re.search(r"String splits to:\n(.*)", answers_of_link_parser("en", [f"!!{word}"]))
        assert shown, word
        theirs = {re.sub(r"(?<=.)\.[a-z]+$", "", part).lower() for part in shown[1].split()} - {word.lower()}
        ours = {part.text.lower() for way in splitter.ways(word, begins=True) for part in way} - {
            word.lower()
        }
        assert ours == theirs, word


def doubts(its: LinkGrammar, sentence: str) -> list[str]:
    found = its.for_sentence(Sentence.of(sentence)).warnings
    return [warning.message.split('"')[1] for warning in found if warning.code == "other-reading"]


AFFIX = '"." ")": RPUNC+;\n"(": LPUNC+;\nkm.u: UNITS+;\n'


def test_only_parts_that_can_be_linked_are_doubtful(tmp_path: Path) -> None:
    its = dictionary_in(
        tmp_path, dict='a: A+; Dr. d.: A-; Dr: A- & B+; d: A- & C+; ".": B-; e: C-;', affix=AFFIX
    )
    assert doubts(its, "a Dr.") == ["Dr."]
    assert doubts(its, "a d.") == []
    assert doubts(its, "a Dr") == []
    unpruned = its.for_sentence(Sentence.of("a d."), prune_disjuncts=False)
    assert unpruned.warnings == ()


def test_parts_of_two_words_that_are_linked_with_each_other_only(tmp_path: Path) -> None:
    its = dictionary_in(
        tmp_path, dict='LEFT-WALL: @X+; "(": X- & @Q+ & P+; a b: Q-; ")": P-; "(a" "b)": X-;', affix=AFFIX
    )
    assert doubts(its, "(a b)") == ["(a", "b)"]
    assert doubts(its, "(a b") == []
    assert doubts(its, "a b)") == []


def test_other_words_may_be_unknown(tmp_path: Path) -> None:
    its = dictionary_in(tmp_path, dict='<UNKNOWN-WORD>: A+; Dr.: A-; Dr: A- & B+; ".": B-;', affix=AFFIX)
    codes = [warning.code for warning in its.for_sentence(Sentence.of("xyzzy Dr.")).warnings]
    assert codes == ["guessed-word", "other-reading"]


def test_units_are_read_as_units_only(tmp_path: Path) -> None:
    text = "n: N+; 12km: N-; 12: N- & U+; km.u: %s; km.n: U-;"
    assert doubts(dictionary_in(tmp_path, dict=text % "V-", affix=AFFIX), "n 12km") == []
    assert doubts(dictionary_in(tmp_path, dict=text % "U-", affix=AFFIX), "n 12km") == ["12km"]


def test_many_doubtful_words_are_not_looked_at_more_closely(tmp_path: Path) -> None:
    its = dictionary_in(tmp_path, dict='a a. ".": {@A-} & {A+};', affix=AFFIX)
    found = its.for_sentence(Sentence.of("a. a. a. a. a."))
    assert [w.hint for w in found.warnings] == ["link-parser may have more linkages"] * 5
    found = its.for_sentence(Sentence.of("a a a. a"))
    assert [w.hint for w in found.warnings] == ["link-parser has linkages with that as well"]


def test_a_capitalised_word_may_be_whole_in_lower_case(tmp_path: Path) -> None:
    its = dictionary_in(tmp_path, dict="let's: G+; go: G-; let: S+; 's: S- & G+;", affix="'s: SUF+;\n")
    found = its.for_sentence(Sentence.of("Let's go"))
    assert [[d.word for d in word] for word in found.disjuncts] == [["let's"], ["go"]]
    assert [w.code for w in found.warnings] == ["other-reading"]


TOKENS = [
    "u", "a--u", "a", "b", "c", ".", "(", "'s", "--", "a.", "b.", "(a", "a's", "a--b", "(b.", "...", "b...",
    "b....",
]  # fmt: skip


def random_dictionary(rng: random.Random) -> str:
    def expression() -> str:
        sides = [rng.sample(["A", "B"], rng.choice([0, 1, 1, 2])) for _ in range(2)]
        parts = [f"{c}-" for c in sides[0]] + [f"{c}+" for c in sides[1]]
        return " & ".join(f"{{{p}}}" if rng.random() < 0.3 else p for p in parts) or f"{rng.choice('AB')}-"

    kept = [token for token in TOKENS[1:] if len(token) < 3 or rng.random() < 0.6]
    lines = ["#define dictionary-version-number 5.0.0;", "#define dictionary-locale C;"]
    lines.append(f"<UNKNOWN-WORD>: {rng.choice(['NONE+', expression()])};")
    lines += [f'"{token}": ({expression()}) or ({expression()});' for token in kept]
    return "\n".join(lines) + "\n"


READS_GRAPHS = schemata.load("eisner-satta-lg")


def test_units_of_several_words_give_their_first(tmp_path: Path) -> None:
    (tmp_path / "units").write_text("base_pair km.u\n", encoding="utf-8")
    affixes = dictionary_in(tmp_path, dict="a: A+;", affix="/units: UNITS+;\n").affixes
    assert affixes.unit_subscripts == {"base": frozenset({""}), "km": frozenset({"u"})}


def test_all_readings_are_parsed_together(tmp_path: Path) -> None:
    """Whole, in parts, and one of two ways to split: linkages have the words of their reading."""
    its = dictionary_in(
        tmp_path,
        dict='a: A+ or B+; Dr.: A-; Dr: B- & C+; ".": C-; d: D+; b....: D-; b: D- & C+;',
        affix=AFFIX,
    )
    chart = READS_GRAPHS.run("a Dr.", its)
    assert chart.grammar.warnings == ()
    found = [linkage.words for linkage in chart.forest().linkages(None)]
    assert sorted(found) == [("a", "Dr", "."), ("a", "Dr.")]
    assert chart.forest().count_linkages().exact == chart.forest().derivation_count == 2
    assert all(check_linkage(linkage).holds for linkage in chart.forest().linkages(None))


def test_a_schema_that_reads_no_graphs_takes_one_reading(tmp_path: Path) -> None:
    its = dictionary_in(tmp_path, dict='a: A+; Dr.: A-; Dr: A- & B+; ".": B-;', affix=AFFIX)
    chart = schemata.load("sleator-temperley1991").run("a Dr.", its)
    assert [w.code for w in chart.grammar.warnings] == ["other-reading"]
    assert chart.forest().derivation_count == 1


def test_connectors_that_reach_on_some_paths_only(tmp_path: Path) -> None:
    """The last word is two words after the first where the middle is whole, else three."""
    text = "LENGTH-LIMIT-%d: X+; a: A+ & {X+}; m's: A- & B+; m: A- & C+; 's: C- & B+; b: B- & {X-};"
    for limit, count in ((1, 2), (2, None), (3, 4)):
        its = dictionary_in(tmp_path, dict=text % limit, affix="'s: SUF+;\n")
        chart = READS_GRAPHS.run("a m's b", its)
        doubtful = [warning.code for warning in chart.grammar.warnings]
        if count is None:  # readings are not parsed together
            assert (doubtful, chart.forest().derivation_count) == (["other-reading"], 2)
        else:
            assert (doubtful, chart.forest().derivation_count) == ([], count)
    # Words that may be capitalised for their place in one reading are two words of the graph.
    text = text.replace("'s: C-", '".": C-').replace("m's", "m.")
    its = dictionary_in(tmp_path, dict=text % 2, affix=AFFIX)
    chart = READS_GRAPHS.run("a m. b", its)
    assert (chart.grammar.warnings, chart.forest().derivation_count) == ((), 3)


@needs_link_parser
@pytest.mark.parametrize("seed", range(3))
def test_as_many_linkages_as_link_parser(seed: int, tmp_path: Path) -> None:
    """In all readings together; a sentence with too many of them has a warning."""
    rng = random.Random(seed)
    affix = '"." "...": RPUNC+;\n"(": LPUNC+;\n"\'s": SUF+;\n"--" "...": MPUNC+;\n'
    said = {"several": 0, "one": 0, "none": 0}
    for number in range(12):
        folder = tmp_path / f"d{number}"
        folder.mkdir()
        its = dictionary_in(folder, dict=random_dictionary(rng), affix=affix, regex="% none\n")
        sentences = [" ".join(rng.choices(TOKENS, k=rng.randint(2, 4))) for _ in range(40)]
        for sentence, theirs in zip(sentences, link_parser_counts(folder, sentences), strict=True):
            provided = its.for_sentence(Sentence.of(sentence))
            ours = count_linkages(provided.disjuncts, provided.limits) if all(provided.disjuncts) else 0
            if any(w.hint == "link-parser may have more linkages" for w in provided.warnings):
                continue
            doubtful = any(w.code == "other-reading" for w in provided.warnings)
            if doubtful and provided.together is None:  # without a wall the first word is no choice
                assert theirs > ours, (folder, sentence)
                continue
            if provided.together is not None:
                chart = READS_GRAPHS.run(sentence, its)
                assert not [w for w in chart.grammar.warnings if w.code == "other-reading"]
                ours = int(chart.forest().derivation_count)
            said["several" if doubtful else "one" if ours else "none"] += 1
            assert theirs == ours, (folder, sentence, theirs, ours)
    assert min(said.values()) > 5, said


AS_TYPED = [
    "I'm sure that Dr. Smith's dog won't bite",
    "U.S. economic indicators fell sharply last month",
    "Alfred Baird, formerly vice president of Beevil Corp., has been appointed as president",
    "several more bases would be closed",
    "The coverage on TV has been terrible",
    "Dr. J.G.D. Smith lives on Main St.",
    "\"Quotation marks\" are simply \"ignored\" by our \"program\"",
    "We're thinking about going to a movie this evening",
    "Almost three years ago, I saw Ruth again",
    "He ran 5km and paid $10.50, didn't he?",
    "Mr. Smith (a lawyer for Kodak) refused to comment",
]  # fmt: skip


@needs_link_parser
@needs_english
@pytest.mark.thorough
def test_english_sentences_as_people_type_them() -> None:
    english = LinkGrammar.read(ENGLISH)
    expected = link_parser_counts("en", AS_TYPED)
    assert sum(count > 0 for count in expected) > 8
    found = [READS_GRAPHS.run(sentence, english).forest().derivation_count for sentence in AS_TYPED]
    assert found == expected
