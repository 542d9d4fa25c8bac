"""The operations on sequences of labels as tables that fill as a kernel asks: each value is taken apart once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from schemata.language import labels
from schemata.language.labels import outcomes

__all__ = ["TABLES", "label_tables"]


class _Table(dict[Any, Any]):
    """A function of one value (or of a pair), whose results are kept."""

    def __init__(self, function: Callable[..., Any], pairs: bool = False) -> None:
        super().__init__()
        self._function = function
        self._pairs = pairs

    def __missing__(self, key: Any) -> Any:
        found = self[key] = self._function(*key) if self._pairs else self._function(key)
        return found


def _begun(sequence: str) -> str | None:
    return labels.dotted(labels.EMPTY, sequence)


def _ended(sequence: str) -> str | None:
    return labels.dotted(sequence, labels.EMPTY)


def _next_token(sequence: str) -> str:
    return labels.token(labels.first(labels.after(sequence)))


def _first_token(sequence: str) -> str:
    return labels.token(labels.first(sequence))


def _last_token(sequence: str) -> str:
    return labels.token(labels.last(sequence))


# The names have underscores inside, so that no variable of a schema is called so in a kernel.
TABLES: dict[str, tuple[Callable[..., Any], bool]] = {
    "part_before": (labels.before, False),
    "part_after": (labels.after, False),
    "dot_begun": (_begun, False),
    "dot_ended": (_ended, False),
    "dot_closed": (labels.closed, False),
    "dot_moved": (labels.moved, False),
    "dot_outcomes": (outcomes, False),
    "label_first": (labels.first, False),
    "labels_rest": (labels.rest, False),
    "label_last": (labels.last, False),
    "labels_initial": (labels.initial, False),
    "labels_turned": (labels.turned, False),
    "labels_chain": (labels.chain, True),
    "labels_dotted": (labels.dotted, True),
    "label_at_dot": (labels.at_dot, False),
    "label_token": (labels.token, False),
    "next_token": (_next_token, False),
    "first_token": (_first_token, False),
    "last_token": (_last_token, False),
}


def label_tables(*names: str) -> tuple[_Table, ...]:
    """Return fresh tables for the operations of these names."""
    return tuple(_Table(*TABLES[name]) for name in names)
