"""Verdicts in words, with their counterexamples drawn, and the catalogue of all verdicts as a page of Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from schemata.display.arcs import draw_arcs, draw_linkage, draw_links
from schemata.display.derivations import derivation_text, step_text
from schemata.forest.derivations import Derivation
from schemata.structures import LabelledLink
from schemata.verification.built_structures import Application
from schemata.verification.catalogue import SIZE_SENTENCE, SIZE_TREE, CatalogueRow, LinkageRow, TheoremRow
from schemata.verification.dictionaries import LinkageCase
from schemata.verification.grammars import GrammarUnderTest, LicensedLinks, RuleGrammar
from schemata.verification.verdicts import (
    Incomplete,
    LinkageVerdict,
    MissedLinkage,
    Recognition,
    RepeatedLinkage,
    Unsound,
    UnsoundLinks,
    Verdict,
)


def verdict_text(verdict: Verdict, *, width: int = 80, ascii: bool = False) -> str:
    """Return what `schemata verify NAME --class CLASS` prints."""
    trees = f"{verdict.class_name} trees" if verdict.class_name != "all" else "all trees"
    roots = "" if verdict.single_root else ", several words may hang under node 0"
    lines = [
        f"{named(verdict.schema, verdict.parameters)}: {trees} of at most {verdict.max_n} words{roots}",
        "",
        f"  complete  {answer_text(verdict.complete, verdict.complete_to)}",
        f"  sound     {answer_text(verdict.sound, verdict.sound_to)}",
        "",
        *_ranges(verdict),
    ]
    if verdict.incomplete is not None:
        lines += [
            "",
            *_incomplete(reference(verdict.schema, verdict.parameters), verdict.incomplete, width, ascii),
        ]
    if verdict.unsound is not None:
        lines += ["", *_unsound(verdict.unsound, width, ascii)]
    return "\n".join(lines)


def recognition_text(found: Recognition, *, width: int = 80, ascii: bool = False) -> str:
    """Return what `schemata verify NAME` prints without a class."""
    lines = [f"{named(found.schema, found.parameters)}: which classes of trees does it parse exactly?", ""]
    if found.unsound is not None:
        lines.append("  none: it is unsound whatever the class")
    elif not found.consistent:
        lines.append(f"  none of the known classes, by its trees of at most {found.max_n} words")
    else:
        lines.append(f"  {', '.join(found.consistent)}")
        lines.append(f"  as far as {found.covered} words tell")
        if len(found.consistent) > 1:
            lines.append("  (these classes are the same so far; a greater --max-n may tell them apart)")
    if found.counts:
        lines += ["", "  trees by number of words: " + ", ".join(f"{c:,}" for c in found.counts)]
    if found.stopped:
        lines += ["", f"  {stopped_text(found.stopped)}"]
    if found.unsound is not None:
        lines += ["", *_unsound(found.unsound, width, ascii)]
    return "\n".join(lines)


def named(schema: str, parameters: Mapping[str, int]) -> str:
    """Return a schema's name with its parameters, as people read it."""
    settings = ", ".join(f"{name} = {value}" for name, value in parameters.items())
    return f"{schema} ({settings})" if settings else schema


def reference(schema: str, parameters: Mapping[str, int]) -> str:
    """Return a schema as the command line takes it."""
    settings = ",".join(f"{name}={value}" for name, value in parameters.items())
    return f"{schema}:{settings}" if settings else schema


def answer_text(answer: bool | None, covered: int) -> str:
    """Return an answer with the length to which it is yes."""
    if answer is None:
        return f"unknown (yes to {covered} words)" if covered else "unknown"
    return f"yes, to {covered} words" if answer else "no"


def stopped_text(reason: str) -> str:
    """Say what stopped a verification."""
    if reason == "interrupt":
        return "interrupted: this is what was known by then"
    what = {"structures": "structures", "steps": "step instances"}.get(reason, reason)
    return f"stopped by the budget of {what} of a single run"


def _ranges(verdict: Verdict) -> list[str]:
    """Say what was tried."""
    lines = [f"exhaustive in trees to {verdict.max_n} words" if verdict.stopped is None
             else f"exhaustive in trees to {verdict.complete_to} words"]  # fmt: skip
    if verdict.unsound is None:
        if verdict.every_grammar:
            lines.append("soundness: under every grammar (one run under all links decides them all)")
        else:
            lines.append(
                "soundness: under each tree as grammar, a grammar of all trees, and "
                + ("every grammar to 3 words, random ones beyond" if verdict.max_n > 3 else "every grammar")
                if verdict.grammar_kind == "d-rules"
                else "soundness: under the rules of each tree, of all projective trees, and random rules"
            )
    if verdict.random is not None:
        r = verdict.random
        skipped = f" ({r.skipped} undecided within the budget)" if r.skipped else ""
        lines.append(
            f"random: {r.trees} trees and {r.grammars} grammars of {r.words[0]}..{r.words[1]} words, "
            f"seed {verdict.seed}{skipped}"
        )
    if verdict.stopped:
        lines.append(stopped_text(verdict.stopped))
    return lines


def _words(n: int) -> list[str]:
    return [f"w{i}" for i in range(1, n + 1)]


def _incomplete(schema: str, found: Incomplete, width: int, ascii: bool) -> list[str]:
    words = _words(len(found.heads))
    spelt = ",".join(map(str, found.heads))
    lines = [
        f"Incomplete: under its own grammar the tree {' '.join(map(str, found.heads))} is not derived",
        "",
        draw_arcs(words, found.heads, width=width, ascii=ascii),
        "",
    ]
    if found.accepted:
        lines.append("A final item is derived, but it does not contain this tree.")
    if found.pieces:
        lines.append("As far as it gets (items that no step takes further):")
        wide = max(len(piece.item) for piece in found.pieces)
        lines += [f"  {p.item:<{wide}}  {_links(p.links)}".rstrip() for p in found.pieces]
    else:
        lines.append("No item is derived that no step takes further.")
    if found.missing:
        lines.append(f"Never built: {_links(found.missing)}")
    else:
        lines.append("Every link of the tree is built somewhere, but no step puts the pieces together.")
    if found.nearest:
        lines.append("What would have to be put together, as near as it gets:")
        wide = max(len(piece.item) for piece in found.nearest)
        lines += [f"  {p.item:<{wide}}  {_links(p.links)}" for p in found.nearest]
    lines.append(f'Try: schemata run {schema} "{" ".join(words)}" --grammar heads:{spelt}')
    return lines


def _unsound(found: Unsound, width: int, ascii: bool) -> list[str]:
    words = _words(found.grammar.n)
    lines = [f"Unsound: {found.fault}", "", *_grammar(found.grammar)]
    drawn = [link for link in found.links if link[0] != link[1]]
    if drawn:
        lines += ["", draw_links(words, drawn, width=width, ascii=ascii)]
    if found.derivation:
        lines += ["", "Derived by", *_derivation(found.derivation)]
    return lines


def _grammar(grammar: GrammarUnderTest) -> list[str]:
    n = f"{grammar.n} word{'s' * (grammar.n != 1)}"
    if isinstance(grammar, LicensedLinks):
        return [f"{n}, licensed: {_links(sorted(grammar.pairs)) or 'nothing'}"]
    if isinstance(grammar, RuleGrammar):
        rules = ", ".join(map(str, grammar.rules))
        categories = ", ".join("/".join(sorted(names)) for names in grammar.categories)
        return [
            f"{n} of the categories {categories}, root {'/'.join(sorted(grammar.roots))}",
            f"rules {rules}",
        ]
    return [f"{n}, the rules of the tree {' '.join(map(str, grammar.heads))}"]


def _derivation(steps: Iterable[Application]) -> list[str]:
    lines = []
    for number, step in enumerate(steps, start=1):
        built = f"   {_links(step.links)}" if step.links else ""
        above = ", ".join([*step.antecedents, *(f"given {item}" for item in step.contexts)]) or "nothing"
        lines.append(f"  {number}. {step.step}: {above} |- {step.consequent}{built}")
    return lines


def _links(links: Iterable[tuple[int, int]]) -> str:
    return ", ".join(f"{d} under {h}" for d, h in links)


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
        *_linkage_ranges(verdict),
    ]
    if verdict.missed is not None:
        lines += ["", *_missed(name, verdict.missed, width, ascii)]
    if verdict.unsound is not None:
        lines += ["", *_unsound_links(name, verdict.unsound, width, ascii)]
    if verdict.repeated is not None:
        lines += ["", *_repeated(name, verdict.repeated, width, ascii)]
    return "\n".join(lines)


def _linkage_ranges(verdict: LinkageVerdict) -> list[str]:
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


def _unsound_links(schema: str, found: UnsoundLinks, width: int, ascii: bool) -> list[str]:
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
        lines.append(f"Never built: {_labelled_links(found.never_built)}")
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


def _labelled_links(links: Iterable[LabelledLink]) -> str:
    return ", ".join(f"{link.left}-{link.right} {link.label}" for link in links)


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"  {line}" for line in lines]


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
    examples = [_unsound_cell(verdict.unsound)] if verdict.unsound else []
    examples += [_incomplete_cell(verdict.incomplete)] if verdict.incomplete else []
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


def _incomplete_cell(found: Incomplete) -> str:
    return f"n = {len(found.heads)}: the tree {' '.join(map(str, found.heads))} is missed"


def _unsound_cell(found: Unsound) -> str:
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


_LINKAGE_COLUMNS = (
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
        markdown_line(_LINKAGE_COLUMNS),
        markdown_line(["---"] * 7 + ["---:"] * 2 + ["---"]),
        *(markdown_line(_linkage_cells(row)) for row in rows),
    ]


def _linkage_cells(row: LinkageRow) -> list[str]:
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
        texts.append(f"{_case_cell(verdict.unsound.case)}: {verdict.unsound.fault}")
    if verdict.missed is not None:
        texts.append(f"{_case_cell(verdict.missed.case)}: a linkage is missed")
    if verdict.repeated is not None:
        texts.append(
            f"{_case_cell(verdict.repeated.case)}: {verdict.repeated.count} derivations of a linkage"
        )
    return "; ".join(texts)


def _case_cell(case: LinkageCase) -> str:
    return f"`{' '.join(case.to_dictionary().splitlines())}`"
