"""Transition systems again, written without the package: configurations as tuples, transitions as in the papers.

A configuration is (stack, buffer, arcs), with several stacks (stacks, buffer, arcs, switches), with lists of words
that are before the next one and were passed ((left, passed), buffer, arcs); arcs are pairs
(dependent, head). Terminal configurations have an empty buffer, and runs may go on through them.
"""

from collections.abc import Iterator
from functools import cache
from itertools import permutations
from typing import Any

Config = tuple[Any, ...]
Arcs = frozenset[tuple[int, int]]


def has_head(arcs: Arcs, word: int) -> bool:
    return any(d == word for d, _ in arcs)


def may_link(arcs: Arcs, dependent: int, head: int, single: int, acyclic: int) -> bool:
    """Whether an arc is new, and allowed by the constraints."""
    if (dependent, head) in arcs or (single and has_head(arcs, dependent)):
        return False
    below = {dependent}
    for _ in range(2 * len(arcs)):
        for d, h in arcs:
            below |= {d} if h in below else set()
            below |= {h} if acyclic == 2 and d in below else set()
    return not (acyclic and head in below)


def moves(system: str, c: Config, p: dict[str, int]) -> Iterator[tuple[str, Config]]:
    """Yield the transitions from a configuration."""
    single, acyclic, covered = (p.get(x, 0) for x in ("single_head", "acyclic", "no_covered_roots"))
    if system == "k-planar-system":
        stacks, buffer, arcs, switches = c
        stack, others = stacks[0], stacks[1:]
        if buffer:
            yield "Shift", (tuple((*s, buffer[0]) for s in stacks), buffer[1:], arcs, 0)
        if stack and (not covered or has_head(arcs, stack[-1])):
            yield "Reduce", ((stack[:-1], *others), buffer, arcs, 0)
        for name, (d, h) in named_arcs(stack, buffer):
            if may_link(arcs, d, h, single, acyclic):
                yield name, (stacks, buffer, arcs | {(d, h)}, 0)
        if switches < p.get("k", 2) - 1:
            yield "Switch", ((*others, stack), buffer, arcs, switches + 1)
        return
    if system == "covington-system":  # ((left, passed), buffer, arcs)
        (left, passed), buffer, arcs = c
        if buffer:
            yield "Shift", (((*left, *passed, buffer[0]), ()), buffer[1:], arcs)
        if buffer and left:
            after = (left[:-1], (left[-1], *passed))
            yield "No-Arc", (after, buffer, arcs)
            for name, (d, h) in named_arcs(left, buffer):
                if may_link(arcs, d, h, single=1, acyclic=1):
                    yield name, (after, buffer, arcs | {(d, h)})
        return
    if system == "yamada-matsumoto-system":  # (stack, buffer, arcs, whether the pass has added an arc)
        stack, buffer, arcs, added = c
        for name, (s, b, a) in moves("arc-standard-system", (stack, buffer, arcs), {}):
            yield name, (s, b, a, added or a != arcs)
        if added and not buffer and len(stack) > 1:
            yield "New-Pass", ((), stack, arcs, False)
        return
    s, b, arcs = c
    if b:
        yield "Shift", ((*s, b[0]), b[1:], arcs)
    if s and has_head(arcs, s[-1]) and system in ("arc-eager-system", "dag-arc-eager-system"):
        yield "Reduce", (s[:-1], b, arcs)
    if s and b:
        i, j = s[-1], b[0]
        left, right = arcs | {(i, j)}, arcs | {(j, i)}
        match system:
            case "arc-standard-system" | "attardi-system":
                yield "Left-Arc", (s[:-1], b, left)
                yield "Right-Arc", (s[:-1], (i, *b[1:]), right)
            case "arc-eager-system":
                if not has_head(arcs, i):
                    yield "Left-Arc", (s[:-1], b, left)
                yield "Right-Arc", ((*s, j), b[1:], right)
            case "hybrid-system":
                yield "Left-Arc", (s[:-1], b, left)
            case "dag-arc-eager-system":
                for name, arc in named_arcs(s, b):
                    if arc not in arcs:
                        yield name, (s, b, arcs | {arc})
            case "dag-arc-standard-system":
                if (i, j) not in arcs:
                    yield "Left-Reduce", (s[:-1], b, left)
                if (j, i) not in arcs:
                    yield "Right-Reduce", (s[:-1], (i, *b[1:]), right)
                if not arcs & {(i, j), (j, i)}:
                    yield "Left-Attach", (s, b, left)
                    yield "Right-Attach", (s[:-1], (i, *b), right)
            case "planar-system":
                for name, (d, h) in named_arcs(s, b):
                    if may_link(arcs, d, h, single, acyclic):
                        yield name, (s, b, arcs | {(d, h)})
    if s and system == "planar-system" and (not covered or has_head(arcs, s[-1])):
        yield "Reduce", (s[:-1], b, arcs)
    if len(s) > 1:
        h, i = s[-2:]
        if system in ("arc-standard-2004-system", "swap-system"):
            yield "Left-Arc", ((*s[:-2], i), b, arcs | {(h, i)})
        if system in ("arc-standard-2004-system", "swap-system", "hybrid-system"):
            yield "Right-Arc", (s[:-1], b, arcs | {(i, h)})
        if system == "swap-system" and h < i:
            yield "Swap", ((*s[:-2], i), (h, *b), arcs)
        if system == "attardi-system" and b:
            yield "NP-Left", ((*s[:-2], i), b, arcs | {(h, b[0])})
            yield "NP-Right", (s[:-1], (i, *b[1:]), arcs | {(b[0], h)})
    if system == "easy-first-system":
        for k in range(len(b) - 1):
            yield "Left-Arc", (s, b[:k] + b[k + 1 :], arcs | {(b[k], b[k + 1])})
            yield "Right-Arc", (s, b[: k + 1] + b[k + 2 :], arcs | {(b[k + 1], b[k])})


def named_arcs(stack: tuple[int, ...], buffer: tuple[int, ...]) -> list[tuple[str, tuple[int, int]]]:
    if not (stack and buffer):
        return []
    return [("Left-Arc", (stack[-1], buffer[0])), ("Right-Arc", (buffer[0], stack[-1]))]


def initial(system: str, n: int, p: dict[str, int]) -> Config:
    words = tuple(range(1, n + 1))
    if system == "k-planar-system":
        return ((),) * p.get("k", 2), words, frozenset(), 0
    if system == "covington-system":
        return ((), ()), words, frozenset()
    if system == "yamada-matsumoto-system":
        return (), words, frozenset(), False
    return (), words, frozenset()


def explored(system: str, n: int, p: dict[str, int]) -> dict[Config, list[tuple[str, Config]]]:
    """Return all configurations that are reached, each with its transitions."""
    found: dict[Config, list[tuple[str, Config]]] = {}
    waiting = [initial(system, n, p)]
    while waiting:
        c = waiting.pop()
        if c not in found:
            found[c] = list(moves(system, c, p))
            waiting += [after for _, after in found[c]]
    return found


def sequences(found: dict[Config, list[tuple[str, Config]]], start: Config) -> dict[Arcs, int]:
    """Return for each graph the number of sequences that end in a terminal configuration with it."""
    before: dict[Config, list[Config]] = {c: [] for c in found}
    for c, after in found.items():
        for _, d in after:
            before[d].append(c)
    ways: dict[Config, int] = {start: 1}

    def count(c: Config) -> int:
        if c not in ways:
            ways[c] = sum(map(count, before[c]))
        return ways[c]

    graphs: dict[Arcs, int] = {}
    for c in found:
        if not c[1]:
            graphs[c[2]] = graphs.get(c[2], 0) + count(c)
    return graphs


# Properties of graphs ------------------------------------------------------------------------------------------


def all_graphs(n: int) -> Iterator[Arcs]:
    pairs = list(permutations(range(1, n + 1), 2))
    for mask in range(1 << len(pairs)):
        yield frozenset(pair for k, pair in enumerate(pairs) if mask >> k & 1)


@cache
def properties_of_all(n: int) -> dict[Arcs, set[str]]:
    return {arcs: properties(arcs, n) for arcs in all_graphs(n)}


def properties(arcs: Arcs, n: int) -> set[str]:
    """Return the properties of a graph by the names that `verify` has for them."""
    heads = [d for d, _ in arcs]
    spans = [tuple(sorted(arc)) for arc in arcs]
    crossing = [(a, b) for a in spans for b in spans if a[0] < b[0] < a[1] < b[1]]
    found = set()
    if not crossing:
        found.add("planar")
    split = [x for x in range(1 << len(spans)) if is_split(spans, crossing, x)]
    if split:
        found.add("2-planar")
    if len(set(heads)) == len(heads):
        found.add("single-headed")
    if all(may_link(arcs - {arc}, *arc, 0, 1) for arc in arcs):
        found.add("acyclic")
    if all(may_link(arcs - {arc}, *arc, 0, 2) for arc in arcs):
        found.add("no-cycles")
    if all(w in heads for a, b in spans for w in range(a + 1, b)):
        found.add("no-covered-roots")
    reached = {1}
    for _ in range(n):
        reached |= {x for arc in arcs for x in arc if reached & {*arc}}
    if len(reached) == n:
        found.add("connected")
    if found >= {"single-headed", "acyclic", "connected"}:
        found.add("tree")
    return found


def is_split(spans: list[tuple[int, ...]], crossing: list[Any], mask: int) -> bool:
    colour = {span: mask >> k & 1 for k, span in enumerate(spans)}
    return all(colour[a] != colour[b] for a, b in crossing)
