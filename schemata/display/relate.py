"""Answers about relations in words: how each step is emulated, or what breaks the definition."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from schemata.analysis.relations.answers import Answer, Applied, Counterexample, Way, Witness

__all__ = [
    "answer_text",
    "answers_text",
    "counterexample_lines",
    "sequence_text",
    "verdict_line",
    "witness_lines",
]

_PHRASES = {
    "step-refinement": "{1} is a step refinement of {0}",
    "step-contraction": "{1} is a step contraction of {0}",
    "item-refinement": "{1} is an item refinement of {0}",
    "item-contraction": "{1} is an item contraction of {0}",
    "static-filter": "{1} is a static filter of {0}",
    "dynamic-filter": "{1} is a dynamic filter of {0}",
}
_STOPS = {
    "interrupt": "interrupted",
    "steps": "out of steps",
    "seconds": "out of time",
    "memory": "out of memory",
}


def verdict_line(answer: Answer) -> str:
    """Return who is related to whom, how, and whether it holds."""
    said = _PHRASES[answer.kind].format(answer.first, answer.second)
    if answer.holds is None:
        return f"{said}: unknown, {_STOPS.get(answer.stopped or '', 'stopped')}"
    return f"{said}: {'holds' if answer.holds else 'does not hold'}"


def answer_text(answer: Answer, *, width: int = 80, examples: bool = False) -> str:
    """Return what `schemata relate A B --kind KIND` prints.

    Parameters
    ----------
    answer : what was found.
    width : columns.
    examples : show for each sequence the smallest instance with the items on its way.
    """
    lines = [verdict_line(answer), *_wrapped(str(answer.extent), "  ", width)]
    for text in answer.maps:
        lines += _wrapped(f"map {text}", "  ", width)
    for note in answer.notes:
        lines += _wrapped(f"note: {note}", "  ", width)
    if answer.witnesses:
        lines.append("")
        for witness in answer.witnesses:
            lines += witness_lines(witness, width, examples)
    if answer.counterexample is not None:
        lines += ["", *counterexample_lines(answer.counterexample, answer, width)]
    return "\n".join(lines)


def answers_text(
    answers: Sequence[Answer], first: str, second: str, *, width: int = 80, examples: bool = False
) -> str:
    """Return what `schemata relate A B` prints without a kind: all relations that hold, the implied ones in a line."""
    if not answers:
        return f"no relation is found from {first} to {second} by the maps tried"
    parts = []
    for answer in answers:
        if answer.implied_by is None:
            implied = [one for one in answers if one.implied_by == answer.kind]
            lines = [answer_text(answer, width=width, examples=examples)]
            lines += [f"{verdict_line(one)}, being a {_words(answer.kind)}" for one in implied]
            parts.append("\n\n".join([lines[0], *(["\n".join(lines[1:])] if implied else [])]))
    return "\n\n".join(parts)


def _words(kind: str) -> str:
    return kind.replace("-", " ")


def sequence_text(way: Way) -> str:
    """Return a sequence of steps as papers write it: `Initter; CombineSpans; R-Link`."""
    return "; ".join(way.steps) or "(no step)"


def witness_lines(witness: Witness, width: int, examples: bool = False) -> list[str]:
    """Return how one rule is emulated, a line for each sequence."""
    case = f", {witness.case}," if witness.case else ""
    head = f"{witness.step}{case} of {witness.schema}"
    lines: list[str] = []
    if len(witness.ways) > 1:
        lines.append(f"  {head}")
    for way in witness.ways:
        told = f"= {sequence_text(way)} of {witness.by}"
        if len(witness.ways) == 1:
            lines += _hanging(f"{head} {told}", 2, width)
        else:
            when = f"if {way.when}" if way.when else f"as in {_instance(way.example.instance)}"
            lines += _hanging(f"{told}, {when}", 4, width)
        if examples:
            lines.append(f"      {_instance(way.example.instance)}, n = {way.example.n}:")
            lines += [f"        {_instance(one)}  by {one.step}" for one in way.example.emulation]
    return lines


def _hanging(text: str, indent: int, width: int) -> list[str]:
    return textwrap.wrap(
        text,
        max(width, 40),
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + 4),
        break_long_words=False,
        break_on_hyphens=False,
    )


def counterexample_lines(found: Counterexample, answer: Answer, width: int) -> list[str]:
    """Return what breaks a definition."""
    lines = _wrapped(f"At n = {found.n}: {found.reason}.", "  ", width)
    if found.instance is not None:
        lines.append(f"    {found.instance.step}: {_instance(found.instance)}")
    if found.wanted is not None and found.instance is not None:
        same = (found.wanted.antecedents, found.wanted.consequent)
        if same != (found.instance.antecedents, found.instance.consequent):
            lines.append(f"    as items of the other: {_instance(found.wanted)}")
    if found.derivation:
        lines.append("    the derivation:")
        lines += [f"      {_instance(one)}  by {one.step}" for one in found.derivation]
    if found.grammar:
        lines += _wrapped(f"under the grammar: {', '.join(found.grammar)}", "    ", width)
    if found.instance is not None and found.wanted is not None:
        instead = ", ".join(found.instead) or "nothing"
        lines += _wrapped(f"derivable instead: {instead}", "    ", width)
    return lines


def _instance(applied: Applied) -> str:
    links = "".join(f", {d} under {h}" for d, h in applied.links)
    return f"{', '.join(applied.antecedents)} |- {applied.consequent}{links}".strip()


def _wrapped(text: str, indent: str, width: int) -> list[str]:
    return _hanging(text, len(indent), width)
