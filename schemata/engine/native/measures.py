"""How large the tables of an agenda kernel are for a sentence, and the numbers that the kernel finds in arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from schemata.engine.native.layout import PACKED, Layout
from schemata.engine.native.numbering import binomials
from schemata.engine.native.source import KernelText

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Measures"]

Text: TypeAlias = Callable[[bool, bool], KernelText]

_ROWS = 64  # rows by which the table of binomial coefficients grows


class Measures:
    """How large the tables of a kernel are for sentences of one length.

    Parameters
    ----------
    layout, text : the kernel's; the text by storage and purpose.
    n, symbols : the number of words, and that of symbols.

    Attributes
    ----------
    items, lists, masks : places of items, lists and masks in dense tables.
    bases : where each kind's part of the item table begins.
    """

    def __init__(self, layout: Layout, text: Text, n: int, symbols: int) -> None:
        self.layout, self.text, self.n, self.symbols = layout, text, n, symbols
        quantities = text(False, False).quantities
        sizes = [quantities.sizes(index, n, symbols) for index in quantities.indexes]
        self.lists = sum(lists for lists, _ in sizes)
        self.masks = sum(masks for _, masks in sizes)
        of_kinds = [layout.numbering(k.number).size(n, symbols) for k in layout.program.kinds]
        self.bases: Sequence[int] = list(accumulate(of_kinds, initial=0))
        self.items = self.bases[-1]
        self._quantities: dict[tuple[bool, bool], NDArray[np.int64]] = {}

    @property
    def bytes(self) -> int:
        """Bytes of dense tables."""
        return 4 * self.items + 8 * self.lists + 8 * self.masks

    def quantities(self, hashed: bool, rows: bool = False) -> NDArray[np.int64]:
        """Return the quantities that a kernel asks for."""
        key = hashed, rows
        if key not in self._quantities:
            values = self.text(hashed, rows).quantities.values(self.n, self.symbols)
            self._quantities[key] = np.array([min(value, PACKED) for value in (*values, 0)], np.int64)
        return self._quantities[key]

    @cached_property
    def binomials(self) -> NDArray[np.int64]:
        """The table of binomial coefficients."""
        return binomials(-(-self.layout.rows(self.n, self.symbols) // _ROWS) * _ROWS)
