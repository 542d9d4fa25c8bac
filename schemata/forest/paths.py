"""Structures that derivations over a word graph build: each over the words of one path, with that path.

The words of a path are those that have a head, or a constituent of their own; where a schema leaves the root of a tree
without a link, also the one word that is a head and has none. Results over other words are not structures.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from schemata.errors import StructureError
from schemata.forest.forest import Edge
from schemata.forest.states import Builds
from schemata.forest.trees import Building
from schemata.structures.constituents import WORD, Constituent, ConstituentTree
from schemata.structures.graphs import DependencyTree
from schemata.structures.word_graphs import OnPath, WordGraph


@dataclass(slots=True)
class OnPaths:
    """The states of structures over a word graph: those of the structures without a path."""

    inner: Any
    graph: WordGraph

    @property
    def plain(self) -> bool:
        """True if states are integers that are united."""
        return bool(self.inner.plain)

    @property
    def leaf(self) -> Any:
        """The state of a hypothesis."""
        return self.inner.leaf

    def links(self, edge: Edge) -> Any:
        """Return an edge's own links."""
        return self.inner.links(edge)

    def combine(self, edge: Edge, consequent: int, own: Any, states: Any) -> Any:
        """Return the state of a consequent from those of the edge's tails; None if it is dropped."""
        return self.inner.combine(edge, consequent, own, states)

    def structure(self, state: Any) -> tuple[Any, ...] | None:
        """Return a path and the key of the structure over its words; None if the state is not a structure."""
        if isinstance(self.inner, Building):
            if not self.inner.names_words(state) or (isinstance(state, tuple) and state[2]):
                return None
            return self._tree(self.inner.built(state))
        found = self.inner.structure(state)
        return None if found is None else self._constituents(found)

    def value(self, structure: tuple[Any, ...]) -> OnPath:
        """Return the structure with its path."""
        path, *rest = structure
        sentence = self.graph.sentence_of(path)
        if isinstance(self.inner, Building):
            return OnPath(path, sentence, DependencyTree(*rest))
        return OnPath(path, sentence, ConstituentTree(rest[0], sentence.words))

    def _tree(self, links: Sequence[tuple[Any, ...]]) -> tuple[Any, ...] | None:
        """Return a path with the heads of its words, and their labels if there are some."""
        if any(isinstance(link[0], str) for link in links):
            return None
        heads = {link[0]: link[1] for link in links}
        if len(heads) < len(links):
            return None
        above = set(heads.values()) - set(heads) - {0}
        if len(above) > 1 or (above and 0 in heads.values()):
            return None
        heads |= dict.fromkeys(above, 0)
        path = tuple(sorted(heads))
        if not self.graph.is_path(path):
            return None
        number = {0: 0} | {word: k for k, word in enumerate(path, start=1)}
        tree = tuple(number[heads[word]] for word in path)
        labels = {link[0]: link[2] for link in links if len(link) > 2}
        more = (tuple(labels.get(word, "") for word in path),) if labels else ()
        try:
            DependencyTree(tree, *more)
        except StructureError:
            return None
        return path, tree, *more

    def _constituents(self, found: tuple[Constituent, ...]) -> tuple[Any, ...] | None:
        """Return a path with the constituents over its words."""
        path, own = over_own_words(found)
        ends = {last for top in found for node in top.walk() for _, last in node.spans}
        return (path, own) if self.graph.is_path(path) and ends <= {0, *path} else None


def over_own_words(found: Sequence[Constituent]) -> tuple[tuple[int, ...], tuple[Constituent, ...]]:
    """Return the words of a word graph in constituents, and these with their words numbered from 1.

    A stretch may begin with the number after that of the word before it: no word of its path is between.
    """
    spans = [span for top in found for node in top.walk() for span in node.spans]
    words = tuple(sorted({first for first, last in spans if first == last}))

    def of(nodes: Sequence[Constituent]) -> tuple[Constituent, ...]:
        return tuple(
            Constituent(
                node.category,
                tuple(
                    (bisect_left(words, first) + 1, bisect_right(words, last)) for first, last in node.spans
                ),
                of(node.children),
            )
            for node in nodes
            if node.category != WORD
        )

    return words, of(found)


def on_paths(building: Builds | None, graph: WordGraph | None) -> Builds | None:
    """Return the states of structures over a word graph, if there is one; linkages contain their path themselves."""
    return building if building is None or graph is None else OnPaths(building, graph)
