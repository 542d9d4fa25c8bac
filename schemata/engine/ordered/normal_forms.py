"""Items with a normal form in an ordered kernel: found in normal form, derived in any writing, entered under all.

Their writings have one level, so the items of a level are gathered first, and all rules are applied to each.
"""

from __future__ import annotations

from schemata.engine.order.model import Region
from schemata.engine.ordered.frame import ONE, Frame
from schemata.engine.ordered.loops import Nest, nest
from schemata.engine.ordered.plan import column_name, kind_terms
from schemata.engine.ordered.rules import open_nest
from schemata.engine.ordered.shape import (
    kind_conditions,
    kinds_of,
    level_of,
    parameter_list,
    region_invariants,
    solved_by_level,
)
from schemata.engine.ordered.text import Names, bound_text
from schemata.engine.ordered.writings import is_normal, width
from schemata.program.linear import Affine, Linear

__all__ = ["write_derive", "write_items"]


def write_items(frame: Frame, form: int) -> None:
    """Write the loops over the items of a form with a normal form, and the rules for all their writings.

    Items of one level are gathered first, so that the long function that derives one stands in one place.
    The regions of antecedents do not matter here: all writings of an item are on one level.
    """
    program, code = frame.order.program, frame.code
    regions = [r for r in frame.derived_regions() if program.kinds[r.kind].form == form]
    if not regions:
        return
    if any(rule.stratum for rule in frame.order.rules if frame.order.regions[rule.consequent] in regions):
        raise ValueError("items with a normal form that may be derived from others of their level")
    size = width(program, form)
    nests = [_nest_of(frame, region) for region in regions]
    shared = Names(program, {f"s{k}": f"s{k}" for k in range(frame.order.depth)}, frame.layouts)
    lows = list(dict.fromkeys(bound_text(shared, loops.loops[0].lows, "max") for _, _, loops in nests))
    highs = list(dict.fromkeys(bound_text(shared, loops.loops[0].highs, "min") for _, _, loops in nests))
    low = lows[0] if len(lows) == 1 else f"min({', '.join(lows)})"
    high = highs[0] if len(highs) == 1 else f"max({', '.join(highs)})"
    code.open(f"for c0 in range({low}, {high} + 1):")
    frame.look()
    code.line("cells = 0")
    depth = code.depth
    for region, (names, solved, loops) in zip(regions, nests, strict=True):
        code.comment(f"kind {region.kind}, region {region.number}")
        _gather(frame, region, names, solved, loops)
        code.depth = depth
    code.open("for q in range(0, cells):")
    code.line("control[2] += 1")
    code.line("control[3] = 0")
    code.line(
        f"many = writings{form}({', '.join(f'cell[q * {size + 1} + {j}]' for j in range(size + 1))}, n, S, Y, W)"
    )
    code.line("if many < 0:")
    code.line("    control[0] = 4")
    code.line("    return 1")
    if frame.mode == "rows":
        code.line("item = -1")
        for target in kinds_of(program, form):
            code.line(f"if W[0] == {target}:")
            code.line(f"    item = I{target}[{_writing_place(frame, target, '0')}]")
        code.line("if item >= 0:")
        code.line(f"    derive_rows{form}({parameter_list(program, frame.mode)}, many, item)")
        return
    code.open(f"if derive_fill{form}({parameter_list(program, frame.mode)}, many, 0) != 0:")
    code.line("old = 0")
    code.line("new = 0")
    for target in kinds_of(program, form):
        place = _writing_place(frame, target, "0")
        code.line(f"if W[0] == {target}:")
        code.line(f"    old, new = T{target}[{place}], O[{target}] + {place} + 1")
    code.open("for w in range(0, many if old >= 0 else 0):")
    for target in kinds_of(program, form):
        code.line(f"if W[w * {size + 1}] == {target}:")
        code.line(f"    T{target}[{_writing_place(frame, target, 'w')}] = new")


def _writing_place(frame: Frame, kind: int, row: str) -> str:
    """Return the place of a writing that stands in a row of W."""
    program = frame.order.program
    size = width(program, program.kinds[kind].form) + 1
    given = {column_name(k): f"W[{row} * {size} + {k + 1}]" for k in range(len(program.kinds[kind].columns))}
    return Names(program, given, frame.layouts).place(kind, kind_terms(program, kind))


def _nest_of(frame: Frame, region: Region) -> tuple[Names, dict[str, Affine], Nest]:
    """Return the loops over all items of a region on the level, the first column outermost."""
    program = frame.order.program
    kind = program.kinds[region.kind]
    columns = [column_name(k) for k in range(len(kind.columns))]
    known = {f"s{k}": f"s{k}" for k in range(frame.order.depth)}
    known |= {x: f"c{k}" for k, x in enumerate(columns)}
    solved, rest = solved_by_level(level_of(frame.order, region), columns)
    if column_name(0) in solved:
        raise ValueError("a level that determines the first field of items with a normal form")
    constraints = [c.substitute(solved) for c in region_invariants(frame.order, region)]
    constraints += [sign for left in rest for sign in (left, -left)]
    loops = nest(constraints, [x for x in columns if x not in solved], ONE)
    if frame.nests is not None:
        frame.nests.regions[region.number] = (loops, solved)
    return Names(program, known, frame.layouts), solved, loops


def _gather(frame: Frame, region: Region, names: Names, solved: dict[str, Affine], loops: Nest) -> None:
    """Write the loops that gather a region's possible items with this first column."""
    program, code = frame.order.program, frame.code
    kind = program.kinds[region.kind]
    first, *others = loops.loops
    for check in loops.checks:
        code.test(f"{names.term(check)} >= 0")
    for low in first.lows:
        code.test(f"c0 >= {names.term(low)}")
    for high in first.highs:
        code.test(f"c0 <= {names.term(high)}")
    for check in first.checks:
        code.test(f"{names.term(check)} >= 0")
    open_nest(names, code, Nest((), tuple(others)))
    for x, value in solved.items():
        code.line(f"{names.name(x)} = {names.term(value)}")
    columns = [f"c{k}" for k in range(len(kind.columns))]
    for text in is_normal(program, kind.number, columns, names):
        code.test(text)
    for condition in kind.conditions:
        if not (isinstance(condition, Linear) and condition.relation != "!="):
            given = {c.name: f"c{k}" for k, c in enumerate(kind.columns)}
            code.test(names.with_variables(given).test(condition))
    code.line("if cells == control[5]:")
    code.line("    control[0] = 5")
    code.line("    return 1")
    size = width(program, kind.form) + 1
    code.line(f"cell[cells * {size}] = {kind.number}")
    for k in range(size - 1):
        code.line(f"cell[cells * {size} + {k + 1}] = {columns[k] if k < len(columns) else '0'}")
    code.line("cells += 1")


def write_derive(frame: Frame, form: int) -> None:
    """Write the function that applies all rules to the writings of one item of a form."""
    program, code = frame.order.program, frame.code
    given = parameter_list(program, frame.mode, typed=True)
    code.open(f'def derive_{frame.mode}{form}({given}, many: "int", item: "int") -> "int":')
    code.line("N = n + 2")
    code.line("hit = 0")
    size = width(program, form) + 1
    code.open("for w in range(0, many):")
    code.line("pass")  # there may be no rule for the form
    depth = code.depth
    for target in kinds_of(program, form):
        mine = [rule for rule in program.rules if rule.consequent.kind == target]
        if not mine:
            continue
        code.open(f"if W[w * {size}] == {target}:")
        inner = {column_name(k): f"w{k}" for k in range(len(program.kinds[target].columns))}
        for k in range(len(inner)):
            code.line(f"w{k} = W[w * {size} + {k + 1}]")
        names = Names(program, inner, frame.layouts)
        writer = frame.rule_writer(names, (), [*ONE, *kind_conditions(program, target)], ())
        inside = code.depth
        for rule in mine:
            number = next((k for k, r in enumerate(frame.order.rules) if r.rule == rule.number), None)
            if number is not None:
                writer.write(number, rule, ())
            code.depth = inside
        code.depth = depth
    code.depth = 1
    code.line("return hit")
    code.depth = 0
