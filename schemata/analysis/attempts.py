"""The best try of a rule at an item that it does not derive: which antecedents are there, what is lacking.

The rule is read backwards from its consequent: its antecedents are looked for among the items there are, one
after the other, each of them found or left missing. Of all ways to do so the one that lacks least is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from schemata.analysis.overlap import overlap
from schemata.analysis.writings import chart_writings, writings
from schemata.language import model as m
from schemata.program.evaluation import evaluate, fill_pattern, literal, truth
from schemata.program.matching import (
    GRAMMAR_CONDITIONS,
    Goal,
    Match,
    Solution,
    grammar_allows,
    match_pattern,
    solve,
)

if TYPE_CHECKING:
    from schemata.engine.chart import Chart

__all__ = ["Candidate", "World", "best_candidate", "fits", "known_values", "violated"]

_LOOKS = 4_000  # partial bindings looked at for one rule
_STARTS = 50  # ways in which a consequent may match the item asked for


@dataclass(frozen=True, slots=True)
class Candidate:
    """A way to apply a rule: its binding, the items found for antecedents, the missing ones, what fails.

    `complete` tells whether all ways were compared.
    """

    case: m.Case
    binding: Mapping[str, m.Value]
    found: Mapping[int, int]
    missing: tuple[int, ...]
    failed: tuple[m.Condition, ...]
    score: tuple[int, int, int]
    complete: bool


class World:
    """The items that a search may use: those of a chart, by form, under all their writings."""

    def __init__(self, chart: Chart, grammar: Any) -> None:
        self.chart = chart
        self.grammar = grammar

    @cached_property
    def _items(self) -> Mapping[str, Sequence[tuple[int, tuple[m.Value, ...]]]]:
        found: dict[str, list[tuple[int, tuple[m.Value, ...]]]] = {
            f.name: [] for f in self.chart.schema.forms
        }
        for x in (*self.chart.hypothesis_ids, *self.chart.derived_ids):
            form = self.chart.schema.forms[self.chart.raw.form_of[x]]
            found[form.name] += [(x, writing) for writing in chart_writings(self.chart, x)]
        return found

    def candidates(
        self, pattern: m.Pattern, binding: Mapping[str, m.Value]
    ) -> Iterator[tuple[int, tuple[m.Value, ...]]]:
        """Yield the items that agree with what is known of a pattern, each with a writing."""
        known = known_values(pattern, binding)
        for x, values in self._items[pattern.form]:
            if all(values[k] == value for k, value in known.items()):
                yield x, values

    def has(self, pattern: m.Pattern) -> bool:
        """Whether some item matches a partly known one."""
        kinds = [f.type for f in self.chart.schema.form(pattern.form).fields]
        for _, values in self.candidates(pattern, {}):
            parts = zip(values, kinds, pattern.terms, strict=True)
            if all(overlap(literal(value, kind), term) for value, kind, term in parts):
                return True
        return False


def known_values(pattern: m.Pattern, binding: Mapping[str, m.Value]) -> dict[int, m.Value]:
    """Return the fields of an item that a binding determines."""
    found: dict[int, m.Value] = {}
    for k, term in enumerate(pattern.terms):
        try:
            found[k] = evaluate(term, binding)
        except LookupError:
            continue
    return found


def violated(form: m.Form, known: Mapping[int, m.Value], n: int) -> m.Term | None:
    """Return the first condition of an item form that what is known of an item contradicts."""
    fields = {f.name: known[k] for k, f in enumerate(form.fields) if k in known} | {"n": n}
    for condition in form.where:
        if truth(condition, fields) is False:
            return condition
    return None


def fits(world: World, case: m.Case, goal: m.Pattern) -> list[Solution]:
    """Return the ways in which a rule's consequent can be the item asked for."""
    if case.consequent.form != goal.form:
        return []
    form = world.chart.schema.form(goal.form)
    n = world.chart.n
    known = known_values(goal, {})
    ways: Sequence[Mapping[int, m.Value]] = [known]
    if form.has_normal_form:
        whole = tuple(known[k] for k in sorted(known))
        ways = (
            [dict(enumerate(w)) for w in writings(form, whole, n)] if len(whole) == len(form.fields) else [{}]
        )
    found: list[Solution] = []
    for way in ways:
        goals: list[Goal] = [
            Match(value, case.consequent.terms[k], form.fields[k].type) for k, value in way.items()
        ]
        if not form.has_normal_form:
            for k, declared in enumerate(form.fields):
                if k not in way:
                    goals += _known_parts(goal.terms[k], case.consequent.terms[k], declared.type)
        for solution in solve(goals, {"n": n}, case.types):
            if solution not in found and _can_be(form, case, solution.binding, goal):
                found.append(solution)
            if len(found) >= _STARTS:
                return found
    return found


def _known_parts(asked: m.Term, term: m.Term, kind: m.Type) -> list[Goal]:
    """Return what the known parts of a partly known tuple or dotted rule ask of a consequent's term."""
    if not isinstance(asked, m.TupleTerm) or not isinstance(term, m.TupleTerm):
        return []
    found: list[Goal] = []
    for one, other, part in zip(asked.terms, term.terms, kind.parts, strict=True):
        try:
            found.append(Match(evaluate(one, {}), other, part))
        except LookupError:
            found += _known_parts(one, other, part)
    return found


def _can_be(form: m.Form, case: m.Case, binding: Mapping[str, m.Value], goal: m.Pattern) -> bool:
    """Whether the consequent, as far as it is known, can be the item asked for (in its normal form)."""
    if form.has_normal_form:
        return True
    made = fill_pattern(case.consequent, binding, case.types)
    return all(overlap(a, b) for a, b in zip(made.terms, goal.terms, strict=True))


def best_candidate(world: World, case: m.Case, goal: m.Pattern) -> Candidate | None:
    """Return the way to apply a rule for an item that lacks least; None where the consequent cannot be it."""
    search = _Search(world, case, goal)
    starts = fits(world, case, goal)
    for start in starts:
        search.extend(start, {}, (), tuple(range(len(case.antecedents))))
    best = search.best
    if best is None:
        return None
    complete = search.looks > 0 and len(starts) < _STARTS
    return Candidate(case, best.binding, best.found, best.missing, best.failed, best.score, complete)


@dataclass(slots=True)
class _Search:
    """A depth-first search over the antecedents of a rule that keeps the best way so far."""

    world: World
    case: m.Case
    goal: m.Pattern
    looks: int = _LOOKS
    best: Candidate | None = None

    def extend(
        self, start: Solution, found: dict[int, int], missing: tuple[int, ...], left: tuple[int, ...]
    ) -> None:
        """Go on from what is known: find an item for one of the antecedents left, or leave it missing."""
        binding = start.binding
        if self.looks <= 0:
            return
        self.looks -= 1
        failed, score = self._lacks(binding, missing, last=not left)
        if self.best is not None and score >= self.best.score:
            return
        if not _can_be(self.world.chart.schema.form(self.goal.form), self.case, binding, self.goal):
            return
        if not left:
            if score[0] and not any(self._present(k, binding) for k in missing):
                self.best = Candidate(self.case, binding, found, missing, failed, score, complete=True)
            return
        patterns = {k: self.case.antecedents[k].pattern for k in left}
        slot = max(left, key=lambda k: (len(known_values(patterns[k], binding)), -k))
        rest = tuple(k for k in left if k != slot)
        form = self.world.chart.schema.form(patterns[slot].form)
        for x, values in self.world.candidates(patterns[slot], binding):
            goals = [*start.waiting, *match_pattern(form, patterns[slot], values)]
            for solution in solve(goals, binding, self.case.types):
                self.extend(solution, {**found, slot: x}, missing, rest)
            if self.looks <= 0:
                return
        self.extend(start, found, (*missing, slot), rest)

    def _present(self, slot: int, binding: Mapping[str, m.Value]) -> bool:
        """Whether an antecedent that was left missing is there after all."""
        pattern = self.case.antecedents[slot].pattern
        whole = len(known_values(pattern, binding)) == len(pattern.terms)
        return whole and next(self.world.candidates(pattern, binding), None) is not None

    def _lacks(
        self, binding: Mapping[str, m.Value], missing: tuple[int, ...], last: bool
    ) -> tuple[tuple[m.Condition, ...], tuple[int, int, int]]:
        """Return what fails by now, and how much is lacking, how much of it for good, how vaguely."""
        grammar = self.world.grammar
        failed: list[m.Condition] = []
        hard = 0
        for condition in self.case.conditions:
            if isinstance(condition, GRAMMAR_CONDITIONS):
                holds = grammar_allows(condition, binding, grammar)
                if holds is None and last and not missing:
                    holds = next(solve([condition], binding, self.case.types, grammar), None) is not None
            else:
                holds = truth(condition, binding)
                hard += holds is False
            if holds is False:
                failed.append(condition)
        unknown = 0
        schema, n = self.world.chart.schema, self.world.chart.n
        for k in missing:
            pattern = self.case.antecedents[k].pattern
            known = known_values(pattern, binding)
            unknown += len(pattern.terms) - len(known)
            hard += violated(schema.form(pattern.form), known, n) is not None
        return tuple(failed), (len(failed) + len(missing), hard, unknown)
