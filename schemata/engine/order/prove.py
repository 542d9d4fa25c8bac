"""The proved order of a lowered schema, looked up where it was proved before."""

from __future__ import annotations

from schemata.engine.lowering.model import Program
from schemata.engine.order.model import Order, Refusal

__all__ = ["prove_order"]


def prove_order(program: Program) -> Order | Refusal:
    """Return a proved order of evaluation, or why there is none."""
    from schemata.engine.order.proof import find_order

    return find_order(program)
