"""Schemata over intervals, drawn at random."""

from __future__ import annotations

import random

STARTS = ["false, false", "false, false", "true, false", "false, true"]
CONDITIONS = [
    "",
    "",
    "",
    "",
    "",
    "",
    "i != j",
    "j != k",
    "i < j",
    "j < k",
    "i < k",
    "k - i != 3",
    "k - i != 5",
    "i + 1 < k",
    "j + 1 == k",
    "i + 1 == j",
]
HEADS = ["attach j to i", "attach j to k", "attach i to k", "attach k to i", "attach i to j", "attach k to j"]


def _flags(rng: random.Random, names: str) -> str:
    return ", ".join(rng.choice(["false", "_", "_", "_", *names]) for _ in range(2))


def _below(rng: random.Random, bound: list[str]) -> str:
    return ", ".join(rng.choice(["false", "false", "true", *bound, *bound]) for _ in range(2))


def random_intervals(seed: int) -> str:
    """Return the text of a schema over spans with two flags, like those of Eisner or of Yamada and Matsumoto."""
    rng = random.Random(seed)
    last = rng.choice(["n", "n + 1"])
    lines = [
        f"schema random-{seed}",
        "  grammar d-rules",
        f"hypothesis word[i]  where 0 <= i <= {last}",
        f"item span[i: position, j: position, b: flag, c: flag]  where 0 <= i <= j <= {last}",
        "step Start\n  word[i]   word[i + 1]\n  ----------",
        "  span[i, i + 1, false, false]",
    ]
    like_eisner = rng.random() < 0.6
    if like_eisner:
        # Links between the ends of a span, and spans side by side: most parts as in Eisner (1996), some drawn.
        for k, (ends, made) in enumerate((("j to i", "false, true"), ("i to j", "true, false"))):
            above = rng.choice(["false, false"] * 12 + ["false, _", "_, false"])
            below = made if rng.random() < 0.95 else rng.choice(STARTS)
            lines.append(
                f"step Link{k}\n  span[i, j, {above}]\n  ----------  attach {ends}\n  span[i, j, {below}]"
            )
        for k in range(rng.choice([1, 1, 2])):
            one, other = rng.choice(
                [("b, c", "not c, d")] * 8
                + [("b, false", "true, d"), ("b, true", "false, d"), ("b, c", "c, d")]
            )
            condition = ", ".join(filter(None, dict.fromkeys(rng.choice(CONDITIONS) for _ in range(2))))
            above = f"span[i, j, {one}]   span[j, k, {other}]"
            lines.append(f"step Join{k}\n  {above}\n  ----------  {condition}\n  span[i, k, b, d]")
        final = (
            rng.choice(["0, n, false, true"] * 3 + ["0, n, _, true"])
            if last == "n"
            else "0, n + 1, false, false"
        )
    else:
        # Spans whose inner nodes have their heads: the node between two spans gets its head as they are joined.
        for k in range(rng.choice([2, 2, 3])):
            head = HEADS[k] if k < 2 and rng.random() < 0.9 else rng.choice(HEADS)
            first, second = _flags(rng, "b"), _flags(rng, "")
            bound = ["b"] if "b" in first else []
            condition = rng.choice(CONDITIONS)
            parts = ", ".join(filter(None, [head, condition]))
            lines.append(
                f"step Join{k}\n  span[i, j, {first}]   span[j, k, {second}]\n  ----------  {parts}\n"
                f"  span[i, k, {_below(rng, bound)}]"
            )
        final = f"0, {last}, _, _"
    lines.append(f"final span[{final}]")
    return "\n".join(lines) + "\n"
