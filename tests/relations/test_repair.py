"""Repairs: what is proposed passes, what does not pass is not proposed; and maps that forget a field."""

import pytest

from schemata import ParsingSchema, load, verify
from schemata.language import model as m
from schemata.language.files import read_schema_text
from schemata.language.library import load_schema, schema_path
from schemata.language.relations import read_maps
from schemata.relations.decide import decide
from schemata.relations.discovery import discover
from schemata.relations.repair import _RepairSearch, forgetful_maps, repair
from schemata.structures import all_trees, tree_class
from schemata.verification.claims import shipped_claims
from tests.oracle.interpreter import interpret
from tests.oracle.naive import derivations, heads_grammar
from tests.support.charts import schema_of
from tests.support.commands import Cli, Tells, Written

PROJECTIVE = tree_class("projective")
REPAIRED = {claim.reference: claim.repaired for claim in shipped_claims() if claim.repaired}


@pytest.mark.parametrize(
    ("reference", "way"),
    [
        ("collins1996", "comparison"),
        ("arc-standard", "comparison"),
        ("eisner1996", "flag"),
        ("eisner1996:end=1", "flag"),
        ("yamada-matsumoto2003", "flag"),
        ("mh", "flag"),
    ],
)
@pytest.mark.rotated(3)
def test_a_repair_derives_each_tree_once(reference: str, way: str) -> None:
    """Naively read, the proposal has one derivation of each tree that the original derives, and of no other."""
    original = load_schema(reference)
    found = repair(load(reference), PROJECTIVE).found
    assert found.way == way
    schema, findings = read_schema_text(found.text)
    assert schema is not None
    assert findings == []
    assert (found.verdict.holds, found.verdict.each_once, found.verdict.once_to) == (True, True, 6)
    assert found.relation.kind == "static-filter"
    assert found.relation.holds
    for n in (1, 2, 3):
        for tree in all_trees(n, single_root=True):
            grammar = heads_grammar(tree.heads)
            numbers = [derivations(interpret(x, n, grammar)) for x in (original, schema)]
            assert numbers[1] == min(numbers[0], 1), tree


def test_what_does_not_pass_is_not_proposed(monkeypatch: pytest.MonkeyPatch) -> None:
    """One misses trees, one is not each once, one is not a schema."""
    text = "schema collins1996-once extends collins1996\n\nreplace step R-Link\n  tree[i, j, h1]   tree[j + 1, k, h2]\n"
    texts = [
        [f"{text}  -----  attach h1 to h2{end}\n  tree[i, k, h2]\n"] for end in (", i == h1", "", ", i == ")
    ]
    monkeypatch.setattr(
        _RepairSearch, "candidates", lambda self, way: iter(texts if way == "comparison" else [])
    )
    result = repair(load("collins1996"), PROJECTIVE)
    assert result.found is None
    assert result.refused == len(texts)


@pytest.mark.parametrize("reference", ["covington2001", "attardi2006:d=1", "wg1"])
def test_none_is_found(reference: str) -> None:
    result = repair(load(reference), tree_class("all"))
    assert result.found is None
    assert result.stopped is None
    assert set(result.tried) == {"comparison", "flag"}


def test_a_search_that_is_stopped() -> None:
    assert repair(load("eisner-satta1999"), PROJECTIVE, seconds=0).stopped == "seconds"


@pytest.mark.thorough
def test_the_command_prints_a_schema_that_check_accepts(written: Written, cli: Cli, tells: Tells) -> None:
    found = tells("verify arc-standard-hook --class projective --max-n 3 --repair")["repairs"]
    assert found["found"]["schema"] == "arc-standard-hook-once"
    path = written("arc-standard-hook-once.schema", found["found"]["text"])
    assert cli("check", str(path)).code == 0
    assert cli("verify", str(path), "--class", "projective", "--max-n", "4").code == 0
    code, out, _ = cli("verify covington2001 --class all --max-n 3 --repair")
    assert code == 1
    assert "No repair found: 0 choices of comparisons and 686 tables of flags tried" in out


BY_HAND = {
    "wg1"
}  # whose steps are put together in others: each derives the same trees, which the catalogue says


@pytest.mark.parametrize("reference", [name for name in REPAIRED if name not in BY_HAND])
@pytest.mark.rotated(3)
def test_shipped_repairs_are_filters_of_what_they_repair(reference: str) -> None:
    original, repaired = load_schema(reference), load_schema(REPAIRED[reference])
    maps = forgetful_maps(original, repaired)
    answer = decide(read_maps(maps, original, repaired, "static-filter"), "static-filter", 3)
    assert answer.holds
    assert bool(answer.notes) == bool(maps)


# Maps that forget a field ------------------------------------------------------------------------------------------


def edited(name: str, old: str, new: str) -> m.Schema:
    text = schema_path(name).read_text("utf-8")
    assert old in text
    return schema_of(text.replace(old, new)).definition


def test_a_flag_is_forgotten_only_by_filters() -> None:
    first, second = load_schema("yamada-matsumoto2003"), load_schema("yamada-matsumoto2003-once")
    for kind, holds in (("static-filter", True), ("dynamic-filter", True), ("step-contraction", False)):
        relation = read_maps(["span[i, j] from span[i, j, _]"], first, second, kind)
        answer = decide(relation, kind, 3)
        assert answer.holds is holds
        assert ("items are compared without f of span" in answer.notes) is holds


def test_an_instance_that_the_original_drops_is_no_step_of_it() -> None:
    """Without i != j a combiner adds nothing to its second antecedent but the flag."""
    second = edited(
        "eisner-satta1999-once", "i != j, j != k\n  tree[i, k, i, true]", "j != k\n  tree[i, k, i, true]"
    )
    relation = read_maps(["tree[i, j, h] from tree[i, j, h, _]"], load_schema("eisner-satta1999"), second)
    answer = decide(relation, "static-filter", 3)
    assert answer.holds is False
    assert answer.counterexample.instance.step == "R-Combiner"


def test_a_step_more_is_no_filter_whatever_is_forgotten() -> None:
    second = edited("hybrid-once", "attach k to i\n", "attach i to k\n")
    relation = read_maps(["span[i, j] from span[i, j, _]"], load_schema("hybrid"), second)
    assert decide(relation, "static-filter", 3).holds is False


def test_a_flag_more_is_found_without_a_map() -> None:
    """Of other schemata that say the same no relation is shipped, and the map is guessed."""
    first = edited("yamada-matsumoto2003", "schema yamada-matsumoto2003", "schema one")
    text = schema_path("yamada-matsumoto2003-once").read_text("utf-8")
    second = schema_of(text.replace("schema yamada-matsumoto2003-once", "schema other")).definition
    (answer,) = discover(first, second, 3, kinds=("static-filter",))
    assert answer.holds
    assert answer.maps == ("span[i, j] from span[i, j, _]",)
    assert verify(ParsingSchema(second), "projective", 4).each_once
