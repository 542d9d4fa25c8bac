"""The figures of a profile: what moves, blocks, cases and steps of the Python kernel did, and what filing took."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["BlockProfile", "CaseProfile", "Filing", "PlanMove", "StepProfile"]


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


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None
