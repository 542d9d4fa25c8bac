"""Runs schemata with every engine and compares what they derive with the naive reading of the schema.

`differences` is the whole comparison; `run` and `start` run one engine, or native kernels of one kind.
"""

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, TypeAlias

from schemata import DRules, Facts, ParsingSchema, Sentence
from schemata.budget import BackPointers, Budget
from schemata.engine.chart import Chart
from schemata.engine.engines import batch_counter
from schemata.engine.exceeded import BudgetExceeded
from schemata.engine.native import NativeEngine
from schemata.errors import UsageError
from schemata.forest.states import all_states
from schemata.forest.trees import Building
from schemata.grammars.relations import knowing_words
from schemata.kernels.store import OutsideTables
from schemata.language import model as m
from schemata.ordered.run import BatchCounter
from schemata.program.instances import chart_writings, inferences, instance_bindings
from schemata.program.model import NotLowerable
from schemata.thresholds import changed
from tests.oracle import naive
from tests.oracle.facts import FactGrammar
from tests.oracle.interpreter import Endless, heads_of, interpret, predicted
from tests.oracle.rules import RuleGrammar
from tests.support.charts import Given
from tests.support.compilers import checked, some_optimised
from tests.support.weighing import as_listed, comparable, heads_of_links, weights_against

# Runs with one engine, or with native kernels of one kind, within a small budget ----------------------------


STEPS = 3_000  # step instances of a chart that is compared
SECONDS = 10
OVER = {
    "steps": f"more than {STEPS:,} step instances",
    "seconds": f"more than {SECONDS} s",
    "memory": "lists that grow without end",
    "interrupt": "interrupted",
}
KERNELS = {  # native kernels of one kind, compiled or with every index checked
    "agenda": ("agenda", some_optimised),
    "ordered": ("ordered", some_optimised),
    "hashed": ("agenda", some_optimised),
    "checked-agenda": ("agenda", checked),
    "checked-hashed": ("agenda", checked),
    "checked-ordered": ("ordered", checked),
}
_engines: dict[Any, NativeEngine | NotLowerable] = {}


GivenGrammar: TypeAlias = "naive.Grammar | RuleGrammar | FactGrammar"  # licensed links, rules, or facts


class TooLarge(Exception):
    """The schema derives more than is worth comparing, or has no end; the text says in a few words why."""


class TooLong(TooLarge):
    """Some engine, or the proof of an order, takes long: nothing is known then about the others."""


class Refused(Exception):
    """The engine does not run this schema; another one does."""


def run(schema: ParsingSchema, n: int, given: GivenGrammar, engine: str) -> Chart:
    """Run a schema on n words under licensed links or rules with an engine.

    Raises
    ------
    TooLarge : the run exceeds the budget.
    Refused : the engine does not run this schema.
    """
    try:
        return start(schema, n, given, engine, Budget(steps=STEPS, seconds=SECONDS))
    except BudgetExceeded as over:
        kind = TooLong if over.reason == "seconds" else TooLarge
        raise kind(OVER[over.reason]) from None


def start(
    schema: ParsingSchema,
    n: int,
    given: GivenGrammar,
    engine: str,
    budget: Budget,
    back_pointers: BackPointers = "implicit",
) -> Chart:
    """Run a schema within a budget.

    Raises
    ------
    BudgetExceeded : the run exceeds the budget; carries the partial chart.
    Refused : the engine does not run this schema.
    """
    grammar, sentence = grammar_for(schema, given), sentence_for(given, n)
    if engine not in KERNELS:
        try:
            return schema.run(sentence, grammar, budget=budget, engine=engine)
        except UsageError as refusal:
            raise Refused(str(refusal)) from None
    found = kernels(schema, engine)
    if isinstance(found, NotLowerable):
        raise Refused(str(found))
    try:
        provided = knowing_words(grammar.for_sentence(sentence), sentence.words)
        with changed(dense_bytes=-1) if "hashed" in engine else nullcontext():
            return found.run(schema.kernel, sentence, provided, budget, back_pointers)
    except OutsideTables:
        raise Refused(f"{engine} kernels do not fit") from None


def grammar_for(schema: ParsingSchema, given: GivenGrammar) -> Any:
    """Return links or rules as a grammar of the package, of the schema's kind."""
    if isinstance(given, RuleGrammar):
        return Given.rules(schema.definition.grammar, given)
    if isinstance(given, FactGrammar):
        facts = Facts.from_text(given.text) if given.text else Facts.of({})
        return facts.for_schema(schema.definition.relations)
    return DRules.from_pairs(given)


def sentence_for(given: GivenGrammar, n: int) -> Sentence:
    """Return the sentence of n words that facts speak of; for other grammars, of n words that are all the same."""
    return Sentence(given.words if isinstance(given, FactGrammar) else ("w",) * n)


def of_inputs(schema: ParsingSchema, given: GivenGrammar) -> ParsingSchema:
    """Return the schema for inputs of these lengths, where it reads several."""
    if not schema.definition.reads_inputs or not isinstance(given, FactGrammar):
        return schema
    return schema.of_inputs([list(words) for words in given.inputs])[0]


def kernels(schema: ParsingSchema, engine: str) -> NativeEngine | NotLowerable:
    """Return the native engine with kernels of one kind, or why there is none; what was used last is kept."""
    key = schema, engine
    if key not in _engines:
        if len(_engines) > 50:
            _engines.clear()
        kind, compiler = KERNELS[engine]
        try:
            _engines[key] = NativeEngine(schema.kernel, compiler, kind)
        except NotLowerable as refusal:
            _engines[key] = refusal
    return _engines[key]


def is_lowerable(schema: ParsingSchema, engines: Sequence[str]) -> bool:
    """Whether some of the engines' native kernels run a schema."""
    return any(e in KERNELS and isinstance(kernels(schema, e), NativeEngine) for e in engines)


def has_order(schema: ParsingSchema, engines: Sequence[str]) -> bool:
    """Whether an order was proved for a schema, where some of the engines need one."""
    found = [kernels(schema, e) for e in engines if e in KERNELS and KERNELS[e][0] == "ordered"]
    return any(isinstance(x, NativeEngine) and x.ordered is not None for x in found)


# A chart against the naive reading: items, instances, counts, forests ---------------------------------------


DERIVATIONS = 2_000  # of which the trees are compared
UNIONS = 20_000  # of sets of links, to find them all


def against(truth: naive.NaiveChart, chart: Chart) -> list[str]:
    """Return in what a chart differs from the truth."""
    found: list[str] = []
    _sets(found, "hypotheses", {(i.form, i.values) for i in chart.hypotheses}, truth.hypotheses)
    _sets(found, "items", {(i.form, i.values) for i in chart.items}, truth.items)
    _sets(found, "final items", {(i.form, i.values) for i in chart.final_items}, truth.final_items)
    found += rows_against(truth, chart)
    steps = naive.steps_by_name(truth)
    if {k: v for k, v in chart.steps_by_name.items() if v} != steps or chart.step_count != len(
        truth.instances
    ):
        found.append(f"counts by step: {dict(chart.steps_by_name)}, not {steps}")
    forms = naive.items_by_form(truth)
    if {k: v for k, v in chart.items_by_form.items() if v} != forms:
        found.append(f"counts by form: {dict(chart.items_by_form)}, not {forms}")
    return found or _forests(truth, chart)


def rows_against(truth: naive.NaiveChart, chart: Chart) -> list[str]:
    """Return in what a chart's step instances differ from the truth."""
    found: list[str] = []
    ours = instances_of(chart)
    if len(ours) != len(set(ours)):
        found.append(f"instances found twice: {sorted(str(i) for i in ours if ours.count(i) > 1)[0]}")
    _sets(found, "instances", set(ours), set(map(tuple, truth.instances)))
    return found


def _forests(truth: naive.NaiveChart, chart: Chart) -> list[str]:
    found = weights_against(truth, chart)
    truth = replace(truth, instances=frozenset(map(predicted, truth.instances)))
    forest = chart.forest()
    count: Any = "infinite" if forest.derivation_count == math.inf else forest.derivation_count
    if count != naive.derivations(truth):
        found.append(f"derivations: {count}, not {naive.derivations(truth)}")
    _sets(found, "useful items", {(i.form, i.values) for i in forest.useful_items}, naive.useful(truth))
    most = len(naive.useful(truth)) ** 2 if count == "infinite" else count
    if most > DERIVATIONS:
        return found  # too many to look at each
    if chart.schema.structure != "dependency tree":
        endless = count == "infinite" and chart.schema.structure == "constituent tree"
        return found if endless else found + _structures_listed(truth, chart)
    if not chart.schema.builds_links:
        return found  # no trees
    if all_states(forest, Building.of(chart), UNIONS) is None:
        return found
    number = forest.count_trees()
    states = {frozenset(x[1:] if x[0] == "edge" else x for x in s) for s in _structures(truth)}
    built = {(heads_of_links(links, chart.n), frozenset(x for x in links if len(x) > 2)) for links in states}
    built = {(heads, labels) for heads, labels in built if heads is not None}
    trees = {heads for heads, _ in built}
    _sets(found, "trees", {t.heads for t in forest.trees(limit=None)}, trees)
    if number.exact != len(built):
        found.append(f"trees counted: {number.exact}, not {len(built)}")
    lazily = {t.heads for t in forest.trees(limit=len(built) + 1, budget=0)}
    _sets(found, "trees listed lazily", lazily, trees)
    return found


def _structures_listed(truth: naive.NaiveChart, chart: Chart) -> list[str]:
    """Return in what the structures differ that derivations build, other than trees of links."""
    if not chart.schema.atom_names:
        return []
    number, found = chart.forest().count_structures(UNIONS), list[str]()
    if number.exact is None:
        return []
    structures = {x for state in _structures(truth) if (x := as_listed(chart, state)) is not None}
    listed = chart.forest().structures(limit=None)
    _sets(found, "structures", set(map(comparable, listed)), structures)
    some = set(map(comparable, chart.forest().structures(limit=len(structures) + 1, budget=0)))
    # No derivation that passes an item twice is followed.
    if chart.forest().derivation_count == math.inf and not some <= structures:
        found.append(f"structures listed lazily that are none: {some - structures}")
    elif chart.forest().derivation_count != math.inf:
        _sets(found, "structures listed lazily", some, structures)
    if not number.exact == len(listed) == len(structures):
        found.append(f"structures counted: {number.exact}, listed: {len(listed)}, not {len(structures)}")
    return found


def _structures(truth: naive.NaiveChart) -> set[naive.Grammar]:
    """Return the distinct sets of links that derivations build and that have a meaning."""
    return {links for links in naive.structures(truth) if None not in links}


def instances_of(chart: Chart) -> list[tuple[Any, ...]]:
    item = {x: (chart.item(x).form, chart.item(x).values) for x in range(len(chart.raw.values))}
    cases = chart.schema.cases
    alike = [(tuple(k for k, a in enumerate(c.antecedents) if a.context), heads_of(c)) for c in cases]
    return [
        (
            cases[i.case].step,
            tuple(item[x] for x in i.antecedents),
            item[i.consequent],
            chart.built_links(i.case, i.links),
            *alike[i.case],
        )
        for i in chart.instances()
    ]


def _sets(found: list[str], what: str, ours: set[Any], theirs: set[Any] | frozenset[Any]) -> None:
    """Add how two sets differ, if they do."""
    if ours != theirs:
        extra, missing = sorted(map(str, ours - theirs)), sorted(map(str, theirs - ours))
        found.append(f"{what}: {len(extra)} too many {extra[:2]}, {len(missing)} missing {missing[:2]}")


# Step instances as the interpreting matcher finds them ------------------------------------------------------


Found = set[tuple[str, tuple[int, ...], int, tuple[tuple[int, int], ...]]]


def numbered_instances(chart: Chart) -> Found:
    """Return the instances of a chart: step, antecedents, consequent and links."""
    cases = chart.schema.cases
    return {(cases[i.case].step, i.antecedents, i.consequent, i.links) for i in chart.instances()}


def interpreted(chart: Chart) -> Found:
    """Return every instance between items of the chart, found by trying all tuples of them."""
    found = interpreted_within(chart, None)
    assert found is not None
    return found


def interpreted_within(chart: Chart, most: int | None) -> Found | None:
    """Return the same, or None where there are more tuples of writings to try."""
    by_form: dict[str, list[int]] = {f.name: [] for f in chart.schema.forms}
    for x in (*chart.hypothesis_ids, *chart.derived_ids):
        by_form[chart.schema.forms[chart.raw.form_of[x]].name].append(x)
    ways = {x: chart_writings(chart, x) for xs in by_form.values() for x in xs}
    amounts = {name: sum(len(ways[x]) for x in xs) for name, xs in by_form.items()}
    total = sum(math.prod(amounts[a.pattern.form] for a in c.antecedents) for c in chart.schema.cases)
    if most is not None and total > most:
        return None
    found: Found = set()
    for case in chart.schema.cases:
        places = [by_form[a.pattern.form] for a in case.antecedents]
        for antecedents in itertools.product(*places):
            for writings in itertools.product(*(ways[x] for x in antecedents)):
                for made, links in inferences(chart.schema, case, writings, chart.n, chart.grammar):
                    number = chart.find(case.consequent.form, made)
                    assert number is not None, f"{case.step} derives {made}, which the chart lacks"
                    if number not in antecedents:
                        found.add((case.step, antecedents, number, links))
    return found


def read_otherwise(chart: Chart, most: int) -> list[str]:
    """Return what the matcher reads otherwise: instances that it does not match, and those it finds besides."""
    cases = chart.schema.cases
    problems = [
        f"no binding: {cases[i.case].step} from {[str(chart.item(x)) for x in i.antecedents]}"
        for i in chart.instances()
        if next(instance_bindings(chart, i), None) is None
    ]
    found = interpreted_within(chart, most)
    if found is not None and found != numbered_instances(chart):
        wrong = sorted(found ^ numbered_instances(chart))[0]
        problems.append(f"of matcher and engine, one lacks {wrong}")
    return problems


# The other ways to what a run derives: stored back-pointers, items expanded, counts of many, runs cut short ----


AMPLE = Budget(steps=1 << 30)
_counters: dict[Any, BatchCounter | None] = {}


def otherwise(
    truth: naive.NaiveChart, schema: ParsingSchema, given: GivenGrammar, engine: str, turn: int | None
) -> list[str]:
    """Return in what an engine's other ways differ from the truth; those whose turn it is, or all."""
    found: list[str] = []
    turns = range(3) if turn is None else [turn % 3]
    for one in turns:
        if engine in KERNELS and one < 2:
            kept: BackPointers = ("compact", "explicit")[one]
            chart = start(schema, truth.n, given, engine, AMPLE, kept)
            found += [f"{kept} back-pointers: {text}" for text in rows_against(truth, chart)]
        elif engine in KERNELS:
            found += _expanded(start(schema, truth.n, given, engine, AMPLE))
        elif engine == "python" and one == 2:
            found += _switched(truth, schema, given)
        part = (0, len(truth.instances) // 3, len(truth.instances) - 1)[(one + truth.n) % 3]
        if 0 <= part < len(truth.instances):
            found += _cut_short(truth, schema, given, engine, part)
    return found + (_counted(truth, schema, given, engine) if engine in KERNELS else [])


def _expanded(chart: Chart) -> list[str]:
    """Return what items tell of their instances that listing all does not tell, or the other way round."""
    raw = chart.raw
    derived = range(raw.hypothesis_count, raw.item_count)
    alone = {x: raw.expand(x) for x in derived}
    listed: dict[int, Counter[tuple[int, tuple[int, ...]]]] = {x: Counter() for x in derived}
    for case, (log, stride) in enumerate(zip(raw.logs, chart.strides, strict=True)):
        for at in range(0, len(log), stride):
            listed.setdefault(log[at], Counter())[case, tuple(log[at : at + stride])] += 1
    return [
        f"expanded: {chart.item(x)} has {rows}, not {listed[x]}"
        for x, rows in alone.items()
        if rows is not None and Counter((case, tuple(row)) for case, row in rows) != listed[x]
    ][:2]


def _counted(truth: naive.NaiveChart, schema: ParsingSchema, given: GivenGrammar, engine: str) -> list[str]:
    """Return in what the counts of a sentence among others differ from the truth."""
    native, grammar = kernels(schema, engine), grammar_for(schema, given)
    if not isinstance(native, NativeEngine) or native.kernels != "ordered" or native.compiler is checked:
        return []
    sentence = sentence_for(given, truth.n)
    provided = knowing_words(grammar.for_sentence(sentence), sentence.words)
    key = schema, engine
    if key not in _counters:
        _counters.clear()
        _counters[key] = batch_counter(native, provided)
    counter = _counters[key]
    counts = None if counter is None else counter.count(provided, lambda: 1 << 30)
    if counts is None:
        return []
    ours = counts.items, counts.steps, counts.accepted
    theirs = len(truth.items), len(truth.instances), truth.accepted
    return [f"counts of many: {ours}, not {theirs}"] if ours != theirs else []


def _switched(truth: naive.NaiveChart, schema: ParsingSchema, given: GivenGrammar) -> list[str]:
    """Return in what a run differs that begins in Python and goes over to native code, if there is any, at once."""
    with changed(in_memory_steps=3, on_disk_steps=3, not_made_steps=3, compared_runs=1 << 60):
        chart = start(schema, truth.n, given, "auto", AMPLE)
    return [f"switched to {chart.engine}: {text}" for text in rows_against(truth, chart)]


def _cut_short(
    truth: naive.NaiveChart, schema: ParsingSchema, given: GivenGrammar, engine: str, steps: int
) -> list[str]:
    """Return what is wrong with the chart of a run that was to find no more than some step instances."""
    try:
        start(schema, truth.n, given, engine, Budget(steps=steps))
        return [f"cut short: {steps} of {len(truth.instances)} steps allowed, and the run went to its end"]
    except BudgetExceeded as over:
        chart = over.chart
    items = {(i.form, i.values) for i in (*chart.items, *chart.hypotheses)}
    instances = instances_of(chart)
    found: list[str] = []
    if not items <= truth.items | truth.hypotheses:
        found.append(f"items that are not derivable: {list(items - truth.items)[:2]}")
    if len(instances) != len(set(instances)) or not set(instances) <= set(map(tuple, truth.instances)):
        found.append("instances that are none, or twice")
    if {(i.form, i.values) for i in chart.final_items} != items & set(truth.final_items):
        found.append(f"final items: {list(map(str, chart.final_items))}")
    derived = {i[2] for i in instances}
    if not {(i.form, i.values) for i in chart.items} <= derived:
        found.append("items that nothing derives")
    if chart.step_count != len(instances):
        found.append(f"{chart.step_count} steps counted, {len(instances)} listed")
    return [f"cut short at {steps}: {text}" for text in found]


# All engines, in every way in which they tell what they derive ----------------------------------------------


ITEMS = 600
MATCHER = "matcher"  # stands among the engines, and reads the instances of the first one again
TUPLES = 1_000  # of writings that the matcher tries


def differences(
    schema: ParsingSchema, n: int, given: GivenGrammar, engines: Sequence[str], turn: int | None = None
) -> tuple[naive.NaiveChart, list[str]]:
    """Return what a schema derives and what the engines do not agree on, nothing where all is well.

    An engine that does not run the schema is left out, but for the first one. Of the other ways to what an engine
    derives (`otherwise`) all are tried, or those whose `turn` it is: each needs kernels of its own.

    Raises
    ------
    TooLarge : all engines say that the schema derives too much.
    """
    definition, schema = schema.definition, of_inputs(schema, given)
    charts: dict[str, Chart | None] = {}
    reasons: list[str] = []
    for engine in engines:
        if engine == MATCHER:
            continue
        try:
            charts[engine] = run(schema, n, given, engine)
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
        truth = interpret(definition, n, given, limit=2 * ITEMS)
    except Endless as end:
        if str(end) == "work":
            raise TooLarge("too much work for the naive reading") from None
        return _nothing(definition, n), ["the naive reading has no end, the engines have"]
    found: list[str] = []
    if MATCHER in engines:
        found += [f"{MATCHER}: {text}" for text in read_otherwise(next(iter(done.values())), TUPLES)]
    for engine, chart in done.items():
        found += [f"{engine}: {text}" for text in against(truth, chart)]
        found += [f"{engine}, {text}" for text in otherwise(truth, schema, given, engine, turn)]
    return truth, found


def _nothing(definition: m.Schema, n: int) -> naive.NaiveChart:
    return naive.NaiveChart(definition.name, n, *[frozenset()] * 4, naive.UNION)  # type: ignore[arg-type]
