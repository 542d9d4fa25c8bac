"""Trees under oracles of transition systems: tables of configurations as text, SVG and LaTeX."""

from __future__ import annotations

from collections.abc import Mapping

from schemata.display import svg
from schemata.display.arc_layout import links_text
from schemata.display.latex import BROKEN, escaped, longtable
from schemata.display.terminal import PAGE, Page, table
from schemata.structures import Sentence
from schemata.structures.oracles import Followed
from schemata.wording import quantity

_SIZE, _LINE = 13, 20  # of SVG
_WIDEST = 50  # characters of a line of a table in LaTeX whose stacks are not broken


def _lines(found: Followed, sentence: Sentence) -> list[list[str]]:
    """Return the table of configurations, its headers first, nodes as words with their numbers."""
    words = ["root", *sentence.words]
    headers = ["", "transition", "stack" if len(found.rows[0].stacks) == 1 else "active stack"]
    headers += ["other stack"] * (len(found.rows[0].stacks) - 1) + ["buffer", "arc"]
    headers += ["losses"] if found.rows[0].losses is not None else []
    lines = [headers]
    for number, row in enumerate(found.rows):
        nodes = [" ".join(f"{words[x]}/{x}" for x in part) for part in (*row.stacks, row.buffer)]
        lost = [] if row.losses is None else [losses_text(row.losses)]
        lines.append([str(number), row.transition, *nodes, links_text(row.arcs), *lost])
    return lines


def losses_text(losses: Mapping[str, int | None]) -> str:
    """Return the losses of transitions in ascending order, undecided ones last as question marks.

    >>> losses_text({"Shift": 1, "Left-Arc": 0, "Swap": None})
    'Left-Arc 0, Shift 1, Swap ?'
    """
    known = sorted(losses.items(), key=lambda one: (one[1] is None, one[1]))
    return ", ".join(f"{name} {'?' if lost is None else lost}" for name, lost in known)


def followed_text(found: Followed, page: Page = PAGE, sentence: Sentence | None = None) -> str:
    """Return the text that `schemata oracle` prints for a sentence; without one, its words are numbers."""
    if not found.rows:
        return f"{found.system}: {', '.join(found.transitions)}"
    sentence = sentence or Sentence(tuple(map(str, range(1, found.size + 1))))
    headers, *rows = _lines(found, sentence)
    count = quantity(len(found.transitions), "transition")
    said = "the tree is reproduced" if found.reproduced else "the tree is not reproduced"
    if found.missing:
        said += f"; missing: {links_text(found.missing)}"
    return f"{table(headers, rows, page)}\n\n{found.system}: {count}, {said}"


def oracle_svg(found: Followed, sentence: Sentence) -> str:
    """Return the table of configurations as SVG."""
    lines = _lines(found, sentence)
    columns = ([svg.width_of(cell, _SIZE) for cell in column] for column in zip(*lines, strict=True))
    widths = [max(column) + _LINE for column in columns]
    starts = [_LINE / 2 + sum(widths[:k]) for k in range(len(widths))]
    cells = ((x, k, cell) for k, line in enumerate(lines, 1) for x, cell in zip(starts, line, strict=True))
    parts = [svg.text_at(x, _LINE * k, cell, _SIZE, "word", anchor="start") for x, k, cell in cells if cell]
    return svg.document(sum(widths) + _LINE, _LINE * (len(lines) + 1), found.system, parts)


def oracle_latex(found: Followed, sentence: Sentence) -> str:
    """Return the table of configurations as a LaTeX longtable; long stacks and buffers break their lines."""
    lines = _lines(found, sentence)
    longest = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
    nodes = range(2, lines[0].index("buffer") + 1)
    is_wide = sum(longest) > _WIDEST
    shares = {k: BROKEN * longest[k] / sum(longest[x] for x in nodes) for k in nodes} if is_wide else {}
    headers, *rows = ([*map(escaped, cells)] for cells in lines)
    return longtable(headers, rows, None, shares)
