"""The figures of parsers as text and as plots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from schemata.display.terminal import Page, tabulated
from schemata.wording import quantity

if TYPE_CHECKING:
    from schemata.learning.accuracy import Accuracy, Score
    from schemata.learning.brackets import BracketScores
    from schemata.learning.evaluation import Difference, Evaluation, Group

_TITLES = {
    "label": "label", "length": "words in the sentence", "arc_length": "distance to the head",
    "root_distance": "links to the root", "depth": "depth of the tree", "class": "class of the gold tree",
}  # fmt: skip


def evaluation_text(found: Evaluation, page: Page, by: Sequence[str] = (), how: str = "text") -> str:
    """Return the figures of one parser, and tables of the requested groups."""
    return evaluations_text([found], [], page, by, how)


def evaluations_text(
    found: Sequence[Evaluation],
    differences: Sequence[Difference],
    page: Page,
    by: Sequence[str] = (),
    how: str = "text",
) -> str:
    """Return the figures of parsers, tests of their differences, and tables of the requested groups."""
    first = found[0]
    headers = ["parser", ">UAS", ">LAS", ">CLAS", ">exact", ">NP recall", ">NP precision"]
    rows = []
    for one in found:
        figures = [_with_interval(one, name, getattr(one, name)) for name in ("uas", "las", "clas", "exact")]
        crossing = [_percent(one.nonprojective.recall), _percent(one.nonprojective.precision)]
        rows.append([one.system, *figures, *crossing])
    lines = [f"{quantity(first.sentences, 'sentence')}, {quantity(first.words, 'word')}", ""]
    lines.append(tabulated(headers, rows, how, page))
    if first.intervals:
        lines += ["", "± is half the width of the interval that holds 95 of 100 samples of sentences."]
    if differences:
        rows = [
            [f"{pair.first} - {pair.second}", *(f"{100 * by:+.2f} (p = {p:.3f})" for by, p in pair.tested)]
            for pair in differences
        ]
        lines += ["", tabulated(["difference", ">UAS", ">LAS"], rows, how, page)]
    for name in by:
        for one in found:
            title = _TITLES[name] if len(found) == 1 else f"{_TITLES[name]}, {one.system}"
            lines += ["", _table(title, one.groups[name], how, page)]
    return "\n".join(lines)


def _table(title: str, groups: Sequence[Group], how: str, page: Page) -> str:
    headers = [title, ">gold", ">parser", ">recall", ">precision", ">labelled recall", ">labelled precision"]
    rows = [
        [
            one.name,
            f"{one.gold:,}",
            f"{one.system:,}",
            *map(_percent, (one.recall, one.precision, one.labelled_recall, one.labelled_precision)),
        ]
        for one in groups
    ]
    return tabulated(headers, rows, how, page)


def brackets_text(found: BracketScores | Sequence[BracketScores], page: Page, how: str = "text") -> str:
    """Return the figures of labelled brackets, of one parser or several."""
    headers = ["parser", ">sentences", ">recall", ">precision", ">F1", ">exact"]
    rows = []
    for one in found if isinstance(found, Sequence) else [found]:
        figures = [_percent(x) for x in (one.recall, one.precision, one.f1, one.exact)]
        rows.append([one.system, f"{one.sentences:,}", *figures])
    return tabulated(headers, rows, how, page)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.2f}"


def _with_interval(one: Evaluation, name: str, share: float) -> str:
    found = one.intervals.get(name)
    return _percent(share) + (f" ±{50 * (found.high - found.low):.2f}" if found else "")


def accuracy_text(found: Accuracy, page: Page, how: str = "text") -> str:
    """Return a table of parsers for each treebank; one table of all where it is data."""
    names = list(dict.fromkeys(score.treebank for score in found.scores))
    if how in ("csv", "tsv"):
        names = [""]
    lines: list[str] = []
    for name in names:
        scores = [score for score in found.scores if name in ("", score.treebank)]
        if name:
            lines += ["", f"{name}: {quantity(scores[0].sentences, 'sentence')}", ""]
        headers = ["parser", "training", ">UAS", ">LAS", ">p", ">LP-NP", ">LR-NP", ">coverage", ">degree"]
        headers += [">training, s", ">ms a sentence"]
        rows = [([] if name else [score.treebank]) + _row(score) for score in scores]
        lines.append(tabulated([*([] if name else ["treebank"]), *headers], rows, how, page))
    if how not in ("csv", "tsv") and any(score.las_interval for score in found.scores):
        lines += [
            "",
            "± is half the width of the interval that holds 95 of 100 samples of sentences; p is that of the",
        ]
        lines += ["difference in LAS to the first parser."]
    return "\n".join(lines).lstrip("\n")


def _row(score: Score) -> list[str]:
    uas, las = (
        _percent(share) + (f" ±{50 * (interval.high - interval.low):.2f}" if interval else "")
        for share, interval in ((score.uas, score.uas_interval), (score.las, score.las_interval))
    )
    return [
        score.parser,
        score.training,
        uas,
        las,
        "" if score.p_las is None else f"{score.p_las:.3f}",
        _percent(score.crossing_precision),
        _percent(score.crossing_recall),
        _percent(score.coverage),
        "" if score.degree is None else str(score.degree),
        "" if score.train_seconds is None else f"{score.train_seconds:.1f}",
        f"{1000 * score.parse_seconds / score.sentences:.2f}",
    ]
