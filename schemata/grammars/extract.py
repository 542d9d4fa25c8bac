"""Grammars extracted from sentences with parts of speech and gold heads.

The rules that the gold trees use, each with the number of times it was seen: D-rules over parts of speech,
dependency rules whose categories are the parts of speech, or a linear context-free rewriting system, in which
constituents may have gaps. With nothing left out, the grammar licenses the trees it came from.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from schemata.errors import Diagnostic, GrammarError, StructureError, UsageError
from schemata.grammars.drules import DRule, DRules, DRuleSet, Side, WordPattern
from schemata.grammars.facts import Fact, Facts, Tagged
from schemata.grammars.rule_files import write_context_free, write_d_rules, write_dependency_rules
from schemata.grammars.rules import HEAD, ContextFreeGrammar, DependencyRules, Lexicon, Rule, RuleSet
from schemata.grammars.text import nfc
from schemata.records import Record
from schemata.structures.graphs import DependencyTree, trusted_tree
from schemata.structures.projections import gap_count, intervals, tree_masks
from schemata.structures.sentence import Sentence
from schemata.wording import quantity

G = TypeVar("G", DRules, DependencyRules, Facts, ContextFreeGrammar)
R = TypeVar("R")
_SIDES: tuple[Side, ...] = "left", "right"
_EXAMPLES = 5  # sentences that could not be used and are named in an error


class Extraction(Record, Generic[G]):
    """A grammar and the data that it was extracted from.

    Parameters
    ----------
    grammar : the grammar.
    counts : how often each of its rules was seen, and each root (by its pattern, or its category).
    sentences, words : how much was read.
    min_count : rules seen less often were left out.
    omitted : how many different rules and roots were left out.
    skipped : sentences that could not be used, and why.
    """

    grammar: G
    counts: Mapping[Any, int]
    sentences: int
    words: int
    min_count: int
    omitted: int
    skipped: tuple[Diagnostic, ...]

    def to_text(self, source: str) -> str:
        """Return the grammar as a file that reads back to it, with the counts as comments.

        Parameters
        ----------
        source : the origin of the sentences, for the header.
        """
        header = [
            f"extracted from {source}: {quantity(self.sentences, 'sentence')}, {quantity(self.words, 'word')}",
            "the number after each line is how often it was seen",
        ]
        if self.min_count > 1:
            left_out = f"{quantity(self.omitted, 'line')} left out"
            header.append(f"seen at least {self.min_count} times; {left_out}")
        if self.skipped:
            header.append(f"{quantity(len(self.skipped), 'sentence')} could not be used")
        match self.grammar:
            case DRules(DRuleSet() as rules):
                return write_d_rules(rules, header=header, counts=self.counts)
            case DependencyRules(RuleSet() as rules):
                return write_dependency_rules(rules, header=header, counts=self.counts)
            case ContextFreeGrammar() as rules:
                return write_context_free(rules, header=header, counts=self.counts)
            case Facts():
                return self.grammar.to_text(header, self.counts)
        raise AssertionError("an extracted grammar is a set of rules")


def extract_d_rules(
    sentences: Iterable[Sentence],
    *,
    min_count: int = 1,
    limit_distance: bool = False,
    single_root: bool = False,
    estimate: bool = False,
) -> Extraction[DRules]:
    """Extract D-rules over parts of speech: which may depend on which, on which side, and which may be a root.

    Parameters
    ----------
    sentences : sentences with tags and gold heads; others are skipped.
    min_count : leave out rules and roots seen less often.
    limit_distance : allow each rule only the greatest distance it was seen at.
    single_root : as for `DRules`.
    estimate : give links the probabilities of a bilexical model (Kübler, McDonald & Nivre 2009, section 5.1), which
        generates the dependents of a word to the left and to the right independently, from the word outwards: the next
        one, or none. They are relative frequencies. A link includes the probabilities of the two stops of its
        dependent.

    Raises
    ------
    UsageError : min_count < 1.
    GrammarError : no sentence can be used, or no rule was seen often enough.

    >>> sentence = Sentence(("dogs", "bark"), ("NOUN", "VERB"), (2, 0))
    >>> print(extract_d_rules([sentence]).to_text("an example"), end="")
    # extracted from an example: 1 sentence, 2 words
    # the number after each line is how often it was seen
    root VERB                         # 1
    head VERB takes NOUN on the left  # 1
    """
    corpus = _Corpus(sentences, min_count)
    roots: Counter[WordPattern] = Counter()
    seen: Counter[DRule] = Counter()
    farthest: Counter[DRule] = Counter()
    words: Counter[WordPattern] = Counter()
    for tags, tree in corpus:
        words.update(map(WordPattern, tags))
        for d, h in tree.links:
            dependent = WordPattern(tags[d - 1])
            if h == 0:
                roots[dependent] += 1
                continue
            side: Side = "left" if d < h else "right"
            rule = DRule(WordPattern(tags[h - 1]), dependent, side)
            seen[rule] += 1
            farthest[rule] = max(farthest[rule], abs(d - h))
    kept, kept_roots = corpus.frequent(seen), corpus.frequent(roots)
    corpus.require(kept or kept_roots)
    if limit_distance:
        kept = {DRule(r.head, r.dependent, r.side, farthest[r]): count for r, count in kept.items()}
    weights = tuple(_bilexical(kept, kept_roots, words)) if estimate else ()
    grammar = DRules.from_rules(DRuleSet(tuple(kept), tuple(kept_roots), weights), single_root)
    return corpus.extraction(grammar, {**kept_roots, **kept}, roots, seen)


def _bilexical(
    rules: Mapping[DRule, int], roots: Mapping[WordPattern, int], words: Mapping[WordPattern, int]
) -> Iterator[tuple[DRule | WordPattern, float]]:
    """Yield the logarithms of the probabilities of links by rule, and of roots; see `extract_d_rules`."""
    taken: Counter[tuple[WordPattern, Side]] = Counter()
    for rule, count in rules.items():
        taken[rule.head, rule.side] += count

    def choices(word: WordPattern, side: Side) -> int:
        return words[word] + taken[word, side]

    def stops(word: WordPattern) -> float:
        return sum(math.log(words[word] / choices(word, side)) for side in _SIDES)

    for rule, count in rules.items():
        yield rule, math.log(count / choices(rule.head, rule.side)) + stops(rule.dependent)
    for root, count in roots.items():
        yield root, math.log(count / sum(roots.values())) + stops(root)


def extract_dependency_rules(
    sentences: Iterable[Sentence], *, min_count: int = 1, estimate: bool = False
) -> Extraction[DependencyRules]:
    """Extract dependency rules A(alpha * beta) whose categories are parts of speech.

    Each word gives the rule of its own part of speech and those of its dependents; the lexicon gives each part of
    speech itself as its category. With `min_count`, a rule is also dropped if one of its categories has lost all
    rules of its own.

    Parameters
    ----------
    sentences, min_count : as for `extract_d_rules`.
    estimate : give each rule its probability given its category, and each root its probability: relative frequencies,
        under which the trees are as probable as they can be (Kübler, McDonald & Nivre 2009, section 5.1).

    Raises
    ------
    UsageError : min_count < 1, or a part of speech that cannot be the name of a category.
    GrammarError : no sentence can be used, or no rule or no root was seen often enough.

    >>> sentence = Sentence(("dogs", "bark"), ("NOUN", "VERB"), (2, 0))
    >>> [str(r) for r in extract_dependency_rules([sentence]).grammar.basis.rules]
    ['NOUN(*)', 'VERB(NOUN *)']
    """
    corpus = _Corpus(sentences, min_count)
    roots: Counter[str] = Counter()
    seen: Counter[Rule] = Counter()
    for tags, tree in corpus:
        bodies: list[list[str]] = [[] for _ in tags]
        for d, h in tree.links:  # in word order: a head itself comes between its dependents
            bodies[d - 1].append(HEAD)
            if h:
                bodies[h - 1].append(tags[d - 1])
        roots.update(tags[root - 1] for root in tree.roots)
        seen.update(Rule(tag, tuple(body)) for tag, body in zip(tags, bodies, strict=True))
    kept = _supported(corpus.frequent(seen))
    categories = {rule.lhs for rule in kept}
    kept_roots = {root: count for root, count in corpus.frequent(roots).items() if root in categories}
    corpus.require(kept_roots)
    lexicon = Lexicon(tags=tuple((category, category) for category in categories))
    weights: list[tuple[Any, float]] = list(shares(kept, lambda rule: rule.lhs)) if estimate else []
    if estimate:
        weights += ((("root", root), weight) for root, weight in shares(kept_roots, lambda root: ""))
    grammar = DependencyRules(RuleSet(tuple(kept), frozenset(kept_roots), lexicon, tuple(weights)))
    return corpus.extraction(grammar, {**kept_roots, **kept}, roots, seen)


def shares(counts: Mapping[R, int], group: Callable[[R], str]) -> Iterator[tuple[R, float]]:
    """Yield the logarithm of each count's share in those of its group."""
    totals = Counter[str]()
    for one, count in counts.items():
        totals[group(one)] += count
    for one, count in counts.items():
        yield one, math.log(count / totals[group(one)])


def extract_lcfrs(sentences: Iterable[Sentence], *, min_count: int = 1) -> Extraction[Facts]:
    """Extract a binary linear context-free rewriting system from dependency trees, as facts for the schema `lcfrs`.

    The words below a word are a constituent, whose category is the word's part of speech and the number of its spans,
    such as NOUN:2. A word is joined with its dependents one at a time, first with those that leave the fewest
    gaps, and of these with the nearest. A category in between names all that was joined and how, so that
    joining two at a time licenses no other rules. Each rule weighs its share of the rules of its category; a tree
    with several roots does not count for the roots of sentences.

    Parameters
    ----------
    sentences, min_count : as for `extract_d_rules`; so are the errors.

    References
    ----------
    Kuhlmann & Satta 2009, Treebank grammar techniques for non-projective dependency parsing.

    >>> sentence = Sentence(("dogs", "bark"), ("NOUN", "VERB"), (2, 0))
    >>> [str(fact) for fact in extract_lcfrs([sentence]).grammar.facts[2:]]
    ['start(VERB:1)', 'unary(NOUN:1, NOUN, 0)', 'binary(VERB:1, VERB, NOUN:1, 10)']
    """
    corpus = _Corpus(sentences, min_count)
    seen: Counter[Fact] = Counter()
    lexicon: Counter[Fact] = Counter()
    for tags, tree in corpus:
        masks = tree_masks(tree.heads)
        whole = ["", *(f"{tag}:{gap_count(mask) + 1}" for tag, mask in zip(tags, masks[1:], strict=True))]
        lexicon.update(Fact("lexical", (Tagged(tag), tag)) for tag in tags)
        seen.update(Fact("start", (whole[root],)) for root in tree.roots if len(tree.roots) == 1)
        for head, tag in enumerate(tags, start=1):
            category, waiting, joined = tag, list(tree.dependents(head)), 1 << head
            if not waiting:
                seen[Fact("unary", (whole[head], category, "0"))] += 1
            while waiting:
                gaps = [(gap_count(joined | masks[d]), abs(d - head), d) for d in waiting]
                dependent = min(gaps)[-1]
                waiting.remove(dependent)
                function = _yield_function(joined, masks[dependent])
                parent = f"{category}+{whole[dependent]}/{function}" if waiting else whole[head]
                seen[Fact("binary", (parent, category, whole[dependent], function))] += 1
                category, joined = parent, joined | masks[dependent]
    kept = corpus.frequent(seen)
    corpus.require(kept)
    # Rules of a category share its weight; so do the categories of sentences.
    key = {fact: "" if fact.relation == "start" else fact.arguments[0] for fact in kept}
    totals: Counter[Any] = Counter()
    for fact, count in kept.items():
        totals[key[fact]] += count
    counts = {**lexicon}
    for fact, count in kept.items():
        counts[Fact(fact.relation, fact.arguments, math.log(count / totals[key[fact]]))] = count
    return corpus.extraction(Facts(tuple(counts)), counts, lexicon, seen)


def _yield_function(first: int, second: int) -> str:
    """Return how the spans of two sets of positions, as bits, make up those of both, as `compose` reads it."""
    spans = sorted([(*span, "0") for span in intervals(first)] + [(*span, "1") for span in intervals(second)])
    return "".join(
        ("," if k and spans[k - 1][1] + 1 < begin else "") + part for k, (begin, _, part) in enumerate(spans)
    )


class _Corpus:
    """The sentences that can be used; counts them, and notes the others, while they are read."""

    def __init__(self, sentences: Iterable[Sentence], min_count: int) -> None:
        if min_count < 1:
            raise UsageError(f"min_count is {min_count}, but every rule was seen at least once")
        self._sentences = sentences
        self._min_count = min_count
        self._used = self._words = 0
        self._skipped: list[Diagnostic] = []

    def __iter__(self) -> Iterator[tuple[tuple[str, ...], DependencyTree]]:
        for number, sentence in enumerate(self._sentences, start=1):
            problem = _problem(sentence)
            if problem or sentence.tags is None or sentence.heads is None:
                name = sentence.name or f"number {number}"
                self._skipped.append(Diagnostic("unusable-sentence", f"sentence {name} {problem}"))
                continue
            self._used += 1
            self._words += len(sentence)
            yield tuple(map(nfc, sentence.tags)), trusted_tree(sentence.heads)

    def frequent(self, seen: Counter[R]) -> dict[R, int]:
        """Return the rules that occurred at least the minimum number of times."""
        return {rule: count for rule, count in seen.items() if count >= self._min_count}

    def require(self, rules: object) -> None:
        """Raise an error if there are no rules."""
        if not self._used:
            message = "no sentence has both parts of speech and gold heads"
            raise GrammarError([Diagnostic("nothing-to-extract", message), *self._skipped[:_EXAMPLES]])
        if not rules:
            message = f"the rules left are not a grammar: too little was seen {self._min_count} times"
            raise GrammarError(message, code="nothing-extracted", hint="lower the minimum count")

    def extraction(self, grammar: G, counts: Mapping[Any, int], *seen: Counter[Any]) -> Extraction[G]:
        """Return a grammar with the counts of its rules, out of all that occurred."""
        omitted, skipped = sum(map(len, seen)) - len(counts), tuple(self._skipped)
        return Extraction(grammar, counts, self._used, self._words, self._min_count, omitted, skipped)


def _problem(sentence: Sentence) -> str | None:
    """Return why a sentence cannot be used, or None if it can."""
    if sentence.tags is None:
        return "has no parts of speech"
    if sentence.heads is None:
        return "has no gold heads"
    try:
        DependencyTree(sentence.heads)
    except StructureError as problem:
        return f"has gold heads that are not a tree: {problem.diagnostics[0].message}"
    return None


def _supported(rules: dict[Rule, int]) -> dict[Rule, int]:
    """Return the rules all of whose categories have rules, after leaving out the others."""
    while True:
        defined = {rule.lhs for rule in rules} | {HEAD}
        kept = {rule: count for rule, count in rules.items() if defined.issuperset(rule.body)}
        if len(kept) == len(rules):
            return kept
        rules = kept
