"""Stepping through a run as text: where it is, what is built so far, what may be taken next."""

from __future__ import annotations

from typing import Any

from schemata.analysis.explain import explain
from schemata.analysis.stepping import Stepping
from schemata.display.arc_layout import links_picture, links_text
from schemata.display.arcs import arcs_text
from schemata.display.explanations import explain_text
from schemata.display.terminal import Page, table


def stepping_text(stepping: Stepping, page: Page, most: int | None = None) -> str:
    """Return what `schemata step` shows: the item taken last, what it has built, and the first offers, numbered."""
    chart, built = stepping.explored.chart, stepping.built()
    words = chart.sentence.words
    where = "nothing is taken"
    if stepping.past:
        final = ", a final item" * stepping.explored.is_final(stepping.past[-1])
        where = f"{len(stepping.past)} taken, the last one {stepping.current}{final}"
    links: list[Any] = [one for one in built if isinstance(one[0], int)]
    parts = [where]
    if chart.schema.builds_links:
        parts.append(arcs_text(links_picture(words, links, rtl=page.rtl), page))
    elif stepping.current is not None:
        parts.append(explain_text(explain(stepping.explored.chart_of(stepping.past), stepping.current), page))
    offers = stepping.offers()
    headers = ["", "step", "item", "builds"]
    headers += ["oracle"] if stepping.gold else []
    headers += ["loses"] if any(offer.loss is not None for offer in offers) else []
    rows = []
    for number, offer in enumerate(offers[:most], start=1):
        item = f"{offer.item}{' (final)' if offer.final else ''}"
        loss = "?" if offer.loss is None else str(offer.loss)
        row = [str(number), offer.step, item, links_text(offer.links), "*" if offer.advised else "", loss]
        rows.append(row[: len(headers)])
    parts.append(table(headers, rows, page) if rows else "nothing is left to take")
    if len(rows) < len(offers):
        parts.append(f"{len(offers) - len(rows):,} more: a shows all")
    return "\n\n".join(parts)
