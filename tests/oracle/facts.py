"""Grammars of facts for one sentence: random rows of the relations that a schema declares, and what they say."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from schemata.language import model as m

ANY_WORD = None  # in place of a word: every word
WORDS = ("u", "v")
SYMBOLS = ("A", "B")
FUNCTIONS = (
    "0",
    "01",
    "10",
    "0,1",
    "010",
    "01,0",
    "0,0",
    "012",
    "20,1",
)  # symbols that are yield functions too


@dataclass(frozen=True)
class FactGrammar:
    """Rows by relation, with words as written, for a sentence; of several inputs, the words of each in a row."""

    relations: tuple[m.Relation, ...]
    rows: tuple[frozenset[tuple[Any, ...]], ...]
    inputs: tuple[tuple[str, ...], ...]
    weighted: frozenset[str] = frozenset()  # relations whose facts have weights

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the sentence, or of all inputs."""
        return tuple(word for words in self.inputs for word in words)

    @property
    def text(self) -> str:
        """A file of the facts."""
        return "".join(
            f"{relation.name}({', '.join(_written(x, s) for x, (_, s) in zip(row, relation.arguments, strict=True))})"
            f"{f' [{weight_of(row)}]' if relation.name in self.weighted else ''}\n"
            for relation, rows in zip(self.relations, self.rows, strict=True)
            for row in sorted(rows, key=str)
        )

    def __str__(self) -> str:
        return f"the words {' ||| '.join(' '.join(words) for words in self.inputs)}, the facts\n{self.text}"

    def of_positions(self) -> dict[str, set[tuple[Any, ...]]]:
        """Return the rows with positions for words, and which words are the same."""
        places = list(enumerate(self.words, start=1))
        found = {m.SAME_WORD: {(i, j) for (i, one), (j, other) in product(places, places) if one == other}}
        for relation, rows in zip(self.relations, self.rows, strict=True):
            found[relation.name] = {values for row in rows for values in self._at(relation, row)}
        return found

    def _at(self, relation: m.Relation, row: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        """Yield a row with positions for words."""
        places = list(enumerate(self.words, start=1))
        return product(
            *(
                [i for i, word in places if x in (word, ANY_WORD)] if sort == "word" else [x]
                for x, (_, sort) in zip(row, relation.arguments, strict=True)
            )
        )

    @property
    def weights(self) -> dict[str, dict[tuple[Any, ...], float]]:
        """The weights of rows with positions for words, by relation; of relations with weights other than 1."""
        return {
            relation.name: {values: weight_of(row) for row in rows for values in self._at(relation, row)}
            for relation, rows in zip(self.relations, self.rows, strict=True)
            if relation.name in self.weighted and any(weight_of(row) != 1 for row in rows)
        }


def weight_of(row: tuple[Any, ...]) -> float:
    """Return the weight of a fact, where facts have some."""
    return (len(str(row)) % 4 + 1) / 4


def _written(value: Any, sort: m.FactSort) -> str:
    """Return an argument as a file of facts has it."""
    match sort, value:
        case "word", None:
            return "_"
        case "word", str():
            return f'"{value}"'
        case "symbols", tuple():
            return f"<{' '.join(map(_quoted, value))}>"
        case m.Type(), (str(constructor), *arguments):
            name = constructor.removeprefix(m.CONSTRUCTOR)
            parts = [_quoted(x) if isinstance(x, str) else _written(x, sort) for x in arguments]
            if name in m.INFIX:
                return name.join(
                    f"({part})" if part[-1] == ")" or set(part) & set(m.INFIX) else part for part in parts
                )
            return f"{name}({', '.join(parts)})" if name else parts[0]
    return _quoted(value) if isinstance(value, str) else str(value)


def _quoted(symbol: str) -> str:
    return symbol if symbol.isalpha() else f"'{symbol}'"


def random_facts(
    rng: random.Random, n: int, relations: tuple[m.Relation, ...], inputs: int = 1
) -> FactGrammar:
    """Return random rows for a random sentence of n words, each of which some fact names where facts name words."""
    words = tuple(rng.choices(WORDS, k=n))
    cuts = sorted(rng.randint(0, n) for _ in range(inputs - 1))
    parts = tuple(words[a:b] for a, b in zip([0, *cuts], [*cuts, n], strict=True))
    rows = [
        {
            tuple(
                _value(rng, sort, name, dict(relation.yields).get(place, 0))
                for place, (name, sort) in enumerate(relation.arguments)
            )
            for _ in range(rng.choice([0, 2, 3, 5, 8]))
        }
        for relation in relations
    ]
    of_words = [
        k for k, relation in enumerate(relations) if "word" in [sort for _, sort in relation.arguments]
    ]
    for word in sorted(set(words)) if of_words else ():
        k = rng.choice(of_words)
        yields = dict(relations[k].yields)
        row = (_value(rng, s, name, yields.get(at, 0)) for at, (name, s) in enumerate(relations[k].arguments))
        rows[k].add(
            tuple(word if s == "word" else x for x, (_, s) in zip(row, relations[k].arguments, strict=True))
        )
    named = [
        r.name for r, found in zip(relations, rows, strict=True) if all(ANY_WORD not in row for row in found)
    ]
    weighted = frozenset(name for name in named if rng.random() < 0.35)
    return FactGrammar(relations, tuple(map(frozenset, rows)), parts, weighted)


def _value(rng: random.Random, sort: m.FactSort, name: str, parts: int) -> Any:
    """Return a random argument of a sort; of a name, since some symbols are functions, perhaps of so many parts."""
    if parts:
        return rng.choice([x for x in FUNCTIONS if {*x} - {","} == {*map(str, range(parts))}])
    match sort:
        case "word":
            return rng.choice([*WORDS, *WORDS, ANY_WORD])
        case "position":
            return rng.randrange(4)
        case "symbols":
            return tuple(rng.choices(SYMBOLS, k=rng.randrange(4)))
        case m.Type():
            return random_term(rng, sort, 2)
    return rng.choice(FUNCTIONS if name == "function" else SYMBOLS)


def random_term(rng: random.Random, kind: m.Type, depth: int) -> tuple[Any, ...]:
    """Return a random term of a declared type, with so many constructors in one another at most beyond the first."""
    options = [c for c in kind.constructors if depth > 0 or kind.of not in c[1]]
    name, parts = rng.choice(options)
    arguments: Iterator[Any] = (
        random_term(rng, kind, depth - 1) if part == kind.of else rng.choice(SYMBOLS) for part in parts
    )
    return (m.CONSTRUCTOR + name, *arguments)
