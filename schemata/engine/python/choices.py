"""Conditions on the grammar, and membership, in a kernel: tested where all is known, enumerated where not."""

from __future__ import annotations

from collections.abc import Iterable

from schemata.engine.python.expressions import condition_text
from schemata.engine.python.matching import Matcher
from schemata.language import model as m
from schemata.language.substitute import fold

__all__ = ["choose", "grammar_test", "has_a_solution", "has_a_start", "settle_conditions", "solve_equation"]


def grammar_test(matcher: Matcher, condition: m.Condition) -> str:
    """Return the Python test of a condition on the grammar whose variables are all bound."""
    match condition:
        case m.Licensed(dependent, head):
            return f"({matcher.text(dependent)}, {matcher.text(head)}) in licensed"
        case m.CategoryLicence(dependent, head):
            return f"({matcher.text(dependent)}, {matcher.text(head)}) in category_pairs"
        case m.RootCategory(category):
            return f"{matcher.text(category)} in roots"
        case m.HasCategory(word, category):
            return f"{matcher.text(category)} in categories.get({matcher.text(word)}, ())"
        case m.HasRule(category, body):
            return f"({matcher.text(category)}, {matcher.text(body)}) in rules"
        case m.LeftCorner(category, whole):
            return f"{matcher.text(category)} in corners_of({matcher.text(whole)})"
        case m.HasDisjunct(right, left, word):
            sides = f"({matcher.text(right)}, {matcher.text(left)})"
            return f"{sides} in disjuncts_at.get({matcher.text(word)}, ())"
    raise TypeError(f"{condition} does not speak of the grammar")


def has_a_start(matcher: Matcher, condition: m.Condition) -> bool:
    """Whether a binding condition has something to go by."""
    match condition:
        case m.Licensed(left, right) | m.CategoryLicence(left, right):
            return matcher.is_bound(left) or matcher.is_bound(right)
        case m.HasCategory(word, _) | m.HasDisjunct(_, _, word):
            return matcher.is_bound(word)
        case m.Member(_, region):
            return matcher.is_bound(region)
        case m.HasRule(category, _):
            return matcher.is_bound(category)
        case m.LeftCorner(category, whole):
            return matcher.is_bound(category) or matcher.is_bound(whole)
    return True


def choose(matcher: Matcher, condition: m.Condition) -> m.Condition | None:
    """Enumerate what a condition allows for its free variables; returns what is left to test of it."""
    code = matcher.code
    match condition:
        case m.Licensed(dependent, head):
            _choose_ends(matcher, dependent, head, m.POSITION, ("licensed", "heads_of", "dependents_of"))
        case m.CategoryLicence(dependent, head):
            views = ("category_pairs", "categories_above", "categories_below")
            _choose_ends(matcher, dependent, head, m.SYMBOL, views)
        case m.RootCategory(category):
            value = _loop_value(matcher, category, "root")
            code.open(f"for {value} in roots:")
            matcher.match(value, category, m.SYMBOL)
        case m.HasCategory(word, category):
            value = _loop_value(matcher, category, "category")
            code.open(f"for {value} in categories.get({matcher.text(word)}, ()):")
            matcher.match(value, category, m.SYMBOL)
        case m.HasRule(category, body):
            value = matcher.fresh("body")
            if matcher.is_bound(category):
                code.open(f"for {value} in rules_of.get({matcher.text(category)}, ()):")
            else:
                left = _loop_value(matcher, category, "category")
                code.open(f"for {left}, {value} in rules:")
                matcher.match(left, category, m.SYMBOL)
            matcher.match(value, body, m.SYMBOLS)
        case m.LeftCorner(category, whole):
            if matcher.is_bound(category):
                value = _loop_value(matcher, whole, "whole")
                code.open(f"for {value} in cornered_by({matcher.text(category)}):")
                matcher.match(value, whole, m.SYMBOL)
            else:
                value = _loop_value(matcher, category, "corner")
                code.open(f"for {value} in corners_of({matcher.text(whole)}):")
                matcher.match(value, category, m.SYMBOL)
        case m.HasDisjunct(right, left, word):
            one, two = _loop_value(matcher, right, "right"), _loop_value(matcher, left, "left")
            if one == two:
                two = matcher.fresh("left")
            code.open(f"for {one}, {two} in disjuncts_at.get({matcher.text(word)}, ()):")
            matcher.match(one, right, m.LABELS)
            matcher.match(two, left, m.LABELS)
        case m.Member(element, region):
            return _choose_member(matcher, element, region)
        case _:
            raise TypeError(f"{condition} binds nothing")
    return None


def has_a_solution(matcher: Matcher, condition: m.Condition) -> bool:
    """Whether a condition is `x == term` with one side known, and the other a variable or a sum with one unknown."""
    match condition:
        case m.Compare("==", left, right):
            return _is_solved(matcher, left, right) or _is_solved(matcher, right, left)
    return False


def _is_solved(matcher: Matcher, known: m.Term, unknown: m.Term) -> bool:
    if not matcher.is_bound(known):
        return False
    return isinstance(unknown, m.Var) or (isinstance(unknown, m.Linear) and matcher.is_solvable(unknown))


def solve_equation(matcher: Matcher, equation: m.Compare) -> None:
    """Match the unknown side of an equation with the value of the known one."""
    left, right = equation.left, equation.right
    if matcher.is_bound(right):
        left, right = right, left
    value = matcher.fresh("value")
    matcher.code.line(f"{value} = {matcher.text(left)}")
    kind = matcher.types[right.name] if isinstance(right, m.Var) else m.POSITION
    if isinstance(left, m.Var) and left.optional and kind.kind != "optional":
        kind = m.Type(
            "optional", (kind,)
        )  # a variable that must be present is not solved for by an absent value
    matcher.match(value, right, kind)


def settle_conditions(matcher: Matcher, conditions: Iterable[m.Condition]) -> None:
    """Test the conditions of a final item or an equation, in an order in which they bind what they may."""
    waiting = [c if isinstance(c, m.GRAMMAR_CONDITIONS) else fold(c) for c in conditions]
    while True:
        matcher.settle()
        ready = next((c for c in waiting if matcher.is_bound(c)), None)
        if ready is not None:
            waiting.remove(ready)
            known = isinstance(ready, m.GRAMMAR_CONDITIONS)
            matcher.code.test(
                grammar_test(matcher, ready) if known else condition_text(ready, matcher.names)  # type: ignore[arg-type]
            )
            continue
        if not waiting:
            return
        equation = next((c for c in waiting if has_a_solution(matcher, c)), None)
        if isinstance(equation, m.Compare):
            waiting.remove(equation)
            solve_equation(matcher, equation)
            continue
        binding = [c for c in waiting if isinstance(c, (*m.GRAMMAR_CONDITIONS, m.Member))]
        choice = next(c for c in binding if has_a_start(matcher, c))
        waiting.remove(choice)
        rest = choose(matcher, choice)
        if rest is not None:
            waiting.append(rest)


def _choose_ends(
    matcher: Matcher, dependent: m.Term, head: m.Term, kind: m.Type, views: tuple[str, str, str]
) -> None:
    """Enumerate the ends of a licence; `views` are its pairs, the heads of an end and its dependents."""
    code = matcher.code
    pairs, above, below = views
    if matcher.is_bound(dependent):
        value = _loop_value(matcher, head, "head")
        code.open(f"for {value} in {above}.get({matcher.text(dependent)}, ()):")
        matcher.match(value, head, kind)
    elif matcher.is_bound(head):
        value = _loop_value(matcher, dependent, "dependent")
        code.open(f"for {value} in {below}.get({matcher.text(head)}, ()):")
        matcher.match(value, dependent, kind)
    else:
        one, two = _loop_value(matcher, dependent, "dependent"), _loop_value(matcher, head, "head")
        if one == two:
            two = matcher.fresh("head")
        code.open(f"for {one}, {two} in sorted({pairs}):")
        matcher.match(one, dependent, kind)
        matcher.match(two, head, kind)


def _choose_member(matcher: Matcher, element: m.Term, region: m.Region) -> m.Condition | None:
    value = _loop_value(matcher, element, "element")
    outer = region
    while isinstance(outer, m.Without):
        outer = outer.left
    if isinstance(outer, m.Var):
        matcher.code.open(f"for {value} in {matcher.text(outer)}:")
        kind = matcher.types[outer.name].arguments[0]
    else:
        assert isinstance(outer, m.Interval)
        low, high = matcher.text(outer.low), matcher.text(outer.high)
        for end in (outer.low, outer.high):
            if isinstance(end, m.Var) and end.optional:
                matcher.code.test(f"{matcher.text(end)} is not None")
        matcher.code.open(f"for {value} in range({low}, {high} + 1):")
        kind = m.POSITION
    matcher.match(value, element, kind)
    return m.Member(element, region) if outer is not region else None


def _loop_value(matcher: Matcher, term: m.Term, hint: str) -> str:
    """Return the loop variable: the schema's own where the term is an unbound variable."""
    if isinstance(term, m.Var) and term.name not in matcher.bound and term.name != "n":
        return matcher.names[term.name]
    return matcher.fresh(hint)
