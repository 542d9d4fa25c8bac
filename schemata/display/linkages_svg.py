"""Linkages as SVG: labelled arcs above the words, and below them the disjuncts that were chosen."""

from __future__ import annotations

from collections.abc import Collection

from schemata.display.arcs_svg import draw_links_svg
from schemata.display.linkages import cost_text, disjunct_lines
from schemata.structures.linkages import Linkage

__all__ = ["draw_linkage_svg"]


def draw_linkage_svg(
    linkage: Linkage,
    *,
    title: str | None = None,
    disjuncts: bool = True,
    partners: Collection[int] = (),
) -> str:
    """Return a linkage drawn as labelled arcs, with the disjuncts in a list below, as an SVG document.

    Parameters
    ----------
    linkage : the linkage; none of the conditions on linkages need be met.
    title : what the picture is called; None: its words.
    disjuncts : list the disjuncts and the cost.
    partners : as for `schemata.display.linkages.draw_linkage`.
    """
    links = [(link.left + 1, link.right + 1, link.label) for link in linkage.links]
    notes = []
    if disjuncts:
        notes = [*disjunct_lines(linkage, partners=partners), f"cost {cost_text(linkage.cost)}"]
    return draw_links_svg(linkage.words, links, directed=False, title=title, notes=notes)
