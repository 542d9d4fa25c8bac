"""Kernels in words: profiles of steps with their plans and native loops, and proved orders, as JSON too.

A profile is a table of the steps, the bottleneck, and the plans of the steps that take longest. An order is shown by
its invariants, levels, steps and strata, and by why it is sound.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from schemata.display.terminal import PAGE, Page, columns, table, wrapped
from schemata.errors import printable
from schemata.grouping import grouped
from schemata.language.typeset import reference_of
from schemata.program.facts import facts_of, follows
from schemata.program.linear import Affine, AnyOf, Linear, variable
from schemata.program.model import Atom, Kind, Program, Rule
from schemata.records import fields_json
from schemata.wording import noted, quantity

if TYPE_CHECKING:
    from schemata.analysis.plans import BlockProfile, CaseProfile, PlanMove, StepProfile
    from schemata.analysis.profile import Profile
    from schemata.order.model import Order, OrderedRule, Refusal, Region

_REST = "(the rest)"
_WORDS = {"¬": "not ", "∧": "and", "∨": "or", "∈": "in", "∉": "not in"}
_ASCII = str.maketrans({**_WORDS, "≤": "<=", "≥": ">=", "≠": "!=", "•": "."})


def profile_text(profile: Profile, page: Page = PAGE, plans: int = 5) -> str:
    """Return a profile as text.

    Parameters
    ----------
    profile : the profile.
    page : the page it is printed on.
    plans : the number of steps whose plans are shown, those that take longest first.
    """
    steps = sorted(profile.steps, key=lambda step: -step.seconds)
    width = max(page.width, 40)
    lines = [*_head(profile, width), "", _table(profile, steps, replace(page, colour=False)), ""]
    lines += wrapped(_verdict(profile), width)
    for step in steps[:plans]:
        lines += ["", *_plan(step)]
    if plans and profile.engine.rules:
        lines += ["", *wrapped(f"The native kernel: {profile.engine.about}", width)]
        lines += _loops(profile, {step.name for step in steps[:plans]})
    text = "\n".join(printable(line) for part in lines for line in part.split("\n"))
    return text.translate(_ASCII) if page.ascii else text


def _head(profile: Profile, width: int) -> list[str]:
    chart, measured = profile.chart, profile.measured
    counts = f"{quantity(chart.item_count, 'item')}, {quantity(chart.step_count, 'step')}"
    first = f"{chart.schema.name}, {quantity(len(chart.sentence), 'word')}: {counts}"
    first += f"; {chart.seconds:.3f} s by the {profile.engine.engine} engine"
    if chart.engine == "native":
        first += f" ({profile.engine.kernel} kernel; {profile.first_seconds:.3f} s with its start)"
    n = profile.measured_n
    part = "all words" if n == len(chart.sentence) else f"the first {quantity(n, 'word')}"
    second = f"shares and candidates: the Python kernel on {part}"
    if not profile.is_whole:
        second += f", {quantity(measured.item_count, 'item')} and {quantity(measured.step_count, 'step')}"
    if measured.stopped and not chart.stopped:
        second += ", where it was cut off"
    second += f"; {profile.seconds:.3f} s, a clock around every block, less the measured cost of the clocks"
    return [*wrapped(first, width), *wrapped(second, width)]


def _table(profile: Profile, steps: list[StepProfile], page: Page) -> str:
    works: list[tuple[str, StepProfile | CaseProfile]] = []
    for step in steps:
        works.append((step.name, step))
        works += [(f"  {case.label}", case) for case in step.cases if len(step.cases) > 1]
    rows = []
    for name, work in works:
        fit = "" if work.selectivity is None else _percent(work.selectivity)
        rows.append((name, f"{work.instances:,}", f"{work.candidates:,}", fit, _percent(work.share)))
    for filing in sorted(profile.filing, key=lambda filing: -filing.seconds):
        rows.append((f"(filing {filing.form})", "", "", "", _percent(filing.share)))
    rows.append((_REST, "", "", "", _percent(profile.rest_share)))
    return table(["step", ">instances", ">candidates", ">fit", ">time"], rows, page)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _verdict(profile: Profile) -> str:
    worst = profile.bottleneck
    if worst is None:
        return "bottleneck: none, no step has anything to do"
    text = f"bottleneck: {worst.step.name}, {_percent(worst.step.share)} of the time"
    notes = [text for text in (worst.case, worst.block.note) if text]
    if worst.block.place:
        notes.append(f"as antecedent {worst.block.place}")
    if sum(len(case.blocks) for case in worst.step.cases) > 1:
        text += f"; most of it {', '.join(notes)}, {_percent(worst.block.share)}"
    text += f". It {worst.why}"
    filing = max(profile.filing, key=lambda filing: filing.seconds, default=None)
    if filing is not None and filing.seconds > worst.step.seconds:
        items, indexes = quantity(filing.items, "item"), quantity(filing.indexes, "index", "indexes")
        writings = ", in all their writings," if filing.has_writings else ""
        more = f"takes more: {_percent(filing.share)}"
        text += f". Filing {items} of {filing.form} in {indexes}{writings} {more}"
    return text


def _plan(step: StepProfile) -> list[str]:
    lines = [step.name]
    for case in step.cases:
        for block in case.blocks:
            counts = f"{quantity(block.candidates, 'candidate')}, {quantity(block.instances, 'instance')}"
            lines.append(f"  {_place(case, block)}: {_percent(block.share)} of the time, {counts}")
            lines += [f"    {_move(move)}" for move in block.plan]
    return lines


def _place(case: CaseProfile, block: BlockProfile) -> str:
    where = f"as antecedent {block.place}, {block.trigger}" if block.place else "at the start"
    return noted(where, ", ".join(text for text in (case.label, block.note) if text))


def _move(move: PlanMove) -> str:
    if move.found is None:
        return move.text
    one = {"item": "look-up", "choose": "choice"}.get(move.kind)
    return f"{move.text}: {quantity(move.found, one) if one else f'{move.found:,} found'}"


def _loops(profile: Profile, shown: set[str]) -> list[str]:
    """Return the native kernel's loops for some steps; rules that differ in flags alone share an entry."""
    lines: list[str] = []
    told = (rule for rule in profile.engine.rules if rule.step in shown)
    by_loops = grouped(((rule.step, (*rule.around, *rule.inside)), rule) for rule in told)
    for (step, loops), rules in by_loops.items():
        lines.append(f"  {step}: {quantity(sum(rule.instances for rule in rules), 'instance')}")
        lines += [f"    {'  ' * k}{loop}" for k, loop in enumerate(loops)]
        for rule in rules:
            tests = [f"look up {text}" for text in rule.looks_up]
            tests += [f"test {text}" for text in rule.tests]
            lines.append(f"    {'  ' * len(loops)}{', '.join(tests) or 'derive'}: {rule.instances:,}")
    return lines


# Proved orders --------------------------------------------------------------------------------------------

_WIDEST = 46  # columns of a name beside what is told of it
_SHOWN = 3  # different rises of one antecedent that are told one by one


def explain_order(order: Order, unused: str | None, page: Page = PAGE) -> str:
    """Return the proof of an order as text; `unused` says why runs take an agenda all the same, if they do."""
    program = order.program
    title = f"{reference_of(program.schema)}: proved for every sentence length n >= 1 and every grammar"
    lines = [title, "", "What holds for every item (by induction on its derivation)"]
    lines += _rows(((kind.name, ", ".join(_facts(order, kind))) for kind in program.kinds), page)
    decides = "; the first term that differs decides" * (order.depth > 1)
    lines += ["", f"Level of an item (items are completed by increasing level{decides})"]
    levels = ((_region_name(order, one), ", ".join(map(str, one.level))) for one in order.regions)
    lines += _rows(levels, page)
    lines += ["", "Steps: how far the consequent's level is above that of each antecedent"]
    lines += _rows(_steps(order), page)
    if order.strata > 1:
        lines += ["", "Strata: what stays on a level is derived after what it needs there"]
        lines += _rows(_strata(order), page)
    lines += ["", "Why the order is sound", *wrapped(_reason(order), page.width, 2)]
    if unused is not None:
        lines += ["", "Native runs take an agenda all the same", f"  {unused}"]
    return "\n".join(lines)


def explain_refusal(schema: str, refusal: Mapping[str, Any], page: Page = PAGE) -> str:
    """Return why there is no proved order, given as JSON data, as text."""
    told = (("why", refusal["reason"]), ("step", refusal["step"]), ("example", refusal["example"]))
    return "\n".join([f"{schema}: no proved order", "", *_rows(told, page)])


def order_as_json(order: Order, unused: str | None) -> dict[str, Any]:
    """Return the proof of an order as JSON data; `unused` as for `explain_order`."""
    program = order.program
    kinds = [{"name": kind.name, "invariants": _facts(order, kind)} for kind in program.kinds]
    found = {"proved": True, "unused": unused, **fields_json(order, "depth strata"), "kinds": kinds}
    found["regions"] = [
        {"kind": program.kinds[region.kind].name, **fields_json(region, "where=tests level")}
        for region in order.regions
    ]
    found["rules"] = [
        {"step": _step_of(program, rule.rule), "note": program.rules[rule.rule].note}
        | fields_json(rule, "antecedents consequent ties stratum")
        for rule in order.rules
    ]
    return found


def refusal_as_json(program: Program, refusal: Refusal) -> dict[str, Any]:
    """Return why there is no proved order as JSON data."""
    step = _step_of(program, refusal.rule)
    return {"proved": False, "reason": refusal.reason, "step": step, "example": refusal.example}


def _step_of(program: Program, rule: int | None) -> str | None:
    return None if rule is None else program.schema.cases[program.rules[rule].case].step


# What holds ----------------------------------------------------------------------------------------------


def _facts(order: Order, kind: Kind) -> list[str]:
    """Return the facts that hold for all items of a kind, as chains of comparisons."""
    regions = [r for r in order.regions if r.kind == kind.number]
    shared = [t for t in regions[0].invariants if all(t in r.invariants for r in regions)]
    kept = list(shared)
    for test in shared:
        facts = facts_of(t for t in kept if t is not test)
        if follows(facts, test.left):
            kept.remove(test)
    return chains(kept) + [str(t) for t in kind.conditions if isinstance(t, AnyOf)]


def chains(tests: Iterable[Linear]) -> list[str]:
    """Return tests as comparisons, written in chains where the end of one is the beginning of another.

    >>> from schemata.program.linear import variable
    >>> i, j, n = map(variable, "ijn")
    >>> chains([Linear(">=", j - i - 1), Linear(">=", i), Linear(">=", n - j)])
    ['0 <= i < j <= n']
    """
    waiting: list[list[str]] = []
    others: list[str] = []
    for test in tests:
        told = str(test)
        ends = re.split(" (<=?) ", told)  # two terms and what stands between, where it is one comparison
        if len(ends) == 3:
            waiting.append(ends)
        else:
            others.append(told)
    rows: list[list[str]] = []
    while waiting:
        lasts = {row[-1] for row in waiting}
        chain: list[str] | None = next((row for row in waiting if row[0] not in lasts), waiting[0])
        rows.append([])
        while chain is not None:
            waiting.remove(chain)
            rows[-1] += chain[1:] if rows[-1] else chain
            chain = next((row for row in waiting if row[0] == rows[-1][-1]), None)
    return [" ".join(row) for row in rows] + others


# Steps ---------------------------------------------------------------------------------------------------


def _region_name(order: Order, region: Region) -> str:
    name = order.program.kinds[region.kind].name
    return f"{name}  where {', '.join(chains(region.tests))}" if region.tests else name


def _steps(order: Order) -> list[tuple[str, str]]:
    rows = []
    program = order.program
    for number, variants in grouped((ordered.rule, ordered) for ordered in order.rules).items():
        rule = program.rules[number]
        told = []
        for k in range(len(rule.antecedents)):
            rises = list(dict.fromkeys(_rise(order, v, k) for v in variants))
            ties = any(k in v.ties for v in variants)
            told.append(_told_rises(rises, ties))
        rows.append((_rule_name(program, rule), ";  ".join(told) or "no antecedents"))
    return list(dict.fromkeys(rows))


def _rule_name(program: Program, rule: Rule) -> str:
    return noted(program.schema.cases[rule.case].step, rule.note)


def _rise(order: Order, rule: OrderedRule, k: int) -> tuple[str, ...]:
    """Return by how much each term of the level rises from an antecedent to the consequent."""
    program = order.program
    one = program.rules[rule.rule]
    names = _named_by_columns(program, one)

    def level(region: int, atom: Atom) -> list[Affine]:
        values = {c.name: t for c, t in zip(program.kinds[atom.kind].columns, atom.terms, strict=True)}
        return [term.substitute(values).substitute(names) for term in order.regions[region].level]

    above = level(rule.consequent, one.consequent)
    below = level(rule.antecedents[k], one.antecedents[k])
    return tuple(str(high - low) for high, low in zip(above, below, strict=True))


def _named_by_columns(program: Program, rule: Rule) -> dict[str, Affine]:
    """Return names for variables that the schema does not name: that of the field, primed for a later antecedent."""
    names: dict[str, Affine] = {}
    for k, atom in enumerate(rule.antecedents):
        for column, term in zip(program.kinds[atom.kind].columns, atom.terms, strict=True):
            if term.single is not None and term.single.startswith("_"):
                names.setdefault(term.single, variable(column.name + "'" * k))
    return names


def _told_rises(rises: Sequence[tuple[str, ...]], ties: bool) -> str:
    if ties and len(rises) == 1 and set(rises[0]) == {"0"}:
        return "the same level"
    shown = list(dict.fromkeys(_told_rise(row) for row in rises))
    told = " or ".join(shown) if len(shown) <= _SHOWN else f"{', '.join(shown[:_SHOWN])} or others by region"
    return f"{told} {'>=' if ties else '>'} 0"


def _told_rise(rise: tuple[str, ...]) -> str:
    """Return the terms that may decide a comparison: all before them are equal, all after a number do not matter."""
    first = next((k for k, term in enumerate(rise) if term != "0"), len(rise) - 1)
    last = next((k for k in range(first, len(rise)) if rise[k].isdigit()), len(rise) - 1)
    told = list(rise[first : last + 1])
    while len(told) > 1 and told[-1] == "0":
        told.pop()
    return f"{'first equal, then ' * first}{', then '.join(told)}"


def _strata(order: Order) -> list[tuple[str, str]]:
    program = order.program
    names: dict[int, dict[str, None]] = {}
    for ordered in order.rules:
        names.setdefault(ordered.stratum, {})[_rule_name(program, program.rules[ordered.rule])] = None
    return [(str(k), ", ".join(names[k]) if k else "all others") for k in sorted(names)]


def _reason(order: Order) -> str:
    text = "No step lowers the level, so an item never waits for one that comes later. "
    if order.strata > 1:
        text += "Steps that may stay on a level are put into strata; "
        text += "none is fed, on its level, by a step of its own stratum or a later one. "
    else:
        text += "Every step raises the level, so items of one level do not need each other. "
    if any(order.program.equations.values()):
        text += (
            "All writings of an item are on one level. Instances that derive a writing of one of their own "
        )
        text += "antecedents are dropped and need no order. "
    text += "Each statement was decided by the solver over all integers: the invariants by induction, the levels for "
    text += "each step and antecedent, context antecedents included, and the strata for each pair of steps."
    return text


def _rows(rows: Iterable[tuple[str, str]], page: Page) -> list[str]:
    return columns((("", *row) for row in rows if row[1]), page.width, widest=_WIDEST)
