"""What a step weighs beside its links: the rules and lexicon entries it asks for, and what the run says of it.

A step instance is read back (`program.instances`). Where several bindings make it, with different rules say, it has
several weights, one for each way; a sum adds them up.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from schemata.charts.chart import Instance
from schemata.errors import UsageError, did_you_mean
from schemata.language import model as m
from schemata.program.instances import instance_bindings
from schemata.weights.scores import Weights
from schemata.wording import listing

if TYPE_CHECKING:
    from schemata.charts.chart import BareChart
    from schemata.forest.forest import EdgeArrays

Binding = Mapping[str, m.Value]
Weigh = Callable[[Binding], float]


class StepWeights:
    """The weights of a chart's step instances, without those of links.

    Parameters
    ----------
    chart : the chart.
    given : what the run was given.

    Attributes
    ----------
    cases : the cases whose instances weigh anything.

    Raises
    ------
    UsageError : a weight is of a step that there is not, or asks for a variable that it has not.
    """

    def __init__(self, chart: BareChart, given: Weights) -> None:
        self.chart = chart
        known = {*chart.schema.step_names, *(form.name for form in chart.schema.forms)}
        for name in given.steps:
            if name not in known:
                message = f"the schema {chart.schema.name} has no step and no item form {name}"
                raise UsageError(message, code="bad-weights", hint=did_you_mean(name, known))
        self._weighs = {
            number: weighs
            for number, case in enumerate(chart.schema.cases)
            if (weighs := self._of_case(case, given))
        }
        self.cases = list(self._weighs)

    def _of_case(self, case: m.Case, given: Weights) -> list[Weigh]:
        found: list[Weigh] = []
        if case.step in given.steps:
            found.append(_called(given.steps[case.step], case.step, {*case.types, "n"}))
        return found

    def of(self, edges: EdgeArrays, edge: int) -> Sequence[float]:
        """Return the weights of a hyperedge in log space, one for each way to make it, greatest first."""
        chart = self.chart
        number, row = int(edges.case[edge]), int(edges.row[edge])
        case, stride = chart.schema.cases[number], chart.strides[number]
        line = [int(x) for x in chart.raw.logs[number][row * stride : (row + 1) * stride]]
        at = 1 + len(case.antecedents)
        links = tuple(zip(line[at::2], line[at + 1 :: 2], strict=True))
        instance = Instance(number, tuple(line[1:at]), line[0], links)
        weighs = self._weighs[number]
        ways = {tuple(weigh(binding) for weigh in weighs) for binding in instance_bindings(chart, instance)}
        return sorted((sum(way) for way in ways), reverse=True)

    @staticmethod
    def of_hypotheses(chart: BareChart, given: Weights) -> dict[int, float]:
        """Return the weights of hypotheses, by item."""
        found: dict[int, float] = {}
        for item in range(chart.raw.hypothesis_count):
            form = chart.schema.forms[chart.raw.form_of[item]]
            if form.name in given.steps and form.name not in chart.schema.step_names:
                fields = dict(zip((f.name for f in form.fields), chart.raw.values[item], strict=True))
                weigh = _called(given.steps[form.name], form.name, {*fields, "n"})
                found[item] = weigh({**fields, "n": chart.n})
        return found


def _called(function: Callable[..., float], name: str, variables: set[str]) -> Weigh:
    """Return a function of a binding that calls a user's function with the variables it names."""
    wanted = list(inspect.signature(function).parameters)
    for variable in wanted:
        if variable not in variables:
            expected = listing(sorted(variables))
            raise UsageError(f"{name} has no variable {variable}", code="bad-weights", expected=expected)

    def weigh(binding: Binding) -> float:
        weight = float(function(**{variable: binding[variable] for variable in wanted}))
        if math.isnan(weight) or weight == math.inf:
            raise UsageError(
                f"the weight of {name} is {weight}", code="bad-weights", expected="a number, or -inf"
            )
        return weight

    return weigh
