"""Equal lists are one value, whatever their elements: permutations of facts, by brute force, on every engine."""

import pytest

from schemata import BudgetExceeded, Facts, ParsingSchema
from tests.support.charts import schema_of

ENGINES = ("python", "native")
ROOM = 524_287  # of a part of a tuple in a list


def swaps(parts: int, kind: str, nested: bool = False) -> ParsingSchema:
    """Return a schema that lists facts of some parts, and turns any of them round at its place."""
    names = [f"a{k}" for k in range(parts)]
    one, turned = (f"({', '.join(x)})" if parts > 1 else x[0] for x in (names, names[::-1]))
    element = f"({', '.join([kind] * parts)})" if parts > 1 else kind
    if nested:
        one, turned, element = f"<{one}, {one}>", f"<{turned}, {turned}>", f"list of {element}"
    sort = "number" if kind in ("position", "integer") else "symbol"
    return schema_of(f"""schema swaps
  grammar facts
  structure set

relation give({", ".join(f"{x}: {sort}" for x in names)})

item c[i: position, x: list of {element}]

step Add
  c[i, <*x>]
  ------------  give({", ".join(names)}), i < n
  c[i + 1, <*x, {one}>]

step Turn
  c[i, <*x, {one}, *y>]
  ------------
  c[i, <*x, {turned}, *y>]

hypothesis c[0, <>]

final c[n, _]
""")


def lists_of(given: list[tuple[object, ...]], n: int) -> int:
    """Return how many lists of at most n elements there are, each given or given turned round."""
    elements = {*given, *(row[::-1] for row in given)}
    return sum(len(elements) ** k for k in range(1, n + 1))


VALUES = {
    "position": [1, 2, 3, 4, 5, 2_000, 300_000, ROOM, 0],
    "integer": [-1, -ROOM - 1, ROOM, 7, 0, 2_048, -2, 70_000, 1],
    "symbol": ["A", "B", "C", "D", "E", "F", "G", "H", "I"],
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("parts", "kind", "nested"),
    [*((k, x, False) for k in (1, 2, 3, 4) for x in VALUES), (2, "position", True), (3, "integer", True)],
)
def test_equal_lists_are_one_item(engine: str, parts: int, kind: str, nested: bool) -> None:
    values = VALUES[kind]
    given = [tuple(values[(s + k) % len(values)] for k in range(parts)) for s in range(0, 3 * parts, parts)]
    given += [tuple(values[:parts]), tuple(values[1 : parts + 1])]
    chart = swaps(parts, kind, nested).run(["w"] * 2, Facts.of({"give": given}), engine=engine)
    shown = set(map(str, chart.items))
    assert len(shown) == len(chart.items) == chart.item_count
    hypotheses = 1  # the empty list, which Turn derives from nothing
    assert chart.item_count - lists_of(given, 2) in (0, hypotheses)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("parts", "most"), [(1, (1 << 31) - 1), (2, ROOM), (3, ROOM)])
def test_numbers_without_room_are_refused(engine: str, parts: int, most: int) -> None:
    schema = swaps(parts, "integer")
    for value in (most, -most - 1):
        chart = schema.run(["w"], Facts.of({"give": [(value,) * parts]}), engine=engine)
        assert chart.item_count == 1
        assert chart.accepted
    for value in (most + 1, -most - 2, 1 << 20, 1 << 32, (1 << 32) + 1, 1 << 70):
        if not -most - 1 <= value <= most:
            with pytest.raises(BudgetExceeded, match="numbers above"):
                schema.run(["w"], Facts.of({"give": [(value,) * parts]}), engine=engine)


def test_python_and_native_code_agree_on_long_sentences() -> None:
    schema = schema_of("""schema count
  grammar facts
  structure set

item c[i: position, x: list of (position, position, position)]
item d[i: position, x: list of (position, position, position)]

hypothesis c[0, <(1, 2, 3)>]

step Go
  c[i, <(a, b, e)>]
  -----------------  i < n
  c[i + 1, <(b, a, e)>]

step Same
  c[i, x]   c[i, y]
  -----------------  x == y, i == n
  d[i, <*x, *y>]

step Equal
  c[i, x]
  ---------  i == n
  d[i, <*x, *x>]

final d[n, _]
""")
    for n in (2, 3_000):
        figures = [
            (chart.item_count, len(chart.final_items))
            for chart in (schema.run(["w"] * n, Facts.of({}), engine=engine) for engine in ENGINES)
        ]
        assert figures == [(n + 1, 1)] * 2


@pytest.mark.parametrize("engine", ENGINES)
def test_sets_of_arcs_have_no_arc_that_overflows_into_another(engine: str) -> None:
    schema = schema_of("""schema arcs
  grammar facts
  structure set

relation ask(d: number, h: number)

item c[x: arcs]
item yes[d: integer, h: integer]

hypothesis c[<>]

step Add
  c[x]
  --------------  (2 under 1) not in x
  c[x + (2 under 1)]

step Ask
  c[x]
  ---------  ask(d, h), (d under h) in x
  yes[d, h]

final c[_]
""")
    asked = [(2, 1), (2 + (1 << 20), 0), (2 - (1 << 20), 2), (1, 2), (2, 1 + (1 << 20))]
    chart = schema.run(["w"], Facts.of({"ask": asked}), engine=engine)
    assert [str(item) for item in chart.items if item.form == "yes"] == ["yes[2, 1]"]
