"""Transition systems: tables of configurations as text, SVG and LaTeX, totals of treebanks, what is proved of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from schemata.display.arc_layout import links_text
from schemata.display.rules import escaped
from schemata.display.svg import document, text_at, width_of
from schemata.display.terminal import Page, table
from schemata.structures.oracles import Followed, Totals
from schemata.structures.pseudo_projective import RoundTrips
from schemata.structures.sentence import Sentence
from schemata.verification.systems import SystemProperties
from schemata.wording import quantity

_SIZE, _LINE = 13, 20  # of SVG


def _rows(found: Followed, sentence: Sentence) -> tuple[list[str], list[list[str]]]:
    """Return the headers and the rows of the table of configurations, nodes as words with their numbers."""
    words = ["root", *sentence.words]
    headers = ["", "transition", "stack" if len(found.rows[0].stacks) == 1 else "active stack"]
    headers += ["other stack"] * (len(found.rows[0].stacks) - 1) + ["buffer", "arc"]
    headers += ["losses"] if found.rows[0].losses is not None else []
    rows = []
    for number, row in enumerate(found.rows):
        nodes = [" ".join(f"{words[x]}/{x}" for x in part) for part in (*row.stacks, row.buffer)]
        lost = [] if row.losses is None else [losses_text(row.losses)]
        rows.append([str(number), row.transition, *nodes, links_text(row.arcs), *lost])
    return headers, rows


def losses_text(losses: Mapping[str, int | None]) -> str:
    """Return what transitions lose, those that lose nothing first; what is not known as a question mark.

    >>> losses_text({"Shift": 1, "Left-Arc": 0, "Swap": None})
    'Left-Arc 0, Shift 1, Swap ?'
    """
    known = sorted(losses.items(), key=lambda one: (one[1] is None, one[1]))
    return ", ".join(f"{name} {'?' if lost is None else lost}" for name, lost in known)


def oracle_text(found: Followed, sentence: Sentence, page: Page) -> str:
    """Return what `schemata oracle` prints of a sentence."""
    headers, rows = _rows(found, sentence)
    count = quantity(len(found.transitions), "transition")
    said = "the tree is reproduced" if found.reproduced else "the tree is not reproduced"
    if found.missing:
        said += f"; missing: {links_text(found.missing)}"
    return f"{table(headers, rows, page)}\n\n{found.system}: {count}, {said}"


def oracle_svg(found: Followed, sentence: Sentence) -> str:
    """Return the table of configurations as SVG."""
    headers, rows = _rows(found, sentence)
    lines = [headers, *rows]
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
    headers, rows = _rows(found, sentence)

    def row(cells: Sequence[str]) -> str:
        return "  " + " & ".join(map(escaped, cells)) + r" \\"

    lines = [r"% needs \usepackage{longtable}", rf"\begin{{longtable}}{{r{'l' * (len(headers) - 1)}}}"]
    return "\n".join([*lines, row(headers) + r" \hline", *map(row, rows), r"\end{longtable}"])


def totals_text(system: str, total: Totals, page: Page) -> str:
    """Return what `schemata oracle --conllu` prints of a treebank."""
    trees = total.sentences
    rows = [
        ["trees", f"{trees:,}"],
        [
            "reproduced",
            f"{total.reproduced:,}" + (f" ({100 * total.reproduced / trees:.2f} %)" if trees else ""),
        ],
        ["transitions a word, of these", f"{total.transitions / total.words:.3f}" if total.words else "-"],
    ]
    if total.switches:
        rows.append(["Switches", f"{total.switches:,} ({total.switches / total.words:.4f} a word)"])
    rows += [["skipped sentences", f"{total.skipped:,}"]] if total.skipped else []
    return table([system, ">"], rows, page)


def round_trips_text(total: RoundTrips, inverse: bool, page: Page) -> str:
    """Return what `schemata pseudo-projective` prints of a treebank."""
    changed = "words moved back" if inverse else "words lifted"
    rows = [
        ["trees", f"{total.sentences:,}"],
        ["with marks" if inverse else "non-projective", f"{total.nonprojective:,}"],
        [changed, f"{total.lifted:,}"],
        ["the same again" if inverse else "restored", f"{total.restored:,}"],
    ]
    rows += [["skipped sentences", f"{total.skipped:,}"]] if total.skipped else []
    return table([total.encoding, ">"], rows, page)


def system_text(found: SystemProperties, page: Page) -> str:
    """Return what was found about a transition system: its transitions, properties and greatest lengths."""
    headers = ["transition", "composed of", ">arcs", ">words", ">buffer"]
    rows = [
        [t.step, "; ".join(t.composition) if t.composition else "no elementary ones", f"+{t.arcs}", f"-{t.nodes}",
         f"{-t.buffer:+}"] for t in found.transitions
    ]  # fmt: skip
    lines = [
        f"{found.schema}: sentences of at most {quantity(found.max_n, 'word')}",
        "",
        table(headers, rows, page),
        "",
    ]
    said = {True: "yes", False: "no", None: ""}
    rows = [[p.name, said[p.holds], p.source, said[p.premise], p.condition] for p in found.properties]
    lines.append(table(["property", "holds", "published", "proved", "if"], rows, page, fold=True))
    lines += [f"\nagainst {p.name}: {p.witness}" for p in found.properties if p.witness]
    names = ["n", "configurations", "arcs", "longest", "bound", "elementary", "bound"]
    values = [
        [x.n, x.configurations, x.arcs, x.longest, x.bound, x.elementary, x.elementary_bound]
        for x in found.lengths
    ]
    rows = [["" if value is None else f"{value:,}" for value in row] for row in values]
    return "\n".join([*lines, "", table([f">{name}" for name in names], rows, page)])
