"""Values as JSON, by declaration: the attributes of a value that JSON shows, and their names there."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

_FIELD = re.compile(r"(\w+)(\?|!|~|\{\}|:\d+)?(?:=([\w.]+))?")
_PARTS = re.compile(r"(\w+)\(([^()]*)\)|(\S+)")
_LONGEST = 14_000  # bits; Python writes integers of at most 4,300 digits


VERSION = 1
"""The version of the JSON that commands print (docs/json.md): a greater one where a key changes its meaning."""


def document(*parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object that stands by itself: its version, then the keys of its parts.

    >>> document({"holds": True}, {"seconds": 1.0})
    {'version': 1, 'holds': True, 'seconds': 1.0}
    """
    found: dict[str, Any] = {"version": VERSION}
    for part in parts:
        found |= part
    return found


def as_json(value: Any) -> Any:
    """Return a value as JSON knows it; what has no `to_json` and is no collection is shown as text.

    Minus infinity, the logarithm of nothing, is null. Of an integer beyond Python's limit of digits, the power of ten
    below it is shown.

    >>> as_json(((1, 2), None, math.inf, 1 + 2j, 10**5000))
    [[1, 2], None, 'infinite', '(1+2j)', '1e4999']
    """
    if isinstance(value, int) and value.bit_length() > _LONGEST:
        return f"1e{int((value.bit_length() - 1) * math.log10(2))}"
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return "infinite" if value == math.inf else None if value == -math.inf else value
    if isinstance(value, Mapping):
        return {str(key): as_json(one) for key, one in value.items()}
    if isinstance(value, tuple | list):
        return [as_json(one) for one in value]
    to_json = getattr(value, "to_json", None)
    return str(value) if to_json is None else to_json()


def fields_json(value: object, fields: str) -> dict[str, Any]:
    """Return attributes of a value as a JSON object.

    Parameters
    ----------
    value : the value.
    fields : the keys, separated by blanks, each the name of an attribute. `key=attribute` names the attribute where
        it is called otherwise, with dots for an attribute of an attribute (None if that is None). `key?` is left out
        where there is nothing to show, `key!` where there is None, `key~` is null where there is nothing, `key:3`
        rounds to so many digits, `key{}` makes an object of pairs, and `key(...)` one of the fields between the
        parentheses.

    >>> from fractions import Fraction
    >>> fields_json(Fraction(1, 3), "over=denominator part=numerator.real imag? parts(numerator imag)")
    {'over': 3, 'part': 1, 'parts': {'numerator': 1, 'imag': 0}}
    """
    found: dict[str, Any] = {}
    for group, inside, field in _PARTS.findall(fields):
        if group:
            found[group] = fields_json(value, inside)
            continue
        match = _FIELD.fullmatch(field)
        assert match is not None, field
        key, mark, path = match.groups()
        shown: Any = value
        for name in (path or key).split("."):
            shown = None if shown is None else getattr(shown, name)
        if mark == "{}":
            shown = dict(shown)
        elif mark and mark[0] == ":" and shown is not None:
            shown = round(shown, int(mark[1:]))
        if shown or (mark != "?" and not (mark == "!" and shown is None)):
            found[key] = as_json(shown or None if mark == "~" else shown)
    return found


def json_of(fields: str) -> Callable[[Any], dict[str, Any]]:
    """Return a method `to_json` that shows attributes of its object, declared as for `fields_json`."""

    def to_json(self: object) -> dict[str, Any]:
        """Return the value as a JSON object."""
        return fields_json(self, fields)

    return to_json
