"""Kernel text to callable functions: in machine code through LLVM, or in Python with every index checked."""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from schemata.engine.machine.cache import look_up, store
from schemata.engine.machine.intermediate import Signature, intermediate

__all__ = ["checked", "is_compiled", "machine_code"]


_LARGE = 40_000  # lines of intermediate text from which on optimising would take many seconds
_WORDS = {"range": range, "min": min, "max": max, "apart": lambda function: function}


def machine_code(text: str, wanted: Sequence[str]) -> Mapping[str, Callable[..., int]]:
    """Compile kernel text and return the wanted functions by name; each returns one number.

    Arrays are passed as one-dimensional NumPy arrays of the declared type.

    Raises
    ------
    ImportError : llvmlite is not installed.
    SyntaxError : the text is not kernel text.
    """
    import llvmlite.binding as llvm

    body, signatures = _body(text, wanted)
    key = _key(body)
    known = look_up(key)
    machine = _target_machine()
    module = llvm.parse_assembly(body)
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    if known is None:
        module.verify()
        _improve(module, machine, body)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.set_object_cache(lambda _, code: store(key, code), lambda _: known)
    engine.finalize_object()
    return {s.name: _callable(engine, s) for s in signatures if s.name in wanted}


def _improve(module: Any, machine: Any, body: str) -> None:
    """Let LLVM optimise a module: all it can, or where that would take seconds, what matters most."""
    import llvmlite.binding as llvm

    large = body.count("\n") > _LARGE
    options = llvm.create_pipeline_tuning_options(speed_level=1 if large else 3)
    options.loop_vectorization = True
    options.loop_unrolling = True
    builder = llvm.create_pass_builder(machine, options)
    if not large:
        builder.getModulePassManager().run(module, builder)
        return
    passes = llvm.create_new_module_pass_manager()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    passes.add_instruction_combine_pass()
    passes.add_new_gvn_pass()
    passes.add_simplify_cfg_pass()
    passes.run(module, builder)


def is_compiled(text: str, wanted: Sequence[str]) -> bool:
    """Whether the machine code of kernel text is in the cache."""
    return look_up(_key(_body(text, wanted)[0])) is not None


def _body(text: str, wanted: Sequence[str]) -> tuple[str, tuple[Signature, ...]]:
    """Return the intermediate text of a module, of which only the wanted functions are seen from outside."""
    body, signatures = intermediate(text)
    for signature in signatures:
        if signature.name not in wanted:
            head = f"define {signature.returned} @{signature.name}("
            body = body.replace(head, head.replace("define", "define internal"))
    return body + "\nattributes #0 = { nounwind }\nattributes #1 = { noinline nounwind }\n", signatures


def _key(body: str) -> str:
    import llvmlite
    import llvmlite.binding as llvm

    about = (body, llvmlite.__version__, llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())
    return hashlib.sha256("\0".join(about).encode()).hexdigest()


def _target_machine() -> Any:
    """Return a new target machine: a compiler takes its own away with it."""
    import llvmlite.binding as llvm

    _initialize()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=3, jit=True
    )


@cache
def _initialize() -> None:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def _callable(engine: Any, signature: Signature) -> Callable[..., int]:
    """Return a Python function for a compiled one; it lets other threads run meanwhile."""
    kinds = [ctypes.c_int64 if kind == "int" else ctypes.c_void_p for _, kind in signature.parameters]
    function = ctypes.CFUNCTYPE(ctypes.c_int64, *kinds)(engine.get_function_address(signature.name))
    arrays = tuple(kind != "int" for _, kind in signature.parameters)

    def call(*arguments: Any) -> int:
        given = [
            a.__array_interface__["data"][0] if array else a
            for a, array in zip(arguments, arrays, strict=True)
        ]
        return int(function(*given))

    call.__dict__.update(engine=engine, at_addresses=function)  # the engine owns the machine code
    return call


def checked(text: str) -> Mapping[str, Callable[..., int]]:
    """Return the functions of kernel text as Python, in which an index out of bounds is an `IndexError`.

    Negative indices are errors too. Arrays may be any sequences; functions can be called with NumPy arrays.
    """
    _, signatures = intermediate(text)
    space: dict[str, Any] = {}
    exec(compile(text, "<kernel>", "exec"), {"__builtins__": _WORDS}, space)
    names = {s.name: s for s in signatures}
    globals_ = next(iter(space.values())).__globals__
    found: dict[str, Callable[..., int]] = {}
    for name, function in space.items():
        globals_[name] = function
        found[name] = _checking(function, names[name])
    return found


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

    def __getitem__(self, index: int) -> int:
        if not 0 <= index < len(self._array):
            raise IndexError(f"index {index} of {len(self._array)}")
        return int(self._array[index])

    def __setitem__(self, index: int, value: int) -> None:
        if not 0 <= index < len(self._array):
            raise IndexError(f"index {index} of {len(self._array)}")
        self._array[index] = value
