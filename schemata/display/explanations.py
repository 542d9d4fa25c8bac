"""Proofs of items, reasons why an item is not derivable, and traces of whole charts, as text.

A trace has one line an item, with its step, the numbers of its antecedents and the bindings. As a LaTeX fragment it
is a longtable with the items in math mode, which needs the package `longtable` and nothing else.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from schemata.analysis.side_conditions import named_position
from schemata.display.arc_layout import link_text
from schemata.display.text import printable, text_width
from schemata.language import model as m

if TYPE_CHECKING:
    from schemata.analysis.explain import Inference, Proof, ProofNode
    from schemata.analysis.reasons import Attempt, WhyNot
    from schemata.analysis.trace import Derivation, Trace, TraceRow
    from schemata.charts.chart import Item
    from schemata.engine.chart import Chart
    from schemata.structures import Sentence


_DEEPEST_LEVEL = 12  # levels that are indented; what lies deeper stands below the last of them
_STEP = 2


def explain_text(proof: Proof, *, width: int = 80) -> str:
    """Return a proof as an indented list of numbered nodes."""
    lines = []
    if proof.written:
        lines.append(f"{printable(proof.written)} is {printable(str(proof.item))} in normal form")
    goal = proof.nodes[0]
    if goal.kind == "hypothesis":
        return "\n".join([*lines, f"{printable(str(goal.item))} is a hypothesis: it needs no proof"])
    steps = f"{proof.size:,} step instance{'' if proof.size == 1 else 's'}"
    lines += [f"{printable(str(goal.item))}: smallest proof, {steps}", ""]
    digits = len(str(len(proof.nodes)))
    for node in proof.nodes:
        lines += _node(proof.chart, node, digits, width)
    return "\n".join(lines)


def _node(chart: Chart, node: ProofNode, digits: int, width: int) -> list[str]:
    indent = " " * (_STEP * min(node.depth, _DEEPEST_LEVEL))
    deep = f"[level {node.depth}] " if node.depth > _DEEPEST_LEVEL else ""
    begin = f"{node.number:>{digits}}  {indent}{deep}{'given ' if node.is_context else ''}"
    item = printable(str(node.item))
    margin = " " * (digits + 2 + _STEP) + indent
    if node.kind == "hypothesis":
        return [f"{begin}{item}   hypothesis"]
    if node.kind == "again":
        return [f"{begin}{item}   as in {node.same_as}"]
    if node.kind == "cut":
        return [f"{begin}{item}   in {node.size:,} more step instance{'' if node.size == 1 else 's'}"]
    inference = node.inference
    assert inference is not None
    origin = f" from {', '.join(map(str, node.premises))}" if node.premises else ""
    return [
        f"{begin}{item}   by {_step(inference)}{origin}",
        *_beside_lines(_beside(chart, inference), margin, width),
    ]


def _step(inference: Inference) -> str:
    return f"{inference.step}{f' ({inference.label})' if inference.label else ''}"


def _beside(chart: Chart, inference: Inference) -> list[str]:
    """Return what stands beside a step: bindings, conditions, links, each a line to wrap."""
    found = []
    if inference.bindings:
        found.append(bindings_text(inference.bindings))
    licensed = set()
    for condition in inference.conditions:
        if condition.kind == "comparison":
            found.append(f"{condition.text}: {condition.filled}")
        else:
            found.append(condition.said)
            licensed.add(condition.said)
    for link in inference.links:
        if len(link) == 3:
            found.append(f"joins {link_text(link, getattr(chart.grammar, 'words', ()))}")
            continue
        dependent, head = link
        ends = [named_position(p, chart.sentence) for p in (dependent, head)]
        if f"the grammar licenses {ends[0]} under {ends[1]}" not in licensed:
            found.append(f"builds the link of {ends[0]} under {ends[1]}")
    return found


def _beside_lines(texts: Sequence[str], margin: str, width: int) -> list[str]:
    lines: list[str] = []
    for text in texts:
        room = max(width - len(margin), 30)
        lines += [
            f"{margin}{part}"
            for part in textwrap.wrap(
                printable(text), room, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
            )
        ]
    return lines


def derivations_text(chart: Chart, item: Item, inferences: Sequence[Inference], *, width: int = 80) -> str:
    """Return every step instance that derives an item."""
    count = len(inferences)
    shown = printable(str(item))
    if not count:
        return f"{shown} is a hypothesis: no step derives it"
    lines = [f"{shown}: derived by {count:,} step instance{'' if count == 1 else 's'}"]
    digits = len(str(count))
    for number, inference in enumerate(inferences, start=1):
        context = inference.context
        above = [
            f"{'given ' if k in context else ''}{printable(str(x))}"
            for k, x in enumerate(inference.antecedents)
        ]
        steps = f"{inference.size:,} step instance{'' if inference.size == 1 else 's'}"
        lines += ["", f"{number:>{digits}}  by {_step(inference)}   (smallest proof this way: {steps})"]
        margin = " " * (digits + 4)
        together = "   ".join(above)
        lines += [f"{margin}{together}"] if text_width(together) <= width - len(margin) else [
            f"{margin}{one}" for one in above
        ]  # fmt: skip
        lines += _beside_lines(_beside(chart, inference), margin, width)
    return "\n".join(line.rstrip() for line in lines)


_DEEPEST = 20  # columns that reasons are indented at most


def why_not_text(reason: WhyNot, sentence: Sentence, *, final: bool = False, width: int = 80) -> str:
    """Return reasons as text; `final` says that any final item was asked for."""
    item = printable(reason.item)
    if reason.written:
        item = f"{printable(reason.written)}, in normal form {item},"
    if reason.hypothesis:
        return f"{item} is a hypothesis: it needs no derivation"
    if reason.derivable:
        return f"{item} is derivable: schemata explain tells how"
    said = f"{'no final item is derivable: ' if final else ''}{item} is not derivable"
    lines = _reason_lines(said, 0, width)
    lines += _reasons(reason, 2, width)
    if reason.misfits:
        lines += _reason_lines(f"other shapes only: {', '.join(reason.misfits)}", 2, width)
    if reason.links:
        ends = [f"{named_position(d, sentence)} under {named_position(h, sentence)}" for d, h in reason.links]
        lines += [
            "",
            *_reason_lines(f"It would be derivable if the grammar licensed {_joined(ends)}.", 0, width),
        ]
    elif reason.hopeless:
        lines += ["", "No D-rules make it derivable in this sentence."]
    return "\n".join(lines)


def _reasons(reason: WhyNot, indent: int, width: int) -> list[str]:
    lines: list[str] = []
    for lack in reason.lacks:
        lines += _reason_lines(lack.said, indent, width)
    for attempt in reason.attempts:
        lines += _attempt(attempt, indent, width)
    if reason.untold:
        other = "one other step fails" if reason.untold == 1 else f"{reason.untold} other steps fail"
        lines += _reason_lines(f"({other} too)", indent, width)
    return lines


def _attempt(attempt: Attempt, indent: int, width: int) -> list[str]:
    label = f" ({attempt.label})" if attempt.label else ""
    bindings = f" with {bindings_text(attempt.bindings)}" if attempt.bindings else ""
    lines = _reason_lines(f"by {attempt.step}{label}{bindings}:", indent, width)
    if attempt.present:
        lines += _reason_lines(f"there is {_joined(list(attempt.present))}", indent + 2, width)
    followed = {reason.item: reason for reason in attempt.missing}
    for lack in attempt.lacks:
        lines += _reason_lines(f"but {lack.said}" if attempt.present else lack.said, indent + 2, width)
        told = next((followed.pop(item) for item in list(followed) if item in lack.said), None)
        if told is not None:
            lines += _reasons(told, indent + 4, width)
    for reason in followed.values():
        lines += _reasons(reason, indent + 4, width)
    if not attempt.complete:
        lines += _reason_lines("(too many possibilities: not all were looked at)", indent + 2, width)
    return lines


def _joined(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _reason_lines(text: str, indent: int, width: int) -> list[str]:
    indent = min(indent, _DEEPEST)
    margin = " " * indent
    whole = printable(text).replace(" = ", "\xa0=\xa0")
    lines = textwrap.wrap(
        whole,
        max(width - indent, 30),
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [f"{margin}{line}".replace("\xa0", " ") for line in lines]


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
        first, *others = _bindings_lines(rest, room)
        lines.append(f"{fixed}  {first}")
        lines += [f"{' ' * text_width(fixed)}  {part}" for part in others]
    else:
        lines.append(fixed.rstrip())
        lines += [f"{margin}      {part}" for part in _bindings_lines(rest, max(width - widths[0] - 6, 20))]
    return "\n".join(lines)


def _padded(text: str, columns: int) -> str:
    return text + " " * (columns - text_width(text))


def _bindings_lines(text: str, columns: int) -> list[str]:
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
        lines += [rf"  {' & '.join(cells)} \\" for cells in _latex_cells(chart, row)]
    return "\n".join([*lines, r"\end{longtable}"])


def _latex_cells(chart: Chart, row: TraceRow) -> list[tuple[str, str, str, str]]:
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
