"""Files with more mistakes than are shown: the first ones in order, the place of the next, and soon."""

from __future__ import annotations

import time

import pytest

from schemata.language.files import read_schema_text
from schemata.thresholds import changed
from tests.support.commands import Cli, Written

HEAD = """schema many
hypothesis w[i] where 1 <= i <= n
item a[i: position]
step Start
  w[i]
  ---
  a[i]
final a[n]
"""
# A step of four lines with one mistake each, and the line of the step in which it stands.
MISTAKES = {
    "unbound": ("step S{k}\n  w[i]\n  ---\n  a[j{k}]\n", 4),
    "syntax": ("step S{k}\n  w[i] where {k}\n  ---\n  a[i]\n", 2),
    "no line": ("step S{k}\n  w[i]\n  b{k}[i]\n  a[i]\n", 1),
    "one name": ("step Start\n  w[i]\n  ---\n  a[i + {k}]\n", 1),
    "unknown mirror": ("mirror step X{k} as Y{k}\n\n\n\n", 1),
}


def schema(kinds: list[str], count: int) -> tuple[str, list[int]]:
    """Return a schema with many wrong steps and the lines of their mistakes."""
    steps = [MISTAKES[kinds[k % len(kinds)]] for k in range(count)]
    first = HEAD.count("\n")
    text = HEAD + "".join(step.format(k=k) for k, (step, _) in enumerate(steps))
    return text, [first + 4 * k + line for k, (_, line) in enumerate(steps)]


def lines(text: str, most: int) -> list[tuple[str, int]]:
    """Return the codes and lines of the mistakes that are found where so many are shown."""
    with changed(reported_errors=most):
        _, found = read_schema_text(f"{text}# {most}\n", "many.schema")  # syntax trees are kept by their text
    return [(f.code, f.location.line) for f in found if f.severity == "error" and f.location]


@pytest.mark.parametrize("kind", MISTAKES)
def test_mistakes_up_to_a_number(kind: str) -> None:
    for count in (4, 5, 6, 30):
        text, places = schema([kind], count)
        found = lines(text, 5)
        assert [line for _, line in found] == places[:6]
        assert [code == "more-errors" for code, _ in found] == [k == 5 for k in range(len(found))]


def test_mistakes_of_all_kinds_stand_in_their_order() -> None:
    text, places = schema([*MISTAKES], 40)
    for most in (1, 7, 39, 40):
        found = [line for code, line in lines(text, most) if code != "more-errors"]
        assert set(found) <= set(places)
        assert len(found) == most
    assert found == places


def test_thousands_of_mistakes_take_seconds(cli: Cli, written: Written) -> None:
    text, _ = schema([*MISTAKES], 3_000)
    path = written("many.schema", text)
    start = time.process_time()
    code, out, err = cli("check", str(path))
    assert time.process_time() - start < 10
    assert code == 1
    assert out.endswith("many.schema: more than 100 errors\n")
    assert err.count("error: ") == 101
    assert "there are more mistakes from here on" in err
