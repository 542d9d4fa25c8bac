"""Constraint networks, analyses and repairs as text and pictures."""

from __future__ import annotations

from schemata.constraints.answers import ConstraintCoverage, Satisfied
from schemata.constraints.checks import ConstraintVerdict
from schemata.constraints.repair import Repaired
from schemata.display.arc_layout import Picture, links_picture
from schemata.display.arcs import arcs_svg, arcs_text
from schemata.display.terminal import PAGE, Page, columns, table, wrapped
from schemata.grammars.constraint_networks import Assignment, Network, Violation, surviving_links
from schemata.wording import quantity, stopped_by

_ARCS = 3  # arcs for each word that are drawn as text
_VALUES = 8  # values of a word that are listed


def satisfied_text(answer: Satisfied, page: Page = PAGE) -> str:
    """Return the text that `schemata constraints` prints for a sentence."""
    network, found = answer.network, answer.found
    blocks = [network_text(network, page)]
    if answer.repaired is not None:
        blocks.append(_repaired_text(network, answer.repaired, page))
    if found.is_list:
        count = quantity(found.count, "analysis", "analyses")
        more = {True: "", False: ", and there are more (--all N)", None: ", not all were looked for"}[
            found.is_all
        ]
        blocks.append(f"{count} without hard violations{more}")
        blocks += [_analysis_text(network, one, page) for one in found.analyses]
    elif found.best is None:
        blocks.append("no analysis was found")
    else:
        title = {True: "the best analysis", False: "an analysis", None: "the best analysis found so far"}[
            found.is_best
        ]
        blocks.append(f"{title}: {_worth(found.best)}\n{_analysis_text(network, found.best, page, '')}")
    if found.stopped:
        blocks.append(stopped_by(found.stopped))
    return "\n\n".join(blocks)


def network_text(network: Network, page: Page = PAGE) -> str:
    """Return a network as text: the values that are left of each word, and the arcs."""
    sizes = [sum(map(len, x)) for x in (network.domains, network.consistent, network.surviving)]
    lines = [
        f"{quantity(network.n, 'word')}, {quantity(sizes[0], 'value')}: {sizes[1]:,} left by constraints on one "
        f"word, {sizes[2]:,} by propagation",
        "",
    ]
    rows = []
    for place, (word, left) in enumerate(
        zip(network.sentence.words, network.surviving, strict=True), start=1
    ):
        names = [network.name(place, network.domains[place - 1][k]) for k in left]
        more = f" and {len(names) - _VALUES:,} more" if len(names) > _VALUES else ""
        rows.append([str(place), word, (", ".join(names[:_VALUES]) or "nothing is left") + more])
    lines.append(table([">", "word", "values left"], rows, page))
    if network.is_refuted:
        lines += ["", "a word has no value left: every analysis violates a hard constraint"]
        return "\n".join(lines)
    picture = network_picture(network)
    if len(picture.links) > _ARCS * network.n:
        lines += ["", f"{quantity(len(picture.links), 'arc')} left: --svg FILE draws them"]
    else:
        lines += ["", arcs_text(picture, page)]
    return "\n".join(lines)


def network_picture(network: Network) -> Picture:
    """Return the arcs that are left, with their labels."""
    links = [(d, h, _labels(labels)) for (d, h), labels in sorted(surviving_links(network).items())]
    tags = [" or ".join(dict.fromkeys(one.category for one in listed)) for listed in network.readings]
    return links_picture(network.sentence.words, links, tags=tags)


def _labels(labels: list[str]) -> str:
    """Return the labels of an arc: two of them, and how many more there are."""
    more = f"+{len(labels) - 2}" if len(labels) > 2 else ""
    return "/".join(labels[:2]) + more


def network_svg(network: Network) -> str:
    """Return the surviving network as a picture."""
    return arcs_svg(network_picture(network))


def _worth(analysis: Assignment) -> str:
    if analysis.hard:
        return quantity(analysis.hard, "hard constraint") + " violated"
    return f"acceptability {analysis.weight:.4g}"


def _analysis_text(network: Network, analysis: Assignment, page: Page, title: str | None = None) -> str:
    rows = zip(analysis.heads, analysis.labels, strict=True)
    links = [(d, h, label) for d, (h, label) in enumerate(rows, start=1)]
    readings = [*map(str, analysis.readings)]
    lines = [f"{_worth(analysis)}:"] if title is None else []
    lines += ["", arcs_text(links_picture(network.sentence.words, links, tags=readings), page)]
    return "\n".join([*lines, *_violations_text(network, analysis.violations, page)])


def _violations_text(network: Network, violations: tuple[Violation, ...], page: Page) -> list[str]:
    if not violations:
        return ["", "no constraint is violated"]
    rows = [("", _named(one), _words(network, one.words)) for one in violations]
    return ["", "violated:", *columns(rows, page.width)]


def _named(violation: Violation) -> str:
    weight = "hard" if violation.constraint.is_hard else f"{violation.constraint.weight:g}"
    return f"{violation.constraint.name} [{weight}]"


def _words(network: Network, words: tuple[int, ...]) -> str:
    return " and ".join(f"{network.sentence.words[word - 1]} ({word})" for word in words)


def _repaired_text(network: Network, repaired: Repaired, page: Page) -> str:
    kept = [one for one in repaired.repairs if one.kept]
    lines = [
        f"repair: from {_worth(repaired.first)} to {_worth(repaired.best)} by {quantity(len(kept), 'repair')}, of "
        f"{quantity(repaired.tried, 'repair')} tried"
    ]
    if repaired.stopped:
        lines[0] += f" ({stopped_by(repaired.stopped)})"
    rows = []
    for one in kept:
        changes = (
            f"{network.sentence.words[x.word - 1]} ({x.word}): {network.name(x.word, x.old)} becomes "
            f"{network.name(x.word, x.new)}"
            for x in one.changes
        )
        reason = f"{_named(one.reason)} of {_words(network, one.reason.words)}"
        rows.append([reason, "; ".join(changes), _worth(one.after)])
    if rows:
        lines += ["", table(["reason", "repair", "then"], rows, page)]
    return "\n".join(lines)


def coverage_text(found: ConstraintCoverage, page: Page = PAGE) -> str:
    """Return the text that `schemata constraints --conllu` prints."""
    total = found.sentences

    def share(count: int) -> str:
        return f"{count:,} ({count / total:.1%})" if total else str(count)

    rows = [
        ("", "an analysis", share(found.analysed)),
        ("", "proved the best", share(found.proved)),
        ("", "gold tree allowed", share(found.admitted)),
        ("", "gold tree as good", share(found.as_good)),
    ]
    if found.unknown:
        rows.append(("", "not known", share(found.unknown)))
    lines = [
        f"{found.file}: {quantity(total, 'sentence')} of at most {quantity(found.max_words, 'word')}",
        "",
    ]
    lines += columns(rows, page.width)
    if found.uas is not None and found.las is not None:
        lines += [
            "",
            f"of {quantity(found.words, 'word')}: head right {found.uas:.1%}, with its label {found.las:.1%}",
        ]
    if found.violated:
        worst = list(found.violated.items())[:10]
        text = ", ".join(f"{name} {count:,}" for name, count in worst)
        lines += ["", *wrapped(f"gold trees most often violate: {text}", page.width, hanging=2)]
    if found.skipped:
        lines.append(f"{quantity(found.skipped, 'sentence')} skipped")
    return "\n".join(lines)


def constraint_verdict_text(verdict: ConstraintVerdict, page: Page = PAGE) -> str:
    """Return the text that `schemata constraints --verify` prints."""
    said = {True: "all agree", False: "they differ", None: "not known"}[verdict.holds]
    lines = [
        f"propagation, search and repair against brute force, to {quantity(verdict.max_n, 'word')}: {said}",
        "",
        f"{quantity(verdict.cases, 'sentence')}, {quantity(verdict.assignments, 'assignment')}, seed {verdict.seed}",
        f"values that propagation took out: {verdict.out:,}, none of them in an analysis without hard violations",
        f"best analyses that repair found, too: {verdict.repaired:,}",
    ]
    if verdict.too_many:
        lines.append(f"{quantity(verdict.too_many, 'sentence')} left out: too many assignments")
    if verdict.stopped:
        lines.append(stopped_by(verdict.stopped))
    if verdict.wrong is not None:
        one = verdict.wrong
        lines[3:4] = []
        lines += ["", f"'{' '.join(one.words)}': {one.what}", "", one.grammar.rstrip()]
    return "\n".join(lines)
