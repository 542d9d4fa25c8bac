"""Oracles: from a gold tree to the sequence of transitions by which a transition system builds it.

A system's transitions are compositions of a few operations on a configuration: stacks, a buffer and arcs. An oracle is
a list of transitions with conditions on the configuration and the gold tree; the first that holds is taken. Node 0, the
artificial root, stands on the stack from the beginning; planar systems and easy-first have none, as published.

These oracles are static: they know the way to the tree. A dynamic oracle knows what each transition loses from any
configuration on: how many gold arcs that could be built before cannot be built after it.

References
----------
Kübler, McDonald & Nivre 2009, chapter 3; Nivre 2009; Gómez-Rodríguez & Nivre 2010, sections 4.3 and 5.2, and 2013.
Goldberg, Y. & Nivre, J. (2012). A dynamic oracle for arc-eager dependency parsing. COLING.
Goldberg, Y. & Nivre, J. (2013). Training deterministic parsers with non-deterministic oracles. TACL 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import pairwise
from typing import Any, TypeAlias

from schemata.errors import UsageError, did_you_mean, one_of
from schemata.json_values import document, fields_json, json_of
from schemata.quick_dataclasses import Record, dataclass, field
from schemata.structures.graphs import Link
from schemata.structures.planarity import arcs_of, colour, crossings_graph, plane_count
from schemata.structures.projections import members
from schemata.structures.trees import DependencyTree

_ROOT_HEAD = -1
_DROPPED = -1


@dataclass(slots=True)
class Configuration:
    """A configuration on the way to a gold tree; operations change it in place.

    Attributes
    ----------
    heads : the gold head of each node; -1 is that of node 0.
    stacks : the active one first, with their tops to the right; `active` is its plane.
    buffer : with its front to the right.
    built : the arcs until now, (dependent, head).
    open : how many dependents of each node are still to be attached.
    neighbours : the nodes to the left of each node that a gold arc links it to, nearest first.
    rank : the place of each node in the order in which a projective drawing of the tree has them.
    planes : the plane of each gold arc that has one, (left end, right end).
    """

    heads: Sequence[int]
    stacks: list[list[int]]
    buffer: list[int]
    active: int = 0
    built: set[Link] = field(default_factory=set)
    open: list[int] = field(default_factory=list)
    neighbours: list[list[int]] = field(default_factory=list)
    rank: Sequence[int] = ()
    planes: dict[Link, int] = field(default_factory=dict)

    @property
    def s0(self) -> int | None:
        """The top of the active stack."""
        return self.stacks[0][-1] if self.stacks[0] else None

    @property
    def s1(self) -> int | None:
        """The node under the top."""
        return self.stacks[0][-2] if len(self.stacks[0]) > 1 else None

    @property
    def b0(self) -> int | None:
        """The front of the buffer."""
        return self.buffer[-1] if self.buffer else None

    def wants(self, dependent: int | None, head: int | None) -> bool:
        """Whether an arc is in the gold tree, not built yet, and of the active stack's plane."""
        if dependent is None or head is None or self.heads[dependent] != head:
            return False
        return (dependent, head) not in self.built and self.is_here(dependent, head)

    def is_here(self, one: int, other: int) -> bool:
        """Whether an arc is of the active stack's plane."""
        return self.planes.get((min(one, other), max(one, other)), self.active) == self.active

    def is_done(self, node: int | None) -> bool:
        """Whether a node has all its dependents."""
        return node is not None and not self.open[node]

    def has_head(self, node: int | None) -> bool:
        """Whether a node has its head."""
        return node is not None and (node, self.heads[node]) in self.built

    def waiting(self, low: int | None, high: int | None) -> Iterator[int]:
        """Yield the nodes to the left of `low` with arcs to the buffer's front, `high`, that are not built."""
        if low is not None and high is not None:
            for node in self.neighbours[high]:
                pair = (high, node) if self.heads[high] == node else (node, high)
                if node < low and pair not in self.built:
                    yield node

    # operations

    def shift(self) -> None:
        """Move the buffer's front to all stacks."""
        node = self.buffer.pop()
        for stack in self.stacks:
            stack.append(node)

    def unshift(self) -> None:
        """Move the top back to the buffer."""
        self.buffer.append(self.stacks[0].pop())

    def reduce(self) -> None:
        """Drop the top of the active stack."""
        self.stacks[0].pop()

    def left(self) -> None:
        """Link the top to the buffer's front."""
        self._link(self.stacks[0][-1], self.buffer[-1])

    def right(self) -> None:
        """Link the buffer's front to the top."""
        self._link(self.buffer[-1], self.stacks[0][-1])

    def under(self) -> None:
        """Exchange the two topmost nodes."""
        self.stacks[0].append(self.stacks[0].pop(-2))

    def switch(self) -> None:
        """Make the next stack the active one."""
        self.stacks.append(self.stacks.pop(0))
        self.active = (self.active + 1) % len(self.stacks)

    def _link(self, dependent: int, head: int) -> None:
        self.built.add((dependent, head))
        self.open[head] -= self.heads[dependent] == head


Test: TypeAlias = Callable[[Configuration], bool | int]


def _waits_behind(c: Configuration) -> bool:
    """Whether an arc of the active plane leads from the buffer's front to a node under the top."""
    return any(c.is_here(node, c.b0 or 0) for node in c.waiting(c.s0, c.b0))


def _waits_elsewhere(c: Configuration) -> bool:
    """Whether an arc of another stack's plane leads from the buffer's front to the left."""
    planes = (c.planes.get((node, c.b0 or 0), c.active) for node in c.waiting(c.b0, c.b0))
    return any(0 <= plane != c.active and plane < len(c.stacks) for plane in planes)


def _leftmost(to_left: bool) -> Test:
    """Return a test that gives the place of the leftmost neighbours in the buffer that can be linked, from 1."""

    def place(c: Configuration) -> int:
        nodes = c.buffer[::-1]
        for number, (one, other) in enumerate(pairwise(nodes), start=1):
            for dependent, head in ((one, other), (other, one)):
                if c.wants(dependent, head) and c.is_done(dependent):
                    return number if to_left == (dependent == one) else 0
        return 0

    return place


Rule: TypeAlias = tuple[str, str, Test]
_SHIFT: Rule = ("Shift", "shift", lambda c: bool(c.buffer))
_LEFT: Rule = ("Left-Arc", "left reduce", lambda c: c.wants(c.s0, c.b0))
_RIGHT: Rule = (
    "Right-Arc", "right shift reduce unshift", lambda c: c.wants(c.b0, c.s0) and c.is_done(c.b0)
)  # fmt: skip
_RIGHT_OF_TWO: Rule = (
    "Right-Arc", "unshift right shift reduce", lambda c: c.wants(c.s0, c.s1) and c.is_done(c.s0)
)  # fmt: skip
_OF_TWO: tuple[Rule, ...] = (
    ("Left-Arc", "unshift left reduce shift", lambda c: c.wants(c.s1, c.s0) and c.is_done(c.s1)), _RIGHT_OF_TWO,
)  # fmt: skip
_ARCS: tuple[Rule, ...] = (
    ("Left-Arc", "left", lambda c: c.wants(c.s0, c.b0)), ("Right-Arc", "right", lambda c: c.wants(c.b0, c.s0)),
)  # fmt: skip
_REDUCE: Rule = ("Reduce", "reduce", _waits_behind)
_REDUCE_ATTACHED: Rule = ("Reduce", "reduce", lambda c: c.has_head(c.s0) and _waits_behind(c))

ORACLES: Mapping[str, tuple[Rule, ...]] = {
    "arc-standard-system": (_LEFT, _RIGHT, _SHIFT),
    "arc-standard-2004-system": (*_OF_TWO, _SHIFT),
    "arc-eager-system": (
        _LEFT, ("Right-Arc", "right shift", lambda c: c.wants(c.b0, c.s0)), _REDUCE_ATTACHED, _SHIFT
    ),
    "hybrid-system": (
        ("Left-Arc", "left reduce", lambda c: c.wants(c.s0, c.b0) and c.is_done(c.s0)), _RIGHT_OF_TWO, _SHIFT
    ),
    "easy-first-system": (
        ("Left-Arc", "left reduce", _leftmost(True)),
        ("Right-Arc", "right shift reduce unshift", _leftmost(False)),
        _SHIFT,
    ),
    "swap-system": (
        *_OF_TWO,
        ("Swap", "under unshift", lambda c: bool(c.s1) and c.rank[c.s0 or 0] < c.rank[c.s1 or 0]),
        _SHIFT,
    ),
    "attardi-system": (
        ("Left-Arc", "left reduce", lambda c: c.wants(c.s0, c.b0) and c.is_done(c.s0)),
        _RIGHT,
        ("NP-Left", "under left reduce", lambda c: c.wants(c.s1, c.b0) and c.is_done(c.s1)),
        ("NP-Right", "under right under shift reduce unshift", lambda c: c.wants(c.b0, c.s1) and c.is_done(c.b0)),
        _SHIFT,
    ),
    "dag-arc-standard-system": (("Left-Reduce", *_LEFT[1:]), ("Right-Reduce", *_RIGHT[1:]), _SHIFT),
    "dag-arc-eager-system": (*_ARCS, _REDUCE_ATTACHED, _SHIFT),
    "planar-system": (*_ARCS, _REDUCE, _SHIFT),
    "k-planar-system": (*_ARCS, _REDUCE, ("Switch", "switch", _waits_elsewhere), _SHIFT),
}  # fmt: skip
"""For each system its transitions in the order in which they are tried, with what they are composed of and a test.

A test that gives a number i stands for Shift i times before the rest, and Unshift i - 1 times after it.
"""


ROOTLESS = frozenset(("planar-system", "k-planar-system", "dag-arc-eager-system", "easy-first-system"))
"""The systems without node 0: what they build has no arc to the root."""


def oracle(
    system: str, tree: DependencyTree, k: int = 2, *, on_the_fly: bool = False
) -> Iterator[tuple[str, Configuration]]:
    """Yield the transitions that build a tree, each with the configuration that it leads to.

    The first has no name and the initial configuration; it is one value that changes. The tree is reproduced if all
    its arcs are in the last one's `built`: no oracle reproduces a tree outside its system's class.

    Parameters
    ----------
    system : its name.
    tree : the gold tree, with the arcs of node 0.
    k : the stacks of `k-planar-system`.
    on_the_fly : colour the two planes on the way, as the buffer's front tells; else they are given.

    Raises
    ------
    UsageError : the system has no oracle, or planes of other than two stacks are to be coloured on the way.
    BudgetError : the arcs cannot be coloured in reasonable time.

    >>> [name for name, _ in oracle("arc-standard-system", DependencyTree((2, 0)))]
    ['', 'Shift', 'Left-Arc', 'Right-Arc', 'Shift']
    """
    if system not in ORACLES:
        raise UsageError(
            f"there is no oracle for {system}", expected=one_of(ORACLES), hint=did_you_mean(system, ORACLES)
        )
    planar = system == "k-planar-system"
    if on_the_fly and (k != 2 or not planar):
        raise UsageError("planes are coloured on the way by k-planar-system with two stacks alone")
    rooted = system not in ROOTLESS
    stacks: list[list[int]] = [[0] * rooted for _ in range(k if planar else 1)]
    c = configuration(tree, stacks, range(1, len(tree) + 1), rooted=rooted)
    arcs = arcs_of(tree) if planar else []
    crossings = crossings_graph(arcs)
    if planar and not on_the_fly:
        c.planes |= planes_of(tree, k)
    yield "", c
    while True:
        if on_the_fly and c.b0 is not None:
            for node in c.neighbours[c.b0]:
                _colour(arcs.index((node, c.b0)), arcs, crossings, c)
        rule = advised(system, c)
        if rule is None:
            return
        name, operations, number = rule
        shifts = number if system == "easy-first-system" and name != "Shift" else 0
        for operation in ["shift"] * shifts + operations.split() + ["unshift"] * (shifts - 1):
            getattr(c, operation)()
        yield name, c


def planes_of(tree: DependencyTree, k: int) -> dict[Link, int]:
    """Return the plane of each arc of a tree, (left end, right end): more than k where k are not enough."""
    arcs = arcs_of(tree)
    return dict(zip(arcs, colour(crossings_graph(arcs), max(k, plane_count(tree))) or [], strict=True))


def advised(system: str, c: Configuration) -> tuple[str, str, int] | None:
    """Return the transition that a static oracle takes, what it is composed of, and its place; None at the end."""
    return next(((name, made_of, k) for name, made_of, test in ORACLES[system] if (k := test(c))), None)


# Dynamic oracles ------------------------------------------------------------------------------------------------

_MOST = 5_000  # configurations of swap-system that are looked at for one loss


def losses(system: str, c: Configuration) -> dict[str, int | None]:
    """Return what each transition that is possible loses: the number of gold arcs that cannot be built any more.

    For arc-eager and hybrid systems the arcs are counted, which is exact for projective trees (for others some may not
    be possible together). For swap-system the best continuations are searched for.

    Parameters
    ----------
    system : "arc-eager-system", "hybrid-system" or "swap-system".
    c : a configuration, on the way to the tree or not; see `configuration`.

    Returns
    -------
    Losses by transition; None where the search for it takes too long.

    Raises
    ------
    UsageError : the system has no dynamic oracle.

    >>> losses("arc-eager-system", configuration(DependencyTree((2, 0)), [[1]], [2]))
    {'Shift': 1, 'Left-Arc': 0, 'Right-Arc': 1}
    """
    if system not in DYNAMIC:
        message = f"there is no dynamic oracle for {system}"
        raise UsageError(message, expected=one_of(DYNAMIC), hint=did_you_mean(system, DYNAMIC))
    if system == "swap-system":
        start = tuple(c.stacks[0]), tuple(c.buffer[::-1])
        least = _least(c, [start])
        after = ((name, _least(c, [(*way, lost)])) for name, *way, lost in _swap_moves(c, *start))
        return {name: None if None in (lost, least) else lost - least for name, lost in after}  # type: ignore[operator]
    stack, buffer, gold = c.stacks[0], c.buffer[-2::-1], c.heads
    s0, s1, b0, eager = c.s0, c.s1, c.b0, system == "arc-eager-system"
    headed = {dependent for dependent, _ in c.built}
    of_top = sum(gold[k] == s0 for k in c.buffer)  # dependents of the top that are still to come
    found: dict[str, int | None] = {}
    if b0 is not None:
        left = sum(gold[k] == b0 and k not in headed for k in stack)
        nearest = None if eager else s0  # a head that the front keeps
        found["Shift"] = left + (gold[b0] in stack and gold[b0] != nearest)
        if s0 and not (eager and s0 in headed):
            found["Left-Arc"] = of_top + (
                gold[s0] in buffer or (not eager and s1 is not None and gold[s0] == s1)
            )
        if eager and s0 is not None:
            found["Right-Arc"] = left + (gold[b0] != s0 and (gold[b0] in stack or gold[b0] in buffer))
    if eager and s0 in headed:
        found["Reduce"] = of_top
    if not eager and s0 is not None and s1 is not None:
        found["Right-Arc"] = of_top + (gold[s0] in c.buffer)
    return found


DYNAMIC = ("arc-eager-system", "hybrid-system", "swap-system")
"""The systems with a dynamic oracle."""

_Place: TypeAlias = "tuple[tuple[int, ...], tuple[int, ...]]"


def _swap_moves(
    c: Configuration, stack: tuple[int, ...], buffer: tuple[int, ...]
) -> Iterator[tuple[str, tuple[int, ...], tuple[int, ...], int]]:
    """Yield the transitions of swap-system with stack, buffer and the number of gold arcs that they lose at once."""
    gold, left = c.heads, {*stack, *buffer}

    def lost(dependent: int, head: int) -> int:
        return (gold[dependent] != head and gold[dependent] in left) + sum(gold[k] == dependent for k in left)

    if len(stack) > 1:
        *below, i, j = stack
        if i:
            yield "Left-Arc", (*below, j), buffer, lost(i, j)
        yield "Right-Arc", (*below, i), buffer, lost(j, i)
        if 0 < i < j:
            yield "Swap", (*below, j), (i, *buffer), 0
    if buffer:
        yield "Shift", (*stack, buffer[0]), buffer[1:], 0


def _least(c: Configuration, starts: Sequence[tuple[Any, ...]]) -> int | None:
    """Return how many gold arcs are lost at least from a configuration (and what is lost on the way to it) on.

    Nothing can be done at once for sure: a node that has all its arcs may still help another one to be swapped.
    """
    agenda: list[tuple[int, int, int, _Place]] = []
    seen: set[_Place] = set()
    for stack, buffer, *lost in starts:
        heappush(agenda, (sum(lost), 0, 0, (stack, buffer)))
    while agenda and len(seen) < _MOST:
        total, _, _, place = heappop(agenda)
        if place in seen:
            continue
        seen.add(place)
        stack, buffer = place
        left = sum(c.heads[k] in (*stack, *buffer) for k in (*stack, *buffer))
        if not left:
            return total
        moves = list(_swap_moves(c, *place))
        if not moves:
            return total + left
        for name, after, waiting, price in moves:
            rest = left - price - name.endswith("Arc")
            heappush(agenda, (total + price, rest, -len(seen), (after, waiting)))
    return None


class Row(Record):
    """A transition with the configuration that it leads to: stacks, buffer and the arcs that are new in it.

    `losses` are those of the transitions that are possible next, where they are asked for.
    """

    transition: str
    stacks: tuple[tuple[int, ...], ...]
    buffer: tuple[int, ...]
    arcs: tuple[Link, ...]
    losses: Mapping[str, int | None] | None = None

    to_json = json_of("transition stacks buffer arcs losses?")


class Followed(Record):
    """What the oracle of a system does with a tree: its transitions, and the gold arcs that are missing at the end.

    `rows` are the configurations, the initial one first; none where they were not kept.
    """

    system: str
    size: int
    transitions: tuple[str, ...]
    missing: tuple[Link, ...]
    rows: tuple[Row, ...] = ()

    @property
    def reproduced(self) -> bool:
        """Whether all arcs of the tree are built."""
        return not self.missing

    def to_json(self) -> dict[str, Any]:
        """Return the object that `oracle --json` prints for a sentence."""
        return document(fields_json(self, "system transitions reproduced missing rows?"))


@dataclass(slots=True)
class Totals:
    """What oracles did with trees; words, transitions and Switches are those of the trees that were reproduced."""

    sentences: int = 0
    skipped: int = 0
    reproduced: int = 0
    words: int = 0
    transitions: int = 0
    switches: int = 0

    def add(self, found: Followed) -> None:
        """Count what was done with one more tree."""
        self.sentences += 1
        if found.reproduced:
            self.reproduced += 1
            self.words += found.size
            self.transitions += len(found.transitions)
            self.switches += found.transitions.count("Switch")


def follow(
    system: str,
    tree: DependencyTree,
    k: int = 2,
    *,
    on_the_fly: bool = False,
    keep: bool = True,
    lose: bool = False,
) -> Followed:
    """Return what a system's oracle does with a tree; with `keep`, all configurations, with `lose`, all losses too.

    See `oracle` and `losses`.

    >>> found = follow("k-planar-system", DependencyTree((3, 4, 0, 3)))
    >>> found.reproduced, found.transitions.count("Switch")
    (True, 1)
    """
    rows: list[Row] = []
    names: list[str] = []
    known: set[Link] = set()
    for name, c in oracle(system, tree, k, on_the_fly=on_the_fly):
        names.append(name)
        if keep:
            stacks = tuple(map(tuple, c.stacks))
            lost = losses(system, c) if lose else None
            rows.append(Row(name, stacks, tuple(c.buffer[::-1]), tuple(sorted(c.built - known)), lost))
            known = set(c.built)
    wanted = {(d, h) for d, h in tree.links if h or system not in ROOTLESS}
    return Followed(system, len(tree), tuple(names[1:]), tuple(sorted(wanted - c.built)), tuple(rows))


def configuration(
    tree: DependencyTree,
    stacks: Sequence[Sequence[int]],
    buffer: Sequence[int],
    built: Iterable[Link] = (),
    *,
    rooted: bool = True,
) -> Configuration:
    """Return any configuration of a sentence with a gold tree.

    Parameters
    ----------
    tree : the gold tree.
    stacks, buffer : their nodes; tops to the right, the front of the buffer to the left.
    built : the arcs until now, (dependent, head).
    rooted : whether node 0 takes part.
    """
    heads = (_ROOT_HEAD, *tree.heads)
    c = Configuration(heads, [list(stack) for stack in stacks], list(buffer)[::-1], built=set(built))
    c.open = [len(tree.dependents(node)) for node in range(len(heads))]
    for dependent, head in c.built:
        c.open[head] -= heads[dependent] == head
    c.neighbours = [[] for _ in heads]
    for low, high in reversed(arcs_of(tree, artificial_root=rooted)):
        c.neighbours[high].append(low)
    c.rank = _ranks(tree)
    return c


def _ranks(tree: DependencyTree) -> list[int]:
    """Return the place of each node in the order in which each stands between its left and its right dependents."""
    ranks, count = [0] * (len(tree) + 1), 0
    pending = [(0, False)]
    while pending:
        node, is_open = pending.pop()
        if is_open:
            ranks[node] = count
            count += 1
            continue
        below = tree.dependents(node)
        pending += [(d, False) for d in reversed(below) if d > node]
        pending.append((node, True))
        pending += [(d, False) for d in reversed(below) if d < node]
    return ranks


def _colour(first: int, arcs: Sequence[Link], crossings: Sequence[int], c: Configuration) -> None:
    """Give an arc the active plane, if it has none, and the arcs that it crosses the other one, and so on.

    An arc between two that have different planes is dropped.
    """
    if arcs[first] in c.planes:
        return
    c.planes[arcs[first]] = c.active
    pending = [first]
    while pending:
        for arc in members(crossings[pending.pop()]):
            if arcs[arc] not in c.planes:
                around = {c.planes.get(arcs[other], _DROPPED) for other in members(crossings[arc])} - {
                    _DROPPED
                }
                c.planes[arcs[arc]] = _DROPPED if len(around) > 1 else 1 - around.pop()
                pending += [arc] if c.planes[arcs[arc]] != _DROPPED else []
