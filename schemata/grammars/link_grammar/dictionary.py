"""A dictionary as read: entries by word, the definitions beside them, and how far links may reach.

Some dictionaries put limits on connectors. The entry ``LENGTH-LIMIT-1`` lists connectors whose links join
neighbours only. ``UNLIMITED-CONNECTORS`` lists those without any limit; where a dictionary has this entry, all
others reach 16 words, which is link-parser's default.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from schemata.errors import Diagnostic
from schemata.grammars.link_grammar.expressions import Expression, connectors_of
from schemata.grammars.link_grammar.files import IDIOM, full_name
from schemata.structures.connectors import Connector, connectors_match

DEFAULT_CUTOFF = 2.7
"""The cost cut-off of a dictionary that names none, as in link-parser."""


class Entry(NamedTuple):
    """One entry of a word: its subscript, without the point, and its expression."""

    subscript: str
    expression: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Dictionary:
    """The entries of a dictionary.

    Parameters
    ----------
    entries : the entries of each word, by the word without its subscript. Parts of idioms have the
        subscript ``I``.
    definitions : what ``#define`` lines say.
    warnings : what in it is probably not meant.
    """

    entries: Mapping[str, tuple[Entry, ...]]
    definitions: Mapping[str, str]
    warnings: tuple[Diagnostic, ...] = ()

    def __contains__(self, word: object) -> bool:
        return word in self.entries

    def of(self, word: str) -> Iterator[tuple[str, Expression]]:
        """Yield the entries of a word: its name with the subscript, and the expression."""
        for subscript, expression in self.entries.get(word, ()):
            yield full_name(word, subscript), expression

    def expression(self, word: str, subscript: str = "") -> Expression | None:
        """Return the expression of a word with exactly this subscript, or None."""
        for entry in self.entries.get(word, ()):
            if entry.subscript == subscript and subscript != IDIOM:
                return entry.expression
        return None

    @property
    def cutoff(self) -> float:
        """The cost cut-off that the dictionary asks for."""
        try:
            return float(self.definitions.get("max-disjunct-cost", DEFAULT_CUTOFF))
        except ValueError:
            return DEFAULT_CUTOFF


ANYWHERE = 1 << 30
"""A distance that no sentence is as long as."""

_SHORT = 16
_LIMITED = re.compile(r"LENGTH-LIMIT-(\d{1,4})")
_UNLIMITED = "UNLIMITED-CONNECTORS"


@dataclass(frozen=True, slots=True)
class LengthLimits:
    """The limits of connectors.

    Parameters
    ----------
    limited : connectors and how far they reach; a connector with the same upper-case part has the limit of the first
        of these whose subscript matches its own.
    unlimited : connectors without limit, or None if the dictionary does not list them.
    """

    limited: tuple[tuple[Connector, int], ...] = ()
    unlimited: tuple[Connector, ...] | None = None

    def reach(self, connector: Connector) -> int | None:
        """Return how many positions apart a link of this connector may join words; None if there is no limit."""
        for pattern, limit in self.limited:
            if _covers(pattern, connector):
                return limit
        if self.unlimited is None or any(_covers(pattern, connector) for pattern in self.unlimited):
            return None
        return _SHORT

    def reaches(self, connectors: Iterable[Connector]) -> dict[Connector, int]:
        """Return how far each of some connectors reaches, `ANYWHERE` where there is no limit."""
        reaches = {connector: self.reach(connector) for connector in dict.fromkeys(connectors)}
        return {c: ANYWHERE if reach is None else reach for c, reach in reaches.items()}

    def allow(self, left: int, one: Connector, right: int, other: Connector) -> bool:
        """Whether a right connector of word `left` and a left one of word `right` match and reach so far."""
        if not connectors_match(one, other):
            return False
        return all((r := self.reach(c)) is None or right - left <= r for c in (one, other))


NO_LIMITS = LengthLimits()
"""The limits of a dictionary that sets none."""


def length_limits(dictionary: Dictionary) -> LengthLimits:
    """Return the limits that the entries of a dictionary set."""
    limited: list[tuple[Connector, int]] = []
    unlimited: tuple[Connector, ...] | None = None
    for word in dictionary.entries:
        number = _LIMITED.fullmatch(word)
        if number:
            limited += [(c, int(number[1])) for c in _listed(dictionary, word)]
        elif word == _UNLIMITED:
            unlimited = tuple(_listed(dictionary, word))
    return LengthLimits(tuple(limited), unlimited)


def wildcard_warnings(limits: LengthLimits) -> tuple[Diagnostic, ...]:
    """Return a warning for each limit of a connector with a wildcard: link-parser does not go by what it matches."""
    listed = [connector for connector, _ in limits.limited] + [*(limits.unlimited or ())]
    return tuple(
        Diagnostic(
            "limit-with-wildcard",
            f"the limit of {connector} has a wildcard: link-parser may apply it to other connectors",
            hint="list each connector without *",
            severity="warning",
        )
        for connector in dict.fromkeys(listed)
        if "*" in connector.subscript
    )


def _listed(dictionary: Dictionary, word: str) -> Iterable[Connector]:
    return sorted(connectors_of(expression for _, expression in dictionary.of(word)))


def _covers(pattern: Connector, connector: Connector) -> bool:
    """Whether a listed connector stands for another: as connectors match, up to the shorter subscript.

    For listed connectors without wildcard this is what link-parser does, by trial; with one it does something
    else, which is no matching (see `wildcard_warnings`).
    """
    return pattern.base == connector.base and all(
        one == other or "*" in (one, other)
        for one, other in zip(pattern.subscript, connector.subscript, strict=False)
    )
