"""The command `compare`: which of its arguments is the sentence, lengths, one grammar for all schemata."""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schemata.analysis import compare as comparing
from schemata.analysis.figures import Figures, total
from schemata.cli import command as c
from schemata.cli.main import report, write
from schemata.display import comparison as shown
from schemata.display.terminal import Page, ProgressBar
from schemata.errors import Diagnostic, UsageError, did_you_mean
from schemata.language.library import ALIASES, shipped_schemata, split_reference
from schemata.language.source import SUFFIX
from schemata.structures import Sentence
from schemata.wording import quantity
from schemata.workbench import ParsingSchema

if TYPE_CHECKING:
    from schemata.budget import Budget, Reason


@c.command(
    c.option(
        "names",
        "NAME",
        "two or more schemata (a shipped name, NAME:k=4, or a path to a .schema file), then a sentence",
        nargs="+",
    ),
    c.option("--sentence", "TEXT", "the sentence, where it could be taken for a name"),
    c.option("--lengths", "L", "sentences of these numbers of words: 2..12, or 4,8,16"),
    c.option("--conllu", "FILE", "every sentence of a CoNLL-U file, in total; example: a shipped one"),
    c.number("--max-words", "N", "leave out longer sentences of the corpus"),
    c.GRAMMAR,
    c.BUDGET,
    c.ENGINE,
    c.number("--tree-budget", "N", "effort to spend on counting trees"),
    c.flag("--no-forest", "leave out useful items, derivations and trees (faster)"),
    c.flag("--no-seconds", "leave out seconds: same output every time"),
    c.flag("--detail", "counts by item form and by step as well"),
    c.flag("--diff", "the items that only one of two schemata derives"),
    c.number("--limit", "N", "items listed by --diff (default 20)", 20),
    c.option("--csv", "FILE", "write comma-separated values (FILE, or here)", nargs="?", const="-"),
    c.option("--plot", "FILE", "plot growth over lengths as .svg, .png or .pdf"),
    c.ASCII,
    c.JSON,
)
def compare(arguments: Namespace) -> int:
    """Compare schemata side by side: items, useful items, steps, derivations, distinct trees, seconds.

    Name the schemata first; mh:k=4 sets a parameter. The last argument is the sentence, unless it is a schema;
    --sentence, --lengths and --conllu say explicitly what to compare on. Ratios are to the first schema.
    """
    _check_options(arguments)
    names, sentence = split_arguments(arguments)
    schemata = [c.chosen_schema(name, engine=arguments.engine) for name in names]
    if arguments.diff:
        _check_diff(schemata, arguments)
    grammars = c.chosen_grammars(schemata, arguments)
    budget = c.chosen_budget(arguments)
    if arguments.plot is not None:
        budget = budget.part(0.75)  # drawing begins with imports of a second
    comparison = _measure(schemata, grammars, budget, sentence, arguments)
    difference: comparing.ChartDifference | None = None
    if arguments.diff and not comparison.stopped:

        def subtract() -> None:
            nonlocal difference
            words = next(chosen_sentences(sentence, arguments)[0])
            assert isinstance(words, Sentence)
            a, b = (s.run(words, grammars[s.definition.grammar], budget=budget) for s in schemata)
            label_a, label_b = comparing.labels_of(schemata)
            difference = comparing.chart_difference(a, b, label_a=label_a, label_b=label_b)

        stopped = c.heeding(budget, time.perf_counter(), " while charts were compared", subtract)
        comparison = replace(comparison, ended=stopped)
    files = _write_files(comparison, arguments)

    columns = {"seconds": not arguments.no_seconds, "detail": arguments.detail}

    def as_text(page: Page) -> str:
        texts = [shown.comparison_text(comparison, page, limit_steps=budget.steps, **columns)]
        if comparison.skipped:
            texts.append(f"{quantity(len(comparison.skipped), 'sentence')} skipped")
        if difference is not None:
            texts.append(shown.difference_text(difference, page, arguments.limit))
        return "\n\n".join([*texts, *(f"wrote {file}" for file in files)])

    if arguments.csv != "-":
        c.answer(arguments, lambda: _json(comparison, difference, files, arguments), as_text)
    if comparison.ended == "interrupt":
        return 130
    return 2 if comparison.stopped or comparison.skipped else 0


def _check_options(arguments: Namespace) -> None:
    """Refuse what makes no sense before anything is computed."""
    arguments.conllu = c.corpus_file(arguments.conllu)
    if arguments.csv not in (None, "-") and not arguments.csv.lower().endswith(".csv"):
        if arguments.sentence or arguments.lengths or arguments.conllu:
            message = f"--csv {arguments.csv!r} is no .csv file"
            raise UsageError(message, code="bad-option", expected="--csv, or --csv FILE.csv")
        # `--csv "a b c"`: what follows is the sentence, not a file.
        arguments.names.append(arguments.csv)
        arguments.csv = "-"
    if arguments.csv == "-" and arguments.json:
        raise UsageError("--csv and --json exclude each other; --csv FILE.csv goes with --json")
    c.at_least(0, arguments, "limit", "tree_budget")
    if arguments.max_words is not None and (arguments.max_words < 1 or arguments.conllu is None):
        raise UsageError("--max-words is a positive number and goes with --conllu FILE")
    if arguments.csv not in (None, "-"):
        c.check_writable(arguments.csv)
    if arguments.plot is not None:
        if arguments.lengths is None and arguments.conllu is None:
            raise UsageError("--plot shows growth over lengths: give --lengths 2..12, or --conllu FILE")
        c.check_writable(arguments.plot)
        shown.check_plot(arguments.plot)


def _check_diff(schemata: list[ParsingSchema], arguments: Namespace) -> None:
    one = arguments.conllu is None and (arguments.lengths or "1").strip().isdigit()
    if len(schemata) != 2 or not one:
        expected = "two schemata and one sentence or length"
        raise UsageError("--diff compares two charts", code="usage", expected=expected)


def _measure(
    schemata: list[ParsingSchema],
    grammars: Mapping[str, Any],
    budget: Budget,
    sentence: str | None,
    arguments: Namespace,
) -> comparing.Comparison:
    """Return the figures."""
    found = _Found(comparing.labels_of(schemata), budget, arguments)
    sentences, count = chosen_sentences(sentence, arguments)
    results = comparing.measurements(
        schemata,
        sentences,
        grammars,
        budget,
        forest=not arguments.no_forest,
        tree_budget=arguments.tree_budget,
        skip=arguments.conllu is not None,
    )
    with ProgressBar("comparing", None if count is None else count * len(schemata)) as bar:
        rows = found.rows(results, bar)
        if arguments.csv is None or arguments.conllu:
            deque(rows, 0)
        else:
            _write_csv(rows, len(schemata), arguments)
    return found.comparison()


class _Found:
    """What is found, sentence by sentence: of a corpus, sums by length; else the figures of every run."""

    def __init__(self, labels: tuple[str, ...], budget: Budget, arguments: Namespace) -> None:
        self.labels, self.budget, self.corpus = labels, budget, arguments.conllu
        self.as_json: bool = arguments.json
        self.kept: dict[tuple[str, int | None, int], Figures] = {}
        self.skipped: list[comparing.Skipped] = []
        self.warned: list[comparing.Warned] = []
        self.ended: Reason | None = None

    def rows(
        self, results: Iterator[Figures | comparing.Skipped | comparing.Warned], bar: ProgressBar
    ) -> Iterator[Figures]:
        """Yield the figures until limits end; what was skipped and stopped, and warnings, are reported meanwhile."""
        warnings = c.CorpusWarnings(self.corpus or "")
        try:
            for one in results:
                if isinstance(one, comparing.Warned):
                    self.warned += [one] if self.as_json else []
                    if self.corpus is None:
                        report(*one.diagnostics)
                    else:
                        warnings.report(one.name, one.line, one.diagnostics)
                    continue
                if isinstance(one, comparing.Skipped):
                    self.skipped.append(one)
                    place = f", line {one.line}" if one.line else ""
                    c.report_skipped(f"sentence {one.name}{place}", one.diagnostics)
                    bar.advance(len(self.labels))
                    continue
                self._keep(one)
                yield one
                bar.advance(1)
                if self.budget.left(time.perf_counter()) < 0:
                    self.ended = "seconds"
                    break
        except KeyboardInterrupt:
            self.ended = "interrupt"
        warnings.close()
        if self.ended == "seconds":
            made = quantity(sum(row.sentences for row in self.kept.values()), "run")
            report(self.budget.hit("seconds", f" after {made}"))

    def comparison(self) -> comparing.Comparison:
        """Return all of it."""
        rows, in_total = tuple(self.kept.values()), self.corpus is not None
        found = tuple(self.skipped), tuple(self.warned)
        return comparing.Comparison(self.labels, rows, *found, in_total, self.ended)

    def _keep(self, row: Figures) -> None:
        if row.ended:
            report(Diagnostic(f"budget-{row.ended}", shown.stop_text(row)))
        key = row.label, row.n, 0 if self.corpus else len(self.kept)
        before = self.kept.get(key)
        self.kept[key] = row if before is None else replace(total([before, row]), n=row.n)


# Output ----------------------------------------------------------------------------------------------------


def _write_files(comparison: comparing.Comparison, arguments: Namespace) -> list[str]:
    """Write the table and the plot that the options ask for; return the names of the files."""
    files: list[str] = []
    if arguments.csv is not None and arguments.conllu:
        _write_csv(comparison.totals, len(comparison.labels), arguments)
    if arguments.csv not in (None, "-"):
        files.append(arguments.csv)
    if arguments.plot is not None:
        draw = partial(shown.plot_growth, comparison.growth, arguments.plot)
        budget = c.answering(c.chosen_budget(arguments))
        c.heeding(budget, time.perf_counter(), " while the plot was drawn", lambda: files.append(str(draw())))
    return files


def _write_csv(rows: Iterable[Figures], first: int, arguments: Namespace) -> None:
    """Write a table as it grows: what is done stays, whatever ends the process."""
    lines = shown.comparison_csv(rows, first, seconds=not arguments.no_seconds, detail=arguments.detail)
    if arguments.csv != "-":
        c.write_lines(arguments.csv, lines)
        return
    for line in lines:
        write(line)
        sys.stdout.flush()


def _json(
    comparison: comparing.Comparison,
    difference: comparing.ChartDifference | None,
    written: list[str],
    arguments: Namespace,
) -> dict[str, Any]:
    value = comparison.to_json()
    if arguments.no_seconds:
        for row in value["rows"]:
            del row["seconds"]
    value |= {} if difference is None else {"difference": difference.to_json()}
    return value | ({"files": written} if written else {})


# Arguments -------------------------------------------------------------------------------------------------


def split_arguments(arguments: Namespace) -> tuple[list[str], str | None]:
    """Return the names of schemata, and the sentence if there is one.

    Names come first. The last argument is the sentence unless it is a schema; with `--sentence`, `--lengths`
    or `--conllu` all arguments are names.

    Raises
    ------
    UsageError : no names, nothing to run on or more than one thing, or a last argument that may be a name
        misspelt.
    """
    names: list[str] = list(arguments.names)
    options = [f"--{o}" for o in ("sentence", "lengths", "conllu") if getattr(arguments, o) is not None]
    if len(options) > 1:
        raise UsageError(f"{' and '.join(options)} exclude each other", code="usage")
    if options:
        return names, arguments.sentence
    if _is_schema(names[-1]):
        raise UsageError(
            f"nothing to compare on: the last argument, {names[-1]}, is a schema",
            code="usage",
            expected="a sentence after the schemata, --lengths 2..8, or --conllu FILE",
            hint=f"say --sentence {names[-1]} where it is meant as a sentence",
        )
    sentence = names.pop()
    near = None if " " in sentence.strip() else _nearest(sentence)
    if near or not names:
        raise UsageError(
            f"there is no schema {sentence!r}" + ("" if near else ", and no other is named"),
            code="unknown-schema",
            expected="schemata first, then a sentence",
            hint=f"{near or 'schemata list prints the names.'} If it is the sentence: --sentence {sentence}",
        )
    strange = next((name for name in names if not _is_schema(name) and not _nearest(name)), None)
    if strange is not None and len(arguments.names) > 2:
        raise UsageError(
            f"there is no schema {strange!r}",
            code="unknown-schema",
            expected="schemata first, then a sentence in one argument",
            hint="put the sentence in quotes; schemata list prints the names of schemata",
        )
    return names, sentence


def _nearest(text: str) -> str | None:
    return did_you_mean(_name_of(text), shipped_schemata())


def _name_of(text: str) -> str:
    """Return what stands before the parameters of a reference, or the text where it is none."""
    try:
        return split_reference(text)[0]
    except UsageError:
        return text.rpartition(":")[0]


def _is_schema(text: str) -> bool:
    """Tell whether an argument is a schema: a shipped name, or a path by its suffix (it need not exist)."""
    try:
        name, parameters = split_reference(text)
    except UsageError:  # like mh:k=x: no sentence looks so
        return text.rpartition(":")[0] in shipped_schemata()
    if name.endswith(SUFFIX) or (parameters and " " not in name):
        return True
    # Other files than .schema, and words with a slash such as cat/NOUN, are no schemata.
    return ALIASES.get(name, name) in shipped_schemata()


def chosen_sentences(
    sentence: str | None, arguments: Namespace
) -> tuple[Iterator[Sentence | comparing.Skipped], int | None]:
    """Return the sentences to compare on and how many there are, None where that is not known.

    Raises
    ------
    UsageError : an empty sentence, lengths that make no sense.
    TreebankError : the corpus cannot be read.
    """
    if arguments.lengths is not None:
        lengths = c.parse_lengths(arguments.lengths)
        return comparing.sentences_of(lengths), len(lengths)
    if arguments.conllu is None:
        return iter([c.chosen_sentence(sentence or "", arguments.tagged)]), 1
    from schemata.treebanks.conllu import count_sentences

    corpus = Path(arguments.conllu)
    return comparing.sentences_of(corpus, arguments.max_words), count_sentences(corpus)
