"""The tables of an ordered run on one sentence: a table for every kind, and what the kernels are called with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from schemata.engine.ordered.kernel import OrderedKernel, places
from schemata.engine.ordered.shape import key_width, set_width
from schemata.engine.ordered.writings import MOST_WRITINGS, width
from schemata.kernels.grammar import GrammarTables
from schemata.kernels.store import OutsideTables
from schemata.program.normal_forms import rewritten

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["HALT", "LIMIT", "OrderedTables"]

STOP, LIMIT, TURN, MET, SET_PLACES, CELLS, HALT = range(7)  # entries of control
_PLACES = (1 << 31) - 2  # numbers of places are 32 bits wide


class OrderedTables:
    """The tables of a run, nothing in them but hypotheses.

    Parameters
    ----------
    kernel : the compiled program.
    n : the number of words.
    grammar : the sentence's licences as tables.
    hypotheses : kind and columns of each.
    memory : bytes that may be taken.

    Attributes
    ----------
    by_kind : the table of every kind, an entry a place.
    places : how many places each has.
    offsets : where each begins in one numbering of all places.
    counted : the step instances of every rule of the order.
    control : numbers that the kernels and who calls them tell each other.

    Raises
    ------
    OutsideTables : the tables would not fit into memory, or a hypothesis is not in normal form.
    """

    def __init__(
        self,
        kernel: OrderedKernel,
        n: int,
        grammar: GrammarTables,
        hypotheses: Sequence[tuple[int, tuple[int, ...]]],
        memory: int,
    ) -> None:
        self.kernel, self.n, self.grammar = kernel, n, grammar
        program = kernel.program
        symbols = len(grammar.symbols)
        self.places = places(kernel.program, n, symbols)
        if sum(self.places) >= _PLACES or kernel.memory(n, symbols) > memory // 2:
            raise OutsideTables
        self.hypotheses = list(dict.fromkeys(hypotheses))
        for kind, columns in self.hypotheses:
            written = program.equations.get(program.kinds[kind].form)
            if written and rewritten(program, kind, columns, n, grammar.symbols) is not None:
                raise OutsideTables
        self.offsets: NDArray[np.int64] = np.cumsum([0, *self.places[:-1]], dtype=np.int64)
        self.counted: NDArray[np.int64] = np.zeros(len(kernel.order.rules), np.int64)
        self.control: NDArray[np.int64] = np.zeros(7, np.int64)
        remembers = "fresh" in kernel.text
        self.set_places = 1 << 12 if remembers else 2
        written_forms = [form for form, rows in program.equations.items() if rows]
        self.columns = max((width(program, form) for form in written_forms), default=0) + 1
        self.cells = (n + 2) ** 2 if written_forms else 1
        self.by_kind: list[NDArray[Any]] = []
        self._prepare()

    def _prepare(self) -> None:
        """Lay out empty tables with the hypotheses in them."""
        program = self.kernel.program
        self.by_kind = []
        for kind, size in zip(program.kinds, self.places, strict=True):
            wide = program.equations.get(kind.form)
            self.by_kind.append(np.zeros(size, np.int32 if wide else np.uint8))
        for number, columns in self.hypotheses:
            place = self.place(number, columns)
            if place is None:
                raise OutsideTables
            wide = program.equations.get(program.kinds[number].form)
            self.by_kind[number][place] = -(int(self.offsets[number]) + place + 1) if wide else 1
        self.counted[:] = 0
        self.control[[STOP, TURN, MET]] = 0
        self.control[SET_PLACES] = self.set_places
        self.control[CELLS] = self.cells

    def place(self, kind: int, columns: Sequence[int]) -> int | None:
        """Return the place of columns in their kind's table, None where they are outside."""
        total = 0
        for k in self.kernel.layouts[kind]:
            symbol = self.kernel.program.kinds[kind].columns[k].sort == "symbol"
            size = len(self.grammar.symbols) if symbol else self.n + 2
            if not 0 <= columns[k] < size:
                return None
            total = total * size + columns[k]
        return total

    def arguments(self) -> tuple[Any, ...]:
        """Return the first arguments of both kernels: what the sentence and its grammar are."""
        numbers = {symbol: k for k, symbol in enumerate(self.grammar.symbols)}
        constants = [numbers[symbol] for symbol in self.kernel.program.symbols] or [0]
        return (
            self.n,
            len(self.grammar.symbols),
            self.grammar.licences,
            self.grammar.categories,
            self.grammar.category_licences,
            np.array(constants, np.int64),
            self.offsets,
        )

    def workspace(self) -> tuple[NDArray[np.int64], ...]:
        """Return the last arguments of both kernels: control, the set of instances, writings and cells."""
        program = self.kernel.program
        return (
            self.control,
            np.zeros(self.set_places * set_width(program), np.int64),
            np.zeros(key_width(program) + 1, np.int64),
            np.zeros((MOST_WRITINGS + 1) * self.columns, np.int64),
            np.zeros(self.cells * self.columns, np.int64),
        )

    def enlarge(self) -> bool:
        """Lay out empty tables and more room where a kernel asked for it; False where it did not.

        Raises
        ------
        OutsideTables : an item has too many writings.
        """
        match int(self.control[STOP]):
            case 3:  # the set of instances is full
                self.set_places *= 8
            case 5:  # a level has more items than there is room for
                self.cells *= 8
            case 4:  # an item has more writings than kernels list
                raise OutsideTables
            case _:
                return False
        self._prepare()
        return True
