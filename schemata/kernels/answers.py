"""Answers to a program's queries, as rows of numbers: worked out in Python, and remembered from run to run.

Answers that depend on terms and on a grammar's rules alone last: a run begins with those of earlier runs with
the same rules. Answers about words hold for one sentence; in the table of answers the number of their query is
raised by the run's *epoch*, so that no other run finds them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any

from schemata.grammars.relations import FREE, SIGNATURES
from schemata.kernels import runtime as r
from schemata.kernels.labels import LabelTables, is_labels
from schemata.kernels.lists import is_list, packed, unpacked
from schemata.kernels.store import LARGE, OutsideTables
from schemata.language import model as m
from schemata.program.linear import Provided, TypeSort
from schemata.program.model import Program
from schemata.program.queries import Query, Terms, sort_of
from schemata.records import Record
from schemata.thresholds import REFUSALS, WAYS

if TYPE_CHECKING:
    from schemata.kernels.run import AgendaRun

_ARRAYS = ("QK", "RP", "LI", "LE", "LN", "PK")
_STATE = (r.POOL, r.KEPT, r.ANSWERS, r.NODES, r.PAIRS)


def is_about_sentence(program: Program) -> bool:
    """Whether a program's terms are mostly those of one sentence, so that remembering answers is useless."""
    of_labels = (column.sort for kind in program.kinds for column in kind.columns)
    tests = (test for rule in program.rules for test in rule.tests)
    of_symbols = any(
        isinstance(test, Provided) and "symbol" in SIGNATURES[test.relation].sorts for test in tests
    )
    return of_symbols or any(isinstance(sort, m.Type) and is_labels(sort) for sort in of_labels)


class Remembered:
    """Answers that hold for all runs with the same rules, in the arrays of the run that found the last of them.

    Parameters
    ----------
    rules : the rules for which they hold: the grammar's table of rules and its roots; None if it has none.
    """

    def __init__(self, rules: tuple[Any, Any]) -> None:
        self.rules = rules
        self.terms: Terms | None = None
        self._arrays: dict[str, Any] = {}
        self._places: tuple[dict[Any, int], dict[Any, int]] = {}, {}
        self._state: list[int] = []
        self._epoch = 0

    def begin(self, run: AgendaRun) -> None:
        """Put the answers into the arrays of a run that begins."""
        if self._state:
            run.a |= {name: array.copy() for name, array in self._arrays.items()}
            for place, value in zip(_STATE, self._state, strict=True):
                run.a["st"][place] = value
            run.places, run.pairs = self._places[0].copy(), self._places[1].copy()
        run.a["st"][r.EPOCH] = self._epoch * REFUSALS.query_tables

    def note(self, run: AgendaRun) -> None:
        """Keep the answers that a run computed, unless they exceed `WAYS.pool_entries`."""
        if run.a["st"][r.KEPT] > WAYS.pool_entries:
            return
        self.terms = run.terms
        self._arrays = {name: run.a[name].copy() for name in _ARRAYS}
        self._state = [int(run.a["st"][place]) for place in _STATE]
        self._places = run.places.copy(), run.pairs.copy()
        self._epoch += 1


class Table(Record, slots=False):
    """A query with its bound variables and its output variables: the key of a table of answers."""

    query: Query
    bound: tuple[int, ...]
    wanted: tuple[int, ...]

    @cached_property
    def sorts(self) -> list[TypeSort]:
        """The sorts of the query's variables."""
        return [sort_of(kind) for kind in self.query.types]

    @cached_property
    def kept_rows(self) -> Callable[..., list[tuple[Any, ...]]]:
        """Rows by the values bound, kept from run to run, whatever the grammar: for queries about values."""
        query, bound, wanted = self.query, self.bound, self.wanted

        def rows(*values: m.Value) -> list[tuple[Any, ...]]:
            return list(query.rows(dict(zip(bound, values, strict=True)), wanted, 0, None))

        return lru_cache(WAYS.kept_answers)(rows)


class Answers:
    """The answers to a program's queries for one sentence.

    Parameters
    ----------
    tables : the queries.
    n, grammar : the last position and the grammar of the sentence.
    terms : values by number.

    Attributes
    ----------
    found : the lasting answers computed so far.
    """

    def __init__(self, tables: Sequence[Table], n: int, grammar: Any, terms: Terms) -> None:
        self.tables, self.n, self.grammar, self.terms = tables, n, grammar, terms
        self.found = 0

    def rows(self, table: int, key: Sequence[int]) -> tuple[int, list[int]]:
        """Return the number of rows, and the rows one after the other.

        Parameters
        ----------
        table : the number of the query.
        key : the values that are bound, and further ones that are ignored.

        Raises
        ------
        OutsideTables : a list is too long.
        """
        asked = self.tables[table]
        value, number, sorts = self.terms.value, self.terms.number, asked.sorts
        bound = [value(sorts[k], x) for k, x in zip(asked.bound, key, strict=False)]
        if asked.query.is_about_values:
            rows = asked.kept_rows(*bound)
        else:
            known = dict(zip(asked.bound, bound, strict=True))
            rows = list(asked.query.rows(known, asked.wanted, self.n, self.grammar))
        if any(isinstance(x, tuple) and len(x) > REFUSALS.list_elements for row in rows for x in row):
            raise OutsideTables(f"lists of more than {REFUSALS.list_elements:,} elements")
        self.found += asked.query.is_lasting
        columns = [sorts[k] for k in asked.wanted]
        return len(rows), [number(sort, x) for row in rows for sort, x in zip(columns, row, strict=True)]

    def of_words(self) -> Iterator[tuple[int, list[tuple[int, ...]]]]:
        """Yield the answers about words: a table, and by position the rows, each of one number."""
        symbol = cache(partial(self.terms.number, "symbol"))
        for number, table in enumerate(self.tables):
            if table.bound == (table.query.word,):
                rows: list[list[int]] = [[] for _ in range(self.n + 2)]
                for position, category in self.grammar.relations["category"].rows(FREE, FREE):
                    rows[position].append(symbol(category))
                yield number, list(map(tuple, rows))


class Lists:
    """The lists and sequences of labels of a run as values: their numbers are the kernel's.

    Parameters
    ----------
    run : the run.
    labels : the labels of the sentence; None if no query is about labels.
    """

    def __init__(self, run: AgendaRun, labels: LabelTables | None) -> None:
        self.run, self.labels = run, labels
        self._values: dict[tuple[m.Type, int], tuple[Any, ...]] = {}

    def has(self, kind: m.Type) -> bool:
        """Whether values of a type are numbered here."""
        return is_list(kind) or (self.labels is not None and is_labels(kind))

    def number(self, kind: m.Type, value: Any, make: bool = True) -> int | None:
        """Return the number of a value; without `make`, None if it has no number.

        Raises
        ------
        OutsideTables : a part of a tuple in the list is too large.
        """
        if self.labels is not None and is_labels(kind):
            return self._sequence(self.labels, value, make)
        run, here = self.run, 0
        for element in value:
            number = packed(kind, element, run.terms.number)
            if number is None:
                if not make:
                    return None
                raise OutsideTables(LARGE)
            if not make:
                here = int(run.module["longer"](run.sized(), run.a["PK"], run.a["CH"], here, number))
                if here == 0:
                    return None
                continue
            here = run.numbered("push", ("LI", "LE", "LN", "PK", "CH"), here, number)
        return here

    def _sequence(self, labels: LabelTables, text: str, make: bool) -> int | None:
        """Return the number of a sequence of labels."""
        run, size = self.run, labels.size
        stretch = labels.stretch(text, make)
        if labels.size != size:
            run.a["LB"] = run.array_of("LB", labels.array())
        if stretch is None or isinstance(stretch, int):
            return stretch
        if not make:
            key = run.a["PK"], run.slots("pairs"), *stretch
            return 0 if stretch == (0, 0, 0) else int(run.module["pairs_at"](*key)) or None
        return run.numbered("sequence", ("LI", "LE", "LN", "PK"), *stretch)

    def value(self, kind: m.Type, number: int) -> Any:
        """Return the value that has a number."""
        if self.labels is not None and is_labels(kind):
            if number < 0:
                return self.labels.token(number)
            a = self.run.a
            return self.labels.text(int(a["LI"][number]), int(a["LN"][number]), int(a["LE"][number]))
        elements, here = [], number
        while here and (kind, here) not in self._values:
            elements.append(unpacked(kind, int(self.run.a["LE"][here]), self.run.terms.value))
            here = int(self.run.a["LI"][here])
        if elements:
            self._values[kind, number] = (*(self._values[kind, here] if here else ()), *reversed(elements))
        return self._values[kind, number] if number else ()
