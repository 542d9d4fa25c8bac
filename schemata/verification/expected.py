"""What a schema should derive as another schema says: cases in which both are run, and what the other derives there.

The cases are those of the kind of grammar that both are over, or the sentences of a grammar that is given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from functools import cached_property
from itertools import chain, combinations_with_replacement, count, islice, pairwise, product
from random import Random
from typing import Any

from schemata.engine.chart import Chart
from schemata.errors import UsageError
from schemata.forest.structures import Atoms, building_of, builds_nothing
from schemata.language import model as m
from schemata.quick_dataclasses import Record
from schemata.structures import DependencyTree, Sentence
from schemata.structures.constituents import AtomSet
from schemata.structures.sentence import BETWEEN
from schemata.verification import constituents, dictionaries
from schemata.verification.grammars import (
    LicensedLinks,
    every_link,
    random_link_grammars,
    random_rule_grammars,
    tree_cases,
)
from schemata.verification.subject import LINK_UNIONS, Limits, Outcome, Reader, Subject
from schemata.verification.trees import decided_by_links
from schemata.verification.verdicts import Value
from schemata.wording import quantity

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
