"""The fold over a hypergraph, node by node: the total weight of all derivations of every node, in any semiring.

On a cycle a node helps to derive itself, and the sum has infinitely many terms. It is found in one strongly connected
part after the other. Idempotent semirings repeat the sums until nothing changes. Others solve a system of equations,
one for each node, in the sums of the part's nodes. Where each step has one antecedent in the part, these are linear:
elimination solves them, with the semiring's star in place of division. Else they are polynomials, and Newton's method
finds their least solution from below, a linear system at each round. Infinite sums are refused.

References
----------
Goodman, J. (1999). Semiring parsing. Computational Linguistics 25(4).
Lehmann, D. J. (1977). Algebraic structures for transitive closure. Theoretical Computer Science 4(1).
Esparza, J., Kiefer, S. & Luttenberger, M. (2010). Newtonian program analysis. Journal of the ACM 57(6).
Nederhof, M.-J. & Satta, G. (2008). Computing partition functions of PCFGs. Research on Language and Computation 6.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from typing import Any, Protocol, TypeVar

from schemata.errors import UsageError
from schemata.thresholds import REFUSALS, WAYS
from schemata.weights.semiring import Semiring
from schemata.wording import listing, quantity

V = TypeVar("V")
Matrix = dict[int, dict[int, V]]

_NAMED = 4  # nodes of a cycle that messages name


class Nodes(Protocol):
    """A hypergraph as `fold_nodes` reads it: the useful nodes, and the hyperedges into each as (edge, tails)."""

    @property
    def order(self) -> Sequence[int]:
        """The useful nodes, tails first except on cycles; the last node of a cycle comes after all that it needs."""

    @property
    def cycles(self) -> Sequence[tuple[int, ...]]:
        """The strongly connected parts that have cycles."""

    def into(self, node: int) -> Iterable[tuple[Any, Sequence[int]]]:
        """Return the hyperedges that derive a node, with their tails."""

    def name(self, node: int) -> object:
        """Return the name of a node in messages."""


class EndlessSumError(UsageError):
    """A sum over infinitely many derivations that the semiring cannot compute; `part` are the nodes of the cycles."""

    def __init__(self, graph: Nodes, part: Sequence[int], why: str) -> None:
        hint = "choose a semiring that has an answer: boolean, or viterbi where no weight is above 1"
        names = [str(graph.name(x)) for x in part[:_NAMED]]
        if len(part) > _NAMED:
            names.append(quantity(len(part) - _NAMED, "further item"))
        does = "help to derive each other" if len(part) > 1 else "helps to derive itself"
        super().__init__(f"{listing(names)} {does}, {why}", code="cyclic-sum", hint=hint)


def fold_nodes(
    graph: Nodes,
    semiring: Semiring[V],
    value: Callable[[Any], V],
    given: Callable[[int], V],
    known: Mapping[int, V] | None = None,
) -> dict[int, V]:
    """Return the sum of the values of all derivations of each useful node.

    Parameters
    ----------
    graph : the hypergraph.
    semiring : the semiring.
    value : the value of a hyperedge without its tails.
    given : the value of a node by itself; by default the semiring's zero.
    known : nodes whose sums are known.

    Raises
    ------
    EndlessSumError : a cycle that the semiring cannot sum up.
    """
    plus, times = semiring.plus, semiring.times
    values: dict[int, V] = dict(known or {})
    last = {}
    for part in graph.cycles:
        inside = set(part)
        last[next(x for x in reversed(graph.order) if x in inside)] = part
    waiting = {x for part in graph.cycles for x in part}

    def total(node: int) -> V:
        found = given(node)
        for edge, tails in graph.into(node):
            product = value(edge)
            for tail in tails:
                product = times(product, values[tail])
            found = plus(found, product)
        return found

    for node in graph.order:
        if node in values or (node in waiting and node not in last):
            continue
        if node not in last:
            values[node] = total(node)
        elif semiring.idempotent:
            _repeat(graph, last[node], total, given, values)
        else:
            _Component(graph, last[node], semiring, value, given, values).solve()
    return values


def _repeat(
    graph: Nodes, part: Sequence[int], total: Callable[[int], V], given: Any, values: dict[int, V]
) -> None:
    """Add up a part again and again until nothing changes; derivations that pass a node twice must not gain."""
    values.update((x, given(x)) for x in part)
    for _ in range(len(part) + 1):
        before = [values[x] for x in part]
        for x in part:
            values[x] = total(x)
        if before == [values[x] for x in part]:
            return
    raise EndlessSumError(graph, part, "and every round of it gains: there is no best derivation")


class _Component:
    """The equations of a strongly connected part: each node's sum from the sums of the part's nodes."""

    def __init__(
        self,
        graph: Nodes,
        nodes: Sequence[int],
        semiring: Semiring[V],
        value: Callable[[Any], V],
        given: Callable[[int], V],
        values: dict[int, V],
    ) -> None:
        self.graph, self.nodes, self.semiring, self.values = graph, nodes, semiring, values
        self.inside = frozenset(nodes)
        # By node what it is worth without the part, and its other hyperedges: a coefficient, and tails in the part.
        self.constant = {x: given(x) for x in nodes}
        self.terms: dict[int, list[tuple[Any, list[int]]]] = {x: [] for x in nodes}
        for x in nodes:
            for edge, tails in graph.into(x):
                product, own = value(edge), [t for t in tails if t in self.inside]
                for tail in tails:
                    if tail not in self.inside:
                        product = self._times(product, values[tail])
                if own:
                    self.terms[x].append((product, own))
                else:
                    self.constant[x] = semiring.plus(self.constant[x], product)

    def _times(self, x: Any, y: Any) -> Any:
        zero = self.semiring.zero
        return zero if zero in (x, y) else self.semiring.times(x, y)  # also where the other one is infinite

    def solve(self) -> None:
        """Find the sums of the part's nodes.

        Raises
        ------
        EndlessSumError : they are infinite, or the semiring cannot find them.
        """
        semiring = self.semiring
        if semiring.star is None:
            raise EndlessSumError(self.graph, self.nodes, "and the semiring has no star")
        if all(len(own) == 1 for terms in self.terms.values() for _, own in terms):
            found = self._eliminated(self._derivatives({}), self.constant)
        elif semiring.minus is None:
            why = "by a step with two antecedents on the cycle: the sum is not a linear equation"
            raise EndlessSumError(self.graph, self.nodes, f"{why}, and the semiring has no minus")
        else:
            found = self._by_newton(semiring.minus)
        if semiring.minus is not None and any(map(_is_infinite, found.values())):
            raise EndlessSumError(self.graph, self.nodes, "and the sum of its derivations is infinite")
        self.values.update(found)

    def _derivatives(self, sums: Mapping[int, Any]) -> Matrix[Any]:
        """Return the derivatives of each node's sum by those of the part, where these have the sums given."""
        zero, matrix = self.semiring.zero, Matrix[Any]()
        for x, terms in self.terms.items():
            row = matrix[x] = {}
            for product, own in terms:
                for k, tail in enumerate(own):
                    rest = product
                    for other in (*own[:k], *own[k + 1 :]):
                        rest = self._times(rest, sums[other])
                    if rest != zero:
                        row[tail] = self.semiring.plus(row.get(tail, zero), rest)
        return matrix

    def _sums(self, sums: Mapping[int, Any]) -> dict[int, Any]:
        """Return the right sides of the equations."""
        found = dict(self.constant)
        for x, terms in self.terms.items():
            for product, own in terms:
                found[x] = self.semiring.plus(
                    found[x], reduce(self._times, map(sums.__getitem__, own), product)
                )
        return found

    def _by_newton(self, minus: Callable[[Any, Any], Any]) -> dict[int, Any]:
        """Return the least solution, approached from zero: each round solves the equations made linear there."""
        plus = self.semiring.plus
        sums = dict.fromkeys(self.nodes, self.semiring.zero)
        for number in range(REFUSALS.newton_rounds):
            after = self._sums(sums)
            missing = {x: minus(after[x], sums[x]) for x in self.nodes}
            if all(_near(plus(sums[x], missing[x]), sums[x], 4e-16) for x in self.nodes):
                return after
            step = self._eliminated(self._derivatives(sums), missing)
            if any(map(_is_infinite, step.values())):
                if all(_near(after[x], sums[x], WAYS.newton_settled) for x in self.nodes):
                    return after  # at a double root, rounding makes the last linear system singular
                return step
            sums = {x: plus(sums[x], step[x]) for x in self.nodes}
            if (
                number >= WAYS.newton_slow
            ):  # at a double root each round halves the error: a second step of this size ends there
                double = {x: plus(sums[x], step[x]) for x in self.nodes}
                after = self._sums(double)
                if all(_near(after[x], double[x], 4e-16) for x in self.nodes):
                    return double
        if all(_near(after[x], sums[x], WAYS.newton_settled) for x in self.nodes):
            return after
        why = f"and {REFUSALS.newton_rounds} rounds of Newton's method do not find the sum of its derivations"
        raise EndlessSumError(self.graph, self.nodes, why)

    def _eliminated(self, matrix: Matrix[Any], constant: Mapping[int, Any]) -> dict[int, Any]:
        """Return the solution of x = matrix x + constant (Gauss and Jordan, with stars in place of division)."""
        plus, zero, star, found = self.semiring.plus, self.semiring.zero, self.semiring.star, dict(constant)
        assert star is not None
        for x in self.nodes:
            loop = star(matrix[x].pop(x, zero))
            matrix[x] = {y: self._times(loop, v) for y, v in matrix[x].items()}
            found[x] = self._times(loop, found[x])
            for y in self.nodes:
                if y != x and x in matrix[y]:
                    factor = matrix[y].pop(x)
                    found[y] = plus(found[y], self._times(factor, found[x]))
                    for z, v in matrix[x].items():
                        matrix[y][z] = plus(matrix[y].get(z, zero), self._times(factor, v))
        return found


def _is_infinite(value: Any) -> bool:
    """Whether a value is, or contains, an infinite number or nan; -inf, the logarithm of nothing, is neither."""
    if isinstance(value, tuple):
        return any(map(_is_infinite, value))
    return isinstance(value, float) and (value == math.inf or math.isnan(value))


def _near(one: Any, other: Any, tolerance: float) -> bool:
    """Whether two values differ by rounding at most."""
    if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        return all(_near(a, b, tolerance) for a, b in zip(one, other, strict=True))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance * 1e-3)
    return bool(one == other)
