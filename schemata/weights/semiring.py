"""Semirings: the summands and the addition of a total over the derivations of a hypergraph.

The weight of a derivation is the product of the weights of its steps, the total the sum over all derivations. A
semiring defines the product and the sum. Weights are kept as logarithms: a step's weight is a number in log space, of
which `Semiring.of` makes a value.

    longest = Semiring(zero=-1, one=0, plus=max, times=lambda x, y: -1 if -1 in (x, y) else x + y,
                       of=lambda weight, built: max((abs(d - h) for d, h in built), default=0), idempotent=True)

References
----------
Goodman, J. (1999). Semiring parsing. Computational Linguistics 25(4).
Eisner, J. (2002). Parameter estimation for probabilistic finite-state transducers. ACL. (The expectation semiring.)
Lehmann, D. J. (1977). Algebraic structures for transitive closure. Theoretical Computer Science 4(1). (The star.)
"""

from __future__ import annotations

import heapq
import math
import operator
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from schemata.errors import BudgetError, UsageError, did_you_mean
from schemata.records import Record
from schemata.thresholds import EFFORTS, REFUSALS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

V = TypeVar("V")


class Arrays(NamedTuple):
    """A semiring in NumPy: the names of the functions for `plus` and `times`, and values from an array of weights."""

    plus: str
    times: str
    of: Callable[[NDArray[np.float64]], NDArray[Any]]


def _exponentials(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    return np.exp(weights)


class Semiring(Record, Generic[V]):
    """A semiring, and how weights become values of it.

    Parameters
    ----------
    zero : the neutral element of addition, which makes every product zero: the value of items without derivations.
    one : the neutral element of multiplication: the value of a hypothesis without a weight.
    plus, times : the sum over derivations, and the product within one; both associative, `plus` commutative.
    of : the value of a step from its weight, in log space (-inf: it is forbidden), and from a tuple of its links
        (dependent, head), or (left, right, label).
    star : the sum ``1 + x + x * x + ...``, which cyclic forests ask for; None if there is none.
    minus : the difference of a value and one that is not greater, as rounding allows: with it and `star`, sums are
        found where a step has two antecedents on a cycle; infinite ones are refused. None if there is none.
    idempotent : whether ``x + x = x``. Then it makes no difference how often a structure is derived.
    native : the pass of a native kernel that computes the same: "count", "real", "log" or "viterbi".
    arrays : the same for arrays of values, where `of` looks at the weight alone; large forests are summed up so.
    """

    zero: V
    one: V
    plus: Callable[[V, V], V]
    times: Callable[[V, V], V]
    of: Callable[[float, tuple[Any, ...]], V]
    star: Callable[[V], V] | None = None
    idempotent: bool = False
    native: str | None = None
    arrays: Arrays | None = None
    minus: Callable[[V, V], V] | None = None


def log_add(x: float, y: float) -> float:
    """Return the logarithm of the sum of two numbers given by their logarithms.

    >>> log_add(-math.inf, 0.5), round(math.exp(log_add(math.log(2), math.log(3))), 12)
    (0.5, 5.0)
    """
    low, high = (x, y) if x < y else (y, x)
    return high if low == -math.inf else high + math.log1p(math.exp(low - high))


def log_subtract(x: float, y: float) -> float:
    """Return the logarithm of the difference of two numbers given by their logarithms; -inf where it is not positive.

    >>> round(math.exp(log_subtract(math.log(5), math.log(3))), 12), log_subtract(0.5, 0.5)
    (2.0, -inf)
    """
    return -math.inf if x <= y else x + math.log(-math.expm1(y - x))


def require_weight(weight: float, parts: Iterable[float]) -> None:
    """Check that the weight of a structure is the sum of its parts, as it must be whatever has found it.

    Parameters
    ----------
    weight : in log space.
    parts : the parts of the structure, weighed one by one.

    Raises
    ------
    AssertionError : it is not: a fault of the search, whose answer must not be returned.
    """
    known = list(parts)
    if not is_weight(weight, known):
        exact = math.fsum(known)
        raise AssertionError(f"a structure was found with the weight {weight:.9g}, but it weighs {exact:.9g}")


def require_built(is_built: bool, structure: object) -> None:
    """Check that a derivation builds a structure, as `require_weight` checks the derivation's weight.

    Raises
    ------
    AssertionError : it is not.
    """
    if not is_built:
        raise AssertionError(f"a structure was found that its derivation does not build: {structure}")


def is_weight(weight: float, parts: Iterable[float]) -> bool:
    """Whether a weight is the sum of parts, up to rounding.

    >>> is_weight(0.3, [0.1, 0.2]), is_weight(0.3, [0.1, 0.1])
    (True, False)
    """
    known = list(parts)
    exact, size = math.fsum(known), math.fsum(map(abs, known))
    return abs(exact - weight) <= 1e-7 * (1 + size)


def exponential(weight: float) -> float:
    """Return e to a weight's power; infinity if it is too large for a float."""
    try:
        return math.exp(weight)
    except OverflowError:
        return math.inf


def k_best_weights(k: int) -> Semiring[tuple[float, ...]]:
    """Return the semiring of the k greatest weights of derivations (not of structures), greatest first.

    >>> two = k_best_weights(2)
    >>> two.times(two.plus((3.0,), (1.0, 0.5)), (2.0,))
    (5.0, 3.0)
    """
    return Semiring(
        (),
        (0.0,),
        lambda x, y: tuple(heapq.nlargest(k, x + y)),
        lambda x, y: tuple(heapq.nlargest(k, (a + b for a in x for b in y))),
        lambda weight, _: (weight,) if weight > -math.inf else (),
    )


BOOLEAN: Semiring[bool] = Semiring(
    False,
    True,
    operator.or_,
    operator.and_,
    lambda weight, _: weight > -math.inf,
    lambda _: True,
    True,
    arrays=Arrays("logical_or", "logical_and", lambda weights: weights > -math.inf),
)


class UncountedError(BudgetError):
    """A number of derivations has more than some 300,000 digits, and is not counted."""

    def __init__(self) -> None:
        digits = int(EFFORTS.count_bits * math.log10(2))
        super().__init__(f"a number of derivations has more than {digits:,} digits", code="uncounted")


def _product_of_counts(x: float, y: float) -> float:
    """Multiply two counts, which may be infinite; nothing times infinity is nothing.

    Raises
    ------
    UncountedError : the product is too long.
    """
    if x == 1 or y == 0:
        return y
    if y == 1 or x == 0:
        return x
    if isinstance(x, int) and isinstance(y, int) and x.bit_length() + y.bit_length() > EFFORTS.count_bits:
        raise UncountedError
    return x * y


COUNT: Semiring[Any] = Semiring(
    0,
    1,
    operator.add,
    _product_of_counts,
    lambda weight, _: int(weight > -math.inf),
    lambda x: math.inf if x else 1,
    native="count",
    arrays=Arrays("add", "multiply", lambda weights: (weights > -math.inf).astype(int).astype(object)),
)
REAL: Semiring[float] = Semiring(
    0.0,
    1.0,
    operator.add,
    lambda x, y: x * y if x and y else 0.0,
    lambda weight, _: exponential(weight),
    lambda x: 1 / (1 - x) if x < 1 - REFUSALS.close_to_one else math.inf,
    native="real",
    arrays=Arrays("add", "multiply", _exponentials),
    minus=lambda x, y: max(0.0, x - y),
)
LOG: Semiring[float] = Semiring(
    -math.inf,
    0.0,
    log_add,
    operator.add,
    lambda weight, _: weight,
    lambda x: -math.log1p(-math.exp(x)) if x < -REFUSALS.close_to_one else math.inf,
    native="log",
    arrays=Arrays("logaddexp", "add", operator.pos),
    minus=log_subtract,
)
VITERBI: Semiring[float] = Semiring(
    -math.inf,
    0.0,
    max,
    operator.add,
    lambda weight, _: weight,
    lambda x: 0.0 if x <= 0 else math.inf,
    True,
    native="viterbi",
    arrays=Arrays("maximum", "add", operator.pos),
)
MIN_PLUS: Semiring[float] = Semiring(
    math.inf,
    0.0,
    min,
    operator.add,
    lambda weight, _: -weight,
    lambda x: 0.0 if x >= 0 else -math.inf,
    True,
    arrays=Arrays("minimum", "add", operator.neg),
)
EXPECTATION: Semiring[tuple[float, float]] = Semiring(
    (0.0, 0.0),
    (1.0, 0.0),
    lambda x, y: (x[0] + y[0], x[1] + y[1]),
    lambda x, y: (x[0] * y[0], x[0] * y[1] + x[1] * y[0]),
    lambda weight, _: (
        (0.0, 0.0) if weight == -math.inf else (exponential(weight), exponential(weight) * weight)
    ),
    lambda x: (
        (1 / (1 - x[0]), x[1] / (1 - x[0]) ** 2) if x[0] < 1 - REFUSALS.close_to_one else (math.inf, math.inf)
    ),
    minus=lambda x, y: (max(0.0, x[0] - y[0]), x[1] - y[1]),
)

SEMIRINGS: dict[str, Semiring[Any]] = {
    "boolean": BOOLEAN,
    "count": COUNT,
    "real": REAL,
    "log": LOG,
    "viterbi": VITERBI,
    "min-plus": MIN_PLUS,
    "expectation": EXPECTATION,
}


_MEANT = {
    **dict.fromkeys(("sum", "inside", "probability", "prob", "plus-times"), "real, or log for logarithms"),
    **dict.fromkeys(("max", "best", "max-plus", "argmax"), "viterbi"),
    **dict.fromkeys(("min", "tropical", "shortest", "cost"), "min-plus"),
    **dict.fromkeys(("logsumexp", "log-sum-exp", "logspace", "partition"), "log"),
    **dict.fromkeys(("counting", "number", "trees", "derivations"), "count"),
    **dict.fromkeys(("bool", "or", "recognition"), "boolean"),
}  # names that other programs have for semirings


def semiring_of(given: str | Semiring[V]) -> Semiring[Any]:
    """Return a semiring that is given itself or by name; `best:5` is the five greatest weights of derivations.

    Raises
    ------
    UsageError : no semiring is called so.
    """
    if isinstance(given, Semiring):
        return given
    if isinstance(given, str) and given in SEMIRINGS:
        return SEMIRINGS[given]
    name, _, number = given.partition(":") if isinstance(given, str) else ("", "", "")
    if name == "best" and number.isdecimal() and int(number):
        return k_best_weights(int(number))
    names = [*SEMIRINGS, "best:5"]
    meant = _MEANT.get(str(given).casefold())
    hint = f"write {meant}" if meant else did_you_mean(str(given), names)
    message = f"there is no semiring {given!r}"
    raise UsageError(message, code="unknown-semiring", expected=", ".join(names), hint=hint)
