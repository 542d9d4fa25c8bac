"""The command `compare`: which of its arguments is the sentence, lengths, one grammar for all schemata."""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

from schemata.analysis import compare as comparing
from schemata.analysis.figures import Figures, total
from schemata.budget import Budget
from schemata.cli import command as c
from schemata.cli.corpus import PLACES, expanded, places, worked
from schemata.cli.output import report, write
from schemata.display import comparison as shown
from schemata.display import plots
from schemata.display.terminal import Page, progress
from schemata.errors import Diagnostic, UsageError, did_you_mean
from schemata.grammars import DRules
from schemata.grammars.drules import UNREAD
from schemata.language.library import split_reference
from schemata.language.shipped import ALIASES, shipped_schemata
from schemata.language.source import SUFFIX
from schemata.records import Record
from schemata.structures import Sentence
from schemata.treebanks import Blocks
from schemata.wording import quantity
from schemata.workbench import ParsingSchema, common_grammars

_NAMES = "two or more schemata (a shipped name, NAME:k=4, or a path to a .schema file), then a sentence"


@c.command(
    c.option("names NAME", _NAMES, nargs="+"),
    c.option("--sentence TEXT", "the sentence, where it could be taken for a name"),
    c.LENGTHS,
    c.CONLLU,
    PLACES,
    c.number("--max-words N", "leave out sentences of more than N words", above=0),
    c.GRAMMAR,
    c.number("--density P", "a random grammar, which licenses each link with the probability P", kind=float),
    c.SEED,
    c.number(
        "--samples N", "N random grammars, with the seeds from that of --seed on (default 1)", 1, above=0
    ),
    c.BUDGET,
    c.ENGINE,
    c.TREE_BUDGET,
    c.flag("--no-forest", "leave out useful items, derivations and trees (faster)"),
    c.flag("--no-seconds", "leave out seconds: same output every time"),
    c.flag("--detail", "counts by item form and by step as well"),
    c.flag("--formulas", "what the rules say of counts, and why steps cost what they do"),
    c.flag("--diff", "the items that only one of two schemata derives"),
    c.MAP,
    c.number("--limit N", "at most N items with --diff are shown (default 20)", 20, above=-1),
    c.CSV,
    c.TSV,
    c.output("--plot FILE", "plot growth over lengths as .svg, .png or .pdf"),
    c.ASCII,
    c.JSON,
    needs=(
        ("--max-words --resume --scheduler", "--conllu"),
        ("--map", "--diff"),
        ("--samples", "--density"),
        ("--plot", "--lengths --conllu"),
    ),
    apart=(
        ("--density", "--grammar"),
        ("--samples", "--conllu"),
        ("--sentence", "--lengths --conllu"),
        ("--lengths", "--conllu"),
        ("--csv", "--tsv"),
        ("--csv --tsv", "--json"),
    ),
)
def compare(arguments: Namespace) -> int:
    """Compare schemata side by side: items, useful items, steps, derivations, distinct trees, seconds.

    Name the schemata first; mh:k=4 sets a parameter. The last argument is the sentence, unless it is a schema;
    --sentence, --lengths and --conllu say explicitly what to compare on. Ratios are to the first schema.
    """
    _check_options(arguments)
    names, sentence = split_arguments(arguments)
    schemata = [c.chosen_schema(name, engine=arguments.engine) for name in names]
    carrying = _carrying(schemata, arguments) if arguments.diff else None
    grammars = _grammars(schemata, arguments)
    budget = c.chosen_budget(arguments)
    if arguments.plot is not None:
        budget = budget.part(0.75)  # drawing begins with imports of a second
    comparison = _measure(schemata, grammars, budget, sentence, arguments)
    difference: comparing.ChartDifference | None = None
    if arguments.diff and not comparison.stopped:

        def subtract(words: Any) -> comparing.ChartDifference:
            a, b = (s.run(words, grammars[s.definition.grammar], budget=budget) for s in schemata)
            label_a, label_b = comparing.labels_of(schemata)
            along = carrying(a, b) if carrying else None
            return comparing.chart_difference(a, b, label_a=label_a, label_b=label_b, along=along)

        differences = map(subtract, chosen_sentences(sentence, arguments))
        when = " while charts were compared"
        found, stopped = c.heeding(budget, time.perf_counter(), when, differences)
        comparison, difference = replace(comparison, ended=stopped), next(iter(found), None)
    files = _write_files(comparison, arguments)

    columns = {"seconds": not arguments.no_seconds, "detail": arguments.detail}

    def as_text(page: Page) -> str:
        texts = [shown.comparison_text(comparison, page, limit_steps=budget.steps, **columns)]
        if comparison.skipped:
            texts.append(f"{quantity(len(comparison.skipped), 'sentence')} skipped")
        if difference is not None:
            texts.append(shown.difference_text(difference, page, arguments.limit))
        return "\n\n".join([*texts, *(f"wrote {file}" for file in files)])

    if not (arguments.csv or arguments.tsv):
        c.answer(arguments, lambda: _json(comparison, difference, files, arguments), as_text)
    if comparison.ended == "interrupt":
        return 130
    return 2 if comparison.stopped or comparison.skipped else 0


def _grammars(schemata: list[ParsingSchema], arguments: Namespace, sample: int = 0) -> Mapping[str, Any]:
    """Return the grammar for each kind that the schemata run over; of random ones, a sample."""
    if arguments.density is None:
        return c.chosen_grammars(schemata, arguments)
    chosen = DRules.random(arguments.density, arguments.seed + sample, arguments.single_root)
    return common_grammars(schemata, chosen)


def _check_options(arguments: Namespace) -> None:
    """Refuse contradictory options before anything is computed."""
    arguments.conllu, arguments.names = expanded(arguments.conllu, arguments.names)
    for how in ("csv", "tsv"):
        if getattr(arguments, how) and arguments.names[-1].casefold().endswith(f".{how}"):
            hint = f"what is printed goes to a file by > {arguments.names[-1]}"
            raise UsageError(f"--{how} takes no file", code="usage", hint=hint)
    if arguments.plot is not None:
        plots.check_plot(arguments.plot)


def _carrying(
    schemata: list[ParsingSchema], arguments: Namespace
) -> Callable[[Any, Any], comparing.Carried] | None:
    """Return the map of items between the two charts for `--diff`; None if forms of the same name
    correspond.
    """
    one = not arguments.conllu and len(arguments.lengths or "1") == 1
    if len(schemata) != 2 or not one:
        expected = "two schemata and one sentence or length"
        raise UsageError("--diff compares two charts", code="usage", expected=expected)
    from schemata.relations.consequences import carried
    from schemata.relations.mapping import corresponding

    relation = corresponding(schemata[0].definition, schemata[1].definition, arguments.map)
    return partial(carried, relation) if any(each.written for each in relation.maps) else None


def _measure(
    schemata: list[ParsingSchema],
    grammars: Mapping[str, Any],
    budget: Budget,
    sentence: str | None,
    arguments: Namespace,
) -> comparing.Comparison:
    """Return the figures."""
    counting = {"forest": not arguments.no_forest, "tree_budget": arguments.tree_budget}
    costs = comparing.costs_of(schemata) if arguments.formulas else []
    found: dict[object, comparing.SentenceFigures] = {}
    if arguments.conllu:
        made_of = schemata, grammars, budget, arguments.max_words, counting
        where = places(arguments, ("csv", "tsv", "plot", "json", "detail", "no_seconds"))
        pairs = _flat(worked(arguments.conllu, _Measurer, made_of, where, "comparing"))
        deque(_rows(pairs, found, True, budget, arguments), 0)
        return comparing.Comparison.of(schemata, found.values(), True, costs)
    sentences = list(chosen_sentences(sentence, arguments))
    samples = chain([grammars], (_grammars(schemata, arguments, k) for k in range(1, arguments.samples)))
    measured = (comparing.measurements(schemata, sentences, x, budget, **counting) for x in samples)
    results = ((0, one) for one in chain.from_iterable(measured))
    rows = _rows(results, found, arguments.samples > 1, budget, arguments)
    rows = progress(rows, len(sentences) * len(schemata) * arguments.samples, "comparing", timer=True)
    if arguments.csv or arguments.tsv:
        _write_rows(rows, len(schemata), arguments)
    deque(rows, 0)
    return comparing.Comparison.of(schemata, found.values(), False, costs)


class _Measurer(Record):
    """Measures schemata on sentences of a corpus, in a process."""

    schemata: list[ParsingSchema]
    grammars: Mapping[str, Any]
    budget: Budget
    max_words: int | None
    counting: Mapping[str, Any]

    def __call__(self, blocks: Blocks) -> tuple[tuple[list[comparing.SentenceFigures], bool], bool]:
        """Return the results, and whether Ctrl-C ended the work; they are complete if no limit was hit."""
        found: list[comparing.SentenceFigures] = []
        sentences = comparing.usable(blocks.sentences(), self.max_words)
        results = comparing.measurements(
            self.schemata, sentences, self.grammars, self.budget, skip=True, **self.counting
        )
        try:
            for one in results:
                found.append(one)
                if self.budget.end < time.monotonic():
                    return (found, False), False
        except KeyboardInterrupt:
            return (found, True), False
        return (found, False), True


def _flat(results: Iterable[Any]) -> Iterator[tuple[int, comparing.SentenceFigures]]:
    for place, (found, interrupted) in results:
        yield from ((place, one) for one in found)
        if interrupted:
            raise KeyboardInterrupt


def _of_sentence(found: comparing.Warned) -> list[Diagnostic]:
    """Return the warnings about a sentence itself: those of its grammar have been reported."""
    return [one for one in found.diagnostics if one.code != UNREAD]


def _rows(
    results: Iterable[tuple[int, comparing.SentenceFigures]],
    found: dict[object, comparing.SentenceFigures],
    summed: bool,
    budget: Budget,
    arguments: Namespace,
) -> Iterator[Figures]:
    """Yield the figures among results until limits end; report skipped and stopped runs, and warnings.

    Each result comes with the place of its file. `found` collects all results, and the limit that ended them; if
    `summed`, figures as sums over sentences of the same length.
    """
    warnings, ended, runs = c.Warnings("", "--json has them all"), None, 0
    try:
        for place, one in results:
            key: object = len(found)
            match one:
                case Figures():
                    if one.ended:
                        report(Diagnostic(f"budget-{one.ended}", shown.stop_text(one)))
                    yield one
                    runs += 1
                    key = (one.label, one.n) if summed else key
                    before = found.get(key)
                    one = replace(total([before, one]), n=one.n) if isinstance(before, Figures) else one  # noqa: PLW2901
                    ended = "seconds" if budget.left(time.perf_counter()) < 0 else None
                case comparing.Skipped():
                    line = f", line {one.line}" if one.line else ""
                    c.report_skipped(f"sentence {one.name}{line}", one.diagnostics)
                case comparing.Warned() if arguments.conllu:
                    warnings.file = arguments.conllu[place]
                    warnings.report(_of_sentence(one), one.name, one.line)
                case comparing.Warned():
                    report(*_of_sentence(one))
            found[key] = one
            if ended is not None:
                break
    except KeyboardInterrupt:
        ended = "interrupt"
    warnings.close()
    if ended == "seconds":
        report(budget.hit("seconds", f" after {quantity(runs, 'run')}"))
    if ended is not None:
        found[len(found)] = ended


# Output ----------------------------------------------------------------------------------------------------


def _write_files(comparison: comparing.Comparison, arguments: Namespace) -> list[str]:
    """Print the table and draw the plot that the options ask for; return the names of the files."""
    if (arguments.csv or arguments.tsv) and arguments.conllu:
        _write_rows(comparison.totals, len(comparison.labels), arguments)
    files: list[str] = []
    if arguments.plot is not None:
        draw = map(partial(plots.plot_growth, comparison.growth), [arguments.plot])
        budget = c.answering(c.chosen_budget(arguments))
        files += map(str, c.heeding(budget, time.perf_counter(), " while the plot was drawn", draw)[0])
    return files


def _write_rows(rows: Iterable[Figures], first: int, arguments: Namespace) -> None:
    """Print a table row by row, so that finished rows survive if the process ends."""
    between = "\t" if arguments.tsv else ","
    told = {"seconds": not arguments.no_seconds, "detail": arguments.detail}
    for line in shown.comparison_csv(rows, first, between=between, **told):
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
    UsageError : no names, nothing to run on, or a last argument that may be a name misspelt.
    """
    names: list[str] = list(arguments.names)
    if any(x is not None for x in (arguments.sentence, arguments.lengths, arguments.conllu or None)):
        return names, arguments.sentence
    sentence = names.pop()
    if _is_schema(sentence):
        message = f"nothing to compare on: the last argument, {sentence}, is a schema"
        expected = "a sentence after the schemata, --lengths 2..8, or --conllu FILE"
        hint = f"say --sentence {sentence} where it is meant as a sentence"
        raise UsageError(message, code="usage", expected=expected, hint=hint)
    near = None if " " in sentence.strip() else _nearest(sentence)
    unknown, expected = sentence, "schemata first, then a sentence"
    hint = f"{near or 'schemata list prints the names.'} If it is the sentence: --sentence {sentence}"
    strange = [name for name in names if not _is_schema(name) and not _nearest(name)]
    if names and not near and (not strange or len(names) == 1):
        return names, sentence
    if strange and len(names) > 1:
        unknown, expected = strange[0], f"{expected} in one argument"
        hint = "put the sentence in quotes; schemata list prints the names of schemata"
    message = f"there is no schema {unknown!r}{'' if names or near else ', and no other is named'}"
    raise UsageError(message, code="unknown-schema", expected=expected, hint=hint)


def _nearest(text: str) -> str | None:
    return did_you_mean(_reference(text)[0], shipped_schemata())


def _reference(text: str) -> tuple[str, Mapping[str, int]]:
    """Return a reference to a schema as a name and parameters; without these where they are wrong, as in mh:k=x."""
    try:
        return split_reference(text)
    except UsageError:
        return text.rpartition(":")[0], {}


def _is_schema(text: str) -> bool:
    """Whether an argument is a schema: a shipped name, or a path by its suffix (it need not exist).

    Files of other suffixes, and words with a slash such as cat/NOUN, are not schemata.
    """
    name, parameters = _reference(text)
    written = name.endswith(SUFFIX) or (parameters and " " not in name)
    return bool(written) or ALIASES.get(name, name) in shipped_schemata()


def chosen_sentences(sentence: str | None, arguments: Namespace) -> Iterable[Sentence]:
    """Return the sentences to compare on, where there is no corpus.

    Raises
    ------
    UsageError : an empty sentence.
    """
    if arguments.lengths is not None:
        return map(comparing.sentence_of_length, arguments.lengths)
    return [c.chosen_sentence(sentence or "", arguments.tagged)]
