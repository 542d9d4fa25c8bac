"""What a Link Grammar dictionary provides for one sentence: the disjuncts of each word."""

from __future__ import annotations

from dataclasses import dataclass, field

from schemata.errors import Diagnostic
from schemata.grammars.link_grammar.lengths import NO_LIMITS, LengthLimits
from schemata.structures.linkages import Disjunct

__all__ = ["SentenceDisjuncts"]


@dataclass(frozen=True, slots=True)
class SentenceDisjuncts:
    """The disjuncts of the words of a sentence.

    Parameters
    ----------
    words : the words w_0..w_last. Walls are among them where the dictionary defines them.
    disjuncts : those of each word, each once, in order. Equal disjuncts of different entries (``saw.n`` and
        ``saw.v``) are different.
    limits : how far connectors reach.
    warnings : where link-parser may find another number of linkages, and other doubts; no part of the value.

    >>> from schemata.structures.connectors import read_connector
    >>> left, right = read_connector("S+"), read_connector("S-")
    >>> given = SentenceDisjuncts(("I", "am"), ((Disjunct("I", (), (left,)),), (Disjunct("am", (right,), ()),)))
    >>> given.last, given.size
    (1, 2)
    """

    words: tuple[str, ...]
    disjuncts: tuple[tuple[Disjunct, ...], ...]
    limits: LengthLimits = NO_LIMITS
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False)

    @property
    def last(self) -> int:
        """The position of the last word; the first is 0."""
        return len(self.words) - 1

    @property
    def size(self) -> int:
        """The number of disjuncts of all words."""
        return sum(map(len, self.disjuncts))
