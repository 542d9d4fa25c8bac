"""Pseudo-projective trees: words are lifted until no arc is crossed, and labels tell how to undo it.

A projective parser that has learned such labels parses non-projective trees. A word is lifted to the head of its head.
Its label then has a mark, and in some encodings so have the labels on the way:

    head        nmod↑obj           a lifted word, with the label of the head that it had
    path        nmod↑, obj↓        a lifted word, and a head that a word was lifted from
    head+path   nmod↑obj, obj↓     both

References
----------
Nivre, J. & Nilsson, J. (2005). Pseudo-projective dependency parsing. ACL.
Kübler, McDonald & Nivre 2009, section 3.5.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from schemata.errors import StructureError, require_known
from schemata.json_values import document, fields_json
from schemata.quick_dataclasses import dataclass
from schemata.structures.trees import DependencyTree

ENCODINGS = ("head", "head+path", "path")
LIFTS = ("shortest", "deepest")
_UP, _DOWN = "↑", "↓"


def lifted(tree: DependencyTree, encoding: str = "head+path", lift: str = "shortest") -> DependencyTree:
    """Return the projective tree of a tree, with labels that tell what was lifted.

    Parameters
    ----------
    tree : a tree; without labels, all are "".
    encoding : "head", "head+path" or "path".
    lift : which crossed arc is lifted first: the "shortest" one, or the one whose dependent is "deepest".

    Raises
    ------
    UsageError : there is no such encoding or order.
    StructureError : labels have arrows already.

    >>> lifted(DependencyTree((3, 4, 0, 3), ("a", "b", "c", "d")), "head")
    DependencyTree(heads=(3, 3, 0, 3), labels=('a', 'b↑d', 'c', 'd'))
    """
    require_known(encoding, ENCODINGS, f"there is no {encoding}")
    require_known(lift, LIFTS, f"there is no {lift}")
    labels = tree.labels or ("",) * len(tree)
    if any(_UP in label or _DOWN in label for label in labels):
        raise StructureError("labels have arrows already", hint="the trees may be pseudo-projective")
    heads = [0, *tree.heads]
    from_heads: set[int] = set()
    while crossed := [d for d in range(1, len(heads)) if _is_crossed(heads, d)]:
        if lift == "shortest":
            word = min(crossed, key=lambda d: (abs(heads[d] - d), d))
        else:
            word = min(crossed, key=lambda d: (-sum(1 for _ in _above(heads, d)), d))
        from_heads.add(heads[word])
        heads[word] = heads[heads[word]]
    marked = []
    for d, (label, old) in enumerate(zip(labels, tree.heads, strict=True), start=1):
        up = "" if heads[d] == old else _UP if encoding == "path" else _UP + labels[old - 1]
        marked.append(label + up + (_DOWN if d in from_heads and encoding != "head" else ""))
    return DependencyTree(tuple(heads[1:]), tuple(marked))


def restored(tree: DependencyTree, encoding: str = "head+path", nearest: bool = False) -> DependencyTree:
    """Return the tree that labels with marks tell of: lifted words go back under a node below their heads.

    Such a node is looked for breadth first, the heads of words from the top down. A word for which there is none stays.

    Parameters
    ----------
    tree : a tree with labels, as `lifted` or a parser returns it.
    encoding : that of the labels.
    nearest : look at dependents near to the lifted word first; else from left to right.

    Raises
    ------
    UsageError : there is no such encoding.

    >>> restored(DependencyTree((3, 3, 0, 3), ('a', 'b↑d', 'c', 'd')), "head")
    DependencyTree(heads=(3, 4, 0, 3), labels=('a', 'b', 'c', 'd'))
    """
    require_known(encoding, ENCODINGS, f"there is no {encoding}")
    marked = ("", *(tree.labels or ("",) * len(tree)))
    labels = [label.rstrip(_DOWN).partition(_UP)[0] for label in marked]
    downs = [label.endswith(_DOWN) for label in marked]
    heads = [0, *tree.heads]
    waiting = {d for d, label in enumerate(marked) if _UP in label}

    def children(node: int, word: int) -> list[int]:
        found = [d for d in range(1, len(heads)) if heads[d] == node and d != word]
        found = [d for d in found if downs[d] or encoding == "head"]
        return sorted(found, key=lambda d: (abs(d - word), d)) if nearest else found

    def place(word: int) -> int | None:
        wanted = marked[word].rstrip(_DOWN).partition(_UP)[2]
        queue, second = children(heads[word], word), None
        for node in queue:
            below = children(node, word)
            fits = encoding == "path" or labels[node] == wanted
            if fits and (encoding == "head" or not below):
                return node
            second = node if fits and second is None and encoding == "head+path" else second
            queue += below
        return second

    order = [0]
    for head in order:
        for _ in range(2):  # once more, if some word found its place and another did not
            for word in [d for d in sorted(waiting) if heads[d] == head]:
                if (found := place(word)) is not None:
                    heads[word] = found
                    waiting.discard(word)
        order += [d for d in range(1, len(heads)) if heads[d] == head]
    return DependencyTree(tuple(heads[1:]), None if tree.labels is None else tuple(labels[1:]))


@dataclass(slots=True)
class RoundTrips:
    """Trees lifted and restored again: how many, and how many words were lifted."""

    encoding: str
    sentences: int = 0
    skipped: int = 0
    nonprojective: int = 0
    lifted: int = 0
    restored: int = 0

    def add(self, tree: DependencyTree, projective: DependencyTree, again: DependencyTree) -> None:
        """Count one more tree."""
        self.sentences += 1
        changed = sum(map(int.__ne__, tree.heads, projective.heads))
        self.lifted += changed
        self.nonprojective += changed > 0
        self.restored += changed > 0 and again.heads == tree.heads

    def to_json(self) -> dict[str, Any]:
        """Return the object that `pseudo-projective --json` prints."""
        return document(fields_json(self, "encoding sentences skipped nonprojective lifted restored"))


def _above(heads: Sequence[int], node: int) -> Iterator[int]:
    """Yield the nodes above a node, the root 0 last."""
    while node:
        node = heads[node]
        yield node


def _is_crossed(heads: Sequence[int], d: int) -> bool:
    """Whether some word between a dependent and its head is not below the head."""
    between = range(min(d, heads[d]) + 1, max(d, heads[d]))
    return any(heads[d] not in _above(heads, k) for k in between)
