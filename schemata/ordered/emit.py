"""Writes an ordered kernel: loops over levels, strata and items, and in them one nest of loops a rule.

Functions are made from the same plan. `fill` completes the tables and counts the step instances of each
rule. `rows` runs over completed tables and writes a row of back-pointers for every instance, `codes` only what
the consequent leaves open. They are kernel text (`machine`); what they index is bounded by the constraints that
the loops enforce.

    fill(n, S, R0, ..., O, T0, ..., counts, st, SH, SR, WB, cell)
    rows(n, S, R0, ..., O, I0, ..., at, ends, out, st, SH, SR, WB, cell)

n: words; S: symbols; Rk: the grammar's relations as tables of bytes; O: offsets of the kinds in one numbering
of all places; Tk: for every place of kind k whether the item is there, a byte; where items have several
writings, the number of the item's place plus one instead (negative for a hypothesis); Ik: the number of the
item, -1 for none; at, ends: for every rule, where its next row goes in `out` and where there is no more room;
SH, SR: the set of instances that were met in a turn (`kernels.runtime`); WB: the writings of one item; cell: the
items of one level; st: the state, as in kernels with an agenda, and the entries below.

Items with a normal form are found in normal form, derived in any writing, entered under all. Their writings have one
level, so the items of a level are gathered first, and all rules are applied to each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from schemata.grammars.relations import TABLES
from schemata.kernels import runtime
from schemata.kernels.rewriting import writings_text
from schemata.kernels.runtime import fresh_text
from schemata.machine.text import filled, is_too_deep, nested, with_numbers, with_types
from schemata.order.model import Order
from schemata.ordered.plan import (
    ONE,
    CodeType,
    Layouts,
    Mode,
    Nest,
    PlannedRegion,
    RulePlan,
    arrays_of,
    column_name,
    in_table,
    instance_words,
    kind_conditions,
    layouts_of,
    level_loops,
    planned_items,
    planned_region,
    planned_rule,
    planned_writings,
    row_width,
)
from schemata.ordered.rules import Names, RuleWriter, is_written, when
from schemata.program.duplicates import repeating_rules
from schemata.program.linear import Affine, variable
from schemata.program.model import Program

LIMIT, CELLS, HALT = range(
    runtime.SIZE, runtime.SIZE + 3
)  # entries of the state: instances, rows of cell, a request
CELLS_FULL = runtime.ITEMS_FULL  # why a kernel stopped
MOST_WRITINGS = 64

_FUNCTIONS = '''
def total(counts, size):
    """Return the sum of all counts."""
    x = 0
    for k in range(0, size):
        x += counts[k]
    return x


def full(at, ends, size):
    """Return whether no rule has room for more rows."""
    for k in range(0, size):
        if at[k] < ends[k]:
            return 0
    return 1

'''

_KERNEL = """

def {mode}({parameters}):
    N = n + 2
    {levels}
    return 0
"""

# Between items: a run stops where the driver says so or the budget is used up; rows where all are written, so
# that those of a run that was broken off are the ones that it counted.
_LOOK: Mapping[Mode, str] = {
    "fill": """
if st[STATUS] != 0 or st[HALT] != 0 or total(counts, {rules}) > st[LIMIT]:
    return 1
""",
    "rows": """
if full(at, ends, {rules}) != 0:
    return 1
""",
    "codes": "",
}

_TURN = """
st[STAMP] += 1
st[MET] = 0
"""

# Items with a normal form: those of a level, gathered, then derived; and what derives one
_ITEMS = """
{range}
    {look}
    cells = 0
    {gathered}
    for q in range(0, cells):
        {turn}
        for c in range({width}):
            WB[c] = cell[q * {width} + c]
        many = written(n, WB, {most})
        if many < 0:
            st[STATUS] = WRITINGS_FULL
            return 1
        {derived}
"""

_GATHERED = """
if cells == st[CELLS]:
    st[STATUS] = CELLS_FULL
    return 1
{entered}
if is_normal(n, cell, cells * {width}):
    cells += 1
"""

_DERIVED: Mapping[Mode, str] = {
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


def emit_ordered(order: Order, mode: Mode, code_type: CodeType = "u8") -> str:
    """Return the text of one of a schema's ordered kernels, `fill`, `rows` or `codes`, with the functions it needs.

    Raises
    ------
    ValueError, NotLowerable : the program is beyond what ordered kernels do; the message says why.
    """
    program = order.program
    forms = [form for form, equations in sorted(program.equations.items()) if equations]
    if mode == "codes" and forms:
        raise ValueError("items with a normal form have no codes")
    arrays = arrays_of(program, mode, code_type)
    frame = _Frame(order, mode, ", ".join(["n", "S", *arrays]))
    text = _FUNCTIONS.lstrip("\n") + fresh_text(instance_words(program))
    text += writings_text(program, row_width(program) - 1, asked=True) if forms else ""
    text += "".join(frame.derive(form) for form in forms) + frame.kernel(forms)
    if is_too_deep(text):
        raise ValueError("a step takes too many loops, one in another")
    of_functions = dict.fromkeys(("counts", "at", "ends"), "i64[]")
    return with_types(with_numbers(with_numbers(text, globals()), vars(runtime)), {**of_functions, **arrays})


class _Frame:
    """A kernel under construction."""

    def __init__(self, order: Order, mode: Mode, parameters: str) -> None:
        self.order, self.mode, self.parameters = order, mode, parameters
        self.program = order.program
        self.layouts = layouts_of(order)
        self.repeating = repeating_rules(order.program)
        self.width = row_width(order.program)
        self.look = filled(_LOOK[mode], rules=len(order.rules))

    def kernel(self, forms: Iterable[int]) -> str:
        """Return the kernel: its loops over levels, and what they do."""
        order = self.order
        blocks = [self.items(form) for form in forms]
        for stratum in range(order.strata):
            for region in order.regions:
                if not is_written(self.program, region.kind):
                    planned = planned_region(order, region, stratum, self.mode, self.repeating)
                    blocks += [] if planned is None else [self.region(planned)]
        names = Names(self.program, {f"s{k}": f"s{k}" for k in range(order.depth)}, self.layouts)
        levels = [names.loop(*loops) for loops in level_loops(order)] if order.rules else []
        return filled(_KERNEL, mode=self.mode, parameters=self.parameters, levels=nested([*levels, *blocks]))

    def _names(self, kind: int, column: Callable[[int], str] = "c{}".format) -> Names:
        """Return the names of levels and of a kind's columns."""
        known = {f"s{k}": f"s{k}" for k in range(self.order.depth)}
        known |= {column_name(k): column(k) for k in range(len(self.program.kinds[kind].columns))}
        return Names(self.program, known, self.layouts)

    def region(self, planned: PlannedRegion) -> str:
        """Return the loops over a region's items on the level, and the rules that derive them."""
        kind = planned.region.kind
        names = self._names(kind)
        lines = [*names.heads(planned.loops, self.look), *names.assignments(planned.columns)]
        if not planned.columns and not planned.loops.loops:
            lines.append(self.look)
        repeats = any(rule.plan.rule.number in self.repeating for rule in planned.rules)
        if repeats:
            lines += [_TURN, "hit = 0"]
        writer = RuleWriter(names, self.mode, self.repeating, planned.lanes)
        lines += map(writer.text, planned.rules)
        if repeats and self.mode == "fill":
            lines.append(nested(["if hit != 0:", f"T{kind}[{names.place(kind)}] |= 1"]))
        return f"# kind {kind}, region {planned.region.number}\n{nested(lines)}"

    # Normal forms

    def items(self, form: int) -> str:
        """Return the loops over the items of a form with a normal form, and the rules for all their writings.

        Items of one level are gathered first, so that the long function that derives one stands in one place.
        The regions of antecedents do not matter here: all writings of an item are on one level.
        """
        order, program, width = self.order, self.program, self.width
        planned = planned_items(order, form)
        if not planned:
            return ""
        numbers = {one.region.number for one in planned}
        if any(rule.stratum for rule in order.rules if rule.consequent in numbers):
            raise ValueError("items with a normal form that may be derived from others of their level")
        if any(column_name(0) in one.columns for one in planned):
            raise ValueError("a level that determines the first field of items with a normal form")

        def places(row: str, text: str) -> str:
            """Return what is done with the place of the writing in a row of WB, by its kind."""
            blocks = []
            for kind in (kind.number for kind in program.kinds if kind.form == form):
                place = self._names(kind, f"WB[{row} * {width} + 1 + {{}}]".format).place(kind)
                blocks.append(
                    nested([f"if WB[{row} * {width}] == {kind}:", filled(text, kind=kind, place=place)])
                )
            return "\n".join(blocks)

        found = "item = I{kind}[{place}]"
        if self.mode == "fill":
            found = "old, new = T{kind}[{place}], O[{kind}] + {place} + 1"
        derived = filled(
            _DERIVED[self.mode],
            form=form,
            parameters=self.parameters,
            places=places("0", found),
            entered=places("w", "T{kind}[{place}] = new"),
        )
        return filled(
            _ITEMS,
            range=self._names(planned[0].region.kind).loop(*(one.loops.loops[0] for one in planned)),
            look=self.look,
            gathered="\n".join(map(self._gathered, planned)),
            turn=_TURN,
            width=width,
            most=MOST_WRITINGS,
            derived=derived,
        )

    def _gathered(self, planned: PlannedRegion) -> str:
        """Return the loops that gather a region's possible items with this first column."""
        kind = planned.region.kind
        names = self._names(kind)
        first, *others = planned.loops.loops
        c0 = variable(first.variable)
        bounds = [*(c0 - low for low in first.lows), *(high - c0 for high in first.highs)]
        tests = when(names.holds([*planned.loops.checks, *bounds, *first.checks]))
        columns = [f"c{k}" for k in range(len(self.program.kinds[kind].columns))]
        row = [str(kind), *columns, *["0"] * (self.width - 1 - len(columns))]
        entered = "\n".join(f"cell[cells * {self.width} + {k}] = {entry}" for k, entry in enumerate(row))
        gathered = filled(_GATHERED, entered=entered, width=self.width)
        heads = names.heads(Nest((), tuple(others)))
        lines = nested([*tests, *heads, *names.assignments(planned.columns), gathered])
        return f"# kind {kind}, region {planned.region.number}\n{lines}"

    def derive(self, form: int) -> str:
        """Return the function that applies all rules to the writings of one item of a form."""
        blocks = []
        for kind in self.program.kinds:
            rules = planned_writings(self.order, kind.number) if kind.form == form else []
            if rules:
                writer = RuleWriter(self._names(kind.number, "w{}".format), self.mode, self.repeating)
                columns = [f"w{k} = WB[w * {self.width} + {k + 1}]" for k in range(len(kind.columns))]
                blocks.append(nested([f"if kind == {kind.number}:", *columns, *map(writer.text, rules)]))
        rules_text = "\n".join(blocks) or "pass"
        return filled(_DERIVE, form=form, parameters=self.parameters, width=self.width, rules=rules_text)


def expanders(program: Program, layouts: Layouts) -> Mapping[int, Callable[..., None]]:
    """Return, by kind, the function that appends the instances that derive one writing of an item.

    Its arguments are n, S, the tables of relations, those of numbers of all kinds, the columns, the item's number and a
    list, to which (step or -1, rule, row) is appended; rows with a step may come more than once.
    """
    texts = []
    tables = ", ".join(f"I{kind.number}" for kind in program.kinds)
    repeating = repeating_rules(program)
    for kind in program.kinds:
        columns = {column_name(k): f"c{k}" for k in range(len(kind.columns))}
        parameters = ", ".join(["n, S", *TABLES, tables, *columns.values(), "item", "found"])
        context = [*ONE, *kind_conditions(program, kind.number)]
        writer = RuleWriter(Names(program, columns, layouts), "expand", repeating)

        def places(plan: RulePlan) -> list[Affine]:
            """Return that antecedents are in their tables: this is not told what is proved of items."""
            return [
                side
                for atom in plan.antecedents
                for side in in_table(program.kinds[atom.kind], atom.terms, "position")
            ]

        rules = (
            planned_rule(program, rule.number, rule, context, places)
            for rule in program.rules
            if rule.consequent.kind == kind.number
        )
        texts.append(
            nested([f"def expand{kind.number}({parameters}):", "N = n + 2", *map(writer.text, rules)])
        )
    space: dict[str, Any] = {}
    exec(compile("\n\n".join(texts), "<expand>", "exec"), space)
    return {kind.number: space[f"expand{kind.number}"] for kind in program.kinds}
