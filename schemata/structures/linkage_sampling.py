"""Random linkages and random disjuncts for the words of a sentence, the same for the same seed.

Disjuncts drawn at random hardly ever fit together. A linkage is therefore drawn first, and its disjuncts are
mixed with variants of themselves and of each other: most sentences then have several linkages, some of them
with cycles, and some have none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from random import Random
from string import ascii_lowercase

from schemata.errors import UsageError
from schemata.structures.connectors import Connector
from schemata.structures.linkages import Disjunct, Linkage, labelled_link
from schemata.structures.sampling import random_projective_tree

__all__ = ["random_disjuncts", "random_linkage"]

_BASES = ("A", "B")
# Two subscripts for the ends of a link, which agree; the same letters come back so that other ends agree too.
_SUBSCRIPTS = (("", ""), ("", ""), ("", "a"), ("a", "a"), ("*b", "a"), ("b", "b*"), ("*", "ab"), ("b", ""))
_HEADS = (("", ""), ("", ""), ("", ""), ("", ""), ("h", "d"), ("d", "h"), ("h", ""), ("", "d"))
_COSTS = (0.0, 0.0, 0.0, 0.5, 1.0, 1.7)


def random_linkage(n: int, seed: int | Random) -> Linkage:
    """Return a random linkage of n words; more than half of those of three words or more have cycles.

    Parameters
    ----------
    n : the number of words.
    seed : a number, which fixes the linkage, or a generator to draw from.

    Raises
    ------
    UsageError : n < 1.

    >>> from schemata.structures.linkage_checks import is_linkage
    >>> is_linkage(random_linkage(8, 1))
    True
    """
    rng = seed if isinstance(seed, Random) else Random(seed)
    pairs = _planar_pairs(_positive(n), rng)
    ends = [_matching_ends(rng) for _ in pairs]
    rights: list[list[Connector]] = [[] for _ in range(n)]
    lefts: list[list[Connector]] = [[] for _ in range(n)]
    uses: list[list[int]] = [[-1, -1] for _ in pairs]
    order = sorted(range(len(pairs)), key=lambda k: pairs[k][1] - pairs[k][0])
    # From short links to long ones, a word's connectors come up nearest first.
    for k in order:
        for side, connectors in ((0, rights[pairs[k][0]]), (1, lefts[pairs[k][1]])):
            connector = ends[k][side]
            if connectors and connectors[-1].name[0] == connector.name[0] and rng.random() < 0.6:
                # What links several words agrees with all of them.
                connectors[-1] = Connector(connector.name[0], connector.right, multi=True)
            else:
                connectors.append(replace(connector, multi=rng.random() < 0.1))
            uses[k][side] = len(connectors) - 1
    words = tuple(map(_name, range(n)))
    disjuncts = [
        Disjunct(word, tuple(left), tuple(right), rng.choice(_COSTS))
        for word, left, right in zip(words, lefts, rights, strict=True)
    ]
    links = [
        labelled_link(disjuncts, left, right, (one, other))
        for (left, right), (one, other) in zip(pairs, uses, strict=True)
    ]
    return Linkage(words, disjuncts, links)


def random_disjuncts(
    n: int, seed: int | Random, *, variants: int = 2
) -> tuple[tuple[str, ...], tuple[tuple[Disjunct, ...], ...]]:
    """Return n words and random disjuncts to choose from for each; most such sentences have linkages.

    There are multi-connectors, subscripts, heads and dependents, costs, and words with several dictionary
    words, some of which share a disjunct.

    Parameters
    ----------
    n : the number of words.
    seed : a number, which fixes the result, or a generator to draw from.
    variants : how many disjuncts a word has at most besides the one it has in a random linkage.

    Raises
    ------
    UsageError : n < 1, or variants < 0.

    >>> words, disjuncts = random_disjuncts(3, 1)
    >>> words, len(disjuncts)
    (('a', 'b', 'c'), 3)
    """
    if variants < 0:
        raise UsageError(f"a word has no or more variants, not {variants}")
    rng = seed if isinstance(seed, Random) else Random(seed)
    planted = random_linkage(n, rng)
    found: list[tuple[Disjunct, ...]] = []
    for word, own in zip(planted.words, planted.disjuncts, strict=True):
        chosen = [own] if rng.random() < 0.95 else []
        for _ in range(rng.randint(0 if chosen else 1, max(variants, 0 if chosen else 1))):
            model = own if rng.random() < 0.5 else rng.choice(planted.disjuncts)
            variant = _varied(model, rng)
            subscript = rng.choice(("", "", ".n", ".v"))
            chosen.append(replace(variant, word=word + subscript, cost=rng.choice(_COSTS)))
        found.append(_merged(chosen, rng))
    return planted.words, tuple(found)


def _planar_pairs(n: int, rng: Random) -> list[tuple[int, int]]:
    """Return links that connect n words without crossing: those of a projective tree and some more."""
    tree = random_projective_tree(n, rng)
    pairs = [(min(d, h) - 1, max(d, h) - 1) for d, h in tree.links if h]
    more = rng.choice((0, 0, 1, 1, 3)) if n > 2 else 0
    others = [pair for pair in combinations(range(n), 2) if pair not in set(pairs)]
    rng.shuffle(others)
    for pair in others:
        if more and not any(_cross(pair, other) for other in pairs):
            pairs.append(pair)
            more -= 1
    return pairs


def _cross(one: tuple[int, int], other: tuple[int, int]) -> bool:
    first, second = sorted((one, other))
    return first[0] < second[0] < first[1] < second[1]


def _matching_ends(rng: Random) -> tuple[Connector, Connector]:
    base = rng.choice(_BASES)
    one, other = rng.choice(_SUBSCRIPTS)
    head, dependent = rng.choice(_HEADS)
    return Connector(base + one, True, head=head), Connector(base + other, False, head=dependent)


def _varied(disjunct: Disjunct, rng: Random) -> Disjunct:
    """Return the disjunct with one connector dropped, added, renamed, moved or multiplied, or as it is."""
    right = rng.random() < 0.5
    connectors = list(disjunct.right if right else disjunct.left)
    change = rng.choice(("drop", "add", "rename", "swap", "multi", "keep"))
    if change == "add" or not connectors:
        connectors.insert(rng.randint(0, len(connectors)), _matching_ends(rng)[0 if right else 1])
    else:
        at = rng.randrange(len(connectors))
        if change == "drop":
            del connectors[at]
        elif change == "rename":
            connectors[at] = _matching_ends(rng)[0 if right else 1]
        elif change == "swap":
            connectors[at], connectors[0] = connectors[0], connectors[at]
        elif change == "multi":
            connectors[at] = replace(connectors[at], multi=not connectors[at].multi)
    changed = tuple(connectors)
    return replace(disjunct, right=changed) if right else replace(disjunct, left=changed)


def _merged(disjuncts: Sequence[Disjunct], rng: Random) -> tuple[Disjunct, ...]:
    """Return the disjuncts in random order; of those that differ in cost alone, the cheapest."""
    cheapest: dict[tuple[object, ...], Disjunct] = {}
    for disjunct in sorted(disjuncts, key=lambda d: d.cost):
        cheapest.setdefault((disjunct.word, disjunct.left, disjunct.right), disjunct)
    merged = list(cheapest.values())
    rng.shuffle(merged)
    return tuple(merged)


def _name(position: int) -> str:
    return ascii_lowercase[position] if position < len(ascii_lowercase) else f"w{position}"


def _positive(n: int) -> int:
    if n < 1:
        raise UsageError(f"a linkage has at least one word, not {n}")
    return n
