"""Licences of a sentence as the tables that kernels look at, and the numbers of its symbols."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from schemata.program.linear import CategoryLicence, CategoryOf, Licence
from schemata.program.model import Program
from schemata.program.queries import Terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["GrammarTables"]


class GrammarTables:
    """What a program's tests on licences look up for a sentence, as plain lists and as arrays.

    Parameters
    ----------
    program : whose tests they are; what it does not test is not made.
    n : the last position.
    grammar : the sentence's.

    Attributes
    ----------
    terms : values by number; of symbols first those of the program, then the sentence's categories.
    """

    def __init__(self, program: Program, n: int, grammar: Any) -> None:
        self.n, self.grammar = n, grammar
        tests = {type(test) for rule in program.rules for test in rule.tests}
        self._licensed = Licence in tests
        self._categories = bool(tests & {CategoryOf, CategoryLicence})
        self.terms = Terms(program.symbols)
        if self._categories:
            for row in grammar.categories.values():
                for category in row:
                    self.terms.number("symbol", category)

    @property
    def symbols(self) -> Sequence[str]:
        """The symbols by number."""
        return self.terms.all("symbol")

    @cached_property
    def licence_bytes(self) -> bytes:
        """Whether word d may hang under node h, at d * (n + 1) + h."""
        if not self._licensed:
            return b"\0"
        if self.grammar.is_complete:
            return _all(self.n)
        table = bytearray((self.n + 1) ** 2)
        for dependent, head in self.grammar.pairs:
            table[dependent * (self.n + 1) + head] = 1
        return bytes(table)

    @cached_property
    def category_list(self) -> list[int]:
        """The category of each word by number; -1 for node 0."""
        found = [-1] * (self.n + 1)
        if self._categories:
            for word, row in self.grammar.categories.items():
                found[word] = self.terms.number("symbol", row[0])
        return found

    @cached_property
    def category_bytes(self) -> bytes:
        """Whether words of a category may hang under words of another, at dependent * symbols + head."""
        if not self._categories:
            return b"\0"
        size = len(self.symbols)
        table = bytearray(size * size)
        for dependent, head in self.grammar.category_pairs:
            table[self.terms.number("symbol", dependent) * size + self.terms.number("symbol", head)] = 1
        return bytes(table)

    @cached_property
    def licences(self) -> NDArray[np.uint8]:
        """`licence_bytes` as an array."""
        return _array(self.licence_bytes)

    @cached_property
    def categories(self) -> NDArray[np.int32]:
        """`category_list` as an array."""
        import numpy as np

        return np.array(self.category_list, np.int32)

    @cached_property
    def category_licences(self) -> NDArray[np.uint8]:
        """`category_bytes` as an array."""
        return _array(self.category_bytes)


def _array(table: bytes) -> NDArray[np.uint8]:
    import numpy as np

    return np.frombuffer(bytearray(table), np.uint8)


@lru_cache(maxsize=8)
def _all(n: int) -> bytes:
    row = b"".join(bytes(dependent != head for head in range(n + 1)) for dependent in range(1, n + 1))
    return bytes(n + 1) + row
