"""Static oracles: their transitions are those of the systems, and they reproduce the trees of the system's class."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import schemata
from schemata.errors import UsageError
from schemata.structures import DependencyTree, tree_class, trees_of_class
from schemata.structures.oracles import ORACLES, ROOTLESS, Totals, follow, replayed
from schemata.treebanks import read_conllu
from tests.oracle import transitions as brute
from tests.support import EWT, needs_treebanks
from tests.support.commands import Cli, Prints, Written, conllu

TREES = [tree for n in range(1, 6) for tree in trees_of_class(tree_class("all"), n, single_root=False)]
CLASSES: dict[str, str | None] = {
    **dict.fromkeys(ORACLES, "projective"),
    **dict.fromkeys(("planar-system", "dag-arc-eager-system"), "planar"),
    "k-planar-system": "2-planar",
    "swap-system": "all",
    "covington-system": "all",
    "attardi-system": None,
}
ONE_EACH = [(name, False) for name in ORACLES] + [("k-planar-system", True)]


@pytest.mark.parametrize(("system", "on_the_fly"), ONE_EACH)
def test_the_trees_of_the_class_are_reproduced(system: str, on_the_fly: bool) -> None:
    for tree in TREES:
        found = follow(system, tree, on_the_fly=on_the_fly)
        built = {arc for row in found.rows for arc in row.arcs}
        assert built <= set(tree.links)
        assert found.reproduced is (built >= {x for x in tree.links if x[1] or system not in ROOTLESS})
        if class_name := CLASSES[system]:
            single = len(tree.roots) == 1 or system not in ROOTLESS
            inside = tree_class(class_name).contains(tree)
            if system == "dag-arc-eager-system" or system == "easy-first-system":
                inside = tree_class("projective").contains(tree) and single
                assert found.reproduced or not inside
            else:
                assert found.reproduced is inside


@pytest.mark.parametrize(("system", "on_the_fly"), ONE_EACH)
def test_transitions_are_those_of_the_system(system: str, on_the_fly: bool) -> None:
    """Replayed by brute force over words 1 to n + 1 where node 0 is one of them."""
    for tree in TREES[::3]:
        shift = int(system not in ROOTLESS)
        config = brute.initial(system, len(tree) + shift, {})
        found = follow(system, tree, on_the_fly=on_the_fly)
        names = ("Shift",) * shift + found.transitions
        for name, row in zip(names, found.rows[1 - shift :], strict=True):
            after = [c for x, c in brute.moves(system, config, {}) if x == name]
            wanted = {(d + shift, h + shift) for d, h in row.arcs}
            after = [c for c in after if c[2] - config[2] == wanted]
            assert len(after) == 1 or system == "easy-first-system"
            config = after[0]
            stacks = config[0] if system in ("k-planar-system", "covington-system") else (config[0],)
            assert tuple(tuple(x - shift for x in stack) for stack in stacks) == row.stacks
            assert tuple(x - shift for x in config[1]) == row.buffer
        assert not config[1]


def test_as_in_the_papers() -> None:
    """Kübler, McDonald & Nivre 2009, figures 3.2 and 3.7; Nivre 2009, figure 3."""
    economic = DependencyTree((2, 3, 0, 5, 3, 5, 8, 6, 3))
    said = {"S": "Shift", "L": "Left-Arc", "R": "Right-Arc", "D": "Reduce", "W": "Swap"}

    def transitions(system: str, tree: DependencyTree) -> str:
        short = {name: letter for letter, name in said.items()}
        return "".join(short[name] for name in follow(system, tree).transitions)

    assert transitions("arc-standard-system", economic) == "SLSLSSLSSSLRRRSRRS"
    assert transitions("arc-eager-system", economic) == "SLSLRSLRRSLRDDDR"
    hearing = DependencyTree((2, 3, 0, 3, 2, 5, 4))
    assert transitions("swap-system", hearing) == "SSLSSSWWSSSWWRRSLSSRRR"


@needs_treebanks
@pytest.mark.parametrize(
    ("system", "on_the_fly", "reproduced", "per_word", "switches"),
    [
        ("arc-standard-system", False, 1970, "2.000", 0),
        ("arc-eager-system", False, 1970, "1.834", 0),
        ("hybrid-system", False, 1970, "2.000", 0),
        ("swap-system", False, 2001, "2.017", 0),
        ("planar-system", False, 1970, "2.675", 0),
        ("k-planar-system", False, 2001, "2.690", 61),
        ("k-planar-system", True, 2001, "2.694", 42),
    ],
)
def test_totals_of_a_treebank(
    system: str, on_the_fly: bool, reproduced: int, per_word: str, switches: int
) -> None:
    total = Totals()
    for sentence in read_conllu(EWT):
        total = total.plus(follow(system, DependencyTree(sentence.heads), on_the_fly=on_the_fly, keep=False))
    assert (total.sentences, total.reproduced, total.switches) == (2001, reproduced, switches)
    assert f"{total.transitions / total.words:.3f}" == per_word


def test_the_command(cli: Cli, prints: Prints, tmp_path: Path) -> None:
    svg = tmp_path / "table.svg"
    out = prints("oracle arc-eager-system", "a b", "--heads", "2,0", "--svg", str(svg))
    assert "3 transitions, the tree is reproduced" in out
    assert "1 under 2" in svg.read_text("utf-8")
    out = prints("oracle arc-eager-system", "a b c d", "--heads", "3,4,0,3", code=1)
    assert "not reproduced; missing: 1 under 3, 2 under 4, 3 under 0" in out
    out = prints("oracle arc-eager-system", "a b", "--heads", "2,0", "--latex")
    assert r"\begin{longtable}" in out
    assert "Left-Arc" in out


def test_a_broken_sentence_is_skipped(cli: Cli, prints: Prints, written: Written) -> None:
    text = conllu(one="w/_/0", two="w/_/7", three="w/_/2 w/_/0")
    path = written("three.conllu", text)
    code, out, err = cli("oracle hybrid-system --conllu", str(path), "--json")
    assert code == 2
    assert "head 7" in err
    rows = [json.loads(line) for line in out.splitlines()]
    assert [row["transitions"] for row in rows] == [
        ["Shift", "Right-Arc"],
        ["Shift", "Left-Arc", "Shift", "Right-Arc"],
    ]
    assert "skipped sentences" in prints("oracle hybrid-system --conllu", str(path), code=2)
    path.write_text(conllu(one="w/_/_"))
    assert "2:13: error: the sentence has no heads" in cli("oracle hybrid-system --conllu", str(path)).err
    answer = cli("oracle hybrid-system", "a b", "--heads", "2,0", "--latex", "--json")
    assert (answer.code, json.loads(answer.out).keys()) == (2, {"version", "errors"})
    assert "--json and --latex exclude each other" in answer.err.replace(
        "--latex and --json", "--json and --latex"
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: follow("arc-eager", TREES[0]), "no oracle for arc-eager"),
        (lambda: follow("k-planar-system", TREES[0], 3, on_the_fly=True), "two stacks alone"),
        (lambda: follow("k-planar-system", DependencyTree((2, 0)), 0), "needs a stack"),
    ],
)
def test_what_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        call()


LABELS = st.sampled_from(("nsubj", "nmod:poss", "x(y)", "root", "("))


@given(st.sampled_from([tree for tree in TREES if len(tree.roots) == 1]), st.data())
def test_labelled_transitions_build_the_labelled_tree_without_seeing_it(
    drawn: DependencyTree, data: st.DataObject
) -> None:
    """Their names alone are enough; without labels they are those of the unlabelled oracle."""
    n, heads = len(drawn), drawn.heads
    labels = tuple(data.draw(LABELS) for _ in heads)
    tree = DependencyTree(heads, labels)
    for system in ORACLES:
        plain, found = follow(system, tree), follow(system, tree, labels=True)
        assert [name.partition("(")[0] for name in found.transitions] == list(plain.transitions)
        assert (found.reproduced, found.missing) == (plain.reproduced, plain.missing)
        if system == "easy-first-system":
            continue
        arcs = {(d, h, label) for d, (h, label) in enumerate(zip(heads, labels, strict=True), start=1)}
        wanted = {arc for arc in arcs if arc[1] or system not in ROOTLESS}
        built = replayed(system, n, found.transitions)
        assert (built == wanted) is plain.reproduced
        assert built <= wanted
        if wanted and plain.reproduced:
            other = [name.replace("(", "(other-") for name in found.transitions]
            assert not replayed(system, n, other) & wanted


def test_transitions_that_are_not_possible() -> None:
    with pytest.raises(UsageError, match="transition 1, Left-Arc"):
        replayed("planar-system", 2, ["Left-Arc(x)"])
    with pytest.raises(UsageError, match="no transition Swap"):
        replayed("planar-system", 2, ["Swap"])


def test_labels_of_a_treebank(cli: Cli, prints: Prints) -> None:
    out = prints("oracle", "arc-standard-system", "--conllu", "example", "--labels")
    assert "different transitions" in out
    (first, *_) = [
        json.loads(line)
        for line in prints("oracle", "swap-system", "--conllu", "example", "--labels", "--json").splitlines()
    ]
    assert "Right-Arc(root)" in first["transitions"]
    assert cli("oracle", "arc-standard-system", "a", "--heads", "0", "--labels").code == 2
    one = cli("oracle", "arc-eager-system", "--conllu", "example", "--number", "1", "--labels")
    assert "Right-Arc(obj)" in one.out


def test_a_labelled_system_builds_what_its_labelled_transitions_say() -> None:
    """The shipped system with labels, under the facts of one labelled tree, against labels done again."""
    system = schemata.load("arc-eager-system", labelled=1)
    for tree in TREES:
        if len(tree) < 4 and tree_class("projective").contains(tree):
            labels = tuple(f"l{d}" for d in range(1, len(tree) + 1))
            found = follow("arc-eager-system", DependencyTree(tree.heads, labels), labels=True)
            arcs = replayed("arc-eager-system", len(tree), found.transitions)
            inner = sorted((d, h, label) for d, h, label in arcs if h)
            facts = [f"label(w{d}, w{h}, {label})" for d, h, label in inner] or ["label(none, none, x)"]
            words = " ".join(f"w{d}" for d in range(1, len(tree) + 1))
            chart = system.run(words, schemata.Facts.from_text("\n".join(facts)))
            built = [sorted(graph.labelled) for graph in chart.forest().structures(limit=None)]
            assert inner in built
            assert max(map(len, built)) == len(inner)
