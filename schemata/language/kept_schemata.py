"""Checked schemata kept between runs, so that a file that has not changed is neither parsed nor checked again.

What is kept says what it follows from: the modules that read and check, the file, its parameters, and the texts of all
files that were read or looked for. A file holds data: values of the schema model, findings, and what both are made
of, are all that reading one makes.
"""

from __future__ import annotations

import io
import os
import pickle
import sys
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from schemata import errors
from schemata.cache import look_up, state_of, store
from schemata.errors import Diagnostic, SchemaError
from schemata.language import model, source
from schemata.language.source import Sources, SourceText, read_source

__all__ = ["Checked", "keep_schema", "kept_schema"]

Checked: TypeAlias = "tuple[model.Schema, list[Diagnostic]]"  # a schema, and warnings

_KIND = "schemata"
_PACKAGE = Path(__file__).parent.parent
_PARTS = (model.types, model.terms, model.conditions, model.rules, model.schema)
_VALUES = {module.__name__: module for module in (*_PARTS, source, errors)}


def kept_schema(path: Path, parameters: Mapping[str, int]) -> Checked | None:
    """Return the checked schema of a file and its warnings, or None where it must be read."""
    key = _key(path, parameters)
    content = None if key is None else look_up(_KIND, _name(path, key))
    if content is None:
        return None
    try:
        of, sources, schema, findings = _Reader(io.BytesIO(content)).load()
        if of == key and all(_still_reads(where, text) for where, text in sources):
            return schema, list(findings)
    except Exception:
        return None
    return None


def keep_schema(
    path: Path,
    parameters: Mapping[str, int],
    sources: Sources,
    schema: model.Schema,
    findings: Sequence[Diagnostic],
) -> None:
    """Keep the checked schema of a file and its warnings; `sources` are all files that it was made of."""
    key = _key(path, parameters)
    content = io.BytesIO()
    try:
        _Writer(content, protocol=5).dump((key, tuple(sources.items()), schema, tuple(findings)))
    except RecursionError:  # it is nested more deeply than can be written
        return
    if key is not None:
        store(_KIND, _name(path, key), content.getvalue())


def _key(path: Path, parameters: Mapping[str, int]) -> tuple[object, ...] | None:
    """Return what tells one checked schema from another, but for the texts of files; None where nothing is kept."""
    state = _modules()
    if state is None:
        return None
    return sys.version, str(_PACKAGE), state, str(path), os.path.abspath(path), *sorted(parameters.items())


def _name(path: Path, key: tuple[object, ...]) -> str:
    return f"{path.stem[:40]}-{zlib.crc32(repr(key).encode('utf-8', 'surrogatepass')):08x}"


@cache
def _modules() -> str | None:
    return state_of([_PACKAGE / "language", _PACKAGE / "structures" / "connectors.py"])


def _still_reads(path: Path, text: SourceText | None) -> bool:
    """Whether a file still has this text; None stands for a file that is not there."""
    if text is None:
        return not path.is_file()
    try:
        return read_source(path) == text
    except SchemaError:
        return False


class _Writer(pickle.Pickler):
    """Writes paths as texts, everything else as pickles do."""

    def persistent_id(self, value: object) -> str | None:
        return str(value) if isinstance(value, Path) else None


class _Reader(pickle.Unpickler):
    """Makes paths, frozen values of the modules named above, and what needs no name: numbers, texts, tuples, lists."""

    def persistent_load(self, text: object) -> Path:
        return Path(str(text))

    def find_class(self, module: str, name: str) -> Any:
        found = getattr(_VALUES.get(module), name, None)
        if isinstance(found, type) and is_dataclass(found):
            return found
        raise pickle.UnpicklingError(f"{module}.{name} is no value of a schema")
