"""Schemata over facts that build constituent trees under test, for classes of bracketings.

A schema over facts leaves the meaning of categories, and the rules, to its grammars. So it is asked which
words stand together under some grammar. Facts over one symbol are tried, all of them at once, and random ones over two.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from schemata.budget import Budget
from schemata.engine.chart import Chart
from schemata.forest.forest import Edge
from schemata.forest.states import Bits, united
from schemata.forest.structures import stretches
from schemata.language import model as m
from schemata.structures.bracketings import Bracketing, BracketingClass, classes_around
from schemata.structures.classes import OwnClass
from schemata.structures.projections import members
from schemata.verification.grammars import FactGrammar, decided_by_facts, fact_cases
from schemata.verification.progress import Outcome, Progress, Reader, Subject
from schemata.verification.verdicts import AnyStructure, Between
from schemata.workbench import ParsingSchema


@dataclass(slots=True)
class WordSets:
    """The states of bracketings: sets of words as bits, and sets of these as bits again."""

    chart: Chart
    bits: Bits = field(default_factory=Bits)

    plain = True
    leaf = 0
    combine = staticmethod(united)

    def links(self, edge: Edge) -> int:
        """Return the word sets of an edge's own constituents, where they have two words or more."""
        found = 0
        for atom, numbers in zip(self.chart.schema.cases[edge.case].links, edge.links, strict=True):
            _, *places = self.chart.arguments(atom, numbers)
            words = {word for first, last in stretches(places) for word in range(first, last + 1)}
            if len(words) > 1:
                found |= self.bits[sum(1 << word for word in words)]
        return found

    def structure(self, state: int) -> Bracketing:
        """Return the bracketing of a state, which may be that of no tree."""
        return Bracketing.of_masks(self.chart.n, (self.bits.found[k] for k in members(state)))

    def value(self, structure: Bracketing) -> Bracketing:
        """Return the bracketing."""
        return structure


def builds_bracketings(schema: m.Schema) -> bool:
    """Whether a schema's steps say which constituents they build."""
    return "bracket" in schema.atom_names


def bracketing_subject(schema: m.Schema, wanted: BracketingClass | OwnClass, limits: Budget) -> Subject:
    """Return a schema over facts that builds constituent trees under test for a class of bracketings.

    If other facts may derive more than all facts over one symbol, no bracketing can be shown to be missed.
    """
    decided = decided_by_facts(schema)

    def reader(case: FactGrammar, chart: Chart) -> Reader:
        building = WordSets(chart)
        return building, lambda state: AnyStructure(building.structure(state))

    def fault(case: FactGrammar, structure: AnyStructure) -> str | None:
        if wrong := structure.value.fault:
            return f"no tree: {wrong}"
        lack = wanted.missing(structure.value)
        return lack and f"a bracketing that is not {lack}"

    return Subject(
        ParsingSchema(schema),
        limits,
        lambda n, seed: fact_cases(schema, n, seed),
        reader,
        truth=lambda case: bracketings_of(wanted, case.n) if case.is_whole else [],
        fault=fault,
        answers=("sound", "complete") if decided else ("sound",),
        key=lambda answer, own, structure: (own.key, structure.value),
    )


def bracketings_of(wanted: BracketingClass | OwnClass, n: int) -> list[AnyStructure]:
    """Return the bracketings of a class, of n words."""
    if isinstance(wanted, BracketingClass):
        return [*map(AnyStructure, wanted.bracketings(n))]
    return [AnyStructure(one) for one in BracketingClass(()).bracketings(n) if wanted.contains(one)]


def between(schema: m.Schema, outcomes: Iterable[Outcome], to: int) -> Between | None:
    """Return the classes of bracketings that a schema lies between, by its outcomes to some length; None at 0.

    What facts derive is derived. Of a schema of which other facts may derive more, no class has all.
    """
    if not to:
        return None
    found = {one.value for outcome in outcomes for one in outcome.built}
    lower, upper = classes_around((one for one in found if one.fault is None), to)
    if any(one.fault is not None for one in found):
        return Between(lower, (), to)
    return Between(lower, (upper,) if decided_by_facts(schema) else None, to)


def confirm(state: Progress, wanted: BracketingClass | OwnClass, max_n: int, seed: int) -> None:
    """Take a class as derived to the length to which facts over one symbol derive all of it.

    If other facts may derive more, this can confirm the class, but not refute it.
    """
    for n in range(1, max_n + 1) if "complete" not in state.subject.answers else ():
        _, cases = state.subject.cases(n, seed)
        outcome = state.subject.examine(next(iter(cases)))
        if not outcome.built.issuperset(bracketings_of(wanted, n)):
            return
        state.covered["complete"] = n
