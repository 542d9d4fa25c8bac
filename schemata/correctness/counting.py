"""Numbers of derivations for every number of words, read off the patterns of a proof: a system of equations.

For each kind and element of a meaning, F(x) is the series whose coefficient of x^g is the number of derivations of an
item with such words, g gaps in all. A step with its pattern adds a product: x for each gap, F of each antecedent. That
holds where a step with words of some elements surely applies, which `Cover` judges: then positions do not matter. The
series of a schema that derives each tree once is that of trees: x F^3 - F + 1 = 0 of forests under node 0.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import TypeAlias

from schemata.correctness.certificate import Certificate, Element, NotProved, ProfiledStep
from schemata.correctness.cover import Cover
from schemata.correctness.gap_certificate import GapCertificate
from schemata.correctness.questions import Questions
from schemata.correctness.recheck import check
from schemata.correctness.steps import Woven
from schemata.correctness.words import GAP, Pattern
from schemata.language import model as m
from schemata.program.linear import Test
from schemata.records import Record, json_of

Unknown: TypeAlias = "tuple[int, Element]"

COEFFICIENTS = 40
"""Coefficients that an equation has to fit."""


class Product(Record):
    """One summand of an equation: x to the number of gaps, times unknowns.

    Parameters
    ----------
    gaps : the power of x.
    factors : the unknowns, one for each antecedent.
    """

    gaps: int
    factors: tuple[Unknown, ...]


class Equations(Record):
    """The equations of a schema: each unknown is the sum of its products.

    Parameters
    ----------
    sums : by unknown.
    finals : the unknowns whose items are final.
    beside : how many gaps final items have beside one for each word: -1 over the words 1..n, 1 with a node n + 1.
    """

    sums: Mapping[Unknown, tuple[Product, ...]]
    finals: tuple[Unknown, ...]
    beside: int

    def counts(self, max_n: int) -> tuple[int, ...]:
        """Return the numbers of derivations of sentences of 1..max_n words, under a grammar of all links."""
        size = max_n + max(self.beside, 0) + 1
        found = {unknown: [0] * size for unknown in self.sums}
        # Without a circle that adds no letter, each round settles one more unknown or coefficient.
        for _ in range(size * (len(self.sums) + 1)):
            more = {unknown: self._sum(products, found, size) for unknown, products in self.sums.items()}
            if more == found:
                break
            found = more
        else:
            raise NotProved("derivations are endlessly many")
        places = range(1 + self.beside, max_n + self.beside + 1)
        return tuple(sum(found[unknown][k] for unknown in self.finals) for k in places)

    def _sum(
        self, products: Sequence[Product], found: Mapping[Unknown, Sequence[int]], size: int
    ) -> list[int]:
        total = [0] * size
        for product in products:
            row = [0] * product.gaps + [1] + [0] * size
            for factor in product.factors:
                row = _times(row[:size], found[factor], size)
            total = [x + y for x, y in zip(total, row, strict=False)]
        return total


def equations_of(schema: m.Schema, certificate: Certificate) -> Equations:
    """Return the equations of a schema with a certificate of soundness, which is checked.

    Raises
    ------
    NotProved : the certificate is refused, or numbers of derivations depend on more than lengths.
    SolverFailed : a question was not decided in time.

    >>> from schemata import load, prove
    >>> found = prove("eisner-split").certificate
    >>> equations_of(load("eisner-split").definition, found).counts(5)
    (1, 3, 12, 55, 273)
    """
    checker = check(schema, certificate, Questions())
    if not certificate.sound or any(checker.givens.values()):
        raise NotProved("the schema is not proved sound, or its items need contexts")
    cover = Cover(checker)
    sums: dict[Unknown, list[Product]] = {
        (kind, element): [] for kind in checker.layouts for element in checker.elements(kind)
    }
    for woven in filter(None, checker.woven):
        rows = [checker.elements(atom.kind) for atom in woven.step.antecedents]
        met: set[tuple[Element, ProfiledStep]] = set()
        for elements in itertools.product(*rows):
            for outcome in checker.outcomes(woven, elements, ()):
                way = ProfiledStep(woven.step.number, _values(cover, woven, elements))
                if outcome is None:
                    raise NotProved(f"step {woven.step.name} makes something that is not a forest")
                if (outcome, way) in met:
                    raise NotProved(f"derivations by step {woven.step.name} depend on positions")
                met.add((outcome, way))
                refusal = cover.way_refusal(0, outcome, way)
                if refusal is not None:
                    raise refusal
                factors = tuple((a.kind, e) for a, e in zip(woven.step.antecedents, elements, strict=True))
                sums[woven.step.consequent.kind, outcome].append(Product(_gaps(woven.patterns), factors))
    finals: dict[Unknown, None] = {}
    for clause in checker.program.finals:
        known: list[Test] = checker.of_final(clause)
        for profiles, flags in checker.elements(clause.atom.kind):
            tests = [*known, *checker.lengths(clause.atom, profiles), *checker.marked(clause.atom, flags)]
            if checker.questions.possible(tests):
                finals[clause.atom.kind, (profiles, flags)] = None
    [shape] = checker.shapes()
    beside = {"1..n": -1, "0..n": 0, "0..n+1": 1}[shape]
    return Equations({x: tuple(row) for x, row in sums.items()}, tuple(finals), beside)


def _values(cover: Cover, woven: Woven, elements: Sequence[Element]) -> tuple[str, ...]:
    places = {atom.kind: cover.checker.layouts[atom.kind].segments for atom in woven.step.antecedents}
    kinds = [atom.kind for atom in woven.step.antecedents]
    return tuple(elements[k][0][places[kinds[k]].index(s)] for _, k, s in woven.order)


def _gaps(patterns: Sequence[Pattern]) -> int:
    """Return how many gaps patterns have beside those of their variables."""
    return sum(
        _gaps([part[1]]) if isinstance(part, tuple) else part == GAP
        for pattern in patterns
        for part in pattern
    )


def _times(one: Sequence[int], other: Sequence[int], size: int) -> list[int]:
    row = [0] * size
    for x, left in enumerate(one):
        if left:
            for y in range(size - x):
                row[x + y] += left * other[y]
    return row


class Series(Record):
    """Numbers of derivations by number of words, under a grammar of all links.

    Parameters
    ----------
    counts : of 1, 2 ... words; none where they are not known.
    equation : an equation of F = 1 + the sum of counts x^n, by `COEFFICIENTS` of them; None if none is found.
    reason : why the counts are not known.
    """

    counts: tuple[int, ...] = ()
    equation: str | None = None
    reason: str | None = None

    to_json = json_of("counts equation reason")

    def __str__(self) -> str:
        if self.reason is not None:
            return f"numbers of derivations are not read off the steps: {self.reason}"
        said = (
            f"derivations of 1, 2 ... words, read off the steps: {', '.join(f'{x:,}' for x in self.counts)}"
        )
        if self.equation is None:
            return said
        return (
            f"{said}\nF = 1 + the sum of these numbers times x^n: {self.equation} (by {COEFFICIENTS} numbers)"
        )


def series_of(schema: m.Schema, certificate: Certificate | GapCertificate | None, max_n: int = 10) -> Series:
    """Return the numbers of derivations that follow from a certificate of a schema.

    Raises
    ------
    SolverFailed : a question was not decided in time.
    """
    if certificate is None:
        return Series(reason="nothing is proved")
    if not isinstance(certificate, Certificate):
        return Series(reason="trees with gaps are not words")
    try:
        counts = equations_of(schema, certificate).counts(max(max_n, COEFFICIENTS))
    except NotProved as reason:
        return Series(reason=str(reason))
    return Series(counts[:max_n], fitted_equation(counts[:COEFFICIENTS]))


# One equation ---------------------------------------------------------------------------------------------------

_SPARE = 12  # more coefficients than unknown factors, so that none fits by chance


def fitted_equation(counts: Sequence[int]) -> str | None:
    """Return an equation in x and F that F = 1 + the sum of counts[n - 1] x^n fulfils as far as the counts go.

    None if there is none of degree 4 in F and 3 in x at most. It is found by linear algebra, not proved.

    >>> from math import comb
    >>> fitted_equation([1, 3, 12, 55, 273, 1428, 7752, 43263, 246675, 1430715, 8414640, 50067108, 300830572])
    >>> fitted_equation([comb(3 * n, n) // (2 * n + 1) for n in range(1, 41)])
    'x F^3 - F + 1 = 0'
    """
    size = len(counts) + 1
    powers = [[1] + [0] * (size - 1)]
    for _ in range(4):
        powers.append(_times(powers[-1], [1, *counts], size))
    for degree, high in sorted(
        itertools.product(range(1, 5), range(1, 4)), key=lambda pair: (sum(pair), pair)
    ):
        terms = [(f, x) for f in range(degree, -1, -1) for x in range(high, -1, -1)]
        if len(terms) + _SPARE > size:
            continue
        columns = [([0] * x + powers[f])[:size] for f, x in terms]
        factors = _kernel([list(map(Fraction, row)) for row in zip(*columns, strict=True)])
        # Multiplied by x, an equation would leave out the last number.
        if factors is not None and any(
            factor for (_, x), factor in zip(terms, factors, strict=True) if not x
        ):
            return _equation_text(terms, factors)
    return None


def _kernel(rows: list[list[Fraction]]) -> list[int] | None:
    """Return whole factors under which all rows add up to 0, not all of them 0; None if such factors do not exist."""
    width, pivots = len(rows[0]), list[int]()
    for column in range(width):
        at = next((k for k in range(len(pivots), len(rows)) if rows[k][column]), None)
        if at is None:
            continue
        place = len(pivots)
        rows[place], rows[at] = rows[at], rows[place]
        rows[place] = [x / rows[place][column] for x in rows[place]]
        for k, row in enumerate(rows):
            if k != place and row[column]:
                rows[k] = [x - row[column] * y for x, y in zip(row, rows[place], strict=True)]
        pivots.append(column)
    free = next((column for column in range(width) if column not in pivots), None)
    if free is None:
        return None
    found = [Fraction(0)] * width
    found[free] = Fraction(1)
    for place, column in enumerate(pivots):
        found[column] = -rows[place][free]
    scale = lcm(*(x.denominator for x in found))
    whole = [int(x * scale) for x in found]
    common = gcd(*whole) * (1 if next(x for x in whole if x) > 0 else -1)
    return [x // common for x in whole]


def _equation_text(terms: Sequence[tuple[int, int]], factors: Sequence[int]) -> str:
    said = ""
    for (f, x), factor in zip(terms, factors, strict=True):
        if factor:
            parts = [
                f"{name}^{power}" if power > 1 else name for name, power in (("x", x), ("F", f)) if power
            ]
            number = [str(abs(factor))] if abs(factor) != 1 or not parts else []
            sign = " - " if factor < 0 else " + "
            said += (sign if said else sign.strip(" +")) + " ".join([*number, *parts])
    return f"{said} = 0"
