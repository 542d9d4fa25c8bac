"""The difference of two charts, item by item, where their forms agree in name and number of fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from schemata.errors import UsageError

if TYPE_CHECKING:
    from schemata.charts.chart import Item
    from schemata.engine.chart import Chart

__all__ = ["ChartDifference", "FormDifference", "chart_difference"]


@dataclass(frozen=True, slots=True)
class FormDifference:
    """The items of one form in two charts: in the first only, in the second only, in both."""

    form: str
    only_a: tuple[Item, ...]
    only_b: tuple[Item, ...]
    both: tuple[Item, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the items as lists of canonical texts."""
        return {
            "form": self.form,
            "only_a": [str(item) for item in self.only_a],
            "only_b": [str(item) for item in self.only_b],
            "both": [str(item) for item in self.both],
        }


@dataclass(frozen=True, slots=True)
class ChartDifference:
    """The difference of two charts.

    Parameters
    ----------
    a, b : what the two schemata are called.
    forms : the forms that both have, as the first declares them.
    forms_only_a, forms_only_b : forms without a counterpart, as ``name/fields``.
    """

    a: str
    b: str
    forms: tuple[FormDifference, ...]
    forms_only_a: tuple[str, ...]
    forms_only_b: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Whether the charts have the same forms and items."""
        return not (
            self.forms_only_a or self.forms_only_b or any(form.only_a or form.only_b for form in self.forms)
        )

    def to_json(self) -> dict[str, Any]:
        """Return the difference as a JSON object."""
        return {
            "a": self.a,
            "b": self.b,
            "same": self.same,
            "forms": [form.to_json() for form in self.forms],
            "forms_only_a": list(self.forms_only_a),
            "forms_only_b": list(self.forms_only_b),
        }


def chart_difference(
    a: Chart, b: Chart, *, label_a: str | None = None, label_b: str | None = None
) -> ChartDifference:
    """Compare the derived items of two charts of one sentence; hypotheses are left out.

    Items are compared by their canonical text, so that ``true`` and the position 1 differ.

    Parameters
    ----------
    a, b : the charts.
    label_a, label_b : what the schemata are called; None for their names.

    Raises
    ------
    UsageError : the charts are of sentences of different lengths.

    >>> import schemata
    >>> a, b = (schemata.load("mh", k=k).run("a b c") for k in (3, 4))
    >>> (form,) = chart_difference(a, b).forms
    >>> len(form.only_a), len(form.only_b), len(form.both)
    (0, 5, 20)
    """
    if a.n != b.n:
        raise UsageError(f"charts of {a.n} and of {b.n} words have nothing to compare item by item")
    forms_a, forms_b = _derived_forms(a), _derived_forms(b)
    items_a, items_b = _items_by_form(a), _items_by_form(b)
    forms = []
    for form in (form for form in forms_a if form in forms_b):
        mine, theirs = items_a.get(form[0], {}), items_b.get(form[0], {})
        forms.append(
            FormDifference(
                form[0],
                tuple(item for text, item in mine.items() if text not in theirs),
                tuple(item for text, item in theirs.items() if text not in mine),
                tuple(item for text, item in mine.items() if text in theirs),
            )
        )
    return ChartDifference(
        label_a or a.schema.name,
        label_b or b.schema.name,
        tuple(forms),
        tuple(f"{name}/{fields}" for name, fields in forms_a if (name, fields) not in forms_b),
        tuple(f"{name}/{fields}" for name, fields in forms_b if (name, fields) not in forms_a),
    )


def _derived_forms(chart: Chart) -> list[tuple[str, int]]:
    """Return the forms of derived items with their numbers of fields, as declared."""
    return [(form.name, len(form.fields)) for form in chart.schema.forms if form.name in chart.items_by_form]


def _items_by_form(chart: Chart) -> dict[str, dict[str, Item]]:
    found: dict[str, dict[str, Item]] = {}
    for item in chart.items:
        found.setdefault(item.form, {})[str(item)] = item
    return found
