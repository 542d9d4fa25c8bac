"""Algebras of weights as kernel text: what zero and one are, and how products and sums are written.

A table holds a real number for every place. An item's weight is the sum, over the hyperedges that derive it, of the
product of the weights of the structural antecedents and of the links. Hypotheses are worth one, even where a step
derives them.

    viterbi   product x + y, sum max(x, y)
    real      product x * y, sum x + y
    log       product x + y; the maximum first, then the sum of exp(product - maximum), then one log for each item

The zero of logarithms is not minus infinity but -1e300, since LLVM's fast-math flags are for finite numbers. A
product with it is at most about -1e300, and the maximum with the zero is the zero again. So innermost loops need not
test whether an item is there.
"""

from __future__ import annotations

from collections.abc import Mapping

from schemata.records import Record

NONE = -1e300


class Phase(Record):
    """A run over all hyperedges of an item: what stands before it, and what is done with a product.

    In the text `{x}` and `{z}` are where the phases add up, `{old}` is the item's weight before and `{y}` a product.
    """

    begin: str
    added: str


class Algebra(Record):
    """A way to add and multiply weights.

    Attributes
    ----------
    zero, one : as numbers.
    operator : of products.
    least : weights are above it where an item is there.
    phases : what adds up; the first has the result, or the greatest of all.
    result : the sum, when all phases are over.
    is_idempotent : whether it does not matter to add a hyperedge twice.
    """

    zero: float
    one: float
    operator: str
    least: float
    phases: tuple[Phase, ...]
    result: str
    is_idempotent: bool = False


_MOST = Phase("{x} = {old}", "{x} = max({x}, {y})")
ALGEBRAS: Mapping[str, Algebra] = {
    "viterbi": Algebra(NONE, 0.0, "+", NONE / 10, (_MOST,), "{x}", is_idempotent=True),
    "real": Algebra(0.0, 1.0, "*", 0.0, (Phase("{x} = {old}", "{x} = {x} + {y}"),), "{x}"),
    "log": Algebra(
        NONE,
        0.0,
        "+",
        NONE / 10,
        (_MOST, Phase("{z} = exp({old} - {x})", "{z} = {z} + exp({y} - {x})")),
        "{x} + log({z})",
    ),
}
