"""Semantic tokens: the type of each stretch of a text, for colours that follow the meaning of names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from schemata.editing.analysis import Analysis, analysed
from schemata.editing.document import Document
from schemata.language.index import NameKind
from schemata.language.source import QUOTED
from schemata.records import Record

TOKEN_TYPES = (
    "keyword", "comment", "string", "number", "operator", "namespace", "class", "property", "method", "function",
    "type", "enumMember", "parameter", "variable",
)  # fmt: skip
"""The types of tokens, of those that the protocol names."""
_TYPE_OF: Mapping[NameKind, str] = {
    "schema": "namespace", "item": "class", "field": "property", "step": "method", "part": "method",
    "relation": "function", "definition": "function", "type": "type", "constructor": "enumMember", "input": "parameter",
    "parameter": "parameter", "variable": "variable", "category": "class", "symbol": "enumMember", "word": "string",
}  # fmt: skip
_LEXED = re.compile(
    rf"(?P<string>{QUOTED})|(?P<comment>#.*)|(?P<operator>-{{3,}}|[─━]{{3,}})|(?P<number>(?<![\w'])\d+(?:\.\d+)?)"
)


class ColouredStretch(Record):
    """A stretch of a line: line, character and length from 0 in units of UTF-16, and its type."""

    line: int
    character: int
    length: int
    type: str


def semantic_tokens(text: str, path: str | Path = "schema") -> list[ColouredStretch]:
    """Return the tokens of a text in order; none overlap."""
    known = analysed(Document(text, Path(path)), checked=False)
    found: dict[tuple[int, int], ColouredStretch] = {}
    ends: dict[int, int] = {}
    for token in sorted(_tokens(known), key=lambda x: (x.line, x.character, x.length, x.type)):
        if token.length > 0 and token.character >= ends.get(token.line, 0):
            found[token.line, token.character] = token
            ends[token.line] = token.character + token.length
    return list(found.values())


def _tokens(known: Analysis) -> Iterator[ColouredStretch]:
    document, source = known.document, known.source
    for name in known.index.names:
        for span in (*name.declarations, *name.uses):
            if source is None or span.source == source:
                yield _token(document, span.line, span.column, span.end, _TYPE_OF[name.kind])
    if source is None:
        return
    for block in known.index.blocks:
        line = source.code[block.first - 1]
        margin = len(line) - len(line.lstrip())
        if line[margin:].startswith(block.keyword):
            yield _token(document, block.first, margin + 1, margin + 1 + len(block.keyword), "keyword")
    for number, line in enumerate(source.lines, start=1):
        for match in _LEXED.finditer(line):
            yield _token(document, number, match.start() + 1, match.end() + 1, match.lastgroup or "operator")


def _token(document: Document, line: int, start: int, end: int, kind: str) -> ColouredStretch:
    spot = document.range_at(line, start, end)
    return ColouredStretch(
        spot.start.line, spot.start.character, spot.end.character - spot.start.character, kind
    )


def encoded(tokens: list[ColouredStretch]) -> list[int]:
    """Return tokens as the protocol has them: five numbers each, places relative to the token before."""
    data: list[int] = []
    line = character = 0
    for token in tokens:
        row = token.line - line
        data += [
            row,
            token.character - (0 if row else character),
            token.length,
            TOKEN_TYPES.index(token.type),
            0,
        ]
        line, character = token.line, token.character
    return data
