"""The Python interface: what it gives, and its answers to what makes no sense."""

import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import schemata


@pytest.mark.parametrize("sentence", ["a b", ["a", "b"], ("a", "b"), schemata.Sentence(("a", "b"))])
def test_sentences_of_every_kind(sentence: Any) -> None:
    assert schemata.load("eisner1996").run(sentence).n == 2


@pytest.mark.parametrize("sentence", ["", "  ", [], None, 5, b"ab", [1, 2], ["a", ""], ["a", " "]])
def test_what_is_no_sentence(sentence: Any) -> None:
    with pytest.raises(schemata.UsageError):
        schemata.load("eisner1996").run(sentence)


@pytest.mark.parametrize("item", [5, [], b"span[0, 1, false, false]"])
def test_what_is_no_item(item: Any) -> None:
    for asked in (schemata.explain, schemata.why_not):
        with pytest.raises(schemata.UsageError, match="is not an item\n  expected: an Item, or its text"):
            asked("eisner1996", "a b", item)


@pytest.mark.parametrize("text", ["", " ", "\n"])
def test_an_empty_text_is_no_item(text: str) -> None:
    with pytest.raises(schemata.SchemaError, match="there is no item\n  expected: an item"):
        schemata.explain("eisner1996", "a b", text)


@pytest.mark.parametrize("structure", [None, 5, schemata.Sentence(("a", "b"))])
def test_what_is_no_structure(structure: Any) -> None:
    with pytest.raises(schemata.UsageError, match="expected: heads, a tree, a graph or a linkage"):
        schemata.load("eisner1996").run("a b").weight_of(structure)


def test_structures_of_another_kind_have_no_weight() -> None:
    links, brackets = (
        schemata.load("eisner1996").run("a b"),
        schemata.load("cyk").run("Mary slept", "example"),
    )
    [tree], [derivation] = brackets.forest().structures(), links.forest().derivations(1)
    assert brackets.weight_of(tree) == 0.0
    for chart, other in ((links, derivation), (links, tree), (brackets, (2, 0)), (brackets, derivation)):
        with pytest.raises(schemata.UsageError, match=r"has no links|is not a structure of cyk"):
            chart.weight_of(other)


@pytest.mark.parametrize("depth", [0, 101, 2.5, "2", None])
def test_what_is_no_depth(depth: Any) -> None:
    with pytest.raises(schemata.UsageError, match="the depth of the reasons is 1 to 100"):
        schemata.why_not("eisner1996", "a b", depth=depth)


@pytest.mark.parametrize("budget", ["x", 5, 0, {}])
def test_what_is_no_budget(budget: Any) -> None:
    one, sentence = schemata.load("eisner1996"), "a b"
    run, profile = partial(one.run, sentence), partial(schemata.profile, one, sentence)
    explain = partial(schemata.explain, one, sentence, "span[0, 1, false, false]")
    compare, relate = partial(schemata.compare, one, sentence), partial(schemata.relate, one, one)
    verify, controlled = partial(schemata.verify, one, "projective"), partial(run, control="greedy")
    read_back = partial(one.run(sentence).explain, "span[0, 1, false, false]")
    for asked in (run, profile, explain, read_back, compare, relate, verify, controlled):
        with pytest.raises(schemata.UsageError, match="is not a budget"):
            asked(budget=budget)


def test_one_schema_is_measured_by_itself() -> None:
    one = schemata.load("eisner1996")
    for given in (one, "eisner1996", ["eisner1996"]):
        (row,) = schemata.compare(given, "a b").rows
        assert row.steps == one.run("a b").step_count


@pytest.mark.parametrize("number", [-1, 2.5, "2"])
def test_what_is_no_number(number: Any) -> None:
    """Above all, a list is not cut at its end where the limit is negative."""
    chart = schemata.load("eisner1996").run("a b")
    forest = chart.forest()
    lists = forest.trees, forest.structures, forest.derivations, chart.k_best, chart.sample
    verify = partial(schemata.verify, "eisner1996", "projective")
    explain = partial(chart.explain, "span[0, 1, false, false]")
    for asked in (*lists, verify, explain):
        with pytest.raises(schemata.UsageError, match=r"must be (at least [01]|a whole number), not "):
            asked(number)


@pytest.mark.parametrize(
    ("reference", "parameters"),
    [
        (None, {}),
        (5, {}),
        ("eisner", {}),
        ("mh", {"k": "4"}),
        ("mh", {"k": None}),
        ("mh", {"k": 4.0}),
        ("mh", {"k": True}),
        ("mh", {"k": 2}),
        ("mh", {"j": 4}),
        ("mh:k=x", {}),
        (Path("nowhere.schema"), {}),
    ],
)
def test_what_cannot_be_loaded(reference: Any, parameters: dict[str, Any]) -> None:
    with pytest.raises(schemata.SchemataError):
        schemata.load(reference, **parameters)


def test_parameters_in_three_spellings() -> None:
    charts = [schemata.load("mh", k=4), schemata.load("mh:k=4"), schemata.load("mh:k=5", k=4)]
    assert len({c.run("a b c d").step_count for c in charts}) == 1


def test_grammars_of_another_kind_are_refused() -> None:
    with pytest.raises(schemata.UsageError, match="d-rules"):
        schemata.load("eisner1996").run("a", schemata.DependencyRules.gold())
    with pytest.raises(schemata.UsageError, match="grammar="):
        schemata.load("lombardo-lesmo1996").run("a")


def test_a_very_long_sentence_stops_at_its_budget() -> None:
    with pytest.raises(schemata.BudgetExceeded) as stopped:
        schemata.load("eisner1996").run(["w"] * 5000, budget=schemata.Budget(steps=1000))
    assert stopped.value.chart.step_count < 20_000


def test_long_sentences_are_licensed_as_short_ones_are() -> None:
    short, long = (schemata.DRules.all().for_sentence(schemata.Sentence(("w",) * n)) for n in (1000, 1001))
    for licences, n in ((short, 1000), (long, 1001)):
        assert (1, 0) in licences.pairs
        assert (n, n) not in licences.pairs
        assert (n + 1, 1) not in licences.pairs
        assert len(licences.pairs) == n * n
        asked = licences.relations["licensed"].rows
        assert asked(2, ...)[:3] == ((0,), (1,), (3,))
        assert asked(..., 0)[:2] == ((1,), (2,))
        assert asked(0, ...) == ()
        assert licences.is_complete


LEAN = {  # what a script imports in the end, and what it must not
    "import schemata.structures, schemata.grammars": "lark networkx numpy numba conllu rich",
    "import schemata.display.comparison, schemata.cli.compare": "matplotlib networkx rich numpy",
    "import schemata.display.arcs, schemata.treebanks": "rich conllu wcwidth urllib.request",
    "import schemata; schemata.load('eisner1996').run('a b').forest().derivations()": "schemata.display",
    "import schemata; schemata.load('eisner1996').run('a b')._repr_html_()": "IPython",
    "from schemata.cli.main import main; import os; sys.stdout = open(os.devnull, 'w'); "
    "main(['run', 'eisner1996', 'a b']); sys.stdout = sys.__stdout__": "numpy schemata.engine.weighing "
    "schemata.analysis.paths schemata.program.unread",
}


@pytest.mark.parametrize("script", LEAN)
def test_what_is_not_needed_is_not_imported(script: str) -> None:
    code = f"import sys; {script}; print(sys.modules.keys() & {LEAN[script].split()})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
