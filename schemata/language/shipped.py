"""Shipped files and their names, and the schemata that stand near another."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from pathlib import Path

from schemata.language.source import SUFFIX

ALIASES = {"arc-hybrid": "hybrid", "cky": "cyk", "courtin-genthial1998": "head-corner3"}
"""Other names of shipped schemata."""
LABELLED = "labelled"
"""The parameter that all schemata over D-rules have that derive graphs: 1 gives arcs labels."""


@functools.cache
def shipped_files(suffix: str, room: str = "schema_specs") -> Mapping[str, Path]:
    """Return the shipped files with a suffix, by name, sorted by folder and name; the folder is that of the wheel."""
    package = Path(__file__).resolve().parent.parent
    for folder in (package / room, package.parent / room):
        if folder.is_dir():
            return {path.stem: path for path in sorted(folder.rglob(f"*{suffix}"))}
    return {}


def shipped_schemata() -> Mapping[str, Path]:
    """Return the files of the shipped schemata by name, sorted by folder and name."""
    return shipped_files(SUFFIX)


def schema_near(name: str, folder: Path | None) -> Path | None:
    """Return the file of a schema that another file names: in the same folder, else a shipped one."""
    beside = folder / f"{name}{SUFFIX}" if folder is not None else None
    return beside if beside is not None and os.path.isfile(beside) else shipped_schemata().get(name)


def names_near(folder: Path | None) -> list[str]:
    """Return the names of the shipped schemata and of those in a folder."""
    return [*shipped_schemata(), *(p.stem for p in (folder.glob(f"*{SUFFIX}") if folder is not None else ()))]
