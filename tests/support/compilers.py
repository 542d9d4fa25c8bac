"""Compilers of kernel text for tests: hasty ones, one as users have it, one whose functions check every index.

LLVM takes most of the time of a kernel to optimise it, which pays where the kernel runs long. So `machine_code` is
hasty in tests, under names of its own in the cache; `optimised` is what users have, for tests of the kernels of
shipped schemata; and `some_optimised` is that for a quarter of all texts, for kernels of random schemata.
"""

import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from unittest.mock import patch

import llvmlite.binding as llvm

from schemata.machine import compile as machine
from schemata.machine.compile import KernelSignature, functions_of, intermediate, interpreted, machine_code

Functions = Mapping[str, Callable[..., int]]
_USUAL = {name: getattr(machine, name) for name in ("_improve", "_target_machine", "_key")}


def be_hasty() -> None:
    """Let LLVM make what kernels need to run, and hardly improve it."""

    def improve(module: Any, target: Any, loops: bool, large: bool) -> None:
        _USUAL["_improve"](module, target, loops, large=True)

    def target_machine() -> Any:
        machine._initialize()
        return llvm.Target.from_default_triple().create_target_machine(opt=0, jit=True)

    def key(text: str, wanted: Sequence[str], loops: bool) -> str | None:
        usual = _USUAL["_key"](text, wanted, loops)
        return usual and f"hasty-{usual}"

    patch.multiple(machine, _improve=improve, _target_machine=target_machine, _key=key).start()


def optimised(text: str, wanted: Sequence[str], loops: bool = True) -> Functions:
    """Compile kernel text as users have it compiled."""
    with patch.multiple(machine, **_USUAL):
        return machine_code(text, wanted, loops)


def some_optimised(text: str, wanted: Sequence[str], loops: bool = True) -> Functions:
    """Compile kernel text, a quarter of all texts as users have it compiled."""
    compiler = optimised if zlib.crc32(text.encode()) % 4 == 0 else machine_code
    return compiler(text, wanted, loops)


def checked(text: str, wanted: Sequence[str] = (), loops: bool = True) -> Functions:
    """Return the functions of kernel text as Python, in which an index out of bounds is an `IndexError`.

    Negative indices are errors too. Arrays may be any sequences; functions can be called with NumPy arrays.
    """
    del wanted, loops
    space = functions_of(interpreted(text))
    return {s.name: _checking(space[s.name], s) for s in intermediate(text)[1]}


def _checking(function: Callable[..., int], signature: KernelSignature) -> Callable[..., int]:
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


COMPILERS = {False: optimised, True: checked}  # by whether every index is checked
