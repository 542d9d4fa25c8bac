"""Reasons why an item is not derivable: a tree of items, the steps tried for them, and what each lacks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Attempt", "Lack", "LackKind", "WhyNot"]

LackKind = Literal[
    "licence", "rule", "root", "category", "corner", "disjunct", "match", "comparison",  # a side condition fails
    "item",  # an antecedent is missing
    "where", "hypothesis", "form", "shape",  # no step can derive the item at all
    "circular", "depth",  # the item waits for itself; the reasons are not followed further
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Lack:
    """One thing that is missing, in words; `link` is the (dependent, head) that is not licensed."""

    kind: LackKind
    said: str
    link: tuple[int, int] | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the lack as a JSON object."""
        found: dict[str, Any] = {"kind": self.kind, "says": self.said}
        if self.link is not None:
            found["link"] = list(self.link)
        return found


@dataclass(frozen=True, slots=True)
class Attempt:
    """The best try to derive an item by one rule: bindings, antecedents that are there, and what is lacking.

    Parameters
    ----------
    step, label : the step and its case.
    bindings : what is known of the rule's variables, as text.
    present : the antecedents that are derivable.
    lacks : what is missing, antecedents first.
    missing : why the first missing antecedents are missing.
    complete : whether all possibilities were looked at.
    """

    step: str
    label: str | None
    bindings: tuple[tuple[str, str], ...]
    present: tuple[str, ...]
    lacks: tuple[Lack, ...]
    missing: tuple[WhyNot, ...] = ()
    complete: bool = True

    def to_json(self) -> dict[str, Any]:
        """Return the attempt as a JSON object."""
        return {
            "step": self.step,
            "case": self.label,
            "bindings": dict(self.bindings),
            "present": list(self.present),
            "lacks": [lack.to_json() for lack in self.lacks],
            "missing": [reason.to_json() for reason in self.missing],
            "complete": self.complete,
        }


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Why an item is not derivable; or that it is.

    Parameters
    ----------
    item : the item in canonical text; `_` stands for what is not determined.
    derivable : whether it is derivable after all; None where the run was cut short before that was known.
    hypothesis : whether it is a hypothesis.
    lacks : why no step can derive it, where none can.
    attempts : the steps that could, each with what it lacks.
    untold : how many other steps could, and lack as much or more.
    misfits : the steps whose consequents have another shape.
    links : links (dependent, head) that would make it derivable if the grammar licensed them all: the fewest,
        where a link counts as often as the proof uses it; None where no D-rules would help, or where that is
        not known (`hopeless` tells which).
    hopeless : whether it is known that no D-rules make it derivable for this sentence.
    written : the item as it was asked for, where that is another writing of it.
    """

    item: str
    derivable: bool | None = False
    hypothesis: bool = False
    lacks: tuple[Lack, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    untold: int = 0
    misfits: tuple[str, ...] = ()
    links: tuple[tuple[int, int], ...] | None = None
    hopeless: bool = False
    written: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the reasons as a JSON object."""
        return {
            "item": self.item,
            "written": self.written,
            "derivable": self.derivable,
            "hypothesis": self.hypothesis,
            "lacks": [lack.to_json() for lack in self.lacks],
            "attempts": [attempt.to_json() for attempt in self.attempts],
            "untold": self.untold,
            "misfits": list(self.misfits),
            "links": None if self.links is None else [list(link) for link in self.links],
            "hopeless": self.hopeless,
        }
