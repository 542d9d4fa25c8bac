"""The symbols of context-free rules: categories, and terminals, which stand in double quotes."""

from __future__ import annotations

__all__ = ["MARKS", "is_terminal", "terminal", "word_of"]

MARKS = ("->", "→", "|", ":", ",")
"""The punctuation of ``.cfg`` files; no category holds it."""


def terminal(word: str) -> str:
    """Return the symbol of a terminal: its word in double quotes.

    >>> terminal("up")
    '"up"'
    """
    return f'"{word}"'


def is_terminal(symbol: str) -> bool:
    """Whether a symbol of a rule is a terminal."""
    return len(symbol) > 2 and symbol[0] == symbol[-1] == '"'


def word_of(symbol: str) -> str:
    """Return the word of a terminal."""
    return symbol[1:-1]
