"""Costs of schemata and their coverage: the commands `complexity` and `coverage`, and their output."""

from __future__ import annotations

from argparse import Namespace
from functools import partial
from typing import TYPE_CHECKING

from schemata.analysis.complexity import COUNTING
from schemata.analysis.complexity import complexity as cost_of
from schemata.budget import Reason
from schemata.cli import command as c
from schemata.cli.corpus import PLACES, expanded, places, worked
from schemata.cli.output import report, write
from schemata.display.costs import (
    complexity_text,
    coverage_csv,
    coverage_text,
    improvement_text,
    planes_text,
    time_of,
)
from schemata.display.terminal import FORMATS, ProgressBar, page, progress, tabulated
from schemata.errors import Diagnostic, UsageError
from schemata.kinds import D_RULES
from schemata.records import replace
from schemata.wording import listing, quantity
from schemata.workbench import ParsingSchema

if TYPE_CHECKING:
    pass


_FOLDS = "with --improve: cut no items in halves, so that what is found is a step refinement"
_FILES = "treebanks in CoNLL-U; example: a shipped one"
_PLANES = "planar, 2-planar and 3-planar trees of all treebanks in one table, with Switches a word"


@c.command(
    c.SCHEMA,
    c.flag("--degrees", "only degrees, no formulas: nothing is counted"),
    c.flag("--improve", "look for a schema of a lower degree; degrees only"),
    c.flag("--folds-only", _FOLDS),
    c.CLASS,
    c.BUDGET,
    c.ASCII,
    c.JSON,
    needs=(("--class", "--improve"), ("--folds-only", "--improve")),
)
def complexity(arguments: Namespace) -> int:
    """Print the cost of a schema, from its rules: time and space, the bottleneck, formulas in n for its
    counts.

    Formulas are those under a grammar that licenses every link: proved, or else determined by counts at short lengths,
    within the limits (20 s by default). Exit code 0, or 2 where a limit left formulas open.
    With --improve: fold the costliest steps, and cut items around a head in halves; print a schema of a lower degree,
    with its verdicts on a class (by default the one claimed), and whether it refines the original. Exit
    code 1 where none is found.
    """
    schema = c.chosen_schema(arguments.schema, arguments.set)
    budget = c.chosen_budget(arguments, COUNTING)
    if arguments.improve:
        return _improve(schema, arguments)
    with ProgressBar(f"counting under {schema.name}"):
        found = cost_of(schema, formulas=not arguments.degrees, budget=budget)
    if found.stopped:
        hint = "--max-seconds and --max-steps allow more; --degrees leaves formulas out"
        missing = f"no formulas: {found.why_not}"
        if found.why_not is None:
            missing = f"no time for other values of its parameter: the limit of {found.stopped} was hit"
        report(Diagnostic("budget", missing, hint=hint, severity="warning"))
    return c.answer(arguments, found, partial(complexity_text, found), 2 if found.stopped else 0)


def _improve(schema: ParsingSchema, arguments: Namespace) -> int:
    from schemata.relations.improve import improve
    from schemata.structures import tree_class
    from schemata.verification.claims import claim_about

    claim = claim_about(schema.name, schema.parameters)
    trees = claim is not None and schema.definition.grammar == D_RULES
    name = arguments.class_name or (claim.class_name if claim is not None and trees else None)
    seconds = {} if arguments.max_seconds is None else {"seconds": 0.9 * arguments.max_seconds}
    with ProgressBar(f"folding steps of {schema.name}"):
        trees_of = tree_class(name) if name else None
        found = improve(schema, trees_of, folds_only=arguments.folds_only, **seconds)
    if found is None:
        before = cost_of(schema, formulas=False).to_json()
        said = f"No fold of the costliest steps of {schema.name} has a lower degree."
        return c.answer(arguments, before | {"improvement": None}, said, 1)
    improved = found.before.to_json() | {"improvement": found.to_json()}
    return c.answer(arguments, improved, partial(improvement_text, found))


@c.command(
    c.option("files FILE.conllu", _FILES, nargs="+", type=c.corpus_file),
    c.several("--schema NAME", "a schema that builds dependency trees (all shipped ones over D-rules)"),
    c.flag("--classes", "classes of trees only, no schemata"),
    c.flag("--planes", _PLANES),
    c.flag("--brackets", "the files have bracketed trees"),
    c.number("--examples K", "draw the K shortest trees outside of each class and schema", 0, above=-1),
    c.flag("--seconds", "measure each schema on as many words as the median tree has, under all links"),
    c.output("--plot FILE", "plot what schemata parse against their cost as .svg, .png or .pdf"),
    c.choice("--format", FORMATS, "how tables are written"),
    c.CSV,
    c.TSV,
    c.flag("--latex", "print tables in LaTeX"),
    PLACES,
    c.LIMITS,
    c.ASCII,
    c.JSON,
    apart=(
        ("--classes --planes", "--schema --seconds --plot"),
        ("--brackets", "--classes --planes --examples --seconds --plot --jobs --scheduler --resume"),
        ("--planes", "--classes --examples"),
        ("--json", "--format --csv --tsv --latex"),
        ("--format", "--csv --tsv --latex"),
    ),
)
def coverage(arguments: Namespace) -> int:
    """Count the trees of treebanks by class, and those that each schema parses.

    A schema that is verified for a class parses the trees of the class; others are run on each tree's own links (over
    dependency rules its rules, over facts all facts), as far as 10,000 step instances. Several files give a table each,
    and one for all. Exit code 2: sentences were skipped, or a limit was hit.
    With --brackets: trees such as (S (NP she) (VP sleeps)), counted by the classes of bracketings.
    """
    arguments.format = next((x for x in ("csv", "tsv", "latex") if getattr(arguments, x)), arguments.format)
    if arguments.brackets:
        return _brackets(arguments)
    from schemata.verification.coverage import Counting, Coverage, parsers, seconds_of

    if arguments.plot is not None:
        from schemata.display.plots import check_plot, plot_coverage

        check_plot(arguments.plot)
    arguments.files, _ = expanded(arguments.files)
    where = places(arguments, ("json", "format", "csv", "tsv", "latex", "planes", "plot", "seconds"))
    chosen = () if arguments.classes or arguments.planes else parsers(arguments.schema)
    names = [parser.name for parser in chosen]
    parts = [Coverage(file, schemata=dict.fromkeys(names, 0)) for file in arguments.files]
    budget = c.chosen_budget(arguments)
    made_of = names, arguments.examples, budget
    about = f"reading {listing(arguments.files)}"
    place = 0
    reason: Reason | None = None
    try:
        for place, part in worked(arguments.files, Counting, made_of, where, about):
            report(*part.reports)
            parts[place] += part
            if part.stopped:
                reason = part.stopped
                break
    except KeyboardInterrupt:
        reason = "interrupt"
    if reason is not None:
        parts[place:] = [replace(part, stopped=reason) for part in parts[place:]]
        done = sum(part.sentences + part.skipped for part in parts)
        report(budget.hit(reason, f" after {quantity(done, 'sentence')}"))
    whole = Coverage("all", schemata=dict.fromkeys(names, 0))
    for part in parts:
        whole += part
    times = {parser.name: time_of(parser) for parser in chosen}
    seconds: dict[str, float | None] = {}
    if (arguments.seconds or arguments.plot) and reason is None:
        for parser in progress(chosen, len(chosen), "measuring seconds"):
            seconds[parser.name] = seconds_of(parser, whole.median_words)
    parts += [whole] if len(parts) > 1 else []
    if arguments.planes and not arguments.json:
        write(planes_text(parts, page(arguments.ascii), arguments.format) + "\n")
    elif arguments.format in ("csv", "tsv"):
        write(coverage_csv(parts, times, seconds, page(), arguments.format) + "\n")
    else:
        for number, found in enumerate(parts):
            write("\n" * (number > 0 and not arguments.json))
            value = found.to_json() | ({"seconds": seconds} if seconds else {})
            c.answer(arguments, value, partial(coverage_text, found, times, seconds, arguments.format))
    if arguments.plot is not None:
        shares = {name: count / max(1, whole.sentences) for name, count in whole.schemata.items()}
        from schemata.verification.claims import degree_of

        degrees = {name: degree_of(time) for name, time in times.items()}
        plot_coverage(shares, degrees, seconds, arguments.plot)
    if reason is not None:
        return c.exit_code(None, reason)
    return 2 if any(found.skipped for found in parts) else 0


def _brackets(arguments: Namespace) -> int:
    from schemata.display.costs import brackets_text
    from schemata.learning.brackets import coverage_of_brackets

    if arguments.schema:
        message = f"the trees that {listing(arguments.schema)} derives depend on the grammar or the facts"
        hint = f"verify {arguments.schema[0]} names the classes that it lies between"
        raise UsageError(message, code="bad-option", expected="--brackets without --schema", hint=hint)
    files, _ = expanded(arguments.files)
    parts = [coverage_of_brackets(file) for file in progress(files, len(files), f"reading {listing(files)}")]
    if arguments.format in ("csv", "tsv"):
        rows = [[x.file, name, str(n), str(x.sentences)] for x in parts for name, n in x.classes.items()]
        write(tabulated(["file", "class", "count", "of"], rows, arguments.format, page()) + "\n")
        return 0
    for number, found in enumerate(parts):
        write("\n" * (number > 0 and not arguments.json))
        c.answer(arguments, found, partial(brackets_text, found, arguments.format))
    return 0
