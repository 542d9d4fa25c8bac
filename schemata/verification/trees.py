"""Verification of dependency schemata: the trees they derive under a grammar, their faults, and the evidence.

A schema is complete for a class if every tree of the class, taken as grammar, has a final item that contains the tree.
It is sound if, under every grammar, the structures in final items are trees of the class that the grammar licenses.
Where a schema has a node 0, every word needs a head; in schemata without it the one word left headless is the root.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import combinations
from random import Random
from typing import Any, TypeAlias

from schemata.analysis.figures import besides_json
from schemata.analysis.reasons import WhyNot
from schemata.budget import Budget
from schemata.engine.chart import Chart
from schemata.engine.exceeded import BudgetExceeded
from schemata.errors import SchemataError, UsageError
from schemata.forest.states import all_states
from schemata.forest.trees import Building, TreeState
from schemata.grammars.drules import DRules, tree_of, tree_of_length
from schemata.kinds import D_RULES, FACTS
from schemata.language import model as m
from schemata.records import Record, Shown, document, fields_json, json_of, replace
from schemata.structures import (
    DependencyGraph,
    DependencyTree,
    Sentence,
    TreeClass,
    check_acyclicity,
    check_single_headedness,
    tree_class,
    trees_of_class,
)
from schemata.structures.classes import OwnClass
from schemata.structures.projections import tree_masks
from schemata.thresholds import EFFORTS
from schemata.verification import progress
from schemata.verification.grammars import (
    FactGrammar,
    GrammarUnderTest,
    HeadVector,
    LicensedLinks,
    Links,
    RuleGrammar,
    TreeRules,
    decided_by_facts,
    every_fact,
    every_link,
    fact_cases,
    grammar_of,
    random_facts,
    random_tree_cases,
    tree_cases,
)
from schemata.verification.verdicts import TREES, Between, Missed, Recognition, UnusedItem
from schemata.workbench import ParsingSchema, links_root

TreeLink: TypeAlias = tuple[int, int]

NO_WORD = "a link to a position that is not a word"

KNOWN_CLASSES = (
    "covington-lsup", "projective", "planar", "wg-1", "mg-1", "gap-degree-1", "wg-2", "mg-2",
    "gap-degree-2", "wg-3", "mg-3", "well-nested", "2-planar", "3-planar", "all",
)  # fmt: skip
"""The classes that `recognise` distinguishes."""
ALL_CLASSES = (*KNOWN_CLASSES, "1ec")
"""The classes that a schema may lie between."""


class Structure(Record):
    """A set of links, with its heads if it is a tree, else with the reason why it is not a tree.

    `named` has the labels, tags and features of a tree where they count.
    """

    links: Links
    heads: HeadVector | None
    fault: str | None
    named: tuple[Any, ...] = ()

    @property
    def key(self) -> tuple[object, ...]:
        """The order of structures of one length: trees by their heads, then other sets of links by size."""
        return self.heads is None, self.heads or (), len(self.links), self.links, self.named

    to_json = json_of("links heads")


def read(building: Building, state: TreeState, root_node: bool, named: bool = False) -> Structure:
    """Return the structure that a finished state has built, judged; `named` adds labels and tags."""
    structure = building.structure(state)
    links = tuple(dict.fromkeys(link[:2] for link in building.built(state)))
    heads, more = structure, ()
    if structure is not None and (building.labelled or building.tagged):
        heads, *rest = structure
        more = tuple(rest) if named else ()
    if heads is not None and (not root_node or any(h == 0 for _, h in links)):
        return Structure(links, heads, None, more)
    graph = DependencyGraph(building.n, links)
    if not (headed := check_single_headedness(graph)).holds:
        return Structure(links, None, str(headed))
    if not (acyclic := check_acyclicity(graph)).holds:
        return Structure(links, None, f"a {acyclic}")
    if not building.names_words(state):
        return Structure(links, None, NO_WORD)
    headless = sorted({*range(1, building.n + 1)} - {d for d, _ in links})
    words = ", ".join(map(str, headless))
    fault = f"word {words} has no head" if len(headless) == 1 else f"words {words} have no head"
    if structure is None and len(headless) < 2 and (building.labelled or building.tagged):
        fault = "a word with two labels, two tags or two values of a feature"
    return Structure(links, None, fault)


def tree_subject(
    schema: m.Schema, wanted: TreeClass | OwnClass | None, single_root: bool, limits: Budget
) -> progress.Subject:
    """Return a schema over D-rules, dependency rules or facts under test; its cases are grammars.

    Parameters
    ----------
    schema : the schema.
    wanted : the class of trees that it is to derive; None if only structures that are not trees are wrong.
    single_root : whether the claim ignores trees with several words under node 0.
    limits : the limits of the test.
    """
    tested, rules, by_links = ParsingSchema(schema), schema.grammar != D_RULES, decided_by_links(schema)
    facts, by_facts = schema.grammar == FACTS, schema.grammar == FACTS and decided_by_facts(schema)

    @cache
    def root_node() -> bool:
        """Whether there is a node 0; computed only if a limit leaves a case undecided."""
        return has_root_node(tested, limits)

    def is_whole(case: GrammarUnderTest) -> bool:
        """Whether the structures in a case are those of all grammars."""
        if isinstance(case, FactGrammar):
            return case.is_whole
        return by_links and case == every_link(case.n)

    def cases(n: int, seed: int) -> tuple[int, Iterator[GrammarUnderTest]]:
        if facts:
            return fact_cases(schema, n, seed)
        return (1, iter([every_link(n)])) if by_links else tree_cases(n, rules, single_root, seed)

    def is_forest(heads: HeadVector) -> bool:
        return single_root and heads.count(0) > 1

    def more(n: int, seed: int, share: int) -> list[GrammarUnderTest]:
        """Return so many random trees of the class, and so many random grammars."""
        assert wanted is not None
        if facts:
            return [*random_facts(schema, n, share, Random(f"beyond {seed} {n}"))]
        return [*random_tree_cases(wanted, rules, n, share, single_root=single_root, seed=seed)]

    def trees(case: GrammarUnderTest) -> Iterator[HeadVector]:
        """Yield the trees of the class that are to be derived in a case."""
        own = case.tree
        if wanted is None:
            return
        if is_whole(case):
            yield from (tree.heads for tree in trees_of_class(wanted, case.n, single_root=single_root))
        elif own is not None and not is_forest(own) and wanted.contains(DependencyTree(own)):
            yield own

    def truth(case: GrammarUnderTest) -> Iterator[Structure]:
        """Yield the trees that are to be derived in a case, with the links that they are derived with."""
        for heads in trees(case):
            links = ((d, h) for d, h in enumerate(heads, start=1) if h or root_node())
            yield Structure(tuple(links), heads, None)

    def reader(case: GrammarUnderTest, chart: Chart) -> progress.Reader:
        building = Building.of(chart)
        named = facts and not is_whole(case)
        return building, lambda state: read(building, state, root_node(), named)

    def fault(case: GrammarUnderTest, structure: Structure) -> str | None:
        fault, heads = structure.fault, structure.heads
        if heads is None:
            return fault or "no tree"
        if not is_whole(case):
            fault = fault or case.find_unlicensed(structure.links, heads)
        if fault or wanted is None or is_forest(heads):
            return fault
        tree = DependencyTree(heads)
        return None if wanted.contains(tree) else f"not in the class {wanted.name}: {wanted.check(tree)}"

    def own(answer: str, case: GrammarUnderTest, structure: Structure) -> GrammarUnderTest:
        """Return the smallest grammar that gives a structure, if all are decided by one."""
        if facts:
            return case
        if answer == "complete" and structure.heads is not None:
            return grammar_of(structure.heads, rules)
        return LicensedLinks(case.n, frozenset(structure.links)) if is_whole(case) else case

    def key(answer: str, own: GrammarUnderTest, structure: Structure) -> tuple[Any, ...]:
        """Return the order of refutations: smaller grammars first; of structures derived twice, smaller ones."""
        if answer == "each_once":
            return own.n, structure.key, own.key
        return own.key, len(structure.links), structure.links

    def may_repeat(case: GrammarUnderTest, built: int, derivations: float) -> bool:
        """Whether a case bears on derivations and has too many: each structure has one choice of
        rules there.

        More licences give more derivations, so of all grammars of links, only that of all links has to be tried.
        """
        if isinstance(case, FactGrammar):
            return derivations != built and not case.is_whole
        if isinstance(case, RuleGrammar):
            return derivations != built and all(len(names) == 1 for names in case.categories)
        return derivations != built and (case.tree is not None or case == every_link(case.n))

    def once(case: GrammarUnderTest, structure: Structure) -> float:
        """Return how many derivations a structure may have; a claim may leave trees with several roots aside."""
        roots = sum(head == 0 for _, head in structure.links)
        return math.inf if structure.fault == NO_WORD or (single_root and roots > 1) else 1

    return progress.Subject(
        tested,
        limits,
        cases,
        reader,
        truth,
        fault,
        answers=("sound", "complete", "each_once")
        if wanted and by_facts >= facts
        else ("sound", "each_once"),
        unions=EFFORTS.chart_unions,
        nothing=Structure((), None, "the sentence is accepted, but nothing is built"),
        key=key,
        own=own,
        once=once,
        may_repeat=may_repeat,
        more=more,
        parts=lambda case: (
            grammar_of(heads, rules) for heads in (() if facts else trees(case)) if is_whole(case)
        ),
        # There are none of a single tree, nor where one run decides for all.
        smaller=lambda case: () if by_links or case.tree else case.smaller(),
        evidence=lambda example, chart: explain_missing(example, chart, example.structure.links),
    )


def has_root_node(schema: ParsingSchema, limits: Budget) -> bool:
    """Whether a schema attaches words to a node 0, by its run on two words under all links.

    Raises
    ------
    BudgetExceeded : there is no time or memory for the run; or it is too long, and shows no such link.
    """
    cases, rules = schema.definition.cases, schema.definition.grammar != D_RULES
    if any(case.head == m.Lit(0) for case in cases):
        return True
    cut: BudgetExceeded | None = None
    try:
        # What the schema is must not depend on the limits of the test, nor take longer than a moment.
        probe = replace(limits, steps=EFFORTS.probe_steps)
        case: Any = TreeRules((0, 1)) if rules else every_link(2)
        if schema.definition.grammar == FACTS:
            case = every_fact(schema.definition, ("w1", "w2"), 1)
        chart = progress.run_case(schema, case, probe)
    except BudgetExceeded as over:
        if over.reason != "steps":
            raise
        chart, cut = over.chart, over
    found = links_root(chart)
    if cut is not None and not found:
        raise cut
    return found


def decided_by_links(schema: m.Schema) -> bool:
    """Whether a schema's structures under the grammar of all links decide those under every grammar.

    They do where every case asks exactly for the licences of the links it builds, and no step needs a derived
    item as context. For then a derivation exists under a grammar G if and only if it exists under the grammar
    of all links and its links are in G: the structures under G are those under all links that G licenses. So
    one run says which trees are derived under their own grammar, and whether any grammar gives anything else.
    """
    if schema.grammar != D_RULES:
        return False
    derived = {case.consequent.form for case in schema.cases}
    for clause in schema.finals:
        if any(m.asks(c, "licensed") for c in clause.conditions):
            return False
    for case in schema.cases:
        if any(m.asks(c, "licensed_categories") for c in case.conditions):
            return False
        asked: set[object] = {c for c in case.conditions if m.asks(c, "licensed")}
        built = {link.licence for link in case.links}
        if case.head_links or asked != built:
            return False
        if any(a.context and a.pattern.form in derived for a in case.antecedents):
            return False
    return True


def explain_missing(example: Missed, chart: Chart, links: Links) -> Missed:
    """Return a tree that a chart lacks, with the largest parts of it that the chart has.

    Parameters
    ----------
    example : the tree.
    chart : the chart, best one under the tree's own grammar.
    links : the links that the tree is derived with.
    """
    wanted = frozenset(links)
    pieces = _structures(chart)
    used = {x for instance in chart.instances() for x in instance.antecedents}
    ends = [
        UnusedItem(
            str(chart.item(x)), max(found, key=lambda links: len(wanted.intersection(links)), default=())
        )
        for x, found in pieces.items()
        if x not in used
    ]
    ends.sort(key=lambda piece: -len(wanted.intersection(piece.links)))
    built = {link[:2] for instance in chart.instances() for link in instance.links}
    built |= {link for found in pieces.values() for links in found for link in links}
    missing = tuple(sorted(wanted - built))
    return replace(
        example,
        accepted=bool(chart.accepted),
        pieces=tuple(ends[: EFFORTS.pieces]),
        missing=missing,
        nearest=() if missing else _nearest(chart, pieces, wanted),
        why_not=_reasons(chart),
    )


def _structures(chart: Chart) -> dict[int, list[Links]]:
    """Return the sets of links that the derivations of each derived item have built; none where they are too many."""
    derived = frozenset(chart.derived_ids)
    whole = Chart(chart.schema, chart.sentence, chart.grammar, chart.raw, derived, chart.seconds)
    building = Building.of(chart)
    states = all_states(whole.forest(), building, EFFORTS.item_unions) or {}
    return {x: sorted({read(building, s, True).links for s in states.get(x, ())}) for x in chart.derived_ids}


def _nearest(
    chart: Chart, pieces: Mapping[int, list[Links]], wanted: frozenset[TreeLink]
) -> tuple[UnusedItem, ...]:
    """Return two items whose structures, without a link in common, hold as much of a tree as any two do."""
    candidates: dict[Links, int] = {}
    for item, found in pieces.items():
        for links in found:
            if links and wanted.issuperset(links):
                candidates.setdefault(links, item)
    best: tuple[int, int] = (0, 0)
    chosen: tuple[UnusedItem, ...] = ()
    for one, other in combinations(sorted(candidates)[: EFFORTS.paired_structures], 2):
        if not set(one) & set(other):
            # Of the pairs that hold as much, the most even one shows best what was not put together.
            score = len(one) + len(other), min(len(one), len(other))
            if score > best:
                best = score
                chosen = tuple(UnusedItem(str(chart.item(candidates[k])), k) for k in (one, other))
    return chosen


def _reasons(chart: Chart) -> Any:
    """Return why no final item is derivable; not for rules, where the search may take seconds."""
    if chart.accepted or chart.schema.grammar != D_RULES:
        return None
    from schemata.analysis.why_not import why_not

    try:
        return replace(why_not(chart), chart=None)
    except SchemataError:
        return None


class WhyNotTree(Record, Shown, repr=False):
    """Why a schema does not derive a tree of a sentence; or that it does.

    Parameters
    ----------
    chart : the chart in question; over D-rules it has no other links than the tree.
    heads : the tree.
    derivable : whether it is derived.
    unlicensed : the links of the tree that the grammar does not license.
    lacks : the gaps beside these: the links that no step builds, those with the fewest words below first, or the
        pieces that no step puts together.
    reasons : why no step builds the first of these links, or puts the nearest pieces together.
    """

    chart: Chart
    heads: HeadVector
    derivable: bool
    unlicensed: Links = ()
    lacks: Missed | None = None
    reasons: WhyNot | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the reasons as the JSON object that `schemata why-not --heads --json` prints."""
        found = fields_json(self, "heads derivable unlicensed")
        if self.lacks is not None:
            found |= fields_json(self.lacks, "accepted never_built=missing pieces nearest")
        return document(self.chart.heading(), found, fields_json(self, "reasons"), besides_json(self.chart))


def why_not_tree(
    schema: ParsingSchema,
    sentence: Sentence,
    grammar: Any,
    heads: Sequence[int],
    budget: Budget | None = None,
) -> WhyNotTree:
    """Run a schema on a sentence and explain why it does not derive a tree, if it does not.

    Over D-rules, the chart holds no other links than those of the tree, as far as the grammar licenses them.

    Parameters
    ----------
    schema : a schema that builds dependency trees or graphs, over another grammar than facts.
    sentence, grammar : as for `ParsingSchema.run`.
    heads : the heads of the words, 0 for the root.
    budget : limits of the run.

    Raises
    ------
    UsageError : the schema builds something else, or the heads are not a tree.
    GrammarError, BudgetExceeded : as for `ParsingSchema.run`.
    BudgetError : the chart has too many structures.

    >>> import schemata
    >>> eisner, words = schemata.load("eisner1996"), schemata.Sentence.of("a b c d")
    >>> why_not_tree(eisner, words, None, (0, 4, 1, 1)).lacks.missing
    ((2, 4), (3, 1), (4, 1))
    """
    from schemata.analysis.why_not import takes_heads, why_apart, why_unbuilt

    definition = schema.definition
    takes_heads(definition)
    heads = tree_of(tree_of_length(heads, sentence)).heads
    links: Links = tuple((d, h) for d, h in enumerate(heads, start=1))
    by_links, unlicensed = definition.grammar == D_RULES, frozenset[TreeLink]()
    if by_links:
        given = schema.check_grammar(grammar, words=len(sentence)).for_sentence(sentence)
        unlicensed = frozenset(links) - given.pairs
        grammar = DRules.from_pairs(frozenset(links) - unlicensed)
    chart = schema.run(sentence, grammar, budget=budget)
    limits, case = progress.RUN_BUDGET.unless(budget), LicensedLinks.of_tree(heads)
    subject = replace(tree_subject(definition, None, True, limits), unions=EFFORTS.item_unions)
    if not has_root_node(schema, limits):
        links = tuple(link for link in links if link[1])
    if any(one.links == links for one in subject.built(case, chart, chart.forest())):
        return WhyNotTree(chart, heads, True)
    example = explain_missing(Missed(case, Structure(links, heads, None)), chart, links)
    masks = tree_masks(heads)
    never = [link for link in example.missing if link not in unlicensed]
    never.sort(key=lambda link: masks[link[0]].bit_count())
    example = replace(example, missing=tuple(never), why_not=None)
    reasons: WhyNot | None = None
    if never:
        reasons = why_unbuilt(chart, *never[0])
    elif example.nearest:
        reasons = why_apart(chart, *(piece.item for piece in example.nearest))
    return WhyNotTree(chart, heads, False, tuple(sorted(unlicensed.intersection(links))), example, reasons)


def recognise(question: progress.Question) -> Recognition:
    """Find the classes of trees that a schema parses exactly, up to some length.

    Raises
    ------
    UsageError : random trees are requested without a class.

    >>> from schemata import verify
    >>> verify("mh", max_n=4).parses
    ('projective',)
    """
    if question.random:
        raise UsageError("--random needs --class")
    max_n, single_root = question.max_n, question.single_root
    by_links = decided_by_links(question.schema.definition)
    names, bounds = list(KNOWN_CLASSES), _Bounds(single_root)
    counts: list[int] = []

    def work(state: progress.Progress) -> None:
        for n in range(1, max_n + 1):
            if state.closed:
                return
            is_open, outcomes = "sound" in state.waiting, list[progress.Outcome]()
            total, cases = state.subject.cases(n, question.seed)
            state.try_cases(total, cases, f"{question.schema.name}, {n} words", n, kept=outcomes)
            parsed: set[HeadVector] = set()
            built: set[HeadVector] = set()
            for outcome in outcomes:
                trees = {x.heads for x in outcome.built if x.heads}
                trees -= {heads for heads in trees if single_root and heads.count(0) > 1}
                built |= trees
                whole = by_links or getattr(outcome.case, "is_whole", False)
                parsed |= trees if whole else trees & {outcome.case.tree}
            if not state.stopped:
                bounds.narrow(n, parsed, built, "sound" not in state.refuted)
            if "sound" in state.refuted:
                names.clear()
                state.covered["sound"] = n if is_open else state.covered["sound"]
            elif state.stopped:
                # What was built is built all the same: it can refute a class, but not establish one.
                names[:] = [name for name in names if built <= _members(name, n, single_root)]
            else:
                names[:] = [name for name in names if built == parsed == _members(name, n, single_root)]
                counts.append(len(parsed))

    state = question.followed(tree_subject, (None, single_root), work)
    if "sound" not in state.refuted and "sound" in state.covered:
        # A limit may have ended what was to be said of the trees of a length whose cases were all tried.
        state.covered["sound"] = min(state.covered["sound"], len(counts))
    return question.verdict(
        state,
        TREES,
        "",
        Recognition,
        single_root=single_root,
        every_grammar=by_links,
        consistent=() if "sound" in state.refuted else tuple(names),
        counts=tuple(counts),
        between=bounds.found,
    )


class _Bounds:
    """The classes that a schema lies between, by the lengths examined so far."""

    def __init__(self, single_root: bool) -> None:
        self.single_root = single_root
        self.lower, self.upper, self.to = list(ALL_CLASSES), list(ALL_CLASSES), 0

    def narrow(self, n: int, parsed: set[HeadVector], built: set[HeadVector], sound: bool) -> None:
        """Drop the classes that trees of n words refute.

        Parameters
        ----------
        parsed, built : the trees that are derived under their own grammar, and those derived under any that was tried.
        sound : whether nothing but trees was derived so far.
        """
        every = n ** (n - 1) if self.single_root else (n + 1) ** (n - 1)
        if len(parsed) < every:
            self.lower = [name for name in self.lower if _members(name, n, self.single_root) <= parsed]
        self.upper = [name for name in self.upper if sound and self._holds(name, n, built)]
        self.to = n

    def _holds(self, name: str, n: int, trees: set[HeadVector]) -> bool:
        """Whether a class has all of some trees; the whole class is enumerated where they are many."""
        if name == "all":
            return True
        if n > 6 and len(trees) < n ** (n - 2):
            contains = tree_class(name).contains
            return all(contains(DependencyTree(heads)) for heads in trees)
        return trees <= _members(name, n, self.single_root)

    @property
    def found(self) -> Between | None:
        """The greatest classes below and the smallest ones above; None if no length was gone through."""
        if not self.to:
            return None
        lower = (x for x in self.lower if not any(self._inside(x, y) for y in self.lower))
        upper = (x for x in self.upper if not any(self._inside(y, x) for y in self.upper))
        return Between(tuple(lower), tuple(upper), self.to)

    def _inside(self, name: str, other: str) -> bool:
        """Whether one class is a proper part of another, by their trees of the lengths that were gone through."""
        lengths = range(1, min(self.to, EFFORTS.compared_words) + 1)
        pairs = [(_members(name, n, self.single_root), _members(other, n, self.single_root)) for n in lengths]
        return pairs[-1][0] != pairs[-1][1] and all(one <= two for one, two in pairs)


@lru_cache(maxsize=256)
def _members(name: str, n: int, single_root: bool) -> frozenset[tuple[int, ...]]:
    """Return the trees of a class; computed once per schema of a catalogue."""
    return frozenset(tree.heads for tree in trees_of_class(tree_class(name), n, single_root=single_root))
