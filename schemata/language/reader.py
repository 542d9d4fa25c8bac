"""Reads schema and relation files into their syntax trees, collecting every mistake on the way.

A file is cut into declarations and pieces (`pieces`), and each piece is parsed by itself (`parse`). The tree
leaves out pieces that do not parse, and notes the names that they may have declared, so that the rest can still
be checked.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import chain
from pathlib import Path
from typing import Any

from schemata.language import habits, pieces
from schemata.language import syntax as s
from schemata.language.parse import PieceParser
from schemata.language.source import Findings, SourceText, Span, line_span

ANY_FORM = "*"  # among lost forms: any form may be lost
_NAME = re.compile(r"[^\W\d_]\w*'*")
_FORM = re.compile(r"([^\W\d_]\w*'*)\s*\[")
_SCHEMA_NAME = re.compile(r"\w+(-\w+)*")
# What is expected after a keyword.
_FOLLOWS = {
    "title": 'title "..."',
    "source": 'source "..."',
    "define": "define NAME(VARIABLE, ...) = CONDITIONS",
    "type": "type NAME = symbol | NAME / NAME",
    "input": "input NAME, NAME",
    "item": "item NAME[...]",
    "hypothesis": "hypothesis NAME[...]",
    "final": "final NAME[...]",
    "means": "means ITEM: trees HEADS over WORDS",
    "mirror": "mirror span[i, j] = span[j, i]",
    "mirror step": "mirror step NAME as NAME",
    "relation": "relation SCHEMA to SCHEMA",
    "kind": "kind KIND",
    "requires": "requires links from rules",
    "through": "through SCHEMA, SCHEMA",
    "for": "for NAME in [LOW..HIGH]",
    "map": "map ITEM to ITEM, or map ITEM from ITEM",
}


def parse_schema(
    source: SourceText, keywords: Sequence[str] = pieces.SCHEMA_KEYWORDS.words
) -> tuple[s.SchemaSyntax, Findings]:
    """Return the syntax tree of a schema file, with all of it that parsed, and every syntax error.

    If keywords are given, only declarations that begin with these are read. The tree is the caller's own; its
    declarations are shared with those of the same text, which is parsed once.
    """
    tree, problems = _read(source, source.path, frozenset((*keywords, pieces.UNKNOWN)))
    return tree.copied(), Findings(problems)


@functools.lru_cache(maxsize=16)
def _read(source: SourceText, path: Path | None, keywords: frozenset[str]) -> tuple[s.SchemaSyntax, Findings]:
    """Return the syntax tree of a file, which must not be changed; equal sources may stand at different paths."""
    reader = _SchemaReader(source, keywords)
    return reader.read(), reader.problems


def parse_relation(source: SourceText) -> tuple[s.RelationSyntax, Findings]:
    """Return the syntax tree of a relation file, with all of it that parsed, and every syntax error."""
    reader = _RelationReader(source)
    return reader.read(), reader.problems


def parse_map(source: SourceText) -> tuple[s.ItemMapLine | None, Findings]:
    """Parse one `ITEM to ITEM` or `ITEM from ITEM`, without the keyword. Returns its node and all
    mistakes.
    """
    parser = PieceParser(source)
    return parser.parse("item_map", pieces.Piece.of(source), "the map"), parser.problems


class _FileReader(PieceParser):
    """The common part of the readers of both kinds of files: declarations, each a keyword and the text after it."""

    follows: Mapping[str, str] = _FOLLOWS

    def once(
        self, declarations: Iterable[pieces.Declaration], single: Collection[str]
    ) -> Iterator[pieces.Declaration]:
        """Yield declarations; of those with a `single` keyword, all but the first are reported instead."""
        seen: set[str] = set()
        for d in declarations:
            if d.keyword in seen and d.keyword in single:
                self.problems.report(d.span, "duplicate-declaration", f"a second {d.keyword}", "one")
            else:
                yield d
            seen.add(d.keyword)

    def after(self, d: pieces.Declaration) -> pieces.Piece:
        """Return the text after a declaration's keyword."""
        return pieces.piece(self.source, d.first, d.last, d.span.end)

    def parse_after(self, d: pieces.Declaration, start: str, what: str) -> Any:
        """Parse the text after a declaration's keyword."""
        text = self.after(d)
        if not text.blank:
            return self.parse(start, text, what)
        self.nothing_follows(d)
        return None

    def nothing_follows(self, d: pieces.Declaration) -> None:
        keyword = d.keyword.removeprefix("replace ")
        expected = self.follows.get(keyword, "a name")
        self.problems.report(d.span, "missing-name", f"nothing follows {keyword}", expected)

    def line_after(self, d: pieces.Declaration) -> tuple[str, Span] | None:
        """Return the one line that follows a keyword."""
        start = d.span.end - 1
        text = self.source.code[d.first - 1][start:].strip()
        if stray := self.source.filled(d.first + 1, d.last):
            place = line_span(self.source, stray[0])
            message = f"a stray line after {d.keyword}"
            hint = "comments begin with #" if habits.is_comment(place.text) else None
            self.problems.report(place, "stray-line", message, "a keyword, or nothing", hint)
        if text:
            return text, line_span(self.source, d.first, text, start)
        self.nothing_follows(d)
        return None

    def heading(self, d: pieces.Declaration, tree: s.SchemaSyntax | s.RelationSyntax) -> None:
        """Read a declaration about the file as a whole: one line, the title and the source in quotes."""
        line = self.line_after(d)
        found: object = line
        if line and d.keyword in ("title", "source"):
            found = quoted[1] if (quoted := re.fullmatch(r'"([^"]*)"', line[0])) else None
            if quoted is None:
                message = f"the {d.keyword} is not one quoted string"
                curly = line[0][:1] in "“”„«»‘’"
                hint = 'these are quotes of a word processor: write "..."' if curly else None
                self.problems.report(line[1], "bad-string", message, '"..." on one line', hint)
        setattr(tree, _HEADINGS[d.keyword], found)


# Declarations that are one piece, with the start symbols of their grammars.
_PIECES = {"define": "definition", "means": "meaning_declaration"} | {
    keyword: f"{keyword}_declaration" for keyword in ("type", "relation", "item", "hypothesis", "final")
}
# Declarations about a file as a whole, with the attributes of the tree that have them.
_HEADINGS = {x: x for x in ("title", "grammar", "structure", "kind")} | {"source": "reference"}


# Schema files ------------------------------------------------------------------------------------------------


class _SchemaReader(_FileReader):
    """One pass over a schema file, which fills `tree`."""

    follows = _FOLLOWS | {"relation": "relation NAME(ARGUMENT: TYPE, ...)"}

    def __init__(self, source: SourceText, keywords: frozenset[str]) -> None:
        super().__init__(source)
        self.keywords = keywords
        self.tree: s.SchemaSyntax

    def read(self) -> s.SchemaSyntax:
        declarations = pieces.cut_declarations(self.source, pieces.SCHEMA_KEYWORDS, self.problems)
        first = declarations[0]
        head = next((d for d in declarations if d.keyword == "schema"), None)
        self.tree = s.SchemaSyntax(self.source, self._stand_in(first.span))
        if head is not None:
            self.tree.header = self._header(head)
        if head is not first and first.keyword != pieces.UNKNOWN:
            message = "the file does not begin with a schema line"
            name = self.source.path.stem if self.source.path else "NAME"
            expected = "the schema line first" if head else f"schema {name}"
            self.problems.report(first.span, "no-schema-line", message, expected)
        rest = [d for d in declarations if d.keyword in self.keywords and d is not head]
        for d in self.once(rest, ("title", "source", "grammar", "structure", "input")):
            if self.problems.too_many():
                self._lose(pieces.UNKNOWN, pieces.piece(self.source, d.first, len(self.source.code)))
                break
            self._declaration(d)
        return self.tree

    def _declaration(self, d: pieces.Declaration) -> None:
        tree = self.tree
        keyword = d.keyword.removeprefix("replace ")
        if keyword != d.keyword:
            tree.replaced.setdefault(keyword, d.span)
        match keyword:
            case "schema":
                self.problems.report(d.span, "second-schema", "a second schema line", "one schema in a file")
            case _ if keyword in _HEADINGS:
                self.heading(d, tree)
            case "input":
                tree.inputs = self.parse_after(d, "inputs", "the list of inputs") or ()
            case "normal form":
                self._equations(d)
            case "step" | "part":
                tree.declarations.append(self._step(d))
            case "mirror step":
                if line := self.line_after(d):
                    self._mirror_step(d, *line)
            case "mirror":
                mirror = self.parse_after(d, "equation", "the mirror image")
                if isinstance(mirror, s.EquationDeclaration) and not mirror.conditions:
                    tree.declarations.append(s.Mirror(mirror.left, mirror.right, span=mirror.span))
                    return
                tree.lost_kinds.add(keyword)
                if mirror is not None:
                    message, expected = (
                        "this is not a mirror image of a form",
                        "mirror span[i, j] = span[j, i]",
                    )
                    self.problems.report(mirror.span, "bad-mirror", message, expected)
            case "without step":
                if line := self.line_after(d):
                    tree.removals.append((" ".join(line[0].split()), line[1]))
            case _ if keyword in _PIECES:
                what = {"define": "definition", "means": "claim about items"}.get(keyword, keyword)
                node = self.parse_after(d, _PIECES[keyword], f"the {what}")
                if node is None:
                    self._lose(keyword, self.after(d))
                else:
                    tree.declarations.append(replace(node, replaces=keyword != d.keyword))
            case _:
                self._lose(pieces.UNKNOWN, pieces.piece(self.source, d.first, d.last))

    def _lose(self, kind: str, text: pieces.Piece) -> None:
        """Record the names that an unparsable declaration may declare, so that their uses are not
        reported.
        """
        self.tree.lost_kinds.add(kind)
        if kind in ("schema", pieces.UNKNOWN):
            names = _NAME.findall(text.text)
            self.tree.lost_names.update(names)
            if kind == "schema" and get_close_matches("extends", names):
                self.tree.lost_kinds.add("extends")
        if kind in ("item", "hypothesis", pieces.UNKNOWN):
            # Without a name before the first bracket, any form may be the one that is lost.
            self.tree.lost_forms.update(_FORM.findall(text.text))
            first = re.match(r"\s*([^\W\d_]\w*'*)", text.text)
            # Where the bracket is missing, the form's name and the first field's are one word.
            starts = [first[1][:k] for k in range(1, len(first[1]) + 1)] if first else [ANY_FORM]
            self.tree.lost_forms.update(starts)

    def _stand_in(self, span: Span, name: str | None = None) -> s.Header:
        path = self.source.path
        return s.Header(name or (path.stem if path else "schema"), span=span)

    def _header(self, d: pieces.Declaration) -> s.Header:
        tail = self.after(d)
        if tail.blank:
            self.problems.report(d.span, "missing-name", "the schema has no name", "schema NAME")
            return self._stand_in(d.span)
        before = len(self.problems)
        header = self.parse("header", tail, "the schema line")
        if len(self.problems) > before:
            self._lose("schema", tail)
        if isinstance(header, s.Header):
            return header
        name = _SCHEMA_NAME.search(tail.text)
        if name is None or self.source.path is None:
            return self._stand_in(d.span)
        return self._stand_in(line_span(self.source, d.first, name[0], d.span.end - 1), name[0])

    def _equations(self, d: pieces.Declaration) -> None:
        """Read one equation per line; a line that begins with `if` or `=`, or has no `=`, goes on with it."""
        groups: list[list[int]] = []  # the first line of each, the column it begins at, and the last line
        for row in range(d.first, d.last + 1):
            column = d.span.end if row == d.first else 1
            text = self.source.code[row - 1][column - 1 :]
            if groups and re.match(r"\s*(?:if\b|=|(?!.*\bcovers\b)[^=]*$)", text):
                groups[-1][-1] = row
            elif text.strip():
                groups.append([row, column, row])
        if not groups:
            message = "the normal form has no equation"
            self.problems.report(d.span, "empty-normal-form", message, "item = item")
        for first, column, last in groups:
            equation = self.parse("equation", pieces.piece(self.source, first, last, column), "the equation")
            if equation is not None:
                self.tree.declarations.append(equation)
            else:
                self.tree.lost_kinds.add("equation")

    def _step(self, d: pieces.Declaration) -> s.StepDeclaration:
        start, what = d.span.end - 1, d.keyword.split()[-1]
        name = self.source.code[d.first - 1][start:].strip()
        span = line_span(self.source, d.first, name, start) if name else d.span
        if not name:
            self.problems.report(d.span, "missing-name", f"the {what} has no name", f"{what} NAME")
        texts = pieces.cut_step(self.source, d, self.problems)
        cases = [self._case(text) for text in texts]
        if not texts or any(c.consequent is None and not c.composed for c in cases):
            self.tree.lost_kinds.add("step")
        name, replaces = " ".join(name.split()), d.keyword != what
        return s.StepDeclaration(name, tuple(cases), part=what == "part", replaces=replaces, span=span)

    def _mirror_step(self, d: pieces.Declaration, text: str, span: Span) -> None:
        of, _, name = (" ".join(part.split()) for part in f"{' '.join(text.split())} ".partition(" as "))
        if not (of and name):
            message = "this does not name two steps"
            self.problems.report(span, "missing-name", message, "mirror step R-Link as L-Link")
            self.tree.lost_kinds.add("step")
        else:
            self.tree.declarations.append(s.StepDeclaration(name, image_of=of, span=span))

    def _case(self, text: pieces.StepText) -> s.StepCase:
        if text.composed:
            composed = self.parse("composition", text.above, "the composition")
            return s.StepCase(text.label, text.lines, composed=composed or (), span=text.span)
        lost: list[pieces.Piece] = []  # what does not parse

        def parts_of(start: str, part: pieces.Piece, what: str) -> tuple[Any, ...]:
            nodes, complete = ((), True) if part.blank else self.parse_units(start, part, what)
            lost.extend([] if complete else [part])
            return nodes

        family_text, above = pieces.split_family(text.above)
        family = None
        if not family_text.blank:
            family = self.parse("family", family_text, "the family")
            if family is None:  # without it, the rule speaks of unknown letters
                return s.StepCase(text.label, text.lines, lost=frozenset(), span=text.span)
        antecedents = parts_of("antecedents", above, "the antecedent")
        if lost:
            lost = [text.above]
            self.tree.lost_kinds.add("step")
        below, under = pieces.split_below(text.below)
        parsed = None if below.blank else self.parse("consequent", below, "the consequent")
        lost += [below] if parsed is None else []
        consequent, last = parsed or (None, ())
        beside, beneath = (parts_of("conditions", part, "the condition") for part in (text.beside, under))
        # With a bracket missing, a form's name and a variable's are one word, so that every end of a word counts.
        words = (word for part in lost for word in _NAME.findall(part.text))
        names = frozenset(word[k:] for word in words for k in range(len(word))) if lost else None
        conditions = (*beside, *beneath, *last)
        return s.StepCase(
            text.label, text.lines, antecedents, consequent, conditions, names, family, span=text.span
        )


# Relation files ----------------------------------------------------------------------------------------------


class _RelationReader(_FileReader):
    """One pass over a relation file, which fills `tree`."""

    def __init__(self, source: SourceText) -> None:
        super().__init__(source)
        self.tree = s.RelationSyntax(source)

    def read(self) -> s.RelationSyntax:
        declarations = pieces.cut_declarations(self.source, pieces.RELATION_KEYWORDS, self.problems)
        first = declarations[0]
        if all(d.keyword != "relation" for d in declarations) and first.keyword != pieces.UNKNOWN:
            pieces.RELATION_KEYWORDS.report_missing(first.span, self.problems)
        for d in self.once(declarations, ("relation", "kind", "source", "through")):
            self._declaration(d)
        header = self.tree.header
        if header is not None and not {d.keyword for d in declarations} & {"kind", pieces.UNKNOWN}:
            hint = "for example: kind step-refinement"
            self.problems.report(header.span, "no-kind", "the relation has no kind", "kind KIND", hint)
        return self.tree

    def _declaration(self, d: pieces.Declaration) -> None:
        tree = self.tree
        match d.keyword:
            case "relation":
                (tree.header,) = self._parsed("relation_header", d, "the relation line") or [None]
            case "kind" | "source":
                self.heading(d, tree)
            case "requires":
                self._requirements(d)
            case "through":
                tree.through += chain(*self._parsed("stations", d, "the list of schemata"))
            case "for":
                tree.ranges += self._parsed("value_range", d, "the range")
            case "map":
                tree.maps += self._parsed("item_map", d, "the map")
            case _:
                self._lose(pieces.piece(self.source, d.first, d.last))

    def _lose(self, text: pieces.Piece) -> None:
        self.tree.whole = False
        self.tree.lost_names.update(_NAME.findall(text.text))

    def _parsed(self, start: str, d: pieces.Declaration, what: str) -> list[Any]:
        """Return the node of a declaration as a list of one; the empty list if it does not parse."""
        node = self.parse_after(d, start, what)
        if node is None:
            self._lose(self.after(d))
        return [] if node is None else [node]

    def _requirements(self, d: pieces.Declaration) -> None:
        text, span = self.line_after(d) or ("", d.span)
        for part in re.finditer(r"[^,\s][^,]*", text):
            words = part[0].rstrip()
            begin = span.column + part.start()
            place = Span(self.source, d.first, begin, begin + len(words))
            self.tree.requires.append((" ".join(words.split()), place))
