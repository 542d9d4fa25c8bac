"""Verdicts: whether a schema is sound and complete for a class of trees or of linkages, how far, and why not.

`None` in place of yes or no means that a limit was hit or the verification was interrupted before it was
known.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from schemata.analysis.reasons import WhyNot
from schemata.charts import BuiltLink
from schemata.engine.chart import Chart
from schemata.forest.derivations import Derivation, derivations_of, step_on_cycle
from schemata.forest.states import Builds
from schemata.records import Record, Shown, as_json, document, fields_json, json_of
from schemata.structures import DependencyTree, LabelledLink, Linkage
from schemata.structures.constituents import ConstituentTree
from schemata.verification.grammars import Links
from schemata.wording import listing, reference


class Refutation(Record):
    """A case and a structure that refute an answer.

    Parameters
    ----------
    key : the order of refutations in sentences of one length, the smallest first.
    case : a grammar or a dictionary.
    structure : one that is derived there and should not be, or should be and is not.
    fault : its fault.
    """

    key: tuple[object, ...]
    case: Any
    structure: Any
    fault: str

    def example(self, answer: str) -> Missed | Unsound | Ambiguous:
        """Return a counterexample to an answer, without evidence."""
        if answer == "complete":
            return Missed(self.case, self.structure)
        if answer == "each_once":
            return Ambiguous(self.case, *self.structure)
        return Unsound(self.case, self.structure, self.fault)


class Application(Record):
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
    def of(cls, node: Derivation, contexts: tuple[str, ...] = ()) -> Application:
        """Return the last step of a derivation."""
        above = tuple(str(child.item) for child in node.children)
        return cls(node.step or "", above, contexts, str(node.item), node.links)


def _applications(chart: Chart, derivation: Derivation) -> tuple[Application, ...]:
    """Return the steps of a derivation without repetition, antecedents before the steps that use them."""
    found = (Application.of(node, _contexts(chart, node)) for node in derivation.applied())
    return tuple(dict.fromkeys(found))


def _contexts(chart: Chart, node: Derivation) -> tuple[str, ...]:
    """Return the context antecedents of the first instance of the hyperedge that a derivation ends with."""
    assert node.edge is not None
    edge = node.edge
    slots = [k for k, a in enumerate(chart.schema.cases[edge.case].antecedents) if a.context]
    wanted = edge.case, node.number, edge.links
    for instance in chart.instances() if slots else ():
        same = (instance.case, instance.consequent, instance.links) == wanted
        if same and tuple(instance.antecedents[k] for k in edge.slots) == edge.tails:
            return tuple(str(chart.item(instance.antecedents[k])) for k in slots)
    return ()


class UnusedItem(Record):
    """A derivable item that no step takes further, and the links of one of its derivations."""

    item: str
    links: Links

    to_json = json_of("item links")


class AnyStructure(Record):
    """A structure of any kind as a counterexample."""

    value: Any

    def __str__(self) -> str:
        return str(self.value)

    def to_json(self) -> dict[str, Any]:
        """Return the structure as a JSON object."""
        heads = list(self.value.heads) if isinstance(self.value, DependencyTree) else None
        return {"structure": as_json(self.value) if heads is None else heads}


class LooseLinks(Record):
    """Links that are not a linkage of the class. `linkage` is None if a word has no disjunct or two."""

    links: tuple[LabelledLink, ...]
    linkage: Linkage | None
    fault: str

    def to_json(self) -> dict[str, Any]:
        """Return the links, as [left, right, label], and their linkage."""
        return {"links": [[x.left, x.right, x.label] for x in self.links]} | fields_json(self, "linkage")


class Missed(Record):
    """A structure of the class that the schema does not derive.

    Parameters
    ----------
    case : a `GrammarUnderTest`, that of the structure alone, or a dictionary with a sentence.
    structure : a `Structure` (links, with the heads of a tree), or a `Linkage`: the smallest.
    accepted : whether a final item is derivable all the same, for other structures.
    pieces : the derivable items that no step takes further: of trees those with the most links first, of linkages as
        text, in canonical order.
    missing : the links of the structure that no step instance builds; empty where all are built, but not together.
    nearest : where nothing is missing of a tree, two items with structures that share no link and together hold as
        much of the tree as any two do: these would have to be put together.
    why_not : why no final item is derivable, for schemata over D-rules; None if one is.
    """

    case: Any
    structure: Any
    accepted: bool = False
    pieces: tuple[UnusedItem, ...] | tuple[str, ...] = ()
    missing: tuple[Any, ...] = ()
    nearest: tuple[UnusedItem, ...] = ()
    why_not: WhyNot | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the counterexample as a JSON object."""
        if isinstance(self.structure, AnyStructure):
            return _case_json(self.case) | self.structure.to_json()
        fields = "links=structure.links"
        if isinstance(self.structure, Linkage):
            fields = "linkage=structure accepted pieces never_built=missing"
        elif self.structure.heads is not None:
            fields = "heads=structure.heads accepted pieces nearest missing_links=missing why_not"
        return _case_json(self.case) | fields_json(self, fields)


class Unsound(Record):
    """A structure that the schema derives and should not.

    Parameters
    ----------
    case : a grammar: of the fewest words, and of those with the fewest licences; or a dictionary with a sentence.
    structure : a `Structure`, or `LooseLinks`.
    fault : its fault: it is not a tree or linkage, not in the class, or has a link without licence.
    derivation : of trees and graphs the steps that derive it, antecedents first; of links a derivation, None if there
        are only such in which an item stands above itself.
    cycle : then, a step by which an item helps to derive itself.
    """

    case: Any
    structure: Any
    fault: str
    derivation: tuple[Application, ...] | Derivation | None = ()
    cycle: Derivation | None = None

    def explained(self, chart: Chart, building: Builds, wanted: Callable[[Any], bool]) -> Unsound:
        """Return the example with a derivation of a state that is wanted, from the chart of its case.

        No derivation is found if it is not among the first ones of a large chart.
        """
        forest = chart.forest()
        found = next(derivations_of(forest, building, wanted), None)
        if isinstance(self.structure, LooseLinks):
            return replace(self, derivation=found, cycle=None if found else step_on_cycle(forest))
        return replace(self, derivation=() if found is None else _applications(chart, found))

    def to_json(self) -> dict[str, Any]:
        """Return the counterexample as a JSON object."""
        found: dict[str, Any] = _case_json(self.case) | self.structure.to_json() | {"fault": self.fault}
        if not isinstance(self.structure, LooseLinks):
            return found | fields_json(self, "derivation")
        return found | {"derivation": _steps_json(self.derivation), "cycle": _last_json(self.cycle)}


class Ambiguous(Record):
    """A structure that the schema derives several times.

    Parameters
    ----------
    case : a `GrammarUnderTest`, or a `LinkageCase` or `ConstituentCase`: a dictionary or rules with a sentence.
    structure : a `Structure` (links, with the heads of a tree), a `Linkage`, or an `AnyStructure`.
    count : the number of its derivations; `math.inf` if an item helps to derive itself.
    derivations : two of them, or one and the step by which an item helps to derive itself.
    cycle : that step.
    """

    case: Any
    structure: Any
    count: int | float
    derivations: tuple[Derivation, ...] = ()
    cycle: Derivation | None = None

    def explained(self, chart: Chart, building: Builds, wanted: Callable[[Any], bool]) -> Ambiguous:
        """Return the example with derivations of a state that is wanted, from the chart of its case."""
        endless, forest = self.count == math.inf, chart.forest()
        cycle = step_on_cycle(forest) if endless else None
        found = tuple(islice(derivations_of(forest, building, wanted), 2))
        return replace(self, derivations=found[:1] if endless else found, cycle=cycle)

    @property
    def first_difference(self) -> int | None:
        """The place (0-based) of the first step in which the two derivations differ; None without two."""
        if len(self.derivations) < 2:
            return None
        one, two = ([(x.step, x.item, x.links) for x in d.applied()] for d in self.derivations)
        # One may begin with all steps of the other only if it is not a derivation of a final item.
        differs = (k for k, (x, y) in enumerate(zip(one, two, strict=False)) if x != y)
        return next(differs, min(len(one), len(two)))

    def to_json(self) -> dict[str, Any]:
        """Return the counterexample as a JSON object."""
        match self.structure:
            case Linkage():
                said = {"linkage": as_json(self.structure)}
            case AnyStructure(ConstituentTree()):
                said = {"brackets": str(self.structure)}
            case _:
                said = self.structure.to_json()
        return (
            _case_json(self.case)
            | said
            | {
                "count": as_json(self.count),
                "derivations": [_steps_json(derivation) for derivation in self.derivations],
                "first_difference": self.first_difference,
                "cycle": _last_json(self.cycle),
            }
        )


def _case_json(case: Any) -> dict[str, Any]:
    """Return the grammar of a counterexample, or its sentence with the dictionary."""
    if hasattr(case, "to_dictionary"):
        return {"n": case.n, "sentence": list(case.words), "dictionary": case.to_dictionary()}
    return {"n": case.n, "grammar": as_json(case)}


def _steps_json(derivation: Any) -> list[dict[str, Any]] | None:
    """Return the steps of a derivation, antecedents first."""
    return derivation and [
        fields_json(Application.of(node), "step antecedents consequent links")
        for node in derivation.applied()
    ]


def _last_json(derivation: Derivation | None) -> dict[str, Any] | None:
    return steps[-1] if (steps := _steps_json(derivation)) else None


class RandomTests(Record):
    """Random trees and grammars beyond the exhaustive range: how many, of how many words, how many undecided.

    `skipped` counts those whose run hit a limit.
    """

    trees: int
    grammars: int
    words: tuple[int, int]
    skipped: int

    to_json = json_of("trees grammars words skipped")


def all_of(*answers: bool | None) -> bool | None:
    """Return whether all answers are yes; None if that is unknown."""
    return False if False in answers else (True if all(answers) else None)


_ANSWERS = "schema parameters class=class_name max_n seed sound complete each_once"
_OF_TREES = (
    f"{_ANSWERS} roots counterexamples(unsound incomplete ambiguous) sound_to complete_to each_once_to=once_to "
    "every_grammar random runs for_every_n!"
)


class StructureRange(Record):
    """The structures of which a schema is to derive some: all of a kind, or those of another schema.

    Parameters
    ----------
    name : the name of it.
    fields : the keys of a verdict in JSON.
    once : whether a schema is only right if it derives each structure once.
    rooted : whether a verdict may leave out trees with several roots.
    noun, cases : names for one structure, and for one case and many; empty where ranges of lengths are printed.
    least : the least number of words of a case.
    """

    name: str
    fields: str
    once: bool = False
    rooted: bool = False
    noun: str = ""
    cases: tuple[str, ...] = ()
    least: int = 1


TREES = StructureRange("trees", _OF_TREES, rooted=True)
GRAPHS = StructureRange("graphs", _OF_TREES)
BRACKETINGS = StructureRange(
    "bracketings",
    f"{_ANSWERS} counterexamples(unsound incomplete) sound_to complete_to between? grammars=runs "
    "bracketings=structures skipped for_every_n!",
)
LINKAGES = StructureRange(
    "linkages",
    f"{_ANSWERS} counterexamples(unsound incomplete ambiguous repeated=ambiguous) sound_to complete_to "
    "each_once_to=once_to dictionaries=runs linkages=structures beyond skipped for_every_n!",
    once=True,
    noun="linkage",
    cases=("dictionary", "dictionaries"),
    least=2,
)
CONSTITUENTS = StructureRange(
    "constituents",
    f"{_ANSWERS} counterexamples(unsound incomplete ambiguous) sound_to complete_to "
    "each_once_to=once_to grammars=runs trees=structures beyond skipped for_every_n!",
    once=True,
    noun="tree",
    cases=("small grammar", "small grammars"),
)
OF_ANOTHER = StructureRange(
    "structures",
    f"{_ANSWERS} counterexamples(unsound incomplete) sound_to complete_to cases=runs structures beyond "
    "skipped exhaustive_to",
)


class Between(Record):
    """The classes of trees, or of bracketings, that a schema lies between, by all of some lengths.

    Parameters
    ----------
    lower : the greatest known classes all of whose trees it parses; several that are the same so far, or that none of
        them is in another; none where it parses not even the smallest one.
    upper : the smallest known classes that all trees which it derives belong to; none where it derives structures
        that are not trees; None where other facts than those tried may derive more.
    to : the greatest number of words that was settled, for both.
    """

    lower: tuple[str, ...]
    upper: tuple[str, ...] | None
    to: int

    to_json = json_of("lower upper to")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Verdict(Shown):
    """Whether a schema derives exactly a class of structures, each once, up to some length.

    Parameters
    ----------
    schema, parameters : the schema.
    of : the kind of structures.
    class_name : the class of structures.
    max_n : the greatest number of words asked for.
    sound, complete, each_once : the answers; None if unknown.
    sound_to, complete_to, once_to : the greatest n for which the answer is yes, shorter sentences included.
    unsound, incomplete, ambiguous : the smallest counterexamples.
    runs : how many cases were tried: grammars, dictionaries with a sentence.
    structures : how many structures were met; of linkages, how many there are by brute force.
    beyond : how many of the cases have more than max_n words.
    skipped : how many of them could not be decided within the limits.
    stopped : the limit that was hit ("steps", "seconds", "memory", "structures"), "worker" if a process was killed, or
        "interrupt".
    single_root : whether trees with several words under node 0 are left out.
    grammar_kind : the kind of grammar.
    every_grammar : whether soundness was settled for every grammar of these lengths; else for every grammar
        of at most 3 words, and beyond for all links, each tree, and random grammars.
    random : the random cases beyond max_n, of trees.
    exhaustive_to : the greatest n for which all sentences of a grammar were tried, and not a sample of them; None if
        sentences of no grammar were.
    between : without a class, the classes of trees or bracketings that the schema lies between; None where no length
        was settled.
    for_every_n : the answers for every number of words (`correctness.answers.Correctness`); None if they were not
        requested.
    """

    schema: str
    parameters: dict[str, int]
    of: StructureRange
    class_name: str
    max_n: int
    seed: int
    sound: bool | None
    complete: bool | None
    each_once: bool | None
    sound_to: int
    complete_to: int
    once_to: int
    unsound: Unsound | None
    incomplete: Missed | None
    ambiguous: Ambiguous | None
    runs: int
    structures: int
    beyond: int
    skipped: int
    seconds: float
    stopped: str | None
    grammar_kind: str
    single_root: bool = False
    every_grammar: bool = False
    random: RandomTests | None = None
    exhaustive_to: int | None = None
    between: Between | None = None
    for_every_n: Any = None

    def __repr__(self) -> str:
        words = {True: "", False: "not ", None: "perhaps "}
        said = ", ".join(words[answer] + name.replace("_", " ") for name, answer in self._wanted.items())
        name = reference(self.schema, self.parameters)
        return f"<Verdict of {name}, {self.class_name}, n <= {self.max_n}: {said}>"

    @property
    def _wanted(self) -> dict[str, bool | None]:
        """The answers that decide whether a schema is right."""
        once, of_all = {"each_once": self.each_once}, {"sound": self.sound, "complete": self.complete}
        return of_all | (once if self.of.once else {})

    @property
    def roots(self) -> str:
        """How many words may hang under node 0: "one" or "many"."""
        return "one" if self.single_root else "many"

    @property
    def holds(self) -> bool | None:
        """Whether the schema is sound and complete for the class, and derives linkages and constituent trees once.

        Where a proof for every number of words was asked for, it has to be there. None if unknown; no where runs
        refute a proved claim.
        """
        proof = self.for_every_n
        if proof is not None and proof.contradicted:
            return False
        more = () if proof is None or proof.shipped or proof.brief else (proof.sound, proof.complete)
        return all_of(*self._wanted.values(), *more)

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as the JSON object that `schemata verify --json` prints."""
        return document() | fields_json(self, f"{self.of.fields} seconds:3 stopped?")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Recognition(Verdict):
    """The named classes that a schema parses exactly, up to some length: a verdict without a fixed class.

    Parameters
    ----------
    consistent : the classes that the schema parses exactly up to `covered` words. Short sentences do not distinguish
        all classes.
    counts : for each n = 1, 2, ... the number of trees derived under their own grammar.
    """

    consistent: tuple[str, ...]
    counts: tuple[int, ...]

    def __repr__(self) -> str:
        name, found = reference(self.schema, self.parameters), listing(self.consistent) or "no known class"
        return f"<Recognition of {name}, n <= {self.covered}: {found}>"

    @property
    def covered(self) -> int:
        """The greatest n that was settled."""
        return self.sound_to

    @property
    def parses(self) -> tuple[str, ...] | None:
        """The classes that the schema parses exactly, None if not all lengths could be settled."""
        return None if self.consistent and self.covered < self.max_n else self.consistent

    @property
    def holds(self) -> bool | None:
        """Whether the schema parses some named class exactly. None if undecided."""
        return None if self.parses is None else bool(self.parses)

    def to_json(self) -> dict[str, Any]:
        """Return the answer as the JSON object that `schemata verify --json` prints without a class."""
        return document() | fields_json(
            self,
            "schema parameters max_n seed parses consistent_so_far=consistent between each_once roots "
            "counterexamples(unsound ambiguous) trees_by_n=counts covered each_once_to=once_to "
            "every_grammar runs for_every_n! seconds:3 stopped?",
        )
