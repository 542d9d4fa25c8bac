"""A run of an agenda kernel: the kernel works in slices; what is full when it comes back is enlarged."""

from __future__ import annotations

from collections.abc import Sequence

from schemata.engine.native import runtime as r
from schemata.engine.native.agenda_kernel import AgendaKernel
from schemata.engine.native.agenda_store import AgendaStore
from schemata.engine.native.agenda_tables import AgendaTables
from schemata.engine.native.grammar import GrammarTables
from schemata.engine.native.store import OutsideTables

__all__ = ["AgendaRun"]


class AgendaRun:
    """One run; see `store.NativeRun`. Parameters and errors are those of `AgendaTables`."""

    def __init__(
        self,
        kernel: AgendaKernel,
        n: int,
        grammar: GrammarTables,
        hypotheses: Sequence[tuple[int, tuple[int, ...]]],
        memory: int,
    ) -> None:
        self.tables = AgendaTables(kernel, n, grammar, hypotheses, memory)

    @property
    def steps(self) -> int:
        """Step instances found so far."""
        return int(self.tables.counted.sum())

    def advance(self, most_steps: int, work: int, memory: int) -> bool:
        """Derive on; see `store.NativeRun.advance`.

        Raises
        ------
        OverBudget : memory.
        OutsideTables : a value does not fit the tables.
        """
        tables = self.tables
        kernel = tables.module["kernel"]
        while True:
            kernel(
                tables.n,
                len(tables.grammar.symbols),
                most_steps,
                work,
                *tables.arrays(tables.counted),
                tables.kinds[:1],
                tables.state[:1],
                *tables.hashes(),
            )
            status = int(tables.state[r.STATUS])
            if status == r.RUNS:
                tables.state[r.MADE] = tables.state[r.ITEMS]
                return bool(tables.state[r.AT] > tables.state[r.ITEMS])
            if status in (r.OUTSIDE, r.ENDLESS):
                raise OutsideTables
            tables.enlarge(status, memory)

    def store(self) -> AgendaStore:
        """Return the chart as derived until now."""
        return AgendaStore(self.tables)
