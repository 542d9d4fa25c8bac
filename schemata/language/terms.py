"""Resolves the terms of one rule: names to variables, parameters and constants, all with their types.

Mistakes are collected, and resolution goes on with `Any()` in place of what was wrong.
"""

from __future__ import annotations

from collections.abc import Iterable

from schemata.language import model as m
from schemata.language import syntax as s
from schemata.language.label_terms import is_about_labels, matches, reverse, sequence
from schemata.language.scope import Scope, with_article
from schemata.language.source import Span
from schemata.language.substitute import linear_of

__all__ = ["Terms", "infer"]

_SWAPPED = {">": "<", ">=": "<="}
_CONSTANTS = {"number": m.POSITION, "flag": m.FLAG, "symbol": m.SYMBOL}


class Terms(Scope):
    """A scope that resolves terms, and the conditions made of terms."""

    def resolve(self, term: s.Term, expected: m.Type | None, binding: bool = False) -> m.Term:
        """Resolve a term that must have the expected type (any type where None)."""
        match term:
            case s.Name():
                return self.name(term, expected, binding)
            case s.Wildcard(span):
                if binding:
                    return m.Any()
                return self.error(span, "wildcard", "_ has no value here", "a value", "_ only matches")
            case s.Constant():
                return self._constant(term, expected)
            case s.Sum() | s.Length():
                linear = self.linear(term, binding)
                if isinstance(linear, m.Any):
                    return linear
                return self.fits(linear, m.POSITION, expected, term.span, "the result")
            case s.Star(name, span):
                return self._star(name, span, expected, binding)
            case s.ListTerm((), _) if expected in (m.LABELS, m.Type("optional", (m.LABELS,))):
                return m.Labels(())
            case s.ListTerm(elements, span):
                return self._list(elements, span, expected, binding)
            case s.TupleTerm(terms, span):
                return self._tuple(terms, span, expected, binding)
            case s.Sequence():
                return sequence(self, term, expected, binding)
            case s.Dotted(s.Name()) if is_about_labels(expected):
                if binding:
                    return self.error(term.span, "pattern", "a pattern computes nothing", "labels")
                return reverse(self, term, expected)
            case s.Dotted():
                return self._dotted(term, expected, binding)
            case s.Run(_, span):
                return self.error(span, "run", "a run of elements stands outside a list", "a value")
            case s.Not(operand, span):
                if binding and not isinstance(operand, s.Name):
                    return self.error(span, "pattern", "a pattern computes nothing", "not and a variable")
                inner = self.resolve(operand, m.FLAG, binding)
                return self.fits(m.Not(inner), m.FLAG, expected, span, "not ...")
            case _:
                if binding:
                    return self.error(
                        term.span,
                        "pattern",
                        "a condition stands in a pattern",
                        "a variable or a value",
                        "write it as a side condition",
                    )
                return self.fits(self.condition(term), m.FLAG, expected, term.span, "a condition")

    def _constant(self, term: s.Constant, expected: m.Type | None) -> m.Term:
        if term.kind != "absent":
            shown = term.span.text if len(term.span.text) < 30 else f"this {term.kind}"
            return self.fits(m.Lit(term.value), _CONSTANTS[term.kind], expected, term.span, shown)
        if expected is None or expected.kind == "optional":
            return m.Lit(None)
        return self.error(
            term.span,
            "wrong-type",
            "- is an absent value",
            with_article(str(expected)),
            "only a field whose type ends in ? can be absent",
        )

    def _star(self, name: str, span: Span, expected: m.Type | None, binding: bool) -> m.Term:
        if expected == m.DOTTED_LABELS:
            shown = f"*{name} stands for labels without a dot"
            return self.error(span, "wrong-type", shown, "dotted labels", f". *{name}, or *{name} .")
        if expected == m.Type("optional", (m.LABELS,)):
            expected = m.LABELS
        if expected is not None and expected.kind not in ("list", "labels"):
            return self.error(
                span, "wrong-type", f"*{name} stands for elements of a list", with_article(str(expected))
            )
        if name != "_":
            return self.name(s.Name(name, span), expected, binding)
        if binding:
            return m.Any()
        return self.error(span, "wildcard", "*_ has no value here", "a value", "*_ only matches")

    # arithmetic

    def linear(self, term: s.Sum | s.Length, binding: bool = False) -> m.Term:
        """Resolve arithmetic to a constant, a variable or a linear form; Any where something is wrong."""
        constant = 0
        atoms: dict[m.Var | m.Length, int] = {}
        parts = term.parts if isinstance(term, s.Sum) else ((1, term),)
        wrong = False
        for sign, part in parts:
            match self._atom(part, binding):
                case m.Lit(int() as number):
                    constant += sign * number
                case m.Var() | m.Length() as atom:
                    atoms[atom] = atoms.get(atom, 0) + sign
                case _:
                    wrong = True
        return m.Any() if wrong else linear_of(constant, atoms)

    def _atom(self, part: s.Term, binding: bool) -> m.Term:
        """Resolve one summand: a number, a position or a length; Any where it is none."""
        if isinstance(part, s.Length):
            return self._length(part)
        kind = infer(part, self)
        if kind is not None and kind.kind == "optional" and isinstance(part, s.Name):
            self.wrong.add(part.id)
            return self.error(
                part.span,
                "wrong-type",
                f"{part.id} may be absent",
                "a position that is present",
                f"write {part.id} without ? in an antecedent, so that it matches present values only",
            )
        return self.resolve(part, m.POSITION, binding and isinstance(part, s.Name))

    def _length(self, part: s.Length) -> m.Term:
        operand = self.resolve(part.operand, None)
        if isinstance(operand, m.Any):
            return operand
        if isinstance(operand, m.Var) and operand.name in self.types:
            if self.types[operand.name].kind == "list":
                return m.Length(operand.name)
            shown = f"{operand.name} is a {self.types[operand.name]}"
        else:
            shown = "this is no list variable"
        return self.error(part.operand.span, "wrong-type", shown, "a list variable")

    # lists, tuples, rules

    def _list(
        self, elements: Iterable[s.Term | s.Run], span: Span, expected: m.Type | None, binding: bool
    ) -> m.Term:
        if expected is None or expected.kind != "list":
            wanted = with_article(str(expected)) if expected else "a variable on one side"
            return self.error(span, "wrong-type", "this is a list", wanted)
        inner = expected.arguments[0]
        resolved: list[m.Term] = []
        for element in elements:
            match element:
                case s.Star("_", place):
                    if not binding:
                        self.error(place, "wildcard", "*_ has no value here", "elements", "*_ only matches")
                    resolved.append(m.Run(m.Any()))
                case s.Star():
                    value = self.resolve(element, expected, binding)
                    resolved.append(m.Splice(value.name) if isinstance(value, m.Var) else m.Run(m.Any()))
                case s.Run(shape, place):
                    if not binding:
                        self.error(place, "run", "a run of elements cannot be built", "elements")
                    resolved.append(m.Run(self.resolve(shape, inner, binding) if binding else m.Any()))
                case _:
                    resolved.append(self.resolve(element, inner, binding))
        return m.ListTerm(tuple(resolved))

    def _tuple(self, terms: tuple[s.Term, ...], span: Span, expected: m.Type | None, binding: bool) -> m.Term:
        if expected is not None and expected.kind == "optional":
            expected = expected.arguments[0]
        if expected is None or expected.kind != "tuple":
            wanted = with_article(str(expected)) if expected else "a variable on one side"
            return self.error(span, "wrong-type", f"this is a tuple of {len(terms)}", wanted)
        if len(terms) != len(expected.arguments):
            return self.error(
                span,
                "wrong-arity",
                f"this tuple has {len(terms)} parts, not {len(expected.arguments)}",
                str(expected),
            )
        return m.TupleTerm(
            tuple(self.resolve(t, kind, binding) for t, kind in zip(terms, expected.arguments, strict=True))
        )

    def _dotted(self, term: s.Dotted, expected: m.Type | None, binding: bool) -> m.Term:
        dots = len(term.parts) - 1
        if expected is None or expected.kind != "dotted":
            wanted = with_article(str(expected)) if expected else "a value"
            return self.error(term.span, "wrong-type", "this is a rule of the grammar", wanted)
        if dots != expected.dots:
            return self.error(
                term.span,
                "wrong-arity",
                f"this rule has {dots} dot{'s' * (dots != 1)}, not {expected.dots}",
                "A(*alpha . *beta)" if expected.dots == 1 else "A(*alpha . *beta . *gamma)",
            )
        category = self.resolve(term.category, m.SYMBOL, binding)
        parts = (self._list(part, term.span, m.SYMBOLS, binding) for part in term.parts)
        return m.TupleTerm((category, *parts))

    # conditions that are terms

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


def infer(term: s.Term, scope: Scope) -> m.Type | None:
    """Return the type that a term has whatever is expected of it, or None where that is open."""
    match term:
        case s.Name(name) | s.Star(name):
            return None if name in scope.wrong else scope.type_of(name)
        case s.Constant(_, kind):
            return _CONSTANTS.get(kind)
        case s.Sum() | s.Length():
            return m.POSITION
        case s.Not() | s.Junction() | s.Comparison() | s.Membership() | s.StateTest() | s.Matches():
            return m.FLAG
        case s.Dotted(s.Name("reverse"), ((_,),)):
            return m.LABELS
        case s.Sequence(parts):
            return m.LABELS if len(parts) == 1 else m.DOTTED_LABELS
    return None
