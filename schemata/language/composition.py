"""Steps composed of parts: `composed of Left-Arc | i has no head in A; Reduce` is read as one rule.

It is the rule of the first part, then that of the second applied to its consequent: the consequent of each part is
unified with the antecedent of the next one, before names and types are resolved.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from schemata.language import syntax as s
from schemata.language.model import rewrite
from schemata.language.source import Findings, Span


def composed_steps(declarations: Iterable[s.Declaration], problems: Findings) -> list[s.Declaration]:
    """Expand compositions of steps into the rules of their parts; compositions with mistakes have no
    rule.

    References
    ----------
    Gómez-Rodríguez & Nivre 2013, section 3: compositions of restricted elementary transitions.
    """
    declarations = list(declarations)
    parts = {d.name: d for d in declarations if isinstance(d, s.StepDeclaration) and d.part}

    def rule(d: s.StepDeclaration, case: s.StepCase) -> s.StepCase | None:
        if case.composed:
            return _Composition(parts, d.environment, problems).case(case)
        # Restrictions may speak of variables that a part has only once.
        return replace(case, generated=frozenset(x.id for x in s.names_in(case))) if d.part else case

    def changed(d: s.Declaration) -> s.Declaration:
        if isinstance(d, s.StepDeclaration) and (d.part or any(case.composed for case in d.cases)):
            return replace(d, cases=tuple(made for case in d.cases if (made := rule(d, case)) is not None))
        return d

    return list(map(changed, declarations))


class _Composition:
    """A rule under construction: values of variables, and the conditions and names of the parts so far."""

    def __init__(
        self, parts: Mapping[str, s.StepDeclaration], environment: s.Environment, problems: Findings
    ) -> None:
        self.parts, self.environment, self.problems = parts, environment, problems
        self.bound: dict[str, s.TermSyntax] = {}
        self.names: set[str] = {"n", *environment}

    def case(self, case: s.StepCase) -> s.StepCase | None:
        """Return the rule that a composition stands for; None, with an error reported, if its parts
        do not fit.
        """
        rules: list[s.StepCase] = []
        for constituent in case.composed:
            rule = self._rule(constituent)
            if rule is None or (rules and not self._follows(rules[-1], rule, constituent)):
                return None
            rules.append(rule)
        conditions = tuple(condition for rule in rules for condition in rule.conditions)
        parts = (rules[0].antecedents, rules[-1].consequent, conditions)
        antecedents, consequent, conditions = self._filled(parts)
        lost = frozenset(name for rule in rules for name in rule.lost or ())
        return replace(
            case,
            antecedents=antecedents,
            consequent=consequent,
            conditions=conditions,
            lost=lost or None,
            generated=frozenset(self.names),
            composed=(),
        )

    def _rule(self, constituent: s.ConstituentSyntax) -> s.StepCase | None:
        """Return the rule of a part with its restriction, and with names that no part before has."""
        name, span = constituent.part, constituent.span
        if not self.problems.knows(
            span, "unknown-part", name, self.parts, "part NAME among the declarations"
        ):
            return None
        declared = self.parts[name]
        if len(declared.cases) != 1 or len(declared.cases[0].antecedents) != 1 or declared.cases[0].family:
            message = f"{name} does not have one rule with one antecedent"
            self.problems.report(span, "bad-part", message, "a part with one antecedent and one consequent")
            return None
        (rule,) = declared.cases
        known = {k: v for k, v in declared.environment.items() if self.environment.get(k) != v}
        fixed = {**{k: k for k in self.environment if k not in known}, "n": "n"}

        def change(node: Any) -> Any:
            match node:
                case s.Name(old) if old in known:
                    return s.ConstantSyntax(known[old], "number", span=node.span)
                case s.Name(old) | s.Star(old) if old != "_":
                    return replace(node, id=fixed.get(old) or fixed.setdefault(old, self._fresh(old)))
                case s.Wildcard():
                    return s.Name(self._fresh("x"), span=node.span)
                case s.Star("_"):
                    return s.Star(self._fresh("X"), span=node.span)
            return None

        rule = replace(rule, antecedents=rewrite(rule.antecedents, change))
        rest = (rule.consequent, (*rule.conditions, *constituent.conditions))
        consequent, conditions = rewrite(
            rest, lambda node: change(node) if not isinstance(node, s.Wildcard) else None
        )
        return replace(rule, consequent=consequent, conditions=conditions)

    def _fresh(self, name: str) -> str:
        while name in self.names:
            name += "'"
        self.names.add(name)
        return name

    def _follows(self, before: s.StepCase, after: s.StepCase, place: s.ConstituentSyntax) -> bool:
        """Unify the consequent of a rule with the antecedent of the next one; reports where they do not fit."""
        made, wanted = before.consequent, after.antecedents[0].item
        alike = made is not None and made.form == wanted.form and len(made.terms) == len(wanted.terms)
        if made is not None and alike and all(map(self._unified, made.terms, wanted.terms)):
            return True
        message = f"what stands before {place.part} does not fit its antecedent, or fits it in several ways"
        expected = f"a part before it that gives {wanted.span.text}"
        self.problems.report(place.span, "bad-composition", message, expected)
        return False

    def _unified(self, made: s.TermSyntax, wanted: s.TermSyntax) -> bool:
        """Whether two terms unify in exactly one way; binds their variables if so."""
        made, wanted = self._filled((made, wanted))
        match made, wanted:
            case _, s.Name(name) if name not in self.environment and name != "n":
                self.bound[name] = made
                return True
            case s.Name(name), _ if name not in self.environment and name != "n":
                self.bound[name] = wanted
                return True
            case s.ListTermSyntax(), s.ListTermSyntax():
                return self._lists_unified(list(made.elements), list(wanted.elements), made.span)
            case s.TupleTermSyntax(), s.TupleTermSyntax() if len(made.terms) == len(wanted.terms):
                return all(map(self._unified, made.terms, wanted.terms))
            case s.ConstantSyntax(), s.ConstantSyntax():
                return (made.value, made.kind) == (wanted.value, wanted.kind)
        return isinstance(made, s.Name) and isinstance(wanted, s.Name) and made.id == wanted.id

    def _lists_unified(self, made: list[Any], wanted: list[Any], span: Span) -> bool:
        for end in (0, -1):
            while made and wanted and not any(isinstance(x, s.Star) for x in (made[end], wanted[end])):
                if not self._unified(made.pop(end), wanted.pop(end)):
                    return False
        for one, other in ((wanted, made), (made, wanted)):
            match one:
                case [s.Star(name)]:
                    is_star = len(other) == 1 and isinstance(other[0], s.Star)
                    self.bound[name] = (
                        s.Name(other[0].id, span=span)
                        if is_star
                        else s.ListTermSyntax(tuple(other), span=span)
                    )
                    return True
        return not made and not wanted

    def _filled(self, node: Any) -> Any:
        """Replace the bound variables of a node by their values."""

        def change(part: Any) -> Any:
            match part:
                case s.Name(name) if name in self.bound:
                    return self._filled(self.bound[name])
                case s.ListTermSyntax(elements):
                    filled = tuple(x for e in elements for x in self._elements(e))
                    return s.ListTermSyntax(filled, span=part.span)
            return None

        return rewrite(node, change)

    def _elements(self, element: Any) -> Sequence[Any]:
        if isinstance(element, s.Star) and element.id in self.bound:
            match self._filled(self.bound[element.id]):
                case s.ListTermSyntax(elements):
                    return elements
                case s.Name(name):
                    return (s.Star(name, span=element.span),)
        return (self._filled(element),)
