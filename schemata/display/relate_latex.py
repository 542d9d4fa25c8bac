r"""Answers about relations as LaTeX fragments, written as the proofs in papers are.

They need no package: `description`, `quote` and math mode are all that is used.
"""

from __future__ import annotations

from schemata.analysis.relations.answers import Answer, Applied, Way, Witness
from schemata.analysis.relations.field import ABBREVIATIONS
from schemata.display.relate import verdict_line
from schemata.display.trace_latex import escaped

__all__ = ["answer_latex"]


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
