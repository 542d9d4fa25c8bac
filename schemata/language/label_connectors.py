"""Labels as connectors of Link Grammar: which match, which are multi-connectors and let a dot stay."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from schemata.language.labels import after, first, moved, token

if TYPE_CHECKING:
    from schemata.structures.connectors import Connector

__all__ = ["connector_of", "is_multi", "labels_match", "outcomes"]

_CACHE = 1 << 16  # a sentence has some thousands of different labels


@lru_cache(_CACHE)
def _connector(text: str) -> Connector:
    from schemata.structures.connectors import read_connector

    return read_connector(text)


def connector_of(label: str) -> Connector:
    """Return the connector that a single label is.

    Raises
    ------
    ValueError : the label is no connector.
    """
    return _connector(token(label))


def is_multi(label: str) -> bool:
    """Whether a label is a multi-connector.

    >>> is_multi("cat#1: @A-")
    True
    """
    try:
        return connector_of(label).multi
    except ValueError:
        return False


def labels_match(one: str, two: str) -> bool:
    """Whether two labels are connectors that match, one to the right and one to the left.

    >>> labels_match("the#1: D+", "cat#1: D-"), labels_match("the#1: D+", "a#1: D+")
    (True, False)
    """
    from schemata.structures.connectors import connectors_match

    try:
        a, b = connector_of(one), connector_of(two)
    except ValueError:
        return False
    return a.right != b.right and connectors_match(a, b)


def outcomes(value: str) -> tuple[str, ...]:
    """Return what a sequence with a dot may become when the label after the dot is linked.

    The dot moves over the label; if that is a multi-connector, the dot may also stay.

    >>> outcomes("cat#1: . D-"), outcomes("cat#1: . @A-")
    (('cat#1: D- .',), ('cat#1: @A- .', 'cat#1: . @A-'))
    """
    one = moved(value)
    return (one, value) if is_multi(first(after(value))) else (one,)
