"""An interpreting matcher: finds the bindings under which items match the patterns of a rule.

The rule is read as it stands in the checked schema, and nothing is generated, so that the matcher also checks
the generated kernels. It works on goals: a value to match against a term, or a condition. What a binding
decides is settled first; then the goal with the fewest choices (a cut of a list, what the grammar offers) is
tried choice by choice. Goals that nothing decides are handed back as `waiting`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from schemata.grammars.link_grammar.sequences import sequences_of
from schemata.language import labels
from schemata.language import model as m
from schemata.language.labels import is_multi, turned
from schemata.program.evaluation import evaluate, truth

UNKNOWN = m.Type("optional", (m.POSITION,))  # fits every value: what is matched checks no more than absence


@dataclass(frozen=True, slots=True)
class Solution:
    """A binding that fulfils the goals, but for those that wait for variables nothing has bound."""

    binding: dict[str, m.Value]
    waiting: tuple[Goal, ...]


def match_pattern(form: m.Form, pattern: m.Pattern, values: Sequence[m.Value]) -> list[Goal]:
    """Return the goals that make an item's values match a pattern."""
    return [Match(v, t, f.type) for v, t, f in zip(values, pattern.terms, form.fields, strict=True)]


def solve(
    goals: Sequence[Goal], binding: Mapping[str, m.Value], types: Mapping[str, m.Type], grammar: Any = None
) -> Iterator[Solution]:
    """Yield the solutions of goals, in a fixed order; the same binding may come twice.

    Parameters
    ----------
    goals : values to match and conditions.
    binding : what is known, the sentence length among it as `n`.
    types : the types of the rule's variables.
    grammar : what the conditions on the grammar ask; without one they wait.

    >>> pattern = m.ListTerm((m.Splice("A"), m.Var("x"), m.Splice("B")))
    >>> positions, pairs = m.Type("list", (m.POSITION,)), {"A": m.SYMBOLS, "B": m.SYMBOLS, "x": m.POSITION}
    >>> [s.binding["x"] for s in solve([Match((5, 6), pattern, positions)], {"n": 9}, pairs)]
    [5, 6]
    """
    stack: list[tuple[Sequence[Goal], dict[str, m.Value]]] = [(goals, dict(binding))]
    while stack:
        todo, known = stack.pop()
        rest = _settle(todo, known, types, grammar)
        if rest is None:
            continue
        best: tuple[int, list[tuple[Goal, ...]]] | None = None
        for k, goal in enumerate(rest):
            offered = choices(goal, known, grammar)
            if offered is not None and (best is None or len(offered) < len(best[1])):
                best = k, offered
        if best is None:
            yield Solution(known, tuple(rest))
            continue
        place, offered = best
        others = [*rest[:place], *rest[place + 1 :]]
        stack += [([*choice, *others], dict(known)) for choice in reversed(offered)]


def _settle(
    goals: Sequence[Goal], known: dict[str, m.Value], types: Mapping[str, m.Type], grammar: Any
) -> list[Goal] | None:
    """Work off the goals that leave no choice; returns those that wait, or None where one fails."""
    todo = list(goals)
    while True:
        rest: list[Goal] = []
        moved = False
        todo.reverse()
        while todo:
            goal = todo.pop()
            outcome = _reduce(goal, known, types, grammar)
            if outcome is False:
                return None
            if outcome is None:
                rest.append(goal)
                continue
            moved = True
            if outcome is not True:
                todo += reversed(outcome)
        if not moved or not rest:
            return rest
        todo = rest


Outcome: TypeAlias = "bool | list[Goal] | None"


def _reduce(goal: Goal, known: dict[str, m.Value], types: Mapping[str, m.Type], grammar: Any) -> Outcome:
    """Settle one goal: whether it holds, the goals it comes down to, or None where it must wait."""
    if isinstance(goal, Match):
        return _match(goal, known, types)
    if isinstance(goal, GRAMMAR_CONDITIONS):
        return None if grammar is None else grammar_allows(goal, known, grammar)
    match goal:
        case m.Junction("and", operands):
            return list(operands)
        case m.Compare("==", left, right):
            for one, other in ((left, right), (right, left)):
                try:
                    value = evaluate(one, known)
                except LookupError:
                    continue
                return _match(Match(value, other, _kind_of(other, types)), known, types)
            return None
    return truth(goal, known)


def _kind_of(term: m.Term, types: Mapping[str, m.Type]) -> m.Type:
    """Return the type of a term of an equation, where a variable tells."""
    if isinstance(term, m.Var | m.Splice):
        return types.get(term.name, m.POSITION)
    return UNKNOWN


def _match(goal: Match, known: dict[str, m.Value], types: Mapping[str, m.Type]) -> Outcome:
    value, term = goal.value, goal.term
    match term:
        case m.Var(name) | m.Splice(name):
            if name in known:
                return known[name] == value
            if value is None and types[name].kind != "optional":
                return False
            known[name] = value
            return True
        case m.Any():
            return True
        case m.Lit(wanted):
            return value == wanted
        case m.Linear():
            return _match_linear(value, term, known)
        case m.Not(m.Var(name)) if name not in known:
            if value is None:  # the opposite of an absent flag is no flag
                return False
            known[name] = not value
            return True
        case m.TupleTerm() if value is None:
            return False
        case m.TupleTerm(terms):
            assert isinstance(value, tuple)
            # Where an equation or a list's elements are matched, the type of the whole may not be known.
            kinds = goal.kind.parts if len(goal.kind.parts) == len(terms) else (UNKNOWN,) * len(terms)
            return [Match(v, t, k) for v, t, k in zip(value, terms, kinds, strict=True)]
        case m.ListTerm():
            return _match_list(goal, term, known)
        case m.Labels() | m.Reversed() if value is None:
            return False
        case m.Labels():
            assert isinstance(value, str)
            parts = match_labels(value, term, known)
            return label_goals(parts) if isinstance(parts, list) else parts
        case m.Reversed(operand):
            assert isinstance(value, str)
            return [Match(turned(value), operand, m.LABELS)]
    try:
        return evaluate(term, known) == value
    except LookupError:
        return None


def _match_linear(value: m.Value, term: m.Linear, known: dict[str, m.Value]) -> bool | None:
    """Solve a linear term for its one unknown variable."""
    if not isinstance(value, int):
        return False
    rest = value - term.constant
    unknown: tuple[m.Var | m.Length, int] | None = None
    for atom, coefficient in term.atoms:
        if atom.name not in known:
            if unknown is not None:
                return None
            unknown = atom, coefficient
            continue
        number = evaluate(atom, known)
        if not isinstance(number, int):
            return False
        rest -= coefficient * number
    if unknown is None:
        return rest == 0
    atom, coefficient = unknown
    if isinstance(atom, m.Length) or coefficient not in (1, -1):
        return None
    known[atom.name] = rest * coefficient
    return True


def _match_list(goal: Match, term: m.ListTerm, known: Mapping[str, m.Value]) -> Outcome:
    """Take a list apart where no more than one of its stretches is of unknown length."""
    assert isinstance(goal.value, tuple)
    sizes = sizes_of(term, known)
    open_places = [k for k, size in enumerate(sizes) if size is None]
    spare = len(goal.value) - sum(size or 0 for size in sizes)
    if spare < 0 or (spare and not open_places):
        return False
    if len(open_places) > 1:
        return None
    inner = goal.kind.arguments[0]
    found: list[Goal] = []
    place = 0
    for element, size in zip(term.elements, sizes, strict=True):
        length = spare if size is None else size
        found += stretch(goal.value[place : place + length], element, inner, goal.kind)
        place += length
    return found


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
                return evaluate(category, known) in grammar.table.corners_of(evaluate(whole, known))
            case m.HasRule(category, body):
                return (evaluate(category, known), evaluate(body, known)) in grammar.table.pairs
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
                    for found in grammar.table.cornered_by(evaluate(category, known))
                ]
            except LookupError:
                pass
            try:
                corners = grammar.table.corners_of(evaluate(whole, known))
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
                for lhs, symbols in grammar.table.pairs
            ]
    return None


Binding = Mapping[str, m.Value]


def match_labels(value: str, term: m.Labels, known: Binding) -> list[tuple[m.Value, m.Term]] | bool | None:
    """Take a sequence apart.

    Returns
    -------
    The values that its parts have to match, False where the value cannot match, None where there is a choice:
    a dot that may have stayed, or two stretches of unknown length.
    """
    if term.stays:
        return None
    sides = [value] if term.dot is None else [labels.before(value), labels.after(value)]
    found: list[tuple[m.Value, m.Term]] = []
    for side, parts in zip(sides, term.sides, strict=True):
        one = _match_side(side, parts, known)
        if not isinstance(one, list):
            return one
        found += one
    return found


def _size(part: m.Term, known: Binding) -> int | None:
    match part:
        case m.Splice(name):
            value = known.get(name)
            return labels.label_count(value) if isinstance(value, str) else None
        case m.Run():
            return None
    return 1


def _match_side(
    side: str, parts: Sequence[m.Term], known: Binding
) -> list[tuple[m.Value, m.Term]] | bool | None:
    sizes = [_size(part, known) for part in parts]
    spare = labels.label_count(side) - sum(size or 0 for size in sizes)
    if spare < 0 or (spare and None not in sizes):
        return False
    if sizes.count(None) > 1:
        return None
    return _cut(side, parts, [spare if size is None else size for size in sizes])


def _cut(side: str, parts: Sequence[m.Term], sizes: Sequence[int]) -> list[tuple[m.Value, m.Term]]:
    found: list[tuple[m.Value, m.Term]] = []
    for part, size in zip(parts, sizes, strict=True):
        here, side = labels.split(side, size)
        if not isinstance(part, m.Run | m.Any):
            found.append((here, part))
    return found


def label_choices(
    value: str, term: m.Labels, known: Binding
) -> list[tuple[list[tuple[m.Value, m.Term]], m.Labels | None]]:
    """Return the ways to take a sequence apart where there is a choice.

    Each is what its parts have to match, and the pattern that the value then has to match as well, if any.
    """
    if term.stays:
        assert term.dot
        moved, stayed = m.Labels(term.parts, term.dot), m.Labels(term.parts, term.dot - 1)
        after = labels.after(value)
        may_stay = bool(after) and is_multi(labels.first(after))
        return [([], moved), *([([], stayed)] if may_stay else [])]
    sides = [value] if term.dot is None else [labels.before(value), labels.after(value)]
    ways: list[list[list[tuple[m.Value, m.Term]]]] = []
    for side, parts in zip(sides, term.sides, strict=True):
        sizes = [_size(part, known) for part in parts]
        spare = labels.label_count(side) - sum(size or 0 for size in sizes)
        shares = _shares(spare, sizes.count(None))
        ways.append([_cut(side, parts, _filled(sizes, share)) for share in shares])
    return [([pair for way in choice for pair in way], None) for choice in itertools.product(*ways)]


def _shares(total: int, count: int) -> Iterator[tuple[int, ...]]:
    """Yield the ways to share labels out among stretches of unknown length."""
    if count == 0:
        if total == 0:
            yield ()
        return
    for first in range(total + 1):
        for rest in _shares(total - first, count - 1):
            yield first, *rest


def _filled(sizes: Sequence[int | None], share: tuple[int, ...]) -> list[int]:
    left = iter(share)
    return [next(left) if size is None else size for size in sizes]


def join_ends(join: m.Join, binding: Mapping[str, m.Value], grammar: Any) -> tuple[int, int] | None:
    """Return the numbers of the connectors that a step links; (-1, -1) where it links none, None where it cannot.

    Raises
    ------
    LookupError : the binding does not determine them.
    """
    if join.when is not None and not evaluate(join.when, binding):
        return -1, -1
    left, right = evaluate(join.left, binding), evaluate(join.right, binding)
    to_right, to_left = evaluate(join.by.left, binding), evaluate(join.by.right, binding)
    assert isinstance(left, int)
    assert isinstance(right, int)
    assert isinstance(to_right, str)
    assert isinstance(to_left, str)
    view = sequences_of(grammar)
    one, other = view.right_codes[left].get(to_right), view.left_codes[right].get(to_left)
    if one is None or other is None or not 0 < right - left <= min(view.reaches[one], view.reaches[other]):
        return None
    return one, other


def join_goals(join: m.Join, ends: tuple[int, int], grammar: Any) -> list[Goal]:
    """Return what the numbers of two linked connectors tell of a step's variables."""
    if ends[0] < 0:
        return [] if join.when is None else [m.Not(join.when)]
    places = [sequences_of(grammar).occurrences[code].position for code in ends]
    return [Match(places[0], join.left, m.POSITION), Match(places[1], join.right, m.POSITION)]
