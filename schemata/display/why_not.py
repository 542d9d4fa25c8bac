"""Reasons why an item is not derivable, as an indented text."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from schemata.analysis.side_conditions import named_position
from schemata.display.columns import printable
from schemata.display.trace import bindings_text

if TYPE_CHECKING:
    from schemata.analysis.reasons import Attempt, WhyNot
    from schemata.structures import Sentence

__all__ = ["why_not_text"]

_DEEPEST = 20  # columns that reasons are indented at most


def why_not_text(reason: WhyNot, sentence: Sentence, *, final: bool = False, width: int = 80) -> str:
    """Return reasons as text; `final` says that any final item was asked for."""
    item = printable(reason.item)
    if reason.written:
        item = f"{printable(reason.written)}, in normal form {item},"
    if reason.hypothesis:
        return f"{item} is a hypothesis: it needs no derivation"
    if reason.derivable:
        return f"{item} is derivable: schemata explain tells how"
    said = f"{'no final item is derivable: ' if final else ''}{item} is not derivable"
    lines = _wrapped(said, 0, width)
    lines += _reasons(reason, 2, width)
    if reason.misfits:
        lines += _wrapped(f"other shapes only: {', '.join(reason.misfits)}", 2, width)
    if reason.links:
        ends = [f"{named_position(d, sentence)} under {named_position(h, sentence)}" for d, h in reason.links]
        lines += ["", *_wrapped(f"It would be derivable if the grammar licensed {_joined(ends)}.", 0, width)]
    elif reason.hopeless:
        lines += ["", "No D-rules make it derivable in this sentence."]
    return "\n".join(lines)


def _reasons(reason: WhyNot, indent: int, width: int) -> list[str]:
    lines: list[str] = []
    for lack in reason.lacks:
        lines += _wrapped(lack.said, indent, width)
    for attempt in reason.attempts:
        lines += _attempt(attempt, indent, width)
    if reason.untold:
        other = "one other step fails" if reason.untold == 1 else f"{reason.untold} other steps fail"
        lines += _wrapped(f"({other} too)", indent, width)
    return lines


def _attempt(attempt: Attempt, indent: int, width: int) -> list[str]:
    label = f" ({attempt.label})" if attempt.label else ""
    bindings = f" with {bindings_text(attempt.bindings)}" if attempt.bindings else ""
    lines = _wrapped(f"by {attempt.step}{label}{bindings}:", indent, width)
    if attempt.present:
        lines += _wrapped(f"there is {_joined(list(attempt.present))}", indent + 2, width)
    followed = {reason.item: reason for reason in attempt.missing}
    for lack in attempt.lacks:
        lines += _wrapped(f"but {lack.said}" if attempt.present else lack.said, indent + 2, width)
        told = next((followed.pop(item) for item in list(followed) if item in lack.said), None)
        if told is not None:
            lines += _reasons(told, indent + 4, width)
    for reason in followed.values():
        lines += _reasons(reason, indent + 4, width)
    if not attempt.complete:
        lines += _wrapped("(too many possibilities: not all were looked at)", indent + 2, width)
    return lines


def _joined(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _wrapped(text: str, indent: int, width: int) -> list[str]:
    indent = min(indent, _DEEPEST)
    margin = " " * indent
    whole = printable(text).replace(" = ", "\xa0=\xa0")
    lines = textwrap.wrap(
        whole,
        max(width - indent, 30),
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [f"{margin}{line}".replace("\xa0", " ") for line in lines]
