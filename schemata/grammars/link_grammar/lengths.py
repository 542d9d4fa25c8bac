"""How far links may reach: the limits that some dictionaries put on connectors.

The entry ``LENGTH-LIMIT-1`` lists connectors whose links join neighbours only. ``UNLIMITED-CONNECTORS``
lists those without any limit; where a dictionary has this entry, all others reach 16 words, which is
link-parser's default.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from schemata.errors import Diagnostic
from schemata.grammars.link_grammar.dictionary import Dictionary
from schemata.grammars.link_grammar.expressions import connectors_of
from schemata.structures.connectors import Connector, connectors_match

__all__ = ["NO_LIMITS", "LengthLimits", "length_limits", "wildcard_warnings"]

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
