"""Connectors that nothing in the dictionary can be linked to: a misspelling, or a wall without an entry."""

from __future__ import annotations

from collections.abc import Mapping

from schemata.errors import did_you_mean
from schemata.grammars.link_grammar.dictionary import Dictionary
from schemata.grammars.link_grammar.tokens import DictionaryError, Token
from schemata.grammars.link_grammar.words import LEFT_WALL, RIGHT_WALL
from schemata.structures.connectors import Connector, connectors_match

__all__ = ["lonely_connectors"]

_LARGE = 1000  # entries; large dictionaries have connectors for words that are yet to come
_MOST = 200  # warnings of one dictionary


def lonely_connectors(dictionary: Dictionary, places: Mapping[Connector, Token]) -> list[DictionaryError]:
    """Return a warning for each connector that no other matches, in the order of their places.

    A large dictionary gets none. After some warnings the rest is left out.

    Parameters
    ----------
    dictionary : the dictionary.
    places : where each of its connectors is written first.
    """
    if len(dictionary.entries) > _LARGE:
        return []
    by_base: dict[tuple[str, bool], list[Connector]] = {}
    for connector in places:
        by_base.setdefault((connector.base, connector.right), []).append(connector)
    lonely = [
        connector
        for connector in places
        if not any(connectors_match(connector, other) for other in by_base.get(_opposite(connector), ()))
    ]
    return [
        DictionaryError(
            places[connector],
            "lonely-connector",
            f"no word has a connector to the {'left' if connector.right else 'right'} that matches {connector}",
            hint=_hint(connector, dictionary, by_base),
        )
        for connector in lonely[:_MOST]
    ]


def _opposite(connector: Connector) -> tuple[str, bool]:
    return connector.base, not connector.right


def _hint(
    connector: Connector, dictionary: Dictionary, by_base: Mapping[tuple[str, bool], list[Connector]]
) -> str | None:
    others = by_base.get(_opposite(connector))
    if others:
        return f"subscripts must agree: there is {', '.join(map(str, others[:3]))}"
    wall = {("W", False): LEFT_WALL, ("RW", True): RIGHT_WALL}.get((connector.base, connector.right))
    if wall is not None and wall not in dictionary:
        return f"is an entry of {wall} missing?"
    return did_you_mean(connector.base, (base for base, right in by_base if right != connector.right))
