"""Items by their text: the item of a chart that a user names, or the nearest ones if there is no such item."""

from __future__ import annotations

from schemata.charts.chart import Item
from schemata.engine.chart import Chart
from schemata.errors import Diagnostic, SchemataError, UsageError
from schemata.language import model as m
from schemata.language.ground import read_item
from schemata.language.typeset import format_item
from schemata.program.rewriting import normal_form
from schemata.quick_dataclasses import Record

_MANY = 300_000  # items of a chart that are not put in order to find near ones
_SEARCHED = 20_000  # items compared for the nearest ones


class NotDerivableError(SchemataError):
    """The item asked for is not in the chart; `nearest` are the items of the chart most like it."""

    def __init__(self, diagnostic: Diagnostic, nearest: tuple[Item, ...]) -> None:
        self.nearest = nearest
        super().__init__(diagnostic)


class AskedItem(Record):
    """An item asked for: form, values in normal form, and number, None where it is not in the chart.

    `written` is the item as it was written, where that is another writing of it.
    """

    form: m.Form
    values: tuple[m.Value, ...]
    number: int | None
    written: str | None = None

    @property
    def text(self) -> str:
        """The item in canonical text."""
        return format_item(self.form, self.values)


def find_item(chart: Chart, item: str | Item) -> AskedItem:
    """Return what an item's text, or an item of any chart of the schema, stands for in a chart.

    Raises
    ------
    SchemaError : the text is no item of the schema: an unknown form, a wrong number of fields, a wrong value.
    UsageError : the item's form is not one of the schema's.

    >>> import schemata
    >>> find_item(schemata.load("hybrid").run("a b"), "span[ 0,1 ]").text
    'span[0, 1]'
    """
    if isinstance(item, str):
        name, values = read_item(chart.schema, item, chart.n)
    else:
        name, values = item.form, item.values
    form = next((f for f in chart.schema.forms if f.name == name), None)
    if form is None or len(values) != len(form.fields):
        raise UsageError(f"schema {chart.schema.name} has no items such as {item}")
    number = chart.find(name, values)
    if number is not None or not form.has_normal_form:
        return AskedItem(form, values, number)
    try:
        normal = normal_form(form, values, chart.n)
    except ValueError as error:
        raise UsageError(str(error)) from None
    written = format_item(form, values) if normal != values else None
    return AskedItem(form, normal, chart.find(name, normal), written)


def nearest_items(chart: Chart, asked: AskedItem, count: int = 3) -> tuple[Item, ...]:
    """Return the chart's items of the same form that differ least from one: in few fields, by little.

    None where there are too many to look through.
    """
    if chart.raw.item_count > _MANY:
        return ()
    place = chart.schema.forms.index(asked.form)
    numbers = [x for x in (*chart.hypothesis_ids, *chart.derived_ids) if chart.raw.form_of[x] == place]
    numbers = numbers[:_SEARCHED]
    keyed = sorted((_distance(chart.raw.values[x], asked.values), chart.order(x), x) for x in numbers)
    return tuple(chart.item(x) for _, _, x in keyed[:count])


def _distance(one: tuple[m.Value, ...], other: tuple[m.Value, ...]) -> tuple[int, int]:
    """Return in how many parts two items differ, and by how much their numbers do."""
    parts = amount = 0
    waiting: list[tuple[m.Value, m.Value]] = list(zip(one, other, strict=True))
    while waiting:
        a, b = waiting.pop()
        if isinstance(a, tuple) and isinstance(b, tuple):
            waiting += zip(a, b, strict=False)
            parts += abs(len(a) - len(b))
        elif a != b:
            parts += 1
            if isinstance(a, int) and isinstance(b, int):
                amount += abs(a - b)
    return parts, amount


def not_derivable(chart: Chart, asked: AskedItem) -> NotDerivableError:
    """Return the error that says that an item is not in a chart, and which are near."""
    near = nearest_items(chart, asked)
    hint = "schemata why-not tells what is missing"
    if near:
        hint = f"did you mean {' or '.join(map(str, near))}? Else {hint}"
    said = f"{asked.text} is not derivable"
    if asked.written:
        said = f"{asked.written}, which is {asked.text} in normal form, is not derivable"
    if chart.stopped:
        said += " so far: the run was cut short"
    return NotDerivableError(Diagnostic("not-derivable", said, hint=hint), near)
