"""Machine code of kernels: compiled by LLVM, kept as files in the user's cache folder.

A file's name is a hash of all that its code depends on: the kernel's text, this package's part of it, LLVM's
version, the processor. A kernel's text consists of numbers, operators and names made here; `machine` takes
nothing else.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schemata.engine.native import machine, runtime

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ARRAYS", "Module", "cache_folder", "is_compiled", "load_module"]

# The bits of an entry of every array that kernels know.
ARRAYS: Mapping[str, int] = {
    "st": 64,
    "CNT": 64,
    "CS": 64,
    "F": 32,
    "KI": 32,
    "TAB": 32,
    "LH": 64,
    "A": 32,
    "LIC": 8,
    "CAT": 32,
    "CLIC": 8,
    "MU": 8,
    "WB": 64,
    "SH": 64,
    "SR": 32,
    "LOG": 32,
    "OFF": 64,
    "HK": 64,
    "HV": 32,
    "JK": 64,
    "JV": 32,
}
_KEPT = 200  # files that the cache folder keeps


class Module:
    """Machine code in memory; `call` calls one of its functions."""

    def __init__(self, code: bytes, entries: Sequence[str]) -> None:
        import llvmlite.binding as llvm

        _prepare()
        empty = llvm.parse_assembly("")
        self._engine = llvm.create_mcjit_compiler(empty, _target_machine())
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()
        kind = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)
        self._functions: dict[str, Callable[[int], int]] = {
            name: kind(self._engine.get_function_address(f"entry_{name}")) for name in entries
        }
        self._fault = ctypes.c_int64.from_address(self._engine.get_global_value_address("fault"))

    def call(self, name: str, *given: int | NDArray[Any]) -> int:
        """Call a function with numbers and arrays.

        Raises
        ------
        IndexError : in a checked module, an index was out of bounds.
        """
        words: list[int] = []
        for value in given:
            if isinstance(value, int):
                words.append(value)
            else:
                words += (value.ctypes.data, value.size)
        passed = (ctypes.c_int64 * len(words))(*words)
        result = self._functions[name](ctypes.addressof(passed))
        if self._fault.value:
            line, self._fault.value = self._fault.value, 0
            raise IndexError(f"index out of bounds in line {line} of a kernel")
        return result


def cache_folder() -> Path | None:
    """Return the folder for kernels, None where the system names none; it may not exist yet."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "schemata" / "kernels" if os.path.isabs(base) else None


_loaded: dict[str, Module] = {}


def is_compiled(text: str, entries: Sequence[str] = ("kernel",)) -> bool:
    """Whether machine code of a text is loaded, or on disk."""
    name = _name(text, entries)
    folder = cache_folder()
    return name in _loaded or (folder is not None and (folder / name).is_file())


def load_module(
    text: str, entries: Sequence[str] = ("kernel",), checked: bool = False, arrays: Mapping[str, int] = ARRAYS
) -> Module:
    """Return the machine code of a kernel's text: that of this process, of the disk, or newly made.

    Parameters
    ----------
    text : functions in the words of `machine`; they may call those of `runtime`.
    entries : the functions that are called from outside.
    checked : test every index when the kernel runs; for tests.
    arrays : the bits of an entry of every array, by name.
    """
    name = _name(text, entries, checked)
    if name not in _loaded:
        folder = cache_folder()
        code = _read(folder, name)
        if code is None:
            constants = {k: v for k, v in vars(runtime).items() if k.isupper()}
            full = f"{_runtime_text()}\n\n{text}"
            code = _compile(machine.to_llvm(full, arrays, constants, entries, checked))
            _write(folder, name, code)
        _loaded[name] = Module(code, entries)
    return _loaded[name]


@cache
def _runtime_text() -> str:
    return Path(runtime.__file__).read_text(encoding="utf-8")


@cache
def _surroundings() -> str:
    """Return what else the machine code of a text depends on."""
    import llvmlite
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features().flatten()
    compiler = Path(machine.__file__).read_text(encoding="utf-8")
    parts = (llvmlite.__version__, llvm.get_process_triple(), llvm.get_host_cpu_name(), features)
    return "\0".join((*parts, compiler, _runtime_text()))


def _name(text: str, entries: Sequence[str], checked: bool = False) -> str:
    whole = "\0".join((text, *entries, str(checked), _surroundings()))
    return f"{hashlib.sha256(whole.encode()).hexdigest()[:32]}.o"


def _read(folder: Path | None, name: str) -> bytes | None:
    """Return kept machine code: a file that begins with the hash of the rest, None for anything else."""
    if folder is None:
        return None
    try:
        data = (folder / name).read_bytes()
    except OSError:
        return None
    return data[32:] if hashlib.sha256(data[32:]).digest() == data[:32] else None


def _write(folder: Path | None, name: str, code: bytes) -> None:
    """Keep machine code, where there is a folder for it."""
    if folder is None:
        return
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        files = sorted(folder.glob("*.o"), key=lambda p: p.stat().st_mtime)
        for old in files[: max(0, len(files) + 1 - _KEPT)]:
            old.unlink(missing_ok=True)
        handle, temporary = tempfile.mkstemp(dir=folder, suffix=".tmp")
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(code).digest() + code)
        os.replace(temporary, folder / name)
    except OSError:
        return


@cache
def _prepare() -> None:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def _target_machine() -> Any:
    import llvmlite.binding as llvm

    target = llvm.Target.from_default_triple()
    features = llvm.get_host_cpu_features().flatten()
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features, opt=2, codemodel="jitdefault", jit=True
    )


def _compile(assembly: str) -> bytes:
    """Return the machine code of LLVM's assembly."""
    import llvmlite.binding as llvm

    _prepare()
    module = llvm.parse_assembly(assembly)
    module.verify()
    code_maker = _target_machine()
    module.triple = llvm.get_process_triple()
    module.data_layout = str(code_maker.target_data)
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    options.loop_vectorization = False
    options.slp_vectorization = False
    builder = llvm.create_pass_builder(code_maker, options)
    builder.getModulePassManager().run(module, builder)
    return bytes(code_maker.emit_object(module))
