"""Kernel text that all ordered kernels have: terms, tests and table places; sums, and a set of instances.

No name of a schema gets into the text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from schemata.ordered.plan import SYMBOLS
from schemata.program.linear import Affine, AnyOf, Asks, CategoryLicence, CategoryOf, Licence, Linear, Test
from schemata.program.model import Program


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

    def name(self, variable: str) -> str:
        """Return what a variable is called."""
        if variable == "n":
            return "n"
        if variable == SYMBOLS:
            return "S"
        if variable.startswith("'"):
            return f"Y[{self.program.symbols.index(variable[1:-1])}]"
        return self.variables[variable]

    def term(self, term: Affine) -> str:
        """Return a linear term."""
        text = ""
        for x, k in term.terms:
            sign = ("-" if k < 0 else "") if not text else (" - " if k < 0 else " + ")
            text += sign + (self.name(x) if abs(k) == 1 else f"{abs(k)} * {self.name(x)}")
        if not text:
            return str(term.constant)
        return text + (f" {'-' if term.constant < 0 else '+'} {abs(term.constant)}" if term.constant else "")

    def place(self, kind: int, terms: Sequence[Affine]) -> str:
        """Return the place of an item in its kind's table."""
        columns = self.program.kinds[kind].columns
        text = ""
        for k in self.layouts[kind]:
            part = self.term(terms[k])
            if not text:
                text = part
            else:
                size = "S" if columns[k].sort == "symbol" else "N"
                text = f"({text}) * {size} + {part}"
        return text or "0"

    def test(self, test: Test) -> str:
        """Return a test as an expression that is 0 or False where it fails."""
        match test:
            case Linear(relation, left):
                return f"{self.term(left)} {relation} 0"
            case AnyOf(options):
                shown = [" and ".join(f"({self.test(t)})" for t in option) for option in options]
                return "(" + " or ".join(f"({text})" for text in shown) + ")"
            case Licence(dependent, head):
                return f"D[({self.term(dependent)}) * (n + 1) + {self.term(head)}]"
            case CategoryOf(word, category):
                return f"C[{self.term(word)}] == {self.term(category)}"
            case CategoryLicence(dependent, head):
                return f"L[({self.term(dependent)}) * S + {self.term(head)}]"
            case Asks():
                raise TypeError("programs with an order ask no queries")

    def names_in(self, test: Test) -> set[str]:
        """Return the variables that a test is about."""
        match test:
            case Linear(_, left):
                terms = [left]
            case AnyOf(options):
                terms = [t.left for option in options for t in option]
            case Licence(a, b) | CategoryOf(a, b) | CategoryLicence(a, b):
                terms = [a, b]
        return {x for term in terms for x in term.names}


def is_branch_free(test: Test) -> bool:
    """Whether a test's expression is a byte of a table."""
    return not isinstance(test, Linear | AnyOf | CategoryOf)


def bound_text(names: Names, bounds: Sequence[Affine], choose: str) -> str:
    """Return the greatest or least of several bounds."""
    shown = [names.term(b) for b in bounds]
    return shown[0] if len(shown) == 1 else f"{choose}({', '.join(shown)})"


_HELPERS = """
def total(counts: "i64[]", size: "int") -> "int":
    x = 0
    for k in range(0, size):
        x += counts[k]
    return x


def full(at: "i64[]", ends: "i64[]", size: "int") -> "int":
    for k in range(0, size):
        if at[k] < ends[k]:
            return 0
    return 1


def fresh_pair(found: "i64[]", a: "int", b: "int", control: "i64[]") -> "int":
    # whether (a, b) is new among what was found since control[2] last changed; control[3] counts what was
    mask = control[4] - 1
    h = (a * 0x9E3779B97F4A7C1 + b * 0xC2B2AE3D27D4EB5) & 0x7FFFFFFFFFFFFFFF
    h = (h ^ (h >> 31)) & mask
    while found[h * WIDTH] == control[2]:
        if found[h * WIDTH + 1] == a and found[h * WIDTH + 2] == b:
            return 0
        h = (h + 1) & mask
    if control[3] * 2 > mask:
        control[0] = 3
        return 0
    found[h * WIDTH] = control[2]
    found[h * WIDTH + 1] = a
    found[h * WIDTH + 2] = b
    control[3] += 1
    return 1


def fresh(found: "i64[]", key: "i64[]", size: "int", control: "i64[]") -> "int":
    # as fresh_pair, for longer keys
    mask = control[4] - 1
    h = size
    for k in range(0, size):
        h = (h * 1000003 + key[k]) & 0x3FFFFFFFFFFFFFF
    h = (h ^ (h >> 29)) & mask
    while found[h * WIDTH] == control[2]:
        same = found[h * WIDTH + 1] == -size
        for k in range(0, size):
            same &= found[h * WIDTH + k + 2] == key[k]
        if same != 0:
            return 0
        h = (h + 1) & mask
    if control[3] * 2 > mask:
        control[0] = 3
        return 0
    found[h * WIDTH] = control[2]
    found[h * WIDTH + 1] = -size
    for k in range(0, size):
        found[h * WIDTH + k + 2] = key[k]
    control[3] += 1
    return 1
"""


def runtime_text(width: int) -> str:
    """Return the functions; an entry of the set has `width` numbers."""
    return _HELPERS.replace("WIDTH", str(width)).strip()
