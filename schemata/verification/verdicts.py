"""Verdicts: whether a schema is sound and complete for a class of trees or of linkages, how far, and why not.

`None` in place of yes or no means that a limit was hit or the verification was interrupted before it was
known.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from schemata.analysis.figures import besides_json
from schemata.charts.chart import BuiltLink
from schemata.forest.derivations import Derivation, derivations_of, step_on_cycle
from schemata.json_values import as_json, document, fields_json, json_of
from schemata.notebook_hooks import Shown
from schemata.structures import LabelledLink, Linkage
from schemata.structures.constituents import ConstituentTree
from schemata.wording import listing, reference

if TYPE_CHECKING:
    from schemata.analysis.reasons import WhyNot
    from schemata.engine.chart import Chart
    from schemata.forest.forest import Edge, Forest
    from schemata.forest.states import Builds
    from schemata.verification.dictionaries import LinkageCase
    from schemata.verification.grammars import GrammarUnderTest, Heads, Links

LabelledLinks: TypeAlias = "tuple[LabelledLink, ...]"


@dataclass(frozen=True, slots=True)
class Refutation:
    """A case and a structure that refute an answer.

    Parameters
    ----------
    key : the order of refutations in sentences of one length, the smallest first.
    case : a grammar or a dictionary.
    structure : what is derived there and should not be, or should be and is not.
    fault : what is wrong with it.
    """

    key: tuple[object, ...]
    case: Any
    structure: Any
    fault: str


@dataclass(frozen=True, slots=True)
class Application:
    """One step of a derivation: its name, its antecedents and its consequent as text, its links.

    `contexts` are the context antecedents of one of the instances that apply the step so.
    """

    step: str
    antecedents: tuple[str, ...]
    contexts: tuple[str, ...]
    consequent: str
    links: tuple[BuiltLink, ...]

    to_json = json_of("step antecedents contexts consequent links")

    @classmethod
    def of(cls, chart: Chart, derivation: Derivation) -> tuple[Application, ...]:
        """Return the applications of a derivation, antecedents before what uses them, each once."""
        found: dict[Application, None] = {}
        for node in derivation.applied():
            assert node.edge is not None
            assert node.step is not None
            above = tuple(str(child.item) for child in node.children)
            contexts = _contexts(chart, node.edge, node.number)
            found[cls(node.step, above, contexts, str(node.item), node.links)] = None
        return tuple(found)


def _contexts(chart: Chart, edge: Edge, consequent: int) -> tuple[str, ...]:
    """Return the context antecedents of the first instance of a hyperedge."""
    slots = [k for k, a in enumerate(chart.schema.cases[edge.case].antecedents) if a.context]
    for instance in chart.instances() if slots else ():
        tails = tuple(instance.antecedents[k] for k in edge.slots)
        same = instance.case == edge.case and instance.consequent == consequent
        if same and tails == edge.tails and instance.links == edge.links:
            return tuple(str(chart.item(instance.antecedents[k])) for k in slots)
    return ()


@dataclass(frozen=True, slots=True)
class Piece:
    """A derivable item that no step takes further, and the links of one of its derivations."""

    item: str
    links: Links

    to_json = json_of("item links")


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

    heads: Heads
    grammar: GrammarUnderTest
    accepted: bool = False
    pieces: tuple[Piece, ...] = ()
    missing: Links = ()
    nearest: tuple[Piece, ...] = ()
    why_not: WhyNot | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the counterexample as a JSON object."""
        return {"n": len(self.heads)} | fields_json(
            self, "heads grammar accepted pieces nearest missing_links=missing why_not"
        )


@dataclass(frozen=True, slots=True, repr=False)
class WhyNotTree(Shown):
    """Why a schema does not derive a tree of a sentence; or that it does.

    Parameters
    ----------
    chart : the chart that was asked; over D-rules it has no other links than the tree.
    heads : the tree.
    derivable : whether it is derived.
    unlicensed : the links of the tree that the grammar does not license.
    lacks : what is missing beside these: the links that no step builds, those with the fewest words below first, or the
        pieces that no step puts together.
    reasons : what the steps lack that could build the first of these links, or put the nearest pieces together.
    """

    chart: Chart
    heads: Heads
    derivable: bool
    unlicensed: Links = ()
    lacks: Incomplete | None = None
    reasons: WhyNot | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the reasons as the JSON object that `schemata why-not --heads --json` prints."""
        found = fields_json(self, "heads derivable unlicensed")
        if self.lacks is not None:
            found |= fields_json(self.lacks, "accepted never_built=missing pieces nearest")
        return document(self.chart.heading(), found, fields_json(self, "reasons"), besides_json(self.chart))


@dataclass(frozen=True, slots=True)
class MissedGraph:
    """A graph of the class that the schema does not derive under the grammar of its own links."""

    grammar: GrammarUnderTest
    links: Links

    to_json = json_of("n=grammar.n grammar links")


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
    heads: Heads | None
    fault: str
    derivation: tuple[Application, ...] = ()

    to_json = json_of("n=grammar.n grammar links heads fault derivation")


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
    links: LabelledLinks
    linkage: Linkage | None
    fault: str
    derivation: Derivation | None = None
    cycle: Derivation | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the counterexample as a JSON object."""
        return _case_json(self)


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
    accepted: bool = False
    pieces: tuple[str, ...] = ()
    never_built: LabelledLinks = ()

    def to_json(self) -> dict[str, Any]:
        """Return the counterexample as a JSON object."""
        return _case_json(self)


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """A structure that the schema derives several times.

    Parameters
    ----------
    case : a `GrammarUnderTest`, or a `LinkageCase` or `ConstituentCase`: a dictionary or rules with a sentence.
    structure : a `Structure` (links, with the heads of a tree), a `Linkage`, or `Constituents`.
    count : the number of its derivations; `math.inf` if an item helps to derive itself.
    derivations : two of them, or one and the step by which an item helps to derive itself.
    cycle : that step.
    """

    case: Any
    structure: Any
    count: int | float
    derivations: tuple[Derivation, ...] = ()
    cycle: Derivation | None = None

    def explained(self, forest: Forest, building: Builds, wanted: Callable[[Any], bool]) -> Ambiguous:
        """Return the example with derivations of a state that is wanted, from the forest of its case."""
        endless = self.count == math.inf
        cycle = step_on_cycle(forest) if endless else None
        found = tuple(islice(derivations_of(forest, building, wanted), 2))
        return replace(self, derivations=found[:1] if endless else found, cycle=cycle)

    @property
    def first_difference(self) -> int | None:
        """The place (0-based) of the first step in which the two derivations differ; None without two."""
        if len(self.derivations) < 2:
            return None
        one, two = ([(x.step, x.item, x.links) for x in d.applied()] for d in self.derivations)
        # One may begin with all steps of the other only if it is no derivation of a final item.
        differs = (k for k, (x, y) in enumerate(zip(one, two, strict=False)) if x != y)
        return next(differs, min(len(one), len(two)))

    def to_json(self) -> dict[str, Any]:
        """Return the counterexample as a JSON object."""
        if isinstance(self.structure, Linkage):
            said = _sentence_json(self.case) | {"linkage": as_json(self.structure)}
        else:
            built = {"brackets": str(self.structure)}
            if not isinstance(self.structure, ConstituentTree):
                built = self.structure.to_json()
            said = {"n": self.case.n, "grammar": as_json(self.case)} | built
        return said | {
            "count": as_json(self.count),
            "derivations": [_steps_json(derivation) for derivation in self.derivations],
            "first_difference": self.first_difference,
            "cycle": None if self.cycle is None else _steps_json(self.cycle)[-1],
        }


def _sentence_json(case: Any) -> dict[str, Any]:
    return {"n": case.n, "sentence": list(case.words), "dictionary": case.to_dictionary()}


def _case_json(example: UnsoundLinks | MissedLinkage) -> dict[str, Any]:
    """Return a counterexample with its dictionary; links as [left, right, label], derivations as steps."""
    found = _sentence_json(example.case)
    for name in (f.name for f in fields(example)[1:]):
        match getattr(example, name):
            case Derivation() as derivation:
                steps = _steps_json(derivation)
                found[name] = steps[-1] if name == "cycle" else steps
            case (LabelledLink(), *_) as links:
                found[name] = [[link.left, link.right, link.label] for link in links]
            case value:
                found[name] = as_json(value)
    return found


def _steps_json(derivation: Derivation) -> list[dict[str, Any]]:
    """Return the steps of a derivation, antecedents first."""
    return [
        {
            "step": node.step,
            "antecedents": [str(child.item) for child in node.children],
            "consequent": str(node.item),
            "links": as_json(node.links),
        }
        for node in derivation.applied()
    ]


@dataclass(frozen=True, slots=True)
class RandomTests:
    """Random trees and grammars beyond the exhaustive range: how many, of how many words, how many undecided.

    `skipped` counts those whose run hit a limit.
    """

    trees: int
    grammars: int
    words: tuple[int, int]
    skipped: int

    to_json = json_of("trees grammars words skipped")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class _Answered(Shown):
    """The common part of all verdicts.

    Parameters
    ----------
    schema, parameters : the schema.
    class_name : the class of structures.
    max_n : the greatest number of words asked for.
    sound, complete, each_once : the answers; None where unknown.
    sound_to, complete_to, once_to : the greatest n for which the answer is yes, shorter sentences included.
    ambiguous : the smallest structure that is derived several times.
    stopped : the limit that was hit ("steps", "seconds", "memory", "structures"), or "interrupt".
    """

    schema: str
    parameters: dict[str, int]
    class_name: str
    max_n: int
    seed: int
    sound: bool | None
    complete: bool | None
    each_once: bool | None
    sound_to: int
    complete_to: int
    once_to: int
    ambiguous: Ambiguous | None
    seconds: float
    stopped: str | None = None


def _line(verdict: Verdict | LinkageVerdict, *answers: str) -> str:
    """Return a verdict in one line."""
    words = {True: "", False: "not ", None: "perhaps "}
    said = ", ".join(words[getattr(verdict, answer)] + answer.replace("_", " ") for answer in answers)
    name, n = reference(verdict.schema, verdict.parameters), verdict.max_n
    return f"<{type(verdict).__name__} of {name}, {verdict.class_name}, n <= {n}: {said}>"


def all_of(*answers: bool | None) -> bool | None:
    """Return whether all answers are yes; None where that is unknown."""
    return False if False in answers else (True if all(answers) else None)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Verdict(_Answered):
    """Whether a schema parses exactly a class of trees, up to some length.

    Parameters
    ----------
    single_root : whether trees with several words under node 0 are left out.
    unsound, incomplete : the smallest counterexamples.
    grammar_kind : "d-rules" or "dependency-rules".
    every_grammar : whether soundness was settled for every grammar of these lengths; else for every grammar
        of at most 3 words, and beyond for all links, each tree, and random grammars.
    random : what was tried beyond max_n.
    of : what the schema builds.
    """

    single_root: bool
    unsound: Unsound | None
    incomplete: Incomplete | MissedGraph | None
    grammar_kind: str
    every_grammar: bool
    random: RandomTests | None
    runs: int
    of: Literal["trees", "graphs"] = "trees"

    def __repr__(self) -> str:
        return _line(self, "sound", "complete")

    @property
    def roots(self) -> str:
        """How many words may hang under node 0: "one" or "many"."""
        return "one" if self.single_root else "many"

    @property
    def holds(self) -> bool | None:
        """Whether the schema is correct for the class: sound and complete. None where unknown."""
        return all_of(self.sound, self.complete)

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as the JSON object that `schemata verify --class --json` prints."""
        return document() | fields_json(
            self,
            "schema parameters class=class_name max_n seed sound complete each_once roots "
            "counterexamples(unsound incomplete ambiguous) sound_to complete_to each_once_to=once_to "
            "every_grammar random runs seconds:3 stopped?",
        )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LinkageVerdict(_Answered):
    """Whether a Link Grammar schema derives exactly the linkages of small dictionaries, each once.

    Parameters
    ----------
    unsound, missed : the counterexamples.
    dictionaries : how many dictionaries were tried, one sentence each.
    linkages : how many linkages these have.
    beyond : how many of the dictionaries are for sentences of more than max_n words.
    skipped : how many of them could not be decided within the limits.
    """

    unsound: UnsoundLinks | None
    missed: MissedLinkage | None
    dictionaries: int
    linkages: int
    beyond: int
    skipped: int

    def __repr__(self) -> str:
        return _line(self, "sound", "complete", "each_once")

    @property
    def holds(self) -> bool | None:
        """Whether the schema is sound and complete, and derives each linkage once. None where unknown."""
        return all_of(self.sound, self.complete, self.each_once)

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as the JSON object that `schemata verify --json` prints."""
        return document() | fields_json(
            self,
            "schema parameters class=class_name max_n seed sound complete each_once "
            "counterexamples(unsound incomplete=missed ambiguous repeated=ambiguous) "
            "sound_to complete_to each_once_to=once_to dictionaries linkages beyond skipped seconds:3 stopped?",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstituentVerdict(_Answered):
    """Whether a context-free schema derives each constituent tree once under small grammars; more is not asked.

    Parameters
    ----------
    grammars : how many grammars were tried, one sentence each.
    trees : how many trees were built.
    """

    grammars: int
    trees: int

    @property
    def holds(self) -> bool | None:
        """Whether each tree has one derivation. None where unknown."""
        return self.each_once

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as the JSON object that `schemata verify --json` prints."""
        return document() | fields_json(
            self,
            "schema parameters class=class_name max_n seed sound complete each_once counterexamples(ambiguous) "
            "each_once_to=once_to grammars trees seconds:3 stopped?",
        )


@dataclass(frozen=True, slots=True, repr=False)
class Recognition(Shown):
    """The known classes that a schema parses exactly, up to some length.

    Parameters
    ----------
    consistent : the classes that the schema parses exactly up to `covered` words. Short sentences do not tell
        all classes apart.
    counts : for each n = 1, 2, ... the number of trees derived under their own grammar.
    unsound : the smallest structure that is no tree or not licensed; there is no class to parse with one.
    each_once, once_to, ambiguous : as for `Verdict`.
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
    each_once: bool | None
    once_to: int
    ambiguous: Ambiguous | None
    covered: int
    grammar_kind: str
    every_grammar: bool
    runs: int
    seconds: float
    stopped: str | None = None

    def __repr__(self) -> str:
        name, found = reference(self.schema, self.parameters), listing(self.consistent) or "no known class"
        return f"<Recognition of {name}, n <= {self.covered}: {found}>"

    @property
    def roots(self) -> str:
        """How many words may hang under node 0: "one" or "many"."""
        return "one" if self.single_root else "many"

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
        return document() | fields_json(
            self,
            "schema parameters max_n seed parses consistent_so_far=consistent each_once roots "
            "counterexamples(unsound ambiguous) trees_by_n=counts covered each_once_to=once_to "
            "every_grammar runs seconds:3 stopped?",
        )
