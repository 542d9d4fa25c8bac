"""The chart that a run returns: its items, step instances and forest, and the answers it gives about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from schemata.charts.chart import BareChart
from schemata.notebook_hooks import ShownAsHtml

if TYPE_CHECKING:
    from schemata.analysis.explain import Proof
    from schemata.analysis.figures import RunResult
    from schemata.analysis.reasons import WhyNot
    from schemata.budget import Budget
    from schemata.charts.chart import Item
    from schemata.forest.forest import Forest

__all__ = ["Chart"]


class Chart(BareChart, ShownAsHtml):
    """The result of running a schema on a sentence: items, counts and back-pointers as in `BareChart`, and a forest."""

    def forest(self) -> Forest:
        """Return the chart's derivations as a hypergraph."""
        from schemata.forest.forest import Forest

        return Forest(self)

    def summary(self, limit: int | None = 10, tree_budget: int | None = None) -> RunResult:
        """Count derivations and distinct trees or linkages, and list the first: what `schemata run` prints.

        Parameters
        ----------
        limit : how many trees or linkages to list; None for all.
        tree_budget : unions of link sets that may be spent on counting them exactly; None for the default.
        """
        from schemata.analysis.figures import run_result

        return run_result(self, limit=limit, tree_budget=tree_budget)

    def explain(self, item: str | Item, depth: int | None = None, budget: Budget | None = None) -> Proof:
        """Return a proof of an item with the fewest step instances.

        Parameters and errors are those of `analysis.explain.explain`.
        """
        from schemata.analysis.explain import explain

        return explain(self, item, depth, budget)

    def why_not(self, item: str | Item | None = None, depth: int = 3) -> WhyNot:
        """Return why an item, or by default any final item, is not derivable, or that it is.

        Parameters and errors are those of `analysis.why_not.why_not`.
        """
        from schemata.analysis.why_not import why_not

        return why_not(self, item, depth)

    def to_json(self, limit: int | None = 10) -> dict[str, Any]:
        """Return the JSON object that `schemata run --json` prints, with at most `limit` trees."""
        return self.summary(limit).to_json()
