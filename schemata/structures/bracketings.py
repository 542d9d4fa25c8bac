"""Bracketings: which words stand together, whatever constituents are called; their classes by name.

A bracketing has the sets of two words and more that are all words of a constituent: constituents over the same words,
and empty ones, are not distinguished. Schemata over facts are compared with classes of bracketings, since the meaning
of categories depends on their grammars alone. A class is a name, or several joined by +:

==============  ==================================================
continuous      each constituent is a stretch of words
well-nested     of two constituents that share no word, neither stands on both sides of a part of the other
binary          each constituent of several words has two parts
fan-out-K       each constituent has at most K stretches
all             every bracketing
==============  ==================================================
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import product

from schemata.errors import UsageError, did_you_mean
from schemata.records import Record
from schemata.structures.constituents import Constituent, ConstituentTree
from schemata.structures.projections import gap_count, interleave, intervals, members

_FAN_OUT = re.compile(r"fan-out-([1-9][0-9]{0,3})")


class Bracketing(Record, order=True):
    """The sets of words of the constituents over n words, as bits: word k has bit k.

    >>> print(Bracketing.of(4, [(1, 2, 3, 4), (2, 4)]))
    {1 2 3 4} {2 4}
    """

    n: int
    masks: tuple[int, ...]

    @classmethod
    def of(cls, n: int, sets: Iterable[Iterable[int]]) -> Bracketing:
        """Return the bracketing of sets of words."""
        return cls.of_masks(n, (sum(1 << word for word in one) for one in sets))

    @classmethod
    def of_masks(cls, n: int, masks: Iterable[int]) -> Bracketing:
        """Return the bracketing of sets as bits; those of fewer than two words are left out."""
        kept = {mask for mask in masks if mask.bit_count() > 1}
        return cls(n, tuple(sorted(kept, key=lambda mask: (-mask.bit_count(), members(mask)))))

    def __str__(self) -> str:
        return " ".join("{" + " ".join(map(str, members(mask))) + "}" for mask in self.masks) or "{}"

    def to_json(self) -> list[list[int]]:
        """Return the sets as lists."""
        return [list(members(mask)) for mask in self.masks]

    @property
    def fault(self) -> str | None:
        """Why the sets are not those of a tree over all words; None if they are."""
        if self.n > 1 and (2 << self.n) - 2 not in self.masks:
            return "no constituent has all words"
        for k, one in enumerate(self.masks):
            for other in self.masks[k + 1 :]:
                if one & other not in (0, other):
                    return f"{Bracketing(self.n, (one, other))} overlap"
        return None

    def parts(self, mask: int) -> list[int]:
        """Return the parts right below a set: sets and single words."""
        below = [one for one in self.masks if one != mask and not one & ~mask]
        outer = [one for one in below if not any(one != more and not one & ~more for more in below)]
        alone = mask & ~sum(outer)
        return sorted([*outer, *(1 << word for word in members(alone))], key=members)

    @property
    def tree(self) -> ConstituentTree:
        """The tree, of constituents without names."""

        def node(mask: int) -> Constituent:
            return Constituent("", intervals(mask), tuple(map(node, self._inner(mask))))

        words = tuple(f"w{k}" for k in range(1, self.n + 1))
        tops = [one for one in self.masks if not any(one != more and not one & ~more for more in self.masks)]
        return ConstituentTree(tuple(map(node, sorted(tops, key=members))), words)

    def _inner(self, mask: int) -> list[int]:
        return [part for part in self.parts(mask) if part.bit_count() > 1]


# Classes -------------------------------------------------------------------------------------------------------------


def _is_binary(one: Bracketing) -> bool:
    return len(one.masks) == max(one.n - 1, 0)  # sets of a tree over n words: fewer if one has three parts


def _is_well_nested(one: Bracketing) -> bool:
    pairs = ((a, b) for k, a in enumerate(one.masks) for b in one.masks[k + 1 :])
    return not any(interleave(a, b) for a, b in pairs if not a & b)


def fan_out(one: Bracketing) -> int:
    """Return the most stretches of words that a constituent has."""
    return 1 + max(map(gap_count, one.masks), default=0)


PROPERTIES: Mapping[str, Callable[[Bracketing], bool]] = {
    "continuous": lambda one: fan_out(one) == 1,
    "well-nested": _is_well_nested,
    "binary": _is_binary,
}
"""The properties that name classes, but for those with a number."""


class BracketingClass(Record):
    """A class of bracketings, made by `bracketing_class`: all that have some properties."""

    properties: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name that `bracketing_class` takes."""
        return "+".join(self.properties) or "all"

    def missing(self, one: Bracketing) -> str | None:
        """Return a property that a bracketing lacks; None if it is of the class."""
        for name in self.properties:
            number = _FAN_OUT.fullmatch(name)
            holds = fan_out(one) <= int(number[1]) if number else PROPERTIES[name](one)
            if not holds:
                return name if number is None else f"of fan-out {number[1]}"
        return None

    def contains(self, one: Bracketing) -> bool:
        """Whether a bracketing is of the class."""
        return self.missing(one) is None

    def bracketings(self, n: int) -> tuple[Bracketing, ...]:
        """Return all of n words, in order."""
        return tuple(filter(self.contains, all_bracketings(n)))


def bracketing_class(name: str) -> BracketingClass:
    """Return the class of a name, such as `binary` or `binary+fan-out-2`.

    Raises
    ------
    UsageError : there is no such class.

    >>> [len(bracketing_class(name).bracketings(4)) for name in ("all", "binary", "continuous", "binary+continuous")]
    [26, 15, 11, 5]
    """
    names = [] if name == "all" else name.split("+")
    for one in names:
        if one not in PROPERTIES and not _FAN_OUT.fullmatch(one):
            raise UsageError(
                f"bracketings have no class {name!r}",
                code="unknown-class",
                expected=f"all, or some of {', '.join(PROPERTIES)}, fan-out-K joined by +, with a number for K",
                hint=did_you_mean(one, [*PROPERTIES, "fan-out-2", "all"]),
            )
    return BracketingClass(tuple(dict.fromkeys(names)))


def classes_around(found: Iterable[Bracketing], n: int) -> tuple[tuple[str, ...], str]:
    """Return the greatest classes all of whose bracketings are among some, and the smallest one that has all of these.

    Classes that are the same so far are named by their fewest properties.

    Parameters
    ----------
    found : bracketings of 1 to n words.

    >>> one = bracketing_class("continuous+binary")
    >>> classes_around([x for length in (1, 2, 3) for x in one.bracketings(length)], 3)
    (('continuous+binary',), 'continuous+binary')
    """
    every = frozenset(found)
    spans = ("", *(f"fan-out-{k}" for k in range(2, (n + 1) // 2)), "continuous")
    named: dict[frozenset[Bracketing], str] = {}
    for names in sorted(product(spans, ("", "well-nested"), ("", "binary")), key=lambda x: 3 - x.count("")):
        one = BracketingClass(tuple(filter(None, names)))
        members = frozenset(x for length in range(1, n + 1) for x in one.bracketings(length))
        named.setdefault(members, one.name)
    inside = [members for members in named if members <= every]
    lower = tuple(named[x] for x in inside if not any(x < other for other in inside))
    return lower, named[min((members for members in named if members >= every), key=len)]


def class_of(found: Iterable[Bracketing]) -> BracketingClass:
    """Return the smallest class without numbers that all of some bracketings belong to.

    >>> class_of(bracketing_class("continuous+binary").bracketings(3)).name
    'continuous+binary'
    """
    every = list(found)
    common = [name for name, test in PROPERTIES.items() if all(map(test, every))]
    if "continuous" in common:
        common.remove("well-nested")
    return BracketingClass(tuple(common))


@lru_cache(maxsize=8)
def all_bracketings(n: int) -> tuple[Bracketing, ...]:
    """Return all bracketings of n words that are those of a tree, in order."""
    return tuple(sorted(Bracketing.of_masks(n, masks) for masks in _trees((2 << n) - 2)))


def _trees(mask: int) -> Iterator[tuple[int, ...]]:
    """Yield the sets of each tree over a set of words."""
    if mask.bit_count() < 2:
        yield ()
        return
    for blocks in _blocks(mask):
        rows: list[tuple[int, ...]] = [(mask,)]
        for block in blocks if len(blocks) > 1 else ():
            rows = [(*row, *below) for row in rows for below in _trees(block)]
        yield from rows if len(blocks) > 1 else ()


def _blocks(mask: int) -> Iterator[tuple[int, ...]]:
    """Yield the ways of dividing a set into blocks; the first block has the first word."""
    if not mask:
        yield ()
        return
    first = mask & -mask
    rest = chosen = mask ^ first
    while True:
        for blocks in _blocks(rest ^ chosen):
            yield (first | chosen, *blocks)
        if not chosen:
            return
        chosen = (chosen - 1) & rest
