"""A verdict on a Link Grammar schema in words, its counterexamples as a dictionary, a sentence and a drawing."""

from __future__ import annotations

import math
from collections.abc import Iterable

from schemata.analysis.linkage_cases import LinkageCase
from schemata.analysis.linkage_verdict import LinkageVerdict, MissedLinkage, RepeatedLinkage, UnsoundLinks
from schemata.display.arcs import draw_links
from schemata.display.derivations import derivation_text, step_text
from schemata.display.linkages import draw_linkage
from schemata.display.verify import answer_text, named, reference, stopped_text
from schemata.forest.derivations import Derivation
from schemata.structures import LabelledLink

__all__ = ["linkage_verdict_text"]

_PIECES = 10  # how many of the items that no step takes further are shown


def linkage_verdict_text(
    verdict: LinkageVerdict, *, schema: str | None = None, width: int = 80, ascii: bool = False
) -> str:
    """Return what `schemata verify NAME` prints for a Link Grammar schema.

    Parameters
    ----------
    verdict : the verdict.
    schema : how the schema was named, if not by its name: its path.
    width : the columns there are.
    ascii : draw with ASCII characters.
    """
    name = reference(schema or verdict.schema, verdict.parameters)
    what = verdict.class_name.replace("-", " ")
    lines = [
        f"{named(verdict.schema, verdict.parameters)}: {what} of at most {verdict.max_n} words",
        "",
        f"  complete           {answer_text(verdict.complete, verdict.complete_to)}",
        f"  sound              {answer_text(verdict.sound, verdict.sound_to)}",
        f"  each linkage once  {answer_text(verdict.each_once, verdict.once_to)}",
        "",
        *_ranges(verdict),
    ]
    if verdict.missed is not None:
        lines += ["", *_missed(name, verdict.missed, width, ascii)]
    if verdict.unsound is not None:
        lines += ["", *_unsound(name, verdict.unsound, width, ascii)]
    if verdict.repeated is not None:
        lines += ["", *_repeated(name, verdict.repeated, width, ascii)]
    return "\n".join(lines)


def _ranges(verdict: LinkageVerdict) -> list[str]:
    """Say what was tried."""
    beyond = f", {verdict.beyond} of them of more than {verdict.max_n} words" if verdict.beyond else ""
    lines = [
        f"against brute force: {verdict.dictionaries:,} random dictionaries with a sentence each{beyond},",
        f"{verdict.linkages:,} linkages, seed {verdict.seed}",
    ]
    if verdict.skipped:
        lines.append(f"{verdict.skipped} undecided within the budget")
    if verdict.stopped:
        lines.append(stopped_text(verdict.stopped))
    return lines


def _unsound(schema: str, found: UnsoundLinks, width: int, ascii: bool) -> list[str]:
    lines = [f"Unsound: {found.fault}", "", *_case(found.case)]
    if found.linkage is not None:
        lines += ["", draw_linkage(found.linkage, width=width, ascii=ascii)]
    elif found.links:
        drawn = [(link.left + 1, link.right + 1, link.label) for link in found.links]
        picture = draw_links(
            found.case.words, drawn, directed=False, width=width, ascii=ascii, numbers=True, first_number=0
        )
        lines += ["", picture]
    if found.derivation is not None:
        lines += ["", "Derived by", derivation_text(found.derivation, width=width, ascii=ascii)]
    if found.cycle is not None:
        lines += ["", *_cycle(found.cycle)]
    return [*lines, "", _try(schema, found.case)]


def _missed(schema: str, found: MissedLinkage, width: int, ascii: bool) -> list[str]:
    lines = ["Incomplete: this linkage is not derived", "", *_case(found.case), ""]
    lines += [draw_linkage(found.linkage, width=width, ascii=ascii), ""]
    if found.accepted:
        lines.append("A final item is derived, but it does not contain this linkage.")
    if found.pieces:
        lines.append("As far as it gets (items that no step takes further):")
        lines += [f"  {piece}" for piece in found.pieces[:_PIECES]]
        if len(found.pieces) > _PIECES:
            lines.append(f"  and {len(found.pieces) - _PIECES:,} more")
    if found.never_built:
        lines.append(f"Never built: {_links(found.never_built)}")
    else:
        lines.append("Every link of the linkage is built somewhere, but no step puts the pieces together.")
    return [*lines, "", _try(schema, found.case)]


def _repeated(schema: str, found: RepeatedLinkage, width: int, ascii: bool) -> list[str]:
    times = {2: "twice", math.inf: "endlessly often"}.get(found.count, f"{found.count:,} times")
    lines = [f"Not once: this linkage is derived {times}", "", *_case(found.case), ""]
    lines += [draw_linkage(found.linkage, width=width, ascii=ascii)]
    for number, derivation in enumerate(found.derivations, start=1):
        title = "Derived by" if len(found.derivations) == 1 else f"Derivation {number}"
        lines += ["", title, derivation_text(derivation, width=width, ascii=ascii)]
    if found.cycle is not None:
        lines += ["", *_cycle(found.cycle)]
    return [*lines, "", _try(schema, found.case)]


def _cycle(step: Derivation) -> list[str]:
    above = ", ".join(str(child.item) for child in step.children)
    return ["An item helps to derive itself:", f"  {step_text(step)}", f"  {above} |- {step.item}"]


def _case(case: LinkageCase) -> list[str]:
    return [
        f'"{" ".join(case.words)}" with the dictionary',
        "",
        *_indented(case.to_dictionary().splitlines()),
    ]


def _try(schema: str, case: LinkageCase) -> str:
    words = " ".join(case.words)
    return f'Try: schemata run {schema} "{words}" --grammar FILE.dict --unpruned'


def _links(links: Iterable[LabelledLink]) -> str:
    return ", ".join(f"{link.left}-{link.right} {link.label}" for link in links)


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"  {line}" for line in lines]
