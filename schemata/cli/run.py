"""Run a schema on a sentence or on every sentence of a CoNLL-U file: chart counts, derivations, trees.

A sentence prints its counts and its trees drawn as arcs; a corpus prints one line per sentence.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schemata.analysis.figures import RunResult, chart_result, run_result, warnings_json, warnings_of
from schemata.cli.main import report
from schemata.cli.options import (
    CorpusWarnings,
    add_budget_options,
    add_engine_option,
    add_grammar_options,
    add_json_option,
    add_schema_options,
    check_writable,
    chosen_budget,
    chosen_grammar,
    chosen_schema,
    chosen_sentence,
    make_directory,
    print_json,
    write_text,
)
from schemata.display.terminal import Patience
from schemata.engine.budget import Budget, BudgetExceeded, Interrupted
from schemata.errors import Diagnostic, GrammarError, Location, UsageError
from schemata.structures import Sentence
from schemata.workbench import ParsingSchema

if TYPE_CHECKING:
    from schemata.engine.chart import Chart
    from schemata.forest.derivations import Derivation
    from schemata.treebanks.conllu import BrokenSentence


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_schema_options(parser)
    parser.add_argument("sentence", nargs="*", metavar="SENTENCE", help="the words, split at blanks")
    parser.add_argument("--conllu", metavar="FILE", help="run every sentence of a CoNLL-U file")
    add_grammar_options(parser)
    add_budget_options(parser)
    add_engine_option(parser)
    parser.add_argument(
        "--limit", type=int, default=10, metavar="N", help="trees or linkages to list (default 10)"
    )
    parser.add_argument(
        "--tree-budget",
        type=int,
        metavar="N",
        help="effort to spend on counting trees or linkages exactly (300000; 20000 a sentence of a corpus)",
    )
    parser.add_argument("--ascii", action="store_true", help="draw with ASCII characters")
    add_drawing_options(parser)
    parser.add_argument(
        "--trace", action="store_true", help="print the numbered table of items with their back-pointers"
    )
    parser.add_argument("--trace-all", action="store_true", help="the same with every step instance")
    parser.add_argument(
        "--useful", action="store_true", help="in a trace, keep the items that derivations of final items use"
    )
    parser.add_argument("--latex", action="store_true", help="print the trace as a LaTeX longtable")
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the schema; 1 where a sentence is not accepted."""
    if bool(arguments.sentence) == bool(arguments.conllu):
        raise UsageError(
            Diagnostic("usage", "nothing to run on" if not arguments.conllu else "a sentence and a corpus",
                       expected="a sentence, or --conllu FILE")
        )  # fmt: skip
    if arguments.limit < 0:
        raise UsageError("--limit cannot be negative")
    if arguments.tree_budget is not None and arguments.tree_budget < 0:
        raise UsageError("--tree-budget cannot be negative")
    check_drawing_options(arguments)
    arguments.trace = arguments.trace or arguments.trace_all
    if (arguments.useful or arguments.latex) and not arguments.trace:
        raise UsageError("--useful and --latex are about a trace: add --trace")
    if arguments.trace and arguments.conllu:
        raise UsageError("--trace is of one sentence, not of a corpus")
    if arguments.latex and arguments.json:
        raise UsageError("choose one of --latex and --json")
    schema = chosen_schema(arguments.schema, arguments.set, arguments.engine)
    grammar = chosen_grammar(schema, arguments)
    budget = chosen_budget(arguments)
    if arguments.conllu:
        return run_corpus(schema, grammar, budget, arguments)
    return _run_sentence(schema, grammar, budget, arguments)


def _run_sentence(schema: ParsingSchema, grammar: Any, budget: Budget, arguments: argparse.Namespace) -> int:
    sentence = chosen_sentence(arguments.sentence, arguments.tagged)
    code = 0
    try:
        with Patience(f"running {schema.name}", None):
            chart = schema.run(sentence, grammar, budget=budget)
    except BudgetExceeded as over:
        report(*over.diagnostics)
        chart = over.chart
        code = 130 if isinstance(over, Interrupted) else 2
    report(*warnings_of(chart))
    if arguments.trace:
        _print_trace(chart, arguments)
        return code or (0 if chart.accepted else 1)
    try:
        with Patience("counting derivations and trees", None):
            result = run_result(chart, limit=arguments.limit, tree_budget=arguments.tree_budget)
    except KeyboardInterrupt:
        report(Diagnostic("interrupt", "interrupted while derivations were counted; the chart is complete"))
        result, code = chart_result(chart), 130
    drawn = draw_result(result, arguments)
    if arguments.json:
        print_json({**result.to_json(), **drawn.to_json()})
    else:
        from schemata.display.results import result_text
        from schemata.display.terminal import can_encode, terminal_width

        ascii_only = arguments.ascii or not can_encode(sys.stdout, "│─╭╮╯╰┼▼≤")
        print(result_text(result, width=terminal_width(), ascii=ascii_only))
        if more := drawn.text(width=terminal_width(), ascii=ascii_only):
            print(f"\n{more}")
    return code or (0 if chart.accepted else 1)


def _print_trace(chart: Chart, arguments: argparse.Namespace) -> None:
    from schemata.analysis.trace import trace

    found = trace(chart, arguments.useful, arguments.trace_all)
    if arguments.json:
        print_json({**found.to_json(), **warnings_json(chart)})
    elif arguments.latex:
        from schemata.display.explanations import trace_latex

        print(trace_latex(found))
    else:
        from schemata.display.explanations import trace_text
        from schemata.display.terminal import terminal_width

        print(trace_text(found, width=terminal_width()))


_CORPUS_EFFORT = 20_000  # unions spent on counting the trees of one sentence


def run_corpus(schema: ParsingSchema, grammar: Any, budget: Budget, arguments: argparse.Namespace) -> int:
    """Run every sentence of `--conllu`; 2 where one was skipped or stopped, 130 on Ctrl-C."""
    from schemata.display.results import corpus_line, corpus_summary
    from schemata.display.terminal import progress
    from schemata.treebanks.conllu import count_sentences, read_conllu

    total = count_sentences(arguments.conllu)
    skipped = accepted = done = 0
    warnings = CorpusWarnings(arguments.conllu)
    code = 0
    sentences: Iterator[Sentence | BrokenSentence] = progress(
        read_conllu(arguments.conllu), total, f"{schema.name} on {arguments.conllu}"
    )
    for number, sentence in enumerate(sentences, start=1):
        if not isinstance(sentence, Sentence):
            report(sentence.diagnostic)
            skipped += 1
            continue
        result, interrupted = _run_one(schema, grammar, budget, sentence, arguments)
        if result is None:
            skipped += 1
            continue
        done += 1
        accepted += result.chart.accepted
        if result.stopped:
            code = 2
        warnings.report(sentence.name or f"number {number}", sentence.line, warnings_of(result.chart))
        drawn = draw_result(result, arguments, f"{number:05}-{sentence.name or 'unnamed'}")
        if arguments.json:
            print_json({"sent_id": sentence.name, **result.to_json(), **drawn.to_json()})
        else:
            print(corpus_line(result, sentence, number))
        if interrupted:
            code = 130
            break
    warnings.close()
    if not arguments.json:
        print(corpus_summary(schema.name, accepted, done, skipped))
    return code or (2 if skipped else 0)


def _run_one(
    schema: ParsingSchema, grammar: Any, budget: Budget, sentence: Sentence, arguments: argparse.Namespace
) -> tuple[RunResult | None, bool]:
    """Run one sentence; None where the grammar does not fit it. Tells whether Ctrl-C was pressed."""
    interrupted = False
    try:
        chart = schema.run(sentence, grammar, budget=budget)
    except BudgetExceeded as over:
        report(*over.diagnostics)
        chart = over.chart
        interrupted = isinstance(over, Interrupted)
    except (GrammarError, UsageError) as error:
        named = " ".join(["sentence", *([sentence.name] if sentence.name else [])])
        place = Location(arguments.conllu, sentence.line, 1) if sentence.line else None
        for found in error.diagnostics:
            report(Diagnostic(found.code, f"{named} skipped: {found.message}", place, hint=found.hint))
        return None, False
    effort = _CORPUS_EFFORT if arguments.tree_budget is None else arguments.tree_budget
    return run_result(chart, limit=arguments.limit, tree_budget=effort), interrupted


_LONGEST_NAME = 60  # characters of a sent_id that a file's name takes over


@dataclass(frozen=True, slots=True)
class Drawn:
    """What was asked for of one result: its first derivations, and the files that were written."""

    derivations: tuple[Derivation, ...] | None = None
    files: tuple[Path, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return what to add to the result's JSON object."""
        found: dict[str, Any] = {}
        if self.derivations is not None:
            found["derivation_trees"] = [_flat(derivation) for derivation in self.derivations]
        if self.files:
            found["files"] = [str(path) for path in self.files]
        return found

    def text(self, *, width: int, ascii: bool) -> str:
        """Return what to print after the result's text."""
        from schemata.display.derivations import derivation_text

        parts = [
            f"derivation {number}:\n{derivation_text(derivation, width=width, ascii=ascii)}"
            for number, derivation in enumerate(self.derivations or (), start=1)
        ]
        if self.files:
            parts.append("\n".join(f"wrote {path}" for path in self.files))
        return "\n\n".join(parts)


def add_drawing_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--derivations", type=int, metavar="N", help="print the first N derivations")
    parser.add_argument(
        "--svg", metavar="DIR", help="write the listed trees (and derivations) into a directory as SVG"
    )
    parser.add_argument("--dot", metavar="FILE", help="write the forest in DOT, for Graphviz")


def check_drawing_options(arguments: argparse.Namespace) -> None:
    """Refuse options that make no sense, and make the directory, before anything is computed.

    Raises
    ------
    UsageError : a negative number of derivations, a directory that cannot be made, an option for one
        sentence together with a corpus.
    """
    if arguments.derivations is not None and arguments.derivations < 0:
        raise UsageError("--derivations cannot be negative")
    if arguments.conllu:
        for option in ("derivations", "dot"):
            if getattr(arguments, option) is not None:
                raise UsageError(
                    Diagnostic(
                        "usage",
                        f"--{option} is for one sentence, not for a corpus",
                        hint="give the sentence itself; --svg DIR works for both",
                    )
                )
    if arguments.svg is not None:
        make_directory(arguments.svg)
    if arguments.dot is not None:
        check_writable(arguments.dot)


def draw_result(result: RunResult, arguments: argparse.Namespace, name: str = "") -> Drawn:
    """Write the pictures of one result and collect its derivations, as the options ask for.

    Parameters
    ----------
    result : the result.
    arguments : the options.
    name : what the sentence is called, first part of its files' names; empty for none.

    Raises
    ------
    UsageError : a file cannot be written.
    """
    derivations = None
    if arguments.derivations is not None:
        derivations = tuple(result.chart.forest().derivations(arguments.derivations))
    files: list[Path] = []
    if arguments.svg is not None:
        files += _write_svg(Path(arguments.svg), result, derivations or (), name)
    if arguments.dot is not None:
        from schemata.display.derivations import forest_dot

        files.append(write_text(arguments.dot, forest_dot(result.chart.forest())))
    return Drawn(derivations, tuple(files))


def _write_svg(folder: Path, result: RunResult, derivations: tuple[Derivation, ...], name: str) -> list[Path]:
    from schemata.display.arcs import told_apart
    from schemata.display.svg import derivation_svg, draw_arcs_svg, draw_linkage_svg

    words = result.chart.sentence.words
    start = f"{re.sub(r'[^A-Za-z0-9._-]+', '-', name)[:_LONGEST_NAME]}-" if name else ""
    pictures = [("tree", draw_arcs_svg(words, tree.heads)) for tree in result.trees]
    pictures += [
        ("linkage", draw_linkage_svg(linkage, partners=marked))
        for linkage, marked in zip(result.linkages, told_apart(result.linkages), strict=True)
    ]
    trees = len(pictures)
    pictures += [("derivation", derivation_svg(derivation)) for derivation in derivations]
    files = []
    for k, (kind, svg) in enumerate(pictures):
        number, total = (k + 1, trees) if k < trees else (k - trees + 1, len(pictures) - trees)
        # Leading zeros, so that names sort as numbers do.
        files.append(write_text(folder / f"{start}{kind}-{number:0{len(str(total))}}.svg", svg))
    return files


def _flat(derivation: Derivation) -> list[dict[str, Any]]:
    """Return a derivation as a list of its nodes in preorder: nested objects could not be that deep."""
    nodes: list[dict[str, Any]] = []
    above: list[int] = []
    for number, (depth, node) in enumerate(derivation.walk()):
        del above[depth:]
        if above:
            nodes[above[-1]]["antecedents"].append(number)
        above.append(number)
        nodes.append(
            {
                "item": str(node.item),
                "step": node.step,
                "case": node.case,
                "links": [list(link) for link in node.links],
                "antecedents": [],
            }
        )
    return nodes
