"""What a declaration that does not parse may declare, so that no name is complained of that it may have brought."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from difflib import get_close_matches

from schemata.language.declarations import UNKNOWN
from schemata.language.pieces import Piece

__all__ = ["ANY_FORM", "Losses", "names_in_lost"]

ANY_FORM = "*"
"""Among lost forms: any form may be lost."""

_NAME = re.compile(r"[^\W\d_]\w*'*")
_FORM = re.compile(r"([^\W\d_]\w*'*)\s*\[")


@dataclass(frozen=True, slots=True)
class Losses:
    """What was lost in a file: kinds of declarations by their keywords, item forms, and names of parameters."""

    kinds: set[str] = field(default_factory=set)
    forms: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)

    def note(self, kind: str, text: Piece) -> None:
        """Note what a declaration that was not parsed may declare."""
        self.kinds.add(kind)
        if kind in ("schema", UNKNOWN):
            names = _NAME.findall(text.text)
            self.names.update(names)
            if kind == "schema" and get_close_matches("extends", names):
                self.kinds.add("extends")
        if kind in ("item", "hypothesis", UNKNOWN):
            # Without a name before the first bracket, any form may be the one that is lost.
            self.forms.update(_FORM.findall(text.text))
            first = re.match(r"\s*([^\W\d_]\w*'*)", text.text)
            if first is None:
                self.forms.add(ANY_FORM)
            else:  # where the bracket is missing, the form's name and the first field's are one word
                self.forms.update(first[1][:k] for k in range(1, len(first[1]) + 1))


def names_in_lost(text: Piece) -> set[str]:
    """Return the names that a piece which does not parse may have meant.

    With a bracket missing, a form's name and a variable's are one word, so that every end of a word counts.
    """
    return {word[k:] for word in _NAME.findall(text.text) for k in range(len(word))}
