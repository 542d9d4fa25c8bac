"""Profiles of a schema on a sentence: for every step its instances, its time, and how well its joins select.

What is measured is the generated Python kernel, with a clock around every block (one rule, one place of it), and
in a second run with counters, so that counting takes no measured time. Step instances and candidates do not
depend on the machine; the time does. What a native engine does is told by `profile_native`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from schemata.analysis.profile_figures import BlockProfile, CaseProfile, Filing, PlanMove, StepProfile
from schemata.analysis.profile_model import Profile
from schemata.engine.budget import Budget, BudgetExceeded, Interrupted
from schemata.engine.python.probe import PlannedBlock, Probe, clock_cost
from schemata.engine.python.probed_kernel import compile_probed
from schemata.engine.python.runner import run_kernel
from schemata.errors import Diagnostic, GrammarError, UsageError
from schemata.language.typeset import pattern_text
from schemata.structures import Sentence

if TYPE_CHECKING:
    from schemata.engine.chart import Chart
    from schemata.engine.python.runner import Kernel
    from schemata.language import model as m
    from schemata.workbench import ParsingSchema

__all__ = ["profile"]

_REPEATS = 5  # of short runs, of which the least times count
_SHORT = 0.5  # seconds
_LONG = 200_000  # step instances beyond which a beginning of the sentence is measured


def profile(
    schema: ParsingSchema,
    sentence: str | Sequence[str] | Sentence,
    grammar: Any = None,
    budget: Budget | None = None,
    max_n: int | None = None,
) -> Profile:
    """Measure what every step of a schema does on a sentence.

    The sentence is run by the schema's engine first. Then the Python kernel is measured on it; where it has more
    than 200,000 step instances, on its longest beginning that has not. A grammar that is for the whole sentence
    alone (a tree) has none for a beginning: then the first 200,000 instances are measured.

    Parameters
    ----------
    schema, sentence, grammar, budget : as for `ParsingSchema.run`; the limits hold for each run.
    max_n : measure the first `max_n` words, and all of them however many instances there are.

    Raises
    ------
    UsageError, GrammarError : as `ParsingSchema.run`; or `max_n` is less than 1, or the grammar is a tree of the
        whole sentence and `max_n` does not take all of it.
    Interrupted : Ctrl-C; carries the partial chart.

    >>> import schemata
    >>> found = profile(schemata.load("eisner1996"), "the cat sat on it")
    >>> [(step.name, step.instances, step.candidates) for step in found.steps]
    [('Initter', 5, 14), ('R-Link', 10, 40), ('L-Link', 15, 40), ('CombineSpans', 70, 82)]
    """
    if max_n is not None and max_n < 1:
        raise UsageError(Diagnostic("bad-option", f"{max_n} words to measure", expected="1 or more"))
    words = Sentence.of(sentence)
    chosen = schema.check_grammar(grammar)
    limits = budget or Budget()
    plain, over = _chart(lambda: schema.run(words, chosen, budget=limits))
    first_seconds = plain.seconds
    if plain.engine == "native" and over is None:
        plain, over = _chart(lambda: schema.run(words, chosen, budget=limits, engine="native"))
    part, provided, bounds = _measured_part(schema, words, chosen, limits, plain, max_n)
    counted, counters, times = _measure(schema.definition, part, provided, bounds)
    seconds = times.rest + sum(times.spent) + sum(times.filed.values())
    return Profile(
        schema.definition,
        words,
        plain,
        first_seconds,
        over,
        len(part),
        counted,
        seconds,
        times.rest,
        tuple(
            _step(schema.definition, name, counters, times.spent, seconds)
            for name in schema.definition.step_names
        ),
        _filing(counted, counters, times.filed, seconds),
    )


def _chart(run: Callable[[], Chart]) -> tuple[Chart, BudgetExceeded | None]:
    """Return a run's chart, as far as it came, and what stopped it."""
    try:
        return run(), None
    except Interrupted:
        raise
    except BudgetExceeded as over:
        return over.chart, over


# What is measured ---------------------------------------------------------------------------------------------


def _measured_part(
    schema: ParsingSchema, words: Sentence, grammar: Any, budget: Budget, plain: Chart, max_n: int | None
) -> tuple[Sentence, Any, Budget]:
    """Return the beginning of the sentence to measure, its grammar, and the limits of the measured runs."""
    whole = words, plain.grammar, budget
    few = replace(budget, steps=min(budget.steps, _LONG))
    if max_n is not None:
        if max_n >= len(words):
            return whole
        part = _beginning(words, max_n)
        try:
            return part, grammar.for_sentence(part), budget
        except (GrammarError, UsageError) as error:
            raise UsageError(
                Diagnostic(
                    "bad-option",
                    f"the first {max_n} words cannot be measured alone: the grammar is of the whole sentence",
                    hint="measure all words",
                )
            ) from error
    if plain.step_count <= _LONG:
        return whole
    try:
        low, high = 1, len(words)  # the first word alone is measured in any case
        while high - low > 1:
            middle = (low + high) // 2
            part = _beginning(words, middle)
            chart, over = _chart(lambda part=part: schema.run(part, grammar, budget=few))  # type: ignore[misc]
            if over is not None or chart.step_count > _LONG:
                high = middle
            else:
                low = middle
        part = _beginning(words, low)
        return part, grammar.for_sentence(part), few
    except (GrammarError, UsageError):
        return words, plain.grammar, few


def _beginning(sentence: Sentence, n: int) -> Sentence:
    """Return the first n words of a sentence, without what is known of the whole alone."""
    tags = None if sentence.tags is None else sentence.tags[:n]
    return Sentence(sentence.words[:n], tags)


@dataclass(frozen=True, slots=True)
class _Times:
    """Seconds of a run: outside everything that has a clock, in every block, and on filing items of every form."""

    rest: float
    spent: list[float]
    filed: dict[str, float]


def _measure(schema: m.Schema, words: Sentence, grammar: Any, budget: Budget) -> tuple[Chart, Probe, _Times]:
    """Return the counted chart with its counters, and the times without what the clocks take themselves."""
    kernel, counters = compile_probed(schema, "rows")
    chart, _ = _chart(lambda: run_kernel(kernel, words, grammar, budget))
    kernel, clocks = compile_probed(schema, "time")
    times = _timed(kernel, clocks, words, grammar, budget)
    inside, outside = clock_cost()
    entries = [counters.counted[block.counters[0]] for block in counters.blocks]
    items = _items(chart)
    turns = {form: items[form] * number for form, number in clocks.clocks.items()}
    return (
        chart,
        counters,
        _Times(
            max(0.0, times.rest - (sum(entries) + sum(turns.values())) * outside),
            [max(0.0, s - e * inside) for s, e in zip(times.spent, entries, strict=True)],
            {form: max(0.0, s - turns[form] * inside) for form, s in times.filed.items()},
        ),
    )


def _timed(kernel: Kernel, clocks: Probe, words: Sentence, grammar: Any, budget: Budget) -> _Times:
    """Return what the clocks say.

    A short run is repeated, and the least time of each part counts: what else the machine does only adds to it.
    """
    found: list[_Times] = []
    for _ in range(_REPEATS):
        clocks.reset()
        chart, _ = _chart(lambda: run_kernel(kernel, words, grammar, budget))
        rest = chart.seconds - sum(clocks.spent) - sum(clocks.filed.values())
        found.append(_Times(max(0.0, rest), list(clocks.spent), dict(clocks.filed)))
        if chart.seconds > _SHORT:
            break
    return _Times(
        min(times.rest for times in found),
        [min(seconds) for seconds in zip(*(times.spent for times in found), strict=True)],
        {form: min(times.filed[form] for times in found) for form in clocks.filed},
    )


def _items(chart: Chart) -> dict[str, int]:
    """Return the number of items of each form, hypotheses included."""
    counts = Counter(chart.raw.form_of)
    return {form.name: counts[k] for k, form in enumerate(chart.schema.forms)}


# Rows -----------------------------------------------------------------------------------------------------------


def _filing(chart: Chart, probe: Probe, filed: Mapping[str, float], total: float) -> tuple[Filing, ...]:
    items = _items(chart)
    return tuple(
        Filing(
            form,
            items[form],
            probe.indexes[form],
            chart.schema.form(form).has_normal_form,
            seconds,
            seconds / total if total else 0.0,
        )
        for form, seconds in filed.items()
    )


def _step(schema: m.Schema, name: str, counters: Probe, spent: Sequence[float], total: float) -> StepProfile:
    numbers = [k for k, case in enumerate(schema.cases) if case.step == name]
    cases = []
    for at, number in enumerate(numbers):
        label = schema.cases[number].label or (f"case {at + 1}" if len(numbers) > 1 else None)
        mine = [k for k, block in enumerate(counters.blocks) if block.case == number]
        blocks = [_block(schema, counters, k, spent[k], total) for k in mine]
        cases.append(CaseProfile(label, tuple(sorted(blocks, key=lambda block: block.place))))
    return StepProfile(name, tuple(cases))


def _block(schema: m.Schema, counters: Probe, number: int, seconds: float, total: float) -> BlockProfile:
    block = counters.blocks[number]
    return BlockProfile(
        block.place + 1,
        block.note,
        _trigger(schema, block),
        counters.counted[block.counters[0]],
        tuple(
            PlanMove(
                move.kind, move.text, move.form, move.key, counters.turns(move) if move.counters else None
            )
            for move in block.moves
        ),
        counters.tried(block),
        counters.found[number],
        seconds,
        seconds / total if total else 0.0,
    )


def _trigger(schema: m.Schema, block: PlannedBlock) -> str:
    if block.place < 0:
        return "the start"
    return pattern_text(schema, schema.cases[block.case].antecedents[block.place].pattern)
