"""Counts over many sentences: from charts at first, later from native tables that all sentences share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from schemata.budget import Budget, resident_bytes
from schemata.charts import Counts
from schemata.engine.engines import MANY_RUNS, Engines
from schemata.structures import Sentence

if TYPE_CHECKING:
    from schemata.engine.native import NativeEngine
    from schemata.ordered.run import BatchCounter


def count_each(
    engines: Engines, sentences: Iterable[tuple[Sentence, Any]], budget: Budget
) -> Iterator[Counts]:
    """Yield the counts of every sentence.

    Parameters
    ----------
    engines : those of the schema.
    sentences : each with what the grammar provides for it.
    budget : limits of every single run.

    Raises
    ------
    BudgetExceeded, Interrupted : as a run does.
    """
    counter, looked = engines.counter, engines.counter is not None
    steps = 0
    for sentence, provided in sentences:
        if not looked and engines.is_worth(MANY_RUNS, steps):
            looked = True
            assert engines.native is not None
            counter = engines.counter = batch_counter(engines.native, provided)
        found = None
        if counter is not None:
            found = counter.count(provided, lambda: budget.memory - resident_bytes(), budget.native_steps)
        if found is None:
            chart = engines.run(sentence, provided, budget)
            found = Counts(len(sentence), chart.item_count, chart.step_count, chart.accepted)
        steps += found.steps
        yield found


def batch_counter(native: NativeEngine, provided: Any) -> BatchCounter | None:
    """Return what counts natively; None where the schema or the installation has nothing that does.

    Parameters
    ----------
    native : the schema's native engine.
    provided : what the grammar of any sentence provides.
    """
    if native.ordered is None or native.program.schema.grammar != "d-rules":
        return None
    from schemata.engine.native import hypotheses_of
    from schemata.ordered.run import BatchCounter

    if not BatchCounter.can_count(native.ordered):
        return None
    return BatchCounter(native.ordered, lambda n: hypotheses_of(native.agenda, n, provided))
