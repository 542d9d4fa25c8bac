"""Items and steps of two related schemata side by side, and what one of them saves."""

from __future__ import annotations

from collections.abc import Sequence

from schemata.analysis.relations.savings import FormSaving, Saving
from schemata.display.numbers import number_text
from schemata.display.tables import Column, Style, aligned_table

__all__ = ["savings_text"]


def savings_text(found: Sequence[Saving], first: str, second: str, style: Style) -> str:
    """Return the totals by length as a table, and one of the forms where there are several.

    Parameters
    ----------
    found : the figures, one sentence each.
    first, second : what the two schemata are called.
    style : how tables are drawn.
    """
    saver, other = (1, 2) if found[0].saver == "first" else (2, 1)
    title = [
        f"1: {first}",
        f"2: {second}",
        f"saved: what {saver} does without of the items and steps of {other}",
    ]
    totals = [
        Column("n", [str(one.n) for one in found], right=True),
        *_pair("items", [(one.first.items, one.second.items) for one in found]),
        Column("saved", [_share(one.items_saved) for one in found], right=True),
        *_pair("steps", [(one.first.steps, one.second.steps) for one in found]),
        Column("saved", [_share(one.steps_saved) for one in found], right=True),
    ]
    rows = [(one, form) for one in found for form in one.forms]
    if len(rows) == len(found):
        matched = Column("corresponding items", [_corresponding(form) for _, form in rows], right=True)
        return "\n\n".join(("\n".join(title), aligned_table([*totals, matched], style)))
    forms = [
        Column("n", [str(one.n) for one, _ in rows], right=True),
        Column("form of 1", [_names(form.first_forms) for _, form in rows]),
        Column("form of 2", [_names(form.second_forms) for _, form in rows]),
        *_pair("items", [(form.first.items, form.second.items) for _, form in rows]),
        *_pair("steps", [(form.first.steps, form.second.steps) for _, form in rows]),
        Column("corresponding items", [_corresponding(form) for _, form in rows], right=True),
    ]
    return "\n\n".join(("\n".join(title), aligned_table(totals, style), aligned_table(forms, style)))


def _pair(what: str, figures: Sequence[tuple[int, int]]) -> list[Column]:
    return [
        Column(f"{what} {side + 1}", [number_text(pair[side]) for pair in figures], right=True)
        for side in (0, 1)
    ]


def _names(forms: Sequence[str]) -> str:
    return ", ".join(forms) or "-"


def _corresponding(form: FormSaving) -> str:
    """Return how many items correspond; of many carried to fewer, both numbers."""
    if not form.first_forms or not form.second_forms:
        return "-"
    fewer = f" to {number_text(form.reached)}" if form.reached != form.shared else ""
    return number_text(form.shared) + fewer


def _share(share: float | None) -> str:
    """Return a share in percent.

    >>> _share(0.4), _share(-0.5), _share(None)
    ('40.0%', '-50.0%', '-')
    """
    return "-" if share is None else f"{100 * share:.1f}%"
