"""One rule of an ordered kernel: its loops, its tests as early as they can be made, and what is done with instances.

*fill* sets the consequent's byte and counts. *rows* writes a row of numbers, *codes* the values of the free variables
only, *expand* appends the row to a Python list. Where a kernel counts and nothing can be found twice, the tests of
the innermost loop are joined by `&` instead of branches, so that it can be vectorised.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from schemata.machine.text import nested
from schemata.order.model import Order, OrderedRule
from schemata.ordered.plan import (
    Loop,
    Mode,
    Nest,
    Nests,
    RulePlan,
    at_least,
    column_name,
    kind_terms,
    nest,
    plan_rule,
    within_table,
)
from schemata.ordered.text import Names, when
from schemata.program.facts import facts_of
from schemata.program.linear import (
    Affine,
    AnyOf,
    Linear,
    Provided,
    Test,
    linear_terms,
    variable,
)
from schemata.program.model import Atom, Program, Rule

_STEPS = 4096  # more than step names of one schema


def open_nest(names: Names, found: Nest, look: str = "") -> list[str]:
    """Return the heads of a nest's tests and loops; `look` stands inside the first loop."""
    heads = when(names.holds(found.checks))
    for k, loop in enumerate(found.loops):
        heads += [open_loop(names, loop), look if k == 0 else "", *when(names.holds(loop.checks))]
    return heads


def open_loop(names: Names, loop: Loop) -> str:
    """Return the head of a loop."""
    return f"for {names.variables[loop.variable]} in {names.range([loop.lows], [loop.highs])}:"


@dataclass(slots=True)
class _Pending:
    """A test that is made as soon as its variables are known; `byte` where it is an entry of a table."""

    variables: set[str]
    text: str
    byte: bool

    @property
    def shown(self) -> str:
        """The test as a comparison."""
        if not self.byte:
            return self.text
        return f"{self.text} {'>=' if self.text.startswith('I') else '!='} 0"


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
    measured : the columns of every kind that levels depend on.
    nests : takes note of the loops, where they are asked for.
    """

    program: Program
    mode: Mode
    names: Names
    lanes: Sequence[str]
    context: Sequence[Affine]
    own: Sequence[Affine]
    repeating: frozenset[int]
    steps: Sequence[int]
    measured: Sequence[frozenset[int]]
    nests: Nests | None = None

    def text(self, number: int, rule: Rule, extra: Sequence[Affine]) -> str:
        """Return one rule; `number` is its place in counts and rows, `extra` are constraints on its antecedents."""
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
        once = self.mode == "fill" and not remembered
        pending = self._pending(plan, names, constraints)
        free, known = set(order), set[str]()

        def ready() -> tuple[list[str], list[_Pending]]:
            """Return the tests that can be made now; apart those on bytes, where they may be joined."""
            mine = [p for p in pending if p.variables & free <= known]
            pending[:] = [p for p in pending if p not in mine]
            mine.sort(key=lambda p: p.byte)
            return [p.shown for p in mine if not (p.byte and once)], [p for p in mine if p.byte and once]

        instance = _Instance(self.program, names, number, plan, self.steps[rule.number], remembered)
        checks = names.holds(loops.checks)
        tests, joined = ready()
        if self.mode == "codes":
            lines = [*when(checks), *instance.begin_codes(), *when(tests)]
        else:
            lines = when([*checks, *tests, *(p.shown for p in joined)])
        for loop in loops.loops:
            known.add(loop.variable)
            tests, joined = ready()
            heads = [open_loop(names, loop), *when([*names.holds(loop.checks), *tests])]
            if not once:
                lines += heads
            elif loop is not loops.loops[-1]:
                lines += [*heads, *when([p.shown for p in joined])]
            else:
                tested = [p.text for p in joined]
                lines += instance.count_loop(heads, tested, loop.variable in self.lanes)
        if self.mode == "expand":
            lines += instance.append()
        elif self.mode == "rows":
            lines += instance.row()
        elif self.mode == "codes":
            lines += instance.code()
        elif remembered:
            lines += instance.count_new()
        elif not loops.loops:
            lines += instance.count()
        return "\n".join([f"# rule {rule.number}", *instance.around(self.mode, nested(lines))])

    def _pending(self, plan: RulePlan, names: Names, constraints: Sequence[Affine]) -> list[_Pending]:
        """Return the tests of a rule: that its antecedents are there, and its own."""
        letter = "T" if self.mode == "fill" else "I"
        found = []
        for atom in plan.antecedents:
            about = {x for term in atom.terms for x in term.names}
            found.append(_Pending(about, f"{letter}{atom.kind}[{names.place(atom.kind, atom.terms)}]", True))
        for test in (*plan.tests, *_apart(plan, constraints)):
            about = {x for term in linear_terms(test) for x in term.names}
            found.append(_Pending(about, names.test(test), isinstance(test, Provided)))
        return found

    def _ranked(self, plan: RulePlan) -> list[str]:
        """Return a rule's free variables in the order of their loops: those of measured columns first."""
        weight: dict[str, int] = dict.fromkeys(plan.free, 0)
        for atom in plan.antecedents:
            for k, term in enumerate(atom.terms):
                for x in term.names:
                    if x in weight and k in self.measured[atom.kind]:
                        weight[x] += 1
        return sorted(plan.free, key=lambda x: -weight[x])


@dataclass(frozen=True, slots=True)
class _Instance:
    """What is done with the instances of a rule, as lines in the innermost of its loops.

    `number` is the rule's place in counts and rows, `step` the number of its step's name. Where an instance may be
    found twice, it is remembered, and done with once.
    """

    program: Program
    names: Names
    number: int
    plan: RulePlan
    step: int
    remembered: bool

    def around(self, mode: Mode, loops: str) -> list[str]:
        """Return the loops of a rule with what stands before and after them."""
        k = self.number
        if mode == "rows":
            return [f"p = at[{k}]", f"e = ends[{k}]", loops, f"at[{k}] = p"]
        if mode == "codes":
            seen = [f"visits[seen[{k}]] = z", f"visits[seen[{k}] + 1] = m", f"seen[{k}] += 2"]
            return ["m = 0", loops, nested(["if m != 0:", f"at[{k}] = p", *seen])]
        return [loops]

    def count(self) -> list[str]:
        """Count an instance outside loops."""
        return [f"{self._cell} |= 1", f"counts[{self.number}] += 1"]

    def count_loop(self, heads: Sequence[str], tested: Sequence[str], moves: bool) -> list[str]:
        """Count the instances of the innermost loop, where no entry that is tested is 0.

        Parameters
        ----------
        heads : those of the loop and the tests in it.
        tested : the entries.
        moves : whether the consequent depends on the loop's variable.
        """
        y = "y" if tested else "1"
        inside = [f"y = {' & '.join(tested)}" if tested else "", f"x += {y}"]
        if moves:
            return ["x = 0", nested([*heads, *inside, f"{self._cell} |= {y}"]), f"counts[{self.number}] += x"]
        found = nested(["if x != 0:", f"{self._cell} |= 1"])
        return ["x = 0", nested([*heads, *inside]), f"counts[{self.number}] += x", found]

    @property
    def _cell(self) -> str:
        """The consequent's entry in its table."""
        return f"T{self._kind}[{self._place}]"

    @property
    def _kind(self) -> int:
        return self.plan.rule.consequent.kind

    @property
    def _place(self) -> str:
        return self.names.place(self._kind, kind_terms(self.program, self._kind))

    def count_new(self) -> list[str]:
        """Count an instance that may have been found before: `hit` says that the consequent was derived."""
        items = [
            f"T{a.kind}[{place}]" if self._flagged(a.kind) else f"(O[{a.kind}] + {place} + 1)"
            for a, place in self._antecedents()
        ]
        return [*self._if_new(items), f"counts[{self.number}] += 1", "hit = 1"]

    def _antecedents(self) -> Iterator[tuple[Atom, str]]:
        """Yield the antecedents with their places."""
        for atom in self.plan.antecedents:
            yield atom, self.names.place(atom.kind, atom.terms)

    @property
    def _ends(self) -> list[str]:
        return [self.names.term(end) for link in self.plan.links for end in link]

    def _if_new(self, items: Sequence[str]) -> list[str]:
        """Return the question whether an instance is new; long keys are written down first."""
        ends = self._ends
        if len(items) <= 2 and len(ends) <= 2:
            pair = " + ".join([*(f"{x} * {1 << 32}" for x in items[:1]), *items[1:]]) or "0"
            link = f"(({ends[0]}) * N + {ends[1]}) * {_STEPS} + {self.step}" if ends else str(self.step)
            return [f"if fresh_pair(found, {pair}, {link}, control) != 0:"]
        key = [str(self.step), *items, *ends]
        noted = (f"key[{k}] = {entry}" for k, entry in enumerate(key))
        return [*noted, f"if fresh(found, key, {len(key)}, control) != 0:"]

    @property
    def _numbers(self) -> list[str]:
        """The numbers of the antecedents."""
        return [f"I{atom.kind}[{place}]" for atom, place in self._antecedents()]

    def row(self) -> list[str]:
        """Write the numbers of the items and the ends of links."""
        if self._flagged(self._kind):
            item = "item"  # a hypothesis has its number under one writing, and is derived in all of them
            lines = when(self._others(item))
        else:
            item = f"I{self._kind}[{self._place}]"
            # a run that was broken off has not derived all that its items allow
            lines = when([f"{item} >= 0", *self._others(item)])
        lines += self._if_new(self._numbers) if self.remembered else []
        entries = [item, *self._numbers, *self._ends]
        written = (f"out[p{f' + {k}' if k else ''}] = {entry}" for k, entry in enumerate(entries))
        return [*lines, "if p < e:", *written, f"p += {len(entries)}"]

    def begin_codes(self) -> list[str]:
        """Look the consequent up, outside the loops; its codes are written from `p` on, and `m` of them."""
        k = self.number
        return [f"z = I{self._kind}[{self._place}]", "if z >= 0:", f"p = at[{k}]", f"e = ends[{k}]"]

    def code(self) -> list[str]:
        """Write the values of the free variables."""
        free = self.plan.free
        lines = self._if_new(self._numbers) if self.remembered else []
        written = (
            f"codes[p{f' + {k}' if k else ''}] = {self.names.variables[x]}" for k, x in enumerate(free)
        )
        return [*lines, f"if p + {len(free)} <= e:", *written, f"p += {len(free)}", "m += 1"]

    def append(self) -> list[str]:
        """Append the instance to a list of Python's."""
        row = ", ".join(["item", *self._numbers, *self._ends])
        step = self.step if self.remembered else -1
        return [*when(self._others("item")), f"found.append(({step}, {self.number}, ({row},)))"]

    def _others(self, item: str) -> list[str]:
        """Return the tests that the consequent is no antecedent, where items have several writings."""
        if not self._flagged(self._kind):
            return []
        kinds = self.program.kinds
        form = kinds[self._kind].form
        return [
            f"I{atom.kind}[{place}] != {item}"
            for atom, place in self._antecedents()
            if kinds[atom.kind].form == form
        ]

    def _flagged(self, kind: int) -> bool:
        """Whether a kind's table holds numbers of items, since an item may have several writings."""
        return bool(self.program.equations.get(self.program.kinds[kind].form))


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
        found += at_least(t.substitute(given) for t in known)
    return found
