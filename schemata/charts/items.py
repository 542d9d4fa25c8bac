"""Items and step instances as values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from schemata.language import model as m

__all__ = ["BuiltLink", "Instance", "Item"]


BuiltLink: TypeAlias = "tuple[int, int] | tuple[int, int, str]"


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a chart: its form's name and its values. Prints in canonical text."""

    form: str
    values: tuple[m.Value, ...]
    text: str = field(compare=False)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Instance:
    """A step instance: which case of which step, its antecedents, its consequent (item numbers) and its links."""

    case: int
    antecedents: tuple[int, ...]
    consequent: int
    links: tuple[tuple[int, int], ...]
