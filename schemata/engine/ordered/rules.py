"""One rule of an ordered kernel: its loops, its tests as early as they can be made, and what is done inside.

Three kernels share this. *fill* sets the consequent's byte and counts; where nothing can be found twice, the
tests of the innermost loop are joined by `&` instead of branches, so that it can be vectorised. *rows* writes
a row of numbers for every instance, *codes* the values of its free variables only, *expand* appends it to a
Python list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from schemata.engine.code import Code
from schemata.engine.lowering.facts import facts_of
from schemata.engine.lowering.model import Affine, AnyOf, Atom, Linear, Program, Rule, Test, variable
from schemata.engine.order.model import Order, OrderedRule
from schemata.engine.ordered.loops import Loop, Nest, nest
from schemata.engine.ordered.nests import Nests
from schemata.engine.ordered.plan import RulePlan, column_name, plan_rule, within_table
from schemata.engine.ordered.text import Names, bound_text, is_branch_free

__all__ = ["STEPS", "Mode", "RuleWriter", "kind_terms", "open_nest", "region_constraints", "row_length"]

Mode = Literal["fill", "rows", "codes", "expand"]
STEPS = 4096  # more than step names of one schema


def row_length(rule: Rule) -> int:
    """Return how many numbers a row of back-pointers has: consequent, antecedents, the ends of links."""
    return 1 + len(rule.antecedents) + 2 * len(rule.links)


def kind_terms(program: Program, kind: int) -> tuple[Affine, ...]:
    """Return the variables that stand for the consequent's columns."""
    return tuple(variable(column_name(k)) for k in range(len(program.kinds[kind].columns)))


def open_nest(names: Names, code: Code, found: Nest, look: Callable[[], None] | None = None) -> None:
    """Write a nest's tests and loops; `look` is written inside the first loop."""
    for check in found.checks:
        code.test(f"{names.term(check)} >= 0")
    for k, loop in enumerate(found.loops):
        _open_loop(names, code, loop)
        if k == 0 and look is not None:
            look()


def _open_loop(names: Names, code: Code, loop: Loop) -> None:
    low, high = bound_text(names, loop.lows, "max"), bound_text(names, loop.highs, "min")
    code.open(f"for {names.name(loop.variable)} in range({low}, {high} + 1):")
    for check in loop.checks:
        code.test(f"{names.term(check)} >= 0")


@dataclass(slots=True)
class RuleWriter:
    """Writes the nests of rules for consequents of one kind.

    Attributes
    ----------
    names : the names of what is known: n, and the consequent's columns, of which `lanes` are looped over last.
    context : what holds of the known variables (terms >= 0).
    own : constraints on the consequent's columns that involve lanes.
    repeating : the rules that may find an instance twice.
    steps : for every rule, the number of its step's name.
    nests : takes note of the loops, where they are asked for.
    """

    program: Program
    mode: Mode
    code: Code
    names: Names
    lanes: Sequence[str]
    context: Sequence[Affine]
    own: Sequence[Affine]
    repeating: frozenset[int]
    steps: Sequence[int]
    measured: Sequence[frozenset[int]]
    nests: Nests | None = None

    def write(self, number: int, rule: Rule, extra: Sequence[Affine]) -> None:
        """Write one rule; `number` is its place in counts and rows, `extra` are constraints on its antecedents."""
        code = self.code
        plan = plan_rule(self.program, rule)
        order = [*self._ranked(plan), *self.lanes]
        names = self.names.with_variables({x: f"v{k}" for k, x in enumerate(plan.free)})
        constraints = [*plan.constraints, *self.own, *extra]
        if self.mode == "expand":  # which is not told what the proof of the order knows of items
            for atom in plan.antecedents:
                constraints += within_table(self.program.kinds[atom.kind], atom.terms)
        loops = nest(constraints, order, self.context)
        if self.nests is not None:
            self.nests.note_rule(number, plan, loops)
        remembered = rule.number in self.repeating
        letter = "T" if self.mode == "fill" else "I"
        byte_tests = self.mode == "fill" and not remembered
        pending: list[tuple[set[str], str, bool]] = []
        for atom in plan.antecedents:
            about = {x for term in atom.terms for x in term.names}
            place = f"{letter}{atom.kind}[{names.place(atom.kind, atom.terms)}]"
            pending.append((about, place, True))
        for test in (*plan.tests, *_apart(plan, constraints)):
            pending.append((names.names_in(test), names.test(test), is_branch_free(test)))
        looped, known = set(order), set[str]()
        code.settle()
        start = code.depth
        code.comment(f"rule {rule.number}")
        if self.mode == "codes":
            code.line("m = 0")
        for check in loops.checks:
            code.test(f"{names.term(check)} >= 0")
        joined = self._settle(pending, looped, known, byte_tests and not loops.loops)
        outside = code.depth
        for k, loop in enumerate(loops.loops):
            last = k == len(loops.loops) - 1
            if last and byte_tests:
                code.line("x = 0")
                outside = code.depth
            _open_loop(names, code, loop)
            known.add(loop.variable)
            joined = self._settle(pending, looped, known, byte_tests and last)
        if self.mode == "expand":
            self._append(names, number, plan, remembered)
        elif self.mode == "rows":
            self._row(names, number, plan, remembered)
        elif self.mode == "codes":
            self._code(names, number, plan, remembered, start)
        elif remembered:
            self._count_once(names, number, plan)
        else:
            self._count(names, number, plan, joined, loops, outside)

    def _flagged(self, kind: int) -> bool:
        """Whether a kind's table holds numbers of items, since an item may have several writings."""
        return bool(self.program.equations.get(self.program.kinds[kind].form))

    def _ranked(self, plan: RulePlan) -> list[str]:
        """Return a rule's free variables in the order of their loops: those of measured columns first."""
        weight: dict[str, int] = dict.fromkeys(plan.free, 0)
        for atom in plan.antecedents:
            for k, term in enumerate(atom.terms):
                for x in term.names:
                    if x in weight and k in self.measured[atom.kind]:
                        weight[x] += 1
        return sorted(plan.free, key=lambda x: -weight[x])

    def _settle(
        self, pending: list[tuple[set[str], str, bool]], looped: set[str], known: set[str], join: bool
    ) -> list[str]:
        """Write the tests that can be made now; those on bytes are returned instead if they are to be joined."""
        ready = [p for p in pending if p[0] & looped <= known]
        pending[:] = [p for p in pending if p not in ready]
        joined: list[str] = []
        for _, text, byte in ready:
            if not byte:
                self.code.test(text)
        for _, text, byte in ready:
            if byte and join:
                joined.append(text)
            elif byte:
                empty = "!= 0" if self.mode == "fill" or not text.startswith("I") else ">= 0"
                self.code.test(f"{text} {empty}")
        return joined

    # what is done with an instance

    def _count(
        self, names: Names, number: int, plan: RulePlan, joined: list[str], loops: Nest, outside: int
    ) -> None:
        code = self.code
        kind = plan.rule.consequent.kind
        cell = f"T{kind}[{names.place(kind, kind_terms(self.program, kind))}]"
        if not loops.loops:
            for text in joined:
                code.test(f"{text} != 0")
            code.line(f"{cell} |= 1")
            code.line(f"counts[{number}] += 1")
            return
        moves = loops.loops[-1].variable in self.lanes
        if joined:
            code.line(f"y = {' & '.join(joined)}")
            code.line("x += y")
        else:
            code.line("x += 1")
        if moves:
            code.line(f"{cell} |= {'y' if joined else '1'}")
        code.depth = outside
        code.line(f"counts[{number}] += x")
        if not moves:
            code.line("if x != 0:")
            code.line(f"    {cell} |= 1")

    def _count_once(self, names: Names, number: int, plan: RulePlan) -> None:
        """Count an instance that may have been found before: `hit` says that the consequent was derived."""
        items = [self._code_of(names, atom) for atom in plan.antecedents]
        self.code.open(f"if {self._fresh(names, plan, items)}:")
        self.code.line(f"counts[{number}] += 1")
        self.code.line("hit = 1")
        self.code.depth -= 1

    def _code_of(self, names: Names, atom: Atom) -> str:
        """Return the number of the item that an antecedent's writing stands for."""
        place = names.place(atom.kind, atom.terms)
        return f"T{atom.kind}[{place}]" if self._flagged(atom.kind) else f"(O[{atom.kind}] + {place} + 1)"

    def _fresh(self, names: Names, plan: RulePlan, items: Sequence[str]) -> str:
        """Return the question whether an instance is new; long keys are written down first."""
        step = self.steps[plan.rule.number]
        ends = [names.term(end) for link in plan.links for end in link]
        if len(items) <= 2 and len(ends) <= 2:
            pair = " + ".join([*(f"{x} * {1 << 32}" for x in items[:1]), *items[1:]]) or "0"
            link = f"(({ends[0]}) * N + {ends[1]}) * {STEPS} + {step}" if ends else str(step)
            return f"fresh_pair(found, {pair}, {link}, control) != 0"
        self.code.line(f"key[0] = {step}")
        for k, entry in enumerate([*items, *ends]):
            self.code.line(f"key[{k + 1}] = {entry}")
        return f"fresh(found, key, {len(items) + len(ends) + 1}, control) != 0"

    def _numbers(self, names: Names, plan: RulePlan) -> list[str]:
        found = [f"I{a.kind}[{names.place(a.kind, a.terms)}]" for a in plan.antecedents]
        return [*found, *(names.term(end) for link in plan.links for end in link)]

    def _row(self, names: Names, number: int, plan: RulePlan, remembered: bool) -> None:
        code = self.code
        entries = self._numbers(names, plan)
        kind = plan.rule.consequent.kind
        if self._flagged(kind):
            item = "item"  # a hypothesis has its number under one writing, and is derived in all of them
        else:
            item = f"I{kind}[{names.place(kind, kind_terms(self.program, kind))}]"
            self.code.test(
                f"{item} >= 0"
            )  # a run that was broken off has not derived all that its items allow
        self._other_number(names, plan, item)
        if remembered:
            code.test(self._fresh(names, plan, entries[: len(plan.antecedents)]))
        code.open(f"if at[{number}] < ends[{number}]:")
        for k, entry in enumerate([item, *entries]):
            code.line(f"out[at[{number}]{f' + {k}' if k else ''}] = {entry}")
        code.depth -= 1
        code.line(f"at[{number}] += {len(entries) + 1}")

    def _code(self, names: Names, number: int, plan: RulePlan, remembered: bool, start: int) -> None:
        """Write the values of the free variables; after the loops, the consequent and how many there were."""
        code = self.code
        kind = plan.rule.consequent.kind
        item = f"I{kind}[{names.place(kind, kind_terms(self.program, kind))}]"
        code.test(f"{item} >= 0")
        if remembered:
            code.test(self._fresh(names, plan, self._numbers(names, plan)[: len(plan.antecedents)]))
        code.open(f"if at[{number}] + {len(plan.free)} <= ends[{number}]:")
        for k, x in enumerate(plan.free):
            code.line(f"codes[at[{number}]{f' + {k}' if k else ''}] = {names.name(x)}")
        code.line("m += 1")
        code.depth -= 1
        code.line(f"at[{number}] += {len(plan.free)}")
        code.depth = start
        code.open("if m != 0:")
        code.line(f"visits[seen[{number}]] = {item}")
        code.line(f"visits[seen[{number}] + 1] = m")
        code.line(f"seen[{number}] += 2")

    def _append(self, names: Names, number: int, plan: RulePlan, remembered: bool) -> None:
        entries = self._numbers(names, plan)
        self._other_number(names, plan, "item")
        step = self.steps[plan.rule.number] if remembered else -1
        self.code.line(f"found.append(({step}, {number}, ({', '.join(['item', *entries])},)))")

    def _other_number(self, names: Names, plan: RulePlan, item: str) -> None:
        """Leave out instances of which the consequent is an antecedent, where items have several writings."""
        kinds = self.program.kinds
        form = kinds[plan.rule.consequent.kind].form
        if not self.program.equations.get(form):
            return
        for atom in plan.antecedents:
            if kinds[atom.kind].form == form:
                self.code.test(f"I{atom.kind}[{names.place(atom.kind, atom.terms)}] != {item}")


def _apart(plan: RulePlan, constraints: Sequence[Affine]) -> Iterator[Test]:
    """Yield the tests that a consequent is none of its antecedents, where it might be."""
    consequent = plan.rule.consequent
    held = [Linear(">=", c) for c in constraints]
    for atom in plan.antecedents:
        if atom.kind != consequent.kind:
            continue
        differences = [term - variable(column_name(j)) for j, term in enumerate(atom.terms)]
        if any(not d.terms and d.constant for d in differences):
            continue
        differences = [d for d in differences if d.terms]
        if facts_of([*held, *(Linear("==", d) for d in differences)]).contradictory():
            continue
        yield (
            AnyOf(tuple((Linear("!=", d),) for d in differences)) if differences else Linear(">=", Affine(-1))
        )


def region_constraints(order: Order, ordered: OrderedRule, plan: RulePlan) -> list[Affine]:
    """Return what the regions of a rule's antecedents require, as terms >= 0."""
    found: list[Affine] = []
    for atom, place in zip(plan.antecedents, ordered.antecedents, strict=True):
        region = order.regions[place]
        columns = order.program.kinds[atom.kind].columns
        given = {column.name: term for column, term in zip(columns, atom.terms, strict=True)}
        written = order.program.equations.get(order.program.kinds[atom.kind].form)
        known = (
            region.tests if written else (*region.invariants, *region.tests)
        )  # invariants are of normal writings
        for test in known:
            left = test.left.substitute(given)
            if test.relation != "!=":
                found += [left] if test.relation == ">=" else [left, -left]
    return found
