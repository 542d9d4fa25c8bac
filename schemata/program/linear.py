"""Linear terms over a rule's variables, and the tests made of them; both as kernel text.

Variables stand for whole numbers: positions, and symbols by number; ``n`` is the sentence length. Conditions are
conjunctions of linear tests, disjunctions of them, and questions to the grammar.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from schemata.grammars.relations import SIGNATURES, Signature
from schemata.language import typeset
from schemata.language.model import parts
from schemata.records import Record

if TYPE_CHECKING:
    from schemata.language.model import Type
    from schemata.program.queries import Query


class Affine(Record):
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
        return Affine(self.constant - other, self.terms) if isinstance(other, int) else self + -other

    def __neg__(self) -> Affine:
        return Affine(-self.constant, tuple((x, -k) for x, k in self.terms))

    def __mul__(self, factor: int) -> Affine:
        if not factor:
            return Affine()
        return Affine(self.constant * factor, tuple((x, k * factor) for x, k in self.terms))

    def coefficient(self, name: str) -> int:
        """Return the coefficient of a variable, 0 where it does not occur."""
        return next((k for x, k in self.terms if x == name), 0)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables that occur."""
        return tuple(x for x, _ in self.terms)

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables that occur, without ``n`` and symbol constants."""
        return tuple(x for x, _ in self.terms if x != "n" and not x.startswith("'"))

    @property
    def single(self) -> str | None:
        """The variable that the term is, or None if it is anything else."""
        match self:
            case Affine(0, ((name, 1),)):
                return name
        return None

    def substitute(self, given: Mapping[str, Affine]) -> Affine:
        """Return the term with linear terms in place of variables."""
        if not any(x in given for x, _ in self.terms):
            return self
        constant, total = self.constant, dict[str, int]()
        for x, k in self.terms:
            if x not in given:
                total[x] = total.get(x, 0) + k
                continue
            other = given[x]
            constant += k * other.constant
            for y, times in other.terms:
                total[y] = total.get(y, 0) + k * times
        return Affine(constant, tuple(sorted((x, k) for x, k in total.items() if k)))

    def value(self, given: Mapping[str, int]) -> int:
        """Return the term's value."""
        return self.constant + sum(k * given[x] for x, k in self.terms)

    def __str__(self) -> str:
        return typeset.linear_text(self.constant, self.terms)


def variable(name: str) -> Affine:
    """Return the term that is one variable."""
    return Affine(0, ((name, 1),))


def learn(known: set[str], terms: Iterable[Affine]) -> bool:
    """Bind the variables that terms with given values determine, one term after the other; returns whether any
    was bound.
    """
    waiting, before = list(terms), len(known)
    size = -1
    while size != len(known):
        size = len(known)
        for term in waiting:
            unknown = [x for x in term.names if x not in known and not x.startswith("'")]
            known.update(unknown if len(unknown) == 1 else ())
    return size > before


def solved(equal: Iterable[Affine], names: Sequence[str]) -> tuple[dict[str, Affine], list[Affine]]:
    """Return values of variables under which terms are 0, and the terms that determine none and are to be tested."""
    given: dict[str, Affine] = {}
    rest: list[Affine] = []
    for term in equal:
        left = term.substitute(given)
        name = next((x for x in names if abs(left.coefficient(x)) == 1), None)
        if name is None:
            rest.append(left)
            continue
        value = variable(name) - left * left.coefficient(name)
        given = {x: t.substitute({name: value}) for x, t in given.items()}
        given[name] = value
    return given, [term.substitute(given) for term in rest]  # others may have been solved for their variables


class Linear(Record):
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

    @property
    def sides(self) -> tuple[Affine, Affine]:
        """Two terms without minus signs, of which the first less the second is `left`."""
        more = Affine(max(self.left.constant, 0), tuple((x, k) for x, k in self.left.terms if k > 0))
        return more, more - self.left

    def __str__(self) -> str:
        return said(self)


class AnyOf(Record):
    """A disjunction of conjunctions of linear tests."""

    options: tuple[tuple[Linear, ...], ...]

    def substitute(self, given: Mapping[str, Affine]) -> AnyOf:
        """Return the test with linear terms in place of variables."""
        return AnyOf(tuple(tuple(t.substitute(given) for t in option) for option in self.options))

    def holds(self, given: Mapping[str, int]) -> bool:
        """Whether one of the conjunctions holds for these values."""
        return any(all(test.holds(given) for test in option) for option in self.options)

    def __str__(self) -> str:
        return said(self)


class Provided(Record):
    """A relation of the grammar that has a dense table (`grammars.relations`) holds of the arguments."""

    relation: str
    arguments: tuple[Affine, ...]

    def substitute(self, given: Mapping[str, Affine]) -> Provided:
        """Return the test with linear terms in place of variables."""
        return Provided(self.relation, tuple(t.substitute(given) for t in self.arguments))

    def __str__(self) -> str:
        return said(self)

    @property
    def table(self) -> Signature:
        """The sorts of the arguments, and the table's name."""
        return SIGNATURES[self.relation]

    def ranges(self, symbols: Affine | None = None) -> Iterator[tuple[Affine, Affine, Affine]]:
        """Yield every argument that is a position, with the least and the greatest value that it may have, and every
        symbol.

        Symbols are left out if their number is not given.
        """
        for argument, sort in zip(self.arguments, self.table.sorts, strict=True):
            if sort != "symbol":
                yield argument, Affine(int(sort == "word")), variable("n")
            elif symbols is not None:
                yield argument, Affine(0), symbols - 1

    def place(self, text: Callable[[Affine], str], symbols: str) -> str:
        """Return the place of the row in the table as kernel text."""
        first, *rest = self.arguments
        place = text(first)
        for argument, sort in zip(rest, self.table.sorts[1:], strict=True):
            place = f"({place}) * {symbols if sort == 'symbol' else '(n + 1)'} + {text(argument)}"
        return f"{self.table.table}[{place}]"


class Asks(Record):
    """A question to a query: a linear term for each of its variables, mostly a variable of the rule."""

    query: Query
    terms: tuple[Affine, ...]

    def substitute(self, given: Mapping[str, Affine]) -> Asks:
        """Return the test with linear terms in place of variables."""
        return Asks(self.query, tuple(t.substitute(given) for t in self.terms))


Test: TypeAlias = Linear | AnyOf | Provided | Asks
TypeSort: TypeAlias = "str | Type"  # "position", "flag", "symbol", or the type of an interned term


_SAID = {
    "licensed": "licensed {} to {}",
    "category": "category {} is {}",
    "licensed_categories": "category {} licensed under {}",
}


def said(
    test: Test, signs: Sequence[str] = ("<=", "!=", "and", "or"), text: Callable[[Affine], str] = str
) -> str:
    """Return a test in words, without minus signs in front of variables.

    >>> i, j = variable("i"), variable("j")
    >>> said(Linear(">=", j - i - 1)), said(Linear(">=", variable("n") - j + 1))
    ('i < j', 'j <= n + 1')
    """
    at_most, unlike, both, either = signs
    match test:
        case Linear(">="):
            more, less = test.sides
            if less.constant and less.terms:
                return f"{text(less - 1)} < {text(more)}"
            return f"{text(less)} {at_most} {text(more)}"
        case Linear(relation):
            more, less = test.sides
            return f"{text(more)} {'=' if relation == '==' else unlike} {text(less)}"
        case AnyOf(options):
            rows = [f" {both} ".join(said(one, signs, text) for one in option) for option in options]
            pairs = zip(rows, options, strict=True)
            return f" {either} ".join(f"({row})" if len(option) > 1 else row for row, option in pairs)
        case Provided(relation, arguments):
            return _SAID[relation].format(*map(text, arguments))
        case Asks(_, terms):
            return f" {both} ".join(map(text, terms))


def linear_terms(node: object) -> Iterator[Affine]:
    """Yield every linear term of a test, an item, or a tuple of such things; a term yields itself."""
    if isinstance(node, Affine):
        yield node
    else:
        # What a query asks is over variables of its own.
        for part in (node.terms,) if isinstance(node, Asks) else parts(node):
            yield from linear_terms(part)


# As kernel text -----------------------------------------------------------------------------------------------


def term_text(term: Affine, names: Mapping[str, str], symbols: Sequence[str] = ()) -> str:
    """Return a term; `names` are the locals of variables (``n`` stays), symbol constants become their number."""
    numbers = sum(k * symbols.index(x[1:-1]) for x, k in term.terms if x.startswith("'"))
    parts = [("n" if x == "n" else names[x], k) for x, k in term.terms if not x.startswith("'")]
    return typeset.linear_text(term.constant + numbers, parts)


def solved_text(
    name: str, value: str, term: Affine, names: Mapping[str, str], symbols: Sequence[str] = ()
) -> tuple[str, str]:
    """Return the text of a term's one unknown variable, given its value; and the test that it is whole, if any."""
    k = term.coefficient(name)
    rest = term_text(term - variable(name) * k, names, symbols)
    text = value if rest == "0" else f"{value} - ({rest})" if value != "0" else f"-({rest})"
    text = f"-({text})" if k < 0 else text
    return ("", text) if abs(k) == 1 else (f"({text}) % {abs(k)} == 0", f"({text}) // {abs(k)}")


def linear_text(test: Linear, names: Mapping[str, str], symbols: Sequence[str] = ()) -> str:
    """Return a linear test as a comparison with the positive terms on the one side, the negative ones on the
    other.
    """
    positive, negative = (term_text(side, names, symbols) for side in test.sides)
    return f"{positive} {test.relation} {negative}"


def condition_text(test: Linear | AnyOf, names: Mapping[str, str], symbols: Sequence[str] = ()) -> str:
    """Return a linear test, or a disjunction of conjunctions in parentheses."""
    if isinstance(test, Linear):
        return linear_text(test, names, symbols)
    options = (" and ".join(linear_text(t, names, symbols) for t in option) for option in test.options)
    return f"({' or '.join(f'({option})' for option in options)})"
