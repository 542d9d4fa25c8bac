"""Goals of the matcher, and their choices: cuts of a list, members of a region, what the grammar offers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from schemata.analysis.evaluation import evaluate
from schemata.analysis.label_patterns import label_choices
from schemata.grammars.link_grammar.sequences import sequences_of
from schemata.language import model as m

__all__ = [
    "GRAMMAR_CONDITIONS",
    "Goal",
    "Match",
    "choices",
    "grammar_allows",
    "label_goals",
    "sizes_of",
    "stretch",
]


GRAMMAR_CONDITIONS = m.GRAMMAR_CONDITIONS


@dataclass(frozen=True, slots=True)
class Match:
    """A value that is to match a term of a type."""

    value: m.Value
    term: m.Term
    kind: m.Type


Goal: TypeAlias = "Match | m.Condition"


def sizes_of(term: m.ListTerm, known: Mapping[str, m.Value]) -> list[int | None]:
    """Return how many elements each part of a list pattern stands for, None where that is open."""
    sizes: list[int | None] = []
    for element in term.elements:
        match element:
            case m.Splice(name):
                bound = known.get(name)
                sizes.append(len(bound) if isinstance(bound, tuple) else None)
            case m.Run():
                sizes.append(None)
            case _:
                sizes.append(1)
    return sizes


def stretch(part: tuple[m.Value, ...], element: m.Term, inner: m.Type, whole: m.Type) -> list[Goal]:
    """Return the goals that make a stretch of a list match one part of a list pattern."""
    match element:
        case m.Splice():
            return [Match(part, element, whole)]
        case m.Run(m.Any()):
            return []
        case m.Run(shape):
            return [Match(value, shape, inner) for value in part]
    return [Match(part[0], element, inner)]


def grammar_allows(condition: m.Condition, known: Mapping[str, m.Value], grammar: Any) -> bool | None:
    """Return whether a condition on the grammar holds, or None where its variables are not all bound."""
    try:
        match condition:
            case m.Licensed(dependent, head):
                return (evaluate(dependent, known), evaluate(head, known)) in grammar.pairs
            case m.CategoryLicence(dependent, head):
                return (evaluate(dependent, known), evaluate(head, known)) in grammar.category_pairs
            case m.RootCategory(category):
                return evaluate(category, known) in grammar.roots
            case m.HasCategory(word, category):
                return evaluate(category, known) in grammar.categories.get(evaluate(word, known), ())
            case m.LeftCorner(category, whole):
                return evaluate(category, known) in grammar.corners_of(evaluate(whole, known))
            case m.HasRule(category, body):
                return (evaluate(category, known), evaluate(body, known)) in grammar.rule_pairs
            case m.HasDisjunct(right, left, word):
                sides = evaluate(right, known), evaluate(left, known)
                return sides in _sides(grammar, evaluate(word, known))
    except LookupError:
        return None
    raise TypeError(f"{condition} does not ask the grammar")


def choices(goal: Goal, known: Mapping[str, m.Value], grammar: Any) -> list[tuple[Goal, ...]] | None:
    """Return the ways to go on from a goal, each as goals to add; None where there is nothing to choose."""
    match goal:
        case Match(tuple() as value, m.ListTerm() as term, kind):
            return _cuts(value, term, kind, known)
        case Match(str() as value, m.Labels() as term, kind):
            return _label_ways(value, term, kind, known)
        case m.Member(element, region):
            return _members(element, region, known)
        case Match():
            return None
    if grammar is not None and isinstance(goal, GRAMMAR_CONDITIONS):
        return _offers(goal, known, grammar)
    return None


def _cuts(
    value: tuple[m.Value, ...], term: m.ListTerm, kind: m.Type, known: Mapping[str, m.Value]
) -> list[tuple[Goal, ...]]:
    """Choose the length of a list's first stretch of unknown length."""
    sizes = sizes_of(term, known)
    first = sizes.index(None)
    begin = sum(size or 0 for size in sizes[:first])
    spare = len(value) - sum(size or 0 for size in sizes)
    place = 0
    before: list[Goal] = []
    for element, size in zip(term.elements[:first], sizes, strict=False):
        before += stretch(value[place : place + (size or 0)], element, kind.arguments[0], kind)
        place += size or 0
    found: list[tuple[Goal, ...]] = []
    for length in range(spare + 1):
        part = value[begin : begin + length]
        taken = stretch(part, term.elements[first], kind.arguments[0], kind)
        rest = Match(value[begin + length :], m.ListTerm(term.elements[first + 1 :]), kind)
        found.append((*before, *taken, rest))
    return found


def _label_ways(
    value: str, term: m.Labels, kind: m.Type, known: Mapping[str, m.Value]
) -> list[tuple[Goal, ...]]:
    found: list[tuple[Goal, ...]] = []
    for pairs, again in label_choices(value, term, known):
        goals: list[Goal] = label_goals(pairs)
        found.append((*goals, *([Match(value, again, kind)] if again is not None else [])))
    return found


def label_goals(pairs: Sequence[tuple[m.Value, m.Term]]) -> list[Goal]:
    """Return the goals that parts of a sequence match their terms."""
    return [Match(value, t, m.LABELS if isinstance(t, m.Splice) else m.LABEL) for value, t in pairs]


def _sides(grammar: Any, word: m.Value) -> Sequence[tuple[str, str]]:
    """Return the sides of the disjuncts of a word."""
    return sequences_of(grammar).sides_by_position.get(word, ()) if isinstance(word, int) else ()


def _members(
    element: m.Term, region: m.Region, known: Mapping[str, m.Value]
) -> list[tuple[Goal, ...]] | None:
    outer = region
    while isinstance(outer, m.Without):
        outer = outer.left
    kind = m.POSITION
    values: Sequence[m.Value]
    try:
        if isinstance(outer, m.Var):
            listed = known[outer.name]
            assert isinstance(listed, tuple)
            values = listed
        else:
            low, high = evaluate(outer.low, known), evaluate(outer.high, known)
            absent = not isinstance(low, int) or not isinstance(high, int)
            values = () if absent else range(low, high + 1)  # type: ignore[arg-type, operator]
    except LookupError:
        return None
    again = () if outer is region else (m.Member(element, region),)
    return [(Match(value, element, kind), *again) for value in values]


def _offers(
    condition: m.Condition, known: Mapping[str, m.Value], grammar: Any
) -> list[tuple[Goal, ...]] | None:
    """Return what the grammar offers for a condition's free variables."""
    match condition:
        case m.Licensed(dependent, head) | m.CategoryLicence(dependent, head):
            positions = isinstance(condition, m.Licensed)
            kind = m.POSITION if positions else m.SYMBOL
            pairs = sorted(grammar.pairs if positions else grammar.category_pairs)
            for k, term in enumerate((dependent, head)):
                try:
                    end = evaluate(term, known)
                except LookupError:
                    continue
                pairs = [pair for pair in pairs if pair[k] == end]
            return [(Match(d, dependent, kind), Match(h, head, kind)) for d, h in pairs]
        case m.RootCategory(category):
            return [(Match(root, category, m.SYMBOL),) for root in sorted(grammar.roots)]
        case m.HasCategory(word, category):
            try:
                offered = grammar.categories.get(evaluate(word, known), ())
            except LookupError:
                return None
            return [(Match(found, category, m.SYMBOL),) for found in sorted(offered)]
        case m.LeftCorner(category, whole):
            try:
                return [
                    (Match(found, whole, m.SYMBOL),)
                    for found in grammar.cornered_by(evaluate(category, known))
                ]
            except LookupError:
                pass
            try:
                corners = grammar.corners_of(evaluate(whole, known))
            except LookupError:
                return None
            return [(Match(found, category, m.SYMBOL),) for found in corners]
        case m.HasDisjunct(right, left, word):
            try:
                sides = _sides(grammar, evaluate(word, known))
            except LookupError:
                return None
            return [(Match(a, right, m.LABELS), Match(b, left, m.LABELS)) for a, b in sides]
        case m.HasRule(category, body):
            return [
                (Match(lhs, category, m.SYMBOL), Match(symbols, body, m.SYMBOLS))
                for lhs, symbols in grammar.rule_pairs
            ]
    return None
