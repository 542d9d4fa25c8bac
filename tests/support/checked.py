"""A compiler of kernel text whose functions are Python and check every index."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from schemata.machine.compile import Signature, functions_of, intermediate, interpreted, machine_code


def checked(text: str, wanted: Sequence[str] = (), loops: bool = True) -> Mapping[str, Callable[..., int]]:
    """Return the functions of kernel text as Python, in which an index out of bounds is an `IndexError`.

    Negative indices are errors too. Arrays may be any sequences; functions can be called with NumPy arrays.
    """
    del wanted, loops
    space = functions_of(interpreted(text))
    return {s.name: _checking(space[s.name], s) for s in intermediate(text)[1]}


def _checking(function: Callable[..., int], signature: Signature) -> Callable[..., int]:
    arrays = tuple(kind != "int" for _, kind in signature.parameters)

    def call(*arguments: Any) -> int:
        return function(*(_Checked(a) if array else a for a, array in zip(arguments, arrays, strict=True)))

    return call


class _Checked:
    """An array that knows its bounds."""

    __slots__ = ("_array",)

    def __init__(self, array: Any) -> None:
        self._array = array

    def __getitem__(self, index: int) -> int | float:
        if not 0 <= index < len(self._array):
            raise IndexError(f"index {index} of {len(self._array)}")
        value = self._array[index]
        return float(value) if isinstance(value, float) else int(value)

    def __setitem__(self, index: int, value: int | float) -> None:
        if not 0 <= index < len(self._array):
            raise IndexError(f"index {index} of {len(self._array)}")
        self._array[index] = value


COMPILERS = {False: machine_code, True: checked}  # by whether every index is checked
