"""Enumeration and sampling: trees of n words, linkages of a sentence, all one after the other, or random ones.

*All trees.* Words get their heads from left to right, the smallest first, so that trees come out in lexicographic
order and no more than one of them is held at a time. A head is only tried if it closes no cycle; for projective
and planar trees also only if its arc crosses none before it. The number of trees of n words with a single
root is n^(n-1), that of projective ones C(3n-2, n-1) / n.

*Random trees* are uniform, of any size, and the same for the same seed. A tree of n words under the artificial root
is a labelled tree of n + 1 nodes, and these correspond to the sequences of n - 1 nodes (Prüfer 1918). With a single
root, the tree of the words is one of n labelled nodes with any of them as its root. Projective trees correspond to
sequences of numbers of left and right dependents, of whose rotations the cycle lemma picks the valid ones (Dvoretzky
and Motzkin 1947).

*All linkages*, straight from their definition, are what parsers are checked against. The words take their disjuncts
from left to right. A word links its left connectors, nearest first, to words before it that can still be reached: those
with no unfinished word in between. All remaining choices are tried, so the time grows exponentially; no item, chart or
table of results is involved.

*Random disjuncts* hardly ever fit together. A linkage is therefore drawn first, and its disjuncts are mixed with
variants of themselves and of each other: most sentences then have several linkages, some of them with cycles, and some
have none. The same seed gives the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from itertools import accumulate, combinations, pairwise, product
from math import comb
from random import Random
from string import ascii_lowercase
from typing import NamedTuple

from schemata.errors import BudgetError, UsageError
from schemata.structures.classes import OwnClass, TreeClass
from schemata.structures.graphs import DependencyTree, trusted_tree
from schemata.structures.linkages import (
    Connector,
    Disjunct,
    LabelledLink,
    Linkage,
    Reach,
    connectors_match,
    labelled_link,
    read_connector,
)
from schemata.structures.planarity import crossings_graph
from schemata.thresholds import EFFORTS


def all_trees(n: int, *, single_root: bool = True) -> Iterator[DependencyTree]:
    """Yield every tree of n words, in lexicographic order of the heads.

    Parameters
    ----------
    n : the number of words.
    single_root : only trees with one word under the artificial root.

    Raises
    ------
    UsageError : n < 1.

    >>> [tree.heads for tree in all_trees(2)]
    [(0, 1), (2, 0)]
    >>> sum(1 for _ in all_trees(4, single_root=False))
    125
    """
    return map(trusted_tree, _heads(_positive(n), single_root, words=False, root=False))


def trees_of_class(
    class_: TreeClass | OwnClass, n: int, *, single_root: bool = True
) -> Iterator[DependencyTree]:
    """Yield every tree of n words of a class, in lexicographic order of the heads.

    Projective and planar trees and subclasses of theirs are generated directly; other classes are picked out
    of all trees. Projective trees are those whose arcs, those from the artificial root included, do not cross
    (GN10, section 2.3).

    Raises
    ------
    UsageError : n < 1.

    >>> from schemata.structures import tree_class
    >>> [sum(1 for _ in trees_of_class(tree_class("covington-lsup"), n)) for n in range(1, 7)]
    [1, 2, 6, 21, 80, 322]
    """
    if isinstance(class_, OwnClass) and class_.structures is not None:
        return filter(class_.contains, class_.structures(_positive(n)))
    projective = class_.is_projective
    planar = projective or class_.family == "planar"
    found = map(trusted_tree, _heads(_positive(n), single_root, words=planar, root=projective))
    return found if class_.family in ("all", "projective", "planar") else filter(class_.contains, found)


def _heads(n: int, single_root: bool, *, words: bool, root: bool) -> Iterator[tuple[int, ...]]:
    """Yield the heads of trees; with `words`, without crossings of arcs between words; with `root`, of root arcs.

    No partial tree without crossings of any kind is a dead end, so the time grows with the number of results.
    """
    heads = [0] * (n + 1)

    def options(word: int) -> Iterator[int]:
        """Return the heads that a word may have, beside those of the words before it."""
        clear = _clear_of(heads, word, n, root) if words else -1
        least = int(single_root and 0 in heads[1:word])
        found = (head for head in range(least, n + 1) if clear >> head & 1 and head != word)
        return (head for head in found if not _is_above(heads, word, head))

    pending = [options(1)]
    while pending:
        head = next(pending[-1], None)
        if head is None:
            pending.pop()
            continue
        heads[len(pending)] = head
        if len(pending) == n:
            yield tuple(heads[1:])
        else:
            pending.append(options(len(pending) + 1))


def _is_above(heads: list[int], word: int, node: int) -> bool:
    """Whether a word is met on the way up from a node, among the heads of the words before it."""
    while node and node < word:
        node = heads[node]
    return node == word


def _clear_of(heads: list[int], word: int, n: int, root: bool) -> int:
    """Return the heads a word may have without crossing the arcs of the words before it."""
    clear = (1 << (n + 1)) - 1
    for dependent in range(1, word):
        head = heads[dependent]
        if not head and not root:
            continue
        left, right = (dependent, head) if dependent < head else (head, dependent)
        inside = (1 << right) - (2 << left)
        if left < word < right:
            clear &= inside | (1 << left) | (1 << right) | (not root)
        elif word not in (left, right):
            clear &= ~inside
    return clear


def _positive(n: int, what: str = "a tree") -> int:
    if n < 1:
        raise UsageError(f"{what} has at least one word, not {n}")
    return n


def random_tree(n: int, seed: int | Random, *, single_root: bool = True) -> DependencyTree:
    """Return a random tree of n words, each of them as likely as any other.

    Parameters
    ----------
    n : the number of words.
    seed : a number, which fixes the tree, or a generator to draw from.
    single_root : only trees with one word under the artificial root.

    Raises
    ------
    UsageError : n < 1.

    >>> random_tree(5, 7) == random_tree(5, 7)
    True
    """
    rng = generator(n, seed)
    if not single_root:
        return trusted_tree(_decode([rng.randrange(n + 1) for _ in range(n - 1)], n + 1, 0)[1:])
    root = rng.randrange(n)
    above = _decode([rng.randrange(n) for _ in range(n - 2)], n, root)
    return trusted_tree(tuple(0 if word == root else head + 1 for word, head in enumerate(above)))


def random_projective_tree(n: int, seed: int | Random, *, single_root: bool = True) -> DependencyTree:
    """Return a random projective tree of n words, each of them as likely as any other.

    Parameters and errors are those of `random_tree`.

    >>> from schemata.structures import tree_class
    >>> tree_class("projective").contains(random_projective_tree(200, 1))
    True
    """
    rng = generator(n, seed)
    roots = 1 if single_root else _root_count(n, rng)
    # 2n numbers of dependents, left and right of each word, that sum up to n - roots: stars and bars.
    total = n - roots
    bars = sorted(rng.sample(range(total + 2 * n - 1), 2 * n - 1))
    counts = [b - a - 1 for a, b in pairwise((-1, *bars, total + 2 * n - 1))]
    pairs = list(zip(counts[::2], counts[1::2], strict=True))
    # Words still wanted after each prefix, one to begin with: the sequence started after position i is that
    # of `roots` whole trees if and only if i is the first place to fall to one of the `roots` lowest levels.
    levels = [0, *accumulate(left + right - 1 for left, right in pairs)][:n]
    lowest = min(levels)
    starts = [levels.index(lowest + level) for level in range(roots)]
    start = rng.choice(starts)
    return trusted_tree(_linearise(pairs[start:] + pairs[:start], roots))


def random_tree_of_class(
    class_: TreeClass | OwnClass, n: int, seed: int | Random, *, single_root: bool = True, limit: int = 10_000
) -> DependencyTree:
    """Return a random tree of a class, each of its trees of n words as likely as any other.

    Projective trees are drawn directly, members of other classes by drawing until one is found: from the
    projective trees for classes within these, else from all trees.

    Parameters
    ----------
    limit : how many trees may be drawn.

    Raises
    ------
    UsageError : n < 1.
    BudgetError : no tree drawn was in the class.
    """
    rng = generator(n, seed)
    draw = random_projective_tree if class_.is_projective else random_tree
    for _ in range(limit):
        tree = draw(n, rng, single_root=single_root)
        if class_.contains(tree):
            return tree
    raise BudgetError(f"none of {limit} random trees of {n} words was in {class_.name}; try fewer words")


def generator(n: int, seed: int | Random, what: str = "a tree") -> Random:
    """Return the source of random numbers for a structure of n words; refuses n < 1."""
    _positive(n, what)
    return seed if isinstance(seed, Random) else Random(seed)


def _decode(code: Sequence[int], size: int, root: int) -> tuple[int, ...]:
    """Return each node's neighbour towards the root in the labelled tree of a Prüfer sequence."""
    degree = [1 + code.count(node) for node in range(size)]
    leaves = [node for node in range(size) if degree[node] == 1]  # in order, so it is a heap
    above = list(range(size))  # towards the last node
    for node in code:
        above[heappop(leaves)] = node
        degree[node] -= 1
        if degree[node] == 1:
            heappush(leaves, node)
    above[leaves[0]] = leaves[-1]
    node, over = root, root
    while above[node] != node:  # the way from the root to the last node is turned round
        above[node], node, over = over, above[node], node
    above[node] = over
    return tuple(above)


def _root_count(n: int, rng: Random) -> int:
    """Return the number of roots of a random projective forest of n words.

    There are r/n * C(3n-r-1, 2n-1) projective forests with r roots.
    """
    weights = [r * comb(3 * n - r - 1, 2 * n - 1) for r in range(1, n + 1)]
    ticket = rng.randrange(sum(weights))
    for roots, bound in enumerate(accumulate(weights), start=1):
        if ticket < bound:
            return roots
    raise AssertionError("the ticket is below the sum of the weights")


def _linearise(pairs: Sequence[tuple[int, int]], roots: int) -> tuple[int, ...]:
    """Return the heads of the projective forest whose nodes, head first, have these numbers of dependents."""
    # Nodes are numbered head first; words get their positions once the left dependents are placed.
    heads: list[int] = []
    position = [0] * len(pairs)
    placed = 0
    fresh = 0
    # Entries: a subtree still to be read, under this node, or a node to be placed at the next position.
    todo: list[tuple[bool, int]] = [(True, -1)] * roots
    while todo:
        is_subtree, node = todo.pop()
        if not is_subtree:
            placed += 1
            position[node] = placed
            continue
        left, right = pairs[fresh]
        heads.append(node)
        todo += [(True, fresh)] * right + [(False, fresh)] + [(True, fresh)] * left
        fresh += 1
    table = [0] * len(pairs)
    for node, head in enumerate(heads):
        table[position[node] - 1] = position[head] if head >= 0 else 0
    return tuple(table)


# Linkages ----------------------------------------------------------------------------------------------------


class _Open(NamedTuple):
    """A word that can still be linked from the right: `linked` of its right connectors are, at least once."""

    word: int
    linked: int


class _Use(NamedTuple):
    left: int
    right: int
    uses: tuple[int, int]


class _State(NamedTuple):
    """The words before `next_word`, linked among themselves; the last of the open words is the nearest."""

    next_word: int
    open_words: tuple[_Open, ...]
    disjuncts: tuple[Disjunct, ...]
    uses: tuple[_Use, ...]


def all_linkages(
    words: Sequence[str],
    disjuncts: Sequence[Sequence[Disjunct]],
    *,
    reach: Reach | None = None,
    effort: int | None = None,
) -> Iterator[Linkage]:
    """Yield every linkage of a sentence once.

    Linkages are different if they choose different disjuncts, those of different dictionary words included,
    or if their links use different connectors. They come in the order of the disjuncts given for the words.

    Parameters
    ----------
    words : the words of the sentence, walls included.
    disjuncts : the disjuncts to choose from, for each word; equal ones count once.
    reach : how far a connector may link; None: all may link any two words.
    effort : how many unfinished linkages may be looked at; None for the default.

    Raises
    ------
    UsageError : no words, or disjuncts not given for each word.
    BudgetError : the effort was not enough; trees yielded before are part of the answer.

    References
    ----------
    Sleator & Temperley 1991, section 2; GCW11, section 8.

    >>> from schemata.structures.linkages import read_connector
    >>> a_plus, a_minus = read_connector("A+"), read_connector("A-")
    >>> choices = [[Disjunct("a", (), (a_plus,))], [Disjunct("b.n", (a_minus,), ()), Disjunct("b.v", (), ())]]
    >>> [linkage.links for linkage in all_linkages(["a", "b"], choices)]
    [(LabelledLink(left=0, right=1, label='A', uses=(0, 0)),)]
    """
    effort = EFFORTS.unfinished_linkages if effort is None else effort
    if not words:
        raise UsageError("a linkage has at least one word")
    if len(disjuncts) != len(words):
        raise UsageError(f"disjuncts for {len(disjuncts)} words, but {len(words)} words")
    has_partner = partnered(disjuncts)
    choices = [
        [d for d in dict.fromkeys(of_word) if all(has_partner(word, c) for c in d.left + d.right)]
        for word, of_word in enumerate(disjuncts)
    ]
    todo = [_State(0, (), (), ())]
    done = 0
    while todo:
        state = todo.pop()
        if state.next_word == len(words):
            linkage = _finished(words, state)
            if linkage is not None:
                yield linkage
            continue
        done += 1
        if done > effort:
            raise BudgetError(
                f"more than {effort} unfinished linkages of {len(words)} words; try fewer words or disjuncts"
            )
        further = [new for disjunct in choices[state.next_word] for new in _extended(state, disjunct, reach)]
        todo += reversed(further)


def partnered(choices: Sequence[Sequence[Disjunct]]) -> Callable[[int, Connector], bool]:
    """Return the test whether a connector of a word, by its position, has a partner in a word on its side."""
    lefts = [{c for d in of_word for c in d.left} for of_word in choices]
    rights = [{c for d in of_word for c in d.right} for of_word in choices]

    def has_partner(word: int, connector: Connector) -> bool:
        elsewhere = lefts[word + 1 :] if connector.right else rights[:word]
        return any(connectors_match(connector, other) for some in elsewhere for other in some)

    return has_partner


def cheapest(disjuncts: Iterable[Disjunct]) -> list[Disjunct]:
    """Return the cheapest of disjuncts that differ in their cost alone, in the order in which they come up."""
    found: dict[tuple[object, ...], Disjunct] = {}
    for disjunct in disjuncts:
        key = disjunct.word, disjunct.left, disjunct.right
        found[key] = min(found.get(key, disjunct), disjunct, key=lambda d: d.cost)
    return list(found.values())


def _extended(state: _State, disjunct: Disjunct, reach: Reach | None) -> Iterator[_State]:
    """Yield the states in which the next word takes the disjunct, one for each way to link its left side."""
    word = state.next_word
    chosen = (*state.disjuncts, disjunct)
    # Open words, links so far, and how many of the left connectors are linked.
    ways = [(state.open_words, state.uses, 0)]
    while ways:
        open_words, uses, linked = ways.pop()
        if linked == len(disjunct.left):
            opened = (*open_words, _Open(word, 0)) if disjunct.right else open_words
            yield _State(word + 1, opened, chosen, uses)
        nearest = uses[-1].left if len(uses) > len(state.uses) else word
        for place in reversed(range(len(open_words))):
            candidate = open_words[place]
            rights = chosen[candidate.word].right
            # What the next word has linked is not linked again: its further links go to words before that.
            if candidate.word < nearest:
                for right in _usable(rights, candidate.linked):
                    for left in _usable(disjunct.left, linked):
                        pair = (rights[right], disjunct.left[left])
                        if connectors_match(*pair) and _within(word - candidate.word, pair, reach):
                            there = _Open(candidate.word, right + 1)
                            use = _Use(candidate.word, word, (right, left))
                            ways.append(((*open_words[:place], there), (*uses, use), left + 1))
            if candidate.linked < len(rights):
                break


def _within(distance: int, connectors: Iterable[Connector], reach: Reach | None) -> bool:
    return reach is None or all((limit := reach(c)) is None or distance <= limit for c in connectors)


def _usable(connectors: Sequence[Connector], linked: int) -> Iterator[int]:
    """Yield the connectors that the next link may use: the next one, or a multi-connector once more."""
    if linked and connectors[linked - 1].multi:
        yield linked - 1
    if linked < len(connectors):
        yield linked


def _finished(words: Sequence[str], state: _State) -> Linkage | None:
    if any(open_word.linked < len(state.disjuncts[open_word.word].right) for open_word in state.open_words):
        return None
    links: list[LabelledLink] = [labelled_link(state.disjuncts, *use) for use in state.uses]
    linkage = Linkage(words, state.disjuncts, links)
    return linkage if len(linkage.components) == 1 else None


def plain_disjuncts(
    word: str, kinds: Sequence[str], most: int, left: bool, right: bool
) -> Iterator[Disjunct]:
    """Yield the disjuncts of at most so many connectors, at least one, that point to a side where there are words.

    >>> [str(one) for one in plain_disjuncts("a", ["A", "@A"], 1, False, True)]
    ['A+', '@A+']
    """
    for total in range(1, most + 1):
        for count in range(total + 1):
            if (left or not count) and (right or count == total):
                for chosen in product(kinds, repeat=total):
                    sides = [
                        read_connector(f"{kind}{'-' if k < count else '+'}") for k, kind in enumerate(chosen)
                    ]
                    yield Disjunct(word, tuple(sides[:count]), tuple(sides[count:]))


_BASES = ("A", "B")
# Two subscripts for the ends of a link, which agree; the same letters come back so that other ends agree too.
_SUBSCRIPTS = (("", ""), ("", ""), ("", "a"), ("a", "a"), ("*b", "a"), ("b", "b*"), ("*", "ab"), ("b", ""))
_HEADS = (("", ""), ("", ""), ("", ""), ("", ""), ("h", "d"), ("d", "h"), ("h", ""), ("", "d"))
_COSTS = (0.0, 0.0, 0.0, 0.5, 1.0, 1.7)


def random_linkage(n: int, seed: int | Random) -> Linkage:
    """Return a random linkage of n words; more than half of those of three words or more have cycles.

    Parameters
    ----------
    n : the number of words.
    seed : a number, which fixes the linkage, or a generator to draw from.

    Raises
    ------
    UsageError : n < 1.

    >>> from schemata.structures.linkages import check_linkage
    >>> check_linkage(random_linkage(8, 1)).holds
    True
    """
    rng = generator(n, seed, "a linkage")
    pairs = _planar_pairs(n, rng)
    ends = [_matching_ends(rng) for _ in pairs]
    rights: list[list[Connector]] = [[] for _ in range(n)]
    lefts: list[list[Connector]] = [[] for _ in range(n)]
    uses: list[list[int]] = [[-1, -1] for _ in pairs]
    order = sorted(range(len(pairs)), key=lambda k: pairs[k][1] - pairs[k][0])
    # From short links to long ones, a word's connectors come up nearest first.
    for k in order:
        for side, connectors in ((0, rights[pairs[k][0]]), (1, lefts[pairs[k][1]])):
            connector = ends[k][side]
            if connectors and connectors[-1].name[0] == connector.name[0] and rng.random() < 0.6:
                # What links several words agrees with all of them.
                connectors[-1] = Connector(connector.name[0], connector.right, multi=True)
            else:
                connectors.append(replace(connector, multi=rng.random() < 0.1))
            uses[k][side] = len(connectors) - 1
    words = tuple(map(_name, range(n)))
    disjuncts = [
        Disjunct(word, tuple(left), tuple(right), rng.choice(_COSTS))
        for word, left, right in zip(words, lefts, rights, strict=True)
    ]
    links = [
        labelled_link(disjuncts, left, right, (one, other))
        for (left, right), (one, other) in zip(pairs, uses, strict=True)
    ]
    return Linkage(words, disjuncts, links)


def random_disjuncts(
    n: int, seed: int | Random, *, variants: int = 2
) -> tuple[tuple[str, ...], tuple[tuple[Disjunct, ...], ...]]:
    """Return n words and random disjuncts to choose from for each; most such sentences have linkages.

    There are multi-connectors, subscripts, heads and dependents, costs, and words with several dictionary
    words, some of which share a disjunct.

    Parameters
    ----------
    n : the number of words.
    seed : a number, which fixes the result, or a generator to draw from.
    variants : how many disjuncts a word has at most besides the one it has in a random linkage.

    Raises
    ------
    UsageError : n < 1, or variants < 0.

    >>> words, disjuncts = random_disjuncts(3, 1)
    >>> words, len(disjuncts)
    (('a', 'b', 'c'), 3)
    """
    if variants < 0:
        raise UsageError(f"the number of variants cannot be negative: {variants}")
    rng = generator(n, seed, "a linkage")
    planted = random_linkage(n, rng)
    found: list[tuple[Disjunct, ...]] = []
    for word, own in zip(planted.words, planted.disjuncts, strict=True):
        chosen = [own] if rng.random() < 0.95 else []
        for _ in range(rng.randint(0 if chosen else 1, max(variants, 0 if chosen else 1))):
            model = own if rng.random() < 0.5 else rng.choice(planted.disjuncts)
            variant = _varied(model, rng)
            subscript = rng.choice(("", "", ".n", ".v"))
            chosen.append(replace(variant, word=word + subscript, cost=rng.choice(_COSTS)))
        chosen = cheapest(sorted(chosen, key=lambda d: d.cost))
        rng.shuffle(chosen)
        found.append(tuple(chosen))
    return planted.words, tuple(found)


def _planar_pairs(n: int, rng: Random) -> list[tuple[int, int]]:
    """Return links that connect n words without crossing: those of a projective tree and some more."""
    tree = random_projective_tree(n, rng)
    pairs = [(min(d, h) - 1, max(d, h) - 1) for d, h in tree.links if h]
    more = rng.choice((0, 0, 1, 1, 3)) if n > 2 else 0
    others = [pair for pair in combinations(range(n), 2) if pair not in set(pairs)]
    rng.shuffle(others)
    for pair in others:
        if more and not any(crossings_graph(sorted((*pairs, pair)))):
            pairs.append(pair)
            more -= 1
    return pairs


def _matching_ends(rng: Random) -> tuple[Connector, Connector]:
    base = rng.choice(_BASES)
    one, other = rng.choice(_SUBSCRIPTS)
    head, dependent = rng.choice(_HEADS)
    return Connector(base + one, True, head=head), Connector(base + other, False, head=dependent)


def _varied(disjunct: Disjunct, rng: Random) -> Disjunct:
    """Return the disjunct with one connector dropped, added, renamed, moved or multiplied, or as it is."""
    right = rng.random() < 0.5
    connectors = list(disjunct.right if right else disjunct.left)
    change = rng.choice(("drop", "add", "rename", "swap", "multi", "keep"))
    if change == "add" or not connectors:
        connectors.insert(rng.randint(0, len(connectors)), _matching_ends(rng)[0 if right else 1])
    else:
        at = rng.randrange(len(connectors))
        if change == "drop":
            del connectors[at]
        elif change == "rename":
            connectors[at] = _matching_ends(rng)[0 if right else 1]
        elif change == "swap":
            connectors[at], connectors[0] = connectors[0], connectors[at]
        elif change == "multi":
            connectors[at] = replace(connectors[at], multi=not connectors[at].multi)
    changed = tuple(connectors)
    return replace(disjunct, right=changed) if right else replace(disjunct, left=changed)


def _name(position: int) -> str:
    return ascii_lowercase[position] if position < len(ascii_lowercase) else f"w{position}"
