"""Kernel text to callable functions: in machine code through LLVM, or in Python with every index checked."""

from __future__ import annotations

import atexit
import ctypes
import hashlib
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from schemata.cache import look_up, state_of, store
from schemata.engine.machine.intermediate import intermediate
from schemata.engine.machine.signatures import Signature

__all__ = ["checked", "is_compiled", "is_compiling", "machine_code"]


_KIND = "kernels"  # folder in the user's cache folder
_compiling: list[Callable[[], bytes]] = []
_LISTEN = 0.1  # seconds between two looks whether there was Ctrl-C
_LARGE = 40_000  # lines of intermediate text from which on optimising would take many seconds
_WORDS = {
    "range": range,
    "min": min,
    "max": max,
    "apart": lambda function: function,
    "lowest_bit": lambda number: (number & -number).bit_length() - 1,
}


def machine_code(text: str, wanted: Sequence[str], loops: bool = True) -> Mapping[str, Callable[..., int]]:
    """Compile kernel text and return the wanted functions by name; each returns one number.

    Arrays are passed as one-dimensional NumPy arrays of the declared type. Without `loops` compilation takes half the
    time, since nothing is tried that is good for long loops over tables only. Machine code is kept between runs.

    Raises
    ------
    ImportError : llvmlite is not installed.
    SyntaxError : the text is not kernel text.
    """
    import llvmlite.binding as llvm

    key = _key(text, wanted, loops)
    code = None if key is None else look_up(_KIND, key)
    if code is None:
        code = _interruptible(lambda: _compiled(text, wanted, loops))
        if key is not None:
            store(_KIND, key, code)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return {s.name: _callable(engine, s) for s in _signatures(text, wanted)}


def is_compiling() -> bool:
    """Whether some thread is compiling; that can only be waited for, since LLVM does not stop."""
    return bool(_compiling)


def _interruptible(make: Callable[[], bytes]) -> bytes:
    """Return what is made, by a thread of its own, so that Ctrl-C is heard meanwhile."""
    made: list[bytes | BaseException] = []

    def work() -> None:
        _compiling.append(make)
        try:
            made.append(make())
        except BaseException as error:
            made.append(error)
        finally:
            _compiling.remove(make)

    if threading.current_thread() is threading.main_thread():
        thread = threading.Thread(target=work, name="compiler", daemon=True)
        thread.start()
        while thread.is_alive():
            thread.join(_LISTEN)
    else:
        work()
    found = made[0]
    if isinstance(found, BaseException):
        raise found
    return found


@atexit.register
def _let_finish() -> None:
    """Wait for compiling threads: what they use would be taken from under them."""
    while _compiling:
        time.sleep(_LISTEN)


def _compiled(text: str, wanted: Sequence[str], loops: bool) -> bytes:
    """Return machine code for kernel text."""
    import llvmlite.binding as llvm

    body = _body(text, wanted)
    machine = _target_machine()
    module = llvm.parse_assembly(body)
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    module.verify()
    _improve(module, machine, loops, body.count("\n") > _LARGE)
    return bytes(machine.emit_object(module))


def _signatures(text: str, wanted: Sequence[str]) -> tuple[Signature, ...]:
    """Return the wanted functions of kernel text that has been compiled before; bodies are not looked at."""
    heads = (line for line in text.splitlines() if line.startswith("def "))
    found = intermediate("\n".join(f"{line}\n    pass" for line in heads))[1]
    return tuple(s for s in found if s.name in wanted)


def _improve(module: Any, machine: Any, loops: bool, large: bool) -> None:
    """Let LLVM optimise a module: all it can, or what matters most where more would take seconds."""
    import llvmlite.binding as llvm

    options = llvm.create_pipeline_tuning_options(speed_level=3 if loops and not large else 1)
    options.loop_vectorization = loops
    options.loop_unrolling = loops
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


def is_compiled(text: str, wanted: Sequence[str], loops: bool = True) -> bool:
    """Whether the machine code of kernel text is in the cache."""
    key = _key(text, wanted, loops)
    return key is not None and look_up(_KIND, key) is not None


def _body(text: str, wanted: Sequence[str]) -> str:
    """Return the intermediate text of a module, of which only the wanted functions are seen from outside."""
    body, signatures = intermediate(text)
    for signature in signatures:
        if signature.name not in wanted:
            head = f"define {signature.returned} @{signature.name}("
            body = body.replace(head, head.replace("define", "define internal"))
    return body + "\nattributes #0 = { nounwind }\nattributes #1 = { noinline nounwind }\n"


def _key(text: str, wanted: Sequence[str], loops: bool) -> str | None:
    """Return what machine code depends on, as a hash; None where it cannot be kept."""
    import llvmlite
    import llvmlite.binding as llvm

    compiler = _compiler()
    if compiler is None:
        return None
    about = (
        text,
        *wanted,
        str(loops),
        compiler,
        llvmlite.__version__,
        llvm.get_process_triple(),
        llvm.get_host_cpu_name(),
    )
    return hashlib.sha256("\0".join((*about, llvm.get_host_cpu_features().flatten())).encode()).hexdigest()


@cache
def _compiler() -> str | None:
    """Return the state of this compiler: machine code that an older one made is not used."""
    return state_of([Path(__file__).parent])


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
