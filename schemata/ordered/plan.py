"""The plan of an ordered kernel: rules turned round, the loops that bounds make of them, the layout of tables.

A rule is planned from its consequent back to the antecedents. The consequent's columns are known or looped over
last; the rule's own variables are expressed by them where the consequent determines them, and looped over where it
does not. What is tested when follows from which variables are known.

Every constraint is enforced where the last of its variables, in the order of the loops, gets its value: as a
bound of that loop, or as a test where it cannot be one. What follows for the outer loops (Fourier-Motzkin
elimination) only saves empty turns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from schemata.grammars.relations import TABLES
from schemata.language.bounds import Bounds
from schemata.language.cases import instance_names
from schemata.order.model import Order, Region
from schemata.program.facts import conditions_of, difference
from schemata.program.linear import (
    Affine,
    Linear,
    Provided,
    Test,
    renamed,
    variable,
)
from schemata.program.model import Atom, Kind, Program, Rule

SYMBOLS = "#symbols"  # the number of symbols, as a variable of linear terms


@dataclass(frozen=True, slots=True)
class RulePlan:
    """A rule, turned round.

    `free` are the rule's variables that its consequent leaves open. `constraints` are terms >= 0 over the
    consequent's columns (`column_name`), the free variables and n. `antecedents` and `links` are in the same
    variables. `tests` are the tests that are no constraints.
    """

    rule: Rule
    free: tuple[str, ...]
    constraints: tuple[Affine, ...]
    antecedents: tuple[Atom, ...]
    links: tuple[tuple[Affine, Affine], ...]
    tests: tuple[Test, ...]


def column_name(number: int) -> str:
    """Return the variable that stands for a column of the consequent."""
    return f"column {number}"


def bounds_of_kind(kind: Kind, terms: Sequence[Affine]) -> list[Affine]:
    """Return what holds for an item's symbol columns: they are numbers of symbols."""
    found: list[Affine] = []
    for column, term in zip(kind.columns, terms, strict=True):
        if column.sort == "symbol":
            found += [term, variable(SYMBOLS) - term - 1]
    return found


def within_table(kind: Kind, terms: Sequence[Affine]) -> list[Affine]:
    """Return what holds for an item's positions since it has a place in its kind's table."""
    found: list[Affine] = []
    for column, term in zip(kind.columns, terms, strict=True):
        if column.sort == "position":
            found += [term, variable("n") + 1 - term]
    return found


def at_least(tests: Iterable[Test]) -> list[Affine]:
    """Return terms that are at least 0 where linear tests hold; other tests, and `!=`, give none."""
    found: list[Affine] = []
    for test in tests:
        if isinstance(test, Linear) and test.relation != "!=":
            found += [test.left] if test.relation == ">=" else [test.left, -test.left]
    return found


def plan_rule(program: Program, rule: Rule) -> RulePlan:
    """Return the plan of a rule."""
    equal = [term - variable(column_name(k)) for k, term in enumerate(rule.consequent.terms)]
    equal += [t.left for t in rule.tests if isinstance(t, Linear) and t.relation == "=="]
    own = rule.variables
    given: dict[str, Affine] = {}
    constraints: list[Affine] = []
    unsolved: list[Affine] = []
    while equal:
        left = equal.pop(0).substitute(given)
        name = next((x for x, k in left.terms if x in own and abs(k) == 1), None)
        if name is None:
            unsolved.append(left)
            continue
        sign = left.coefficient(name)
        value = variable(name) - left * sign
        given = {x: term.substitute({name: value}) for x, term in given.items()}
        given[name] = value
    for term in unsolved:  # others may have been solved for their variables
        rest = term.substitute(given)
        constraints += [rest, -rest]

    antecedents = tuple(atom.substitute(given) for atom in rule.antecedents)
    tests: list[Test] = []
    for atom in antecedents:
        constraints += bounds_of_kind(program.kinds[atom.kind], atom.terms)
        constraints += at_least(conditions_of(program.kinds, atom))
    for test in (renamed(t, given) for t in rule.tests):
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
    links = tuple((a.substitute(given), b.substitute(given)) for a, b in rule.links)
    free = tuple(x for x in own if x not in given)
    return RulePlan(rule, free, tuple(dict.fromkeys(constraints)), antecedents, links, tuple(tests))


def kind_terms(program: Program, kind: int) -> tuple[Affine, ...]:
    """Return the variables that stand for the consequent's columns."""
    return tuple(variable(column_name(k)) for k in range(len(program.kinds[kind].columns)))


def row_length(rule: Rule) -> int:
    """Return how many numbers a row of back-pointers has: consequent, antecedents, the ends of links."""
    return 1 + len(rule.antecedents) + 2 * len(rule.links)


_DERIVED = 200  # constraints that elimination may add for one variable


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop: its variable, the terms it starts at or above and ends at or below, and tests inside it."""

    variable: str
    lows: tuple[Affine, ...]
    highs: tuple[Affine, ...]
    checks: tuple[Affine, ...]


@dataclass(frozen=True, slots=True)
class Nest:
    """Tests on what is known (each term >= 0) and the loops, from the outermost in."""

    checks: tuple[Affine, ...]
    loops: tuple[Loop, ...]


def nest(constraints: Iterable[Affine], order: Sequence[str], context: Iterable[Affine] = ()) -> Nest:
    """Return the loops over the variables in this order that meet all constraints (terms >= 0).

    Parameters
    ----------
    constraints : what must hold.
    order : the loop variables, outermost first; others are known.
    context : what is known to hold of the known variables and n.

    Raises
    ------
    ValueError : a variable has no bound.
    """
    given = list(dict.fromkeys(context))
    wanted = [c for c in dict.fromkeys(constraints) if c.terms or c.constant < 0]
    facts = _facts([*given, *wanted])
    rows: list[tuple[Affine, bool]] = [(c, True) for c in wanted]  # whether it is one to enforce
    loops: list[Loop] = []
    for name in reversed(order):
        mine = [(c, own) for c, own in rows if c.coefficient(name)]
        rows = [(c, own) for c, own in rows if not c.coefficient(name)]
        checks = [c for c, own in mine if own and abs(c.coefficient(name)) != 1]
        lows = [variable(name) - c for c, _ in mine if c.coefficient(name) == 1]
        highs = [c + variable(name) for c, _ in mine if c.coefficient(name) == -1]
        lows, highs = list(dict.fromkeys(lows)), list(dict.fromkeys(highs))
        if not lows or not highs:
            raise ValueError(f"the variable {name} has no bound")
        seen = {c for c, _ in rows}
        for low in lows:
            for high in highs:
                derived = high - low
                if derived.terms and derived not in seen and len(seen) < _DERIVED:
                    seen.add(derived)
                    rows.append((derived, False))
        loops.append(Loop(name, tuple(lows), tuple(highs), tuple(checks)))
    loops.reverse()
    outer = _facts(given)
    kept: list[Loop] = []
    for loop in loops:
        # a bound may be left out only if what is already enforced around it implies it
        kept.append(_pruned(loop, outer))
        outer.learn(_differences([variable(loop.variable) - low for low in kept[-1].lows]))
        outer.learn(_differences([high - variable(loop.variable) for high in kept[-1].highs]))
    known = _facts(given)
    tops = [c for c, own in rows if own and not _proved(known, c)]
    tops += [c for c, own in rows if not own and not _proved(facts, c) and not _proved(known, c)]
    return Nest(tuple(dict.fromkeys(tops)), tuple(kept))


def _pruned(loop: Loop, facts: Bounds) -> Loop:
    return Loop(loop.variable, _least(loop.lows, facts, 1), _least(loop.highs, facts, -1), loop.checks)


def _least(bounds: Sequence[Affine], facts: Bounds, sign: int) -> tuple[Affine, ...]:
    """Return the bounds without those that another one makes superfluous."""
    kept = list(bounds)
    for bound in list(kept):
        if len(kept) > 1 and any(o is not bound and _proved(facts, (o - bound) * sign) for o in kept):
            kept.remove(bound)
    return tuple(kept)


def _proved(facts: Bounds, term: Affine) -> bool:
    if not term.terms:
        return term.constant >= 0
    goal = difference(term)
    return goal is not None and facts.proves([goal])


def _facts(terms: Iterable[Affine]) -> Bounds:
    facts = Bounds()
    facts.learn(_differences(terms))
    return facts


def _differences(terms: Iterable[Affine]) -> list[tuple[str, str, int]]:
    return [fact for fact in map(difference, terms) if fact is not None]


Layouts = tuple[tuple[int, ...], ...]
CodeType = Literal["u8", "u16", "i32"]
Mode = Literal["fill", "rows", "codes", "expand"]


def layouts_of(order: Order) -> Layouts:
    """Return the order of every kind's columns in its table: those that levels depend on first."""
    found = []
    for kind in order.program.kinds:
        measured = measured_columns(order, kind.number)
        columns = range(len(kind.columns))
        found.append((*(k for k in columns if k in measured), *(k for k in columns if k not in measured)))
    return tuple(found)


def measured_columns(order: Order, kind: int) -> frozenset[int]:
    """Return the columns of a kind that levels or regions depend on."""
    mine = [r for r in order.regions if r.kind == kind]
    names = {x for r in mine for term in (*r.level, *(t.left for t in r.tests)) for x in term.names}
    return frozenset(k for k, column in enumerate(order.program.kinds[kind].columns) if column.name in names)


def step_numbers(program: Program) -> tuple[int, ...]:
    """Return, for every rule, the number that tells its instances from those of other steps."""
    names = instance_names(program.schema)
    return tuple(names[rule.case] for rule in program.rules)


def key_width(program: Program) -> int:
    """Return the length of the longest key of an instance."""
    return max((1 + len(r.antecedents) + 2 * len(r.links) for r in program.rules), default=1)


def set_width(program: Program) -> int:
    """Return how many numbers an entry of the set of instances has."""
    return max(3, 2 + key_width(program))


def row_width(program: Program) -> int:
    """Return how many numbers a writing takes: its kind, and the most columns of a kind."""
    return 1 + max((len(kind.columns) for kind in program.kinds), default=0)


def arrays_of(program: Program, mode: Mode, code_type: CodeType = "u8") -> Mapping[str, str]:
    """Return the types of a kernel's arrays, its parameters after n and S; `code_type` is what codes are written as."""
    arrays = {**dict.fromkeys(TABLES, "u8[]"), "O": "i64[]"}
    for kind in program.kinds:
        byte = mode == "fill" and not program.equations.get(kind.form)
        arrays[f"{'T' if mode == 'fill' else 'I'}{kind.number}"] = "u8[]" if byte else "i32[]"
    arrays |= {"counts": "i64[]"} if mode == "fill" else {"at": "i64[]", "ends": "i64[]"}
    if mode == "rows":
        arrays["out"] = "i32[]"
    if mode == "codes":
        arrays |= {"seen": "i64[]", "visits": "i32[]", "codes": f"{code_type}[]"}
    return arrays | dict.fromkeys(("control", "found", "key", "WB", "cell"), "i64[]")


def kinds_of(program: Program, form: int) -> list[int]:
    """Return the numbers of a form's kinds."""
    return [k.number for k in program.kinds if k.form == form]


def _renamed(program: Program, kind: int) -> dict[str, Affine]:
    return {c.name: variable(column_name(k)) for k, c in enumerate(program.kinds[kind].columns)}


def kind_conditions(program: Program, kind: int) -> list[Affine]:
    """Return a kind's linear conditions as terms >= 0 over the consequent's columns."""
    given = _renamed(program, kind)
    found = bounds_of_kind(program.kinds[kind], kind_terms(program, kind))
    return found + at_least(renamed(t, given) for t in program.kinds[kind].conditions)


def solved_by_level(level: Sequence[Affine], main: list[str]) -> tuple[dict[str, Affine], list[Affine]]:
    """Return the columns that the level determines, as terms, and what remains to be tested (== 0)."""
    solved: dict[str, Affine] = {}
    rest: list[Affine] = []
    for k, term in enumerate(level):
        left = (term - variable(f"s{k}")).substitute(solved)
        name = next((x for x in reversed(main) if abs(left.coefficient(x)) == 1), None)
        if name is None:
            rest.append(left)
            continue
        value = variable(name) - left * left.coefficient(name)
        solved = {x: t.substitute({name: value}) for x, t in solved.items()}
        solved[name] = value
    return solved, rest


def region_invariants(order: Order, region: Region) -> list[Affine]:
    """Return what holds in a region, as terms >= 0 over the consequent's columns."""
    given = _renamed(order.program, region.kind)
    found = kind_conditions(order.program, region.kind)
    found += at_least(t.substitute(given) for t in (*region.invariants, *region.tests))
    return list(dict.fromkeys(found))


def level_of(order: Order, region: Region) -> list[Affine]:
    """Return a region's level over the consequent's columns."""
    given = _renamed(order.program, region.kind)
    return [term.substitute(given) for term in region.level]


@dataclass(slots=True)
class Nests:
    """The loops of a kernel.

    Attributes
    ----------
    levels : for every region with rules, loops over the level's variables (`s0`, `s1`, ...) first; the kernel
        runs from the least of their beginnings to the greatest of their ends.
    regions : by region, the loops over its items on a level, and the columns that the level determines.
    rules : by place in the order's rules, a rule turned round and its loops inside those over consequents.
    """

    levels: tuple[Nest, ...] = ()
    regions: dict[int, tuple[Nest, Mapping[str, Affine]]] = field(default_factory=dict)
    rules: dict[int, tuple[RulePlan, Nest]] = field(default_factory=dict)

    def note_rule(self, number: int, plan: RulePlan, loops: Nest) -> None:
        """Keep the loops of a rule."""
        self.rules[number] = (plan, loops)
