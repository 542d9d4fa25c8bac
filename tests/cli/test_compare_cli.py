"""`schemata compare` and the pictures of `schemata run` as users meet them."""

import csv
import importlib.util
import io
import json
import math
import statistics
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from schemata import DRules, compare, load
from schemata.cli.command import parse_lengths
from schemata.errors import UsageError, text_width
from tests.support.commands import Cli, Prints, Written, conllu

BANK = conllu(one="dogs/NOUN/2 bark/VERB/0", broken="dogs/NOUN/7", three="A/DET/2 dog/NOUN/3 barks/VERB/0")

Run = tuple[int, str, str]


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(tmp_path)
    Path("bank.conllu").write_text(BANK, encoding="utf-8")


def rows(output: str) -> list[dict[str, object]]:
    return json.loads(output)["rows"]  # type: ignore[no-any-return]


def test_parameters_and_lengths(cli) -> None:  # type: ignore[no-untyped-def]
    code, output, errors = cli("compare mh:k=3 mh:k=4 --lengths 2..8 --json --no-forest")
    assert (code, errors) == (0, "")
    found = rows(output)
    assert [(r["schema"], r["parameters"], r["n"]) for r in found] == [
        ("mh", {"k": k}, n) for n in range(2, 9) for k in (3, 4)
    ]
    assert {"items", "useful_items", "steps", "derivations", "distinct_trees", "seconds"} <= found[0].keys()
    assert {g["label"] for g in json.loads(output)["growth"]} == {"mh:k=3", "mh:k=4"}


def test_true_figures_of_one_sentence(cli) -> None:  # type: ignore[no-untyped-def]
    code, output, _ = cli("compare eisner1996 collins1996", "the cat sat", "--json")
    first = rows(output)[0]
    keys = ("items", "useful_items", "steps", "derivations", "distinct_trees", "n")
    assert (code, *(first[k] for k in keys)) == (0, 15, 15, 25, 16, 12, 3)


@pytest.mark.parametrize("width", [40, 80, 160])
@pytest.mark.parametrize("extra", [(), ("--detail",), ("--ascii",)])
def test_tables_keep_to_the_width(prints, width: int, extra: tuple[str, ...], monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("COLUMNS", str(width))
    output = prints("compare mh:k=3 mh:k=4 eisner1996 --lengths 2..6", *extra)
    assert max(map(text_width, output.splitlines())) <= width
    assert "\x1b" not in output
    assert "1,137,851" in output
    if extra == ("--ascii",):
        assert output.isascii()


def test_colour_on_demand(cli, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[1m" in cli("compare mh eisner1996", "a b")[1]


def test_the_first_schema_is_what_ratios_refer_to(cli) -> None:  # type: ignore[no-untyped-def]
    output = cli("compare eisner1996 mh:k=4 --lengths 3 --no-seconds")[1]
    assert "×1.67  ×2.40" in output
    assert "× is relative to eisner1996" in output


def test_a_budget_shows_as_a_bound_and_the_rest_goes_on(cli, prints) -> None:  # type: ignore[no-untyped-def]
    words = ("compare", "mh:k=4", "eisner1996", "--lengths", "8", "--max-steps", "1000")
    code, output, errors = cli(*words)
    assert code == 2
    assert "> 1,000" in output
    assert "< ×0.38" in output
    assert "mh:k=4, 8 words: stopped by the limit on steps" in errors
    output = prints(*words, "--json", code=2)
    assert json.loads(output)["stopped"] == "steps"
    assert [r.get("stopped") for r in rows(output)] == ["steps", None]


def test_a_corpus_is_summed_up_and_what_is_skipped_is_reported(cli) -> None:  # type: ignore[no-untyped-def]
    words = ("compare", "eisner1996", "kahane1998", "--conllu", "bank.conllu", "--grammar", "gold")
    code, output, errors = cli(*words, "--json")
    assert code == 2
    assert [(r["n"], r["sentences"], r["words"], r["accepted_sentences"]) for r in rows(output)] == [
        (None, 2, 5, 2)
    ] * 2
    assert [s["sentence"] for s in json.loads(output)["skipped"]] == ["broken"]
    assert "sentence broken" in errors
    assert "1 sentence skipped" in cli(*words)[1]
    code, output, _ = cli(*words, "--json", "--max-words", "2")
    assert rows(output)[0]["sentences"] == 1


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_corpus_has_the_spread_of_its_sentences(cli, jobs: str) -> None:  # type: ignore[no-untyped-def]
    words = ("compare", "eisner1996", "collins1996", "--conllu", "example")
    output = cli(*words, "--jobs", jobs, "--json")[1]
    singles = [
        one.to_json()
        for one in compare(list(words[1:3]), Path(__file__).parents[2] / "examples" / "english.conllu").rows
    ]
    for row in rows(output):
        for name in ("items", "steps"):
            counts = [one[name] for one in singles if one["label"] == row["label"]]
            assert len(counts) == row["sentences"] > 1
            assert row[f"{name}_mean"] == pytest.approx(statistics.fmean(counts), abs=0.001)
            assert row[f"{name}_deviation"] == pytest.approx(statistics.pstdev(counts), abs=0.001)
            assert row[f"{name}_quartiles"] == pytest.approx(
                list(np.percentile(counts, [0, 25, 50, 75, 100]))
            )
    mean, deviation = (rows(output)[0][f"steps_{x}"] for x in ("mean", "deviation"))
    assert f"{mean:.1f} ± {deviation:.1f}" in cli(*words, "--no-seconds")[1]


def test_formulas_are_what_is_counted_and_reasons_say_why(cli) -> None:  # type: ignore[no-untyped-def]
    words = ("compare", "eisner1996", "collins1996", "--lengths", "9..18", "--no-forest", "--formulas")
    answer = json.loads(cli(*words, "--json")[1])
    freed = {
        cost["schema"]: {name: step["freed"] for name, step in cost["steps_by_name"].items()}
        for cost in answer["costs"]
    }
    assert freed["eisner1996"] == {"CombineSpans": 1, "R-Link": 0, "L-Link": 0, "Initter": 0}
    assert freed["collins1996"] == {"R-Link": 2, "L-Link": 2}
    formulas = {(g["label"], g["quantity"]): g["formula"] for g in answer["growth"]}
    for row in answer["rows"]:
        for name in ("items", "steps"):
            value = eval(formulas[row["label"], name], {"C": math.comb, "n": row["n"]})
            assert value == row[name]
    text = cli(*words, "--ascii")[1]
    assert "2 positions: tree[i, j, h1]" in text
    assert "(n^5)" in text


def test_differences(cli, prints) -> None:  # type: ignore[no-untyped-def]
    words = ("compare", "mh:k=3", "mh:k=4", "a b c", "--diff")
    output = prints(*words, "--limit", "2")
    assert "heads[<0, 1, 2, 3>]" in output
    assert "and 3 more" in output
    (form,) = json.loads(cli(*words, "--json")[1])["difference"]["forms"]
    assert (len(form["only_a"]), len(form["only_b"]), len(form["both"])) == (0, 5, 20)
    assert "derive the same items" in cli("compare mh mh", "a b", "--diff")[1]


@pytest.mark.parametrize("turned", [False, True])
def test_differences_under_the_maps_of_a_relation(cli, turned: bool) -> None:  # type: ignore[no-untyped-def]
    """GCW11, Theorem 2: the tree [i, j, h] of Eisner and Satta is Eisner's span whose one end has no head yet, h."""
    names = ["eisner1996", "eisner-satta1999"] if turned else ["eisner-satta1999", "eisner1996"]
    grammar = ("--grammar", "heads:2,0,2,3")
    found = json.loads(cli("compare", *names, "a b c d", *grammar, "--diff", "--json")[1])["difference"]
    satta, eisner = (
        {str(x) for x in load(name).run("a b c d", DRules.from_heads((2, 0, 2, 3))).items}
        for name in ("eisner-satta1999", "eisner1996")
    )
    images = {}
    for text in satta:
        i, j, h = map(int, text[5:-1].split(","))
        images[text] = f"span[{i}, {j}, {str(h == j).lower()}, {str(h == i).lower()}]"
    (form,) = found["forms"]
    assert dict(form["images"]) == images
    lost, new = satta - {x for x in satta if images[x] in eisner}, eisner - set(images.values())
    assert new
    assert (set(form["only_a"]), set(form["only_b"])) == ((new, lost) if turned else (lost, new))
    both = eisner - new if turned else satta - lost
    assert set(form["both"]) == both
    assert found["along"]["reversed"] == turned
    text = cli("compare", *names, "a b c d", *grammar, "--diff")[1]
    assert f"tree[1, 2, 2] to {images['tree[1, 2, 2]']}" in text
    assert "span of eisner1996 that nothing is carried to" in text


def test_maps_of_differences_are_those_given(cli) -> None:  # type: ignore[no-untyped-def]
    words = ("compare", "yamada-matsumoto2003", "eisner1996", "a b", "--diff")
    maps = "span[i, j] to span[i, j, true, false]"
    for chosen, said in [
        (
            (),
            "span[0, 2] to span[0, 2, false, false]",
        ),  # of a relation with end = 1, which is not the default
        (("--map", "yamada-matsumoto2003-eisner1996"), "span[0, 2] to span[0, 2, false, false]"),
        (("--map", maps), "span[1, 2] to span[1, 2, true, false]"),
    ]:
        assert said in cli(*words, *chosen)[1]
    form = json.loads(cli(*words, "--map", maps, "--json")[1])["difference"]["forms"][0]
    assert form["both"] == ["span[1, 2]"]
    assert ["span[0, 1]", "span[0, 1, true, false]"] in form["images"]


def test_samples_are_random_grammars_of_consecutive_seeds(cli) -> None:  # type: ignore[no-untyped-def]
    words = ("compare", "eisner1996", "mh", "--lengths", "3,5", "--density", "0.4", "--json", "--no-seconds")
    found = rows(cli(*words, "--seed", "4", "--samples", "3")[1])
    singles = [rows(cli(*words, "--seed", str(seed))[1]) for seed in (4, 5, 6)]
    assert [(row["schema"], row["n"], row["sentences"]) for row in found] == [
        (name, n, 3) for n in (3, 5) for name in ("eisner1996", "mh")
    ]
    for row, *single in zip(found, *singles, strict=True):
        for name in ("items", "steps", "derivations", "accepted_sentences"):
            assert row[name] == sum(one[name] for one in single)
        assert row["items_quartiles"][::2] == sorted(one["items"] for one in single)


def test_csv(prints) -> None:  # type: ignore[no-untyped-def]
    output = prints("compare eisner1996 mh --csv", "a b c")
    found = list(csv.DictReader(io.StringIO(output)))
    assert [(r["label"], r["n"], r["items"]) for r in found] == [("eisner1996", "3", "15"), ("mh", "3", "20")]
    text = prints("compare eisner1996 mh", "a b c", "--csv", "--detail")
    assert next(csv.DictReader(io.StringIO(text)))["steps:CombineSpans"] == "13"


@pytest.mark.skipif(importlib.util.find_spec("matplotlib") is None, reason="matplotlib is not installed")
def test_plot(prints) -> None:  # type: ignore[no-untyped-def]
    output = prints("compare eisner1996 mh --lengths 2..6 --plot growth.svg --json")
    assert json.loads(output)["files"] == ["growth.svg"]
    assert "eisner1996" in Path("growth.svg").read_text(encoding="utf-8")


def test_lengths() -> None:
    assert parse_lengths("2..4, 8,3") == (2, 3, 4, 8)
    for text in ("", "2..", "..3", "-2", "1,,2", "٣", "1...3"):
        with pytest.raises(UsageError):
            parse_lengths(text)


# Pictures of `run` ----------------------------------------------------------------------------------


def test_run_writes_pictures_under_fixed_names(prints) -> None:  # type: ignore[no-untyped-def]
    words = ("run", "eisner1996", "a b c", "--svg", "out", "--derivations", "2", "--dot", "forest.dot")
    output = prints(*words, "--tikz", "trees.tex")
    names = sorted(p.name for p in Path("out").iterdir())
    assert names == ["derivation-1.svg", "derivation-2.svg", *(f"tree-{k:02}.svg" for k in range(1, 11))]
    for name in names:
        ElementTree.parse(Path("out") / name)
        assert str(Path("out") / name) in output
    assert Path("forest.dot").read_text(encoding="utf-8").startswith("digraph")
    assert Path("trees.tex").read_text(encoding="utf-8").count(r"\begin{dependency}") == 10
    assert "derivation 2:\nspan[0, 3, false, true]" in output


def test_run_gives_derivations_as_json(cli) -> None:  # type: ignore[no-untyped-def]
    found = json.loads(cli("run eisner1996 a --derivations 3 --json")[1])
    (nodes,) = found["derivation_trees"]
    assert [tuple(node.values()) for node in nodes] == [
        ("span[0, 1, false, true]", "L-Link", None, [[1, 0]], [1]),
        ("span[0, 1, false, false]", "Initter", None, [], [2, 3]),
        ("word[0]", None, None, [], []),
        ("word[1]", None, None, [], []),
    ]
    assert list(nodes[0]) == ["item", "step", "case", "links", "antecedents"]


def test_run_draws_a_corpus(cli) -> None:  # type: ignore[no-untyped-def]
    cli("run eisner1996 --conllu bank.conllu --grammar gold --svg out")
    assert sorted(p.name for p in Path("out").iterdir()) == ["00001-one-tree-1.svg", "00003-three-tree-1.svg"]


def test_pictures_of_a_treebank_have_its_tags_and_labels(cli) -> None:  # type: ignore[no-untyped-def]
    cli("run eisner1996 --conllu example --grammar gold --svg out")
    root = ElementTree.parse(Path("out") / "00001-cat-tree-1.svg").getroot()
    shown = {kind: [e.text for e in root.iter() if e.get("class") == kind] for kind in ("below", "label")}
    assert shown["below"] == ["PROPN", "VERB", "DET", "ADJ", "ADJ", "NOUN", "ADV"]
    assert sorted(shown["label"]) == ["advmod", "amod", "amod", "det", "nsubj", "obj"]


def test_width_and_direction_of_pictures(cli) -> None:  # type: ignore[no-untyped-def]
    words = ("run", "eisner1996", "a b c d e f", "--grammar", "heads:2,0,2,3,4,5", "--svg", "out")
    _, wide, _ = cli(*words)
    _, narrow, _ = cli(*words, "--width", "12", "--rtl")
    assert " a b c d e f wrote" in " ".join(wide.split())
    assert " c b a 3 2 1 " in " ".join(narrow.replace("\u200e", "").split())
    drawn = (Path("out") / "tree-1.svg").read_text(encoding="utf-8")
    assert drawn.count('direction="rtl"') == 6
    assert float(ElementTree.fromstring(drawn).get("width", 0)) <= 12 * 9 + 20


def test_linkages_are_compared_with_the_doubts_about_words(cli: Cli, written: Written, warns: Prints) -> None:
    written("4.0.dict", 'the: D+;\ncat: D- & {P+} & S+; cat.: D- & S+;\nran: S-;\n".": P-;\n')
    folder = written("4.0.affix", '".": RPUNC+;\n').parent
    words = ("compare", "eisner-lg", "eisner-satta-lg", "--grammar", str(folder), "--json", "--sentence")
    code, out, err = cli(*words, "the cat. ran")
    # The first schema reads no graph of words, and takes "cat." as one word; the second has both readings.
    assert (code, [(row["distinct_linkages"], row["words"]) for row in rows(out)]) == (0, [(1, 3), (2, 3)])
    assert "link-parser" in err
    assert not warns(*words, "the cat ran", code=0)


def test_random_grammars_are_the_same_for_all_schemata(cli, prints) -> None:  # type: ignore[no-untyped-def]
    words = ("compare", "eisner1996", "yamada-matsumoto2003", "--lengths", "5,6", "--json", "--no-seconds")
    output = prints(*words, "--density", "0.4", "--seed", "2")
    assert cli(*words, "--density", "0.4", "--seed", "2")[1] == output
    found = rows(output)
    # Both parse the projective trees of a grammar: so they do of the same random one.
    assert [r["distinct_trees"] for r in found[::2]] == [r["distinct_trees"] for r in found[1::2]]
    assert rows(cli(*words, "--density", "0.4", "--seed", "3")[1]) != found
    assert rows(cli(*words, "--density", "1")[1]) == rows(cli(*words)[1])


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_warnings_name_the_sentence_that_they_are_about(jobs: str, cli: Cli, written: Written) -> None:
    """Sentences have their numbers in the file, in whatever portions they are measured."""
    row = "{}\t{}\t_\tX\t_\t_\t{}\tx\t_\t_"
    blocks = [
        "\n".join(row.format(k, w, k - 1) for k, w in enumerate(words, 1)) for words in ("a", "ab", "b")
    ]
    corpus = written("three.conllu", "\n\n".join(blocks) + "\n\n")
    rules = written("one.cfg", 'S -> "a"\n')
    asked = ("--conllu", str(corpus), "--grammar", str(rules), "--jobs", jobs, "--json")
    found = json.loads(cli("compare", "cyk", *asked).out)["warnings"]
    assert [(one["sentence"], one["line"]) for one in found] == [("number 2", 3), ("number 3", 6)]
