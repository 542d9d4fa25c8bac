"""Relations from relations: a claim read the other way round, and the parts that a claimed chain consists of."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from schemata.errors import SchemataError
from schemata.language import model as m
from schemata.language.library import shipped_relations
from schemata.language.relation_model import CHAINS, ChainKind, Kind, Relation, StepKind
from schemata.language.relations import load_relation, read_maps

__all__ = ["chain_parts", "inverse"]

_INVERSES: Mapping[Kind | None, StepKind] = {
    "step-refinement": "step-contraction",
    "step-contraction": "step-refinement",
    "item-refinement": "item-contraction",
    "item-contraction": "item-refinement",
}


def inverse(relation: Relation) -> Relation | None:
    """Return the same claim read from the second schema to the first; None for kinds without an inverse.

    >>> claim, = load_relation("eisner-satta1999-eisner1996").relations
    >>> inverse(claim).kind
    'step-contraction'
    """
    if relation.kind not in _INVERSES:
        return None
    maps = tuple(replace(x, reversed=not x.reversed) for x in relation.maps)
    return replace(
        relation, first=relation.second, second=relation.first, kind=_INVERSES[relation.kind], maps=maps
    )


def chain_parts(relation: Relation) -> tuple[tuple[Relation, ...], ...]:
    """Return what would make a claimed chain hold: for each of its parts, the relations that could be it.

    A part holds if one of its relations does. They are those of the shipped files, or with items carried
    over unchanged, of the kinds a chain may consist of; those from files come first.
    """
    if relation.kind not in CHAINS:
        return ((relation,),)
    chain: ChainKind = relation.kind  # type: ignore[assignment]
    stations = (relation.first, *relation.through, relation.second)
    return tuple(tuple(_parts(a, b, CHAINS[chain], relation.requires)) for a, b in pairwise(stations))


def _parts(
    first: m.Schema, second: m.Schema, kinds: Sequence[StepKind], requires: tuple[str, ...]
) -> Iterator[Relation]:
    found: set[Kind | None] = set()
    for claim in _shipped_claims():
        for one in (claim, inverse(claim)):
            if one is not None and one.kind in kinds and (one.first, one.second) == (first, second):
                found.add(one.kind)
                yield one
    for kind in kinds:
        if kind not in found:
            try:
                yield read_maps((), first, second, kind)
            except SchemataError:
                continue  # items of some form would correspond to nothing


@functools.cache
def _shipped_claims() -> tuple[Relation, ...]:
    """Return the claims of all shipped relation files that are no chains."""
    claims = (claim for name in shipped_relations() for claim in load_relation(name).relations)
    return tuple(claim for claim in claims if claim.kind not in CHAINS)
