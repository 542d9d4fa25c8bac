"""The checked relation: the claim of a relation file as plain frozen values.

A `Relation` claims one kind of relation between two schemata; its `ItemMap`s define which of their items
correspond. Both schemata have their parameters filled in. A file may claim a relation for several
values of its variables; a `RelationFile` has one `Relation` for each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias, get_args

from schemata.errors import did_you_mean
from schemata.language import model as m
from schemata.language.source import SourceText, Span
from schemata.records import Record, field, replace

StepKind: TypeAlias = Literal[
    "step-refinement", "item-refinement", "static-filter", "dynamic-filter", "step-contraction", "item-contraction"
]  # fmt: skip
ChainKind: TypeAlias = Literal["generalisation", "filtering"]
Kind: TypeAlias = StepKind | ChainKind
Requirement: TypeAlias = Literal["links from rules"]

# What a chain consists of, each kind the strongest first (GCW11, section 4).
CHAINS: Mapping[ChainKind, tuple[StepKind, ...]] = {
    "generalisation": ("step-refinement", "item-refinement"),
    "filtering": ("static-filter", "dynamic-filter", "step-contraction", "item-contraction"),
}
CHAIN_KINDS: tuple[ChainKind, ...] = tuple(CHAINS)
KINDS: tuple[Kind, ...] = (*get_args(StepKind), *CHAIN_KINDS)
# The kinds by whose definition items of the second schema are carried to items of the first.
INTO_FIRST: frozenset[Kind] = frozenset(
    ("item-refinement", "static-filter", "dynamic-filter", "step-contraction", "filtering")
)
# What a relation may ask of the grammars under which it is claimed.
REQUIREMENTS: Mapping[Requirement, str] = {
    "links from rules": "every licensed link is one that some rule of the grammar builds"
}


class ItemMap(Record):
    """Items that match `source` under the conditions are carried to `target`, an expression.

    The source belongs to the first schema and the target to the second one; where `reversed` (written
    `map TARGET from SOURCE`), it is the other way round. `types` are those of the variables. A form that is
    carried over unchanged has a map as well, which is not `written`.
    """

    source: m.Pattern
    target: m.Pattern
    conditions: tuple[m.Condition, ...]
    types: Mapping[str, m.Type]
    reversed: bool
    span: Span = field(compare=False)
    written: bool = True


class Relation(Record):
    """A claim: `first` is related to `second` by a relation of kind `kind`, whose `maps` say which items correspond.

    Items of forms without a map correspond to nothing. All maps go one way. `settings` are the values of the
    file's variables in this claim; `through` are the schemata that a chain passes on its way. The kind is
    None if none is claimed.
    """

    name: str
    first: m.Schema
    second: m.Schema
    kind: Kind | None
    maps: tuple[ItemMap, ...]
    requires: tuple[Requirement, ...] = ()
    reference: str | None = None
    through: tuple[m.Schema, ...] = ()
    settings: tuple[tuple[str, int], ...] = ()
    source: SourceText | None = field(default=None, compare=False)

    @property
    def reversed(self) -> bool:
        """Whether the maps carry items of the second schema to items of the first."""
        return any(m.reversed for m in self.maps)


class Variable(Record):
    """A variable of a relation file: the claim is made for every whole number from low to high."""

    name: str
    low: int
    high: int


class RelationFile(Record):
    """A relation file: its name, its variables, and its claims, one for all values of each variable."""

    name: str
    variables: tuple[Variable, ...]
    relations: tuple[Relation, ...]
    source: SourceText = field(compare=False)


_INVERSES: Mapping[Kind | None, StepKind] = {
    "step-refinement": "step-contraction",
    "step-contraction": "step-refinement",
    "item-refinement": "item-contraction",
    "item-contraction": "item-refinement",
}


def turned(relation: Relation) -> Relation:
    """Return the same claim read from the second schema to the first; of no kind where its kind has no inverse.

    >>> from schemata.language.relations import load_relation
    >>> claim, = load_relation("eisner-satta1999-eisner1996").relations
    >>> turned(claim).kind
    'step-contraction'
    """
    maps = tuple(replace(x, reversed=not x.reversed) for x in relation.maps)
    kind = _INVERSES.get(relation.kind)
    first, second = relation.second, relation.first
    return replace(relation, first=first, second=second, kind=kind, maps=maps, through=())


def kind_hint(name: str, kinds: Iterable[Kind]) -> str | None:
    """Return a hint for an unknown kind of relation; papers write sr or df over arrows.

    >>> kind_hint("df", KINDS)
    'did you mean dynamic-filter?'
    """
    kinds, hyphened = tuple(kinds), re.sub("[ _]+", "-", name)
    if hyphened in kinds:
        return f"write {hyphened}"
    if name == "filter":
        return "a static-filter leaves out, a dynamic-filter adds antecedents"
    letters = {"".join(word[0] for word in kind.split("-")): kind for kind in kinds if "-" in kind}
    return did_you_mean(hyphened, kinds) or (f"did you mean {letters[name]}?" if name in letters else None)
