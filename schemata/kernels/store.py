"""The result of a native run: the chart as arrays, counts, and back-pointers on demand.

Every native kernel (with an agenda or in a proved order) ends in a `Store`. Items have numbers from 0,
hypotheses first; an item is a kind of the program and its columns. Back-pointers are implicit: `rows`
enumerates those of one case anew, `expand` those of one item.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from schemata.charts import RawChart, atom_arguments
from schemata.kernels import runtime as r
from schemata.language import model as m
from schemata.language.typeset import sort_key
from schemata.program.linear import TypeSort
from schemata.program.model import ColumnShape, Fixed, Program, encoded
from schemata.program.queries import Terms, sort_of
from schemata.program.rewriting import Rewriting

if TYPE_CHECKING:
    from schemata.kernels.run import AgendaRun


LARGE = "numbers above 2,147,483,647, or above 524,287 in the tuples of a list"
_ABSENT = -(1 << 31)  # stands for a value that is absent, which comes first


class OutsideTables(Exception):  # noqa: N818 - a signal to run another kernel, or to stop
    """Values of this run do not fit the kernel's tables; the message says which."""


class Store(Protocol):
    """A chart that a native kernel made. Item numbers are below `item_count`, hypotheses below `hypothesis_count`."""

    program: Program
    n: int
    terms: Terms  # values by number; the symbols of the program come first
    hypothesis_count: int

    @property
    def places(self) -> int:
        """The number of places of tables that are gone through to list all step instances."""

    @property
    def item_count(self) -> int:
        """The number of items, hypotheses included."""

    @property
    def kinds(self) -> Any:
        """The kind of every item, shape (items,)."""

    @property
    def columns(self) -> Any:
        """The columns of every item in normal form, shape (items, most columns of a kind)."""

    def item(self, number: int) -> tuple[int, Sequence[int]]:
        """Return the kind and the columns of an item."""

    def counts(self) -> Sequence[int]:
        """Return the number of step instances of each case of the schema."""

    def find(self, kind: int, columns: Sequence[int]) -> int | None:
        """Return the number of the item with these columns (in normal form), or None."""

    def find_written(self, kind: int, columns: Sequence[int]) -> int | None:
        """Return the number of the item that has this writing; hypotheses match as written only."""

    def final_items(self) -> frozenset[int]:
        """Return the numbers of the items, hypotheses included, that match a final pattern."""

    def rows(self, case: int) -> Any:
        """Return all step instances of a case, each once: rows of numbers one after the other.

        A row is: consequent, antecedents (item numbers), then dependent and head of each link.
        """

    def keep(self, compact: bool) -> None:
        """Make all back-pointers now; `compact` asks for the form that takes the least memory, where there is one."""

    def expand(self, item: int) -> Iterable[tuple[int, tuple[int, ...]]] | None:
        """Return the step instances that derive one item, as (case, row), each once; None if only `rows` can."""


class NativeRun(Protocol):
    """A run of a native kernel on one sentence, advanced slice by slice.

    Between slices, and after an interrupt, the run is consistent: `store` gives the items derived until then.
    """

    @property
    def steps(self) -> int:
        """Step instances found so far."""

    def advance(self, most_steps: int, work: int, memory: int) -> bool:
        """Continue to derive until about `work` units are done or `most_steps` instances are passed; True when
        finished.

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

    def store(self) -> Store:
        """Return the chart as derived until now."""


class AgendaStore:
    """The chart of an agenda run until now. Items are numbered in the order in which they were found."""

    places = 0

    def __init__(self, run: AgendaRun) -> None:
        self.run = run
        self.program = run.program
        self.n = run.n
        self.terms = run.terms
        state = run.a["st"]
        self.hypothesis_count = int(state[r.GIVEN])
        self.item_count = int(state[r.MADE])  # without those of a turn that was broken off
        self._complete = int(state[r.AT]) > int(state[r.ITEMS])
        self._counts = [int(x) for x in run.a["CNT"]]

    def item(self, number: int) -> tuple[int, Sequence[int]]:
        """Return the kind and the columns of an item."""
        return self.run.row(number)

    @cached_property
    def kinds(self) -> Any:
        """The kind of every item."""
        return self.run.a["KI"][1 : self.item_count + 1]

    @cached_property
    def columns(self) -> Any:
        """The columns of every item, one row an item."""
        width = self.run.width
        rows = self.run.a["F"][width : (self.item_count + 1) * width]
        if self.run.native:
            return rows.reshape(-1, width)
        return [rows[k : k + width] for k in range(0, len(rows), width)]

    def counts(self) -> Sequence[int]:
        """Return the number of step instances of each case."""
        return self._counts

    def final_items(self) -> frozenset[int]:
        """Return the numbers of the items, hypotheses included, that match a final pattern."""
        return self.run.final_items()

    def find(self, kind: int, columns: Sequence[int]) -> int | None:
        """Return the number of an item in normal form, or of a hypothesis as written."""
        number = self.run.as_written.get((kind, tuple(columns)))
        if number is not None:
            return number
        number = self._at(kind, columns)
        return number if number is not None and self._is(number, kind, columns) else None

    def find_written(self, kind: int, columns: Sequence[int]) -> int | None:
        """Return the number of the item with this writing."""
        number = self._at(kind, columns)
        if number is None:
            number = self.run.as_written.get((kind, tuple(columns)))
        if number is None and not self._complete:
            return self._find_untaken(kind, tuple(columns))
        if number is None or (number < self.hypothesis_count and not self._is(number, kind, columns)):
            return None
        return number

    def _find_untaken(self, kind: int, columns: tuple[int, ...]) -> int | None:
        """Return the number of an item whose writings are not in the table, since its turn has not come."""
        if not self.program.equations.get(self.program.kinds[kind].form):
            return None
        rewriting = Rewriting.of(self.program)
        item = rewriting.normal(kind, columns, self.n)
        number = self.find(*item)
        if number is None or number < self.hypothesis_count:
            return None
        return number if (kind, columns) in rewriting.writings(*item, self.n) else None

    def _at(self, kind: int, columns: Sequence[int]) -> int | None:
        found = self.run.place(kind, columns) - 1
        return found if 0 <= found < self.item_count else None

    def _is(self, number: int, kind: int, columns: Sequence[int]) -> bool:
        return self.run.row(number) == (kind, tuple(columns))

    @cached_property
    def _rows(self) -> list[Sequence[int]]:
        return self.run.rows()

    @cached_property
    def edges(self) -> list[Sequence[int]] | None:
        """The step instances by case, one for each predicted item; None if they are the same as `rows`."""
        return self.run.rows("edges") if self._complete and self.run.knows_leaves else None

    def rows(self, case: int) -> Any:
        """Return all step instances of a case."""
        return self._rows[case]

    def keep(self, compact: bool) -> None:
        """Make all back-pointers now; an agenda kernel has one form of them."""
        del compact
        assert self._rows is not None

    def expand(self, item: int) -> Iterable[tuple[int, tuple[int, ...]]] | None:
        """Return None: agenda kernels enumerate."""
        return None


def plain(array: Any) -> Any:
    """Return an array as lists of Python's numbers; lists as they are."""
    return array.tolist() if hasattr(array, "tolist") else array


Values = tuple[m.Value, ...]


class NativeRaw:
    """The same as `RawChart`, over the arrays of a native kernel. Items are decoded on demand."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.hypothesis_count = store.hypothesis_count

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the chart as lists: the tables of a run belong to its process."""
        logs = [list(log) for log in self.logs]
        writings = [dict(numbers) for numbers in self.writings]
        arguments = atom_arguments(self, self.store.program.schema.cases, logs)
        lists = list(self.values), list(self.form_of), logs, writings
        return RawChart.of, (*lists, self.hypothesis_count, arguments)

    def argument(self, kind: m.Type, number: int) -> m.Value:
        """Return the argument of an atom from its number."""
        value: m.Value = self.store.terms.value(sort_of(kind), number)
        return value

    @property
    def item_count(self) -> int:
        """The number of items, hypotheses included."""
        return self.store.item_count

    @property
    def listing_bytes(self) -> int:
        """The memory that listing all step instances takes."""
        cases = self.store.program.schema.cases
        rows = sum(n * case.stride for n, case in zip(self.store.counts(), cases, strict=True))
        return 4 * (rows + self.store.places)

    @cached_property
    def values(self) -> Sequence[Values]:
        """The values of every item, by number."""
        return _Values(self)

    @cached_property
    def form_of(self) -> Sequence[int]:
        """The form of every item, by number."""
        forms = [kind.form for kind in self.store.program.kinds]
        return [forms[kind] for kind in plain(self.store.kinds)]

    @cached_property
    def ids(self) -> Sequence[Mapping[Values, int]]:
        """By form: the number of an item by its values."""
        forms = range(len(self.store.program.schema.forms))
        return [_Numbers(self, form, self.store.find, lambda x: (self.values[x],)) for form in forms]

    @cached_property
    def writings(self) -> Sequence[Mapping[Values, int]]:
        """By form with a normal form: the number of an item by each of its writings."""
        return [
            _Numbers(self, form, self.store.find_written, self._written) if declared.has_normal_form else {}
            for form, declared in enumerate(self.store.program.schema.forms)
        ]

    def _written(self, item: int) -> Iterator[Values]:
        """Yield the writings of an item; a hypothesis has only its own."""
        store, (kind, columns) = self.store, self.store.item(item)
        shown = [(kind, tuple(columns))]
        if item >= self.hypothesis_count:
            shown = Rewriting.of(store.program).writings(*shown[0], store.n)
        return (self.decoded(*written) for written in shown)

    def decoded(self, kind: int, columns: Sequence[int]) -> Values:
        """Return the values of an item of a kind."""
        return self.store.program.kinds[kind].values(columns, self.store.terms.value)

    @cached_property
    def logs(self) -> Sequence[Sequence[int]]:
        """The flat rows of back-pointers by case, enumerated at the first look."""
        return [
            rows if isinstance(rows := self.store.rows(case), list) else rows.reshape(-1).data
            for case in range(len(self.store.program.schema.cases))
        ]

    @cached_property
    def edge_logs(self) -> Sequence[Sequence[int]]:
        """The rows that forests need: one for each hyperedge, although several instances may predict its item."""
        rows = None if "logs" in self.__dict__ else getattr(self.store, "edges", None)
        return self.logs if rows is None else [row.reshape(-1).data for row in rows]

    def expand(self, item: int) -> Sequence[tuple[int, tuple[int, ...]]] | None:
        """Return the instances that derive an item as (case, row), found without enumerating all.

        None if only the logs have them, or where these are there already.
        """
        found = None if "logs" in self.__dict__ else self.store.expand(item)
        return None if found is None else list(found)

    def ranks(self) -> Sequence[int] | None:
        """Return the place of every item in canonical order, from the order of terms, of which items have few.

        None if items are lists, or have parts that are lists or tuples.
        """
        store, kinds = self.store, self.store.program.kinds
        if isinstance(store.kinds, list):
            return None
        import numpy as np

        fields = np.zeros((1 + max(len(kind.shapes) for kind in kinds), store.item_count), np.int32)
        terms: dict[TypeSort, list[tuple[int, Any]]] = {}  # where there are terms of each sort
        for number in np.bincount(store.kinds).nonzero()[0].tolist():
            here = np.flatnonzero(store.kinds == number)
            fields[0, here] = kinds[number].form
            for field, shape in enumerate(kinds[number].shapes, start=1):
                match shape:
                    case Fixed(value):
                        fields[field, here] = _ABSENT if value is None else value
                    case ColumnShape(column):
                        fields[field, here] = store.columns[here, column]
                        sort = kinds[number].columns[column].sort
                        if sort not in ("position", "flag"):
                            terms.setdefault(sort, []).append((field, here))
                    case _:
                        return None
        for sort, parts in terms.items():
            found, which = np.unique(np.concatenate([fields[part] for part in parts]), return_inverse=True)
            keys = [sort_key(store.terms.value(sort, number)) for number in found.tolist()]
            places = np.argsort(sorted(range(len(keys)), key=keys.__getitem__))[which]
            for part in parts:
                fields[part], places = places[: len(part[1])], places[len(part[1]) :]
        ranks: list[int] = np.lexsort(fields[::-1]).argsort().tolist()
        return ranks

    def step_counts(self, strides: Sequence[int]) -> Sequence[int]:
        """Return the number of step instances of each case; nothing is decoded."""
        del strides
        return self.store.counts()

    def form_counts(self) -> Mapping[int, int]:
        """Return the number of derived items of each form; nothing is decoded."""
        kinds = self.store.kinds[self.hypothesis_count :]
        found = dict.fromkeys(range(len(self.store.program.schema.forms)), 0)
        if isinstance(kinds, list):
            counted = Counter(kinds)
        else:
            import numpy as np

            counted = Counter(dict(enumerate(np.bincount(kinds).tolist())))
        for kind in self.store.program.kinds:
            found[kind.form] += counted[kind.number]
        return found


class _Values(Sequence[Values]):
    """Values by number, decoded one by one, or all at once when they are run through."""

    def __init__(self, raw: NativeRaw) -> None:
        self.raw = raw

    def __len__(self) -> int:
        return self.raw.store.item_count

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice) or "_all" in self.__dict__:
            return self._all[at]
        store = self.raw.store
        if not -store.item_count <= at < store.item_count:
            raise IndexError(at)
        return self.raw.decoded(*store.item(at % store.item_count))

    def __iter__(self) -> Iterator[Values]:
        return iter(self._all)

    @cached_property
    def _all(self) -> list[Values]:
        store = self.raw.store
        rows: dict[int, list[Sequence[int]]] = {}
        kinds: list[int] = plain(store.kinds)
        for kind, row in zip(kinds, plain(store.columns), strict=True):
            rows.setdefault(kind, []).append(row)
        value = store.terms.value
        of_kind = {kind: store.program.kinds[kind].all_values(mine, value) for kind, mine in rows.items()}
        return [next(of_kind[kind]) for kind in kinds]


class _Numbers(Mapping[Values, int]):
    """Numbers of the items of one form by their values, or their writings; looked up in the kernel's table."""

    def __init__(
        self,
        raw: NativeRaw,
        form: int,
        find: Callable[[int, Sequence[int]], int | None],
        shown: Callable[[int], Iterable[Values]],
    ) -> None:
        self.raw, self.form = raw, form
        self._find, self._shown = find, shown

    def __getitem__(self, values: Values) -> int:
        store = self.raw.store
        coded = encoded(store.program.kinds, self.form, values, store.terms.known)
        found = None if coded is None else self._find(*coded)
        if found is None:
            raise KeyError(values)
        return found

    def __iter__(self) -> Iterator[Values]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    @cached_property
    def _all(self) -> Mapping[Values, int]:
        numbers = (x for x, form in enumerate(self.raw.form_of) if form == self.form)
        return {values: x for x in numbers for values in self._shown(x)}
