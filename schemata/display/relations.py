"""Answers about relations as text and as LaTeX: how each step is emulated, or what breaks the definition.

The LaTeX fragments are written as the proofs in papers are; they need no package. A table of savings sets items and
steps of two related schemata side by side.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from schemata.display.explanations import escaped
from schemata.display.text import Column, Page, number_text, table
from schemata.relations.answers import Answer, Applied, Counterexample, Way, Witness
from schemata.relations.catalogue import ABBREVIATIONS
from schemata.relations.consequences import FormSaving, Saving

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


def answer_latex(answer: Answer) -> str:
    """Return an answer as a LaTeX fragment: the claim, then its proof or its refutation."""
    claim = (
        rf"$\mbox{{{escaped(answer.first)}}} \stackrel{{{ABBREVIATIONS[answer.kind]}}}{{\rightarrow}} "
        rf"\mbox{{{escaped(answer.second)}}}$"
    )
    title = rf"\paragraph{{{escaped(verdict_line(answer))}}} {claim}"
    if answer.implied_by is not None:
        return f"{title}\n\nThis follows from the {answer.implied_by.replace('-', ' ')}."
    lines = [title, "", escaped(f"{answer.extent}.").replace(escaped("n <= "), r"$n \leq$ ")]
    if answer.maps:
        lines += [r"\begin{quote}", *(rf"{_typewriter(text)}\\" for text in answer.maps), r"\end{quote}"]
    lines += [escaped(f"{note}.") for note in answer.notes]
    if answer.witnesses:
        lines.append(r"\begin{description}")
        for witness in answer.witnesses:
            lines += _witness(witness)
        lines.append(r"\end{description}")
    found = answer.counterexample
    if found is not None:
        lines += ["", rf"For $n = {found.n}$: {escaped(found.reason)}."]
        shown = [found.instance, *found.derivation] if found.instance else list(found.derivation)
        if shown:
            lines += [r"\begin{quote}", *(_inference(one) for one in shown), r"\end{quote}"]
        if found.grammar:
            lines.append(escaped(f"Grammar: {', '.join(found.grammar)}."))
        if found.instance is not None and found.wanted is not None:
            instead = ", ".join(_typewriter(text) for text in found.instead)
            lines.append(f"Derivable instead: {instead or 'nothing'}.")
    return "\n".join(lines)


def _witness(witness: Witness) -> list[str]:
    case = f" ({witness.case})" if witness.case else ""
    lines = [rf"\item[{escaped(witness.step + case)}]"]
    for way in witness.ways:
        names = "; ".join(rf"\textsc{{{escaped(step)}}}" for step in way.steps)
        lines.append(rf"{names or 'no step'} of {escaped(witness.by)}{_when(way, len(witness.ways))}:")
        lines += [r"\begin{quote}"]
        lines += [_inference(one) for one in way.example.emulation] or [_inference(way.example.instance)]
        lines += [r"\end{quote}"]
    return lines


def _when(way: Way, ways: int) -> str:
    if ways == 1:
        return ""
    return f", if {_typewriter(way.when)}" if way.when else ", in some cases"


def _inference(applied: Applied) -> str:
    links = "".join(rf", {d} \rightarrow {h}" for d, h in applied.links)
    above = ", ".join(_typewriter(text) for text in applied.antecedents)
    built = f" (${links[2:]}$)" if links else ""
    return rf"{above} $\vdash$ {_typewriter(applied.consequent)}{built} (by \textsc{{{escaped(applied.step)}}})\\"


def _typewriter(text: str) -> str:
    return rf"\texttt{{{escaped(text)}}}"


def savings_text(found: Sequence[Saving], first: str, second: str, page: Page) -> str:
    """Return the totals by length as a table, and one of the forms where there are several.

    Parameters
    ----------
    found : the figures, one sentence each.
    first, second : what the two schemata are called.
    page : what it is printed on.
    """
    saver, other = (1, 2) if found[0].saver == "first" else (2, 1)
    title = [
        f"1: {first}",
        f"2: {second}",
        f"saved: what {saver} does without of the items and steps of {other}",
    ]
    totals = [
        Column("n", [str(one.n) for one in found], right=True),
        *_pair("items", [(one.first.items, one.second.items) for one in found]),
        Column("saved", [_share(one.items_saved) for one in found], right=True),
        *_pair("steps", [(one.first.steps, one.second.steps) for one in found]),
        Column("saved", [_share(one.steps_saved) for one in found], right=True),
    ]
    rows = [(one, form) for one in found for form in one.forms]
    if len(rows) == len(found):
        matched = Column("corresponding items", [_corresponding(form) for _, form in rows], right=True)
        return "\n\n".join(("\n".join(title), table([*totals, matched], page)))
    forms = [
        Column("n", [str(one.n) for one, _ in rows], right=True),
        Column("form of 1", [_names(form.first_forms) for _, form in rows]),
        Column("form of 2", [_names(form.second_forms) for _, form in rows]),
        *_pair("items", [(form.first.items, form.second.items) for _, form in rows]),
        *_pair("steps", [(form.first.steps, form.second.steps) for _, form in rows]),
        Column("corresponding items", [_corresponding(form) for _, form in rows], right=True),
    ]
    return "\n\n".join(("\n".join(title), table(totals, page), table(forms, page)))


def _pair(what: str, figures: Sequence[tuple[int, int]]) -> list[Column]:
    return [
        Column(f"{what} {side + 1}", [number_text(pair[side]) for pair in figures], right=True)
        for side in (0, 1)
    ]


def _names(forms: Sequence[str]) -> str:
    return ", ".join(forms) or "-"


def _corresponding(form: FormSaving) -> str:
    """Return how many items correspond; of many carried to fewer, both numbers."""
    if not form.first_forms or not form.second_forms:
        return "-"
    fewer = f" to {number_text(form.reached)}" if form.reached != form.shared else ""
    return number_text(form.shared) + fewer


def _share(share: float | None) -> str:
    """Return a share in percent.

    >>> _share(0.4), _share(-0.5), _share(None)
    ('40.0%', '-50.0%', '-')
    """
    return "-" if share is None else f"{100 * share:.1f}%"
