"""Functions that agenda kernels call, as kernel text: lists in an arena, hash tables, instances met in a turn.

Item numbers count from 1 in kernels, so that 0 is nothing. The state of a run is one array of whole numbers,
`st`; the constants below are its places, and the values of STATUS with which a kernel returns. Kernel text uses their
names, and the names of arrays in `ARRAYS`, which describe their entries.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from schemata.grammars.relations import TABLES
from schemata.kernels.lists import list_text
from schemata.machine.text import FACTORS, hash_table, with_numbers, with_types
from schemata.thresholds import REFUSALS

AT = 0  # the item whose turn it is
ITEMS = 1  # items made
AGAIN = 2  # whether that item's turn was broken off
NEXT = 3  # plus 1, the item whose turn begins while counts are noted; else 0
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
ANSWERS = 15  # answers to queries (hashed storage)

# Sizes of arrays, in entries; of the table of instances met, in instances
(
    CASES,
    ITEM_ROOM,
    ARENA_ROOM,
    LIST_ROOM,
    LIST_SLOTS,
    TABLE_SLOTS,
    MET_SLOTS,
    WRITTEN_ROOM,
    RECORD_ROOM,
    ANSWER_SLOTS,
) = range(16, 26)
POOL = 26  # used part of the pool of answers
ASKED = 27  # the query that has no answer yet: its table, and what is bound; up to here there is room for 9 numbers

NODES = 40  # lists made
PAIRS = 41  # the same, as entries of their hash table
PAIR_SLOTS = 42
NODE_ROOM = 43
POOL_ROOM = 44
KEPT = 45  # part of the pool whose answers are kept from turn to turn
LOGGED = 46  # used part of the log
BEFORE = 47  # the same at the beginning of the turn
LOG_ROOM = 48
TOO_LARGE = 49  # whether a number was met that a table or a tuple in a list has no room for

EPOCH = 50  # what the tables of queries about this sentence alone are raised by
FAN = 51  # elements below this have a place for the lists that they make longer
MIXED = 52  # whether some item is predicted with different links

FREE = 53  # from here on: parts of the arena that lists have left, by width of entries and logarithm of their number
CLASSES = 32
MASK_SHIFT = 5
MASK_BITS = 32  # values of a ranged column that share an entry of the table of masks
SIZE = FREE + CLASSES * (
    type(REFUSALS).entry_values + 1
)  # not that of a while in which this module is imported

RUNS = 0
(
    ITEMS_FULL,
    ARENA_FULL,
    MET_FULL,
    WRITINGS_FULL,
    ENDLESS,
    TABLE_FULL,
    LISTS_FULL,
    RECORDS_FULL,
    UNKNOWN,
) = range(2, 11)
NODES_FULL, PAIRS_FULL, POOL_FULL, TOO_LONG, LOG_FULL, ANSWERS_FULL = range(12, 18)

ARRAYS: Mapping[str, str] = {
    "st": "i64[]",  # the state
    "CNT": "i64[]",  # step instances by case
    "CS": "i64[]",  # the same before this turn
    "F": "i32[]",  # columns of items
    "KI": "i32[]",  # kinds of items
    "TAB": "i32[]",  # items by place
    "HK": "i32[]",  # a hash table of them instead: kind, plus 1, columns of a writing, and the item
    "PL": "i64[]",  # quantities of the sentence: sizes, and where things begin
    "BN": "i64[]",  # binomial coefficients
    "LH": "i32[]",  # start and length of every join list
    "MK": "i64[]",  # which lists of a ranged index are not empty, a bit each
    "A": "i32[]",  # the entries of join lists
    "JK": "i32[]",  # join lists: index, plus 1, values, and the list's number from 1 on (hashed storage)
    "QK": "i32[]",  # answers to queries: table, plus 1, what is bound, and where they begin in the pool of rows
    "KW": "i64[]",  # keys and places of answers that are entered at once
    "RP": "i32[]",  # the pool: the number of rows, then the rows
    "LI": "i32[]",  # lists as terms: each without its last element
    "LE": "i64[]",  # that element
    "LN": "i32[]",  # their lengths
    "PK": "i32[]",  # lists by the shorter list, plus 1, and the element in two parts
    "CH": "i32[]",  # the same for small elements, by list and element
    "SE": "i64[]",  # elements of unpacked lists
    "SN": "i32[]",  # the lists of their first elements
    "LB": "i32[]",  # labels, connectors and disjuncts of the sentence (see `labels`)
    "FM": "u8[]",  # which items are final
    "K": "i32[]",
    "K2": "i32[]",
    **dict.fromkeys(TABLES, "u8[]"),  # relations of the grammar
    "MU": "u8[]",  # which items have several writings
    "WB": "i64[]",  # workspace for writings
    "WR": "i32[]",  # records of writings: item and columns
    "SH": "i64[]",  # hash table of instances met: the turn, and the number of the instance in it
    "SR": "i64[]",  # their words
    "LOG": "i32[]",  # rows of back-pointers
    "LF": "i32[]",  # by item an instance that predicts it (see `Layout.leaf_width`)
    "OFF": "i64[]",  # where each case's rows begin
}

FUNCTIONS = '''
@apart
def broken_off(st, CNT, CS, x, status):
    """Leave a turn: counts are as before it, what is filed stays filed."""
    for k in range(st[CASES]):
        CNT[k] = CS[k]
    st[LOGGED] = st[BEFORE]
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


@apart
def append(st, LH, A, k, w, y):
    """Make an entry in list k at its end; as `put`."""
    m = LH[2 * k + 1]
    start = LH[2 * k]
    if m & (m - 1) == 0 and m != 1:
        start = moved(st, LH, A, k, w)
        if start < 0:
            return -1
    A[start + m * w] = y
    LH[2 * k + 1] = m + 1
    return start + m * w


def put(st, LH, A, k, w, y):
    """Make an entry (y first, w numbers) in list k; returns its place, -1 where the arena is full.

    The last entry of a list stays where it is when a turn begins again: entries are made in increasing order.
    """
    m = LH[2 * k + 1]
    start = LH[2 * k]
    if st[AGAIN] and m > 0:
        if A[start + (m - 1) * w] >= y:
            return start + (m - 1) * w
    return append(st, LH, A, k, w, y)


def later(MK, first, q, last):
    """Return the first list from q on that has entries, of lists whose masks begin at `first`; above `last` if none."""
    while q <= last:
        bits = MK[first + (q >> MASK_SHIFT)] >> (q & (MASK_BITS - 1))
        if bits != 0:
            return q + lowest_bit(bits)
        q = ((q >> MASK_SHIFT) + 1) << MASK_SHIFT
    return q
'''


def fresh_text(words: int) -> str:
    """Return the text of `fresh`, which identifies an instance by so many machine words; its sums wrap."""
    names = [f"w{k}" for k in range(words)]
    mixed = [f"({name} * {FACTORS[k % 4]})" for k, name in enumerate(names)]
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


def _there(width: int) -> str:
    """Return the text of the function `there`; each entry of its table has `width` numbers."""
    names = "".join(f", v{k}" for k in range(1, width))
    same = "".join(f" and A[p + {k}] == v{k}" for k in range(1, width))
    return f'''
@apart
def there_{width}(LH, A, k, v0{names}):
    """Return 1 where an entry is made already: a turn that begins again finds those it made before it broke off."""
    p = LH[2 * k] + (LH[2 * k + 1] - 1) * {width}
    while p >= LH[2 * k] and A[p] == v0:
        if A[p] == v0{same}:
            return 1
        p -= {width}
    return 0
'''


def _hashed(words: Mapping[str, int], widths: Iterable[int], answers: str) -> str:
    """Return the functions of hashed storage, by the words of its keys."""
    lists = ", ".join(f"k{k}" for k in range(words["lists"]))
    asked = ", ".join(f"k{k}" for k in range(words["answers"]))
    noted = "".join(f"        st[ASKED + {k}] = k{k}\n" for k in range(words["answers"]))
    waiting = ", ".join(f"st[ASKED + {k}]" for k in range(words["answers"]))
    rows = ", ".join(f"KW[at + {k}]" for k in range(words["answers"] + 1))
    return f'''{"".join(hash_table(name, size, bounded=True) for name, size in words.items())}
{"".join(map(_there, widths))}

@apart
def new_list(st, JK, {lists}):
    """Return the number of the join list of a key, made where there is none; 0 where tables are full."""
    k = lists_at(JK, st[LIST_SLOTS], {lists})
    if k > 0:
        return k
    k = st[LISTS] + 1
    if 2 * (k + 1) > st[LIST_ROOM]:
        return 0
    if not lists_enter(st, JK, LISTS, LIST_SLOTS, {lists}, k):
        return 0
    return k


@apart
def asked(st, QK, {asked}):
    """Return where the answers to a query begin; 0 where they are not known, and notes what was asked."""
    p = answers_at(QK, st[ANSWER_SLOTS], {asked})
    if p == 0:
{noted}    return p


@apart
def answered(st, QK, place):
    """Note where the answers to the query begin that was asked last, and return it; below 0 what is full."""
    if not answers_enter(st, QK, ANSWERS, ANSWER_SLOTS, {waiting}, place):
        return -ANSWERS_FULL
    return place


def answered_all(st, QK, KW, k, count):
    """Enter keys and places of answers, the rows of KW from one on; returns the first for which there was no room."""
    while k < count:
        at = k * {words["answers"] + 1}
        if not answers_enter(st, QK, ANSWERS, ANSWER_SLOTS, {rows}):
            return k
        k += 1
    return k
{"".join(_asked(size, words["answers"]) for size in range(words["answers"]))}
{list_text() if "pairs" in words else ""}{answers}'''


def _asked(size: int, words: int) -> str:
    """Return the function that looks up a query with `size` bound places, in keys of `words` words."""
    names = "".join(f", k{k}" for k in range(1, size + 1))
    return f'''

def asked_{size}(st, QK, k0{names}):
    """Look up the answers to a query with so many bound places."""
    return asked(st, QK, k0{names}{", 0" * (words - 1 - size)})
'''


def finished(
    text: str, words: int, keys: Mapping[str, int], widths: Iterable[int] = (), answers: str = ""
) -> str:
    """Return kernel text with these functions before it, constants as numbers and parameters with their types.

    Parameters
    ----------
    text : the kernel's own functions.
    words : the words by which instances met in a turn are known.
    keys : the words of the keys of hash tables, by name; empty where storage is dense.
    widths : the numbers in entries of lists whose items may have several.
    answers : the functions that answer queries about lists.
    """
    whole = f"{FUNCTIONS}{_hashed(keys, widths, answers) if keys else ''}{fresh_text(words)}\n\n{text}"
    return with_types(with_numbers(whole, globals()), ARRAYS)
