r"""A trace as a LaTeX fragment: a longtable with the items in math mode.

It needs the package `longtable` and nothing else: `\usepackage{longtable}`. Letters beyond ASCII are left as
they are, which every engine of today reads as UTF-8.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemata.display.trace import antecedents_text
from schemata.language import model as m

if TYPE_CHECKING:
    from schemata.analysis.trace import Derivation, Trace, TraceRow
    from schemata.charts.items import Item
    from schemata.engine.chart import Chart

__all__ = ["escaped", "item_latex", "trace_latex"]

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
}
_ROOT = "*root*"


def escaped(text: str) -> str:
    r"""Return text with the characters that mean something to LaTeX escaped.

    >>> escaped("50% of $x_1")
    '50\\% of \\$x\\_1'
    """
    shown = "".join(_SPECIAL.get(c, c if c.isprintable() else " ") for c in text)
    return shown.replace(r"\textquotedbl{}", "''")


def item_latex(chart: Chart, item: Item) -> str:
    """Return an item for math mode."""
    form = chart.schema.form(item.form)
    fields = (_value(v, f.type) for v, f in zip(item.values, form.fields, strict=True))
    return rf"\mbox{{{escaped(item.form)}}}[{', '.join(fields)}]"


def trace_latex(trace: Trace) -> str:
    """Return a trace as a longtable."""
    chart = trace.chart
    lines = [
        r"% needs \usepackage{longtable}",
        r"\begin{longtable}{rlll}",
        r"  & item & step & from \\ \hline",
        r"  \endhead",
    ]
    for row in trace.rows:
        lines += [rf"  {' & '.join(cells)} \\" for cells in _cells(chart, row)]
    return "\n".join([*lines, r"\end{longtable}"])


def _cells(chart: Chart, row: TraceRow) -> list[tuple[str, str, str, str]]:
    number, item = str(row.number), f"${item_latex(chart, row.item)}$"
    if row.is_final:
        item += " (final)"
    found = [(number, item, "hypothesis", "")] if row.is_hypothesis else []
    for derivation in row.derivations:
        found.append(("", "", *_origin(derivation)) if found else (number, item, *_origin(derivation)))
    return found or [(number, item, "", "")]


def _origin(derivation: Derivation) -> tuple[str, str]:
    label = f" ({derivation.label})" if derivation.label else ""
    return escaped(f"{derivation.step}{label}"), antecedents_text(derivation)


def _value(value: m.Value, kind: m.Type) -> str:
    if value is None:
        return "{-}"
    match kind.kind:
        case "flag":
            return rf"\mbox{{{'true' if value else 'false'}}}"
        case "optional":
            return _value(value, kind.arguments[0])
        case "list" if isinstance(value, tuple):
            return rf"\langle {', '.join(_value(v, kind.arguments[0]) for v in value)} \rangle"
        case "tuple" if isinstance(value, tuple):
            return f"({', '.join(_value(v, t) for v, t in zip(value, kind.arguments, strict=True))})"
        case "dotted" if isinstance(value, tuple):
            category, *parts = value
            words = [r"\ ".join(map(_symbol, part)) for part in parts if isinstance(part, tuple)]
            body = r" \bullet ".join(words)
            return f"{_symbol(category)}({body})"
        case "position":
            return str(value)
    return _symbol(value)


def _symbol(symbol: object) -> str:
    if symbol == "^":
        return "*"
    return r"\mbox{root}" if symbol == _ROOT else rf"\mbox{{{escaped(str(symbol))}}}"
