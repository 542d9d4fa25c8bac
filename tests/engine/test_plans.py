"""Plans of rules: gone through move by move over any items, they find the instances that brute force finds."""

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence

import pytest

import schemata
from schemata.engine.run import Kernel
from schemata.kernels.layout import layout_of
from schemata.kernels.shape import Shape
from schemata.language.files import read_schema_text
from schemata.language.shipped import shipped_schemata
from schemata.program import linear as lin
from schemata.program import plan as p
from schemata.program.forward import forward
from schemata.program.model import NotLowerable, Program, Rule
from tests.random_schemata.writer import random_draft

WORDS = 4
MOST = 6  # items of a kind
SYMBOLS = 2
BINDINGS = 4_000  # of a rule, that brute force may try
Row = tuple[int, ...]
Items = Mapping[int, Sequence[Row]]  # columns of items by kind
Instance = tuple[tuple[Row, ...], Row, tuple[Row, ...]]  # antecedents, consequent, links


def holds(test: lin.Test, values: Mapping[str, int]) -> bool:
    """Whether a test holds; relations of the grammar hold of some arguments within their ranges."""
    if not isinstance(test, lin.Provided):
        assert isinstance(test, lin.Linear | lin.AnyOf)
        return test.holds(values)
    ranges = test.ranges(lin.variable("symbols"))
    if not all(low.value(values) <= term.value(values) <= high.value(values) for term, low, high in ranges):
        return False
    return random.Random(str([term.value(values) for term in test.arguments])).random() < 0.7


def known(program: Program) -> dict[str, int]:
    """Return the values of what is no variable of a rule."""
    symbols = {f"'{name}'": number for number, name in enumerate(program.symbols)}
    return {"n": WORDS, "symbols": max(SYMBOLS, len(symbols)), **symbols}


def items_of(program: Program, rng: random.Random) -> Items:
    """Return some items of each kind, of those that its conditions allow."""
    found: dict[int, Sequence[Row]] = {}
    for kind in program.kinds:
        choices = [
            range(WORDS + 2) if c.sort == "position" else range(known(program)["symbols"])
            for c in kind.columns
        ]
        rows = [
            row
            for row in itertools.islice(itertools.product(*choices), BINDINGS)
            if all(holds(test, {**known(program), **kind.by_name(row)}) for test in kind.conditions)
        ]
        found[kind.number] = rng.sample(rows, min(MOST, len(rows)))
    return found


def instance(rule: Rule, rows: Sequence[Row], values: Mapping[str, int]) -> Instance:
    made = tuple(term.value(values) for term in rule.consequent.terms)
    return tuple(rows), made, tuple(tuple(end.value(values) for end in link) for link in rule.links)


def by_force(program: Program, rule: Rule, items: Items) -> set[Instance] | None:
    """Return the instances of a rule by trying all antecedents and all values of other variables; None if too many."""
    found: set[Instance] = set()
    single = {term.single for atom in rule.antecedents for term in atom.terms}
    free = [name for name in rule.variables if name not in single]
    low, high = -2 * WORDS, max(2 * WORDS, known(program)["symbols"]) + 2
    antecedents = [items[atom.kind] for atom in rule.antecedents]
    size = (high - low) ** len(free)
    for rows in antecedents:
        size *= len(rows)
    if size > BINDINGS:
        return None
    for rows in itertools.product(*antecedents):
        pairs = [zip(atom.terms, row, strict=True) for atom, row in zip(rule.antecedents, rows, strict=True)]
        terms = list(itertools.chain(*pairs))
        bound = known(program) | {t.single: value for t, value in terms if t.single in rule.variables}
        for others in itertools.product(range(low, high), repeat=len(free)):
            values = {**bound, **dict(zip(free, others, strict=True))}
            agree = all(t.value(values) == value for t, value in terms)
            if agree and all(holds(test, values) for test in rule.tests):
                found.add(instance(rule, rows, values))
    return found


def by_plan(program: Program, plan: p.Plan, items: Items) -> Iterator[Instance]:
    """Yield the instances that a plan finds, for all items that may be taken."""
    rule = plan.rule

    def go(moves: Sequence[p.Move], rows: dict[int, Row], values: dict[str, int]) -> Iterator[Instance]:
        if not moves:
            yield instance(rule, [rows[k] for k in range(len(rule.antecedents))], values)
            return
        move, rest = moves[0], moves[1:]
        match move:
            case p.Bind(name, value):
                yield from go(rest, rows, {**values, name: values[value]})
            case p.Solve(name, term, value):
                assert name not in values
                k = term.coefficient(name)
                left = values.get(value, 0) - (term - lin.variable(name) * k).value(values)
                assert value in values or not value
                if left % k == 0:
                    yield from go(rest, rows, {**values, name: left // k})
            case p.Agree(value, term):
                if values[value] == term.value(values):
                    yield from go(rest, rows, values)
            case p.Require(test):
                if holds(test, values):
                    yield from go(rest, rows, values)
            case p.Range(name, options):
                assert name not in values
                least = min(max(-(-e.term.value(values) // e.divisor) for e in lows) for lows, _ in options)
                most = max(min(e.term.value(values) // e.divisor for e in highs) for _, highs in options)
                for number in range(least, most + 1):
                    yield from go(rest, rows, {**values, name: number})
            case p.LookUp(slot, terms):
                row = tuple(term.value(values) for term in terms)
                if row in items[rule.antecedents[slot].kind]:
                    yield from go(rest, {**rows, slot: row}, values)
            case p.Walk(slot):
                for row in items[rule.antecedents[slot].kind]:
                    if listed(move, row, values):
                        read = {p.read_name(slot, c): row[c] for c in move.read}
                        if move.limits is not None:
                            read[p.read_name(slot, move.limits.column)] = row[move.limits.column]
                        yield from go(rest, {**rows, slot: row}, {**values, **read})
            case p.Inquire():
                raise AssertionError

    def listed(walk: p.Walk, row: Row, values: Mapping[str, int]) -> bool:
        """Whether an item is in the lists that a walk goes through."""
        own = {**known(program), **{p.column_name(c): value for c, value in enumerate(row)}}
        for guard in walk.guards:
            if isinstance(guard, p.Agree):
                if own[guard.value] != guard.term.value(own):
                    return False
            elif not holds(guard.test, own):
                return False
        if any(row[c] != term.value(values) for c, term in walk.values if c in walk.key):
            return False
        limits = walk.limits
        return limits is None or (
            all(low.value(values) <= row[limits.column] for low in limits.low)
            and all(row[limits.column] <= high.value(values) for high in limits.high)
        )

    if plan.slot < 0:
        yield from go(plan.moves, {}, known(program))
        return
    for row in items[rule.antecedents[plan.slot].kind]:
        read = {p.read_name(plan.slot, c): value for c, value in enumerate(row)}
        yield from go(plan.moves, {plan.slot: row}, {**known(program), **read})


def compare(program: Program, seed: int) -> int:
    """Compare all plans of a program with brute force, in dense and hashed storage; returns the instances found."""
    rng, layout, count = random.Random(seed), layout_of(program), 0
    items = items_of(program, rng)
    shapes = [Shape(layout, hashed, rows=False) for hashed in ((True, False) if layout.bounded else (True,))]
    for rule in program.rules:
        wanted = by_force(program, rule, items)
        if wanted is None:
            continue
        count += len(wanted)
        for shape in shapes:
            for slot in range(len(rule.antecedents)) or (-1,):
                plan = forward(shape, rule, slot)
                assert set(by_plan(program, plan, items)) == wanted, (rule.number, slot, shape.hashed)
    return count


def test_plans_of_shipped_schemata_find_what_brute_force_finds() -> None:
    counts: dict[str, int] = {}
    for seed, name in enumerate(sorted(shipped_schemata())[::3]):
        schema = schemata.load(name).definition
        if schema.grammar == "d-rules" and not schema.reads_inputs:
            program = Kernel(schema).program
            if program.is_linear:
                counts[name] = compare(program, seed)
    assert len(counts) > 10
    assert sum(count > 0 for count in counts.values()) > 9, counts


@pytest.mark.parametrize("part", [0, pytest.param(1, marks=pytest.mark.thorough)])
@pytest.mark.thorough
def test_plans_of_random_schemata_find_what_brute_force_finds(part: int) -> None:
    compared = count = 0
    for seed in range(part, 40, 2):
        schema, _ = read_schema_text(random_draft(random.Random(seed), "d-rules").text)
        if schema is None:
            continue
        try:
            program = Kernel(schema).program
            if program.is_linear:
                count += compare(program, seed)
                compared += 1
        except NotLowerable:
            continue
    assert compared > 5
    assert count > 50
