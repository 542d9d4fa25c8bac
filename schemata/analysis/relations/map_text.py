"""The maps of a relation back as text."""

from __future__ import annotations

from schemata.language.relation_model import ItemMap, Relation
from schemata.language.typeset import condition_text, pattern_text

__all__ = ["map_text"]


def map_text(relation: Relation, item_map: ItemMap) -> str:
    """Return a map as a relation file writes it, the first schema's item on the left.

    >>> from schemata.language.relations import load_relation
    >>> claim, = load_relation("eisner-satta1999-eisner1996").relations
    >>> map_text(claim, claim.maps[0])
    'tree[i, j, i] to span[i, j, false, true] where i < j'
    """
    first, second = item_map.source, item_map.target
    if item_map.reversed:
        first, second = second, first
    left = pattern_text(relation.first, first, ascii=True)
    right = pattern_text(relation.second, second, ascii=True)
    shown = f"{left} {'from' if item_map.reversed else 'to'} {right}"
    if item_map.conditions:
        conditions = (condition_text(c, ascii=True) for c in item_map.conditions)
        shown += f" where {', '.join(conditions)}"
    return shown
