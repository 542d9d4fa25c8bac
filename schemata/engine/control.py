"""Control: in which order a schema's items are taken, and how many; written beside the schema, which stays as it is.

    beam 8                        # greedy, beam K, best-first, astar, or exhaustive
    order span                    # steps, span, or left-to-right
    rank prefix                   # weight, or prefix: the weight of the best way from the beginning to an item's end
    heuristic links               # none, or an upper bound on the weight of links still to come
    prefer Left-Arc Right-Arc     # which step wins where weights are equal
    choose entered by C           # cells of items `entered` with equal C; other items are all taken, before them

Best first takes the item of greatest weight (Knuth 1977; Nederhof 2003): as long as no step gains weight, the first
final item has the best derivation. A* adds a heuristic to the weight. A beam goes from cell to cell, and takes no more
than K items of each: items that as many steps derive, that stand over the same words, or that have a value in common.

The *prefix score* of an item is the weight of its best derivation and of the items that must have come before it (Huang
& Sagae 2010; Kuhlmann et al. 2011, section 4.4, figure 5): of those that license it, where a step has a context, and of
those before its first antecedent. By it a beam compares items that begin at different places.

Items are taken from an `Exploration`, a chart that grows item by item, by such a strategy or by a person
(`analysis.stepping`). An item that is taken is combined with those taken before, by the matcher that reads the schema's
own steps; the items that they derive may be taken from then on.

References
----------
Knuth, D. E. (1977). A generalization of Dijkstra's algorithm. Information Processing Letters 6(1).
Nederhof, M.-J. (2003). Weighted deductive parsing and Knuth's algorithm. Computational Linguistics 29(1).
Huang, L. & Sagae, K. (2010). Dynamic programming for linear-time incremental parsing. ACL.
Klein, D. & Manning, C. D. (2003). A* parsing. NAACL.
"""

from __future__ import annotations

import heapq
import math
import os
import re
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache, cached_property, partial
from itertools import chain, product
from os import PathLike, fspath
from typing import Any, Literal, TypeAlias

from schemata.budget import Budget, OverBudget, Reason
from schemata.charts import Instance, Item, RawChart
from schemata.engine.chart import Chart
from schemata.engine.exceeded import stopped
from schemata.engine.run import compile_kernel, outcome, run_kernel
from schemata.engine.weighted_graph import row_weights
from schemata.errors import GrammarError, UsageError, one_of, require_known
from schemata.grammars.drules import Licences
from schemata.grammars.relations import knowing_words
from schemata.grammars.text import Cursor, TokenError, read_lines, refuse, text_of
from schemata.kinds import DEPENDENCY_TREE
from schemata.language import model as m
from schemata.program.instances import Links, Values, chart_writings, final_bindings, inferences
from schemata.program.matching import Goal, known_values, match_pattern, solve
from schemata.program.rewriting import all_writings
from schemata.records import Record, fields_json, json_of, replace
from schemata.structures import Sentence
from schemata.text_files import read_file
from schemata.thresholds import REFUSALS, WAYS
from schemata.weights.scores import Weights

Written = tuple[int, Values]  # an item, and one of its writings
Heuristic: TypeAlias = "Callable[[Item], float] | Literal['none', 'links']"
_WORDS = {
    "strategy": ("greedy", "beam", "best-first", "astar", "exhaustive"),
    "order": ("steps", "span", "left-to-right"),
    "heuristic": ("none", "links"),
    "rank": ("weight", "prefix"),
}
_KEYS = ("order", "heuristic", "prefer", "rank", "choose")
_refused = partial(UsageError, code="bad-control")


class Exploration:
    """A chart that grows as its items are taken from an agenda.

    Parameters
    ----------
    schema, sentence, grammar : as for a run.
    weights : the weights of step instances, beside those of grammar and schema.
    budget : limits of the facts before any item is taken.

    Attributes
    ----------
    chart : the chart so far; its counts and tables are computed when first used, and not updated after that.
    taken : the items taken, in turn; hypotheses are taken from the beginning.
    first : the instances of steps whose antecedents are hypotheses, or that have none.

    Raises
    ------
    BudgetExceeded : there are too many hypotheses and axioms.
    """

    def __init__(
        self,
        schema: m.Schema,
        sentence: Sentence,
        grammar: Any,
        weights: Weights | None = None,
        budget: Budget | None = None,
    ) -> None:
        grammar = knowing_words(grammar, sentence.words) if schema.compares_words else grammar
        first = [number for number, case in enumerate(schema.cases) if not case.antecedents]
        axioms = replace(schema, cases=tuple(schema.cases[number] for number in first))
        seeds = run_kernel(compile_kernel(axioms), sentence, grammar, budget)
        self.schema, self.raw = schema, RawChart(len(schema.forms), len(schema.cases))
        self.raw.arguments = self._arguments = dict[tuple[m.Type, int], m.Value]()
        self.chart = Chart(schema, sentence, grammar, self.raw, frozenset(), 0.0)
        self.chart.weights = weights
        self.taken: dict[int, None] = {}
        self._forms = {form.name: number for number, form in enumerate(schema.forms)}
        self._argument_number: dict[tuple[m.Type, m.Value], int] = {}
        self._known: dict[object, Instance] = {}
        self._index: dict[tuple[Any, ...], list[Written]] = {}
        self._slots: dict[int, list[tuple[int, int]]] = {number: [] for number in self._forms.values()}
        for number, case in enumerate(schema.cases):
            for slot, antecedent in enumerate(case.antecedents):
                self._slots[self._forms[antecedent.pattern.form]].append((number, slot))
        self.raw.hypothesis_count = seeds.raw.hypothesis_count
        hypotheses = range(seeds.raw.hypothesis_count)
        for number in hypotheses:
            self._enter(self.raw, seeds.raw.form_of[number], seeds.raw.values[number])
        instances: list[Instance] = []
        for found in seeds.instances():
            case, made = schema.cases[first[found.case]], seeds.raw.values[found.consequent]
            links = tuple(map(seeds.arguments, case.links, found.links))
            instances += self._instance(first[found.case], (), made, links)
        for number in hypotheses:
            instances += self.take(number)
        self.first = tuple(dict.fromkeys(instances))

    def take(self, item: int) -> list[Instance]:
        """Take an item, perhaps once more; return the step instances over it and the items taken before."""
        form, n, grammar = self.raw.form_of[item], self.chart.n, self.chart.grammar
        writings = chart_writings(self.chart, item)
        if item not in self.taken:
            self.taken[item] = None
            for writing in writings:
                for key in [(form,), *((form, k, value) for k, value in enumerate(writing))]:
                    self._index.setdefault(key, []).append((item, writing))
        found: dict[Instance, None] = {}
        for writing, (number, slot) in product(writings, self._slots[form]):
            case = self.schema.cases[number]
            for chosen in self._chosen(case, {slot: (item, writing)}):
                antecedents, written = zip(*(chosen[k] for k in sorted(chosen)), strict=True)
                for made, links in inferences(self.schema, case, written, n, grammar):
                    found |= dict.fromkeys(self._instance(number, antecedents, made, links))
        return list(found)

    def is_final(self, item: int) -> bool:
        """Whether an item is a final one."""
        return any(True for _ in final_bindings(self.chart, item))

    def tails(self, instance: Instance) -> list[int]:
        """Return the antecedents of a step instance that are not context."""
        antecedents = self.schema.cases[instance.case].antecedents
        return [x for x, a in zip(instance.antecedents, antecedents, strict=True) if not a.context]

    def chart_of(self, items: Collection[int], seconds: float = 0.0, stopped: str | None = None) -> Chart:
        """Return the chart of the hypotheses, some items in turn, and the step instances between these."""
        raw = RawChart(len(self.schema.forms), len(self.schema.cases))
        raw.hypothesis_count, raw.arguments = self.raw.hypothesis_count, self._arguments
        order = dict.fromkeys([*range(raw.hypothesis_count), *items])
        place = {x: self._enter(raw, self.raw.form_of[x], self.raw.values[x]) for x in order}
        for one in self._known.values():
            items_of = (one.consequent, *one.antecedents)
            if all(x in place for x in items_of):
                raw.logs[one.case] += [*(place[x] for x in items_of), *chain(*one.links)]
        finals = frozenset(place[x] for x in order if self.is_final(x))
        found = Chart(self.schema, self.chart.sentence, self.chart.grammar, raw, finals, seconds, stopped)
        found.weights = self.chart.weights
        return found

    def _chosen(self, case: m.Case, chosen: Mapping[int, Written]) -> Iterator[Mapping[int, Written]]:
        """Yield all choices of a case's antecedents among the items taken; some antecedents are already `chosen`."""
        patterns = [antecedent.pattern for antecedent in case.antecedents]
        others = [k for k in range(len(patterns)) if k not in chosen]
        if not others:
            yield chosen
            return
        goals: list[Goal] = []
        for k, (_, values) in chosen.items():
            goals += match_pattern(self.schema.form(patterns[k].form), patterns[k], values)
        for solution in solve(goals, {"n": self.chart.n}, case.types):
            known = {k: known_values(patterns[k], solution.binding) for k in others}
            slot = max(others, key=lambda k: len(known[k]))
            form = self._forms[patterns[slot].form]
            keys = [(form,), *((form, k, value) for k, value in known[slot].items())]
            for partner in list(min((self._index.get(key, ()) for key in keys), key=len)):
                yield from self._chosen(case, {**chosen, slot: partner})

    def _enter(self, raw: RawChart, form: int, values: Values) -> int:
        """Return the number of an item in a chart, which gets one if it is new."""
        number = raw.ids[form].setdefault(values, raw.item_count)
        if number == raw.item_count:
            raw.values.append(values)
            raw.form_of.append(form)
            if self.schema.forms[form].has_normal_form:
                written = all_writings(self.schema.forms[form], values, self.chart.n)
                raw.writings[form].update(dict.fromkeys(written, number))
        return number

    def _instance(
        self, number: int, antecedents: tuple[int, ...], made: Values, links: Links
    ) -> list[Instance]:
        """Return a step instance, which is entered if it is new; none where it derives one of its antecedents."""
        case = self.schema.cases[number]
        consequent = self._enter(self.raw, self._forms[case.consequent.form], made)
        if consequent in antecedents:
            return []
        numbered = tuple(
            tuple(map(self._argument, built.types, values))
            for built, values in zip(case.links, links, strict=True)
        )
        found = Instance(number, antecedents, consequent, numbered)
        return [self._known.setdefault((case.step, antecedents, consequent, numbered), found)]

    def _argument(self, kind: m.Type, value: Any) -> int:
        """Return the number of a built atom's argument; a position is its own."""
        if kind == m.POSITION:
            return int(value)
        number = self._argument_number.setdefault((kind, value), len(self._argument_number))
        self._arguments[kind, number] = value
        return number


class Control(Record):
    """A strategy: see the module.

    Parameters
    ----------
    strategy : "greedy", "beam", "best-first", "astar" or "exhaustive".
    width : how many items of each cell a beam takes; greedy takes one.
    order : "steps", "span", "left-to-right"; None for that of the strategy: best first and A* go by weight, a beam by
        steps where no step has two antecedents, else by span.
    heuristic : "links", "none", or a function of an item: the most that may be gained, in log space, from the item on.
    rank : "prefix" for a beam that compares items by their prefix scores; else by the weights of their derivations.
    prefer : names of steps; of equal weights the consequents of those named first are taken first.
    choose : pairs of an item's name and of a field; items whose field has the same value are a cell, and all items that
        are not named are taken before.
    """

    strategy: str = "exhaustive"
    width: int | None = None
    order: str | None = None
    heuristic: Heuristic = "none"
    prefer: tuple[str, ...] = ()
    rank: str = "weight"
    choose: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, given: Control | str | PathLike[str]) -> Control:
        """Return a strategy from a path, or from text: lines may be separated by commas, ``beam:8,order span``.

        Raises
        ------
        GrammarError : it cannot be read or holds mistakes; all of them are reported with their places.

        >>> Control.of("beam:8, order span")
        Control(strategy='beam', width=8, order='span', heuristic='none', prefer=(), rank='weight', choose=())
        """
        if isinstance(given, Control):
            return given
        if not isinstance(given, str) or given.endswith(".control") or os.path.isfile(given):
            return _parsed(read_file(given, GrammarError, _EXPECTED, REFUSALS.grammar_bytes), fspath(given))
        return _parsed(given.replace(",", "\n"), "<control>")

    def __str__(self) -> str:
        width = f" {self.width}" if self.strategy == "beam" else ""
        order = f", by {self.order}" if self.order else ""
        hope = "" if self.heuristic == "none" else f", heuristic {self._heuristic}"
        ranked = ", rank prefix" if self.rank == "prefix" else ""
        chosen = "".join(f", choose {item} by {field}" for item, field in self.choose)
        return f"{self.strategy}{width}{order}{ranked}{chosen}{hope}"

    @property
    def _heuristic(self) -> str:
        return self.heuristic if isinstance(self.heuristic, str) else "a function"

    def to_json(self) -> dict[str, Any]:
        """Return the strategy as a JSON object."""
        return fields_json(self, "strategy width order heuristic=_heuristic prefer? rank choose?")


_ALL = (0,)  # the cell of items that are all taken
_EXPECTED = "a strategy: greedy, beam K, best-first, astar or exhaustive"


def _parsed(text: str, file: str) -> Control:
    lines = text_of(text, file)
    found: dict[str, Any] = {}

    def read(line: Cursor) -> None:
        first = line.next
        key = first.text if line.accept(*_KEYS) else "strategy"
        words = _WORDS.get(key, ())
        if key == "strategy" and re.match(r"beam\W", line.next.text):
            line.unexpected("a width: beam:8")
        if words and not line.is_at(*words):
            line.unexpected(one_of(words), (*words, *_KEYS))
        if key == "choose":
            item = line.take().text
            if not line.accept("by"):
                line.unexpected("by and a field, as in: choose entered by C", ("by",))
            found[key] = (*found.get(key, ()), (item, line.take().text))
            line.require_end()
            return
        if key in found:
            raise TokenError(first, "second-line", f"there is a {key} before this one")
        if key == "prefer":
            found[key] = tuple(iter(lambda: line.take().text, line.tokens[-1].text))
            return
        found[key] = line.take().text
        if key == "strategy" and first.text == "beam":
            line.accept(":")
            token = line.take()
            if not re.fullmatch("[1-9][0-9]{0,8}", token.text):
                message = (
                    "the beam has no width" if token.kind == "end" else f"{token} is not a width of a beam"
                )
                raise TokenError(token, "bad-width", message, "beam:8")
            found["width"] = int(token.text)
        line.require_end()

    findings = read_lines(lines, (":",), read)
    if not findings and "strategy" not in found:
        findings.append(lines.finding("no-strategy", "no strategy is named", _EXPECTED))
    refuse(findings)
    of_strategy: dict[str, dict[str, Any]] = {"greedy": {"width": 1}, "astar": {"heuristic": "links"}}
    return Control(**{**of_strategy.get(found["strategy"], {}), **found})


class Search(Record):
    """The result of a search by a strategy.

    Attributes
    ----------
    control : the strategy, with its order.
    taken, dropped : items that were taken, and that a beam left out.
    tried : step instances found and weighed.
    weight : the weight of the best derivation found, in log space; None if no final item was taken.
    proved : whether no derivation has a greater weight.
    exhaustive : the weight of the best structure of the exhaustive run, if that was asked for; -inf without one.
    """

    control: Control
    taken: int
    dropped: int
    tried: int
    weight: float | None
    proved: bool
    exhaustive: float | None = None

    @property
    def error(self) -> float | None:
        """The loss in weight against the exhaustive run; inf if the strategy finds no final item."""
        if self.exhaustive is None:
            return None
        found = -math.inf if self.weight is None else self.weight
        return 0.0 if found == self.exhaustive else max(0.0, self.exhaustive - found)

    to_json = json_of("control taken dropped tried weight proved exhaustive! search_error!=error")


def controlled(explored: Exploration, control: Control, budget: Budget | None = None) -> Chart:
    """Take the items of a schema as a strategy says.

    Parameters
    ----------
    explored : nothing has been taken of it yet.
    control : the strategy.
    budget : limits; those of `Budget` by default.

    Returns
    -------
    The chart of the items taken and the step instances between them; `search` reports the work.

    Raises
    ------
    UsageError : a step that is preferred does not exist; a heuristic that the schema does not have; trees of a single
        root.
    BudgetExceeded, Interrupted : a limit was hit; the exception carries the chart.
    """
    run = _ControlledRun(explored, control, Budget().unless(budget))
    reason = stopped(run.budget, run.started, run.go)
    return outcome(run.chart(reason), run.budget, reason)


class _Way(Record):
    """The best derivation of an item so far: its weight, its steps on the longest path, and the links it builds.

    `prefix` is its prefix score, which may be that of another derivation. A link of a tree is its dependent here,
    one of a graph (dependent, head).
    """

    weight: float
    links: frozenset[object] = frozenset()
    depth: int = 0
    prefix: float = 0.0


class _ControlledRun:
    """A strategy at work: the agenda, and the best derivation of each item."""

    def __init__(self, explored: Exploration, control: Control, budget: Budget) -> None:
        self.explored, self.budget, self.started = explored, budget, time.perf_counter()
        self.weighted, schema = explored.chart.weighing.weighted, explored.schema
        for name in control.prefer:
            message = f"schema {schema.name} has no step {name}"
            require_known(name, schema.step_names, message, "bad-control")
        if getattr(explored.chart.grammar, "single_root", False):
            raise _refused("strategies cannot keep to trees with one root: leave out --single-root")
        if explored.chart.weights is not None and any(case.head_links for case in schema.cases):
            message = f"strategies do not see the scores of links between heads, as {schema.name} builds them"
            raise _refused(message)
        if control.choose and (control.width is None or control.order):
            message = "items are chosen by a field greedily or by a beam, without an order"
            raise _refused(message, expected="greedy, or beam K")
        self._fields = dict(_field(schema, *one) for one in control.choose)
        self._numbers: dict[object, int] = {}
        system = all(len(case.antecedents) < 2 for case in schema.cases)
        if control.width is not None and control.order is None and not control.choose:
            control = replace(control, order="steps" if system else "span")
        self.control, self.by_prefix = control, control.rank == "prefix"
        self._rank = {name: k for k, name in enumerate((*control.prefer, *schema.step_names)[::-1])}
        weighted = self.weighted
        of_hypotheses = weighted.step_weights.of_hypotheses(explored.chart, weighted.given)
        given = ((x, of_hypotheses.get(x, 0.0)) for x in range(explored.raw.hypothesis_count))
        self.ways = {x: _Way(weight, prefix=weight) for x, weight in given}
        if control.rank == "prefix" and control.strategy in ("best-first", "astar"):
            raise _refused(
                f"{control.strategy} goes by the weights of derivations", expected="a beam, or greedy"
            )
        self._weight = cache(weighted.instance_weight) if weighted.is_weighed else lambda _: 0.0
        self._is_tree = schema.structure == DEPENDENCY_TREE
        self.agenda: list[tuple[Any, ...]] = []
        self.cells: Counter[Any] = Counter()
        self.taken: dict[int, None] = {}
        self.tried = self.dropped = 0
        self.goal: float | None = None
        self.monotone, self.cut = self._loses(), False

    def go(self) -> None:
        """Take items until the agenda is empty, or the best final item is certain.

        Raises
        ------
        OverBudget : too many step instances were tried.
        """
        best_only = self.control.strategy in ("best-first", "astar")
        for item, way in list(self.ways.items()):
            self._finish(item, way)
        for instance in self.explored.first:
            self._offer(instance, math.inf)
        while self.agenda:
            cell, cost, *_, way, item = heapq.heappop(self.agenda)
            if self.ways[item] is not way:  # a better one came later
                continue
            if best_only and self.goal is not None and self.goal >= -cost - WAYS.control_gain:
                self.cut = True
                break
            if self.control.width is not None and item not in self.taken and cell != _ALL:
                if self.cells[cell] == self.control.width:
                    self.dropped += 1
                    continue
                self.cells[cell] += 1
            self.taken[item] = None
            self._finish(item, way)
            for instance in self.explored.take(item):
                self._offer(instance, -cost)
            if self.tried > self.budget.steps:
                raise OverBudget("steps")

    def _loses(self) -> bool:
        """Whether no step can gain weight, so that an item has its best derivation when it is taken."""
        given, grammar, heuristic = self.weighted.given, self.explored.chart.grammar, self.control.heuristic
        if given.steps or callable(heuristic) or any(case.weight for case in self.explored.schema.cases):
            return False
        arcs = given.arcs
        gains = [weight for table in row_weights(grammar).values() for weight in table.values()]
        if heuristic == "none":
            gains += grammar.weights.values() if isinstance(grammar, Licences) else []
            gains += [] if arcs is None else [float(arcs.matrix.max()), arcs.otherwise or 0.0]
        return max(gains, default=0.0) <= 0

    def chart(self, reason: Reason | None) -> Chart:
        """Return the chart of the items taken."""
        found = self.explored.chart_of(self.taken, time.perf_counter() - self.started, reason)
        proved = reason is None and not self.dropped and (self.monotone or not self.cut)
        found.search = Search(self.control, len(self.taken), self.dropped, self.tried, self.goal, proved)
        return found

    def _finish(self, item: int, way: _Way) -> None:
        """Note the weight of a final item."""
        if self.explored.is_final(item):
            self.goal = max(way.weight + self._root(way), -math.inf if self.goal is None else self.goal)

    def _offer(self, instance: Instance, priority: float) -> None:
        """Put the consequent of a step instance on the agenda, if this is its best derivation so far."""
        self.tried += 1
        case = self.explored.schema.cases[instance.case]
        tails = [self.ways[x] for x in self.explored.tails(instance)]
        own_weight = self._weight(instance)
        weight = sum(tail.weight for tail in tails) + own_weight
        prefix = self._prefix(instance, own_weight)
        item, before = instance.consequent, self.ways.get(instance.consequent)
        is_better = before is None or weight > before.weight + WAYS.control_gain
        is_nearer = self.by_prefix and before is not None and prefix > before.prefix + WAYS.control_gain
        if weight == -math.inf or not (is_better or is_nearer):
            return
        built = zip(case.links, instance.links, strict=True)
        own = {ends[0] if self._is_tree else ends[:2] for atom, ends in built if atom.name == "link"}
        links = frozenset(own).union(*(tail.links for tail in tails))
        depth = 1 + max((self.ways[x].depth for x in instance.antecedents), default=0)
        prefix = prefix if before is None else max(prefix, before.prefix)
        if before is not None and not is_better:  # it is only reached on a better way
            way = replace(before, prefix=prefix)
        else:
            way = _Way(weight, links, depth, prefix)
        self.ways[item] = way
        hopes = (prefix if self.by_prefix else weight) + self._hope(item, way)
        self.monotone = self.monotone and hopes <= priority + WAYS.control_gain
        entry = self._cell(item, way), -hopes, -self._rank[case.step], self.tried, way, item
        heapq.heappush(self.agenda, entry)

    def _prefix(self, instance: Instance, weight: float) -> float:
        """Return the prefix score that a step instance gives its consequent; `weight` is the instance's own."""
        if not self.by_prefix or not instance.antecedents:
            return weight
        context = self.explored.schema.cases[instance.case].antecedents
        first, *others = zip(instance.antecedents, context, strict=True)
        after = sum(self.ways[x].weight for x, antecedent in others if not antecedent.context)
        return self.ways[first[0]].prefix + after + weight

    def _cell(self, item: int, way: _Way) -> tuple[int, ...]:
        """Return the cell of an item by its place among cells."""
        if self._fields:  # cells of a field come as they were found
            form = self.explored.raw.form_of[item]
            if form not in self._fields:
                return _ALL
            key = form, self.explored.raw.values[item][self._fields[form]]
            return (1 + self._numbers.setdefault(key, len(self._numbers)),)
        if self.control.order in (None, "steps"):
            return (way.depth,) if self.control.order else ()
        positions = [*_positions(self.explored.raw.values[item])] or [0]
        low, high = min(positions), max(positions)
        return (high - low, low) if self.control.order == "span" else (high, -low)

    # heuristics

    def _hope(self, item: int, way: _Way) -> float:
        """Return an upper bound of the weight that an item can still gain."""
        if callable(self.control.heuristic):
            return float(self.control.heuristic(self.explored.chart.item(item)))
        if self.control.heuristic == "none":
            return 0.0
        return sum(most for link, most in self._most.items() if link not in way.links)

    @cached_property
    def _most(self) -> Mapping[object, float]:
        """The greatest score of a link: by word, of its head in a tree; by link in a graph, at least 0."""
        n, score, schema = self.explored.chart.n, self.weighted.link_score, self.explored.schema
        if not schema.builds_links:
            message = f"schema {schema.name} builds no links that the heuristic could go by"
            raise _refused(message, expected="heuristic none")
        words = range(1, n + 1)
        if self._is_tree:
            return {d: max(score(d, h) for h in range(n + 1) if h != d) for d in words}
        return {(d, h): max(0.0, score(d, h)) for d in words for h in words if h != d}

    def _root(self, way: _Way) -> float:
        """Return the score of the root's link to 0, where no step builds it."""
        n, arcs = self.explored.chart.n, self.weighted.given.arcs
        left = [d for d in range(1, n + 1) if d not in way.links]
        if not self._is_tree or len(left) != 1 or (arcs is not None and arcs.labels):
            return 0.0
        return self.weighted.link_score(left[0], 0)


def prefix_scores(explored: Exploration, budget: Budget | None = None) -> dict[Item, float]:
    """Return the prefix score of each item, in log space: see the module.

    Parameters
    ----------
    explored : nothing has been taken of it yet.
    budget : limits; those of `Budget` by default.

    Raises
    ------
    UsageError : as `controlled`.
    BudgetExceeded, Interrupted : a limit was hit.
    """
    run = _ControlledRun(explored, Control(rank="prefix"), Budget().unless(budget))
    reason = stopped(run.budget, run.started, run.go)
    if reason is not None:
        outcome(run.chart(reason), run.budget, reason)
    item = explored.chart.item
    return {item(x): run.ways[x].prefix for x in (*range(explored.raw.hypothesis_count), *run.taken)}


def chart_prefix_scores(chart: Chart, weights: Weights | None) -> dict[Item, float]:
    """Return the prefix score of each item of a chart, as `Chart.prefix_scores` does."""
    return prefix_scores(Exploration(chart.schema, chart.sentence, chart.grammar, weights))


def _field(schema: m.Schema, item: str, field: str) -> tuple[int, int]:
    """Return the number of an item's form, and the place of one of its fields."""
    forms = [form.name for form in schema.forms]
    require_known(item, forms, f"schema {schema.name} has no item {item}", "bad-control")
    number = forms.index(item)
    fields = [one.name for one in schema.forms[number].fields]
    require_known(field, fields, f"item {item} has no field {field}", "bad-control")
    return number, fields.index(field)


def _positions(value: m.Value) -> Iterator[int]:
    """Yield the positions in a value."""
    if isinstance(value, tuple):
        for part in value:
            yield from _positions(part)
    elif isinstance(value, int) and not isinstance(value, bool):
        yield value
