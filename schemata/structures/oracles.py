"""Oracles: from a gold tree to the sequence of transitions by which a transition system builds it.

A system's transitions are compositions of a few operations on a configuration: stacks, a buffer and arcs. An oracle is
a list of transitions with conditions on the configuration and the gold tree; the first that holds is taken. Node 0, the
artificial root, stands on the stack from the beginning; planar systems and easy-first have none, as published.

These oracles are static: they know the way to the tree. A dynamic oracle knows the loss of each transition from any
configuration: how many gold arcs that could be built before cannot be built after it.

References
----------
Kübler, McDonald & Nivre 2009, chapter 3; Nivre 2008 (lists) and 2009; Gómez-Rodríguez & Nivre 2010, sections 4.3 and
5.2, and 2013.
Goldberg, Y. & Nivre, J. (2012). A dynamic oracle for arc-eager dependency parsing. COLING.
Goldberg, Y. & Nivre, J. (2013). Training deterministic parsers with non-deterministic oracles. TACL 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import pairwise
from typing import Any, TypeAlias

from schemata.errors import UsageError, require_known
from schemata.records import Record, Shown, Tabular, dataclass, document, field, fields_json, json_of, replace
from schemata.structures.graphs import DependencyTree, Link
from schemata.structures.planarity import arcs_of, colour, crossings_graph, plane_count
from schemata.structures.projections import members
from schemata.thresholds import EFFORTS, REFUSALS

_NONE = -1  # where a node has no head, and an arc no plane


@dataclass(slots=True)
class Configuration:
    """A configuration on the way to a gold tree; operations change it in place.

    Attributes
    ----------
    heads : the gold head of each node; -1 for node 0, and for the roots if node 0 takes no part.
    stacks : the active one first, with their tops to the right; `active` is its plane.
    buffer : with its front to the right.
    built : the arcs until now, (dependent, head).
    rank : the place of each node in the order in which a projective drawing of the tree has them.
    planes : the plane of each gold arc that has one, (left end, right end).
    """

    heads: Sequence[int]
    stacks: list[list[int]]
    buffer: list[int]
    built: set[Link]
    rank: Sequence[int] = ()
    active: int = 0
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

    def lacks(self, dependent: int, head: int) -> bool:
        """Whether an arc is in the gold tree and not built yet."""
        return self.heads[dependent] == head and (dependent, head) not in self.built

    def plane(self, one: int, other: int) -> int:
        """Return the plane of the arc between two nodes; the active stack's where it has none."""
        return self.planes.get((min(one, other), max(one, other)), self.active)

    def wants(self, dependent: int | None, head: int | None) -> bool:
        """Whether an arc is in the gold tree, not built yet, and of the active stack's plane."""
        if dependent is None or head is None or not self.lacks(dependent, head):
            return False
        return self.plane(dependent, head) == self.active

    def is_done(self, node: int | None) -> bool:
        """Whether a node has all its dependents."""
        return node is not None and not any(self.lacks(d, node) for d in range(len(self.heads)))

    def has_head(self, node: int | None) -> bool:
        """Whether a node has its head."""
        return node is not None and (node, self.heads[node]) in self.built

    def waiting(self, low: int | None) -> set[int]:
        """Return the planes of the arcs still to be built between the buffer's front and nodes to the left of `low`."""
        front, nodes = self.b0, range(low or 0)
        if front is None:
            return set()
        return {self.plane(x, front) for x in nodes if self.lacks(front, x) or self.lacks(x, front)}

    # operations

    def apply(self, operations: str) -> None:
        """Do operations one after the other, named with blanks between them."""
        for operation in operations.split():
            getattr(self, operation)()

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
        self.built.add((self.stacks[0][-1], self.buffer[-1]))

    def right(self) -> None:
        """Link the buffer's front to the top."""
        self.built.add((self.buffer[-1], self.stacks[0][-1]))

    def under(self) -> None:
        """Exchange the two topmost nodes."""
        self.stacks[0].append(self.stacks[0].pop(-2))

    def skip(self) -> None:
        """Move the top of the first stack to the front of the second one: the word is passed."""
        self.stacks[1].insert(0, self.stacks[0].pop())

    def read(self) -> None:
        """Move all passed words back, and the buffer's front behind them."""
        self.stacks[0] += [*self.stacks[1], self.buffer.pop()]
        self.stacks[1].clear()

    def switch(self) -> None:
        """Make the next stack the active one."""
        self.stacks.append(self.stacks.pop(0))
        self.active = (self.active + 1) % len(self.stacks)


ConfigurationTest: TypeAlias = Callable[[Configuration], bool | int]


def _waits_behind(c: Configuration) -> bool:
    """Whether an arc of the active plane leads from the buffer's front to a node under the top."""
    return c.active in c.waiting(c.s0)


def _waits_elsewhere(c: Configuration) -> bool:
    """Whether an arc of another stack's plane leads from the buffer's front to the left."""
    return any(0 <= plane < len(c.stacks) and plane != c.active for plane in c.waiting(c.b0))


def _leftmost(to_left: bool) -> ConfigurationTest:
    """Return a test that gives the place of the leftmost neighbours in the buffer that can be linked, from 1."""

    def place(c: Configuration) -> int:
        nodes = c.buffer[::-1]
        for number, (one, other) in enumerate(pairwise(nodes), start=1):
            for dependent, head in ((one, other), (other, one)):
                if c.wants(dependent, head) and c.is_done(dependent):
                    return number if to_left == (dependent == one) else 0
        return 0

    return place


def _arc(dependent: str, head: str, done: bool = True) -> ConfigurationTest:
    """Return a test whether an arc between s0, s1 or b0 is wanted; with `done`, also whether the dependent has all its
    dependents.
    """

    def is_due(c: Configuration) -> bool:
        node: int | None = getattr(c, dependent)
        return c.wants(node, getattr(c, head)) and (not done or c.is_done(node))

    return is_due


OracleRule: TypeAlias = tuple[str, str, ConfigurationTest]
_SHIFT: OracleRule = ("Shift", "shift", lambda c: bool(c.buffer))
_LEFT: OracleRule = ("Left-Arc", "left reduce", _arc("s0", "b0", done=False))
_LEFT_DONE: OracleRule = ("Left-Arc", "left reduce", _arc("s0", "b0"))
_LEFT_OF_TWO: OracleRule = ("Left-Arc", "unshift left reduce shift", _arc("s1", "s0"))
_RIGHT: OracleRule = ("Right-Arc", "right shift reduce unshift", _arc("b0", "s0"))
_RIGHT_OF_TWO: OracleRule = ("Right-Arc", "unshift right shift reduce", _arc("s0", "s1"))
_RIGHT_EAGER: OracleRule = ("Right-Arc", "right shift", _arc("b0", "s0", done=False))
_LEFT_ONLY: OracleRule = ("Left-Arc", "left", _arc("s0", "b0", done=False))
_RIGHT_ONLY: OracleRule = ("Right-Arc", "right", _arc("b0", "s0", done=False))
_REDUCE: OracleRule = ("Reduce", "reduce", _waits_behind)
_REDUCE_ATTACHED: OracleRule = ("Reduce", "reduce", lambda c: c.has_head(c.s0) and _waits_behind(c))
_SWITCH: OracleRule = ("Switch", "switch", _waits_elsewhere)

ORACLES: Mapping[str, tuple[OracleRule, ...]] = {
    "arc-standard-system": (_LEFT, _RIGHT, _SHIFT),
    "arc-standard-2004-system": (_LEFT_OF_TWO, _RIGHT_OF_TWO, _SHIFT),
    "arc-eager-system": (_LEFT, _RIGHT_EAGER, _REDUCE_ATTACHED, _SHIFT),
    "hybrid-system": (_LEFT_DONE, _RIGHT_OF_TWO, _SHIFT),
    "easy-first-system": (
        ("Left-Arc", "left reduce", _leftmost(True)),
        ("Right-Arc", "right shift reduce unshift", _leftmost(False)),
        _SHIFT,
    ),
    "swap-system": (
        _LEFT_OF_TWO,
        _RIGHT_OF_TWO,
        ("Swap", "under unshift", lambda c: bool(c.s1) and c.rank[c.s0 or 0] < c.rank[c.s1 or 0]),
        _SHIFT,
    ),
    "attardi-system": (
        _LEFT_DONE,
        _RIGHT,
        ("NP-Left", "under left reduce", _arc("s1", "b0")),
        ("NP-Right", "under right under shift reduce unshift", _arc("b0", "s1")),
        _SHIFT,
    ),
    "dag-arc-standard-system": (("Left-Reduce", *_LEFT[1:]), ("Right-Reduce", *_RIGHT[1:]), _SHIFT),
    "dag-arc-eager-system": (_LEFT_ONLY, _RIGHT_ONLY, _REDUCE_ATTACHED, _SHIFT),
    "planar-system": (_LEFT_ONLY, _RIGHT_ONLY, _REDUCE, _SHIFT),
    "k-planar-system": (_LEFT_ONLY, _RIGHT_ONLY, _REDUCE, _SWITCH, _SHIFT),
    "yamada-matsumoto-system": (_LEFT, _RIGHT, _SHIFT),  # which needs no second pass
    "covington-system": (
        ("Left-Arc", "left skip", _LEFT_ONLY[2]),
        ("Right-Arc", "right skip", _RIGHT_ONLY[2]),
        ("No-Arc", "skip", _waits_behind),
        ("Shift", "read", _SHIFT[2]),
    ),
}
"""For each system its transitions in the order in which they are tried, with their parts and a test.

A test that gives a number i stands for Shift i times before the rest, and Unshift i - 1 times after it.
"""


ROOTLESS = frozenset(("planar-system", "k-planar-system", "dag-arc-eager-system", "easy-first-system"))
"""The systems without node 0: their graphs have no arc to the root."""


def oracle(
    system: str,
    tree: DependencyTree,
    k: int = 2,
    *,
    on_the_fly: bool = False,
    rooted: bool | None = None,
) -> Iterator[tuple[str, Configuration]]:
    """Yield the transitions that build a tree, each with the configuration that it leads to.

    The first pair has no name, and the initial configuration. All pairs have one and the same configuration, which
    changes. The tree is reproduced if all its arcs are in the last one's `built`: no oracle reproduces a tree outside
    its system's class.

    Parameters
    ----------
    system : its name.
    tree : the gold tree, with the arcs of node 0.
    k : the stacks of `k-planar-system`.
    on_the_fly : colour the two planes on the way, by the buffer's front; else they are given.
    rooted : whether node 0 stands on the stack; None for the default by `ROOTLESS`.

    Raises
    ------
    UsageError : the system has no oracle, or its number of stacks is below 1, too large, or not 2 where planes are
        coloured.
    BudgetError : the arcs cannot be coloured in reasonable time.

    >>> [name for name, _ in oracle("arc-standard-system", DependencyTree((2, 0)))]
    ['', 'Shift', 'Left-Arc', 'Right-Arc', 'Shift']
    """
    require_known(system, ORACLES, f"there is no oracle for {system}")
    planar = system == "k-planar-system"
    count = k if planar else 1 + (system == "covington-system")  # which has a list of words that were passed
    if not 1 <= k <= REFUSALS.stacks:
        raise UsageError(
            f"k = {k} is out of range: {system} needs a stack, and has {REFUSALS.stacks} at most"
        )
    if on_the_fly and (k != 2 or not planar):
        raise UsageError("planes are coloured on the way by k-planar-system with two stacks alone")
    rooted = system not in ROOTLESS if rooted is None else rooted
    stacks: list[list[int]] = [[0] * rooted for _ in range(count)]
    if system == "covington-system":
        stacks[1].clear()
    c = configuration(tree, stacks, range(1, len(tree) + 1), rooted=rooted)
    arcs = arcs_of(tree) if on_the_fly else []
    crossings = crossings_graph(arcs)
    if planar and not on_the_fly:
        c.planes |= planes_of(tree, k)
    yield "", c
    while True:
        for number, (_, right) in reversed([*enumerate(arcs)]):
            if right == c.b0:
                _colour(number, arcs, crossings, c)
        rule = advised(system, c)
        if rule is None:
            return
        name, operations, number = rule
        shifts = number if system == "easy-first-system" and name != "Shift" else 0
        c.apply("shift " * shifts + operations + " unshift" * (shifts - 1))
        yield name, c


def planes_of(tree: DependencyTree, k: int) -> dict[Link, int]:
    """Return the plane of each arc of a tree, (left end, right end): more than k where k are not enough."""
    arcs = arcs_of(tree)
    return dict(zip(arcs, colour(crossings_graph(arcs), max(k, plane_count(tree))) or [], strict=True))


def advised(system: str, c: Configuration) -> tuple[str, str, int] | None:
    """Return the transition that a static oracle takes, the parts it is composed of, and its place; None at the
    end.
    """
    return next(((name, made_of, k) for name, made_of, test in ORACLES[system] if (k := test(c))), None)


# Dynamic oracles ------------------------------------------------------------------------------------------------


def losses(system: str, c: Configuration) -> dict[str, int | None]:
    """Return the loss of each possible transition: the number of gold arcs that cannot be built any more.

    For arc-eager and hybrid systems the arcs are counted, which is exact for projective trees (for others some may not
    be possible together). For swap-system the best continuations are searched for.

    Parameters
    ----------
    system : "arc-eager-system", "hybrid-system" or "swap-system".
    c : a configuration, on the way to the tree or not; see `configuration`.

    Returns
    -------
    Losses by transition; None if the search for it takes too long.

    Raises
    ------
    UsageError : the system has no dynamic oracle.

    >>> losses("arc-eager-system", configuration(DependencyTree((2, 0)), [[1]], [2]))
    {'Shift': 1, 'Left-Arc': 0, 'Right-Arc': 1}
    """
    require_known(system, DYNAMIC, f"there is no dynamic oracle for {system}")
    before, after = _most(system, c), {name: _most(system, d) for name, d in _moves(system, c)}
    return {name: None if before is None or most is None else before - most for name, most in after.items()}


DYNAMIC = ("arc-eager-system", "hybrid-system", "swap-system")
"""The systems with a dynamic oracle."""


def _moves(system: str, c: Configuration) -> Iterator[tuple[str, Configuration]]:
    """Yield the possible transitions of a system with a dynamic oracle, and the configurations they lead to."""
    s0, s1, swaps, eager = c.s0, c.s1, system == "swap-system", system == "arc-eager-system"
    is_attached = eager and any(dependent == s0 for dependent, _ in c.built)
    possible = {
        "Shift": bool(c.buffer),
        "Left-Arc": bool(s1) if swaps else bool(s0 and c.buffer) and not is_attached,
        "Right-Arc": s0 is not None and bool(c.buffer) if eager else s1 is not None,
        "Reduce": is_attached,
        "Swap": 0 < (s1 or 0) < (s0 or 0),
    }
    operations = {name: made_of for name, made_of, _ in ORACLES[system]}
    for name in (name for name, is_possible in possible.items() if is_possible and name in operations):
        after = Configuration(c.heads, [[*c.stacks[0]]], [*c.buffer], {*c.built})
        after.apply(operations[name])
        yield name, after


def _bound(system: str, c: Configuration) -> tuple[int, int]:
    """Return how many gold arcs may be built in the end, at most, and how many of them are still to be built."""
    stack, gold = c.stacks[0], c.heads
    nodes, buffer = {*stack, *c.buffer}, {*c.buffer}
    heads = dict.fromkeys(nodes, nodes)  # those that a node may still get
    if system != "swap-system":
        heads |= dict.fromkeys(stack, buffer)
    if system == "hybrid-system":
        heads |= {d: {below, *buffer} for below, d in pairwise(stack)}
    headed = {dependent for dependent, _ in c.built}
    left = sum(gold[d] in those for d, those in heads.items() if d not in headed)
    return left + sum(gold[dependent] == head for dependent, head in c.built), left


def _most(system: str, c: Configuration) -> int | None:
    """Return how many gold arcs can be built in the end, those of the past among them; None if that takes too long.

    In swap-system nothing can be done at once for sure: a node that has all its arcs may still help another one to be
    swapped. So the configurations with the greatest bounds are looked at first.
    """
    most, left = _bound(system, c)
    agenda = [(-most, left, 0, 0, c)]
    seen: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()
    while agenda and len(seen) < EFFORTS.lost_configurations:
        bound, left, *_, c = heappop(agenda)
        if not left or system != "swap-system":
            return -bound
        place = tuple(c.stacks[0]), tuple(c.buffer)
        if place not in seen:
            seen.add(place)
            for number, (_, after) in enumerate(_moves(system, c)):
                most, left = _bound(system, after)
                heappush(agenda, (-most, left, -len(seen), number, after))
    return None


class OracleStep(Record):
    """A transition with the configuration that it leads to: stacks, buffer and the arcs that are new in it.

    `losses` are those of the transitions that are possible next, where they are asked for.
    """

    transition: str
    stacks: tuple[tuple[int, ...], ...]
    buffer: tuple[int, ...]
    arcs: tuple[Link, ...]
    losses: Mapping[str, int | None] | None = None

    to_json = json_of("transition stacks buffer arcs losses?")


class Followed(Record, Shown, Tabular, repr=False):
    """The run of a system's oracle on a tree: its transitions, and the gold arcs that are missing at the end.

    `rows` are the configurations, the initial one first; none where they were not kept.
    """

    system: str
    size: int
    transitions: tuple[str, ...]
    missing: tuple[Link, ...]
    rows: tuple[OracleStep, ...] = ()

    @property
    def reproduced(self) -> bool:
        """Whether all arcs of the tree are built."""
        return not self.missing

    def __repr__(self) -> str:
        done = "reproduced" if self.reproduced else "not reproduced"
        return f"<Followed {self.system}: {len(self.transitions)} transitions, {done}>"

    def table_rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each configuration: the transition to it, stacks, buffer and new arcs as text."""
        for row in self.rows:
            stacks = " | ".join(" ".join(map(str, stack)) for stack in row.stacks)
            arcs = ", ".join(f"{d} under {h}" for d, h in row.arcs)
            buffer = " ".join(map(str, row.buffer))
            yield {"transition": row.transition, "stacks": stacks, "buffer": buffer, "arcs": arcs}

    def to_json(self) -> dict[str, Any]:
        """Return the object that `oracle --json` prints for a sentence."""
        return document(fields_json(self, "system transitions reproduced missing rows?"))


class Totals(Record):
    """The results of oracles on trees; words, transitions and Switches are those of the trees that were
    reproduced.

    `names` are the different transitions.
    """

    sentences: int = 0
    skipped: int = 0
    reproduced: int = 0
    words: int = 0
    transitions: int = 0
    switches: int = 0
    names: frozenset[str] = frozenset()

    def plus(self, found: Followed) -> Totals:
        """Return the counts with one more tree."""
        total = replace(self, sentences=self.sentences + 1)
        if not found.reproduced:
            return total
        return replace(
            total,
            reproduced=self.reproduced + 1,
            words=self.words + found.size,
            transitions=self.transitions + len(found.transitions),
            switches=self.switches + found.transitions.count("Switch"),
            names=self.names.union(found.transitions),
        )


def follow(
    system: str,
    tree: DependencyTree,
    k: int = 2,
    *,
    on_the_fly: bool = False,
    keep: bool = True,
    lose: bool = False,
    labels: bool = False,
) -> Followed:
    """Return the run of a system's oracle on a tree; with `keep`, all configurations, with `lose`, all losses
    too.

    With `labels`, transitions that build an arc have its label, `Left-Arc(nsubj)`, and the tree is reproduced if they
    alone build all arcs with their labels. See `oracle`, `losses` and `replayed`.

    >>> found = follow("k-planar-system", DependencyTree((3, 4, 0, 3)))
    >>> found.reproduced, found.transitions.count("Switch")
    (True, 1)
    """
    rows: list[OracleStep] = []
    names: list[str] = []
    known: set[Link] = set()
    for name, c in oracle(system, tree, k, on_the_fly=on_the_fly):
        new: tuple[Link, ...] = ()
        if keep or (labels and tree.labels):
            new, known = tuple(sorted(c.built - known)), set(c.built)
        named = f"{name}({tree.labels[new[0][0] - 1]})" if labels and tree.labels and new else name
        names.append(named)
        if keep:
            stacks = tuple(map(tuple, c.stacks))
            lost = losses(system, c) if lose else None
            rows.append(OracleStep(named, stacks, tuple(c.buffer[::-1]), new, lost))
    wanted = {(d, h) for d, h in enumerate(c.heads) if h != _NONE}
    built = c.built
    if labels and tree.labels and system != "easy-first-system":
        again = replayed(system, len(tree), names[1:], k)
        built = {(d, h) for d, h, label in again if label == tree.labels[d - 1]}
    return Followed(system, len(tree), tuple(names[1:]), tuple(sorted(wanted - built)), tuple(rows))


def replayed(
    system: str, size: int, transitions: Iterable[str], k: int = 2
) -> frozenset[tuple[int, int, str]]:
    """Return the arcs (dependent, head, label) that transitions build in a sentence, whatever its tree is.

    Parameters
    ----------
    system : its name; easy-first-system has no names for the places at which its transitions are taken.
    size : the number of words.
    transitions : by name, with the label of an arc in brackets behind it, as in `Left-Arc(nsubj)`.
    k : the stacks of `k-planar-system`.

    Raises
    ------
    UsageError : the system has no such transition, or it is not possible.

    >>> sorted(replayed("arc-standard-system", 2, ["Shift", "Left-Arc(det)", "Right-Arc(root)", "Shift"]))
    [(1, 2, 'det'), (2, 0, 'root')]
    """
    operations = {name: made_of for name, made_of, _ in ORACLES[system]}
    count = k if system == "k-planar-system" else 1 + (system == "covington-system")
    stacks: list[list[int]] = [[0] * (system not in ROOTLESS) for _ in range(count)]
    if system == "covington-system":
        stacks[1].clear()
    c = Configuration((), stacks, [*range(1, size + 1)][::-1], set())
    found: set[tuple[int, int, str]] = set()
    for number, transition in enumerate(transitions, start=1):
        name, _, label = (
            transition.removesuffix(")").partition("(") if transition.endswith(")") else (transition, "", "")
        )
        require_known(name, operations, f"{system} has no transition {name}")
        known = set(c.built)
        try:
            c.apply(operations[name])
        except IndexError:
            raise UsageError(f"transition {number}, {transition}, is not possible") from None
        found |= {(d, h, label) for d, h in c.built - known}
    return frozenset(found)


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
    heads = (_NONE, *(h if h or rooted else _NONE for h in tree.heads))

    def way(node: int) -> list[int]:
        """Return the nodes from the root down to a node, the node itself twice, since it stands between its
        dependents.
        """
        found = [node]
        while node != _NONE:
            found.append(node)
            node = heads[node]
        return found[::-1]

    order = sorted(range(len(heads)), key=way)
    rank = sorted(order, key=order.__getitem__)
    return Configuration(heads, [[*stack] for stack in stacks], [*buffer][::-1], {*built}, rank)


def _colour(first: int, arcs: Sequence[Link], crossings: Sequence[int], c: Configuration) -> None:
    """Give an arc the active plane, if it has none, and the arcs that it crosses the other one, and so on.

    An arc that crosses arcs of both planes gets none.
    """
    pending = [first] if arcs[first] not in c.planes else []
    c.planes.setdefault(arcs[first], c.active)
    while pending:
        for arc in members(crossings[pending.pop()]):
            if arcs[arc] not in c.planes:
                around = {c.planes.get(arcs[other], _NONE) for other in members(crossings[arc])} - {_NONE}
                c.planes[arcs[arc]] = _NONE if len(around) > 1 else 1 - around.pop()
                pending += [arc] if c.planes[arcs[arc]] != _NONE else []
