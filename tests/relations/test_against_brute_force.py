"""Step refinements and filters between schemata over D-rules, decided twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

import schemata
from schemata.language.relation_model import StepKind
from schemata.language.relations import read_maps
from schemata.relations.decide import decide
from schemata.relations.systems import SharedSystems
from tests.oracle.d_rule_systems import d_rule_system
from tests.oracle.naive import Item
from tests.relations import brute

BENCH = SharedSystems()
FLAGS = (False, True)


def _places(n: int) -> range:
    return range(n + 2)


def _lists(n: int) -> list[tuple[int, ...]]:
    return [c for size in range(2, n + 3) for c in combinations(range(n + 2), size)]


def _gapped(n: int) -> dict[str, list[Any]]:
    ends = [None, *range(n + 2)]
    return {"tree": [_places(n), _places(n), _places(n), ends, ends]}


FORMS: dict[str, Callable[[int], dict[str, list[Any]]]] = {
    "collins1996": lambda n: {"tree": [_places(n)] * 3},
    "eisner1996": lambda n: {"span": [_places(n), _places(n), FLAGS, FLAGS]},
    "eisner-satta1999": lambda n: {"tree": [_places(n)] * 3},
    "generalised-eisner-satta": lambda n: {"tree": [_places(n)] * 3},
    "yamada-matsumoto2003": lambda n: {"span": [_places(n)] * 2},
    "hybrid": lambda n: {"span": [_places(n)] * 2},
    "arc-standard": lambda n: {"tree": [_places(n)] * 3},
    "arc-standard-hook": lambda n: {name: [_places(n)] * 3 for name in ("tree", "hookl", "hookr")},
    "arc-eager": lambda n: {"span": [_places(n), FLAGS, _places(n)]},
    "mh": lambda n: {"heads": [_lists(n)]},
    "attardi2006": lambda n: {"heads": [_lists(n)]},
    "wg1": _gapped,
    "mg1": _gapped,
}  # fmt: skip


def _fits_tabulated(n: int, item: Item) -> bool:
    """The item sets of the tabulated systems, which their copies in the oracle leave open."""
    form, (i, *middle, j) = item
    if form == "hookl":
        return 0 <= i < middle[0] <= j <= n
    if form == "hookr":
        return 0 <= i < middle[0] < j <= n + 1
    return i < j and (form != "tree" or i <= middle[0] < j)


TABULATED = ("hybrid", "arc-standard", "arc-standard-hook", "arc-eager")


def same(item: Item) -> Item | None:
    return item


def es_to_eisner(item: Item) -> Item | None:
    i, j, h = item[1]
    return ("span", (i, j, h != i, h == i)) if i < j else None


def with_flags(b: bool, c: bool) -> Callable[[Item], Item | None]:
    return lambda item: ("span", (*item[1], b, c))


def to_list(item: Item) -> Item | None:
    return ("heads", (item[1],))


ES = (
    "tree[i, j, i] to span[i, j, false, true] where i < j",
    "tree[i, j, j] to span[i, j, true, false] where i < j",
)
BROKEN = (
    "tree[i, j, i] to span[i, j, true, false] where i < j",
    "tree[i, j, j] to span[i, j, false, true] where i < j",
)
FF, FT, TF = (
    f"span[i, j] to span[i, j, {b}, {c}]"
    for b, c in (("false", "false"), ("false", "true"), ("true", "false"))
)
LIST = "span[i, j] to heads[<i, j>]"

# Schemata, maps from the items of the one whose steps are looked at, the same as a function, words.
PAIRS: list[tuple[str, str, tuple[str, ...], Callable[[Item], Item | None], int]] = [
    ("eisner-satta1999", "eisner1996", ES, es_to_eisner, 3),
    ("eisner-satta1999", "eisner1996", BROKEN, lambda item: _swapped(es_to_eisner(item)), 3),
    ("yamada-matsumoto2003", "eisner1996:end=1", (FF,), with_flags(False, False), 3),
    ("yamada-matsumoto2003", "eisner1996:end=1", (FT,), with_flags(False, True), 2),
    ("yamada-matsumoto2003", "eisner1996:end=1", (TF,), with_flags(True, False), 2),
    ("yamada-matsumoto2003", "eisner1996", (FF,), with_flags(False, False), 2),
    ("yamada-matsumoto2003", "mh", (LIST,), to_list, 3),
    ("yamada-matsumoto2003", "hybrid", (), same, 3),
    ("hybrid", "yamada-matsumoto2003", (), same, 3),
    ("collins1996", "generalised-eisner-satta", (), same, 3),
    ("generalised-eisner-satta", "collins1996", (), same, 2),
    ("eisner-satta1999", "generalised-eisner-satta", (), same, 3),
    ("collins1996", "eisner-satta1999", (), same, 3),
    ("arc-standard", "arc-standard-hook", (), same, 3),
    ("hybrid", "arc-eager", ("span[i, j] to span[i, false, j]",), lambda x: ("span", (x[1][0], False, x[1][1])), 3),
    ("mh", "attardi2006:d=1", (), same, 3),
    ("attardi2006:d=1", "attardi2006:d=2", (), same, 3),
    ("attardi2006:d=2", "attardi2006:d=1", (), same, 3),
    ("attardi2006:d=2", "mh:k=4", (), same, 3),
    ("mh:k=4", "attardi2006:d=2", (), same, 3),
    ("wg1", "mg1", (), same, 3),
]  # fmt: skip


def _swapped(item: Item | None) -> Item | None:
    return item and (item[0], (*item[1][:2], item[1][3], item[1][2]))


def _space(reference: str, n: int) -> brute.Space:
    name, _, settings = reference.partition(":")
    parameters = {k: int(v) for k, v in (s.split("=") for s in settings.split(",") if s)}
    system = d_rule_system(name, **parameters)
    if name in TABULATED:
        system = replace(system, where=_fits_tabulated)
    return brute.space(system, n, FORMS[name](n))


@pytest.mark.parametrize(
    ("first", "second", "maps", "mapping", "n"), PAIRS, ids=lambda x: x if isinstance(x, str) else ""
)
def test_steps_are_judged_as_brute_force_does(first, second, maps, mapping, n):
    source, target = schemata.load(first).definition, schemata.load(second).definition
    kinds: list[tuple[StepKind, Callable[..., bool]]] = [
        ("step-refinement", brute.emulated),
        ("dynamic-filter", brute.contained),
        ("static-filter", brute.included),
    ]
    verdicts = []
    for kind, measure in kinds:
        expected = all(measure(_space(first, k), _space(second, k), mapping) for k in range(1, n + 1))
        forward = kind == "step-refinement"
        ends = (source, target) if forward else (target, source)
        texts = maps if forward else [f"{b} from {a}" for a, b in (m.split(" to ") for m in _bare(maps))]
        relation = read_maps(texts, *ends) if texts else read_maps((), *ends, kind)
        if not forward:
            relation = _with_conditions(relation, maps)
        assert decide(relation, kind, n, systems=BENCH).holds == expected, kind
        verdicts.append(expected)
    # A static filter is a dynamic one, a dynamic one a step contraction.
    emulated, contained, included = verdicts
    assert contained or not included
    assert emulated or not contained


def _bare(maps):
    return [m.partition(" where ")[0] for m in maps]


def _with_conditions(relation, maps):
    """Give reversed maps the conditions of the maps as they were."""
    if not any(" where " in m for m in maps):
        return relation
    texts = [f"{b} from {a} where {c}" for m in maps for a, b, c in [_cut(m)]]
    return read_maps(texts, relation.first, relation.second)


def _cut(text):
    ends, _, condition = text.partition(" where ")
    a, _, b = ends.partition(" to ")
    return a, b, condition


def test_brute_force_knows_no_from_yes():
    """What the comparison above rests on: pairs of which the answer is known and differs."""
    es, eisner = _space("eisner-satta1999", 3), _space("eisner1996", 3)
    assert brute.emulated(es, eisner, es_to_eisner)
    assert not brute.contained(es, eisner, es_to_eisner)
    collins, wide = _space("collins1996", 3), _space("generalised-eisner-satta", 3)
    assert brute.included(collins, wide, same)
    assert not brute.emulated(wide, collins, same)
