"""The systems over D-rules, each step with the printed rule above the code that is the rule; and all by name."""

from collections.abc import Callable, Iterator
from typing import Any

from tests.oracle import gapped_systems
from tests.oracle.naive import Derived, Grammar, Instance, Item, System, word, words

# Projective systems -----------------------------------------------------------------------------------------


def tree(*values: Any) -> Item:
    return ("tree", values)


def span(*values: Any) -> Item:
    return ("span", values)


def state(*values: Any) -> Item:
    return ("state", values)


# -------------------------------------------------------------------------------------------- Collins 1996


def collins1996() -> System[Grammar]:
    """Return Collins 1996: tree[i, j, h], 1 <= i <= h <= j <= n."""
    return System(
        "collins1996",
        hypotheses=lambda n: (tree(i, i, i) for i in range(1, n + 1)),
        steps=_collins_links,
        final=lambda n, _grammar, item: item[1][:2] == (1, n),
        where=lambda n, item: 1 <= item[1][0] <= item[1][2] <= item[1][1] <= n,
    )


def _collins_links(_n: int, licensed: Grammar, derived: Derived) -> Iterator[Instance]:
    for i, j, h1 in derived.of("tree"):
        for _, k, h2 in derived.with_field("tree", 0, j + 1):
            premises = (tree(i, j, h1), tree(j + 1, k, h2))
            # R-Link: [i,j,h1], [j+1,k,h2] |- [i,k,h2], attach h1 to h2
            if (h1, h2) in licensed:
                yield Instance("R-Link", premises, tree(i, k, h2), ((h1, h2),))
            # L-Link: [i,j,h1], [j+1,k,h2] |- [i,k,h1], attach h2 to h1
            if (h2, h1) in licensed:
                yield Instance("L-Link", premises, tree(i, k, h1), ((h2, h1),))


# ------------------------------------------------------------------------- CKY with arities, section 4.4


def cky_arity() -> System[Grammar]:
    """Return C[s][t][i][a]: tree[i, j, h, a], 0 <= i <= h <= j <= n, a dependents of h."""

    def steps(_n: int, licensed: Grammar, derived: Derived) -> Iterator[Instance]:
        for i, j, h1, a in derived.of("tree"):
            for _, k, h2, b in derived.with_field("tree", 0, j + 1):
                premises = (tree(i, j, h1, a), tree(j + 1, k, h2, b))
                # C[s][q][j][a'] + C[q + 1][t][i][a - 1] + s(i, j)
                if (h1, h2) in licensed:
                    yield Instance("R-Link", premises, tree(i, k, h2, b + 1), ((h1, h2),))
                # C[s][q][i][a - 1] + C[q + 1][t][j][a'] + s(i, j)
                if (h2, h1) in licensed:
                    yield Instance("L-Link", premises, tree(i, k, h1, a + 1), ((h2, h1),))

    return System(
        "cky-arity",
        hypotheses=lambda n: (tree(i, i, i, 0) for i in range(n + 1)),
        steps=steps,
        final=lambda n, _grammar, item: item[1][:3] == (0, n, 0),
        where=lambda n, item: 0 <= item[1][0] <= item[1][2] <= item[1][1] <= n and item[1][3] <= n,
    )


# --------------------------------------------------------------------------------------------- Eisner 1996


def eisner1996(end: int = 0) -> System[Grammar]:
    """Return Eisner 1996: span[i, j, b, c], 0 <= i <= j <= n + end, flags not both true."""

    def where(n: int, item: Item) -> bool:
        i, j, b, c = item[1]
        return 0 <= i <= j <= n + end and not (b and c)

    def final(n: int, _grammar: Grammar, item: Item) -> bool:
        return item == (span(0, n + 1, False, False) if end else span(0, n, False, True))

    return System("eisner1996", words, _eisner_steps, final, where)


def _eisner_steps(_n: int, licensed: Grammar, derived: Derived) -> Iterator[Instance]:
    for (i,) in derived.of("word"):
        # Initter: word(i), word(i+1) |- [i,i+1,F,F]
        if word(i + 1) in derived:
            yield Instance("Initter", (word(i), word(i + 1)), span(i, i + 1, False, False))
    for i, j, b, c in derived.of("span"):
        if not b and not c:
            # R-Link: [i,j,F,F] |- [i,j,T,F], attach i to j
            if (i, j) in licensed:
                yield Instance("R-Link", (span(i, j, b, c),), span(i, j, True, False), ((i, j),))
            # L-Link: [i,j,F,F] |- [i,j,F,T], attach j to i
            if (j, i) in licensed:
                yield Instance("L-Link", (span(i, j, b, c),), span(i, j, False, True), ((j, i),))
        # CombineSpans: [i,j,b,c], [j,k,not c,d] |- [i,k,b,d]
        for _, k, not_c, d in derived.with_field("span", 0, j):
            if not_c == (not c):
                yield Instance("CombineSpans", (span(i, j, b, c), span(j, k, not_c, d)), span(i, k, b, d))


# ------------------------------------------------------- Eisner & Satta 1999 and its generalisation


def eisner_satta1999() -> System[Grammar]:
    """Return Eisner & Satta 1999: tree[i, j, h] with h = i or h = j, 0 <= i <= j <= n."""

    def where(n: int, item: Item) -> bool:
        i, j, h = item[1]
        return 0 <= i <= j <= n and h in (i, j)

    return System("eisner-satta1999", _trees_from_zero, _eisner_satta_steps, _final_at_zero, where)


def _trees_from_zero(n: int) -> Iterator[Item]:
    return (tree(i, i, i) for i in range(n + 1))


def _final_at_zero(n: int, _grammar: Grammar, item: Item) -> bool:
    return item == tree(0, n, 0)


def _eisner_satta_steps(_n: int, licensed: Grammar, derived: Derived) -> Iterator[Instance]:
    for i, j, h in derived.of("tree"):
        for _, k, g in derived.with_field("tree", 0, j + 1):
            if h == i and g == k:
                premises = (tree(i, j, i), tree(j + 1, k, k))
                # R-Link: [i,j,i], [j+1,k,k] |- [i,k,k], attach i to k
                if (i, k) in licensed:
                    yield Instance("R-Link", premises, tree(i, k, k), ((i, k),))
                # L-Link: [i,j,i], [j+1,k,k] |- [i,k,i], attach k to i
                if (k, i) in licensed:
                    yield Instance("L-Link", premises, tree(i, k, i), ((k, i),))
        for _, k, g in derived.with_field("tree", 0, j):
            # R-Combiner: [i,j,i], [j,k,j] |- [i,k,i]
            if h == i and g == j:
                yield Instance("R-Combiner", (tree(i, j, i), tree(j, k, j)), tree(i, k, i))
            # L-Combiner: [i,j,j], [j,k,k] |- [i,k,k]
            if h == j and g == k:
                yield Instance("L-Combiner", (tree(i, j, j), tree(j, k, k)), tree(i, k, k))


def generalised_eisner_satta() -> System[Grammar]:
    """Return Eisner & Satta with the head anywhere: tree[i, j, h], 0 <= i <= h <= j <= n."""

    def where(n: int, item: Item) -> bool:
        i, j, h = item[1]
        return bool(0 <= i <= h <= j <= n)

    return System(
        "generalised-eisner-satta", _trees_from_zero, _generalised_eisner_satta_steps, _final_at_zero, where
    )


def _generalised_eisner_satta_steps(n: int, licensed: Grammar, derived: Derived) -> Iterator[Instance]:
    yield from _collins_links(n, licensed, derived)
    for i, j, h in derived.of("tree"):
        for _, k, g in derived.with_field("tree", 0, j):
            # R-Combiner: [i,j,h], [j,k,j] |- [i,k,h]
            if g == j:
                yield Instance("R-Combiner", (tree(i, j, h), tree(j, k, j)), tree(i, k, h))
            # L-Combiner: [i,j,j], [j,k,h] |- [i,k,h]
            if h == j:
                yield Instance("L-Combiner", (tree(i, j, j), tree(j, k, g)), tree(i, k, g))


# -------------------------------------------------------------------------------- Yamada & Matsumoto 2003


def yamada_matsumoto2003() -> System[Grammar]:
    """Return Yamada & Matsumoto 2003: span[i, j], 0 <= i < j <= n + 1."""
    return System(
        "yamada-matsumoto2003",
        words,
        _yamada_matsumoto_steps,
        final=lambda n, _grammar, item: item == span(0, n + 1),
        where=lambda n, item: 0 <= item[1][0] < item[1][1] <= n + 1,
    )


def _yamada_matsumoto_steps(_n: int, licensed: Grammar, derived: Derived) -> Iterator[Instance]:
    for (i,) in derived.of("word"):
        # Initter: word(i), word(i+1) |- [i,i+1]
        if word(i + 1) in derived:
            yield Instance("Initter", (word(i), word(i + 1)), span(i, i + 1))
    for i, j in derived.of("span"):
        for _, k in derived.with_field("span", 0, j):
            premises = (span(i, j), span(j, k))
            # R-Link: [i,j], [j,k] |- [i,k], attach j to k
            if (j, k) in licensed:
                yield Instance("R-Link", premises, span(i, k), ((j, k),))
            # L-Link: [i,j], [j,k] |- [i,k], attach j to i
            if (j, i) in licensed:
                yield Instance("L-Link", premises, span(i, k), ((j, i),))


# ------------------------------------------------------------------------- Nivre 2003 and Covington's LSUP


def nivre2003() -> System[Grammar]:
    """Return Nivre 2003: state[i, <(i1, b1), ..., (ik, bk)>], flags "has a head"."""

    def steps(n: int, licensed: Grammar, derived: Derived) -> Iterator[Instance]:
        for name, i, before, after, links in _nivre_moves(n, licensed, derived, fresh=None):
            premises = (state(*before),) if name == "R-Link" else (state(*before), word(i + 1))
            yield Instance(name, premises, state(*after), links)
        # Initter: word(0) |- [0, <>]
        yield Instance("Initter", (word(0),), state(0, ()))

    return System("nivre2003", words, steps, _nivre_final)


def covington_lsup() -> System[Grammar]:
    """Return Covington's LSUP: Nivre 2003 with a flag "no left dependents yet" in the item."""

    def steps(n: int, licensed: Grammar, derived: Derived) -> Iterator[Instance]:
        for name, i, before, after, links in _nivre_moves(n, licensed, derived, fresh=True):
            premises = (state(*before),) if name == "R-Link" else (state(*before), word(i + 1))
            yield Instance(name, premises, state(*after), links)
        # Initter: word(0) |- [0, <>, T]
        yield Instance("Initter", (word(0),), state(0, (), True))

    return System("covington-lsup", words, steps, _nivre_final)


def nivre2003_stacks() -> System[Grammar]:
    """Return Nivre 2003 with stacks: state[<(l1, b1), ..., (lk, bk)>, f], node f being the next one to be read."""

    def steps(n: int, licensed: Grammar, derived: Derived) -> Iterator[Instance]:
        # Initter: |- (<>, 0)
        yield Instance("Initter", (), state((), 0))
        for stack, f in derived.of("state"):
            before = (state(stack, f),)
            # Shift: (R, f) |- (R :: (f,F), f+1)
            if f <= n:
                yield Instance("Shift", before, state((*stack, (f, False)), f + 1))
            if not stack:
                continue
            (top, has_head), rest = stack[-1], stack[:-1]
            # Reduce: (R :: (l,T), f) |- (R, f)
            if has_head:
                yield Instance("Reduce", before, state(rest, f))
            # L-Link: (R :: (l,h), f) |- (R :: (l,h) :: (f,T), f+1), attach f to l
            if f <= n and (f, top) in licensed:
                yield Instance("L-Link", before, state((*stack, (f, True)), f + 1), ((f, top),))
            # R-Link: (R :: (l,F), f) |- (R, f), attach l to f
            if f <= n and not has_head and (top, f) in licensed:
                yield Instance("R-Link", before, state(rest, f), ((top, f),))

    def final(n: int, _grammar: Grammar, item: Item) -> bool:
        stack, f = item[1]
        return f == n + 1 and stack[:1] == ((0, False),) and all(has_head for _, has_head in stack[1:])

    return System("nivre2003-stacks", lambda _n: (), steps, final)


Move = tuple[str, int, tuple[Any, ...], tuple[Any, ...], tuple[tuple[int, int], ...]]


def _nivre_moves(n: int, licensed: Grammar, derived: Derived, fresh: bool | None) -> Iterator[Move]:
    """Yield (step, i, values before, values after, links); the items carry `fresh` unless it is None."""
    for before in derived.of("state"):
        i, nodes = before[:2]
        is_fresh = fresh is None or before[2]
        set_flag = () if fresh is None else (True,)
        clear_flag = () if fresh is None else (False,)
        if i <= n:
            # Advance: [i, L], word(i+1) |- [i+1, L + <(i,F)>]; the flag becomes T
            yield "Advance", i, before, (i + 1, (*nodes, (i, False)), *set_flag), ()
        for at, (node, has_head) in enumerate(nodes):
            if not all(flag for _, flag in nodes[at + 1 :]):
                continue  # some (v, F) stands between the node and the end of the list
            left = nodes[:at]
            # L-Link: [i, <*A,(l,b),(v1,T),...,(vr,T)>], word(i+1) |- [i+1, <*A,(l,b),(i,T)>], attach i to l
            # with the flag: requires T unless l = 0; the flag becomes T
            if i <= n and (i, node) in licensed and (is_fresh or node == 0):
                after = (i + 1, (*left, (node, has_head), (i, True)), *set_flag)
                yield "L-Link", i, before, after, ((i, node),)
            # R-Link: [i, <*A,(h,F),(v1,T),...,(vr,T)>] |- [i, A], attach h to i; the flag becomes F
            if not has_head and (node, i) in licensed:
                yield "R-Link", i, before, (i, left, *clear_flag), ((node, i),)


def _nivre_final(n: int, _grammar: Grammar, item: Item) -> bool:
    # final [n+1, <(0,F),(v1,T),...,(vr,T)>], with any flag for LSUP
    if item[0] != "state" or item[1][0] != n + 1:
        return False
    nodes = item[1][1]
    return bool(nodes) and nodes[0] == (0, False) and all(flag for _, flag in nodes[1:])


# Transition systems, tabulated, over fenceposts 0..m, m = n + 1 ---------------------------------------------


def hookr(*values: Any) -> Item:
    return ("hookr", values)


def hookl(*values: Any) -> Item:
    return ("hookl", values)


# -------------------------------------------------------------------------------------------- arc-standard


def _tokens(n: int) -> Iterator[Item]:
    # axioms [i,i,i+1], 0 <= i < m
    return (tree(i, i, i + 1) for i in range(n + 1))


def _goal_at_zero(n: int, _grammar: Grammar, item: Item) -> bool:
    # goal [0,0,m]
    return item == tree(0, 0, n + 1)


def arc_standard() -> System[Grammar]:
    """Return arc-standard: tree[i, h, j], 0 <= i <= h < j <= m."""
    return System("arc-standard", _tokens, _arc_standard_steps, _goal_at_zero)


def _arc_standard_steps(_n: int, licensed: Grammar, derived: Derived) -> Iterator[Instance]:
    for i, h1, k in derived.of("tree"):
        for _, h2, j in derived.with_field("tree", 0, k):
            premises = (tree(i, h1, k), tree(k, h2, j))
            # la: [i,h1,k], [k,h2,j] |- [i,h2,j], attach h1 to h2
            if (h1, h2) in licensed:
                yield Instance("la", premises, tree(i, h2, j), ((h1, h2),))
            # ra: [i,h1,k], [k,h2,j] |- [i,h1,j], attach h2 to h1
            if (h2, h1) in licensed:
                yield Instance("ra", premises, tree(i, h1, j), ((h2, h1),))


def arc_standard_hook() -> System[Grammar]:
    """Return arc-standard with hooks: tree[i, h, j], hookr[h1, k, j], hookl[i, k, h2]."""
    return System("arc-standard-hook", _tokens, _arc_standard_hook_steps, _goal_at_zero)


def _arc_standard_hook_steps(n: int, licensed: Grammar, derived: Derived) -> Iterator[Instance]:
    m = n + 1
    for k, h2, j in derived.of("tree"):
        # RaHook: [k,h2,j] |- hookr[h1,k,j], attach h2 to h1, 0 <= h1 < k
        for h1 in range(k):
            if (h2, h1) in licensed:
                yield Instance("RaHook", (tree(k, h2, j),), hookr(h1, k, j), ((h2, h1),))
    for i, h1, k in derived.of("tree"):
        # LaHook: [i,h1,k] |- hookl[i,k,h2], attach h1 to h2, k <= h2 < m
        for h2 in range(k, m):
            if (h1, h2) in licensed:
                yield Instance("LaHook", (tree(i, h1, k),), hookl(i, k, h2), ((h1, h2),))
    for i, h1, k in derived.of("tree"):
        # Ra: [i,h1,k], hookr[h1,k,j] |- [i,h1,j]
        for _, k2, j in derived.with_field("hookr", 0, h1):
            if k2 == k:
                yield Instance("Ra", (tree(i, h1, k), hookr(h1, k, j)), tree(i, h1, j))
    for i, k, h2 in derived.of("hookl"):
        # La: hookl[i,k,h2], [k,h2,j] |- [i,h2,j]
        for _, h, j in derived.with_field("tree", 0, k):
            if h == h2:
                yield Instance("La", (hookl(i, k, h2), tree(k, h2, j)), tree(i, h2, j))


# ----------------------------------------------------------------------------------------------- arc-eager


def arc_eager() -> System[Grammar]:
    """Return arc-eager with the licence of right arcs tested at re as well: span[i, b, j]."""
    return _arc_eager("arc-eager", test_at_re=True)


def arc_eager_published() -> System[Grammar]:
    """Return arc-eager as published: the licence of right arcs is tested at ra only."""
    return _arc_eager("arc-eager-published", test_at_re=False)


def _arc_eager(name: str, *, test_at_re: bool) -> System[Grammar]:
    def steps(n: int, licensed: Grammar, derived: Derived) -> Iterator[Instance]:
        m = n + 1
        for i, b, j in derived.of("span"):
            if j < m:
                # sh: ctx [i^b,j] |- [j^0,j+1] (j < m)
                yield Instance("sh", (span(i, b, j),), span(j, False, j + 1), context=(0,))
                # ra: ctx [i^b,j] |- [j^1,j+1] if i may head j (j < m)
                if (j, i) in licensed:
                    yield Instance("ra", (span(i, b, j),), span(j, True, j + 1), context=(0,))
        for i, b, k in derived.of("span"):
            for _, c, j in derived.with_field("span", 0, k):
                premises = (span(i, b, k), span(k, c, j))
                # la: [i^b,k], [k^0,j] |- [i^b,j], attach k to j (j < m)
                if not c and j < m and (k, j) in licensed:
                    yield Instance("la", premises, span(i, b, j), ((k, j),))
                # re: [i^b,k], [k^1,j] |- [i^b,j], attach k to i; as published, only builds the link
                if c and (not test_at_re or (k, i) in licensed):
                    yield Instance("re", premises, span(i, b, j), ((k, i),))

    return System(
        name,
        hypotheses=lambda _n: [span(0, False, 1)],
        steps=steps,
        final=lambda n, _grammar, item: item == span(0, False, n + 1),
    )


def arc_eager_first() -> System[Grammar]:
    """Return the first tabulation of arc-eager: tree[i, h, b, j]."""

    def steps(n: int, licensed: Grammar, derived: Derived) -> Iterator[Instance]:
        for i, h, b, k in derived.of("tree"):
            for _, g, c, j in derived.with_field("tree", 0, k):
                premises = (tree(i, h, b, k), tree(k, g, c, j))
                # la: [i,h^b,k], [k,g^0,j] |- [i,h^b,j], attach g to j (j < m)
                if not c and j <= n and (g, j) in licensed:
                    yield Instance("la", premises, tree(i, h, b, j), ((g, j),))
                # re: [i,h^b,k], [k,g^1,j] |- [i,h^b,j], attach g to h
                if c and (g, h) in licensed:
                    yield Instance("re", premises, tree(i, h, b, j), ((g, h),))

    def axioms(n: int) -> Iterator[Item]:
        for i in range(n + 1):
            yield from (tree(i, i, b, i + 1) for b in (False, True) if i or not b)

    return System(
        "arc-eager-first", axioms, steps, final=lambda n, _grammar, item: item == tree(0, 0, False, n + 1)
    )


def arc_eager_axioms() -> System[Grammar]:
    """Return the same without h: span[i, b, j]."""

    def steps(n: int, licensed: Grammar, derived: Derived) -> Iterator[Instance]:
        for i, b, k in derived.of("span"):
            for _, c, j in derived.with_field("span", 0, k):
                arc = (k, i) if c else (k, j)  # re: attach k to i; la: attach k to j (j < m)
                if arc in licensed and (c or j <= n):
                    premises = (span(i, b, k), span(k, c, j))
                    yield Instance("re" if c else "la", premises, span(i, b, j), (arc,))

    def axioms(n: int) -> Iterator[Item]:
        return (span(i, b, i + 1) for i in range(n + 1) for b in (False, True) if i or not b)

    return System(
        "arc-eager-axioms", axioms, steps, final=lambda n, _grammar, item: item == span(0, False, n + 1)
    )


def arc_standard_words() -> System[Grammar]:
    """Return arc-standard with the two topmost words before a computation: tree[i, h, j, s1, s0]."""

    def steps(n: int, licensed: Grammar, derived: Derived) -> Iterator[Instance]:
        for i, h1, k, s1, s0 in derived.of("tree"):
            first = tree(i, h1, k, s1, s0)
            # sh: ctx [i,h,j; <s1,s0>, <s0,h>] |- [j,j,j+1; <s0,h>, <h,j>] (j < m)
            if k <= n:
                yield Instance("sh", (first,), tree(k, k, k + 1, s0, h1), context=(0,))
            for _, h2, j, t1, t0 in derived.with_field("tree", 0, k):
                if (t1, t0) != (s0, h1):
                    continue
                premises = (first, tree(k, h2, j, t1, t0))
                # la, ra: the two computations one after the other; h1 under h2, or h2 under h1
                if (h1, h2) in licensed:
                    yield Instance("la", premises, tree(i, h2, j, s1, s0), ((h1, h2),))
                if (h2, h1) in licensed:
                    yield Instance("ra", premises, tree(i, h1, j, s1, s0), ((h2, h1),))

    return System(
        "arc-standard-words",
        hypotheses=lambda _n: [tree(0, 0, 1, None, None)],
        steps=steps,
        final=lambda n, _grammar, item: item == tree(0, 0, n + 1, None, None),
    )


# -------------------------------------------------------------------------------------------------- hybrid


def hybrid() -> System[Grammar]:
    """Return the hybrid system: span[i, j], 0 <= i < j <= m."""
    return System(
        "hybrid",
        hypotheses=lambda _n: [span(0, 1)],
        steps=_hybrid_steps,
        final=lambda n, _grammar, item: item == span(0, n + 1),
    )


def _hybrid_steps(n: int, licensed: Grammar, derived: Derived) -> Iterator[Instance]:
    m = n + 1
    for i, j in derived.of("span"):
        # sh: ctx [i,j] |- [j,j+1] (j < m)
        if j < m:
            yield Instance("sh", (span(i, j),), span(j, j + 1), context=(0,))
    for i, k in derived.of("span"):
        for _, j in derived.with_field("span", 0, k):
            premises = (span(i, k), span(k, j))
            # la: [i,k], [k,j] |- [i,j], attach k to j (j < m)
            if j < m and (k, j) in licensed:
                yield Instance("la", premises, span(i, j), ((k, j),))
            # ra: [i,k], [k,j] |- [i,j], attach k to i
            if (k, i) in licensed:
                yield Instance("ra", premises, span(i, j), ((k, i),))


# Non-projective systems -------------------------------------------------------------------------------------


def heads(*nodes: int) -> Item:
    return ("heads", (nodes,))


# ----------------------------------------------------------------------------------- Attardi 2006 and MH_k


def attardi2006(d: int = 2) -> System[Grammar]:
    """Return Att_d: heads[<h1, ..., hm>], increasing positions 0..n+1, links over at most d places."""
    return _attardi("attardi2006", distance=d, most_heads=None)


def attardi_unbounded() -> System[Grammar]:
    """Return Att_inf: no bound on the distance of links in the list."""
    return _attardi("attardi-unbounded", distance=None, most_heads=None)


def mh(k: int = 3) -> System[Grammar]:
    """Return MH_k: Att_inf with 2..k heads per item."""
    return _attardi("mh", distance=None, most_heads=k)


def _attardi(name: str, distance: int | None, most_heads: int | None) -> System[Grammar]:
    def steps(_n: int, licensed: Grammar, derived: Derived) -> Iterator[Instance]:
        # Initter: word(i), word(i+1) |- [i,i+1]
        for (i,) in derived.of("word"):
            if word(i + 1) in derived:
                yield Instance("Initter", (word(i), word(i + 1)), heads(i, i + 1))
        # Combine: [h1,...,hm], [hm,...,hp] |- [h1,...,hp]
        for (left,) in derived.of("heads"):
            for (right,) in derived.of("heads"):
                if left[-1] == right[0]:
                    yield Instance("Combine", (heads(*left), heads(*right)), heads(*left, *right[1:]))
        # Link: [h1,...,hm] |- the list without h_i, attach h_i to h_j,
        #   1 < i < m, 1 <= j <= m, j != i, |j-i| <= d
        for (nodes,) in derived.of("heads"):
            for i in range(1, len(nodes) - 1):
                for j in range(len(nodes)):
                    near = distance is None or abs(j - i) <= distance
                    if j != i and near and (nodes[i], nodes[j]) in licensed:
                        rest = heads(*nodes[:i], *nodes[i + 1 :])
                        yield Instance("Link", (heads(*nodes),), rest, ((nodes[i], nodes[j]),))

    def where(_n: int, item: Item) -> bool:
        return most_heads is None or 2 <= len(item[1][0]) <= most_heads

    # final [0,n+1]
    return System(name, words, steps, lambda n, _grammar, item: item == heads(0, n + 1), where)


# ------------------------------------------------------------------------------------------ Covington 2001


def covington2001() -> System[Grammar]:
    """Return Covington's non-projective parser: state[i, <h1, ..., hk>]; node 0 is not used."""
    return System(
        "covington2001",
        words,
        _covington_steps,
        # final [n, <h>]
        final=lambda n, _grammar, item: item[0] == "state" and item[1][0] == n and len(item[1][1]) == 1,
    )


def _covington_steps(n: int, licensed: Grammar, derived: Derived) -> Iterator[Instance]:
    # Initter: word(1) |- [1, <1>]
    yield Instance("Initter", (word(1),), state(1, (1,)))
    for i, nodes in derived.of("state"):
        before = state(i, nodes)
        # Advance: [i, L], word(i+1) |- [i+1, L + <i+1>]; words end at n
        if i < n:
            yield Instance("Advance", (before, word(i + 1)), state(i + 1, (*nodes, i + 1)))
        # R-Link: [i, <*A,h,*B>] |- [i, <*A,*B>], attach h to i, h < i
        for at, h in enumerate(nodes):
            if h < i and (h, i) in licensed:
                yield Instance("R-Link", (before,), state(i, nodes[:at] + nodes[at + 1 :]), ((h, i),))
        # L-Link: [i, <*A,i>] |- [i, A], attach i to j, any word j < i
        if nodes and nodes[-1] == i:
            for j in range(1, i):
                if (i, j) in licensed:
                    yield Instance("L-Link", (before,), state(i, nodes[:-1]), ((i, j),))


# --------------------------------------------------------------------------------- McDonald et al. 2005


def mst() -> System[Grammar]:
    """Return the spanning tree parser: nodes are sets of words, each with a tree over them."""
    return System(
        "mst",
        hypotheses=lambda n: (word(i) for i in range(1, n + 1)),
        steps=_spanning_steps,
        # final grown[n + 1, _]
        final=lambda n, _grammar, item: item[0] == "grown" and item[1][0] == n + 1,
        where=lambda n, item: item[0] != "grown" or 1 <= item[1][0] <= n + 1,
    )


def _spanning_steps(n: int, licensed: Grammar, derived: Derived) -> Iterator[Instance]:
    def entered(*values: Any) -> Item:
        return ("entered", values)

    def path(*values: Any) -> Item:
        return ("path", values)

    def grown(*values: Any) -> Item:
        return ("grown", values)

    # Word: word(d) |- tree[<d>, d]
    for d in range(1, n + 1):
        yield Instance("Word", (word(d),), tree((d,), d))
    for nodes, d in derived.of("tree"):
        # Enter: tree[C, d] |- entered[C, d, h], attach d to h, h not in C
        for h in range(n + 1):
            if h not in nodes and (d, h) in licensed:
                yield Instance("Enter", (tree(nodes, d),), entered(nodes, d, h), ((d, h),))
        # Leave: tree[C, d], given entered[C, _, h] |- path[C, <>, C, d, h]
        for _, other, h in derived.with_field("entered", 0, nodes):
            premises = tree(nodes, d), entered(nodes, other, h)
            yield Instance("Leave", premises, path(nodes, (), nodes, d, h), context=(1,))
    for up, rest, start, d, h in derived.of("path"):
        before = path(up, rest, start, d, h)
        # Climb: path[U, <>, S, d, h], entered[C, _, g] |- path[U, C, S, d, g], d > 0, h in C, h not in U
        if not rest and d > 0 and h not in up:
            for nodes, other, g in derived.of("entered"):
                if h in nodes:
                    yield Instance("Climb", (before, entered(nodes, other, g)), path(up, nodes, start, d, g))
        # Add: path[U, <x, *R>, S, d, h] |- path[U with x in its place, R, S, d, h], x not in U
        if rest and up and rest[0] not in up:
            x = rest[0]
            where = "First" if x < up[0] else "Last" if x > up[-1] else "Between"
            yield Instance(f"Add-{where}", (before,), path(tuple(sorted((*up, x))), rest[1:], start, d, h))
        # Contract: path[U, <>, S, d, h] |- tree[U, d], d > 0, h in S
        if not rest and d > 0 and h in start:
            yield Instance("Contract", (before,), tree(up, d))
        # Grown: path[U, <>, <0>, 0, 0] |- grown[length(U), U]
        if (rest, start, d, h) == ((), (0,), 0, 0):
            yield Instance("Grown", (before,), grown(len(up), up))
    # Root: |- grown[1, <0>]
    yield Instance("Root", (), grown(1, (0,)))
    for k, up in derived.of("grown"):
        # Grow: grown[_, U], entered[C, _, h] |- path[U, C, <0>, 0, 0], h in U
        for nodes, other, h in derived.of("entered"):
            if h in up:
                yield Instance("Grow", (grown(k, up), entered(nodes, other, h)), path(up, nodes, (0,), 0, 0))


# All of them, and those over trees with gaps, by name -------------------------------------------------------


D_RULE_SYSTEMS: dict[str, Callable[..., System[Grammar]]] = {
    "collins1996": collins1996,
    "cky-arity": cky_arity,
    "eisner1996": eisner1996,  # end = 0 or 1
    "eisner-satta1999": eisner_satta1999,
    "generalised-eisner-satta": generalised_eisner_satta,
    "yamada-matsumoto2003": yamada_matsumoto2003,
    "nivre2003": nivre2003,
    "covington-lsup": covington_lsup,
    "mh": mh,  # k >= 3
    "attardi2006": attardi2006,  # d >= 1
    "attardi-unbounded": attardi_unbounded,
    "covington2001": covington2001,
    "mst": mst,
    "arc-standard": arc_standard,
    "arc-standard-hook": arc_standard_hook,
    "arc-eager": arc_eager,
    "arc-eager-published": arc_eager_published,
    "arc-eager-first": arc_eager_first,
    "arc-eager-axioms": arc_eager_axioms,
    "arc-standard-words": arc_standard_words,
    "nivre2003-stacks": nivre2003_stacks,
    "hybrid": hybrid,
    "wg1": gapped_systems.wg1,
    "wg1-once": gapped_systems.wg1_once,
    "wg1-unlexicalised": gapped_systems.wg1_unlexicalised,
    "mg1": gapped_systems.mg1,
    "wgk": gapped_systems.wgk,  # k >= 1
    "wgk-published": gapped_systems.wgk_published,  # k >= 1
    "mgk": gapped_systems.mgk,  # k >= 1
}


def d_rule_system(name: str, **parameters: int) -> System[Grammar]:
    """Return a D-rule system by its shipped name; parameters by keyword, with the schemata's defaults."""
    return D_RULE_SYSTEMS[name](**parameters)
