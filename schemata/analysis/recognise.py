"""Which of the known classes of trees a schema parses exactly, up to some length."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import lru_cache

from schemata.analysis.verdict import Recognition, Unsound
from schemata.analysis.verify_evidence import explain_unsound
from schemata.analysis.verify_job import UNIONS, Watcher, crew_for, prepare
from schemata.engine.budget import Budget
from schemata.errors import BudgetError
from schemata.structures import DependencyTree, tree_class, trees_of_class
from schemata.workbench import ParsingSchema

__all__ = ["KNOWN_CLASSES", "recognise"]

KNOWN_CLASSES = (
    "covington-lsup",
    "projective",
    "planar",
    "wg-1",
    "mg-1",
    "gap-degree-1",
    "wg-2",
    "mg-2",
    "gap-degree-2",
    "wg-3",
    "mg-3",
    "well-nested",
    "2-planar",
    "3-planar",
    "all",
)
"""The classes that `recognise` tells apart."""


def recognise(
    schema: ParsingSchema | str,
    max_n: int = 5,
    *,
    seed: int = 0,
    single_root: bool = True,
    jobs: int = 1,
    budget: Budget | None = None,
    unions: int = UNIONS,
    watch: Watcher | None = None,
) -> Recognition:
    """Find the known classes of trees that a schema parses exactly, up to some length.

    Parameters and errors are those of `verify`.

    >>> recognise("mh", 4).parses
    ('projective',)
    """
    started = time.perf_counter()
    chosen, job = prepare(schema, max_n, seed, 0, jobs)
    names = list(KNOWN_CLASSES)
    counts: list[int] = []
    unsound: Unsound | None = None
    stopped: str | None = None
    covered = runs = 0
    with crew_for(chosen, single_root, budget, unions, jobs) as crew:
        try:
            for n in range(1, max_n + 1):
                found = job.find(crew, n, single_root, watch)
                runs += found.runs
                if found.offence is not None:
                    unsound = explain_unsound(crew.subject(), found.offence)
                    names, covered = [], n
                    break
                built = frozenset(found.built)
                if found.stopped:
                    # What was built is built all the same: it can refute a class, but not establish one.
                    stopped = found.stopped
                    names = [name for name in names if built <= _members(name, n, single_root)]
                    break
                names = [name for name in names if built == found.parsed == _members(name, n, single_root)]
                counts.append(len(found.parsed))
                covered = n
        except BudgetError as over:
            crew.abandon()
            stopped = getattr(over, "reason", "memory")
        except KeyboardInterrupt:
            crew.abandon()
            stopped = "interrupt"
    return Recognition(
        schema=chosen.name,
        parameters=dict(chosen.parameters),
        max_n=max_n,
        single_root=single_root,
        seed=seed,
        consistent=tuple(names),
        counts=tuple(counts),
        unsound=unsound,
        covered=covered,
        grammar_kind=job.kind,
        every_grammar=job.by_links,
        stopped=stopped,
        runs=runs,
        seconds=time.perf_counter() - started,
    )


@lru_cache(maxsize=256)
def _members(name: str, n: int, single_root: bool) -> frozenset[tuple[int, ...]]:
    """Return the trees of a class; asked for once per schema of a catalogue."""
    trees: Iterator[DependencyTree] = trees_of_class(tree_class(name), n, single_root=single_root)
    return frozenset(tree.heads for tree in trees)
