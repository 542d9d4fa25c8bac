"""The findings about a text as editors show them: with ranges, and with the hints as part of the message."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from schemata.editing.analysis import analysed
from schemata.editing.document import Document, TextRange
from schemata.errors import Diagnostic
from schemata.language import model as m
from schemata.language.relation_model import RelationFile
from schemata.records import Record

_SEVERITIES = {"error": 1, "warning": 2}  # as the protocol counts them


class Finding(Record):
    """One finding: its range, the mistake, the expected text, and a hint how to mend it."""

    range: TextRange
    severity: Literal["error", "warning"]
    code: str
    message: str
    expected: str | None = None
    hint: str | None = None

    @property
    def text(self) -> str:
        """The message with the expected text and the hint, a line each."""
        more = (("expected", self.expected), ("hint", self.hint))
        return "\n".join([self.message, *(f"{label}: {text}" for label, text in more if text)])

    def to_json(self) -> dict[str, Any]:
        """Return the finding as the protocol has diagnostics."""
        return {
            "range": self.range.to_json(),
            "severity": _SEVERITIES[self.severity],
            "code": self.code,
            "source": "schemata",
            "message": self.text,
        }


def diagnostics(text: str, path: str | Path = "schema") -> list[Finding]:
    """Return all findings of the checker about a text, in the order of their places.

    Parameters
    ----------
    text : a schema, relation or grammar file.
    path : its file, whose suffix decides how it is read; schemata that it extends are looked for beside it. A file
        without a
        suffix is a schema.
    """
    document = Document(text, Path(path))
    return [located(document, found) for found in analysed(document).findings]


def run_diagnostics(text: str, path: str | Path = "schema") -> list[Finding]:
    """Return the diagnostics of a schema without errors that prevent every run, or of the disagreeing maps of a
    relation.

    `schemata check` reports these as well; they take long for large schemata, so that an editor asks for them in the
    background.
    """
    document = Document(text, Path(path))
    known = analysed(document)
    if known.schema is not None:
        return [located(document, found) for found in not_runnable(known.schema)]
    if known.relation is not None:
        return [located(document, found) for found in disagreements_of(known.relation)]
    return []


def not_runnable(schema: m.Schema) -> Sequence[Diagnostic]:
    """Return the diagnostics that prevent every run of a checked schema, which appear when it becomes a kernel."""
    from schemata.program.model import NotLowerable
    from schemata.workbench import ParsingSchema

    try:
        if not schema.reads_inputs:  # with several inputs, their lengths decide
            ParsingSchema(schema).kernel.text  # noqa: B018 - made here
    except NotLowerable as answer:
        return answer.diagnostics
    return ()


def disagreements_of(relation: RelationFile) -> Sequence[Diagnostic]:
    """Return the maps of a relation without errors that carry an item elsewhere than another map does."""
    from schemata.relations.mapping import disagreements

    return disagreements(relation)


def located(document: Document, found: Diagnostic) -> Finding:
    """Return a finding with its range; one about another file stands at the beginning, and names its place."""
    place, message = found.location, found.message
    if place is None:
        spot = document.range_at(1, 1, 1)
    elif place.file != str(document.path) and place.file != document.path.name:
        spot, message = document.range_at(1, 1, _FIRST), f"{place}: {message}"
    else:
        spot = document.range_at(place.line, place.column, place.end_column or place.column + 1)
    return Finding(spot, found.severity, found.code, message, found.expected, found.hint)


_FIRST = 2
