"""Resolves the terms of one rule: names to variables, parameters and constants, all with their types.

Mistakes are collected, and resolution goes on with `Any()` in place of what was wrong.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

from schemata.errors import did_you_mean
from schemata.language import model as m
from schemata.language import syntax as s
from schemata.language.inference import CONSTANT_TYPES, infer
from schemata.language.label_terms import is_about_labels, sequence
from schemata.language.scope import Scope, with_article
from schemata.language.source import Span
from schemata.language.substitute import linear_of

__all__ = ["ValueTerms"]


class ValueTerms(Scope, ABC):
    """A scope that resolves terms of every type; what it makes of conditions that are terms is left open."""

    @abstractmethod
    def condition(self, term: s.Term, binding: bool = False) -> m.Term:
        """Resolve a condition made of terms; one that stands alone may bind a variable (`x == i + 1`)."""

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
                return self._reverse(term, expected)
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
            return self.fits(m.Lit(term.value), CONSTANT_TYPES[term.kind], expected, term.span, shown)
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

    # functions of labels

    def _reverse(self, term: s.Dotted, expected: m.Type | None) -> m.Term:
        """Resolve `reverse(R)`."""
        assert isinstance(term.category, s.Name)
        if term.category.id != "reverse":
            return self.error(
                term.category.span,
                "wrong-type",
                f"there is no function {term.category.id} of labels",
                "reverse(R)",
                did_you_mean(term.category.id, ["reverse"]),
            )
        if expected is not None and expected != m.LABELS:
            return self.error(
                term.span, "wrong-type", "this is a sequence of labels", with_article(str(expected))
            )
        parts = term.parts[0] if len(term.parts) == 1 else ()
        if len(parts) != 1:
            return self.error(term.span, "wrong-arity", "reverse turns one sequence round", "reverse(R)")
        operand = self.resolve(parts[0], m.LABELS)
        return operand if isinstance(operand, m.Any) else m.Reversed(operand)
