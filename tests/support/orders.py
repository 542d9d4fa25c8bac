"""Checks of a proved order against what schemata derive, with nothing of the proof but its result.

All instances of the lowered rules are found by trying every rule on every writing of every item of a finished
chart. Then the items are derived anew, strictly in the order: level after level, stratum after stratum, each
stratum once. What an instance needs must be there before its stratum begins.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from schemata.engine.run import compile_kernel, run_kernel
from schemata.grammars import DRules
from schemata.order.model import Order
from schemata.program.linear import Affine, AnyOf, Linear, Provided
from schemata.program.model import Atom, Program, Rule, encoded
from schemata.program.queries import Terms
from schemata.structures import Sentence

Columns = tuple[int | str, ...]
Writing = tuple[int, Columns]  # kind and columns
Values = dict[str, "int | str"]


def check_order(order: Order, n: int, pairs=None) -> int:
    """Check an order on a sentence of n words; return the number of instances seen."""
    program = order.program
    sentence = Sentence.of(["w"] * n)
    rules = DRules.all() if pairs is None else DRules.from_pairs(pairs)
    grammar = rules.for_sentence(sentence)
    chart = run_kernel(compile_kernel(program.schema), sentence, grammar)
    items = list(zip(chart.raw.form_of, chart.raw.values, strict=True))
    hypotheses = items[: chart.raw.hypothesis_count]
    writings = dict(_writings(program, n, items, set(hypotheses)))
    places = {w: _region(order, n, w) for w in writings}
    for writing, item in writings.items():
        assert _level(order, n, places[writing], writing) == _level(
            order, n, *_of_item(order, n, program, item)
        ), "all writings of an item are on one level"
    instances = []
    ordered = {}
    for rule in order.rules:
        ordered[rule.rule, rule.antecedents, rule.consequent] = rule
    for rule, before, after, values in _instances(program, n, grammar, writings):
        after_item = _normal(program, n, after)
        before_items = [writings[w] for w in before]
        if after_item is None or after_item in before_items:
            continue
        assert after_item in set(items), f"rule {rule.number} derives {after_item}, which the chart has not"
        key = (rule.number, tuple(places[w] for w in before), _region(order, n, after))
        assert key in ordered, f"no rule in the order for {rule.number} {before} {after} {values}"
        one = ordered[key]
        level = _level(order, n, key[2], after)
        for k, w in enumerate(before):
            lower = _level(order, n, places[w], w)
            assert lower <= level, f"rule {rule.number} goes down: {before} {after}"
            assert lower < level or k in one.ties, f"an unannounced tie: {rule.number} {before} {after}"
        assert one.stratum == 0 or one.ties
        instances.append((level, one.stratum, before_items, after_item))
    known = set(hypotheses)
    for moment in sorted({(level, stratum) for level, stratum, _, _ in instances}):
        now = [i for i in instances if i[:2] == moment]
        late = [i for i in now if not known.issuperset(i[2])]
        assert not late, f"derived too late for {late[0]}"
        known |= {after for *_, after in now}
    assert known == set(items)
    return len(instances)


def _of_item(order: Order, n: int, program: Program, item) -> tuple[int, Writing]:
    writing = _writing(program, item)
    return _region(order, n, writing), writing


def _writing(program: Program, item) -> Writing:
    terms = Terms(())
    coded = encoded(program.kinds, *item, terms.number)
    assert coded is not None, f"an item of no kind: {item}"
    kind, columns = coded
    pairs = zip(program.kinds[kind].columns, columns, strict=True)
    return kind, tuple(terms.value(column.sort, x) for column, x in pairs)


def _region(order: Order, n: int, writing: Writing) -> int:
    """Return the one region that a writing is in, which must keep the region's invariants."""
    kind, _ = writing
    given = _named(order.program, n, writing)
    found = [r for r in order.regions if r.kind == kind and all(t.holds(given) for t in r.tests)]
    assert len(found) == 1, f"{len(found)} regions for {writing}"
    assert all(t.holds(given) for t in found[0].invariants), (
        f"an invariant fails for {writing} with {n} words"
    )
    return found[0].number


def _level(order: Order, n: int, region: int, writing: Writing) -> tuple[int, ...]:
    given = _named(order.program, n, writing)
    return tuple(term.value(given) for term in order.regions[region].level)


def _named(program: Program, n: int, writing: Writing) -> dict[str, int]:
    kind, columns = writing
    named = {c.name: x for c, x in zip(program.kinds[kind].columns, columns, strict=True)}
    return {"n": n, **{x: v if isinstance(v, int) else 0 for x, v in named.items()}}


# Writings ------------------------------------------------------------------------------------------------


def _writings(program: Program, n: int, items, hypotheses) -> Iterator[tuple[Writing, object]]:
    """Yield every writing that antecedents may match, with its item: all tuples are normalised."""
    known = set(items)
    for item in items:
        if item in hypotheses or not program.equations.get(item[0]):
            yield _writing(program, item), item
    for kind in program.kinds:
        if not program.equations.get(kind.form):
            continue
        for columns in _tuples(program, kind.number, n):
            item = _normal(program, n, (kind.number, columns))
            if item in known and item not in hypotheses:
                yield (kind.number, columns), item


def _tuples(program: Program, number: int, n: int) -> Iterator[Columns]:
    kind = program.kinds[number]

    def extend(columns: tuple[int, ...]) -> Iterator[Columns]:
        given = {"n": n, **{c.name: x for c, x in zip(kind.columns, columns, strict=False)}}
        for test in kind.conditions:
            if (
                isinstance(test, Linear)
                and all(x in given for x in test.left.names)
                and not test.holds(given)
            ):
                return
        if len(columns) == len(kind.columns):
            if _fits(program, n, (number, columns)):
                yield columns
            return
        for x in range(-1, n + 3):
            yield from extend((*columns, x))

    return extend(())


def _fits(program: Program, n: int, writing: Writing) -> bool:
    given = _named(program, n, writing)
    return all(_holds(test, given) for test in program.kinds[writing[0]].conditions)


def _normal(program: Program, n: int, writing: Writing):
    """Return the item that a writing stands for, or None where its form rules it out."""
    if not program.equations.get(program.kinds[writing[0]].form):
        return _item(program, writing) if _fits(program, n, writing) else None
    while True:
        for equation in program.equations[program.kinds[writing[0]].form]:
            if equation.left.kind != writing[0]:
                continue
            found = next(
                (
                    v
                    for v in _match(equation.left, writing[1], {"n": n})
                    if all(_holds(t, v) for t in equation.tests)
                ),
                None,
            )
            if found is not None:
                right = equation.right
                writing = right.kind, tuple(_value(t, found) for t in right.terms)
                break
        else:
            return _item(program, writing) if _fits(program, n, writing) else None


def _item(program: Program, writing: Writing):
    kind = program.kinds[writing[0]]
    symbols = [x for x in writing[1] if isinstance(x, str)]
    numbers = tuple(symbols.index(x) if isinstance(x, str) else x for x in writing[1])
    return kind.form, kind.values(numbers, Terms(tuple(symbols)).value)


# Instances -----------------------------------------------------------------------------------------------


def _instances(
    program: Program, n: int, grammar, writings: Mapping[Writing, object]
) -> Iterator[tuple[Rule, list[Writing], Writing, Values]]:
    """Yield every instance of every rule on writings of known items."""
    by_kind: dict[int, list[Columns]] = {}
    for kind, columns in writings:
        by_kind.setdefault(kind, []).append(columns)
    index: dict[tuple[int, tuple[int, ...]], dict[Columns, list[Columns]]] = {}

    def candidates(atom: Atom, given: Values) -> Sequence[Columns]:
        fixed = tuple(k for k, t in enumerate(atom.terms) if all(_known(x, given) for x in t.names))
        table = index.get((atom.kind, fixed))
        if table is None:
            table = index[atom.kind, fixed] = {}
            for columns in by_kind.get(atom.kind, ()):
                table.setdefault(tuple(columns[k] for k in fixed), []).append(columns)
        return table.get(tuple(_value(atom.terms[k], given) for k in fixed), ())

    def extend(rule: Rule, chosen: list[Writing], given: Values) -> Iterator[tuple[list[Writing], Values]]:
        if len(chosen) == len(rule.antecedents):
            yield chosen, given
            return
        atom = rule.antecedents[len(chosen)]
        for columns in candidates(atom, given):
            for values in _match(atom, columns, given):
                yield from extend(rule, [*chosen, (atom.kind, columns)], values)

    for rule in program.rules:
        for before, given in extend(rule, [], {"n": n}):
            for values in _free(program, rule, n, grammar, given):
                if all(_granted(test, values, grammar) for test in rule.tests):
                    after = rule.consequent.kind, tuple(_value(t, values) for t in rule.consequent.terms)
                    if _fits(program, n, after):
                        yield rule, before, after, values


def _free(program: Program, rule: Rule, n: int, grammar, given: Values) -> Iterator[Values]:
    """Yield all values of what the antecedents leave open: what equations say, every position, every category."""
    symbols = _symbol_variables(program, rule)
    given = dict(given)
    for test in rule.tests * len(
        rule.variables
    ):  # positions below -1 and above n + 2 come from equations alone
        if isinstance(test, Linear) and test.relation == "==":
            unknown = [x for x in test.left.names if not _known(x, given)]
            if (
                len(unknown) == 1
                and unknown[0] not in symbols
                and abs(test.left.coefficient(unknown[0])) == 1
            ):
                rest = _value(test.left, {**given, unknown[0]: 0})
                given[unknown[0]] = -rest * test.left.coefficient(unknown[0])
    open_ = [x for x in rule.variables if x not in given]
    categories = sorted({c for found in grammar.categories.values() for c in found})
    ranges = [categories if x in symbols else range(-1, n + 3) for x in open_]
    for choice in product(*ranges):
        yield {**given, **dict(zip(open_, choice, strict=True))}


def _symbol_variables(program: Program, rule: Rule) -> set[str]:
    found: set[str] = set()
    for atom in (*rule.antecedents, rule.consequent):
        for column, term in zip(program.kinds[atom.kind].columns, atom.terms, strict=True):
            if column.sort == "symbol":
                found |= set(term.names)
    for test in rule.tests:
        if isinstance(test, Provided):
            sorts = zip(test.arguments, test.table.sorts, strict=True)
            found |= {x for term, sort in sorts if sort == "symbol" for x in term.names}
    return found


def _match(atom: Atom, columns: Columns, given: Values) -> Iterator[Values]:
    values: Values = dict(given)
    waiting = list(zip(atom.terms, columns, strict=True))
    while waiting:
        for pair in waiting:
            term, value = pair
            unknown = [x for x in term.names if not _known(x, values)]
            if not unknown:
                if _value(term, values) != value:
                    return
                break
            if len(unknown) == 1:
                (x,) = unknown
                if isinstance(value, str):
                    values[x] = value
                    break
                k = term.coefficient(x)
                rest = value - sum(c * values[y] for y, c in term.terms if y != x) - term.constant
                if rest % k:
                    return
                values[x] = rest // k
                break
        else:
            raise AssertionError("a pattern that leaves variables open")
        waiting.remove(pair)
    yield values


def _known(x: str, given: Values) -> bool:
    return x in given or x.startswith("'")


def _value(term: Affine, given: Values) -> int | str:
    single = term.single
    if single is not None:
        return single[1:-1] if single.startswith("'") else given[single]
    return term.value(given)  # type: ignore[arg-type]


def _holds(test: Linear | AnyOf, given: Values) -> bool:
    match test:
        case AnyOf(options):
            return any(all(_holds(t, given) for t in option) for option in options)
        case Linear(relation, left) if relation != ">=" and len(left.terms) == 2 and not left.constant:
            (x, k), (y, c) = left.terms
            if k + c == 0 and abs(k) == 1:
                same = _value(Affine(0, ((x, 1),)), given) == _value(Affine(0, ((y, 1),)), given)
                return same == (relation == "==")
    return test.holds(given)  # type: ignore[arg-type]


def _granted(test, values: Values, grammar) -> bool:
    match test:
        case Provided("licensed", (d, h)):
            return (_value(d, values), _value(h, values)) in grammar.pairs
        case Provided("category", (word, category)):
            return _value(category, values) in grammar.categories.get(_value(word, values), ())
        case Provided("licensed_categories", (d, h)):
            return (_value(d, values), _value(h, values)) in grammar.category_pairs
    return _holds(test, values)
