"""Pruning of disjuncts: no linkage is lost, by brute force over random sentences; and what stays is in one."""

import copy
import pickle
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemata.errors import BudgetError
from schemata.grammars.link_grammar import LinkGrammar, preparation
from schemata.grammars.link_grammar.expressions import Single, all_of
from schemata.grammars.link_grammar.preparation import Preparation
from schemata.grammars.link_grammar.pruning import EXACTLY, POWER, kernel_text
from schemata.structures import Sentence
from schemata.structures.generation import all_linkages
from schemata.structures.linkages import NO_LIMITS, Connector, Disjunct, LengthLimits, Linkage, read_connector
from schemata.thresholds import REFUSALS
from tests.oracle.linkages import count_linkages
from tests.support.compilers import checked

_NAMES = ["A", "A", "B", "Aa", "Ab", "A*b", "C"]


def _connectors(right: bool) -> st.SearchStrategy[Connector]:
    return st.builds(
        Connector,
        st.sampled_from(_NAMES),
        st.just(right),
        st.sampled_from([False, False, True]),
        st.sampled_from(["", "", "", "h", "d"]),
    )


_DISJUNCTS = st.builds(
    Disjunct,
    st.sampled_from(["w.a", "w.b"]),
    st.lists(_connectors(False), max_size=3).map(tuple),
    st.lists(_connectors(True), max_size=3).map(tuple),
)
_SENTENCES = st.lists(st.lists(_DISJUNCTS, min_size=1, max_size=4, unique=True), min_size=2, max_size=6)


def _prepared(
    words: Sequence[Sequence[Disjunct]],
    limits: LengthLimits,
    stage: int,
    effort: int = REFUSALS.pruning_questions,
) -> tuple[list[list[Disjunct]], bool]:
    """Return the disjuncts that preparation leaves of words which have an entry for each, and whether it is exact."""
    entries = [
        [(str(k), all_of(map(Single, (*d.left, *d.right)))) for k, d in enumerate(word)] for word in words
    ]
    left, exact = Preparation(limits, cutoff=1).disjuncts(entries, stage, effort)
    return [[word[int(d.word)] for d in of_word] for word, of_word in zip(words, left, strict=True)], exact


def prune(words: Sequence[Sequence[Disjunct]], limits: LengthLimits) -> list[list[Disjunct]]:
    return _prepared(words, limits, POWER)[0]


def prune_exactly(
    words: Sequence[Sequence[Disjunct]], limits: LengthLimits, effort: int = REFUSALS.pruning_questions
) -> list[list[Disjunct]] | None:
    kept, exact = _prepared(words, limits, EXACTLY, effort)
    return kept if exact else None


def _linkages(words: list[list[Disjunct]]) -> set[Linkage]:
    return set(all_linkages([f"w{i}" for i in range(len(words))], words, effort=300_000))


@settings(max_examples=80)
@given(_SENTENCES)
def test_no_linkage_is_lost(words: list[list[Disjunct]]) -> None:
    pruned = prune(words, NO_LIMITS)
    assert all(set(kept) <= set(word) for kept, word in zip(pruned, words, strict=True))
    try:
        expected = _linkages(words)
    except BudgetError:
        return
    if all(pruned):
        assert _linkages(pruned) == expected
    else:
        assert not expected


def _in_linkages(linkages: set[Linkage], length: int) -> list[set[Disjunct]]:
    return [{linkage.disjuncts[at] for linkage in linkages} for at in range(length)]


@settings(max_examples=80)
@given(_SENTENCES, st.booleans())
def test_exactly_the_disjuncts_of_linkages_stay(words: list[list[Disjunct]], before: bool) -> None:
    try:
        expected = _in_linkages(_linkages(words), len(words))
    except BudgetError:
        return
    kept = prune_exactly(prune(words, NO_LIMITS) if before else words, NO_LIMITS)
    assert [set(word) for word in kept] == expected


def _within(linkages: set[Linkage], reach: int) -> set[Linkage]:
    """Return those in which no link of a connector A is longer."""
    return {x for x in linkages if all(k.right - k.left <= reach for k in x.links if k.label.startswith("A"))}


@settings(max_examples=80)
@given(_SENTENCES, st.integers(1, 3))
def test_exactly_the_disjuncts_of_linkages_within_the_limits_stay(
    words: list[list[Disjunct]], reach: int
) -> None:
    limits = LengthLimits(((read_connector("A+"), reach), (read_connector("A-"), reach)))
    try:
        linkages = _linkages(words)
    except BudgetError:
        return
    kept = prune_exactly(words, limits)
    assert [set(word) for word in kept] == _in_linkages(_within(linkages, reach), len(words))


@pytest.mark.thorough
def test_long_sentences_are_pruned_or_left_as_they_are() -> None:
    chain = LinkGrammar.from_text("a: ({A-} & {A+}) or ({A-} & B+ & A+);")
    words = chain.for_sentence(Sentence(("a",) * 254), prune_disjuncts=False).disjuncts
    pruned = prune_exactly(words, NO_LIMITS)
    assert [[str(d) for d in word] for word in pruned] == [["A+"], *[["A- & A+"]] * 252, ["A-"]]
    assert prune_exactly(words, NO_LIMITS, effort=1000) is None


@settings(max_examples=25)
@given(_SENTENCES, st.booleans())
def test_a_sentence_gets_as_much_room_as_it_needs(words: list[list[Disjunct]], native: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        expected = prune_exactly(words, NO_LIMITS)
        functions = preparation._Functions()
        functions.seconds = 100 if native else 0
        patch.setattr(preparation, "_functions", lambda: functions)
        patch.setattr(preparation, "_LEAST", 1)
        patch.setattr(preparation, "_ROOM", 0)
        assert prune_exactly(words, NO_LIMITS) == expected
        assert (functions.native is not None) == native


def test_sentences_share_memory_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a: {A-} & {A+}; b: {@A-} & {B+}; c: B- & {@A+} & {C+}; d: (C- or A-) & {A+};"
    sentences = [
        Sentence(tuple(words)) for words in ("abcd", "aa", "aabbccdda", "dcba", "abcd", "ad" * 12, "ba")
    ]
    expected = [LinkGrammar.from_text(text).for_sentence(sentence) for sentence in sentences]
    functions = preparation._Functions()
    functions.seconds = 100
    monkeypatch.setattr(preparation, "_functions", lambda: functions)
    grammar = LinkGrammar.from_text(text)
    assert [grammar.for_sentence(sentence) for sentence in sentences] == expected
    for again in (pickle.loads(pickle.dumps(grammar)), copy.deepcopy(grammar)):
        assert [again.for_sentence(sentence) for sentence in sentences] == expected


_CHECKED = checked(kernel_text())["prepare"]


@settings(max_examples=20)
@given(_SENTENCES)
def test_the_kernel_stays_within_bounds(words: list[list[Disjunct]]) -> None:
    expected = prune_exactly(words, NO_LIMITS)
    with pytest.MonkeyPatch.context() as patch:
        functions = preparation._Functions()
        patch.setattr(preparation, "_functions", lambda: functions)
        patch.setattr(functions, "get", lambda: _CHECKED)
        assert prune_exactly(words, NO_LIMITS) == expected


def test_where_pruning_takes_too_long_a_warning_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(REFUSALS, "pruning_questions", 0)
    provided = LinkGrammar.from_text("a: A+; b: A-;").for_sentence(Sentence.of("a b"))
    assert [warning.code for warning in provided.warnings] == ["pruned-in-part"]
    assert provided.size == 2


@settings(max_examples=80)
@given(_SENTENCES, st.integers(1, 3))
def test_limits_take_away_only_what_they_forbid(words: list[list[Disjunct]], reach: int) -> None:
    limits = LengthLimits(((read_connector("A+"), reach),))
    pruned = prune(words, limits)
    try:
        within = _within(_linkages(words), reach)
    except BudgetError:
        return
    assert within <= (_linkages(pruned) if all(pruned) else set())


def test_a_dictionary_gives_a_sentence_only_what_is_in_linkages() -> None:
    grammar = LinkGrammar.from_text("a: A+ or (A+ & B+) or C+; b: A- or (A- & C+); c: B- or C-; d: C-;")
    provided = grammar.for_sentence(Sentence.of("a b c"))
    expected = _in_linkages(_linkages([list(word) for word in provided.disjuncts]), 3)
    assert [set(word) for word in provided.disjuncts] == expected
    assert expected[0]


def _pruned(dictionary: str, sentence: str) -> list[list[str]]:
    provided = LinkGrammar.from_text(dictionary).for_sentence(Sentence.of(sentence))
    return [[str(d) for d in word] for word in provided.disjuncts]


@pytest.mark.parametrize(
    ("dictionary", "sentence", "left"),
    [
        # No partner, on the wrong side, of another subscript.
        ("a: A+ or B+; b: A-;", "a b", [["A+"], ["A-"]]),
        ("a: A+ or B-; b: A- or B+;", "a b", [["A+"], ["A-"]]),
        ("a: As+ or Ap+; b: As-;", "a b", [["As+"], ["As-"]]),
        # A connector that relied on what is gone.
        ("a: A+ or B+; b: A- or (B- & C+); c: A- & D-;", "a b", [["A+"], ["A-"]]),
        # The nearer connector takes the neighbour, so that the farther one cannot.
        ("a: (A+ & B+) or A+; b: A- or B-;", "a b", [["A+"], ["A-"]]),
        # The word between two could be linked to nothing.
        ("a: A+; b: B- & B+; c: A-;", "a b c", [[], [], []]),
        # The first word links nothing to the left, the last nothing to the right.
        ("a: A+ or ({A-} & B+); b: A- or ({A+} & B-);", "a b", [["A+", "B+"], ["A-", "B-"]]),
    ],
)
def test_what_goes(dictionary: str, sentence: str, left: list[list[str]]) -> None:
    assert _pruned(dictionary, sentence) == left


def test_pruned_and_unpruned_sentences_of_a_dictionary_have_the_same_linkages() -> None:
    grammar = LinkGrammar.read(Path(__file__).with_name("dictionaries") / "mini")
    for text in ("the cat slept", "she said the cat saw a dog", "the dogs that the men chased ran today"):
        pruned = grammar.for_sentence(Sentence.of(text))
        whole = grammar.for_sentence(Sentence.of(text), prune_disjuncts=False)
        assert count_linkages(pruned.disjuncts) == count_linkages(whole.disjuncts) > 0
        assert pruned.size < whole.size / 5
