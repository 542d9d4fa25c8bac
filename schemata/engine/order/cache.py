"""Proved orders on disk, so that a schema's order is proved once.

A file holds data, never code: regions, levels and rules as JSON, with a hash of what it says. Its name is a
hash of the lowered schema and of the modules that prove and lower; what was proved by other modules is not found.
A file that is not whole, or that does not fit the program, is passed over and the proof is made again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from schemata.engine.lowering.model import Affine, Kind, Linear, Program
from schemata.engine.order.model import Order, OrderedRule, Refusal, Region

__all__ = ["key_of", "look_up", "order_folder", "store"]

KEPT = 300  # files that the folder keeps


def order_folder() -> Path:
    """Return the folder for orders in the user's cache; it may not exist yet."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "schemata" / "orders"


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
    try:
        text = (order_folder() / f"{key[:32]}.json").read_text(encoding="utf-8")
        kept = json.loads(text)
        if kept["key"] != key or kept["hash"] != _hash(kept["order"]):
            return None
        return _read(program, kept["order"])
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        return None


def store(key: str, found: Order | Refusal) -> None:
    """Keep an order; where the folder cannot be written, nothing is kept."""
    data = _written(found)
    text = json.dumps({"key": key, "hash": _hash(data), "order": data}, separators=(",", ":"))
    folder = order_folder()
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=folder, suffix=".part")
        try:
            with open(handle, "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(name, folder / f"{key[:32]}.json")
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise
        _tidy(folder)


def _tidy(folder: Path) -> None:
    files = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
    for path in files[:-KEPT]:
        path.unlink(missing_ok=True)


def _hash(data: Any) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


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
