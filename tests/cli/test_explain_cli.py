"""The commands explain and why-not, and run with --trace."""

import json
from pathlib import Path

import pytest

from tests.support.commands import Cli


@pytest.fixture(autouse=True)
def _eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def test_explain(cli: Cli) -> None:
    code, out, _ = cli("explain eisner1996", "the cat", "span[0, 2, false, true]")
    assert code == 0
    assert "smallest proof" in out
    code, out, _ = cli("explain eisner1996", "the cat", "span[0,2,false,true]", "--json")
    found = json.loads(out)
    assert (code, found["derivable"], found["item"]) == (0, True, "span[0, 2, false, true]")
    assert found["proof"][0]["premises"] == [n["number"] for n in found["proof"] if n["depth"] == 1]
    code, out, _ = cli("explain eisner1996", "the cat", "span[0,2,false,true]", "--all", "--json")
    assert (code, len(json.loads(out)["derivations"])) == (0, 2)
    code, out, _ = cli("explain --all eisner1996", "the cat", "word[1]")
    assert (code, out) == (0, "word[1] is a hypothesis: no step derives it\n")


def test_explain_what_is_not_there(cli: Cli) -> None:
    code, out, err = cli("explain eisner1996", "the cat", "span[0,2,true,true]")
    assert (code, out) == (1, "")
    assert "did you mean" in err
    assert "why-not" in err
    code, out, _ = cli("explain eisner1996", "the cat", "span[0,2,true,true]", "--json")
    found = json.loads(out)
    assert (code, found["derivable"], len(found["nearest"])) == (1, False, 3)


@pytest.mark.parametrize("command", ["explain", "why-not"])
@pytest.mark.parametrize(
    ("item", "said"),
    [
        ("spam[0]", "did you mean span?"),
        ("span[0]", "span has 4 fields, not 1"),
        ("span[0, 1, 2, true]", "flag"),
        ("span[0, x, true, true]", "x is a variable"),
        ("span[[", ""),
        ("", ""),
    ],
)
def test_mistyped_items(cli: Cli, command: str, item: str, said: str) -> None:
    code, out, err = cli(command, "eisner1996", "the cat", item)
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


def test_why_not(cli: Cli) -> None:
    arguments = ["why-not", "eisner1996", "the cat", "--grammar", "heads:2,0"]
    code, out, _ = cli(*arguments, "span[1,2,false,true]")
    assert code == 1
    assert "the grammar does not license 2 (cat) under 1 (the)" in out
    code, out, _ = cli(*arguments, "span[1,2,false,true]", "--json")
    found = json.loads(out)
    assert (code, found["derivable"], found["links"]) == (1, False, [[2, 1]])
    code, out, _ = cli(*arguments)
    assert (code, out) == (0, "span[0, 2, false, true] is derivable: schemata explain proves it\n")
    code, out, err = cli(*arguments, "--depth", "0")
    assert (code, out) == (2, "")
    assert "the depth of the reasons is 1 to 100" in err


def test_budget(cli: Cli) -> None:
    words = " ".join("w" * 30)
    for command in ("explain", "why-not"):
        code, _, err = cli(command, "eisner1996", words, "span[0,30,false,true]", "--max-steps", "50")
        assert code == 2
        assert "budget" in err


def test_trace(cli: Cli) -> None:
    code, out, _ = cli("run hybrid", "a b", "--trace")
    assert (code, out.splitlines()[0].split()) == (0, ["no", "item", "step", "from", "with"])
    code, out, _ = cli("run hybrid", "a b", "--trace-all", "--json")
    found = json.loads(out)
    assert (code, len(found["rows"]), found["all_instances"]) == (0, 6, True)
    code, out, _ = cli("run hybrid", "a b", "--trace", "--useful", "--latex")
    assert (code, out.splitlines()[-1]) == (0, r"\end{longtable}")
    for wrong in (["--useful"], ["--latex"], ["--trace", "--latex", "--json"]):
        assert cli("run hybrid", "a b", *wrong)[0] == 2


def test_a_trace_comes_with_the_files_asked_for(cli: Cli, tmp_path: Path) -> None:
    files = ["--svg", str(tmp_path / "pictures"), "--dot", str(tmp_path / "forest.dot")]
    names = [
        str(tmp_path / "pictures" / name)
        for name in ("tree-1.svg", "tree-2.svg", "tree-3.svg", "derivation-1.svg")
    ]
    names.append(str(tmp_path / "forest.dot"))
    code, out, _ = cli("run hybrid", "a b", "--trace", *files, "--derivations", "1")
    assert (code, out.splitlines()[-5:]) == (0, [f"wrote {name}" for name in names])
    assert "derivation 1:" in out
    assert all(Path(name).is_file() for name in names)
    code, out, _ = cli("run hybrid", "a b", "--trace", "--json", *files)
    assert json.loads(out)["files"] == [name for name in names if "derivation" not in name]
    code, out, _ = cli("run hybrid", "a b", "--trace", "--latex", *files[2:])
    assert out.splitlines()[-2:] == [r"\end{longtable}", f"% wrote {names[-1]}"]


@pytest.mark.parametrize("item", [(), ("span[0, 5, false, true]",)])
def test_what_a_run_cut_short_did_not_come_to_is_not_known(cli: Cli, item: tuple[str, ...]) -> None:
    words = ("why-not", "eisner1996", "a b c d e", *item, "--max-steps", "5")
    code, out, _ = cli(*words)
    assert code == 2
    assert out.startswith("it is not known whether")
    assert "is not derivable" not in out.splitlines()[0]
    code, out, _ = cli(*words, "--json")
    assert (code, json.loads(out)["derivable"], json.loads(out)["stopped"]) == (2, None, "steps")


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
def test_sentence_and_item_need_no_quotes(cli: Cli, command: str, words: tuple[str, ...]) -> None:
    code, out, _ = cli(command, "eisner1996", *words, "--json")
    found = json.loads(out)
    assert (code, found["sentence"], found["derivable"]) == (0, ["a", "b", "c"], True)


def test_why_not_of_a_sentence_without_quotes(cli: Cli) -> None:
    code, out, _ = cli("why-not eisner1996 a b --grammar heads:2,0 --json")
    assert (code, json.loads(out)["sentence"]) == (0, ["a", "b"])
    code, _, err = cli("explain eisner1996 a b c")
    assert code == 2
    assert "error: 'c' is not an item" in err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["a b", "foo"], "'foo' is not an item"),
        (["a b", "span[0,1,false,false]", "c"], "'c' is not an item"),
        (["a", "b", "span[1"], "[ is never closed"),
        (["a b", "Span[0, 1, true, true]"], "no item form Span"),
        (["span[0, 1, false, false]"], "there is no sentence before the item"),
        (["span[0,", "1,", "false,", "false]"], "there is no sentence before the item"),
    ],
)
def test_explain_and_why_not_read_the_item_alike(cli: Cli, words: list[str], says: str) -> None:
    answers = [cli(command, "eisner1996", *words) for command in ("explain", "why-not")]
    assert answers[0] == answers[1]
    assert (answers[0].code, answers[0].out) == (2, "")
    assert says in answers[0].err


@pytest.mark.parametrize(
    ("heads", "says"),
    [
        ("heads:2", "heads:2 for 2 words: 1 head is missing"),
        ("heads:2,0,2", "3 heads"),
        ("heads:2,1", "cycle"),
    ],
)
def test_heads_that_do_not_fit_the_sentence(cli: Cli, heads: str, says: str) -> None:
    for words in (
        ["run", "eisner1996", "the cat"],
        ["run", "dvh1", "the", "cat"],
        ["why-not", "mh", "the cat"],
    ):
        code, _, err = cli(*words, "--grammar", heads)
        assert code == 2
        assert says in err
