"""The loops of an ordered kernel in words: levels, the items of a level, and for each rule what is looped over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from schemata.language import model as m
from schemata.order.model import Order, told_sum
from schemata.ordered.emit import emit_ordered
from schemata.ordered.plan import SYMBOLS, Loop, Nest, Nests, RulePlan, column_name
from schemata.program.linear import (
    Affine,
    AnyOf,
    Asks,
    Linear,
    Provided,
    Test,
    variable,
)
from schemata.program.model import Atom, ColumnShape, Fixed, Parts, Shape


@dataclass(frozen=True, slots=True)
class RuleLoops:
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
    nests = Nests()
    emit_ordered(order, "fill", nests=nests)
    return tuple(_explain_rule(order, nests, k) for k in range(len(order.rules)) if k in nests.rules)


def _explain_rule(order: Order, nests: Nests, number: int) -> RuleLoops:
    plan, loops = nests.rules[number]
    region = order.regions[order.rules[number].consequent]
    words = _Words(order, plan)
    levels = ["level"] if order.depth == 1 else [f"level {k + 1}" for k in range(order.depth)]
    names = {f"s{k}": variable(name) for k, name in enumerate(levels)}
    columns = order.program.kinds[region.kind].columns
    own = {c.name: variable(column_name(k)) for k, c in enumerate(columns)}
    meaning = [words.sum(term.substitute(own)) for term in region.level]
    around = [
        f"for every {name} = {told} {_range(nests, words, k, names)}"
        for k, (name, told) in enumerate(zip(levels, meaning, strict=True))
    ]
    nest, solved = nests.regions[region.number]
    around += [words.loop(loop, names) for loop in nest.loops]
    around += [f"with {words.name(x)} = {words.sum(term, names)}" for x, term in solved.items()]
    return RuleLoops(
        number,
        plan.rule.number,
        tuple(around),
        tuple(words.loop(loop, names) for loop in loops.loops),
        tuple(map(words.atom, plan.antecedents)),
        (*map(words.test, plan.tests), *words.checks(loops, names)),
    )


class _Words:
    """Says a rule's terms in the schema's own variables; fields of the consequent lend theirs where it has none."""

    def __init__(self, order: Order, plan: RulePlan) -> None:
        self.program = order.program
        columns = order.program.kinds[plan.rule.consequent.kind].columns
        taken = set(plan.free)
        self.names: dict[str, Affine] = {SYMBOLS: variable("the number of symbols")}
        for k, (column, term) in enumerate(zip(columns, plan.rule.consequent.terms, strict=True)):
            name = term.single if term.single not in (None, "n") else None
            if name is None or name in taken or name.startswith(("'", "_")):
                name = column.name
            while name in taken:
                name += "'"
            taken.add(name)
            self.names[column_name(k)] = variable(name)

    def name(self, x: str) -> str:
        return told_sum(self.names.get(x, variable(x)))

    def sum(self, term: Affine, more: Mapping[str, Affine] | None = None) -> str:
        return told_sum(term.substitute({**self.names, **(more or {})}))

    def loop(self, loop: Loop, more: Mapping[str, Affine]) -> str:
        return f"for {self.name(loop.variable)} {self.bounds(loop, more)}"

    def bounds(self, loop: Loop, more: Mapping[str, Affine]) -> str:
        low = _one_of("greatest", [self.sum(t, more) for t in loop.lows])
        high = _one_of("least", [self.sum(t, more) for t in loop.highs])
        return f"from {low} to {high}"

    def checks(self, nest: Nest, more: Mapping[str, Affine]) -> list[str]:
        found = [*nest.checks, *(c for loop in nest.loops for c in loop.checks)]
        return [f"{self.sum(c, more)} >= 0" for c in found]

    def atom(self, atom: Atom) -> str:
        kind = self.program.kinds[atom.kind]
        form = self.program.schema.forms[kind.form]
        shown = (
            self._shape(shape, field.type, atom.terms)
            for shape, field in zip(kind.shapes, form.fields, strict=True)
        )
        return f"{form.name}[{', '.join(shown)}]"

    def _shape(self, shape: Shape, kind: m.Type, terms: Sequence[Affine]) -> str:
        match shape:
            case Fixed(value):
                return "-" if value is None else str(value).lower()
            case ColumnShape(column):
                return self.sum(terms[column])
            case Parts(parts):
                is_list = kind.kind == "list"
                inner = [kind.arguments[0]] * len(parts) if is_list else list(kind.arguments)
                shown = ", ".join(self._shape(p, k, terms) for p, k in zip(parts, inner, strict=True))
                return f"<{shown}>" if is_list else f"({shown})"

    def test(self, test: Test) -> str:
        match test:
            case Linear(relation, left):
                return f"{self.sum(left)} {relation} 0"
            case AnyOf(options):
                return " or ".join(" and ".join(map(self.test, option)) for option in options)
            case Provided(relation, arguments):
                return _SAID[relation].format(*map(self.sum, arguments))
            case Asks():
                raise TypeError("programs with an order ask no queries")


_SAID = {
    "licensed": "licensed {} to {}",
    "category": "category of {} is {}",
    "licensed_categories": "category {} licensed under {}",
}


def _range(nests: Nests, words: _Words, k: int, names: Mapping[str, Affine]) -> str:
    """Return from where to where the kernel runs over the levels' k-th terms."""
    loops = [nest.loops[k] for nest in nests.levels]
    lows = _outermost([loop.lows for loop in loops], -1)
    highs = _outermost([loop.highs for loop in loops], 1)
    low = _one_of("least", [_one_of("greatest", [words.sum(t, names) for t in row]) for row in lows])
    high = _one_of("greatest", [_one_of("least", [words.sum(t, names) for t in row]) for row in highs])
    return f"from {low} to {high}"


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


def _one_of(which: str, told: Sequence[str]) -> str:
    return told[0] if len(told) == 1 else f"the {which} of {', '.join(told)}"
