"""The cost of a schema, from its rules: degrees of time and space, bottlenecks, and formulas for its counts.

*Degrees.* The variables of a rule are positions of the sentence. The antecedents of a rule, its tests and the
invariants of its items (facts x - y <= c) confine them to a polytope. Its dimension is the number of positions that can
be chosen freely for an instance. To find it, variables within a fixed distance of each other are put into one class,
and classes within a fixed distance of an end of the sentence are not counted. The loops of the kernel that runs, as the
plans of the rule say, may go through more: each loop of each plan is counted likewise, with the tests made before it.
The time is that of the rule with the most positions, the space that of the kind of items with the most (GCW11, KGS11
give these by hand). Terms of the grammar (dotted rules, symbols) count as factors where no other term determines them.

*Formulas.* Under a grammar that licenses every link, items and instances are the integer points of unions of such
polytopes, so that every count is a polynomial in n from some n on (Ehrhart; Schrijver 1986, chapter 19). Where
`order.points` proves which polytopes these are, it counts them for every n. Elsewhere a polynomial of the degree just
found, d, is determined by d + 1 counts; counts at `SPARE` more lengths must agree. Where rules multiply positions,
there is one polynomial for every remainder of n (a quasi-polynomial).
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from operator import itemgetter
from typing import Any, TypeVar

from schemata.budget import Budget, OverBudget, within
from schemata.engine.exceeded import BudgetExceeded
from schemata.engine.run import compile_kernel
from schemata.errors import SchemataError, UsageError
from schemata.grammars import DRules
from schemata.grammars.relations import SIGNATURES
from schemata.grouping import grouped
from schemata.kernels.agenda import planned
from schemata.kernels.shape import Shape
from schemata.kinds import D_RULES
from schemata.language import model as m
from schemata.language.inputs import with_equal_lengths
from schemata.language.typeset import condition_text, pattern_text, reference_of
from schemata.order.invariants import find_invariants, take_samples
from schemata.order.kept import prove_order
from schemata.order.logic import Solver, SolverFailed, options_of
from schemata.order.model import Refusal
from schemata.order.points import NotRegionsError, Points, Polynomial
from schemata.program.facts import facts_of
from schemata.program.kinds import list_bounds
from schemata.program.linear import Affine, Asks, Linear, Test, TypeSort, solved, variable
from schemata.program.matching import QUESTIONS, Equals, Related, question
from schemata.program.model import Atom, NotLowerable, Program, Rule
from schemata.program.plan import (
    Agree,
    Bind,
    Inquire,
    LookUp,
    Plan,
    Range,
    Require,
    Solve,
    Walk,
    column_name,
    is_loop,
    read_name,
)
from schemata.program.queries import goals_of
from schemata.records import Record, Shown, Tabular, document, fields_json, replace
from schemata.thresholds import EFFORTS
from schemata.workbench import ParsingSchema, load

T = TypeVar("T")
SPARE = 3  # lengths at which a formula is checked besides those that determine it
COUNTING = Budget(steps=200_000_000, seconds=20.0)  # for the counts of formulas, all together
_TERMS = {"dotted": "|G|", "symbol": "|N|", **dict.fromkeys(("labels", "label", "dotted labels"), "|D|")}


class Cost(Record):
    """A degree in n, and the factors of the grammar: their symbols with exponents.

    >>> str(Cost(3, (("|G|", 2),))), str(Cost(0)), str(Cost(2))
    ('n^3 |G|^2', '1', 'n^2')
    """

    degree: int
    factors: tuple[tuple[str, int], ...] = ()

    def __str__(self) -> str:
        parts = [_power("n", self.degree), *(_power(symbol, k) for symbol, k in self.factors)]
        return " ".join(filter(None, parts)) or "1"

    @property
    def size(self) -> tuple[int, int]:
        """The order of costs: the degree, then the exponents of factors."""
        return self.degree, sum(k for _, k in self.factors)


def _power(symbol: str, exponent: int) -> str:
    return "" if not exponent else symbol if exponent == 1 else f"{symbol}^{exponent}"


class Part(Record):
    """The cost of a step, or of an item form; `how` lists the joins of a step in order, and its tests.

    `freed` is the number of positions that the antecedents of a step have and its consequent drops.
    """

    name: str
    cost: Cost
    how: str = ""
    formula: str | None = None
    freed: int = 0


class Complexity(Record, Shown, Tabular, repr=False):
    """The cost of a schema.

    Parameters
    ----------
    schema, parameters : the schema and its parameters.
    steps, forms : by step and by item form, the most expensive first.
    exponential : the item form with lists that no number bounds; then there are no degrees.
    items, step_instances : formulas in n for the totals under a grammar that licenses every link; None if unknown.
    holds_from : the least n from which on all formulas hold.
    proved : whether that is proved; else the counts at some lengths determine the formulas; None if a limit left no
        formulas.
    unproved : why it is not.
    checked : the lengths that were counted.
    why_not : why there are no formulas.
    family : the time as a function of the schema's parameter, where it has one: n^(5+2k).
    stopped : the limit that ended the counting: steps, seconds or memory.
    polynomials : the values of the formulas for the totals at n = 0, 1, ..., one more value than the greatest possible
        degree.
    """

    schema: str
    parameters: Mapping[str, int]
    steps: tuple[Part, ...]
    forms: tuple[Part, ...]
    exponential: str | None = None
    items: str | None = None
    step_instances: str | None = None
    holds_from: int | None = None
    proved: bool | None = False
    unproved: str | None = None
    checked: tuple[int, ...] = ()
    why_not: str | None = None
    family: str | None = None
    stopped: str | None = None
    polynomials: tuple[tuple[int, ...], tuple[int, ...]] | None = None

    def total_at(self, quantity: str, n: int) -> int | None:
        """Return the value of the formula for all items, or all steps, at n words; None if there is
        no formula.
        """
        return None if self.polynomials is None else _at(self.polynomials[quantity == "steps"], n)

    @property
    def time(self) -> Part | None:
        """The bottleneck; None if lists are unbounded."""
        return None if self.exponential or not self.steps else self.steps[0]

    @property
    def space(self) -> Part | None:
        """The form with the most items; None if lists are unbounded."""
        return None if self.exponential or not self.forms else self.forms[0]

    def __repr__(self) -> str:
        cost = "exponential" if self.time is None else f"O({self.time.cost})"
        return f"<Complexity of {self.schema}: {cost}>"

    def table_rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each step and each item form: its degree, cost and formula."""
        for kind, parts in (("step", self.steps), ("item form", self.forms)):
            for part in parts:
                yield {"kind": kind, "name": part.name} | fields_json(part, "degree=cost.degree cost formula")

    def to_json(self) -> dict[str, Any]:
        """Return the object that `complexity --json` prints."""
        found = fields_json(
            self,
            "schema parameters "
            "time(degree=time.cost.degree cost=time.cost bottleneck=time.name join=time.how family) "
            "space(degree=space.cost.degree cost=space.cost form=space.name) items steps=step_instances",
        )
        found |= {"exponential": self.exponential is not None, "unbounded": self.exponential}
        part = "degree=cost.degree cost formula"
        found["items_by_form"] = {one.name: fields_json(one, part) for one in self.forms}
        found["steps_by_name"] = {one.name: fields_json(one, f"{part} join=how freed") for one in self.steps}
        return document(found, fields_json(self, "holds_from proved unproved? checked why_not stopped?"))


def complexity(
    schema: ParsingSchema, *, formulas: bool = True, family: bool = True, budget: Budget | None = None
) -> Complexity:
    """Return the cost of a schema.

    Parameters
    ----------
    schema : the schema.
    formulas : whether to find formulas, which takes counts at short lengths.
    family : whether to find the time for other values of the schema's parameter.
    budget : limits of these runs, all together.

    Raises
    ------
    UsageError : the schema has too many shapes of items to examine.

    >>> import schemata
    >>> found = complexity(schemata.load("eisner1996"))
    >>> found.time.name, str(found.time.cost), found.items, found.step_instances
    ('CombineSpans', 'n^3', '2*n+3*C(n,2)', '2*n+5*C(n,2)+4*C(n,3)')
    """
    found, budget = _degrees(schema), COUNTING.unless(budget)
    if found.exponential:
        return replace(found, why_not=f"no number bounds the lists of {found.exponential}")
    # What heeds the budget has ended by then; the rest takes what it takes, unless all has to end.
    late = replace(budget, seconds=math.inf, end=budget.end + EFFORTS.complexity_late * budget.seconds)
    try:
        if formulas:
            found = within(late, 0.0, partial(_with_formulas, found, schema, budget))
        if family:
            found = replace(found, family=within(late, 0.0, partial(in_parameter, schema, found)))
    except OverBudget as over:
        ended = f"the limit of {over.reason} was hit" if formulas and found.items is None else None
        proof = None if ended else found.proved
        found = replace(found, why_not=found.why_not or ended, proved=proof, stopped=over.reason)
    return found


def _degrees(schema: ParsingSchema) -> Complexity:
    """Return the cost of a schema, without formulas."""
    definition = schema.definition
    if definition.reads_inputs:
        definition = with_equal_lengths(definition)
    try:
        kernel = compile_kernel(definition)
        program, layout = kernel.program, kernel.agenda.layout
        plans = grouped(
            (plan.rule.number, plan) for plan in planned(Shape(layout, not layout.bounded, rows=False))
        )
    except NotLowerable as reason:
        raise UsageError(f"the cost of {schema.name} is not known: it has {reason}") from None
    unbounded = next((form.name for form in definition.forms if _grows(definition, form)), None)
    facts = _facts(program)
    made = dict.fromkeys(sorted(rule.consequent.kind for rule in program.rules))
    of_kind = {kind: _kind_cost(facts, kind) for kind in made}
    forms = _costliest((Part(definition.forms[program.kinds[k].form].name, of_kind[k]), k) for k in made)
    steps = []
    for part, rule in _costliest(
        (Part(definition.cases[rule.case].step, _rule_cost(facts, rule, plans[rule.number])), rule)
        for rule in program.rules
    ):
        freed = max(part.cost.degree - of_kind[rule.consequent.kind].degree, 0)
        steps.append(replace(part, how=_join_text(definition, plans[rule.number]), freed=freed))
    parameters = {p.name: p.value for p in definition.parameters}
    found = tuple(steps), tuple(part for part, _ in forms)
    return Complexity(reference_of(definition), parameters, *found, unbounded)


_VALUES = 3  # of a parameter, for which degrees are found


def in_parameter(schema: ParsingSchema, known: Complexity | None = None) -> str | None:
    """Return the time as a function of the only parameter of a schema; None if it is not linear in it.

    `known` is the cost at the schema's own parameter, if it was computed before.

    >>> from schemata import load
    >>> in_parameter(load("mh"))
    'n^k'
    """
    path = schema.definition.source.path
    if len(schema.definition.parameters) != 1 or path is None:
        return None
    parameter = schema.definition.parameters[0]
    degrees: list[int] = []
    for value in range(parameter.default, parameter.default + _VALUES):
        try:
            own = known if value == parameter.value else None
            found = own or _degrees(load(path, **{parameter.name: value}))
        except SchemataError:
            break
        if found.time is None:
            return None
        degrees.append(found.time.cost.degree)
    slopes = {b - a for a, b in pairwise(degrees)}
    if len(slopes) != 1 or slopes == {0}:
        return None
    slope = slopes.pop()
    constant = degrees[0] - slope * parameter.default
    variable_part = f"{slope}{parameter.name}" if slope > 1 else parameter.name
    return f"n^({constant}+{variable_part})" if constant else f"n^{variable_part}"


def _grows(schema: m.Schema, form: m.Form) -> bool:
    """Whether items of a form have lists of positions that no number bounds, and some step makes such items."""
    bounds = zip(form.fields, list_bounds(form), strict=True)
    made = any(case.consequent.form == form.name for case in schema.cases)
    return made and any(f.type.kind == "list" and bound is None for f, bound in bounds)


# Degrees --------------------------------------------------------------------------------------------------------


class _Facts(Record, slots=False):
    """A program with the facts that hold for the items of its kinds, over column names and n."""

    program: Program
    by_kind: Mapping[int, Sequence[Test]]

    def of(self, atom: Atom) -> list[Test]:
        given = self.program.kinds[atom.kind].by_name(atom.terms)
        return [test.substitute(given) for test in self.by_kind[atom.kind]]


def _facts(program: Program) -> _Facts:
    """Return a program with the invariants of its kinds, if these are found, else with the conditions of its kinds."""
    by_kind: dict[int, Sequence[Test]] = {kind.number: kind.conditions for kind in program.kinds}
    if program.is_linear:
        try:
            found = find_invariants(program, take_samples(program), Solver(5.0))
        except SolverFailed:
            return _Facts(program, by_kind)
        for kind in program.kinds:
            by_kind[kind.number] = (*kind.conditions, *found.by_kind[kind.number])
    return _Facts(program, by_kind)


def _kind_cost(facts: _Facts, number: int) -> Cost:
    sorts = {column.name: column.sort for column in facts.program.kinds[number].columns}
    positions = [x for x, sort in sorts.items() if sort == "position"]
    degree = dimension(facts.by_kind[number], positions) + _listed(facts.program, number)
    return Cost(degree, _factors(_symbol(sort) for sort in sorts.values()))


def _listed(program: Program, number: int) -> int:
    """Return the positions in lists of bounded length that are columns by themselves in items of a kind."""
    kind = program.kinds[number]
    if not any(isinstance(c.sort, m.Type) and c.sort.kind == "list" for c in kind.columns):
        return 0
    form = program.schema.forms[kind.form]
    bounds = zip(form.fields, list_bounds(form), strict=True)
    return sum(
        (bound or 0) * (len(f.type.arguments[0].parts) or 1) for f, bound in bounds if f.type.kind == "list"
    )


def _rule_cost(facts: _Facts, rule: Rule, plans: Iterable[Plan]) -> Cost:
    atoms = (*rule.antecedents, rule.consequent)
    tests: list[Test] = [*rule.tests, *(test for atom in atoms for test in facts.of(atom))]
    sorts, made = _sorts(facts.program, rule), _made(rule)
    positions = [x for x, sort in sorts.items() if sort == "position" and x not in made]
    lists = sum(_listed(facts.program, atom.kind) for atom in rule.antecedents)
    degree = max([dimension(tests, positions), *(loops_degree(facts, plan) for plan in plans)])
    return Cost(degree + lists, _factors(_choices(rule, sorts)))


def loops_degree(facts: _Facts, plan: Plan) -> int:
    """Return how many positions the loops of a plan go through together, for long sentences.

    A loop is entered once for each binding of the variables that earlier moves bind. Each column that is read from an
    item has a variable of its own, so that columns outside the look-up key count, too.
    """
    rule, sorts, made = plan.rule, _sorts(facts.program, plan.rule), _made(plan.rule)
    tests, names, most = list[Test](), list[str](), 0

    def read(slot: int) -> Mapping[int, Affine]:
        columns = facts.program.kinds[rule.antecedents[slot].kind].columns
        found = {c: variable(read_name(slot, c)) for c in range(len(columns))}
        names.extend(found[c].names[0] for c, column in enumerate(columns) if column.sort == "position")
        tests.extend(facts.of(Atom(rule.antecedents[slot].kind, tuple(found.values()))))
        return found

    def bind(name: str, left: Affine, right: Affine) -> None:
        tests.append(Linear("==", left - right))
        names.extend([name] if sorts.get(name) == "position" else [])

    if plan.slot >= 0:
        read(plan.slot)
    for move in plan.moves:
        match move:
            case Bind(name, value):
                bind(name, variable(name), variable(value))
            case Solve(name, term, value):
                bind(name, term, variable(value) if value else Affine())
            case Agree(value, term):
                tests.append(Linear("==", variable(value) - term))
            case Require(test):
                tests.append(test)
            case LookUp(slot):
                tests += facts.of(rule.antecedents[slot])
            case Range(name, options):
                names += [name] if sorts.get(name) == "position" else []
                for lows, highs in options if len(options) == 1 else ():
                    tests += [Linear(">=", variable(name) * end.divisor - end.term) for end in lows]
                    tests += [Linear(">=", end.term - variable(name) * end.divisor) for end in highs]
            case Inquire(test, _, wanted, values):
                kinds = (
                    (test.query.types[k].kind, test.terms[k].single, x)
                    for k, x in zip(wanted, values, strict=True)
                )
                names += [x for kind, name, x in kinds if kind == "position" and name not in made]
            case Walk(slot):
                columns = read(slot)
                tests += [
                    Linear("==", columns[c] - t) for c, t in move.values if c in move.key and c in columns
                ]
                own = {column_name(c): x for c, x in columns.items()}
                for guard in move.guards:
                    if isinstance(guard, Agree):
                        tests.append(Linear("==", own[guard.value] - guard.term.substitute(own)))
                    else:
                        tests.append(guard.test.substitute(own))
                if move.limits is not None:
                    x = columns[move.limits.column]
                    tests += [Linear(">=", x - low) for low in move.limits.low]
                    tests += [Linear(">=", high - x) for high in move.limits.high]
        if is_loop(move):
            most = max(most, dimension(tests, names))
    return most


def _sorts(program: Program, rule: Rule) -> dict[str, TypeSort]:
    """Return the sorts of a rule's variables; those that only tests have are positions, or a query's."""
    sorts: dict[str, TypeSort] = {}
    for atom in (*rule.antecedents, rule.consequent):
        for column, term in zip(program.kinds[atom.kind].columns, atom.terms, strict=True):
            for name in term.variables:
                sorts.setdefault(name, column.sort)
    for test in rule.tests:
        if isinstance(test, Asks):
            for term, kind in zip(test.terms, test.query.types, strict=True):
                for name in term.variables:
                    sorts.setdefault(name, kind.kind if kind.kind in ("position", "symbol") else kind)
    for name in rule.variables:
        sorts.setdefault(name, "position")
    return sorts


def _choices(rule: Rule, sorts: Mapping[str, TypeSort]) -> Iterator[str]:
    """Yield the factor of every independent term: dotted rules first, then rules that are queried."""
    goals = [goal for test in rule.tests if isinstance(test, Asks) for goal in goals_of(test)]
    known = {name for name, sort in sorts.items() if sort == "position"}
    terms = [({x}, symbol) for x, sort in sorts.items() if (symbol := _symbol(sort)) is not None]
    dotted = [(names, symbol) for names, symbol in terms if symbol == "|G|"]
    asked = [goal for goal in goals if isinstance(goal, QUESTIONS) and question(goal)[0] == "rule"]
    for names, symbol in (*dotted, *((set(m.variables(goal)), "|G|") for goal in asked), *terms):
        while more := {x for goal in goals for x in _determined(goal, known)} - known:
            known |= more
        if not names <= known:
            known |= names
            yield symbol


def _determined(goal: Any, known: Collection[str]) -> set[str]:
    """Return the variables for which a goal leaves few values: parts of a term, a term, categories of a word."""
    names = set(m.variables(goal))
    match goal:
        case Equals(name, term):
            if name in known:
                return names
            whole = not any(isinstance(part, m.Any | m.Run) for part in m.nodes(term))
            return {name} if whole and set(m.variables(term)) <= set(known) else set()
        case _ if isinstance(goal, QUESTIONS) and question(goal)[0] == "category":
            return names if set(m.variables(question(goal)[1][0])) <= set(known) else set()
        case Related(relation, terms):
            key = SIGNATURES[relation].key
            return names if key is not None and set(m.variables(terms[:key])) <= set(known) else set()
        case m.Compare("==", left, right):
            sides = [set(m.variables(side)) <= set(known) for side in (left, right)]
            return names if any(sides) else set()
    return set()


def _made(rule: Rule) -> set[str]:
    """Return the numbers that queries determine from others, such as how far a connector reaches."""
    goals = [goal for test in rule.tests if isinstance(test, Asks) for goal in goals_of(test)]
    found: set[str] = set()
    for goal in goals:
        if isinstance(goal, Related) and (key := SIGNATURES[goal.relation].key) is not None:
            found.update(m.variables(goal.terms[key:]))
    return found


def _symbol(sort: TypeSort) -> str | None:
    return _TERMS.get(sort if isinstance(sort, str) else sort.kind)


def _factors(symbols: Iterable[str | None]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(Counter(filter(None, symbols)).items()))


def dimension(tests: Iterable[Test], names: Sequence[str]) -> int:
    """Return how many positions can be chosen freely under tests, for long sentences.

    Of a disjunction, the part with the most freedom counts.

    >>> from schemata.program.linear import Linear, variable
    >>> i, j, k = map(variable, "ijk")
    >>> dimension([Linear(">=", j - i), Linear("==", k - j - 1)], ["i", "j", "k"])
    2
    """
    best = 0
    for option in options_of([t for t in tests if not isinstance(t, Asks)]):
        equal = [t.left for t in option if t.relation == "=="]
        given, _ = solved(equal, [x for x in names if any(x in left.names for left in equal)])
        rest = [t.substitute(given) for t in option if t.relation == ">="]
        facts = facts_of(rest)
        if facts.contradictory():
            continue
        ends = ("0", "n")
        free = [x for x in names if x not in given]
        classes: list[str] = []
        for x in free:
            others = (*ends, *classes)
            apart = ((facts.distance(x, y), facts.distance(y, x)) for y in others)
            if not any(a is not None and b is not None for a, b in apart):
                classes.append(x)
        best = max(best, len(classes))
    return best


def _costliest(parts: Iterable[tuple[Part, T]]) -> list[tuple[Part, T]]:
    """Return the costliest of the parts of each name, the costliest name first."""
    named = grouped((part[0].name, part) for part in parts)
    costliest = (max(own, key=lambda part: part[0].cost.size) for own in named.values())
    return sorted(costliest, key=lambda part: part[0].cost.size, reverse=True)


def _join_text(schema: m.Schema, plans: Sequence[Plan]) -> str:
    """Return the antecedents of a rule in the order of the plan that starts from the most variables, and its
    conditions.
    """
    case = schema.cases[plans[0].rule.case]
    patterns = [a.pattern for a in case.antecedents]
    plan = max(plans, key=lambda plan: len(_names(patterns[plan.slot])) if plan.slot >= 0 else 0)
    found = [move.slot for move in plan.moves if isinstance(move, LookUp | Walk)]
    known: set[str] = set()
    told: list[str] = []
    for slot in [plan.slot, *found] if plan.slot >= 0 else ():
        pattern = patterns[slot]
        shared = [x for x in dict.fromkeys(m.variables(pattern)) if x in known and x != "n"]
        by = f" by {', '.join(shared)}" if shared else ""
        told.append(f"{pattern_text(schema, pattern, ascii=True)}{by}")
        known |= _names(pattern)
    free = [c for c in case.conditions if set(m.variables(c)) - known - {"n"}]
    told += [condition_text(c, ascii=True) for c in free]
    return ", then ".join(told)


def _names(pattern: m.Pattern) -> set[str]:
    return set(m.variables(pattern)) - {"n"}


# Formulas -------------------------------------------------------------------------------------------------------


def _with_formulas(found: Complexity, schema: ParsingSchema, budget: Budget) -> Complexity:
    """Return a cost with formulas for counts, as far as the lengths that the budget allows determine them."""
    if schema.definition.grammar != D_RULES:
        return replace(found, why_not="counts depend on the grammar's rules")
    most = max([sum(part.cost.size) for part in (*found.steps, *found.forms)], default=0)
    started = time.perf_counter()
    proved, unproved = _proved(schema, EFFORTS.complexity_share * max(budget.left(started), 0.0))
    begin = max((one.begin for one in proved.values()), default=1)
    terms = [term for rule in schema.kernel.program.rules for term in rule.all_terms()]
    stride = math.lcm(*(k for term in terms for _, k in term.terms))  # 2 where a step asks for i == j + j

    def fits(rows: Mapping[str, list[int]], lengths: int) -> Mapping[str, _Fit] | None:
        if proved:  # counts of shorter sentences may follow the polynomials too
            if lengths < begin - 1:
                return None
            values = {x: [one.at(n) for n in range(most + 1)] for x, one in proved.items()}
            return {x: _fit(rows.get(x, ()), v, begin) for x, v in values.items() if x in rows or not rows}
        return _all_fitted(rows, most, stride)

    rows, stopped = _counts(schema, fits, budget, started)
    known = fits(rows, begin - 1 if proved else 0)
    checked = tuple(range(1, 1 + len(next(iter(rows.values()), ()))))
    if known is None:
        needed = stride * (most + 1 + SPARE)
        ended = f"the limit of {stopped} was hit before {needed} lengths were counted"
        why = ended if stopped else "no polynomial fits the counts"
        proof = None if stopped else False
        return replace(found, checked=checked, why_not=why, proved=proof, unproved=unproved, stopped=stopped)
    shown = {name: formula_text(fit) for name, fit in known.items()}
    totals = [known[name].values for name in ("items", "steps")]
    return replace(
        found,
        items=shown["items"],
        step_instances=shown["steps"],
        steps=tuple(replace(part, formula=shown.get(f"step {part.name}", "0")) for part in found.steps),
        forms=tuple(replace(part, formula=shown.get(f"form {part.name}", "0")) for part in found.forms),
        holds_from=max(fit.begin for fit in known.values()),
        polynomials=(totals[0][0], totals[1][0]) if all(len(total) == 1 for total in totals) else None,
        proved=bool(proved),
        unproved=unproved,
        checked=checked,
    )


def _proved(schema: ParsingSchema, seconds: float) -> tuple[dict[str, Polynomial], str | None]:
    """Return proved counts, by their names in `_counts`; empty, with the reason, if there is no proof."""
    program = schema.kernel.program
    end = time.monotonic() + seconds
    order = prove_order(program, seconds)
    if isinstance(order, Refusal):
        return {}, order.reason
    try:
        items, steps = Points(program, order, end).counted()
    except NotRegionsError as reason:
        return {}, str(reason)
    found = {f"form {name}": one for name, one in items.items()}
    found |= {f"step {name}": one for name, one in steps.items()}
    none = Polynomial({})
    return found | {"items": sum(items.values(), none), "steps": sum(steps.values(), none)}, None


def _counts(
    schema: ParsingSchema,
    enough: Callable[[Mapping[str, list[int]], int], object],
    budget: Budget,
    started: float,
) -> tuple[dict[str, list[int]], str | None]:
    """Return the counts of a schema for sentences of 1, 2, ... words, and the reason if the counting
    ended early.
    """
    rows: dict[str, list[int]] = {}
    for n in range(1, EFFORTS.counted_words + 1):
        if enough(rows, n - 1):
            break
        left = budget.left(started)
        if left <= 0:
            return rows, "seconds"
        try:
            words = [f"w{k}" for k in range(1, n + 1)]  # each a category of its own
            chart = schema.run(words, DRules.all(), budget=replace(budget, seconds=left))
        except BudgetExceeded as over:
            return rows, over.reason
        counts = {"items": chart.item_count, "steps": chart.step_count}
        counts |= {f"step {name}": count for name, count in chart.steps_by_name.items()}
        counts |= {f"form {name}": count for name, count in chart.items_by_form.items()}
        for name, count in counts.items():
            rows.setdefault(name, []).append(count)
    return rows, None


class _Fit(Record):
    """Polynomials that give the counts from n = `begin` on.

    `values` has one for every remainder of n, 0 first: n = p*m + r for p of them, with its values at m = 0, 1, ...
    """

    begin: int
    values: tuple[tuple[int, ...], ...]


def _all_fitted(rows: Mapping[str, list[int]], degree: int, period: int) -> dict[str, _Fit] | None:
    """Return the polynomials that counts follow, for every remainder of n by the period; None if some do not."""
    found: dict[str, _Fit] = {}
    for name, counts in rows.items():
        parts = []
        for remainder in range(period):
            first = (remainder or period) - 1  # of the counts, which begin with n = 1
            fit = _fitted(counts[first::period], degree)
            if fit is None:
                return None
            begin, shift = fit.begin, int(remainder > 0)  # their first count is that for m = 0
            at = tuple(_at(fit.values[0], m + shift) for m in range(degree + 1))
            parts.append((period * (begin - shift - 1) + remainder + 1 if begin > 1 else 1, at))
        found[name] = _Fit(max(begin for begin, _ in parts), tuple(at for _, at in parts))
    return found or None


def _fit(counts: Sequence[int], values: Sequence[int], begin: int) -> _Fit:
    """Return a polynomial that holds from `begin` on, by its values at 0, 1, ..., with the least n it holds from."""
    while 1 < begin <= len(counts) + 1 and _at(values, begin - 1) == counts[begin - 2]:
        begin -= 1
    return _Fit(begin, (tuple(values),))


def _fitted(counts: Sequence[int], degree: int) -> _Fit | None:
    """Return the polynomial that counts for 1, 2, ... words follow; None if the last of them do not.

    The last are `degree` + 1 + `SPARE` counts.
    """
    first = len(counts) - degree  # of the lengths that determine it
    if first <= SPARE:
        return None
    fit = _fit(counts, [_at(counts[first - 1 :], x - first) for x in range(degree + 1)], first)
    return fit if fit.begin <= first - SPARE else None


def _differences(values: Sequence[int]) -> list[int]:
    """Return the first of the values, of their differences, of the differences of these, and so on."""
    found = []
    while values:
        found.append(values[0])
        values = [b - a for a, b in pairwise(values)]
    return found


def _at(values: Sequence[int], x: int) -> int:
    """Return the value at x of the polynomial with these values at 0, 1, 2, ... (Newton)."""
    total, binomial = 0, 1
    for k, difference in enumerate(_differences(values)):
        total += difference * binomial
        binomial = binomial * (x - k) // (k + 1)
    return total


_SHIFTS = (0, 1, 2, -1, 3, -2)


def formula_text(fit: _Fit) -> str:
    """Return the formula of counts: a sum of binomials, for every remainder of n if these differ."""
    if len(fit.values) == 1:
        return binomial_text(fit.values[0])
    period = len(fit.values)
    told = (binomial_text(values).replace("n", "m") for values in fit.values)
    return "; ".join(f"{text} for n = {period}*m{f'+{r}' if r else ''}" for r, text in enumerate(told))


def binomial_text(values: Sequence[int]) -> str:
    """Return the polynomial with these values at 0, 1, 2, ... as a sum of binomials, the shortest of a few.

    >>> binomial_text([3 * n * (n + 1) // 2 for n in range(3)])
    '3*C(n+1,2)'
    """
    found = []
    for shift in _SHIFTS:
        coefficients = _differences([_at(values, x - shift) for x in range(len(values))])
        terms = [(k, c) for k, c in enumerate(coefficients) if c]
        cost = (sum(c < 0 for _, c in terms), len(terms), sum(abs(c) for _, c in terms), abs(shift))
        found.append((cost, terms, shift))
    return _binomials(*min(found, key=itemgetter(0))[1:])


def _binomials(terms: Sequence[tuple[int, int]], shift: int) -> str:
    text = ""
    above = f"n{shift:+d}" if shift else "n"
    for k, c in terms:
        alone = above if not shift or c == 1 else f"({above})"
        base = "" if k == 0 else alone if k == 1 else f"C({above},{k})"
        size = str(abs(c)) if not base else base if abs(c) == 1 else f"{abs(c)}*{base}"
        text += f"{'-' if c < 0 else '+' if text else ''}{size}"
    return text or "0"
