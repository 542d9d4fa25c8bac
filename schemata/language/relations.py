"""Finds and loads relations: shipped ones by name, a user's by path, maps given as text, and chains of these."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

from schemata.errors import Diagnostic, SchemaError, SchemataError, UsageError, did_you_mean
from schemata.language import model as m
from schemata.language import syntax as s
from schemata.language.files import in_order
from schemata.language.library import (
    ALIASES,
    load_file,
    names_near,
    relation_path,
    schema_near,
    shipped_relations,
)
from schemata.language.reader import parse_map, parse_relation
from schemata.language.relation_check import MapReader, check_relation
from schemata.language.relation_model import CHAINS, ChainKind, Kind, Relation, RelationFile, StepKind
from schemata.language.source import Findings, SourceText, Span, line_span, read_source, source_from_text


def load_relation(reference: str | Path, values: Mapping[str, int] | None = None) -> RelationFile:
    """Load a relation file by shipped name or path; warnings are dropped (see `check_relation_file`).

    Parameters
    ----------
    reference : a shipped name or a path to a .relation file.
    values : values for the file's variables, instead of those of their ranges.

    Raises
    ------
    SchemaError : the file has errors; carries all of them.
    UsageError : there is no such relation or variable.

    Examples
    --------
    >>> claim, = load_relation("eisner-satta1999-eisner1996").relations
    >>> claim.kind, claim.first.name, claim.second.name
    ('step-refinement', 'eisner-satta1999', 'eisner1996')
    """
    path = reference if isinstance(reference, Path) else relation_path(reference)
    relation, problems = check_relation_file(path, values)
    if relation is None:
        raise SchemaError([p for p in problems if p.severity == "error"])
    return relation


def check_relation_file(
    path: Path, values: Mapping[str, int] | None = None
) -> tuple[RelationFile | None, list[Diagnostic]]:
    """Read and check a relation file; returns it (None where there are errors) and all findings.

    Raises
    ------
    UsageError : a variable is given that the file does not have.
    """
    try:
        source = read_source(path)
    except SchemaError as problem:
        return None, list(problem.diagnostics)
    return _check_source(source, values or {})


def read_relation_text(
    text: str, file: str = "relation", values: Mapping[str, int] | None = None
) -> tuple[RelationFile | None, list[Diagnostic]]:
    """Check a relation given as text; returns it (None where there are errors) and all findings."""
    try:
        source = source_from_text(text, file)
    except SchemaError as problem:
        return None, list(problem.diagnostics)
    return _check_source(source, values or {})


def _check_source(
    source: SourceText, values: Mapping[str, int]
) -> tuple[RelationFile | None, list[Diagnostic]]:
    problems = Findings()
    file: RelationFile | None = None
    try:
        syntax, problems = parse_relation(source)
        finder = _Finder(source.path.parent if source.path else None, problems)
        header = syntax.header
        name = f"{header.first.name} to {header.second.name}" if header else "relation"
        name = source.path.stem if source.path else name
        variables, relations = check_relation(syntax, name, values, finder, problems)
        file = RelationFile(name, variables, relations, source)
    except RecursionError:
        problems.report(line_span(source, 1), "too-deep", "an expression is nested too deeply")
    return (None if problems.errors else file), in_order(problems)


@dataclass(slots=True)
class _Finder:
    """Finds the schemata a relation names: beside its file, else among the shipped ones."""

    folder: Path | None
    problems: Findings
    known: dict[tuple[str, tuple[tuple[str, int], ...]], m.Schema | None] = field(default_factory=dict)

    def __call__(self, reference: s.SchemaReference, values: Mapping[str, int]) -> m.Schema | None:
        key = reference.name, tuple(sorted(values.items()))
        if key not in self.known:
            self.known[key] = self._find(reference, values)
        return self.known[key]

    def _find(self, reference: s.SchemaReference, values: Mapping[str, int]) -> m.Schema | None:
        path = self._path(reference)
        if path is None:
            return None
        default, findings = load_file(path)
        if default is None:
            message, expected = f"schema {reference.name} has errors", "a schema without errors"
            self.problems.report(reference.span, "bad-schema", message, expected, f"see {path.name}")
            self.problems += [f for f in findings if f.severity == "error"]
            return None
        parameters = [p.name for p in default.parameters]
        unknown = [a for a in reference.arguments if a.name not in parameters]
        for argument in unknown:
            message = f"schema {reference.name} has no parameter {argument.name}"
            expected = " or ".join(parameters) or "no parameter"
            hint = did_you_mean(argument.name, parameters)
            self.problems.report(argument.span, "unknown-parameter", message, expected, hint)
        if unknown or not values:
            return None if unknown else default
        try:
            return load_file(path, values)[0]
        except UsageError as problem:
            place = reference.arguments[0].span
            for d in problem.diagnostics:
                self.problems.report(place, d.code, d.message, d.expected, d.hint)
        return None

    def _path(self, reference: s.SchemaReference) -> Path | None:
        path = schema_near(reference.name, self.folder) or schema_near(ALIASES.get(reference.name, ""), None)
        if path is None:
            message, expected = (
                f"there is no schema {reference.name}",
                "a schema in the same folder, or a shipped one",
            )
            hint = did_you_mean(reference.name, [*names_near(self.folder), *ALIASES])
            self.problems.report(reference.span, "unknown-schema", message, expected, hint)
        return path


# Maps without a file ----------------------------------------------------------------------------------------


def read_maps(
    texts: Sequence[str],
    first: m.Schema,
    second: m.Schema,
    kind: Kind | None = None,
    *,
    lenient: bool = False,
) -> Relation:
    """Return the relation between two schemata that maps given as texts describe.

    Parameters
    ----------
    texts : each `ITEM to ITEM where ...` or `ITEM from ITEM where ...`; none for forms carried over alone.
    first, second : the schemata; the item on the left is always of the first one.
    kind : what is claimed, if anything; it says which way the maps go.
    lenient : leave forms without a map alone, which is an error otherwise.

    Raises
    ------
    SchemaError : a text is no map between the two; carries every mistake, with its place in the text.

    Examples
    --------
    >>> from schemata.language.library import load_schema
    >>> first, second = load_schema("yamada-matsumoto2003"), load_schema("eisner1996", {"end": 1})
    >>> read_maps(["span[i, j] to span[i, j, false, false]"], first, second).maps[0].target.form
    'span'
    """
    problems = Findings()
    lines: list[s.ItemMapLine] = []
    for text in texts:
        if not text.partition("#")[0].strip():
            expected = "ITEM to ITEM, or ITEM from ITEM"
            raise SchemaError(Diagnostic("empty-map", "a map is empty", expected=expected))
        source = source_from_text(text, "--map")
        try:
            line, found = parse_map(source)
        except RecursionError:
            line, found = None, Findings()
            found.report(line_span(source, 1), "too-deep", "a map is nested too deeply")
        problems += found
        lines += [line] if line is not None else []
    name = f"{first.name} to {second.name}"
    title = source_from_text(name, "--map")
    head = Span(title, 1, 1, len(title.lines[0]) + 1)
    reader = MapReader(problems, whole=not problems and not lenient)
    maps = reader.maps(lines, first, second, kind, {}, head)
    reader.report_impossible()
    if errors := problems.errors:
        # What is said of forms without a map has no place in a text, and a map with errors may be the missing one.
        placed = [p for p in errors if p.code != "unmapped-form"]
        raise SchemaError(placed or [replace(p, location=None, source_line=None) for p in errors])
    return Relation(name, first, second, kind, maps)


# Relations from relations ------------------------------------------------------------------------------------


_INVERSES: Mapping[Kind | None, StepKind] = {
    "step-refinement": "step-contraction",
    "step-contraction": "step-refinement",
    "item-refinement": "item-contraction",
    "item-contraction": "item-refinement",
}


def inverse(relation: Relation) -> Relation | None:
    """Return the same claim read from the second schema to the first; None for kinds without an inverse.

    >>> claim, = load_relation("eisner-satta1999-eisner1996").relations
    >>> inverse(claim).kind
    'step-contraction'
    """
    if relation.kind not in _INVERSES:
        return None
    maps = tuple(replace(x, reversed=not x.reversed) for x in relation.maps)
    return replace(
        relation, first=relation.second, second=relation.first, kind=_INVERSES[relation.kind], maps=maps
    )


def chain_parts(relation: Relation) -> tuple[tuple[Relation, ...], ...]:
    """Return what would make a claimed chain hold: for each of its parts, the relations that could be it.

    A part holds if one of its relations does. They are those of the shipped files, or with items carried
    over unchanged, of the kinds a chain may consist of; those from files come first.
    """
    if relation.kind not in CHAINS:
        return ((relation,),)
    chain: ChainKind = relation.kind  # type: ignore[assignment]
    stations = (relation.first, *relation.through, relation.second)
    return tuple(tuple(_parts(a, b, CHAINS[chain], relation.requires)) for a, b in pairwise(stations))


def _parts(
    first: m.Schema, second: m.Schema, kinds: Sequence[StepKind], requires: tuple[str, ...]
) -> Iterator[Relation]:
    found: set[Kind | None] = set()
    for claim in _shipped_claims():
        for one in (claim, inverse(claim)):
            if one is not None and one.kind in kinds and (one.first, one.second) == (first, second):
                found.add(one.kind)
                yield one
    for kind in kinds:
        if kind not in found:
            try:
                yield read_maps((), first, second, kind)
            except SchemataError:
                continue  # items of some form would correspond to nothing


@functools.cache
def _shipped_claims() -> tuple[Relation, ...]:
    """Return the claims of all shipped relation files that are no chains."""
    claims = (claim for name in shipped_relations() for claim in load_relation(name).relations)
    return tuple(claim for claim in claims if claim.kind not in CHAINS)
