"""Labelled links in the interpreting matcher: which connectors a step joins, and what a join tells of its variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from schemata.analysis.evaluation import evaluate
from schemata.analysis.goals import Goal, Match
from schemata.grammars.link_grammar.sequences import sequences_of
from schemata.language import model as m

__all__ = ["join_ends", "join_goals"]


def join_ends(join: m.Join, binding: Mapping[str, m.Value], grammar: Any) -> tuple[int, int] | None:
    """Return the numbers of the connectors that a step links; (-1, -1) where it links none, None where it cannot.

    Raises
    ------
    LookupError : the binding does not determine them.
    """
    if join.when is not None and not evaluate(join.when, binding):
        return -1, -1
    left, right = evaluate(join.left, binding), evaluate(join.right, binding)
    to_right, to_left = evaluate(join.by.left, binding), evaluate(join.by.right, binding)
    assert isinstance(left, int)
    assert isinstance(right, int)
    assert isinstance(to_right, str)
    assert isinstance(to_left, str)
    view = sequences_of(grammar)
    one, other = view.right_codes[left].get(to_right), view.left_codes[right].get(to_left)
    if one is None or other is None or not 0 < right - left <= min(view.reaches[one], view.reaches[other]):
        return None
    return one, other


def join_goals(join: m.Join, ends: tuple[int, int], grammar: Any) -> list[Goal]:
    """Return what the numbers of two linked connectors tell of a step's variables."""
    if ends[0] < 0:
        return [] if join.when is None else [m.Not(join.when)]
    places = [sequences_of(grammar).occurrences[code].position for code in ends]
    return [Match(places[0], join.left, m.POSITION), Match(places[1], join.right, m.POSITION)]
