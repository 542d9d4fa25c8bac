"""Schema files as a whole: read, merged with what they extend, checked; or only what they say of themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from schemata.errors import Diagnostic, SchemaError, SchemataError, did_you_mean
from schemata.language import model as m
from schemata.language import syntax as s
from schemata.language.check import DEFAULT_GRAMMAR, check
from schemata.language.library import SUFFIX, shipped_schemata
from schemata.language.merge import merge
from schemata.language.pieces import KEYWORDS
from schemata.language.reader import parse_schema
from schemata.language.source import Sources, SourceText, Span, line_span, read_source, source_from_text

__all__ = ["Headline", "check_file", "in_order", "load_headline", "read_schema_text"]

_HEADLINE = ("schema", "title", "source", "grammar")


@dataclass(frozen=True, slots=True)
class Headline:
    """What a schema file says of the schema as a whole."""

    title: str | None
    reference: str | None
    grammar: str
    parameters: tuple[m.Parameter, ...]


def load_headline(path: Path) -> Headline:
    """Read what a file and those it extends say of the schema as a whole; nothing else of it is read or checked.

    Raises
    ------
    SchemaError : the file cannot be read, or these lines of it have errors.
    """
    problems: list[Diagnostic] = []
    syntax, found = parse_schema(read_source(path), _HEADLINE)
    problems += found
    whole = merge(syntax, {}, _Finder(problems, {}, _HEADLINE), problems)
    if any(p.severity == "error" for p in problems):
        raise SchemaError(problems)
    return Headline(
        whole.title, whole.reference, whole.grammar[0] if whole.grammar else DEFAULT_GRAMMAR, whole.parameters
    )


def check_file(
    path: Path, parameters: Mapping[str, int] | None = None, sources: Sources | None = None
) -> tuple[m.Schema | None, list[Diagnostic]]:
    """Read and check a schema file; returns the schema (None where there are errors) and all findings.

    `sources`, where given, gets the files that were read or looked for.

    Raises
    ------
    UsageError : a given parameter does not exist or is out of range.
    """
    try:
        source = read_source(path)
    except SchemaError as problem:
        return None, list(problem.diagnostics)
    found = sources if sources is not None else {}
    found[path] = source
    return _check_source(source, parameters or {}, found)


def read_schema_text(
    text: str, file: str = "schema", parameters: Mapping[str, int] | None = None
) -> tuple[m.Schema | None, list[Diagnostic]]:
    """Check a schema given as text; returns the schema (None where there are errors) and all findings."""
    try:
        source = source_from_text(text, file)
    except SchemaError as problem:
        return None, list(problem.diagnostics)
    return _check_source(source, parameters or {}, {})


def _check_source(
    source: SourceText, parameters: Mapping[str, int], sources: Sources
) -> tuple[m.Schema | None, list[Diagnostic]]:
    try:
        syntax, problems = parse_schema(source)
    except RecursionError:
        return None, [line_span(source, 1).report("too-deep", "an expression is nested too deeply")]
    header = syntax.header
    try:
        stem = source.path.stem if source.path else header.name
        if stem != header.name:
            problems.append(
                header.span.report(
                    "name-mismatch",
                    f"schema {header.name} stands in a file named {stem}{SUFFIX}",
                    expected=f"schema {stem}",
                    hint=f"or name the file {header.name}{SUFFIX}",
                    severity="warning",
                )
            )
        effective = merge(syntax, parameters, _Finder(problems, sources), problems)
        schema = check(effective, problems)
    except RecursionError:
        problems.append(line_span(source, 1).report("too-deep", "an expression is nested too deeply"))
        schema = None
    return schema, in_order(_about(source, header, problems))


class _Finder:
    """Finds the file of an extended schema: beside the one that extends it, else among the shipped ones."""

    def __init__(
        self, problems: list[Diagnostic], sources: Sources, keywords: Sequence[str] = KEYWORDS
    ) -> None:
        self.problems = problems
        self.sources = sources
        self.keywords = keywords

    def __call__(self, name: str, syntax: s.SchemaSyntax, span: Span) -> s.SchemaSyntax | None:
        folder = syntax.source.path.parent if syntax.source.path else None
        beside = folder / f"{name}{SUFFIX}" if folder is not None else None
        shipped = shipped_schemata()
        path = beside if beside is not None and beside.is_file() else shipped.get(name)
        if beside is not None and path != beside:
            self.sources[beside] = None
        if path is None:
            known = [*shipped, *(p.stem for p in folder.glob(f"*{SUFFIX}"))] if folder else list(shipped)
            self.problems.append(
                span.report(
                    "unknown-schema",
                    f"there is no schema {name} to extend",
                    expected="a schema in the same folder, or a shipped one",
                    hint=did_you_mean(name, [k for k in known if k != syntax.header.name]),
                )
            )
            return None
        try:
            source = read_source(path)
        except SchemataError as problem:
            self.problems.extend(problem.diagnostics)
            return None
        self.sources[path] = source
        parent, problems = parse_schema(source, self.keywords)
        self.problems.extend(problems)
        return None if any(p.severity == "error" for p in problems) else parent


def _about(source: SourceText, header: s.Header, problems: list[Diagnostic]) -> list[Diagnostic]:
    """Return findings with one of the file's own where what it inherits has errors.

    An extended schema with errors is shown with all of them. Where it has none by itself, what is inherited
    does not fit what this file replaces, which is one mistake of this file. Warnings about an extended
    schema belong to that file.
    """
    own = [p for p in problems if p.location is None or p.location.file == source.file]
    others = [p for p in problems if p not in own and p.severity == "error" and p.location]
    if not others or header.extends is None or header.extends_span is None:
        return own
    span = header.extends_span
    place = others[0].location
    assert place is not None
    path = Path(place.file)
    broken = [p for p in check_file(path)[1] if p.severity == "error"]
    if broken:
        base = span.report(
            "bad-base",
            f"what this schema inherits from {header.extends} has errors",
            expected="a schema without errors",
            hint=f"see {path.name}",
        )
        return [*own, base, *broken]
    base = span.report(
        "unfit-base",
        f"what this schema inherits from {header.extends} no longer fits: {others[0].message}",
        expected=others[0].expected,
        hint=f"see line {place.line} of {path.name}",
    )
    return [*own, base]


def in_order(problems: list[Diagnostic]) -> list[Diagnostic]:
    """Return the findings by place, each once."""
    placed = dict.fromkeys(problems)
    return sorted(
        placed,
        key=lambda p: (p.location.file, p.location.line, p.location.column) if p.location else ("", 0, 0),
    )
