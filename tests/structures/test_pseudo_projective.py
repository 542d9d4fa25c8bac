"""Pseudo-projective trees: projective, and restored where the encoding tells enough."""

import json
import random
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemata.errors import StructureError, UsageError
from schemata.structures import DependencyTree, tree_class, trees_of_class
from schemata.structures.projections import ENCODINGS, LIFTS, lifted, restored
from schemata.treebanks import read_conllu
from tests.oracle.trees import projective
from tests.structures.strategies import trees
from tests.support import EWT, needs_treebanks
from tests.support.commands import Cli


def labelled(tree: DependencyTree) -> DependencyTree:
    """Return the tree with a label of its own for each word."""
    return DependencyTree(tree.heads, tuple(f"l{d}" for d in range(1, len(tree) + 1)))


@pytest.mark.parametrize(("encoding", "lift"), [(e, x) for e in ENCODINGS for x in LIFTS])
def test_unique_labels_restore_every_tree_but_paths_do_not(encoding: str, lift: str) -> None:
    for n in range(1, 6):
        back = []
        for tree in map(labelled, trees_of_class(tree_class("all"), n)):
            found = lifted(tree, encoding, lift)
            assert projective(found.heads)
            assert (found == tree) is projective(tree.heads)
            back.append(restored(found, encoding) == tree)
            if encoding != "path":
                assert back[-1], tree
        if encoding == "path" and n == 5:
            assert 0 < back.count(False) < len(back) / 2


@given(trees(9), st.data())
def test_any_labels_make_projective_trees_and_come_back(tree: DependencyTree, data: st.DataObject) -> None:
    some = st.lists(st.sampled_from(["nsubj", "obl:tmod", ""]), min_size=len(tree), max_size=len(tree))
    tree = DependencyTree(tree.heads, tuple(data.draw(some)))
    for encoding in ENCODINGS:
        found = lifted(tree, encoding)
        assert projective(found.heads)
        again = restored(found, encoding, nearest=data.draw(st.booleans()))
        assert again.labels == tree.labels
        moved = {d for d, (h, g) in enumerate(zip(tree.heads, found.heads, strict=True)) if h != g}
        assert {d for d, (h, g) in enumerate(zip(tree.heads, again.heads, strict=True)) if h != g} <= moved


def lifted_by_definition(tree: DependencyTree, lift: str) -> tuple[int, ...]:
    """Lift the first crossed arc until there is none, looking at all words between ends each time."""
    heads = [0, *tree.heads]

    def above(node: int) -> list[int]:
        found = []
        while node:
            node = heads[node]
            found.append(node)
        return found

    def is_crossed(d: int) -> bool:
        between = range(min(d, heads[d]) + 1, max(d, heads[d]))
        return any(heads[d] not in above(k) for k in between)

    while crossed := [d for d in range(1, len(heads)) if is_crossed(d)]:
        if lift == "shortest":
            word = min(crossed, key=lambda d: (abs(heads[d] - d), d))
        else:
            word = min(crossed, key=lambda d: (-len(above(d)), d))
        heads[word] = heads[heads[word]]
    return tuple(heads[1:])


@given(trees(12), st.sampled_from(LIFTS))
def test_words_are_lifted_in_the_order_that_is_defined(tree: DependencyTree, lift: str) -> None:
    assert lifted(tree, lift=lift).heads == lifted_by_definition(tree, lift)


def test_a_tree_of_twelve_hundred_words_takes_no_time() -> None:
    """Its arcs cross by the hundred thousand; it is lifted and restored before a limit of steps in between."""
    n = 1_200
    rng = random.Random(1)
    order = rng.sample(range(1, n + 1), n)
    heads = [0] * (n + 1)
    for place, word in enumerate(order[1:], start=1):
        heads[word] = order[rng.randrange(place)]
    tree = labelled(DependencyTree(tuple(heads[1:])))
    began = time.process_time()
    for lift in LIFTS:
        found = lifted(tree, lift=lift)
        assert projective(found.heads)
        assert restored(found) == tree
    assert time.process_time() - began < 60  # it took hours


def test_the_example_of_the_paper() -> None:
    """Nivre & Nilsson 2005, figures 1 and 2: "Z nich je jen jedna na kvalitu"."""
    tree = DependencyTree((5, 1, 0, 5, 3, 5, 6), ("Atr", "Aux", "Pred", "Z", "Sb", "AuxP", "Adv"))
    found = lifted(tree, "head")
    assert found.heads == (3, 1, 0, 5, 3, 5, 6)
    assert found.labels[0] == "Atr↑Sb"
    assert lifted(tree, "path").labels == ("Atr↑", "Aux", "Pred", "Z", "Sb↓", "AuxP", "Adv")
    assert restored(found, "head") == tree


def test_what_cannot_be_lifted_is_refused() -> None:
    with pytest.raises(StructureError):
        lifted(DependencyTree((0,), ("a↑b",)))
    for wrong in ({"encoding": "heads"}, {"lift": "longest"}):
        with pytest.raises(UsageError):
            lifted(DependencyTree((0,)), **wrong)


@needs_treebanks
def test_a_treebank_is_restored() -> None:
    found = []
    for sentence in read_conllu(EWT):
        tree = DependencyTree(sentence.heads, sentence.labels)  # type: ignore[union-attr,arg-type]
        if not projective(tree.heads):
            found.append(restored(lifted(tree)) == tree)
    assert found == [True] * 31


def test_the_command_writes_and_reads_treebanks(cli: Cli, tmp_path: Path) -> None:
    one, two, three = (tmp_path / f"{name}.conllu" for name in ("one", "two", "three"))
    rows = [("1", "3", "a"), ("2-3", "_", "_"), ("2", "4", "b"), ("3", "0", "root"), ("4", "3", "d")]
    text = "".join(f"{i}\tw{i}\t_\tX\t_\t_\t{h}\t{x}\t_\tSpace=No\n" for i, h, x in rows)
    others = "".join(f"1\tx\t_\tX\t_\t_\t{head}\ta\t_\t_\n\n" for head in "9_")
    one.write_text(f"# sent_id = s1\n{text}\n{others}")
    found = cli("pseudo-projective", str(one), "-o", str(two))
    assert found.code == 2  # a broken sentence was skipped, and one without heads
    assert "head 9" in found.err
    assert f"{one}:10:13: error: the sentence has no heads" in found.err
    assert "2\tw2\t_\tX\t_\t_\t3\tb↑d\t_\tSpace=No\n3" in two.read_text()
    assert cli("pseudo-projective", str(two), "--inverse", "-o", str(three)).code == 0
    assert three.read_text() == f"# sent_id = s1\n{text}\n"
    told = json.loads(cli("pseudo-projective", str(one), "--encoding", "path", "--json").out)
    numbers = ("sentences", "nonprojective", "lifted", "restored", "skipped")
    assert [told[name] for name in numbers] == [1, 1, 1, 1, 2]


def test_files_put_together_are_written_row_by_row(cli: Cli, tmp_path: Path) -> None:
    """A byte order mark before a sentence is not part of its first row; a label may begin with an underscore."""
    one, two = tmp_path / "one.conllu", tmp_path / "two.conllu"
    rows = [("1", "3", "_a"), ("2", "4", "b"), ("3", "0", "c"), ("4", "3", "d")]
    text = "".join(f"{i}\tw{i}\t_\tX\t_\t_\t{h}\t{x}\t_\t_\n" for i, h, x in rows)
    one.write_text(f"{text}\n\ufeff{text}\n")
    assert cli("pseudo-projective", str(one), "--encoding", "head", "-o", str(two)).code == 0
    assert two.read_text() == 2 * (text.replace("4\tb", "3\tb↑d") + "\n")
