"""What is claimed of the shipped schemata, read from `claims.toml`: classes, complexities, theorems."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from schemata.language.library import shipped_schemata

__all__ = ["Claim", "LinkageClaim", "Theorem", "linkage_claims", "shipped_claims", "theorems"]


@dataclass(frozen=True, slots=True)
class Claim:
    """The class of trees a schema is tested for, its complexity, and the answers known."""

    name: str
    class_name: str
    complexity: str
    parameters: Mapping[str, int] = field(default_factory=dict)
    sound: bool = True
    complete: bool = True

    @property
    def reference(self) -> str:
        """The schema with its parameters, as the command line takes it: `mh:k=4`."""
        settings = ",".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"{self.name}:{settings}" if settings else self.name


@dataclass(frozen=True, slots=True)
class LinkageClaim:
    """The class of linkages a Link Grammar schema is tested for, its complexity, and the answers known."""

    name: str
    class_name: str
    complexity: str
    parameters: Mapping[str, int] = field(default_factory=dict)
    each_once: bool = True

    @property
    def reference(self) -> str:
        """The schema with its parameters, as the command line takes it."""
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
    return tomllib.loads(files("schemata.analysis").joinpath("claims.toml").read_text("utf-8"))


def shipped_claims() -> tuple[Claim, ...]:
    """Return the claims about schemata that are shipped, in the order of the file."""
    shipped = shipped_schemata()
    return tuple(
        Claim(
            row["name"],
            row["class"],
            row["complexity"],
            row.get("parameters", {}),
            row.get("sound", True),
            row.get("complete", True),
        )
        for row in _read()["schema"]
        if row["name"] in shipped
    )


def linkage_claims() -> tuple[LinkageClaim, ...]:
    """Return the claims about shipped Link Grammar schemata, in the order of the file."""
    shipped = shipped_schemata()
    return tuple(
        LinkageClaim(
            row["name"],
            row["class"],
            row["complexity"],
            row.get("parameters", {}),
            row.get("each_once", True),
        )
        for row in _read()["linkages"]
        if row["name"] in shipped
    )


def theorems() -> tuple[Theorem, ...]:
    """Return the theorems, by number.

    >>> [theorem.number for theorem in theorems()]
    [3, 4, 5, 6, 7, 8]
    """
    return tuple(Theorem(t["number"], t["about"], t["says"], tuple(t["rows"])) for t in _read()["theorem"])
