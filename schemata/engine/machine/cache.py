"""Machine code kept in the user's cache folder, so that a later process need not compile again.

A file's name is a hash of the kernel's intermediate text, the processor and the compiler's version; its first
bytes are a hash of the rest. What another user owns or may write to is not read: machine code is trusted as
far as the folder is.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from pathlib import Path

__all__ = ["folder", "look_up", "store"]

_KEPT = 200  # files that the folder keeps
_DIGEST = 32  # bytes


def folder() -> Path:
    """Return the folder for machine code; it may not exist yet."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "schemata" / "kernels"


def look_up(key: str) -> bytes | None:
    """Return the machine code kept under a key, or None."""
    path = folder() / f"{key}.o"
    try:
        if not (_is_ours(path.parent) and _is_ours(path)):
            return None
        content = path.read_bytes()
    except OSError:
        return None
    code = content[_DIGEST:]
    return code if hashlib.sha256(code).digest() == content[:_DIGEST] else None


def store(key: str, code: bytes) -> None:
    """Keep machine code; where the folder cannot be written to, nothing happens."""
    place = folder()
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_ours(place):
            return
        files = sorted(place.glob("*.o"), key=lambda p: p.stat().st_mtime)
        for old in files[: max(0, len(files) - _KEPT + 1)]:
            old.unlink(missing_ok=True)
        handle, temporary = tempfile.mkstemp(dir=place, suffix=".tmp")
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(code).digest() + code)
        os.replace(temporary, place / f"{key}.o")
    except OSError:
        return


def _is_ours(path: Path) -> bool:
    """Whether only this user may write to a file or folder (where the system knows users)."""
    if not hasattr(os, "getuid"):
        return True
    found = path.stat()
    return found.st_uid == os.getuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
