"""Properties of transition systems from the papers, decided: divisibility and effects from the rules, the others by
search.

A transition is *divisible* if it is a composition of restricted elementary transitions: Shift, Unshift, Reduce,
Left-Arc and Right-Arc. The nodes that a rule names make finitely many configurations, so that a search decides it.
Robustness, termination, the propositions about graphs and the greatest lengths are found on all configurations that are
reached.

References
----------
Gómez-Rodríguez & Nivre 2013, section 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from functools import partial
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Any, TypeAlias

from schemata.budget import Budget
from schemata.engine.chart import Chart
from schemata.errors import UsageError
from schemata.grammars import DRules
from schemata.grouping import reachable
from schemata.language import model as m
from schemata.language.typeset import reference_of, term_text
from schemata.program.instances import first_binding, inferences
from schemata.records import Record, document, fields_json, json_of
from schemata.structures import DependencyGraph, Sentence
from schemata.structures.classes import PROPERTIES
from schemata.workbench import ParsingSchema, load

ConfigurationNode: TypeAlias = str | int
Symbolic: TypeAlias = tuple[
    tuple[ConfigurationNode, ...],
    tuple[ConfigurationNode, ...],
    frozenset[tuple[ConfigurationNode, ConfigurationNode]],
]
"""A configuration of words, or of the nodes that a rule names: stack, buffer, new arcs.

*B stands for any number of nodes.
"""

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
    """A property of a system: whether it holds, a counterexample, and the paper's statement about it.

    `premise` says whether the condition of the proposition holds, from which the property follows. `proved` is true
    where the rules alone show that the property holds, for every number of words; else only a search supports it.
    """

    name: str
    holds: bool
    witness: str = ""
    source: str = ""
    condition: str = ""
    premise: bool | None = None
    proved: bool = False

    to_json = json_of("name holds witness source condition premise proved")


class Lengths(Record):
    """The greatest lengths for n words: of sequences of transitions, and of elementary ones; None if
    unbounded.

    The bounds are those that the proofs of Propositions 7 to 9 and 11 give; None if they say nothing.
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
    """The properties of a transition system, on sentences of at most `max_n` words."""

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
    """Decide the properties that papers prove of transition systems for one system.

    Parameters
    ----------
    schema : a system: one initial configuration, steps with one antecedent, a set of arcs in the configuration.
    max_n : words, at most.
    budget : of each run.

    Raises
    ------
    UsageError : it is not a transition system.
    BudgetExceeded : a run hit a limit.

    >>> found = system_properties("hybrid-system", 3)
    >>> found.transitions[2].composition, [one.longest for one in found.lengths]
    (('Unshift', 'Right-Arc', 'Shift', 'Reduce'), [1, 3, 5])
    """
    chosen = load(schema) if isinstance(schema, str) else schema
    definition = chosen.definition
    shape = shape_of(definition)
    if shape is None:
        expected = "configurations with a stack, a buffer and a set of arcs"
        raise UsageError(f"{definition.name} is not a transition system", code="no-system", expected=expected)
    look = _Look(definition, shape)
    rows = []
    for n in range(1, max_n + 1):
        chart = chosen.run(Sentence(tuple(f"w{k}" for k in range(1, n + 1))), DRules.all(), budget=budget)
        rows.append(look.lengths(chart, n))
    found = tuple(look.rules), tuple(look.properties()), tuple(rows)
    return SystemProperties(reference_of(definition), max_n, *found)


class ConfigurationFields(Record):
    """The fields of a configuration."""

    stacks: tuple[int, ...]
    buffer: int
    arcs: int


def shape_of(schema: m.Schema) -> ConfigurationFields | None:
    """Return the fields of a transition system's configurations; None if a schema is not a transition
    system.
    """
    kinds = [str(f.type) for f in schema.forms[0].fields]
    initial = [case.consequent for case in schema.cases if not case.antecedents]
    buffers = [k for x in initial for k, term in enumerate(x.terms) if isinstance(term, m.Positions)]
    one_each = len(schema.forms) == kinds.count("arcs") == len(initial) == len(buffers) == 1
    most = max(len(case.antecedents) for case in schema.cases) if one_each else 0
    if most != 1 or schema.reads_inputs:
        return None
    stacks = [k for k, kind in enumerate(kinds) if kind == "list of position" and k not in buffers]
    return ConfigurationFields(tuple(stacks), buffers[0], kinds.index("arcs"))


# Divisibility ----------------------------------------------------------------------------------------------------


def _names(term: m.Term) -> tuple[str, ...]:
    """Return the nodes of a list, with * before the names of splices."""
    if isinstance(term, m.Var):
        return (f"*{term.name}",)
    elements = term.elements if isinstance(term, m.ListTerm) else ()
    names = (
        f"*{x.name}" if isinstance(x, m.Splice) else getattr(x, "name", f"_{k}")
        for k, x in enumerate(elements)
    )
    return tuple(names)


def _transition(case: m.Case, shape: ConfigurationFields) -> Transition:
    """Return a rule with the shortest composition of elementary transitions that does the same."""
    above, below = case.antecedents[0].pattern.terms, case.consequent.terms
    sides = [[_names(terms[k]) for k in (*shape.stacks, shape.buffer)] for terms in (above, below)]
    links = [b.terms[:2] for b in case.links if isinstance(b, m.Built)]
    new = frozenset((term_text(d), term_text(h)) for d, h in links)
    nodes = [{x for row in side for x in row if x[0] != "*"} for side in sides]
    fewer = sum(x[0] != "*" for x in sides[0][-1]) - sum(x[0] != "*" for x in sides[1][-1])
    found = None
    if len(shape.stacks) == 1:
        start, goal = ((side[0], side[1], arcs) for side, arcs in zip(sides, (frozenset(), new), strict=True))
        found = _composition(start, goal)
    licences = [b.licence for b in case.links if isinstance(b, m.Built)]
    asks = any(condition not in licences for condition in case.conditions)
    return Transition(case.step, found, asks, len(new), len(nodes[0] - nodes[1]), fewer)


def _adds(case: m.Case) -> bool:
    """Whether a rule has a condition that an arc which it adds is new."""
    arcs = [m.TupleTerm(b.terms[:2]) for b in case.links if isinstance(b, m.Built)]
    absent = [c.operand for c in case.conditions if isinstance(c, m.Not) and isinstance(c.operand, m.Member)]
    return any(member.element in arcs for member in absent)


def _composition(start: Symbolic, goal: Symbolic) -> tuple[str, ...] | None:
    """Return the shortest composition of elementary transitions between two configurations; None without one.

    The search is complete, since the nodes of `start` make finitely many configurations.
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


def _elementary(
    c: Symbolic, wanted: Set[tuple[ConfigurationNode, ConfigurationNode]] | None = None
) -> Iterator[tuple[str, Symbolic]]:
    """Yield the elementary transitions from a configuration; those over several nodes name them.

    `wanted` are the arcs that may be built, each once; without it, all that the transitions build.
    """
    stack, buffer, arcs = c
    if len(buffer) > 1 or (buffer and not _power(buffer[0])):
        yield f"Shift{_power(buffer[0])}", ((*stack, buffer[0]), buffer[1:], arcs)
    if len(stack) > 1:
        yield f"Unshift{_power(stack[-1])}", (stack[:-1], (stack[-1], *buffer), arcs)
        if not _power(stack[-1]):
            yield "Reduce", (stack[:-1], buffer, arcs)
    if stack and buffer:
        for name, arc in (("Left-Arc", (stack[-1], buffer[0])), ("Right-Arc", (buffer[0], stack[-1]))):
            if wanted is None or arc in wanted - arcs:
                yield name, (stack, buffer, arcs | {arc})


def _power(node: ConfigurationNode) -> str:
    """Return the suffix that marks a transition over several nodes; empty for a single node."""
    return f"^{node[1:]}" if isinstance(node, str) and node[0] == "*" else ""


# Configurations --------------------------------------------------------------------------------------------------


class _Look:
    """Looks at all configurations of a system, and keeps the first counterexample to each property."""

    def __init__(self, schema: m.Schema, shape: ConfigurationFields) -> None:
        self.shape = shape
        self.by_case = {k: _transition(c, shape) for k, c in enumerate(schema.cases) if c.antecedents}
        self.rules = list(self.by_case.values())
        planes = {p.name: p.value for p in schema.parameters}.get("k", 1)
        self.planes = planes if len(shape.stacks) > 1 else 1
        still = (k for k, rule in self.by_case.items() if rule.nodes == rule.buffer == 0)
        self.idle = {k for k in still if not _adds(schema.cases[k])}
        whole = dict.fromkeys(rule.step for rule in self.rules if not rule.composition)
        self.against = {"divisible": ", ".join(whole)} if whole else {}
        self.divisible = not whole
        self.gains = not self.idle and all(max(rule.arcs, rule.nodes, rule.buffer) > 0 for rule in self.rules)

    def lengths(self, chart: Chart, n: int) -> Lengths:
        """Look at the configurations of n words and return the greatest lengths."""
        before: dict[int, list[tuple[int, str, int]]] = {item: [] for item in chart.derived_ids}
        for instance in chart.instances():
            for source in instance.antecedents:
                composed = self._composed(chart, instance) if self.divisible else 0
                row = source, self.by_case[instance.case].step, composed
                before[instance.consequent].append(row)
        self._add_idle(chart, before)
        finals = set(chart.final_ids)
        left = {source for rows in before.values() for source, _, _ in rows}
        for item in chart.derived_ids:
            if item not in left | finals:
                self._note("robust", f"{chart.item(item)} is not terminal, and no transition applies")
        for item in chart.final_ids:
            graph = DependencyGraph(n, chart.item(item).values[self.shape.arcs])  # type: ignore[arg-type]
            for name, (_, tested, _) in _GRAPHS.items():
                if not PROPERTIES[tested](graph):
                    self._note(name, f"{chart.item(item)} is terminal")
        order = self._order(chart, before, finals)
        plain, longest_parts = (dict.fromkeys(chart.derived_ids, 0) for _ in range(2))
        for item in order:
            plain[item] = max((plain[source] + 1 for source, _, _ in before[item]), default=0)
            sums = (longest_parts[source] + parts for source, _, parts in before[item])
            longest_parts[item] = max(sums, default=0)
        ends = bool(order)  # else lengths grow without end
        most = max((len(chart.item(i).values[self.shape.arcs]) for i in chart.derived_ids), default=0)  # type: ignore[arg-type]
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

    def _add_idle(self, chart: Chart, before: Mapping[int, list[tuple[int, str, int]]]) -> None:
        """Add the transitions that lead from a configuration to itself; no chart has such instances."""
        for item in chart.derived_ids if self.idle else ():
            values = chart.item(item).values
            for case in (chart.schema.cases[k] for k in self.idle):
                found = inferences(chart.schema, case, [values], chart.n, chart.grammar)
                if any(made == values for made, _ in found):
                    before[item].append((item, case.step, 0))

    def _order(
        self, chart: Chart, before: Mapping[int, list[tuple[int, str, int]]], finals: Set[int]
    ) -> list[int]:
        """Return the configurations, each after those that lead to it; if there are cycles, none, and witnesses are
        noted.
        """
        order: list[int] = []
        for some in (before.keys() - finals, before.keys()):
            graph = {item: [x for x, _, _ in before[item] if x in some] for item in some}
            try:
                order = list(TopologicalSorter(graph).static_order())
            except CycleError as found:
                order, circle = [], found.args[1]
                names = [next(name for x, name, _ in before[b] if x == a) for a, b in pairwise(circle)]
                for name in ("terminates", *(["bounded"] if set(circle) - finals else [])):
                    self._note(name, f"{'; '.join(names)} leads from {chart.item(circle[0])} back to it")
        return order

    def _composed(self, chart: Chart, instance: Any) -> int:
        """Go through the elementary transitions of a transition and return their number."""
        rule, item = self.by_case[instance.case], chart.item(instance.antecedents[0])
        values: Any = item.values
        binding: Any = first_binding(chart, instance)
        after: Symbolic = (
            ("*", *values[self.shape.stacks[0]]),
            (*values[self.shape.buffer], "*"),
            frozenset(values[self.shape.arcs]),
        )
        parts = [part.partition("^") for part in rule.composition or ()]
        names = [name for name, _, several in parts for _ in range(len(binding[several]) if several else 1)]
        here = f"{rule.step} in {item}"
        for name in names:
            (stack, buffer, arcs), after = after, dict(_elementary(after))[name]
            headed = {d for d, _ in arcs}
            d, h = (stack[-1], buffer[0]) if name == "Left-Arc" else (buffer[0], stack[-1])
            if name == "Reduce" and stack[-1] not in headed:
                self._note(_GRAPHS["no covered roots"][2], here)
            elif name.endswith("Arc") and d in headed:
                self._note(_GRAPHS["single-headed"][2], here)
            if name.endswith("Arc") and h in reachable([d], partial(_neighbours, arcs)):
                self._note(_GRAPHS["no cycles of any direction"][2], here)
            nodes: Any = [*after[0][1:], *after[1][:-1]]
            if sorted(nodes) != nodes:
                self._note("stack and buffer stay in order", here)
        return len(names)

    def _note(self, name: str, witness: str) -> None:
        self.against.setdefault(name, witness)

    def properties(self) -> Iterator[Property]:
        """Yield the properties, in the order of the paper."""
        yield self._property("divisible", "Definition 7", proved=self.divisible)
        if self.divisible:
            yield self._property("stack and buffer stay in order", "Lemma 1")
        for name, (source, _, condition) in _GRAPHS.items():
            premise = self.divisible and condition not in self.against
            yield self._property(name, source, condition, premise, premise and condition == "divisible")
        shifts = any(rule.composition == ("Shift",) and not rule.restricted for rule in self.rules)
        shifts = self.divisible and shifts
        yield self._property("robust", "Proposition 5", "Shift is a transition", shifts, shifts)
        condition = "each transition adds an arc, takes a node away or makes the buffer shorter"
        bounded = self.divisible and self.gains
        yield self._property("bounded", "Proposition 6", condition, bounded, bounded)
        yield self._property("terminates")

    def _property(
        self,
        name: str,
        source: str = "",
        condition: str = "",
        premise: bool | None = None,
        proved: bool = False,
    ) -> Property:
        against = self.against.get(name, "")
        return Property(name, not against, against, source, condition, premise, proved and not against)


def _neighbours(
    arcs: Set[tuple[ConfigurationNode, ConfigurationNode]], node: ConfigurationNode
) -> Iterator[ConfigurationNode]:
    """Return the ends of the arcs of a node."""
    return (x for arc in arcs if node in arc for x in arc)
