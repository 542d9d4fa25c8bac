"""The map of the field, and the page made of it."""

import random
import re
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from schemata.display.relations import field_dot, field_svg, field_text
from schemata.language.library import shipped_relations
from schemata.language.relations import load_relation
from schemata.relations.answers import Answer, CheckExtent
from schemata.relations.discovery import ABBREVIATIONS, Arrow, field_map, graph_of, levels_of
from tests.support import script

pages = script("pages")

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "relations.md"
SOME = ("eisner-satta1999-eisner1996", "collins1996-head-corner5", "dvh1-barbero1998", "mh-mh", "dvh2-dvh3")


@pytest.fixture(scope="module")
def arrows():
    return field_map(2, names=SOME)


@pytest.mark.thorough
def test_every_claim_is_an_arrow(arrows):
    claims = [claim for name in SOME for claim in load_relation(name).relations]
    assert [(a.name, a.kind) for a in arrows] == [(c.name, c.kind) for c in claims]
    found = {(a.first, a.second): a.holds for a in arrows}
    assert found["collins1996", "head-corner5"] is False
    assert found["eisner-satta1999", "eisner1996"] is True
    chain = next(a for a in arrows if a.is_chain)
    assert [answer.kind for answer in chain.answers] == [
        "static-filter",
        "step-contraction",
        "static-filter",
        "dynamic-filter",
    ]


def test_generalisations_lead_upwards(arrows):
    graph = graph_of(arrows)
    levels = levels_of(graph)
    assert levels["eisner1996"] > levels["eisner-satta1999"]
    assert levels["mh:k=6"] > levels["mh:k=5"] > levels["mh:k=4"] > levels["mh"]
    assert levels["dvh2"] > levels["dvh3"]
    assert not any(arrow.is_chain for arrow in arrows if graph.has_edge(arrow.first, arrow.second))


def test_text_dot_and_svg_show_every_arrow(arrows):
    text, dot, svg = field_text(arrows), field_dot(arrows), field_svg(arrows)
    assert text.count("->") == len(arrows)
    assert "collins1996 " in text
    assert "the derivation:" in text
    edges = [arrow for arrow in arrows if not arrow.is_chain]
    assert dot.count("label=") == len(edges)
    assert '"eisner-satta1999" -> "eisner1996" [label="sr", style=solid];' in dot
    assert "style=dashed" in dot
    tree = ElementTree.fromstring(svg)
    kinds = [node.get("class") for node in tree.iter()]
    assert kinds.count("arrow") == len(edges)
    assert kinds.count("schema") == len({end for a in edges for end in (a.first, a.second)})


def drawn_boxes(svg):
    found = re.findall(r'<g class="schema"><rect x="([\d.-]+)" y="([\d.-]+)" width="([\d.-]+)"', svg)
    return [tuple(map(float, box)) for box in found]


def points_of(path):
    """Return points along a path of lines and Bézier curves."""
    numbers = [(m[1], [float(x) for x in m[2].split()]) for m in re.finditer(r"([MLCQ])([^A-Z]*)", path)]
    x, y = numbers[0][1]
    for _, ends in numbers[1:]:
        points = [(x, y), *zip(ends[::2], ends[1::2], strict=True)]
        for k in range(41):
            row, t = points, k / 40
            while len(row) > 1:
                row = [((1 - t) * a + t * c, (1 - t) * b + t * d) for (a, b), (c, d) in pairwise(row)]
            yield row[0]
        x, y = points[-1]


def shipped_arrows():
    """Return the arrows of the page in the repository, without what was found on the way."""
    kinds = {kind.replace("-", " "): kind for kind in ABBREVIATIONS}
    page = PAGE.read_text(encoding="utf-8")
    for first, said, second, held in re.findall(
        r"^\| ([\w:=,-]+) \| ([\w ]+) \| ([\w:=,-]+) \| (.*?) \| ", page, re.MULTILINE
    ):
        kind = kinds.get(said)
        holds = {"holds": True, "**does not hold**": False}.get(held)
        if kind:
            yield Arrow(
                "page", first, second, kind, None, (Answer(first, second, kind, holds, CheckExtent(1)),)
            )


def random_arrows(seed):
    rng = random.Random(seed)
    names = [f"schema-{k}" for k in range(rng.randint(2, 14))]
    for _ in range(rng.randint(1, 24)):
        first, second = rng.sample(names, 2)
        kind, holds = rng.choice(list(ABBREVIATIONS)), rng.choice([True, False, None])
        yield Arrow(
            "random", first, second, kind, None, (Answer(first, second, kind, holds, CheckExtent(1)),)
        )


def test_the_picture_in_the_repository_is_the_one_that_is_made():
    picture = PAGE.with_suffix(".svg").read_text(encoding="utf-8")
    assert field_svg(list(shipped_arrows())) == picture, "make docs/relations.md again"


@pytest.mark.parametrize("seed", [None, *range(40)])
def test_boxes_stand_apart_and_no_line_runs_behind_one(seed):
    arrows = list(shipped_arrows() if seed is None else random_arrows(seed))
    svg = field_svg(arrows)
    boxes = drawn_boxes(svg)
    assert len(boxes) == len({end for arrow in arrows for end in (arrow.first, arrow.second)})
    for k, (x, y, width) in enumerate(boxes):
        for other, top, wide in boxes[k + 1 :]:
            assert y != top or x + width < other or other + wide < x
    root = ElementTree.fromstring(svg)
    paths = [node.get("d") for node in root.iter() if node.get("class") == "arrow"]
    assert len(paths) == len(arrows)
    width, height = float(root.get("width")), float(root.get("height"))
    for path in paths:
        for x, y in points_of(path):
            assert 0 <= x <= width
            assert 0 <= y <= height
            assert not any(a + 1 < x < a + w - 1 and b + 1 < y < b + 25 for a, b, w in boxes), path
    legend = [node.text for node in root.iter() if node.get("class") == "legend"]
    assert {ABBREVIATIONS[arrow.kind] for arrow in arrows} <= set(legend)
    verdicts = {
        True: "the relation holds",
        False: "the relation does not hold",
        None: "the relation is not known",
    }
    assert {text for text in legend if text.startswith("the relation")} == {verdicts[a.holds] for a in arrows}


@pytest.mark.thorough
def test_the_page_in_the_repository_is_the_one_that_is_made():
    """All claims are on it, and of some the whole section is made again as it stands there."""
    page = PAGE.read_text(encoding="utf-8")
    claims = [claim for name in shipped_relations() for claim in load_relation(name).relations]
    rows = [line for line in page.splitlines() if re.fullmatch(r"\| [\w:=,-]+ \| .* \|.*", line)]
    assert len(rows) == len(claims) + 1, "make docs/relations.md again"
    command = next(line for line in page.splitlines() if line.startswith("Made by"))
    max_n = int(re.search(r"--max-n (\d+)", command)[1])
    some = field_map(max_n, names=["eisner-satta1999-eisner1996", "collins1996-head-corner5", "dvh2-dvh3"])
    made = pages.field_page(some, max_n, pages.COMMAND.format(page="relations", n=max_n))
    for section in made.split("\n### ")[1:]:
        assert section.strip() in page, "make docs/relations.md again"
    for part in made.partition("| from |")[0].split("\n\n"):
        assert part.startswith(("**2 of these 3 claims", "- collins1996")) or part in page, (
            "make docs/relations.md again"
        )
    broken = sum("**does not hold**" in row for row in rows)
    assert f"**{len(claims) - broken} of these {len(claims)} claims hold" in page
    for row in rows:
        first, kind, second, verdict = (cell.strip() for cell in row.split("|")[1:5])
        assert (f"- {first} to {second} ({kind})" in page) == (verdict == "**does not hold**")


def test_the_command_writes_page_and_picture(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "field_map", lambda n, watch: field_map(n, names=["mh-mh"]))
    target = tmp_path / "relations.md"
    assert pages.main(["relations", "--max-n", "2", "--output", str(target)]) == 0
    assert "mh:k=4" in target.read_text(encoding="utf-8")
    assert target.with_suffix(".svg").read_text(encoding="utf-8").startswith("<svg")
    assert pages.main(["relations", "--output", str(tmp_path / "no" / "page.md"), "--max-n", "1"]) == 2
