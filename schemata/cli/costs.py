"""What schemata cost, and how much they parse: the commands `complexity` and `coverage`, and what they print."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from schemata.analysis.complexity import COUNTING, SPARE, Complexity, Part
from schemata.analysis.complexity import complexity as cost_of
from schemata.budget import Reason
from schemata.cli import command as c
from schemata.cli.corpus import PLACES, expanded, places, worked
from schemata.cli.main import report, write
from schemata.display.terminal import FORMATS, Page, ProgressBar, page, progress, table, tabulated, wrapped
from schemata.errors import Diagnostic
from schemata.grouping import grouped
from schemata.records import replace
from schemata.structures import DependencyTree, Sentence
from schemata.wording import listing, quantity
from schemata.workbench import ParsingSchema

if TYPE_CHECKING:
    from schemata.relations.improve import Improvement
    from schemata.verification.coverage import Coverage, Parser


_FOLDS = "with --improve: cut no items in halves, so that what is found is a step refinement"
_CLASS = "the class of trees for which it is verified (what is claimed)"
_FILES = "treebanks in CoNLL-U; example: a shipped one"
_PLANES = "planar, 2-planar and 3-planar trees of all treebanks in one table, with Switches a word"


@c.command(
    c.SCHEMA,
    c.flag("--degrees", "only degrees, no formulas: nothing is counted"),
    c.flag("--improve", "look for a schema of a lower degree; degrees only"),
    c.flag("--folds-only", _FOLDS),
    c.option("--class CLASS", _CLASS, dest="class_name"),
    c.BUDGET,
    c.ASCII,
    c.JSON,
    needs=(("--class", "--improve"), ("--folds-only", "--improve")),
)
def complexity(arguments: Namespace) -> int:
    """Tell what a schema costs, from its rules: time and space, the bottleneck, formulas in n for its counts.

    Formulas are those under a grammar that licenses every link: proved, or else determined by counts at short lengths,
    within the limits (20 s by default). Exit code 0, or 2 where a limit left formulas open.
    With --improve: fold the costliest steps, and cut items around a head in halves; print a schema of a lower degree,
    with what is verified of it, and whether it refines the original. Exit code 1 where none is found.
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
    trees = claim is not None and schema.definition.grammar == "d-rules"
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
    c.several("--schema NAME", "a schema over D-rules (all shipped ones)"),
    c.flag("--classes", "classes of trees only, no schemata"),
    c.flag("--planes", _PLANES),
    c.number("--examples K", "draw the K shortest trees outside of each class and schema", 0, above=-1),
    c.flag("--seconds", "measure each schema on as many words as the median tree has, under all links"),
    c.output("--plot FILE", "plot what schemata parse against their cost as .svg, .png or .pdf"),
    c.choice("--format", FORMATS, "how tables are written"),
    *(c.flag(f"--{how}", f"the same as --format {how}") for how in ("csv", "tsv", "latex")),
    PLACES,
    c.LIMITS,
    c.ASCII,
    c.JSON,
    apart=(
        ("--classes --planes", "--schema --seconds --plot"),
        ("--planes", "--classes --examples"),
        ("--json", "--format --csv --tsv --latex"),
        ("--format", "--csv --tsv --latex"),
    ),
)
def coverage(arguments: Namespace) -> int:
    """Count the trees of treebanks by class, and those that each schema parses.

    A schema that is verified for a class parses the trees of the class; others are run on each tree's own links, as far
    as 10,000 step instances. Several files give a table each, and one for all. Exit code 2: sentences were skipped,
    or a limit was hit.
    """
    from schemata.verification.coverage import Counting, Coverage, parsers, seconds_of

    if arguments.plot is not None:
        from schemata.display.plots import check_plot, plot_coverage

        check_plot(arguments.plot)
    arguments.format = next((x for x in ("csv", "tsv", "latex") if getattr(arguments, x)), arguments.format)
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
    times = {parser.name: _time(parser) for parser in chosen}
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


def _time(parser: Parser) -> str:
    """Return the time of a schema, as it is claimed or as its rules say."""
    from schemata.verification.claims import all_claims

    claimed = {claim.reference: claim.complexity for claim in all_claims()}
    if parser.name in claimed:
        return claimed[parser.name]
    found = cost_of(parser.schema, formulas=False, family=False)
    return "exponential" if found.time is None else f"O({found.time.cost})"


def complexity_text(found: Complexity, page: Page) -> str:
    """Return the cost of a schema as a person reads it."""
    lines = [_head(found)]
    if found.time is not None:
        how = f": {found.time.how}" if found.time.how else ""
        lines += ["", *wrapped(f"The bottleneck is {found.time.name}{how}.", page.width)]
    if found.exponential is None:
        lines += ["", _table("step", "time", "instances", found.steps, found.step_instances, page)]
        lines += ["", _table("item form", "space", "items", found.forms, found.items, page)]
    if found.why_not is not None:
        lines += ["", *wrapped(f"No formulas: {found.why_not}.", page.width)]
    elif found.items is not None:
        said = f"Instances and items are those under a grammar that licenses every link, for n >= {found.holds_from}."
        if found.proved:
            derived = "what the steps derive are the integer points of regions of positions"
            said += f" Proved: {derived}, for every n."
        else:
            counted = f"counts for n = 1 to {found.checked[-1]}, {SPARE} lengths more than needed"
            said += f" Determined from {counted}, not proved: {found.unproved}."
        lines += ["", *wrapped(said, page.width)]
    return "\n".join(lines)


def improvement_text(found: Improvement, page: Page) -> str:
    """Return a schema of a lower degree as text: its file, with what is known of it as comments."""
    before, v = found.before, found.verdict
    known = [f"{_head(found.after)}; {before.schema} has O({before.time and before.time.cost}) time"]
    if v is not None:
        words = {True: "", False: "not "}
        says = [f"{words[x]}{y}" for x, y in ((v.sound, "sound"), (v.complete, "complete")) if x is not None]
        trees = f"{v.class_name} trees of up to {v.max_n} words"
        known.append(f"{' and '.join(says)} for {trees}, as {before.schema} is")
    if found.relation is None:
        known.append("items between two ends around a head are two items, one for each end: no refinement")
    else:
        extent = "for every n" if found.relation.every_n else f"up to {found.relation.extent.max_n} words"
        known.append(f"{found.before.schema} is refined by it: a step refinement, {extent}")
    return "\n".join([*(f"# {line}" for line in known), "", found.text.rstrip()])


def _head(found: Complexity) -> str:
    if found.exponential is not None:
        return f"{found.schema}: exponential, since no number bounds the lists of {found.exponential}"
    time = "" if found.time is None else f"O({found.time.cost}) time"
    space = "" if found.space is None else f", O({found.space.cost}) space"
    family = "" if found.family is None else f"; time {found.family} in its parameter"
    return f"{found.schema}: {time}{space}{family}"


def _table(name: str, cost: str, count: str, parts: tuple[Part, ...], total: str | None, page: Page) -> str:
    rows = [[part.name, str(part.cost), part.formula or ""] for part in parts]
    if total is None:
        return table([name, cost], [row[:2] for row in rows], page)
    if len(rows) > 1:
        rows.append(["all", "", total])
    return table([name, cost, count], rows, page)


def coverage_text(
    found: Coverage, times: Mapping[str, str], seconds: Mapping[str, float | None], how: str, page: Page
) -> str:
    """Return the counts of a treebank as a person reads them.

    Parameters
    ----------
    found : the counts.
    times : the time of each schema, O(n^3).
    seconds : of a run of each schema, where they were measured.
    how : how tables are written: text, markdown, latex.
    page : how to print.
    """
    from schemata.verification.coverage import CLASSES, WITH_ROOT

    skipped = f", {quantity(found.skipped, 'sentence')} without a tree skipped" if found.skipped else ""
    arcs = found.arcs
    whole = arcs.get("all", 0)
    projective, uncrossed = (_share(arcs.get(name, 0), whole) for name in ("projective", "crossing none"))
    lines = [f"{found.file}: {quantity(found.sentences, 'tree')}{skipped}"]
    if not found.sentences:
        return lines[0]
    shares = f"{projective} projective, {uncrossed} cross no other"
    lines += [f"{quantity(whole, 'arc')} between words: {shares}", ""]
    rows = []
    for name in CLASSES:
        count = found.classes.get(name, 0)
        by_arc = _share(found.classes_by_arc.get(name, 0), whole)
        rooted = f"{found.with_root.get(name, 0):,}" if name in WITH_ROOT else ""
        rows.append([name, f"{count:,}", _share(count, found.sentences), by_arc, rooted])
    headers = ["class", ">trees", ">share", ">share of arcs", ">with the root's arc"]
    lines.append(tabulated(headers, rows, how, page))
    if found.schemata:
        lines += ["", tabulated(*_of_schemata(found, times, seconds), how, page)]
    return "\n".join([*lines, *_drawn(found, page, how)])


def _of_schemata(
    found: Coverage, times: Mapping[str, str], seconds: Mapping[str, float | None]
) -> tuple[list[str], list[list[str]]]:
    """Return the headers and rows of schemata, those that parse most first; columns without a value are left out."""
    headers = ["schema", "time", f">ms, n = {found.median_words}", ">trees parsed", ">share", ">not known"]
    rows = []
    ranked = sorted(found.schemata.items(), key=lambda pair: (-pair[1], times.get(pair[0], ""), pair[0]))
    for name, count in ranked:
        spent = _milliseconds(seconds[name]) if name in seconds else ""
        unknown = f"{found.unknown[name]:,}" if found.unknown.get(name) else ""
        share = _share(count, found.sentences)
        rows.append([name, times.get(name, ""), spent, f"{count:,}", share, unknown])
    kept = [k for k in range(len(headers)) if any(row[k] for row in rows)]
    return [headers[k] for k in kept], [[row[k] for k in kept] for row in rows]


def _drawn(found: Coverage, page: Page, how: str) -> list[str]:
    """Return the examples, each tree once, with what it is outside of."""
    from schemata.display.structures import structure_text

    outside = grouped((one, name) for name, some in found.examples.items() for one in some)
    lines: list[str] = []
    for one, names in sorted(outside.items(), key=lambda pair: (pair[0].length, pair[0].number)):
        picture = structure_text(Sentence(one.words), DependencyTree(one.heads), page)
        if how != "text":
            picture = "\n".join(f"    {line}" for line in picture.split("\n"))
        title = f"{one.sent_id}, {quantity(one.length, 'word')}, outside of {listing(names)}"
        lines += ["", title, *[""] * (how != "text"), picture]
    return lines


def planes_text(parts: Sequence[Coverage], page: Page, how: str = "text") -> str:
    """Return the trees of treebanks by planes in one table, with the Switches of `k-planar-system` a word.

    References
    ----------
    Gómez-Rodríguez & Nivre 2010, Table 1, and 2013, section 5: shares of treebanks by planes.
    """
    names = ("planar", "2-planar", "3-planar")
    headers = ["treebank", ">trees", *(f">{name}" for name in names), ">Switches a word", ">on the fly"]
    rows = []
    for found in parts:
        shares = [_share(found.classes.get(name, 0), found.sentences) for name in names]
        words = max(1, found.planes.get("words", 0))
        switches = [found.planes.get(name, 0) / words for name in ("switches", "switches_on_the_fly")]
        rows.append([found.file, f"{found.sentences:,}", *shares, *(f"{count:.5f}" for count in switches)])
    return tabulated(headers, rows, how, page)


def coverage_csv(
    parts: Sequence[Coverage],
    times: Mapping[str, str],
    seconds: Mapping[str, float | None],
    page: Page,
    how: str,
) -> str:
    """Return counts as "csv" or "tsv": a line for each count, with the file and the total beside it."""
    rows: list[list[str]] = []
    for found in parts:
        arcs = found.arcs.get("all", 0)
        for kind, counts, whole in (
            ("class", found.classes, found.sentences),
            ("class with the root's arc", found.with_root, found.sentences),
            ("class by arc", found.classes_by_arc, arcs),
            ("arc", found.arcs, arcs),
            ("planes", found.planes, found.planes.get("words", 0)),
            ("schema", found.schemata, found.sentences),
            ("not known", found.unknown, found.sentences),
        ):
            for name, count in counts.items():
                spent = seconds.get(name)
                time = "" if spent is None else f"{spent:.6f}"
                rows.append([found.file, kind, name, str(count), str(whole), times.get(name, ""), time])
    return tabulated(["file", "kind", "name", "count", "of", "time", "seconds"], rows, how, page)


def _milliseconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{1000 * seconds:.1f}"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f} %" if whole else "-"
