"""Preparation of a sentence: from the expressions of its words to the disjuncts that are in some linkage.

One kernel does all of it (`expressions`, `pruning`), over numbers: those of a dictionary's expressions are kept from
sentence to sentence. CPython runs its text over lists; after many sentences LLVM compiles it.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from itertools import accumulate, chain, compress, pairwise
from operator import itemgetter, mul
from typing import Any, NamedTuple, TypeAlias

from schemata.errors import Diagnostic, GrammarError
from schemata.grammars.link_grammar import expressions as ex
from schemata.grammars.link_grammar.pruning import EXACTLY, FREE, LINKABLE, kernel_text
from schemata.machine.compile import (
    dictionary_functions,
    functions_of,
    interpreted,
    is_compiled,
    machine_code,
)
from schemata.structures.linkages import ANYWHERE, Connector, Disjunct, LengthLimits, connectors_match
from schemata.thresholds import REFUSALS, WAYS

# Seconds spent in Python after which machine code is worth its start: where it is on disk, and where it must be made
_NEAR, _FAR = 0.4, 2.0
_LEAST, _ROOM = 1 << 8, 12  # sides at first: at least, and by the square of the number of words
_TYPECODES: Mapping[str, Any] = {"u8[]": "B", "i32[]": "i", "i64[]": "q"}


class _Functions:
    """The kernel's functions: in Python first, compiled once that is worth it."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.native: Any = None
        self._code = interpreted(kernel_text())
        self._next = _NEAR if find_spec("llvmlite") else float("inf")

    def get(self) -> Any:
        """Return the function `prepare` for one sentence."""
        if self.native is None and self.seconds > self._next:
            self._next = _FAR
            if self.seconds > _FAR or is_compiled(kernel_text(), ("prepare",)):
                self.native = machine_code(kernel_text(), ("prepare",))["prepare"]
        if self.native is not None:
            return self.native.at_addresses
        space = functions_of(self._code)
        for name in ("sides", "pairs", "regions"):
            space |= dictionary_functions(name, {})
        return space["prepare"]


_functions = cache(_Functions)


Entries: TypeAlias = list[tuple[str, ex.Expression]]
"""The entries of a word: names, with the subscript, and expressions."""


class Prepared(NamedTuple):
    """The disjuncts of the words of a sentence, in order; whether each of them is in some linkage."""

    disjuncts: tuple[tuple[Disjunct, ...], ...]
    exact: bool


class Preparation:
    """The expressions and connectors of a dictionary by number, as far as sentences have needed them.

    Parameters
    ----------
    limits : how far connectors reach.
    cutoff : disjuncts that cost more are left out.
    """

    def __init__(self, limits: LengthLimits, cutoff: float) -> None:
        self._limits, self._most = limits, round(min(cutoff, 1e9) * 1e6)
        self._arrays = {name: array(_TYPECODES[kind]) for name, kind in ex.DICTIONARY.items()}
        self._nodes: dict[int, tuple[ex.Expression, int]] = {}  # by identity of the expression, which is kept
        self._connectors: list[Connector] = []
        self._keys: list[tuple[str, bool, bool, str]] = []  # what connectors are sorted by
        self._numbers: dict[Connector, int] = {}
        self._by_base: dict[tuple[str, bool], list[Connector]] = {}
        self._orders: dict[tuple[int, ...], array[int]] = {}
        self._spare: _Workspace | None = None
        for name in ("TO", "MORE"):
            self._arrays[name].append(0)

    def disjuncts(
        self, words: Sequence[Entries], stage: int = EXACTLY, effort: int | None = None
    ) -> Prepared:
        """Return the disjuncts of the words of a sentence, each entry's in order.

        Parameters
        ----------
        words : for each position the entries of its word: names and expressions.
        stage : the disjuncts left out: none (`FREE`), those that the conditions of `pruning` exclude (`POWER`), or
            all that is in no linkage (`EXACTLY`), unless that takes too long.
        effort : the greatest number of questions whether a region can be filled, ten million if None.

        Raises
        ------
        GrammarError : an entry has more than a million.
        """
        entries = [sorted(word, key=itemgetter(0)) for word in words]
        value, space = self._run(entries, stage, REFUSALS.pruning_questions if effort is None else effort)
        a = space.arrays
        if value == -ex.TOO_MANY:
            names = [name for word in entries for name, _ in word]
            message = f'the entry "{names[a["st"][ex.ENTRY]]}" has more than a million disjuncts'
            hint = "a lower cut-off, or fewer optional connectors"
            raise GrammarError(Diagnostic("too-many-disjuncts", message, hint=hint))
        if value == 0:
            return Prepared(((),) * len(words), True)
        prepared = Prepared(self._decoded(entries, a), stage == FREE or bool(a["st"][ex.EXACT]))
        if space.memory is not None and space.memory.nbytes <= WAYS.spare_bytes:
            self._spare = space
        return prepared

    def linkable_words(self, words: Sequence[Entries]) -> list[bool]:
        """Return which words of a sentence have connectors that the others can match, whatever the distance."""
        _, space = self._run(words, LINKABLE, 0)
        return [bool(space.arrays["DA"][at]) for at in range(len(words))]

    def _run(self, words: Sequence[Entries], stage: int, effort: int) -> tuple[int, _Workspace]:
        """Call the kernel, with a larger work space until it suffices; returns its result, and its arrays."""
        kernel = _functions()
        roots = [[self._node(expression) for _, expression in word] for word in words]
        orders = [self._order(tuple(of_word)) for of_word in roots]
        given: dict[str, Any] = {**self._arrays, **_joined("OA", "ON", orders), **_joined("EA", "EN", roots)}
        if stage == LINKABLE:
            given["REACH"] = array("i", [ANYWHERE]) * len(self._connectors)
        started = time.perf_counter()
        room, value = max(_LEAST, _ROOM * len(words) ** 2), -ex.FULL
        while value == -ex.FULL:
            slots = 1 << (max(room, 4 * len(words)) - 1).bit_length()  # of hash tables: powers of two
            known = len(self._connectors)
            units = {"one": 1, "room": slots, "nodes": len(self._nodes), "connectors": known}
            units["places"] = len(words) * known
            prepare = kernel.get()  # with empty tables
            space = self._workspace(units) if kernel.native else _lists(units)
            slots, state = space.units["room"], space.arrays["st"]
            state[ex.WORDS], state[ex.ROOM], state[ex.STATE_ROOM] = len(words), slots, 2 * slots
            state[ex.SIDE_SLOTS], state[ex.REGION_SLOTS] = 2 * slots, 8 * slots
            state[ex.MOST_DISJUNCTS], state[ex.MOST_WORK], state[ex.LEFT] = (
                REFUSALS.expression_disjuncts,
                4 * REFUSALS.expression_disjuncts,
                effort,
            )
            own = [values.buffer_info()[0] for values in given.values()] if kernel.native else given.values()
            value = int(prepare(stage, self._most, *own, *space.taken))
            room *= 4
        if not kernel.native:
            kernel.seconds += time.perf_counter() - started
        return value, space

    def _workspace(self, units: Mapping[str, int]) -> _Workspace:
        """Return memory for a sentence: that of the last one if that suits, since new memory takes longer to get."""
        spare, self._spare = self._spare, None  # nobody else gets it meanwhile
        if spare is None or spare.units["room"] > 2 * units["room"]:
            return _in_memory(units)
        if any(size > spare.units[unit] for unit, size in units.items()):
            return _in_memory(units)
        spare.memory.fill(0)
        return spare

    def _decoded(self, words: Sequence[Entries], a: Mapping[str, Any]) -> tuple[tuple[Disjunct, ...], ...]:
        """Return the disjuncts that are left."""
        entries = [(at, name) for at, word in enumerate(words) for name, _ in word]
        here, shorter, farthest, ranks = (a[name] for name in ("LG", "INIT", "CON", "RANK"))
        of_entry, left, right, costs = (a[name] for name in ("DE", "DL", "DR", "DC"))

        def numbered(side: int) -> list[int]:
            """Return the connectors of a side by number, nearest first."""
            row = []
            while ranks[side]:
                row.append(here[farthest[side]])
                side = shorter[side]
            return row[::-1]

        kept = list(compress(range(a["st"][ex.DISJUNCTS]), a["DS"]))
        connectors, keys = self._connectors, self._keys
        sides = {side: numbered(side) for x in kept for side in (left[x], right[x])}
        ordered = sorted(sides, key=lambda side: [keys[x] for x in sides[side]])
        places = {side: place for place, side in enumerate(ordered)}
        rows = {side: tuple([connectors[x] for x in row]) for side, row in sides.items()}
        disjuncts: list[list[Disjunct]] = [[] for _ in words]
        for x in sorted(kept, key=lambda x: (of_entry[x], places[left[x]], places[right[x]])):
            at, name = entries[of_entry[x]]
            disjuncts[at].append(
                Disjunct(name, rows[left[x]], rows[right[x]], round(costs[x] / 1e6, 6) + 0.0)
            )
        return tuple(map(tuple, disjuncts))

    # numbers

    def _node(self, expression: ex.Expression) -> int:
        """Return the number of an expression."""
        known = self._nodes.get(id(expression))
        if known is not None:
            return known[1]
        if isinstance(expression, ex.Single):
            kind, first, count = 0, self._connector(expression.connector), 1
        else:
            operands = [self._node(operand) for operand in expression.operands]
            kind, first, count = 2 - isinstance(expression, ex.All), len(self._arrays["CHILD"]), len(operands)
            self._arrays["CHILD"].extend(operands)
        number = len(self._nodes)
        self._nodes[id(expression)] = expression, number
        self._append(KIND=kind, COST=round(expression.cost * 1e6), FIRST=first, COUNT=count)
        return number

    def _connector(self, connector: Connector) -> int:
        """Return the number of a connector."""
        number = self._numbers.get(connector)
        if number is not None:
            return number
        number = self._numbers[connector] = len(self._connectors)
        self._connectors.append(connector)
        self._keys.append((connector.name, connector.right, connector.multi, connector.head))
        reach = self._limits.distance(connector)
        self._append(RIGHT=connector.right, MULTI=connector.multi, REACH=reach, EDGE=0)
        edges = self._arrays["EDGE"]
        for other in self._by_base.get((connector.base, not connector.right), ()):
            if connectors_match(connector, other):
                partner = self._numbers[other]
                for one, to in ((number, partner), (partner, number)):
                    edge = len(self._arrays["TO"])
                    self._append(TO=to, MORE=edges[one])
                    edges[one] = edge
        self._by_base.setdefault((connector.base, connector.right), []).append(connector)
        return number

    def _append(self, **values: int) -> None:
        for name, value in values.items():
            self._arrays[name].append(value)

    def _order(self, roots: tuple[int, ...]) -> array[int]:
        """Return the nodes below some nodes and these themselves, operands first."""
        order = self._orders.get(roots)
        if order is None:
            kind, first, count, child = (self._arrays[name] for name in ("KIND", "FIRST", "COUNT", "CHILD"))
            seen: dict[int, None] = {}

            def visit(node: int) -> None:
                if node not in seen:
                    for k in range(first[node], first[node] + count[node]) if kind[node] else ():
                        visit(child[k])
                    seen[node] = None

            for root in roots:
                visit(root)
            if len(self._orders) >= WAYS.kept_nodes:
                self._orders.clear()
            order = self._orders[roots] = array("i", seen)
        return order


class _Workspace(NamedTuple):
    """The kernel's work space; all zero at first.

    Parameters
    ----------
    units : the sizes that determine those of arrays.
    memory : one piece of memory that has all arrays, None if these are lists.
    arrays : by name.
    taken : the arguments of the kernel for them.
    """

    units: Mapping[str, int]
    memory: Any
    arrays: Mapping[str, Any]
    taken: Iterable[Any]


def _lists(units: Mapping[str, int]) -> _Workspace:
    """Return lists, for CPython."""
    lists = {name: [0] * (factor * units[unit] + 1) for name, (_, factor, unit) in ex.WORKSPACE.items()}
    return _Workspace(units, None, lists, lists.values())


def _in_memory(units: Mapping[str, int]) -> _Workspace:
    """Return views of one piece of memory, and their addresses."""
    import numpy as np

    codes = {name: _TYPECODES[kind] for name, (kind, *_) in ex.WORKSPACE.items()}
    widths = (array(code).itemsize for code in codes.values())
    sizes = (factor * units[unit] + 8 & -8 for _, factor, unit in ex.WORKSPACE.values())
    begins = list(accumulate(map(mul, widths, sizes), initial=0))
    memory = np.zeros(begins[-1], np.uint8)
    whole, address = memory.data, memory.ctypes.data
    views = {
        name: whole[low:high].cast(codes[name])
        for name, (low, high) in zip(codes, pairwise(begins), strict=True)
    }
    return _Workspace(units, memory, views, [address + begin for begin in begins[:-1]])


def _joined(begins: str, values: str, rows: Iterable[Sequence[int]]) -> dict[str, array[int]]:
    """Return rows as two arrays: where they begin, and the rows one after the other."""
    where = array("i", accumulate(map(len, rows), initial=0))
    return {begins: where, values: array("i", chain.from_iterable(rows))}
