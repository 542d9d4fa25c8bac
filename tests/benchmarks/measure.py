"""Measures and tables: sides that take turns, fresh processes, sections as Markdown, the machine."""

from __future__ import annotations

import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from schemata.display.terminal import markdown_table
from tests.benchmarks.peers import version_of

# Seconds that are compared: the sides of a comparison take turns, so that a slow moment hits all of them ----


@dataclass(frozen=True, slots=True)
class Sample:
    """What one side took, by round.

    Attributes
    ----------
    values : seconds, or another quantity of which less is better; never empty.
    """

    values: tuple[float, ...]

    @property
    def least(self) -> float:
        """The least value: what the machine can do when nobody else is using it."""
        return min(self.values)

    @property
    def median(self) -> float:
        """The median value."""
        return statistics.median(self.values)

    def over(self, other: Sample) -> tuple[float, float]:
        """Return the ratio of the least values, and the median of the ratios round by round.

        >>> Sample((1.0, 4.0, 3.0)).over(Sample((2.0, 2.0, 2.0)))
        (0.5, 1.5)
        """
        pairs = [a / b for a, b in zip(self.values, other.values, strict=True)]
        return self.least / other.least, statistics.median(pairs)


def in_turn(rounds: int, *sides: Callable[[], float]) -> tuple[Sample, ...]:
    """Return what each side takes; in every round each side has one turn, after a round that does not count.

    Parameters
    ----------
    rounds : how often.
    sides : functions that do the work and return the seconds it took.
    """
    found: list[list[float]] = [[] for _ in sides]
    for counted in (False, *[True] * rounds):
        for values, side in zip(found, sides, strict=True):
            seconds = side()
            if counted:
                values.append(seconds)
    return tuple(Sample(tuple(values)) for values in found)


def clocked(
    work: Callable[[], object], clock: Callable[[], float] = time.perf_counter
) -> Callable[[], float]:
    """Return a side that times a function, by the wall clock or another one."""

    def side() -> float:
        started = clock()
        work()
        return clock() - started

    return side


def best_of(times: int, side: Callable[[], float]) -> Callable[[], float]:
    """Return a side that takes several turns in a row and returns the shortest."""
    return lambda: min(side() for _ in range(times))


# What fresh Python processes take: as whole commands, or as scripts that say what they measured -------------


ROOT = Path(__file__).parents[2]


def script(text: str, *words: str, root: Path = ROOT, cache: Path | None = None) -> Any:
    """Run a script in a fresh process and return the JSON value it prints last.

    Parameters
    ----------
    text : Python.
    words : its arguments.
    root : the checkout whose code runs.
    cache : the user's cache folder of the process; None for that of this one.
    """
    command, env = [sys.executable, "-c", text, *words], _surroundings(root, cache)
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=env, cwd=root)
    return json.loads(done.stdout.splitlines()[-1])


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


# Grammars for which NLTK's parsers and those here are timed --------------------------------------------------

NLTK_PHRASES = """
S -> NP VP
NP -> DT N1 | N1 | NP PP | NP CC NP
N1 -> N | A N1 | N1 N | N1 PP
VP -> V NP | VP PP | V NP PP | VP CC VP
PP -> P NP
DT -> 'the'
N -> 'dog' | 'park' | 'man' | 'saw'
A -> 'old' | 'dog'
V -> 'saw' | 'man'
P -> 'in'
CC -> 'and'
"""
NLTK_PAIRS = "S -> S S | 'a'\n"


# What the benchmark prints: sections with a table each, as Markdown -----------------------------------------


PLAIN = "-"  # a cell without a figure


@dataclass(frozen=True, slots=True)
class Setup:
    """How the benchmark is run.

    Attributes
    ----------
    quick : fewer repetitions and shorter sentences, to see that all of it works.
    peers : the folder with the programs of other systems, or None.
    treebank : a CoNLL-U file, or None.
    earlier : a revision of the repository that small runs are compared with.
    scratch : a folder for what is compiled and cached.
    say : is told what is being measured.
    """

    quick: bool
    peers: Path | None
    treebank: Path | None
    earlier: str
    scratch: Path
    say: Callable[[str], None]

    @property
    def rounds(self) -> int:
        """How often every pair is measured."""
        return 3 if self.quick else 7


@dataclass(frozen=True, slots=True)
class Section:
    """A table, what it shows and what was left out.

    Attributes
    ----------
    title, about : Markdown; `about` is what is measured and how.
    header : the columns' titles.
    rows : the cells, as text.
    notes : remarks below the table: what was missing, targets that were missed.
    """

    title: str
    about: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    notes: Sequence[str] = field(default=())


def markdown(section: Section) -> str:
    """Return a section as Markdown; columns of figures are set to the right.

    >>> print(markdown(Section("Speed", "What it took.", ("run", "s"), [("a", "1.0")], ["nothing missing"])))
    ## Speed
    <BLANKLINE>
    What it took.
    <BLANKLINE>
    | run | s |
    |---|---:|
    | a | 1.0 |
    <BLANKLINE>
    - nothing missing
    """
    figures = [
        bool(section.rows) and all(_is_figure(row[k]) for row in section.rows)
        for k in range(len(section.header))
    ]
    parts = [f"## {section.title}", "", section.about]
    if section.rows:
        header = [
            f">{name}" if is_figure else name for name, is_figure in zip(section.header, figures, strict=True)
        ]
        parts += ["", markdown_table(header, section.rows)]
    if section.notes:
        parts += ["", *(f"- {note}" for note in section.notes)]
    return "\n".join(parts)


def _is_figure(cell: str) -> bool:
    return cell == PLAIN or cell[:1].isdigit()


def seconds(value: float) -> str:
    """Return a time in seconds to three digits.

    >>> seconds(0.0012345), seconds(12.345)
    ('0.00123', '12.3')
    """
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.{max(1, 2 - _magnitude(value))}f}"


def _magnitude(value: float) -> int:
    return int(f"{value:e}".split("e")[1])


def over(one: Sample, other: Sample) -> str:
    """Return one side over the other: the ratio of the least values, and the median of the rounds' ratios.

    >>> over(Sample((1.0, 4.0, 3.0)), Sample((2.0, 2.0, 2.0)))
    '0.50 / 1.50'
    """
    return " / ".join(f"{ratio:.2f}" if ratio < 100 else f"{ratio:.0f}" for ratio in one.over(other))


def figures(one: Sample, other: Sample) -> tuple[str, str, str]:
    """Return the least seconds of two sides, and the one over the other."""
    return seconds(one.least), seconds(other.least), over(one, other)


def at_most(what: str, found: float, target: float) -> list[str]:
    """Return a note where a figure is above its target."""
    return [f"**{what}: {found:.2f}, above the target of {target:g}**"] if found > target else []


# What the figures were measured on and with -----------------------------------------------------------------


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
