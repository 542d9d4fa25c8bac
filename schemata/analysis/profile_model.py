"""What a profile says: the figures of a run, and the bottleneck with the reason for it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from schemata.analysis.profile_figures import BlockProfile, Filing, StepProfile
from schemata.analysis.profile_reason import reason

if TYPE_CHECKING:
    from schemata.analysis.profile_native import EngineProfile
    from schemata.engine.budget import BudgetExceeded
    from schemata.engine.chart import Chart
    from schemata.language import model as m
    from schemata.structures import Sentence

__all__ = ["Bottleneck", "Profile"]


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """The step that takes the most time, the block that takes most of that, and why, in a sentence."""

    step: StepProfile
    case: str | None
    block: BlockProfile
    why: str

    def to_json(self) -> dict[str, Any]:
        """Return the bottleneck as JSON."""
        return {
            "step": self.step.name,
            "share": self.step.share,
            "case": self.case,
            "note": self.block.note or None,
            "antecedent": self.block.place or None,
            "block_share": self.block.share,
            "why": self.why,
        }


@dataclass(frozen=True)
class Profile:
    """The profile of a run.

    Attributes
    ----------
    schema, sentence : what was run, on what.
    chart : what the engine derived for the whole sentence.
    first_seconds : of the first run by that engine, its start included; a later one takes `chart.seconds`.
    over : what stopped that run, None where it came to its end.
    measured_n : words of the beginning on which the Python kernel was measured.
    measured : the chart of that; stopped where limits cut it short.
    seconds : of the Python kernel, without what the clocks took.
    rest : the part of it outside all steps and filing: hypotheses, the agenda, final items.
    steps : in the order of the schema.
    filing : by item form.
    """

    schema: m.Schema
    sentence: Sentence
    chart: Chart
    first_seconds: float
    over: BudgetExceeded | None
    measured_n: int
    measured: Chart
    seconds: float
    rest: float
    steps: tuple[StepProfile, ...]
    filing: tuple[Filing, ...]

    @property
    def rest_share(self) -> float:
        """The part of the time outside all steps and filing; with their shares it makes 1."""
        return self.rest / self.seconds if self.seconds else 1.0

    @property
    def is_whole(self) -> bool:
        """Whether the measured part is all that the engine derived."""
        return self.measured_n == len(self.sentence) and self.measured.stopped == self.chart.stopped

    @cached_property
    def engine(self) -> EngineProfile:
        """What the engine is that ran the sentence, and what it does."""
        from schemata.analysis.profile_native import engine_profile

        return engine_profile(self.chart)

    @cached_property
    def bottleneck(self) -> Bottleneck | None:
        """The step that takes the most time; None where no step has anything to do."""
        busy = [step for step in self.steps if step.candidates]
        if not busy:
            return None
        step = max(busy, key=lambda step: (step.seconds, step.candidates))
        blocks = [(case, block) for case in step.cases for block in case.blocks]
        case, block = max(blocks, key=lambda row: (row[1].seconds, row[1].candidates))
        return Bottleneck(step, case.label, block, reason(block))

    def to_json(self) -> dict[str, Any]:
        """Return the profile as the JSON object that `schemata profile --json` prints."""
        worst = self.bottleneck
        found: dict[str, Any] = {
            "schema": self.schema.name,
            "parameters": {p.name: p.value for p in self.schema.parameters},
            "sentence": list(self.sentence.words),
            "items": self.chart.item_count,
            "steps": self.chart.step_count,
            "steps_by_name": dict(self.chart.steps_by_name),
            "engine": self.engine.to_json(),
            "seconds": self.chart.seconds,
            "first_seconds": self.first_seconds,
            "measured": {
                "engine": "python",
                "words": self.measured_n,
                "items": self.measured.item_count,
                "steps": self.measured.step_count,
                "seconds": self.seconds,
                "rest_seconds": self.rest,
                "rest_share": self.rest_share,
                "stopped": self.measured.stopped,
            },
            "bottleneck": None if worst is None else worst.to_json(),
            "by_step": [step.to_json() for step in self.steps],
            "filing": [filing.to_json() for filing in self.filing],
        }
        if self.chart.stopped:
            found["stopped"] = self.chart.stopped
        return found
