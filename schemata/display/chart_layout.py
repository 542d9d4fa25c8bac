"""A chart laid out for a picture: its cells over the words, the items in each, and which of these stand out.

`chart_picture` makes the value, which `display/charts.py` draws as text, SVG and LaTeX. The places of items are
those of `analysis/extents.py`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from schemata.analysis.extents import SpanFields, extents
from schemata.errors import UsageError, one_of, printable
from schemata.language import model as m
from schemata.language.typeset import format_value, reference_of
from schemata.records import Record, ShownAsSvg, field, json_of, replace

if TYPE_CHECKING:
    from schemata.charts import BareChart

ChartView: TypeAlias = Literal["triangle", "columns", "edges"]
VIEWS: tuple[ChartView, ...] = ("triangle", "columns", "edges")
"""How charts are drawn: cells by span; columns by the last word, as Earley's; items as edges over the words."""

Role: TypeAlias = Literal["", "new", "antecedent", "consequent"]
_SHOWN = 6  # items of a cell; the others are counted
_LONGEST = 60  # characters of an item's text
_DISJUNCT = re.compile(r"^\S+#\d+: ")  # which disjunct of a word labels are of: the word stands below them


class PlacedItem(Record):
    """An item in a picture.

    Attributes
    ----------
    number : its number in the chart.
    item : its text, as the schema writes it.
    text : its text in the cell: the item without its ends.
    useful, final : whether a derivation of a final item uses it; whether it is final.
    given : whether it is a hypothesis.
    role : `new` if it has just been derived; `antecedent` or `consequent` of the step that is shown.
    """

    number: int
    item: str
    text: str
    useful: bool = True
    final: bool = False
    given: bool = False
    role: Role = ""

    to_json = json_of("number item text useful final given role")


class Cell(Record):
    """The items from one word to another; `more` are left out.

    An item that covers nothing ends before it begins: `last` is `first` - 1.
    """

    first: int
    last: int
    entries: tuple[PlacedItem, ...]
    more: int = 0

    to_json = json_of("first last entries more")

    @property
    def length(self) -> int:
        """The number of places that it covers, less one; -1 if it covers nothing."""
        return self.last - self.first


class ChartPicture(Record, ShownAsSvg):
    """A chart to draw.

    Attributes
    ----------
    title : the title of the picture.
    view : how it is drawn.
    words : the words by their positions, in order; an artificial root is 0.
    cells : the cells that hold items, from left to right, short ones first.
    points : whether all items stand at a single position, in columns without a beginning.
    aside : items without a place, in the chart but in no cell; `more_aside` are left out.
    new_are : a name for the items whose role is `new`.
    flags : the names of flags that items shown have, which stand there if they are true.
    """

    title: str
    view: ChartView
    words: Mapping[int, str] = field(compare=False)
    cells: tuple[Cell, ...]
    points: bool = False
    aside: tuple[PlacedItem, ...] = ()
    more_aside: int = 0
    new_are: str = "just derived"
    flags: tuple[str, ...] = ()

    to_json = json_of("view words cells aside more_aside")

    def entries(self) -> tuple[PlacedItem, ...]:
        """Return all items that are shown."""
        return tuple(entry for cell in self.cells for entry in cell.entries) + self.aside


def chart_picture(
    chart: BareChart,
    view: str | None = None,
    *,
    most: int | None = _SHOWN,
    new: Collection[int] = (),
    antecedents: Collection[int] = (),
    consequent: int | None = None,
    useful: bool = False,
    set_apart: bool = True,
) -> ChartPicture:
    """Lay a chart out.

    Parameters
    ----------
    chart : the chart.
    view : `triangle`, `columns` or `edges`; None: columns over dotted rules, and where items have one position
        only; else the triangle.
    most : how many items of a cell are shown; final and useful ones before the rest. None for all.
    new, antecedents, consequent : numbers of items that have just been derived, and those of the step to show.
    useful : leave out items that no derivation of a final item uses.
    set_apart : determine these items, to mark them.

    Raises
    ------
    UsageError : no such view; or the schema's items have no place in the sentence.

    >>> import schemata
    >>> chart = schemata.load("cyk").run("Mary slept", "example")
    >>> [(cell.first, cell.last, [entry.text for entry in cell.entries]) for cell in chart_picture(chart).cells]
    [(1, 1, ['NP']), (2, 2, ['VP']), (1, 2, ['S'])]
    """
    if view is not None and view not in VIEWS:
        raise UsageError(f"{view!r} is not a view of a chart", code="unknown-view", expected=one_of(VIEWS))
    schema = chart.schema
    places = extents(schema)
    require_place(schema)
    chosen: Any = view or _usual(schema, places)
    apart = useful or (set_apart and chart.accepted)  # without a final item, nothing is useful
    kept = frozenset(chart.forest().order) if apart else None  # type: ignore[attr-defined]
    roles: dict[int, Role] = dict.fromkeys(new, "new")
    roles |= dict.fromkeys(antecedents, "antecedent")
    roles |= {} if consequent is None else {consequent: "consequent"}
    cells, aside = _grouped(chart, places, kept if useful else None)
    shown = partial(_entries, chart, places, kept, roles, most)
    found = [Cell(*place, *shown(cells[place])) for place in sorted(cells, key=lambda x: (x[1] - x[0], x))]
    points = all(places[k] is None or places[k].kind == "point" for k in _drawn_forms(schema))  # type: ignore[union-attr]
    title = f"the chart of {reference_of(schema)}: {' '.join(chart.sentence.words)}"
    made = ChartPicture(title, chosen, words_of(chart, found), tuple(found), points, *shown(aside))
    return replace(made, flags=_flags(chart, (entry.number for entry in made.entries())))


def _flags(chart: BareChart, numbers: Iterable[int]) -> tuple[str, ...]:
    """Return the names of the flags that are true in some of these items, in the order of their declarations."""
    raw, forms = chart.raw, chart.schema.forms
    true = {(raw.form_of[number], k) for number in numbers for k, x in enumerate(raw.values[number]) if x}
    found = (forms[form].fields[k] for form, k in sorted(true))
    return tuple(dict.fromkeys(one.name for one in found if one.type.kind == "flag"))


def require_place(schema: m.Schema) -> None:
    """Refuse a schema whose items have no place in the sentence.

    Raises
    ------
    UsageError : there is no form that has one.
    """
    places = extents(schema)
    if any(places[k] for k in _drawn_forms(schema)):
        return
    forms = [schema.forms[k] for k in _drawn_forms(schema)]
    shown = "; ".join(f"{f.name}[{', '.join(field.name for field in f.fields)}]" for f in forms[:3])
    lists = [x for f in forms for x in f.fields if x.type.kind == "list"]
    why = "no two fields of its items are positions in order"
    hint = "its derivations can be drawn"
    if len(lists) > 1:
        why, hint = "its items are configurations", "schemata step goes through its transitions"
    message = f"the items of {schema.name} have no place in the sentence: {why}, {shown}"
    raise UsageError(message, code="no-chart", expected="items with a span, such as tree[i, j, h]", hint=hint)


def _drawn_forms(schema: m.Schema) -> list[int]:
    """Return the numbers of the forms that steps derive items of."""
    made = {case.consequent.form for case in schema.cases}
    return [k for k, form in enumerate(schema.forms) if form.name in made]


def _usual(schema: m.Schema, places: tuple[SpanFields | None, ...]) -> ChartView:
    forms = [k for k in _drawn_forms(schema) if places[k]]
    dotted = any(field.type.kind == "dotted" for k in forms for field in schema.forms[k].fields)
    spans = any(extent and extent.kind != "point" for extent in map(places.__getitem__, forms))
    return "triangle" if spans and not dotted else "columns"


_Cells: TypeAlias = "dict[tuple[int, int], list[int]]"


def _grouped(
    chart: BareChart, places: tuple[SpanFields | None, ...], kept: frozenset[int] | None
) -> tuple[_Cells, list[int]]:
    """Return the items of each cell, and those without a place, by number."""
    cells: _Cells = {}
    aside: list[int] = []
    forms, values = chart.raw.form_of, chart.raw.values
    drawn = frozenset(_drawn_forms(chart.schema))
    for number in (*chart.hypothesis_ids, *chart.derived_ids):
        form = forms[number]
        if form not in drawn or (kept is not None and number not in kept):
            continue
        extent = places[form]
        place = None if extent is None else extent.of(values[number])
        (aside if place is None else cells.setdefault(place, [])).append(number)
    return cells, aside


def _entries(
    chart: BareChart,
    places: tuple[SpanFields | None, ...],
    kept: frozenset[int] | None,
    roles: Mapping[int, Role],
    most: int | None,
    numbers: list[int],
) -> tuple[tuple[PlacedItem, ...], int]:
    """Return the items of a cell that are shown, and how many are not."""
    finals, given = chart.final_ids, chart.raw.hypothesis_count

    def rank(number: int) -> tuple[bool, bool, bool]:
        useless = kept is not None and number not in kept
        return number not in roles, number not in finals, useless

    first = sorted(numbers, key=rank)
    shown = numbers if most is None or len(numbers) <= most else sorted(first[:most], key=numbers.index)
    several = len(_drawn_forms(chart.schema)) > 1
    found = []
    for number in shown:
        form = chart.schema.forms[chart.raw.form_of[number]]
        values = chart.raw.values[number]
        text = printable(entry_text(form, values, places[chart.raw.form_of[number]], several))
        text = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
        is_useful = kept is None or number in kept
        states = is_useful, number in finals, number < given, roles.get(number, "")
        found.append(PlacedItem(number, printable(chart.item(number).text), text, *states))
    return tuple(found), len(numbers) - len(shown)


def entry_text(form: m.Form, values: tuple[m.Value, ...], extent: SpanFields | None, several: bool) -> str:
    """Return the text of an item in its cell: its fields except its ends, and its form if there are
    several.

    Of flags, the names of those that are true are shown; of further positions, names and values; nothing of absent
    values.
    """
    ends = extent.fields() if extent else frozenset()
    parts, plain = [], False
    for k, (value, declared) in enumerate(zip(values, form.fields, strict=True)):
        kind = declared.type
        if k in ends or value is None:
            continue
        if kind.kind == "flag":
            parts += [declared.name] if value else []
        elif isinstance(value, int):
            parts.append(f"{declared.name}={value}")
            plain = True
        else:
            shown = _rule(value) if kind.kind == "dotted" else format_value(value, kind)
            if "label" in kind.kind:
                shown = _DISJUNCT.sub("", str(value))
            parts += [shown] if shown.strip(".") else []
            plain = True
    return " ".join(parts) if plain and not several else " ".join([form.name, *parts])


def _rule(value: Any) -> str:
    """Return a dotted rule as books write it.

    >>> _rule(("S", ("NP",), ("VP",)))
    'S → NP • VP'
    """
    category, *parts = value
    body = " • ".join(" ".join(symbols) for symbols in parts)
    left = "(root)" if category == m.ROOT else category
    return f"{left} → {' '.join(body.split())}"


def words_of(chart: BareChart, cells: list[Cell] | tuple[Cell, ...] = ()) -> dict[int, str]:
    """Return the words of a chart by position; positions of cells beyond them are nodes without a word."""
    grammar: Any = chart.grammar
    if isinstance(getattr(grammar, "last", None), int):  # a dictionary, which numbers its walls
        words = dict(enumerate(grammar.words))
    else:
        count = chart.schema.lengths[0] if chart.schema.lengths else len(chart.sentence.words)
        words = dict(enumerate(chart.sentence.words[:count], start=1))
    ends = [x for cell in cells if cell.length >= 0 for x in (cell.first, cell.last)] or [1]
    places = range(min(ends + list(words)), max(ends + list(words)) + 1)
    return {x: printable(words.get(x, "")) for x in places}
