"""Claims about the shipped schemata: their classes, complexity and derivations. They stand in `claims.toml`.

Tests verify every claim; so the question whether a shipped schema derives each structure once needs no run.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from schemata.errors import SchemataError
from schemata.language import model as m
from schemata.language.library import load_schema
from schemata.language.shipped import shipped_schemata
from schemata.records import Record, field


class Claim(Record):
    """The class of structures that a schema is tested for, its complexity, and the expected answers.

    Parameters
    ----------
    each_once : whether each structure has one derivation.
    repaired : a shipped schema of the same class that derives each structure once, by reference.
    collapses : whether a tree is parsed if and only if it is without a word that has no dependents and stands
        beside its head.
    """

    name: str
    class_name: str
    complexity: str
    parameters: Mapping[str, int] = field(default_factory=dict)
    sound: bool | None = True
    complete: bool | None = True
    each_once: bool = True
    repaired: str | None = None
    collapses: bool = False

    @property
    def reference(self) -> str:
        """The schema with its parameters, as the command line takes it: `mh:k=4`."""
        settings = ",".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"{self.name}:{settings}" if settings else self.name


def degree_of(time: str) -> int | None:
    """Return the degree of a time such as O(n^3); None if the time is exponential."""
    found = re.match(r"O\(n(?:\^(\d+))?", time)
    return None if found is None else int(found[1] or 1)


@cache
def _read() -> dict[str, Any]:
    return tomllib.loads(files("schemata.verification").joinpath("claims.toml").read_text("utf-8"))


def shipped_claims() -> tuple[Claim, ...]:
    """Return the claims about schemata that are shipped, in the order of the file."""
    return _claims_in("schema")


def linkage_claims() -> tuple[Claim, ...]:
    """Return the claims about shipped Link Grammar schemata, in the order of the file."""
    return _claims_in("linkages")


def graph_claims() -> tuple[Claim, ...]:
    """Return the claims about shipped schemata that build graphs, in the order of the file."""
    return _claims_in("graphs")


def constituent_claims() -> tuple[Claim, ...]:
    """Return the claims about shipped context-free schemata."""
    return _claims_in("constituents")


def _claims_in(table: str) -> tuple[Claim, ...]:
    shipped = shipped_schemata()
    rows = (dict(row) for row in _read()[table] if row["name"] in shipped)
    return tuple(Claim(class_name=row.pop("class"), **row) for row in rows)


def claim_about(name: str, parameters: Mapping[str, int]) -> Claim | None:
    """Return the claim about a shipped schema with these parameters; of several, one that holds as a
    whole.

    >>> claim_about("mh", {"k": 3}).class_name
    'projective'
    """
    fitting = [c for c in _claims_on(name) if c.parameters.items() <= parameters.items()]
    return min(fitting, key=lambda c: (not (c.sound and c.complete), -len(c.parameters)), default=None)


@cache
def all_claims() -> tuple[Claim, ...]:
    """Return the claims about all shipped schemata."""
    return *shipped_claims(), *linkage_claims(), *constituent_claims(), *graph_claims()


def _claims_on(name: str) -> list[Claim]:
    return [claim for claim in all_claims() if claim.name == name]


def claim_of(schema: m.Schema) -> Claim | None:
    """Return the claim about exactly this schema with exactly these parameters; None if there is no such
    claim.

    A schema of the same name with other rules counts as another schema.

    >>> [claim and claim.each_once for claim in map(claim_of, map(load_schema, ("nivre2003", "mh:k=4", "mh:k=6")))]
    [True, False, None]
    """
    for claim in _claims_on(schema.name):
        given = {p.name: claim.parameters.get(p.name, p.default) for p in schema.parameters}
        if given == {p.name: p.value for p in schema.parameters}:
            try:
                return claim if load_schema(claim.name, given) == schema else None
            except SchemataError:
                return None
    return None
