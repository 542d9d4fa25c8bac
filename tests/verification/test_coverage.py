"""Coverage: 1-endpoint-crossing trees by definition, schemata by runs, counts that add up, the command."""

import csv
import json
from itertools import combinations, product
from pathlib import Path

import pytest

import schemata
from schemata import DependencyTree, DRules, Sentence
from schemata.cli.main import main
from schemata.errors import UsageError
from schemata.language.library import schema_path
from schemata.records import replace
from schemata.structures.classes import classify, tree_class
from schemata.structures.planarity import check_1ec
from schemata.thresholds import changed
from schemata.verification.coverage import Coverage, collapsed, coverage, parsers
from tests.oracle.trees import crossing
from tests.oracle.trees import trees_under_zero as trees
from tests.support.charts import shipped
from tests.support.commands import Prints, Written


def is_1ec(links: list[tuple[int, int]]) -> bool:
    for link in links:
        across = [other for other in links if crossing(link, other)]
        ends = [set(other) for other in across]
        if across and not set.intersection(*ends):
            return False
    return True


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_1_endpoint_crossing_by_definition(n: int) -> None:
    for heads in trees(n):
        links = list(enumerate(heads, start=1))
        tree = DependencyTree(heads)
        with_root = tree_class("1ec-with-root").contains(tree)
        assert check_1ec(tree, artificial_root=True).holds == with_root == is_1ec(links)
        own = is_1ec([link for link in links if link[1]])
        assert check_1ec(tree).holds == tree_class("1ec").contains(tree) == own
        measured = classify(tree)
        assert measured.one_endpoint_crossing == own
        assert measured.one_endpoint_crossing_with_root == is_1ec(links)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_pitler2013_derives_the_1_endpoint_crossing_trees(n: int) -> None:
    """Under node 0 as many words may hang as the trees have roots."""
    chart = shipped("pitler2013").run(["w"] * n)
    found = {tree.heads for tree in chart.forest().trees(limit=None)}
    assert found == {heads for heads in trees(n) if is_1ec(list(enumerate(heads, start=1)))}


def test_evidence_against_a_class() -> None:
    refuted = 0
    for heads in trees(6)[::7]:
        evidence = check_1ec(DependencyTree(heads))
        if evidence.holds:
            continue
        refuted += 1
        assert all(crossing(evidence["crossed"], link) for link in evidence["crossing"])
        assert "is crossed by" in str(evidence)
        links = [link for link in enumerate(heads, start=1) if link[1]]
        across = [link for link in links if crossing(evidence["crossed"], link)]
        one, other = evidence["crossing"]
        assert {one, other} <= {*across}
        apart = any(not {*a} & {*b} for a in across for b in across)
        assert not apart or not {*one} & {*other}
    assert refuted


@pytest.mark.parametrize("name", ["eisner1996", "wg1", "mg1", "covington2001", "covington-lsup"])
def test_trees_of_a_class_are_those_that_a_run_accepts(name: str) -> None:
    (parser,) = parsers([name])
    schema = shipped(name)
    for heads in trees(4):
        tree = DependencyTree(heads)
        accepted = schema.run("a b c d", DRules.from_heads(heads)).accepted
        assert parser.parses(tree, classify(tree)) == accepted, heads


def test_counts_add_up() -> None:
    every = [Sentence(("w",) * 4, heads=heads) for heads in trees(4)]
    chosen = parsers(["eisner1996", "wg1"])
    whole = coverage("all", every, chosen)
    parts = coverage("all", every[:50], chosen) + coverage("all", every[50:], chosen)
    assert whole == parts
    assert whole.sentences == len(every) == 125
    assert whole.classes["projective"] == sum(
        not any(crossing(a, b) for a, b in combinations(enumerate(s.heads or (), start=1), 2)) for s in every
    )
    assert whole.arcs["all"] == sum(bool(h) for s in every for h in s.heads or ())
    assert coverage("none", [Sentence(("a",))]).to_json() == Coverage("none", skipped=1).to_json()


def test_a_tree_without_an_answer_leaves_the_others() -> None:
    """The links of 12 words cross all others of 12 more: 12 planes, of which classes ask for four."""
    many = (*(0, *range(1, 12)), *range(1, 13))
    plain = Sentence(("a", "b"), heads=(0, 1))
    assert [classify(DependencyTree(many), most_planes=k).planes for k in (4, 5, 20)] == [5, 6, 12]
    assert coverage("both", [Sentence(("w",) * 24, heads=many), plain]).classes["4-planar"] == 1
    with changed(coloured_vertices=30):
        found = coverage("both", [Sentence(("w",) * 24, heads=many, name="long"), plain])
    assert (found.sentences, found.skipped, found.classes["projective"]) == (1, 1, 1)
    assert found.reports[0].message.startswith("sentence long: no answer about ")


def test_planes_of_treebanks_in_one_table(tmp_path: Path, prints: Prints) -> None:
    several = [heads for heads in trees(5) if heads.count(0) == 1]
    text = ["".join(f"{k}\tw\t_\t_\t_\t_\t{h}\t_\t_\t_\n" for k, h in enumerate(t, 1)) for t in several]
    files = [tmp_path / "one.conllu", tmp_path / "other.conllu"]
    for file, some in zip(files, (text[:200], text[200:]), strict=True):
        file.write_text("\n".join([*some, ""]))
    *_, whole = csv.DictReader(prints("coverage --planes --format csv", *map(str, files)).splitlines())
    links = [[(d, h) for d, h in enumerate(heads, start=1) if h] for heads in several]
    crossed = [{pair for pair in combinations(some, 2) if crossing(*pair)} for some in links]
    split = [any(  # a plane for each link
        all(way[some.index(a)] != way[some.index(b)] for a, b in pairs) for way in product((0, 1), repeat=len(some))
    ) for some, pairs in zip(links, crossed, strict=True)]  # fmt: skip
    assert whole["planar"] == f"{100 * sum(not pairs for pairs in crossed) / len(several):.2f} %"
    assert whole["2-planar"] == f"{100 * sum(split) / len(several):.2f} %"
    switches = sum(bool(pairs) and way for pairs, way in zip(crossed, split, strict=True)) / (5 * sum(split))
    assert float(whole["Switches a word"]) >= float(whole["on the fly"]) >= round(switches, 5) > 0
    assert main(["coverage", "--planes", "--examples", "1", str(files[0])]) == 2


def test_the_command(written: Written, prints: Prints, warns: Prints) -> None:
    one, _, whole = (
        json.loads(line)
        for line in prints("coverage example example --schema eisner1996 --json").splitlines()
    )
    assert (one["sentences"], whole["file"], whole["sentences"]) == (3, "all", 6)
    assert (
        whole["classes"]["projective"]
        == 2 * one["classes"]["projective"]
        == 2 * one["schemata"]["eisner1996"]
    )
    assert set(one["classes"]) >= {"projective", "planar", "2-planar", "gap-degree-1", "wg-1", "mg-1", "1ec"}
    broken = written("broken.conllu", "1\ta\t_\t_\t_\t_\t2\t_\t_\t_\n2\tb\t_\t_\t_\t_\t1\t_\t_\t_\n")
    said = f"{broken}: 0 trees, 1 sentence without a tree skipped\n"
    assert prints("coverage", str(broken), "--classes", code=2) == said
    assert "derives no dependency trees" in warns("coverage", str(broken), "--schema", "earley")


@pytest.mark.thorough
def test_schemata_that_collapse_trees_parse_the_same() -> None:
    chosen = [parser for parser in parsers() if parser.collapses]
    assert {parser.name.partition(":")[0] for parser in chosen} == {"attardi2006", "mh", "wgk-published"}
    every = [heads for heads in trees(5) if heads.count(0) == 1 and 1 < len(collapsed(heads)) < 5]
    for heads in every[::7]:
        for parser in chosen:
            plain = schemata.load(parser.name).run("a b c d e", DRules.from_heads(heads)).accepted
            assert parser.parses(DependencyTree(heads), classify(DependencyTree(heads))) == plain, heads


def test_a_projective_tree_collapses_to_a_word() -> None:
    for heads in trees(5):
        if heads.count(0) == 1:
            assert (collapsed(heads) == (0,)) == classify(DependencyTree(heads)).projective


def test_examples_are_the_shortest_trees_outside() -> None:
    every = [Sentence(("w",) * len(heads), heads=heads) for n in (3, 4) for heads in trees(n)]
    (eisner,) = parsers(["eisner1996"])
    found = coverage("all", every, [eisner], 2)
    parts = coverage("all", every[50:], [eisner], 2, 51) + coverage("all", every[:50], [eisner], 2)
    for name in ("projective", "eisner1996"):
        assert [one.heads for one in found.examples[name]] == sorted(
            s.heads for s in every if len(s) == 3 and not classify(DependencyTree(s.heads)).projective
        )[:2]
        assert [one.heads for one in parts.examples[name]] == [one.heads for one in found.examples[name]]
    assert "4-planar" not in found.examples


@pytest.mark.parametrize("how", ["markdown", "csv", "latex"])
def test_tables_in_other_formats(how: str, prints: Prints) -> None:
    text = prints("coverage example --schema eisner1996 --format", how, "--examples", "1")
    if how == "csv":
        rows = list(csv.DictReader(text.splitlines()))
        assert next(row["count"] for row in rows if row["name"] == "eisner1996") == "2"
    else:
        assert {
            "markdown": "| eisner1996 | O(n^3) | 2 | 66.67 % |",
            "latex": r"eisner1996 & O(n\^{}3) & 2 & 66.67 \%",
        }[how] in text


def test_seconds_and_a_plot(tmp_path: Path, prints: Prints) -> None:
    pytest.importorskip("matplotlib")
    words = ["coverage", "example", "--schema", "eisner1996", "--schema", "nivre2003", "--json"]
    found = json.loads(prints(*words, "--plot", str(tmp_path / "a.svg")))
    assert found["seconds"]["eisner1996"] > 0
    picture = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert "degree of time in n" in picture
    assert "exp." in picture
    assert "eisner1996" in picture


def has_licence_by_rules(heads: tuple[int, ...]) -> bool:
    """Whether a tree has one root, and no words between a word and its dependent that hang elsewhere."""
    above = dict(enumerate(heads, start=1))

    def line(word: int) -> set[int]:
        return {word} | (line(above[word]) if above.get(word) else set())

    between = ((h, k) for d, h in above.items() if h for k in range(min(d, h) + 1, max(d, h)))
    return heads.count(0) == 1 and all(h in line(k) for h, k in between)


@pytest.mark.parametrize("name", ["bulc", "eisner-labelled", "eisner-tagged"])
def test_schemata_over_rules_and_facts_are_counted_tree_by_tree(name: str) -> None:
    """Under the rules of a tree, and by what is left of all facts where no other link weighs anything."""
    (parser,) = parsers([name])
    parser = replace(parser, class_name=None)
    answers = {}
    for n in (1, 2, 3, 4):
        for heads in trees(n):
            if heads.count(0) == 1:
                tree = DependencyTree(heads)
                answers[heads] = parser.parses(tree, classify(tree))
                assert answers[heads] is has_licence_by_rules(heads), heads
    assert set(answers.values()) == {True, False}


def test_what_has_no_dependency_trees_is_not_counted(tmp_path: Path) -> None:
    for name in ("lcfrs", "noncrossing", "cyk", "eisner-lg"):
        with pytest.raises(
            UsageError, match=f"{name} derives no dependency trees that a grammar's links decide"
        ):
            parsers([name])
    text = (
        schema_path("eisner-labelled")
        .read_text("utf-8")
        .replace("schema eisner-labelled", "schema lacking", 1)
    )
    path = tmp_path / "lacking.schema"
    path.write_text(
        text.replace("label(m, h, L), link", "label(m, h, L), not below_root(m, L), link"), "utf-8"
    )
    with pytest.raises(UsageError, match="may derive more under fewer facts"):
        parsers([str(path)])
