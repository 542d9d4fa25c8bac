"""Why an item is not derivable: for each step that could derive it, what is missing first.

Over D-rules the item is looked up in the chart under all licences. If it is there, the reasons follow the
cheapest proof and end in the links that the grammar does not license. If not, or over other grammars, every
rule is read backwards (`attempts`) and the reasons follow the first missing antecedent of the best try.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from schemata.analysis.attempts import Candidate, World, best_candidate, fits, known_values, violated
from schemata.analysis.instances import first_binding
from schemata.analysis.items import AskedItem, find_item
from schemata.analysis.reasons import Attempt, Lack, WhyNot
from schemata.analysis.repairs import Repairs, repairs_of
from schemata.analysis.side_conditions import named_position, side_condition, violation_text
from schemata.analysis.trace import shown_bindings
from schemata.errors import UsageError
from schemata.language import model as m
from schemata.language.typeset import condition_text, pattern_text
from schemata.program.evaluation import fill_pattern, literal
from schemata.program.matching import solve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemata.charts.chart import Instance, Item
    from schemata.engine.chart import Chart

__all__ = ["DEEPEST", "DEFAULT_DEPTH", "why_not"]

DEFAULT_DEPTH = 3
DEEPEST = 100
_WORTH = 40  # rules searched at one item below the first


def why_not(chart: Chart, item: str | Item | None = None, depth: int = DEFAULT_DEPTH) -> WhyNot:
    """Return why an item is not derivable, or that it is.

    Parameters
    ----------
    chart : the chart that lacks it.
    item : the item, or its text; None for final items.
    depth : how many steps deep the reasons are followed, 1 to 100.

    Raises
    ------
    SchemaError : the text is no item of the schema.
    UsageError : the depth is out of range.

    >>> import schemata
    >>> chart = schemata.load("collins1996").run("a b", schemata.DRules.from_pairs({(1, 2)}))
    >>> why_not(chart, "tree[1, 2, 1]").links, why_not(chart, "tree[1, 2, 2]").derivable
    (((2, 1),), True)
    """
    if not 1 <= depth <= DEEPEST:
        raise UsageError(f"the depth of the reasons is 1 to {DEEPEST}")
    if item is None and chart.accepted:
        return WhyNot(
            str(chart.final_items[0]), derivable=True, hypothesis=_given(chart, chart.final_items[0])
        )
    asked = None if item is None else find_item(chart, item)
    if asked is not None and asked.number is not None:
        given = asked.number < chart.raw.hypothesis_count
        return WhyNot(asked.text, derivable=True, hypothesis=given, written=asked.written)
    reason = _reason(chart, asked, depth)
    is_known = not chart.stopped or reason.hopeless or bool(reason.links)
    return reason if is_known else replace(reason, derivable=None)


def _reason(chart: Chart, asked: AskedItem | None, depth: int) -> WhyNot:
    """Return why the chart lacks an item, or all final items."""
    repairs = repairs_of(chart)
    teller = _Teller(chart, repairs)
    if asked is None:
        finals = sorted(repairs.full.final_ids, key=repairs.full.order) if repairs else []
        if repairs and finals:
            return teller.repairable(min(finals, key=repairs.price), depth, first=True)
        reasons = [teller.unreachable(goal, depth, ()) for goal in _final_goals(chart)]
        return min(reasons, key=_lacking)
    number = repairs.full.find(asked.form.name, asked.values) if repairs else None
    if number is not None:
        return replace(teller.repairable(number, depth, first=True), written=asked.written)
    terms = tuple(literal(v, f.type) for v, f in zip(asked.values, asked.form.fields, strict=True))
    return replace(teller.unreachable(m.Pattern(asked.form.name, terms), depth, ()), written=asked.written)


def _given(chart: Chart, item: Item) -> bool:
    number = chart.find(item.form, item.values)
    return number is not None and number < chart.raw.hypothesis_count


def _lacking(reason: WhyNot) -> int:
    return min((len(a.lacks) for a in reason.attempts), default=1_000)


def _final_goals(chart: Chart) -> Iterator[m.Pattern]:
    """Yield the final items as far as they are determined: one for each root category, where they say so."""
    for clause in chart.schema.finals:
        asks = [c for c in clause.conditions if isinstance(c, m.RootCategory)]
        for solution in solve(asks, {"n": chart.n}, clause.types, chart.grammar):
            yield fill_pattern(clause.pattern, solution.binding, clause.types)


class _Teller:
    """Builds the tree of reasons for one chart."""

    def __init__(self, chart: Chart, repairs: Repairs | None) -> None:
        self.chart = chart
        self.schema = chart.schema
        self.repairs = repairs
        full = repairs.full if repairs else chart
        self.world = World(full, full.grammar)

    def text(self, pattern: m.Pattern) -> str:
        return pattern_text(self.schema, pattern, ascii=True)

    # items that more licences would give

    def repairable(self, number: int, depth: int, first: bool) -> WhyNot:
        """Return the reasons for an item of the chart under all licences."""
        repairs = self.repairs
        assert repairs is not None
        shown = repairs.full.item(number)
        links = repairs.links(number)
        if not depth:
            count = f"{len(links)} more link{'' if len(links) == 1 else 's'}"
            return WhyNot(str(shown), lacks=(Lack("depth", f"it needs {count} licensed"),), links=links)
        best: dict[int, Instance] = {}
        for instance in repairs.backwards.of(number):
            held = best.get(instance.case)
            if held is None or repairs.total(instance) < repairs.total(held):
                best[instance.case] = instance
        ranked = sorted(best.values(), key=lambda i: (repairs.total(i), i.case))
        told = sorted(ranked, key=lambda i: i.case) if first else ranked[:1]
        attempts = [self._attempt(instance, depth) for instance in told]
        misfits: list[str] = []
        if first:
            form = repairs.full.schema.forms[repairs.full.raw.form_of[number]]
            values = repairs.full.raw.values[number]
            terms = tuple(literal(v, f.type) for v, f in zip(values, form.fields, strict=True))
            goal = m.Pattern(form.name, terms)
            for k, case in enumerate(self.schema.cases):
                if k in best or case.consequent.form != form.name:
                    continue
                candidate = best_candidate(self.world, case, goal)
                if candidate is None:
                    misfits.append(_name(case))
                else:
                    attempts.append(self._tried(candidate, 1, ()))
        return WhyNot(
            str(shown),
            attempts=tuple(attempts),
            untold=len(ranked) - len(told),
            misfits=tuple(dict.fromkeys(misfits)),
            links=links,
        )

    def _attempt(self, instance: Instance, depth: int) -> Attempt:
        repairs = self.repairs
        assert repairs is not None
        case = self.schema.cases[instance.case]
        short = [x for x in dict.fromkeys(instance.antecedents) if repairs.price(x)]
        lacks = [Lack("item", f"{repairs.full.item(x)} is not derivable") for x in short]
        for dependent, head in repairs.unlicensed(instance):
            ends = [named_position(p, self.chart.sentence) for p in (dependent, head)]
            said = f"the grammar does not license {ends[0]} under {ends[1]}"
            lacks.append(Lack("licence", said, (dependent, head)))
        return Attempt(
            case.step,
            case.label,
            shown_bindings(case, first_binding(repairs.full, instance)),
            tuple(str(repairs.full.item(x)) for x in instance.antecedents if x not in short),
            tuple(lacks),
            tuple(self.repairable(x, depth - 1, first=False) for x in short),
        )

    # items that no licences give, and items over other grammars

    def unreachable(self, goal: m.Pattern, depth: int, above: tuple[str, ...]) -> WhyNot:
        """Return the reasons for an item that the search's items lack."""
        shown = self.text(goal)
        form = self.schema.form(goal.form)
        known = known_values(goal, {})
        hopeless = self.repairs is not None
        bare = WhyNot(shown, hopeless=hopeless)
        broken = violated(form, known, self.chart.n)
        cases = [c for c in self.schema.cases if c.consequent.form == goal.form]
        if not cases:
            return replace(bare, lacks=(self._no_hypothesis(goal, shown),))
        if broken is not None:
            fields = {f.name: known[k] for k, f in enumerate(form.fields) if k in known} | {"n": self.chart.n}
            types = {f.name: f.type for f in form.fields}
            said = f"{form.name} items need {violation_text(broken, types, fields)}"
            return replace(bare, lacks=(Lack("where", said),))
        if shown in above:
            return replace(
                bare, lacks=(Lack("circular", "this is what is to be derived in the first place"),)
            )
        fitting = [c for c in cases if fits(self.world, c, goal)]
        misfits = tuple(dict.fromkeys(_name(c) for c in cases if c not in fitting))
        if not fitting:
            consequents = ", ".join(dict.fromkeys(self.text(c.consequent) for c in cases))
            said = f"no step has such a consequent: {consequents}"
            return replace(bare, lacks=(Lack("shape", said),), misfits=misfits)
        if not depth:
            return replace(bare, lacks=(Lack("depth", "the reasons are not followed further"),))
        found = [best_candidate(self.world, case, goal) for case in fitting[:_WORTH]]
        candidates = [c for c in found if c is not None]
        if not candidates:
            if len(known) < len(form.fields):
                said = "what the steps derive from the items there are has another shape"
                return replace(bare, lacks=(Lack("shape", said),), misfits=misfits)
            said = "no step derives it from what there is, but from itself"
            return replace(bare, lacks=(Lack("circular", said),), misfits=misfits)
        path = (*above, shown)
        told = candidates if not above else [min(candidates, key=lambda c: (self._circles(c, path), c.score))]
        attempts = tuple(self._tried(c, depth, path) for c in told)
        return replace(
            bare, attempts=attempts, untold=len(fitting) - len(told), misfits=() if above else misfits
        )

    def _circles(self, candidate: Candidate, path: tuple[str, ...]) -> bool:
        """Whether a way only asks again for what is asked for already."""
        if not candidate.missing:
            return False
        pattern = candidate.case.antecedents[min(candidate.missing)].pattern
        return self.text(fill_pattern(pattern, candidate.binding, candidate.case.types)) in path

    def _tried(self, candidate: Candidate, depth: int, above: tuple[str, ...]) -> Attempt:
        """Return a search's best way as an attempt, with the reasons for its first missing antecedent."""
        case, binding = candidate.case, candidate.binding
        goals = [
            fill_pattern(case.antecedents[k].pattern, binding, case.types) for k in sorted(candidate.missing)
        ]
        there = [self.world.has(goal) for goal in goals]
        lacks = [
            Lack("item", f"there is no {'fitting ' if has else ''}{self.text(goal)}")
            for goal, has in zip(goals, there, strict=True)
        ]
        for condition in candidate.failed:
            told = side_condition(
                condition, case.types, binding, self.chart.sentence, self.world.grammar, failed=True
            )
            said = told.said
            if told.kind == "licence" and self.repairs is not None:
                said = said.replace("the grammar does not license", "no D-rules can license")
            if told.kind == "comparison" and isinstance(condition, m.Term):
                said = f"it needs {violation_text(condition, case.types, binding)}"
            lacks.append(Lack(told.kind, said))
        return Attempt(
            case.step,
            case.label,
            shown_bindings(case, dict(binding)),
            tuple(str(self.world.chart.item(x)) for _, x in sorted(candidate.found.items())),
            tuple(lacks),
            tuple(self.unreachable(goal, depth - 1, above) for goal in goals[:1] if not there[0]),
            candidate.complete,
        )

    def _no_hypothesis(self, goal: m.Pattern, shown: str) -> Lack:
        clauses = [c for c in self.schema.hypotheses if c.pattern.form == goal.form]
        if not clauses:
            return Lack("form", f"no step derives {goal.form} items, and no hypothesis is one")
        said = []
        for clause in clauses:
            where = ", ".join(condition_text(c, ascii=True) for c in clause.conditions)
            said.append(f"{self.text(clause.pattern)}{f' where {where}' if where else ''}")
        count = f"{self.chart.n} word{'' if self.chart.n == 1 else 's'}"
        words = f"the hypotheses are {' and '.join(said)}, and the sentence has {count} (n = {self.chart.n})"
        return Lack("hypothesis", f"there is no hypothesis {shown}: {words}")


def _name(case: m.Case) -> str:
    return f"{case.step}{f' ({case.label})' if case.label else ''}"
