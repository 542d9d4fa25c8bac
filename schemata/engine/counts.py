"""What a run came to in numbers alone, where nobody looks at its chart."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Counts"]


@dataclass(frozen=True, slots=True)
class Counts:
    """Of one sentence of n words: derived items, step instances, and whether it is accepted."""

    n: int
    items: int
    steps: int
    accepted: bool
