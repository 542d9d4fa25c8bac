"""Answers to the page's questions are those of the package, in JSON; what is wrong in a question is an answer, too."""

import json
import re
from typing import Any

import pytest

import schemata
from schemata.correctness.shipped import shipped_certificate
from schemata.exercises.reading import read_exercise, shipped_exercises
from schemata.language.library import schema_path
from schemata.playground.answers import QUESTIONS, answer, answer_text
from schemata.playground.catalogue import catalogue
from tests.exercises.answers import RIGHT, WRONG

EISNER = schema_path("eisner1996").read_text(encoding="utf-8")
COLLINS = schema_path("collins1996").read_text(encoding="utf-8")
CYK = schema_path("cyk").read_text(encoding="utf-8")
ENDLESS = """\
schema endless
  grammar d-rules
item p[k: integer]
step First
  ---
  p[0]
step Next
  p[k]
  ---
  p[k + 1]
final p[-1]
"""


def asked(ask: str, **more: Any) -> dict[str, Any]:
    """Return an answer after it has gone through JSON, as in the browser."""
    question = {"schema": EISNER, "sentence": "the cat sat", "grammar": "all", "ask": ask, **more}
    found = json.loads(answer_text(json.dumps(question), lambda _: None))
    assert isinstance(found, dict)
    return found


def test_a_run_has_the_figures_of_the_package() -> None:
    chart = schemata.load("eisner1996").run("the cat sat")
    found = asked("run")
    assert (found["items"], found["steps"], found["accepted"]) == (chart.item_count, chart.step_count, True)
    assert found["derivations"] == 16
    counted = asked("structures", drawn=True)
    assert (counted["distinct"], counted["complete"]) == (12, True)
    assert [tuple(one["heads"]) for one in counted["structures"]] == [
        one.heads for one in chart.forest().trees(None)
    ]
    assert all(one["svg"].startswith("<svg") for one in counted["structures"])
    assert (asked("structures")["distinct"], asked("structures")["structures"]) == (12, [])
    drawn = asked("picture")
    assert {one["item"] for one in drawn["listed"] if not one["given"]} == set(map(str, chart.items))
    assert [one["item"] for one in drawn["listed"] if one["final"]] == list(map(str, chart.final_items))
    assert (drawn["items"], drawn["hypotheses"]) == (chart.item_count, len(chart.hypothesis_ids))
    assert drawn["chart"]["view"] == "triangle"
    numbers = re.findall(r'data-item="(\d+)"', drawn["chart"]["svg"])
    assert len(numbers) == len(set(numbers)) == chart.item_count


def test_a_run_after_the_pause_writes_no_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    known, unknown = (EISNER.replace("step Initter", f"step {name}") for name in ("Prepared", "NotPrepared"))
    assert asked("prepare", schema=known) == {"prepared": True}
    monkeypatch.setattr("schemata.kernels.agenda.emit_agenda", None)
    assert asked("run", schema=known)["steps"] == 25
    with pytest.raises(TypeError):  # its kernel is still to be written
        asked("run", schema=unknown)


def test_all_cells_can_be_asked_about() -> None:
    cells = re.findall(r'data-cell="(\d+) (\d+)"', asked("picture", schema=COLLINS)["chart"]["svg"])
    assert cells  # words 1 to 3
    assert {tuple(map(int, cell)) for cell in cells} == {
        (a, b) for a in (1, 2, 3) for b in (1, 2, 3) if a <= b
    }


@pytest.mark.parametrize("text", ["span[1, 2, true, false]", "span[0, 3, false, true]"])
def test_items_that_are_derived_have_proofs(text: str) -> None:
    found = asked("item", item=text)
    proof = schemata.load("eisner1996").run("the cat sat").explain(text)
    assert found["derivable"]
    assert [one["item"] for one in found["proof"]] == [str(node.item) for node in proof.nodes]


def test_what_is_not_derived_has_a_reason() -> None:
    found = asked("item", item="span[0, 2, true, false]")
    assert found["derivable"] is False
    assert "no D-rules can license 0 (root) under 2" in found["text"]
    assert asked("item", item="span[0, 2")["errors"]


def test_a_cell_offers_the_items_that_could_stand_there_and_do_not() -> None:
    chart = schemata.load("collins1996").run("a b c", "heads:2,0,2")
    for first in (1, 2, 3):
        for last in range(first, 4):
            offered = asked(
                "cell", schema=COLLINS, sentence="a b c", grammar="heads:2,0,2", first=first, last=last
            )
            all_items = {f"tree[{first}, {last}, {h}]" for h in range(first, last + 1)}
            # Hypotheses stand in charts of one word.
            there = {str(one) for one in (*chart.items, *map(chart.item, chart.hypothesis_ids))}
            assert set(offered["items"]) == all_items - there
            assert bool(offered["items"]) == ("is not derivable" in offered["text"])


def test_derivations_are_numbered() -> None:
    listed = list(schemata.load("eisner1996").run("the cat sat").forest().derivations(limit=None))
    for number, one in enumerate(listed):
        view = asked("derivation", number=number)["derivation"]
        assert [step["made"] for step in view["steps"]] == [node.number for node in one.applied()]
        assert view["arcs"].startswith("<svg")
    assert asked("derivation", number=len(listed)) == {"derivation": None, "count": len(listed)}
    assert asked("derivation", number=-1)["errors"]


def test_a_run_can_be_gone_through_item_by_item() -> None:
    chart = schemata.load("eisner1996").run("the cat sat")
    past: list[str] = []
    while (found := asked("step", past=past))["offers"]:
        assert found["taken"] == past
        past.append(found["offers"][-1]["item"])
    assert sorted(past) == sorted(map(str, chart.items))
    assert asked("step", past=["span[0, 3, false, true]"])["errors"][0]["message"].endswith("is not offered")


def test_a_verdict_comes_with_its_counterexample_drawn() -> None:
    told: list[Any] = []
    question = {"schema": EISNER, "ask": "verify", "class_name": "projective", "max_n": 3}
    found = answer(question, lambda text: told.append(json.loads(text)))
    assert (found["complete"], found["sound"], found["each_once"]) == (True, True, False)
    [example] = found["counterexamples"]
    assert example["heads"] == [0, 1, 2]
    assert len(example["derivations"]) == 2
    assert told
    assert {"done", "total", "about"} <= told[0].keys()
    wrong = asked("verify", class_name="planar", max_n=4)
    assert wrong["complete"] is False
    assert wrong["counterexamples"][0]["said"] == "A structure that is missed"
    (missed,) = wrong["counterexamples"][:1]
    assert (missed["is_wrong"], missed["steps"], missed["fault"]) == (False, [], None)
    same = asked("verify", other="arc-eager", max_n=3)
    assert (same["complete"], same["sound"]) == (True, True)


def test_what_should_not_be_derived_is_drawn_with_its_case_and_its_steps() -> None:
    # The dependent of a link goes on as the head of the span: a word gets two heads, which are not a tree.
    two_heads = COLLINS.replace("to h2\n  tree[i, k, h2]", "to h2\n  tree[i, k, h1]")
    assert two_heads != COLLINS
    earley = schema_path("earley").read_text(encoding="utf-8")
    for text, class_name, fault, case in (
        (two_heads, "projective", "word 1 has the heads 2, 3", "3 words, licensed: 1 under 2, 1 under 3"),
        (earley, "binary", "a tree that is not binary", "rules A -> t, S -> A"),
    ):
        found = asked("verify", schema=text, class_name=class_name, max_n=3)
        assert found["sound"] is False
        (wrong,) = [one for one in found["counterexamples"] if one["is_wrong"]]
        assert (wrong["fault"], wrong["case"][0]) == (fault, case)
        assert wrong["svg"].startswith("<svg")
        assert wrong["steps"]
        assert all(" |- " in line for line in wrong["steps"])


def test_schemata_are_compared_by_length() -> None:
    found = asked("compare", others=["collins1996"], max_n=4)
    rows = {(row["label"], row["n"]): (row["items"], row["steps"]) for row in found["rows"]}
    assert rows["eisner1996", 3] == (15, 25)
    assert rows["collins1996", 3] == (7, 12)
    assert [one["points"][0][0] for one in found["growth"]] == [1] * 4
    assert asked("compare", others=["cyk"])["errors"]


def test_relations_and_costs() -> None:
    found = asked("relate", other="eisner-satta1999", reverse=True, kind="step-refinement")
    assert [(one["kind"], one["holds"]) for one in found["answers"]] == [("step-refinement", True)]
    # Trees with different heads are carried to one span: with this map the answer is known.
    asking = {"other": "collins1996", "reverse": True, "kind": "step-refinement", "max_n": 2}
    for given, holds in (("", None), ("tree[i, j, h] to span[i, j, false, true]", False)):
        assert [one["holds"] for one in asked("relate", map=given, **asking)["answers"]] == [holds]
    assert asked("relate", map="tree[", **asking)["errors"]
    cost = asked("cost")["cost"]
    assert (cost["time"]["degree"], cost["space"]["degree"]) == (3, 2)


def test_examples_are_green_or_red() -> None:
    rows = [
        ("the cat sat", "accepted", True),
        ("the cat sat", "not accepted", False),
        ("a b", "3", True),
        ("a b", "2", False),
        ("a b c d", "0,1,2,3", True),
        ("a b c d", "3,4,0,3", False),  # which is not projective
        ("a b", "1,2,3", False),
        ("", "accepted", False),
        ("a", "what", False),
    ]
    found = asked(
        "examples", examples=[{"sentence": text, "expected": expected} for text, expected, _ in rows]
    )
    assert [one["holds"] for one in found["examples"]] == [holds for *_, holds in rows]
    cut = asked("examples", schema=ENDLESS, seconds=0.2, examples=[{"sentence": "a", "expected": "accepted"}])
    assert cut["examples"][0]["holds"] is None


def test_mistakes_have_their_places() -> None:
    found = asked("check", schema=EISNER.replace("span[i, j, true, false]", "spam[i, j, true, false]"))
    [finding, *_] = [one for one in found["findings"] if one["severity"] == "error"]
    line = EISNER.splitlines()[finding["line"] - 1].replace("span", "spam")
    assert line[finding["column"] - 1 : finding["end_column"] - 1] == "spam"
    assert asked("check")["ok"]
    wrong = asked("check_grammar", schema=CYK, grammar="S -> NP VP\nNP ->\n -> x")
    assert not wrong["ok"]
    assert {one["line"] for one in wrong["findings"]} <= {1, 2, 3}
    assert asked("check_grammar", schema=CYK, grammar="S -> 'a'")["ok"]  # a single line is a grammar, no path
    assert asked("run", schema=CYK, grammar="S -> 'a'", sentence="a")["accepted"]


def test_the_editor_is_answered() -> None:
    lines = EISNER.splitlines()
    line = next(k for k, text in enumerate(lines) if text.startswith("step R-Link")) + 1
    labels = {one["label"] for one in asked("complete", line=line, character=4)["proposals"]}
    assert "span" in labels
    assert "span" in asked("hover", line=line, character=4)["text"]
    assert asked("hover", line=4, character=0) == {"text": None}  # an empty line
    assert asked("hover", line=-1, character=0)["errors"]


def test_a_run_that_goes_on_for_ever_is_ended_by_its_limit() -> None:
    found = asked("run", schema=ENDLESS, seconds=0.3)
    assert found["stopped"] == "seconds"
    assert found["items"] > 0


@pytest.mark.parametrize(
    "question",
    [
        {}, {"ask": None}, {"ask": ["run"]}, {"ask": "run"}, {"ask": "__class__"}, {"ask": "run", "schema": 3},
        {"ask": "run", "schema": "x" * 300_000}, {"ask": "run", "schema": EISNER, "set": {"end": "1"}},
        {"ask": "run", "schema": EISNER, "set": [1]}, {"ask": "run", "schema": EISNER, "sentence": " "},
        {"ask": "run", "schema": EISNER, "sentence": "a " * 500}, {"ask": "cell", "schema": EISNER, "sentence": "a"},
        {"ask": "run", "schema": EISNER, "sentence": "a", "seconds": "x"},
        {"ask": "run", "schema": EISNER, "sentence": "a", "seconds": -1},
        {"ask": "run", "schema": EISNER, "sentence": "a", "grammar": "/etc/passwd"},
        {"ask": "verify", "schema": EISNER, "max_n": 99}, {"ask": "verify", "schema": EISNER, "class_name": "nothing"},
        {"ask": "compare", "schema": EISNER, "others": "abc"}, {"ask": "step", "schema": EISNER, "past": 4},
        {"ask": "weights", "schema": EISNER, "sentence": "a", "scores": [[0]]},
        {"ask": "weights", "schema": EISNER, "sentence": "a", "scores": [[0, "x"], [0, 0]]},
        {"ask": "examples", "schema": EISNER, "examples": [3]}, {"ask": "relate", "schema": EISNER, "other": "../x"},
    ],
)  # fmt: skip
def test_nothing_in_a_question_is_trusted(question: dict[str, Any]) -> None:
    errors = json.loads(answer_text(json.dumps(question)))["errors"]
    assert all(one["message"] for one in errors)
    assert errors


def test_what_is_no_json_is_told() -> None:
    for text in ("", "{", "[1]", "3", "[" * 100_000):
        assert "errors" in json.loads(answer_text(text))


def entries() -> list[dict[str, Any]]:
    return [one for group in catalogue()["groups"] for one in group["schemata"]]


def refusals(chosen: list[dict[str, Any]]) -> dict[str, Any]:
    """Return by schema why the sentence that the menu has for it does not come out as expected."""
    refused = {}
    for one in chosen:
        found = asked("run", schema=one["text"], sentence=one["sentence"], grammar=one["given"])
        if "errors" in found or found["accepted"] != (one["expected"] == "accepted"):
            refused[one["name"]] = [x["message"] for x in found.get("errors", [])] or found["accepted"]
    return refused


def test_schemata_over_facts_run_on_their_sentences() -> None:
    chosen = [one for one in entries() if one["grammar"] == "facts"]
    assert len(chosen) > 15
    assert refusals(chosen) == {}


@pytest.mark.thorough
def test_every_schema_of_the_menu_runs_on_its_sentence() -> None:
    assert len(entries()) > 90
    assert refusals(entries()) == {}


def test_all_questions_are_those_of_the_page() -> None:
    assert set(QUESTIONS) >= {"check", "run", "item", "cell", "derivation", "step", "verify", "examples"}


def test_exercises_show_the_task_and_nothing_of_the_answer() -> None:
    for name in shipped_exercises():
        found = asked("exercise", exercise=name)
        task = read_exercise(name)
        assert (found["kind"], found["title"], found["task"]) == (task.kind, task.title, task.task)
        assert found["of_schema"] is (task.kind in ("mend", "write"))
        if task.kind == "write":
            assert found["rules"] is found["broken"] is None  # the hidden one stays hidden
            assert "same_as" not in found or found["same_as"] in (None, "a hidden schema")
    assert asked("exercise", exercise="02-cyk-next")["svg"].startswith("<svg")
    shown = asked("exercise", exercise="13-second-collins")["shown"]
    assert RIGHT["13-second-collins"].split("; ")[0] not in [step["text"] for step in shown["steps"]]
    first, again, other = (asked("exercise", exercise="15-mend-collins", variant=k) for k in (1, 1, 2))
    assert first["broken"] == again["broken"] != other["broken"]


@pytest.mark.parametrize(
    "name", ["02-cyk-next", "06-collins-items", "10-class-collins", "14-second-eisner", "15-mend-collins"]
)
def test_answers_are_graded_with_the_counterexample(name: str) -> None:
    right = asked("grade", exercise=name, given=RIGHT[name])
    assert (right["right"], right["hint"]) == (True, None)
    for given, said in WRONG[name]:
        wrong = asked("grade", exercise=name, given=given)
        assert wrong["right"] is False, given
        assert said in " ".join([wrong["message"], *(one["text"] for one in wrong["evidence"])])
        for one in wrong["evidence"]:
            assert one["text"]


def test_a_broken_schema_is_refuted_by_a_tree_that_is_drawn() -> None:
    broken = asked("exercise", exercise="15-mend-collins")["broken"]
    wrong = asked("grade", exercise="15-mend-collins", given=broken)
    assert wrong["right"] is False
    (drawn, *_) = [one for piece in wrong["evidence"] for one in piece["counterexamples"]]
    assert drawn["svg"].startswith("<svg")
    assert len(drawn["sentence"].split()) == len(drawn["heads"])


def test_what_is_no_exercise_is_said() -> None:
    wrong: list[dict[str, Any]] = [{"exercise": "../x"}, {"exercise": 3}, {}]
    wrong += [
        {"exercise": "20-write-projective", "variant": 1},
        {"exercise": "15-mend-collins", "variant": -1},
    ]
    wrong += [{"exercise": "x", "text": "exercise nothing\n"}]
    for given in wrong:
        for ask in ("exercise", "grade"):
            assert asked(ask, given="1", **given)["errors"], given
    assert asked("grade", exercise="15-mend-collins", given="schema x\n")["errors"]
    assert asked("grade", exercise="02-cyk-next", given="")["errors"]


def test_certificates_are_checked_again() -> None:
    pytest.importorskip("z3")
    found = asked("recheck")
    assert (found["accepted"], found["refused"], found["claims"]) == (True, None, ["sound", "complete"])
    changed = asked("recheck", schema=EISNER.replace("attach i to j", "attach j to i", 1) + "\n# changed\n")
    path = shipped_certificate("collins1996")
    assert path is not None
    other = asked("recheck", text=path.read_text(encoding="utf-8"))
    for refused in (changed, other):
        assert refused["accepted"] is False
        assert refused["refused"]
    assert "no certificate is shipped" in asked("recheck", schema=ENDLESS)["errors"][0]["message"]
    assert asked("recheck", text="{}")["errors"]
