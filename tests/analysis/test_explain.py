"""Smallest proofs against an independent computation; their nodes against the chart."""

import random
from collections import Counter
from typing import Any

import pytest

import schemata
from schemata.analysis.explain import NotDerivableError, Proof, derivations_of, explain
from schemata.display.explanations import derivations_text, explain_text
from schemata.engine.chart import Chart
from schemata.errors import SchemaError, UsageError
from tests.oracle import naive
from tests.support.charts import instances, names_over, schema_of, schema_text, shipped

NAMES = names_over("d-rules")


def bellman_ford(chart: Chart) -> dict[int, int]:
    """Smallest proof sizes by relaxing every instance until nothing changes."""
    sizes = dict.fromkeys(range(chart.raw.hypothesis_count), 0)
    instances = list(chart.instances())
    changed = True
    while changed:
        changed = False
        for i in instances:
            if all(x in sizes for x in i.antecedents):
                size = 1 + sum(sizes[x] for x in i.antecedents)
                if size < sizes.get(i.consequent, size + 1):
                    sizes[i.consequent] = size
                    changed = True
    return sizes


def unfolded(proof: Proof) -> Counter[str]:
    """How often the tree that a proof stands for uses each item's last step."""
    by_number = {node.number: node for node in proof.nodes}
    uses: Counter[str] = Counter()
    waiting = [1]
    while waiting:
        node = by_number[waiting.pop()]
        if node.kind == "again":
            assert node.same_as is not None
            assert by_number[node.same_as].item == node.item
            waiting.append(node.same_as)
        elif node.kind == "step":
            uses[str(node.item)] += 1
            waiting += node.premises
    return uses


def check(chart: Chart) -> None:
    sizes = bellman_ford(chart)
    known = {(step, above, below) for step, above, below, _ in instances(chart)}
    for number, size in sizes.items():
        proof = explain(chart, chart.item(number))
        assert proof.size == size
        assert sum(unfolded(proof).values()) == size
        by_number = {node.number: node for node in proof.nodes}
        for node in proof.nodes:
            if node.inference is None:
                continue
            inference = node.inference
            premises = tuple(str(by_number[k].item) for k in node.premises)
            assert premises == tuple(map(str, inference.antecedents))
            assert (inference.step, premises, str(node.item)) in known
            assert all(condition.holds for condition in inference.conditions)
            assert (
                tuple(k for k, p in enumerate(node.premises) if by_number[p].is_context) == inference.context
            )


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.rotated(4)
def test_smallest_proofs(name: str) -> None:
    rng = random.Random(name)
    for n in (1, 2, 3):
        for grammar in (naive.all_links(n), naive.random_grammar(rng, n, 0.5)):
            check(shipped(name).run("w " * n, schemata.DRules.from_pairs(grammar)))


CYCLE = schema_text("cycle")


def test_cycles() -> None:
    schema = schema_of(CYCLE)
    for n in (1, 2, 5):
        check(schema.run("w " * n))


def test_a_proof_thousands_of_steps_deep() -> None:
    text = CYCLE.partition("step Jump")[0] + "final p[n]\n"
    chart = schema_of(text).run("w " * 3000, schemata.DRules.from_pairs(set()))
    proof = explain(chart, "p[3000]")
    assert proof.size == 3001
    assert max(node.depth for node in proof.nodes) == 3001
    assert len(explain_text(proof).splitlines()) > 6000
    assert proof == proof
    assert repr(proof) == "<Proof of p[3000]: 3,001 step instances>"
    assert len(proof.to_json()["proof"]) == len(proof.nodes)


def test_depth() -> None:
    chart = shipped("eisner1996").run("a b c")
    whole = explain(chart, "span[0, 3, false, true]")
    for depth in range(6):
        part = explain(chart, "span[0, 3, false, true]", depth)
        assert max(node.depth for node in part.nodes) <= depth
        assert part.size == whole.size
    assert explain(chart, "span[0, 3, false, true]", 99) == whole
    with pytest.raises(UsageError):
        explain(chart, "word[0]", -1)


def test_derivations_of() -> None:
    chart = shipped("eisner1996").run("a b c")
    found = derivations_of(chart, "span[0, 3, false, true]")
    assert [d.step for d in found] == ["L-Link", "CombineSpans", "CombineSpans"]
    assert min(d.size for d in found) == explain(chart, "span[0, 3, false, true]").size
    item = chart.final_items[0]
    assert "derived by 3 step instances" in derivations_text(chart, item, found)
    assert derivations_of(chart, "word[0]") == ()


def test_mistyped_items() -> None:
    chart = shipped("eisner1996").run("a b c")
    with pytest.raises(NotDerivableError) as missing:
        explain(chart, "span[0, 3, true, true]")
    assert "span[0, 3, false, true]" in {str(x) for x in missing.value.nearest}
    assert "did you mean span[0, 3, false, true]" in str(missing.value)
    for text in (
        "span[0, 3]",
        "spam[0, 3, true, true]",
        "span[0, 3, 1, true]",
        "span[",
        "",
        "span[x, 3, true, true]",
    ):
        with pytest.raises(SchemaError):
            explain(chart, text)


def test_other_writings() -> None:
    chart = shipped("wg1").run("a b c")
    item = next(x for x in chart.items if x.values[2] == 2 and x.values[1] == 1)
    other = f"tree[{item.values[0]}, 2, 2, -, -]"
    proof = explain(chart, other)
    assert proof.item == item
    assert proof.written == other
    assert "in normal form" in explain_text(proof)


@pytest.mark.parametrize("limit", [{"seconds": 0.0}, {"memory": 1}])
@pytest.mark.parametrize("engine", ["python", "native"])
def test_reading_a_large_chart_backwards_keeps_to_a_budget(limit: dict[str, Any], engine: str) -> None:
    chart = shipped("eisner1996").run(["w"] * 20, engine=engine)  # type: ignore[arg-type]
    with pytest.raises(schemata.BudgetExceeded, match="reading the chart backwards hit the budget") as over:
        explain(chart, "span[0, 20, false, true]", budget=schemata.Budget(**limit))
    assert over.value.chart is chart
    assert over.value.reason == next(iter(limit))
    free = explain(chart, "span[0, 20, false, true]")
    assert explain(chart, "span[0, 20, false, true]", budget=schemata.Budget()) == free


def test_terms_that_a_step_builds_are_written_as_the_language_writes_them() -> None:
    facts = schemata.Facts.from_text("lexical(Kim, NP)\nlexical(slept, S\\NP)\nstart(S)\n")
    chart = shipped("ccg").run("Kim slept", facts)
    proof = explain(chart, "c[S\\NP, 1, 2]")
    inference = proof.nodes[0].inference
    assert inference.links == (("bracket", "S\\NP", 2, 2),)
    assert "builds bracket(S\\NP, 2, 2)" in explain_text(proof)
    assert chart.forest().derivations()[0].links == (("bracket", "S", 1, 2),)


def test_a_yield_function_that_does_not_fit_is_no_way() -> None:
    grammar = schemata.Facts.from_text(
        "lexical(v, A)\nlexical(u, B)\nstart(B)\n"
        + "".join(f'binary(B, A, B, "{function}")\n' for function in ("01,0", "10", "01"))
    )
    chart = shipped("lcfrs").run("v u", grammar)
    proof = explain(chart, "c[B, <(0, 2)>]")
    assert dict(proof.nodes[0].inference.bindings)["F"] == '"01"'
