"""What a schema should derive as another schema says: cases in which both are run, and what the other derives there.

The cases are those of the kind of grammar that both are over, or the sentences of a grammar that is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import islice, product
from random import Random
from typing import Any

from schemata.analysis.compare import sentence_of_length
from schemata.engine.chart import Chart
from schemata.engine.run import compile_kernel, run_kernel
from schemata.errors import UsageError
from schemata.forest.states import Builds, all_states
from schemata.forest.structures import Atoms, building_of
from schemata.language import model as m
from schemata.language.typeset import reference_of
from schemata.quick_dataclasses import Record
from schemata.structures import DependencyTree, Sentence
from schemata.verification import constituents, dictionaries
from schemata.verification.grammars import every_link, random_link_grammars, random_rule_grammars, tree_cases
from schemata.verification.progress import RUN_BUDGET
from schemata.verification.trees import decided_by_links
from schemata.verification.verdicts import Value

_SENTENCES = 300  # of each length, of a grammar that is given: all, or so many random ones
_UNIONS = 2_000_000


class SentenceCase(Record):
    """A sentence of a grammar."""

    words: tuple[str, ...]
    grammar: Any

    @property
    def n(self) -> int:
        """The number of words."""
        return len(self.words)

    @property
    def key(self) -> tuple[str, ...]:
        """The order of cases."""
        return self.words

    def provide(self) -> Any:
        """Return what a kernel asks of the grammar."""
        return self.grammar.for_sentence(Sentence(self.words))

    def to_json(self) -> dict[str, Any]:
        """Return the case as a JSON object."""
        return {"sentence": list(self.words)}


def sentence_of(case: Any) -> Sentence:
    """Return the sentence of a case; of grammars that say nothing of words, one of its length."""
    return Sentence(case.words) if hasattr(case, "words") else sentence_of_length(case.n)


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
        if self.schema.reads_inputs or self.other.reads_inputs:
            raise UsageError("--same-as tries sentences, and a schema reads several inputs at once")
        if self.grammar is None and kind == "facts" and self.schema.relations:
            hint = "--grammar example, or a file of facts: its sentences are tried"
            raise UsageError(f"schema {self.schema.name} asks for facts", code="grammar-needed", hint=hint)
        if self.grammar is not None and not self.vocabulary:
            hint = "leave out --grammar: small and random grammars are tried"
            raise UsageError("the grammar names no words to make sentences of", code="bad-option", hint=hint)

    @cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """The words that the grammar names."""
        lexicon, table = getattr(self.grammar, "lexicon", None), getattr(self.grammar, "table", None)
        words = {word for word, _ in lexicon.words} if lexicon else table.words if table else ()
        return tuple(sorted(word for word in words if isinstance(word, str)))

    def cases(self, n: int, seed: int) -> tuple[int, Iterable[Any]]:
        """Return the number of cases of n words, and the cases."""
        if self.grammar is not None or (not self.schema.relations and self.schema.grammar == "facts"):
            words, rng = self.vocabulary or ("w",), Random(f"sentences {seed} {n}")
            few = len(words) ** n <= _SENTENCES
            chosen = product(words, repeat=n) if few else _drawn(words, n, rng)
            return min(len(words) ** n, _SENTENCES), (SentenceCase(one, self.grammar) for one in chosen)
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
            return SentenceCase(tuple(rng.choices(self.vocabulary, k=n)), self.grammar)
        match self.schema.grammar:
            case "link-grammar":
                return dictionaries.random_case(n, seed, number)
            case "context-free":
                return constituents.random_case(n, seed, number)
            case "dependency-rules":
                return random_rule_grammars(n, 1, rng)[0]
        return random_link_grammars(n, 1, rng, extra=n)[0]

    @cached_property
    def _kernel(self) -> Any:
        return compile_kernel(self.other)

    def truth(self, case: Any) -> list[Value]:
        """Return the structures that the other schema derives in a case, in order.

        Raises
        ------
        BudgetExceeded : its run hit a limit.
        """
        chart = run_kernel(self._kernel, sentence_of(case), case.provide(), RUN_BUDGET)
        building, read = self.reader(chart)
        forest = chart.forest()
        states = (all_states(forest, building, _UNIONS) or {}) if forest.roots else {}
        found = {read(state) for root in forest.roots for state in states.get(root, ())}
        return sorted((one for one in found if one is not None), key=lambda one: str(one.value))

    def reader(self, chart: Chart) -> tuple[Builds, Callable[[Any], Value | None]]:
        """Return the states of derivations, and what reads finished ones; without atoms, all build nothing."""
        building: Any = building_of(chart) or Atoms(chart)

        def read(state: Any) -> Value | None:
            built = building.structure(state)
            value = None if built is None else building.value(built)
            several = isinstance(value, DependencyTree) and value.heads.count(0) > 1
            return None if value is None or (several and self.single_root) else Value(value)

        return building, read


def _drawn(words: tuple[str, ...], n: int, rng: Random) -> Iterator[tuple[str, ...]]:
    """Return distinct random sentences."""
    return islice(dict.fromkeys(tuple(rng.choices(words, k=n)) for _ in range(2 * _SENTENCES)), _SENTENCES)
