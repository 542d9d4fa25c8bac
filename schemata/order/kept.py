"""Proofs of orders, kept: looked up in the cache, or found once and cached.

A cached file holds data, never code (`cache.values_read`). Its key is a hash of the lowered schema and of the modules
of the rooms that a proof depends on, so that a proof by other modules is not found.
"""

from __future__ import annotations

import functools
import hashlib
import math
from pathlib import Path

from schemata import cache
from schemata.order import model
from schemata.order.model import Order, Refusal
from schemata.program import linear
from schemata.program.model import Program

_KIND = "orders"  # folder in the user's cache folder


def key_of(program: Program) -> str | None:
    """Return the cache key of an order, a hash of the lowered schema and the modules that make the proof.

    None if nothing can be cached.
    """
    modules = _modules()
    content = (program.kinds, program.rules, sorted(program.equations.items()), program.hypotheses)
    return None if modules is None else hashlib.sha256(f"{modules} {content!r}".encode()).hexdigest()


@functools.cache
def _modules() -> str | None:
    """Return the state of the proof's modules, those that run samples of the schema included."""
    package = Path(__file__).parents[1]
    rooms = "charts.py", "grouping.py", "kernels", "language", "machine", "order", "program", "weights"
    return cache.state_of([package / room for room in rooms])


def key_of_order(order: Order, *more: object) -> str | None:
    """Return a cache key for values that depend on a program and its order; None if nothing can be cached."""
    key = key_of(order.program)
    content = [getattr(order, name) for name in Order.__dataclass_fields__ if name != "program"]
    return None if key is None else hashlib.sha256(f"{key} {more!r} {content!r}".encode()).hexdigest()


def look_up(program: Program, key: str | None) -> Order | Refusal | None:
    """Return the cached answer for a program, or None if there is no usable one."""
    modules = model.__name__, linear.__name__
    found = cache.kept_value(_KIND, program.schema.name, key, modules, program)
    return found if isinstance(found, Order | Refusal) else None


def prove_order(program: Program, patience: float = math.inf) -> Order | Refusal:
    """Return a proved order of evaluation for a lowered schema, or the reason why it has no such order.

    The answer holds for every sentence length and every grammar; a question that the solver does not decide is a
    refusal. Answers are kept in the user's cache folder (`cache`). A proof that was not found in so many seconds of the
    processor is tried again only with more patience.

    >>> import schemata
    >>> from schemata.program.lower import lower
    >>> order = prove_order(lower(schemata.load("eisner1996").definition))
    >>> [(region.name, str(region.level[0])) for region in order.regions][:2]
    [('word', '0'), ('span(b = false, c = false)', 'j - i')]
    >>> order.strata
    2
    """
    key = key_of(program) if program.is_linear else None
    known = look_up(program, key)
    if known is not None and (isinstance(known, Order) or not known.undecided or known.patience >= patience):
        return known
    from schemata.order.proof import find_order

    found = find_order(program, patience)
    if isinstance(found, Order) or not found.undecided or found.patience > 0:
        cache.keep_value(_KIND, program.schema.name, key, found, program)
    return found


def known_order(program: Program) -> Order | Refusal | None:
    """Return the cached answer for a program, undecided or not; None if nothing is cached."""
    return look_up(program, key_of(program))
