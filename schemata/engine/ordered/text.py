"""Linear terms, tests and table places as text of a kernel; no name of a schema gets into the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from schemata.engine.ordered.plan import SYMBOLS
from schemata.program.linear import Affine, AnyOf, Asks, CategoryLicence, CategoryOf, Licence, Linear, Test
from schemata.program.model import Program

__all__ = ["Names", "bound_text", "is_branch_free"]


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
