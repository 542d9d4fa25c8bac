"""Circuits: weights of hyperedges as products of parameters, and the derivatives of the total by these.

A hyperedge can be made in several *ways*. A way weighs a constant, times parameters: the rows of a grammar, each as
often as the way asks for it. The derivative of the log total by the logarithm of a parameter is how often derivations
use it in expectation, in proportion to their weights (Eisner 2016), as needed by gradients and expectation
maximisation.

References
----------
Eisner, J. (2016). Inside-outside and forward-backward algorithms are just backprop. Workshop on Structured Prediction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from schemata.records import Record

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from schemata.weights.hypergraph import Hypergraph


class Circuit(Record, eq=False):
    """A hypergraph whose hyperedges weigh products of parameters.

    Parameters
    ----------
    graph : the hypergraph.
    goal : the node whose derivations are summed up.
    edges : the hyperedge of each way, in order; each hyperedge has one way at least.
    constants : the weight of each way without its parameters, in log space.
    ways, uses : for each use of a parameter the way, and the number of the parameter.
    parameters : the key of each parameter.
    """

    graph: Hypergraph
    goal: int
    edges: NDArray[np.int64]
    constants: NDArray[np.float64]
    ways: NDArray[np.int64]
    uses: NDArray[np.int64]
    parameters: tuple[Any, ...]

    def expectations(self, weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Return the log total, and how often derivations use each parameter in expectation.

        Parameters
        ----------
        weights : of the parameters, in log space, shape (parameters,).

        Returns
        -------
        The log total, -inf where nothing has a weight; and the expectations, zeros there.

        Raises
        ------
        EndlessSumError : a sum, or an expectation, is infinite.
        """
        of_ways = self.constants + np.bincount(self.ways, weights[self.uses], len(self.constants))
        starts = np.flatnonzero(np.diff(self.edges, prepend=-1))
        values = np.logaddexp.reduceat(of_ways, starts) if len(starts) else of_ways
        total, shares = self.graph.log_expectations(values, self.goal)
        with np.errstate(invalid="ignore"):
            parts = shares[self.edges] * np.exp(of_ways - values[self.edges])
        parts = np.where(shares[self.edges] > 0, parts, 0.0)
        counts: NDArray[np.float64] = np.bincount(self.uses, parts[self.ways], len(self.parameters)).astype(
            float
        )
        return total, counts
