"""What generated kernels call: lists that grow in an arena, hash tables, instances met in the current turn.

Item numbers count from 1 in kernels, so that 0 is nothing. The state of a run is one array of whole numbers;
the names of its places are below. The functions are written in the words of `machine`, and are
compiled together with each kernel.
"""
# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# ruff: noqa: N803 - tables have capital letters, numbers small ones

AT = 0  # the item whose turn it is
ITEMS = 1  # items made
FILED = 2  # entries of that item that are filed already (its turn was broken off)
STEPS = 3  # step instances in finished turns
TOP = 4  # used part of the arena
LISTS = 5  # join lists in use (hashed storage)
GIVEN = 6  # hypotheses
STAMP = 7  # number of the turn, broken-off ones counted
MET = 8  # instances met in this turn
STATUS = 9
PLACES = 10  # used slots of the item table (hashed storage)
LAST = 11  # the last item that had its turn (when rows are written)
FAULT = 13  # the line of an index out of bounds (checked kernels)
MADE = 12  # items made before the turn
SIZE = 16

# What a kernel returns with, in STATUS
RUNS = 0
ITEMS_FULL, ARENA_FULL, MET_FULL, WRITINGS_FULL, OUTSIDE, ENDLESS, TABLE_FULL, LISTS_FULL = range(2, 10)


def apart(function):
    """Mark a function that is not to be copied to where it is called."""
    return function


@apart
def broken_off(st, CNT, CS, x, filed, status):
    """Leave a turn: counts are as before it, what is filed stays filed."""
    for k in range(len(CNT)):
        CNT[k] = CS[k]
    st[0] = x
    st[2] = filed
    st[9] = status


def room(st, LH, A, k, w):
    """Return where the next entry (w numbers) of list k goes, -1 where the arena is full."""
    m = LH[2 * k + 1]
    start = LH[2 * k]
    if m == 0 or (m >= 2 and m & (m - 1) == 0):
        size = 2 * max(m, 1) * w
        top = st[4]
        if top + size > len(A):
            return -1
        for p in range(m * w):
            A[top + p] = A[start + p]
        st[4] = top + size
        LH[2 * k] = top
        start = top
    LH[2 * k + 1] = m + 1
    return start + m * w


def slot_of(HK, key):
    """Return the slot of a key in a hash table, or of the empty slot where it belongs. Keys are stored plus 1."""
    mask = len(HK) - 1
    h = key * -7046029254386353131
    p = (h ^ (h >> 32)) & mask
    while HK[p] != 0 and HK[p] != key + 1:
        p = (p + 1) & mask
    return p


def enter(st, HK, HV, key, value):
    """Put a value into a hash table; False where it is too full."""
    p = slot_of(HK, key)
    if HK[p] == 0:
        if 2 * (st[10] + 1) > len(HK):
            return False
        HK[p] = key + 1
        st[10] += 1
    HV[p] = value
    return True


def list_of(st, JK, JV, key):
    """Return the number of the join list of a key, -1 where there is none."""
    p = slot_of(JK, key)
    if JK[p] != 0:
        return JV[p]
    return -1


def new_list(st, JK, JV, LH, key):
    """Return the number of the join list of a key, made where there is none; -1 where tables are full."""
    p = slot_of(JK, key)
    if JK[p] != 0:
        return JV[p]
    k = st[5]
    if 2 * (k + 1) > len(LH) or 2 * (k + 1) > len(JK):
        return -1
    JK[p] = key + 1
    JV[p] = k
    st[5] = k + 1
    return k


def rehash(HK, HV, JK, JV):
    """Copy a hash table into a larger one, which is empty."""
    for p in range(len(HK)):
        if HK[p] != 0:
            q = slot_of(JK, HK[p] - 1)
            JK[q] = HK[p]
            JV[q] = HV[p]


def met(st, SH, SR, w):
    """Note the instance (w numbers) that stands in SR behind those of this turn.

    Returns 1 where it is new, 0 where it was met before, -1 where the table must grow first; there is always
    room for one more row.
    """
    m = st[8]
    if 2 * (m + 1) > len(SH) or (m + 2) * w > len(SR):
        return -1
    b = m * w
    h = 0
    for k in range(w):
        h = (h ^ SR[b + k]) * -7046029254386353131
        h ^= (h >> 29) & 34359738367
    mask = len(SH) - 1
    p = h & mask
    stamp = st[7] << 32
    while SH[p] & -4294967296 == stamp:
        r = (SH[p] & 4294967295) * w
        same = True
        for k in range(w):
            if SR[r + k] != SR[b + k]:
                same = False
                break
        if same:
            return 0
        p = (p + 1) & mask
    SH[p] = stamp | m
    st[8] = m + 1
    return 1
