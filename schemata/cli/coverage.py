"""The command `coverage`."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from schemata.cli import command as c
from schemata.cli.main import report
from schemata.display.terminal import page, progress

if TYPE_CHECKING:
    from schemata.structures import Sentence
    from schemata.treebanks.conllu import BrokenSentence
    from schemata.verification.coverage import Coverage

_CHUNK = 100  # sentences handed to a process at a time


@c.command(
    c.option(
        "files", "FILE.conllu", "treebanks in CoNLL-U; example: a shipped one", nargs="+", type=c.corpus_file
    ),
    c.several("--schema", "NAME", "a schema over D-rules (all shipped ones)"),
    c.flag("--classes", "classes of trees only, no schemata"),
    c.JOBS,
    c.ASCII,
    c.JSON,
    apart=(("--classes", "--schema"),),
)
def coverage(arguments: Namespace) -> int:
    """Count the trees of treebanks by class, and those that each schema parses.

    A schema that is verified for a class parses the trees of the class; others are run on each tree's own links, for
    half a second at most. Several files give a table each, and one for all. Exit code 2: sentences were skipped.
    """
    from schemata.verification.claims import all_claims
    from schemata.verification.coverage import Coverage, parsers

    names = [] if arguments.classes else [parser.name for parser in parsers(arguments.schema)]
    times = {claim.reference: claim.complexity for claim in all_claims()}
    parts: list[Coverage] = []
    for file in arguments.files:
        total = Coverage(file, schemata=Counter(dict.fromkeys(names, 0)))
        for part in _counted(file, names, arguments.jobs):
            total += part
        parts.append(total)
    if len(parts) > 1:
        whole = Coverage("all", schemata=Counter(dict.fromkeys(names, 0)))
        for part in parts:
            whole += part
        parts.append(whole)
    for number, found in enumerate(parts):
        c.answer(arguments, found.to_json, partial(_text, found, times, "\n" if number else ""))
    return 2 if any(found.skipped for found in parts) else 0


def _text(found: Coverage, times: dict[str, str], before: str, shown: object) -> str:
    from schemata.display.coverage import coverage_text

    return before + coverage_text(found, times, page())


def _counted(file: str, names: Sequence[str], jobs: int) -> Iterator[Coverage]:
    """Yield the counts of parts of a file, with a progress bar."""
    from schemata.treebanks.conllu import count_sentences, read_conllu

    pending = _reported(progress(read_conllu(file), count_sentences(file), f"reading {file}"))
    chunks = iter(lambda: tuple(islice(pending, _CHUNK)), ())
    if jobs == 1:
        yield from map(partial(_chunk, file, tuple(names)), chunks)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(partial(_chunk, file, tuple(names)), chunks)


def _reported(sentences: Iterable[Sentence | BrokenSentence]) -> Iterator[Sentence | BrokenSentence]:
    """Yield sentences; those that are broken are reported."""
    from schemata.treebanks.conllu import BrokenSentence as Broken

    for sentence in sentences:
        if isinstance(sentence, Broken):
            report(sentence.diagnostic)
        yield sentence


def _chunk(file: str, names: tuple[str, ...], sentences: Sequence[Sentence | BrokenSentence]) -> Coverage:
    from schemata.verification.coverage import coverage as count
    from schemata.verification.coverage import parsers

    return count(file, sentences, parsers(names) if names else ())
