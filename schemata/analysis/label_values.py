"""The values of sequences of labels under a binding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from schemata.language import labels
from schemata.language import model as m

__all__ = ["labels_value"]


def labels_value(term: m.Labels, binding: Mapping[str, m.Value]) -> str:
    """Return the value of a sequence; a dot that may stay has moved.

    Raises
    ------
    LookupError : the binding does not determine it, or its parts are not neighbours.

    >>> parts = (m.Var("x"), m.Splice("b"))
    >>> labels_value(m.Labels(parts, 1), {"x": "cat#1: D- _", "b": "cat#1: _ A-"})
    'cat#1: D- . A-'
    """
    sides = [_chain(side, binding) for side in term.sides]
    if term.dot is None:
        return sides[0]
    whole = labels.dotted(sides[0], sides[1])
    if whole is None:
        raise LookupError("sequences that are no neighbours")
    return whole


def _chain(parts: Sequence[m.Term], binding: Mapping[str, m.Value]) -> str:
    found = labels.EMPTY
    for part in parts:
        if not isinstance(part, m.Var | m.Splice):
            raise LookupError("_")
        value = binding[part.name]
        assert isinstance(value, str)
        together = labels.chain(found, value)
        if together is None:
            raise LookupError("sequences that are no neighbours")
        found = together
    return found
