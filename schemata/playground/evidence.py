"""What answers of the page show as pictures: charts, the counterexamples of verdicts, what a grade rests on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from schemata.display.chart_layout import VIEWS, chart_picture
from schemata.display.charts import chart_svg
from schemata.display.page import DerivationView, all_views, derivation_view
from schemata.display.structures import structure_svgs
from schemata.engine.chart import Chart
from schemata.errors import UsageError
from schemata.exercises.model import evidence_text
from schemata.forest.derivations import Derivation
from schemata.structures import DependencyTree, Linkage, Sentence
from schemata.thresholds import EFFORTS

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
    """Yield the counterexamples of a verdict: what each shows, its tree as a picture, its derivations."""
    for said, found in (
        ("A structure that is missed", verdict.incomplete),
        ("A structure that should not be derived", verdict.unsound),
        ("A structure that is derived several times", verdict.ambiguous),
    ):
        if found is None:
            continue
        heads = getattr(getattr(found, "structure", None), "heads", None)
        structure: Any = DependencyTree(tuple(heads)) if heads else getattr(found, "structure", None)
        is_drawn = isinstance(structure, DependencyTree | Linkage)
        linkage = isinstance(structure, Linkage)
        words = structure.words if isinstance(structure, Linkage) else ()
        views: list[DerivationView] = [
            derivation_view(one, words=words, linkage=linkage)
            for one in getattr(found, "derivations", ())
            if one is not None
        ]
        tried = isinstance(structure, DependencyTree)
        yield {
            "said": said,
            "svg": structure_svgs(None, [structure])[0] if is_drawn else None,
            "heads": list(structure.heads) if isinstance(structure, DependencyTree) else None,
            "sentence": " ".join(f"w{k}" for k in range(1, len(heads) + 1)) if tried and heads else None,
            "derivations": [view.to_json() for view in views],
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
