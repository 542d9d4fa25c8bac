"""Reads a relation file into its syntax tree, collecting every mistake on the way.

Like a schema file, it is cut into declarations by the keywords its lines begin with, and each is parsed by
itself. What does not parse is left out of the tree.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Any

from schemata.errors import Diagnostic, did_you_mean
from schemata.language import relation_syntax as r
from schemata.language.declarations import UNKNOWN, Declaration
from schemata.language.parse import PieceParser
from schemata.language.pieces import Piece, piece
from schemata.language.source import SourceText, Span, line_span

__all__ = ["RELATION_KEYWORDS", "parse_map", "parse_relation"]

RELATION_KEYWORDS = ("relation", "kind", "source", "requires", "through", "for", "map")
_KEYWORD = re.compile(rf"\s*({'|'.join(RELATION_KEYWORDS)})(?![\w'-])(?!\s*(?:[<>=!≤≥≠+,\])?\[]|-\s))")
_WORD = re.compile(r"\s*([^\W\d_][\w-]*'*)(?=\s|$)")
_GOES_ON = frozenset(("to", "from", "where", "and", "or", "in", "not", "is", "minus"))
_NAME = re.compile(r"[^\W\d_]\w*'*")


def parse_relation(source: SourceText) -> tuple[r.RelationSyntax, list[Diagnostic]]:
    """Return the syntax tree of a relation file, with all of it that parsed, and every syntax error."""
    reader = _Reader(source)
    return reader.read(), reader.problems


def parse_map(source: SourceText) -> tuple[r.ItemMapLine | None, list[Diagnostic]]:
    """Return what one `ITEM to ITEM` or `ITEM from ITEM` says, without the keyword, and every mistake."""
    parser = PieceParser(source)
    text = "\n".join(source.code).replace("\t", " ")
    return parser.parse("item_map", Piece(text, 1), "the map"), parser.problems


class _Reader(PieceParser):
    """One pass over a source text."""

    def __init__(self, source: SourceText) -> None:
        super().__init__(source)
        self.whole = True
        self.lost_names: set[str] = set()

    def read(self) -> r.RelationSyntax:
        header: r.RelationHeader | None = None
        kind: tuple[str, Span] | None = None
        reference: str | None = None
        requires: list[tuple[str, Span]] = []
        through: list[r.SchemaReference] = []
        ranges: list[r.ValueRange] = []
        maps: list[r.ItemMapLine] = []
        seen: set[str] = set()
        for d in self._declarations():
            if d.keyword in seen and d.keyword in ("relation", "kind", "source", "through"):
                self._report(d.span, "duplicate-declaration", f"a second {d.keyword}", expected="one")
                continue
            seen.add(d.keyword)
            match d.keyword:
                case "relation":
                    header = self._parsed("relation_header", d, "the relation line")
                case "kind":
                    kind = self._rest(d)
                case "source":
                    reference = self._string(d)
                case "requires":
                    requires += self._requirements(d)
                case "through":
                    through += self._parsed("stations", d, "the list of schemata") or ()
                case "for":
                    found = self._parsed("value_range", d, "the range")
                    if found is not None:
                        ranges.append(found)
                case "map":
                    line = self._parsed("item_map", d, "the map")
                    if line is not None:
                        maps.append(line)
                case _:
                    self._lose(piece(self.source, d.first, d.last))
        if "kind" not in seen and UNKNOWN not in seen and header is not None:
            self._report(
                header.span,
                "no-kind",
                "the relation has no kind",
                expected="kind KIND",
                hint="for example: kind step-refinement",
            )
        return r.RelationSyntax(
            self.source, header, kind, reference, tuple(requires), tuple(through), tuple(ranges), tuple(maps),
            self.whole, frozenset(self.lost_names),
        )  # fmt: skip

    def _report(
        self, span: Span, code: str, message: str, expected: str | None = None, hint: str | None = None
    ) -> None:
        self.problems.append(span.report(code, message, expected=expected, hint=hint))

    def _lose(self, text: Piece) -> None:
        self.whole = False
        self.lost_names.update(_NAME.findall(text.text))

    # declarations

    def _declarations(self) -> list[Declaration]:
        starts: list[tuple[str, Span]] = []
        for number, line in enumerate(self.source.code, start=1):
            if "\t" in line:
                column = line.index("\t") + 1
                self._report(
                    Span(self.source, number, column, column + 1),
                    "tab",
                    "a tab character",
                    expected="blanks",
                    hint="replace tabs by blanks: columns matter to readers",
                )
            if not line.strip():
                continue
            found = _KEYWORD.match(line)
            if found:
                starts.append((found[1], Span(self.source, number, found.start(1) + 1, found.end(1) + 1)))
            elif not starts or self._is_keyword(line):
                starts.append(self._unknown(number, line, first=not starts))
        if all(keyword != "relation" for keyword, _ in starts) and starts[0][0] != UNKNOWN:
            self._no_relation_line(starts[0][1])
        ends = [span.line - 1 for _, span in starts[1:]] + [len(self.source.lines)]
        return [Declaration(k, span, span.line, end) for (k, span), end in zip(starts, ends, strict=True)]

    def _is_keyword(self, line: str) -> bool:
        """Whether the first word of a line that no keyword begins can only be meant as one."""
        word = _WORD.match(line)
        if word is None or word[1] in _GOES_ON:
            return False
        return not line[0].isspace() or bool(get_close_matches(word[1], RELATION_KEYWORDS, cutoff=0.7))

    def _unknown(self, number: int, line: str, first: bool) -> tuple[str, Span]:
        word = _WORD.match(line)
        span = line_span(self.source, number, word[1] if word else line.strip()[0])
        near = get_close_matches(span.text.casefold(), RELATION_KEYWORDS, n=1, cutoff=0.7)
        if first and near != ["relation"]:
            self._no_relation_line(span)
            return UNKNOWN, span
        self._report(
            span,
            "unknown-keyword",
            f"unknown keyword {span.text}",
            expected="a keyword: " + ", ".join(RELATION_KEYWORDS),
            hint=did_you_mean(span.text, RELATION_KEYWORDS),
        )
        return near[0] if near else UNKNOWN, span

    def _no_relation_line(self, span: Span) -> None:
        schema = span.text == "schema"
        self._report(
            span,
            "no-relation-line",
            "the file does not begin with a relation line",
            expected="relation SCHEMA to SCHEMA",
            hint="a schema stands in a file NAME.schema" if schema else None,
        )

    # their parts

    def _parsed(self, start: str, d: Declaration, what: str) -> Any:
        """Parse what follows the keyword of a declaration."""
        text = piece(self.source, d.first, d.last, d.span.end)
        found: Any = None
        if text.blank:
            self._report(d.span, "missing-name", f"nothing follows {d.keyword}", expected=_SHAPES[d.keyword])
        else:
            found = self.parse(start, text, what)
        if found is None:
            self._lose(text)
        return found

    def _rest(self, d: Declaration) -> tuple[str, Span] | None:
        """Return the one line that follows a keyword."""
        start = d.span.end - 1
        text = self.source.code[d.first - 1][start:].strip()
        for number in range(d.first + 1, d.last + 1):
            if self.source.code[number - 1].strip():
                self._report(
                    line_span(self.source, number),
                    "stray-line",
                    f"a stray line after {d.keyword}",
                    expected="a keyword, or nothing",
                )
                break
        if text:
            return text, line_span(self.source, d.first, text, start)
        self._report(d.span, "missing-name", f"nothing follows {d.keyword}", expected=_SHAPES[d.keyword])
        return None

    def _string(self, d: Declaration) -> str | None:
        rest = self._rest(d)
        if rest is None:
            return None
        found = re.fullmatch(r'"([^"]*)"', rest[0])
        if found:
            return found[1]
        self._report(
            rest[1], "bad-string", f"the {d.keyword} is not one quoted string", expected='"..." on one line'
        )
        return None

    def _requirements(self, d: Declaration) -> list[tuple[str, Span]]:
        rest = self._rest(d)
        if rest is None:
            return []
        text, span = rest
        found: list[tuple[str, Span]] = []
        for part in re.finditer(r"[^,\s][^,]*", text):
            words = part[0].rstrip()
            begin = span.column + part.start()
            found.append((" ".join(words.split()), Span(self.source, d.first, begin, begin + len(words))))
        return found


_SHAPES = {
    "relation": "relation SCHEMA to SCHEMA",
    "kind": "kind KIND",
    "source": 'source "..."',
    "requires": "requires links from rules",
    "through": "through SCHEMA, SCHEMA",
    "for": "for NAME in [LOW..HIGH]",
    "map": "map ITEM to ITEM, or map ITEM from ITEM",
}
