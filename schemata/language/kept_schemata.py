"""Checked schemata kept between runs, so that a file that has not changed is neither parsed nor checked again.

What is kept says what it follows from: the modules of this package, the file, its parameters, and the texts of all
files that were read or looked for. Only schemata of which nothing is to be said are kept. A file holds data: only
values of the schema model are made of it, whatever it says.
"""

from __future__ import annotations

import io
import os
import pickle
import sys
import zlib
from collections.abc import Mapping
from dataclasses import is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from schemata.errors import SchemaError
from schemata.kept import look_up, store
from schemata.language import model, source
from schemata.language.source import SourceText, read_source

__all__ = ["Sources", "keep_schema", "kept_schema"]

Sources: TypeAlias = dict[Path, SourceText | None]  # files that were read, None for those that are not there

_KIND = "schemata"
_MODULES = {module.__name__: module for module in (model, source)}


def kept_schema(path: Path, parameters: Mapping[str, int]) -> model.Schema | None:
    """Return the checked schema of a file, or None where it must be read."""
    key = _key(path, parameters)
    content = look_up(_KIND, _name(path, key))
    if content is None:
        return None
    try:
        of, sources, schema = _Reader(io.BytesIO(content)).load()
        if of != key or not all(_reads(where, text) for where, text in sources):
            return None
    except Exception:
        return None
    return schema if isinstance(schema, model.Schema) else None


def keep_schema(path: Path, parameters: Mapping[str, int], sources: Sources, schema: model.Schema) -> None:
    """Keep the checked schema of a file; `sources` are all files that it was made of."""
    key = _key(path, parameters)
    content = io.BytesIO()
    _Writer(content, protocol=5).dump((key, tuple(sources.items()), schema))
    store(_KIND, _name(path, key), content.getvalue())


def _key(path: Path, parameters: Mapping[str, int]) -> tuple[Any, ...]:
    return _modules(), str(path), os.path.abspath(path), tuple(sorted(parameters.items()))


def _name(path: Path, key: tuple[Any, ...]) -> str:
    return f"{path.stem[:40]}-{zlib.crc32(repr(key[1:]).encode()):08x}"


@cache
def _modules() -> tuple[Any, ...]:
    """Return what tells one state of the modules that read and check schemata from another."""
    with os.scandir(Path(__file__).parent) as entries:
        found = [(e.name, e.stat().st_size, e.stat().st_mtime_ns) for e in entries if e.is_file()]
    return sys.version, *sorted(found)


def _reads(path: Path, text: SourceText | None) -> bool:
    """Whether a file still reads so; None stands for a file that is not there."""
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
    """Makes values of the schema model and of built-in types without names, and nothing else."""

    def persistent_load(self, text: object) -> Path:
        return Path(str(text))

    def find_class(self, module: str, name: str) -> Any:
        found = getattr(_MODULES.get(module), name, None)
        if isinstance(found, type) and is_dataclass(found):
            return found
        raise pickle.UnpicklingError(f"{module}.{name} is no value of a schema")
