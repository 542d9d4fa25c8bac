"""D-rules for any sentence: which words may hang under which, said by parts of speech and word forms.

A `DRule` names a head, a dependent, the side of the head the dependent stands on and how far away it may
be; a `DRuleSet` holds such rules together with the words that may hang under the artificial root. It gives
the licensed links of a sentence.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from schemata.errors import Diagnostic, GrammarError, UsageError
from schemata.grammars.names import checked, nfc
from schemata.structures.sentence import Sentence

__all__ = ["ANY", "DRule", "DRuleSet", "Side", "WordPattern", "licensed_pairs", "shared_categories"]

Side = Literal["left", "right", "either"]


@dataclass(frozen=True, slots=True, order=True)
class WordPattern:
    """What a word must be: of a part of speech, of a form, of both, or (both empty) anything."""

    tag: str = ""
    word: str = ""

    def __post_init__(self) -> None:
        for slot, what in (("tag", "a part of speech"), ("word", "a word form")):
            if text := getattr(self, slot):
                object.__setattr__(self, slot, checked(text, what))


ANY = WordPattern()


@dataclass(frozen=True, slots=True)
class DRule:
    """A word matching `dependent` may hang under one matching `head`.

    Parameters
    ----------
    head, dependent : what the two words must be.
    side : the side of the head on which the dependent stands.
    within : the greatest distance between the two (1: they are neighbours), or None for any.

    Raises
    ------
    UsageError : within < 1.
    """

    head: WordPattern
    dependent: WordPattern
    side: Side = "either"
    within: int | None = None

    def __post_init__(self) -> None:
        if self.within is not None and self.within < 1:
            raise UsageError(f"two words are at least 1 apart: within {self.within} licenses nothing")

    @property
    def sort_key(self) -> tuple[WordPattern, str, WordPattern, int]:
        """The order in which rules are held and written: by head, side, dependent, distance."""
        return self.head, self.side, self.dependent, self.within or 0


@dataclass(frozen=True, slots=True)
class DRuleSet:
    """A set of D-rules and the words that may hang under the artificial root, in a fixed order.

    Two sets are equal if they hold the same rules, whatever the order they were given in.
    """

    rules: tuple[DRule, ...] = ()
    roots: tuple[WordPattern, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", tuple(sorted(set(self.rules), key=lambda rule: rule.sort_key)))
        object.__setattr__(self, "roots", tuple(sorted(set(self.roots))))

    @property
    def patterns(self) -> Iterable[WordPattern]:
        """What the rules say about words: the root lines' patterns, then heads and dependents."""
        return chain(self.roots, *((rule.head, rule.dependent) for rule in self.rules))


def licensed_pairs(rules: DRuleSet, sentence: Sentence) -> frozenset[tuple[int, int]]:
    """Return the links (dependent, head) that a set of D-rules licenses in a sentence.

    Raises
    ------
    GrammarError : a rule mentions a part of speech and the sentence has no tags.
    """
    matching = {pattern: _matches(pattern, sentence) for pattern in rules.patterns}
    pairs = {(d, 0) for pattern in rules.roots for d in matching[pattern]}
    for rule in rules.rules:
        dependents = matching[rule.dependent]
        reach = rule.within or len(sentence)
        low = 1 if rule.side == "right" else -reach
        high = -1 if rule.side == "left" else reach
        for h in matching[rule.head]:
            pairs.update((d, h) for d in dependents if low <= d - h <= high and d != h)
    return frozenset(pairs)


def shared_categories(rules: DRuleSet, sentence: Sentence) -> tuple[str, ...] | None:
    """Return the parts of speech of a sentence where rules look at nothing else, else None.

    Then words of one part of speech are licensed under the same words. A side, a distance or a word form may
    tell them apart, and so each word has to be a category of its own there. The root lines do not matter: no
    category is ever licensed under the root.

    >>> noun, verb = WordPattern("N"), WordPattern("V")
    >>> sentence = Sentence(("dogs", "see", "cats"), ("N", "V", "N"))
    >>> shared_categories(DRuleSet((DRule(verb, noun),)), sentence)
    ('N', 'V', 'N')
    >>> shared_categories(DRuleSet((DRule(verb, noun, "left"),)), sentence)
    """
    plain = all(
        rule.side == "either" and rule.within is None and not rule.head.word and not rule.dependent.word
        for rule in rules.rules
    )
    return tuple(nfc(tag) for tag in sentence.tags) if plain and sentence.tags is not None else None


def _matches(pattern: WordPattern, sentence: Sentence) -> tuple[int, ...]:
    """Return the words of a sentence that a pattern matches."""
    positions: Iterable[int] = range(1, len(sentence) + 1)
    if pattern.tag:
        if sentence.tags is None:
            raise GrammarError(untagged(sentence, pattern.tag))
        tags = sentence.tags
        positions = [i for i in positions if nfc(tags[i - 1]) == pattern.tag]
    if pattern.word:
        positions = [i for i in positions if nfc(sentence.words[i - 1]) == pattern.word]
    return tuple(positions)


def untagged(sentence: Sentence, tag: str) -> Diagnostic:
    """Return the finding that a grammar asks for parts of speech of a sentence that has none."""
    named = f" {sentence.name}" if sentence.name else ""
    example = f"{sentence.words[0]}/{tag}"
    return Diagnostic(
        "untagged-sentence",
        f"the grammar mentions parts of speech ({tag}), but the sentence{named} has no tags",
        expected="a sentence with one part of speech per word",
        hint=f"give the words with their tags, {example} and so on, and say --tagged "
        "(in Python: tagged_sentence), or run on a treebank with UPOS tags",
    )
