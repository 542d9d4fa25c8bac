"""Sentences with disjuncts for each word under which Link Grammar schemata are tested, and smaller ones.

A case is a sentence whose words are all different, so that it can be written as a dictionary. What makes a
schema wrong in one is looked for in smaller ones, until none of those shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from random import Random
from string import ascii_lowercase

from schemata.grammars.link_grammar.sequences import SentenceDisjuncts
from schemata.structures import Sentence
from schemata.structures.connectors import Connector, connectors_match
from schemata.structures.linkage_generation import random_disjuncts
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


def shrink(case: LinkageCase, fails: Callable[[LinkageCase], bool]) -> Iterator[LinkageCase]:
    """Yield smaller and smaller cases in which a schema still fails; the last one is smallest.

    Parameters
    ----------
    case : a case in which it fails.
    fails : tells whether it fails in a case.
    """
    while True:
        for smaller in map(_merged, _smaller(case)):
            if smaller.proper and smaller.key < case.key and fails(smaller):
                case = smaller
                yield case
                break
        else:
            break
    plain = _renamed(case)
    if plain != case and fails(plain):
        yield plain


def _merged(case: LinkageCase) -> LinkageCase:
    """Return the case as a dictionary is read: of disjuncts that differ in their cost alone, the cheapest."""
    merged = []
    for of_word in case.disjuncts:
        best: dict[tuple[object, ...], Disjunct] = {}
        for disjunct in sorted(of_word, key=lambda d: d.cost):
            best.setdefault((disjunct.word, disjunct.left, disjunct.right), disjunct)
        merged.append(tuple(d for d in of_word if d in best.values()))
    return replace(case, disjuncts=tuple(tuple(dict.fromkeys(of_word)) for of_word in merged))


def _smaller(case: LinkageCase) -> Iterator[LinkageCase]:
    """Yield cases that are a little smaller, those with much less first."""
    yield from _without_words(case)
    for word, of_word in enumerate(case.disjuncts):
        if len(of_word) > 1:
            yield from (_with(case, word, (disjunct,)) for disjunct in of_word)
            yield from (_with(case, word, of_word[:k] + of_word[k + 1 :]) for k in range(len(of_word)))
    yield from _without_connectors(case)
    for word, of_word in enumerate(case.disjuncts):
        for k, disjunct in enumerate(of_word):
            for plainer in _plainer(disjunct, case.words[word]):
                others = of_word[:k] + of_word[k + 1 :]
                yield _with(
                    case, word, others if plainer in others else (*of_word[:k], plainer, *of_word[k + 1 :])
                )
    names = sorted({c.name for of_word in case.disjuncts for d in of_word for c in d.left + d.right})
    for one, other in product(names, names):
        if one != other:
            yield _with_names(case, {one: other})


def _with(case: LinkageCase, word: int, disjuncts: tuple[Disjunct, ...]) -> LinkageCase:
    return replace(case, disjuncts=(*case.disjuncts[:word], disjuncts, *case.disjuncts[word + 1 :]))


def _without_words(case: LinkageCase) -> Iterator[LinkageCase]:
    """Yield the case without one of its words: also without the connectors that are then without a partner."""
    if case.n <= 2:
        return
    for word in range(case.n):
        words = case.words[:word] + case.words[word + 1 :]
        rest = LinkageCase(words, case.disjuncts[:word] + case.disjuncts[word + 1 :])
        yield _without_lonely(rest)
        yield rest


def _without_lonely(case: LinkageCase) -> LinkageCase:
    """Return the case without the connectors that no other word has a partner for."""
    rights = [{c for d in of_word for c in d.right} for of_word in case.disjuncts]
    lefts = [{c for d in of_word for c in d.left} for of_word in case.disjuncts]

    def kept(connectors: tuple[Connector, ...], others: list[set[Connector]]) -> tuple[Connector, ...]:
        return tuple(c for c in connectors if any(connectors_match(c, o) for some in others for o in some))

    return replace(
        case,
        disjuncts=tuple(
            tuple(
                dict.fromkeys(
                    replace(d, left=kept(d.left, rights[:word]), right=kept(d.right, lefts[word + 1 :]))
                    for d in of_word
                )
            )
            for word, of_word in enumerate(case.disjuncts)
        ),
    )


def _without_connectors(case: LinkageCase) -> Iterator[LinkageCase]:
    """Yield the case without two connectors that match, then without single ones."""
    places = [
        (word, k, right, at)
        for word, of_word in enumerate(case.disjuncts)
        for k, d in enumerate(of_word)
        for right in (True, False)
        for at in range(len(d.right if right else d.left))
    ]
    for one, other in product(places, places):
        facing = one[0] < other[0] and one[2] and not other[2]
        if facing and connectors_match(_connector(case, one), _connector(case, other)):
            yield _without(_without(case, one), other)
    for place in places:
        yield _without(case, place)


Place = tuple[int, int, bool, int]


def _connector(case: LinkageCase, place: Place) -> Connector:
    word, k, right, at = place
    disjunct = case.disjuncts[word][k]
    return (disjunct.right if right else disjunct.left)[at]


def _without(case: LinkageCase, place: Place) -> LinkageCase:
    word, k, right, at = place
    of_word = case.disjuncts[word]
    side = of_word[k].right if right else of_word[k].left
    rest = side[:at] + side[at + 1 :]
    changed = replace(of_word[k], right=rest) if right else replace(of_word[k], left=rest)
    return _with(case, word, (*of_word[:k], changed, *of_word[k + 1 :]))


def _plainer(disjunct: Disjunct, word: str) -> Iterator[Disjunct]:
    """Yield the disjunct without a cost, a subscript, a prefix or an @."""
    if disjunct.cost:
        yield replace(disjunct, cost=0.0)
    if disjunct.word != word:
        yield replace(disjunct, word=word)
    for right, side in ((True, disjunct.right), (False, disjunct.left)):
        for at, connector in enumerate(side):
            for plainer in (
                replace(connector, multi=False),
                replace(connector, head=""),
                replace(connector, name=connector.base),
            ):
                if plainer != connector:
                    changed = (*side[:at], plainer, *side[at + 1 :])
                    yield replace(disjunct, right=changed) if right else replace(disjunct, left=changed)


def _with_names(case: LinkageCase, names: dict[str, str]) -> LinkageCase:
    """Return the case with connectors renamed."""

    def renamed(side: tuple[Connector, ...]) -> tuple[Connector, ...]:
        return tuple(replace(c, name=names.get(c.name, c.name)) for c in side)

    return replace(
        case,
        disjuncts=tuple(
            tuple(dict.fromkeys(replace(d, left=renamed(d.left), right=renamed(d.right)) for d in of_word))
            for of_word in case.disjuncts
        ),
    )


def _renamed(case: LinkageCase) -> LinkageCase:
    """Return the case with the words a, b, c ... and the connectors A, B ... in their order."""
    names: dict[str, str] = {}
    for of_word in case.disjuncts:
        for d in of_word:
            for c in d.left + d.right:
                names.setdefault(c.base, ascii_lowercase[len(names) % 26].upper())
    words = tuple(ascii_lowercase[: case.n]) if case.n <= 26 else case.words
    by_name = {
        c.name: names[c.base] + c.subscript
        for of_word in case.disjuncts
        for d in of_word
        for c in d.left + d.right
    }
    renamed = _with_names(case, by_name)
    disjuncts = (
        tuple(replace(d, word=new + d.word.removeprefix(old)) for d in of_word)
        for old, new, of_word in zip(case.words, words, renamed.disjuncts, strict=True)
    )
    return LinkageCase(words, tuple(disjuncts))
