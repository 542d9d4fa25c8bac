"""A trace as text: one line an item, with its step, the numbers of its antecedents and the bindings."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from schemata.display.columns import printable, text_width

if TYPE_CHECKING:
    from schemata.analysis.trace import Derivation, Trace, TraceRow

__all__ = ["antecedents_text", "bindings_text", "trace_text"]

_WIDEST_ITEM = 34  # columns; longer items have a line of their own
_NARROWEST_REST = 24


def trace_text(trace: Trace, *, width: int = 80) -> str:
    """Return a trace as a table.

    The numbers in the column `from` are those of the antecedents; context antecedents are in brackets.
    """
    rows = [cells for row in trace.rows for cells in _cells(row)]
    head = ("no", "item", "step", "from", "with")
    widths = [max([text_width(head[k]), *(text_width(cells[k]) for cells in rows)]) for k in range(4)]
    widths[1] = max([4, *(text_width(cells[1]) for cells in rows if text_width(cells[1]) <= _WIDEST_ITEM)])
    lines = [_line(head, widths, width)]
    lines += [_line(cells, widths, width) for cells in rows]
    return "\n".join([*lines, "", *_legend(trace)])


def antecedents_text(derivation: Derivation) -> str:
    """Return the numbers of a derivation's antecedents, context in brackets: `3, (5)`."""
    return ", ".join(
        f"({number})" if k in derivation.context else str(number)
        for k, number in enumerate(derivation.antecedents)
    )


def bindings_text(bindings: tuple[tuple[str, str], ...]) -> str:
    """Return bindings as text: `i = 0, b = false`."""
    return ", ".join(f"{name} = {value}" for name, value in bindings)


def _cells(row: TraceRow) -> list[tuple[str, str, str, str, str]]:
    number, item = f"{row.number}{'*' if row.is_final else ' '}", printable(str(row.item))
    found = []
    if row.is_hypothesis:
        found.append((number, item, "hypothesis", "", ""))
    for derivation in row.derivations:
        more = row.instances - 1 if len(row.derivations) == 1 and row.instances > 1 else 0
        label = f" ({derivation.label})" if derivation.label else ""
        found.append(
            (
                "" if found else number,
                "" if found else item,
                f"{derivation.step}{label}",
                antecedents_text(derivation) + (f" +{more}" if more else ""),
                printable(bindings_text(derivation.bindings)),
            )
        )
    return found or [(number, item, "", "", "")]


def _line(cells: tuple[str, str, str, str, str], widths: list[int], width: int) -> str:
    number, item, step, origin, rest = cells
    begin = f"{' ' * (widths[0] - text_width(number))}{number}"
    margin = " " * widths[0]
    lines = []
    if text_width(item) > widths[1]:
        lines.append(f"{begin}  {item}")
        begin, item = margin, ""
    fixed = f"{begin}  {_padded(item, widths[1])}  {_padded(step, widths[2])}  {_padded(origin, widths[3])}"
    room = width - text_width(fixed) - 2
    if not rest:
        lines.append(fixed.rstrip())
    elif text_width(rest) <= room:
        lines.append(f"{fixed}  {rest}")
    elif room >= _NARROWEST_REST:
        first, *others = _wrapped(rest, room)
        lines.append(f"{fixed}  {first}")
        lines += [f"{' ' * text_width(fixed)}  {part}" for part in others]
    else:
        lines.append(fixed.rstrip())
        lines += [f"{margin}      {part}" for part in _wrapped(rest, max(width - widths[0] - 6, 20))]
    return "\n".join(lines)


def _padded(text: str, columns: int) -> str:
    return text + " " * (columns - text_width(text))


def _wrapped(text: str, columns: int) -> list[str]:
    """Wrap bindings so that each stays whole where there is room."""
    whole = text.replace(" = ", "\xa0=\xa0")
    lines = textwrap.wrap(whole, columns, break_long_words=False, break_on_hyphens=False)
    return [line.replace("\xa0", " ") for line in lines]


def _legend(trace: Trace) -> list[str]:
    finals = any(row.is_final for row in trace.rows)
    context = any(d.context for row in trace.rows for d in row.derivations)
    more = not trace.all_instances and any(row.instances > 1 for row in trace.rows)
    said = ["* final item"] if finals else ["no final item"]
    if context:
        said.append("(1) a context antecedent: it licenses the step and adds nothing")
    if more:
        said.append("+1 derived by one more step instance (--trace-all shows them)")
    if trace.useful_only:
        said.append("only the items that derivations of final items use")
    return said
