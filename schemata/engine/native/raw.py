"""A native chart in the form that every consumer of a chart knows, decoded as far as it is looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, cast, overload

from schemata.engine.native.coding import Coding
from schemata.language import model as m
from schemata.program.normal_forms import writings

if TYPE_CHECKING:
    from schemata.engine.native.store import Store

__all__ = ["NativeRaw"]

Values = tuple[m.Value, ...]


class NativeRaw:
    """The same as `RawChart`, over the arrays of a native kernel. Items are decoded when asked for."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.coding = Coding(store.program, store.symbols)
        self.hypothesis_count = store.hypothesis_count

    @property
    def item_count(self) -> int:
        """The number of items, hypotheses included."""
        return self.store.item_count

    @property
    def listing_bytes(self) -> int:
        """The memory that listing all step instances takes."""
        cases = self.store.program.schema.cases
        lengths = (1 + len(case.antecedents) + 2 * len(case.links) for case in cases)
        rows = sum(n * length for n, length in zip(self.store.counts(), lengths, strict=True))
        return 4 * (rows + self.store.places)

    @cached_property
    def values(self) -> Sequence[Values]:
        """The values of every item, by number."""
        return _Values(self)

    @cached_property
    def form_of(self) -> Sequence[int]:
        """The form of every item, by number."""
        import numpy as np

        forms = np.array([kind.form for kind in self.store.program.kinds], np.int32)
        found: list[int] = forms[self.store.kinds].tolist() if self.store.item_count else []
        return found

    @cached_property
    def ids(self) -> Sequence[Mapping[Values, int]]:
        """By form: the number of an item by its values."""
        return [_Ids(self, form) for form in range(len(self.store.program.schema.forms))]

    @cached_property
    def writings(self) -> Sequence[Mapping[Values, int]]:
        """By form with a normal form: the number of an item by each of its writings."""
        return [
            _Writings(self, form) if declared.has_normal_form else {}
            for form, declared in enumerate(self.store.program.schema.forms)
        ]

    @cached_property
    def logs(self) -> Sequence[Sequence[int]]:
        """The flat rows of back-pointers by case, enumerated at the first look."""
        return [
            cast("Sequence[int]", self.store.rows(case).reshape(-1).data)
            for case in range(len(self.store.program.schema.cases))
        ]

    def expand(self, item: int) -> Sequence[tuple[int, tuple[int, ...]]] | None:
        """Return the instances that derive an item as (case, row), found without enumerating all.

        None where only the logs have them, or where these are there already.
        """
        found = None if "logs" in self.__dict__ else self.store.expand(item)
        return None if found is None else list(found)

    def step_counts(self, strides: Sequence[int]) -> Sequence[int]:
        """Return the number of step instances of each case; nothing is decoded."""
        del strides
        return self.store.counts()

    def form_counts(self) -> Mapping[int, int]:
        """Return the number of derived items of each form; nothing is decoded."""
        return dict(enumerate(self.store.derived_by_form()))


class _Values(Sequence[Values]):
    """Values by number, decoded one by one, or all at once when they are run through."""

    def __init__(self, raw: NativeRaw) -> None:
        self.raw = raw
        self._all: list[Values] | None = None

    def __len__(self) -> int:
        return self.raw.store.item_count

    @overload
    def __getitem__(self, at: int) -> Values: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Values]: ...
    def __getitem__(self, at: int | slice) -> Values | Sequence[Values]:
        if isinstance(at, slice):
            return self._decoded()[at]
        if self._all is not None:
            return self._all[at]
        store = self.raw.store
        if not -store.item_count <= at < store.item_count:
            raise IndexError(at)
        kind = int(store.kinds[at])
        width = len(store.program.kinds[kind].columns)
        return self.raw.coding.decode(kind, store.columns[at, :width].tolist())

    def __iter__(self) -> Iterator[Values]:
        return iter(self._decoded())

    def _decoded(self) -> list[Values]:
        if self._all is None:
            store, kinds = self.raw.store, self.raw.store.program.kinds
            widths = [len(kind.columns) for kind in kinds]
            symbols = tuple(store.symbols)
            rows = zip(store.kinds.tolist(), store.columns.tolist(), strict=True)
            self._all = [kinds[kind].values(tuple(row[: widths[kind]]), symbols) for kind, row in rows]
        return self._all


class _Ids(Mapping[Values, int]):
    """Numbers of the items of one form by their values; looked up in the kernel's table."""

    def __init__(self, raw: NativeRaw, form: int) -> None:
        self.raw, self.form = raw, form

    def __getitem__(self, values: Values) -> int:
        coded = self.raw.coding.encode(self.form, values)
        found = None if coded is None else self.raw.store.find(*coded)
        if found is None:
            raise KeyError(values)
        return found

    def __iter__(self) -> Iterator[Values]:
        return (self.raw.values[x] for x in self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    @cached_property
    def _numbers(self) -> Sequence[int]:
        return [x for x, form in enumerate(self.raw.form_of) if form == self.form]


class _Writings(Mapping[Values, int]):
    """Numbers of the items of one form by their writings."""

    def __init__(self, raw: NativeRaw, form: int) -> None:
        self.raw, self.form = raw, form

    def __getitem__(self, values: Values) -> int:
        coded = self.raw.coding.encode(self.form, values)
        found = None if coded is None else self.raw.store.find_written(*coded)
        if found is None:
            raise KeyError(values)
        return found

    def __iter__(self) -> Iterator[Values]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    @cached_property
    def _all(self) -> Mapping[Values, int]:
        store, coding = self.raw.store, self.raw.coding
        found: dict[Values, int] = {}
        for x, form in enumerate(self.raw.form_of):
            if form != self.form:
                continue
            if x < store.hypothesis_count:
                found[self.raw.values[x]] = x
                continue
            kind = int(store.kinds[x])
            columns = tuple(store.columns[x, : len(store.program.kinds[kind].columns)].tolist())
            for written in writings(store.program, kind, columns, store.n, store.symbols):
                found[coding.decode(*written)] = x
        return found
