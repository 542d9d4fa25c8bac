"""The chart that a run returns: its items, step instances and forest, and their pictures in notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemata.charts.chart import BareChart
from schemata.notebook_hooks import ShownAsHtml

if TYPE_CHECKING:
    from schemata.forest.forest import Forest

__all__ = ["Chart"]


class Chart(BareChart, ShownAsHtml):
    """The result of running a schema on a sentence: items, counts and back-pointers as in `BareChart`, and a forest."""

    def forest(self) -> Forest:
        """Return the chart's derivations as a hypergraph."""
        from schemata.forest.forest import Forest

        return Forest(self)
