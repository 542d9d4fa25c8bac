"""The chart of an ordered run: its tables, and items and back-pointers made from them when asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from schemata.engine.ordered.compact import Codes, decoded, write_codes
from schemata.engine.ordered.plan import row_length
from schemata.engine.ordered.tables import OrderedTables
from schemata.kernels.store import final_items
from schemata.program.normal_forms import writings

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["OrderedStore"]


_SPREAD = 50_000_000  # places whose numbers would take 200 MB


class _Numbers:
    """The numbers of items by their places in a kind's table, -1 for none, each looked up when asked for."""

    def __init__(self, store: OrderedStore, kind: int) -> None:
        self.store, self.kind = store, kind

    def __getitem__(self, place: int) -> int:
        number = self.store.number_at(self.kind, place)
        return -1 if number is None else number


class OrderedStore:
    """What an ordered run has derived; see `native.store.Store`.

    Items have numbers in the order of their places, hypotheses first. Back-pointers are implicit in the
    tables: `expand` finds those of one item, `rows` writes down all of them.
    """

    def __init__(self, tables: OrderedTables, complete: bool) -> None:
        self.tables = tables
        self.program = tables.kernel.program
        self.n = tables.n
        self.terms = tables.grammar.terms
        self.hypothesis_count = len(tables.hypotheses)
        self._complete = complete
        self._codes: list[Codes] | None = None
        self._sizes: NDArray[np.int64] = tables.counted.copy()

    @property
    def symbols(self) -> Sequence[str]:
        """The symbols by number."""
        return self.terms.all("symbol")

    # items

    def final_items(self) -> frozenset[int]:
        """Return the numbers of the items, hypotheses included, that match a final pattern."""
        return final_items(self)

    @cached_property
    def _places(self) -> NDArray[np.int64]:
        """The place of every item in the numbering of all kinds' places, by number."""
        tables = self.tables
        given = [int(tables.offsets[k]) + int(tables.place(k, c) or 0) for k, c in tables.hypotheses]
        derived = []
        for kind, table in zip(self.program.kinds, tables.by_kind, strict=True):
            places = np.flatnonzero(table)
            codes = places + tables.offsets[kind.number]
            if self.program.equations.get(kind.form):
                codes = codes[table[places] == codes + 1]
            derived.append(codes)
        found = np.concatenate([np.zeros(0, np.int64), *derived])
        if given:
            found = found[~np.isin(found, given)]
        return np.concatenate([np.array(given, np.int64), found])

    @cached_property
    def _given(self) -> Mapping[int, int]:
        """The numbers of the hypotheses by their places; those of other items rise with their places."""
        return {code: k for k, code in enumerate(self._places[: self.hypothesis_count].tolist())}

    @property
    def places(self) -> int:
        """The number of places of all tables."""
        return sum(self.tables.places)

    @cached_property
    def item_count(self) -> int:
        """The number of items, hypotheses included."""
        return len(self._places)

    @cached_property
    def kinds(self) -> NDArray[np.int64]:
        """The kind of every item."""
        return np.searchsorted(self.tables.offsets, self._places, side="right") - 1

    @cached_property
    def columns(self) -> NDArray[np.int32]:
        """The columns of every item."""
        widest = max(1, *(len(kind.columns) for kind in self.program.kinds))
        found: NDArray[np.int32] = np.zeros((len(self._places), widest), np.int32)
        for kind in self.program.kinds:
            mine = np.flatnonzero(self.kinds == kind.number)
            rest = self._places[mine] - self.tables.offsets[kind.number]
            for k in reversed(self.tables.kernel.layouts[kind.number]):
                size = len(self.symbols) if kind.columns[k].sort == "symbol" else self.n + 2
                found[mine, k] = rest % size
                rest = rest // size
        return found

    def counts(self) -> Sequence[int]:
        """Return the number of step instances of each case."""
        found = [0] * len(self.program.schema.cases)
        for ordered, size in zip(self.tables.kernel.order.rules, self._sizes.tolist(), strict=True):
            found[self.program.rules[ordered.rule].case] += size
        return found

    def derived_by_form(self) -> Sequence[int]:
        """Return the number of derived items of each form."""
        by_kind = np.bincount(self.kinds[self.hypothesis_count :], minlength=len(self.program.kinds))
        found = [0] * len(self.program.schema.forms)
        for kind in self.program.kinds:
            found[kind.form] += int(by_kind[kind.number])
        return found

    # looking up

    @cached_property
    def _numbers(self) -> list[NDArray[np.int32]]:
        """By kind and place: the number of the item, -1 for none; all writings of an item have its number."""
        by_code: NDArray[np.int32] = np.full(sum(self.tables.places), -1, np.int32)
        by_code[self._places] = np.arange(len(self._places), dtype=np.int32)
        found = []
        for kind, table in zip(self.program.kinds, self.tables.by_kind, strict=True):
            start = int(self.tables.offsets[kind.number])
            mine = by_code[start : start + len(table)]
            if self.program.equations.get(kind.form):
                there = np.flatnonzero(table)
                numbers: NDArray[np.int32] = np.full(len(table), -1, np.int32)
                numbers[there] = by_code[np.abs(table[there]) - 1]
                found.append(numbers)
            else:
                found.append(mine)
        return found

    def find(self, kind: int, columns: Sequence[int]) -> int | None:
        """Return the number of the item with these columns in normal form."""
        number = self.find_written(kind, columns)
        if number is None:
            return None
        same = self.columns[number, : len(columns)].tolist() == list(columns)
        return number if same and int(self.kinds[number]) == kind else None

    def find_written(self, kind: int, columns: Sequence[int]) -> int | None:
        """Return the number of the item that has this writing."""
        place = self.tables.place(kind, columns)
        return None if place is None else self.number_at(kind, place)

    def number_at(self, kind: int, place: int) -> int | None:
        """Return the number of the item that a place of a kind's table stands for."""
        told = int(self.tables.by_kind[kind][place])
        if told == 0:
            return None
        written = self.program.equations.get(self.program.kinds[kind].form)
        code = abs(told) - 1 if written else int(self.tables.offsets[kind]) + place
        if code in self._given:
            return self._given[code]
        derived = self._places[self.hypothesis_count :]
        k = int(np.searchsorted(derived, code))
        return self.hypothesis_count + k if derived[k : k + 1].tolist() == [code] else None

    # back-pointers

    @cached_property
    def _rows(self) -> list[NDArray[np.int32]]:
        """The rows of every case."""
        if self._codes is not None:
            return self._decoded(self._codes)
        starts, out = self._enumerated(self._sizes)
        found = []
        for case, declared in enumerate(self.program.schema.cases):
            stride = 1 + len(declared.antecedents) + 2 * len(declared.links)
            found.append(out[starts[case] : starts[case + 1]].reshape(-1, stride))
        return found

    def _decoded(self, codes: Sequence[Codes]) -> list[NDArray[np.int32]]:
        """The rows of every case from compact back-pointers."""
        rows = [decoded(c, self.columns, self._numbers, self.tables) for c in codes]
        cases = [c.plan.rule.case for c in codes]
        found = []
        for case, declared in enumerate(self.program.schema.cases):
            stride = 1 + len(declared.antecedents) + 2 * len(declared.links)
            parts = [part for part, c in zip(rows, cases, strict=True) if c == case]
            found.append(np.concatenate([np.zeros((0, stride), np.int32), *parts]))
        return found

    def _enumerated(self, sizes: NDArray[np.int64]) -> tuple[list[int], NDArray[np.int32]]:
        """Run over the tables; return where each case's rows begin, and the rows.

        Those of a case stand together, so that nothing is copied.
        """
        tables, rules = self.tables, self.tables.kernel.order.rules
        lengths = np.array([row_length(self.program.rules[r.rule]) for r in rules], np.int64)
        cases = np.array([self.program.rules[r.rule].case for r in rules], np.int64)
        by_case = np.argsort(cases, kind="stable")
        ends = np.zeros(len(rules), np.int64)
        ends[by_case] = np.cumsum((sizes * lengths)[by_case])
        at = ends - sizes * lengths
        out: NDArray[np.int32] = np.empty(int((sizes * lengths).sum()), np.int32)
        if len(out):
            tables.control[:4] = 0
            tables.kernel.rows(*tables.arguments(), *self._numbers, at, ends, out, *tables.workspace())
        amounts = np.bincount(cases, sizes * lengths, len(self.program.schema.cases)).astype(np.int64)
        return [0, *np.cumsum(amounts).tolist()], out

    def keep(self, compact: bool) -> None:
        """Make all back-pointers now: as rows, or the free variables alone (not where items have normal forms)."""
        if compact and self._complete and self._codes is None:
            self._codes = write_codes(self.tables, self._sizes.tolist(), self.item_count, self._numbers)
        if self._codes is None:
            self._rows  # noqa: B018 - written down here

    @property
    def compact_bytes(self) -> int:
        """The memory that compact back-pointers take; 0 where there are none."""
        return sum(codes.nbytes for codes in self._codes or ())

    def rows(self, case: int) -> NDArray[np.int32]:
        """Return all step instances of a case."""
        return self._rows[case]

    def expand(self, item: int) -> Iterable[tuple[int, tuple[int, ...]]] | None:
        """Return the step instances that derive one item; None where a run may not have come to all of them."""
        if not self._complete:
            return None
        kind = int(self.kinds[item])
        columns = tuple(self.columns[item, : len(self.program.kinds[kind].columns)].tolist())
        shown = [(kind, columns)]
        if self.program.equations.get(self.program.kinds[kind].form):
            shown = writings(self.program, kind, columns, self.n, self.symbols)
        return self._expanded(item, shown)

    def _expanded(
        self, item: int, shown: Sequence[tuple[int, tuple[int, ...]]]
    ) -> Iterator[tuple[int, tuple[int, ...]]]:
        found: list[tuple[int, int, tuple[int, ...]]] = []
        for kind, columns in shown:
            self.tables.kernel.expanders[kind](*self._views, *columns, item, found)
        met: set[tuple[int, tuple[int, ...]]] = set()
        for step, rule, row in found:
            if step >= 0:
                if (step, row) in met:
                    continue
                met.add((step, row))
            yield self.program.rules[rule].case, row

    @cached_property
    def _views(self) -> tuple[Any, ...]:
        """The arguments of `expanders`, as views that Python reads quickly."""
        n, symbols, *arrays, _ = self.tables.arguments()
        numbers: list[Any] = (
            [_Numbers(self, kind.number) for kind in self.program.kinds]
            if self.places > _SPREAD
            else [a.data for a in self._numbers]
        )
        return (n, symbols, *(a.data for a in arrays), *numbers)
