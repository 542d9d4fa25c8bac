"""Profiles of a schema on a sentence: for every step its instances, its time, and how well its joins select.

What is measured is the generated Python kernel, with a clock around every block (one rule, one place of it), and
in a second run with counters, so that counting takes no measured time. Step instances and partners tried do not
depend on the machine; the time does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from schemata.engine.budget import BudgetExceeded, Interrupted
from schemata.engine.probe import PlannedBlock, Probe, compile_probed
from schemata.engine.run import run_kernel
from schemata.structures import Sentence

if TYPE_CHECKING:
    from schemata.engine.budget import Budget
    from schemata.engine.chart import Chart
    from schemata.language import model as m
    from schemata.workbench import ParsingSchema

__all__ = ["BlockProfile", "Profile", "StepProfile", "profile"]

_SHORT = 0.5  # seconds; a shorter run is timed again
_REPEATS = 7


@dataclass(frozen=True, slots=True)
class BlockProfile:
    """What one block of the kernel did: an item takes one place of one rule, and partners are found.

    `place` is the antecedent that the item is (1-based), 0 for a rule without antecedents; `label` is that of the
    case, `note` says which lengths of lists the block is for; `plan` is what it does, in words.
    """

    label: str | None
    place: int
    note: str
    trigger: str
    plan: tuple[str, ...]
    tried: int
    instances: int
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """Return the block as JSON."""
        return {
            "case": self.label,
            "antecedent": self.place or None,
            "note": self.note or None,
            "trigger": self.trigger,
            "plan": list(self.plan),
            "tried": self.tried,
            "instances": self.instances,
            "seconds": self.seconds,
        }


@dataclass(frozen=True, slots=True)
class StepProfile:
    """What a step did; `share` is its part of the kernel's time, between 0 and 1."""

    name: str
    instances: int
    tried: int
    seconds: float
    share: float
    blocks: tuple[BlockProfile, ...]

    @property
    def selectivity(self) -> float | None:
        """Step instances for every partner that joins looked at; None where they looked at none."""
        return self.instances / self.tried if self.tried else None

    def to_json(self) -> dict[str, Any]:
        """Return the step as JSON."""
        return {
            "step": self.name,
            "instances": self.instances,
            "tried": self.tried,
            "selectivity": self.selectivity,
            "seconds": self.seconds,
            "share": self.share,
            "blocks": [b.to_json() for b in self.blocks],
        }


@dataclass(frozen=True, slots=True)
class Profile:
    """The profile of a run.

    `seconds` is the time of the measured run of the Python kernel, `rest` the part of it outside all steps: the
    agenda, filing items in the indexes, writings. `engine` and `engine_seconds` are those of a run by the engine
    asked for. `stopped` says which limit a run hit, if any.
    """

    schema: str
    parameters: dict[str, int]
    words: tuple[str, ...]
    items: int
    instances: int
    seconds: float
    rest: float
    engine: str
    engine_seconds: float
    stopped: str | None
    steps: tuple[StepProfile, ...]

    @property
    def bottleneck(self) -> StepProfile | None:
        """The step that took the most time; None if there is no time to speak of."""
        worst = max(self.steps, key=lambda step: step.seconds, default=None)
        return worst if worst is not None and worst.seconds > 0 else None

    def to_json(self) -> dict[str, Any]:
        """Return the profile as JSON."""
        worst = self.bottleneck
        return {
            "schema": self.schema,
            "parameters": self.parameters,
            "sentence": list(self.words),
            "items": self.items,
            "steps": self.instances,
            "engine": self.engine,
            "engine_seconds": self.engine_seconds,
            "measured": "python",
            "seconds": self.seconds,
            "seconds_outside_steps": self.rest,
            "bottleneck": None if worst is None else worst.name,
            "by_step": [s.to_json() for s in self.steps],
            **({"stopped": self.stopped} if self.stopped else {}),
        }


def profile(
    schema: ParsingSchema,
    sentence: str | Sequence[str] | Sentence,
    grammar: Any = None,
    budget: Budget | None = None,
) -> Profile:
    """Measure what every step of a schema does on a sentence.

    Parameters
    ----------
    schema, sentence, grammar, budget : as for `ParsingSchema.run`. The limits hold for each of three runs: one by
        the schema's engine, one with clocks and one with counters. A run that hits one counts as far as it came.

    Raises
    ------
    UsageError, GrammarError : as `ParsingSchema.run`.
    Interrupted : Ctrl-C.

    >>> import schemata
    >>> found = profile(schemata.load("eisner1996"), "the cat sat on it")
    >>> [(step.name, step.instances, step.tried) for step in found.steps]
    [('Initter', 5, 11), ('R-Link', 10, 0), ('L-Link', 15, 0), ('CombineSpans', 70, 70)]
    """
    words = Sentence.of(sentence)
    chosen = schema.check_grammar(grammar)
    provided = chosen.for_sentence(words)
    plain, stopped = _chart(lambda: schema.run(words, chosen, budget=budget))
    definition = schema.definition
    kernel, counters = compile_probed(definition, "rows")
    counted, _ = _chart(lambda: run_kernel(kernel, words, provided, budget))
    kernel, clocks = compile_probed(definition, "time")
    rest, spent, late = _timed(lambda: run_kernel(kernel, words, provided, budget), clocks)
    seconds = rest + sum(spent)
    return Profile(
        schema.name,
        dict(schema.parameters),
        words.words,
        counted.item_count,
        counted.step_count,
        seconds,
        rest,
        plain.engine,
        plain.seconds,
        stopped or late,
        tuple(_step(definition, name, counted, counters, spent, seconds) for name in definition.step_names),
    )


def _chart(run: Any) -> tuple[Chart, str | None]:
    """Return a run's chart, as far as it came, and the limit it hit."""
    try:
        return run(), None
    except Interrupted:
        raise
    except BudgetExceeded as over:
        return over.chart, over.chart.stopped


def _timed(run: Any, clocks: Probe) -> tuple[float, list[float], str | None]:
    """Return the seconds outside all blocks and in each block, and the limit a run hit.

    A short run is repeated, and the least time of each part counts: what else the machine does only adds to it.
    """
    rest: list[float] = []
    spent: list[list[float]] = []
    for _ in range(_REPEATS):
        clocks.spent[:] = [0.0] * len(clocks.spent)
        chart, stopped = _chart(run)
        rest.append(max(0.0, chart.seconds - sum(clocks.spent)))
        spent.append(list(clocks.spent))
        if chart.seconds > _SHORT:
            break
    return min(rest), [min(times) for times in zip(*spent, strict=True)], stopped


def _step(
    schema: m.Schema, name: str, chart: Chart, counters: Probe, spent: Sequence[float], total: float
) -> StepProfile:
    places = [k for k, block in enumerate(counters.blocks) if schema.cases[block.case].step == name]
    blocks = tuple(
        _block(schema, counters.blocks[k], counters.tried[k], counters.found[k], spent[k]) for k in places
    )
    seconds = sum(block.seconds for block in blocks)
    return StepProfile(
        name,
        chart.steps_by_name[name],
        sum(block.tried for block in blocks),
        seconds,
        seconds / total if total else 0.0,
        blocks,
    )


def _block(schema: m.Schema, block: PlannedBlock, tried: int, found: int, seconds: float) -> BlockProfile:
    from schemata.language.typeset import pattern_text

    case = schema.cases[block.case]
    trigger = (
        f"each {pattern_text(schema, case.antecedents[block.place].pattern)}"
        if block.place >= 0
        else "the start"
    )
    plan = tuple(move.text for move in block.moves)
    return BlockProfile(case.label, block.place + 1, block.note, trigger, plan, tried, found, seconds)
