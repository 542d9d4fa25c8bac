"""Projections of words, measures of how far a structure is from projective, and transformations that make it
projective.

The projection of a word is the set of its reflexive and transitive dependents (GCW11, section 2). As an
integer with bit i for word i, its union, its gaps and its neighbours are one machine operation each for
sentences of ordinary length; this is the common ground of the fast tests.

A structure is projective if the projection of every word is an interval (GCW11, Definition 3); Covington's LSUP
strategy parses a smaller class. The gap degree counts interruptions of projections; the edge degree counts the
components that links run over. Both are 0 for projective trees and only for them.

A tree is well-nested if disjoint subtrees do not interleave. Two disjoint subtrees interleave if there are words
i < k < j < l with i, j in the one and k, l in the other (GCW11, Definition 6). If any two do, then so do two
subtrees whose tops hang under the same head, namely those above them at the lowest word that dominates both; and
both of these have a gap. So only siblings with gaps are ever compared.

Pseudo-projective trees are projective: words are lifted until no arc is crossed, and labels record how to undo it. A
projective parser that has learned such labels parses non-projective trees. A word is lifted to the head of its head.
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

from bisect import insort
from collections.abc import Sequence
from heapq import heappop, heappush
from typing import Any

from schemata.errors import StructureError, require_known
from schemata.grouping import grouped
from schemata.records import Record, document, fields_json, replace
from schemata.structures.graphs import DependencyTree, Evidence

Interval = tuple[int, int]
"""The words from the first to the last position, both included."""


def tree_masks(heads: Sequence[int]) -> list[int]:
    """Return the projection of each node 0..n of a tree as a bit mask, by node."""
    pending = [0] * (len(heads) + 1)
    for head in heads:
        pending[head] += 1
    masks = [1 << node for node in range(len(pending))]
    for start in range(1, len(masks)):
        word = start
        # A word is added to its head once all its own dependents are; the last one carries on upwards.
        while not pending[word]:
            pending[word] = -1
            head = heads[word - 1]
            masks[head] |= masks[word]
            if not head:
                break
            pending[head] -= 1
            word = head
    return masks


def gap_count(mask: int) -> int:
    """Return how often a nonempty set of words is interrupted: its maximal intervals less one.

    >>> gap_count(0b1011010)
    2
    """
    return (mask & ~(mask << 1)).bit_count() - 1


def intervals(mask: int) -> tuple[Interval, ...]:
    """Return the maximal intervals of a set of words, from left to right.

    >>> intervals(0b1011010)
    ((1, 1), (3, 4), (6, 6))
    """
    found = []
    while mask:
        first = (mask & -mask).bit_length() - 1
        run = mask >> first
        last = first + (~run & (run + 1)).bit_length() - 2
        found.append((first, last))
        mask &= -1 << (last + 1)
    return tuple(found)


def members(mask: int) -> tuple[int, ...]:
    """Return the elements of a set of words, in order.

    >>> members(0b1010)
    (1, 3)
    """
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return tuple(found)


def _pieces(pieces: Sequence[Interval]) -> str:
    return ", ".join(f"{a}..{b}" for a, b in pieces)


def has_projective_heads(heads: Sequence[int]) -> bool:
    """Whether the heads, which must be those of a tree, are those of a projective one.

    The words are read once from left to right, and each word leaves the stack as soon as its subtree is
    complete. In a projective tree it is then next to its head; the first one that is not decides.
    """
    pending = [0] * (len(heads) + 1)
    for head in heads:
        pending[head] += 1
    # Node 0 must neither be taken for a dependent nor ever leave the stack: its head is beyond all words.
    table = (len(pending), *heads)
    stack = [0]
    top = 0
    for word, own_head in enumerate(heads, 1):
        head = own_head
        while table[top] == word:
            stack.pop()
            top = stack[-1]
            pending[word] -= 1
        stack.append(word)
        top = word
        while head < top and not pending[top]:
            stack.pop()
            top = stack[-1]
            if top != head:
                return False
            pending[top] -= 1
            head = table[top]
    return not top


def check_projectivity(tree: DependencyTree) -> Evidence:
    """Return whether every projection is an interval (GCW11, Definition 3; GN10, Definition 3).

    If so, `spans` has the interval of each word; if not, `word` is the first word whose projection is interrupted,
    and `intervals` are the pieces that it falls into.

    >>> print(check_projectivity(DependencyTree((3, 0, 2))))
    the projection of word 3 is interrupted: 1..1, 3..3
    """
    spans = []
    for word, mask in enumerate(tree_masks(tree.heads)):
        pieces = intervals(mask)
        if word and len(pieces) > 1:
            text = f"the projection of word {word} is interrupted: {_pieces(pieces)}"
            return Evidence(False, text, {"word": word, "intervals": pieces})
        spans.append(pieces[0])
    return Evidence(True, "the projection of every word is an interval", {"spans": tuple(spans[1:])})


def check_covington_lsup(tree: DependencyTree) -> Evidence:
    """Return whether Covington's LSUP strategy, as published, parses a tree.

    It parses the projective trees in which no `word` has both its `head` and a `dependent` to its left; the artificial
    root does not count as a head to the left. The strategy looks for the head of a word among the words above its left
    neighbour, and no longer finds it there once that neighbour is a dependent of the word itself.

    References
    ----------
    GCW11, section 3.7, on Covington (2001).

    >>> check_covington_lsup(DependencyTree((0, 3, 1))).holds, check_covington_lsup(DependencyTree((2, 0))).holds
    (False, True)
    """
    heads = tree.heads
    for dependent, word in enumerate(heads, 1):
        if word > dependent and 0 < heads[word - 1] < word and has_projective_heads(heads):
            head = heads[word - 1]
            text = f"word {word} has its head {head} and its dependent {dependent} to its left"
            return Evidence(False, text, {"word": word, "head": head, "dependent": dependent})
    if not has_projective_heads(heads):
        return check_projectivity(tree)
    return Evidence(True, "projective, and no word has both its head and a dependent to its left")


def gap_degree(tree: DependencyTree) -> int:
    """Return the largest number of gaps in the projection of a word.

    References
    ----------
    GCW11, Definition 5.

    >>> gap_degree(DependencyTree((2, 0, 2))), gap_degree(DependencyTree((3, 0, 2)))
    (0, 1)
    """
    return max(map(gap_count, tree_masks(tree.heads)[1:]))


def check_gap_degree(tree: DependencyTree, bound: int) -> Evidence:
    """Return whether no projection has more than `bound` gaps.

    `word` is the first with as many gaps as any; `intervals` are the pieces that its projection falls into.

    >>> print(check_gap_degree(DependencyTree((3, 0, 2)), 0))
    gap degree 1: the projection of word 3 is 1..1, 3..3
    """
    masks = tree_masks(tree.heads)
    word = max(range(1, len(masks)), key=lambda w: gap_count(masks[w]))
    degree, pieces = gap_count(masks[word]), intervals(masks[word])
    text = f"gap degree {degree}: the projection of word {word} is {_pieces(pieces)}"
    return Evidence(degree <= bound, text, {"degree": degree, "word": word, "intervals": pieces})


def edge_degree(heads: Sequence[int], masks: Sequence[int]) -> int:
    """Return the largest number of foreign components that a link of a tree runs over, given all projections.

    The words strictly between the ends of a link fall into components of the tree. Those whose highest word
    is not below the head of the link are counted.

    References
    ----------
    M. Kuhlmann and J. Nivre (2006), Mildly non-projective dependency structures, on Nivre's (2006) degree.

    >>> edge_degree((3, 0, 2), tree_masks((3, 0, 2)))
    1
    """
    worst = 0
    for dependent, head in enumerate(heads, 1):
        between = (1 << dependent) - (2 << head) if head < dependent else (1 << head) - (2 << dependent)
        foreign = between & ~masks[head]
        if foreign.bit_count() > worst:
            tops = sum(not between >> heads[word - 1] & 1 for word in members(foreign))
            worst = max(worst, tops)
    return worst


def interleave(one: int, other: int) -> bool:
    """Whether two disjoint nonempty sets of words, as bit masks, interleave.

    >>> interleave(0b0101, 0b1010), interleave(0b1001, 0b0110)
    (True, False)
    """
    return _alternation(one, other) is not None or _alternation(other, one) is not None


def interleaving_siblings(heads: Sequence[int], masks: Sequence[int]) -> list[tuple[int, int]]:
    """Return all pairs of words under one head whose projections interleave, given all projections."""
    with_gaps = grouped((head, word) for word, head in enumerate(heads, 1) if gap_count(masks[word]))
    return [
        (p, q)
        for siblings in with_gaps.values()
        for at, q in enumerate(siblings)
        for p in siblings[:at]
        if interleave(masks[p], masks[q])
    ]


def check_well_nestedness(tree: DependencyTree) -> Evidence:
    """Return whether no two disjoint subtrees interleave (GCW11, Definition 6).

    If two do, `tops` are the words they hang under, siblings of each other, and `words` are i < k < j < l
    with i and j in the first of the subtrees, k and l in the second.

    >>> print(check_well_nestedness(DependencyTree((0, 1, 1, 2, 3))))
    the subtrees of 2 (with 2 and 4) and 3 (with 3 and 5) interleave
    """
    masks = tree_masks(tree.heads)
    p, q = min(interleaving_siblings(tree.heads, masks), default=(0, 0))
    for first, second in ((p, q), (q, p)) if p else ():
        words = _alternation(masks[first], masks[second])
        if words is not None:
            i, k, j, l_ = words
            text = f"the subtrees of {first} (with {i} and {j}) and {second} (with {k} and {l_}) interleave"
            return Evidence(False, text, {"tops": (first, second), "words": words})
    return Evidence(True, "no two disjoint subtrees interleave")


def check_wg(tree: DependencyTree, k: int) -> Evidence:
    """Return whether a tree is in WG_k: well-nested and of gap degree at most k (GCW11, sections 7.1 and 7.4).

    `gaps` and `nesting` are the evidence for either.

    >>> check_wg(DependencyTree((3, 4, 0, 3)), 1).holds
    True
    """
    gaps, nesting = check_gap_degree(tree, k), check_well_nestedness(tree)
    text = f"{gaps}; {nesting}" if gaps.holds else str(gaps)
    return Evidence(gaps.holds and nesting.holds, text, {"gaps": gaps, "nesting": nesting})


def _alternation(one: int, other: int) -> tuple[int, int, int, int] | None:
    """Return i < k < j < l with i, j in the first set and k, l in the second, or None."""
    i = (one & -one).bit_length() - 1
    later = other & (-1 << i)
    if not later:
        return None
    k = (later & -later).bit_length() - 1
    between = one & (-1 << k)
    if not between:
        return None
    j = (between & -between).bit_length() - 1
    last = other & (-1 << j)
    return (i, k, j, members(last)[0]) if last else None


# Pseudo-projective trees -----------------------------------------------------------------------------------

ENCODINGS = ("head", "head+path", "path")
LIFTS = ("shortest", "deepest")
_UP, _DOWN = "↑", "↓"


def lifted(tree: DependencyTree, encoding: str = "head+path", lift: str = "shortest") -> DependencyTree:
    """Return the projective tree of a tree, with labels that mark the lifted words.

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
    heads, from_heads = _lifted_heads(tree, lift)
    marked = []
    for d, (label, old) in enumerate(zip(labels, tree.heads, strict=True), start=1):
        up = "" if heads[d] == old else _UP if encoding == "path" else _UP + labels[old - 1]
        marked.append(label + up + (_DOWN if d in from_heads and encoding != "head" else ""))
    return DependencyTree(tuple(heads[1:]), tuple(marked), tree.tags, tree.features)


def restored(tree: DependencyTree, encoding: str = "head+path", nearest: bool = False) -> DependencyTree:
    """Return the tree that marked labels encode: lifted words go back under a node below their heads.

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
    below = _dependents(heads)

    def children(node: int, word: int) -> list[int]:
        found = [d for d in below[node] if d != word and (downs[d] or encoding == "head")]
        return sorted(found, key=lambda d: (abs(d - word), d)) if nearest else found

    def place(word: int) -> int | None:
        wanted = marked[word].rstrip(_DOWN).partition(_UP)[2]
        queue, second = children(heads[word], word), None
        for node in queue:
            lower = children(node, word)
            fits = encoding == "path" or labels[node] == wanted
            if fits and (encoding == "head" or not lower):
                return node
            second = node if fits and second is None and encoding == "head+path" else second
            queue += lower
        return second

    order = [0]
    for head in order:
        for _ in range(2):  # once more, if some word found its place and another did not
            for word in [d for d in below[head] if d in waiting]:
                if (found := place(word)) is not None:
                    below[head].remove(word)
                    insort(below[found], word)
                    heads[word] = found
                    waiting.discard(word)
        order += below[head]
    clean = None if tree.labels is None else tuple(labels[1:])
    return DependencyTree(tuple(heads[1:]), clean, tree.tags, tree.features)


class RoundTrips(Record):
    """Trees lifted and restored again: how many, and how many words were lifted."""

    encoding: str
    sentences: int = 0
    skipped: int = 0
    nonprojective: int = 0
    lifted: int = 0
    restored: int = 0

    def plus(self, tree: DependencyTree, projective: DependencyTree, again: DependencyTree) -> RoundTrips:
        """Return the counts with one more tree."""
        changed = sum(map(int.__ne__, tree.heads, projective.heads))
        return replace(
            self,
            sentences=self.sentences + 1,
            lifted=self.lifted + changed,
            nonprojective=self.nonprojective + (changed > 0),
            restored=self.restored + (changed > 0 and again.heads == tree.heads),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the object that `pseudo-projective --json` prints."""
        return document(fields_json(self, "encoding sentences skipped nonprojective lifted restored"))


def _dependents(heads: Sequence[int]) -> list[list[int]]:
    """Return the dependents of each node from left to right; the heads begin with that of node 0, which has none."""
    found: list[list[int]] = [[] for _ in heads]
    for word, head in enumerate(heads[1:], start=1):
        found[head].append(word)
    return found


def _lifted_heads(tree: DependencyTree, lift: str) -> tuple[list[int], set[int]]:
    """Return the heads of the projective tree, node 0 first, and the heads that words were lifted from.

    Lifting a word takes its projection from that of its head, and changes no other projection. So an arc that is
    crossed stays so until its own word is lifted, and only the arcs of the old head's other dependents may become so.
    """
    heads, masks = [0, *tree.heads], tree_masks(tree.heads)
    dependents = [set(some) for some in _dependents(heads)]
    depths = [0] * len(heads)
    order = [0]
    for head in order:
        order += dependents[head]
        for word in dependents[head]:
            depths[word] = depths[head] + 1
    from_heads: set[int] = set()
    crossed: set[int] = set()
    waiting: list[
        tuple[int, int]
    ] = []  # words of crossed arcs, the next one first; some have been lifted since

    def key(word: int) -> int:
        return abs(heads[word] - word) if lift == "shortest" else -depths[word]

    def look(word: int) -> None:
        low, high = sorted((word, heads[word]))
        if ((1 << high) - (2 << low)) & ~masks[heads[word]]:
            crossed.add(word)
            heappush(waiting, (key(word), word))

    for word in range(1, len(heads)):
        look(word)
    while waiting:
        order_of, word = heappop(waiting)
        if word not in crossed or order_of != key(word):
            continue
        crossed.discard(word)
        head = heads[word]
        from_heads.add(head)
        heads[word] = heads[head]
        dependents[head].discard(word)
        dependents[heads[head]].add(word)
        masks[head] &= ~masks[word]
        if lift == "deepest":
            for below in members(masks[word]):
                depths[below] -= 1
                if below in crossed:
                    heappush(waiting, (key(below), below))
        for other in (*dependents[head], word):
            if other not in crossed:
                look(other)
    return heads, from_heads
