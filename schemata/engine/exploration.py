"""A chart that grows item by item: whoever explores it chooses which item is taken next.

A run takes all items of the agenda in the order they were found. Here a strategy chooses (`engine.control`), or a
person (`analysis.stepping`). An item that is taken is combined with those taken before, by the matcher that reads the
schema's own steps; what they derive is known from then on, and may be taken.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from schemata.budget import Budget
from schemata.charts.chart import Instance, RawChart
from schemata.engine.chart import Chart
from schemata.engine.run import compile_kernel, run_kernel
from schemata.engine.weighing import Weighing
from schemata.grammars.relations import knowing_words
from schemata.language import model as m
from schemata.program.instances import Links, Values, chart_writings, inferences
from schemata.program.matching import known_values, match_pattern, solve
from schemata.program.rewriting import all_writings
from schemata.structures import Sentence
from schemata.weights.scores import Weights

Written = tuple[int, Values]  # an item, and one of its writings


class Exploration:
    """What is known of a chart, and which of its items have been taken.

    Parameters
    ----------
    schema, sentence, grammar : as for a run.
    weights : what step instances weigh, beside the weights that grammar and schema have.
    budget : limits of what is there before any item is taken.

    Attributes
    ----------
    chart : all that is known; its counts and tables are those of the moment in which they were asked for first.
    taken : the items taken, in turn; hypotheses are taken from the beginning.
    first : the instances of steps whose antecedents are hypotheses, or that have none.

    Raises
    ------
    BudgetExceeded : there are too many hypotheses and axioms.
    """

    def __init__(
        self,
        schema: m.Schema,
        sentence: Sentence,
        grammar: Any,
        weights: Weights | None = None,
        budget: Budget | None = None,
    ) -> None:
        grammar = knowing_words(grammar, sentence.words) if schema.compares_words else grammar
        first = {number: case for number, case in enumerate(schema.cases) if not case.antecedents}
        seeds = run_kernel(
            compile_kernel(replace(schema, cases=tuple(first.values()))), sentence, grammar, budget
        )
        self.schema = schema
        self.raw = RawChart(len(schema.forms), len(schema.cases))
        self.chart = Chart(schema, sentence, grammar, self.raw, frozenset(), 0.0)
        self.chart.weights = weights
        self.taken: dict[int, None] = {}
        self._arguments: dict[tuple[m.Type, int], m.Value] = {}
        self._argument_number: dict[tuple[m.Type, m.Value], int] = {}
        self.raw.arguments = self._arguments
        self._known: dict[object, Instance] = {}
        self._index: dict[tuple[Any, ...], list[Written]] = {}
        for number in range(seeds.raw.hypothesis_count):
            self._number(seeds.raw.form_of[number], seeds.raw.values[number])
        self.raw.hypothesis_count = seeds.raw.hypothesis_count
        instances: list[Instance] = []
        for found in seeds.instances():
            case, made = [*first][found.case], seeds.raw.values[found.consequent]
            built = zip(schema.cases[case].links, found.links, strict=True)
            links = tuple(seeds.arguments(link, numbers) for link, numbers in built)
            instances += self._instance(case, (), made, links)
        for number in range(seeds.raw.hypothesis_count):
            instances += self.take(number)
        self.first = tuple(dict.fromkeys(instances))

    @cached_property
    def weighing(self) -> Weighing:
        """What step instances weigh."""
        return Weighing(self.chart, self.chart.weights)

    @cached_property
    def _places(self) -> Mapping[str, Sequence[tuple[int, int]]]:
        """By item form the antecedents that are such items: the case, and which of its antecedents."""
        found: dict[str, list[tuple[int, int]]] = {form.name: [] for form in self.schema.forms}
        for number, case in enumerate(self.schema.cases):
            for slot, antecedent in enumerate(case.antecedents):
                found[antecedent.pattern.form].append((number, slot))
        return found

    def take(self, item: int) -> list[Instance]:
        """Take an item, and return the step instances of it and items taken before; again, if it is taken again."""
        if item not in self.taken:
            self._file(item)
        form = self.schema.forms[self.raw.form_of[item]]
        found: dict[Instance, None] = {}
        for writing in chart_writings(self.chart, item):
            for number, slot in self._places[form.name]:
                case = self.schema.cases[number]
                for chosen in self._partners(case, {slot: (item, writing)}, slot, {"n": self.chart.n}):
                    antecedents, writings = zip(
                        *(chosen[k] for k in range(len(case.antecedents))), strict=True
                    )
                    for made, links in inferences(
                        self.schema, case, writings, self.chart.n, self.chart.grammar
                    ):
                        found.update(dict.fromkeys(self._instance(number, antecedents, made, links)))
        return list(found)

    def is_final(self, item: int) -> bool:
        """Whether an item is a final one."""
        form, start = self.schema.forms[self.raw.form_of[item]], {"n": self.chart.n}
        for clause in self.schema.finals:
            if clause.pattern.form == form.name:
                for writing in chart_writings(self.chart, item):
                    goals = [*match_pattern(form, clause.pattern, writing), *clause.conditions]
                    if next(solve(goals, start, clause.types, self.chart.grammar), None):
                        return True
        return False

    def chart_of(self, items: Collection[int], seconds: float = 0.0, stopped: str | None = None) -> Chart:
        """Return the chart of the hypotheses, some items in turn, and the step instances between these."""
        order = list(dict.fromkeys([*range(self.raw.hypothesis_count), *items]))
        place = {item: number for number, item in enumerate(order)}
        logs: list[list[int]] = [[] for _ in self.schema.cases]
        for one in self._known.values():
            items_of = (one.consequent, *one.antecedents)
            if all(x in place for x in items_of):
                logs[one.case] += [*(place[x] for x in items_of), *(x for link in one.links for x in link)]
        writings = [{w: place[x] for w, x in of.items() if x in place} for of in self.raw.writings]
        values, forms = ([of[x] for x in order] for of in (self.raw.values, self.raw.form_of))
        raw = RawChart.of(values, forms, logs, writings, self.raw.hypothesis_count, self._arguments)
        finals = frozenset(place[x] for x in order if self.is_final(x))
        found = Chart(self.schema, self.chart.sentence, self.chart.grammar, raw, finals, seconds, stopped)
        found.weights = self.chart.weights
        return found

    def _file(self, item: int) -> None:
        """Note an item as taken, where those find it that look for antecedents."""
        self.taken[item] = None
        form = self.raw.form_of[item]
        for writing in chart_writings(self.chart, item):
            for key in [(form,), *((form, k, value) for k, value in enumerate(writing))]:
                self._index.setdefault(key, []).append((item, writing))

    def _partners(
        self, case: m.Case, chosen: Mapping[int, Written], slot: int, binding: Mapping[str, m.Value]
    ) -> Iterator[Mapping[int, Written]]:
        """Yield the ways to choose the other antecedents of a case among the items taken."""
        pattern = case.antecedents[slot].pattern
        goals = match_pattern(self.schema.form(pattern.form), pattern, chosen[slot][1])
        others = [k for k in range(len(case.antecedents)) if k not in chosen]
        if not others:
            yield chosen
            return
        for solution in solve(goals, binding, case.types):
            known = {k: known_values(case.antecedents[k].pattern, solution.binding) for k in others}
            following = max(others, key=lambda k: len(known[k]))
            form = self._form_number[case.antecedents[following].pattern.form]
            keys = [(form,), *((form, k, value) for k, value in known[following].items())]
            for partner in list(min((self._index.get(key, ()) for key in keys), key=len)):
                yield from self._partners(case, {**chosen, following: partner}, following, solution.binding)

    @cached_property
    def _form_number(self) -> Mapping[str, int]:
        return {form.name: number for number, form in enumerate(self.schema.forms)}

    def _number(self, form: int, values: Values) -> int:
        """Return the number of an item, which is entered if it is new."""
        number = self.raw.ids[form].setdefault(values, self.raw.item_count)
        if number == self.raw.item_count:
            self.raw.values.append(values)
            self.raw.form_of.append(form)
            declared = self.schema.forms[form]
            if declared.has_normal_form:
                written = all_writings(declared, values, self.chart.n)
                self.raw.writings[form].update(dict.fromkeys(written, number))
        return number

    def _instance(
        self, number: int, antecedents: tuple[int, ...], made: Values, links: Links
    ) -> list[Instance]:
        """Return a step instance, which is entered if it is new; none where it derives one of its antecedents."""
        case = self.schema.cases[number]
        consequent = self._number(self._form_number[case.consequent.form], made)
        if consequent in antecedents:
            return []
        numbered = tuple(
            tuple(map(self._argument, built.types, values))
            for built, values in zip(case.links, links, strict=True)
        )
        found = Instance(number, antecedents, consequent, numbered)
        known = self._known.setdefault((case.step, antecedents, consequent, numbered), found)
        return [known]

    def _argument(self, kind: m.Type, value: Any) -> int:
        """Return the number of an argument of what is built; a position is its own."""
        if kind == m.POSITION:
            return int(value)
        number = self._argument_number.setdefault((kind, value), len(self._argument_number))
        self._arguments[kind, number] = value
        return number
