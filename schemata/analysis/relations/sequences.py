"""From the emulations of single instances to one sequence of steps per rule, with the condition for each.

An emulation is a set of steps, each after those it needs. Its names are put in one order: of the steps that
could come next, the one declared first. Instances whose sequences are equal go together. Where a rule needs
several sequences, conditions on its variables are looked for that tell them apart: equalities and orders of two
positions, flags, absent values, empty lists; at most two together, and several such pairs with `or`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from schemata.analysis.instances import first_binding
from schemata.analysis.relations.answers import Applied, Illustration, Way, Witness
from schemata.analysis.relations.systems import Ground, System
from schemata.charts.chart import Instance
from schemata.language import model as m

__all__ = ["Sequences", "applied", "in_order"]

Binding: TypeAlias = Mapping[str, m.Value]
Atom: TypeAlias = tuple[str, Callable[[Binding], bool]]

_KEPT = 300  # instances of one sequence whose variables are looked at


def applied(system: System, ground: Ground) -> Applied:
    """Return a step instance in text."""
    return Applied(
        system.case_of(ground).step,
        tuple(system.text(x) for x in ground.antecedents),
        system.text(ground.consequent),
        ground.links,
    )


def in_order(grounds: Sequence[Ground]) -> tuple[Ground, ...]:
    """Return the steps of a derivation in the one order that sequences of names are compared in."""
    made = {ground.consequent for ground in grounds}
    left = list(grounds)
    there: set[int] = set()
    found: list[Ground] = []
    while left:
        ready = [g for g in left if all(a in there or a not in made for a in g.antecedents)]
        chosen = min(ready or left, key=lambda g: (g.case, g.consequent, g.antecedents))
        left.remove(chosen)
        there.add(chosen.consequent)
        found.append(chosen)
    return tuple(found)


@dataclass(slots=True)
class _Group:
    """The instances that one sequence stands for."""

    example: Illustration
    count: int = 0
    bindings: list[Binding] = field(default_factory=list)


class Sequences:
    """Takes in emulated instances one by one, and tells the witnesses.

    Parameters
    ----------
    schema : the schema whose steps are emulated.
    by : the name of the schema that emulates them.
    name : how the first schema is referred to.
    """

    def __init__(self, schema: m.Schema, name: str, by: str) -> None:
        self.schema, self.name, self.by = schema, name, by
        self._groups: dict[int, dict[tuple[str, ...], _Group]] = {}

    def add(self, system: System, ground: Ground, other: System, emulation: Sequence[Ground]) -> None:
        """Take in one instance and the steps that emulate it."""
        steps = in_order(emulation)
        names = tuple(other.case_of(g).step for g in steps)
        groups = self._groups.setdefault(ground.case, {})
        group = groups.get(names)
        if group is None:
            shown = tuple(applied(other, g) for g in steps)
            group = groups[names] = _Group(Illustration(system.n, applied(system, ground), shown))
        group.count += 1
        if len(group.bindings) < _KEPT:
            group.bindings.append(_binding(system, ground))

    def witnesses(self) -> tuple[Witness, ...]:
        """Return how each rule is emulated, in the order of the schema; rules without instances are left out."""
        found = []
        for number, case in enumerate(self.schema.cases):
            groups = self._groups.get(number)
            if not groups:
                continue
            conditions = _tell_apart(case, {names: group.bindings for names, group in groups.items()})
            ways = [Way(k, conditions[k], group.count, group.example) for k, group in groups.items()]
            ways.sort(key=lambda way: (-way.instances, way.steps))
            found.append(Witness(self.name, case.step, case.label, self.by, tuple(ways)))
        return tuple(found)


def _binding(system: System, ground: Ground) -> Binding:
    instance = Instance(ground.case, ground.antecedents, ground.consequent, ground.links)
    return first_binding(system.chart, instance)


def _tell_apart(
    case: m.Case, groups: Mapping[tuple[str, ...], Sequence[Binding]]
) -> dict[tuple[str, ...], str | None]:
    """Return for each group a condition that holds of all of it and of nothing else, if there is a simple one."""
    if len(groups) == 1:
        return dict.fromkeys(groups, None)
    atoms = list(_atoms(case))
    return {
        key: _condition(atoms, own, [b for other, those in groups.items() if other != key for b in those])
        for key, own in groups.items()
    }


def _condition(atoms: Sequence[Atom], own: Sequence[Binding], others: Sequence[Binding]) -> str | None:
    """Return the shortest disjunction of pairs of atoms that separates two sets of bindings."""
    inside = [(text, frozenset(k for k, b in enumerate(own) if holds(b))) for text, holds in atoms]
    outside = [frozenset(k for k, b in enumerate(others) if holds(b)) for _, holds in atoms]
    terms: list[tuple[str, frozenset[int]]] = []
    for k, (text, covered) in enumerate(inside):
        if covered and not outside[k]:
            terms.append((text, covered))
    if not any(len(covered) == len(own) for _, covered in terms):
        for a, b in itertools.combinations(range(len(atoms)), 2):
            covered = inside[a][1] & inside[b][1]
            if covered and outside[a] and outside[b] and not outside[a] & outside[b]:
                terms.append((f"{inside[a][0]}, {inside[b][0]}", covered))
    chosen: list[str] = []
    left = frozenset(range(len(own)))
    while left:
        best = max(terms, key=lambda term: len(term[1] & left), default=None)
        if best is None or not best[1] & left or len(chosen) == 3:
            return None
        chosen.append(best[0])
        left -= best[1]
    return " or ".join(chosen)


def _atoms(case: m.Case) -> Iterator[Atom]:
    """Yield the simple conditions on a rule's variables."""
    positions = [name for name, kind in case.types.items() if kind.kind == "position"]
    for a, b in itertools.combinations(positions, 2):
        for text, low, high, offset, equal in (
            (f"{a} = {b}", a, b, 0, True),
            (f"{a} < {b}", a, b, 0, False),
            (f"{b} < {a}", b, a, 0, False),
            (f"{a} + 1 = {b}", a, b, 1, True),
            (f"{b} + 1 = {a}", b, a, 1, True),
            (f"{a} + 1 < {b}", a, b, 1, False),
            (f"{b} + 1 < {a}", b, a, 1, False),
        ):
            yield text, _order(low, high, offset, equal)
    for name, kind in case.types.items():
        match kind.kind:
            case "flag":
                yield name, _equals(name, True)
                yield f"not {name}", _equals(name, False)
            case "optional":
                yield f"{name} is absent", _equals(name, None)
                yield f"{name} is present", lambda binding, x=name: binding.get(x) is not None  # type: ignore[misc]
            case "list":
                yield f"{name} is empty", _equals(name, ())
                yield f"{name} is not empty", lambda binding, x=name: bool(binding.get(x))  # type: ignore[misc]
    for name in positions:
        yield f"{name} = 0", _equals(name, 0)
        yield f"{name} > 0", lambda binding, x=name: binding.get(x) != 0  # type: ignore[misc]


def _order(low: str, high: str, offset: int, equal: bool) -> Callable[[Binding], bool]:
    def holds(binding: Binding) -> bool:
        a, b = binding.get(low), binding.get(high)
        if not isinstance(a, int) or not isinstance(b, int):
            return False
        return a + offset == b if equal else a + offset < b

    return holds


def _equals(name: str, value: m.Value) -> Callable[[Binding], bool]:
    return lambda binding: name in binding and binding[name] == value
