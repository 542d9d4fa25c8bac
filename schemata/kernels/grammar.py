"""The grammar of a sentence as tables for kernels, and the numbers of its symbols."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from schemata.grammars.relations import FREE, SIGNATURES, TABLES, Relation
from schemata.program.linear import Provided
from schemata.program.model import Program
from schemata.program.queries import Terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["GrammarTables"]


class GrammarTables:
    """The tables in which a program's tests look up a sentence's grammar, as bytes and as arrays.

    Parameters
    ----------
    program : the program whose tests read them; tables that it does not test are empty.
    n : the last position.
    grammar : the grammar of the sentence.

    Attributes
    ----------
    terms : values by number; symbols of the program come before those in the relations that are tested.
    """

    def __init__(self, program: Program, n: int, grammar: Any) -> None:
        self.n = n
        tests = [t for rule in program.rules for t in rule.tests]
        tests += [t for clause in (*program.finals, *program.hypotheses) for t in clause.asks]
        names = {test.relation for test in tests if isinstance(test, Provided)}
        self._relations: list[Relation] = [grammar.relations[name] for name in SIGNATURES if name in names]
        self.terms = Terms(program.symbols)
        for relation in self._relations:
            if "symbol" in relation.sorts:
                for row in relation.rows(*[FREE] * len(relation.sorts)):
                    self._numbers(relation, row)

    @property
    def symbols(self) -> Sequence[str]:
        """The symbols by number."""
        return self.terms.all("symbol")

    @cached_property
    def lists(self) -> Mapping[str, bytes]:
        """The tables by their names in kernel text, in the order of a kernel's arguments."""
        return dict.fromkeys(TABLES, b"\0") | {
            SIGNATURES[relation.name].table: self._table(relation) for relation in self._relations
        }

    @cached_property
    def arrays(self) -> Mapping[str, NDArray[np.uint8]]:
        """`lists` as arrays."""
        import numpy as np

        return {name: np.frombuffer(bytearray(table), np.uint8) for name, table in self.lists.items()}

    def _table(self, relation: Relation) -> bytes:
        if relation.table is not None:
            return relation.table()
        sizes = [len(self.symbols) if sort == "symbol" else self.n + 1 for sort in relation.sorts]
        table = bytearray(math.prod(sizes))
        for row in relation.rows(*[FREE] * len(sizes)):
            place = 0
            for size, number in zip(sizes, self._numbers(relation, row), strict=True):
                place = place * size + number
            table[place] = 1
        return bytes(table)

    def _numbers(self, relation: Relation, row: Sequence[Any]) -> list[int]:
        symbols = ("symbol" if sort == "symbol" else "position" for sort in relation.sorts)
        return [self.terms.number(sort, value) for sort, value in zip(symbols, row, strict=True)]
