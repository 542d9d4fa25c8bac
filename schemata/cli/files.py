"""Files that commands write: every reason why one cannot be written becomes a message."""

from __future__ import annotations

import os
from pathlib import Path

from schemata.errors import Diagnostic, UsageError

__all__ = ["check_writable", "make_directory", "unwritable", "write_text"]


def write_text(path: str | Path, text: str) -> Path:
    """Write a UTF-8 file with Unix line ends and return its path.

    Raises
    ------
    UsageError : the file cannot be written.
    """
    try:
        Path(path).write_text(text, encoding="utf-8", newline="\n")
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        raise unwritable(path, error) from error
    return Path(path)


def make_directory(path: str | Path) -> Path:
    """Make a directory unless it is there, and return its path.

    Raises
    ------
    UsageError : it cannot be made, or is a file.
    """
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise unwritable(path, error) from error
    if not os.access(path, os.W_OK):
        raise unwritable(path, PermissionError(13, "Permission denied"))
    return Path(path)


def check_writable(path: str | Path) -> None:
    """Find out before a long computation whether its result can be written.

    Raises
    ------
    UsageError : there is no such directory, the file is a directory, or permission is denied.
    """
    file = Path(path)
    try:
        if file.is_dir():
            raise IsADirectoryError(21, "Is a directory")
        if not file.parent.is_dir():
            raise FileNotFoundError(2, f"there is no directory {file.parent}")
        if not os.access(file if file.exists() else file.parent, os.W_OK):
            raise PermissionError(13, "Permission denied")
    except (OSError, ValueError) as error:
        raise unwritable(path, error) from error


def unwritable(path: str | Path, error: OSError | ValueError) -> UsageError:
    """Return the error that says why a file cannot be written."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return UsageError(Diagnostic("unwritable-file", f"{str(path)!r} cannot be written: {reason}"))
