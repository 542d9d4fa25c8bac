"""Lifting: emulations of short sentences become ways that hold for every n.

What emulates an instance is forgotten but for the steps and where their antecedents come from. The rest is solved
for: which values the variables of the steps have, in terms of those of the step that is emulated. `certificate`
judges what comes of it, so that nothing here needs to be trusted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from schemata.language.relation_model import Relation, StepKind
from schemata.order.logic import SolverFailed
from schemata.program.linear import Affine, Linear, solved, variable
from schemata.relations.certificate import (
    Case,
    Certificate,
    Checker,
    Item,
    NotProvedError,
    Place,
    Way,
    Ways,
    WayStep,
    equal,
)
from schemata.relations.mapping import Correspondence
from schemata.relations.systems import Ground, System

Sketch: TypeAlias = tuple[tuple[tuple[int, tuple[Place, ...]], ...], Place]
"""The steps of an emulation, each by the number of its case with where its antecedents come from, and where the result
comes from. An antecedent of the emulated step may be a hypothesis."""


def sketched(
    source: System, ground: Ground, target: System, emulation: Sequence[Ground], mapping: Correspondence
) -> Sketch:
    """Return what an emulation of an instance tells about those of longer sentences."""
    given: dict[int, int] = {}
    for k, item in enumerate(ground.antecedents):
        if item in mapping.image:
            given.setdefault(mapping.image[item], k)
    made: dict[int, int] = {}

    def place(item: int) -> Place:
        return given.get(item) if target.is_hypothesis(item) else made.get(item, given.get(item))

    steps = []
    for number, one in enumerate(emulation):
        steps.append((one.case, tuple(map(place, one.antecedents))))
        made[one.consequent] = -1 - number
    return tuple(steps), place(mapping.image[ground.consequent])


def lifted(
    relation: Relation, kind: StepKind, sketches: dict[int, dict[Sketch, None]]
) -> tuple[Certificate | None, str]:
    """Return a certificate that a relation holds for every n; None and the reason where none is found.

    Parameters
    ----------
    relation, kind : as `Checker` takes them.
    sketches : of every case of the source, by its number.
    """
    try:
        checker = Checker(relation, kind)
        found: Ways = {}
        for case in checker.cases():
            ways: list[Way] = []
            tried = dict.fromkeys((*sketches.get(case.rule.case, ()), *_alike(checker, case)))
            for way in (way for sketch in tried for way in _filled(checker, case, sketch)):
                if checker.gap(case, ways) is None:
                    break
                if checker.solver.possible(case.assumed, checker.formula(case, way)):
                    ways.append(way)
            checker.prove(case, ways)
            found[case.key] = tuple(ways)
    except (NotProvedError, SolverFailed) as failure:
        return None, str(failure)
    return Certificate(found), ""


def _alike(checker: Checker, case: Case) -> Iterator[Sketch]:
    """Yield single steps, those of the same name first: a rule may have no instance among the lengths tried."""
    name = checker.source.schema.cases[case.rule.case].step
    above = tuple(range(len(case.items) - 1))
    found = [(k, x) for k, x in enumerate(checker.target.schema.cases) if len(x.antecedents) == len(above)]
    for number, _ in sorted(found, key=lambda one: one[1].step != name):
        yield ((number, above),), -1


def _filled(checker: Checker, case: Case, sketch: Sketch) -> Iterator[Way]:
    """Yield the ways of a sketch: rules for its steps, and values of their variables."""
    target = checker.target
    images = list(case.images)
    for k, image in enumerate(images):
        if image is None:
            own = case.items[k]
            images[k] = next((there for _, _, there in checker.carried(own)), own)

    def further(
        steps: tuple[WayStep, ...], made: tuple[Item, ...], zero: tuple[Affine, ...]
    ) -> Iterator[Way]:
        k = len(steps)
        if k == len(sketch[0]):
            found = _solved(steps, _come(case, sketch[1]), made, images[-1], zero)
            if found is not None and checker.solver.possible(case.assumed, checker.solver.tests(found[1])):
                yield found[0]
            return
        for rule in target.program.rules:
            if rule.case != sketch[0][k][0]:
                continue
            names = {x: variable(f"{x}'{k}") for x in rule.variables}
            tests = list(zero)
            for atom, place in zip(rule.antecedents, sketch[0][k][1], strict=True):
                item = None if place is None else made[-1 - place] if place < 0 else images[place]
                if item is not None:
                    pairs = equal(target.item(atom.substitute(names)), item)
                    if pairs is None:
                        break
                    tests += [test.left for test in pairs]
            else:
                step = WayStep(
                    rule.number, tuple(_come(case, x) for x in sketch[0][k][1]), tuple(names.items())
                )
                result = target.item(rule.consequent.substitute(names))
                yield from further((*steps, step), (*made, result), tuple(tests))

    return further((), (), ())


def _come(case: Case, place: Place) -> Place:
    """Return where an item of a sketch comes from in a case: from nowhere else where it is a hypothesis."""
    return None if place is not None and place >= 0 and case.images[place] is None else place


def _solved(
    steps: Sequence[WayStep], result: Place, made: Sequence[Item], image: Item | None, zero: Sequence[Affine]
) -> tuple[Way, list[Linear]] | None:
    """Return a way with the values of its variables, and what is left to hold; None where they are not determined."""
    names = [name for step in steps for _, term in step.values for name in term.names]
    values, rest = solved(zero, names)
    if result is not None and result < 0 and image is not None and any(x not in values for x in names):
        values, rest = solved((*zero, *(test.left for test in equal(made[-1 - result], image) or ())), names)
    if any(x not in values or {*values[x].names} & {*names} for x in names):
        return None
    filled = (replace(s, values=tuple((x, t.substitute(values)) for x, t in s.values)) for s in steps)
    return Way(tuple(filled), result), [Linear("==", left) for left in rest]
