"""Step instances whose consequent is one of their antecedents: no steps of a chart, but terms of a sum.

Such an instance proves nothing, so that no kernel keeps it and no count has it. Where rules, facts or steps weigh, it
is a hyperedge all the same: with the rules S -> S [.5] and S -> a [.5] the weights of the derivations of S add up to 1.
`with_loops` adds these instances to the back-pointers of a chart, for its weights alone.

Left out is what can change no weight: an instance of a step that neither asks for weights nor builds anything, whose
other antecedents are hypotheses without a weight (Eisner and Satta's combiners on spans of one word are such). Where
links alone weigh, all such instances are: those that build a link give no further tree.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from schemata.charts import BareChart, instance_names
from schemata.language import model as m
from schemata.program.instances import chart_writings, inferences

if TYPE_CHECKING:
    from schemata.charts import ChartData

Row = tuple[int, ...]
_FIRST = 1 << 29  # the first number of an argument that the back-pointers do not have


def with_loops(chart: BareChart, weighing: Collection[int], weighed: Collection[int]) -> BareChart:
    """Return a chart whose back-pointers have the instances that give back an antecedent; the same one without any.

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
    found.raw = _Looped(chart.raw, rows, finder.arguments)
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

    @property
    def edge_logs(self) -> Sequence[Sequence[int]]:
        """The rows of back-pointers by case, those added behind the others."""
        logs = self._raw.edge_logs
        return [
            [*map(int, log), *itertools.chain.from_iterable(self._rows[number])]
            if number in self._rows
            else log
            for number, log in enumerate(logs)
        ]

    def expand(self, item: int) -> None:
        """Say that instances are to be read from the logs."""

    def argument(self, kind: m.Type, number: int) -> m.Value:
        """Return the argument of an atom from its number."""
        known = self._values.get((kind, number))
        return self._raw.argument(kind, number) if known is None else known


class _Finder:
    """Looks for the instances of a chart's items that give back an antecedent."""

    def __init__(self, chart: BareChart, weighing: frozenset[int], weighed: frozenset[int]) -> None:
        self.chart, self.weighing, self.weighed = chart, weighing, weighed
        self.arguments: dict[tuple[m.Type, m.Value], int] = {}
        self._by_fields: dict[tuple[int, tuple[int, ...]], dict[tuple[m.Value, ...], list[int]]] = {}
        self._forms = {form.name: k for k, form in enumerate(chart.schema.forms)}
        self._items: dict[int, list[int]] = {}
        for item, form in enumerate(chart.raw.form_of):
            self._items.setdefault(form, []).append(item)

    def rows(self) -> Iterator[tuple[int, Row]]:
        """Yield the cases and rows of such instances."""
        for number, case in enumerate(self.chart.schema.cases):
            for slot, antecedent in enumerate(case.antecedents):
                if not antecedent.context and antecedent.pattern.form == case.consequent.form:
                    for item in self._items.get(self._forms[case.consequent.form], ()):
                        if item >= self.chart.raw.hypothesis_count:
                            yield from ((number, row) for row in self._of(number, case, slot, item))

    def _of(self, number: int, case: m.Case, slot: int, item: int) -> Iterator[Row]:
        """Yield the rows of a case in which an item is the consequent, and an antecedent."""
        chart = self.chart
        values = chart.raw.values[item]
        known: dict[str, m.Value] = {}
        if not chart.schema.forms[chart.raw.form_of[item]].has_normal_form:
            for pattern in (case.antecedents[slot].pattern, case.consequent):
                for term, value in zip(pattern.terms, values, strict=True):
                    if isinstance(term, m.Var) and known.setdefault(term.name, value) != value:
                        return
        choices = [[item] if k == slot else self._fitting(a, known) for k, a in enumerate(case.antecedents)]
        for antecedents in itertools.product(*choices):
            if not self._matters(number, case, slot, antecedents):
                continue
            for written in itertools.product(*(chart_writings(chart, x) for x in antecedents)):
                for made, ends in inferences(chart.schema, case, written, chart.n, chart.grammar):
                    if made == values:
                        yield item, *antecedents, *self._numbers(case, ends)

    def _matters(self, number: int, case: m.Case, slot: int, antecedents: Row) -> bool:
        """Whether an instance can change a weight."""
        if number in self.weighing or case.links:
            return True
        others = (x for k, x in enumerate(antecedents) if k != slot and not case.antecedents[k].context)
        return any(x >= self.chart.raw.hypothesis_count or x in self.weighed for x in others)

    def _fitting(self, antecedent: m.Antecedent, known: Mapping[str, m.Value]) -> Sequence[int]:
        """Return the items that an antecedent may be, as far as fields that are variables tell."""
        pattern = antecedent.pattern
        form = self._forms[pattern.form]
        plain = not self.chart.schema.forms[form].has_normal_form
        fields = [
            (k, known[term.name])
            for k, term in enumerate(pattern.terms)
            if plain and isinstance(term, m.Var) and term.name in known
        ]
        places = tuple(k for k, _ in fields)
        index = self._by_fields.get((form, places))
        if index is None:
            index = self._by_fields[form, places] = {}
            for item in self._items.get(form, ()):
                row = self.chart.raw.values[item]
                index.setdefault(tuple(row[k] for k in places), []).append(item)
        return index.get(tuple(value for _, value in fields), ())

    def _numbers(self, case: m.Case, ends: Sequence[Sequence[m.Value]]) -> Iterator[int]:
        """Yield the arguments of what an instance builds, as back-pointers have them."""
        for built, values in zip(case.links, ends, strict=True):
            for kind, value in zip(built.types, values, strict=True):
                if kind == m.POSITION and isinstance(value, int):
                    yield value
                else:
                    yield self.arguments.setdefault((kind, value), _FIRST + len(self.arguments))
