"""What a native run hands over: the chart as arrays, counts, and back-pointers on demand.

Every native kernel (with an agenda or in a proved order) ends in a `Store`. Items have numbers from 0,
hypotheses first; an item is a kind of the program and its columns. Back-pointers are implicit: `rows`
enumerates those of one case anew, `expand` those of one item.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from schemata.program.model import Program

__all__ = ["NativeRun", "OutsideTables", "Store"]


class OutsideTables(Exception):  # noqa: N818 - a signal to run the schema in Python instead
    """Values of this run do not fit the kernel's tables."""


class Store(Protocol):
    """A chart that a native kernel made. Item numbers are below `item_count`, hypotheses below `hypothesis_count`."""

    program: Program
    n: int
    symbols: Sequence[str]  # by number; those of the program come first
    hypothesis_count: int

    @property
    def item_count(self) -> int:
        """The number of items, hypotheses included."""
        ...

    @property
    def kinds(self) -> NDArray[np.integer]:
        """The kind of every item, shape (items,)."""
        ...

    @property
    def columns(self) -> NDArray[np.integer]:
        """The columns of every item in normal form, shape (items, most columns of a kind)."""
        ...

    @property
    def places(self) -> int:
        """The number of places of tables that are gone through to list all step instances."""
        ...

    def counts(self) -> Sequence[int]:
        """Return the number of step instances of each case of the schema."""
        ...

    def derived_by_form(self) -> Sequence[int]:
        """Return the number of derived items (hypotheses left out) of each form of the schema."""
        ...

    def find(self, kind: int, columns: Sequence[int]) -> int | None:
        """Return the number of the item with these columns (in normal form), or None."""
        ...

    def find_written(self, kind: int, columns: Sequence[int]) -> int | None:
        """Return the number of the item that has this writing; hypotheses match as written only."""
        ...

    def rows(self, case: int) -> NDArray[np.int32]:
        """Return all step instances of a case, each once, shape (instances, row length).

        A row is: consequent, antecedents (item numbers), then dependent and head of each link.
        """
        ...

    def keep(self, compact: bool) -> None:
        """Make all back-pointers now; `compact` asks for the form that takes the least memory, where there is one."""
        ...

    def expand(self, item: int) -> Iterable[tuple[int, tuple[int, ...]]] | None:
        """Return the step instances that derive one item, as (case, row), each once; None where only `rows` can."""
        ...


class NativeRun(Protocol):
    """A run of a native kernel on one sentence, advanced slice by slice.

    Between slices, and after an interrupt, the run is consistent: `store` gives what is derived until then.
    """

    @property
    def steps(self) -> int:
        """Step instances found so far."""
        ...

    def advance(self, most_steps: int, work: int, memory: int) -> bool:
        """Derive on until about `work` units are done or `most_steps` instances are passed; True when finished.

        Parameters
        ----------
        most_steps : the budget of step instances of the whole run.
        work : lookups and instances after which to return; the driver aims at slices of 50 ms.
        memory : bytes that arrays may still grow by.

        Raises
        ------
        OverBudget : arrays would have to grow by more than `memory`.
        OutsideTables : a value does not fit the tables.
        """
        ...

    def store(self) -> Store:
        """Return the chart as derived until now."""
        ...
