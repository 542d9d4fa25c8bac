"""Proved orders: looked up in the cache, or proved once and cached.

A file holds data, never code: regions, levels and rules as JSON. Its name is a hash of the lowered schema and of the
modules of the rooms that a proof depends on, so that a proof by other modules is not found. A file that does not fit
the program is passed over, and the proof is made again.
"""

from __future__ import annotations

import functools
import hashlib
import json
import math
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from schemata import cache
from schemata.cache import state_of
from schemata.order.model import Order, OrderedRule, Refusal, Region
from schemata.program.model import Program

_KIND = "orders"  # folder in the user's cache folder


def key_of(program: Program) -> str | None:
    """Return what an order depends on, as a hash: the lowered schema and the modules that make the proof.

    None where nothing can be kept.
    """
    modules = _modules()
    content = (program.kinds, program.rules, sorted(program.equations.items()), program.hypotheses)
    return None if modules is None else hashlib.sha256(f"{modules} {content!r}".encode()).hexdigest()


@functools.cache
def _modules() -> str | None:
    """Return the state of the modules; what a proof tries, and shows of a refusal, comes from runs of the schema."""
    package = Path(__file__).parents[1]
    return state_of([package / room for room in ("kernels", "language", "machine", "order", "program")])


def look_up(program: Program, key: str | None) -> Order | Refusal | None:
    """Return what was kept for a program, or None where there is nothing that can be used."""
    content = None if key is None else cache.look_up(_KIND, key)
    if content is None:
        return None
    try:
        data = json.loads(content)
        if "reason" in data:
            refusal: Refusal = _reader(Refusal)(data)
            return refusal
        regions = _reader(tuple[Region, ...])(data["regions"])
        order = Order(program, regions, _reader(tuple[OrderedRule, ...])(data["rules"]))
        return order if _fits(order) else None
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        return None


def store(key: str | None, found: Order | Refusal) -> None:
    """Keep an order."""
    if key is not None:
        data = _written(found) if isinstance(found, Refusal) else _written_order(found)
        cache.store(_KIND, key, json.dumps(data, separators=(",", ":")).encode())


# Orders as data ------------------------------------------------------------------------------------------


def _written_order(order: Order) -> dict[str, Any]:
    return {"regions": _written(order.regions), "rules": _written(order.rules)}


def _written(value: Any) -> Any:
    """Return a value as data: terms and rules, of which there are many, without the names of their fields."""
    if is_dataclass(value):
        rows = {field.name: _written(getattr(value, field.name)) for field in fields(value)}
        return rows if isinstance(value, Region | Refusal) else list(rows.values())
    return [_written(one) for one in value] if isinstance(value, tuple) else value


@functools.cache
def _reader(kind: Any) -> Callable[[Any], Any]:
    """Return a function from data to the value of a declared type that they stand for.

    It raises ValueError, KeyError, TypeError or AttributeError where there is none.
    """
    parts = get_args(kind)
    if hasattr(kind, "__dataclass_fields__"):
        readers = {name: _reader(hint) for name, hint in get_type_hints(kind).items()}

        def read_fields(data: Any) -> Any:
            rows = data if isinstance(data, dict) else dict(zip(readers, data, strict=True))
            return kind(*(reader(rows[name]) for name, reader in readers.items()))

        return read_fields
    if get_origin(kind) is tuple and parts[-1] is Ellipsis:
        each = _reader(parts[0])
        return lambda data: tuple(map(each, data))
    if get_origin(kind) is tuple:
        several = tuple(map(_reader, parts))
        return lambda data: tuple(reader(one) for reader, one in zip(several, data, strict=True))
    if get_origin(kind) is Literal:
        return lambda data: parts[parts.index(data)]
    if parts:
        present = _reader(parts[0])
        return lambda data: None if data is None else present(data)

    def read(data: Any) -> Any:
        if type(data) is not kind:
            raise TypeError(f"no {kind.__name__}")
        return data

    return read


def _fits(order: Order) -> bool:
    """Whether every part of an order is about its program."""
    program, regions = order.program, order.regions
    for number, region in enumerate(regions):
        known = {"n", *(column.name for column in program.kinds[region.kind].columns)}
        terms = [*region.level, *(test.left for test in (*region.tests, *region.invariants))]
        if region.number != number or len(region.level) != order.depth or region.kind < 0:
            return False
        if not all(known.issuperset(term.names) for term in terms):
            return False
    for ordered in order.rules:
        rule = program.rules[ordered.rule]
        places, atoms = [*ordered.antecedents, ordered.consequent], [*rule.antecedents, rule.consequent]
        numbers = (ordered.rule, ordered.stratum, *places, *ordered.ties)
        if min(numbers) < 0 or [regions[r].kind for r in places] != [atom.kind for atom in atoms]:
            return False
        if any(k >= len(rule.antecedents) for k in ordered.ties):
            return False
    return True


def prove_order(program: Program, patience: float = math.inf) -> Order | Refusal:
    """Return a proved order of evaluation for a lowered schema, or the reason why there is none.

    The answer holds for every sentence length and every grammar; what the solver does not decide is a refusal.
    Answers are kept in the user's cache folder (`cache`). That a proof was not found in so many seconds is asked anew
    only by those with more patience.

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
        store(key, found)
    return found


def known_order(program: Program) -> Order | Refusal | None:
    """Return what was found for a program before, None where nothing was."""
    return look_up(program, key_of(program))
