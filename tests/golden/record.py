"""The figures of one schema: everything a run derives, as text in canonical order, and how it is explained.

A figure is a number, a short list of texts, or for a long one how many texts it has and a hash of them.
"""

import contextlib
import hashlib
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import schemata
from schemata import Budget, BudgetExceeded, Chart, ParsingSchema
from schemata.analysis.explain import derivations_of, explain, trace
from schemata.analysis.why_not import why_not
from schemata.cli.main import main
from schemata.display.explanations import derivations_text, explain_text, trace_text, why_not_text
from schemata.display.terminal import Page
from schemata.errors import SchemataError
from schemata.forest.forest import Count
from schemata.kinds import DEPENDENCY_TREE
from tests.golden.cases import HERE, Case, cases, grammar_option

RECORDS = HERE / "records"
INLINE = 26  # characters up to which a list of texts is stored as it is
LISTED = 400  # trees, linkages or derivations that are recorded at most
WIDTH = 100
LIMIT = Budget(steps=400_000, seconds=300)
CUTS = (0.25, 0.5, 0.75)  # the parts of all step instances that stopped runs may find

Figures = dict[str, Any]  # by name: a number or text as it is, or a list of texts


def record_of(
    reference: str, engine: str = "python", only: str | None = None
) -> Iterator[tuple[str, Figures]]:
    """Yield the figures of each case of a schema, or of one case, in full."""
    schema = schemata.load(reference)
    charts: list[tuple[Case, Chart]] = []
    grammars: dict[str, Any] = {}
    for case in cases(schema.definition.grammar, reference):
        try:
            grammars[case.name] = case.grammar_for(schema)
            chart = schema.run(case.words, grammars[case.name], budget=LIMIT, engine=engine)  # type: ignore[arg-type]
        except BudgetExceeded as over:
            yield case.name, {"stopped": over.reason}
        except SchemataError as error:
            yield case.name, {"error": str(error).splitlines()}
        else:
            charts.append((case, chart))
    for case, chart in charts:
        if only is None or case.name == only:
            found = _figures(chart) | _cut_short(schema, case, grammars[case.name], chart, engine)
            if case.asked:
                found |= _explained(chart) | _underived(chart, [other for _, other in charts])
            yield case.name, found
    if only is None or only == "command":
        yield "command", _commands(reference, charts, engine)


def _figures(chart: Chart) -> Figures:
    found: Figures = {"accepted": chart.accepted}
    found["hypotheses"] = [str(x) for x in chart.hypotheses]
    for form, amount in chart.items_by_form.items():
        found[f"items {form}"] = [str(x) for x in chart.items if x.form == form]
        assert len(found[f"items {form}"]) == amount
    found["final items"] = [str(x) for x in chart.final_items]
    return found | _steps(chart) | _forest(chart)


def _steps(chart: Chart) -> Figures:
    steps: dict[str, list[str]] = {name: [] for name in chart.schema.step_names}
    links: set[Any] = set()
    items = [str(chart.item(x)) for x in range(chart.raw.item_count)]
    for instance in chart.instances():
        built = chart.built_links(instance.case, instance.links)
        links |= set(built)
        above = "   ".join(items[x] for x in instance.antecedents)
        text = f"{above} => {items[instance.consequent]}  {' '.join(map(str, built))}"
        steps[chart.schema.cases[instance.case].step].append(text)
    assert {name: len(texts) for name, texts in steps.items()} == dict(chart.steps_by_name)
    assert sum(map(len, steps.values())) == chart.step_count
    return {
        **{f"step {name}": sorted(texts) for name, texts in steps.items()},
        "links": [str(link) for link in sorted(links, key=lambda link: (isinstance(link[0], str), link))],
    }


def _forest(chart: Chart) -> Figures:
    forest = chart.forest()
    found: Figures = {
        "derivations": str(forest.derivation_count),
        "useful items": sorted(str(x) for x in forest.useful_items),
        "first derivations": [
            line
            for number, derivation in enumerate(forest.derivations(4), start=1)
            for line in (
                f"derivation {number}",
                *(f"{depth} {d.item} {d.step} {d.case} {list(d.links)}" for depth, d in derivation.walk()),
            )
        ],
    }
    if chart.schema.builds_linkages:
        found["linkage count"] = _count(forest.count_linkages())
        found["linkages"] = [json.dumps(x.to_json(), ensure_ascii=False) for x in forest.linkages(LISTED)]
    else:
        of_words = chart.schema.structure == DEPENDENCY_TREE  # those of constituents stand in derivations
        found["tree count"] = _count(forest.count_trees() if of_words else Count(0, 0, 0))
        trees = forest.trees(LISTED) if of_words else ()
        found["trees"] = [",".join(map(str, tree.heads)) for tree in trees]
    return found


def _count(count: Any) -> str:
    return f"{count.exact}, at least {count.at_least}, {count.others} others"


def _cut_short(schema: ParsingSchema, case: Case, grammar: Any, chart: Chart, engine: str) -> Figures:
    """Return what runs keep that may find only a part of all step instances.

    Engines stop at different places: what they keep is recorded by engine, what is true of all is asserted.
    Over rules it also depends on the order of sets of names, and is not recorded.
    """
    kept_at: list[str] = []
    items, finals = set(map(str, chart.items)), set(map(str, chart.final_items))
    for part in CUTS:
        steps = int(part * chart.step_count)
        if not 0 < steps < chart.step_count:
            continue
        try:
            schema.run(case.words, grammar, budget=Budget(steps=steps), engine=engine)  # type: ignore[arg-type]
        except BudgetExceeded as over:
            kept = over.chart
        else:
            raise AssertionError(f"{case.name}: a run went to its end though it may find {steps} steps only")
        texts = [str(x) for x in kept.items]
        assert kept.stopped == "steps"
        assert steps < kept.step_count <= chart.step_count
        assert set(texts) <= items
        assert {str(x) for x in kept.final_items} == finals & {*texts, *map(str, kept.hypotheses)}
        assert {i.consequent for i in kept.instances()} >= {*kept.derived_ids}
        kept_at += [f"at {steps}: {kept.step_count} steps, {len(texts)} items", *texts]
    ordered = schema.definition.grammar in ("d-rules", "link-grammar")
    return {f"cut short, {engine}": kept_at} if ordered else {}


def _explained(chart: Chart) -> Figures:
    proofs: list[str] = []
    ways: list[str] = []
    some = [*chart.final_items[:1], *_spread(chart.items, 3), *chart.hypotheses[:1]]
    for item in dict.fromkeys(some):
        try:
            proof = explain(chart, str(item))
            inferences = derivations_of(chart, str(item))
        except SchemataError as error:
            proofs += str(error).splitlines()
        else:
            proofs += explain_text(proof, Page(WIDTH)).splitlines()
            ways += derivations_text(chart, item, inferences, Page(WIDTH)).splitlines()
    table = trace_text(trace(chart, all_instances=True), Page(WIDTH))
    return {"explain": proofs, "explain all": ways, "trace": table.splitlines()}


def _underived(chart: Chart, charts: list[Chart]) -> Figures:
    """Return why some items are not derived that other grammars or sentences of the length derive."""
    derived = {str(x) for x in (*chart.items, *chart.hypotheses)}
    others = [other for other in charts if other.n == chart.n]
    missing = dict.fromkeys(str(x) for other in others for x in other.items if str(x) not in derived)
    asked: list[str | None] = [None, *_spread(sorted(missing), 3)]
    reasons: list[str] = []
    for item in asked:
        try:
            text = why_not_text(why_not(chart, item), Page(WIDTH))
        except SchemataError as error:
            text = str(error)
        reasons += [f"why not {item or 'any final item'}", *text.splitlines()]
    return {"why not": reasons}


def _spread(things: Any, amount: int) -> list[Any]:
    """Return the first, the last and some between."""
    if len(things) <= amount:
        return list(things)
    return [things[k * (len(things) - 1) // (amount - 1)] for k in range(amount)]


def _commands(reference: str, charts: list[tuple[Case, Chart]], engine: str) -> Figures:
    """Return what commands print for one case."""
    case, chart = next(
        (case, chart) for case, chart in charts if case.asked and case.grammar and 2 < len(chart.items) < 80
    )
    assert case.grammar is not None
    shared = [
        "--grammar",
        grammar_option(case.grammar),
        "--engine",
        engine,
        *(["--tagged"] if case.tagged else []),
    ]
    shared += [] if case.pruned else ["--unpruned"]
    item = str(chart.items[-1])
    found: Figures = {}
    for name, arguments in {
        "run": ["run", reference, case.sentence, "--limit", "3"],
        "run json": ["run", reference, case.sentence, "--json"],
        "explain json": ["explain", reference, case.sentence, item, "--json"],
        "why-not json": ["why-not", reference, case.sentence, "--json"],
    }.items():
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            code = main([*arguments, *shared])
        text = re.sub(r"\n  seconds +\S+", "", out.getvalue()).replace('{"version": 1, ', "{", 1)
        if name == "run json":
            told = json.loads(text)
            del told["seconds"], told["engine"]
            text = json.dumps(told, indent=1, ensure_ascii=False)
        found[name] = [
            f"exit code {code}",
            *text.replace(str(HERE.parent), "").splitlines(),
            *errors.getvalue().replace(str(HERE.parent), "").splitlines(),
        ]
    return found


# Records in files ------------------------------------------------------------------------------------------------


def compact(figures: Figures) -> dict[str, Any]:
    """Return figures as they are stored: long lists of texts as their number and a hash.

    >>> compact({"items": ["a[1]", "a[2]"], "accepted": True})
    {'items': ['a[1]', 'a[2]'], 'accepted': True}
    >>> compact({"items": [f"item[{k}]" for k in range(20)]})
    {'items': '20: b323529c'}
    """
    return {name: _compact(value) for name, value in figures.items()}


def _compact(value: Any) -> Any:
    if not isinstance(value, list) or sum(map(len, value)) <= INLINE:
        return value
    return f"{len(value)}: {hashlib.sha256(chr(10).join(value).encode()).hexdigest()[:8]}"


def record_path(reference: str) -> Path:
    """Return the file with the record of a schema."""
    return RECORDS / f"{reference.replace(':', '-').replace('=', '')}.json"


def write_record(reference: str, record: Mapping[str, Mapping[str, Any]]) -> None:
    """Write the record of a schema: a line for a figure."""
    texts = (
        f"{json.dumps(case)}: {{\n"
        + ",\n".join(
            f"{json.dumps(name, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}"
            for name, value in figures.items()
        )
        + "\n}"
        for case, figures in record.items()
    )
    RECORDS.mkdir(exist_ok=True)
    record_path(reference).write_text("{\n" + ",\n".join(texts) + "\n}\n", "utf-8")


def read_record(reference: str) -> dict[str, dict[str, Any]]:
    """Return the record of a schema."""
    found: dict[str, dict[str, Any]] = json.loads(record_path(reference).read_text("utf-8"))
    return found


def differences(reference: str, engine: str = "python") -> Iterator[str]:
    """Yield in what a schema now differs from its record, a line for each figure."""
    recorded = read_record(reference)
    now = {case: compact(figures) for case, figures in record_of(reference, engine)}
    for case in _either(recorded, now):
        was, is_ = recorded.get(case, {}), now.get(case, {})
        for name in _either(was, is_):
            if name.startswith("cut short") and name not in (was.keys() & is_.keys()):
                continue  # of another engine
            if was.get(name) != is_.get(name):
                yield f"{reference}/{case}: {name}: {is_.get(name)}, on record {was.get(name)}"


def _either(first: Iterable[str], second: Iterable[str]) -> list[str]:
    return list(dict.fromkeys((*first, *second)))
