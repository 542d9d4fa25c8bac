"""Normal forms by what is covered: whether the form's `where` makes the region one stretch with gaps inside it."""

from __future__ import annotations

from typing import Literal

from schemata.errors import Diagnostic
from schemata.language import model as m
from schemata.language.contradictions import impossible
from schemata.language.source import Span

__all__ = ["find_open_region"]


def find_open_region(form: m.Form, cover: m.Cover, span: Span) -> Diagnostic | None:
    """Return what is wrong with a covering whose region is no stretch, or whose gaps may lie outside of it.

    Of such regions it is not the ends and the gaps that tell which words they cover.

    Parameters
    ----------
    form, cover : the item form, and what its items cover.
    span : where that is written.
    """
    low, high, gaps = (form.fields[k].name for k in (cover.low, cover.high, cover.gaps))
    first, last = m.Var(low), m.Var(high)
    where = list(form.where)

    def holds(relation: Literal["<=", "<"], left: m.Term, right: m.Term) -> bool:
        """Whether `where` implies `left <= right` or `left < right`."""
        opposite = m.Compare("<" if relation == "<=" else "<=", right, left)
        return impossible([*where, opposite])

    inside = any(
        holds("<", first, condition.outer.low) and holds("<", condition.outer.high, last)
        for condition in where
        if isinstance(condition, m.AllWithin) and condition.intervals == m.Var(gaps)
    )
    if holds("<=", first, last) and inside:
        return None
    return span.report(
        "open-region",
        f"the conditions of {form.name} do not keep {gaps} between {low} and {high}",
        expected=f"where {low} <= {high}, {gaps} in [{low} + 1..{high} - 1]",
        hint="else it is not these fields that tell which words an item covers",
    )
