"""Rules over categories, lexicons, and the rules, roots and categories that a grammar provides for one sentence.

A `Rule` has a category and a body, the symbols it is made of. In a dependency rule A(alpha * beta) one of the
symbols is `HEAD`, the place of the head word (GCW11, section 3.5); in a plain context-free rule none is. A
`Lexicon` gives words their categories, by form and by part of speech. A sentence with a word of no category is
rejected, mostly for a misspelling, and so there is a warning. Schemata over either kind use the same
three relations: the rules, the root categories, the categories of a word.

In `DependencyRules` a word of category A takes dependents of the categories alpha on its left and beta on its
right, in this order, where there is a rule A(alpha * beta); `*(S)` says that S may be the root. An analysis of
a sentence is a tree and the rule of every word (GCW11, section 3.5).

In a `ContextFreeGrammar`, for the textbook schemata, a rule whose right-hand side is one terminal is a lexicon entry,
so that a category is a word's in one way only. A terminal within a longer rule is a symbol of its own, written in
double quotes; the word it names is of that category.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cache, cached_property
from os import PathLike
from typing import Any, ClassVar, Self

from schemata.errors import Diagnostic, GrammarError, UsageError, did_you_mean
from schemata.grammars.drules import (
    GoldLinks,
    KeptWeights,
    TreeLinks,
    gold_tree,
    kept,
    tree_of,
    tree_of_length,
    unknown_words,
    unread_among,
    untagged,
)
from schemata.grammars.relations import Relation, fields_alone, provided
from schemata.grammars.text import GrammarText, begins_as_weight, checked, is_bare, nfc, read_text
from schemata.grouping import grouped, reachable
from schemata.kinds import CONTEXT_FREE, DEPENDENCY_RULES
from schemata.language.model import is_terminal, word_of
from schemata.records import Record, ask, field
from schemata.structures.graphs import DependencyTree
from schemata.structures.sentence import Sentence
from schemata.wording import quantity

HEAD = "^"
"""The place of the head word in the body of a dependency rule."""

RESERVED = ("root", "*", HEAD)
"""Names that no category may have: items of a schema show the root and the head word under these."""

Body = tuple[str, ...]


class Rule(Record, order=True):
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


class RuleTable(Record, slots=False):
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
        return {lhs: tuple(listed) for lhs, listed in grouped((r.lhs, r.body) for r in self.rules).items()}

    @cached_property
    def pairs(self) -> AbstractSet[tuple[str, Body]]:
        """The rules as (category, body), to be tested for membership; iterates in order."""
        return {(rule.lhs, rule.body): None for rule in self.rules}.keys()

    @cached_property
    def relations(self) -> Mapping[str, Relation]:
        """The rules and their left corners (see `relations`)."""
        corners: Mapping[str, Callable[..., Any]] = {
            "bb": lambda category, whole: ((),) if category in self.corners_of(whole) else (),
            "bf": self._cornered_by,
            "fb": lambda whole: ((category,) for category in self.corners_of(whole)),
        }
        return provided({"rule": {"ff": lambda: self.pairs}, "left_corner": corners})

    @cached_property
    def corners_of(self) -> Callable[[str], tuple[str, ...]]:
        """Gives a symbol and its left corners: first symbols of its rules, and theirs in turn; no head word."""

        @cache
        def corners_of(whole: str) -> tuple[str, ...]:
            bodies = self.bodies_of
            first = reachable([whole], lambda lhs: (b[0] for b in bodies.get(lhs, ()) if b and b[0] != HEAD))
            return tuple(sorted(first))

        return corners_of

    def _cornered_by(self, symbol: str) -> Iterator[tuple[str]]:
        """Yield every category that a symbol is a left corner of, itself among them."""
        found = {whole for whole in self.bodies_of if symbol in self.corners_of(whole)}
        return ((whole,) for whole in sorted(found | {symbol}))


class RuleSentenceGrammar(Record, slots=False):
    """A rule grammar for one sentence of n words. Nothing is pruned: every rule is there.

    Parameters
    ----------
    n : the number of words.
    table : the grammar's rules.
    roots : the categories a whole sentence may be of: `*(S)`, or the start symbol.
    categories : the categories of each word 1..n.
    weights : by relation the weights of its rows in log space; rows without one weigh 1.
    warnings : facts that the schema does not read, and words of no category.
    sources : by relation with weights, the key of the weight of each row, as in `KeptWeights`.
    """

    n: int
    table: RuleTable
    roots: frozenset[str]
    categories: Mapping[int, frozenset[str]]
    weights: Mapping[str, Mapping[tuple[Any, ...], float]] = field(default_factory=dict, hash=False)
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False, repr=False)
    sources: Mapping[str, Mapping[tuple[Any, ...], Any]] = field(
        default_factory=dict, compare=False, repr=False
    )

    __getstate__ = fields_alone

    @cached_property
    def relations(self) -> Mapping[str, Relation]:
        """The categories of words, the categories of a root, the rules and their left corners."""
        words = self.categories.items()
        category = {"ff": lambda: ((word, name) for word, names in words for name in sorted(names))}
        root = {"f": lambda: ((root,) for root in sorted(self.roots))}
        return {**self.table.relations, **provided({"category": category, "root": root})}

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules, in order."""
        return self.table.rules

    def categories_of(self, word: int) -> frozenset[str]:
        """Return the categories of a word; a position outside 1..n is of none."""
        return self.categories.get(word, frozenset())


Entry = tuple[str, str]
_NONE: frozenset[str] = frozenset()


class Lexicon(Record, slots=False):
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
    def _by_key(self) -> list[Mapping[str, frozenset[str]]]:
        """The categories of each word form, and of each part of speech."""
        entries = map(grouped, (self.words, self.tags))
        return [{key: frozenset(categories) for key, categories in one.items()} for one in entries]

    @property
    def categories(self) -> frozenset[str]:
        """The categories that some word may have."""
        return frozenset(category for _, category in (*self.words, *self.tags))

    def look_up(
        self, sentence: Sentence, strict: bool = True
    ) -> tuple[dict[int, frozenset[str]], tuple[Diagnostic, ...]]:
        """Return the categories of each word of a sentence, and warnings of the words that have none.

        Raises
        ------
        GrammarError : some words have none, and `strict` makes that an error; all of them are named. If the lexicon
            has only parts of speech and the sentence has no tags, that is the only message.
        """
        tokens = list(zip(sentence.words, sentence.tags or ("",) * len(sentence), strict=True))
        of_word, of_tag = self._by_key
        known = {(w, tag): of_word.get(nfc(w), _NONE) | of_tag.get(nfc(tag), _NONE) for w, tag in set(tokens)}
        categories_of = {i: known[token] for i, token in enumerate(tokens, start=1)}
        unknown = [i for i, categories in categories_of.items() if not categories]
        asked = [untagged(sentence, self.tags[0][0])] if unknown and self.tags and not sentence.tags else []
        named = [self._unknown(sentence, i) for i in unknown] if self.words or not asked else []
        if asked:
            raise GrammarError([*named, *asked])
        return categories_of, unknown_words(named, strict)

    def entries_in(self, sentence: Sentence) -> dict[tuple[int, str], tuple[str, str, str]]:
        """Return the entries of the categories of words; that of a word form goes before that of a part of speech."""
        of_word, of_tag = self._by_key
        found: dict[tuple[int, str], tuple[str, str, str]] = {}
        for i, word in enumerate(sentence.words, start=1):
            tag = sentence.tags[i - 1] if sentence.tags else ""
            for kind, key, known in (("tag", nfc(tag), of_tag), ("word", nfc(word), of_word)):
                for category in known.get(key, _NONE):
                    found[i, category] = kind, key, category
        return found

    def _unknown(self, sentence: Sentence, position: int) -> Diagnostic:
        word = sentence.words[position - 1]
        of_word, of_tag = self._by_key
        hint = did_you_mean(word, of_word, '"')
        tagged = ""
        if self.tags and sentence.tags is not None:
            tag = sentence.tags[position - 1]
            tagged = f", nor has its part of speech {tag}"
            hint = hint or did_you_mean(tag, of_tag)
        message = f'word {position}, "{word}", has no category in the grammar{tagged}'
        expected = "words that the grammar gives a category"
        hint = hint or f'give it one with a line such as: "{word}" : {min(self.categories, default="N")}'
        return Diagnostic("unknown-word", message, None, expected, hint)


# Dependency rules ---------------------------------------------------------------------------------------------------


class RuleSet(Record, slots=False):
    """Dependency rules with their lexicon, root categories and weights, in a fixed order.

    Raises
    ------
    UsageError : a rule without exactly one head word, or a category with a reserved name.
    """

    rules: tuple[Rule, ...]
    roots: frozenset[str]
    lexicon: Lexicon
    weights: KeptWeights = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", kept(self.weights))
        object.__setattr__(self, "rules", tuple(sorted(set(self.rules))))
        object.__setattr__(self, "roots", frozenset(checked(root, "a category") for root in self.roots))
        for rule in self.rules:
            if rule.body.count(HEAD) != 1:
                raise UsageError(f"the rule {rule} has {rule.body.count(HEAD)} head words, not 1")
        dependents = {symbol for rule in self.rules for symbol in rule.body} - {HEAD}
        used = dependents | {rule.lhs for rule in self.rules} | self.roots | self.lexicon.categories
        for name in RESERVED:
            if name in used:
                raise UsageError(f"a category cannot be called {name}")

    def __str__(self) -> str:
        return f"{quantity(len(self.rules), 'rule')} for {quantity(len(self.lexicon.words), 'word')}"

    @cached_property
    def table(self) -> RuleTable:
        """The rules by category."""
        return RuleTable(self.rules)


class DependencyRules(Record, repr=False):
    """A dependency rule grammar; make one with `of`, `from_heads`, `gold` or `read`.

    Parameters
    ----------
    basis : a set of rules, a tree, or the gold tree of each sentence.
    warnings : warnings about the file of the grammar; not part of its value.
    strict : words of no category are an error, not a warning.

    References
    ----------
    GCW11, section 3.5.

    >>> from schemata.structures.sentence import Sentence
    >>> grammar = DependencyRules.of({"S(N *)", "N(*)"}, roots={"S"}, words={"dogs": {"N"}, "bark": {"S"}})
    >>> sorted(grammar.for_sentence(Sentence.of("dogs bark")).categories_of(2))
    ['S']
    """

    kind: ClassVar = DEPENDENCY_RULES

    basis: RuleSet | TreeLinks | GoldLinks
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False, repr=False)
    strict: bool = False

    def __repr__(self) -> str:
        return f"<DependencyRules of {self.basis}>"

    @classmethod
    def of(
        cls,
        rules: Iterable[Rule | str],
        roots: Iterable[str],
        words: Mapping[str, Iterable[str]] | None = None,
        tags: Mapping[str, Iterable[str]] | None = None,
    ) -> DependencyRules:
        """Return a grammar from its parts.

        Parameters
        ----------
        rules : rules, or strings such as ``S(N * N)``.
        roots : the categories of a root.
        words, tags : the categories of each word form, and of each part of speech.

        Raises
        ------
        UsageError : a rule without exactly one ``*``, a name that is empty or reserved.
        """
        parsed = tuple(_rule(rule) if isinstance(rule, str) else rule for rule in rules)
        return cls(RuleSet(parsed, frozenset(roots), Lexicon.of(words, tags)))

    @classmethod
    def from_heads(cls, heads: Iterable[int]) -> DependencyRules:
        """Return the grammar of one tree: each word its own category, with the rule the tree gives it.

        Raises
        ------
        UsageError : the heads are not a tree.

        >>> from schemata.structures.sentence import Sentence
        >>> [str(rule) for rule in DependencyRules.from_heads((2, 0)).for_sentence(Sentence.of("a b")).rules]
        ['w1(*)', 'w2(w1 *)']
        """
        return cls(TreeLinks(tree_of(heads)))

    @classmethod
    def gold(cls) -> DependencyRules:
        """Return the grammar that gives each sentence the rules of its own gold tree."""
        return cls(GoldLinks())

    @classmethod
    def read(cls, path: str | PathLike[str]) -> DependencyRules:
        """Read a dependency rule file, usually with suffix ``.deprules``.

        Raises
        ------
        GrammarError : the file cannot be read or holds mistakes; all of them are reported.
        """
        return cls.from_text(read_text(path))

    @classmethod
    def from_text(cls, text: str | GrammarText, file: str = "<text>") -> DependencyRules:
        """Return the grammar of dependency rules in a text; `file` names it in messages.

        Raises
        ------
        GrammarError : the text holds mistakes; all of them are reported.
        """
        rules, warnings = ask("parse_dependency_rules", text, file)
        return cls(rules, warnings)

    def for_sentence(self, sentence: Sentence) -> RuleSentenceGrammar:
        """Return the rules, root categories and categories of words for a sentence.

        Raises
        ------
        GrammarError : a tree of another length, gold heads asked of a sentence without them, parts of speech of
            one without tags; where the grammar is strict, words of no category.
        """
        match self.basis:
            case RuleSet(_, roots, lexicon, weights):
                words, unknown = lexicon.look_up(sentence, self.strict)
                said = (*unread_among(self.warnings), *unknown)
                sources = relation_sources(sentence, self.basis.table, lexicon, weights)
                found = relation_weights(sources, weights)
                return RuleSentenceGrammar(
                    len(sentence), self.basis.table, roots, words, found, said, sources
                )
            case TreeLinks(tree):
                return tree_grammar(tree_of_length(tree, sentence))
            case GoldLinks():
                return tree_grammar(gold_tree(sentence))


def relation_sources(
    sentence: Sentence, table: RuleTable, lexicon: Lexicon, weights: KeptWeights
) -> Mapping[str, Mapping[tuple[Any, ...], Any]]:
    """Return the owners of the weights of rules, of words' categories and of roots by relation; empty if all
    weigh 1.
    """
    if not weights:
        return {}
    roots = {(key[1],): key for key, _ in weights if isinstance(key, tuple) and key[0] == "root"}
    of_roots = {"root": roots} if roots else {}
    rules = {(rule.lhs, rule.body): rule for rule in table.rules}
    return {"rule": rules, "category": lexicon.entries_in(sentence), **of_roots}


def relation_weights(
    sources: Mapping[str, Mapping[tuple[Any, ...], Any]], weights: KeptWeights
) -> Mapping[str, Mapping[tuple[Any, ...], float]]:
    """Return the weights of rows from the owners of the weights."""
    of = dict(weights)
    return {name: {row: of.get(key, 0.0) for row, key in rows.items()} for name, rows in sources.items()}


def tree_grammar(tree: DependencyTree) -> RuleSentenceGrammar:
    """Return the grammar whose only analysis is a tree: word i is of category ``wi`` and has one rule.

    The root is a single word in all schemata over dependency rules: a tree with more roots has no analysis.
    """
    n = len(tree)
    rules = []
    for h in range(1, n + 1):
        dependents = tree.dependents(h)
        left = [f"w{d}" for d in dependents if d < h]
        rules.append(Rule(f"w{h}", (*left, HEAD, *(f"w{d}" for d in dependents if d > h))))
    categories = {i: frozenset((f"w{i}",)) for i in range(1, n + 1)}
    return RuleSentenceGrammar(n, RuleTable(tuple(rules)), frozenset(f"w{d}" for d in tree.roots), categories)


def _rule(text: str) -> Rule:
    """Return a rule from a string such as ``S(N * N)``."""
    lhs, opened, rest = text.partition("(")
    body, closed, after = rest.rpartition(")")
    if not (opened and closed) or after.strip():
        raise UsageError(f"a dependency rule is written S(N * N), not {text}")
    return Rule(lhs.strip(), tuple(HEAD if symbol == "*" else symbol for symbol in body.split()))


# Context-free grammars ----------------------------------------------------------------------------------------------

MARKS = ("->", "→", "|", ":", ",")
"""The punctuation of ``.cfg`` files; no category holds it."""


def is_category(name: str) -> bool:
    """Whether a text may be the name of a category of a context-free grammar.

    >>> is_category("VP"), is_category("root"), is_category('"dogs"')
    (True, False, False)
    """
    return is_bare(name, MARKS) and name not in ("ε", *RESERVED)


class ContextFreeGrammar(Record, repr=False, slots=False):
    """A context-free grammar; make one with `of` or `read`.

    Parameters
    ----------
    rules : the rules. A terminal in a body is its word in double quotes, as `terminal` writes it.
    start : the start symbol.
    lexicon : the categories of words; it holds the rules whose body is one terminal.
    warnings : warnings about the file of the grammar; not part of its value.
    weights : weights of rules and of lexicon entries, as in `KeptWeights`; others weigh 1.
    strict : words of no category are an error, not a warning.

    Raises
    ------
    UsageError : a category that could not stand in a file, a terminal on the left of a rule, a body in which a category
        would be read as a weight, such as `[` before `0`; two weights of one rule.

    >>> from schemata.structures.sentence import Sentence
    >>> grammar = ContextFreeGrammar.of([("S", ("NP", "V")), ("NP", ('"dogs"',))], "S", words={"bark": ["V"]})
    >>> sentence_grammar = grammar.for_sentence(Sentence.of("dogs bark"))
    >>> sentence_grammar.categories_of(1), [str(rule) for rule in sentence_grammar.rules]
    (frozenset({'NP'}), ['S -> NP V'])
    """

    kind: ClassVar = CONTEXT_FREE

    rules: tuple[Rule, ...]
    start: str
    lexicon: Lexicon = field(default_factory=Lexicon)
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False, repr=False)
    weights: KeptWeights = ()
    strict: bool = False

    def __repr__(self) -> str:
        counts = f"{quantity(len(self.rules), 'rule')} for {quantity(len(self.lexicon.words), 'word')}"
        return f"<ContextFreeGrammar of {counts}, start {self.start}>"

    def __post_init__(self) -> None:
        longer, entries = set(), list(self.lexicon.words)
        weights = dict(self.weights)
        for rule in self.rules:
            if len(rule.body) == 1 and is_terminal(rule.body[0]):
                entries.append((word_of(rule.body[0]), rule.lhs))
                if rule in weights:
                    entry, weight = ("word", *entries[-1]), weights.pop(rule)
                    if weights.setdefault(entry, weight) != weight:
                        raise UsageError(f"{rule} has two weights", expected="one weight for each rule")
            else:
                longer.add(rule)
        rules = tuple(sorted(longer))
        lexicon = Lexicon(tuple(entries), self.lexicon.tags)
        symbols = {symbol for rule in rules for symbol in rule.body if not is_terminal(symbol)}
        start = checked(self.start, "a category")
        for category in symbols | {rule.lhs for rule in rules} | {start} | lexicon.categories:
            if not is_category(category):
                raise UsageError(f"a category cannot be called {category}")
        for rule in rules:
            for symbol, after in zip(rule.body, (*rule.body, "")[1:], strict=True):
                written = word_of(after) if is_terminal(after) else after
                if begins_as_weight(symbol, written):
                    hint = "the category needs another name"
                    raise UsageError(f"in {rule}, {symbol} would be read as a weight", hint=hint)
        object.__setattr__(self, "rules", rules)
        object.__setattr__(self, "start", start)
        object.__setattr__(self, "lexicon", lexicon)
        object.__setattr__(self, "weights", kept(weights.items()))

    @cached_property
    def table(self) -> RuleTable:
        """The rules by category."""
        return RuleTable(self.rules)

    @cached_property
    def full_lexicon(self) -> Lexicon:
        """The lexicon with the terminals of rules, each of which is a category of its word."""
        terminals = {symbol for rule in self.rules for symbol in rule.body if is_terminal(symbol)}
        words = (*self.lexicon.words, *((word_of(symbol), symbol) for symbol in terminals))
        return Lexicon(words, self.lexicon.tags)

    @classmethod
    def of(
        cls,
        rules: Iterable[tuple[str, Iterable[str]]],
        start: str,
        words: Mapping[str, Iterable[str]] | None = None,
        tags: Mapping[str, Iterable[str]] | None = None,
    ) -> ContextFreeGrammar:
        """Return a grammar from its parts.

        Parameters
        ----------
        rules : pairs (left-hand side, right-hand side); terminals in double quotes.
        start : the start symbol.
        words, tags : the categories of each word form, and of each part of speech.

        Raises
        ------
        UsageError : as for the class.
        """
        return cls(tuple(Rule(lhs, tuple(rhs)) for lhs, rhs in rules), start, Lexicon.of(words, tags))

    @classmethod
    def read(cls, path: str | PathLike[str]) -> ContextFreeGrammar:
        """Read a context-free grammar file, usually with suffix ``.cfg``.

        Raises
        ------
        GrammarError : the file cannot be read or holds mistakes; all of them are reported.
        """
        return cls.from_text(read_text(path))

    @classmethod
    def from_text(cls, text: str | GrammarText, file: str = "<text>") -> ContextFreeGrammar:
        r"""Return the context-free grammar in a text; `file` names it in messages.

        Raises
        ------
        GrammarError : the text holds mistakes; all of them are reported.

        >>> ContextFreeGrammar.from_text('S -> NP VP\nNP -> "Mary"\nVP -> "slept"').terminals
        ('Mary', 'slept')
        """
        grammar: ContextFreeGrammar = ask("parse_context_free", text, file)
        return grammar

    @property
    def terminals(self) -> tuple[str, ...]:
        """The words that rules and lexicon mention, sorted."""
        return tuple(sorted({word for word, _ in self.full_lexicon.words}))

    def for_sentence(self, sentence: Sentence) -> RuleSentenceGrammar:
        """Return the rules, the start symbol (as the one root category) and the categories of words.

        Raises
        ------
        GrammarError : parts of speech asked of a sentence without tags; where the grammar is strict, a word of no
            category.
        """
        categories, unknown = self.full_lexicon.look_up(sentence, self.strict)
        sources = relation_sources(sentence, self.table, self.lexicon, self.weights)
        weights = relation_weights(sources, self.weights)
        roots, said = frozenset((self.start,)), (*unread_among(self.warnings), *unknown)
        return RuleSentenceGrammar(len(sentence), self.table, roots, categories, weights, said, sources)

    def check_cnf(self) -> tuple[Rule, ...]:
        """Return the rules that are not in Chomsky normal form, in order; none if the grammar is.

        In this form a rule has two categories on the right, or one terminal (here a lexicon entry).

        >>> grammar = ContextFreeGrammar.of([("S", "AA"), ("A", "B"), ("B", ('"b"', "B"))], "S")
        >>> [str(rule) for rule in grammar.check_cnf()]
        ['A -> B', 'B -> "b" B']
        """
        return tuple(r for r in self.rules if len(r.body) != 2 or any(map(is_terminal, r.body)))
