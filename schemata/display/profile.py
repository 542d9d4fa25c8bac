"""Profiles as text: a table of the steps, the bottleneck, and the plans of the steps that take longest."""

from __future__ import annotations

from schemata.analysis.profile import BlockProfile, Profile, StepProfile
from schemata.display.tables import Column, Style, aligned_table

__all__ = ["profile_text"]


def profile_text(profile: Profile, plans: int = 5, *, ascii: bool = False) -> str:
    """Return a profile as text.

    Parameters
    ----------
    plans : of how many steps the plans are told, those that take longest first.
    ascii : keep to ASCII characters in the table.
    """
    steps = sorted(profile.steps, key=lambda step: -step.seconds)
    head = (
        f"{profile.schema}, {len(profile.words)} words: {profile.items:,} items, {profile.instances:,} steps"
    )
    lines = [
        f"{head}; {profile.engine_seconds:.3f} s by {profile.engine}",
        f"shares measured in the Python kernel, {profile.seconds:.3f} s with a clock around every block",
        "",
        aligned_table(_columns(profile, steps), Style(ascii=ascii)),
        "",
        _verdict(profile),
    ]
    for step in steps[:plans]:
        if step.blocks:
            lines += ["", *_plan(step)]
    return "\n".join(lines)


def _columns(profile: Profile, steps: list[StepProfile]) -> list[Column]:
    total = profile.seconds or 1.0
    return [
        Column("step", [*(s.name for s in steps), "(agenda and indexes)"]),
        Column("instances", [*(f"{s.instances:,}" for s in steps), ""], right=True),
        Column("tried", [*(f"{s.tried:,}" for s in steps), ""], right=True),
        Column("fit", [*map(_fit, steps), ""], right=True),
        Column("time", [*(_percent(s.share) for s in steps), _percent(profile.rest / total)], right=True),
    ]


def _fit(step: StepProfile) -> str:
    return "" if step.selectivity is None else _percent(step.selectivity)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _verdict(profile: Profile) -> str:
    worst = profile.bottleneck
    if worst is None:
        return "no step took any time"
    text = f"bottleneck: {worst.name}, {_percent(worst.share)} of the time"
    if profile.rest > worst.seconds:
        share = f"{worst.name} with {_percent(worst.share)} of the time"
        text = f"bottleneck: making and filing items; of the steps, {share}"
    if worst.selectivity is None:
        return f"{text}; it joins nothing"
    if worst.selectivity < 0.5:
        lost = worst.tried - worst.instances
        return f"{text}; its joins try {worst.tried:,} partners, and {lost:,} of them lead to no instance"
    return f"{text}; its joins lose little, so what counts is the number of its instances"


def _plan(step: StepProfile) -> list[str]:
    lines = [step.name]
    for block in sorted(step.blocks, key=lambda block: block.place):
        lines.append(f"  {_trigger(block)}: {block.tried:,} tried, {block.instances:,} found")
        lines += [f"    {move}" for move in block.plan]
    return lines


def _trigger(block: BlockProfile) -> str:
    notes = [x for x in (f"antecedent {block.place}" if block.place else "", block.label, block.note) if x]
    shown = f" ({', '.join(notes)})" if notes else ""
    return block.trigger + shown
