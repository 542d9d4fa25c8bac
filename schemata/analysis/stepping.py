"""Stepping through a run: the items to take next, back and forth, the links built so far, the oracle's
advice.

In a transition system (items have lists, steps one antecedent at most) the offers are the transitions from the
configuration taken last. Other schemata offer the items of the agenda, as chart parsers are taught.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

from schemata.analysis.why_not import takes_heads
from schemata.charts import BuiltLink, Instance, Item
from schemata.engine.chart import Chart
from schemata.engine.control import Exploration
from schemata.records import Record, document, fields_json, json_of
from schemata.structures import DependencyTree
from schemata.structures.oracles import (
    DYNAMIC,
    ORACLES,
    Configuration,
    advised,
    configuration,
    losses,
    planes_of,
)
from schemata.wording import noted
from schemata.workbench import ParsingSchema


class Offer(Record):
    """An item that may be taken next.

    Attributes
    ----------
    item, step, links : the item, the step that first derived it, and the links that this step builds.
    final : whether it is a final item.
    advised : whether the gold tree's oracle, or the strategy, takes it; None without one.
    loss : the arcs of the gold tree that are lost by taking it, where a dynamic oracle knows.
    """

    number: int
    item: Item
    step: str
    links: tuple[BuiltLink, ...]
    final: bool
    advised: bool | None = None
    loss: int | None = None

    to_json = json_of("item step links final advised loss")


class Stepping:
    """A run taken item by item.

    Parameters
    ----------
    schema : the schema.
    explore : begins the run anew.
    gold : the tree for the oracle.
    plan : without one the items that a strategy takes, in turn: these are advised.

    Attributes
    ----------
    explored : the items and steps found so far.
    past : the items taken.

    Raises
    ------
    UsageError : a gold tree of a schema that builds no trees over D-rules or dependency rules.
    """

    def __init__(
        self,
        schema: ParsingSchema,
        explore: Callable[[], Exploration],
        gold: DependencyTree | None = None,
        plan: Sequence[Item] = (),
    ) -> None:
        if gold is not None:
            takes_heads(schema.definition)
        self.schema, self._explore, self.gold, self.plan = schema, explore, gold, plan
        lists = any(field.type.kind == "list" for form in schema.definition.forms for field in form.fields)
        self.is_system = lists and all(len(case.antecedents) < 2 for case in schema.definition.cases)
        self._way: list[int] = []  # the items taken, and those taken back
        self._begin([])

    def _begin(self, past: list[int]) -> None:
        """Take these items from the beginning."""
        self.explored, self.past = self._explore(), list[int]()
        self._first: dict[int, Instance] = {}
        self._built: dict[int, tuple[BuiltLink, ...]] = {}
        self._find(self.explored.first)
        for item in past:
            self.take(item)

    def _find(self, found: Sequence[Instance]) -> None:
        """Record the items that new steps offer, and the links of their first derivations (of the last antecedent
        first).
        """
        for one in found:
            if one.consequent not in self._first:
                tails = self.explored.tails(one)[::-1]
                below = chain(*(self._built.get(x, ()) for x in tails))
                own = self.explored.chart.built_links(one.case, one.links)
                self._first[one.consequent] = one
                self._built[one.consequent] = tuple(dict.fromkeys([*own, *below]))
        self._next = found

    @property
    def current(self) -> Item | None:
        """The item taken last."""
        return self.explored.chart.item(self.past[-1]) if self.past else None

    def offers(self) -> list[Offer]:
        """Return the items that may be taken next."""
        chart, c, gold = self.explored.chart, self._configuration(), self.gold
        agenda = [one for item, one in self._first.items() if item not in self.explored.taken]
        rule = None if c is None else advised(self.schema.name, c)
        taken = {str(chart.item(x)) for x in self.explored.taken} if self.plan else set()
        following = next((one for one in map(str, self.plan) if one not in taken), None)
        lost = {} if c is None or self.schema.name not in DYNAMIC else losses(self.schema.name, c)
        found = []
        for instance in self._next if self.is_system and not self.plan else agenda:
            case, number = chart.schema.cases[instance.case], instance.consequent
            links, item = chart.built_links(instance.case, instance.links), chart.item(number)
            good: bool | None = str(item) == following if self.plan else None
            if gold is not None and self.is_system and not self.past:  # which begins with its axiom
                good = True
            elif gold is not None and c is None:
                good = (item.form, item.values) in self._useful
            elif gold is not None and c is not None:
                good = rule is not None and rule[0] == case.step and set(links) <= set(gold.links)
                if rule is not None and self.schema.name == "easy-first-system":  # the leftmost
                    pair = {*c.buffer[::-1][rule[2] - 1 :][:2]}
                    good = good and all({*link[:2]} == pair for link in links)
            step, final = noted(case.step, case.label), self.explored.is_final(number)
            found.append(Offer(number, item, step, links, final, good, lost.get(case.step)))
        return sorted(found, key=lambda one: not one.advised) if self.plan else found

    def take(self, item: int) -> None:
        """Take an item that is offered."""
        self.past.append(item)
        if self._way[: len(self.past)] != self.past:
            self._way = [*self.past]
        self._find(self.explored.take(item))

    def answer(self, choice: str) -> bool:
        """Carry out a user's choice; returns whether it is possible.

        Parameters
        ----------
        choice : the number of an offer, from 1; "o" for the advised offer, the first one if none is advised; "b" back,
            "f" forward.
        """
        if choice in ("b", "f"):
            return self.back() if choice == "b" else self.forward()
        offers = self.offers()
        if choice == "o":
            advice = self.gold is not None or self.plan
            chosen = [one for one in offers if one.advised or not advice][:1]
        else:
            chosen = [one for number, one in enumerate(offers, start=1) if str(number) == choice]
        for one in chosen:
            self.take(one.number)
        return bool(chosen)

    def back(self) -> bool:
        """Take back the last item; returns whether there was one."""
        if there := bool(self.past):
            self._begin(self.past[:-1])
        return there

    def forward(self) -> bool:
        """Redo the last step taken back; returns whether there was one."""
        following = self._way[len(self.past) :][:1]
        for item in following:
            self.take(item)
        return bool(following)

    def pictured(self) -> tuple[Chart, list[int], list[int], int | None]:
        """Return the chart so far, with the numbers in it of items that wait, of antecedents and of the consequent.

        The chart holds the items taken and those that may be taken; the antecedents are those of the first step
        that derived the item taken last, which is the consequent.
        """
        waiting = [one for one in self._first if one not in self.explored.taken]
        chart, given = self.explored.chart_of([*self.past, *waiting]), self.explored.raw.hypothesis_count
        order = dict.fromkeys([*range(given), *self.past, *waiting])
        place = {item: number for number, item in enumerate(order)}
        last = self.past[-1] if self.past else None
        above = self._first[last].antecedents if last in self._first else ()
        consequent = None if last is None else place[last]
        return chart, [place[x] for x in waiting], [place[x] for x in above if x in place], consequent

    def built(self) -> tuple[BuiltLink, ...]:
        """Return the links that the first derivation of the current item builds."""
        return self._built.get(self.past[-1], ()) if self.past else ()

    def _configuration(self) -> Configuration | None:
        """Return the configuration taken last in the form that oracles read; None if the system has no oracle."""
        item = self.current
        if self.gold is None or item is None or self.schema.name not in ORACLES:
            return None
        fields = self.explored.schema.form(item.form).fields
        values: Any = dict(zip((field.name for field in fields), item.values, strict=True))
        k = self.schema.parameters.get("k", 1)
        lists = [name for name in values if name not in ("buffer", "arcs", "switches")]
        stacks = [values[name] for name in lists[:k]]
        c = configuration(self.gold, stacks, values["buffer"], values["arcs"], rooted=False)
        if self.schema.name == "k-planar-system":
            c.planes |= planes_of(self.gold, k)
            cases = self.explored.schema.cases
            c.active = sum(cases[self._first[x].case].step == "Switch" for x in self.past) % k
        return c

    @cached_property
    def _useful(self) -> set[tuple[str, Any]]:
        """The items of derivations of the gold tree."""
        assert self.gold is not None
        chart = self.schema.run(self.explored.chart.sentence, f"heads:{','.join(map(str, self.gold.heads))}")
        items = map(chart.item, chart.forest().useful_ids)
        return {(item.form, item.values) for item in items}

    def to_json(self) -> dict[str, Any]:
        """Return the object that `step --json` prints."""
        taken = {"taken": [str(self.explored.chart.item(x)) for x in self.past]}
        more = {"built": self.built(), "offers": [offer.to_json() for offer in self.offers()]}
        return document(fields_json(self.explored.chart, "schema=schema.name"), taken, more)
