"""Whether verdicts travel along a relation for every number of words: conditions beside its proof for every n.

A relation by single steps that is proved for every n carries completeness from the emulated schema to the emulating
one, and soundness back, if moreover

- each way takes in all that the step's antecedents have built, and nothing else: along antecedents that contribute
  structure, its result comes from just those antecedents of the step that do. So an item's image has a derivation with
  just the links of the item's own derivation, by induction;
- the image of each final item is surely a final item, for every n; the solver decides that. A final hypothesis has no
  structure: it needs one, as it is written or as maps carry it.

Each once travels the other way only where different derivations stay different, and along no relation that is
shipped: none leads to a schema that derives each tree once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from schemata.correctness.certificate import checksum_of
from schemata.correctness.steps import program_of
from schemata.errors import SchemaError
from schemata.language.relation_model import Relation, StepKind
from schemata.language.relations import read_maps
from schemata.language.typeset import reference_of
from schemata.order.logic import SolverFailed, SolverFormula
from schemata.program.linear import variable
from schemata.program.model import Atom, Final
from schemata.records import fields_json
from schemata.relations import certificate as certificates
from schemata.relations.answers import Answer
from schemata.relations.certificate import (
    BY_STEPS,
    ImagePlace,
    ImageRule,
    NotProvedError,
    RelationCertificate,
    RelationChecker,
    SymbolicItem,
    Way,
    certificate_of,
)
from schemata.workbench import load


def refusal(relation: Relation, kind: StepKind, certificate: RelationCertificate) -> str:
    """Return why verdicts do not travel for every n along a relation that a certificate proves; nothing if they do."""
    try:
        checker = RelationChecker(relation, kind)
        for case in checker.cases():
            for way in certificate.ways.get(case.key, ()):
                check_takes_all(checker, case, way)
        check_finals(checker)
    except (NotProvedError, SolverFailed) as failure:
        return str(failure)
    return ""


def entry(answer: Answer, relation: Relation, name: str) -> dict[str, Any]:
    """Return a relation that is proved for every n as it stands in the file of transfers: as `relate` writes it, with
    the file that it is from, the schemata that are emulated and that emulate, and their checksums.
    """
    ends = (relation.first, relation.second)
    ordered = ends if BY_STEPS[relation.kind][0] else ends[::-1]  # type: ignore[index]
    return {
        "relation": name,
        "travels": [reference_of(end) for end in ordered],
        "checksums": [checksum_of(end, program_of(end)) for end in ordered],
        **fields_json(answer, certificates.FIELDS),
    }


def entry_refusal(value: Mapping[str, Any]) -> str:
    """Return why a relation of the file of transfers does not carry claims for every n; nothing if it does.

    Schemata are loaded by reference, and the relation is read from the entry: whether a file of that name claims it
    does not matter.
    """
    forward, _ = BY_STEPS[value["kind"]]
    ordered = [load(name).definition for name in value["travels"]]
    if value["checksums"] != [checksum_of(end, program_of(end)) for end in ordered]:
        return "it is about other schemata, or some that have changed"
    first, second = ordered if forward else ordered[::-1]
    try:
        relation = read_maps(value["maps"], first, second, value["kind"])
    except SchemaError:
        return "its maps are not between these schemata"
    found = certificate_of(value["cases"])
    return certificates.refusal(relation, value["kind"], found) or refusal(relation, value["kind"], found)


def check_takes_all(checker: RelationChecker, case: ImageRule, way: Way) -> None:
    """Judge that the result of a way has the structure of just those antecedents of its step that contribute some.

    Raises
    ------
    NotProvedError : it does not, in some instance of the case.
    """
    # An antecedent that is a hypothesis (no map carries it) has no structure.
    pairs = enumerate(zip(case.images[:-1], case.rule.contexts, strict=True))
    wanted = {k for k, (image, context) in pairs if image is not None and not context}
    if _taken(checker, way, way.result, len(way.steps)) != wanted:
        step = checker.source.schema.cases[case.rule.case].step
        raise NotProvedError(f"the steps that stand for {step} take in other structures than it does")


def _taken(checker: RelationChecker, way: Way, place: ImagePlace, before: int) -> set[int]:
    """Return the antecedents whose structure goes into an item of a way; a way's step may only use items made
    `before` it.
    """
    if place is None:
        return set()
    if place >= 0:
        return {place}
    number = -1 - place
    if number >= before:
        raise NotProvedError("a way uses an item that it has not made")
    step = way.steps[number]
    contexts = checker.target.program.rules[step.rule].contexts
    places = [one for one, context in zip(step.places, contexts, strict=True) if not context]
    return {k for one in places for k in _taken(checker, way, one, number)}


def check_finals(checker: RelationChecker) -> None:
    """Judge that the image of each final item of the emulated schema is a final item of the other, for every n.

    Raises
    ------
    NotProvedError : the image of some final item may not be final.
    SolverFailed : the solver does not answer.
    """
    source, target, solver = checker.source, checker.target, checker.solver
    for clause in source.program.finals:
        apart = {x: variable(f"{x} of the final item") for t in clause.atom.terms for x in t.variables}
        atom = Atom(clause.atom.kind, tuple(t.substitute(apart) for t in clause.atom.terms))
        item = source.item(atom)
        known = [solver.tests(test.substitute(apart) for test in clause.tests), source.conditions(atom, {})]
        hypothesis = source.is_hypothesis(item, surely=False)
        if solver.possible(*known, hypothesis):
            forms = {(form.name, len(form.fields)) for form in target.schema.forms}
            always = solver.all_of(())
            images = [(always, item)] if (item[0], len(item[1])) in forms else []
            images += [(here, image) for _, here, image in checker.carried(item)]
            ways = (
                solver.all_of(
                    (
                        here,
                        target.is_hypothesis(image, surely=True),
                        _is_final(checker, image, target.program.finals),
                    )
                )
                for here, image in images
            )
            if solver.possible(*known, hypothesis, *map(solver.opposite, ways)):
                raise NotProvedError(f"a hypothesis that is final in {source.schema.name} may not be one")
        for _, here, image in checker.carried(item):
            if solver.possible(
                *known, here, solver.opposite(_is_final(checker, image, target.program.finals))
            ):
                raise NotProvedError(
                    f"an item that is final in {source.schema.name} may not be final in {target.schema.name}"
                )


def _is_final(checker: RelationChecker, item: SymbolicItem, clauses: Sequence[Final]) -> SolverFormula:
    """The formula that an item is surely final; final items under conditions on the grammar are not.

    An item is final if any of its writings is: the one that is given, or a normal form.
    """
    found = []
    for there, written in [(checker.solver.all_of(()), item), *checker.target.writings(item)]:
        for clause in clauses:
            matched = None if clause.asks else checker.target.matched(clause.atom, clause.tests, written)
            if matched is not None:
                found.append(checker.solver.all_of((there, matched[0])))
    return checker.solver.any_of(found)
