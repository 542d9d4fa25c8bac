"""Weights of grammars from sentences alone: the command `estimate`."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from schemata.cli import command as c
from schemata.cli.corpus import usable
from schemata.cli.output import report, write
from schemata.display.terminal import progress
from schemata.errors import Diagnostic, TreebankError, UsageError
from schemata.records import document
from schemata.structures import Sentence
from schemata.text_files import lines_of, read_file, write_text
from schemata.wording import quantity

if TYPE_CHECKING:
    from schemata.learning.estimation import Iteration

_TEXT = (
    "sentences: a line each, words between blanks; or a treebank in CoNLL-U, whose trees are not looked at"
)
_GIVEN = 'of facts, what is a distribution: "next: after" are the facts of next by their argument after'
_LINES = "a sentence in each line"
_LARGEST = 1 << 28  # bytes of a text
_LONGEST = 1 << 16  # characters of a line


@c.command(
    c.SCHEMA,
    c.option("file TEXT", _TEXT, type=c.corpus_file),
    c.GRAMMAR,
    c.output("-o --output FILE", "write the grammar with its new weights to a file"),
    c.several("--given FACTS", _GIVEN),
    c.number("--iterations N", "iterations of each start, at most (default 100)", 100, above=0),
    c.number(
        "--tolerance X",
        "end when an iteration gains less than this share (default 1e-6)",
        1e-6,
        above=-1,
        kind=float,
    ),
    c.number(
        "--starts N",
        "begin with random weights, N times, and keep the best (default 0: those of the grammar)",
        0,
        above=-1,
    ),
    c.SEED,
    c.BUDGET,
    c.ENGINE,
    c.JSON,
)
def estimate(arguments: Namespace) -> int:
    """Estimate the weights of a grammar's rules or facts from sentences alone, by expectation maximisation.

    The grammar says which rules there are, and perhaps with which weights to start; the file that is written has the
    same ones with weights under which the sentences are most likely, in the neighbourhood of the start. An estimation
    that was ended goes on when the command is given again. Exit code 2: sentences could not be used.
    """
    from schemata.grammars.parameters import grammar_text
    from schemata.learning.estimation import Estimation
    from schemata.learning.estimation import estimate as estimated

    if arguments.output is None:
        raise UsageError("there is no file for the grammar", code="usage", expected="-o FILE")
    schema = c.chosen_schema(arguments.schema, arguments.set, arguments.engine)
    grammar = c.chosen_grammar(schema, Namespace(**{**vars(arguments), "sentence": None}))
    skipped: list[Diagnostic] = []
    sentences = list(_sentences(arguments.file, arguments.tagged, skipped))
    broken = len(skipped)

    def watch(each: Sequence[Any]) -> Iterator[Any]:
        return iter(progress(each, len(each), "parsing the sentences"))

    budget = c.chosen_budget(arguments)
    estimation = Estimation(
        schema, grammar, sentences, given=arguments.given, budget=budget, skipped=skipped, watch=watch
    )
    report(*skipped[broken:])
    if estimation.doubt is not None:
        report(Diagnostic("ambiguous", f"the likelihood is over {estimation.doubt}", severity="warning"))
    iterations: list[Iteration] = []

    def note(one: Iteration) -> None:
        iterations.append(one)
        start = f"start {one.start}, " if arguments.starts > 1 else ""
        write(f"{start}iteration {one.number}: log-likelihood {one.log_likelihood:.6g}\n", sys.stderr)

    found = estimated(
        estimation,
        iterations=arguments.iterations,
        tolerance=arguments.tolerance,
        starts=arguments.starts,
        seed=arguments.seed,
        kept=f"{arguments.output}.estimate",
        on_iteration=note,
    )
    corpus = quantity(estimation.sentences, "sentence")
    header = [f"weights estimated from {corpus}, log-likelihood {found.log_likelihood:.12g}"]
    write_text(arguments.output, grammar_text(found.grammar, header))
    value = {
        "grammar": arguments.output,
        "parameters": len(estimation.keys),
        "sentences": estimation.sentences,
        "log_likelihood": found.log_likelihood,
        "converged": found.converged,
        "iterations": [one.to_json() for one in iterations],
        "skipped": len(skipped),
    }
    end = "" if found.converged else ", which did not converge"
    text = f"{arguments.output}: {quantity(len(estimation.keys), 'weight')} from {corpus}; log-likelihood"
    text += f" {found.log_likelihood:.6g} after {quantity(found.iterations, 'iteration')}{end}"
    c.answer(arguments, document(value), text)
    return 2 if skipped else 0


def _sentences(file: str, tagged: bool, skipped: list[Diagnostic]) -> Iterator[str | Sentence]:
    """Yield the sentences of a file; findings about those that cannot be read are reported, and noted."""
    if file.endswith(".conllu"):
        from schemata.treebanks import read_conllu

        yield from usable(read_conllu(file), file, skipped)
        return
    for line in lines_of(read_file(file, TreebankError, _LINES, _LARGEST), file, TreebankError, _LONGEST):
        if line.strip():
            yield c.chosen_sentence(line, tagged) if tagged else line
