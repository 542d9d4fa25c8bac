"""How counts grow with the length of the sentence: points by schema, and the exponent that fits them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from schemata.analysis.figures import Figures

__all__ = ["Growth", "fitted_exponent", "growth_of"]

Quantity = Literal["items", "steps"]


@dataclass(frozen=True, slots=True)
class Growth:
    """How one quantity of one schema grows: (n, mean over the sentences of n words), by n.

    `bounds` are the points of stopped runs, which are only lower bounds; they are left out of the fit.
    """

    label: str
    quantity: Quantity
    points: tuple[tuple[int, float], ...]
    bounds: tuple[tuple[int, float], ...]

    @property
    def exponent(self) -> float | None:
        """The fitted exponent, or None where there are too few points."""
        return fitted_exponent(self.points)

    def to_json(self) -> dict[str, Any]:
        """Return the schema, the quantity and the exponent as a JSON object."""
        exponent = self.exponent
        return {
            "label": self.label,
            "quantity": self.quantity,
            "exponent": None if exponent is None else round(exponent, 3),
        }


def growth_of(rows: Iterable[Figures]) -> tuple[Growth, ...]:
    """Return the growth of items and of steps of every schema, schemata in order of appearance."""
    by_label: dict[str, dict[int, list[Figures]]] = {}
    for row in rows:
        if row.n is not None:
            by_label.setdefault(row.label, {}).setdefault(row.n, []).append(row)
    found = []
    for label, by_length in by_label.items():
        quantities: tuple[Quantity, Quantity] = ("items", "steps")
        for quantity in quantities:
            points: list[tuple[int, float]] = []
            bounds: list[tuple[int, float]] = []
            for n, of_length in sorted(by_length.items()):
                mean = math.fsum(getattr(row, quantity) for row in of_length) / len(of_length)
                (bounds if any(row.stopped for row in of_length) else points).append((n, mean))
            found.append(Growth(label, quantity, tuple(points), tuple(bounds)))
    return tuple(found)


def fitted_exponent(points: Sequence[tuple[int, float]]) -> float | None:
    """Return the slope of log(value) over log(n), by least squares over the longer half of the lengths.

    Short sentences say little about growth, which is why they are left out; at least three points of n >= 2
    with positive values are needed.

    >>> round(fitted_exponent([(n, 5.0 * n**3) for n in range(1, 10)]), 6)
    3.0
    >>> fitted_exponent([(2, 1.0), (3, 1.0)]) is None
    True
    """
    usable = sorted((n, value) for n, value in points if n >= 2 and value > 0)
    if len(usable) < 3:
        return None
    kept = usable[-max(3, (len(usable) + 1) // 2) :]
    xs, ys = [math.log(n) for n, _ in kept], [math.log(value) for _, value in kept]
    x0, y0 = math.fsum(xs) / len(xs), math.fsum(ys) / len(ys)
    spread = math.fsum((x - x0) ** 2 for x in xs)
    if not spread:
        return None
    return math.fsum((x - x0) * (y - y0) for x, y in zip(xs, ys, strict=True)) / spread
