"""Transition systems: tables of configurations as text, SVG and LaTeX, totals of treebanks, what is proved of them."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter

from schemata.display.arc_layout import links_text
from schemata.display.rules import escaped, longtable
from schemata.display.svg import document, text_at, width_of
from schemata.display.terminal import Page, table
from schemata.structures.oracles import Followed, Totals
from schemata.structures.pseudo_projective import RoundTrips
from schemata.structures.sentence import Sentence
from schemata.verification.systems import SystemProperties
from schemata.wording import quantity

_SIZE, _LINE = 13, 20  # of SVG


def _lines(found: Followed, sentence: Sentence) -> list[list[str]]:
    """Return the table of configurations, its headers first, nodes as words with their numbers."""
    words = ["root", *sentence.words]
    headers = ["", "transition", "stack" if len(found.rows[0].stacks) == 1 else "active stack"]
    headers += ["other stack"] * (len(found.rows[0].stacks) - 1) + ["buffer", "arc"]
    headers += ["losses"] if found.rows[0].losses is not None else []
    lines = [headers]
    for number, row in enumerate(found.rows):
        nodes = [" ".join(f"{words[x]}/{x}" for x in part) for part in (*row.stacks, row.buffer)]
        lost = [] if row.losses is None else [losses_text(row.losses)]
        lines.append([str(number), row.transition, *nodes, links_text(row.arcs), *lost])
    return lines


def losses_text(losses: Mapping[str, int | None]) -> str:
    """Return what transitions lose, those that lose nothing first; what is not known as a question mark.

    >>> losses_text({"Shift": 1, "Left-Arc": 0, "Swap": None})
    'Left-Arc 0, Shift 1, Swap ?'
    """
    known = sorted(losses.items(), key=lambda one: (one[1] is None, one[1]))
    return ", ".join(f"{name} {'?' if lost is None else lost}" for name, lost in known)


def oracle_text(found: Followed, sentence: Sentence, page: Page) -> str:
    """Return what `schemata oracle` prints of a sentence."""
    headers, *rows = _lines(found, sentence)
    count = quantity(len(found.transitions), "transition")
    said = "the tree is reproduced" if found.reproduced else "the tree is not reproduced"
    if found.missing:
        said += f"; missing: {links_text(found.missing)}"
    return f"{table(headers, rows, page)}\n\n{found.system}: {count}, {said}"


def oracle_svg(found: Followed, sentence: Sentence) -> str:
    """Return the table of configurations as SVG."""
    lines = _lines(found, sentence)
    widths = [max(width_of(cell, _SIZE) for cell in column) + _LINE for column in zip(*lines, strict=True)]
    starts = [_LINE / 2 + sum(widths[:k]) for k in range(len(widths))]
    parts = [
        text_at(x, _LINE * (k + 1), cell, _SIZE, "word", anchor="start")
        for k, line in enumerate(lines)
        for x, cell in zip(starts, line, strict=True)
        if cell
    ]
    return document(sum(widths) + _LINE, _LINE * (len(lines) + 1), found.system, parts)


def oracle_latex(found: Followed, sentence: Sentence) -> str:
    """Return the table of configurations as a LaTeX longtable."""
    headers, *rows = ([*map(escaped, cells)] for cells in _lines(found, sentence))
    return longtable(headers, rows)


def totals_text(system: str, total: Totals, page: Page) -> str:
    """Return what `schemata oracle --conllu` prints of a treebank."""
    share = f" ({100 * total.reproduced / total.sentences:.2f} %)" if total.sentences else ""
    of_words = f"{total.transitions / total.words:.3f}" if total.words else "-"
    rows = [["reproduced", f"{total.reproduced:,}{share}"], ["transitions a word, of these", of_words]]
    if total.switches:
        rows.append(["Switches", f"{total.switches:,} ({total.switches / total.words:.4f} a word)"])
    return _of_trees(system, total, rows, page)


def round_trips_text(total: RoundTrips, inverse: bool, page: Page) -> str:
    """Return what `schemata pseudo-projective` prints of a treebank."""
    rows = [
        ["with marks" if inverse else "non-projective", f"{total.nonprojective:,}"],
        ["words moved back" if inverse else "words lifted", f"{total.lifted:,}"],
        ["the same again" if inverse else "restored", f"{total.restored:,}"],
    ]
    return _of_trees(total.encoding, total, rows, page)


def _of_trees(title: str, total: Totals | RoundTrips, rows: list[list[str]], page: Page) -> str:
    """Return a table about a treebank: its trees, then the rows, then the sentences that were skipped."""
    skipped = [["skipped sentences", f"{total.skipped:,}"]] if total.skipped else []
    return table([title, ">"], [["trees", f"{total.sentences:,}"], *rows, *skipped], page)


def system_text(found: SystemProperties, page: Page) -> str:
    """Return what was found about a transition system: its transitions, properties and greatest lengths."""
    headers = ["transition", "composed of", ">arcs", ">words", ">buffer"]
    rows = [
        [t.step, "; ".join(t.composition) if t.composition else "no elementary ones", f"+{t.arcs}", f"-{t.nodes}",
         f"{-t.buffer:+}"] for t in found.transitions
    ]  # fmt: skip
    title = f"{found.schema}: sentences of at most {quantity(found.max_n, 'word')}"
    lines = [title, "", table(headers, rows, page), ""]
    said = {True: "yes", False: "no", None: ""}
    rows = [[p.name, said[p.holds], p.source, said[p.premise], p.condition] for p in found.properties]
    lines.append(table(["property", "holds", "published", "proved", "if"], rows, page, fold=True))
    lines += [f"\nagainst {p.name}: {p.witness}" for p in found.properties if p.witness]
    names = ["n", "configurations", "arcs", "longest", "bound", "elementary", "elementary_bound"]
    values = (map(attrgetter(name), found.lengths) for name in names)
    rows = [["" if value is None else f"{value:,}" for value in row] for row in zip(*values, strict=True)]
    headers = [f">{name.removeprefix('elementary_')}" for name in names]
    return "\n".join([*lines, "", table(headers, rows, page)])
