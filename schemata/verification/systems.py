"""What the papers prove of transition systems, decided: divisibility and effects read off the rules, the rest found.

A transition is *divisible* if it is a composition of restricted elementary transitions: Shift, Unshift, Reduce,
Left-Arc and Right-Arc. The nodes that a rule names make finitely many configurations, so that a search decides it.
Robustness, termination, the propositions about graphs and the greatest lengths are found on all configurations that are
reached.

References
----------
Gómez-Rodríguez & Nivre 2013, section 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from functools import partial
from itertools import pairwise
from typing import Any, TypeAlias

from schemata.budget import Budget
from schemata.engine.chart import Chart
from schemata.errors import UsageError
from schemata.grammars import DRules
from schemata.json_values import document, fields_json, json_of
from schemata.language import model as m
from schemata.language.typeset import reference_of, term_text
from schemata.program.instances import first_binding, inferences
from schemata.quick_dataclasses import Record
from schemata.structures import DependencyGraph, Sentence
from schemata.structures.graph_classes import PROPERTIES
from schemata.workbench import ParsingSchema, load

Symbolic: TypeAlias = tuple[tuple[str, ...], tuple[str, ...], frozenset[tuple[str, str]]]
"""A configuration of the nodes that a rule names: stack, buffer, new arcs; *B stands for any number of nodes."""

ELEMENTARY = ("Shift", "Unshift", "Reduce", "Left-Arc", "Right-Arc")
_GRAPHS = {
    "no covered roots": ("Proposition 1", "no-covered-roots", "Reduce takes away words with a head alone"),
    "single-headed": ("Proposition 2", "single-headed", "arcs are added to words without a head alone"),
    "no cycles of any direction": ("Proposition 3", "no-cycles", "arcs are added between words without a path alone"),
    "planar": ("Proposition 4", "planar", "divisible"),
}  # fmt: skip


class Transition(Record):
    """A rule of a system: the elementary transitions it is composed of, None if it is not divisible, and its effects.

    `arcs`, `nodes` and `buffer` are A(t), Π(t) and β(t) of the paper: how many arcs it adds, how many nodes leave stack
    and buffer, by how many nodes the buffer becomes shorter. It is `restricted` if it has conditions.
    """

    step: str
    composition: tuple[str, ...] | None
    restricted: bool
    arcs: int
    nodes: int
    buffer: int

    to_json = json_of("step composition restricted arcs nodes buffer")


class Property(Record):
    """A property of a system: whether it has it, a counterexample, and what the paper says of it.

    `premise` tells whether the condition of the proposition holds, which then says that the property holds.
    """

    name: str
    holds: bool
    witness: str = ""
    source: str = ""
    condition: str = ""
    premise: bool | None = None

    to_json = json_of("name holds witness source condition premise")


class Lengths(Record):
    """The greatest lengths for n words: of sequences of transitions, of elementary ones; None if there is none.

    The bounds are those that the proofs of Propositions 7 to 9 and 11 give; None where they say nothing.
    """

    n: int
    configurations: int
    arcs: int
    longest: int | None
    bound: int | None
    elementary: int | None
    elementary_bound: int | None

    to_json = json_of("n configurations arcs longest bound elementary elementary_bound")


class SystemProperties(Record):
    """What was found about a transition system, on sentences of at most `max_n` words."""

    schema: str
    max_n: int
    transitions: tuple[Transition, ...]
    properties: tuple[Property, ...]
    lengths: tuple[Lengths, ...]

    def holds(self, name: str) -> bool:
        """Return whether the system has a property."""
        return next(one.holds for one in self.properties if one.name == name)

    def to_json(self) -> dict[str, Any]:
        """Return the object that `schemata system --json` prints."""
        return document(fields_json(self, "schema max_n transitions properties lengths"))


def system_properties(
    schema: ParsingSchema | str, max_n: int = 4, *, budget: Budget | None = None
) -> SystemProperties:
    """Return what the papers prove of transition systems, decided for one.

    Parameters
    ----------
    schema : a system: one initial configuration, steps with one antecedent, a set of arcs in the configuration.
    max_n : words, at most.
    budget : of each run.

    Raises
    ------
    UsageError : it is no transition system.
    BudgetExceeded : a run hit a limit.

    >>> found = system_properties("hybrid-system", 3)
    >>> found.transitions[2].composition, [one.longest for one in found.lengths]
    (('Unshift', 'Right-Arc', 'Shift', 'Reduce'), [1, 3, 5])
    """
    chosen = load(schema) if isinstance(schema, str) else schema
    definition = chosen.definition
    kinds = [str(f.type) for f in definition.forms[0].fields]
    steps = [case for case in definition.cases if case.antecedents]
    initial = [case.consequent for case in definition.cases if not case.antecedents]
    buffers = [k for k, t in enumerate(initial[0].terms) if isinstance(t, m.Positions)] if initial else []
    if (
        len(definition.forms) != 1
        or kinds.count("arcs") != 1
        or len(initial) != 1
        or len(buffers) != 1
        or any(len(case.antecedents) > 1 for case in steps)
        or definition.reads_inputs
    ):
        message = f"{definition.name} is no transition system"
        raise UsageError(
            message, code="no-system", expected="configurations with a stack, a buffer and a set of arcs"
        )
    arcs = kinds.index("arcs")
    lists = [k for k, kind in enumerate(kinds) if kind == "list of position"]
    stacks = [k for k in lists if k != buffers[0]]
    shape = stacks, buffers[0], arcs
    rules = {k: _transition(c, shape) for k, c in enumerate(definition.cases) if c.antecedents}
    transitions = tuple(rules.values())
    planes = {p.name: p.value for p in definition.parameters}.get("k", 1)
    idle = {
        k for k, rule in rules.items() if rule.nodes == rule.buffer == 0 and not _adds(definition.cases[k])
    }
    look = _Look(shape, rules, idle, planes if len(stacks) > 1 else 1)
    rows = []
    for n in range(1, max_n + 1):
        chart = chosen.run(Sentence(tuple(f"w{k}" for k in range(1, n + 1))), DRules.all(), budget=budget)
        rows.append(look.lengths(chart, n))
    return SystemProperties(
        reference_of(definition), max_n, transitions, tuple(look.properties()), tuple(rows)
    )


# Divisibility ----------------------------------------------------------------------------------------------------


def _names(term: m.Term) -> tuple[str, ...]:
    """Return the nodes of a list, and * before the name of what stands for several."""
    if isinstance(term, m.Var):
        return (f"*{term.name}",)
    elements = term.elements if isinstance(term, m.ListTerm) else ()
    names = (
        f"*{x.name}" if isinstance(x, m.Splice) else getattr(x, "name", f"_{k}")
        for k, x in enumerate(elements)
    )
    return tuple(names)


def _transition(case: m.Case, shape: tuple[Sequence[int], int, int]) -> Transition:
    """Return a rule with the shortest composition of elementary transitions that does the same."""
    stacks, buffer, _ = shape
    above, below = case.antecedents[0].pattern.terms, case.consequent.terms
    sides = [[_names(terms[k]) for k in (*stacks, buffer)] for terms in (above, below)]
    links = [b.terms[:2] for b in case.links if isinstance(b, m.Built)]
    new = frozenset((term_text(d), term_text(h)) for d, h in links)
    nodes = [{x for row in side for x in row if x[0] != "*"} for side in sides]
    fewer = sum(x[0] != "*" for x in sides[0][-1]) - sum(x[0] != "*" for x in sides[1][-1])
    found = None
    if len(stacks) == 1:
        start, goal = ((side[0], side[1], arcs) for side, arcs in zip(sides, (frozenset(), new), strict=True))
        found = _composition(start, goal)
    licences = [b.licence for b in case.links if isinstance(b, m.Built)]
    asks = any(condition not in licences for condition in case.conditions)
    return Transition(case.step, found, asks, len(new), len(nodes[0] - nodes[1]), fewer)


def _adds(case: m.Case) -> bool:
    """Whether a rule has a condition that says that an arc is new which it adds."""
    arcs = [m.TupleTerm(b.terms[:2]) for b in case.links if isinstance(b, m.Built)]
    absent = [c.operand for c in case.conditions if isinstance(c, m.Not) and isinstance(c.operand, m.Member)]
    return any(member.element in arcs for member in absent)


def _composition(start: Symbolic, goal: Symbolic) -> tuple[str, ...] | None:
    """Return the shortest composition of elementary transitions between two configurations; None without one.

    The search is complete: there are finitely many configurations of the nodes of `start`, and others may be missing.
    """
    reached: dict[Symbolic, tuple[str, ...]] = {start: ()}
    waiting = [start]
    for configuration in waiting:
        if configuration == goal:
            return reached[configuration] or None
        for name, after in _elementary(configuration, goal[2]):
            if after not in reached:
                reached[after] = (*reached[configuration], name)
                waiting.append(after)
    return None


def _elementary(c: Symbolic, wanted: frozenset[tuple[str, str]]) -> Iterator[tuple[str, Symbolic]]:
    """Yield the elementary transitions from a configuration; those over several nodes name them."""
    stack, buffer, arcs = c
    if len(buffer) > 1 or (buffer and buffer[0][0] != "*"):
        yield f"Shift{_power(buffer[0])}", ((*stack, buffer[0]), buffer[1:], arcs)
    if len(stack) > 1:
        yield f"Unshift{_power(stack[-1])}", (stack[:-1], (stack[-1], *buffer), arcs)
        if stack[-1][0] != "*":
            yield "Reduce", (stack[:-1], buffer, arcs)
    if stack and buffer:
        for name, arc in (("Left-Arc", (stack[-1], buffer[0])), ("Right-Arc", (buffer[0], stack[-1]))):
            if arc in wanted - arcs:
                yield name, (stack, buffer, arcs | {arc})


def _power(name: str) -> str:
    return f"^{name[1:]}" if name[0] == "*" else ""


# Configurations --------------------------------------------------------------------------------------------------


class _Look:
    """Looks at all configurations of a system, and keeps the first counterexample to each property."""

    def __init__(
        self,
        shape: tuple[Sequence[int], int, int],
        rules: Mapping[int, Transition],
        idle: Set[int],
        planes: int,
    ) -> None:
        self.stacks, self.buffer, self.arcs = shape
        self.by_case, self.rules, self.planes = rules, list(rules.values()), planes
        self.divisible = all(rule.composition for rule in self.rules)
        self.idle = idle
        self.gains = not idle and all(max(rule.arcs, rule.nodes, rule.buffer) > 0 for rule in self.rules)
        self.against: dict[str, str] = {}

    def lengths(self, chart: Chart, n: int) -> Lengths:
        """Look at the configurations of n words and return the greatest lengths."""
        before: dict[int, list[int]] = {item: [] for item in chart.derived_ids}
        after: dict[int, list[tuple[int, str, int]]] = {item: [] for item in chart.derived_ids}
        for instance in chart.instances():
            if instance.antecedents:
                (source,) = instance.antecedents
                composed = self._composed(chart, instance) if self.divisible else 0
                after[source].append((instance.consequent, self.by_case[instance.case].step, composed))
                before[instance.consequent].append(source)
        finals = set(chart.final_ids)
        for item in chart.derived_ids:
            if not after[item] and item not in finals:
                self._note("robust", f"{chart.item(item)} is not terminal, and no transition applies")
        for item in chart.final_ids:
            graph = DependencyGraph(n, chart.item(item).values[self.arcs])  # type: ignore[arg-type]
            for name, (_, tested, _) in _GRAPHS.items():
                if not PROPERTIES[tested](graph):
                    self._note(name, f"{chart.item(item)} is terminal")
        order = [] if self._stays(chart, finals) else self._order(chart, before, after, finals)
        plain, longest_parts = (dict.fromkeys(chart.derived_ids, 0) for _ in range(2))
        for item in order:
            for target, _, parts in after[item]:
                plain[target] = max(plain[target], plain[item] + 1)
                longest_parts[target] = max(longest_parts[target], longest_parts[item] + parts)
        ends = bool(order)  # else lengths grow without end
        most = max((len(chart.item(i).values[self.arcs]) for i in chart.derived_ids), default=0)  # type: ignore[arg-type]
        longest = max((plain[i] for i in finals), default=0) if ends else None
        elementary = max((longest_parts[i] for i in finals), default=0) if ends and self.divisible else None
        return Lengths(n, len(chart.derived_ids), most, longest, *self._bounds(n, elementary))

    def _bounds(self, n: int, elementary: int | None) -> tuple[int | None, int | None, int | None]:
        """Return the bound on lengths, the greatest elementary length, and the bound on it."""
        if self.planes == 2:
            return 2 * (n + 2 * n + 8 * n - 12) + 1, None, None  # Proposition 11
        if not self.divisible or not self.gains:
            return None, elementary, None
        growth = max(0, *(-rule.buffer for rule in self.rules))
        some = (4 * n - 6) + n  # that add arcs, and that take nodes away
        bound = some + n + growth * some
        parts = [rule.composition or () for rule in self.rules]
        steady = not any("^" in name for some_parts in parts for name in some_parts)
        return bound, elementary, bound * max(map(len, parts)) if steady else None

    def _stays(self, chart: Chart, finals: set[int]) -> bool:
        """Whether a transition leads from some configuration to itself; notes where. No chart has such instances."""
        for item in chart.derived_ids if self.idle else ():
            values = chart.item(item).values
            for k in self.idle:
                case = chart.schema.cases[k]
                if any(
                    made == values
                    for made, _ in inferences(chart.schema, case, [values], chart.n, chart.grammar)
                ):
                    for name in ("terminates", *(["bounded"] if item not in finals else [])):
                        self._note(name, f"{case.step} leads from {chart.item(item)} back to it")
        return "terminates" in self.against

    def _order(
        self,
        chart: Chart,
        before: Mapping[int, list[int]],
        after: Mapping[int, list[tuple[int, str, int]]],
        finals: set[int],
    ) -> list[int]:
        """Return the configurations, each behind those that lead to it; where there are circles none, and a witness."""
        waits = {item: len(sources) for item, sources in before.items()}
        order = [item for item, number in waits.items() if not number]
        for item in order:
            for target, _, _ in after[item]:
                waits[target] -= 1
                order += [target] if not waits[target] else []
        left = [item for item in chart.derived_ids if waits[item]]
        if not left:
            return order
        path = [left[0]]  # backwards: each that is left has a source that is left
        while path.count(path[-1]) < 2:
            path.append(next(source for source in before[path[-1]] if waits[source]))
        circle = path[path.index(path[-1]) :][::-1]
        names = [next(name for target, name, _ in after[a] if target == b) for a, b in pairwise(circle)]
        self._note("terminates", f"{'; '.join(names)} leads from {chart.item(circle[0])} back to it")
        if any(item not in finals for item in circle):
            self._note("bounded", f"{'; '.join(names)} leads from {chart.item(circle[0])} back to it")
        return []

    def _composed(self, chart: Chart, instance: Any) -> int:
        """Go through the elementary transitions of a transition and return their number."""
        rule = self.by_case[instance.case]
        values: Any = chart.item(instance.antecedents[0]).values
        stack, buffer, arcs = (list(values[k]) for k in (self.stacks[0], self.buffer, self.arcs))
        binding: Any = first_binding(chart, instance)
        number = 0
        for part in rule.composition or ():
            name, _, several = part.partition("^")
            for _ in range(len(binding[several]) if several else 1):
                number += 1
                headed = {d for d, _ in arcs}
                here = f"{rule.step} in {chart.item(instance.antecedents[0])}"
                if name == "Shift":
                    stack.append(buffer.pop(0))
                elif name == "Unshift":
                    buffer.insert(0, stack.pop())
                elif name == "Reduce":
                    if stack.pop() not in headed:
                        self._note(_GRAPHS["no covered roots"][2], here)
                else:
                    arc = (stack[-1], buffer[0]) if name == "Left-Arc" else (buffer[0], stack[-1])
                    if arc[0] in headed:
                        self._note(_GRAPHS["single-headed"][2], here)
                    if _linked(arcs, *arc):
                        self._note(_GRAPHS["no cycles of any direction"][2], here)
                    arcs.append(arc)
                if sorted(nodes := [*stack, *buffer]) != nodes:
                    self._note("stack and buffer stay in order", here)
        return number

    def _note(self, name: str, witness: str) -> None:
        self.against.setdefault(name, witness)

    def properties(self) -> Iterator[Property]:
        """Yield the properties, in the order of the paper."""
        whole = [rule.step for rule in self.rules if not rule.composition]
        yield Property(
            "divisible", not whole, f"{', '.join(dict.fromkeys(whole))}" if whole else "", "Definition 7"
        )
        found = partial(_answer, self.against)
        if self.divisible:
            yield found("stack and buffer stay in order", "Lemma 1")
        for name, (source, _, condition) in _GRAPHS.items():
            premise = self.divisible and condition not in self.against
            yield found(name, source, condition, premise)
        shifts = any(rule.composition == ("Shift",) and not rule.restricted for rule in self.rules)
        yield found("robust", "Proposition 5", "Shift is a transition", self.divisible and shifts)
        condition = "each transition adds an arc, takes a node away or makes the buffer shorter"
        yield found("bounded", "Proposition 6", condition, self.divisible and self.gains)
        yield found("terminates")


def _answer(
    against: Mapping[str, str], name: str, source: str = "", condition: str = "", premise: bool | None = None
) -> Property:
    return Property(name, name not in against, against.get(name, ""), source, condition, premise)


def _linked(arcs: Sequence[Any], one: int, other: int) -> bool:
    """Whether arcs of any direction lead from one node to another."""
    reached = {one}
    for _ in arcs:
        reached |= {x for arc in arcs if reached & set(arc) for x in arc}
    return other in reached
