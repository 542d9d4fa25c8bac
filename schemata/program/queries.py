"""Queries: relations over a rule's variables that terms or the grammar decide, worked out once for each question.

Where a condition is neither linear nor about licences, a rule *asks* it: `rule A(B *beta)`, `corner A of E`, the
parts of a list or of a dotted rule, the list that a consequent puts together. A query holds such goals over
variables of its own; some of them are bound when it is asked, the others come back as rows. Goals that share
variables which nothing else mentions stand in one query, so these variables are never seen outside:
`edge[A(*alpha . B *beta), i, j]` that becomes `edge[A(*alpha B . *beta), i, k]` is one table from a dotted
rule to the symbol after its dot and the rule with the dot moved.

Kernels keep the rows of a query by what was bound, as numbers; `Terms` numbers the values.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, Protocol, TypeAlias

from schemata.language import model as m
from schemata.language.labels import outcomes
from schemata.program.evaluation import evaluate
from schemata.program.linear import Asks, Sort, variable
from schemata.program.matching import Goal, Match, join_ends, solve

__all__ = ["Asked", "Equals", "Joined", "Query", "Terms", "ask", "goals_of", "grouped", "sort_of"]


def sort_of(kind: m.Type) -> Sort:
    """Return how the values of a type become numbers: as they are, or interned."""
    while kind.kind == "optional":
        kind = kind.arguments[0]
    return kind.kind if kind.kind in ("position", "flag", "symbol") else kind


@dataclass(frozen=True, slots=True)
class Equals:
    """The value of a variable matches a pattern: taken apart where it is bound, put together where the parts are."""

    name: str
    term: m.Term
    kind: m.Type


@dataclass(frozen=True, slots=True)
class Joined:
    """Two variables are the numbers of the connectors that a step joins."""

    join: m.Join
    ends: tuple[str, str]


Asked: TypeAlias = "Equals | Joined | m.Condition"


def _inputs(goal: Asked) -> set[str]:
    match goal:
        case Equals(_, term):
            return _names(term)
        case Joined(join):
            return _names(join)
    return _names(goal)


def _names_with_n(goal: Asked) -> Iterator[str]:
    match goal:
        case Equals(_, term):
            return m.variables(term)
        case Joined(join):
            return m.variables(join)
    return m.variables(goal)


def _names(node: Any) -> set[str]:
    return {x for x in m.variables(node) if x != "n"}


@dataclass(frozen=True, slots=True)
class Query:
    """Goals over variables ``0``, ``1`` ...; `sorts` and `types` have one entry a variable."""

    goals: tuple[Asked, ...]
    types: tuple[m.Type, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, in order."""
        return tuple(str(k) for k in range(len(self.types)))

    def determined(self, bound: Collection[int]) -> set[int] | None:
        """Return the variables that have one value at most once these are bound; None where goals cannot be asked."""
        known = {str(k) for k in bound}
        single = set(known)
        waiting = list(self.goals)
        while waiting:
            goal = next((g for g in waiting if _is_ready(g, known)), None)
            if goal is None:
                return None
            waiting.remove(goal)
            names = _inputs(goal) | _outputs(goal)
            if _is_function(goal, single):
                single |= names
            known |= names
        return {int(x) for x in single}

    @property
    def is_lasting(self) -> bool:
        """Whether answers depend on terms and on the grammar's rules alone, not on the sentence."""
        about_words = (m.Licensed, m.CategoryLicence, m.HasCategory, m.HasDisjunct, Joined)
        names = (x for goal in self.goals if not isinstance(goal, about_words) for x in _names_with_n(goal))
        return not any(isinstance(goal, about_words) for goal in self.goals) and "n" not in names

    def is_ready(self, bound: Collection[int]) -> bool:
        """Whether the query can be asked once these variables are bound."""
        return self.determined(bound) is not None

    def rows(
        self, bound: Mapping[int, m.Value], wanted: Iterable[int], n: int, grammar: Any
    ) -> Iterator[Any]:
        """Yield the values of the wanted variables, each row once.

        Parameters
        ----------
        bound : values of bound variables.
        wanted : the variables asked for.
        n, grammar : the sentence's.
        """
        names = [str(k) for k in wanted]
        types = {str(k): t for k, t in enumerate(self.types)}
        known: dict[str, m.Value] = {"n": n, **{str(k): v for k, v in bound.items()}}
        goals: list[Goal] = []
        built: list[Equals | Joined] = []
        for goal in self.goals:
            match goal:
                case Equals(name, term, kind) if name in known:
                    goals.append(Match(known[name], term, kind))
                case Equals() | Joined():
                    built.append(goal)
                case _:
                    goals.append(goal)
        rows: dict[tuple[m.Value, ...], None] = {}
        for solution in solve(goals, known, types, grammar):
            assert not solution.waiting, (self, bound, solution.waiting)
            for binding in _completed(built, dict(solution.binding), grammar):
                rows[tuple(binding[x] for x in names)] = None
        yield from rows


def _completed(
    built: list[Equals | Joined], binding: dict[str, m.Value], grammar: Any
) -> Iterator[dict[str, m.Value]]:
    """Yield a binding with the values of what is put together; none where some value does not exist."""
    if not built:
        yield binding
        return
    goal, *rest = built
    match goal:
        case Joined(join, (left, right)):
            ends = join_ends(join, binding, grammar)
            choices: list[dict[str, m.Value]] = [] if ends is None else [{left: ends[0], right: ends[1]}]
        case Equals(name, term):
            choices = [{name: value} for value in _values(term, binding)]
    for choice in choices:
        if all(binding.get(x, value) == value for x, value in choice.items()):
            yield from _completed(rest, {**binding, **choice}, grammar)


def _values(term: m.Term, binding: Mapping[str, m.Value]) -> tuple[m.Value, ...]:
    """Return the values that a consequent's term may have: one, two where a dot may stay, none if parts do not fit."""
    try:
        if isinstance(term, m.Labels) and term.stays:
            assert term.dot
            before = evaluate(m.Labels(term.parts, term.dot - 1), binding)
            assert isinstance(before, str)
            return outcomes(before)
        return (evaluate(term, binding),)
    except LookupError:
        return ()


def _outputs(goal: Asked) -> set[str]:
    match goal:
        case Equals(name):
            return {name}
        case Joined(_, ends):
            return set(ends)
    return set()


def _is_ready(goal: Asked, known: set[str]) -> bool:
    match goal:
        case Equals(name, term):
            return (name in known and _only_in_runs(term) <= known) or _names(term) <= known
        case Joined():
            return _inputs(goal) <= known
        case m.HasCategory(word) | m.HasDisjunct(_, _, word):
            return _names(word) <= known
        case m.LeftCorner(category, whole):
            return _names(category) <= known or _names(whole) <= known
        case m.Member(_, region):
            return _names(region) <= known
        case m.Compare("==", left, right):
            return _names(left) <= known or _names(right) <= known
    return isinstance(goal, m.GRAMMAR_CONDITIONS) or _names(goal) <= known


def _only_in_runs(term: m.Term) -> set[str]:
    """Return the variables that only the shapes of runs have: a run of no elements binds none of them."""
    inside, outside = set[str](), set[str]()

    def look(node: Any, run: bool) -> None:
        match node:
            case m.Run(shape):
                look(shape, True)
            case m.ListTerm(parts) | m.TupleTerm(parts) | m.Labels(parts):
                for part in parts:
                    look(part, run)
            case _:
                (inside if run else outside).update(_names(node))

    look(term, False)
    return inside - outside


def _is_function(goal: Asked, single: set[str]) -> bool:
    """Whether a goal has one answer at most for values of these variables."""
    if _inputs(goal) <= single:
        return not (isinstance(goal, Equals) and isinstance(goal.term, m.Labels) and goal.term.stays)
    match goal:
        case Equals(name, term):
            return name in single and _is_rigid(term, single)
        case m.Compare("==", left, right):
            return any(
                _names(a) <= single and _is_rigid(b, single) for a, b in ((left, right), (right, left))
            )
    return False


def _is_rigid(term: m.Term, known: set[str]) -> bool:
    """Whether a value matches a pattern in one way at most."""
    match term:
        case m.ListTerm(elements):
            return _stretches(elements, known) <= 1 and all(_is_rigid(e, known) for e in elements)
        case m.TupleTerm(parts):
            return all(_is_rigid(p, known) for p in parts)
        case m.Labels():
            return not term.stays and all(_stretches(side, known) <= 1 for side in term.sides)
        case m.Reversed(operand):
            return _is_rigid(operand, known)
        case m.Linear(_, atoms):
            return sum(a.name not in known for a, _ in atoms) <= 1
    return isinstance(term, m.Var | m.Any | m.Lit | m.Splice | m.Run | m.Not) or _names(term) <= known


def _stretches(elements: Iterable[m.Term], known: set[str]) -> int:
    return sum(isinstance(e, m.Run) or (isinstance(e, m.Splice) and e.name not in known) for e in elements)


def ask(goals: Sequence[Asked], types: Mapping[str, m.Type]) -> Asks:
    """Return a query for goals over a rule's variables, which it knows by number."""
    names = list(dict.fromkeys(x for g in goals for x in (*_outputs(g), *sorted(_inputs(g)))))
    numbers = {x: str(k) for k, x in enumerate(names)}
    kinds = tuple(_present(types.get(x, m.POSITION)) for x in names)
    return Asks(Query(tuple(_renamed(g, numbers) for g in goals), kinds), tuple(map(variable, names)))


def goals_of(test: Asks) -> tuple[Asked, ...]:
    """Return what a query asks, over the variables of the rule that asks it."""
    names = {str(k): str(term).strip("'") for k, term in enumerate(test.terms)}
    return tuple(_renamed(goal, names) for goal in test.query.goals)


def grouped(
    taken: Sequence[Equals], made: Sequence[Equals], conditions: Sequence[Asked], outside: Collection[str]
) -> list[list[Asked]]:
    """Return the goals of a rule in the groups that are asked together.

    What a value's parts alone decide stands with the pattern that takes it apart; conditions on the grammar that
    share a variable which no antecedent has stand together, with what is put together from it.

    Parameters
    ----------
    taken, made : the values that antecedents take apart, and those that the consequent puts together.
    conditions : on the grammar, and those that are not linear.
    outside : the variables of the antecedents' linear terms.
    """
    groups: list[tuple[list[Asked], set[str]]] = [([goal], _names(goal.term)) for goal in taken]
    known = set(outside).union(*(names for _, names in groups))
    rest: list[Asked] = []
    for goal in (*made, *conditions):
        asks_grammar = isinstance(goal, (*m.GRAMMAR_CONDITIONS, Joined))
        home = None if asks_grammar else next((g for g, names in groups if _inputs(goal) <= names), None)
        if home is None:
            rest.append(goal)
        else:
            home.append(goal)
    free: list[tuple[list[Asked], set[str]]] = []
    for goal in sorted(rest, key=lambda g: not isinstance(g, m.GRAMMAR_CONDITIONS)):
        names = _inputs(goal) - known
        joined = [group for group in free if group[1] & names]
        goals = [g for group in joined for g in group[0]] + [goal]
        free = [group for group in free if group not in joined]
        free.append((goals, names.union(*(group[1] for group in joined))))
    return [goals for goals, _ in (*groups, *free)]


def _present(kind: m.Type) -> m.Type:
    return kind.arguments[0] if kind.kind == "optional" else kind


def _renamed(node: Any, numbers: Mapping[str, str]) -> Any:
    """Return a goal with other names for its variables."""
    match node:
        case tuple():
            return tuple(_renamed(x, numbers) for x in node)
        case m.Var(name) | m.Length(name) | m.Splice(name):
            return replace(node, name=numbers.get(name, name))
        case Equals(name, term, kind):
            return Equals(numbers[name], _renamed(term, numbers), kind)
        case Joined(join, (left, right)):
            return Joined(_renamed(join, numbers), (numbers[left], numbers[right]))
    if is_dataclass(node) and not isinstance(node, type):
        return replace(node, **{f.name: _renamed(getattr(node, f.name), numbers) for f in fields(node)})
    return node


class ListStore(Protocol):
    """Lists by number, where a kernel numbers them."""

    def has(self, kind: m.Type) -> bool:
        """Whether lists of a type are numbered here."""
        ...

    def number(self, kind: m.Type, value: Any, make: bool = True) -> int | None:
        """Return the number of a list; without `make`, None where it has none."""
        ...

    def value(self, kind: m.Type, number: int) -> Any:
        """Return the list that has a number."""
        ...


@dataclass(slots=True)
class Terms:
    """Values by number: symbols, and the terms of every type, in the order they were met."""

    symbols: Iterable[str] = ()
    lists: ListStore | None = None  # lists that a kernel numbers
    _values: dict[Sort, list[Any]] = field(default_factory=dict)
    _numbers: dict[Sort, dict[Any, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for symbol in self.symbols:
            self.number("symbol", symbol)

    def number(self, sort: Sort, value: Any) -> int:
        """Return the number of a value, a new one where it has none."""
        if sort == "position":
            return int(value)
        if sort == "flag":
            return int(value)
        if self.lists is not None and isinstance(sort, m.Type) and self.lists.has(sort):
            found = self.lists.number(sort, value)
            assert found is not None
            return found
        numbers = self._numbers.get(sort)
        if numbers is None:
            numbers = self._numbers[sort] = {}
            self._values[sort] = []
        found = numbers.get(value)
        if found is None:
            found = numbers[value] = len(numbers)
            self._values[sort].append(value)
        return found

    def known(self, sort: Sort, value: Any) -> int | None:
        """Return the number of a value, None where it has none."""
        if sort in ("position", "flag"):
            return int(value)
        if self.lists is not None and isinstance(sort, m.Type) and self.lists.has(sort):
            return self.lists.number(sort, value, make=False)
        return self._numbers.get(sort, {}).get(value)

    def value(self, sort: Sort, number: int) -> Any:
        """Return the value that has a number."""
        if sort == "position":
            return number
        if self.lists is not None and isinstance(sort, m.Type) and self.lists.has(sort):
            return self.lists.value(sort, number)
        return bool(number) if sort == "flag" else self._values[sort][number]

    def all(self, sort: Sort) -> list[Any]:
        """Return the values of a sort, by number."""
        return self._values.setdefault(sort, [])
