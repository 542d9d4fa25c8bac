"""Small schemata on which engines once differed: all engines against the naive reading, down to forests."""

from functools import cache
from pathlib import Path

import pytest

from schemata import ParsingSchema
from schemata.order.kept import prove_order
from schemata.thresholds import WAYS
from tests.oracle.naive import all_links
from tests.random_schemata.compare import grammars
from tests.support import titled_blocks
from tests.support.charts import schema_of, schema_text
from tests.support.engines import KERNELS, differences, has_order, is_lowerable, run

ENGINES = ["python", *KERNELS]

SCHEMATA = titled_blocks(Path(__file__).with_name("small-schemata.txt"))
AGENDA = (  # of which no order is proved
    "a bounded list in a condition on categories",
    "a filter on the length of a list",
    "a final item with a variable for a list with a bound, in a form with a normal form",
    "a final item with a variable that its conditions alone determine",
    "a level that is a sum, and halves of it",
    "a licence that asks for the length of a list",
    "a normal form by what is covered, with a flag and a symbol besides",
    "a run of elements that begin with a variable of the same list",
    "a symbol in an equation",
    "an equation for twice a variable",
    "cases that find one instance in different strata",
    "differences of two positions of the same item within a list",
    "equal words at a sum of variables, of which a partner binds two",
    "equal words at the length of a list that is still to be cut",
    "equal words at two columns of a partner, one of which nothing else needs",
    "flags computed in lists and tuples",
    "heads that are not words",
    "lists of a kind that nothing derives",
    "lists whose lengths are tested after their positions are known",
    "parts of a tuple that may be absent",
    "what follows from nothing beside hypotheses that are derived, too",
)
GIVEN = (
    "a hypothesis in no normal form that looks like another writing of a derived item"  # refused all the same
)
ORDERED = [which for which in SCHEMATA if which not in (*AGENDA, GIVEN)]


@cache
def small(which: str) -> ParsingSchema:
    schema = schema_of(SCHEMATA[which])
    if which not in AGENDA:
        prove_order(schema.kernel.program)  # kept for the runs, which wait for a proof no longer than seconds
    return schema


@pytest.mark.parametrize("words", [1, 3])
@pytest.mark.parametrize("which", SCHEMATA)
@pytest.mark.rotated(8, 2)
def test_all_engines_agree(which: str, words: int) -> None:
    for links in grammars(words, which):
        assert not differences(small(which), words, links, ENGINES)[1]


NO_STEP = schema_text("small")


def test_engines_agree_where_no_step_can_be_taken() -> None:
    schema = schema_of(NO_STEP)
    assert not schema.definition.cases
    for words in (1, 2):
        assert not differences(schema, words, all_links(words), ENGINES)[1]
        assert not len(ParsingSchema(schema.definition).run(["w"] * words).forest().arrays.case)


UNASKED = schema_text("unasked")


def test_engines_agree_where_an_order_is_proved_and_the_rules_are_never_asked_for() -> None:
    schema = schema_of(UNASKED)
    assert has_order(schema, ["ordered"])
    for words in (1, 2):
        for rules in grammars(words, "unasked", "dependency-rules"):
            assert not differences(schema, words, rules, ENGINES)[1]


@pytest.mark.parametrize("which", SCHEMATA)
@pytest.mark.rotated(4)
def test_native_kernels_run_them(which: str) -> None:
    schema = small(which)
    assert is_lowerable(schema, ["agenda"])
    assert has_order(schema, ["ordered"]) == (which not in AGENDA)


def test_a_schema_that_would_become_thousands_of_rules_has_lists_as_terms() -> None:
    fields = "".join(f", {name}: list of (position, flag)" for name in "ABCDE")
    schema = schema_of(
        "schema wide\nhypothesis word[i]  where 1 <= i <= n\n"
        f"item row[i: position{fields}]  where 1 <= i <= n, {', '.join(f'length({x}) <= 1' for x in 'ABCDE')}\n"
        "step Start\n word[i]\n ------\n row[i, <>, <>, <>, <>, <>]\n"
        "step Join\n row[i, A, B, C, D, E]   row[j, *_]\n ------\n row[j, B, C, D, E, A]\n".replace(
            "row[j, *_]", "row[j, _, _, _, _, _]"
        )
        + "final row[n, <>, <>, <>, <>, <>]\n"
    )
    assert is_lowerable(schema, ["agenda"])
    assert not differences(schema, 2, all_links(2), ENGINES)[1]


@pytest.mark.parametrize("words", [2, 3])
@pytest.mark.parametrize("which", ORDERED)
@pytest.mark.rotated(4)
def test_items_expand_to_the_instances_that_derive_them(
    which: str, words: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the numbers of items are looked up one by one, as in tables of millions of places."""
    monkeypatch.setattr(WAYS, "spread_places", 0)
    schema = small(which)
    for engine in ("ordered", "checked-ordered"):
        chart = run(schema, words, all_links(words), engine)
        derived = range(chart.raw.hypothesis_count, chart.raw.item_count)
        expanded = {x: chart.raw.expand(x) for x in derived}
        there: dict[int, list[tuple[int, tuple[int, ...]]]] = {x: [] for x in derived}
        for i in chart.instances():
            ends = tuple(end for link in i.links for end in link)
            there.setdefault(i.consequent, []).append((i.case, (i.consequent, *i.antecedents, *ends)))
        for x, rows in expanded.items():
            assert rows is not None
            assert sorted((case, tuple(row)) for case, row in rows) == sorted(there[x])
