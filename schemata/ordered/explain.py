"""The loops of an ordered kernel in words: over levels, over the items of a level, and within each rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from schemata.language.typeset import format_item
from schemata.order.model import Order
from schemata.ordered.emit import emit_ordered
from schemata.ordered.plan import (
    SYMBOLS,
    Loop,
    PlannedRegion,
    PlannedRule,
    RulePlan,
    column_name,
    level_loops,
    planned_items,
    planned_regions,
    planned_writings,
)
from schemata.program.duplicates import repeating_rules
from schemata.program.linear import Affine, variable
from schemata.program.model import Program
from schemata.quick_dataclasses import Record


class RuleLoops(Record):
    """One rule of an ordered kernel, in words.

    Attributes
    ----------
    number : the rule's place in the order's rules, one for each choice of regions.
    rule : the rule's number in the lowered program.
    around : the loops that choose the consequent: over levels, then over the items of a level.
    inside : the loops over what the consequent leaves open; none where it determines the antecedents.
    looks_up : the antecedents that are looked up in their tables, with their terms.
    tests : what else is tested.
    """

    number: int
    rule: int
    around: tuple[str, ...]
    inside: tuple[str, ...]
    looks_up: tuple[str, ...]
    tests: tuple[str, ...]


def explain_loops(order: Order) -> tuple[RuleLoops, ...]:
    """Return the loops of the ordered kernel of an order, rule by rule in the order in which they run.

    Raises
    ------
    ValueError : there is no ordered kernel for it; the message says why.
    """
    emit_ordered(order, "fill")
    levels = level_loops(order)
    loops = (_explain_rule(order, levels, region, rule) for region, rule in _planned(order))
    return tuple(sorted(loops, key=lambda rule: rule.number))


def _planned(order: Order) -> Iterator[tuple[PlannedRegion, PlannedRule]]:
    """Yield the rules as they are planned, with the loops around them."""
    program, repeating = order.program, repeating_rules(order.program)
    for planned in planned_regions(order, "fill", repeating):
        yield from ((planned, rule) for rule in planned.rules)
    for form in (form for form, equations in program.equations.items() if equations):
        regions = {planned.region.number: planned for planned in planned_items(order, form)}
        for kind in (kind for kind in program.kinds if kind.form == form):
            for rule in planned_writings(order, kind.number):
                yield regions[order.rules[rule.number].consequent], rule


def _explain_rule(
    order: Order, loops: Sequence[Sequence[Loop]], region: PlannedRegion, rule: PlannedRule
) -> RuleLoops:
    program, plan = order.program, rule.plan
    levels = ["level"] if order.depth == 1 else [f"level {k + 1}" for k in range(order.depth)]
    names = _names(program, plan) | {f"s{k}": variable(name) for k, name in enumerate(levels)}
    columns = program.kinds[region.region.kind].columns
    own = {column.name: names[column_name(k)] for k, column in enumerate(columns)}

    def told(term: Affine) -> str:
        return str(term.substitute(names))

    def loop(one: Loop) -> str:
        low, high = _one_of("greatest", map(told, one.lows)), _one_of("least", map(told, one.highs))
        return f"for {told(variable(one.variable))} from {low} to {high}"

    around = []
    for name, term, ranges in zip(levels, region.region.level, loops, strict=True):
        lows = _outermost([one.lows for one in ranges], -1)
        highs = _outermost([one.highs for one in ranges], 1)
        low = _one_of("least", [_one_of("greatest", map(told, row)) for row in lows])
        high = _one_of("greatest", [_one_of("least", map(told, row)) for row in highs])
        around.append(f"for every {name} = {term.substitute(own)} from {low} to {high}")
    around += map(loop, region.loops.loops)
    around += [f"with {told(variable(x))} = {told(term)}" for x, term in region.columns.items()]
    looks_up = []
    for atom in plan.antecedents:
        kind = program.kinds[atom.kind]
        values = kind.values([told(term).strip("'") for term in atom.terms], lambda _, text: text)
        looks_up.append(format_item(program.schema.forms[kind.form], values))
    checks = [*rule.loops.checks, *(c for one in rule.loops.loops for c in one.checks)]
    return RuleLoops(
        rule.number,
        plan.rule.number,
        tuple(around),
        tuple(map(loop, rule.loops.loops)),
        tuple(looks_up),
        (*(str(test.substitute(names)) for test in plan.tests), *(f"{told(c)} >= 0" for c in checks)),
    )


def _names(program: Program, plan: RulePlan) -> dict[str, Affine]:
    """Return the schema's own names of the consequent's columns; fields lend theirs where it has none."""
    columns = program.kinds[plan.rule.consequent.kind].columns
    taken = set(plan.free)
    names: dict[str, Affine] = {SYMBOLS: variable("the number of symbols")}
    for k, (column, term) in enumerate(zip(columns, plan.rule.consequent.terms, strict=True)):
        name = term.single if term.single not in (None, "n") else None
        if name is None or name in taken or name.startswith(("'", "_")):
            name = column.name
        while name in taken:
            name += "'"
        taken.add(name)
        names[column_name(k)] = variable(name)
    return names


def _outermost(rows: Sequence[Sequence[Affine]], sign: int) -> list[Sequence[Affine]]:
    """Return the bounds that may be the outermost, the greatest with sign 1, without those surely further in.

    A row stands for the least of its terms with sign 1, for the greatest with sign -1.
    """
    kept: list[Sequence[Affine]] = []
    for row in sorted(rows, key=len):
        if any(_within(row, other, sign) for other in kept):
            continue
        kept = [other for other in kept if not _within(other, row, sign)]
        kept.append(row)
    return kept


def _within(row: Sequence[Affine], other: Sequence[Affine], sign: int) -> bool:
    """Whether a bound is surely as far in as another: for each of the other's terms it has one that is."""
    return all(any(t.terms == o.terms and (o.constant - t.constant) * sign >= 0 for t in row) for o in other)


def _one_of(which: str, told: Iterable[str]) -> str:
    texts = list(told)
    return texts[0] if len(texts) == 1 else f"the {which} of {', '.join(texts)}"
