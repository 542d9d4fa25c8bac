"""What derivations build and is not a structure over the sentence is not drawn, and commands say why."""

import re
from pathlib import Path

import pytest

import schemata
from schemata.language.library import schema_path
from schemata.structures.constituents import ConstituentTree
from tests.support.commands import Cli, Written

EARLEY = Path(schema_path("earley")).read_text(encoding="utf-8").replace("schema earley", "schema early")
UNMARKED = EARLEY.replace("  given edge", "  edge")
SENTENCES = (
    "the big black cat chased the dog",
    "Mary chased a cat in the park today",
    "Mary had a little cat in the park",
)
GRAPHS = """schema two
  title "A word with two heads"
hypothesis word[i] where 0 <= i <= n + 1
item a[i: position] where 1 <= i <= n
step First
  word[1]
  -------
  a[1]
step Next
  a[i]
  --------  attach i + 1 to i, attach i + 1 to 0
  a[i + 1]
final a[n]
"""
PAIRS = """schema pairs
  title "Brackets, some beside their words"
  grammar d-rules
  structure constituent tree
hypothesis word[i] where 0 <= i <= n + 1
item a[i: position, j: position] where 1 <= i <= j <= n
step Word
  word[i]
  -------  builds bracket("w", i, i)
  a[i, i]
step Two
  a[i, j]   a[k, l]
  -----------------  j <= k, builds bracket("s", i, l)
  a[i, l]
final a[1, n]
"""


def leaves(tree: ConstituentTree) -> list[str]:
    """Return the words of a tree, as they stand when it is printed."""
    return re.findall(r"(?<![(\w])[\w-]+(?=[ )]|$)", str(tree))


@pytest.mark.parametrize("sentence", SENTENCES)
def test_trees_in_which_words_stand_twice_are_not_listed(sentence: str, cli: Cli, written: Written) -> None:
    right = set(schemata.load("earley").run(sentence, "example").forest().structures(limit=None))
    found = schemata.load(str(written("early.schema", UNMARKED))).run(sentence, "example").forest()
    trees = set(found.structures(limit=None))
    assert found.derivation_count > len(right) > 0
    assert trees <= right
    assert all(leaves(tree) == sentence.split() for tree in right)
    said = cli("run", str(written("early.schema", UNMARKED)), sentence, "--grammar", "example").out
    assert "some are not trees over the sentence, not listed: their leaves are not its words in order" in said
    assert ("hint: an antecedent from which a step only predicts is marked given" in said) == (not trees)


@pytest.mark.parametrize("n", range(1, 6))
def test_brackets_are_listed_where_the_leaves_are_the_words(n: int, written: Written) -> None:
    """Brackets may leave words out, which then hang below the next one above; none stands in two of them."""
    words = [f"w{k}" for k in range(1, n + 1)]
    forest = schemata.load(str(written("pairs.schema", PAIRS))).run(words).forest()
    trees = forest.structures(limit=None)

    def shapes(i: int, j: int) -> set[str]:
        """The trees over words i to j, by hand: two parts side by side, and words between them."""
        found = {f"(w {words[i - 1]})"} if i == j else set()
        for middle in range(i, j):
            for start in range(middle + 1, j + 1):
                between = "".join(f" {word}" for word in words[middle : start - 1])
                found |= {f"(s {x}{between} {y})" for x in shapes(i, middle) for y in shapes(start, j)}
        return found

    assert {str(tree) for tree in trees} == shapes(1, n)
    assert forest.count_structures().exact == len(shapes(1, n))
    assert n < 3 or forest.count_structures().others


def test_graphs_of_a_schema_of_trees_are_hinted_at(cli: Cli, written: Written) -> None:
    path = str(written("two.schema", GRAPHS))
    said = cli("run", path, "a b c").out
    assert "1 structure that is not a tree" in said
    assert (
        "hint: where words may have several heads, or none, the schema says: structure dependency graph"
        in said
    )
    either = GRAPHS.replace(
        "final a[n]", "step Chain\n  a[i]\n  ------  attach i + 1 to i, attach 1 to 0\n  a[i + 1]\nfinal a[n]"
    )
    said = cli("run", str(written("two.schema", either)), "a b").out
    assert "1 distinct tree" in said
    assert "hint: where words may have several heads" in said
    graphs = GRAPHS.replace("\nhypothesis", "\n  structure dependency graph\nhypothesis")
    said = cli("run", str(written("two.schema", graphs)), "a b c").out
    assert "1 distinct graph" in said
    assert "hint" not in said


def test_links_are_licensed_where_links_are_built(cli: Cli, written: Written) -> None:
    words = "a b c d"
    assert "every link is licensed" in cli("run eisner1996", words).out
    said = cli("run", str(written("pairs.schema", PAIRS)), words).out
    assert "more trees: --limit N" in said
    assert "every link is licensed" not in said


def test_check_says_that_words_stand_at_1_to_n(cli: Cli, written: Written) -> None:
    moved = PAIRS.replace("0 <= i <= n + 1", "0 <= i <= n - 1")
    said = cli("check", str(written("pairs.schema", moved)))
    assert "i of this hypothesis is 0 to n - 1, and words stand at 1 to n" in said.out + said.err
    for right in ("0 <= i <= n + 1", "1 <= i <= n", "0 <= i <= n"):
        said = cli("check", str(written("pairs.schema", PAIRS.replace("0 <= i <= n + 1", right))))
        assert "words stand" not in said.out + said.err


GOALS = """schema goals
  title "Formulas towards goals"
type formula = symbol | formula / formula
relation lexical(form: word, formula: formula)
relation start(formula: formula)
item need[X: formula]
item c[X: formula, i: position, j: position] where 0 <= i < j <= n
step Goal
  -------  start(X)
  need[X]
step Word
  --------------  lexical(j, X)
  c[X, j - 1, j]
step Up
  ABOVE
  ------------
  c[X/Y, i, j]
final c[X, 0, n]  where start(X)
"""


@pytest.mark.parametrize(
    ("above", "warned"),
    [
        ("given need[X/Y]   c[X, i, j]", False),
        ("given need[Y/(X/Y)]   c[X, i, j]", False),
        ("given need[Y]   c[X, i, j]", True),
        ("given c[X/Y, i, j]   c[X, i, j]", True),
        ("given c[Y, i, j]   c[X, i, j]", True),
    ],
)
def test_what_a_goal_bounds_is_not_warned_of(above: str, warned: bool, cli: Cli, written: Written) -> None:
    said = cli("check", str(written("goals.schema", GOALS.replace("ABOVE", above))))
    assert ("nothing bounds X of c" in said.out + said.err) == warned


def test_links_that_wait_for_a_head_that_no_step_names(cli: Cli, written: Written) -> None:
    whole = Path(schema_path("bulc")).read_text(encoding="utf-8")
    without = whole.replace(", head h", "")
    assert without != whole
    schema = written("waits.schema", without.replace("schema bulc", "schema waits"))
    words = "run", str(schema), "the dog chased the cat", "--grammar", "example"
    assert "no step says which word is a head" in cli("check", str(schema)).err
    answer = cli(*words)
    assert "no derivation builds a structure: some links wait for a head that no step names" in answer.out
    assert "spurious" not in answer.out
    assert "no derivation builds" not in cli("run", "bulc", *words[2:]).out


HANGING = """schema hanging
hypothesis word[i]  where 1 <= i <= n
item one[i: position]  where 1 <= i <= n
item wait[i: position]  where 1 <= i <= n
item all[i: position]  where i == n
step One
  word[i]
  -------  head i
  one[i]
step Wait
  one[i]
  -------  link head of 1
  wait[i]
step Link
  one[1]   one[2]
  ---------------  link head of 2 to head of 1
  all[n]
step Lose
  one[1]   wait[2]
  ----------------  link head of 2 to head of 1
  all[n]
final all[n]
"""


def test_derivations_without_a_structure_are_not_said_to_be_of_one(cli: Cli, written: Written) -> None:
    """Of two derivations one builds a tree, the other links what has no head; and two that build no tree."""
    answer = cli("run", str(written("hanging.schema", HANGING)), "a b")
    assert "2 derivations, 1 distinct tree" in answer.out
    assert "some derivations build no tree, or the schema derives some more than once" in answer.out
    assert "spurious" not in answer.out
    rules = written("two.cfg", 'S -> A B | B A\nA -> "a"\nB -> "a"\n')
    answer = cli("run", str(written("beyond.schema", BEYOND)), "a", "--grammar", str(rules))
    assert "2 derivations, 0 distinct trees" in answer.out
    assert "spurious" not in answer.out


BEYOND = """schema beyond
grammar context-free
structure constituent tree
item c[A: symbol, i: position]  where 1 <= i <= n
step Word
  -------  category i is A, i in [1..n], builds bracket(A, i, i)
  c[A, i]
step Beyond
  c[A, i]   c[B, i]
  -----------------  rule C(A B), builds bracket(C, i, n + 1)
  c[C, i]
final c[S, 1]  where root S
"""
