"""Runs of agenda kernels: lays out tables for a sentence, calls the kernel slice by slice, enlarges full arrays.

One text runs in three ways: compiled by LLVM over NumPy arrays; by CPython over lists, with dictionaries in
place of the hash tables; and, for tests, by CPython with every index checked. A kernel returns when its slice
of work is done, when an array is full, or when it asks a query that has no answer yet. A turn that was broken off
begins again; the items that it had filed and made stay.
"""

from __future__ import annotations

import itertools
import operator
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from schemata.budget import Budget, OverBudget, Reason, resident_bytes
from schemata.kernels import runtime as r
from schemata.kernels.answers import Answers, Lists, Remembered, Table, is_about_sentence
from schemata.kernels.grammar import GrammarTables
from schemata.kernels.kept import KeptKernel, KernelText, keep_kernel, keep_text, kept_text
from schemata.kernels.labels import LabelTables, is_labels
from schemata.kernels.layout import Layout, Measures, layout_of
from schemata.kernels.lists import ANSWERING, is_list, most_made
from schemata.kernels.measures import Measure
from schemata.kernels.store import LARGE, AgendaStore, OutsideTables, plain
from schemata.machine.compile import (
    Compiler,
    addresses,
    dictionary_functions,
    functions_of,
    interpreted,
    is_compiled,
    machine_code,
)
from schemata.program.model import Program, encoded
from schemata.program.queries import Query
from schemata.program.rewriting import Rewriting, added_once
from schemata.thresholds import REFUSALS, WAYS

if TYPE_CHECKING:
    from schemata.kernels.store import NativeRun, Store

__all__ = ["AgendaKernel", "AgendaRun", "drive"]

_ANSWERING = ANSWERING.count(",") + 1  # arguments of functions that answer queries before what is bound
_HASHED = {"items": "HK", "lists": "JK", "pairs": "PK", "answers": "QK"}
_SLOTS = {"items": r.TABLE_SLOTS, "lists": r.LIST_SLOTS, "pairs": r.PAIR_SLOTS, "answers": r.ANSWER_SLOTS}
# By what is full: the arrays that grow, how many times as large, and the hash table that does
_FULL: Mapping[int, tuple[tuple[str, ...], int, str]] = {
    r.ITEMS_FULL: (("F", "KI", "MU", "LF"), 2, ""),
    r.RECORDS_FULL: (("WR",), 4, ""),
    r.NODES_FULL: (("LI", "LE", "LN", "CH"), 2, ""),
    r.POOL_FULL: (("RP",), 2, ""),
    r.LOG_FULL: (("LOG",), 2, ""),
    r.LISTS_FULL: (("LH",), 2, ""),
    r.TABLE_FULL: ((), 1, "items"),
    r.PAIRS_FULL: ((), 1, "pairs"),
    r.ANSWERS_FULL: ((), 1, "answers"),
}
# Arrays whose sizes the state has
_SIZED = {
    r.CASES: "CNT", r.ITEM_ROOM: "KI", r.ARENA_ROOM: "A", r.LIST_ROOM: "LH", r.MET_SLOTS: "SH",
    r.WRITTEN_ROOM: "WB", r.RECORD_ROOM: "WR", r.NODE_ROOM: "LI", r.POOL_ROOM: "RP", r.LOG_ROOM: "LOG",
}  # fmt: skip
# Functions that the driver calls, of those that a kernel has
_CALLED = (
    "begin", "kernel", "finals", "items_again", "lists_again", "answers_again", "pairs_again", "items_at",
    "items_enter", "answered_all", "pairs_at", "longer", "push", "sequence",
)  # fmt: skip
_ELEMENTS = {"u8[]": "B", "i32[]": "i", "i64[]": "q"}  # of arrays for native code, as NumPy names them
# numbers in the log of a native run; where it is too small, turns are repeated for their instances


class AgendaKernel:
    """A program with its agenda kernels: one for dense tables, one for hashed ones, each made when needed.

    Parameters
    ----------
    program : the schema.
    measure : the measurement, with which only Python runs kernels.
    kept : the kernel for CPython that an earlier process kept; else whether to keep it and the texts.

    Attributes
    ----------
    hashed : the kind of storage; the better one for a sentence if None.
    """

    def __init__(
        self, program: Program, measure: Measure | None = None, kept: KeptKernel | bool = False
    ) -> None:
        self.measure = measure
        self.hashed: bool | None = None
        self.program = program
        self.layout: Layout = layout_of(program)
        self._queries: dict[tuple[Query, tuple[int, ...], tuple[int, ...]], int] = {}
        self._measures: dict[tuple[str, int, int], Measures] = {}
        # by the length of a sentence, and whether tables are hashed: what arrays of the last native runs have grown to
        self.rooms: dict[tuple[int, bool], dict[str, int]] = {}
        self._tables: list[Table] = []
        self._remembered: dict[tuple[bool, bool], Remembered] = {}
        self._remembers = not is_about_sentence(program)
        self._texts: dict[tuple[bool, str], KernelText] = {}
        self._modules: dict[tuple[Compiler | None, bool, str], Mapping[str, Any]] = {}
        self._keeps, self._keeps_texts = kept is True, kept is not False
        if isinstance(kept, KeptKernel):
            self._queries = kept.text.queries
            self._texts[not self.layout.bounded, "log"] = kept.text
            self._modules[None, not self.layout.bounded, "log"] = {"code": kept.code}

    def text(self, hashed: bool, purpose: str = "count") -> KernelText:
        """Return the kernel's text for a kind of storage and a purpose (see `emit_agenda`)."""
        key = hashed, purpose
        if key not in self._texts:
            if purpose in ("rows", "edges"):
                self.text(hashed)  # numbers the tables of queries
            schema, keeps = self.program.schema, self._keeps_texts and purpose != "log"
            kept = kept_text(schema, hashed, purpose) if keeps else None
            if kept is not None and self._numbers(kept):
                self._texts[key] = kept
                return kept
            from schemata.kernels.agenda import emit_agenda  # kept kernels do without

            measure = None if purpose in ("rows", "edges") else self.measure
            self._texts[key] = emit_agenda(self.layout, hashed, purpose, self._queries, measure)
            if keeps:
                keep_text(schema, hashed, purpose, self._texts[key])
        return self._texts[key]

    def _numbers(self, kept: KernelText) -> bool:
        """Take over the numbers of tables of a text that was kept; returns False if others are in use."""
        same = list(kept.queries)[: len(self._queries)] == list(self._queries)
        if same:
            self._queries.update(kept.queries)
        return same

    def module(self, compiler: Compiler | None, hashed: bool, purpose: str = "count") -> Mapping[str, Any]:
        """Return the functions of the kernel; without a compiler their code for CPython."""
        key = compiler, hashed, purpose
        if key not in self._modules:
            text = self.text(hashed, purpose)
            module: Mapping[str, Any]
            if compiler is not None:
                module = compiler(text.text, _entries(text), loops=not text.large)
            else:
                module = {"code": interpreted(text.text)}  # every run has functions of its own
                if self._keeps and hashed is not self.layout.bounded and purpose == "log":
                    keep_kernel(self.program.schema, KeptKernel(self.program, text, module["code"]))
            self._modules[key] = module
        return self._modules[key]

    @property
    def is_compiled(self) -> bool:
        """Whether machine code is loaded or on disk."""
        hashed = not self.layout.bounded
        if (machine_code, hashed, "count") in self._modules:
            return True
        text = self.text(hashed)
        return is_compiled(text.text, _entries(text), loops=not text.large)

    def tables(self) -> Sequence[Table]:
        """Return the tables of the queries in all kernels written so far."""
        self._tables += [Table(*key) for key in itertools.islice(self._queries, len(self._tables), None)]
        return self._tables

    def remembered(self, way: tuple[bool, bool], grammar: Any) -> Remembered | None:
        """Return the answers that hold with the rules of a grammar, for native or other runs, hashed or not."""
        native, hashed = way
        if not hashed or not self._remembers or (native and "pairs" in self.text(hashed).keys):
            return None
        rules = getattr(grammar, "table", None), getattr(grammar, "roots", None)
        known = self._remembered.get(way)
        if known is None or known.rules[0] is not rules[0] or known.rules[1] != rules[1]:
            known = self._remembered[way] = Remembered(rules)
        return known

    def measures(self, n: int, symbols: int, purpose: str) -> Measures:
        """Return how large the tables of a sentence are."""
        key = purpose, n, symbols
        if key not in self._measures:
            if len(self._measures) >= WAYS.kept_measures:
                self._measures.clear()
            text = self.text(not self.layout.bounded, purpose)
            self._measures[key] = Measures(text.quantities, n, symbols)
        return self._measures[key]


def _entries(text: KernelText) -> tuple[str, ...]:
    """Return the functions of a kernel that the driver calls."""
    return tuple(name for name in _CALLED if f"def {name}(" in text.text)


@cache
def _zeros(name: str) -> Callable[[int], Any]:
    """Return the function from a size to an array of zeros for native code, for an array's name in kernel text."""
    import numpy as np

    return partial(np.zeros, dtype=np.dtype(_ELEMENTS[r.ARRAYS[name]]))


@cache
def _unused(native: bool) -> Mapping[str, Any]:
    """Return all arrays as they are for kernels that do not look at them; runs share these."""
    return {name: _zeros(name)(1) if native else [0] for name in r.ARRAYS}


@cache
def _unused_addresses(names: Sequence[str]) -> tuple[Sequence[Any], Sequence[int]]:
    """Return some of these arrays, and where they begin in memory."""
    arrays = operator.itemgetter(*names)(_unused(True))
    return arrays, addresses(arrays)


class AgendaRun:
    """A run of an agenda kernel on one sentence; see `store.NativeRun`.

    Parameters
    ----------
    kernel : the program's kernels.
    compiler : makes their functions over arrays; None if CPython runs them over lists.
    n : the number of words.
    grammar : the grammar of the sentence.
    tables : the grammar's licences as tables.
    memory : bytes that arrays may take.
    given : items that are there from the start, after the hypotheses: kind and columns.

    Raises
    ------
    OutsideTables : dense tables would be too large.

    Attributes
    ----------
    as_written : the hypotheses that are not in normal form, by kind and columns. They match as written only;
        an item with such a writing is another one.
    """

    def __init__(
        self,
        kernel: AgendaKernel,
        compiler: Compiler | None,
        n: int,
        grammar: Any,
        tables: GrammarTables,
        memory: int,
        given: Iterable[tuple[str, tuple[Any, ...]]] = (),
    ) -> None:
        symbols = len(tables.terms.all("symbol"))
        self.purpose = "log" if compiler is None else "count"
        self.measures = measures = kernel.measures(n, symbols, self.purpose)
        native = compiler is not None
        hashed = kernel.hashed
        if hashed is None:
            large = min(WAYS.dense_bytes, memory // 2) if native else WAYS.dense_places
            hashed = not kernel.layout.bounded or measures.bytes > large
        if not hashed and max(measures.items, measures.joins) >= WAYS.packed_keys:
            raise OutsideTables
        self.kernel, self.n, self.symbols, self.hashed, self.native = kernel, n, symbols, hashed, native
        self.program = kernel.program
        self.text = kernel.text(hashed, self.purpose)
        self.compiler = compiler
        self.module = kernel.module(compiler, hashed, self.purpose)
        self.width = kernel.layout.width
        self.remembered = kernel.remembered((native, hashed), grammar)
        self.terms = tables.terms
        if self.remembered is not None and self.remembered.terms is not None:
            self.terms = self.remembered.terms.shared()
        self.answers = Answers(kernel.tables(), n, grammar, self.terms)
        self.places: dict[tuple[int, ...], int] = {}  # for CPython: of answers, and of lists, by their keys
        self.pairs: dict[tuple[int, ...], int] = {}
        if len(kernel.rooms) >= WAYS.kept_measures:
            kernel.rooms.clear()
        self.rooms = kernel.rooms.setdefault((n, hashed), {}) if native else {}
        self._lay_out(tables, memory)
        if self.remembered is not None:
            self.remembered.begin(self)
        if not native:
            self.module = self._with_dictionaries(functions_of(self.module["code"]))
        self._answer_for_words(memory)
        self._begin(memory, given)

    # arrays

    def _array(self, name: str, size: int) -> Any:
        return _zeros(name)(size) if self.native else [0] * size

    def array_of(self, name: str, values: list[int]) -> Any:
        """Return an array of values."""
        if not self.native:
            return values
        array = self._array(name, len(values))
        array[:] = values
        return array

    def _lay_out(self, tables: GrammarTables, memory: int) -> None:
        """Make the arrays, by the names they have in kernel text."""
        program, hashed, measures = self.program, self.hashed, self.measures
        cases, width, items = len(program.schema.cases), self.width, 1024
        words = self.text.keys
        tabled = hashed and self.native
        listed = hashed and "pairs" in words
        kinds = {kind for table in self.answers.tables for kind in table.query.types} if listed else set()
        unpacked = tabled and any(map(is_list, kinds))
        fan = self.n + 2 if unpacked and self.n <= WAYS.fan_words else 0
        sizes = {"st": r.SIZE, "CNT": cases, "CS": cases, "F": items * width, "KI": items}
        sizes |= {
            "A": WAYS.arena_room,
            "RP": WAYS.rewriting_room,
            "SH": WAYS.met_places,
            "SR": WAYS.met_places // 2 * self.text.words,
        }
        sizes |= {"LH": 2048 if hashed else 2 * max(1, measures.joins)}
        sizes |= {"MK": 1 if hashed else max(1, measures.masks)}
        if program.equations:
            sizes |= {"MU": items, "WB": 66 * (width + 1), "WR": items * (width + 1)}
        if not hashed:
            sizes["TAB"] = measures.items
        for name in words if tabled else ():
            sizes[_HASHED[name]] = (4096 if name in ("items", "pairs") else 2048) * (words[name] + 1)
        if listed:
            sizes |= dict.fromkeys(("LI", "LE", "LN"), items)
        if fan:
            sizes["CH"] = items * fan
        if unpacked:
            sizes |= dict.fromkeys(("SE", "SN"), WAYS.unpacked_lists * (most_made() + 2))
        if self.purpose == "log":
            sizes["LOG"] = WAYS.log_room
        elif hashed:
            sizes["LOG"] = WAYS.noted_entries
        if self.text.leaves:
            sizes["LF"] = items * self.kernel.layout.leaf_places[1]
        if 8 * sum(self.rooms.values()) <= memory:
            sizes |= self.rooms
        self.a: dict[str, Any] = dict(_unused(self.native))
        self.a |= {name: self._array(name, size) for name, size in sizes.items()}
        self._chosen = operator.itemgetter(*self.text.tables)
        if self.native:
            self._addressed, known = _unused_addresses(self.text.tables)
            self._addresses = list(known)
        self.a["st"][r.POOL] = self.a["st"][r.KEPT] = 1
        self.a["st"][r.FAN] = fan
        labels = None
        if any(map(is_labels, kinds)):
            labels = LabelTables(self.answers.grammar.sequences)
            self.a["LB"] = self.array_of("LB", labels.array())
        if listed:
            self.terms.lists = Lists(self, labels)
        if not self.native:
            self.a["SE"], self.a["SN"] = {}, {}  # lists are unpacked there
        self.a |= measures.arrays if self.native else measures.lists
        self.a |= tables.arrays if self.native else tables.lists

    def _with_dictionaries(self, space: dict[str, Any]) -> Mapping[str, Any]:
        """Put dictionaries in place of hash tables, for CPython."""
        state = self.a["st"]
        met: set[tuple[int, ...]] = set()
        answers = self.places

        def asked(_st: Any, _k: Any, *key: int) -> int:
            place = answers.get(key)
            if place is None:
                if f"answer_{key[0]}" in space:
                    return 0  # by its function, whose answers are kept
                place = answers[key] = self._note(*self.answers.rows(key[0] % REFUSALS.query_tables, key[1:]))
            return place

        def remembering(answer: Callable[..., int], table: int) -> Callable[..., int]:
            """Return a function that caches the answers of a function of the kernel."""
            raised = table if self.answers.tables[table].query.is_lasting else table + int(state[r.EPOCH])

            def remembered(*arguments: Any) -> int:
                key = raised, *arguments[_ANSWERING:]
                place = answers.get(key)
                if place is None:
                    place = answer(*arguments)
                    if place >= 0:
                        answers[key] = place
                        state[r.KEPT] = state[r.POOL]
                        self.answers.found += 1
                return place

            return remembered

        def fresh(_st: Any, _h: Any, _r: Any, *words: int) -> int:
            if not state[r.MET]:
                met.clear()
                state[r.MET] = 1
            if words in met:
                return 0
            met.add(words)
            return 1

        if self.hashed:
            space |= {
                **dictionary_functions("items", {}),
                **dictionary_functions("lists", {}),
                **dictionary_functions("pairs", self.pairs),
                "answered": lambda _st, _k, place: place,
                **{name: asked for name in space if name.startswith("asked")},
            }
            for name in [name for name in space if name.startswith("answer_")]:
                space[name] = remembering(space[name], int(name.removeprefix("answer_")))
        space["fresh"] = fresh
        if "added" in space:
            space["added"] = added_once(self.width + 1)
        if self.text.probe is not None:
            space |= self.text.probe.names()
        return space

    def sized(self) -> Any:
        """Return the state with the sizes of arrays in it."""
        state = self.a["st"]
        for place, name in _SIZED.items():
            state[place] = len(self.a[name])
        for name in self.text.keys:
            state[_SLOTS[name]] = self.slots(name)
        return state

    def slots(self, name: str) -> int:
        """Return how many rows a hash table has room for."""
        return len(self.a[_HASHED[name]]) // (self.text.keys[name] + 1)

    def call(
        self, function: str, *numbers: int, memory: int, module: Mapping[str, Any] | None = None
    ) -> None:
        """Call a function of the kernel, enlarging arrays that are full, until its status is `RUNS`.

        Raises
        ------
        OverBudget : arrays would have to grow by more than `memory` bytes.
        OutsideTables : an item has too many writings, or no normal form.
        """
        called = (module or self.module)[function]
        at_addresses = getattr(called, "at_addresses", None)
        arrays: Sequence[Any] = ()
        while True:
            before, arrays = arrays, self._chosen(self.a)
            if not before or at_addresses is None or not all(map(operator.is_, arrays, before)):
                self.sized()
            if at_addresses is None:
                called(self.n, self.symbols, *numbers, *arrays)
            else:
                at_addresses(self.n, self.symbols, *numbers, *self._addresses_of(arrays))
            status = int(self.a["st"][r.STATUS])
            if status == r.RUNS:
                return
            self.enlarge(status, memory)

    def _addresses_of(self, arrays: Sequence[Any]) -> Sequence[int]:
        """Return the addresses of arrays, each worked out once: that takes longer than a short turn."""
        new = list(itertools.compress(range(len(arrays)), map(operator.is_not, arrays, self._addressed)))
        for k, place in zip(new, addresses([arrays[k] for k in new]), strict=True):
            self._addresses[k] = place
        self._addressed = arrays
        return self._addresses

    def numbered(self, function: str, names: Iterable[str], *given: int) -> int:
        """Return the number that a function of the kernel assigns, enlarging arrays that are full."""
        while True:
            number = int(self.module[function](self.sized(), *(self.a[name] for name in names), *given))
            if number >= 0:
                return number
            self.enlarge(-number, 1 << 40)

    def enlarge(self, status: int, memory: int) -> None:
        """Enlarge the array that a status names, or answer the kernel's pending query."""
        a = self.a
        match status:
            case _ if a["st"][r.TOO_LARGE]:
                raise OutsideTables(LARGE)
            case r.UNKNOWN:
                self._answer(memory)
            case r.ARENA_FULL:
                if 2 * len(a["A"]) > REFUSALS.arena_entries:
                    raise OverBudget("memory")
                self._grow(("A",), 2, memory)
            case r.MET_FULL:
                if len(a["SH"]) > REFUSALS.met_most:
                    raise OverBudget("memory")
                self._grow(("SR",), 2, memory)
                self._put_array("SH", 2 * len(a["SH"]))
            case r.WRITINGS_FULL:
                if len(a["WB"]) > REFUSALS.agenda_writings * (self.width + 1):
                    raise OutsideTables(f"more than {REFUSALS.agenda_writings:,} writings of one item")
                a["WB"] = self._array("WB", 4 * len(a["WB"]))
            case r.LISTS_FULL if 2 * (int(a["st"][r.LISTS]) + 2) <= len(a["LH"]):
                self._rehash("lists", memory)
            case r.TOO_LONG:
                raise OutsideTables(f"lists of more than {REFUSALS.list_elements:,} elements")
            case _ if status in _FULL:
                names, times, table = _FULL[status]
                self._grow(names, times, memory)
                if table and self.native:
                    self._rehash(table, memory)
            case _:
                raise OutsideTables("a normal form that never ends")

    def _grow(self, names: Iterable[str], times: int, memory: int) -> None:
        for name in names:
            array = self.a[name]
            if len(array) == 1:  # the kernel does not look at it
                continue
            if 8 * (times - 1) * len(array) > memory:
                raise OverBudget("memory")
            if not self.native:
                array.extend([0] * ((times - 1) * len(array)))
                continue
            self._put_array(name, times * len(array))[: len(array)] = array

    def _put_array(self, name: str, size: int) -> Any:
        """Put a larger array in the place of one; the next run over as many words begins with it."""
        self.a[name] = array = self._array(name, size)
        self.rooms[name] = size
        return array

    def _rehash(self, name: str, memory: int) -> None:
        table, slots = self.a[_HASHED[name]], self.slots(name)
        if 8 * len(table) > memory:
            raise OverBudget("memory")
        larger = self._put_array(_HASHED[name], 2 * len(table))
        self.module[f"{name}_again"](table, slots, larger, 2 * slots)

    def _answer(self, memory: int) -> None:
        """Answer the kernel's pending query."""
        state, words = self.a["st"], self.text.keys["answers"]
        table, *key = (int(x) for x in state[r.ASKED : r.ASKED + words])
        state[r.POOL] = state[r.KEPT]  # what the turn had noted besides is noted again
        self._enter_answers(
            {(table, *key): self._note(*self.answers.rows(table % REFUSALS.query_tables, key))}, memory
        )

    def _answer_for_words(self, memory: int) -> None:
        """Enter the answers about every word: cheaper all at once than whenever the kernel asks."""
        epoch, found = int(self.a["st"][r.EPOCH]), dict[tuple[int, ...], int]()
        noted: dict[Sequence[int], int] = {}  # many words have the same answers
        for table, rows in self.answers.of_words():
            for position, row in enumerate(rows):
                if row not in noted:
                    noted[row] = self._note(len(row), row)
                found[table + epoch, position] = noted[row]
        if self.native:
            self._enter_answers(found, memory)
        else:
            self.places |= found

    def _enter_answers(self, found: Mapping[tuple[int, ...], int], memory: int) -> None:
        """Enter the places of answers, by query table and bound values."""
        width, rows, done = self.text.keys["answers"], list[int](), 0
        for key, place in found.items():
            rows += (*key, *[0] * (width - len(key)), place)
        array = self.array_of("KW", rows)
        while done < len(found):
            entered = self.module["answered_all"]
            done = entered(self.sized(), self.a["QK"], array, done, len(found))
            if done < len(found):
                self._rehash("answers", memory)

    def _note(self, count: int, rows: Sequence[int]) -> int:
        """Write answers into the pool, behind those that this turn still reads; returns where they begin."""
        state = self.a["st"]
        place = int(state[r.POOL])
        after = place + 1 + len(rows)
        while after >= len(self.a["RP"]):
            self._grow(("RP",), 2, 1 << 40)
        self.a["RP"][place] = count
        self.a["RP"][place + 1 : after] = rows
        state[r.POOL] = state[r.KEPT] = after
        return place

    # the run

    def _begin(self, memory: int, given: Iterable[tuple[str, tuple[Any, ...]]]) -> None:
        """Enter the hypotheses as the first items, then the given items."""
        self.call("begin", memory=memory)
        state = self.a["st"]
        state[r.GIVEN] = state[r.ITEMS]
        self.as_written: dict[tuple[int, tuple[int, ...]], int] = {}
        for number in range(int(state[r.ITEMS])) if self.program.equations else ():
            kind, columns = self.row(number)
            if not Rewriting.of(self.program).is_normal(kind, columns, self.n):
                self.as_written[kind, columns] = number
                self._put(kind, columns, 0)
        forms = {form.name: k for k, form in enumerate(self.program.schema.forms)}
        for name, values in given:
            coded = encoded(self.program.kinds, forms[name], values, self.terms.number)
            if coded is None:
                raise OutsideTables
            self._enter(*coded)
        state[r.MADE] = state[r.ITEMS]

    def _enter(self, kind: int, columns: Sequence[int]) -> None:
        """Enter an item, in normal form, that no step derives."""
        number = self.place(kind, columns)
        if number:
            return
        state = self.a["st"]
        number = int(state[r.ITEMS]) + 1
        while number >= len(self.a["KI"]):
            self.enlarge(r.ITEMS_FULL, 1 << 40)
        self._put(kind, columns, number)
        self.a["KI"][number] = kind
        padded = [*columns, *[0] * (self.width - len(columns))]
        self.a["F"][number * self.width : (number + 1) * self.width] = padded
        state[r.ITEMS] = number

    def _put(self, kind: int, columns: Sequence[int], number: int) -> None:
        """Enter a number, from 1 on, for a writing into the table; 0 takes it out."""
        if self.hashed:
            key = kind, *columns, *[0] * (self.width - len(columns))
            while not self.module["items_enter"](
                self.sized(), self.a["HK"], r.PLACES, r.TABLE_SLOTS, *key, number
            ):
                self.enlarge(r.TABLE_FULL, 1 << 40)
            return
        at = self.dense_place(kind, columns)
        if at is None:
            raise OutsideTables("an item that is given, which its form rules out")
        self.a["TAB"][at] = number

    def dense_place(self, kind: int, columns: Sequence[int]) -> int | None:
        """Return the place of columns in the dense item table."""
        found = self.kernel.layout.numbering(kind).place(columns, self.n, self.symbols)
        return None if found is None else self.measures.bases[kind] + found

    def place(self, kind: int, columns: Sequence[int]) -> int:
        """Return the number of the item that has a writing in the table, from 1 on; 0 where none has."""
        if not self.hashed:
            at = self.dense_place(kind, columns)
            return 0 if at is None else int(self.a["TAB"][at])
        key = kind, *columns, *[0] * (self.width - len(columns))
        return int(self.module["items_at"](self.a["HK"], self.slots("items"), *key))

    def row(self, number: int) -> tuple[int, tuple[int, ...]]:
        """Return the kind and the columns of an item, counted from 0."""
        kind = int(self.a["KI"][number + 1])
        at = (number + 1) * self.width
        size = len(self.program.kinds[kind].columns)
        return kind, tuple(map(int, self.a["F"][at : at + size]))

    @property
    def steps(self) -> int:
        """Step instances found so far."""
        return int(sum(plain(self.a["CNT"])))

    def advance(self, most_steps: int, work: int, memory: int) -> bool:
        """Continue to derive; see `store.NativeRun.advance`.

        Raises
        ------
        OverBudget : memory.
        OutsideTables : an item has too many writings, or no normal form.
        """
        self.call("kernel", most_steps, work, memory=memory)
        self._settle()
        self._remember()
        if 4 * int(self.a["st"][r.ITEMS]) < len(self.a["KI"]):
            self.rooms.clear()
        return bool(self.a["st"][r.AT] > self.a["st"][r.ITEMS])

    def _settle(self) -> None:
        """Roll back the turn that an exception interrupted; the counts and items of complete turns remain."""
        state = self.a["st"]
        if state[r.NEXT]:
            self.a["CS"][:] = self.a["CNT"]
            state[r.BEFORE] = state[r.LOGGED]
            state[r.MADE] = state[r.ITEMS]
            state[r.AT] = state[r.NEXT] - 1
            state[r.NEXT] = 0
        else:
            self.a["CNT"][:] = self.a["CS"]
            state[r.LOGGED] = state[r.BEFORE]

    def _remember(self) -> None:
        if self.remembered is not None and self.answers.found:
            self.remembered.note(self)
            self.answers.found = 0

    def final_items(self) -> frozenset[int]:
        """Return the numbers of the items, hypotheses included, that match a final pattern."""
        state = self.a["st"]
        count = int(state[r.MADE])
        self.a["FM"] = self._array("FM", count + 2)
        kept = state[:] if not self.native else state.copy()
        self.a["CS"][:] = self.a["CNT"]
        state[r.AT], state[r.LAST] = 1, count
        try:
            self.call("finals", memory=1 << 40)
        finally:
            kept[r.ANSWERS] = state[r.ANSWERS]
            state[: r.POOL] = kept[: r.POOL]
        self._remember()
        return self.marked()

    def marked(self) -> frozenset[int]:
        """Return the numbers of the items that are marked as final until now."""
        marks = self.a["FM"][1 : int(self.a["st"][r.MADE]) + 1]
        if self.native:
            return frozenset(marks.nonzero()[0].tolist())
        return frozenset(x for x, mark in enumerate(marks) if mark)

    def rows(self, purpose: str = "rows") -> list[Sequence[int]]:
        """Return all step instances, by case: those of the log, or of finished turns that are repeated for this.

        With the purpose "edges" an item that is predicted has one instance for that.
        """
        cases = self.program.schema.cases
        strides = [case.stride for case in cases]
        edges = purpose == "edges"
        if self._logs_all(edges):
            return self._with_leaves(self._logged(strides)) if edges else self._logged(strides)
        import numpy as np

        counted = [
            0 if edges and case.predicts else int(x) for case, x in zip(cases, self.a["CNT"], strict=True)
        ]
        starts = [0]
        for amount, stride in zip(counted, strides, strict=True):
            starts.append(starts[-1] + amount * stride)
        state = self.a["st"]
        kept = {name: self.a[name] for name in ("CNT", "CS", "LOG", "OFF", "PL")}
        before = state.copy()
        self.a["CNT"], self.a["CS"] = self._array("CNT", len(cases)), self._array("CS", len(cases))
        self.a["LOG"] = np.empty(starts[-1], np.int32)
        if not self.hashed:
            measures = self.kernel.measures(self.n, self.symbols, purpose)
            self.a |= measures.arrays if self.native else measures.lists
        self.a["OFF"] = self._array("OFF", len(starts))
        self.a["OFF"][:] = starts
        module = self.kernel.module(self.compiler, self.hashed, purpose)
        state[r.LAST] = state[r.AT] - 1
        state[r.AT] = state[r.AGAIN] = 0
        try:
            while True:
                self.call("kernel", 1 << 62, WAYS.row_work, memory=1 << 40, module=module)
                if state[r.AT] > state[r.LAST]:
                    break
        finally:
            log = self.a["LOG"]
            # the stamps of the table of instances met go on from where this pass left them
            before[r.STAMP], before[r.ANSWERS] = state[r.STAMP], state[r.ANSWERS]
            state[: r.POOL] = before[: r.POOL]
            self.a |= kept
        rows = [log[a:b] for a, b in itertools.pairwise(starts)]
        return self._with_leaves(rows) if edges else rows

    def _logs_all(self, edges: bool) -> bool:
        """Whether the log has all step instances, or all but those that predict."""
        if self.purpose == "log":
            return True
        complete = self.a["st"][r.LOGGED] <= len(self.a["LOG"])
        return (
            self.hashed
            and complete
            and (edges or not any(case.predicts for case in self.program.schema.cases))
        )

    def _with_leaves(self, rows: Sequence[Sequence[int]]) -> list[Sequence[int]]:
        """Return rows by case; in place of the rows of a case that predicts, those by which items were first
        predicted.
        """
        import numpy as np

        cases, (after, size) = self.program.schema.cases, self.kernel.layout.leaf_places
        noted = self.a["LF"][size : (int(self.a["st"][r.MADE]) + 1) * size].reshape(-1, size)
        items = noted[:, 0].nonzero()[0]
        leaves = np.empty((len(items), size + 1), np.int32)
        leaves[:, :size], leaves[:, size] = noted.take(items, axis=0), items
        which = (leaves[:, 0] - 1) % len(cases)
        result = list(rows)
        for number, case in enumerate(cases):
            if case.predicts:
                count = len(case.antecedents)
                places = [size, *range(after, after + count), *range(1, case.stride - count)]
                here = leaves.take((which == number).nonzero()[0], axis=0)
                result[number] = here.take(places, axis=1).reshape(-1)
        return result

    @property
    def knows_leaves(self) -> bool:
        """Whether, for every predicted item, all predicting instances build the same, so that one represents them."""
        return self.text.leaves and not self.a["st"][r.MIXED]

    def _logged(self, strides: list[int]) -> list[Sequence[int]]:
        width, log = self.kernel.layout.log_width, self.a["LOG"][: int(self.a["st"][r.LOGGED])]
        if self.native:
            table = log.reshape(-1, width)
            case = table[:, 0].copy()
            of_case = [table.take((case == k).nonzero()[0], axis=0) for k in range(len(strides))]
            return [own[:, 1 : 1 + stride].reshape(-1) for own, stride in zip(of_case, strides, strict=True)]
        rows: list[list[int]] = [[] for _ in strides]
        for at in range(0, len(log), width):
            rows[log[at]] += log[at + 1 : at + 1 + strides[log[at]]]
        return list(rows)

    def store(self) -> AgendaStore:
        """Return the chart as derived until now."""
        self._settle()
        return AgendaStore(self)


def drive(run: NativeRun, budget: Budget, started: float) -> tuple[Store, Reason | None]:
    """Drive a run to its end or to a limit; returns the chart and the limit that was reached, if any.

    Parameters
    ----------
    run : nothing derived yet.
    budget : limits of the run.
    started : when the run began, by `time.perf_counter`.

    Raises
    ------
    OutsideTables : the kernel's tables do not fit the run; nothing is lost but time.
    """
    reason: Reason | None = None
    try:
        work = WAYS.first_work
        while True:
            left = budget.memory - resident_bytes()
            if left < 0:
                raise OverBudget("memory")
            before = time.perf_counter()
            finished = run.advance(budget.native_steps, work, left)
            now = time.perf_counter()
            if run.steps > budget.native_steps:
                raise OverBudget("steps")
            if finished:
                break
            if budget.left(started) < 0:
                raise OverBudget("seconds")
            factor = WAYS.slice_seconds / max(now - before, 1e-4)  # going by what the last slice took
            work = int(max(WAYS.least_work, min(work * min(max(factor, 0.1), 4.0), WAYS.most_work)))
    except OverBudget as over:
        reason = over.reason
    except MemoryError:
        reason = "memory"
    except KeyboardInterrupt:
        reason = "interrupt"
    return run.store(), reason
