"""Proofs and inferences as text: one block a step, with its bindings, side conditions and links."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from schemata.analysis.side_conditions import named_position
from schemata.display.columns import printable, text_width
from schemata.display.links import link_text
from schemata.display.trace import bindings_text

if TYPE_CHECKING:
    from schemata.analysis.explain import Inference, Proof, ProofNode
    from schemata.charts.items import Item
    from schemata.engine.chart import Chart

__all__ = ["derivations_text", "explain_text"]

_DEEPEST = 12  # levels that are indented; what lies deeper stands below the last of them
_STEP = 2


def explain_text(proof: Proof, *, width: int = 80) -> str:
    """Return a proof as an indented list of numbered nodes."""
    lines = []
    if proof.written:
        lines.append(f"{printable(proof.written)} is {printable(str(proof.item))} in normal form")
    goal = proof.nodes[0]
    if goal.kind == "hypothesis":
        return "\n".join([*lines, f"{printable(str(goal.item))} is a hypothesis: it needs no proof"])
    steps = f"{proof.size:,} step instance{'' if proof.size == 1 else 's'}"
    lines += [f"{printable(str(goal.item))}: smallest proof, {steps}", ""]
    digits = len(str(len(proof.nodes)))
    for node in proof.nodes:
        lines += _node(proof.chart, node, digits, width)
    return "\n".join(lines)


def _node(chart: Chart, node: ProofNode, digits: int, width: int) -> list[str]:
    indent = " " * (_STEP * min(node.depth, _DEEPEST))
    deep = f"[level {node.depth}] " if node.depth > _DEEPEST else ""
    begin = f"{node.number:>{digits}}  {indent}{deep}{'given ' if node.is_context else ''}"
    item = printable(str(node.item))
    margin = " " * (digits + 2 + _STEP) + indent
    if node.kind == "hypothesis":
        return [f"{begin}{item}   hypothesis"]
    if node.kind == "again":
        return [f"{begin}{item}   as in {node.same_as}"]
    if node.kind == "cut":
        return [f"{begin}{item}   in {node.size:,} more step instance{'' if node.size == 1 else 's'}"]
    inference = node.inference
    assert inference is not None
    origin = f" from {', '.join(map(str, node.premises))}" if node.premises else ""
    return [
        f"{begin}{item}   by {_step(inference)}{origin}",
        *_wrapped(_beside(chart, inference), margin, width),
    ]


def _step(inference: Inference) -> str:
    return f"{inference.step}{f' ({inference.label})' if inference.label else ''}"


def _beside(chart: Chart, inference: Inference) -> list[str]:
    """Return what stands beside a step: bindings, conditions, links, each a line to wrap."""
    found = []
    if inference.bindings:
        found.append(bindings_text(inference.bindings))
    licensed = set()
    for condition in inference.conditions:
        if condition.kind == "comparison":
            found.append(f"{condition.text}: {condition.filled}")
        else:
            found.append(condition.said)
            licensed.add(condition.said)
    for link in inference.links:
        if len(link) == 3:
            found.append(f"joins {link_text(link, getattr(chart.grammar, 'words', ()))}")
            continue
        dependent, head = link
        ends = [named_position(p, chart.sentence) for p in (dependent, head)]
        if f"the grammar licenses {ends[0]} under {ends[1]}" not in licensed:
            found.append(f"builds the link of {ends[0]} under {ends[1]}")
    return found


def _wrapped(texts: Sequence[str], margin: str, width: int) -> list[str]:
    lines: list[str] = []
    for text in texts:
        room = max(width - len(margin), 30)
        lines += [
            f"{margin}{part}"
            for part in textwrap.wrap(
                printable(text), room, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
            )
        ]
    return lines


def derivations_text(chart: Chart, item: Item, inferences: Sequence[Inference], *, width: int = 80) -> str:
    """Return every step instance that derives an item."""
    count = len(inferences)
    shown = printable(str(item))
    if not count:
        return f"{shown} is a hypothesis: no step derives it"
    lines = [f"{shown}: derived by {count:,} step instance{'' if count == 1 else 's'}"]
    digits = len(str(count))
    for number, inference in enumerate(inferences, start=1):
        context = inference.context
        above = [
            f"{'given ' if k in context else ''}{printable(str(x))}"
            for k, x in enumerate(inference.antecedents)
        ]
        steps = f"{inference.size:,} step instance{'' if inference.size == 1 else 's'}"
        lines += ["", f"{number:>{digits}}  by {_step(inference)}   (smallest proof this way: {steps})"]
        margin = " " * (digits + 4)
        together = "   ".join(above)
        lines += [f"{margin}{together}"] if text_width(together) <= width - len(margin) else [
            f"{margin}{one}" for one in above
        ]  # fmt: skip
        lines += _wrapped(_beside(chart, inference), margin, width)
    return "\n".join(line.rstrip() for line in lines)
