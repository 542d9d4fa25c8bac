"""Growth plots: items and steps over the length of the sentence, both axes logarithmic, by matplotlib."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schemata.errors import Diagnostic, UsageError

if TYPE_CHECKING:
    from schemata.analysis.growth import Growth

__all__ = ["FORMATS", "check_plot", "plot_growth"]

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
