"""The course of a decision: what goes through its items, how it ends early, and what it refuses from the start."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from schemata.analysis.relations.answers import Counterexample
from schemata.analysis.relations.emulation import SearchTooLongError
from schemata.analysis.relations.map_text import map_text
from schemata.engine.budget import BudgetExceeded
from schemata.errors import Diagnostic, UsageError
from schemata.language import model as m
from schemata.language.relation_model import Relation, StepKind

__all__ = ["OverTimeError", "Watcher", "check_grammars", "guarded", "map_texts", "unwatched"]

Watcher: TypeAlias = Callable[[Iterable[Any], int, str], Iterable[Any]]


def unwatched(items: Iterable[Any], total: int, description: str) -> Iterable[Any]:
    """Return the items as they are: the watcher that shows nothing."""
    return items


class OverTimeError(Exception):
    """The seconds of a decision are used up."""


def guarded(search: Callable[[], Counterexample | None]) -> tuple[Counterexample | None, str | None]:
    """Return what a search for a counterexample finds, or None and why it was stopped."""
    try:
        return search(), None
    except BudgetExceeded as over:
        return None, over.reason
    except OverTimeError:
        return None, "seconds"
    except SearchTooLongError:
        return None, "steps"
    except MemoryError:
        return None, "memory"
    except KeyboardInterrupt:
        return None, "interrupt"


def check_grammars(first: m.Schema, second: m.Schema, kind: StepKind) -> None:
    """Raise UsageError where two schemata are over different kinds of grammar."""
    if first.grammar != second.grammar:
        raise UsageError(
            Diagnostic(
                "other-grammars",
                f"{first.name} is over {first.grammar} and {second.name} over {second.grammar}",
                expected=f"two schemata over one kind of grammar, for a {kind.replace('-', ' ')}",
                hint="an item refinement can be asked about for D-rules and dependency rules",
            )
        )


def map_texts(relation: Relation) -> tuple[str, ...]:
    """Return the maps of a relation as text, but for items carried over unchanged."""
    return tuple(map_text(relation, x) for x in relation.maps if x.written)
