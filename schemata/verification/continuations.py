"""Words of a grammar that go on with a prefix, where no rules describe its sentences: those are what a schema accepts.

An `Alphabet` has the words of facts or D-rules, and provides for positions at which one word, none
or any may stand what a kernel reads. A sentence that begins with a prefix is looked for among those of so many words
more: where a run with any word at each place is not accepted, no sentence is; else the words are found by halves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property, partial
from itertools import product
from typing import Any, TypeAlias

from schemata.budget import Budget
from schemata.engine.chart import Chart
from schemata.engine.run import run_kernel
from schemata.errors import UsageError
from schemata.grammars.drules import ANY, AllLinks, DRule, DRules, DRuleSet, Licences
from schemata.grammars.facts import ANY_WORD, Facts, SentenceFacts, Tagged
from schemata.grammars.prefixes import START, Production, Productions, Symbol, WordToken, reduced
from schemata.grammars.relations import LACKS, asked
from schemata.grammars.rules import Lexicon
from schemata.grammars.text import nfc
from schemata.grouping import reachable
from schemata.language import model as m
from schemata.records import Record
from schemata.structures import all_trees
from schemata.structures.projections import has_projective_heads
from schemata.structures.sentence import Sentence
from schemata.thresholds import EFFORTS
from schemata.workbench import ParsingSchema

WordSpec: TypeAlias = tuple[str, str]
"""A form and a part of speech; one that is empty may be any that the grammar does not name."""
Keys: TypeAlias = "frozenset[Any]"
"""What a grammar says of the words at a position: the patterns, or forms, that it names them by."""

_FAR = 1_000_000_000
"""Farther than any two words are apart."""
NOTHING: Keys = frozenset()
"""The keys of a word that the grammar is not about."""


class Alphabet(Record, eq=False):
    """The words that a grammar tells apart.

    Parameters
    ----------
    forms, tags : those that it names.
    others : whether it is about words that it does not name, too.
    keys_of : returns the keys of a word.
    provide : returns the grammar of a sentence, by the keys at each position.
    lost : whether no tree of any kind can be made of words of these keys and more words; None where that is not known.
    kinds : the words that differ, by their keys.
    projective : returns the rules of the sentences that have projective trees, of one root or of many, whose words are
        numbers of `kinds`; None where no rules describe them.
    """

    forms: tuple[str, ...]
    tags: tuple[str, ...]
    others: bool
    keys_of: Callable[[WordSpec], Keys]
    provide: Callable[[Sequence[Keys]], Any]
    lost: Callable[[Sequence[Keys]], bool] | None = None
    kinds: tuple[Keys, ...] = ()
    projective: Callable[[bool], Productions] | None = None

    @property
    def listed(self) -> list[WordSpec]:
        """The words to be listed: forms, parts of speech, and any other word."""
        found = [(form, "") for form in self.forms] + [("", tag) for tag in self.tags]
        return [*found, *([("", "")] if self.others else [])]

    @property
    def tokens(self) -> list[WordSpec]:
        """All words that the grammar tells apart, those of a named form and a named part of speech last."""
        return [*self.listed, *product(self.forms, self.tags)]

    def of_sentence(self, sentence: Sentence) -> tuple[Keys, ...]:
        """Return the keys of the words of a sentence."""
        tags = sentence.tags or ("",) * len(sentence)
        known = {*self.forms}, {*self.tags}
        read = ((nfc(word), nfc(tag)) for word, tag in zip(sentence.words, tags, strict=True))
        return tuple(self.keys_of((w if w in known[0] else "", t if t in known[1] else "")) for w, t in read)


def alphabet_of(schema: ParsingSchema, grammar: Facts | DRules) -> Alphabet:
    """Return the words of a grammar.

    Raises
    ------
    UsageError : it names no words, or it is of one sentence.
    """
    match grammar:
        case Facts():
            return _of_facts(schema, grammar)
        case DRules():
            return _of_d_rules(grammar)


def _of_facts(schema: ParsingSchema, grammar: Facts) -> Alphabet:
    table = grammar.for_schema(schema.definition.relations).table
    assert table is not None
    if not table.words:
        message = f"the facts for {schema.name} name no words, so none can follow"
        raise UsageError(message, code="no-prefixes", expected="facts over words")
    forms = sorted(word for word in table.words if isinstance(word, str))
    tags = sorted(word.tag for word in table.words if isinstance(word, Tagged) and word.tag)

    def keys_of(token: WordSpec) -> Keys:
        return frozenset({token[0], Tagged(token[1]), ANY_WORD}) & table.words

    def provide(keys: Sequence[Keys]) -> SentenceFacts:
        return SentenceFacts(len(keys), table, tuple(tuple(sorted(one, key=str)) for one in keys))

    return Alphabet(tuple(forms), tuple(tags), ANY_WORD in table.words, keys_of, provide)


def _of_d_rules(grammar: DRules) -> Alphabet:
    rules = DRuleSet((DRule(ANY, ANY),), (ANY,)) if isinstance(grammar.basis, AllLinks) else grammar.basis
    if not isinstance(rules, DRuleSet):
        message = f"{rules} license links of one sentence, and say nothing of words"
        raise UsageError(message, code="no-prefixes", expected="D-rules from a file, or all")
    if grammar.single_root:
        message = "a single root restricts trees, not sentences: it says nothing of words that can follow"
        raise UsageError(message, code="no-prefixes", expected="D-rules without single_root")
    number = {pattern: k for k, pattern in enumerate(dict.fromkeys(rules.patterns))}
    forms = tuple(sorted({pattern.word for pattern in number} - {""}))
    tags = tuple(sorted({pattern.tag for pattern in number} - {""}))
    roots = frozenset(number[pattern] for pattern in rules.roots)
    sides = {"left": ((-_FAR, -1),), "right": ((1, _FAR),), "either": ((-_FAR, -1), (1, _FAR))}
    reaches = [
        (
            number[rule.dependent],
            number[rule.head],
            max(low, -(rule.within or _FAR)),
            min(high, rule.within or _FAR),
        )
        for rule in rules.rules
        for low, high in sides[rule.side]
    ]

    def matched(token: WordSpec) -> Keys:
        return frozenset(k for p, k in number.items() if p.word in ("", token[0]) and p.tag in ("", token[1]))

    @cache
    def fits(below: Keys, above: Keys, low: int, high: int) -> bool:
        """Whether a word may be under another at some distance from `low` to `high`."""
        return any(d in below and h in above and a <= high and low <= b for d, h, a, b in reaches)

    def dependents(keys: Sequence[Keys], further: Sequence[Keys] = ()) -> dict[int, list[int]]:
        """Return what may be under each word, and under words that are somewhere behind these, one of each kind."""
        n, every = len(keys), [*keys, *further]
        found = {0: [d for d, own in enumerate(every, start=1) if not own.isdisjoint(roots)]}
        for h, above in enumerate(every, start=1):
            found[h] = own = []
            for d, below in enumerate(every, start=1):
                low = d - h if max(d, h) <= n else -_FAR if h > n else 1
                high = d - h if max(d, h) <= n else -1 if d <= n else _FAR
                if (d != h or h > n) and fits(below, above, low, high):
                    own.append(d)
        return found

    def below_root(keys: Sequence[Keys], further: Sequence[Keys]) -> set[int]:
        return reachable([0], dependents(keys, further).__getitem__)

    tokens = Alphabet(forms, tags, ANY in number, matched, lambda keys: keys).tokens
    reached = below_root((), [*map(matched, tokens)])
    # A word that no chain of rules puts under the root is in no sentence: none reads it (the grammar is reduced).
    known = {token: matched(token) for k, token in enumerate(tokens, start=1) if k in reached}
    kinds = tuple(dict.fromkeys(known.values()))

    def provide(keys: Sequence[Keys]) -> Licences:
        return Licences(len(keys), frozenset((d, h) for h, own in dependents(keys).items() for d in own))

    far = max((rule.within or 0 for rule in rules.rules), default=0)
    return Alphabet(
        forms,
        tags,
        others=ANY in number,
        keys_of=lambda token: known.get(token, NOTHING),
        provide=provide,
        lost=lambda keys: not below_root(keys, kinds).issuperset(range(1, len(keys) + 1)),
        kinds=kinds,
        projective=partial(_projective, kinds, roots, fits, far) if far <= EFFORTS.prefix_reach else None,
    )


def _projective(
    kinds: Sequence[Keys],
    roots: Keys,
    fits: Callable[[Keys, Keys, int, int], bool],
    far: int,
    single_root: bool,
) -> Productions:
    """Return the rules of projective trees over some kinds of words: left dependents, a word, right dependents.

    Each part has its number of words, `far` for as many or more: so far do distances make a difference.
    """

    def may_stand(below: Keys, above: Keys, between: int, side: int) -> bool:
        near, most = between + 1, _FAR if between == far else between + 1
        return fits(below, above, *((-most, -near) if side < 0 else (near, most)))

    found: list[Production] = []
    sizes = range(far + 1)
    trees = [*product(range(len(kinds)), sizes, sizes)]
    for k, left, right in trees:
        found.append(
            Production(f"tree {k} {left} {right}", (f"left {k} {left}", f"word {k}", f"right {k} {right}"))
        )
        if not kinds[k].isdisjoint(roots):
            found.append(Production("trees", (f"tree {k} {left} {right}",)))
            found += [] if single_root else [Production("trees", ("trees", f"tree {k} {left} {right}"))]
    for k, above in enumerate(kinds):
        found += (Production(f"left {k} 0", ()), Production(f"right {k} 0", ()))
        for (d, left, right), size in product(trees, sizes):
            tree, whole = f"tree {d} {left} {right}", min(far, left + 1 + right + size)
            if may_stand(kinds[d], above, min(far, right + size), -1):
                found.append(Production(f"left {k} {whole}", (tree, f"left {k} {size}")))
            if may_stand(kinds[d], above, min(far, left + size), 1):
                found.append(Production(f"right {k} {whole}", (f"right {k} {size}", tree)))
    found.append(Production(START, ("trees",)))
    entries: dict[Symbol, dict[WordToken, float]]
    entries = {f"word {k}": {("word", str(k)): 0.0} for k in range(len(kinds))}
    return Productions(tuple(reduced(found, entries)), entries, Lexicon(), False)


# Sentences that go on -------------------------------------------------------------------------------------------


class SentenceReader(Record, slots=False):
    """A schema reading words of an alphabet; `budget` limits each run."""

    schema: ParsingSchema
    alphabet: Alphabet
    budget: Budget

    @cached_property
    def rules(self) -> Productions | None:
        """The rules of the sentences, where the schema parses just projective trees; None where none describe them.

        That is decided by all trees of up to 4 words.
        """
        if self.alphabet.projective is None or not self.asks_all:
            return None
        trees = [tree for n in range(1, 5) for tree in all_trees(n, single_root=False)]
        runs = (self._chart(Licences(len(tree), frozenset(tree.links))) for tree in trees)
        accepted = {tree for tree, chart in zip(trees, runs, strict=True) if chart.accepted}
        within = {tree for tree in trees if has_projective_heads(tree.heads)}
        for single_root in (False, True):
            if accepted == {tree for tree in within if len(tree.roots) == 1 or not single_root}:
                return self.alphabet.projective(single_root)
        return None

    @cached_property
    def asks_all(self) -> bool:
        """Whether the schema asks for the licence of each link, those to the root too: for all of trees of 3 words."""
        trees = [tree for n in range(1, 4) for tree in all_trees(n, single_root=False)]
        fewer = (Licences(len(tree), frozenset(tree.links) - {link}) for tree in trees for link in tree.links)
        return self.alphabet.lost is not None and not any(self._chart(one).accepted for one in fewer)

    def is_lost(self, keys: Sequence[Keys]) -> bool:
        """Whether it is known that no sentence begins with words, as rules or runs on shorter ones found none."""
        return self.rules is not None or (
            self.alphabet.lost is not None and self.asks_all and self.alphabet.lost(keys)
        )

    @cached_property
    def every(self) -> Keys:
        """The keys of all words."""
        return frozenset().union(*map(self.alphabet.keys_of, self.alphabet.tokens))

    @cached_property
    def grows(self) -> bool:
        """Whether what is accepted still is where words may be others, too: no step asks that words are in no fact."""
        definition = self.schema.definition
        of_words = {
            relation.name for relation in definition.relations if "word" in dict(relation.arguments).values()
        }
        clauses: tuple[m.Case | m.Clause, ...] = (*definition.cases, *definition.finals)
        names = {asked(c)[0] for x in clauses for c in x.conditions if isinstance(c, m.HasFact)}
        return names.isdisjoint(LACKS + name for name in of_words)

    def _chart(self, grammar: SentenceFacts | Licences) -> Chart:
        return run_kernel(self.schema.kernel, Sentence(("_",) * grammar.n), grammar, self.budget)

    def _run(self, keys: Sequence[Keys]) -> Chart:
        return self._chart(self.alphabet.provide(keys))

    def items(self, keys: Sequence[Keys], room: int) -> frozenset[str]:
        """Return the items of a run on words, with room for more that the grammar is not about."""
        return frozenset(item.text for item in self._run([*keys, *[NOTHING] * room]).items)

    def completion(self, keys: Sequence[Keys], room: int) -> tuple[WordSpec, ...] | None:
        """Return the fewest words, at most `room` where no rules tell, that make a sentence of these; None if none do.

        Raises
        ------
        BudgetExceeded : a run hit a limit.
        """
        if self.rules is not None:
            return self._by_rules(self.rules, keys)
        found = (self._words(tuple(keys), more, self.alphabet.tokens) for more in range(room + 1))
        return next((words for words in found if words is not None), None)

    def _by_rules(self, rules: Productions, keys: Sequence[Keys]) -> tuple[WordSpec, ...] | None:
        kinds = self.alphabet.kinds
        prefix = rules.begin
        for one in keys:
            prefix = prefix.after([f"word {kinds.index(one)}"] if one in kinds else ())
        if not prefix.is_valid:
            return None
        of_keys = {self.alphabet.keys_of(token): token for token in reversed(self.alphabet.tokens)}
        return tuple(of_keys[kinds[int(str(x).split()[1])]] for x in prefix.completion)

    def _words(
        self, keys: tuple[Keys, ...], more: int, tokens: Sequence[WordSpec]
    ) -> tuple[WordSpec, ...] | None:
        """Return so many words that make a sentence of others, the first of them one of some; None if none do."""
        if not more:
            return () if keys and self._run(keys).accepted else None
        either = frozenset().union(*map(self.alphabet.keys_of, tokens))
        if self.is_lost((*keys, either)):
            return None
        if self.grows and not self._run((*keys, either, *[self.every] * (more - 1))).accepted:
            return None
        if len(tokens) == 1:
            rest = self._words((*keys, either), more - 1, self.alphabet.tokens)
            return None if rest is None else (tokens[0], *rest)
        half = (len(tokens) + 1) // 2
        halves = (self._words(keys, more, part) for part in (tokens[:half], tokens[half:]))
        return next((words for words in halves if words is not None), None)


def kind_and_text(token: WordSpec) -> tuple[str, str]:
    """Return whether a word is a `word`, any of a `tag`, or `any`, and its form, part of speech, or both."""
    form, tag = token
    return ("word", f"{form}/{tag}" if tag else form) if form else ("tag", tag) if tag else ("any", "")


def shown(token: WordSpec) -> str:
    """Return a word as it is written in a sentence; a part of speech, and any other word, by these words."""
    kind, text = kind_and_text(token)
    return text if kind == "word" else f"tag {text}" if kind == "tag" else "any other word"
