"""Finds how two schemata are related where nobody says: all kinds, and simple maps between their items.

Maps come from the shipped relations between the two, then from `guesses`. Each is tried on two words first; what
survives is decided at full length. Of each kind the first map by which it holds is reported.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

from schemata.analysis.relations.answers import Answer
from schemata.analysis.relations.ask import STEP_KINDS, shipped_claims
from schemata.analysis.relations.bench import Workbench
from schemata.analysis.relations.course import Watcher
from schemata.analysis.relations.guesses import guessed_maps
from schemata.analysis.relations.relate import decide
from schemata.errors import SchemataError
from schemata.language import model as m
from schemata.language.relation_model import CHAINS, INTO_FIRST, Relation, StepKind
from schemata.language.relations import read_maps

__all__ = ["STRENGTH", "discover"]

# The strongest first: a static filter is a dynamic one, and a dynamic one a step contraction.
STRENGTH: tuple[StepKind, ...] = (
    "static-filter",
    "dynamic-filter",
    "step-contraction",
    "step-refinement",
    "item-refinement",
    "item-contraction",
)
# What holds of every pair of the kind before: the same steps stand for the same steps.
_WEAKER: tuple[StepKind, ...] = STRENGTH[:3]
_INJECTIVE: frozenset[StepKind] = frozenset(STEP_KINDS) - {"item-refinement", "item-contraction"}
_QUICK = 2  # words of the first trial


def discover(
    first: m.Schema,
    second: m.Schema,
    max_n: int = 5,
    *,
    maps: Sequence[str] = (),
    kinds: Sequence[StepKind] = STRENGTH,
    bench: Workbench | None = None,
    watch: Watcher | None = None,
) -> list[Answer]:
    """Return how two schemata are related, as far as simple maps show it, the strongest kind first.

    Parameters
    ----------
    first, second : the schemata.
    max_n : the number of words, at most.
    maps : the only maps to try; without any, those of shipped relations and guesses.
    kinds : the kinds to try.
    bench, watch : see `decide`.

    Returns
    -------
    One answer for each kind that holds, and those that a budget or Ctrl-C left open. What follows from a stronger
    kind is not decided again; it says so in `implied_by`.

    Raises
    ------
    SchemaError : a map has errors.
    """
    bench = bench or Workbench()
    found: list[Answer] = []
    for kind in kinds:
        stronger = _stronger(found, kind)
        if stronger is not None:
            found.append(replace(stronger, kind=kind, implied_by=stronger.kind))
            continue
        tried: set[tuple[object, ...]] = set()
        if maps:
            candidates: Iterator[Relation] = iter((read_maps(maps, first, second),))
        else:
            candidates = _candidates(first, second, kind)
        for relation in candidates:
            key = (relation.reversed, *((x.source, x.target, x.conditions) for x in relation.maps))
            if key in tried or not _fits(relation, kind):
                continue
            tried.add(key)
            answer = _tried(relation, kind, max_n, bench, watch)
            if answer is None:
                continue
            if answer.holds or answer.stopped:
                found.append(answer)
            if answer.stopped == "interrupt":
                return found
            if answer.holds:
                break
    return found


def _stronger(found: Sequence[Answer], kind: StepKind) -> Answer | None:
    """Return the answer that a kind follows from, the strongest one; None where there is none."""
    if kind not in _WEAKER:
        return None
    before = _WEAKER[: _WEAKER.index(kind)]
    return next((answer for answer in found if answer.holds and answer.kind in before), None)


def _tried(
    relation: Relation, kind: StepKind, max_n: int, bench: Workbench, watch: Watcher | None
) -> Answer | None:
    """Decide a relation, if it is one that can be asked about and holds for the shortest sentences."""
    try:
        quick = decide(relation, kind, min(_QUICK, max_n), bench=bench)
        if not quick.holds or max_n <= _QUICK:
            return quick
        return decide(relation, kind, max_n, bench=bench, watch=watch)
    except SchemataError:
        return None


def _fits(relation: Relation, kind: StepKind) -> bool:
    """Whether the maps go the way that a kind asks for; inclusions can be read either way."""
    return kind in _INJECTIVE or relation.reversed == (kind in INTO_FIRST)


def _candidates(first: m.Schema, second: m.Schema, kind: StepKind) -> Iterator[Relation]:
    """Yield relations with maps to try."""
    for claim in shipped_claims(first, second):
        if claim.kind not in CHAINS:
            yield claim
    into_first = kind in INTO_FIRST
    source, target, word = (second, first, "from") if into_first else (first, second, "to")
    with contextlib.suppress(SchemataError):
        yield read_maps((), first, second, kind)
    for texts in guessed_maps(source, target, kind in _INJECTIVE, word):
        try:
            yield read_maps(texts, first, second, kind)
        except SchemataError:
            continue
