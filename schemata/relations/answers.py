"""Answers about two schemata: whether a relation holds, how far it was checked, and the evidence.

`None` in place of yes or no means that a budget was hit, or that the check was interrupted, before it was known.

Witnesses are derived from the emulations of single instances: one sequence of steps per rule, with the condition for
each. An emulation is a set of steps, each after those it needs. Its names are put in one order: of the steps that could
come next, the one declared first. Instances whose sequences are equal go together. Where a rule needs several
sequences, conditions on its variables are looked for that distinguish them: equalities and orders of two positions,
flags, absent values, empty lists; at most two together, and several such pairs with `or`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from schemata.language import model as m
from schemata.language.relation_model import StepKind
from schemata.language.substitute import linear_of
from schemata.program.evaluation import truth
from schemata.program.instances import first_binding
from schemata.records import Record, Shown, Tabular, dataclass, document, field, fields_json, json_of
from schemata.relations.certificate import RelationCertificate
from schemata.relations.systems import Ground, System
from schemata.thresholds import EFFORTS
from schemata.wording import quantity

Links = tuple[tuple[int, int], ...]


class StepInstance(Record):
    """One step applied: its name, the items it takes and makes, in canonical text, and the links it builds."""

    step: str
    antecedents: tuple[str, ...]
    consequent: str
    links: Links = ()

    to_json = json_of("step antecedents consequent links")


class Illustration(Record):
    """One step instance and the steps that emulate it.

    Attributes
    ----------
    n : the number of words.
    instance : the step instance.
    emulation : the steps of the other schema, in order; none where its consequent is there already.
    """

    n: int
    instance: StepInstance
    emulation: tuple[StepInstance, ...]

    to_json = json_of("n instance emulation")


class StepSequence(Record):
    """One sequence of steps that stands for a step.

    Attributes
    ----------
    steps : the names of the steps, in order.
    when : the instances that it stands for, as a condition on the rule's variables; None if it is all, or
        where no simple condition was found.
    instances : how many of the instances checked it stands for.
    example : the smallest of them.
    """

    steps: tuple[str, ...]
    when: str | None
    instances: int
    example: Illustration

    to_json = json_of("steps when instances example")


class Witness(Record):
    """The emulations of every instance of one rule, or the steps it corresponds to.

    Attributes
    ----------
    schema, step, case : the rule: schema, step, and the label of its case if it has one.
    by : the schema whose steps stand for it.
    ways : the sequences, those that stand for most instances first.
    """

    schema: str
    step: str
    case: str | None
    by: str
    ways: tuple[StepSequence, ...]

    to_json = json_of("schema step case by ways")


class Counterexample(Record):
    """The smallest thing that breaks a definition.

    Attributes
    ----------
    n : the number of words.
    reason : the fault, as a sentence.
    instance : the step instance that has nothing to stand for it; None if an item breaks the definition.
    wanted : the instance's items as items of the other schema, where they have a counterpart.
    grammar : the least grammar under which the instance exists.
    instead : the items that the other schema derives from the same items, the nearest first.
    derivation : for item refinements: the steps of a derivation that is not an image of one.
    """

    n: int
    reason: str
    instance: StepInstance | None = None
    wanted: StepInstance | None = None
    grammar: tuple[str, ...] = ()
    instead: tuple[str, ...] = ()
    derivation: tuple[StepInstance, ...] = ()

    to_json = json_of("n reason instance wanted grammar instead derivation")


class CheckExtent(Record):
    """The extent of a check.

    Attributes
    ----------
    max_n : all lengths up to this one were checked completely; 0 if none was.
    items, instances : how many, over all lengths, of the schema whose steps are looked at.
    rules : the rules that were tried, for schemata over rules.
    """

    max_n: int
    items: int = 0
    instances: int = 0
    rules: str | None = None

    def __str__(self) -> str:
        if not self.max_n:
            return self.rules or "at the first length"
        counted = f"all {quantity(self.items, 'item')}, all {quantity(self.instances, 'step instance')}"
        said = f"checked for n <= {self.max_n}: {counted}, each in the least grammar that has it"
        return f"{said}; {self.rules}" if self.rules else said


class Answer(Record, Shown, repr=False):
    """Whether a relation holds between two schemata.

    Attributes
    ----------
    first, second : the schemata, as they are referred to (`mh:k=4`).
    kind : the kind of relation.
    holds : yes, no, or None if it is not known.
    extent : how far it was checked.
    witnesses : how each step is emulated, where the relation holds.
    counterexample : the instance that breaks the definition, where it does not hold.
    maps : the maps by which items correspond, as text.
    notes : further assumptions of the answer.
    stopped : "steps", "seconds", "memory" or "interrupt" where one of them ended the search.
    implied_by : the stronger kind that holds by the same maps, and that this one follows from.
    certificate : the proof that it holds for every n; None if there is none.
    unproved : why there is none, where one was looked for.
    """

    first: str
    second: str
    kind: StepKind
    holds: bool | None
    extent: CheckExtent
    witnesses: tuple[Witness, ...] = ()
    counterexample: Counterexample | None = None
    maps: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    stopped: str | None = None
    implied_by: StepKind | None = None
    certificate: RelationCertificate | None = None
    unproved: str = ""

    @property
    def every_n(self) -> bool | None:
        """Whether it is proved for every n; None if a limit, or Ctrl-C, came before that was found out."""
        return True if self.certificate is not None else None if self.stopped else False

    to_json = json_of(
        "from=first to=second kind holds every_n max_n=extent.max_n maps witnesses counterexample "
        "checked=extent notes unproved? implied_by? stopped?"
    )


class Answers(Shown, Tabular, list[Answer]):
    """Answers about two schemata: a list, with the question.

    Attributes
    ----------
    first, second : the schemata, as they are referred to.
    kind : the kind of relation that was asked about; None for all that hold.
    guessed : whether no relation was found and only maps that were guessed were tried: others may make one.
    """

    def __init__(
        self, first: str, second: str, kind: str | None, answers: Sequence[Answer], *, guessed: bool = False
    ) -> None:
        self.first, self.second, self.kind = first, second, kind
        self.guessed = guessed and kind is None and not answers
        super().__init__(answers)

    __repr__ = list.__repr__

    def table_rows(self) -> list[dict[str, Any]]:
        """Return a row for each answer."""
        return [answer.to_json() for answer in self]

    @property
    def holds(self) -> bool | None:
        """Whether the relation holds, or, if all relations were queried, any of them; None if unknown."""
        answers = {None} if self.guessed else {answer.holds for answer in self}
        return True if True in answers else (None if None in answers else False)

    @property
    def stopped(self) -> str | None:
        """The reason why the decision ended early: "interrupt" or a limit."""
        reasons = [answer.stopped for answer in self if answer.stopped]
        return "interrupt" if "interrupt" in reasons else next(iter(reasons), None)

    def to_json(self) -> dict[str, Any]:
        """Return the answers as the JSON object that `schemata relate --json` prints."""
        if self.kind is not None:
            return document(self[0].to_json())
        relations = [answer.to_json() for answer in self if answer.holds]
        named, more = (fields_json(self, keys) for keys in ("from=first to=second", "guessed? stopped?"))
        return document(named, {"relations": relations}, more)


Binding: TypeAlias = Mapping[str, m.Value]
SymbolicAtom: TypeAlias = tuple[str, m.Term]


def applied(system: System, ground: Ground) -> StepInstance:
    """Return a step instance in text."""
    above = tuple(map(system.text, ground.antecedents))
    return StepInstance(system.case_of(ground).step, above, system.text(ground.consequent), ground.links)


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


class WitnessSearch:
    """Takes in emulated instances one by one, and reports the witnesses.

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
        if len(group.bindings) < EFFORTS.sequence_instances:
            group.bindings.append(first_binding(system.chart, system.instances[ground.row]))

    def witnesses(self) -> tuple[Witness, ...]:
        """Return how each rule is emulated, in the order of the schema; rules without instances are left out."""
        found = []
        for number, case in enumerate(self.schema.cases):
            groups = self._groups.get(number)
            if not groups:
                continue
            conditions = _tell_apart(case, {names: group.bindings for names, group in groups.items()})
            ways = [StepSequence(k, conditions[k], group.count, group.example) for k, group in groups.items()]
            ways.sort(key=lambda way: (-way.instances, way.steps))
            found.append(Witness(self.name, case.step, case.label, self.by, tuple(ways)))
        return tuple(found)


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


def _condition(
    atoms: Sequence[SymbolicAtom], own: Sequence[Binding], others: Sequence[Binding]
) -> str | None:
    """Return the shortest disjunction of pairs of atoms that separates two sets of bindings."""
    inside = [(text, frozenset(k for k, b in enumerate(own) if truth(atom, b))) for text, atom in atoms]
    outside = [frozenset(k for k, b in enumerate(others) if truth(atom, b)) for _, atom in atoms]
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


def _atoms(case: m.Case) -> Iterator[SymbolicAtom]:
    """Yield the simple conditions on a rule's variables."""
    positions = [name for name, kind in case.types.items() if kind.kind == "position"]
    for a, b in itertools.combinations(positions, 2):
        yield f"{a} = {b}", m.Compare("==", m.Var(a), m.Var(b))
        for (more, sign), (x, y) in itertools.product(((0, "<"), (1, "="), (1, "<")), ((a, b), (b, a))):
            left = linear_of(more, {m.Var(x): 1})
            yield f"{x}{' + 1' * more} {sign} {y}", m.Compare("<" if sign == "<" else "==", left, m.Var(y))
    for name, kind in case.types.items():
        variable = m.Var(name)
        match kind.kind:
            case "flag":
                yield name, variable
                yield f"not {name}", m.Not(variable)
            case "optional":
                yield f"{name} is absent", m.IsAbsent(variable)
                yield f"{name} is present", m.Not(m.IsAbsent(variable))
            case "list":
                yield f"{name} is empty", m.Compare("==", variable, m.ListTerm(()))
                yield f"{name} is not empty", m.Compare("!=", variable, m.ListTerm(()))
    for name in positions:
        yield f"{name} = 0", m.Compare("==", m.Var(name), m.Lit(0))
        yield f"{name} > 0", m.Compare("!=", m.Var(name), m.Lit(0))
