"""Data classes that are made quickly behave as those of the standard library."""

import ast
import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import schemata
from schemata import records


def classes() -> list[type[Any]]:
    class Nothing:
        """No fields."""

    class One:
        """One field, left out of what is shown."""

        x: int
        hidden: Any = field(default=None, repr=False)

    class Many:
        """Fields with defaults of all kinds."""

        x: int
        place: Any = field(compare=False)
        apart: Any = field(default=None, hash=False, kw_only=True)
        names: list[str] = field(default_factory=list)
        y: int = 3

        def __post_init__(self) -> None:
            if self.x < 0:
                raise ValueError("negative")

    class Own:
        """Methods of its own."""

        x: int
        y: int

        def __repr__(self) -> str:
            return "own"

        def __eq__(self, other: object) -> bool:
            return isinstance(other, type(self)) and self.x == other.x

        def __hash__(self) -> int:
            return hash(self.x)

        @property
        def both(self) -> int:
            return self.x + self.y

    return [Nothing, One, Many, Own]


def made_quickly(made: type[Any]) -> type[Any]:
    """Return a class that is written like this one, but as a record."""
    space = {name: value for name, value in vars(made).items() if name not in ("__dict__", "__weakref__")}
    space["__qualname__"] = made.__qualname__
    record: Any = type(records.Record)
    quick: type[Any] = record(made.__name__, (records.Record,), space)
    return quick


SLOW = map(dataclasses.dataclass(frozen=True, slots=True), classes())
PAIRS = list(zip(SLOW, map(made_quickly, classes()), strict=True))
ARGUMENTS: dict[str, list[tuple[tuple[Any, ...], dict[str, Any]]]] = {
    "Nothing": [((), {})],
    "One": [((1,), {}), ((2,), {}), ((1, "a"), {}), ((), {"hidden": 2, "x": 1})],
    "Many": [
        ((1, 2), {}),
        ((1, 3), {}),
        ((1, 2, ["a"]), {}),
        ((1, 2), {"y": 4}),
        ((1, 2), {"apart": {}}),
        ((2, 2, ["a"], 1), {}),
    ],
    "Own": [((1, 2), {}), ((1, 3), {}), ((2, 2), {})],
}
WRONG: dict[str, list[tuple[tuple[Any, ...], dict[str, Any]]]] = {
    "Nothing": [((1,), {})],
    "One": [((), {}), ((1, 2, 3), {}), ((1,), {"x": 1}), ((1,), {"z": 1})],
    "Many": [((1,), {}), ((-1, 1), {})],
    "Own": [((1,), {})],
}


@pytest.mark.parametrize(("slow", "quick"), PAIRS, ids=[slow.__name__ for slow, _ in PAIRS])
def test_values(slow: type[Any], quick: type[Any]) -> None:
    given = ARGUMENTS[slow.__name__]
    slows, quicks = ([made(*a, **k) for a, k in given] for made in (slow, quick))
    assert list(map(repr, slows)) == list(map(repr, quicks))
    assert [[a == b for a in slows] for b in slows] == [[a == b for a in quicks] for b in quicks]
    assert quicks[0] != slows[0]
    assert quicks[0] != 1
    assert [outcome(hash, one) for one in slows] == [outcome(hash, one) for one in quicks]
    for one, other in zip(slows, quicks, strict=True):
        assert copy.copy(other) == copy.deepcopy(other) == dataclasses.replace(other) == other
        assert dataclasses.asdict(one) == dataclasses.asdict(other)
        for work in (lambda v: setattr(v, "x", 5), lambda v: delattr(v, "x")) if len(other.__slots__) else ():
            assert outcome(work, copy.copy(one)) == outcome(work, copy.copy(other))
    for arguments, named in WRONG[slow.__name__]:
        wrong = [outcome(lambda v, a=arguments, k=named: v(*a, **k), made) for made in (slow, quick)]
        assert wrong[0] == wrong[1]


def outcome(work: Callable[[Any], Any], value: Any) -> Any:
    """Return what a call returns or the error it raises, in words."""
    try:
        return work(value)
    except (TypeError, ValueError, AttributeError) as error:
        return type(error), str(error).split("'.")[-1] if isinstance(error, FrozenInstanceError) else str(
            error
        )


@pytest.mark.parametrize(("slow", "quick"), PAIRS, ids=[slow.__name__ for slow, _ in PAIRS])
def test_classes(slow: type[Any], quick: type[Any]) -> None:
    for attribute in ("__slots__", "__match_args__", "__doc__", "__qualname__", "__module__"):
        assert getattr(slow, attribute) == getattr(quick, attribute)
    assert str(inspect.signature(slow)) == str(inspect.signature(quick))
    assert [str(f) for f in dataclasses.fields(slow)] == [str(f) for f in dataclasses.fields(quick)]
    params = str(quick.__dataclass_params__).replace("frozen=False", "frozen=True")
    assert str(slow.__dataclass_params__) == params


def test_pickles() -> None:
    from schemata.language.model import Lit, Var

    for value in (Lit(1), Var("x")):
        assert pickle.loads(pickle.dumps(value)) == value
        assert not hasattr(value, "__dict__")


def test_a_value_within_itself_is_shown() -> None:
    quick = PAIRS[2][1]
    one = quick(1, 2)
    one.names.append(one)
    assert repr(one).endswith("names=[...], y=3)")


def test_records() -> None:
    class Node(records.Record):
        place: int = field(kw_only=True)

    class Leaf(Node):
        name: str
        names: list[str] = field(default_factory=list, init=False)

    class Ranked(records.Record, order=True):
        x: int

    class Single(records.Record, eq=False, repr=False):
        x: int

    class Keeping(records.Record, slots=False):
        x: int
        late: int = field(init=False, compare=False)

        @cached_property
        def double(self) -> int:
            return 2 * self.x

    leaf = Leaf("a", place=3)
    assert repr(leaf).endswith("Leaf(place=3, name='a', names=[])")
    assert Leaf.__match_args__ == ("name",)
    assert leaf == Leaf("a", place=3) != Leaf("a", place=4)
    assert leaf.names is not Leaf("a", place=3).names
    assert dataclasses.replace(Node(place=1), place=2).place == 2
    assert not hasattr(leaf, "__dict__")
    for wrong in (lambda: Leaf("a"), lambda: Leaf("a", 3), lambda: Leaf(place=1)):  # type: ignore[call-arg,misc]
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(FrozenInstanceError):
        leaf.name = "b"  # type: ignore[misc]
    assert sorted([Ranked(2), Ranked(1)]) == [Ranked(1), Ranked(2)]
    assert len({Ranked(1), Ranked(1)}) == 1
    assert Single(1) != Single(1)
    assert "object at" in repr(Single(1))
    kept = Keeping(2)
    assert (kept.double, vars(kept)) == (4, {"x": 2, "double": 4})
    assert kept == Keeping(2)
    with pytest.raises(FrozenInstanceError):
        kept.x = 3  # type: ignore[misc]


def test_each_function_that_values_forward_to_is_registered() -> None:
    """A name without a home would be a KeyError when it is first needed."""
    names = set[str]()
    for file in Path(schemata.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            match node:
                case ast.Call(ast.Name("ask" | "Asked"), [ast.Constant(str(name)), *_]):
                    names.add(name)
    assert {"data_frame", "verify", "saved"} <= names
    for name in names:
        assert callable(getattr(import_module(records._homes[name]), name))
