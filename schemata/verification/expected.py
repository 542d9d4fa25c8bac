"""What a schema should derive as another schema says: cases in which both are run, and what the other derives there.

The cases are those of the kind of grammar that both are over, or the sentences of a grammar that is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import chain, combinations_with_replacement, count, islice, pairwise, product
from random import Random
from typing import Any

from schemata.analysis.compare import sentence_of_length
from schemata.budget import Budget
from schemata.engine.chart import Chart
from schemata.engine.run import run_kernel
from schemata.errors import UsageError
from schemata.forest.states import Builds, all_states
from schemata.forest.structures import Atoms, building_of, builds_nothing
from schemata.language import model as m
from schemata.language.typeset import reference_of
from schemata.quick_dataclasses import Record
from schemata.structures import DependencyTree, Sentence
from schemata.structures.constituents import AtomSet
from schemata.structures.sentence import BETWEEN
from schemata.verification import constituents, dictionaries
from schemata.verification.grammars import every_link, random_link_grammars, random_rule_grammars, tree_cases
from schemata.verification.progress import RUN_BUDGET
from schemata.verification.trees import decided_by_links
from schemata.verification.verdicts import Value
from schemata.wording import quantity
from schemata.workbench import ParsingSchema

_SENTENCES = 300  # of each length, of a grammar that is given: all, or so many random ones
_UNIONS = 2_000_000


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

    def provide(self) -> Any:
        """Return what a kernel asks of the grammar."""
        return self.grammar.for_sentence(Sentence(self.words))

    def to_json(self) -> dict[str, Any]:
        """Return the case as a JSON object."""
        between = [BETWEEN] * bool(self.lengths)
        words = chain.from_iterable([*between, *one] for one in self.inputs)
        return {"sentence": list(words)[len(between) :]}


def run_case(schema: ParsingSchema, case: Any, budget: Budget) -> Chart:
    """Run a schema in a case; where grammars say nothing of words, on a sentence of its length.

    Raises
    ------
    BudgetExceeded : the run hit a limit.
    """
    words = Sentence(case.words) if hasattr(case, "words") else sentence_of_length(case.n)
    if schema.definition.reads_inputs:
        schema, words = schema.of_inputs(case.inputs)
    return run_kernel(schema.kernel, words, case.provide(), budget)


class Expected(Record, slots=False):
    """What another schema derives.

    Parameters
    ----------
    schema, other : the schemata.
    single_root : whether trees with several words under node 0 are nobody's concern.
    grammar : a grammar whose sentences are tried; None for small and random grammars.
    """

    schema: m.Schema
    other: m.Schema
    single_root: bool = True
    grammar: Any = None

    @property
    def name(self) -> str:
        """How the class of structures is called."""
        return f"same as {reference_of(self.other)}"

    @property
    def by_links(self) -> bool:
        """Whether one run under all links decides for all grammars."""
        return self.grammar is None and decided_by_links(self.schema) and decided_by_links(self.other)

    def check(self) -> None:
        """Check that both schemata can be run in the same cases.

        Raises
        ------
        UsageError : they are over different kinds of grammar, or over facts without any; the grammar names no words.
        """
        kind = self.schema.grammar
        if kind != self.other.grammar:
            message = (
                f"{self.schema.name} runs over {kind} grammars, {self.other.name} over {self.other.grammar}"
            )
            raise UsageError(
                message, code="wrong-kind", expected="two schemata over the same kind of grammar"
            )
        if {*self.schema.relations} != {*self.other.relations}:
            message = f"{self.schema.name} and {self.other.name} declare different relations"
            raise UsageError(message, code="wrong-kind", expected="two schemata over the same relations")
        one, other = (len(schema.inputs) or 1 for schema in (self.schema, self.other))
        if one != other:
            message = f"{self.schema.name} reads {quantity(one, 'input')}, {self.other.name} {other}"
            raise UsageError(message, code="several-inputs", expected="two schemata that read as many inputs")
        if self.grammar is None and kind == "facts":
            hint = "--grammar example, or a file of facts: its sentences are tried"
            raise UsageError(f"schema {self.schema.name} asks for facts", code="grammar-needed", hint=hint)
        if not self.vocabulary and self.grammar is not None and (kind != "facts" or self.schema.relations):
            hint = "leave out --grammar: small and random grammars are tried"
            raise UsageError("the grammar names no words to make sentences of", code="bad-option", hint=hint)

    @cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """The words that the grammar names."""
        lexicon, table = getattr(self.grammar, "lexicon", None), getattr(self.grammar, "table", None)
        words = {word for word, _ in lexicon.words} if lexicon else table.words if table else ()
        return tuple(sorted(word for word in words if isinstance(word, str)))

    @property
    def exhaustive_to(self) -> int | None:
        """The greatest number of words of which all sentences are tried; None where grammars are."""
        few = (n for n in count(1) if self._sentences(n) > _SENTENCES)
        return next(few) - 1 if self.grammar is not None else None

    def _sentences(self, n: int) -> int:
        """Return how many sentences of n words there are."""
        words: int = len(self._words) ** n
        return words * sum(1 for _ in self._lengths(n))

    @property
    def _words(self) -> tuple[str, ...]:
        """The words that sentences are made of: two where no grammar names any."""
        return self.vocabulary or ("v", "w")

    def _lengths(self, n: int) -> Iterator[tuple[int, ...]]:
        """Yield how many of n words each input may have; nothing where there is one."""
        inputs = len(self.schema.inputs)
        if inputs < 2:
            yield ()
            return
        for ends in combinations_with_replacement(range(n + 1), inputs - 1):
            yield tuple(high - low for low, high in pairwise((0, *ends, n)))

    def cases(self, n: int, seed: int) -> tuple[int, Iterable[Any]]:
        """Return the number of cases of n words, and the cases."""
        if self.grammar is not None:
            if self._sentences(n) <= _SENTENCES:
                chosen = product(product(self._words, repeat=n), self._lengths(n))
                return self._sentences(n), (
                    SentenceCase(words, self.grammar, parts) for words, parts in chosen
                )
            drawn = dict.fromkeys(self.more(n, seed, k) for k in range(2 * _SENTENCES))
            return _SENTENCES, islice(drawn, _SENTENCES)
        match self.schema.grammar:
            case "link-grammar":
                return dictionaries.all_cases(n, seed) if n > 1 else (0, ())
            case "context-free":
                return constituents.all_cases(n, seed)
        if self.by_links:
            return 1, [every_link(n)]
        rules = self.schema.grammar == "dependency-rules"
        number, cases = tree_cases(n, rules, self.single_root, seed)
        return number, (case.grammar for case in cases)

    def more(self, n: int, seed: int, number: int) -> Any:
        """Return a random case."""
        rng = Random(f"same {seed} {n} {number}")
        if self.grammar is not None:
            lengths = rng.choice(list(self._lengths(n)))
            return SentenceCase(tuple(rng.choices(self._words, k=n)), self.grammar, lengths)
        match self.schema.grammar:
            case "link-grammar":
                return dictionaries.random_case(n, seed, number)
            case "context-free":
                return constituents.random_case(n, seed, number)
            case "dependency-rules":
                return random_rule_grammars(n, 1, rng)[0]
        return random_link_grammars(n, 1, rng, extra=n)[0]

    @cached_property
    def _run(self) -> ParsingSchema:
        return ParsingSchema(self.other)

    def truth(self, case: Any) -> list[Value]:
        """Return the structures that the other schema derives in a case, in order.

        Raises
        ------
        BudgetExceeded : its run hit a limit.
        """
        chart = run_case(self._run, case, RUN_BUDGET)
        building, read = self.reader(chart)
        forest = chart.forest()
        states = (all_states(forest, building, _UNIONS) or {}) if forest.roots else {}
        found = {read(state) for root in forest.roots for state in states.get(root, ())}
        return sorted((one for one in found if one is not None), key=lambda one: str(one.value))

    def reader(self, chart: Chart) -> tuple[Builds, Callable[[Any], Value | None]]:
        """Return the states of derivations and what reads finished ones: an empty set, if one schema builds nothing."""
        building: Any = building_of(chart) or Atoms(chart)
        nothing = builds_nothing(self.schema) or builds_nothing(self.other)

        def read(state: Any) -> Value | None:
            built = building.structure(state)
            value = None if built is None else AtomSet(()) if nothing else building.value(built)
            several = isinstance(value, DependencyTree) and value.heads.count(0) > 1
            return None if value is None or (several and self.single_root) else Value(value)

        return building, read
