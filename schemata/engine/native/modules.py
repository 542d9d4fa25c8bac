"""Generated modules: kept as files in the user's cache folder, where Numba finds their machine code again.

Numba's on-disk cache wants a file that stays, and a module of that name. The file's name says what is in it (a
hash of the text and of all versions), so a module is written once; what is executed is always the text made in
this process, never what the file holds.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import tempfile
from functools import cache
from pathlib import Path
from types import ModuleType

__all__ = ["cache_folder", "is_compiled", "load_module"]

_PREFIX = "schemata_kernel_"
_KEPT = 200  # files of kernels that the cache folder keeps


def cache_folder() -> Path:
    """Return the folder for kernels; it may not exist yet."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "schemata" / "kernels"


def _name(text: str) -> str:
    import platform

    from importlib.metadata import version

    versions = (sys.version, version("numba"), version("numpy"), platform.machine(), _runtime_text())
    return _PREFIX + hashlib.sha256("\0".join((text, *versions)).encode()).hexdigest()[:24]


@cache
def _runtime_text() -> str:
    return (Path(__file__).parent / "runtime.py").read_text(encoding="utf-8")


def is_compiled(text: str) -> bool:
    """Whether machine code of a module is loaded, or on disk."""
    name = _name(text)
    if name in sys.modules:
        return True
    return any((cache_folder() / "__pycache__").glob(f"{name}.kernel-*.nbi"))


def load_module(text: str, checked: bool = False) -> ModuleType:
    """Return the module of a text; its functions are compiled when first called, or taken from the cache.

    Parameters
    ----------
    text : a kernel's text, made in this process.
    checked : test every index when the kernel runs; for tests.
    """
    if checked:
        text = _checked(text)
    name = _name(text)
    if name in sys.modules:
        return sys.modules[name]
    path = _written(name, text)
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module
    if path.parent == Path():
        text = text.replace("cache=True", "cache=False")  # there is nowhere to keep it
    exec(compile(text, str(path), "exec"), module.__dict__)
    return module


def _written(name: str, text: str) -> Path:
    """Write a module's file unless it is there; without a folder that can be written, only its name is used."""
    folder = cache_folder()
    path = folder / f"{name}.py"
    try:
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            return path
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _tidy(folder)
        handle, temporary = tempfile.mkstemp(dir=folder, suffix=".tmp")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(temporary, path)
    except OSError:
        return Path(f"{name}.py")
    return path


def _tidy(folder: Path) -> None:
    """Remove the oldest kernels where there are too many."""
    files = sorted(folder.glob(f"{_PREFIX}*.py"), key=lambda p: p.stat().st_mtime)
    for old in files[: max(0, len(files) - _KEPT)]:
        for path in (old, *(folder / "__pycache__").glob(f"{old.stem}.*")):
            path.unlink(missing_ok=True)


def _checked(text: str) -> str:
    """Return a kernel's text with tests of every index, in the runtime's functions too."""
    runtime = _runtime_text()
    start = runtime.index("AT = 0")
    body = re.sub(r"@numba\.njit(\(inline=\"never\"\))?", "@njit(boundscheck=True)", runtime[start:])
    kernel = "\n".join(
        line
        for line in text.splitlines()
        if not line.startswith(("from schemata.engine.native.runtime", "from numba"))
    )
    kernel = kernel.replace('@njit(inline="never")', "@njit(boundscheck=True)")
    kernel = kernel.replace("@njit(cache=True", "@njit(boundscheck=True, cache=True")
    return f"from numba import njit\n\n{body}\n{kernel}\n"
