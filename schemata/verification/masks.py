"""A conformance kit for constrained decoding: another program's masks compared with the grammar's.

A *mask* is the set of words that may follow a prefix, and whether the sentence may end there. The other program reads
requests from its standard input and answers on its standard output, an object of JSON in each line:

    {"words": ["a", "b"], "grammar": "S -> ..."}      first, without an answer: all words, the text of the file
    {"prefix": ["a"]}                                 then many of these, each answered before the next
    {"next": ["a", "b"], "end": false}                an answer

Prefixes are those of sentences: first all short ones, with one word of each class of words that the grammar does not
distinguish, then random ones. `serve` answers the same requests by the grammar.
"""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import IO, Any, TypeAlias

from schemata.errors import UsageError
from schemata.grammars.prefixes import Prefix, Productions, Symbol
from schemata.grouping import grouped
from schemata.records import Record, Shown, fields_json, json_of
from schemata.workbench import Watcher

Words: TypeAlias = tuple[str, ...]

PATIENCE = 10.0
"""Seconds for an answer."""

_LONGEST = 12  # words of a random prefix
_SHOWN = 80  # characters of a line that is not an answer


class MaskedGrammar(Record, slots=False, eq=False):
    """A grammar as masks see it.

    Raises
    ------
    UsageError : it names parts of speech: then words alone do not say which sentences there are.
    """

    grammar: Productions

    def __post_init__(self) -> None:
        if self.grammar.lexicon.tags:
            message = "the grammar names parts of speech, and masks are about words"
            raise UsageError(message, code="no-masks", expected="a lexicon of word forms")
        if not self.words:
            raise UsageError("the grammar has no sentences, so no words can follow", code="no-masks")

    @property
    def words(self) -> Words:
        """The words of sentences, sorted."""
        used = {symbol for rule in self.grammar.rules for symbol in rule.body}
        return tuple(sorted({form for x in used for _, form in self.grammar.entries.get(x, ())}))

    @property
    def symbols_of(self) -> Mapping[str, frozenset[Symbol]]:
        """The symbols of each word."""
        found = grouped((form, x) for x, entries in self.grammar.entries.items() for _, form in entries)
        return {form: frozenset(symbols) for form, symbols in found.items()}

    def mask(self, prefix: Prefix) -> frozenset[str]:
        """Return the words that can follow."""
        return frozenset(form for _, form in prefix.tokens) if prefix.is_valid else frozenset()


class MaskDifference(Record):
    """A prefix where the masks differ.

    Parameters
    ----------
    prefix : the words.
    missing : words that may follow and are forbidden by the other program: it is too strict.
    extra : words that it allows and no sentence has there: it is too loose.
    end : whether the sentence may end here, where the other program says the opposite; else None.
    """

    prefix: Words
    missing: Words
    extra: Words
    end: bool | None

    to_json = json_of("prefix missing extra end")


class Masks(Shown, Record):
    """Masks of another program compared with a grammar's.

    Parameters
    ----------
    command : the program.
    max_n, seed : the greatest length of systematic prefixes, and the seed of random ones.
    prefixes, systematic : how many were compared, and how many of them systematically.
    complete_to : all prefixes of at most so many words were tried, up to classes of words.
    strict, loose, ends : at how many prefixes the program is too strict, too loose, or wrong about the end.
    missing, extra : the number of such words, over all prefixes.
    differences : the first ones, the shortest first.
    stopped : the reason why the rest is missing: "seconds", "interrupt", "answer"; None if nothing did.
    problem : with "answer", why the program's answer could not be used.
    """

    command: tuple[str, ...]
    max_n: int
    seed: int
    prefixes: int
    systematic: int
    complete_to: int
    strict: int
    loose: int
    ends: int
    missing: int
    extra: int
    differences: tuple[MaskDifference, ...]
    stopped: str | None
    problem: str | None

    @property
    def agrees(self) -> bool | None:
        """Whether no mask differs; None if that is undecided for some of them."""
        if self.strict or self.loose or self.ends:
            return False
        return None if self.stopped else True

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as a JSON object."""
        found = fields_json(self, "command max_n seed agrees prefixes systematic complete_to")
        found["too_strict"] = {"prefixes": self.strict, "words": self.missing}
        found["too_loose"] = {"prefixes": self.loose, "words": self.extra}
        return found | fields_json(self, "ends differences stopped! problem!")


def compare_masks(
    grammar: Any,
    command: Sequence[str],
    *,
    text: str = "",
    max_n: int = 4,
    most: int = 2_000,
    random: int = 200,
    seed: int = 0,
    shown: int = 10,
    patience: float = PATIENCE,
    seconds: float | None = None,
    watch: Watcher | None = None,
) -> Masks:
    """Run another program and compare the words that it lets follow prefixes with those of a grammar.

    Parameters
    ----------
    grammar : a context-free grammar or dependency rules, over words.
    command : the program and its arguments; it is run without a shell. `python` is the one that runs this.
    text : the text of the grammar's file, which the program is sent.
    max_n, most : prefixes of at most so many words are tried systematically, at most so many.
    random : how many random prefixes are tried beside these, longer ones among them.
    seed : fixes the random choices.
    shown : how many differences are kept.
    patience : seconds that each answer may take.
    seconds : seconds that all may take; None for no limit.
    watch : wraps the prefixes, for a progress bar.

    Raises
    ------
    UsageError : the program cannot be started, or the grammar is of another kind.
    """
    masked = MaskedGrammar(Productions.of(grammar))
    end = None if seconds is None else time.monotonic() + seconds
    rng = Random(f"masks {seed}")
    tried = [*_systematic(masked, max_n, most, rng)]
    systematic, complete_to = len(tried), max_n
    if systematic == most and tried:
        complete_to = len(tried[-1][0]) - 1
    known = {words for words, _ in tried}
    for _ in range(random):
        words, prefix = _walk(masked, rng, max_n)
        if words not in known:
            known.add(words)
            tried.append((words, prefix))
    differences: list[MaskDifference] = []
    counts = dict.fromkeys(("prefixes", "systematic", "strict", "loose", "ends", "missing", "extra"), 0)
    stopped = problem = None
    with _Program(command, patience) as program:
        try:
            program.send({"words": masked.words, "grammar": text})
            every = (watch or (lambda values, *_: values))(tried, len(tried), "prefixes")
            for words, prefix in every:
                if end is not None and time.monotonic() > end:
                    stopped = "seconds"
                    break
                theirs, may_end = program.ask(words)
                ours = masked.mask(prefix)
                missing, extra = tuple(sorted(ours - theirs)), tuple(sorted(theirs - ours))
                ends = prefix.is_sentence if may_end not in (None, prefix.is_sentence) else None
                counts["prefixes"] += 1
                counts["systematic"] += counts["prefixes"] <= systematic
                counts["strict"] += bool(missing)
                counts["loose"] += bool(extra)
                counts["ends"] += ends is not None
                counts["missing"] += len(missing)
                counts["extra"] += len(extra)
                if (missing or extra or ends is not None) and len(differences) < shown:
                    differences.append(MaskDifference(words, missing, extra, ends))
        except _NoAnswerError as error:
            stopped, problem = "answer", str(error)
        except KeyboardInterrupt:
            stopped = "interrupt"
    if counts["prefixes"] < systematic:
        reached = [len(words) for words, _ in tried[counts["prefixes"] : systematic]]
        complete_to = min([complete_to, *(n - 1 for n in reached)])
    return Masks(
        command=tuple(command),
        max_n=max_n,
        seed=seed,
        complete_to=max(complete_to, -1),
        differences=tuple(differences),
        stopped=stopped,
        problem=problem,
        **counts,
    )


def serve(grammar: Any, requests: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield the answers of a grammar to the requests of the protocol, a line each.

    An `error` is the answer to a line that is not a request, and to a prefix with a word that is not in the grammar.
    """
    masked = MaskedGrammar(Productions.of(grammar))
    symbols = masked.symbols_of
    known: dict[Words, Prefix] = {(): masked.grammar.begin}
    for line in requests:
        try:
            asked = json.loads(line)
        except ValueError:
            asked = None
        if isinstance(asked, dict) and "prefix" not in asked and "words" in asked:
            continue
        words = asked.get("prefix") if isinstance(asked, dict) else None
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            yield {"error": 'a request is a line such as {"prefix": ["a", "b"]}'}
            continue
        strange = [word for word in words if word not in symbols]
        if strange:
            yield {"next": [], "end": False, "error": f"{strange[0]!r} is not a word of the grammar"}
            continue
        prefix = _prefix(tuple(words), symbols, known)
        yield {"next": sorted(masked.mask(prefix)), "end": prefix.is_sentence}


def _prefix(words: Words, symbols: Mapping[str, frozenset[Symbol]], known: dict[Words, Prefix]) -> Prefix:
    """Return the prefix of some words; recent ones are cached."""
    if words not in known:
        while len(known) > 1_000:
            known.pop(next(key for key in known if key))
        found = known[()]
        for length in range(len(words), 0, -1):
            if words[:length] in known:
                found = known[words[:length]]
                break
        else:
            length = 0
        for word in words[length:]:
            found = found.after(symbols[word])
        known[words] = found
    return known[words]


def _systematic(masked: MaskedGrammar, max_n: int, most: int, rng: Random) -> Iterator[tuple[Words, Prefix]]:
    """Yield prefixes, the shortest first: of each class of words that can follow, one at random."""
    symbols = masked.symbols_of
    pending: deque[tuple[Words, Prefix]] = deque([((), masked.grammar.begin)])
    count = 0
    while pending and count < most:
        words, prefix = pending.popleft()
        count += 1
        yield words, prefix
        if len(words) < max_n:
            classes = grouped((symbols[word], word) for word in sorted(masked.mask(prefix)))
            for of, among in classes.items():
                pending.append(((*words, rng.choice(among)), prefix.after(of)))


def _walk(masked: MaskedGrammar, rng: Random, max_n: int) -> tuple[Words, Prefix]:
    """Return a random prefix, which may be longer than the systematic ones."""
    symbols, prefix = masked.symbols_of, masked.grammar.begin
    words: Words = ()
    for _ in range(rng.randint(1, max(_LONGEST, 2 * max_n))):
        following = sorted(masked.mask(prefix))
        if not following:
            break
        word = rng.choice(following)
        words, prefix = (*words, word), prefix.after(symbols[word])
    return words, prefix


class _NoAnswerError(Exception):
    """The program has ended, takes too long, or answers something else."""


class _Program:
    """A program that answers a line for a line."""

    def __init__(self, command: Sequence[str], patience: float) -> None:
        first = [sys.executable if name == "python" else name for name in command[:1]]
        self.command, self.patience = [*first, *command[1:]], patience

    def __enter__(self) -> _Program:
        pipe = subprocess.PIPE
        try:
            self.process = subprocess.Popen(
                self.command, stdin=pipe, stdout=pipe, text=True, encoding="utf-8", errors="replace"
            )
        except (OSError, ValueError, IndexError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            shown = " ".join(map(str, self.command)) or "an empty command"
            message = f"the program cannot be started: {shown}: {reason}"
            raise UsageError(message, code="no-program") from error
        self.lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=_read, args=(self.process.stdout, self.lines), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self.process.stdin.close()  # type: ignore[union-attr]
        try:
            self.process.wait(1.0)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()  # type: ignore[union-attr]

    def send(self, request: Mapping[str, Any]) -> None:
        """Send a request."""
        try:
            assert self.process.stdin is not None
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
        except OSError:
            raise _NoAnswerError(self._ended()) from None

    def ask(self, words: Words) -> tuple[frozenset[str], bool | None]:
        """Return the mask of a prefix, and whether the sentence may end there (None if the answer does not say)."""
        self.send({"prefix": list(words)})
        after = f"after the prefix {' '.join(words)!r}"
        try:
            line = self.lines.get(timeout=self.patience)
        except queue.Empty:
            raise _NoAnswerError(f"there was no answer for {self.patience:g} seconds {after}") from None
        if line is None:
            raise _NoAnswerError(f"{self._ended()} {after}")
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        following = answer.get("next") if isinstance(answer, dict) else None
        if not isinstance(following, list) or not all(isinstance(word, str) for word in following):
            text = line.rstrip("\n")[:_SHOWN]
            raise _NoAnswerError(
                f'{text!r} is not an answer such as {{"next": ["a"], "end": false}}, {after}'
            )
        ends = answer.get("end")
        if ends is not None and not isinstance(ends, bool):
            raise _NoAnswerError(f"the end is {ends!r}, neither true nor false, {after}")
        return frozenset(following), ends

    def _ended(self) -> str:
        try:
            return f"the program ended with exit code {self.process.wait(1.0)}"
        except subprocess.TimeoutExpired:
            return "the program closed its input or output"


def _read(stream: IO[str], lines: queue.Queue[str | None]) -> None:
    """Put the lines of a stream into a queue, and None at its end."""
    try:
        for line in stream:
            lines.put(line)
    except (OSError, ValueError):
        pass  # it was closed
    lines.put(None)
