"""The proved order of a lowered schema; looked up where it was proved before."""

from __future__ import annotations

import math

from schemata.engine.order.cache import key_of, look_up, store
from schemata.engine.order.model import Order, Refusal
from schemata.program.model import Program

__all__ = ["known_order", "prove_order"]


def prove_order(program: Program, patience: float = math.inf) -> Order | Refusal:
    """Return a proved order of evaluation for a lowered schema, or why there is none.

    The answer holds for every sentence length and every grammar; what the solver does not decide is a refusal.
    Answers are kept in the user's cache folder (`cache`). That a proof was not found in so many seconds is asked anew
    only by those with more patience.

    >>> import schemata
    >>> from schemata.program.lower import lower
    >>> order = prove_order(lower(schemata.load("eisner1996").definition))
    >>> [(region.name, str(region.level[0])) for region in order.regions][:2]
    [('word', '0'), ('span(b = false, c = false)', '-i + j')]
    >>> order.strata
    2
    """
    key = key_of(program)
    known = look_up(program, key)
    if known is not None and (isinstance(known, Order) or not known.undecided or known.patience >= patience):
        return known
    from schemata.engine.order.proof import find_order

    found = find_order(program, patience)
    if isinstance(found, Order) or not found.undecided or found.patience > 0:
        store(key, found)
    return found


def known_order(program: Program) -> Order | Refusal | None:
    """Return what was found for a program before, None where nothing was."""
    return look_up(program, key_of(program))
