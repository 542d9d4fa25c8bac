"""Constraint networks: the possible values of the words of a sentence, the values that constraints exclude,
and their costs.

*Node consistency* removes each value that violates a hard constraint on its own. *Arc consistency* removes each value
that fits no value of some other word, until nothing changes (Mackworth 1977; Maruyama 1990). The remaining values are
the surviving network. A network provides the same as facts: `value`, `bad`, `clash` and the order of values, so that
the schema `constraint-propagation` derives the removed values, and explains them.

Two words that are the heads of each other violate the hard constraint `tree`, which is in every grammar; longer cycles
are not analyses, but remove no values.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

from schemata.errors import Diagnostic, UsageError
from schemata.grammars.constraints import Constraint, Constraints, Reading, State, Value
from schemata.grammars.relations import Relation, Row, Sort
from schemata.grouping import grouped
from schemata.kinds import FACTS
from schemata.language import model as m
from schemata.records import Record, field, json_of, replace
from schemata.structures.sentence import Sentence
from schemata.wording import listing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[Any]

TREE = "tree"
"""The name of the constraint that heads make up a tree."""

HARD = 1e9
"""The cost of violating a hard constraint; all soft ones of a sentence together cost less."""


class Violation(Record):
    """A constraint that words violate: one word, or two in order."""

    constraint: Constraint
    words: tuple[int, ...]

    @property
    def cost(self) -> float:
        """Its share in the cost of an analysis."""
        return HARD if self.constraint.is_hard else self.constraint.penalty

    def to_json(self) -> dict[str, Any]:
        """Return the violation as a JSON object."""
        one = self.constraint
        return {"constraint": one.name, "weight": one.weight, "words": list(self.words)}


class Assignment(Record):
    """An analysis of a sentence: a value for each word, with its violations.

    Parameters
    ----------
    values : the values.
    readings : the reading of each word.
    violations : the constraints that they violate, the hardest first.
    """

    values: tuple[Value, ...]
    readings: tuple[Reading, ...]
    violations: tuple[Violation, ...]

    @property
    def heads(self) -> tuple[int, ...]:
        """The head of each word."""
        return tuple(value.head for value in self.values)

    @property
    def labels(self) -> tuple[str, ...]:
        """The label of each word."""
        return tuple(value.label for value in self.values)

    @property
    def hard(self) -> int:
        """The number of hard constraints violated."""
        return sum(one.constraint.is_hard for one in self.violations)

    @property
    def weight(self) -> float:
        """The acceptability: the product of the weights of all violations."""
        return math.prod((one.constraint.weight for one in self.violations), start=1.0)

    @property
    def cost(self) -> float:
        """The sum of the costs of all violations: fewer hard ones go before all soft ones."""
        return math.fsum(one.cost for one in self.violations)

    to_json = json_of("heads labels readings weight hard violations")


class Exclusion(Record):
    """Why a value is out: it is excluded by a constraint on its own, or no value of another word goes with it.

    `round` says after how many rounds of propagation, 0 for constraints on one word.
    """

    constraint: str | None
    word: int | None
    round: int

    to_json = json_of("constraint word round")


class Network(Record, slots=False, eq=False, repr=False):
    """The network of a sentence.

    Parameters
    ----------
    grammar : the constraints.
    sentence : the words.

    Raises
    ------
    GrammarError : some words have no readings.
    """

    grammar: Constraints
    sentence: Sentence
    strict: bool = True
    readings: tuple[tuple[Reading, ...], ...] = field(init=False)
    unknown: tuple[Diagnostic, ...] = field(init=False)

    def __post_init__(self) -> None:
        readings, unknown = self.grammar.readings(self.sentence, self.strict)
        object.__setattr__(self, "readings", readings)
        object.__setattr__(self, "unknown", unknown)

    @property
    def n(self) -> int:
        """The number of words."""
        return len(self.sentence)

    @cached_property
    def domains(self) -> tuple[tuple[Value, ...], ...]:
        """All values of each word."""
        heads = range(self.n + 1)
        return tuple(
            tuple(
                Value(reading, label, head)
                for label in self.grammar.labels
                for head in heads
                if head != word
                for reading in range(len(listed))
            )
            for word, listed in enumerate(self.readings, start=1)
        )

    def name(self, word: int, value: Value) -> str:
        """Return a value as text: label@head, and /reading (from 1) if the word has several."""
        reading = f"/{value.reading + 1}" if len(self.readings[word - 1]) > 1 else ""
        return f"{value.label}@{value.head}{reading}"

    def state(self) -> State:
        """Return the state in which nothing has a value."""
        return State(self.sentence.words, self.readings)

    @cached_property
    def _unresolved(self) -> tuple[tuple[int, Constraint], ...]:
        """Constraints that depend on more than two words: on dependents, or on the values of heads of X and Y."""
        unsettled = {"label", "head", *self.state().ambiguous}
        return tuple(
            (k, one)
            for k, one in enumerate(self.grammar.constraints)
            if one.asks_dependents or (one.is_binary and one.of_heads & unsettled)
        )

    @cached_property
    def unresolved(self) -> tuple[Constraint, ...]:
        """The constraints that the costs of words and pairs leave out."""
        return tuple(one for _, one in self._unresolved)

    @cached_property
    def _local(self) -> tuple[list[tuple[int, Constraint]], list[tuple[int, Constraint]]]:
        """The other constraints by number: those on one word, those on two."""
        left = {k for k, _ in self._unresolved}
        rest = [(k, one) for k, one in enumerate(self.grammar.constraints) if k not in left]
        return [x for x in rest if not x[1].is_binary], [x for x in rest if x[1].is_binary]

    @cached_property
    def nodes(self) -> tuple[tuple[tuple[Constraint, ...], ...], ...]:
        """The constraints that each value of each word violates on its own."""
        state, found = self.state(), []
        for word, values in enumerate(self.domains, start=1):
            row = []
            for value in values:
                state.values[word] = value
                row.append(tuple(one for _, one in self._local[0] if one.check(state, word, -1) is False))
            state.values[word] = None
            found.append(tuple(row))
        return tuple(found)

    @cached_property
    def consistent(self) -> tuple[tuple[int, ...], ...]:
        """The values of each word, by number, that violate no hard constraint on their own."""
        return tuple(
            tuple(k for k, violated in enumerate(row) if not any(one.is_hard for one in violated))
            for row in self.nodes
        )

    @cached_property
    def narrow(self) -> Costs:
        """The costs of the values that violate no hard constraint on their own."""
        return Costs(self, self.consistent)

    @cached_property
    def wide(self) -> Costs:
        """The costs of all values."""
        return Costs(self, tuple(tuple(range(len(values))) for values in self.domains))

    @cached_property
    def exclusions(self) -> tuple[Mapping[int, Exclusion], ...]:
        """The values of each word that node and arc consistency take out, and why."""
        found: list[dict[int, Exclusion]] = []
        for row in self.nodes:
            first = ((k, next((x for x in violated if x.is_hard), None)) for k, violated in enumerate(row))
            found.append({k: Exclusion(one.name, None, 0) for k, one in first if one is not None})
        costs, gone = self.narrow, True
        alive = [[True] * len(row) for row in self.consistent]
        number = 0
        while gone:
            number, gone = number + 1, False
            lost: list[tuple[int, int, int]] = []
            for i, j in ((i, j) for i in range(self.n) for j in range(self.n) if i != j):
                matrix = costs.pair(i, j)
                for k, is_alive in enumerate(alive[i]):
                    row = matrix[k]
                    if is_alive and not any(ok and row[x] < HARD for x, ok in enumerate(alive[j])):
                        lost.append((i, k, j))
            for i, k, j in lost:
                alive[i][k] = False
                found[i].setdefault(self.consistent[i][k], Exclusion(None, j + 1, number))
                gone = True
        return tuple(found)

    @cached_property
    def surviving(self) -> tuple[tuple[int, ...], ...]:
        """The values of each word, by number, that are left."""
        return tuple(
            tuple(k for k in range(len(values)) if k not in out)
            for values, out in zip(self.domains, self.exclusions, strict=True)
        )

    @property
    def is_refuted(self) -> bool:
        """Whether a word has no value left, so that no analysis violates no hard constraint."""
        return not all(self.surviving)

    # Analyses -----------------------------------------------------------------------------------------------

    def violations(self, values: Sequence[Value]) -> tuple[Violation, ...]:
        """Return all violations of a value for each word, the hardest first."""
        state = self.state()
        state.values[1:] = values
        words = range(1, self.n + 1)
        found: list[Violation] = []
        for one in self.grammar.constraints:
            if one.is_binary:
                found += (
                    Violation(one, (x, y))
                    for x in words
                    for y in range(x + 1, self.n + 1)
                    if one.check(state, x, y) is False or one.check(state, y, x) is False
                )
            else:
                found += (Violation(one, (x,)) for x in words if one.check(state, x, -1) is False)
        return tuple(sorted(found, key=lambda x: -x.cost))

    def analysis(self, values: Sequence[Value]) -> Assignment:
        """Return the analysis that gives each word a value."""
        readings = tuple(listed[v.reading] for listed, v in zip(self.readings, values, strict=True))
        return Assignment(tuple(values), readings, self.violations(values))


class Costs(Record, slots=False, eq=False, repr=False):
    """The costs of some values of each word, alone and in pairs, without constraints that depend on more
    words.

    Parameters
    ----------
    network : the network.
    numbers : the values of each word, by their numbers in its domain.
    """

    network: Network
    numbers: tuple[tuple[int, ...], ...]

    @cached_property
    def values(self) -> tuple[tuple[Value, ...], ...]:
        """The values."""
        domains = self.network.domains
        return tuple(tuple(domains[i][k] for k in listed) for i, listed in enumerate(self.numbers))

    @cached_property
    def alone(self) -> list[Matrix]:
        """The cost of each value on its own."""
        import numpy as np

        nodes = self.network.nodes
        return [
            np.array([sum(Violation(one, ()).cost for one in nodes[i][k]) for k in listed], dtype=float)
            for i, listed in enumerate(self.numbers)
        ]

    @cached_property
    def gives(self) -> list[frozenset[tuple[str, int]]]:
        """The labels and heads of each word's values; nothing for the root."""
        found = [frozenset((value.label, value.head) for value in listed) for listed in self.values]
        return [frozenset(), *found]

    @cached_property
    def _live(self) -> list[list[tuple[int, int, int]]]:
        """For each value, as bits: constraints on two words that depend on Y, or on X, and those on its head."""
        network, (single, double) = self.network, self.network._local
        state, found = network.state(), []
        for word, listed in enumerate(self.values, start=1):
            row = []
            for value in listed:
                state.values[word] = value
                as_x = sum(1 << k for k, one in double if one.check(state, word, -1) is not True)
                as_y = sum(1 << k for k, one in double if one.check(state, -1, word) is not True)
                up = sum(1 << k for k, one in single if one.check(state, word, -1) is None)
                row.append((as_x, as_y, up))
            state.values[word] = None
            found.append(row)
        return found

    def pair(self, i: int, j: int) -> Matrix:
        """Return the cost of each value of a word with each of another; words count from 0."""
        pairs: dict[tuple[int, int], Matrix] = self.__dict__.setdefault("_pairs", {})
        if (i, j) not in pairs:
            if i > j:
                pairs[i, j] = self.pair(j, i).T
            else:
                pairs[i, j] = self._pair(i, j)
        return pairs[i, j]

    def _pair(self, i: int, j: int) -> Matrix:
        import numpy as np

        state = self.network.state()
        found = np.zeros((len(self.values[i]), len(self.values[j])))
        for a, value in enumerate(self.values[i]):
            state.values[i + 1] = value
            for b, other in enumerate(self.values[j]):
                state.values[j + 1] = other
                found[a, b] = sum(x.cost for x in self._violations(state, i, j, a, b))
        return found

    def clash(self, i: int, j: int, a: int, b: int) -> str | None:
        """Return the first hard constraint that two values violate together; None if they violate none."""
        state = self.network.state()
        state.values[i + 1], state.values[j + 1] = self.values[i][a], self.values[j][b]
        hard = (x.constraint.name for x in self._violations(state, i, j, a, b) if x.constraint.is_hard)
        return next(hard, None)

    def _violations(self, state: State, i: int, j: int, a: int, b: int) -> Iterator[Violation]:
        constraints = self.network.grammar.constraints
        x, y = i + 1, j + 1
        one, other = self._live[i][a], self._live[j][b]
        if self.values[i][a].head == y and self.values[j][b].head == x:
            yield Violation(_TREE, (x, y))
        forth, back = one[0] & other[1], one[1] & other[0]
        for k in _bits(forth | back):
            check = constraints[k].check
            if (forth >> k & 1 and check(state, x, y) is False) or (
                back >> k & 1 and check(state, y, x) is False
            ):
                yield Violation(constraints[k], (x, y))
        for word, head, up in ((x, y, one[2]), (y, x, other[2])):
            if up and state.head(word) == head:
                for k in _bits(up):
                    if constraints[k].check(state, word, -1) is False:
                        yield Violation(constraints[k], (word,))


_TREE = Constraint(TREE, 0.0, None)


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


# As facts -------------------------------------------------------------------------------------------------------

RELATIONS: Mapping[str, tuple[Sort, ...]] = {
    "value": ("word", "symbol"),
    "bad": ("word", "symbol", "symbol"),
    "clash": ("word", "symbol", "word", "symbol", "symbol"),
    "first": ("word", "symbol"),
    "next": ("word", "symbol", "symbol"),
}
"""The relations that a network provides to schemata that declare them."""

END = "end"
"""Comes after the last value of a word."""


class ConstraintFacts(Record, slots=False, eq=False):
    """Constraints as facts, for a schema that declares some of `RELATIONS`."""

    kind: ClassVar = FACTS

    grammar: Constraints
    declared: tuple[m.Relation, ...]
    warnings: tuple[Any, ...] = ()
    strict: bool = False

    def for_schema(self, relations: tuple[m.Relation, ...]) -> ConstraintFacts:
        """Return the same facts for another schema."""
        return replace(facts_of(self.grammar, relations), strict=self.strict)

    def for_sentence(self, sentence: Sentence) -> NetworkFacts:
        """Return the relations of a sentence's network.

        Raises
        ------
        GrammarError : some words have no readings, and the grammar is strict.
        """
        network = Network(self.grammar, sentence, self.strict)
        return NetworkFacts(network, self.declared, network.unknown)


def facts_of(grammar: Constraints, relations: tuple[m.Relation, ...]) -> ConstraintFacts:
    """Return constraints as facts.

    Raises
    ------
    UsageError : the schema asks for none of them, or with other arguments.
    """
    named = {one.name: tuple(sort for _, sort in one.arguments) for one in relations}
    if not named or any(RELATIONS.get(name) != sorts for name, sorts in named.items()):
        message = "constraints provide no facts for the relations that the schema declares"
        shown = (f"{name}({', '.join(map(str, sorts))})" for name, sorts in RELATIONS.items())
        raise UsageError(message, code="wrong-grammar", expected=listing(list(shown)))
    return ConstraintFacts(grammar, relations)


class NetworkFacts(Record, slots=False, eq=False):
    """A network as relations: values are symbols such as `nsubj@2`."""

    network: Network
    declared: tuple[m.Relation, ...]
    warnings: tuple[Any, ...] = ()
    weights: Mapping[str, Mapping[Row, float]] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """The number of words."""
        return self.network.n

    @cached_property
    def relations(self) -> Mapping[str, Relation]:
        """The declared relations."""
        from schemata.grammars.facts import both_ways

        found: dict[str, Relation] = {}
        for one in self.declared:
            rows = dict.fromkeys(getattr(self, f"_{one.name}")(), 0.0)
            found |= {x.name: x for x in both_ways(one.name, RELATIONS[one.name], rows)}
        return found

    @cached_property
    def _names(self) -> list[list[str]]:
        network = self.network
        return [[network.name(i, v) for v in values] for i, values in enumerate(network.domains, start=1)]

    @cached_property
    def _kept(self) -> list[list[str]]:
        """The names of the node-consistent values; only these are compared."""
        return [[self._names[i][k] for k in listed] for i, listed in enumerate(self.network.consistent)]

    def _value(self) -> Iterable[Row]:
        return ((i, name) for i, names in enumerate(self._kept, start=1) for name in names)

    def _bad(self) -> Iterable[Row]:
        for i, (names, row) in enumerate(zip(self._names, self.network.nodes, strict=True), start=1):
            for name, violated in zip(names, row, strict=True):
                yield from [(i, name, one.name) for one in violated if one.is_hard][:1]

    def _clash(self) -> Iterable[Row]:
        costs, n = self.network.narrow, self.network.n
        for i in range(n):
            for j in range(i + 1, n):
                matrix = costs.pair(i, j)
                for a, one in enumerate(self._kept[i]):
                    for b, other in enumerate(self._kept[j]):
                        if matrix[a, b] >= HARD:
                            name = costs.clash(i, j, a, b)
                            yield (i + 1, one, j + 1, other, name)
                            yield (j + 1, other, i + 1, one, name)

    def _first(self) -> Iterable[Row]:
        return ((i, (*names, END)[0]) for i, names in enumerate(self._kept, start=1))

    def _next(self) -> Iterable[Row]:
        for i, names in enumerate(self._kept, start=1):
            yield from ((i, one, other) for one, other in pairwise([*names, END]))


def surviving_links(network: Network) -> dict[tuple[int, int], list[str]]:
    """Return the links of the surviving network, each with its labels."""
    pairs = (
        ((word, network.domains[word - 1][k].head), network.domains[word - 1][k].label)
        for word, numbers in enumerate(network.surviving, start=1)
        for k in numbers
    )
    return {link: list(dict.fromkeys(labels)) for link, labels in grouped(pairs).items()}
