"""Plots: the growth of counts with the length, and the coverage of a treebank against cost. Matplotlib draws them."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schemata.analysis.compare import Growth
from schemata.errors import UsageError
from schemata.grouping import grouped

if TYPE_CHECKING:
    from schemata.learning.accuracy import Accuracy
    from schemata.learning.evaluation import Evaluation

FORMATS = ("svg", "png", "pdf")
"""The file formats of plots, by suffix."""

# Okabe and Ito's colours, without yellow: told apart by colour-blind eyes and on paper.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKERS = "osD^vPX"
_FONTS: Any = {"svg.fonttype": "none", "pdf.fonttype": 42, "text.parse_math": False, "font.size": 9}


def check_plot(path: str | Path) -> str:
    """Return the format of a plot by its suffix, after finding out that it can be drawn at all.

    Raises
    ------
    UsageError : the suffix names no supported format, or matplotlib is not installed.
    """
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix not in FORMATS:
        message = f"no plots are written as {f'.{suffix}' if suffix else 'files without a suffix'}: {path}"
        raise UsageError(message, code="unknown-format", expected="a file ending in .svg, .png or .pdf")
    if importlib.util.find_spec("matplotlib") is None:
        message = "plots are drawn by matplotlib, which is not installed"
        hint = 'python -m pip install "parsing-schemata[plot]", or python -m pip install matplotlib'
        raise UsageError(message, code="missing-library", hint=hint)
    return suffix


def plot_growth(growth: Sequence[Growth], path: str | Path) -> Path:
    """Draw the growth of items and of steps into a file, and return its path.

    The same figures make the same file. A broad line is the formula that the rules give, a hollow triangle is a run
    that was stopped: the true point is higher.

    Parameters
    ----------
    growth : the data to draw (`schemata.analysis.compare.Comparison.growth`).
    path : the file; its suffix is one of `FORMATS`.

    Raises
    ------
    UsageError : no such format, matplotlib is missing, or the file cannot be written.
    """

    def draw(two: Sequence[Any]) -> None:
        for axes, quantity in zip(two, ("items", "steps"), strict=True):
            _draw(axes, quantity, [one for one in growth if one.quantity == quantity])

    return _saved(path, draw)


def plot_coverage(
    shares: Mapping[str, float],
    degrees: Mapping[str, int | None],
    seconds: Mapping[str, float | None],
    path: str | Path,
) -> Path:
    """Draw the share of trees that schemata parse, against their degrees and against seconds; returns the path.

    A schema is named if none that is at least as fast parses more. Schemata without a degree stand at the right.

    Parameters
    ----------
    shares : of the trees, 0 to 1, by schema.
    degrees : of time in n; None if it is exponential.
    seconds : of a run; None if it hit a limit.
    path : the file; its suffix is one of `FORMATS`.

    Raises
    ------
    UsageError : no such format, matplotlib is missing, or the file cannot be written.
    """

    def draw(two: Sequence[Any]) -> None:
        known = [degree for degree in degrees.values() if degree is not None]
        last = max(known, default=0) + 1
        places = {name: float(last if degrees[name] is None else degrees[name] or 0) for name in shares}
        _scatter(two[0], shares, places, "degree of time in n")
        ticks = range(min(known, default=0), last + 1)
        shown = ["exp." if k == last and None in degrees.values() else str(k) for k in ticks]
        two[0].set_xticks(ticks, shown)
        timed = {name: 1000 * s for name in shares if (s := seconds.get(name)) is not None}
        _scatter(two[1], {name: shares[name] for name in timed}, timed, "milliseconds for the median length")
        _logarithmic(two[1])
        two[0].set_ylabel("trees parsed, per cent")

    return _saved(path, draw)


def plot_accuracy(found: Sequence[Evaluation], path: str | Path) -> Path:
    """Draw how parsers fare by the distance to the head, and by the length of sentences; returns the path.

    Parameters
    ----------
    found : the parsers.
    path : the file; its suffix is one of `FORMATS`.

    Raises
    ------
    UsageError : no such format, matplotlib is missing, or the file cannot be written.

    References
    ----------
    McDonald & Nivre 2007, Figures 2 and 3.
    """

    def draw(axes: Sequence[Any]) -> None:
        for one, name, title in zip(
            axes, ("arc_length", "length"), ("distance to the head", "words in the sentence"), strict=True
        ):
            for k, parser in enumerate(found):
                rows = [(g.name, g.recall) for g in parser.groups[name] if g.recall is not None]
                colour, marker = _COLOURS[k % len(_COLOURS)], _MARKERS[k % len(_MARKERS)]
                places, shares = [x for x, _ in rows], [100 * y for _, y in rows]
                one.plot(places, shares, color=colour, marker=marker, markersize=4, label=f" {parser.system}")
            one.set_xlabel(title)
            one.set_ylabel("words with the right head (%)")
            one.grid(True, which="major", linewidth=0.4, color="#cccccc")
        axes[0].legend(frameon=False, fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.14))

    return _saved(path, draw)


def plot_parsers(found: Accuracy, path: str | Path) -> Path:
    """Draw how accurate parsers are, against seconds and against the share of trees they can build; returns the path.

    With several treebanks, points are the means over them.

    Parameters
    ----------
    found : the parsers.
    path : the file; its suffix is one of `FORMATS`.

    Raises
    ------
    UsageError : no such format, matplotlib is missing, or the file cannot be written.
    """
    rows = grouped((score.parser, score) for score in found.scores)

    def mean(values: Sequence[float]) -> float:
        return sum(values) / len(values)

    accuracy = {name: mean([score.las for score in some]) for name, some in rows.items()}
    seconds = {
        name: mean([1000 * score.parse_seconds / score.sentences for score in some])
        for name, some in rows.items()
    }
    covered = {
        name: mean([100 * (score.coverage or 0) for score in some])
        for name, some in rows.items()
        if all(score.coverage is not None for score in some)
    }

    def draw(two: Sequence[Any]) -> None:
        _logarithmic(two[0])
        _scatter(two[0], accuracy, seconds, "milliseconds a sentence", all_named=True)
        own = {name: accuracy[name] for name in covered}
        _scatter(two[1], own, covered, "trees that can be built, per cent", all_named=True)
        two[0].set_ylabel("LAS, per cent")

    return _saved(path, draw)


def _logarithmic(axes: Any) -> None:
    """Make a horizontal axis logarithmic, with plain numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())


_POINTS = 72  # of an inch
_NAME, _LETTER, _ASIDE = (
    7,
    0.62,
    5,
)  # points of a name beside its mark, widths of a letter in these, the distance of both


def _scatter(
    axes: Any,
    shares: Mapping[str, float],
    places: Mapping[str, float],
    title: str,
    all_named: bool = False,
) -> None:
    """Draw a point for each schema, with the names at all points, or those of the best."""
    axes.set_xlabel(title)
    axes.grid(True, which="major", linewidth=0.4, color="#cccccc")
    points = grouped(((places[name], 100 * share), name) for name, share in shares.items())
    ends = [x for x, _ in points]
    middle = (min(ends) * max(ends)) ** 0.5
    marks = {
        place: not any(a <= place[0] and b >= place[1] and (a, b) != place for a, b in points)
        for place in points
    }
    for (x, y), best in marks.items():
        axes.plot([x], [y], marker="o", markersize=5, color=_COLOURS[best], linestyle="none")
    axes.autoscale_view()
    taken: list[tuple[float, float, float]] = []
    for (x, y), names in sorted(points.items(), key=lambda point: -point[0][1]):
        if not (marks[x, y] or all_named):
            continue
        named = names[0] + (f" and {len(names) - 1} more" if len(names) > 1 else "")
        at_left = all_named and x > middle
        right, up = axes.transData.transform((x, y)) * _POINTS / axes.figure.dpi
        wide = len(named) * _NAME * _LETTER
        begin = right - _ASIDE - wide if at_left else right + _ASIDE
        down = 2 if all_named else 10
        while any(a < begin + wide and begin < b and abs(up - down - c) < _NAME for a, b, c in taken):
            down += 1
        taken.append((begin, begin + wide, up - down))
        offset: Any = {
            "xytext": (-_ASIDE if at_left else _ASIDE, -down),
            "ha": "right" if at_left else "left",
        }
        axes.annotate(named, (x, y), textcoords="offset points", fontsize=_NAME, **offset)


def _saved(path: str | Path, draw: Callable[[Sequence[Any]], None]) -> Path:
    """Draw two plots side by side into a file."""
    format = check_plot(path)
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.hashsalt": "schemata", **_FONTS}):
        figure = Figure(figsize=(9.0, 4.2), layout="constrained")
        draw(figure.subplots(1, 2))
        metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(format)
        try:
            figure.savefig(path, format=format, dpi=150, metadata=metadata)
        except OSError as error:
            message = f"{str(path)!r} cannot be written: {error.strerror or error}"
            raise UsageError(message, code="unwritable-file") from error
    return Path(path)


def _draw(axes: Any, quantity: str, growth: Sequence[Growth]) -> None:
    from matplotlib.ticker import FuncFormatter, NullFormatter

    hollow = {"marker": "^", "markersize": 7, "linestyle": "none", "fillstyle": "none"}
    lengths: set[int] = set()
    for k, one in enumerate(growth):
        colour, marker = _COLOURS[k % len(_COLOURS)], _MARKERS[k % len(_MARKERS)]
        points, bounds = ([(n, y) for n, y in row if y > 0] for row in (one.points, one.bounds))
        lengths.update(n for n, _ in (*points, *bounds))
        label = one.label if one.exponent is None else f"{one.label}: n^{one.exponent:.2f}"
        # A label that begins with _ would be hidden from the legend.
        label = f" {label}" if label.startswith("_") else label
        axes.plot(*_xy(points), color=colour, marker=marker, markersize=4, linewidth=1.2, label=label)
        deduced = [(n, one.cost.total_at(quantity, n)) for n, _ in points] if one.cost else []
        if known := [(n, float(y)) for n, y in deduced if y]:
            name = f"{one.label}: {one.formula}"
            axes.plot(*_xy(known), color=colour, linewidth=3.5, alpha=0.3, label=name)
        if bounds:
            axes.plot(*_xy(bounds), color=colour, **hollow)
    if any(one.bounds for one in growth):
        axes.plot([], [], color="#666666", label="stopped: at least", **hollow)
    axes.set_title(quantity)
    axes.set_xlabel("words")
    axes.grid(True, which="major", linewidth=0.4, color="#cccccc")
    if lengths:
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xticks(_ticks(sorted(lengths)))
        axes.legend(
            frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.14)
        )  # below: curves go anywhere
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
    ticks = [lengths[0]]
    for n in lengths[1:]:
        if n >= ticks[-1] * apart:
            ticks.append(n)
    return ticks
