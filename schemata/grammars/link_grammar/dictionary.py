"""A dictionary as read: entries by word, and the definitions that stand beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from schemata.errors import Diagnostic
from schemata.grammars.link_grammar.expressions import Expression
from schemata.grammars.link_grammar.words import IDIOM, full_name

__all__ = ["DEFAULT_CUTOFF", "Dictionary", "Entry"]

DEFAULT_CUTOFF = 2.7
"""The cost cut-off of a dictionary that names none, as in link-parser."""


class Entry(NamedTuple):
    """One entry of a word: its subscript, without the point, and its expression."""

    subscript: str
    expression: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Dictionary:
    """The entries of a dictionary.

    Parameters
    ----------
    entries : the entries of each word, by the word without its subscript. Parts of idioms have the
        subscript ``I``.
    definitions : what ``#define`` lines say.
    warnings : what in it is probably not meant.
    """

    entries: Mapping[str, tuple[Entry, ...]]
    definitions: Mapping[str, str]
    warnings: tuple[Diagnostic, ...] = ()

    def __contains__(self, word: object) -> bool:
        return word in self.entries

    def of(self, word: str) -> Iterator[tuple[str, Expression]]:
        """Yield the entries of a word: its name with the subscript, and the expression."""
        for subscript, expression in self.entries.get(word, ()):
            yield full_name(word, subscript), expression

    def expression(self, word: str, subscript: str = "") -> Expression | None:
        """Return the expression of a word with exactly this subscript, or None."""
        for entry in self.entries.get(word, ()):
            if entry.subscript == subscript and subscript != IDIOM:
                return entry.expression
        return None

    @property
    def cutoff(self) -> float:
        """The cost cut-off that the dictionary asks for."""
        try:
            return float(self.definitions.get("max-disjunct-cost", DEFAULT_CUTOFF))
        except ValueError:
            return DEFAULT_CUTOFF
