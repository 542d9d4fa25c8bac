"""Verification of schemata for every kind of structure: trees, graphs, linkages, constituent trees, or the
structures of another schema.

A schema each of whose steps asks for the licences of just the links that it builds derives a graph under any grammar
that licenses its links, if it does under that of all links. So one run decides all graphs of one length.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Set
from itertools import chain, combinations_with_replacement, count, islice, pairwise, product
from random import Random
from typing import Any

from schemata import kinds
from schemata.budget import Budget
from schemata.correctness.shipped import has_proofs
from schemata.engine.chart import Chart
from schemata.errors import UsageError, require_known
from schemata.forest.structures import Atoms, building_of, builds_nothing
from schemata.kinds import (
    CONSTITUENT_TREE,
    CONTEXT_FREE,
    DEPENDENCY_GRAPH,
    DEPENDENCY_RULES,
    FACTS,
    LINK_GRAMMAR,
)
from schemata.language import model as m
from schemata.language.typeset import reference_of
from schemata.records import Record, replace
from schemata.shards import Places
from schemata.structures import DependencyGraph, DependencyTree, Sentence, bracketings, tree_class
from schemata.structures.classes import GraphClass, OwnClass, class_of, graph_class
from schemata.structures.constituents import AtomSet
from schemata.structures.sentence import BETWEEN
from schemata.thresholds import EFFORTS
from schemata.verification import constituents, dictionaries
from schemata.verification.bracketings import between, bracketing_subject, builds_bracketings, confirm
from schemata.verification.constituents import CLASSES, constituent_subject, largest_class
from schemata.verification.dictionaries import LINKAGE_CLASSES, linkage_subject
from schemata.verification.grammars import (
    FactGrammar,
    LicensedLinks,
    decided_by_facts,
    every_link,
    fact_cases,
    random_link_grammars,
    random_rule_grammars,
    tree_cases,
)
from schemata.verification.progress import Outcome, Progress, Question, Reader, Subject
from schemata.verification.trees import Structure, decided_by_links, recognise, tree_subject
from schemata.verification.verdicts import (
    BRACKETINGS,
    CONSTITUENTS,
    GRAPHS,
    LINKAGES,
    OF_ANOTHER,
    TREES,
    AnyStructure,
    RandomTests,
    StructureRange,
    Verdict,
)  # fmt: skip
from schemata.wording import quantity
from schemata.workbench import ParsingSchema


def graph_subject(schema: m.Schema, wanted: GraphClass | OwnClass, limits: Budget) -> Subject:
    """Return a schema that builds graphs under test; its cases are the grammars of all links, or facts.

    The facts over one symbol derive the graphs of any facts; under others, arcs count with their labels.
    """
    facts = schema.grammar == FACTS

    def is_whole(case: LicensedLinks | FactGrammar) -> bool:
        return not isinstance(case, FactGrammar) or case.is_whole

    def reader(case: LicensedLinks | FactGrammar, chart: Chart) -> Reader:
        building: Any = building_of(chart)

        def read(state: Any) -> Structure | None:
            built = building.structure(state)
            if built is None:
                return None
            graph = building.value(built)
            return Structure(graph.links, None, None, () if is_whole(case) else graph.labelled)

        return building, read

    def truth(case: LicensedLinks | FactGrammar) -> Iterator[Structure]:
        if not is_whole(case):
            return
        if isinstance(wanted, GraphClass):
            found = wanted.graphs(case.n)
        else:
            found = filter(wanted.contains, (wanted.structures or graph_class("all").graphs)(case.n))
        yield from (Structure(graph.links, None, None) for graph in found)

    def fault(case: LicensedLinks | FactGrammar, structure: Structure) -> str | None:
        lack = wanted.missing(DependencyGraph(case.n, structure.links))
        return lack and f"a graph that is not {'a tree' if lack == 'tree' else lack}"

    return Subject(
        ParsingSchema(schema),
        limits,
        lambda n, seed: fact_cases(schema, n, seed) if facts else (1, [every_link(n)]),
        reader,
        truth,
        fault,
        unions=EFFORTS.chart_unions,
        # The grammar of a graph's links is the smallest one.
        own=lambda answer, case, graph: case if facts else LicensedLinks(case.n, frozenset(graph.links)),
        smaller=lambda case: case.smaller() if facts else (),
        # Under all facts over several symbols, derivations of a graph differ in its labels.
        may_repeat=lambda case, built, derivations: (
            derivations != built and not (facts and case.is_whole and len(case.symbols) > 1)
        ),
    )


def verdict_on(
    question: Question, wanted: str | OwnClass | None, other: m.Schema | None = None, grammar: Any = None
) -> Verdict:
    """Test whether a schema derives exactly the structures of a class, each once.

    Parameters
    ----------
    wanted : of trees a name that `tree_class` takes, and if None all known classes are tried; of constituent trees over
        facts one that `bracketing_class` takes, and if None the smallest class without numbers; of linkages "linkages"
        (if None) or "acyclic-linkages"; of graphs properties joined by +, and if None all properties of the graphs that
        it derives; of constituent trees a name of `CLASSES`, and if None the largest class that it derives. Or a class
        of one's own.
    other : a schema whose structures are to be derived, in place of a class.
    grammar : then, the grammar whose sentences are tried; None for small and random grammars.

    Raises
    ------
    UsageError : no such class, numbers out of range, or arguments that exclude each other.

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
    of = OF_ANOTHER if other else _universe(definition)
    if of == LINKAGES and not question.single_root:
        raise UsageError(f"--roots is about trees, and schema {name} derives linkages")
    if of in (GRAPHS, BRACKETINGS) and question.random:
        raise UsageError(f"--random is about trees, and schema {name} builds {of.name}")
    question.check(of.least)
    if of == TREES and wanted is None:
        recognition = recognise(question)
        return _with_proof(recognition, definition, recognition.consistent)
    first = Met()
    if other is None:
        make, chosen, class_name, first = _subject(question, of, wanted)
    else:
        check_comparable(definition, other, grammar)
        make, chosen = same_subject, (other, question.single_root, grammar)
        class_name = f"same as {reference_of(other)}"
    # Of each length beyond: the cases, and how many of each kind were asked for.
    tried: list[tuple[int, int]] = []
    lengths = range(max_n + 1, max_n + 4)

    def work(state: Progress) -> None:
        if not first.broken_off:
            question.settle(
                state, range(of.least, (max_n if first.decided_to is None else first.decided_to) + 1)
            )
            if of == BRACKETINGS:
                confirm(state, chosen[0], state.covered.get("sound", 0), question.seed)
        state.stopped = state.stopped or first.stopped
        for place, n in enumerate(lengths):
            share = (question.random + 2 - place) // 3
            cases = [] if state.closed or not share else state.subject.more(n, question.seed, share)
            if cases:
                tried.append((len(cases), share))
                state.try_cases(len(cases), cases, f"{name}, {n} words", None)

    state = question.followed(make, chosen, work)
    every, random, exhaustive_to = of == GRAPHS and definition.grammar != FACTS, None, None
    if of == TREES:
        every = decided_by_links(definition)
        grammars = sum(share for _, share in tried)
        counts = sum(cases for cases, _ in tried) - grammars, grammars
        random = RandomTests(*counts, (lengths[0], lengths[-1]), state.beyond[1]) if tried else None
    elif other is not None and grammar is not None:
        exhaustive_to = _Sentences(grammar, len(definition.inputs)).exhaustive_to
    verdict = question.verdict(
        state,
        of,
        class_name,
        Verdict,
        single_root=of.rooted and question.single_root,
        every_grammar=every,
        random=random,
        exhaustive_to=exhaustive_to,
        between=between(definition, first.outcomes, max_n if first.decided_to is None else first.decided_to)
        if of == BRACKETINGS and wanted is None
        else None,
    )
    return _with_proof(verdict, definition, [wanted]) if isinstance(wanted, str) else verdict


def _with_proof(verdict: Verdict, schema: m.Schema, classes: Collection[str]) -> Verdict:
    """Add to a verdict on trees with one root the proof of a certificate for one of some classes.

    The certificate is that shipped with the schema.
    """
    if not verdict.single_root or not has_proofs(reference_of(schema)):
        return verdict
    from schemata.correctness.answers import known_correctness

    for class_name in (None, *classes):  # first what the schema's own certificate is about
        found = known_correctness(schema, verdict, class_name)
        if found is not None and found.class_name in classes:
            return replace(verdict, for_every_n=found)
    return verdict


def _subject(
    question: Question, of: StructureRange, wanted: str | OwnClass | None
) -> tuple[Callable[..., Subject], tuple[Any, ...], str, Met]:
    """Return the constructor of the schema under test, its further arguments, the class's name, and the
    cases met.

    Raises
    ------
    UsageError : there is no such class.
    """
    chosen: Any = wanted
    if of == TREES:
        chosen = tree_class(wanted) if isinstance(wanted, str) else wanted
        return tree_subject, (chosen, question.single_root), chosen.name, Met()
    if of == LINKAGES:
        chosen = wanted or "linkages"
        message = f"there is no class of linkages called {chosen}"
        require_known(chosen, LINKAGE_CLASSES, message, "unknown-class")
        return linkage_subject, (chosen,), chosen, Met()
    if of == GRAPHS:
        if wanted is None:
            met = _met(question, graph_subject, graph_class("all"), question.max_n)
            derived = {DependencyGraph(x.case.n, one.links) for x in met.outcomes for one in x.built}
            chosen = graph_class("all") if met.broken_off else class_of(derived)
            return _knowing(question, graph_subject, met), (chosen,), chosen.name, met
        if isinstance(wanted, str):
            chosen = graph_class(wanted)
        return graph_subject, (chosen,), chosen.name, Met()
    met = Met()
    if of == BRACKETINGS:
        if wanted is None:
            met = _met(question, bracketing_subject, bracketings.BracketingClass(()), question.max_n)
            every = {one.value for x in met.outcomes for one in x.built}
            chosen = bracketings.BracketingClass(()) if met.broken_off else bracketings.class_of(every)
            return _knowing(question, bracketing_subject, met), (chosen,), chosen.name, met
        chosen = bracketings.bracketing_class(wanted) if isinstance(wanted, str) else wanted
        return bracketing_subject, (chosen,), chosen.name, met
    if wanted is None:
        met = _met(question, constituent_subject, "all", min(question.max_n, EFFORTS.exhaustive_brackets))
        chosen = "all" if met.broken_off else largest_class(question.schema.definition, met.outcomes)
        # The outcomes of a recogniser are about the trees of one class.
        if chosen == "all" or not builds_nothing(question.schema.definition):
            return _knowing(question, constituent_subject, met), (chosen,), chosen, met
    elif isinstance(wanted, str):
        message = f"constituent trees have no class {wanted!r}"
        require_known(wanted, CLASSES, message, "unknown-class")
    return constituent_subject, (chosen,), chosen if isinstance(chosen, str) else chosen.name, met


class Met(Record):
    """The outcomes of a schema for all structures of a kind: the first stage, where no class is named.

    A class that is chosen by them fits the lengths that were decided; nothing is claimed beyond these.

    Parameters
    ----------
    outcomes : the outcomes of the lengths that were decided.
    decided_to : the greatest of these lengths; None if there was no such stage, or it came to its end.
    stopped : why it did not come to its end.
    broken_off : whether a limit of the whole, Ctrl-C or a lost process ended it: then nothing goes on.
    """

    outcomes: tuple[Outcome, ...] = ()
    decided_to: int | None = None
    stopped: str | None = None
    broken_off: bool = False


def _met(question: Question, make: Callable[..., Subject], every: Any, max_n: int) -> Met:
    """Return the outcomes of a schema under test for all structures of a kind, up to some length."""
    found: list[Outcome] = []
    decided_to = 0

    def look(state: Progress) -> None:
        nonlocal decided_to
        for n in range(1, max_n + 1):
            total, cases = state.subject.cases(n, question.seed)
            words = f"{question.schema.name}, {n} words"
            state.try_cases(total, cases, words, n, kept=found, answers=())
            if state.stopped is not None:
                return
            decided_to = n

    here = replace(question, jobs=Places.of(question.jobs).jobs)  # a ledger is about one verification
    state = here.followed(make, (every,), look)
    if state.stopped is None:
        return Met(tuple(found))
    decided = tuple(one for one in found if one.case.n <= decided_to)
    return Met(decided, decided_to, state.stopped, state.broken_off)


def _knowing(question: Question, make: Callable[..., Subject], met: Met) -> Callable[..., Subject]:
    """Wrap the constructor of a schema under test to reuse outcomes, unless other processes examine it."""
    places, known = Places.of(question.jobs), {one.case: one for one in met.outcomes}
    if places.jobs > 1 or places.scheduler is not None:
        return make
    return lambda *arguments: replace(make(*arguments), known=known.get)


def _universe(schema: m.Schema) -> StructureRange:
    """Return which structures a schema builds.

    Raises
    ------
    UsageError : there is no universe of them.
    """
    if schema.grammar == LINK_GRAMMAR:
        return LINKAGES
    if schema.structure.single_headed and schema.grammar.of_dependencies:
        return TREES
    if schema.structure.single_headed and schema.grammar.relations_declared and schema.builds_links:
        return TREES
    if schema.structure == DEPENDENCY_GRAPH:
        facts = schema.grammar == FACTS and schema.builds_links
        if decided_by_facts(schema) if facts else decided_by_links(schema):
            return GRAPHS
        message = f"schema {schema.name} asks for licences of other links than it builds"
        expected = "a schema over d-rules whose steps attach the links that they build"
        if facts:
            message = f"schema {schema.name} derives other graphs under fewer facts"
            expected = (
                "steps that ask for facts alone, not for what is not a fact, nor for symbols that differ"
            )
        raise UsageError(message, code="no-graphs", expected=expected)
    if schema.grammar == CONTEXT_FREE and schema.structure == CONSTITUENT_TREE:
        return CONSTITUENTS
    if schema.grammar == FACTS and schema.structure == CONSTITUENT_TREE and builds_bracketings(schema):
        return BRACKETINGS
    if schema.grammar.of_dependencies or not (
        schema.structure == CONSTITUENT_TREE or schema.structure.single_headed
    ):
        message = f"schema {schema.name} derives {schema.structure}s, and classes are of trees"
    else:
        message = f"schema {schema.name} runs over {schema.grammar} grammars, and what it should derive is not known"
    raise UsageError(
        message,
        code="no-trees",
        expected="a schema over D-rules, dependency rules, context-free grammars, link dictionaries or facts, which "
        "derives trees, graphs or linkages",
        hint="--same-as NAME compares what two schemata derive",
    )


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
        """Return the grammar in the form that a kernel reads."""
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
    UsageError : they are over different kinds of grammar, or over facts without a grammar; the grammar names no words.
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
    if grammar is None and kind == FACTS:
        hint = "--grammar example, or a file of facts: its sentences are tried"
        raise UsageError(f"schema {schema.name} asks for facts", code="grammar-needed", hint=hint)
    if grammar is not None and not _vocabulary(grammar) and (kind != FACTS or schema.relations):
        hint = "leave out --grammar: small and random grammars are tried"
        raise UsageError("the grammar names no words to make sentences of", code="bad-option", hint=hint)


def _vocabulary(grammar: Any) -> list[str]:
    """Return the words that a grammar names."""
    lexicon, table = getattr(grammar, "lexicon", None), getattr(grammar, "table", None)
    words = {word for word, _ in lexicon.words} if lexicon else table.words if table else ()
    return sorted(word for word in words if isinstance(word, str))


class _Sentences(Record):
    """The sentences of a grammar that is given, of one input or several."""

    grammar: Any
    inputs: int

    @property
    def words(self) -> list[str]:
        """The words they are made of."""
        return _vocabulary(self.grammar) or ["v", "w"]

    @property
    def exhaustive_to(self) -> int:
        """The greatest number of words of which all sentences are tried."""
        return next(n for n in count(1) if self.number(n) > EFFORTS.verified_sentences) - 1

    def number(self, n: int) -> int:
        """Return how many sentences of n words there are."""
        words: int = len(self.words) ** n
        return words * sum(1 for _ in self.lengths(n))

    def lengths(self, n: int) -> Iterator[tuple[int, ...]]:
        """Yield how many of n words each input may have; nothing if there is only one."""
        if self.inputs < 2:
            yield ()
            return
        for ends in combinations_with_replacement(range(n + 1), self.inputs - 1):
            yield tuple(high - low for low, high in pairwise((0, *ends, n)))

    def every(self, n: int) -> Iterator[SentenceCase]:
        """Yield all sentences of n words."""
        chosen = product(product(self.words, repeat=n), self.lengths(n))
        return (SentenceCase(words, self.grammar, parts) for words, parts in chosen)

    def random(self, n: int, rng: Random) -> SentenceCase:
        """Return a random one of n words."""
        lengths = rng.choice(list(self.lengths(n)))
        return SentenceCase(tuple(rng.choices(self.words, k=n)), self.grammar, lengths)


def same_subject(
    schema: m.Schema, compared: m.Schema, single_root: bool, grammar: Any, limits: Budget
) -> Subject:
    """Return a schema under test for equality with another: both derive the empty set if either builds
    nothing.

    Its cases are those of the kind of grammar that both are over, or the sentences of a grammar that is given. Both
    schemata are run in them.

    Parameters
    ----------
    schema : the schema under test.
    compared : the schema whose structures are to be derived.
    single_root : whether the claim ignores trees with several words under node 0.
    grammar : a grammar whose sentences are tried; None for small and random grammars.
    limits : the limits of the test.
    """
    is_empty = builds_nothing(schema) or builds_nothing(compared)
    # Whether one run under all links decides for all grammars.
    by_links = grammar is None and decided_by_links(schema) and decided_by_links(compared)
    sentences = None if grammar is None else _Sentences(grammar, len(schema.inputs))

    def cases(n: int, seed: int) -> tuple[int, Iterable[Any]]:
        if sentences is not None and (number := sentences.number(n)) <= EFFORTS.verified_sentences:
            return number, sentences.every(n)
        if sentences is not None:
            return EFFORTS.verified_sentences, islice(
                dict.fromkeys(more(n, seed, 2 * EFFORTS.verified_sentences)), EFFORTS.verified_sentences
            )
        match schema.grammar:
            case kinds.LINK_GRAMMAR:
                return dictionaries.all_cases(n, seed) if n > 1 else (0, ())
            case kinds.CONTEXT_FREE:
                return constituents.all_cases(n, seed)
        if by_links:
            return 1, [every_link(n)]
        return tree_cases(n, schema.grammar == DEPENDENCY_RULES, single_root, seed)

    def more(n: int, seed: int, share: int) -> list[Any]:
        return [random(n, seed, number) for number in range(share)]

    def random(n: int, seed: int, number: int) -> Any:
        rng = Random(f"same {seed} {n} {number}")
        if sentences is not None:
            return sentences.random(n, rng)
        match schema.grammar:
            case kinds.LINK_GRAMMAR:
                return dictionaries.random_case(n, seed, number)
            case kinds.CONTEXT_FREE:
                return constituents.random_case(n, seed, number)
            case kinds.DEPENDENCY_RULES:
                return random_rule_grammars(n, 1, rng)[0]
        return random_link_grammars(n, 1, rng, extra=n)[0]

    def reader(case: Any, chart: Chart) -> Reader:
        building: Any = building_of(chart) or Atoms(chart)

        def read(state: Any) -> AnyStructure | None:
            built = building.structure(state)
            value = None if built is None else AtomSet(()) if is_empty else building.value(built)
            several = isinstance(value, DependencyTree) and value.heads.count(0) > 1
            return None if value is None or (several and single_root) else AnyStructure(value)

        return building, read

    last: Outcome | None = None  # of the other, in the case that is looked at

    def derived(case: Any) -> Set[Any]:
        """Return the structures that the other schema derives in a case."""
        nonlocal last
        if last is None or last.case != case:
            last = other.examine(case)
        return last.built

    def own(answer: str, case: Any, structure: AnyStructure) -> Any:
        """Return the grammar of a structure's links, if one run decides for all grammars."""
        links = getattr(structure.value, "links", ())
        return LicensedLinks(case.n, frozenset(link[:2] for link in links)) if by_links else case

    tested = Subject(
        ParsingSchema(schema),
        limits,
        cases,
        reader,
        truth=lambda case: sorted(derived(case), key=str),
        fault=lambda case, x: None if x in derived(case) else f"{compared.name} does not derive it",
        answers=("sound", "complete"),
        unions=EFFORTS.chart_unions,
        own=own,
        more=more,
        smaller=lambda case: () if by_links else case.smaller(),
        prepare=derived,
    )
    other = replace(tested, schema=ParsingSchema(compared), prepare=lambda case: None)
    return tested
