"""The commands on the Link Grammar schemata: counts and linkages, proofs, traces, what is missing, comparison."""

import json
from pathlib import Path

import pytest

import schemata
from schemata.forest.structures import derivation_structure
from tests.support.commands import Cli, Prints, Tells, Written

DICTIONARY = """% Ten lines.
a the: D+;
snake cat: D- & (O- or S+);
Mary: O- or S+;
ran: {@M-} & S- & {@E+};
chased: S- & O+;
fast today: E-;
slowly: [E-]0.5 or M+;
"""
UNIQUE = ["sleator-temperley1991", "eisner-lg", "eisner-satta-lg", "yamada-matsumoto-lg"]


@pytest.fixture
def dictionary(written: Written) -> str:
    path = written("ten.dict", DICTIONARY)
    return str(path)


@pytest.mark.parametrize("name", [*UNIQUE, "sleator-temperley-printed"])
def test_run_prints_the_linkages(name: str, dictionary: str, tells: Tells, prints: Prints) -> None:
    found = tells("run", name, "the cat ran fast today", "--grammar", dictionary)
    assert found["sentence"] == ["the", "cat", "ran", "fast", "today"]
    assert found["distinct_linkages"] == 1
    assert found["linkages_complete"] is True
    assert "trees" not in found
    (linkage,) = found["linkages"]
    assert linkage["links"] == [[0, 1, "D"], [1, 2, "S"], [2, 3, "E"], [2, 4, "E"]]
    assert linkage["disjuncts"] == ["D+", "D- & S+", "S- & @E+", "E-", "E-"]
    assert linkage["cost"] == 0
    text = prints("run", name, "the cat ran fast today", "--grammar", dictionary)
    assert "5 words: accepted" in text
    assert "1 distinct linkage" in text
    assert "S- & @E+" in text


def test_the_cheapest_linkages_come_first(dictionary: str, cli: Cli) -> None:
    path = Path(dictionary)
    path.write_text("a: [A+]2 or B+ or [C+] or [[D+]0.2]0.3; b: A- or B- or C- or D-;", encoding="utf-8")
    for name in UNIQUE:
        words = ("run", name, "a b", "--grammar", dictionary, "--json")
        found = json.loads(cli(*words)[1])
        assert [x["cost"] for x in found["linkages"]] == [0, 0.5, 1, 2]
        found = json.loads(cli(*words, "--limit", "2", "--tree-budget", "0")[1])
        assert [x["cost"] for x in found["linkages"]] == [0, 0.5]
        assert found["distinct_linkages"] is None
        assert found["distinct_linkages_at_least"] == 4
        assert found["linkages_complete"] is False


def test_a_sentence_without_linkages(dictionary: str, tells: Tells) -> None:
    for name in UNIQUE:
        found = tells("run", name, "cat the ran", "--grammar", dictionary, code=1)
        assert (found["accepted"], found["distinct_linkages"], found["linkages"]) == (False, 0, [])


@pytest.mark.parametrize("name", UNIQUE)
def test_final_items_are_explained_and_traced(name: str, dictionary: str, cli: Cli, tells: Tells) -> None:
    grammar = schemata.LinkGrammar.read(dictionary)
    chart = schemata.load(name).run("a cat ran", grammar=grammar)
    for item in chart.items:
        assert tells("explain", name, "a cat ran", str(item), "--grammar", dictionary)["item"] == str(item)
    whole = chart.final_items[0]
    _, text, _ = cli("explain", name, "a cat ran", str(whole), "--grammar", dictionary)
    assert "joins 0 (a) and 1 (cat) by D" in text
    assert "joins 1 (cat) and 2 (ran) by S" in text
    _, text, _ = cli("run", name, "a cat ran", "--grammar", dictionary, "--trace", "--json")
    links = [tuple(x) for row in json.loads(text)["rows"] for d in row["derivations"] for x in d["links"]]
    assert {(0, 1, "D"), (1, 2, "S")} <= set(links)


def test_every_derivation_has_its_linkage(dictionary: str) -> None:
    grammar = schemata.LinkGrammar.read(dictionary)
    for name in [*UNIQUE, "sleator-temperley-printed"]:
        chart = schemata.load(name).run("the cat chased a snake", grammar=grammar)
        forest = chart.forest()
        built = [derivation_structure(chart, d) for d in forest.derivations(None)]
        assert len(built) == forest.derivation_count
        assert set(built) == set(forest.linkages(None))


def test_what_is_missing_is_told(dictionary: str, prints: Prints) -> None:
    for name in UNIQUE:
        text = prints("why-not", name, "cat the ran", "--grammar", dictionary, code=1)
        assert "no final item is derivable" in text
    item = 'span[0, 1, "a#1: D+ .", "Mary#1: O- .", <>, <>, true, true]'
    assert "not derivable" in prints("why-not eisner-lg", "a Mary", item, "--grammar", dictionary, code=1)


def test_why_not_tells_what_was_pruned(dictionary: str, cli: Cli) -> None:
    asked = ("why-not", "eisner-lg", "cat the ran")
    _, text, _ = cli(*asked, "--grammar", dictionary)
    assert "The sentence has no linkage." in text
    assert "--unpruned" in text
    _, text, _ = cli(*asked, "--grammar", dictionary, "--json")
    assert "--unpruned" in json.loads(text)["hint"]
    _, text, _ = cli(
        "why-not eisner-lg", "a cat ran", 'span[1, 2, ".", ".", <>, <>, true, true]', "--grammar", dictionary
    )
    assert "were left out before: --unpruned" in " ".join(text.split())
    for words in (
        ("cat the ran", "--grammar", dictionary, "--unpruned"),
        ("a cat ran", "--grammar", dictionary),
    ):
        _, text, _ = cli("why-not eisner-lg", *words)
        assert "--unpruned" not in text
    _, text, _ = cli("why-not eisner1996", "a b", "--grammar", "heads:2,0", "span[0, 1, true, true]")
    assert "--unpruned" not in text


def test_pictures_and_derivations(dictionary: str, tmp_path: Path, prints: Prints) -> None:
    folder = tmp_path / "drawn"
    words = ("run", "eisner-lg", "a cat ran", "--grammar", dictionary, "--svg", str(folder))
    text = prints(*words, "--derivations", "1", "--dot", str(tmp_path / "forest.dot"))
    assert sorted(path.name for path in folder.iterdir()) == ["derivation-1.svg", "linkage-1.svg"]
    assert "Link: 0 and 1 by D" in text
    assert "0 and 1 by D" in (tmp_path / "forest.dot").read_text("utf-8")


def test_an_unknown_word(dictionary: str, warns: Prints) -> None:
    assert "did you mean cat?" in warns("run eisner-lg", "a catt ran", "--grammar", dictionary, code=1)


def test_kernels_are_shown_with_the_rules(prints: Prints) -> None:
    for name in UNIQUE:
        text = prints("compile", name)
        compile(text, name, "exec")
        assert "join i to" in text
