"""The command `coverage`."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from functools import partial
from typing import Any

from schemata.cli import command as c
from schemata.cli.corpus import PLACES, expanded, places, worked
from schemata.cli.main import report, write
from schemata.display.terminal import FORMATS, Page, page, progress
from schemata.verification.coverage import Counting, Coverage, Parser, parsers, seconds_of
from schemata.wording import listing


@c.command(
    c.option(
        "files", "FILE.conllu", "treebanks in CoNLL-U; example: a shipped one", nargs="+", type=c.corpus_file
    ),
    c.several("--schema", "NAME", "a schema over D-rules (all shipped ones)"),
    c.flag("--classes", "classes of trees only, no schemata"),
    c.flag(
        "--planes", "planar, 2-planar and 3-planar trees of all treebanks in one table, with Switches a word"
    ),
    c.number("--examples", "K", "draw the K shortest trees outside of each class and schema", 0, above=-1),
    c.flag("--seconds", "measure each schema on as many words as the median tree has, under all links"),
    c.option("--plot", "FILE", "plot what schemata parse against their cost as .svg, .png or .pdf"),
    c.choice("--format", FORMATS, "how tables are written"),
    PLACES,
    c.ASCII,
    c.JSON,
    apart=(
        ("--classes --planes", "--schema --seconds --plot"),
        ("--planes", "--classes --examples"),
        ("--json", "--format"),
    ),
)
def coverage(arguments: Namespace) -> int:
    """Count the trees of treebanks by class, and those that each schema parses.

    A schema that is verified for a class parses the trees of the class; others are run on each tree's own links, as far
    as 10,000 step instances. Several files give a table each, and one for all. Exit code 2: sentences were skipped.
    """
    from schemata.display.coverage import coverage_csv, coverage_text, planes_text

    if arguments.plot is not None:
        from schemata.display.plots import check_plot, plot_coverage

        c.check_writable(arguments.plot)
        check_plot(arguments.plot)
    arguments.files, _ = expanded(arguments.files)
    where = places(arguments, ("json", "format", "planes", "plot", "seconds"))
    chosen = () if arguments.classes or arguments.planes else parsers(arguments.schema)
    names = [parser.name for parser in chosen]
    parts = [Coverage(file, schemata=dict.fromkeys(names, 0)) for file in arguments.files]
    made_of = names, arguments.examples
    about = f"reading {listing(arguments.files)}"
    for place, part in worked(arguments.files, Counting, made_of, where, about):
        report(*part.reports)
        parts[place] += part
    whole = Coverage("all", schemata=dict.fromkeys(names, 0))
    for part in parts:
        whole += part
    times = {parser.name: _time(parser) for parser in chosen}
    seconds: dict[str, float | None] = {}
    if arguments.seconds or arguments.plot:
        for parser in progress(chosen, len(chosen), "measuring seconds"):
            seconds |= seconds_of([parser], whole.median_words)
    parts += [whole] if len(parts) > 1 else []
    if arguments.planes and not arguments.json:
        write(planes_text(parts, page(arguments.ascii), arguments.format) + "\n")
    elif arguments.format == "csv":
        write(coverage_csv(parts, times, seconds, page()) + "\n")
    else:
        for number, found in enumerate(parts):
            text = partial(coverage_text, found, times, how=arguments.format, seconds=seconds)
            c.answer(arguments, partial(_json, found, seconds), partial(_after, number, text))
    if arguments.plot is not None:
        shares = {name: count / max(1, whole.sentences) for name, count in whole.schemata.items()}
        from schemata.verification.claims import degree_of

        degrees = {name: degree_of(time) for name, time in times.items()}
        plot_coverage(shares, degrees, seconds, arguments.plot)
    return 2 if any(found.skipped for found in parts) else 0


def _json(found: Coverage, seconds: dict[str, float | None]) -> dict[str, Any]:
    return found.to_json() | ({"seconds": seconds} if seconds else {})


def _after(number: int, text: Callable[[Page], str], shown: Page) -> str:
    return ("\n" if number else "") + text(shown)


def _time(parser: Parser) -> str:
    """Return the time of a schema, as it is claimed or as its rules say."""
    from schemata.analysis.complexity import complexity
    from schemata.verification.claims import all_claims

    claimed = {claim.reference: claim.complexity for claim in all_claims()}
    if parser.name in claimed:
        return claimed[parser.name]
    found = complexity(parser.schema, formulas=False, family=False)
    return "exponential" if found.time is None else f"O({found.time.cost})"
