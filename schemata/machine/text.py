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
    """Text that grows inwards: each added piece stands inside the loop or test that ends the piece before it."""

    def __init__(self) -> None:
        self.pieces: list[str] = []

    def __str__(self) -> str:
        return nested(self.pieces)

    def add(self, template: str, **holes: object) -> None:
        """Add a line, or a longer piece with holes filled."""
        self.pieces.append(filled(template, **holes) if holes else template)


def with_numbers(text: str, constants: Mapping[str, object]) -> str:
    """Return kernel text in which whole numbers replace the names in capitals that stand for them."""

    def number(found: re.Match[str]) -> str:
        value = constants.get(found[0])
        return str(value) if isinstance(value, int) else found[0]

    return re.sub(r"\b[A-Z][A-Z_]*\b", number, text)


def with_types(text: str, arrays: Mapping[str, str]) -> str:
    """Return kernel text whose functions state the types of their parameters; those that are not arrays are numbers."""

    def typed(found: re.Match[str]) -> str:
        shown = [f'{name}: "{arrays.get(name, "int")}"' for name in found[2].split(", ")]
        return f'def {found[1]}({", ".join(shown)}) -> "int":'

    return re.sub(r"(?m)^def (\w+)\((.*)\):$", typed, text)


def filled(template: str, **holes: object) -> str:
    """Return a template with its holes filled; a hole alone on its line takes lines, indented as it is.

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
    """Return text from lines, or longer pieces; lines after one that ends with a colon stand inside it.

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
    """Return the text of a hash table from keys of so many words to numbers above 0; its sums wrap.

    A row has the first word of a key plus 1, the others, and the number, side by side in memory.
    """
    large = " or ".join(f"(k{k} + 2147483648) >> 32 != 0" for k in range(1, words))
    too_large = f"if {large}:\n    st[TOO_LARGE] = 1\n    return 0" if bounded and large else ""
    keys = [f"k{k}" for k in range(words)]
    row = [f"{x} + 1" if x == "k0" else x for x in keys]
    return filled(
        _HASH_TABLE,
        name=name,
        width=words + 1,
        words=words,
        keys=", ".join(keys),
        mixed=" ^ ".join(f"({x} * {FACTORS[k % 4] + 2 * k})" for k, x in enumerate(keys)),
        same=" and ".join(f"K[p + {k}] == {x}" for k, x in enumerate(row)),
        too_large=too_large,
        noted="\n".join(f"K[p + {k}] = {x}" for k, x in enumerate(row)),
        read="\n".join(f"k{k} = K[p + {k}]{' - 1' if k == 0 else ''}" for k in range(words)),
    )


_HASH_TABLE = '''
def slot_of_{name}(K, slots, {keys}):
    """Return where the row of a key is in a hash table, or the empty row where it belongs."""
    h = {mixed}
    q = (h >> 32) & (slots - 1)
    p = q * {width}
    while K[p] != 0 and not ({same}):
        q = (q + 1) & (slots - 1)
        p = q * {width}
    return p


@apart
def {name}_at(K, slots, {keys}):
    """Return the number of a key, 0 where it has none."""
    return K[slot_of_{name}(K, slots, {keys}) + {words}]


@apart
def {name}_enter(st, K, count, room, {keys}, value):
    """Give a key a number; 0 where the table is too full. Its state has the used and all slots at these places."""
    p = slot_of_{name}(K, st[room], {keys})
    if K[p] == 0:
        if 2 * (st[count] + 1) > st[room]:
            return 0
        {too_large}
        {noted}
        st[count] += 1
    K[p + {words}] = value
    return 1


@apart
def {name}_again(K, slots, K2, more):
    """Copy a hash table of so many slots into a larger one, which is empty."""
    for p in range(0, slots * {width}, {width}):
        if K[p] != 0:
            {read}
            q = slot_of_{name}(K2, more, {keys})
            for w in range({width}):
                K2[q + w] = K[p + w]
'''
