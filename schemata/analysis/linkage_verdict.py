"""What a verification of a Link Grammar schema says, with the smallest counterexamples."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from schemata.analysis.linkage_cases import LinkageCase
from schemata.forest.derivations import Derivation
from schemata.structures import LabelledLink, Linkage

__all__ = ["LinkageVerdict", "MissedLinkage", "RepeatedLinkage", "UnsoundLinks"]


@dataclass(frozen=True, slots=True)
class UnsoundLinks:
    """Links that the schema derives in a case and should not.

    Parameters
    ----------
    case : the dictionary and the sentence.
    links : the links.
    linkage : the links with their disjuncts, None if they give a word no disjunct, or two.
    fault : what is wrong: they are no linkage, or not one of the class.
    derivation : a derivation of them; None if there are only such in which an item stands above itself.
    cycle : then, a step by which an item helps to derive itself.
    """

    case: LinkageCase
    links: tuple[LabelledLink, ...]
    linkage: Linkage | None
    fault: str
    derivation: Derivation | None
    cycle: Derivation | None

    def to_json(self) -> dict[str, Any]:
        """Return the counterexample as a JSON object."""
        return {
            **_case_json(self.case),
            "fault": self.fault,
            "links": _links_json(self.links),
            "linkage": self.linkage.to_json() if self.linkage else None,
            "derivation": _steps_json(self.derivation) if self.derivation else None,
            "cycle": _step_json(self.cycle) if self.cycle else None,
        }


@dataclass(frozen=True, slots=True)
class MissedLinkage:
    """A linkage of the class that the schema does not derive.

    Parameters
    ----------
    case : the dictionary and the sentence.
    linkage : the linkage.
    accepted : whether a final item is derivable all the same.
    pieces : the derivable items that no step takes further, as text, in canonical order.
    never_built : the links of the linkage that no step instance builds; empty if all are built, but not
        together.
    """

    case: LinkageCase
    linkage: Linkage
    accepted: bool
    pieces: tuple[str, ...]
    never_built: tuple[LabelledLink, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the counterexample as a JSON object."""
        return {
            **_case_json(self.case),
            "linkage": self.linkage.to_json(),
            "accepted": self.accepted,
            "pieces": list(self.pieces),
            "never_built": _links_json(self.never_built),
        }


@dataclass(frozen=True, slots=True)
class RepeatedLinkage:
    """A linkage that the schema derives several times.

    Parameters
    ----------
    case : the dictionary and the sentence.
    linkage : the linkage.
    count : the number of its derivations; `math.inf` if an item helps to derive itself.
    derivations : two of them, or one and the step by which an item helps to derive itself.
    cycle : that step.
    """

    case: LinkageCase
    linkage: Linkage
    count: int | float
    derivations: tuple[Derivation, ...]
    cycle: Derivation | None

    def to_json(self) -> dict[str, Any]:
        """Return the counterexample as a JSON object."""
        return {
            **_case_json(self.case),
            "linkage": self.linkage.to_json(),
            "count": "infinite" if self.count == math.inf else self.count,
            "derivations": [_steps_json(derivation) for derivation in self.derivations],
            "cycle": _step_json(self.cycle) if self.cycle else None,
        }


@dataclass(frozen=True, slots=True)
class LinkageVerdict:
    """Whether a Link Grammar schema derives exactly the linkages of random small dictionaries, each once.

    Parameters
    ----------
    schema, parameters : the schema.
    class_name : "linkages" or "acyclic-linkages".
    max_n : the greatest number of words asked for.
    sound, complete, each_once : the answers; None where unknown.
    unsound, missed, repeated : the counterexamples.
    sound_to, complete_to, once_to : the greatest n for which the answer is yes, shorter sentences included.
    dictionaries : how many random dictionaries were tried, one sentence each.
    linkages : how many linkages these have.
    beyond : how many of the dictionaries are for sentences of more than max_n words.
    skipped : how many of them could not be decided within the budget.
    stopped : the budget that was hit ("steps", "seconds", "memory", "structures"), or "interrupt".
    """

    schema: str
    parameters: dict[str, int]
    class_name: str
    max_n: int
    seed: int
    sound: bool | None
    complete: bool | None
    each_once: bool | None
    unsound: UnsoundLinks | None
    missed: MissedLinkage | None
    repeated: RepeatedLinkage | None
    sound_to: int
    complete_to: int
    once_to: int
    dictionaries: int
    linkages: int
    beyond: int
    skipped: int
    stopped: str | None
    seconds: float

    @property
    def holds(self) -> bool | None:
        """Whether the schema is sound and complete, and derives each linkage once. None where unknown."""
        answers = (self.sound, self.complete, self.each_once)
        if False in answers:
            return False
        return True if all(answers) else None

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as the JSON object that `schemata verify --json` prints."""
        found: dict[str, Any] = {
            "schema": self.schema,
            "parameters": dict(self.parameters),
            "class": self.class_name,
            "max_n": self.max_n,
            "seed": self.seed,
            "sound": self.sound,
            "complete": self.complete,
            "each_once": self.each_once,
            "counterexamples": {
                "unsound": self.unsound.to_json() if self.unsound else None,
                "incomplete": self.missed.to_json() if self.missed else None,
                "repeated": self.repeated.to_json() if self.repeated else None,
            },
            "sound_to": self.sound_to,
            "complete_to": self.complete_to,
            "each_once_to": self.once_to,
            "dictionaries": self.dictionaries,
            "linkages": self.linkages,
            "beyond": self.beyond,
            "skipped": self.skipped,
            "seconds": round(self.seconds, 3),
        }
        if self.stopped:
            found["stopped"] = self.stopped
        return found


def _case_json(case: LinkageCase) -> dict[str, Any]:
    return {"n": case.n, "sentence": list(case.words), "dictionary": case.to_dictionary()}


def _links_json(links: Iterable[LabelledLink]) -> list[list[Any]]:
    return [[link.left, link.right, link.label] for link in links]


def _steps_json(derivation: Derivation) -> list[dict[str, Any]]:
    """Return the steps of a derivation, antecedents first."""
    return [_step_json(node) for _, node in reversed(list(derivation.walk())) if node.step is not None]


def _step_json(node: Derivation) -> dict[str, Any]:
    return {
        "step": node.step,
        "antecedents": [str(child.item) for child in node.children],
        "consequent": str(node.item),
        "links": [list(link) for link in node.links],
    }
