"""Files of scores that cannot mean anything are refused, and variables may be called as schemata call them."""

import json
from pathlib import Path

import numpy as np
import pytest

import schemata
from schemata import Facts, UsageError
from schemata.cli.command import memory_of
from tests.support.commands import Cli, Written


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("step L-Link where i is 1, i is 2 [0.5]", "i has a value already: 1"),
        ("step L-Link where i is -1 [0.5]", "-1 is not a position"),
        ("attach 1 to 2 [log 1e308]", "[log 1e308] is too large"),
        ("attach 1 to 2 [log -1e308]", "[log -1e308] is too large"),
    ],
)
def test_lines_that_mean_nothing_are_refused(text: str, said: str, cli: Cli, written: Written) -> None:
    answer = cli("run eisner1996", "a b", "--weights", str(written("w.scores", text)))
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err


def test_the_greatest_weights_are_added_up_to_a_number(cli: Cli, written: Written) -> None:
    lines = "attach 1 to 2 [log 1e290]\nattach 2 to 0 [log 1e290]\nattach 1 to 0 [log -1e290]\n"
    path = str(written("w.scores", lines))
    told = cli("run eisner1996", "a b", "--weights", path, "--json", "--best", "2").out
    best = json.loads(told, parse_constant=pytest.fail)["best"]
    assert best[0]["weight"] == pytest.approx(2e290)


@pytest.mark.parametrize(
    ("array", "said"),
    [
        (np.full((3, 3), 1j), "complex128"),
        (np.zeros((3, 3), dtype=[("a", "f8")]), "[('a', '<f8')]"),
        (np.full((3, 3), "1"), "<U1"),
        (np.full((3, 3), 1e300), "1e+300"),
    ],
)
def test_arrays_are_of_real_numbers(array: "np.ndarray", said: str, tmp_path: Path, cli: Cli) -> None:  # type: ignore[type-arg]
    np.save(tmp_path / "w.npy", array)
    answer = cli("run eisner1996", "a b", "--weights", str(tmp_path / "w.npy"))
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err
    with pytest.raises(UsageError):
        schemata.ArcScores(array)
    assert schemata.ArcScores(np.ones((3, 3), np.int8)).of(1, 2) == 1.0


def test_variables_need_be_no_names_of_python(cli: Cli, written: Written) -> None:
    schema = """schema heads
  title "A variable with a mark"
hypothesis word[i] where 0 <= i <= n + 1
item a[i: position] where 1 <= i <= n
step First
  word[h']
  --------  1 = h'
  a[h']
step Next
  a[h']   word[h' + 1]
  --------------------  attach h' to h' + 1
  a[h' + 1]
final a[n]
"""
    path, scores = written("heads.schema", schema), written("w.scores", "step Next where h' is 2 [log 3]\n")
    told = json.loads(cli("run", str(path), "a b c", "--weights", str(scores), "--json").out)
    assert told["best"][0]["weight"] == 3


def test_amounts_of_memory_are_amounts() -> None:
    assert memory_of("2.5k") == 2560
    for text in ("9" * 400, "0", "-1", "x"):
        with pytest.raises(UsageError):
            memory_of(text)


def test_a_text_is_no_list_of_facts() -> None:
    for rows in ({"a": "bc"}, {"a": ["bc"]}):
        with pytest.raises(UsageError, match="not a row of a"):
            Facts.of(rows)
    assert Facts.of({"a": [("bc",)]}).facts[0].arguments == ("bc",)


def test_a_picture_is_written_under_its_name(tmp_path: Path, cli: Cli) -> None:
    file = tmp_path / "tree.svg"
    answer = cli("run eisner1996", "a b c", "--svg", str(file))
    assert answer.out.endswith(f"wrote {file}\n")
    first = file.read_text(encoding="utf-8")
    assert first.startswith("<svg")
    assert cli("run eisner1996", "a b c", "--svg", str(tmp_path / "all")).code == 0
    assert (tmp_path / "all" / "tree-01.svg").read_text(encoding="utf-8") == first
    answer = cli("run eisner1996", "a b c", "--grammar", "heads:2,0,0", "--svg", str(tmp_path / "none.svg"))
    rejected = cli("run cyk", "Mary", "--grammar", "example", "--svg", str(tmp_path / "none2.svg"))
    assert "is not written" in rejected.err
    assert not (tmp_path / "none2.svg").exists()


def test_the_name_of_a_file_is_asked_back(tmp_path: Path) -> None:
    file = tmp_path / "bank.conllu"
    file.write_text("", encoding="utf-8")
    schema = schemata.load("eisner1996")
    with pytest.raises(UsageError, match=r"did you mean schemata\.treebanks\.read_conllu"):
        schema.run(str(file))
    assert schema.run([str(file)]).accepted
    assert schema.run(f" {file}").accepted
