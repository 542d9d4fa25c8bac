"""Test grammars for dependency schemata: trees, every small grammar, samples of larger ones.

Each is a value that can be compared, sorted (the smallest counterexample is wanted), printed and sent to
another process, and that knows whether it licenses a structure.

Soundness over all grammars of n words would take 2 ** (n * n) runs. If one run decides all grammars, it is the only
one. Else all are run up to 3 words; beyond, the grammar of all links, every tree, and random grammars. Sets of rules
are infinitely many: those of every tree, all small ones for one and two words, and random ones are tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, combinations, product
from random import Random
from typing import Any, ClassVar, TypeAlias

from schemata.errors import BudgetError
from schemata.grammars.drules import Licences
from schemata.grammars.facts import Fact, FactTable, SentenceFacts, all_facts
from schemata.grammars.relations import LACKS, Row, Sort, asked
from schemata.grammars.rules import HEAD, Rule, RuleSentenceGrammar, RuleTable, tree_grammar
from schemata.kinds import CONSTITUENT_TREE
from schemata.language import model as m
from schemata.records import Record, replace
from schemata.structures import (
    DependencyTree,
    TreeClass,
    all_trees,
    random_projective_tree,
    random_tree,
    random_tree_of_class,
)
from schemata.structures.classes import OwnClass
from schemata.structures.graphs import find_cycle
from schemata.thresholds import EFFORTS

HeadVector: TypeAlias = tuple[int, ...]
Links: TypeAlias = tuple[tuple[int, int], ...]


class LicensedLinks(Record):
    """D-rules: the licensed links of a sentence of n words."""

    n: int
    pairs: frozenset[tuple[int, int]]

    @classmethod
    def of_tree(cls, heads: HeadVector) -> LicensedLinks:
        """Return the grammar of a tree's links."""
        return cls(len(heads), frozenset(enumerate(heads, start=1)))

    @property
    def words(self) -> tuple[str, ...]:
        """The words of a sentence."""
        return tuple(f"w{i}" for i in range(1, self.n + 1))

    @property
    def key(self) -> tuple[int, Links]:
        """The order of grammars: fewer licences first, then by the links."""
        return len(self.pairs), tuple(sorted(self.pairs))

    def provide(self) -> Licences:
        """Return the facts in the form that a kernel reads."""
        return Licences(self.n, self.pairs)

    @property
    def tree(self) -> HeadVector | None:
        """The tree that has exactly these links; None if they do not form one."""
        heads = dict(self.pairs)
        found = tuple(heads.get(d, 0) for d in range(1, self.n + 1))
        return found if len(heads) == len(self.pairs) == self.n and not find_cycle(found) else None

    def find_unlicensed(self, links: Links, heads: HeadVector) -> str | None:
        """Return a message if no choice of rules gives the tree; None if one does."""
        for d, h in links:
            if (d, h) not in self.pairs:
                return f"the link of {d} to {h} is not licensed"
        return None

    def smaller(self) -> Iterator[LicensedLinks]:
        """Yield the grammar without one of its licences."""
        return (replace(self, pairs=self.pairs - {pair}) for pair in sorted(self.pairs))

    def to_json(self) -> dict[str, Any]:
        """Return the grammar as a JSON object."""
        return {"pairs": [list(pair) for pair in sorted(self.pairs)]}


class TreeRules(Record):
    """The dependency rules of one tree: each word its own category with the one rule the tree gives it."""

    heads: HeadVector

    @property
    def n(self) -> int:
        """The number of words."""
        return len(self.heads)

    @property
    def key(self) -> tuple[int, Links]:
        """The order of grammars: trees come before other rule grammars, by their heads."""
        return 0, (self.heads,)  # type: ignore[return-value]

    @property
    def tree(self) -> HeadVector:
        """The tree."""
        return self.heads

    def provide(self) -> RuleSentenceGrammar:
        """Return the facts in the form that a kernel reads."""
        return tree_grammar(DependencyTree(self.heads))

    def find_unlicensed(self, links: Links, heads: HeadVector) -> str | None:
        """Return a message if no choice of rules gives the tree; None if one does."""
        return None if heads == self.heads else f"the rules are those of another tree, {self.heads}"

    def smaller(self) -> Iterator[TreeRules]:
        """Yield nothing: there is no tree but this."""
        return iter(())

    def to_json(self) -> dict[str, Any]:
        """Return the grammar as a JSON object."""
        return {"heads": list(self.heads)}


class RuleGrammar(Record):
    """Dependency rules with the categories of each word and of the root."""

    rules: tuple[Rule, ...]
    roots: frozenset[str]
    categories: tuple[frozenset[str], ...]

    tree: ClassVar[None] = None  # what tree it is of is not asked

    @property
    def n(self) -> int:
        """The number of words."""
        return len(self.categories)

    @property
    def key(self) -> tuple[int, Links]:
        """The order of grammars: fewer rules first."""
        categories = tuple(map(sorted, self.categories))
        return len(self.rules), (tuple(map(str, self.rules)), categories)  # type: ignore[return-value]

    def provide(self) -> RuleSentenceGrammar:
        """Return the facts in the form that a kernel reads."""
        return RuleSentenceGrammar(
            self.n, RuleTable(self.rules), self.roots, dict(enumerate(self.categories, start=1))
        )

    def find_unlicensed(self, links: Links, heads: HeadVector) -> str | None:
        """Return a message if no choice of rules gives the tree; None if one does."""
        tree = DependencyTree(heads)
        if len(tree.roots) == 1 and self._categories_below(tree, tree.roots[0]) & self.roots:
            return None
        return f"no choice of rules gives the tree {heads}"

    def _categories_below(self, tree: DependencyTree, word: int) -> set[str]:
        """Return the categories whose rules fit a word with everything below it."""
        dependents = tree.dependents(word)
        below = {d: self._categories_below(tree, d) for d in dependents}
        left = [d for d in dependents if d < word]
        found = set()
        for rule in self.rules:
            place = rule.body.index(HEAD)
            symbols = rule.body[:place] + rule.body[place + 1 :]
            if (
                rule.lhs in self.categories[word - 1]
                and place == len(left)
                and len(symbols) == len(dependents)
                and all(s in below[d] for s, d in zip(symbols, dependents, strict=True))
            ):
                found.add(rule.lhs)
        return found

    def smaller(self) -> Iterator[RuleGrammar]:
        """Yield the grammar without one of its rules."""
        return (replace(self, rules=self.rules[:k] + self.rules[k + 1 :]) for k in range(len(self.rules)))

    def to_json(self) -> dict[str, Any]:
        """Return the grammar as a JSON object."""
        return {
            "rules": [str(rule) for rule in self.rules],
            "roots": sorted(self.roots),
            "categories": [sorted(names) for names in self.categories],
        }


class FactGrammar(Record):
    """Facts about the words of a sentence.

    Parameters
    ----------
    words : the words, of which some may be the same.
    sorts : the sorts of the arguments of each relation.
    rows : the facts, each with its relation.
    is_whole : whether these are all facts over a symbol, so that they stand for every grammar: any structure derived
        under others is derived under these with other symbols.
    """

    words: tuple[str, ...]
    sorts: tuple[tuple[str, tuple[Sort, ...]], ...]
    rows: frozenset[tuple[str, Row]]
    is_whole: bool = False

    tree: ClassVar[None] = None  # what tree it is of is not asked

    @property
    def n(self) -> int:
        """The number of words."""
        return len(self.words)

    @property
    def key(self) -> tuple[int, Links]:
        """The order of grammars: fewer facts first."""
        return len(self.rows), (self._texts, self.words)  # type: ignore[return-value]

    @property
    def _texts(self) -> tuple[str, ...]:
        return tuple(sorted(str(Fact(name, row)) for name, row in self.rows))

    @property
    def symbols(self) -> frozenset[m.Value]:
        """The symbols that the facts name by themselves, not in lists."""
        sorts = dict(self.sorts)
        return frozenset(
            x for name, row in self.rows for x, of in zip(row, sorts[name], strict=True) if of == "symbol"
        )

    def provide(self) -> SentenceFacts:
        """Return the facts in the form that a kernel reads."""
        rows: dict[str, dict[Row, float]] = {name: {} for name, _ in self.sorts}
        for name, row in sorted(self.rows, key=str):
            rows[name][row] = 0.0
        table = FactTable(dict(self.sorts), rows)
        return SentenceFacts(self.n, table, tuple((word,) for word in self.words))

    def find_unlicensed(self, links: Links, heads: HeadVector) -> str | None:
        """Return nothing: only a schema states which facts license which links."""
        return None

    def smaller(self) -> Iterator[FactGrammar]:
        """Yield the grammar without half of its facts, without a quarter of them ... without one."""
        rows = sorted(self.rows, key=str)
        size = (len(rows) + 1) // 2
        while rows:
            for first in range(0, len(rows), size):
                left = frozenset((*rows[:first], *rows[first + size :]))
                yield replace(self, rows=left, is_whole=False)
            if size == 1:
                return
            size = (size + 1) // 2

    def to_json(self) -> dict[str, Any]:
        """Return the grammar as a JSON object, with the sentence."""
        return {"words": list(self.words), "facts": list(self._texts)}


GrammarUnderTest: TypeAlias = LicensedLinks | TreeRules | RuleGrammar | FactGrammar


def every_link(n: int) -> LicensedLinks:
    """Return the grammar that licenses every link of n words."""
    return LicensedLinks(n, frozenset((d, h) for d in range(1, n + 1) for h in range(n + 1) if h != d))


def every_link_grammar(n: int) -> Iterator[LicensedLinks]:
    """Yield every set of links of n words, the smallest first: 2 ** (n * n) grammars."""
    links = sorted(every_link(n).pairs)
    for size in range(len(links) + 1):
        for chosen in combinations(links, size):
            yield LicensedLinks(n, frozenset(chosen))


def random_link_grammars(n: int, count: int, rng: Random, extra: int | None = None) -> list[LicensedLinks]:
    """Return random sets of links: each the links of a random tree and some more.

    A tree's links are among them because a set of links without a tree is accepted by few schemata, and tests nothing
    otherwise.
    """
    links = sorted(every_link(n).pairs)
    found = []
    for _ in range(count):
        heads = random_tree(n, rng).heads
        more = rng.randint(1, 2 * n if extra is None else extra)
        pairs = frozenset([*enumerate(heads, start=1), *rng.sample(links, min(more, len(links)))])
        found.append(LicensedLinks(n, pairs))
    return found


def complete_rules(n: int) -> RuleGrammar:
    """Return the rule grammar of all projective trees of n words: one category, a rule for every valency."""
    rules = [
        Rule("X", ("X",) * left + (HEAD,) + ("X",) * right) for left in range(n) for right in range(n - left)
    ]
    return RuleGrammar(tuple(sorted(rules)), frozenset("X"), (frozenset("X"),) * n)


def small_rule_grammars(n: int) -> Iterator[RuleGrammar]:
    """Yield the sets of at most two rules over two categories for n words, the smallest first.

    Words may be of a category that no rule fits, which those of a tree never are.
    """
    bodies = [(HEAD,), *(body for name in "AB" for body in ((HEAD, name), (name, HEAD)))]
    rules = sorted(Rule(lhs, body) for lhs in "AB" for body in bodies)
    for chosen in chain.from_iterable(combinations(rules, size) for size in range(3)):
        for names in product("AB", repeat=n):
            yield RuleGrammar(chosen, frozenset("A"), tuple(map(frozenset, names)))


def random_rule_grammars(n: int, count: int, rng: Random) -> list[RuleGrammar]:
    """Return the rules of random projective trees whose words share a few categories; every third grammar lacks one
    rule.
    """
    found = []
    for number in range(count):
        tree = random_projective_tree(n, rng)
        names = "ABC"[: rng.randint(1, 3)]
        own = {d: rng.choice(names) for d in range(1, n + 1)}
        rules = set()
        for h in range(1, n + 1):
            dependents = tree.dependents(h)
            left = [own[d] for d in dependents if d < h]
            rules.add(Rule(own[h], (*left, HEAD, *(own[d] for d in dependents if d > h))))
        categories = tuple(
            frozenset((own[d],)) | ({rng.choice(names)} if rng.random() < 0.3 else frozenset())
            for d in range(1, n + 1)
        )
        grammar = RuleGrammar(tuple(sorted(rules)), frozenset((own[tree.roots[0]],)), categories)
        found.append(grammar if number % 3 else rng.choice(list(grammar.smaller())))
    return found


def every_fact(schema: m.Schema, words: tuple[str, ...], symbols: int) -> FactGrammar:
    """Return all facts of a schema's relations over some words, so many symbols, and those that it names.

    Yield functions are those that can be of use in a sentence of these words. If constituent trees are built, lists and
    numbers go up to the number of words, and terms with at most one constructor, over symbols, are tried.

    Raises
    ------
    UsageError : there are infinitely many.
    """
    rules = [(case.antecedents, case.consequent, case.conditions) for case in schema.cases]
    constants = {node.value for node in m.nodes((tuple(rules), schema.finals)) if isinstance(node, m.Lit)}
    texts = {x for x in constants if isinstance(x, str) and not x.startswith(m.CONSTRUCTOR)}
    named = sorted(texts - {m.HEAD_WORD, m.ROOT, ""})
    distinct = tuple(dict.fromkeys(words))
    brackets = schema.structure == CONSTITUENT_TREE
    size = max(EFFORTS.fact_lists, len(words) if brackets else 0)
    table = all_facts(
        schema.relations,
        distinct,
        ("A", "B")[:symbols] + tuple(named),
        size,
        spans=(len(words) + 1) // 2,
        number=size,
        terms=brackets,
    )
    rows = frozenset((name, row) for name, listed in table.rows.items() for row in listed)
    return FactGrammar(words, tuple(table.sorts.items()), rows)


def decided_by_facts(schema: m.Schema) -> bool:
    """Whether all facts over one symbol derive every tree that any facts derive.

    They do if no condition asks for missing facts, for values that differ or for words that are the same. Then a
    derivation remains one if all its symbols become one symbol, and its words those of a sentence without equal words.
    If conditions ask of a relation only that facts are missing, all facts here means none of this relation.
    """
    if any(sort not in _FACT_SORTS for relation in schema.relations for _, sort in relation.arguments):
        return False  # there is no end of terms
    present, lacking = _asked_of(schema)
    if present & lacking or not m.composes_by_relations(schema.cases):
        return False
    clauses: tuple[m.Case | m.Clause, ...] = (*schema.cases, *schema.finals)
    for clause in clauses:
        for condition in clause.conditions:
            if isinstance(condition, m.HasFact):
                name = asked(condition)[0]
                if name == m.SAME_WORD:
                    return False
                continue
            nodes = list(m.nodes(condition))
            differ = any(
                isinstance(x, m.Not) or (isinstance(x, m.Compare) and x.relation == "!=") for x in nodes
            )
            types = (clause.types[x.name] for x in nodes if isinstance(x, m.Var) and x.name in clause.types)
            if differ and not all(map(_without_symbols, types)):
                return False
    return True


_FACT_SORTS = ("word", "symbol", "position", "symbols")


def _asked_of(schema: m.Schema) -> tuple[set[str], set[str]]:
    """Return the relations of which conditions ask for a fact, and those of which they ask that a fact is missing."""
    clauses: tuple[m.Case | m.Clause, ...] = (*schema.cases, *schema.finals)
    names = {asked(c)[0] for clause in clauses for c in clause.conditions if isinstance(c, m.HasFact)}
    lacking = {name for name in names if name.startswith(LACKS)}
    return names - lacking, {name.removeprefix(LACKS) for name in lacking}


def _without_symbols(kind: m.Type) -> bool:
    """Whether values of a type are positions and flags, or lists and tuples of them."""
    return kind.kind in ("position", "flag") or (
        kind.kind in ("list", "tuple", "optional") and all(map(_without_symbols, kind.arguments))
    )


def random_facts(schema: m.Schema, n: int, count: int, rng: Random) -> Iterator[FactGrammar]:
    """Yield random facts over two symbols, each about a sentence of n words, some of which may be the same."""
    for _ in range(count):
        distinct = [f"w{k}" for k in range(1, rng.randint(1, n) + 1)]
        words = tuple(rng.choices(distinct, k=n))
        share, whole = rng.uniform(0.3, 0.8), every_fact(schema, words, 2)
        rows = [row for row in sorted(whole.rows, key=str) if rng.random() < share]
        for relation in schema.relations if n > EFFORTS.exhaustive_words else ():
            own = [row for row in rows if row[0] == relation.name] if relation.yields else []
            few = rng.sample(own, min(EFFORTS.random_yields, len(own)))
            rows = [row for row in rows if row not in own or row in few]
        yield replace(whole, rows=frozenset(rows))


def fact_cases(schema: m.Schema, n: int, seed: int) -> tuple[int, Iterator[FactGrammar]]:
    """Return how many cases test n words, and the cases: all facts, over one and two symbols, and random ones."""
    words = tuple(f"w{i}" for i in range(1, n + 1))
    present, lacking = _asked_of(schema)
    every = every_fact(schema, words, 1)
    rows = frozenset(row for row in every.rows if row[0] in present or row[0] not in lacking)
    cases = [replace(every, rows=rows, is_whole=True)]
    if n <= EFFORTS.exhaustive_words:
        cases.append(every_fact(schema, words, 2))
    count = EFFORTS.random_facts
    more = random_facts(schema, n, count, Random(f"facts {seed} {n}"))
    return len(cases) + count, chain(cases, more)


def grammar_of(heads: HeadVector, rules: bool) -> GrammarUnderTest:
    """Return the grammar of a tree: its own links, or its own rules."""
    return TreeRules(heads) if rules else LicensedLinks.of_tree(heads)


def tree_cases(n: int, rules: bool, single_root: bool, seed: int) -> tuple[int, Iterator[GrammarUnderTest]]:
    """Return the number of cases that settle n words, or test them where settling is out of reach, and the cases."""
    rng = Random(f"grammars {seed} {n}")
    grammars: list[GrammarUnderTest]
    if rules:
        grammars = [complete_rules(n), *random_rule_grammars(n, EFFORTS.random_grammars, rng)]
        grammars += small_rule_grammars(n) if n <= EFFORTS.small_rule_words else ()
    elif n <= EFFORTS.exhaustive_words:
        grammars = list(every_link_grammar(n))
    else:
        grammars = [every_link(n), *random_link_grammars(n, EFFORTS.random_grammars, rng)]
    trees = (grammar_of(tree.heads, rules) for tree in all_trees(n, single_root=single_root))
    number = n ** (n - 1) if single_root else (n + 1) ** (n - 1)
    return number + len(grammars), chain(trees, grammars)


def random_tree_cases(
    wanted: TreeClass | OwnClass, rules: bool, n: int, share: int, *, single_root: bool, seed: int
) -> Iterator[GrammarUnderTest]:
    """Yield grammars of random trees of a class, and as many random grammars.

    If none of many random trees is in the class, none is used.
    """
    rng = Random(f"beyond {seed} {n}")
    with suppress(BudgetError):
        for _ in range(share):
            yield grammar_of(random_tree_of_class(wanted, n, rng, single_root=single_root).heads, rules)
    if rules:
        yield from random_rule_grammars(n, share, rng)
        return
    # Every other grammar is a single tree, in the class or not: those test what is not to be derived.
    few = share // 2
    yield from (LicensedLinks.of_tree(random_tree(n, rng).heads) for _ in range(few))
    yield from random_link_grammars(n, share - few, rng, extra=n)
