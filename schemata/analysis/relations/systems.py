"""Ground systems: all items of a schema at one length, and all step instances over them.

The schema's kernel runs once with every item given and everything licensed, so its chart has every instance,
derivable or not. Each instance is then given its least grammar: the facts that its conditions ask for, and the
rules of the items it speaks of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from schemata.analysis.instances import instance_bindings
from schemata.analysis.relations.label_universe import disjuncts_named, links_of_codes
from schemata.analysis.relations.spaces import items_allowed
from schemata.analysis.relations.universe import Facts, Universe, facts_asked, facts_of_item
from schemata.engine.run import Kernel, run_kernel
from schemata.language import model as m
from schemata.program.evaluation import evaluate
from schemata.structures import Sentence

if TYPE_CHECKING:
    from schemata.charts.chart import Instance
    from schemata.engine.budget import Budget
    from schemata.engine.chart import Chart

__all__ = ["Ground", "System", "ground_system"]

_NO_FACTS: Facts = frozenset()


@dataclass(frozen=True, slots=True)
class Ground:
    """A step instance with the least grammar that has it.

    Attributes
    ----------
    case : the number of the rule in the schema.
    antecedents, consequent : items by number, in the order of the rule.
    links : what the instance builds between positions, as (dependent, head).
    facts : its least grammar.
    head : the word that the rule says heads what is built, if it says so.
    row : the number of the step instance; several `Ground`s may be ways to have the same one.
    """

    case: int
    antecedents: tuple[int, ...]
    consequent: int
    links: tuple[tuple[int, int], ...]
    facts: Facts
    head: int | None
    row: int


@dataclass(frozen=True)
class System:
    """A schema's items and step instances at one length of sentence.

    Attributes
    ----------
    chart : the run with everything given; it knows items by number.
    universe : the grammar of everything.
    items : the numbers of the items, hypotheses left out, in canonical order.
    grounds : the step instances.
    """

    chart: Chart
    universe: Universe
    items: tuple[int, ...]
    grounds: tuple[Ground, ...]

    @property
    def schema(self) -> m.Schema:
        """The schema."""
        return self.chart.schema

    @property
    def n(self) -> int:
        """The number of words."""
        return self.chart.n

    @cached_property
    def item_set(self) -> frozenset[int]:
        """The items' numbers as a set."""
        return frozenset(self.items)

    def is_hypothesis(self, item: int) -> bool:
        """Whether an item is given as a hypothesis."""
        return item < self.chart.raw.hypothesis_count

    @cached_property
    def hypotheses(self) -> range:
        """The numbers of the hypotheses."""
        return range(self.chart.raw.hypothesis_count)

    def text(self, item: int) -> str:
        """Return an item in canonical text."""
        return self.chart.item(item).text

    def case_of(self, ground: Ground) -> m.Case:
        """Return the rule of an instance."""
        return self.schema.cases[ground.case]

    def facts_of(self, item: int) -> Facts:
        """Return what a grammar needs for an item to exist."""
        form = self.schema.forms[self.chart.raw.form_of[item]]
        return facts_of_item(form, self.chart.raw.values[item])

    @cached_property
    def producers(self) -> dict[int, list[int]]:
        """The numbers of the instances that derive each item."""
        found: dict[int, list[int]] = {}
        for number, ground in enumerate(self.grounds):
            found.setdefault(ground.consequent, []).append(number)
        return found

    @cached_property
    def derivable(self) -> frozenset[int]:
        """The items that are derivable from the hypotheses alone under some grammar."""
        return frozenset(self.closure(self.hypotheses, lambda facts: True))

    def closure(self, start: Any, allows: Callable[[Facts], bool]) -> dict[int, int]:
        """Return all that is derivable from some items, in order of discovery, with the round it comes in."""
        reached = dict.fromkeys(start, 0)
        missing: dict[int, int] = {}
        waiting = list(reached)
        for number in self._axioms:
            ground = self.grounds[number]
            if ground.consequent not in reached and allows(ground.facts):
                reached[ground.consequent] = 1
                waiting.append(ground.consequent)
        for item in waiting:
            for number in self._uses.get(item, ()):
                ground = self.grounds[number]
                left = missing.get(number)
                if left is None:
                    left = len(set(ground.antecedents)) if allows(ground.facts) else -1
                missing[number] = left - 1
                if left == 1 and ground.consequent not in reached:
                    reached[ground.consequent] = 1 + max(reached[a] for a in ground.antecedents)
                    waiting.append(ground.consequent)
        return reached

    @cached_property
    def _uses(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for number, ground in enumerate(self.grounds):
            for item in set(ground.antecedents):
                found.setdefault(item, []).append(number)
        return found

    @cached_property
    def _axioms(self) -> list[int]:
        return [k for k, ground in enumerate(self.grounds) if not ground.antecedents]


def ground_system(kernel: Kernel, universe: Universe, budget: Budget | None = None) -> System:
    """Return all items and step instances of a schema at one length.

    Raises
    ------
    BudgetExceeded : there are too many.
    UsageError : a form allows too many items.
    """
    schema = kernel.schema
    words = Sentence.of([f"w{i}" for i in range(1, universe.n + 1)])
    labels = universe.kind == "link-grammar"
    given = () if labels else items_allowed(schema, universe)
    chart = run_kernel(kernel, words, universe.grammar, budget, given)
    first = chart.raw.hypothesis_count
    grounds: list[Ground] = []
    known: dict[int, Facts] = {}
    for row, instance in enumerate(chart.instances()):
        if instance.consequent < first:
            continue
        ends = (instance.consequent, *instance.antecedents)
        spoken: Facts = frozenset()
        for x in ends:
            if x not in known:
                facts_of = disjuncts_named if labels else facts_of_item
                known[x] = facts_of(schema.forms[chart.raw.form_of[x]], chart.raw.values[x])
            spoken |= known[x]
        links = instance.links
        if labels:
            links, matching = links_of_codes(universe, links)
            spoken |= matching
        ways: Iterable[tuple[Facts, int | None]] = (
            [(_NO_FACTS, None)] if labels else _ways(chart, universe, instance)
        )
        for facts, head in ways:
            grounds.append(
                Ground(
                    instance.case,
                    instance.antecedents,
                    instance.consequent,
                    links,
                    facts | spoken,
                    head,
                    row,
                )
            )
    return System(chart, universe, chart.derived_ids, tuple(grounds))


def _ways(chart: Chart, universe: Universe, instance: Instance) -> Iterator[tuple[Facts, int | None]]:
    """Yield the facts and heads under which an instance exists, each once."""
    case = chart.schema.cases[instance.case]
    if not any(isinstance(c, m.GRAMMAR_CONDITIONS) for c in case.conditions) and case.head is None:
        yield frozenset(), None
        return
    if case.head is None and _asks_for_its_links(case):
        yield frozenset(("link", d, h) for d, h in instance.links), None
        return
    seen = set()
    for binding in instance_bindings(chart, instance):
        head = None if case.head is None else evaluate(case.head, binding)
        assert head is None or isinstance(head, int)
        for facts in facts_asked(universe, case, binding):
            if (facts, head) not in seen:
                seen.add((facts, head))
                yield facts, head


def _asks_for_its_links(case: m.Case) -> bool:
    """Whether all that a rule asks of the grammar is to license the links it builds, all of them."""
    asked = [c for c in case.conditions if isinstance(c, m.GRAMMAR_CONDITIONS)]
    licensed = [m.Link(c.dependent, c.head) for c in asked if isinstance(c, m.Licensed)]
    return len(licensed) == len(asked) and sorted(map(repr, licensed)) == sorted(map(repr, case.links))
