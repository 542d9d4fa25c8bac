"""Forests and derivations in DOT, the language of Graphviz: items as boxes, steps between them as ovals."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from schemata.display.columns import printable
from schemata.display.derivations import step_text
from schemata.display.links import link_text

if TYPE_CHECKING:
    from schemata.forest.derivations import Derivation
    from schemata.forest.forest import Forest

__all__ = ["derivation_dot", "forest_dot"]

_FRAME = (
    "  rankdir=BT;",
    "  ranksep=0.25; nodesep=0.15;",
    '  node [fontname="monospace", fontsize=11, shape=box, style=rounded, height=0.3, margin="0.1,0.04"];',
    "  edge [arrowsize=0.6];",
)
_GIVEN = "shape=plaintext, style=solid"
_STEP = 'shape=oval, style=filled, fillcolor="#e8eef7", color="#e8eef7", fontsize=9, height=0.2'


def forest_dot(forest: Forest) -> str:
    """Return the useful part of a forest in DOT; hypotheses at the bottom, final items framed twice.

    >>> import schemata
    >>> text = forest_dot(schemata.load("eisner1996").run("a").forest())
    >>> print(text.splitlines()[0], text.count("peripheries=2"))
    digraph "forest of eisner1996" { 1
    """
    chart = forest.chart
    cases = chart.schema.cases
    given, roots = chart.raw.hypothesis_count, frozenset(forest.roots)
    numbers = sorted(forest.order, key=chart.order)
    names = {number: f"i{k}" for k, number in enumerate(numbers)}
    lines: list[str] = []
    for number in numbers:
        style = f", {_GIVEN}" if number < given else ", peripheries=2" if number in roots else ""
        lines.append(f"  {names[number]} [label={_quoted(str(chart.item(number)))}{style}];")
    steps = 0
    for number in numbers:
        for edge in forest.sorted_edges(number):
            case = cases[edge.case]
            label = f"{case.step} ({case.label})" if case.label else case.step
            links = ", ".join(map(link_text, forest.chart.built_links(edge.links)))
            lines.append(f"  s{steps} [label={_quoted(f'{label}: {links}' if links else label)}, {_STEP}];")
            lines += [f"  {names[tail]} -> s{steps} [arrowhead=none];" for tail in edge.tails]
            lines.append(f"  s{steps} -> {names[number]};")
            steps += 1
    return _graph(f"forest of {chart.schema.name}", lines)


def derivation_dot(derivation: Derivation) -> str:
    """Return one derivation in DOT, a node for every item of the tree, its hypotheses at the bottom."""
    lines: list[str] = []
    above: list[str] = []
    for k, (depth, node) in enumerate(derivation.walk()):
        del above[depth:]
        given = node.step is None
        style = f", {_GIVEN}" if given else ", peripheries=2" if not depth else ""
        lines.append(f"  i{k} [label={_quoted(str(node.item))}{style}];")
        if above:
            lines.append(f"  i{k} -> {above[-1]} [arrowhead=none];")
        above.append(f"s{k}")
        if not given:
            lines += [f"  s{k} [label={_quoted(step_text(node))}, {_STEP}];", f"  s{k} -> i{k};"]
    return _graph(f"a derivation of {derivation.item}", lines)


def _graph(name: str, lines: Iterable[str]) -> str:
    return "\n".join([f"digraph {_quoted(name)} {{", *_FRAME, *lines, "}"]) + "\n"


def _quoted(text: str) -> str:
    escaped = printable(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
