"""The loops of an ordered kernel as its writer made them, kept for those who want to know, not for running."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from schemata.engine.ordered.loops import Nest
from schemata.engine.ordered.plan import RulePlan
from schemata.program.linear import Affine

__all__ = ["Nests"]


@dataclass(slots=True)
class Nests:
    """The loops of a kernel.

    Attributes
    ----------
    levels : for every region with rules, loops over the level's variables (`s0`, `s1`, ...) first; the kernel
        runs from the least of their beginnings to the greatest of their ends.
    regions : by region, the loops over its items on a level, and the columns that the level determines.
    rules : by place in the order's rules, a rule turned round and its loops inside those over consequents.
    """

    levels: tuple[Nest, ...] = ()
    regions: dict[int, tuple[Nest, Mapping[str, Affine]]] = field(default_factory=dict)
    rules: dict[int, tuple[RulePlan, Nest]] = field(default_factory=dict)

    def note_rule(self, number: int, plan: RulePlan, loops: Nest) -> None:
        """Keep the loops of a rule."""
        self.rules[number] = (plan, loops)
