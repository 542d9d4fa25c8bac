"""Values by key; graphs: nodes reachable from some, closures under rules, connected components."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable
from typing import TypeVar

T = TypeVar("T", bound=Hashable)
V = TypeVar("V")


def reachable(starts: Iterable[T], successors: Callable[[T], Iterable[T]]) -> set[T]:
    """Return the nodes of any graph that are reached from some of them, these included."""
    reached: set[T] = set()
    pending = list(starts)
    while pending:
        node = pending.pop()
        if node not in reached:
            reached.add(node)
            pending.extend(successors(node))
    return reached


def derivable(given: Iterable[T], rules: Collection[tuple[Collection[T], T]]) -> set[T]:
    """Return the closure of some values under rules, each a set of premises with its conclusion.

    >>> sorted(derivable("a", [("b", "c"), ("a", "b"), ("ad", "e")]))
    ['a', 'b', 'c']
    """
    found = set(given)
    while more := {result for needed, result in rules if found.issuperset(needed)} - found:
        found |= more
    return found


def components(size: int, pairs: Iterable[tuple[int, int]]) -> tuple[tuple[int, ...], ...]:
    """Return the connected components of the numbers 0..size-1 under pairs, each in order, by first
    number.

    >>> components(4, [(0, 2), (2, 1)])
    ((0, 1, 2), (3,))
    """
    leader = list(range(size))

    def find(number: int) -> int:
        while leader[number] != number:
            leader[number] = number = leader[leader[number]]
        return number

    for one, other in pairs:
        leader[find(one)] = find(other)
    return tuple(map(tuple, grouped((find(number), number) for number in range(size)).values()))


def grouped(pairs: Iterable[tuple[T, V]]) -> dict[T, list[V]]:
    """Return values by key, both in the order in which they come.

    >>> grouped([("a", 1), ("b", 2), ("a", 3)])
    {'a': [1, 3], 'b': [2]}
    """
    groups: dict[T, list[V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups
