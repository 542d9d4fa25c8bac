"""A naive fixpoint over a checked schema: every case, every tuple of known items, every value, again and again.

The other systems of this folder are rules copied by hand; this one reads the schema itself, so that schemata
nobody has written a system for can be checked. It shares nothing with the engine but the model: no index, no
generated code, no plan. An antecedent is matched by cutting its lists in every way; arithmetic waits until
one unknown is left; a condition that binds is tried with everything it allows; the writings of an item with a
normal form are found by normalising everything there is, never by reading equations backwards.

What a grammar says is a set of rows for every condition that asks for it: of links given as pairs (dependent,
head), under which word i is of the category `wi`, of a grammar of rules, of facts, or of relations by name, with
positions for words.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from itertools import chain, combinations, pairwise, product
from typing import Any

from schemata.language import model as m
from schemata.language.typeset import format_value
from tests.oracle.facts import FactGrammar
from tests.oracle.naive import Building, Grammar, Instance, Item, NaiveChart
from tests.oracle.rules import RuleGrammar, left_corners

__all__ = ["Endless", "heads_of", "interpret", "predicted"]

Env = dict[str, Any]
Values = tuple[Any, ...]
Rows = Mapping[str, frozenset[Values]]  # by the name of the relation
BELOW, ABOVE = -3, 3  # positions from BELOW to n + ABOVE are tried where all values are


class Endless(Exception):
    """The schema derives more than the limits allow, or a normal form has no end; "work" if it only takes long."""


class Undefined(Exception):
    """A yield function does not fit what it is applied to."""


@dataclass(frozen=True)
class Pending:
    """A value that a term must have, or the elements that must all have a shape, once their variables are known."""

    value: Any
    term: m.Term


@dataclass
class Interpreter:
    """A schema, the lengths that it may name, what its grammar says; `limit` bounds items, `work` the tuples tried."""

    schema: m.Schema
    lengths: Env
    rows: Rows
    limit: int
    work: int
    weights: Mapping[str, Mapping[Values, float]] = field(default_factory=dict)  # of rows, by relation
    known: set[Item] = field(default_factory=set)
    hypotheses: frozenset[Item] = frozenset()
    recipes: dict[Instance, tuple[int | None, Any, tuple[int | None, ...]]] = field(default_factory=dict)
    ways: dict[Instance | Item, dict[Any, float]] = field(default_factory=dict)  # to make it, with weights
    loops: set[Instance] = field(default_factory=set)  # that give back an antecedent
    _writings: dict[str, dict[Values, list[Values]]] = field(default_factory=dict)
    _inputs: dict[str, range] = field(default_factory=dict)  # the words of each
    _types: dict[int, Mapping[str, m.Type]] = field(default_factory=dict)  # of a condition's rule
    _variables: dict[int, tuple[object, frozenset[str]]] = field(default_factory=dict)
    _matches: dict[tuple[int, int, Values], list[tuple[Env, tuple[Pending, ...]]]] = field(
        default_factory=dict
    )

    @property
    def n(self) -> int:
        """The number of words."""
        return int(self.lengths["n"])

    # the fixpoint

    def run(self) -> NaiveChart:
        """Apply every case to everything known until nothing new is derived."""
        self.hypotheses = frozenset(self.given())
        self.known = set(self.hypotheses)
        while True:
            instances = frozenset(self.instances())
            consequents = {instance.consequent for instance in instances}
            if consequents <= self.known:
                break
            self.known |= consequents
            if len(self.known) > self.limit:
                raise Endless
        finals = frozenset(item for item in self.known if self.is_final(item))
        building = Building(self.leaf, self.build, lambda state: state[0])
        if self.schema.structure == "constituent tree":
            building = Building(lambda _: ((),), self.bracketed, lambda state: state[0])
        items = frozenset(consequents - self.hypotheses)
        weighing = frozenset(
            (
                "" if case.antecedents and all(a.context for a in case.antecedents) else case.step,
                heads_of(case),
                tuple(map(shape_of, case.links)),
            )
            for case in self.schema.cases
            if self.weighs(case)
        )
        return NaiveChart(
            self.schema.name, self.n, self.hypotheses, items, instances, finals, building, self.ways,
            frozenset(self.loops), weighing,
        )  # fmt: skip

    def given(self) -> Iterator[Item]:
        """Yield the hypotheses: all values within reach that fulfil the conditions."""
        for clause in self.schema.hypotheses:
            form = self.schema.form(clause.pattern.form)
            names = sorted({v for v in m.variables(clause.pattern) if v != "n"})
            everything = [self.values_of(clause.types[name]) for name in names]
            for values in product(*everything):
                env = {**dict(zip(names, values, strict=True)), **self.lengths}
                item = tuple(value_of(t, env) for t in clause.pattern.terms)
                if all(holds(c, env) for c in clause.conditions) and self.fits(form, item):  # type: ignore[arg-type]
                    yield form.name, item

    def values_of(self, kind: m.Type) -> list[Any]:
        """Return every value of a type that is tried where all are."""
        match kind.kind:
            case "position":
                return list(range(BELOW, self.n + ABOVE + 1))
            case "flag":
                return [False, True]
            case "symbol":
                return sorted({*_constants(self.schema), *_texts(tuple(self.rows.values())), m.ROOT})
            case "optional":
                return [None, *self.values_of(kind.arguments[0])]
            case "list" if kind.intervals:
                return list(interval_lists(self.n))
            case "list" if kind.arcs:
                ends = self.values_of(m.POSITION)
                return [pairs for size in range(3) for pairs in combinations(list(product(ends, ends)), size)]
        raise NotImplementedError(f"all values of type {kind}")

    def instances(self) -> Iterator[Instance]:
        """Yield every step instance over the known items."""
        written: dict[str, list[tuple[Values, Values]]] = {form.name: [] for form in self.schema.forms}
        for form_name, values in self.known:
            form = self.schema.form(form_name)
            for writing in self.writings(form, values):
                written[form_name].append((writing, values))
        for number, case in enumerate(self.schema.cases):
            start: tuple[Env, tuple[Pending, ...]] = (self.lengths, ())
            for env, waiting, items in self.tuples(number, case, written, start, ()):
                for solution in self.solve(env, [*waiting, *case.conditions], case.types):
                    yield from self.instance(case, items, solution)

    def tuples(
        self,
        number: int,
        case: m.Case,
        written: Mapping[str, Sequence[tuple[Values, Values]]],
        so_far: tuple[Env, tuple[Pending, ...]],
        items: tuple[Item, ...],
    ) -> Iterator[tuple[Env, tuple[Pending, ...], tuple[Item, ...]]]:
        """Yield every choice of one writing for each antecedent that binds no variable to two values."""
        if len(items) == len(case.antecedents):
            yield *so_far, items
            return
        pattern = case.antecedents[len(items)].pattern
        env, waiting = so_far
        for writing, normal in written[pattern.form]:
            key = (number, len(items), writing)
            if key not in self._matches:
                self._matches[key] = list(self.match_item(pattern, writing, case.types))
            for found, more in self._matches[key]:
                self.work -= 1
                if self.work < 0:
                    raise Endless("work")
                if all(env.get(name, value) == value for name, value in found.items()):
                    joined = ({**env, **found}, (*waiting, *more))
                    yield from self.tuples(number, case, written, joined, (*items, (pattern.form, normal)))

    def instance(self, case: m.Case, items: tuple[Item, ...], env: Env) -> Iterator[Instance]:
        """Yield the instance that a case is with these antecedents and values, unless it is none."""
        form = self.schema.form(case.consequent.form)
        try:
            made = tuple(value_of(t, env) for t in case.consequent.terms)
            links = tuple(atom_of(built, env) for built in case.links)
        except Undefined:
            return
        if not self.fits(form, made):
            return
        normal = self.normal(form, made)
        if not self.fits(form, normal):
            return
        context = tuple(k for k, a in enumerate(case.antecedents) if a.context)
        heads = heads_of(case)
        found = Instance(case.step, items, (form.name, normal), links, context, heads)
        _, head_links, overs, _ = heads
        head = None if case.head is None else value_of(case.head, env)
        for edge in (found, predicted(found)):
            self.recipes[edge._replace(antecedents=edge.structural, context=())] = head, head_links, overs
        self.ways.setdefault(found, {}).update(self.weighed(case, env))
        if (form.name, normal) in items:
            self.loops.add(found)
        else:
            yield found

    def weighs(self, case: m.Case) -> bool:
        """Whether a case weighs anything beside links."""
        asked = (c for c in case.conditions if isinstance(c, m.HasFact) and not c.negated)
        return case.weight is not None or any(goal.relation in self.weights for goal in asked)

    def weighed(self, case: m.Case, env: Env) -> Iterator[tuple[Any, float]]:
        """Yield the weight of a case under a binding, for each choice of the facts that weigh anything."""
        for rows, asked in self.asked_rows(case.conditions, env):
            if case.weight is None:
                yield rows, asked
                continue
            value = weight_value(case.weight.term, env, math.log(asked) if case.weight.is_log else asked)
            uses = any(isinstance(x, m.Arithmetic) and x.operation == "asked" for x in m.nodes(case.weight))
            named = tuple(env[name] for name in sorted(set(m.variables(case.weight))))
            yield (named, rows if uses else ()), math.exp(value) if case.weight.is_log else value

    def asked_rows(self, conditions: Sequence[m.Condition], env: Env) -> Iterator[tuple[Any, float]]:
        """Yield the weighted rows that conditions ask for, one of each condition, and the product of their weights."""
        each = []
        for goal in conditions:
            if isinstance(goal, m.HasFact) and not goal.negated and goal.relation in self.weights:
                fitting = []
                for row, weight in self.weights[goal.relation].items():
                    ways = self.match_all(list(zip(row, goal.terms, strict=True)), env, (), {})
                    if any(all(self.achieved(part, env) for part in waiting) for _, waiting in ways):
                        fitting.append((row, weight))
                each.append(fitting)
        for chosen in product(*each):
            yield tuple(row for row, _ in chosen), math.prod(weight for _, weight in chosen)

    # items

    def fits(self, form: m.Form, values: Values) -> bool:
        """Whether an item's values fulfil its form's conditions."""
        env = {f.name: v for f, v in zip(form.fields, values, strict=True)} | self.lengths
        try:
            return all(holds(c, env) for c in form.where)
        except Undefined:
            return False

    def is_final(self, item: Item) -> bool:
        """Whether some writing of an item is a final item."""
        form = self.schema.form(item[0])
        ways: dict[Any, float] = {}
        for k, clause in enumerate(self.schema.finals):
            if clause.pattern.form != item[0]:
                continue
            for writing in self.writings(form, item[1]):
                for env, waiting in self.match_item(clause.pattern, writing, clause.types):
                    goals = [*waiting, *clause.conditions]
                    for found in self.solve({**env, **self.lengths}, goals, clause.types):
                        ways |= {(k, rows): x for rows, x in self.asked_rows(clause.conditions, found)}
        if any(
            isinstance(x, m.HasFact) and not x.negated and x.relation in self.weights
            for x in m.nodes(self.schema.finals)
        ):
            self.ways[item] = ways
        return bool(ways)

    def normal(self, form: m.Form, values: Values) -> Values:
        """Return the normal form of an item's values."""
        if form.cover is not None:
            return normal_cover(form.cover, values)
        for _ in range(1000):
            for equation in form.equations:
                pattern = m.Pattern(form.name, equation.left)
                solutions = [
                    solution
                    for env, waiting in self.match_item(pattern, values, equation.types)
                    for solution in self.solve(
                        {**env, **self.lengths}, [*waiting, *equation.conditions], equation.types
                    )
                ]
                written = tuple(value_of(t, solutions[0]) for t in equation.right) if solutions else values
                if written != values:
                    values = written
                    break
            else:
                return values
        raise Endless

    def writings(self, form: m.Form, values: Values) -> list[Values]:
        """Return everything that fulfils the form's conditions and whose normal form is the item."""
        if not form.has_normal_form or (form.name, values) in self.hypotheses:
            return [values]
        if form.name not in self._writings:
            table: dict[Values, list[Values]] = {}
            for writing in self.all_writings(form, ()):
                table.setdefault(self.normal(form, writing), []).append(writing)
            self._writings[form.name] = table
        return self._writings[form.name].get(values, [])

    def all_writings(self, form: m.Form, begun: Values) -> Iterator[Values]:
        """Yield all values that fulfil a form's conditions, field by field."""
        env = {**self.lengths, **{f.name: v for f, v in zip(form.fields, begun, strict=False)}}
        if not all(holds(c, env) for c in form.where if self.variables_of(c) <= env.keys()):
            return
        if len(begun) == len(form.fields):
            yield begun
            return
        for value in self.values_of(form.fields[len(begun)].type):
            yield from self.all_writings(form, (*begun, value))

    # matching

    def match_item(
        self, pattern: m.Pattern, values: Values, types: Mapping[str, m.Type]
    ) -> Iterator[tuple[Env, tuple[Pending, ...]]]:
        """Yield the bindings under which values match a pattern, each with what has to wait."""
        yield from self.match_all(list(zip(values, pattern.terms, strict=True)), {}, (), types)

    def match_all(
        self,
        todo: list[tuple[Any, m.Term]],
        env: Env,
        waiting: tuple[Pending, ...],
        types: Mapping[str, m.Type],
    ) -> Iterator[tuple[Env, tuple[Pending, ...]]]:
        """Match one value after the other."""
        if not todo:
            yield env, waiting
            return
        (value, term), rest = todo[0], todo[1:]
        match term:
            case m.Any():
                yield from self.match_all(rest, env, waiting, types)
            case m.Var(name) if name in self.lengths:
                if value == self.lengths[name]:
                    yield from self.match_all(rest, env, waiting, types)
            case m.Var(name):
                absent = value is None and types[name].kind != "optional"
                if not absent and env.get(name, value) == value:
                    yield from self.match_all(rest, {**env, name: value}, waiting, types)
            case m.Lit(wanted):
                if value == wanted:
                    yield from self.match_all(rest, env, waiting, types)
            case m.Not(m.Var(name)):
                if value is not None and env.get(name, not value) == (not value):
                    yield from self.match_all(rest, {**env, name: not value}, waiting, types)
            case m.TupleTerm(terms):
                if value is not None and len(value) == len(terms):  # else a term of another constructor
                    inner = list(zip(value, terms, strict=True))
                    yield from self.match_all([*inner, *rest], env, waiting, types)
            case m.ListTerm(elements):
                for cut in cuts(value, elements):
                    more = tuple(Pending(part, e) for e, part in cut if isinstance(e, m.Run))
                    inner = [
                        (part, m.Var(e.name)) if isinstance(e, m.Splice) else (part[0], e)
                        for e, part in cut
                        if not isinstance(e, m.Run)
                    ]
                    yield from self.match_all([*inner, *rest], env, (*waiting, *more), types)
            case _:
                yield from self.match_all(rest, env, (*waiting, Pending(value, term)), types)

    def solve(
        self, env: Env, goals: Sequence[Pending | m.Condition], types: Mapping[str, m.Type]
    ) -> Iterator[Env]:
        """Yield every binding that extends a given one and fulfils the goals."""
        for k, goal in enumerate(goals):
            if self.variables_of(goal) <= env.keys():
                if self.achieved(goal, env):
                    yield from self.solve(env, [*goals[:k], *goals[k + 1 :]], types)
                return
        if not goals:
            yield env
            return
        for k, goal in enumerate(goals):
            if isinstance(goal, m.Junction) and goal.word == "and":
                yield from self.solve(env, [*goals[:k], *goal.operands, *goals[k + 1 :]], types)
                return
        for k, goal in enumerate(goals):
            choices = self.choices(goal, env)
            if choices is None:
                continue
            rest = [*goals[:k], *goals[k + 1 :]]
            for choice in choices:
                for found, waiting in self.match_all(choice, env, (), types):
                    yield from self.solve(found, [*waiting, *rest], types)
            return
        raise AssertionError(f"nothing determines the rest of {goals} under {env}")

    def variables_of(self, goal: Pending | m.Condition) -> frozenset[str]:
        """Return the variables of a goal: parts of the schema, which are asked for again and again."""
        term = goal.term if isinstance(goal, Pending) else goal
        if id(term) not in self._variables:
            self._variables[id(term)] = term, frozenset(variables_of(term))
        return self._variables[id(term)][1]

    def achieved(self, goal: Pending | m.Condition, env: Env) -> bool:
        """Whether a goal holds whose variables are all known."""
        match goal:
            case m.HasFact(m.SAME_WORD, terms, _, True):  # of two words of the sentence
                pair = tuple(value_of(term, env) for term in terms)
                are_words = self.is_inside(goal, pair) and all(1 <= place <= self.n for place in pair)
                return are_words and pair not in self.rows[m.SAME_WORD]
            case m.HasFact(relation, terms, _, True):
                row = tuple(value_of(term, env) for term in terms)
                return row not in self.rows[relation] or not self.is_inside(goal, row)
            case Pending(elements, m.Run(shape)):
                return all(fits_shape(element, shape, env) for element in elements)
            case Pending(value, term):
                return bool(value_of(term, env) == value)
        asked = self.asked(goal, env)
        if asked is None:
            try:
                return holds(goal, env)  # type: ignore[arg-type]
            except Undefined:
                return False
        matches = (waiting for row in asked for _, waiting in self.match_all(row, env, (), {}))
        return any(all(self.achieved(part, env) for part in waiting) for waiting in matches)

    def choices(self, goal: Pending | m.Condition, env: Env) -> list[list[tuple[Any, m.Term]]] | None:
        """Return what a goal allows for its unknown variables, as values to match; None where it waits."""
        match goal:
            case Pending(value, m.Linear() as term):
                return solved(value, term, env)
            case m.Compare("==", left, right):
                for one, other in ((left, right), (right, left)):
                    if variables_of(one) <= env.keys():
                        if isinstance(other, m.Linear):
                            return solved(value_of(one, env), other, env)
                        return [[(value_of(one, env), other)]]
            case m.Member(element, region) if variables_of(region) <= env.keys():
                return [[(value, element)] for value in members(region, env)]
        return self.asked(goal, env)

    def asked(self, goal: Pending | m.Condition, env: Env) -> list[list[tuple[Any, m.Term]]] | None:
        """Return the rows among which a condition on the grammar asks for one, with its terms; else None."""
        if not isinstance(goal, m.HasFact) or goal.negated or goal.relation not in self.rows:
            return None
        rows, terms = self.rows[goal.relation], goal.terms
        if m.asks(goal, "left_corner"):  # whatever is asked for is a corner of itself
            known = [value_of(term, env) for term in terms if variables_of(term) <= env.keys()]
            if not known:
                return None
            rows = rows | {(value, value) for value in known}
        return [list(zip(row, terms, strict=True)) for row in rows if self.is_inside(goal, row)]

    def is_inside(self, goal: m.HasFact, row: Values) -> bool:
        """Whether the words of a row are those of the inputs that a condition speaks of, where there are several."""
        if not self._inputs:
            places = [len_ for len_ in self.lengths.items() if m.is_length(len_[0])]
            end = 0
            for name, length in places:
                self._inputs[name.removeprefix(m.LENGTH_OF)] = range(end + 1, end + length + 1)
                end += length
            self._types = {
                id(goal): rule.types
                for rule in (*self.schema.cases, *self.schema.hypotheses, *self.schema.finals)
                for goal in rule.conditions
            }
        if not self._inputs:
            return True
        order, types = [*self._inputs], self._types.get(id(goal), {})
        for term, sort, value in zip(goal.terms, goal.sorts or (), row, strict=False):
            if sort != "word":
                continue
            names = {x.name for x in m.nodes((term,)) if isinstance(x, m.Var)}  # lengths, too
            of = {x.removeprefix(m.LENGTH_OF) for x in names} | {types[x].of for x in names if x in types}
            last = max((order.index(x) for x in of if x in order), default=None)
            if last is not None and value not in self._inputs[order[last]]:
                return False
        return True

    # what derivations build: links, the head if known, dependents that wait for it

    def leaf(self, _item: Item) -> Any:
        """Return what a hypothesis has built."""
        return frozenset(), None, frozenset()

    def build(self, edge: Instance, parts: tuple[Any, ...]) -> Any:
        """Return what a derivation has built; the link None marks one that has no meaning."""
        head, head_links, _ = self.recipes[edge]
        links = set(edge.links).union(*(part[0] for part in parts))
        children = {dependent for dependent, _ in head_links}
        others = [part for k, part in enumerate(parts) if k not in children]
        if head is None:
            head = next((part[1] for part in others if part[1] is not None), None)
        waiting = frozenset().union(*(part[2] for part in others))
        for dependent, parent in head_links:
            child = parts[dependent][1]
            if child is None:
                return frozenset([None]), head, frozenset()
            if parent != dependent and parts[parent][1] is not None:
                links.add((child, parts[parent][1]))
            else:
                waiting |= {child}
        if head is not None:
            links |= {(d, head) for d in waiting}
            waiting = frozenset()
        return frozenset(links), head, waiting

    def bracketed(self, edge: Instance, parts: tuple[Any, ...]) -> Any:
        """Return the row of constituents that a derivation has built; None in it marks what is not a tree."""
        rows = [part[0] for part in parts]
        brackets = list(zip(edge.links, self.recipes[edge][2], strict=True))
        for (_, category, *places), over in brackets:
            if over is not None:
                rows[over] = self.constituent(category, places, rows[over])
        for (_, category, *places), over in brackets:
            if over is None:
                rows = [self.constituent(category, places, in_row(rows))]
        return (in_row(rows),)

    def constituent(self, category: str, places: Sequence[int], below: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return a constituent over a row of them, alone in its row."""
        spans = tuple(zip(places[::2], places[1::2], strict=True))
        ends = [x for low, high in spans for x in (low, high + 1)]
        full = all(low <= high for low, high in spans) or (len(spans) == 1 and ends[0] == ends[1])
        apart = all(high + 1 < low for (_, high), (low, _) in pairwise(spans))
        if not (full and apart and ends[0] >= 1 and ends[-1] <= self.n + 1) or None in below:
            return (None,)
        same = [part for part in below if part[1] == spans]
        while same:  # unary chains
            if any(part[0] == category for part in same):
                return (None,)
            same = [lower for part in same for lower in part[2] if lower[1] == spans]
        return ((category, spans, below),)


def interpret(
    schema: m.Schema,
    n: int,
    grammar: Grammar | RuleGrammar | FactGrammar | dict[str, set[Values]],
    *,
    limit: int = 2_000,
    work: int = 3_000_000,
) -> NaiveChart:
    """Derive everything a schema derives for n words under licensed links or rules.

    Raises
    ------
    Endless : there are more than `limit` items, more than `work` tuples to try, or a normal form without end.
    """
    inputs = grammar.inputs if isinstance(grammar, FactGrammar) and schema.inputs else ()
    lengths = {m.LENGTH_OF + name: len(words) for name, words in zip(schema.inputs, inputs, strict=True)}
    weights = grammar.weights if isinstance(grammar, FactGrammar | RuleGrammar) else {}
    return Interpreter(schema, {"n": n, **lengths}, rows_of(grammar, n), limit, work, weights).run()


def rows_of(grammar: Grammar | RuleGrammar | FactGrammar | dict[str, set[Values]], n: int) -> Rows:
    """Return what a grammar says of n words, which are all the same but in a grammar of facts."""
    if isinstance(grammar, FactGrammar):
        grammar = grammar.of_positions()
    if isinstance(grammar, dict):
        return {name: frozenset(rows) for name, rows in grammar.items()}
    same = {m.SAME_WORD: frozenset(product(range(1, n + 1), repeat=2))}
    if isinstance(grammar, RuleGrammar):
        return same | {
            "rule": frozenset((rule.category, rule.body) for rule in grammar.rules),
            "root": frozenset((category,) for category in grammar.starts),
            "category": frozenset((i, c) for i, cs in enumerate(grammar.lexicon, start=1) for c in cs),
            "left_corner": frozenset((corner, whole) for whole, corner in left_corners(grammar)),
        }
    return same | {
        "licensed": frozenset(grammar),
        "category": frozenset((i, f"w{i}") for i in range(1, n + 1)),
        "licensed_categories": frozenset((f"w{d}", f"w{h}") for d, h in grammar if h > 0),
    }


# ------------------------------------------------------------------------------------- values and conditions


def atom_of(built: m.AnyAtom, env: Mapping[str, Any]) -> Values:
    """Return what a step builds: a link as a pair of words, a labelled one as an edge, other atoms with their names.

    Terms are text.
    """
    assert isinstance(built, m.Built), "no oracle for linkages"
    values = tuple(
        format_value(value_of(term, env), kind) if kind.kind == "term" else value_of(term, env)
        for term, kind in zip(built.terms, built.types, strict=True)
    )
    if built.name == "link":
        return values if len(values) == 2 else ("edge", *values)
    return built.name, *values


def shape_of(built: m.AnyAtom) -> tuple[str, int]:
    """Return the name of the atoms that a step builds, none for a link, and their size: see `atom_of`."""
    assert isinstance(built, m.Built), "no oracle for linkages"
    if built.name == "link" and len(built.terms) == 2:
        return "", 2
    return "edge" if built.name == "link" else built.name, len(built.terms) + 1


def in_row(rows: Iterable[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Return rows of constituents as one, from left to right by their first words."""
    parts = list(chain.from_iterable(rows))
    return (None,) if None in parts else tuple(sorted(parts, key=lambda part: part[1][0]))


def weight_value(term: m.WeightTerm, env: Mapping[str, Any], asked: float) -> float:
    """Return the number that a weight's term stands for."""
    match term:
        case m.Decimal(value):
            return value
        case m.Var(name):
            return float(env[name])
        case m.Arithmetic("asked"):
            return asked
        case m.Arithmetic(operation, operands):
            numbers = [weight_value(operand, env, asked) for operand in operands]
            return float(OPERATIONS[operation if len(numbers) > 1 else f"{operation}1"](*numbers))
    raise TypeError(f"{term} is not a weight")


OPERATIONS: dict[str, Any] = {
    "+": lambda x, y: x + y, "-": lambda x, y: x - y, "*": lambda x, y: x * y, "/": lambda x, y: x / y,
    "-1": lambda x: -x, "exp1": math.exp, "abs1": abs, "max": max, "max1": max, "min": min, "min1": min,
}  # fmt: skip


def predicted(instance: Instance) -> Instance:
    """Return an instance without its name if it is of context antecedents only: which step predicts is all one."""
    return instance._replace(name="") if instance.antecedents and not instance.structural else instance


def _texts(value: Any) -> Iterator[str]:
    """Yield the symbols in a value, or in a collection of values."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple | frozenset):
        for part in value:
            yield from _texts(part)


def _constants(node: Any) -> Iterator[str]:
    """Yield the symbols that stand in a schema or a part of one."""
    if isinstance(node, m.Lit) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, tuple):
        for part in node:
            yield from _constants(part)
    elif is_dataclass(node) and not isinstance(node, m.Type):
        parts = (f.name for f in fields(node) if f.name not in ("source", "span", "lines"))
        yield from _constants(tuple(getattr(node, name) for name in parts))


def heads_of(
    case: m.Case,
) -> tuple[Any, tuple[tuple[int, int], ...], tuple[int | None, ...], m.Weight | None]:
    """Return what a case says beside its atoms; cases that do not say the same have different instances.

    That is the field that holds the head, links between structural antecedents, those that atoms are over, the weight.
    """
    structural = [k for k, a in enumerate(case.antecedents) if not a.context]
    links = tuple((structural.index(x.dependent), structural.index(x.head)) for x in case.head_links)
    overs = tuple(x.over if x.over is None else structural.index(x.over) for x in case.links)
    items = [case.consequent, *(case.antecedents[k].pattern for k in structural)]
    places = {
        term.name: (at, k)
        for at, pattern in reversed([*enumerate(items)])
        for k, term in reversed([*enumerate(pattern.terms)])
        if isinstance(term, m.Var)
    }
    match case.head:
        case m.Var(name):
            return places.get(name, name), links, overs, case.weight
        case m.Linear(constant, atoms):
            return (
                (constant, frozenset((places.get(a.name, a.name), k) for a, k in atoms)),
                links,
                overs,
                case.weight,
            )
    return case.head, links, overs, case.weight


def variables_of(node: m.Condition | m.Region) -> set[str]:
    return set(m.variables(node)) - {"_"}


def value_of(term: m.Term, env: Mapping[str, Any]) -> Any:
    """Return the value of a term whose variables are all known."""
    match term:
        case m.Var(name):
            return env[name]
        case m.Lit(value):
            return value
        case m.Length(name):
            return len(env[name])
        case m.Linear(constant, atoms):
            return constant + sum(k * value_of(atom, env) for atom, k in atoms)
        case m.TupleTerm(terms):
            return tuple(value_of(t, env) for t in terms)
        case m.ListTerm(elements):
            parts = (env[e.name] if isinstance(e, m.Splice) else (value_of(e, env),) for e in elements)
            return tuple(x for part in parts for x in part)
        case m.Positions(low, high):
            return tuple(range(value_of(low, env), value_of(high, env) + 1))
        case m.Composed(function, lists):
            return composed(value_of(function, env), [value_of(spans, env) for spans in lists])
        case m.WithArc(arcs, arc):
            return tuple(sorted({*value_of(arcs, env), value_of(arc, env)}))
    return holds(term, env)


def composed(function: str, lists: Sequence[Values]) -> Values:
    """Return the spans that a yield function makes: the words of its letters' spans, which must be without holes."""
    order = [int(x) for x in function if x in "0123456789"]
    if any(order.count(k) != len(spans) for k, spans in enumerate(lists)) or set(order) - set(
        range(len(lists))
    ):
        raise Undefined
    ways = [iter(spans) for spans in lists]
    found = []
    for part in function.split(","):
        if not part or not part.isdigit():
            raise Undefined
        spans = [next(ways[int(x)]) for x in part]
        if any(spans[k][1] != spans[k + 1][0] for k in range(len(spans) - 1)):
            raise Undefined
        found.append((spans[0][0], spans[-1][1]))
    return tuple(found)


def holds(condition: m.Term, env: Mapping[str, Any]) -> bool:
    """Whether a condition holds; orders with an absent value are false, intervals with an absent end empty."""
    match condition:
        case m.Var(name):
            return bool(env[name])
        case m.Lit(value):
            return bool(value)
        case m.Not(operand):
            return not holds(operand, env)
        case m.Junction("and", operands):
            return all(holds(o, env) for o in operands)
        case m.Junction("or", operands):
            return any(holds(o, env) for o in operands)
        case m.IsAbsent(operand):
            return value_of(operand, env) is None
        case m.Compare(relation, left, right):
            one, two = value_of(left, env), value_of(right, env)
            if relation in ("==", "!="):
                return (one == two) == (relation == "==")
            if one is None or two is None:
                return False
            return bool(one < two or (one == two and relation == "<="))
        case m.Member(m.TupleTerm((word, m.Any())), arcs):
            return value_of(word, env) in {dependent for dependent, _ in members(arcs, env)}
        case m.Member(m.TupleTerm((m.Any(), word)), arcs):
            return value_of(word, env) in {head for _, head in members(arcs, env)}
        case m.Member(m.TupleTerm((m.Any(), m.Any())), arcs):
            return bool(members(arcs, env))
        case m.Member(element, region):
            return value_of(element, env) in members(region, env)
        case m.Path(one, other, arcs, directed):
            reached = {value_of(one, env)}
            for _ in value_of(arcs, env):
                for dependent, head in value_of(arcs, env):
                    reached |= {dependent} if head in reached else set()
                    reached |= {head} if dependent in reached and not directed else set()
            return value_of(other, env) in reached
        case m.InOrder(intervals):
            pairs = value_of(intervals, env)
            apart = all(pairs[k][1] + 1 < pairs[k + 1][0] for k in range(len(pairs) - 1))
            return apart and all(left <= right for left, right in pairs)
        case m.AllWithin(intervals, outer):
            inside = members(outer, env)
            return all(end in inside for pair in value_of(intervals, env) for end in pair)
    raise TypeError(f"{condition} is no condition")


def members(region: m.Region | m.Term, env: Mapping[str, Any]) -> list[Any]:
    """Return the positions of a region, or the elements of a list."""
    match region:
        case m.Interval(low, high):
            one, two = value_of(low, env), value_of(high, env)
            return [] if one is None or two is None else list(range(one, two + 1))
        case m.Without(left, m.Interval() as right):
            taken = members(right, env)
            return [x for x in members(left, env) if x not in taken]
        case m.Without(left, right):
            taken = [x for low, high in value_of(right, env) for x in range(low, high + 1)]
            return [x for x in members(left, env) if x not in taken]
    return list(value_of(region, env))  # type: ignore[arg-type]


def solved(value: Any, term: m.Linear, env: Mapping[str, Any]) -> list[list[tuple[Any, m.Term]]] | None:
    """Return the one value of the one unknown of a sum; None where there are more unknowns."""
    unknown = [(atom, k) for atom, k in term.atoms if atom.name not in env]
    if value is None:
        return []
    if len(unknown) != 1 or not isinstance(unknown[0][0], m.Var) or abs(unknown[0][1]) != 1:
        return None
    atom, k = unknown[0]
    known = term.constant + sum(c * value_of(a, env) for a, c in term.atoms if a != atom)
    return [[((value - known) * k, atom)]]


def fits_shape(value: Any, shape: m.Term, env: Mapping[str, Any]) -> bool:
    """Whether an element of a run has its shape."""
    match shape:
        case m.Any():
            return True
        case m.TupleTerm(terms):
            parts = zip(value or (), terms, strict=False)
            return (
                value is not None
                and len(value) == len(terms)
                and all(fits_shape(v, t, env) for v, t in parts)
            )
        case m.ListTerm(elements):
            return any(all(_fits_part(part, e, env) for e, part in cut) for cut in cuts(value, elements))
    return bool(value == value_of(shape, env))


def _fits_part(part: Values, element: Any, env: Mapping[str, Any]) -> bool:
    match element:
        case m.Splice(name):
            return bool(part == env[name])
        case m.Run(shape):
            return all(fits_shape(x, shape, env) for x in part)
    return fits_shape(part[0], element, env)


def cuts(value: Values, elements: tuple[Any, ...]) -> Iterator[list[tuple[Any, Values]]]:
    """Yield every way of cutting a list into the parts of a pattern."""
    if not elements:
        if not value:
            yield []
        return
    first = elements[0]
    lengths = range(len(value) + 1) if isinstance(first, m.Splice | m.Run) else range(1, 2)
    for length in lengths:
        if length <= len(value):
            for rest in cuts(value[length:], elements[1:]):
                yield [(first, value[:length]), *rest]


# ------------------------------------------------------------------------------------------------- coverings


def interval_lists(n: int) -> Iterator[Values]:
    """Yield every list of intervals within BELOW..n + ABOVE, of at most two intervals."""
    ends = range(BELOW, n + ABOVE + 1)
    single = [(left, right) for left in ends for right in ends if left <= right]
    yield ()
    yield from ((one,) for one in single)
    yield from ((one, two) for one, two in combinations(single, 2) if one[1] + 1 < two[0])


def normal_cover(cover: m.Cover, values: Values) -> Values:
    """Return the writing that covers the word aside exactly if it covers the next one."""
    gaps = [x for left, right in values[cover.gaps] for x in range(left, right + 1)]
    covered = {x for x in range(values[cover.low], values[cover.high] + 1) if x not in gaps}
    word = values[cover.aside]
    wanted = covered | {word} if word + 1 in covered else covered - {word}
    if not wanted or wanted == covered:
        return values
    made = list(values)
    made[cover.low], made[cover.high] = min(wanted), max(wanted)
    missing = [x for x in range(min(wanted), max(wanted) + 1) if x not in wanted]
    starts = [x for x in missing if x - 1 not in missing]
    ends = [x for x in missing if x + 1 not in missing]
    made[cover.gaps] = tuple(zip(starts, ends, strict=True))
    return tuple(made)
