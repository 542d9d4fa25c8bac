"""Pruning: kernel text that leaves of a sentence's disjuncts those that are in some linkage, and the whole kernel.

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

import re
from functools import cache

from schemata.grammars.link_grammar import expressions
from schemata.machine.text import with_numbers, with_types

FREE, LINKABLE, POWER, EXACTLY = range(4)
"""Stages of pruning, which leave out more and more."""


@cache
def kernel_text() -> str:
    """Return the text of the kernel; for each sentence `prepare` is called, with the arrays of `expressions`."""
    arrays = expressions.ARRAYS
    text = re.sub("@(?!apart)", ", ".join(arrays), expressions.TEXT + _TEXT)
    text = with_numbers(text, vars(expressions) | globals())
    return with_types(text, {**arrays, "K": "i32[]", "V": "i32[]", "K2": "i32[]", "V2": "i32[]"})


_TEXT = '''
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


def reach_region(st, r, l, WORD, RK, VR, VL):
    """Note a region that is part of a linkage."""
    if WORD[l] > WORD[r] + 1 and regions_at(RK, st[REGION_SLOTS], r, l) < 3:
        regions_enter(st, RK, REGIONS_USED, REGION_SLOTS, r, l, 3)
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
        value = regions_at(RK, st[REGION_SLOTS], r, l)
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
                            reach_region(st, r2, l2, WORD, RK, VR, VL)
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
                                    reach_region(st, r2, l2, WORD, RK, VR, VL)
                        if here and not mark:
                            return 1 if regions_enter(st, RK, REGIONS_USED, REGION_SLOTS, r, l, 2) else -FULL
                        if here:
                            ways = 1
                            QS[j] = 1
                        j = NL[j] if by_right else NR[j]
                    if ways and mark:
                        reach_region(st, r1, l1, WORD, RK, VR, VL)
                s = CHAIN[s]
    if not mark and not regions_enter(st, RK, REGIONS_USED, REGION_SLOTS, r, l, 1):
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
            j = pairs_at(PK, st[SIDE_SLOTS], left, right)
            if j == 0:
                j = st[PAIRS] + 1
                if not pairs_enter(st, PK, PAIRS_USED, SIDE_SLOTS, left, right, j):
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
            reach_region(st, QR[j], 2 * n + 1, WORD, RK, VR, VL)
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
    """Prepare a sentence; returns 1 if it may have linkages, 0 if not, below 0 what stops."""
    v = number_connectors(@)
    if v < 0:
        return v
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
