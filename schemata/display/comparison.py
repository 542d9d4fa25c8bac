"""Comparisons of schemata: tables for the terminal, comma-separated values, differences of charts, growth plots.

The widest table has a ratio beside every figure, the next one has the ratios in a table of their own, and the
narrowest has a line for every figure.
"""

from __future__ import annotations

import csv
import importlib.util
import io
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schemata.display.text import Column, Style, aligned_table, fits, number_text, printable, text_width
from schemata.errors import Diagnostic, UsageError

if TYPE_CHECKING:
    from schemata.analysis.compare import ChartDifference, Comparison, Growth
    from schemata.analysis.figures import Figures
    from schemata.charts.chart import Item


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


_PLAIN = (
    "label",
    "schema",
    "n",
    "sentences",
    "words",
    "accepted_sentences",
    "items",
    "useful_items",
    "steps",
    "derivations",
    "distinct_trees",
    "distinct_linkages",
    "seconds",
    "stopped",
)


def comparison_csv(
    comparison: Comparison, *, in_total: bool = False, seconds: bool = True, detail: bool = False
) -> str:
    """Return a comparison as CSV.

    Parameters
    ----------
    comparison : the comparison.
    in_total : the sums over all sentences instead of a line for each.
    seconds : include the times.
    detail : a column for every item form (``items:span``) and every step (``steps:Link``) as well.
    """
    rows = comparison.totals if in_total else comparison.rows
    left_out = {"distinct_trees", "distinct_linkages"} - {f"distinct_{row.structures}" for row in rows}
    if not rows:
        left_out.discard("distinct_trees")
    if not seconds:
        left_out.add("seconds")
    columns = [name for name in _PLAIN if name not in left_out]
    if detail:
        columns += dict.fromkeys(name for row in rows for name in _details(row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({**row.to_json(), **_details(row)})
    return text.getvalue()


def _details(row: Figures) -> dict[str, Any]:
    return {
        **{f"items:{name}": count for name, count in row.items_by_form},
        **{f"steps:{name}": count for name, count in row.steps_by_name},
    }


def difference_text(
    difference: ChartDifference, *, limit: int = 20, width: int = 80, ascii: bool = False
) -> str:
    """Return a difference as text.

    Parameters
    ----------
    difference : the difference.
    limit : how many items of each side of each form are listed.
    width : the columns there are.
    ascii : draw the table's rule with ASCII characters.
    """
    a, b = difference.a, difference.b
    parts: list[str] = []
    if difference.forms:
        columns = [
            Column("form", [form.form for form in difference.forms]),
            Column("both", [f"{len(form.both):,}" for form in difference.forms], right=True),
            Column(f"{a} only", [f"{len(form.only_a):,}" for form in difference.forms], right=True),
            Column(f"{b} only", [f"{len(form.only_b):,}" for form in difference.forms], right=True),
        ]
        if fits(columns, width):
            parts.append(aligned_table(columns, Style(ascii)))
        else:
            for form in difference.forms:
                counts = (("both", form.both), (f"{a} only", form.only_a), (f"{b} only", form.only_b))
                parts.append("\n  ".join([form.form, *(f"{name}: {len(items):,}" for name, items in counts)]))
    for name, forms in ((a, difference.forms_only_a), (b, difference.forms_only_b)):
        if forms:
            parts.append(f"forms of {name} only: {', '.join(forms)}")
    for form in difference.forms:
        for name, items in ((a, form.only_a), (b, form.only_b)):
            if items:
                parts.append(f"{form.form} of {name} only:\n{_listed(items, limit, width)}")
    if difference.same:
        parts.append(f"{a} and {b} derive the same items")
    elif not difference.forms:
        parts.append(f"{a} and {b} have no item form in common")
    return "\n\n".join(parts)


def _listed(items: Sequence[Item], limit: int, width: int) -> str:
    """Return items in lines as full as the width allows."""
    lines = [""]
    for item in items[:limit]:
        text = printable(str(item))
        joined = f"{lines[-1]}   {text}" if lines[-1] else f"  {text}"
        if lines[-1] and text_width(joined) > width:
            lines.append(f"  {text}")
        else:
            lines[-1] = joined
    if len(items) > limit:
        lines.append(f"  and {len(items) - limit:,} more")
    return "\n".join(line for line in lines if line)


FORMATS = ("svg", "png", "pdf")
"""The file formats of plots, by suffix."""

# Okabe and Ito's colours, without yellow: told apart by colour-blind eyes and on paper.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKERS = "osD^vPX"
_STYLE: Any = {
    "svg.hashsalt": "schemata",
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    "text.parse_math": False,
    "font.size": 9,
}


def check_plot(path: str | Path) -> str:
    """Return the format of a plot by its suffix, after finding out that it can be drawn at all.

    Raises
    ------
    UsageError : the suffix is of no format, or matplotlib is not installed.
    """
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix not in FORMATS:
        raise UsageError(
            Diagnostic(
                "unknown-format",
                f"no plots are written as {f'.{suffix}' if suffix else 'files without a suffix'}: {path}",
                expected="a file ending in .svg, .png or .pdf",
            )
        )
    if importlib.util.find_spec("matplotlib") is None:
        raise UsageError(
            Diagnostic(
                "missing-library",
                "plots are drawn by matplotlib, which is not installed",
                hint='python -m pip install "schemata[plot]", or python -m pip install matplotlib',
            )
        )
    return suffix


def plot_growth(growth: Sequence[Growth], path: str | Path) -> Path:
    """Draw the growth of items and of steps into a file, and return its path.

    The same figures make the same file. A hollow triangle is a run that was stopped: the true point is
    higher.

    Parameters
    ----------
    growth : what to draw (`schemata.analysis.compare.Comparison.growth`).
    path : the file; its suffix is one of `FORMATS`.

    Raises
    ------
    UsageError : no such format, matplotlib is missing, or the file cannot be written.
    """
    format = check_plot(path)
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(9.0, 4.2), layout="constrained")
        for axes, quantity in zip(figure.subplots(1, 2), ("items", "steps"), strict=True):
            _draw(axes, quantity, [one for one in growth if one.quantity == quantity])
        metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(format)
        try:
            figure.savefig(path, format=format, dpi=150, metadata=metadata)
        except OSError as error:
            message = f"{str(path)!r} cannot be written: {error.strerror or error}"
            raise UsageError(Diagnostic("unwritable-file", message)) from error
    return Path(path)


def _draw(axes: Any, quantity: str, growth: Sequence[Growth]) -> None:
    from matplotlib.ticker import FuncFormatter, NullFormatter

    lengths: set[int] = set()
    for k, one in enumerate(growth):
        colour, marker = _COLOURS[k % len(_COLOURS)], _MARKERS[k % len(_MARKERS)]
        points = [(n, value) for n, value in one.points if value > 0]
        bounds = [(n, value) for n, value in one.bounds if value > 0]
        lengths.update(n for n, _ in (*points, *bounds))
        label = one.label if one.exponent is None else f"{one.label}: n^{one.exponent:.2f}"
        # A label that begins with _ would be hidden from the legend.
        label = f" {label}" if label.startswith("_") else label
        axes.plot(*_xy(points), color=colour, marker=marker, markersize=4, linewidth=1.2, label=label)
        if bounds:
            axes.plot(
                *_xy(bounds), color=colour, marker="^", markersize=7, linestyle="none", fillstyle="none"
            )
    if any(one.bounds for one in growth):
        hollow = {"marker": "^", "markersize": 7, "linestyle": "none", "fillstyle": "none"}
        axes.plot([], [], color="#666666", label="stopped: at least", **hollow)
    axes.set_title(quantity)
    axes.set_xlabel("words")
    axes.grid(True, which="major", linewidth=0.4, color="#cccccc")
    if lengths:
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xticks(_ticks(sorted(lengths)))
        axes.legend(frameon=False)
    else:
        axes.text(0.5, 0.5, "nothing derived", transform=axes.transAxes, ha="center")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
        axis.set_minor_formatter(NullFormatter())
    axes.minorticks_off()


def _xy(points: Sequence[tuple[int, float]]) -> tuple[list[int], list[float]]:
    return [n for n, _ in points], [value for _, value in points]


def _ticks(lengths: Sequence[int]) -> list[int]:
    """Return lengths far enough apart on a logarithmic axis for their numbers not to touch."""
    apart = max((lengths[-1] / lengths[0]) ** (1 / 12), 1.0)
    found = [lengths[0]]
    for n in lengths[1:]:
        if n >= found[-1] * apart:
            found.append(n)
    return found
