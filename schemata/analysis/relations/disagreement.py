"""Maps of a relation that carry one item to two: found on the items of short sentences, so that none is a guess."""

from __future__ import annotations

from collections.abc import Iterator

from schemata.analysis.relations.mapping import Item, carried_from, carried_to, images
from schemata.analysis.relations.spaces import items_allowed
from schemata.analysis.relations.universe import Universe, link_universe, rule_universe
from schemata.errors import Diagnostic
from schemata.language import model as m
from schemata.language.relation_model import ItemMap, Relation, RelationFile
from schemata.language.values import format_item

__all__ = ["disagreements"]

_LENGTHS = range(1, 4)
_ITEMS = 5_000  # of one sentence; the first ones tell


def disagreements(file: RelationFile) -> list[Diagnostic]:
    """Return an error for each map that carries an item elsewhere than another map before it does.

    Examples
    --------
    >>> from schemata.language.relations import read_relation_text
    >>> text = "relation eisner-satta1999 to eisner1996\\nkind step-refinement\\n"
    >>> text += "map tree[i, j, i] to span[i, j, false, true]\\nmap tree[i, j, j] to span[i, j, true, false]"
    >>> file, _ = read_relation_text(text)
    >>> [d.message for d in disagreements(file)]
    ['tree[0, 0, 0] is carried to span[0, 0, true, false] as well as to span[0, 0, false, true]']
    """
    found: dict[tuple[int, int], Diagnostic] = {}
    for relation in file.relations:
        for item_map, diagnostic in _of(relation):
            found.setdefault((item_map.span.line, item_map.span.column), diagnostic)
    return list(found.values())


def _of(relation: Relation) -> Iterator[tuple[ItemMap, Diagnostic]]:
    source, target = carried_from(relation), carried_to(relation)
    if len([x for x in relation.maps if x.written]) == 0:
        return
    told: set[int] = set()
    for n in _LENGTHS:
        universe = _universe(source, n)
        if universe is None:
            return
        for item, _ in zip(items_allowed(source, universe), range(_ITEMS), strict=False):
            reached: dict[Item, int] = {}
            for k, item_map in enumerate(relation.maps):
                if item_map.source.form != item[0]:
                    continue
                for other in images(relation, item, n, (item_map,)):
                    if reached and other not in reached and k not in told:
                        told.add(k)
                        yield item_map, _report(item_map, source, target, (item, other, next(iter(reached))))
                    reached.setdefault(other, k)


def _report(
    item_map: ItemMap, source: m.Schema, target: m.Schema, items: tuple[Item, Item, Item]
) -> Diagnostic:
    item, one, other = items
    shown = format_item(source.form(item[0]), item[1])
    here, before = (format_item(target.form(x[0]), x[1]) for x in (one, other))
    return item_map.span.report(
        "ambiguous-map",
        f"{shown} is carried to {here} as well as to {before}",
        expected="one item for each item that is carried over",
        hint="tell the cases apart by conditions",
    )


def _universe(schema: m.Schema, n: int) -> Universe | None:
    """Return a small grammar of everything for a schema; None where there is none of its kind."""
    if schema.grammar == "d-rules":
        return link_universe(n)
    if schema.grammar in ("dependency-rules", "context-free"):
        return rule_universe(n, schema.grammar, 2, 1, 1)
    return None
