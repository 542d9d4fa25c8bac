"""The type that a term has by itself, before anything is asked of it."""

from __future__ import annotations

from schemata.language import model as m
from schemata.language import syntax as s
from schemata.language.scope import Scope

__all__ = ["CONSTANT_TYPES", "infer"]

CONSTANT_TYPES = {"number": m.POSITION, "flag": m.FLAG, "symbol": m.SYMBOL}
"""The types of the kinds of constants; an absent value is of no type of its own."""


def infer(term: s.Term, scope: Scope) -> m.Type | None:
    """Return the type that a term has whatever is expected of it, or None where that is open."""
    match term:
        case s.Name(name) | s.Star(name):
            return None if name in scope.wrong else scope.type_of(name)
        case s.Constant(_, kind):
            return CONSTANT_TYPES.get(kind)
        case s.Sum() | s.Length():
            return m.POSITION
        case s.Not() | s.Junction() | s.Comparison() | s.Membership() | s.StateTest() | s.Matches():
            return m.FLAG
        case s.Dotted(s.Name("reverse"), ((_,),)):
            return m.LABELS
        case s.Sequence(parts):
            return m.LABELS if len(parts) == 1 else m.DOTTED_LABELS
    return None
