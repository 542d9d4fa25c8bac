"""The text of a rule for one antecedent: its plan (`program.plan`), move by move, and the consequent."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from schemata.kernels.layout import Quantity
from schemata.kernels.measures import Measured
from schemata.kernels.shape import Shape, add_ask, add_instance, leaf_text, leaving, new_item
from schemata.machine.text import LOOPS, Nest, is_too_deep, one_of
from schemata.program import linear as lin
from schemata.program import plan as p
from schemata.program.facts import conditions_of, facts_of
from schemata.program.forward import SYMBOLS
from schemata.program.instances import instance_text
from schemata.program.model import NotLowerable

Purpose = Literal["step", "given", "final"]

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
    shape, plan : the kernel, and the rule's plan for the item taken.
    purpose : whether the rule is a step, enters a hypothesis or marks a final item.

    Attributes
    ----------
    text : the code, in which c0, c1 ... are the item's columns.
    """

    def __init__(self, shape: Shape, plan: p.Plan, purpose: Purpose = "step") -> None:
        self.shape, self.program, self.plan, self.purpose = shape, shape.layout.program, plan, purpose
        self.rule, self.slot = plan.rule, plan.slot
        self.ids = ["0"] * len(self.rule.antecedents)
        self.names: dict[str, str] = {SYMBOLS.names[0]: "symbols"}  # variables and their locals
        self.code = Nest()
        self.fresh = 0
        measured = shape.probe is not None and purpose == "step"
        self.measured: Measured | None = shape.probe.measured(plan) if shape.probe and measured else None
        self.text = self._whole()
        if is_too_deep(self.text):
            answer = NotLowerable.of(
                "a step whose antecedents and choices need too many nested loops",
                f"at most {LOOPS}: cut the step in two, with an item between them",
            )
            raise answer.at(self.program.schema.cases[self.rule.case]) if purpose == "step" else answer

    def _whole(self) -> str:
        code = self.code
        if self.measured is not None:
            self.measured.begin(code)
        if self.slot >= 0:
            self.ids[self.slot] = "x"
            for c in range(len(self.rule.antecedents[self.slot].terms)):
                self.names[p.read_name(self.slot, c)] = f"c{c}"
        for move in self.plan.moves:
            self._add(move)
        self._derive()
        if self.purpose != "step":
            return str(code)
        ends = [self.measured.end] if self.measured is not None else []
        if not self.shape.rows:
            ends.append(f"CNT[{self.rule.case}] += found")
        return "\n".join(["found = 0", str(code), *ends, "steps += found"])

    @property
    def key(self) -> tuple[str, ...]:
        """The columns that a block looks at if it predicts from one item and facts; () if it looks at all columns.

        All items with the same values in these columns have equally many instances, with the same consequents. ()
        also where instances must be distinguished, or where the consequent may be the item taken.
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
            or not any(map(p.is_loop, self.plan.moves))
        ):
            return ()
        used = tuple(sorted(set(re.findall(r"\bc\d+\b", self.text))))
        fits = len(used) < min(len(rule.antecedents[self.slot].terms), shape.list_words)
        return used if fits else ()

    # moves

    def _add(self, move: p.Move) -> None:
        """Add the text of a move; the text of later moves is nested in it."""
        code = self.code
        match move:
            case p.Bind(name, value):
                self.names[name] = self.names[value]
            case p.Solve(name, term, value):
                local = self._local("v")
                from_ = self.names[value] if value else "0"
                test, text = lin.solved_text(name, from_, term, self.names, self.program.symbols)
                if test:
                    self._test(test)
                code.add(f"{local} = {text}")
                self.names[name] = local
            case p.Agree(value, term):
                self._test(f"{self.names[value]} == {self._shown(term)}")
            case p.Require(test):
                self._test(self._condition(test))
            case p.Inquire():
                self._inquire(move)
            case p.Range(name, options):
                local = self._local("v")
                low = one_of("min", [one_of("max", map(self._least, lows)) for lows, _ in options])
                high = one_of("max", [one_of("min", map(self._most, highs)) for _, highs in options])
                code.add(_LOOP, local=local, low=low, high=high)
                self.names[name] = local
                self._count(move)
            case p.LookUp():
                self._count(move)
                self._look_up(move)
            case p.Walk():
                self._walk(move)
                self._count(move)

    def _shown(self, term: lin.Affine) -> str:
        return lin.term_text(term, self.names, self.program.symbols)

    def _local(self, hint: str) -> str:
        """Return a new local name."""
        self.fresh += 1
        return f"{hint}{self.fresh}"

    def _test(self, text: str) -> None:
        """Go on only where a condition holds."""
        self.code.add(f"if {text}:")

    def _count(self, move: p.Move) -> None:
        """Count the ways to go on from here, where the kernel is measured."""
        if self.measured is not None:
            self.measured.count(move, self.code)

    def _condition(self, test: lin.Linear | lin.AnyOf | lin.Provided) -> str:
        if isinstance(test, lin.Provided):
            return test.place(self._shown, "symbols")
        if isinstance(test, lin.Linear) and test.relation == ">=" and not test.left.terms:
            return "False"
        return lin.condition_text(test, self.names, self.program.symbols)

    def _least(self, end: p.End) -> str:
        return (
            self._shown(end.term) if end.divisor == 1 else f"-(({self._shown(-end.term)}) // {end.divisor})"
        )

    def _most(self, end: p.End) -> str:
        return self._shown(end.term) if end.divisor == 1 else f"({self._shown(end.term)}) // {end.divisor}"

    def _inquire(self, move: p.Inquire) -> None:
        known = [(k, self._shown(move.test.terms[k])) for k in move.bound]
        self.fresh += 1
        found = add_ask(self.shape, move.test.query, known, move.wanted, str(self.fresh), self.code)
        self.names |= zip(move.values, found.values(), strict=True)
        if move.several:
            self._count(move)

    # items

    def _look_up(self, move: p.LookUp) -> None:
        slot, atom = move.slot, self.rule.antecedents[move.slot]
        texts = [self._shown(t) for t in move.terms]
        y = self._local("y")
        key = self.shape.item_key(atom.kind, texts)
        self.code.add(f"{y} = {self.shape.item_at(key)}")
        compare = "<" if slot > self.slot >= 0 else "<="
        self._test(f"{y} > 0 and {y} {compare} x")
        if self.program.kinds[atom.kind].form in self.program.equations:
            written = " and ".join(
                [f"KI[{y}] == {atom.kind}"]
                + [f"F[{y} * {self.shape.layout.width} + {c}] == {t}" for c, t in enumerate(texts)]
            )
            self._test(f"{y} > given or ({written})")
        self.ids[slot] = y

    def _walk(self, move: p.Walk) -> None:
        shape, code, slot = self.shape, self.code, move.slot
        index = shape.index(move, self.rule.antecedents[slot].kind)
        texts = {number: self._shown(term) for number, term in move.values}
        k = self._local("k")
        if shape.hashed:
            code.add(f"{k} = lists_at(JK, st[LIST_SLOTS], {shape.list_key(index, texts)})")
            self._test(f"{k} > 0")
        elif move.limits is not None:
            self._walk_range(move, move.limits, texts, k)
        else:
            code.add(f"{k} = {shape.list_number(index, texts)}")
        p_, m, y = self._local("p"), self._local("m"), self._local("y")
        entry = shape.entry(index)
        step = f" * {entry.width}, {entry.width}" if entry.width > 1 else ""
        code.add(_WALK_LIST, m=m, k=k, p=p_, step=step)
        record = self._local("r") if entry.record else y
        code.add(f"{record} = A[{p_}]")
        if entry.record:
            code.add(f"{y} = WR[{record} * {1 + shape.layout.width}]")
        if shape.rows:
            code.add(f"if {y} > x:\n    break")
        if slot > self.slot >= 0 and self.rule.antecedents[slot].kind in self._kinds_of_item():
            self._test(f"{y} != x")
        self.ids[slot] = y
        for number in move.read:
            local = self.names[p.read_name(slot, number)] = self._local("f")
            code.add(f"{local} = {entry.column(number, p_, record, shape.layout.width)}")

    def _walk_range(self, move: p.Walk, limits: p.Limits, texts: Mapping[int, str], k: str) -> None:
        """Go through the lists of a range that are not empty; the local `k` has the number of the list."""
        code, shape = self.code, self.shape
        index = shape.index(move, self.rule.antecedents[move.slot].kind)
        names = {name: self._local(name[0]) for name in ("at", "last", "place", "mask", "value")}
        low = [shape.ranged_value(index, self._shown(t)) for t in limits.low]
        high = [shape.ranged_value(index, self._shown(t)) for t in limits.high]
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
        least = shape.layout.digits[index.kind][limits.column].low_text
        code.add(_IN_RANGE, **names, **sizes, k=k, least=least)
        self.names[p.read_name(move.slot, limits.column)] = names["value"]

    def _kinds_of_item(self) -> set[int]:
        """Return the kinds that the item taken may have in any of its writings."""
        kind = self.program.kinds[self.rule.antecedents[self.slot].kind]
        if kind.form not in self.program.equations:
            return {kind.number}
        return {k.number for k in self.program.kinds if k.form == kind.form}

    # the consequent

    def _derive(self) -> None:
        """Add the code that records an instance, enters a hypothesis, or marks a final item."""
        rule, code, shape = self.rule, self.code, self.shape
        if self.purpose == "final":
            code.add("FM[x] = 1")
            return
        texts = [self._shown(t) for t in rule.consequent.terms]
        if self.purpose == "given":
            code.add(new_item(shape, rule.consequent.kind, texts))
            return
        ends = [self._shown(t) for link in rule.links for t in link]
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
    """Return the code that writes a row of the log at `p`."""
    return "\n".join(f"LOG[p{f' + {k}' if k else ''}] = {value}" for k, value in enumerate(row))
