"""Answers about relations as text and as LaTeX: how each step is emulated, or what breaks the definition.

The LaTeX fragments are written as the proofs in papers are; they need no package. A table of savings sets items and
steps of two related schemata side by side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from schemata.display.arc_layout import link_text
from schemata.display.explanations import escaped
from schemata.display.text import Page, table, wrapped
from schemata.relations.answers import Answer, Applied, Counterexample, Witness
from schemata.relations.catalogue import ABBREVIATIONS
from schemata.relations.consequences import FormSaving, Saving
from schemata.wording import noted, number_text

_STOPS = {
    "interrupt": "interrupted",
    "steps": "out of steps",
    "seconds": "out of time",
    "memory": "out of memory",
}


def verdict_line(answer: Answer) -> str:
    """Return who is related to whom, how, and whether it holds."""
    article = "an" if answer.kind.startswith("item") else "a"
    said = f"{answer.second} is {article} {_words(answer.kind)} of {answer.first}"
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
    texts = [str(answer.extent), *(f"map {text}" for text in answer.maps)]
    texts += [f"note: {note}" for note in answer.notes]
    width = max(width, 40)
    lines = [verdict_line(answer), *(line for text in texts for line in wrapped(text, width, 2, 4))]
    if answer.witnesses:
        lines += ["", *(line for one in answer.witnesses for line in _witness(one, examples, width))]
    if answer.counterexample is not None:
        lines += ["", *_counterexample(answer.counterexample, width)]
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
            parts.append(answer_text(answer, width=width, examples=examples))
            implied = [one for one in answers if one.implied_by == answer.kind]
            if implied:
                lines = [f"{verdict_line(one)}, being a {_words(answer.kind)}" for one in implied]
                parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _words(kind: str) -> str:
    return kind.replace("-", " ")


def _witness(witness: Witness, examples: bool, width: int) -> Iterator[str]:
    """Yield how one rule is emulated, a line for each sequence of steps."""
    case = f", {witness.case}," if witness.case else ""
    head = f"{witness.step}{case} of {witness.schema}"
    if len(witness.ways) > 1:
        yield f"  {head}"
    for way in witness.ways:
        told = f"= {'; '.join(way.steps) or '(no step)'} of {witness.by}"
        if len(witness.ways) == 1:
            yield from wrapped(f"{head} {told}", width, 2, 4)
        else:
            when = f"if {way.when}" if way.when else f"as in {_instance(way.example.instance)}"
            yield from wrapped(f"{told}, {when}", width, 4, 4)
        if examples:
            yield f"      {_instance(way.example.instance)}, n = {way.example.n}:"
            yield from (f"        {_by(applied)}" for applied in way.example.emulation)


def _counterexample(example: Counterexample, width: int) -> Iterator[str]:
    """Yield what breaks a definition."""
    instance, wanted = example.instance, example.wanted
    at = f"At n = {example.n}: " if example.n else ""
    yield from wrapped(f"{at}{example.reason}.", width, 2, 4)
    if instance is not None:
        yield f"    {instance.step}: {_instance(instance)}"
        if wanted is not None and _instance(wanted, ()) != _instance(instance, ()):
            yield f"    as items of the other: {_instance(wanted)}"
    if example.derivation:
        yield "    the derivation:"
        yield from (f"      {_by(applied)}" for applied in example.derivation)
    if example.grammar:
        yield from wrapped(f"under the grammar: {', '.join(example.grammar)}", width, 4, 4)
    if instance is not None and wanted is not None:
        yield from wrapped(f"derivable instead: {', '.join(example.instead) or 'nothing'}", width, 4, 4)


def _instance(applied: Applied, links: Sequence[tuple[int, int]] | None = None) -> str:
    built = "".join(f", {link_text(link)}" for link in (applied.links if links is None else links))
    return f"{', '.join(applied.antecedents)} |- {applied.consequent}{built}".strip()


def _by(applied: Applied) -> str:
    return f"{_instance(applied)}  by {applied.step}"


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
            lines += _witness_latex(witness)
        lines.append(r"\end{description}")
    example = answer.counterexample
    if example is not None:
        lines += ["", (rf"For $n = {example.n}$: " if example.n else "") + f"{escaped(example.reason)}."]
        shown = [example.instance, *example.derivation] if example.instance else list(example.derivation)
        if shown:
            lines += [r"\begin{quote}", *(_inference(one) for one in shown), r"\end{quote}"]
        if example.grammar:
            lines.append(escaped(f"Grammar: {', '.join(example.grammar)}."))
        if example.instance is not None and example.wanted is not None:
            instead = ", ".join(_typewriter(text) for text in example.instead)
            lines.append(f"Derivable instead: {instead or 'nothing'}.")
    return "\n".join(lines)


def _witness_latex(witness: Witness) -> list[str]:
    lines = [rf"\item[{escaped(noted(witness.step, witness.case))}]"]
    for way in witness.ways:
        names = "; ".join(rf"\textsc{{{escaped(step)}}}" for step in way.steps)
        when = f"if {_typewriter(way.when)}" if way.when else "in some cases"
        when = f", {when}" if len(witness.ways) > 1 else ""
        lines.append(rf"{names or 'no step'} of {escaped(witness.by)}{when}:")
        lines += [r"\begin{quote}"]
        lines += [_inference(one) for one in way.example.emulation] or [_inference(way.example.instance)]
        lines += [r"\end{quote}"]
    return lines


def _inference(applied: Applied) -> str:
    links = "".join(rf", {d} \rightarrow {h}" for d, h in applied.links)
    above = ", ".join(_typewriter(text) for text in applied.antecedents)
    built = f" (${links[2:]}$)" if links else ""
    return rf"{above} $\vdash$ {_typewriter(applied.consequent)}{built} (by \textsc{{{escaped(applied.step)}}})\\"


def _typewriter(text: str) -> str:
    return rf"\texttt{{{escaped(text)}}}"


def savings_text(savings: Sequence[Saving], first: str, second: str, page: Page) -> str:
    """Return the totals by length as a table, and one of the forms where there are several.

    Parameters
    ----------
    savings : the figures, one sentence each.
    first, second : what the two schemata are called.
    page : what it is printed on.
    """
    saver, other = (1, 2) if savings[0].saver == "first" else (2, 1)
    title = [
        f"1: {first}",
        f"2: {second}",
        f"saved: what {saver} does without of the items and steps of {other}",
    ]
    counts = [">items 1", ">items 2", ">steps 1", ">steps 2"]
    corresponding = ">corresponding items"
    headers = [">n", *counts[:2], ">saved", *counts[2:], ">saved"]
    totals = [
        [
            str(one.n),
            *(number_text(counted.items) for counted in (one.first, one.second)),
            _share(one.items_saved),
            *(number_text(counted.steps) for counted in (one.first, one.second)),
            _share(one.steps_saved),
        ]
        for one in savings
    ]
    forms = [(one, form) for one in savings for form in one.forms]
    if len(forms) == len(savings):
        matched = [[*row, _corresponding(form)] for row, (_, form) in zip(totals, forms, strict=True)]
        return "\n\n".join(("\n".join(title), table([*headers, corresponding], matched, page)))
    rows = [
        [
            str(one.n),
            _names(form.first_forms),
            _names(form.second_forms),
            *(number_text(counted.items) for counted in (form.first, form.second)),
            *(number_text(counted.steps) for counted in (form.first, form.second)),
            _corresponding(form),
        ]
        for one, form in forms
    ]
    by_form = table([">n", "form of 1", "form of 2", *counts, corresponding], rows, page)
    return "\n\n".join(("\n".join(title), table(headers, totals, page), by_form))


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
