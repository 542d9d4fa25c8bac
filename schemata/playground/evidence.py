"""The pictures of answers of the page: charts, the counterexamples of verdicts, the evidence of grades."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from schemata.display.chart_layout import VIEWS, chart_picture
from schemata.display.charts import chart_svg
from schemata.display.page import all_views, derivation_view
from schemata.display.structures import structure_svgs
from schemata.display.verdicts import applied_lines, case_lines, derivations_of, structure_of, structure_svg
from schemata.engine.chart import Chart
from schemata.errors import UsageError
from schemata.exercises.model import evidence_text
from schemata.forest.derivations import Derivation
from schemata.structures import DependencyTree, Linkage, Sentence
from schemata.thresholds import EFFORTS
from schemata.verification.verdicts import Unsound

CELL = 12
"""Items of a cell that are drawn."""

Answer: TypeAlias = dict[str, Any]


def pictured(chart: Chart, view: str | None) -> Answer:
    """Return the picture of a chart, or the reason why it has no picture."""
    if chart.raw.item_count > EFFORTS.page_drawn:
        return {"svg": None, "said": f"{chart.raw.item_count:,} items: too many to draw.", "views": []}
    try:
        picture = chart_picture(chart, view if view in VIEWS else None, most=CELL)
    except UsageError as error:
        return {"svg": None, "said": error.diagnostics[0].message, "views": []}
    return {"svg": chart_svg(picture), "said": None, "view": picture.view, "views": list(all_views(chart))}


def counterexamples(verdict: Any) -> Iterator[Answer]:
    """Yield the counterexamples of a verdict: the fault, the structure as a picture, its derivations or steps."""
    for said, found in (
        ("A structure that is missed", verdict.incomplete),
        ("A structure that should not be derived", verdict.unsound),
        ("A structure that is derived several times", verdict.ambiguous),
    ):
        if found is None:
            continue
        structure, sentence = structure_of(found) or (None, None)
        tree = structure if isinstance(structure, DependencyTree) else None
        linkage, is_wrong = isinstance(structure, Linkage), isinstance(found, Unsound)
        words = structure.words if isinstance(structure, Linkage) else ()
        views = [derivation_view(one, words=words, linkage=linkage) for one in derivations_of(found)]
        yield {
            "said": said,
            "fault": getattr(found, "fault", None),
            "case": case_lines(found.case) if is_wrong or tree is None else [],
            "svg": structure_svg(found),
            "heads": tree and list(tree.heads),
            "sentence": " ".join(sentence.words) if tree and sentence else None,
            "is_wrong": is_wrong,
            "derivations": [view.to_json() for view in views],
            "steps": applied_lines(found),
        }


def evidence(value: Any, sentence: Sentence | None) -> Answer:
    """Return a piece of a grade's evidence: as text, and as a picture where it is one."""
    found: Answer = {
        "text": evidence_text(value, sentence),
        "svg": None,
        "counterexamples": [],
        "derivation": None,
    }
    if isinstance(value, Chart):
        found["svg"] = pictured(value, None)["svg"]
    elif isinstance(value, DependencyTree):
        found["svg"] = structure_svgs(sentence, [value])[0]
    elif isinstance(value, Derivation):
        found["derivation"] = derivation_view(value).to_json()
    elif hasattr(value, "incomplete"):
        found["counterexamples"] = list(counterexamples(value))
    return found
