"""Random schemata: whatever order is proved for one, its items can be derived in it.

python -m pytest tests/engine/test_order_random.py        # some of them
python -m tests.engine.test_order_random 0 2000           # many
"""

import random
import sys
from collections.abc import Callable

import pytest

from schemata.engine.exceeded import BudgetExceeded
from schemata.language.files import read_schema_text
from schemata.order.model import Order
from schemata.order.proof import find_order
from schemata.program.lower import lower
from schemata.program.model import NotLowerable
from tests.random_schemata.writer import random_draft
from tests.support.orders import check_order

FORMS = ("span", "tree", "item")


def random_text(rng: random.Random) -> str:
    """Return a schema of spans with flags, in which steps join, mark, stretch, shrink and shift items."""
    forms = rng.sample(FORMS, rng.choice([1, 1, 2]))
    low, high = rng.choice(["0", "1"]), rng.choice(["n", "n", "n + 1"])
    lines = ["schema random", f"hypothesis word[i]  where {low} <= i <= {high}"]
    order = rng.choice(["i <= j", "i < j", "i <= j"])
    lines += [
        f"item {f}[i: position, j: position, b: flag]  where {low} <= i, {order}, j <= {high}" for f in forms
    ]
    if rng.random() < 0.3:
        form = rng.choice(forms)
        left, right, condition = rng.choice(
            [
                ("i, i, b", "i, i, true", "not b"),
                ("i, j, b", "i, j - 1, b", "j == i + 1"),
                ("i, i, b", "i, i, false", "b"),
            ]
        )
        lines += ["normal form", f"  {form}[{left}] = {form}[{right}]  if {condition}"]
    first = rng.choice(forms)
    lines += ["step Start", "  word[i]", "  ----------", f"  {first}[i, {rng.choice(['i', 'i + 1'])}, false]"]
    for number in range(rng.choice([1, 2, 2, 3, 4])):
        a, b, c = (rng.choice(forms) for _ in range(3))
        flag = rng.choice(["b", "not b", "true", "false", "b and c", "b or c"])
        one = "b" if "c" not in flag.split() else rng.choice(["true", "b"])
        licence = rng.choice(["", "  attach i to j", "  attach j to i", "  i < j - 1", "  i + 2 < j"])
        if rng.random() < 0.45:
            joint = rng.choice(["j", "j", "j + 1"])
            before = f"{rng.choice(['', '', 'given '])}{a}[i, j, b]   {b}[{joint}, k, c]"
            licence = rng.choice(["", "", "  attach i to k", "  attach k to j", "  i < k"])
            after = f"{c}[i, k, {flag}]"
        else:
            before = f"{a}[i, j, b]"
            ends = rng.choice(
                ["i, j", "i, j + 1", "i - 1, j", "i + 1, j", "i, j - 1", "j, j", "j, j + 1", "i, i"]
            )
            after = f"{c}[{ends}, {flag if 'c' not in flag.split() else one}]"
        lines += [f"step Step {number + 1}", f"  {before}", f"  ----------{licence}", f"  {after}"]
    lines.append(f"final {rng.choice(forms)}[{low}, {high}, _]")
    return "\n".join(lines) + "\n"


def draft_text(rng: random.Random) -> str:
    """Return a schema that may use everything in the language."""
    return random_draft(rng).text


def check_random(text: str, most: int = 4) -> bool | None:
    """Check a random schema on up to so many words.

    Returns whether it has a proved order, None where it is none or has no native form.
    """
    schema, _ = read_schema_text(text)
    if schema is None:
        return None
    try:
        program = lower(schema)
    except NotLowerable:
        return None
    order = find_order(program)
    if not isinstance(order, Order):
        return False
    for n in range(1, most + 1):
        try:
            check_order(order, n)
        except BudgetExceeded:
            break
    return True


@pytest.mark.parametrize("write", [random_text, pytest.param(draft_text, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("first", [0])
@pytest.mark.thorough
def test_random_schemata(first: int, write: Callable[[random.Random], str]) -> None:
    most = 4 if write is random_text else 3  # all tuples of columns are tried, of which drafts have more
    found = [check_random(write(random.Random(seed)), most) for seed in range(first, first + 20)]
    assert found.count(True) >= 2
    assert found.count(False) >= 1


if __name__ == "__main__":
    start, stop = map(int, sys.argv[1:3])
    writer = draft_text if "drafts" in sys.argv[3:] else random_text
    results = []
    for number in range(start, stop):
        text = writer(random.Random(number))
        try:
            results.append(check_random(text))
        except AssertionError as wrong:
            print(f"seed {number}: {wrong}\n{text}", flush=True)
    print({str(x): results.count(x) for x in (True, False, None)})
