"""A single root by scores: links to 0 are lowered so far that trees with several of them do not count.

Any tree with one such link then outweighs all trees with more, and the latter vanish in sums. Their remaining share
is below the precision of floats (Stanojević, M. & Cohen, S. B. 2021, A root of a problem, EMNLP).

A number added to large scores and subtracted again is lost to rounding. So scores far from 0, such as those that mask
links, and weights of steps do not decide how far links are lowered. The answer then shows whether that was enough: the
best tree has one root, or the expected number of roots is 1; otherwise each root is tried by itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from schemata.records import Record
from schemata.thresholds import WAYS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix: TypeAlias = NDArray[np.float64]

Heads: TypeAlias = tuple[int, ...]
_NEARLY = 1e-10  # a share of trees with several roots that is left out of account


class Sums(NamedTuple):
    """A log total, -inf for nothing, and its derivatives, which are probabilities.

    Attributes
    ----------
    log_total : in log space; -inf for nothing.
    links : the share of derivations that build each link, by head and dependent, (n + 1, n + 1).
    steps : by step with a tensor of weights, the share of derivations that apply it with each choice of values.
    """

    log_total: float
    links: Matrix
    steps: Mapping[str, NDArray[np.float64]] = MappingProxyType({})


class RootedTree(NamedTuple):
    """The heads of the best tree, its weight, and the scores under which it is found."""

    heads: Heads
    weight: float
    scores: Matrix


class Lowered(Record, eq=False):
    """Scores whose links to 0 are lowered.

    Attributes
    ----------
    scores : the scores, [head, dependent].
    by : how much the links to 0 are lowered.
    least : below the weight of any tree, where the lowering is certain.
    is_certain : whether they are lowered enough.
    """

    scores: Matrix
    by: float
    least: float
    is_certain: bool


def dependent_value(n: int) -> int:
    """The number that is added to a link's dependent, so that a sum over links shows how many links there are.

    It exceeds the sum of as many dependents as n words have.
    """
    return n * n + 1


def unlinked_root(most: float, least: float, n: int) -> int | None:
    """Return the root of an item's trees where no link leads to 0; 0 where one does, or there are no trees.

    A tree of n words whose root nothing links has n - 1 dependents: all words but the root. Where a derivation builds
    a link twice there are more, and their sum says nothing.

    Parameters
    ----------
    most, least : the greatest and the least sum over the links of a derivation, a link worth `dependent_value` more
        than its dependent.
    n : the number of words.

    Returns
    -------
    None if derivations differ, or some may build a link twice.
    """
    if most != least:
        return None
    links, dependents = divmod(round(most), dependent_value(n))
    words = n * (n + 1) // 2
    if links >= n:
        return 0 if (links, dependents) == (n, words) else None
    return words - dependents if links == n - 1 and 1 <= words - dependents <= n else 0


def lowered(scores: Matrix, more: bool = False) -> Lowered:
    """Return scores with lowered links to 0.

    Parameters
    ----------
    scores : of links, [head, dependent], -inf where they are forbidden.
    more : whether something else than links weighs.
    """
    n = len(scores) - 1
    sizes = np.abs(scores[np.isfinite(scores)])
    near = sizes[sizes <= WAYS.far_score]
    spread = n * float(near.max(initial=0.0))
    by = 2 * spread + 2 * (n - 1) * math.log(n + 1) + 80.0  # there are (n + 1) ** (n - 1) trees
    found = scores.copy()
    found[0, 1:] -= by
    return Lowered(found, by, -spread - 20.0, len(near) == len(sizes) and not more)


def best_with_single_root(
    scores: Matrix, ask: Callable[[Matrix], tuple[Heads, float] | None], more: bool = False
) -> RootedTree | None:
    """Return the best tree in which one word alone hangs under node 0; None if no such tree exists.

    Parameters
    ----------
    scores : of links, [head, dependent].
    ask : returns the best tree under scores, and its weight.
    more : whether something else than links weighs.
    """
    lower = lowered(scores, more)
    found = ask(lower.scores)
    if found is None:
        return None
    if found[0].count(0) == 1:
        return RootedTree(found[0], found[1] + lower.by, lower.scores)
    if lower.is_certain:
        return None
    each = [RootedTree(*one, part) for part in by_root(scores) if (one := ask(part)) is not None]
    return max(each, key=lambda one: one.weight, default=None)


def sums_with_single_root(
    scores: Matrix, ask: Callable[[Matrix], Sums | None], more: bool = False
) -> Sums | None:
    """Return sums over the trees in which one word alone hangs under node 0; None if no such tree exists.

    The parameters are those of `best_with_single_root`; `ask` returns sums, None for nothing.
    """
    lower = lowered(scores, more)
    found = ask(lower.scores)
    if found is None or found.log_total == -math.inf:
        return None
    total = found.log_total + lower.by
    if lower.is_certain:
        return None if total < lower.least else found._replace(log_total=total)
    if float(found.links[0].sum()) < 1 + _NEARLY:
        return found._replace(log_total=total)
    each = [one for part in by_root(scores) if (one := ask(part)) is not None and one.log_total > -math.inf]
    if not each:
        return None
    highest = max(one.log_total for one in each)
    odds = [math.exp(one.log_total - highest) for one in each]
    whole = math.fsum(odds)
    pairs = [(odd / whole, one) for odd, one in zip(odds, each, strict=True)]
    links = sum((share * one.links for share, one in pairs), np.zeros_like(scores))
    steps = {
        step: sum((share * one.steps[step] for share, one in pairs), np.zeros_like(first))
        for step, first in each[0].steps.items()
    }
    return Sums(highest + math.log(whole), links, steps)


def by_root(scores: Matrix) -> Iterator[Matrix]:
    """Yield scores that forbid all links to 0 but one."""
    for root in range(1, len(scores)):
        if scores[0, root] > -math.inf:
            part = scores.copy()
            part[0, 1:] = -math.inf
            part[0, root] = scores[0, root]
            yield part
