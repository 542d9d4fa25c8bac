"""Compare schemata side by side: items, useful items, steps, derivations, distinct trees, seconds.

Name the schemata first; mh:k=4 sets a parameter. The last argument is the sentence, unless it is a schema;
--sentence, --lengths and --conllu say explicitly what to compare on. Ratios are to the first schema.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schemata.analysis.compare import (
    Comparison,
    Figures,
    Skipped,
    Warned,
    chart_difference,
    labels_of,
    measurements,
)
from schemata.cli.compared import chosen_grammars, chosen_sentences, split_arguments
from schemata.cli.files import check_writable, write_text
from schemata.cli.main import report
from schemata.cli.options import (
    add_budget_options,
    add_engine_option,
    add_grammar_options,
    add_json_option,
    chosen_budget,
    chosen_schema,
    print_json,
)
from schemata.cli.warnings import CorpusWarnings
from schemata.errors import Diagnostic, UsageError
from schemata.structures import Sentence
from schemata.workbench import ParsingSchema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schemata.analysis.compare import ChartDifference
    from schemata.engine.budget import Budget

__all__ = ["configure", "run"]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument(
        "names",
        nargs="+",
        metavar="NAME",
        help="two or more schemata (a shipped name, NAME:k=4, or a path to a .schema file), then a sentence",
    )
    parser.add_argument("--sentence", metavar="TEXT", help="the sentence, where it could be taken for a name")
    parser.add_argument(
        "--lengths", metavar="L", help="sentences of these numbers of words: 2..12, or 4,8,16"
    )
    parser.add_argument("--conllu", metavar="FILE", help="every sentence of a CoNLL-U file, in total")
    parser.add_argument("--max-words", type=int, metavar="N", help="leave out longer sentences of the corpus")
    add_grammar_options(parser)
    add_budget_options(parser)
    add_engine_option(parser)
    parser.add_argument("--tree-budget", type=int, metavar="N", help="effort to spend on counting trees")
    parser.add_argument(
        "--no-forest", action="store_true", help="leave out useful items, derivations and trees (faster)"
    )
    parser.add_argument("--no-seconds", action="store_true", help="leave out seconds: same output every time")
    parser.add_argument("--detail", action="store_true", help="counts by item form and by step as well")
    parser.add_argument("--diff", action="store_true", help="the items that only one of two schemata derives")
    parser.add_argument(
        "--limit", type=int, default=20, metavar="N", help="items listed by --diff (default 20)"
    )
    parser.add_argument(
        "--csv", nargs="?", const="-", metavar="FILE", help="write comma-separated values (FILE, or here)"
    )
    parser.add_argument("--plot", metavar="FILE", help="plot growth over lengths as .svg, .png or .pdf")
    parser.add_argument("--ascii", action="store_true", help="draw with ASCII characters")
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Compare; 2 where a run hit its budget or a sentence was skipped."""
    _check_options(arguments)
    names, sentence = split_arguments(arguments)
    schemata = [chosen_schema(name, engine=arguments.engine) for name in names]
    if arguments.diff:
        _check_diff(schemata, arguments)
    grammars = chosen_grammars(schemata, arguments)
    budget = chosen_budget(arguments)
    comparison, interrupted = _measure(schemata, grammars, budget, sentence, arguments)
    difference = None
    if arguments.diff and not comparison.stopped and not interrupted:
        difference = _difference(schemata, grammars, budget, sentence, arguments)
    _print(comparison, difference, budget, arguments)
    if interrupted:
        return 130
    return 2 if comparison.stopped or comparison.skipped else 0


def _check_options(arguments: argparse.Namespace) -> None:
    """Refuse what makes no sense before anything is computed."""
    if arguments.csv not in (None, "-") and not arguments.csv.lower().endswith(".csv"):
        if arguments.sentence or arguments.lengths or arguments.conllu:
            raise UsageError(
                Diagnostic(
                    "bad-option",
                    f"--csv {arguments.csv!r} is no .csv file",
                    expected="--csv, or --csv FILE.csv",
                )
            )
        # `--csv "a b c"`: what follows is the sentence, not a file.
        arguments.names.append(arguments.csv)
        arguments.csv = "-"
    if arguments.csv == "-" and arguments.json:
        raise UsageError("--csv and --json exclude each other; --csv FILE.csv goes with --json")
    for option in ("limit", "tree_budget"):
        if (getattr(arguments, option) or 0) < 0:
            raise UsageError(f"--{option.replace('_', '-')} cannot be negative")
    if arguments.max_words is not None and (arguments.max_words < 1 or arguments.conllu is None):
        raise UsageError("--max-words is a positive number and goes with --conllu FILE")
    if arguments.csv not in (None, "-"):
        check_writable(arguments.csv)
    if arguments.plot is not None:
        from schemata.display.growth import check_plot

        if arguments.lengths is None and arguments.conllu is None:
            raise UsageError("--plot shows growth over lengths: give --lengths 2..12, or --conllu FILE")
        check_writable(arguments.plot)
        check_plot(arguments.plot)


def _check_diff(schemata: list[ParsingSchema], arguments: argparse.Namespace) -> None:
    one = arguments.conllu is None and (arguments.lengths or "1").strip().isdigit()
    if len(schemata) != 2 or not one:
        raise UsageError(
            Diagnostic(
                "usage", "--diff compares two charts", expected="two schemata and one sentence or length"
            )
        )


def _measure(
    schemata: list[ParsingSchema],
    grammars: Mapping[str, Any],
    budget: Budget,
    sentence: str | None,
    arguments: argparse.Namespace,
) -> tuple[Comparison, bool]:
    """Return the figures, and whether Ctrl-C cut them short."""
    from schemata.display.patience import Patience

    sentences, count = chosen_sentences(sentence, arguments)
    results = measurements(
        schemata,
        sentences,
        grammars,
        budget,
        forest=not arguments.no_forest,
        tree_budget=arguments.tree_budget,
        skip=arguments.conllu is not None,
    )
    rows: list[Figures] = []
    skipped: list[Skipped] = []
    warned: list[Warned] = []
    interrupted = False
    with Patience("comparing", None if count is None else count * len(schemata)) as patience:
        try:
            for found in results:
                if isinstance(found, Skipped):
                    skipped.append(found)
                    patience.advance(len(schemata))
                elif isinstance(found, Warned):
                    warned.append(found)
                else:
                    rows.append(found)
                    patience.advance()
        except KeyboardInterrupt:
            interrupted = True
    comparison = Comparison(labels_of(schemata), tuple(rows), tuple(skipped), tuple(warned))
    _report(comparison, arguments.conllu)
    return comparison, interrupted


def _report(comparison: Comparison, corpus: str | None) -> None:
    """Write what was skipped and stopped, and warnings about sentences."""
    from schemata.display.compare import stop_text

    if corpus is None:
        report(*(warning for one in comparison.warned for warning in one.warnings))
    else:
        warnings = CorpusWarnings(corpus)
        for one in comparison.warned:
            warnings.report(one.name, one.line, one.warnings)
        warnings.close()
    for left_out in comparison.skipped:
        place = f", line {left_out.line}" if left_out.line else ""
        for found in left_out.diagnostics:
            message = f"sentence {left_out.name}{place} skipped: {found.message}"
            report(Diagnostic(found.code, message, found.location, hint=found.hint))
    for row in comparison.rows:
        if row.stopped:
            report(Diagnostic(f"budget-{row.stopped}", stop_text(row)))


def _difference(
    schemata: list[ParsingSchema],
    grammars: Mapping[str, Any],
    budget: Budget,
    sentence: str | None,
    arguments: argparse.Namespace,
) -> ChartDifference:
    sentences, _ = chosen_sentences(sentence, arguments)
    words = next(sentences)
    assert isinstance(words, Sentence)
    a, b = (s.run(words, grammars[s.definition.grammar], budget=budget) for s in schemata)
    labels = labels_of(schemata)
    return chart_difference(a, b, label_a=labels[0], label_b=labels[1])


# Output ---------------------------------------------------------------------------------------------


def _print(
    comparison: Comparison,
    difference: ChartDifference | None,
    budget: Budget,
    arguments: argparse.Namespace,
) -> None:
    in_total = arguments.conllu is not None
    written: list[str] = []
    if arguments.csv is not None:
        from schemata.display.compare_csv import comparison_csv

        text = comparison_csv(
            comparison, in_total=in_total, seconds=not arguments.no_seconds, detail=arguments.detail
        )
        if arguments.csv == "-":
            sys.stdout.write(text)
        else:
            written.append(str(write_text(arguments.csv, text)))
    if arguments.plot is not None:
        from schemata.display.growth import plot_growth

        plot_growth(comparison.growth, arguments.plot)
        written.append(str(Path(arguments.plot)))
    if arguments.json:
        print_json(_json(comparison, difference, written, arguments))
    elif arguments.csv != "-":
        print(_text(comparison, difference, budget, arguments))
        for file in written:
            print(f"\nwrote {file}")


def _text(
    comparison: Comparison,
    difference: ChartDifference | None,
    budget: Budget,
    arguments: argparse.Namespace,
) -> str:
    from schemata.display.compare import Look, comparison_text
    from schemata.display.differences import difference_text
    from schemata.display.terminal import can_encode, terminal_width, use_colour

    ascii_only = arguments.ascii or not can_encode(sys.stdout, "─×≥")
    look = Look(
        terminal_width(),
        ascii_only,
        use_colour(sys.stdout),
        seconds=not arguments.no_seconds,
        detail=arguments.detail,
    )
    in_total = arguments.conllu is not None
    parts = [comparison_text(comparison, look, in_total=in_total, limit_steps=budget.steps)]
    if comparison.skipped:
        count = len(comparison.skipped)
        parts.append(f"{count:,} sentence{'s' if count > 1 else ''} skipped")
    if difference is not None:
        parts.append(difference_text(difference, limit=arguments.limit, width=look.width, ascii=ascii_only))
    return "\n\n".join(parts)


def _json(
    comparison: Comparison,
    difference: ChartDifference | None,
    written: list[str],
    arguments: argparse.Namespace,
) -> dict[str, Any]:
    rows = comparison.totals if arguments.conllu is not None else comparison.rows
    found: dict[str, Any] = {"rows": [row.to_json() for row in rows]}
    if arguments.no_seconds:
        for row in found["rows"]:
            del row["seconds"]
    if arguments.lengths is not None or arguments.conllu is not None:
        found["growth"] = [growth.to_json() for growth in comparison.growth]
    if arguments.conllu is not None:
        found["skipped"] = [one.to_json() for one in comparison.skipped]
    if comparison.warned:
        found["warnings"] = [one.to_json() for one in comparison.warned]
    if difference is not None:
        found["difference"] = difference.to_json()
    if written:
        found["files"] = written
    if comparison.stopped:
        found["stopped"] = comparison.stopped
    return found
