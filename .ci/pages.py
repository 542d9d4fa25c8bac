#!/usr/bin/env python3
"""Make a page of documentation: python .ci/pages.py catalogue|relations|costs|treebanks [--max-n N] [--output FILE].

`docs/catalogue.md` verifies every claim about a shipped schema, `docs/relations.md` decides the claims of all shipped
relation files and has their map beside it as SVG, and `docs/costs.md` sets deduced costs beside published ones. Their
prose is in `pages.md`. `docs/treebank-classes.md` makes the tables of two papers anew for the treebanks in a folder.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Literal, TypeAlias

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for the schemata beside this script

from schemata.analysis.complexity import Complexity, complexity
from schemata.budget import Budget
from schemata.cli.corpus import worked
from schemata.display.arc_layout import links_text
from schemata.display.relations import answer_text as relation_text
from schemata.display.relations import field_svg, instead_text, strongest
from schemata.display.terminal import Page, markdown_table, progress
from schemata.display.verdicts import answer_text
from schemata.engine.exceeded import BudgetExceeded
from schemata.engine.run import run_kernel
from schemata.errors import SchemataError
from schemata.grammars.link_grammar import LinkGrammar
from schemata.language.shipped import shipped_schemata
from schemata.relations.discovery import Arrow, field_map
from schemata.relations.improve import improve
from schemata.shards import Places, crew
from schemata.structures import Sentence, tree_class
from schemata.verification.answers import verify
from schemata.verification.claims import (
    Claim,
    all_claims,
    constituent_claims,
    graph_claims,
    linkage_claims,
    shipped_claims,
)
from schemata.verification.coverage import Counting, Coverage, parsers
from schemata.verification.grammars import GrammarUnderTest, TreeRules, every_link
from schemata.verification.verdicts import Verdict, all_of
from schemata.workbench import ParsingSchema, load

ROOT = Path(__file__).resolve().parents[1]
COMMAND = "python .ci/pages.py {page} --max-n {n} --output docs/{page}.md"
"""The command as the page names it."""


# What the catalogue says -------------------------------------------------------------------------------------

SIZE_TREE = (2, 4, 2, 0, 6, 4, 6, 7)
"""The tree of eight words under whose rules schemata over dependency rules are measured."""

SIZE_BUDGET = Budget(steps=3_000_000, seconds=60.0)
"""The limits of the run that measures a schema."""

Watcher: TypeAlias = Callable[[Iterable["CatalogueRow"], int, str], Iterable["CatalogueRow"]]


@dataclass(frozen=True, slots=True)
class Size:
    """Items and step instances for eight words; None where the run hit its budget."""

    items: int | None
    steps: int | None


@dataclass(frozen=True, slots=True)
class CatalogueRow:
    """One schema: its source, the claim, the verdict and its size."""

    claim: Claim
    source: str | None
    verdict: Verdict
    size: Size
    over_rules: bool


@dataclass(frozen=True, slots=True)
class Theorem:
    """A theorem about correctness, and the schemata that test it, by reference."""

    name: str
    about: str
    says: Literal["correct", "sound", "complete"]
    rows: tuple[str, ...]


def theorems() -> tuple[Theorem, ...]:
    """Return the theorems and proved claims, in the order of the paper."""
    path = ROOT / "schemata" / "verification" / "claims.toml"
    rows = tomllib.loads(path.read_text(encoding="utf-8"))["theorem"]
    return tuple(Theorem(t["name"], t["about"], t["says"], tuple(t["rows"])) for t in rows)


@dataclass(frozen=True, slots=True)
class TheoremRow:
    """A theorem with the verdicts that bear on it; `holds` is None where none does or not all are known."""

    theorem: Theorem
    verdicts: tuple[CatalogueRow, ...]
    missing: tuple[str, ...]

    @property
    def holds(self) -> bool | None:
        """Whether the theorem holds as far as the verdicts reach."""
        says = {"correct": "holds"}.get(self.theorem.says, self.theorem.says)
        return all_of(*(getattr(row.verdict, says) for row in self.verdicts)) if self.verdicts else None


def catalogue(
    max_n: int = 6,
    *,
    claims: Sequence[Claim] | None = None,
    seed: int = 0,
    jobs: int = 1,
    watch: Watcher | None = None,
) -> tuple[tuple[CatalogueRow, ...], tuple[TheoremRow, ...]]:
    """Verify every claim about a shipped schema, and collect what bears on the theorems.

    Parameters
    ----------
    max_n : exhaustively to so many words.
    claims : the claims to verify; all about shipped schemata if None.
    seed : of the random grammars.
    jobs : processes; the result does not depend on it.
    watch : is shown the rows as they come.

    References
    ----------
    GCW11, sections 5 to 7, for the theorems.
    """
    chosen = shipped_claims() if claims is None else claims
    with crew(_Verifier, (max_n, seed), Places(jobs)) as workers:
        rows = workers.results(chosen)
        found = tuple(watch(rows, len(chosen), "catalogue") if watch else rows)
    by_reference = {row.claim.reference: row for row in found}
    about = tuple(
        TheoremRow(
            theorem,
            tuple(by_reference[name] for name in theorem.rows if name in by_reference),
            tuple(name for name in theorem.rows if name not in by_reference),
        )
        for theorem in theorems()
    )
    return found, about


class _Verifier:
    """Verifies claims, in each process of a crew."""

    def __init__(self, max_n: int, seed: int) -> None:
        self.max_n, self.seed = max_n, seed

    def __call__(self, claim: Claim) -> tuple[CatalogueRow, bool]:
        """Return a claim's row."""
        schema = load(claim.name, **claim.parameters)
        over_rules = schema.definition.grammar != "d-rules"
        verdict = verify(schema, claim.class_name, self.max_n, seed=self.seed)
        size = _measure(schema, over_rules)
        return CatalogueRow(claim, schema.definition.reference, verdict, size, over_rules), True


def _measure(schema: ParsingSchema, over_rules: bool, n: int = 8) -> Size:
    grammar: GrammarUnderTest = TreeRules(SIZE_TREE) if over_rules else every_link(n)
    sentence = Sentence(tuple(f"w{i}" for i in range(1, n + 1)))
    try:
        chart = run_kernel(schema.kernel, sentence, grammar.provide(), SIZE_BUDGET)
    except BudgetExceeded:
        return Size(None, None)
    return Size(chart.item_count, chart.step_count)


SIZE_DICTIONARY = """% Ten lines of English.
LEFT-WALL: W+;
the a: D+;
big black: A+;
cat dog.n park: {@A-} & D- & {@M+} & (O- or J- or ({W-} & S+));
Mary: {@M+} & (O- or J- or ({W-} & S+));
she: {W-} & S+;
ran sleeps: S- & {@MV+};
chased saw.v: S- & O+ & {@MV+};
in with: (M- or MV-) & J+;
today: MV-;
"""
"""The dictionary under which the schemata are measured."""

SIZE_SENTENCE = "Mary saw the big black cat in the park with a dog today"
"""The sentence on which they are measured."""


@dataclass(frozen=True, slots=True)
class LinkageRow:
    """One schema: its source, the claim, the verdict, and its items and step instances."""

    claim: Claim
    source: str | None
    verdict: Verdict
    items: int
    steps: int


def linkage_catalogue(
    max_n: int = 6, *, claims: Sequence[Claim] | None = None, seed: int = 0
) -> tuple[LinkageRow, ...]:
    """Verify every claim about a shipped Link Grammar schema.

    Parameters
    ----------
    max_n : to sentences of so many words, at least 2.
    claims : the claims to verify; all if None.
    seed : of the random dictionaries.
    """
    grammar = LinkGrammar.from_text(SIZE_DICTIONARY)
    rows = []
    for claim in linkage_claims() if claims is None else claims:
        schema = load(claim.name, **claim.parameters)
        verdict = verify(schema, claim.class_name, max(max_n, 2), seed=seed)
        chart = schema.run(SIZE_SENTENCE, grammar, engine="python")
        rows.append(
            LinkageRow(claim, schema.definition.reference, verdict, chart.item_count, chart.step_count)
        )
    return tuple(rows)


@dataclass(frozen=True, slots=True)
class ConstituentRow:
    """One context-free schema: its source, the claim and the verdict."""

    claim: Claim
    source: str | None
    verdict: Verdict


def constituent_catalogue(max_n: int = 6, *, seed: int = 0) -> tuple[ConstituentRow, ...]:
    """Verify every claim about a shipped context-free schema."""
    found = []
    for claim in constituent_claims():
        schema = load(claim.name, **claim.parameters)
        verdict = verify(schema, claim.class_name, max_n, seed=seed)
        found.append(ConstituentRow(claim, schema.definition.reference, verdict))
    return tuple(found)


def graph_catalogue() -> tuple[CatalogueRow, ...]:
    """Verify every claim about a shipped schema that builds graphs.

    Forests are tried to 5 words and other graphs to 4; three words less one where a system has several stacks.
    """
    found = []
    for claim in graph_claims():
        schema = load(claim.name, **claim.parameters)
        max_n = (5 if "single-headed" in claim.class_name else 4) - (claim.name == "k-planar-system")
        verdict = verify(schema, claim.class_name, max_n)
        found.append(
            CatalogueRow(claim, schema.definition.reference, verdict, _measure(schema, False, 4), False)
        )
    return tuple(found)


# Texts ----------------------------------------------------------------------------------------------------


def _filled(name: str, **texts: object) -> str:
    """Return the page or section of a name, as `pages.md` has it, filled in."""
    prose = Path(__file__).with_name("pages.md").read_text(encoding="utf-8")
    return prose.partition(f"<!-- {name} -->\n")[2].partition("\n<!-- ")[0].rstrip("\n").format(**texts)


# The page of the catalogue -------------------------------------------------------------------------------------

_COLUMNS = (
    "schema/source/class/sound/complete/each once/counterexamples/>items, n = 8/>steps, n = 8/complexity"
)
_THEOREM_COLUMNS = "theorem/claim/tested on/verdict"
_CONSTITUENT_COLUMNS = "schema/source/class/sound/complete/each once/complexity"
_LINKAGE_COLUMNS = "schema/source/class/sound/complete/each once/counterexample/>items/>steps/complexity"


def catalogue_page(
    rows: Sequence[CatalogueRow],
    theorems: Sequence[TheoremRow],
    sections: Sequence[str],
    max_n: int,
    command: str,
) -> str:
    """Return the catalogue as a page of Markdown. It says nothing that changes from one run to the next.

    Parameters
    ----------
    rows : the schemata.
    theorems : the theorems.
    sections : the sections on schemata that derive other structures than dependency trees.
    max_n : how far the verdicts reach at most.
    command : the command that makes the page.
    """
    page = _filled(
        "catalogue",
        command=command,
        conclusion=_conclusion(rows, max_n),
        about_theorems=f"**{_refuted(theorems)}.**",
        max_n=max_n,
        heads=" ".join(map(str, SIZE_TREE)),
        table=markdown_table(_COLUMNS.split("/"), (_cells(row, max_n) for row in rows)),
        sections="\n\n".join(sections),
        theorems=markdown_table(_THEOREM_COLUMNS.split("/"), (_theorem(row, max_n) for row in theorems)),
    )
    return page + "\n"


def linkage_section(rows: Sequence[LinkageRow]) -> str:
    """Return the section of the page on Link Grammar schemata."""
    wrong = [row for row in rows if (v := row.verdict) and False in (v.sound, v.complete, v.each_once)]
    names = " and ".join(f"`{row.claim.reference}`" for row in wrong)
    return _filled(
        "linkages",
        conclusion="**Every schema derives all linkages of its class, nothing else, and each linkage once"
        + (f", except {names}.**" if names else ".**"),
        dictionaries=max((row.verdict.runs for row in rows), default=0),
        sentence=SIZE_SENTENCE,
        table=markdown_table(_LINKAGE_COLUMNS.split("/"), map(_linkage_cells, rows)),
    )


def _conclusion(rows: Sequence[CatalogueRow], max_n: int) -> str:
    wrong = [row for row in rows if False in (row.verdict.sound, row.verdict.complete)]
    faults = {
        (False, True): "is not sound for",
        (True, False): "is not complete for",
        (False, False): "is neither sound nor complete for",
    }
    return _with_exceptions(
        f"{len(rows) - len(wrong)} of these {len(rows)} tests found no mistake up to {max_n} words: as far as they "
        "reach, the schema derives exactly the trees of the class.",
        "The others found a counterexample:",
        [
            f"`{row.claim.reference}` {faults[row.verdict.sound is not False, row.verdict.complete is not False]} "
            f"the class `{row.claim.class_name}`"
            for row in wrong
        ],
    )


def _with_exceptions(conclusion: str, others: str, exceptions: Sequence[str]) -> str:
    """Return a conclusion, which stands before a table, with a list of the exceptions from it."""
    listed = ";\n".join(f"- {exception}" for exception in exceptions)
    return f"**{conclusion}** {others}\n\n{listed}." if exceptions else f"**{conclusion}**"


def _refuted(theorems: Sequence[TheoremRow]) -> str:
    names = [row.theorem.name for row in theorems if row.holds is False]
    return f"Refuted: {', '.join(names)}" if names else "No theorem is refuted"


def constituent_section(rows: Sequence[ConstituentRow]) -> str:
    """Return the section of the page on context-free schemata."""
    cells = []
    for row in rows:
        v, name = row.verdict, f"`{row.claim.reference}`"
        answers = (v.sound, v.sound_to), (v.complete, v.complete_to), (v.each_once, v.once_to)
        told = [_cell(answer, to, v.max_n) for answer, to in answers]
        cells.append([name, row.source or "", row.claim.class_name, *told, row.claim.complexity])
    return _filled("constituents", table=markdown_table(_CONSTITUENT_COLUMNS.split("/"), cells))


def graph_section(rows: Sequence[CatalogueRow]) -> str:
    """Return the section of the page on transition systems."""
    columns = _COLUMNS.replace("n = 8", "n = 4").split("/")
    return _filled("graphs", table=markdown_table(columns, (_cells(row, row.verdict.max_n) for row in rows)))


def facts_section() -> str:
    """Return the section of the page on schemata over facts."""
    shipped = {name: load(name).definition for name in sorted(shipped_schemata())}
    examples = {path.stem: path.name for path in (ROOT / "examples").iterdir() if path.stem in shipped}
    cells = [
        [
            f"`{name}`",
            s.title or "",
            s.reference or "",
            f"`examples/{examples[name]}`" if s.relations else "none",
        ]
        for name, s in shipped.items()
        if s.grammar == "facts"
    ]
    return _filled("facts", table=markdown_table(["schema", "derives", "source", "grammar"], cells))


def _cells(row: CatalogueRow, max_n: int) -> list[str]:
    verdict = row.verdict
    proof = verdict.for_every_n
    proved = {} if proof is None else {claim: answer is True for claim, answer in proof.answers.items()}
    sampled = verdict.sound is not False and not verdict.every_grammar and not proved.get("sound")
    examples = []
    if bad := verdict.unsound:
        examples.append(f"n = {bad.case.n}: {links_text(bad.structure.links)} ({bad.fault})")
    if missed := verdict.incomplete:
        heads = missed.structure.heads
        lost = (
            links_text(missed.structure.links) if heads is None else f"the tree {' '.join(map(str, heads))}"
        )
        examples.append(f"n = {missed.case.n}: {lost} is missed")
    if again := verdict.ambiguous:
        n, structure = again.case.n, again.structure
        built = " ".join(map(str, structure.heads)) if structure.heads else links_text(structure.links)
        built = built or "no arcs"
        examples.append(f"n = {n}: {again.count} derivations of {built}")
    return [
        f"`{row.claim.reference}`{' *' if row.over_rules else ''}",
        row.source or "",
        row.claim.class_name,
        _cell(verdict.sound, verdict.sound_to, max_n, proved.get("sound")) + " †" * sampled,
        _cell(verdict.complete, verdict.complete_to, max_n, proved.get("complete")),
        _cell(verdict.each_once, verdict.once_to, max_n, proved.get("each_once")),
        "; ".join(examples),
        *("- (budget)" if size is None else f"{size:,}" for size in (row.size.items, row.size.steps)),
        row.claim.complexity,
    ]


def _cell(answer: bool | None, covered: int, max_n: int, proved: bool | None = False) -> str:
    if proved and answer is not False:
        return "yes, every n"
    if answer is None:
        return f"yes to n = {covered}, then unknown (budget)"
    if not answer:
        return "**no**"
    return "yes" if covered == max_n else f"yes to n = {covered}"


def _linkage_cells(row: LinkageRow) -> list[str]:
    verdict = row.verdict
    examples = [
        (verdict.unsound, verdict.unsound and verdict.unsound.fault),
        (verdict.incomplete, "a linkage is missed"),
        (verdict.ambiguous, verdict.ambiguous and f"{verdict.ambiguous.count} derivations of a linkage"),
    ]
    shown = [(x.case.to_dictionary().splitlines(), said) for x, said in examples if x is not None]
    told = [f"`{' '.join(lines)}`: {said}" for lines, said in shown]
    return [
        f"`{row.claim.reference}`",
        row.source or "",
        row.claim.class_name.replace("-", " "),
        answer_text(verdict.sound, verdict.sound_to),
        answer_text(verdict.complete, verdict.complete_to),
        answer_text(verdict.each_once, verdict.once_to),
        "; ".join(told),
        f"{row.items:,}",
        f"{row.steps:,}",
        row.claim.complexity,
    ]


def _theorem(row: TheoremRow, max_n: int) -> list[str]:
    verdicts = [v.verdict for v in row.verdicts]
    covered = min((min(v.sound_to, v.complete_to) for v in verdicts), default=0)
    tested = ", ".join(f"`{v.claim.reference}` = {v.claim.class_name}" for v in row.verdicts) or "-"
    if row.missing:
        tested += f" (not shipped: {', '.join(f'`{name}`' for name in row.missing)})"
    if not verdicts:
        answer = "not checkable: no schema to test is shipped"
    elif all(v.for_every_n and v.for_every_n.sound and v.for_every_n.complete for v in verdicts):
        answer = "proved for every n" + ", for these k" * ("_k" in row.theorem.about)
    elif row.holds is None:
        answer = f"no counterexample to n = {covered}, then unknown (budget)"
    else:
        answer = f"no counterexample to n = {covered}" if row.holds else "**refuted**, see above"
    return [row.theorem.name, row.theorem.about, tested, answer]


# Relations ---------------------------------------------------------------------------------------------------


def field_page(arrows: Sequence[Arrow], max_n: int, command: str) -> str:
    """Return the page `docs/relations.md`.

    Parameters
    ----------
    arrows : the decided claims.
    max_n : the number of words, at most.
    command : the command that makes the page.
    """
    conclusion = _field_conclusion(arrows)
    lines = [_filled("relations", n=max_n, command=command, conclusion=conclusion), "", ""]
    rows = [
        [
            arrow.first,
            arrow.kind.replace("-", " "),
            arrow.second,
            "holds" if arrow.holds else "**does not hold**" if arrow.holds is False else "unknown",
            _range(arrow),
            arrow.reference or "found by `schemata relate`",
        ]
        for arrow in arrows
    ]
    lines.append(markdown_table(["from", "kind", "to", "", "words", "claimed in"], rows))
    lines += ["", "## Witnesses"]
    for arrow in arrows:
        if arrow.is_chain:
            continue
        lines += ["", f"### {arrow.first} to {arrow.second}", "", "```text"]
        lines += [relation_text(answer, Page(110)) for answer in arrow.answers]
        lines.append("```")
        held = strongest(arrow)
        if held:
            lines += ["", "Instead:", ""]
            lines += [f"- {instead_text(answer)}" for answer in held]
    return "\n".join(lines) + "\n"


def _field_conclusion(arrows: Sequence[Arrow]) -> str:
    return _with_exceptions(
        f"{sum(a.holds is True for a in arrows)} of these {len(arrows)} claims hold as far as they were tested, "
        f"{sum(all(answer.every_n for answer in a.answers) for a in arrows)} of them for every n.",
        "By the letter of the definitions, these do not:",
        [f"{a.first} to {a.second} ({a.kind.replace('-', ' ')})" for a in arrows if a.holds is False],
    )


def _range(arrow: Arrow) -> str:
    """Return for which n a claim holds or fails: how many words were gone through, unless it is proved."""
    broken = [answer.counterexample.n for answer in arrow.answers if answer.counterexample]
    if broken:
        return f"{min(broken)}"
    if all(answer.every_n for answer in arrow.answers):
        return "for every n"
    return f"up to {min(answer.extent.max_n for answer in arrow.answers)}"


# Complexity ------------------------------------------------------------------------------------------------------


def costs_page(rows: Sequence[tuple[str, str, Complexity]], command: str) -> str:
    """Return the page that sets deduced costs beside published ones.

    Parameters
    ----------
    rows : schemata by reference, with the published time and the cost deduced.
    command : the command that makes the page.
    """
    deduced = [
        "exponential" if cost.time is None else f"O({_power_of_n(cost.time.cost.degree)})"
        for _, _, cost in rows
    ]
    others = [
        f"`{name}`: {published} is published, {found} deduced."
        for (name, published, _), found in zip(rows, deduced, strict=True)
        if published != found
    ]
    conclusion = f"The deduced time has the published degree for all {len(rows)} schemata."
    if others:
        number = f"{len(others)} of {len(rows)}"
        conclusion = f"The deduced time differs from the published one for {number} schemata."
    cells = [
        [
            f"`{name}`",
            published,
            "exponential" if cost.time is None else f"O({cost.time.cost})",
            cost.time.name if cost.time else f"lists of {cost.exponential}",
            "" if cost.space is None else f"O({cost.space.cost})",
            cost.items or "",
            cost.step_instances or "",
            "" if cost.items is None else "proved" if cost.proved else "counted",
        ]
        for name, published, cost in rows
    ]
    headers = ("schema", "published", "time", "bottleneck", "space", "items", "step instances", "formulas")
    table, differences = markdown_table(headers, cells), "\n".join(f"- {line}" for line in others)
    unproved = [f"`{name}` ({cost.unproved})" for name, _, cost in rows if cost.items and not cost.proved]
    proofs = f"Not proved: {', '.join(unproved)}." if unproved else ""
    page = _filled(
        "costs",
        command=command,
        conclusion=conclusion,
        table=table,
        differences=differences,
        proofs=proofs,
        benchmarks=_benchmarks(),
    )
    return page.rstrip() + "\n"


_BENCHMARKS: tuple[tuple[str, str, str, str], ...] = (
    # Dyna's program; the schema; a published bound, over all variables; why ours differs, or what reaches the bound
    ("bar-hillel", "bar-hillel", "|N|^5 (with the fold of cky)", ""),
    ("bilexical-labelled", "bilexical", "n^4 |N|^3 (Eisner & Satta 1999)", ""),
    ("bilexical-unlabelled", "collins1996", "n^3 (Eisner 1996)", ""),
    ("bilexical-unlabelled", "arc-standard", "n^3 (Eisner 1996)", ""),
    ("split-head", "eisner-split", "n^3 (Eisner 1996)", ""),
    ("chain", "chain", "n |N|^2 (one matrix after the other)", ""),
    ("cky", "cyk", "n^3 |N|^2 (dyna-pi, demonstration)", "|G|, at most |N|^3, is one factor here; the fold of "
     "dyna-pi has |N|^2 in its place, and needs n^2 |N|^3 besides"),
    ("hmm", "hmm", "n |N|^2 (Rabiner 1989)", ""),
    ("semi-markov", "semi-markov", "n^2 |N| + n |N|^2 (Sarawagi & Cohen 2004)", ""),
    ("edit", "edit-distance", "n^2 (Wagner & Fischer 1974)", "the cost is a part of items, where it could be a weight"),
    ("itg", "itg", "n^6 |N|^2 (Wu 1997, with the fold of cky)", "a fold would have to be related to the original, and "
     "relations are not decided between schemata of several inputs"),
)  # fmt: skip


def _benchmarks() -> str:
    """Return the table of costs before and after `--improve`, for Dyna's programs as schemata."""
    cells = []
    for program, name, published, difference in _BENCHMARKS:
        schema, claim = load(name), next((c for c in all_claims() if c.name == name), None)
        trees = claim.class_name if claim is not None and schema.definition.grammar == "d-rules" else None
        before = complexity(schema, formulas=False, family=False)
        found = None if schema.definition.inputs else improve(schema, tree_class(trees) if trees else None, 4)
        after = before if found is None else found.after
        how = "nothing is gained by a fold"
        if found is not None:
            folds = f"{found.folds} step{'s' if found.folds > 1 else ''} folded"
            how = f"heads split, {folds}" if found.halved else folds
        costs = [f"O({one.time.cost})" for one in (before, after) if one.time is not None]
        cells.append([program, f"`{name}`", *costs, published, difference or how])
    headers = ("program", "schema", "before", "after", "published", "")
    return markdown_table(headers, cells)


_PROVING = Budget(steps=200_000_000, seconds=300.0)  # for each schema


def _power_of_n(degree: int) -> str:
    return "n" if degree == 1 else f"n^{degree}"


_PUBLISHED = {  # GCW11, Table 1: trees, then non-projective ones: all, by gap degree 1, 2, 3, more, by nestedness
    "Arabic": (2995, 205, 189, 13, 2, 1, 204, 1, 0),
    "Czech": (87889, 20353, 19989, 359, 4, 1, 20257, 96, 0),
    "Danish": (5430, 864, 854, 10, 0, 0, 856, 8, 0),
    "Dutch": (13349, 4865, 4425, 427, 13, 0, 4850, 15, 0),
    "Latin": (3473, 1743, 1543, 188, 10, 2, 1552, 191, 0),
    "Portuguese": (9071, 1718, 1302, 351, 51, 14, 1711, 7, 0),
    "Slovene": (1998, 555, 443, 81, 21, 10, 550, 5, 0),
    "Swedish": (11042, 1079, 1048, 19, 7, 5, 1008, 71, 0),
    "Turkish": (5583, 685, 656, 29, 0, 0, 665, 20, 0),
}
_PUBLISHED_PLANES = {  # GN10 and GN13, Table 1: trees, non-projective, not planar, not 2-, 3-, 4-planar, ill-nested
    "Arabic": (2995, 205, 158, 0, 0, 0, 1),
    "Czech": (87889, 20353, 16660, 82, 0, 0, 96),
    "Danish": (5512, 853, 827, 1, 1, 0, 6),
    "Dutch": (13349, 4865, 4115, 162, 1, 0, 15),
    "German": (39573, 10927, 10908, 671, 0, 0, 419),
    "Portuguese": (9071, 1718, 1713, 8, 0, 0, 7),
    "Swedish": (6159, 293, 280, 5, 0, 0, 14),
    "Turkish": (5510, 657, 657, 10, 0, 0, 20),
}


def treebanks_page(parts: Mapping[str, Coverage], command: str) -> str:
    """Return the page with Table 1 of GCW11 and of GN10 for treebanks, by name, and the shares that schemata parse."""

    def row(name: str, numbers: Iterable[int]) -> list[str]:
        return [name, *(f"{number:,}" for number in numbers)]

    nested, planes, shares = [], [], []
    for name, found in parts.items():
        count, all_trees = found.classes, found.sentences
        gaps = [count["projective"], *(count[f"gap-degree-{k}"] for k in (1, 2, 3)), all_trees]
        by_gap = [b - a for a, b in pairwise(gaps)]
        ill = count["mildly-ill-nested"], count["strongly-ill-nested"]
        others = all_trees - count["projective"]
        nested.append(
            row(name, [all_trees, others, *by_gap, count["well-nested"] - count["projective"], *ill])
        )
        outside = [all_trees - count[f"{k}planar"] for k in ("", "2-", "3-", "4-")]
        rooted = all_trees - found.with_root["planar"]
        planes.append(row(name, [all_trees, others, *outside, sum(ill), rooted, all_trees - count["1ec"]]))
        every = sorted(found.schemata.items(), key=lambda pair: (-pair[1], pair[0]))
        shares.append([name, *(f"{100 * n / all_trees:.2f} %" for _, n in sorted(every))])
    names = sorted(next(iter(parts.values())).schemata)
    by_schema = [[name, *cells] for name, *cells in zip(*[["", *names], *shares], strict=True)][1:]
    nested_headers = (
        "treebank/>trees/>non-projective/>gap 1/>gap 2/>gap 3/>more/>well-nested/>mildly ill/>strongly ill"
    )
    plane_headers = "treebank/>trees/>non-projective/>not planar/>not 2-pl./>not 3-pl./>not 4-pl./>ill-nested"
    more = "/>not planar with the root's arc/>not 1ec"
    page = _filled(
        "treebanks",
        command=command,
        nested=markdown_table(nested_headers.split("/"), nested),
        published=markdown_table(nested_headers.split("/"), (row(*pair) for pair in _PUBLISHED.items())),
        planes=markdown_table((plane_headers + more).split("/"), planes),
        published_planes=markdown_table(
            plane_headers.split("/"), (row(*x) for x in _PUBLISHED_PLANES.items())
        ),
        schemata=markdown_table(["schema", *(f">{name}" for name in parts)], by_schema),
    )
    return page.rstrip() + "\n"


def _treebanks(folder: Path, jobs: int) -> dict[str, Coverage]:
    """Return the counts of the treebanks in a folder, a folder each."""
    parsed = [p.name for p in parsers() if p.class_name is None or not p.exactly]
    found: dict[str, Coverage] = {}
    for file in sorted(folder.glob("*/*.conllu")):
        name = file.parent.name.removeprefix("UD_").replace("_", " ")
        for _, part in worked([str(file)], Counting, (parsed, 0), Places(jobs), f"reading {file.name}"):
            found[name] = found.get(name, Coverage(name)) + part
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the page and print it, or write it to a file."""
    parser = argparse.ArgumentParser("python .ci/pages.py", description=__doc__)
    parser.add_argument("page", choices=("catalogue", "relations", "costs", "treebanks"))
    parser.add_argument("folder", nargs="?", type=Path, help="of treebanks: folders with .conllu files")
    parser.add_argument("--max-n", type=int, metavar="N", help="words at most (default 6, of relations 5)")
    parser.add_argument("--jobs", type=int, default=1, metavar="K", help="processes for verdicts (default 1)")
    parser.add_argument("--output", type=Path, metavar="FILE", help="the file; standard output without")
    options = parser.parse_args(arguments)
    usual = {"catalogue": 6, "relations": 5}.get(options.page, 0)
    max_n = usual if options.max_n is None else options.max_n
    command = COMMAND.format(page=options.page, n=max_n)
    picture = None
    try:
        if options.page == "catalogue":
            rows, theorems = catalogue(max_n, jobs=options.jobs, watch=progress)
            linkages, constituents = linkage_catalogue(max_n), constituent_catalogue(max_n)
            graphs = graph_section(graph_catalogue())
            sections = [linkage_section(linkages), constituent_section(constituents), graphs, facts_section()]
            page = catalogue_page(rows, theorems, sections, max_n, command)
        elif options.page == "costs":
            claims = {claim.reference: claim for claim in all_claims()}
            costs = [
                (name, c.complexity, complexity(load(name), budget=_PROVING)) for name, c in claims.items()
            ]
            page = costs_page(costs, "python .ci/pages.py costs --output docs/costs.md")
        elif options.page == "treebanks":
            name = "python .ci/pages.py treebanks FOLDER --output docs/treebank-classes.md"
            page = treebanks_page(_treebanks(options.folder, options.jobs), name)
        else:
            arrows = field_map(max_n, watch=progress)
            page, picture = field_page(arrows, max_n, command), field_svg(arrows)
        if options.output is None:
            sys.stdout.write(page)
        else:
            options.output.write_text(page, encoding="utf-8")
            if picture is not None:
                options.output.with_suffix(".svg").write_text(picture, encoding="utf-8")
    except (SchemataError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
