"""Warnings about grammars and sentences on standard error, each once; of a corpus no more than are read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from schemata.cli.main import report
from schemata.errors import Diagnostic, Location

__all__ = ["CorpusWarnings", "report_grammar"]

_MOST = 10  # warnings shown in full, of a grammar and of a corpus


def report_grammar(grammar: Any, name: str) -> None:
    """Write the warnings about a grammar that a user named, the first ones in full.

    Parameters
    ----------
    grammar : a grammar of any kind.
    name : as the user named it.
    """
    warnings: tuple[Diagnostic, ...] = grammar.warnings
    report(*warnings[:_MOST])
    if (more := len(warnings) - _MOST) > 0:
        message, hint = f"{_count(more)} about {name}", f"schemata check {name} tells all"
        report(Diagnostic("more-warnings", message, hint=hint, severity="warning"))


class CorpusWarnings:
    """Reports the warnings about the sentences of a corpus: the first ten in full, then how many more.

    Parameters
    ----------
    corpus : the file, for the places of sentences.

    >>> found = CorpusWarnings("small.conllu")
    >>> found.report("s1", 5, ())
    >>> found.close()
    """

    def __init__(self, corpus: str) -> None:
        self._corpus = corpus
        self._seen = 0
        self._sentences = 0

    def report(self, name: str, line: int | None, warnings: tuple[Diagnostic, ...]) -> None:
        """Write the warnings about one sentence, unless there were ten before.

        Parameters
        ----------
        name : what the sentence is called.
        line : where it begins in the corpus, if that is known.
        warnings : those about it.
        """
        place = Location(self._corpus, line, 1) if line else None
        shown = warnings[: max(0, _MOST - self._seen)]
        for found in shown:
            report(replace(found, message=f"sentence {name}: {found.message}", location=place))
        self._seen += len(warnings)
        self._sentences += len(shown) < len(warnings)

    def close(self) -> None:
        """Write how many warnings have not been shown, if any."""
        if (more := self._seen - _MOST) > 0:
            sentences = f"{self._sentences:,} sentence{'' if self._sentences == 1 else 's'}"
            message = f"{_count(more)} about {sentences} of {self._corpus}"
            report(Diagnostic("more-warnings", message, hint="--json has them all", severity="warning"))


def _count(more: int) -> str:
    return f"{more:,} more warning{'' if more == 1 else 's'}"
