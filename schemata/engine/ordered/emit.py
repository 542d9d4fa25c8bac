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
from dataclasses import dataclass, field

from schemata.engine.code import Code
from schemata.engine.lowering.model import Affine, Linear, variable
from schemata.engine.lowering.repeats import repeating_rules
from schemata.engine.order.model import Order, OrderedRule, Region
from schemata.engine.ordered.loops import Nest, nest
from schemata.engine.ordered.nests import Nests
from schemata.engine.ordered.plan import column_name, kind_terms, plan_rule
from schemata.engine.ordered.rules import RuleWriter, open_nest, region_constraints
from schemata.engine.ordered.runtime import runtime_text
from schemata.engine.ordered.shape import (
    CodeType,
    Layouts,
    Mode,
    kind_conditions,
    kinds_of,
    layouts_of,
    level_of,
    measured_columns,
    parameter_list,
    region_invariants,
    set_width,
    solved_by_level,
    step_numbers,
)
from schemata.engine.ordered.text import Names, bound_text
from schemata.engine.ordered.writings import emit_writings, is_normal, width

__all__ = ["emit_ordered"]

_ONE = [variable("n") - 1]


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
    writer = _Writer(order, layouts, mode, code, nests)
    for form in program.equations:
        if program.equations[form]:
            writer.write_derive(form)
            code.line("")
            code.line("")
    code.open(f'def {mode}({parameter_list(program, mode, typed=True, code_type=code_type)}) -> "int":')
    code.line("N = n + 2")
    writer.write()
    code.depth = 0
    return "\n".join(code.lines) + "\n"


@dataclass(slots=True)
class _Writer:
    """Writes the body of one of the two functions."""

    order: Order
    layouts: Layouts
    mode: Mode
    code: Code
    nests: Nests | None = None
    repeating: frozenset[int] = field(init=False)

    def __post_init__(self) -> None:
        self.repeating = repeating_rules(self.order.program)

    def write(self) -> None:
        code, order = self.code, self.order
        if not order.rules:
            code.line("return 0")
            return
        variables = [f"s{k}" for k in range(order.depth)]
        self._level_loops(variables)
        inside = code.depth
        for form in sorted(form for form in order.program.equations if order.program.equations[form]):
            self._written(form)
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
                    self._region(region, mine)
                    code.depth = inside
        code.depth = 1
        code.line("return 0")

    def _derived_regions(self) -> list[Region]:
        """Return the regions of items that rules derive: where there is a normal form, all of the form's."""
        order, kinds = self.order, self.order.program.kinds
        used = {rule.consequent for rule in order.rules}
        forms = {kinds[order.regions[number].kind].form for number in used}
        written = {form for form in forms if order.program.equations.get(form)}
        return [r for r in order.regions if r.number in used or kinds[r.kind].form in written]

    def _level_loops(self, variables: list[str]) -> None:
        """Open the loops over levels."""
        order = self.order
        names = Names(order.program, {v: v for v in variables}, self.layouts)
        nests = []
        for region in self._derived_regions():
            constraints = region_invariants(self.order, region)
            for v, term in zip(variables, level_of(self.order, region), strict=True):
                constraints += [variable(v) - term, term - variable(v)]
            columns = [t.names[0] for t in kind_terms(order.program, region.kind)]
            nests.append(nest(constraints, [*variables, *columns], _ONE))
        if self.nests is not None:
            self.nests.levels = tuple(nests)
        for k, v in enumerate(variables):
            lows = list(dict.fromkeys(bound_text(names, x.loops[k].lows, "max") for x in nests))
            highs = list(dict.fromkeys(bound_text(names, x.loops[k].highs, "min") for x in nests))
            low = lows[0] if len(lows) == 1 else f"min({', '.join(lows)})"
            high = highs[0] if len(highs) == 1 else f"max({', '.join(highs)})"
            self.code.open(f"for {v} in range({low}, {high} + 1):")

    def _region(self, region: Region, rules: Sequence[tuple[int, OrderedRule]]) -> None:
        """Write the loops over a region's items on the level, and the rules that derive them."""
        order, program, code = self.order, self.order.program, self.code
        kind = program.kinds[region.kind]
        remembered = any(program.rules[r.rule].number in self.repeating for _, r in rules)
        measured = measured_columns(order, region.kind)
        columns = [column_name(k) for k in self.layouts[kind.number]]
        plain = [column_name(k) for k in range(len(kind.columns)) if k not in measured]
        lanes = [] if remembered or self.mode == "codes" else [x for x in columns if x in plain]
        main = [x for x in columns if x not in lanes]
        known = {f"s{k}": f"s{k}" for k in range(order.depth)}
        known |= {column_name(k): f"c{k}" for k in range(len(kind.columns))}
        names = Names(program, known, self.layouts)
        invariants = region_invariants(self.order, region)
        solved, rest = solved_by_level(level_of(self.order, region), main)
        constraints = [c.substitute(solved) for c in invariants]
        constraints += [sign for left in rest for sign in (left, -left)]
        around = nest(
            [c for c in constraints if not any(x in lanes for x in c.names)],
            [x for x in main if x not in solved],
            _ONE,
        )
        if self.nests is not None:
            self.nests.regions[region.number] = (around, solved)
        code.comment(f"kind {kind.number}, region {region.number}")
        open_nest(names, code, around, self._look if self.mode != "codes" else None)
        for x, value in solved.items():
            code.line(f"{names.name(x)} = {names.term(value)}")
        if not solved and not around.loops and self.mode != "codes":
            self._look()
        outer = [c for c in invariants if not any(x in lanes for x in c.names)]
        if remembered:
            code.line("control[2] += 1")
            code.line("control[3] = 0")
            code.line("hit = 0")
        own = [c for c in invariants if c not in outer]
        writer = self._writer(names, lanes, [*_ONE, *outer], own)
        code.settle()
        depth = code.depth
        for number, ordered in rules:
            rule = program.rules[ordered.rule]
            writer.write(number, rule, region_constraints(order, ordered, plan_rule(program, rule)))
            code.depth = depth
        if remembered and self.mode == "fill":
            code.line("if hit != 0:")
            code.line(
                f"    T{kind.number}[{names.place(kind.number, kind_terms(program, kind.number))}] |= 1"
            )

    def _writer(
        self, names: Names, lanes: Sequence[str], context: Sequence[Affine], own: Sequence[Affine]
    ) -> RuleWriter:
        program = self.order.program
        measured = [measured_columns(self.order, k.number) for k in program.kinds]
        return RuleWriter(
            program,
            self.mode,
            self.code,
            names,
            lanes,
            context,
            own,
            self.repeating,
            step_numbers(program),
            measured,
            self.nests,
        )

    def _written(self, form: int) -> None:
        """Write the loops over the items of a form with a normal form, and the rules for all their writings.

        Items of one level are gathered first, so that the long function that derives one stands in one place.
        The regions of antecedents do not matter here: all writings of an item are on one level.
        """
        program, code = self.order.program, self.code
        regions = [r for r in self._derived_regions() if program.kinds[r.kind].form == form]
        if not regions:
            return
        if any(rule.stratum for rule in self.order.rules if self.order.regions[rule.consequent] in regions):
            raise ValueError("items with a normal form that may be derived from others of their level")
        size = width(program, form)
        nests = [self._nest_of(region) for region in regions]
        shared = Names(program, {f"s{k}": f"s{k}" for k in range(self.order.depth)}, self.layouts)
        lows = list(dict.fromkeys(bound_text(shared, loops.loops[0].lows, "max") for _, _, loops in nests))
        highs = list(dict.fromkeys(bound_text(shared, loops.loops[0].highs, "min") for _, _, loops in nests))
        low = lows[0] if len(lows) == 1 else f"min({', '.join(lows)})"
        high = highs[0] if len(highs) == 1 else f"max({', '.join(highs)})"
        code.open(f"for c0 in range({low}, {high} + 1):")
        self._look()
        code.line("cells = 0")
        depth = code.depth
        for region, (names, solved, loops) in zip(regions, nests, strict=True):
            code.comment(f"kind {region.kind}, region {region.number}")
            self._gather(region, names, solved, loops)
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
        if self.mode == "rows":
            code.line("item = -1")
            for target in kinds_of(program, form):
                code.line(f"if W[0] == {target}:")
                code.line(f"    item = I{target}[{self._writing_place(target, '0')}]")
            code.line("if item >= 0:")
            code.line(f"    derive_rows{form}({parameter_list(program, self.mode)}, many, item)")
            return
        code.open(f"if derive_fill{form}({parameter_list(program, self.mode)}, many, 0) != 0:")
        code.line("old = 0")
        code.line("new = 0")
        for target in kinds_of(program, form):
            place = self._writing_place(target, "0")
            code.line(f"if W[0] == {target}:")
            code.line(f"    old, new = T{target}[{place}], O[{target}] + {place} + 1")
        code.open("for w in range(0, many if old >= 0 else 0):")
        for target in kinds_of(program, form):
            code.line(f"if W[w * {size + 1}] == {target}:")
            code.line(f"    T{target}[{self._writing_place(target, 'w')}] = new")

    def _writing_place(self, kind: int, row: str) -> str:
        """Return the place of a writing that stands in a row of W."""
        program = self.order.program
        size = width(program, program.kinds[kind].form) + 1
        given = {
            column_name(k): f"W[{row} * {size} + {k + 1}]" for k in range(len(program.kinds[kind].columns))
        }
        return Names(program, given, self.layouts).place(kind, kind_terms(program, kind))

    def _nest_of(self, region: Region) -> tuple[Names, dict[str, Affine], Nest]:
        """Return the loops over all items of a region on the level, the first column outermost."""
        program = self.order.program
        kind = program.kinds[region.kind]
        columns = [column_name(k) for k in range(len(kind.columns))]
        known = {f"s{k}": f"s{k}" for k in range(self.order.depth)}
        known |= {x: f"c{k}" for k, x in enumerate(columns)}
        solved, rest = solved_by_level(level_of(self.order, region), columns)
        if column_name(0) in solved:
            raise ValueError("a level that determines the first field of items with a normal form")
        constraints = [c.substitute(solved) for c in region_invariants(self.order, region)]
        constraints += [sign for left in rest for sign in (left, -left)]
        loops = nest(constraints, [x for x in columns if x not in solved], _ONE)
        if self.nests is not None:
            self.nests.regions[region.number] = (loops, solved)
        return Names(program, known, self.layouts), solved, loops

    def _gather(self, region: Region, names: Names, solved: dict[str, Affine], loops: Nest) -> None:
        """Write the loops that gather a region's possible items with this first column."""
        program, code = self.order.program, self.code
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

    def write_derive(self, form: int) -> None:
        """Write the function that applies all rules to the writings of one item of a form."""
        program, code = self.order.program, self.code
        given = parameter_list(program, self.mode, typed=True)
        code.open(f'def derive_{self.mode}{form}({given}, many: "int", item: "int") -> "int":')
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
            names = Names(program, inner, self.layouts)
            writer = self._writer(names, (), [*_ONE, *kind_conditions(program, target)], ())
            inside = code.depth
            for rule in mine:
                number = next((k for k, r in enumerate(self.order.rules) if r.rule == rule.number), None)
                if number is not None:
                    writer.write(number, rule, ())
                code.depth = inside
            code.depth = depth
        code.depth = 1
        code.line("return hit")
        code.depth = 0

    def _look(self) -> None:
        """Stop between items: where the driver says so or the budget is used up; where all rows are written.

        So the rows of a run that was broken off are those that it counted.
        """
        rules = len(self.order.rules)
        if self.mode == "fill":
            stop = f"control[0] != 0 or control[6] != 0 or total(counts, {rules}) > control[1]"
        else:
            stop = f"full(at, ends, {rules}) != 0"
        self.code.line(f"if {stop}:")
        self.code.line("    return 1")
