"""Parsers side by side: what each is worth by the command's own steps one by one, and what is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import schemata
from schemata.display.plots import plot_parsers
from schemata.errors import UsageError
from schemata.learning.accuracy import Contestant, Treebank, _coverage, accuracy
from schemata.learning.model import Parser
from schemata.learning.training import train
from schemata.thresholds import changed
from tests.learning.test_systems import crossed
from tests.learning.test_training import examples, treebank
from tests.support.commands import Answer

Cli = Callable[..., Answer]


@pytest.fixture
def files(tmp_path: Path) -> str:
    """A treebank with crossing arcs, learnt from and tested on."""
    gold, test = crossed(tmp_path / "gold.conllu", 30, 1), crossed(tmp_path / "test.conllu", 20, 2)
    return f"small={gold},{test}"


def test_scores_are_those_of_the_steps_one_by_one(files: str, tmp_path: Path) -> None:
    names = [
        "eisner1996",
        "mst",
        "swap-system",
        "arc-eager-system+dynamic",
        "hybrid-system+pseudo-projective",
    ]
    found = accuracy(names, [files], epochs=3, resamples=50)
    by_name = {score.parser: score for score in found.scores}
    assert [*by_name] == names
    gold = examples(tmp_path / "test.conllu")
    projective = sum(len(one) == 3 for one in gold) / len(gold)  # the longer ones have crossing arcs
    coverage = [projective, 1.0, 1.0, projective, projective]
    assert [by_name[name].coverage for name in names] == pytest.approx(coverage)
    assert [by_name[name].training for name in names] == ["neutral"] * 2 + ["transitions"] * 3
    assert [by_name[name].degree for name in names] == [3, None, None, None, None]
    neutral = train(tmp_path / "gold.conllu", epochs=3)
    for name in ("eisner1996", "mst"):
        trees = list(Parser(neutral, name).trees(gold))
        right = sum(
            x == y
            for one, tree in zip(gold, trees, strict=True)
            for x, y in zip(one.heads or (), tree[0] if tree else (), strict=True)
        )
        assert by_name[name].uas == pytest.approx(right / sum(map(len, gold)))
    for name in ("swap-system", "hybrid-system+pseudo-projective"):
        assert (by_name[name].las, by_name[name].crossing_recall) == (1, 1)
    assert by_name["arc-eager-system+dynamic"].crossing_recall == 0
    assert by_name["eisner1996"].p_las is None
    assert by_name["swap-system"].p_las is not None


def test_each_schema_learns_with_its_own_trees(files: str) -> None:
    found = accuracy(["mst", "eisner1996"], [files], training="own", epochs=3, resamples=0)
    assert {score.training for score in found.scores} == {"own"}
    best, projective = (score.las for score in found.scores)
    assert (best, projective < 1) == (1, True)
    assert found.scores[0].uas_interval is None


@pytest.mark.thorough
def test_models_are_kept_and_found_again(files: str, tmp_path: Path) -> None:
    names = ["mst", "arc-standard-system"]
    first, again = (
        accuracy(names, [files], epochs=1, resamples=0, models=tmp_path / "models") for _ in range(2)
    )
    other = accuracy(names, [files], epochs=2, resamples=0, models=tmp_path / "models")
    assert [score.train_seconds is None for score in (*first.scores, *again.scores, *other.scores)] == [
        False, False, True, True, False, False,
    ]  # fmt: skip
    assert [score.las for score in first.scores] == [score.las for score in again.scores]
    assert len(list((tmp_path / "models").iterdir())) == 8


def test_what_is_refused(files: str, tmp_path: Path) -> None:
    for name, message in (
        ("eisner1996+dynamic", "not a transition system"),
        ("swap-system+fast", r"no parser is changed by \+fast"),
        ("swap-system+beam=x", "no parser is changed"),
        ("no-such", "no schema"),
    ):
        with pytest.raises(UsageError, match=message):
            accuracy([name], [files])
    with pytest.raises(UsageError, match="no files"):
        accuracy(["mst"], ["one.conllu"])
    with pytest.raises(UsageError, match="give parsers"):
        accuracy(["mst"], [])
    with pytest.raises(UsageError, match="no other training"):
        accuracy(["mst"], [files], training="other")
    empty = tmp_path / "empty.conllu"
    empty.write_text("1\ta\t_\tX\t_\t_\t_\t_\t_\t_\n\n", encoding="utf-8")
    with pytest.raises(UsageError, match="has a tree"):
        accuracy(["mst"], [f"{tmp_path / 'gold.conllu'},{empty}"], epochs=1)
    with pytest.raises(UsageError, match="not a folder for models"):
        accuracy(["mst"], [files], epochs=1, models=empty)
    assert Contestant.read("k-planar-system:k=3+beam=4").beam == 4
    assert Treebank.read("a/x.conllu,b/y.conllu").name == "y"


def test_the_command(cli: Cli, files: str, tmp_path: Path) -> None:
    parts = "accuracy", "mst", "swap-system", "--treebank", files, "--epochs", "2", "--resamples", "20"
    answer = cli(*parts, "--json")
    found: Any = json.loads(answer.out)
    assert answer.code == 0
    assert [score["parser"] for score in found["scores"]] == ["mst", "swap-system"]
    assert found["training"] == "neutral"
    assert found["scores"][0]["p_las"] is None
    assert (found["scores"][1]["degree"], found["scores"][1]["coverage"]) == (None, 1)
    table = cli(*parts, "--format", "csv").out.splitlines()
    assert table[0].startswith("treebank,parser,training,UAS,LAS")
    assert [line.split(",")[:2] for line in table[1:]] == [["small", "mst"], ["small", "swap-system"]]
    assert "| `" not in cli(*parts, "--format", "markdown").out
    assert cli("accuracy", "mst").code == 2
    assert cli("accuracy", "mst", "--treebank", "a,b").code == 2
    broken = treebank(tmp_path / "broken.conllu", 6, 3)
    broken.write_text(broken.read_text("utf-8").replace("\t0\troot", "\t99\troot", 1), encoding="utf-8")
    answer = cli("accuracy", "mst", "--treebank", f"{broken},{broken}", "--epochs", "1")
    assert answer.code == 2
    assert "head" in answer.err


def test_the_plot(files: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    found = schemata.accuracy(["mst", "swap-system"], [files, files], epochs=1, resamples=0)
    path = plot_parsers(found, tmp_path / "plot.svg")
    text = path.read_text(encoding="utf-8")
    assert all(name in text for name in ("mst", "swap-system", "milliseconds a sentence", "can be built"))


def test_what_is_covered_is_unknown_where_a_search_ends_early(tmp_path: Path) -> None:
    """The links of 12 words cross all others of 12 more."""
    heads = (*(0, *range(1, 12)), *range(1, 13))
    text = "".join(f"{k}\tw\t_\t_\t_\t_\t{h}\tx\t_\t_\n" for k, h in enumerate(heads, 1))
    (tmp_path / "many.conllu").write_text(f"{text}\n", encoding="utf-8")
    one, trees = Contestant("eisner1996", "eisner1996", system=False), examples(tmp_path / "many.conllu")
    assert _coverage(one, trees) == 0.0
    with changed(coloured_vertices=30):
        assert _coverage(one, trees) is None
