"""The page of a run: self-contained, escaped, and true to the chart with and without its script."""

import re
import shutil
import subprocess
from xml.etree import ElementTree

import pytest

import schemata
from schemata.analysis.explain import trace_rows
from schemata.analysis.figures import run_result
from schemata.display.chart_layout import chart_picture
from schemata.display.page import document_html, page_of, run_html, script, style
from schemata.workbench import load
from tests.support.charts import shipped

HOSTILE = [
    "</script><script>alert(1)</script>", "<img/src=x onerror=alert(1)>", "a&amp;b", "\"'`", "]]>", "<!--",
    "</style>", "javascript:alert(1)", "\x1b[2J", "</pre><b>",
]  # fmt: skip


def body(page: str) -> ElementTree.Element:
    """Return the body of a page, which is well-formed."""
    return ElementTree.fromstring(re.search(r"<body>.*</body>", page, re.S)[0])


def by_class(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [node for node in root.iter() if name in (node.get("class") or "").split()]


def elements(root: ElementTree.Element) -> set[str]:
    return {node.tag.rpartition("}")[2] for node in root.iter()}


def test_a_page_refers_to_nothing_outside_itself() -> None:
    page = page_of(shipped("eisner1996").run("a b c"))
    links = re.sub(r'xmlns="http://www.w3.org/2000/svg"', "", page)
    assert "http" not in links.replace("http-equiv", "")
    assert not re.search(r"\s(src|href)=|@import|url\(", page)
    assert not re.search(r'\sid="', page)
    assert "default-src 'none'" in page
    assert "prefers-color-scheme: dark" in page


def test_the_script_can_stand_in_xml_and_reads_no_html() -> None:
    assert not set("<&") & set(script() + style())
    for name in (
        "innerHTML",
        "outerHTML",
        "insertAdjacent",
        "document.write",
        "eval(",
        "Function(",
        "getElementById",
    ):
        assert name not in script()


@pytest.mark.parametrize("name", ["eisner1996", "collins1996", "mh", "arc-eager-system"])
def test_hostile_words_are_text(name: str) -> None:
    words = HOSTILE[: 4 if name == "arc-eager-system" else None]
    chart = load(name).run(words[:5] if name == "mh" else words)
    page = page_of(chart)
    assert page.count("<script") == page.count("</script") == 1
    known = {
        "body", "h1", "div", "style", "pre", "details", "summary", "svg", "title", "rect", "g", "text", "path", "input",
        "button", "ol", "li", "table", "thead", "tbody", "tr", "th", "td", "p", "script",
    }  # fmt: skip
    root = body(page)
    assert elements(root) <= known
    assert not [key for node in root.iter() for key in node.attrib if key.startswith("on")]
    assert "\x1b" not in page
    assert "<title>" + name.partition(":")[0] in page


def test_hostile_schemata_and_grammars_are_text(tmp_path) -> None:
    text = (
        'schema x\n  title "</title><script>alert(1)</script>"\n  grammar context-free\n\n'
        "item edge[A: symbol, i: position, j: position]\n  where 1 <= i <= j <= n\n\n"
        "step <script>\n  ---  rule A(t), category i is t, i in [1..n]\n  edge[A, i, i]\n\n"
        "final edge[S, 1, n]  where root S\n"
    )
    file = tmp_path / "x.schema"
    file.write_text(text)
    try:
        schema = load(file)
    except schemata.SchemaError:
        file.write_text(text.replace("step <script>", "step Scan"))
        schema = load(file)
    symbol = '"</td><script>alert(2)</script>"'
    grammar = tmp_path / "g.cfg"
    grammar.write_text("S -> T\nT -> 'w'\n".replace("'w'", symbol))
    chart = schema.run([symbol.strip('"')], grammar)
    page = page_of(chart)
    assert page.count("<script") == 1
    body(page)


def test_a_derivation_has_all_its_steps_and_items() -> None:
    chart = shipped("eisner1996").run("the cat sat")
    root = body(page_of(chart, derivations=2))
    views = by_class(root, "sch-derivation")
    assert len(views) == 2
    for view, derivation in zip(views, chart.forest().derivations(2), strict=True):
        steps = list(derivation.applied())
        rows = list(view.iter("li"))
        assert [row.get("data-made") for row in rows] == [str(node.number) for node in steps]
        assert [row.get("data-from").split() for row in rows] == [
            [str(child.number) for child in node.children] for node in steps
        ]
        [slider] = view.iter("input")
        assert (slider.get("min"), slider.get("max")) == ("0", str(len(steps)))
        drawn = sorted(int(node.get("data-step")) for node in view.iter() if node.get("data-step"))
        assert drawn == list(range(1, len(steps) + 1))
        # Antecedents come first, so that every step of the slider has what it uses.
        known = {str(x) for x in range(chart.raw.hypothesis_count)}
        for row in rows:
            assert set(row.get("data-from").split()) <= known
            known.add(row.get("data-made"))
        links = {tuple(sorted(link)) for node in steps for link in node.links if 0 not in link}
        arcs = {
            tuple(map(int, node.get("data-ends").split()))
            for node in by_class(view, "link")
            if node.get("data-ends")
        }
        assert arcs == links


def test_items_have_their_reasons() -> None:
    chart = load("cyk").run("Mary had little effect", "example")
    root = body(page_of(chart))
    rows = [node for node in root.iter("tr") if node.get("data-row")]
    expected = list(trace_rows(chart))
    assert len(rows) == len(expected)
    numbers = {row.number: chart.find(row.item.form, row.item.values) for row in expected}
    for node, row in zip(rows, expected, strict=True):
        assert node.get("data-row") == str(numbers[row.number])
        assert "".join(node.find("td").itertext()).strip() == str(row.item)
        above = row.derivations[0].antecedents if row.derivations else ()
        assert node.get("data-from").split() == [str(numbers[x]) for x in above]
    drawn = {entry.number for entry in chart_picture(chart).entries()}
    assert {int(g.get("data-item")) for g in by_class(root, "item") if g.get("data-item")} >= drawn


def test_a_chart_without_places_says_so() -> None:
    page = page_of(load("arc-eager-system").run("a b"))
    assert "have no place in the sentence" in page
    body(page)


def test_linkages_have_their_arcs() -> None:
    root = body(page_of(load("eisner-lg").run("the cat slept", "example")))
    view = by_class(root, "sch-derivation")[0]
    ends = {
        tuple(map(int, pair.split()))
        for row in view.iter("li")
        for pair in row.get("data-ends").split(",")
        if pair
    }
    arcs = {tuple(map(int, n.get("data-ends").split())) for n in by_class(view, "link")}
    assert arcs == ends == {(1, 3), (2, 3), (3, 4)}  # the wall, number 0, is the first word


def test_several_runs_in_one_document_do_not_meet() -> None:
    first, second = (
        run_html(run_result(load("cyk").run(s, "example"))) for s in ("Mary slept", "the cat slept")
    )
    root = body(document_html("two", first + second))
    assert len(by_class(root, "sch-run")) == 2


def test_the_command_writes_a_page(cli, tmp_path) -> None:
    file = tmp_path / "run.html"
    code, out, _ = cli("run eisner1996", "a b", "--html", str(file), "--derivations", "2", "--limit", "1")
    assert code == 0
    assert f"wrote {file}" in out
    root = body(file.read_text())
    assert len(by_class(root, "sch-derivation")) == 2
    code, _, err = cli("run eisner1996", "a b", "--html", str(tmp_path / "no" / "run.html"))
    assert code == 2
    assert "cannot be written" in err


def test_python_writes_pages_of_anything_shown(tmp_path) -> None:
    schema = load("eisner1996")
    chart = schema.run("a b")
    for number, value in enumerate(
        [schema, chart, chart.forest(), chart.forest().trees(), chart.picture(), chart.best()]
    ):
        page = value.save(tmp_path / f"{number}.html").read_text()
        assert page.startswith("<!DOCTYPE html>")
        body(page)
    verdict = schemata.verify("eisner1996", "all", max_n=3)
    assert "not complete" in verdict.save(tmp_path / "v.html").read_text()


def test_verdicts_show_their_counterexamples() -> None:
    verdict = schemata.verify("eisner1996", "all", max_n=3)
    root = ElementTree.fromstring(verdict._repr_html_())
    assert "".join(root.find("pre").itertext()) == str(verdict)
    titles = ["".join(node.itertext()) for node in root.iter("summary")]
    assert titles[0] == "A structure that is missed"
    assert titles[1:] == ["A structure that is derived several times", "Derivation 1", "Derivation 2"]
    for view, derivation in zip(by_class(root, "sch-derivation"), verdict.ambiguous.derivations, strict=True):
        assert len(list(view.iter("li"))) == derivation.step_count
    for name, class_name in (
        ("sleator-temperley-printed", None),
        ("attardi2006", "projective"),
        ("cyk", None),
    ):
        ElementTree.fromstring(schemata.verify(name, class_name, max_n=3)._repr_html_())


@pytest.mark.thorough
def test_large_charts_are_not_drawn_unasked() -> None:
    chart = shipped("eisner1996").run(["w"] * 30)
    html = chart._repr_html_()
    assert "too many to draw" in html
    assert len(html) < 150_000
    assert "too many to draw" not in page_of(chart)
    assert 'class="sch-items"' not in html
    assert (
        'class="sch-items"' in shipped("eisner1996").run(["w"] * 10)._repr_html_()
    )  # reasons go with small ones


PROBE = """<script>
window.addEventListener("load", function () {
  var said = [], view = document.querySelector(".sch-derivation"), slider = view.querySelector("input");
  function step() { said.push(view.querySelector(".sch-said").textContent); }
  slider.value = 4; slider.dispatchEvent(new Event("input")); step();
  said.push(view.querySelectorAll("svg [data-step].sch-later").length);
  said.push(view.querySelectorAll(".sch-arcs g.link.sch-later").length);
  view.querySelectorAll("button")[1].click(); step();
  var items = document.querySelectorAll(".sch-chart g.item"), reason = document.querySelector(".sch-reason");
  items[9].dispatchEvent(new MouseEvent("click", {bubbles: true})); said.push(reason.textContent);
  items[0].focus();
  items[0].dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}));
  said.push(document.activeElement === items[1]);
  items[1].dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true})); said.push(reason.textContent);
  document.title = said.join(" | ");
});</script></body>"""


@pytest.mark.thorough
def test_the_page_lives_in_a_browser(tmp_path) -> None:
    """A slider goes through the steps, and items are chosen by mouse and keyboard."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no browser")
    file = shipped("eisner1996").run("the cat sat").save(tmp_path / "run.html")
    file.write_text(file.read_text().replace("</body>", PROBE))
    quiet = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    told = subprocess.run(  # noqa: PLW1510
        [browser, *quiet, "--virtual-time-budget=3000", "--dump-dom", str(file)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    said = re.search("<title>(.*?)</title>", told.stdout, re.S)[1].split(" | ")
    assert said == [
        "4 of 8: R-Link: 2 under 3: span[2, 3, true, false] from span[2, 3, false, false]",
        "4",
        "1",
        "5 of 8: CombineSpans: span[1, 3, false, false] from span[1, 2, false, false], span[2, 3, true, false]",
        "span[1, 2, false, false] by Initter from word[1], word[2]",
        "true",
        "span[0, 3, false, true] by CombineSpans from span[0, 1, false, true], span[1, 3, false, true] (3 ways, final)",
    ]
