"""Words as dictionaries write them: subscripts, idioms, and the names with a meaning of their own.

``saw.v`` is the word *saw* with the subscript ``v``: it is found for the token ``saw``, and the subscript
only tells the entries of one word apart. A point at the end, or before a digit, is part of the word.
"""

from __future__ import annotations

__all__ = [
    "IDIOM",
    "LEFT_WALL",
    "RIGHT_WALL",
    "UNKNOWN_WORDS",
    "full_name",
    "is_idiom",
    "parts_of_idiom",
    "split_subscript",
]

LEFT_WALL = "LEFT-WALL"
RIGHT_WALL = "RIGHT-WALL"
UNKNOWN_WORDS = ("<UNKNOWN-WORD>", "UNKNOWN-WORD")
IDIOM = "I"
"""The subscript of the parts of idioms."""


def split_subscript(word: str) -> tuple[str, str]:
    """Return a word without its subscript, and the subscript.

    >>> split_subscript("saw.v"), split_subscript("z.1"), split_subscript("Dr.")
    (('saw', 'v'), ('z.1', ''), ('Dr.', ''))
    """
    at = word.rfind(".")
    after = word[at + 1 : at + 2]
    if at <= 0 or not after or not after.isascii() or after.isdigit():
        return word, ""
    return word[:at], word[at + 1 :]


def full_name(word: str, subscript: str) -> str:
    """Return a word with its subscript as one text."""
    return f"{word}.{subscript}" if subscript else word


def is_idiom(word: str) -> bool:
    """Whether a word without subscript is an idiom, several words joined by underscores.

    >>> [is_idiom(word) for word in ("kind_of", "_", "cat")]
    [True, False, False]
    """
    return any(word[at] == "_" and word[at - 1] != "\\" for at in range(1, len(word)))


def parts_of_idiom(word: str) -> list[str] | None:
    """Return the words of an idiom, or None if one of them is empty."""
    parts = word.split("_")
    return parts if all(parts) else None
