"""Charts as pictures: every item once, in the cell of the words that it covers; text, SVG and LaTeX of it."""

import re
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemata import UsageError
from schemata.analysis.extents import extents
from schemata.display.chart_layout import VIEWS, Cell, ChartPicture, PlacedItem, chart_picture, require_place
from schemata.display.charts import _levels, chart_svg, chart_text, chart_tikz
from schemata.display.latex import derivation_latex
from schemata.display.svg import stacked
from schemata.display.terminal import Page
from schemata.display.trees import derivation_text
from schemata.errors import text_width
from schemata.from_text import schema
from schemata.language import model as m
from schemata.language.shipped import shipped_schemata
from schemata.workbench import load
from tests.support.charts import shipped
from tests.support.pictures import SVG, check_picture, parsed

EXAMPLES = {
    "cyk": ("the cat slept today", "example"),
    "earley": ("the cat slept", "example"),
    "left-corner": ("Mary had little effect", "example"),
    "eisner1996": ("the cat sat", None),
    "collins1996": ("the cat sat", None),
    "arc-eager": ("the cat sat", None),
    "mh:k=4": ("the cat sat", None),
    "wg1": ("a b c d", None),
    "eisner-lg": ("the cat slept", "example"),
    "tag-cky": ("a b c d", "example"),
    "ccg": ("Kim saw the cat", "example"),
    "nivre2003": ("the cat sat", None),
    "hmm": ("the dogs run", "example"),
    "lombardo-lesmo1996": ("the cat", "heads:2,0"),
}


def run(name: str):
    return load(name).run(*EXAMPLES[name])


# Where items stand. The expectations are read off the papers' definitions, item by item, from its text.

COVERED = {
    # name: a pattern over the item's text, and the first and last word that its groups give.
    "cyk": (r"edge\[.*, (\d+), (\d+)\]", lambda i, j: (i, j)),
    "earley": (r"edge\[.*, (\d+), (\d+)\]", lambda i, j: (i, j)),
    "eisner1996": (r"span\[(\d+), (\d+), \w+, \w+\]", lambda i, j: (i, j)),
    "collins1996": (r"tree\[(\d+), (\d+), \d+\]", lambda i, j: (i, j)),
    "arc-eager": (r"span\[(\d+), \w+, (\d+)\]", lambda i, j: (i, j)),
    "wg1": (r"tree\[(\d+), (\d+), .*\]", lambda i, j: (i, j)),
    "ccg": (r"c\[.*, (\d+), (\d+)\]", lambda i, j: (i + 1, j)),
    "tag-cky": (r"node\[.*, \w+, (\d+), [\d-]+, [\d-]+, (\d+)\]", lambda i, j: (i + 1, j)),
    "mh:k=4": (r"heads\[<(\d+), .*?(\d+)>\]", lambda i, j: (i, j)),
    "nivre2003": (r"state\[(\d+), (?=(.))", lambda i, _: (i, i)),
    "hmm": (r"tagged\[\w+, (\d+)(.)", lambda i, _: (i, i)),
}


@pytest.mark.parametrize("name", COVERED)
def test_every_item_stands_once_in_the_cell_of_its_words(name: str) -> None:
    chart = run(name)
    pattern, cell_of = COVERED[name]
    expected = Counter()
    forms = {case.consequent.form for case in chart.schema.cases}
    for item in (*chart.items, *(x for x in chart.hypotheses if x.form in forms)):
        groups = re.fullmatch(pattern + ".*", str(item)).groups()
        ends = [int(group) if group.isdecimal() else -1 for group in groups]
        expected[(*cell_of(*ends), str(item))] += 1
    picture = chart_picture(chart, most=None)
    found = Counter((cell.first, cell.last, entry.item) for cell in picture.cells for entry in cell.entries)
    assert found == expected
    assert not picture.aside


@pytest.mark.parametrize("name", ["ccg", "tag-cky"])
def test_an_item_covers_what_its_constituent_does(name: str) -> None:
    """A step that builds a constituent over words has its consequent in the cell of these words."""
    chart = run(name)
    places = {
        entry.number: (cell.first, cell.last)
        for cell in chart_picture(chart, most=None).cells
        for entry in cell.entries
    }
    checked = 0
    for instance in chart.instances():
        for _, label, first, last, *gap in chart.built_links(instance.case, instance.links):
            if label and not gap:
                assert places[instance.consequent] == (first, last)
                checked += 1
    assert checked > 10


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("most", [0, 1, 3, None])
def test_cells_are_folded_with_a_count(name: str, most: int | None) -> None:
    chart = run(name)
    whole = chart_picture(chart, most=None)
    picture = chart_picture(chart, most=most)
    sizes = {(cell.first, cell.last): len(cell.entries) for cell in whole.cells}
    assert sum(sizes.values()) + len(whole.aside) >= chart.item_count
    for cell in picture.cells:
        assert len(cell.entries) + cell.more == sizes[cell.first, cell.last]
        assert most is None or len(cell.entries) <= most
        if cell.more and cell.entries:  # what is final or useful goes before the rest
            numbers = {entry.number for entry in cell.entries}
            [same] = [one for one in whole.cells if (one.first, one.last) == (cell.first, cell.last)]
            left = [entry for entry in same.entries if entry.number not in numbers]
            shown = [(not e.final, not e.useful) for e in cell.entries]
            assert max(shown) <= min((not e.final, not e.useful) for e in left)


@pytest.mark.parametrize("name", EXAMPLES)
def test_useful_and_final_items_are_those_of_the_forest(name: str) -> None:
    chart = run(name)
    entries = chart_picture(chart, most=None).entries()
    if chart.accepted:
        assert {e.number for e in entries if e.useful and not e.given} == set(chart.forest().useful_ids)
    finals = {str(item) for item in chart.final_items}
    assert {e.item for e in entries if e.final} == finals
    kept = chart_picture(chart, most=None, useful=True).entries()
    assert {e.number for e in kept} == {e.number for e in entries if e.useful} or not chart.accepted


def test_where_nothing_is_accepted_nothing_is_set_apart() -> None:
    chart = load("cyk").run("slept Mary", "example")
    assert not chart.accepted
    assert all(entry.useful for entry in chart_picture(chart).entries())


PLACELESS = {
    "lr0", "bar-hillel", "reachability", "arc-eager-system", "arc-standard-2004-system", "arc-standard-system",
    "attardi-system", "covington-system", "dag-arc-eager-system", "dag-arc-standard-system", "easy-first-system",
    "hybrid-system", "k-planar-system", "planar-system", "swap-system", "yamada-matsumoto-system",
}  # fmt: skip


def test_all_shipped_schemata_with_positions_have_places() -> None:
    for name in shipped_schemata():
        schema = load(name).definition
        if name in PLACELESS:
            with pytest.raises(UsageError) as caught:
                require_place(schema)
            assert caught.value.diagnostics[0].code == "no-chart"
            assert schema.forms[0].name in caught.value.diagnostics[0].message
        elif name in EXAMPLES or any(
            field.type == m.POSITION for form in schema.forms[:1] for field in form.fields
        ):
            require_place(schema)


def test_two_ends_are_those_that_hold_the_others() -> None:
    ends = {}
    for name in ("bilexical", "arc-standard-hook", "koo-collins2010-model1", "pitler2013", "wgk", "itg"):
        schema = load(name).definition
        for form, extent in zip(schema.forms, extents(schema), strict=True):
            if extent is not None and extent.kind == "span":
                ends[name, form.name] = form.fields[extent.low].name + form.fields[extent.high].name
    assert ends["bilexical", "c"] == "ij"  # i < h <= j
    assert (ends["arc-standard-hook", "tree"], ends["arc-standard-hook", "hookr"]) == ("ij", "hj")
    assert ends["koo-collins2010-model1", "left_row"] == "mh"  # not g, the head's head, on either side
    assert {ends[key] for key in ends if key[0] == "pitler2013"} == {"ij"}  # x is outside
    assert (ends["wgk", "tree"], ends["itg", "c"]) == ("ij", "st")  # of two inputs, the first


# Text ------------------------------------------------------------------------------------------------------


def test_the_triangle_as_text() -> None:
    text = chart_text(chart_picture(run("cyk")))
    assert text == (
        "         1 the  2 cat  3 slept  4 today\n"
        "1 the    Det    NP     (S)      *S\n"
        "2 cat           Nom\n"
        "3 slept                VP       VP\n"
        "4 today                         Adv\n"
        "\n"
        "*x: final, (x): in no derivation of a final item"
    )


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("view", VIEWS)
def test_text_has_every_item_and_keeps_to_the_page(name: str, view: str) -> None:
    picture = chart_picture(run(name), view)
    text = chart_text(picture, Page(10_000))
    shown = Counter(re.findall(r"\w+", text))
    for entry in picture.entries():
        if text_width(entry.text) < 20:
            assert entry.text in text
    assert sum(shown.values()) > len(picture.entries()) / 2
    if view != "edges":
        narrow = chart_text(picture, Page(60))
        widest = max(text_width(line) for line in narrow.splitlines() if "x:" not in line)
        assert widest <= max(60, 2 * 40)
    ascii_text = chart_text(picture, Page(100, ascii=True))
    assert ascii_text.isascii()


def test_edges_stand_over_their_words() -> None:
    lines = chart_text(chart_picture(run("ccg"), "edges")).splitlines()
    words = next(line for line in lines if line.startswith("1 Kim"))
    starts = [words.index(f"{k} ") for k in range(1, 5)] + [len(words) + 2]
    picture = chart_picture(run("ccg"), "edges")
    for cell in picture.cells:
        bars = [
            line
            for line in lines
            if len(line) > starts[cell.first - 1] and line[starts[cell.first - 1]] == "├"
        ]
        assert len(bars) >= len(cell.entries)


@settings(max_examples=200)
@given(st.lists(st.tuples(st.integers(1, 8), st.integers(-1, 7)).map(lambda x: (x[0], x[0] + x[1]))))
def test_edges_of_a_level_do_not_meet(spans: list[tuple[int, int]]) -> None:
    levels = _levels(spans)
    assert sorted(k for level in levels for k in level) == list(range(len(spans)))
    for level in levels:
        ordered = [spans[k] for k in level]
        assert all(one[1] < other[0] for one, other in pairwise(ordered))


# SVG and LaTeX ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("view", VIEWS)
def test_svg_has_every_item_within_the_picture(name: str, view: str) -> None:
    picture = chart_picture(run(name), view)
    root = check_picture(chart_svg(picture))
    groups = [g for g in root.iter(f"{SVG}g") if g.get("class") == "item"]
    shown = [entry for cell in picture.cells for entry in cell.entries]
    assert Counter(g.get("data-item") for g in groups) == Counter(str(e.number) for e in shown)
    titles = {g.get("data-item"): g.find(f"{SVG}title").text for g in groups}
    assert all(titles[str(entry.number)] == entry.item for entry in shown)
    assert sum(rect.get("class") == "final" for rect in root.iter(f"{SVG}rect")) == sum(
        e.final for e in shown
    )


@pytest.mark.parametrize("name", ["cyk", "eisner1996", "ccg"])
def test_a_cell_stands_over_the_middle_of_its_words(name: str) -> None:
    picture = chart_picture(run(name))
    root = parsed(chart_svg(picture))
    words = [n for n in root.iter(f"{SVG}text") if n.get("class") == "word"]
    middle = {int(n.text.split()[0]): float(n.get("x")) for n in words}
    height = {}
    for cell in picture.cells:
        for entry in cell.entries:
            [group] = [g for g in root.iter(f"{SVG}g") if g.get("data-item") == str(entry.number)]
            text = group.find(f"{SVG}text")
            assert float(text.get("x")) == pytest.approx(
                (middle[cell.first] + middle[cell.last]) / 2, abs=0.02
            )
            height.setdefault(cell.length, []).append(float(text.get("y")))
    for one, other in pairwise(sorted(height)):
        assert min(height[one]) > max(height[other])  # longer cells stand above


HOSTILE = ["</svg><script>alert(1)</script>", "a&b", '"x"', "\x1b[2J", "]]>", "\\input{x}", "$#%_^~{}"]


@pytest.mark.parametrize("view", VIEWS)
def test_hostile_words_and_symbols_are_text(view: str) -> None:
    chart = shipped("eisner1996").run(HOSTILE)
    picture = chart_picture(chart, view)
    root = parsed(chart_svg(picture))
    assert not [node for node in root.iter() if node.tag.endswith("script")]
    entry = PlacedItem(1, HOSTILE[0], HOSTILE[0], final=True)
    shown = ChartPicture(HOSTILE[0], view, {1: HOSTILE[1]}, (Cell(1, 1, (entry,)),))
    assert "<script" not in chart_svg(shown)
    latex = chart_tikz(
        ChartPicture("t", view, {1: HOSTILE[6]}, (Cell(1, 1, (PlacedItem(1, "", HOSTILE[5]),)),))
    )
    assert r"\input" not in latex
    assert r"\textbackslash{}input\{x\}" in latex


@pytest.mark.parametrize("view", VIEWS)
def test_latex_is_balanced(view: str) -> None:
    latex = chart_tikz(chart_picture(run("earley"), view))
    assert latex.startswith("% needs \\usepackage{tikz}\n\\noindent\\resizebox")
    assert latex.endswith(r"\end{tikzpicture}}")
    assert latex.count("{") == latex.count("}")
    assert latex.count(r"$\bullet$") == sum(
        "•" in entry.text for entry in chart_picture(run("earley"), view).entries()
    )
    assert latex.isascii()


def test_pictures_below_each_other() -> None:
    pictures = [chart_svg(chart_picture(run(name))) for name in ("cyk", "ccg")]
    root = parsed(stacked(pictures))
    inner = [node for node in root if node.tag == f"{SVG}svg"]
    heights = [float(parsed(one).get("height")) for one in pictures]
    assert [float(node.get("y")) for node in inner] == [0, heights[0] + 12]
    assert float(root.get("height")) == pytest.approx(sum(heights) + 12, abs=0.01)


# The interface and the command -----------------------------------------------------------------------------


def test_python_saves_by_suffix(tmp_path) -> None:
    chart = run("cyk")
    assert chart.svg() == chart_svg(chart_picture(chart))
    assert chart.save(tmp_path / "c.svg").read_text() == chart.svg()
    assert chart.save(tmp_path / "c.tex").read_text() == chart_tikz(chart_picture(chart)) + "\n"
    assert chart.picture("columns", most=1).view == "columns"
    assert chart.svg(view="edges") == chart_svg(chart_picture(chart, "edges"))
    page = chart.save(tmp_path / "c.html", view="edges", width=60).read_text()
    assert chart.svg(view="edges", width=60) in page
    assert chart.svg() not in page
    assert chart.svg() in chart.save(tmp_path / "all.html").read_text()
    edges = chart.save(tmp_path / "c.txt", view="edges").read_text()
    assert edges == chart_text(chart_picture(chart, "edges"), Page(100)) + "\n"
    assert edges != chart.save(tmp_path / "all.txt").read_text()
    with pytest.raises(UsageError, match="not a kind of picture"):
        chart.save(tmp_path / "c.doc")
    with pytest.raises(UsageError, match="cannot be written"):
        chart.save(tmp_path / "nowhere" / "c.svg")
    with pytest.raises(UsageError, match=r"not saved as \.svg"):
        chart.items[0].save(tmp_path / "c.svg")
    tree = load("eisner1996").run("a b").forest().trees()[0]
    assert tree.save(tmp_path / "t.svg").read_text() == tree.svg()
    forest = chart.forest()
    (derivation,) = forest.derivations()
    assert derivation.save(tmp_path / "d.tex").read_text() == derivation_latex(derivation) + "\n"
    assert forest.derivations().save(tmp_path / "d.tex").read_text() == derivation_latex(derivation) + "\n"
    assert forest.derivations().save(tmp_path / "d.txt").read_text() == derivation_text(derivation) + "\n"
    assert forest.save(tmp_path / "f.txt").read_text() == forest.trees().save(tmp_path / "t.txt").read_text()
    with pytest.raises(UsageError, match="not a view"):
        chart.svg(view="circle")


def test_pdf_and_png_need_a_library(tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "cairosvg", None)
    with pytest.raises(UsageError, match="needs cairosvg") as caught:
        run("cyk").save(tmp_path / "c.png")
    assert "pip install" in caught.value.diagnostics[0].hint


@pytest.mark.parametrize(("suffix", "begins"), [("pdf", b"%PDF"), ("png", b"\x89PNG")])
def test_pdf_and_png(tmp_path, suffix: str, begins: bytes) -> None:
    pytest.importorskip("cairosvg", exc_type=(ImportError, OSError))
    assert run("cyk").save(tmp_path / f"c.{suffix}").read_bytes().startswith(begins)


def test_the_command_draws_charts(cli, tmp_path) -> None:
    code, out, _ = cli("run", "cyk", "Mary slept", "--grammar", "example", "--chart")
    assert code == 0
    assert "1 Mary   NP      *S" in out
    file = tmp_path / "c.svg"
    code, out, _ = cli(
        "run", "cyk", "Mary slept", "--grammar", "example", "--chart", str(file), "--view", "edges"
    )
    assert code == 0
    assert f"wrote {file}" in out
    parsed(file.read_text())
    for suffix in ("html", "txt", "tex"):
        file = tmp_path / f"c.{suffix}"
        code, out, _ = cli("run", "cyk", "Mary slept", "--grammar", "example", "--chart", str(file))
        assert code == 0
        assert f"wrote {file}" in out
        assert "NP" in file.read_text()
    code, _, err = cli("run", "--chart", "cyk", "Mary slept")
    assert code == 2
    assert "'cyk' is not a picture of a chart" in err
    code, _, err = cli("run", "arc-eager-system", "a b", "--chart")
    assert code == 2
    assert "its items are configurations, state[stack, buffer, arcs]" in err
    code, _, err = cli("run", "cyk", "a", "--view", "edges")
    assert code == 2
    assert "--view goes with --chart" in err


def test_json_has_the_chart(cli) -> None:
    import json

    _, out, _ = cli("run", "cyk", "Mary slept", "--grammar", "example", "--chart", "--json")
    chart = json.loads(out)["chart"]
    assert chart["view"] == "triangle"
    assert chart["words"] == {"1": "Mary", "2": "slept"}
    assert [(c["first"], c["last"], [e["text"] for e in c["entries"]]) for c in chart["cells"]] == [
        (1, 1, ["NP"]),
        (2, 2, ["VP"]),
        (1, 2, ["S"]),
    ]


def test_step_marks_the_step(cli) -> None:
    code, out, _ = cli("step", "eisner1996", "a b", "--take", "1,1,1")
    assert code == 0
    assert "^span" in out
    assert ">span c" in out
    assert "+x: derived, not taken yet, ^x: antecedent, >x: consequent" in out
    code, out, _ = cli("step", "arc-eager-system", "a b", "--take", "1,1")
    assert code == 0
    assert "antecedent" not in out


def test_flags_that_items_show_are_named_below_the_chart() -> None:
    text = """schema flags
  grammar d-rules
hypothesis word[i]  where 0 <= i <= n + 1
item a[i: position, j: position, left: flag, right: flag]
  where 1 <= i <= j <= n
step One
  word[i]
  ---  1 <= i <= n
  a[i, i, false, false]
step Two
  a[i, i, false, false]
  ---  {condition}
  a[i, i, {values}]
final a[1, n, false, false]
"""
    for condition, values, said in [
        ("i = 1", "false, false", None),  # derived already: no flag is true
        ("i = 3", "false, true", None),  # for no item of two words
        ("i = 2", "false, true", "right: a flag that is true"),
        ("i = 2", "true, true", "left, right: flags that are true"),
    ]:
        picture = chart_picture(schema(text.format(condition=condition, values=values)).run("x y"))
        for shown in (chart_text(picture), chart_svg(picture), chart_tikz(picture)):
            assert (said or "true") in shown or said is None, (condition, shown)
            assert ("true" in shown) == (said is not None), (condition, shown)
