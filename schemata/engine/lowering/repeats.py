"""Which rules may find one step instance in two ways, so that a kernel has to remember what it found.

An instance is a step's name, its antecedents and consequent in normal form, and the links it builds. It may be
found twice where items have several writings, where a variable shows in none of these, or where two rules of
one name (two cases, or two choices of kinds) can agree in all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from schemata.engine.lowering.facts import conditions_of, facts_of
from schemata.engine.lowering.linear import Affine, Linear, Test, variable
from schemata.engine.lowering.model import Program, Rule
from schemata.language.cases import instance_names

__all__ = ["agreeing_rules", "repeating_rules"]


def repeating_rules(program: Program) -> frozenset[int]:
    """Return the numbers of the rules that may find an instance that they, or another rule, find again."""
    found = {rule.number for rule in program.rules if _written(program, rule) or _hidden(rule)}
    return frozenset(found.union(*agreeing_rules(program)))


def agreeing_rules(program: Program) -> Iterator[tuple[int, int]]:
    """Yield the numbers of any two rules of one name that may find the same instance."""
    groups: dict[object, list[Rule]] = {}
    names = instance_names(program.schema)
    for rule in program.rules:
        step = names[rule.case]
        kinds = tuple(a.kind for a in rule.antecedents), rule.consequent.kind, len(rule.links)
        groups.setdefault((step, kinds), []).append(rule)
    for group in groups.values():
        for k, rule in enumerate(group):
            for other in group[k + 1 :]:
                if _may_agree(program, rule, other):
                    yield rule.number, other.number


def _written(program: Program, rule: Rule) -> bool:
    """Whether an item of the rule may have several writings."""
    forms = {program.kinds[atom.kind].form for atom in (*rule.antecedents, rule.consequent)}
    return any(program.equations.get(form) for form in forms)


def _hidden(rule: Rule) -> bool:
    """Whether some variable is not determined by the items and links of an instance."""
    shown = [t for atom in (*rule.antecedents, rule.consequent) for t in atom.terms]
    shown += [t for link in rule.links for t in link]
    shown += [t.left for t in rule.tests if isinstance(t, Linear) and t.relation == "=="]
    known: set[str] = {"n"}
    while True:
        more = set(known)
        for term in shown:
            unknown = [x for x in term.names if x not in more and not x.startswith("'")]
            if len(unknown) == 1:
                more.add(unknown[0])
        if more == known:
            return not set(rule.variables) <= known
        known = more


def _may_agree(program: Program, rule: Rule, other: Rule) -> bool:
    """Whether nothing shows that two rules never find the same instance."""
    renaming = {x: variable(f"{x} again") for x in other.variables}
    tests: list[Test] = [*rule.tests, *_renamed(other.tests, renaming)]
    for mine, yours in zip(
        (*rule.antecedents, rule.consequent), (*other.antecedents, other.consequent), strict=True
    ):
        tests += _equal(mine.terms, [t.substitute(renaming) for t in yours.terms])
        tests += conditions_of(program.kinds, mine)
    for mine_link, your_link in zip(rule.links, other.links, strict=True):
        tests += _equal(mine_link, [t.substitute(renaming) for t in your_link])
    return not facts_of(tests).contradictory()


def _equal(mine: Iterable[Affine], yours: Iterable[Affine]) -> list[Test]:
    return [Linear("==", a - b) for a, b in zip(mine, yours, strict=True)]


def _renamed(tests: Iterable[Test], renaming: Mapping[str, Affine]) -> list[Test]:
    return [t.substitute(renaming) for t in tests if isinstance(t, Linear)]
