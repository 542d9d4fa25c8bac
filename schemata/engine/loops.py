"""Step instances whose consequent is one of their antecedents: no steps of a chart, but terms of a sum.

Such an instance proves nothing, so that no kernel keeps it and no count has it. Where rules, facts or steps weigh, it
is a hyperedge all the same: with the rules S -> S [.5] and S -> a [.5] the weights of the derivations of S add up to 1.
`with_loops` adds these instances to the back-pointers of a chart, for its weights alone.

Instances that can change no weight are left out: those of a step without weight whose other antecedents are derived by
steps without weight. Where steps build links, all are left out: a round of such a step gives no further tree or
linkage, and sums over derivations are meant as sums over structures (Eisner and Satta's combiners on spans of one word
are such steps).
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from schemata.charts import BareChart, atom_arguments, instance_names
from schemata.language import model as m
from schemata.program.instances import chart_writings, inferences
from schemata.program.matching import Goal, Match, known_values, match_pattern, solve

if TYPE_CHECKING:
    from schemata.charts import ChartData

Row = tuple[int, ...]
Values = tuple[m.Value, ...]
Written = tuple[int, Values]  # an item and one of its writings
_FIRST = 1 << 29  # the first number of an argument that the back-pointers do not have


def with_loops(chart: BareChart, weighing: Collection[int], weighed: Collection[int]) -> BareChart:
    """Return a chart whose back-pointers include the instances whose consequent is an antecedent; the same chart if
    there are none.

    Parameters
    ----------
    chart : a chart; its counts stay.
    weighing : the cases whose steps weigh anything beside links.
    weighed : the hypotheses that weigh anything.
    """
    finder = _Finder(chart, frozenset(weighing), frozenset(weighed))
    rows: dict[int, list[Row]] = {}
    seen: set[tuple[Any, ...]] = set()
    names = instance_names(chart.schema)
    for number, row in finder.rows():
        key = names[number], *row
        if key not in seen:
            seen.add(key)
            rows.setdefault(number, []).append(row)
    if not rows:
        return chart
    found = copy.copy(chart)
    found.raw = _Looped(chart.raw, rows, finder.new_arguments)
    return found


class _Looped:
    """A chart's data with further rows in its back-pointers."""

    def __init__(
        self,
        raw: ChartData,
        rows: Mapping[int, Sequence[Row]],
        arguments: Mapping[tuple[m.Type, m.Value], int],
    ) -> None:
        self._raw, self._rows = raw, rows
        self._values = {(kind, number): value for (kind, value), number in arguments.items()}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # of what is copied or pickled, before there is anything to ask
            raise AttributeError(name)
        return getattr(self._raw, name)

    @cached_property
    def edge_logs(self) -> Sequence[Sequence[int]]:
        """The rows of back-pointers by case, those added behind the others."""
        import numpy as np

        logs = list(self._raw.edge_logs)
        for number, rows in self._rows.items():
            whole = np.concatenate([np.asarray(logs[number], np.int32), np.array(rows, np.int32).reshape(-1)])
            logs[number] = whole.data
        return logs

    def expand(self, item: int) -> None:
        """Say that instances are to be read from the logs."""

    def argument(self, kind: m.Type, number: int) -> m.Value:
        """Return the argument of an atom from its number."""
        known = self._values.get((kind, number))
        return self._raw.argument(kind, number) if known is None else known


class _FieldTest:
    """Whether an item may be both an antecedent and the consequent, field by field, remembered by the field's value.

    Few items pass: in a case that moves a dot, no dotted rule does. Items that fail are never matched as a whole.
    """

    def __init__(self, form: m.Form, antecedent: m.Pattern, case: m.Case, n: int) -> None:
        self.form, self.case, self.n = form, case, n
        self.terms = list(zip(antecedent.terms, case.consequent.terms, strict=True))
        self.known: list[dict[m.Value, bool]] = [{} for _ in self.terms]

    def __call__(self, values: Values) -> bool:
        if self.form.has_normal_form:  # other writings may fit
            return True
        for field, (value, known) in enumerate(zip(values, self.known, strict=True)):
            fits = known.get(value)
            if fits is None:
                kind = self.form.fields[field].type
                goals = [Match(value, term, kind) for term in self.terms[field]]
                found = next(solve(goals, {"n": self.n}, self.case.types), None)
                fits = known[value] = found is not None
            if not fits:
                return False
        return True


class _Finder:
    """Finds the instances over a chart's items whose consequent is one of their antecedents."""

    def __init__(self, chart: BareChart, weighing: frozenset[int], weighed: frozenset[int]) -> None:
        self.chart, self.weighing, self.weighed = chart, weighing, weighed
        self.new_arguments: dict[tuple[m.Type, m.Value], int] = {}
        # By form and fields: the items, with their writings, by the values of these fields.
        self._by_fields: dict[tuple[int, tuple[int, ...]], dict[Values, list[Written]]] = {}
        self._forms = {form.name: k for k, form in enumerate(chart.schema.forms)}
        self._items: dict[int, list[int]] = {}
        self._values = list(chart.raw.values)  # decoded all at once
        for item, form in enumerate(chart.raw.form_of):
            self._items.setdefault(form, []).append(item)

    def rows(self) -> Iterator[tuple[int, Row]]:
        """Yield the cases and rows of such instances."""
        given, forms = self.chart.raw.hypothesis_count, self.chart.schema.forms
        for number, case in enumerate(self.chart.schema.cases):
            form = self._forms[case.consequent.form]
            for slot, antecedent in enumerate(case.antecedents):
                if antecedent.pattern.form != case.consequent.form or (antecedent.context and case.predicts):
                    continue
                may_fit = _FieldTest(forms[form], antecedent.pattern, case, self.chart.n)
                for item in self._items.get(form, ()):
                    if item >= given and may_fit(self._values[item]):
                        yield from ((number, row) for row in self._of(number, case, slot, item))

    def _of(self, number: int, case: m.Case, slot: int, item: int) -> Iterator[Row]:
        """Yield the rows of a case in which an item is the consequent, and an antecedent."""
        chart, values = self.chart, self._values[item]
        form = chart.schema.forms[chart.raw.form_of[item]]
        made = [] if form.has_normal_form else match_pattern(form, case.consequent, values)
        rest = [k for k in range(len(case.antecedents)) if k != slot]
        for written in chart_writings(chart, item):
            goals = [*match_pattern(form, case.antecedents[slot].pattern, written), *made]
            for found in self._extended(case, goals, {"n": chart.n}, {slot: (item, written)}, rest):
                antecedents = tuple(found[k][0] for k in range(len(case.antecedents)))
                if self._matters(number, case, slot, antecedents):
                    writings = [found[k][1] for k in range(len(case.antecedents))]
                    for result, ends in inferences(chart.schema, case, writings, chart.n, chart.grammar):
                        if result == values:
                            yield item, *antecedents, *self._numbers(case, ends)

    def _extended(
        self,
        case: m.Case,
        goals: Sequence[Goal],
        binding: Mapping[str, m.Value],
        found: Mapping[int, Written],
        rest: Sequence[int],
    ) -> Iterator[Mapping[int, Written]]:
        """Yield the items, with their writings, that fit all antecedents; `rest` are those not found yet."""
        chart = self.chart
        for solution in solve(goals, binding, case.types):
            if not rest:
                yield found
                continue
            known = [known_values(case.antecedents[k].pattern, solution.binding) for k in rest]
            place = max(range(len(rest)), key=lambda k: len(known[k]))  # the one of which most is known
            slot, pattern = rest[place], case.antecedents[rest[place]].pattern
            left = [*rest[:place], *rest[place + 1 :]]
            form = chart.schema.form(pattern.form)
            for item, written in self._fitting(pattern.form, known[place]):
                more = [*solution.waiting, *match_pattern(form, pattern, written)]
                yield from self._extended(
                    case, more, solution.binding, {**found, slot: (item, written)}, left
                )

    def _matters(self, number: int, case: m.Case, slot: int, antecedents: Row) -> bool:
        """Whether an instance weighs anything, by itself or by how its other antecedents are derived."""
        if number in self.weighing:
            return True
        others = (x for k, x in enumerate(antecedents) if k != slot and not case.antecedents[k].context)
        return any(x in self._weighty for x in others)

    @cached_property
    def _weighty(self) -> set[int]:
        """The items with a derivation in which some step or hypothesis has a weight."""
        above: dict[int, set[int]] = {}
        found = set(self.weighed)
        for number, (case, log) in enumerate(
            zip(self.chart.schema.cases, self.chart.raw.edge_logs, strict=True)
        ):
            consequents = [int(x) for x in log[:: case.stride]]
            if number in self.weighing:
                found.update(consequents)
            for k, antecedent in enumerate(case.antecedents, start=1):
                for below, x in (
                    zip(log[k :: case.stride], consequents, strict=True) if not antecedent.context else ()
                ):
                    above.setdefault(int(below), set()).add(x)
        waiting = list(found)
        while waiting:
            for x in above.get(waiting.pop(), set()) - found:
                found.add(x)
                waiting.append(x)
        return found

    def _fitting(self, name: str, known: Mapping[int, m.Value]) -> Sequence[Written]:
        """Return the items of a form, each with its writings, whose fields have the values of the binding `known`."""
        form, places = self._forms[name], tuple(known)
        index = self._by_fields.get((form, places))
        if index is None:
            index = self._by_fields[form, places] = {}
            for item in self._items.get(form, ()):
                for written in chart_writings(self.chart, item):
                    index.setdefault(tuple(written[k] for k in places), []).append((item, written))
        return index.get(tuple(known.values()), ())

    @cached_property
    def _arguments(self) -> dict[tuple[m.Type, m.Value], int]:
        """The numbers of arguments in the back-pointers: an instance that differs from one of them only in its context
        is the same hyperedge, and must have the same numbers.
        """
        arguments = atom_arguments(self.chart.raw, self.chart.schema.cases, self.chart.raw.edge_logs)
        return {(kind, value): number for (kind, number), value in arguments.items()}

    def _numbers(self, case: m.Case, ends: Sequence[Sequence[m.Value]]) -> Iterator[int]:
        """Yield the arguments of the atoms that an instance builds, numbered as in back-pointers."""
        for built, values in zip(case.links, ends, strict=True):
            for kind, value in zip(built.types, values, strict=True):
                if kind == m.POSITION and isinstance(value, int):
                    yield value
                else:
                    number = self._arguments.get((kind, value))
                    new = self.new_arguments
                    yield new.setdefault((kind, value), _FIRST + len(new)) if number is None else number
