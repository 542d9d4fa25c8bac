"""Verification of schemata that build dependency graphs: which graphs, all of a class, each once.

A schema each of whose steps asks for the licences of just the links that it builds derives a graph under any grammar
that licenses its links, if it does under that of all links. So one run tells all for sentences of one length.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from schemata.budget import Budget
from schemata.engine.chart import Chart
from schemata.engine.run import compile_kernel, run_kernel
from schemata.errors import BudgetError, UsageError
from schemata.forest.derivations import derivations_of
from schemata.forest.states import count_states
from schemata.forest.structures import building_of
from schemata.language import model as m
from schemata.shards import Places
from schemata.structures import DependencyGraph, Sentence
from schemata.structures.graph_classes import GraphClass, class_of, graph_class
from schemata.verification.built import Structure
from schemata.verification.grammars import LicensedLinks, every_link
from schemata.verification.progress import Limits, Progress, answers_of, followed, loaded, settle
from schemata.verification.trees import TREE_UNIONS, decided_by_links
from schemata.verification.verdicts import (
    Ambiguous,
    Application,
    MissedGraph,
    Refutation,
    Unsound,
    Verdict,
)
from schemata.workbench import ParsingSchema, Watcher


@dataclass(frozen=True, slots=True)
class GraphOutcome:
    """The graphs over n words that are derived, with the numbers of their derivations."""

    n: int
    graphs: Mapping[DependencyGraph, int | float]

    @property
    def number(self) -> int:
        """The number of graphs."""
        return len(self.graphs)


class Graphs:
    """A schema that builds dependency graphs under test; a case is a number of words.

    Parameters
    ----------
    schema : the schema.
    wanted : the class of graphs that it is to derive.
    limits : the limits of the test.
    """

    answers = ("sound", "complete", "each_once")

    def __init__(self, schema: m.Schema, wanted: GraphClass, limits: Limits) -> None:
        self.wanted, self.limits, self.kernel = wanted, limits, compile_kernel(schema)

    def cases(self, n: int, seed: int) -> tuple[int, Iterable[int]]:
        """Return the one case of n words."""
        return 1, [n]

    def parts(self, case: int) -> Iterator[int]:
        """Yield nothing: an undecided case is left undecided."""
        return iter(())

    def smaller(self, case: int) -> Iterator[int]:
        """Yield nothing: shorter sentences have been tried."""
        return iter(())

    def renamed(self, case: int) -> int:
        """Return the case: there are no names."""
        return case

    def run(self, grammar: LicensedLinks) -> Chart:
        """Run the schema under a grammar.

        Raises
        ------
        BudgetExceeded : a limit was hit, or Ctrl-C pressed.
        """
        sentence = Sentence(tuple(f"w{i}" for i in range(1, grammar.n + 1)))
        return run_kernel(self.kernel, sentence, grammar.provide(), self.limits.of_run)

    def examine(self, case: int) -> GraphOutcome:
        """Run the schema under all links and count the derivations of each graph.

        Raises
        ------
        BudgetExceeded, BudgetError : the run hit a limit, or its structures take too many unions of links.
        """
        chart = self.run(every_link(case))
        forest, building = chart.forest(), building_of(chart)
        assert building is not None
        counts = count_states(forest, building, self.limits.unions) if forest.roots else {}
        if counts is None:
            raise BudgetError(f"the graphs of a chart take more than {self.limits.unions} unions of links")
        read = {building.structure(state): number for state, number in counts.items()}
        several = math.inf if forest.cyclic else 0
        return GraphOutcome(
            case,
            {building.value(x): max(k, several) if k > 1 else k for x, k in read.items() if x is not None},
        )

    def refute(self, answer: str, outcome: GraphOutcome) -> Iterator[Refutation]:
        """Yield the smallest graph that refutes an answer in an outcome."""
        found: Iterable[tuple[DependencyGraph, str]] = ()
        if answer == "complete":
            missed = (graph for graph in self.wanted.graphs(outcome.n) if graph not in outcome.graphs)
            found = ((graph, "") for graph in missed)
        else:
            graphs = sorted(outcome.graphs, key=lambda graph: (len(graph.links), graph.links))
            if answer == "sound":
                found = (
                    (g, f"a graph that is not {lack}") for g in graphs if (lack := self.wanted.missing(g))
                )
            else:
                found = ((g, "") for g in graphs if outcome.graphs[g] > 1)
        for graph, fault in found:
            key = (outcome.n, len(graph.links), graph.links)
            yield Refutation(key, outcome.n, (graph, outcome.graphs.get(graph, 0)), fault)
            return

    def name(self, answer: str, refutation: Refutation) -> Unsound | MissedGraph | Ambiguous:
        """Return a counterexample without evidence."""
        graph, count = refutation.structure
        grammar = LicensedLinks(graph.size, frozenset(graph.links))
        if answer == "complete":
            return MissedGraph(grammar, graph.links)
        if answer == "each_once":
            return Ambiguous(grammar, Structure(graph.links, None, None), count)
        return Unsound(grammar, graph.links, None, refutation.fault)

    def explain(self, answer: str, refutation: Refutation) -> Unsound | MissedGraph | Ambiguous:
        """Return a counterexample with its evidence, in the grammar of its own links.

        Raises
        ------
        BudgetExceeded : the run hits a limit now.
        """
        example = self.name(answer, refutation)
        if isinstance(example, MissedGraph):
            return example
        graph = refutation.structure[0]
        chart = self.run(LicensedLinks(graph.size, frozenset(graph.links)))
        building = building_of(chart)
        assert building is not None

        def wanted(state: Any) -> bool:
            return bool(building.structure(state) == graph.links)

        if isinstance(example, Ambiguous):
            return example.explained(chart.forest(), building, wanted)
        derivations = derivations_of(chart.forest(), building, wanted)
        return replace(example, derivation=next((Application.of(chart, found) for found in derivations), ()))


def verify_graphs(
    schema: ParsingSchema | str,
    class_name: str | None = None,
    max_n: int = 5,
    *,
    seed: int = 0,
    jobs: int | Places = 1,
    budget: Budget | None = None,
    seconds: float | None = None,
    watch: Watcher | None = None,
) -> Verdict:
    """Test whether a schema derives exactly the graphs of a class, each once.

    Parameters
    ----------
    schema : a schema over D-rules that builds dependency graphs, or the name of one.
    class_name : properties joined by +; None for all properties that the graphs have which it derives.
    max_n : try sentences of at most so many words.
    seed, jobs, budget, seconds, watch : as for `verify`.

    Raises
    ------
    UsageError : no such schema or class, a schema that asks for licences of links that it does not build, or numbers
        out of range.
    SchemaError : the schema has errors.

    References
    ----------
    Gómez-Rodríguez & Nivre 2013, section 4: the class of graphs of a transition system.

    >>> verdict = verify_graphs("hybrid-system", max_n=3)
    >>> verdict.class_name, verdict.complete, verdict.each_once
    ('planar+single-headed+acyclic+no-covered-roots', True, True)
    """
    started = time.perf_counter()
    chosen = loaded(schema, max_n=(max_n, 1), jobs=(jobs, 1))
    if not decided_by_links(chosen.definition):
        message = f"schema {chosen.name} asks for licences of other links than it builds"
        expected = "a schema over d-rules whose steps attach the links that they build"
        raise UsageError(message, code="no-graphs", expected=expected)
    limits = Limits.of(budget, TREE_UNIONS, seconds)
    built: set[DependencyGraph] = set()

    def look(state: Progress) -> None:
        for n in range(1, max_n + 1):
            for outcome in state.outcomes(1, [n], f"{chosen.name}, {n} words"):
                built.update(getattr(outcome, "graphs", ()))

    def work(state: Progress) -> None:
        settle(state, chosen.name, range(1, max_n + 1), seed)

    if class_name is None:
        here = Places.of(jobs).jobs  # a ledger is about one verification
        followed(Graphs, (chosen.definition, GraphClass(())), limits, here, watch, look)
    wanted = class_of(built) if class_name is None else graph_class(class_name)
    state = followed(Graphs, (chosen.definition, wanted), limits, jobs, watch, work)
    return Verdict(
        **answers_of(state, chosen, wanted.name, max_n, seed),
        single_root=False,
        unsound=state.example("sound", seconds),
        incomplete=state.example("complete", seconds),
        ambiguous=state.example("each_once", seconds),
        grammar_kind=chosen.definition.grammar,
        every_grammar=True,
        random=None,
        runs=state.runs,
        seconds=time.perf_counter() - started,
        of="graphs",
    )
