"""Items and step instances as the integer points of difference regions, for every n: guessed, proved, counted.

Under a grammar that licenses every link, a schema's conditions are differences x - y <= c of positions, 0 and n.
*Regions* are conjunctions of such differences (`Bounds`, closed under addition): over the integers they can be
intersected, subtracted and projected exactly, since their matrices are totally unimodular (Schrijver 1986, chapter 19).

*Guessed.* Small runs suggest for every kind of items a finite union of regions.

*Proved.* All that the steps derive from items of these unions, with the hypotheses, is computed as regions. Subtraction
shows that the result equals the unions, with no point more and none less. Since there is an order in which no item
helps to derive itself (`order.proof`), only one set of items has that property, by induction along the order: the
unions are the items.

*Counted.* A region is cut until it is a chain 0 <= ... <= n whose gaps g are bounded by g >= l alone. The f gaps have
the sum n, and so C(n - s + f - 1, f - 1) values, s the sum of all l, for n >= s - f + 1. Sums of these are the counts.
"""

from __future__ import annotations

import itertools
import math
import time
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from schemata.charts import instance_names
from schemata.language.bounds import Bounds
from schemata.order.invariants import applied, take_samples
from schemata.order.logic import options_of
from schemata.order.model import Order
from schemata.program.facts import conditions_of, difference, facts_of
from schemata.program.linear import Affine, AnyOf, Linear, Provided, Test, variable
from schemata.program.model import Atom, Kind, Program, Rule
from schemata.records import Record
from schemata.thresholds import EFFORTS, WAYS

ENDS = ("0", "n")
_LENGTHS = range(1, 10)  # of the runs that regions are guessed from, as far as these are quick
_SHIFTS = range(-2, 3)  # numbers c of the differences x - y <= c that cut regions


class NotRegionsError(Exception):
    """Items or instances are not proved to be such regions; the message says why."""


class Writings(Record):
    """Items of a region of a kind, over column names, with their normal form."""

    where: Bounds
    normal: Atom


class Polynomial(Record):
    """A count as a polynomial in n: how many regions have s as the sum of lower bounds, and f gaps.

    `begin` is the least n from which on regions have as many points as the polynomial has as its value.
    """

    parts: Mapping[tuple[int, int], int]
    begin: int = 1

    def at(self, n: int) -> int:
        """Return the value at n."""
        return sum(k * _binomial(n - s + f - 1, f - 1) for (s, f), k in self.parts.items())

    def __add__(self, other: Polynomial) -> Polynomial:
        parts = Counter(self.parts)
        parts.update(other.parts)
        return Polynomial(parts, max(self.begin, other.begin))


def _binomial(x: int, k: int) -> int:
    return math.prod(x - j for j in range(k)) // math.factorial(k)


# Regions -----------------------------------------------------------------------------------------------------------


def joined(region: Bounds, facts: Iterable[tuple[Hashable, Hashable, int]]) -> list[Bounds]:
    """Return the part of a region in which facts hold, as a list that is empty if that part is."""
    found = region.extended(facts)
    return [] if found is None else [found]


def minus(regions: Iterable[Bounds], taken: Bounds) -> list[Bounds]:
    """Return the difference of regions and another region, as disjoint regions."""
    found: list[Bounds] = []
    for region in regions:
        rest = region
        if not joined(rest, taken.facts()):
            found.append(rest)
            continue
        for x, y, c in taken.facts():
            if not rest.proves([(x, y, c)]):
                found += joined(rest, [(y, x, -c - 1)])
                (rest,) = joined(rest, [(x, y, c)])
    return found


def apart(regions: Iterable[Bounds]) -> list[Bounds]:
    """Return the union of regions as regions without common points."""
    found: list[Bounds] = []
    for region in regions:
        rest = [region]
        for other in found:
            rest = minus(rest, other)
        found += rest
    return found


def _placed(term: Affine) -> tuple[str, int]:
    """Return a term as a variable, 0 or n, and the constant added to it."""
    if not term.terms:
        return "0", term.constant
    if len(term.terms) > 1 or term.terms[0][1] != 1 or term.names[0].startswith("'"):
        raise NotRegionsError(f"{term} is not one position plus a number")
    return term.names[0], term.constant


def _seen(region: Bounds, terms: Mapping[str, Affine]) -> Bounds:
    """Return the values that named terms take in a region: its projection."""
    places = {"0": ("0", 0)} | {x: _placed(term) for x, term in terms.items()} | {"n": ("n", 0)}
    rows: dict[Hashable, dict[Hashable, int]] = {x: {} for x in places}
    for (x, (a, more)), (y, (b, less)) in itertools.permutations(places.items(), 2):
        c = region.distance(a, b)
        if c is not None:
            rows[x][y] = c + more - less
    return Bounds(rows)  # closed, as the region is


def _under(region: Bounds, terms: Mapping[str, Affine]) -> Iterator[tuple[str, str, int]]:
    """Yield the facts of a region over names as facts about the terms that the names stand for."""
    places = {x: _placed(term) for x, term in terms.items()} | {x: (x, 0) for x in ENDS}
    for x, y, c in region.facts():
        (a, more), (b, less) = places[str(x)], places[str(y)]
        yield a, b, c - more + less


def _options(tests: Sequence[Test]) -> list[list[tuple[str, str, int]]]:
    """Return tests as conjunctions of differences of which one holds just where the tests hold."""
    choices = [len(t.options) for t in tests if isinstance(t, AnyOf)]
    unequal = sum(isinstance(t, Provided) or (isinstance(t, Linear) and t.relation == "!=") for t in tests)
    if math.prod(choices) << unequal > WAYS.disjuncts:
        raise NotRegionsError("a step's conditions have very many alternatives")
    found = []
    for test in tests:
        if not isinstance(test, Linear | AnyOf) and not (
            isinstance(test, Provided) and test.relation == "licensed"
        ):
            raise NotRegionsError(f"{test} is not a comparison of two positions")
    for option in options_of(tests):
        facts = []
        for test in option:
            for left in (test.left, -test.left) if test.relation == "==" else (test.left,):
                fact = difference(left) if left.terms else ("0", "0", left.constant)
                if fact is None:
                    raise NotRegionsError(f"{test} is not a comparison of two positions")
                facts.append(fact)
        found.append(facts)
    return found


# Proved ------------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Points:
    """The items and step instances of a program, for every n, as regions without common points.

    Parameters
    ----------
    program, order : a lowered schema over D-rules, and a proved order of evaluation.
    end : when all must be done, by `time.monotonic`.
    items : by kind, items in normal form, hypotheses among them, over column names.
    hypotheses : likewise.
    instances : by the name of a step and other properties that distinguish instances, over the columns of antecedents
        and consequent in normal form and the arguments of atoms.

    Raises
    ------
    NotRegionsError : the regions were not found, or not proved.

    >>> import schemata
    >>> from schemata.order.kept import prove_order
    >>> from schemata.program.lower import lower
    >>> program = lower(schemata.load("collins1996").definition)
    >>> items, instances = Points(program, prove_order(program)).counted()
    >>> [sum(count.at(n) for count in items.values()) for n in (2, 3, 40)]
    [2, 7, 11440]
    """

    program: Program
    order: Order
    end: float = math.inf
    items: dict[int, list[Bounds]] = field(default_factory=dict)
    hypotheses: dict[int, list[Bounds]] = field(default_factory=dict)
    instances: dict[tuple[str, Hashable], list[Bounds]] = field(default_factory=dict)
    _writings: dict[int, list[Writings]] = field(default_factory=dict)
    _applied: dict[Atom, list[tuple[list[list[tuple[str, str, int]]], Atom]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        kinds = self.program.kinds
        universe = {kind.number: self._universe(kind) for kind in kinds}
        self.items = _guessed(self.program, universe)
        for kind in kinds:
            atom = Atom(kind.number, tuple(variable(c.name) for c in kind.columns))
            written = [w for region in universe[kind.number] for w in self._normal(region, atom)]
            self._writings[kind.number] = [
                Writings(part, w.normal)
                for w in written
                for cell in self.items[w.normal.kind]
                for part in joined(w.where, _under(cell, self._columns(w.normal)))
            ]
        derived: dict[int, list[Bounds]] = {kind.number: [] for kind in kinds}
        for clause in self.program.hypotheses:
            if clause.asks:
                raise NotRegionsError("hypotheses rest on the grammar")
            for facts in _options((*clause.tests, *conditions_of(kinds, clause.atom))):
                for region in joined(Bounds(), facts):
                    for w in self._normal(region, clause.atom):
                        found = _seen(w.where, self._columns(w.normal))
                        self.hypotheses.setdefault(w.normal.kind, []).append(found)
                        derived[w.normal.kind].append(found)
        self._apply_steps(derived)
        for kind in kinds:
            self._compare(kind, derived[kind.number])

    def counted(self) -> tuple[dict[str, Polynomial], dict[str, Polynomial]]:
        """Return how many items each form has, hypotheses aside, and how many instances each step."""
        items: dict[str, Polynomial] = {}
        for kind in self.program.kinds:
            left = self.items[kind.number]
            for taken in self.hypotheses.get(kind.number, ()):
                left = minus(left, taken)
            form = self.program.schema.forms[kind.form].name
            items[form] = items.get(form, Polynomial({})) + counted(left)
        steps: dict[str, Polynomial] = {}
        for (step, _), found in self.instances.items():
            steps[step] = steps.get(step, Polynomial({})) + counted(apart(found))
        return items, steps

    def _columns(self, atom: Atom) -> dict[str, Affine]:
        return self.program.kinds[atom.kind].by_name(atom.terms)

    def _universe(self, kind: Kind) -> list[Bounds]:
        """Return the regions that the invariants of a kind and its conditions leave."""
        if any(column.sort != "position" for column in kind.columns) or kind.asks:
            raise NotRegionsError(f"items {kind.name} are not positions alone")
        known = [facts_of(r.invariants) for r in self.order.regions if r.kind == kind.number]
        options = _options(kind.conditions)
        return apart(part for facts in known for option in options for part in joined(facts, option))

    def _normal(self, region: Bounds, atom: Atom) -> Iterator[Writings]:
        """Yield the normal forms that an item has in the parts of a region."""
        rest = [region]
        for options, to in self._equations(atom):
            for option in options:
                for part in [p for r in rest for p in joined(r, option)]:
                    yield from self._normal(part, to)
                rest = [p for r in rest for p in _left(r, joined(r, option))]
        yield from (Writings(part, atom) for part in rest)

    def _equations(self, atom: Atom) -> list[tuple[list[list[tuple[str, str, int]]], Atom]]:
        """Return for each equation the cases in which it applies to an item, and the rewritten item."""
        if atom not in self._applied:
            rows = self.program.equations.get(self.program.kinds[atom.kind].form, ())
            found = [applied(equation, atom) for equation in rows if equation.left.kind == atom.kind]
            if None in found:
                raise NotRegionsError("an equation of a normal form compares no two positions")
            self._applied[atom] = [(_options(one.tests), one.to) for one in found if one is not None]
        return self._applied[atom]

    def _apply_steps(self, derived: dict[int, list[Bounds]]) -> None:
        """Find the instances of all rules, and note their consequents."""
        names = instance_names(self.program.schema)
        for rule in self.program.rules:
            step = self.program.schema.cases[rule.case].step
            for where, atoms in self._instances(rule):
                *above, below = atoms
                derived[below.kind].append(_seen(where, self._columns(below)))
                key = names[rule.case], tuple(a.kind for a in atoms), tuple(map(len, rule.links))
                terms = [t for atom in above for t in atom.terms]
                terms += [*below.terms, *(t for link in rule.links for t in link)]
                seen = _seen(where, {f"{k}": term for k, term in enumerate(terms, 1)})
                self.instances.setdefault((step, key), []).append(seen)

    def _instances(self, rule: Rule) -> Iterator[tuple[Bounds, list[Atom]]]:
        """Yield the instances of a rule, as regions over its variables with their items in normal form."""

        def choose(where: Bounds, atoms: list[Atom]) -> Iterator[tuple[Bounds, list[Atom]]]:
            if len(atoms) == len(rule.antecedents):
                for below in self._normal(where, rule.consequent):
                    rest = [below.where]
                    for atom in atoms:  # an instance that derives its antecedent is dropped
                        if atom.kind == below.normal.kind:
                            pairs = zip(atom.terms, below.normal.terms, strict=True)
                            (same,) = _options([Linear("==", a - b) for a, b in pairs])
                            rest = [p for r in rest for p in _left(r, joined(r, same))]
                    yield from ((part, [*atoms, below.normal]) for part in rest)
                return
            atom = rule.antecedents[len(atoms)]
            columns = self._columns(atom)
            for written in self._writings[atom.kind]:
                for part in joined(where, _under(written.where, columns)):
                    yield from choose(part, [*atoms, written.normal.substitute(columns)])

        for facts in _options(rule.tests):
            if time.monotonic() > self.end:
                raise NotRegionsError("the proof takes long")
            for where in joined(Bounds(), facts):
                yield from choose(where, [])

    def _compare(self, kind: Kind, derived: Sequence[Bounds]) -> None:
        """Refuse a kind whose guessed items are not exactly the derived ones."""
        for region in derived:
            rest = [region]
            for cell in self.items[kind.number]:
                rest = minus(rest, cell)
            if rest:
                raise NotRegionsError(f"steps derive other items {kind.name} than small runs suggest")
        left = self.items[kind.number]
        for region in derived:
            left = minus(left, region)
        if left:
            raise NotRegionsError(f"steps do not derive all items {kind.name} that small runs suggest")


def _left(region: Bounds, taken: Sequence[Bounds]) -> list[Bounds]:
    return minus([region], taken[0]) if taken else [region]


# Guessed -----------------------------------------------------------------------------------------------------------


def _guessed(program: Program, universe: Mapping[int, Sequence[Bounds]]) -> dict[int, list[Bounds]]:
    """Return for every kind the regions that its items in small runs suggest."""
    samples = take_samples(program, _LENGTHS)
    lengths = range(1, samples.complete + 1)
    if not lengths:
        raise NotRegionsError("runs take long")
    found: dict[int, list[Bounds]] = {}
    for kind in program.kinds:
        rows = samples.items[kind.number]
        points = {(0, n, *row) for n in lengths for row in rows.get(n, ())}
        found[kind.number] = [
            cell for region in universe[kind.number] for cell in _cut(kind, region, points, lengths)
        ]
    return found


def _cut(kind: Kind, region: Bounds, points: set[tuple[int, ...]], lengths: Iterable[int]) -> list[Bounds]:
    """Return the parts of a region that have the points and no other, at these lengths."""
    import numpy as np

    names = [*ENDS, *(column.name for column in kind.columns)]
    rows = np.array([(0, n) for n in lengths])
    values = np.arange(-3, max(lengths) + 4)
    for k, x in enumerate(names[2:], 2):
        if len(rows) * len(values) > EFFORTS.guessed_points:
            raise NotRegionsError(f"items {kind.name} have very many columns")
        rows = np.column_stack([np.repeat(rows, len(values), axis=0), np.tile(values, len(rows))])
        for j, y in enumerate(names[:k]):
            for a, b, c in ((j, k, region.distance(y, x)), (k, j, region.distance(x, y))):
                if c is not None:
                    rows = rows[rows[:, a] - rows[:, b] <= c]
    held = np.array([tuple(row) in points for row in rows.tolist()], bool)
    found: list[Bounds] = []

    def cut(where: Bounds, chosen: np.ndarray) -> None:
        inside = held[chosen]
        if not inside.any():
            return
        if inside.all():
            found.append(where)
            return
        best: tuple[float, ...] | None = None
        for a, b in itertools.permutations(range(len(names)), 2):
            apart_by = rows[chosen, a] - rows[chosen, b]
            for c in _SHIFTS:
                low = apart_by <= c
                if low.any() and not low.all():
                    mixed = sum(len(p) * p.mean() * (1 - p.mean()) for p in (inside[low], inside[~low]))
                    best = min(best or (math.inf,), (mixed, abs(c), a, b, c))
        if best is None or len(found) > EFFORTS.cells:
            raise NotRegionsError(f"items {kind.name} of small runs do not lie in a few regions")
        a, b, c = (int(k) for k in best[2:])
        low = rows[chosen, a] - rows[chosen, b] <= c
        for facts, part in (((names[a], names[b], c), low), ((names[b], names[a], -c - 1), ~low)):
            for inner in joined(where, [facts]):
                cut(inner, chosen[part])

    cut(region, np.arange(len(rows)))
    return found


# Counted -----------------------------------------------------------------------------------------------------------


def counted(regions: Iterable[Bounds]) -> Polynomial:
    """Return the number of points of disjoint regions.

    Raises
    ------
    NotRegionsError : a region is not bounded.

    >>> from schemata.program.linear import Linear, variable
    >>> i, j, n = map(variable, "ijn")
    >>> found = counted([facts_of([Linear(">=", i), Linear(">=", j - i - 1), Linear(">=", n - j)])])
    >>> dict(found.parts), found.begin, found.at(4)
    ({(1, 3): 1}, 1, 10)
    """
    total = Polynomial({})
    known: dict[object, Polynomial] = {}
    for region in regions:
        total += _counted(region, known)
    return total


def _counted(region: Bounds, known: dict[object, Polynomial]) -> Polynomial:
    """Return the number of a region's points, as a polynomial in n; `known` caches counts by the regions' bounds."""
    least = region.distance("n", "0")
    if least is not None:  # a number bounds n
        return Polynomial({}, least + 1)
    chain = _chain(region)
    key = tuple(region.distance(x, y) for x in chain for y in chain), chain.index("0"), chain.index("n")
    if key in known:
        return known[key]
    region = region.among(chain)
    cut = _uncut(region, chain)
    if cut is not None:
        x, y, c = cut
        halves = (*joined(region, [cut]), *joined(region, [(y, x, -c - 1)]))
        known[key] = sum((_counted(half, known) for half in halves), Polynomial({}))
        return known[key]
    if (chain[0], chain[-1]) != ENDS:
        raise NotRegionsError("nothing bounds some position")
    least_sum, gaps = sum(_gap(region, x, y) for x, y in itertools.pairwise(chain)), len(chain) - 1
    known[key] = Polynomial({(least_sum, gaps): 1}, max(1, least_sum - gaps + 1, _gap(region, *ENDS)))
    return known[key]


def _gap(region: Bounds, x: Hashable, y: Hashable) -> int:
    """Return the least y - x."""
    return -(region.distance(x, y) or 0)


def _chain(region: Bounds) -> list[Hashable]:
    """Return one name for each set of names at fixed distances, in order, as far as the order is fixed."""
    kept: list[Hashable] = [*ENDS]
    for x in region.names():
        for y in kept:
            there, back = region.distance(x, y), region.distance(y, x)
            if there is not None and back is not None and there + back == 0:
                break
        else:
            kept.append(x)

    def before(x: Hashable) -> int:
        return sum((c := region.distance(y, x)) is not None and c <= 0 for y in kept)

    return sorted(kept, key=before)


def _uncut(region: Bounds, chain: Sequence[Hashable]) -> tuple[Hashable, Hashable, int] | None:
    """Return a fact x - y <= c that may hold or not, by which a region comes nearer to a chain; None for a chain."""
    for x, y in itertools.combinations(chain, 2):
        if not any(c is not None and c <= 0 for c in (region.distance(x, y), region.distance(y, x))):
            return x, y, 0
    for x, y in itertools.pairwise(chain):
        if region.distance(y, x) is not None:
            return y, x, _gap(region, x, y)
    gaps = [_gap(region, x, y) for x, y in itertools.pairwise(chain)]
    for span in range(2, len(gaps)):  # short ones first: cuts would raise a longer one with its parts
        for a in range(len(gaps) - span + 1):
            if _gap(region, chain[a], chain[a + span]) > sum(gaps[a : a + span]):
                return chain[a + 1], chain[a], gaps[a]
    return None
