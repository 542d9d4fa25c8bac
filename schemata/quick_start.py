"""Quick starts: public names imported on first use, Ctrl-C meanwhile; the garbage collector paused.

So importing a package does not import all its modules, and code that makes millions of small values and no garbage does
not wait for the collector.
"""

from __future__ import annotations

import gc
import importlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final


def lazy_names(
    package: str, homes: Mapping[str, str], meant: Mapping[str, str] = {}
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return the `__getattr__`, `__dir__` and `__all__` of a package whose names live in modules of their own.

    Parameters
    ----------
    package : the package's `__name__`.
    homes : modules, relative to the package, and the names each provides, separated by blanks.
    meant : hints for names that are looked for in vain.
    """
    modules = {name: module for module, names in homes.items() for name in names.split()}

    def get(name: str) -> Any:
        if name not in modules:
            from schemata.errors import did_you_mean

            near = meant.get(name) or did_you_mean(name, modules) or ""
            hint = f" ({near})" if near and not name.startswith("_") else ""
            raise AttributeError(f"module {package!r} has no attribute {name!r}{hint}")
        value = getattr(importlib.import_module(f"{package}.{modules[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *modules})

    return get, names, sorted(modules)


# Signals that end a program, as far as the system has them; some handler of Python's makes exceptions of them.
ENDING: Final = tuple(getattr(signal, x) for x in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, x))


@contextmanager
def interrupts_put_off() -> Iterator[Callable[[], bool]]:
    """Defer SIGINT and other signals that end a program; yields a predicate that says whether one
    arrived.

    Raised while the solver's terms are made or given up, it would be lost, or come out as something else; raised
    while numpy is imported, it would leave a process that cannot import numpy any more.
    """
    came: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False  # others get no signals
        return
    before = {one: handler for one in ENDING if callable(handler := signal.getsignal(one))}
    try:
        for one in before:
            signal.signal(one, lambda number, frame: came.append(number))
        yield lambda: bool(came)
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
        for number in came[:1]:
            signal.raise_signal(number)


@contextmanager
def collector_off() -> Iterator[None]:
    """Keep the collector from walking a growing chart or forest again and again."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
