"""D-rule grammars: which word of a sentence may be a dependent of which.

`DRules` is a grammar for any sentence; for one sentence it returns `Licences`, the set of licensed links. It
licenses all links, those of a tree, given links, those of each sentence's gold tree, or those that a `DRuleSet`
allows: rules over parts of speech and word forms, read from a file.

A link is a pair (dependent, head) of positions. Dependents are words 1..n; heads are words or 0, the
artificial root. D-rules are those of GCW11, section 2, after Covington (1990), which writes ``(w_d, d) -> (w_h, h)``.

A schema may ask for the same by categories: which category a word is of, and whether words of one category
are licensed under words of another. Unless words that share a category are known to be interchangeable, each
word is a category of its own, so that both ways of asking always give the same answer.
"""

from __future__ import annotations

import operator
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from collections.abc import Set as AbstractSet
from functools import cached_property, lru_cache
from itertools import chain
from os import PathLike
from typing import Any, ClassVar, Literal, TypeVar, cast

from schemata.errors import Diagnostic, GrammarError, StructureError, UsageError, did_you_mean
from schemata.grammars.relations import Relation, fields_alone, provided
from schemata.grammars.text import GrammarText, checked, nfc, read_text
from schemata.kinds import D_RULES
from schemata.records import Record, ask, field, replace
from schemata.structures.graphs import DependencyTree
from schemata.structures.sentence import Sentence
from schemata.thresholds import WAYS
from schemata.wording import quantity

T = TypeVar("T", bound=Sized)


class Licences(Record, slots=False):
    """The licensed links of one sentence of n words.

    Parameters
    ----------
    n : the number of words.
    pairs : the licensed links as (dependent, head), dependent in 1..n, head in 0..n.
    single_root : whether trees are listed and counted only if one word alone hangs under 0. Licences do
        not depend on it.
    shared : the category of each word 1..n, where the licences do not distinguish words of one category (each other
        aside: no word is licensed under itself); by default each word has its own.
    weights : the weights of links in log space, where the grammar has any.
    warnings : words that no rule names.
    rules : where the grammar has weights, the rules and roots that license each link, first the one that gives it its
        weight.
    """

    n: int
    pairs: frozenset[tuple[int, int]]
    single_root: bool = False
    shared: tuple[str, ...] | None = None
    weights: Mapping[tuple[int, int], float] = field(default_factory=dict, hash=False)
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False, repr=False)
    rules: Mapping[tuple[int, int], tuple[Any, ...]] = field(default_factory=dict, compare=False, repr=False)

    __getstate__ = fields_alone

    @property
    def sources(self) -> Mapping[str, Mapping[tuple[int, int], Any]]:
        """By relation with weights, for each of its rows the owner of the weight: a rule or a pattern of a root."""
        return {"licensed": {pair: rules[0] for pair, rules in self.rules.items()}} if self.weights else {}

    @cached_property
    def relations(self) -> Mapping[str, Relation]:
        """Licences by position and by category, and the categories of words (see `relations`)."""
        ways: dict[str, dict[str, Callable[..., Any]]] = {
            "licensed": {
                "bb": lambda dependent, head: ((),) if (dependent, head) in self.pairs else (),
                "bf": lambda dependent: ((h,) for h in range(self.n + 1) if (dependent, h) in self.pairs),
                "fb": lambda head: ((d,) for d in range(1, self.n + 1) if (d, head) in self.pairs),
                "ff": lambda: sorted(self.pairs),
            },
            "licensed_categories": {"ff": lambda: sorted(self.category_pairs)},
            "category": {"ff": lambda: enumerate(self._names, start=1)},
        }
        return provided(ways, {"licensed": self._table})

    def _table(self) -> bytes:
        """Return whether word d may hang under node h, at d * (n + 1) + h."""
        if self.is_complete:
            return _table_of_all(self.n)
        table = bytearray((self.n + 1) ** 2)
        for dependent, head in self.pairs:
            table[dependent * (self.n + 1) + head] = 1
        return bytes(table)

    @property
    def _names(self) -> tuple[str, ...]:
        return self.shared or tuple(f"w{i}" for i in range(1, self.n + 1))

    @cached_property
    def categories(self) -> Mapping[int, tuple[str, ...]]:
        """The categories of each word 1..n, one each: ``w3`` for word 3 where it shares none."""
        return {i: (name,) for i, name in enumerate(self._names, start=1)}

    @cached_property
    def category_pairs(self) -> frozenset[tuple[str, str]]:
        """The categories (dependent, head) of which some word is licensed under some other."""
        names = self._names
        return frozenset((names[d - 1], names[h - 1]) for d, h in self.pairs if h)

    @property
    def is_complete(self) -> bool:
        """True if every link between different nodes is licensed, so that no licence need be tested."""
        return len(self.pairs) == self.n * self.n


@lru_cache(maxsize=8)
def _table_of_all(n: int) -> bytes:
    row = b"".join(bytes(dependent != head for head in range(n + 1)) for dependent in range(1, n + 1))
    return bytes(n + 1) + row


class _AllPairs(AbstractSet[tuple[int, int]]):
    """Every link between different nodes of a long sentence, without writing them down."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __contains__(self, link: object) -> bool:
        match link:
            case (int() as dependent, int() as head):
                return 1 <= dependent <= self.n and 0 <= head <= self.n and dependent != head
        return False

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return ((d, h) for d in range(1, self.n + 1) for h in range(self.n + 1) if d != h)

    def __len__(self) -> int:
        return self.n * self.n


def all_licences(n: int, single_root: bool = False) -> Licences:
    """Return the licences of n words that allow every word under every other word and under 0.

    Values are shared between sentences of one length: writing the pairs down costs more than a short parse.
    """
    return (_all_of_many if n > WAYS.kept_licences else _all_of_few)(n, single_root)


def _all(n: int, single_root: bool) -> Licences:
    pairs = cast("frozenset[tuple[int, int]]", _AllPairs(n))
    return Licences(n, pairs if n > WAYS.listed_words else frozenset(pairs), single_root)


_all_of_few = lru_cache(maxsize=128)(_all)
_all_of_many = lru_cache(maxsize=4)(_all)


class GoldLinks(Record):
    """Each sentence's own gold heads are licensed, and nothing else."""

    def __str__(self) -> str:
        return "the gold tree of each sentence"


class TreeLinks(Record):
    """The links of one tree, for sentences of its length."""

    tree: DependencyTree

    def __str__(self) -> str:
        return f"the tree {' '.join(map(str, self.tree.heads))}"


def tree_of(heads: Iterable[int]) -> DependencyTree:
    """Return the tree of the heads a user gave.

    Raises
    ------
    UsageError : they are not a tree.
    """
    try:
        return DependencyTree(tuple(map(operator.index, heads)))
    except StructureError as problem:
        raise UsageError(problem.diagnostics) from None
    except TypeError:
        raise UsageError(f"heads are whole numbers, one per word, not {heads!r}") from None


def gold_tree(sentence: Sentence) -> DependencyTree:
    """Return the gold tree of a sentence.

    Raises
    ------
    GrammarError : the sentence has no gold heads, or they are not a tree.
    """
    named = f" {sentence.name}" if sentence.name else ""
    if sentence.heads is None:
        message = f"the grammar is the gold tree of each sentence, but the sentence{named} has no gold heads"
        hint = "give a sentence of a treebank, or the heads themselves: heads:2,3,0"
        raise GrammarError(message, code="no-gold-heads", hint=hint)
    try:
        return DependencyTree(sentence.heads)
    except StructureError as problem:
        message = f"the gold heads of the sentence{named} are not a tree: {problem.diagnostics[0].message}"
        raise GrammarError(message, code="broken-gold-heads") from problem


def tree_of_length(tree: T, sentence: Sentence) -> T:
    """Return a tree, or the heads of one, if there are as many as the sentence has words.

    Raises
    ------
    GrammarError : there are more or fewer.
    """
    heads, n = len(tree), len(sentence)
    if heads == n:
        return tree
    message = f"this is a tree with {quantity(heads, 'head')}, but the sentence has {quantity(n, 'word')}"
    raise GrammarError(message, code="wrong-length", hint="give one head per word, 0 for the root")


KeptWeights = tuple[tuple[Any, float], ...]
"""Weights in log space: of rules, of the patterns of roots, of lexicon entries ("word", form, category) and ("tag",
part of speech, category), and of the roots of dependency rules ("root", category)."""


def kept(weights: Iterable[tuple[Any, float]]) -> KeptWeights:
    """Return weights in a fixed order, without those of 1."""
    return tuple(sorted(((key, weight) for key, weight in weights if weight), key=repr))


Side = Literal["left", "right", "either"]


class WordPattern(Record, order=True):
    """A condition on a word: it is of a part of speech, of a form, of both, or (both empty) anything."""

    tag: str = ""
    word: str = ""

    def __post_init__(self) -> None:
        for slot, what in (("tag", "a part of speech"), ("word", "a word form")):
            if text := getattr(self, slot):
                object.__setattr__(self, slot, checked(text, what))


ANY = WordPattern()


class DRule(Record):
    """A word matching `dependent` may hang under one matching `head`.

    Parameters
    ----------
    head, dependent : patterns of the two words.
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


class DRuleSet(Record):
    """A set of D-rules and the words that may hang under the artificial root, in a fixed order, and their weights.

    `weights` are in log space, of rules and of roots; others weigh 1.

    Two sets are equal if they hold the same rules, whatever the order they were given in.
    """

    rules: tuple[DRule, ...] = ()
    roots: tuple[WordPattern, ...] = ()
    weights: KeptWeights = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", kept(self.weights))
        object.__setattr__(self, "rules", tuple(sorted(set(self.rules), key=lambda rule: rule.sort_key)))
        object.__setattr__(self, "roots", tuple(sorted(set(self.roots))))

    def __str__(self) -> str:
        return f"{quantity(len(self.rules), 'rule')} and {quantity(len(self.roots), 'root')}"

    @property
    def patterns(self) -> Iterable[WordPattern]:
        """The patterns of the rules: those of root lines, then those of heads and dependents."""
        return chain(self.roots, *((rule.head, rule.dependent) for rule in self.rules))


def licensed_pairs(
    rules: DRuleSet, sentence: Sentence
) -> Mapping[tuple[int, int], tuple[DRule | WordPattern, ...]]:
    """Return the links (dependent, head) that a set of D-rules licenses in a sentence, each with the rules that do.

    The rule with the greatest weight, which is the link's, stands first.

    Raises
    ------
    GrammarError : a rule mentions a part of speech and the sentence has no tags.
    """
    matching = {pattern: _matches(pattern, sentence) for pattern in rules.patterns}
    weights = dict(rules.weights)
    pairs: dict[tuple[int, int], tuple[DRule | WordPattern, ...]] = {}

    def license(d: int, h: int, by: DRule | WordPattern) -> None:
        others = pairs.get((d, h), ())
        best = not others or weights.get(by, 0.0) > weights.get(others[0], 0.0)
        pairs[d, h] = (by, *others) if best else (*others, by)

    for pattern in rules.roots:
        for d in matching[pattern]:
            license(d, 0, pattern)
    for rule in rules.rules:
        dependents = matching[rule.dependent]
        reach = rule.within or len(sentence)
        low = 1 if rule.side == "right" else -reach
        high = -1 if rule.side == "left" else reach
        for h in matching[rule.head]:
            for d in dependents:
                if low <= d - h <= high and d != h:
                    license(d, h, rule)
    return pairs


def _without_links(
    rules: DRuleSet, sentence: Sentence, pairs: Iterable[tuple[int, int]]
) -> tuple[Diagnostic, ...]:
    """Return warnings of the words that no rule names; `pairs` are the links that rules license."""
    linked = {position for pair in pairs for position in pair}
    if len(linked - {0}) == len(sentence):
        return ()
    linked.update(position for pattern in rules.patterns for position in _matches(pattern, sentence))
    found = []
    for position, word in enumerate(sentence.words, start=1):
        if position not in linked:
            tag = f"/{sentence.tags[position - 1]}" if sentence.tags else ""
            message = f'no rule of the grammar is about word {position}, "{word}{tag}"'
            hint = did_you_mean(word, {pattern.word for pattern in rules.patterns if pattern.word}, '"')
            hint = hint or f'rules have lines such as: head "slept" takes "{word}", or root "{word}"'
            found.append(Diagnostic("unlinked-word", message, hint=hint, severity="warning"))
    return tuple(found)


def shared_categories(rules: DRuleSet, sentence: Sentence) -> tuple[str, ...] | None:
    """Return the parts of speech of a sentence where rules look at nothing else, else None.

    Then words of one part of speech are licensed under the same words. A side, a distance or a word form may
    distinguish them, and so each word has to be a category of its own there. The root lines do not matter: no
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


def unknown_words(findings: Iterable[Diagnostic], strict: bool) -> tuple[Diagnostic, ...]:
    """Return findings about words that a grammar does not know as warnings: a sentence with them is rejected.

    Raises
    ------
    GrammarError : there are some, and `strict` makes them errors.
    """
    found = tuple(replace(one, severity="error" if strict else "warning") for one in findings)
    if found and strict:
        raise GrammarError(found)
    return found


UNREAD = "unread-fact"
"""The code of warnings about facts that a schema does not read."""


def unread_among(warnings: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return those of a grammar's warnings that are about each sentence: of facts that its schema does not read."""
    return tuple(one for one in warnings if one.code == UNREAD)


def untagged(sentence: Sentence, tag: str) -> Diagnostic:
    """Return the finding that a grammar asks for parts of speech of a sentence that has none."""
    named = f" {sentence.name}" if sentence.name else ""
    example = f"{sentence.words[0]}/{tag}"
    message = f"the grammar mentions parts of speech ({tag}), but the sentence{named} has no tags"
    hint = f'word forms stand in quotes: "{tag}"; else ' if tag in sentence.words else ""
    hint += (
        f"give the words with their tags, {example} and so on, and say --tagged (in Python: tagged_sentence)"
    )
    hint += ", or run on a treebank with UPOS tags"
    return Diagnostic("untagged-sentence", message, None, "a sentence with one part of speech per word", hint)


class AllLinks(Record):
    """Every word may hang under every other word and under 0."""

    def __str__(self) -> str:
        return "all links"


class RandomLinks(Record):
    """Each link is licensed with the same probability, from 0 to 1; a sentence has the same links every time."""

    density: float
    seed: int = 0

    def __str__(self) -> str:
        return f"random links of density {self.density:g}"

    def of(self, sentence: Sentence) -> frozenset[tuple[int, int]]:
        """Return the links of a sentence, by its words."""
        chance = random.Random(f"{self.seed} {' '.join(sentence.words)}")
        n = len(sentence)
        pairs = ((d, h) for d in range(1, n + 1) for h in range(n + 1) if d != h)
        return frozenset(pair for pair in pairs if chance.random() < self.density)


class LinkSet(Record):
    """These links, as (dependent, head)."""

    pairs: frozenset[tuple[int, int]]

    def __str__(self) -> str:
        return quantity(len(self.pairs), "link")


class DRules(Record, repr=False):
    """A D-rule grammar; make one with `all`, `gold`, `from_heads`, `from_pairs`, `from_rules` or `read`.

    Parameters
    ----------
    basis : the licensed links.
    single_root : list and count only trees in which one word alone hangs under the artificial root. It
        restricts the trees, not the licences: a chart is the same with it and without.
    warnings : warnings about the file of the grammar; not part of its value.
    strict : words that no rule is about are an error, not a warning.

    References
    ----------
    GCW11, section 2; Covington (1990).

    >>> from schemata.structures.sentence import Sentence
    >>> sorted(DRules.from_heads((2, 0)).for_sentence(Sentence.of("dogs bark")).pairs)
    [(1, 2), (2, 0)]
    """

    kind: ClassVar = D_RULES

    basis: AllLinks | GoldLinks | TreeLinks | RandomLinks | LinkSet | DRuleSet
    single_root: bool = False
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False, repr=False)
    strict: bool = False

    def __repr__(self) -> str:
        return f"<DRules of {self.basis}{', single root' if self.single_root else ''}>"

    @classmethod
    def all(cls, single_root: bool = False) -> DRules:
        """Return the grammar that licenses any word under any other word and under 0."""
        return cls(AllLinks(), single_root)

    @classmethod
    def random(cls, density: float, seed: int = 0, single_root: bool = False) -> DRules:
        """Return the grammar that licenses each link with a probability; the same links for the same sentence.

        Raises
        ------
        UsageError : the density is not between 0 and 1.

        >>> len(DRules.random(0.5).for_sentence(Sentence.of("a b c d e")).pairs)
        9
        """
        if not 0 <= density <= 1:
            raise UsageError(f"a density is between 0 and 1, not {density:g}")
        return cls(RandomLinks(density, seed), single_root)

    @classmethod
    def gold(cls, single_root: bool = False) -> DRules:
        """Return the grammar that licenses exactly the gold heads of each sentence."""
        return cls(GoldLinks(), single_root)

    @classmethod
    def from_heads(cls, heads: Iterable[int], single_root: bool = False) -> DRules:
        """Return the grammar that licenses exactly the links of a tree.

        Parameters
        ----------
        heads : the head of each word, 0 for the artificial root.
        single_root : as for the class.

        Raises
        ------
        UsageError : the heads are not a tree: none, out of range, a word its own head, a cycle.

        >>> DRules.from_heads((2, 3, 1))
        Traceback (most recent call last):
        schemata.errors.UsageError: error: heads (2, 3, 1) have a cycle: 1 -> 2 -> 3 -> 1
        """
        return cls(TreeLinks(tree_of(heads)), single_root)

    @classmethod
    def from_pairs(cls, pairs: Iterable[tuple[int, int]], single_root: bool = False) -> DRules:
        """Return the grammar that licenses exactly some links.

        Parameters
        ----------
        pairs : the links as (dependent, head), 0 the artificial root. They need not make up a tree.
        single_root : as for the class.

        Raises
        ------
        UsageError : not a pair of whole numbers, a dependent below 1, a head below 0, a word under itself.
        """
        links = frozenset(map(_link, pairs))
        for d, h in sorted(links):
            if d < 1:
                raise UsageError(f"the link ({d}, {h}) has dependent {d}, but the words are 1, 2, ...")
            if h < 0:
                raise UsageError(f"the link ({d}, {h}) has head {h}, but heads are words or 0, the root")
            if d == h:
                raise UsageError(f"the link ({d}, {h}) makes word {d} its own head")
        return cls(LinkSet(links), single_root)

    @classmethod
    def from_rules(cls, rules: DRuleSet, single_root: bool = False) -> DRules:
        """Return the grammar of rules over parts of speech and word forms."""
        return cls(rules, single_root)

    @classmethod
    def read(cls, path: str | PathLike[str], single_root: bool = False) -> DRules:
        """Read a D-rule file.

        Parameters
        ----------
        path : the file, usually with suffix ``.drules``.
        single_root : as for the class.

        Raises
        ------
        GrammarError : the file cannot be read or holds mistakes; all of them are reported.
        """
        return cls.from_text(read_text(path), single_root=single_root)

    @classmethod
    def from_text(cls, text: str | GrammarText, file: str = "<text>", *, single_root: bool = False) -> DRules:
        """Return the grammar of D-rules in a text; `file` names it in messages.

        Raises
        ------
        GrammarError : the text holds mistakes; all of them are reported.

        >>> DRules.from_text('root "sat"\\nhead "sat" takes "cat" on the left')
        <DRules of 1 rule and 1 root>
        """
        rules, warnings = ask("parse_d_rules", text, file)
        return cls(rules, single_root, warnings)

    def for_sentence(self, sentence: Sentence) -> Licences:
        """Return the licensed links of a sentence.

        Raises
        ------
        GrammarError : the grammar does not fit the sentence: a tree of another length, a link beyond the
            last word, gold heads asked of a sentence without them, parts of speech of one without tags;
            where the grammar is strict, words that no rule is about.
        """
        n = len(sentence)
        match self.basis:
            case AllLinks():
                return all_licences(n, self.single_root)
            case TreeLinks(tree):
                pairs = frozenset(tree_of_length(tree, sentence).links)
            case RandomLinks():
                pairs = self.basis.of(sentence)
            case GoldLinks():
                pairs = frozenset(gold_tree(sentence).links)
            case LinkSet(pairs):
                for pair in sorted(pairs):
                    if max(pair) > n:
                        message = f"the grammar licenses the link {pair}, but the sentence has {n} words"
                        raise GrammarError(message)
            case DRuleSet():
                licensed, of_rule = licensed_pairs(self.basis, sentence), dict(self.basis.weights)
                by_rules = licensed if of_rule else {}
                weights = {pair: of_rule.get(rules[0], 0.0) for pair, rules in by_rules.items()}
                shared = shared_categories(self.basis, sentence)
                unlinked = unknown_words(_without_links(self.basis, sentence, licensed), self.strict)
                said = (*unread_among(self.warnings), *unlinked)
                return Licences(n, frozenset(licensed), self.single_root, shared, weights, said, by_rules)
        return Licences(n, pairs, self.single_root)


def _link(pair: tuple[int, int]) -> tuple[int, int]:
    try:
        d, h = map(operator.index, pair)
    except (TypeError, ValueError):
        raise UsageError(f"a link is a pair (dependent, head) of whole numbers, not {pair!r}") from None
    return d, h
