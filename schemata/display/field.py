"""The map of the field as text and in DOT, and as a page of documentation."""

from __future__ import annotations

from collections.abc import Sequence

from schemata.analysis.relations.answers import Answer
from schemata.analysis.relations.field import ABBREVIATIONS, Arrow, graph_of
from schemata.display.relate import answer_text

__all__ = ["field_dot", "field_page", "field_text"]


def field_text(arrows: Sequence[Arrow], *, width: int = 80) -> str:
    """Return the arrows line by line, then what is wrong with those that do not hold."""
    lines = []
    wide = max((len(arrow.first) for arrow in arrows), default=0)
    far = max((len(arrow.second) for arrow in arrows), default=0)
    for arrow in arrows:
        label = ABBREVIATIONS.get(arrow.kind, arrow.kind)
        lines.append(f"{arrow.first:<{wide}}  -{label}->  {arrow.second:<{far}}  {_verdict(arrow)}")
    for arrow in arrows:
        if arrow.holds is False:
            lines += ["", *(answer_text(a, width=width) for a in arrow.answers if a.holds is False)]
            lines += [f"  instead: {_instead(answer)}" for answer in _strongest(arrow)]
    return "\n".join(lines)


def _verdict(arrow: Arrow) -> str:
    if arrow.holds is None:
        return "unknown"
    if not arrow.holds:
        return "does not hold"
    return f"holds, n <= {min(answer.extent.max_n for answer in arrow.answers)}"


def _strongest(arrow: Arrow) -> list[Answer]:
    """Return what holds in place of a claim, but for what follows from it."""
    return [answer for answer in arrow.instead if answer.holds and answer.implied_by is None]


def _instead(answer: Answer) -> str:
    maps = f" by {'; '.join(answer.maps)}" if answer.maps else ""
    return f"{answer.kind} holds, n <= {answer.extent.max_n}{maps}"


def _range(arrow: Arrow) -> str:
    """Return how many words were gone through, or those of the counterexample."""
    broken = [answer.counterexample.n for answer in arrow.answers if answer.counterexample]
    if broken:
        return f"{min(broken)}"
    return f"up to {min(answer.extent.max_n for answer in arrow.answers)}"


def field_dot(arrows: Sequence[Arrow]) -> str:
    """Return the map in DOT: arrows that do not hold are dashed, open ones dotted."""
    lines = ["digraph relations {", "  rankdir=BT;", "  node [shape=box];"]
    for first, second, data in graph_of(arrows).edges(data=True):
        style = {True: "solid", False: "dashed", None: "dotted"}[data["holds"]]
        # Filters lead downwards.
        up = data["label"] in ("sr", "ir")
        ends = (first, second) if up else (second, first)
        back = "" if up else ", dir=back"
        lines.append(f'  "{ends[0]}" -> "{ends[1]}" [label="{data["label"]}", style={style}{back}];')
    return "\n".join([*lines, "}"]) + "\n"


# The page -------------------------------------------------------------------------------------------------------

_INTRODUCTION = """\
# Relations between the shipped schemata

Made by `{command}`.

How parsing algorithms are related, after Sikkel and after section 4 of Gómez-Rodríguez, Carroll & Weir (2011). Every
claim of the relation files in `schema_specs/relations/` is decided by the definition itself: all items and all step
instances of sentences of up to {n} words (fewer over Link Grammar), each step instance in the least grammar that has
it. P is the first schema, Q the second one.

- Step refinement (sr): items of P are items of Q, and every step of P is emulated by steps of Q, from its own
  antecedents and the hypotheses, building the same links. Step contraction (sc): P is a step refinement of Q.
- Static filter (sf): items of Q are items of P, and steps of Q are steps of P. Dynamic filter (df): items of Q are
  items of P, and every step of Q is a step of P that may have more antecedents.
- Item refinement (ir): a mapping of the items of Q onto those of P takes derivations of Q to derivations of P, and
  every derivation of P is the image of one. Item contraction (ic): P is an item refinement of Q.

A static filter is a dynamic filter, and a dynamic filter a step contraction. Hypotheses are no items of a schema, and
a context antecedent counts as an antecedent. Items are compared modulo the maps that a relation file gives.
`schemata relate` decides any other pair, with `--map` where items do not correspond by their forms.

![the map](relations.svg)

Generalisations lead upwards, filters and contractions downwards. Dashed arrows do not hold; what stands in their way
is said in [relating.md](relating.md#claims-that-do-not-hold-as-stated).

"""


def field_page(arrows: Sequence[Arrow], max_n: int, command: str) -> str:
    """Return the page `docs/relations.md`.

    Parameters
    ----------
    arrows : the decided claims.
    max_n : the number of words, at most.
    command : the command that makes the page.
    """
    lines = [_INTRODUCTION.format(n=max_n, command=command)]
    lines += ["| from | kind | to | | words | claimed in |", "|---|---|---|---|---|---|"]
    for arrow in arrows:
        shown = "holds" if arrow.holds else "**does not hold**" if arrow.holds is False else "unknown"
        kind = arrow.kind.replace("-", " ")
        source = arrow.reference or "found by `schemata relate`"
        lines.append(f"| {arrow.first} | {kind} | {arrow.second} | {shown} | {_range(arrow)} | {source} |")
    lines += ["", "## Witnesses"]
    for arrow in arrows:
        if arrow.is_chain:
            continue
        lines += ["", f"### {arrow.first} to {arrow.second}", "", "```text"]
        lines += [answer_text(answer, width=110) for answer in arrow.answers]
        lines.append("```")
        held = _strongest(arrow)
        if held:
            lines += ["", "Instead:", ""]
            lines += [f"- {_instead(answer)}" for answer in held]
    return "\n".join(lines) + "\n"
