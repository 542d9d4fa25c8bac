"""What ordered kernels call: sums, what is full, and a set of the instances that one item's rules have found."""

from __future__ import annotations

__all__ = ["runtime_text"]

_HELPERS = """
def total(counts: "i64[]", size: "int") -> "int":
    x = 0
    for k in range(0, size):
        x += counts[k]
    return x


def full(at: "i64[]", ends: "i64[]", size: "int") -> "int":
    for k in range(0, size):
        if at[k] < ends[k]:
            return 0
    return 1


def fresh_pair(found: "i64[]", a: "int", b: "int", control: "i64[]") -> "int":
    # whether (a, b) is new among what was found since control[2] last changed; control[3] counts what was
    mask = control[4] - 1
    h = (a * 0x9E3779B97F4A7C1 + b * 0xC2B2AE3D27D4EB5) & 0x7FFFFFFFFFFFFFFF
    h = (h ^ (h >> 31)) & mask
    while found[h * WIDTH] == control[2]:
        if found[h * WIDTH + 1] == a and found[h * WIDTH + 2] == b:
            return 0
        h = (h + 1) & mask
    if control[3] * 2 > mask:
        control[0] = 3
        return 0
    found[h * WIDTH] = control[2]
    found[h * WIDTH + 1] = a
    found[h * WIDTH + 2] = b
    control[3] += 1
    return 1


def fresh(found: "i64[]", key: "i64[]", size: "int", control: "i64[]") -> "int":
    # as fresh_pair, for longer keys
    mask = control[4] - 1
    h = size
    for k in range(0, size):
        h = (h * 1000003 + key[k]) & 0x3FFFFFFFFFFFFFF
    h = (h ^ (h >> 29)) & mask
    while found[h * WIDTH] == control[2]:
        same = found[h * WIDTH + 1] == -size
        for k in range(0, size):
            same &= found[h * WIDTH + k + 2] == key[k]
        if same != 0:
            return 0
        h = (h + 1) & mask
    if control[3] * 2 > mask:
        control[0] = 3
        return 0
    found[h * WIDTH] = control[2]
    found[h * WIDTH + 1] = -size
    for k in range(0, size):
        found[h * WIDTH + k + 2] = key[k]
    control[3] += 1
    return 1
"""


def runtime_text(width: int) -> str:
    """Return the functions; an entry of the set has `width` numbers."""
    return _HELPERS.replace("WIDTH", str(width)).strip()
