"""Consequences of a relation: verdicts that travel along it, and the items and steps that it saves.

A schema that simulates a complete one is complete (GCW11, Theorem 5). If every step of P is emulated in Q, by
derivations that use all structures of the step's antecedents and build the same links, and final items of P are
final items of Q, then Q derives every tree that P derives. So Q is complete where P is, and P is sound where Q
is. All kinds of relations between single steps imply this for one of their schemata; item refinements do not,
since they do not concern links. A conclusion holds up to the length to which both the relation and the verdict
were checked. A tree of n words can need a rule of n symbols, so over rules it also holds no further than the
length of the rules with which the relation was checked.

If one schema does the work of several steps of the other in one, it has fewer items and steps; savings count
how many. Forms correspond where a map leads from one to the other; the steps of a form are the step instances
that derive its items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal

from schemata.analysis.compare import Carried, chart_difference
from schemata.budget import Budget
from schemata.correctness.shipped import shipped_claims_for_every_n
from schemata.engine.chart import Chart
from schemata.grammars import Grammar
from schemata.grouping import components
from schemata.kinds import DEPENDENCY_RULES, LINK_GRAMMAR
from schemata.language import model as m
from schemata.language.library import shipped_relations
from schemata.language.relation_model import CHAINS, Relation
from schemata.language.relations import load_relation
from schemata.language.typeset import format_item, reference_of
from schemata.records import Record, json_of
from schemata.relations import transfer
from schemata.relations.answers import Answer
from schemata.relations.certificate import BY_STEPS
from schemata.relations.decide import decide
from schemata.relations.mapping import correspondence, images, map_text
from schemata.relations.systems import SharedSystems
from schemata.structures import Sentence
from schemata.verification.verdicts import Verdict
from schemata.workbench import ParsingSchema, common_grammars


class Citation(Record):
    """A verdict on one schema that follows from that on another.

    Attributes
    ----------
    schema : the schema of which it is concluded.
    says : the conclusion.
    class_name : the class of trees.
    max_n : how far both the relation and the verdict on the other schema were checked.
    relation : the relation, decided; its name.
    name : the relation file.
    other : the schema whose verdict it follows from.
    every_n : whether the relation, and the verdict on the other schema, are proved for every number of words; None
        where a limit, or Ctrl-C, came before that was found out.
    """

    schema: str
    says: Literal["complete", "sound"]
    class_name: str
    max_n: int
    relation: Answer
    name: str
    other: str
    every_n: bool | None = False

    def __str__(self) -> str:
        kind = self.relation.kind.replace("-", " ")
        reach = "of every number of words" if self.every_n else f"up to {self.max_n} words"
        said = f"{self.schema} is {self.says} for {self.class_name} trees {reach}"
        ends = f"from {self.relation.first} to {self.relation.second}"
        rules = f" ({self.relation.extent.rules})" if self.relation.extent.rules else ""
        return f"{said} because {self.other} is, and because of the {kind} {ends}{rules}"

    to_json = json_of(
        "says max_n every_n because=other kind=relation.kind from=relation.first to=relation.second "
        "relation=name checked=relation.extent"
    )


def emulated_and_emulating(relation: Relation) -> tuple[m.Schema, m.Schema] | None:
    """Return the schema whose steps a relation says are emulated, and the one that emulates; None for other kinds."""
    if relation.kind not in BY_STEPS:
        return None
    first_is_emulated, _ = BY_STEPS[relation.kind]
    ends = relation.first, relation.second
    return ends if first_is_emulated else (ends[1], ends[0])


def citations(
    schema: m.Schema,
    class_name: str,
    max_n: int,
    verdict_on: Callable[[m.Schema], Verdict],
    *,
    names: Sequence[str] | None = None,
    systems: SharedSystems | None = None,
) -> Iterator[Citation]:
    """Yield the verdicts on a schema that follow from those on schemata it is related to.

    Parameters
    ----------
    schema : the schema.
    class_name : the class of trees, as the verdicts name it.
    max_n : how far relations are checked.
    verdict_on : verifies another schema for the class.
    names : the relation files; all shipped ones if None.
    systems : see `decide`.
    """
    systems = systems or SharedSystems()
    for name in shipped_relations() if names is None else names:
        for claim in load_relation(name).relations:
            ends = emulated_and_emulating(claim)
            if ends is None or schema not in ends or schema.grammar == LINK_GRAMMAR:
                continue
            lower, upper = ends
            other = lower if schema == upper else upper
            says: Literal["complete", "sound"] = "complete" if other == lower else "sound"
            lift = says in shipped_claims_for_every_n(reference_of(other), class_name)
            answer = decide(claim, claim.kind, max_n, systems=systems, strict=True, lift=lift)  # type: ignore[arg-type]
            if not answer.holds or not finals_kept(claim, max_n, systems):
                continue
            verdict = verdict_on(other)
            reaches = verdict.complete_to if says == "complete" else verdict.sound_to
            if reaches and (verdict.complete if says == "complete" else verdict.sound):
                ends_named = reference_of(schema), reference_of(other)
                reach = min(reaches, answer.extent.max_n)
                if schema.grammar == DEPENDENCY_RULES:
                    reach = min(reach, systems.rule_length)
                every: bool | None = _for_every_n(verdict, says) and answer.certificate is not None
                every = every and not transfer.refusal(claim, claim.kind, answer.certificate)  # type: ignore[arg-type]
                every = every or (None if answer.stopped else False)
                yield Citation(ends_named[0], says, class_name, reach, answer, name, ends_named[1], every)


def _for_every_n(verdict: Verdict, says: str) -> bool:
    """Whether a certificate proves an answer of a verdict for every number of words."""
    return verdict.for_every_n is not None and verdict.for_every_n.answers[says] is True


def finals_kept(claim: Relation, max_n: int, systems: SharedSystems) -> bool:
    """Whether every final item of the emulated schema is one of the emulating schema."""
    ends = emulated_and_emulating(claim)
    assert ends is not None
    for n in range(1, max_n + 1):
        universe = systems.universe(*ends, n)
        lower, upper = (systems.system(end, universe) for end in ends)
        image = correspondence(claim, lower, upper, forward=ends[0] == claim.first).image
        if any(image.get(x) not in upper.chart.final_ids for x in lower.chart.final_ids):
            return False
    return True


# The kinds whose second schema has fewer items or steps; of the others it is the first.
_SECOND_SAVES = frozenset(("filtering", *CHAINS["filtering"]))


class Tally(Record):
    """Numbers of distinct derived items and of distinct step instances."""

    items: int
    steps: int

    to_json = json_of("items steps")


class FormSaving(Record):
    """The figures of forms that correspond to each other.

    Attributes
    ----------
    first_forms, second_forms : names of item forms of either schema; one of the two may be empty.
    first, second : their items, and the step instances that derive them.
    shared : how many derived items of the schema that the maps carry over reach a derived item of the other.
    reached : how many derived items of the other schema they reach.
    """

    first_forms: tuple[str, ...]
    second_forms: tuple[str, ...]
    first: Tally
    second: Tally
    shared: int
    reached: int

    to_json = json_of("first_forms second_forms first second shared reached")


class Saving(Record):
    """The figures of two related schemata on one sentence of n words.

    `forms` has those of all forms that steps derive, forms that correspond together.
    """

    n: int
    first: Tally
    second: Tally
    forms: tuple[FormSaving, ...]
    saver: Literal["first", "second"]

    @property
    def items_saved(self) -> float | None:
        """The share of the other schema's items that the saver does without; negative where it has more."""
        return self._saved(self.first.items, self.second.items)

    @property
    def steps_saved(self) -> float | None:
        """The share of the other schema's steps that the saver does without; negative where it has more."""
        return self._saved(self.first.steps, self.second.steps)

    def _saved(self, first: int, second: int) -> float | None:
        less, more = (first, second) if self.saver == "first" else (second, first)
        return None if more == 0 else 1 - less / more

    to_json = json_of("n first second items_saved:4 steps_saved:4 forms")


def saver_of(relation: Relation) -> Literal["first", "second"]:
    """Return which schema is the more economical one by a relation's kind; the first where none is claimed."""
    return "second" if relation.kind in _SECOND_SAVES else "first"


def savings(
    relation: Relation,
    sentences: Iterable[Sentence],
    grammar: Grammar | Mapping[str, Grammar] | None = None,
    budget: Budget | None = None,
) -> Iterator[Saving]:
    """Yield the figures of both schemata of a relation, sentence by sentence.

    Parameters
    ----------
    relation : its maps say which forms correspond.
    sentences : on which both are run.
    grammar : one for both, or one by kind; all D-rules by default.
    budget : limits of each single run.

    Raises
    ------
    UsageError : the schemata cannot share a grammar.
    GrammarError : the grammar does not fit a sentence.
    BudgetExceeded : a run hit a limit; results yielded before stand.

    >>> from schemata.analysis.compare import sentence_of_length
    >>> from schemata.language.relations import load_relation
    >>> claim, = load_relation("yamada-matsumoto2003-eisner1996").relations
    >>> found, = savings(claim, [sentence_of_length(3)])
    >>> found.first, found.second, found.forms[0].reached
    (Tally(items=10, steps=18), Tally(items=19, steps=32), 10)
    """
    schemata = ParsingSchema(relation.first), ParsingSchema(relation.second)
    grammars = common_grammars(schemata, grammar)
    for sentence in sentences:
        first, second = (
            schema.run(sentence, grammars[schema.definition.grammar], budget=budget) for schema in schemata
        )
        yield _saving(relation, first, second)


def _groups(relation: Relation) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """Return the forms that steps derive, those together that maps connect, in order of declaration."""
    sides = (relation.first, relation.second)
    made = [{case.consequent.form for case in schema.cases} for schema in sides]
    names = [(side, form.name) for side in (0, 1) for form in sides[side].forms if form.name in made[side]]
    places = {name: k for k, name in enumerate(names)}
    pairs = []
    for one in relation.maps:
        ends = (int(one.reversed), one.source.form), (int(not one.reversed), one.target.form)
        if ends[0] in places and ends[1] in places:
            pairs.append((places[ends[0]], places[ends[1]]))
    groups = [[names[k] for k in group] for group in components(len(names), pairs)]
    return tuple(
        (tuple(n for side, n in group if side == 0), tuple(n for side, n in group if side == 1))
        for group in groups
    )


def carried(relation: Relation, first: Chart, second: Chart) -> Carried:
    """Return the images, under the maps of a relation, of the items of its schemata's charts, hypotheses left
    out.

    >>> from schemata import load
    >>> from schemata.language.relations import load_relation
    >>> claim, = load_relation("eisner-satta1999-eisner1996").relations
    >>> carried(claim, load("eisner-satta1999").run("a b"), load("eisner1996").run("a b")).images["tree[1, 2, 1]"]
    'span[1, 2, false, true]'
    """
    source, target = (second, first) if relation.reversed else (first, second)
    found: dict[str, str] = {}
    for item in source.items:
        for form, values in images(relation, (item.form, item.values), source.n)[:1]:
            found[str(item)] = format_item(target.schema.form(form), values)
    maps = tuple(map_text(relation, one) for one in relation.maps if one.written)
    return Carried(relation.name, maps, relation.reversed, _groups(relation), found)


def _saving(relation: Relation, first: Chart, second: Chart) -> Saving:
    one, two = _tallies(first), _tallies(second)
    along = carried(relation, first, second)
    differences = iter(chart_difference(first, second, along=along).forms)
    forms: list[FormSaving] = []
    for names in along.groups:
        tallies = _sum(one, names[0]), _sum(two, names[1])
        shared = reached = 0
        if all(names):
            form = next(differences)
            shared, reached = len(form.both), tallies[1].items - len(form.only_b)
            if relation.reversed:
                shared, reached = reached, shared
        forms.append(FormSaving(*names, *tallies, shared, reached))
    return Saving(
        first.n,
        Tally(first.item_count, first.step_count),
        Tally(second.item_count, second.step_count),
        tuple(forms),
        saver_of(relation),
    )


def _sum(tallies: Mapping[str, Tally], forms: tuple[str, ...]) -> Tally:
    return Tally(sum(tallies[f].items for f in forms), sum(tallies[f].steps for f in forms))


def _tallies(chart: Chart) -> dict[str, Tally]:
    """Return the items of each form and the step instances that derive them."""
    forms = [f.name for f in chart.schema.forms]
    steps = dict.fromkeys(forms, 0)
    for instance in chart.instances():
        steps[forms[chart.raw.form_of[instance.consequent]]] += 1
    return {name: Tally(chart.items_by_form.get(name, 0), steps[name]) for name in forms}
