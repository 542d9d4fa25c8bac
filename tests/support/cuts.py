"""Something that goes wrong in the middle of a command: an exception at the k-th call of a function of the package."""

from __future__ import annotations

import inspect
import json
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import schemata
from schemata import budget

PACKAGE = str(Path(schemata.__file__).parent)
_BEGINS = 20  # bytes of code before the first instruction of a generator's text
TIMES = ("seconds", "seconds_per_sentence")
ASIDE = ("attempts", "proof", "trees_complete", "structures_complete")  # others of a chart that is cut short


class Calls:
    """Counts the calls of functions of the package; at one of them, an exception is raised.

    Parameters
    ----------
    at : the number of the call; 0 for none: then both sorts of calls are counted.
    error : what is raised.
    guarded : number only calls during which the budget's thread may raise something.
    """

    def __init__(self, at: int, error: Callable[[], BaseException], guarded: bool) -> None:
        self.at, self.error, self.guarded = at, error, guarded
        self.count = 0
        self.guarded_count = 0
        self.firsts: dict[
            CodeType, tuple[int, int]
        ] = {}  # of each function, among all calls and guarded ones
        self.where: list[str] = []

    @classmethod
    def none(cls) -> Calls:
        """Return what counts, and raises nothing."""
        return cls(0, KeyboardInterrupt, False)

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or not frame.f_code.co_filename.startswith(PACKAGE) or _is_resumed(frame):
            return
        if self.guarded and not _is_guarded(frame):
            return
        self.count += 1
        if not self.at:
            guarded = _is_guarded(frame)
            self.guarded_count += guarded
            first, first_guarded = self.firsts.get(frame.f_code, (self.count, 0))
            if guarded and not first_guarded:
                first_guarded = self.guarded_count
            self.firsts[frame.f_code] = first, first_guarded
        elif self.count == self.at:
            sys.setprofile(None)
            while frame.f_back is not None and len(self.where) < 12:
                self.where.append(f"{frame.f_code.co_filename}:{frame.f_lineno} {frame.f_code.co_name}")
                frame = frame.f_back
            raise self.error()


def _is_resumed(frame: FrameType) -> bool:
    """Whether a generator goes on, or is closed: what is raised while it is closed is swallowed by Python."""
    return bool(frame.f_code.co_flags & inspect.CO_GENERATOR) and frame.f_lasti > _BEGINS


def _is_guarded(frame: FrameType) -> bool:
    """Whether the budget's thread may raise an exception in this thread now: not within its own work."""
    thread = threading.get_ident()
    own = frame.f_code.co_filename == budget.__file__
    return not own and any(run.thread == thread and not run.leaving for run in budget._keeper.watching)


@contextmanager
def counting(calls: Calls) -> Iterator[Calls]:
    """Count calls meanwhile."""
    sys.setprofile(calls)
    try:
        yield calls
    finally:
        sys.setprofile(None)


class Told(NamedTuple):
    """What a command answered: its exit code, its JSON documents without times, its messages."""

    code: int
    documents: list[Any]
    messages: str


def timeless(value: Any) -> Any:
    """Return JSON without what depends on the clock."""
    if isinstance(value, dict):
        return {key: timeless(each) for key, each in value.items() if key not in TIMES}
    return [timeless(each) for each in value] if isinstance(value, list) else value


def faults(whole: Told, cut: Told) -> list[str]:
    """Return how an answer that was cut short says more than is true: the whole one is.

    It has the code 2 or 130, or is the whole one; each yes and no in it stands in the whole one at the same place. It
    may say that something was stopped and still have the code 0 where no yes or no is missing, as a verdict beyond
    which no further evidence is looked for.
    """
    found = ["a traceback"] if "Traceback" in cut.messages else []
    if cut.code not in (2, 130, whole.code):
        found.append(f"exit code {cut.code}, of the whole answer {whole.code}")
    for place, document in enumerate(cut.documents):
        other = whole.documents[place] if place < len(whole.documents) else None
        found += _contradictions(other, document, "")
        if cut.code in (0, 1) and cut.code == whole.code and isinstance(document, dict):
            short = document.get("stopped")
            if short is not None and whole.code == 0 and not _is_decided(other, document):
                found.append("stopped, and exit code 0")
    if cut.code in (0, 1) and len(cut.documents) < len(whole.documents):
        found.append("not all of the answer, and no code that says so")
    return found


def _contradictions(whole: Any, cut: Any, path: str) -> Iterator[str]:
    if isinstance(cut, bool) and cut is not whole:
        yield f"{path or 'the answer'} is {cut}, in the whole answer {whole}"
    elif isinstance(cut, dict):
        for key, value in cut.items():
            if key in ASIDE:
                continue
            yield from _contradictions(
                whole.get(key) if isinstance(whole, dict) else None, value, f"{path}.{key}"
            )
    elif isinstance(cut, list):
        for place, value in enumerate(cut):
            other = whole[place] if isinstance(whole, list) and place < len(whole) else None
            yield from _contradictions(other, value, f"{path}[{place}]")


def _is_decided(whole: Any, cut: Any) -> bool:
    """Whether each yes and no of the whole answer is in the one that was cut short."""
    if isinstance(whole, bool):
        return cut is whole
    if isinstance(whole, dict):
        return all(
            _is_decided(value, cut.get(key) if isinstance(cut, dict) else None)
            for key, value in whole.items()
        )
    if isinstance(whole, list) and whole:
        return isinstance(cut, list) and len(cut) >= len(whole) and all(map(_is_decided, whole, cut))
    return True


def documents(text: str) -> list[Any]:
    """Return the JSON documents that a command prints, one a line."""
    return [timeless(json.loads(line)) for line in text.splitlines()]


def spread(count: int, number: int, turn: int = 0) -> Sequence[int]:
    """Return so many calls of all, in even distances, the first and the last among them."""
    if count <= number:
        return range(1, count + 1)
    return sorted({1, count, *(1 + (count * k) // number + turn % (count // number) for k in range(number))})
