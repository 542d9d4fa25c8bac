"""The universal grammar of a short sentence: every fact that a step can ask for, and each of these alone.

Step instances are found under this grammar; each then names the facts it asked for, and these alone make up
its *least grammar* (GCW11 leaves the grammar implicit; under a grammar that licenses everything nearly every
item is derivable from the hypotheses, and every refinement would be confirmed). Derivability is monotone in the
grammar, so a relation that holds in the least grammar holds in all.

Rules are taken over categories that differ wherever they may: the dependents in a rule of A are B1 and B2, those
in rules of B1 and B2 are C1 and C2, and so on. Conditions ask for equal categories only, never for different
ones, so a derivation over such rules is one over all rules obtained by renaming; nothing is lost by
not letting categories coincide.

For Link Grammar schemata the universal grammar is a dictionary in which every word has every small disjunct, and all
connectors match. A step needs the disjuncts in its items, and the matches of the connectors that it joins. The form
of an item does not guarantee that the parts of a disjunct in it fit together. So the items of a schema are those that
it derives with this dictionary.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from schemata.errors import UsageError
from schemata.grammars.drules import all_licences
from schemata.grammars.facts import FactTable, SentenceFacts, all_facts
from schemata.grammars.link_grammar.sequences import SentenceDisjuncts
from schemata.grammars.relations import FREE, LACKS, asked
from schemata.grammars.rules import HEAD, Rule, RuleSentenceGrammar, RuleTable
from schemata.kinds import CONTEXT_FREE, D_RULES, DEPENDENCY_RULES, FACTS, LINK_GRAMMAR, GrammarKind
from schemata.language import model as m
from schemata.program.evaluation import evaluate
from schemata.records import Record
from schemata.structures.generation import plain_disjuncts
from schemata.thresholds import EFFORTS

GroundFact: TypeAlias = tuple[Any, ...]
"""The name of a relation of the grammar with a row of it: ("licensed", d, h), ("rule", A, body), ("root", S) ..."""
GroundFacts: TypeAlias = frozenset[GroundFact]

_NO_FACTS: GroundFacts = frozenset()


class Universe(Record):
    """A grammar of everything for sentences of n words.

    Attributes
    ----------
    n : the number of words.
    kind : the kind of grammar.
    grammar : the grammar for a kernel.
    symbols : the categories, which are the values of symbol fields.
    chain : how many rules a left corner may be away.
    """

    n: int
    kind: GrammarKind
    grammar: Any
    symbols: tuple[str, ...]
    chain: int = 0
    note: str = ""


@lru_cache(maxsize=32)
def link_universe(n: int) -> Universe:
    """Return the grammar that licenses all links of n words, each word a category of its own."""
    return Universe(n, D_RULES, all_licences(n), tuple(f"w{i}" for i in range(1, n + 1)))


@lru_cache(maxsize=32)
def rule_universe(
    n: int, kind: GrammarKind, length: int, levels: int, chain: int, named: tuple[str, ...] = ()
) -> Universe:
    """Return a grammar of rules of up to `length` symbols over categories of several levels.

    The first level is the category A. The categories of a level are the dependents in rules of the level above, in the
    order of the rule; each of the first `levels` levels has rules. B1 and B2 have dependents of their own; further
    down, all categories of a level share those of the next. The categories of the last level have two rules more, by
    which they cover any number of words: else the constituents of the levels above could not be of any length. Every
    word is of every category, and every category may be the root's. The categories that the schemata name have rules as
    A has, and also stand in one place of every rule.
    """
    count = max(length - 1 if kind == DEPENDENCY_RULES else length, 1)
    below: dict[str, tuple[str, ...]] = {}
    rules: list[Rule] = []
    names: tuple[str, ...] = ("A",)
    symbols = list(names)
    for level in range(levels):
        letter = chr(ord("B") + level)
        own = level < EFFORTS.apart_levels
        width = count * len(names) if own else count
        dependents = tuple(f"{letter}{k}" for k in range(1, width + 1))
        for k, lhs in enumerate(names):
            below[lhs] = dependents[k * count : (k + 1) * count] if own else dependents
            rules += [Rule(lhs, body) for body in _bodies(below[lhs], length, kind)]
        names = dependents
        symbols += names
    rules += [Rule(name, rule.body) for name in named for rule in rules if rule.lhs == "A"]
    rules += [
        Rule(rule.lhs, (*rule.body[:k], name, *rule.body[k + 1 :]))
        for name in named
        for rule in tuple(rules)
        for k, symbol in enumerate(rule.body)
        if symbol not in (HEAD, name)
    ]
    symbols += named
    for lhs in (*names, *named):
        rules += [Rule(lhs, body) for body in _self_made(lhs, kind)]
    rules = list(dict.fromkeys(rules))
    categories = {i: frozenset(symbols) for i in range(1, n + 1)}
    grammar = RuleSentenceGrammar(n, RuleTable(tuple(rules)), frozenset(symbols), categories)
    return Universe(n, kind, grammar, tuple(symbols), chain)


@lru_cache(maxsize=32)
def word_universe(n: int, length: int) -> Universe:
    """Return dependency rules of up to `length` symbols over words of a category each: word i is of `wi`.

    The dependents of a rule stand in the order of the words, those before the head word to its left.
    """
    rules: list[Rule] = []
    names = tuple(f"w{i}" for i in range(1, n + 1))
    for place, lhs in enumerate(names):
        others = [name for name in names if name != lhs]
        for size in range(length):
            for chosen in itertools.combinations(others, size):
                left = sum(1 for name in chosen if names.index(name) < place)
                rules.append(Rule(lhs, (*chosen[:left], HEAD, *chosen[left:])))
    categories = {i: frozenset((name,)) for i, name in enumerate(names, start=1)}
    grammar = RuleSentenceGrammar(n, RuleTable(tuple(rules)), frozenset(names), categories)
    return Universe(n, DEPENDENCY_RULES, grammar, names)


def lacking_alone(cases: Iterable[m.Case]) -> frozenset[str]:
    """Return the relations of a grammar of which rules ask only that facts are missing: no facts of these are tried.

    Raises
    ------
    UsageError : rules ask for facts and for missing facts of one relation, so that items derived under a grammar may be
        lost under more facts.
    """
    conditions = [c for case in cases for c in case.conditions if isinstance(c, m.HasFact)]
    names = {asked(condition)[0] for condition in conditions}
    lacking = {name.removeprefix(LACKS) for name in names if name.startswith(LACKS)}
    if both := lacking & names:
        message = f"conditions ask for facts of {min(both)}, and that there are none"
        message += ": what holds for some facts may not hold for more"
        hint = "relations are decided between schemata with NAME(...) or not NAME(...) alone"
        raise UsageError(message, hint=hint)
    return frozenset(lacking)


@lru_cache(maxsize=32)
def fact_universe(
    n: int,
    length: int,
    relations: tuple[m.Relation, ...],
    named: tuple[str, ...],
    lacking: frozenset[str] = frozenset(),
) -> Universe:
    """Return all facts of declared relations over two symbols and those that the schemata name.

    Lists have up to `length` symbols, numbers are 0 to 2, terms have at most one constructor, yield functions are
    those for sentences of n words, and each word has facts of its own. There is no fact of the relations `lacking`.

    Raises
    ------
    UsageError : there are too many.
    """
    symbols = ("A", "B", *named)
    words = tuple(f"w{i}" for i in range(1, n + 1))
    table = all_facts(relations, words, symbols, length, spans=(n + 1) // 2, terms=True)
    rows = {name: {} if name in lacking else own for name, own in table.rows.items()}
    grammar = SentenceFacts(n, FactTable(table.sorts, rows), tuple((word,) for word in words))
    terms = any(isinstance(sort, m.Type) for own in table.sorts.values() for sort in own)
    return Universe(n, FACTS, grammar, symbols, note=", terms of at most one constructor" if terms else "")


def _bodies(names: tuple[str, ...], length: int, kind: GrammarKind) -> Iterator[tuple[str, ...]]:
    """Yield bodies of up to `length` symbols, their categories in order, the head word at every place."""
    for size in range(1, length + 1):
        if kind == CONTEXT_FREE:
            yield names[:size]
            continue
        for place in range(size):
            yield (*names[:place], HEAD, *names[place : size - 1])


def _self_made(lhs: str, kind: GrammarKind) -> Iterator[tuple[str, ...]]:
    """Yield the bodies of two rules by which a category covers one word, or one word more than it covers."""
    last = lhs if kind == CONTEXT_FREE else HEAD
    yield (last,)
    yield lhs, last


def facts_of_item(form: m.Form, values: tuple[m.Value, ...]) -> GroundFacts:
    """Return the grammar facts that an item needs in order to exist: the rules that its dotted rules come from."""
    found = []
    for field, value in zip(form.fields, values, strict=True):
        if field.type.kind == "dotted" and isinstance(value, tuple):
            category, *parts = value
            body = tuple(itertools.chain.from_iterable(parts))  # type: ignore[arg-type]
            found.append(("root", body[0]) if category == m.ROOT else ("rule", category, body))
    return frozenset(found) if found else _NO_FACTS


def facts_asked(universe: Universe, case: m.Case, binding: Mapping[str, m.Value]) -> Iterator[GroundFacts]:
    """Yield the sets of facts under each of which the conditions of a rule hold, the smallest ones only.

    Left corners can hold in several ways, and so can relations of which an argument is left open.
    """
    ways: list[list[tuple[GroundFact, ...]]] = []
    for condition in case.conditions:
        if isinstance(condition, m.HasFact):
            relation, terms = asked(condition)
            values: list[Any] = [
                FREE if isinstance(term, m.Any) else evaluate(term, binding) for term in terms
            ]
            if relation == "left_corner":
                ways.append(list(_chains(universe, *values)))
            elif relation == "licensed_categories":
                ways.append([(("licensed", *(int(str(end)[1:]) for end in values)),)])
            elif (relation, universe.kind) != ("category", D_RULES):
                open_ones = FREE in values
                rows = universe.grammar.relations[relation].rows(*values) if open_ones else ((),)
                ways.append([((relation, *_filled(values, row)),) for row in rows])
    for choice in itertools.product(*ways):
        yield frozenset(itertools.chain.from_iterable(choice))


def _filled(values: Iterable[Any], row: Iterable[m.Value]) -> Iterator[m.Value]:
    """Yield values, those that are free from a row."""
    rest = iter(row)
    return (next(rest) if value is FREE else value for value in values)


def _chains(universe: Universe, category: m.Value, whole: m.Value) -> Iterator[tuple[GroundFact, ...]]:
    """Yield the chains of rules by which a category is a left corner of another, without detours."""
    waiting: list[tuple[m.Value, tuple[GroundFact, ...]]] = [(whole, ())]
    while waiting:
        reached, chain = waiting.pop()
        if reached == category:
            yield chain
        elif len(chain) < universe.chain:
            bodies = (body for body in universe.grammar.table.bodies_of.get(reached, ()) if body)
            waiting += [(x[0], (*chain, ("rule", reached, x))) for x in bodies if x[0] != HEAD]


Pairs = tuple[tuple[int, int], ...]
_REVERSED = " reversed"


@lru_cache(maxsize=16)
def label_universe(n: int, connectors: int) -> Universe:
    """Return the dictionary for w_0, ..., w_n with all disjuncts of at most so many connectors, at least one.

    >>> [len(offered) for offered in label_universe(2, 1).grammar.disjuncts]
    [2, 4, 2]
    """
    words = tuple(f"w{i}" for i in range(n + 1))
    offered = (plain_disjuncts(word, ("A", "@A"), connectors, i > 0, i < n) for i, word in enumerate(words))
    grammar = SentenceDisjuncts(words, tuple(map(tuple, offered)))
    return Universe(n, LINK_GRAMMAR, grammar, ())


def disjuncts_named(form: m.Form, values: Sequence[m.Value]) -> GroundFacts:
    """Return the disjuncts that the sequences of an item are parts of."""
    found = set()
    for field, value in zip(form.fields, values, strict=True):
        if field.type.kind in ("labels", "dotted labels") and isinstance(value, str):
            origin = value.rpartition(": ")[0].removesuffix(_REVERSED)
            if origin:
                found.add(("disjunct", origin))
    return frozenset(found)


def links_of_codes(universe: Universe, pairs: Iterable[tuple[int, ...]]) -> tuple[Pairs, GroundFacts]:
    """Return links between connectors as links between words, and that the connectors match as facts."""
    sequences = universe.grammar.sequences
    links: list[tuple[int, int]] = []
    facts = set()
    for pair in pairs:
        one, two = (sequences.occurrences[code] for code in pair)
        links.append((one.position, two.position))
        facts.add(("match", one.position, one.disjunct, one.place, two.position, two.disjunct, two.place))
    return tuple(links), frozenset(facts)
