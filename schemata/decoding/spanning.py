"""Spanning trees without a chart: the best one, and sums over all of them.

Every tree over the words under node 0 is one, projective or not; so these are decoders for the class `all`.

`best_tree` is the algorithm of Chu & Liu (1965) and Edmonds (1967) in Tarjan's (1977) dense form: each contraction of a
cycle takes time linear in the number of nodes for each node of the cycle, O(n^2) in all. `tree_sums` is the matrix-tree
theorem (Tutte 1984; for parsing Koo et al. 2007, McDonald & Satta 2007, Smith & Smith 2007): the determinant of a
Laplacian. It is computed by eliminating node after node, with additions of positive weights alone (Grassmann, Taksar &
Heyman 1985), in log space: unlike a determinant in floating point it loses nothing where scores are far apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from schemata.machine.compile import machine_code
from schemata.machine.text import with_types

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

_NONE = -1e300  # the score of a link that is forbidden: kernels are for finite numbers
_LEAST = -1e299

# W[u * m + v]: the best link from component u into component v, less what links into v's own words weigh; FH, FD: that
# link. A component's link in is IH, ID; UP is the component that a cycle became; ON: its place on the path, plus 1.
_KERNEL = """
def spanning(n, m, W, FH, FD, IH, ID, UP, ALIVE, DONE, ON, PATH, V, heads):
    count = n + 1
    for start in range(1, n + 1):
        c = start
        while UP[c] >= 0:
            c = UP[c]
        if DONE[c] == 0:
            size = 1
            PATH[0] = c
            ON[c] = 1
            while size > 0:
                v = PATH[size - 1]
                best = -1
                x = -1e300
                for u in range(0, count):
                    if ALIVE[u] != 0 and u != v:
                        if W[u * m + v] > x:
                            x = W[u * m + v]
                            best = u
                if best < 0 or x < -1e299:
                    return 0
                IH[v] = FH[best * m + v]
                ID[v] = FD[best * m + v]
                V[v] = x
                if DONE[best] != 0:
                    for k in range(0, size):
                        DONE[PATH[k]] = 1
                        ON[PATH[k]] = 0
                    size = 0
                elif ON[best] == 0:
                    PATH[size] = best
                    size += 1
                    ON[best] = size
                else:
                    new = count
                    count += 1
                    first = ON[best] - 1
                    for k in range(first, size):
                        ALIVE[PATH[k]] = 0
                        UP[PATH[k]] = new
                    ALIVE[new] = 1
                    UP[new] = -1
                    for u in range(0, new):
                        if ALIVE[u] != 0:
                            x = -3e300
                            y = -3e300
                            for k in range(first, size):
                                w = PATH[k]
                                z = W[u * m + w] - V[w]
                                if z > x:
                                    x = z
                                    FH[u * m + new] = FH[u * m + w]
                                    FD[u * m + new] = FD[u * m + w]
                                z = W[w * m + u]
                                if z > y:
                                    y = z
                                    FH[new * m + u] = FH[w * m + u]
                                    FD[new * m + u] = FD[w * m + u]
                            W[u * m + new] = max(x, -1e300)
                            W[new * m + u] = y
                    size = first + 1
                    PATH[first] = new
                    ON[new] = size
    for k in range(n + 1, count):
        c = count - 1 - (k - n - 1)
        v = ID[c]
        while UP[v] != c:
            v = UP[v]
        IH[v] = IH[c]
        ID[v] = ID[c]
    for d in range(1, n + 1):
        heads[d] = IH[d]
    return 1
"""


@cache
def _spanning() -> Callable[..., int]:
    arrays = dict.fromkeys(("FH", "FD", "IH", "ID", "UP", "ON", "PATH", "heads"), "i64[]")
    arrays |= {"W": "f64[]", "V": "f64[]", "ALIVE": "u8[]", "DONE": "u8[]"}
    return machine_code(with_types(_KERNEL.lstrip("\n"), arrays), ("spanning",))["spanning"]


def best_tree(scores: Matrix) -> tuple[int, ...] | None:
    """Return the heads of the best tree under node 0, None if there is no tree.

    Parameters
    ----------
    scores : `scores[head, dependent]` in log space, shape (n + 1, n + 1); -inf forbids a link.

    >>> best_tree(np.array([[0.0, 1.0, 5.0], [0.0, 0.0, 9.0], [0.0, 9.0, 0.0]]))
    (2, 0)
    """
    n = len(scores) - 1
    m = 2 * (n + 1)
    weights = np.full((m, m), _NONE)
    np.maximum(scores, _NONE, out=weights[: n + 1, : n + 1])
    weights[:, 0] = _NONE
    ends = np.zeros((2, m, m), np.int64)
    ends[0, : n + 1] = np.arange(n + 1)[:, None]
    ends[0, n + 1 :] = 0
    ends[1, :, : n + 1] = np.arange(n + 1)
    numbers = np.zeros((6, m), np.int64)
    numbers[2] = -1
    flags = np.zeros((2, m), np.uint8)
    flags[0, : n + 1] = 1
    flags[1, 0] = 1
    heads = np.zeros(n + 1, np.int64)
    link_heads, link_dependents, up, on, path, _ = numbers
    arguments = (
        weights.ravel(), ends[0].ravel(), ends[1].ravel(), link_heads, link_dependents, up, flags[0], flags[1], on,
        path, np.zeros(m), heads,
    )  # fmt: skip
    return tuple(heads[1:].tolist()) if _spanning()(n, m, *arguments) else None


def tree_sums(scores: Matrix) -> tuple[float, Matrix]:
    """Return the logarithm of the sum over all trees under node 0 of their weights, and the probability of each link.

    Parameters
    ----------
    scores : `scores[head, dependent]` in log space, shape (n + 1, n + 1); -inf forbids a link.

    Returns
    -------
    The log total, -inf where there is no tree; and the probabilities, shape (n + 1, n + 1), zeros where there is none.

    >>> total, links = tree_sums(np.log([[1, 1, 1], [1, 1, 2], [1, 3, 1]]))
    >>> round(math.exp(total), 9), links[0].round(6).tolist()
    (6.0, [0.0, 0.5, 0.666667])
    """
    n = len(scores) - 1
    weights = np.array(scores.T)  # from dependent to head
    weights[0] = -math.inf
    np.fill_diagonal(weights, -math.inf)
    stages: list[
        tuple[Matrix, Matrix]
    ] = []  # shares of ways through a node, and of its links: nothing large in them
    total = 0.0
    with np.errstate(invalid="ignore", over="ignore"):
        for k in range(n, 0, -1):  # node k is left by one of its links to the nodes that are left
            out = weights[k, :k]
            most = float(out.max())
            if most == -math.inf:
                return -math.inf, np.zeros((n + 1, n + 1))
            rest = math.log(float(np.exp(out - most).sum()))
            total += most + rest
            parts = out - most - rest
            before = weights[:k, :k]
            through = weights[:k, k, None] + parts[None, :]
            np.fill_diagonal(through, -math.inf)
            fraction = np.where(np.isneginf(through), 0.0, 1.0 / (1.0 + np.exp(before - through)))
            stages.append((fraction, np.exp(parts)))
            weights[:k, :k] = np.logaddexp(before, through)
    shares = np.zeros((n + 1, n + 1))
    for k, (fraction, parts) in zip(range(1, n + 1), reversed(stages), strict=True):
        moved = shares[:k, :k] * fraction
        shares[:k, :k] -= moved
        shares[:k, k] += moved.sum(axis=1)
        through_parts = moved.sum(axis=0)
        shares[k, :k] += through_parts + (1.0 - through_parts.sum()) * parts
    links: Matrix = np.maximum(shares.T, 0.0)
    return total, links
