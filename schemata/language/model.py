"""The checked schema, which the engine and every analysis read: plain frozen values, with parameters filled in.

A `Schema` has item forms, hypotheses, steps and final items. A step is one or more `Case`s, each an inference
rule. The terms of items are patterns in antecedents and expressions in consequents. All names are resolved;
lists, pairs and dotted rules have become `ListTerm` and `TupleTerm`; arithmetic has become `Linear`.
"""

from __future__ import annotations

import functools
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, fields, is_dataclass, replace
from itertools import islice
from operator import attrgetter, is_
from typing import Literal, TypeAlias

from schemata.kinds import DEPENDENCY_TREE, GrammarKind, StructureKind
from schemata.language.source import SourceText, Span
from schemata.records import Record

# Types and values --------------------------------------------------------------------------------------------


Value: TypeAlias = "int | bool | str | tuple[Value, ...] | None"
Kind: TypeAlias = Literal[
    "position", "flag", "symbol", "list", "tuple", "optional", "dotted", "label", "labels", "dotted labels", "term"
]  # fmt: skip


class Type(Record):
    """The type of a field or variable; `arguments` are the element types of lists, tuples and optionals.

    A dotted rule with d dots is a tuple of its category and d + 1 lists of symbols; `dots` is d. A list of `intervals`
    is a list of pairs (l, r), from left to right, with at least one position between any two; one of `arcs` is a set of
    pairs (dependent, head), each once and in order. The values of `label`, `labels` and `dotted labels` are texts
    (`schemata.language.labels`). A position may be `of` one of several inputs, counted from its beginning; or a number
    that is not a position, an integer.

    A value of a `term`, a type that a schema declares by the name `of`, is a tuple of a constructor, `CONSTRUCTOR` and
    its name, and its arguments; a symbol by itself has the constructor without a name. `constructors` has the types
    of their arguments by name: the type itself, or `symbol`.
    """

    kind: Kind
    arguments: tuple[Type, ...] = ()
    dots: int = 0
    intervals: bool = False
    arcs: bool = False
    of: str = ""
    constructors: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def sort(self) -> Literal["position", "flag", "symbol"] | Type:
        """How values become numbers: as they are, or interned with others of their sort."""
        kind = self
        while kind.kind == "optional":
            kind = kind.arguments[0]
        return kind.kind if kind.kind in ("position", "flag", "symbol") else kind

    @property
    def may_be_absent(self) -> bool:
        """Whether a value of the type, or a part of one, may be absent."""
        return self.kind == "optional" or any(a.may_be_absent for a in self.arguments)

    @property
    def parts(self) -> tuple[Type, ...]:
        """The types of the parts of a tuple, which may be absent, or of a dotted rule."""
        match self.kind:
            case "optional":
                return self.arguments[0].parts
            case "dotted":
                return SYMBOL, *([SYMBOLS] * (self.dots + 1))
        return self.arguments

    @property
    def alternatives(self) -> str:
        """The alternatives of a declared type, in the notation of its declaration."""
        shown = (
            f" {name} ".join(parts) if name in INFIX else f"{name}({', '.join(parts)})" if name else parts[0]
            for name, parts in self.constructors
        )
        return " | ".join(shown)

    def __str__(self) -> str:
        match self.kind:
            case "list":
                elements = "intervals" if self.intervals else self.arguments[0]
                return "arcs" if self.arcs else f"list of {elements}"
            case "tuple":
                return f"({', '.join(map(str, self.arguments))})"
            case "optional":
                return f"{self.arguments[0]}?"
            case "dotted":
                return "dotted rule" if self.dots == 1 else "double-dotted rule"
            case "position" if self == INTEGER:
                return "integer"
            case "position" if self.of:
                return f"position of {self.of}"
            case "term":
                return self.of
        return self.kind


CONSTRUCTOR = "\x1f"
"""Begins the names of constructors in terms; no symbol has it."""
INFIX = ("/", "\\")
ROOT = "*root*"  # the left-hand side of the pseudo-rule *(S); no category can be called so
HEAD_WORD = "^"


def terminal(word: str) -> str:
    """Return the symbol of a word, as bodies of context-free rules have it: the word in double quotes.

    >>> terminal("up")
    '"up"'
    """
    return f'"{word}"'


def is_terminal(symbol: str) -> bool:
    """Whether a symbol of a rule is a word."""
    return len(symbol) > 2 and symbol[0] == symbol[-1] == '"'


def word_of(symbol: str) -> str:
    """Return the word of a terminal."""
    return symbol[1:-1]


POSITION = Type("position")
INTEGER = Type("position", of=" integer")  # no input is called so
FLAG = Type("flag")
SYMBOL = Type("symbol")
SYMBOLS = Type("list", (SYMBOL,))


def spans_of(position: Type) -> Type:
    """Return the type of lists of spans between positions of a type."""
    return Type("list", (Type("tuple", (position, position)),))


SPANS = spans_of(POSITION)
INTERVALS = Type("list", SPANS.arguments, intervals=True)
ARCS = Type("list", SPANS.arguments, arcs=True)
LABEL = Type("label")
LABELS = Type("labels")
DOTTED_LABELS = Type("dotted labels")


# Terms -------------------------------------------------------------------------------------------------------


class Var(Record):
    """A variable; an optional one also matches an absent value. `n` is the sentence length."""

    name: str
    optional: bool = False


class Any(Record):
    """A wildcard, which matches any value."""


class Lit(Record):
    """A constant value; the number 1 and `true` are different ones, although Python takes them for equal."""

    value: int | bool | str | None

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Lit)
            and self.value == other.value
            and self.value.__class__ is other.value.__class__
        )

    def __hash__(self) -> int:
        return hash((self.value.__class__, self.value))


class Length(Record):
    """The number of elements of a list variable."""

    name: str


class Linear(Record):
    """`constant + sum of coefficient * atom`; no coefficient is zero and no atom occurs twice."""

    constant: int
    atoms: tuple[tuple[Var | Length, int], ...]


class Splice(Record):
    """A list variable whose elements are spliced into a list; in patterns, any stretch of elements."""

    name: str


class Run(Record):
    """In a list pattern, any number of elements that all match one shape."""

    shape: Term


class ListTerm(Record):
    """A list of elements, spliced lists and runs."""

    elements: tuple[Term | Splice | Run, ...]


class Positions(Record):
    """The list of all positions from low to high."""

    low: Term
    high: Term


class TupleTerm(Record):
    """A tuple, one term a part."""

    terms: tuple[Term, ...]


class Labels(Record):
    """A sequence of labels: single ones, and splices for any number of them.

    `dot` is the number of parts before the dot, None for a sequence without one. With `stays`, which only
    consequents have, the dot may also stand before its last part but one if that is a multi-connector.
    """

    parts: tuple[Var | Any | Splice | Run, ...]
    dot: int | None = None
    stays: bool = False

    @property
    def sides(self) -> tuple[tuple[Var | Any | Splice | Run, ...], ...]:
        """The parts before the dot and those after it; all parts where there is no dot."""
        return (self.parts,) if self.dot is None else (self.parts[: self.dot], self.parts[self.dot :])


class Reversed(Record):
    """A sequence of labels turned round."""

    operand: Term


class AtDot(Record):
    """The label at the dot: the last one before it or, if there is none, the first one after it."""

    operand: Term


class Matches(Record):
    """Whether two labels match: one connector to the right and one to the left."""

    left: Term
    right: Term


class Composed(Record):
    """The spans that a yield function makes of lists of spans, `01,0`: each digit is the next span of that list.

    Spans without a comma between must touch, and become one; no span is left over.
    """

    function: Term
    lists: tuple[Term, ...]


class Not(Record):
    """The opposite of a flag or of a condition."""

    operand: Term


class Junction(Record):
    """A conjunction or disjunction of flags and conditions."""

    word: Literal["and", "or"]
    operands: tuple[Term, ...]


class Compare(Record):
    """One comparison; an order with an absent value is false."""

    relation: Literal["<=", "<", "==", "!="]
    left: Term
    right: Term


class Interval(Record):
    """The positions from low to high."""

    low: Term
    high: Term


class Without(Record):
    """The positions of a region that are not in an interval; an interval with an absent end is empty."""

    left: Region
    right: Interval | Var | ListTerm


class Member(Record):
    """Membership in a region of positions, in a list variable or in a set of arcs; `Any` within an arc is any word."""

    element: Term
    region: Region
    arcs: bool = False


class AllWithin(Record):
    """Whether every interval of a list lies in an interval."""

    intervals: Term
    outer: Interval


class InOrder(Record):
    """Whether a list of pairs is a list of intervals: none empty, from left to right, none touching."""

    intervals: Term


class WithArc(Record):
    """A set of arcs with one more."""

    arcs: Term
    arc: TupleTerm


class Path(Record):
    """Whether arcs lead from one word to another: from heads to dependents if `directed`, else in any direction.

    A path of no arcs leads from each word to itself.
    """

    one: Term
    other: Term
    arcs: Term
    directed: bool


class IsAbsent(Record):
    """Whether an optional variable is absent."""

    operand: Term


Region: TypeAlias = "Interval | Without | Var | WithArc"
Term: TypeAlias = (
    Var | Any | Lit | Length | Linear | ListTerm | TupleTerm | Positions | Not | Junction | Compare | Member | AllWithin
    | InOrder | WithArc | Path | IsAbsent | Run | Splice | Labels | Reversed | AtDot | Matches
    | Composed
)  # fmt: skip


# Conditions on the grammar -----------------------------------------------------------------------------------


FactSort: TypeAlias = "Literal['word', 'position', 'symbol', 'symbols'] | Type"


SAME_WORD = "same word"
"""The relation between positions of equal words, which the sentence itself provides."""
NEXT_WORD = "next word"
"""The relation between positions of a word graph and of words that follow them there, which the graph provides."""


class HasFact(Record):
    """The grammar has a fact of a relation: of `SAME_WORD`, one that the schema declares, or one without `sorts`.

    It binds free variables; where `negated`, the grammar does not have the fact, and all terms are bound. The relations
    without sorts are those of the kinds of grammars (`schemata.grammars.relations`): `licensed`, `licensed_categories`,
    `category`, `rule`, `root`, `left_corner` and `disjunct`.
    """

    relation: str
    terms: tuple[Term, ...]
    sorts: tuple[FactSort, ...] | None = None
    negated: bool = False


Condition: TypeAlias = Term | HasFact
_WORDS = {"licensed": (0, 1), "category": (0,)}  # the terms that are words


def asks(condition: object, *relations: str) -> typing.TypeGuard[HasFact]:
    """Whether a condition asks for one of the relations given, which are relations that kinds of grammars provide."""
    return isinstance(condition, HasFact) and condition.sorts is None and condition.relation in relations


def with_words(condition: HasFact, change: Callable[[Term], Term]) -> HasFact:
    """Return a condition on the grammar with the positions of words in it changed."""
    words = _WORDS.get(condition.relation, ())
    if condition.sorts is not None:
        words = tuple(k for k, sort in enumerate(condition.sorts) if sort == "word")
    terms = (change(term) if k in words else term for k, term in enumerate(condition.terms))
    return HasFact(condition.relation, tuple(terms), condition.sorts, condition.negated)


# Items and inference rules -----------------------------------------------------------------------------------


class Field(Record):
    """A field of an item form."""

    name: str
    type: Type


class Pattern(Record):
    """An item with terms in its fields: a pattern above the line, an expression below it."""

    form: str
    terms: tuple[Term, ...]


class Equation(Record):
    """One line of a normal form: a writing that matches `left` under the conditions stands for `right`."""

    left: tuple[Term, ...]
    right: tuple[Term, ...]
    conditions: tuple[Condition, ...]
    types: Mapping[str, Type]
    span: Span = field(compare=False)


class Cover(Record):
    """A normal form by coverage: an item covers the words low..high without the gaps, with or without
    `aside`.

    All four are field numbers. The normal writing covers `aside` exactly if it covers `aside` + 1; an item
    that covers nothing else is left as it is.
    """

    low: int
    high: int
    gaps: int
    aside: int


class Form(Record):
    """An item form: its fields, the filter on its items (over the field names) and its normal form."""

    name: str
    fields: tuple[Field, ...]
    where: tuple[Term, ...]
    span: Span = field(compare=False)
    equations: tuple[Equation, ...] = ()
    cover: Cover | None = None

    @property
    def has_normal_form(self) -> bool:
        """Whether an item of the form may have several writings."""
        return bool(self.equations) or self.cover is not None


class Relation(Record):
    """A relation that the schema requires of the grammar: its arguments with their sorts.

    A `word` is a position 1..n in a condition, and a word form or a part of speech in a grammar; a `position` is a
    number, and `symbols` are a list of symbols; other arguments are terms of a type that the schema declares. `yields`
    has the arguments that steps use as yield functions, by place, with the number of parts.
    """

    name: str
    arguments: tuple[tuple[str, FactSort], ...]
    span: Span = field(compare=False)
    yields: tuple[tuple[int, int], ...] = ()


class Clause(Record):
    """A hypothesis or a final item: a pattern, its conditions and the types of its variables."""

    pattern: Pattern
    conditions: tuple[Condition, ...]
    types: Mapping[str, Type]
    span: Span = field(compare=False)


class SomeWords(Record):
    """Words that a claim about items names: `term`, a splice for all of a list; `_` and `*_` of heads are any words.

    With a list `of`, `term` of each of its elements that matches `element`; none where `when` does not hold.
    """

    term: Term | Splice
    element: Term | None = None
    of: Var | None = None
    types: Mapping[str, Type] = field(default_factory=dict)
    when: Term | None = None


class Neighbours(Record):
    """Two elements of a list, one right behind the other, and the types of the variables in them."""

    one: Term
    other: Term
    of: Var
    types: Mapping[str, Type] = field(default_factory=dict)


class ClaimedLinks(Record):
    """A claim that a forest has links of a dependent to a head; either is `Any` where all words will do.

    `how` is "" where the claim is that there are such links, "not" that there are none, "one" that there is just
    one, "several" that there are more. "one outer" and "several outer" count only dependents that do not stand in a
    gap of another dependent of their head. `number` is the number of the links. `undirected` links have either
    direction. The claim is about all `neighbours`. If there is `crossing`, the links between these words are
    crossed by links of its words only.
    """

    how: str
    dependent: Term | Interval
    head: Term | Interval
    number: Term | None = None
    undirected: bool = False
    neighbours: Neighbours | None = None
    crossing: tuple[SomeWords, ...] | None = None


class ClaimedConnection(Record):
    """Two words that are in one tree of a forest, links within a region left out, exactly if `iff` holds."""

    one: Term
    other: Term
    without: Region | None = None
    iff: Term | None = None
    negated: bool = False


class Meaning(Record):
    """The meaning of the items that match a clause: trees with these heads over the words of a region.

    Words `beside` the region belong to them too. `opened`, where it is stated, are the words that may take dependents
    behind the forest, or some of them if `partly`; `links` it has or lacks. `classes` are a class's name, its
    number, and whether the heads of trees are left out. Over dependency rules `heads` are symbols of the item's rule,
    whose category is `expected` at a place, where that is stated.
    """

    clause: Clause
    heads: tuple[SomeWords, ...]
    region: Region
    beside: tuple[SomeWords, ...]
    opened: tuple[SomeWords, ...] | None
    links: tuple[ClaimedLinks | ClaimedConnection, ...]
    classes: tuple[tuple[str, int, bool], ...]
    partly: bool = False
    expected: Term | None = None


class Antecedent(Record):
    """A pattern above the line. A context antecedent licenses the step but contributes no structure."""

    pattern: Pattern
    context: bool


class Built(Record):
    """An atom that a case builds: its name, its arguments and their types.

    A `link` has a dependent, a head, both positions, and perhaps a label. A `bracket` may be `over` one antecedent
    (0-based); else it is over all. A `tag` of a dependency tree has a position and a value, a `feature` a position and
    one or two values.
    """

    name: str
    terms: tuple[Term, ...]
    types: tuple[Type, ...]
    over: int | None = None

    @property
    def licence(self) -> HasFact | None:
        """The condition that the grammar licenses the link; None for other atoms."""
        return HasFact("licensed", self.terms[:2]) if self.name == "link" else None


class Join(Record):
    """A labelled link that a case builds between two words by a connector of each, where `when` holds."""

    left: Term
    right: Term
    by: Matches
    when: Term | None = None

    name = "join"
    types = POSITION, POSITION  # of what a chart has of it, the numbers of two connectors
    over = licence = None


AnyAtom: TypeAlias = Built | Join


class HeadLink(Record):
    """A link between the heads of the parts that two antecedents (0-based) have built."""

    dependent: int
    head: int


class Decimal(Record):
    """A number in a weight."""

    value: float


class Arithmetic(Record):
    """An operation on numbers in a weight.

    `operation` is a sign, `exp`, `min`, `max`, `abs`; `score`, the weight of the link of a dependent to a head; or
    `asked`, the weight of the rules and facts that the case asks for.
    """

    operation: str
    operands: tuple[WeightTerm, ...]


WeightTerm: TypeAlias = Decimal | Arithmetic | Var


class Weight(Record):
    """The weight of an instance of a case beside its links; with `is_log` the logarithm of the weight."""

    term: WeightTerm
    is_log: bool


class Case(Record):
    """One inference rule.

    `head` is the head of the case's structure, where the schema says so; else the head is that of the
    first structural antecedent that has one. `lines` is the rule as written. Without a `weight`, an instance has the
    weights of the rules and facts it asks for.
    """

    step: str
    label: str | None
    antecedents: tuple[Antecedent, ...]
    consequent: Pattern
    conditions: tuple[Condition, ...]
    links: tuple[AnyAtom, ...]
    head_links: tuple[HeadLink, ...]
    head: Term | None
    types: Mapping[str, Type]
    span: Span = field(compare=False)
    lines: tuple[str, ...] = field(default=(), compare=False)
    weight: Weight | None = None

    @property
    def stride(self) -> int:
        """The length of a row of back-pointers: consequent, antecedents, the arguments of the atoms built."""
        return 1 + len(self.antecedents) + sum(len(built.types) for built in self.links)

    @property
    def predicts(self) -> bool:
        """Whether all that stands above the consequent is context, so that it is a leaf of derivations."""
        return bool(self.antecedents) and all(antecedent.context for antecedent in self.antecedents)

    def atoms(self, numbers: Sequence[int]) -> tuple[tuple[int, ...], ...]:
        """Return the atoms built, an entry for each of `links`, from the end of a row of back-pointers."""
        if all(len(built.types) == 2 for built in self.links):
            return tuple(zip(numbers[::2], numbers[1::2], strict=True))
        rest = iter(numbers)
        return tuple(tuple(islice(rest, len(built.types))) for built in self.links)


# The schema --------------------------------------------------------------------------------------------------


class Parameter(Record):
    """A parameter of the schema: its value here and its default."""

    name: str
    value: int
    default: int


class Schema(Record):
    """A checked parsing schema.

    `name` is the schema's name; `step_names` are the distinct names of its steps in the order declared. Of several
    `inputs`, the `lengths` of all but the last are known once it is about to run. `meanings` are claims about its
    items, in order of precedence, which do not change what it derives.
    """

    name: str
    title: str | None
    reference: str | None
    grammar: GrammarKind
    parameters: tuple[Parameter, ...]
    forms: tuple[Form, ...]
    hypotheses: tuple[Clause, ...]
    cases: tuple[Case, ...]
    step_names: tuple[str, ...]
    finals: tuple[Clause, ...]
    source: SourceText = field(compare=False)
    extends: str | None = None
    parameter_conditions: tuple[str, ...] = ()
    relations: tuple[Relation, ...] = ()
    structure: StructureKind = DEPENDENCY_TREE
    inputs: tuple[str, ...] = ()
    lengths: tuple[int, ...] = ()
    meanings: tuple[Meaning, ...] = field(default=(), compare=False)

    @property
    def atom_names(self) -> frozenset[str]:
        """The names of the atoms that steps build."""
        return atom_names(self.cases)

    @property
    def builds_values(self) -> bool:
        """Whether atoms have arguments that are not positions: their numbers differ from run to run."""
        links = (built for case in self.cases for built in case.links)
        return any(kind.kind != "position" for built in links for kind in built.types)

    @property
    def terms(self) -> tuple[Type, ...]:
        """The types of terms that the schema declares and uses."""
        used = (part for part in nodes((self.forms, self.relations)) if isinstance(part, Type))
        return tuple(dict.fromkeys(kind for kind in used if kind.kind == "term"))

    @property
    def compares_words(self) -> bool:
        """Whether some condition asks which words of the sentence are the same."""
        asked = nodes((self.cases, self.finals))
        return any(isinstance(x, HasFact) and x.relation == SAME_WORD for x in asked)

    @property
    def reads_inputs(self) -> bool:
        """Whether the schema reads several inputs whose lengths are not yet fixed."""
        return bool(self.inputs) and not self.lengths

    @property
    def builds_links(self) -> bool:
        """Whether some step builds a link; if none does, derivations stand for no dependency trees."""
        return "link" in self.atom_names

    @property
    def builds_forests(self) -> bool:
        """Whether items stand for forests of dependency trees."""
        return self.builds_links and self.structure.single_headed

    @property
    def builds_tags(self) -> bool:
        """Whether tags or features of words are part of the dependency trees that it builds."""
        return self.structure == DEPENDENCY_TREE and bool(DEPENDENCY_TREE.beside & self.atom_names)

    @property
    def builds_linkages(self) -> bool:
        """Whether derivations stand for linkages: labelled links between connectors."""
        return "join" in self.atom_names

    def form(self, name: str) -> Form:
        """Return the item form of that name.

        Raises
        ------
        KeyError : there is no such form.
        """
        for form in self.forms:
            if form.name == name:
                return form
        raise KeyError(name)


def atom_names(cases: Iterable[Case]) -> frozenset[str]:
    """Return the names of the atoms that cases build."""
    found = {b.name if isinstance(b, Built) else "join" for case in cases for b in case.links}
    return frozenset(found | {"link" for case in cases if case.head_links})


# Walking and rewriting nodes ---------------------------------------------------------------------------------


@functools.cache
def _reader(kind: Callable[..., object]) -> Callable[[typing.Any], tuple[typing.Any, ...]] | None:
    """Return a getter for the fields of a class of nodes; None if the class is not one of nodes."""
    if kind is Span or not (isinstance(kind, type) and is_dataclass(kind)) or issubclass(kind, str):
        return None
    names: tuple[str, ...] = vars(kind)["__match_args__"]  # without the place of what is written
    if len(names) < 2:
        return lambda node: tuple(getattr(node, name) for name in names)
    return attrgetter(*names)


@functools.cache
def _beside(kind: type[typing.Any]) -> tuple[str, ...]:
    """Return the fields of a node that are set by name only: those with its place in the text."""
    return tuple(slot.name for slot in fields(kind) if slot.kw_only)


def parts(node: typing.Any) -> tuple[typing.Any, ...]:
    """Return the fields of a node, or the members of a tuple; () for any other value."""
    if isinstance(node, tuple):
        return node
    read = _reader(node.__class__)
    return () if read is None else read(node)


def nodes(node: typing.Any) -> Iterator[object]:
    """Yield a node of the model or of the syntax tree and all nodes in it, in order."""
    pending = [node]
    while pending:
        node = pending.pop()
        if node.__class__ in _PLAIN:
            continue
        if isinstance(node, tuple):
            pending.extend(reversed(node))
        elif (read := _reader(node.__class__)) is not None:
            yield node
            pending.extend(reversed(read(node)))


def yields_of(relation: str, cases: Sequence[Case]) -> tuple[tuple[int, int], ...]:
    """Return the arguments of a relation that cases use as yield functions, by place, with the number of parts."""
    found: dict[int, int] = {}
    for case in cases:
        below = [x for x in nodes((case.consequent, case.conditions)) if isinstance(x, Composed)]
        parts = {x.function: len(x.lists) for x in below}
        for fact in nodes(case.conditions) if parts else ():
            if isinstance(fact, HasFact) and fact.relation == relation:
                found |= {k: parts[term] for k, term in enumerate(fact.terms) if term in parts}
    return tuple(found.items())


def composes_by_relations(cases: Iterable[Case]) -> bool:
    """Whether each yield function that a case uses is an argument of a relation that the same case asks for."""
    return all(
        any(x.function in fact.terms for fact in nodes(case.conditions) if isinstance(fact, HasFact))
        for case in cases
        for x in nodes((case.consequent, case.conditions))
        if isinstance(x, Composed)
    )


def rewrite(node: typing.Any, change: Callable[[typing.Any], typing.Any]) -> typing.Any:
    """Return a node with its parts replaced by what `change` returns for them; None leaves a part as it is.

    Parts in which nothing is replaced stay the same objects.
    """
    changed = change(node)
    if changed is not None:
        return changed
    before = parts(node)
    after = tuple([x if x.__class__ in _PLAIN else rewrite(x, change) for x in before])
    if all(map(is_, after, before)):
        return node
    if isinstance(node, tuple):
        return after
    return node.__class__(*after, **{name: getattr(node, name) for name in _beside(node.__class__)})


_PLAIN = frozenset((str, int, bool, None.__class__))  # classes of parts that are not nodes, and have none


def renamed(node: typing.Any, names: Mapping[str, str]) -> typing.Any:
    """Return a node with other names for its variables."""

    def change(part: typing.Any) -> typing.Any:
        if not isinstance(part, _NAMED):
            return None
        return replace(part, name=names[part.name]) if part.name in names else part

    return rewrite(node, change)


def variables(node: object) -> Iterator[str]:
    """Yield the names of the variables in a term, condition, pattern or rule, with repetitions, in order."""
    return (part.name for part in nodes(node) if isinstance(part, _NAMED) and not is_length(part.name))


def is_length(name: str) -> bool:
    """Whether a name is that of an input's length, `n of source`, which is not a variable."""
    return name.startswith(LENGTH_OF)


LENGTH_OF = "n of "
_NAMED = (Var, Length, Splice)
