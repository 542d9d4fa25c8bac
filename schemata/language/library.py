"""Finds files of schemata and relations: the shipped ones by name, a user's by path; and what references set."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path

from schemata.errors import Diagnostic, UsageError, did_you_mean

__all__ = [
    "ALIASES",
    "RELATION_SUFFIX",
    "SUFFIX",
    "is_relation_reference",
    "parse_settings",
    "relation_path",
    "schema_path",
    "shipped_relations",
    "shipped_schemata",
    "split_reference",
]

SUFFIX = ".schema"
RELATION_SUFFIX = ".relation"
ALIASES = {"courtin-genthial1998": "head-corner3"}


@functools.cache
def _shipped_files(suffix: str) -> Mapping[str, Path]:
    """Return the shipped files with a suffix by name, sorted by folder and name."""
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "schema_specs", package.parent / "schema_specs"):
        if folder.is_dir():
            return {path.stem: path for path in sorted(folder.rglob(f"*{suffix}"))}
    return {}


def shipped_schemata() -> Mapping[str, Path]:
    """Return the files of the shipped schemata by name, sorted by folder and name."""
    return _shipped_files(SUFFIX)


def schema_path(reference: str) -> Path:
    """Return the file of a shipped name or of a path.

    Raises
    ------
    UsageError : there is no such schema.
    """
    shipped = shipped_schemata()
    name = ALIASES.get(reference, reference)
    if name in shipped:
        return shipped[name]
    path = Path(reference)
    if path.suffix == SUFFIX or "/" in reference or "\\" in reference or path.is_file():
        return path
    raise UsageError(
        Diagnostic(
            "unknown-schema",
            f"there is no schema {reference!r}",
            expected="a shipped name (see: schemata list) or a path to a .schema file",
            hint=did_you_mean(reference, [*shipped, *ALIASES]),
        )
    )


def split_reference(reference: str) -> tuple[str, dict[str, int]]:
    """Split `mh:k=4,j=2` into the schema's name and its parameters.

    Raises
    ------
    UsageError : what follows the colon is no list of NAME=NUMBER.
    """
    name, colon, rest = reference.rpartition(":")
    if not colon or "=" not in rest:
        return reference, {}
    return name, parse_settings(rest.split(","))


def parse_settings(settings: list[str]) -> dict[str, int]:
    """Return parameters from texts `k=4`.

    Raises
    ------
    UsageError : one is not NAME=NUMBER.
    """
    found: dict[str, int] = {}
    for setting in settings:
        name, _, value = setting.partition("=")
        try:
            found[name.strip()] = int(value)
        except ValueError:
            raise UsageError(
                Diagnostic(
                    "bad-setting", f"{setting!r} sets no parameter", expected="NAME=NUMBER, for example k=4"
                )
            ) from None
    return found


def shipped_relations() -> Mapping[str, Path]:
    """Return the files of the shipped relations by name, sorted by name."""
    return _shipped_files(RELATION_SUFFIX)


def is_relation_reference(reference: str) -> bool:
    """Whether a text names a relation rather than a schema: by its suffix, or as a shipped name."""
    return Path(reference).suffix == RELATION_SUFFIX or reference in shipped_relations()


def relation_path(reference: str) -> Path:
    """Return the file of a shipped relation's name or of a path.

    Raises
    ------
    UsageError : there is no such relation.
    """
    shipped = shipped_relations()
    if reference in shipped:
        return shipped[reference]
    if Path(reference).suffix == RELATION_SUFFIX:
        return Path(reference)
    raise UsageError(
        Diagnostic(
            "unknown-relation",
            f"there is no relation {reference!r}",
            expected="a shipped name (see: schemata list) or a path to a .relation file",
            hint=did_you_mean(reference, shipped),
        )
    )
