"""What fresh Python processes take: as whole commands, or as scripts that say what they measured."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["processor_seconds", "script"]

ROOT = Path(__file__).parents[2]


def script(text: str, *words: str, cache: Path | None = None) -> Any:
    """Run a script in a fresh process and return the JSON value it prints last.

    Parameters
    ----------
    text : Python.
    words : its arguments.
    cache : the user's cache folder of the process; None for that of this one.
    """
    process = subprocess.run(
        [sys.executable, "-c", text, *words],
        check=True,
        capture_output=True,
        text=True,
        env=_surroundings(ROOT, cache),
    )
    return json.loads(process.stdout.splitlines()[-1])


def processor_seconds(words: Sequence[str], root: Path = ROOT, cache: Path | None = None) -> float:
    """Return the processor seconds, user and system, of `schemata WORDS` as a process of its own.

    Parameters
    ----------
    words : the command and its arguments.
    root : the checkout whose code runs.
    cache : the user's cache folder of the process; None for that of this one.
    """
    before = _children()
    subprocess.run(
        [sys.executable, "-m", "schemata", *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env=_surroundings(root, cache), cwd=root,
    )  # fmt: skip
    return _children() - before


def _children() -> float:
    """Return the processor seconds of the processes that have ended."""
    found = resource.getrusage(resource.RUSAGE_CHILDREN)
    return found.ru_utime + found.ru_stime


def _surroundings(root: Path, cache: Path | None) -> Mapping[str, str]:
    found = {**os.environ, "PYTHONPATH": str(root)}
    found.pop("PYTHONDONTWRITEBYTECODE", None)  # users have bytecode from the second start on
    return found if cache is None else {**found, "XDG_CACHE_HOME": str(cache)}
