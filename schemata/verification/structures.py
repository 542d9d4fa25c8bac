"""Verification of schemata, whatever they build: trees, graphs, linkages, constituent trees.

A schema each of whose steps asks for the licences of just the links that it builds derives a graph under any grammar
that licenses its links, if it does under that of all links. So one run tells all graphs of one length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from schemata.engine.chart import Chart
from schemata.errors import UsageError, require_known
from schemata.forest.structures import building_of
from schemata.language import model as m
from schemata.language.typeset import reference_of
from schemata.quick_dataclasses import replace
from schemata.shards import Places
from schemata.structures import DependencyGraph, tree_class
from schemata.structures.classes import GraphClass, OwnClass, class_of, graph_class
from schemata.verification.constituents import CLASSES, EXHAUSTIVE_TO, Constituents
from schemata.verification.dictionaries import LINKAGE_CLASSES, Linkages
from schemata.verification.expected import SameAs, check_comparable
from schemata.verification.grammars import LicensedLinks, every_link
from schemata.verification.progress import Progress, Question
from schemata.verification.subject import LINK_UNIONS, Limits, Outcome, Reader, Subject
from schemata.verification.trees import Structure, Trees, decided_by_links, recognise
from schemata.verification.verdicts import RandomTests, Verdict


class Graphs(Subject):
    """A schema that builds graphs under test; its cases are the grammars of all links."""

    unions = LINK_UNIONS

    def __init__(self, schema: m.Schema, wanted: GraphClass | OwnClass, limits: Limits) -> None:
        super().__init__(schema, limits)
        self.wanted = wanted

    def cases(self, n: int, seed: int) -> tuple[int, list[LicensedLinks]]:
        """Return the grammar of all links."""
        return 1, [every_link(n)]

    def reader(self, case: LicensedLinks, chart: Chart) -> Reader:
        """Return what reads a chart."""
        building: Any = building_of(chart)

        def read(state: Any) -> Structure | None:
            built = building.structure(state)
            return None if built is None else Structure(building.value(built).links, None, None)

        return building, read

    def truth(self, case: LicensedLinks) -> Iterator[Structure]:
        """Yield the graphs of the class."""
        wanted, n = self.wanted, case.n
        every = (
            wanted.graphs
            if isinstance(wanted, GraphClass)
            else wanted.structures or graph_class("all").graphs
        )
        found = every(n) if isinstance(wanted, GraphClass) else filter(wanted.contains, every(n))
        return (Structure(graph.links, None, None) for graph in found)

    def fault(self, case: LicensedLinks, structure: Structure) -> str | None:
        """Return which property a graph lacks."""
        lack = self.wanted.missing(DependencyGraph(case.n, structure.links))
        return lack and f"a graph that is not {lack}"

    def own(self, answer: str, case: LicensedLinks, structure: Structure) -> LicensedLinks:
        """Return the grammar of a graph's links."""
        return LicensedLinks(case.n, frozenset(structure.links))

    def smaller(self, case: LicensedLinks) -> Iterable[LicensedLinks]:
        """Return nothing: that grammar is the smallest."""
        return ()


def verify(
    question: Question, wanted: str | OwnClass | None, other: m.Schema | None = None, grammar: Any = None
) -> Verdict:
    """Test whether a schema derives exactly the structures of a class, each once.

    Parameters
    ----------
    wanted : of trees a name that `tree_class` takes, and if None all known classes are tried; of linkages "linkages"
        (if None) or "acyclic-linkages"; of graphs properties joined by +, and if None all properties that the graphs
        have which it derives; of constituent trees a name of `CLASSES`, and if None the largest class that it derives.
        Or a class of one's own.
    other : a schema that derives what is to be derived, in place of a class.
    grammar : then, the grammar whose sentences are tried; None for small and random grammars.

    Raises
    ------
    UsageError : no such class, numbers out of range, or what makes no sense together.

    References
    ----------
    GCW11, sections 3.1 (sound and complete schemata) and 8; Sleator & Temperley 1991, section 2 (what a linkage is);
    Gómez-Rodríguez & Nivre 2013, section 4 (the class of graphs of a transition system).

    >>> from schemata import verify
    >>> verdict = verify("eisner1996", "projective", 3)
    >>> verdict.sound, verdict.complete
    (True, True)
    >>> verify("covington2001", "all", 3).unsound.fault
    'a cycle 1 -> 2 -> 1'
    >>> verify("eisner-satta-lg", max_n=3).holds
    True
    >>> [(one.class_name, one.holds) for one in (verify("earley", max_n=3), verify("cyk", max_n=3))]
    [('all', True), ('binary', True)]
    >>> verdict = verify("hybrid-system", max_n=3)
    >>> verdict.class_name, verdict.complete, verdict.each_once
    ('planar+single-headed+acyclic+no-covered-roots', True, True)
    """
    definition, name, max_n = question.schema.definition, question.schema.name, question.max_n
    of = "structures" if other else _kind(definition)
    least = 2 if of == "linkages" else 1
    if of == "linkages" and not question.single_root:
        raise UsageError(f"--roots is about trees, and schema {name} derives linkages")
    if of == "graphs" and question.random:
        raise UsageError(f"--random is about trees, and schema {name} builds graphs")
    question.check(least)
    if of == "trees" and wanted is None:
        return recognise(question)
    if other is None:
        make, chosen, class_name = _subject(question, of, wanted)
    else:
        check_comparable(definition, other, grammar)
        make, chosen = SameAs, (other, question.single_root, grammar)
        class_name = f"same as {reference_of(other)}"
    # Of each length beyond: the cases, and how many of each kind were asked for.
    tried: list[tuple[int, int]] = []
    lengths = range(max_n + 1, max_n + 4)

    def work(state: Progress) -> None:
        question.settle(state, range(least, max_n + 1))
        for place, n in enumerate(lengths):
            share = (question.random + 2 - place) // 3
            cases = [] if state.closed or not share else state.subject.more(n, question.seed, share)
            if cases:
                tried.append((len(cases), share))
                state.try_cases(len(cases), cases, f"{name}, {n} words", None)

    state = question.followed(make, chosen, work)
    every, random, exhaustive_to = of == "graphs", None, None
    if of == "trees":
        every = decided_by_links(definition)
        grammars = sum(share for _, share in tried)
        counts = sum(cases for cases, _ in tried) - grammars, grammars
        random = RandomTests(*counts, (lengths[0], lengths[-1]), state.beyond[1]) if tried else None
    elif isinstance(state.subject, SameAs):
        exhaustive_to = state.subject.exhaustive_to
    return question.verdict(
        state,
        of,
        class_name,
        Verdict,
        single_root=of == "trees" and question.single_root,
        every_grammar=every,
        random=random,
        exhaustive_to=exhaustive_to,
    )


def _subject(
    question: Question, of: str, wanted: str | OwnClass | None
) -> tuple[Callable[..., Subject], tuple[Any, ...], str]:
    """Return what makes the schema under test, its arguments beside schema and limits, and the name of the class.

    Raises
    ------
    UsageError : there is no such class.
    """
    chosen: Any = wanted
    if of == "trees":
        chosen = tree_class(wanted) if isinstance(wanted, str) else wanted
        return Trees, (chosen, question.single_root), chosen.name
    if of == "linkages":
        chosen = wanted or "linkages"
        message = f"there is no class of linkages called {chosen}"
        require_known(chosen, LINKAGE_CLASSES, message, "unknown-class")
        return Linkages, (chosen,), chosen
    if of == "graphs":
        if wanted is None:
            met = _met(question, Graphs, graph_class("all"), question.max_n)
            chosen = class_of({DependencyGraph(x.case.n, one.links) for x in met[1] for one in x.built})
        elif isinstance(wanted, str):
            chosen = graph_class(wanted)
        return Graphs, (chosen,), chosen.name
    if wanted is None:
        subject, outcomes = _met(question, Constituents, "all", min(question.max_n, EXHAUSTIVE_TO))
        assert isinstance(subject, Constituents)
        chosen = subject.largest_class(outcomes)
    elif isinstance(wanted, str):
        message = f"constituent trees have no class {wanted!r}"
        require_known(wanted, CLASSES, message, "unknown-class")
    return Constituents, (chosen,), chosen if isinstance(chosen, str) else chosen.name


def _met(
    question: Question, make: Callable[..., Subject], every: Any, max_n: int
) -> tuple[Subject, list[Outcome]]:
    """Return a schema under test for all structures of a kind, and its outcomes up to some length."""
    found: list[Outcome] = []

    def look(state: Progress) -> None:
        for n in range(1, max_n + 1):
            total, cases = state.subject.cases(n, question.seed)
            words = f"{question.schema.name}, {n} words"
            state.try_cases(total, cases, words, None, kept=found, answers=())

    here = replace(question, jobs=Places.of(question.jobs).jobs)  # a ledger is about one verification
    return here.followed(make, (every,), look).subject, [one for one in found if not one.stopped]


def _kind(schema: m.Schema) -> str:
    """Return which structures a schema builds.

    Raises
    ------
    UsageError : there is no universe of them.
    """
    if schema.grammar == "link-grammar":
        return "linkages"
    if schema.structure == "dependency tree" and schema.grammar in ("d-rules", "dependency-rules"):
        return "trees"
    if schema.structure == "dependency graph":
        if decided_by_links(schema):
            return "graphs"
        message = f"schema {schema.name} asks for licences of other links than it builds"
        expected = "a schema over d-rules whose steps attach the links that they build"
        raise UsageError(message, code="no-graphs", expected=expected)
    if schema.grammar == "context-free" and schema.structure == "constituent tree":
        return "constituents"
    if schema.grammar in ("d-rules", "dependency-rules") or schema.structure == "set":
        message = f"schema {schema.name} derives {schema.structure}s, and classes are of trees"
    else:
        message = f"schema {schema.name} runs over {schema.grammar} grammars, and what it should derive is not known"
    raise UsageError(
        message,
        code="no-trees",
        expected="a schema over D-rules, dependency rules, context-free grammars or link dictionaries, which derives "
        "trees, graphs or linkages",
        hint="--same-as NAME compares what two schemata derive",
    )
