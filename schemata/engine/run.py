"""Runs a schema on a sentence: compiles its kernel once, drives the agenda, keeps the budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from schemata.engine.budget import Budget, BudgetExceeded, Interrupted, OverBudget, Reason, Watch
from schemata.engine.chart import Chart, RawChart, last_position
from schemata.engine.collector import collector_off
from schemata.engine.emit import KernelSource, emit_kernel
from schemata.language import model as m
from schemata.structures import Sentence

__all__ = ["Kernel", "compile_kernel", "run_kernel"]

_CHECK_EVERY = 32  # items between two looks at the budget


@dataclass(frozen=True, slots=True)
class Kernel:
    """A schema's compiled kernel: its source and the two functions of it that a run calls."""

    schema: m.Schema
    source: KernelSource
    begin: Callable[..., tuple[Callable[[], None], tuple[Callable[[int], None], ...]]]
    final_items: Callable[..., set[int]]


def compile_kernel(schema: m.Schema) -> Kernel:
    """Generate and compile the Python kernel of a schema."""
    source = emit_kernel(schema)
    namespace: dict[str, Any] = {}
    exec(compile(source.text, f"<kernel of {schema.name}>", "exec"), namespace)
    return Kernel(schema, source, namespace["kernel"], namespace["final_items"])


def run_kernel(
    kernel: Kernel,
    sentence: Sentence,
    grammar: Any,
    budget: Budget | None = None,
    given: Iterable[tuple[str, tuple[m.Value, ...]]] = (),
) -> Chart:
    """Derive everything the schema derives for a sentence under a sentence grammar.

    Parameters
    ----------
    kernel : the compiled schema.
    sentence : n >= 1 words.
    grammar : what the schema's kind of grammar provides for this sentence (`grammars`).
    budget : limits; the defaults of `Budget` if None.
    given : items that are there from the start, each as its form's name and its values, in normal form. In the
        chart they are items like derived ones: they follow the hypotheses, in the order given.

    Raises
    ------
    BudgetExceeded : a limit was hit; the exception carries the partial chart.
    Interrupted : Ctrl-C; likewise.
    """
    schema = kernel.schema
    raw = RawChart(len(schema.forms), len(schema.cases))
    strides = [1 + len(c.antecedents) + 2 * len(c.links) for c in schema.cases]
    watch = Watch(budget or Budget(), raw.logs, strides)
    reason: Reason | None = None
    try:
        with collector_off():
            _drive(kernel, last_position(sentence, grammar), grammar, raw, watch, given)
    except OverBudget as over:
        reason = over.reason
    except MemoryError:
        reason = "memory"
    except KeyboardInterrupt:
        reason = "interrupt"
    seconds = watch.seconds
    if reason in ("interrupt", "memory"):
        raw.drop_unfinished(strides)
    finals = frozenset(kernel.final_items(last_position(sentence, grammar), grammar, raw))
    chart = Chart(schema, sentence, grammar, raw, finals, seconds, reason)
    if reason is None:
        return chart
    done = f"after {chart.step_count:,} step instances and {seconds:.1f} s"
    if reason == "interrupt":
        raise Interrupted(reason, chart, f"interrupted {done}")
    limit = {
        "steps": f"the budget of {watch.budget.steps:,} step instances",
        "seconds": f"the budget of {watch.budget.seconds:g} seconds",
        "memory": f"the budget of {watch.budget.memory / 2**20:,.0f} MiB of memory",
    }[reason]
    hint = None
    if watch.overflown:
        limit, hint = f"a limit: {watch.overflown}", "some step makes its values grow without end"
    raise BudgetExceeded(reason, chart, f"schema {schema.name} hit {limit}, {done}", hint)


def _drive(
    kernel: Kernel,
    n: int,
    grammar: Any,
    raw: RawChart,
    watch: Watch,
    given: Iterable[tuple[str, tuple[m.Value, ...]]],
) -> None:
    """Take items from the agenda in the order they were found until none is left."""
    start, take = kernel.begin(n, grammar, raw, watch.overflow)
    forms = {form.name: k for k, form in enumerate(kernel.schema.forms)}
    for name, values in given:
        form = forms[name]
        if values not in raw.ids[form]:
            raw.ids[form][values] = len(raw.values)
            raw.values.append(values)
            raw.form_of.append(form)
    start()
    values, form_of, check = raw.values, raw.form_of, watch.check
    x = 0
    while x < len(values):
        if not x % _CHECK_EVERY:
            check()
        take[form_of[x]](x)
        x += 1
    check()
