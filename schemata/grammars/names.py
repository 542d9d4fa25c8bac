"""Names and word forms of grammars: compared in NFC, and without what no line of a file can hold."""

from __future__ import annotations

import unicodedata

from schemata.errors import UsageError

__all__ = ["checked", "nfc"]


def nfc(text: str) -> str:
    """Return a text in Unicode normal form C, in which all names and words are compared."""
    return unicodedata.normalize("NFC", text)


def checked(text: str, what: str) -> str:
    """Return a name or word form in NFC.

    Parameters
    ----------
    text : the name.
    what : what it is, for the message.

    Raises
    ------
    UsageError : it is empty, or holds a line break or a null character.
    """
    if not text:
        raise UsageError(f"{what} is empty")
    if not {"\n", "\r", "\0"}.isdisjoint(text):
        raise UsageError(f"{what} {text!r} holds a line break or a null character")
    return nfc(text)
