"""Rules over categories, lexicons, and what a rule grammar provides for one sentence.

A `Rule` has a category and a body, the symbols it is made of. In a dependency rule A(alpha * beta) one of
the symbols is `HEAD`, the place of the head word (GCW11, section 3.5); in a plain context-free rule none is.
A `Lexicon` gives words their categories, by form and by part of speech; a word of no category is an error,
since a sentence with it could only be rejected, mostly for a misspelling.
Schemata over either kind ask the same three things: the rules, the root categories, the categories of a word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Self

from schemata.errors import Diagnostic, GrammarError, did_you_mean
from schemata.grammars.drules import untagged
from schemata.grammars.relations import Relation, fields_alone, provided
from schemata.grammars.text import checked, nfc
from schemata.structures.graphs import reachable
from schemata.structures.sentence import Sentence

HEAD = "^"
"""The place of the head word in the body of a dependency rule."""

RESERVED = ("root", "*", HEAD)
"""Names that no category may have: items of a schema show the root and the head word under these."""

Body = tuple[str, ...]


@dataclass(frozen=True, slots=True, order=True)
class Rule:
    """A category and the symbols of its body, names in NFC.

    Raises
    ------
    UsageError : a name is empty or holds a line break.

    >>> str(Rule("S", ("N", HEAD, "N"))), str(Rule("S", ("NP", "VP"))), str(Rule("T", ()))
    ('S(N * N)', 'S -> NP VP', 'T -> ε')
    """

    lhs: str
    body: Body

    def __post_init__(self) -> None:
        object.__setattr__(self, "lhs", checked(self.lhs, "a category"))
        object.__setattr__(self, "body", tuple(checked(symbol, "a symbol") for symbol in self.body))

    def __str__(self) -> str:
        if HEAD in self.body:
            return f"{self.lhs}({' '.join('*' if s == HEAD else s for s in self.body)})"
        return f"{self.lhs} -> {' '.join(self.body) or 'ε'}"


@dataclass(frozen=True)
class RuleTable:
    """Rules in order, and the same rules by category. One table serves all sentences of a grammar.

    Parameters
    ----------
    rules : the rules, each once.
    """

    rules: tuple[Rule, ...]

    __getstate__ = fields_alone

    @cached_property
    def bodies_of(self) -> Mapping[str, tuple[Body, ...]]:
        """The bodies of each category's rules, in order."""
        bodies: dict[str, list[Body]] = {}
        for rule in self.rules:
            bodies.setdefault(rule.lhs, []).append(rule.body)
        return {lhs: tuple(listed) for lhs, listed in bodies.items()}

    @cached_property
    def pairs(self) -> AbstractSet[tuple[str, Body]]:
        """The rules as (category, body), to be tested for membership; iterates in order."""
        return {(rule.lhs, rule.body): None for rule in self.rules}.keys()

    @cached_property
    def relations(self) -> Mapping[str, Relation]:
        """The rules and their left corners (see `relations`)."""
        return provided(
            {
                "rule": {"ff": lambda: self.pairs},
                "left_corner": {
                    "bb": lambda category, whole: ((),) if category in self.corners_of(whole) else (),
                    "bf": lambda category: ((whole,) for whole in self.cornered_by(category)),
                    "fb": lambda whole: ((category,) for category in self.corners_of(whole)),
                },
            }
        )

    @cached_property
    def corners_of(self) -> Callable[[str], tuple[str, ...]]:
        """Gives a symbol and its left corners: first symbols of its rules, and theirs in turn; no head word."""

        @cache
        def corners_of(whole: str) -> tuple[str, ...]:
            bodies = self.bodies_of
            first = reachable([whole], lambda lhs: (b[0] for b in bodies.get(lhs, ()) if b and b[0] != HEAD))
            return tuple(sorted(first))

        return corners_of

    @cached_property
    def cornered_by(self) -> Callable[[str], tuple[str, ...]]:
        """Gives a symbol and every category that it is a left corner of."""
        return cache(
            lambda symbol: tuple(
                sorted({w for w in self.bodies_of if symbol in self.corners_of(w)} | {symbol})
            )
        )


@dataclass(frozen=True)
class RuleSentenceGrammar:
    """A rule grammar for one sentence of n words. Nothing is pruned: every rule is there.

    Parameters
    ----------
    n : the number of words.
    table : the grammar's rules.
    roots : the categories a whole sentence may be of: `*(S)`, or the start symbol.
    categories : the categories of each word 1..n.
    """

    n: int
    table: RuleTable
    roots: frozenset[str]
    categories: Mapping[int, frozenset[str]]

    __getstate__ = fields_alone

    @cached_property
    def relations(self) -> Mapping[str, Relation]:
        """The categories of words, the categories of a root, the rules and their left corners."""
        words = self.categories.items()
        own = provided(
            {
                "category": {"ff": lambda: ((word, name) for word, names in words for name in sorted(names))},
                "root": {"f": lambda: ((root,) for root in sorted(self.roots))},
            }
        )
        return {**self.table.relations, **own}

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules, in order."""
        return self.table.rules

    def categories_of(self, word: int) -> frozenset[str]:
        """Return the categories of a word; a position outside 1..n is of none."""
        return self.categories.get(word, frozenset())


Entry = tuple[str, str]
_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Lexicon:
    """Pairs (word form, category) and (part of speech, category), sorted, each once.

    Raises
    ------
    UsageError : a form, part of speech or category is empty or holds a line break.
    """

    words: tuple[Entry, ...] = ()
    tags: tuple[Entry, ...] = ()

    def __post_init__(self) -> None:
        for slot, what in (("words", "a word form"), ("tags", "a part of speech")):
            entries = {(checked(key, what), checked(c, "a category")) for key, c in getattr(self, slot)}
            object.__setattr__(self, slot, tuple(sorted(entries)))

    @classmethod
    def of(
        cls, words: Mapping[str, Iterable[str]] | None = None, tags: Mapping[str, Iterable[str]] | None = None
    ) -> Self:
        """Return a lexicon from the categories of each form and of each part of speech."""
        pairs = (
            ((key, category) for key, listed in (categories or {}).items() for category in listed)
            for categories in (words, tags)
        )
        return cls(*map(tuple, pairs))

    @cached_property
    def _by_word(self) -> Mapping[str, frozenset[str]]:
        return _by_key(self.words)

    @cached_property
    def _by_tag(self) -> Mapping[str, frozenset[str]]:
        return _by_key(self.tags)

    @property
    def categories(self) -> frozenset[str]:
        """The categories that some word may have."""
        return frozenset(category for _, category in (*self.words, *self.tags))

    def look_up(self, sentence: Sentence) -> dict[int, frozenset[str]]:
        """Return the categories of each word of a sentence.

        Raises
        ------
        GrammarError : some words have none; all of them are named. If the lexicon goes by parts of speech
            and the sentence has no tags, that is said instead.
        """
        tags = sentence.tags or ("",) * len(sentence)
        categories_of = {
            i: self._by_word.get(nfc(word), _NONE) | self._by_tag.get(nfc(tag), _NONE)
            for i, (word, tag) in enumerate(zip(sentence.words, tags, strict=True), start=1)
        }
        unknown = [i for i, categories in categories_of.items() if not categories]
        if unknown and self.tags and sentence.tags is None:
            raise GrammarError(untagged(sentence, self.tags[0][0]))
        if unknown:
            raise GrammarError(self._unknown(sentence, i) for i in unknown)
        return categories_of

    def _unknown(self, sentence: Sentence, position: int) -> Diagnostic:
        word = sentence.words[position - 1]
        hint = did_you_mean(word, self._by_word)
        tagged = ""
        if self.tags and sentence.tags is not None:
            tag = sentence.tags[position - 1]
            tagged = f", nor has its part of speech {tag}"
            hint = hint or did_you_mean(tag, self._by_tag)
        return Diagnostic(
            "unknown-word",
            f'word {position}, "{word}", has no category in the grammar{tagged}',
            expected="words that the grammar gives a category",
            hint=hint or f'give it one with a line such as: "{word}" : {min(self.categories, default="N")}',
        )


def _by_key(entries: Iterable[Entry]) -> dict[str, frozenset[str]]:
    listed: dict[str, set[str]] = {}
    for key, category in entries:
        listed.setdefault(key, set()).add(category)
    return {key: frozenset(categories) for key, categories in listed.items()}
