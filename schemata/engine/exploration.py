"""A chart that grows item by item: whoever explores it chooses which item is taken next.

A run takes all items of the agenda in the order they were found. Here a strategy chooses (`engine.control`), or a
person (`analysis.stepping`). An item that is taken is combined with those taken before, by the matcher that reads the
schema's own steps; what they derive is known from then on, and may be taken.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from itertools import chain, product
from typing import Any

from schemata.budget import Budget
from schemata.charts import Instance, RawChart
from schemata.engine.chart import Chart
from schemata.engine.run import compile_kernel, run_kernel
from schemata.grammars.relations import knowing_words
from schemata.language import model as m
from schemata.program.instances import Links, Values, chart_writings, final_bindings, inferences
from schemata.program.matching import Goal, known_values, match_pattern, solve
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
        first = [number for number, case in enumerate(schema.cases) if not case.antecedents]
        axioms = replace(schema, cases=tuple(schema.cases[number] for number in first))
        seeds = run_kernel(compile_kernel(axioms), sentence, grammar, budget)
        self.schema, self.raw = schema, RawChart(len(schema.forms), len(schema.cases))
        self.raw.arguments = self._arguments = dict[tuple[m.Type, int], m.Value]()
        self.chart = Chart(schema, sentence, grammar, self.raw, frozenset(), 0.0)
        self.chart.weights = weights
        self.taken: dict[int, None] = {}
        self._forms = {form.name: number for number, form in enumerate(schema.forms)}
        self._argument_number: dict[tuple[m.Type, m.Value], int] = {}
        self._known: dict[object, Instance] = {}
        self._index: dict[tuple[Any, ...], list[Written]] = {}
        self._slots: dict[int, list[tuple[int, int]]] = {number: [] for number in self._forms.values()}
        for number, case in enumerate(schema.cases):
            for slot, antecedent in enumerate(case.antecedents):
                self._slots[self._forms[antecedent.pattern.form]].append((number, slot))
        self.raw.hypothesis_count = seeds.raw.hypothesis_count
        hypotheses = range(seeds.raw.hypothesis_count)
        for number in hypotheses:
            self._enter(self.raw, seeds.raw.form_of[number], seeds.raw.values[number])
        instances: list[Instance] = []
        for found in seeds.instances():
            case, made = schema.cases[first[found.case]], seeds.raw.values[found.consequent]
            links = tuple(map(seeds.arguments, case.links, found.links))
            instances += self._instance(first[found.case], (), made, links)
        for number in hypotheses:
            instances += self.take(number)
        self.first = tuple(dict.fromkeys(instances))

    def take(self, item: int) -> list[Instance]:
        """Take an item, and return the step instances of it and items taken before; again, if it is taken again."""
        form, n, grammar = self.raw.form_of[item], self.chart.n, self.chart.grammar
        writings = chart_writings(self.chart, item)
        if item not in self.taken:
            self.taken[item] = None
            for writing in writings:
                for key in [(form,), *((form, k, value) for k, value in enumerate(writing))]:
                    self._index.setdefault(key, []).append((item, writing))
        found: dict[Instance, None] = {}
        for writing, (number, slot) in product(writings, self._slots[form]):
            case = self.schema.cases[number]
            for chosen in self._chosen(case, {slot: (item, writing)}):
                antecedents, written = zip(*(chosen[k] for k in sorted(chosen)), strict=True)
                for made, links in inferences(self.schema, case, written, n, grammar):
                    found |= dict.fromkeys(self._instance(number, antecedents, made, links))
        return list(found)

    def is_final(self, item: int) -> bool:
        """Whether an item is a final one."""
        return any(True for _ in final_bindings(self.chart, item))

    def tails(self, instance: Instance) -> list[int]:
        """Return the antecedents of a step instance that are no context."""
        antecedents = self.schema.cases[instance.case].antecedents
        return [x for x, a in zip(instance.antecedents, antecedents, strict=True) if not a.context]

    def chart_of(self, items: Collection[int], seconds: float = 0.0, stopped: str | None = None) -> Chart:
        """Return the chart of the hypotheses, some items in turn, and the step instances between these."""
        raw = RawChart(len(self.schema.forms), len(self.schema.cases))
        raw.hypothesis_count, raw.arguments = self.raw.hypothesis_count, self._arguments
        order = dict.fromkeys([*range(raw.hypothesis_count), *items])
        place = {x: self._enter(raw, self.raw.form_of[x], self.raw.values[x]) for x in order}
        for one in self._known.values():
            items_of = (one.consequent, *one.antecedents)
            if all(x in place for x in items_of):
                raw.logs[one.case] += [*(place[x] for x in items_of), *chain(*one.links)]
        finals = frozenset(place[x] for x in order if self.is_final(x))
        found = Chart(self.schema, self.chart.sentence, self.chart.grammar, raw, finals, seconds, stopped)
        found.weights = self.chart.weights
        return found

    def _chosen(self, case: m.Case, chosen: Mapping[int, Written]) -> Iterator[Mapping[int, Written]]:
        """Yield the ways to choose all antecedents of a case, some of which are chosen, among the items taken."""
        patterns = [antecedent.pattern for antecedent in case.antecedents]
        others = [k for k in range(len(patterns)) if k not in chosen]
        if not others:
            yield chosen
            return
        goals: list[Goal] = []
        for k, (_, values) in chosen.items():
            goals += match_pattern(self.schema.form(patterns[k].form), patterns[k], values)
        for solution in solve(goals, {"n": self.chart.n}, case.types):
            known = {k: known_values(patterns[k], solution.binding) for k in others}
            slot = max(others, key=lambda k: len(known[k]))
            form = self._forms[patterns[slot].form]
            keys = [(form,), *((form, k, value) for k, value in known[slot].items())]
            for partner in list(min((self._index.get(key, ()) for key in keys), key=len)):
                yield from self._chosen(case, {**chosen, slot: partner})

    def _enter(self, raw: RawChart, form: int, values: Values) -> int:
        """Return the number of an item in a chart, which gets one if it is new."""
        number = raw.ids[form].setdefault(values, raw.item_count)
        if number == raw.item_count:
            raw.values.append(values)
            raw.form_of.append(form)
            if self.schema.forms[form].has_normal_form:
                written = all_writings(self.schema.forms[form], values, self.chart.n)
                raw.writings[form].update(dict.fromkeys(written, number))
        return number

    def _instance(
        self, number: int, antecedents: tuple[int, ...], made: Values, links: Links
    ) -> list[Instance]:
        """Return a step instance, which is entered if it is new; none where it derives one of its antecedents."""
        case = self.schema.cases[number]
        consequent = self._enter(self.raw, self._forms[case.consequent.form], made)
        if consequent in antecedents:
            return []
        numbered = tuple(
            tuple(map(self._argument, built.types, values))
            for built, values in zip(case.links, links, strict=True)
        )
        found = Instance(number, antecedents, consequent, numbered)
        return [self._known.setdefault((case.step, antecedents, consequent, numbered), found)]

    def _argument(self, kind: m.Type, value: Any) -> int:
        """Return the number of an argument of what is built; a position is its own."""
        if kind == m.POSITION:
            return int(value)
        number = self._argument_number.setdefault((kind, value), len(self._argument_number))
        self._arguments[kind, number] = value
        return number
