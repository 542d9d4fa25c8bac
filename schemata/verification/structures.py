"""Verification of schemata that build linkages, graphs or constituent trees, against brute force.

A `Universe` knows one kind of structure: the cases in which a schema is tried, what a chart builds there, and what
should be built. Whatever else tells what should be built is one more universe: `universe_of` knows them all.

A schema each of whose steps asks for the licences of just the links that it builds derives a graph under any grammar
that licenses its links, if it does under that of all links. So one run tells all graphs of one length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, TypeAlias

from schemata.engine.chart import Chart
from schemata.errors import UsageError
from schemata.forest.states import Builds
from schemata.forest.structures import building_of
from schemata.language import model as m
from schemata.quick_dataclasses import Record, replace
from schemata.shards import Places
from schemata.structures import DependencyGraph
from schemata.structures.classes import OwnClass
from schemata.structures.graph_classes import GraphClass, class_of, graph_class
from schemata.verification import constituents, dictionaries
from schemata.verification.built import Structure
from schemata.verification.expected import Expected, run_case
from schemata.verification.grammars import LicensedLinks, every_link
from schemata.verification.progress import Limits, Progress, Question, counted
from schemata.verification.trees import TREE_UNIONS, decided_by_links
from schemata.verification.verdicts import Ambiguous, Missed, Refutation, Unsound, Value, Verdict
from schemata.workbench import ParsingSchema

Of: TypeAlias = Literal["linkages", "constituents", "graphs", "structures"]
Read: TypeAlias = "Callable[[Any], tuple[Any, str | None] | None]"
"""Reads a finished state: the structure and what is wrong with it; None where it is no structure."""

_UNIONS = 2_000_000  # of linkages and constituent trees, whose derivations are counted


class Universe(Record, slots=False):
    """All structures of a kind, and which of them a schema is to derive.

    Parameters
    ----------
    cases : for a number of words and a seed, the number of cases that settle or test it, and the cases. A case has
        `n`, `words`, `key` (its place in an order) and `provide()`, its grammar.
    reader : the states of a chart's derivations, and what reads finished ones.
    order : the order of structures, from a state and its structure.
    truth : the structures that are to be derived in a case.
    outside : why a structure that is built in a case is none of the class; None where it is.
    own : the case in which a counterexample is shown.
    smaller : cases that are a little smaller, in which the schema may still fail.
    renamed : the case with the plainest names.
    evidence : what `Missed` says of how near the chart of a case comes to a structure.
    number : how many structures count as met in a case where so many are built.
    once : how many derivations a structure may have in a case.
    more : a random case of so many words, by seed and number.
    """

    cases: Callable[[int, int], tuple[int, Iterable[Any]]]
    reader: Callable[[Any, Chart], tuple[Builds, Read]]
    order: Callable[[Any, Any], Any]
    answers: tuple[str, ...] = ("sound", "complete", "each_once")
    unions: int = _UNIONS
    truth: Callable[[Any], Iterable[Any]] = lambda case: ()
    outside: Callable[[Any, Any], str | None] = lambda case, structure: None
    own: Callable[[Any, Any], Any] = lambda case, structure: case
    smaller: Callable[[Any], Iterable[Any]] = lambda case: ()
    renamed: Callable[[Any], Any] = lambda case: case
    evidence: Callable[[Any, Chart], dict[str, Any]] = lambda structure, chart: {}
    number: Callable[[Any, int], int] = lambda case, built: built
    once: Callable[[Any], int] = lambda case: 1
    more: Callable[[int, int, int], Any] | None = None


def universe_of(of: Of, class_name: Any) -> Universe:
    """Return the universe of a class of structures: by its name, a class of one's own, or what another schema derives.

    Raises
    ------
    UsageError : there is no such class.
    """
    if of == "linkages":
        contains = dictionaries.linkage_class(class_name)
        return Universe(
            dictionaries.all_cases,
            lambda case, chart: dictionaries.reader(chart, case, contains),
            lambda state, _: state.key,
            truth=lambda case: filter(contains, dictionaries.linkages_of(case)),
            smaller=dictionaries.smaller_cases,
            renamed=dictionaries.renamed,
            evidence=dictionaries.evidence,
            number=lambda case, _: len(dictionaries.linkages_of(case)),
            more=dictionaries.random_case,
        )
    if of == "constituents":
        return Universe(
            constituents.all_cases,
            class_name.reader,
            lambda _, tree: tree.value,
            truth=class_name.truth,
            smaller=constituents.smaller_cases,
            once=class_name.once,
            more=constituents.random_case,
        )
    if of == "structures":
        return _expected(class_name)
    wanted = graph_class(class_name) if isinstance(class_name, str) else class_name
    return Universe(
        lambda n, _: (1, [every_link(n)]),
        lambda _, chart: _graph_reader(chart),
        lambda _, graph: (len(graph.links), graph.links),
        unions=TREE_UNIONS,
        truth=lambda case: map(_structure, _graphs(wanted, case.n)),
        outside=lambda case, graph: _not_in(wanted, DependencyGraph(case.n, graph.links)),
        own=lambda case, graph: LicensedLinks(case.n, frozenset(graph.links)),
    )


def _graphs(wanted: GraphClass | OwnClass, n: int) -> Iterable[DependencyGraph]:
    if isinstance(wanted, GraphClass):
        return wanted.graphs(n)
    return filter(wanted.contains, (wanted.structures or graph_class("all").graphs)(n))


def _expected(expected: Expected) -> Universe:
    """Return the universe of what another schema derives."""
    derived: dict[Any, list[Value]] = {}  # in the case that is looked at

    def truth(case: Any) -> list[Value]:
        if case not in derived:
            derived.clear()
            derived[case] = expected.truth(case)
        return derived[case]

    def reader(case: Any, chart: Chart) -> tuple[Builds, Read]:
        building, plain = expected.reader(chart)
        known, fault = set(truth(case)), f"{expected.other.name} does not derive it"

        def read(state: Any) -> tuple[Any, str | None] | None:
            one = plain(state)
            return None if one is None else (one, None if one in known else fault)

        return building, read

    def own(case: Any, one: Value) -> Any:
        links = getattr(one.value, "links", ())
        return LicensedLinks(case.n, frozenset(link[:2] for link in links)) if expected.by_links else case

    def smaller(case: Any) -> Iterable[Any]:
        if isinstance(case, constituents.ConstituentCase):
            return constituents.smaller_cases(case)
        if isinstance(case, dictionaries.LinkageCase):
            return dictionaries.smaller_cases(case)
        return case.smaller() if hasattr(case, "smaller") and not expected.by_links else ()

    return Universe(
        expected.cases,
        reader,
        lambda _, one: str(one.value),
        answers=("sound", "complete"),
        unions=TREE_UNIONS,
        truth=truth,
        own=own,
        smaller=smaller,
        more=expected.more,
    )


def _structure(graph: DependencyGraph) -> Structure:
    return Structure(graph.links, None, None)


def _not_in(wanted: GraphClass | OwnClass, graph: DependencyGraph) -> str | None:
    lack = wanted.missing(graph)
    return lack and f"a graph that is not {lack}"


def _graph_reader(chart: Chart) -> tuple[Builds, Read]:
    building = building_of(chart)
    assert building is not None

    def read(state: Any) -> tuple[Any, str | None] | None:
        built = building.structure(state)
        return None if built is None else (_structure(building.value(built)), None)

    return building, read


class Built(Record):
    """A structure built in a case, what is wrong with it whatever the class, and the number of its derivations."""

    structure: Any
    fault: str | None
    count: int | float


class Outcome(Record):
    """What a schema builds in a case, the smallest first; and how many structures count as met."""

    case: Any
    built: tuple[Built, ...]
    number: int


class Structures:
    """A schema under test in a universe.

    Parameters
    ----------
    schema : the schema.
    of, class_name : the universe.
    limits : the limits of the test.
    """

    def __init__(self, schema: m.Schema, of: Of, class_name: Any, limits: Limits) -> None:
        self.universe, self.limits, self.schema = universe_of(of, class_name), limits, ParsingSchema(schema)
        self.answers, self.cases = self.universe.answers, self.universe.cases
        self.smaller, self.renamed = self.universe.smaller, self.universe.renamed

    def parts(self, case: Any) -> Iterator[Any]:
        """Yield nothing: an undecided case is left undecided."""
        return iter(())

    def shown(self, case: Any) -> Any:
        """Return the case."""
        return case

    def run(self, case: Any) -> Chart:
        """Run the schema in a case.

        Raises
        ------
        BudgetExceeded : a limit was hit, or Ctrl-C pressed.
        """
        return run_case(self.schema, case, self.limits.of_run)

    def examine(self, case: Any) -> Outcome:
        """Run the schema in a case and count the derivations of each structure that it builds.

        Raises
        ------
        BudgetExceeded, BudgetError : the run hit a limit, or its structures take too much effort.
        """
        chart = self.run(case)
        building, read = self.universe.reader(case, chart)
        found = []
        for state, number in counted(chart.forest(), building, self.universe.unions).items():
            if (one := read(state)) is not None:
                found.append((self.universe.order(state, one[0]), Built(*one, number)))
        found.sort(key=lambda pair: pair[0])
        built = tuple(one for _, one in found)
        return Outcome(case, built, self.universe.number(case, len(built)))

    def refute(self, answer: str, outcome: Outcome) -> Iterator[Refutation]:
        """Yield the smallest structure that refutes an answer in an outcome."""
        case = outcome.case
        found: Iterable[
            tuple[Any, Any, str]
        ]  # a structure, with the number of its derivations, and its fault
        if answer == "complete":
            derived = {one.structure for one in outcome.built}
            found = ((x, x, "") for x in self.universe.truth(case) if x not in derived)
        elif answer == "sound":
            wrong = ((one, one.fault or self.universe.outside(case, one.structure)) for one in outcome.built)
            found = ((one.structure, one.structure, fault) for one, fault in wrong if fault)
        else:
            once = self.universe.once(case)
            again = (one for one in outcome.built if one.count > once and not one.fault)
            found = ((one.structure, (one.structure, one.count), "") for one in again)
        for structure, shown, fault in found:
            own = self.universe.own(case, structure)
            yield Refutation((own.key,), own, shown, fault)
            return

    def explain(self, answer: str, refutation: Refutation) -> Missed | Unsound | Ambiguous:
        """Return a counterexample with its evidence.

        Raises
        ------
        BudgetExceeded : the run hits a limit now.
        """
        example, chart = refutation.example(answer, refutation.case), self.run(refutation.case)
        if isinstance(example, Missed):
            return replace(example, **self.universe.evidence(example.structure, chart))
        building, read = self.universe.reader(refutation.case, chart)
        wanted = [
            (example.structure, None),
            (example.structure, refutation.fault),
        ]  # outside of the class, or wrong
        return example.explained(chart, building, lambda state: read(state) in wanted)


def verify(question: Question, class_name: str | OwnClass | Expected | None) -> Verdict:
    """Test whether a schema derives exactly the structures of a class, each once.

    Parameters
    ----------
    class_name : of linkages "linkages" (if None) or "acyclic-linkages"; of graphs properties joined by +, and if None
        all properties that the graphs have which it derives; of constituent trees a name of `CLASSES`, and if None the
        largest class that it derives. Or a class of one's own, or what another schema derives.

    References
    ----------
    GCW11, section 8; Sleator & Temperley 1991, section 2 (what a linkage is); Gómez-Rodríguez & Nivre 2013, section 4
    (the class of graphs of a transition system).

    >>> from schemata import verify
    >>> verify("eisner-satta-lg", max_n=3).holds
    True
    >>> [(one.class_name, one.holds) for one in (verify("earley", max_n=3), verify("cyk", max_n=3))]
    [('all', True), ('binary', True)]
    >>> verdict = verify("hybrid-system", max_n=3)
    >>> verdict.class_name, verdict.complete, verdict.each_once
    ('planar+single-headed+acyclic+no-covered-roots', True, True)
    """
    definition, name, max_n = question.schema.definition, question.schema.name, question.max_n
    least, of = 1, "structures" if isinstance(class_name, Expected) else _kind(definition)
    if of == "linkages":
        least, class_name = 2, class_name or "linkages"
        if not question.single_root:
            raise UsageError(f"--roots is about trees, and schema {name} derives linkages")
    elif question.random and of == "graphs":
        raise UsageError(f"--random is about trees, and schema {name} builds graphs")
    question.check(least)
    unions = _UNIONS if of != "graphs" else TREE_UNIONS

    if of in ("graphs", "constituents") and class_name is None:
        met: list[Outcome] = []

        def look(state: Progress) -> None:
            for n in range(1, (max_n if of == "graphs" else min(max_n, constituents.EXHAUSTIVE_TO)) + 1):
                links = 1, [every_link(n)]
                total, cases = links if of == "graphs" else constituents.all_cases(n, question.seed)
                outcomes = state.outcomes(total, cases, f"{name}, {n} words")
                met.extend(one for one in outcomes if isinstance(one, Outcome))

        here = Places.of(question.jobs).jobs  # a ledger is about one verification
        every = "all" if of == "graphs" else constituents.Wanted(definition, "all")
        replace(question, jobs=here).followed(Structures, (of, every), unions, look)
        if of == "graphs":
            graphs = {DependencyGraph(x.case.n, one.structure.links) for x in met for one in x.built}
            class_name = class_of(graphs).name
        else:
            tried = [(x.case, {one.structure for one in x.built}) for x in met]
            class_name = constituents.class_of(definition, tried)
    wanted: Any = class_name or of
    if isinstance(class_name, Expected):
        class_name.check()
    elif of == "constituents":
        if isinstance(class_name, str):
            constituents.check_class(class_name)
        wanted = constituents.Wanted(definition, wanted)
    universe = universe_of(of, wanted)

    def work(state: Progress) -> None:
        question.settle(state, range(least, max_n + 1))
        for place, n in enumerate(range(max_n + 1, max_n + 4)):
            share = (question.random + 2 - place) // 3
            if universe.more and share and not state.closed:
                cases = [universe.more(n, question.seed, k) for k in range(share)]
                state.try_cases(share, cases, f"{name}, {n} words", None)

    state = question.followed(Structures, (of, wanted), unions, work)
    name = wanted if isinstance(wanted, str) else wanted.name
    sampled = {"exhaustive_to": class_name.exhaustive_to} if isinstance(class_name, Expected) else {}
    return question.verdict(state, of, name, Verdict, every_grammar=of == "graphs", **sampled)


def _kind(schema: m.Schema) -> Of:
    """Return which structures a schema builds.

    Raises
    ------
    UsageError : there is no universe of them.
    """
    if schema.grammar == "link-grammar":
        return "linkages"
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
