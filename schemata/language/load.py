"""Loads schemata: from what was kept of them, or by reading and checking their files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from schemata.errors import Diagnostic, SchemaError
from schemata.language import model as m
from schemata.language.kept_schemata import keep_schema, kept_schema
from schemata.language.library import schema_path, split_reference
from schemata.language.source import Sources

__all__ = ["load_file", "load_schema"]


def load_schema(reference: str | Path, parameters: Mapping[str, int] | None = None) -> m.Schema:
    """Load a schema by shipped name or path; warnings are dropped (see `load_file`).

    Parameters
    ----------
    reference : a shipped name, possibly with parameters (`mh:k=4`), or a path to a .schema file.
    parameters : values for the schema's parameters.

    Raises
    ------
    SchemaError : the file has errors; carries all of them.
    UsageError : there is no such schema or parameter, or a parameter is out of range.
    """
    name, given = (str(reference), {}) if isinstance(reference, Path) else split_reference(reference)
    schema, problems = load_file(schema_path(name), {**given, **(parameters or {})})
    if schema is None:
        raise SchemaError([p for p in problems if p.severity == "error"])
    return schema


def load_file(
    path: Path, parameters: Mapping[str, int] | None = None
) -> tuple[m.Schema | None, list[Diagnostic]]:
    """Return a schema file's schema (None where there are errors) and all findings; see `files.check_file`.

    A file that has not changed since is not read again.

    Raises
    ------
    UsageError : a given parameter does not exist or is out of range.
    """
    given = parameters or {}
    kept = kept_schema(path, given)
    if kept is not None:
        return kept
    # What reads schemata is not even imported where nothing is to be read: it takes a third of a short run.
    from schemata.language.files import check_file

    sources: Sources = {}
    schema, findings = check_file(path, given, sources)
    if schema is not None:
        keep_schema(path, given, sources, schema, findings)
    return schema, findings
