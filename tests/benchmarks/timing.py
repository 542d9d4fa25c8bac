"""Seconds that are compared: the sides of a comparison take turns, so that a slow moment hits all of them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Sample", "best_of", "clocked", "in_turn"]


@dataclass(frozen=True, slots=True)
class Sample:
    """What one side took, by round.

    Attributes
    ----------
    values : seconds, or another quantity of which less is better; never empty.
    """

    values: tuple[float, ...]

    @property
    def least(self) -> float:
        """The least value: what the machine can do when nobody else is using it."""
        return min(self.values)

    @property
    def median(self) -> float:
        """The median value."""
        return statistics.median(self.values)

    def over(self, other: Sample) -> tuple[float, float]:
        """Return the ratio of the least values, and the median of the ratios round by round.

        >>> Sample((1.0, 4.0, 3.0)).over(Sample((2.0, 2.0, 2.0)))
        (0.5, 1.5)
        """
        pairs = [a / b for a, b in zip(self.values, other.values, strict=True)]
        return self.least / other.least, statistics.median(pairs)


def in_turn(rounds: int, *sides: Callable[[], float]) -> tuple[Sample, ...]:
    """Return what each side takes; in every round each side has one turn, after a round that does not count.

    Parameters
    ----------
    rounds : how often.
    sides : functions that do the work and return the seconds it took.
    """
    found: list[list[float]] = [[] for _ in sides]
    for counted in (False, *[True] * rounds):
        for values, side in zip(found, sides, strict=True):
            seconds = side()
            if counted:
                values.append(seconds)
    return tuple(Sample(tuple(values)) for values in found)


def clocked(work: Callable[[], object]) -> Callable[[], float]:
    """Return a side that times a function by the wall clock."""

    def side() -> float:
        started = time.perf_counter()
        work()
        return time.perf_counter() - started

    return side


def best_of(times: int, side: Callable[[], float]) -> Callable[[], float]:
    """Return a side that takes several turns in a row and returns the shortest."""
    return lambda: min(side() for _ in range(times))
