"""Propagation, search and repair against brute force: all assignments of values to the words of a sentence.

Brute force goes through all trees and all labels and readings, and evaluates every constraint on every assignment. It
shares only the formulas with the code that it checks.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from itertools import product
from random import Random
from typing import Any

from schemata.budget import Budget
from schemata.constraints.repair import repair
from schemata.constraints.search import find_all, find_best
from schemata.errors import UsageError
from schemata.grammars.constraint_networks import Assignment, Network
from schemata.grammars.constraints import Constraints, Value
from schemata.records import Record, Shown, json_of
from schemata.structures import Sentence, all_trees
from schemata.thresholds import EFFORTS
from schemata.workbench import ParsingSchema, Watcher, load

_SMALL = 1e-6  # by which sums of costs may differ
_SCHEMA = "constraint-propagation"


class WrongAnswer(Record):
    """A sentence on which an algorithm and brute force differ: the text of the grammar, the words, and the
    difference.
    """

    what: str
    grammar: str
    words: tuple[str, ...]

    to_json = json_of("what grammar words")


class ConstraintVerdict(Shown, Record):
    """Whether propagation, search and repair are right, to a number of words.

    Parameters
    ----------
    max_n, seed : the greatest number of words, and the seed of random grammars.
    cases, assignments : the sentences tried, and their assignments.
    out : how many values propagation took out; none of them is in an analysis without a hard violation.
    repaired : in how many cases repair found an analysis as good as the best.
    wrong : the first difference; None if there is none.
    too_many : sentences that were left out, as they have too many assignments.
    stopped : the limit that was hit, or None.
    """

    max_n: int
    seed: int
    cases: int
    assignments: int
    out: int
    repaired: int
    wrong: WrongAnswer | None
    too_many: int
    stopped: str | None

    @property
    def holds(self) -> bool | None:
        """Whether nothing differs; None if that is undecided."""
        if self.wrong is not None:
            return False
        return True if self.cases and self.stopped is None else None

    to_json = json_of("max_n seed holds cases assignments out repaired wrong too_many stopped!")


def verify_constraints(
    grammar: Constraints | None = None,
    max_n: int = 4,
    *,
    random: int = 12,
    seed: int = 0,
    seconds: float | None = None,
    watch: Watcher | None = None,
) -> ConstraintVerdict:
    """Compare propagation, exact search and repair with brute force over all assignments.

    Parameters
    ----------
    grammar : the constraints, on random sentences of their words; None for random grammars.
    max_n : the greatest number of words.
    random : the sentences tried of each length; of five words or more, a quarter of them.
    seed : fixes the random choices.
    seconds : the limit of all comparisons together; None for no limit.
    watch : wraps the cases, for a progress bar.

    Raises
    ------
    UsageError : a number is out of range, or the grammar has no words.

    >>> verify_constraints(max_n=2, random=3).holds
    True
    """
    if max_n < 1:
        raise UsageError(f"the number of words must be at least 1, not {max_n}", code="bad-option")
    end = None if seconds is None else time.monotonic() + seconds
    cases = [(n, k) for n in range(1, max_n + 1) for k in range(random if n < 5 else max(1, random // 4))]
    schema = load(_SCHEMA)
    counts = dict.fromkeys(("cases", "assignments", "out", "repaired", "too_many"), 0)
    wrong: WrongAnswer | None = None
    stopped: str | None = None
    try:
        for n, k in (watch or (lambda values, *_: values))(cases, len(cases), "brute force"):
            if end is not None and time.monotonic() > end:
                stopped = "seconds"
                break
            rng = Random(f"constraints {seed} {n} {k}")
            chosen = random_constraints(rng) if grammar is None else grammar
            network = Network(chosen, random_sentence(chosen, n, rng))
            if _size(network) > EFFORTS.assignments:
                counts["too_many"] += 1
                continue
            what, size, is_repaired = differences(schema, network)
            counts["cases"] += 1
            counts["assignments"] += size
            counts["out"] += sum(map(len, network.exclusions))
            counts["repaired"] += is_repaired
            if what is not None:
                wrong = WrongAnswer(what, chosen.to_text(), network.sentence.words)
                break
    except KeyboardInterrupt:
        stopped = "interrupt"
    return ConstraintVerdict(max_n=max_n, seed=seed, wrong=wrong, stopped=stopped, **counts)


def assignments(network: Network) -> Iterator[tuple[Value, ...]]:
    """Yield all assignments whose heads are a tree."""
    labels = network.grammar.labels
    choices = [list(product(range(len(listed)), labels)) for listed in network.readings]
    for tree in all_trees(network.n, single_root=False):
        for chosen in product(*choices):
            pairs = zip(chosen, tree.heads, strict=True)
            yield tuple(Value(reading, label, head) for (reading, label), head in pairs)


def differences(schema: ParsingSchema, network: Network) -> tuple[str | None, int, bool]:
    """Compare all algorithms with brute force on a sentence.

    Returns
    -------
    The difference (None if there is none), the number of assignments, and whether repair found a best analysis.
    """
    size, least = 0, math.inf
    free: set[tuple[Value, ...]] = set()
    used: set[tuple[int, Value]] = set()
    for values in assignments(network):
        size += 1
        analysis = Assignment(values, (), network.violations(values))
        least = min(least, analysis.cost)
        if not analysis.hard:
            free.add(values)
            used.update(enumerate(values, start=1))
    out = {
        (i, v[k])
        for i, (v, gone) in enumerate(zip(network.domains, network.exclusions, strict=True), 1)
        for k in gone
    }
    if used & out:
        word, value = min(used & out, key=str)
        return f"{network.name(word, value)} of word {word} is out, though an analysis has it", size, False
    chart = schema.run(network.sentence, network.grammar)
    derived = {item.values for item in chart.items if item.form == "out"}
    if derived != {(word, network.name(word, value)) for word, value in out}:
        return "the schema takes other values out than propagation does", size, False
    if chart.accepted != network.is_refuted:
        return "the schema and propagation differ about words without values", size, False
    every = find_all(network, len(free) + 1)
    if {one.values for one in every.analyses} != free or not every.is_all:
        return f"{every.count} analyses without hard violations were found, not {len(free)}", size, False
    found = find_best(network)
    if found.best is None or not found.is_best or abs(found.best.cost - least) > _SMALL:
        return f"the best analysis found costs {found.best and found.best.cost}, not {least}", size, False
    repaired = repair(network, Budget(steps=60))
    best = network.analysis(repaired.best.values)
    if best.cost < least - _SMALL or abs(best.cost - repaired.best.cost) > _SMALL:
        return "repair found an analysis that costs something else", size, False
    return None, size, best.cost <= least + _SMALL


def _size(network: Network) -> int:
    n = network.n
    trees = (n + 1) ** (n - 1)
    return int(trees * math.prod(len(listed) * len(network.grammar.labels) for listed in network.readings))


def random_sentence(grammar: Constraints, n: int, rng: Random) -> Sentence:
    """Return a sentence of random words of a grammar, or of words with random parts of speech."""
    words, tags = sorted(grammar.words), sorted(grammar.tags)
    if not words:
        chosen = [rng.choice(tags) for _ in range(n)]
        return Sentence(tuple(f"w{k}" for k in range(1, n + 1)), tuple(chosen))
    return Sentence(tuple(rng.choice(words) for _ in range(n)))


_ONE = (
    "X.label = {l} -> X.cat = {c}", "X.cat = {c} -> X.label = {l}", "X.label = {l} -> X.head = 0",
    "X.head = 0 -> X.cat = {c}", "X.label = {l} -> X^cat = {c}", "X.label = {l} -> X.position {o} X.head",
    "X.f = {f} or X^f = {f}", "X.f = X^f or X.head = 0", "distance(X) {o} {k}", "X.label = {l} -> X^label = {m}",
    "X.cat = {c} -> has(X, {l})", "X.label != {l} or not has(X, {l}, {m})", "X.word in {{a, b}} -> X.label = {l}",
)  # fmt: skip
_TWO = (
    "not crosses(X, Y)", "X.head = 0 -> Y.head != 0", "X.label = {l} and Y.label = {l} -> X.head != Y.head",
    "X.label = {l} and Y.head = X.position -> Y.label = {m}", "X.head = Y.position -> X.f = Y.f",
    "between(Y, X) -> Y.cat = {c} or X.label = {l}", "distance(X, Y) = 1 -> X.label != Y.label",
    "X.label = {l} and X^label = {m} -> Y.cat != {c}", "X.label = Y.label -> has(X, {l}) or Y.head = 0",
)  # fmt: skip


def random_constraints(rng: Random) -> Constraints:
    """Return a random grammar of two labels, two categories with a feature, and words of one or two readings."""
    lines = ["labels L M"]
    for word in "abc":
        readings = {f"{rng.choice('AB')} f={rng.choice('pq')}" for _ in range(rng.choice((1, 1, 2)))}
        lines.append(f"{word} : {' | '.join(sorted(readings))}")
    lines += ["d : A f=p", "e : B f=q"]
    for number in range(rng.randint(2, 7)):
        template = rng.choice(_ONE if rng.random() < 0.55 else _TWO)
        fields: dict[str, Any] = {"l": rng.choice("LM"), "m": rng.choice("LM"), "c": rng.choice("AB")}
        fields |= {"f": rng.choice("pq"), "o": rng.choice(("<", ">", "<=", "!=")), "k": rng.randint(-2, 2)}
        weight = rng.choice(("", "", " [0.5]", " [0.1]", " [0.9]"))
        lines.append(f"constraint c{number}{weight}: {template.format(**fields)}")
    return Constraints.from_text("\n".join(lines))
