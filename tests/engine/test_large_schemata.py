"""Steps with very many antecedents, conditions or lists: they run on every engine, or are refused with their place."""

import pytest

from schemata import ParsingSchema
from schemata.budget import EngineName
from schemata.errors import UsageError
from schemata.machine.text import LOOPS
from tests.support.charts import facts, run, schema_of

HEAD = """schema large
  grammar d-rules
hypothesis word[i] where 0 <= i <= n
item span[i: position, j: position]
  where 0 <= i <= j <= n
item list[L: list of position, i: position]
  where {bound}0 <= i <= n
step Start
  word[i]
  -------
  span[i, i]
step Empty
  word[0]
  -------
  list[<>, 0]
step Push
  list[L, i]  word[i + 1]
  -----------------------
  list[<*L, i + 1>, i + 1]
step Large
  {above}
  -------
  {below}
final span[0, n]
final list[_, n]
"""


def large(above: str, below: str, bound: str = "") -> ParsingSchema:
    return schema_of(HEAD.format(above=above, below=below, bound=bound))


def several(text: str, number: int, between: str = "\n  ") -> str:
    return between.join(text.format(k, k + 1) for k in range(number))


def choices(number: int) -> tuple[str, str]:
    conditions = several("x{0} in [0..0]", number, ",\n  ")
    return "span[i, j]", f"span[i, j + 1]\n  {conditions}, {several('x{0} <= n', number, ', ')}"


def antecedents(number: int) -> tuple[str, str]:
    return several("word[x{0}]", number), f"span[x0, x0]\n  {several('x{0}', number, ' < ')}"


ENGINES: list[EngineName] = ["python", "native"]


LARGE = {
    "tests": ("span[i, j]", f"span[i, j + 1]\n  {several('i != {0}', 120, chr(10) + '    and ')}"),
    "alternatives": (
        "span[i, j]",
        f"span[i, j + 1]\n  {several('(i == {0} or j != {0})', 60, ',' + chr(10))}",
    ),
    "splices": (f"list[<{several('*A{0}', 24, ', ')}>, i]", "list[<>, i]"),
    "choices": choices(LOOPS - 1),
}


@pytest.mark.parametrize("which", LARGE)
def test_large_steps_run(which: str) -> None:
    schema = large(*LARGE[which])
    charts = [run(schema, 2, engine=engine) for engine in ENGINES]
    assert facts(charts[0]) == facts(charts[1])
    assert charts[0].accepted


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("step", [choices(21), antecedents(25)], ids=["choices", "antecedents"])
def test_too_many_loops_are_refused(step: tuple[str, str], engine: EngineName) -> None:
    schema = large(*step)
    with pytest.raises(UsageError, match="need too many nested loops") as caught:
        run(schema, 2, engine=engine)
    (finding,) = caught.value.diagnostics
    assert (finding.code, finding.hint) == (
        "not-runnable",
        "at most 15: cut the step in two, with an item between them",
    )
    assert finding.location is not None
    assert finding.source_line == "step Large"


@pytest.mark.parametrize(
    ("flags", "place", "says"),
    [
        (9, "item many", "more than 256 shapes of items many"),
        (13, "step Some", "a step with more than 4096 choices of flags and lengths"),
    ],
)
def test_too_many_flags_are_refused(flags: int, place: str, says: str) -> None:
    fields, values = several("b{0}: flag", flags, ", "), several("b{0}", flags, ", ")
    text = f"""schema many
  grammar d-rules
item many[{fields}]
step All
  -------
  many[{", ".join(["false"] * flags)}]
step Some
  many[{values}]
  -------
  many[{values.replace("b0", "not b0")}]
final many[{values.replace("b0", "true")}]
"""
    with pytest.raises(UsageError) as caught:
        run(schema_of(text), 1)
    (finding,) = caught.value.diagnostics
    assert says in finding.message
    assert finding.source_line.startswith(place)


def test_final_items_with_two_unknowns_in_a_term() -> None:
    """They are not linear patterns, so ordered kernels leave them to others."""
    schema = schema_of(
        "schema two extends collins1996\nfinal tree[i + j, n, _] where i == k, k == 1, j <= n\n"
    )
    charts = [run(schema, 3, engine=engine) for engine in ENGINES]
    assert [str(x) for x in charts[0].final_items][-1] == "tree[3, 3, 3]"
    assert charts[0].final_items == charts[1].final_items
