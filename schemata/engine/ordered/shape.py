"""The shape of ordered kernels: their parameters, the layout of tables, what holds in regions and on levels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from schemata.engine.order.model import Order, Region
from schemata.engine.ordered.plan import bounds_of_kind, column_name, kind_terms
from schemata.language.cases import instance_names
from schemata.program.linear import Affine, Linear, variable
from schemata.program.model import Program

__all__ = [
    "CodeType",
    "Layouts",
    "Mode",
    "key_width",
    "kind_conditions",
    "kinds_of",
    "layouts_of",
    "level_of",
    "measured_columns",
    "parameter_list",
    "parameters",
    "region_invariants",
    "set_width",
    "solved_by_level",
    "step_numbers",
]

Layouts = tuple[tuple[int, ...], ...]
CodeType = Literal["u8", "u16", "i32"]
Mode = Literal["fill", "rows", "codes", "expand"]


def layouts_of(order: Order) -> Layouts:
    """Return the order of every kind's columns in its table: those that levels depend on first."""
    found = []
    for kind in order.program.kinds:
        measured = measured_columns(order, kind.number)
        columns = range(len(kind.columns))
        found.append((*(k for k in columns if k in measured), *(k for k in columns if k not in measured)))
    return tuple(found)


def measured_columns(order: Order, kind: int) -> frozenset[int]:
    """Return the columns of a kind that levels or regions depend on."""
    mine = [r for r in order.regions if r.kind == kind]
    names = {x for r in mine for term in (*r.level, *(t.left for t in r.tests)) for x in term.names}
    return frozenset(k for k, column in enumerate(order.program.kinds[kind].columns) if column.name in names)


def step_numbers(program: Program) -> tuple[int, ...]:
    """Return, for every rule, the number that tells its instances from those of other steps."""
    names = instance_names(program.schema)
    return tuple(names[rule.case] for rule in program.rules)


def key_width(program: Program) -> int:
    """Return the length of the longest key of an instance."""
    return max((1 + len(r.antecedents) + 2 * len(r.links) for r in program.rules), default=1)


def set_width(program: Program) -> int:
    """Return how many numbers an entry of the set of instances has."""
    return max(3, 2 + key_width(program))


def parameters(program: Program, mode: Mode, code_type: CodeType = "u8") -> tuple[tuple[str, str], ...]:
    """Return the parameters of a kernel: names and types; `code_type` is what codes are written as."""
    tables = []
    for kind in program.kinds:
        written = program.equations.get(kind.form)
        tables.append(
            (f"T{kind.number}", "i32[]" if written else "u8[]")
            if mode == "fill"
            else (f"I{kind.number}", "i32[]")
        )
    results = [("counts", "i64[]")] if mode == "fill" else [("at", "i64[]"), ("ends", "i64[]")]
    if mode == "rows":
        results += [("out", "i32[]")]
    if mode == "codes":
        results += [("seen", "i64[]"), ("visits", "i32[]"), ("codes", f"{code_type}[]")]
    return (
        ("n", "int"),
        ("S", "int"),
        ("D", "u8[]"),
        ("C", "i32[]"),
        ("L", "u8[]"),
        ("Y", "i64[]"),
        ("O", "i64[]"),
        *tables,
        *results,
        *((name, "i64[]") for name in ("control", "found", "key", "W", "cell")),
    )


def parameter_list(program: Program, mode: Mode, typed: bool = False, code_type: CodeType = "u8") -> str:
    """Return the parameters of a kernel as text."""
    given = parameters(program, mode, code_type)
    return ", ".join(f'{name}: "{kind}"' if typed else name for name, kind in given)


def kinds_of(program: Program, form: int) -> list[int]:
    """Return the numbers of a form's kinds."""
    return [k.number for k in program.kinds if k.form == form]


def _renamed(program: Program, kind: int) -> dict[str, Affine]:
    return {c.name: variable(column_name(k)) for k, c in enumerate(program.kinds[kind].columns)}


def kind_conditions(program: Program, kind: int) -> list[Affine]:
    """Return a kind's linear conditions as terms >= 0 over the consequent's columns."""
    given = _renamed(program, kind)
    found = bounds_of_kind(program.kinds[kind], kind_terms(program, kind))
    for condition in program.kinds[kind].conditions:
        if isinstance(condition, Linear) and condition.relation != "!=":
            left = condition.left.substitute(given)
            found += [left] if condition.relation == ">=" else [left, -left]
    return found


def solved_by_level(level: Sequence[Affine], main: list[str]) -> tuple[dict[str, Affine], list[Affine]]:
    """Return the columns that the level determines, as terms, and what remains to be tested (== 0)."""
    solved: dict[str, Affine] = {}
    rest: list[Affine] = []
    for k, term in enumerate(level):
        left = (term - variable(f"s{k}")).substitute(solved)
        name = next((x for x in reversed(main) if abs(left.coefficient(x)) == 1), None)
        if name is None:
            rest.append(left)
            continue
        value = variable(name) - left * left.coefficient(name)
        solved = {x: t.substitute({name: value}) for x, t in solved.items()}
        solved[name] = value
    return solved, rest


def region_invariants(order: Order, region: Region) -> list[Affine]:
    """Return what holds in a region, as terms >= 0 over the consequent's columns."""
    given = _renamed(order.program, region.kind)
    found = kind_conditions(order.program, region.kind)
    for test in (*region.invariants, *region.tests):
        left = test.left.substitute(given)
        if test.relation != "!=":
            found += [left] if test.relation == ">=" else [left, -left]
    return list(dict.fromkeys(found))


def level_of(order: Order, region: Region) -> list[Affine]:
    """Return a region's level over the consequent's columns."""
    given = _renamed(order.program, region.kind)
    return [term.substitute(given) for term in region.level]
