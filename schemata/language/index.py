"""The index of a schema or relation file: every name with its kind, its declarations, its uses and its type.

Editors answer from it (`schemata.editing`), and `check --json` prints it. It is made of the syntax tree, so that a file
with mistakes has one too, of all of it that parses; the types of variables are those that the checker found.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from schemata.errors import SchemaError
from schemata.language import model as m
from schemata.language import syntax as s
from schemata.language.files import check_file, read_schema_text
from schemata.language.pieces import RELATION_KEYWORDS, SCHEMA_KEYWORDS, cut_declarations
from schemata.language.reader import parse_relation, parse_schema
from schemata.language.rules import VariableTypes
from schemata.language.shipped import ALIASES, schema_near
from schemata.language.source import RELATION_SUFFIX, SUFFIX, Findings, SourceText, Span, read_source
from schemata.records import Record
from schemata.thresholds import REFUSALS

NameKind: TypeAlias = Literal[
    "schema", "item", "field", "step", "part", "relation", "definition", "type", "constructor", "input", "parameter",
    "variable", "category", "symbol", "word",
]  # fmt: skip
"""Kinds of names; the last three are those of grammars."""
_FAMILY = ("first", "last", "gaps", "pieces")  # functions of the letters of a layout
_FUNCTIONS = ("compose", "reverse")


class IndexedName(Record):
    """A name of a file.

    Parameters
    ----------
    name, kind : the name, and its sort.
    declarations : where it is declared, the nearest first: one that is replaced in a schema that extends another has
        several. None of them is in this file if the name is inherited or belongs to another schema.
    uses : where this file uses it, in order; declarations are not among them.
    type : of a field or variable, as schemata write it; of others the declaration in short: `span[i: position]`.
    comment : the comment above its declaration.
    within : of a variable or field, the first and the last line of its declaration.
    """

    name: str
    kind: NameKind
    declarations: tuple[Span, ...] = ()
    uses: tuple[Span, ...] = ()
    type: str | None = None
    comment: str = ""
    within: tuple[int, int] | None = None

    def to_json(self) -> dict[str, object]:
        """Return the name as a JSON object, with places as lines and columns from 1."""
        return {
            "name": self.name,
            "kind": self.kind,
            "type": self.type,
            "declarations": [_place(span, file=True) for span in self.declarations],
            "uses": [_place(span) for span in self.uses],
        }


def _place(span: Span, file: bool = False) -> dict[str, object]:
    place: dict[str, object] = {"file": span.source.file} if file else {}
    return place | {"line": span.line, "column": span.column, "end_column": span.end}


class Block(Record):
    """A declaration of a file: its keyword, its name and the name's place, and its first and last line."""

    keyword: str
    name: str
    span: Span
    first: int
    last: int


class Index(Record):
    """The names of a file in the order in which they occur, and its declarations."""

    names: tuple[IndexedName, ...]
    blocks: tuple[Block, ...]

    def at(self, line: int, column: int) -> tuple[IndexedName, Span] | None:
        """Return the name at a place of the file (line and column from 1), with its span; None if
        there is no name.

        A place right behind a name belongs to it, unless another name begins there.
        """
        found: tuple[IndexedName, Span] | None = None
        for name, span in self._on_line(line):
            if span.column <= column < span.end:
                return name, span
            if column == span.end:
                found = name, span
        return found

    def _on_line(self, line: int) -> Iterator[tuple[IndexedName, Span]]:
        file = self.blocks[0].span.source if self.blocks else None
        for name in self.names:
            for span in (*name.declarations, *name.uses):
                if span.line == line and span.source == file:
                    yield name, span

    def block_at(self, line: int) -> Block | None:
        """Return the declaration that a line belongs to."""
        return next((b for b in self.blocks if b.first <= line <= b.last), None)

    def of(self, *kinds: NameKind) -> list[IndexedName]:
        """Return the names of some kinds."""
        return [name for name in self.names if name.kind in kinds]


def index_of(source: SourceText, types: VariableTypes | None = None) -> Index:
    """Return the index of a file.

    Parameters
    ----------
    source : the text of a schema or, by its suffix, of a relation file; files that it names are looked for beside it.
    types : the types of variables by their rule, as `schemata.language.files.check_file` finds them.
    """
    if source.file.endswith(RELATION_SUFFIX):
        return _RelationIndexer(source).index()
    indexer = _SchemaIndexer(source, types or {})
    return indexer.index()


def index_of_file(path: Path) -> Index:
    """Return the index of a schema or relation file, with the types of variables.

    Raises
    ------
    SchemaError : the file cannot be read.
    """
    source = read_source(path)
    types: VariableTypes = {}
    if path.suffix != RELATION_SUFFIX:
        check_file(path, types=types)
    return index_of(source, types)


def index_of_text(text: str, file: str, path: Path | None = None) -> Index:
    """Return the index of a schema given as text, with the types of variables; `path` says where it would stand."""
    from schemata.language.source import source_from_text

    types: VariableTypes = {}
    read_schema_text(text, file, path=path, types=types)
    return index_of(source_from_text(text, file, path), types)


# Collecting ---------------------------------------------------------------------------------------------------


_Key: TypeAlias = tuple[NameKind, str, object]  # kind, name, and the rule of a variable


@dataclass
class _Entry:
    declarations: list[Span] = field(default_factory=list)
    uses: list[Span] = field(default_factory=list)
    type: str | None = None
    comment: str = ""
    within: tuple[int, int] | None = None
    own: set[tuple[int, int, int]] = field(default_factory=set)  # places in this file, of both lists


class _Indexer:
    """Collects the names of one file."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.entries: dict[_Key, _Entry] = {}
        keywords = RELATION_KEYWORDS if source.file.endswith(RELATION_SUFFIX) else SCHEMA_KEYWORDS
        self.cut = cut_declarations(source, keywords, Findings())
        self.ends = {d.first: self._last(d.last, d.first) for d in self.cut}

    def _last(self, last: int, first: int) -> int:
        """Return the last line of a declaration that holds more than comments, which belong to the next one."""
        filled = self.source.filled(first, last)
        return filled[-1] if filled else first

    def declare(
        self, kind: NameKind, name: str, span: Span, type: str | None = None, rule: object = None
    ) -> _Entry:
        entry = self.entries.setdefault((kind, name, rule), _Entry())
        if span not in entry.declarations:
            entry.declarations.append(span)
            if span.source == self.source:
                entry.own.add((span.line, span.column, span.end))
        entry.type = type if entry.type is None else entry.type
        if not entry.comment and rule is None:
            entry.comment = comment_above(span.source, span.line)
        return entry

    def use(self, kind: NameKind, name: str, span: Span, rule: object = None) -> _Entry:
        entry = self.entries.setdefault((kind, name, rule), _Entry())
        place = span.line, span.column, span.end
        if place not in entry.own and span.source == self.source:
            entry.own.add(place)
            entry.uses.append(span)
        return entry

    def blocks(self, named: Mapping[int, tuple[str, Span]]) -> tuple[Block, ...]:
        """Return the declarations; `named` maps their first lines to their names."""
        found = []
        for d in self.cut:
            name, span = named.get(d.first, ("", d.span))
            found.append(Block(d.keyword, name, span, d.first, self.ends[d.first]))
        return tuple(found)

    def finished(self, blocks: tuple[Block, ...]) -> Index:
        used = ((key, entry) for key, entry in self.entries.items() if entry.own)
        names = []
        for (kind, name, _), entry in sorted(used, key=lambda pair: min(pair[1].own)[:2]):
            declared, uses = entry.declarations, sorted(entry.uses, key=_order)
            if kind == "variable":  # declared where it stands first
                first, *uses = sorted((*declared, *uses), key=_order)
                declared = [first]
            comment = entry.comment
            if kind == "item" and not comment and declared:
                comment = opening_comment(declared[0].source)
            about = entry.type, comment, entry.within
            names.append(IndexedName(name, kind, tuple(declared), tuple(uses), *about))
        return Index(tuple(names), blocks)


def _order(span: Span) -> tuple[int, int]:
    return span.line, span.column


def comment_above(source: SourceText, line: int) -> str:
    """Return the lines of comment right above a line, or else the comment at its end, without their signs.

    Declarations that follow each other without an empty line share the comment above the first of them.
    """
    own = (
        source.lines[line - 1][len(source.code[line - 1].rstrip()) :].strip()
        if line <= len(source.lines)
        else ""
    )
    if own:
        return own.lstrip("# ")
    k = line - 1
    keyword = source.code[line - 1].split()[:1]
    while (
        k
        and source.code[k - 1].strip()
        and (source.code[k - 1][:1].isspace() or source.code[k - 1].split()[:1] == keyword)
    ):
        k -= 1
    last = k
    while k and source.lines[k - 1].startswith("#"):
        k -= 1
    return "\n".join(text.lstrip("# ") for text in source.lines[k:last])


def _name_span(node: s.Name | s.Star) -> Span:
    """Return the place of a bare name, without the star, `?` or `@` beside it."""
    span, name = node.span, node.id
    if isinstance(node, s.Star):
        return Span(span.source, span.line, span.column + 1, span.column + 1 + len(name))
    if m.is_length(name):
        of = name.removeprefix(m.LENGTH_OF)
        return Span(span.source, span.line, span.end - len(of), span.end)
    return Span(span.source, span.line, span.column, span.column + len(name))


class _Known(Record):
    """The names of a schema that its rules may use, by kind, with the places of their declarations, nearest first."""

    names: Mapping[tuple[NameKind, str], tuple[Span, ...]]
    types: Mapping[tuple[NameKind, str], str]
    parameters: Mapping[str, tuple[Span, ...]]

    def has(self, kind: NameKind, name: str) -> bool:
        return (kind, name) in self.names


def declared_names(source: SourceText) -> list[IndexedName]:
    """Return the names that a schema file declares or inherits, without their uses."""
    known = _known(source)
    return [
        IndexedName(name, kind, spans, type=known.types[kind, name], comment=_comment_of(spans))
        for (kind, name), spans in known.names.items()
    ]


def item_forms_of_relation(source: SourceText) -> list[IndexedName]:
    """Return the item forms of the two schemata of a relation file."""
    header = parse_relation(source)[0].header
    ends = (header.first, header.second) if header else ()
    schemata = (_source_near(end.name, source) for end in ends)
    found = {
        x.name: x for one in schemata if one is not None for x in declared_names(one) if x.kind == "item"
    }
    return list(found.values())


def _comment_of(spans: tuple[Span, ...]) -> str:
    return next((text for span in spans if (text := comment_above(span.source, span.line))), "")


def opening_comment(source: SourceText) -> str:
    """Return the first comment of a schema file below its headings, which explains its items."""
    rows = [k for k, line in enumerate(source.lines) if line.startswith("#") and k]
    first = rows[:1]
    for row in rows[1:]:
        if row != first[-1] + 1:
            break
        first.append(row)
    return "\n".join(source.lines[k].lstrip("# ") for k in first)


def _known(source: SourceText) -> _Known:
    """Return the names that a schema file declares or inherits; the files that it extends are read again."""
    return _known_of(tuple(syntax.source for syntax in _chain(source)))


def _chain(source: SourceText) -> list[s.SchemaSyntax]:
    """Return the syntax tree of a schema file, and those of the files that it extends."""
    chain: list[s.SchemaSyntax] = []
    here: SourceText | None = source
    while here is not None and len(chain) <= REFUSALS.bases and all(x.source != here for x in chain):
        syntax, _ = parse_schema(here)
        chain.append(syntax)
        here = base_source(syntax)
    return chain


def named_files(source: SourceText) -> list[Path]:
    """Return the files that the index of a schema or relation file depends on, also those that are not there."""
    if source.file.endswith(RELATION_SUFFIX):
        syntax, _ = parse_relation(source)
        ends = (syntax.header.first, syntax.header.second) if syntax.header else ()
        chains = [
            [(end.name, source), *_extended(base)]
            for end in (*ends, *syntax.through)
            for base in (_source_near(end.name, source),)
        ]
    else:
        chains = [_extended(source)]
    found = dict.fromkeys(
        path
        for name, named_in in itertools.chain.from_iterable(chains)
        for folder in (named_in.path.parent if named_in.path else None,)
        for path in (folder / f"{name}{SUFFIX}" if folder else None, schema_near(name, folder))
        if path is not None
    )
    return list(found)


def _extended(source: SourceText | None) -> list[tuple[str, SourceText]]:
    """Return the names after `extends` in a file and in those that it extends, each with the file that has it."""
    chain = [] if source is None else _chain(source)
    return [(x.header.extends.name, x.source) for x in chain if x.header.extends]


@functools.lru_cache(maxsize=256)
def _known_of(sources: tuple[SourceText, ...]) -> _Known:
    """Return the names that a schema file declares or inherits from others, which follow it."""
    names: dict[tuple[NameKind, str], tuple[Span, ...]] = {}
    types: dict[tuple[NameKind, str], str] = {}
    parameters: dict[str, tuple[Span, ...]] = {}
    chain = [parse_schema(source)[0] for source in sources]
    for k, syntax in enumerate(chain):
        below = chain[k - 1].header.extends if k else None
        passed = {x.name for x in below.arguments} if below else set()
        for setting in syntax.header.parameters:
            # A parameter that the schema below sets is another one, even of the same name.
            if k == 0 or setting.name not in passed or setting.name in parameters:
                if setting.name in passed and setting.name in parameters:
                    continue
                parameters[setting.name] = (*parameters.get(setting.name, ()), setting.span)
        for kind, name, span, text in _declared(syntax):
            names[kind, name] = (*names.get((kind, name), ()), span)
            types.setdefault((kind, name), text)
    return _Known(names, types, parameters)


def base_source(syntax: s.SchemaSyntax) -> SourceText | None:
    """Return the text of the schema that one extends; None if it extends none, or its base cannot be read."""
    if syntax.header.extends is None:
        return None
    return _source_near(syntax.header.extends.name, syntax.source)


def _source_near(name: str, source: SourceText) -> SourceText | None:
    path = schema_near(name, source.path.parent if source.path else None)
    path = path or schema_near(ALIASES.get(name, ""), None)
    try:
        return read_source(path) if path else None
    except SchemaError:
        return None


def _typed(fields: Iterable[s.FieldSyntax]) -> str:
    return ", ".join(f"{f.name}: {type_text(f.type)}" for f in fields)


def type_text(kind: s.TypeName) -> str:
    """Return a type as schemata write it."""
    arguments = [type_text(a) for a in kind.arguments]
    match kind.name:
        case "optional":
            return f"{arguments[0]}?"
        case "tuple":
            return f"({', '.join(arguments)})"
        case "list" | "position" if arguments:
            return f"{kind.name} of {arguments[0]}"
    return kind.name


def _declared(syntax: s.SchemaSyntax) -> Iterator[tuple[NameKind, str, Span, str]]:
    """Yield the names that a file declares for rules: kind, name, place, and the declaration in short."""
    implicit: dict[str, tuple[Span, str]] = {}
    declared: set[str] = set()
    for one in syntax.inputs:
        yield "input", one.id, one.span, f"input {one.id}"
    for d in syntax.declarations:
        match d:
            case s.ItemDeclaration(form, fields):
                declared.add(form)
                yield "item", form, d.span, f"{form}[{_typed(fields)}]"
            case s.RelationDeclaration(name, fields):
                yield "relation", name, d.span, f"{name}({_typed(fields)})"
            case s.TypeDeclaration(name, alternatives):
                yield "type", name, d.span, f"{name} = {' | '.join(a.span.text for a in alternatives)}"
                for part in alternatives:
                    called = part.name.removesuffix("()")
                    if part.name.endswith("()"):
                        arguments = ", ".join(a.name for a in part.arguments)
                        span = Span(
                            part.span.source, part.span.line, part.span.column, part.span.column + len(called)
                        )
                        yield "constructor", called, span, f"{called}({arguments}): {name}"
            case s.Definition(name, parameters):
                yield "definition", name, d.span, f"{name}({', '.join(p.id for p in parameters)})"
            case s.StepDeclaration(name):
                yield (
                    "part" if d.part else "step",
                    name,
                    _step_span(d),
                    f"{'part' if d.part else 'step'} {name}",
                )
            case s.Hypothesis(item) if type(d) is s.Hypothesis:
                implicit.setdefault(item.form, (item.name_span, item.span.text.split("]")[0] + "]"))
    for form, (span, text) in implicit.items():
        if form not in declared:
            yield "item", form, span, text


def _step_span(step: s.StepDeclaration) -> Span:
    """Return the place of a step's name; that of a mirror image stands behind `as`."""
    if step.image_of is None:
        return step.span
    text = step.span.text
    at = text.rfind(step.name)
    start = step.span.column + (at if at >= 0 else 0)
    return Span(step.span.source, step.span.line, start, start + len(step.name))


class _SchemaIndexer(_Indexer):
    """Collects the names of a schema file."""

    def __init__(self, source: SourceText, types: VariableTypes) -> None:
        self.syntax, _ = parse_schema(source)
        super().__init__(source := self.syntax.source)  # the one of all its spans
        self.types = {
            (span.line, span.column): found for span, found in types.items() if span.source == source
        }
        self.known = _known(source)

    def index(self) -> Index:
        named: dict[int, tuple[str, Span]] = {}
        header = self.syntax.header
        for kind_name, spans in self.known.names.items():
            for span in spans:
                self.declare(*kind_name, span, self.known.types[kind_name])
        for name, spans in self.known.parameters.items():
            for span in spans:
                self.declare("parameter", name, span, "parameter")
        self._header(header)
        self.declare("schema", header.name, header.span, "schema")
        named[header.span.line] = header.name, header.span
        for name, span in self.syntax.removals:
            if self.known.has("step", name):
                self.use("step", name, Span(span.source, span.line, span.column, span.column + len(name)))
        for d in self.syntax.declarations:
            first = max((c.first for c in self.cut if c.first <= d.span.line), default=d.span.line)
            lines = first, self.ends.get(first, first)
            named[first] = self._declaration(d, lines)
        return self.finished(self.blocks(named))

    def _header(self, header: s.Header) -> None:
        base = header.extends
        self.walk(header.where, None, None)
        for setting in header.parameters:
            self.walk(setting.value, None, None)
        if base is None:
            return
        source = _source_near(base.name, self.source)
        reference(self, base, source)
        for argument in base.arguments:
            self.walk(argument.value, None, None)

    def _declaration(self, d: s.Declaration, lines: tuple[int, int]) -> tuple[str, Span]:
        rule: object = (d.span.line, d.span.column)
        match d:
            case s.ItemDeclaration(form, fields, where):
                for one in fields:
                    self.declare("field", one.name, one.span, type_text(one.type), rule).within = lines
                    self.type_names(one.type)
                self.walk(where, rule, lines, kind="field")
                return form, d.span
            case s.RelationDeclaration(name, fields):
                for one in fields:
                    self.declare("field", one.name, one.span, type_text(one.type), rule).within = lines
                    self.type_names(one.type)
                return name, d.span
            case s.TypeDeclaration(name, alternatives):
                for part in alternatives:
                    for argument in part.arguments or (part,) * (not part.name.endswith("()")):
                        self.type_names(argument)
                return name, d.span
            case s.Definition(name, parameters, body):
                self.walk((*parameters, *body), rule, lines)
                return name, d.span
            case s.StepDeclaration():
                self._step(d, lines)
                return d.name, _step_span(d)
            case s.Hypothesis(item, where):
                self.walk((item, *where), rule, lines)
                declared = self.entries["item", item.form, None]
                declared.comment = declared.comment or comment_above(self.source, lines[0])
                return item.form, item.name_span
        self.walk(d, rule, lines)
        left = getattr(d, "left", getattr(d, "item", None))
        return (left.form, left.name_span) if isinstance(left, s.ItemSyntax) else ("", d.span)

    def _step(self, step: s.StepDeclaration, lines: tuple[int, int]) -> None:
        if step.image_of is not None:
            found = step.span.text.find(step.image_of)
            start = step.span.column + max(0, found)
            if self.known.has("step", step.image_of):
                self.use(
                    "step",
                    step.image_of,
                    Span(self.source, step.span.line, start, start + len(step.image_of)),
                )
            return
        declared = (d for d in self.syntax.declarations if isinstance(d, s.StepDeclaration) and d.part)
        parts = {d.name: (d.cases[0].span.line, d.cases[0].span.column) for d in declared if d.cases}
        starts = [case.span.line for case in step.cases]
        for k, case in enumerate(step.cases):
            rule: object = (case.span.line, case.span.column)
            last = starts[k + 1] - 1 if k + 1 < len(starts) else lines[1]
            within = case.span.line, last
            for constituent in case.composed:
                name = constituent.part
                span = constituent.span
                self.use("part", name, Span(span.source, span.line, span.column, span.column + len(name)))
                # Restrictions speak of the variables of the part.
                self.walk(constituent.conditions, parts.get(name, rule), None)
            plain = replace(case, composed=())
            self.walk(plain, rule, within, letters=case.family is not None)
            for name, kind in self.types.get((case.span.line, case.span.column), {}).items():
                if ("variable", name, rule) in self.entries:
                    self.entries["variable", name, rule].type = str(kind)

    def type_names(self, kind: s.TypeName) -> None:
        """Add the declared types and inputs that a type names."""
        if self.known.has("type", kind.name):
            self.use("type", kind.name, kind.span)
        for argument in kind.arguments:
            if kind.name == "position" and self.known.has("input", argument.name):
                self.use("input", argument.name, argument.span)
            self.type_names(argument)

    def walk(
        self,
        node: object,
        rule: object,
        lines: tuple[int, int] | None,
        kind: NameKind = "variable",
        letters: bool = False,
    ) -> None:
        """Add the names of a rule's parts: items, calls, parameters, and the variables of the rule."""
        called: set[int] = set()
        types = self.types.get(rule, {}) if isinstance(rule, tuple) else {}
        for part in m.nodes(node):
            if isinstance(part, s.ItemSyntax):
                self.use("item", part.form, part.name_span)
            call = s.application(part)
            if call is not None and self._is_call(call[0].id, letters):
                called.add(id(call[0]))
                for of in ("definition", "relation", "constructor"):
                    if self.known.has(of, call[0].id):
                        self.use(of, call[0].id, _name_span(call[0]))
                        break
            elif isinstance(part, s.Dotted) and letters and isinstance(part.category, s.Name):
                called |= {id(part.category)} if part.category.id in _FAMILY else set()
            if isinstance(part, s.Name | s.Star) and id(part) not in called:
                self._name(part, rule, lines, kind, types)

    def _is_call(self, name: str, letters: bool) -> bool:
        kinds: tuple[NameKind, ...] = ("definition", "relation", "constructor")
        return (
            any(self.known.has(k, name) for k in kinds) or name in _FUNCTIONS or (letters and name in _FAMILY)
        )

    def _name(
        self,
        part: s.Name | s.Star,
        rule: object,
        lines: tuple[int, int] | None,
        kind: NameKind,
        types: Mapping[str, m.Type],
    ) -> None:
        name, span = part.id, _name_span(part)
        if m.is_length(name):
            self.use("input", name.removeprefix(m.LENGTH_OF), span)
        elif name in self.known.parameters:
            self.use("parameter", name, span)
        elif rule is not None and name not in ("n", "_", *m.INFIX):
            if ((kind, name, rule)) in self.entries:
                entry = self.use(kind, name, span, rule)
            elif kind == "field":
                return  # no field of the item: a mistake
            else:
                entry = self.declare(kind, name, span, None, rule)
            entry.within = lines or entry.within
            if name in types:
                entry.type = str(types[name])


def reference(indexer: _Indexer, named: s.SchemaReference, source: SourceText | None) -> None:
    """Add a use of a schema, and of its parameters."""
    span = named.span
    place = Span(span.source, span.line, span.column, span.column + len(named.name))
    entry = indexer.use("schema", named.name, place)
    if source is None:
        return
    header = parse_schema(source, ("schema",))[0].header
    if header.span not in entry.declarations:
        entry.declarations.append(header.span)
        entry.type = "schema"
    parameters = _known(source).parameters
    for argument in named.arguments:
        spans = parameters.get(argument.name, ())
        # Parameters of the other schema are apart from those of this one, which may have the same name.
        used = indexer.use("parameter", argument.name, argument.span, rule=source.file)
        used.declarations = used.declarations or list(spans)
        used.type = "parameter"


class _RelationIndexer(_Indexer):
    """Collects the names of a relation file."""

    def index(self) -> Index:
        syntax, _ = parse_relation(self.source)
        named: dict[int, tuple[str, Span]] = {}
        sources: list[SourceText | None] = [None, None]
        values: set[str] = set()
        for value in syntax.ranges:
            self.declare("parameter", value.name, value.span, "parameter")
            values.add(value.name)
            named[value.span.line] = value.name, value.span
        if header := syntax.header:
            ends = (header.first, header.second)
            sources = [_source_near(end.name, self.source) for end in ends]
            named[header.first.span.line] = " to ".join(end.name for end in ends), header.first.span
        references = [*(ends if header else ()), *syntax.through]
        for one in references:
            reference(self, one, _source_near(one.name, self.source))
            for argument in one.arguments:
                for part in s.names_in(argument.value):
                    if part.id in values:
                        self.use("parameter", part.id, _name_span(part))
        for line in syntax.maps:
            first, second = reversed(sources) if line.reversed else sources
            named[line.span.line] = line.source.form, line.source.name_span
            last = self.ends.get(line.span.line, line.span.line)
            self._map(line, first, second, values, (line.span.line, last))
        return self.finished(self.blocks(named))

    def _map(
        self,
        line: s.ItemMapLine,
        first: SourceText | None,
        second: SourceText | None,
        values: set[str],
        lines: tuple[int, int],
    ) -> None:
        rule = (line.span.line, line.span.column)
        for item, source in ((line.source, first), (line.target, second)):
            entry = self.use("item", item.form, item.name_span, rule=source.file if source else None)
            if source is not None and not entry.declarations:
                known = _known(source)
                entry.declarations = list(known.names.get(("item", item.form), ()))
                entry.type = known.types.get(("item", item.form))
                if entry.declarations:
                    place = entry.declarations[0]
                    entry.comment = comment_above(place.source, place.line)
        named: Any = (
            (line.target, line.source, line.where)
            if line.reversed
            else (line.source, line.target, line.where)
        )
        for part in s.names_in(named):
            if part.id in values:
                self.use("parameter", part.id, _name_span(part))
            elif part.id not in ("n", "_", *m.INFIX):
                key = ("variable", part.id, rule)
                known_name = key in self.entries
                add = self.use if known_name else self.declare
                entry = add("variable", part.id, _name_span(part), rule=rule)
                entry.within = lines
