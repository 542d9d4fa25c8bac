"""Commands over many sentences: their files, the processes that work on them, and their reports."""

from __future__ import annotations

import json
import os
from argparse import Namespace
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from glob import glob
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from schemata.cli import command as c
from schemata.cli.output import report
from schemata.display.terminal import ProgressBar, progress
from schemata.errors import Diagnostic, UsageError
from schemata.language.source import SUFFIX, Sources
from schemata.thresholds import WAYS

if TYPE_CHECKING:
    from schemata.shards import Places
    from schemata.treebanks import Blocks, BrokenSentence

T = TypeVar("T")

PLACES = (
    c.JOBS,
    c.option("--resume DIR", "keep results in this folder; the same command goes on where it was ended"),
    c.option("--scheduler ADDRESS", "work on a Dask cluster: tcp://HOST:8786"),
)
NUMBER = c.number("--number N", "sentence N of the file, from 1 (default: all)", above=0)
_NOT_ASKED = {"began", "jobs", "resume", "scheduler", "max_seconds", "max_memory", "ascii"}


def expanded(names: Iterable[str], others: Sequence[str] = ()) -> tuple[list[str], list[str]]:
    """Return the treebanks that names and patterns stand for, and the other arguments of a command.

    Without quotes, `--conllu *.conllu` leaves all but the first file to the other arguments.

    Raises
    ------
    UsageError : no file fits a pattern.
    """
    found: list[str] = []
    more = [name for name in others if names and name.endswith(".conllu")]
    for name in (*names, *more):
        if any(sign in name for sign in "*?[") and not os.path.exists(name):
            files = sorted(glob(name, recursive=True))
            if not files:
                expected = "a pattern of CoNLL-U files"
                raise UsageError(f"no file fits {name}", code="no-files", expected=expected)
            found += files
        else:
            found.append(name)
    return found, [name for name in others if name not in more]


def places(arguments: Namespace, not_asked: Collection[str] = ()) -> Places:
    """Return the places where a command works; its ledger is keyed by all options outside `not_asked`.

    The key includes the content of all files that options name, and of those that schemata among them extend.

    Raises
    ------
    UsageError : processes and a cluster are given, or a ledger and input that can be read only once.
    """
    from schemata.shards import Places  # it imports processes, which a run on one sentence does without

    if arguments.scheduler is not None and arguments.jobs > 1:
        raise UsageError("--jobs and --scheduler exclude each other: the cluster has its own workers")
    if arguments.resume is None:
        return Places(arguments.jobs, arguments.scheduler)
    from schemata.version import __version__

    asked: dict[str, Any] = {"schemata": __version__}
    for name, value in sorted(vars(arguments).items()):
        if name not in _NOT_ASKED and name not in not_asked:
            asked[name] = value
            for text in value if isinstance(value, list | tuple) else [value]:
                if isinstance(text, str) and 0 < len(text) < 4096:  # longer is not a path
                    asked |= {f"content of {file}": _digest(file) for file in _files(text)}
    question = json.dumps(asked, indent=1, default=str)
    return Places(arguments.jobs, arguments.scheduler, Path(arguments.resume), question)


def _files(text: str) -> list[Path]:
    """Return the files that an option's value names: a path, perhaps with parameters behind it; none for other values.

    Raises
    ------
    UsageError : it is a pipe or a device, which may give something else when read again.
    """
    found: dict[Path, None] = {}
    for path in (Path(text), Path(text.rpartition(":")[0])) if ":" in text else (Path(text),):
        if path.is_dir():
            found.update(dict.fromkeys(sorted(file for file in path.rglob("*") if file.is_file())))
        elif path.is_file() and path.suffix == SUFFIX:
            from schemata.language.files import check_file  # takes its time

            sources: Sources = {}
            check_file(path, {}, sources)
            found.update(dict.fromkeys([path, *sources]))
        elif path.is_file():
            found[path] = None
            if path.suffix == ".dict":  # it may name lists of words beside it
                beside = sorted(path.parent.glob("words/**/*"))
                found.update(dict.fromkeys(file for file in beside if file.is_file()))
        elif path.exists():
            message = f"--resume cannot go on with {path}: it is not a file that can be read again"
            raise UsageError(message, code="not-a-file", hint="write it to a file first")
    return list(found)


def _digest(file: Path) -> str | None:
    """Return the checksum of a file; None for a file that does not exist."""
    import hashlib

    if not file.is_file():
        return None
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def usable(found: Iterable[T | BrokenSentence], file: str, broken: list[Diagnostic]) -> Iterator[T]:
    """Yield the usable sentences of a treebank, under a progress bar; errors in others are reported, and
    recorded.
    """
    from schemata.treebanks import BrokenSentence, count_sentences

    for one in progress(found, count_sentences(file), f"reading {file}"):
        if isinstance(one, BrokenSentence):
            report(one.diagnostic)
            broken.append(one.diagnostic)
        else:
            yield one


class Sharing(Protocol):
    """How this process and others share the work on a part of a treebank."""

    def shards(self, part: Blocks) -> list[Any]:
        """Return the shards that others must finish before the part can be answered here: one at least."""

    def answer(self, part: Blocks, results: Sequence[Any]) -> Any:
        """Return the result of a part from those of its shards; parts come in order."""


def worked(
    files: Sequence[str],
    make: Callable[..., Any],
    of: tuple[Any, ...],
    where: Places,
    description: str,
    sharing: Sharing | None = None,
) -> Iterator[tuple[int, Any]]:
    """Yield the results of parts of treebanks, in order, each with its file's place, under a progress bar.

    Parameters
    ----------
    files : the treebanks.
    make, of, where : as `schemata.shards.Crew` has them, whose `arguments` are `of`; a shard is a `Blocks`.
    description : the text of the bar.
    sharing : makes several shards of a part; without it, a part is a shard.

    Raises
    ------
    TreebankError : a file cannot be read; raised when its turn comes.
    """
    from schemata.shards import crew
    from schemata.treebanks import count_sentences, read_parts

    counts = [count_sentences(file) for file in files]
    total = None if None in counts else sum(filter(None, counts))
    under_way: deque[tuple[int, Blocks, int]] = deque()

    def shards() -> Iterator[Any]:
        for place, file in enumerate(files):
            for part in read_parts(file, where.size(WAYS.process_sentences, WAYS.cluster_sentences)):
                own = [part] if sharing is None else sharing.shards(part)
                under_way.append((place, part, len(own)))
                yield from own

    # Without a timer, since processes may be forked.
    with crew(make, of, where) as workers, ProgressBar(description, total, timer=False) as bar:
        results = workers.results(shards())
        for first in results:
            place, part, count = under_way.popleft()
            found = [first, *islice(results, count - 1)]
            yield place, first if sharing is None else sharing.answer(part, found)
            bar.advance(len(part.blocks))
