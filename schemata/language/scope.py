"""Resolves the terms of one rule: names to variables, parameters and constants, with their types.

A `Scope` lives for one rule (or one declaration). Patterns introduce variables, expressions only use them.
Mistakes are collected, and resolution goes on with `Any()` in place of what was wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from schemata.errors import Diagnostic, did_you_mean
from schemata.language import model as m
from schemata.language import syntax as s
from schemata.language.source import Span

__all__ = ["Scope"]

_SWAPPED = {">": "<", ">=": "<="}


@dataclass(slots=True)
class Scope:
    """The variables of one rule, with their types and the place each was introduced at.

    `closed` says what the names are where none may be introduced (the fields of an item form).
    """

    parameters: Mapping[str, int]
    problems: list[Diagnostic]
    types: dict[str, m.Type] = field(default_factory=dict)
    places: dict[str, Span] = field(default_factory=dict)
    closed: str | None = None

    def error(
        self, span: Span, code: str, message: str, expected: str | None = None, hint: str | None = None
    ) -> m.Any:
        """Report a mistake; return what stands in for the wrong term."""
        self.problems.append(span.report(code, message, expected=expected, hint=hint))
        return m.Any()

    # names

    def name(self, term: s.Name, expected: m.Type | None, binding: bool) -> m.Term:
        """Resolve a name; introduces it as a variable of the expected type where `binding`."""
        if term.id in self.parameters:
            return self._fits(m.Lit(self.parameters[term.id]), m.POSITION, expected, term.span, term.id)
        if term.id == "n":
            return self._fits(m.Var("n"), m.POSITION, expected, term.span, "n")
        known = self.types.get(term.id)
        if known is None:
            if not binding or expected is None:
                return self._unknown(term)
            kind = expected
            if expected.kind == "optional" and not term.optional:
                kind = expected.arguments[0]
            self.types[term.id] = kind
            self.places[term.id] = term.span
            return m.Var(term.id, kind.kind == "optional")
        if binding and known.kind == "optional" and not term.optional:
            known = self.types[term.id] = known.arguments[0]
        return self._fits(m.Var(term.id, known.kind == "optional"), known, expected, term.span, term.id)

    def _unknown(self, term: s.Name | s.Star) -> m.Any:
        names = [*self.types, *self.parameters, "n"]
        if self.closed:
            return self.error(
                term.span,
                "unknown-field",
                f"{term.id} is not a field of {self.closed}",
                expected="one of " + ", ".join(names),
                hint=did_you_mean(term.id, names),
            )
        return self.error(
            term.span,
            "unbound-variable",
            f"variable {term.id} is bound nowhere",
            expected="a variable of the antecedents, or one bound by a condition on the grammar",
            hint=did_you_mean(term.id, names),
        )

    def _fits(self, term: m.Term, actual: m.Type, expected: m.Type | None, span: Span, shown: str) -> m.Term:
        if expected is None or _accepts(expected, actual):
            return term
        hint = None
        if actual.kind == "optional" and actual.arguments[0] == expected:
            hint = f"write {shown} without ? in the antecedent, so that it matches present values only"
        return self.error(span, "wrong-type", f"{shown} is a {actual}", expected=f"a {expected}", hint=hint)

    # terms

    def resolve(self, term: s.Term, expected: m.Type | None, binding: bool = False) -> m.Term:
        """Resolve a term that must have the expected type (any type where None)."""
        match term:
            case s.Name():
                return self.name(term, expected, binding)
            case s.Wildcard(span):
                if binding:
                    return m.Any()
                return self.error(
                    span, "wildcard", "_ stands for any value, and cannot be built", expected="a value"
                )
            case s.Constant():
                return self._constant(term, expected)
            case s.Sum() | s.Length():
                linear = self.linear(term, binding)
                return self._fits(linear, m.POSITION, expected, term.span, "arithmetic")
            case s.Star(_, span):
                if expected is not None and expected.kind != "list":
                    return self.error(
                        span,
                        "wrong-type",
                        "a sequence variable stands alone",
                        f"a {expected}",
                        f"write <*{term.id}>",
                    )
                return self.name(s.Name(term.id, span), expected, binding)
            case s.ListTerm(elements, span):
                return self._list(elements, span, expected, binding)
            case s.TupleTerm(terms, span):
                return self._tuple(terms, span, expected, binding)
            case s.Dotted():
                return self._dotted(term, expected, binding)
            case s.Run(_, span):
                return self.error(span, "run", "a run of elements stands outside a list")
            case s.Not(operand, span):
                if binding and not isinstance(operand, s.Name):
                    return self.error(
                        span, "pattern", "a pattern cannot compute this", expected="not and a variable"
                    )
                inner = self.resolve(operand, m.FLAG, binding)
                return self._fits(m.Not(inner), m.FLAG, expected, span, "this")
            case _:
                if binding:
                    return self.error(
                        term.span,
                        "pattern",
                        "a pattern cannot compute a condition",
                        hint="write it as a side condition",
                    )
                return self._fits(self.condition(term), m.FLAG, expected, term.span, "a condition")

    def _constant(self, term: s.Constant, expected: m.Type | None) -> m.Term:
        kinds = {"number": m.POSITION, "flag": m.FLAG, "symbol": m.SYMBOL}
        shown = {None: "-", True: "true", False: "false"}.get(term.value, str(term.value))
        if term.kind == "absent":
            if expected is None or expected.kind == "optional":
                return m.Lit(None)
            return self.error(
                term.span,
                "wrong-type",
                "- is an absent value",
                f"a {expected}",
                "only optional fields (type?) can be absent",
            )
        return self._fits(m.Lit(term.value), kinds[term.kind], expected, term.span, shown)

    def linear(self, term: s.Term, binding: bool = False) -> m.Term:
        """Resolve arithmetic to a constant, a variable or a linear form."""
        constant = 0
        atoms: dict[m.Var | m.Length, int] = {}
        parts = term.parts if isinstance(term, s.Sum) else ((1, term),)
        for sign, part in parts:
            value: m.Term
            if isinstance(part, s.Length):
                operand = self.resolve(part.operand, None)
                if isinstance(operand, m.Any):
                    return operand
                if not isinstance(operand, m.Var) or self.types[operand.name].kind != "list":
                    return self.error(
                        part.span, "wrong-type", "length is asked of a list", expected="a list variable"
                    )
                value = m.Length(operand.name)
            else:
                value = self.resolve(
                    part, None, binding and isinstance(part, s.Name) and part.id not in self.types
                )
                if (
                    isinstance(part, s.Name)
                    and binding
                    and part.id not in self.types
                    and isinstance(value, m.Any)
                ):
                    self.problems.pop()
                    value = self.name(part, m.POSITION, binding=True)
            match value:
                case m.Lit(int() as number) if not isinstance(number, bool):
                    constant += sign * number
                case m.Linear(more, inner):
                    constant += sign * more
                    for atom, coefficient in inner:
                        atoms[atom] = atoms.get(atom, 0) + sign * coefficient
                case m.Length():
                    atoms[value] = atoms.get(value, 0) + sign
                case m.Var(name) if name == "n" or self.types[name].kind == "position":
                    atoms[value] = atoms.get(value, 0) + sign
                case m.Var(name) if _number(self.types[name]):
                    return self.error(
                        part.span, "wrong-type", f"{name} may be absent", expected="a present position"
                    )
                case m.Any():
                    return value
                case _:
                    return self.error(
                        part.span, "wrong-type", "arithmetic is about positions", expected="a position"
                    )
        return linear_of(constant, atoms)

    def _list(
        self, elements: Iterable[s.Term | s.Run], span: Span, expected: m.Type | None, binding: bool
    ) -> m.Term:
        if expected is None or expected.kind != "list":
            return self.error(
                span, "wrong-type", "this is a list", expected=f"a {expected}" if expected else "a value"
            )
        inner = expected.arguments[0]
        resolved: list[m.Term] = []
        for element in elements:
            match element:
                case s.Star("_", place):
                    if not binding:
                        self.error(place, "wildcard", "*_ stands for any elements, and cannot be built")
                    resolved.append(m.Run(m.Any()))
                case s.Star():
                    value = self.resolve(element, expected, binding)
                    resolved.append(m.Splice(value.name) if isinstance(value, m.Var) else m.Any())
                case s.Run(shape, place):
                    if not binding:
                        self.error(place, "run", "a run of elements is a pattern, and cannot be built")
                    resolved.append(m.Run(self.resolve(shape, inner, binding)))
                case _:
                    resolved.append(self.resolve(element, inner, binding))
        return m.ListTerm(tuple(resolved))

    def _tuple(self, terms: tuple[s.Term, ...], span: Span, expected: m.Type | None, binding: bool) -> m.Term:
        if expected is None or expected.kind != "tuple":
            return self.error(
                span,
                "wrong-type",
                f"this has {len(terms)} parts",
                expected=f"a {expected}" if expected else "a value",
            )
        if len(terms) != len(expected.arguments):
            return self.error(
                span,
                "wrong-arity",
                f"this has {len(terms)} parts",
                expected=f"{len(expected.arguments)}: {expected}",
            )
        return m.TupleTerm(
            tuple(self.resolve(t, kind, binding) for t, kind in zip(terms, expected.arguments, strict=True))
        )

    def _dotted(self, term: s.Dotted, expected: m.Type | None, binding: bool) -> m.Term:
        dots = len(term.parts) - 1
        if expected is None or expected.kind != "dotted":
            return self.error(
                term.span,
                "wrong-type",
                "this is a rule of the grammar",
                f"a {expected}" if expected else "a value",
            )
        if dots != expected.dots:
            return self.error(
                term.span,
                "wrong-arity",
                f"this rule has {dots} dots",
                expected=f"{expected.dots}: a {expected}",
            )
        category = self.resolve(term.category, m.SYMBOL, binding)
        parts = (self._list(part, term.span, m.SYMBOLS, binding) for part in term.parts)
        return m.TupleTerm((category, *parts))

    # conditions that are terms

    def condition(self, term: s.Term) -> m.Term:
        """Resolve a condition: a comparison, membership, state test, flag, or a combination of them."""
        match term:
            case s.Junction(word, operands):
                return m.Junction(word, tuple(self.condition(o) for o in operands))
            case s.Not(operand):
                return m.Not(self.condition(operand))
            case s.Comparison():
                return self._comparison(term)
            case s.Membership(element, region, negated):
                member = self._membership(element, region, binding=not negated)
                return m.Not(member) if negated else member
            case s.StateTest():
                return self._state(term)
            case s.Constant(value, "flag"):
                return m.Lit(value)
            case _:
                return self.resolve(term, m.FLAG)

    def _comparison(self, term: s.Comparison) -> m.Term:
        parts: list[m.Term] = []
        for left, relation, right in zip(term.operands, term.relations, term.operands[1:], strict=False):
            if relation in ("==", "!="):
                binding = relation == "==" and len(term.relations) == 1
                parts.append(self._equality(relation, left, right, binding))
                continue
            low, high = self._number(left), self._number(right)
            if relation in _SWAPPED:
                relation, low, high = _SWAPPED[relation], high, low
            parts.append(m.Compare("<" if relation == "<" else "<=", low, high))
        return parts[0] if len(parts) == 1 else m.Junction("and", tuple(parts))

    def _number(self, term: s.Term) -> m.Term:
        """Resolve an operand of an order: a position, possibly an absent one."""
        if isinstance(term, s.Name):
            value = self.name(term, None, binding=False)
            if isinstance(value, m.Var) and value.name != "n" and not _number(self.types[value.name]):
                return self.error(
                    term.span, "wrong-type", f"{term.id} is a {self.types[term.id]}", "a position"
                )
            return value
        return self.resolve(term, m.POSITION)

    def _equality(self, relation: str, left: s.Term, right: s.Term, binding: bool) -> m.Term:
        kind = self._infer(left) or self._infer(right)
        if kind is None:
            self.resolve(left, None)
            return self.resolve(right, None)
        binds_left = binding and isinstance(left, s.Name) and self._infer(left) is None
        binds_right = binding and isinstance(right, s.Name) and self._infer(right) is None
        wide = kind if kind.kind in ("optional", "list") else m.Type("optional", (kind,))
        a = self.resolve(left, kind if binds_left else wide, binds_left)
        b = self.resolve(right, kind if binds_right else wide, binds_right)
        return m.Compare("==" if relation == "==" else "!=", a, b)

    def _infer(self, term: s.Term) -> m.Type | None:
        match term:
            case s.Name(name):
                return m.POSITION if name in self.parameters or name == "n" else self.types.get(name)
            case s.Star(name):
                return self.types.get(name)
            case s.Constant(_, kind):
                return {"number": m.POSITION, "flag": m.FLAG, "symbol": m.SYMBOL}.get(kind)
            case s.Sum() | s.Length():
                return m.POSITION
            case s.Not() | s.Junction() | s.Comparison() | s.Membership() | s.StateTest():
                return m.FLAG
        return None

    def _membership(self, element: s.Term, region: s.Region, binding: bool) -> m.Term:
        where = self._region(region)
        kind = m.POSITION
        if isinstance(where, m.Var):
            listed = self.types[where.name]
            kind = listed.arguments[0]
        binding = binding and isinstance(element, s.Name) and self._infer(element) is None
        return m.Member(self.resolve(element, kind, binding), where)

    def _region(self, region: s.Region) -> m.Region:
        match region:
            case s.Interval(low, high):
                return m.Interval(self._number(low), self._number(high))
            case s.Difference(left, right):
                taken = self._region(right)
                assert isinstance(taken, m.Interval)
                return m.Without(self._region(left), taken)
            case s.Name(_, span):
                value = self.name(region, None, binding=False)
                if (
                    isinstance(value, m.Var)
                    and value.name in self.types
                    and self.types[value.name].kind == "list"
                ):
                    return value
                if not isinstance(value, m.Any):
                    self.error(
                        span, "wrong-type", f"{region.id} is not a list", expected="[i..j] or a list variable"
                    )
                return m.Interval(m.Any(), m.Any())

    def _state(self, term: s.StateTest) -> m.Term:
        kind = self._infer(term.operand)
        value = self.resolve(term.operand, None)
        if isinstance(value, m.Any):
            return value
        test: m.Term
        if term.state == "empty":
            if kind is None or kind.kind != "list" or not isinstance(value, m.Var):
                return self.error(
                    term.span, "wrong-type", "only a list can be empty", expected="a list variable"
                )
            test = m.Compare("==", m.Length(value.name), m.Lit(0))
        else:
            if kind is None or kind.kind != "optional":
                return self.error(
                    term.span,
                    "wrong-type",
                    "this is never absent",
                    "an optional variable",
                    "write l? where l may be absent",
                )
            test = m.IsAbsent(value)
        return m.Not(test) if term.negated else test


def linear_of(constant: int, atoms: Mapping[m.Var | m.Length, int]) -> m.Term:
    """Return the simplest term for a linear form: a constant, a variable, or a `Linear`."""
    kept = {atom: coefficient for atom, coefficient in atoms.items() if coefficient}
    if not kept:
        return m.Lit(constant)
    if constant == 0 and len(kept) == 1:
        ((atom, coefficient),) = kept.items()
        if coefficient == 1:
            return atom
    return m.Linear(constant, tuple(kept.items()))


def _number(kind: m.Type) -> bool:
    return kind.kind == "position" or (kind.kind == "optional" and kind.arguments[0].kind == "position")


def _accepts(expected: m.Type, actual: m.Type) -> bool:
    if expected == actual:
        return True
    return expected.kind == "optional" and (
        expected.arguments[0] == actual or (actual.kind == "optional" and actual == expected)
    )
