"""Proved orders on disk, so that a schema's order is proved once.

A file holds data, never code: regions, levels and rules as JSON. Its name is a hash of the lowered schema and of the
modules that prove and lower; what was proved by other modules is not found. A file that does not fit the program is
passed over and the proof is made again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from schemata import kept
from schemata.engine.lowering.model import Affine, Kind, Linear, Program
from schemata.engine.order.model import Order, OrderedRule, Refusal, Region

__all__ = ["key_of", "look_up", "store"]

_FOLDER = "orders"  # in the user's cache folder


def key_of(program: Program) -> str:
    """Return what an order depends on, as a hash: the lowered schema and the modules that make the proof."""
    content = (program.kinds, program.rules, sorted(program.equations.items()), program.hypotheses)
    return hashlib.sha256(f"{_modules()} {content!r}".encode()).hexdigest()


@cache
def _modules() -> str:
    here = Path(__file__).parent
    found = hashlib.sha256()
    for path in sorted((*here.glob("*.py"), *(here.parent / "lowering").glob("*.py"))):
        found.update(path.read_bytes())
    return found.hexdigest()


def look_up(program: Program, key: str) -> Order | Refusal | None:
    """Return what was kept for a program, or None where there is nothing that can be used."""
    content = kept.look_up(_FOLDER, f"{key}.json")
    if content is None:
        return None
    try:
        return _read(program, json.loads(content))
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        return None


def store(key: str, found: Order | Refusal) -> None:
    """Keep an order."""
    text = json.dumps(_written(found), separators=(",", ":"))
    kept.store(_FOLDER, f"{key}.json", text.encode())


# Orders as data ------------------------------------------------------------------------------------------


def _written(found: Order | Refusal) -> dict[str, Any]:
    if isinstance(found, Refusal):
        return {"reason": found.reason, "rule": found.rule, "example": found.example}
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
            _text(data["reason"]), rule and _index(rule, len(program.rules)), example and _text(example)
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
