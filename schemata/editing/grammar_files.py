"""Grammar files as editors read them: their findings, and an index of categories, relations, symbols and words.

The readers of grammars keep no places of names, so that the index is made of tokens, which all line formats share. A
category is declared by the rules for it; a relation of facts is declared where it stands first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from schemata.editing.document import Document
from schemata.errors import Diagnostic, GrammarError, SchemataError
from schemata.grammars.kinds import grammar_from_text, kind_of_suffix
from schemata.grammars.text import Cursor, LineToken, read_lines, text_of
from schemata.kinds import CONSTRAINTS, CONTEXT_FREE, DEPENDENCY_RULES, FACTS, LINK_GRAMMAR
from schemata.language.index import Block, Index, IndexedName, NameKind
from schemata.language.source import SourceText, Span

_MARKS = (
    "->",
    "→",
    "!=",
    "≠",
    "<=",
    "≤",
    ">=",
    "≥",
    "<",
    ">",
    "=",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "|",
    "*",
    "^",
)
_FACT_MARKS = ("(", ")", ",", "<", ">", "⟨", "⟩")
_WORDS = {
    "root", "start", "tag", "head", "takes", "on", "the", "left", "right", "either", "side", "within", "any", "labels",
    "constraint", "not", "and", "or", "log", "in", "true", "false", "is",
}  # fmt: skip
_ENTRY = re.compile(r"([^:;%]*):[^;]*;", re.DOTALL)


class _GrammarNames(NamedTuple):
    kind: NameKind
    name: str
    token: LineToken
    declares: bool


def findings_in(document: Document) -> tuple[Diagnostic, ...]:
    """Return the errors of a grammar, or its warnings if there are none."""
    kind = kind_of_suffix(document.path.suffix)
    assert kind is not None
    try:
        return tuple(grammar_from_text(document.text, kind, str(document.path)).warnings)
    except SchemataError as error:
        return error.diagnostics


def index_of_grammar(document: Document) -> Index:
    """Return the index of a grammar file; an empty one if the file does not consist of lines of text."""
    kind = kind_of_suffix(document.path.suffix)
    try:
        text = text_of(document.text, str(document.path))
    except GrammarError:
        return Index((), ())
    source = SourceText(text.file, text.lines, text.lines, document.path)
    if kind == LINK_GRAMMAR:
        found = list(_entries(text.lines))
    else:
        found = []
        read = _words if kind is None else _READERS.get(kind, _words)
        marks = _FACT_MARKS if kind == FACTS else _MARKS
        read_lines(text, marks, lambda line: found.extend(read(line)))
    return _index(source, found)


def _index(source: SourceText, found: Iterable[_GrammarNames]) -> Index:
    names: dict[tuple[NameKind, str], tuple[list[Span], list[Span]]] = {}
    blocks: list[Block] = []
    for kind, name, token, declares in found:
        span = Span(source, token.line, token.column, token.end)
        declarations, uses = names.setdefault((kind, name), ([], []))
        if not declares or (kind == "relation" and declarations):
            uses.append(span)
            continue
        declarations.append(span)
        if blocks and blocks[-1].name == name and blocks[-1].last == token.line - 1:
            last = blocks.pop()
            blocks.append(Block(last.keyword, name, last.span, last.first, token.line))
        elif not blocks or blocks[-1].name != name:
            blocks.append(Block(kind, name, span, token.line, token.line))
    indexed = (
        IndexedName(name, kind, tuple(declarations), tuple(uses), kind)
        for (kind, name), (declarations, uses) in names.items()
    )
    return Index(tuple(indexed), tuple(blocks))


def _quoted_kind(token: LineToken) -> NameKind | None:
    if token.kind in ("word", "label"):
        return "word"
    return "category" if token.kind == "name" and not token.text.startswith("[") else None


def _rewriting(line: Cursor) -> Iterator[_GrammarNames]:
    """Yield the names of a rule `A -> B "c"`, of `start A` or of an entry `word : A`."""
    tokens = line.tokens[:-1]
    arrow = any(token.is_mark("->", "→") for token in tokens)
    colon = next((k for k, token in enumerate(tokens) if token.is_mark(":")), len(tokens))
    for k, token in enumerate(tokens):
        kind = _quoted_kind(token)
        if kind is None or (k == 0 and not arrow and token.text in ("root", "start", "tag")):
            continue
        if not arrow and k < colon < len(tokens):
            kind = "word"
        yield _GrammarNames(kind, token.text, token, declares=kind == "word" or (k == 0 and arrow))


def _dependency_rule(line: Cursor) -> Iterator[_GrammarNames]:
    """Yield the names of a rule `A(B * C)`, of `root A` or of an entry `word : A`."""
    tokens = line.tokens[:-1]
    is_rule = len(tokens) > 1 and tokens[1].is_mark("(")
    colon = next((k for k, token in enumerate(tokens) if token.is_mark(":")), len(tokens))
    for k, token in enumerate(tokens):
        kind = _quoted_kind(token)
        if kind is None or (k == 0 and not is_rule and token.text in ("root", "tag")):
            continue
        if not is_rule and k < colon < len(tokens):
            kind = "word"
        yield _GrammarNames(kind, token.text, token, declares=kind == "word" or (k == 0 and is_rule))


def _fact(line: Cursor) -> Iterator[_GrammarNames]:
    """Yield the names of a fact `relation(a, b)`."""
    tokens = line.tokens[:-1]
    for k, token in enumerate(tokens):
        if token.kind != "mark" and not token.text.startswith("["):
            relation = k == 0 and len(tokens) > 1 and tokens[1].is_mark("(")
            yield _GrammarNames("relation" if relation else "symbol", token.text, token, declares=relation)


def _constraint(line: Cursor) -> Iterator[_GrammarNames]:
    """Yield the names of a line of constraints: labels, categories, names of constraints."""
    tokens = line.tokens[:-1]
    for k, token in enumerate(tokens):
        if token.kind == "mark" or token.text in _WORDS or token.text.startswith("["):
            continue
        declares = (tokens[0].text == "labels" and k > 0) or (
            tokens[0].text in ("constraint", "tag") and k == 1
        )
        yield _GrammarNames("symbol", token.text, token, declares)


def _words(line: Cursor) -> Iterator[_GrammarNames]:
    """Yield the words in quotes of a line of D-rules; one is declared by the rule of which it is a head."""
    tokens = line.tokens[:-1]
    takes = next((k for k, token in enumerate(tokens) if token.text == "takes"), len(tokens))
    for k, token in enumerate(tokens):
        if token.kind == "word":
            yield _GrammarNames("word", token.text, token, declares=tokens[0].text == "head" and k < takes)


def _entries(lines: tuple[str, ...]) -> Iterator[_GrammarNames]:
    """Yield the words of the entries of a dictionary of Link Grammar."""
    code = "\n".join(line.partition("%")[0] for line in lines)
    for entry in _ENTRY.finditer(code):
        for word in re.finditer(r"[^\s]+", entry[1]):
            start = entry.start(1) + word.start()
            row = code.count("\n", 0, start)
            column = start - (code.rfind("\n", 0, start) + 1) + 1
            token = LineToken("name", word[0], row + 1, column, column + len(word[0]))
            yield _GrammarNames("word", word[0], token, declares=True)


_READERS = {
    FACTS: _fact,
    CONTEXT_FREE: _rewriting,
    DEPENDENCY_RULES: _dependency_rule,
    CONSTRAINTS: _constraint,
}
