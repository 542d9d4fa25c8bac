"""Semantic graphs: nodes with labels, edges with labels between them, and a top node, as in AMR.

A node is a position of the sentence, mostly that of the word that evokes it. Each node has one label, edges lead from
nodes to nodes, and all nodes are connected with the top. In PENMAN notation, a graph is a text in brackets, in which a
node that is written elsewhere is named by its variable.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from schemata.grouping import grouped, reachable
from schemata.records import Record, ShownAsSvg

Edge = tuple[int, int, str]


class SemanticGraph(Record, ShownAsSvg, order=True):
    """A semantic graph: labels by node, edges as source, target and label, and the top node; all in order.

    Printed, it is in PENMAN notation, in one line.

    >>> print(SemanticGraph(((2, "boy"), (3, "want"), (5, "go")), ((3, 2, "ARG0"), (3, 5, "ARG1"), (5, 2, "ARG0")), 3))
    (w3 / want :ARG0 (b2 / boy) :ARG1 (g5 / go :ARG0 b2))
    """

    nodes: tuple[tuple[int, str], ...]
    edges: tuple[Edge, ...]
    top: int

    def __str__(self) -> str:
        return self.penman(None)

    def to_json(self) -> dict[str, Any]:
        """Return the graph as a JSON object."""
        return {"top": self.top, "nodes": [*map(list, self.nodes)], "edges": [*map(list, self.edges)]}

    def penman(self, indent: int | None = 4) -> str:
        """Return the graph in PENMAN notation.

        Each node stands below the first edge by which a walk from the top, depth first, reaches it; others have its
        variable. A node that no edge leads to stands below an inverted edge, such as ``:ARG0-of``.

        Parameters
        ----------
        indent : blanks by which a line is further in than the node above; None for one line.

        References
        ----------
        Kasper 1989, A flexible interface for linking applications to Penman's sentence generator; Goodman 2020, Penman:
        an open-source library and tool for AMR graphs.
        """
        labels, done = dict(self.nodes), {self.top}
        chosen: dict[int, list[tuple[str, int, bool]]] = {
            node: [] for node in labels
        }  # whether the node opens there
        leaving = grouped((x, (y, _role(label))) for x, y, label in self.edges)
        stack = [self.top]
        while True:
            while stack:
                node = stack[-1]
                if not (rest := leaving.get(node)):
                    stack.pop()
                    continue
                other, role = rest.pop(0)
                chosen[node].append((role, other, other not in done))
                if other not in done:
                    done.add(other)
                    stack.append(other)
            edge = next(((x, y, r) for x, y, r in self.edges if y in done and x not in done), None)
            if edge is None:
                break
            source, target, label = edge
            chosen[target].append((f"{_role(label)}-of", source, True))
            leaving[source].remove((target, _role(label)))
            done.add(source)
            stack.append(source)
        pieces: list[str] = []
        names = {node: _variable(label, node) for node, label in self.nodes}
        work: list[tuple[int, int] | str] = [(self.top, 1)]
        while work:
            part = work.pop()
            if isinstance(part, str):
                pieces.append(part)
                continue
            node, depth = part
            pieces.append(f"({names[node]} / {_atom(labels[node])}")
            after: list[tuple[int, int] | str] = []
            for role, other, opens in chosen[node]:
                between = " " if indent is None else "\n" + " " * (indent * depth)
                after.append(f"{between}{role} ")
                after.append((other, depth + 1) if opens else names[other])
            work += reversed([*after, ")"])
        return "".join(pieces)

    def in_format(self, name: str, number: int = 1) -> str:
        """Return the graph in a format, PENMAN notation, with a blank line after it."""
        return f"{self.penman()}\n"

    @property
    def fault(self) -> str | None:
        """Why it is not a semantic graph: nodes without or with several labels, edges between others, several parts."""
        nodes = [node for node, _ in self.nodes]
        known = set(nodes)
        if len(known) < len(nodes):
            return f"node {next(x for x in nodes if nodes.count(x) > 1)} has two labels"
        ends = [self.top, *(end for edge in self.edges for end in edge[:2])]
        missing = next((end for end in ends if end not in known), None)
        if missing is not None:
            return f"node {missing} has no label"
        beside = grouped(pair for x, y, _ in self.edges for pair in ((x, y), (y, x)))
        reached = reachable([self.top], lambda node: beside.get(node, ()))
        return None if reached == known else "it is not connected"


def _variable(label: str, node: int) -> str:
    letter = next((x for x in label.lower() if x.isascii() and x.isalpha()), "x")
    return f"{letter}{node}"


def _atom(label: str) -> str:
    """Return a label as PENMAN notation has it: in quotes unless it is a plain symbol."""
    plain = re.fullmatch(r'[^\s()/":#~\\]+', label)
    return label if plain else '"' + re.sub(r'(["\\])', r"\\\1", label) + '"'


def _role(label: str) -> str:
    """Return the label of an edge as PENMAN notation has it: there are no quotes, so some characters become _."""
    return ":" + re.sub(r'[\s()/":#~]', "_", label)


def graph_of_atoms(atoms: Iterable[Sequence[Any]]) -> SemanticGraph | None:
    """Return the graph of atoms ``node(x, label)``, ``role(x, y, label)`` and ``top(x)``; None if they do not make up a
    graph.
    """
    by_name: dict[str, list[tuple[Any, ...]]] = {"node": [], "role": [], "top": []}
    for name, *arguments in atoms:
        by_name[name].append(tuple(arguments))
    if len(by_name["top"]) != 1:
        return None
    graph = SemanticGraph(tuple(by_name["node"]), tuple(by_name["role"]), by_name["top"][0][0])
    return None if graph.fault else graph


def links_of(graph: SemanticGraph) -> Iterator[tuple[int, int, str]]:
    """Yield the edges as links to draw, target first, with one from node 0 to the top."""
    yield graph.top, 0, ""
    for source, target, label in graph.edges:
        yield target, source, label
