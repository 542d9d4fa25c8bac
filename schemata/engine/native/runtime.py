"""What agenda kernels call, as kernel text: lists that grow in an arena, hash tables, instances met in a turn.

Item numbers count from 1 in kernels, so that 0 is nothing. The state of a run is one array of whole numbers,
`st`; the constants below are its places, and what a kernel returns with in STATUS. In kernel text they stand by
name, and arrays have the names of `ARRAYS`, which say what their entries are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["ARRAYS", "finished"]

AT = 0  # the item whose turn it is
ITEMS = 1  # items made
AGAIN = 2  # whether that item's turn was broken off
STEPS = 3  # step instances in finished turns
TOP = 4  # used part of the arena
LISTS = 5  # join lists in use (hashed storage)
GIVEN = 6  # hypotheses
STAMP = 7  # number of the turn, broken-off ones counted
MET = 8  # instances met in this turn
STATUS = 9
PLACES = 10  # used slots of the item table (hashed storage)
LAST = 11  # the last item that had its turn (when rows are written)
MADE = 12  # items made before the turn
WORK = 13  # units of work left in this slice
RECORDS = 14  # writings recorded

# Sizes of arrays, in entries; of the table of instances met, in instances
CASES, ITEM_ROOM, ARENA_ROOM, LIST_ROOM, LIST_SLOTS, TABLE_SLOTS, MET_SLOTS, WRITTEN_ROOM, RECORD_ROOM = (
    range(16, 25)
)

FREE = 32  # from here on: parts of the arena that lists have left, by width of entries and logarithm of their number
CLASSES = 32
SIZE = 160

RUNS = 0
ITEMS_FULL, ARENA_FULL, MET_FULL, WRITINGS_FULL, OUTSIDE, ENDLESS, TABLE_FULL, LISTS_FULL, RECORDS_FULL = (
    range(2, 11)
)

ARRAYS: Mapping[str, str] = {
    "st": "i64[]",  # the state
    "CNT": "i64[]",  # step instances by case
    "CS": "i64[]",  # the same before this turn
    "F": "i32[]",  # columns of items
    "KI": "i32[]",  # kinds of items
    "TAB": "i32[]",  # items by place, or by slot of a hash table
    "HK": "i64[]",  # the keys of that hash table, plus 1
    "PL": "i64[]",  # quantities of the sentence: sizes, and where things begin
    "BN": "i64[]",  # binomial coefficients
    "LH": "i32[]",  # start and length of every join list
    "MK": "i64[]",  # which lists of a ranged index are not empty, a bit each
    "A": "i32[]",  # the entries of join lists
    "JK": "i64[]",  # keys of join lists, plus 1 (hashed storage)
    "JV": "i32[]",  # their numbers
    "LIC": "u8[]",  # licences
    "CAT": "i32[]",  # categories of words
    "CLIC": "u8[]",  # licences between categories
    "MU": "u8[]",  # which items have several writings
    "WB": "i64[]",  # workspace for writings
    "WR": "i32[]",  # records of writings: item and columns
    "SH": "i64[]",  # hash table of instances met: the turn, and the number of the instance in it
    "SR": "i64[]",  # their words
    "LOG": "i32[]",  # rows of back-pointers
    "OFF": "i64[]",  # where each case's rows begin
}

FUNCTIONS = '''
@apart
def broken_off(st, CNT, CS, x, status):
    """Leave a turn: counts are as before it, what is filed stays filed."""
    for k in range(st[CASES]):
        CNT[k] = CS[k]
    st[AT] = x
    st[AGAIN] = 1
    st[STATUS] = status


@apart
def moved(st, LH, A, k, w):
    """Move list k to where it has room for twice as many entries; returns where, -1 where the arena is full."""
    m = LH[2 * k + 1]
    start = LH[2 * k]
    more = 2 * max(m, 1)
    free = FREE + CLASSES * w
    new = st[free + lowest_bit(more)] - 1
    if new >= 0:
        st[free + lowest_bit(more)] = A[new]
    else:
        new = st[TOP]
        if new + more * w > st[ARENA_ROOM]:
            return -1
        st[TOP] = new + more * w
    for p in range(m * w):
        A[new + p] = A[start + p]
    if m > 0:
        A[start] = st[free + lowest_bit(m)]
        st[free + lowest_bit(m)] = start + 1
    LH[2 * k] = new
    return new


def put(st, LH, A, k, w, y):
    """Make an entry (y first, w numbers) in list k; returns its place, -1 where the arena is full.

    The last entry of a list stays where it is when a turn begins again: entries are made in increasing order.
    """
    m = LH[2 * k + 1]
    start = LH[2 * k]
    if st[AGAIN] and m > 0:
        if A[start + (m - 1) * w] >= y:
            return start + (m - 1) * w
    if m & (m - 1) == 0 and m != 1:
        start = moved(st, LH, A, k, w)
        if start < 0:
            return -1
    LH[2 * k + 1] = m + 1
    A[start + m * w] = y
    return start + m * w


def slot_of(HK, slots, key):
    """Return the slot of a key (below 2 ** 60) in a hash table, or of the empty slot where it belongs."""
    h = (key ^ (key >> 29)) & 2147483647
    h = h * 2654435769
    p = (h ^ (h >> 31)) & (slots - 1)
    while HK[p] != 0 and HK[p] != key + 1:
        p = (p + 1) & (slots - 1)
    return p


def enter(st, HK, TAB, key, value):
    """Put an item into the hash table; 0 where it is too full."""
    p = slot_of(HK, st[TABLE_SLOTS], key)
    if HK[p] == 0:
        if 2 * (st[PLACES] + 1) > st[TABLE_SLOTS]:
            return 0
        HK[p] = key + 1
        st[PLACES] += 1
    TAB[p] = value
    return 1


def list_of(st, JK, JV, key):
    """Return the number of the join list of a key, -1 where there is none."""
    p = slot_of(JK, st[LIST_SLOTS], key)
    if JK[p] != 0:
        return JV[p]
    return -1


def new_list(st, JK, JV, key):
    """Return the number of the join list of a key, made where there is none; -1 where tables are full."""
    p = slot_of(JK, st[LIST_SLOTS], key)
    if JK[p] != 0:
        return JV[p]
    k = st[LISTS]
    if 2 * (k + 1) > st[LIST_ROOM] or 2 * (k + 1) > st[LIST_SLOTS]:
        return -1
    JK[p] = key + 1
    JV[p] = k
    st[LISTS] = k + 1
    return k


def later(MK, first, q, last):
    """Return the first list from q on that has entries, of lists whose masks begin at `first`; above `last` if none."""
    while q <= last:
        bits = MK[first + (q >> 5)] >> (q & 31)
        if bits != 0:
            return q + lowest_bit(bits)
        q = ((q >> 5) + 1) << 5
    return q


@apart
def rehash(HK, TAB, slots, JK, JV, more):
    """Copy a hash table of so many slots into a larger one, which is empty."""
    for p in range(slots):
        if HK[p] != 0:
            q = slot_of(JK, more, HK[p] - 1)
            JK[q] = HK[p]
            JV[q] = TAB[p]
'''

_FACTORS = 7046029254386353131, 2971215073987262029, 5871781006564002453, 3935559000370003845


def _fresh(words: int) -> str:
    """Return the text of `fresh`, which knows an instance by so many words; its sums wrap (see `machine`)."""
    names = [f"w{k}" for k in range(words)]
    mixed = [f"({name} * {_FACTORS[k % 4]})" for k, name in enumerate(names)]
    same = " and ".join(f"SR[at + {k}] == {name}" for k, name in enumerate(names))
    noted = "".join(f"    SR[at + {k}] = {name}\n" for k, name in enumerate(names))
    return f'''
@apart
def fresh(st, SH, SR, {", ".join(names)}):
    """Note an instance; returns 1 where it is new in this turn, 0 where it is not, -1 where there is no room."""
    m = st[MET]
    slots = st[MET_SLOTS]
    if 2 * (m + 1) > slots:
        return -1
    h = {" ^ ".join(mixed)}
    p = (h >> 40) & (slots - 1)
    stamp = st[STAMP]
    while SH[p] >> 24 == stamp:
        at = (SH[p] & 16777215) * {words}
        if {same}:
            return 0
        p = (p + 1) & (slots - 1)
    SH[p] = (stamp << 24) | m
    at = m * {words}
{noted}    st[MET] = m + 1
    return 1
'''


def finished(text: str, words: int, calls: bool) -> str:
    """Return kernel text with these functions before it, constants as numbers and parameters with their types.

    Instances met in a turn are known by so many words. In a kernel that calls, nothing is copied to where it is
    called for.
    """
    helpers = re.sub(r"(?m)^(@apart\n)?def ", "@apart\ndef ", FUNCTIONS) if calls else FUNCTIONS
    constants = {
        name: value for name, value in globals().items() if name.isupper() and isinstance(value, int)
    }
    whole = re.sub(
        r"\b[A-Z][A-Z_]*\b",
        lambda found: str(constants.get(found[0], found[0])),
        f"{helpers}{_fresh(words)}\n\n{text}",
    )
    return re.sub(r"(?m)^def (\w+)\((.*)\):$", _typed, whole)


def _typed(found: re.Match[str]) -> str:
    shown = [f'{name}: "{ARRAYS.get(name, "int")}"' for name in found[2].split(", ")]
    return f'def {found[1]}({", ".join(shown)}) -> "int":'
