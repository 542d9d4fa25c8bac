"""What an ordered kernel does with a step instance that a rule's loops have found.

*fill* sets the consequent's byte and counts. *rows* writes a row of numbers, *codes* the values of the free variables
only, *expand* appends the row to a Python list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from schemata.engine.code import Code
from schemata.engine.ordered.plan import RulePlan, kind_terms
from schemata.engine.ordered.text import Names
from schemata.program.model import Atom, Program

__all__ = ["InstanceWriter"]

STEPS = 4096  # more than step names of one schema


@dataclass(frozen=True, slots=True)
class InstanceWriter:
    """Writes the innermost part of a rule.

    `number` is the rule's place in counts and rows, `step` the number of its step's name. Where an instance may be
    found twice, it is remembered (`remembered`), and done with once.
    """

    program: Program
    code: Code
    names: Names
    number: int
    plan: RulePlan
    step: int

    def count(self, tests: Sequence[str]) -> None:
        """Count an instance outside loops, where no entry that is tested is 0."""
        for text in tests:
            self.code.test(f"{text} != 0")
        self.code.line(f"{self._cell()} |= 1")
        self.code.line(f"counts[{self.number}] += 1")

    def count_loop(self, tests: Sequence[str], moves: bool, outside: int) -> None:
        """Count the instances of the innermost loop, where no entry that is tested is 0.

        Parameters
        ----------
        tests : the entries.
        moves : whether the consequent depends on the loop's variable.
        outside : the depth outside the loop.
        """
        code, cell = self.code, self._cell()
        if tests:
            code.line(f"y = {' & '.join(tests)}")
            code.line("x += y")
        else:
            code.line("x += 1")
        if moves:
            code.line(f"{cell} |= {'y' if tests else '1'}")
        code.depth = outside
        code.line(f"counts[{self.number}] += x")
        if not moves:
            code.line("if x != 0:")
            code.line(f"    {cell} |= 1")

    def _cell(self) -> str:
        """Return the consequent's entry in its table."""
        kind = self.plan.rule.consequent.kind
        return f"T{kind}[{self.names.place(kind, kind_terms(self.program, kind))}]"

    def count_once(self) -> None:
        """Count an instance that may have been found before: `hit` says that the consequent was derived."""
        items = [self._item(atom) for atom in self.plan.antecedents]
        self.code.open(f"if {self._fresh(items)}:")
        self.code.line(f"counts[{self.number}] += 1")
        self.code.line("hit = 1")
        self.code.depth -= 1

    def _item(self, atom: Atom) -> str:
        """Return the number of the item that an antecedent's writing stands for."""
        place = self.names.place(atom.kind, atom.terms)
        return f"T{atom.kind}[{place}]" if self._flagged(atom.kind) else f"(O[{atom.kind}] + {place} + 1)"

    def _fresh(self, items: Sequence[str]) -> str:
        """Return the question whether an instance is new; long keys are written down first."""
        ends = [self.names.term(end) for link in self.plan.links for end in link]
        if len(items) <= 2 and len(ends) <= 2:
            pair = " + ".join([*(f"{x} * {1 << 32}" for x in items[:1]), *items[1:]]) or "0"
            link = f"(({ends[0]}) * N + {ends[1]}) * {STEPS} + {self.step}" if ends else str(self.step)
            return f"fresh_pair(found, {pair}, {link}, control) != 0"
        self.code.line(f"key[0] = {self.step}")
        for k, entry in enumerate([*items, *ends]):
            self.code.line(f"key[{k + 1}] = {entry}")
        return f"fresh(found, key, {len(items) + len(ends) + 1}, control) != 0"

    def _numbers(self) -> list[str]:
        found = [f"I{a.kind}[{self.names.place(a.kind, a.terms)}]" for a in self.plan.antecedents]
        return [*found, *(self.names.term(end) for link in self.plan.links for end in link)]

    def begin_rows(self) -> None:
        """Note outside the loops from where on rows are written, and up to where."""
        self.code.line(f"p = at[{self.number}]")
        self.code.line(f"e = ends[{self.number}]")

    def write_row(self, remembered: bool, start: int) -> None:
        """Write the numbers of the items and the ends of links."""
        code = self.code
        entries = self._numbers()
        kind = self.plan.rule.consequent.kind
        if self._flagged(kind):
            item = "item"  # a hypothesis has its number under one writing, and is derived in all of them
        else:
            item = f"I{kind}[{self.names.place(kind, kind_terms(self.program, kind))}]"
            code.test(f"{item} >= 0")  # a run that was broken off has not derived all that its items allow
        self._other_number(item)
        if remembered:
            code.test(self._fresh(entries[: len(self.plan.antecedents)]))
        code.open("if p < e:")
        for k, entry in enumerate([item, *entries]):
            code.line(f"out[p{f' + {k}' if k else ''}] = {entry}")
        code.line(f"p += {len(entries) + 1}")
        code.depth = start
        code.line(f"at[{self.number}] = p")

    def begin_codes(self) -> None:
        """Look the consequent up, outside the loops; its codes are written from `p` on, and `m` of them."""
        kind = self.plan.rule.consequent.kind
        self.code.line(f"z = I{kind}[{self.names.place(kind, kind_terms(self.program, kind))}]")
        self.code.test("z >= 0")
        self.code.line(f"p = at[{self.number}]")
        self.code.line(f"e = ends[{self.number}]")

    def write_code(self, remembered: bool, start: int) -> None:
        """Write the values of the free variables; after the loops, the consequent and how many there were."""
        code, free = self.code, self.plan.free
        if remembered:
            code.test(self._fresh(self._numbers()[: len(self.plan.antecedents)]))
        code.open(f"if p + {len(free)} <= e:")
        for k, x in enumerate(free):
            code.line(f"codes[p{f' + {k}' if k else ''}] = {self.names.name(x)}")
        code.line(f"p += {len(free)}")
        code.line("m += 1")
        code.depth = start
        code.open("if m != 0:")
        code.line(f"at[{self.number}] = p")
        code.line(f"visits[seen[{self.number}]] = z")
        code.line(f"visits[seen[{self.number}] + 1] = m")
        code.line(f"seen[{self.number}] += 2")

    def append(self, remembered: bool) -> None:
        """Append the instance to a list of Python's."""
        entries = self._numbers()
        self._other_number("item")
        step = self.step if remembered else -1
        self.code.line(f"found.append(({step}, {self.number}, ({', '.join(['item', *entries])},)))")

    def _other_number(self, item: str) -> None:
        """Leave out instances of which the consequent is an antecedent, where items have several writings."""
        kinds = self.program.kinds
        form = kinds[self.plan.rule.consequent.kind].form
        if not self.program.equations.get(form):
            return
        for atom in self.plan.antecedents:
            if kinds[atom.kind].form == form:
                self.code.test(f"I{atom.kind}[{self.names.place(atom.kind, atom.terms)}] != {item}")

    def _flagged(self, kind: int) -> bool:
        """Whether a kind's table holds numbers of items, since an item may have several writings."""
        return bool(self.program.equations.get(self.program.kinds[kind].form))
