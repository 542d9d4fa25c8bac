"""Short sentences as whole commands, now and before there were native engines."""

from __future__ import annotations

import io
import subprocess
import tarfile
from pathlib import Path

from tests.benchmarks.measure import ROOT, Section, Setup, in_turn, over, processor_seconds, seconds

__all__ = ["checkout", "measure"]

COMMANDS = [
    ["run", "eisner1996", "a b c d e f g h i j"],
    ["run", "wg1", "a b c d e f g h i j"],
    ["run", "mh", "a b c d e f g h i j"],
    ["run", "collins1996", "a b c d e f g h i j", "--json"],
    ["list"],
]
TOLERANCE = 1.05  # of the median; whole commands vary by as much from one run to the next
ABOUT = """\
Whole commands, as users type them, with the code of this checkout and with that of revision {earlier}, the
last one before the native engines, under the same Python and the same libraries, by processor seconds. Each
has a cache folder of its own, with the parse table of its own grammar.
Nothing of what short sentences need may have become slower."""
HEADER = ("command", "processor s now", "processor s then", "now / then")


def measure(setup: Setup) -> Section:
    """Return the table."""
    title, about = "Short sentences", ABOUT.format(earlier=setup.earlier)
    then = checkout(setup, setup.earlier)
    if then is None:
        return Section(title, about, HEADER, [], [f"left out: no revision {setup.earlier}"])
    rows: list[tuple[str, ...]] = []
    notes: list[str] = []
    for words in COMMANDS:
        shown = " ".join(f'"{w}"' if " " in w else w for w in words)
        setup.say(f"schemata {shown}, now and then")
        now, before = in_turn(
            5 if setup.quick else 9,
            lambda w=words: processor_seconds(w, cache=setup.scratch / "cache"),
            lambda w=words: processor_seconds(w, then, setup.scratch / "earlier cache"),
        )
        rows.append((f"`schemata {shown}`", seconds(now.least), seconds(before.least), over(now, before)))
        if min(now.over(before)) > TOLERANCE:
            notes.append(f"**`schemata {shown}` is slower than before**")
    return Section(title, about, HEADER, rows, notes)


def checkout(setup: Setup, revision: str) -> Path | None:
    """Return a folder with the files of an earlier revision, or None where git does not have it."""
    try:
        packed = subprocess.run(
            ["git", "archive", revision], cwd=ROOT, check=True, capture_output=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    folder = setup.scratch / revision
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
    return folder
