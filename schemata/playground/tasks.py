"""Exercises on the page: a task with its schema and items, drawn, and the grade of an answer with its
counterexample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from schemata.display.chart_layout import chart_picture
from schemata.display.charts import chart_svg
from schemata.display.page import derivation_view
from schemata.display.structures import structure_svgs
from schemata.errors import UsageError
from schemata.exercises.grading import begun, grade, two_derivations
from schemata.exercises.model import Exercise, rules_text
from schemata.exercises.reading import SUFFIX, exercise_from_text, read_exercise, shipped_exercises
from schemata.exercises.variants import variant_of
from schemata.playground.evidence import CELL, evidence
from schemata.structures import DependencyTree

_OF_SCHEMATA = ("mend", "write")
_MOST_SEEDS = 1_000_000


def task(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return an exercise as the page shows it.

    Parameters
    ----------
    request : `exercise`, the name; `text`, that of its file unless it is shipped; `variant`, a seed or nothing.

    Raises
    ------
    UsageError, SchemaError : there is no such exercise, it has mistakes, or no variants.
    """
    chosen = _exercise(request)
    found = chosen.to_json()
    found["of_schema"] = chosen.kind in _OF_SCHEMATA
    found["same_as"] = None
    if chosen.same_as is not None:
        found["same_as"] = "a hidden schema" if chosen.kind == "write" else chosen.same_as.name
    found["once"] = chosen.once
    found["broken"] = rules_text(chosen) if chosen.kind == "mend" else None
    found["svg"], found["shown"] = _picture(chosen), None
    if chosen.kind == "second-derivation":
        _, known = two_derivations(chosen)
        found["shown"] = derivation_view(known[0]).to_json()
    return found


def graded(request: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """Return the grade of an answer, `given`, with its evidence as pictures.

    Raises
    ------
    UsageError, SchemataError : as for `task`; the answer is not one to such a question.
    """
    chosen = _exercise(request)
    found = grade(chosen, request.get("given") or "", seconds, "answer.schema")
    return {
        "right": found.right,
        "message": found.message,
        "hint": found.hint or None,
        "stopped": found.stopped,
        "evidence": [evidence(one, found.sentence) for one in found.evidence],
    }


def _exercise(request: Mapping[str, Any]) -> Exercise:
    name, text, seed = request.get("exercise") or "", request.get("text"), request.get("variant")
    if text:
        chosen = exercise_from_text(text, f"{name}{SUFFIX}", name)
    elif name in shipped_exercises():
        chosen = read_exercise(name)
    else:
        raise UsageError(f"there is no exercise {name}", hint="choose one from the menu")
    if seed is None:
        return chosen
    if type(seed) is not int or not 0 <= seed < _MOST_SEEDS:
        raise UsageError("the variant is not a number", expected=f"0 to {_MOST_SEEDS - 1}")
    return variant_of(chosen, seed)


def _picture(exercise: Exercise) -> str | None:
    """Return the picture of the items taken before the next one, or of the tree derived twice."""
    if exercise.heads:
        return structure_svgs(exercise.sentence, [DependencyTree(exercise.heads)])[0]
    if exercise.kind != "next-item":
        return None
    try:
        picture = chart_picture(begun(exercise).chart, most=CELL)
    except UsageError:
        return None  # no picture of such a chart: the items are listed
    return chart_svg(picture) if picture.cells else None
