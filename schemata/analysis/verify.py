"""Correctness of a schema for a class of trees: soundness and completeness, tested up to a length.

A schema is complete for a class if every tree of the class, taken as grammar, has a final item that contains
the tree. It is sound if under no grammar a final item contains a structure that is no tree of the class or
that the grammar does not license. Both are settled length by length, so that the counterexample found is
the smallest.
"""

from __future__ import annotations

import time

from schemata.analysis.recognise import KNOWN_CLASSES, recognise
from schemata.analysis.verdict import Recognition, Verdict
from schemata.analysis.verify_job import RUN_BUDGET, UNIONS, Watcher, crew_for, prepare
from schemata.analysis.verify_progress import Progress, try_beyond
from schemata.engine.budget import Budget
from schemata.errors import BudgetError
from schemata.structures import TreeClass, tree_class
from schemata.workbench import ParsingSchema

__all__ = ["KNOWN_CLASSES", "RUN_BUDGET", "Recognition", "Verdict", "recognise", "verify"]


def verify(
    schema: ParsingSchema | str,
    class_of_trees: TreeClass | str,
    max_n: int = 5,
    *,
    seed: int = 0,
    single_root: bool = True,
    random: int = 0,
    jobs: int = 1,
    budget: Budget | None = None,
    unions: int = UNIONS,
    watch: Watcher | None = None,
) -> Verdict:
    """Test whether a schema parses exactly the trees of a class.

    Parameters
    ----------
    schema : a schema over D-rules or dependency rules, or the name of one.
    class_of_trees : the class or its name.
    max_n : test every tree of at most so many words.
    seed : fixes the random grammars and trees.
    single_root : trees have one root; else several words may hang under node 0.
    random : how many random trees, and as many grammars, of up to three words more to try.
    jobs : processes; the verdict does not depend on it.
    budget : limits of a single run; `RUN_BUDGET` if None.
    unions : limit of the work on the structures of a single chart.
    watch : is shown the results as they come.

    Returns
    -------
    The verdict, with the smallest counterexamples. An answer that a budget or Ctrl-C prevented is None.

    Raises
    ------
    UsageError : no such schema or class, a schema that derives no dependency trees, numbers out of range.
    SchemaError : the schema has errors.

    References
    ----------
    GCW11, section 3.1 (sound and complete schemata).

    >>> verdict = verify("eisner1996", "projective", 3)
    >>> verdict.sound, verdict.complete
    (True, True)
    >>> verify("covington2001", "all", 3).unsound.fault
    'a cycle 1 -> 2 -> 1'
    """
    started = time.perf_counter()
    chosen, job = prepare(schema, max_n, seed, random, jobs)
    wanted = tree_class(class_of_trees) if isinstance(class_of_trees, str) else class_of_trees
    state = Progress(wanted, single_root)
    with crew_for(chosen, single_root, budget, unions, jobs) as crew:
        try:
            for n in range(1, max_n + 1):
                found = job.find(crew, n, single_root, watch)
                state.learn(crew, n, found)
                if state.closed:
                    break
            if random and not state.closed:
                try_beyond(state, crew, job, range(max_n + 1, max_n + 4), random, watch=watch)
        except BudgetError as over:
            crew.abandon()
            state.stopped = state.stopped or getattr(over, "reason", "memory")
        except KeyboardInterrupt:
            crew.abandon()
            state.stopped = "interrupt"
    return Verdict(
        schema=chosen.name,
        parameters=dict(chosen.parameters),
        class_name=wanted.name,
        max_n=max_n,
        single_root=single_root,
        seed=seed,
        sound=False if state.unsound else (True if state.sound_to >= max_n else None),
        complete=False if state.incomplete else (True if state.complete_to >= max_n else None),
        unsound=state.unsound,
        incomplete=state.incomplete,
        sound_to=state.sound_to,
        complete_to=state.complete_to,
        grammar_kind=job.kind,
        every_grammar=job.by_links,
        random=state.random,
        stopped=state.stopped,
        runs=state.runs,
        seconds=time.perf_counter() - started,
    )
