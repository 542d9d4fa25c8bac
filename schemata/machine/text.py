"""Kernel text: lines at a depth of indentation, templates with holes, constants and types, hash tables."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

_TEST = re.compile("if (.*):")
LOOPS, LEVELS = 15, 90  # of a part of a function; Python takes 20 and 100 in all
FACTORS = 7046029254386353131, 2971215073987262029, 5871781006564002453, 3935559000370003845


class Nest:
    """Text that grows inwards: what is added stands inside the loop or test with which the piece before it ends."""

    def __init__(self) -> None:
        self.pieces: list[str] = []

    def __str__(self) -> str:
        return nested(self.pieces)

    def add(self, template: str, **holes: object) -> None:
        """Add a line, or a longer piece with holes filled."""
        self.pieces.append(filled(template, **holes) if holes else template)


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

    text = ""
    for margin, hole, literal in _pieces(template):
        value = str(holes[hole]) if hole else ""
        if margin is None:
            text += value + literal
        else:
            value = value.strip("\n")
            text += (textwrap.indent(value, margin) + "\n" + literal) if value else literal
    return text


@cache
def _pieces(template: str) -> Sequence[tuple[str | None, str, str]]:
    """Return a template as holes, each with the text behind it; with a margin where one is alone on its line."""
    pieces: list[tuple[str | None, str, str]] = []
    margin, hole, end = None, "", 0
    for found in re.finditer(r"(?m)^( *)\{(\w+)\}\n|\{(\w+)\}", template):
        pieces.append((margin, hole, template[end : found.start()]))
        margin, hole, end = found[1], found[2] or found[3], found.end()
    return [*pieces, (margin, hole, template[end:])]


def nested(lines: Iterable[str]) -> str:
    """Return text from lines, or longer pieces; what follows a line that ends with a colon stands inside it.

    Tests in a row are made one, since Python has at most 100 levels of indentation.

    >>> print(nested(["x = 0", "for k in range(n):", "if A[k] != 0:", "if k < 3 or k > 7:", "x += 1"]))
    x = 0
    for k in range(n):
        if A[k] != 0 and (k < 3 or k > 7):
            x += 1
    """
    margin, text = "", list[str]()
    before: str | None = None
    for line in (line.strip("\n") for line in lines):
        if line:
            test = _TEST.fullmatch(line)
            if test is not None and before is not None:
                before = f"{before} and {_operand(test[1])}"
                text[-1] = f"{margin[4:]}if {before}:"
                continue
            before = test and _operand(test[1])
            text.append(margin + line.replace("\n", "\n" + margin))
            if line.endswith(":"):
                last = line.rpartition("\n")[2]
                margin += " " * (len(last) - len(last.lstrip()) + 4)
    return "\n".join(text)


def one_of(which: str, texts: Iterable[str]) -> str:
    """Return the least or the greatest of numbers in code, `min` or `max`."""
    rows = list(dict.fromkeys(texts))
    return rows[0] if len(rows) == 1 else f"{which}({', '.join(rows)})"


def _operand(test: str) -> str:
    return f"({test})" if " or " in test or " if " in test else test


def is_too_deep(text: str) -> bool:
    """Whether a part of a function has more loops in one another, or levels of indentation, than Python takes.

    >>> is_too_deep("\\n".join(" " * k + "for x in range(n):" for k in range(20)))
    True
    """
    around: list[tuple[int, bool]] = []
    for line in text.splitlines():
        code = line.lstrip()
        while around and around[-1][0] >= len(line) - len(code):
            around.pop()
        if len(around) > LEVELS or sum(is_loop for _, is_loop in around) > LOOPS:
            return True
        if code.endswith(":"):
            around.append((len(line) - len(code), code.startswith(("for ", "while "))))
    return False


def hash_table(name: str, words: int, bounded: bool = False) -> str:
    """Return the text of a hash table from keys of so many words to numbers above 0; its sums wrap."""
    large = " or ".join(f"(k{k} + 2147483648) >> 32 != 0" for k in range(1, words))
    too_large = (
        f"        if {large}:\n            st[TOO_LARGE] = 1\n            return 0\n" if bounded else ""
    )
    names = [f"k{k}" for k in range(words)]
    keys = ", ".join(names)
    mixed = " ^ ".join(f"({x} * {FACTORS[k % 4] + 2 * k})" for k, x in enumerate(names))
    same = " and ".join(f"K[p * {words} + {k}] == {x}{' + 1' if k == 0 else ''}" for k, x in enumerate(names))
    noted = "".join(
        f"        K[p * {words} + {k}] = {x}{' + 1' if k == 0 else ''}\n" for k, x in enumerate(names)
    )
    first = "\n".join(
        f"            k{k} = K[p * {words} + {k}]{' - 1' if k == 0 else ''}" for k in range(words)
    )
    return f'''
def slot_of_{name}(K, slots, {keys}):
    """Return the slot of a key in a hash table, or of the empty slot where it belongs."""
    h = {mixed}
    p = (h >> 32) & (slots - 1)
    while K[p * {words}] != 0 and not ({same}):
        p = (p + 1) & (slots - 1)
    return p


@apart
def {name}_at(K, V, slots, {keys}):
    """Return the number of a key, 0 where it has none."""
    p = slot_of_{name}(K, slots, {keys})
    if K[p * {words}] == 0:
        return 0
    return V[p]


@apart
def {name}_enter(st, K, V, count, room, {keys}, value):
    """Give a key a number; 0 where the table is too full. Its state has the used and all slots at these places."""
    p = slot_of_{name}(K, st[room], {keys})
    if K[p * {words}] == 0:
        if 2 * (st[count] + 1) > st[room]:
            return 0
{too_large}{noted}        st[count] += 1
    V[p] = value
    return 1


@apart
def {name}_again(K, V, slots, K2, V2, more):
    """Copy a hash table of so many slots into a larger one, which is empty."""
    for p in range(slots):
        if K[p * {words}] != 0:
{first}
            q = slot_of_{name}(K2, more, {keys})
            for w in range({words}):
                K2[q * {words} + w] = K[p * {words} + w]
            V2[q] = V[p]
'''
