"""The stretches of words that items cover, and the conditions on rules for word graphs (`word_graphs`).

An item covers the words from its first position to its last, with the positions between. Other positions are *outside*:
in `right[g, h, e]`, g is outside, the head of the item's head h. No schema states which are outside; any choice will do
(`check_all` searches for one) under which

1. in every rule the stretches of the items above the line adjoin in a row: each begins where the one before ends (at
    the same word or at the next). The stretch of the consequent reaches from the beginning of the first to the end of
    the last, and all its positions are among theirs. Words of the row that no item above covers stand one by one;
2. a position outside of an item above the line is outside of the consequent, too, or another item of the row covers it;
3. a final item covers all from the first word (or 0) to the last (or n + 1), and nothing but the ends is outside.

By induction an item covers words of one path. So does a final item, with all the items of its derivation; and the words
outside of these are covered by others of them, so that they are on the path, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, pairwise, permutations
from typing import NamedTuple, TypeAlias, TypeGuard

from schemata.language import model as m
from schemata.language.bounds import impossible

_MOST_PARTS = 5
END = m.Linear(1, ((m.Var("n"), 1),))
_ENDS = (m.Lit(0), END)


class Unreadable(Exception):  # noqa: N818 - a reason, which becomes a finding
    """Why a rule cannot be read on a word graph."""


class Extent(NamedTuple):
    """The fields of an item form: the first and the last position that it covers, all of these, and the others."""

    first: int
    last: int
    inside: tuple[int, ...]
    outside: tuple[int, ...]


Extents: TypeAlias = Mapping[str, "Extent | None"]
"""By the name of an item form; None where it has no position."""


class Stretch(NamedTuple):
    """The first and last position that an item covers, all of them, and those outside."""

    first: m.Term
    last: m.Term
    inside: tuple[m.Term, ...]
    outside: tuple[m.Term, ...] = ()


def extents(form: m.Form) -> list[Extent | None]:
    """Return the extents that an item form may have: all its positions if their order is known, or some of three or
    more.

    Raises
    ------
    Unreadable : the form does not say which comes first, or has lists of positions.
    """
    for field in form.fields:
        inner = [kind.kind for kind in m.nodes(field.type) if isinstance(kind, m.Type)]
        if field.type.kind != "position" and "position" in inner:
            raise Unreadable(f"items {form.name} have {field.name}, which is more than one position")
    if form.has_normal_form:
        raise Unreadable(f"items {form.name} have normal forms")
    places = tuple(k for k, field in enumerate(form.fields) if field.type.kind == "position")
    if not places:
        return [None]
    found: list[Extent | None] = []
    for size in range(len(places), min(2, len(places)) - 1, -1):
        for inside in combinations(places, size):
            first, last = _least(form, inside)
            if first is not None and last is not None:
                found.append(Extent(first, last, inside, tuple(k for k in places if k not in inside)))
    if not found:
        raise Unreadable(
            f"items {form.name} do not say which of their positions is the first and which the last"
        )
    return found


def _least(form: m.Form, places: Sequence[int]) -> tuple[int | None, int | None]:
    """Return which of some fields is never after, and which is never before, any other of them; None where there is
    none.
    """

    def before(one: int, other: int) -> bool:
        names = m.Var(form.fields[other].name), m.Var(form.fields[one].name)
        return one == other or impossible([*form.where, m.Compare("<", *names)])

    first = next((k for k in places if all(before(k, other) for other in places)), None)
    last = next((k for k in places if all(before(other, k) for other in places)), None)
    return first, last


def _stretch(pattern: m.Pattern, known: Extents) -> Stretch:
    extent = known[pattern.form]
    if extent is None:
        raise Unreadable(f"items {pattern.form} have no position")
    inside, outside = (tuple(pattern.terms[k] for k in places) for places in extent[2:])
    return Stretch(pattern.terms[extent.first], pattern.terms[extent.last], inside, outside)


# Rules --------------------------------------------------------------------------------------------------------------


class _Check(NamedTuple):
    """A test of a rule: the forms of its items, its name in messages, and the function that raises `Unreadable`."""

    forms: frozenset[str]
    name: str
    test: Callable[[Extents], object]


def check_all(
    options: Mapping[str, Sequence[Extent | None]],
    cases: Sequence[m.Case],
    finals: Sequence[m.Clause],
    hypotheses: Sequence[m.Clause],
) -> list[str]:
    """Return why rules cannot be read, whatever their items cover; empty if they can.

    Parameters
    ----------
    options : by the name of an item form, what it may cover.
    cases, finals, hypotheses : the rules, with variables in place of sums.
    """
    given = options.keys() - {case.consequent.form for case in cases}
    checks = [
        _Check(frozenset({x.pattern.form}), f"item {x.pattern.form}", partial(_check_final, x))
        for x in finals
    ]
    checks += [
        _Check(frozenset({x.pattern.form}), f"item {x.pattern.form}", partial(_check_given, x))
        for x in hypotheses
    ]
    for case in cases:
        used = frozenset({case.consequent.form, *(a.pattern.form for a in case.antecedents if not a.context)})
        checks.append(_Check(used, f"step {case.step}", partial(_check_step, case, given)))
    known = _extended({}, list(options), options, checks)
    if known is None:
        first = {name: found[0] for name, found in options.items()}
        return [f"{check.name}: {why}" for check in checks if (why := _why_not(check, first)) is not None]
    return [f"step {step}: {why}" for step, why in predictions(cases, known)]


def _extended(
    known: Extents,
    names: Sequence[str],
    options: Mapping[str, Sequence[Extent | None]],
    checks: Sequence[_Check],
) -> Extents | None:
    """Return an extent for each of some forms with which all checks hold; None if there is none."""
    if not names:
        return known
    name, *rest = names
    for option in options[name]:
        now = {**known, name: option}
        due = (check for check in checks if name in check.forms and check.forms <= now.keys())
        if not any(_why_not(check, now) for check in due):
            found = _extended(now, rest, options, checks)
            if found is not None:
                return found
    return None


def _why_not(check: _Check, known: Extents) -> str | None:
    try:
        check.test(known)
    except Unreadable as why:
        return str(why)
    return None


def _check_step(case: m.Case, given: Collection[str], known: Extents) -> None:
    """Check that the parts of a step adjoin in a row, and that the consequent covers the row."""
    whole = _stretch(case.consequent, known)
    parts = []
    for antecedent in case.antecedents:
        part = None if antecedent.context else _stretch(antecedent.pattern, known)
        alone = (
            antecedent.pattern.form in given and part is not None and set(part.inside) <= set(whole.outside)
        )
        if part is not None and not alone:  # a hypothesis about a word outside says only that there is one
            parts.append(part)
    row = _check_adjoining(case.conditions, parts, whole)
    for part in parts:
        others = {x for other in row if other is not part for x in other.inside}
        if not {*_ENDS, *whole.outside, *others}.issuperset(part.outside):
            raise Unreadable(
                "a word outside of a part is not outside of the consequent, and no part covers it"
            )
    words = {*_ENDS, *whole.outside, *(x for part in row for x in (*part.inside, *part.outside))}
    if not {after(x) or x for built in case.links for x in _positions_of(built)} <= words:
        raise Unreadable("it builds a link of a word that no part has")


def _check_given(clause: m.Clause, known: Extents) -> None:
    """Check that a hypothesis is of one word, or of some that adjoin."""
    _check_adjoining(clause.conditions, [], whole := _stretch(clause.pattern, known))
    if not set(whole.outside) <= {*_ENDS}:
        raise Unreadable("a word outside of a hypothesis is covered by no part")


def _check_final(clause: m.Clause, known: Extents) -> None:
    """Check that a final item covers all from the beginning to the end."""
    whole = _stretch(clause.pattern, known)
    asked = [c.terms for c in clause.conditions if asks_next(c)]
    begins = whole.first == m.Lit(0) or (m.Lit(0), whole.first) in asked
    closes = whole.last == END or (whole.last, END) in asked
    if not (begins and closes and set(whole.outside) <= {*_ENDS}):
        raise Unreadable("it does not reach from the first word to the last")


def _check_adjoining(
    conditions: Sequence[m.Condition], parts: Sequence[Stretch], whole: Stretch
) -> list[Stretch]:
    """Return the parts that adjoin in a row from the beginning to the end of the derived item.

    Words that the item covers, but no part, are single words.
    """
    adjoining = {(c.terms[0], c.terms[1]) for c in conditions if asks_next(c)}
    inside = {x for part in parts for x in part.inside}
    row = [*parts, *(Stretch(x, x, (x,)) for x in dict.fromkeys(whole.inside) if x not in inside)]
    if len(row) > _MOST_PARTS:
        raise Unreadable(f"it has more than {_MOST_PARTS} parts")
    used: set[tuple[m.Term, m.Term]] = set()
    for order in permutations(row):
        pairs = [(one.last, other.first) for one, other in pairwise(order)]
        if all(pair in adjoining or (pair[0] == pair[1] and pair[0] != m.Any()) for pair in pairs):
            used, row = adjoining.intersection(pairs), list(order)
            break
    else:
        raise Unreadable("the parts above the line do not adjoin in a row")
    if (row[0].first, row[-1].last) != (whole.first, whole.last):
        raise Unreadable("the consequent does not reach from the first part to the last")
    if any(pair not in used and not (pair[0] == m.Lit(0) or pair[1] == END) for pair in adjoining):
        raise Unreadable("it asks whether words adjoin that are not the ends of two parts")
    return row


def asks_next(condition: m.Condition) -> TypeGuard[m.HasFact]:
    """Whether a condition asks for a word that follows another one."""
    return isinstance(condition, m.HasFact) and condition.relation == m.NEXT_WORD


def after(term: m.Term) -> m.Term | None:
    """Return the word of which a term is the number and one more; None for any other term."""
    match term:
        case m.Lit(1):
            return m.Lit(0)
        case m.Linear(1, ((m.Var(name), 1),)) if name != "n":
            return m.Var(name)
    return None


def _positions_of(built: m.AnyAtom) -> Iterable[m.Term]:
    if isinstance(built, m.Join):
        return built.left, built.right
    return (t for t, kind in zip(built.terms, built.types, strict=True) if kind.kind == "position")


# Prediction ---------------------------------------------------------------------------------------------------------


def predictions(cases: Sequence[m.Case], known: Extents) -> Iterator[tuple[str, str]]:
    """Yield the steps that look at items which may stand on another path, and why.

    A context item (`given`) is not part of a derivation, so it may be derived on another path than the consequent. That
    does no harm if an item like it is in the derivation anyway, on the left of the consequent. This is so if

    - steps look for any item that ends where their consequent begins, or for one with their left-hand side after its
        dot there, or with a symbol that may begin with it;
    - the other steps keep the beginning of their first part (and its left-hand side), and their other parts begin where
        one ends (with them after its dot); or they open a rule with a complete item.

    Then the items above an item begin where it does (and their categories may begin with its), until one is appended to
    a part that ends there (with it after its dot). Or they begin at 0, where the same items end on all paths.
    """
    asking = [case for case in cases if any(antecedent.context for antecedent in case.antecedents)]
    (form, *more) = dict.fromkeys(case.consequent.form for case in cases) or [""]
    alike = all(_is_any(pattern, known) for case in asking for pattern in _seen(case))
    opened = [] if alike else [case for case in cases if _opens(case, known)]
    for case in asking:
        if more or not all(
            pattern.form == form
            and _stretch(pattern, known).last == _stretch(case.consequent, known).first
            and (alike or _wants(case, pattern, known, exact=not opened))
            for pattern in _seen(case)
        ):
            yield case.step, "it looks at an item that may be on another path"
            continue
        for other in cases if case is asking[0] else ():
            own = [a.pattern for a in other.antecedents if not a.context and a.pattern.form == form]
            if (
                own
                and other not in opened
                and not (_follows(other, own, known) if alike else _appends(other, own, known))
            ):
                yield other.step, f"it does not append what step {case.step} predicts"


def _seen(case: m.Case) -> list[m.Pattern]:
    return [antecedent.pattern for antecedent in case.antecedents if antecedent.context]


def _is_any(pattern: m.Pattern, known: Extents) -> bool:
    """Whether a pattern matches every item of its form that ends at one word."""
    extent = known[pattern.form]
    return extent is not None and all(
        term == m.Any() for k, term in enumerate(pattern.terms) if k != extent.last
    )


def _follows(case: m.Case, own: Sequence[m.Pattern], known: Extents) -> bool:
    """Whether one part of a case begins where its consequent does, and all others where one ends."""
    parts, whole = [_stretch(pattern, known) for pattern in own], _stretch(case.consequent, known)
    ends = {part.last for part in parts}
    return sum(part.first == whole.first for part in parts) == 1 and all(
        part.first in ends for part in parts if part.first != whole.first
    )


class _Dotted(NamedTuple):
    """A dotted item: its left-hand side, where it stands, and the symbol after its dot: None if there is none."""

    category: m.Term
    wanted: m.Term | None
    stretch: Stretch


def _dotted(pattern: m.Pattern, known: Extents) -> _Dotted | None:
    """Return a dotted item that has no other fields than a rule and two positions; None for any other item."""
    match [x for x in pattern.terms if isinstance(x, m.TupleTerm)]:
        case [m.TupleTerm((category, _, m.ListTerm(found)))] if len(pattern.terms) == 3:
            wanted = found[0] if found else None
            open_ended = isinstance(wanted, m.Splice | m.Run)
            return _Dotted(category, m.Any() if open_ended else wanted, _stretch(pattern, known))
    return None


def _wants(case: m.Case, pattern: m.Pattern, known: Extents, *, exact: bool) -> bool:
    """Whether a case takes as context any item with its left-hand side, or (if not `exact`) a symbol that may begin
    with it, after the dot.
    """
    derived = _dotted(case.consequent, known)
    every = (case.conditions, case.links, case.head, case.weight, case.consequent)
    uses: Counter[str] = Counter(
        m.variables((every, tuple(antecedent.pattern for antecedent in case.antecedents)))
    )

    def free(term: object) -> bool:
        return term in (m.Any(), m.Run(m.Any())) or (
            isinstance(term, m.Var | m.Splice) and uses[term.name] == 1
        )

    match pattern.terms:
        case (m.TupleTerm((any_, m.ListTerm((before,)), m.ListTerm((m.Var() as wanted, rest)))), first, _):
            if derived is None or not all(map(free, (any_, before, rest, first))):
                return False
            if m.HasFact("left_corner", (derived.category, wanted)) in case.conditions:
                return uses[wanted.name] == 2
            return exact and wanted == derived.category
    return False


def _appends(case: m.Case, own: Sequence[m.Pattern], known: Extents) -> bool:
    """Whether a case moves the dot of its first item over a word, or over complete items that it wants."""
    first, *others = (_dotted(pattern, known) for pattern in own)
    derived = _dotted(case.consequent, known)
    if first is None or derived is None:
        return False
    return (first.category, first.stretch.first) == (derived.category, derived.stretch.first) and all(
        other is not None
        and other.wanted is None
        and other.category == first.wanted
        and other.stretch.first == first.stretch.last
        for other in others
    )


def _opens(case: m.Case, known: Extents) -> bool:
    """Whether a case opens a rule with a complete item, its first symbol."""
    own = [a.pattern for a in case.antecedents if not a.context]
    first, derived = (
        (_dotted(own[0], known), _dotted(case.consequent, known)) if len(own) == 1 else (None, None)
    )
    if first is None or derived is None or first.wanted is not None:
        return False
    rules = (c.terms for c in case.conditions if isinstance(c, m.HasFact) and c.relation == "rule")
    return first.stretch.first == derived.stretch.first and any(
        category == derived.category
        and isinstance(body, m.ListTerm)
        and body.elements[:1] == (first.category,)
        for category, body in rules
    )
