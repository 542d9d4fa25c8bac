"""Proved orders: looked up on disk, or proved once and kept there.

A file holds data, never code: regions, levels and rules as JSON. Its name is a hash of the lowered schema and of the
modules of the rooms that a proof depends on; what was proved by other modules is not found. A file that does not fit
the program is passed over and the proof is made again.
"""

from __future__ import annotations

import functools
import hashlib
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from schemata import cache
from schemata.cache import state_of
from schemata.order.model import Order, OrderedRule, Refusal, Region
from schemata.program.linear import Affine, Linear
from schemata.program.model import Kind, Program

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
    return state_of([package / room for room in ("engine", "kernels", "language", "order", "program")])


def look_up(program: Program, key: str | None) -> Order | Refusal | None:
    """Return what was kept for a program, or None where there is nothing that can be used."""
    content = None if key is None else cache.look_up(_KIND, key)
    if content is None:
        return None
    try:
        return _read(program, json.loads(content))
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        return None


def store(key: str | None, found: Order | Refusal) -> None:
    """Keep an order."""
    if key is not None:
        cache.store(_KIND, key, json.dumps(_written(found), separators=(",", ":")).encode())


# Orders as data ------------------------------------------------------------------------------------------


def _written(found: Order | Refusal) -> dict[str, Any]:
    if isinstance(found, Refusal):
        return {
            "reason": found.reason,
            "rule": found.rule,
            "example": found.example,
            "undecided": found.undecided,
            "patience": found.patience,
        }
    return {
        "regions": [
            {
                "kind": r.kind,
                "name": r.name,
                "tests": [_test(t) for t in r.tests],
                "invariants": [_test(t) for t in r.invariants],
                "level": [_term(t) for t in r.level],
            }
            for r in found.regions
        ],
        "rules": [[r.rule, list(r.antecedents), r.consequent, list(r.ties), r.stratum] for r in found.rules],
    }


def _test(test: Linear) -> list[Any]:
    return [test.relation, *_term(test.left)]


def _term(term: Affine) -> list[Any]:
    return [term.constant, dict(term.terms)]


def _read(program: Program, data: Mapping[str, Any]) -> Order | Refusal:
    """Return an order from its data; every part must fit the program.

    Raises
    ------
    ValueError, KeyError, TypeError, IndexError, AttributeError : it does not.
    """
    if "reason" in data:
        rule, example = data["rule"], data["example"]
        return Refusal(
            _text(data["reason"]),
            None if rule is None else _index(rule, len(program.rules)),
            None if example is None else _text(example),
            bool(data["undecided"]),
            float(data["patience"]),
        )
    regions = tuple(_region(program, k, row) for k, row in enumerate(data["regions"]))
    if {len(r.level) for r in regions} - {len(regions[0].level)}:
        raise ValueError("levels of different lengths")
    return Order(program, regions, tuple(_rule(program, regions, row) for row in data["rules"]))


def _region(program: Program, number: int, data: Mapping[str, Any]) -> Region:
    kind = program.kinds[_index(data["kind"], len(program.kinds))]
    return Region(
        number,
        kind.number,
        _text(data["name"]),
        tuple(_read_test(kind, t) for t in data["tests"]),
        tuple(_read_test(kind, t) for t in data["invariants"]),
        tuple(_read_term(kind, *t) for t in data["level"]),
    )


def _rule(program: Program, regions: tuple[Region, ...], row: list[Any]) -> OrderedRule:
    number, before, after, ties, stratum = row
    rule = program.rules[_index(number, len(program.rules))]
    antecedents = tuple(_index(r, len(regions)) for r in before)
    places = [*antecedents, _index(after, len(regions))]
    atoms = [*rule.antecedents, rule.consequent]
    if [regions[r].kind for r in places] != [a.kind for a in atoms]:
        raise ValueError("regions of other kinds than the rule's")
    tied = tuple(_index(k, len(antecedents)) for k in ties)
    return OrderedRule(rule.number, antecedents, places[-1], tied, _index(stratum, 1 << 30))


def _read_test(kind: Kind, data: list[Any]) -> Linear:
    relation, *term = data
    if relation not in (">=", "==", "!="):
        raise ValueError("no relation")
    return Linear(relation, _read_term(kind, *term))


def _read_term(kind: Kind, constant: Any, terms: Mapping[str, Any]) -> Affine:
    known = {"n", *(c.name for c in kind.columns)}
    if not known.issuperset(terms):
        raise ValueError("a column that the kind has not")
    return Affine.of(_number(constant), {x: _number(k) for x, k in terms.items()})


def _number(value: Any) -> int:
    if type(value) is not int:
        raise TypeError("no whole number")
    return value


def _index(value: Any, count: int) -> int:
    if not 0 <= _number(value) < count:
        raise IndexError(value)
    return _number(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return value


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
