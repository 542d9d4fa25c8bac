"""Coverage as tables: classes, and schemata with their time beside the share of trees they parse; examples drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from schemata.display.structures import structure_text
from schemata.display.terminal import Page, tabulated
from schemata.structures import DependencyTree, Sentence
from schemata.structures.graphs import grouped
from schemata.verification.coverage import CLASSES, WITH_ROOT, Coverage
from schemata.wording import listing, quantity


def coverage_text(
    found: Coverage,
    times: Mapping[str, str],
    page: Page,
    how: str = "text",
    seconds: Mapping[str, float | None] = {},
) -> str:
    """Return the counts of a treebank as a person reads them.

    Parameters
    ----------
    found : the counts.
    times : the time of each schema, O(n^3).
    page : how to print.
    how : how tables are written: text, markdown, latex.
    seconds : of a run of each schema, where they were measured.
    """
    skipped = f", {quantity(found.skipped, 'sentence')} without a tree skipped" if found.skipped else ""
    arcs = found.arcs
    shares = ", ".join(
        f"{_share(arcs.get(name, 0), arcs.get('all', 0))} {words}"
        for name, words in (("projective", "projective"), ("crossing none", "cross no other"))
    )
    lines = [f"{found.file}: {quantity(found.sentences, 'tree')}{skipped}"]
    lines += [f"{quantity(arcs.get('all', 0), 'arc')} between words: {shares}", ""]
    rows = []
    for name in CLASSES:
        count = found.classes.get(name, 0)
        by_arc = _share(found.classes_by_arc.get(name, 0), arcs.get("all", 0))
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
    parts: Sequence[Coverage], times: Mapping[str, str], seconds: Mapping[str, float | None], page: Page
) -> str:
    """Return counts as comma-separated values: a line for each count, with the file and the total beside it."""
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
    return tabulated(["file", "kind", "name", "count", "of", "time", "seconds"], rows, "csv", page)


def _milliseconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{1000 * seconds:.1f}"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f} %" if whole else "-"
