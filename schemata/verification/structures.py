"""Verification of schemata, whatever they build: trees, graphs, linkages, constituent trees, or what another builds.

A schema each of whose steps asks for the licences of just the links that it builds derives a graph under any grammar
that licenses its links, if it does under that of all links. So one run tells all graphs of one length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from functools import cached_property
from itertools import chain, combinations_with_replacement, count, islice, pairwise, product
from random import Random
from typing import Any

from schemata.engine.chart import Chart
from schemata.errors import UsageError, require_known
from schemata.forest.structures import Atoms, building_of, builds_nothing
from schemata.language import model as m
from schemata.language.typeset import reference_of
from schemata.quick_dataclasses import Record, replace
from schemata.shards import Places
from schemata.structures import DependencyGraph, DependencyTree, Sentence, tree_class
from schemata.structures.classes import GraphClass, OwnClass, class_of, graph_class
from schemata.structures.constituents import AtomSet
from schemata.structures.sentence import BETWEEN
from schemata.verification import constituents, dictionaries
from schemata.verification.constituents import CLASSES, EXHAUSTIVE_TO, Constituents
from schemata.verification.dictionaries import LINKAGE_CLASSES, Linkages
from schemata.verification.grammars import (
    LicensedLinks,
    every_link,
    random_link_grammars,
    random_rule_grammars,
    tree_cases,
)
from schemata.verification.progress import Progress, Question
from schemata.verification.subject import LINK_UNIONS, Limits, Outcome, Reader, Subject
from schemata.verification.trees import Structure, Trees, decided_by_links, recognise
from schemata.verification.verdicts import RandomTests, Value, Verdict
from schemata.wording import quantity


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


_SENTENCES = 300  # of each length, of a grammar that is given: all, or so many random ones


class SentenceCase(Record):
    """A sentence of a grammar; of several inputs, with the words of one after those of the other.

    Parameters
    ----------
    lengths : of several inputs, the number of words of each.
    """

    words: tuple[str, ...]
    grammar: Any
    lengths: tuple[int, ...] = ()

    @property
    def n(self) -> int:
        """The number of words."""
        return len(self.words)

    @property
    def key(self) -> tuple[tuple[Any, ...], ...]:
        """The order of cases."""
        return self.lengths, self.words

    @property
    def inputs(self) -> list[list[str]]:
        """The words of each input."""
        words = iter(self.words)
        return [list(islice(words, length)) for length in self.lengths or (self.n,)]

    def smaller(self) -> Iterator[SentenceCase]:
        """Yield nothing: shorter sentences have been tried before."""
        return iter(())

    def provide(self) -> Any:
        """Return what a kernel asks of the grammar."""
        return self.grammar.for_sentence(Sentence(self.words))

    def to_json(self) -> dict[str, Any]:
        """Return the case as a JSON object."""
        between = [BETWEEN] * bool(self.lengths)
        words = chain.from_iterable([*between, *one] for one in self.inputs)
        return {"sentence": list(words)[len(between) :]}


def check_comparable(schema: m.Schema, other: m.Schema, grammar: Any) -> None:
    """Check that two schemata can be run in the same cases.

    Raises
    ------
    UsageError : they are over different kinds of grammar, or over facts without any; the grammar names no words.
    """
    kind = schema.grammar
    if kind != other.grammar:
        message = f"{schema.name} runs over {kind} grammars, {other.name} over {other.grammar}"
        raise UsageError(message, code="wrong-kind", expected="two schemata over the same kind of grammar")
    if {*schema.relations} != {*other.relations}:
        message = f"{schema.name} and {other.name} declare different relations"
        raise UsageError(message, code="wrong-kind", expected="two schemata over the same relations")
    inputs = len(schema.inputs) or 1, len(other.inputs) or 1
    if inputs[0] != inputs[1]:
        message = f"{schema.name} reads {quantity(inputs[0], 'input')}, {other.name} {inputs[1]}"
        raise UsageError(message, code="several-inputs", expected="two schemata that read as many inputs")
    if grammar is None and kind == "facts":
        hint = "--grammar example, or a file of facts: its sentences are tried"
        raise UsageError(f"schema {schema.name} asks for facts", code="grammar-needed", hint=hint)
    if grammar is not None and not _vocabulary(grammar) and (kind != "facts" or schema.relations):
        hint = "leave out --grammar: small and random grammars are tried"
        raise UsageError("the grammar names no words to make sentences of", code="bad-option", hint=hint)


def _vocabulary(grammar: Any) -> list[str]:
    """Return the words that a grammar names."""
    lexicon, table = getattr(grammar, "lexicon", None), getattr(grammar, "table", None)
    words = {word for word, _ in lexicon.words} if lexicon else table.words if table else ()
    return sorted(word for word in words if isinstance(word, str))


class SameAs(Subject):
    """A schema that is to derive what another one derives: an empty set, if one of them builds nothing.

    Parameters
    ----------
    schema, compared : the schemata.
    single_root : whether trees with several words under node 0 are nobody's concern.
    grammar : a grammar whose sentences are tried; None for small and random grammars.
    limits : the limits of the test.
    """

    answers = ("sound", "complete")
    unions = LINK_UNIONS

    def __init__(
        self, schema: m.Schema, compared: m.Schema, single_root: bool, grammar: Any, limits: Limits
    ) -> None:
        super().__init__(schema, limits)
        self.compared, self.single_root, self.grammar = compared, single_root, grammar
        self.is_empty = builds_nothing(schema) or builds_nothing(compared)
        # Whether one run under all links decides for all grammars.
        self.by_links = grammar is None and decided_by_links(schema) and decided_by_links(compared)
        self.kind, self.inputs = schema.grammar, len(schema.inputs)
        self.words = _vocabulary(grammar) or ["v", "w"]
        self._last: Outcome | None = None  # of the other, in the case that is looked at

    @property
    def exhaustive_to(self) -> int | None:
        """The greatest number of words of which all sentences are tried; None where grammars are."""
        few = (n for n in count(1) if self._sentences(n) > _SENTENCES)
        return next(few) - 1 if self.grammar is not None else None

    def _sentences(self, n: int) -> int:
        """Return how many sentences of n words there are."""
        words: int = len(self.words) ** n
        return words * sum(1 for _ in self._lengths(n))

    def _lengths(self, n: int) -> Iterator[tuple[int, ...]]:
        """Yield how many of n words each input may have; nothing where there is one."""
        if self.inputs < 2:
            yield ()
            return
        for ends in combinations_with_replacement(range(n + 1), self.inputs - 1):
            yield tuple(high - low for low, high in pairwise((0, *ends, n)))

    def cases(self, n: int, seed: int) -> tuple[int, Iterable[Any]]:
        """Return the number of cases of n words, and the cases."""
        if self.grammar is not None and (number := self._sentences(n)) <= _SENTENCES:
            chosen = product(product(self.words, repeat=n), self._lengths(n))
            return number, (SentenceCase(words, self.grammar, parts) for words, parts in chosen)
        if self.grammar is not None:
            return _SENTENCES, islice(dict.fromkeys(self.more(n, seed, 2 * _SENTENCES)), _SENTENCES)
        match self.kind:
            case "link-grammar":
                return dictionaries.all_cases(n, seed) if n > 1 else (0, ())
            case "context-free":
                return constituents.all_cases(n, seed)
        if self.by_links:
            return 1, [every_link(n)]
        return tree_cases(n, self.kind == "dependency-rules", self.single_root, seed)

    def more(self, n: int, seed: int, share: int) -> list[Any]:
        """Return random cases."""
        return [self._random(n, seed, number) for number in range(share)]

    def _random(self, n: int, seed: int, number: int) -> Any:
        rng = Random(f"same {seed} {n} {number}")
        if self.grammar is not None:
            lengths = rng.choice(list(self._lengths(n)))
            return SentenceCase(tuple(rng.choices(self.words, k=n)), self.grammar, lengths)
        match self.kind:
            case "link-grammar":
                return dictionaries.random_case(n, seed, number)
            case "context-free":
                return constituents.random_case(n, seed, number)
            case "dependency-rules":
                return random_rule_grammars(n, 1, rng)[0]
        return random_link_grammars(n, 1, rng, extra=n)[0]

    @cached_property
    def other(self) -> SameAs:
        """The other schema, compared with this one."""
        return SameAs(self.compared, self.schema.definition, self.single_root, self.grammar, self.limits)

    def reader(self, case: Any, chart: Chart) -> Reader:
        """Return what reads a chart."""
        building: Any = building_of(chart) or Atoms(chart)

        def read(state: Any) -> Value | None:
            built = building.structure(state)
            value = None if built is None else AtomSet(()) if self.is_empty else building.value(built)
            several = isinstance(value, DependencyTree) and value.heads.count(0) > 1
            return None if value is None or (several and self.single_root) else Value(value)

        return building, read

    def examine(self, case: Any) -> Outcome:
        """Run both schemata in a case."""
        self._derived(case)  # here a limit that is hit leaves the case undecided
        return super().examine(case)

    def _derived(self, case: Any) -> Set[Any]:
        """Return what the other schema derives in a case."""
        if self._last is None or self._last.case != case:
            self._last = Subject.examine(self.other, case)  # without looking back at this one
        return self._last.built

    def truth(self, case: Any) -> list[Value]:
        """Return what the other schema derives in a case, in order."""
        return sorted(self._derived(case), key=str)

    def fault(self, case: Any, structure: Value) -> str | None:
        """Return that the other schema does not derive a structure, if so."""
        return None if structure in self._derived(case) else f"{self.other.schema.name} does not derive it"

    def own(self, answer: str, case: Any, structure: Value) -> Any:
        """Return the grammar of a structure's links, if one run decides for all grammars."""
        links = getattr(structure.value, "links", ())
        return LicensedLinks(case.n, frozenset(link[:2] for link in links)) if self.by_links else case

    def smaller(self, case: Any) -> Iterable[Any]:
        """Return smaller cases; where one run decides for all grammars there are none."""
        return () if self.by_links else case.smaller()
