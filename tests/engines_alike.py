"""Compares what the engines derive with the naive reading of a schema: items, instances, counts, forests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from schemata import ParsingSchema
from schemata.engine.budget import Budget, BudgetExceeded
from schemata.engine.chart import Chart
from schemata.engine.choice import BackPointers
from schemata.engine.lowering.lower import lower
from schemata.engine.lowering.model import NotLowerable, Program
from schemata.engine.native.engine import NativeEngine
from schemata.errors import UsageError
from schemata.forest.building import Building
from schemata.forest.listing import all_states
from schemata.grammars import DRules
from schemata.language import model as m
from schemata.structures import Sentence
from tests.instances_read import read_otherwise
from tests.oracle import naive
from tests.oracle.brute import is_tree
from tests.oracle.interpreter import Endless, heads_of, interpret, predicted

__all__ = ["KERNELS", "Refused", "TooLarge", "TooLong", "differences", "has_order", "is_lowerable", "run"]

STEPS = 3_000  # step instances of a chart that is compared
ITEMS = 600
SECONDS = 10
OVER = {
    "steps": f"more than {STEPS:,} step instances",
    "seconds": f"more than {SECONDS} s",
    "memory": "lists that grow without end",
    "interrupt": "interrupted",
}
DERIVATIONS = 2_000  # of which the trees are compared
UNIONS = 20_000  # of sets of links, to find them all
KERNELS = {  # native kernels of one kind, compiled or with every index checked
    "agenda": ("agenda", False),
    "ordered": ("ordered", False),
    "checked-agenda": ("agenda", True),
    "checked-ordered": ("ordered", True),
}
STORED: tuple[BackPointers, ...] = ("compact", "explicit")  # back-pointers, where they are not enumerated
MATCHER = "matcher"  # stands among the engines, and reads the instances of the first one again
TUPLES = 1_000  # of writings that the matcher tries
_programs: dict[ParsingSchema, Program | NotLowerable] = {}
_engines: dict[Any, NativeEngine | NotLowerable] = {}


class TooLarge(Exception):
    """The schema derives more than is worth comparing, or has no end; the text says in a few words why."""


class TooLong(TooLarge):
    """Some engine, or the proof of an order, takes long: nothing is known then about the others."""


class Refused(Exception):
    """The engine does not run this schema; another one does."""


def run(
    schema: ParsingSchema,
    n: int,
    links: naive.Grammar,
    engine: str,
    back_pointers: BackPointers = "implicit",
) -> Chart:
    """Run a schema on n words under licensed links with an engine.

    Raises
    ------
    TooLarge : the run exceeds the budget.
    Refused : the engine does not run this schema.
    """
    grammar, budget = DRules.from_pairs(links), Budget(steps=STEPS, seconds=SECONDS)
    try:
        if engine in KERNELS:
            return _run_kernels(schema, Sentence(("w",) * n), grammar, budget, engine, back_pointers)
        return schema.run(Sentence(("w",) * n), grammar, budget=budget, engine=engine)
    except BudgetExceeded as over:
        kind = TooLong if over.reason == "seconds" else TooLarge
        raise kind(OVER[over.reason]) from None
    except UsageError as refusal:
        raise Refused(str(refusal)) from None


def _run_kernels(
    schema: ParsingSchema,
    sentence: Sentence,
    grammar: DRules,
    budget: Budget,
    engine: str,
    back_pointers: BackPointers,
) -> Chart:
    """Run with native kernels of one kind alone."""
    kernels = _kernels(schema, engine)
    if isinstance(kernels, NotLowerable):
        raise Refused(str(kernels))
    licences = grammar.for_sentence(sentence)
    chart = kernels.run(schema.kernel, sentence, licences, budget, back_pointers)
    if chart is None:
        raise Refused(f"{engine} kernels do not fit")
    return chart


def _kernels(schema: ParsingSchema, engine: str) -> NativeEngine | NotLowerable:
    """Return the native engine with kernels of one kind, or why there is none; what was used last is kept."""
    key = schema, engine
    if key not in _engines:
        if len(_engines) > 50:
            _engines.clear()
            _programs.clear()
        kind, checked = KERNELS[engine]
        try:
            if schema not in _programs:
                _programs[schema] = lower(schema.definition)
            program = _programs[schema]
            _engines[key] = (
                program if isinstance(program, NotLowerable) else NativeEngine(program, checked, kind)
            )
        except NotLowerable as refusal:
            _engines[key] = _programs[schema] = refusal
    return _engines[key]


def is_lowerable(schema: ParsingSchema, engines: Sequence[str]) -> bool:
    """Whether some of the engines' native kernels run a schema."""
    return any(e in KERNELS and isinstance(_kernels(schema, e), NativeEngine) for e in engines)


def has_order(schema: ParsingSchema, engines: Sequence[str]) -> bool:
    """Whether an order was proved for a schema, where some of the engines need one."""
    found = [_kernels(schema, e) for e in engines if e in KERNELS and KERNELS[e][0] == "ordered"]
    return any(isinstance(x, NativeEngine) and x.ordered is not None for x in found)


def differences(
    schema: ParsingSchema, n: int, links: naive.Grammar, engines: Sequence[str]
) -> tuple[naive.NaiveChart, list[str]]:
    """Return what a schema derives and what the engines do not agree on, nothing where all is well.

    An engine that does not run the schema is left out, but for the first one.

    Raises
    ------
    TooLarge : all engines say that the schema derives too much.
    """
    definition = schema.definition
    charts: dict[str, Chart | None] = {}
    reasons: list[str] = []
    for engine in engines:
        if engine == MATCHER:
            continue
        try:
            charts[engine] = run(schema, n, links, engine)
        except TooLong:
            raise
        except TooLarge as reason:
            charts[engine] = None
            reasons.append(str(reason))
        except Refused:
            if engine == engines[0]:
                raise
    done = {engine: chart for engine, chart in charts.items() if chart is not None}
    if not done:
        raise TooLarge(reasons[0])
    if len(done) < len(charts):
        return _nothing(definition, n), [f"{set(charts) - set(done)} hit the budget, {set(done)} did not"]
    if any(chart.item_count > ITEMS for chart in done.values()):
        raise TooLarge(f"more than {ITEMS} items")
    try:
        truth = interpret(definition, n, links, limit=2 * ITEMS)
    except Endless as end:
        if str(end) == "work":
            raise TooLarge("too much work for the naive reading") from None
        return _nothing(definition, n), ["the naive reading has no end, the engines have"]
    found: list[str] = []
    if MATCHER in engines:
        found += [f"{MATCHER}: {text}" for text in read_otherwise(next(iter(done.values())), TUPLES)]
    for engine, chart in done.items():
        found += [f"{engine}: {text}" for text in _against(truth, chart)]
        for kept in STORED if engine in KERNELS else ():
            stored = run(schema, n, links, engine, kept)
            found += [f"{engine}, {kept} back-pointers: {text}" for text in _rows(truth, stored)]
    return truth, found


def _nothing(definition: m.Schema, n: int) -> naive.NaiveChart:
    return naive.NaiveChart(definition.name, n, *[frozenset()] * 4, naive.UNION)  # type: ignore[arg-type]


def _against(truth: naive.NaiveChart, chart: Chart) -> list[str]:
    """Return in what a chart differs from the truth."""
    found: list[str] = []
    _sets(found, "hypotheses", {(i.form, i.values) for i in chart.hypotheses}, truth.hypotheses)
    _sets(found, "items", {(i.form, i.values) for i in chart.items}, truth.items)
    _sets(found, "final items", {(i.form, i.values) for i in chart.final_items}, truth.final_items)
    found += _rows(truth, chart)
    steps = naive.steps_by_name(truth)
    if {k: v for k, v in chart.steps_by_name.items() if v} != steps or chart.step_count != len(
        truth.instances
    ):
        found.append(f"counts by step: {dict(chart.steps_by_name)}, not {steps}")
    forms = naive.items_by_form(truth)
    if {k: v for k, v in chart.items_by_form.items() if v} != forms:
        found.append(f"counts by form: {dict(chart.items_by_form)}, not {forms}")
    return found or _forests(truth, chart)


def _rows(truth: naive.NaiveChart, chart: Chart) -> list[str]:
    """Return in what a chart's step instances differ from the truth."""
    found: list[str] = []
    ours = _instances(chart)
    if len(ours) != len(set(ours)):
        found.append(f"instances found twice: {sorted(str(i) for i in ours if ours.count(i) > 1)[0]}")
    _sets(found, "instances", set(ours), set(map(tuple, truth.instances)))
    return found


def _forests(truth: naive.NaiveChart, chart: Chart) -> list[str]:
    found: list[str] = []
    truth = replace(truth, instances=frozenset(map(predicted, truth.instances)))
    forest = chart.forest()
    count: Any = "infinite" if forest.derivation_count == math.inf else forest.derivation_count
    if count != naive.derivations(truth):
        found.append(f"derivations: {count}, not {naive.derivations(truth)}")
    _sets(found, "useful items", {(i.form, i.values) for i in forest.useful_items}, naive.useful(truth))
    most = len(naive.useful(truth)) ** 2 if count == "infinite" else count
    if not chart.schema.builds_links or most > DERIVATIONS:
        return found  # no trees, or too many derivations to look at each
    if all_states(forest, Building.of(chart), UNIONS) is None:
        return found
    number = forest.count_trees()
    states = _structures(truth)
    trees = {t for t in (_heads(links, chart.n) for links in states) if t is not None}
    _sets(found, "trees", {t.heads for t in forest.trees(limit=None)}, trees)
    if number.trees != len(trees):
        found.append(f"trees counted: {number.trees}, not {len(trees)}")
    lazily = {t.heads for t in forest.trees(limit=len(trees) + 1, budget=0)}
    _sets(found, "trees listed lazily", lazily, trees)
    return found


def _structures(truth: naive.NaiveChart) -> set[naive.Grammar]:
    """Return the distinct sets of links that derivations build and that have a meaning."""
    return {links for links in naive.structures(truth) if None not in links}


def _heads(links: naive.Grammar, n: int) -> tuple[int, ...] | None:
    """Return links as heads if they are a tree; one word may be without a head if none hangs under 0."""
    heads = dict(links)
    inside = all(1 <= d <= n and h is not None and 0 <= h <= n for d, h in links)
    if len(heads) < len(links) or not inside:
        return None
    roots = n - len(heads)
    if roots > 1 or (roots and 0 in heads.values()):
        return None
    vector = tuple(heads.get(d, 0) for d in range(1, n + 1))
    return vector if is_tree(vector) else None


def _instances(chart: Chart) -> list[tuple[Any, ...]]:
    item = {x: (chart.item(x).form, chart.item(x).values) for x in range(len(chart.raw.values))}
    cases = chart.schema.cases
    alike = [(tuple(k for k, a in enumerate(c.antecedents) if a.context), heads_of(c)) for c in cases]
    return [
        (
            cases[i.case].step,
            tuple(item[x] for x in i.antecedents),
            item[i.consequent],
            i.links,
            *alike[i.case],
        )
        for i in chart.instances()
    ]


def _sets(found: list[str], what: str, ours: set[Any], theirs: set[Any] | frozenset[Any]) -> None:
    """Add how two sets differ, if they do."""
    if ours != theirs:
        extra, missing = sorted(map(str, ours - theirs)), sorted(map(str, theirs - ours))
        found.append(f"{what}: {len(extra)} too many {extra[:2]}, {len(missing)} missing {missing[:2]}")
