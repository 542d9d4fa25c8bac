"""What a run's weights answer, as text: best structures as arcs, totals and probabilities as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from schemata.analysis.reasons import named_position
from schemata.analysis.weighed import Weighed, WhyNotBest
from schemata.display.structures import structure_svgs, structure_text
from schemata.display.svg import WIDTH
from schemata.display.terminal import Page, table
from schemata.engine.weighing import WeightedStructure
from schemata.structures import DependencyTree
from schemata.wording import quantity

_DIGITS = 6


def weighed_text(answers: Weighed, page: Page) -> str:
    """Return what `schemata run` prints of weights."""
    parts: list[str] = []
    if answers.best is not None:
        parts += _pictures("best", answers.best, answers, page) or ["no structure is derived"]
    if answers.totals is not None:
        rows = [[name, total_text(total)] for name, total in answers.totals.items()]
        parts.append(table(["semiring", "total"], rows, page))
    if answers.marginals is not None:
        parts.append(_marginals(answers, page))
    if answers.samples is not None:
        parts += _pictures("sample", answers.samples, answers, page) or ["no structure is drawn"]
    return "\n\n".join(parts)


def best_svgs(answers: Weighed, *, width: int | None = WIDTH, rtl: bool | None = None) -> list[str]:
    """Return the best structures as SVG; where marginals were asked for, links of trees are as thick as probable."""
    found = [one.structure for one in answers.best or ()]
    strengths = _strengths(answers) or None
    return structure_svgs(answers.chart.sentence, found, width=width, rtl=rtl, strengths=strengths)


def why_not_best_text(answer: WhyNotBest, page: Page) -> str:
    """Return what `schemata why-not --best` prints: both trees, and where the best one wins."""
    words = answer.chart.sentence.words
    asked = f"heads {' '.join(map(str, answer.heads))}"
    if answer.best is None:
        return f"{asked}: no tree is derived"
    best = f"heads {' '.join(map(str, answer.best_heads))}, weight {weight_text(answer.best.weight)}"
    if answer.is_best:
        return f"{asked}: no tree is better; its weight is {weight_text(answer.best.weight)}"
    if answer.weight is None:
        schema = answer.chart.schema.name
        lines = [f"{asked}: {schema} does not derive this tree, or a weight forbids it", f"best: {best}"]
    else:
        won = weight_text(answer.best.weight - answer.weight)
        lines = [f"{asked}, weight {weight_text(answer.weight)}", f"best: {best}: it wins by {won}"]
    rows = []
    for one in answer.links:
        heads = [named_position(head, answer.chart.sentence) for head in (one.head, one.best_head)]
        score, best_score, gain = map(weight_text, (one.score, one.best_score, one.gain))
        word = f"{one.dependent} {words[one.dependent - 1]}"
        rows.append([word, heads[0], score, heads[1], best_score, gain])
    if answer.rest:
        rows.append(["rules and steps", "", "", "", "", weight_text(answer.rest)])
    headers = ["word", "head", "score", "head in the best", "score", "gain"]
    return "\n".join([*lines, "", table(headers, rows, page)])


def weight_text(weight: float) -> str:
    """Return a weight in log space.

    >>> weight_text(-1.25), weight_text(float("-inf"))
    ('-1.25', '-inf')
    """
    return f"{weight:.{_DIGITS}g}"


def total_text(total: Any) -> str:
    """Return a total of any semiring."""
    if isinstance(total, tuple):
        return ", ".join(map(total_text, total)) or "none"
    if isinstance(total, bool):
        return "true" if total else "false"
    return f"{total:,}" if isinstance(total, int) else weight_text(total)


def _pictures(what: str, found: Sequence[WeightedStructure], answers: Weighed, page: Page) -> list[str]:
    strengths = _strengths(answers)
    parts = []
    for number, one in enumerate(found, start=1):
        title = f"{what} {number}: weight {weight_text(one.weight)}"
        if isinstance(one.structure, DependencyTree):
            title += f", heads {' '.join(map(str, one.structure.heads))}"
        drawn = structure_text(answers.chart.sentence, one.structure, page, strengths=strengths)
        parts.append(f"{title}\n{drawn}")
    return parts


def _strengths(answers: Weighed) -> dict[Any, float]:
    """Return the marginals of links by their ends, those of all labels together."""
    found: dict[Any, float] = {}
    for link, share in (answers.marginals or {}).items() if answers.chart.schema.builds_links else ():
        ends = link[:2] if isinstance(link, tuple) else link
        found[ends] = found.get(ends, 0.0) + share
    return found


def _marginals(answers: Weighed, page: Page) -> str:
    """Return probabilities: a table of dependents and heads, or a line for each labelled link or item."""
    found = answers.marginals or {}
    words = answers.chart.sentence.words
    plain = answers.chart.schema.builds_links and all(isinstance(x, tuple) and len(x) == 2 for x in found)
    if not (found and plain):
        if not found:
            return f"{quantity(0, 'link')} with a probability"
        built = (" ".join(map(str, one)) if isinstance(one, tuple) else str(one) for one in found)
        rows = [[one, f"{share:.3f}"] for one, share in zip(built, found.values(), strict=True)]
        return table(["built", "probability"], rows, page)
    heads = range(len(words) + 1)
    shares = _strengths(answers)
    rows = [
        [f"{d} {word}", *(f"{shares[d, h]:.3f}" if shares.get((d, h), 0.0) >= 0.0005 else "." for h in heads)]
        for d, word in enumerate(words, start=1)
    ]
    return table(["probability of head", *map(str, heads)], rows, page)
