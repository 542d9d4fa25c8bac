"""How much room text takes in a terminal: columns of wide and combining characters, and unprintable ones."""

from __future__ import annotations

import unicodedata

__all__ = ["clusters", "printable", "text_width"]

# What would move the cursor, reorder the line, or cannot stand in a text file at all.
_BARRED = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufffe\uffff")


def printable(text: str) -> str:
    """Return the text with tabs as blanks and control characters replaced.

    >>> printable("a\\tb\\x1b")
    'a b\ufffd'
    """
    if text.isprintable():
        return text
    return "".join(" " if c == "\t" else "\ufffd" if _is_barred(c) else c for c in text)


def _is_barred(character: str) -> bool:
    return character in _BARRED or unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"}


def text_width(text: str) -> int:
    """Return the number of terminal columns of printable text.

    >>> text_width("猫 e\u0301")
    4
    """
    if text.isascii():
        return len(text)
    from wcwidth import wcswidth

    return max(0, wcswidth(text))


def clusters(text: str) -> list[tuple[str, int]]:
    """Return the text in pieces that cannot be cut, each with its columns; marks stay with their letter.

    >>> clusters("e\u0301猫")
    [('e\u0301', 1), ('猫', 2)]
    """
    pieces: list[tuple[str, int]] = []
    start, columns = 0, 0
    for end in range(1, len(text) + 1):
        grown = text_width(text[start:end])
        if grown > columns and columns:
            pieces.append((text[start : end - 1], columns))
            start = end - 1
            grown = text_width(text[start:end])
        columns = grown
    return [*pieces, (text[start:], columns)] if text else []
