"""Lenses: short lines above declarations that report the costs, the counts and the parses of a schema.

They take seconds, so that a server has another process work them out: `python -m schemata.editing.lenses` reads
``{"text": ..., "path": ..., "task": "lenses"}`` from standard input, and prints findings about runs and lenses as JSON,
a line for each as soon as it is known; for the task `repair` one line, the name and the text of another schema.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from schemata.editing.analysis import Analysis, analysed
from schemata.editing.document import Document
from schemata.editing.findings import run_diagnostics
from schemata.errors import SchemataError
from schemata.kinds import D_RULES
from schemata.records import Record
from schemata.thresholds import EFFORTS
from schemata.workbench import ParsingSchema


class Lens(Record):
    """A line above a line of a text (from 0); `more` is the text shown when it is chosen."""

    line: int
    title: str
    more: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the lens as an object."""
        return {"line": self.line, "title": self.title, "more": self.more}


def lenses(text: str, path: str | Path = "schema") -> Iterator[Lens]:
    """Yield the lenses of a schema as they are computed; none for a text with errors.

    First the degrees of the schema and of each step, then items and steps of eight words, the class of trees to five
    words, what a shipped certificate proves for every number of words, and whether each is derived once; last the
    shipped schemata that it refines. An answer that takes too long is left out.
    """
    known = analysed(Document(text, Path(path)))
    if known.schema is None or not known.index.blocks:
        return
    schema = ParsingSchema(known.schema)
    yield from _degrees(known, schema)
    if known.schema.grammar != D_RULES or known.schema.inputs:
        return
    for answer in (_counts, _class, _refined):
        try:
            yield from answer(known.index.blocks[0].first - 1, schema)
        except SchemataError:
            continue


def _degrees(known: Analysis, schema: ParsingSchema) -> Iterator[Lens]:
    from schemata.analysis.complexity import complexity

    try:
        found = complexity(schema, formulas=False, family=False)
    except SchemataError:
        return
    row = known.index.blocks[0].first - 1
    if found.time is None or found.space is None:
        yield Lens(row, "exponential time")
        return
    yield Lens(row, f"time {found.time.cost}, space {found.space.cost}", str(found))
    costs = {part.name: part for part in found.steps}
    for block in known.index.blocks:
        part = costs.get(block.name) if block.keyword.endswith("step") else None
        if part is not None:
            yield Lens(block.first - 1, str(part.cost))


def _counts(row: int, schema: ParsingSchema) -> Iterator[Lens]:
    from schemata.budget import Budget
    from schemata.grammars import DRules

    sentence = [f"w{k}" for k in range(1, EFFORTS.lens_words + 1)]
    chart = schema.run(sentence, DRules.all(), budget=Budget(seconds=EFFORTS.lens_seconds))
    yield Lens(row, f"{len(chart.items):,} items, {chart.step_count:,} steps at n = {EFFORTS.lens_words}")


def _class(row: int, schema: ParsingSchema) -> Iterator[Lens]:
    from schemata.verification.answers import verify

    found = verify(schema, None, EFFORTS.lens_verified, seconds=EFFORTS.lens_seconds)
    answer = found.to_json()
    classes = answer.get("parses") or []
    if classes and answer["max_n"] == EFFORTS.lens_verified:
        yield Lens(row, f"{', '.join(classes)} to {EFFORTS.lens_verified} words", str(found))
    proof = found.for_every_n
    said = [] if proof is None else [claim for claim, yes in proof.answers.items() if yes]
    if said:
        claims = ", ".join(claim.replace("_", " ") for claim in said)
        yield Lens(row, f"{claims} for every n ({proof.class_name})", str(found))
    if answer.get("each_once") is not None:
        yield Lens(row, f"each once: {'yes' if answer['each_once'] else 'no'}", str(found))


def _refined(row: int, schema: ParsingSchema) -> Iterator[Lens]:
    """Yield the shipped schemata of which this is a step refinement by maps that are shipped or simple to guess."""
    from schemata.budget import Budget, OverBudget, within
    from schemata.language.library import shipped_relations
    from schemata.language.shipped import shipped_schemata
    from schemata.relations.discovery import relate_kind
    from schemata.relations.systems import DEFAULT_BUDGET, SharedSystems
    from schemata.workbench import load

    own, end = schema.definition, time.monotonic() + EFFORTS.lens_seconds
    limits = DEFAULT_BUDGET.unless(Budget(seconds=EFFORTS.lens_seconds, end=end))
    systems = SharedSystems(limits)
    claimed = shipped_relations()
    others = [load(name).definition for name in shipped_schemata() if name != own.name]
    alike = (
        other
        for other in others
        if (other.grammar, other.structure) == (own.grammar, own.structure) and other != own
    )
    # Those that a shipped file relates to it come first, then those with few rules.
    for other in sorted(alike, key=lambda x: (f"{x.name}-{own.name}" not in claimed, len(x.cases))):
        try:
            ask = partial(
                relate_kind, other, own, "step-refinement", max_n=EFFORTS.lens_verified, systems=systems
            )
            found = within(limits, time.perf_counter(), ask)
        except OverBudget:
            return
        except SchemataError:
            continue
        if found.holds:
            far = "for every n" if found.every_n else f"to {EFFORTS.lens_verified} words"
            yield Lens(row, f"refines {other.name} {far}", str(found))


def repaired(text: str, path: str | Path = "schema") -> dict[str, str] | None:
    """Return the name and the text of a schema that derives each tree once; None if none is found."""
    from schemata.relations.repair import repair
    from schemata.structures.classes import tree_class
    from schemata.verification.answers import verify

    known = analysed(Document(text, Path(path)))
    if known.schema is None:
        return None
    schema = ParsingSchema(known.schema)
    classes = (
        verify(schema, None, EFFORTS.lens_verified, seconds=EFFORTS.lens_seconds).to_json().get("parses")
        or []
    )
    if not classes:
        return None
    found = repair(schema, tree_class(classes[0]), seconds=3 * EFFORTS.lens_seconds)
    return None if found.found is None else {"name": found.found.name, "text": found.found.text}


def main() -> None:
    """Answer one question from standard input."""
    asked = json.load(sys.stdin)
    if asked["task"] == "repair":
        print(json.dumps(repaired(asked["text"], asked["path"])))
        return
    for finding in run_diagnostics(asked["text"], asked["path"]):
        print(json.dumps({"finding": finding.to_json()}), flush=True)
    for lens in lenses(asked["text"], asked["path"]):
        print(json.dumps({"lens": lens.to_json()}), flush=True)


if __name__ == "__main__":
    main()
