"""Structures in the formats of treebanks, read back by this package and by NLTK."""

import pytest

import schemata
from schemata.errors import UsageError
from schemata.structures import DependencyGraph, DependencyTree, Sentence
from schemata.structures.constituents import Constituent, ConstituentTree
from schemata.treebanks import exported, read_conllu
from tests.support.commands import Cli, Prints, Written


def test_trees_as_conllu_are_read_back(written: Written) -> None:
    sentence = Sentence(("the", "cat", "sat"), ("DET", "NOUN", "VERB"), name="s1")
    trees = [DependencyTree((2, 3, 0), ("det", "nsubj", "root")), DependencyTree((0, 1, 1))]
    file = written("trees.conllu", "\n".join(exported(sentence, tree, "conllu") for tree in trees) + "\n")
    one, two = read_conllu(file)
    assert (one.words, one.tags, one.heads, one.labels, one.name) == (
        sentence.words, sentence.tags, (2, 3, 0), ("det", "nsubj", "root"), "s1",
    )  # fmt: skip
    assert (two.heads, two.labels) == ((0, 1, 1), ("root", "dep", "dep"))


def test_graphs_as_enhanced_dependencies() -> None:
    graph = DependencyGraph(3, {(1, 2, "a"), (1, 3), (3, 0)})
    rows = [line.split("\t") for line in exported(Sentence.of("x y z"), graph, "conllu").splitlines()[1:4]]
    assert [row[8] for row in rows] == ["2:a|3:dep", "_", "0:root"]
    assert {row[6] for row in rows} == {"_"}


def test_brackets_are_read_by_nltk() -> None:
    nltk = pytest.importorskip("nltk")
    tree = schemata.load("earley").run("the dog slept", "example").forest().structures()[0]
    read = nltk.Tree.fromstring(exported(Sentence.of("the dog slept"), tree, "brackets"))
    assert read.label() == "S"
    assert read.leaves() == ["the", "dog", "slept"]
    assert exported(Sentence.of("x"), tree, "discbracket").count("=") == 3


def test_brackets_have_no_gaps() -> None:
    tree = ConstituentTree(
        (Constituent("S", ((1, 3),), (Constituent("V", ((1, 1), (3, 3))),)),), ("a", "b", "c")
    )
    with pytest.raises(UsageError, match="gap"):
        exported(Sentence.of("a b c"), tree, "brackets")
    assert exported(Sentence.of("a b c"), tree, "negra", 4).startswith("#BOS 4\n")


def test_export_on_the_command_line(cli: Cli, prints: Prints, written: Written) -> None:
    out = prints("run eisner1996", "a b", "--grammar", "heads:2,0", "--export", "conllu", "--limit", "5")
    assert out.count("# text = a b") == 1
    code, out, err = cli("run eisner1996 --conllu example --grammar gold --export conllu")
    file = written("parsed.conllu", out)
    gold = {s.name: s for s in read_conllu("examples/english.conllu") if isinstance(s, Sentence)}
    parsed = [s for s in read_conllu(file) if isinstance(s, Sentence)]
    assert "accepted 2 of 3" in err
    assert [s.name for s in parsed] == ["cat", "dog"]
    assert all((s.heads, s.tags) == (gold[s.name].heads, gold[s.name].tags) for s in parsed)
    scores = written("two.scores", "words a b\nattach a to b [2]\nattach b to 0 [1]\n")
    out = prints("run eisner1996", "a b", "--weights", str(scores), "--export", "conllu")
    assert [row.split("\t")[6] for row in out.splitlines()[1:3]] == ["2", "0"]
    code, out, err = cli("run cyk", "the dog", "--grammar", "example", "--export", "conllu")
    assert (code, out) == (2, "")
    assert "the format conllu has no constituent trees" in err
    assert "brackets or discbracket or negra" in err


def test_nothing_to_export_is_told(cli: Cli) -> None:
    code, out, err = cli("run cyk", "the the", "--grammar", "example", "--export", "brackets")
    assert (code, out, err) == (1, "", "nothing to export: the sentence is not accepted\n")
    code, out, err = cli("run eisner1996", "a b c", "--export", "conllu", "--max-steps", "3")
    assert (code, out) == (2, "")
    assert "nothing to export" not in err
