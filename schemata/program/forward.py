"""Plans of rules for kernels with an agenda: an item becomes an antecedent, and the others are found from it.

The item's columns bind variables. Then tests are made and equations solved as soon as they can be; the other
antecedents are found one by one, the one of which most is bound first; queries are answered; variables that nothing
binds range over the values that the tests allow. `Storage` tells the planner which look-ups a kernel's tables allow.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from schemata.language.bounds import Bounds
from schemata.program import linear as lin
from schemata.program.facts import conditions_of, differences_of, facts_of, range_of, strongest
from schemata.program.matching import Equals
from schemata.program.model import Atom, NotLowerable, Program, Rule
from schemata.program.plan import (
    Agree,
    Bind,
    End,
    Inquire,
    Limits,
    LocalQuery,
    LookUp,
    Move,
    Plan,
    Range,
    Require,
    Solve,
    Walk,
    column_name,
    read_name,
)
from schemata.records import replace
from schemata.thresholds import WAYS

SYMBOLS = lin.variable("symbols")


class Storage(Protocol):
    """The accesses that the tables of a kernel allow."""

    @property
    def program(self) -> Program:
        """The program."""

    @property
    def hashed(self) -> bool:
        """Whether all values can be keys; otherwise only those in the windows of columns."""

    @property
    def asks_items(self) -> bool:
        """Whether an item is queried when it is filed."""

    @property
    def as_written(self) -> frozenset[int]:
        """The kinds of items that are only found in lists."""

    def may_range(self, kind: int, column: int) -> bool:
        """Whether lists may be divided by a column's values."""

    def within(self, atom: Atom, key: Sequence[int] | None = None) -> Sequence[lin.Affine]:
        """Return the terms that must be at least 0 for an item to have a place, or its key to have lists."""

    def window(self, atom: Atom, column: int) -> Sequence[lin.Affine]:
        """Return the terms that must be at least 0 for a column to be in its window."""

    def columns(self, walk: Walk, kind: int) -> tuple[tuple[int, ...], tuple[int, ...], int | None]:
        """Return the columns that distinguish the lists of a walk, their key, and the column that divides them."""


def forward(storage: Storage, rule: Rule, slot: int) -> Plan:
    """Return the plan of a rule from an item on as one of its antecedents; slot -1 for rules without antecedents.

    Raises
    ------
    NotLowerable : a variable has no bounds.
    """
    return _Planner(storage, rule, slot).plan()


class _Planner:
    """The plan so far: the variables bound, the facts about them, and the rest of the rule.

    Attributes
    ----------
    moves : the moves.
    bound : the bound variables, in the order in which they were bound.
    facts : facts about them.
    missing : the antecedents that are still to be found.
    waiting : the tests that are still to be made.
    open_columns : values that were read, each with the term that it must equal.
    """

    def __init__(self, storage: Storage, rule: Rule, slot: int) -> None:
        self.storage, self.program, self.rule, self.slot = storage, storage.program, rule, slot
        self.moves: list[Move] = []
        self.bound: dict[str, None] = {}
        self.facts = Bounds()
        self.missing = [k for k in range(len(rule.antecedents)) if k != slot]
        self.waiting: list[lin.Test] = list(rule.tests)
        self.open_columns: list[tuple[str, lin.Affine]] = []
        self.inquiries = 0

    def plan(self) -> Plan:
        """Return the whole plan."""
        if self.slot >= 0:
            self._take_apart(self.slot, range(len(self.rule.antecedents[self.slot].terms)))
        self._settle()
        while self.missing or self._asks() or self._free_variables():
            self._advance()
            self._settle()
        assert not self.waiting
        assert not self.open_columns
        return Plan(self.rule, self.slot, tuple(self.moves))

    def _is_bound(self, term: lin.Affine) -> bool:
        return not self._unbound(term)

    def _unbound(self, term: lin.Affine) -> list[str]:
        return [x for x in term.variables if x not in self.bound]

    def _bind(self, name: str, move: Move) -> None:
        self.moves.append(move)
        self.bound[name] = None

    def _results(self) -> list[lin.Affine]:
        """Return the terms of the rule's results."""
        return [*self.rule.consequent.terms, *(t for link in self.rule.links for t in link)]

    def _free_variables(self) -> list[str]:
        """Return the variables that are not bound, but that tests or the rule's results need."""
        tests = (test for test in self.waiting if not isinstance(test, lin.Asks))
        terms = (*self._results(), *(t for test in tests for t in lin.linear_terms(test)))
        return list(dict.fromkeys(x for t in terms for x in self._unbound(t)))

    def _asks(self) -> list[lin.Asks]:
        return [test for test in self.waiting if isinstance(test, lin.Asks)]

    def _needs(self, names: Iterable[str], *others: int) -> bool:
        """Whether a variable occurs in the rest of the rule: its results, missing antecedents, waiting tests."""
        terms = self._results()
        terms += [t for k in (*self.missing, *others) for t in self.rule.antecedents[k].terms]
        terms += [t for test in self.waiting for t in lin.linear_terms(test)]
        terms += [t for _, t in self.open_columns]
        return any(name in t.names for name in names for t in terms)

    def _advance(self) -> None:
        """Find an antecedent, answer a query, or let a variable range."""
        shares = {k: self._share(k) for k in self.missing}
        ready = [test for test in self._asks() if test.query.is_ready(self._bound_places(test))]
        if self.missing and (any(shares.values()) or not any(self._bound_places(test) for test in ready)):
            self._join(shares)
        elif ready:
            self._inquire(min(ready, key=lambda test: len(test.terms) - len(self._bound_places(test))))
        else:
            self._range()

    # items

    def _take_apart(self, slot: int, columns: Iterable[int]) -> None:
        """Unify columns of an antecedent that were read with their terms."""
        atom = self.rule.antecedents[slot]
        for column in columns:
            self._unify(read_name(slot, column), atom.terms[column])
        self._assume(atom)

    def _assume(self, atom: Atom) -> None:
        """Assume the conditions that an item's kind declares."""
        self.facts.learn(differences_of(conditions_of(self.program.kinds, atom)))

    def _unify(self, value: str, term: lin.Affine) -> None:
        """Unify a value with a term: bind its variable, or wait until the term is bound."""
        name = term.single
        if name is not None and name in self._unbound(term):
            self._bind(name, Bind(name, value))
        else:
            self.open_columns.append((value, term))

    # tests and equations

    def _settle(self) -> None:
        """Make every test that can be made, and solve every equation with one unbound variable."""
        while self._solve() or self._test():
            pass

    def _solve(self) -> bool:
        for pair in list(self.open_columns):
            value, term = pair
            unbound = self._unbound(term)
            if len(unbound) > 1:
                continue
            self.open_columns.remove(pair)
            if unbound:
                self._bind(unbound[0], Solve(unbound[0], term, value))
            else:
                self.moves.append(Agree(value, term))
            return True
        for test in list(self.waiting):
            if isinstance(test, lin.Linear) and test.relation == "==":
                unbound = self._unbound(test.left)
                if len(unbound) == 1:
                    self.waiting.remove(test)
                    self._bind(unbound[0], Solve(unbound[0], test.left, test=test))
                    self.facts.learn(differences_of([test]))
                    return True
        return False

    def _test(self) -> bool:
        for test in sorted(self.waiting, key=lambda test: isinstance(test, lin.Asks)):
            if isinstance(test, lin.Asks):
                # a value is taken apart at once; what is put together waits until all else holds
                bound = self._bound_places(test)
                taken = isinstance(test.query.goals[0], Equals) and 0 in bound
                if (taken and test.query.is_ready(bound)) or len(bound) == len(test.terms) > 0:
                    self._inquire(test)
                    return True
            elif all(self._is_bound(t) for t in lin.linear_terms(test)):
                self.waiting.remove(test)
                if isinstance(test, lin.Provided):
                    for term, low, high in test.ranges():
                        self._at_least(term - low, high - term)
                    self.moves.append(Require(test))
                else:
                    self._require(test)
                return True
        return False

    def _at_least(self, *terms: lin.Affine) -> None:
        """Require terms to be at least 0, as far as that does not follow."""
        for term in terms:
            if term.terms:
                self._require(lin.Linear(">=", term), is_own=False)
            elif term.constant < 0:
                self.moves.append(Require(lin.Linear(">=", term), is_own=False))

    def _require(self, test: lin.Linear | lin.AnyOf, is_own: bool = True) -> None:
        """Require a test to hold, unless it follows."""
        goal = differences_of([test])
        if not goal or not self.facts.proves(goal):
            self.moves.append(Require(test, is_own))
            self.facts.learn(goal)

    # queries

    def _bound_places(self, test: lin.Asks) -> list[int]:
        return [k for k, term in enumerate(test.terms) if self._is_bound(term)]

    def _inquire(self, test: lin.Asks) -> None:
        """Answer a query: go through the answers that differ in variables that the rule needs."""
        self.waiting.remove(test)
        bound = self._bound_places(test)
        wanted = [
            k for k, term in enumerate(test.terms) if k not in bound and self._needs(self._unbound(term))
        ]
        word = test.query.word
        if word in bound and len(bound) + len(wanted) > 1:  # one table for all rules, made before the run
            bound, wanted = [word], [1 - word]
        single = test.query.determined(bound)
        several = single is None or not single.issuperset(wanted)
        values = tuple(f"query {self.inquiries}.{k}" for k in wanted)
        self.inquiries += 1
        self.moves.append(Inquire(test, tuple(bound), tuple(wanted), values, several))
        for k, value in zip(wanted, values, strict=True):
            self._unify(value, test.terms[k])

    # ranges

    def _range(self) -> None:
        """Let a variable take a range that the tests imply, whichever option of a disjunction holds."""
        tests = [test for test in self.waiting if not isinstance(test, lin.AnyOf)]
        choices = [((),), *(test.options for test in self.waiting if isinstance(test, lin.AnyOf))]
        for options, name in itertools.product(choices, self._free_variables()):
            ends = [self._ends([*tests, *option], name) for option in options]
            if all(low and high for low, high in ends):
                self._bind(name, Range(name, tuple(ends)))
                return
        raise NotLowerable.of("a variable that nothing bounds")

    def _ends(self, tests: Sequence[lin.Test], name: str) -> tuple[tuple[End, ...], tuple[End, ...]]:
        """Return the ends below and above a variable if tests hold: by single tests, or by all together."""
        low, high = list[End](), list[End]()
        for test in tests:
            match test:
                case lin.Linear(">=", left) if self._unbound(left) == [name]:
                    k = left.coefficient(name)
                    rest = left - lin.variable(name) * k  # k * name + rest >= 0
                    if k > 0:
                        low.append(End(-rest, k))
                    else:
                        high.append(End(rest, -k))
                case lin.Provided():
                    for term, least, most in test.ranges(SYMBOLS):
                        if term.single == name:
                            low.append(End(least))
                            high.append(End(most))
        if low and high:
            return tuple(low), tuple(high)
        facts = facts_of(tests)
        low, high = ([] if end is None else [End(end)] for end in range_of(facts, name))
        for other in self.bound:
            if (above := facts.distance(other, name)) is not None:
                low.append(End(lin.variable(other) - above))
            if (below := facts.distance(name, other)) is not None:
                high.append(End(lin.variable(other) + below))
        return tuple(low), tuple(high)

    # joins

    def _share(self, slot: int) -> int:
        """Return how much of an antecedent is bound: columns, and parts of them."""
        atom = self.rule.antecedents[slot]
        parts = (len(self._outside(test, place)) for test, place in self._local(slot))
        return sum(self._is_bound(t) for t in atom.terms) + sum(parts)

    def _local(self, slot: int) -> list[tuple[lin.Asks, int]]:
        """Return the queries about an unbound column of an antecedent, each with the place of the column in it.

        The column's value determines the other places of such a query, or is taken apart by it.
        """
        if not self.storage.asks_items:
            return []
        own = {t.single for t in self.rule.antecedents[slot].terms if t.single and not self._is_bound(t)}
        found = list[tuple[lin.Asks, int]]()
        for test in self._asks():
            known = [(k, test.query.determined([k])) for k, t in enumerate(test.terms) if t.single in own]
            places = (k for k, one in known if one is not None and (k == 0 or len(one) == len(test.terms)))
            found += [(test, place) for place in itertools.islice(places, 1)]
        return found

    def _outside(self, test: lin.Asks, place: int) -> list[int]:
        """Return the bound places of a query, except the place of the column that it belongs to."""
        return [k for k in self._bound_places(test) if k != place]

    def _join(self, shares: Mapping[int, int]) -> None:
        """Find the antecedent of which most is bound."""
        whole = [k for k in self.missing if all(self._is_bound(t) for t in self.rule.antecedents[k].terms)]
        slot = whole[0] if whole else max(self.missing, key=lambda k: (shares[k], -k))
        self.missing.remove(slot)
        atom = self.rule.antecedents[slot]
        if not whole or atom.kind in self.storage.as_written:
            self._walk(slot, atom)
            return
        self._at_least(*self.storage.within(atom))
        self.moves.append(LookUp(slot, atom.terms))
        self._assume(atom)

    def _walk(self, slot: int, atom: Atom) -> None:
        """Go through the items that fit the bound variables: a list, or those lists of a key that are in a range."""
        bound = [c for c, t in enumerate(atom.terms) if self._is_bound(t) and t.variables]
        parts = tuple(
            (test.terms[place], test.terms[k])
            for test, place in self._local(slot)
            for k in self._outside(test, place)
        )
        queries, values, results = self._queries(slot, atom)
        guards, settled = self._guards(atom)
        free = [c for c in range(len(atom.terms)) if c not in bound and c not in settled]
        limits = (
            self._limits(atom, free)
            if len(bound) <= WAYS.ranged_columns and not self.storage.hashed
            else None
        )
        ranged = None if limits is None else limits.column
        answered = {x for term in results.values() for x in term.names}  # a column must equal its answer
        read = [
            c for c in free if c != ranged and (self._wanted(slot, c) or atom.terms[c].single in answered)
        ]
        read += results
        values |= {c: atom.terms[c] for c in bound}
        walk = Walk(slot, tuple(values.items()), (), tuple(read), guards, queries, limits, parts)
        columns, key, divided = self.storage.columns(walk, atom.kind)
        read += [c for c in values if c not in columns]
        if not self.storage.hashed:
            self._at_least(*self.storage.within(atom, key))
            if limits is None and divided is not None:
                self._at_least(*self.storage.window(atom, divided))
        self.moves.append(replace(walk, key=tuple(c for c in values if c in columns), read=tuple(read)))
        for c, term in results.items():
            self._unify(read_name(slot, c), term)
        width = len(atom.terms)
        self.moves += [Agree(read_name(slot, c), values[c]) for c in read if c >= width and c not in results]
        taken = [] if ranged is None else [ranged]
        self._take_apart(slot, [*taken, *(c for c in read if c < width)])
        if limits is not None:
            term = atom.terms[limits.column]
            sides = [*(term - end for end in limits.low), *(end - term for end in limits.high)]
            self.facts.learn(differences_of(lin.Linear(">=", side) for side in sides))

    def _queries(
        self, slot: int, atom: Atom
    ) -> tuple[tuple[LocalQuery, ...], dict[int, lin.Affine], dict[int, lin.Affine]]:
        """Return the queries of an antecedent about itself, and the terms of their answers: those known from outside,
        and the others.
        """
        queries: list[LocalQuery] = []
        values: dict[int, lin.Affine] = {}
        results: dict[int, lin.Affine] = {}
        number = len(atom.terms)
        for test, place in self._local(slot):
            self.waiting.remove(test)
            outside = self._outside(test, place)
            others = [k for k in range(len(test.terms)) if k != place and k not in outside]
            free = [k for k in others if self._needs(self._unbound(test.terms[k]), slot)]
            column = next(c for c, t in enumerate(atom.terms) if t.single == test.terms[place].single)
            queries.append(LocalQuery(test.query, ((place, column),), (*outside, *free)))
            for k in (*outside, *free):
                (values if k in outside else results)[number] = test.terms[k]
                number += 1
        return tuple(queries), values, results

    def _guards(self, atom: Atom) -> tuple[tuple[Agree | Require, ...], set[int]]:
        """Return the tests of a partner alone, and the columns that they settle."""
        first: dict[str, int] = {}
        for c, term in enumerate(atom.terms):
            name = term.single
            if name is not None and name in self._unbound(term):
                first.setdefault(name, c)
        columns = {name: lin.variable(column_name(c)) for name, c in first.items()}
        guards: list[Agree | Require] = []
        settled: set[int] = set()
        for c, term in enumerate(atom.terms):
            if c not in first.values() and all(x in columns for x in term.variables):
                settled.add(c)
                guards.append(Agree(column_name(c), term.substitute(columns)))
        for test in list(self.waiting):
            if isinstance(test, lin.Linear | lin.AnyOf):
                names = {x for t in lin.linear_terms(test) for x in t.variables}
                if names and names <= set(columns):
                    self.waiting.remove(test)
                    guards.append(Require(test.substitute(columns)))
                    self.facts.learn(differences_of([test]))
        return tuple(guards), settled

    def _limits(self, atom: Atom, columns: Iterable[int]) -> Limits | None:
        """Return the unbound column of a partner that the waiting tests limit most."""
        conditions = differences_of(conditions_of(self.program.kinds, atom))
        before = self.facts.copy()
        before.learn(conditions)
        after = Bounds()
        after.learn((*conditions, *differences_of(self.waiting)))
        best: Limits | None = None
        for column in columns:
            term = atom.terms[column]
            free = self._unbound(term)
            if not self.storage.may_range(atom.kind, column) or len(free) != 1:
                continue
            name = free[0]
            if term.coefficient(name) != 1:
                continue
            rest = term - lin.variable(name)
            low: list[lin.Affine] = []
            high: list[lin.Affine] = []
            for other in self.bound:
                for ends, sign, pair in ((low, -1, (other, name)), (high, 1, (name, other))):
                    most = after.distance(*pair)
                    if most is not None and not before.proves([(*pair, most)]):
                        ends.append(lin.variable(other) + sign * most + rest)
            lows, highs = strongest(low, self.facts, 1), strongest(high, self.facts, -1)
            if best is None or bool(lows) + bool(highs) > bool(best.low) + bool(best.high):
                best = Limits(column, lows, highs)
        return best if best is not None and (best.low or best.high) else None

    def _wanted(self, slot: int, column: int) -> bool:
        """Whether anything depends on a column's value."""
        terms = self.rule.antecedents[slot].terms
        name = terms[column].single
        if name is None or name in self.bound or self._needs([name]):
            return True
        return any(name in t.names for c, t in enumerate(terms) if c != column)
