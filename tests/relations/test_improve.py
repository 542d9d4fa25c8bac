"""Schemata of a lower degree: what is found, what it derives, and what is refused."""

import pytest

import schemata
from schemata.errors import UsageError
from schemata.grammars import DependencyRules
from schemata.relations.improve import improve
from schemata.structures import tree_class
from tests.oracle.trees import is_tree
from tests.support.charts import schema_text
from tests.support.commands import Cli, Prints, Tells, Written

THREE = schema_text("three")


def parsed(schema: schemata.ParsingSchema, n: int) -> tuple[set[tuple[int, ...]], int | float]:
    """Return the trees of n words under all links, and the number of derivations."""
    forest = schema.run(["w"] * n).forest()
    return {tree.heads for tree in forest.trees(limit=None)}, forest.derivation_count


@pytest.mark.parametrize("name", ["arc-standard", "collins1996"])
def test_the_hook_trick_is_found(name: str, written: Written) -> None:
    found = improve(schemata.load(name), tree_class("projective"), 4, folds_only=True)
    assert (found.before.time.cost.degree, found.after.time.cost.degree) == (5, 4)
    assert found.relation.holds
    assert found.verdict.holds
    path = written(f"{found.name}.schema", found.text)
    folded, plain = schemata.load(path), schemata.load(name)
    for n in (1, 3, 5):
        (trees, derivations), theirs = parsed(folded, n), parsed(plain, n)
        assert (trees, derivations) == theirs
        assert all(map(is_tree, trees))


def test_a_step_of_three_antecedents_is_binarised(written: Written) -> None:
    path = written("three.schema", THREE)
    schema = schemata.load(path)
    found = improve(schema)
    assert (found.before.time.cost.degree, found.after.time.cost.degree) == (4, 3)
    folded = schemata.load(written("three-folded.schema", found.text))
    for n in range(1, 7):
        one, other = (s.run(["w"] * n) for s in (schema, folded))
        assert one.accepted == other.accepted
        assert one.items_by_form["chain"] == other.items_by_form["chain"]


def test_what_no_fold_improves(cli: Cli, prints: Prints) -> None:
    assert improve(schemata.load("eisner1996")) is None
    assert "No fold" in prints("complexity eisner1996 --improve", code=1)
    with pytest.raises(UsageError, match="bounded lists"):
        improve(schemata.load("nivre2003"))
    assert cli("complexity earley --improve").code == 1


@pytest.mark.parametrize("name", ["arc-standard", "collins1996"])
def test_heads_are_split(name: str, written: Written) -> None:
    found = improve(schemata.load(name), tree_class("projective"), 4)
    assert found.after.time.cost.degree == 3
    assert (found.halved, found.relation, found.verdict and found.verdict.holds) == (True, None, True)
    path = written(f"{found.name}.schema", found.text)
    for n in (1, 2, 4, 5):
        trees, derivations = parsed(schemata.load(path), n)
        assert trees == parsed(schemata.load(name), n)[0]
        assert derivations == len(trees)  # the halves leave no order between left and right dependents


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("attach h2 to h1", "attach h2 to h1, i < h1"),  # asks of the end that stays
        ("where 0 <= i <= h < j <= n + 1", "where 0 <= i <= h < j <= n + 1, j <= i + 3"),
        ("  tree[i, h1, j]\n", "  tree[i, k, j]\n"),  # takes no item of the same head
    ],
)
def test_heads_are_not_split_where_ends_depend_on_each_other(old: str, new: str, written: Written) -> None:
    text = schemata.load("arc-standard").definition.source.text
    assert old in text
    path = written("arc-standard.schema", text.replace(old, new))
    found = improve(schemata.load(path), tree_class("projective"), 3)
    assert found is None or not found.halved


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("bilexical", "n^5 |N|^3", "n^4 |N|^3"),
        ("bar-hillel", "|N|^6", "|N|^5"),
        ("semi-markov", "n^2 |N|^2", "n^2 |N|"),
    ],
)
def test_steps_over_relations_of_the_grammar_are_folded(name: str, before: str, after: str) -> None:
    found = improve(schemata.load(name))
    assert (str(found.before.time.cost), str(found.after.time.cost)) == (before, after)
    assert found.relation.holds


RULES = DependencyRules.of(
    ["V(N * N)", "V(N * N P)", "N(*)", "N(* P)", "N(N *)", "P(* N)"],
    ["V"],
    {"saw": ["V"], "old": ["N"], "men": ["N"], "boats": ["N"], "with": ["P"]},
)


@pytest.mark.parametrize(
    ("name", "before"),
    [
        ("lombardo-lesmo1996", "n^3 |G|^2"),
        ("bulc", "n^3 |G|^2"),
        ("head-corner3", "n^3 |G|^2"),
        pytest.param("barbero1998", "n^3 |G|^3", marks=pytest.mark.thorough),
    ],
)
def test_over_dependency_rules_the_rule_of_a_dependent_is_forgotten(
    name: str, before: str, written: Written
) -> None:
    found = improve(schemata.load(name))
    assert found is not None
    assert found.before.time is not None
    assert found.after.time is not None
    assert (str(found.before.time.cost), str(found.after.time.cost)) == (before, "n^3 |G|")
    path = written(f"{found.name}.schema", found.text)
    folded, plain = schemata.load(path), schemata.load(name)
    for sentence, amount in (("men saw boats with men", 2), ("old men saw men boats with men", 1)):
        trees = [
            {tree.heads for tree in s.run(sentence, RULES).forest().trees(None)} for s in (plain, folded)
        ]
        assert trees[0] == trees[1]
        assert len(trees[0]) == amount


FOUR = THREE.replace(
    "span[i, j]   span[j, k]   span[k, l]", "span[i, j]   span[j, k]   span[k, l]   span[l, m]"
)


def test_steps_are_folded_again_and_again(written: Written) -> None:
    path = written("three.schema", FOUR.replace("chain[i, l]\n\nfinal", "chain[i, m]\n\nfinal"))
    found = improve(schemata.load(path))
    assert (found.before.time.cost.degree, found.after.time.cost.degree, found.folds) == (5, 3, 2)


def test_what_is_printed_is_a_schema(written: Written, cli: Cli, tells: Tells, prints: Prints) -> None:
    text = prints("complexity arc-standard --improve --folds-only")
    assert cli("check", str(written("arc-standard-folded.schema", text))).code == 0
    found = tells("complexity arc-standard --improve --folds-only")["improvement"]
    assert found["text"] in text + "\n"
    assert (found["degree_before"], found["degree"], found["sound"], found["complete"]) == (5, 4, True, True)
