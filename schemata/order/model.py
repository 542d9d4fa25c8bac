"""Proved orders of evaluation, or the reasons why there are none: looked up in the cache, or proved once and cached.

Items are completed level by level; a level is a tuple of linear terms over an item's columns, compared
lexicographically. Every consequent is at the level of its antecedents or a later one; rules whose consequent
may be on the level of an antecedent (*ties*) are put into strata, which are run one after the other within
the level. If one linear level does not fit all items of a kind, linear tests divide the kind into *regions*: items
whose head stands left of the words they cover, among them, or right of them, for instance.

A cached file holds data, never code (`cache.values_read`). Its key is a hash of the lowered schema and of the modules
of the rooms that a proof depends on, so that a proof by other modules is not found.
"""

from __future__ import annotations

import functools
import hashlib
import math
from collections.abc import Mapping
from pathlib import Path

from schemata import cache
from schemata.language.typeset import format_item
from schemata.program import linear
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
    """Why there is no order: what was asked, which rule (number in the program) prevents it, and an example.

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

_KIND = "orders"  # folder in the user's cache folder


def key_of(program: Program) -> str | None:
    """Return what an order depends on, as a hash: the lowered schema and the modules that make the proof.

    None where nothing can be kept.
    """
    modules = _modules()
    content = (program.kinds, program.rules, sorted(program.equations.items()), program.hypotheses)
    return None if modules is None else hashlib.sha256(f"{modules} {content!r}".encode()).hexdigest()


@functools.cache
def _modules() -> str | None:
    """Return the state of the modules; what a proof tries, and shows of a refusal, comes from runs of the schema."""
    package = Path(__file__).parents[1]
    rooms = "charts.py", "grouping.py", "kernels", "language", "machine", "order", "program", "weights"
    return cache.state_of([package / room for room in rooms])


def look_up(program: Program, key: str | None) -> Order | Refusal | None:
    """Return what was kept for a program, or None where there is nothing that can be used."""
    modules = __name__, linear.__name__
    found = cache.kept_value(_KIND, program.schema.name, key, modules, program)
    return found if isinstance(found, Order | Refusal) else None


def prove_order(program: Program, patience: float = math.inf) -> Order | Refusal:
    """Return a proved order of evaluation for a lowered schema, or the reason why there is none.

    The answer holds for every sentence length and every grammar; what the solver does not decide is a refusal.
    Answers are kept in the user's cache folder (`cache`). That a proof was not found in so many seconds is asked anew
    only by those with more patience.

    >>> import schemata
    >>> from schemata.program.lower import lower
    >>> order = prove_order(lower(schemata.load("eisner1996").definition))
    >>> [(region.name, str(region.level[0])) for region in order.regions][:2]
    [('word', '0'), ('span(b = false, c = false)', 'j - i')]
    >>> order.strata
    2
    """
    key = key_of(program) if program.is_linear else None
    known = look_up(program, key)
    if known is not None and (isinstance(known, Order) or not known.undecided or known.patience >= patience):
        return known
    from schemata.order.proof import find_order

    found = find_order(program, patience)
    if isinstance(found, Order) or not found.undecided or found.patience > 0:
        cache.keep_value(_KIND, program.schema.name, key, found, program)
    return found


def known_order(program: Program) -> Order | Refusal | None:
    """Return what was found for a program before, None where nothing was."""
    return look_up(program, key_of(program))
