"""The commands explain and why-not, and run with --trace."""

import csv
import io
import json
from pathlib import Path

import pytest

from tests.support.commands import Cli, Prints, Tells


@pytest.fixture(autouse=True)
def _eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def test_explain(tells: Tells, prints: Prints) -> None:
    assert "smallest proof" in prints("explain eisner1996", "the cat", "span[0, 2, false, true]")
    found = tells("explain eisner1996", "the cat", "span[0,2,false,true]")
    assert (found["derivable"], found["item"]) == (True, "span[0, 2, false, true]")
    assert found["proof"][0]["premises"] == [n["number"] for n in found["proof"] if n["depth"] == 1]
    out = prints("explain eisner1996", "the cat", "span[0,2,false,true]", "--every-step", "--json")
    assert len(json.loads(out)["derivations"]) == 2
    out = prints("explain --every-step eisner1996", "the cat", "word[1]")
    assert out == "word[1] is a hypothesis: no step derives it\n"


def test_explain_what_is_not_there(cli: Cli, tells: Tells) -> None:
    code, out, err = cli("explain eisner1996", "the cat", "span[0,2,true,true]")
    assert (code, out) == (1, "")
    assert "did you mean" in err
    assert "why-not" in err
    found = tells("explain eisner1996", "the cat", "span[0,2,true,true]", code=1)
    assert (found["derivable"], len(found["nearest"])) == (False, 3)


def test_why_not(tells: Tells, prints: Prints) -> None:
    arguments = ["why-not", "eisner1996", "the cat", "--grammar", "heads:2,0"]
    out = prints(*arguments, "span[1,2,false,true]", code=1)
    assert "the grammar does not license 2 (cat) under 1 (the)" in out
    found = tells(*arguments, "span[1,2,false,true]", code=1)
    assert (found["derivable"], found["links"]) == (False, [[2, 1]])
    assert prints(*arguments) == "span[0, 2, false, true] is derivable: schemata explain proves it\n"


def test_budget(warns: Prints) -> None:
    words = " ".join("w" * 30)
    for command in ("explain", "why-not"):
        assert "budget" in warns(command, "eisner1996", words, "span[0,30,false,true]", "--max-steps", "50")


def test_trace(tells: Tells, prints: Prints) -> None:
    out = prints("run hybrid", "a b", "--trace")
    assert out.splitlines()[0].split() == ["no", "item", "step", "from", "with"]
    found = tells("run hybrid", "a b", "--trace-all")
    assert (len(found["rows"]), found["all_instances"]) == (6, True)
    out = prints("run hybrid", "a b", "--trace", "--useful", "--latex")
    assert out.splitlines()[-1] == r"\end{longtable}"


def test_the_rows_of_a_trace(tells: Tells, prints: Prints) -> None:
    """Each way to derive an item has a row with --trace-all; rows of one sentence alone are refused."""
    found = tells("run hybrid", "a b c", "--trace-all")["rows"]
    ways = [
        (row["number"], row["item"], one and one["step"])
        for row in found
        for one in row["derivations"] or [None]
    ]
    for option, between in (("--csv", ","), ("--tsv", "\t")):
        rows = list(
            csv.DictReader(
                io.StringIO(prints("run hybrid", "a b c", "--trace-all", option)), delimiter=between
            )
        )
        assert [(int(row["number"]), row["item"], row["step"] or None) for row in rows] == ways
        assert len(rows) > len(found)
    assert len(prints("run eisner1996 --conllu example --number 2 --trace --csv").splitlines()) == 66


def test_a_trace_comes_with_the_files_asked_for(cli: Cli, prints: Prints, tmp_path: Path) -> None:
    files = ["--svg", str(tmp_path / "pictures"), "--dot", str(tmp_path / "forest.dot")]
    names = [
        str(tmp_path / "pictures" / name)
        for name in ("tree-1.svg", "tree-2.svg", "tree-3.svg", "derivation-1.svg")
    ]
    names.append(str(tmp_path / "forest.dot"))
    out = prints("run hybrid", "a b", "--trace", *files, "--derivations", "1")
    assert out.splitlines()[-5:] == [f"wrote {name}" for name in names]
    assert "derivation 1:" in out
    assert all(Path(name).is_file() for name in names)
    out = prints("run hybrid", "a b", "--trace", "--json", *files)
    assert json.loads(out)["files"] == [name for name in names if "derivation" not in name]
    out = prints("run hybrid", "a b", "--trace", "--latex", *files[2:])
    assert out.splitlines()[-2:] == [r"\end{longtable}", f"% wrote {names[-1]}"]


@pytest.mark.parametrize("item", [(), ("span[0, 5, false, true]",)])
def test_what_a_run_cut_short_did_not_come_to_is_not_known(prints: Prints, item: tuple[str, ...]) -> None:
    words = ("why-not", "eisner1996", "a b c d e", *item, "--max-steps", "5")
    out = prints(*words, code=2)
    assert out.startswith("it is not known whether")
    assert "is not derivable" not in out.splitlines()[0]
    out = prints(*words, "--json", code=2)
    assert (json.loads(out)["derivable"], json.loads(out)["stopped"]) == (None, "steps")


def test_what_no_run_comes_to_is_known_after_a_run_cut_short(cli: Cli) -> None:
    """More licences, or none whatever, are what it lacks: that the run was cut short does not matter."""
    for item, grammar in (("span[0, 2, true, true]", "all"), ("span[0, 2, false, true]", "heads:2,3,4,5,0")):
        _, out, _ = cli("why-not eisner1996", "a b c d e", item, "--max-steps", "5", "--grammar", grammar)
        assert f"{item} is not derivable" in out.splitlines()[0]


ITEM = "span[0, 3, false, true]"


@pytest.mark.parametrize("command", ["explain", "why-not"])
@pytest.mark.parametrize(
    "words",
    [
        ("a b c", ITEM),
        ("a", "b", "c", ITEM),
        ("a b c", *ITEM.split()),
        ("a", "b", "c", *ITEM.split()),
        ("a", "b", "c", *ITEM.split(), "--grammar", "all"),
    ],
)
def test_sentence_and_item_need_no_quotes(tells: Tells, command: str, words: tuple[str, ...]) -> None:
    found = tells(command, "eisner1996", *words)
    assert (found["sentence"], found["derivable"]) == (["a", "b", "c"], True)


def test_why_not_of_a_sentence_without_quotes(tells: Tells, warns: Prints) -> None:
    assert tells("why-not eisner1996 a b --grammar heads:2,0")["sentence"] == ["a", "b"]
    assert "error: 'c' is not an item" in warns("explain eisner1996 a b c")


@pytest.mark.parametrize(
    ("of_file", "told"),
    [
        ("explain eisner1996 {} span[0,1,false,true]", "explain eisner1996 {} span[0,1,false,true]"),
        ("why-not eisner1996 {} --grammar gold", "why-not eisner1996 {} --grammar heads:2,3,0,3,2,7,5"),
        ("oracle arc-eager-system {} --losses", "oracle arc-eager-system {} --losses --heads 2,3,0,3,2,7,5"),
    ],
)
def test_a_sentence_of_a_treebank(of_file: str, told: str, cli: Cli) -> None:
    answer = cli(*of_file.format("--conllu example --number 3").split())
    assert answer == cli(*told.format("a letter arrived today with good news").split())
    assert answer.out
    assert cli(*of_file.format("--conllu example --number 9").split()).err.endswith(
        "has no sentence 9\n  expected: a number from 1 to 3\n"
    )
    without = cli(*of_file.format("a b c --number 3").split())
    assert without.err.startswith("error: --number goes with --conllu")


def test_a_sentence_of_a_treebank_and_no_item(cli: Cli) -> None:
    assert cli("explain eisner1996 --conllu example").err.startswith("error: there is no item\n")
