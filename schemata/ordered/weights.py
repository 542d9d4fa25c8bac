"""Runs of ordered kernels with weights: totals in an algebra, and the best derivation.

A run works on the tables for sentences of one length. Tables, hypotheses and final items depend on nothing else, so many
sentences of a length share them. No back-pointers are kept: the way down the best derivation looks for the maximum again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from schemata.kernels import runtime as r
from schemata.kernels.store import OutsideTables
from schemata.machine.compile import checked, machine_code
from schemata.ordered.algebra import ALGEBRAS, NONE, Algebra
from schemata.ordered.emit import GIVEN, NUMBER, ROOM, emit_weighing
from schemata.ordered.plan import SCORES, choices_width, column_name, derived_hypotheses, measured_columns, plan_rule, row_width, view_name
from schemata.ordered.rules import is_written
from schemata.ordered.store import OrderedTables, digits
from schemata.program.normal_forms import writings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from schemata.ordered.kernel import OrderedKernel


class WeighingKernel:
    """The kernels that weigh a program's items in its proved order, for one algebra.

    Parameters
    ----------
    kernel : the program's kernels that count.
    algebra : "viterbi", "real" or "log".

    Raises
    ------
    ValueError, NotLowerable : the program is beyond what ordered kernels do; the message says why.
    """

    def __init__(self, kernel: OrderedKernel, algebra: str) -> None:
        self.kernel, self.name, self.algebra = kernel, algebra, ALGEBRAS[algebra]
        self.text, weigh, walk, self.views = emit_weighing(kernel.order, self.algebra)
        self._arrays = {"weigh": tuple(weigh), "walk": tuple(walk)}
        self.plans = [plan_rule(kernel.program, rule) for rule in kernel.program.rules]
        self._functions = checked(self.text) if kernel.checked else machine_code(self.text, ("weigh", "walk"))

    def bound(self, name: str, numbers: Sequence[int], arrays: Mapping[str, NDArray[Any]]) -> Callable[[], int]:
        """Return one of the functions with its arguments; it is called thousands of times a second."""
        function = self._functions[name]
        given = [arrays[array] for array in self._arrays[name]]
        if self.kernel.checked:
            return partial(function, *numbers, *given)
        return partial(function.__dict__["at_addresses"], *numbers, *(array.ctypes.data for array in given))


class WeightTables:
    """The tables of weights for sentences of one length.

    Parameters
    ----------
    kernel : what fills them.
    tables : the places of items, with nothing derived; those of items with several writings are filled as well.
    memory : bytes that may be taken.

    Raises
    ------
    OutsideTables : the tables would not fit.
    """

    def __init__(self, kernel: WeighingKernel, tables: OrderedTables, memory: int) -> None:
        self.kernel, self.tables, self.n = kernel, tables, tables.n
        program, algebra, size = tables.program, kernel.algebra, tables.n + 2
        views = sorted(kernel.views)
        sizes = [size * size if kind < 0 else tables.places[kind] for kind, _ in views]
        if sum(sizes) * 16 > memory // 2:
            raise OutsideTables
        self._weights: NDArray[np.float64] = np.full(sum(sizes), algebra.zero)
        ends = np.cumsum(sizes).tolist()
        parts = {view: self._weights[end - size : end] for view, size, end in zip(views, sizes, ends, strict=True)}
        arrays: dict[str, NDArray[Any]] = {view_name(*view): part for view, part in parts.items()}
        for kind in derived_hypotheses(program):
            arrays[f"H{kind}"] = np.zeros(tables.places[kind], np.uint8)
        for kind, columns in tables.hypotheses:
            for view in (view for view in views if view[0] == kind):
                parts[view][self._place(*view, columns)] = algebra.one
            if f"H{kind}" in arrays:
                arrays[f"H{kind}"][tables.place_of(kind, columns)] = 1
        self._scores = {view: part.reshape(size, size) for view, part in parts.items() if view[0] < 0}
        self._empty = self._weights.copy()
        measured = measured_columns(kernel.kernel.order)
        lanes = max((len(k.columns) - len(measured[k.number]) for k in program.kinds), default=0)
        sums = (size + len(tables.grammar.symbols)) ** lanes
        self._arrays = {**tables.grammar.arrays, "O": tables.offsets, **arrays, "M": np.zeros(sums), "E": np.zeros(sums)}
        self._written = [kind.number for kind in program.kinds if is_written(program, kind.number)]
        self._finals = list(
            dict.fromkeys((f.atom.kind, tuple(c)) for f in program.finals for c in tables.columns_matching(f).tolist())
        )
        self._walk_room = 64 * (size + 1) * row_width(program)
        self._start: tuple[int, tuple[int, ...]] = (0, ())
        self._met = 0
        self._bind()

    def _place(self, kind: int, last: int, columns: Sequence[int]) -> int:
        """Return the place of an item in the table in which neighbours differ in a column."""
        layout = self.tables.kernel.layouts[kind]
        order = [*(k for k in layout if k != last), last] if len(layout) > 1 else layout
        return int(digits(order, self.tables.sizes(kind), columns))

    def _bind(self) -> None:
        """Note the arrays as arguments of the kernels; those of the tables may have been laid out anew."""
        tables, size = self.tables, self.n + 2
        arrays = dict(self._arrays)
        if self._written:
            arrays |= {f"T{kind}": tables.by_kind[kind] for kind in self._written}
            arrays["V"] = np.empty(sum(tables.places) + 1)
            arrays["V"][: len(tables.hypotheses) + 1] = self.kernel.algebra.one
            arrays["V"][0] = self.kernel.algebra.zero
        arrays["K"] = np.zeros(self._walk_room, np.int64)
        arrays["out"] = np.zeros(self._walk_room, np.int64)
        arrays["heads"] = np.zeros(size, np.int64)
        arrays |= zip(("st", "SH", "SR", "WB", "cell"), tables.workspace, strict=True)
        self.of = arrays
        numbers = (self.n, len(tables.grammar.symbols))
        self._weigh = self.kernel.bound("weigh", numbers, arrays)
        self._walk = self.kernel.bound("walk", numbers, arrays)

    def weigh(self, scores: NDArray[np.float64]) -> float:
        """Fill the tables; return the total of all final items.

        Parameters
        ----------
        scores : of links, scores[head, dependent], the logarithms of their weights; shape (n + 1, n + 1).
        """
        tables, state, algebra = self.tables, self.tables.state, self.kernel.algebra
        while True:
            np.copyto(self._weights, self._empty)
            self._enter(scores)
            self._begin()
            self._weigh()
            if not tables.enlarge():
                break
            self._bind()
        weights = [self._weight(kind, columns) for kind, columns in self._finals]
        match self.kernel.name:
            case "viterbi":
                total = max(weights, default=NONE)
            case "real":
                return math.fsum(weights)
            case _:
                most = max(weights, default=NONE)
                total = most + math.log(sum(math.exp(w - most) for w in weights)) if weights else NONE
        return total if total > algebra.least else -math.inf

    def _enter(self, scores: NDArray[np.float64]) -> None:
        """Enter the scores of links: those that are not licensed are worth zero."""
        size = self.n + 1
        given = np.exp(scores) if self.kernel.name == "real" else np.maximum(scores, NONE)
        for (kind, last), table in self._scores.items():
            shown = given
            if kind == SCORES:
                licensed = self._arrays["LIC"].reshape(size, size).T
                shown = np.where(licensed, given, self.kernel.algebra.zero)
            table[:size, :size] = shown if last else shown.T

    def _begin(self) -> None:
        tables = self.tables
        tables.begin_pass()
        for kind in self._written:
            tables.by_kind[kind].fill(0)
        numbers = dict[tuple[int, tuple[int, ...]], int]()
        if self._written:
            for number, (kind, columns) in enumerate(tables.hypotheses, start=1):
                if kind in self._written:
                    for other, row in writings(tables.program, kind, columns, self.n, tables.grammar.symbols):
                        tables.by_kind[other][tables.place_of(other, row)] = number
        tables.state[[NUMBER, GIVEN]] = len(tables.hypotheses)

    def _weight(self, kind: int, columns: Sequence[int]) -> float:
        """Return the weight of an item."""
        if kind in self._written:
            return float(self.of["V"][self.of[f"T{kind}"][self.tables.place_of(kind, columns)]])
        last = self.tables.kernel.layouts[kind][-1] if columns else 0
        return float(self.of[view_name(kind, last)][self._place(kind, last, columns)])

    def choices(self) -> list[Choice] | None:
        """Return the best derivation after a run with the maximum, in preorder; None where nothing is accepted."""
        if not self.walk():
            return None
        program = self.tables.program
        given: dict[str, int] = dict(self.tables.constants)
        width, found = choices_width(program), list[Choice]()
        rows = self.of["out"][: self._met * width].reshape(self._met, width).tolist()
        stack = [self._start]
        for best, *row in rows:
            kind, columns = stack.pop()
            if best < 0:
                found.append(Choice(kind, columns, None, (), ()))
                continue
            plan = self.kernel.plans[best]
            names = [column_name(k) for k in range(len(program.kinds[plan.rule.consequent.kind].columns))]
            here = given | dict(zip([*names, *plan.free], row, strict=False))
            tails = [
                (atom.kind, tuple(term.value(here) for term in atom.terms))
                for atom, context in zip(plan.antecedents, plan.rule.contexts, strict=True)
                if not context
            ]
            links = tuple((a.value(here), b.value(here)) for a, b in plan.links)
            found.append(Choice(kind, columns, plan.rule.case, links, tuple(tails)))
            stack += reversed(tails)
        return found

    def walk(self) -> bool:
        """Walk down the best derivation after a run with the maximum; return whether anything is accepted.

        Afterwards `heads` has the head of every word, 0 where no link gives it one.
        """
        self._start = max(self._finals, key=lambda final: self._weight(*final), default=(0, ()))
        if not self._finals or self._weight(*self._start) <= self.kernel.algebra.least:
            return False
        while True:
            kind, columns = self._start
            row = kind, *columns
            self.of["K"][: len(row)] = row
            self.of["K"][len(row) : row_width(self.tables.program)] = 0
            self.of["heads"].fill(0)
            self.tables.state[ROOM] = self._walk_room
            self._met = self._walk()
            if self._met >= 0:
                return True
            self._walk_room *= 8
            self.of |= {"K": np.zeros(self._walk_room, np.int64), "out": np.zeros(self._walk_room, np.int64)}
            self._walk = self.kernel.bound("walk", (self.n, len(self.tables.grammar.symbols)), self.of)

    @property
    def heads(self) -> list[int]:
        """The head of every word in the best derivation."""
        found: list[int] = self.of["heads"][1 : self.n + 1].tolist()
        return found


@dataclass(frozen=True, slots=True)
class Choice:
    """An item of the best derivation, and how it is derived.

    Attributes
    ----------
    kind, columns : the item.
    case : the case of the schema that derives it; None for a hypothesis.
    links : those that the case builds, (dependent, head).
    tails : its structural antecedents.
    """

    kind: int
    columns: tuple[int, ...]
    case: int | None
    links: tuple[tuple[int, int], ...]
    tails: tuple[tuple[int, tuple[int, ...]], ...]
