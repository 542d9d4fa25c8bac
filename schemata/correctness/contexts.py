"""Judgements about contexts: items that a step needs and whose links it does not take over.

A context is available if an item like it is derived without any licence, by steps from one position to the next. It is
also available if the step's items are claimed only where such a context exists (`Given`). Then each step with such an
item as an antecedent must have the context, too: as another antecedent, or as a given of its own items.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from schemata.correctness.certificate import Given, NotProved
from schemata.correctness.steps import Step, Woven, linear_names
from schemata.program.facts import conditions_of
from schemata.program.linear import Affine, Linear, Provided, Test, variable
from schemata.program.model import Atom

if TYPE_CHECKING:
    from schemata.correctness.cover import Cover


def check_contexts(
    cover: Cover,
    number: int,
    woven: Woven,
    values: Mapping[str, Affine],
    known: list[Test],
    contexts: Sequence[Atom],
    licences: Sequence[Provided],
    atom: Atom,
) -> None:
    """Judge that the context of a step is there: a given one, or one that needs no licence."""
    step = woven.step
    asked = [tuple(t.substitute(values) for t in test.arguments) for test in licences]
    givens = cover.checker.givens.get(atom.kind, ())
    if givens and len(contexts) == 1 and len(asked) <= 1:
        given = _given(cover, givens[number], atom)
        if _fits(cover, given, contexts[0], asked, known):
            return
    if asked:
        raise NotProved(f"step {step.name} asks for the licence of a link that it does not build")
    shared = [x for one in contexts for x in {*linear_names(one)} if not x.startswith("@") and x != "n"]
    if len({*shared}) < len(shared):
        raise NotProved(f"contexts of step {step.name} share variables that nothing else determines")
    for context in contexts:
        if not _follows_from_hypotheses(cover, context, known):
            raise NotProved(f"the context of step {step.name} may be missing")


def _given(cover: Cover, given: Given, atom: Atom) -> Given:
    """Return the context and the licence that an item needs, with the item's terms for the columns of its kind."""
    values = cover.checker.program.kinds[atom.kind].by_name(atom.terms)
    terms = tuple(term.substitute(values) for term in given.terms)
    dependent, head = given.licence
    return Given(given.kind, terms, (dependent.substitute(values), head.substitute(values)))


def _fits(
    cover: Cover, given: Given, context: Atom, asked: Sequence[tuple[Affine, ...]], known: Sequence[Test]
) -> bool:
    """Whether a given is the context and the licence that a step asks for, whatever its open columns are."""
    if given.kind != context.kind:
        return False
    # Open variables of the step take the values that the given has; each takes one.
    taken: dict[str, Affine] = {}
    pairs = list(zip(context.terms, given.terms, strict=True))
    if asked:
        pairs += list(zip(asked[0], given.licence, strict=True))
    for wanted, term in pairs:
        name = wanted.single
        if name in wanted.variables and name is not None and not name.startswith("@"):
            if taken.setdefault(name, term) != term:
                return False
        elif not _equal(cover, wanted, term, known):
            return False
    return True


def _equal(cover: Cover, one: Affine, other: Affine, known: Sequence[Test]) -> bool:
    left = one - other
    if not left.terms:
        return left.constant == 0
    # Open columns of a given have any values: only terms without them can be shown to be equal.
    if not all(x.startswith("@") for x in left.variables):
        return False
    return cover.checker.questions.follows(known, Linear("==", left))


def discharge(
    cover: Cover,
    number: int,
    step: Step,
    values: Mapping[str, Affine],
    known: Sequence[Test],
    above: Sequence[Atom],
    atom: Atom,
) -> None:
    """Judge that antecedents that need a context have one."""
    sure = [k for k, one in enumerate(above) if not cover.checker.givens.get(one.kind)]
    waiting = [k for k in range(len(above)) if k not in sure]
    own = [tuple(t.substitute(values) for t in link) for link in step.links]
    while waiting:
        for k in waiting:
            if _has_context(cover, number, above[k], known, [above[x] for x in sure], own, atom):
                sure.append(k)
                waiting.remove(k)
                break
        else:
            name = cover.checker.program.kinds[above[waiting[0]].kind].name
            raise NotProved(f"{name} may be without a context in step {step.name}")


def _has_context(
    cover: Cover,
    number: int,
    one: Atom,
    known: Sequence[Test],
    sure: Sequence[Atom],
    links: Sequence[tuple[Affine, ...]],
    atom: Atom,
) -> bool:
    mine = cover.checker.givens.get(atom.kind, ())
    for given in cover.checker.givens[one.kind]:
        wanted = _given(cover, given, one)
        if mine:
            passed = _given(cover, mine[number], atom)
            pairs = [
                *zip(wanted.terms, passed.terms, strict=False),
                *zip(wanted.licence, passed.licence, strict=True),
            ]
            if passed.kind == wanted.kind and all(_equal(cover, x, y, known) for x, y in pairs):
                return True
        for other in sure:
            if other.kind != wanted.kind:
                continue
            taken: dict[str, Affine] = {}
            fits = True
            for term, value in zip(wanted.terms, other.terms, strict=True):
                if term.single is not None and term.single.startswith("?"):
                    fits = fits and taken.setdefault(term.single, value) == value
                else:
                    fits = fits and _equal(cover, term.substitute(taken), value, known)
            licence = tuple(t.substitute(taken) for t in wanted.licence)
            if fits and any(
                all(_equal(cover, x, y, known) for x, y in zip(licence, link, strict=True)) for link in links
            ):
                return True
    return False


def _follows_from_hypotheses(cover: Cover, context: Atom, known: Sequence[Test]) -> bool:
    """Whether an item like a context is derived without any licence: by steps from one position to the next."""
    fixed = [k for k, term in enumerate(context.terms) if all(x.startswith("@") for x in term.variables)]
    open_ = [term.single for k, term in enumerate(context.terms) if k not in fixed]
    if (
        len(fixed) != 1
        or None in open_
        or len({*open_}) < len(open_)
        or cover.checker.givens.get(context.kind)
    ):
        return False
    [column] = fixed
    goal = context.terms[column]
    questions, kinds = cover.checker.questions, cover.checker.program.kinds
    firsts = [
        clause.atom.terms[column]
        for clause in cover.checker.program.hypotheses
        if clause.atom.kind == context.kind
        and not clause.tests
        and not any(term.variables for term in clause.atom.terms)
        and all(questions.follows((), test) for test in conditions_of(kinds, clause.atom))
    ]
    for first in firsts:
        if not cover.checker.questions.follows(known, Linear(">=", goal - first)):
            continue
        if any(
            _leads_on(cover, step, context.kind, column, first, goal, known) for step in cover.checker.steps
        ):
            return True
    return False


def _leads_on(
    cover: Cover, step: Step, kind: int, column: int, first: Affine, goal: Affine, known: Sequence[Test]
) -> bool:
    """Whether a step leads from each item of a kind to the item at the next position, from first to goal."""
    above = [*step.antecedents, *step.contexts]
    if len(above) != 1 or above[0].kind != kind or step.consequent.kind != kind or step.links:
        return False
    if any(isinstance(test, Provided) for test in step.tests):
        return False
    apart = {x: variable(f"{x} before") for x in step.variables}
    source, target = above[0].substitute(apart), step.consequent.substitute(apart)
    names = [term.single for term in source.terms]
    if (
        None in names
        or len({*names}) < len(names)
        or not {*names}.issuperset(x.names[0] for x in apart.values())
    ):
        return False
    at = source.terms[column]
    if target.terms[column] != at + 1:
        return False
    here = [*known, *cover.checker.facts(source), Linear(">=", at - first), Linear(">=", goal - at - 1)]
    wanted: list[Test] = [test.substitute(apart) for test in step.tests]
    wanted += conditions_of(cover.checker.program.kinds, target)
    wanted += [test for fact in step.facts for test in cover.hypothesis(fact.substitute(apart))]
    return all(cover.checker.questions.follows(here, test) for test in wanted)
