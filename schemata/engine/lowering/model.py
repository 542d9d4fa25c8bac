"""The lowered schema: item kinds with columns of whole numbers, and rules with linear terms between them.

What is finite in an item's shape (flags, absent values, the length of a bounded list) is part of its *kind*;
what is left are columns: positions, and symbols by number. A case of a step becomes one `Rule` for every
choice of kinds; its terms are linear in the rule's variables and in ``n``, the sentence length. Conditions
are conjunctions of linear tests, disjunctions of them, and questions to the grammar.

    span[i, j, b, c]                 kinds: span(b = false, c = false) with columns i, j; two more
    tree[i, j, h, l?, r?]            kinds: without a gap (i, j, h), with one (i, j, h, l, r)
    heads[H], 2 <= length(H) <= 4    kinds: three, with two, three and four columns
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from schemata.language import model as m

__all__ = [
    "Affine",
    "AnyOf",
    "Atom",
    "CategoryLicence",
    "CategoryOf",
    "Column",
    "ColumnShape",
    "Equation",
    "Final",
    "Fixed",
    "Kind",
    "Licence",
    "Linear",
    "NotLowerable",
    "Parts",
    "Program",
    "Rule",
    "Shape",
    "Test",
    "constant",
    "linear_terms",
    "variable",
]


class NotLowerable(Exception):  # noqa: N818 - an answer, not a mistake: the schema stays with the Python kernels
    """A schema has a construct that native kernels do not know; the message names it in the user's terms."""


# Linear terms -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Affine:
    """``constant + sum of coefficient * variable``; variables in order of name, no coefficient zero.

    Symbol constants are variables named ``'NP'`` (with the quotes), whose values are their numbers.
    """

    constant: int = 0
    terms: tuple[tuple[str, int], ...] = ()

    @staticmethod
    def of(constant: int, coefficients: Mapping[str, int] | Iterable[tuple[str, int]]) -> Affine:
        """Return the linear term with these coefficients; zeros are dropped."""
        pairs = coefficients.items() if isinstance(coefficients, Mapping) else coefficients
        total: dict[str, int] = {}
        for name, coefficient in pairs:
            total[name] = total.get(name, 0) + coefficient
        return Affine(constant, tuple(sorted((x, k) for x, k in total.items() if k)))

    def __add__(self, other: Affine | int) -> Affine:
        if isinstance(other, int):
            return Affine(self.constant + other, self.terms)
        return Affine.of(self.constant + other.constant, (*self.terms, *other.terms))

    def __sub__(self, other: Affine | int) -> Affine:
        return self + (-other)

    def __neg__(self) -> Affine:
        return Affine(-self.constant, tuple((x, -k) for x, k in self.terms))

    def __mul__(self, factor: int) -> Affine:
        return Affine.of(self.constant * factor, ((x, k * factor) for x, k in self.terms))

    def coefficient(self, name: str) -> int:
        """Return the coefficient of a variable, 0 where it does not occur."""
        return next((k for x, k in self.terms if x == name), 0)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables that occur."""
        return tuple(x for x, _ in self.terms)

    @property
    def single(self) -> str | None:
        """The variable that the term is, or None where it is anything else."""
        return (
            self.terms[0][0]
            if self.constant == 0 and len(self.terms) == 1 and self.terms[0][1] == 1
            else None
        )

    def substitute(self, given: Mapping[str, Affine]) -> Affine:
        """Return the term with linear terms in place of variables."""
        if not any(x in given for x, _ in self.terms):
            return self
        total = Affine(self.constant)
        for x, k in self.terms:
            total = total + (given[x] * k if x in given else Affine(0, ((x, k),)))
        return total

    def value(self, given: Mapping[str, int]) -> int:
        """Return the term's value."""
        return self.constant + sum(k * given[x] for x, k in self.terms)

    def __str__(self) -> str:
        text = ""
        for x, k in self.terms:
            sign = ("-" if k < 0 else "") if not text else (" - " if k < 0 else " + ")
            text += sign + (x if abs(k) == 1 else f"{abs(k)} * {x}")
        if not text:
            return str(self.constant)
        return text + (f" {'-' if self.constant < 0 else '+'} {abs(self.constant)}" if self.constant else "")


def variable(name: str) -> Affine:
    """Return the term that is one variable."""
    return Affine(0, ((name, 1),))


def constant(value: int) -> Affine:
    """Return the term that is one number."""
    return Affine(value)


# Tests ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Linear:
    """``left >= 0``, ``left == 0`` or ``left != 0``."""

    relation: Literal[">=", "==", "!="]
    left: Affine

    def substitute(self, given: Mapping[str, Affine]) -> Linear:
        """Return the test with linear terms in place of variables."""
        return Linear(self.relation, self.left.substitute(given))

    def holds(self, given: Mapping[str, int]) -> bool:
        """Whether the test holds for these values."""
        value = self.left.value(given)
        return value >= 0 if self.relation == ">=" else (value == 0) == (self.relation == "==")

    def __str__(self) -> str:
        return f"{self.left} {self.relation} 0"


@dataclass(frozen=True, slots=True)
class AnyOf:
    """A disjunction of conjunctions of linear tests."""

    options: tuple[tuple[Linear, ...], ...]


@dataclass(frozen=True, slots=True)
class Licence:
    """The D-rules license the link."""

    dependent: Affine
    head: Affine


@dataclass(frozen=True, slots=True)
class CategoryOf:
    """The word is of the category; the category (a symbol's number) may be a variable that this binds."""

    word: Affine
    category: Affine


@dataclass(frozen=True, slots=True)
class CategoryLicence:
    """The D-rules license words of one category under words of the other; may bind either."""

    dependent: Affine
    head: Affine


Test: TypeAlias = Linear | AnyOf | Licence | CategoryOf | CategoryLicence

# Kinds ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Fixed:
    """A part of an item that its kind fixes: a flag's value, or None where a value is absent."""

    value: bool | None


@dataclass(frozen=True, slots=True)
class ColumnShape:
    """A part of an item that is the column of that number."""

    column: int


@dataclass(frozen=True, slots=True)
class Parts:
    """A tuple or a list of fixed length."""

    parts: tuple[Shape, ...]


Shape: TypeAlias = Fixed | ColumnShape | Parts


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name (unique in its kind) and what it counts."""

    name: str
    sort: Literal["position", "symbol"]


@dataclass(frozen=True, slots=True)
class Kind:
    """Items of one form and shape.

    `shapes` has one entry a field; `columns` are numbered as `ColumnShape` says. `conditions` is the form's
    `where` for items of the kind, over column names and ``n``.
    """

    number: int
    form: int
    name: str
    shapes: tuple[Shape, ...]
    columns: tuple[Column, ...]
    conditions: tuple[Linear | AnyOf, ...] = ()

    def __str__(self) -> str:
        return self.name

    def values(self, columns: tuple[int, ...], symbols: tuple[str, ...] = ()) -> tuple[m.Value, ...]:
        """Return an item's values from its columns; `symbols` are the symbols by number."""

        def build(shape: Shape) -> m.Value:
            match shape:
                case Fixed(value):
                    return value
                case ColumnShape(k):
                    number = columns[k]
                    return symbols[number] if self.columns[k].sort == "symbol" else number
                case Parts(parts):
                    return tuple(build(part) for part in parts)

        return tuple(build(shape) for shape in self.shapes)


@dataclass(frozen=True, slots=True)
class Atom:
    """An item in a rule: its kind and one linear term a column."""

    kind: int
    terms: tuple[Affine, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """One case of a step for one choice of kinds.

    `case` is the number of the case in the schema. `tests` hold for every instance and do not follow from the
    antecedents' kinds alone; those on the consequent's form are among them. `links` are (dependent, head).
    `contexts` says which antecedents are context antecedents. `note` tells the choice in the user's terms.
    """

    number: int
    case: int
    antecedents: tuple[Atom, ...]
    contexts: tuple[bool, ...]
    consequent: Atom
    tests: tuple[Test, ...]
    links: tuple[tuple[Affine, Affine], ...]
    note: str = ""

    @property
    def variables(self) -> tuple[str, ...]:
        """The rule's variables in the order they appear; ``n`` and symbol constants are none."""
        found: dict[str, None] = {}
        for term in self.all_terms():
            for name in term.names:
                if name != "n" and not name.startswith("'"):
                    found[name] = None
        return tuple(found)

    def all_terms(self) -> Iterator[Affine]:
        """Yield every linear term of the rule."""
        for atom in (*self.antecedents, self.consequent):
            yield from atom.terms
        for test in self.tests:
            yield from linear_terms(test)
        for a, b in self.links:
            yield a
            yield b


def linear_terms(test: Test) -> Iterator[Affine]:
    """Yield every linear term of a test."""
    match test:
        case Linear(_, left):
            yield left
        case AnyOf(options):
            for option in options:
                for one in option:
                    yield one.left
        case Licence(a, b) | CategoryOf(a, b) | CategoryLicence(a, b):
            yield a
            yield b


@dataclass(frozen=True, slots=True)
class Equation:
    """One line of a normal form between kinds: a writing `left` that passes the tests stands for `right`."""

    left: Atom
    right: Atom
    tests: tuple[Linear | AnyOf, ...]


@dataclass(frozen=True, slots=True)
class Final:
    """A final item or a hypothesis: its pattern and what else must hold."""

    atom: Atom
    tests: tuple[Linear | AnyOf, ...]


@dataclass(frozen=True, slots=True)
class Program:
    """A lowered schema.

    `equations` holds, by form number, the equations of its normal form in order of precedence; forms without
    a normal form have none. `symbols` are the symbol constants of the schema. `hypotheses` has the hypothesis
    clauses, one entry for every choice of kinds; their kinds' conditions hold as well and are not repeated.
    """

    schema: m.Schema = field(repr=False)
    kinds: tuple[Kind, ...]
    rules: tuple[Rule, ...]
    equations: Mapping[int, tuple[Equation, ...]]
    finals: tuple[Final, ...]
    symbols: tuple[str, ...] = ()
    hypotheses: tuple[Final, ...] = ()
