"""Comparisons against the naive fixpoint, and the differences of charts against sets of its items."""

import itertools
import math
from dataclasses import replace

import pytest

from schemata.analysis.compare import (
    chart_difference,
    common_grammars,
    compare,
    fitted_exponent,
    growth_of,
    labels_of,
    measurements,
)
from schemata.analysis.figures import figures_of, total
from schemata.budget import Budget
from schemata.errors import GrammarError, UsageError
from schemata.grammars import DependencyRules, DRules
from schemata.structures import Sentence
from schemata.workbench import load
from tests.oracle import naive
from tests.oracle.d_rule_systems import d_rule_system

REFERENCES = ["eisner1996", "collins1996", "mh:k=4", "arc-standard-hook", "covington-lsup"]


def oracle(reference: str, n: int, pairs: naive.Grammar) -> naive.NaiveChart:
    name, _, setting = reference.partition(":k=")
    return naive.run(d_rule_system(name, **({"k": int(setting)} if setting else {})), n, pairs)


def test_figures_are_those_of_the_oracle() -> None:
    found = compare(REFERENCES, range(1, 5))
    assert [(row.label, row.n) for row in found.rows] == [
        (label, n) for n in range(1, 5) for label in found.labels
    ]
    for row, reference in zip(found.rows, itertools.cycle(REFERENCES)):
        assert row.n is not None
        truth = oracle(reference, row.n, naive.all_links(row.n))
        assert row.items == len(truth.items)
        assert row.steps == len(truth.instances)
        assert row.useful_items == len(naive.useful(truth))
        assert row.derivations == naive.derivations(truth)
        assert row.distinct_trees == len(naive.trees(truth))
        assert {k: v for k, v in row.items_by_form if v} == naive.items_by_form(truth)
        assert {k: v for k, v in row.steps_by_name if v} == naive.steps_by_name(truth)
        assert row.stopped is None


@pytest.mark.parametrize("reference", [*REFERENCES, "nivre2003", "arc-eager", "wg1"])
def test_items_are_counted_as_the_chart_counts_them(reference: str) -> None:
    chart = load(reference).run("a b c d")
    figures = figures_of(chart)
    assert figures.items == len(chart.items)
    assert dict(figures.items_by_form) == dict(chart.items_by_form)


def test_totals_add_up() -> None:
    found = compare(["eisner1996", "mh"], ["a b", "a b c", Sentence(("x",))])
    for k, whole in enumerate(found.totals):
        rows = found.rows[k::2]
        assert (whole.n, whole.sentences, whole.words) == (None, 3, 6)
        for name in ("items", "steps", "useful_items", "derivations", "distinct_trees"):
            assert getattr(whole, name) == sum(getattr(row, name) for row in rows)


def test_a_total_of_nothing_is_refused_and_unknown_stays_unknown() -> None:
    with pytest.raises(ValueError, match="nothing"):
        total([])
    rows = compare(["eisner1996"], [2, 6], budget=Budget(steps=50)).rows
    assert total(rows).derivations is None
    assert total(rows).stopped == "steps"


def test_a_run_that_hits_its_budget_is_a_row_and_the_rest_goes_on() -> None:
    found = compare(["eisner1996", "mh:k=4"], [3, 8], budget=Budget(steps=1000))
    assert [row.stopped for row in found.rows] == [None, None, None, "steps"]
    assert found.stopped == "steps"
    last = found.rows[-1]
    assert last.steps > 1000
    assert (last.useful_items, last.derivations, last.distinct_trees) == (None, None, None)


def test_without_the_forest_its_figures_are_unknown() -> None:
    (row,) = compare(["eisner1996"], 3, forest=False).rows
    assert (row.items, row.useful_items, row.derivations) == (15, None, None)


def test_sentences_that_do_not_fit_raise_or_are_skipped() -> None:
    heads = DRules.from_heads((2, 0))
    with pytest.raises(GrammarError):
        compare(["eisner1996"], ["a b", "a b c"], heads)
    found = compare(["eisner1996", "mh"], ["a b c", Sentence(("a", "b"), name="s2")], heads, skip=True)
    assert [row.words for row in found.rows] == [2, 2]
    assert [one.name for one in found.skipped] == ["number 1"]


def test_grammars_of_two_kinds_cannot_be_shared_but_may_be_given_for_each() -> None:
    pair = [load("eisner1996"), load("kahane1998")]
    for grammar in (None, DRules.all(), DependencyRules.from_heads((2, 0))):
        with pytest.raises(UsageError, match="cannot share a grammar"):
            common_grammars(pair, grammar)
    by_kind = {"d-rules": DRules.from_heads((2, 0)), "dependency-rules": DependencyRules.from_heads((2, 0))}
    found = compare(pair, "a b", by_kind)
    assert [row.distinct_trees for row in found.rows] == [1, 1]
    with pytest.raises(UsageError):
        compare([], "a b")
    with pytest.raises(UsageError):
        compare(pair, "a b", {"d-rules": DRules.all()})


@pytest.mark.parametrize("over", [0, [2, -1], ""])
def test_sentences_have_words(over: object) -> None:
    with pytest.raises(UsageError):
        compare(["eisner1996"], over)  # type: ignore[arg-type]


def test_labels_tell_schemata_apart() -> None:
    assert labels_of([load("mh", k=5), load("eisner1996")]) == ("mh:k=5", "eisner1996")
    assert labels_of([load("mh"), load("mh")]) == ("mh (1)", "mh (2)")
    assert labels_of([load("mh"), load("mh", k=4)]) == ("mh:k=3", "mh:k=4")


def test_figures_come_one_by_one() -> None:
    stream = measurements([load("eisner1996")], iter([Sentence(("a",)), Sentence(("a", "b"))]))
    first = next(stream)
    assert first.n == 1


@pytest.mark.parametrize("grammar", [naive.all_links(3), frozenset({(1, 2), (2, 0), (3, 2), (2, 3), (3, 0)})])
def test_differences_are_those_of_the_oracle(grammar: naive.Grammar) -> None:
    for a, b in [
        ("mh:k=3", "mh:k=4"),
        ("yamada-matsumoto2003", "eisner1996"),
        ("arc-standard", "arc-standard-hook"),
    ]:
        charts = [load(name).run("x y z", DRules.from_pairs(grammar)) for name in (a, b)]
        truths = [oracle(name.replace("mh:k=3", "mh"), 3, grammar) for name in (a, b)]
        found = chart_difference(*charts)
        items = [set(map(naive.canonical, t.items)) for t in truths]
        for form in found.forms:
            mine, theirs = ({x for x in side if x.startswith(f"{form.form}[")} for side in items)
            assert {str(x) for x in form.only_a} == mine - theirs
            assert {str(x) for x in form.only_b} == theirs - mine
            assert {str(x) for x in form.both} == mine & theirs


def test_forms_agree_only_with_the_same_number_of_fields() -> None:
    a, b = (load(name).run("x y") for name in ("yamada-matsumoto2003", "eisner1996"))
    found = chart_difference(a, b)
    assert (found.forms, found.forms_only_a, found.forms_only_b) == ((), ("span/2",), ("span/4",))
    assert not found.same
    assert chart_difference(a, a).same
    with pytest.raises(UsageError, match="2 and of 1 word"):
        chart_difference(a, load("eisner1996").run("x"))


def test_exponents_of_known_growth() -> None:
    for degree in (1, 2, 3.5):
        fitted = fitted_exponent([(n, 7 * n**degree) for n in range(1, 20)])
        assert fitted is not None
        assert math.isclose(fitted, degree)
    assert fitted_exponent([]) is None
    assert fitted_exponent([(2, 0), (3, 0), (4, 0), (5, 1)]) is None


def test_growth_takes_means_by_length_and_keeps_stopped_runs_apart() -> None:
    found = compare(["mh:k=4"], ["a b", "c d", 3, 8], budget=Budget(steps=1000))
    items, steps = growth_of(found.rows)
    assert [n for n, _ in items.points] == [2, 3]
    assert [n for n, _ in steps.bounds] == [8]
    assert steps.exponent is None


def test_a_comparison_as_a_data_frame() -> None:
    pytest.importorskip("pandas")
    found = compare(["eisner1996", "collins1996"], [2, 3])
    frame = found.to_pandas()
    assert list(frame["label"]) == [row.label for row in found.rows]
    assert list(frame["steps"]) == [9, 2, 25, 12]
    assert frame["steps:CombineSpans"][2] == dict(found.rows[2].steps_by_name)["CombineSpans"]


def test_tallies_are_of_the_sentences_of_a_row() -> None:
    """A ledger changed by hand gives no quartiles of sentences that there are not."""
    row = figures_of(load("eisner1996").run("a b", "all"))
    assert sum(number for _, number in total([row, row]).tallies[0]) == 2
    with pytest.raises(ValueError, match="as many sentences"):
        replace(row, tallies=(((row.items, 10**30),), row.tallies[1]))
