"""Thresholds of the page in the browser and of editors on both sides: what is left out is not denied."""

from __future__ import annotations

import importlib.util
import math
from typing import Any

import pytest

import schemata
from schemata.editing import analysis
from schemata.editing.actions import signature
from schemata.editing.analysis import analysed
from schemata.editing.document import Document
from schemata.editing.hover import hover
from schemata.editing.lenses import lenses
from schemata.language.library import schema_path
from schemata.playground import answers
from schemata.thresholds import changed, thresholds
from tests.editing.test_answers import EISNER as PATH
from tests.editing.test_answers import at
from tests.playground.test_answers import EISNER
from tests.playground.test_answers import asked as asked_again

ITEMS, WORDS, TREES = (
    15,
    3,
    12,
)  # of the cat sat by Eisner's schema
CHARACTERS = len(EISNER)


def asked(question: str, **more: Any) -> dict[str, Any]:
    """Return an answer for which no earlier chart is used."""
    answers._charts.clear()
    return asked_again(question, **more)


# What a question is refused for, with how much of that it has.
REFUSED: dict[str, tuple[str, dict[str, Any], int]] = {
    "page_characters": ("run", {}, CHARACTERS),
    "page_words": ("run", {}, WORDS),
    "page_limit": ("run", {"seconds": 30}, 30),
    "page_derivations": ("derivation", {"number": 4}, 5),
    "page_taken": ("step", {"past": []}, 0),
    "page_compared": ("compare", {"others": ["collins1996", "nivre2003"], "max_n": 2}, 2),
    "page_examples": ("examples", {"examples": [{"sentence": "a b"}] * 3}, 3),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_question_that_is_refused(name: str) -> None:
    question, more, size = REFUSED[name]
    if name == "page_taken":
        more["past"] = [one["item"] for one in asked("step")["offers"]][:1]
        size = 1
    assert "errors" not in asked(question, **more)
    for most in (0, size - 1, size, size + 1):
        with changed(**{name: most}):
            assert ("errors" in asked(question, **more)) == (most < size), most


@pytest.mark.parametrize("most", [0, 1, 2, 12, 17, 1000])
def test_what_is_listed(most: int) -> None:
    chart = schemata.load("eisner1996").run("the cat sat")
    number = chart.item_count + len(chart.hypothesis_ids)
    with changed(page_items=most, page_trees=most, page_drawn=most):
        listed, drawn = asked("picture"), asked("structures", drawn=True)
    assert len(listed["listed"]) == min(most, number)
    assert (listed["items"], listed["hypotheses"]) == (chart.item_count, len(chart.hypothesis_ids))
    assert (listed["chart"]["svg"] is None) == (most < number)
    assert "too many" in str(listed["chart"]["said"]) or most >= number
    assert len(drawn["structures"]) == min(most, TREES)
    assert drawn["complete"] is (most >= TREES)
    with changed(page_unions=0):
        assert asked("structures")["distinct"] in (None, TREES)


@pytest.mark.parametrize("most", [1, 2, 3, 5, 1000])
def test_items_that_could_stand_in_a_cell(most: int) -> None:
    """Of spans four flags are possible; where not all are looked at, it is not said that there are none."""
    whole = asked("cell", grammar="heads:0,1,1", first=2, last=3)["items"]
    assert whole
    with changed(page_candidates=most):
        assert asked("cell", grammar="heads:0,1,1", first=2, last=3)["items"] == whole[:most]
    with changed(page_values=most):
        found = asked("cell", grammar="heads:0,1,1", first=2, last=3)
    assert {*found["items"]} <= {*whole}
    assert most < 4 or found["items"] == whole
    with changed(page_values=0):
        none = asked("cell", grammar="heads:0,1,1", first=2, last=3)
    assert (none["items"], "among 0" in none["text"]) == ([], True)


def test_limits_of_a_run() -> None:
    """Eisner's schema has 25 steps over three words; one that is over its limit says nothing about the sentence."""
    for most in (10, 25, 26, 1000):
        with changed(page_steps=most):
            found = asked("examples", examples=[{"sentence": "the cat sat", "expected": "accepted"}])
        (said,) = found["examples"]
        assert said["holds"] in ((True,) if most >= 26 else (None, True))
        assert said["holds"] is None or most >= 25
        assert said["holds"] is True or most < 26
    for seconds in (1e-9, 1000.0):
        with changed(page_seconds=seconds):
            found = asked("verify", class_name="projective", max_n=3)
        assert found["complete"] in ((True,) if seconds > 1 else (None, True))


@pytest.mark.parametrize("most", [0, 1, 11, 12, 13, 1000])
def test_trees_of_examples(most: int) -> None:
    """Whether a tree is among those of the chart: of few that are looked at, only yes is an answer."""
    rows = [{"sentence": "the cat sat", "expected": tree} for tree in ("0,1,2", "2,3,0", "3,1,0", "3,0,2")]
    usual = [one["holds"] for one in asked("examples", examples=rows)["examples"]]
    assert usual == [True, True, True, False]  # the last has crossing links over its root
    with changed(page_searched=most):
        found = [one["holds"] for one in asked("examples", examples=rows)["examples"]]
    assert all(one in (own, None) for one, own in zip(found, usual, strict=True))
    assert (found == usual) == (most > TREES)


@pytest.mark.parametrize("most", [0, 11, 12, 1000])
def test_trees_ranked_by_scores(most: int) -> None:
    scores = [[float(h * 3 - d) for d in range(4)] for h in range(4)]
    with changed(page_ranked=most):
        found = asked("weights", scores=scores)
    assert found["ranked"] == (most >= TREES)
    best = max(
        math.fsum(scores[h][d] for d, h in tree.links)
        for tree in schemata.load("eisner1996").run("the cat sat").forest().trees(None)
    )
    assert found["weight"] == pytest.approx(best)
    assert [round(one["weight"], 6) for one in found["best"]][:1] == [round(best, 6)] * (most >= TREES)


@pytest.mark.parametrize("most", range(5))
def test_derivations_of_a_comparison(most: int) -> None:
    """Derivations are counted up to so many words; other figures for all."""
    with changed(page_counted_words=most):
        rows = asked("compare", others=[], max_n=3)["rows"]
    charts = [schemata.load("eisner1996").run(["w"] * n) for n in (1, 2, 3)]
    assert [row["items"] for row in rows] == [chart.item_count for chart in charts]
    assert [row["derivations"] is not None for row in rows] == [n <= most for n in (1, 2, 3)]
    assert rows[-1]["derivations"] in (None, 16)


def test_schemata_and_numbers_that_are_kept() -> None:
    """They are kept from the first use on, so the modules are made again with room for fewer."""
    kept = dict(  # noqa: C408 - names by which another test finds that they are set
        page_schemata=("schemata.playground.answers", "_loaded"),
        kept_codes=("schemata.learning.examples", "code"),
    )
    for name, (module, function) in kept.items():
        usual = importlib.import_module(module)
        assert getattr(usual, function).cache_parameters()["maxsize"] == thresholds()[name]
        spec = importlib.util.find_spec(module)
        assert spec is not None
        assert spec.loader is not None
        for size in (0, 1):
            other = importlib.util.module_from_spec(spec)
            with changed(**{name: size}):
                spec.loader.exec_module(other)
            assert getattr(other, function).cache_parameters()["maxsize"] == size
            if name == "kept_codes":
                rows = [("form", "a"), ("form", "b"), ("upos", "a"), ("form", "a")]
                assert [other.code(*row) for row in rows] == [usual.code(*row) for row in rows]
                continue
            question = {"ask": "run", "sentence": "a b", "grammar": "all"}
            for schema in (EISNER, schema_path("collins1996").read_text(encoding="utf-8"), EISNER):
                found = other.answer({**question, "schema": schema}, lambda _: None)
                own = usual.answer({**question, "schema": schema}, lambda _: None)
                assert [found[key] for key in ("items", "steps")] == [own[key] for key in ("items", "steps")]


@pytest.mark.parametrize("most", [0, 1, 3, 32])
def test_kept_analyses(most: int) -> None:
    texts = [EISNER, EISNER.replace("span", "part"), EISNER, "schema a", EISNER.replace("span", "piece")]
    analysis._analyses.clear()
    with changed(kept_analyses=most):
        found = [analysed(Document(text, PATH)) for text in texts]
        assert len(analysis._analyses) <= most
    assert [[x.name for x in one.index.blocks] for one in found] == [
        [x.name for x in analysed(Document(text, PATH)).index.blocks] for text in texts
    ]


@pytest.mark.parametrize("most", [0, 1, 2, 3, 4])
def test_rules_of_a_step_that_are_shown(most: int) -> None:
    """A step of three cases: so many are shown, and the number of the others is said."""
    rule = "case of {0}\n  span[i, j, b, c]\n  ---  j - i == {0}\n  span[i, j, true, c]\n"
    rules = "".join(map(rule.format, (3, 4, 5)))
    text = EISNER.replace("\nfinal", f"\nstep Many\n{rules}\nfinal", 1)
    with changed(hovered_rules=most):
        found = hover(text, at(text, "step Many", "step M"), PATH)
    assert found is not None
    shown = str(found)
    assert [f"j - i == {k}" in shown or f"j - i = {k}" in shown for k in (3, 4, 5)] == [
        k < most for k in range(3)
    ]
    assert (f"and {3 - most} more" in shown) == (most < 3)


@pytest.mark.parametrize("most", [0, 1, 2, 3, 8])
def test_lines_above_an_opening_bracket(most: int) -> None:
    text = EISNER.replace("  span[i, k, b, d]", "  span[i,\n  k,\n  b,\n  d]")
    place = at(text, "  b,\n  d", "  b,\n  d")
    with changed(bracket_rows=most):
        found = signature(text, place, PATH)
    assert (found is not None) == (most >= 3)


@pytest.mark.parametrize("words", [1, 2, 5])
def test_words_of_lenses(words: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("schemata.editing.lenses._refined", lambda *_: ())
    with changed(lens_words=words, lens_verified=words):
        titles = [one.title for one in lenses(EISNER, PATH)]
    chart = schemata.load("eisner1996").run(["w"] * words)
    assert f"{chart.item_count} items, {chart.step_count} steps at n = {words}" in titles
    (said,) = [title for title in titles if title.endswith((f"to {words} words", f"to {words} word"))]
    assert "projective" in said


def test_seconds_of_lenses() -> None:
    """Without time, degrees are all that is said: no class, and no relation."""
    with changed(lens_seconds=1e-9):
        titles = [one.title for one in lenses(EISNER, PATH)]
    assert "time n^3, space n^2" in titles
    assert not any(title.startswith("refines") or "to 5 words" in title for title in titles)
