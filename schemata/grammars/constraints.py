"""Constraint dependency grammars: words with readings, labels, and constraints on the heads and labels of words.

Parsing is a problem of constraint satisfaction (Maruyama 1990; Kübler, McDonald and Nivre 2009, section 5.2). Each word
is a variable, whose values are a reading of the word, a label, and a head, 0 for the root. An analysis gives each word
a value so that the heads make up a tree. A constraint is a formula about a word X, or about two different words X and
Y; its weight is the factor by which a violation makes an analysis less acceptable: 0 for hard constraints, which no
analysis may violate, up to 1 (Menzel and Schröder 1998). The acceptability of an analysis is the product of the weights
of all violations; a constraint on two words is violated once by a pair, in whichever order.

Formulas are evaluated in three values, so that they can be asked about a few words before the others have values: None
means that it depends on those. `X^` is the head of X, which `has` and `^` look up.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from operator import eq, ge, gt, le, lt, ne
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from schemata.errors import Diagnostic, did_you_mean
from schemata.grammars.drules import unknown_words
from schemata.grammars.text import nfc
from schemata.kinds import CONSTRAINTS
from schemata.records import Record, ask, field
from schemata.structures.sentence import Sentence
from schemata.wording import quantity

if TYPE_CHECKING:
    from schemata.grammars.constraint_networks import ConstraintFacts
    from schemata.language import model as m

NONE = "none"
"""The value of a feature that a reading does not have, and of the word and the label of the root."""

ROOT = "root"
"""The category of the root, which is at position 0."""

FIXED = ("position", "word", "cat", "label", "head")
"""The attributes of every word; others are features of its readings."""

Data: TypeAlias = "str | int"
Check: TypeAlias = "Callable[[State, int, int], bool | None]"


class Reading(Record):
    """A reading of a word: its category and its features."""

    category: str
    features: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return " ".join([self.category, *(f"{name}={value}" for name, value in self.features)])


class Value(Record):
    """The value of a word in an analysis: the number of its reading, its label, and its head (0 for the
    root).
    """

    reading: int
    label: str
    head: int


# Formulas -------------------------------------------------------------------------------------------------------


class Attribute(Record):
    """An attribute of X or Y, or of its head: `X.cat`, `Y^cat`."""

    variable: str
    of_head: bool
    name: str

    def __str__(self) -> str:
        return f"{self.variable}{'^' if self.of_head else '.'}{self.name}"


class Distance(Record):
    """`distance(X, Y)`: the position of Y less that of X; `distance(X)`: that of the head of X less that of X."""

    start: str
    end: str | None

    def __str__(self) -> str:
        return f"distance({self.start}{f', {self.end}' if self.end else ''})"


class Compare(Record):
    """A comparison of two terms, each an attribute, a distance, a number or a name."""

    left: Any
    operator: str
    right: Any

    def __str__(self) -> str:
        return f"{self.left} {self.operator} {self.right}"


class Among(Record):
    """`X.label in {A, B}`."""

    term: Any
    names: tuple[Data, ...]

    def __str__(self) -> str:
        return f"{self.term} in {{{', '.join(map(str, self.names))}}}"


class Has(Record):
    """`has(X, A, B)`: some word with one of these labels has X as its head."""

    variable: str
    labels: tuple[str, ...]

    def __str__(self) -> str:
        return f"has({', '.join((self.variable, *self.labels))})"


class Crossing(Record):
    """`crosses(X, Y)`: the arcs of X and Y to their heads cross, that of a root coming from position 0."""

    def __str__(self) -> str:
        return "crosses(X, Y)"


class BetweenHead(Record):
    """`between(Y, X)`: Y is between X and its head."""

    inner: str
    outer: str

    def __str__(self) -> str:
        return f"between({self.inner}, {self.outer})"


class Junction(Record):
    """Formulas joined by `and`, `or` or `->`; or one behind `not`."""

    operator: str
    parts: tuple[Any, ...]

    def __str__(self) -> str:
        if self.operator == "not":
            return f"not ({self.parts[0]})"
        shown = (f"({part})" if isinstance(part, Junction) else str(part) for part in self.parts)
        return f" {self.operator} ".join(shown)


class Constant(Record):
    """`true` or `false`."""

    value: bool

    def __str__(self) -> str:
        return str(self.value).lower()


Formula: TypeAlias = "Compare | Among | Has | Crossing | BetweenHead | Junction | Constant"


def leaves(formula: Any) -> Iterator[Any]:
    """Yield the terms and conditions of a formula that hold no others."""
    match formula:
        case Junction(parts=parts):
            for part in parts:
                yield from leaves(part)
        case Compare(left=left, right=right):
            yield from (formula, left, right)
        case Among(term=term):
            yield from (formula, term)
        case _:
            yield formula


class Constraint(Record, slots=False):
    """A named constraint.

    Parameters
    ----------
    name : its name.
    weight : 0 for a hard constraint, else the factor of each violation, below 1.
    formula : the condition on X, or on X and Y.
    line : where it stands in its file.
    """

    name: str
    weight: float
    formula: Any
    line: int = field(default=0, compare=False)

    def __str__(self) -> str:
        weight = f" [{self.weight:g}]" if self.weight else ""
        return f"constraint {self.name}{weight}: {self.formula}"

    @property
    def is_hard(self) -> bool:
        """Whether no analysis may violate it."""
        return self.weight == 0

    @property
    def penalty(self) -> float:
        """The cost of a violation of a soft constraint: its weight's logarithm without the sign."""
        return -math.log(self.weight) if self.weight else math.inf

    @cached_property
    def is_binary(self) -> bool:
        """Whether it speaks of two words."""
        return any(
            isinstance(x, Crossing)
            or (isinstance(x, Attribute | Has) and x.variable == "Y")
            or (isinstance(x, Distance | BetweenHead) and "Y" in vars_of(x))
            for x in leaves(self.formula)
        )

    @cached_property
    def asks_dependents(self) -> bool:
        """Whether it depends on a word's dependents."""
        return any(isinstance(x, Has) for x in leaves(self.formula))

    @cached_property
    def of_heads(self) -> frozenset[str]:
        """The attributes of heads that it asks for."""
        return frozenset(x.name for x in leaves(self.formula) if isinstance(x, Attribute) and x.of_head)

    @cached_property
    def check(self) -> Check:
        """The formula as a function of the words of a state; -1 stands for an undetermined word."""
        return _compiled(self.formula)


def vars_of(term: Distance | BetweenHead) -> tuple[str | None, str | None]:
    """Return the variables of a term or condition with two of them."""
    return (term.start, term.end) if isinstance(term, Distance) else (term.inner, term.outer)


# Evaluation -----------------------------------------------------------------------------------------------------


class State:
    """The words of a sentence, and the values that some of them have.

    Parameters
    ----------
    words : the words; positions count from 1.
    readings : the readings of each.
    gives : for each word the labels and heads that its values may have; None if nothing is known of them.
    """

    def __init__(
        self,
        words: Sequence[str],
        readings: Sequence[Sequence[Reading]],
        gives: Sequence[frozenset[tuple[str, int]]] | None = None,
    ) -> None:
        self.words = words
        self.values: list[Value | None] = [None] * (len(words) + 1)
        self.gives = gives
        self.of_reading = [[{"cat": r.category, **dict(r.features)} for r in listed] for listed in readings]
        names = {name for listed in self.of_reading for one in listed for name in one}
        self.settled: list[dict[str, str]] = [{}]
        for listed in self.of_reading:
            found = {name: {one.get(name, NONE) for one in listed} for name in names}
            self.settled.append({name: next(iter(x)) for name, x in found.items() if len(x) == 1})

    @property
    def ambiguous(self) -> frozenset[str]:
        """The attributes of readings that are not settled for some word."""
        return frozenset(
            name
            for k, listed in enumerate(self.of_reading, start=1)
            for one in listed
            for name in one
            if name not in self.settled[k]
        )

    def attribute(self, word: int, name: str) -> Data | None:
        """Return an attribute of a word, of the root for 0; None if it depends on an undetermined value."""
        if word < 0:
            return None
        if name == "position":
            return word
        if word == 0:
            return ROOT if name == "cat" else -1 if name == "head" else NONE
        if name == "word":
            return self.words[word - 1]
        value = self.values[word]
        if name == "label":
            return None if value is None else value.label
        if name == "head":
            return None if value is None else value.head
        if value is not None:
            return self.of_reading[word - 1][value.reading].get(name, NONE)
        settled = self.settled[word]
        if name in settled:
            return settled[name]
        return None if any(name in one for one in self.of_reading[word - 1]) else NONE

    def head(self, word: int) -> int:
        """Return the head of a word, -1 if it is undetermined."""
        value = self.values[word] if word > 0 else None
        return -1 if value is None else value.head

    def has(self, word: int, labels: tuple[str, ...]) -> bool | None:
        """Whether a word has a dependent with one of some labels; None if undecided."""
        if word < 0:
            return None
        open_words = []
        for other, value in enumerate(self.values[1:], start=1):
            if value is None:
                open_words.append(other)
            elif value.head == word and value.label in labels:
                return True
        if not open_words:
            return False
        if self.gives is None:
            return None
        gives = self.gives
        return None if any((label, word) in gives[x] for x in open_words for label in labels) else False


_COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge,
}  # fmt: skip
COMPARISONS = tuple(_COMPARE)


def _term(term: Any) -> Callable[[State, int, int], Data | None]:
    match term:
        case Attribute(variable=variable, of_head=False, name=name):
            if variable == "X":
                return lambda state, x, y: state.attribute(x, name)
            return lambda state, x, y: state.attribute(y, name)
        case Attribute(variable=variable, name=name):
            if variable == "X":
                return lambda state, x, y: state.attribute(state.head(x), name)
            return lambda state, x, y: state.attribute(state.head(y), name)
        case Distance(start=start, end=end):

            def distance(state: State, x: int, y: int) -> int | None:
                first = x if start == "X" else y
                last = state.head(first) if end is None else x if end == "X" else y
                return None if first < 0 or last < 0 else last - first

            return distance
    return lambda state, x, y: term


def _compiled(formula: Any) -> Check:
    match formula:
        case Compare(left=left, operator=operator, right=right):
            one, other, compare = _term(left), _term(right), _COMPARE[operator]

            def compared(state: State, x: int, y: int) -> bool | None:
                a, b = one(state, x, y), other(state, x, y)
                return None if a is None or b is None else compare(a, b)

            return compared
        case Among(term=term, names=names):
            one, known = _term(term), frozenset(names)

            def among(state: State, x: int, y: int) -> bool | None:
                a = one(state, x, y)
                return None if a is None else a in known

            return among
        case Has(variable=variable, labels=labels):
            return lambda state, x, y: state.has(x if variable == "X" else y, labels)
        case Crossing():
            return _crosses
        case BetweenHead(inner=inner):
            if inner == "Y":
                return lambda state, x, y: _between(state, y, x)
            return _between
        case Constant(value=value):
            return lambda state, x, y: value
        case Junction(operator="not", parts=(part,)):
            inside = _compiled(part)

            def negated(state: State, x: int, y: int) -> bool | None:
                a = inside(state, x, y)
                return None if a is None else not a

            return negated
        case Junction(operator="and", parts=parts):
            return _all([_compiled(part) for part in parts], False)
        case Junction(operator="or", parts=parts):
            return _all([_compiled(part) for part in parts], True)
        case Junction(operator="->", parts=(condition, consequence)):
            return _compiled(Junction("or", (Junction("not", (condition,)), consequence)))
    raise TypeError(formula)


def _all(checks: list[Check], deciding: bool) -> Check:
    """Return the conjunction of checks, which one that is False decides; or the disjunction, decided by a True."""

    def check(state: State, x: int, y: int) -> bool | None:
        found: bool | None = not deciding
        for one in checks:
            value = one(state, x, y)
            if value is deciding:
                return deciding
            if value is None:
                found = None
        return found

    return check


def _crosses(state: State, x: int, y: int) -> bool | None:
    a, b = state.head(x), state.head(y)
    if a < 0 or b < 0:
        return None
    low, high = (a, x) if a < x else (x, a)
    return (low < y < high) != (low < b < high) and y not in (low, high) and b not in (low, high)


def _between(state: State, x: int, y: int) -> bool | None:
    """Whether X is between Y and its head; None if undecided."""
    head = state.head(y)
    if head < 0 or x < 0:
        return None
    return head < x < y or y < x < head


# Grammars -------------------------------------------------------------------------------------------------------


class Constraints(Record, repr=False, slots=False):
    r"""A constraint dependency grammar; read one with `read` or `from_text`.

    Parameters
    ----------
    labels : the labels, in order.
    constraints : the constraints, in order.
    words, tags : the readings of word forms, and of parts of speech; a word form goes before its part of speech.
    warnings : warnings about the file; not part of its value.

    References
    ----------
    Maruyama 1990; Menzel and Schröder 1998; Foth 2007; Kübler, McDonald and Nivre 2009, section 5.2.

    >>> grammar = Constraints.from_text("labels A\nthe : D\nconstraint left: X.label = A -> X.head > X.position")
    >>> grammar.constraints[0].is_hard, grammar.labels
    (True, ('A',))
    """

    kind: ClassVar = CONSTRAINTS

    labels: tuple[str, ...]
    constraints: tuple[Constraint, ...]
    words: Mapping[str, tuple[Reading, ...]] = field(default_factory=dict, hash=False)
    tags: Mapping[str, tuple[Reading, ...]] = field(default_factory=dict, hash=False)
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False, repr=False)

    def __repr__(self) -> str:
        return f"<Constraints: {quantity(len(self.constraints), 'constraint')}, {quantity(len(self.labels), 'label')}>"

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Constraints:
        """Read a file of constraints, usually with suffix ``.constraints``.

        Raises
        ------
        GrammarError : the file cannot be read or holds mistakes; all of them are reported.
        """
        from schemata.grammars.text import read_text

        grammar: Constraints = ask("parse_constraints", read_text(path))
        return grammar

    @classmethod
    def from_text(cls, text: str, file: str = "<text>") -> Constraints:
        """Return the grammar in a text.

        Raises
        ------
        GrammarError : the text holds mistakes; all of them are reported.
        """
        grammar: Constraints = ask("parse_constraints", text, file)
        return grammar

    def readings(
        self, sentence: Sentence, strict: bool = True
    ) -> tuple[tuple[tuple[Reading, ...], ...], tuple[Diagnostic, ...]]:
        """Return the readings of each word of a sentence, and warnings of the words that have none.

        Raises
        ------
        GrammarError : some words have none, and `strict` makes that an error; all of them are named.
        """
        found: list[tuple[Reading, ...]] = []
        unknown: list[Diagnostic] = []
        for place, word in enumerate(sentence.words, start=1):
            tag = nfc(sentence.tags[place - 1]) if sentence.tags else ""
            listed = self.words.get(nfc(word)) or self.tags.get(tag, ())
            if not listed:
                of_tag = f", nor has its part of speech {tag}" if tag else ""
                message = f'word {place}, "{word}", has no reading in the grammar{of_tag}'
                hint = did_you_mean(word, self.words)
                if self.tags and not tag:
                    hint = hint or "the grammar reads parts of speech: give words as word/TAG with --tagged"
                expected = "words that the grammar gives a reading"
                unknown.append(Diagnostic("unknown-word", message, None, expected, hint))
            found.append(listed)
        return tuple(found), unknown_words(unknown, strict)

    def for_schema(self, relations: tuple[m.Relation, ...]) -> ConstraintFacts:
        """Return the constraints as facts of a schema that declares relations such as `clash`.

        Raises
        ------
        UsageError : it declares no relation that the network of a sentence has.
        """
        facts: ConstraintFacts = ask("facts_of", self, relations)
        return facts

    def to_text(self, header: Iterable[str] = ()) -> str:
        """Return a file that reads back to an equal grammar."""
        return str(ask("write_constraints", self, header))
