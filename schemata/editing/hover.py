"""The meaning of a word of a text: the declaration and the comment of a name, the type of a variable, a rule
typeset.
"""

from __future__ import annotations

import re
from pathlib import Path

from schemata.editing.analysis import Analysis, analysed
from schemata.editing.document import Document, Position, TextRange
from schemata.editing.keywords import CONDITIONS, KEYWORDS, TYPES
from schemata.language import model as m
from schemata.language.index import Block, IndexedName
from schemata.language.pieces import DASH_LINE
from schemata.language.source import Span
from schemata.records import Record
from schemata.thresholds import EFFORTS

_WORD = re.compile(r"[^\W\d_][\w-]*'*")
_DECLARED = ("item", "relation", "definition", "constructor", "type")  # names whose declaration says all


class Hover(Record):
    """The display at a place: Markdown, and the range that it is about."""

    text: str
    range: TextRange


def hover(text: str, position: Position, path: str | Path = "schema") -> Hover | None:
    """Return the meaning of the word at a place, or None if it has no meaning.

    Parameters
    ----------
    text, path : the text and its file, as for `schemata.editing.findings.diagnostics`.
    position : line and character from 0, in units of UTF-16.
    """
    document = Document(text, Path(path))
    line, column = document.place_of(position)
    known = analysed(document, checked=False)
    found = known.index.at(line, column)
    if found is None or found[0].kind not in _DECLARED:
        known = analysed(document)
        found = known.index.at(line, column)
    if found is not None:
        name, span = found
        return Hover(_of_name(known, name, span), known.document.range_of(span))
    source = known.source
    if source is None or line > len(source.lines):
        return None
    code = source.code[line - 1]
    block = known.index.block_at(line)
    if (
        block is not None
        and DASH_LINE.match(code)
        and column <= len(code)
        and code[column - 1 : column] in "-─━"
    ):
        if shown := rules_text(known, block, line):
            return Hover(_fenced(shown), known.document.range_at(line, 1, len(code) + 1))
        return None
    for word in _WORD.finditer(code):
        if word.start() < column <= word.end() + 1:
            said = _of_word(code, word[0], word.start())
            spot = known.document.range_at(line, word.start() + 1, word.end() + 1)
            return None if said is None else Hover(said, spot)
    return None


def _fenced(text: str, language: str = "schema") -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}\n{fence}"


def plain(text: str) -> str:
    """Return text that Markdown shows as it is: comments and messages may hold its signs."""
    return re.sub(r"([\\`*_{}\[\]<>#|!&~])", r"\\\1", text)


def _of_word(code: str, word: str, start: int) -> str | None:
    """Return the explanation of a word of the language, as Markdown; a pair of words counts as one."""
    before = code[:start].split()
    pairs = [f"{before[-1]} {word}" if before else "", " ".join(code[start:].split()[:2]), word]
    for name in pairs:
        at_start = not before or name == " ".join([*before, word])
        if name in KEYWORDS and (at_start or code.strip().startswith(name)):
            form, said = KEYWORDS[name]
            return f"{_fenced(form)}\n{said}"
    for name in pairs:
        if name in CONDITIONS:
            form, said = CONDITIONS[name]
            return f"{_fenced(form)}\n{said}"
    for name in pairs:
        if name in TYPES:
            return f"`{name}`: {TYPES[name]}"
    return None


def _of_name(known: Analysis, name: IndexedName, span: Span) -> str:
    rows: list[str] = []
    match name.kind:
        case "variable" | "field":
            block = known.index.block_at(name.within[0]) if name.within else None
            of = f" of {block.keyword} {block.name}" if block is not None and block.name else ""
            rows.append(
                f"{_fenced(f'{name.name}: {name.type}' if name.type else name.name)}\n{name.kind}{plain(of)}"
            )
        case "step" | "part":
            block = known.index.block_at(span.line)
            own = block is not None and block.span == span
            shown = (
                rules_of_step(known, name.name)
                if not own or block is None
                else rules_text(known, block, None)
            )
            rows.append(_fenced(shown or name.type or name.name))
        case "parameter":
            value = (
                next((p.value for p in known.schema.parameters if p.name == name.name), None)
                if known.schema
                else None
            )
            rows.append(_fenced(f"{name.name} = {value}" if value is not None else name.name) + "\nparameter")
        case "schema":
            rows.append(_fenced(f"schema {name.name}"))
            if title := _title(name):
                rows.append(plain(title))
        case "category" | "word" | "symbol":
            count = len(name.declarations) + len(name.uses)
            rows.append(f"{name.kind} `{name.name}`: {count} time{'s' * (count != 1)} in this file")
        case kind:
            rows.append(_fenced(f"{kind} {name.type or name.name}"))
    if name.comment:
        rows.append(plain(name.comment))
    if name.declarations and name.declarations[0].source != span.source:
        place = name.declarations[0]
        rows.append(f"*{plain(Path(place.source.file).name)}, line {place.line}*")
    return "\n\n".join(rows)


def _title(name: IndexedName) -> str | None:
    for span in name.declarations:
        for line in span.source.code:
            if found := re.match(r'\s*title\s+"([^"]*)"', line):
                return found[1]
    return None


def rules_text(known: Analysis, block: Block, line: int | None) -> str | None:
    """Return the rules of a declaration typeset, those around one line if one is named; None if there are none."""
    cases = [c for c in _cases(known) if block.first <= c.span.line <= block.last]
    if line is not None:
        starts = [c.span.line for c in cases if c.span.line <= line]
        cases = [c for c in cases if starts and c.span.line == max(starts)]
    return _typeset(known, cases)


def rules_of_step(known: Analysis, step: str) -> str | None:
    """Return the rules of a step, its own or inherited, typeset; None if there are none."""
    cases = (
        []
        if known.schema is None
        else [c for c in known.schema.cases if c.step == step or c.step.startswith(f"{step} ")]
    )
    exact = [c for c in cases if c.step == step]
    return _typeset(known, exact or cases)


def _cases(known: Analysis) -> list[m.Case]:
    if known.schema is None or known.source is None:
        return []
    return [case for case in known.schema.cases if case.span.source == known.source]


def _typeset(known: Analysis, cases: list[m.Case]) -> str | None:
    from schemata.display.rules import rule_lines

    if known.schema is None or not cases:
        return None
    rules = ["\n".join(rule_lines(known.schema, case)) for case in cases[: EFFORTS.hovered_rules]]
    more = (
        [f"... and {len(cases) - EFFORTS.hovered_rules} more"] if len(cases) > EFFORTS.hovered_rules else []
    )
    return "\n\n".join([*rules, *more])
