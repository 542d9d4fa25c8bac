"""Schemata of a lower degree: costly steps are folded, which is the hook trick where one antecedent is folded.

A *fold* takes some antecedents of a step, with the conditions and links that speak of them, into a step of its own. Its
consequent, a new item, keeps the variables that the rest of the step needs, and forgets the others. The step then has
the new item in place of the antecedents (Eisner and Blatz 2007; Vieira, Cotterell and Eisner 2021 for the search). A
step with more than two antecedents is binarised so.

A step at the bottleneck is folded the way that costs least, and so on with the resulting schema, until such a step
has no fold that lowers its cost. Grammar constants count where degrees are equal: a fold that sums a symbol out of
a rule of the grammar lowers |N|^3 to |N|^2. The result is written as a schema that extends the original; `verify`
answers as about the original, and `relate` decides that it is a step refinement.

*Halves.* An item between two ends around a head is cut in two, one for each end, if the steps change one end at a time
and have no condition on the other (split heads). Steps then take both halves of a dependent, and folds lower these.
That leads from n^5 to n^3. Then derivations that differ in the order of left and right dependents become one: there is
no refinement to decide, and the verdict alone counts.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations, permutations

from schemata.analysis.complexity import Complexity, complexity
from schemata.errors import UsageError
from schemata.kinds import CONTEXT_FREE
from schemata.language import model as m
from schemata.language.bounds import Bounds
from schemata.language.relations import read_maps
from schemata.language.typeset import conditions_of, pattern_text, rule_text, term_text
from schemata.order.invariants import find_invariants, take_samples
from schemata.order.logic import Solver
from schemata.program.facts import facts_of, implied
from schemata.program.linear import Asks, Linear
from schemata.program.lower import lower
from schemata.records import Record, json_of, replace
from schemata.relations.answers import Answer
from schemata.relations.decide import decide
from schemata.relations.repair import extending, extension_of
from schemata.structures import TreeClass
from schemata.thresholds import EFFORTS
from schemata.verification.answers import verify
from schemata.verification.verdicts import Verdict
from schemata.workbench import ParsingSchema

SUFFIX = "-folded"
"""The end of the name of an improved schema."""

_HALVES = ("left", "right")  # the items that a split makes
_FIELDS = ("position", "flag", "symbol", "term", "label")  # what new items may keep


class Improvement(Record):
    """A schema of a lower degree.

    Parameters
    ----------
    name, text : the schema; the text extends the original.
    before, after : the costs of both.
    folds : how many steps were cut in two.
    verdict : on the class of trees; None without one.
    relation : says that it is a step refinement of the original; None if items are cut in halves.
    halved : whether items between two ends around a head are two items, one for each end.
    """

    name: str
    text: str
    before: Complexity
    after: Complexity
    folds: int
    verdict: Verdict | None
    relation: Answer | None
    halved: bool

    to_json = json_of(
        "schema=name text degree_before=before.time.cost.degree degree=after.time.cost.degree "
        "cost_before=before.time.cost cost=after.time.cost folds "
        "sound?=verdict.sound complete?=verdict.complete max_n?=verdict.max_n relation?=relation.kind "
        "related_to?=relation.extent.max_n every_n?=relation.every_n halved"
    )


class _Fold(Record):
    """A case cut in two: the lines of the new item, of the step that makes it and of the step that takes it."""

    item: str
    makes: str
    takes: str


class _Folded(Record):
    """A schema with folds: its new items, and the rules of new and of changed steps by name."""

    schema: m.Schema
    cost: Complexity
    items: tuple[str, ...] = ()
    steps: tuple[tuple[str, str], ...] = ()
    halved: bool = False


def improve(
    schema: ParsingSchema,
    wanted: TreeClass | None = None,
    max_n: int | None = None,
    *,
    seconds: float = 60.0,
    folds_only: bool = False,
) -> Improvement | None:
    """Return a schema of a lower degree that derives the same, by folds of its costliest steps; None if none is found.

    Cutting items in halves needs a class of trees, for which the result is verified.

    Parameters
    ----------
    schema : a schema whose lists are bounded.
    wanted : the class of trees for which its verdict must be that of the original.
    max_n : the words to which that is verified; None for the default.
    seconds : of the verification.
    folds_only : whether to leave items whole: the result of folds alone is a step refinement.

    Raises
    ------
    UsageError : the schema has no degree.

    >>> from schemata import load
    >>> from schemata.structures import tree_class
    >>> improve(load("arc-standard")).after.time.cost.degree
    4
    >>> improve(load("arc-standard"), tree_class("projective")).after.time.cost.degree
    3
    """
    definition = schema.definition
    max_n = EFFORTS.improved_words if max_n is None else max_n
    before = complexity(schema, formulas=False, family=False)
    if before.time is None:
        raise UsageError(f"{schema.name} is not improved by folds: they need bounded lists", code="no-folds")
    end = time.monotonic() + seconds
    starts = [_Folded(definition, before), *(() if folds_only or wanted is None else _in_halves(definition))]
    for found in sorted(map(partial(_with_folds, definition), starts), key=_size):
        if _size(found) >= before.time.cost.size:
            return None
        verdict = None
        if wanted is not None:
            verdict, first = (
                verify(one, wanted, max_n, seconds=max(end - time.monotonic(), 0.1))
                for one in (ParsingSchema(found.schema), schema)
            )
            if (verdict.sound, verdict.complete) != (first.sound, first.complete):
                continue
        relation = None
        if not found.halved:
            maps = read_maps([], definition, found.schema, "step-refinement")
            relation = decide(maps, "step-refinement", EFFORTS.improved_related, lift=True)
        if relation is None or relation.holds:
            text, folds = _text(definition, found), len(found.items) - 2 * found.halved
            return Improvement(
                found.schema.name, text, before, found.cost, folds, verdict, relation, found.halved
            )
    return None


def _size(found: _Folded) -> tuple[int, int]:
    assert found.cost.time is not None
    return found.cost.time.cost.size


def _with_folds(schema: m.Schema, found: _Folded) -> _Folded:
    """Return a schema with steps folded while its costliest ones can be; folds that lower nothing are dropped."""
    best: _Folded = found
    more: _Folded | None = found
    while more is not None:
        best = more if _size(more) < _size(best) else best
        more = _with_fold(schema, more)
    return best


def _with_fold(schema: m.Schema, found: _Folded) -> _Folded | None:
    """Return a schema with one of its costliest steps folded, the best way; None if no fold lowers its cost."""
    assert found.cost.time is not None
    size, step = found.cost.time.cost.size, found.cost.time.name
    cases = [case for case in found.schema.cases if case.step == step]
    if len(cases) > 1:
        return None  # other cases of the step would have to be written anew
    facts = _facts_by_case(found.schema)[cases[0].lines]
    own = f"{step}-Fold"
    while any(case.step == own for case in found.schema.cases):
        own += "-2"
    best: tuple[tuple[int, int], _Folded] | None = None
    for fold in _folds(found.schema, cases[0], facts, len(found.items) + 1):
        steps = {**dict(found.steps), own: fold.makes, step: fold.takes}
        items = (*found.items, fold.item)
        folded = _read(schema, replace(found, items=items, steps=tuple(steps.items())))
        if folded is not None:
            both = max(part.cost.size for part in folded.cost.steps if part.name in (step, own))
            if both < size and (best is None or both < best[0]):
                best = both, folded
    return best and best[1]


def _in_halves(schema: m.Schema) -> Iterator[_Folded]:
    """Yield schemata in which an item between two ends around a head is two items, one for each end.

    They derive the same where every step that derives such an item takes one of the same head, changes one of its ends,
    and asks nothing of the other: the ends are then independent (Eisner & Satta 1999: split heads).
    """
    for form in schema.forms:
        if [f.type.kind for f in form.fields] == ["position"] * 3:
            for low, head, high in permutations(range(3)):
                found = _halves(schema, form, low, head, high) if low < high else None
                if found is not None:
                    yield found


def _halves(schema: m.Schema, form: m.Form, low: int, head: int, high: int) -> _Folded | None:
    """Return a schema with the items of a form in halves, by the numbers of three fields; None if it has none."""
    sides = ((low, head), (head, high))
    given, finals = (
        [clause.pattern for clause in clauses if clause.pattern.form == form.name]
        for clauses in (schema.hypotheses, schema.finals)
    )
    if len(given) != 1 or len(finals) != 1 or len({*m.variables(given[0])} - {"n"}) != 1:
        return None  # the ends of what there is are to follow from the head

    def half(pattern: m.Pattern, side: int) -> str:
        return f"{_HALVES[side]}[{', '.join(term_text(pattern.terms[k], ascii=True) for k in sides[side])}]"

    steps: dict[str, str] = {}
    for case in schema.cases:
        own = [k for k, a in enumerate(case.antecedents) if a.pattern.form == form.name]
        below, beside = case.consequent, conditions_of(case, ascii=True)
        if not own and below.form != form.name:
            continue
        if case.step in steps or not _may_be_cut(case):
            return None
        carried = [
            (k, side)
            for k in own
            for side, stays in ((0, high), (1, low))
            if below.form == form.name
            and all(case.antecedents[k].pattern.terms[x] == below.terms[x] for x in (head, stays))
            and isinstance(below.terms[stays], m.Var)
        ]
        if below.form == form.name and len(carried) != 1:
            return None
        changed = dict(carried)
        above = []
        for k, antecedent in enumerate(case.antecedents):
            both = (changed[k],) if k in changed else (0, 1)
            here = [half(antecedent.pattern, side) for side in both]
            above += here if k in own else [pattern_text(schema, antecedent.pattern, ascii=True)]
        result = pattern_text(schema, below, ascii=True)
        if carried:
            ((_, side),) = carried
            spared = below.terms[low if side else high]
            result = half(below, side)
            if _names(case, [*above, *beside, result]) & {*m.variables(spared)}:
                return None
        steps[case.step] = rule_text("   ".join(above), beside, result)
    if not steps or not m.variables(given[0].terms[head]):
        return None
    for side, name in enumerate(_HALVES):
        start = pattern_text(schema, given[0], ascii=True)
        steps[f"{form.name}-{name}"] = rule_text(start, [], half(given[0], side))
    named = (m.Var(f.name) if t == m.Any() else t for f, t in zip(form.fields, finals[0].terms, strict=True))
    whole = m.Pattern(form.name, tuple(named))
    ends = [term_text(whole.terms[x], ascii=True) for x in (low, high)]
    apart = [" < ".join(ends)] if given[0].terms[low] == given[0].terms[high] else []  # no hypothesis anew
    halves = "   ".join(half(whole, side) for side in (0, 1))
    steps[f"{form.name}-whole"] = rule_text(halves, apart, pattern_text(schema, whole, ascii=True))
    (kind,) = (kind for kind in lower(schema).kinds if schema.forms[kind.form] == form)
    facts, both_ends = facts_of(kind.conditions), {form.fields[low].name, form.fields[high].name}
    alone = facts_of(t for t in kind.conditions if isinstance(t, Linear) and not both_ends <= {*t.left.names})
    if kind.asks or not all(implied(alone, test) for test in kind.conditions):
        return None  # the ends depend on each other
    items = []
    for name, numbers in zip(_HALVES, sides, strict=True):
        columns = [form.fields[k].name for k in numbers]
        where = ", ".join(_where(facts, columns))
        items.append(f"item {name}[{', '.join(f'{x}: position' for x in columns)}]\n  where {where}")
    cost = complexity(ParsingSchema(schema), formulas=False, family=False)
    return _read(schema, _Folded(schema, cost, tuple(items), tuple(steps.items()), True))


def _may_be_cut(case: m.Case) -> bool:
    """Whether nothing but patterns and conditions makes up a case: no context, no weight, no head of its own."""
    return not (any(a.context for a in case.antecedents) or case.head_links or case.weight or case.head)


def _facts_by_case(schema: m.Schema) -> dict[tuple[str, ...], Bounds]:
    """Return the facts about the positions of each case, by its lines; for several rules of a case, the common
    facts.
    """
    program = lower(schema)
    by_kind = {kind.number: kind.conditions for kind in program.kinds}
    if program.is_linear:
        found = find_invariants(program, take_samples(program), Solver(5.0))
        by_kind = {k: (*tests, *found.by_kind[k]) for k, tests in by_kind.items()}
    known: dict[tuple[str, ...], Bounds] = {}
    for rule in program.rules:
        tests = [test for test in rule.tests if not isinstance(test, Asks)]
        for atom in (*rule.antecedents, rule.consequent):
            given = program.kinds[atom.kind].by_name(atom.terms)
            tests += [test.substitute(given) for test in by_kind[atom.kind]]
        known.setdefault(schema.cases[rule.case].lines, facts_of(tests))
    return known


def _folds(schema: m.Schema, case: m.Case, facts: Bounds, number: int) -> Iterator[_Fold]:
    """Yield the ways to cut a case in two."""
    if schema.grammar == CONTEXT_FREE and not schema.atom_names:
        return  # constituents are read off the items themselves
    beside = conditions_of(case, ascii=True)
    given = ["given " * a.context for a in case.antecedents]
    texts = [
        g + pattern_text(schema, a.pattern, ascii=True) for g, a in zip(given, case.antecedents, strict=True)
    ]
    below = pattern_text(schema, case.consequent, ascii=True)
    name = f"part{number}"
    cut = replace(case, antecedents=(), head_links=() if len(texts) == 2 else case.head_links)
    if not _may_be_cut(cut):
        return  # of two antecedents, each keeps its place, and what is folded its head
    for size in range(1, len(texts)):
        for some in combinations(range(len(texts)), size):
            if len({given[k] for k in some}) > 1:
                continue
            inner = [texts[k] for k in some]
            outer = [text for k, text in enumerate(texts) if k not in some]
            needed = _names(case, [*outer, below])
            local = _names(case, inner) - needed
            moved = [line for line in beside if _names(case, [line]) & local]
            fields = [x for x in case.types if x in needed & _names(case, [*inner, *moved])]
            unnamed = any(re.search(r"\b_\b", text) for text in inner)
            if not (local or unnamed) or any(case.types[x].kind not in _FIELDS for x in fields):
                continue
            places = [x for x in fields if case.types[x].kind == "position"]
            where = _where(facts, places)
            declared = ", ".join(f"{x}: {case.types[x]}" for x in fields)
            new = f"{given[some[0]]}{name}[{', '.join(fields)}]"
            free = [x for x in places if x not in _names(case, inner)]
            bounded = [line for line in where if _names(case, [line]) & set(free)]
            rest = [line for line in beside if line not in moved]
            yield _Fold(
                f"item {name}[{declared}]" + (f"\n  where {', '.join(where)}" if where else ""),
                rule_text("   ".join(inner), [*moved, *bounded], new.removeprefix("given ")),
                rule_text("   ".join([new, *outer] if min(some) == 0 else [*outer, new]), rest, below),
            )


def _names(case: m.Case, texts: Sequence[str]) -> set[str]:
    """Return the variables of a case that occur in texts."""
    return {word for text in texts for word in re.findall(r"\w+'*", text) if word in case.types}


def _where(facts: Bounds, names: Sequence[str]) -> list[str]:
    """Return facts about positions as conditions; those that follow from two others are left out."""
    ends = ["0", *names, "n"]
    known = {(x, y): c for x in ends for y in ends if x != y and (c := facts.distance(x, y)) is not None}

    def follows(x: str, y: str, c: int) -> bool:
        if (x, y) == ("0", "n"):
            return True
        between = (known[x, z] + known[z, y] for z in ends if (x, z) in known and (z, y) in known)
        return any(total <= c for total in between)

    kept = [(x, y, c) for (x, y), c in known.items() if not follows(x, y, c)]
    return [_at_most(x, y, c) for x, y, c in kept]


def _at_most(x: str, y: str, c: int) -> str:
    """Return x - y <= c as a person writes it."""
    if x == "0" or c >= 0:
        return f"{-c} <= {y}" if x == "0" else f"{x} <= {y}{f' + {c}' if c else ''}"
    return f"{x} < {y}" if c == -1 else f"{x} + {-c} <= {y}"


def _text(schema: m.Schema, found: _Folded) -> str:
    """Return a schema that extends the original."""
    known = {case.step for case in schema.cases}
    parts = [f"{'replace ' if name in known else ''}step {name}\n{rule}" for name, rule in found.steps]
    head = extending(schema, SUFFIX, "costly steps folded")
    return "\n\n".join([head, *found.items, *parts]) + "\n"


def _read(schema: m.Schema, folded: _Folded) -> _Folded | None:
    """Return folds as a checked schema, with its cost; None if it has errors."""
    found = extension_of(schema, SUFFIX, _text(schema, folded))
    if found is None:
        return None
    return replace(folded, schema=found, cost=complexity(ParsingSchema(found), formulas=False, family=False))
