"""Writes an ordered kernel: loops over levels, strata and items, and in them one nest of loops a rule.

Functions are made from the same plan. `fill` completes the tables and counts the step instances of each
rule. `rows` runs over completed tables and writes a row of back-pointers for every instance, `codes` only what
the consequent leaves open. They are kernel text (`kernels/machine`); what they index is bounded by the
constraints that the loops enforce.

    fill(n, S, R0, ..., O, T0, ..., counts, control, found, key, WB, cell)
    rows(n, S, R0, ..., O, I0, ..., at, ends, out, control, found, key, WB, cell)

n: words; S: symbols; Rk: the grammar's relations as tables of bytes; O: offsets of the kinds in one numbering
of all places; Tk: for every place of kind k whether the item is there, a byte; where items have several
writings, the number of the item's place plus one instead (negative for a hypothesis); Ik: the number of the
item, -1 for none; at, ends: for every rule, where its next row goes in `out` and where there is no more room;
found, key: a set of what one item's rules have found; WB: the writings of one item; cell: the items of one
level; control: a request to stop, the limit of instances, the turn and the size of the set, its places, the
rows of cell.

Items with a normal form are found in normal form, derived in any writing, entered under all. Their writings have one
level, so the items of a level are gathered first, and all rules are applied to each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from schemata.kernels.rewriting import writings_text
from schemata.machine.text import filled, nested
from schemata.order.model import Order, OrderedRule, Region
from schemata.ordered.plan import (
    CodeType,
    Layouts,
    Mode,
    Nest,
    Nests,
    arrays_of,
    column_name,
    kind_conditions,
    kind_terms,
    kinds_of,
    layouts_of,
    level_of,
    measured_columns,
    nest,
    plan_rule,
    region_invariants,
    row_width,
    set_width,
    solved_by_level,
    step_numbers,
)
from schemata.ordered.rules import RuleWriter, open_nest, region_constraints
from schemata.ordered.text import MOST_WRITINGS, Names, finished, when
from schemata.program.duplicates import repeating_rules
from schemata.program.linear import Affine, variable

ONE = [variable("n") - 1]  # terms that are at least 0: a sentence has a word


def emit_ordered(order: Order, mode: Mode, code_type: CodeType = "u8", nests: Nests | None = None) -> str:
    """Return the text of one of a schema's ordered kernels, `fill`, `rows` or `codes`, with the functions it needs.

    `nests` takes note of the loops that are written.

    Raises
    ------
    ValueError, NotLowerable : the program is beyond what ordered kernels do; the message says why.
    """
    program = order.program
    forms = [form for form, equations in sorted(program.equations.items()) if equations]
    if mode == "codes" and forms:
        raise ValueError("items with a normal form have no codes")
    frame = _Frame(order, layouts_of(order), mode, nests)
    text = writings_text(program, row_width(program) - 1, asked=True) if forms else ""
    for form in forms:
        text += f"\n\n{frame.derive(form)}\n"
    text += f"\n\n{frame.kernel(forms)}\n"
    return finished(text, set_width(program), arrays_of(program, mode, code_type))


_GATHERED = """
if cells == control[CELLS]:
    control[STOP] = CELLS_FULL
    return 1
{written}
if is_normal(n, cell, cells * {width}):
    cells += 1
"""

_ITEMS = """
for c0 in {range}:
    {look}
    cells = 0
    {gathered}
    for q in range(0, cells):
        control[TURN] += 1
        control[FOUND] = 0
        for c in range({width}):
            WB[c] = cell[q * {width} + c]
        many = written(n, WB, {most})
        if many < 0:
            control[STOP] = MANY_WRITINGS
            return 1
        {derived}
"""

_DERIVED = {
    "rows": """
item = -1
{places}
if item >= 0:
    derive{form}({parameters}, many, item)
""",
    "fill": """
if derive{form}({parameters}, many, 0) != 0:
    old = 0
    new = 0
    {places}
    for w in range(0, many if old >= 0 else 0):
        {entered}
""",
}

_DERIVE = """
def derive{form}({parameters}, many, item):
    N = n + 2
    hit = 0
    for w in range(0, many):
        kind = WB[w * {width}]
        {rules}
    return hit
"""

_KERNEL = """
def {mode}({parameters}):
    N = n + 2
    {levels}
    return 0
"""


@dataclass(slots=True)
class _Frame:
    """A kernel under construction; `nests` takes note of its loops, where they are asked for."""

    order: Order
    layouts: Layouts
    mode: Mode
    nests: Nests | None = None
    repeating: frozenset[int] = field(init=False)

    def __post_init__(self) -> None:
        self.repeating = repeating_rules(self.order.program)

    @property
    def parameters(self) -> str:
        """The parameters of the kernel."""
        return ", ".join(["n", "S", *arrays_of(self.order.program, self.mode)])

    @property
    def look(self) -> str:
        """Stops between items: where the driver says so or the budget is used up; where all rows are written.

        So the rows of a run that was broken off are those that it counted.
        """
        rules = len(self.order.rules)
        stop = f"full(at, ends, {rules}) != 0"
        if self.mode == "fill":
            stop = f"control[STOP] != 0 or control[HALT] != 0 or total(counts, {rules}) > control[LIMIT]"
        return nested([f"if {stop}:", "return 1"])

    def derived_regions(self) -> list[Region]:
        """Return the regions of items that rules derive: where there is a normal form, all of the form's."""
        order, kinds = self.order, self.order.program.kinds
        used = {rule.consequent for rule in order.rules}
        forms = {kinds[order.regions[number].kind].form for number in used}
        written = {form for form in forms if order.program.equations.get(form)}
        return [r for r in order.regions if r.number in used or kinds[r.kind].form in written]

    def rule_writer(
        self, names: Names, lanes: Sequence[str], context: Sequence[Affine], own: Sequence[Affine]
    ) -> RuleWriter:
        """Return what writes rules inside loops over their consequents; see `RuleWriter` for what is given."""
        program = self.order.program
        measured = [measured_columns(self.order, k.number) for k in program.kinds]
        steps = step_numbers(program)
        return RuleWriter(
            program, self.mode, names, lanes, context, own, self.repeating, steps, measured, self.nests
        )

    def kernel(self, forms: Sequence[int]) -> str:
        """Return the kernel: its loops over levels, and what they do."""
        order = self.order
        kinds = order.program.kinds
        blocks: list[str] = [self.items(form) for form in forms]
        for stratum in range(order.strata):
            for region in order.regions:
                mine = [
                    (number, rule)
                    for number, rule in enumerate(order.rules)
                    if rule.stratum == stratum and rule.consequent == region.number
                ]
                if mine and not order.program.equations.get(kinds[region.kind].form):
                    blocks.append(self.region(region, mine))
        levels = nested([*self.levels(), *blocks]) if order.rules else ""
        return filled(_KERNEL, mode=self.mode, parameters=self.parameters, levels=levels)

    def levels(self) -> list[str]:
        """Return the heads of the loops over levels."""
        order = self.order
        variables = [f"s{k}" for k in range(order.depth)]
        names = Names(order.program, {v: v for v in variables}, self.layouts)
        nests = []
        for region in self.derived_regions():
            constraints = region_invariants(order, region)
            for v, term in zip(variables, level_of(order, region), strict=True):
                constraints += [variable(v) - term, term - variable(v)]
            columns = [t.names[0] for t in kind_terms(order.program, region.kind)]
            nests.append(nest(constraints, [*variables, *columns], ONE))
        if self.nests is not None:
            self.nests.levels = tuple(nests)
        return [
            f"for {v} in {names.range([x.loops[k].lows for x in nests], [x.loops[k].highs for x in nests])}:"
            for k, v in enumerate(variables)
        ]

    def _names(self, kind: int) -> Names:
        """Return the names of levels and of a kind's columns."""
        known = {f"s{k}": f"s{k}" for k in range(self.order.depth)}
        known |= {column_name(k): f"c{k}" for k in range(len(self.order.program.kinds[kind].columns))}
        return Names(self.order.program, known, self.layouts)

    def region(self, region: Region, rules: Sequence[tuple[int, OrderedRule]]) -> str:
        """Return the loops over a region's items on the level, and the rules that derive them."""
        order, program = self.order, self.order.program
        kind = program.kinds[region.kind]
        remembered = any(program.rules[r.rule].number in self.repeating for _, r in rules)
        measured = measured_columns(order, region.kind)
        columns = [column_name(k) for k in self.layouts[kind.number]]
        plain = [column_name(k) for k in range(len(kind.columns)) if k not in measured]
        lanes = [] if remembered or self.mode == "codes" else [x for x in columns if x in plain]
        main = [x for x in columns if x not in lanes]
        names = self._names(kind.number)
        invariants = region_invariants(order, region)
        outer = [c for c in invariants if not any(x in lanes for x in c.names)]
        solved, around = self._around(region, main, lanes)
        look = self.look if self.mode != "codes" else ""
        lines = [*open_nest(names, around, look), *_solved(names, solved)]
        if not solved and not around.loops:
            lines.append(look)
        if remembered:
            lines += ["control[TURN] += 1", "control[FOUND] = 0", "hit = 0"]
        writer = self.rule_writer(names, lanes, [*ONE, *outer], [c for c in invariants if c not in outer])
        for number, ordered in rules:
            rule = program.rules[ordered.rule]
            lines.append(
                writer.text(number, rule, region_constraints(order, ordered, plan_rule(program, rule)))
            )
        if remembered and self.mode == "fill":
            place = names.place(kind.number, kind_terms(program, kind.number))
            lines.append(nested(["if hit != 0:", f"T{kind.number}[{place}] |= 1"]))
        return f"# kind {kind.number}, region {region.number}\n{nested(lines)}"

    def _around(
        self, region: Region, columns: list[str], lanes: Sequence[str] = ()
    ) -> tuple[dict[str, Affine], Nest]:
        """Return the columns that the level determines, and the loops over the other ones."""
        solved, rest = solved_by_level(level_of(self.order, region), columns)
        constraints = [c.substitute(solved) for c in region_invariants(self.order, region)]
        constraints += [sign for left in rest for sign in (left, -left)]
        kept = [c for c in constraints if not any(x in lanes for x in c.names)]
        loops = nest(kept, [x for x in columns if x not in solved], ONE)
        if self.nests is not None:
            self.nests.regions[region.number] = (loops, solved)
        return solved, loops

    # Normal forms

    def items(self, form: int) -> str:
        """Return the loops over the items of a form with a normal form, and the rules for all their writings.

        Items of one level are gathered first, so that the long function that derives one stands in one place.
        The regions of antecedents do not matter here: all writings of an item are on one level.
        """
        order, program, width = self.order, self.order.program, row_width(self.order.program)
        regions = [r for r in self.derived_regions() if program.kinds[r.kind].form == form]
        if not regions:
            return ""
        if any(rule.stratum for rule in order.rules if order.regions[rule.consequent] in regions):
            raise ValueError("items with a normal form that may be derived from others of their level")
        nests = []
        for region in regions:
            columns = [column_name(k) for k in range(len(program.kinds[region.kind].columns))]
            solved, loops = self._around(region, columns)
            if column_name(0) in solved:
                raise ValueError("a level that determines the first field of items with a normal form")
            nests.append((region, solved, loops))
        first = [loops.loops[0] for _, _, loops in nests]

        def places(row: str, text: str) -> Iterable[str]:
            for kind in kinds_of(program, form):
                place = self._place(kind, row)
                yield nested([f"if WB[{row} * {width}] == {kind}:", text.format(kind=kind, place=place)])

        found = "item = I{kind}[{place}]"
        if self.mode == "fill":
            found = "old, new = T{kind}[{place}], O[{kind}] + {place} + 1"
        derived = filled(
            _DERIVED[self.mode],
            form=form,
            parameters=self.parameters,
            places="\n".join(places("0", found)),
            entered="\n".join(places("w", "T{kind}[{place}] = new")),
        )
        return filled(
            _ITEMS,
            range=self._names(regions[0].kind).range([x.lows for x in first], [x.highs for x in first]),
            look=self.look,
            gathered="\n".join(self._gathered(*row) for row in nests),
            width=width,
            most=MOST_WRITINGS,
            derived=derived,
        )

    def _gathered(self, region: Region, solved: dict[str, Affine], loops: Nest) -> str:
        """Return the loops that gather a region's possible items with this first column."""
        names, width = self._names(region.kind), row_width(self.order.program)
        first, *others = loops.loops
        c0 = variable(first.variable)
        bounds = [*(c0 - low for low in first.lows), *(high - c0 for high in first.highs)]
        tests = when(names.holds([*loops.checks, *bounds, *first.checks]))
        columns = [f"c{k}" for k in range(len(self.order.program.kinds[region.kind].columns))]
        row = [str(region.kind), *columns, *["0"] * (width - 1 - len(columns))]
        written = "\n".join(f"cell[cells * {width} + {k}] = {entry}" for k, entry in enumerate(row))
        gathered = filled(_GATHERED, written=written, width=width)
        lines = [*tests, *open_nest(names, Nest((), tuple(others))), *_solved(names, solved), gathered]
        return f"# kind {region.kind}, region {region.number}\n{nested(lines)}"

    def _place(self, kind: int, row: str) -> str:
        """Return the place of a writing that stands in a row of WB."""
        program = self.order.program
        width = row_width(program)
        columns = range(len(program.kinds[kind].columns))
        names = {column_name(k): f"WB[{row} * {width} + {k + 1}]" for k in columns}
        return Names(program, names, self.layouts).place(kind, kind_terms(program, kind))

    def derive(self, form: int) -> str:
        """Return the function that applies all rules to the writings of one item of a form."""
        program, width = self.order.program, row_width(self.order.program)
        numbers: dict[int, int] = {}
        for number, ordered in enumerate(self.order.rules):
            numbers.setdefault(ordered.rule, number)
        blocks = []
        for kind in kinds_of(program, form):
            mine = [r for r in program.rules if r.consequent.kind == kind and r.number in numbers]
            if not mine:
                continue
            known = {column_name(k): f"w{k}" for k in range(len(program.kinds[kind].columns))}
            names = Names(program, known, self.layouts)
            writer = self.rule_writer(names, (), [*ONE, *kind_conditions(program, kind)], ())
            columns = [f"w{k} = WB[w * {width} + {k + 1}]" for k in range(len(known))]
            rules = [writer.text(numbers[rule.number], rule, ()) for rule in mine]
            blocks.append(nested([f"if kind == {kind}:", *columns, *rules]))
        return filled(
            _DERIVE, form=form, parameters=self.parameters, width=width, rules="\n".join(blocks) or "pass"
        )


def _solved(names: Names, solved: dict[str, Affine]) -> list[str]:
    """Return the assignments to columns that the level determines."""
    return [f"{names.variables[x]} = {names.term(value)}" for x, value in solved.items()]
