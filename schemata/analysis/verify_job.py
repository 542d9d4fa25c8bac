"""What a request for a verification amounts to: the schema, how it is to be tested, and who does the work."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TypeAlias

from schemata.analysis.verify_plan import plan
from schemata.analysis.verify_pool import Workers, workers
from schemata.analysis.verify_runs import Found, decided_by_links, merge
from schemata.engine.budget import Budget
from schemata.errors import Diagnostic, UsageError
from schemata.workbench import ParsingSchema, load

__all__ = ["RUN_BUDGET", "UNIONS", "Job", "Watcher", "crew_for", "prepare"]

RUN_BUDGET = Budget(steps=5_000_000, seconds=60.0)
"""The limits of one run of a verification."""

UNIONS = 30_000_000
"""The unions of sets of links that the structures of one chart may take."""

Watcher: TypeAlias = Callable[[Iterable[Found], int, str], Iterable[Found]]
"""Passes results through and shows how far the work is: given results, how many to come, a description."""


@dataclass(frozen=True, slots=True)
class Job:
    """How a schema is tested at each length."""

    kind: str
    by_links: bool
    seed: int

    def find(self, crew: Workers, n: int, single_root: bool, watch: Watcher | None) -> Found:
        """Return what all runs with n words find."""
        units = plan(n, self.kind, self.by_links, single_root, self.seed)
        results: Iterable[Found] = crew.run(units)
        if watch is not None:
            results = watch(results, len(units), f"{crew.schemata[0].name}, {n} words")
        return merge(results)


def prepare(
    schema: ParsingSchema | str, max_n: int, seed: int, random: int, jobs: int
) -> tuple[ParsingSchema, Job]:
    """Load the schema and check the request."""
    for name, value, least in (("max_n", max_n, 1), ("random", random, 0), ("jobs", jobs, 1)):
        if value < least:
            raise UsageError(f"{name.replace('_', '-')} must be at least {least}, not {value}")
    chosen = load(schema) if isinstance(schema, str) else schema
    kind = chosen.definition.grammar
    if kind not in ("d-rules", "dependency-rules"):
        raise UsageError(
            Diagnostic(
                "no-trees",
                f"schema {chosen.name} runs over {kind} and derives no dependency trees",
                expected="a schema over d-rules or dependency-rules",
            )
        )
    return chosen, Job(kind, decided_by_links(chosen.definition), seed)


def crew_for(
    schema: ParsingSchema, single_root: bool, budget: Budget | None, unions: int, jobs: int
) -> AbstractContextManager[Workers]:
    """Return who does the work: this process, or several."""
    return workers([schema.definition], (single_root, budget or RUN_BUDGET, unions), jobs)
