"""Trees and linkages as LaTeX, for the package tikz-dependency."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from schemata.display import svg
from schemata.display.arc_layout import Link, Picture, structure_picture
from schemata.display.arcs import thickness
from schemata.display.rules import escaped

if TYPE_CHECKING:
    from schemata.structures import DependencyTree, Linkage, Sentence


def structures_tikz(
    sentence: Sentence, structures: Sequence[DependencyTree | Linkage], *, rtl: bool | None = None
) -> str:
    """Return trees of a sentence, or linkages, as a fragment of LaTeX; `rtl` as for `links_picture`."""
    pictures = (structure_picture(sentence, structure, rtl=rtl) for structure in structures)
    return "\n\n".join([r"% needs \usepackage{tikz-dependency}", *map(arcs_tikz, pictures)]) + "\n"


def arcs_tikz(picture: Picture) -> str:
    r"""Return a sentence with its links as an environment of tikz-dependency.

    Parts of speech are a second row, strong links thick lines. Words that run from right to left stand so.

    >>> from schemata.display.arc_layout import tree_picture
    >>> print(arcs_tikz(tree_picture(["the", "cat"], [2, 0], labels=["det", ""], tags=["DET", "NOUN"])))
    \begin{dependency}
      \begin{deptext}[column sep=1em]
        the \& cat \\
        DET \& NOUN \\
      \end{deptext}
      \depedge{2}{1}{det}
      \deproot{2}{root}
    \end{dependency}
    """
    order = slice(None, None, -1 if picture.rtl else 1)
    lines = [r"\begin{dependency}", r"  \begin{deptext}[column sep=1em]"]
    for row in filter(None, (picture.words, picture.tags)):
        cells = r" \& ".join(map(_cell, row[order]))
        lines.append(rf"    {cells} \\")
    numbers = range(1, len(picture.words) + 1)
    columns = dict(zip(numbers, numbers[order], strict=True))
    edges = [_edge(link, columns) for link in picture.links]
    return "\n".join([*lines, r"  \end{deptext}", *edges, r"\end{dependency}"])


def _edge(link: Link, columns: dict[int, int]) -> str:
    styles = [] if link.dependent else ["-"]
    if link.strength is not None:
        styles.append(f"line width={svg.number(thickness(link.strength) / 2)}pt")
    label = _cell(link.label or ("" if link.left else "root"))
    options = [f"edge style={{{', '.join(styles)}}}"] * bool(styles) + ["hide label"] * (not label)
    chosen = f"[{', '.join(options)}]" if options else ""
    if not link.left:
        return rf"  \deproot{chosen}{{{columns[link.right]}}}{{{label}}}"
    head, dependent = (
        columns[z] for z in (link.left, link.right)[:: -1 if link.dependent == link.left else 1]
    )
    return rf"  \depedge{chosen}{{{head}}}{{{dependent}}}{{{label}}}"


def _cell(text: str) -> str:
    r"""Return text escaped for a cell: ``\&`` would begin the next one, a bracket options, two hyphens are no dash."""
    shown = escaped(text).replace(r"\&", r"\symbol{38}").replace("--", "-{}-")
    return "{}" + shown if shown.startswith("[") else shown
