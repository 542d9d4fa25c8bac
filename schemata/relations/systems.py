"""Ground systems: all items of a schema at one length, and all step instances over them.

The schema's kernel runs once with every item given and everything licensed, so its chart has every instance,
derivable or not. Each instance is then given its least grammar: the facts that its conditions ask for, and the
rules of the items it speaks of.

Positions run from 0 to n + 1, categories through those of the universal grammar. The conditions of a form can
say little about lists and dotted rules: not that a list has words already read, not that a part of a rule is
not empty. If a form has such fields, its items are those that can be derived, under some grammar, from the
items of the other forms and the hypotheses; the run that finds the step instances adds them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from schemata.budget import Budget
from schemata.charts import Instance
from schemata.engine.chart import Chart
from schemata.engine.run import Kernel, compile_kernel, run_kernel
from schemata.errors import UsageError
from schemata.grouping import grouped
from schemata.kinds import D_RULES, FACTS, LINK_GRAMMAR
from schemata.language import model as m
from schemata.language.typeset import reference_of
from schemata.program.evaluation import evaluate, fulfils, truth
from schemata.program.instances import instance_bindings
from schemata.program.lower import refuse_inputs
from schemata.program.rewriting import normal_form
from schemata.records import Record, replace
from schemata.relations.universe import (
    GroundFacts,
    Universe,
    disjuncts_named,
    fact_universe,
    facts_asked,
    facts_of_item,
    label_universe,
    lacking_alone,
    link_universe,
    links_of_codes,
    rule_universe,
)
from schemata.structures import Sentence
from schemata.thresholds import EFFORTS
from schemata.workbench import Watcher

_NO_FACTS: GroundFacts = frozenset()


class Ground(Record):
    """A step instance with the least grammar that has it.

    Attributes
    ----------
    case : the number of the rule in the schema.
    antecedents, consequent : items by number, in the order of the rule.
    links : the links of the instance between positions, as (dependent, head).
    facts : its least grammar.
    head : the declared head of the structure built, if any.
    row : the number of the step instance; several `Ground`s, as ways to have one instance, may share it.
    """

    case: int
    antecedents: tuple[int, ...]
    consequent: int
    links: tuple[tuple[int, int], ...]
    facts: GroundFacts
    head: int | None
    row: int


def by_antecedent(grounds: Iterable[Ground]) -> Mapping[int, Sequence[Ground]]:
    """Return instances by each of their antecedents; those without any by -1."""
    return grouped((x, ground) for ground in grounds for x in dict.fromkeys(ground.antecedents) or (-1,))


class System(Record, slots=False):
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

    @cached_property
    def instances(self) -> Sequence[Instance]:
        """The step instances of the chart; a `Ground` has the number of its own."""
        return list(self.chart.instances())

    @property
    def n(self) -> int:
        """The number of words."""
        return self.chart.n

    def is_hypothesis(self, item: int) -> bool:
        """Whether an item is a hypothesis."""
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

    @cached_property
    def producers(self) -> Mapping[int, Sequence[Ground]]:
        """The instances that derive each item."""
        return grouped((ground.consequent, ground) for ground in self.grounds)

    @cached_property
    def derivable(self) -> frozenset[int]:
        """The items that are derivable from the hypotheses alone under some grammar."""
        return frozenset(self.closure(self.hypotheses, lambda facts: True))

    def closure(self, start: Iterable[int], allows: Callable[[GroundFacts], bool]) -> Set[int]:
        """Return all that is derivable from some items under the grammars that have certain facts."""
        reached = dict.fromkeys(start)
        reached |= dict.fromkeys(g.consequent for g in self._uses.get(-1, ()) if allows(g.facts))
        missing: dict[int, int] = {}
        waiting = list(reached)
        for item in waiting:
            for ground in self._uses.get(item, ()):
                left = missing.get(id(ground))
                if left is None:
                    left = len(set(ground.antecedents)) if allows(ground.facts) else -1
                missing[id(ground)] = left - 1
                if left == 1 and ground.consequent not in reached:
                    reached[ground.consequent] = None
                    waiting.append(ground.consequent)
        return reached.keys()

    @cached_property
    def _uses(self) -> Mapping[int, Sequence[Ground]]:
        return by_antecedent(self.grounds)


def ground_system(kernel: Kernel, universe: Universe, budget: Budget | None = None) -> System:
    """Return all items and step instances of a schema at one length.

    Raises
    ------
    BudgetExceeded : there are too many.
    UsageError : a form allows too many items.
    """
    schema = kernel.schema
    words = Sentence.of([f"w{i}" for i in range(1, universe.n + 1)])
    labels = universe.kind == LINK_GRAMMAR
    given = () if labels else items_allowed(schema, universe)
    chart = run_kernel(kernel, words, universe.grammar, budget, given)
    first = chart.raw.hypothesis_count
    grounds: list[Ground] = []
    known: dict[int, GroundFacts] = {}
    for row, instance in enumerate(chart.instances()):
        if instance.consequent < first:
            continue
        ends = (instance.consequent, *instance.antecedents)
        spoken: GroundFacts = frozenset()
        for x in ends:
            if x not in known:
                facts_of = disjuncts_named if labels else facts_of_item
                known[x] = facts_of(schema.forms[chart.raw.form_of[x]], chart.raw.values[x])
            spoken |= known[x]
        if labels:
            links, matching = links_of_codes(universe, instance.links)
            spoken |= matching
        else:
            built = zip(schema.cases[instance.case].links, instance.links, strict=True)
            links = tuple((ends[0], ends[1]) for b, ends in built if b.name == "link")
        ways: Iterable[tuple[GroundFacts, int | None]] = (
            [(_NO_FACTS, None)] if labels else _ways(chart, universe, instance)
        )
        for facts, head in ways:
            grounds.append(
                Ground(
                    instance.case, instance.antecedents, instance.consequent, links, facts | spoken, head, row
                )
            )
    return System(chart, universe, chart.derived_ids, tuple(grounds))


def _ways(chart: Chart, universe: Universe, instance: Instance) -> Iterator[tuple[GroundFacts, int | None]]:
    """Yield the facts and heads under which an instance exists, each once."""
    case = chart.schema.cases[instance.case]
    if case.head is None and not any(isinstance(c, m.HasFact) for c in case.conditions):
        yield _NO_FACTS, None
        return
    seen = set()
    for binding in instance_bindings(chart, instance):
        head = None if case.head is None else evaluate(case.head, binding)
        assert head is None or isinstance(head, int)
        for facts in facts_asked(universe, case, binding):
            if (facts, head) not in seen:
                seen.add((facts, head))
                yield facts, head


def items_allowed(schema: m.Schema, universe: Universe) -> Iterator[tuple[str, tuple[m.Value, ...]]]:
    """Yield form and values of every item that a form of the schema allows, in normal form.

    Forms with lists, terms or dotted rules are left out, and forms of which no step makes items: those are hypotheses.

    Raises
    ------
    UsageError : a form allows too many items to go through.
    """
    made = {case.consequent.form for case in schema.cases}
    for form in schema.forms:
        if form.name in made and not any(_is_vague(field.type) for field in form.fields):
            for values in _fill(form, (), universe, [0]):
                yield form.name, values


def _is_vague(kind: m.Type) -> bool:
    """Whether a form's conditions cannot express which values of the type are meant."""
    if kind.kind == "list":
        return not kind.intervals
    return kind.kind in ("dotted", "term") or any(map(_is_vague, kind.arguments))


def _fill(
    form: m.Form, chosen: tuple[m.Value, ...], universe: Universe, count: list[int]
) -> Iterator[tuple[m.Value, ...]]:
    """Choose the fields one after the other; a condition that fails already ends the branch."""
    if len(chosen) == len(form.fields):
        if form.has_normal_form and (
            normal_form(form, chosen, universe.n) != chosen or not fulfils(form, chosen, universe.n)
        ):
            return
        yield chosen
        return
    names = [f.name for f in form.fields]
    for value in _values(form.fields[len(chosen)].type, universe):
        count[0] += 1
        if count[0] > EFFORTS.form_values:
            raise UsageError(
                f"the form {form.name} allows more than {EFFORTS.form_values:,} items at {universe.n} words",
                code="too-many-items",
                hint="bound its fields with `where`, or use a smaller --max-n",
            )
        more = (*chosen, value)
        known = dict(zip(names, more, strict=False)) | {"n": universe.n}
        if all(truth(condition, known) is not False for condition in form.where):
            yield from _fill(form, more, universe, count)


def _values(kind: m.Type, universe: Universe) -> Sequence[m.Value] | Iterator[m.Value]:
    """Return the values of a type."""
    match kind.kind:
        case "position":
            return range(universe.n + 2)
        case "flag":
            return (False, True)
        case "symbol":
            return universe.symbols
        case "optional":
            return (None, *_values(kind.arguments[0], universe))
        case "tuple":
            return itertools.product(*(tuple(_values(t, universe)) for t in kind.arguments))
    assert kind.intervals
    return _intervals(1, universe.n)


def _intervals(low: int, high: int) -> Iterator[tuple[m.Value, ...]]:
    """Yield the lists of intervals within low..high, a position at least between any two."""
    yield ()
    for left in range(low, high + 1):
        for right in range(left, high + 1):
            for rest in _intervals(right + 2, high):
                yield ((left, right), *rest)


DEFAULT_BUDGET = Budget(steps=5_000_000, seconds=300.0)


@dataclass
class SharedSystems:
    """Kernels and ground systems, each made once; and the limits under which they are made.

    Attributes
    ----------
    budget : of one run that finds the step instances; its seconds are those of a whole decision.
    rule_length : symbols in a rule, for schemata over rules.
    watch : receives the iterated values, for a progress bar.
    """

    budget: Budget = DEFAULT_BUDGET
    rule_length: int = 3
    watch: Watcher | None = None
    _kernels: dict[str, list[Kernel]] = field(default_factory=dict)
    _systems: dict[Any, System] = field(default_factory=dict)

    def kernel(self, schema: m.Schema) -> Kernel:
        """Return a schema's kernel."""
        known = self._kernels.setdefault(reference_of(schema), [])
        for kernel in known:
            if kernel.schema == schema:
                return kernel
        known.append(compile_kernel(schema))
        return known[-1]

    def universe(self, first: m.Schema, second: m.Schema, n: int) -> Universe:
        """Return the grammar of everything that two schemata over one kind of grammar share.

        Raises
        ------
        UsageError : one of them reads several inputs, asks for missing facts, or has too many facts to try.
        """
        for schema in (first, second):
            refuse_inputs(schema)
        if first.grammar == D_RULES:
            return link_universe(n)
        if first.grammar == LINK_GRAMMAR:
            return label_universe(n, max(1, self.rule_length - 1))
        cases = (*first.cases, *second.cases)
        if first.grammar == FACTS:
            if not m.composes_by_relations(cases):
                message = "a step composes spans by a function that no relation of the step has"
                hint = "ask for the relation in each step with compose: its yield functions are tried"
                raise UsageError(message, hint=hint)
            declared: dict[str, m.Relation] = {}
            for one in (*first.relations, *second.relations):
                known = declared.get(one.name, one)
                declared[one.name] = replace(known, yields=tuple(dict((*known.yields, *one.yields)).items()))
            named = _categories_named(first, second)
            relations = tuple(declared.values())
            return fact_universe(n, self.rule_length, relations, named, lacking_alone(cases))
        chain = int(any(m.asks(c, "left_corner") for case in cases for c in case.conditions))
        spoken = max(map(_rules_spoken_of, cases))
        named = _categories_named(first, second)
        return rule_universe(n, first.grammar, self.rule_length, min(max(spoken, 2) + chain, 5), chain, named)

    def system(self, schema: m.Schema, universe: Universe) -> System:
        """Return a schema's ground system.

        Raises
        ------
        BudgetExceeded : it has too many step instances.
        UsageError : it has too many items.
        """
        kernel = self.kernel(schema)
        key = id(kernel), id(universe)
        if key not in self._systems:
            self._systems[key] = ground_system(kernel, universe, self.budget)
        return self._systems[key]


def rules_text(universe: Universe, length: int) -> str | None:
    """Say which rules there were."""
    if universe.kind == D_RULES:
        return None
    if universe.kind == FACTS:
        return f"all facts over {len(universe.symbols)} symbols{universe.note}"
    if universe.kind == LINK_GRAMMAR:
        count = max(1, length - 1)
        return (
            f"disjuncts of up to {count} connector{'s' * (count > 1)}; the items that some dictionary derives"
        )
    said = f"rules of up to {length} symbols, categories different wherever they may"
    return f"{said}, left corners at most {universe.chain} rule away" if universe.chain else said


def _rules_spoken_of(case: m.Case) -> int:
    """Return how many different rules of the grammar an instance of a rule can speak of."""
    dotted = sum(any(isinstance(t, m.TupleTerm) for t in a.pattern.terms) for a in case.antecedents)
    return dotted + sum(m.asks(c, "rule") for c in case.conditions)


def _tells_categories_apart(*schemata: m.Schema) -> bool:
    """Whether a condition compares categories with each other, which generic categories cannot decide."""
    return any(
        len({name for name in m.variables(condition) if case.types.get(name) == m.SYMBOL}) > 1
        for schema in schemata
        for case in schema.cases
        for condition in case.conditions
        if not isinstance(condition, m.HasFact)
    )


def _categories_named(*schemata: m.Schema) -> tuple[str, ...]:
    """Return the categories that rules of schemata name, sorted."""
    rules = [
        (case.antecedents, case.consequent, case.conditions) for schema in schemata for case in schema.cases
    ]
    constants = {node.value for node in m.nodes(tuple(rules)) if isinstance(node, m.Lit)}
    texts = {x for x in constants if isinstance(x, str) and not x.startswith(m.CONSTRUCTOR)}
    return tuple(sorted(texts - {m.HEAD_WORD, m.ROOT}))


def limits_of(first: m.Schema, second: m.Schema, with_links: bool) -> list[str]:
    """Return in words the limits of an answer about two schemata.

    Parameters
    ----------
    first, second : the schemata.
    with_links : whether the links of steps were compared.
    """
    found = []
    if not with_links:
        found.append("links are not compared: one schema builds by positions, one by heads")
    if (
        (first.atom_names | second.atom_names) - {"link", "join"}
        or first.builds_values
        or second.builds_values
    ):
        found.append("of what steps build, only links are compared, without their labels")
    if first.grammar == second.grammar == D_RULES and _categories_named(first, second):
        found.append("no word is of a category that the schemata name: each word has a category of its own")
    if _tells_categories_apart(first, second):
        found.append("categories are compared: equal ones are gone through only where rules ask for them")
    return found
