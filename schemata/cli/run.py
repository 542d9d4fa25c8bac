"""The command `run`: a schema on a sentence or on every sentence of a treebank, with pictures and derivations."""

from __future__ import annotations

import gc
import math
import re
import shlex
import sys
import time
from argparse import BooleanOptionalAction, Namespace
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from schemata.analysis import figures
from schemata.analysis.figures import RunResult, depends_on_length, warnings_of
from schemata.budget import Budget, Reason
from schemata.cli import command as c
from schemata.cli.corpus import NUMBER, PLACES, expanded, places, worked
from schemata.cli.output import json_text, report, reports_kept, write
from schemata.display.chart_layout import VIEWS, require_place
from schemata.display.terminal import Page, ProgressBar, page
from schemata.engine.chart import Chart
from schemata.engine.exceeded import BudgetExceeded
from schemata.errors import Diagnostic, GrammarError, Location, UsageError, painted
from schemata.forest.derivations import Derivation, iterate_derivations
from schemata.forest.structures import derivation_structure
from schemata.kinds import FORMATS
from schemata.language.shipped import shipped_schemata
from schemata.quick_start import collector_off
from schemata.records import Record, document, fields_json, json_of, replace
from schemata.structures import DependencyTree, Sentence
from schemata.structures.word_graphs import WordGraph
from schemata.text_files import write_text
from schemata.thresholds import EFFORTS, WAYS
from schemata.treebanks import Blocks, BrokenSentence, check_format, exported
from schemata.weights.semiring import semiring_of
from schemata.wording import listing, quantity
from schemata.workbench import ParsingSchema

if TYPE_CHECKING:
    from schemata.analysis.explain import Trace
    from schemata.analysis.weighed import Weighed
    from schemata.display.chart_layout import ChartPicture
    from schemata.display.results import Cells

_RTL = "draw sentences from right to left, or not (default: as most of their words run)"
_EXPORT = f"print the structures that would be drawn, and nothing else, as {', '.join(FORMATS)}"
_CHART = "draw the chart: cells by span, columns, or edges; into FILE.svg, .html, .tex, .txt, .pdf or .png"
_OF_WEIGHTS = "--weights --total --marginals --best --sample"
_OF_ONE = f"--control --derivations --dot --tikz --chart --html --trace --trace-all {_OF_WEIGHTS}".split()
"""Options about one sentence."""
_OF_A_CHART = ["--control", "--derivations", "--dot", "--chart", "--html", "--trace", "--trace-all"]
"""Options about the items or derivations of one chart."""
_PASTED = 100  # words of a sentence that fit into a command to be pasted
_DERIVATIONS = 3  # on a page, unless told otherwise
_LISTED = 10  # trees or linkages in JSON and as SVG, unless told otherwise
_LONGEST_NAME = 60  # characters of a sent_id that a file's name takes over


@c.command(
    c.SCHEMA,
    c.SENTENCE,
    c.LATTICE,
    c.flag(
        "--each-path", "with --lattice, run the paths one by one, as for schemata that read no word graphs"
    ),
    c.CONLLU,
    NUMBER,
    PLACES,
    c.CSV,
    c.TSV,
    c.GRAMMAR,
    c.BUDGET,
    c.ENGINE,
    c.number("--limit N", "at most N structures are shown (default 1, and 10 in JSON and SVG)", above=-1),
    c.TREE_BUDGET,
    c.ASCII,
    c.WIDTH,
    c.option("--rtl", _RTL, action=BooleanOptionalAction),
    c.number("--derivations N", "print the first N derivations", above=-1),
    c.option("--svg FILE", "draw the first structure as SVG; in a directory, those listed, and derivations"),
    c.output("--dot FILE", "draw the forest in DOT, for Graphviz"),
    c.output("--tikz FILE", "draw the listed structures for LaTeX (tikz-dependency, forest, tikz)"),
    c.option("--chart FILE", _CHART, nargs="?", const="", type=c.picture_file),
    c.output("--html FILE", "write a page of the run: chart, derivations, structures, items with reasons"),
    c.option("--view V", "how the chart is drawn: triangle, columns (as Earley's) or edges", choices=VIEWS),
    c.flag("--trace", "print the numbered table of items with their back-pointers"),
    c.flag("--trace-all", "the same with every step instance"),
    c.flag("--useful", "in a trace or a chart, keep the items that derivations of final items use"),
    c.flag("--latex", "print the trace in LaTeX as a longtable, --derivations as proof trees"),
    c.flag("--standalone", "make LaTeX a document that compiles by itself"),
    c.flag("--bussproofs", "with --latex, proof trees for the package bussproofs (default: ebproof)"),
    c.WEIGHTS,
    c.CONTROL,
    c.flag("--search-error", "what the strategy loses against the exhaustive run"),
    c.number("--best K", "the K best distinct structures (1 with --weights alone)", above=-1),
    c.several("--total SEMIRING", "the sum of all weights: log, count ..."),
    c.flag("--marginals", "the probability of every link"),
    c.number("--sample N", "N structures drawn in proportion to their weights", above=-1),
    c.SEED,
    c.flag("--distinct", "sum over distinct structures, not over derivations"),
    c.option("--export FORMAT", _EXPORT, choices=FORMATS),
    c.JSON,
    needs=(
        ("--csv --tsv", "--conllu --trace --trace-all", "the rows are sentences, or those of a trace"),
        ("--jobs --resume --scheduler --number", "--conllu"),
        ("--each-path", "--lattice"),
        ("--distinct", "--total --marginals --sample"),
        ("--search-error", "--control"),
        ("--useful", "--trace --trace-all --chart"),
        ("--latex", "--trace --trace-all --derivations"),
        ("--standalone", "--latex --tikz --chart"),
        ("--bussproofs", "--latex"),
        ("--view", "--chart"),
    ),
    apart=(
        ("--number", "--jobs --resume --scheduler"),
        ("--csv", "--tsv"),
        ("--csv --tsv", "--derivations --chart"),
        ("--trace --trace-all", _OF_WEIGHTS),
        ("--json", "--csv --tsv --latex"),
        ("--lattice", "SENTENCE --conllu --html"),
        ("--export", "--json --csv --tsv --trace --trace-all"),
    ),
)
def run(arguments: Namespace) -> int:
    """Run a schema on a sentence or on every sentence of a CoNLL-U file: chart counts, derivations, trees.

    A sentence prints its counts and a tree drawn as arcs; a corpus prints a row per sentence and a summary.
    """
    _check_options(arguments)
    schema = c.chosen_schema(arguments.schema, arguments.set, arguments.engine)
    if arguments.chart is not None:
        require_place(schema.definition)
    if arguments.export:
        check_format(arguments.export, schema.definition.structure)
    grammar = c.chosen_grammar(schema, arguments)
    if arguments.conllu and not arguments.number:
        return _run_corpus(schema, grammar, arguments)
    sentence: Sentence | WordGraph
    if arguments.number:
        sentence = c.numbered(arguments.conllu[0], arguments.number)
    elif arguments.lattice:
        sentence = WordGraph.read(arguments.lattice, arguments.tagged)
    else:
        sentence = c.chosen_sentence(arguments.sentence, arguments.tagged)
    started = time.perf_counter()
    by_path = {"each_path": arguments.each_path, "refuse": partial(_refuse_charts, arguments)}
    runs = partial(c.at_once_or_by_path, schema, **by_path) if arguments.lattice else None
    chart, code = c.run_chart(schema, sentence, grammar, arguments, runs)
    if arguments.search_error and chart.search is not None and not code:
        arguments.control = None
        whole, code = c.run_chart(schema, sentence, grammar, arguments)
        if not code:  # structures are compared: some derivations build none
            best, own = whole.best(), chart.best()
            weight, greatest = own.weight if own else None, best.weight if best else -math.inf
            chart.search = replace(chart.search, weight=weight, exhaustive=greatest)
    result = RunResult(chart, stopped=chart.stopped)
    if not arguments.trace or any(x is not None for x in (arguments.svg, arguments.tikz, arguments.html)):
        with ProgressBar("counting derivations and trees"):
            result = _counted(chart, arguments, started, arguments.tree_budget)
    answers, result = _weigh(result, arguments, started)
    drawn = _draw(result, arguments, started, best=answers)
    result = drawn.result
    table = _trace(chart, arguments, started) if arguments.trace else None
    stopped = result.stopped or (table and table.stopped)
    code = code or (130 if stopped == "interrupt" else 2 if stopped else 0)
    if arguments.export:
        texts = list(_exported(result, arguments, answers))
        for text in texts:
            write(text + "\n")
        if not (texts or stopped):
            why = "no derivation makes a structure" if chart.accepted else "the sentence is not accepted"
            write(f"nothing to export: {why}\n", sys.stderr)
    elif table is not None:
        _print_trace(table, drawn, arguments)
    elif arguments.latex:
        parts = drawn.derivations or [r"\emph{no derivation}  % the sentence is not accepted"]
        write(_latex(parts, drawn, arguments) + "\n")
    else:
        from schemata.display.results import result_text, weighed_text

        pictures = 1 if arguments.limit is None else None

        def as_text(page: Page) -> str:
            parts = [result_text(result, page, 0 if answers else pictures), *drawn.texts(page)]
            if answers:
                parts.append(weighed_text(answers, page))
            pasted = not arguments.lattice and len(chart.sentence) <= _PASTED
            if pasted and not (chart.accepted or chart.stopped):
                parts.append(f"{painted('Try:', 'hint', page.colour)} {_why_not(arguments)}")
            return "\n\n".join(parts)

        more = answers.to_json() if answers else {}
        c.answer(arguments, lambda: {**result.to_json(), **drawn.to_json(), **more}, as_text)
    return code or (0 if chart.accepted else 1)


def _refuse_charts(arguments: Namespace, why: str) -> None:
    """Refuse options that are about one chart, where there is one for each path.

    Raises
    ------
    UsageError : such an option is given.
    """
    given = next((x for x in run.options if x.name in _OF_A_CHART and x.is_given(arguments)), None)
    if given is not None:
        raise UsageError(f"{given.name} is about one chart, and {why}", code="usage")


def _best_is_unknown(answers: Weighed | None, arguments: Namespace) -> bool:
    """Whether the best structures are requested, and a limit left them unknown."""
    return answers is None and (bool(arguments.weights) or arguments.best is not None)


def _exported(result: RunResult, arguments: Namespace, answers: Weighed | None = None) -> Iterator[str]:
    """Yield structures in the format of `--export`: the best ones, else the first of those listed."""
    if _best_is_unknown(answers, arguments):
        return
    found = result.structures[: 1 if arguments.limit is None else None]
    if answers is not None and answers.best is not None:
        found = tuple(one.structure for one in answers.best)
    for number, structure in enumerate(found, start=1):
        yield exported(result.chart.sentence, structure, arguments.export, number)


def _counted(chart: Chart, arguments: Namespace, started: float, effort: int | None) -> RunResult:
    """Count the derivations of a chart, and list some, within the rest of the run's budget."""
    limit = _LISTED if arguments.limit is None else arguments.limit
    results = figures.run_results(chart, limit=limit, tree_budget=effort)
    known, stopped = _heeding(chart.stopped, arguments, started, "derivations were counted", results)
    return replace([RunResult(chart), *known][-1], stopped=stopped or chart.stopped)


def _heeding(
    stopped: str | None, arguments: Namespace, started: float, what: str, values: Iterable[c.T]
) -> tuple[list[c.T], Reason | None]:
    """Return the values computed after a run, as far as the rest of its budget allows, and the limit that
    was hit.

    If the run itself hit a limit, a little time is added for them.
    """
    budget = c.chosen_budget(arguments)
    if stopped:
        return c.heeding(c.answering(budget), time.perf_counter(), f" while {what}", values)
    return c.heeding(budget, started, f" while {what}; the chart is complete", values)


def _weigh(result: RunResult, arguments: Namespace, started: float) -> tuple[Weighed | None, RunResult]:
    """Answer requests about weights within the rest of the budget; returns the result with its limit."""
    others = arguments.total or arguments.marginals or arguments.sample is not None
    if not (others or arguments.weights or arguments.best is not None):
        return None, result
    from schemata.analysis.weighed import weighed
    from schemata.engine.weighing import not_weighed

    unknown = not_weighed(result.chart)
    if unknown is not None:
        report(unknown)
        return None, result
    best = arguments.best if others or arguments.best is not None else 1
    asked: Any = {name: getattr(arguments, name) for name in ("marginals", "seed", "distinct")}
    answer = partial(weighed, best=best, totals=arguments.total, samples=arguments.sample, **asked)
    with ProgressBar("weighing derivations"):
        values = map(answer, [result.chart])
        found, stopped = _heeding(result.stopped, arguments, started, "derivations were weighed", values)
    if not found:
        return None, replace(result, stopped=result.stopped or stopped)
    if found[0].doubt is not None:
        report(found[0].doubt)
    return found[0], result


def _why_not(arguments: Namespace) -> str:
    """Return the command, ready to be pasted, that explains why a sentence is not accepted."""
    words = ["schemata", "why-not", arguments.schema, " ".join(arguments.sentence)]
    words += [word for setting in arguments.set for word in ("--set", setting)]
    words += ["--grammar", arguments.grammar] if arguments.grammar else []
    words += [f"--{name}" for name in ("tagged", "unpruned") if getattr(arguments, name)]
    return shlex.join(words)


def _check_options(arguments: Namespace) -> None:
    """Refuse options that make no sense, and make the directory, before anything is computed.

    Raises
    ------
    UsageError : nothing to run on, a semiring that is unknown, a directory that cannot be made.
    """
    arguments.conllu, arguments.sentence = expanded(arguments.conllu, arguments.sentence)
    if " " in arguments.schema and arguments.sentence and arguments.sentence[-1] in shipped_schemata():
        hint = f"schemata run {arguments.sentence[-1]} {arguments.schema!r}"
        message, expected = f"{arguments.schema!r} is not the name of a schema", "a name, then the sentence"
        raise UsageError(message, code="unknown-schema", expected=expected, hint=hint)
    if not arguments.lattice and bool(arguments.sentence) == bool(arguments.conllu):
        both = "SENTENCE and --conllu exclude each other" if arguments.conllu else "nothing to run on"
        if " " in arguments.schema and not arguments.conllu:
            c.chosen_schema(arguments.schema)  # a sentence, refused as the name of a schema
        raise UsageError(both, code="usage", expected="a sentence, or --conllu FILE")
    if arguments.number and len(arguments.conllu) > 1:
        raise UsageError("--number is of one file", code="usage", expected="--conllu FILE --number N")
    of_one = (
        [] if arguments.number else [x for x in run.options if x.name in _OF_ONE and x.is_given(arguments)]
    )
    if arguments.conllu and of_one:
        hint = "a corpus prints one row per sentence; --svg DIR draws its sentences, --number N takes one of them"
        raise UsageError(f"--conllu and {of_one[0].name} exclude each other", code="usage", hint=hint)
    if (arguments.csv or arguments.tsv) and arguments.number and not (arguments.trace or arguments.trace_all):
        raise UsageError("one sentence has no rows, but its trace has", code="usage", hint="add --trace")
    for name in arguments.total:
        semiring_of(name)
    if arguments.svg is not None and _is_picture(arguments.svg):
        if arguments.conllu and not arguments.number:
            hint = "name a directory: each sentence has pictures of its own"
            raise UsageError("--svg FILE.svg holds one picture, a corpus has many", code="usage", hint=hint)
        c.writable(arguments.svg)
    elif arguments.svg is not None:
        if re.search(r"\.(png|pdf|jpe?g|html|tex|tikz|txt|eps)$", arguments.svg.casefold()):
            message = f"--svg writes pictures in SVG, and {arguments.svg} is none"
            hint = f"--chart {arguments.svg} writes the chart, --tikz FILE.tex trees for LaTeX"
            raise UsageError(message, code="bad-option", expected="FILE.svg, or a directory", hint=hint)
        c.make_directory(arguments.svg)
    arguments.trace = arguments.trace or arguments.trace_all


def _is_picture(path: str) -> bool:
    """Whether `--svg` names a picture, not a directory."""
    return path.casefold().endswith(".svg") and not Path(path).is_dir()


def _trace(chart: Chart, arguments: Namespace, started: float) -> Trace:
    """Return the trace of a chart, as many of its rows as limits allow."""
    from schemata.analysis.explain import Trace, trace_rows

    values = trace_rows(chart, arguments.useful, arguments.trace_all)
    rows, stopped = _heeding(chart.stopped, arguments, started, "its trace was made", values)
    return Trace(chart, tuple(rows), arguments.useful, arguments.trace_all, stopped or chart.stopped)


def _print_trace(table: Trace, drawn: _Drawn, arguments: Namespace) -> None:
    """Print a trace, then the other requested output; beside a table in LaTeX, the files' names in
    comments.
    """
    from schemata.display.explanations import trace_latex, trace_text
    from schemata.display.terminal import tabulated

    def as_text(page: Page) -> str:
        if arguments.csv or arguments.tsv:
            rows = [row for row in table.table_rows() if row.pop("derivations") is not None]
            cells = [["" if x is None else str(x) for x in row.values()] for row in rows]
            return tabulated([*rows[0]] if rows else [], cells, "csv" if arguments.csv else "tsv", page)
        if arguments.latex:
            return _latex([trace_latex(table), *(drawn.derivations or ())], drawn, arguments)
        return "\n\n".join([trace_text(table, page), *drawn.texts(page)])

    c.answer(arguments, lambda: {**table.to_json(), **drawn.to_json()}, as_text)


def _latex(parts: Sequence[str], drawn: _Drawn, arguments: Namespace) -> str:
    """Return fragments of LaTeX, or a document of them, and the files' names in comments."""
    from schemata.display.latex import standalone

    text = "\n".join(parts)
    return "\n".join(
        [standalone(text) if arguments.standalone else text, *(f"% wrote {x}" for x in drawn.files)]
    )


# A corpus: a line or a JSON object for each sentence, a sum at the end -------------------------------------


def _run_corpus(schema: ParsingSchema, grammar: Any, arguments: Namespace) -> int:
    """Run every sentence of `--conllu`; 2 where one was skipped or stopped, 130 on Ctrl-C."""
    from schemata.display.results import CorpusSum, corpus_columns, corpus_line

    budget, where = c.chosen_budget(arguments), places(arguments, ("csv", "tsv"))
    skipped = code = 0
    total = CorpusSum(schema.name)
    shown, started = page(), time.perf_counter()
    how = "csv" if arguments.csv else "tsv" if arguments.tsv else "text"
    in_rows = not (arguments.json or arguments.export)
    warnings = c.Warnings("", "--json has them all")
    about = f"{schema.name} on {listing(arguments.conllu)}"
    of = schema, grammar, budget, arguments
    runner = _Runner(*of)
    shared = runner.by_length and where.only_processes
    make, sharing = (_Lengths, runner) if shared else (_Runner, None)
    for place, rows in worked(arguments.conllu, make, of, where, about, sharing):
        for row in rows:
            report(*row.reports)
            if row.cells is None:
                skipped += 1
                continue
            total.add(row.cells)
            warnings.file = arguments.conllu[place]
            warnings.report(row.warnings, row.name, row.line)
            if in_rows and total.sentences == 1:
                write(corpus_line(corpus_columns(schema.definition), shown, how) + "\n")
            if in_rows or row.text:
                write((row.text or corpus_line(row.cells, shown, how)) + "\n")
            code = 130 if row.stopped == "interrupt" else 2 if row.stopped else code
        sys.stdout.flush()  # what is done stays, whatever ends the process
        if code == 130:
            break
        if budget.end < time.monotonic():
            code = 2
            report(budget.hit("seconds", f" after {quantity(total.sentences + skipped, 'sentence')}"))
            break
    warnings.close()
    if not arguments.json:
        summary = total.text(skipped, time.perf_counter() - started)
        apart = how != "text" or arguments.export
        space = "" if apart or not total.sentences else "\n"
        write(f"{space}{summary}\n", sys.stderr if apart else None)
    return code or (2 if skipped else 0)


class _CorpusRow(Record):
    """A sentence of a corpus: its cells, None if it is skipped; its JSON or export if requested."""

    name: str = ""
    line: int | None = None
    cells: tuple[int, str, int, int, int | str, str] | None = None
    text: str | None = None
    stopped: str | None = None
    warnings: tuple[Diagnostic, ...] = ()
    reports: tuple[Diagnostic, ...] = ()


_RowParts: TypeAlias = "tuple[Cells, list[str]]"  # cells of a row, and the text around a name and words


class _Runner:
    """Runs a schema on sentences of a corpus, in a process.

    Where counts depend on nothing but the number of words, one run answers for all sentences of a length. A corpus is
    then shared by these lengths.
    """

    def __init__(self, schema: ParsingSchema, grammar: Any, budget: Budget, arguments: Namespace) -> None:
        self.schema, self.grammar, self.budget, self.arguments = schema, grammar, budget, arguments
        drawn = arguments.svg or arguments.derivations or arguments.export
        self.by_length = not drawn and depends_on_length(schema, grammar)
        from schemata.display.results import corpus_cells

        self.cells = corpus_cells
        self.known: dict[int, _RowParts] = {}
        self.asked: set[int] = set()  # lengths of sentences that others have been asked to work on
        gc.freeze()  # the collector need not look at what is imported after every sentence

    def shards(self, part: Blocks) -> list[Blocks]:
        """Return the first sentence of each new length; empty if all lengths have been run."""
        firsts = []
        for number, block in enumerate(part.blocks, start=part.first):
            length = sum(text.partition("\t")[0].isdecimal() for _, text in block)
            if length not in self.asked:
                self.asked.add(length)
                firsts.append(replace(part, first=number, blocks=[block]))
        return firsts or [replace(part, blocks=[])]

    def answer(self, part: Blocks, results: Sequence[dict[int, _RowParts]]) -> list[_CorpusRow]:
        """Return the rows of a part's sentences from the results of `_Lengths`."""
        for found in results:
            self.known |= found
        rows: list[_CorpusRow] = self(part)[0]
        return rows

    def __call__(self, blocks: Blocks) -> tuple[list[_CorpusRow], bool]:
        """Return the rows of sentences; no more after the end of the budget, or Ctrl-C."""
        rows: list[_CorpusRow] = []
        for number, sentence in blocks.sentences():
            if self.budget.end < time.monotonic():
                break
            with reports_kept() as reports:
                row = self._row(number, sentence, blocks.file)
            rows.append(replace(row, reports=tuple(reports)) if reports else row)
            if row.stopped == "interrupt":
                break
        return rows, len(rows) == len(blocks.blocks) and self.budget.end > time.monotonic()

    def _row(self, number: int, sentence: Sentence | BrokenSentence, file: str) -> _CorpusRow:
        if not isinstance(sentence, Sentence):
            report(sentence.diagnostic)
            return _CorpusRow()
        known = self.known.get(len(sentence)) if self.by_length else None
        if known is not None:
            return _told(number, sentence, *known)
        with collector_off():  # all that is large is gone before it is on again
            return self._ran(number, sentence, file)

    def _ran(self, number: int, sentence: Sentence, file: str) -> _CorpusRow:
        began = time.perf_counter()
        result = _run_one(self.schema, self.grammar, self.budget, sentence, file, self.arguments)
        if result is None:
            return _CorpusRow()
        drawn = _draw(result, self.arguments, began, f"{number:05}-{sentence.name or 'unnamed'}")
        stopped, warnings = drawn.result.stopped, c.of_sentence(warnings_of(result.chart), self.grammar)
        parts: list[str] = []
        if self.arguments.json:
            value = {**drawn.result.to_json(), **drawn.to_json(), "sentence": "\0"}
            parts = json_text(document({"sent_id": "\0"}, value)).split('"\\u0000"')
        elif self.arguments.export:
            parts = ["\n".join(_exported(result, self.arguments))]
        found = self.cells(result, ""), parts
        if stopped is None and not warnings:
            self.known[len(sentence)] = found
        if len(self.known) == WAYS.many_lengths:
            with suppress(ImportError):  # forests are made of arrays where numpy is there
                import numpy  # noqa: F401

            self.schema.engines.expect_many()
        return _told(number, sentence, *found, stopped, warnings)


class _Lengths(_Runner):
    """Runs a schema on one sentence of each length, in a process; the requesting process fills in the
    others.
    """

    def __call__(self, blocks: Blocks) -> tuple[Any, bool]:
        """Return the results for lengths that are new; empty if a limit was hit."""
        before = set(self.known)
        super().__call__(blocks)
        return {n: found for n, found in self.known.items() if n not in before}, True


def _told(
    number: int,
    sentence: Sentence,
    cells: Cells,
    parts: list[str],
    stopped: str | None = None,
    warnings: tuple[Diagnostic, ...] = (),
) -> _CorpusRow:
    """Return the row of a sentence. If its text has several parts, its name and words are set between them."""
    own = zip((sentence.name, list(sentence.words)), parts[1:], strict=False)
    text = "".join([*parts[:1], *(f"{json_text(one)}{part}" for one, part in own)]) or None
    named = *cells[:-1], sentence.name or str(number)
    return _CorpusRow(sentence.name or f"number {number}", sentence.line, named, text, stopped, warnings)


def _run_one(
    schema: ParsingSchema, grammar: Any, budget: Budget, sentence: Sentence, file: str, arguments: Namespace
) -> RunResult | None:
    """Run one sentence; None if the grammar does not fit it."""
    started = time.perf_counter()
    try:
        chart = schema.run(sentence, grammar, budget=budget)
    except BudgetExceeded as over:
        report(*over.diagnostics)
        chart = over.chart
    except (GrammarError, UsageError) as error:
        named = " ".join(["sentence", *([sentence.name] if sentence.name else [])])
        place = Location(file, sentence.line, 1) if sentence.line else None
        c.report_skipped(named, error.diagnostics, place)
        return None
    effort = EFFORTS.corpus_unions if arguments.tree_budget is None else arguments.tree_budget
    return _counted(chart, arguments, started, effort)


# Pictures and derivations ----------------------------------------------------------------------------------


class _Drawn(Record):
    """The requested output beside a result, as far as limits allow: derivations as JSON or text, and
    files.
    """

    result: RunResult
    derivations: list[Any] | None
    files: list[Path]
    chart: ChartPicture | None = None

    to_json = json_of("derivation_trees!=derivations files? chart!")

    def texts(self, paper: Page) -> list[str]:
        """Return the texts to print after the result's."""
        parts = []
        if self.chart is not None:
            from schemata.display.charts import chart_text

            parts.append(chart_text(self.chart, paper))
        numbered = enumerate(self.derivations or (), start=1)
        parts += [f"derivation {number}:\n{text}" for number, text in numbered]
        return parts + (["\n".join(f"wrote {path}" for path in self.files)] if self.files else [])


def _draw(
    result: RunResult, arguments: Namespace, started: float, name: str = "", best: Weighed | None = None
) -> _Drawn:
    """Write the pictures of one result and collect its derivations, as the options ask for.

    The name of the sentence, if there is one, is the first part of its files' names. The best structures are drawn too.

    Raises
    ------
    UsageError : a file cannot be written.
    """
    shown: list[Any] | None = None if arguments.derivations is None else []
    named = (arguments.svg, arguments.dot, arguments.tikz, arguments.chart, arguments.html)
    if shown is None and not any(name is not None for name in named):
        return _Drawn(result, None, [])
    values, when = _files(result, shown, arguments, name, best), "derivations and pictures were made"
    files, stopped = _heeding(result.stopped, arguments, started, when, values)
    picture = _pictured(result.chart, arguments) if arguments.chart == "" else None
    return _Drawn(replace(result, stopped=result.stopped or stopped), shown, files, picture)


def _pictured(chart: Chart, arguments: Namespace) -> ChartPicture:
    """Return the picture of a chart that `--chart` asks for."""
    from schemata.display.chart_layout import chart_picture

    return chart_picture(chart, arguments.view, useful=arguments.useful)


def _files(
    result: RunResult, shown: list[Any] | None, arguments: Namespace, name: str, best: Weighed | None
) -> Iterator[Path]:
    """Collect derivations, as JSON or text, and yield the files of pictures."""
    from schemata.display.latex import derivation_latex, standalone

    derivations: list[Derivation] = []
    chart = result.chart
    if shown is not None:
        from schemata.display.trees import derivation_text

        paper = page(arguments.ascii, arguments.width)
        built = iterate_derivations(chart.forest())
        if getattr(chart.grammar, "single_root", False):  # derivations of the trees that are listed
            built = (d for d in built if _roots(derivation_structure(chart, d)) == 1)
        for derivation in islice(built, arguments.derivations):
            if arguments.json:
                shown.append(_flat(derivation))
            else:
                typeset = (
                    derivation_latex(derivation, bussproofs=arguments.bussproofs)
                    if arguments.latex
                    else derivation_text(derivation, paper)
                )
                shown.append(typeset)
            derivations.append(derivation)
    if arguments.svg is not None:
        yield from _write_svg(arguments, result, derivations, name, best)
    if arguments.dot is not None:
        from schemata.display.trees import forest_dot

        yield write_text(arguments.dot, forest_dot(chart.forest(), rtl=arguments.rtl))
    if arguments.html is not None:
        from schemata.display.page import page_of

        yield write_text(arguments.html, page_of(chart, result, arguments.derivations or _DERIVATIONS))
    if arguments.chart:
        from schemata.display.saved import saved
        from schemata.display.svg import WIDTH

        file = saved(_pictured(chart, arguments), arguments.chart, width=arguments.width or WIDTH)
        if arguments.standalone and file.suffix.casefold() in (".tex", ".tikz"):
            write_text(file, standalone(file.read_text(encoding="utf-8")))
        yield file
    if arguments.tikz is not None:
        from schemata.display.structures import structures_tikz

        text = structures_tikz(chart.sentence, result.structures, rtl=arguments.rtl)
        yield write_text(arguments.tikz, standalone(text) if arguments.standalone else text)


def _roots(structure: Any) -> int:
    return structure.heads.count(0) if isinstance(structure, DependencyTree) else 0


def _write_svg(
    arguments: Namespace,
    result: RunResult,
    derivations: Sequence[Derivation],
    name: str,
    best: Weighed | None,
) -> Iterator[Path]:
    from schemata.display.structures import structure_svgs
    from schemata.display.svg import WIDTH
    from schemata.display.trees import derivation_svg

    start = f"{re.sub(r'[^A-Za-z0-9._-]+', '-', name)[:_LONGEST_NAME]}-" if name else ""
    kind = result.chart.schema.structure.counted.removesuffix("s")
    width, rtl = arguments.width or WIDTH, arguments.rtl
    pictures = {kind: structure_svgs(result.chart.sentence, result.structures, width=width, rtl=rtl)}
    pictures["derivation"] = [derivation_svg(one, width=width) for one in derivations]
    if best is not None:
        from schemata.display.results import best_svgs

        pictures["best"] = best_svgs(best, width=width, rtl=rtl)
    if _is_picture(arguments.svg):
        first = next((drawn[0] for drawn in reversed(pictures.values()) if drawn), None)
        if _best_is_unknown(best, arguments):  # another tree would be taken for it
            first = None
        if first is None:
            report(
                Diagnostic(
                    "no-picture",
                    f"there is nothing to draw: {arguments.svg} is not written",
                    severity="warning",
                )
            )
        else:
            yield write_text(arguments.svg, first)
        return
    for kind, drawn in pictures.items():
        digits = len(str(len(drawn)))  # leading zeros, so that names sort as numbers do
        for number, svg in enumerate(drawn, start=1):
            yield write_text(Path(arguments.svg) / f"{start}{kind}-{number:0{digits}}.svg", svg)


def _flat(derivation: Derivation) -> list[dict[str, Any]]:
    """Return a derivation as a list of its nodes in preorder: nested objects could not be that deep."""
    nodes: list[dict[str, Any]] = []
    above: list[int] = []
    for number, (depth, node) in enumerate(derivation.walk()):
        del above[depth:]
        if above:
            nodes[above[-1]]["antecedents"].append(number)
        above.append(number)
        nodes.append(fields_json(node, "item step case links") | {"antecedents": []})
    return nodes
