"""Reads a schema file into its syntax tree, collecting every mistake on the way.

The file is cut into declarations and pieces (`declarations`, `pieces`), and each piece is parsed by itself
(`parse`). What does not parse is left out of the tree, which notes what may be missing, so that the rest can
still be checked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from schemata.errors import Diagnostic
from schemata.language import syntax as s
from schemata.language.declarations import KEYWORDS, UNKNOWN, Declaration, cut_declarations
from schemata.language.losses import Losses, names_in_lost
from schemata.language.parse import PieceParser
from schemata.language.pieces import Piece, StepText, cut_step, piece, split_below, split_family
from schemata.language.source import SourceText, Span, line_span

__all__ = ["parse_schema"]

_SCHEMA_NAME = re.compile(r"\w+(-\w+)*")


def parse_schema(
    source: SourceText, keywords: Sequence[str] = KEYWORDS
) -> tuple[s.SchemaSyntax, list[Diagnostic]]:
    """Return the syntax tree of a schema file, with all of it that parsed, and every syntax error.

    Of declarations that begin with other keywords than the given ones nothing is read.
    """
    reader = _Reader(source, frozenset((*keywords, UNKNOWN)))
    return reader.read(), reader.problems


class _Reader(PieceParser):
    """One pass over a source text."""

    def __init__(self, source: SourceText, keywords: frozenset[str]) -> None:
        super().__init__(source)
        self.keywords = keywords
        self.losses = Losses()

    def read(self) -> s.SchemaSyntax:
        strings: dict[str, str | None] = {}
        grammar: tuple[str, Span] | None = None
        parts: dict[str, list[Any]] = {
            k: [] for k in ("item", "hypothesis", "equation", "step", "final", "without")
        }
        replaced: dict[str, Span] = {}
        replaced_items: set[str] = set()
        declarations = cut_declarations(self.source, self.problems)
        heads = [d for d in declarations if d.keyword == "schema"]
        if heads:
            header = self._header(heads[0])
            if heads[0] is not declarations[0] and declarations[0].keyword != UNKNOWN:
                self._no_schema_line(declarations[0].span, "the schema line first")
        else:
            header = self._missing_header(declarations[0])
        for declaration in declarations:
            if declaration.keyword not in self.keywords:
                continue
            keyword = declaration.keyword.removeprefix("replace ")
            replaces = keyword != declaration.keyword
            if replaces:
                replaced.setdefault(keyword, declaration.span)
            match keyword:
                case "schema" if declaration is heads[0]:
                    continue
                case "schema":
                    self._report(
                        declaration.span,
                        "second-schema",
                        "a second schema line",
                        expected="one schema in a file",
                    )
                case "title" | "source" | "grammar" if keyword in strings:
                    self._report(
                        declaration.span, "duplicate-declaration", f"a second {keyword}", expected="one"
                    )
                case "title" | "source":
                    strings[keyword] = self._string(declaration)
                case "grammar":
                    strings[keyword] = None
                    grammar = self._rest_of_line(declaration)
                case "item" | "hypothesis" | "final":
                    parsed = self._item_declaration(declaration, keyword)
                    if parsed is not None:
                        parts[keyword].append(parsed)
                        if replaces and isinstance(parsed, s.ItemDeclaration):
                            replaced_items.add(parsed.form)
                case "normal form":
                    parts["equation"] += self._equations(declaration)
                case "step":
                    parts["step"].append(self._step(declaration))
                case "without step":
                    name, span = self._rest_of_line(declaration) or ("", None)
                    if span is not None:
                        parts["without"].append(s.Removal(" ".join(name.split()), span))
                case _:
                    self.losses.note(UNKNOWN, piece(self.source, declaration.first, declaration.last))
        return s.SchemaSyntax(
            self.source,
            header,
            strings.get("title"),
            strings.get("source"),
            grammar,
            tuple(parts["item"]),
            tuple(parts["hypothesis"]),
            tuple(parts["equation"]),
            tuple(parts["step"]),
            tuple(parts["final"]),
            tuple(parts["without"]),
            frozenset(replaced_items),
            "final" in replaced,
            "hypothesis" in replaced,
            frozenset(self.losses.kinds),
            frozenset(self.losses.forms),
            frozenset(self.losses.names),
            replaced,
        )

    def _report(
        self, span: Span, code: str, message: str, expected: str | None = None, hint: str | None = None
    ) -> None:
        self.problems.append(span.report(code, message, expected=expected, hint=hint))

    def _tail(self, d: Declaration) -> Piece:
        return piece(self.source, d.first, d.last, d.span.end)

    # the header and the lines under it

    def _missing_header(self, first: Declaration) -> s.Header:
        if first.keyword != UNKNOWN:
            self._no_schema_line(first.span, "schema NAME")
        return self._stand_in(first.span)

    def _no_schema_line(self, span: Span, expected: str) -> None:
        self._report(span, "no-schema-line", "the file does not begin with a schema line", expected=expected)

    def _stand_in(self, span: Span) -> s.Header:
        path = self.source.path
        return s.Header(path.stem if path else "schema", (), None, (), (), span)

    def _header(self, d: Declaration) -> s.Header:
        tail = self._tail(d)
        if tail.blank:
            self._report(d.span, "missing-name", "the schema has no name", expected="schema NAME")
            return self._stand_in(d.span)
        before = len(self.problems)
        header = self.parse("header", tail, "the schema line")
        if len(self.problems) > before:
            self.losses.note("schema", tail)
        if isinstance(header, s.Header):
            return header
        name = _SCHEMA_NAME.search(tail.text)
        stand_in = self._stand_in(d.span)
        if name is None or self.source.path is None:
            return stand_in
        return s.Header(name[0], (), None, (), (), line_span(self.source, d.first, name[0], d.span.end - 1))

    def _rest_of_line(self, d: Declaration) -> tuple[str, Span] | None:
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
        if not text:
            self._report(d.span, "missing-name", f"nothing follows {d.keyword}", expected="a name")
            return None
        return text, line_span(self.source, d.first, text, start)

    def _string(self, d: Declaration) -> str | None:
        rest = self._rest_of_line(d)
        if rest is None:
            return None
        text, span = rest
        found = re.fullmatch(r'"([^"]*)"', text)
        if found:
            return found[1]
        self._report(
            span, "bad-string", f"the {d.keyword} is not one quoted string", expected='"..." on one line'
        )
        return None

    # declarations

    def _item_declaration(self, d: Declaration, keyword: str) -> Any:
        tail = self._tail(d)
        found = None
        if tail.blank:
            self._report(
                d.span, "missing-name", f"nothing follows {keyword}", expected=f"{keyword} NAME[...]"
            )
        else:
            found = self.parse(f"{keyword}_declaration", tail, f"the {keyword}")
        if found is None:
            self.losses.note(keyword, tail)
        return found

    def _equations(self, d: Declaration) -> list[s.Equation]:
        """One equation per line; a line that begins with `if` or `=`, or has no `=`, goes on with it."""
        groups: list[list[int]] = []
        for row in range(d.first, d.last + 1):
            text = self.source.code[row - 1][d.span.end - 1 if row == d.first else 0 :]
            if not text.strip():
                continue
            if groups and re.match(r"\s*(?:if\b|=|(?!.*\bcovers\b)[^=]*$)", text):
                groups[-1].append(row)
            else:
                groups.append([row])
        if not groups:
            self._report(
                d.span, "empty-normal-form", "the normal form has no equation", expected="item = item"
            )
        found: list[s.Equation] = []
        for group in groups:
            column = d.span.end if group[0] == d.first else 1
            equation = self.parse("equation", piece(self.source, group[0], group[-1], column), "the equation")
            if equation is not None:
                found.append(equation)
            else:
                self.losses.kinds.add("equation")
        return found

    def _step(self, d: Declaration) -> s.StepDeclaration:
        start = d.span.end - 1
        name = self.source.code[d.first - 1][start:].strip()
        span = line_span(self.source, d.first, name, start) if name else d.span
        if not name:
            self._report(d.span, "missing-name", "the step has no name", expected="step NAME")
        texts = cut_step(self.source, d, self.problems)
        cases = [self._case(text) for text in texts]
        if not texts or any(c.consequent is None for c in cases):
            self.losses.kinds.add("step")
        return s.StepDeclaration(" ".join(name.split()), tuple(cases), span, d.keyword != "step")

    def _case(self, text: StepText) -> s.StepCase:
        lost: set[str] | None = None
        antecedents: tuple[Any, ...] = ()
        family_text, above = split_family(text.above)
        family = None
        if not family_text.blank:
            family = self.parse("family", family_text, "the family")
            if family is None:  # without it, the rule speaks of unknown letters
                return s.StepCase(text.label, (), None, (), text.span, text.lines, frozenset())
        if not above.blank:
            antecedents, complete = self.parse_units("antecedents", above, "the antecedent")
            if not complete:
                lost = names_in_lost(text.above)
                self.losses.kinds.add("step")
        below, under = split_below(text.below)
        parsed = None if below.blank else self.parse("consequent", below, "the consequent")
        if parsed is None:
            lost = (lost or set()) | names_in_lost(below)
        consequent, beside = parsed or (None, ())
        conditions: list[s.Condition] = []
        for part in (text.beside, under):
            if part.blank:
                continue
            found, complete = self.parse_units("conditions", part, "the condition")
            conditions += found
            if not complete:
                lost = (lost or set()) | names_in_lost(part)
        return s.StepCase(
            text.label,
            antecedents,
            consequent,
            (*conditions, *beside),
            text.span,
            text.lines,
            None if lost is None else frozenset(lost),
            family,
        )
