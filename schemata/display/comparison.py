"""Comparisons of schemata: tables for the terminal, comma-separated values, differences of charts."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, product
from operator import attrgetter
from typing import TypeAlias

from schemata.analysis.compare import ChartDifference, Comparison, FormDifference
from schemata.analysis.figures import Figures
from schemata.display.terminal import PAGE, Page, no_formula, table, wrapped
from schemata.errors import printable
from schemata.wording import number_text, quantity, stopped_by

_ROUNDED_FROM = 10**12  # counts of derivations from here on are rounded


def comparison_text(
    comparison: Comparison,
    page: Page = PAGE,
    *,
    seconds: bool = True,
    detail: bool = False,
    limit_steps: int | None = None,
) -> str:
    """Return a comparison as text: figures, ratios to the first schema, growth where there are lengths.

    Parameters
    ----------
    comparison : the comparison.
    page : the page it is printed on.
    seconds : print seconds.
    detail : print the counts by item form and by step as well.
    limit_steps : the budget of steps, printed for runs that hit it.
    """
    in_total, rows = comparison.in_total, comparison.shown
    if not rows:
        return "no sentences"
    groups, first = _groups(rows, in_total), comparison.labels[0]
    place, names = ">sentences" if in_total else ">n", _NAMES if seconds else _NAMES[:-1]
    accepted = [">accepted"] if in_total else []
    figures: list[_ComparisonRow] = []
    ratios: list[_ComparisonRow] = []
    for group in groups:
        base = next((row for row in group if row.label == first), None)
        for row in group:
            begin = [f"{row.sentences if in_total else row.n:,}", row.label]
            counted = [f"{row.accepted:,}"] if in_total else []
            told = _figures(row, page, limit_steps)
            figures.append((begin if row is group[0] else ["", row.label], counted, told))
            if base is not None and row is not base and (compared := _ratios(row, base, page)):
                ratios.append((begin, [], compared))
    parts = [_table([place, "schema"], accepted, figures, names, page)]
    if ratios:
        parts.append(_table([place, "schema"], [], ratios, names, page))
    if len(comparison.labels) > 1:
        parts.append(f"{_times(page)} is relative to {first}")
    if detail:
        parts += [_detail(group, page, in_total) for group in groups]
    if any(row.sentences > 1 for row in rows):
        parts.append(_spreads(rows, page, in_total))
    if not in_total and (growth := _growth(comparison, page)):
        parts.append(growth)
    if comparison.costs:
        parts.append(_reasons(comparison, page))
    return "\n\n".join(parts)


def _table(
    headers: list[str], more: list[str], rows: Sequence[_ComparisonRow], names: Sequence[str], page: Page
) -> str:
    """Return a table of rows: leading cells, and values by name; columns without any value are left out."""
    told = [name for name in names if any(values.get(name, "-") != "-" for *_, values in rows)]
    cells = [[*begin, *counted, *(values.get(name, "") for name in told)] for begin, counted, values in rows]
    return table([*headers, *more, *(f">{name}" for name in told)], cells, page, fold=True)


def stop_text(row: Figures) -> str:
    """Return the message for a run that hit its budget, or whose forest was not counted within it."""
    if not row.stopped:
        words = quantity(row.words, "word")
        return f"{row.label}, {words}: its forest was not counted within the budget of {row.uncounted}"
    ran, steps = quantity(row.words, "word"), quantity(row.steps, "step instance")
    return f"{row.label}, {ran}: {stopped_by(row.stopped)} after {steps}"


_NAMES = ("items", "useful", "steps", "derivations", "trees", "linkages", "seconds")
_Number: TypeAlias = int | float | None
_ComparisonRow: TypeAlias = tuple[
    list[str], list[str], dict[str, str]
]  # begin, sentences accepted, values by name


def _groups(rows: Sequence[Figures], in_total: bool) -> list[list[Figures]]:
    """Return the rows that are about the same sentences: a group begins where a label comes again."""
    groups: list[list[Figures]] = []
    for row in rows:
        if not groups or (not in_total and any(row.label == other.label for other in groups[-1])):
            groups.append([])
        groups[-1].append(row)
    return groups


_MEASURABLE = 0.002  # seconds; ratios of less are noise


def _ratios(row: Figures, base: Figures, page: Page) -> dict[str, str]:
    """Return the ratios of a row's figures to those of the first schema; bounds, where one of the two was stopped."""
    if base.stopped and row.stopped:
        return {}
    bound = "> " if row.stopped else "< " if base.stopped else ""
    mine, theirs = _numbers(row), _numbers(base)
    if min(row.seconds, base.seconds) < _MEASURABLE:
        mine = {name: number for name, number in mine.items() if name != "seconds"}
    ratios = {name: _ratio(number, theirs.get(name)) for name, number in mine.items()}
    return {name: f"{bound}{_times(page)}{ratio}" for name, ratio in ratios.items() if ratio}


def _numbers(row: Figures) -> dict[str, _Number]:
    names = "items", "useful", "steps", "derivations", row.structures, "seconds"
    found = attrgetter("items", "useful_items", "steps", "derivations", "distinct_trees", "seconds")(row)
    return dict(zip(names, found, strict=True))


def _figures(row: Figures, page: Page, limit_steps: int | None) -> dict[str, str]:
    above = "> " if row.stopped else ""
    steps = limit_steps if row.stopped == "steps" and limit_steps and row.n is not None else row.steps
    figures = {
        name: "-" if number is None else number_text(number, _ROUNDED_FROM)
        for name, number in _numbers(row).items()
        if number is not None or row.ended
    }
    if row.distinct_trees is None and row.trees_at_least is not None:
        least = number_text(row.trees_at_least, _ROUNDED_FROM)
        figures[row.structures] = f"{'>=' if page.ascii else '≥'} {least}"
    bounds = {"items": f"{row.items:,}", "steps": f"{steps:,}", "seconds": f"{row.seconds:.4f}"}
    return figures | {name: above + text for name, text in bounds.items()}


def _ratio(mine: _Number, theirs: _Number) -> str:
    if mine is None or theirs is None or not theirs or math.inf in (mine, theirs):
        return ""
    try:
        ratio = mine / theirs
    except OverflowError:  # integers of hundreds of digits: their quotient, at least, may be printed
        return number_text(int(mine) // int(theirs))
    if ratio >= 1e6 or 0 < ratio < 0.005:
        return f"{ratio:.1e}".replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")
    return f"{ratio:.2f}" if ratio < 100 else f"{ratio:,.0f}"


def _times(page: Page) -> str:
    return "x" if page.ascii else "×"


def _detail(group: Sequence[Figures], page: Page, in_total: bool) -> str:
    """Return the counts by form and by step, a column per schema."""
    about = "in total" if in_total else quantity(group[0].words, "word")
    counts = [{"items": dict(row.items_by_form), "steps": dict(row.steps_by_name)} for row in group]
    cells = []
    for kind in ("items", "steps"):
        for k, name in enumerate(dict.fromkeys(name for count in counts for name in count[kind])):
            told = (f"{count[kind][name]:,}" if name in count[kind] else "-" for count in counts)
            cells.append(["" if k else kind, name, *told])
    return table([about, "", *(f">{row.label}" for row in group)], cells, page, fold=True)


def _spreads(rows: Sequence[Figures], page: Page, in_total: bool) -> str:
    """Return how the counts of single sentences, or of single grammars, are spread."""
    cells = []
    for row, name in product(rows, ("items", "steps")):
        mean, deviation, quartiles = row.spread(name)
        label = "" if name == "steps" else row.label if in_total else f"{row.n} {row.label}"
        told = [f"{x:,.2f}".removesuffix("0").removesuffix(".0") for x in quartiles]
        cells.append([label, name, f"{mean:,.1f} {'+-' if page.ascii else '±'} {deviation:,.1f}", *told])
    headers = ["a sentence" if in_total else "a grammar", "", ">mean"]
    return table([*headers, ">least", ">quartile", ">median", ">quartile", ">most"], cells, page, fold=True)


def _reasons(comparison: Comparison, page: Page) -> str:
    """Explain the counts by the rules: formulas of the totals, then the positions that each step joins
    over.
    """
    totals, rows = [], []
    longest = {row.label: dict(row.steps_by_name) for row in comparison.shown}
    for label, cost in zip(comparison.labels, comparison.costs, strict=True):
        totals.append([label, cost.items or "-", cost.step_instances or "-"])
        for k, part in enumerate(cost.steps):
            count = longest.get(label, {}).get(part.name)
            freed = "no position" if not part.freed else quantity(part.freed, "position")
            shown = "-" if count is None else f"{count:,}"
            rows.append(["" if k else label, part.name, shown, str(part.cost), f"{freed}: {part.how}"])
    deduced = table(["from the rules", "items", "steps"], totals, page, fold=True)
    n = None if comparison.in_total else max(row.words for row in comparison.rows)
    headers = ["", "step", ">in total" if n is None else f">n = {n}", ">degree", "looks at and forgets"]
    return f"{deduced}\n\n{table(headers, rows, page, fold=True)}"


def _growth(comparison: Comparison, page: Page) -> str:
    """Return the fitted exponents, where there are lengths enough to fit any."""
    rows: dict[str, list[str]] = {}
    for growth in comparison.growth:
        if growth.exponent is not None:
            deduced = "" if growth.degree is None else f" (n^{growth.degree})"
            row = rows.setdefault(growth.label, [growth.label, "-", "-"])
            row[1 + (growth.quantity == "steps")] = f"n^{growth.exponent:.2f}{deduced}"
    if not rows:
        return ""
    return table(["growth over the longer half", ">items", ">steps"], rows.values(), page, fold=True)


_PLAIN = (
    "label", "schema", "n", "sentences", "words", "accepted_sentences", "items", "useful_items", "steps", "derivations",
    "distinct_trees", "distinct_linkages", "seconds", "stopped",
)  # fmt: skip


def comparison_csv(
    rows: Iterable[Figures], first: int, *, seconds: bool = True, detail: bool = False, between: str = ","
) -> Iterator[str]:
    """Yield a comparison as CSV, line by line; `between` stands between the values.

    Parameters
    ----------
    rows : the figures, each read only when its line is written.
    first : the number of rows at the beginning that together have all columns.
    seconds : include the times.
    detail : a column for every item form (``items:span``) and every step (``steps:Link``) as well.
    """
    rest = iter(rows)
    known = list(islice(rest, first))
    left_out = {"distinct_trees", "distinct_linkages"} - {f"distinct_{row.structures}" for row in known}
    if not known:
        left_out.discard("distinct_trees")
    if not seconds:
        left_out.add("seconds")
    columns = [name for name in _PLAIN if name not in left_out]
    if detail:
        columns += dict.fromkeys(name for row in known for name in row.details)
    text = io.StringIO()
    writer = csv.DictWriter(
        text, columns, restval="", extrasaction="ignore", delimiter=between, lineterminator="\n"
    )
    writer.writeheader()
    for row in chain(known, rest):
        writer.writerow({name: no_formula(value) for name, value in {**row.to_json(), **row.details}.items()})
        yield text.getvalue()
        text.seek(0)
        text.truncate()
    yield text.getvalue()


def difference_text(difference: ChartDifference, page: Page, limit: int = 20) -> str:
    """Return a difference as text.

    Parameters
    ----------
    difference : the difference.
    page : the page it is printed on.
    limit : how many items of each side of each form are listed.
    """
    a, b, along = difference.a, difference.b, difference.along
    parts: list[str] = []
    sides = [_sides(form, difference) for form in difference.forms]
    if along is not None:
        parts.append("\n  ".join((f"items correspond by {along.relation}:", *along.maps)))
    if sides:
        names = ["form"] if along is None else [a, b]
        rows = [
            [*((form.form, form.form_b)[: len(names)]), *(f"{len(items):,}" for _, _, items in found)]
            for form, found in zip(difference.forms, sides, strict=True)
        ]
        parts.append(table([*names, *(f">{word}" for word, _, _ in sides[0])], rows, page, fold=True))
    for name, forms in ((a, difference.forms_only_a), (b, difference.forms_only_b)):
        if forms:
            parts.append(f"forms of {name} only: {', '.join(forms)}")
    for _, title, items in (side for found in sides for side in found):
        if title and items:
            parts.append(f"{title}:\n{_listed(items, limit, page.width)}")
    if difference.same:
        parts.append(f"{a} and {b} derive {'corresponding' if along else 'the same'} items")
    elif not difference.forms:
        parts.append(f"{a} and {b} have no item form in common")
    return "\n\n".join(parts)


def _sides(form: FormDifference, difference: ChartDifference) -> list[tuple[str, str, list[str]]]:
    """Return the groups of items: those of both charts, and those of one only; each as a word, a title and its items.

    Under maps, items stand with their images, apart from items without an image.
    """
    a, b, along = difference.a, difference.b, difference.along
    both, only_a, only_b = ([str(x) for x in items] for items in (form.both, form.only_a, form.only_b))
    if along is None:
        only = ((f"{x} only", f"{form.form} of {x} only", items) for x, items in ((a, only_a), (b, only_b)))
        return [("both", "", both), *only]
    ends = (form.form, a, only_a), (form.form_b, b, only_b)
    (form1, source, own), (form2, target, new) = reversed(ends) if along.reversed else ends
    pairs, alone = {text: f"{text} to {image}" for text, image in form.images}, set(own)
    of = f"{form1} of {source} carried to"
    return [
        ("both", f"{of} items of {target}", [pairs[text] for text in pairs if text not in alone]),
        ("image not derived", f"{of} what {target} does not derive", [pairs[x] for x in own if x in pairs]),
        ("no image", f"{of} no item", [x for x in own if x not in pairs]),
        ("new", f"{form2} of {target} that nothing is carried to", new),
    ]


def _listed(items: Sequence[str], limit: int, width: int) -> str:
    """Return items in lines as full as the width allows."""
    unbroken = (printable(item).replace(" ", "\xa0") for item in items[:limit])
    lines = wrapped("   ".join(unbroken), width, 2)
    more = len(items) - limit
    return "\n".join([*lines, f"  and {more:,} more"] if more > 0 else lines)
