"""The lowered schema: item kinds with columns of whole numbers, and rules with linear terms between them.

The finite part of an item (flags, absent values, the length of a bounded list) is its *kind*; the other fields
are columns: positions, symbols and terms, by number. A case of a step becomes one `Rule` for every choice of
kinds; its terms and tests (`linear`) are over the rule's variables and ``n``, the sentence length.

    span[i, j, b, c]                 kinds: span(b = false, c = false) with columns i, j; two more
    tree[i, j, h, l?, r?]            kinds: without a gap (i, j, h), with one (i, j, h, l, r)
    heads[H], 2 <= length(H) <= 4    kinds: three, with two, three and four columns
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import repeat
from typing import Any, Self, TypeAlias, TypeVar

from schemata.errors import UsageError
from schemata.language import model as m
from schemata.program.linear import Affine, AnyOf, Asks, Linear, Test, TypeSort, linear_terms
from schemata.records import Record, field

T = TypeVar("T")


class NotLowerable(UsageError):  # noqa: N818 - an answer; a message for the user where nobody handles it
    """A schema has a construct that no program or no kernel can hold; the message names it in the user's terms."""

    @classmethod
    def of(
        cls, construct: str, hint: str = "bound the lists of the item, as with where length(L) <= 3"
    ) -> Self:
        """Return the exception for a construct whose place is not determined."""
        return cls(f"the schema cannot be run: it has {construct}", code="not-runnable", hint=hint)

    def at(self, place: m.Case | m.Form) -> NotLowerable:
        """Return the same exception with the case or the form that has the construct, unless it has a place already."""
        said = self.diagnostics[0]
        if said.location:
            return self
        return NotLowerable(place.span.report(said.code, said.message, hint=said.hint))


class Fixed(Record):
    """A part of an item that its kind fixes: a flag's value, or None if a value is absent."""

    value: bool | None


class ColumnShape(Record):
    """A part of an item that is the column of that number."""

    column: int


class Parts(Record):
    """A tuple or a list of fixed length."""

    parts: tuple[FieldShape, ...]


FieldShape: TypeAlias = Fixed | ColumnShape | Parts


class Column(Record):
    """A column: its name (unique in its kind) and the quantity that it counts."""

    name: str
    sort: TypeSort


class Kind(Record):
    """Items of one form and shape.

    `shapes` has one entry a field; `columns` are numbered as `ColumnShape` says, and may stand in several fields.
    `conditions` is the form's `where` for items of the kind, over column names and ``n``; `asks` is the part of it
    without a linear form.
    """

    number: int
    form: int
    name: str
    shapes: tuple[FieldShape, ...]
    columns: tuple[Column, ...]
    conditions: tuple[Linear | AnyOf, ...] = ()
    asks: tuple[Asks, ...] = ()

    def __str__(self) -> str:
        return self.name

    def by_name(self, columns: Sequence[T]) -> dict[str, T]:
        """Return columns, or terms for them, by the columns' names."""
        return {column.name: value for column, value in zip(self.columns, columns, strict=True)}

    def values(self, columns: Sequence[Any], value: Callable[[TypeSort, Any], Any]) -> tuple[m.Value, ...]:
        """Return an item's values from its columns; `value` makes one of a column's sort and the column."""
        return next(self.all_values([columns], value))

    def all_values(
        self, rows: Sequence[Sequence[Any]], value: Callable[[TypeSort, Any], Any]
    ) -> Iterator[tuple[m.Value, ...]]:
        """Yield the values of items as `values` returns them, from the columns of each; a position is its own value."""

        def build(shape: FieldShape) -> Iterable[m.Value]:
            match shape:
                case Fixed(fixed):
                    return repeat(fixed, len(rows))
                case ColumnShape(k):
                    sort = self.columns[k].sort
                    if sort == "position":
                        return [row[k] for row in rows]
                    return [value(sort, row[k]) for row in rows]
                case Parts(parts):
                    return tuples(parts)

        def tuples(shapes: tuple[FieldShape, ...]) -> Iterator[tuple[m.Value, ...]]:
            return zip(*map(build, shapes), strict=True) if shapes else repeat((), len(rows))

        return tuples(self.shapes)

    def encode(
        self, values: Sequence[m.Value], number: Callable[[TypeSort, Any], int | None]
    ) -> tuple[int, ...] | None:
        """Return an item's columns from its values, None if it is not of the kind, or a value has no number."""
        columns: dict[int, int] = {}

        def fits(shape: FieldShape, value: Any) -> bool:
            match shape:
                case Fixed(wanted):
                    return value is wanted
                case Parts(parts):
                    whole = isinstance(value, tuple) and len(value) == len(parts)
                    return whole and all(map(fits, parts, value))
                case ColumnShape(column):
                    if value is None or isinstance(value, bool):
                        return False
                    known = number(self.columns[column].sort, value)
                    return known is not None and columns.setdefault(column, known) == known

        if not all(map(fits, self.shapes, values)):
            return None
        return tuple(columns[k] for k in range(len(self.columns)))


def encoded(
    kinds: Iterable[Kind], form: int, values: Sequence[m.Value], number: Callable[[TypeSort, Any], int | None]
) -> tuple[int, tuple[int, ...]] | None:
    """Return an item's kind and columns from its values, None if it is of none of these kinds."""
    of_form = (kind for kind in kinds if kind.form == form)
    found = ((kind.number, kind.encode(values, number)) for kind in of_form)
    return next(((kind, columns) for kind, columns in found if columns is not None), None)


class Atom(Record):
    """An item in a rule: its kind and one linear term a column."""

    kind: int
    terms: tuple[Affine, ...]

    def substitute(self, given: Mapping[str, Affine]) -> Atom:
        """Return the item with linear terms in place of variables."""
        return Atom(self.kind, tuple(term.substitute(given) for term in self.terms))


class Rule(Record):
    """One case of a step for one choice of kinds.

    `case` is the number of the case in the schema. `tests` hold for every instance and do not follow from the
    antecedents' kinds alone; those on the consequent's form are among them. `links` are the arguments of its atoms.
    `contexts` says which antecedents are context antecedents. `note` describes the choice in the user's terms.
    `weighed` are places in tables of weights, for programs that are to be weighed (`ordered.weights`).
    """

    number: int
    case: int
    antecedents: tuple[Atom, ...]
    contexts: tuple[bool, ...]
    consequent: Atom
    tests: tuple[Test, ...]
    links: tuple[tuple[Affine, ...], ...]
    note: str = ""
    weighed: tuple[Atom, ...] = ()

    @property
    def variables(self) -> tuple[str, ...]:
        """The rule's variables in the order they appear, without ``n`` and symbol constants."""
        return tuple(dict.fromkeys(x for term in self.all_terms() for x in term.variables))

    @property
    def shared(self) -> frozenset[str]:
        """The variables that occur elsewhere than in a single query: variables of one query alone are not
        visible outside.
        """
        counts: Counter[str] = Counter()
        for test in self.tests:
            names = {x for term in linear_terms(test) for x in term.names}
            counts.update({x: 1 if isinstance(test, Asks) else 2 for x in names})
        for term in linear_terms((self.antecedents, self.consequent, self.links)):
            counts.update(dict.fromkeys(term.names, 2))
        return frozenset(x for x, k in counts.items() if k > 1 and x != "n" and not x.startswith("'"))

    def all_terms(self) -> Iterator[Affine]:
        """Yield every linear term of the rule."""
        return linear_terms((self.antecedents, self.consequent, self.tests, self.links))


class Equation(Record):
    """One line of a normal form between kinds: a writing `left` that passes the tests stands for `right`."""

    left: Atom
    right: Atom
    tests: tuple[Linear | AnyOf, ...]


class Final(Record):
    """A final item or a hypothesis: its pattern and its further conditions."""

    atom: Atom
    tests: tuple[Linear | AnyOf, ...]
    asks: tuple[Test, ...] = ()


def symbols_of(*parts: object) -> tuple[str, ...]:
    """Return the symbol constants in rules, kinds, equations and clauses."""
    return tuple(sorted({x[1:-1] for term in linear_terms(parts) for x in term.names if x.startswith("'")}))


class Program(Record, slots=False):
    """A lowered schema.

    `equations` holds, by form number, the equations of its normal form in order of precedence; forms without
    a normal form have none. `symbols` are the symbol constants of the schema. `hypotheses` has the hypothesis
    clauses, one entry for every choice of kinds; their kinds' conditions hold as well and are not repeated.
    `outside` says that runs are given items that no step derives.
    """

    schema: m.Schema = field(repr=False)
    kinds: tuple[Kind, ...]
    rules: tuple[Rule, ...]
    equations: Mapping[int, tuple[Equation, ...]]
    finals: tuple[Final, ...]
    symbols: tuple[str, ...] = ()
    hypotheses: tuple[Final, ...] = ()
    outside: bool = False

    @cached_property
    def facts(self) -> frozenset[int]:
        """The kinds whose items are all there before any other: hypotheses, and the consequents of rules
        without antecedents.

        There are none where some hypotheses may be derived too: they may have their turns before some of these.
        """
        derived = {rule.consequent.kind for rule in self.rules if rule.antecedents}
        found = frozenset(
            kind.number
            for kind in self.kinds
            if kind.number not in derived and kind.form not in self.equations
        )
        first = {clause.atom.kind for clause in self.hypotheses}
        return frozenset() if self.outside or not first <= found else found

    @cached_property
    def instance_words(self) -> int:
        """How many words an instance takes: a step's number, items (at least one), ends of links, two a word."""
        cases = self.schema.cases
        numbers = (cases[rule.case].stride + (not rule.antecedents) for rule in self.rules)
        return max(((number + 1) // 2 for number in numbers), default=1)

    @property
    def is_linear(self) -> bool:
        """Whether items are positions and symbols, and rules ask of the grammar licences alone."""
        sorts = {column.sort for kind in self.kinds for column in kind.columns}
        asks = any(isinstance(test, Asks) for rule in self.rules for test in rule.tests)
        clauses = any(clause.asks for clause in (*self.finals, *self.hypotheses))
        return sorts <= {"position", "symbol"} and not asks and not clauses
