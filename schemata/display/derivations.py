"""Derivations as indented text and as proof trees in SVG; forests in DOT, the language of Graphviz.

Words stand for the hypotheses about them. In the text stands every item with the step that derives it, its
antecedents below it; in pictures flags are abbreviated. In DOT items are boxes (alternatives: one of the steps below
derives them), and steps are ovals (they need all items below).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice, pairwise, zip_longest
from typing import Any, Literal

from schemata.charts.chart import BuiltLink, Item
from schemata.display import svg
from schemata.display.arc_layout import links_text, run_right_to_left
from schemata.display.terminal import PAGE, WIDE, Page, columns, padded
from schemata.display.trees import Node, tree_svg, tree_text
from schemata.errors import printable, text_width
from schemata.forest.derivations import Derivation
from schemata.forest.forest import Forest
from schemata.wording import noted


def step_text(derivation: Derivation) -> str:
    """Return what derives a derivation's item: the step, its case, and the links it builds.

    >>> import schemata
    >>> step_text(schemata.load("eisner1996").run("a").forest().derivations()[0])
    'L-Link: 1 under 0'
    """
    if derivation.step is None:
        return "given"
    return _step_text(derivation.step, derivation.case, derivation.links)


def _step_text(step: str, case: str | None, links: Sequence[BuiltLink]) -> str:
    built = links_text(links)
    return printable(noted(step, case) + (f": {built}" if built else ""))


def derivation_text(derivation: Derivation, page: Page = PAGE) -> str:
    """Return a derivation as an indented tree, the derived item at the top, words at the ends of lines.

    Parameters
    ----------
    derivation : the derivation.
    page : what it is printed on.

    >>> import schemata
    >>> print(derivation_text(schemata.load("eisner1996").run("cats").forest().derivations()[0]))
    span[0, 1, false, true]  L-Link: 1 under 0
    └─ span[0, 1, false, false]  Initter  word[0] cats
    """
    return tree_text(_tree(derivation, str), page)


def _tree(derivation: Derivation, text: Callable[[Item], str]) -> Node:
    """Return a derivation as a tree to draw; hypotheses about one word are shown as that word."""
    done: list[Node] = []
    for node in reversed([node for _, node in derivation.walk()]):
        children = tuple(done.pop() for _ in node.children)
        if node.step is not None:
            done.append(Node(printable(text(node.item)), children, step_text(node)))
            continue
        kind: Literal["given", "word"] = "given" if _place(node.item) is None else "word"
        done.append(Node(printable(_leaf_text(node.item, node.words, text)), kind=kind))
    return done[0]


def _leaf_text(item: Item, words: Sequence[str], text: Callable[[Item], str]) -> str:
    """Return the word that a hypothesis is about, or its text if it is about none or several."""
    place = _place(item)
    return words[place - 1] if place is not None and 1 <= place <= len(words) else text(item)


def _place(item: Item) -> int | None:
    """Return the one position that a hypothesis is about; None if it is about several, or more than a position."""
    found = set(_flat(item.values))
    return next(iter(found)) if len(found) == 1 and type(min(found)) is int else None


def _flat(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, tuple):
            yield from _flat(value)
        elif value is not None:
            yield value


_QUOTED_OR_FLAG = re.compile(r"""("[^"]*"|'[^']*')|\b(?:(true)|false)\b""")
LEGEND = "T: true, F: false"


def short_text(item: Item) -> str:
    """Return an item with its flags as letters, which `LEGEND` explains."""
    return _QUOTED_OR_FLAG.sub(lambda found: found[1] or ("T" if found[2] else "F"), str(item))


def derivation_svg(derivation: Derivation, *, title: str | None = None, width: int | None = svg.WIDTH) -> str:
    """Return a derivation drawn as a proof tree, as an SVG document.

    Parameters
    ----------
    derivation : the derivation; its item stands at the bottom.
    title : what the picture is called; None: a derivation of its item.
    width : the columns there are, of 9 pixels; what is too wide is drawn in several parts. None: as wide as it gets.

    >>> import schemata
    >>> text = derivation_svg(schemata.load("eisner1996").run("cats").forest().derivations()[0])
    >>> text.count('class="item"'), text.count('class="word"'), text.count('class="rule"')
    (2, 2, 2)
    """
    tree = _tree(derivation, short_text)
    flags = any(short_text(node.item) != str(node.item) for _, node in derivation.walk())
    called = f"a derivation of {derivation.item}" if title is None else title
    return tree_svg(tree, title=called, width=width, notes=(LEGEND,) if flags else ())


def side_by_side(first: Derivation, second: Derivation, mark: int, page: Page = PAGE) -> str:
    """Return the steps of two derivations in two columns, antecedents first, with a mark at one place.

    Where the columns do not fit, the second derivation stands below the first, and the steps before the mark, which
    both have, stand there once.

    Parameters
    ----------
    first, second : the derivations.
    mark : the number (0-based) of the step to mark.
    page : what they are printed on.

    >>> import schemata
    >>> forest = schemata.load("eisner-satta1999").run("a b", schemata.DRules.from_heads((0, 1))).forest()
    >>> one = forest.derivations()[0]
    >>> print(side_by_side(one, one, 1))
      L-Link      tree[0, 1, 0]  1 under 0  │  L-Link      tree[0, 1, 0]  1 under 0
    > L-Link      tree[1, 2, 1]  2 under 1  │  L-Link      tree[1, 2, 1]  2 under 1
      R-Combiner  tree[0, 2, 0]             │  R-Combiner  tree[0, 2, 0]
    """
    one, two = lines = _step_lines((first, second))
    side = max(map(text_width, one))
    if side + max(map(text_width, two)) + 7 <= page.width:
        bar = "|" if page.ascii else "│"
        pairs = enumerate(zip_longest(one, two, fillvalue=""))
        marked = (f"{'>' if k == mark else ' '} {padded(x, side)}  {bar}  {y}" for k, (x, y) in pairs)
        return "\n".join(row.rstrip() for row in marked)
    rows = [f"  {text}" for text in one[:mark]]
    for number, texts in enumerate(lines, start=1):
        rows += [f"{number}{' ' if at else '>'}{text}" for at, text in enumerate(texts[mark:])]
    return "\n".join(rows)


def _step_lines(derivations: Sequence[Derivation]) -> list[list[str]]:
    """Return a line for each step of some derivations: step, item, and the links it builds, in columns of their own."""
    steps = [list(derivation.applied()) for derivation in derivations]
    told = ((noted(x.step or "", x.case), str(x.item), links_text(x.links)) for x in chain(*steps))
    cells = [tuple(map(printable, row)) for row in told]
    lines = iter(columns(cells, WIDE.width, widest=WIDE.width))
    return [list(islice(lines, len(own))) for own in steps]


# In DOT --------------------------------------------------------------------------------------------------

_FRAME = (
    "  rankdir=BT;",
    "  ranksep=0.25; nodesep=0.15;",
    '  node [fontname="monospace", fontsize=11, shape=box, style=rounded, height=0.3, margin="0.1,0.04"];',
    "  edge [arrowsize=0.6];",
    '  fontname="monospace"; fontsize=9;',
)
_GIVEN = "shape=plaintext, style=solid"
_FINAL = "peripheries=2"
_CHOICE = 'style="rounded,filled", fillcolor="#fdf0e6", color="#bf561b", penwidth=1.5'
_STEP = 'shape=oval, style=filled, fillcolor="#e8eef7", color="#e8eef7", fontsize=9, height=0.2'


def forest_dot(forest: Forest, *, rtl: bool | None = None) -> str:
    """Return the useful part of a forest in DOT: words at the bottom in the order of the sentence, final items on top.

    Steps are ovals, which need all items below them; items are boxes, and those that several steps derive are filled.
    `rtl` puts the words from right to left; None: if most of them run so.

    >>> import schemata
    >>> text = forest_dot(schemata.load("eisner1996").run("cats").forest())
    >>> print(text.splitlines()[0], text.count("peripheries=2"), text.count('"cats"'))
    digraph "forest of eisner1996" { 1 1
    """
    chart = forest.chart
    cases, words = chart.schema.cases, chart.sentence.words
    given, roots = chart.raw.hypothesis_count, frozenset(forest.roots)
    numbers = sorted(forest.order, key=chart.order)
    names = {number: f"i{k}" for k, number in enumerate(numbers)}
    lines: list[str] = []
    leaves: list[tuple[str, int | None]] = []
    steps = 0
    for number in numbers:
        item, edges = chart.item(number), list(forest.sorted_edges(number))
        styles = [_GIVEN] * (number < given) + [_FINAL] * (number in roots) + [_CHOICE] * (len(edges) > 1)
        if number < given:
            leaves.append((names[number], _place(item)))
        label = _leaf_text(item, words, short_text) if number < given else short_text(item)
        lines.append(f"  {names[number]} [{', '.join([f'label={_quoted(label)}', *styles])}];")
        for edge in edges:
            case = cases[edge.case]
            built = _step_text(case.step, case.label, chart.built_links(edge.case, edge.links))
            lines.append(f"  s{steps} [label={_quoted(built)}, {_STEP}];")
            lines += [f"  {names[tail]} -> s{steps} [arrowhead=none];" for tail in edge.tails]
            lines.append(f"  s{steps} -> {names[number]};")
            steps += 1
    legend = f"boxes: items, filled: several steps derive them; ovals: steps; {LEGEND}"
    placed = sorted((place, name) for name, place in leaves if place is not None)
    order = [name for _, name in placed][:: -1 if (run_right_to_left(words) if rtl is None else rtl) else 1]
    return _graph(f"forest of {chart.schema.name}", [f"  label={_quoted(legend)};", *lines, *_row(order)])


def _row(names: Sequence[str]) -> Iterator[str]:
    """Yield what puts nodes in a row, in this order."""
    if names:
        yield f"  {{ rank=same; {' '.join(f'{name};' for name in names)} }}"
    yield from (f"  {a} -> {b} [style=invis];" for a, b in pairwise(names))


def _graph(name: str, lines: Iterable[str]) -> str:
    return "\n".join([f"digraph {_quoted(name)} {{", *_FRAME, *lines, "}"]) + "\n"


def _quoted(text: str) -> str:
    escaped = printable(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
