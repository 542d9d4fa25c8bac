"""Test cases for Link Grammar schemata: sentences with disjuncts for each word, all small ones and random ones.

A case is a sentence whose words are all different, so that it can be written as a dictionary. A case that
refutes a schema is shrunk until no smaller one refutes it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import permutations, product
from random import Random
from string import ascii_lowercase
from typing import Any, TypeAlias

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


Place: TypeAlias = tuple[int, int, bool, int]
"""The place of a connector: its word, disjunct, whether it is on the right, and where it stands there."""


def _places(case: LinkageCase) -> dict[Place, Connector]:
    """Return the connectors of a case by their places."""
    return {
        (word, k, right, at): connector
        for word, of_word in enumerate(case.disjuncts)
        for k, d in enumerate(of_word)
        for right in (True, False)
        for at, connector in enumerate(d.right if right else d.left)
    }


def _rewired(case: LinkageCase, changes: Mapping[Place, tuple[Connector, ...]]) -> LinkageCase:
    """Return the case with other connectors in some places, one, none or several in each."""

    def side(connectors: tuple[Connector, ...], *place: Any) -> tuple[Connector, ...]:
        return tuple(c for at, old in enumerate(connectors) for c in changes.get((*place, at), (old,)))

    disjuncts = (
        tuple(
            replace(d, left=side(d.left, word, k, False), right=side(d.right, word, k, True))
            for k, d in enumerate(of_word)
        )
        for word, of_word in enumerate(case.disjuncts)
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
    places = _places(case)
    for (one, connector), (other, partner) in product(places.items(), places.items()):
        facing = one[0] < other[0] and one[2] and not other[2]
        if facing and connectors_match(connector, partner):
            yield _rewired(case, {one: (), other: ()})
    yield from (_rewired(case, {place: ()}) for place in places)
    for place, connector in places.items():
        after = *place[:3], place[3] + 1
        if places.get(after) == connector:
            yield _rewired(case, {place: (replace(connector, multi=True),), after: ()})
    for word, of_word in enumerate(case.disjuncts):
        for k, d in enumerate(of_word):
            for plainer in (replace(d, cost=0.0), replace(d, word=case.words[word])):
                yield _with(case, word, (*of_word[:k], plainer, *of_word[k + 1 :]))
    for place, connector in places.items():
        for changes in ({"multi": False}, {"head": ""}, {"name": connector.base}):
            yield _rewired(case, {place: (replace(connector, **changes),)})
    for name, other_name in permutations(sorted({connector.name for connector in places.values()}), 2):
        yield _with_names(case, {name: other_name})


def _with(case: LinkageCase, word: int, disjuncts: tuple[Disjunct, ...]) -> LinkageCase:
    return replace(case, disjuncts=(*case.disjuncts[:word], disjuncts, *case.disjuncts[word + 1 :]))


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
    return _rewired(case, {place: () for place, c in _places(case).items() if not has_partner(place[0], c)})


def _with_names(case: LinkageCase, names: Mapping[str, str]) -> LinkageCase:
    """Return the case with connectors renamed."""
    places = _places(case).items()
    return _rewired(case, {place: (replace(c, name=names.get(c.name, c.name)),) for place, c in places})


def renamed(case: LinkageCase) -> LinkageCase:
    """Return the case with the words a, b, c ... and the connectors A, B ... in their order."""
    connectors = [c for of_word in case.disjuncts for d in of_word for c in d.left + d.right]
    letters: dict[str, str] = {}
    for connector in connectors:
        letters.setdefault(connector.base, ascii_lowercase[len(letters) % 26].upper())
    renamed = _with_names(case, {c.name: letters[c.base] + c.subscript for c in connectors})
    words = tuple(ascii_lowercase[: case.n]) if case.n <= 26 else case.words
    disjuncts = (
        tuple(replace(d, word=name + d.word.removeprefix(old)) for d in of_word)
        for name, old, of_word in zip(words, case.words, renamed.disjuncts, strict=True)
    )
    return LinkageCase(words, tuple(disjuncts))
