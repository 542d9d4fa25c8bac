"""How well parsers parse: the command `evaluate`."""

from __future__ import annotations

from argparse import Namespace
from functools import partial
from itertools import combinations

from schemata.cli import command as c
from schemata.cli.main import report
from schemata.display.terminal import FORMATS, ProgressBar
from schemata.errors import Diagnostic, UsageError, did_you_mean
from schemata.records import document

_GROUPS = "label, length, arc_length, root_distance, depth or class; several with commas"


@c.command(
    c.option("gold GOLD", "the gold trees, in CoNLL-U"),
    c.option("systems SYSTEM", "what parsers make of the same text", nargs="+"),
    c.option("--by GROUPS", f"tables of words by {_GROUPS}"),
    c.flag("--no-punctuation", "leave out words whose gold tag is PUNCT"),
    c.flag("--subtypes", "compare labels with their subtypes, as in nsubj:pass"),
    c.flag("--brackets", "the files have bracketed trees: labelled brackets as EVALB counts them"),
    c.number("--resamples N", "samples of sentences for intervals and tests (1000)", 1000, above=-1),
    c.number("--seed N", "fixes the samples", 0),
    c.output("--plot FILE", "plot accuracy by distance and length as .svg, .png or .pdf"),
    c.choice("--format", FORMATS, "how tables are written"),
    c.ASCII,
    c.JSON,
    apart=(
        ("--brackets", "--by --no-punctuation --subtypes --plot"),
        ("--json", "--format"),
    ),
)
def evaluate(arguments: Namespace) -> int:
    """Compare the trees of parsers with gold trees: UAS, LAS, CLAS, exact, and non-projective arcs.

    Figures are those of the CoNLL 2018 shared task; words may be cut otherwise. With several parsers, each two are
    compared by a paired test. Exit code 2: sentences could not be compared, or are no trees.
    """
    if arguments.brackets:
        return _brackets(arguments)
    from schemata.display.evaluation import evaluations_text
    from schemata.learning.evaluation import GROUPS, Evaluation, difference
    from schemata.learning.evaluation import evaluate as evaluated

    by = [name.strip().replace("-", "_") for name in (arguments.by or "").split(",") if name.strip()]
    for name in by:
        if name not in GROUPS:
            hint = did_you_mean(name, GROUPS)
            raise UsageError(f"no groups by {name}", code="bad-option", expected=_GROUPS, hint=hint)
    if arguments.plot is not None:
        from schemata.display.plots import check_plot

        check_plot(arguments.plot)
    found: list[Evaluation] = []
    for system in arguments.systems:
        with ProgressBar(f"comparing {system}"):
            one = evaluated(
                arguments.gold,
                system,
                punctuation=not arguments.no_punctuation,
                subtypes=arguments.subtypes,
                resamples=arguments.resamples,
                seed=arguments.seed,
            )
        found.append(one)
        report(*one.skipped, *one.faults)
        if by and not any(one.groups.values()):
            message = f"no tables for {system}: its words are not those of the gold file"
            report(Diagnostic("other-words", message, severity="warning"))
    pairs = [
        difference(one, other, arguments.resamples, arguments.seed) for one, other in combinations(found, 2)
    ]
    if arguments.plot is not None:
        from schemata.display.plots import plot_accuracy

        plot_accuracy(found, arguments.plot)
    value = found[0].to_json()
    if len(found) > 1:
        value = document(
            {"parsers": [one.to_json() for one in found], "differences": [one.to_json() for one in pairs]}
        )
    text = partial(evaluations_text, found, pairs, by=by, how=arguments.format or "text")
    code = 2 if any(one.skipped or one.faults for one in found) else 0
    return c.answer(arguments, value, text, code)


def _brackets(arguments: Namespace) -> int:
    from schemata.learning.brackets import evaluate_brackets

    found = [evaluate_brackets(arguments.gold, system) for system in arguments.systems]
    for one in found:
        report(*one.skipped)
        c.answer(arguments, document(one.to_json()))
    return 2 if any(one.skipped for one in found) else 0
