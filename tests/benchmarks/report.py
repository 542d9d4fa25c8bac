"""What the benchmark prints: sections with a table each, as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.benchmarks.timing import Sample

__all__ = ["Section", "Setup", "at_most", "markdown", "over", "seconds"]

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
        parts += ["", _row(section.header), "|" + "|".join("---:" if f else "---" for f in figures) + "|"]
        parts += [_row(row) for row in section.rows]
    if section.notes:
        parts += ["", *(f"- {note}" for note in section.notes)]
    return "\n".join(parts)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


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


def at_most(what: str, found: float, target: float) -> list[str]:
    """Return a note where a figure is above its target."""
    return [f"**{what}: {found:.2f}, above the target of {target:g}**"] if found > target else []
