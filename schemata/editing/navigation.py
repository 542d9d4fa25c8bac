"""Names and their places: definition, references and rename through all files that share a name; symbols, folding."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from schemata.editing.analysis import Analysis, analysed, errors_in
from schemata.editing.document import Document, Edit, Position, TextRange, document_of
from schemata.editing.findings import Finding, diagnostics
from schemata.errors import Diagnostic, UsageError
from schemata.language.index import Index, IndexedName, index_of
from schemata.language.parse import CONDITION_WORDS, RESERVED, words_of_language
from schemata.language.shipped import shipped_files
from schemata.language.source import RELATION_SUFFIX, SUFFIX, SourceText, Span, source_from_text
from schemata.records import Record
from schemata.thresholds import REFUSALS

Texts: TypeAlias = Mapping[Path, str]
"""The texts of files that are open in an editor, which may differ from the saved ones."""
_SHARED = ("item", "step", "definition", "relation", "type")
_LOCAL = ("variable", "field", "category", "symbol", "word")
_NAME = re.compile(r"[^\W\d_]\w*'*")
_STEP = re.compile(r"[^\s#](?:[^#\n]*[^\s#])?")


class FileRange(Record):
    """A range of a file."""

    path: Path
    range: TextRange


class Symbol(Record):
    """A declaration for outlines: its name, its kind, the range of all of it, and that of the name."""

    name: str
    keyword: str
    place: FileRange
    selection: TextRange


def definition(text: str, position: Position, path: str | Path = "schema") -> list[FileRange]:
    """Return where the name at a place is declared, the nearest first; nothing where there is no name."""
    known = analysed(Document(text, Path(path)), checked=False)
    found = _name_at(known, position)
    return [] if found is None else [_place(known, span) for span in found[0].declarations]


def references(
    text: str,
    position: Position,
    path: str | Path = "schema",
    files: Iterable[Path] = (),
    texts: Texts | None = None,
) -> list[FileRange]:
    """Return where the name at a place is declared and used.

    Parameters
    ----------
    text, position, path : as for `schemata.editing.hover.hover`.
    files : further schema and relation files to look through.
    texts : the texts of files as they are open in the editor.
    """
    known = analysed(Document(text, Path(path)), checked=False)
    found = _name_at(known, position)
    if found is None:
        return []
    spans = _spans(known, found[0], files, texts or {})
    return [
        FileRange(file, document.range_of(span)) for file, (document, own) in spans.items() for span in own
    ]


def name_range(text: str, position: Position, path: str | Path = "schema") -> TextRange | None:
    """Return the range of the name at a place that can be renamed; None if there is none."""
    known = analysed(Document(text, Path(path)), checked=False)
    found = _name_at(known, position)
    if found is None or found[0].kind == "schema":
        return None
    return known.document.range_of(found[1])


def rename(
    text: str,
    position: Position,
    new: str,
    path: str | Path = "schema",
    files: Iterable[Path] = (),
    texts: Texts | None = None,
) -> dict[Path, list[Edit]]:
    """Return the changes that give the name at a place another one, by file; parameters as for `references`.

    Raises
    ------
    UsageError : there is no name, the new name is not allowed or is taken, or a shipped file would change.
    """
    known = analysed(Document(text, Path(path)), checked=False)
    found = _name_at(known, position)
    if found is None:
        raise UsageError("there is no name to change here", code="no-name")
    name, _ = found
    if name.kind == "schema":
        raise UsageError("a schema is called like its file: rename the file", code="bad-name")
    spans = _spans(known, name, files, texts or {})
    _check_new(name, new, spans)
    own = known.document.path
    shipped = _shipped_folder()
    changes = {
        file: [
            Edit(document.range_of(span), new) for span in sorted(places, key=lambda s: (s.line, s.column))
        ]
        for file, (document, places) in spans.items()
    }
    for file in changes:
        if (
            shipped is not None
            and file != own
            and shipped in file.parents
            and own != file
            and shipped not in own.parents
        ):
            raise UsageError(f"{name.name} is declared in a shipped file, {file.name}", code="shipped-file")
    if set(changes) == {own}:
        _refuse_errors(known, name, new, changes[own])
    return changes


def _refuse_errors(known: Analysis, name: IndexedName, new: str, edits: list[Edit]) -> None:
    """Refuse a new name that leads to an error.

    No check is needed if the new name is no word of the language, occurs nowhere in the text, and replaces a name
    that the whole file shares. For a variable, only its step is checked: checking all of a long schema takes an
    editor too long.
    """
    text = known.document.text
    alone = known.document.language == "schema" and not re.search(r"\b(extends|composed\s+of)\b", text)
    is_new = _NAME.fullmatch(new) and not re.search(rf"(?<!\w){re.escape(new)}(?!\w)", text)
    if alone and is_new and name.kind in _SHARED and new not in words_of_language():
        return
    block = known.index.block_at(name.within[0]) if alone and name.within else None
    is_step = block is not None and block.keyword == "step"
    document = known.alone(block) if block is not None and is_step else known.document
    errors: Callable[[Document], Sequence[Finding | Diagnostic]] = errors_in if is_step else _errors_of
    found = errors(document.with_edits(edits))
    if found and len(found) > len(errors(document)):
        raise UsageError(f"{name.name} cannot be called {new}: {found[0].message}", code="bad-name")


def _errors_of(document: Document) -> list[Finding]:
    return [x for x in diagnostics(document.text, document.path) if x.severity == "error"]


def _shipped_folder() -> Path | None:
    files = shipped_files(SUFFIX)
    return next(iter(files.values())).parent.parent if files else None


def _check_new(name: IndexedName, new: str, spans: Mapping[Path, tuple[Document, list[Span]]]) -> None:
    """Refuse names that the language reserves, and names that are already taken where this one is used."""
    pattern = _STEP if name.kind in ("step", "part", "category", "symbol", "word") else _NAME
    if pattern.fullmatch(new) is None or len(new) > REFUSALS.name_characters:
        raise UsageError(f"{new!r} is not a name", code="bad-name", expected="letters, digits, _ and '")
    if pattern is _NAME and new in RESERVED | CONDITION_WORDS | {"n", "given"}:
        raise UsageError(f"{new} is a word of the language", code="bad-name", expected="another name")
    for document, _ in spans.values():
        for other in analysed(document, checked=False).index.names:
            if other.name != new:
                continue
            variables = {"variable", "field"}
            if name.kind in variables and other.kind in variables:
                taken = other.within == name.within
            elif name.kind in variables or other.kind in variables:
                taken = "parameter" in (name.kind, other.kind)
            else:
                taken = other.kind == name.kind or {name.kind, other.kind} <= _CALLED
            if taken:
                raise UsageError(
                    f"there is a {other.kind} {new} already", code="bad-name", expected="another name"
                )


_CALLED = {"relation", "definition", "constructor", "parameter"}


def _name_at(known: Analysis, position: Position) -> tuple[IndexedName, Span] | None:
    return known.index.at(*known.document.place_of(position))


def _place(known: Analysis, span: Span) -> FileRange:
    if span.source.path is None or span.source.path == known.document.path:
        return FileRange(known.document.path, known.document.range_of(span))
    return FileRange(span.source.path, document_of(span.source).range_of(span))


def _root(name: IndexedName) -> tuple[str, str, int, int] | None:
    """Return the kind of a name and the place of its first declaration, which all files that share it agree on."""
    if not name.declarations:
        return None
    span = name.declarations[-1]
    file = str(span.source.path.resolve()) if span.source.path else span.source.file
    return name.kind, file, span.line, span.column


def _spans(
    known: Analysis, name: IndexedName, files: Iterable[Path], texts: Texts
) -> dict[Path, tuple[Document, list[Span]]]:
    """Return the places of a name by file, with the text of each."""
    own = known.document.path
    found = {own: (known.document, _own(name, known.source))}
    root = _root(name)
    if name.kind in _LOCAL or root is None or known.source is None:
        return {file: pair for file, pair in found.items() if pair[1]}
    declared = (s.source.path for s in name.declarations if s.source.path is not None)
    seen = {own.resolve()}
    for file in (*declared, *files):
        if file.resolve() in seen or file.suffix not in (SUFFIX, RELATION_SUFFIX):
            continue
        seen.add(file.resolve())
        other = indexed(file, texts)
        if other is None:
            continue
        document, source, index = other
        spans = [s for x in index.names if _root(x) == root for s in _own(x, source)]
        if spans:
            found[file] = document, spans
    return {file: pair for file, pair in found.items() if pair[1]}


def _own(name: IndexedName, source: SourceText | None) -> list[Span]:
    spans = (*name.declarations, *name.uses)
    return [s for s in spans if source is None or s.source == source]


def indexed(file: Path, texts: Texts) -> tuple[Document, SourceText, Index] | None:
    """Return a file's text, its source and the index of its names; None if it cannot be read."""
    from schemata.errors import SchemaError
    from schemata.language.source import read_source

    try:
        source = source_from_text(texts[file], str(file), file) if file in texts else read_source(file)
        return (
            (Document(texts[file], file) if file in texts else document_of(source)),
            source,
            index_of(source),
        )
    except (SchemaError, RecursionError):
        return None


# Outlines ------------------------------------------------------------------------------------------------------


def symbols(text: str, path: str | Path = "schema") -> list[Symbol]:
    """Return the declarations of a text in order."""
    known = analysed(Document(text, Path(path)), checked=False)
    return list(_symbols(known.document, known.index))


def workspace_symbols(query: str, files: Iterable[Path], texts: Texts | None = None) -> list[Symbol]:
    """Return the declarations of files whose names contain a text, in any case."""
    wanted = query.casefold()
    found = (indexed(file, texts or {}) for file in files)
    rows = (symbol for one in found if one is not None for symbol in _symbols(one[0], one[2]))
    return [row for row in rows if wanted in row.name.casefold()]


def _symbols(document: Document, index: Index) -> Iterator[Symbol]:
    for block in index.blocks:
        if not block.name:
            continue
        end = len(document.line(block.last - 1)) + 1
        whole = TextRange(document.position_of(block.first, 1), document.position_of(block.last, end))
        yield Symbol(
            block.name, block.keyword, FileRange(document.path, whole), document.range_of(block.span)
        )


def folding(text: str, path: str | Path = "schema") -> list[tuple[int, int, bool]]:
    """Return the stretches of lines that can be folded, from 0, both ends included; True for those of comments."""
    known = analysed(Document(text, Path(path)), checked=False)
    found = [(b.first - 1, b.last - 1, False) for b in known.index.blocks if b.last > b.first]
    sign = "%" if known.document.path.suffix == ".dict" else "#"
    rows = [k for k, line in enumerate(known.document.lines) if line.lstrip().startswith(sign)]
    start = None
    for k in rows:
        start = k if start is None or k - 1 not in rows else start
        if k + 1 not in rows and k > start:
            found.append((start, k, True))
    return sorted(found)
