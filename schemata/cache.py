"""Files in the user's cache folder: results that take long to make and that their key determines.

Every kind has a folder, `schemata/KIND` under `$XDG_CACHE_HOME` or `~/.cache`. A file's first line is a checksum of
the rest and of its name, so that a damaged or misplaced file is passed over. A link, or a file that another user owns
or may write, is not read. If a folder cannot be written to, nothing is cached and no error is raised: everything is
made anew.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import io
import os
import pickle
import re
import stat
import time
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from schemata.thresholds import WAYS, changes

T = TypeVar("T")

_SUFFIX = ".kept"
_MODULES = (".py", ".lark")


def folder_of(kind: str) -> Path | None:
    """Return the folder for files of a kind, which may not exist yet; None if the user has no folder."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base, "schemata", kind) if os.path.isabs(base) else None


def look_up(kind: str, name: str) -> bytes | None:
    """Return the content stored under a name, or None."""
    folder = folder_of(kind)
    if folder is None:
        return None
    path = folder / _file_name(name)
    try:
        if not (_is_own(folder.parent) and _is_own(folder) and _is_own(path, stat.S_ISREG)):
            return None
        checksum, _, content = path.read_bytes().partition(b"\n")
        if checksum != _checksum(content, f"{kind}/{_file_name(name)}"):
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # used now
    except OSError:
        return None
    return content


def store(kind: str, name: str, content: bytes) -> None:
    """Store content under a name, replacing any; entries that were long unused may be deleted."""
    import tempfile

    folder = folder_of(kind)
    if folder is None:
        return
    with contextlib.suppress(OSError):
        folder.parent.parent.mkdir(parents=True, exist_ok=True)
        for place in (folder.parent, folder):
            place.mkdir(mode=0o700, exist_ok=True)
            if not _is_own(place):
                return
        handle, temporary = tempfile.mkstemp(dir=folder, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_checksum(content, f"{kind}/{_file_name(name)}") + b"\n" + content)
            os.replace(temporary, folder / _file_name(name))
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        _tidy(folder, folder / _file_name(name))


def state_of(places: Iterable[Path]) -> str | None:
    """Return a key of the present state of some modules: a checksum of the contents of files, and of the files in
    folders.

    None if they are not files, as in a zip archive: then nothing that depends on them can be cached.
    """
    found = []
    try:
        for place in places:
            inside = (path for path in place.rglob("*.*") if path.suffix in _MODULES)
            files = sorted(inside) if place.is_dir() else [place]
            found += [f"{file.relative_to(place.parent)} {_checksum(file.read_bytes())!r}" for file in files]
    except OSError:
        return None
    return f"{len(found)} files {_checksum(' '.join(found).encode())!r}" if found else None


def values_written(value: object, *shared: object) -> bytes:
    """Return a value made of frozen values, numbers, texts, tuples, lists and dictionaries as bytes.

    Parameters
    ----------
    value : the value.
    shared : objects that the reader has too: they are written by their places here.

    Raises
    ------
    RecursionError : it is nested more deeply than can be written.
    """
    content = io.BytesIO()
    _Writer(content, shared).dump(value)
    return content.getvalue()


def values_read(content: bytes, modules: Collection[str], *shared: object) -> Any:
    """Return the value that `values_written` wrote; builds only data classes of the named modules,
    executes nothing.

    Raises
    ------
    Exception : of any kind, if the content is not such a value.
    """
    return _Reader(io.BytesIO(content), modules, shared).load()


def fits(value: object, hint: Any) -> bool:
    """Whether a value is of a type as annotations write it, and so are its parts and its fields.

    >>> fits([(1, "a")], list[tuple[int, str | None]]), fits({"a": (1, 2)}, dict[str, tuple[str, ...]])
    (True, False)

    Parameters
    ----------
    value : the value, for example from another process or a file.
    hint : a class, a generic alias of tuples and collections, a union, a literal; anything else fits any value.
    """
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(fits(value, one) for one in inner)
    if origin is Literal:
        return any(value is one or (type(value) is type(one) and value == one) for one in inner)
    kind = type(None) if hint is None else hint if origin is None else origin
    if not isinstance(kind, type):
        return True
    if kind is float:
        return isinstance(value, int | float)
    if not isinstance(value, kind):
        return False
    if isinstance(value, tuple) and inner[1:] != (...,):
        return not inner or (len(value) == len(inner) and all(map(fits, value, inner)))
    if isinstance(value, Mapping):
        return not inner or all(fits(key, inner[0]) and fits(one, inner[1]) for key, one in value.items())
    if isinstance(value, Collection) and inner:
        return all(fits(one, inner[0]) for one in value)
    if is_dataclass(kind := type(value)):
        return all(hasattr(value, name) and fits(getattr(value, name), of) for name, of in _hints(kind))
    return True


@functools.cache
def _hints(of: Any) -> tuple[tuple[str, Any], ...]:
    """Return the fields of a data class with their types; a type that only a type checker can see becomes any type."""
    try:
        known = get_type_hints(of)
    except NameError:
        known = {}
    return tuple((one.name, known.get(one.name, Any)) for one in fields(of))


def named(label: str, key: object) -> str:
    """Return the file name for a key: it begins with the label."""
    return f"{label[:40]}-{zlib.crc32(repr(key).encode('utf-8', 'surrogatepass')):08x}"


def kept_value(kind: str, label: str, key: object, modules: Collection[str], *shared: object) -> Any:
    """Return the value stored for a key, built as by `values_read`; None if there is none, or no key."""
    key = None if key is None else (key, *changes())
    content = None if key is None else look_up(kind, named(label, key))
    if content is None:
        return None
    try:
        of, value = values_read(content, modules, *shared)
        return value if of == key else None
    except Exception:
        return None


def keep_value(kind: str, label: str, key: object, value: object, *shared: object) -> None:
    """Keep a value for a key, if there is one and the value is not nested too deeply."""
    if key is not None:
        key = (key, *changes())
        with contextlib.suppress(RecursionError):
            store(kind, named(label, key), values_written((key, value), *shared))


def kept_text(kind: str, label: str, key: object, make: Callable[[], T]) -> T:
    """Return the text (or texts, numbers and tuples) stored for a key; if there is none, make and store it."""
    text: T | None = kept_value(kind, label, key, ())
    if text is None:
        text = make()
        keep_value(kind, label, key, text)
    return text


class _Writer(pickle.Pickler):
    """Writes paths as texts and shared objects as numbers, everything else as pickles do."""

    def __init__(self, file: io.BytesIO, shared: tuple[object, ...]) -> None:
        super().__init__(file, protocol=5)
        self.shared = {id(value): place for place, value in enumerate(shared)}

    def persistent_id(self, value: object) -> str | int | None:
        return str(value) if isinstance(value, Path) else self.shared.get(id(value))


class _Reader(pickle.Unpickler):
    """Builds paths, data classes of some modules, and nameless values: numbers, texts, tuples, lists."""

    def __init__(self, file: io.BytesIO, modules: Collection[str], shared: tuple[object, ...]) -> None:
        super().__init__(file)
        self.modules, self.shared = modules, shared

    def persistent_load(self, written: object) -> object:
        return self.shared[written] if isinstance(written, int) else Path(str(written))

    def find_class(self, module: str, name: str) -> Any:
        if module in self.modules:
            found = getattr(importlib.import_module(module), name, None)
            if isinstance(found, type) and is_dataclass(found):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is not a value that may be read")


def _file_name(name: str) -> str:
    """Return a name as a file name, without characters that some systems refuse."""
    return re.sub(r"[^\w.-]", "", name) + _SUFFIX


def _tidy(folder: Path, latest: Path) -> None:
    """Delete the files that were used longest ago, if there are too many; other files stay."""
    with os.scandir(folder) as entries:
        kept = [
            e
            for e in entries
            if e.name.endswith(_SUFFIX) and e.is_file(follow_symlinks=False) and e.path != str(latest)
        ]
    if (more := len(kept) + 1 - WAYS.cached_files) > 0:
        now = time.time()
        for old in sorted(kept, key=lambda e: min(e.stat(follow_symlinks=False).st_mtime, now))[:more]:
            os.unlink(old)


def _checksum(content: bytes, path: str = "") -> bytes:
    """Return a checksum of content and its place: a renamed file does not match."""
    return b"%08x" % zlib.crc32(content, zlib.crc32(path.encode()))


def _is_own(path: Path, kind: Callable[[int], bool] = stat.S_ISDIR) -> bool:
    """Whether a path is a folder (or of another kind) that only this user may write to, if the system has users."""
    found = path.lstat()
    own = not hasattr(os, "getuid") or found.st_uid == os.getuid()
    shared = hasattr(os, "getuid") and found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return kind(found.st_mode) and own and not shared
