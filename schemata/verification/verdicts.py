"""Verdicts: whether a schema is sound and complete for a class of trees or of linkages, how far, why not.

`None` in place of yes or no means that a budget was hit or the verification was interrupted before it was
known.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from schemata.analysis.reasons import WhyNot
from schemata.forest.derivations import Derivation
from schemata.structures import LabelledLink, Linkage
from schemata.verification.built_structures import Application
from schemata.verification.dictionaries import LinkageCase
from schemata.verification.grammars import GrammarUnderTest

Links: TypeAlias = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """A derivable item that no step takes further, and the links of one of its derivations."""

    item: str
    links: Links

    def to_json(self) -> dict[str, Any]:
        """Return the piece as a JSON object."""
        return {"item": self.item, "links": [list(link) for link in self.links]}


@dataclass(frozen=True, slots=True)
class Incomplete:
    """A tree of the class that the schema does not derive under the tree's own grammar.

    Parameters
    ----------
    heads : the tree: of the fewest words, and of those the first by its heads.
    grammar : the grammar of the tree.
    accepted : whether a final item is derivable all the same, for other structures.
    pieces : the derivable items that no step takes further, those with the most links first.
    missing : the links of the tree that no step instance builds; empty where all are built, but not together.
    nearest : where nothing is missing, two items with structures that share no link and together hold as
        much of the tree as any two do: these would have to be put together.
    why_not : why no final item is derivable, for schemata over D-rules; None where one is.
    """

    heads: tuple[int, ...]
    grammar: GrammarUnderTest
    accepted: bool
    pieces: tuple[Piece, ...]
    missing: Links
    nearest: tuple[Piece, ...] = ()
    why_not: WhyNot | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the counterexample as a JSON object."""
        return {
            "n": len(self.heads),
            "heads": list(self.heads),
            "grammar": self.grammar.to_json(),
            "accepted": self.accepted,
            "pieces": [piece.to_json() for piece in self.pieces],
            "nearest": [piece.to_json() for piece in self.nearest],
            "missing_links": [list(link) for link in self.missing],
            "why_not": self.why_not.to_json() if self.why_not else None,
        }


@dataclass(frozen=True, slots=True)
class Unsound:
    """A structure that the schema derives and should not.

    Parameters
    ----------
    grammar : the grammar: of the fewest words, and of those with the fewest licences.
    links : the structure's links as (dependent, head).
    heads : its heads if it is a tree.
    fault : what is wrong: it is no tree, not in the class, or a link of it is not licensed.
    derivation : the steps that derive it, antecedents first.
    """

    grammar: GrammarUnderTest
    links: Links
    heads: tuple[int, ...] | None
    fault: str
    derivation: tuple[Application, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the counterexample as a JSON object."""
        return {
            "n": self.grammar.n,
            "grammar": self.grammar.to_json(),
            "links": [list(link) for link in self.links],
            "heads": list(self.heads) if self.heads is not None else None,
            "fault": self.fault,
            "derivation": [
                {
                    "step": a.step,
                    "antecedents": list(a.antecedents),
                    "contexts": list(a.contexts),
                    "consequent": a.consequent,
                    "links": [list(link) for link in a.links],
                }
                for a in self.derivation
            ],
        }


@dataclass(frozen=True, slots=True)
class RandomTests:
    """Random trees and grammars beyond the exhaustive range: how many, of how many words, how many undecided.

    `skipped` counts those whose run hit a budget.
    """

    trees: int
    grammars: int
    words: tuple[int, int]
    skipped: int

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as a JSON object."""
        return {
            "trees": self.trees,
            "grammars": self.grammars,
            "words": list(self.words),
            "skipped": self.skipped,
        }


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a schema parses exactly a class of trees, up to some length.

    Parameters
    ----------
    schema, parameters : the schema.
    class_name : the class of trees.
    max_n : the greatest number of words asked for.
    single_root : whether trees with several words under node 0 are left out.
    sound, complete : the answers; None where unknown.
    unsound, incomplete : the smallest counterexamples.
    sound_to, complete_to : the greatest n for which the answer is yes, shorter sentences included.
    grammar_kind : "d-rules" or "dependency-rules".
    every_grammar : whether soundness was settled for every grammar of these lengths; else for every grammar
        of at most 3 words, and beyond for all links, each tree, and random grammars.
    random : what was tried beyond max_n.
    stopped : the budget that was hit ("steps", "seconds", "memory", "structures"), or "interrupt".
    """

    schema: str
    parameters: dict[str, int]
    class_name: str
    max_n: int
    single_root: bool
    seed: int
    sound: bool | None
    complete: bool | None
    unsound: Unsound | None
    incomplete: Incomplete | None
    sound_to: int
    complete_to: int
    grammar_kind: str
    every_grammar: bool
    random: RandomTests | None
    stopped: str | None
    runs: int
    seconds: float

    @property
    def holds(self) -> bool | None:
        """Whether the schema is correct for the class: sound and complete. None where unknown."""
        if self.sound is False or self.complete is False:
            return False
        return True if self.sound and self.complete else None

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as the JSON object that `schemata verify --class --json` prints."""
        found: dict[str, Any] = {
            "schema": self.schema,
            "parameters": dict(self.parameters),
            "class": self.class_name,
            "max_n": self.max_n,
            "roots": "one" if self.single_root else "many",
            "seed": self.seed,
            "sound": self.sound,
            "complete": self.complete,
            "counterexamples": {
                "unsound": self.unsound.to_json() if self.unsound else None,
                "incomplete": self.incomplete.to_json() if self.incomplete else None,
            },
            "sound_to": self.sound_to,
            "complete_to": self.complete_to,
            "every_grammar": self.every_grammar,
            "random": self.random.to_json() if self.random else None,
            "runs": self.runs,
            "seconds": round(self.seconds, 3),
        }
        if self.stopped:
            found["stopped"] = self.stopped
        return found


@dataclass(frozen=True, slots=True)
class Recognition:
    """Which of the known classes a schema parses exactly, up to some length.

    Parameters
    ----------
    consistent : the classes that the schema parses exactly up to `covered` words. Short sentences do not tell
        all classes apart.
    counts : for each n = 1, 2, ... the number of trees derived under their own grammar.
    unsound : the smallest structure that is no tree or not licensed; there is no class to parse with one.
    covered : the greatest n that was settled.
    grammar_kind, every_grammar : as for `Verdict`.
    """

    schema: str
    parameters: dict[str, int]
    max_n: int
    single_root: bool
    seed: int
    consistent: tuple[str, ...]
    counts: tuple[int, ...]
    unsound: Unsound | None
    covered: int
    grammar_kind: str
    every_grammar: bool
    stopped: str | None
    runs: int
    seconds: float

    @property
    def parses(self) -> tuple[str, ...] | None:
        """The classes that the schema parses exactly, None where not all lengths could be settled."""
        return None if self.consistent and self.covered < self.max_n else self.consistent

    @property
    def holds(self) -> bool | None:
        """Whether the schema parses some known class exactly. None where unknown."""
        return None if self.parses is None else bool(self.parses)

    def to_json(self) -> dict[str, Any]:
        """Return the answer as the JSON object that `schemata verify --json` prints without a class."""
        found: dict[str, Any] = {
            "schema": self.schema,
            "parameters": dict(self.parameters),
            "max_n": self.max_n,
            "roots": "one" if self.single_root else "many",
            "seed": self.seed,
            "parses": list(self.parses) if self.parses is not None else None,
            "consistent_so_far": list(self.consistent),
            "trees_by_n": list(self.counts),
            "counterexamples": {"unsound": self.unsound.to_json() if self.unsound else None},
            "covered": self.covered,
            "every_grammar": self.every_grammar,
            "runs": self.runs,
            "seconds": round(self.seconds, 3),
        }
        if self.stopped:
            found["stopped"] = self.stopped
        return found


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
