"""The text of a rule for one antecedent: the variables known there, the tests still to be made, and the joins.

A block begins with an item as the antecedent, whose columns bind variables. Then it makes tests and solves equations
as soon as they can be, looks up the other antecedents one by one, asks queries, and lets variables that nothing binds
run over their ranges, until the consequent can be built.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from schemata.kernels.layout import Index, LocalQuery, Numbering, Quantity
from schemata.kernels.probe import Move, Plan
from schemata.kernels.shape import (
    Limits,
    Shape,
    add_ask,
    add_instance,
    leaf_text,
    leaving,
    limits_of,
    new_item,
)
from schemata.language.bounds import Bounds
from schemata.machine.text import LOOPS, Nest, is_too_deep, one_of
from schemata.program import linear as lin
from schemata.program.facts import conditions_of, differences_of, facts_of, range_of
from schemata.program.instances import instance_text
from schemata.program.matching import Equals
from schemata.program.model import Atom, NotLowerable, Rule

_SYMBOLS = lin.variable("symbols")


Purpose = Literal["step", "given", "final"]

_KNOWN = 2  # columns of a partner; where more are known, lists are short and ranges not worth an index

_LOOP = """
work -= max(0, {high} - ({low}) + 1)
for {local} in range({low}, {high} + 1):
"""

_WALK_RANGE = """
{at} = {first}
{last} = {most}
{place} = {key}
{mask} = {masks} + {place} * {words}
{at} = later(MK, {mask}, {at}, {last})
while {at} <= {last}:
"""

_IN_RANGE = """
{value} = {at} + {least}
{k} = {lists} + {place} * {values} + {at}
{at} = later(MK, {mask}, {at} + 1, {last})
"""

_WALK_LIST = """
{m} = LH[2 * {k} + 1]
work -= {m}
{p} = LH[2 * {k}]
for {p} in range({p}, {p} + {m}{step}):
"""

_ROW = """
p = OFF[{case}] + CNT[{case}] * {width}
{row}
CNT[{case}] += 1
"""

_LOGGED = """
p = st[LOGGED]
if p + {width} > st[LOG_ROOM]:
    {full}
else:
    {row}
    st[LOGGED] = p + {width}
"""


class Block:
    """The code of one rule for one slot; slot -1 for rules without antecedents.

    Parameters
    ----------
    shape, rule, slot : the kernel, the rule, and the antecedent that the item taken is.
    purpose : whether the rule is a step, enters a hypothesis or marks a final item.

    Attributes
    ----------
    text : the code, in which c0, c1 ... are the item's columns.
    """

    def __init__(self, shape: Shape, rule: Rule, slot: int, purpose: Purpose = "step") -> None:
        self.shape, self.program, self.rule = shape, shape.layout.program, rule
        self.slot, self.purpose = slot, purpose
        self.missing = [k for k in range(len(rule.antecedents)) if k != slot]
        self.ids = ["0"] * len(rule.antecedents)
        program = self.program
        self.symbols = program.symbols
        self.names: dict[str, str] = {}  # bound variables and their locals
        self.facts = Bounds()
        self.waiting: list[lin.Test] = list(rule.tests)
        self.open_columns: list[tuple[str, lin.Affine]] = []  # a column's value and the term it must equal
        self.code = Nest()
        self.fresh = 0
        measured = shape.probe is not None and purpose == "step"
        self.plan: Plan | None = shape.probe.plan(rule, slot) if shape.probe and measured else None
        self.text = self._whole()
        if is_too_deep(self.text):
            answer = NotLowerable.of(
                "a step whose antecedents and choices take too many loops, one in another",
                f"at most {LOOPS}: cut the step in two, with an item between them",
            )
            raise answer.at(self.program.schema.cases[rule.case]) if purpose == "step" else answer

    # small helps

    def is_bound(self, term: lin.Affine) -> bool:
        """Whether all variables of a term are known."""
        return not self.unbound(term)

    def unbound(self, term: lin.Affine) -> list[str]:
        """Return the variables of a term that are not known."""
        return [x for x in term.variables if x not in self.names]

    def shown(self, term: lin.Affine) -> str:
        """Return a term in code."""
        return lin.term_text(term, self.names, self.symbols)

    def local(self, hint: str) -> str:
        """Return a new local name."""
        self.fresh += 1
        return f"{hint}{self.fresh}"

    def test(self, text: str) -> None:
        """Go on only where a condition holds."""
        self.code.add(f"if {text}:")

    def note(self, move: Move) -> None:
        """Note what is done here, where the kernel is measured."""
        if self.plan is not None:
            self.plan.note(move, self.code)

    def results(self) -> list[lin.Affine]:
        """Return the terms of what the rule makes."""
        return [*self.rule.consequent.terms, *(t for link in self.rule.links for t in link)]

    def free_variables(self) -> list[str]:
        """Return the variables that are not known, but that tests and what the rule makes need."""
        tests = (test for test in self.waiting if not isinstance(test, lin.Asks))
        terms = (*self.results(), *(t for test in tests for t in lin.linear_terms(test)))
        return list(dict.fromkeys(x for t in terms for x in self.unbound(t)))

    def asks(self) -> list[lin.Asks]:
        """Return the queries that are still to be asked."""
        return [test for test in self.waiting if isinstance(test, lin.Asks)]

    def needs(self, names: Iterable[str], *others: int) -> bool:
        """Whether what is left of the rule, antecedents not yet found and some others among it, has a variable."""
        terms = self.results()
        terms += [t for k in (*self.missing, *others) for t in self.rule.antecedents[k].terms]
        terms += [t for test in self.waiting for t in lin.linear_terms(test)]
        terms += [t for _, t in self.open_columns]
        return any(name in t.names for name in names for t in terms)

    # taking items apart

    def take_apart(self, slot: int, values: Mapping[int, str]) -> None:
        """Match columns of an antecedent (by number, with the local each is in) with their terms."""
        atom = self.rule.antecedents[slot]
        for column, value in values.items():
            self.equal(value, atom.terms[column])
        self.learn_kind(atom)

    def learn_kind(self, atom: Atom) -> None:
        """Know of an item what its kind's conditions say."""
        self.facts.learn(differences_of(conditions_of(self.program.kinds, atom)))

    # tests and equations

    def settle(self) -> None:
        """Make every test that can be made, and solve every equation with one unknown."""
        while self._solve() or self._make_test():
            pass

    def _solve(self) -> bool:
        for pair in list(self.open_columns):
            value, term = pair
            unknown = self.unbound(term)
            if len(unknown) > 1:
                continue
            self.open_columns.remove(pair)
            if unknown:
                self._bind(unknown[0], term, value)
            else:
                self.test(f"{value} == {self.shown(term)}")
            return True
        for test in list(self.waiting):
            if isinstance(test, lin.Linear) and test.relation == "==":
                unknown = self.unbound(test.left)
                if len(unknown) == 1:
                    self.waiting.remove(test)
                    self._bind(unknown[0], test.left, "0")
                    self.note(Move("solve", test=test))
                    return True
        return False

    def _bind(self, name: str, term: lin.Affine, value: str) -> None:
        """Bind the one unknown variable of a term that equals a value."""
        local = self.local("v")
        test, text = lin.solved_text(name, value, term, self.names, self.symbols)
        if test:
            self.test(test)
        self.code.add(f"{local} = {text}")
        self.names[name] = local
        if value == "0":
            self.facts.learn(differences_of([lin.Linear("==", term)]))

    def _make_test(self) -> bool:
        for test in sorted(self.waiting, key=lambda test: isinstance(test, lin.Asks)):
            if isinstance(test, lin.Asks):
                # a value is taken apart at once; what is put together waits until all else holds
                bound = self.bound_places(test)
                taken = isinstance(test.query.goals[0], Equals) and 0 in bound
                if (taken and test.query.is_ready(bound)) or len(bound) == len(test.terms) > 0:
                    self.ask(test)
                    return True
            elif all(self.is_bound(t) for t in lin.linear_terms(test)):
                self.waiting.remove(test)
                self._write_test(test)
                return True
        return False

    # queries

    def bound_places(self, test: lin.Asks) -> list[int]:
        """Return the places of a query that are known."""
        return [k for k, term in enumerate(test.terms) if self.is_bound(term)]

    def ask(self, test: lin.Asks) -> None:
        """Look the answers to a query up: go through those that differ in what the rule needs."""
        self.waiting.remove(test)
        bound = self.bound_places(test)
        wanted = [k for k, term in enumerate(test.terms) if k not in bound and self.needs(self.unbound(term))]
        word = test.query.word
        if word in bound and len(bound) + len(wanted) > 1:  # one table for all rules, made before the run
            bound, wanted = [word], [1 - word]
        known = [(k, self.shown(test.terms[k])) for k in bound]
        self.fresh += 1
        values = add_ask(self.shape, test.query, known, wanted, str(self.fresh), self.code)
        single = test.query.determined(bound)
        several = single is None or not single.issuperset(wanted)
        self.note(Move("choose" if several else "test", test=test, bound=tuple(bound)))
        for k, value in values.items():
            self.equal(value, test.terms[k])

    def equal(self, value: str, term: lin.Affine) -> None:
        """Know that a local equals a term: bind the variable that it is, or test the two once it is known."""
        name = term.single
        if name in self.unbound(term):
            self.names[name] = value
        else:
            self.open_columns.append((value, term))

    def _write_test(self, test: lin.Test) -> None:
        match test:
            case lin.Linear() | lin.AnyOf():
                if not self.hold(test):
                    return
            case lin.Provided():
                for term, low, high in test.ranges():
                    self.within(term, low, high)
                self.test(test.place(self.shown, "symbols"))
        self.note(Move("test", test=test))

    def within(self, term: lin.Affine, low: lin.Affine, high: lin.Affine) -> None:
        """Test that a known term lies between two others, as far as that is not known."""
        self.at_least(term - low)
        self.at_least(high - term)

    def at_least(self, left: lin.Affine) -> None:
        """Test that a known term is not below 0, as far as that is not known."""
        if not left.terms:
            if left.constant < 0:
                self.test("False")
            return
        self.hold(lin.Linear(">=", left))

    def hold(self, test: lin.Linear | lin.AnyOf) -> bool:
        """Make a test that is not known to hold; returns whether there was need of it."""
        goal = differences_of([test])
        if goal and self.facts.proves(goal):
            return False
        self.test(lin.condition_text(test, self.names, self.symbols))
        self.facts.learn(goal)
        return True

    # choices

    def choose(self) -> None:
        """Let a variable run over a range that the tests imply, whichever option of a disjunction holds."""
        tests = [test for test in self.waiting if not isinstance(test, lin.AnyOf)]
        choices = [((),), *(test.options for test in self.waiting if isinstance(test, lin.AnyOf))]
        for options, name in itertools.product(choices, self.free_variables()):
            ends = [self._ends([*tests, *option], name) for option in options]
            if all(low and high for low, high in ends):
                break
        else:
            raise NotLowerable.of("a variable that nothing bounds")
        local = self.local("v")
        low = one_of("min", [one_of("max", low) for low, _ in ends])
        high = one_of("max", [one_of("min", high) for _, high in ends])
        self.code.add(_LOOP, local=local, low=low, high=high)
        self.names[name] = local
        self.note(Move("choose", variable=name))

    def _ends(self, tests: Sequence[lin.Test], name: str) -> tuple[list[str], list[str]]:
        """Return what a variable is not below and not above where tests hold, as text: by single tests, or together."""
        low, high = list[str](), list[str]()
        for test in tests:
            match test:
                case lin.Linear(">=", left) if self.unbound(left) == [name]:
                    k = left.coefficient(name)
                    rest = left - lin.variable(name) * k
                    # k * name + rest >= 0
                    if k > 0:
                        low.append(self.shown(-rest) if k == 1 else f"-(({self.shown(rest)}) // {k})")
                    else:
                        high.append(self.shown(rest) if k == -1 else f"({self.shown(rest)}) // {-k}")
                case lin.Provided():
                    for term, least, most in test.ranges(_SYMBOLS):
                        if term.single == name:
                            low.append(str(least))
                            high.append(str(most))
        if low and high:
            return low, high
        facts = facts_of(tests)
        ends = range_of(facts, name)
        low, high = ([] if end is None else [self.shown(end)] for end in ends)
        for other, local in self.names.items():
            if (above := facts.distance(other, name)) is not None:
                low.append(f"{local} - {above}" if above >= 0 else f"{local} + {-above}")
            if (below := facts.distance(name, other)) is not None:
                high.append(f"{local} + {below}" if below >= 0 else f"{local} - {-below}")
        return low, high

    # the whole

    def _whole(self) -> str:
        code = self.code
        if self.plan is not None:
            self.plan.begin(code)
        if self.slot >= 0:
            self.ids[self.slot] = "x"
            self.take_apart(
                self.slot, {c: f"c{c}" for c in range(len(self.rule.antecedents[self.slot].terms))}
            )
        self.settle()
        while self.missing or self.asks() or self.free_variables():
            self.advance()
            self.settle()
        assert not self.waiting
        assert not self.open_columns
        self.derive()
        if self.purpose != "step":
            return str(code)
        ends = [self.plan.end] if self.plan is not None else []
        if not self.shape.rows:
            ends.append(f"CNT[{self.rule.case}] += found")
        return "\n".join(["found = 0", str(code), *ends, "steps += found"])

    @property
    def key(self) -> tuple[str, ...]:
        """The columns that a block looks at if it predicts from one item and facts; () if it looks at all columns.

        All items with the same values in these columns have equally many instances, with the same consequents. () also
        where instances must be told apart, or where the consequent may be the item taken.
        """
        shape, rule, facts = self.shape, self.rule, self.program.facts
        if not shape.remembers or self.slot < 0 or not self.program.schema.cases[rule.case].predicts:
            return ()
        others = [atom.kind for k, atom in enumerate(rule.antecedents) if k != self.slot]
        if rule.antecedents[self.slot].kind in facts or not facts.issuperset(others):
            return ()
        if (
            shape.repetitions[rule.number] != "never"
            or self._may_repeat(self.slot)
            or "for " not in self.text
        ):
            return ()
        used = tuple(sorted(set(re.findall(r"\bc\d+\b", self.text))))
        fits = len(used) < min(len(rule.antecedents[self.slot].terms), shape.list_words)
        return used if fits else ()

    def advance(self) -> None:
        """Find an antecedent, ask a query, or let a variable run over its range."""
        known = {k: self._known(k) for k in self.missing}
        ready = [test for test in self.asks() if test.query.is_ready(self.bound_places(test))]
        if self.missing and (any(known.values()) or not any(self.bound_places(test) for test in ready)):
            self.join(known)
        elif ready:
            self.ask(min(ready, key=lambda test: len(test.terms) - len(self.bound_places(test))))
        else:
            self.choose()

    # joins

    def _known(self, slot: int) -> int:
        """Return how much of an antecedent is known: columns, and parts of them."""
        atom = self.rule.antecedents[slot]
        parts = (len(self._outside(test, place)) for test, place in self._local(slot))
        return sum(self.is_bound(t) for t in atom.terms) + sum(parts)

    def _local(self, slot: int) -> list[tuple[lin.Asks, int]]:
        """Return the queries to ask of a column of an antecedent that is not known, and the place that it has there.

        They take it apart, or it determines all else.
        """
        if self.shape.layout.bounded:
            return []
        own = {t.single for t in self.rule.antecedents[slot].terms if t.single and not self.is_bound(t)}
        found = list[tuple[lin.Asks, int]]()
        for test in self.asks():
            known = [(k, test.query.determined([k])) for k, t in enumerate(test.terms) if t.single in own]
            places = (k for k, one in known if one is not None and (k == 0 or len(one) == len(test.terms)))
            found += [(test, place) for place in itertools.islice(places, 1)]
        return found

    def _outside(self, test: lin.Asks, place: int) -> list[int]:
        """Return the places of a query that are known, but that of the column it is asked of."""
        return [k for k in self.bound_places(test) if k != place]

    def join(self, known: Mapping[int, int]) -> None:
        """Look up the antecedent of which most is known."""
        whole = [k for k in self.missing if all(self.is_bound(t) for t in self.rule.antecedents[k].terms)]
        slot = whole[0] if whole else max(self.missing, key=lambda k: (known[k], -k))
        self.missing.remove(slot)
        if whole and self.rule.antecedents[slot].kind not in self.shape.as_written:
            self._look_up(slot)
        else:
            self._walk(slot)

    def _look_up(self, slot: int) -> None:
        atom = self.rule.antecedents[slot]
        kind = self.program.kinds[atom.kind]
        if not self.shape.hashed:
            self.in_place(slot, self.shape.layout.numbering(atom.kind))
        texts = [self.shown(t) for t in atom.terms]
        self.note(Move("item", slot, tuple(range(len(texts)))))
        y = self.local("y")
        key = self.shape.item_key(atom.kind, texts)
        self.code.add(f"{y} = {self.shape.item_at(key)}")
        compare = "<" if slot > self.slot >= 0 else "<="
        self.test(f"{y} > 0 and {y} {compare} x")
        if kind.form in self.program.equations:
            written = " and ".join(
                [f"KI[{y}] == {atom.kind}"]
                + [f"F[{y} * {self.shape.layout.width} + {c}] == {t}" for c, t in enumerate(texts)]
            )
            self.test(f"{y} > given or ({written})")
        self.ids[slot] = y
        self.learn_kind(atom)

    def in_place(self, slot: int, numbering: Numbering) -> None:
        """Test that the known columns of a partner have a place, as far as that is not known."""
        atom = self.rule.antecedents[slot]
        for chain in numbering.chains:
            low = atom.terms[chain.columns[0]] - chain.shifts[0]
            for term in (low, *chain.rises(atom.terms)):
                self.at_least(term)
            if chain.count is not None:
                self.at_least(chain.count - 1 - (atom.terms[chain.columns[-1]] - chain.shifts[-1]))

    def in_window(self, slot: int, column: int) -> None:
        """Test that a known column of a partner lies in its window, as far as that is not known."""
        atom = self.rule.antecedents[slot]
        digit = self.shape.layout.digits[atom.kind][column]
        if digit.size is not None:
            self.within(atom.terms[column], digit.low, digit.low + digit.size - 1)

    def _walk(self, slot: int) -> None:
        """Walk through the items that fit what is known: a list, or those lists of a key that are in a range."""
        shape, atom = self.shape, self.rule.antecedents[slot]
        known = [c for c, t in enumerate(atom.terms) if self.is_bound(t) and t.variables]
        parts = tuple(
            (test.terms[place], test.terms[k])
            for test, place in self._local(slot)
            for k in self._outside(test, place)
        )
        queries, texts, results = self._queries(slot)
        guards, settled = self._guards(slot)
        free = [c for c in range(len(atom.terms)) if c not in known and c not in settled]
        limits = None
        if not shape.hashed and len(known) <= _KNOWN:
            digits = shape.layout.digits[atom.kind]
            limits = limits_of(self.program, atom, free, digits, self.waiting, self.names, self.facts)
        ranged = None if limits is None else limits.column
        answered = {
            name for term in results.values() for name in term.names
        }  # a column must equal its answer
        payload = [
            c for c in free if c != ranged and (self._wanted(slot, c) or atom.terms[c].single in answered)
        ]
        payload += results
        texts |= {c: self.shown(atom.terms[c]) for c in known}
        index = shape.index(Index(atom.kind, tuple(texts), guards, ranged, queries), payload)
        payload += [c for c in texts if c not in index.columns]
        k = self.local("k")
        values: dict[int, str] = {}
        if shape.hashed:
            lists = shape.list_key(index, texts) if index in shape.indexes else "0"
            self.code.add(f"{k} = lists_at(JK, st[LIST_SLOTS], {lists})")
            self.test(f"{k} > 0")
        else:
            self.in_place(slot, shape.layout.numbering(atom.kind, index.key))
            if limits is not None:
                values[limits.column] = self._walk_range(index, limits, texts, k)
            else:
                if index.ranged is not None:
                    self.in_window(slot, index.ranged)
                self.code.add(f"{k} = {shape.list_number(index, texts)}")
        values |= self._walk_list(slot, index, k, payload)
        move = Move("list", slot, tuple(c for c in known if c in index.columns), parts)
        if limits is not None:
            move = replace(move, ranged=limits.column, low=limits.low, high=limits.high)
        self.note(move)
        for c, term in results.items():
            self.equal(values.pop(c), term)
        for c in [c for c in values if c >= len(atom.terms)]:
            self.test(f"{values.pop(c)} == {texts[c]}")
        self.take_apart(slot, values)
        if limits is not None:
            self.facts.learn(limits.facts)

    def _queries(self, slot: int) -> tuple[tuple[LocalQuery, ...], dict[int, str], dict[int, lin.Affine]]:
        """Return the queries asked when an antecedent is filed, their known results as text, and the others' terms."""
        atom = self.rule.antecedents[slot]
        queries: list[LocalQuery] = []
        texts: dict[int, str] = {}
        results: dict[int, lin.Affine] = {}
        number = len(atom.terms)
        for test, place in self._local(slot):
            self.waiting.remove(test)
            outside = self._outside(test, place)
            open_ = [k for k in range(len(test.terms)) if k != place and k not in outside]
            free = [k for k in open_ if self.needs(self.unbound(test.terms[k]), slot)]
            column = next(c for c, t in enumerate(atom.terms) if t.single == test.terms[place].single)
            queries.append(LocalQuery(test.query, ((place, column),), (*outside, *free)))
            for k in (*outside, *free):
                if k in outside:
                    texts[number] = self.shown(test.terms[k])
                else:
                    results[number] = test.terms[k]
                number += 1
        return tuple(queries), texts, results

    def _walk_range(self, index: Index, limits: Limits, texts: Mapping[int, str], k: str) -> str:
        """Go through the lists of a range that are not empty, number in k; returns the ranged column's local."""
        code, shape = self.code, self.shape
        names = {name: self.local(name[0]) for name in ("at", "last", "place", "mask", "value")}
        low = [shape.ranged_value(index, self.shown(t)) for t in limits.low]
        high = [shape.ranged_value(index, self.shown(t)) for t in limits.high]
        sizes = {
            what: shape.quantity(Quantity(what, index)) for what in ("words", "masks", "lists", "values")
        }
        most = f"{sizes['values']} - 1"
        code.add(
            _WALK_RANGE,
            **names,
            **sizes,
            first=f"max({', '.join(['0', *low])})" if low else "0",
            most=f"min({', '.join([most, *high])})" if high else most,
            key=shape.place(shape.layout.numbering(index.kind, index.key), texts),
        )
        assert index.ranged is not None
        least = shape.layout.digits[index.kind][index.ranged].low_text
        code.add(_IN_RANGE, **names, **sizes, k=k, least=least)
        return names["value"]

    def _walk_list(self, slot: int, index: Index, k: str, payload: Sequence[int]) -> dict[int, str]:
        """Walk through list k; returns the locals with the columns of its entries."""
        code, shape = self.code, self.shape
        p, m, y = self.local("p"), self.local("m"), self.local("y")
        entry = shape.entry(index)
        step = f" * {entry.width}, {entry.width}" if entry.width > 1 else ""
        code.add(_WALK_LIST, m=m, k=k, p=p, step=step)
        record = self.local("r") if entry.record else y
        code.add(f"{record} = A[{p}]")
        if entry.record:
            code.add(f"{y} = WR[{record} * {1 + shape.layout.width}]")
        if shape.rows:
            code.add(f"if {y} > x:\n    break")
        if slot > self.slot >= 0 and self.rule.antecedents[slot].kind in self._kinds_of_item():
            self.test(f"{y} != x")
        self.ids[slot] = y
        values: dict[int, str] = {}
        for c in payload:
            values[c] = self.local("f")
            code.add(f"{values[c]} = {entry.column(c, p, record, shape.layout.width)}")
        return values

    def _kinds_of_item(self) -> set[int]:
        """Return the kinds that writings of the item taken may have."""
        kind = self.program.kinds[self.rule.antecedents[self.slot].kind]
        if kind.form not in self.program.equations:
            return {kind.number}
        return {k.number for k in self.program.kinds if k.form == kind.form}

    def _wanted(self, slot: int, column: int) -> bool:
        """Whether anything depends on a column's value."""
        terms = self.rule.antecedents[slot].terms
        name = terms[column].single
        if name is None or name in self.names or self.needs([name]):
            return True
        return any(name in t.names for c, t in enumerate(terms) if c != column)

    def _guards(self, slot: int) -> tuple[tuple[str, ...], set[int]]:
        """Return what can be tested of a partner alone, and the columns that this settles."""
        atom = self.rule.antecedents[slot]
        first: dict[str, int] = {}
        for c, term in enumerate(atom.terms):
            name = term.single
            if name in self.unbound(term):
                first.setdefault(name, c)
        columns = {name: f"{{{c}}}" for name, c in first.items()}
        guards: list[str] = []
        settled: set[int] = set()
        for c, term in enumerate(atom.terms):
            if c in first.values() or not all(x in columns for x in term.variables):
                continue
            settled.add(c)
            guards.append(f"{{{c}}} == {lin.term_text(term, columns, self.symbols)}")
        for test in list(self.waiting):
            if not isinstance(test, lin.Linear | lin.AnyOf):
                continue
            names = {x for t in lin.linear_terms(test) for x in t.variables}
            if names and names <= set(columns):
                self.waiting.remove(test)
                guards.append(lin.condition_text(test, columns, self.symbols))
                self.facts.learn(differences_of([test]))
        return tuple(sorted(guards)), settled

    # the consequent

    def derive(self) -> None:
        """Write what happens with an instance, a hypothesis, or a final item."""
        rule, code, shape = self.rule, self.code, self.shape
        texts = [self.shown(t) for t in rule.consequent.terms]
        if self.purpose == "final":
            code.add("FM[x] = 1")
            return
        if self.purpose == "given":
            code.add(new_item(shape, rule.consequent.kind, texts))
            return
        ends = [self.shown(t) for link in rule.links for t in link]
        repeated = tuple(k for k in range(len(self.ids)) if self._may_repeat(k))
        others = [y for k, y in enumerate(self.ids) if k != self.slot]
        words = instance_text(self.program, [shape.step(rule, self.slot), "0", *others, *ends])
        leaf = leaf_text(shape, rule.case, self.ids, ends)
        add_instance(shape, rule, texts, self.ids, repeated, words, code)
        code.add(leaf)
        row = ["z - 1", *(f"{y} - 1" for y in self.ids), *ends]
        if shape.rows:
            code.add(_ROW, case=rule.case, width=len(row), row=_assignments(row))
        elif shape.is_logged(rule.case):
            full = leaving("LOG_FULL") if shape.log else "st[LOGGED] = st[LOG_ROOM] + 1"
            row = [str(rule.case), *row]
            code.add(_LOGGED, width=shape.layout.log_width, full=full, row=_assignments(row))
        code.add("found += 1")

    def _may_repeat(self, slot: int) -> bool:
        """Whether the consequent may be the antecedent."""
        atom = self.rule.antecedents[slot]
        if self.program.kinds[atom.kind].form != self.program.kinds[self.rule.consequent.kind].form:
            return False
        if self.program.kinds[atom.kind].form in self.program.equations:
            return True
        if atom.kind != self.rule.consequent.kind:
            return False
        same = [lin.Linear("==", a - b) for a, b in zip(atom.terms, self.rule.consequent.terms, strict=True)]
        if any(not t.left.terms and t.left.constant for t in same):
            return False
        known = [t for a in self.rule.antecedents for t in conditions_of(self.program.kinds, a)]
        return not facts_of([*known, *self.rule.tests, *same]).contradictory()


def _assignments(row: Sequence[str]) -> str:
    """Return what writes a row of the log at p."""
    return "\n".join(f"LOG[p{f' + {k}' if k else ''}] = {value}" for k, value in enumerate(row))
