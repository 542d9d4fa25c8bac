"""Claims about the shipped schemata: their classes, their complexity, and theorems. They stand in `claims.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from schemata.language.library import shipped_schemata


@dataclass(frozen=True, slots=True)
class Claim:
    """The class of trees or linkages a schema is tested for, its complexity, and the answers known."""

    name: str
    class_name: str
    complexity: str
    parameters: Mapping[str, int] = field(default_factory=dict)
    sound: bool = True
    complete: bool = True
    each_once: bool = True

    @property
    def reference(self) -> str:
        """The schema with its parameters, as the command line takes it: `mh:k=4`."""
        settings = ",".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"{self.name}:{settings}" if settings else self.name


@dataclass(frozen=True, slots=True)
class Theorem:
    """A theorem about correctness, and the schemata that test it, by reference."""

    number: int
    about: str
    says: Literal["correct", "sound", "complete"]
    rows: tuple[str, ...]


@cache
def _read() -> dict[str, Any]:
    return tomllib.loads(files("schemata.verification").joinpath("claims.toml").read_text("utf-8"))


def shipped_claims() -> tuple[Claim, ...]:
    """Return the claims about schemata that are shipped, in the order of the file."""
    return _claims_in("schema")


def linkage_claims() -> tuple[Claim, ...]:
    """Return the claims about shipped Link Grammar schemata, in the order of the file."""
    return _claims_in("linkages")


def _claims_in(table: str) -> tuple[Claim, ...]:
    shipped = shipped_schemata()
    rows = (dict(row) for row in _read()[table] if row["name"] in shipped)
    return tuple(Claim(class_name=row.pop("class"), **row) for row in rows)


def claim_about(name: str, parameters: Mapping[str, int]) -> Claim | None:
    """Return what is claimed of a shipped schema with these parameters; of two claims one that holds whole.

    >>> claim_about("mh", {"k": 3}).class_name
    'projective'
    """
    known = [c for c in (*shipped_claims(), *linkage_claims()) if c.name == name]
    fitting = [c for c in known if c.parameters.items() <= parameters.items()]
    return min(fitting, key=lambda c: (not (c.sound and c.complete), -len(c.parameters)), default=None)


def theorems() -> tuple[Theorem, ...]:
    """Return the theorems, by number.

    >>> [theorem.number for theorem in theorems()]
    [3, 4, 5, 6, 7, 8]
    """
    return tuple(Theorem(t["number"], t["about"], t["says"], tuple(t["rows"])) for t in _read()["theorem"])
