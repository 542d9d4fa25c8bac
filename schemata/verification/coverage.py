"""Coverage: how many trees of a treebank belong to each class, and how many each schema parses.

A schema that is verified to parse exactly a class parses the trees of the class. Others are run on each tree, under the
grammar that licenses its links alone; they parse the tree if they accept. On trees with several roots, of which nothing
is verified, all schemata are run. Counts of parts of a treebank add up.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, TypeAlias

from schemata.analysis.compare import sentence_of_length
from schemata.budget import Budget, OverBudget, Reason, within
from schemata.engine.chart import Chart
from schemata.engine.exceeded import BudgetExceeded
from schemata.errors import BudgetError, Diagnostic, StructureError, UsageError
from schemata.grammars import DRules
from schemata.kinds import CONSTITUENT_TREE, D_RULES, DEPENDENCY_RULES, DEPENDENCY_TREE, FACTS
from schemata.language.library import split_reference
from schemata.records import Record, Shown, Tabular, document, field, fields_json, json_of
from schemata.structures import DependencyTree, Sentence
from schemata.structures.classes import Classification, classify, tree_class
from schemata.structures.oracles import follow
from schemata.structures.planarity import arcs_of, crossings_graph
from schemata.structures.projections import tree_masks
from schemata.treebanks import Blocks, BrokenSentence
from schemata.verification.claims import claim_about, shipped_claims
from schemata.verification.grammars import (
    FactGrammar,
    TreeRules,
    complete_rules,
    decided_by_facts,
    fact_cases,
)
from schemata.verification.progress import run_case
from schemata.weights.scores import ArcScores, Weights
from schemata.wording import quantity
from schemata.workbench import ParsingSchema, load

_RUN = Budget(steps=10_000, seconds=30.0)  # of a schema on one tree: steps, so that no clock has a say
_TIMED = Budget(seconds=1.0)  # of a run that is timed

ClassTest: TypeAlias = Callable[[Classification], bool]
CLASSES: Mapping[str, ClassTest] = {
    "projective": lambda c: c.projective,
    "planar": lambda c: c.planes <= 1,
    "1ec": lambda c: c.one_endpoint_crossing,
    "2-planar": lambda c: c.planes <= 2,
    "3-planar": lambda c: c.planes <= 3,
    "4-planar": lambda c: c.planes <= 4,
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
WITH_ROOT: Mapping[str, ClassTest] = {  # with the arc from the artificial root
    "planar": lambda c: c.planes_with_root <= 1,
    "1ec": lambda c: c.one_endpoint_crossing_with_root,
    "2-planar": lambda c: c.planes_with_root <= 2,
    "3-planar": lambda c: c.planes_with_root <= 3,
    "4-planar": lambda c: c.planes_with_root <= 4,
}
MOST_PLANES = 4  # that a class allows
_ARCS = ("all", "projective", "crossing none")


class CountedSchema(Record):
    """A schema whose coverage is counted: by a class whose trees it is verified to parse, else by runs.

    `exactly` says that it is verified to parse no others, `collapses` that a run on a smaller tree gives the same
    answer.
    """

    name: str
    schema: ParsingSchema = field(repr=False)
    class_name: str | None = None
    exactly: bool = False
    collapses: bool = False

    def parses(self, tree: DependencyTree, found: Classification) -> bool | None:
        """Return whether the schema parses a tree; None if a run hit a limit."""
        one_root = tree.heads.count(0) == 1  # what is known of a schema is about such trees
        if self.class_name is not None and one_root:
            known = CLASSES.get(self.class_name)
            inside = known(found) if known else tree_class(self.class_name).contains(tree)
            if inside or self.exactly:
                return inside
        return _accepts(self.schema, collapsed(tree.heads) if self.collapses and one_root else tree.heads)


@lru_cache(maxsize=1 << 14)
def _accepts(schema: ParsingSchema, heads: tuple[int, ...]) -> bool | None:
    grammar = schema.definition.grammar
    try:
        if grammar == DEPENDENCY_RULES:
            return run_case(schema, TreeRules(heads), _RUN).accepted
        if grammar == FACTS:
            return _has_tree(run_case(schema, _every_fact(schema, len(heads)), _RUN), heads)
        return schema.run(sentence_of_length(len(heads)), DRules.from_heads(heads), budget=_RUN).accepted
    except BudgetExceeded:
        return None


def _every_fact(schema: ParsingSchema, n: int) -> FactGrammar:
    """Return all facts over a symbol for n words, which derive what any facts derive."""
    return next(fact_cases(schema.definition, n, 0)[1])


def _has_tree(chart: Chart, heads: tuple[int, ...]) -> bool:
    """Whether a chart derives a tree: whether it is the best tree when all links outside it are forbidden."""
    n = len(heads)
    scores = [[0.0 if d and heads[d - 1] == h else -math.inf for d in range(n + 1)] for h in range(n + 1)]
    chart.weights = Weights(ArcScores(scores))
    best = chart.best()
    tree = None if best is None else best.structure
    return isinstance(tree, DependencyTree) and tree.heads == heads


def collapsed(heads: tuple[int, ...]) -> tuple[int, ...]:
    """Return a tree without words that can hang under a neighbour: one after the other, if they have no dependents.

    >>> collapsed((2, 5, 1, 3, 0)), collapsed((2, 0, 2))
    ((2, 4, 1, 0), (0,))
    """
    left = list(range(1, len(heads) + 1))
    dependents = Counter(heads)
    place = 0
    while place < len(left):
        word = left[place]
        head = heads[word - 1]
        if head and not dependents[word] and head in left[max(place - 1, 0) : place + 2]:
            del left[place]
            dependents[head] -= 1
            place = max(place - 2, 0)  # what stood before it has another neighbour
        else:
            place += 1
    places = {word: place for place, word in enumerate(left, start=1)} | {0: 0}
    return tuple(places[heads[word - 1]] for word in left)


def seconds_of(parser: CountedSchema, n: int) -> float | None:
    """Return the seconds that a schema takes for n words under a grammar that licenses every link.

    None if a run hits a limit. It is run twice and the second run counts, for the first may make machine code.
    """
    seconds = None
    try:
        for _ in range(2):
            began = time.perf_counter()
            match parser.schema.definition.grammar:
                case kind if kind == DEPENDENCY_RULES:
                    run_case(parser.schema, complete_rules(n), _TIMED)
                case kind if kind == FACTS:
                    run_case(parser.schema, _every_fact(parser.schema, n), _TIMED)
                case _:
                    parser.schema.run(sentence_of_length(n), DRules.all(), budget=_TIMED)
            seconds = time.perf_counter() - began
    except BudgetExceeded:
        return None
    return seconds


def parsers(references: Sequence[str] = ()) -> tuple[CountedSchema, ...]:
    """Return schemata by reference or path, all shipped ones over D-rules without any.

    Schemata over dependency rules are run under the rules of a tree, those over facts under all facts over one symbol.

    Raises
    ------
    UsageError, SchemaError : there is no such schema, or it builds no dependency trees.
    """
    every = dict.fromkeys(claim.reference for claim in shipped_claims())
    found = []
    for reference in references or every:
        schema = load(reference)
        definition = schema.definition
        by_links = definition.grammar == D_RULES and definition.structure == DEPENDENCY_TREE
        if not by_links and not references:
            continue
        if not (by_links or (definition.builds_forests and definition.grammar != D_RULES)):
            message = f"{reference} derives no dependency trees that a grammar's links decide"
            brackets = definition.structure == CONSTITUENT_TREE
            hint = (
                "coverage FILE --brackets counts bracketed trees; verify NAME names the classes of a schema"
            )
            raise UsageError(
                message, expected="a schema that builds dependency trees", hint=hint if brackets else None
            )
        if definition.grammar == FACTS and not decided_by_facts(definition):
            message = f"{reference} may derive more under fewer facts, or under facts over more symbols"
            expected = (
                "steps that ask for facts alone, not for what is not a fact, nor for symbols that differ"
            )
            raise UsageError(message, expected=expected)
        claim = claim_about(split_reference(reference)[0], schema.parameters)
        complete = claim is not None and bool(claim.complete)
        found.append(
            CountedSchema(
                reference,
                schema,
                claim.class_name if claim is not None and complete else None,
                claim is not None and complete and bool(claim.sound),
                claim is not None and claim.collapses,
            )
        )
    return tuple(found)


class OutsideTree(Record, order=True):
    """A tree outside of a class: its words and its place in the treebank, by which the shortest come first."""

    length: int
    number: int
    sent_id: str
    words: tuple[str, ...]
    heads: tuple[int, ...]

    to_json = json_of("sent_id words heads")


class Coverage(Record, Shown, Tabular, slots=False, repr=False):
    """The counts of a treebank, or of a part of one.

    Parameters
    ----------
    file : its name.
    sentences : trees that were looked at.
    skipped : sentences without a tree.
    lengths : how many trees have so many words.
    classes, with_root : how many trees belong to each class, without and with the arc of the artificial root.
    classes_by_arc : how many arcs between words the trees of each class have.
    arcs : arcs between words: all, those that are projective (their head dominates all words between), those that no
        arc crosses.
    planes : the words of the 2-planar trees, and the Switches by which `k-planar-system` builds them: with planes that
        are given, and with planes that are found on the way.
    schemata : how many trees each schema parses.
    unknown : how many runs of each schema hit a limit.
    examples : by class or schema, the shortest trees that do not belong to it.
    reports : the faults of the skipped sentences.
    kept : examples of each at most.
    stopped : the limit that was hit, or Ctrl-C; then sentences are missing.
    """

    file: str
    sentences: int = 0
    skipped: int = 0
    lengths: Mapping[int, int] = field(default_factory=dict)
    classes: Mapping[str, int] = field(default_factory=dict)
    with_root: Mapping[str, int] = field(default_factory=dict)
    classes_by_arc: Mapping[str, int] = field(default_factory=dict)
    arcs: Mapping[str, int] = field(default_factory=dict)
    planes: Mapping[str, int] = field(default_factory=dict)
    schemata: Mapping[str, int] = field(default_factory=dict)
    unknown: Mapping[str, int] = field(default_factory=dict)
    examples: Mapping[str, tuple[OutsideTree, ...]] = field(default_factory=dict)
    reports: tuple[Diagnostic, ...] = ()
    kept: int = 0
    stopped: Reason | None = None

    def __add__(self, other: Coverage) -> Coverage:
        """Return the counts of both, and as many examples as either has."""
        sums: dict[str, Any] = {slot: _sum(getattr(self, slot), getattr(other, slot)) for slot in _COUNTS}
        most = self.kept or other.kept
        found = _sum(self.examples, other.examples, ())
        return Coverage(
            self.file,
            self.sentences + other.sentences,
            self.skipped + other.skipped,
            **sums,
            examples={name: tuple(sorted(some)[:most]) for name, some in found.items()},
            reports=(*self.reports, *other.reports),
            kept=most,
            stopped=self.stopped or other.stopped,
        )

    @property
    def median_words(self) -> int:
        """The number of words that half of the trees do not exceed; 0 without trees."""
        seen = 0
        for n, count in sorted(self.lengths.items()):
            seen += count
            if 2 * seen >= self.sentences:
                return n
        return 0

    def __repr__(self) -> str:
        return f"<Coverage of {self.file}: {quantity(self.sentences, 'tree')}>"

    def table_rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each class and each schema: how many trees it has, and their share."""
        for kind, counts, names in (
            ("class", self.classes, list(CLASSES)),
            ("schema", self.schemata, list(self.schemata)),
        ):
            for name in names:
                trees = counts.get(name, 0)
                share = trees / self.sentences if self.sentences else None
                yield {"kind": kind, "name": name, "trees": trees, "share": share}

    def to_json(self) -> dict[str, Any]:
        """Return the object that `coverage --json` prints."""
        whole = {
            "classes": (self.classes, CLASSES),
            "classes_with_root": (self.with_root, WITH_ROOT),
            "classes_by_arc": (self.classes_by_arc, CLASSES),
            "arcs": (self.arcs, _ARCS),
            "planes": (self.planes, _PLANES),
        }
        counts = {key: {name: own.get(name, 0) for name in names} for key, (own, names) in whole.items()}
        head = fields_json(self, "file sentences skipped median_words")
        return document(head, counts, fields_json(self, "schemata unknown? examples? stopped?"))


_COUNTS = ("lengths", "classes", "with_root", "classes_by_arc", "arcs", "planes", "schemata", "unknown")
_PLANES = ("words", "switches", "switches_on_the_fly")


def _sum(one: Mapping[Any, Any], other: Mapping[Any, Any], nothing: Any = 0) -> dict[Any, Any]:
    """Return the sums of two counts; zeros stay."""
    return {key: one.get(key, nothing) + other.get(key, nothing) for key in dict.fromkeys((*one, *other))}


def coverage(
    file: str,
    sentences: Iterable[Sentence | BrokenSentence],
    schemata: Sequence[CountedSchema] = (),
    examples: int = 0,
    first: int = 1,
) -> Coverage:
    """Return the counts of sentences with gold trees, and for each class and schema some trees that fall outside.

    The number of the first sentence names those without a name.

    >>> one = Sentence(("a", "b", "c", "d"), heads=(3, 4, 0, 3))
    >>> found = coverage("example", [one])
    >>> found.sentences, found.classes["projective"], found.classes["1ec"], found.arcs
    (1, 0, 1, {'all': 3, 'projective': 2, 'crossing none': 1})
    """
    skipped = 0
    counts: dict[str, Counter[Any]] = {slot: Counter() for slot in _COUNTS}
    counts["schemata"].update({parser.name: 0 for parser in schemata})
    counts["classes"].update(dict.fromkeys(CLASSES, 0))
    outside: dict[str, tuple[OutsideTree, ...]] = {}
    reports: list[Diagnostic] = []
    for number, sentence in enumerate(sentences, start=first):
        tree = _tree(sentence)
        if tree is None or not isinstance(sentence, Sentence):
            skipped += 1
            reports += [sentence.diagnostic] if isinstance(sentence, BrokenSentence) else []
            continue
        name = sentence.name or str(number)
        try:
            found = classify(tree, most_planes=MOST_PLANES)
        except BudgetError as error:
            skipped += 1
            reports += [replace(x, message=f"sentence {name}: {x.message}") for x in error.diagnostics]
            continue
        counts["lengths"][len(tree.heads)] += 1
        inside = [name for name, test in CLASSES.items() if test(found)]
        links = _arcs(tree, found.projective)
        counts["classes"].update(inside)
        counts["classes_by_arc"].update(dict.fromkeys(inside, links["all"]))
        counts["with_root"].update(name for name, test in WITH_ROOT.items() if test(found))
        counts["arcs"].update(links)
        counts["planes"].update(_switches(tree, found.planes))
        answers = {parser.name: parser.parses(tree, found) for parser in schemata}
        counts["schemata"].update(name for name, answer in answers.items() if answer)
        counts["unknown"].update(name for name, answer in answers.items() if answer is None)
        if examples:
            one = OutsideTree(len(tree.heads), number, name, sentence.words, tree.heads)
            # Nothing is asked of a tree by the two classes of ill-nested ones: those outside are not examples of it.
            left_out = [name for name in CLASSES if name not in inside and "ill-nested" not in name]
            for name in (*left_out, *(name for name, answer in answers.items() if answer is False)):
                outside[name] = tuple(sorted((*outside.get(name, ()), one))[:examples])
    plain: dict[str, Any] = {slot: dict(counter) for slot, counter in counts.items()}
    seen = sum(plain["lengths"].values())
    return Coverage(file, seen, skipped, **plain, examples=outside, reports=tuple(reports), kept=examples)


class Counting:
    """Counts the trees of treebanks, in a process."""

    def __init__(self, schemata: Sequence[str], examples: int, limits: Budget) -> None:
        self.parsers = parsers(schemata) if schemata else ()
        self.examples = examples
        self.limits = limits

    def __call__(self, blocks: Blocks) -> tuple[Coverage, bool]:
        """Return the counts of some sentences; none of them where a limit is hit."""

        def work() -> Coverage:
            sentences = (sentence for _, sentence in blocks.sentences())
            return coverage(blocks.file, sentences, self.parsers, self.examples, blocks.first)

        try:
            return within(self.limits, time.perf_counter(), work), True
        except OverBudget as over:
            return Coverage(blocks.file, stopped=over.reason), False


def _tree(sentence: Sentence | BrokenSentence) -> DependencyTree | None:
    heads = sentence.heads if isinstance(sentence, Sentence) else None
    try:
        return DependencyTree(heads) if heads else None
    except StructureError:
        return None


def _arcs(tree: DependencyTree, is_projective: bool) -> dict[str, int]:
    """Count the arcs between words."""
    links = [(d, h) for d, h in enumerate(tree.heads, start=1) if h]
    if is_projective:
        return dict.fromkeys(_ARCS, len(links))
    masks = tree_masks(tree.heads)
    inside = ((1 << max(link)) - (2 << min(link)) & ~masks[link[1]] for link in links)
    projective = sum(not foreign for foreign in inside)
    free = sum(not mask for mask in crossings_graph(arcs_of(tree)))
    return {"all": len(links), "projective": projective, "crossing none": free}


def _switches(tree: DependencyTree, planes: int) -> dict[str, int]:
    """Count the words of a 2-planar tree and its Switches; a tree with one plane has none."""
    if planes > 2:
        return {}
    ways = (False, True) if planes == 2 else ()
    found = [follow("k-planar-system", tree, on_the_fly=way, keep=False).transitions for way in ways]
    return dict(zip(_PLANES, [len(tree), *(names.count("Switch") for names in found)], strict=False))
