"""Writes an ordered kernel: loops over levels, strata and items, and in them one nest of loops a rule.

Functions are made from the same plan. `fill` completes the tables and counts the step instances of each
rule. `rows` runs over completed tables and writes a row of back-pointers for every instance, `codes` only the values
that the consequent leaves open. They are kernel text (`machine`); their indices are bounded by the constraints that
the loops enforce.

    fill(n, S, R0, ..., O, T0, ..., counts, st, SH, SR, WB, cell)
    rows(n, S, R0, ..., O, I0, ..., at, ends, out, st, SH, SR, WB, cell)
    weigh(n, S, R0, ..., O, W0, ..., V0_1, ..., H0, ..., M, E, st, SH, SR, WB, cell)
    walk(n, S, R0, ..., O, W0, ..., V0_1, ..., H0, ..., K, heads, out, st, SH, SR, WB, cell)
    share(n, S, R0, ..., O, W0, ..., V0_1, ..., H0, ..., D0, ..., G, st, SH, SR, WB, cell)

n: words; S: symbols; Rk: the grammar's relations as tables of bytes; O: offsets of the kinds in one numbering of all
places; Tk: for every place of kind k whether the item is there, a byte; where items have several writings, instead
twice the number of the item's place plus one (negative for a hypothesis), and one more where this item has several; Ik:
the number of the item, -1 for none; at, ends: for every rule, where its next row goes in `out` and where there is no
more room; Vk_c: the weight at every place of kind k, where neighbours differ in column c (a loop along another column
would read far apart); Wc, Uc: the scores of links, of licensed ones and of all; Ak_c: the weights of a step by some of
its variables; Hk: whether the item is a hypothesis, a byte; M, E: the sums over lanes; Dk, G, Bk: the shares of items,
of links and of weights of steps in the total; K: the items that are still to be derived; heads: the head of every word;
out: the choices; Q: the weights of their steps; SH, SR: the set of instances that were met in a turn
(`kernels.runtime`); WB: the writings of one item; cell: the items of one level; st: the state, as in kernels with an
agenda, and the entries below.

Items with a normal form are found in normal form, derived in any writing, entered under all. Their writings have one
level, so the items of a level are gathered first, and all rules are applied to each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from schemata.grammars.relations import TABLES
from schemata.kernels import runtime
from schemata.machine.text import filled, is_too_deep, nested, with_numbers, with_types
from schemata.order.model import Order
from schemata.ordered import plan as p
from schemata.ordered.rules import Names, RuleWriter, WeightAlgebra, when
from schemata.program.facts import facts_of, follows
from schemata.program.instances import agreeing_rules, repeating_rules
from schemata.program.linear import Affine, Linear, variable
from schemata.program.model import Program
from schemata.program.plan import Range, Require, column_name, levels
from schemata.program.rewriting import Rewriting
from schemata.thresholds import WAYS

# Entries of the state: instances, rows of cell, a request; numbers of items, of hypotheses, and room on the way down
LIMIT, CELLS, HALT, NUMBER, GIVEN, ROOM, STATES = range(runtime.SIZE, runtime.SIZE + 7)
CELLS_FULL = runtime.ITEMS_FULL  # why a kernel stopped

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

_REGION = """

@apart
def region{number}({parameters}):
    N = n + 2
    {text}
    return 0
"""

# Between items: a run stops where the driver says so or the budget is used up; rows where all are written, so
# that those of a run that was broken off are the ones that it counted.
_LOOK: Mapping[p.Mode, str] = {
    "fill": """
if st[STATUS] != 0 or st[HALT] != 0 or total(counts, {rules}) > st[LIMIT]:
    return 1
""",
    "rows": """
if full(at, ends, {rules}) != 0:
    return 1
""",
    "codes": "",
    "weigh": """
if st[STATUS] != 0 or st[HALT] != 0:
    return 1
""",
    "share": "",
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

_DERIVED: Mapping[p.Mode, str] = {
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
    "weigh": """
old = 0
{places}
if old == 0 and derive{form}({parameters}, many, 0) != 0:
    st[NUMBER] += 1
    new = 2 * st[NUMBER] + min(many - 1, 1)
    V[new] = M[0]
    for w in range(0, many):
        {entered}
""",
}

_DERIVE_WEIGHT = """

def derive{form}({parameters}, many, item):
    N = n + 2
    {phases}
    if x > {least}:
        M[0] = {result}
        return 1
    return 0
"""

_WRITINGS = """
for w in range(0, many):
    kind = WB[w * {width}]
    {rules}
"""

# Down the best derivation: what is still to be derived lies on a stack
_WALK = """

def walk({parameters}):
    N = n + 2
    size = 1
    met = 0
    while size > 0:
        size -= 1
        kind = K[size * {width}]
        {columns}
        x = {zero}
        best = -1
        item = 0
        {searched}
        if (size + {most}) * {width} > st[ROOM] or (met + 1) * {choices} > st[ROOM]:
            return -1
        out[met * {choices}] = best
        {pushed}
        met += 1
    return met
"""

_SEARCHED = """
if {test}:
    for c in range({width}):
        WB[c] = K[size * {width} + c]
    done = normal(n, WB, 0)
    many = written(n, WB, {most})
    {places}
    if item > 2 * st[GIVEN] + 1:
        {rules}
"""

_DERIVE = """

def derive{form}({parameters}, many, item):
    N = n + 2
    hit = 0
    {rules}
    return hit
"""


def emit_ordered(order: Order, mode: p.Mode, code_type: p.CodeType = "u8") -> str:
    """Return the text of one of a schema's ordered kernels, `fill`, `rows` or `codes`, with the functions it needs.

    Raises
    ------
    ValueError, NotLowerable : ordered kernels cannot express the program; the message says why.
    """
    frame = _Frame(order, mode, code_type=code_type)
    if mode == "codes" and frame.forms:
        raise ValueError("items with a normal form have no codes")
    return _typed(_FUNCTIONS.lstrip("\n") + frame.text(), frame.arrays)


def _typed(text: str, arrays: Mapping[str, str]) -> str:
    """Return the text of a kernel with its arrays' types, and numbers in place of names in capitals."""
    if is_too_deep(text):
        raise ValueError("a step needs too many nested loops")
    of_functions = dict.fromkeys(("counts", "at", "ends"), "i64[]")
    return with_types(with_numbers(with_numbers(text, globals()), vars(runtime)), {**of_functions, **arrays})


def emit_weighing(order: Order, algebra: WeightAlgebra) -> tuple[str, str, tuple[tuple[int, int], ...]]:
    """Return the texts of `weigh` and of `walk` for an algebra, and the tables of weights that they read.

    Raises
    ------
    ValueError, NotLowerable : ordered kernels cannot express the program; the message says why.
    """
    frame = _Frame(order, "weigh", algebra)
    frame.check_weights()
    walk = p.arrays_of(order.program, "walk", views=frame.views)
    text = _typed(frame.text().lstrip("\n"), frame.arrays)
    return text, _typed(frame.walk(", ".join(["n", "S", *walk])), walk), tuple(sorted(frame.views))


def emit_shares(order: Order, algebra: WeightAlgebra, views: p.Views) -> str:
    """Write `share`, which runs the proved order backwards over the tables of `weigh`.

    An item's share of the total goes to the hyperedges that derive it, each in proportion to its product, and from each
    to its antecedents and links: derivatives of the logarithm of the total (Eisner 2016, Inside-outside and
    forward-backward algorithms are just backprop).

    Raises
    ------
    ValueError : items with a normal form, whose writings share one weight.
    """
    frame = _Frame(order, "share", algebra, views=views)
    if frame.forms:
        raise ValueError("items with a normal form have no shares")
    return _typed(frame.text().lstrip("\n"), frame.arrays)


class _Frame:
    """A kernel under construction."""

    def __init__(
        self,
        order: Order,
        mode: p.Mode,
        algebra: WeightAlgebra | None = None,
        code_type: p.CodeType = "u8",
        views: p.Views | None = None,
    ) -> None:
        self.order, self.mode, self.algebra = order, mode, algebra
        self.program = order.program
        self.forms = [form for form, equations in sorted(order.program.equations.items()) if equations]
        self.layouts = p.layouts_of(order)
        self.derived = p.derived_hypotheses(order.program)
        self.repeating = repeating_rules(order.program, hyperedges=algebra is not None)
        if algebra is not None and algebra.is_idempotent:
            self.repeating = {}
        self.planned = list(p.planned_regions(order, mode, self.repeating))
        rules = [rule for planned in self.planned for rule in planned.rules]
        if algebra is not None:
            written = [k.number for k in self.program.kinds if p.is_written(self.program, k.number)]
            rules += [rule for kind in written for rule in p.planned_writings(order, kind)]
        self.views = p.views_of(self.program, self.layouts, rules) if views is None else views
        if (
            algebra is not None and views is None
        ):  # the way down has rules that no order has: they never apply
            turned = [p.turned_rule(self.program, rule) for rule in self.program.rules]
            self.views |= {(atom.kind, 1) for rule in turned for atom in p.link_atoms(rule)}
            known = p.weighed_views(self.views)
            weighed = {a.kind: len(a.terms) - 1 for rule in turned for a in rule.weighed}
            self.views |= (weighed | known).items()
        self.weighed = p.weighed_views(self.views)
        if mode == "share":  # items after those that they help to derive
            self.planned.reverse()
        self.arrays = p.arrays_of(self.program, mode, code_type, self.views)
        self.parameters = ", ".join(["n", "S", *self.arrays])
        self.width = p.row_width(order.program)
        self.look = filled(_LOOK[mode], rules=len(order.rules))

    def text(self) -> str:
        """Return the kernel with the functions it calls."""
        text = runtime.fresh_text(self.program.instance_words)
        if self.forms:
            text += Rewriting.of(self.program).text(self.width - 1, asked=True)
        return "".join([text, *map(self.derive, self.forms), self.kernel()])

    def kernel(self) -> str:
        """Return the kernel: its loops over levels, and their bodies."""
        order = self.order
        regions = [self.region(planned) for planned in self.planned]
        apart = ""
        if self.algebra is not None and len(regions) >= WAYS.regions_apart:
            functions = [self._apart(number, text) for number, text in enumerate(regions)]
            apart, regions = "".join(text for text, _ in functions), [call for _, call in functions]
        blocks = [*map(self.items, self.forms), *regions]
        names = Names(self.program, {f"s{k}": f"s{k}" for k in range(order.depth)}, self.layouts)
        around: list[str] = []
        for level in p.level_loops(order) if order.rules else ():
            if self.mode == "share":
                around += names.loop_down(level)
            else:
                around.append(names.loop(level))
        kernel = filled(
            _KERNEL, mode=self.mode, parameters=self.parameters, levels=nested([*around, *blocks])
        )
        return apart + kernel

    def _apart(self, number: int, text: str) -> tuple[str, str]:
        """Return a function with the text of a region, and its call: LLVM's time grows faster than a function."""
        words = set(re.findall(r"\w+", text))
        used = ["n", *(name for name in ("S", *self.arrays) if name in words)]
        parameters = ", ".join([*used, *(f"s{k}" for k in range(self.order.depth))])
        call = f"if region{number}({parameters}) != 0:\n    return 1"
        return filled(_REGION, number=number, parameters=parameters, text=text), call

    def _names(self, kind: int, column: Callable[[int], str] = "c{}".format) -> Names:
        """Return the names of levels and of a kind's columns."""
        known = {f"s{k}": f"s{k}" for k in range(self.order.depth)}
        known |= {column_name(k): column(k) for k in range(len(self.program.kinds[kind].columns))}
        return Names(self.program, known, self.layouts, self.weighed)

    def region(self, planned: p.PlannedRegion) -> str:
        """Return the loops over a region's items on the level, and the rules that derive them."""
        kind = planned.region.kind
        names = self._names(kind)
        lines = [*names.heads(planned.loops, {0: [self.look]}), *names.assignments(planned.columns)]
        if not planned.columns and not p.ranges(planned.loops):
            lines.append(self.look)
        if self.algebra is not None and self.mode == "share":
            lines += self.shared_out(planned, names, self.algebra)
            return f"# kind {kind}, region {planned.region.number}\n{nested(lines)}"
        if self.algebra is not None:
            lines += self.added_up(planned, names, self.algebra)
            return f"# kind {kind}, region {planned.region.number}\n{nested(lines)}"
        repeats = any(rule.turned.rule.number in self.repeating for rule in planned.rules)
        if repeats:
            lines += [_TURN, "hit = 0"]
        writer = RuleWriter(names, self.mode, self.repeating, planned.lanes)
        lines += map(writer.text, planned.rules)
        if repeats and self.mode == "fill":
            lines.append(nested(["if hit != 0:", f"T{kind}[{names.place(kind)}] |= 1"]))
        return f"# kind {kind}, region {planned.region.number}\n{nested(lines)}"

    # Weights

    def check_weights(self) -> None:
        """Refuse hyperedges and links that kernels cannot weigh.

        Raises
        ------
        ValueError : a hyperedge may be found in different strata, or a link may end beyond the sentence.
        """
        strata: dict[int, set[int]] = {}
        for rule in self.order.rules:
            strata.setdefault(rule.rule, set()).add(rule.stratum)
        pairs = [(rule, rule) for rule in self.repeating]
        pairs += agreeing_rules(self.program, hyperedges=True) if self.repeating else []
        if any(len(strata.get(one, set()) | strata.get(other, set())) > 1 for one, other in pairs):
            raise ValueError("hyperedges that may be found at different times")
        for turned in (p.turned_rule(self.program, rule) for rule in self.program.rules):
            known = [*turned.constraints, *p.kind_conditions(self.program, turned.rule.consequent.kind)]
            facts = facts_of(Linear(">=", side) for side in (*p.ONE, *known))
            for atom in p.link_atoms(turned):
                sides = [side for end in atom.terms for side in (end, variable("n") + 1 - end)]
                if atom.kind == p.UNLICENSED and not all(follows(facts, side) for side in sides):
                    raise ValueError("links that may end beyond the sentence")
            for term in (term for atom in turned.weighed for term in atom.terms):
                if not follows(facts, term) or not follows(facts, variable("n") + 1 - term):
                    raise ValueError("steps that are weighed by what may lie beyond the sentence")
            if turned.weighed and turned.rule.number in self.repeating:
                raise ValueError("weighed steps of which one hyperedge may be found several times")

    def added_up(self, planned: p.PlannedRegion, names: Names, algebra: WeightAlgebra) -> list[str]:
        """Return the phases of an algebra over the rules of a region, and the entry of the sum in all tables."""
        kind = planned.region.kind
        writer = RuleWriter(names, self.mode, self.repeating, planned.lanes, algebra)
        # with one stratum every weight is entered once, so that there is nothing yet
        sums, old = writer.sums(), names.weight(kind) if self.order.strata > 1 else repr(algebra.zero)

        def over_lanes(*lines: str) -> str:
            return nested([*names.heads(planned.over_lanes), "\n".join(lines)])

        entries = [
            f"{p.view_name(kind, last)}[{names.place(kind, (), last)}] = y"
            for k, last in sorted(self.views)
            if k == kind
        ]
        own = [f"if H{kind}[{names.place(kind)}] == 0:"] * (kind in self.derived)
        lines: list[str] = []
        for k, phase in enumerate(algebra.phases):
            repeats = k == len(algebra.phases) - 1 and any(
                r.turned.rule.number in self.repeating for r in planned.rules
            )
            if k and not planned.lanes:
                if self.order.strata == 1:  # the entry of another sentence is not to be read
                    lines.append(nested([*own, f"y = {algebra.zero!r}", *entries]))
                lines.append(f"if x > {algebra.least!r}:")
            lines += [_TURN] if repeats else []
            lines.append(over_lanes(filled(phase.begin, old=old, **sums)))
            lines += [writer.weighed(rule, algebra, k) for rule in planned.rules]
        stored = nested([*own, f"y = {filled(algebra.result, **sums)}", *entries])
        return [*lines, over_lanes(stored)]

    def shared_out(self, planned: p.PlannedRegion, names: Names, algebra: WeightAlgebra) -> Iterator[str]:
        """Yield the text that distributes an item's share among the hyperedges that derive it."""
        kind = planned.region.kind
        place = names.place(kind)
        if kind in self.derived:
            yield f"if H{kind}[{place}] == 0:"
        yield f"a = D{kind}[{place}]"
        yield "if a > 0.0:"
        yield f"x = {names.weight(kind)}"
        if any(rule.turned.rule.number in self.repeating for rule in planned.rules):
            yield _TURN
        writer = RuleWriter(names, self.mode, self.repeating, planned.lanes, algebra)
        yield from (writer.weighed(rule, algebra) for rule in planned.rules)

    # Normal forms

    def items(self, form: int) -> str:
        """Return the loops over the items of a form with a normal form, and the rules for all their writings.

        Items of one level are gathered first, so that the long function that derives one stands in one place.
        The regions of antecedents do not matter here: all writings of an item are on one level.
        """
        order, width = self.order, self.width
        planned = p.planned_items(order, form)
        if not planned:
            return ""
        numbers = {one.region.number for one in planned}
        if any(rule.stratum for rule in order.rules if rule.consequent in numbers):
            raise ValueError("items with a normal form that may be derived from others of their level")
        if any(column_name(0) in one.columns for one in planned):
            raise ValueError("a level that determines the first field of items with a normal form")

        found = {
            "rows": "item = I{kind}[{place}]",
            "fill": "old, new = T{kind}[{place}], 2 * (O[{kind}] + {place} + 1) + min(many - 1, 1)",
            "weigh": "old = T{kind}[{place}]",
        }[self.mode]
        derived = filled(
            _DERIVED[self.mode],
            form=form,
            parameters=self.parameters,
            places=self._at_places(form, "0", found),
            entered=self._at_places(form, "w", "T{kind}[{place}] = new"),
        )
        return filled(
            _ITEMS,
            range=self._names(planned[0].region.kind).loop(
                p.united(p.ranges(one.loops)[0] for one in planned)
            ),
            look=self.look,
            gathered="\n".join(map(self._gathered, planned)),
            turn=_TURN,
            width=width,
            most=WAYS.ordered_writings,
            derived=derived,
        )

    def _at_places(self, form: int, row: str, text: str) -> str:
        """Return the treatment of the place of the writing in a row of WB, by its kind."""
        blocks = []
        for kind in (kind.number for kind in self.program.kinds if kind.form == form):
            place = self._names(kind, f"WB[{row} * {self.width} + 1 + {{}}]".format).place(kind)
            blocks.append(
                nested([f"if WB[{row} * {self.width}] == {kind}:", filled(text, kind=kind, place=place)])
            )
        return "\n".join(blocks)

    def _gathered(self, planned: p.PlannedRegion) -> str:
        """Return the loops that gather a region's possible items with this first column."""
        kind = planned.region.kind
        names = self._names(kind)
        before, inner, *others = levels(planned.loops)
        first, *checks = inner
        assert isinstance(first, Range)
        c0, ((lows, highs),) = variable(first.name), first.options
        bounds = [*(c0 - low.term for low in lows), *(high.term - c0 for high in highs)]
        top, own = ([names.test(m.test) for m in row if isinstance(m, Require)] for row in (before, checks))
        tests = when([*top, *names.holds(bounds), *own])
        columns = [f"c{k}" for k in range(len(self.program.kinds[kind].columns))]
        row = [str(kind), *columns, *["0"] * (self.width - 1 - len(columns))]
        entered = "\n".join(f"cell[cells * {self.width} + {k}] = {entry}" for k, entry in enumerate(row))
        gathered = filled(_GATHERED, entered=entered, width=self.width)
        heads = names.heads(move for level in others for move in level)
        lines = nested([*tests, *heads, *names.assignments(planned.columns), gathered])
        return f"# kind {kind}, region {planned.region.number}\n{lines}"

    def derive(self, form: int) -> str:
        """Return the function that applies all rules to the writings of one item of a form."""

        def rules(text: Callable[[RuleWriter, p.PlannedRule], str]) -> str:
            blocks = []
            for kind in self.program.kinds:
                rules = p.planned_writings(self.order, kind.number) if kind.form == form else []
                if rules:
                    names = self._names(kind.number, "w{}".format)
                    writer = RuleWriter(names, self.mode, self.repeating, algebra=self.algebra)
                    columns = [f"w{k} = WB[w * {self.width} + {k + 1}]" for k in range(len(kind.columns))]
                    texts = [text(writer, rule) for rule in rules]
                    blocks.append(nested([f"if kind == {kind.number}:", *columns, *texts]))
            return filled(_WRITINGS, width=self.width, rules="\n".join(blocks) or "pass")

        if self.algebra is None:
            return filled(_DERIVE, form=form, parameters=self.parameters, rules=rules(RuleWriter.text))
        algebra, phases, result = self.algebra, list[str](), filled(self.algebra.result, x="x", z="z")
        for k, phase in enumerate(algebra.phases):
            phases.append(filled(phase.begin, old=repr(algebra.zero), x="x", z="z"))
            phases.append(rules(partial(RuleWriter.weighed, algebra=algebra, phase=k)))
        return filled(
            _DERIVE_WEIGHT,
            form=form,
            parameters=self.parameters,
            phases="\n".join(phases),
            least=repr(algebra.least),
            result=result,
        )

    def walk(self, parameters: str) -> str:
        """Return the function that walks down the best derivation: the best hyperedge is searched for again,
        item by item.
        """
        assert self.algebra is not None
        program, width, choices = self.program, self.width, p.choices_width(self.program)
        searched, pushed = list[str](), list[str]()
        for form in range(len(program.schema.forms)):
            kinds = [kind.number for kind in program.kinds if kind.form == form]
            if program.equations.get(form):
                rules = nested([filled(_WRITINGS, width=width, rules="\n".join(map(self._searched, kinds)))])
                places = self._at_places(form, "0", "item = T{kind}[{place}]")
                test = " or ".join(f"kind == {kind}" for kind in kinds)
                searched.append(
                    filled(
                        _SEARCHED,
                        test=test,
                        width=width,
                        most=WAYS.ordered_writings,
                        places=places,
                        rules=rules,
                    )
                )
            else:
                searched += map(self._searched, kinds)
        for turned in (p.turned_rule(program, rule) for rule in program.rules):
            kind = turned.rule.consequent.kind
            names = self._names(kind, "a{}".format).with_variables(
                {x: f"b{k}" for k, x in enumerate(turned.free)}
            )
            chosen = [f"a{k}" for k in range(len(program.kinds[kind].columns))] + [
                f"b{k}" for k in range(len(turned.free))
            ]
            lines = [f"out[met * {choices} + {k}] = {x}" for k, x in enumerate(chosen, start=1)]
            for d, h in turned.links:  # one that ends beyond the sentence is counted, and makes no tree
                end = names.term(d)
                lines.append(f"if 1 <= {end} and {end} <= n:\n    heads[{end}] = {names.term(h)}")
            lines += [f"heads[N] += {len(turned.links)}"] if turned.links else []
            lines += [f"Q[0] = Q[0] + {names.weight(atom.kind, atom.terms)}" for atom in turned.weighed]
            for atom, context in reversed(list(zip(turned.antecedents, turned.rule.contexts, strict=True))):
                if not context:
                    row = [
                        str(atom.kind),
                        *map(names.term, atom.terms),
                        *["0"] * (width - 1 - len(atom.terms)),
                    ]
                    lines += [f"K[size * {width} + {k}] = {x}" for k, x in enumerate(row)]
                    lines.append("size += 1")
            pushed.append(nested([f"if best == {turned.rule.number}:", *(lines or ["pass"])]))
        return filled(
            _WALK,
            parameters=parameters,
            width=width,
            columns="\n".join(f"c{k} = K[size * {width} + {k + 1}]" for k in range(width - 1)),
            zero=repr(self.algebra.zero),
            searched="\n".join(searched),
            most=1 + max((len(rule.antecedents) for rule in program.rules), default=0),
            choices=choices,
            pushed="\n".join(pushed),
        )

    def _searched(self, kind: int) -> str:
        """Return the search for the best hyperedge of an item of a kind, or of its writing in a row of WB."""
        program = self.program
        written = p.is_written(program, kind)
        names = self._names(kind, ("w{}" if written else "c{}").format)
        writer = RuleWriter(names, "walk", self.repeating, algebra=self.algebra)
        rules = [writer.text(rule) for rule in planned_backwards(program, kind)]
        head = [f"if kind == {kind}:"]
        if written:
            head += [
                f"w{k} = WB[w * {self.width} + {k + 1}]" for k in range(len(program.kinds[kind].columns))
            ]
        elif kind in self.derived:
            head.append(f"if H{kind}[{names.place(kind)}] == 0:")
        return nested([*head, *rules]) if rules else ""


def planned_backwards(program: Program, kind: int) -> Iterator[p.PlannedRule]:
    """Yield the rules that derive items of a kind in their loops from a bound consequent."""

    def places(turned: p.TurnedRule) -> list[Affine]:
        """Return the tests that antecedents are in their tables: these do not rely on proved facts about items."""
        return [
            side
            for atom in turned.antecedents
            for side in p.in_table(program.kinds[atom.kind], atom.terms, "position")
        ]

    context = [*p.ONE, *p.kind_conditions(program, kind)]
    for rule in program.rules:
        if rule.consequent.kind == kind:
            yield p.planned_rule(program, rule.number, rule, context, places)


def expanders(program: Program, layouts: p.Layouts) -> Mapping[int, Callable[..., None]]:
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
        writer = RuleWriter(Names(program, columns, layouts), "expand", repeating)
        rules = planned_backwards(program, kind.number)
        texts.append(
            nested([f"def expand{kind.number}({parameters}):", "N = n + 2", *map(writer.text, rules)])
        )
    space: dict[str, Any] = {}
    exec(compile("\n\n".join(texts), "<expand>", "exec"), space)
    return {kind.number: space[f"expand{kind.number}"] for kind in program.kinds}
