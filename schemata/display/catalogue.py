"""The catalogue as a page of Markdown. It says nothing that changes from one run to the next."""

from __future__ import annotations

from collections.abc import Sequence

from schemata.analysis.catalogue import SIZE_TREE, CatalogueRow, TheoremRow
from schemata.analysis.verdict import Incomplete, Unsound, Verdict

__all__ = ["catalogue_page", "markdown_line"]

_COLUMNS = (
    "schema",
    "source",
    "class",
    "sound",
    "complete",
    "smallest counterexample",
    "items, n = 8",
    "steps, n = 8",
    "complexity",
)


def catalogue_page(
    rows: Sequence[CatalogueRow],
    theorems: Sequence[TheoremRow],
    without_trees: Sequence[str],
    linkages: Sequence[str],
    max_n: int,
    command: str,
) -> str:
    """Return the page.

    Parameters
    ----------
    rows : the schemata.
    theorems : the theorems.
    without_trees : the names of schemata that have no row.
    linkages : the lines of the section on Link Grammar schemata.
    max_n : how far the verdicts reach at most.
    command : the command that makes the page.
    """
    lines = [
        "# Catalogue of the shipped schemata",
        "",
        f"Made by `{command}`; do not edit it by hand.",
        "",
        f"Every verdict is exhaustive up to n = {max_n} words unless its cell says otherwise: for",
        "completeness all trees of at most so many words were tried, for soundness all grammars; where",
        "*sound* is marked †, all grammars of at most 3 words, and longer ones as",
        "[verification.md](verification.md) says. Classes and complexities are what the sources claim, and",
        "`class` is what is tested. Items and steps are those of eight words under a grammar that licenses",
        "every link; for schemata over rules (marked *) under the rules of the tree with heads",
        f"{' '.join(map(str, SIZE_TREE))}.",
        "",
        markdown_line(_COLUMNS),
        markdown_line(["---"] * 6 + ["---:"] * 2 + ["---"]),
        *(markdown_line(_cells(row, max_n)) for row in rows),
        "",
    ]
    if without_trees:
        names = ", ".join(f"`{name}`" for name in without_trees)
        lines += [f"Without a row, since they derive neither trees nor linkages: {names}.", ""]
    lines += [
        *linkages,
        "",
        "## Theorems",
        "",
        "The theorems about correctness of Gómez-Rodríguez, Carroll & Weir (2011), sections 5 and 7. A test",
        "of finitely many cases can refute a theorem; it proves none.",
        "",
        markdown_line(["theorem", "claim", "tested on", "verdict"]),
        markdown_line(["---"] * 4),
        *(markdown_line(_theorem(row, max_n)) for row in theorems),
        "",
        "Theorems 1 and 2 are about relations between schemata, which is another question than correctness.",
    ]
    return "\n".join(lines) + "\n"


def markdown_line(cells: Sequence[str]) -> str:
    """Return a row of a table."""
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _cells(row: CatalogueRow, max_n: int) -> list[str]:
    verdict = row.verdict
    examples = [_unsound(verdict.unsound)] if verdict.unsound else []
    examples += [_incomplete(verdict.incomplete)] if verdict.incomplete else []
    return [
        f"`{row.claim.reference}`{' *' if row.over_rules else ''}",
        row.source or "",
        row.claim.class_name,
        _answer(verdict.sound, verdict.sound_to, max_n) + _sampled(verdict),
        _answer(verdict.complete, verdict.complete_to, max_n),
        "; ".join(examples),
        _size(row.size.items),
        _size(row.size.steps),
        row.claim.complexity,
    ]


def _answer(answer: bool | None, covered: int, max_n: int) -> str:
    if answer is None:
        return f"yes to n = {covered}, then unknown (budget)"
    if not answer:
        return "**no**"
    return "yes" if covered == max_n else f"yes to n = {covered}"


def _sampled(verdict: Verdict) -> str:
    return " †" if verdict.sound is not False and not verdict.every_grammar else ""


def _incomplete(found: Incomplete) -> str:
    return f"n = {len(found.heads)}: the tree {' '.join(map(str, found.heads))} is missed"


def _unsound(found: Unsound) -> str:
    links = ", ".join(f"{d} under {h}" for d, h in found.links)
    return f"n = {found.grammar.n}: {links} ({found.fault})"


def _size(count: int | None) -> str:
    return f"{count:,}" if count is not None else "- (budget)"


def _theorem(row: TheoremRow, max_n: int) -> list[str]:
    verdicts = [v.verdict for v in row.verdicts]
    covered = min((min(v.sound_to, v.complete_to) for v in verdicts), default=0)
    tested = ", ".join(f"`{v.claim.reference}` = {v.claim.class_name}" for v in row.verdicts) or "-"
    if row.missing:
        tested += f" (not shipped: {', '.join(f'`{name}`' for name in row.missing)})"
    if not verdicts:
        answer = "not checkable: no schema to test is shipped"
    elif row.holds is None:
        answer = f"no counterexample to n = {covered}, then unknown (budget)"
    elif row.holds:
        answer = f"no counterexample to n = {covered}"
    else:
        answer = "**refuted**, see above"
    return [str(row.theorem.number), row.theorem.about, tested, answer]
