"""Resolves the rules of a schema's steps: antecedents, side conditions, links and the consequent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from schemata.language import label_terms
from schemata.language import model as m
from schemata.language import syntax as s
from schemata.language.conditions import conjuncts, grammar_condition, in_binding_order
from schemata.language.forms import indefinite
from schemata.language.inference import infer
from schemata.language.rules import Places, RuleReader
from schemata.language.solve import free_variables
from schemata.language.source import Span
from schemata.language.terms import Terms

__all__ = ["StepReader"]

Environment = Mapping[str, int]


class StepReader(RuleReader):
    """Resolves all rules, those of steps too."""

    def case(
        self, step: str, case: s.StepCase, environment: Environment
    ) -> tuple[m.Case | None, m.Case | None, Places]:
        """Resolve one rule: the case (None where it has errors or is switched off), and its outline.

        The outline has the forms of all its items, and no terms where they have errors; it is None where a
        form is not known.
        """
        before = len(self.problems)
        scope = self.scope(environment)
        scope.doubtful.update(case.lost or ())
        patterns = [self.table.pattern(a.item, scope, binding=True) for a in case.antecedents]
        written = conjuncts(case.conditions)
        parts = _Parts({}, {}, {})
        for k, condition in in_binding_order(written, scope):
            self._condition(k, condition, scope, None if case.lost else case.antecedents, parts)
            if len(self.problems) > before:
                scope.doubt(condition)
        consequent = None
        if case.consequent is not None:
            consequent = self.table.pattern(case.consequent, scope, binding=False)
        places = Places(
            tuple(x.span for x in (*(a.item for a in case.antecedents), case.consequent) if x is not None),
            tuple(written[k].span for k in sorted(parts.conditions)),
        )
        if consequent is None or None in patterns:
            return None, None, places
        antecedents = tuple(
            m.Antecedent(p, a.context) for p, a in zip(patterns, case.antecedents, strict=True) if p
        )
        found = m.Case(
            step, case.label, antecedents, consequent,
            tuple(parts.conditions[k] for k in sorted(parts.conditions)),
            tuple(parts.links[k] for k in sorted(parts.links)),
            tuple(parts.head_links[k] for k in sorted(parts.head_links)),
            parts.head, dict(scope.types), case.span, case.lines,
        )  # fmt: skip
        if parts.head_span is not None and len(self.problems) == before and case.lost is None:
            _check_head(found, scope, parts.head_span)
        if not self.symbolic and len(self.problems) == before and case.lost is None:
            self._check_variables(found, scope, case.generated)
        if len(self.problems) > before and any(p.severity == "error" for p in self.problems[before:]):
            forms = self.table.forms
            above = (m.Antecedent(indefinite(forms[a.pattern.form]), a.context) for a in antecedents)
            below = indefinite(forms[consequent.form])
            outline = m.Case(step, case.label, tuple(above), below, (), (), (), None, {}, case.span)
            return None, outline, places
        if case.lost is not None or self.switched_off(written, found.conditions, environment):
            return None, found, places
        return found, found, places

    def _condition(
        self,
        k: int,
        condition: s.Condition,
        scope: Terms,
        antecedents: Sequence[s.Antecedent] | None,
        parts: _Parts,
    ) -> None:
        match condition:
            case s.LinkHeads(dependent, word, span):
                if antecedents is None:
                    return
                count = len(antecedents)
                if not (1 <= dependent <= count and 1 <= word <= count):
                    wanted = f"a number from 1 to {count}" if count else "an antecedent"
                    scope.error(span, "bad-link", "there is no such antecedent", wanted)
                elif antecedents[dependent - 1].context or antecedents[word - 1].context:
                    message = "a context antecedent hands on nothing that it built, its head neither"
                    scope.error(span, "bad-link", message, "an antecedent without given")
                else:
                    parts.head_links[k] = m.HeadLink(dependent - 1, word - 1)
            case s.HeadOfBuilt(term):
                parts.head, parts.head_span = scope.resolve(term, m.POSITION), term.span
            case s.LinkCondition(dependent_term, head_term, licence, builds):
                if licence:
                    self.check_grammar(condition, scope)
                kind = self._kind_of_ends(condition, scope)
                if kind is None:
                    return
                ends = [
                    scope.resolve(t, kind, licence and isinstance(t, s.Name))
                    for t in (dependent_term, head_term)
                ]
                if licence:
                    about = m.CategoryLicence if kind == m.SYMBOL else m.Licensed
                    parts.conditions[k] = about(ends[0], ends[1])
                if builds:
                    parts.links[k] = m.Link(ends[0], ends[1])
            case s.JoinCondition(left, right, match, when):
                self.check_grammar(condition, scope)
                ends = [scope.resolve(t, m.POSITION) for t in (left, right)]
                by = label_terms.matches(scope, match)
                guard = None if when is None else scope.condition(when)
                parts.links[k] = m.Join(ends[0], ends[1], by, guard)
                parts.conditions[k] = by if guard is None else m.Junction("or", (m.Not(guard), by))
            case s.RootCategory() | s.GrammarRule() | s.CategoryOf() | s.LeftCorner() | s.DisjunctOf():
                self.check_grammar(condition, scope)
                parts.conditions[k] = grammar_condition(condition, scope)
            case _:
                parts.conditions[k] = scope.condition(condition, binding=True)

    def _kind_of_ends(self, licence: s.LinkCondition, scope: Terms) -> m.Type | None:
        """Return what the ends of a link are, positions or, to be licensed only, symbols; None if neither."""
        ends = (licence.dependent, licence.head)
        kinds = [infer(term, scope) for term in ends]
        if m.SYMBOL not in kinds:
            return m.POSITION
        if licence.builds:
            wrong = ends[kinds.index(m.SYMBOL)].span
            scope.error(
                wrong,
                "wrong-type",
                f"{wrong.text} is a symbol",
                "a position",
                "licensed D to C asks for categories, and link or link head of builds",
            )
            return None
        other = next((k for k, kind in enumerate(kinds) if kind not in (None, m.SYMBOL)), None)
        if other is None:
            return m.SYMBOL
        shown = [term.span.text for term in ends]
        what = " and ".join(f"{text} is a {kind}" for text, kind in zip(shown, kinds, strict=True))
        hint = f"category {shown[other]} is C gives the category of a word" if m.POSITION in kinds else None
        scope.error(licence.span, "wrong-type", what, "two positions or two symbols", hint)
        return None

    def _check_variables(self, case: m.Case, scope: Terms, generated: frozenset[str]) -> None:
        everything = [t for a in case.antecedents for t in a.pattern.terms]
        free = free_variables(case)
        if free:
            self.unsolvable(free, scope, [*everything, *case.conditions])
            return
        used = [x for a in case.antecedents for x in m.variables(a.pattern)]
        used += [x for c in (*case.conditions, case.consequent) for x in m.variables(c)]
        # What a licence or a match tests is counted there: that it builds as well is no second use.
        for link in case.links:
            if isinstance(link, m.Join):
                used += [*m.variables(link.left), *m.variables(link.right)]
            elif m.Licensed(link.dependent, link.head) not in case.conditions:
                used += m.variables(link)
        self.once(scope, used + (list(m.variables(case.head)) if case.head is not None else []), generated)


def _check_head(case: m.Case, scope: Terms, span: Span) -> None:
    """Report a head that cannot be read off the items of an instance."""
    items = [case.consequent, *(a.pattern for a in case.antecedents if not a.context)]
    alone = {term.name for item in items for term in item.terms if isinstance(term, m.Var)}
    assert case.head is not None
    names = [name for name in m.variables(case.head) if name != "n" and name not in alone]
    if names or (
        isinstance(case.head, m.Linear) and any(isinstance(a, m.Length) for a, _ in case.head.atoms)
    ):
        scope.error(
            span,
            "bad-link",
            "the head of what is built stands alone in no item of the rule",
            "variables that are fields of the consequent, or of an antecedent without given",
        )


@dataclass(slots=True)
class _Parts:
    """What the conditions of a case come to, by their place among those written."""

    conditions: dict[int, m.Condition]
    links: dict[int, m.Link | m.Join]
    head_links: dict[int, m.HeadLink]
    head: m.Term | None = None
    head_span: Span | None = None
