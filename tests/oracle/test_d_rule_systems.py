"""The naive D-rule systems against known figures and theorems, and schema files read naively against them."""

import os
import random
from functools import cache

import pytest

from schemata.language.library import load_schema
from tests.oracle import naive
from tests.oracle import trees as brute
from tests.oracle.d_rule_systems import D_RULE_SYSTEMS, d_rule_system
from tests.oracle.gapped_systems import layouts, normal_form, normal_form1, region, writings, writings1
from tests.oracle.interpreter import interpret
from tests.oracle.naive import (
    NaiveChart,
    all_grammars,
    all_links,
    canonical,
    derivations,
    heads_grammar,
    items_by_form,
    random_grammar,
    run,
    steps_by_name,
    trees,
    useful,
)

LONG = bool(os.environ.get("SCHEMATA_LONG"))
long_run = pytest.mark.skipif(not LONG, reason="set SCHEMATA_LONG=1 for the slow checks")

# Schemata that parse exactly the projective trees, with node 0 (forests under 0) and without (one root).
PROJECTIVE_FORESTS: list[tuple[str, dict[str, int]]] = [
    ("eisner1996", {}),
    ("eisner1996", {"end": 1}),
    ("eisner-satta1999", {}),
    ("generalised-eisner-satta", {}),
    ("yamada-matsumoto2003", {}),
    ("nivre2003", {}),
    ("mh", {"k": 3}),
    ("attardi2006", {"d": 1}),
    ("arc-standard", {}),
    ("arc-standard-hook", {}),
    ("arc-eager", {}),
    ("hybrid", {}),
]


@cache
def whole(name: str, n: int, **parameters: int) -> NaiveChart:
    return run(d_rule_system(name, **parameters), n, all_links(n))


# ----------------------------------------------------------------------------------------- published counts


def test_eisner_on_three_words() -> None:
    chart = whole("eisner1996", 3)
    assert (len(chart.items), len(chart.instances), len(chart.hypotheses)) == (15, 25, 5)
    assert (derivations(chart), len(trees(chart))) == (16, 12)
    assert [canonical(item) for item in chart.final_items] == ["span[0, 3, false, true]"]
    assert items_by_form(chart) == {"span": 15}
    assert steps_by_name(chart) == {"CombineSpans": 13, "Initter": 3, "L-Link": 6, "R-Link": 3}
    assert useful(chart) == chart.items


@pytest.mark.parametrize(("n", "items", "steps"), [(10, 155, 715), (40, 2420, 43_460)])
def test_eisner_counts(n: int, items: int, steps: int) -> None:
    """The peers' programs take the initial spans as axioms, so that they count no Initter."""
    chart = whole("eisner1996", n)
    assert len(chart.items) == items
    assert len(chart.instances) == steps + steps_by_name(chart)["Initter"] == steps + n


def test_collins_counts() -> None:
    """The peers' programs count the axioms as items but not as steps."""
    chart = whole("collins1996", 10)
    assert (len(chart.items), len(chart.hypotheses), len(chart.instances)) == (210, 10, 2574)


@pytest.mark.parametrize("name", D_RULE_SYSTEMS)
def test_no_step_derives_a_hypothesis_and_forests_are_finite(name: str) -> None:
    for n in range(1, 5):
        chart = whole(name, n)
        assert not chart.hypotheses & {instance.consequent for instance in chart.instances}
        assert derivations(chart) != "infinite"


# ---------------------------------------------------------------------------------------------- tree classes


def test_tree_counts() -> None:
    assert [len(brute.projective_trees(n)) for n in range(1, 6)] == [1, 2, 7, 30, 143]
    assert [len(brute.projective_forests(n)) for n in range(1, 6)] == [1, 3, 12, 55, 273]
    assert [len(brute.trees_under_zero(n)) for n in range(1, 6)] == [1, 3, 16, 125, 1296]
    assert [len(brute.trees_under_zero(n, single_root=True)) for n in range(1, 6)] == [1, 2, 9, 64, 625]


@pytest.mark.parametrize("n", range(1, 6))
@pytest.mark.parametrize(("name", "parameters"), PROJECTIVE_FORESTS)
def test_projective_schemata_parse_the_projective_forests(
    name: str, parameters: dict[str, int], n: int
) -> None:
    assert trees(whole(name, n, **parameters)) == set(brute.projective_forests(n))


@pytest.mark.parametrize("n", range(1, 6))
def test_collins_parses_the_projective_trees(n: int) -> None:
    assert trees(whole("collins1996", n)) == set(brute.projective_trees(n))


@pytest.mark.parametrize("n", range(1, 5))
def test_unbounded_attardi_parses_every_tree(n: int) -> None:
    assert trees(whole("attardi-unbounded", n)) == set(brute.trees_under_zero(n))


@pytest.mark.parametrize(
    ("n", "mh4", "att2", "mh5", "att3"), [(4, 118, 119, 125, 125), (5, 1019, 1086, 1276, 1280)]
)
def test_mh_is_inside_attardi(n: int, mh4: int, att2: int, mh5: int, att3: int) -> None:
    for k, smaller, larger in [(4, mh4, att2), (5, mh5, att3)]:
        inside, outside = trees(whole("mh", n, k=k)), trees(whole("attardi2006", n, d=k - 2))
        assert inside <= outside
        assert (len(inside), len(outside)) == (smaller, larger)


@pytest.mark.parametrize("n", range(1, 5))
def test_covington_is_complete_but_unsound(n: int) -> None:
    found, all_trees = trees(whole("covington2001", n)), set(brute.trees_under_zero(n, single_root=True))
    assert found >= all_trees
    assert (found == all_trees) == (n < 3)


def test_lsup_misses_projective_trees() -> None:
    counts = [len(trees(whole("covington-lsup", n), single_root=True)) for n in range(1, 6)]
    assert counts == [1, 2, 6, 21, 80]
    missed = set(brute.projective_trees(3)) - trees(whole("covington-lsup", 3))
    assert missed == {(0, 3, 1)}


def test_lsup_on_six_words() -> None:
    lsup = d_rule_system("covington-lsup")
    projective = brute.projective_trees(6)
    assert len(projective) == 728
    assert sum(run(lsup, 6, heads_grammar(heads)).accepted for heads in projective) == 322


# ------------------------------------------------------------------------------------- every small grammar


@pytest.mark.parametrize("name", D_RULE_SYSTEMS)
def test_every_grammar_of_three_words(name: str) -> None:
    """A schema's trees under a grammar are its trees under `all` whose links are licensed.

    The one exception is the published arc-eager, which links without a licence; accepting is having a tree.
    """
    everything = trees(whole(name, 3))
    without_zero = not any(h == 0 for edge in whole(name, 3).instances for _, h in edge.links)
    for grammar in all_grammars(3):
        chart = run(d_rule_system(name), 3, grammar)
        licensed = {
            heads
            for heads in everything
            if heads_grammar(heads) - grammar <= {(d, 0) for d in range(1, 4) if without_zero}
        }
        found = trees(chart)
        assert chart.accepted == bool(found)
        assert found >= licensed if name == "arc-eager-published" else found == licensed


def test_published_arc_eager_is_unsound() -> None:
    grammar = frozenset({(1, 2), (2, 1)})
    assert run(d_rule_system("arc-eager-published"), 2, grammar).accepted
    assert not run(d_rule_system("arc-eager"), 2, grammar).accepted


@pytest.mark.parametrize("n", [4, 5])
def test_projective_schemata_agree_on_random_grammars(n: int) -> None:
    rng = random.Random(n)
    for _ in range(15):
        grammar = random_grammar(rng, n, rng.choice([0.3, 0.5, 0.7]))
        expected = {heads for heads in brute.projective_forests(n) if heads_grammar(heads) <= grammar}
        for name, parameters in PROJECTIVE_FORESTS:
            assert trees(run(d_rule_system(name, **parameters), n, grammar)) == expected, (name, grammar)


# ------------------------------------------------------------------------------------------- with gaps


def test_normal_forms_agree() -> None:
    for i, j, h, l, r in writings1(5):  # noqa: E741
        gaps = () if l is None else ((l, r),)
        x, y, g, p, q = normal_form1((i, j, h, l, r))
        assert normal_form((i, j, h, gaps)) == (x, y, g, () if p is None else ((p, q),))


def test_normal_forms_keep_the_words_and_are_unique() -> None:
    for k in (1, 2):
        found: dict[tuple[int, frozenset[int]], set[object]] = {}
        for writing in writings(6, k):
            normal = normal_form(writing)
            h = writing[2]
            assert normal_form(normal) == normal
            found.setdefault((h, region(writing) | {h}), set()).add(normal)
            assert region(normal) | {h} == region(writing) | {h}
        assert all(len(normals) == 1 for normals in found.values())


@pytest.mark.parametrize("n", range(1, 7))
def test_wg1_parses_the_well_nested_trees_of_gap_degree_one(n: int) -> None:
    expected = set(brute.well_nested_trees(n, 1))
    assert trees(whole("wg1", n)) == expected
    assert trees(whole("wg1-unlexicalised", n)) == expected
    assert trees(whole("wgk", n, k=1)) == expected
    assert trees(whole("wgk-published", n, k=1)) == expected


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("n", range(1, 7))
def test_mgk_parses_the_mildly_ill_nested_trees(n: int, k: int) -> None:
    """Up to nine words these are all trees of gap degree at most k."""
    expected = {h for h in brute.trees_under_zero(n, single_root=True) if brute.gap_degree(h) <= k}
    assert trees(whole("mgk", n, k=k)) == expected
    if k == 1:
        assert trees(whole("mg1", n)) == expected
    if n < 6:
        assert all(brute.mildly_ill_nested(heads, k) for heads in expected)


@pytest.mark.parametrize("n", range(1, 7))
def test_mgk_has_the_counts_of_mg1_for_one_gap(n: int) -> None:
    one, many = whole("mg1", n), whole("mgk", n, k=1)
    assert (len(one.items), len(one.instances)) == (len(many.items), len(many.instances))


@pytest.mark.parametrize(
    ("name", "k", "steps"),
    [
        ("wg1", None, [(28, 96), (75, 369), (180, 1140)]),
        ("wgk", 1, [(28, 92), (75, 348), (180, 1074)]),
        ("wgk", 2, [(28, 92), (75, 364), (186, 1246)]),
        ("wgk-published", 2, [(28, 92), (75, 360), (186, 1216)]),
        ("mg1", None, [(28, 100), (75, 409), (180, 1344)]),
        ("mgk", 2, [(28, 100), (75, 440), (186, 1710)]),
    ],
)
def test_counts_with_gaps(name: str, k: int | None, steps: list[tuple[int, int]]) -> None:
    """Rules merged under one name in wgk share instances, so wgk with k = 1 has fewer steps than wg1."""
    charts = [whole(name, n, **({} if k is None else {"k": k})) for n in (4, 5, 6)]
    assert [(len(chart.items), len(chart.instances)) for chart in charts] == steps


def test_layouts_of_mgk() -> None:
    assert [len(layouts(k)) for k in (1, 2, 3)] == [12, 89, 616]
    used = {name.removeprefix("Combine ") for name in steps_by_name(whole("mgk", 6, k=2))} - {"Link"}
    assert used < layouts(2)


def test_published_wgk_misses_trees_of_six_words() -> None:
    for heads in [(6, 0, 6, 2, 1, 2), (3, 1, 0, 1, 3, 2)]:
        assert not run(d_rule_system("wgk-published", k=2), 6, heads_grammar(heads)).accepted
        assert trees(run(d_rule_system("wgk", k=2), 6, heads_grammar(heads))) == {heads}
    expected = set(brute.well_nested_trees(6, 2))
    published = trees(whole("wgk-published", 6, k=2))
    assert len(expected) == 6996
    assert published < expected
    assert len(expected - published) == 16
    assert trees(whole("wgk", 6, k=2)) == expected


@pytest.mark.parametrize(("n", "k"), [(n, k) for n in range(1, 6) for k in (2, 3)])
def test_wgk_parses_the_well_nested_trees(n: int, k: int) -> None:
    expected = set(brute.well_nested_trees(n, k))
    assert trees(whole("wgk", n, k=k)) == trees(whole("wgk-published", n, k=k)) == expected


@long_run
@pytest.mark.parametrize("k", [1, 2])
def test_seven_words(k: int) -> None:
    found = trees(whole("wgk", 7, k=k))
    assert found == set(brute.well_nested_trees(7, k))
    assert found <= trees(whole("mgk", 7, k=k))


@long_run
def test_every_tree_of_six_words_alone() -> None:
    """With the grammar of one tree a schema parses that tree or nothing."""
    for heads in brute.well_nested_trees(6, 2):
        grammar = heads_grammar(heads)
        for name in ("wgk", "mgk"):
            assert trees(run(d_rule_system(name, k=2), 6, grammar)) == {heads}


def test_smallest_strongly_ill_nested_tree() -> None:
    heads = (2, 4, 2, 0, 2, 1, 2, 3, 5, 7)
    assert brute.gap_degree(heads) == 1
    assert not brute.mildly_ill_nested(heads, 1)
    assert brute.mildly_ill_nested(heads, 2)


SCHEMATA = [(name, {}) for name in D_RULE_SYSTEMS] + [("eisner1996", {"end": 1}), ("mh", {"k": 4})]


@pytest.mark.parametrize(("name", "parameters"), SCHEMATA, ids=str)
def test_shipped_schemata_read_naively(name: str, parameters: dict[str, int]) -> None:
    schema = load_schema(name, parameters)
    system = d_rule_system(name, **parameters)
    for n in (1, 2, 3):
        grammars = [naive.all_links(n), naive.random_grammar(random.Random(f"{name} {n}"), n, 0.4)]
        for grammar in grammars:
            found = interpret(schema, n, grammar)
            truth = naive.run(system, n, grammar)
            assert found.hypotheses == truth.hypotheses
            assert found.items == truth.items
            assert found.final_items == truth.final_items
            assert shown(found) == shown(truth)
            assert naive.derivations(found) == naive.derivations(truth)
            assert naive.structures(found) == naive.structures(truth)


def shown(chart: naive.NaiveChart) -> set[naive.Instance]:
    """Return the instances with their links in order, and without what they say of context and heads."""
    return {i._replace(links=tuple(sorted(i.links)), context=(), heads=()) for i in chart.instances}
