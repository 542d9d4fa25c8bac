"""The chart of an ordered run: a table for every kind, from which items and back-pointers are made on demand.

A compact back-pointer has only the values of the variables that the consequent of a step instance leaves open.
For Eisner's combination of spans that is one number (where the two spans meet), for Collins's attachments two;
a byte each on sentences of up to 253 words. Instances of one consequent stand together, so that it is noted
once. The antecedents follow from the rule, the consequent and these values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from schemata.budget import make_room
from schemata.kernels import runtime as r
from schemata.kernels.grammar import GrammarTables
from schemata.kernels.store import OutsideTables
from schemata.ordered.emit import CELLS, CELLS_FULL, STATES
from schemata.ordered.kernel import OrderedKernel, places
from schemata.ordered.plan import SYMBOLS, CodeType, TurnedRule, is_written, row_width, turned_rule
from schemata.program.linear import AnyOf, Linear, variable
from schemata.program.model import Final
from schemata.program.plan import column_name
from schemata.program.rewriting import Rewriting
from schemata.records import Record
from schemata.thresholds import WAYS

if TYPE_CHECKING:
    from numpy.typing import NDArray

K = TypeVar("K")
V = TypeVar("V")


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
    state : numbers that kernels and their callers exchange.

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
        self.kernel, self.n, self.grammar, self.program = kernel, n, grammar, kernel.program
        program, symbols = kernel.program, grammar.symbols
        self.places = places(program, n, len(symbols))
        written = any(
            program.equations.values()
        )  # whose entries have numbers of places, and a bit beside each
        if sum(self.places) >= WAYS.ordered_places >> written or kernel.memory(n, len(symbols)) > memory // 2:
            raise OutsideTables
        self.hypotheses = list(dict.fromkeys(hypotheses))
        if not all(Rewriting.of(program).is_normal(*hypothesis, n) for hypothesis in self.hypotheses):
            raise OutsideTables
        self.constants = {"n": n, SYMBOLS: len(symbols), **{f"'{s}'": k for k, s in enumerate(symbols)}}
        self.offsets: NDArray[np.int64] = np.cumsum([0, *self.places[:-1]], dtype=np.int64)
        self.counted: NDArray[np.int64] = np.zeros(len(kernel.order.rules), np.int64)
        self.state: NDArray[np.int64] = np.zeros(STATES, np.int64)
        self.set_places = WAYS.set_room
        self.cells = (n + 2) ** 2 if any(program.equations.values()) else 1
        self._given: dict[int, dict[int, int]] = {}  # by kind and place, what stands for a hypothesis
        for kind, columns in self.hypotheses:
            place = self.place(kind, columns)
            if place is None:
                raise OutsideTables
            code = int(self.offsets[kind]) + place + 1
            self._given.setdefault(kind, {})[place] = -2 * code if is_written(program, kind) else 1
        self.by_kind: list[NDArray[Any]] = []
        self._prepare()

    def _prepare(self) -> None:
        """Lay out empty tables with the hypotheses in them, and the workspace."""
        width = row_width(self.program)
        self.by_kind = [
            np.zeros(size, np.int32 if is_written(self.program, k) else np.uint8)
            for k, size in enumerate(self.places)
        ]
        self.workspace = (
            self.state,
            np.zeros(self.set_places, np.int64),
            np.zeros(self.set_places // 2 * self.program.instance_words, np.int64),
            np.zeros((WAYS.ordered_writings + 2) * width, np.int64),
            np.zeros(self.cells * width, np.int64),
        )
        self._begin()

    def clear(self) -> None:
        """Reset the tables to the hypotheses."""
        for table in self.by_kind:
            table.fill(0)
        self._begin()

    def _begin(self) -> None:
        for kind, entries in self._given.items():
            self.by_kind[kind][list(entries)] = list(entries.values())
        self.counted.fill(0)
        self.state[r.MET_SLOTS], self.state[CELLS] = self.set_places, self.cells
        self.begin_pass()

    def sizes(self, kind: int) -> list[int]:
        """Return how many values every column of a kind may have."""
        symbols = len(self.grammar.symbols)
        return [symbols if c.sort == "symbol" else self.n + 2 for c in self.program.kinds[kind].columns]

    def place(self, kind: int, columns: Sequence[int]) -> int | None:
        """Return the place of columns in their kind's table, None if they are outside."""
        sizes = self.sizes(kind)
        inside = all(0 <= x < size for x, size in zip(columns, sizes, strict=True))
        return self.place_of(kind, columns) if inside else None

    def place_of(self, kind: int, columns: Sequence[Any]) -> Any:
        """Return the place of columns that are inside, or arrays of places for arrays of columns."""
        return digits(self.kernel.layouts[kind], self.sizes(kind), columns)

    def matching(self, final: Final) -> NDArray[np.int64]:
        """Return the places of the writings that match a final pattern, whether there are such items or not."""
        columns = self.columns_matching(final)
        found: NDArray[np.int64] = self.place_of(final.atom.kind, list(columns.T)) + np.zeros(
            len(columns), np.int64
        )
        return found

    def columns_matching(self, final: Final) -> NDArray[np.int64]:
        """Return the columns of the writings that match a final pattern, a row for each."""
        given: dict[str, Any] = {x: np.array([value]) for x, value in self.constants.items()}
        waiting = list(zip(final.atom.terms, self.sizes(final.atom.kind), strict=True))
        while waiting:
            pair = next((p for p in waiting if len(set(p[0].names) - set(given)) <= 1), None)
            if pair is None:
                raise AssertionError("a final item with two unknown variables in a term")
            waiting.remove(pair)
            term, size = pair
            unknown = next((x for x in term.names if x not in given), None)
            if unknown is None:
                value = term.value(given) + 0 * given["n"]
                rows = np.flatnonzero((value >= 0) & (value < size))
                given = {x: array[rows] for x, array in given.items()}
                continue
            factor = term.coefficient(unknown)
            rest = np.arange(size)[:, None] - (term.value({**given, unknown: 0}) + 0 * given["n"])
            values, rows = np.nonzero(rest % factor == 0)
            given = {x: array[rows] for x, array in given.items()}
            given[unknown] = rest[values, rows] // factor
        kept = np.ones(len(given["n"]), bool)
        for test in final.tests:
            kept &= _holds(test, given)
        columns = np.empty((len(given["n"]), len(final.atom.terms)), np.int64)
        for k, term in enumerate(final.atom.terms):
            columns[:, k] = term.value(given)
        return columns[kept]

    def begin_pass(self) -> None:
        """Reset a kernel's notes of its progress: it runs over the tables again."""
        self.state[[r.STATUS, r.STAMP, r.MET]] = 0
        self.workspace[1].fill(0)

    @property
    def arguments(self) -> tuple[Any, ...]:
        """The first arguments of all kernels: the sentence and its grammar."""
        return (self.n, len(self.grammar.symbols), *self.grammar.arrays.values(), self.offsets)

    @property
    def of_fill(self) -> tuple[Any, ...]:
        """The arguments of the kernel that completes the tables."""
        return (*self.arguments, *self.by_kind, self.counted, *self.workspace)

    def enlarge(self) -> bool:
        """Lay out empty tables and more room if a kernel requested it; False if it did not.

        Raises
        ------
        OutsideTables : an item has too many writings, or too many instances.
        """
        match int(self.state[r.STATUS]):
            case r.MET_FULL if self.set_places < WAYS.ordered_met:
                self.set_places *= 8
            case status if status == CELLS_FULL:
                self.cells *= 8
            case r.RUNS:
                return False
            case _:
                raise OutsideTables
        self._prepare()
        return True


def keep_tables(kept: dict[K, V], key: K, tables: V, size: int) -> None:
    """Keep the tables of a length, unless their bytes are too many; the oldest tables may be dropped for them."""
    if size <= WAYS.kept_bytes:
        if len(kept) >= WAYS.kept_lengths:
            kept.pop(next(iter(kept)))
        kept[key] = tables


def digits(order: Iterable[int], sizes: Sequence[int], columns: Sequence[Any]) -> Any:
    """Return the number whose digits are the columns, in order, each in the base of its number of values."""
    total = 0
    for k in order:
        total = total * sizes[k] + columns[k]
    return total


def _holds(test: Linear | AnyOf, given: Mapping[str, Any]) -> Any:
    """Return for which entries of arrays of values a test holds."""
    if isinstance(test, Linear):
        return test.holds(given)
    options = [np.logical_and.reduce([one.holds(given) for one in option]) for option in test.options]
    return np.logical_or.reduce(options)


_ARRAYS: Mapping[CodeType, Any] = {"u8": np.uint8, "u16": np.uint16, "i32": np.int32}


class Codes(Record):
    """The instances of one rule of an order: its plan, (consequent, number of instances) pairs, and the values."""

    plan: TurnedRule
    visits: NDArray[np.int32]
    values: NDArray[Any]


def write_codes(
    tables: OrderedTables, sizes: Sequence[int], items: int, numbers: Sequence[NDArray[np.int32]]
) -> list[Codes]:
    """Return the compact back-pointers of a finished run, one entry a rule of its order.

    Parameters
    ----------
    tables : those of the run; its schema has no normal forms.
    sizes : how many instances each rule has.
    items : how many items the chart has.
    numbers : by kind and place, the number of the item, -1 for none.
    """
    symbols = len(tables.grammar.symbols)
    program = tables.kernel.program
    plans = [turned_rule(program, program.rules[r.rule]) for r in tables.kernel.order.rules]
    code_type = _code_type(plans, max(tables.n + 1, symbols))
    kernel = tables.kernel.function("codes", code_type)
    most = [min(items, size) for size in sizes]
    starts, ends = _bounds([size * len(p.free) for size, p in zip(sizes, plans, strict=True)])
    first, _ = _bounds([2 * m for m in most])
    at, seen = starts.copy(), first.copy()
    visits: NDArray[np.int32] = np.empty(2 * sum(most), np.int32)
    values: NDArray[Any] = np.empty(int(ends.max(initial=0)) + 1, _ARRAYS[code_type])
    tables.begin_pass()
    kernel(*tables.arguments, *numbers, at, ends, seen, visits, values, *tables.workspace)
    return [
        Codes(plan, visits[a:b].reshape(-1, 2).copy(), values[c:d])
        for plan, a, b, c, d in zip(
            plans, first.tolist(), seen.tolist(), starts.tolist(), ends.tolist(), strict=True
        )
    ]


def _code_type(plans: Sequence[TurnedRule], most: int) -> CodeType:
    """Return the type that holds the values of all free variables, if those of columns are between 0 and
    `most`.

    A variable that is not a column by itself (it may stand in `i - j` alone) can be negative, or larger.
    """
    columns_alone = all(
        any(variable(x) in atom.terms for atom in plan.antecedents) for plan in plans for x in plan.free
    )
    if not columns_alone or most >= WAYS.short_values:
        return "i32"
    return "u8" if most < WAYS.byte_values else "u16"


def _bounds(sizes: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each of several parts of an array begins, and where it ends."""
    ends = np.cumsum(sizes, dtype=np.int64)
    return ends - np.array(sizes, np.int64), ends


def decoded(
    codes: Codes, columns: NDArray[np.int32], numbers: Sequence[NDArray[np.int32]], tables: OrderedTables
) -> NDArray[np.int32]:
    """Return a rule's instances as rows: consequent, antecedents, ends of links.

    Parameters
    ----------
    codes : its compact back-pointers.
    columns : the columns of every item.
    numbers : by kind and place, the number of the item.
    tables : those of the run, for the values that the sentence fixes.
    """
    plan = codes.plan
    consequents = np.repeat(codes.visits[:, 0], codes.visits[:, 1])
    free = codes.values.reshape(len(consequents), len(plan.free)).astype(np.int64)
    width = len(tables.program.kinds[plan.rule.consequent.kind].columns)
    given: dict[str, Any] = dict(tables.constants)
    given |= {column_name(k): columns[consequents, k].astype(np.int64) for k in range(width)}
    given |= {x: free[:, k] for k, x in enumerate(plan.free)}
    parts = [consequents]
    for atom in plan.antecedents:
        place = tables.place_of(atom.kind, [term.value(given) for term in atom.terms])
        parts.append(numbers[atom.kind][np.broadcast_to(place, consequents.shape)])
    parts += [np.broadcast_to(end.value(given), consequents.shape) for link in plan.links for end in link]
    return np.stack(parts, axis=1).astype(np.int32)


class _TableNumbers:
    """The numbers of items by their places in a kind's table, -1 for empty places, each looked up on demand."""

    def __init__(self, store: OrderedStore, kind: int) -> None:
        self.store, self.kind = store, kind

    def __getitem__(self, place: int) -> int:
        number = self.store.number_at(self.kind, place)
        return -1 if number is None else number


class OrderedStore:
    """The chart of an ordered run; see `kernels.store.Store`.

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
        self.codes: list[Codes] | None = None  # compact back-pointers, where they are kept
        self._sizes: NDArray[np.int64] = tables.counted.copy()

    @property
    def is_complete(self) -> bool:
        """Whether everything is derived: no limit stopped the run."""
        return self._complete

    # items

    def final_items(self) -> frozenset[int]:
        """Return the numbers of the items, hypotheses included, that match a final pattern."""
        places = (
            (f.atom.kind, place) for f in self.program.finals for place in self.tables.matching(f).tolist()
        )
        return frozenset(x for kind, place in places if (x := self.number_at(kind, place)) is not None)

    @cached_property
    def _places(self) -> NDArray[np.int64]:
        """The place of every item in the numbering of all kinds' places, by number."""
        tables = self.tables
        given = [int(tables.offsets[k]) + int(tables.place(k, c) or 0) for k, c in tables.hypotheses]
        derived = []
        for kind, table in zip(self.program.kinds, tables.by_kind, strict=True):
            places = np.flatnonzero(table)
            codes = places + tables.offsets[kind.number]
            if is_written(self.program, kind.number):
                codes = codes[table[places] >> 1 == codes + 1]
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

    def item(self, number: int) -> tuple[int, Sequence[int]]:
        """Return the kind and the columns of an item."""
        kind = int(self.kinds[number])
        return kind, self.columns[number, : len(self.program.kinds[kind].columns)].tolist()

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
                rest, found[mine, k] = np.divmod(rest, self.tables.sizes(kind.number)[k])
        return found

    def counts(self) -> Sequence[int]:
        """Return the number of step instances of each case."""
        found = [0] * len(self.program.schema.cases)
        for ordered, size in zip(self.tables.kernel.order.rules, self._sizes.tolist(), strict=True):
            found[self.program.rules[ordered.rule].case] += size
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
            if is_written(self.program, kind.number):
                there = np.flatnonzero(table)
                numbers: NDArray[np.int32] = np.full(len(table), -1, np.int32)
                numbers[there] = by_code[(np.abs(table[there]) >> 1) - 1]
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
        code = (
            (abs(told) >> 1) - 1 if is_written(self.program, kind) else int(self.tables.offsets[kind]) + place
        )
        if code in self._given:
            return self._given[code]
        derived = self._places[self.hypothesis_count :]
        k = int(np.searchsorted(derived, code))
        return self.hypothesis_count + k if derived[k : k + 1].tolist() == [code] else None

    # back-pointers

    @cached_property
    def _rows(self) -> list[NDArray[np.int32]]:
        """The rows of every case."""
        if self.codes is not None:
            return self._decoded(self.codes)
        starts, out = self._enumerated(self._sizes)
        found = []
        for case, declared in enumerate(self.program.schema.cases):
            found.append(out[starts[case] : starts[case + 1]].reshape(-1, declared.stride))
        return found

    def _decoded(self, codes: Sequence[Codes]) -> list[NDArray[np.int32]]:
        """The rows of every case from compact back-pointers."""
        rows = [decoded(c, self.columns, self._numbers, self.tables) for c in codes]
        cases = [c.plan.rule.case for c in codes]
        found = []
        for case, declared in enumerate(self.program.schema.cases):
            parts = [part for part, c in zip(rows, cases, strict=True) if c == case]
            found.append(np.concatenate([np.zeros((0, declared.stride), np.int32), *parts]))
        return found

    def _enumerated(self, sizes: NDArray[np.int64]) -> tuple[list[int], NDArray[np.int32]]:
        """Run over the tables; return where each case's rows begin, and the rows.

        Those of a case stand together, so that nothing is copied.
        """
        tables, rules = self.tables, self.tables.kernel.order.rules
        cases = np.array([self.program.rules[r.rule].case for r in rules], np.int64)
        lengths = np.array([case.stride for case in self.program.schema.cases], np.int64)[cases]
        by_case = np.argsort(cases, kind="stable")
        ends = np.zeros(len(rules), np.int64)
        ends[by_case] = np.cumsum((sizes * lengths)[by_case])
        at = ends - sizes * lengths
        make_room(int((sizes * lengths).sum()) * np.dtype(np.int32).itemsize)
        out: NDArray[np.int32] = np.empty(int((sizes * lengths).sum()), np.int32)
        if len(out):
            tables.begin_pass()
            rows = tables.kernel.function("rows")
            rows(*tables.arguments, *self._numbers, at, ends, out, *tables.workspace)
        amounts = np.bincount(cases, sizes * lengths, len(self.program.schema.cases)).astype(np.int64)
        return [0, *np.cumsum(amounts).tolist()], out

    def keep(self, compact: bool) -> None:
        """Make all back-pointers now: as rows, or the free variables alone (not where items have normal forms)."""
        if compact and self._complete and self.codes is None and not any(self.program.equations.values()):
            self.codes = write_codes(self.tables, self._sizes.tolist(), self.item_count, self._numbers)
        if self.codes is None:
            self._rows  # noqa: B018 - written down here

    def rows(self, case: int) -> NDArray[np.int32]:
        """Return all step instances of a case."""
        return self._rows[case]

    def expand(self, item: int) -> Iterable[tuple[int, tuple[int, ...]]] | None:
        """Return the step instances that derive one item; None if a run may not have found all of them."""
        if not self._complete:
            return None
        kind = int(self.kinds[item])
        columns = tuple(self.columns[item, : len(self.program.kinds[kind].columns)].tolist())
        shown = [(kind, columns)]
        if is_written(self.program, kind):
            shown = Rewriting.of(self.program).writings(kind, columns, self.n)
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
        n, symbols, *arrays, _ = self.tables.arguments
        numbers: list[Any] = (
            [_TableNumbers(self, kind.number) for kind in self.program.kinds]
            if self.places > WAYS.spread_places
            else [a.data for a in self._numbers]
        )
        return (n, symbols, *(a.data for a in arrays), *numbers)
