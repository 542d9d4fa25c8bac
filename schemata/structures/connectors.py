"""Connectors of Link Grammar: their texts, the test whether two match, and the labels of links.

A connector is an upper-case name with a subscript, as in ``Ss*b``, and a direction: ``+`` links to the right,
``-`` to the left. ``@`` before it makes it a multi-connector, which links one word or several. A prefix ``h``
or ``d`` marks the head or the dependent of a link.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from schemata.quick_dataclasses import Record, field
from schemata.structures.graphs import grouped

_WILDCARD = "*"
_TEXT = re.compile(r"(@?)([hd]?)([A-Z][A-Z_]*)([a-z0-9*]*)([+-])")
_UPPER = re.compile(r"[A-Z_]*")


class Connector(Record, order=True):
    """A connector as a dictionary writes it.

    Parameters
    ----------
    name : the upper-case part and the subscript, without prefix.
    right : whether it links to the right.
    multi : whether it may link several words, one after the other.
    head : ``"h"`` or ``"d"`` for the head or the dependent of its links, or empty.

    >>> str(Connector("Ss*", right=True, multi=True, head="h"))
    '@hSs*+'
    """

    name: str
    right: bool
    multi: bool = False
    head: str = ""

    @property
    def base(self) -> str:
        """The upper-case part of the name."""
        return _base(self.name)

    @property
    def subscript(self) -> str:
        """The rest of the name after its upper-case part."""
        return self.name[len(self.base) :]

    def __str__(self) -> str:
        return f"{'@' * self.multi}{self.head}{self.name}{'+' if self.right else '-'}"


Reach = Callable[[Connector], int | None]
"""The distance over which a connector may link two words, None for any: some dictionaries set limits."""


def read_connector(text: str) -> Connector:
    """Return the connector that a dictionary writes so.

    Raises
    ------
    ValueError : the text is no connector; the message says why.

    >>> read_connector("@hSs*+")
    Connector(name='Ss*', right=True, multi=True, head='h')
    """
    found = _TEXT.fullmatch(text)
    if found is None:
        raise ValueError(_reason(text))
    multi, head, base, subscript, direction = found.groups()
    return Connector(base + subscript, direction == "+", bool(multi), head)


def connectors_match(one: Connector, other: Connector) -> bool:
    """Tell whether two connectors match; the caller pairs one to the right with one to the left.

    Their upper-case parts are equal, and their subscripts agree in each position that both have, where ``*``
    agrees with everything. Two heads or two dependents do not match.

    References
    ----------
    Sleator & Temperley 1991, section 2; the prefixes are those of the dictionaries in use today.

    >>> connectors_match(read_connector("Ss*b+"), read_connector("S-"))
    True
    >>> connectors_match(read_connector("Ss+"), read_connector("Sp-"))
    False
    >>> connectors_match(read_connector("hS+"), read_connector("hS-"))
    False
    """
    return not (one.head and one.head == other.head) and _covers(one, other)


def matching_connectors(connectors: Iterable[Connector]) -> dict[Connector, list[Connector]]:
    """Return for each of some connectors those in the other direction that match it.

    >>> s, left = read_connector("S+"), read_connector("Ss-")
    >>> matching_connectors([s, left, read_connector("O-")])[s] == [left]
    True
    """
    known = dict.fromkeys(connectors)
    by_base = grouped(((one.base, one.right), one) for one in known)
    return {
        one: [other for other in by_base.get((one.base, not one.right), ()) if connectors_match(one, other)]
        for one in known
    }


def common_label(one: Connector, other: Connector) -> str:
    """Return the label of a link between two connectors: what they have in common.

    This is the upper-case part, in each position of the subscripts the more specific character, and the tail
    of the longer one.

    Raises
    ------
    ValueError : the connectors do not match.

    >>> common_label(read_connector("S*b+"), read_connector("Ss-"))
    'Ssb'
    """
    if not connectors_match(one, other):
        raise ValueError(f"{one} and {other} do not match")
    shorter, longer = sorted((one.name, other.name), key=len)
    shared = (b if a == _WILDCARD else a for a, b in zip(shorter, longer, strict=False))
    return "".join(shared) + longer[len(shorter) :]


# How far links may reach ----------------------------------------------------------------------------------------

ANYWHERE = 1 << 30
"""A distance that no sentence is as long as."""

_SHORT = 16


class LengthLimits(Record):
    """The limits of connectors.

    Parameters
    ----------
    limited : connectors and how far they reach; a connector with the same upper-case part has the limit of the first
        of these whose subscript matches its own.
    unlimited : connectors without limit, or None if the dictionary does not list them.
    """

    limited: tuple[tuple[Connector, int], ...] = ()
    unlimited: tuple[Connector, ...] | None = None
    _known: dict[Connector, int | None] = field(
        init=False, default_factory=dict, repr=False, compare=False
    )  # connectors asked about

    def reach(self, connector: Connector) -> int | None:
        """Return how many positions apart a link of this connector may join words; None if there is no limit."""
        if connector not in self._known:
            reach = None if self.unlimited is None else _SHORT
            if any(_covers(pattern, connector) for pattern in self.unlimited or ()):
                reach = None
            limits = (limit for pattern, limit in self.limited if _covers(pattern, connector))
            self._known[connector] = next(limits, reach)
        return self._known[connector]

    def distance(self, connector: Connector) -> int:
        """Return how far a connector reaches, `ANYWHERE` where there is no limit."""
        reach = self.reach(connector)
        return ANYWHERE if reach is None else reach


NO_LIMITS = LengthLimits()
"""The limits of a dictionary that sets none."""


def _covers(pattern: Connector, connector: Connector) -> bool:
    """Tell whether a listed connector stands for another: as connectors match, but for heads and dependents.

    For listed connectors without wildcard this is what link-parser does, by trial; with one it does something
    else, which is no matching (see `wildcard_warnings` of dictionaries).
    """
    if pattern.base != connector.base:
        return False
    # Subscripts may differ in length: the shorter one agrees with any tail.
    pairs = zip(pattern.subscript, connector.subscript, strict=False)
    return all(a == b or _WILDCARD in (a, b) for a, b in pairs)


@lru_cache(maxsize=65_536)  # dictionaries have some hundreds of names, which are compared millions of times
def _base(name: str) -> str:
    found = _UPPER.match(name)
    return found.group() if found else ""


def _reason(text: str) -> str:
    if not text.endswith(("+", "-")):
        return f"a connector ends in + or -, not like {text!r}"
    rest = text[:-1].removeprefix("@")
    rest = rest[rest[:1] in ("h", "d") :]
    if not ("A" <= rest[:1] <= "Z"):
        return f"the name of a connector begins with an upper-case letter, not like {text!r}"
    return f"after its capitals a connector has only lower-case letters, digits and *, not like {text!r}"
