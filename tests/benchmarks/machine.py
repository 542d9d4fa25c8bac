"""What the figures were measured on and with."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tests.benchmarks.peers import version_of

__all__ = ["description"]


def description(day: date) -> str:
    """Return the machine, the versions and the date as a Markdown table."""
    rows = [
        ("date", day.isoformat()),
        ("machine", f"{_processor()}, {os.cpu_count()} processors, {_memory()}"),
        ("load", _load()),
        ("system", f"{platform.system()} {platform.machine()}"),
        ("Python", platform.python_version()),
        ("schemata", f"revision {_revision()}"),
        *((name, _installed(name)) for name in ("llvmlite", "numpy", "z3-solver")),
        *((command, version_of(command) or "not there") for command in ("gcc", "swipl", "gringo")),
    ]
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows)])


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown processor"
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else "unknown processor"


def _memory() -> str:
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return "unknown memory"
    return f"{size / (1 << 30):.0f} GiB"


def _load() -> str:
    try:
        return (
            f"{os.getloadavg()[1]:.1f} processes over the last five minutes, the benchmark's own among them"
        )
    except (AttributeError, OSError):
        return "unknown"


def _revision() -> str:
    words = ["git", "rev-parse", "--short", "HEAD"]
    here = Path(__file__).parent
    try:
        return subprocess.run(words, cwd=here, check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
