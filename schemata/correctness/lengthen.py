"""Trees that a schema may miss, or derive twice: words at which a proof stopped, lengthened and set into whole trees.

That a proof stops at some words proves nothing: the type of words that no step derives may need words of a certain
length to become a tree, such as ten where a step excludes spans of nine. The solver gives positions at which a step
does not apply. Words of these lengths and of the profiles in question are put together, and others around them, until
they are a tree. A run of the schema under the tree's own grammar then decides.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from schemata.correctness.arrangements import HEAD, HOLE, letters
from schemata.correctness.certificate import Gap, NotProved, ProfiledStep
from schemata.correctness.cover import Cover
from schemata.correctness.steps import N, Woven, boundary, negated
from schemata.correctness.words import ANY, CLOSING, GAP, Algebra, Pattern, Profile, gaps_of, links_of
from schemata.program.linear import AnyOf, Linear, Provided, Test
from schemata.structures.generation import random_projective_tree
from schemata.thresholds import EFFORTS
from schemata.workbench import ParsingSchema


def missed_tree(schema: ParsingSchema, cover: Cover, gap: Gap | None, beyond: int) -> tuple[int, ...] | None:
    """Return the heads of a projective tree that a schema does not derive under its own grammar; None if none is met.

    Parameters
    ----------
    schema, cover : the schema, and the judgements about it.
    gap : the words at which the proof of completeness stopped.
    beyond : all trees of at most so many words are derived.
    """
    return next((t for t in _trees(cover, gap, beyond) if derivations(schema, t) == 0), None)


def repeated_tree(
    schema: ParsingSchema, cover: Cover, gap: Gap | None, beyond: int
) -> tuple[int, ...] | None:
    """Return the heads of a projective tree that a schema derives several times; None if none is met.

    Parameters are those of `missed_tree`; the schema has to be sound, so that all derivations are of the tree.
    """
    return next((t for t in _trees(cover, gap, beyond) if (derivations(schema, t) or 0) > 1), None)


def tree_of_arrangement(word: str) -> tuple[int, ...] | None:
    """Return the heads of a tree one of whose words has dependents in some arrangement, each block of one word.

    That word is the root, or hangs under a word in the first hole; words in other holes hang under that, too.
    None if an arrangement has no head.

    >>> tree_of_arrangement("<h>o"), tree_of_arrangement("<_>h_")
    ((2, 0, 1, 2), (4, 0, 1, 2, 2))
    """
    blocks: list[int] = []  # for each word its dependent, by number from 1; 0 for the head, -1 in a hole
    count = 0

    def place(text: str) -> None:
        nonlocal count
        for sign, insides in letters(text):
            if sign in (HEAD, HOLE):
                blocks.append(0 if sign == HEAD else -1)
                continue
            count += 1
            own = count
            blocks.append(own)
            for inside in insides:
                place(inside)
                blocks.append(own)

    place(word)
    if blocks.count(0) != 1:
        return None
    head, firsts = blocks.index(0) + 1, {block: blocks.index(block) + 1 for block in blocks}
    above = firsts.get(-1, 0)
    return tuple(
        0 if at == above else above if block < 1 else head if firsts[block] == at else firsts[block]
        for at, block in enumerate(blocks, start=1)
    )


def derivations(schema: ParsingSchema, heads: tuple[int, ...]) -> float | None:
    """Return how many derivations of a tree a schema has under the tree's own grammar; 0 where it does not build it.

    None if it is not known: an unsound schema builds other structures, too, which may be too many.
    """
    words = [f"w{k}" for k in range(1, len(heads) + 1)]
    forest = schema.run(words, f"heads:{','.join(map(str, heads))}").forest()
    trees = forest.trees(limit=EFFORTS.grammar_structures)
    if not any(tree.heads == heads for tree in trees):
        return 0 if len(trees) < EFFORTS.grammar_structures else None
    return forest.derivation_count if len(trees) == 1 < EFFORTS.grammar_structures else None


def _trees(cover: Cover, gap: Gap | None, beyond: int) -> Iterator[tuple[int, ...]]:
    """Yield trees to try, the smallest first, each once: those around a gap, then random ones of the same length."""
    builder = Builder(cover.checker.algebra)
    seen: set[tuple[int, ...]] = set()
    for n in range(1, EFFORTS.lengthened_words + 1):
        found = [] if gap is None else list(_around(cover, builder, gap, n))
        more = (
            random_projective_tree(n, seed).heads for seed in range(EFFORTS.random_trees if n > beyond else 0)
        )
        for heads in itertools.chain(found, more):
            if heads not in seen and heads.count(0) == 1:
                seen.add(heads)
                yield heads


def _around(cover: Cover, builder: Builder, gap: Gap, n: int) -> Iterator[tuple[int, ...]]:
    """Yield trees of n words around the words of a gap."""
    checker = cover.checker
    if checker.layouts[gap.kind].pending or not all(checker.layouts[gap.kind].owned):
        return
    atom = checker.generic(gap.kind)
    first, last = checker.cuts(atom)[0], checker.cuts(atom)[-1]
    length = Linear("==", N - n)
    known = [*checker.facts(atom), *checker.marked(atom, gap.element[1]), length]
    cuts = checker.cuts(atom)
    exact = [
        Linear("==", y - x - gaps_of(w))
        for (x, y), w in zip(itertools.pairwise(cuts), gap.words, strict=True)
    ]
    places = checker.questions.example([*known, *exact])
    if places is not None:
        values = _with_defaults(places, n)
        yield from builder.trees(gap.words, first.value(values), n - last.value(values))
    for way in gap.ways:
        woven, refusal = checker.woven[way.step], cover.way_refusal(0, gap.element, way)
        if woven is not None and isinstance(refusal, NotProved) and refusal.refuted is not None:
            premises, test = refusal.refuted
            for other in _opposites(test):
                places = checker.questions.example([*premises, *other, length])
                if places is not None:
                    values = _with_defaults(places, n)
                    words = _words(builder, woven, way, values)
                    if words is not None:
                        yield from builder.trees(words, first.value(values), n - last.value(values))


def _with_defaults(places: Mapping[str, int], n: int) -> Mapping[str, int]:
    values: defaultdict[str, int] = defaultdict(int, places)
    values["n"] = n
    return values


def _opposites(test: Test) -> Iterator[tuple[Test, ...]]:
    """Yield conjunctions of which one holds wherever a test does not."""
    match test:
        case Linear():
            yield (negated(test),)
        case AnyOf(options):
            yield from itertools.product(*([negated(t) for t in option] for option in options))
        case Provided():
            return


def _words(
    builder: Builder, woven: Woven, way: ProfiledStep, values: Mapping[str, int]
) -> tuple[str, ...] | None:
    """Return words of the consequent whose pieces have the lengths that given positions imply."""
    parts = []
    for (place, _, _), profile in zip(woven.order, way.values, strict=True):
        gaps = boundary(place + 1).value(values) - boundary(place).value(values)
        rows = builder.words(gaps).get(profile, []) if 0 <= gaps <= EFFORTS.lengthened_words else []
        if not rows:
            return None
        parts.append(rows[-1])
    rest = iter(parts)
    return tuple(_filled(pattern, rest) for pattern in woven.patterns)


def _filled(pattern: Pattern, words: Iterator[str]) -> str:
    return "".join(
        f"{x[0]}{_filled(x[1], words)}{CLOSING[x[0]]}"
        if isinstance(x, tuple)
        else next(words)
        if x == ANY
        else GAP
        for x in pattern
    )


class Builder:
    """Words of given lengths and profiles, and trees around words."""

    def __init__(self, algebra: Algebra) -> None:
        self.algebra = algebra
        self._words: list[dict[Profile, list[str]]] = [{"": [""]}]

    def words(self, gaps: int) -> dict[Profile, list[str]]:
        """Return a few words of a length, by profile."""
        while len(self._words) <= gaps:
            self._words.append(self._made(len(self._words)))
        return self._words[gaps]

    def _made(self, gaps: int) -> dict[Profile, list[str]]:
        found: dict[Profile, list[str]] = {}

        def add(word: str) -> None:
            profile = self.algebra.profile(word)
            row = found.setdefault(profile, []) if profile is not None else []
            if profile is not None and word not in row and len(row) < EFFORTS.profile_words:
                row.append(word)

        if gaps == 1:
            add(GAP)
        # What a bracket pair holds is at top level first, then shorter words side by side.
        for size in range(1, gaps):
            for one, other in itertools.product(self._few(size), self._few(gaps - size)):
                add(one + other)
        for word in [w for row in found.values() for w in row]:
            for sign, end in CLOSING.items():
                add(f"{sign}{word}{end}")
        return found

    def _few(self, gaps: int) -> list[str]:
        return [word for row in self.words(gaps).values() for word in (row[0], row[-1])]

    def trees(self, words: Sequence[str], left: int, right: int) -> Iterator[tuple[int, ...]]:
        """Yield trees with the words of an item in their place, with so many nodes to the left and to the right of
        them.

        The first node is 0; words that end at node n + 1 lose the gap before it.
        """
        if right == -1 and words[-1].endswith(GAP):
            words, right = (*words[:-1], words[-1][:-1]), 0
        if left < 0 or right < 0 or len(words) > 2:
            return
        starts = [("".join(words), left, right)]
        if len(words) == 2:
            one, other = words
            starts += [
                (f"({u}{one}){other}", left - k, right) for k in range(1, left + 1) for u in self._few(k)
            ]
            starts += [
                (f"{one}[{other}{u}]", left, right - k) for k in range(1, right + 1) for u in self._few(k)
            ]
        waiting = [x for x in starts if self.algebra.profile(x[0]) is not None]
        met: dict[object, int] = defaultdict(int)
        for word, before, after in waiting:  # which grows meanwhile
            profile = self.algebra.profile(word)
            if profile is None or met[profile, before, after] >= EFFORTS.profile_words:
                continue
            met[profile, before, after] += 1
            if not before and not after and profile[:2] == "01":
                yield tuple(head for _, head in links_of(word))
            if profile[:2] == "00":
                waiting += [(f"{sign}{word}{end}", before, after) for sign, end in CLOSING.items()]
            small = [u for k in (1, 2) for row in self.words(k).values() for u in row]
            waiting += [(u + word, before - gaps_of(u), after) for u in small if gaps_of(u) <= before]
            waiting += [(word + u, before, after - gaps_of(u)) for u in small if gaps_of(u) <= after]
