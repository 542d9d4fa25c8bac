"""Coverage: how many trees of a treebank belong to each class, and how many each schema parses.

A schema that is verified to parse exactly a class parses the trees of the class. Others are run on each tree, under the
grammar that licenses its links alone; they parse the tree if they accept. Counts of parts of a treebank add up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from schemata.budget import Budget, BudgetExceeded
from schemata.errors import StructureError, UsageError
from schemata.grammars import DRules
from schemata.json_values import document
from schemata.language.library import split_reference
from schemata.structures import DependencyTree, Sentence
from schemata.structures.classes import Classification, classify, tree_class
from schemata.structures.planarity import arcs_of, crossings_graph
from schemata.structures.projections import tree_masks
from schemata.treebanks.conllu import BrokenSentence
from schemata.verification.claims import claim_about, shipped_claims
from schemata.workbench import ParsingSchema, load

_RUN = Budget(steps=50_000, seconds=0.5)  # of a schema on one tree

Test: TypeAlias = Callable[[Classification], bool]
CLASSES: Mapping[str, Test] = {
    "projective": lambda c: c.projective,
    "planar": lambda c: c.planes <= 1,
    "1ec": lambda c: c.one_endpoint_crossing,
    "2-planar": lambda c: c.planes <= 2,
    "3-planar": lambda c: c.planes <= 3,
    "well-nested": lambda c: c.well_nested,
    "gap-degree-1": lambda c: c.gap_degree <= 1,
    "gap-degree-2": lambda c: c.gap_degree <= 2,
    "gap-degree-3": lambda c: c.gap_degree <= 3,
    "wg-1": lambda c: c.well_nested and c.gap_degree <= 1,
    "mg-1": lambda c: c.mg_degree <= 1,
    "wg-2": lambda c: c.well_nested and c.gap_degree <= 2,
    "mg-2": lambda c: c.mg_degree <= 2,
    "mildly-ill-nested": lambda c: c.mildly_ill_nested,
    "strongly-ill-nested": lambda c: c.strongly_ill_nested,
    "edge-degree-1": lambda c: c.edge_degree <= 1,
}
WITH_ROOT: Mapping[str, Test] = {  # with the arc from the artificial root
    "planar": lambda c: c.planes_with_root <= 1,
    "1ec": lambda c: c.one_endpoint_crossing_with_root,
    "2-planar": lambda c: c.planes_with_root <= 2,
    "3-planar": lambda c: c.planes_with_root <= 3,
}
_ARCS = ("all", "projective", "crossing none")


@dataclass(frozen=True, slots=True)
class Parser:
    """A schema whose coverage is counted: by a class whose trees it is verified to parse, else by runs.

    `exactly` says that it is verified to parse no others.
    """

    name: str
    schema: ParsingSchema = field(repr=False)
    class_name: str | None = None
    exactly: bool = False

    def parses(self, sentence: Sentence, tree: DependencyTree, found: Classification) -> bool | None:
        """Return whether the schema parses a tree; None where a run hit a limit."""
        if self.class_name is not None:
            known = CLASSES.get(self.class_name)
            inside = known(found) if known else tree_class(self.class_name).contains(tree)
            if inside or self.exactly:
                return inside
        try:
            return self.schema.run(sentence, DRules.from_heads(tree.heads), budget=_RUN).accepted
        except BudgetExceeded:
            return None


def parsers(references: Sequence[str] = ()) -> tuple[Parser, ...]:
    """Return schemata by reference or path, all shipped ones over D-rules without any.

    Raises
    ------
    UsageError, SchemaError : there is no such schema, or it is not over D-rules.
    """
    every = dict.fromkeys(claim.reference for claim in shipped_claims())
    found = []
    for reference in references or every:
        schema = load(reference)
        if schema.definition.grammar != "d-rules" or schema.definition.structure != "dependency tree":
            if references:
                raise UsageError(f"{reference} parses no trees over D-rules by their links alone")
            continue
        claim = claim_about(split_reference(reference)[0], schema.parameters)
        complete = claim is not None and bool(claim.complete)
        class_name = claim.class_name if claim is not None and complete else None
        found.append(
            Parser(reference, schema, class_name, claim is not None and complete and bool(claim.sound))
        )
    return tuple(found)


@dataclass(frozen=True)
class Coverage:
    """The counts of a treebank, or of a part of one.

    Parameters
    ----------
    file : its name.
    sentences : trees that were looked at.
    skipped : sentences without a tree.
    classes, with_root : how many trees belong to each class, without and with the arc of the artificial root.
    arcs : arcs between words: all, those that are projective (their head dominates all words between), those that no
        arc crosses.
    schemata : how many trees each schema parses.
    unknown : how many runs of each schema hit a limit.
    """

    file: str
    sentences: int = 0
    skipped: int = 0
    classes: Mapping[str, int] = field(default_factory=Counter)
    with_root: Mapping[str, int] = field(default_factory=Counter)
    arcs: Mapping[str, int] = field(default_factory=Counter)
    schemata: Mapping[str, int] = field(default_factory=Counter)
    unknown: Mapping[str, int] = field(default_factory=Counter)

    def __add__(self, other: Coverage) -> Coverage:
        """Return the counts of both."""
        slots = ("classes", "with_root", "arcs", "schemata", "unknown")
        sums = {slot: Counter(getattr(self, slot)) for slot in slots}
        for slot, counts in sums.items():
            counts.update(getattr(other, slot))
        return Coverage(self.file, self.sentences + other.sentences, self.skipped + other.skipped, **sums)

    def to_json(self) -> dict[str, Any]:
        """Return the object that `coverage --json` prints."""
        found: dict[str, Any] = {"file": self.file, "sentences": self.sentences, "skipped": self.skipped}
        found["classes"] = {name: self.classes.get(name, 0) for name in CLASSES}
        found["classes_with_root"] = {name: self.with_root.get(name, 0) for name in WITH_ROOT}
        found["arcs"] = {name: self.arcs.get(name, 0) for name in _ARCS}
        found["schemata"] = dict(self.schemata)
        return document(found | ({"unknown": dict(self.unknown)} if self.unknown else {}))


def coverage(
    file: str, sentences: Iterable[Sentence | BrokenSentence], schemata: Sequence[Parser] = ()
) -> Coverage:
    """Return the counts of sentences with gold trees.

    >>> one = Sentence(("a", "b", "c", "d"), heads=(3, 4, 0, 3))
    >>> found = coverage("example", [one])
    >>> found.sentences, found.classes["projective"], found.classes["1ec"], dict(found.arcs)
    (1, 0, 1, {'all': 3, 'projective': 2, 'crossing none': 1})
    """
    total = Coverage(file, schemata=Counter({parser.name: 0 for parser in schemata}))
    for part in _each(file, sentences, schemata):
        total += part
    return total


def _each(
    file: str, sentences: Iterable[Sentence | BrokenSentence], schemata: Sequence[Parser]
) -> Iterator[Coverage]:
    for sentence in sentences:
        heads = sentence.heads if isinstance(sentence, Sentence) else None
        try:
            tree = DependencyTree(heads or ())
        except StructureError:
            tree = None
        if tree is None or not heads or not isinstance(sentence, Sentence):
            yield Coverage(file, skipped=1)
            continue
        found = classify(tree)
        answers = {parser.name: parser.parses(sentence, tree, found) for parser in schemata}
        yield Coverage(
            file,
            1,
            0,
            Counter(name for name, test in CLASSES.items() if test(found)),
            Counter(name for name, test in WITH_ROOT.items() if found.projective or test(found)),
            _arcs(tree, found.projective),
            Counter(name for name, answer in answers.items() if answer),
            Counter(name for name, answer in answers.items() if answer is None),
        )


def _arcs(tree: DependencyTree, is_projective: bool) -> Counter[str]:
    """Count the arcs between words."""
    links = [(d, h) for d, h in enumerate(tree.heads, start=1) if h]
    if is_projective:
        return Counter(dict.fromkeys(_ARCS, len(links)))
    masks = tree_masks(tree.heads)
    projective = 0
    for d, h in links:
        low, high = min(d, h), max(d, h)
        between = range(low + 1, high)
        projective += all(masks[h] >> word & 1 for word in between)
    arcs = arcs_of(tree)
    free = sum(not mask for mask in crossings_graph(arcs))
    return Counter({"all": len(links), "projective": projective, "crossing none": free})
