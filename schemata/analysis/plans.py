"""Plans of a schema's rules in words: the look-ups and tests of its Python kernel, the loops of an ordered one.

A kernel has a rule for every choice of flags and absences that a case allows, each with a plan (`program.plan`). Here
the rules of a case become one block again, in the schema's own names. Of kernels in a proved order, the loops are
shown: over levels, over the items of a level, and within each rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from schemata.kernels.measures import Measured, Probe
from schemata.language import model as m
from schemata.language.typeset import condition_text, format_item, linear_text, pattern_text, term_text
from schemata.order.model import Order
from schemata.ordered import plan as p
from schemata.program.instances import repeating_rules
from schemata.program.linear import Affine, Asks, Linear, said, variable
from schemata.program.matching import Equals, Related
from schemata.program.model import ColumnShape, FieldShape, Fixed, Parts, Program, Rule
from schemata.program.plan import Inquire, LookUp, Move, Range, Require, Solve, Walk, column_name
from schemata.program.queries import goals_of
from schemata.records import Record, json_of, replace
from schemata.thresholds import WAYS


class PlanMove(Record):
    """One part of a plan.

    Attributes
    ----------
    kind : "index" (partners looked up), "scan" (all items of a form gone through), "item" (one item looked up),
        "choose" (the values that a condition allows are tried), "solve" (an equation), "test".
    text : the same in words.
    form : of the items looked up.
    key : their key in the index: pairs of a field, or a part of one, and the value it must have.
    found : the number of partners or choices found; of look-ups made, if single items are looked up; None for tests.
    """

    kind: str
    text: str
    form: str | None
    key: tuple[tuple[str, str], ...]
    found: int | None

    to_json = json_of("kind text form key{} found")


class Work(Record):
    """The work of some part of a kernel.

    Attributes
    ----------
    candidates : the partial matches of the rule that were tried, at the point where the search is widest.
    instances : step instances found.
    seconds : of the Python kernel.
    share : of the kernel's time, 0 to 1.
    """

    candidates: int
    instances: int
    seconds: float
    share: float

    @property
    def selectivity(self) -> float | None:
        """Instances per candidate; None if nothing was tried."""
        return self.instances / self.candidates if self.candidates else None


class BlockProfile(Work):
    """The work of one block of the kernel: an item becomes one antecedent of one rule, and the others are found from
    it.

    Attributes
    ----------
    place : which antecedent the item is, from 1; 0 for a rule without antecedents.
    note : which lengths of lists the block is for.
    trigger : the antecedent's pattern.
    taken : items that took the place.
    plan : the moves, in order.
    """

    place: int
    note: str
    trigger: str
    taken: int
    plan: tuple[PlanMove, ...]

    to_json = json_of(
        "antecedent~=place note~ trigger taken candidates instances selectivity seconds share plan"
    )


_SUMS = " instances candidates selectivity seconds share "


class CaseProfile(Work):
    """The work of one case of a step; the label is None if the step has a single case without a label."""

    label: str | None
    blocks: tuple[BlockProfile, ...]

    to_json = json_of(f"case=label {_SUMS} blocks")


class StepProfile(CaseProfile):
    """The work of a step, case by case; the blocks are those of all cases, the label is None."""

    name: str
    cases: tuple[CaseProfile, ...]

    to_json = json_of(f"step=name {_SUMS} cases")


# Blocks -------------------------------------------------------------------------------------------------------------


def blocks_of(
    program: Program, counters: Probe, spent: Sequence[float], total: float
) -> dict[int, list[BlockProfile]]:
    """Return the work for every case, by its number; by antecedent, then by the lengths of lists.

    Parameters
    ----------
    program : the schema.
    counters : the counts.
    spent : the seconds of every plan.
    total : the seconds of the kernel.
    """
    groups: dict[tuple[int, int, str], list[Measured]] = {}
    for one in sorted(counters.plans, key=lambda one: (one.rule.case, one.plan.slot, one.rule.number)):
        notes = (note for note in one.rule.note.split(", ") if note.startswith("length("))
        groups.setdefault((one.rule.case, one.plan.slot, ", ".join(notes)), []).append(one)
    found: dict[int, list[BlockProfile]] = {}
    for (case, slot, note), plans in groups.items():
        trigger = "the start"
        if slot >= 0:
            trigger = pattern_text(program.schema, program.schema.cases[case].antecedents[slot].pattern)
        counted = counters.counted
        of_kind = {_kind_taken(plan): counted[plan.taken] for plan in plans}
        taken = sum(of_kind.values())
        looks = [[counted[counter] for counter in plan.counters.values()] for plan in plans]
        alone = {_kind_taken(plan) for plan, row in zip(plans, looks, strict=True) if not row}
        widest = sum(max(row) for row in looks if row) + sum(of_kind[kind] for kind in alone)
        instances = sum(counters.found[plan.number] for plan in plans)
        seconds = sum(spent[plan.number] for plan in plans)
        work = max(taken, widest, instances), instances, seconds, seconds / total if total else 0.0
        moves = _moves(program, plans, counted)
        found.setdefault(case, []).append(BlockProfile(*work, slot + 1, note, trigger, taken, moves))
    return found


def _kind_taken(one: Measured) -> int:
    return one.rule.antecedents[one.plan.slot].kind if one.plan.slot >= 0 else -1


def _moves(program: Program, plans: Sequence[Measured], counted: Sequence[int]) -> tuple[PlanMove, ...]:
    """Return the moves for the rules of a block, merged; their counts are sums over the rules."""
    found: list[tuple[int, PlanMove]] = []
    for one in plans:
        at = 0
        known = [one.plan.slot] if one.plan.slot >= 0 else []
        for place, move in enumerate(one.plan.moves):
            told = _told(program, one.rule, move, known)
            own = -1
            if isinstance(move, LookUp | Walk):
                own = move.slot
                known.append(own)
            if told is None:
                continue
            counter = one.counters.get(place)
            count = None if counter is None else counted[counter]
            same = (slot == own and (row.kind, row.text) == (told.kind, told.text) for slot, row in found)
            where = next((k for k, is_same in enumerate(same) if is_same), None)
            if where is None:
                found.insert(at, (own, replace(told, found=count)))
            else:
                at, told = where, found[where][1]
                if count is not None and told.found is not None:
                    found[at] = own, replace(told, found=told.found + count)
            at += 1
    return tuple(move for _, move in found)


# In words -----------------------------------------------------------------------------------------------------------


def _told(program: Program, rule: Rule, move: Move, known: Sequence[int]) -> PlanMove | None:
    """Describe a move, None if it needs no description; `known` are the antecedents found before."""
    match move:
        case LookUp(slot):
            pattern = program.schema.cases[rule.case].antecedents[slot].pattern
            fields = program.schema.form(pattern.form).fields
            row = tuple((f.name, term_text(t, f.type)) for f, t in zip(fields, pattern.terms, strict=True))
            text = f"look up the one item {pattern_text(program.schema, pattern)}"
            return PlanMove("item", text, pattern.form, row, None)
        case Walk():
            return _walked(program, rule, move, known)
        case Range(name):
            return PlanMove("choose", f"try every choice of {name}", None, (), None)
        case Inquire(test):
            return _asked("choose" if move.several else "test", test)
        case Require(test, is_own=True):
            return PlanMove("test", f"test {said(test, _SIGNS, _sum_text)}", None, (), None)
        case Solve(test=Linear() as equation):
            return PlanMove("solve", f"solve {said(equation, _SIGNS, _sum_text)}", None, (), None)
    return None


_SIGNS = ("≤", "≠", "∧", "∨")


def _walked(program: Program, rule: Rule, move: Walk, known: Sequence[int]) -> PlanMove:
    schema = program.schema
    antecedents = schema.cases[rule.case].antecedents
    pattern = antecedents[move.slot].pattern
    shown = pattern_text(schema, pattern)
    fields = schema.form(pattern.form).fields
    atom = rule.antecedents[move.slot]
    names = {x for slot in known for x in m.variables(antecedents[slot].pattern)}

    def parts(
        name: str, term: m.Term | None, kind: m.Type | None, shape: FieldShape
    ) -> Iterator[tuple[str, str]]:
        """Yield the parts of a field by which partners are looked up, with their required values."""
        match shape:
            case Fixed():
                used = set(m.variables(term))
                if term is not None and used and used <= names:
                    yield name, term_text(term, kind)
            case ColumnShape(column):
                if column in move.key:
                    yield name, _sum_text(atom.terms[column])
                elif move.limits is not None and column == move.limits.column:
                    lows = [f"≥ {_sum_text(low)}" for low in move.limits.low]
                    yield name, ", ".join(lows + [f"≤ {_sum_text(high)}" for high in move.limits.high])
                own = [part for whole, part in move.parts if whole == atom.terms[column]]
                places = [None if term is None else _place(term, str(part)) for part in own]
                if None in places and term is not None:
                    yield name, term_text(term, kind)
                else:
                    placed = zip(places, own, strict=True)
                    yield from ((f"{name}{at}", _sum_text(part)) for at, part in placed)
            case Parts(inner):
                terms = _elements(term) if len(_elements(term)) == len(inner) else (None,) * len(inner)
                for k, (one, whole) in enumerate(zip(inner, terms, strict=True)):
                    yield from parts(f"{name}[{k}]", whole, None, one)

    shapes = program.kinds[atom.kind].shapes
    rows = zip(fields, pattern.terms, shapes, strict=True)
    key = tuple(pair for f, term, shape in rows for pair in parts(f.name, term, f.type, shape))
    if not key:
        return PlanMove("scan", f"go through all items {shown}", pattern.form, (), None)
    return PlanMove("index", f"look up {shown} by {_key_text(key)}", pattern.form, key, None)


def _elements(term: m.Term | None) -> tuple[m.Term, ...]:
    match term:
        case m.TupleTerm(parts) | m.ListTerm(parts):
            return parts
    return ()


def _place(term: m.Term, name: str) -> str | None:
    """Return where a variable stands in a pattern, None if it does not, or in no certain place."""
    if isinstance(term, m.Var) and term.name == name:
        return ""
    elements = _elements(term)
    for k, element in enumerate(elements):
        place = _place(element, name)
        if place is not None:
            open_before = any(isinstance(e, m.Splice | m.Run) for e in elements[:k])
            open_after = any(isinstance(e, m.Splice | m.Run) for e in elements[k:])
            if not (open_before and open_after):
                return f"[{k - len(elements) if open_before else k}]{place}"
    return None


def _key_text(key: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{part} {value}" if value[0] in "≤≥" else f"{part} = {value}" for part, value in key)


def _asked(kind: Literal["choose", "test"], test: Asks) -> PlanMove | None:
    goals = goals_of(test)
    conditions = [goal.condition if isinstance(goal, Related) else goal for goal in goals]
    told = [condition_text(c) for c in conditions if c is not None and not isinstance(c, Equals)]
    if told:
        begin = "try every choice of" if kind == "choose" else "test"
        return PlanMove(kind, f"{begin} {' and '.join(told)}", None, (), None)
    if kind == "test":
        return None
    terms = [(goal.term, goal.kind) for goal in goals if isinstance(goal, Equals)]
    for term, _ in terms:
        if isinstance(term, m.Labels) and term.stays:
            text = f"try both ways for the dot of {term_text(term)} where it may stay"
            return PlanMove(kind, text, None, (), None)
    shown = ", ".join(term_text(term, type_) for term, type_ in terms)
    return PlanMove(kind, f"try every choice of {shown}", None, (), None)


def _sum_text(term: Affine) -> str:
    return linear_text(term.constant, ((x.strip("'"), k) for x, k in term.terms))


# Reasons ------------------------------------------------------------------------------------------------------------

_FINDING = ("index", "scan", "item", "choose")  # kinds of moves that find partners or values


def reason(block: BlockProfile) -> str:
    """Return why a block takes its time, in a sentence."""
    looks = [move for move in block.plan if move.kind in _FINDING]
    widest = max(looks, key=lambda move: move.found or 0, default=None)
    begin = "needs no partner" if widest is None else _join(widest)
    if block.instances >= WAYS.poor_share * block.candidates:
        cost = f"so the cost is that of its {block.instances:,} instances"
        return f"{begin}; {_fit(block)}, {cost}"
    fit = _fit(block)
    if widest is not None and widest.kind == "scan" and widest.found == block.candidates:
        return f"{begin}; {fit}, since nothing that is known narrows the choice before it is made"
    return f"{begin}; {fit}, the others {_losses(block, widest)}"


def _fit(block: BlockProfile) -> str:
    """Return which share of the candidates are instances, in words."""
    if not block.instances:
        return f"none of {block.candidates:,} candidates fits"
    ratio = f"{block.candidates / block.instances:.1f}"
    return "every candidate fits" if ratio == "1.0" else f"1 in {ratio} candidates fits"


def _losses(block: BlockProfile, widest: PlanMove | None) -> str:
    """Return the reasons why candidates fail to be instances: the tests after the widest part of the
    search.
    """
    after = block.plan
    reasons = []
    if widest is not None and widest.found == block.candidates:
        after = block.plan[block.plan.index(widest) + 1 :]
    elif block.place:
        reasons.append(f"do not match {block.trigger}")
    if any(move.kind in _FINDING for move in after):
        reasons.append("find no partner")
    tests = [move.text.removeprefix("test ") for move in after if move.kind == "test"]
    if tests:
        reasons.append(f"fail {' or '.join(tests)}")
    return " or ".join(reasons) or "do not match"


def _join(move: PlanMove) -> str:
    match move.kind:
        case "scan":
            return f"joins every item of {move.form} with every one that takes the place (no field is a key)"
        case "index":
            return f"looks up {move.form} by {_key_text(move.key)}"
        case "item":
            return f"looks up one item of {move.form}, all fields known"
    return move.text.replace("try every choice", "tries every choice", 1)


# Loops of an ordered kernel -------------------------------------------------------------------------------------------


class NativeRule(Record):
    """A rule of an ordered kernel, a case of a step for one choice of flags, absent values and lengths, in words.

    Attributes
    ----------
    step, note : the step's name, and the choice.
    instances : step instances found.
    around : the loops that choose the consequent: over levels, then over the items of a level.
    inside : the loops over variables that the consequent leaves open; none where it determines the antecedents.
    looks_up : the antecedents that are looked up in their tables, with their terms.
    tests : further tests.
    """

    step: str
    note: str
    instances: int
    around: tuple[str, ...]
    inside: tuple[str, ...]
    looks_up: tuple[str, ...]
    tests: tuple[str, ...]

    to_json = json_of("step note~ instances around inside looks_up tests")


def native_rules(order: Order, counted: Sequence[int]) -> tuple[NativeRule, ...]:
    """Return the rules of the ordered kernel of an order, in the order in which they run, with their instances."""
    levels = p.level_loops(order)
    planned = sorted(_planned(order), key=lambda pair: pair[1].number)
    return tuple(_in_words(order, levels, *pair, int(counted[pair[1].number])) for pair in planned)


def _planned(order: Order) -> Iterator[tuple[p.PlannedRegion, p.PlannedRule]]:
    """Yield the rules as they are planned, with the loops around them."""
    program, repeating = order.program, repeating_rules(order.program)
    for planned in p.planned_regions(order, "fill", repeating):
        yield from ((planned, rule) for rule in planned.rules)
    for form in (form for form, equations in program.equations.items() if equations):
        regions = {planned.region.number: planned for planned in p.planned_items(order, form)}
        for kind in (kind for kind in program.kinds if kind.form == form):
            for rule in p.planned_writings(order, kind.number):
                yield regions[order.rules[rule.number].consequent], rule


def _in_words(
    order: Order,
    loops: Sequence[Range],
    region: p.PlannedRegion,
    rule: p.PlannedRule,
    instances: int,
) -> NativeRule:
    program, turned = order.program, rule.turned
    lowered = program.rules[turned.rule.number]
    case = program.schema.cases[lowered.case]
    levels = ["level"] if order.depth == 1 else [f"level {k + 1}" for k in range(order.depth)]
    names = _names(program, turned) | {f"s{k}": variable(name) for k, name in enumerate(levels)}
    columns = program.kinds[region.region.kind].columns
    own = {column.name: names[column_name(k)] for k, column in enumerate(columns)}

    def told(term: Affine) -> str:
        return str(term.substitute(names))

    def loop(one: Range) -> str:
        ((lows, highs),) = one.options
        low, high = (
            _one_of(which, (told(end.term) for end in ends))
            for which, ends in (("greatest", lows), ("least", highs))
        )
        return f"for {told(variable(one.name))} from {low} to {high}"

    around = []
    for name, term, around_level in zip(levels, region.region.level, loops, strict=True):
        lows, highs = (
            _outermost([[end.term for end in option[side]] for option in around_level.options], sign)
            for side, sign in ((0, -1), (1, 1))
        )
        low = _one_of("least", [_one_of("greatest", map(told, row)) for row in lows])
        high = _one_of("greatest", [_one_of("least", map(told, row)) for row in highs])
        around.append(f"for every {name} = {term.substitute(own)} from {low} to {high}")
    around += map(loop, p.ranges(region.loops))
    around += [f"with {told(variable(x))} = {told(term)}" for x, term in region.columns.items()]
    looks_up = []
    moves = rule.plan.moves
    for atom in turned.antecedents:
        kind = program.kinds[atom.kind]
        values = kind.values([told(term).strip("'") for term in atom.terms], lambda _, text: text)
        looks_up.append(format_item(program.schema.forms[kind.form], values))
    tests = tuple(str(move.test.substitute(names)) for move in moves if isinstance(move, Require))
    loops_told = tuple(around), tuple(map(loop, p.ranges(moves)))
    note = ", ".join(filter(None, (case.label, lowered.note)))
    return NativeRule(case.step, note, instances, *loops_told, tuple(looks_up), tests)


def _names(program: Program, turned: p.TurnedRule) -> dict[str, Affine]:
    """Return the schema's own names of the consequent's columns; a column without one has the name of its field."""
    columns = program.kinds[turned.rule.consequent.kind].columns
    taken = set(turned.free)
    names: dict[str, Affine] = {p.SYMBOLS: variable("the number of symbols")}
    for k, (column, term) in enumerate(zip(columns, turned.rule.consequent.terms, strict=True)):
        name = term.single if term.single not in (None, "n") else None
        if name is None or name in taken or name.startswith(("'", "_")):
            name = column.name
        while name in taken:
            name += "'"
        taken.add(name)
        names[column_name(k)] = variable(name)
    return names


def _outermost(rows: Sequence[Sequence[Affine]], sign: int) -> list[Sequence[Affine]]:
    """Return the bounds that may be the outermost (the greatest with sign 1, the least with -1).

    A row of terms stands for one bound: the least of them with sign 1, the greatest with sign -1.
    """
    kept: list[Sequence[Affine]] = []
    for row in sorted(rows, key=len):
        if any(_within(row, other, sign) for other in kept):
            continue
        kept = [other for other in kept if not _within(other, row, sign)]
        kept.append(row)
    return kept


def _within(row: Sequence[Affine], other: Sequence[Affine], sign: int) -> bool:
    """Whether a bound is surely at least as tight as another: for each term of the other, it has one at least as
    tight.
    """
    return all(any(t.terms == o.terms and (o.constant - t.constant) * sign >= 0 for t in row) for o in other)


def _one_of(which: str, told: Iterable[str]) -> str:
    texts = list(told)
    return texts[0] if len(texts) == 1 else f"the {which} of {', '.join(texts)}"
