"""Facts of a grammar that no step of a schema can read: the schema's derivations leave them out.

`rule A(B C)` does not match a rule of three symbols, and no step reads a chain rule A -> B if the schema requires that
B is a category of a word. A fact can be read if, in some step, hypothesis or final item, a condition on its relation
matches it and the conditions that are decided then hold; positions of words and values from other items stay open. So a
fact that is found here is never used, while one that is not found may still be of no use in a sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from schemata.errors import Diagnostic, GrammarError
from schemata.grammars.drules import UNREAD
from schemata.grammars.facts import Fact, Facts, Written
from schemata.grammars.relations import FREE, SIGNATURES, Sort
from schemata.grammars.rules import ContextFreeGrammar, DependencyRules, Rule, RuleSet
from schemata.kinds import CONTEXT_FREE, D_RULES, DEPENDENCY_RULES, GrammarKind
from schemata.language import model as m
from schemata.program.matching import QUESTIONS, Match, solve
from schemata.records import Record
from schemata.thresholds import WAYS
from schemata.wording import quoted

READERS: Mapping[GrammarKind, str] = {
    CONTEXT_FREE: "earley", DEPENDENCY_RULES: "lombardo-lesmo1996", D_RULES: "eisner1996",
}  # fmt: skip
"""By kind of grammars a shipped schema that reads every fact of each."""

Place: TypeAlias = "m.Case | m.Clause"
_TYPES: Mapping[Sort, m.Type] = {"symbol": m.SYMBOL, "symbols": m.SYMBOLS, "position": m.POSITION}


class _Constituent(str):
    """A symbol in the body of a rule that other rules make a constituent: not a word's category alone."""

    __slots__ = ()


class _Asked(Record):
    """Where a schema asks for facts of a relation: the terms it asks with, and all conditions beside them."""

    terms: tuple[m.Term, ...]
    sorts: tuple[Sort, ...]
    conditions: tuple[m.Condition, ...]
    types: Mapping[str, m.Type]

    def reads(self, row: Sequence[Any]) -> bool:
        """Whether some binding matches a row, in which FREE stands for any value."""
        kinds = [sort if isinstance(sort, m.Type) else _TYPES.get(sort) for sort in self.sorts]
        goals: list[Any] = [
            Match(value, term, kind)
            for value, term, kind in zip(row, self.terms, kinds, strict=True)
            if value is not FREE and kind is not None
        ]
        goals += (one for one in self.conditions if not isinstance(one, QUESTIONS))
        of_words = [one.terms[1] for one in self.conditions if m.asks(one, "category")]
        return any(
            not any(isinstance(_bound(term, solution.binding), _Constituent) for term in of_words)
            for solution in solve(goals, {}, self.types)
        )


def _bound(term: m.Term, binding: Mapping[str, m.Value]) -> m.Value:
    return binding.get(term.name) if isinstance(term, m.Var) else None


def _asked(schema: m.Schema) -> Mapping[str, tuple[_Asked, ...]]:
    """Return by relation where a schema asks for its facts, or that it lacks them."""
    found: dict[str, list[_Asked]] = {}
    places: tuple[Place, ...] = (*schema.cases, *schema.hypotheses, *schema.finals)
    for place in places:
        for node in m.nodes(place.conditions):
            if isinstance(node, m.HasFact):
                sorts = node.sorts if node.sorts is not None else SIGNATURES[node.relation].sorts
                beside = () if node.negated else place.conditions
                found.setdefault(node.relation, []).append(_Asked(node.terms, sorts, beside, place.types))
    return {relation: tuple(asked) for relation, asked in found.items()}


def unread(schema: m.Schema, grammar: Any) -> tuple[Diagnostic, ...]:
    """Return a warning for each fact of a grammar that no step of a schema can read, in the grammar's order.

    The last answers are kept: a schema runs on many sentences over one grammar.

    Parameters
    ----------
    schema : a schema over the kind of the grammar.
    grammar : the grammar; only rules and facts are examined. A set of links, or a dictionary, consists of licences,
        which are queried one by one.
    """
    match grammar:
        case ContextFreeGrammar(rules=rules, lexicon=lexicon):
            parts: tuple[object, ...] = schema, rules, lexicon
        case DependencyRules(basis=basis):
            parts = schema, basis
        case Facts(table=table):
            parts = schema, table
        case _:
            return ()
    key = tuple(map(id, parts))
    if key not in _kept:
        while _kept and len(_kept) >= WAYS.kept_unread:
            _kept.pop(next(iter(_kept)))
        _kept[key] = parts, tuple(_findings(schema, grammar))
    return _kept[key][1]


_kept: dict[
    tuple[int, ...], tuple[tuple[object, ...], tuple[Diagnostic, ...]]
] = {}  # parts keep their numbers


def _findings(schema: m.Schema, grammar: Any) -> Iterator[Diagnostic]:
    asked = _asked(schema)
    shapes: dict[Any, Literal["all", "words", "none"]] = {}
    literals = {x.value for x in m.nodes((schema.cases, schema.finals)) if isinstance(x, m.Lit)}
    for relation, row, text in _facts_of(grammar):
        if relation not in _provided(schema):
            continue
        shape = relation, _shape(row, literals)
        if shape not in shapes:
            shapes[shape] = _extent(asked.get(relation, ()), row)
        if shapes[shape] != "all":
            yield _warning(schema, text + (_constituents(row) if shapes[shape] == "words" else ""))


def unread_roots(schema: m.Schema) -> tuple[Diagnostic]:
    """Return the warning for root lines of D-rules under a schema that attaches no word to node 0."""
    why = "it attaches no word to node 0"
    return (_warning(schema, "the root lines of the grammar", why),)


def _warning(schema: m.Schema, fact: str, why: str = "none of its steps can read it") -> Diagnostic:
    reader = READERS.get(schema.grammar)
    hint = f"schemata list --grammar {schema.grammar} names other schemata"
    hint += f"; {reader} reads every rule" if reader and reader != schema.name else ""
    message = f"{schema.name} leaves out {fact}: {why}"
    return Diagnostic(UNREAD, message, hint=hint, severity="warning")


def _provided(schema: m.Schema) -> frozenset[str]:
    """Return the relations whose facts a schema should read: those of its kind of grammars, or that it declares."""
    declared = frozenset(relation.name for relation in schema.relations)
    return declared if schema.grammar.relations_declared else frozenset(("rule", "category", "root"))


def _extent(asked: Iterable[_Asked], row: Sequence[Any]) -> Literal["all", "words", "none"]:
    """Return which uses of a row are read: of words alone, where its symbols are constituents, too."""
    asked = tuple(asked)
    if any(one.reads(row) for one in asked):
        return "all"
    plain = tuple(tuple(map(str, part)) if isinstance(part, tuple) else part for part in row)
    return "words" if any(one.reads(plain) for one in asked) else "none"


def _constituents(row: Sequence[Any]) -> str:
    """Return the phrase about a row that is read in a place where its symbols are categories of words."""
    found = (x for part in row if isinstance(part, tuple) for x in part if isinstance(x, _Constituent))
    return f" where {', '.join(dict.fromkeys(found))} is a constituent"


def _shape(row: Sequence[Any], literals: set[Any]) -> Any:
    """Return the features of a row that conditions can see: literals, which of its symbols are equal, and
    constituents.
    """
    numbers: dict[Any, int] = {}

    def seen(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(seen, value))
        if not isinstance(value, str) or value in literals or value[:1] == m.CONSTRUCTOR:
            return value
        return isinstance(value, _Constituent), numbers.setdefault(str(value), len(numbers))

    return tuple(map(seen, row))


def _facts_of(grammar: Any) -> Iterator[tuple[str, tuple[Any, ...], str]]:
    """Yield the facts of a grammar: the relation, the row with FREE for words, and the fact for messages."""
    match grammar:
        case ContextFreeGrammar():
            made = {rule.lhs for rule in grammar.rules}
            yield from _rules(grammar.rules, made)
            yield from _entries(grammar.lexicon.words, grammar.lexicon.tags)
            yield "root", (grammar.start,), f"the start symbol {grammar.start}"
        case DependencyRules(basis=RuleSet() as basis):
            yield from _rules(basis.rules, set())
            yield from _entries(basis.lexicon.words, basis.lexicon.tags)
            for root in sorted(basis.roots):
                yield "root", (root,), f"the root {root}"
        case Facts(table=table) if table is not None:
            for relation, rows in table.rows.items():
                words = [sort == "word" for sort in table.sorts[relation]]
                for row in rows:
                    free = tuple(FREE if word else x for word, x in zip(words, row, strict=True))
                    yield relation, free, f"the fact {Fact(relation, tuple(map(_written, row)))}"


def _written(value: Any) -> Any:
    """Return a value in a row of a table as an argument of a fact."""
    match value:
        case tuple():
            return tuple(map(_written, value))
        case str() if value.startswith(m.CONSTRUCTOR):
            return Written(value.removeprefix(m.CONSTRUCTOR))
    return value


def _rules(rules: Iterable[Rule], made: set[str]) -> Iterator[tuple[str, tuple[Any, ...], str]]:
    for rule in rules:
        body = tuple(_Constituent(symbol) if symbol in made else symbol for symbol in rule.body)
        yield "rule", (rule.lhs, body), f"the rule {rule}"


def _entries(*entries: Iterable[tuple[str, str]]) -> Iterator[tuple[str, tuple[Any, ...], str]]:
    for listed in entries:
        for key, category in listed:
            yield "category", (FREE, category), f"the category {category} of {quoted(key)}"


def with_unread(grammar: Any, findings: Sequence[Diagnostic], strict: bool) -> Any:
    """Return a grammar with warnings about its unread facts; these replace such warnings for other schemata.

    Raises
    ------
    GrammarError : there are some, and `strict` makes them errors.
    """
    if findings and strict:
        raise GrammarError([replace(one, severity="error") for one in findings])
    before = getattr(grammar, "warnings", ())
    warnings = (*(one for one in before if one.code != UNREAD), *findings)
    if warnings == before:
        return grammar
    found = copy(grammar)  # nothing is checked or sorted again
    object.__setattr__(found, "warnings", warnings)
    return found
