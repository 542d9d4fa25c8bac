"""What relations save: figures against the runs of each schema, and against what the papers say."""

import json
from pathlib import Path

import pytest

from schemata import ParsingSchema
from schemata.analysis.compare import sentence_of_length
from schemata.budget import Budget
from schemata.engine.exceeded import BudgetExceeded
from schemata.grammars import Facts, grammar_from_option
from schemata.language.library import load_schema, shipped_relations
from schemata.language.relation_model import CHAINS
from schemata.language.relations import load_relation, read_maps
from schemata.relations.consequences import saver_of, savings
from schemata.structures import Sentence
from tests.support.commands import Prints, Tells

EXAMPLES = Path(__file__).parents[2] / "examples"
LENGTHS = [sentence_of_length(n) for n in (1, 2, 3, 4)]


def tree_grammars(relation):
    """All links, or where a schema is over rules the rules of one tree for both."""
    kinds = {relation.first.grammar, relation.second.grammar}
    if kinds == {"d-rules"}:
        return None, LENGTHS
    if kinds == {"context-free"}:
        words = Sentence.of(["the", "black", "cat", "chased", "a", "dog"])
        return {"context-free": grammar_from_option("example", "context-free")}, [words]
    if kinds == {"facts"}:
        words = Sentence.of(["we", "saw", "the", "dog", "with", "the", "telescope"])
        return {"facts": Facts.read(EXAMPLES / f"{relation.first.name}.facts")}, [words]
    return {kind: grammar_from_option("heads:2,0,4,2", kind) for kind in kinds}, LENGTHS[3:]


@pytest.mark.parametrize("name", sorted(shipped_relations()))
@pytest.mark.rotated(4)
def test_totals_are_those_of_runs_and_forms_add_up(name):
    for relation in load_relation(name).relations:
        if relation.kind in CHAINS or {relation.first.grammar, relation.second.grammar} & {"link-grammar"}:
            continue
        grammars, sentences = tree_grammars(relation)
        sides = {side: ParsingSchema(getattr(relation, side)) for side in ("first", "second")}
        for sentence, found in zip(sentences, savings(relation, sentences, grammars), strict=True):
            for side, schema in sides.items():
                chart = schema.run(sentence, grammars and grammars[schema.definition.grammar])
                tally = getattr(found, side)
                assert (tally.items, tally.steps) == (len(chart.items), chart.step_count)
                assert sum(getattr(form, side).items for form in found.forms) == tally.items
                assert sum(getattr(form, side).steps for form in found.forms) == tally.steps
            for form in found.forms:
                carried = form.second if relation.reversed else form.first
                other = form.first if relation.reversed else form.second
                assert form.shared <= carried.items
                assert form.reached <= min(form.shared, other.items)


@pytest.mark.parametrize("name", ["yamada-matsumoto2003-eisner1996", "eisner-satta1999-eisner1996"])
def test_both_optimisations_of_eisner_have_fewer_items_and_steps(name):
    """GCW11, section 4: both generate fewer items and need fewer steps; all their items are Eisner's."""
    (relation,) = load_relation(name).relations
    assert saver_of(relation) == "first"
    for found in savings(relation, LENGTHS[1:]):
        assert found.items_saved > 0
        assert found.steps_saved > 0
        assert found.forms[0].reached == found.forms[0].shared == found.first.items


def test_a_filter_saves_in_its_second_schema():
    (relation,) = load_relation("mg1-wg1").relations
    assert saver_of(relation) == "second"
    (found,) = savings(relation, [sentence_of_length(5)])
    assert found.steps_saved > 0
    assert found.items_saved == 1 - found.second.items / found.first.items


def test_forms_that_a_map_joins_stand_together():
    first, second = load_schema("arc-standard"), load_schema("arc-standard-hook")
    relation = read_maps(["tree[i, h, j] to tree[i, h, j]"], first, second, "step-refinement")
    (found,) = savings(relation, LENGTHS[2:3])
    assert [(f.first_forms, f.second_forms) for f in found.forms] == [
        (("tree",), ("tree",)), ((), ("hookr",)), ((), ("hookl",)),
    ]  # fmt: skip
    assert found.forms[0].first.items == found.forms[0].second.items
    crossed = read_maps(
        ["tree[i, h, j] from hookl[i, h, j]", "tree[i, h, j] from hookr[i, h, j]"],
        first,
        second,
        lenient=True,
    )
    (found,) = savings(crossed, LENGTHS[2:3])
    # tree of the second schema is carried over unchanged: all forms hang together.
    assert [(f.first_forms, f.second_forms) for f in found.forms] == [(("tree",), ("tree", "hookr", "hookl"))]


def test_a_budget_ends_the_series_but_not_what_was_counted():
    (relation,) = load_relation("mg1-wg1").relations
    series = savings(relation, [sentence_of_length(2), sentence_of_length(8)], budget=Budget(steps=1_000))
    assert next(series).n == 2
    with pytest.raises(BudgetExceeded):
        next(series)


# The command ------------------------------------------------------------------------------------------------


def test_counts_as_text(prints: Prints):
    lines = prints("relate yamada-matsumoto2003-eisner1996 --lengths 2..3").splitlines()
    assert lines[:2] == ["1: yamada-matsumoto2003", "2: eisner1996:end=1"]
    assert lines[-1].split() == ["3", "10", "19", "47.4%", "18", "32", "43.8%", "10"]


def test_counts_as_json(tells: Tells):
    found = tells("relate attardi2006-mh --lengths 3")["counts"]
    assert [part["to"] for part in found] == ["mh", "mh:k=4", "mh:k=5"]
    assert all(part["saver"] == "second" and part["rows"][0]["n"] == 3 for part in found)


def test_counts_of_two_schemata_take_the_maps_of_a_shipped_relation(prints: Prints):
    words = ["relate", "eisner-satta1999", "eisner1996", "--lengths", "3", "--json"]
    shipped = json.loads(prints(*words))
    (form,) = shipped["rows"][0]["forms"]
    assert form["reached"] == form["first"]["items"]
    (half,) = json.loads(prints(*words, "--map", "tree[i, j, i] to span[i, j, false, true] where i < j"))[
        "rows"
    ][0]["forms"]
    assert half["reached"] < form["reached"]


def test_counts_on_a_sentence_under_rules(prints: Prints):
    words = ["relate", "dvh1-dvh2", "--sentence", "a b c", "--grammar", "heads:2,0,2", "--json"]
    found = json.loads(prints(*words))
    assert found["rows"][0]["steps_saved"] > 0


def test_counts_within_a_budget(tells: Tells):
    found = tells("relate mg1-wg1 --lengths 2,9 --max-steps 1000", code=2)
    assert [row["n"] for row in found["rows"]] == [2]
    assert found["stopped"] == "steps"
