"""Word files: lists of words that an entry names instead of words, as ``/en/words/words.n.1``.

A dictionary is read from where it lies, and reads nothing else: word files are looked up in its own folder,
by the whole path and, as dictionaries name their folder first, by the path without its first part.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from schemata.errors import GrammarError
from schemata.grammars.link_grammar.tokens import DictionaryError, Token
from schemata.grammars.link_grammar.words import IDIOM, split_subscript
from schemata.grammars.text import read_text

__all__ = ["is_word_file", "words_of_file"]


def is_word_file(token: Token) -> bool:
    """Whether a token among the words of an entry names a word file."""
    return token.kind == "word" and token.text.startswith("/") and token.text[1:2] not in ("", ".")


def words_of_file(folder: Path | None, token: Token) -> list[tuple[str, str]]:
    """Return the words of the file that a token names, each without its subscript, and the subscript.

    Raises
    ------
    DictionaryError : there is no such file, or it cannot be read.
    """
    if folder is None:
        hint = "a dictionary given as text has no folder: write the words before the colon"
        raise DictionaryError(token, "missing-word-file", "word files need a folder", hint=hint)
    parts = PurePosixPath(token.text.lstrip("/")).parts
    if ".." in parts or "\0" in token.text:
        message = f"{token.text} is not in the folder of the dictionary"
        raise DictionaryError(token, "missing-word-file", message, "a path without ..")
    candidates = [folder.joinpath(*parts), *([folder.joinpath(*parts[1:])] if len(parts) > 1 else [])]
    path = next((c for c in candidates if c.is_file()), None)
    if path is None:
        tried = " or ".join(str(c) for c in candidates)
        message = f"there is no word file {token.text}"
        raise DictionaryError(token, "missing-word-file", message, f"a file {tried}")
    if not path.resolve().is_relative_to(folder.resolve()):
        message = f"{token.text} leads out of the folder of the dictionary"
        raise DictionaryError(token, "missing-word-file", message)
    try:
        lines = read_text(path).lines
    except GrammarError as problem:
        first = problem.diagnostics[0]
        message = f"the word file {token.text} cannot be read: {first.message}"
        place = f"look at {first.location}" if first.location else None
        raise DictionaryError(token, "bad-word-file", message, first.expected, place) from problem
    found = [split_subscript(word) for line in lines for word in line.split()]
    if any(subscript == IDIOM for _, subscript in found):
        message = f"{token.text}: the subscript {IDIOM} is kept for the words of idioms"
        raise DictionaryError(token, "bad-word-file", message)
    return found
