"""An analysed text: its source, the schema if it has no errors, all findings, and the index of its names.

Everything that an editor asks is answered from it. It is kept until the text, or a file that it depends on, changes.
"""

from __future__ import annotations

import functools
import os
from collections import OrderedDict
from pathlib import Path
from typing import TypeAlias

from schemata.editing.document import Document
from schemata.errors import Diagnostic, SchemaError
from schemata.language import model as m
from schemata.language.files import read_schema_text
from schemata.language.index import Block, Index, index_of, named_files
from schemata.language.relation_model import RelationFile
from schemata.language.relations import read_relation_text
from schemata.language.rules import VariableTypes
from schemata.language.source import Sources, SourceText, source_from_text
from schemata.records import Record
from schemata.thresholds import WAYS

_States: TypeAlias = "tuple[tuple[Path, tuple[int, int] | None], ...]"


class Analysis(Record, eq=False, slots=False):
    """The analysis of a text.

    `source` is None if the text cannot be read (it is empty, say): then `findings` say why, and the index is empty.
    `schema` and `relation` are None if there are errors, or the file is of another kind. `types` are those of
    variables, as the checker finds them.
    """

    document: Document
    source: SourceText | None
    schema: m.Schema | None
    relation: RelationFile | None
    findings: tuple[Diagnostic, ...]
    types: VariableTypes

    @functools.cached_property
    def index(self) -> Index:
        """The names of the text, collected at the first request for them."""
        if self.document.language == "grammar":
            from schemata.editing.grammar_files import index_of_grammar

            return index_of_grammar(self.document)
        try:
            return Index((), ()) if self.source is None else index_of(self.source, self.types)
        except RecursionError:
            return Index((), ())

    @property
    def file(self) -> str:
        """The name of the file in findings."""
        return str(self.document.path)

    def alone(self, block: Block) -> Document:
        """Return the text with all other steps and claims about items blanked; the lines of this declaration stay in
        place.
        """
        rows = list(self.document.lines)
        for other in self.index.blocks:
            if other.keyword.split()[-1] in ("step", "means") and other is not block:
                rows[other.first - 1 : other.last] = [""] * (other.last - other.first + 1)
        return Document("\n".join(rows), self.document.path)


_analyses: OrderedDict[tuple[Document, bool], tuple[Analysis, _States]] = OrderedDict()


def analysed(document: Document, checked: bool = True) -> Analysis:
    """Return the analysis of a text, which is kept for the next question.

    Where it need not be `checked`, it may come without a schema, findings and types of variables: names and their
    places take a third of the time.
    """
    for key in ((document, True), (document, False))[: 2 - checked]:
        kept = _analyses.get(key)
        if kept is not None and all(_state(path) == state for path, state in kept[1]):
            _analyses.move_to_end(key)
            return kept[0]
    found, files = _analysed(document, checked)
    _analyses[document, checked] = found, tuple((path, _state(path)) for path in files)
    while len(_analyses) > WAYS.kept_analyses:
        _analyses.popitem(last=False)
    return found


def _state(path: Path) -> tuple[int, int] | None:
    try:
        state = os.stat(path)
    except (OSError, ValueError):
        return None
    return state.st_mtime_ns, state.st_size


def _analysed(document: Document, checked: bool) -> tuple[Analysis, list[Path]]:
    file = str(document.path)
    path = document.path if document.path.suffix else None  # of a text without a file
    if document.language == "grammar":
        from schemata.editing.grammar_files import findings_in

        return Analysis(document, None, None, None, findings_in(document), {}), []
    relation, schema, types = None, None, VariableTypes()
    findings: list[Diagnostic] = []
    files: list[Path] = []
    if not checked:
        pass
    elif document.language == "relation":
        relation, findings = read_relation_text(document.text, file, path=path)
    else:
        sources: Sources = {}
        schema, findings = read_schema_text(document.text, file, path=path, sources=sources, types=types)
        files = [x for x in sources if x != path]
    try:
        source = source_from_text(document.text, file, path)
        files += named_files(source)
    except SchemaError:
        return Analysis(document, None, None, None, tuple(findings), types), files
    except RecursionError:
        pass
    return Analysis(document, source, schema, relation, tuple(findings), types), files


def errors_in(document: Document) -> list[Diagnostic]:
    """Return the errors of a schema that no editor has open; nothing of it is kept."""
    path = document.path if document.path.suffix else None
    _, found = read_schema_text(document.text, str(document.path), path=path)
    return [x for x in found if x.severity == "error"]
