"""An ordered kernel: a program with a proved order, compiled and ready for sentences.

Back-pointers of one item come from the schema's rules run backwards from it, in Python, over the tables of its chart
(`emit.expanders`). This looks only at instances with this consequent, so it costs microseconds to milliseconds,
whatever the chart's size. The functions are generated with the same nests of loops as the kernels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import TypeVar

from schemata.cache import kept_text, state_of
from schemata.machine.compile import Compiler, is_compiled, machine_code
from schemata.order.kept import key_of_order
from schemata.order.model import Order
from schemata.ordered.emit import emit_ordered, expanders
from schemata.ordered.plan import CodeType, Mode, is_written, layouts_of
from schemata.program.facts import facts_of
from schemata.program.instances import agreeing_rules
from schemata.program.model import NotLowerable, Program
from schemata.thresholds import WAYS

Text = TypeVar("Text")
_KIND = "texts"  # folder in the user's cache folder


class NotOrderable(Exception):  # noqa: N818 - an answer: the agenda kernels take the program
    """A program has an order, but needs an operation that ordered kernels lack; the message names it."""


def places(program: Program, n: int, symbols: int) -> list[int]:
    """Return the size of every kind's table on a sentence of n words."""
    rows = ([symbols if c.sort == "symbol" else n + 2 for c in kind.columns] for kind in program.kinds)
    return [math.prod(row) for row in rows]


def is_wide(program: Program) -> bool:
    """Whether loops over tables would mostly run in vain, so that no order is searched for."""
    return max((len(kind.columns) for kind in program.kinds), default=0) > WAYS.ordered_columns


def why_unused(order: Order) -> str | None:
    """Return why runs take an agenda in spite of a proved order; None if they follow it."""
    if is_wide(order.program):
        return f"tables over items of more than {WAYS.ordered_columns} columns would be mostly empty"
    try:
        OrderedKernel(order)
    except NotOrderable as reason:
        return str(reason)
    return None


@cache
def _state() -> str | None:
    """Return the state of the modules that write kernels and are not among those of `order/kept.py`."""
    return state_of([Path(__file__).parent])


class OrderedKernel:
    """The kernels of a program in a proved order.

    Attributes
    ----------
    order : the order.
    text : the text of the kernel that fills the tables.
    compiler : makes their functions.

    Raises
    ------
    NotOrderable : the tables cannot be laid out, or a loop has no bound.
    """

    def __init__(self, order: Order, compiler: Compiler = machine_code) -> None:
        self.order = order
        self.compiler = compiler
        self._compiled: dict[str, Callable[..., int]] = {}
        self.weigher: object = None  # kept by `weights.weigher_of`
        self.program: Program = order.program
        self.layouts = layouts_of(order)
        self.text = self.kept(order, ("fill", "u8"), self._written)

    def kept(self, order: Order, key: tuple[str, ...], make: Callable[[], Text]) -> Text:
        """Return the text, or texts, of an ordered kernel: those that were kept under a key, else those that `make`
        makes.
        """
        state = _state()
        whole = None if state is None else key_of_order(order, state, *key)
        return kept_text(_KIND, self.program.schema.name, whole, make)

    def _written(self) -> str:
        """Return the text that fills tables, once it is sure that the program can be run so."""
        order = self.order
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
            return emit_ordered(order, "fill")
        except (ValueError, NotLowerable) as error:
            message = error.diagnostics[0].message if isinstance(error, NotLowerable) else str(error)
            raise NotOrderable(message) from error

    def function(self, mode: Mode, code_type: CodeType = "u8") -> Callable[..., int]:
        """Return a compiled function; `code_type` is the type that holds the values of free variables as codes."""
        key = mode + code_type
        if key not in self._compiled:
            text = self.text
            if mode != "fill":
                make = lambda: emit_ordered(self.order, mode, code_type)  # noqa: E731
                text = self.kept(self.order, (mode, code_type), make)
            self._compiled[key] = self.compiler(text, (mode,))[mode]
        return self._compiled[key]

    @property
    def is_compiled(self) -> bool:
        """Whether machine code is loaded, or kept from an earlier process."""
        return bool(self._compiled) or is_compiled(self.text, ("fill",))

    @cached_property
    def expanders(self) -> Mapping[int, Callable[..., None]]:
        """The functions that find the back-pointers of one item, by kind."""
        return expanders(self.program, self.layouts)

    def memory(self, n: int, symbols: int) -> int:
        """Return the bytes that the tables of a run take."""
        sizes = zip(self.program.kinds, places(self.program, n, symbols), strict=True)
        return sum(size * (4 if is_written(self.program, kind.number) else 1) for kind, size in sizes)
