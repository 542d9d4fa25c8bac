"""Records: frozen data classes with slots, made quickly; how values show themselves, as JSON, as text and in pictures.

A class that inherits from `Record` is the same as by `dataclasses`, made in a third of the time. `dataclasses` compiles
six methods for every class, which took a quarter of a short command. Here `__init__` alone is compiled, and the other
methods read the fields of any class.

The JSON of a value is declared: the attributes that it shows, and their names there (`fields_json`).

A notebook asks a value for `_repr_html_` or `_repr_svg_`, `print` for `__str__`. Charts, forests, trees and verdicts
are defined in rooms that do not import pictures. So they inherit methods that only pass the question on (`Shown`).
Likewise a chart passes on questions for explanations, which rooms above it answer. `schemata/__init__.py` registers the
modules that answer (`answer_with`).
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, replace
from functools import cache, lru_cache, partial, wraps
from importlib import import_module
from operator import attrgetter
from reprlib import recursive_repr
from types import MethodType
from typing import Any, NoReturn, ParamSpec, TypeVar, dataclass_transform

__all__ = [
    "VERSION", "Record", "Shown", "ShownAsHtml", "ShownAsSvg", "ShownList", "as_json", "dataclass", "document", "field",
    "fields_json", "json_of", "remembered", "replace",
]  # fmt: skip

T = TypeVar("T")
P = ParamSpec("P")


def remembered(function: Callable[P, T]) -> Callable[P, T]:
    """Cache a function of values, for the last few thousand calls: editors repeat calls after each
    change.

    A value nested too deeply to be a key is worked out every time.
    """
    kept: Any = lru_cache(maxsize=2048)(function)

    @wraps(function)
    def called(*values: P.args, **named: P.kwargs) -> T:
        try:
            return kept(*values, **named)  # type: ignore[no-any-return]
        except RecursionError:
            return function(*values, **named)

    return called


@dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field,))
class _RecordType(type):
    """Makes the classes that inherit from `Record`."""

    def __new__(
        cls, name: str, bases: tuple[type, ...], space: dict[str, Any], slots: bool = True, **settings: bool
    ) -> Any:
        made = super().__new__(cls, name, bases, space)
        # What `dataclasses` makes anew with slots comes by here again.
        return made if "__slots__" in space else _made(made, slots, **settings)

    def __init__(cls, name: str, bases: tuple[type, ...], space: dict[str, Any], **settings: bool) -> None:
        super().__init__(name, bases, space)


class Record(metaclass=_RecordType):
    """A frozen value with the fields that its class declares, as by `dataclasses.dataclass(frozen=True, slots=True)`.

    Other settings stand beside the base: `class Node(Record, eq=False)`; `slots=False` for values that cache results.
    Records inherit fields, too.

    >>> class Point(Record):
    ...     x: int
    ...     y: int = 0
    ...     shown: bool = dataclasses.field(default=False, kw_only=True)
    >>> Point(1), Point(1) == Point(1, 0), Point.__match_args__
    (Point(x=1, y=0, shown=False), True, ('x', 'y'))
    """

    __slots__ = ()


class _Missing:
    """Stands for a value that is made anew for each object, as in a signature."""

    def __repr__(self) -> str:
        return "<factory>"


_MISSING = _Missing()


def _made(
    cls: type[T], slots: bool = True, *, eq: bool = True, order: bool = False, repr: bool = True
) -> type[T]:
    # Without methods of its own, `dataclasses` finds the fields and makes the slots.
    made: Any = dataclasses.dataclass(init=False, repr=False, eq=order, order=order, slots=slots)(cls)
    settings = made.__dataclass_params__  # not frozen: `dataclasses` would refuse to make an heir
    settings.init, settings.repr, settings.eq = True, repr, eq
    fields = dataclasses.fields(made)
    compared = _getter([f.name for f in fields if f.compare])
    counted = _getter([f.name for f in fields if (f.compare if f.hash is None else f.hash)])

    def equal(self: Any, other: Any) -> Any:
        if other is self:
            return True
        return compared(self) == compared(other) if other.__class__ is self.__class__ else NotImplemented

    def hashed(self: Any) -> int:
        return hash(counted(self))

    own = vars(made)
    made.__init__ = _init(made, fields)
    methods = {
        **_METHODS,
        **(_STATE if slots else {}),
        **({"__eq__": equal, "__hash__": hashed} if eq else {}),
    }
    methods |= {"__repr__": _repr} if repr else {}
    for name, method in methods.items():
        if own.get(name) is None:  # `__hash__` is None where a class has an `__eq__` of its own
            setattr(made, name, method)
    return made  # type: ignore[no-any-return]


def _getter(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """Return a getter of several attributes of an object as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: tuple(getattr(value, name) for name in names)


def _init(made: Any, fields: tuple[dataclasses.Field[Any], ...]) -> Any:
    """Return `__init__`, which alone depends on the names of the fields."""
    space: dict[str, Any] = {"_missing": _MISSING}
    parameters, lines = ["self"], []
    for place, one in enumerate(sorted(fields, key=lambda one: one.kw_only is True)):
        if one.kw_only and "*" not in parameters:
            parameters.append("*")
        slot = getattr(made, one.name, None)
        space[f"_set{place}"] = getattr(slot, "__set__", None) or partial(_put, one.name)
        value, default = one.name, ""
        if one.default is not MISSING:
            space[f"_default{place}"] = one.default
            default = f"_default{place}"
        elif one.default_factory is not MISSING:
            space[f"_make{place}"] = one.default_factory
            value, default = f"_make{place}() if {one.name} is _missing else {one.name}", "_missing"
        if one.init:
            parameters.append(f"{one.name}={default}" if default else one.name)
        elif default:
            value = default if default != "_missing" else f"_make{place}()"
        else:
            continue  # it is worked out after the others
        lines.append(f"    _set{place}(self, {value})")
    if hasattr(made, "__post_init__"):
        lines.append("    self.__post_init__()")
    exec("\n".join([f"def __init__({', '.join(parameters)}):", *(lines or ["    pass"])]), space)
    init = space["__init__"]
    init.__qualname__ = f"{made.__qualname__}.__init__"
    init.__module__ = made.__module__
    init.__annotations__ = {one.name: one.type for one in fields} | {"return": None}
    return init


@recursive_repr()
def _repr(self: Any) -> str:
    shown = (f"{name}={getattr(self, name)!r}" for name in _shown(self.__class__))
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _put(name: str, self: object, value: object) -> None:
    """Set an attribute of a record without slots."""
    object.__setattr__(self, name, value)


def _refuse_set(self: object, name: str, value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_delete(self: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


@cache
def _shown(cls: Any) -> tuple[str, ...]:
    return tuple(one.name for one in dataclasses.fields(cls) if one.repr)


@cache
def _names(cls: Any) -> tuple[str, ...]:
    return tuple(one.name for one in dataclasses.fields(cls))  # slow, and asked for each value of a file


def _state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in _names(self.__class__)]


def _set_state(self: Any, state: list[Any]) -> None:
    for name, value in zip(_names(self.__class__), state, strict=True):
        object.__setattr__(self, name, value)


_METHODS = {"__setattr__": _refuse_set, "__delattr__": _refuse_delete}
_STATE = {"__getstate__": _state, "__setstate__": _set_state}


# JSON --------------------------------------------------------------------------------------------------------

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
    """Return a value in JSON's types; values without `to_json` that are not collections become text.

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
    for group, inside, one in _PARTS.findall(fields):
        if group:
            found[group] = fields_json(value, inside)
            continue
        match = _FIELD.fullmatch(one)
        assert match is not None, one
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


# Answers from above: texts, pictures, explanations -----------------------------------------------------------

_homes: dict[str, str] = {}


def answer_with(homes: Mapping[str, str]) -> None:
    """Register functions for `ask`: by module, their names, separated by blanks. A module is imported on first use."""
    _homes.update({function: module for module, names in homes.items() for function in names.split()})


def _registered(function: str) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(import_module(_homes[function]), function)
    return found


def ask(function: str, value: object, *more: Any, **options: Any) -> Any:
    """Return the result of a registered function for a value."""
    return _registered(function)(value, *more, **options)


class Asked:
    """A method that is a registered function, with its signature and its documentation."""

    def __init__(self, function: str) -> None:
        self.function = function

    def __get__(self, value: object, kind: type | None = None) -> Callable[..., Any]:
        found = _registered(self.function)
        return found if value is None else MethodType(found, value)


class Saved:
    """A value that can be written to a file as it is shown."""

    __slots__ = ()

    def svg(self, **options: Any) -> str:
        """Return the value's picture as an SVG document.

        Parameters
        ----------
        options : `width`, the columns that it takes, of 9 pixels; None for as many as it needs.

        Raises
        ------
        TypeError : there is no picture of such a value.
        """
        return str(ask("svg_of", self, **options))

    def save(self, path: Any, **options: Any) -> Any:
        """Write the value as a picture or a page, by the suffix of the file; returns its path.

        Parameters
        ----------
        path : FILE.svg, .html, .tex or .txt; FILE.pdf or FILE.png with the library cairosvg.
        options : `width`, the columns that pictures take (100), None for as many as they need; `view` of a chart,
            also on a page, which shows all views without it; `derivations`, how many the page of a chart shows (3).

        Raises
        ------
        UsageError : the suffix is another, or the value is not shown so; the library is not installed; the file
            cannot be written.
        """
        return ask("saved", self, path, **options)


def data_frame(rows: Iterable[Mapping[str, Any]]) -> Any:
    """Return rows as a data frame of pandas; values that are objects or lists are left out.

    Raises
    ------
    UsageError : pandas is not installed.
    """
    return ask(
        "data_frame", [{k: x for k, x in row.items() if not isinstance(x, dict | list)} for row in rows]
    )


class Tabular:
    """An answer with a table: `table_rows` are the rows, each with the values of its columns."""

    __slots__ = ()

    def table_rows(self) -> Iterable[Mapping[str, Any]]:
        """Return the rows of the table."""
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """Return the table as a data frame of pandas, a row for each of its rows.

        Raises
        ------
        UsageError : pandas is not installed.
        """
        return data_frame(self.table_rows())


class ShownAsHtml(Saved):
    """A value that notebooks show as HTML."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return str(ask("html_of", self))


class ShownAsSvg(Saved):
    """A value that notebooks show as a picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(ask("svg_of", self))


class Shown(ShownAsHtml):
    """An answer: printed, it is the text that the command prints; in one line, the beginning of that."""

    __slots__ = ()

    def __str__(self) -> str:
        return str(ask("text_of", self))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {str(self).partition(chr(10))[0]}>"


class ShownList(ShownAsHtml, list[T]):
    """A list that notebooks show in pictures; `sentence` is the sentence of its trees, None if there is
    none.
    """

    def __init__(self, values: Iterable[T] = (), sentence: Any = None) -> None:
        super().__init__(values)
        self.sentence = sentence
