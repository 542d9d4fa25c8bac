"""Coverage as text: a table of classes, and one of schemata with their time beside the share of trees they parse."""

from __future__ import annotations

from collections.abc import Mapping

from schemata.display.terminal import Page, table
from schemata.verification.coverage import CLASSES, WITH_ROOT, Coverage
from schemata.wording import quantity

__all__ = ["coverage_text"]


def coverage_text(found: Coverage, times: Mapping[str, str], page: Page) -> str:
    """Return the counts of a treebank as a person reads them.

    Parameters
    ----------
    found : the counts.
    times : the time of each schema, O(n^3).
    page : how to print.
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
        rooted = f"{found.with_root.get(name, 0):,}" if name in WITH_ROOT else ""
        rows.append([name, f"{count:,}", _share(count, found.sentences), rooted])
    lines.append(table(["class", ">trees", ">share", ">with the root's arc"], rows, page))
    if found.schemata:
        ranked = sorted(found.schemata.items(), key=lambda pair: (-pair[1], times.get(pair[0], ""), pair[0]))
        cells = []
        for name, count in ranked:
            unknown = f"{found.unknown[name]:,}" if found.unknown.get(name) else ""
            share = _share(count, found.sentences)
            cells.append([name, times.get(name, ""), f"{count:,}", share, unknown])
        headers = ["schema", "time", ">trees parsed", ">share", ">not known"]
        if not found.unknown:
            headers, cells = headers[:-1], [row[:-1] for row in cells]
        lines += ["", table(headers, cells, page)]
    return "\n".join(lines)


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f} %" if whole else "-"
