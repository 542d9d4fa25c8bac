"""Runs a schema over the sentences of a CoNLL-U file: a line or a JSON object for each, a sum at the end."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from schemata.analysis.results import RunResult, run_result, warnings_of
from schemata.cli.draw import draw_result
from schemata.cli.main import report
from schemata.cli.options import print_json
from schemata.cli.warnings import CorpusWarnings
from schemata.engine.budget import Budget, BudgetExceeded, Interrupted
from schemata.errors import Diagnostic, GrammarError, Location, UsageError
from schemata.structures import Sentence
from schemata.workbench import ParsingSchema

if TYPE_CHECKING:
    from schemata.treebanks.conllu import BrokenSentence

__all__ = ["run_corpus"]

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
