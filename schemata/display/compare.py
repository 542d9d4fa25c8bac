"""Comparisons for the terminal: figures side by side with their ratios, in the layout that the width allows.

The widest layout has a ratio beside every figure, the next one has the ratios in a table of their own, and
the narrowest has a line for every figure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schemata.display.numbers import number_text
from schemata.display.tables import Column, Style, aligned_table, fits

if TYPE_CHECKING:
    from schemata.analysis.compare import Comparison, Figures

__all__ = ["Look", "comparison_text", "stop_text"]

_ROUNDED_FROM = 10**12  # counts of derivations from here on are rounded


@dataclass(frozen=True, slots=True)
class Look:
    """How to print: columns, characters, colours; whether with seconds, and with counts by name."""

    width: int = 80
    ascii: bool = False
    colour: bool = False
    seconds: bool = True
    detail: bool = False

    @property
    def style(self) -> Style:
        """The style of the tables."""
        return Style(self.ascii, self.colour)


def comparison_text(
    comparison: Comparison, look: Look, *, in_total: bool = False, limit_steps: int | None = None
) -> str:
    """Return a comparison as text: figures, ratios to the first schema, growth where there are lengths.

    Parameters
    ----------
    comparison : the comparison.
    look : how to print it.
    in_total : print the sums over all sentences instead of a row for each.
    limit_steps : the budget of steps, printed for runs that hit it.
    """
    rows = comparison.totals if in_total else comparison.rows
    if not rows:
        return "no sentences"
    first = comparison.labels[0]
    groups = _groups(rows, in_total)
    cells = [_cells(row, _base(group, first), look, limit_steps) for group in groups for row in group]
    parts = [_main(groups, cells, look, in_total)]
    if len(comparison.labels) > 1:
        parts.append(f"{_times(look)} is relative to {first}")
    if look.detail:
        parts += [_detail(group, look, in_total) for group in groups]
    if not in_total and (growth := _growth(comparison, look)):
        parts.append(growth)
    return "\n\n".join(parts)


def stop_text(row: Figures) -> str:
    """Return what to say of a run that hit its budget."""
    why = "interrupted" if row.stopped == "interrupt" else f"stopped by the budget of {row.stopped}"
    return f"{row.label}, {row.words:,} words: {why} after {row.steps:,} step instances"


@dataclass(frozen=True, slots=True)
class _Cell:
    """A figure and its ratio to the first schema's, as text."""

    figure: str
    ratio: str


_NAMES = ("items", "useful", "steps", "derivations", "trees", "linkages", "seconds")


def _groups(rows: Sequence[Figures], in_total: bool) -> list[list[Figures]]:
    """Return the rows that are about the same sentences: a group begins where a label comes again."""
    groups: list[list[Figures]] = []
    for row in rows:
        if not groups or (not in_total and any(row.label == other.label for other in groups[-1])):
            groups.append([])
        groups[-1].append(row)
    return groups


def _base(group: Sequence[Figures], first: str) -> Figures | None:
    return next((row for row in group if row.label == first), None)


def _cells(row: Figures, base: Figures | None, look: Look, limit_steps: int | None) -> dict[str, _Cell]:
    above = "> " if row.stopped else ""
    steps = limit_steps if row.stopped == "steps" and limit_steps and row.n is not None else row.steps
    found = {
        "items": _cell(f"{above}{row.items:,}", row, base, look, lambda r: r.items),
        "steps": _cell(f"{above}{steps:,}", row, base, look, lambda r: r.steps),
    }
    if row.useful_items is not None or row.stopped:
        found["useful"] = _cell(_count(row.useful_items), row, base, look, lambda r: r.useful_items)
    if row.derivations is not None or row.stopped:
        found["derivations"] = _cell(_count(row.derivations), row, base, look, lambda r: r.derivations)
    if row.trees_at_least is not None or row.stopped:
        found[row.structures] = _cell(_trees(row, look), row, base, look, lambda r: r.distinct_trees)
    if look.seconds:
        found["seconds"] = _cell(f"{above}{row.seconds:.4f}", row, base, look, lambda r: r.seconds)
    return found


def _count(number: int | float | None) -> str:
    return "-" if number is None else number_text(number, _ROUNDED_FROM)


def _trees(row: Figures, look: Look) -> str:
    if row.distinct_trees is None and row.trees_at_least is not None:
        return f"{'>=' if look.ascii else '≥'} {number_text(row.trees_at_least, _ROUNDED_FROM)}"
    return _count(row.distinct_trees)


def _cell(
    figure: str,
    row: Figures,
    base: Figures | None,
    look: Look,
    value: Callable[[Figures], int | float | None],
) -> _Cell:
    if base is None or row is base or (base.stopped and row.stopped):
        return _Cell(figure, "")
    mine, theirs = value(row), value(base)
    if mine is None or theirs is None or not theirs or math.inf in (mine, theirs):
        return _Cell(figure, "")
    # Where one of the two was stopped, the ratio is a bound.
    bound = "> " if row.stopped else "< " if base.stopped else ""
    return _Cell(figure, f"{bound}{_times(look)}{_ratio(mine, theirs)}")


def _ratio(mine: int | float, theirs: int | float) -> str:
    try:
        ratio = mine / theirs
    except OverflowError:  # integers of hundreds of digits: their quotient, at least, may be printed
        return number_text(int(mine) // int(theirs))
    if ratio >= 1e6 or 0 < ratio < 0.005:
        return f"{ratio:.1e}".replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")
    return f"{ratio:.2f}" if ratio < 100 else f"{ratio:,.0f}"


def _times(look: Look) -> str:
    return "x" if look.ascii else "×"


def _main(
    groups: Sequence[Sequence[Figures]], cells: Sequence[dict[str, _Cell]], look: Look, in_total: bool
) -> str:
    names = [name for name in _NAMES if any(_get(row, name).figure not in ("", "-") for row in cells)]
    rows = [row for group in groups for row in group]
    heads = [_place(group[0] if k == 0 else None, in_total) for group in groups for k in range(len(group))]
    before = [
        Column("sentences" if in_total else "n", heads, right=True),
        Column("schema", [row.label for row in rows]),
    ]
    if in_total:
        before.append(Column("accepted", [f"{row.accepted:,}" for row in rows], right=True))
    figures = [Column(name, [_get(row, name).figure for row in cells], right=True) for name in names]
    ratios = [Column(_times(look), [_get(row, name).ratio for row in cells], right=True) for name in names]
    with_ratios = [(f, r) for f, r in zip(figures, ratios, strict=True)]
    wide = [*before, *(c for f, r in with_ratios for c in ([f, r] if any(r.cells) else [f]))]
    if fits(wide, look.width):
        return aligned_table(wide, look.style)
    narrow = [*before, *figures]
    if fits(narrow, look.width):
        table = aligned_table(narrow, look.style)
        named = [Column(f.name, r.cells, right=True) for f, r in with_ratios if any(r.cells)]
        compared = [k for k in range(len(rows)) if any(column.cells[k] for column in named)]
        if not compared:
            return table
        second = [Column(before[0].name, _filled(heads), right=True), before[1], *named]
        kept = [Column(c.name, [c.cells[k] for k in compared], c.right) for c in second]
        return f"{table}\n\n{aligned_table(kept, look.style)}"
    return _stacked(groups, cells, names, in_total)


def _filled(heads: Sequence[str]) -> list[str]:
    """Return heads with the blanks below each filled in."""
    found: list[str] = []
    for head in heads:
        found.append(head or found[-1])
    return found


def _get(row: dict[str, _Cell], name: str) -> _Cell:
    return row.get(name, _Cell("", ""))


def _place(row: Figures | None, in_total: bool) -> str:
    if row is None:
        return ""
    return f"{row.sentences:,}" if in_total else f"{row.n:,}"


def _stacked(
    groups: Sequence[Sequence[Figures]],
    cells: Sequence[dict[str, _Cell]],
    names: Sequence[str],
    in_total: bool,
) -> str:
    """Return a block of lines per schema, for narrow terminals."""
    found = iter(cells)
    figure = max(len(_get(row, name).figure) for row in cells for name in names)
    parts: list[str] = []
    for group in groups:
        first = group[0]
        about = f"{first.sentences:,} sentences" if in_total else f"{first.n:,} words"
        parts.append(about)
        for row in group:
            lines = [f"  {row.label}{f' ({row.accepted:,} accepted)' if in_total else ''}"]
            values = next(found)
            for name in names:
                cell = _get(values, name)
                lines.append(f"    {name:<11} {cell.figure:>{figure}}  {cell.ratio}".rstrip())
            parts.append("\n".join(lines))
    return "\n".join(parts)


def _detail(group: Sequence[Figures], look: Look, in_total: bool) -> str:
    """Return the counts by form and by step: a column per schema, or a block where that is too wide."""
    about = "in total" if in_total else f"{group[0].n:,} words"
    kinds = (
        ("items", [dict(r.items_by_form) for r in group]),
        ("steps", [dict(r.steps_by_name) for r in group]),
    )
    names = [(kind, name) for kind, counts in kinds for name in dict.fromkeys(n for c in counts for n in c)]
    by_kind = dict(kinds)
    kind_cells = [kind if k == 0 or names[k - 1][0] != kind else "" for k, (kind, _) in enumerate(names)]
    columns = [Column(about, kind_cells), Column("", [name for _, name in names])]
    for k, row in enumerate(group):
        counts = [by_kind[kind][k].get(name) for kind, name in names]
        columns.append(Column(row.label, ["-" if c is None else f"{c:,}" for c in counts], right=True))
    if fits(columns, look.width):
        return aligned_table(columns, look.style)
    blocks = []
    for k, row in enumerate(group):
        lines = [f"{about}, {row.label}"]
        for kind, counts_of in kinds:
            lines.append(f"  {kind}")
            lines += [f"    {name}  {count:,}" for name, count in counts_of[k].items()]
        blocks.append("\n".join(lines))
    return "\n".join(blocks)


def _growth(comparison: Comparison, look: Look) -> str:
    """Return the fitted exponents, where there are lengths enough to fit any."""
    exponents: dict[str, dict[str, str]] = {}
    for growth in comparison.growth:
        if growth.exponent is not None:
            exponents.setdefault(growth.label, {})[growth.quantity] = f"n^{growth.exponent:.2f}"
    if not exponents:
        return ""
    columns = [
        Column("growth over the longer half", list(exponents)),
        *(
            Column(name, [found.get(name, "-") for found in exponents.values()], right=True)
            for name in ("items", "steps")
        ),
    ]
    if not fits(columns, look.width):
        columns[0] = Column("growth", columns[0].cells)
    return aligned_table(columns, look.style)
