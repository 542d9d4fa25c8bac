"""Folds what is constant in a condition: `not (b and false)` is `true`."""

from __future__ import annotations

from schemata.language import model as m

__all__ = ["fold"]


def fold(term: m.Term) -> m.Term:
    """Return an equivalent condition in which constants are worked out."""
    match term:
        case m.Not(operand):
            inner = fold(operand)
            match inner:
                case m.Lit(bool() as value):
                    return m.Lit(not value)
                case m.Not(double):
                    return double
            return m.Not(inner)
        case m.Junction(word, operands):
            neutral = word == "and"
            kept: list[m.Term] = []
            for operand in operands:
                inner = fold(operand)
                if inner == m.Lit(not neutral):
                    return inner
                if inner != m.Lit(neutral):
                    kept.append(inner)
            if not kept:
                return m.Lit(neutral)
            return kept[0] if len(kept) == 1 else m.Junction(word, tuple(kept))
        case m.Compare(relation, m.Lit(a), m.Lit(b)):
            if relation in ("==", "!="):
                return m.Lit((a == b) == (relation == "=="))
            if isinstance(a, int) and isinstance(b, int):
                return m.Lit(a <= b if relation == "<=" else a < b)
            return m.Lit(False)
        case m.IsAbsent(m.Lit(value)):
            return m.Lit(value is None)
        case m.IsAbsent(m.Linear() | m.Length()):
            return m.Lit(False)
    return term
