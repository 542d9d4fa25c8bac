"""The layout of schema files: rules as in papers, dashes as long as the lines around them, comments kept.

Only blanks, dashes and empty lines change: the formatted file is the same schema. Within declarations other than steps
the columns stay, since people align them.
"""

from __future__ import annotations

import re

from schemata.language.pieces import (
    DASH_LINE,
    FAMILY_LINE,
    ITEM_LINE,
    SCHEMA_KEYWORDS,
    cut_declarations,
    is_case,
)
from schemata.language.source import QUOTED, Findings, SourceText

_STEPS = ("step", "replace step", "part")
_HEADER = ("title", "source", "grammar", "structure")  # stand below the first line, indented
_INDENT, _APART = "  ", "   "  # before a rule, and between antecedents
_TOKEN = re.compile(rf"{QUOTED}|[\[\](){{}}]|\s+|[^\s\[\](){{}}\"']+|.")


def formatted(source: SourceText) -> str:
    """Return the text of a schema file in its layout.

    Parameters
    ----------
    source : a file that has no errors.

    >>> from schemata.language.source import source_from_text
    >>> text = "schema a\\n\\n\\nstep B\\n  x[i]  x[j]\\n  ---\\n  x[j]\\n"
    >>> print(formatted(source_from_text(text, "a.schema")), end="")
    schema a
    <BLANKLINE>
    step B
      x[i]   x[j]
      -----------
      x[j]
    """
    lines = [line.rstrip() for line in source.lines]
    for declaration in cut_declarations(source, SCHEMA_KEYWORDS, Findings()):
        if declaration.keyword in _STEPS:
            _lay_out(source, declaration.first + 1, declaration.last, lines)
        margin = _INDENT if declaration.keyword in _HEADER else ""
        lines[declaration.first - 1] = margin + lines[declaration.first - 1].lstrip()
    kept: list[str] = []
    for line in lines:
        if line or (kept and kept[-1]):
            kept.append(line)
    return "\n".join(kept).rstrip("\n") + "\n"


def _lay_out(source: SourceText, first: int, last: int, lines: list[str]) -> None:
    """Lay out the rules of a step, which has the lines first to last."""
    begin, indent = first, _INDENT
    for number in range(first, last + 2):
        if number > last or is_case(source.code[number - 1]):
            _lay_out_rule(source, begin, number - 1, indent, lines)
            if number <= last:
                lines[number - 1] = _INDENT + " ".join(_parts(source, number)).strip()
                begin, indent = number + 1, _INDENT * 2


def _lay_out_rule(source: SourceText, first: int, last: int, indent: str, lines: list[str]) -> None:
    """Lay out one rule: its antecedents, the line, its consequent."""
    filled = [k for k in range(first, last + 1) if source.code[k - 1].strip()]
    bar = next((k for k in filled if DASH_LINE.match(source.code[k - 1])), None)
    inside = range(first, max(filled, default=first))  # what follows belongs to the next declaration
    comments = [k for k in inside if k not in filled and lines[k - 1]]
    if bar is None:
        for k in (*filled, *comments):
            lines[k - 1] = indent + lines[k - 1].lstrip()
        return
    above = [k for k in filled if k < bar]
    while above and FAMILY_LINE.match(source.code[above[0] - 1]):
        lines[above[0] - 1] = indent + lines[above[0] - 1].lstrip()
        above = above[1:]
    margin = min((_margin(source.code[k - 1]) for k in filled if k > bar), default=0)
    texts = {k: _spaced(_parts(source, k)[0]) for k in above}
    below = [k for k in filled if k > bar]
    item, beside_item = "", ""
    for k in below:  # what goes on in further lines keeps its columns
        code = _parts(source, k)[0]
        if k == below[0]:
            item, beside_item = _item_and_rest(code)
            texts[k] = item
        else:
            texts[k] = " " * (_margin(source.code[k - 1]) - margin) + code
    width = max([3, *(len(text) for k, text in texts.items() if k in above or k == below[0])])
    if beside_item:  # conditions that go on beside the consequent, below those at the line
        texts[below[0]] = f"{item:{width}}  {beside_item}"
    found = DASH_LINE.match(source.code[bar - 1])
    assert found is not None
    beside = _single_spaced(source.code[bar - 1][found.end(1) :])
    texts[bar] = f"{'-' * width}  {beside}".rstrip()
    for k, text in texts.items():
        comment = _parts(source, k)[1]
        lines[k - 1] = f"{indent}{text}{'  ' if comment and text else ''}{comment}"
    for k in comments:
        lines[k - 1] = indent + lines[k - 1].lstrip()


def _parts(source: SourceText, number: int) -> tuple[str, str]:
    """Return a line without its margin and comment, and the comment."""
    code = source.code[number - 1].rstrip()
    return code.strip(), source.lines[number - 1][len(code) :].strip()


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip())


def _single_spaced(text: str) -> str:
    """Return text with one blank for several, but in quotes."""
    return "".join(" " if token.isspace() else token for token in _TOKEN.findall(text.strip()))


def _spaced(text: str) -> str:
    """Return items with the same distance between them, and one blank for several within them."""
    found, rest = _item_and_rest(text)
    while rest:
        item, further = _item_and_rest(rest)
        found += (_APART if ITEM_LINE.match(rest) else " ") + item
        rest = further
    return found


def _item_and_rest(text: str) -> tuple[str, str]:
    """Split a line after the closing bracket of its first item."""
    depth, end = 0, len(text)
    for token in _TOKEN.finditer(text):
        depth += (token[0] in "[({") - (token[0] in "])}")
        if token[0] == "]" and depth == 0:
            end = token.end()
            break
    return _single_spaced(text[:end]), _single_spaced(text[end:])
