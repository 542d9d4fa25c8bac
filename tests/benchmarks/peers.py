"""The programs of other systems that runs are compared with, how they are run, and what they print.

They are not part of this repository: a folder with `limit.c`, `eisner.pl`, `wg.lp` and the like, which do the work of a
shipped schema on a sentence of n words with every link licensed.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

__all__ = [
    "Limit",
    "find_peers",
    "gringo_seconds",
    "parse_limit",
    "parse_tabling",
    "tabling_seconds",
    "version_of",
]

_LIMIT = re.compile(r"^ref (\w) n=(\d+) bp=(\d) inf=(\d+) best=([\d.]+) ips=\d+$")
_TABLING = re.compile(r"^swipl (\w+) n=(\d+) items=(\d+) sec=([\d.]+)$")


def find_peers(given: Path | None) -> Path | None:
    """Return the folder of the other systems' programs: the given one, or one beside the repository."""
    found = given or Path(__file__).parents[2].parent / "shared" / "peers"
    return found if found.is_dir() else None


@dataclass(frozen=True, slots=True)
class Limit:
    """The hand-written C program, compiled.

    Attributes
    ----------
    program : the executable.
    """

    program: Path

    @classmethod
    def compile(cls, peers: Path | None, scratch: Path, *options: str) -> Limit | None:
        """Return it compiled with gcc; None where there is no source or no compiler."""
        if peers is None or not (peers / "limit.c").exists() or shutil.which("gcc") is None:
            return None
        program = scratch / "-".join(["limit", *(o.strip("-").replace("=", "-") for o in options)])
        subprocess.run(["gcc", *options, "-o", str(program), str(peers / "limit.c")], check=True)
        return cls(program)

    def seconds(self, letter: str, n: int, back_pointers: int, times: int) -> float:
        """Return the best time of several runs in one process, by the program's own clock."""
        words = [str(self.program), letter, str(n), str(back_pointers), str(times)]
        printed = subprocess.run(words, check=True, capture_output=True, text=True).stdout
        return parse_limit(printed)[1]


@dataclass(frozen=True, slots=True)
class Weighted:
    """The hand-written C program with weights, compiled."""

    program: Path

    @classmethod
    def compile(cls, peers: Path | None, scratch: Path) -> Weighted | None:
        """Return it compiled as its head says; None where there is no source or no compiler."""
        if peers is None or not (peers / "weighted.c").exists() or shutil.which("gcc") is None:
            return None
        program, source = scratch / "weighted", str(peers / "weighted.c")
        options = ["-O3", "-march=native", "-ffast-math", "-fno-finite-math-only"]
        subprocess.run(["gcc", *options, "-o", str(program), source, "-lm"], check=True)
        return cls(program)

    def run(self, letter: str, n: int, what: str, times: int) -> tuple[float, float]:
        """Return the best time of several passes in one process, and the total in log space."""
        words = [str(self.program), letter, str(n), what, str(times)]
        printed = subprocess.run(words, check=True, capture_output=True, text=True).stdout
        found = re.search(r"best=([\d.]+) s .*value=(-?[\d.]+)", printed)
        if found is None:
            raise ValueError(f"not a line of the C program: {printed!r}")
        return float(found[1]), float(found[2])


def parse_limit(printed: str) -> tuple[int, float]:
    """Return the rule instances and the seconds that the C program prints.

    >>> parse_limit("ref e n=160 bp=1 inf=2743440 best=0.008700 ips=315338000")
    (2743440, 0.0087)
    """
    found = _LIMIT.match(printed.strip())
    if found is None:
        raise ValueError(f"not a line of the C program: {printed!r}")
    return int(found[4]), float(found[5])


def parse_tabling(printed: str) -> tuple[int, float]:
    """Return the items and the seconds that a tabling program prints.

    >>> parse_tabling("swipl eisner n=40 items=2420 sec=0.0312")
    (2420, 0.0312)
    """
    found = _TABLING.match(printed.strip())
    if found is None:
        raise ValueError(f"not a line of a tabling program: {printed!r}")
    return int(found[3]), float(found[4])


def tabling_seconds(program: Path, n: int) -> tuple[int, float]:
    """Return the items and the processor seconds of SWI-Prolog, by the program's own clock: without its start."""
    printed = subprocess.run(
        ["swipl", "-O", str(program), str(n)], check=True, capture_output=True, text=True
    ).stdout
    return parse_tabling(printed)


def gringo_seconds(program: Path, n: int) -> float:
    """Return the wall seconds of a whole process of gringo that grounds a program; what it prints is dropped."""
    started = time.perf_counter()
    subprocess.run(["gringo", "-c", f"n={n}", str(program)], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def version_of(command: str) -> str | None:
    """Return what a program says of its version, or None where it is not installed."""
    if shutil.which(command) is None:
        return None
    printed = subprocess.run([command, "--version"], check=True, capture_output=True, text=True).stdout
    return printed.splitlines()[0].strip()
