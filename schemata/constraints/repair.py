"""Transformation-based parsing: an analysis is repaired step by step, guided by the constraints that it violates.

The first analysis gives each word the value that costs least on its own. The hardest violation is repaired first, by
new values of one or two of its words; among the values that repair it, those with the least total cost are chosen, even
if it is higher than before. So the search can leave a local optimum. A repaired constraint must not be violated again
within a chain of repairs (a tabu list, Glover and Laguna 1997). A chain that leads to a better analysis is kept, and
the next one starts there; one that does not is given up. Each analysis on the way is a tree, and the best one is kept:
the method is *anytime* (Foth 1999; Foth, Schröder and Menzel 2000; Kübler, McDonald and Nivre 2009, section 5.2.2).
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import product
from random import Random
from typing import Any

from schemata.budget import Budget
from schemata.grammars.constraint_networks import Assignment, Network, Violation
from schemata.grammars.constraints import Value
from schemata.records import Record, fields_json
from schemata.thresholds import EFFORTS

_BETTER = 1e-9


class ValueChange(Record):
    """A word that gets another value."""

    word: int
    old: Value
    new: Value


class RepairMove(Record):
    """A repair: the violation that is its reason, the changed values, and the analysis that it leads to.

    `kept` says whether it belongs to a chain that led to a better analysis.
    """

    reason: Violation
    changes: tuple[ValueChange, ...]
    after: Assignment
    kept: bool

    def to_json(self) -> dict[str, Any]:
        """Return the repair as a JSON object."""
        changes = [
            {"word": x.word, "from": [x.old.label, x.old.head], "to": [x.new.label, x.new.head]}
            for x in self.changes
        ]
        after = fields_json(self.after, "weight hard")
        return {"reason": self.reason.to_json(), "changes": changes, **after, "kept": self.kept}


class Repaired(Record):
    """The outcome: the first analysis, the best one, and the repairs.

    `stopped` is the limit that was hit; None if no chain of repairs leads further.
    """

    first: Assignment
    best: Assignment
    repairs: tuple[RepairMove, ...]
    tried: int
    stopped: str | None


def repair(
    network: Network,
    budget: Budget | None = None,
    *,
    start: Sequence[Value] | None = None,
    seed: int | None = None,
) -> Repaired:
    """Repair an analysis until no chain of repairs makes it better, or a limit is hit.

    Parameters
    ----------
    network : the network of a sentence.
    budget : limits: seconds, and steps, which are repairs.
    start : the first analysis; None for the value of each word that costs least on its own.
    seed : chooses a random first analysis.
    """
    limits, started = Budget().unless(budget), time.perf_counter()
    values = tuple(start) if start is not None else _first(network, seed)
    first = best = network.analysis(values)
    repairs: list[RepairMove] = []
    stopped: str | None = None
    tried = 0
    given_up: set[tuple[str, tuple[int, ...]]] = set()
    while stopped is None:
        reason = next((x for x in best.violations if _key(x) not in given_up), None)
        if reason is None:
            break
        chain: list[RepairMove] = []
        tabu: set[tuple[str, tuple[int, ...]]] = set()
        here = best
        while reason is not None and len(chain) < EFFORTS.repair_chain:
            if tried >= limits.steps or limits.left(started) <= 0:
                stopped = "steps" if tried >= limits.steps else "seconds"
                break
            tried += 1
            tabu.add(_key(reason))
            step = _repaired(network, here, reason, tabu)
            if step is None:
                break
            here = step.after
            chain.append(step)
            if here.cost < best.cost - _BETTER:
                break
            reason = next((x for x in here.violations if _key(x) not in tabu), None)
        better = here.cost < best.cost - _BETTER
        repairs += (RepairMove(x.reason, x.changes, x.after, better) for x in chain)
        if better:
            best = here
            given_up.clear()
        elif stopped is None:
            given_up.add(next(_key(x) for x in best.violations if _key(x) not in given_up))
    return Repaired(first, best, tuple(repairs), tried, stopped)


def _key(violation: Violation) -> tuple[str, tuple[int, ...]]:
    return violation.constraint.name, violation.words


def _choices(network: Network) -> tuple[tuple[Value, ...], ...]:
    """Return, for each word, the values from which repair chooses: the node consistent ones, or all if there are
    none.
    """
    pairs = zip(network.domains, network.consistent, strict=True)
    return tuple(tuple(values[k] for k in left) or values for values, left in pairs)


def _first(network: Network, seed: int | None) -> tuple[Value, ...]:
    """Return the value of each word that costs least on its own and makes no cycle; or random ones."""
    heads: dict[int, int] = {}
    chosen: list[Value] = []
    rng = None if seed is None else Random(f"repair {seed}")
    for word, values in enumerate(network.domains, start=1):
        if rng is None:
            costs = {
                value: sum(Violation(one, ()).cost for one in violated)
                for value, violated in zip(values, network.nodes[word - 1], strict=True)
            }
            ordered = sorted(values, key=lambda value: costs[value])
        else:
            ordered = rng.sample(values, len(values))
        value = next(value for value in ordered if not _leads_to(heads, value.head, word))
        heads[word] = value.head
        chosen.append(value)
    return tuple(chosen)


def _leads_to(heads: dict[int, int], start: int, word: int) -> bool:
    """Whether the heads above a node lead to a word; a cycle without the word ends the way."""
    for _ in range(len(heads) + 1):
        if start in (0, word):
            break
        start = heads.get(start, 0)
    return start == word


def _repaired(
    network: Network, analysis: Assignment, reason: Violation, tabu: set[tuple[str, tuple[int, ...]]]
) -> RepairMove | None:
    """Return the repair of a violation with the least total cost; None if there is none."""
    for several in (False, True):  # two words only where one does not do
        best: tuple[float, Assignment, tuple[ValueChange, ...]] | None = None
        for changes in _changes(network, analysis, reason, several):
            values = list(analysis.values)
            for change in changes:
                values[change.word - 1] = change.new
            heads = {word: value.head for word, value in enumerate(values, start=1)}
            if any(_leads_to(heads, heads[change.word], change.word) for change in changes):
                continue
            after = network.analysis(values)
            if any(_key(violation) in tabu for violation in after.violations):
                continue
            if best is None or after.cost < best[0] - _BETTER:
                best = after.cost, after, changes
        if best is not None:
            return RepairMove(reason, best[2], best[1], False)
    return None


def _changes(
    network: Network, analysis: Assignment, reason: Violation, several: bool
) -> Iterator[tuple[ValueChange, ...]]:
    """Yield other values of one word of a violation or its head; or of two of them and the words below them.

    A word can only come under one that is below it if that one gets another head as well.
    """
    choices = _choices(network)
    heads = (analysis.values[word - 1].head for word in reason.words)
    words = [*dict.fromkeys((*reason.words, *(head for head in heads if head)))]
    if several:
        above = {word: value.head for word, value in enumerate(analysis.values, start=1)}
        below = (x for x in above if any(_leads_to(above, above[x], word) for word in reason.words))
        words = [*dict.fromkeys((*words, *below))]
    single = {
        word: [ValueChange(word, old, new) for new in choices[word - 1] if new != old]
        for word, old in ((word, analysis.values[word - 1]) for word in words)
    }
    if not several:
        for word in words:
            yield from ((change,) for change in single[word])
        return
    for place, word in enumerate(words):
        for other in words[place + 1 :]:
            if len(single[word]) * len(single[other]) <= EFFORTS.repair_pairs:
                yield from product(single[word], single[other])
