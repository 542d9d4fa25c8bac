"""Plans of rules for ordered kernels, from consequent to antecedents: loops and their bounds; the layout of tables.

A rule is planned (`program.plan`) from its consequent back to the antecedents. The consequent's columns are bound or
looped over last; the rule's own variables are expressed by them where the consequent determines them, and looped over
where it does not. Antecedents are looked up, and tests made, as soon as their variables are bound.

Every constraint is enforced where the last of its variables, in the order of the loops, gets its value: as a
bound of that loop, or else as a test. Its consequences for the outer loops (by Fourier-Motzkin elimination) only save
empty turns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Literal

from schemata.grammars.relations import TABLES
from schemata.order.model import Order, OrderedRule, Region
from schemata.program.facts import conditions_of, differences_of, facts_of, follows, strongest
from schemata.program.linear import (
    Affine,
    AnyOf,
    Asks,
    Linear,
    Provided,
    Test,
    linear_terms,
    solved,
    variable,
)
from schemata.program.model import Atom, Kind, Program, Rule
from schemata.program.plan import (
    End,
    LookUp,
    Move,
    Plan,
    Range,
    Require,
    column_name,
    depth,
    levels,
)
from schemata.records import Record, replace
from schemata.thresholds import WAYS

SYMBOLS = "#symbols"  # the number of symbols, as a variable of linear terms
ONE = [variable("n") - 1]  # terms that are at least 0: a sentence has a word


class TurnedRule(Record):
    """A rule, turned round: in terms of its consequent.

    `free` are the rule's variables that its consequent leaves open. `constraints` are terms >= 0 over the
    consequent's columns (`column_name`), the free variables and n. `antecedents`, `links` and `weighed` are in the same
    variables. `tests` are the tests that are not constraints.
    """

    rule: Rule
    free: tuple[str, ...]
    constraints: tuple[Affine, ...]
    antecedents: tuple[Atom, ...]
    links: tuple[tuple[Affine, ...], ...]
    tests: tuple[Test, ...]
    weighed: tuple[Atom, ...] = ()


def in_table(kind: Kind, terms: Sequence[Affine], sort: Literal["position", "symbol"]) -> list[Affine]:
    """Return the facts about an item's columns of a sort that follow from its place in its kind's table, as
    terms >= 0.
    """
    most = variable(SYMBOLS) - 1 if sort == "symbol" else variable("n") + 1
    pairs = zip(kind.columns, terms, strict=True)
    return [side for column, term in pairs if column.sort == sort for side in (term, most - term)]


def at_least(tests: Iterable[Test]) -> list[Affine]:
    """Return terms that are at least 0 where linear tests hold; other tests, and `!=`, give none."""
    found: list[Affine] = []
    for test in tests:
        if isinstance(test, Linear) and test.relation != "!=":
            found += [test.left] if test.relation == ">=" else [test.left, -test.left]
    return found


def turned_rule(program: Program, rule: Rule) -> TurnedRule:
    """Return a rule in terms of its consequent."""
    equal = [term - variable(column_name(k)) for k, term in enumerate(rule.consequent.terms)]
    equal += [t.left for t in rule.tests if isinstance(t, Linear) and t.relation == "=="]
    given, unsolved = solved(equal, sorted(rule.variables))
    constraints = [side for term in unsolved for side in (term, -term)]
    antecedents = tuple(atom.substitute(given) for atom in rule.antecedents)
    tests: list[Test] = []
    for atom in antecedents:
        constraints += in_table(program.kinds[atom.kind], atom.terms, "symbol")
        constraints += at_least(conditions_of(program.kinds, atom))
    for test in (t.substitute(given) for t in rule.tests):
        match test:
            case Linear("==", _):
                continue  # solved above
            case Linear(">=", left):
                constraints.append(left)
                continue
            case Provided():
                for term, low, high in test.ranges(variable(SYMBOLS)):
                    constraints += [term - low, high - term]
        tests.append(test)
    links = tuple(tuple(term.substitute(given) for term in link) for link in rule.links)
    free = tuple(x for x in rule.variables if x not in given)
    weighed = tuple(atom.substitute(given) for atom in rule.weighed)
    return TurnedRule(
        rule, free, tuple(dict.fromkeys(constraints)), antecedents, links, tuple(tests), weighed
    )


def kind_terms(program: Program, kind: int) -> tuple[Affine, ...]:
    """Return the variables that stand for the consequent's columns."""
    return tuple(variable(column_name(k)) for k in range(len(program.kinds[kind].columns)))


def nest(
    constraints: Iterable[Affine], order: Sequence[str], context: Iterable[Affine] = ()
) -> tuple[Move, ...]:
    """Return tests, and ranges of the variables in this order, that meet all constraints (terms >= 0).

    Parameters
    ----------
    constraints : the conditions to fulfil.
    order : the loop variables, outermost first; others are known.
    context : known facts about the known variables and n.

    Raises
    ------
    ValueError : a variable has no bound.
    """
    given = list(dict.fromkeys(context))
    wanted = [c for c in dict.fromkeys(constraints) if c.terms or c.constant < 0]
    facts = facts_of(_held([*given, *wanted]))
    rows: list[tuple[Affine, bool]] = [(c, True) for c in wanted]  # whether it is one to enforce
    loops: list[tuple[str, Sequence[Affine], Sequence[Affine], list[Affine]]] = []
    for name in reversed(order):
        mine = [(c, own) for c, own in rows if c.coefficient(name)]
        rows = [(c, own) for c, own in rows if not c.coefficient(name)]
        checks = [c for c, own in mine if own and abs(c.coefficient(name)) != 1]
        lows = list(dict.fromkeys(variable(name) - c for c, _ in mine if c.coefficient(name) == 1))
        highs = list(dict.fromkeys(c + variable(name) for c, _ in mine if c.coefficient(name) == -1))
        if not lows or not highs:
            raise ValueError(f"the variable {name} has no bound")
        seen = {c for c, _ in rows}
        for derived in (high - low for low in lows for high in highs):
            if derived.terms and derived not in seen and len(seen) < WAYS.derived_constraints:
                seen.add(derived)
                rows.append((derived, False))
        loops.append((name, tuple(lows), tuple(highs), checks))
    known = facts_of(_held(given))
    tops = [c for c, own in rows if own and not follows(known, c)]
    tops += [c for c, own in rows if not own and not follows(facts, c) and not follows(known, c)]
    moves: list[Move] = _required(dict.fromkeys(tops))
    for name, least, most, checks in reversed(loops):
        # a bound may be left out only if what is already enforced around it implies it
        low, high = strongest(least, known, 1), strongest(most, known, -1)
        moves += [Range(name, ((tuple(map(End, low)), tuple(map(End, high))),)), *_required(checks)]
        x = variable(name)
        known.learn(differences_of(_held([*(x - term for term in low), *(term - x for term in high)])))
    return tuple(moves)


def _required(terms: Iterable[Affine]) -> list[Move]:
    """Return the moves that require terms to be at least 0."""
    return [Require(test, is_own=False) for test in _held(terms)]


def _held(terms: Iterable[Affine]) -> list[Linear]:
    """The tests that terms are at least 0."""
    return [Linear(">=", term) for term in terms]


Layouts = tuple[tuple[int, ...], ...]
CodeType = Literal["u8", "u16", "i32"]
Mode = Literal["fill", "rows", "codes", "expand", "weigh", "walk", "share"]
Views = frozenset[tuple[int, int]]
SCORES, UNLICENSED, TENSORS = -1, -2, -3
"""Stand for kinds whose items are links (head, dependent): with the scores of licensed links, and of all.

The third, and those below it, for the values of a step's variables: with the weights of the step.
"""


def layouts_of(order: Order) -> Layouts:
    """Return the order of every kind's columns in its table: those that levels depend on first."""
    columns = measured_columns(order)
    return tuple(
        tuple(sorted(range(len(kind.columns)), key=lambda k: k not in columns[kind.number]))
        for kind in order.program.kinds
    )


def measured_columns(order: Order) -> list[set[int]]:
    """Return, by kind, the columns that levels or regions depend on."""
    found: list[set[int]] = [set() for _ in order.program.kinds]
    for region in order.regions:
        names = {x for term in (*region.level, *(t.left for t in region.tests)) for x in term.names}
        columns = order.program.kinds[region.kind].columns
        found[region.kind] |= {k for k, column in enumerate(columns) if column.name in names}
    return found


def is_written(program: Program, kind: int) -> bool:
    """Whether a kind's table holds numbers of items, since an item may have several writings."""
    return bool(program.equations.get(program.kinds[kind].form))


def row_width(program: Program) -> int:
    """Return how many numbers a writing takes: its kind, and the most columns of a kind."""
    return 1 + max((len(kind.columns) for kind in program.kinds), default=0)


def choices_width(program: Program) -> int:
    """Return how many numbers a choice on the way down takes: a rule, the consequent's columns, free variables."""
    free = max((len(turned_rule(program, rule).free) for rule in program.rules), default=0)
    return row_width(program) + free


_WORKSPACE = {"st": "shared i64[]", **dict.fromkeys(("SH", "SR", "WB", "cell"), "i64[]")}


def arrays_of(
    program: Program, mode: Mode, code_type: CodeType = "u8", views: Views = frozenset()
) -> Mapping[str, str]:
    """Return the types of a kernel's arrays, its parameters after n and S.

    Parameters
    ----------
    code_type : the type of codes.
    views : the tables of weights that a kernel reads.
    """
    arrays = {**dict.fromkeys(TABLES, "u8[]"), "O": "i64[]"}
    if mode in ("weigh", "walk", "share"):
        arrays |= {view_name(*view): "f64[]" for view in sorted(views)}
        arrays |= {f"H{kind}": "u8[]" for kind in derived_hypotheses(program)}
        written = [kind.number for kind in program.kinds if program.equations.get(kind.form)]
        arrays |= {f"T{kind}": "i32[]" for kind in written} | ({"V": "f64[]"} if written else {})
        of_mode = {"M": "f64[]", "E": "f64[]"}
        if mode == "walk":
            of_mode = {**dict.fromkeys(("K", "heads", "out"), "i64[]"), "Q": "f64[]"}
        if mode == "share":
            of_steps = sorted({share_name(kind) for kind, _ in views if kind <= TENSORS})
            of_mode = dict.fromkeys((*(f"D{kind.number}" for kind in program.kinds), "G", *of_steps), "f64[]")
        return arrays | of_mode | _WORKSPACE
    for kind in program.kinds:
        byte = mode == "fill" and not program.equations.get(kind.form)
        arrays[f"{'T' if mode == 'fill' else 'I'}{kind.number}"] = "u8[]" if byte else "i32[]"
    arrays |= {"counts": "i64[]"} if mode == "fill" else {"at": "i64[]", "ends": "i64[]"}
    if mode == "rows":
        arrays["out"] = "i32[]"
    if mode == "codes":
        arrays |= {"seen": "i64[]", "visits": "i32[]", "codes": f"{code_type}[]"}
    return arrays | _WORKSPACE


def view_name(kind: int, last: int) -> str:
    """Return the name of the table of a kind's weights in which neighbours differ in that column."""
    if kind <= TENSORS:
        return f"A{TENSORS - kind}_{last}"
    return {SCORES: "W", UNLICENSED: "U"}.get(kind, f"V{kind}_") + str(last)


def share_name(kind: int) -> str:
    """Return the name of the table of shares of a step's weights."""
    return f"B{TENSORS - kind}"


def weighed_views(views: Iterable[tuple[int, int]]) -> dict[int, int]:
    """Return, by the kind of a step's weights, the variable in which neighbours in their only table differ."""
    return {kind: last for kind, last in views if kind <= TENSORS}


def derived_hypotheses(program: Program) -> list[int]:
    """Return the kinds of hypotheses that rules derive as well; without those of forms with a normal form."""
    given = {clause.atom.kind for clause in program.hypotheses}
    derived = {rule.consequent.kind for rule in program.rules}
    return [
        k.number for k in program.kinds if k.number in given & derived and not program.equations.get(k.form)
    ]


def link_atoms(turned: TurnedRule) -> list[Atom]:
    """Return the links of a rule as items of a table of scores."""
    licensed = [
        test.arguments for test in turned.tests if isinstance(test, Provided) and test.relation == "licensed"
    ]
    return [Atom(SCORES if link in licensed else UNLICENSED, link[::-1]) for link in turned.links]


def last_column(atom: Atom, layouts: Layouts, inner: str) -> int:
    """Return the column that should vary fastest in an item's table, so that a loop over `inner` reads neighbours."""
    default = len(atom.terms) - 1 if atom.kind < 0 else layouts[atom.kind][-1]
    moved = [k for k, term in enumerate(atom.terms) if inner in term.names]
    return default if not moved or default in moved else moved[-1]


def views_of(program: Program, layouts: Layouts, rules: Iterable[PlannedRule]) -> Views:
    """Return the tables of weights that rules read, as (kind, last column), and one for every kind."""
    plain = [kind for kind in program.kinds if not program.equations.get(kind.form)]
    found = {(kind.number, layouts[kind.number][-1] if kind.columns else 0) for kind in plain}
    for rule in rules:
        for atom in (*rule.turned.antecedents, *link_atoms(rule.turned)):
            if atom.kind < 0:
                found |= {(atom.kind, 1), (atom.kind, last_column(atom, layouts, rule.inner))}
            elif program.kinds[atom.kind] in plain and atom.terms:
                found.add((atom.kind, last_column(atom, layouts, rule.inner)))
        for atom in rule.turned.weighed:
            if atom.kind not in weighed_views(found):
                found.add((atom.kind, last_column(atom, layouts, rule.inner)))
    return frozenset(found)


def _renamed(program: Program, kind: int) -> dict[str, Affine]:
    return {c.name: variable(column_name(k)) for k, c in enumerate(program.kinds[kind].columns)}


def kind_conditions(program: Program, kind: int) -> list[Affine]:
    """Return a kind's linear conditions as terms >= 0 over the consequent's columns."""
    given = _renamed(program, kind)
    found = in_table(program.kinds[kind], kind_terms(program, kind), "symbol")
    return found + at_least(t.substitute(given) for t in program.kinds[kind].conditions)


def region_invariants(order: Order, region: Region) -> list[Affine]:
    """Return the facts about a region, as terms >= 0 over the consequent's columns."""
    given = _renamed(order.program, region.kind)
    found = kind_conditions(order.program, region.kind)
    found += at_least(t.substitute(given) for t in (*region.invariants, *region.tests))
    return list(dict.fromkeys(found))


def level_of(order: Order, region: Region) -> list[Affine]:
    """Return a region's level over the consequent's columns."""
    given = _renamed(order.program, region.kind)
    return [term.substitute(given) for term in region.level]


def derived_regions(order: Order) -> list[Region]:
    """Return the regions of items that rules derive: where there is a normal form, all of the form's."""
    kinds = order.program.kinds
    used = {rule.consequent for rule in order.rules}
    forms = {kinds[order.regions[number].kind].form for number in used}
    written = {form for form in forms if order.program.equations.get(form)}
    return [r for r in order.regions if r.number in used or kinds[r.kind].form in written]


def level_loops(order: Order) -> list[Range]:
    """Return the ranges of the level's terms: a kernel goes from the least to the greatest of all regions."""
    variables = [f"s{k}" for k in range(order.depth)]
    nests: list[list[Range]] = []
    for region in derived_regions(order):
        constraints = region_invariants(order, region)
        for name, term in zip(variables, level_of(order, region), strict=True):
            constraints += [variable(name) - term, term - variable(name)]
        columns = [t.names[0] for t in kind_terms(order.program, region.kind)]
        nests.append(ranges(nest(constraints, [*variables, *columns], ONE)))
    return [united(loops[k] for loops in nests) for k in range(order.depth)]


def ranges(moves: Iterable[Move]) -> list[Range]:
    """Return the ranges among moves."""
    return [move for move in moves if isinstance(move, Range)]


def united(parts: Iterable[Range]) -> Range:
    """Return the range from the least to the greatest of some ranges."""
    rows = list(parts)
    return Range(rows[0].name, tuple(option for one in rows for option in one.options))


class PlannedRule(Record):
    """A rule, its number in counts and rows, and its plan inside the loops over consequents.

    `plan` is over the turned rule: it looks up the antecedents `turned.antecedents`.
    """

    number: int
    turned: TurnedRule
    plan: Plan

    @property
    def loops(self) -> list[str]:
        """The variables that range, the outermost first."""
        return [move.name for move in ranges(self.plan.moves)]

    @property
    def inner(self) -> str:
        """The variable of the innermost loop."""
        return next(reversed(self.loops), "")


class PlannedRegion(Record):
    """The items of a region on a level: columns that the level determines, loops over others, and the rules.

    `lanes` are columns that rules loop over last, inside their own loops; `over_lanes` loops over them alone.
    """

    region: Region
    columns: Mapping[str, Affine]
    loops: tuple[Move, ...]
    lanes: Sequence[str]
    rules: Sequence[PlannedRule]
    over_lanes: tuple[Move, ...] = ()


def planned_rule(
    program: Program,
    number: int,
    rule: Rule,
    context: Iterable[Affine],
    more: Callable[[TurnedRule], Iterable[Affine]] = lambda turned: (),
    lanes: Sequence[str] = (),
    measured: Sequence[Container[int]] = (),
) -> PlannedRule:
    """Return a rule in its loops.

    Parameters
    ----------
    program, rule : the rule.
    number : its place in counts and rows.
    context : facts about the known variables (terms >= 0).
    more : further conditions.
    lanes : columns of the consequent that are looped over last.
    measured : by kind, the columns whose variables are looped over first.
    """
    turned = turned_rule(program, rule)
    weight: Counter[str] = Counter()
    for atom in turned.antecedents if measured else ():
        for k, term in enumerate(atom.terms):
            weight.update(x for x in term.names if k in measured[atom.kind])
    free = sorted(turned.free, key=lambda x: -weight[x])
    constraints, tests = [*turned.constraints, *more(turned)], list[Test]()
    for test in turned.tests:
        if isinstance(test, AnyOf):  # what all options have in common bounds variables
            first, *others = [dict.fromkeys(at_least(option)) for option in test.options]
            constraints += [term for term in first if all(term in other for other in others)]
    facts = facts_of(_held(constraints))
    for test in (*turned.tests, *_apart(turned, constraints)):
        if isinstance(test, Linear) and test.relation == "!=":
            beyond = next((side for side in (test.left, -test.left) if follows(facts, side)), None)
            if beyond is not None:  # what differs from the end of a range is within it
                constraints.append(beyond - 1)
                continue
        tests.append(test)
    moves = nest(constraints, [*free, *lanes], context)
    return PlannedRule(number, turned, Plan(rule, -1, _placed(turned, moves, tests)))


def _placed(turned: TurnedRule, moves: Iterable[Move], tests: Iterable[Test]) -> tuple[Move, ...]:
    """Return the moves with all look-ups and tests as early as possible; those that read tables come last."""
    rows = levels(moves)
    loops = [move.name for row in rows for move in ranges(row)]
    own: list[LookUp | Require] = []
    for test in tests:
        assert not isinstance(test, Asks), "programs with an order ask no queries"
        own.append(Require(test))
    own += [LookUp(slot, atom.terms) for slot, atom in enumerate(turned.antecedents)]
    for move in sorted(own, key=_reads):
        terms = linear_terms(move.terms if isinstance(move, LookUp) else move.test)
        rows[1 + depth(loops, terms)].append(move)
    return tuple(move for row in rows for move in row)


def _reads(move: LookUp | Require) -> int:
    """Return 0 for a comparison, 1 for a look at an item's entry, 2 for one at a table of the grammar."""
    return 1 if isinstance(move, LookUp) else 2 * isinstance(move.test, Provided)


def _apart(turned: TurnedRule, constraints: Sequence[Affine]) -> Iterator[Test]:
    """Yield the tests that a consequent differs from its antecedents, if it might not."""
    consequent = turned.rule.consequent
    held = [Linear(">=", c) for c in constraints]
    for atom in turned.antecedents:
        if atom.kind != consequent.kind:
            continue
        differences = [term - variable(column_name(j)) for j, term in enumerate(atom.terms)]
        if any(not d.terms and d.constant for d in differences):
            continue
        differences = [d for d in differences if d.terms]
        if facts_of([*held, *(Linear("==", d) for d in differences)]).contradictory():
            continue
        apart = [Linear("!=", d) for d in differences]
        if len(apart) > 1:
            yield AnyOf(tuple((test,) for test in apart))
        else:
            yield next(iter(apart), Linear(">=", Affine(-1)))


def _planned_region(
    order: Order,
    region: Region,
    pairs: Sequence[tuple[int, OrderedRule]],
    measured: Sequence[Container[int]],
    layout: Sequence[int],
    mode: Mode,
    repeating: Container[int],
) -> PlannedRegion:
    """Return the loops over a region's items, and in them rules, each with its number.

    Where rules may find an instance twice, instances are remembered item by item, so there are no lanes.
    """
    program = order.program
    lanes: list[str] = []
    columns = [column_name(k) for k in layout]
    if mode not in ("codes", "share") and not any(rule.rule in repeating for _, rule in pairs):
        lanes = [x for x in columns if int(x.split()[1]) not in measured[region.kind]]
    invariants = region_invariants(order, region)
    inner = [c for c in invariants if any(x in lanes for x in c.names)]
    outer = [c for c in invariants if c not in inner]
    found = _around(order, region, [x for x in columns if x not in lanes], outer)

    def more(ordered: OrderedRule) -> Callable[[TurnedRule], Iterable[Affine]]:
        return lambda turned: [*inner, *region_constraints(order, ordered, turned)]

    rules = [
        planned_rule(program, number, program.rules[o.rule], [*ONE, *outer], more(o), lanes, measured)
        for number, o in pairs
    ]
    around = nest(inner, lanes, [*ONE, *outer])
    return replace(found, lanes=lanes, rules=rules, over_lanes=around)


def planned_regions(order: Order, mode: Mode, repeating: Container[int]) -> Iterator[PlannedRegion]:
    """Yield the regions, stratum by stratum, with the rules that derive their items, where there is no normal form."""
    rules: dict[tuple[int, int], list[tuple[int, OrderedRule]]] = {}
    for number, rule in enumerate(order.rules):
        rules.setdefault((rule.stratum, rule.consequent), []).append((number, rule))
    measured, layouts = measured_columns(order), layouts_of(order)
    for stratum in range(order.strata):
        for region in order.regions:
            pairs = rules.get((stratum, region.number))
            if pairs and not is_written(order.program, region.kind):
                layout = layouts[region.kind]
                yield _planned_region(order, region, pairs, measured, layout, mode, repeating)


def planned_items(order: Order, form: int) -> list[PlannedRegion]:
    """Return the loops over the possible items of a form with a normal form, region by region, without rules."""
    program = order.program
    return [
        _around(
            order,
            region,
            [column_name(k) for k in range(len(program.kinds[region.kind].columns))],
            region_invariants(order, region),
        )
        for region in derived_regions(order)
        if program.kinds[region.kind].form == form
    ]


def planned_writings(order: Order, kind: int) -> list[PlannedRule]:
    """Return the rules that derive writings of a kind of a form with a normal form."""
    program = order.program
    numbers: dict[int, int] = {}
    for number, ordered in enumerate(order.rules):
        numbers.setdefault(ordered.rule, number)
    context = [*ONE, *kind_conditions(program, kind)]
    return [
        planned_rule(program, numbers[rule.number], rule, context, measured=measured_columns(order))
        for rule in program.rules
        if rule.consequent.kind == kind and rule.number in numbers
    ]


def _around(
    order: Order, region: Region, columns: Sequence[str], constraints: Sequence[Affine]
) -> PlannedRegion:
    """Return the columns that the level determines, and the loops over the other ones."""
    equal = [term - variable(f"s{k}") for k, term in enumerate(level_of(order, region))]
    given, rest = solved(equal, columns[::-1])
    kept = [c.substitute(given) for c in constraints] + [side for t in rest for side in (t, -t)]
    loops = nest(kept, [x for x in columns if x not in given], ONE)
    return PlannedRegion(region, given, loops, (), ())


def region_constraints(order: Order, ordered: OrderedRule, turned: TurnedRule) -> list[Affine]:
    """Return the requirements of the regions of a rule's antecedents, as terms >= 0."""
    found: list[Affine] = []
    for atom, place in zip(turned.antecedents, ordered.antecedents, strict=True):
        region, kind = order.regions[place], order.program.kinds[atom.kind]
        given = kind.by_name(atom.terms)
        known = () if order.program.equations.get(kind.form) else region.invariants  # of normal writings
        found += at_least(t.substitute(given) for t in (*known, *region.tests))
    return found
