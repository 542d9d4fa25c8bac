"""The part of the catalogue's page that is about Link Grammar schemata."""

from __future__ import annotations

from collections.abc import Sequence

from schemata.analysis.catalogue_linkages import SIZE_SENTENCE, LinkageRow
from schemata.analysis.linkage_cases import LinkageCase
from schemata.analysis.linkage_verdict import LinkageVerdict
from schemata.display.catalogue import markdown_line
from schemata.display.verify import answer_text

__all__ = ["linkage_section"]

_COLUMNS = (
    "schema",
    "source",
    "class",
    "sound",
    "complete",
    "each once",
    "counterexample",
    "items",
    "steps",
    "complexity",
)


def linkage_section(rows: Sequence[LinkageRow]) -> list[str]:
    """Return the lines of the section."""
    dictionaries = max((row.verdict.dictionaries for row in rows), default=0)
    return [
        "## Link Grammar",
        "",
        f"Each schema was compared with brute force on {dictionaries} random dictionaries, as",
        "[link-grammar.md](link-grammar.md#verification) says. Items and steps are those of the sentence",
        f"*{SIZE_SENTENCE}*",
        "under the ten-line dictionary of that page. Complexity is that in the length of the sentence.",
        "",
        markdown_line(_COLUMNS),
        markdown_line(["---"] * 7 + ["---:"] * 2 + ["---"]),
        *(markdown_line(_cells(row)) for row in rows),
    ]


def _cells(row: LinkageRow) -> list[str]:
    verdict = row.verdict
    return [
        f"`{row.claim.reference}`",
        row.source or "",
        row.claim.class_name.replace("-", " "),
        answer_text(verdict.sound, verdict.sound_to),
        answer_text(verdict.complete, verdict.complete_to),
        answer_text(verdict.each_once, verdict.once_to),
        _counterexample(verdict),
        f"{row.items:,}",
        f"{row.steps:,}",
        row.claim.complexity,
    ]


def _counterexample(verdict: LinkageVerdict) -> str:
    """Return the counterexamples, each with its dictionary in one line."""
    texts = []
    if verdict.unsound is not None:
        texts.append(f"{_case(verdict.unsound.case)}: {verdict.unsound.fault}")
    if verdict.missed is not None:
        texts.append(f"{_case(verdict.missed.case)}: a linkage is missed")
    if verdict.repeated is not None:
        texts.append(f"{_case(verdict.repeated.case)}: {verdict.repeated.count} derivations of a linkage")
    return "; ".join(texts)


def _case(case: LinkageCase) -> str:
    return f"`{' '.join(case.to_dictionary().splitlines())}`"
