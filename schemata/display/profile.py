"""Profiles as text: a table of the steps, the bottleneck, the plans of the steps that take longest, native loops."""

from __future__ import annotations

from dataclasses import replace

from schemata.analysis.plans import BlockProfile, PlanMove
from schemata.analysis.profile import CaseProfile, Profile, StepProfile
from schemata.display.terminal import PAGE, Page, table, wrapped
from schemata.errors import printable
from schemata.structures.graphs import grouped
from schemata.wording import noted, quantity

_REST = "(the rest)"
_WORDS = {"¬": "not ", "∧": "and", "∨": "or", "∈": "in", "∉": "not in"}
_ASCII = str.maketrans({**_WORDS, "≤": "<=", "≥": ">=", "≠": "!=", "•": "."})


def profile_text(profile: Profile, page: Page = PAGE, plans: int = 5) -> str:
    """Return a profile as text.

    Parameters
    ----------
    profile : the profile.
    page : what it is printed on.
    plans : of how many steps the plans are told, those that take longest first.
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
    first = (
        f"{chart.schema.name}, {quantity(len(chart.sentence), 'word')}: {quantity(chart.item_count, 'item')}, "
        f"{quantity(chart.step_count, 'step')}; {chart.seconds:.3f} s by the {profile.engine.engine} engine"
    )
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
        text += (
            f". Filing {items} of {filing.form} in {indexes}{writings} takes more: {_percent(filing.share)}"
        )
    return text


def _plan(step: StepProfile) -> list[str]:
    lines = [step.name]
    for case in step.cases:
        for block in case.blocks:
            lines.append(
                f"  {_place(case, block)}: {_percent(block.share)} of the time, "
                f"{quantity(block.candidates, 'candidate')}, {quantity(block.instances, 'instance')}"
            )
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
    """Return the native kernel's loops for some steps; rules that differ in flags alone are told once."""
    lines: list[str] = []
    told = (rule for rule in profile.engine.rules if rule.step in shown)
    by_loops = grouped(((rule.step, (*rule.loops.around, *rule.loops.inside)), rule) for rule in told)
    for (step, loops), rules in by_loops.items():
        lines.append(f"  {step}: {quantity(sum(rule.instances for rule in rules), 'instance')}")
        lines += [f"    {'  ' * k}{loop}" for k, loop in enumerate(loops)]
        for rule in rules:
            tests = [f"look up {text}" for text in rule.loops.looks_up]
            tests += [f"test {text}" for text in rule.loops.tests]
            lines.append(f"    {'  ' * len(loops)}{', '.join(tests) or 'derive'}: {rule.instances:,}")
    return lines
