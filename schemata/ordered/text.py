"""Kernel text that all ordered kernels have: terms, tests and table places; sums, and a set of instances.

No name of a schema gets into the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from schemata.kernels import runtime
from schemata.kernels.text import condition_text, term_text
from schemata.machine.text import with_numbers, with_types
from schemata.ordered.plan import SYMBOLS
from schemata.program.linear import Affine, AnyOf, Asks, Linear, Provided, Test
from schemata.program.model import Program

STOP, LIMIT, TURN, FOUND, SET_PLACES, CELLS, HALT = range(7)  # entries of control
SET_FULL, MANY_WRITINGS, CELLS_FULL = 3, 4, 5  # why a kernel stopped
MOST_WRITINGS = 64

_FUNCTIONS = '''
def total(counts, size):
    """Return the sum of all counts."""
    x = 0
    for k in range(0, size):
        x += counts[k]
    return x


def full(at, ends, size):
    """Return whether no rule has room for more rows."""
    for k in range(0, size):
        if at[k] < ends[k]:
            return 0
    return 1


def fresh_pair(found, a, b, control):
    """Return whether (a, b) is new among what was found in this turn."""
    mask = control[SET_PLACES] - 1
    h = (a * 0x9E3779B97F4A7C1 + b * 0xC2B2AE3D27D4EB5) & 0x7FFFFFFFFFFFFFFF
    h = (h ^ (h >> 31)) & mask
    while found[h * {width}] == control[TURN]:
        if found[h * {width} + 1] == a and found[h * {width} + 2] == b:
            return 0
        h = (h + 1) & mask
    if control[FOUND] * 2 > mask:
        control[STOP] = SET_FULL
        return 0
    found[h * {width}] = control[TURN]
    found[h * {width} + 1] = a
    found[h * {width} + 2] = b
    control[FOUND] += 1
    return 1


def fresh(found, key, size, control):
    """Return the same as `fresh_pair`, for longer keys."""
    mask = control[SET_PLACES] - 1
    h = size
    for k in range(0, size):
        h = (h * 1000003 + key[k]) & 0x3FFFFFFFFFFFFFF
    h = (h ^ (h >> 29)) & mask
    while found[h * {width}] == control[TURN]:
        same = found[h * {width} + 1] == -size
        for k in range(0, size):
            same &= found[h * {width} + k + 2] == key[k]
        if same != 0:
            return 0
        h = (h + 1) & mask
    if control[FOUND] * 2 > mask:
        control[STOP] = SET_FULL
        return 0
    found[h * {width}] = control[TURN]
    found[h * {width} + 1] = -size
    for k in range(0, size):
        found[h * {width} + k + 2] = key[k]
    control[FOUND] += 1
    return 1
'''


def finished(text: str, set_width: int, arrays: Mapping[str, str]) -> str:
    """Return kernel text with these functions before it, constants as numbers and parameters with their types.

    Parameters
    ----------
    text : the kernel's own functions.
    set_width : the numbers of an entry of the set of instances.
    arrays : the types of arrays by name.
    """
    whole = _FUNCTIONS.replace("{width}", str(set_width)).lstrip("\n") + text
    of_functions = dict.fromkeys(("counts", "at", "ends"), "i64[]")
    return with_types(with_numbers(with_numbers(whole, globals()), vars(runtime)), {**of_functions, **arrays})


@dataclass(frozen=True, slots=True)
class Names:
    """What variables are called in the text, and how the tables are laid out.

    `layouts` is, by kind, the order of its columns in the table, the innermost last.
    """

    program: Program
    variables: Mapping[str, str]
    layouts: Sequence[Sequence[int]]

    def with_variables(self, more: Mapping[str, str]) -> Names:
        """Return the names with further variables."""
        return Names(self.program, {**self.variables, **more}, self.layouts)

    def term(self, term: Affine) -> str:
        """Return a linear term."""
        return term_text(term, {SYMBOLS: "S", **self.variables}, self.program.symbols)

    def holds(self, terms: Iterable[Affine]) -> list[str]:
        """Return the tests that terms are at least 0."""
        return [self.test(Linear(">=", term)) for term in terms]

    def place(self, kind: int, terms: Sequence[Affine]) -> str:
        """Return the place of an item in its kind's table."""
        columns = self.program.kinds[kind].columns
        text = ""
        for k in self.layouts[kind]:
            part = self.term(terms[k])
            whole = text if text.isidentifier() else f"({text})"
            text = f"{whole} * {'S' if columns[k].sort == 'symbol' else 'N'} + {part}" if text else part
        return text or "0"

    def test(self, test: Test) -> str:
        """Return a test as an expression that is 0 or False where it fails."""
        match test:
            case Linear() | AnyOf():
                return condition_text(test, {SYMBOLS: "S", **self.variables}, self.program.symbols)
            case Provided():
                return test.place(self.term, "S")
            case Asks():
                raise TypeError("programs with an order ask no queries")

    def range(self, lows: Iterable[Sequence[Affine]], highs: Iterable[Sequence[Affine]]) -> str:
        """Return the range from the least of the beginnings to the greatest of the ends.

        A beginning is the greatest of several terms, an end the least.
        """
        low = _one_of("min", [_one_of("max", map(self.term, row)) for row in lows])
        end = _one_of("max", [_one_of("min", [self.term(term + 1) for term in row]) for row in highs])
        return f"range({low}, {end})"


def _one_of(which: str, texts: Iterable[str]) -> str:
    rows = list(dict.fromkeys(texts))
    return rows[0] if len(rows) == 1 else f"{which}({', '.join(rows)})"


def when(tests: Sequence[str]) -> list[str]:
    """Return tests as the head of one `if`; nothing where there are none."""
    return [f"if {' and '.join(dict.fromkeys(tests))}:"] if tests else []
