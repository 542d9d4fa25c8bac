"""Resolves the conditions made of terms: comparisons, membership in regions, what is empty, absent or matches.

A condition may stand where a flag is asked for, and has terms of every type within it.
"""

from __future__ import annotations

from schemata.language import model as m
from schemata.language import syntax as s
from schemata.language.inference import infer
from schemata.language.label_terms import is_about_labels, matches
from schemata.language.value_terms import ValueTerms

__all__ = ["Terms"]

_SWAPPED = {">": "<", ">=": "<="}


class Terms(ValueTerms):
    """A scope that resolves terms, and the conditions made of terms."""

    def condition(self, term: s.Term, binding: bool = False) -> m.Term:
        """Resolve a condition made of terms; one that stands alone may bind a variable (`x == i + 1`)."""
        match term:
            case s.Junction(word, operands):
                return m.Junction(word, tuple(self.condition(o) for o in operands))
            case s.Not(operand):
                return m.Not(self.condition(operand))
            case s.Comparison():
                return self._comparison(term, binding)
            case s.Membership(element, region, negated):
                member = self._membership(element, region, binding and not negated)
                return m.Not(member) if negated else member
            case s.StateTest():
                return self._state(term)
            case s.Matches():
                return matches(self, term)
            case _:
                return self.resolve(term, m.FLAG)

    def _comparison(self, term: s.Comparison, binding: bool) -> m.Term:
        parts: list[m.Term] = []
        for left, relation, right in zip(term.operands, term.relations, term.operands[1:], strict=False):
            if relation in ("==", "!="):
                binds = binding and relation == "==" and len(term.relations) == 1
                parts.append(self._equality(relation, left, right, binds))
                continue
            low, high = self._number(left), self._number(right)
            if relation in _SWAPPED:
                low, high = high, low
            parts.append(m.Compare("<" if _SWAPPED.get(relation, relation) == "<" else "<=", low, high))
        return parts[0] if len(parts) == 1 else m.Junction("and", tuple(parts))

    def _number(self, term: s.Term) -> m.Term:
        """Resolve an operand of an order: a position, possibly an absent one."""
        return self.resolve(term, m.Type("optional", (m.POSITION,)))

    def _equality(self, relation: str, left: s.Term, right: s.Term, binding: bool) -> m.Term:
        one, two = infer(left, self), infer(right, self)
        kind = one or two
        if kind is None:
            before = len(self.problems)
            a = self.resolve(left, None)
            b = self.resolve(right, None) if len(self.problems) == before else m.Any()
            return m.Compare("==" if relation == "==" else "!=", a, b)
        wide = (
            kind
            if kind.kind in ("optional", "list") or is_about_labels(kind)
            else m.Type("optional", (kind,))
        )
        binds_left = binding and one is None and isinstance(left, s.Name | s.Star)
        binds_right = binding and two is None and isinstance(right, s.Name | s.Star)
        a = self.resolve(left, kind if binds_left else wide, binds_left)
        b = self.resolve(right, kind if binds_right else wide, binds_right)
        return m.Compare("==" if relation == "==" else "!=", a, b)

    def _taken(self, region: s.Interval | s.Name) -> m.Interval | m.Var:
        """Resolve what is taken away from a region: an interval or a list of intervals."""
        if isinstance(region, s.Interval):
            return m.Interval(self._number(region.low), self._number(region.high))
        value = self.name(region, None, binding=False)
        if isinstance(value, m.Var) and (kind := self.type_of(value.name)):
            if kind.intervals:
                return value
            self.error(region.span, "wrong-type", f"{region.id} is a {kind}", "[l..r] or a list of intervals")
        elif not isinstance(value, m.Any):
            self.error(region.span, "wrong-type", f"{region.id} is a number", "[l..r] or a list of intervals")
        return m.Interval(m.Any(), m.Any())

    def _membership(self, element: s.Term, region: s.Region, binding: bool) -> m.Term:
        where = self._region(region)
        kind_of_element = infer(element, self)
        if kind_of_element is not None and kind_of_element.intervals and isinstance(where, m.Interval):
            return m.AllWithin(self.resolve(element, kind_of_element), where)
        kind = m.POSITION
        if isinstance(where, m.Var):
            kind = self.types[where.name].arguments[0]
        elif isinstance(region, s.Name):
            self.doubt(element)
            return m.Any()
        binds = binding and isinstance(element, s.Name) and not self.knows(element.id)
        wide = kind if binds or kind.kind == "optional" else m.Type("optional", (kind,))
        return m.Member(self.resolve(element, wide, binds), where)

    def _region(self, region: s.Region) -> m.Region:
        match region:
            case s.Interval(low, high):
                return m.Interval(self._number(low), self._number(high))
            case s.Difference(left, right):
                return m.Without(self._region(left), self._taken(right))
            case s.Name(name, span):
                value = self.name(region, None, binding=False)
                if isinstance(value, m.Var) and (kind := self.type_of(value.name)):
                    if kind.kind == "list":
                        return value
                    self.error(span, "wrong-type", f"{name} is a {kind}", "[i..j] or a list variable")
                elif not isinstance(value, m.Any):
                    self.error(span, "wrong-type", f"{name} is a number", "[i..j] or a list variable")
        return m.Interval(m.Any(), m.Any())

    def _state(self, term: s.StateTest) -> m.Term:
        kind = infer(term.operand, self)
        value = self.resolve(term.operand, None)
        if isinstance(value, m.Any):
            return value
        shown = term.operand.span.text
        if term.state == "empty" and kind == m.LABELS:
            test: m.Term = m.Compare("==", value, m.Labels(()))
        elif term.state == "empty":
            if kind is None or kind.kind != "list" or not isinstance(value, m.Var):
                return self.error(
                    term.operand.span, "wrong-type", f"{shown} is no list", expected="a list variable"
                )
            test = m.Compare("==", m.Length(value.name), m.Lit(0))
        elif kind is None or kind.kind != "optional":
            return self.error(
                term.operand.span,
                "wrong-type",
                f"{shown} is never absent",
                "an optional variable",
                f"write {shown}? where it may match an absent value",
            )
        else:
            test = m.IsAbsent(value)
        return m.Not(test) if term.negated else test
