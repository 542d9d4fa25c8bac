"""Queries: relations between a rule's variables that depend on terms or on the grammar, answered once for each key.

A condition that is neither linear nor about licences becomes a goal of a *query*: `rule A(B *beta)`, `corner A of E`,
the parts of a list or of a dotted rule, the list that a consequent puts together. A query holds such goals over
variables of its own; some of them are bound when it is answered, the others come back as rows. Goals that share
variables which nothing else mentions form one query, so that these variables are never seen outside. A step from
`edge[A(*alpha . B *beta), i, j]` to `edge[A(*alpha B . *beta), i, k]` has one query, from a dotted rule to the symbol
after its dot and the rule with the dot moved.

Kernels keep the rows of a query by the values bound, as numbers; `Terms` numbers the values.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol, TypeAlias

from schemata.grammars.relations import SIGNATURES
from schemata.language import model as m
from schemata.program.evaluation import is_composition
from schemata.program.linear import Asks, TypeSort, variable
from schemata.program.matching import QUESTIONS, Equals, Related, question, signature, solve
from schemata.records import Record, dataclass, field, replace


def sort_of(kind: m.Type) -> TypeSort:
    """Return how the values of a type become numbers: as they are, or interned."""
    return kind.sort


QueryContent: TypeAlias = "Equals | Related | m.Condition"
_PUT_TOGETHER = m.WithArc | m.Positions | m.Length  # terms whose values do not give their variables
_PRIVATE = "*"  # ends the names of variables that stand for a list's parts in one query alone


def _inputs(goal: QueryContent) -> set[str]:
    """Return the variables that determine the others of a goal."""
    match goal:
        case Equals(_, term):
            return _names(term)
        case Related(relation, terms):
            return _names(terms[: SIGNATURES[relation].key])
    return _names(goal)


def _outputs(goal: QueryContent) -> set[str]:
    match goal:
        case Equals(name):
            return {name}
        case Related(relation, terms):
            key = SIGNATURES[relation].key
            return set() if key is None else _names(terms[key:])
    return set()


def _asks_grammar(goal: QueryContent) -> bool:
    return isinstance(goal, QUESTIONS) and signature(goal).rests_on != "arguments"


def _names(node: Any) -> set[str]:
    return {x for x in m.variables(node) if x != "n"}


class Query(Record, slots=False):
    """Goals over variables ``0``, ``1`` ...; `types` has one entry a variable."""

    goals: tuple[QueryContent, ...]
    types: tuple[m.Type, ...]

    def determined(self, bound: Collection[int]) -> set[int] | None:
        """Return the variables that have at most one value once these are bound; None if the goals cannot be
        evaluated.
        """
        known = {str(k) for k in bound}
        single = set(known)
        waiting = list(self.goals)
        while waiting:
            goal = next((g for g in waiting if is_ready(g, known)), None)
            if goal is None:
                return None
            waiting.remove(goal)
            names = _inputs(goal) | _outputs(goal)
            if _is_function(goal, single):
                single |= names
            known |= names
        return {int(x) for x in single}

    @cached_property
    def is_lasting(self) -> bool:
        """Whether answers depend on terms and on the grammar's rules alone, not on the sentence."""
        rests = [signature(g).rests_on for g in self.goals if isinstance(g, QUESTIONS)]
        return "words" not in rests and "n" not in m.variables(self.goals)

    @cached_property
    def is_about_values(self) -> bool:
        """Whether answers depend on the bound values alone, not on the grammar either."""
        return self.is_lasting and not any(isinstance(g, QUESTIONS) for g in self.goals)

    @cached_property
    def word(self) -> int | None:
        """The word, if the query asks for the categories of a word, and nothing else."""
        match self.goals:
            case (m.HasFact("category", (m.Var(word), m.Var(category)), None),):
                return int(word) if word not in (category, "n") else None
        return None

    def is_ready(self, bound: Collection[int]) -> bool:
        """Whether the query can be evaluated once these variables are bound."""
        return self.determined(bound) is not None

    def rows(
        self, bound: Mapping[int, m.Value], wanted: Sequence[int], n: int, grammar: Any
    ) -> Iterator[Any]:
        """Yield the values of the wanted variables, each row once.

        Parameters
        ----------
        bound : values of bound variables.
        wanted : the variables asked for.
        n, grammar : the last position and the grammar of the sentence.
        """
        names = [str(k) for k in wanted]
        known: dict[str, m.Value] = {"n": n, **{str(k): v for k, v in bound.items()}}
        types = {str(k): t for k, t in enumerate(self.types)}
        rows: dict[tuple[m.Value, ...], None] = {}
        for solution in solve(self.goals, known, types, grammar):
            assert not solution.waiting, (self, bound, solution.waiting)
            rows[tuple([solution.binding[x] for x in names])] = None
        yield from rows


def is_ready(goal: QueryContent, known: set[str]) -> bool:
    """Whether a goal can be evaluated once these variables are bound."""
    match goal:
        case Equals(name, term):
            outside = _outside_runs(term)
            if (
                name in known
                and _names(term) <= known | _names(outside)
                and _can_solve(_leaves(outside), known)
            ):
                return True
            is_open = name not in known and any(isinstance(x, m.Any | m.Run) for x in m.nodes(term))
            return _names(term) <= known and not is_open
        case m.Member(_, region):
            return _names(region) <= known
        case m.Compare("==", left, right):
            sides = (left, right), (right, left)
            return any(_names(one) | _computed(other) <= known for one, other in sides)
    if isinstance(goal, QUESTIONS):
        terms = question(goal)[1]
        needs = signature(goal).needs
        return _can_solve(terms, known) and any(
            all(_names(terms[k]) <= known for k in arguments) for arguments in needs
        )
    return _names(goal) <= known


def _leaves(term: m.Term) -> list[m.Term]:
    """Return the parts of a pattern that are not lists, tuples or sequences."""
    match term:
        case m.ListTerm(parts) | m.TupleTerm(parts) | m.Labels(parts):
            return [leaf for part in parts for leaf in _leaves(part)]
    return [term]


def _can_solve(terms: Sequence[m.Term], known: set[str]) -> bool:
    """Whether values of terms give those of all their variables: sums have one unknown each, one after the other.

    The length of a list, or of another composed value, determines no variable.
    """
    sums = [term for term in terms if isinstance(term, m.Linear)]
    others = tuple(term for term in terms if not isinstance(term, m.Linear))
    reached = known | _names(m.rewrite(others, lambda x: m.Any() if isinstance(x, _PUT_TOGETHER) else None))
    while ready := [x for x in sums if len(_names(x) - reached) <= 1 and _computed(x) <= reached]:
        reached = reached.union(*map(_names, ready))
        sums = [term for term in sums if term not in ready]
    return _computed(tuple(terms)) <= reached and not sums


def _computed(term: Any) -> set[str]:
    """Return the variables of terms that are put together, and not taken apart."""
    return _names(tuple(node for node in m.nodes(term) if isinstance(node, _PUT_TOGETHER)))


def _outside_runs(term: m.Term) -> m.Term:
    """Return a term without the shapes of its runs: a run of no elements binds none of their variables."""
    outside: m.Term = m.rewrite(term, lambda node: m.Any() if isinstance(node, m.Run) else None)
    return outside


def _is_function(goal: QueryContent, single: set[str]) -> bool:
    """Whether a goal has one answer at most for values of these variables."""
    if _inputs(goal) <= single:
        return not (isinstance(goal, Equals) and isinstance(goal.term, m.Labels) and goal.term.stays)
    match goal:
        case Equals(name, term):
            return name in single and _is_rigid(term, single)
        case m.Compare("==", left, right):
            sides = (left, right), (right, left)
            return any(_names(one) <= single and _is_rigid(other, single) for one, other in sides)
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


def ask(goals: Sequence[QueryContent], types: Mapping[str, m.Type]) -> Asks:
    """Return a query for goals over a rule's variables, which it knows by number."""
    names = list(dict.fromkeys(x for g in goals for x in (*sorted(_outputs(g)), *sorted(_inputs(g)))))
    numbers = {x: str(k) for k, x in enumerate(names)}
    kinds = tuple(_present(types.get(x.removesuffix(_PRIVATE), m.POSITION)) for x in names)
    return Asks(Query(tuple(_renamed(g, numbers) for g in goals), kinds), tuple(map(variable, names)))


def goals_of(test: Asks) -> tuple[QueryContent, ...]:
    """Return the goals of a query, over the variables of the rule that has it."""
    names = {str(k): str(term).strip("'") for k, term in enumerate(test.terms)}
    return tuple(_renamed(goal, names) for goal in test.query.goals)


def goal_groups(
    taken: Sequence[Equals],
    made: Sequence[Equals],
    conditions: Sequence[QueryContent],
    outside: Collection[str],
) -> list[list[QueryContent]]:
    """Return the goals of a rule in groups, each for one query.

    A condition that a value's parts decide stands with the pattern that takes it apart; conditions on the grammar that
    share a variable which no antecedent has stand together, with the values composed from it. A composition by a
    yield function is a query by itself.

    Parameters
    ----------
    taken, made : the values that antecedents take apart, and those that the consequent puts together.
    conditions : on the grammar, and those that are not linear.
    outside : the variables of the antecedents' linear terms.
    """
    groups: list[tuple[list[QueryContent], set[str]]] = [([goal], _names(goal.term)) for goal in taken]
    rest: list[QueryContent] = []
    for goal in (*made, *conditions):
        if m.asks(goal, "category"):
            continue
        home = None if _asks_grammar(goal) else next((g for g in groups if _inputs(goal) <= g[1]), None)
        if home is None and isinstance(goal, Equals):
            rest += _with_lists(goal, taken)
        elif home is None:
            rest.append(goal)
        else:
            home[0].append(goal)
            home[1].update(_outputs(goal))
    known = set(outside).union(*(names for _, names in groups))
    free: list[tuple[list[QueryContent], set[str]]] = []
    for goal in sorted(rest, key=lambda g: not isinstance(g, m.HasFact)):
        names = (_inputs(goal) | (_outputs(goal) if isinstance(goal, Related) else set())) - known
        if isinstance(goal, Equals) and is_composition(goal.term):
            names = set()  # all facts with the same function share its answers
        joined = [group for group in free if group[1] & names]
        goals = [g for group in joined for g in group[0]] + [goal]
        free = [group for group in free if group not in joined]
        free.append((goals, names.union(*(group[1] for group in joined))))
    of_words: list[list[QueryContent]] = [[goal] for goal in conditions if m.asks(goal, "category")]
    return [*of_words, *(goals for goals, _ in (*groups, *free))]


def _with_lists(made: Equals, taken: Sequence[Equals]) -> list[QueryContent]:
    """Return goals in which the composing of a list and the taking apart of its parts are merged, so that no part is
    made a list.

    The parts have names of their own: other queries about the lists do not wait for them.
    """
    parts = {x: goal for goal in taken for x in _names(goal.term) if _is_whole_list(goal)}
    lists = [goal for goal in taken if any(parts.get(x) is goal for x in _splices_of(made.term))]
    if made.kind.kind != "list" or not lists:
        return [made]
    private = {x: x + _PRIVATE for x in _splices_of(made.term) if x in parts}
    own = {x: x for goal in (made, *lists) for x in (*_inputs(goal), *_outputs(goal))} | private
    return [_renamed(goal, own) for goal in (made, *lists)]


def _is_whole_list(goal: Equals) -> bool:
    return goal.kind.kind == "list" and _is_rigid(goal.term, set())


def _splices_of(term: m.Term) -> list[str]:
    """Return the stretches of a list."""
    return [e.name for e in term.elements if isinstance(e, m.Splice)] if isinstance(term, m.ListTerm) else []


def _present(kind: m.Type) -> m.Type:
    return kind.arguments[0] if kind.kind == "optional" else kind


def _renamed(goal: Any, numbers: Mapping[str, str]) -> Any:
    """Return a goal with other names for its variables."""

    match goal:
        case Equals(name, term):
            return replace(goal, name=numbers[name], term=m.renamed(term, numbers))
        case Related(_, terms):
            return replace(goal, terms=m.renamed(terms, numbers))
    return m.renamed(goal, numbers)


class ListStore(Protocol):
    """Lists by number, where a kernel numbers them."""

    def has(self, kind: m.Type) -> bool:
        """Whether lists of a type are numbered here."""

    def number(self, kind: m.Type, value: Any, make: bool = True) -> int | None:
        """Return the number of a list; without `make`, None if it has none."""

    def value(self, kind: m.Type, number: int) -> Any:
        """Return the list that has a number."""


@dataclass(slots=True)
class Terms:
    """Values by number: symbols, and the terms of every type, in the order they were met."""

    symbols: Iterable[str] = ()
    lists: ListStore | None = None  # lists that a kernel numbers
    _values: dict[TypeSort, list[Any]] = field(default_factory=dict)
    _numbers: dict[TypeSort, dict[Any, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for symbol in self.symbols:
            self.number("symbol", symbol)

    def number(self, sort: TypeSort, value: Any) -> int:
        """Return the number of a value, a new one where it has none."""
        known = self._known(sort, value, make=True)
        if known is None:
            values = self.all(sort)
            known = self._numbers[sort][value] = len(values)
            values.append(value)
        return known

    def shared(self) -> Terms:
        """Return the same values and numbers, to be added to, without the lists of a kernel."""
        return Terms((), None, self._values, self._numbers)

    def known(self, sort: TypeSort, value: Any) -> int | None:
        """Return the number of a value, None if it has none."""
        return self._known(sort, value, make=False)

    def _known(self, sort: TypeSort, value: Any, make: bool) -> int | None:
        if sort in ("position", "flag"):
            return int(value)
        if self.lists is not None and isinstance(sort, m.Type) and self.lists.has(sort):
            return self.lists.number(sort, value, make)
        return self._numbers.setdefault(sort, {}).get(value)

    def value(self, sort: TypeSort, number: int) -> Any:
        """Return the value that has a number."""
        if sort == "position":
            return number
        if self.lists is not None and isinstance(sort, m.Type) and self.lists.has(sort):
            return self.lists.value(sort, number)
        return bool(number) if sort == "flag" else self._values[sort][number]

    def all(self, sort: TypeSort) -> list[Any]:
        """Return the values of a sort, by number."""
        return self._values.setdefault(sort, [])
