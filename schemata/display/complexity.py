"""The cost of a schema as text: degrees, the bottleneck, a table of steps and item forms with their formulas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemata.analysis.complexity import SPARE, Complexity, Part
from schemata.display.terminal import Page, table, wrapped

if TYPE_CHECKING:
    from schemata.relations.improve import Improvement


def complexity_text(found: Complexity, page: Page) -> str:
    """Return the cost of a schema as a person reads it."""
    lines = [_head(found)]
    if found.time is not None:
        how = f": {found.time.how}" if found.time.how else ""
        lines += ["", *wrapped(f"The bottleneck is {found.time.name}{how}.", page.width)]
    if found.exponential is None:
        lines += ["", _table("step", "time", "instances", found.steps, found.step_instances, page)]
        lines += ["", _table("item form", "space", "items", found.forms, found.items, page)]
    if found.why_not is not None:
        lines += ["", *wrapped(f"No formulas: {found.why_not}.", page.width)]
    elif found.items is not None:
        said = f"Instances and items are those under a grammar that licenses every link, for n >= {found.holds_from}."
        if found.proved:
            said += (
                " Proved: what the steps derive are the integer points of regions of positions, for every n."
            )
        else:
            said += (
                f" Determined from counts for n = 1 to {found.checked[-1]}, {SPARE} lengths more than needed,"
            )
            said += f" not proved: {found.unproved}."
        lines += ["", *wrapped(said, page.width)]
    return "\n".join(lines)


def improvement_text(found: Improvement, page: Page) -> str:
    """Return a schema of a lower degree as text: its file, with what is known of it as comments."""
    before, v = found.before, found.verdict
    known = [f"{_head(found.after)}; {before.schema} has O({before.time and before.time.cost}) time"]
    if v is not None:
        words = {True: "", False: "not "}
        says = [f"{words[x]}{y}" for x, y in ((v.sound, "sound"), (v.complete, "complete")) if x is not None]
        trees = f"{v.class_name} trees of up to {v.max_n} words"
        known.append(f"{' and '.join(says)} for {trees}, as {before.schema} is")
    if found.relation is None:
        known.append("items between two ends around a head are two items, one for each end: no refinement")
    else:
        extent = "for every n" if found.relation.every_n else f"up to {found.relation.extent.max_n} words"
        known.append(f"{found.before.schema} is refined by it: a step refinement, {extent}")
    return "\n".join([*(f"# {line}" for line in known), "", found.text.rstrip()])


def _head(found: Complexity) -> str:
    if found.exponential is not None:
        return f"{found.schema}: exponential, since no number bounds the lists of {found.exponential}"
    time = "" if found.time is None else f"O({found.time.cost}) time"
    space = "" if found.space is None else f", O({found.space.cost}) space"
    family = "" if found.family is None else f"; time {found.family} in its parameter"
    return f"{found.schema}: {time}{space}{family}"


def _table(name: str, cost: str, count: str, parts: tuple[Part, ...], total: str | None, page: Page) -> str:
    rows = [[part.name, str(part.cost), part.formula or ""] for part in parts]
    if total is None:
        return table([name, cost], [row[:2] for row in rows], page)
    if len(rows) > 1:
        rows.append(["all", "", total])
    return table([name, cost, count], rows, page)
