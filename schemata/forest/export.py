"""A forest as a networkx graph: for layouts, for graph algorithms, for the formats networkx writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import networkx

    from schemata.forest.hypergraph import Hypergraph

__all__ = ["forest_graph"]


def forest_graph(forest: Hypergraph) -> networkx.DiGraph[Any]:
    """Return the useful part of a forest as a directed bipartite graph of items and hyperedges.

    Parameters
    ----------
    forest : the forest.

    Returns
    -------
    A graph with two kinds of nodes, in a fixed order. An item's node is its canonical text, with the
    attributes `bipartite` 0, `kind` ``"item"`` or ``"hypothesis"``, `form`, `values`, `final`. A hyperedge's
    node is a pair (text of its consequent, number among the hyperedges into it), with `bipartite` 1, `kind`
    ``"step"``, `step`, `case` (None where the step has one only) and `links` as (dependent, head) pairs, or
    (left, right, label) where links have labels. An arc leads from each antecedent to the hyperedge, its
    attribute `places` telling which antecedents it is (0-based, several where an item is used twice), and one
    from the hyperedge to the consequent.

    Examples
    --------
    >>> import schemata
    >>> graph = forest_graph(schemata.load("eisner1996").run("a").forest())
    >>> [node for node, kind in graph.nodes(data="kind") if kind == "item"]
    ['span[0, 1, false, false]', 'span[0, 1, false, true]']
    >>> sorted(graph.predecessors(("span[0, 1, false, false]", 0)))
    ['word[0]', 'word[1]']
    """
    import networkx

    chart = forest.chart
    cases = chart.schema.cases
    given, roots = chart.raw.hypothesis_count, frozenset(forest.roots)
    numbers = sorted(forest.order, key=chart.order)
    texts = {number: str(chart.item(number)) for number in numbers}
    graph: networkx.DiGraph[Any] = networkx.DiGraph(schema=chart.schema.name)
    for number in numbers:
        item = chart.item(number)
        graph.add_node(
            texts[number],
            bipartite=0,
            kind="hypothesis" if number < given else "item",
            form=item.form,
            values=item.values,
            final=number in roots,
        )
    for number in numbers:
        for k, edge in enumerate(forest.sorted_edges(number)):
            case = cases[edge.case]
            node = (texts[number], k)
            graph.add_node(
                node,
                bipartite=1,
                kind="step",
                step=case.step,
                case=case.label,
                links=chart.built_links(edge.links),
            )
            places: dict[int, list[int]] = {}
            for place, tail in enumerate(edge.tails):
                places.setdefault(tail, []).append(place)
            for tail, found in places.items():
                graph.add_edge(texts[tail], node, places=tuple(found))
            graph.add_edge(node, texts[number])
    return graph
