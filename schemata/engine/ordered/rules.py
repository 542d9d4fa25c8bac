"""One rule of an ordered kernel: its loops, and its tests as early as they can be made.

Where a kernel counts and nothing can be found twice, the tests of the innermost loop are joined by `&` instead of
branches, so that it can be vectorised. What is done inside is written by `instances`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from schemata.engine.code import Code
from schemata.engine.order.model import Order, OrderedRule
from schemata.engine.ordered.instances import InstanceWriter
from schemata.engine.ordered.loops import Loop, Nest, nest
from schemata.engine.ordered.nests import Nests
from schemata.engine.ordered.plan import RulePlan, column_name, plan_rule, within_table
from schemata.engine.ordered.shape import Mode
from schemata.engine.ordered.text import Names, bound_text, is_branch_free
from schemata.program.facts import facts_of
from schemata.program.linear import Affine, AnyOf, Linear, Test, variable
from schemata.program.model import Program, Rule

__all__ = ["RuleWriter", "open_nest", "region_constraints"]


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
        writer = InstanceWriter(self.program, self.code, names, number, plan, self.steps[rule.number])
        if self.mode == "codes":
            code.line("m = 0")
        elif self.mode == "rows":
            writer.begin_rows()
        for check in loops.checks:
            code.test(f"{names.term(check)} >= 0")
        if self.mode == "codes":
            writer.begin_codes()
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
            writer.append(remembered)
        elif self.mode == "rows":
            writer.write_row(remembered, start)
        elif self.mode == "codes":
            writer.write_code(remembered, start)
        elif remembered:
            writer.count_once()
        elif not loops.loops:
            writer.count(joined)
        else:
            writer.count_loop(joined, loops.loops[-1].variable in self.lanes, outside)

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
