"""The library: finds files of schemata and relations by name or path, loads them, and caches checked schemata.

A checked schema is cached, so that an unchanged file is neither parsed nor checked again. The cached file records its
sources: the modules that read and check, the schema file, its parameters, and the texts of
all files that were read or looked for. It holds data: reading it makes only values of the schema model,
findings, and their parts.
"""

from __future__ import annotations

import functools
import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from schemata import errors, kinds
from schemata.cache import keep_value, kept_value, state_of
from schemata.errors import Diagnostic, SchemaError, UsageError, did_you_mean
from schemata.language import model as m
from schemata.language import source
from schemata.language.shipped import ALIASES, shipped_files, shipped_schemata
from schemata.language.source import RELATION_SUFFIX, SUFFIX, Sources, SourceText, read_source


def schema_path(reference: str) -> Path:
    """Return the file of a shipped name or of a path.

    Raises
    ------
    UsageError : there is no such schema.
    """
    shipped = shipped_schemata()
    name = ALIASES.get(reference, reference)
    is_path = "/" in reference or "\\" in reference or os.path.isfile(reference)
    return shipped.get(name) or _path("unknown-schema", reference, SUFFIX, is_path, [*shipped, *ALIASES])


def _path(code: str, reference: str, suffix: str, is_path: bool, known: Sequence[str]) -> Path:
    """Resolve a reference to a path if it has the right suffix or exists; else report the names near to
    it.
    """
    if is_path or Path(reference).suffix == suffix:
        if (
            not os.path.exists(reference)
            and Path(reference).name == reference
            and Path(reference).stem in known
        ):
            stem = f"a shipped name has no suffix: {Path(reference).stem}"
            raise UsageError(f"there is no file {reference}", code=code, hint=stem)
        return Path(reference)
    if "\n" in reference:
        message, text = (
            "this is not a name of a schema, but a text",
            "schemata.schema takes the text of a schema",
        )
        raise UsageError(message, code=code, expected="a shipped name, or a path", hint=text)
    if " " in reference:
        message, expected = f"{reference!r} is not the name of a {suffix[1:]}", "a name, then the sentence"
        raise UsageError(message, code=code, expected=expected, hint=f"schemata run eisner1996 {reference!r}")
    if "," in reference and all(name.strip() in known for name in reference.split(",")):
        apart = f"names are separated by blanks: {' '.join(name.strip() for name in reference.split(','))}"
        raise UsageError(f"{reference!r} is not the name of a {suffix[1:]}", code=code, hint=apart)
    message = f"there is no {suffix[1:]} {reference!r}"
    expected = f"a shipped name (see: schemata list) or a path to a {suffix} file"
    hint = did_you_mean(reference, known)
    more = sum(reference.casefold() in name for name in known)
    if hint and " or " in hint and suffix == SUFFIX and more > hint.count(" or ") + 1:
        hint += f" schemata list {reference} shows more"
    if os.path.isfile(f"{reference}{suffix}"):
        hint = f"a file is given with its suffix: {reference}{suffix}"
    elif (name := re.split("[:(]", reference)[0]) != reference and name in known:
        hint = f"a parameter is set as in mh:k=4; schemata show {name} lists those of {name}"
    raise UsageError(message, code=code, expected=expected, hint=hint)


def split_reference(reference: str) -> tuple[str, dict[str, int]]:
    """Split `mh:k=4,j=2` into the schema's name and its parameters.

    Raises
    ------
    UsageError : no list of NAME=NUMBER follows the colon.
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
    values: dict[str, int] = {}
    for setting in settings:
        name, _, value = setting.partition("=")
        try:
            values[name.strip()] = int(value)
        except ValueError:
            message, expected = f"{setting!r} sets no parameter", "NAME=NUMBER, for example k=4"
            if name.strip().isidentifier() and value.strip():
                message, expected = (
                    f"{name.strip()} = {value.strip()} is not a whole number",
                    f"{name.strip()}=4, say",
                )
            raise UsageError(message, code="bad-setting", expected=expected) from None
    return values


def shipped_relations() -> Mapping[str, Path]:
    """Return the files of the shipped relations by name, sorted by name."""
    return shipped_files(RELATION_SUFFIX)


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
    names = list(shipped)
    return shipped.get(reference) or _path("unknown-relation", reference, RELATION_SUFFIX, False, names)


# Loading -----------------------------------------------------------------------------------------------------


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
    """Return a schema file's schema (None if there are errors) and all findings; see `files.check_file`.

    An unchanged file is not read again.

    Raises
    ------
    UsageError : a given parameter does not exist or is out of range.
    """
    given = parameters or {}
    kept = kept_schema(path, given)
    if kept is not None:
        return kept
    # The reader is not imported where nothing is to be read: its import takes a third of a short run.
    from schemata.language.files import check_file

    sources: Sources = {}
    schema, findings = check_file(path, given, sources)
    if schema is not None:
        keep_schema(path, given, sources, schema, findings)
    return schema, findings


# Checked schemata kept between runs --------------------------------------------------------------------------


Checked: TypeAlias = "tuple[m.Schema, list[Diagnostic]]"  # a schema, and warnings

_KIND = "schemata"
_PACKAGE = Path(__file__).parent.parent
VALUES = tuple(module.__name__ for module in (m, source, errors, kinds))
"""The modules of the values in a checked schema."""


def kept_schema(path: Path, parameters: Mapping[str, int]) -> Checked | None:
    """Return the checked schema of a file and its warnings, or None if it must be read."""
    found = kept_value(_KIND, path.stem, _key(path, parameters), VALUES)
    if found is None or not all(_still_reads(where, text) for where, text in found[0]):
        return None
    _, schema, findings = found
    return schema, list(findings)


def keep_schema(
    path: Path,
    parameters: Mapping[str, int],
    sources: Sources,
    schema: m.Schema,
    findings: Sequence[Diagnostic],
) -> None:
    """Keep the checked schema of a file and its warnings; `sources` are all files that it was made of."""
    value = tuple(sources.items()), schema, tuple(findings)
    keep_value(_KIND, path.stem, _key(path, parameters), value)


def _key(path: Path, parameters: Mapping[str, int]) -> tuple[object, ...] | None:
    """Return the cache key of a checked schema, the texts of files aside; None if nothing is kept."""
    state = _modules()
    if state is None:
        return None
    return sys.version, str(_PACKAGE), state, str(path), os.path.abspath(path), *sorted(parameters.items())


@functools.cache
def _modules() -> str | None:
    return state_of(
        [_PACKAGE / part for part in ("language", "grouping.py", "kinds.py", "structures/linkages.py")]
    )


def _still_reads(path: Path, text: SourceText | None) -> bool:
    """Whether a file still has this text; None stands for a file that is not there."""
    if text is None:
        return not path.is_file()
    try:
        return read_source(path) == text
    except SchemaError:
        return False
