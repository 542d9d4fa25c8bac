"""Growth plots: formats, sameness, what is drawn, and what is said without matplotlib."""

import importlib.util
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest

import schemata
from schemata.analysis.compare import Growth
from schemata.display.plots import _scatter, check_plot, plot_growth
from schemata.errors import UsageError

needs_matplotlib = pytest.mark.skipif(
    importlib.util.find_spec("matplotlib") is None, reason="matplotlib is not installed"
)
POINTS = tuple((n, float(n**2)) for n in range(2, 9))
GROWTH = (
    Growth("eisner1996", "items", POINTS, ()),
    Growth("eisner1996", "steps", POINTS, ()),
    Growth("_mh$:k=4", "items", POINTS[:4], POINTS[4:]),
    Growth("_mh$:k=4", "steps", POINTS[:4], POINTS[4:]),
)


@needs_matplotlib
@pytest.mark.parametrize(("suffix", "magic"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("PDF", b"%PDF")])
def test_formats_by_suffix(tmp_path: Path, suffix: str, magic: bytes) -> None:
    path = plot_growth(GROWTH, tmp_path / f"plot.{suffix}")
    assert path.read_bytes().startswith(magic)


@needs_matplotlib
def test_the_same_figures_make_the_same_file(tmp_path: Path) -> None:
    a, b = (plot_growth(GROWTH, tmp_path / name).read_bytes() for name in ("a.svg", "b.svg"))
    assert a == b
    text = "".join(ElementTree.fromstring(a).itertext())
    for expected in ("items", "steps", "words", "eisner1996", "_mh$:k=4", "2.00", "stopped"):
        assert expected in text


@needs_matplotlib
def test_nothing_to_draw_is_drawn_too(tmp_path: Path) -> None:
    plot_growth([], tmp_path / "a.svg")
    plot_growth([Growth("x", "items", ((2, 0.0),), ())], tmp_path / "b.svg")


@pytest.mark.parametrize("name", ["plot.bmp", "plot", "plot.svgz"])
def test_unknown_formats(name: str) -> None:
    with pytest.raises(UsageError, match=r"\.svg, \.png or \.pdf"):
        check_plot(name)


@needs_matplotlib
def test_unwritable_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        plot_growth(GROWTH, tmp_path / "missing" / "plot.svg")


def test_without_matplotlib_the_way_to_get_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(UsageError, match="pip install"):
        check_plot("plot.svg")


@needs_matplotlib
def test_growth_shows_itself_with_the_formulas_of_the_rules():
    found = schemata.compare(["eisner1996", "collins1996"], [2, 3, 4, 5], forest=False, formulas=True)
    svg = found.growth._repr_svg_()
    for text in ("2*n+5*C(n,2)+4*C(n,3)", "2*C(n+3,5)", "collins1996: n^"):
        assert text in svg
    assert "C(n" not in schemata.compare(["eisner1996"], [2, 3]).growth._repr_svg_()


@needs_matplotlib
def test_names_of_parsers_do_not_lie_over_each_other() -> None:
    """Three parsers stand close to each other, at the left and at the right; their names are all read."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 4.2))
    axes = figure.subplots()
    near = {"easy-first-system": 0.6, "covington-system": 0.601, "hybrid-system": 0.602}
    shares = near | {f"{name}-again": share for name, share in near.items()} | {"swap-system": 0.3}
    places = {name: 90.0 + k if "again" in name else 10.0 + k for k, name in enumerate(shares)}
    _scatter(axes, shares, places, "per cent", all_named=True)
    boxes = [text.get_window_extent(FigureCanvasAgg(figure).get_renderer()) for text in axes.texts]
    assert sorted(text.get_text() for text in axes.texts) == sorted(shares)
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
