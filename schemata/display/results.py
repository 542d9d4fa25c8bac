"""The output of `schemata run`: the figures of a sentence, rows of a corpus, and answers by weights."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from schemata.analysis.figures import RunResult
from schemata.analysis.reasons import named_position
from schemata.display.arcs import told_apart
from schemata.display.structures import structure_svgs, structure_text
from schemata.display.svg import WIDTH
from schemata.display.terminal import PAGE, Page, clipped, no_formula, padded, table
from schemata.engine.chart import Chart
from schemata.errors import painted, printable
from schemata.forest.structures import builds_nothing
from schemata.grammars.relations import graph_known
from schemata.kinds import CONSTITUENT_TREE, DEPENDENCY_TREE
from schemata.language.model import Schema
from schemata.structures import DependencyTree
from schemata.structures.word_graphs import OnPath
from schemata.wording import listing, named, quantity, stopped_by

if TYPE_CHECKING:
    from schemata.analysis.paths import PathRuns
    from schemata.analysis.weighed import Weighed, WhyNotBest
    from schemata.engine.control import Search
    from schemata.engine.weighing import WeightedStructure


def result_text(result: RunResult, page: Page = PAGE, pictures: int | None = None) -> str:
    """Return the text that `schemata run` prints for one sentence, with so many pictures of trees (None: all)."""
    chart = result.chart
    useful = "" if result.useful_items is None else f"   ({result.useful_items:,} useful)"
    steps = chart.steps_by_name
    verdict = state = "accepted" if chart.accepted else "not accepted"
    if chart.stopped:
        verdict, state = "warning", f"{stopped_by(chart.stopped)}, {state} so far"
    finals = ", ".join(map(str, chart.final_items[:_FINALS])) or "none"
    more = max(0, len(chart.final_items) - _FINALS)
    widest = max(map(len, steps))
    lines = [
        named(chart.schema.title or chart.schema.name, chart.parameters),
        f"{_input(chart)}: {painted(state, verdict, page.colour)}",
        "",
        f"  items       {chart.item_count:>10,}{useful}",
    ]
    if len(chart.items_by_form) > 1:
        lines += [f"    {name:<10}{count:>10,}" for name, count in chart.items_by_form.items()]
    lines.append(f"  steps       {chart.step_count:>10,}")
    lines += [f"    {name:<{widest}}  {count:>{max(1, 18 - widest)},}" for name, count in steps.items()]
    lines.append(f"  hypotheses  {chart.raw.hypothesis_count:>10,}")
    lines.append(f"  final items {finals}{f' and {more:,} more' if more else ''}")
    lines.append(f"  seconds     {chart.seconds:>10.4f}")
    lines += [] if chart.search is None else _about_search(chart.search)
    if chart.accepted and (result.count is not None or result.structures or not chart.stopped):
        lines += ["", *_about_structures(result, page)]
        structures = result.structures[:pictures]
        partners = told_apart(structures)
        if any(partners):
            lines.append("linkages that differ only in which connectors make the links")
            lines.append("have behind connectors, in parentheses, the positions they link")
        for number, (structure, marked) in enumerate(zip(structures, partners, strict=True), start=1):
            title = f"{noun_of(chart)} {number}"
            if isinstance(structure, OnPath):
                title += f": {' '.join(structure.sentence.words)}"
            if isinstance(structure, DependencyTree):
                title = f"tree {number}: {tree_words(structure)}"
            lines += ["", title, structure_text(chart.sentence, structure, page, partners=marked)]
        lines += _about_the_rest(result, len(structures))
    return "\n".join(lines)


def _input(chart: Chart | PathRuns) -> str:
    """Return how much a chart, or each of some runs, has read."""
    if not isinstance(chart, Chart):
        paths, accepted = quantity(chart.graph.path_count, "path"), f"{chart.accepted_count:,} accepted"
        return f"{quantity(len(chart.sentence), 'word')} in {paths}, run one by one ({accepted})"
    graph, words = graph_known(chart.grammar), quantity(len(chart.sentence), "word")
    return words if graph is None else f"{words} in {quantity(graph.path_count, 'path')}"


def _about_search(search: Search) -> list[str]:
    """Return lines on the work of a strategy, and its losses."""
    taken, tried = quantity(search.taken, "item"), quantity(search.tried, "step instance")
    dropped = f", {search.dropped:,} left out" if search.dropped else ""
    proof = "none is greater" if search.proved else "a greater one is not ruled out"
    weight = "no final item was taken" if search.weight is None else f"{search.weight:.6g}; {proof}"
    lines = [
        f"  control     {search.control}: {taken} taken{dropped}, {tried} tried",
        f"  best weight {weight}",
    ]
    if search.error is not None:
        whole = f"the best weight of the exhaustive run is {search.exhaustive:.6g}"
        lines.append(f"  search error {search.error:.6g}; {whole}")
    return lines


def noun_of(chart: Chart) -> str:
    """Return the noun for one structure of a chart's schema."""
    return chart.schema.structure.noun


def _about_structures(result: RunResult, page: Page) -> list[str]:
    """Say how derivations compare with trees or linkages."""
    chart, derivations, count = result.chart, result.derivations, result.count
    linkages = chart.schema.builds_linkages
    one = noun_of(chart)
    some = f"{one}s, cheapest first" if linkages else f"{one}s"
    more = f"; some of its {some}:" if result.structures else ""
    if chart.stopped:
        return [f"some of its {some}:"]
    if derivations is None:
        large = f"are not counted in a chart of {chart.step_count:,} step instances"
        return [f"derivations {'were not counted' if result.stopped else large}{more}"]
    infinite = derivations == math.inf
    number = "infinitely many derivations" if infinite else quantity(int(derivations), "derivation")
    if count is None:
        return [f"{number}, whose distinct {one}s were not counted{more}"]
    if builds_nothing(chart.schema):
        shown = f"{number}; no step says what it builds, so there are no structures"
        return [shown, "--derivations 1 prints a derivation"]
    note = " (an item takes part in its own derivation)" if infinite else ""
    distinct = f"at least {count.at_least:,} distinct {one}s"
    if count.exact is not None:
        distinct = quantity(count.exact, f"distinct {one}")
    if getattr(chart.grammar, "single_root", False):  # which trees the derivations build is not told apart
        return [f"{number}{note} of trees with any number of roots, {distinct} with one root"]
    said = [f"{number}{note}, {distinct}"]
    has_choice = hasattr(chart.grammar, "single_root")  # facts say themselves what is a root
    if has_choice and any(isinstance(x, DependencyTree) and x.heads.count(0) > 1 for x in result.structures):
        said.append("some trees have several roots: --single-root counts those with one, as verify does")
    others = count.others or 0
    headed = any(case.head_links for case in chart.schema.cases)
    waits = count.exact == 0 and not others and derivations and headed
    if waits:
        said.append("no derivation builds a structure: some links wait for a head that no step names")
    elif count.exact != 0 and (infinite or (count.exact and derivations > count.exact + others)):
        # Derivations of no structure are not counted apart.
        if headed or (others and chart.schema.structure == CONSTITUENT_TREE):
            said.append(f"some derivations build no {one}, or the schema derives some more than once")
        else:
            said.append(
                f"spurious ambiguity: the schema derives some {'linkages' if linkages else 'structures'} more than once"
            )
    if others and linkages:
        leave = "leaves" if others == 1 else "leave"
        said.append(f"{quantity(others, 'set')} of links that {leave} a word without a disjunct, not listed")
    elif others and chart.schema.structure != DEPENDENCY_TREE:
        said.append(chart.schema.structure.dropped)
    elif others:
        which = f"{quantity(others, 'structure')} that {'is not a tree' if others == 1 else 'are not trees'}"
        said.append(
            f"{which} (a cycle, a word with two heads, several without one, or a link to no word), not listed"
        )
    elif others is None and not (count.at_least or linkages):
        said.append(
            f"no {one} was found among them, and not all were looked at: --tree-budget N looks at more"
        )
    if (others or count.at_least == 0) and not (linkages or waits) and (hint := chart.schema.structure.hint):
        said.append(f"{painted('hint', 'hint', page.colour)}: {hint}")
    return said


def _about_the_rest(result: RunResult, drawn: int) -> list[str]:
    """Say how many more trees or linkages there are than drawn, how to see them, and why they may be so many."""
    count = result.count
    exact = None if count is None else count.exact
    known = len(result.structures) if count is None else count.at_least
    noun = f"more {noun_of(result.chart)}"
    if exact is None:
        more = f"at least {quantity(known - drawn, noun)}" if known > drawn else f"perhaps {noun}s"
    else:
        more = quantity(exact - drawn, noun)
    if not drawn or more.startswith("0 "):
        return []
    dearer = ", none cheaper" if result.chart.schema.builds_linkages else ""
    lines = ["", f"{more}{dearer}: --limit N draws the first N"]
    schema = result.chart.schema
    of_words = schema.builds_links and schema.structure.between_words
    if of_words and getattr(result.chart.grammar, "is_complete", False):
        lines.append("every link is licensed: --grammar FILE restricts them (try --grammar example)")
    return lines


Cells: TypeAlias = tuple[int, str, int, int, int | str, str]
"""Of a sentence of a corpus: words, verdict, items, steps, trees, name."""


def corpus_columns(schema: Schema) -> tuple[str, ...]:
    """Return the headers of a run over a corpus."""
    return "words", "verdict", "items", "steps", schema.structure.counted, "sentence"


def corpus_cells(result: RunResult, name: str) -> Cells:
    """Return one sentence's row of a run over a corpus."""
    chart, count = result.chart, result.count
    structures: int | str = f">={count.at_least if count else len(result.structures):,}"
    if count is not None and count.exact is not None:
        structures = count.exact
    verdict = "stopped" if chart.stopped else "accepted" if chart.accepted else "rejected"
    return len(chart.sentence), verdict, chart.item_count, chart.step_count, structures, name


def corpus_line(cells: tuple[int | str, ...], page: Page, how: str = "text") -> str:
    """Return a row in aligned columns, cut to the terminal, or ("csv", "tsv") with commas or tabs between its cells."""
    if how == "csv":
        import csv

        text = io.StringIO()
        csv.writer(text, lineterminator="").writerow([no_formula(printable(str(cell))) for cell in cells])
        return text.getvalue()
    if how == "tsv":
        return "\t".join(str(no_formula(printable(str(cell)))) for cell in cells)
    shown = (f"{cell:,}" if isinstance(cell, int) else printable(cell) for cell in cells)
    line = clipped("  ".join(map(padded, shown, _CORPUS_WIDTHS, _AT_THE_RIGHT)).rstrip(), page)
    style = _VERDICTS.get(str(cells[1]))
    return line.replace(str(cells[1]), painted(str(cells[1]), style, page.colour), 1) if style else line


@dataclass
class CorpusSum:
    """The summary below the rows of a run over a corpus: verdicts, rejected sentences, totals, speed."""

    schema: str
    sentences: int = 0
    accepted: int = 0
    items: int = 0
    steps: int = 0
    rejected: list[str] = field(default_factory=list)

    def add(self, cells: Cells) -> None:
        """Add a row."""
        _, verdict, items, steps, _, name = cells
        self.sentences += 1
        self.accepted += verdict == "accepted"
        self.items += items
        self.steps += steps
        self.rejected += [name] * (verdict == "rejected")

    def text(self, skipped: int, seconds: float) -> str:
        """Return the summary."""
        if not self.sentences:
            left_out = f": {quantity(skipped, 'sentence')} skipped" if skipped else ""
            return f"{self.schema}: no sentence was run{left_out}"
        text = f"{self.schema}: accepted {self.accepted:,} of {quantity(self.sentences, 'sentence')}"
        lines = [f"{text}, {skipped:,} skipped" if skipped else text]
        if self.rejected:
            more = len(self.rejected) - _REJECTED
            told = [f"{more:,} more (--csv, --tsv and --json have all)"] if more > 0 else []
            lines.append(f"rejected: {listing([*self.rejected[:_REJECTED], *told])}")
        each = seconds / self.sentences
        speed = f"{each:.1f} seconds a sentence"
        if 0 < each < _SLOW:
            speed = f"{1 / each:,.0f} sentences per second"
        lines.append(f"{quantity(self.items, 'item')}, {quantity(self.steps, 'step')}, {speed}")
        return "\n".join(lines)


_VERDICTS = {"accepted": "accepted", "rejected": "not accepted", "stopped": "warning"}  # and their styles
_CORPUS_WIDTHS = (5, 8, 9, 11, 9, 0)
_AT_THE_RIGHT = (True, False, True, True, True, False)
_SLOW = 0.6  # seconds a sentence, from which on that says more than sentences a second
_REJECTED = 10  # sentences named in a summary
_FINALS = 5  # final items named in it


_DIGITS = 6


def weighed_text(answers: Weighed, page: Page) -> str:
    """Return the text that `schemata run` prints for weights."""
    parts: list[str] = []
    if answers.best is not None:
        parts += _pictures("best", answers.best, answers, page) or ["no structure is derived"]
    if answers.totals is not None:
        rows = [[name, total_text(total)] for name, total in answers.totals.items()]
        parts.append(table(["semiring", "total"], rows, page))
    if answers.marginals is not None:
        parts.append(_marginals(answers, page))
    if answers.samples is not None:
        parts += _pictures("sample", answers.samples, answers, page) or ["no structure is drawn"]
    return "\n\n".join(parts)


def best_svgs(answers: Weighed, *, width: int | None = WIDTH, rtl: bool | None = None) -> list[str]:
    """Return the best structures as SVG; with marginals, the width of a tree's link shows its probability."""
    found = [one.structure for one in answers.best or ()]
    strengths = _strengths(answers) or None
    return structure_svgs(answers.chart.sentence, found, width=width, rtl=rtl, strengths=strengths)


def why_not_best_text(answer: WhyNotBest, page: Page) -> str:
    """Return the text that `schemata why-not --best` prints: both trees, and where the best one wins."""
    words = answer.chart.sentence.words
    asked = f"heads {' '.join(map(str, answer.heads))}"
    if answer.best is None:
        return f"{asked}: no tree is derived"
    best = f"heads {' '.join(map(str, answer.best_heads))}, weight {weight_text(answer.best.weight)}"
    if answer.is_best:
        return f"{asked}: no tree is better; its weight is {weight_text(answer.best.weight)}"
    if answer.weight is None:
        schema = answer.chart.schema.name
        lines = [f"{asked}: {schema} does not derive this tree, or a weight forbids it", f"best: {best}"]
    else:
        won = weight_text(answer.best.weight - answer.weight)
        lines = [f"{asked}, weight {weight_text(answer.weight)}", f"best: {best}: it wins by {won}"]
    rows = []
    for one in answer.links:
        heads = [named_position(head, answer.chart.sentence) for head in (one.head, one.best_head)]
        score, best_score, gain = map(weight_text, (one.score, one.best_score, one.gain))
        word = f"{one.dependent} {words[one.dependent - 1]}"
        rows.append([word, heads[0], score, heads[1], best_score, gain])
    if answer.rest:
        rows.append(["rules and steps", "", "", "", "", weight_text(answer.rest)])
    headers = ["word", "head", "score", "head in the best", "score", "gain"]
    return "\n".join([*lines, "", table(headers, rows, page)])


def weight_text(weight: float) -> str:
    """Return a weight in log space.

    >>> weight_text(-1.25), weight_text(float("-inf"))
    ('-1.25', '-inf')
    """
    return f"{weight:.{_DIGITS}g}"


def total_text(total: Any) -> str:
    """Return a total of any semiring."""
    if isinstance(total, tuple):
        return ", ".join(map(total_text, total)) or "none"
    if isinstance(total, bool):
        return "true" if total else "false"
    return f"{total:,}" if isinstance(total, int) else weight_text(total)


def _pictures(what: str, found: Sequence[WeightedStructure], answers: Weighed, page: Page) -> list[str]:
    strengths = _strengths(answers)
    parts = []
    for number, one in enumerate(found, start=1):
        title = f"{what} {number}: weight {weight_text(one.weight)}"
        if isinstance(one.structure, DependencyTree):
            title += f", {tree_words(one.structure)}"
        if isinstance(one.structure, OnPath):
            title += f": {' '.join(one.structure.sentence.words)}"
        drawn = structure_text(answers.chart.sentence, one.structure, page, strengths=strengths)
        parts.append(f"{title}\n{drawn}")
    return parts


def tree_words(tree: DependencyTree) -> str:
    """Return the heads of a tree in words, with the tags that its derivation chose."""
    tags = "" if tree.tags is None else f", tags {' '.join(printable(tag) or '_' for tag in tree.tags)}"
    return f"heads {' '.join(map(str, tree.heads))}{tags}"


def _strengths(answers: Weighed) -> dict[Any, float]:
    """Return the marginals of links by their ends, those of all labels together."""
    found: dict[Any, float] = {}
    for link, share in (answers.marginals or {}).items() if answers.chart.schema.builds_links else ():
        if isinstance(link, tuple) and isinstance(link[0], str):
            continue  # a tag or a feature
        ends = link[:2] if isinstance(link, tuple) else link
        found[ends] = found.get(ends, 0.0) + share
    return found


def _marginals(answers: Weighed, page: Page) -> str:
    """Return probabilities: a table of dependents and heads, or a line for each labelled link or item."""
    found = answers.marginals or {}
    words = answers.chart.sentence.words
    plain = answers.chart.schema.builds_links and all(isinstance(x, tuple) and len(x) == 2 for x in found)
    if not (found and plain):
        if not found:
            return f"{quantity(0, 'link')} with a probability"
        built = (" ".join(map(str, one)) if isinstance(one, tuple) else str(one) for one in found)
        rows = [[one, f"{share:.3f}"] for one, share in zip(built, found.values(), strict=True)]
        return table(["built", "probability"], rows, page)
    heads = range(len(words) + 1)
    shares = _strengths(answers)
    rows = [
        [f"{d} {word}", *(f"{shares[d, h]:.3f}" if shares.get((d, h), 0.0) >= 0.0005 else "." for h in heads)]
        for d, word in enumerate(words, start=1)
    ]
    return table(["probability of head", *map(str, heads)], rows, page)
