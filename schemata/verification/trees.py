"""Verification of dependency schemata: the trees they derive under a grammar, their faults, and the evidence.

A schema is complete for a class if every tree of the class, taken as grammar, has a final item that contains
the tree. It is sound if under no grammar a final item contains a structure that is no tree of the class or
that the grammar does not license. Where a schema has a node 0, every word needs a head; in schemata without it
the one word left headless is the root.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from schemata.analysis.compare import sentence_of_length
from schemata.analysis.reasons import WhyNot
from schemata.budget import Budget, BudgetExceeded
from schemata.engine.chart import Chart
from schemata.engine.run import compile_kernel, run_kernel
from schemata.errors import UsageError
from schemata.forest.trees import Building
from schemata.grammars.drules import DRules, tree_of, tree_of_length
from schemata.language import model as m
from schemata.quick_dataclasses import Record, replace
from schemata.structures import DependencyTree, Sentence, TreeClass, tree_class, trees_of_class
from schemata.structures.classes import OwnClass
from schemata.structures.projections import tree_masks
from schemata.verification.built import (
    ITEM_UNIONS,
    Link,
    Structure,
    derive_structures,
    explain_missing,
    read,
)
from schemata.verification.grammars import (
    GrammarUnderTest,
    Heads,
    LicensedLinks,
    Links,
    RuleGrammar,
    TreeCase,
    TreeRules,
    every_link,
    own_case,
    random_tree_cases,
    tree_cases,
)
from schemata.verification.progress import RUN_BUDGET, Limits, Progress, Question, Undecided, counted
from schemata.verification.verdicts import (
    Ambiguous,
    Missed,
    RandomTests,
    Recognition,
    Refutation,
    Unsound,
    Verdict,
    WhyNotTree,
)
from schemata.workbench import ParsingSchema

TREE_UNIONS = 30_000_000
"""The unions of sets of links that the structures of one chart may take."""

KNOWN_CLASSES = (
    "covington-lsup",
    "projective",
    "planar",
    "wg-1",
    "mg-1",
    "gap-degree-1",
    "wg-2",
    "mg-2",
    "gap-degree-2",
    "wg-3",
    "mg-3",
    "well-nested",
    "2-planar",
    "3-planar",
    "all",
)
"""The classes that `recognise` tells apart."""

_PROBE_STEPS = 20_000  # of the run that shows whether a schema has a node 0


class TreeOutcome(Record):
    """The outcome of a case: the licensed trees derived, and the first offence in a structure of its own.

    `surplus` says that there are more derivations than structures.
    """

    case: TreeCase
    trees: frozenset[Heads]
    offence: Refutation | None = None
    surplus: bool = False

    @property
    def number(self) -> int:
        """The number of trees."""
        return len(self.trees)


class Trees:
    """A schema over D-rules or dependency rules under test.

    Parameters
    ----------
    schema : the schema.
    wanted : the class of trees that it is to derive; None where only structures that are no trees are wrong.
    single_root : whether trees with several words under node 0 are nobody's concern.
    limits : the limits of the test.
    """

    answers = ("sound", "complete", "each_once")

    def __init__(
        self, schema: m.Schema, wanted: TreeClass | OwnClass | None, single_root: bool, limits: Limits
    ) -> None:
        self.schema, self.wanted, self.single_root, self.limits = schema, wanted, single_root, limits
        self.kernel = compile_kernel(schema)
        self.rules = schema.grammar != "d-rules"
        self.by_links = decided_by_links(schema)
        self.root_node = self._has_root_node()

    def _has_root_node(self) -> bool:
        """Tell whether the schema hangs words under a node 0, by its run on two words under all links."""
        if any(case.head == m.Lit(0) for case in self.schema.cases):
            return True
        try:
            # What the schema is must not depend on the limits of the test, nor take longer than a moment.
            probe = replace(self.limits.of_run, steps=_PROBE_STEPS)
            chart = self.run(TreeRules((0, 1)) if self.rules else every_link(2), probe)
        except BudgetExceeded as over:
            chart = over.chart
        built = (zip(self.schema.cases[x.case].links, x.links, strict=True) for x in chart.instances())
        return any(atom.name == "link" and numbers[1] == 0 for pairs in built for atom, numbers in pairs)

    def run(self, grammar: GrammarUnderTest, budget: Budget | None = None) -> Chart:
        """Run the schema under a grammar.

        Raises
        ------
        BudgetExceeded : a limit was hit, or Ctrl-C pressed.
        """
        words = sentence_of_length(grammar.n)
        return run_kernel(self.kernel, words, grammar.provide(), budget or self.limits.of_run)

    def cases(self, n: int, seed: int) -> tuple[int, Iterable[TreeCase]]:
        """Return the number of cases that settle or test n words, and the cases."""
        if self.by_links:
            return 1, [TreeCase(every_link(n), whole=True)]
        return tree_cases(n, self.rules, self.single_root, seed)

    def parts(self, case: TreeCase) -> Iterator[TreeCase]:
        """Yield cases in which an undecided one may be refuted at least."""
        if case.whole and self.wanted:
            for tree in trees_of_class(self.wanted, case.grammar.n, single_root=self.single_root):
                yield own_case(tree.heads, self.rules)

    def examine(self, case: TreeCase) -> TreeOutcome:
        """Run the schema under a case's grammar and judge what it builds, whatever the class.

        Raises
        ------
        BudgetExceeded, BudgetError : the run hit a limit, or its structures take too many unions of links.
        """
        chart = self.run(case.grammar)
        forest = chart.forest()
        structures = derive_structures(forest, self.root_node, self.limits.unions)
        surplus = forest.derivation_count != len(set(structures))
        if chart.accepted and not structures:
            structures = [Structure((), None, "the sentence is accepted, but nothing is built")]
        trees, offences = set(), []
        for structure in structures:
            fault = structure.fault
            if structure.heads and not case.whole:
                fault = fault or case.grammar.find_unlicensed(structure.links, structure.heads)
            if fault or structure.heads is None:
                offences.append(_offence(case, structure, fault or "no tree"))
            elif not self.single_root or structure.heads.count(0) <= 1:
                trees.add(structure.heads)
        offence = min(offences, key=lambda o: o.key, default=None)
        return TreeOutcome(case, frozenset(trees), offence, surplus)

    def refute(self, answer: str, outcome: TreeOutcome) -> Iterator[Refutation]:
        """Yield what refutes an answer in an outcome."""
        case = outcome.case
        if answer == "complete":
            lost = next((heads for heads in self._truth(case) if heads not in outcome.trees), None)
            if lost is not None:
                missed = Structure(self._links(lost), lost, None)
                yield Refutation((lost,), own_case(lost, self.rules), missed, "")
            return
        if answer == "each_once":
            if outcome.surplus and self._has_all(case):
                yield from self._repeated(case)
            return
        if outcome.offence is not None:
            yield outcome.offence
        outsiders = [heads for heads in outcome.trees if self.wanted and not self.contains(heads)]
        found = (_offence(case, Structure(self._links(heads), heads, None), "") for heads in outsiders)
        first = min(found, key=lambda o: o.key, default=None)
        if first is not None and self.wanted is not None:
            checked = self.wanted.check(DependencyTree(first.structure.heads))
            yield replace(first, fault=f"not in the class {self.wanted.name}: {checked}")

    def _has_all(self, case: TreeCase) -> bool:
        """Tell whether a case may tell of derivations: one structure has one choice of rules there.

        More licences give more derivations, so of all grammars of links, only that of all links has to be tried.
        """
        if isinstance(case.grammar, RuleGrammar):
            return all(len(names) == 1 for names in case.grammar.categories)
        return case.own is not None or case.grammar == every_link(case.grammar.n)

    def _repeated(self, case: TreeCase) -> Iterator[Refutation]:
        """Yield the smallest structure of a case that has several derivations, in its own grammar if it does there."""
        numbers = self._count(case)
        found = min((x for x, number in numbers.items() if number > 1), key=lambda x: x.key, default=None)
        if found is None:
            return
        number = numbers[found]
        if not self.rules and case.own is None:
            own = TreeCase(LicensedLinks(case.grammar.n, frozenset(found.links)), found.heads)
            if (again := self._count(own).get(found, 0)) > 1:
                case, number = own, again
        yield Refutation((case.grammar.n, *found.key), case, (found, number), "")

    def _count(self, case: TreeCase) -> dict[Structure, int | float]:
        """Return the structures of a case with the numbers of their derivations.

        Those that are nobody's concern are left out: trees with several roots, and links to what is no word.
        """
        chart = self.run(case.grammar)
        building, numbers = Building.of(chart), dict[Structure, int | float]()
        for state, number in counted(chart.forest(), building, None).items():
            found = read(building, state, self.root_node)
            many_roots = self.single_root and sum(head == 0 for _, head in found.links) > 1
            if building.names_words(state) and not many_roots:
                numbers[found] = numbers.get(found, 0) + number
        return numbers

    def _links(self, heads: Heads) -> Links:
        """Return the links that a tree is derived with."""
        return tuple((d, h) for d, h in enumerate(heads, start=1) if h or self.root_node)

    def _truth(self, case: TreeCase) -> Iterator[Heads]:
        """Yield the trees of the class that are to be derived in a case."""
        if case.whole and self.wanted is not None:
            trees = trees_of_class(self.wanted, case.grammar.n, single_root=self.single_root)
            yield from (tree.heads for tree in trees)
        elif case.own is not None and self.contains(case.own):
            yield case.own

    def contains(self, heads: Heads) -> bool:
        """Tell whether a tree is of the class."""
        return self.wanted is not None and _contains(self.wanted, heads)

    def smaller(self, case: TreeCase) -> Iterator[TreeCase]:
        """Yield smaller grammars; where one run decides all there are none."""
        return iter(()) if self.by_links or case.own else map(TreeCase, case.grammar.smaller())

    def renamed(self, case: TreeCase) -> TreeCase:
        """Return the case: there are no names."""
        return case

    def shown(self, case: TreeCase) -> GrammarUnderTest:
        """Return the grammar of a case."""
        return case.grammar

    def explain(self, answer: str, refutation: Refutation) -> Missed | Unsound | Ambiguous:
        """Return a counterexample with its evidence.

        Raises
        ------
        BudgetExceeded : the run hits a limit now.
        """
        chart, example = (
            self.run(refutation.case.grammar),
            refutation.example(answer, refutation.case.grammar),
        )
        if isinstance(example, Missed):
            return explain_missing(example, chart, example.structure.links)
        building, structure = Building.of(chart), example.structure
        return example.explained(chart, building, lambda x: read(building, x, self.root_node) == structure)


def _offence(case: TreeCase, structure: Structure, fault: str) -> Refutation:
    """Return a structure as an offence: by the smaller grammar first, then the smaller structure.

    Under all links, the smallest grammar that gives a structure is that of its own links.
    """
    if case.whole:
        case = TreeCase(LicensedLinks(case.grammar.n, frozenset(structure.links)))
    key = (case.grammar.key, len(structure.links), structure.links)
    return Refutation(key, case, structure, fault)


@lru_cache(maxsize=1 << 17)
def _contains(wanted: TreeClass | OwnClass, heads: Heads) -> bool:
    return wanted.contains(DependencyTree(heads))


def decided_by_links(schema: m.Schema) -> bool:
    """Tell whether a schema's structures under the grammar of all links decide those under every grammar.

    They do where every case asks exactly for the licences of the links it builds, and no step needs a derived
    item as context. For then a derivation exists under a grammar G if and only if it exists under the grammar
    of all links and its links are in G: the structures under G are those under all links that G licenses. So
    one run says which trees are derived under their own grammar, and whether any grammar gives anything else.
    """
    if schema.grammar != "d-rules":
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


def why_not_tree(
    schema: ParsingSchema,
    sentence: Sentence,
    grammar: Any,
    heads: Sequence[int],
    budget: Budget | None = None,
) -> WhyNotTree:
    """Run a schema on a sentence and tell why it does not derive a tree, or that it does.

    Over D-rules, the chart holds no other links than those of the tree, as far as the grammar licenses them.

    Parameters
    ----------
    schema : a schema that builds dependency trees or graphs, over another grammar than facts.
    sentence, grammar : as for `ParsingSchema.run`.
    heads : the heads of the words, 0 for the root.
    budget : limits of the run.

    Raises
    ------
    UsageError : the schema builds something else, or the heads are no tree.
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
    by_links, unlicensed = definition.grammar == "d-rules", frozenset[Link]()
    if by_links:
        given = schema.check_grammar(grammar, words=len(sentence)).for_sentence(sentence)
        unlicensed = frozenset(links) - given.pairs
        grammar = DRules.from_pairs(frozenset(links) - unlicensed)
    chart = schema.run(sentence, grammar, budget=budget)
    if not Trees(
        definition, None, single_root=True, limits=Limits(budget or RUN_BUDGET, ITEM_UNIONS, math.inf)
    ).root_node:
        links = tuple(link for link in links if link[1])
    found = {s.links for s in derive_structures(chart.forest(), True, ITEM_UNIONS)}
    if links in found:
        return WhyNotTree(chart, heads, True)
    example = explain_missing(
        Missed(LicensedLinks.of_tree(heads), Structure(links, heads, None)), chart, links
    )
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


def verify(question: Question, class_of_trees: TreeClass | OwnClass | str | None) -> Verdict | Recognition:
    """Test whether a schema parses exactly the trees of a class; without one, which of the known classes it parses.

    Raises
    ------
    UsageError : no such class, a schema that is not run over trees, numbers out of range.

    References
    ----------
    GCW11, section 3.1 (sound and complete schemata).

    >>> from schemata import verify
    >>> verdict = verify("eisner1996", "projective", 3)
    >>> verdict.sound, verdict.complete
    (True, True)
    >>> verify("covington2001", "all", 3).unsound.fault
    'a cycle 1 -> 2 -> 1'
    """
    name, root, max_n = question.schema.name, question.single_root, question.max_n
    question.check()
    if class_of_trees is None and question.random:
        raise UsageError("--random needs --class")
    if class_of_trees is None:
        return recognise(question)
    wanted = tree_class(class_of_trees) if isinstance(class_of_trees, str) else class_of_trees
    extra: list[TreeCase] = []
    lengths = range(max_n + 1, max_n + 4)

    def work(state: Progress) -> None:
        question.settle(state, range(1, max_n + 1))
        if question.random and not state.closed:
            rules, count, seed = state.crew.worker.kind.rules, question.random, question.seed
            extra.extend(random_tree_cases(wanted, rules, lengths, count, single_root=root, seed=seed))
            state.try_cases(len(extra), extra, f"{name}, random", None)

    state = question.followed(Trees, (wanted, root), TREE_UNIONS, work)
    trees = sum(case.own is not None for case in extra)
    random = RandomTests(trees, len(extra) - trees, (lengths[0], lengths[-1]), state.beyond[1])
    return question.verdict(
        state,
        "trees",
        wanted.name,
        Verdict,
        single_root=root,
        every_grammar=state.crew.worker.kind.by_links,
        random=random if extra else None,
    )


def recognise(question: Question) -> Recognition:
    """Find the known classes of trees that a schema parses exactly, up to some length.

    >>> from schemata import verify
    >>> verify("mh", max_n=4).parses
    ('projective',)
    """
    max_n, single_root = question.max_n, question.single_root
    names = list(KNOWN_CLASSES)
    counts: list[int] = []

    def work(state: Progress) -> None:
        for n in range(1, max_n + 1):
            waiting = [answer for answer in ("sound", "each_once") if answer not in state.refuted]
            if state.stopped or not waiting:
                return
            total, cases = state.kind.cases(n, question.seed)
            parsed: set[Heads] = set()
            built: set[Heads] = set()
            for outcome in state.outcomes(total, cases, f"{question.schema.name}, {n} words"):
                if isinstance(outcome, Undecided):
                    state.stopped = state.stopped or outcome.stopped
                    continue
                state.learn(waiting, outcome)
                built |= outcome.trees
                parsed |= outcome.trees if outcome.case.whole else outcome.trees & {outcome.case.own}
            if "each_once" not in state.refuted and not state.stopped:
                state.covered["each_once"] = n
            if "sound" not in waiting:
                continue
            if "sound" in state.refuted:
                names.clear()
                state.shrink("sound")
                state.covered["sound"] = n
            elif state.stopped:
                # What was built is built all the same: it can refute a class, but not establish one.
                names[:] = [name for name in names if built <= _members(name, n, single_root)]
            else:
                names[:] = [name for name in names if built == parsed == _members(name, n, single_root)]
                counts.append(len(parsed))
                state.covered["sound"] = n

    state = question.followed(Trees, (None, single_root), TREE_UNIONS, work)
    return question.verdict(
        state,
        "trees",
        "",
        Recognition,
        single_root=single_root,
        every_grammar=state.crew.worker.kind.by_links,
        consistent=() if "sound" in state.refuted else tuple(names),
        counts=tuple(counts),
    )


@lru_cache(maxsize=256)
def _members(name: str, n: int, single_root: bool) -> frozenset[tuple[int, ...]]:
    """Return the trees of a class; asked for once per schema of a catalogue."""
    return frozenset(tree.heads for tree in trees_of_class(tree_class(name), n, single_root=single_root))
