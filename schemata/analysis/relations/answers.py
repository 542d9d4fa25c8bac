"""What is said about two schemata: whether a relation holds, how far it was checked, and the evidence.

`None` in place of yes or no means that a budget was hit, or that the check was interrupted, before it was known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from schemata.language.relation_model import StepKind

__all__ = ["Answer", "Applied", "Counterexample", "Extent", "Illustration", "Way", "Witness"]

Links = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Applied:
    """One step applied: its name, the items it takes and makes, in canonical text, and the links it builds."""

    step: str
    antecedents: tuple[str, ...]
    consequent: str
    links: Links = ()

    def to_json(self) -> dict[str, Any]:
        """Return the application as a JSON object."""
        return {
            "step": self.step,
            "antecedents": list(self.antecedents),
            "consequent": self.consequent,
            "links": [list(link) for link in self.links],
        }


@dataclass(frozen=True, slots=True)
class Illustration:
    """One step instance and what emulates it.

    Attributes
    ----------
    n : the number of words.
    instance : the step instance.
    emulation : the steps of the other schema, in order; none where its consequent is there already.
    """

    n: int
    instance: Applied
    emulation: tuple[Applied, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the illustration as a JSON object."""
        return {
            "n": self.n,
            "instance": self.instance.to_json(),
            "emulation": [one.to_json() for one in self.emulation],
        }


@dataclass(frozen=True, slots=True)
class Way:
    """One sequence of steps that stands for a step.

    Attributes
    ----------
    steps : the names of the steps, in order.
    when : the instances that it stands for, as a condition on the rule's variables; None where it is all, or
        where no simple condition was found.
    instances : how many of the instances checked it stands for.
    example : the smallest of them.
    """

    steps: tuple[str, ...]
    when: str | None
    instances: int
    example: Illustration

    def to_json(self) -> dict[str, Any]:
        """Return the way as a JSON object."""
        return {
            "steps": list(self.steps),
            "when": self.when,
            "instances": self.instances,
            "example": self.example.to_json(),
        }


@dataclass(frozen=True, slots=True)
class Witness:
    """How every instance of one rule is emulated, or what it corresponds to.

    Attributes
    ----------
    schema, step, case : the rule: schema, step, and the label of its case if it has one.
    by : the schema whose steps stand for it.
    ways : the sequences, those that stand for most instances first.
    """

    schema: str
    step: str
    case: str | None
    by: str
    ways: tuple[Way, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the witness as a JSON object."""
        return {
            "schema": self.schema,
            "step": self.step,
            "case": self.case,
            "by": self.by,
            "ways": [way.to_json() for way in self.ways],
        }


@dataclass(frozen=True, slots=True)
class Counterexample:
    """The smallest thing that breaks a definition.

    Attributes
    ----------
    n : the number of words.
    reason : what is wrong, as a sentence.
    instance : the step instance that has nothing to stand for it; None where an item breaks the definition.
    wanted : the instance's items as items of the other schema, where they have a counterpart.
    grammar : the least grammar under which the instance exists.
    instead : what the other schema derives from the same items, nearest to what is wanted first.
    derivation : for item refinements: the steps of a derivation that is no image of one.
    """

    n: int
    reason: str
    instance: Applied | None = None
    wanted: Applied | None = None
    grammar: tuple[str, ...] = ()
    instead: tuple[str, ...] = ()
    derivation: tuple[Applied, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the counterexample as a JSON object."""
        return {
            "n": self.n,
            "reason": self.reason,
            "instance": self.instance.to_json() if self.instance else None,
            "wanted": self.wanted.to_json() if self.wanted else None,
            "grammar": list(self.grammar),
            "instead": list(self.instead),
            "derivation": [one.to_json() for one in self.derivation],
        }


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


@dataclass(frozen=True, slots=True)
class Extent:
    """How far something was checked.

    Attributes
    ----------
    max_n : all lengths up to this one were checked completely; 0 if none was.
    items, instances : how many, over all lengths, of the schema whose steps are looked at.
    rules : what rules there were, for schemata over rules.
    """

    max_n: int
    items: int = 0
    instances: int = 0
    rules: str | None = None

    def __str__(self) -> str:
        if not self.max_n:
            return self.rules or "at the first length"
        counted = f"all {_counted(self.items, 'item')}, all {_counted(self.instances, 'step instance')}"
        said = f"checked for n <= {self.max_n}: {counted}, each in the least grammar that has it"
        return f"{said}; {self.rules}" if self.rules else said


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether a relation holds between two schemata.

    Attributes
    ----------
    first, second : the schemata, as they are referred to (`mh:k=4`).
    kind : the kind of relation.
    holds : yes, no, or None where it is not known.
    extent : how far it was checked.
    witnesses : how each step is emulated, where the relation holds.
    counterexample : what breaks the definition, where it does not.
    maps : the maps by which items correspond, as text.
    notes : what else the answer rests on.
    stopped : "steps", "seconds", "memory" or "interrupt" where it is not known.
    implied_by : the stronger kind that holds by the same maps, and that this one follows from.
    """

    first: str
    second: str
    kind: StepKind
    holds: bool | None
    extent: Extent
    witnesses: tuple[Witness, ...] = ()
    counterexample: Counterexample | None = None
    maps: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    stopped: str | None = None
    implied_by: StepKind | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the answer as a JSON object."""
        found: dict[str, Any] = {
            "from": self.first,
            "to": self.second,
            "kind": self.kind,
            "holds": self.holds,
            "max_n": self.extent.max_n,
            "maps": list(self.maps),
            "witnesses": [witness.to_json() for witness in self.witnesses],
            "counterexample": self.counterexample.to_json() if self.counterexample else None,
            "checked": str(self.extent),
            "notes": list(self.notes),
        }
        if self.implied_by:
            found["implied_by"] = self.implied_by
        if self.stopped:
            found["stopped"] = self.stopped
        return found
