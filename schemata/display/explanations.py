"""Proofs of items, reasons why an item is not derivable, and traces of whole charts, as text.

A trace has one line an item, with its step, the numbers of its antecedents and the bindings. As a LaTeX fragment it
is a longtable with the items in math mode, for the package `longtable`, and `array` where items are broken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from schemata.analysis.explain import Inference, Proof, ProofNode, Trace, TraceRow
from schemata.analysis.reasons import Attempt, WhyNot, named_position
from schemata.charts import Item
from schemata.display.arc_layout import link_text
from schemata.display.latex import BROKEN, escaped, longtable, math_latex
from schemata.display.terminal import PAGE, Page, table, wrapped
from schemata.engine.chart import Chart
from schemata.errors import printable, text_width
from schemata.wording import listing, noted, quantity, stopped_by

_DEEPEST_LEVEL = 12  # levels that are indented; what lies deeper stands below the last of them
_STEP = 2
_ROOM = 30  # columns a line has at least, however deep it stands
_LONGEST = 45  # characters of the longest item of a table in LaTeX whose items are not broken


def explain_text(proof: Proof, page: Page = PAGE) -> str:
    """Return a proof as an indented list of numbered nodes."""
    lines = []
    if proof.written:
        lines.append(f"{printable(proof.written)} is {printable(str(proof.item))} in normal form")
    goal = proof.nodes[0]
    item = printable(str(goal.item))
    if goal.kind == "hypothesis":
        return "\n".join([*lines, f"{item} is a hypothesis: it needs no proof"])
    told = f"smallest proof, {quantity(proof.size, 'step instance')}"
    if proof.weight is not None:
        told = f"best derivation, weight {proof.weight:.6g}"
    lines += [f"{item}: {told}", ""]
    digits = len(str(len(proof.nodes)))
    for node in proof.nodes:
        lines += _node(proof.chart, node, digits, page.width)
    return "\n".join(lines)


def _node(chart: Chart, node: ProofNode, digits: int, width: int) -> list[str]:
    indent = _STEP * min(node.depth, _DEEPEST_LEVEL)
    deep = f"[level {node.depth}] " if node.depth > _DEEPEST_LEVEL else ""
    context = "given " if node.is_context else ""
    begin = f"{node.number:>{digits}}  {' ' * indent}{deep}{context}{printable(str(node.item))}   "
    match node.kind:
        case "hypothesis":
            return [f"{begin}hypothesis"]
        case "again":
            return [f"{begin}as in {node.same_as}"]
        case "cut":
            return [f"{begin}in {quantity(node.size, 'more step instance')}"]
    inference = node.inference
    assert inference is not None
    origin = f" from {', '.join(map(str, node.premises))}" if node.premises else ""
    told = f"{begin}by {noted(inference.step, inference.label)}{origin}"
    return [told, *_beside(chart, inference, digits + 2 + _STEP + indent, width)]


def _beside(chart: Chart, inference: Inference, indent: int, width: int) -> list[str]:
    """Return the texts beside a step: bindings, conditions, links."""
    texts = [bindings_text(inference.bindings)] if inference.bindings else []
    for condition in inference.conditions:
        compared = condition.kind == "comparison"
        texts.append(f"{condition.text}: {condition.filled}" if compared else condition.said)
    for link in inference.links:
        if isinstance(link[0], str):
            texts.append(f"builds {link_text(link)}")
        elif len(link) == 3:
            texts.append(f"joins {link_text(link, getattr(chart.grammar, 'words', ()))}")
        else:
            ends = " under ".join(named_position(p, chart.sentence) for p in link)
            texts += [f"builds the link of {ends}"] * (f"the grammar licenses {ends}" not in texts)
    texts += [f"weight {inference.weight:.6g}"] if inference.weight is not None else []
    width = max(width, indent + _ROOM)
    return [line for text in texts for line in wrapped(printable(text), width, indent, 2)]


def derivations_text(chart: Chart, item: Item, inferences: Sequence[Inference], page: Page = PAGE) -> str:
    """Return every step instance that derives an item."""
    shown = printable(str(item))
    if not inferences:
        return f"{shown} is a hypothesis: no step derives it"
    lines = [f"{shown}: derived by {quantity(len(inferences), 'step instance')}"]
    digits = len(str(len(inferences)))
    indent = digits + 4
    for number, inference in enumerate(inferences, start=1):
        given = ("given " * (k in inference.context) for k in range(len(inference.antecedents)))
        above = [f"{x}{printable(str(item))}" for x, item in zip(given, inference.antecedents, strict=True)]
        together = "   ".join(above)
        size = quantity(inference.size, "step instance")
        step = noted(inference.step, inference.label)
        lines += ["", f"{number:>{digits}}  by {step}   (smallest proof this way: {size})"]
        rows = [together] if text_width(together) <= page.width - indent else above
        lines += [" " * indent + text for text in rows]
        lines += _beside(chart, inference, indent, page.width)
    return "\n".join(line.rstrip() for line in lines)


# Reasons ---------------------------------------------------------------------------------------------------

_DEEPEST = 20  # columns that reasons are indented at most


def why_not_text(reason: WhyNot, page: Page = PAGE, said: str | None = None) -> str:
    """Return reasons as text; `said` is the first sentence, by default that an item is not derivable."""
    final, sentence = reason.final, None if reason.chart is None else reason.chart.sentence
    item = printable(reason.item)
    if reason.written:
        item = f"{printable(reason.written)}, in normal form {item},"
    if reason.hypothesis:
        return f"{item} is a hypothesis: it needs no derivation"
    if reason.derivable:
        return f"{item} is derivable: schemata explain proves it"
    lacking = f"{item} is not {'final' if reason.derived else 'derivable'}"
    said = said or f"{'no final item is derivable: ' if final else ''}{lacking}"
    if reason.derivable is None:
        what = f"a final item is derivable, such as {item}" if final else f"{item} is derivable"
        said = f"it is not known whether {what}: the run was cut short"
    because = () if reason.derivable is None else reason.unknown
    parts = [(0, said), *((2, f"because {why}") for why in because), *_reasons(reason, 2)]
    if reason.misfits:
        parts.append((2, f"other shapes only: {', '.join(reason.misfits)}"))
    if reason.links:
        ends = [f"{named_position(d, sentence)} under {named_position(h, sentence)}" for d, h in reason.links]
        parts += [(0, ""), (0, f"It would be derivable if the grammar licensed {listing(ends)}.")]
    lines = []
    for depth, text in parts:
        indent = min(depth, _DEEPEST)
        lines += wrapped(printable(text), max(page.width, indent + _ROOM), indent, 4, keep=" = ") or [""]
    if reason.hopeless and not reason.links:
        lines += ["", "No D-rules make it derivable in this sentence."]
    if reason.hint:
        lines += ["", *wrapped(reason.hint, page.width)]
    return "\n".join(lines)


def _reasons(reason: WhyNot, indent: int) -> Iterator[tuple[int, str]]:
    """Yield the missing items and failed attempts, each text with its indentation."""
    for lack in reason.lacks:
        yield indent, lack.said
    for attempt in reason.attempts:
        yield from _attempt(attempt, indent)
    if reason.untold:
        others = "one other step fails" if reason.untold == 1 else f"{reason.untold} other steps fail"
        yield indent, f"({others} too)"


def _attempt(attempt: Attempt, indent: int) -> Iterator[tuple[int, str]]:
    bindings = f" with {bindings_text(attempt.bindings)}" if attempt.bindings else ""
    yield indent, f"by {noted(attempt.step, attempt.label)}{bindings}:"
    if attempt.present:
        yield indent + 2, f"there is {listing(attempt.present)}"
    followed = {reason.item: reason for reason in attempt.missing}
    for lack in attempt.lacks:
        yield indent + 2, f"but {lack.said}" if attempt.present else lack.said
        told = next((followed.pop(item) for item in list(followed) if item in lack.said), None)
        if told is not None:
            yield from _reasons(told, indent + 4)
    for reason in followed.values():
        yield from _reasons(reason, indent + 4)
    if not attempt.complete:
        yield indent + 2, "(too many possibilities: not all were looked at)"


# Traces ----------------------------------------------------------------------------------------------------


def trace_text(trace: Trace, page: Page = PAGE) -> str:
    """Return a trace as a table.

    The numbers in the column `from` are those of the antecedents; context antecedents are in brackets.
    """
    rows = []
    for row in trace.rows:
        first = f"{row.number}{'*' if row.is_final else ' '}", str(row.item)
        more = f" +{row.instances - 1}" if len(row.derivations) == 1 and row.instances > 1 else ""
        for k, (step, origin, bindings) in enumerate(_origins(row)):
            others = more if k or not row.is_hypothesis else ""
            rows.append((*(("", "") if k else first), step, origin + others, bindings))
    listed = table([">no", "item", "step", "from", "with"], rows, page, fold=True, keep=" = ")
    return "\n".join([listed, "", *_legend(trace)])


def bindings_text(bindings: tuple[tuple[str, str], ...]) -> str:
    """Return bindings as text: `i = 0, b = false`."""
    return ", ".join(f"{name} = {value}" for name, value in bindings)


def _origins(row: TraceRow) -> list[tuple[str, str, str]]:
    """Return the steps that derive an item, each with the numbers of its antecedents and its bindings."""
    origins = [("hypothesis", "", "")] if row.is_hypothesis else []
    for derivation in row.derivations:
        above = enumerate(derivation.antecedents)
        numbers = [f"({x})" if k in derivation.context else f"{x}" for k, x in above]
        step = noted(derivation.step, derivation.label)
        origins.append((step, ", ".join(numbers), bindings_text(derivation.bindings)))
    return origins or [("", "", "")]


def _legend(trace: Trace) -> list[str]:
    finals = any(row.is_final for row in trace.rows)
    context = any(d.context for row in trace.rows for d in row.derivations)
    more = not trace.all_instances and any(row.instances > 1 for row in trace.rows)
    said = ["* final item"] if finals else ["no final item"]
    if trace.stopped:
        said.append(f"{stopped_by(trace.stopped)}: not all items are there")
    if context:
        said.append("(1) a context antecedent: it licenses the step and adds nothing")
    if more:
        said.append("+1 derived by one more step instance (--trace-all shows them)")
    if trace.useful_only:
        said.append("only the items that derivations of final items use")
    return said


def trace_latex(trace: Trace) -> str:
    """Return a trace as a longtable, with a caption that explains its columns."""
    rows: list[tuple[str, ...]] = []
    for row in trace.rows:
        item = f"${math_latex(str(row.item))}${' (final)' if row.is_final else ''}"
        for k, (step, origin, _) in enumerate(_origins(row)):
            rows.append(("" if k else str(row.number), "" if k else item, escaped(step), origin))
    words = escaped(" ".join(trace.chart.sentence.words))
    caption = (
        f"The chart of {escaped(trace.chart.schema.name)} on \\emph{{{words}}}. Each row has the number "
    )
    caption += "of an item, the item, the step that derives it, and the numbers of that step's antecedents"
    if any(derivation.context for row in trace.rows for derivation in row.derivations):
        caption += ", those in brackets being context antecedents, which license the step and add nothing"
    longest = max((len(str(row.item)) for row in trace.rows), default=0)
    return longtable(
        ("", "item", "step", "from"), rows, f"{caption}.", {1: BROKEN} if longest > _LONGEST else {}
    )
