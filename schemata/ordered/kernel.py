"""A program with a proved order, compiled: what can be run on sentences.

Back-pointers of one item come from the schema's rules run backwards from it, in Python, over the tables of its chart
(`expanders`). Only what one item's consequent determines is looked at, so this costs microseconds to milliseconds,
whatever the chart's size. The functions are generated with the same nests of loops as the kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from schemata.grammars.relations import TABLES
from schemata.machine.compile import checked, is_compiled, machine_code
from schemata.machine.text import nested
from schemata.order.model import Order
from schemata.ordered.emit import emit_ordered
from schemata.ordered.plan import CodeType, Layouts, column_name, kind_conditions, layouts_of, step_numbers
from schemata.ordered.rules import RuleWriter
from schemata.ordered.text import Names
from schemata.program.duplicates import agreeing_rules, repeating_rules
from schemata.program.facts import facts_of
from schemata.program.linear import variable
from schemata.program.model import NotLowerable, Program

_WIDE = 5  # columns: tables over more positions are mostly empty whatever the grammar licenses


class NotOrderable(Exception):  # noqa: N818 - an answer: the agenda kernels take the program
    """A program has an order, but ordered kernels do not do what it needs; the message says what."""


def places(program: Program, n: int, symbols: int) -> list[int]:
    """Return the size of every kind's table on a sentence of n words."""
    found = []
    for kind in program.kinds:
        size = 1
        for column in kind.columns:
            size *= symbols if column.sort == "symbol" else n + 2
        found.append(size)
    return found


def is_wide(program: Program) -> bool:
    """Whether loops over tables would mostly run in vain, so that an order is not even looked for."""
    return max((len(kind.columns) for kind in program.kinds), default=0) > _WIDE


def why_unused(order: Order) -> str | None:
    """Return why runs take an agenda in spite of a proved order; None where they follow it."""
    if is_wide(order.program):
        return f"tables over items of more than {_WIDE} columns would be mostly empty"
    try:
        OrderedKernel(order)
    except NotOrderable as reason:
        return str(reason)
    return None


class OrderedKernel:
    """The kernels of a program in a proved order.

    Attributes
    ----------
    order : the order.
    text : the text of the kernel that fills the tables.
    checked : whether kernels run in Python, every index tested; for tests.

    Raises
    ------
    NotOrderable : the tables cannot be laid out, or a loop has no bound.
    """

    def __init__(self, order: Order, checked: bool = False) -> None:
        self.order = order
        self.checked = checked
        self._codes: dict[CodeType, Callable[..., int]] = {}
        self.program: Program = order.program
        self.layouts = layouts_of(order)
        for region in order.regions:
            kind = self.program.kinds[region.kind]
            # Invariants are about normal writings; tables have places for all of them.
            known = () if self.program.equations.get(kind.form) else region.invariants
            facts = facts_of([*kind.conditions, *known])
            for column in kind.columns:
                if column.sort == "position" and not facts.proves(
                    [("0", column.name, 0), (column.name, "n", 1)]
                ):
                    raise NotOrderable(
                        f"values of {column.name} in {kind.name} are not shown to be positions"
                    )
        strata: dict[int, set[int]] = {}
        for rule in order.rules:
            strata.setdefault(rule.rule, set()).add(rule.stratum)
        for one, other in agreeing_rules(self.program):
            # What was found is remembered for one consequent in one stratum.
            if len(strata.get(one, set()) | strata.get(other, set())) > 1:
                raise NotOrderable(
                    "instances that two cases of a step may find are looked for at different times"
                )
        try:
            self.text = emit_ordered(order, "fill")
        except (ValueError, NotLowerable) as error:
            raise NotOrderable(str(error)) from error

    @cached_property
    def fill(self) -> Callable[..., int]:
        """The compiled function that completes the tables."""
        return checked(self.text)["fill"] if self.checked else machine_code(self.text, ("fill",))["fill"]

    @property
    def fill_at(self) -> Callable[..., int]:
        """The same function, which takes the addresses of arrays."""
        found: Callable[..., int] = self.fill.__dict__["at_addresses"]
        return found

    @cached_property
    def rows(self) -> Callable[..., int]:
        """The compiled function that writes down back-pointers."""
        text = emit_ordered(self.order, "rows")
        return checked(text)["rows"] if self.checked else machine_code(text, ("rows",))["rows"]

    @property
    def is_compiled(self) -> bool:
        """Whether machine code is loaded, or kept from an earlier process."""
        return "fill" in self.__dict__ or is_compiled(self.text, ("fill",))

    def codes(self, code_type: CodeType) -> Callable[..., int] | None:
        """Return the compiled function that writes down free variables; None for items with a normal form.

        `code_type` is what can hold them.
        """
        if any(self.program.equations.values()):
            return None
        if code_type not in self._codes:
            text = emit_ordered(self.order, "codes", code_type)
            found = checked(text) if self.checked else machine_code(text, ("codes",))
            self._codes[code_type] = found["codes"]
        return self._codes[code_type]

    @cached_property
    def expanders(self) -> Mapping[int, Callable[..., None]]:
        """The functions that find the back-pointers of one item, by kind."""
        return expanders(self.program, self.layouts)

    def memory(self, n: int, symbols: int) -> int:
        """Return the bytes that the tables of a run take."""
        wide = [bool(self.program.equations.get(kind.form)) for kind in self.program.kinds]
        return sum(
            size * (4 if w else 1) for size, w in zip(places(self.program, n, symbols), wide, strict=True)
        )


def expanders(program: Program, layouts: Layouts) -> Mapping[int, Callable[..., None]]:
    """Return, by kind, the function that appends the instances that derive one writing of an item.

    Its arguments are n, S, the tables of relations, those of numbers of all kinds, the columns, the item's number and a
    list, to which (step or -1, rule, row) is appended; rows with a step may come more than once.
    """
    texts = []
    tables = ", ".join(f"I{kind.number}" for kind in program.kinds)
    repeating, steps = repeating_rules(program), step_numbers(program)
    for kind in program.kinds:
        columns = {column_name(k): f"c{k}" for k in range(len(kind.columns))}
        parameters = ", ".join(["n, S", *TABLES, tables, *columns.values(), "item", "found"])
        context = [variable("n") - 1, *kind_conditions(program, kind.number)]
        measured = [frozenset[int]() for _ in program.kinds]
        names = Names(program, columns, layouts)
        writer = RuleWriter(program, "expand", names, (), context, (), repeating, steps, measured)
        rules = [writer.text(r.number, r, ()) for r in program.rules if r.consequent.kind == kind.number]
        texts.append(nested([f"def expand{kind.number}({parameters}):", "N = n + 2", *rules]))
    space: dict[str, Any] = {}
    exec(compile("\n\n".join(texts), "<expand>", "exec"), space)
    return {kind.number: space[f"expand{kind.number}"] for kind in program.kinds}
