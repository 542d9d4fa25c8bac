"""The syntax tree of a schema or relation file: every word with its place, before names and types are resolved.

Declarations hold items and conditions; items and conditions hold terms. Nothing here knows whether a name
exists; `schemata.language.files` turns these into the values of `schemata.language.model`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Literal, TypeAlias, TypeVar

from schemata.language.model import Parameter, nodes
from schemata.language.source import SourceText, Span
from schemata.records import Record

Environment: TypeAlias = Mapping[str, int]  # values of parameters
D = TypeVar("D")


class SyntaxNode(Record):
    """A syntax node: a construct with its place in the source."""

    span: Span = field(kw_only=True)


# Terms -------------------------------------------------------------------------------------------------------


class Name(SyntaxNode):
    """A variable, parameter or `n`.

    It is `optional` where written `l?`, which also matches an absent value. It `stays` where written `x@` before a
    dot: the dot moves over x, or, if x is a multi-connector, may stay in front of it.
    """

    id: str
    optional: bool = False
    stays: bool = False


class Star(SyntaxNode):
    """A sequence variable `*A`; the id is without its star, and `_` for `*_`."""

    id: str


class Wildcard(SyntaxNode):
    """`_`, any value."""


class ConstantSyntax(SyntaxNode):
    """A number, a quoted symbol, `true`, `false`, the absent value `-`, `root`, or the head word `^`."""

    value: int | bool | str | None
    kind: Literal["number", "symbol", "flag", "absent"]


class Sum(SyntaxNode):
    """`i + 1`, `j - k`: signed terms in the order written."""

    parts: tuple[tuple[int, TermSyntax], ...]


class LengthSyntax(SyntaxNode):
    """`length(L)`, the number of elements of a list."""

    operand: TermSyntax


class ListTermSyntax(SyntaxNode):
    """`<a, *B, (x, true)>`, a list or a pattern of lists; `<*[i..j]>`, all positions of an interval."""

    elements: tuple[TermSyntax | RunSyntax, ...]


class RunSyntax(SyntaxNode):
    """`*(_, true)` within a list: any number of elements, all of one shape."""

    shape: TermSyntax


class TupleTermSyntax(SyntaxNode):
    """`(a, b)`, an element with several parts."""

    terms: tuple[TermSyntax, ...]


class Dotted(SyntaxNode):
    """`A(*alpha . B *beta)`: a rule of the grammar cut by its dots into one part more than it has dots."""

    category: TermSyntax
    parts: tuple[tuple[TermSyntax, ...], ...]


class FactSyntax(SyntaxNode):
    """`adjoin(T, N)`: a declared relation of the grammar; with one name as its argument it is read as a `Dotted`.

    Or a term, `pair(X, A)` or `X/Y`; then `relation` is its constructor.
    """

    relation: TermSyntax
    terms: tuple[TermSyntax, ...]


class Sequence(SyntaxNode):
    """`*a . x *b`: labels, cut by their dots into one part more than there are dots."""

    parts: tuple[tuple[Name | Star | Wildcard, ...], ...]


class NotSyntax(SyntaxNode):
    """`not b`."""

    operand: TermSyntax


class JunctionSyntax(SyntaxNode):
    """`a and b and c`, or the same with `or`."""

    word: Literal["and", "or"]
    operands: tuple[TermSyntax, ...]


ComparisonSign: TypeAlias = Literal["<", ">", "<=", ">=", "==", "!="]


class ComparisonSyntax(SyntaxNode):
    """`0 <= i < j`: one relation fewer than operands."""

    operands: tuple[TermSyntax, ...]
    relations: tuple[ComparisonSign, ...]


class IntervalSyntax(SyntaxNode):
    """`[i..j]`, the positions from i to j."""

    low: TermSyntax
    high: TermSyntax


class DifferenceSyntax(SyntaxNode):
    """`[i..j] minus [l..r]`."""

    left: RegionSyntax
    right: IntervalSyntax | Name


class Membership(SyntaxNode):
    """`x in [i..j] minus [l..r]`, `x not in L`."""

    element: TermSyntax
    region: RegionSyntax
    negated: bool = False


class StateTest(SyntaxNode):
    """`*B is empty`, `l is absent` and their opposites."""

    operand: TermSyntax
    state: Literal["empty", "absent"]
    negated: bool = False


class MatchesSyntax(SyntaxNode):
    """`x ~ y`: the two connectors match."""

    left: TermSyntax
    right: TermSyntax


class PathSyntax(SyntaxNode):
    """`i connected to j in A`, by arcs of any direction, or `i above j in A`, from heads to dependents."""

    one: TermSyntax
    other: TermSyntax
    arcs: TermSyntax
    directed: bool
    negated: bool = False


RegionSyntax: TypeAlias = "DifferenceSyntax | TermSyntax"
TermSyntax: TypeAlias = (
    Name | Star | Wildcard | ConstantSyntax | Sum | LengthSyntax | ListTermSyntax | RunSyntax | TupleTermSyntax
    | Dotted | FactSyntax | Sequence | MatchesSyntax | NotSyntax | JunctionSyntax | ComparisonSyntax
    | Membership | StateTest | PathSyntax | IntervalSyntax
)  # fmt: skip


# Conditions --------------------------------------------------------------------------------------------------


class LinkCondition(SyntaxNode):
    """`attach d to h by l` (licence and building), `licensed d to h` (licence alone), `link d to h` (building)."""

    dependent: TermSyntax
    head: TermSyntax
    label: TermSyntax | None
    licence: bool
    builds: bool


class BuildCondition(SyntaxNode):
    """`builds bracket(A, i, j) over 2`: builds an atom; a bracket may be over one antecedent, counted from 1."""

    name: str
    terms: tuple[TermSyntax, ...]
    over: int | None


class LinkHeads(SyntaxNode):
    """`link head of 2 to head of 1`: builds the link between the heads of two antecedents, counted from 1."""

    dependent: int
    head: int


class HeadOfBuilt(SyntaxNode):
    """`head h`: word h is the head of the structure that the step builds."""

    head: TermSyntax


class GrammarCondition(SyntaxNode):
    """A condition on the grammar, which binds its free variables.

    `root S`: S may be the root. `rule A(*alpha)`: the grammar has the rule; its one term is a `Dotted`.
    `category h is A`: word h may be of category A. `corner A of E`: A is E, or the first symbol of a rule of a
    corner of E. `disjunct *R / *L of z`: word z has a disjunct with these requirements. `adjoin(T, N)`: the
    grammar has this fact of a relation that the schema declares; `negated` where it must not have it.
    """

    relation: str
    terms: tuple[TermSyntax, ...]
    negated: bool = False


class JoinCondition(SyntaxNode):
    """`join i to j by x ~ y if b`: the connectors match, and the step builds the link; only where b holds."""

    left: TermSyntax
    right: TermSyntax
    match: MatchesSyntax
    when: TermSyntax | None


class DecimalSyntax(SyntaxNode):
    """A number in a weight."""

    value: float


class ArithmeticSyntax(SyntaxNode):
    """A sign or the name of a function with its operands, in a weight."""

    operation: str
    operands: tuple[Name | DecimalSyntax | ArithmeticSyntax, ...]


class WeightCondition(SyntaxNode):
    """`weight 0.5 * p` or `weight log score(i, j) - 1`: the weight of the step, as a factor or as its
    logarithm.
    """

    term: Name | DecimalSyntax | ArithmeticSyntax
    is_log: bool


StepCondition: TypeAlias = (
    LinkCondition | BuildCondition | LinkHeads | HeadOfBuilt | GrammarCondition | JoinCondition | WeightCondition
)  # fmt: skip
ConditionSyntax: TypeAlias = TermSyntax | StepCondition


# Items -------------------------------------------------------------------------------------------------------


class ItemSyntax(SyntaxNode):
    """`span[i, j, b, c]`."""

    form: str
    terms: tuple[TermSyntax, ...]

    @property
    def name_span(self) -> Span:
        """The place of the form's name, with which the item begins."""
        return replace(self.span, end=self.span.column + len(self.form))


class TypeName(SyntaxNode):
    """A type as written: `position`, `list of (position, flag)`, `position?`."""

    name: str
    arguments: tuple[TypeName, ...] = ()


class FieldSyntax(SyntaxNode):
    """One field of an item form."""

    name: str
    type: TypeName


class Declaration(SyntaxNode):
    """A declaration, begun by a keyword: `environment` has the parameters in scope, with their values.

    One that `replaces` takes the place of an inherited one.
    """

    environment: Environment = field(default_factory=dict, kw_only=True)
    replaces: bool = field(default=False, kw_only=True)


class ItemDeclaration(Declaration):
    """`item span[i: position, ...] where ...`."""

    form: str
    fields: tuple[FieldSyntax, ...]
    where: tuple[ConditionSyntax, ...]


class RelationDeclaration(Declaration):
    """`relation adjoin(tree: symbol, node: symbol)`."""

    name: str
    fields: tuple[FieldSyntax, ...]


class TypeDeclaration(Declaration):
    """`type category = symbol | category / category | pair(category, symbol)`.

    An alternative is `symbol`; a sign that stands between its arguments; or the name of a constructor, with `()`.
    """

    name: str
    alternatives: tuple[TypeName, ...]


class Definition(Declaration):
    """`define linked(b, c) = b or c`."""

    name: str
    parameters: tuple[Name, ...]
    body: tuple[ConditionSyntax, ...]


class Hypothesis(Declaration):
    """`hypothesis word[i] where ...`."""

    item: ItemSyntax
    where: tuple[ConditionSyntax, ...] = ()


class FinalDeclaration(Hypothesis):
    """`final span[0, n] where ...`."""


class Mirror(Declaration):
    """`mirror span[i, j] = span[n - j, n - i]`."""

    left: ItemSyntax
    right: ItemSyntax


class EquationDeclaration(Declaration):
    """One line of a normal form: the left writing stands for the right one under the conditions."""

    left: ItemSyntax
    right: ItemSyntax
    conditions: tuple[ConditionSyntax, ...] = ()


class Covering(Declaration):
    """`item covers [i..j] minus gaps, with or without h`: a normal form by the words an item covers."""

    item: ItemSyntax
    region: RegionSyntax
    aside: Name


class SomeWordsSyntax(SyntaxNode):
    """Words that a claim names: `i`; `*H`, all of a list; `x for (x, false) in L`, x of each element like this;
    `i if not b`; of heads, `_` any word, `*_` any words, `*alpha` those of the symbols of a rule.
    """

    term: TermSyntax
    element: TermSyntax | None = None
    of: Name | None = None
    when: ConditionSyntax | None = None


class ForestClass(SyntaxNode):
    """`gap-degree-1`, `mg-k`: a class of forests; `below gap-degree-1` leaves out the heads of the trees."""

    name: str
    level: Name | ConstantSyntax | None
    below: bool


class Opening(SyntaxNode):
    """`open i`: just these words may take dependents behind the forest; `open at least i`: these words and perhaps
    others.
    """

    words: SomeWordsSyntax
    partly: bool = False


class Expectation(SyntaxNode):
    """`expected at i`: the words before i begin a sentence in which the category of the item's rule can follow."""

    place: TermSyntax


class LinkClaim(SyntaxNode):
    """`link m to h`: the forest has this link; `_` is any word, `[i..j]` one of these.

    `how` is "not", "one", "several", "one outer" or "several outer", or `number` says how many; `between m and h` the
    link has either direction. `for x, y in L`: for all neighbours in a list. `crossed by`: only links of these words
    cross it.
    """

    how: str
    dependent: TermSyntax | IntervalSyntax
    head: TermSyntax | IntervalSyntax
    number: TermSyntax | None = None
    undirected: bool = False
    neighbours: tuple[TermSyntax, TermSyntax, Name] | None = None
    crossing: tuple[SomeWordsSyntax, ...] | None = None


class Connection(SyntaxNode):
    """`i connected to j without [l..r] iff b`: both are in one tree, links within a region left out."""

    one: TermSyntax
    other: TermSyntax
    without: IntervalSyntax | None = None
    iff: ConditionSyntax | None = None
    negated: bool = False


class MeaningDeclaration(Declaration):
    """`means ITEM: trees HEADS over REGION with WORDS, PROPERTIES where CONDITIONS`: the meaning of an
    item.

    Words among the properties belong to the `Opening` before them.
    """

    item: ItemSyntax
    heads: tuple[SomeWordsSyntax, ...]
    region: RegionSyntax
    beside: tuple[SomeWordsSyntax, ...]
    properties: tuple[ForestClass | Opening | Expectation | LinkClaim | Connection | SomeWordsSyntax, ...]
    where: tuple[ConditionSyntax, ...] = ()


# Steps -------------------------------------------------------------------------------------------------------


class AntecedentSyntax(SyntaxNode):
    """An item above the line; `context` where written `given`."""

    item: ItemSyntax
    context: bool


class Family(SyntaxNode):
    """`for every layout of a, b, g ...`: a rule for each way of laying the letters out from left to right.

    `first` and `last` are the letters a layout may begin and end with, empty where any may.
    """

    letters: tuple[Name, ...]
    first: tuple[Name, ...]
    last: tuple[Name, ...]
    where: tuple[ConditionSyntax, ...]


class ConstituentSyntax(SyntaxNode):
    """`Left-Arc | i has no head in A`: a part of a composed step, and conditions on the variables of the part."""

    part: str
    conditions: tuple[ConditionSyntax, ...] = ()


class StepCase(SyntaxNode):
    """One rule: the parts above, below and beside the line. `lines` is the rule as written.

    Parts that could not be parsed are left out, the consequent too; `lost` has every name that occurs in
    them, and is None if all was parsed. `generated` are the variables that a family's member has of its
    own. A rule that is `composed` has nothing else.
    """

    label: str | None
    lines: tuple[str, ...]
    antecedents: tuple[AntecedentSyntax, ...] = ()
    consequent: ItemSyntax | None = None
    conditions: tuple[ConditionSyntax, ...] = ()
    lost: frozenset[str] | None = None
    family: Family | None = None
    generated: frozenset[str] = frozenset()
    composed: tuple[ConstituentSyntax, ...] = ()


class StepDeclaration(Declaration):
    """`step NAME` and its cases.

    `mirror step OTHER as NAME` has no cases: it is the mirror image of the other step. A `part` is not a step: steps
    are composed of it.
    """

    name: str
    cases: tuple[StepCase, ...] = ()
    image_of: str | None = None
    part: bool = False


# Schema files ------------------------------------------------------------------------------------------------


class Setting(SyntaxNode):
    """A name with a value: `k = 3` in a schema's head, or where a schema is named with values for its parameters."""

    name: str
    value: TermSyntax


class Header(SyntaxNode):
    """`schema NAME(k = 3) extends OTHER(j = 1) where k >= 3`."""

    name: str
    parameters: tuple[Setting, ...] = ()
    extends: SchemaReference | None = None
    where: tuple[ConditionSyntax, ...] = ()


@dataclass(slots=True)
class SchemaSyntax:
    """A whole schema file as written; its reader adds one declaration after the other.

    Declarations that could not be parsed are left out: `lost_kinds` has their keywords, `lost_forms` the
    item forms they may declare and `lost_names` the parameters. `replaced` has the first place of each kind
    of `replace`.

    Once it is laid over the schemata that it extends, its declarations, `parameters` and `ranges` include theirs. It is
    not `complete` if a base is missing: then it may use names of the base that are unknown. It is not `sound` if a
    declaration to be replaced or left out does not exist. `labelled` is the setting that gives labels to its arcs.
    """

    source: SourceText
    header: Header
    title: str | None = None
    reference: str | None = None
    grammar: tuple[str, Span] | None = None
    structure: tuple[str, Span] | None = None
    inputs: tuple[Name, ...] = ()
    declarations: list[Declaration] = field(default_factory=list)
    removals: list[tuple[str, Span]] = field(default_factory=list)
    replaced: dict[str, Span] = field(default_factory=dict)
    lost_kinds: set[str] = field(default_factory=set)
    lost_forms: set[str] = field(default_factory=set)
    lost_names: set[str] = field(default_factory=set)
    complete: bool = True
    sound: bool = True
    parameters: tuple[Parameter, ...] = ()
    ranges: list[ConditionSyntax] = field(default_factory=list)
    labelled: bool = False

    def of(self, kind: type[D]) -> list[D]:
        """Return the declarations of a kind, in order."""
        return [d for d in self.declarations if d.__class__ is kind]

    def copied(self) -> SchemaSyntax:
        """Return a tree of the same declarations that can be changed by itself."""
        found = copy.copy(self)
        for slot in fields(self):
            value = getattr(self, slot.name)
            if isinstance(value, (list, dict, set)):
                setattr(found, slot.name, value.copy())
        return found


# Relation files ----------------------------------------------------------------------------------------------


class SchemaReference(SyntaxNode):
    """`mh(k = d + 2)`: a schema with values for its parameters; `span` is that of the name."""

    name: str
    arguments: tuple[Setting, ...] = ()


class RelationHeader(SyntaxNode):
    """`relation FIRST to SECOND`."""

    first: SchemaReference
    second: SchemaReference


class ItemMapLine(SyntaxNode):
    """`map SOURCE to TARGET where ...`, or `map TARGET from SOURCE where ...` where `reversed`."""

    source: ItemSyntax
    target: ItemSyntax
    where: tuple[ConditionSyntax, ...]
    reversed: bool


class ValueRange(SyntaxNode):
    """`for d in [1..3]`: the values of a variable of the file."""

    name: str
    low: TermSyntax
    high: TermSyntax


@dataclass(slots=True)
class RelationSyntax:
    """A relation file as written; its reader adds one declaration after the other.

    Parts that could not be parsed are left out. `whole` is false where something was: then a form without a map may
    have had one. `lost_names` are names that the omitted parts may declare.
    """

    source: SourceText
    header: RelationHeader | None = None
    kind: tuple[str, Span] | None = None
    reference: str | None = None
    requires: list[tuple[str, Span]] = field(default_factory=list)
    through: list[SchemaReference] = field(default_factory=list)
    ranges: list[ValueRange] = field(default_factory=list)
    maps: list[ItemMapLine] = field(default_factory=list)
    whole: bool = True
    lost_names: set[str] = field(default_factory=set)


# Walking, and numbers --------------------------------------------------------------------------------------


def names_in(node: object) -> Iterator[Name | Star]:
    """Yield the names and sequence variables in a syntax node, in order, with repetitions."""
    return (part for part in nodes(node) if isinstance(part, (Name, Star)))


def application(node: object) -> tuple[Name, tuple[TermSyntax, ...]] | None:
    """Return the name and the arguments of `name(a, b)`, a relation or an abbreviation; None for other nodes.

    With one name as its argument it is read like a rule without dots; `reverse(R)` is a function of labels.
    """
    match node:
        case FactSyntax(Name() as name, terms):
            return name, terms
        case Dotted(Name() as name, ((*parts,),)) if len(parts) < 2 and name.id != "reverse":
            return name, tuple(parts)
    return None


def number_of(term: TermSyntax, names: Environment) -> int | TermSyntax:
    """Return the value of a sum of numbers and names with values; else the part of it that has none."""
    match term:
        case ConstantSyntax(int() as number, "number"):
            return number
        case Name(name) if name in names:
            return names[name]
        case Sum(parts):
            total = 0
            for sign, part in parts:
                value = number_of(part, names)
                if not isinstance(value, int):
                    return value
                total += sign * value
            return total
    return term


def holds(numbers: list[int], relations: Iterable[ComparisonSign]) -> bool:
    """Whether numbers stand in the relations of a comparison.

    >>> holds([1, 2, 2], ["<", "<="])
    True
    """
    return all(_TESTS[r](a, b) for a, r, b in zip(numbers, relations, numbers[1:], strict=False))


_TESTS: Mapping[ComparisonSign, Callable[[int, int], bool]] = {
    "<=": int.__le__, "<": int.__lt__, ">=": int.__ge__, ">": int.__gt__, "==": int.__eq__, "!=": int.__ne__,
}  # fmt: skip
