"""Verdicts that travel along relations: who does what a complete schema does is complete (GCW11, Theorem 5).

If every step of P is emulated in Q, by derivations that take in all that the step takes in and build the same links,
and final items of P are final items of Q, then Q derives every tree that P derives. So Q is complete where P is, and P
is sound where Q is. The kinds by single steps all say so of one of their schemata; item refinements do not, since
they say nothing of links. What is concluded reaches as far as both the relation and the verdict were checked. A tree of
n words can need a rule of n symbols, so over rules it reaches no further than the rules that the relation was
checked with are long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from schemata.analysis.relations.answers import Answer
from schemata.analysis.relations.bench import Workbench, reference_of
from schemata.analysis.relations.correspondence import correspondence
from schemata.analysis.relations.course import Watcher
from schemata.analysis.relations.relate import decide
from schemata.analysis.verdict import Verdict
from schemata.language import model as m
from schemata.language.library import shipped_relations
from schemata.language.relation_model import CHAINS, Relation, StepKind
from schemata.language.relations import load_relation

__all__ = ["Citation", "citations", "emulated_and_emulating"]

_EMULATED_FIRST: dict[StepKind, bool] = {
    "step-refinement": True,
    "step-contraction": False,
    "static-filter": False,
    "dynamic-filter": False,
}


@dataclass(frozen=True, slots=True)
class Citation:
    """A verdict on one schema that follows from that on another.

    Attributes
    ----------
    schema : the schema of which it is concluded.
    says : what is concluded.
    class_name : the class of trees.
    max_n : how far both the relation and the verdict on the other schema were checked.
    relation : the relation, decided; its name.
    name : the relation file.
    other : the schema whose verdict it follows from.
    """

    schema: str
    says: Literal["complete", "sound"]
    class_name: str
    max_n: int
    relation: Answer
    name: str
    other: str

    def __str__(self) -> str:
        kind = self.relation.kind.replace("-", " ")
        said = f"{self.schema} is {self.says} for {self.class_name} trees up to {self.max_n} words"
        ends = f"from {self.relation.first} to {self.relation.second}"
        rules = f" ({self.relation.extent.rules})" if self.relation.extent.rules else ""
        return f"{said} because {self.other} is, and because of the {kind} {ends}{rules}"

    def to_json(self) -> dict[str, Any]:
        """Return the citation as a JSON object."""
        return {
            "says": self.says,
            "max_n": self.max_n,
            "because": self.other,
            "kind": self.relation.kind,
            "from": self.relation.first,
            "to": self.relation.second,
            "relation": self.name,
            "checked": str(self.relation.extent),
        }


def emulated_and_emulating(relation: Relation) -> tuple[m.Schema, m.Schema] | None:
    """Return the schema whose steps a relation says are emulated, and the one that emulates; None for other kinds."""
    if relation.kind is None or relation.kind in CHAINS or relation.kind not in _EMULATED_FIRST:
        return None
    ends = relation.first, relation.second
    return ends if _EMULATED_FIRST[relation.kind] else (ends[1], ends[0])


def citations(
    schema: m.Schema,
    class_name: str,
    max_n: int,
    verdict_on: Callable[[m.Schema], Verdict],
    *,
    names: Sequence[str] | None = None,
    bench: Workbench | None = None,
    watch: Watcher | None = None,
) -> Iterator[Citation]:
    """Yield the verdicts on a schema that follow from those on schemata it is related to.

    Parameters
    ----------
    schema : the schema.
    class_name : the class of trees, as the verdicts name it.
    max_n : how far relations are checked.
    verdict_on : verifies another schema for the class.
    names : the relation files; all shipped ones if None.
    bench, watch : see `decide`.
    """
    bench = bench or Workbench()
    for name in shipped_relations() if names is None else names:
        for claim in load_relation(name).relations:
            ends = emulated_and_emulating(claim)
            if ends is None or schema not in ends or schema.grammar == "link-grammar":
                continue
            lower, upper = ends
            other = lower if schema == upper else upper
            answer = decide(claim, claim.kind, max_n, bench=bench, watch=watch, strict=True)  # type: ignore[arg-type]
            if not answer.holds or not finals_kept(claim, max_n, bench):
                continue
            verdict = verdict_on(other)
            says: Literal["complete", "sound"] = "complete" if other == lower else "sound"
            reaches = verdict.complete_to if says == "complete" else verdict.sound_to
            if reaches and (verdict.complete if says == "complete" else verdict.sound):
                ends_named = reference_of(schema), reference_of(other)
                reach = min(reaches, answer.extent.max_n)
                if schema.grammar == "dependency-rules":
                    reach = min(reach, bench.rule_length)
                yield Citation(ends_named[0], says, class_name, reach, answer, name, ends_named[1])


def finals_kept(claim: Relation, max_n: int, bench: Workbench) -> bool:
    """Whether every final item of the emulated schema is one of the emulating schema."""
    ends = emulated_and_emulating(claim)
    assert ends is not None
    for n in range(1, max_n + 1):
        universe = bench.universe(*ends, n)
        lower, upper = (bench.system(end, universe) for end in ends)
        image = correspondence(claim, lower, upper, forward=ends[0] == claim.first).image
        if any(image.get(x) not in upper.chart.final_ids for x in lower.chart.final_ids):
            return False
    return True
