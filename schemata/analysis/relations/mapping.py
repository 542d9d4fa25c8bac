"""Carries items along the maps of a relation, and finds the items that are carried to a given one.

Patterns match modulo normal forms, as in steps: an item is carried if one of its writings matches. Items are
given and returned in normal form. Whether what comes out is an item of the schema it is carried to (whether
it fulfils the form's conditions) is not looked at: that is a question about the relation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from schemata.analysis.writings import fulfils, normal_form, writings
from schemata.language import model as m
from schemata.language.relation_model import ItemMap, Relation
from schemata.program.evaluation import evaluate, truth
from schemata.program.matching import Match, solve

__all__ = ["Item", "carried_from", "carried_to", "image", "images", "preimages"]

Item: TypeAlias = tuple[str, tuple[m.Value, ...]]


def carried_from(relation: Relation) -> m.Schema:
    """Return the schema whose items the maps carry over."""
    return relation.second if relation.reversed else relation.first


def carried_to(relation: Relation) -> m.Schema:
    """Return the schema the maps lead to."""
    return relation.first if relation.reversed else relation.second


def image(relation: Relation, item: Item, n: int) -> Item | None:
    """Return what an item is carried to, or None where no map carries it.

    Parameters
    ----------
    relation : whose maps are applied.
    item : form and values in normal form, of `carried_from(relation)`.
    n : the length of the sentence.

    Raises
    ------
    ValueError : the maps carry it to several items; `images` has them all.
    """
    found = images(relation, item, n)
    if len(found) > 1:
        raise ValueError(f"the maps carry one item to {len(found)}: they are no mapping")
    return found[0] if found else None


def images(relation: Relation, item: Item, n: int, maps: Sequence[ItemMap] | None = None) -> tuple[Item, ...]:
    """Return all that the maps carry an item to, in the order of the maps; more than one is a mistake.

    Parameters
    ----------
    relation : between whose schemata items are carried.
    item : form and values in normal form, of `carried_from(relation)`.
    n : the length of the sentence.
    maps : those of the relation's maps that are applied; all where None.

    >>> from schemata.language.library import load_schema
    >>> from schemata.language.relations import read_maps
    >>> first, second = load_schema("eisner-satta1999"), load_schema("eisner1996")
    >>> relation = read_maps(["tree[i, j, i] to span[i, j, false, true] where i < j"], first, second)
    >>> images(relation, ("tree", (1, 3, 1)), n=4)
    (('span', (1, 3, False, True)),)
    >>> images(relation, ("tree", (1, 3, 3)), n=4)
    ()
    """
    form = carried_from(relation).form(item[0])
    target = carried_to(relation)
    found: dict[Item, None] = {}
    for values in writings(form, item[1], n):
        for item_map in relation.maps if maps is None else maps:
            if item_map.source.form == form.name:
                found.update(dict.fromkeys(_applied(item_map, form, target, values, n)))
    return tuple(found)


def _applied(
    item_map: ItemMap, form: m.Form, schema: m.Schema, values: tuple[m.Value, ...], n: int
) -> Iterator[Item]:
    """Yield what one map makes of one writing."""
    target = schema.form(item_map.target.form)
    for binding in _bindings(item_map, form, item_map.source, values, n):
        try:
            made = tuple(evaluate(term, binding) for term in item_map.target.terms)
            holds = all(truth(c, binding) for c in _terms(item_map.conditions))
        except LookupError:
            continue  # arithmetic with an absent value has no result
        if holds:
            yield target.name, normal_form(target, made, n)


def _bindings(
    item_map: ItemMap, form: m.Form, pattern: m.Pattern, values: tuple[m.Value, ...], n: int
) -> Iterator[dict[str, m.Value]]:
    """Yield the bindings under which values match a pattern, the conditions taken into account."""
    goals = [Match(v, t, f.type) for v, t, f in zip(values, pattern.terms, form.fields, strict=True)]
    for solution in solve([*goals, *item_map.conditions], {"n": n}, item_map.types):
        yield solution.binding


def _terms(conditions: tuple[m.Condition, ...]) -> Iterator[m.Term]:
    for condition in conditions:
        if not isinstance(condition, m.GRAMMAR_CONDITIONS):
            yield condition


def preimages(relation: Relation, item: Item, n: int) -> tuple[Item, ...] | None:
    """Return the items that are carried to a given one, or None where the maps do not determine them.

    They do not where an item loses something on its way: a field, a part of a list, an order of values.

    Parameters
    ----------
    relation : whose maps are applied backwards.
    item : form and values in normal form, of `carried_to(relation)`.
    n : the length of the sentence.
    """
    target = carried_to(relation).form(item[0])
    source_schema = carried_from(relation)
    found: dict[Item, None] = {}
    for values in writings(target, item[1], n):
        for item_map in relation.maps:
            if item_map.target.form != target.name:
                continue
            form = source_schema.form(item_map.source.form)
            for binding in _bindings(item_map, target, item_map.target, values, n):
                try:
                    made = tuple(evaluate(term, binding) for term in item_map.source.terms)
                except LookupError:
                    return None
                candidate = (form.name, normal_form(form, made, n))
                if fulfils(form, candidate[1], n) and item in images(relation, candidate, n):
                    found[candidate] = None
    return tuple(found)
