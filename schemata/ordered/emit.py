"""Writes an ordered kernel: loops over levels, strata and items, and in them one nest of loops a rule.

Functions are made from the same plan. `fill` completes the tables and counts the step instances of each
rule. `rows` runs over completed tables and writes a row of back-pointers for every instance, `codes` only what
the consequent leaves open (`compact`). They are kernel text (`engine/machine`); what they index is bounded by the
constraints that the loops enforce.

    fill(n, S, D, C, L, Y, O, T0, ..., counts, control, found, key, W, cell)
    rows(n, S, D, C, L, Y, O, I0, ..., at, ends, out, control, found, key, W, cell)

n: words; S: symbols; D: licences, a byte at dependent * (n + 1) + head; C: the category of each word; L: licences
between categories; Y: numbers of symbol constants; O: offsets of the kinds in one numbering of all places; Tk:
for every place of kind k whether the item is there, a byte; where items have several writings, the number of
the item's place plus one instead (negative for a hypothesis); Ik: the number of the item, -1 for none; at, ends:
for every rule, where its next row goes in `out` and where there is no more room; found, key: a set of what one
item's rules have found; W: the writings of one item; cell: the items of one level; control: a request to stop,
the limit of instances, the turn and the size of the set, its places, the rows of cell.
"""

from __future__ import annotations

from collections.abc import Sequence

from schemata.engine.code import Code
from schemata.order.model import Order, OrderedRule, Region
from schemata.ordered.normal_forms import emit_writings, write_derive, write_items
from schemata.ordered.plan import (
    CodeType,
    Mode,
    Nests,
    column_name,
    kind_terms,
    layouts_of,
    level_of,
    measured_columns,
    nest,
    parameter_list,
    plan_rule,
    region_invariants,
    set_width,
    solved_by_level,
)
from schemata.ordered.rules import ONE, Frame, open_nest, region_constraints
from schemata.ordered.text import Names, bound_text, runtime_text
from schemata.program.linear import variable


def emit_ordered(order: Order, mode: Mode, code_type: CodeType = "u8", nests: Nests | None = None) -> str:
    """Return the text of one of a schema's ordered kernels, `fill`, `rows` or `codes`, with the functions it needs.

    `nests` takes note of the loops that are written.

    Raises
    ------
    ValueError : the program is beyond what ordered kernels do; the message says why.
    """
    program = order.program
    if mode == "codes" and any(program.equations.values()):
        raise ValueError("items with a normal form have no codes")
    code = Code()
    for line in runtime_text(set_width(program)).splitlines():
        code.line(line)
    layouts = layouts_of(order)
    names = Names(program, {}, layouts)
    for form in program.equations:
        if program.equations[form]:
            emit_writings(program, form, names, code)
    code.line("")
    code.line("")
    frame = Frame(order, layouts, mode, code, nests)
    for form in program.equations:
        if program.equations[form]:
            write_derive(frame, form)
            code.line("")
            code.line("")
    code.open(f'def {mode}({parameter_list(program, mode, typed=True, code_type=code_type)}) -> "int":')
    code.line("N = n + 2")
    _write_body(frame)
    code.depth = 0
    return "\n".join(code.lines) + "\n"


def _write_body(frame: Frame) -> None:
    """Write what a kernel does, inside its head."""
    code, order = frame.code, frame.order
    if not order.rules:
        code.line("return 0")
        return
    variables = [f"s{k}" for k in range(order.depth)]
    _level_loops(frame, variables)
    inside = code.depth
    for form in sorted(form for form in order.program.equations if order.program.equations[form]):
        write_items(frame, form)
        code.depth = inside
    for stratum in range(order.strata):
        for region in order.regions:
            if order.program.equations.get(order.program.kinds[region.kind].form):
                continue
            mine = [
                (number, rule)
                for number, rule in enumerate(order.rules)
                if rule.stratum == stratum and rule.consequent == region.number
            ]
            if mine:
                _region(frame, region, mine)
                code.depth = inside
    code.depth = 1
    code.line("return 0")


def _level_loops(frame: Frame, variables: list[str]) -> None:
    """Open the loops over levels."""
    order = frame.order
    names = Names(order.program, {v: v for v in variables}, frame.layouts)
    nests = []
    for region in frame.derived_regions():
        constraints = region_invariants(frame.order, region)
        for v, term in zip(variables, level_of(frame.order, region), strict=True):
            constraints += [variable(v) - term, term - variable(v)]
        columns = [t.names[0] for t in kind_terms(order.program, region.kind)]
        nests.append(nest(constraints, [*variables, *columns], ONE))
    if frame.nests is not None:
        frame.nests.levels = tuple(nests)
    for k, v in enumerate(variables):
        lows = list(dict.fromkeys(bound_text(names, x.loops[k].lows, "max") for x in nests))
        highs = list(dict.fromkeys(bound_text(names, x.loops[k].highs, "min") for x in nests))
        low = lows[0] if len(lows) == 1 else f"min({', '.join(lows)})"
        high = highs[0] if len(highs) == 1 else f"max({', '.join(highs)})"
        frame.code.open(f"for {v} in range({low}, {high} + 1):")


def _region(frame: Frame, region: Region, rules: Sequence[tuple[int, OrderedRule]]) -> None:
    """Write the loops over a region's items on the level, and the rules that derive them."""
    order, program, code = frame.order, frame.order.program, frame.code
    kind = program.kinds[region.kind]
    remembered = any(program.rules[r.rule].number in frame.repeating for _, r in rules)
    measured = measured_columns(order, region.kind)
    columns = [column_name(k) for k in frame.layouts[kind.number]]
    plain = [column_name(k) for k in range(len(kind.columns)) if k not in measured]
    lanes = [] if remembered or frame.mode == "codes" else [x for x in columns if x in plain]
    main = [x for x in columns if x not in lanes]
    known = {f"s{k}": f"s{k}" for k in range(order.depth)}
    known |= {column_name(k): f"c{k}" for k in range(len(kind.columns))}
    names = Names(program, known, frame.layouts)
    invariants = region_invariants(frame.order, region)
    solved, rest = solved_by_level(level_of(frame.order, region), main)
    constraints = [c.substitute(solved) for c in invariants]
    constraints += [sign for left in rest for sign in (left, -left)]
    around = nest(
        [c for c in constraints if not any(x in lanes for x in c.names)],
        [x for x in main if x not in solved],
        ONE,
    )
    if frame.nests is not None:
        frame.nests.regions[region.number] = (around, solved)
    code.comment(f"kind {kind.number}, region {region.number}")
    open_nest(names, code, around, frame.look if frame.mode != "codes" else None)
    for x, value in solved.items():
        code.line(f"{names.name(x)} = {names.term(value)}")
    if not solved and not around.loops and frame.mode != "codes":
        frame.look()
    outer = [c for c in invariants if not any(x in lanes for x in c.names)]
    if remembered:
        code.line("control[2] += 1")
        code.line("control[3] = 0")
        code.line("hit = 0")
    own = [c for c in invariants if c not in outer]
    writer = frame.rule_writer(names, lanes, [*ONE, *outer], own)
    code.settle()
    depth = code.depth
    for number, ordered in rules:
        rule = program.rules[ordered.rule]
        writer.write(number, rule, region_constraints(order, ordered, plan_rule(program, rule)))
        code.depth = depth
    if remembered and frame.mode == "fill":
        code.line("if hit != 0:")
        code.line(f"    T{kind.number}[{names.place(kind.number, kind_terms(program, kind.number))}] |= 1")
