"""What a step weighs beside its links: the rules and lexicon entries it asks for, and what the run says of it.

A step instance is read back (`program.instances`). Where several bindings make it, with different rules say, it has
several weights, one for each way; a sum adds them up.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias

from schemata.charts import Instance
from schemata.errors import Diagnostic, Location, UsageError, did_you_mean
from schemata.grammars.drules import Licences
from schemata.grammars.relations import FREE
from schemata.language import model as m
from schemata.program.evaluation import number
from schemata.program.instances import final_bindings, instance_bindings
from schemata.program.matching import UNKNOWN, Match, arguments, question, solve
from schemata.weights.scores import Weights
from schemata.weights.semiring import exponential
from schemata.wording import listing

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schemata.charts import BareChart

Binding = Mapping[str, m.Value]
Ways: TypeAlias = (
    "Sequence[tuple[object, float]]"  # what tells one way from another, and its weight in log space
)
Weigh = Callable[[Binding], Ways]


class StepWeights:
    """The weights of a chart's step instances, without those of links.

    Parameters
    ----------
    chart : the chart.
    given : what the run was given.
    scores : the scores of links, [head, dependent], that steps may ask for.

    Attributes
    ----------
    cases : the cases whose instances weigh anything.

    Raises
    ------
    UsageError : a weight is of a step that there is not, or asks for a variable that it has not.
    """

    def __init__(self, chart: BareChart, given: Weights, scores: NDArray[np.float64] | None = None) -> None:
        self.chart, self._scores = chart, scores
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
        found = self._asks(case.conditions)
        if case.weight is not None:
            found = [partial(self._said, case, found)]
        if case.step in given.steps:
            found.append(_called(given.steps[case.step], case.step, {*case.types, "n"}))
        return found

    def _asks(self, conditions: Sequence[m.Condition]) -> list[Weigh]:
        """Return what weighs the rules that conditions ask for."""
        grammar = self.chart.grammar
        # Those of D-rules are weights of links.
        of_rows = {} if isinstance(grammar, Licences) else getattr(grammar, "weights", {})
        return [
            partial(_asked, grammar, condition)
            for condition in conditions
            if isinstance(condition, m.HasFact) and question(condition)[0] in of_rows
        ]

    def of_final(self, item: int) -> Sequence[float]:
        """Return the weights of a final item by the rules for which its clauses ask, for each way, greatest first."""
        asks = [self._asks(clause.conditions) for clause in self.chart.schema.finals]
        ways: dict[object, float] = {}
        for k, binding in final_bindings(self.chart, item) if any(asks) else ():
            for parts in product(*(ask(binding) for ask in asks[k])):
                ways[k, tuple(key for key, _ in parts)] = sum(weight for _, weight in parts)
        return sorted(ways.values(), reverse=True) or [0.0]

    def _said(self, case: m.Case, asks: Sequence[Weigh], binding: Binding) -> Ways:
        """Return what a case says that it weighs, for each way to answer what it asks of the grammar."""
        assert case.weight is not None
        is_log, scores = case.weight.is_log, self._scores
        names = sorted(set(m.variables(case.weight)))
        found: list[tuple[object, float]] = []
        uses_asked = any(isinstance(x, m.Arithmetic) and x.operation == "asked" for x in m.nodes(case.weight))

        def shown(weight: float) -> float:
            return weight if is_log else exponential(weight)

        def score(dependent: float, head: float) -> float:
            return shown(0.0 if scores is None else float(scores[int(head), int(dependent)]))

        for parts in product(*(ask(binding) for ask in asks)) if uses_asked else [()]:
            asked = partial(shown, sum(weight for _, weight in parts))
            given: dict[str, Callable[..., float]] = {"score": score, "asked": asked}
            try:
                weight = number(case.weight.term, binding, given)
                weight = weight if is_log else math.log(weight) if weight else -math.inf
                if math.isnan(weight) or weight == math.inf:
                    raise ValueError
            except (ArithmeticError, ValueError, IndexError):
                raise self._no_weight(case, {name: binding[name] for name in names}) from None
            found.append(((tuple(binding[name] for name in names), tuple(key for key, _ in parts)), weight))
        return found

    def _no_weight(self, case: m.Case, values: Binding) -> UsageError:
        shown = ", ".join(f"{name} = {value}" for name, value in values.items())
        message = f"what step {case.step} says is no weight" + (f" for {shown}" if shown else "")
        place = Location(case.span.source.file, case.span.line, case.span.column)
        expected = "a finite number" if case.weight and case.weight.is_log else "a number from 0"
        return UsageError(Diagnostic("bad-weight", message, place, expected))

    def of(self, instance: Instance) -> Sequence[float]:
        """Return the weights of a step instance in log space, one for each way to make it, greatest first."""
        weighs = self._weighs.get(instance.case, ())
        ways: dict[object, float] = {}
        for binding in instance_bindings(self.chart, instance) if weighs else ():
            for parts in product(*(weigh(binding) for weigh in weighs)):
                ways[tuple(key for key, _ in parts)] = sum(weight for _, weight in parts)
        return sorted(ways.values(), reverse=True)

    @staticmethod
    def of_hypotheses(chart: BareChart, given: Weights) -> dict[int, float]:
        """Return the weights of hypotheses, by item."""
        found: dict[int, float] = {}
        for item in range(chart.raw.hypothesis_count):
            form = chart.schema.forms[chart.raw.form_of[item]]
            if form.name in given.steps and form.name not in chart.schema.step_names:
                fields = dict(zip((f.name for f in form.fields), chart.raw.values[item], strict=True))
                weigh = _called(given.steps[form.name], form.name, {*fields, "n"})
                found[item] = weigh({**fields, "n": chart.n})[0][1]
        return found


def _called(function: Callable[..., float], name: str, variables: set[str]) -> Weigh:
    """Return a function of a binding that calls a user's function with the variables it names."""
    wanted = list(inspect.signature(function).parameters)
    for variable in wanted:
        if variable not in variables:
            expected = listing(sorted(variables))
            raise UsageError(f"{name} has no variable {variable}", code="bad-weights", expected=expected)

    def weigh(binding: Binding) -> Ways:
        values = {variable: binding[variable] for variable in wanted}
        weight = float(function(**values))
        if math.isnan(weight) or weight == math.inf:
            raise UsageError(
                f"the weight of {name} is {weight}", code="bad-weights", expected="a number, or -inf"
            )
        return [(tuple(values.values()), weight)]

    return weigh


def _asked(grammar: Any, condition: m.Condition, binding: Binding) -> Ways:
    """Return the rows of the grammar's relation that a condition asks for, and their weights."""
    name, terms = question(condition)
    values = arguments(terms, binding)
    weights, found = grammar.weights[name], []
    patterns = [k for k, value in enumerate(values) if value is FREE]
    for row in grammar.relations[name].rows(*values):
        free = iter(row)
        whole = tuple(next(free) if value is FREE else value for value in values)
        goals = [Match(whole[k], terms[k], UNKNOWN) for k in patterns]
        if any(not solution.waiting for solution in solve(goals, binding, {}, grammar)):
            found.append((whole, weights.get(whole, 0.0)))
    return found
