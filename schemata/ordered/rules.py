"""One rule of an ordered kernel: its loops, its tests as early as they can be made, and what is done with instances.

*fill* sets the consequent's byte and counts. *rows* writes a row of numbers, *codes* the values of the free variables
only, *expand* appends the row to a Python list. Where a kernel counts and nothing can be found twice, the tests of
the innermost loop are joined by `&` instead of branches, so that it can be vectorised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from schemata.engine.code import Code
from schemata.order.model import Order, OrderedRule, Region
from schemata.ordered.plan import (
    Layouts,
    Loop,
    Mode,
    Nest,
    Nests,
    RulePlan,
    column_name,
    kind_terms,
    measured_columns,
    nest,
    plan_rule,
    step_numbers,
    within_table,
)
from schemata.ordered.text import Names, bound_text, is_branch_free
from schemata.program.duplicates import repeating_rules
from schemata.program.facts import facts_of
from schemata.program.linear import Affine, AnyOf, Linear, Test, variable
from schemata.program.model import Atom, Program, Rule

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


ONE = [variable("n") - 1]  # terms that are at least 0: a sentence has a word


@dataclass(slots=True)
class Frame:
    """A kernel under construction; `nests` takes note of its loops, where they are asked for."""

    order: Order
    layouts: Layouts
    mode: Mode
    code: Code
    nests: Nests | None = None
    repeating: frozenset[int] = field(init=False)

    def __post_init__(self) -> None:
        self.repeating = repeating_rules(self.order.program)

    def derived_regions(self) -> list[Region]:
        """Return the regions of items that rules derive: where there is a normal form, all of the form's."""
        order, kinds = self.order, self.order.program.kinds
        used = {rule.consequent for rule in order.rules}
        forms = {kinds[order.regions[number].kind].form for number in used}
        written = {form for form in forms if order.program.equations.get(form)}
        return [r for r in order.regions if r.number in used or kinds[r.kind].form in written]

    def rule_writer(
        self, names: Names, lanes: Sequence[str], context: Sequence[Affine], own: Sequence[Affine]
    ) -> RuleWriter:
        """Return what writes rules inside loops over their consequents; see `RuleWriter` for what is given."""
        program = self.order.program
        measured = [measured_columns(self.order, k.number) for k in program.kinds]
        return RuleWriter(
            program,
            self.mode,
            self.code,
            names,
            lanes,
            context,
            own,
            self.repeating,
            step_numbers(program),
            measured,
            self.nests,
        )

    def look(self) -> None:
        """Stop between items: where the driver says so or the budget is used up; where all rows are written.

        So the rows of a run that was broken off are those that it counted.
        """
        rules = len(self.order.rules)
        if self.mode == "fill":
            stop = f"control[0] != 0 or control[6] != 0 or total(counts, {rules}) > control[1]"
        else:
            stop = f"full(at, ends, {rules}) != 0"
        self.code.line(f"if {stop}:")
        self.code.line("    return 1")
