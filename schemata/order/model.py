"""Proved orders of evaluation, and refusals: the reasons why a schema has no such order.

Items are completed level by level; a level is a tuple of linear terms over an item's columns, compared
lexicographically. Every consequent is at the level of its antecedents or a later one; rules whose consequent
may be on the level of an antecedent (*ties*) are put into strata, which are run one after the other within
the level. If one linear level does not fit all items of a kind, linear tests divide the kind into *regions*: items
whose head stands left of the words they cover, among them, or right of them, for instance.
"""

from __future__ import annotations

from collections.abc import Mapping

from schemata.language.typeset import format_item
from schemata.program.linear import Affine, Linear
from schemata.program.model import Atom, Program, Rule
from schemata.program.queries import Terms
from schemata.records import Record


class Region(Record):
    """Items of a kind that pass the tests.

    `tests`, `invariants` and `level` are over the kind's column names and ``n``. The regions of a kind exclude
    each other and leave nothing out. `invariants` hold for every hypothesis and every derived item of the
    region (they bound every column), proved by induction for all n >= 1; they include the kind's conditions
    where those are linear. `level` has the same length for all regions.
    """

    number: int
    kind: int
    name: str
    tests: tuple[Linear, ...]
    invariants: tuple[Linear, ...]
    level: tuple[Affine, ...]


class OrderedRule(Record):
    """A rule for one choice of regions.

    `ties` are the antecedents (0-based) that may be on the consequent's level; without any, the stratum is 0.
    A rule that ties stands in a later stratum than every rule that may derive its tied antecedents on the level.
    """

    rule: int
    antecedents: tuple[int, ...]
    consequent: int
    ties: tuple[int, ...]
    stratum: int


class Order(Record):
    """A proved order for a program. For forms with a normal form, all writings of an item are on one level.

    It holds for items that come from the schema's hypotheses by its steps, for every sentence length, under every
    grammar. It says nothing where other items are given from the start.
    """

    program: Program
    regions: tuple[Region, ...]
    rules: tuple[OrderedRule, ...]

    @property
    def depth(self) -> int:
        """The number of terms of a level."""
        return len(self.regions[0].level) if self.regions else 0

    @property
    def strata(self) -> int:
        """The number of strata."""
        return 1 + max((rule.stratum for rule in self.rules), default=0)


class Refusal(Record):
    """Why there is no order: the reason, the rule that prevents it (its number in the program), and an example.

    `undecided` says that the solver is missing or gave up; another attempt may end otherwise. `patience` is how many
    seconds did not suffice then.
    """

    reason: str
    rule: int | None = None
    example: str | None = None
    undecided: bool = False
    patience: float = 0.0


def told_instance(program: Program, rule: Rule, values: Mapping[str, int]) -> str:
    """Return an instance of a rule: the sentence length, the step, its antecedents and its consequent."""
    names = {x for term in rule.all_terms() for x in term.names}
    known = {**dict.fromkeys(names, 0), "n": 1, **values}

    def item(atom: Atom) -> str:
        kind = program.kinds[atom.kind]
        columns = tuple(
            0 if c.sort != "position" else t.value(known)
            for c, t in zip(kind.columns, atom.terms, strict=True)
        )
        shown = kind.values(columns, Terms(("_",)).value)
        return format_item(program.schema.forms[kind.form], shown)

    step = program.schema.cases[rule.case].step
    words = known["n"]
    antecedents = "   ".join(map(item, rule.antecedents))
    return f"with {words} word{'s' if words > 1 else ''}, {step}: {antecedents} => {item(rule.consequent)}"


# Looked up or proved ----------------------------------------------------------------------------------------
