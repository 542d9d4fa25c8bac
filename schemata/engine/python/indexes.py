"""The join indexes of a kernel: which items are filed under what, so that partners are looked up, not searched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from schemata.language import model as m

__all__ = ["Access", "Index", "Indexes", "key_display"]


@dataclass(frozen=True, slots=True)
class Index:
    """Items of one form that pass the guards, filed under a key; a row is the item's number and its payload.

    Guards and key parts are Python expressions with `{k}` for the item's field k; the payload lists field numbers.
    """

    name: str
    form: str
    guards: tuple[str, ...]
    key: tuple[str, ...]
    payload: tuple[int, ...]

    def key_text(self, values: Sequence[str]) -> str:
        """Return the key of an item whose fields are the given expressions."""
        return key_display([part.format(*values) for part in self.key])

    def describe(self, schema: m.Schema) -> str:
        """Return what is filed under what, for people."""
        names = [f.name for f in schema.form(self.form).fields]
        key = ", ".join(part.format(*names) for part in self.key) or "nothing"
        guards = " and ".join(guard.format(*names) for guard in self.guards)
        return f"{self.form} by {key}{f' where {guards}' if guards else ''}"


def key_display(parts: Sequence[str]) -> str:
    """Return a key expression: the one part itself, or a tuple."""
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})" if parts else "None"


@dataclass(frozen=True, slots=True)
class Access:
    """How an item that matches a pattern is found in an index.

    `guards` and `key` are expressions with `{k}` for the item's field k, `values` what the key parts must be,
    and `open_fields` the fields that are not settled by them. `told` says key and values in the schema's words,
    with `{k}` for the name of field k. `loops` are names in the values with what they run over, and `settled` the
    matches of labels that need no test then.
    """

    guards: list[str]
    key: list[str]
    values: list[str]
    open_fields: list[int]
    told: list[tuple[str, str]] = field(default_factory=list)
    loops: list[tuple[str, str]] = field(default_factory=list)
    settled: list[m.Matches] = field(default_factory=list)


@dataclass(slots=True)
class Indexes:
    """The indexes asked for while a kernel is emitted; equal ones are shared."""

    _found: dict[tuple[str, tuple[str, ...], tuple[str, ...], tuple[int, ...]], Index] = field(
        default_factory=dict
    )

    def get(self, form: str, guards: Sequence[str], key: Sequence[str], payload: Sequence[int]) -> Index:
        """Return the index with these guards, key and payload."""
        wanted = (form, tuple(guards), tuple(key), tuple(payload))
        if wanted not in self._found:
            self._found[wanted] = Index(f"index_{len(self._found)}", *wanted)
        return self._found[wanted]

    def all(self) -> list[Index]:
        """Return every index asked for."""
        return list(self._found.values())

    def of(self, form: str) -> list[Index]:
        """Return the indexes over one item form."""
        return [index for index in self._found.values() if index.form == form]

    def reserved(self) -> list[str]:
        """Return the names that a kernel's index entries use."""
        return ["rows", *(index.name for index in self._found.values())]
