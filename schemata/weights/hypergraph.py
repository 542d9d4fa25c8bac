"""Hypergraphs, and the one fold over them: the total weight of all derivations of every node, in any semiring.

Nodes are numbers, and so are hyperedges: each derives a node from its tails. *Given* nodes need no derivation.
`fold` sums up an acyclic hypergraph a level at a time, by NumPy's functions where a semiring names them, else node by
node (`weights/fold.py`, which sums over cycles as well).

A kernel sorts hyperedges, puts nodes into levels and counts derivations exactly, in machine code where there is a
compiler.

Marginals and samples go down again from the values in the log semiring: an edge into a node is taken with the
probability exp(value of the edge - value of the node). So there are no outside values, and no divisions.

References
----------
Goodman, J. (1999). Semiring parsing. Computational Linguistics 25(4).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache, cached_property, reduce
from typing import TYPE_CHECKING, Any

from schemata.budget import make_room
from schemata.machine.compile import functions_of, interpreted, machine_code
from schemata.machine.text import with_types
from schemata.records import Record
from schemata.thresholds import EFFORTS, WAYS
from schemata.weights.fold import EndlessSumError, fold_nodes
from schemata.weights.semiring import LOG, Semiring, UncountedError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

UNMET = -1  # the level of a node that no root needs
_LIMB = 3  # bytes of a limb
_ARRAYS = {
    "same": "u8[]",
    **dict.fromkeys(("keys", "tails", "places", "into"), "i32[]"),
    **dict.fromkeys(("ends", "first", "roots", "levels", "path", "at"), "i64[]"),
    **dict.fromkeys(("order", "start", "size", "pool", "sums", "st"), "i64[]"),
}
_TEXT = with_types(
    '''
def sort(keys, width, count, below, places, into, ends, same):
    """Put places into the order of their keys, the first key first; notes which have the same as the one before."""
    for w in range(width):
        key = (width - 1 - w) * count
        for k in range(below + 1):
            ends[k] = 0
        for j in range(count):
            ends[keys[key + j] + 1] += 1
        for k in range(below):
            ends[k + 1] += ends[k]
        for j in range(count):
            x = places[j]
            k = keys[key + x]
            into[ends[k]] = x
            ends[k] += 1
        for j in range(count):
            places[j] = into[j]
    for j in range(1, count):
        w = width - 1
        while w >= 0 and keys[w * count + places[j]] == keys[w * count + places[j - 1]]:
            w -= 1
        same[j] = w < 0


def visit(first, tails, width, nodes, roots, count, levels, path, at):
    """Give each node that roots need a level above its tails, depth first; returns 1 if there is a cycle."""
    cyclic = 0
    for r in range(count):
        depth = 0
        x = roots[r]
        if levels[x] == -1:
            path[0] = x
            at[x] = first[x] * width
            levels[x] = -2
            depth = 1
        while depth > 0:
            x = path[depth - 1]
            j = at[x]
            end = first[x + 1] * width
            while j < end and (tails[j] == nodes or levels[tails[j]] >= 0):
                j += 1
            if j == end:
                depth -= 1
                high = 0
                for i in range(first[x] * width, end):
                    if tails[i] < nodes:
                        high = max(high, levels[tails[i]] + 1)
                levels[x] = high
            else:
                t = tails[j]
                if levels[t] == -1:
                    at[x] = j
                    at[t] = first[t] * width
                    levels[t] = -2
                    path[depth] = t
                    depth += 1
                else:
                    cyclic = 1
                    at[x] = j + 1
    return cyclic


def product(pool, a, m, b, n, free):
    """Multiply a number of m limbs and one of n; returns how many limbs the product has."""
    for i in range(m + n):
        pool[free + i] = 0
    for i in range(m):
        c = 0
        for h in range(n):
            c += pool[free + i + h] + pool[a + i] * pool[b + h]
            pool[free + i + h] = c & 16777215
            c = c >> 24
        pool[free + i + n] = c
    return m + n - (pool[free + m + n - 1] == 0)


def derivations(order, done, count, first, tails, width, nodes, given, start, size, pool, sums, room, st):
    """Count the derivations of nodes, tails first; returns how many nodes are done when room or work runs out.

    A number has limbs of 24 bits, the lowest first: `size` of them in `pool` from `start` on. The first one is 1, that
    of what is given. `st` has the limbs of the pool that are used, the work that is done, 1 if a number would be longer
    than it may be and 2 if room ran out, how much work may be done, and how many limbs a number may have.
    """
    for k in range(done, count):
        if st[1] > st[3]:
            return k
        x = order[k]
        start[x] = 0
        size[x] = 1
        if x >= given:
            top = 0
            for e in range(first[x], first[x + 1]):
                a = 0
                m = 1
                free = st[0]
                for j in range(e * width, e * width + width):
                    t = tails[j]
                    if t < nodes:
                        if m + size[t] > st[4]:
                            st[2] = 1
                            return k
                        if free + m + size[t] > room:
                            st[2] = 2
                            return k
                        st[1] += m * size[t]
                        m = product(pool, a, m, start[t], size[t], free)
                        a = free
                        free += m
                while top < m:
                    sums[top] = 0
                    top += 1
                for i in range(m):
                    sums[i] += pool[a + i]
            start[x] = st[0]
            if st[0] + top + 3 > room:
                st[2] = 2
                return k
            c = 0
            size[x] = 0
            while size[x] < top or c > 0 or size[x] == 0:
                if size[x] < top:
                    c += sums[size[x]]
                pool[st[0]] = c & 16777215
                c = c >> 24
                st[0] += 1
                size[x] += 1
    return count
''',
    _ARRAYS,
)


class Hypergraph(Record, eq=False, slots=False):
    """A hypergraph in arrays: hyperedges are sorted by the node they derive.

    Parameters
    ----------
    given : the number of nodes that are given, the first ones; no hyperedge derives them.
    first : for each node the number of its first hyperedge, shape (nodes + 1,).
    tails : the tails of each hyperedge, filled up with the number of nodes, shape (hyperedges, most tails).
    roots : the nodes whose derivations are looked at; others are useful if these need them.
    name : returns the name of a node in messages.
    """

    given: int
    first: NDArray[np.int64]
    tails: NDArray[np.int32]
    roots: tuple[int, ...]
    name: Callable[[int], object] = str

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return len(self.first) - 1

    def edges(self, node: int) -> range:
        """Return the hyperedges that derive a node."""
        return range(int(self.first[node]), int(self.first[node + 1]))

    def into(self, node: int) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Yield the hyperedges that derive a node, with their tails."""
        for edge in self.edges(node):
            yield edge, self.tails_of(edge)

    def tails_of(self, edge: int) -> tuple[int, ...]:
        """Return the tails of a hyperedge."""
        return tuple(t for t in self.tails[edge].tolist() if t < self.nodes)

    def rearranged(self, edges: NDArray[np.int32], roots: tuple[int, ...]) -> Hypergraph:
        """Return the hypergraph with the roots and the hyperedges into each node in another order; results computed
        before are kept.

        Parameters
        ----------
        edges : the numbers of the hyperedges as they shall follow each other.
        roots : the same roots.
        """
        other = replace(self, tails=self.tails.take(edges, axis=0), roots=roots)
        known = ("_levels", "levels", "_order_and_cycles", "derivations")
        other.__dict__.update((name, self.__dict__[name]) for name in known if name in self.__dict__)
        return other

    @cached_property
    def useful(self) -> NDArray[np.bool_]:
        """Whether the roots need a node, by node."""
        useful: NDArray[np.bool_] = self._levels[0] != UNMET
        return useful

    @property
    def _rows(self) -> tuple[Any, ...]:
        """The hyperedges as functions of the kernel have them: `first`, `tails`, `width` and `nodes`."""
        import numpy as np

        return self.first, np.ascontiguousarray(self.tails).reshape(-1), self.tails.shape[1], self.nodes

    @cached_property
    def _levels(self) -> tuple[NDArray[np.int64], bool]:
        """The level of each useful node, above those of its tails, and whether there are cycles among them."""
        import numpy as np

        levels, (path, at) = np.full(self.nodes, UNMET), np.empty((2, self.nodes), np.int64)
        roots = np.array(self.roots, np.int64)
        cyclic = _kernel()["visit"](*self._rows, roots, len(roots), levels, path, at)
        return levels, bool(cyclic)

    @cached_property
    def levels(self) -> list[NDArray[np.int64]] | None:
        """The useful nodes, each in a level above its tails; None if there are cycles among them."""
        import numpy as np

        levels, cyclic = self._levels
        if cyclic:
            return None
        nodes = np.flatnonzero(self.useful)
        own = levels[nodes]
        parts = np.split(nodes[np.argsort(own, kind="stable")], np.cumsum(np.bincount(own))[:-1])
        return parts if len(nodes) else []

    @cached_property
    def _order_and_cycles(self) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
        if self.levels is not None:
            import numpy as np

            return tuple(np.concatenate([*self.levels, np.empty(0, np.int64)]).tolist()), ()
        return order_and_cycles(self.roots, lambda x: [t for _, tails in self.into(x) for t in tails])

    @property
    def order(self) -> tuple[int, ...]:
        """The useful nodes, tails first except on cycles."""
        return self._order_and_cycles[0]

    @property
    def cycles(self) -> tuple[tuple[int, ...], ...]:
        """The strongly connected parts that have cycles."""
        return self._order_and_cycles[1]

    def fold(self, semiring: Semiring[Any], values: Any = None) -> Any:
        """Return the sum of all derivations of each useful node: an array where the semiring has one, or a mapping.

        Parameters
        ----------
        semiring : the semiring.
        values : the value of each hyperedge without its tails: an array where the semiring has one. All are one by
            default.

        Raises
        ------
        EndlessSumError : a cycle that the semiring cannot sum up.
        """
        import numpy as np

        arrays, edges = semiring.arrays, len(self.tails)
        if arrays is not None and self.levels is not None:
            return self._by_levels(semiring, values)
        if values is None:
            values = [semiring.one] * edges if arrays is None else arrays.of(np.zeros(edges))
        given = (semiring.zero, semiring.one)
        return fold_nodes(self, semiring, values.__getitem__, lambda x: given[x < self.given])

    def _by_levels(
        self, semiring: Semiring[Any], values: NDArray[Any] | None, products: NDArray[Any] | None = None
    ) -> NDArray[Any]:
        """Return the sums of nodes; the products of hyperedges are left in `products`."""
        import numpy as np

        assert semiring.arrays is not None
        assert self.levels is not None
        plus, times = getattr(np, semiring.arrays.plus), getattr(np, semiring.arrays.times)
        one = semiring.arrays.of(np.zeros(1))
        sums = np.full(self.nodes + 1, semiring.zero, one.dtype if values is None else values.dtype)
        sums[-1] = sums[: self.given] = semiring.one
        for nodes, starts, edges in self._portions(self.levels):
            factors = [] if values is None else [values[edges]]
            factors += [sums[self.tails[edges, k]] for k in range(self.tails.shape[1])]
            product = reduce(times, factors or [np.repeat(one, len(edges))])
            sums[nodes] = plus.reduceat(product, starts)
            if products is not None:
                products[edges] = product
        return sums

    def _portions(
        self, levels: Iterable[NDArray[np.int64]]
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
        """Yield the derived nodes of levels, where the edges of each begin, and the edges, not too many together."""
        import numpy as np

        for level in levels:
            nodes = level[self.first[level] < self.first[level + 1]]
            ends = np.cumsum(self.first[nodes + 1] - self.first[nodes])
            for part in (
                np.split(nodes, np.flatnonzero(np.diff(ends // WAYS.edges_together)) + 1)
                if len(nodes)
                else ()
            ):
                amounts = self.first[part + 1] - self.first[part]
                yield part, np.cumsum(amounts) - amounts, _ranges(self.first, part)

    @cached_property
    def derivations(self) -> Callable[[int], int]:
        """Returns the number of derivations of a useful node, where there are no cycles.

        Raises
        ------
        UncountedError : a number is too long.
        """
        import numpy as np

        order, done, room = np.array(self.order, np.int64), 0, WAYS.limbs
        start, size, used = (np.zeros(k, np.int64) for k in (self.nodes, self.nodes, 5))
        pool, sums = np.ones(1, np.int64), np.zeros(room, np.int64)
        used[:] = 1, 0, 0, WAYS.count_work, max(2, EFFORTS.count_bits // (8 * _LIMB))
        while done < len(order):
            if len(pool) < room:
                make_room(3 * room * pool.itemsize)
                pool, sums = np.append(pool, np.zeros(room - len(pool), np.int64)), np.zeros(room, np.int64)
            done = _kernel()["derivations"](
                order, done, len(order), *self._rows, self.given, start, size, pool, sums, room, used
            )
            if used[2] == 1:
                raise UncountedError
            room *= int(used[2]) or 1
            used[1:3] = 0
        limbs = pool.view(np.uint8).reshape(-1, pool.itemsize)[:, :_LIMB]
        return lambda x: int.from_bytes(limbs[start[x] : start[x] + size[x]].tobytes(), "little")

    # down again

    def _inside(self, weights: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[Any]]:
        import numpy as np

        if self.levels is not None:
            products = np.array(weights)
            return self._by_levels(LOG, weights, products), products
        sums = np.full(self.nodes + 1, LOG.zero)
        found = self.fold(LOG, weights)
        sums[list(found)] = list(found.values())
        for part in (part for part in self.cycles if any(found[x] == math.inf for x in part)):
            raise EndlessSumError(self, part, "and the sum of its derivations is infinite")
        sums[-1] = LOG.one
        return sums, weights + sums[self.tails].sum(axis=1)

    def posteriors(self, weights: NDArray[np.float64], goal: int) -> NDArray[np.float64]:
        """Return how often a hyperedge stands in a derivation of a node, in expectation.

        A derivation may pass a node of a cycle any number of times: expectations there solve a linear system.

        Parameters
        ----------
        weights : the weights of the hyperedges in log space.
        goal : the node; its sum must not be 0.

        Raises
        ------
        EndlessSumError : a sum is infinite, or an expectation.
        """
        return self._expectations(*self._inside(weights), goal)

    def log_expectations(self, weights: NDArray[np.float64], goal: int) -> tuple[float, NDArray[np.float64]]:
        """Return the log total of a node, and `posteriors`: zeros where it has no derivation.

        Raises
        ------
        EndlessSumError : as for `posteriors`.
        """
        import numpy as np

        sums, products = self._inside(weights)
        if sums[goal] == -math.inf:
            return -math.inf, np.zeros(len(self.tails))
        return float(sums[goal]), self._expectations(sums, products, goal)

    def _expectations(
        self, sums: NDArray[np.float64], products: NDArray[np.float64], goal: int
    ) -> NDArray[np.float64]:
        """Return the expectations of hyperedges from the sums of nodes and the products of hyperedges."""
        import numpy as np

        reached = np.zeros(self.nodes + 1)
        reached[goal] = 1.0
        found = np.zeros(len(self.tails))
        for nodes, starts, edges in self._portions(self._from_above(reached, sums, products)):
            amounts = np.diff(np.append(starts, len(edges)))
            with np.errstate(invalid="ignore"):
                share = np.exp(products[edges] - np.repeat(sums[nodes], amounts))
            of_node = np.repeat(reached[nodes], amounts)
            share = np.where(of_node > 0, of_node * share, 0.0)
            found[edges] = share
            for k in range(self.tails.shape[1]):
                reached += np.bincount(self.tails[edges, k], share, len(reached))
        return found

    def _from_above(
        self, reached: NDArray[np.float64], sums: NDArray[np.float64], products: NDArray[np.float64]
    ) -> Iterable[NDArray[np.int64]]:
        """Yield useful nodes in portions, each after all that use it; a cycle is solved when it is reached.

        Parameters
        ----------
        reached : the expectation of each node, final when the node is yielded.
        sums, products : of nodes and of hyperedges.
        """
        import numpy as np

        if self.levels is not None:
            yield from self.levels[::-1]
            return
        part_of, solved_nodes = {x: part for part in self.cycles for x in part}, set[int]()
        for node in reversed(self.order):
            if node not in part_of:
                yield np.array([node])
            if node not in part_of or node in solved_nodes:
                continue
            part = part_of[node]
            solved_nodes.update(part)
            nodes = np.array(part)
            row = {x: k for k, x in enumerate(part)}
            matrix = np.eye(len(part))
            for x in part:
                for edge, tails in self.into(x) if sums[x] > -math.inf else ():
                    for tail in tails:
                        if tail in row:
                            matrix[row[tail], row[x]] -= math.exp(products[edge] - sums[x])
            try:
                solved = np.linalg.solve(matrix, reached[nodes])
            except np.linalg.LinAlgError:
                solved = np.full(len(part), math.inf)
            if not np.isfinite(solved).all() or (solved < -1e-9).any():
                raise EndlessSumError(self, part, "and how often it does so has no finite expectation")
            yield from self._solved(nodes, np.maximum(solved, 0.0), reached)

    @staticmethod
    def _solved(
        nodes: NDArray[np.int64], solved: NDArray[np.float64], reached: NDArray[np.float64]
    ) -> Iterator[NDArray[np.int64]]:
        """Yield the nodes of a cycle; the mutual contributions of their hyperedges are in their expectations
        already.
        """
        for place in range(len(nodes)):
            reached[nodes[place:]] = solved[place:]
            yield nodes[place : place + 1]

    def samples(
        self, weights: NDArray[np.float64], goal: int, seed: int, order: Callable[[int], Iterable[int]]
    ) -> Iterator[list[tuple[int, int]]]:
        """Yield derivations of a node in proportion to their weights, without end.

        Each is its nodes in preorder, with the hyperedge that derives it, -1 for a node that is given.

        Parameters
        ----------
        weights : the weights of the hyperedges in log space.
        goal : the node; its sum must not be 0.
        seed : fixes the choices, together with `order`, in which the hyperedges into a node are tried.

        Raises
        ------
        EndlessSumError : a sum is infinite, or not known, since there are cycles.
        """
        import random

        import numpy as np

        sums, products = self._inside(weights)
        dice = random.Random(seed)
        shares: dict[int, tuple[list[int], list[float]]] = {}
        while True:
            waiting, chosen = [goal], list[tuple[int, int]]()
            while waiting:
                node, edge = waiting.pop(), -1
                if node >= self.given:
                    if node not in shares:
                        edges = list(order(node))
                        shares[node] = edges, np.cumsum(np.exp(products[edges] - sums[node])).tolist()
                    edges, parts = shares[node]
                    edge = dice.choices(edges, cum_weights=parts)[0]
                    waiting.extend(reversed(self.tails_of(edge)))
                chosen.append((node, edge))
            yield chosen


@cache
def _kernel() -> Mapping[str, Callable[..., int]]:
    """The functions of the kernel, in machine code where there is a compiler."""
    try:
        return machine_code(_TEXT, ("sort", "visit", "derivations"), loops=False)
    except ImportError:
        return functions_of(interpreted(_TEXT))


def sorted_places(keys: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Return the places of keys, from 0 on, in order, and for each whether the one before it has the same keys.

    Parameters
    ----------
    keys : none below 0, the first one first, shape (keys, places).
    """
    import numpy as np

    (width, count), below = keys.shape, 1 + int(keys.max(initial=0))
    places, into, ends = (
        np.arange(count, dtype=np.int32),
        np.empty(count, np.int32),
        np.empty(below + 1, np.int64),
    )
    same = np.zeros(count, np.uint8)
    _kernel()["sort"](keys.reshape(-1), width, count, below, places, into, ends, same)
    return places, same


def _ranges(first: NDArray[np.int64], nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers first[x], ..., first[x + 1] - 1 for each of some nodes, one after the other."""
    import numpy as np

    begins = first[nodes]
    amounts = first[nodes + 1] - begins
    ends = np.cumsum(amounts)
    numbers: NDArray[np.int64] = np.arange(ends[-1] if len(ends) else 0)
    numbers += np.repeat(begins - (ends - amounts), amounts)
    return numbers


def order_and_cycles(
    roots: Iterable[int], tails_of: Callable[[int], Iterable[int]]
) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
    """Return the nodes that roots need in the order in which the search leaves them, and the strongly connected
    parts with cycles (Tarjan's algorithm).
    """
    entered: dict[int, int] = {}
    low: dict[int, int] = {}
    left: list[int] = []
    open_nodes: list[int] = []
    is_open: set[int] = set()
    own_tails: set[int] = set()
    parts: list[tuple[int, ...]] = []
    stack: list[tuple[int, Iterator[int]]] = []

    def enter(node: int) -> None:
        entered[node] = low[node] = len(entered)
        open_nodes.append(node)
        is_open.add(node)
        stack.append((node, iter(tails_of(node))))

    for root in roots:
        if root not in entered:
            enter(root)
        while stack:
            node, tails = stack[-1]
            for tail in tails:
                if tail not in entered:
                    enter(tail)
                    break
                if tail in is_open:
                    low[node] = min(low[node], entered[tail])
                    if tail == node:
                        own_tails.add(node)
            else:
                stack.pop()
                left.append(node)
                if stack:
                    low[stack[-1][0]] = min(low[stack[-1][0]], low[node])
                if low[node] == entered[node]:
                    part = [open_nodes.pop()]
                    while part[-1] != node:
                        part.append(open_nodes.pop())
                    is_open.difference_update(part)
                    if len(part) > 1 or node in own_tails:
                        parts.append(tuple(sorted(part)))
    return tuple(left), tuple(parts)
