"""Ordered kernels: the same charts as the Python engine, back-pointers of one item, and arrays that were too small."""

import itertools
import math
import random
from functools import cache
from typing import Any

import pytest

import schemata
from schemata import DRules, ParsingSchema
from schemata.budget import Budget
from schemata.engine.chart import Chart
from schemata.engine.exceeded import BudgetExceeded
from schemata.engine.native import NativeEngine
from schemata.kernels.grammar import GrammarTables
from schemata.kernels.store import OutsideTables
from schemata.order.kept import prove_order
from schemata.order.model import Order
from schemata.ordered.kernel import NotOrderable, OrderedKernel, places
from schemata.ordered.plan import nest
from schemata.ordered.store import OrderedTables, keep_tables
from schemata.program.linear import Affine, variable
from schemata.program.lower import lower
from schemata.program.plan import levels
from schemata.structures import Sentence
from schemata.thresholds import changed
from tests.support.charts import PROJECTIVE, facts, schema_of, some_links
from tests.support.compilers import COMPILERS

NAMES = [*PROJECTIVE, "wg1", "mg1", "wgk:k=1"]


@cache
def engine(name: str, checked: bool = False) -> tuple[ParsingSchema, NativeEngine]:
    schema = schemata.load(name)
    prove_order(schema.kernel.program)  # kept; a run would not wait for it on a busy machine
    return schema, NativeEngine(schema.kernel, COMPILERS[checked], "ordered")


def run(name: str, n: int, grammar: DRules, checked: bool = False, budget: Budget | None = None) -> Chart:
    schema, native = engine(name, checked)
    words = Sentence(("w",) * n)
    chart = native.run(schema.kernel, words, grammar.for_sentence(words), budget or Budget())
    assert chart is not None
    return chart


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.rotated(4)
def test_charts_are_those_of_the_python_engine(name: str) -> None:
    schema, _ = engine(name)
    for n in (1, 2, 3, 4, 5):
        for grammar in (DRules.all(), some_links(n, 1), some_links(n, 2)):
            there = schema.run(["w"] * n, grammar, engine="python")
            assert facts(run(name, n, grammar), False) == facts(there, False)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.rotated(3)
def test_no_index_is_out_of_bounds(name: str) -> None:
    schema, _ = engine(name)
    for n in (1, 2, 4):
        chart = run(name, n, DRules.all(), checked=True)
        assert facts(chart, False) == facts(schema.run(["w"] * n, engine="python"), False)


@pytest.mark.parametrize("name", ["eisner1996", "collins1996", "mh:k=4", "wg1", "arc-eager"])
@pytest.mark.rotated(3)
def test_expanding_every_item_gives_all_rows(name: str) -> None:
    chart = run(name, 5, some_links(5, 3))
    store = chart.raw.store  # type: ignore[attr-defined]
    derived = range(store.hypothesis_count, store.item_count)
    cases = range(len(chart.schema.cases))
    rows = sorted((case, *row) for case in cases for row in store.rows(case).tolist())
    expanded = sorted((case, *row) for x in derived for case, row in store.expand(x))
    assert expanded == [row for row in rows if row[1] >= store.hypothesis_count]


def test_trees_come_from_few_expanded_items() -> None:
    chart = run("eisner1996", 60, DRules.all())
    assert len(list(chart.forest().trees(limit=3))) == 3


@pytest.mark.parametrize("array", ["set_places", "cells"])
def test_arrays_that_are_too_small_are_enlarged(array: str, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare = OrderedTables._prepare

    def small(self: OrderedTables) -> None:
        if not self.by_kind:
            setattr(self, array, 2)
        prepare(self)

    monkeypatch.setattr(OrderedTables, "_prepare", small)
    chart = run("wg1", 5, DRules.all())
    monkeypatch.undo()
    there = schemata.load("wg1").run(["w"] * 5, engine="python")
    assert (chart.item_count, chart.step_count) == (there.item_count, there.step_count)


def test_a_run_over_its_budget_keeps_a_consistent_chart() -> None:
    with pytest.raises(BudgetExceeded) as stopped:
        run("collins1996", 30, DRules.all(), budget=Budget(steps=20_000))
    chart = stopped.value.chart
    assert chart.stopped == "steps"
    assert 20_000 < chart.step_count < schemata.load("collins1996").run(["w"] * 30).step_count
    assert chart.step_count == sum(1 for _ in chart.instances())
    known = set(range(chart.raw.hypothesis_count)) | {i.consequent for i in chart.instances()}
    assert known == set(range(len(chart.raw.values)))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.rotated(4)
def test_a_run_broken_off_anywhere_has_the_instances_it_counted(name: str) -> None:
    n, grammar = 5, some_links(5, 4)
    whole = facts(run(name, n, grammar), False)
    total = whole["instances"].total()
    for steps in sorted({*range(1, min(total, 12)), *range(1, total, max(1, total // 12))}):
        try:
            chart = run(name, n, grammar, budget=Budget(steps=steps))
        except BudgetExceeded as stopped:
            chart = stopped.chart
            assert chart.stopped == "steps"
            assert steps < chart.step_count
        part = facts(chart, False)
        assert part["instances"].total() == chart.step_count
        assert set(part["instances"]) <= set(whole["instances"])
        assert {i[2] for i in part["instances"]} | part["hypotheses"] >= part["items"]
        if chart.stopped:  # what derives an item may not all be counted: there are rows alone
            assert chart.raw.expand(chart.raw.hypothesis_count) is None


def test_a_long_run_that_is_broken_off_is_given_up_at_once() -> None:
    with pytest.raises(BudgetExceeded) as stopped:
        run("collins1996", 250, DRules.all(), budget=Budget(steps=1_000_000_000))
    chart = stopped.value.chart
    assert chart.step_count > 1_000_000_000
    assert "_rows" not in chart.raw.store.__dict__  # type: ignore[attr-defined]
    assert chart.item_count > 0


def test_counting_many_sentences() -> None:
    schema = schemata.load("collins1996")
    words = [["w"] * (1 + k % 9) for k in range(60)]
    alone = [
        (c.item_count, c.step_count, c.accepted) for c in (schema.run(w, engine="python") for w in words)
    ]
    schema.engines.run(
        Sentence(("w",) * 20), DRules.all().for_sentence(Sentence(("w",) * 20)), engine="native"
    )
    counted = [(c.items, c.steps, c.accepted) for c in schema.counts([["w"] * 30, *words])]
    assert counted[1:] == alone
    tree = DRules.from_heads((2, 0, 2))
    given = [(c.items, c.steps, c.accepted) for c in schema.counts([["w"] * 3] * 2, tree)]
    chart = schema.run(["w"] * 3, tree, engine="python")
    assert given == [(chart.item_count, chart.step_count, chart.accepted)] * 2


def test_orders_of_shipped_schemata_make_kernels() -> None:
    order = prove_order(lower(schemata.load("arc-standard").definition))
    assert isinstance(order, Order)
    kernel = OrderedKernel(order)
    assert "for s0 in range(" in kernel.text
    assert places(kernel.program, 3, 0) == [125]


@pytest.mark.parametrize("name", ["eisner1996", "wg1", "mgk:k=1"])
def test_tables_take_the_memory_that_is_foreseen(name: str) -> None:
    """Where items have several writings, an entry has the number of one, else a byte."""
    _, native = engine(name)
    kernel, n = native.ordered, 5
    assert kernel is not None
    words = Sentence(("w",) * n)
    grammar = GrammarTables(kernel.program, n, DRules.all().for_sentence(words))
    foreseen = kernel.memory(n, len(grammar.symbols))
    tables = OrderedTables(kernel, n, grammar, [], 2 * foreseen)
    assert sum(table.nbytes for table in tables.by_kind) == foreseen
    with pytest.raises(OutsideTables):
        OrderedTables(kernel, n, grammar, [], 2 * foreseen - 1)


TWO_CASES = """schema two-cases
grammar d-rules
hypothesis word[i]  where 1 <= i <= n
item c[i: position, j: position]  where 1 <= i <= j <= n
item d[i: position, j: position]  where 1 <= i <= j <= n
step Begin
  word[i]
  -------
  c[i, i]
step Longer
  d[i, j]   word[j + 1]
  ---------------------
  c[i, j + 1]
step Hand
  case
    c[i, j]
    -------  k in [1..n], j <= k
    d[i, k]
  case
    c[i, j]
    -------  k in [1..n], j < k
    d[i, k]
final d[1, n]
"""


def test_an_instance_of_two_cases_that_are_tried_at_different_times_is_counted_once() -> None:
    """The first case may derive what stands on the level of its antecedent, the second one may not."""
    schema = schema_of(TWO_CASES)
    order = prove_order(lower(schema.definition))
    assert isinstance(order, Order)
    assert len({rule.stratum for rule in order.rules if order.program.rules[rule.rule].case >= 2}) == 2
    with pytest.raises(NotOrderable, match="looked for at different times"):
        OrderedKernel(order)
    for n in (1, 2, 4, 7):
        steps = n + math.comb(n, 2) + math.comb(n + 2, 3)  # words, pairs i <= j < n, triples i <= j <= k
        assert schema.run(["w"] * n, engine="python").step_count == steps
        assert schema.run(["w"] * n, engine="native").step_count == steps


def test_loops_enforce_every_constraint() -> None:
    rng = random.Random(5)
    for _ in range(200):
        names = ["a", "b", "c"]
        rng.shuffle(names)
        constraints = [variable(x) for x in names] + [Affine(6) - variable(x) for x in names]
        for _ in range(rng.randint(0, 4)):
            x, y = rng.sample(names, 2)
            constraints.append(variable(x) - variable(y) + rng.randint(-2, 2))
        if rng.random() < 0.5:
            constraints.append(variable("a") + variable("b") - variable("c") - rng.randint(0, 4))
        found = nest(constraints, names, [])
        assert _turns(found, names) == {
            (a, b, c)
            for a in range(7)
            for b in range(7)
            for c in range(7)
            if all(x.value({"a": a, "b": b, "c": c}) >= 0 for x in constraints)
        }


def _turns(found: Any, names: list[str]) -> set[tuple[int, int, int]]:
    done: set[tuple[int, int, int]] = set()

    def enter(k: int, given: dict[str, int]) -> None:
        if k == len(names):
            done.add((given["a"], given["b"], given["c"]))
            return
        loop, *checks = loops[k]
        ((lows, highs),) = loop.options
        low = max(end.term.value(given) for end in lows)
        high = min(end.term.value(given) for end in highs)
        for value in range(low, high + 1):
            inner = {**given, loop.name: value}
            if all(move.test.holds(inner) for move in checks):
                enter(k + 1, inner)

    before, *loops = levels(found)
    if all(move.test.holds({}) for move in before):
        enter(0, {})
    return done


@pytest.mark.parametrize(
    "name", ["eisner1996", "collins1996", "arc-eager", "mh:k=4", "arc-standard-hook", "wg1"]
)
@pytest.mark.parametrize("checked", [False, True])
@pytest.mark.rotated(3)
def test_compact_back_pointers_are_the_rows(name: str, checked: bool) -> None:
    n = 4 if checked else 6
    plain, compact = run(name, n, some_links(n, 4)), run(name, n, some_links(n, 4), checked)
    compact.raw.store.keep(compact=True)  # type: ignore[attr-defined]
    assert (compact.raw.store.codes is not None) == (name != "wg1")  # type: ignore[attr-defined]
    assert facts(compact, False) == facts(plain, False)


def test_compact_back_pointers_take_about_two_bytes_an_instance() -> None:
    for name, n in (("eisner1996", 150), ("collins1996", 40)):
        chart = run(name, n, DRules.all())
        chart.raw.store.keep(compact=True)  # type: ignore[attr-defined]
        codes = chart.raw.store.codes  # type: ignore[attr-defined]
        assert sum(c.visits.nbytes + c.values.nbytes for c in codes) < 2.2 * chart.step_count  # type: ignore[attr-defined]


TURNING = """schema turning
  grammar d-rules
item span[i: position, j: position, b: flag]
  where 1 <= i <= j <= n
normal form
  span[i, j, true] = span[i, j, false] if i = j
step One
  ----------------  i in [1..n]
  span[i, i, true]
step Longer
  span[i, j, _]
  --------------------
  span[i, j + 1, true]
final span[1, n, _]
"""


def test_a_writing_of_another_kind_is_not_the_item_itself() -> None:
    """A normal form with another flag has the same columns, and is of another kind of items."""
    schema, words = schemata.schema(TURNING), Sentence(("w",) * 3)
    assert isinstance(prove_order(schema.kernel.program), Order)
    native = NativeEngine(schema.kernel, COMPILERS[False], "ordered")
    chart = native.run(schema.kernel, words, DRules.all().for_sentence(words), Budget())
    assert type(chart.raw.store).__name__ == "OrderedStore"  # type: ignore[attr-defined]
    items = {(1, 1, False), (2, 2, False), (3, 3, False), (1, 2, True), (2, 3, True), (1, 3, True)}
    for i, j, b in itertools.product(range(1, 4), range(1, 4), (False, True)):
        number = chart.find("span", (i, j, b))
        assert (number is not None) == ((i, j, b) in items)
        assert number is None or chart.item(number).values == (i, j, b)


def test_both_sides_of_the_kept_lengths() -> None:
    """As many lengths are kept as the threshold says, the last ones, and none whose tables take more bytes."""
    with changed(kept_lengths=3, kept_bytes=100):
        kept: dict[int, str] = {}
        for n in range(1, 8):
            keep_tables(kept, n, f"tables of {n}", 99 if n % 2 else 100)
            assert list(kept) == list(range(max(1, n - 2), n + 1))
        keep_tables(kept, 8, "large", 101)
        assert list(kept) == [5, 6, 7]
