"""The difference of two charts as text: how many items each form has on either side, and which."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemata.display.columns import printable, text_width
from schemata.display.tables import Column, Style, aligned_table, fits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schemata.analysis.compare import ChartDifference
    from schemata.charts.items import Item

__all__ = ["difference_text"]


def difference_text(
    difference: ChartDifference, *, limit: int = 20, width: int = 80, ascii: bool = False
) -> str:
    """Return a difference as text.

    Parameters
    ----------
    difference : the difference.
    limit : how many items of each side of each form are listed.
    width : the columns there are.
    ascii : draw the table's rule with ASCII characters.
    """
    a, b = difference.a, difference.b
    parts: list[str] = []
    if difference.forms:
        columns = [
            Column("form", [form.form for form in difference.forms]),
            Column("both", [f"{len(form.both):,}" for form in difference.forms], right=True),
            Column(f"{a} only", [f"{len(form.only_a):,}" for form in difference.forms], right=True),
            Column(f"{b} only", [f"{len(form.only_b):,}" for form in difference.forms], right=True),
        ]
        if fits(columns, width):
            parts.append(aligned_table(columns, Style(ascii)))
        else:
            for form in difference.forms:
                counts = (("both", form.both), (f"{a} only", form.only_a), (f"{b} only", form.only_b))
                parts.append("\n  ".join([form.form, *(f"{name}: {len(items):,}" for name, items in counts)]))
    for name, forms in ((a, difference.forms_only_a), (b, difference.forms_only_b)):
        if forms:
            parts.append(f"forms of {name} only: {', '.join(forms)}")
    for form in difference.forms:
        for name, items in ((a, form.only_a), (b, form.only_b)):
            if items:
                parts.append(f"{form.form} of {name} only:\n{_listed(items, limit, width)}")
    if difference.same:
        parts.append(f"{a} and {b} derive the same items")
    elif not difference.forms:
        parts.append(f"{a} and {b} have no item form in common")
    return "\n\n".join(parts)


def _listed(items: Sequence[Item], limit: int, width: int) -> str:
    """Return items in lines as full as the width allows."""
    lines = [""]
    for item in items[:limit]:
        text = printable(str(item))
        joined = f"{lines[-1]}   {text}" if lines[-1] else f"  {text}"
        if lines[-1] and text_width(joined) > width:
            lines.append(f"  {text}")
        else:
            lines[-1] = joined
    if len(items) > limit:
        lines.append(f"  and {len(items) - limit:,} more")
    return "\n".join(line for line in lines if line)
