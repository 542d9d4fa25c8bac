"""Kernel text: lines at a depth of indentation, and linear terms and tests in it."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence

from schemata.program.linear import Affine, AnyOf, Linear


class Lines:
    """Text that grows line by line; `open` begins a block, `close` ends the last ones."""

    def __init__(self, depth: int = 0) -> None:
        self.text: list[str] = []
        self.depth = depth

    def line(self, text: str) -> None:
        """Add a line."""
        self.text.append("    " * self.depth + text)

    def open(self, text: str) -> None:
        """Add a line that begins a block."""
        self.line(text)
        self.depth += 1

    def close(self, blocks: int = 1) -> None:
        """End blocks."""
        self.depth -= blocks

    def add(self, other: Lines) -> None:
        """Add the lines of another, moved to this depth."""
        self.text += [("    " * self.depth + t) if t else t for t in other.text]


def with_numbers(text: str, constants: Mapping[str, object]) -> str:
    """Return kernel text with the whole numbers that names in capitals stand for in their place."""

    def number(found: re.Match[str]) -> str:
        value = constants.get(found[0])
        return str(value) if isinstance(value, int) else found[0]

    return re.sub(r"\b[A-Z][A-Z_]*\b", number, text)


def with_types(text: str, arrays: Mapping[str, str]) -> str:
    """Return kernel text whose functions say the types of their parameters; those that are no arrays are numbers."""

    def typed(found: re.Match[str]) -> str:
        shown = [f'{name}: "{arrays.get(name, "int")}"' for name in found[2].split(", ")]
        return f'def {found[1]}({", ".join(shown)}) -> "int":'

    return re.sub(r"(?m)^def (\w+)\((.*)\):$", typed, text)


def filled(template: str, **holes: object) -> str:
    """Return a template with its holes filled; one alone on its line with lines as deep as it stands.

    >>> print(filled("for k in {range}:\\n    {body}\\nreturn x", range="range(n)", body="x += 1\\nx += k"))
    for k in range(n):
        x += 1
        x += k
    return x
    """

    def lines(found: re.Match[str]) -> str:
        text = str(holes[found[2]]).strip("\n")
        return textwrap.indent(text, found[1]) + "\n" if text else ""

    text = re.sub(r"(?m)^( *)\{(\w+)\}\n", lines, template)
    return re.sub(r"\{(\w+)\}", lambda found: str(holes[found[1]]), text)


def nested(lines: Iterable[str]) -> str:
    """Return text from lines, or longer pieces; what follows a line that ends with a colon stands inside it.

    >>> print(nested(["x = 0", "for k in range(n):", "if A[k] != 0:", "x += 1"]))
    x = 0
    for k in range(n):
        if A[k] != 0:
            x += 1
    """
    depth, found = 0, list[str]()
    for line in (line.strip("\n") for line in lines):
        if line:
            found.append(textwrap.indent(line, "    " * depth))
            depth += line.endswith(":")
    return "\n".join(found)


def term_text(term: Affine, names: Mapping[str, str], symbols: Sequence[str] = ()) -> str:
    """Return a term; `names` are the locals of variables (``n`` stays), symbol constants become their number."""
    constant = term.constant
    text = ""
    for x, k in term.terms:
        if x.startswith("'"):
            constant += k * symbols.index(x[1:-1])
            continue
        name = "n" if x == "n" else names[x]
        sign = ("-" if k < 0 else "") if not text else (" - " if k < 0 else " + ")
        text += sign + (name if abs(k) == 1 else f"{abs(k)} * {name}")
    if not text:
        return str(constant)
    return text + (f" {'-' if constant < 0 else '+'} {abs(constant)}" if constant else "")


def linear_text(test: Linear, names: Mapping[str, str], symbols: Sequence[str] = ()) -> str:
    """Return a linear test as a comparison with what is positive on the one side, negative on the other."""
    positive = Affine.of(max(test.left.constant, 0), ((x, k) for x, k in test.left.terms if k > 0))
    negative = Affine.of(max(-test.left.constant, 0), ((x, -k) for x, k in test.left.terms if k < 0))
    return f"{term_text(positive, names, symbols)} {test.relation} {term_text(negative, names, symbols)}"


def condition_text(test: Linear | AnyOf, names: Mapping[str, str], symbols: Sequence[str] = ()) -> str:
    """Return a linear test, or a disjunction in parentheses."""
    if isinstance(test, Linear):
        return linear_text(test, names, symbols)
    return f"({any_of_text(test, names, symbols)})"


def any_of_text(test: AnyOf, names: Mapping[str, str], symbols: Sequence[str] = ()) -> str:
    """Return a disjunction of conjunctions."""
    options = (" and ".join(linear_text(t, names, symbols) for t in option) for option in test.options)
    return " or ".join(f"({option})" for option in options)
