"""Test cases for Link Grammar schemata: sentences with disjuncts for each word, all small ones and random ones.

A case is a sentence whose words are all different, so that it can be written as a dictionary. A case that
refutes a schema is shrunk until no smaller one refutes it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import permutations, product
from random import Random
from string import ascii_lowercase

from schemata.grammars.link_grammar.sequences import SentenceDisjuncts
from schemata.structures import Sentence
from schemata.structures.connectors import Connector, connectors_match, read_connector
from schemata.structures.linkage_generation import cheapest, partnered, random_disjuncts
from schemata.structures.linkages import Disjunct

Disjuncts = tuple[tuple[Disjunct, ...], ...]


@dataclass(frozen=True, slots=True)
class LinkageCase:
    """The words of a sentence, all different, and the disjuncts of each."""

    words: tuple[str, ...]
    disjuncts: Disjuncts

    @property
    def n(self) -> int:
        """The number of words."""
        return len(self.words)

    @property
    def key(self) -> tuple[object, ...]:
        """The order of cases: the fewer words the smaller, then disjuncts, connectors, what marks them."""
        connectors = [c for of_word in self.disjuncts for d in of_word for c in d.left + d.right]
        marks = sum(c.multi + bool(c.head) + len(c.subscript) for c in connectors)
        marks += sum(len(d.word) + bool(d.cost) for of_word in self.disjuncts for d in of_word)
        names = len({c.name for c in connectors})
        texts = [[str(d) for d in of_word] for of_word in self.disjuncts]
        return self.n, sum(map(len, self.disjuncts)), len(connectors), marks, names, texts

    @property
    def proper(self) -> bool:
        """Whether a dictionary can give this: each word has a disjunct, and each disjunct a connector."""
        return all(of_word and all(d.left or d.right for d in of_word) for of_word in self.disjuncts)

    def provide(self) -> SentenceDisjuncts:
        """Return what a kernel asks of a dictionary, nothing pruned."""
        return SentenceDisjuncts(self.words, self.disjuncts)

    @property
    def sentence(self) -> Sentence:
        """The sentence."""
        return Sentence(self.words)

    def to_dictionary(self) -> str:
        """Return the case as a dictionary file.

        >>> print(random_case(2, 0, 4).to_dictionary())
        a: Bb+;
        b: [@Bb*-]0.5;
        """
        lines = []
        for of_word in self.disjuncts:
            entries: dict[str, list[str]] = {}
            for disjunct in of_word:
                entries.setdefault(disjunct.word, []).append(_expression(disjunct, len(of_word) > 1))
            lines += [f"{word}: {' or '.join(texts)};" for word, texts in entries.items()]
        return "\n".join(lines)


SMALL = 600
"""The most small cases of one kind that are tried for a length."""


def small_cases(n: int) -> Iterator[LinkageCase]:
    """Yield the cases of n >= 2 words with one disjunct a word, as rich ones as there are not too many of.

    Disjuncts are of at most two connectors and two names, of two connectors and one name, and of one connector.

    >>> print(next(small_cases(2)).to_dictionary())
    a: A+;
    b: A-;
    """
    found: dict[LinkageCase, None] = {}
    words = tuple(ascii_lowercase[:n]) if n <= 26 else tuple(f"w{k}" for k in range(n))
    for names, most in (("A", 1), ("AB", 1), ("A", 2), ("AB", 2)):
        choices = [
            list(_plain_disjuncts(word, names, most, k > 0, k < n - 1)) for k, word in enumerate(words)
        ]
        if math.prod(map(len, choices)) <= SMALL:
            found |= dict.fromkeys(LinkageCase(words, tuple((d,) for d in row)) for row in product(*choices))
    # The connectors A and B may change places.
    yield from (case for case in found if case.disjuncts[0][0].right[0].name == "A")


def _plain_disjuncts(word: str, names: str, most: int, left: bool, right: bool) -> Iterator[Disjunct]:
    """Yield the disjuncts of plain connectors that point to a side where there are words."""
    for total in range(1, most + 1):
        for count in range(total + 1):
            if (left or not count) and (right or count == total):
                for named in product(names, repeat=total):
                    sides = [
                        read_connector(f"{name}{'-' if k < count else '+'}") for k, name in enumerate(named)
                    ]
                    yield Disjunct(word, tuple(sides[:count]), tuple(sides[count:]))


def random_case(n: int, seed: int, number: int) -> LinkageCase:
    """Return a random case of n >= 2 words; seed and number fix it."""
    rng = Random(f"dictionaries {seed} {n} {number}")
    while True:
        case = LinkageCase(*random_disjuncts(n, rng))
        if case.proper:
            return case


def _expression(disjunct: Disjunct, nested: bool) -> str:
    text = str(disjunct)
    if disjunct.cost:
        return f"[{text}]{disjunct.cost:g}"
    return f"({text})" if nested and " " in text else text


def smaller_cases(case: LinkageCase) -> Iterator[LinkageCase]:
    """Yield smaller cases that a dictionary can give, those with much less first."""
    for smaller in map(_merged, _smaller(case)):
        if smaller.proper and smaller.key < case.key:
            yield smaller


def _each(case: LinkageCase, change: Callable[[int, Disjunct], Disjunct]) -> LinkageCase:
    """Return the case with every disjunct changed, by its word's position; none is there twice."""
    disjuncts = (
        tuple(dict.fromkeys(change(word, d) for d in of_word)) for word, of_word in enumerate(case.disjuncts)
    )
    return replace(case, disjuncts=tuple(disjuncts))


def _merged(case: LinkageCase) -> LinkageCase:
    """Return the case as a dictionary is read: of disjuncts that differ in their cost alone, the cheapest."""
    return replace(case, disjuncts=tuple(tuple(cheapest(of_word)) for of_word in case.disjuncts))


def _smaller(case: LinkageCase) -> Iterator[LinkageCase]:
    """Yield cases that are a little smaller, those with much less first."""
    yield from _without_words(case)
    for word, of_word in enumerate(case.disjuncts):
        if len(of_word) > 1:
            yield from (_with(case, word, (disjunct,)) for disjunct in of_word)
            yield from (_with(case, word, of_word[:k] + of_word[k + 1 :]) for k in range(len(of_word)))
    places = [
        _Place(word, k, right, at)
        for word, of_word in enumerate(case.disjuncts)
        for k, d in enumerate(of_word)
        for right in (True, False)
        for at in range(len(d.right if right else d.left))
    ]
    for one, other in product(places, places):
        facing = one.word < other.word and one.right and not other.right
        if facing and connectors_match(one.connector(case), other.connector(case)):
            yield one.put(other.put(case))
    yield from (place.put(case) for place in places)
    for place in places:
        connector, after = place.connector(case), replace(place, at=place.at + 1)
        if after in places and after.connector(case) == connector:
            yield place.put(after.put(case), replace(connector, multi=True))
    for word, of_word in enumerate(case.disjuncts):
        for k, d in enumerate(of_word):
            for plainer in (replace(d, cost=0.0), replace(d, word=case.words[word])):
                yield _with(case, word, (*of_word[:k], plainer, *of_word[k + 1 :]))
    for place in places:
        connector = place.connector(case)
        yield place.put(case, replace(connector, multi=False))
        yield place.put(case, replace(connector, head=""))
        yield place.put(case, replace(connector, name=connector.base))
    names = sorted({place.connector(case).name for place in places})
    for name, other_name in permutations(names, 2):
        yield _with_names(case, {name: other_name})


def _with(case: LinkageCase, word: int, disjuncts: tuple[Disjunct, ...]) -> LinkageCase:
    return replace(case, disjuncts=(*case.disjuncts[:word], disjuncts, *case.disjuncts[word + 1 :]))


@dataclass(frozen=True, slots=True)
class _Place:
    """The place of a connector: its word, disjunct, side, and where it stands there."""

    word: int
    disjunct: int
    right: bool
    at: int

    def connector(self, case: LinkageCase) -> Connector:
        """Return the connector there."""
        disjunct = case.disjuncts[self.word][self.disjunct]
        return (disjunct.right if self.right else disjunct.left)[self.at]

    def put(self, case: LinkageCase, *connectors: Connector) -> LinkageCase:
        """Return the case with other connectors there, or none."""
        of_word = case.disjuncts[self.word]
        old = of_word[self.disjunct]
        side = old.right if self.right else old.left
        side = (*side[: self.at], *connectors, *side[self.at + 1 :])
        new = replace(old, right=side) if self.right else replace(old, left=side)
        return _with(case, self.word, (*of_word[: self.disjunct], new, *of_word[self.disjunct + 1 :]))


def _without_words(case: LinkageCase) -> Iterator[LinkageCase]:
    """Yield the case without one of its words: also without the connectors that are then without a partner."""
    for word in range(case.n if case.n > 2 else 0):
        words = case.words[:word] + case.words[word + 1 :]
        rest = LinkageCase(words, case.disjuncts[:word] + case.disjuncts[word + 1 :])
        yield _without_lonely(rest)
        yield rest


def _without_lonely(case: LinkageCase) -> LinkageCase:
    """Return the case without the connectors that no other word has a partner for."""
    has_partner = partnered(case.disjuncts)
    return _each(
        case,
        lambda word, d: replace(
            d,
            left=tuple(c for c in d.left if has_partner(word, c)),
            right=tuple(c for c in d.right if has_partner(word, c)),
        ),
    )


def _with_names(case: LinkageCase, names: Mapping[str, str]) -> LinkageCase:
    """Return the case with connectors renamed."""

    def renamed(side: tuple[Connector, ...]) -> tuple[Connector, ...]:
        return tuple(replace(c, name=names.get(c.name, c.name)) for c in side)

    return _each(case, lambda _, d: replace(d, left=renamed(d.left), right=renamed(d.right)))


def renamed(case: LinkageCase) -> LinkageCase:
    """Return the case with the words a, b, c ... and the connectors A, B ... in their order."""
    connectors = [c for of_word in case.disjuncts for d in of_word for c in d.left + d.right]
    letters: dict[str, str] = {}
    for connector in connectors:
        letters.setdefault(connector.base, ascii_lowercase[len(letters) % 26].upper())
    renamed = _with_names(case, {c.name: letters[c.base] + c.subscript for c in connectors})
    words = tuple(ascii_lowercase[: case.n]) if case.n <= 26 else case.words
    prefixed = _each(
        renamed, lambda word, d: replace(d, word=words[word] + d.word.removeprefix(case.words[word]))
    )
    return replace(prefixed, words=words)
