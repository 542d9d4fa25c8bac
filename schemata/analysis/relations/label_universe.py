"""A dictionary of everything for Link Grammar schemata: every word has every small disjunct, and all connectors match.

What a step needs of a dictionary are the disjuncts its items speak of, and that the connectors it joins match.
Which items make sense, a form of Link Grammar does not say: the parts of a disjunct have to fit together. So the
items of a schema are those that it derives with this dictionary.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from schemata.analysis.relations.universe import Facts, Universe
from schemata.grammars.link_grammar.dictionary import NO_LIMITS, LengthLimits
from schemata.grammars.link_grammar.sequences import sequences_of
from schemata.language import model as m
from schemata.structures.connectors import Connector, read_connector
from schemata.structures.linkages import Disjunct

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["disjuncts_named", "label_universe", "links_of_codes"]

Pairs = tuple[tuple[int, int], ...]
_REVERSED = " reversed"


@dataclass(frozen=True, eq=False)
class _Everything:
    """The words w_0, ..., w_n, each with all disjuncts that its place allows."""

    words: tuple[str, ...]
    disjuncts: tuple[tuple[Disjunct, ...], ...]
    limits: LengthLimits = NO_LIMITS

    @property
    def last(self) -> int:
        """The position of the last word."""
        return len(self.words) - 1


@lru_cache(maxsize=16)
def label_universe(n: int, connectors: int) -> Universe:
    """Return the dictionary for w_0, ..., w_n with all disjuncts of at most so many connectors, at least one.

    >>> [len(offered) for offered in label_universe(2, 1).grammar.disjuncts]
    [2, 4, 2]
    """
    words = tuple(f"w{i}" for i in range(n + 1))
    grammar = _Everything(
        words, tuple(tuple(_disjuncts(word, i, n, connectors)) for i, word in enumerate(words))
    )
    return Universe(n, "link-grammar", grammar, ())


def _disjuncts(word: str, position: int, last: int, most: int) -> Iterator[Disjunct]:
    """Yield the disjuncts of a word: those without neighbours on one side ask for none there."""
    for total in range(1, most + 1):
        for right in range(total + 1):
            left = total - right
            if (right and position == last) or (left and position == 0):
                continue
            for sides in itertools.product(_sides("-", left), _sides("+", right)):
                yield Disjunct(word, *sides)


def _sides(direction: str, count: int) -> list[tuple[Connector, ...]]:
    """Return the sequences of so many connectors, each a plain one or a multi-connector."""
    kinds = (read_connector(f"A{direction}"), read_connector(f"@A{direction}"))
    return list(itertools.product(kinds, repeat=count))


def disjuncts_named(form: m.Form, values: Sequence[m.Value]) -> Facts:
    """Return the disjuncts that the sequences of an item are parts of."""
    found = set()
    for field, value in zip(form.fields, values, strict=True):
        if field.type.kind in ("labels", "dotted labels") and isinstance(value, str):
            origin = value.rpartition(": ")[0].removesuffix(_REVERSED)
            if origin:
                found.add(("disjunct", origin))
    return frozenset(found)


def links_of_codes(universe: Universe, pairs: Iterable[tuple[int, int]]) -> tuple[Pairs, Facts]:
    """Return links between connectors as links between words, and that the connectors match as facts."""
    sequences = sequences_of(universe.grammar)
    links: list[tuple[int, int]] = []
    facts = set()
    for pair in pairs:
        one, two = (sequences.occurrences[code] for code in pair)
        links.append((one.position, two.position))
        facts.add(("match", one.position, one.disjunct, one.place, two.position, two.disjunct, two.place))
    return tuple(links), frozenset(facts)
