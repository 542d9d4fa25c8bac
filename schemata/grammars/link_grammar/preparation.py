"""Preparation of a sentence: from the expressions of its words to the disjuncts that are in some linkage.

One kernel, over numbers, does all of it. CPython runs its text over lists; after many sentences LLVM compiles it. Its
stages:

*Expressions.* A connector to the right stays only where some later word, within reach, has a matching one to
the left, and the other way round. An ``&`` with a dead operand is dead, and so is an expression that costs too
much. Their connectors may have been the partners of others, so this is repeated until nothing changes.

*Expansion.* The connectors of one side of a disjunct link words ever farther away. So each has a nearest place, and
where these run out nothing is built. A side is a node of a trie: the side without its farthest connector, and that
connector. Each word has two tries of its own, so the number of a side tells its word and its direction as well.

*Power pruning* tests conditions on a link between the k-th connector of one word and the m-th of the other (both
counted from the nearest) if the words are d words apart:

- connectors match, and reach over d;
- the k - 1 and m - 1 nearer connectors link to the d - 1 words between. No two of these links cross, so that
  at most one of the words is linked from both sides: k + m - 2 <= d, and k = m = 1 between neighbours; and the
  nearest places that the connectors before these two can have do not lie the wrong way round;
- the words between are connected with the rest through the two words alone: if d > 1, one of the connectors
  is not the nearest, or is a multi-connector;
- neither word is nearer to the other than the nearest place of its connector.

Disjuncts with a connector without partner go, until nothing changes. No linkage is lost.

*Exact pruning* keeps only the disjuncts of linkages. A *region* lies between two words; it has the connectors
that the word on its left still has to link to the right inside of it, and those that the word on its right has
to link to the left. It can be *filled* if the words between can be linked so that both are used up and each of
these words is connected with one of the two. If there are such words, one of them is the farthest that the left
word links to; or the left word has nothing to link, and one is the farthest that the right word links to. This
word's disjunct splits the region in two. A table remembers which regions can be filled, from the whole sentence
inwards. A second pass over those that can collects the disjuncts that split them: these are the disjuncts of
the linkages.

References
----------
Sleator & Temperley 1991, sections 4 (the regions of their recursive algorithm) and 5 (pruning and power pruning).
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import find_spec
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

from schemata.errors import Diagnostic, GrammarError
from schemata.grammars.link_grammar.expressions import All, Expression, Single
from schemata.machine.compile import (
    dictionary_functions,
    functions_of,
    interpreted,
    is_compiled,
    machine_code,
)
from schemata.machine.text import FACTORS, hash_table, with_numbers, with_types
from schemata.structures.connectors import ANYWHERE, Connector, LengthLimits, connectors_match
from schemata.structures.linkages import Disjunct

EFFORT = 10_000_000  # questions whether a region can be filled: some seconds in Python
MOST = 1_000_000  # disjuncts of one expression

# Places of the state
(
    WORDS, CONNECTORS, ROOM, ROOTS, SIDES, SIDE_SLOTS, SIDES_USED, STATE_ROOM, STAMP, WORK, MOST_WORK,
    DISJUNCTS, PAIRS, PAIRS_USED, REGION_SLOTS, REGIONS_USED, LEFT, WAITING, ENTRY, MOST_DISJUNCTS, EXACT,
    SIZE,
) = range(22)  # fmt: skip

DEAD = 1 << 60  # a cost
TOLERANCE = 10  # millionths
FULL, TOO_MANY, SPENT = 1, 2, 3  # what a function returns, below 0
(FREE, LINKABLE, POWER, EXACTLY) = range(4)  # what is left out, more and more

_DICTIONARY = {
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
_SENTENCE = {
    "OA": "i32[]",  # where the nodes of each word begin in ON, operands first
    "ON": "i32[]",
    "EA": "i32[]",  # where its entries begin in EN
    "EN": "i32[]",
}
_WORKSPACE = {
    "NEED": "i64[]",  # of nodes: the least number for the cut-off
    "LIMIT": "i64[]",  # the greatest that is handed down
    "LOC": "i32[]",  # of connectors: their number in the sentence, from 1 on
    "LG": "i32[]",  # of connectors of the sentence: their number in the dictionary
    "LA": "i32[]",  # where their partners begin in LP
    "LP": "i32[]",
    "HERE": "u8[]",  # by word and connector: whether it is alive
    "FAR": "i32[]",  # by word and connector: how far its partners there reach
    "HEAD": "i32[]",  # by word and connector: the last side whose farthest connector it is
    "CHAIN": "i32[]",  # of sides: the side before of the same word and connector
    "INIT": "i32[]",  # the side without its farthest connector
    "CON": "i32[]",  # that connector
    "RANK": "i32[]",  # the number of connectors
    "NEAR": "i32[]",  # the nearest place of the farthest one; -1 if it has none
    "WORD": "i32[]",
    "USED": "i32[]",  # whether a disjunct that is left has the side; then the first pair of the side
    "SA": "i32[]",  # where the sides of each word begin
    "DA": "i32[]",  # and its disjuncts
    "SK": "i32[]",  # keys and values of hash tables: sides, pairs, regions
    "SV": "i32[]",
    "PK": "i32[]",
    "PV": "i32[]",
    "RK": "i32[]",
    "RV": "i32[]",
    "SL": "i32[]",  # states of the expansion: left side, right side, cost
    "SR": "i32[]",
    "SC": "i64[]",
    "MS": "i64[]",  # hash table of the states of one node: its stamp, and the state
    "DE": "i32[]",  # disjuncts: entry, sides, cost, whether they are left, pair of sides
    "DL": "i32[]",
    "DR": "i32[]",
    "DC": "i64[]",
    "DS": "u8[]",
    "DP": "i32[]",
    "QL": "i32[]",  # pairs: sides, the next pair with the same one, whether they are in a linkage
    "QR": "i32[]",
    "NL": "i32[]",
    "NR": "i32[]",
    "QS": "u8[]",
    "VR": "i32[]",  # regions that are part of a linkage
    "VL": "i32[]",
}
_ARRAYS = {"st": "i64[]", **_DICTIONARY, **_SENTENCE, **_WORKSPACE}

_TEXT = f'''
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
    """Number the connectors of the sentence, and list the partners of each."""
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
    return many


def tell_partners(st, p, ON, OA, KIND, FIRST, LOC, LG, LA, LP, REACH, HERE, FAR):
    """Note how far the connectors of a word reach that each connector may be linked to there."""
    many = st[CONNECTORS]
    for c in range(p * many, (p + 1) * many):
        FAR[c] = 0
    for k in range(OA[p], OA[p + 1]):
        if KIND[ON[k]] == 0:
            c = LOC[FIRST[ON[k]]] - 1
            if HERE[p * many + c] == 1:
                HERE[p * many + c] = 2
                reach = REACH[LG[c]]
                for e in range(LA[c], LA[c + 1]):
                    FAR[p * many + LP[e]] = max(FAR[p * many + LP[e]], reach)
    return 0


def weigh(p, free, @):
    """Work out the least number for the cut-off of a word's nodes; those of connectors without partner are dead."""
    for k in range(OA[p], OA[p + 1]):
        x = ON[k]
        if KIND[x] == 0:
            c = LOC[FIRST[x]] - 1
            NEED[x] = COST[x] if free or beyond(st, p, c, p, LG, RIGHT, REACH, FAR) >= 0 else DEAD
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
    for k in range(EA[p], EA[p + 1]):
        LIMIT[EN[k]] = most
    k = OA[p + 1] - 1
    while k >= OA[p]:
        x = ON[k]
        if NEED[x] <= LIMIT[x] + TOLERANCE:
            if KIND[x] == 0:
                HERE[p * many + LOC[FIRST[x]] - 1] = 3
            else:
                left = LIMIT[x] - COST[x]
                for c in range(FIRST[x], FIRST[x] + COUNT[x]):
                    LIMIT[CHILD[c]] = max(LIMIT[CHILD[c]], left)
        k -= 1
    gone = 0
    for k in range(OA[p], OA[p + 1]):
        if KIND[ON[k]] == 0:
            c = p * many + LOC[FIRST[ON[k]]] - 1
            if HERE[c] == 2:
                gone += 1
            HERE[c] = HERE[c] == 3 or HERE[c] == 1
    return gone


@apart
def prune_expressions(most, @):
    """Prune expressions; returns 0 if some word is left without any."""
    n = st[WORDS]
    many = st[CONNECTORS]
    for p in range(n):
        for k in range(OA[p], OA[p + 1]):
            if KIND[ON[k]] == 0:
                HERE[p * many + LOC[FIRST[ON[k]]] - 1] = 1
        tell_partners(st, p, ON, OA, KIND, FIRST, LOC, LG, LA, LP, REACH, HERE, FAR)
    again = 1
    while again:
        again = 0
        for p in range(n):
            gone = shrink(p, most, @)
            if gone:
                again = 1
            tell_partners(st, p, ON, OA, KIND, FIRST, LOC, LG, LA, LP, REACH, HERE, FAR)
    whole = 1
    for p in range(n):
        weigh(p, 0, @)
        least = DEAD
        for k in range(EA[p], EA[p + 1]):
            least = min(least, NEED[EN[k]])
        DA[p] = least <= most + TOLERANCE
        whole = whole and DA[p]
    return whole


@apart
def longer(s, c, free, st, LG, RIGHT, REACH, FAR, INIT, CON, RANK, NEAR, WORD, HEAD, CHAIN, SK, SV):
    """Return a side with one more connector; below 0 what is full."""
    z = sides_at(SK, SV, st[SIDE_SLOTS], s, c)
    if z:
        return z
    z = st[SIDES]
    if z >= st[ROOM] or not sides_enter(st, SK, SV, SIDES_USED, SIDE_SLOTS, s, c, z):
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
            z = longer(s, c, free, st, LG, RIGHT, REACH, FAR, INIT, CON, RANK, NEAR, WORD, HEAD, CHAIN, SK, SV)
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


@apart
def nearest(s, @):
    """Return the nearest place of a side's farthest connector, by what the words there have; -1 if there is none."""
    p = WORD[s]
    c = CON[s]
    step = 1 if RIGHT[LG[c]] else -1
    before = NEAR[INIT[s]]
    q = NEAR[s]
    if before < 0:
        return -1
    if (q - before) * step <= 0:
        q = beyond(st, p, c, before, LG, RIGHT, REACH, FAR)
    while q >= 0:
        far = (q - p) * step
        for e in range(LA[c], LA[c + 1]):
            t = HEAD[q * st[CONNECTORS] + LP[e]]
            if REACH[LG[LP[e]]] < far:
                t = 0
            while t:
                fits = NEAR[t] >= 0 and RANK[s] + RANK[t] - 2 <= far
                fits = fits and (NEAR[t] - p) * step >= 0 and (NEAR[INIT[t]] - before) * step >= 0
                if fits and far == 1:
                    fits = RANK[s] == 1 and RANK[t] == 1
                elif fits:
                    fits = RANK[s] > 1 or RANK[t] > 1 or MULTI[LG[c]] or MULTI[LG[LP[e]]]
                if fits:
                    return q
                t = CHAIN[t]
        q = beyond(st, p, c, q, LG, RIGHT, REACH, FAR)
    return -1


@apart
def shrink_word(p, @):
    """Prune the disjuncts of a word by the places of connectors; returns whether it changed, -1 if none is left."""
    new = 0
    for s in range(SA[p], SA[p + 1]):
        USED[s] = 0
        if NEAR[s] >= 0:
            q = nearest(s, @)
            if q != NEAR[s]:
                NEAR[s] = q
                new = 1
    left = 0
    for d in range(DA[p], DA[p + 1]):
        if DS[d] and (NEAR[DL[d]] < 0 or NEAR[DR[d]] < 0):
            DS[d] = 0
        if DS[d]:
            left += 1
            USED[DL[d]] = 1
            USED[DR[d]] = 1
    s = SA[p + 1] - 1
    while s >= SA[p]:
        if USED[s]:
            USED[INIT[s]] = 1
        elif NEAR[s] >= 0:
            NEAR[s] = -1
            new = 1
        s -= 1
    return new if left else -1


@apart
def prune_power(@):
    """Do so for all words until nothing is new; returns 0 if some word is left without disjuncts."""
    n = st[WORDS]
    again = 1
    while again:
        again = 0
        for k in range(2 * n - 1):
            new = shrink_word(k if k < n else 2 * n - 2 - k, @)
            if new < 0:
                return 0
            again = again or new
    return 1


def link(st, a, b, far, LG, LA, LP, REACH):
    """Return whether two connectors match and reach so far."""
    if far <= REACH[LG[a]] and far <= REACH[LG[b]]:
        for e in range(LA[a], LA[a + 1]):
            if LP[e] == b:
                return 1
    return 0


def reach_region(st, r, l, WORD, RK, RV, VR, VL):
    """Note a region that is part of a linkage."""
    if WORD[l] > WORD[r] + 1 and regions_at(RK, RV, st[REGION_SLOTS], r, l) < 3:
        regions_enter(st, RK, RV, REGIONS_USED, REGION_SLOTS, r, l, 3)
        VR[st[WAITING]] = r
        VL[st[WAITING]] = l
        st[WAITING] += 1
    return 0


@apart
def fill(r, l, mark, @):
    """Return whether a region can be filled; with `mark` it can, and what its ways are made of is noted.

    The left word links to the word that splits the region, and the right word may do so as well; or the left word has
    nothing to link, and the right word alone links to it.
    """
    low = WORD[r]
    high = WORD[l]
    if not mark:
        st[LEFT] -= 1
        if st[LEFT] < 0:
            return -SPENT
        if high == low + 1:
            return RANK[r] == 0 and RANK[l] == 0
        if RANK[r] == 0 and RANK[l] == 0:
            return 0
        if (RANK[r] and NEAR[r] >= high) or (RANK[l] and NEAR[l] <= low) or NEAR[r] > NEAR[l]:
            return 0
        value = regions_at(RK, RV, st[REGION_SLOTS], r, l)
        if value:
            return value - 1
    by_right = RANK[r] > 0
    outer = r if by_right else l
    c = CON[outer]
    for w in range(low + 1, high):
        far = w - low if by_right else high - w
        for e in range(LA[c], LA[c + 1]):
            s = HEAD[w * st[CONNECTORS] + LP[e]]
            if far > REACH[LG[c]] or far > REACH[LG[LP[e]]]:
                s = 0
            while s:
                for stay in range(4 if NEAR[s] >= 0 and USED[s] else 0):
                    if (stay & 1 and not MULTI[LG[c]]) or (stay & 2 and not MULTI[LG[LP[e]]]):
                        continue
                    a = outer if stay & 1 else INIT[outer]
                    b = s if stay & 2 else INIT[s]
                    r1 = a if by_right else b
                    l1 = b if by_right else a
                    v = fill(r1, l1, 0, @)
                    if v < 0:
                        return v
                    ways = 0
                    j = USED[s] if v else 0
                    while j:
                        side = QR[j] if by_right else QL[j]
                        r2 = side if by_right else r
                        l2 = l if by_right else side
                        here = fill(r2, l2, 0, @)
                        if here < 0:
                            return here
                        if here and mark:
                            reach_region(st, r2, l2, WORD, RK, RV, VR, VL)
                        both = by_right and RANK[side] and RANK[l]
                        if both and link(st, CON[side], CON[l], high - w, LG, LA, LP, REACH):
                            for more in range(4):
                                if (more & 1 and not MULTI[LG[CON[side]]]) or (more & 2 and not MULTI[LG[CON[l]]]):
                                    continue
                                r2 = side if more & 1 else INIT[side]
                                l2 = l if more & 2 else INIT[l]
                                v = fill(r2, l2, 0, @)
                                if v < 0:
                                    return v
                                here = here or v
                                if v and mark:
                                    reach_region(st, r2, l2, WORD, RK, RV, VR, VL)
                        if here and not mark:
                            return 1 if regions_enter(st, RK, RV, REGIONS_USED, REGION_SLOTS, r, l, 2) else -FULL
                        if here:
                            ways = 1
                            QS[j] = 1
                        j = NL[j] if by_right else NR[j]
                    if ways and mark:
                        reach_region(st, r1, l1, WORD, RK, RV, VR, VL)
                s = CHAIN[s]
    if not mark and not regions_enter(st, RK, RV, REGIONS_USED, REGION_SLOTS, r, l, 1):
        return -FULL
    return 0


@apart
def prune_exactly(@):
    """Leave the disjuncts that are in some linkage; below 0 what stops."""
    n = st[WORDS]
    for s in range(st[SIDES]):
        USED[s] = 0
    for d in range(st[DISJUNCTS]):
        if DS[d]:
            left = DL[d]
            right = DR[d]
            j = pairs_at(PK, PV, st[SIDE_SLOTS], left, right)
            if j == 0:
                j = st[PAIRS] + 1
                if not pairs_enter(st, PK, PV, PAIRS_USED, SIDE_SLOTS, left, right, j):
                    return -FULL
                st[PAIRS] = j
                QL[j] = left
                QR[j] = right
                NL[j] = USED[left]
                NR[j] = USED[right]
                USED[left] = j
                USED[right] = j
            DP[d] = j
    st[WAITING] = 0
    j = USED[1]
    while j:
        v = fill(QR[j], 2 * n + 1, 0, @)
        if v < 0:
            return v
        if v:
            QS[j] = 1
            reach_region(st, QR[j], 2 * n + 1, WORD, RK, RV, VR, VL)
        j = NL[j]
    k = 0
    while k < st[WAITING]:
        v = fill(VR[k], VL[k], 1, @)
        if v < 0:
            return v
        k += 1
    for d in range(st[DISJUNCTS]):
        DS[d] = DS[d] and QS[DP[d]]
    return 1


@apart
def prepare(stage, most, @):
    """Prepare a sentence with numbered connectors; returns 1 if it may have linkages, 0 if not, below 0 what stops."""
    if stage != FREE:
        if not prune_expressions(most, @) or stage == LINKABLE:
            return 0
    v = expand_words(most, stage == FREE, @)
    if v < 0 or stage == FREE:
        return v
    for p in range(st[WORDS]):
        if DA[p] == DA[p + 1]:
            return 0
    if not prune_power(@):
        return 0
    if stage == EXACTLY:
        v = prune_exactly(@)
        if v == -SPENT:
            return 1
        st[EXACT] = 1
        return v
    return 1
'''


def _kernel_text() -> str:
    arrays = ", ".join(_ARRAYS)
    text = with_numbers(_TEXT.replace("@apart", "%apart").replace("@", arrays), globals()).replace(
        "%apart", "@apart"
    )
    return with_types(text, {**_ARRAYS, "K": "i32[]", "V": "i32[]", "K2": "i32[]", "V2": "i32[]"})


_ENTRIES = ("number_connectors", "prepare")
# Seconds spent in Python after which machine code is worth its start: where it is on disk, and where it must be made
_NEAR, _FAR = 0.4, 2.0
_ROOM = 1 << 8  # sides of a word at first
_KEPT = 1 << 15  # words whose nodes are kept in order


class _Functions:
    """The kernel's functions: in Python first, compiled once that is worth it."""

    def __init__(self) -> None:
        self.text = _kernel_text()
        self.seconds = 0.0
        self.native: Mapping[str, Any] = {}
        self._code = interpreted(self.text)
        self._next = _NEAR if find_spec("llvmlite") else float("inf")

    def get(self) -> Mapping[str, Any]:
        """Return the functions for one sentence."""
        if not self.native and self.seconds > self._next:
            self._next = _FAR
            if self.seconds > _FAR or is_compiled(self.text, _ENTRIES):
                self.native = machine_code(self.text, _ENTRIES)
        if self.native:
            return self.native
        space = functions_of(self._code)
        for name in ("sides", "pairs", "regions"):
            space |= dictionary_functions(name, {})
        return space


_functions: list[_Functions] = []


Entries: TypeAlias = list[tuple[str, Expression]]
"""The entries of a word: names, with the subscript, and expressions."""


class Prepared(NamedTuple):
    """The disjuncts of the words of a sentence, in order; whether none is left that is in no linkage."""

    disjuncts: tuple[tuple[Disjunct, ...], ...]
    exact: bool


class Preparation:
    """The expressions and connectors of a dictionary by number, as far as sentences have needed them.

    Parameters
    ----------
    limits : how far connectors reach.
    cutoff : disjuncts that cost more are left out.
    """

    def __init__(self, limits: LengthLimits, cutoff: float) -> None:
        self._limits, self._most = limits, round(min(cutoff, 1e9) * 1e6)
        self._arrays = {name: array(_TYPECODES[kind]) for name, kind in _DICTIONARY.items()}
        self._nodes: dict[int, tuple[Expression, int]] = {}  # by identity of the expression, which is kept
        self._connectors: dict[Connector, int] = {}
        self._by_base: dict[tuple[str, bool], list[Connector]] = {}
        self._orders: dict[tuple[int, ...], array[int]] = {}
        for name in ("TO", "MORE"):
            self._arrays[name].append(0)

    def disjuncts(
        self, words: Sequence[Entries], stage: int = EXACTLY, effort: int | None = None
    ) -> Prepared:
        """Return the disjuncts of the words of a sentence, each entry's in order.

        Parameters
        ----------
        words : for each position the entries of its word: names and expressions.
        stage : what is left out: nothing (`FREE`), what the conditions above keep out of any linkage (`POWER`), or
            all that is in no linkage (`EXACTLY`), unless that takes too long.
        effort : how many questions whether a region can be filled may be asked, ten millions if None.

        Raises
        ------
        GrammarError : an entry has more than a million.
        """
        entries = [sorted(word, key=lambda entry: entry[0]) for word in words]
        value, a = self._run(entries, stage, EFFORT if effort is None else effort)
        if value == -TOO_MANY:
            names = [name for word in entries for name, _ in word]
            message = f'the entry "{names[a["st"][ENTRY]]}" has more than a million disjuncts'
            hint = "a lower cut-off, or fewer optional connectors"
            raise GrammarError(Diagnostic("too-many-disjuncts", message, hint=hint))
        if value == 0:
            return Prepared(((),) * len(words), True)
        return Prepared(self._decoded(entries, a), stage == FREE or bool(a["st"][EXACT]))

    def linkable_words(self, words: Sequence[Entries]) -> list[bool]:
        """Return which words of a sentence have connectors that the others can match, whatever the distance."""
        _, a = self._run(words, LINKABLE, 0)
        return [bool(a["DA"][at]) for at in range(len(words))]

    def _run(self, words: Sequence[Entries], stage: int, effort: int) -> tuple[int, Mapping[str, Any]]:
        """Call the kernel, with more room as long as it needs more; returns what it does, and its arrays."""
        if not _functions:
            _functions.append(_Functions())
        kernel = _functions[0]
        roots = [[self._node(expression) for _, expression in word] for word in words]
        orders = [self._order(tuple(of_word)) for of_word in roots]
        a: dict[str, Any] = {**self._arrays, **_joined("OA", "ON", orders), **_joined("EA", "EN", roots)}
        started = time.perf_counter()
        room, value = _ROOM * len(words), -FULL
        while value == -FULL:
            functions = kernel.get()  # with empty tables
            new = _arrays if kernel.native else _lists
            a |= self._workspace(len(words), room, new, len(a["ON"]))
            a["st"][MOST_DISJUNCTS], a["st"][MOST_WORK], a["st"][LEFT] = MOST, 4 * MOST, effort
            if stage == LINKABLE:
                a["REACH"] = array("i", [ANYWHERE]) * len(a["REACH"])
            at = {name: _address(x) for name, x in a.items()} if kernel.native else a
            value = _call(functions["number_connectors"], at)
            if value >= 0:
                a |= new(dict.fromkeys(("HERE", "FAR", "HEAD"), len(words) * value))
                at |= {
                    name: _address(a[name]) if kernel.native else a[name] for name in ("HERE", "FAR", "HEAD")
                }
                value = _call(functions["prepare"], at, stage, self._most)
            room *= 4
        if not kernel.native:
            kernel.seconds += time.perf_counter() - started
        return value, a

    def _workspace(
        self, words: int, room: int, new: Callable[[Mapping[str, int]], dict[str, Any]], order: int
    ) -> dict[str, Any]:
        """Return the arrays of a run but those by word and connector."""
        room = 1 << (max(room, 4 * words) - 1).bit_length()  # slots of hash tables are powers of two
        sizes = dict.fromkeys(_WORKSPACE, room)
        sizes |= dict.fromkeys(("NEED", "LIMIT"), len(self._arrays["KIND"]))
        sizes |= {"LOC": len(self._connectors), "LG": order, "LA": order + 1, "LP": 16 * room, "MS": 4 * room}
        sizes |= dict.fromkeys(("SL", "SR", "SC", "SV", "PV"), 2 * room) | dict.fromkeys(
            ("SK", "PK"), 4 * room
        )
        sizes |= {"RK": 16 * room, "RV": 8 * room, "VR": 4 * room, "VL": 4 * room}
        sizes |= {"st": SIZE, "HERE": 1, "FAR": 1, "HEAD": 1}
        arrays = new(sizes)
        state = arrays["st"]
        state[WORDS], state[ROOM], state[STATE_ROOM] = words, room, 2 * room
        state[SIDE_SLOTS], state[REGION_SLOTS] = 2 * room, 8 * room
        return arrays

    def _decoded(self, words: Sequence[Entries], a: Mapping[str, Any]) -> tuple[tuple[Disjunct, ...], ...]:
        """Return the disjuncts that are left."""
        entries = [(at, name) for at, word in enumerate(words) for name, _ in word]
        here, everywhere = _plain(a["LG"][: a["st"][CONNECTORS]]), list(self._connectors)
        connectors = [everywhere[number] for number in here]
        shorter, farthest, ranks = (_plain(a[x][: a["st"][SIDES]]) for x in ("INIT", "CON", "RANK"))
        known: dict[int, tuple[tuple[Connector, ...], tuple[_Key, ...]]] = {}

        def side(number: int) -> tuple[tuple[Connector, ...], tuple[_Key, ...]]:
            """Return the connectors of a side, nearest first, and what they are sorted by."""
            if number not in known:
                here, row = number, list[Connector]()
                while ranks[here]:
                    row.append(connectors[farthest[here]])
                    here = shorter[here]
                row.reverse()
                known[number] = tuple(row), tuple([(c.name, c.right, c.multi, c.head) for c in row])
            return known[number]

        count = a["st"][DISJUNCTS]
        columns = (_plain(a[name][:count]) for name in ("DS", "DE", "DL", "DR", "DC"))
        rows = [
            (entry, *(part for pair in zip(side(left), side(right), strict=True) for part in pair), cost)
            for is_left, entry, left, right, cost in zip(*columns, strict=True)
            if is_left
        ]
        disjuncts: list[list[Disjunct]] = [[] for _ in words]
        for entry, left, right, _, _, cost in sorted(rows, key=itemgetter(0, 3, 4)):
            at, name = entries[entry]
            disjuncts[at].append(Disjunct(name, left, right, round(cost / 1e6, 6) + 0.0))
        return tuple(map(tuple, disjuncts))

    # numbers

    def _node(self, expression: Expression) -> int:
        """Return the number of an expression."""
        known = self._nodes.get(id(expression))
        if known is not None:
            return known[1]
        a = self._arrays
        if isinstance(expression, Single):
            kind, first, count = 0, self._connector(expression.connector), 1
        else:
            operands = [self._node(operand) for operand in expression.operands]
            kind, first, count = 2 - isinstance(expression, All), len(a["CHILD"]), len(operands)
            a["CHILD"].extend(operands)
        number = len(a["KIND"])
        row = (kind, round(expression.cost * 1e6), first, count)
        for name, value in zip(("KIND", "COST", "FIRST", "COUNT"), row, strict=True):
            a[name].append(value)
        self._nodes[id(expression)] = expression, number
        return number

    def _connector(self, connector: Connector) -> int:
        """Return the number of a connector."""
        number = self._connectors.get(connector)
        if number is not None:
            return number
        a = self._arrays
        number = self._connectors[connector] = len(self._connectors)
        reach = self._limits.reach(connector)
        row = (connector.right, connector.multi, ANYWHERE if reach is None else reach, 0)
        for name, value in zip(("RIGHT", "MULTI", "REACH", "EDGE"), row, strict=True):
            a[name].append(value)
        for other in self._by_base.get((connector.base, not connector.right), ()):
            if connectors_match(connector, other):
                partner = self._connectors[other]
                for one, to in ((number, partner), (partner, number)):
                    a["MORE"].append(a["EDGE"][one])
                    a["EDGE"][one] = len(a["TO"])
                    a["TO"].append(to)
        self._by_base.setdefault((connector.base, connector.right), []).append(connector)
        return number

    def _order(self, roots: tuple[int, ...]) -> array[int]:
        """Return the nodes below some nodes and these themselves, operands first."""
        order = self._orders.get(roots)
        if order is None:
            kind, first, count, child = (self._arrays[name] for name in ("KIND", "FIRST", "COUNT", "CHILD"))
            seen: dict[int, None] = {}

            def visit(node: int) -> None:
                if node not in seen:
                    for k in range(first[node], first[node] + count[node]) if kind[node] else ():
                        visit(child[k])
                    seen[node] = None

            for root in roots:
                visit(root)
            if len(self._orders) >= _KEPT:
                self._orders.clear()
            order = self._orders[roots] = array("i", seen)
        return order


_Key = tuple[str, bool, bool, str]
_TYPECODES = {"u8[]": "B", "i32[]": "i", "i64[]": "q"}


def _lists(sizes: Mapping[str, int]) -> dict[str, Any]:
    return {name: [0] * (size + 1) for name, size in sizes.items()}


def _arrays(sizes: Mapping[str, int]) -> dict[str, Any]:
    """Return arrays of these sizes, in one piece of memory."""
    import numpy as np

    kinds: dict[str, Any] = {"u8[]": np.dtype("u1"), "i32[]": np.dtype("i4"), "i64[]": np.dtype("i8")}
    whole = [(name, kinds[_ARRAYS[name]], size + 8 & -8) for name, size in sizes.items()]
    memory = np.zeros(sum(kind.itemsize * size for _, kind, size in whole), np.uint8)
    arrays, at = {}, 0
    for name, kind, size in whole:
        arrays[name] = memory[at : (at := at + kind.itemsize * size)].view(kind)
    return arrays


def _address(values: Any) -> int:
    return int(values.buffer_info()[0] if isinstance(values, array) else values.ctypes.data)


def _plain(values: Any) -> Any:
    return values.tolist() if hasattr(values, "tolist") else values


def _joined(begins: str, values: str, rows: Iterable[Sequence[int]]) -> dict[str, array[int]]:
    """Return rows as two arrays: where they begin, and the rows one after the other."""
    where, joined = array("i", [0]), array("i")
    for row in rows:
        joined.extend(row)
        where.append(len(joined))
    return {begins: where, values: joined}


def _call(function: Any, a: Mapping[str, Any], *numbers: int) -> int:
    called = getattr(function, "at_addresses", function)
    return int(called(*numbers, *[a[name] for name in _ARRAYS]))
