"""Hyperedge replacement by brute force: every derivation over every cut of the words, with graphs that are glued.

Written from Chiang et al. 2013 (section 2: a rule replaces a hyperedge by a graph, whose external nodes are fused with
the ends of the hyperedge) and from the relations that the schema hyperedge-replacement declares. Nothing is guessed and
no chart is kept: an open node is a node without a label, which is fused with another one later.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

Rows = Mapping[str, Sequence[tuple[str, ...]]]


@dataclass(frozen=True)
class Glued:
    """A graph with external nodes: labels with the word of each labelled node, edges, the root, an open node if any."""

    labels: tuple[tuple[int, tuple[int, str]], ...]
    edges: frozenset[tuple[int, int, str]]
    root: int
    open: int | None


def _shifted(graph: Glued, by: int) -> Glued:
    labels = tuple((node + by, label) for node, label in graph.labels)
    edges = frozenset((x + by, y + by, role) for x, y, role in graph.edges)
    return Glued(labels, edges, graph.root + by, None if graph.open is None else graph.open + by)


def _fused(one: Glued, other: Glued, pairs: Sequence[tuple[int, int]]) -> tuple[Glued, dict[int, int]]:
    """Return both graphs beside each other, with pairs of nodes fused, and where the nodes of both have gone."""
    name: dict[int, int] = {}

    def find(node: int) -> int:
        while node in name:
            node = name[node]
        return node

    for a, b in pairs:
        if find(a) != find(b):
            name[find(a)] = find(b)
    labels = tuple((find(x), label) for x, label in (*one.labels, *other.labels))
    edges = frozenset((find(x), find(y), role) for x, y, role in one.edges | other.edges)
    nodes = {
        x for g in (one, other) for x in (g.root, g.open, *(e for edge in g.edges for e in edge[:2])) if x
    }
    return Glued(labels, edges, find(one.root), None), {x: find(x) for x in nodes}


def parts(category: str, words: Sequence[str], first: int, rows: Rows) -> Iterator[Glued]:
    """Yield what each derivation of a category over some words builds; the first of them is a certain word."""
    if len(words) == 1:
        for a, form, label in rows.get("node", ()):
            if (a, form) == (category, words[0]):
                yield Glued(((1, (first, label)),), frozenset(), 1, None)
        for a, form, label, role in rows.get("opening", ()):
            if (a, form) == (category, words[0]):
                yield Glued(((1, (first, label)),), frozenset({(1, 2, role)}), 1, 2)
    for a, form, below in rows.get("silent", ()):
        if (a, form) == (category, words[0]) and len(words) > 1:
            yield from parts(below, words[1:], first + 1, rows)
    for cut in range(1, len(words)):
        yield from _joined(category, words, first, cut, rows)


def _joined(category: str, words: Sequence[str], first: int, cut: int, rows: Rows) -> Iterator[Glued]:
    for relation in ("argument", "shared", "filled", "modified", "restricted"):
        for a, left, right, *role in rows.get(relation, ()):
            if a != category:
                continue
            lefts = list(parts(left, words[:cut], first, rows))
            rights = list(parts(right, words[cut:], first + cut, rows)) if lefts else []
            for one, unshifted in product(lefts, rights):
                other = _shifted(unshifted, 1000)
                edge: tuple[int, int] | None = None
                match relation:
                    case "argument" if other.open is None:
                        pairs, edge, root, opened = [], (one.root, other.root), one.root, one.open
                    case "shared" if one.open is not None and other.open is not None:
                        pairs, edge = [(one.open, other.open)], (one.root, other.root)
                        root, opened = one.root, other.open
                    case "filled" if one.open is None and other.open is not None:
                        pairs, root, opened = [(other.open, one.root)], other.root, None
                    case "modified" if one.open is None:
                        pairs, edge, root, opened = [], (other.root, one.root), other.root, other.open
                    case "restricted" if one.open is None and other.open is not None:
                        pairs, root, opened = [(other.open, one.root)], one.root, None
                    case _:
                        continue
                both, gone = _fused(one, other, pairs)
                edges = both.edges
                if edge is not None:
                    edges |= {(gone.get(edge[0], edge[0]), gone.get(edge[1], edge[1]), role[0])}
                root = gone.get(root, root)
                opened = None if opened is None else gone.get(opened, opened)
                yield _renumbered(Glued(both.labels, edges, root, opened))


def _renumbered(graph: Glued) -> Glued:
    nodes = {x for x, _ in graph.labels} | {e for edge in graph.edges for e in edge[:2]} | {graph.root}
    new = {x: k for k, x in enumerate(sorted(nodes), start=1)}
    return Glued(
        tuple((new[x], label) for x, label in graph.labels),
        frozenset((new[x], new[y], role) for x, y, role in graph.edges),
        new[graph.root],
        None if graph.open is None else new[graph.open],
    )


Named = tuple[frozenset[tuple[int, str]], frozenset[tuple[int, int, str]], int]


def graphs(words: Sequence[str], rows: Rows) -> Counter[Named]:
    """Return the graphs of a sentence, nodes named by their words, with the number of derivations of each."""
    found: Counter[Named] = Counter()
    for (category,) in dict.fromkeys(rows.get("start", ())):
        for graph in parts(category, words, 1, rows):
            if graph.open is None:
                word = {node: at for node, (at, _) in graph.labels}
                edges = frozenset((word[x], word[y], role) for x, y, role in graph.edges)
                found[frozenset(label for _, label in graph.labels), edges, word[graph.root]] += 1
    return found
