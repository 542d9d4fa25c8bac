"""Costs of schemata and their coverage as text: costs of steps and items, counts of treebanks by class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from schemata.analysis.complexity import SPARE, Complexity, Part
from schemata.analysis.complexity import complexity as cost_of
from schemata.display.terminal import PAGE, Page, table, tabulated, wrapped
from schemata.grouping import grouped
from schemata.structures import DependencyTree, Sentence
from schemata.wording import listing, quantity

if TYPE_CHECKING:
    from schemata.learning.brackets import BracketCoverage
    from schemata.relations.improve import Improvement
    from schemata.verification.coverage import CountedSchema, Coverage


def time_of(parser: CountedSchema) -> str:
    """Return the time of a schema, as it is claimed or as its rules say."""
    from schemata.verification.claims import all_claims

    claimed = {claim.reference: claim.complexity for claim in all_claims()}
    if parser.name in claimed:
        return claimed[parser.name]
    found = cost_of(parser.schema, formulas=False, family=False)
    return "exponential" if found.time is None else f"O({found.time.cost})"


def complexity_text(found: Complexity, page: Page = PAGE) -> str:
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
    """Return a schema of a lower degree as text: its file, with the findings about it as comments."""
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


def counts_text(found: Coverage, page: Page = PAGE) -> str:
    """Return the counts of a treebank, with the times of the schemata that it was counted for."""
    from schemata.verification.coverage import parsers

    times = (
        {parser.name: time_of(parser) for parser in parsers(list(found.schemata))} if found.schemata else {}
    )
    return coverage_text(found, times, {}, "text", page)


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


def bracket_counts_text(found: BracketCoverage, page: Page = PAGE) -> str:
    """Return the counts of a treebank of bracketed trees."""
    return brackets_text(found, "text", page)


def brackets_text(found: BracketCoverage, how: str, page: Page) -> str:
    """Return the counts of bracketed trees as a person reads them; `how` is as for `coverage_text`."""
    rows = [[name, f"{count:,}", _share(count, found.sentences)] for name, count in found.classes.items()]
    about = f"{found.file}: {quantity(found.sentences, 'tree')}"
    return "\n".join([about, "", tabulated(["class", ">trees", ">share"], rows, how, page)])


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
    """Return the examples, each tree once, with the classes that do not contain it."""
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
