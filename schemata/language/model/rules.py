"""Items and inference rules: item forms, patterns of items, hypotheses and final items, cases of steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from schemata.language.model.conditions import Condition
from schemata.language.model.terms import Matches, Term
from schemata.language.model.types import Type
from schemata.language.source import Span

__all__ = [
    "Antecedent",
    "Case",
    "Clause",
    "Cover",
    "Equation",
    "Field",
    "Form",
    "HeadLink",
    "Join",
    "Link",
    "Pattern",
]


@dataclass(frozen=True, slots=True)
class Field:
    """A field of an item form."""

    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class Pattern:
    """An item with terms in its fields: a pattern above the line, an expression below it."""

    form: str
    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Equation:
    """One line of a normal form: a writing that matches `left` under the conditions stands for `right`."""

    left: tuple[Term, ...]
    right: tuple[Term, ...]
    conditions: tuple[Condition, ...]
    types: Mapping[str, Type]
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Cover:
    """A normal form by what an item covers: the words low..high without the gaps, with or without `aside`.

    All four are field numbers. The normal writing covers `aside` exactly if it covers `aside` + 1; an item
    that covers nothing else is left as it is.
    """

    low: int
    high: int
    gaps: int
    aside: int


@dataclass(frozen=True, slots=True)
class Form:
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


@dataclass(frozen=True, slots=True)
class Clause:
    """A hypothesis or a final item: a pattern, its conditions and the types of its variables."""

    pattern: Pattern
    conditions: tuple[Condition, ...]
    types: Mapping[str, Type]
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Antecedent:
    """A pattern above the line. A context antecedent licenses the step but contributes no structure."""

    pattern: Pattern
    context: bool


@dataclass(frozen=True, slots=True)
class Link:
    """A link that a case builds: dependent and head, both positions."""

    dependent: Term
    head: Term


@dataclass(frozen=True, slots=True)
class Join:
    """A labelled link that a case builds between two words by a connector of each, where `when` holds."""

    left: Term
    right: Term
    by: Matches
    when: Term | None = None


@dataclass(frozen=True, slots=True)
class HeadLink:
    """A link between the heads of what two antecedents (0-based) have built."""

    dependent: int
    head: int


@dataclass(frozen=True, slots=True)
class Case:
    """One inference rule.

    `head` is the word that heads what the case builds, where the schema says so; else the head is that of the
    first structural antecedent that has one. `lines` is the rule as written.
    """

    step: str
    label: str | None
    antecedents: tuple[Antecedent, ...]
    consequent: Pattern
    conditions: tuple[Condition, ...]
    links: tuple[Link | Join, ...]
    head_links: tuple[HeadLink, ...]
    head: Term | None
    types: Mapping[str, Type]
    span: Span = field(compare=False)
    lines: tuple[str, ...] = field(default=(), compare=False)
