"""The expressions of a dictionary, and their expansion into disjuncts.

Expressions are connectors, ``&`` and ``or``, each with the cost it adds. They are shared: a macro's expression is the
same object wherever the macro is used. They are compared by identity, also as keys of tables.

A disjunct's cost is the sum of the costs around its connectors. The cut-off limits another number, as in
link-parser: at each node the greatest number of the operands (at ``&`` at least 0) plus the node's own cost. The
remaining allowance is handed down, so that nothing is built that the cut-off would drop.

The expansion is kernel text, over numbers. Its stages:

*Expressions.* A connector to the right stays only where some later word, within reach, has a matching one to
the left, and the other way round. An ``&`` with a dead operand is dead, and so is an expression that costs too
much. Their connectors may have been the partners of others, so this is repeated until nothing changes.

*Expansion.* The connectors of one side of a disjunct link words ever farther away. So each has a nearest place, and
where these run out nothing is built. A side is a node of a trie: the side without its farthest connector, and that
connector. Each word has two tries of its own, so the number of a side determines its word and its direction as well.
"""

from __future__ import annotations

from collections.abc import Iterable

from schemata.machine.text import FACTORS, hash_table
from schemata.records import Record, replace
from schemata.structures.linkages import Connector


class Single(Record, eq=False):
    """A connector."""

    connector: Connector
    cost: float = 0.0
    depth: int = 1


class All(Record, eq=False):
    """All of some expressions, in order; of none, this is ``()``."""

    operands: tuple[Expression, ...]
    cost: float = 0.0
    depth: int = 1


class One(Record, eq=False):
    """One of some expressions."""

    operands: tuple[Expression, ...]
    cost: float = 0.0
    depth: int = 1


Expression = Single | All | One
"""`cost` is the node's own cost; `depth` is the height of the tree below and with it."""

NOTHING = All(())


def all_of(operands: Iterable[Expression], cost: float = 0.0) -> All:
    """Return the conjunction of some expressions."""
    parts = tuple(operands)
    return All(parts, cost, 1 + max((e.depth for e in parts), default=0))


def one_of_these(operands: Iterable[Expression], cost: float = 0.0) -> One:
    """Return the disjunction of some expressions."""
    parts = tuple(operands)
    return One(parts, cost, 1 + max((e.depth for e in parts), default=0))


def optional(expression: Expression) -> One:
    """Return ``{expression}``."""
    return one_of_these((NOTHING, expression))


def in_any_order(one: Expression, other: Expression) -> All:
    """Return ``one ^ other``."""
    return all_of((one_of_these((all_of((one, other)), all_of((other, one)))),))


def costing(expression: Expression, cost: float) -> Expression:
    """Return ``[expression]cost``."""
    # The cost is the node's own, as in link-parser: a node around it would count for the cut-off in another
    # way where costs are negative.
    return replace(expression, cost=round(expression.cost + cost, 6))


def connectors_of(expressions: Iterable[Expression]) -> set[Connector]:
    """Return the connectors that occur in some expressions."""
    connectors: set[Connector] = set()
    seen: set[int] = set()
    todo = list(expressions)
    while todo:
        expression = todo.pop()
        if id(expression) in seen:
            continue
        seen.add(id(expression))
        if isinstance(expression, Single):
            connectors.add(expression.connector)
        else:
            todo.extend(expression.operands)
    return connectors


# Expansion --------------------------------------------------------------------------------------------------------

# Places of the state
(
    WORDS, CONNECTORS, ROOM, SIDES, SIDE_SLOTS, SIDES_USED, STATE_ROOM, STAMP, WORK, MOST_WORK,
    DISJUNCTS, PAIRS, PAIRS_USED, REGION_SLOTS, REGIONS_USED, LEFT, WAITING, ENTRY, MOST_DISJUNCTS, EXACT,
    SIZE,
) = range(21)  # fmt: skip

DEAD = 1 << 60  # a cost
TOLERANCE = 10  # millionths
FULL, TOO_MANY, SPENT = 1, 2, 3  # what a function returns, below 0
ALIVE, REACHED, TOLD = 1, 2, 3  # a connector of a word: it was alive, the cut-off leaves it, and it is in FAR

DICTIONARY = {
    "KIND": "u8[]",  # of nodes: 0 a connector, 1 all of its operands, 2 one of them
    "COST": "i64[]",  # in millionths
    "FIRST": "i32[]",  # the connector, or where operands begin in CHILD
    "COUNT": "i32[]",
    "CHILD": "i32[]",
    "RIGHT": "u8[]",  # of connectors
    "MULTI": "u8[]",
    "REACH": "i32[]",
    "EDGE": "i32[]",  # the first of the edges to its partners; 0 is none
    "TO": "i32[]",
    "MORE": "i32[]",  # the next edge
}
SENTENCE = {
    "OA": "i32[]",  # where the nodes of each word begin in ON, operands first
    "ON": "i32[]",
    "EA": "i32[]",  # where its entries begin in EN
    "EN": "i32[]",
}
WORKSPACE = {  # with their sizes: a factor, and what it multiplies
    "st": ("i64[]", SIZE, "one"),
    "NEED": ("i64[]", 1, "nodes"),  # of nodes: the least number for the cut-off
    "LIMIT": ("i64[]", 1, "nodes"),  # the greatest that is handed down
    "LOC": ("i32[]", 1, "connectors"),  # of connectors: their number in the sentence, from 1 on
    "LG": ("i32[]", 1, "connectors"),  # of connectors of the sentence: their number in the dictionary
    "LA": ("i32[]", 1, "connectors"),  # where their partners begin in LP
    "LP": ("i32[]", 16, "room"),
    "HERE": ("u8[]", 1, "places"),  # by word and connector: whether it is alive
    "NEXT": ("i32[]", 1, "places"),  # the nearest word that it may be linked to; -1 if there is none
    "FAR": ("i32[]", 1, "places"),  # how far its partners there reach
    "HEAD": ("i32[]", 1, "places"),  # the last side whose farthest connector it is
    "CHAIN": ("i32[]", 1, "room"),  # of sides: the side before of the same word and connector
    "INIT": ("i32[]", 1, "room"),  # the side without its farthest connector
    "CON": ("i32[]", 1, "room"),  # that connector
    "RANK": ("i32[]", 1, "room"),  # the number of connectors
    "NEAR": ("i32[]", 1, "room"),  # the nearest place of the farthest one; -1 if it has none
    "WORD": ("i32[]", 1, "room"),
    "USED": ("i32[]", 1, "room"),  # whether a disjunct that is left has it; then the first pair of the side
    "SA": ("i32[]", 1, "room"),  # where the sides of each word begin
    "DA": ("i32[]", 1, "room"),  # and its disjuncts; before, whether it has any
    "SK": ("i32[]", 6, "room"),  # hash tables: sides, pairs, regions
    "PK": ("i32[]", 6, "room"),
    "RK": ("i32[]", 24, "room"),
    "SL": ("i32[]", 2, "room"),  # states of the expansion: left side, right side, cost
    "SR": ("i32[]", 2, "room"),
    "SC": ("i64[]", 2, "room"),
    "MS": ("i64[]", 4, "room"),  # hash table of the states of one node: its stamp, and the state
    "DE": ("i32[]", 1, "room"),  # disjuncts: entry, sides, cost, whether they are left, pair of sides
    "DL": ("i32[]", 1, "room"),
    "DR": ("i32[]", 1, "room"),
    "DC": ("i64[]", 1, "room"),
    "DS": ("u8[]", 1, "room"),
    "DP": ("i32[]", 1, "room"),
    "QL": (
        "i32[]",
        1,
        "room",
    ),  # pairs: sides, the next pair with the same one, whether they are in a linkage
    "QR": ("i32[]", 1, "room"),
    "NL": ("i32[]", 1, "room"),
    "NR": ("i32[]", 1, "room"),
    "QS": ("u8[]", 1, "room"),
    "VR": ("i32[]", 4, "room"),  # regions that are part of a linkage
    "VL": ("i32[]", 4, "room"),
}
ARRAYS = {**DICTIONARY, **SENTENCE, **{name: kind for name, (kind, *_) in WORKSPACE.items()}}
"""The arrays that every function of the kernel takes, in this order, and their types."""

TEXT = f'''
{hash_table("sides", 2)}
{hash_table("pairs", 2)}
{hash_table("regions", 2)}

def beyond(st, p, c, q, LG, RIGHT, REACH, FAR):
    """Return the nearest word beyond q that a connector of word p may link to; -1 if there is none."""
    step = 1 if RIGHT[LG[c]] else -1
    q += step
    while q >= 0 and q < st[WORDS] and (q - p) * step <= REACH[LG[c]]:
        if (q - p) * step <= FAR[q * st[CONNECTORS] + c]:
            return q
        q += step
    return -1


@apart
def number_connectors(@):
    """Number the connectors of the sentence, and list the partners of each; below 0 what is full."""
    many = 0
    for k in range(OA[st[WORDS]]):
        x = ON[k]
        if KIND[x] == 0 and LOC[FIRST[x]] == 0:
            LG[many] = FIRST[x]
            many += 1
            LOC[FIRST[x]] = many
    st[CONNECTORS] = many
    top = 0
    for c in range(many):
        LA[c] = top
        e = EDGE[LG[c]]
        while e:
            if LOC[TO[e]]:
                if top >= 16 * st[ROOM]:
                    return -FULL
                LP[top] = LOC[TO[e]] - 1
                top += 1
            e = MORE[e]
    LA[many] = top
    return 1


def tell_partners(p, @):
    """Note how far the connectors of a word reach that each connector may be linked to there."""
    many = st[CONNECTORS]
    for c in range(p * many, (p + 1) * many):
        FAR[c] = 0
    for k in range(OA[p], OA[p + 1]):
        if KIND[ON[k]] == 0:
            c = LOC[FIRST[ON[k]]] - 1
            if HERE[p * many + c] == REACHED:
                HERE[p * many + c] = TOLD
                reach = REACH[LG[c]]
                for e in range(LA[c], LA[c + 1]):
                    FAR[p * many + LP[e]] = max(FAR[p * many + LP[e]], reach)
    return 0


def may_link(p, c, @):
    """Return whether a connector of a word is alive and has a place to link to; places only ever become fewer."""
    k = p * st[CONNECTORS] + c
    q = NEXT[k]
    if HERE[k] == 0 or q < 0:
        return 0
    if q == p or max(q - p, p - q) > FAR[q * st[CONNECTORS] + c]:
        NEXT[k] = beyond(st, p, c, q, LG, RIGHT, REACH, FAR)
    return NEXT[k] >= 0


def weigh(p, free, @):
    """Work out the least number for the cut-off of a word's nodes; those of connectors without partner are dead."""
    for k in range(OA[p], OA[p + 1]):
        x = ON[k]
        if KIND[x] == 0:
            c = LOC[FIRST[x]] - 1
            NEED[x] = COST[x] if free or may_link(p, c, @) else DEAD
            continue
        least = DEAD if KIND[x] == 2 else 0
        for k in range(FIRST[x], FIRST[x] + COUNT[x]):
            need = NEED[CHILD[k]]
            least = min(least, need) if KIND[x] == 2 else max(least, need)
        NEED[x] = DEAD if least == DEAD else least + COST[x]
    return 0


@apart
def shrink(p, most, @):
    """Find a word's connectors that are alive; returns how many are not any more."""
    many = st[CONNECTORS]
    weigh(p, 0, @)
    for k in range(OA[p], OA[p + 1]):
        LIMIT[ON[k]] = -DEAD
        if KIND[ON[k]] == 0 and HERE[p * many + LOC[FIRST[ON[k]]] - 1]:
            HERE[p * many + LOC[FIRST[ON[k]]] - 1] = ALIVE
    DA[p] = 0
    for k in range(EA[p], EA[p + 1]):
        LIMIT[EN[k]] = most
        DA[p] = DA[p] or NEED[EN[k]] <= most + TOLERANCE
    k = OA[p + 1] - 1
    while k >= OA[p]:
        x = ON[k]
        if NEED[x] <= LIMIT[x] + TOLERANCE:
            if KIND[x] == 0:
                HERE[p * many + LOC[FIRST[x]] - 1] = REACHED
            else:
                left = LIMIT[x] - COST[x]
                for c in range(FIRST[x], FIRST[x] + COUNT[x]):
                    LIMIT[CHILD[c]] = max(LIMIT[CHILD[c]], left)
        k -= 1
    gone = 0
    for k in range(OA[p], OA[p + 1]):
        if KIND[ON[k]] == 0:
            c = p * many + LOC[FIRST[ON[k]]] - 1
            if HERE[c] == ALIVE:
                HERE[c] = 0
                gone += 1
    return gone


@apart
def prune_expressions(most, @):
    """Prune expressions; returns 0 if some word is left without any."""
    n = st[WORDS]
    many = st[CONNECTORS]
    for p in range(n):
        for k in range(OA[p], OA[p + 1]):
            if KIND[ON[k]] == 0:
                c = p * many + LOC[FIRST[ON[k]]] - 1
                HERE[c] = REACHED
                NEXT[c] = p
        tell_partners(p, @)
    again = 1
    whole = 0
    while again:
        again = 0
        whole = n
        for p in range(n):
            gone = shrink(p, most, @)
            if gone:
                again = 1
                tell_partners(p, @)
            whole -= DA[p]
    return whole == 0


@apart
def longer(s, c, free, st, LG, RIGHT, REACH, FAR, INIT, CON, RANK, NEAR, WORD, HEAD, CHAIN, SK):
    """Return a side with one more connector; below 0 what is full."""
    z = sides_at(SK, st[SIDE_SLOTS], s, c)
    if z:
        return z
    z = st[SIDES]
    if z >= st[ROOM] or not sides_enter(st, SK, SIDES_USED, SIDE_SLOTS, s, c, z):
        return -FULL
    st[SIDES] = z + 1
    p = WORD[s]
    INIT[z] = s
    CON[z] = c
    RANK[z] = RANK[s] + 1
    WORD[z] = p
    NEAR[z] = p if free else beyond(st, p, c, NEAR[s], LG, RIGHT, REACH, FAR)
    if NEAR[z] >= 0:
        CHAIN[z] = HEAD[p * st[CONNECTORS] + c]
        HEAD[p * st[CONNECTORS] + c] = z
    return z


def slot_of_state(MS, SL, SR, mask, stamp, left, right):
    """Return the slot of a state in the hash table of a node's states, or of the empty slot where it belongs."""
    h = (left * {FACTORS[0]}) ^ (right * {FACTORS[1]})
    p = (h >> 32) & mask
    while MS[p] >> 32 == stamp and not (SL[MS[p] & 4294967295] == left and SR[MS[p] & 4294967295] == right):
        p = (p + 1) & mask
    return p


@apart
def merged(st, start, end, SL, SR, SC, MS):
    """Leave of equal states that with the least cost; returns where the states end."""
    if end - start < 2:
        return end
    st[STAMP] += 1
    stamp = st[STAMP]
    mask = 2 * st[STATE_ROOM] - 1
    to = start
    for k in range(start, end):
        p = slot_of_state(MS, SL, SR, mask, stamp, SL[k], SR[k])
        if MS[p] >> 32 == stamp:
            j = MS[p] & 4294967295
            SC[j] = min(SC[j], SC[k])
        else:
            SL[to] = SL[k]
            SR[to] = SR[k]
            SC[to] = SC[k]
            MS[p] = (stamp << 32) | to
            to += 1
    return to


@apart
def expand(x, most, a, b, t, free, @):
    """Write from t on the states that a node makes of those from a to b; returns where they end, below 0 what stops."""
    if a == b or NEED[x] > most + TOLERANCE:
        return t
    st[WORK] += b - a
    if st[WORK] > st[MOST_WORK]:
        return -TOO_MANY
    if t + b - a > st[STATE_ROOM]:
        return -FULL
    left = most - COST[x]
    start = t
    if KIND[x] == 0:
        c = LOC[FIRST[x]] - 1
        right = RIGHT[FIRST[x]]
        for k in range(a, b):
            s = SR[k] if right else SL[k]
            z = longer(s, c, free, st, LG, RIGHT, REACH, FAR, INIT, CON, RANK, NEAR, WORD, HEAD, CHAIN, SK)
            if z < 0:
                return z
            if NEAR[z] >= 0:
                SL[t] = SL[k] if right else z
                SR[t] = z if right else SR[k]
                SC[t] = SC[k] + COST[x]
                t += 1
        return t
    if KIND[x] == 2:
        for k in range(FIRST[x], FIRST[x] + COUNT[x]):
            t = expand(CHILD[k], left, a, b, t, free, @)
            if t < 0:
                return t
        for k in range(start, t):
            SC[k] += COST[x]
        return merged(st, start, t, SL, SR, SC, MS)
    for k in range(FIRST[x], FIRST[x] + COUNT[x]):
        end = expand(CHILD[k], left, a, b, t, free, @)
        if end < 0:
            return end
        a = t
        b = end
        t = end
    for k in range(b - a):
        SL[start + k] = SL[a + k]
        SR[start + k] = SR[a + k]
        SC[start + k] = SC[a + k] + COST[x]
    return start + b - a


@apart
def expand_words(most, free, @):
    """Make the disjuncts of all words; returns how many, below 0 what stops."""
    n = st[WORDS]
    for s in range(1, 2 * n + 3):
        WORD[s] = (s - 1) >> 1
        NEAR[s] = WORD[s]
    st[SIDES] = 2 * n + 3
    made = 0
    for p in range(n):
        SA[p] = st[SIDES]
        DA[p] = made
        weigh(p, free, @)
        for e in range(EA[p], EA[p + 1]):
            st[ENTRY] = e
            st[WORK] = 0
            SL[0] = 2 * p + 1
            SR[0] = 2 * p + 2
            SC[0] = 0
            end = expand(EN[e], most, 0, 1, 1, free, @)
            if end < 0:
                return end
            end = merged(st, 1, end, SL, SR, SC, MS)
            if end - 1 > st[MOST_DISJUNCTS]:
                return -TOO_MANY
            for k in range(1, end):
                if RANK[SL[k]] or RANK[SR[k]]:
                    if made >= st[ROOM]:
                        return -FULL
                    DE[made] = e
                    DL[made] = SL[k]
                    DR[made] = SR[k]
                    DC[made] = SC[k]
                    DS[made] = 1
                    made += 1
    SA[n] = st[SIDES]
    DA[n] = made
    st[DISJUNCTS] = made
    return made
'''
