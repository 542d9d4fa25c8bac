"""The forest of a chart: its derivations, and the structures that they build, counted and listed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemata.forest.hypergraph import Hypergraph
from schemata.notebook_hooks import ShownAsHtml

if TYPE_CHECKING:
    from schemata.forest.derivations import Derivation
    from schemata.forest.linkages import LinkageCount
    from schemata.forest.listing import TreeCount
    from schemata.structures import DependencyTree, Linkage

__all__ = ["Forest"]


class Forest(Hypergraph, ShownAsHtml):
    """All derivations of a chart's final items, shared; what they are, and what they build, is listed on demand."""

    def derivations(self, limit: int | None = 10) -> list[Derivation]:
        """Return the first derivations of the final items in a fixed order; None for all.

        In a cyclic forest these are the derivations in which no item stands above itself.
        """
        from schemata.forest.derivations import list_derivations

        return list_derivations(self, limit)

    # structures

    def count_trees(self, budget: int | None = None) -> TreeCount:
        """Count the distinct structures, exactly if that takes no more than `budget` unions of link sets."""
        from schemata.forest.listing import DEFAULT_BUDGET, count_trees

        return count_trees(self, DEFAULT_BUDGET if budget is None else budget)

    def trees(self, limit: int | None = 10, budget: int | None = None) -> list[DependencyTree]:
        """Return distinct trees: the first `limit` in order of heads where all are known, else any `limit`.

        Parameters
        ----------
        limit : how many at most; None for all.
        budget : how many unions of link sets may be spent on finding all structures at once.

        Notes
        -----
        The order is the same on every engine and every run. Structures that are not trees are left out.
        """
        from schemata.forest.listing import DEFAULT_BUDGET, list_trees

        return list_trees(self, limit, DEFAULT_BUDGET if budget is None else budget)

    # linkages

    def count_linkages(self, budget: int | None = None) -> LinkageCount:
        """Count the distinct linkages, exactly if that takes no more than `budget` unions of link sets."""
        from schemata.forest.linkages import count_linkages
        from schemata.forest.listing import DEFAULT_BUDGET

        return count_linkages(self, DEFAULT_BUDGET if budget is None else budget)

    def linkages(self, limit: int | None = 10, budget: int | None = None) -> list[Linkage]:
        """Return distinct linkages, cheapest first.

        Parameters
        ----------
        limit : how many at most; None for all.
        budget : how many unions of link sets may be spent on finding all linkages at once.

        Notes
        -----
        Without linkages (a schema that does not join words by connectors) the list is empty.
        """
        from schemata.forest.linkages import list_linkages
        from schemata.forest.listing import DEFAULT_BUDGET

        return list_linkages(self, limit, DEFAULT_BUDGET if budget is None else budget)
