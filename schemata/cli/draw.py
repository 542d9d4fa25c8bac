"""Pictures and derivations that `schemata run` adds on request: SVG files, DOT files, derivations as text."""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schemata.cli.files import check_writable, make_directory, write_text
from schemata.errors import Diagnostic, UsageError

if TYPE_CHECKING:
    from schemata.analysis.results import RunResult
    from schemata.forest.derivations import Derivation

__all__ = ["Drawn", "add_drawing_options", "check_drawing_options", "draw_result"]

_LONGEST_NAME = 60  # characters of a sent_id that a file's name takes over


@dataclass(frozen=True, slots=True)
class Drawn:
    """What was asked for of one result: its first derivations, and the files that were written."""

    derivations: tuple[Derivation, ...] | None = None
    files: tuple[Path, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return what to add to the result's JSON object."""
        found: dict[str, Any] = {}
        if self.derivations is not None:
            found["derivation_trees"] = [_flat(derivation) for derivation in self.derivations]
        if self.files:
            found["files"] = [str(path) for path in self.files]
        return found

    def text(self, *, width: int, ascii: bool) -> str:
        """Return what to print after the result's text."""
        from schemata.display.derivations import derivation_text

        parts = [
            f"derivation {number}:\n{derivation_text(derivation, width=width, ascii=ascii)}"
            for number, derivation in enumerate(self.derivations or (), start=1)
        ]
        if self.files:
            parts.append("\n".join(f"wrote {path}" for path in self.files))
        return "\n\n".join(parts)


def add_drawing_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--derivations", type=int, metavar="N", help="print the first N derivations")
    parser.add_argument(
        "--svg", metavar="DIR", help="write the listed trees (and derivations) into a directory as SVG"
    )
    parser.add_argument("--dot", metavar="FILE", help="write the forest in DOT, for Graphviz")


def check_drawing_options(arguments: argparse.Namespace) -> None:
    """Refuse options that make no sense, and make the directory, before anything is computed.

    Raises
    ------
    UsageError : a negative number of derivations, a directory that cannot be made, an option for one
        sentence together with a corpus.
    """
    if arguments.derivations is not None and arguments.derivations < 0:
        raise UsageError("--derivations cannot be negative")
    if arguments.conllu:
        for option in ("derivations", "dot"):
            if getattr(arguments, option) is not None:
                raise UsageError(
                    Diagnostic(
                        "usage",
                        f"--{option} is for one sentence, not for a corpus",
                        hint="give the sentence itself; --svg DIR works for both",
                    )
                )
    if arguments.svg is not None:
        make_directory(arguments.svg)
    if arguments.dot is not None:
        check_writable(arguments.dot)


def draw_result(result: RunResult, arguments: argparse.Namespace, name: str = "") -> Drawn:
    """Write the pictures of one result and collect its derivations, as the options ask for.

    Parameters
    ----------
    result : the result.
    arguments : the options.
    name : what the sentence is called, first part of its files' names; empty for none.

    Raises
    ------
    UsageError : a file cannot be written.
    """
    derivations = None
    if arguments.derivations is not None:
        derivations = tuple(result.chart.forest().derivations(arguments.derivations))
    files: list[Path] = []
    if arguments.svg is not None:
        files += _write_svg(Path(arguments.svg), result, derivations or (), name)
    if arguments.dot is not None:
        from schemata.display.dot import forest_dot

        files.append(write_text(arguments.dot, forest_dot(result.chart.forest())))
    return Drawn(derivations, tuple(files))


def _write_svg(folder: Path, result: RunResult, derivations: tuple[Derivation, ...], name: str) -> list[Path]:
    from schemata.display.arcs_svg import draw_arcs_svg
    from schemata.display.derivations_svg import derivation_svg
    from schemata.display.linkages import told_apart
    from schemata.display.linkages_svg import draw_linkage_svg

    words = result.chart.sentence.words
    start = f"{re.sub(r'[^A-Za-z0-9._-]+', '-', name)[:_LONGEST_NAME]}-" if name else ""
    pictures = [("tree", draw_arcs_svg(words, tree.heads)) for tree in result.trees]
    pictures += [
        ("linkage", draw_linkage_svg(linkage, partners=marked))
        for linkage, marked in zip(result.linkages, told_apart(result.linkages), strict=True)
    ]
    trees = len(pictures)
    pictures += [("derivation", derivation_svg(derivation)) for derivation in derivations]
    files = []
    for k, (kind, svg) in enumerate(pictures):
        number, total = (k + 1, trees) if k < trees else (k - trees + 1, len(pictures) - trees)
        # Leading zeros, so that names sort as numbers do.
        files.append(write_text(folder / f"{start}{kind}-{number:0{len(str(total))}}.svg", svg))
    return files


def _flat(derivation: Derivation) -> list[dict[str, Any]]:
    """Return a derivation as a list of its nodes in preorder: nested objects could not be that deep."""
    nodes: list[dict[str, Any]] = []
    above: list[int] = []
    for number, (depth, node) in enumerate(derivation.walk()):
        del above[depth:]
        if above:
            nodes[above[-1]]["antecedents"].append(number)
        above.append(number)
        nodes.append(
            {
                "item": str(node.item),
                "step": node.step,
                "case": node.case,
                "links": [list(link) for link in node.links],
                "antecedents": [],
            }
        )
    return nodes
