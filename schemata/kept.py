"""Files kept between runs in the user's cache folder: what takes long to make and follows from its key alone.

Every kind has a folder. A file's first line is a checksum of the rest, so what is not whole is passed over. What
another user owns or may write to is not read. Where a folder cannot be written to, nothing is kept and nothing
is said: all is made again.
"""

from __future__ import annotations

import contextlib
import os
import stat
import zlib
from pathlib import Path

__all__ = ["folder_of", "look_up", "store"]

_MOST = 300  # files that a folder keeps, the latest


def folder_of(kind: str = "") -> Path | None:
    """Return the folder for files of a kind, which may not exist yet; None where the user has no folder."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base, "schemata", kind) if os.path.isabs(base) else None


def look_up(kind: str, name: str) -> bytes | None:
    """Return what is kept under a name, or None."""
    folder = folder_of(kind)
    if folder is None:
        return None
    path = folder / name
    try:
        if not (_is_ours(folder) and _is_ours(path)):
            return None
        checksum, _, content = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    return content if checksum == _checksum(content) else None


def store(kind: str, name: str, content: bytes) -> None:
    """Keep something under a name, in place of what was there; beyond some hundred files the oldest go."""
    import tempfile

    folder = folder_of(kind)
    if folder is None:
        return
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_ours(folder):
            return
        handle, temporary = tempfile.mkstemp(dir=folder, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_checksum(content) + b"\n" + content)
            os.replace(temporary, folder / name)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        files = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime)
        for old in files[:-_MOST]:
            old.unlink(missing_ok=True)


def _checksum(content: bytes) -> bytes:
    return b"%08x" % zlib.crc32(content)


def _is_ours(path: Path) -> bool:
    """Whether only this user may write to a file or folder (where the system knows users)."""
    if not hasattr(os, "getuid"):
        return True
    found = path.stat()
    return found.st_uid == os.getuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
