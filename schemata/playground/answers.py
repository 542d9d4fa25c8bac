"""Answers to the questions of the page, from JSON to JSON: the code of the browser's worker, tested without one.

A question is an object with `ask`, the name of a function in `QUESTIONS`, and `schema`, `set`, `sentence`, `grammar`
and `seconds` beside the keys that this function reads. Mistakes of the user are an answer, too: `{"errors": [...]}`.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice, product
from typing import Any, TypeAlias

from schemata.analysis.explain import find_item
from schemata.analysis.extents import extents
from schemata.analysis.figures import run_result, run_results
from schemata.analysis.why_not import violated
from schemata.budget import Budget
from schemata.display.chart_layout import chart_picture
from schemata.display.charts import chart_svg
from schemata.display.page import derivation_view
from schemata.display.shown import text_of
from schemata.display.structures import structure_svgs
from schemata.display.trees import derivation_svg
from schemata.engine.chart import Chart
from schemata.engine.exceeded import BudgetExceeded
from schemata.errors import Diagnostic, SchemataError, UsageError
from schemata.forest.derivations import iterate_derivations
from schemata.from_text import checked_schema, grammar
from schemata.kinds import D_RULES
from schemata.language.typeset import format_item
from schemata.playground.evidence import CELL, counterexamples, pictured
from schemata.records import as_json, replace
from schemata.structures import DependencyTree, Sentence
from schemata.thresholds import EFFORTS, REFUSALS, WAYS
from schemata.workbench import ParsingSchema, common_grammars

Answer: TypeAlias = dict[str, Any]
Request: TypeAlias = Mapping[str, Any]
Tell: TypeAlias = Callable[[str], object]
"""Receives reports of progress, as JSON."""

_NAMED = re.compile(r"all|gold|example|heads:[\d,\s]+")


def answer_text(question: str, tell: Tell | None = None) -> str:
    """Return the answer to a question, both as JSON text; it is never an exception."""
    try:
        request = json.loads(question)
        found = answer(request if isinstance(request, dict) else {}, tell)
    except (ValueError, RecursionError):
        found = {"errors": [finding_json(Diagnostic("question", "the question is not JSON"))]}
    return json.dumps(as_json(found), ensure_ascii=False)


def answer(request: Request, tell: Tell | None = None) -> Answer:
    """Return the answer to a question of the page.

    Parameters
    ----------
    request : the question, which is not to be trusted.
    tell : receives reports of progress.
    """
    ask = request.get("ask")
    question = QUESTIONS.get(ask) if isinstance(ask, str) else None
    try:
        if question is None:
            raise UsageError(f"there is no question {ask!r}")
        return question(_checked(request), tell or (lambda _: None))
    except SchemataError as error:
        return {"errors": [finding_json(one) for one in error.diagnostics]}
    except ModuleNotFoundError as missing:
        said = f"this needs the library {missing.name}, which the page does not have"
        return {"errors": [finding_json(Diagnostic("missing-library", said))]}
    except (RecursionError, MemoryError) as lack:
        return {"errors": [finding_json(Diagnostic("memory", f"this is too large for the page: {lack}"))]}


_TEXTS = (
    "schema", "sentence", "grammar", "item", "class_name", "other", "kind", "view", "exercise", "text", "given",
)  # fmt: skip


def _checked(request: Request) -> Request:
    """Return a question whose common parts have the right types.

    Raises
    ------
    UsageError : a part has another type.
    """
    for name in _TEXTS:
        value = request.get(name)
        if value is not None and not isinstance(value, str):
            raise UsageError(f"{name} is not a text")
        if isinstance(value, str) and len(value) > REFUSALS.page_characters:
            raise UsageError(f"{name} has more than {REFUSALS.page_characters:,} characters")
    given = request.get("set") or {}
    if not isinstance(given, dict) or not all(type(value) is int for value in given.values()):
        raise UsageError("parameters are not numbers")
    return request


def finding_json(finding: Diagnostic) -> Answer:
    """Return a finding with its place as the page marks it: `end_column` is one past the last character."""
    place = finding.location
    return finding.to_json() | {"end_column": place and place.end_column}


# What questions are about ----------------------------------------------------------------------------------


@lru_cache(maxsize=WAYS.page_schemata)
def _loaded(text: str, given: tuple[tuple[str, int], ...]) -> tuple[ParsingSchema, list[Diagnostic]]:
    found, findings = checked_schema(text, dict(given))
    found.engine = "python"
    return found, findings


def _schema(request: Request) -> tuple[ParsingSchema, list[Diagnostic]]:
    text = request.get("schema") or ""
    if "\n" not in text.strip():
        raise UsageError("there is no schema", hint="choose one from the menu, or write one")
    return _loaded(text, tuple(sorted((request.get("set") or {}).items())))


def _given_grammar(schema: ParsingSchema, text: str | None) -> Any:
    """Return a grammar from the text in its box: a word, a text, or nothing."""
    written = (text or "").strip()
    if not written:
        return None
    if _NAMED.fullmatch(written):
        return re.sub(r"\s", "", written)
    return grammar(f"{text}\n", schema)


def _budget(request: Request) -> Budget:
    seconds = request.get("seconds") or EFFORTS.page_seconds
    if not isinstance(seconds, int | float) or not 0 < seconds <= REFUSALS.page_limit:
        raise UsageError("the limit is not a number of seconds", expected=f"1 to {REFUSALS.page_limit}")
    return Budget(steps=EFFORTS.page_steps, seconds=float(seconds), end=time.monotonic() + float(seconds))


def _sentence(schema: ParsingSchema, text: str | None) -> Any:
    words = (text or "").split()
    if not words:
        raise UsageError("the sentence is empty", hint="write some words, with blanks between them")
    if len(words) > REFUSALS.page_words:
        raise UsageError(f"the sentence has more than {REFUSALS.page_words} words")
    return text if schema.definition.reads_inputs else Sentence.of(words)


_charts: dict[tuple[Any, ...], tuple[Chart, list[Diagnostic], str | None]] = {}


def _chart(request: Request) -> tuple[Chart, list[Diagnostic], str | None]:
    """Return a chart, with the remarks about its run, and the limit that ended it."""
    schema, _ = _schema(request)
    text, written = request.get("sentence"), request.get("grammar")
    given = tuple(sorted((request.get("set") or {}).items()))
    budget = _budget(request)
    key = (request.get("schema"), given, text, written, bool(request.get("single_root")), budget.seconds)
    if key not in _charts:
        provided = _given_grammar(schema, written)
        if request.get("single_root") and schema.definition.grammar == D_RULES:
            provided = replace(schema.check_grammar(provided), single_root=True)
        try:
            chart, said, stopped = schema.run(_sentence(schema, text), provided, budget=budget), [], None
        except BudgetExceeded as over:
            chart, said, stopped = over.chart, list(over.diagnostics), over.reason
        said += getattr(chart.grammar, "warnings", ())
        while len(_charts) >= 4:
            _charts.pop(next(iter(_charts)))
        _charts[key] = chart, said, stopped
    return _charts[key]


# Schemata --------------------------------------------------------------------------------------------------


def check(request: Request, tell: Tell) -> Answer:
    """Return all findings about a schema, and its declarations."""
    try:
        schema, findings = _schema(request)
    except SchemataError as error:
        return {"ok": False, "findings": [finding_json(one) for one in error.diagnostics]}
    definition = schema.definition
    return {
        "ok": True,
        "findings": [finding_json(one) for one in findings],
        "name": definition.name,
        "title": definition.title,
        "grammar": definition.grammar,
        "parameters": [
            {"name": one.name, "value": one.value, "default": one.default} for one in definition.parameters
        ],
        "forms": [form.name for form in definition.forms],
        "steps": list(definition.step_names),
        "builds": definition.structure,
    }


def check_grammar(request: Request, tell: Tell) -> Answer:
    """Return the findings about the text of a grammar."""
    schema, _ = _schema(request)
    try:
        found = _given_grammar(schema, request.get("grammar"))
        schema.check_grammar(found)
    except SchemataError as error:
        return {"ok": False, "findings": [finding_json(one) for one in error.diagnostics]}
    return {"ok": True, "findings": [finding_json(one) for one in getattr(found, "warnings", ())]}


def prepare(request: Request, tell: Tell) -> Answer:
    """Write the schema's kernel, so that the run that follows need not: the pause after a key is enough for it."""
    schema, _ = _schema(request)
    schema, _ = schema.of_inputs(_sentence(schema, request.get("sentence")))
    agenda = schema.kernel.agenda
    agenda.module(None, not agenda.layout.bounded, "log")
    return {"prepared": True}


def complete(request: Request, tell: Tell) -> Answer:
    """Return the words that can stand at a place of the schema: line and character from 0, in units of UTF-16."""
    from schemata.editing.completion import completion

    found = completion(request.get("schema") or "", _position(request), _FILE)[:300]
    return {"proposals": [one.to_json() for one in found]}


def hover(request: Request, tell: Tell) -> Answer:
    """Return the meaning of the word at a place of the schema, as Markdown; null if it has none."""
    from schemata.editing.hover import hover as meaning

    found = meaning(request.get("schema") or "", _position(request), _FILE)
    return {"text": None if found is None else found.text}


_FILE = "page.schema"


def _position(request: Request) -> Any:
    from schemata.editing.document import Position

    line, character = request.get("line"), request.get("character")
    if type(line) is not int or type(character) is not int or line < 0 or character < 0:
        raise UsageError("the place is not a line and character")
    return Position(line, character)


# Runs ------------------------------------------------------------------------------------------------------


def run(request: Request, tell: Tell) -> Answer:
    """Return the figures of a run. Slower answers have requests of their own: `picture`, `structures`."""
    chart, said, stopped = _chart(request)
    *_, result = islice(run_results(chart, limit=0, tree_budget=0), 2)  # up to the number of derivations
    found = result.to_json()
    keys = "accepted items useful_items steps hypotheses items_by_form steps_by_name final_items derivations seconds"
    return {
        **{key: found.get(key) for key in keys.split()},
        "findings": [finding_json(one) for one in said],
        "stopped": stopped,
        "words": list(chart.sentence.words),
    }


def picture(request: Request, tell: Tell) -> Answer:
    """Return the chart of a run as a picture, and its items."""
    chart, *_ = _chart(request)
    given, final = frozenset(chart.hypothesis_ids), frozenset(chart.final_ids)
    return {
        "chart": pictured(chart, request.get("view")),
        "items": chart.item_count,
        "hypotheses": len(given),
        "listed": [
            {"number": x, "item": str(chart.item(x)), "final": x in final, "given": x in given}
            for x in islice((*chart.hypothesis_ids, *chart.derived_ids), EFFORTS.page_items)
        ],
    }


def structures(request: Request, tell: Tell) -> Answer:
    """Return how many structures a run has; the first of them as pictures, if they are to be `drawn`."""
    chart, *_ = _chart(request)
    result = run_result(chart, limit=EFFORTS.page_trees, tree_budget=EFFORTS.page_unions)
    found = result.to_json()
    shown = result.structures if request.get("drawn") else ()
    drawn = structure_svgs(chart.sentence, shown)
    return {
        "accepted": chart.accepted,
        "distinct": found["distinct_structures"],
        "complete": found["structures_complete"],
        "structures": [
            {
                "svg": svg,
                "text": str(one),
                "heads": list(one.heads) if isinstance(one, DependencyTree) else None,
            }
            for svg, one in zip(drawn, shown, strict=True)
        ],
    }


def item(request: Request, tell: Tell) -> Answer:
    """Return why an item is derivable: its smallest proof, drawn; or why it is not."""
    chart, *_ = _chart(request)
    asked = find_item(chart, request.get("item") or "")
    if asked.number is None:
        return {"item": asked.text, "derivable": False, "text": text_of(chart.why_not(asked.text))}
    proof = chart.explain(asked.text, budget=_budget(request))
    rows = [
        {
            "number": node.number,
            "depth": node.depth,
            "item": str(node.item),
            "step": getattr(node.inference, "step", None) if hasattr(node, "inference") else None,
        }
        for node in proof.nodes[:200]
    ]
    return {
        "item": asked.text,
        "number": asked.number,
        "derivable": True,
        "text": text_of(proof),
        "proof": rows,
    }


def final(request: Request, tell: Tell) -> Answer:
    """Return why the sentence is not accepted."""
    chart, *_ = _chart(request)
    return {"text": text_of(chart.why_not())}


def cell(request: Request, tell: Tell) -> Answer:
    """Return the items that could stand over some words and are not derived, the likeliest first."""
    chart, *_ = _chart(request)
    first, last = request.get("first"), request.get("last")
    if type(first) is not int or type(last) is not int:
        raise UsageError("the cell has no first and last word")
    found = list(islice(_absent(chart, first, last), EFFORTS.page_candidates))
    texts = [text for text in found if text is not None]
    if texts:
        reasons = text_of(chart.why_not(texts[0]))
    elif found:
        reasons = f"no item that could stand there was found among {EFFORTS.page_values:,} for each form"
    else:
        reasons = "no other item of the schema can stand there"
    return {"items": texts, "item": texts[0] if texts else None, "text": reasons}


def _absent(chart: Chart, first: int, last: int) -> Iterator[str | None]:
    """Yield items over some words that are not derived; their other fields have values that occur in derived items.

    A final None says that there were too many to examine.
    """
    is_all = True
    for place, (form, extent) in enumerate(zip(chart.schema.forms, extents(chart.schema), strict=True)):
        if extent is None or extent.kind == "list":
            continue
        seen: list[dict[Any, None]] = [{} for _ in form.fields]
        for x in (*chart.hypothesis_ids, *chart.derived_ids):
            if chart.raw.form_of[x] == place:
                for known, value in zip(seen, chart.item(x).values, strict=True):
                    known[value] = None
        for known, declared in zip(seen, form.fields, strict=True):
            if declared.type.kind == "flag":
                known.update({False: None, True: None})
            elif declared.type.kind == "position":
                known.update(dict.fromkeys(range(chart.n + 1)))
        low = first - (extent.between and extent.kind == "span")
        for k, value in ((extent.low, low), (extent.high, last)):
            seen[k] = {value: None}
        for values in islice(product(*seen), EFFORTS.page_values):
            fits = violated(form, dict(enumerate(values)), chart.n) is None
            if fits and chart.find(form.name, values) is None:
                yield format_item(form, values)
        is_all = is_all and math.prod(map(len, seen)) <= EFFORTS.page_values
    if not is_all:
        yield None


def derivation(request: Request, tell: Tell) -> Answer:
    """Return a derivation by its number, from 0: steps for a slider, links and tree as pictures."""
    chart, *_ = _chart(request)
    number = request.get("number") or 0
    if type(number) is not int or not 0 <= number < REFUSALS.page_derivations:
        raise UsageError("the derivation has no number", expected=f"0 to {REFUSALS.page_derivations - 1}")
    forest = chart.forest()
    found = next(islice(iterate_derivations(forest), number, None), None)
    count = forest.derivation_count
    total: Any = None if count == math.inf else int(count)
    if found is None:
        return {"derivation": None, "count": total}
    linkage = chart.schema.builds_linkages
    words = getattr(chart.grammar, "words", ()) if linkage else ()
    return {"derivation": derivation_view(found, words=words, linkage=linkage).to_json(), "count": total}


def step(request: Request, tell: Tell) -> Answer:
    """Return a run after some items are taken: the next choices, the chart so far, the links built."""
    from schemata.analysis.stepping import Stepping
    from schemata.display.arc_layout import links_picture
    from schemata.display.arcs import arcs_svg
    from schemata.engine.control import Exploration

    schema, _ = _schema(request)
    schema, words = schema.of_inputs(_sentence(schema, request.get("sentence")))
    provided = schema.check_grammar(_given_grammar(schema, request.get("grammar")), words=len(words))
    offered, budget = provided.for_sentence(words), _budget(request)
    stepping = Stepping(schema, lambda: Exploration(schema.definition, words, offered, None, budget))
    past = request.get("past") or []
    if not isinstance(past, list) or len(past) > REFUSALS.page_taken:
        raise UsageError(f"the items taken are not a list of at most {REFUSALS.page_taken}")
    for text in past:
        chosen = next((one for one in stepping.offers() if str(one.item) == text), None)
        if chosen is None:
            raise UsageError(f"{text} is not offered", hint="begin again: the schema has changed")
        stepping.take(chosen.number)
    chart, waiting, antecedents, consequent = stepping.pictured()
    marked: Any = {"new": waiting, "antecedents": antecedents, "consequent": consequent, "set_apart": False}
    try:
        picture = replace(chart_picture(chart, most=CELL, **marked), new_are="derived, not taken yet")
        svg: str | None = chart_svg(picture) if picture.cells else None
    except UsageError:
        svg = None
    links: list[Any] = [one for one in stepping.built() if isinstance(one[0], int)]
    arcs = arcs_svg(links_picture(words.words, links)) if chart.schema.builds_links else None
    offers = stepping.offers()
    last = stepping.current
    return {
        "taken": [str(stepping.explored.chart.item(x)) for x in stepping.past],
        "last": None if last is None else str(last),
        "final": bool(stepping.past) and stepping.explored.is_final(stepping.past[-1]),
        "offers": [one.to_json() for one in offers[:200]],
        "more": max(0, len(offers) - 200),
        "chart": svg,
        "arcs": arcs,
    }


# Verdicts --------------------------------------------------------------------------------------------------


def _watching(tell: Tell) -> Callable[[Iterable[Any], int, str], Iterable[Any]]:
    """Return a filter that passes results through and reports their number, at most ten times a second."""

    def watch(results: Iterable[Any], total: int, about: str) -> Iterator[Any]:
        told = 0.0
        for done, result in enumerate(results, start=1):
            if time.monotonic() - told > 0.1:
                told = time.monotonic()
                tell(json.dumps({"done": done, "total": total, "about": about}))
            yield result

    return watch


def _number(request: Request, name: str, usual: int, most: int) -> int:
    value = request.get(name)
    value = usual if value is None else value
    if type(value) is not int or not 1 <= value <= most:
        raise UsageError(f"{name} is {value!r}", expected=f"a number from 1 to {most}")
    return value


def verify(request: Request, tell: Tell) -> Answer:
    """Return a verdict with its counterexamples drawn."""
    from schemata.verification.answers import verify as verified

    schema, _ = _schema(request)
    seconds = _budget(request).seconds
    verdict = verified(
        schema,
        request.get("class_name") or None,
        same_as=request.get("other") or None,
        max_n=_number(request, "max_n", 4, 12),
        seconds=seconds,
        watch=_watching(tell),
    )
    found = verdict.to_json()
    keys = "class max_n sound complete each_once parses for_every_n stopped"
    return {
        **{key: found[key] for key in keys.split() if key in found},
        "text": text_of(verdict),
        "counterexamples": list(counterexamples(verdict)),
    }


def compare(request: Request, tell: Tell) -> Answer:
    """Return the figures of this schema and others for sentences of growing length, or for the sentence."""
    from schemata.analysis.compare import Comparison, labels_of, measurements, sentence_of_length
    from schemata.workbench import schema_of

    schema, _ = _schema(request)
    others = request.get("others") or []
    names = isinstance(others, list) and all(isinstance(one, str) for one in others)
    if not names or len(others) > REFUSALS.page_compared:
        raise UsageError(f"the other schemata are not a list of at most {REFUSALS.page_compared} names")
    schemata = [schema, *(schema_of(name) for name in others)]
    for one in schemata:
        one.engine = "python"
    most = _number(request, "max_n", 8, 60)
    written = _given_grammar(schema, request.get("grammar"))
    common_grammars(schemata, written)
    budget = _budget(request)
    rows: list[Any] = []
    labels = labels_of(schemata)
    for n in range(1, most + 1):
        if time.monotonic() > budget.end:
            break
        tell(json.dumps({"done": n, "total": most, "about": f"{n} words"}))
        rows += measurements(
            schemata, [sentence_of_length(n)], written, budget, forest=n <= EFFORTS.page_counted_words
        )
    found = Comparison.of(schemata, rows, False, ())
    keys = "n items useful_items steps derivations seconds stopped"
    figures = [row.to_json() for row in found.rows]
    listed = [
        {"label": row.label, **{key: one.get(key) for key in keys.split()}}
        for row, one in zip(found.rows, figures, strict=True)
    ]
    growth = [
        {"label": one.label, "quantity": one.quantity, "exponent": one.exponent, "points": one.points}
        for one in found.growth
    ]
    return {
        "labels": list(labels),
        "rows": listed,
        "growth": growth,
        "stopped": time.monotonic() > budget.end,
    }


def relate(request: Request, tell: Tell) -> Answer:
    """Return how the schema and another are related, in both directions."""
    from schemata.relations.discovery import relate as related
    from schemata.workbench import schema_of

    schema, _ = _schema(request)
    other = schema_of(request.get("other") or "")
    kind, most = request.get("kind") or None, _number(request, "max_n", 3, 6)
    limits = _budget(request)
    first, second = (other, schema) if request.get("reverse") else (schema, other)
    maps = [one for one in [str(request.get("map") or "").strip()] if one]
    found = related(first, second, kind, maps=maps, max_n=most, budget=limits, watch=_watching(tell))
    said = text_of(found) if found else f"no relation of {first.name} to {second.name} is found"
    return {"from": first.name, "to": second.name, "answers": [one.to_json() for one in found], "text": said}


def recheck(request: Request, tell: Tell) -> Answer:
    """Return whether a certificate proves its claims about the schema, for every number of words; with the solver.

    `text` is the certificate; without it, the certificate that is shipped for a schema of this name is checked.
    """
    from schemata.correctness import answers as proofs
    from schemata.correctness.recheck import certificate_of
    from schemata.correctness.shipped import CLAIMS, CLASS, shipped_certificate

    schema, _ = _schema(request)
    text, file = request.get("text"), "certificate"
    if not text:
        path = shipped_certificate(schema.name)
        if path is None:
            message = f"no certificate is shipped for {schema.name}"
            raise UsageError(message, hint="`schemata verify NAME --certificate FILE` writes one")
        text, file = path.read_text(encoding="utf-8"), path.name
    certificate = certificate_of(text, file)
    refused = proofs.recheck(schema, certificate, budget=_budget(request))
    claims = [claim for claim in CLAIMS if getattr(certificate, claim)]
    return {"accepted": not refused, "refused": refused or None, "claims": claims, "class": CLASS}


def cost(request: Request, tell: Tell) -> Answer:
    """Return the costs of the schema: time, space, the bottleneck; formulas where they can be found."""
    from schemata.analysis.complexity import complexity

    schema, _ = _schema(request)
    found = complexity(schema, formulas=bool(request.get("formulas", True)), budget=_budget(request))
    return {"cost": found.to_json(), "text": text_of(found)}


def weights(request: Request, tell: Tell) -> Answer:
    """Return the sum, the best trees and the probabilities of links under scores."""
    from schemata.engine.weighing import require_complete
    from schemata.playground.weighing import folded

    chart, *_ = _chart(request)
    require_complete(chart)
    scores = request.get("scores")
    if not isinstance(scores, list):
        raise UsageError("the scores are not a table")
    table = [[-math.inf if x is None else x for x in row] if isinstance(row, list) else [] for row in scores]
    found = folded(chart, table)
    trees = chart.forest().trees(limit=EFFORTS.page_ranked + 1) if found.best is not None else ()
    is_listed = len(trees) <= EFFORTS.page_ranked
    ranked = [(math.fsum(table[h][d] for d, h in tree.links), tree) for tree in trees] if is_listed else []
    ranked.sort(key=lambda one: -one[0])
    best = [
        {"weight": weight, "heads": list(tree.heads), "svg": structure_svgs(chart.sentence, [tree])[0]}
        for weight, tree in ranked[:5]
        if weight > -math.inf
    ]
    return {
        "total": None if found.total == -math.inf else found.total,
        "weight": None if found.best is None else found.weight,
        "derivation": None if found.best is None else derivation_svg(found.best),
        "best": best,
        "ranked": is_listed,
        "marginals": None if found.marginals is None else [[list(link), p] for link, p in found.marginals],
        "words": list(chart.sentence.words),
    }


# Exercises and examples ------------------------------------------------------------------------------------


def exercise(request: Request, tell: Tell) -> Answer:
    """Return the task of an exercise, with its schema and its items drawn."""
    from schemata.playground.tasks import task

    return task(request)


def grade(request: Request, tell: Tell) -> Answer:
    """Return the grade of an answer to an exercise, with the counterexample drawn."""
    from schemata.playground.tasks import graded

    return graded(request, _budget(request).seconds)


def examples(request: Request, tell: Tell) -> Answer:
    """Return whether each example, a sentence with an expected answer, comes out as expected."""
    rows = request.get("examples") or []
    if not isinstance(rows, list) or len(rows) > REFUSALS.page_examples:
        raise UsageError(f"the examples are not a list of at most {REFUSALS.page_examples}")
    return {"examples": [_example(request, row) for row in rows]}


def _example(request: Request, row: Any) -> Answer:
    """Return whether a sentence is accepted or not, has a tree, or so many trees, as is expected.

    `expected` is "accepted", "not accepted", a number of structures, or the heads of a tree: "2,3,0".
    """
    if not isinstance(row, dict):
        raise UsageError("an example is not an object")
    expected = str(row.get("expected") or "accepted").strip()
    text, own = row.get("sentence"), row.get("grammar")
    asked = {**request, "sentence": text, "grammar": request.get("grammar") if own is None else own}
    try:
        chart, _, stopped = _chart(_checked(asked))
        if stopped:
            return {"holds": None, "said": f"the limit of {stopped} was hit"}
        state = "accepted" if chart.accepted else "not accepted"
        if expected in ("accepted", "not accepted"):
            return {"holds": expected == state, "said": state}
        if re.fullmatch(r"\d+", expected):
            count = run_result(chart, limit=0, tree_budget=200_000).count
            exact = 0 if not chart.accepted else None if count is None else count.exact
            said = (
                "the number is not known"
                if exact is None
                else f"{exact:,} structures"
                if exact != 1
                else "1 structure"
            )
            return {"holds": None if exact is None else exact == int(expected), "said": said}
        heads = (
            tuple(int(x) for x in re.split(r"[,\s]+", expected))
            if re.fullmatch(r"[\d,\s]+", expected)
            else ()
        )
        if len(heads) != chart.n:
            raise UsageError(
                f"{expected!r} is not expected of a sentence", expected="heads of each word, such as 2,3,0"
            )
        trees = chart.forest().trees(limit=EFFORTS.page_searched) if chart.accepted else ()
        has = any(getattr(tree, "heads", None) == heads for tree in trees)
        is_known = has or len(trees) < EFFORTS.page_searched
        said = "has this tree" if has else "has not this tree" if is_known else "too many trees to tell"
        return {"holds": has if is_known else None, "said": said}
    except SchemataError as error:
        return {"holds": False, "said": error.diagnostics[0].message}


QUESTIONS: Mapping[str, Callable[[Request, Tell], Answer]] = {
    function.__name__: function
    for function in (
        check, check_grammar, prepare, complete, hover, run, picture, structures, item, final, cell, derivation, step,
        verify, compare, relate, cost, weights, exercise, grade, examples, recheck,
    )
}  # fmt: skip
"""The questions of the page, by name."""
