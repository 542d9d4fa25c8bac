"""What D-rules provide, as the tables that kernels look at."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from schemata.program.linear import CategoryLicence, CategoryOf
from schemata.program.model import Program

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from schemata.grammars.licences import Licences

__all__ = ["GrammarTables", "grammar_tables"]


class GrammarTables:
    """The licences of a sentence as tables.

    Attributes
    ----------
    symbols : symbols by number; first those of the program, then the sentence's categories.
    licences : bytes, shape (n + 1) * (n + 1): whether word d may hang under node h, at d * (n + 1) + h.
    categories : the category of each word by number, shape (n + 1,); -1 for node 0.
    category_licences : bytes, shape symbols * symbols.
    """

    def __init__(self, program: Program, licences: Licences) -> None:
        n = licences.n
        self.symbols: tuple[str, ...] = program.symbols
        self.licences = _licences(licences)
        self.categories: NDArray[np.int32] = np.full(n + 1, -1, np.int32)
        self.category_licences: NDArray[np.uint8] = np.zeros(1, np.uint8)
        if any(isinstance(t, CategoryOf | CategoryLicence) for rule in program.rules for t in rule.tests):
            categories = licences.categories
            found = dict.fromkeys((*program.symbols, *(c for row in categories.values() for c in row)))
            self.symbols = tuple(found)
            numbers = {symbol: k for k, symbol in enumerate(self.symbols)}
            for word, row in categories.items():
                self.categories[word] = numbers[row[0]]
            self.category_licences = np.zeros(len(numbers) ** 2, np.uint8)
            for dependent, head in licences.category_pairs:
                self.category_licences[numbers[dependent] * len(numbers) + numbers[head]] = 1


def grammar_tables(program: Program, licences: Licences) -> GrammarTables:
    """Return a sentence's licences as tables."""
    return GrammarTables(program, licences)


def _licences(licences: Licences) -> NDArray[np.uint8]:
    if licences.is_complete:
        return _all(licences.n)
    n = licences.n
    table = np.zeros((n + 1) * (n + 1), np.uint8)
    if licences.pairs:
        pairs = np.array(list(licences.pairs), np.int64)
        table[pairs[:, 0] * (n + 1) + pairs[:, 1]] = 1
    return table


@lru_cache(maxsize=8)
def _all(n: int) -> NDArray[np.uint8]:
    table = np.ones((n + 1, n + 1), np.uint8)
    table[0, :] = 0
    np.fill_diagonal(table, 0)
    flat = table.ravel()
    flat.flags.writeable = True
    return flat
