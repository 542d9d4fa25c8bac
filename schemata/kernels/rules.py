"""What is known while a rule's antecedents are found: its variables by their locals, and the tests still to be made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from schemata.kernels.layout import Index, LocalQuery, Numbering, Quantity
from schemata.kernels.lists import ANSWERING
from schemata.kernels.probe import Move, Plan
from schemata.kernels.shape import Instance, Limits, Shape, limits_of
from schemata.kernels.text import any_of_text, linear_text, term_text
from schemata.language.bounds import Bounds
from schemata.machine.text import Lines
from schemata.program.duplicates import Duplicates
from schemata.program.facts import conditions_of, differences_of, facts_of, range_of
from schemata.program.linear import (
    Affine,
    AnyOf,
    Asks,
    Linear,
    Provided,
    Test,
    linear_terms,
    variable,
)
from schemata.program.model import Atom, NotLowerable, Rule
from schemata.program.queries import Equals, Query

_SYMBOLS = variable("symbols")


class Knowledge:
    """The code of a rule as far as it is written, and what holds there."""

    def __init__(self, shape: Shape, rule: Rule) -> None:
        self.shape, self.program, self.rule = shape, shape.layout.program, rule
        program = self.program
        self.symbols = program.symbols
        self.names: dict[str, str] = {}  # bound variables and their locals
        self.facts = Bounds()
        self.waiting: list[Test] = list(rule.tests)
        self.open_columns: list[tuple[str, Affine]] = []  # a column's value and the term it must equal
        self.code = Lines()
        self.fresh = 0
        self.plan: Plan | None = None  # where the kernel is measured

    # small helps

    def is_bound(self, term: Affine) -> bool:
        """Whether all variables of a term are known."""
        return not self.unbound(term)

    def unbound(self, term: Affine) -> list[str]:
        """Return the variables of a term that are not known."""
        return [x for x in term.names if x != "n" and not x.startswith("'") and x not in self.names]

    def text(self, term: Affine) -> str:
        """Return a term in code."""
        return term_text(term, self.names, self.symbols)

    def local(self, hint: str) -> str:
        """Return a new local name."""
        self.fresh += 1
        return f"{hint}{self.fresh}"

    def test(self, text: str) -> None:
        """Go on only where a condition holds."""
        self.code.open(f"if {text}:")

    def note(self, move: Move) -> None:
        """Note what is done here, where the kernel is measured."""
        if self.plan is not None:
            self.plan.note(move, self.code)

    def free_variables(self, asks: Sequence[Asks]) -> list[str]:
        """Return the variables that are not known and that none of these queries answers, but the rest needs."""
        terms = [*self.rule.consequent.terms, *(t for link in self.rule.links for t in link)]
        asked = {x for q in asks for t in q.terms for x in t.names}
        terms += [t for test in self.waiting if not isinstance(test, Asks) for t in linear_terms(test)]
        return [x for x in dict.fromkeys(x for t in terms for x in self.unbound(t)) if x not in asked]

    def asks(self) -> list[Asks]:
        """Return the queries that are still to be asked."""
        return [test for test in self.waiting if isinstance(test, Asks)]

    def is_needed(self, name: str, missing: Iterable[Atom] = ()) -> bool:
        """Whether what is left of the rule has a variable; `missing` are the antecedents not yet found."""
        terms = [*self.rule.consequent.terms, *(t for link in self.rule.links for t in link)]
        terms += [t for atom in missing for t in atom.terms]
        terms += [t for test in self.waiting for t in linear_terms(test)]
        terms += [t for _, t in self.open_columns]
        return any(name in t.names for t in terms)

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
                self.test(f"{value} == {self.text(term)}")
            return True
        for test in list(self.waiting):
            if isinstance(test, Linear) and test.relation == "==":
                unknown = self.unbound(test.left)
                if len(unknown) == 1:
                    self.waiting.remove(test)
                    self._bind(unknown[0], test.left, "0")
                    self.note(Move("solve", test=test))
                    return True
        return False

    def _bind(self, name: str, term: Affine, value: str) -> None:
        """Bind the one unknown variable of a term that equals a value."""
        k = term.coefficient(name)
        rest = term - variable(name) * k
        local = self.local("v")
        shown = self.text(rest)
        difference_text = value if shown == "0" else f"{value} - ({shown})" if value != "0" else f"-({shown})"
        if k < 0:
            difference_text = f"-({difference_text})"
        if abs(k) != 1:
            self.test(f"({difference_text}) % {abs(k)} == 0")
            difference_text = f"({difference_text}) // {abs(k)}"
        self.code.line(f"{local} = {difference_text}")
        self.names[name] = local
        if value == "0":
            self.facts.learn(differences_of([Linear("==", term)]))

    def _make_test(self) -> bool:
        for test in sorted(self.waiting, key=lambda test: isinstance(test, Asks)):
            if isinstance(test, Asks):
                # a value is taken apart at once; what is put together waits until all else holds
                bound = self.bound_places(test)
                taken = isinstance(test.query.goals[0], Equals) and 0 in bound
                if (taken and test.query.is_ready(bound)) or len(bound) == len(test.terms) > 0:
                    self.ask(test)
                    return True
            elif all(self.is_bound(t) for t in linear_terms(test)):
                self.waiting.remove(test)
                self._write_test(test)
                return True
        return False

    # queries

    def bound_places(self, test: Asks) -> list[int]:
        """Return the places of a query that are known."""
        return [k for k, term in enumerate(test.terms) if self.is_bound(term)]

    def ask(self, test: Asks) -> None:
        """Look the answers to a query up: go through those that differ in what the rule needs."""
        self.waiting.remove(test)
        bound = self.bound_places(test)
        wanted = [k for k, term in enumerate(test.terms) if k not in bound and self.needs(term)]
        word = test.query.word
        if word in bound:  # one table for all rules, made before the run
            bound, wanted = [word], [1 - word]
        known = [(k, self.text(test.terms[k])) for k in bound]
        self.fresh += 1
        values = emit_ask(self.shape, test.query, known, wanted, str(self.fresh), self.code)
        single = test.query.determined(bound)
        several = single is None or not single.issuperset(wanted)
        self.note(Move("choose" if several else "test", test=test, bound=tuple(bound)))
        for k, value in values.items():
            self.equal(value, test.terms[k])

    def needs(self, term: Affine) -> bool:
        """Whether the rest of the rule needs a term that is not known."""
        return any(self.is_needed(x, self.missing_atoms()) for x in self.unbound(term))

    def missing_atoms(self) -> list[Atom]:
        """Return the antecedents not yet found."""
        return []

    def equal(self, value: str, term: Affine) -> None:
        """Know that a local equals a term: bind the variable that it is, or test the two once it is known."""
        name = term.single
        if name is not None and name not in self.names and name != "n" and not name.startswith("'"):
            self.names[name] = value
        else:
            self.open_columns.append((value, term))

    def _write_test(self, test: Test) -> None:
        match test:
            case Linear():
                goal = differences_of([test])
                if goal and self.facts.proves(goal):
                    return
                self.test(linear_text(test, self.names, self.symbols))
                self.facts.learn(goal)
            case AnyOf():
                self.test(any_of_text(test, self.names, self.symbols))
            case Provided():
                for term, low, high in test.ranges():
                    self.within(term, low, high)
                self.test(test.place(self.text, "symbols"))
        self.note(Move("test", test=test))

    def within(self, term: Affine, low: Affine, high: Affine) -> None:
        """Test that a known term lies between two others, as far as that is not known."""
        self.at_least(term - low)
        self.at_least(high - term)

    def at_least(self, left: Affine) -> None:
        """Test that a known term is not below 0, as far as that is not known."""
        if not left.terms:
            if left.constant < 0:
                self.test("False")
            return
        goal = differences_of([Linear(">=", left)])
        if not (goal and self.facts.proves(goal)):
            self.test(linear_text(Linear(">=", left), self.names, self.symbols))
            self.facts.learn(goal)

    # choices

    def choose(self) -> None:
        """Let a variable run over a range that the tests imply."""
        best: tuple[str, list[str], list[str]] | None = None
        for name in self.free_variables([]):
            low, high = self._range(name)
            if low and high:
                best = name, low, high
                break
        if best is None:
            best = self._implied_range()
        if best is None:
            raise NotLowerable("a variable that nothing bounds")
        name, low, high = best
        local = self.local("v")
        low_text = low[0] if len(low) == 1 else f"max({', '.join(low)})"
        high_text = high[0] if len(high) == 1 else f"min({', '.join(high)})"
        self.code.line(f"work -= max(0, {high_text} - ({low_text}) + 1)")
        self.code.open(f"for {local} in range({low_text}, {high_text} + 1):")
        self.names[name] = local
        self.note(Move("choose", variable=name))

    def _implied_range(self) -> tuple[str, list[str], list[str]] | None:
        """Return a free variable that the tests bound only together, with its bounds by what is known."""
        linear = [test for test in self.waiting if isinstance(test, Linear)]
        for name in self.free_variables([]):
            low, high = self._ends(linear, name)
            if low and high:
                return name, low, high
            for test in self.waiting:
                if isinstance(test, AnyOf):
                    ends = [self._ends([*linear, *option], name) for option in test.options]
                    if all(low and high for low, high in ends):
                        lows = ", ".join(f"max({', '.join(low)}, {low[0]})" for low, _ in ends)
                        highs = ", ".join(f"min({', '.join(high)}, {high[0]})" for _, high in ends)
                        return name, [f"min({lows})"], [f"max({highs})"]
        return None

    def _ends(self, tests: Sequence[Test], name: str) -> tuple[list[str], list[str]]:
        """Return what a variable is not below and not above where tests hold, as text."""
        facts = facts_of(tests)
        least, greatest = range_of(facts, name)
        low = [] if least is None else [self.text(least)]
        high = [] if greatest is None else [self.text(greatest)]
        for other, local in self.names.items():
            if (above := facts.distance(other, name)) is not None:
                low.append(f"{local} - {above}" if above >= 0 else f"{local} + {-above}")
            if (below := facts.distance(name, other)) is not None:
                high.append(f"{local} + {below}" if below >= 0 else f"{local} - {-below}")
        return low, high

    def _range(self, name: str) -> tuple[list[str], list[str]]:
        low: list[str] = []
        high: list[str] = []
        for test in self.waiting:
            match test:
                case Linear(">=", left) if self.unbound(left) == [name]:
                    k = left.coefficient(name)
                    rest = left - variable(name) * k
                    # k * name + rest >= 0
                    if k > 0:
                        low.append(self.text(-rest) if k == 1 else f"-(({self.text(rest)}) // {k})")
                    else:
                        high.append(self.text(rest) if k == -1 else f"({self.text(rest)}) // {-k}")
                case Provided():
                    for term, least, most in test.ranges(_SYMBOLS):
                        if term.single == name:
                            low.append(str(least))
                            high.append(str(most))
        return list(dict.fromkeys(low)), list(dict.fromkeys(high))


_KNOWN = 2  # columns of a partner; where more are known, lists are short and ranges not worth an index


Purpose = Literal["step", "given", "final"]


class Block(Knowledge):
    """The code of one rule for one slot; slot -1 for rules without antecedents."""

    def __init__(
        self, shape: Shape, rule: Rule, slot: int, doubles: Duplicates, purpose: Purpose = "step"
    ) -> None:
        super().__init__(shape, rule)
        self.slot, self.doubles, self.purpose = slot, doubles, purpose
        self.missing = [k for k in range(len(rule.antecedents)) if k != slot]
        self.ids = ["0"] * len(rule.antecedents)
        if shape.probe is not None and purpose == "step":
            self.plan = shape.probe.plan(rule, slot)

    # the whole

    def emit(self, fields: Sequence[str]) -> Lines:
        """Return the code; `fields` are the locals with the item's columns."""
        code = self.code
        if self.purpose == "step":
            code.line("found = 0")
        if self.plan is not None:
            self.plan.begin(code)
        if self.slot >= 0:
            self.ids[self.slot] = "x"
            self.take_apart(self.slot, dict(enumerate(fields)))
        self.settle()
        while self.missing or self.asks() or self.free_variables([]):
            self.advance()
            self.settle()
        assert not self.waiting
        assert not self.open_columns
        self.derive()
        code.depth = 0
        if self.plan is not None:
            self.plan.end(code)
        if self.purpose != "step":
            return code
        if not self.shape.rows:
            code.line(f"CNT[{self.rule.case}] += found")
        code.line("steps += found")
        return code

    def missing_atoms(self) -> list[Atom]:
        """Return the antecedents not yet found."""
        return [self.rule.antecedents[k] for k in self.missing]

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
        parts = (len(self._outside(test)) for test in self._local(slot))
        return sum(self.is_bound(t) for t in atom.terms) + sum(parts)

    def _local(self, slot: int) -> list[Asks]:
        """Return the queries that take columns of an antecedent apart which are not known."""
        atom = self.rule.antecedents[slot]
        own = {t.single for t in atom.terms if not self.is_bound(t)}
        return [
            test
            for test in self.asks()
            if test.terms[0].single in own and test.query.is_ready([0]) and not self.shape.layout.bounded
        ]

    def _outside(self, test: Asks) -> list[int]:
        """Return the places of a query, but the value it takes apart, that are known."""
        return [k for k in self.bound_places(test) if k > 0]

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
        texts = [self.text(t) for t in atom.terms]
        self.note(Move("item", slot, tuple(range(len(texts)))))
        y = self.local("y")
        key = self.shape.item_key(atom.kind, texts)
        self.code.line(f"{y} = {self.shape.item_at(key)}")
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
        known = [c for c, t in enumerate(atom.terms) if self.is_bound(t) and not _is_constant(t)]
        parts = tuple(
            (test.terms[0], test.terms[k]) for test in self._local(slot) for k in self._outside(test)
        )
        queries, texts, results = self._queries(slot)
        guards, settled = self._guards(slot)
        free = [c for c in range(len(atom.terms)) if c not in known and c not in settled]
        limits = None if shape.hashed or len(known) > _KNOWN else self._limits(slot, free)
        ranged = None if limits is None else limits.column
        payload = [c for c in free if c != ranged and self._wanted(slot, c)] + list(results)
        texts |= {c: self.text(atom.terms[c]) for c in known}
        index = shape.index(Index(atom.kind, tuple(texts), guards, ranged, queries), payload)
        payload += [c for c in texts if c not in index.columns]
        k = self.local("k")
        values: dict[int, str] = {}
        if shape.hashed:
            lists = shape.list_key(index, texts) if index in shape.indexes else "0"
            self.code.line(f"{k} = lists_at(JK, JV, st[LIST_SLOTS], {lists})")
            self.test(f"{k} > 0")
        else:
            self.in_place(slot, shape.layout.numbering(atom.kind, index.key))
            if limits is not None:
                values[limits.column] = self._walk_range(index, limits, texts, k)
            else:
                if index.ranged is not None:
                    self.in_window(slot, index.ranged)
                self.code.line(f"{k} = {shape.list_number(index, texts)}")
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

    def _queries(self, slot: int) -> tuple[tuple[LocalQuery, ...], dict[int, str], dict[int, Affine]]:
        """Return what an antecedent is asked when it is filed, its known results as text, and the others' terms."""
        atom = self.rule.antecedents[slot]
        queries: list[LocalQuery] = []
        texts: dict[int, str] = {}
        results: dict[int, Affine] = {}
        number = len(atom.terms)
        for test in self._local(slot):
            self.waiting.remove(test)
            outside = self._outside(test)
            free = [k for k, t in enumerate(test.terms) if k and k not in outside and self._is_used(t, slot)]
            column = next(c for c, t in enumerate(atom.terms) if t.single == test.terms[0].single)
            queries.append(LocalQuery(test.query, ((0, column),), (*outside, *free)))
            for k in (*outside, *free):
                if k in outside:
                    texts[number] = self.text(test.terms[k])
                else:
                    results[number] = test.terms[k]
                number += 1
        return tuple(queries), texts, results

    def _is_used(self, term: Affine, slot: int) -> bool:
        """Whether the rest of the rule, or the antecedent itself, has a variable of a term."""
        atoms = [*self.missing_atoms(), self.rule.antecedents[slot]]
        return any(self.is_needed(x, atoms) for x in self.unbound(term))

    def _limits(self, slot: int, columns: Sequence[int]) -> Limits | None:
        atom = self.rule.antecedents[slot]
        digits = self.shape.layout.digits[atom.kind]
        return limits_of(self.program, atom, columns, digits, self.waiting, self.names, self.facts)

    def _walk_range(self, index: Index, limits: Limits, texts: Mapping[int, str], k: str) -> str:
        """Go through the lists of a range that are not empty, number in k; returns the ranged column's local."""
        code, shape = self.code, self.shape
        at, last, place, mask, value = (self.local(x) for x in ("q", "e", "b", "w", "f"))
        low = [shape.ranged_value(index, self.text(t)) for t in limits.low]
        high = [shape.ranged_value(index, self.text(t)) for t in limits.high]
        most = f"{shape.quantity(Quantity('values', index))} - 1"
        code.line(f"{at} = max({', '.join(['0', *low])})" if low else f"{at} = 0")
        code.line(f"{last} = min({', '.join([most, *high])})" if high else f"{last} = {most}")
        words, masks = shape.quantity(Quantity("words", index)), shape.quantity(Quantity("masks", index))
        lists, count = shape.quantity(Quantity("lists", index)), shape.quantity(Quantity("values", index))
        code.line(f"{place} = {shape.place(shape.layout.numbering(index.kind, index.key), texts)}")
        code.line(f"{mask} = {masks} + {place} * {words}")
        code.line(f"{at} = later(MK, {mask}, {at}, {last})")
        code.open(f"while {at} <= {last}:")
        assert index.ranged is not None
        least = shape.layout.digits[index.kind][index.ranged].low_text
        code.line(f"{value} = {at} + {least}")
        code.line(f"{k} = {lists} + {place} * {count} + {at}")
        code.line(f"{at} = later(MK, {mask}, {at} + 1, {last})")  # here: what follows stands inside the loop
        return value

    def _walk_list(self, slot: int, index: Index, k: str, payload: Sequence[int]) -> dict[int, str]:
        """Walk through list k; returns the locals with the columns of its entries."""
        code, shape = self.code, self.shape
        p, m, y = self.local("p"), self.local("m"), self.local("y")
        entry = shape.entry(index)
        code.line(f"{m} = LH[2 * {k} + 1]")
        code.line(f"work -= {m}")
        code.line(f"{p} = LH[2 * {k}]")
        step = f" * {entry.width}, {entry.width}" if entry.width > 1 else ""
        code.open(f"for {p} in range({p}, {p} + {m}{step}):")
        record = self.local("r") if entry.record else y
        code.line(f"{record} = A[{p}]")
        if entry.record:
            code.line(f"{y} = WR[{record} * {1 + shape.layout.width}]")
        if shape.rows:
            code.open(f"if {y} > x:")
            code.line("break")
            code.close()
        if slot > self.slot >= 0 and self.rule.antecedents[slot].kind in self._kinds_of_item():
            self.test(f"{y} != x")
        self.ids[slot] = y
        values: dict[int, str] = {}
        for c in payload:
            values[c] = self.local("f")
            code.line(f"{values[c]} = {entry.column(c, p, record, shape.layout.width)}")
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
        if name is None or name in self.names or self.is_needed(name, self.missing_atoms()):
            return True
        return any(name in t.names for c, t in enumerate(terms) if c != column)

    def _guards(self, slot: int) -> tuple[tuple[str, ...], set[int]]:
        """Return what can be tested of a partner alone, and the columns that this settles."""
        atom = self.rule.antecedents[slot]
        first: dict[str, int] = {}
        for c, term in enumerate(atom.terms):
            name = term.single
            if name is not None and name not in self.names and name != "n" and not name.startswith("'"):
                first.setdefault(name, c)
        columns = {name: f"{{{c}}}" for name, c in first.items()}
        guards: list[str] = []
        settled: set[int] = set()
        for c, term in enumerate(atom.terms):
            own = [x for x in term.names if x != "n" and not x.startswith("'")]
            if c in first.values() or not all(x in columns for x in own):
                continue
            if not own and not _is_constant(term):
                continue
            settled.add(c)
            guards.append(f"{{{c}}} == {term_text(term, columns, self.symbols)}")
        for test in list(self.waiting):
            if not isinstance(test, Linear | AnyOf):
                continue
            names = {x for t in linear_terms(test) for x in t.names if x != "n" and not x.startswith("'")}
            if names and names <= set(columns):
                self.waiting.remove(test)
                if isinstance(test, Linear):
                    guards.append(linear_text(test, columns, self.symbols))
                    self.facts.learn(differences_of([test]))
                else:
                    guards.append(any_of_text(test, columns, self.symbols))
        return tuple(sorted(guards)), settled

    # the consequent

    def derive(self) -> None:
        """Write what happens with an instance, a hypothesis, or a final item."""
        rule, code, shape = self.rule, self.code, self.shape
        if self.purpose == "final":
            code.line("FM[x] = 1")
            return
        if self.purpose == "given":
            columns = [self.text(t) for t in rule.consequent.terms]
            emit_new(shape, rule.consequent.kind, columns, normal=False, out=code)
            return
        atom = rule.consequent
        texts = [self.text(t) for t in atom.terms]
        ends = [self.text(t) for link in rule.links for t in link]
        repeated = tuple(k for k in range(len(self.ids)) if self._may_repeat(k))
        instance = Instance(atom.kind, len(self.ids), repeated, self.doubles.of(rule))
        words = self.doubles.words(rule, self.slot, self.ids, ends)
        if shape.calls and not shape.rows and not shape.log:
            shape.instances[instance] = None
            told = [] if instance.how == "never" else words
            given = ", ".join(["n", "symbols", "x", *texts, *self.ids, *told, shape.tables])
            code.line(f"new = {instance.name}({given})")
            code.open("if new < 0:")
            code.line("return -1")
            code.close()
            code.line("found += new")
            return
        emit_instance(shape, instance, texts, self.ids, [f"{words[0]} | z", *words[1:]], code)
        if shape.rows:
            width = 1 + len(self.ids) + len(ends)
            code.line(f"p = OFF[{rule.case}] + CNT[{rule.case}] * {width}")
            for k, value in enumerate(["z - 1", *(f"{y} - 1" for y in self.ids), *ends]):
                code.line(f"LOG[p + {k}] = {value}" if k else f"LOG[p] = {value}")
            code.line(f"CNT[{rule.case}] += 1")
        elif shape.log:
            row = [str(rule.case), "z - 1", *(f"{y} - 1" for y in self.ids), *ends]
            code.line("p = st[LOGGED]")
            code.open(f"if p + {len(row)} > st[LOG_ROOM]:")
            leave(code, "LOG_FULL")
            code.close()
            for k, value in enumerate(row):
                code.line(f"LOG[p + {k}] = {value}" if k else f"LOG[p] = {value}")
            code.line(f"st[LOGGED] = p + {len(row)}")
        code.line("found += 1")

    def _may_repeat(self, slot: int) -> bool:
        """Whether the consequent may be the antecedent."""
        atom = self.rule.antecedents[slot]
        if self.program.kinds[atom.kind].form != self.program.kinds[self.rule.consequent.kind].form:
            return False
        if self.program.kinds[atom.kind].form in self.program.equations:
            return True
        if atom.kind != self.rule.consequent.kind:
            return False
        same = [Linear("==", a - b) for a, b in zip(atom.terms, self.rule.consequent.terms, strict=True)]
        if any(not t.left.terms and t.left.constant for t in same):
            return False
        known = [t for a in self.rule.antecedents for t in conditions_of(self.program.kinds, a)]
        return not facts_of([*known, *self.rule.tests, *same]).contradictory()


def _is_constant(term: Affine) -> bool:
    return all(x == "n" or x.startswith("'") for x in term.names)


def emit_ask(
    shape: Shape,
    query: Query,
    bound: Sequence[tuple[int, str]],
    wanted: Sequence[int],
    tag: str,
    out: Lines,
) -> dict[int, str]:
    """Write the look at a query's answers; the code stands inside the loop over them afterwards.

    Parameters
    ----------
    shape, query : the kernel, and what is asked.
    bound, wanted : the places that are known, with their text, and those that are asked for.
    tag : makes the locals' names new.

    Returns
    -------
    The locals with the wanted places.
    """
    table = shape.table(query, [k for k, _ in bound], wanted)
    values = [value for _, value in bound]
    if shape.answers(table):
        out.line(f"p{tag} = answer_{table}({', '.join([ANSWERING, *values])})")
        out.open(f"if p{tag} < 0:")
        leave(out, f"-p{tag}")
    else:
        out.line(f"p{tag} = {shape.asked(table, values)}")
        out.open(f"if p{tag} == 0:")
        leave(out, "UNKNOWN")
    out.close()
    if not wanted:
        out.open(f"if RP[p{tag}] > 0:")
        return {}
    width = len(wanted)
    size = f"RP[p{tag}]" + (f" * {width}, {width}" if width > 1 else "")
    out.open(f"for r{tag} in range(p{tag} + 1, p{tag} + 1 + {size}):")
    answers: dict[int, str] = {}
    for k, place in enumerate(wanted):
        answers[place] = f"a{tag}_{k}"
        out.line(f"a{tag}_{k} = RP[r{tag}{f' + {k}' if k else ''}]")
    return answers


def leave(out: Lines, status: str) -> None:
    """Break the turn off."""
    out.line(f"broken_off(st, CNT, CS, x, {status})")
    out.line("return -1")


def emit_instance(
    shape: Shape,
    instance: Instance,
    columns: Sequence[str],
    ids: Sequence[str],
    words: Sequence[str],
    out: Lines,
) -> None:
    """Write what makes the consequent `z` and goes on only where the instance is new.

    Parameters
    ----------
    shape, instance : the kernel, and how the instance is treated.
    columns : the columns of the consequent.
    ids : the antecedents.
    words : what tells the instance from others of the turn.
    out : the code; it stands inside the tests afterwards.
    """
    kind = shape.layout.program.kinds[instance.kind]
    normal = kind.form in shape.layout.program.equations
    emit_new(shape, instance.kind, columns, normal, out)
    tests = ["z > 0"] if normal else []
    tests += [f"z != {ids[k]}" for k in instance.repeated]
    if tests:
        out.open(f"if {' and '.join(tests)}:")
    if instance.how == "never":
        return
    out.line("new = 1")
    if instance.how == "writings":
        several = " or ".join(f"MU[{y}]" for y in dict.fromkeys(ids))
        out.open(f"if {several}:")
    out.line(f"new = fresh(st, SH, SR, {', '.join(words)})")
    out.open("if new < 0:")
    leave(out, "MET_FULL")
    out.close(2 if instance.how == "writings" else 1)
    out.open("if new:")


def emit_new(shape: Shape, kind: int, columns: Sequence[str], normal: bool, out: Lines) -> None:
    """Write what finds an item in the table, or enters it; `normal` brings it into normal form before."""
    key = shape.item_key(kind, columns)
    if not shape.hashed:
        out.line(f"key = {key}")
        key = "key"
    out.line(f"z = {shape.item_at(key)}")
    if shape.rows:
        return
    out.open("if z == 0:")
    padded = ", ".join([*columns, *["0"] * (shape.layout.width - len(columns))])
    tables = "HK, TAB" if shape.hashed else "key, TAB"
    if normal:
        out.line(f"z = placed(n, symbols, st, {kind}, {padded}, F, KI, WB, PL, BN, {tables})")
    else:
        out.line(f"z = made(st, {kind}, {padded}, F, KI, {tables})")
    out.open("if z < -1:")
    leave(out, "-z")
    out.close(2)


def emit_instances(shape: Shape, tables: str, words: int, out: Lines) -> None:
    """Write the functions that a large kernel's rules call."""
    for instance in shape.instances:
        columns = [f"v{c}" for c in range(len(shape.layout.program.kinds[instance.kind].columns))]
        ids = [f"y{k}" for k in range(instance.antecedents)]
        known = [f"w{k}" for k in range(words if instance.how != "never" else 0)]
        head = ", ".join(["n", "symbols", "x", *columns, *ids, *known, tables])
        out.text += ["", "", "@apart"]
        out.open(f"def {instance.name}({head}):")
        # words of an instance name its consequent, which is known inside only
        emit_instance(shape, instance, columns, ids, [f"{known[0]} | z", *known[1:]] if known else [], out)
        out.line("return 1")
        out.depth = 1
        out.line("return 0")
        out.close()
