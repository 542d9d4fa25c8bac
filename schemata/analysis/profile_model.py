"""What a profile says: blocks, cases and steps with their figures, and the bottleneck with the reason for it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from schemata.analysis.profile_native import EngineProfile
    from schemata.engine.budget import BudgetExceeded
    from schemata.engine.chart import Chart
    from schemata.language import model as m
    from schemata.structures import Sentence

__all__ = ["BlockProfile", "Bottleneck", "CaseProfile", "Filing", "PlanMove", "Profile", "StepProfile"]

_POOR = 0.5  # instances per candidate below which a join is said to select badly
_FINDING = ("index", "scan", "item", "choose")  # kinds of moves that find partners or values


@dataclass(frozen=True, slots=True)
class PlanMove:
    """One part of a plan.

    Attributes
    ----------
    kind : "index" (partners looked up), "scan" (all items of a form gone through), "item" (one item looked up),
        "choose" (what a condition allows is tried), "solve" (an equation), "test".
    text : the same in words.
    form : of the items looked up.
    key : what they are looked up by: pairs of a field, or a part of one, and the value it must have.
    found : partners or choices that came of it; look-ups made, where single items are looked up; None for tests.
    """

    kind: str
    text: str
    form: str | None
    key: tuple[tuple[str, str], ...]
    found: int | None

    def to_json(self) -> dict[str, Any]:
        """Return the move as JSON."""
        return {
            "kind": self.kind,
            "text": self.text,
            "form": self.form,
            "key": dict(self.key),
            "found": self.found,
        }


@dataclass(frozen=True, slots=True)
class BlockProfile:
    """What one block of the kernel did: an item takes one place of one rule, and the rest is found from it.

    Attributes
    ----------
    place : which antecedent the item is, from 1; 0 for a rule without antecedents.
    note : which lengths of lists the block is for.
    trigger : the antecedent's pattern.
    taken : items that took the place.
    plan : what is done, in order.
    candidates : ways to fill the rule's places that were tried, where the search for them is widest.
    instances : step instances found.
    seconds : of the Python kernel.
    share : of the kernel's time, 0 to 1.
    """

    place: int
    note: str
    trigger: str
    taken: int
    plan: tuple[PlanMove, ...]
    candidates: int
    instances: int
    seconds: float
    share: float

    def to_json(self) -> dict[str, Any]:
        """Return the block as JSON."""
        return {
            "antecedent": self.place or None,
            "note": self.note or None,
            "trigger": self.trigger,
            "taken": self.taken,
            "candidates": self.candidates,
            "instances": self.instances,
            "selectivity": _ratio(self.instances, self.candidates),
            "seconds": self.seconds,
            "share": self.share,
            "plan": [move.to_json() for move in self.plan],
        }


@dataclass(frozen=True, slots=True)
class CaseProfile:
    """What one case of a step did; the label is None where the step has one case without a label."""

    label: str | None
    blocks: tuple[BlockProfile, ...]

    @property
    def instances(self) -> int:
        """Step instances found."""
        return sum(block.instances for block in self.blocks)

    @property
    def candidates(self) -> int:
        """Ways to fill the places that were tried."""
        return sum(block.candidates for block in self.blocks)

    @property
    def seconds(self) -> float:
        """Seconds of the Python kernel."""
        return sum(block.seconds for block in self.blocks)

    @property
    def share(self) -> float:
        """The part of the kernel's time, 0 to 1."""
        return sum(block.share for block in self.blocks)

    @property
    def selectivity(self) -> float | None:
        """Instances per candidate; None where nothing was tried."""
        return _ratio(self.instances, self.candidates)

    def to_json(self) -> dict[str, Any]:
        """Return the case as JSON."""
        return {
            "case": self.label,
            "instances": self.instances,
            "candidates": self.candidates,
            "selectivity": self.selectivity,
            "seconds": self.seconds,
            "share": self.share,
            "blocks": [block.to_json() for block in self.blocks],
        }


@dataclass(frozen=True, slots=True)
class StepProfile:
    """What a step did, case by case."""

    name: str
    cases: tuple[CaseProfile, ...]

    @property
    def instances(self) -> int:
        """Step instances found."""
        return sum(case.instances for case in self.cases)

    @property
    def candidates(self) -> int:
        """Ways to fill the places that were tried."""
        return sum(case.candidates for case in self.cases)

    @property
    def seconds(self) -> float:
        """Seconds of the Python kernel."""
        return sum(case.seconds for case in self.cases)

    @property
    def share(self) -> float:
        """The part of the kernel's time, 0 to 1."""
        return sum(case.share for case in self.cases)

    @property
    def selectivity(self) -> float | None:
        """Instances per candidate; None where nothing was tried."""
        return _ratio(self.instances, self.candidates)

    def to_json(self) -> dict[str, Any]:
        """Return the step as JSON."""
        return {
            "step": self.name,
            "instances": self.instances,
            "candidates": self.candidates,
            "selectivity": self.selectivity,
            "seconds": self.seconds,
            "share": self.share,
            "cases": [case.to_json() for case in self.cases],
        }


@dataclass(frozen=True, slots=True)
class Filing:
    """What it took to file the items of one form, in no step.

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

    def to_json(self) -> dict[str, Any]:
        """Return the figures as JSON."""
        return {
            "form": self.form,
            "items": self.items,
            "indexes": self.indexes,
            "has_writings": self.has_writings,
            "seconds": self.seconds,
            "share": self.share,
        }


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
        return Bottleneck(step, case.label, block, _reason(block))

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


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _reason(block: BlockProfile) -> str:
    """Return why a block takes its time, in a sentence."""
    looks = [move for move in block.plan if move.kind in _FINDING]
    widest = max(looks, key=lambda move: move.found or 0, default=None)
    begin = "needs no partner" if widest is None else _join(widest)
    if block.instances >= _POOR * block.candidates:
        cost = f"so the cost is that of its {block.instances:,} instances"
        return f"{begin}; 1 in {block.candidates / block.instances:.1f} candidates fits, {cost}"
    fit = f"none of {block.candidates:,} candidates fits"
    if block.instances:
        fit = f"1 in {block.candidates / block.instances:.1f} candidates fits"
    if widest is not None and widest.kind == "scan" and widest.found == block.candidates:
        return f"{begin}; {fit}, since nothing that is known narrows the choice before it is made"
    return f"{begin}; {fit}, the others {_losses(block, widest)}"


def _losses(block: BlockProfile, widest: PlanMove | None) -> str:
    """Return what candidates may fail at that are no instances: what comes after the widest part of the search."""
    after = block.plan
    reasons = []
    if widest is not None and widest.found == block.candidates:
        after = block.plan[block.plan.index(widest) + 1 :]
    elif block.place:
        reasons.append(f"do not match {block.trigger}")
    if any(move.kind in _FINDING for move in after):
        reasons.append("find no partner")
    tests = [move.text.removeprefix("test ") for move in after if move.kind == "test"]
    if tests:
        reasons.append(f"fail {' or '.join(tests)}")
    return " or ".join(reasons) or "do not match"


def _join(move: PlanMove) -> str:
    match move.kind:
        case "scan":
            return f"joins every item of {move.form} with every one that takes the place (no field is a key)"
        case "index":
            return f"looks up {move.form} by {', '.join(f'{part} = {value}' for part, value in move.key)}"
        case "item":
            return f"looks up one item of {move.form}, all fields known"
    return move.text.replace("try every choice", "tries every choice", 1)
