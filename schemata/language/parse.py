"""Reads a schema file into its syntax tree, collecting every mistake on the way.

The file is cut into pieces (`pieces`), each piece is parsed by Lark (`schema.lark`), and Lark's complaints
become the package's diagnostics (`syntax_errors`).
"""

from __future__ import annotations

import functools
import re
from importlib import resources
from typing import TYPE_CHECKING, Any

from schemata.errors import Diagnostic, SchemaError
from schemata.language import syntax as s
from schemata.language.pieces import (
    Declaration,
    Piece,
    StepText,
    cut_declarations,
    cut_step,
    line_span,
    piece,
    split_below,
)
from schemata.language.source import SourceText, Span, source_from_text

if TYPE_CHECKING:
    from lark import Lark

__all__ = ["parse_item", "parse_schema"]

_STARTS = [
    "header", "item_declaration", "hypothesis_declaration", "final_declaration", "equation",
    "antecedents", "consequent", "conditions", "item",
]  # fmt: skip
_DEPTH_LIMIT = 60


@functools.cache
def _lark() -> Lark:
    from lark import Lark

    grammar = resources.files("schemata.language").joinpath("schema.lark").read_text(encoding="utf-8")
    return Lark(
        grammar,
        parser="lalr",
        lexer="contextual",
        start=_STARTS,
        propagate_positions=True,
        maybe_placeholders=True,
    )


def parse_schema(source: SourceText) -> tuple[s.SchemaSyntax | None, list[Diagnostic]]:
    """Return the syntax tree of a schema file and every syntax error in it.

    The tree is None where the file has no usable `schema` line; otherwise it holds what could be parsed.
    """
    reader = _Reader(source)
    return reader.read(), reader.problems


def parse_item(text: str, file: str = "item") -> s.Item:
    """Return one item written as in a schema, `span[0, 3, false, true]`.

    Raises
    ------
    SchemaError : the text is not one item.
    """
    source = source_from_text(text, file)
    reader = _Reader(source)
    item = reader.parse("item", Piece("\n".join(source.code), 1), "an item")
    if reader.problems:
        raise SchemaError(reader.problems)
    assert isinstance(item, s.Item)
    return item


class _Reader:
    """One pass over a source text; `problems` grows."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.problems: list[Diagnostic] = []

    def parse(self, start: str, text: Piece, what: str) -> Any:
        """Parse a piece from a start symbol; on a mistake report it and return None."""
        from lark.exceptions import UnexpectedInput

        from schemata.language.build import build
        from schemata.language.syntax_errors import explain_syntax_error, find_bracket_error

        problem = find_bracket_error(text, self.source, _DEPTH_LIMIT)
        if problem is not None:
            self.problems.append(problem)
            return None
        try:
            tree = _lark().parse(text.text, start=start)
        except UnexpectedInput as error:
            self.problems.append(explain_syntax_error(error, text, self.source, what))
            return None
        return build(tree, self.source, text.first_line)

    def read(self) -> s.SchemaSyntax | None:
        declarations = cut_declarations(self.source, self.problems)
        header: s.Header | None = None
        title: str | None = None
        reference: str | None = None
        grammar: tuple[str, Span] | None = None
        parts: dict[str, list[Any]] = {
            k: [] for k in ("item", "hypothesis", "equation", "step", "final", "without")
        }
        replaced: set[str] = set()
        for declaration in declarations:
            keyword = declaration.keyword.removeprefix("replace ")
            if keyword != declaration.keyword:
                replaced.add(keyword)
            match keyword:
                case "schema":
                    if declaration is not declarations[0]:
                        self._report(declaration.span, "second-schema", "a second schema in one file")
                    header = header or self.parse("header", self._whole(declaration), "the schema line")
                case "title":
                    title = self._string(declaration)
                case "source":
                    reference = self._string(declaration)
                case "grammar":
                    grammar = self._rest_of_line(declaration)
                case "item" | "hypothesis" | "final":
                    parsed = self.parse(
                        f"{keyword}_declaration", self._tail(declaration, keyword), f"the {keyword}"
                    )
                    if parsed is not None:
                        parts[keyword].append((parsed, keyword != declaration.keyword))
                case "normal form":
                    parts["equation"] += self._equations(declaration)
                case "step":
                    parts["step"] += self._step(declaration)
                case "without step":
                    name, span = self._rest_of_line(declaration)
                    parts["without"].append(s.Removal(name, span))
        if header is None:
            if not self.problems:
                self._report(line_span(self.source, 1), "no-schema-line", "the file has no schema line")
            return None
        return s.SchemaSyntax(
            self.source,
            header,
            title,
            reference,
            grammar,
            tuple(x for x, _ in parts["item"]),
            tuple(x for x, _ in parts["hypothesis"]),
            tuple(parts["equation"]),
            tuple(parts["step"]),
            tuple(x for x, _ in parts["final"]),
            tuple(parts["without"]),
            frozenset(x.form for x, replaces in parts["item"] if replaces),
            "final" in replaced,
            "hypothesis" in replaced,
        )

    def _report(self, span: Span, code: str, message: str, **more: str) -> None:
        self.problems.append(span.report(code, message, **more))  # type: ignore[arg-type]

    def _whole(self, d: Declaration) -> Piece:
        return piece(self.source, d.first, d.last, d.span.column)

    def _tail(self, d: Declaration, keyword: str) -> Piece:
        """Return a declaration from its last keyword on, without `replace`."""
        line = self.source.code[d.first - 1]
        return piece(self.source, d.first, d.last, line.index(keyword) + 1)

    def _rest_of_line(self, d: Declaration) -> tuple[str, Span]:
        text = self.source.code[d.first - 1][d.span.end - 1 :].strip()
        if not text:
            self._report(d.span, "missing-name", f"nothing follows {d.keyword}", expected="a name")
            return "", d.span
        for number in range(d.first + 1, d.last + 1):
            if self.source.code[number - 1].strip():
                self._report(line_span(self.source, number), "stray-line", f"a stray line after {d.keyword}")
                break
        start = self.source.code[d.first - 1].index(text, d.span.end - 1)
        return text, Span(self.source, d.first, start + 1, start + 1 + len(text))

    def _string(self, d: Declaration) -> str | None:
        text, span = self._rest_of_line(d)
        if not text:
            return None
        found = re.fullmatch(r'"([^"]*)"', text)
        if not found:
            self._report(
                span, "bad-string", f"the {d.keyword} is not a quoted string", expected='"..." on one line'
            )
            return None
        return found[1]

    def _equations(self, d: Declaration) -> list[s.Equation]:
        """One equation per line; a line that begins with `if` belongs to the one before."""
        found: list[s.Equation] = []
        rows = [k for k in range(d.first + 1, d.last + 1) if self.source.code[k - 1].strip()]
        groups: list[list[int]] = []
        for row in rows:
            if groups and re.match(r"\s*if\b", self.source.code[row - 1]):
                groups[-1].append(row)
            else:
                groups.append([row])
        if not groups:
            self._report(
                d.span, "empty-normal-form", "the normal form has no equation", expected="item = item"
            )
        for group in groups:
            equation = self.parse("equation", piece(self.source, group[0], group[-1]), "the equation")
            if equation is not None:
                found.append(equation)
        return found

    def _step(self, d: Declaration) -> list[s.StepDeclaration]:
        name = self.source.code[d.first - 1][d.span.end - 1 :].strip()
        if not name:
            self._report(d.span, "missing-name", "the step has no name", expected="step NAME")
        span = line_span(self.source, d.first, name) if name else d.span
        name = " ".join(name.split())
        cases = [self._case(text) for text in cut_step(self.source, d, self.problems)]
        known = tuple(c for c in cases if c is not None)
        return [s.StepDeclaration(name, known, span, d.keyword.startswith("replace"))]

    def _case(self, text: StepText) -> s.StepCase | None:
        before = len(self.problems)
        antecedents = () if text.above.blank else self.parse("antecedents", text.above, "the antecedents")
        consequent_text, under = split_below(text.below)
        consequent = self.parse("consequent", consequent_text, "the consequent")
        conditions: list[s.Condition] = []
        for part in (text.beside, under):
            if not part.blank:
                conditions += self.parse("conditions", part, "the side conditions") or ()
        if len(self.problems) > before:
            return None
        item, beside = consequent
        ordered = (*conditions, *beside)
        return s.StepCase(text.label, antecedents or (), item, ordered, text.span, text.lines)
