"""Where a run's time goes: per step its instances, its share of the time, and how well its joins select."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Tried"]


@dataclass(frozen=True, slots=True)
class Tried:
    """What a rule tried and what came of it.

    Attributes
    ----------
    candidates : ways to fill the rule's places that were tried, at the widest point of the search.
    instances : step instances found.
    seconds : of wall time, without what measuring took.
    """

    candidates: int
    instances: int
    seconds: float

    @property
    def selectivity(self) -> float | None:
        """Instances per candidate; None where nothing was tried."""
        return self.instances / self.candidates if self.candidates else None
