"""Profiles of a schema on a sentence: the instances, the time and the selectivity of the joins of every step.

The kernel is measured in Python, with a clock around every rule for every antecedent, and in a second run with
counters, so that counting takes no measured time. Step instances and candidates do not depend on the machine;
the time does. For native kernels in a proved order the profile shows their loops as well.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from time import perf_counter
from timeit import Timer
from typing import Any

from schemata.analysis import plans
from schemata.analysis.figures import warnings_json
from schemata.budget import Budget
from schemata.engine.chart import Chart
from schemata.engine.exceeded import BudgetExceeded, Interrupted
from schemata.engine.run import Kernel, run_kernel
from schemata.errors import GrammarError, UsageError
from schemata.kernels.measures import Probe
from schemata.kernels.store import AgendaStore, NativeRaw
from schemata.language import model as m
from schemata.program.model import Program
from schemata.records import Record, Shown, Tabular, document, fields_json, json_of, replace
from schemata.structures import Sentence
from schemata.thresholds import EFFORTS, WAYS
from schemata.workbench import GivenGrammar, ParsingSchema, schema_of

_TURNS, _ROUNDS = 2_000, 10  # of measuring what a clock takes


# What a profile says ----------------------------------------------------------------------------------------------


class Filing(Record):
    """The cost of filing the items of one form, which belongs to no step.

    Attributes
    ----------
    form : its name.
    items : how many were filed, hypotheses included.
    indexes : in how many indexes each was filed.
    has_writings : whether an item has several writings, which were found and filed.
    seconds : of the Python kernel.
    share : of its time, 0 to 1.
    """

    form: str
    items: int
    indexes: int
    has_writings: bool
    seconds: float
    share: float

    to_json = json_of("form items indexes has_writings seconds share")


class EngineProfile(Record):
    """The engine of a run.

    Attributes
    ----------
    engine : "python" or "native".
    kernel : "ordered" or "agenda".
    about : the work of the kernel, in a sentence.
    rules : of an ordered kernel, in the order in which they run within a level.
    """

    engine: str
    kernel: str
    about: str
    rules: tuple[plans.NativeRule, ...] = ()

    to_json = json_of("name=engine kernel about rules")


class Bottleneck(Record):
    """The step that takes the most time, the block that takes most of that, and why, in a sentence."""

    step: plans.StepProfile
    case: str | None
    block: plans.BlockProfile
    why: str

    to_json = json_of(
        "step=step.name share=step.share case note~=block.note antecedent~=block.place block_share=block.share why"
    )


class Profile(Record, Shown, Tabular, repr=False, slots=False):
    """The profile of a run.

    Attributes
    ----------
    chart : the chart of the engine for the whole sentence.
    first_seconds : of the first run by that engine, its start included; a later one takes `chart.seconds`.
    over : the limit that stopped that run, None if none did.
    measured : the chart of the beginning on which the Python kernel was measured; stopped where limits cut it short.
    seconds : of the Python kernel, without the time of the clocks.
    rest : the part of it outside all steps and filing: hypotheses, the agenda, final items.
    steps : in the order of the schema.
    filing : by item form.
    """

    chart: Chart
    first_seconds: float
    over: BudgetExceeded | None
    measured: Chart
    seconds: float
    rest: float
    steps: tuple[plans.StepProfile, ...]
    filing: tuple[Filing, ...]

    def table_rows(self) -> list[dict[str, Any]]:
        """Return a row for each step."""
        return [step.to_json() for step in self.steps]

    @property
    def measured_n(self) -> int:
        """The length of the beginning of the sentence on which the kernel was measured, in words."""
        return len(self.measured.sentence)

    @property
    def rest_share(self) -> float:
        """The share of the time outside all steps and filing; all shares add up to 1."""
        return self.rest / self.seconds if self.seconds else 1.0

    @property
    def is_whole(self) -> bool:
        """Whether the measured part is all that the engine derived."""
        return self.measured_n == len(self.chart.sentence) and self.measured.stopped == self.chart.stopped

    @cached_property
    def engine(self) -> EngineProfile:
        """The engine that ran the sentence, and a description of it."""
        return _engine_profile(self.chart)

    @cached_property
    def bottleneck(self) -> Bottleneck | None:
        """The step that takes the most time; None if no step has anything to do."""
        busy = [step for step in self.steps if step.candidates]
        if not busy:
            return None
        step = max(busy, key=lambda step: (step.seconds, step.candidates))
        blocks = [(case, block) for case in step.cases for block in case.blocks]
        case, block = max(blocks, key=lambda row: (row[1].seconds, row[1].candidates))
        return Bottleneck(step, case.label, block, plans.reason(block))

    def to_json(self) -> dict[str, Any]:
        """Return the profile as the JSON object that `schemata profile --json` prints."""
        return document(self.chart.heading(), warnings_json(self.chart)) | fields_json(
            self,
            "items=chart.item_count steps=chart.step_count steps_by_name=chart.steps_by_name engine "
            "seconds=chart.seconds first_seconds "
            "measured(engine=measured.engine words=measured_n items=measured.item_count steps=measured.step_count "
            "seconds rest_seconds=rest rest_share stopped=measured.stopped) "
            "bottleneck by_step=steps filing stopped?=chart.stopped",
        )


# Measuring ------------------------------------------------------------------------------------------------------


def profile(
    schema: ParsingSchema | str | Path,
    sentence: str | Sequence[str] | Sentence,
    grammar: GivenGrammar = None,
    budget: Budget | None = None,
    max_n: int | None = None,
) -> Profile:
    """Measure the work of every step of a schema on a sentence.

    The sentence is run by the schema's engine first. Then the Python kernel is measured on it; where it has more than
    200,000 step instances, on its longest prefix with at most that many. A grammar of the whole sentence alone (a tree)
    does not fit a prefix: then the first 200,000 instances are measured.

    Parameters
    ----------
    schema : the schema, or an argument of `load`.
    sentence, grammar, budget : as for `ParsingSchema.run`; the limits hold for each run. If the budget has an end, the
        engine's run may take half of the time to it.
    max_n : measure the first `max_n` words, and all of them however many instances there are.

    Raises
    ------
    SchemaError : the schema has errors.
    UsageError, GrammarError : as `ParsingSchema.run`; or `max_n` is less than 1, or the grammar is a tree of the
        whole sentence and `max_n` does not take all of it.
    Interrupted : Ctrl-C; carries the partial chart.

    >>> found = profile("eisner1996", "the cat sat on it")
    >>> [(step.name, step.instances, step.candidates) for step in found.steps]
    [('Initter', 5, 14), ('R-Link', 10, 15), ('L-Link', 15, 15), ('CombineSpans', 70, 82)]
    """
    if max_n is not None and max_n < 1:
        raise UsageError(f"{max_n} words to measure", code="bad-option", expected="1 or more")
    schema, words = schema_of(schema).of_inputs(sentence)
    chosen = schema.check_grammar(grammar, words=len(words))
    whole = Budget().unless(budget)
    limits = whole.part(0.5)
    plain, over = _chart(lambda: schema.run(words, chosen, budget=limits))
    first_seconds = plain.seconds
    if plain.engine == "native" and over is None:
        plain, over = _chart(lambda: schema.run(words, chosen, budget=limits, engine="native"))
    part, provided, bounds = _measured_part(schema, words, chosen, whole.part(0.4), plain, max_n)
    bounds = replace(bounds, seconds=whole.seconds, end=whole.end)
    counted, program, counters, times = _measure(schema.definition, part, provided, bounds)
    seconds = times.rest + sum(times.spent) + sum(times.filed.values())
    blocks = plans.blocks_of(program, counters, times.spent, seconds)
    steps = tuple(_step(schema.definition, name, blocks) for name in schema.definition.step_names)
    filing = _filing(counted, _indexes(program, counters), times.filed, seconds)
    return Profile(plain, first_seconds, over, counted, seconds, times.rest, steps, filing)


def _chart(run: Callable[[], Chart]) -> tuple[Chart, BudgetExceeded | None]:
    """Return a run's chart, perhaps partial, and the limit that stopped it."""
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
    few = replace(budget, steps=min(budget.steps, EFFORTS.profile_steps))
    n, limits = max_n or len(words), budget

    def is_long(n: int) -> bool:
        chart, over = _chart(lambda: schema.run(_beginning(words, n), grammar, budget=few))
        return over is not None or chart.step_count > EFFORTS.profile_steps

    try:
        if max_n is None and plain.step_count > EFFORTS.profile_steps:
            # The first word alone is measured in any case.
            n, limits = 1 + bisect_left(range(2, len(words)), True, key=is_long), few
        if n >= len(words):
            return words, plain.grammar, limits
        part = _beginning(words, n)
        return part, grammar.for_sentence(part), limits
    except (GrammarError, UsageError) as error:
        if max_n is None:
            return words, plain.grammar, few
        message = f"the first {max_n} words cannot be measured alone: the grammar is of the whole sentence"
        raise UsageError(message, code="bad-option", hint="measure all words") from error


def _beginning(sentence: Sentence, n: int) -> Sentence:
    """Return the first n words of a sentence, without annotations of the whole sentence."""
    tags = None if sentence.tags is None else sentence.tags[:n]
    return Sentence(sentence.words[:n], tags)


class _Times(Record):
    """Seconds of a run: outside everything that has a clock, in every block, and on filing items of every form."""

    rest: float
    spent: list[float]
    filed: dict[str, float]


def _measure(
    definition: m.Schema, words: Sentence, grammar: Any, budget: Budget
) -> tuple[Chart, Program, Probe, _Times]:
    """Return the counted chart with its program and counters, and the times without the cost of the
    clocks.
    """
    kernel = Kernel(definition, "rows")
    chart, _ = _chart(lambda: run_kernel(kernel, words, grammar, budget.part(0.5)))
    counters = _probe(kernel, chart)
    clocked = Kernel(definition, "time")
    clocked.agenda.module(None, *_purpose(kernel, chart))  # made before time counts
    times = _timed(clocked, words, grammar, budget)
    inside, outside = _clock_cost()
    entries = [counters.counted[plan.taken] for plan in counters.plans]
    items = _items(chart)
    rest = max(0.0, times.rest - (sum(entries) + sum(items.values())) * outside)
    spent = [max(0.0, s - e * inside) for s, e in zip(times.spent, entries, strict=True)]
    filed = {form: max(0.0, s - items[form] * inside) for form, s in times.filed.items()}
    return chart, kernel.program, counters, _Times(rest, spent, filed)


def _probe(kernel: Kernel, chart: Chart) -> Probe:
    """Return the measurements of the run that led to a chart."""
    probe = kernel.agenda.text(*_purpose(kernel, chart)).probe
    assert probe is not None
    return probe


def _purpose(kernel: Kernel, chart: Chart) -> tuple[bool, str]:
    """Return the storage and the purpose of the kernel that made a chart."""
    if isinstance(chart.raw, NativeRaw) and isinstance(chart.raw.store, AgendaStore):
        return chart.raw.store.run.hashed, chart.raw.store.run.purpose
    return not kernel.agenda.layout.bounded, "log"


def _timed(kernel: Kernel, words: Sentence, grammar: Any, budget: Budget) -> _Times:
    """Return the times that the clocks measure.

    A short run is repeated, and the least time of each part counts: other work of the machine only adds to it.
    """
    forms = [form.name for form in kernel.schema.forms]
    rows: list[_Times] = []
    for _ in range(WAYS.profile_repeats):
        chart, _ = _chart(lambda: run_kernel(kernel, words, grammar, budget))
        clocks = _probe(kernel, chart)
        filed = dict.fromkeys(_indexes(kernel.program, clocks), 0.0)
        for number, seconds in clocks.filed.items():
            form = forms[kernel.program.kinds[number].form]
            if form in filed:
                filed[form] += seconds
        rest = chart.seconds - sum(clocks.spent) - sum(filed.values())
        rows.append(_Times(max(0.0, rest), list(clocks.spent), filed))
        clocks.reset()
        if chart.seconds > WAYS.profile_seconds or budget.part(0.5).seconds < chart.seconds:
            break
    return _Times(
        min(times.rest for times in rows),
        [min(seconds) for seconds in zip(*(times.spent for times in rows), strict=True)],
        {form: min(times.filed[form] for times in rows) for form in rows[0].filed},
    )


def _clock_cost() -> tuple[float, float]:
    """Return the seconds that one clock takes, within its measured span and outside; the least of several
    rounds.
    """
    spent = [0.0]
    names = {"spent": spent, "clock": perf_counter}
    clocked = Timer("begun = clock(); spent[0] += clock() - begun", "spent[0] = 0.0", globals=names)
    rounds = [(clocked.timeit(_TURNS), spent[0]) for _ in range(_ROUNDS)]
    around, inside = map(min, zip(*rounds, strict=True))
    empty = min(Timer().repeat(_ROUNDS, _TURNS))
    return inside / _TURNS, max(0.0, around - empty - inside) / _TURNS


def _items(chart: Chart) -> dict[str, int]:
    """Return the number of items of each form, hypotheses included."""
    counts = Counter(chart.raw.form_of)
    return {form.name: counts[k] for k, form in enumerate(chart.schema.forms)}


def _indexes(program: Program, probe: Probe) -> dict[str, int]:
    """Return, for each form whose items are kept in indexes, the greatest number of indexes that hold one item."""
    found: dict[str, int] = {}
    for kind in program.kinds:
        if probe.indexes[kind.number] or kind.form in program.equations:
            form = program.schema.forms[kind.form].name
            found[form] = max(found.get(form, 0), probe.indexes[kind.number])
    return found


# Rows -----------------------------------------------------------------------------------------------------------


def _filing(
    chart: Chart, indexes: Mapping[str, int], filed: Mapping[str, float], total: float
) -> tuple[Filing, ...]:
    items, found = _items(chart), []
    for form, seconds in filed.items():
        has_writings, share = chart.schema.form(form).has_normal_form, seconds / total if total else 0.0
        found.append(Filing(form, items[form], indexes[form], has_writings, seconds, share))
    return tuple(found)


def _step(
    schema: m.Schema, name: str, blocks: Mapping[int, Sequence[plans.BlockProfile]]
) -> plans.StepProfile:
    numbers = [k for k, case in enumerate(schema.cases) if case.step == name]
    cases = []
    for at, number in enumerate(numbers, start=1):
        label = schema.cases[number].label or (f"case {at}" if len(numbers) > 1 else None)
        own = tuple(blocks.get(number, ()))
        cases.append(plans.CaseProfile(*_sums(own), label, own))
    every = tuple(block for case in cases for block in case.blocks)
    return plans.StepProfile(*_sums(every), None, every, name, tuple(cases))


def _sums(parts: Sequence[plans.Work]) -> tuple[int, int, float, float]:
    """Return the work of all parts."""
    sums: Any = [sum(getattr(one, name) for one in parts) for name in plans.Work.__annotations__]
    return tuple(sums)


# Native engines ---------------------------------------------------------------------------------------------------


def _engine_profile(chart: Chart) -> EngineProfile:
    """Return the profile of the engine that derived a chart.

    Instances of an ordered kernel's rules are those that the kernel counted.
    """
    one_by_one = "items are taken from an agenda one by one; partners are looked up"
    if chart.engine == "python":
        return EngineProfile("python", "agenda", f"{one_by_one} in indexes")
    from schemata.ordered.store import OrderedStore

    raw = chart.raw
    assert isinstance(raw, NativeRaw)
    if not isinstance(raw.store, OrderedStore):
        return EngineProfile("native", "agenda", f"{one_by_one} by the same plans as below")
    tables, order = raw.store.tables, raw.store.tables.kernel.order
    strata = f", in {order.strata} strata within a level" if order.strata > 1 else ""
    about = f"items are completed level by level in a proved order{strata}"
    rules = plans.native_rules(order, tables.counted.tolist())
    return EngineProfile("native", "ordered", f"{about}; antecedents are looked up in tables", rules)
