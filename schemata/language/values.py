"""Item values as text and in order: `span[0, 3, false, true]`, `edge[A(B . ^), 1, 2]`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from schemata.language.labels import EMPTY, LONE_DOT
from schemata.language.model import HEAD_WORD, ROOT, Form, Type, Value

__all__ = ["format_item", "format_value", "sort_key"]

_NAME = re.compile(r"[^\W\d_]\w*'*")
_BARE_LABELS = {EMPTY: "<>", LONE_DOT: LONE_DOT}
_WORDS = frozenset(("false", "length", "not", "root", "true"))  # what a bare word would be mistaken for


def format_item(form: Form, values: Sequence[Value]) -> str:
    """Return an item in canonical text, as a schema would write it.

    Symbols are written bare where they could be names and in quotes where not, the absent value as `-`,
    lists as `<...>`, dotted rules as `A(B . C)`, sequences of labels in quotes.
    `schemata.language.ground.read_item` reads it back.
    """
    fields = (format_value(value, field.type) for value, field in zip(values, form.fields, strict=True))
    return f"{form.name}[{', '.join(fields)}]"


def format_value(value: Value, kind: Type) -> str:
    """Return one value of a type in canonical text."""
    if value is None:
        return "-"
    match kind.kind:
        case "flag":
            return "true" if value else "false"
        case "optional":
            return format_value(value, kind.arguments[0])
        case "list" if isinstance(value, tuple):
            return f"<{', '.join(format_value(v, kind.arguments[0]) for v in value)}>"
        case "tuple" if isinstance(value, tuple):
            return f"({', '.join(format_value(v, t) for v, t in zip(value, kind.arguments, strict=True))})"
        case "dotted" if isinstance(value, tuple):
            category, *parts = value
            words: list[str] = []
            for part in parts:
                if isinstance(part, tuple):
                    words += [HEAD_WORD if x == HEAD_WORD else _symbol(x) for x in part]
                words.append(".")
            return f"{_symbol(category)}({' '.join(words[:-1])})"
        case "symbol":
            return _symbol(value)
        case "label" | "labels" | "dotted labels":
            return f'"{value}"' if value not in _BARE_LABELS else _BARE_LABELS[str(value)]
    return str(value)


def _symbol(value: Value) -> str:
    if value == ROOT:
        return "root"
    text = str(value)
    return text if _NAME.fullmatch(text) and text not in _WORDS else f'"{text}"'


def sort_key(value: Value) -> Any:
    """Return a key that sorts values of one type: absent first, lists lexicographically."""
    if value is None:
        return ()
    if isinstance(value, tuple):
        return (tuple(map(sort_key, value)),)
    return (value,)
