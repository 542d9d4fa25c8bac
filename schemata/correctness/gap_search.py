"""The search for proofs about schemata of well-nested trees with gaps: readings, uses of steps, types of arrangements.

If the search finds nothing, there is no answer. It asks `gap_checker.GapChecker` for each judgement; users of a
certificate have it checked again.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence

from schemata.correctness.arrangements import (
    BLOCK,
    HEAD,
    HOLE,
    ONE,
    OTHER,
    SEVERAL,
    WHOLE,
    WordProperties,
    all_splits,
    factors_of,
    merged,
    shapes_of,
    splits_of,
    swapped,
)
from schemata.correctness.certificate import NotProved, checksum_of
from schemata.correctness.gap_certificate import CoveredWords, GapCertificate, Use
from schemata.correctness.gap_checker import GapChecker, Part
from schemata.correctness.questions import Questions
from schemata.correctness.steps import boundary
from schemata.language import model as m
from schemata.language.typeset import reference_of
from schemata.program.facts import differences_of, facts_of
from schemata.program.linear import Linear, variable
from schemata.program.model import Kind, Program


def gap_checker_of(program: Program, questions: Questions, class_name: str | None = None) -> GapChecker:
    """Return a checker with the readings of a program's kinds, which it has judged, and its normal forms.

    Parameters
    ----------
    program : with normal forms.
    questions : with the limits of the search.
    class_name : `wg-K` or `mg-K`; None for `wg-K` if no step puts interleaving trees together, else for `mg-K`.

    Raises
    ------
    NotProved : the schema is beyond the method, or such a proof would be about another class.
    """
    readings = {kind.number: _reading(program, kind) for kind in program.kinds}
    checker = GapChecker(program, readings, questions, nested=True)
    checker.check_readings()
    checker.check_equations()
    if class_name is None:
        checker.nested = not any(map(checker.may_interleave, checker.steps))
        return checker
    checker.nested = class_name.startswith("wg")
    if class_name != checker.class_name:
        raise NotProved(f"proofs about trees with so many gaps are about class {checker.class_name}")
    return checker


def find_gap_proof(
    schema: m.Schema, checker: GapChecker, wanted: Sequence[str]
) -> tuple[GapCertificate | None, dict[str, NotProved], str]:
    """Look for proofs that a schema with a normal form is sound and complete for trees of its number of gaps.

    Returns
    -------
    A certificate if anything is proved; why the rest is not, by claim; an arrangement that no step was shown to derive.

    Raises
    ------
    SolverFailed : a question was not decided in time.
    """
    reasons: dict[str, NotProved] = {}
    sound = complete = False
    links: dict[tuple[str, int], Use] = {}
    splits: dict[str, Use] = {}
    words: tuple[str, ...] = ("",)
    missing = ""
    if "sound" in wanted:
        try:
            checker.check_sound()
            sound = True
        except NotProved as reason:
            reasons["sound"] = reason
    if "complete" in wanted:
        try:
            checker.check_alone()
            checker.check_finals()
            links = dict(_links(checker))
            words, splits = _words(checker) if checker.nested else (("",), dict(_all_splits(checker)))
            complete = True
        except NoSplit as reason:
            reasons["complete"], missing = reason, reason.arrangement
        except NotProved as reason:
            reasons["complete"] = reason
    if "each_once" in wanted:
        reasons["each_once"] = NotProved("derivations of trees with gaps are not counted")
    if not sound and not complete:
        return None, reasons, missing
    certificate = GapCertificate(
        reference_of(schema),
        checksum_of(schema, checker.program),
        checker.class_name,
        sound,
        complete,
        False,
        checker.readings,
        links if complete else {},
        splits if complete else {},
        words if complete else ("",),
    )
    return certificate, reasons, missing


class NoSplit(NotProved):
    """No step was shown to derive items of an arrangement."""

    def __init__(self, arrangement: str) -> None:
        super().__init__(f"no step surely derives an item with the arrangement {arrangement}")
        self.arrangement = arrangement


def _reading(program: Program, kind: Kind) -> CoveredWords:
    """Return the words that items of a kind cover: the columns that are in order are the ends of blocks and gaps."""
    facts = facts_of(kind.conditions)
    names = [column.name for column in kind.columns]
    below = {
        x: [y for y in names if y != x and facts.proves(differences_of([_no_less(x, y)]))] for x in names
    }
    ordered = [x for x in names if below[x] or any(x in row for row in below.values())]
    chain = [variable(x) for x in sorted(ordered, key=lambda x: len(below[x]))]
    rest = [x for x in names if x not in ordered]
    if len(rest) != 1 or len(chain) % 2 or not chain:
        raise NotProved(f"items {kind.name} are not a head and blocks of words")
    ends = [chain[0]]
    for low, high in zip(chain[1:-1:2], chain[2:-1:2], strict=True):
        ends += [low - 1, high + 1]
    ends.append(chain[-1])
    return CoveredWords(variable(rest[0]), tuple(zip(ends[::2], ends[1::2], strict=True)))


def _no_less(x: str, y: str) -> Linear:
    return Linear(">=", variable(x) - variable(y))


# Uses of steps --------------------------------------------------------------------------------------------------


def _links(checker: GapChecker) -> Iterator[tuple[tuple[str, int], Use]]:
    """Yield for each arrangement of one dependent, and each of its runs with the dependent, the step that links it."""
    steps = [step for step in checker.steps if len(step.links) == 1 and len(step.antecedents) == 2]
    for shape in shapes_of(checker.gaps):
        for place, letter in enumerate(shape):
            if letter == BLOCK and shape.count(BLOCK) <= checker.gaps + 1:
                flags = itertools.product((False, True), repeat=4)
                uses = (Use(step.number, tuple(row[1:]), row[0]) for row in flags for step in steps)
                use = next((use for use in uses if _passes(checker.check_link, shape, place, use)), None)
                if use is None:
                    raise NotProved(f"no step surely links a dependent in the arrangement {shape}")
                yield (shape, place), use


def _split_use(checker: GapChecker, split: str) -> Use | None:
    """Return a use of a step that surely derives the whole of a split from its parts."""
    head = boundary(split.index(HEAD))
    parts = [Part(split, letters, head) for letters in ((ONE, OTHER), (ONE,), (OTHER,))]
    for heads in itertools.product((False, True), repeat=3):
        counts = [len(part.blocks(with_head)) for part, with_head in zip(parts, heads, strict=True)]
        for step in checker.steps:
            atoms = (step.consequent, *step.antecedents)
            if not step.links and [len(checker.readings[x.kind].blocks) for x in atoms] == counts:
                use = Use(step.number, heads)
                if _passes(checker.check_split, split, use):
                    return use
    return None


def _all_splits(checker: GapChecker) -> Iterator[tuple[str, Use]]:
    """Yield a use for each split of an item into two, whichever part is the first."""
    for split in splits_of(checker.gaps):
        checker.questions.heed()
        uses = ((one, _split_use(checker, one)) for one in (split, swapped(split)))
        found = next(((one, use) for one, use in uses if use is not None), None)
        if found is None:
            raise NotProved(f"no step surely derives an item with the split {split}")
        yield found


def _passes(judge: Callable[..., None], *parts: object) -> bool:
    try:
        judge(*parts)
    except NotProved:
        return False
    return True


# Types ----------------------------------------------------------------------------------------------------------


def _words(checker: GapChecker) -> tuple[tuple[str, ...], dict[str, Use]]:
    """Return a word of each type, and splits that all arrangements have, each with its use of a step.

    Splits are added as arrangements need them: fewer splits make fewer types.

    Raises
    ------
    NotProved : some arrangement has no split.
    """
    tried: dict[str, Use | None] = {}
    chosen: dict[str, Use] = {}

    def choose(word: str) -> None:
        for split in sorted({*all_splits(word)}, key=lambda split: (len(split), split)):
            if not {ONE, OTHER} <= {*split}:
                continue
            if split not in tried:
                checker.questions.heed()
                tried[split] = _split_use(checker, split)
            use = tried[split]
            if use is not None:
                chosen[split] = use
                return
        raise NoSplit(word)

    while True:
        closed = Arrangements(checker.gaps, [*chosen], checker.questions.heed)
        if not closed.missing:
            return tuple(closed.words), chosen
        for word in closed.missing:
            choose(word)


class Arrangements:
    """The types of all words, found by adding letters until no new one comes.

    Attributes
    ----------
    words : words such that each word there is is covered by one of them.
    missing : those of them that are items with several dependents and have no split.
    """

    def __init__(self, gaps: int, splits: Sequence[str], heed: Callable[[], None]) -> None:
        self.gaps, self.heed, self.listed = gaps, heed, frozenset(splits)
        self.kept = factors_of(splits)
        self.shapes, self.whole = factors_of(shapes_of(gaps)), frozenset(shapes_of(gaps))
        self.types: dict[str, dict[WordProperties, str]] = {}  # by shape
        self._letters: dict[str, dict[WordProperties, str]] = {}
        self._close()
        rows = [(word, made) for row in self.types.values() for made, word in row.items()]
        self.words = [word for word, _ in rows]
        self.missing = [
            word
            for word, made in rows
            if made.shape in self.whole and made.dependents == SEVERAL and not made.splits & self.listed
        ]

    def _close(self) -> None:
        empty = WordProperties("", 0, frozenset({""}))
        self._add(self.types, empty, "")
        waiting = [empty]
        for sign, made in (
            (HEAD, WordProperties(HEAD, 0, frozenset({HEAD} & self.kept))),
            (HOLE, WordProperties(HOLE, 0, frozenset({HOLE} & self.kept))),
            (WHOLE, WordProperties(BLOCK, 1, frozenset({ONE, OTHER} & self.kept))),
        ):
            self._add(self._letters, made, sign)
        while waiting:
            one = waiting.pop(0)
            if one not in self.types[one.shape]:
                continue
            self.heed()
            # One more letter behind it, then it in the gaps of a letter.
            for letter, text in [x for row in self._letters.values() for x in row.items()]:
                waiting += self._lengthened(one, letter, text)
            if one == empty or one not in self.types[one.shape]:
                continue
            for letter, text in self._around(one):
                for shape in [*self.types]:
                    for before in [*self.types[shape]]:
                        waiting += self._lengthened(before, letter, text)

    def _around(self, one: WordProperties) -> list[tuple[WordProperties, str]]:
        """Return new letters with a word in a gap."""
        found = []
        for count in range(1, self.gaps + 1):
            for place in range(count):
                others = [x for row in self.types.values() for x in row if x.shape]
                for chosen in itertools.product(others, repeat=count - 1):
                    row = [*chosen[:place], one, *chosen[place:]]
                    made = self._child(row)
                    text = f"<{'|'.join(self.types[x.shape][x] for x in row)}>"
                    if made is not None and self._add(self._letters, made, text):
                        found.append((made, text))
        return found

    def _lengthened(self, one: WordProperties, letter: WordProperties, text: str) -> list[WordProperties]:
        word = self.types[one.shape].get(one)
        made = None if word is None else self._joined(one, letter)
        assert word is not None or made is None
        return [made] if made is not None and self._add(self.types, made, (word or "") + text) else []

    @staticmethod
    def _add(rows: dict[str, dict[WordProperties, str]], made: WordProperties, word: str) -> bool:
        """Add a type unless another one covers it; those that it covers are left out."""
        row = rows.setdefault(made.shape, {})
        if any(x.covers(made) for x in row):
            return False
        for old in [x for x in row if made.covers(x)]:
            del row[old]
        row[made] = word
        return True

    def _joined(self, one: WordProperties, other: WordProperties) -> WordProperties | None:
        shape = self._shape(one.shape + other.shape)
        if shape is None:
            return None
        splits = frozenset(merged(x + y) for x in one.splits for y in other.splits) & self.kept
        return WordProperties(shape, min(SEVERAL, one.dependents + other.dependents), splits)

    def _shape(self, text: str) -> str | None:
        shape = merged(text)
        return shape if HOLE * 2 not in text and text.count(HEAD) < 2 and shape in self.shapes else None

    def _child(self, row: Sequence[WordProperties]) -> WordProperties | None:
        shape = self._shape(BLOCK.join(["", *(x.shape for x in row), ""]))
        if shape is None:
            return None
        splits = frozenset(
            merged(x.join(["", *chosen, ""]))
            for x in (ONE, OTHER)
            for chosen in itertools.product(*(inside.splits for inside in row))
        )
        dependents = min(SEVERAL, 1 + sum(x.dependents for x in row))
        return WordProperties(shape, dependents, splits & self.kept)
