"""Reads schema and relation files into their syntax trees, collecting every mistake on the way.

A file is cut into declarations and pieces (`pieces`), and each piece is parsed by itself (`parse`). What does not
parse is left out of the tree, which notes what may be missing, so that the rest can still be checked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from schemata.errors import Diagnostic, did_you_mean
from schemata.language import syntax as s
from schemata.language.parse import PieceParser
from schemata.language.pieces import (
    KEYWORDS,
    UNKNOWN,
    Declaration,
    Piece,
    StepText,
    cut_declarations,
    cut_step,
    piece,
    split_below,
    split_family,
)
from schemata.language.source import SourceText, Span, line_span

ANY_FORM = "*"
"""Among lost forms: any form may be lost."""

_NAME = re.compile(r"[^\W\d_]\w*'*")
_FORM = re.compile(r"([^\W\d_]\w*'*)\s*\[")


@dataclass(frozen=True, slots=True)
class Losses:
    """What was lost in a file: kinds of declarations by their keywords, item forms, and names of parameters."""

    kinds: set[str] = field(default_factory=set)
    forms: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)

    def note(self, kind: str, text: Piece) -> None:
        """Note what a declaration that was not parsed may declare."""
        self.kinds.add(kind)
        if kind in ("schema", UNKNOWN):
            names = _NAME.findall(text.text)
            self.names.update(names)
            if kind == "schema" and get_close_matches("extends", names):
                self.kinds.add("extends")
        if kind in ("item", "hypothesis", UNKNOWN):
            # Without a name before the first bracket, any form may be the one that is lost.
            self.forms.update(_FORM.findall(text.text))
            first = re.match(r"\s*([^\W\d_]\w*'*)", text.text)
            if first is None:
                self.forms.add(ANY_FORM)
            else:  # where the bracket is missing, the form's name and the first field's are one word
                self.forms.update(first[1][:k] for k in range(1, len(first[1]) + 1))


def names_in_lost(text: Piece) -> set[str]:
    """Return the names that a piece which does not parse may have meant.

    With a bracket missing, a form's name and a variable's are one word, so that every end of a word counts.
    """
    return {word[k:] for word in _NAME.findall(text.text) for k in range(len(word))}


# Schema files ------------------------------------------------------------------------------------------------


_SCHEMA_NAME = re.compile(r"\w+(-\w+)*")


def parse_schema(
    source: SourceText, keywords: Sequence[str] = KEYWORDS
) -> tuple[s.SchemaSyntax, list[Diagnostic]]:
    """Return the syntax tree of a schema file, with all of it that parsed, and every syntax error.

    Of declarations that begin with other keywords than the given ones nothing is read.
    """
    reader = _SchemaReader(source, frozenset((*keywords, UNKNOWN)))
    return reader.read(), reader.problems


class _SchemaReader(PieceParser):
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


# Relation files ----------------------------------------------------------------------------------------------


RELATION_KEYWORDS = ("relation", "kind", "source", "requires", "through", "for", "map")
_KEYWORD = re.compile(rf"\s*({'|'.join(RELATION_KEYWORDS)})(?![\w'-])(?!\s*(?:[<>=!≤≥≠+,\])?\[]|-\s))")
_WORD = re.compile(r"\s*([^\W\d_][\w-]*'*)(?=\s|$)")
_GOES_ON = frozenset(("to", "from", "where", "and", "or", "in", "not", "is", "minus"))


def parse_relation(source: SourceText) -> tuple[s.RelationSyntax, list[Diagnostic]]:
    """Return the syntax tree of a relation file, with all of it that parsed, and every syntax error."""
    reader = _RelationReader(source)
    return reader.read(), reader.problems


def parse_map(source: SourceText) -> tuple[s.ItemMapLine | None, list[Diagnostic]]:
    """Return what one `ITEM to ITEM` or `ITEM from ITEM` says, without the keyword, and every mistake."""
    parser = PieceParser(source)
    text = "\n".join(source.code).replace("\t", " ")
    return parser.parse("item_map", Piece(text, 1), "the map"), parser.problems


class _RelationReader(PieceParser):
    """One pass over a source text."""

    def __init__(self, source: SourceText) -> None:
        super().__init__(source)
        self.whole = True
        self.lost_names: set[str] = set()

    def read(self) -> s.RelationSyntax:
        header: s.RelationHeader | None = None
        kind: tuple[str, Span] | None = None
        reference: str | None = None
        requires: list[tuple[str, Span]] = []
        through: list[s.SchemaReference] = []
        ranges: list[s.ValueRange] = []
        maps: list[s.ItemMapLine] = []
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
        return s.RelationSyntax(
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
            self._report(d.span, "missing-name", f"nothing follows {d.keyword}", expected=_FOLLOWS[d.keyword])
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
        self._report(d.span, "missing-name", f"nothing follows {d.keyword}", expected=_FOLLOWS[d.keyword])
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


_FOLLOWS = {
    "relation": "relation SCHEMA to SCHEMA",
    "kind": "kind KIND",
    "source": 'source "..."',
    "requires": "requires links from rules",
    "through": "through SCHEMA, SCHEMA",
    "for": "for NAME in [LOW..HIGH]",
    "map": "map ITEM to ITEM, or map ITEM from ITEM",
}
