"""Records, frozen data classes with slots, made quickly: what `dataclasses` makes of them, in a third of the time.

A class that inherits from `Record` is one. `dataclasses` compiles six methods for every class, which took a quarter of
a short command. Here `__init__` alone is compiled, and the other methods read the fields of any class.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, replace
from functools import cache, partial
from operator import attrgetter
from reprlib import recursive_repr
from typing import Any, NoReturn, TypeVar, dataclass_transform

__all__ = ["Record", "dataclass", "field", "replace"]

T = TypeVar("T")


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

    Other settings are said beside the base: `class Node(Record, eq=False)`; `slots=False` for values that keep what
    they have worked out. Records inherit fields, too.

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

    def equal(self: Any, other: Any) -> Any:
        return compared(self) == compared(other) if other.__class__ is self.__class__ else NotImplemented

    def hashed(self: Any) -> int:
        return hash(compared(self))

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
    """Return what gets several attributes of an object as a tuple."""
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
