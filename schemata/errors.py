"""Errors: located diagnostics and the exceptions that carry them.

Every reader of the package (schema files, grammars, treebanks, options) reports a mistake as a
`Diagnostic`: a message, the place it stands at, what was expected and a hint. A diagnostic prints itself
with its source line and a caret. Exceptions carry one or more of them, so that all mistakes of a file
reach the user at once.
"""

from __future__ import annotations

import copyreg
import difflib
import importlib
import os
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Literal, NoReturn, ParamSpec, TypeVar

from schemata.records import fields_json
from schemata.thresholds import EFFORTS

T = TypeVar("T")
P = ParamSpec("P")

# Characters that would act on a terminal: those that turn the direction of writing, and no characters at all.
_BARRED = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufffe\uffff")
_WINDOW = 100  # columns of a source line that a diagnostic shows
_SLIP, _APART = 0.85, 0.08  # a likeness that leaves little doubt, and how much less another has then
MORE_ERRORS = "more-errors"
"""The code of what stands in place of mistakes of a file that are not shown."""
_LONGEST_MISSPELT = 60  # characters; beyond, comparing spellings costs much and says nothing


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place in a text: 1-based line and column; `end_column` is one past the last marked character."""

    file: str
    line: int
    column: int
    end_column: int | None = None

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding about a text: the fault, its place, the expected text, and a hint to mend it.

    `code` is a stable name of the kind of finding (``unbound-variable``), for programs and tests.
    `source_line` is the line of text the location points into, without its line end.
    """

    code: str
    message: str
    location: Location | None = None
    expected: str | None = None
    hint: str | None = None
    source_line: str | None = None
    severity: Literal["error", "warning"] = "error"

    def render(self, colour: bool = False) -> str:
        """Return the diagnostic as lines of text: place, message, source line, caret, expectation, hint."""
        place = f"{self.location}: " if self.location else ""
        message = painted(self.message, "message", colour)
        severity = painted(self.severity, self.severity, colour)
        lines = [f"{painted(place, 'place', colour)}{severity}: {message}"]
        if self.location is not None and self.source_line is not None:
            shown, caret = _excerpt(self.source_line, self.location)
            lines += [f"  | {shown}", f"  | {painted(caret, self.severity, colour)}"]
        if self.expected:
            lines.append(f"  {painted('expected', 'hint', colour)}: {self.expected}")
        if self.hint:
            lines.append(f"  {painted('hint', 'hint', colour)}: {self.hint}")
        return "\n".join(lines)

    def to_json(self) -> dict[str, object]:
        """Return the diagnostic as a JSON object; places are null if it has none."""
        place = "file=location.file line=location.line column=location.column"
        return fields_json(self, f"severity code message {place} expected hint")


_STYLES = {
    "error": "1;31", "warning": "1;33", "message": "1", "place": "1", "hint": "1;36",
    "accepted": "1;32", "not accepted": "1;31",
}  # fmt: skip


MARK = f"\x1b{os.urandom(8).hex()}"
"""Stands for the escape character in codes of colours that the package makes: no text that was read can hold it."""


def painted(text: str, style: str, colour: bool = True) -> str:
    r"""Return text in the colour of a style, as `coloured` shows it on a terminal; the text itself without colour.

    >>> coloured(painted("accepted", "accepted")), painted("accepted", "accepted", colour=False)
    ('\x1b[1;32maccepted\x1b[0m', 'accepted')
    """
    return f"{MARK}[{_STYLES[style]}m{text}{MARK}[0m" if colour and text else text


def coloured(text: str) -> str:
    r"""Return text for a terminal: its control characters made visible, except line ends, tabs and painted colours.

    >>> coloured("a\x1b[31m" + painted("b", "message"))
    'a\ufffd[31m\x1b[1mb\x1b[0m'
    """
    if text.removesuffix("\n").isprintable():  # splitting long lines takes a while
        return text
    parts = _LAYOUT.split(text)
    parts[::2] = map(printable, parts[::2])
    parts[1::2] = (code.replace(MARK, "\x1b") for code in parts[1::2])
    return "".join(parts)


_LAYOUT = re.compile(rf"([\n\t]|{MARK}\[[0-9;]+m)")  # control characters that are meant


_OPTION = (
    r"(?<![\w-])--([a-z][a-z-]*)"
    r"((?: |=)(?:[A-Z][A-Z0-9_]*(?:\.[a-z0-9]+)?\b|(?:heads|lr0):[\w.,]+|(?:gold|example|all|[a-z]+-[a-z]+)\b))?"
)
_COMMAND = (
    r"\bschemata (list|check|compare|explain|why-not|profile|verify|relate|coverage|complexity|oracle)\b"
)
_FLAGS = {
    "unpruned": "pruned=False", "strict": "strict=True", "tagged": "tagged_sentence(TEXT)", "json": "to_json()",
    "best": "best=True", "distinct": "distinct=True", "certificate": "certificate.text()",
    "search-error": "search.error",
}  # fmt: skip
_NAMED = {"class": "class_name", "roots": "single_root", "map": "maps"}
_LIMITS = {"max-steps": "steps", "max-seconds": "seconds", "max-memory": "memory"}


def in_python(text: str) -> str:
    """Return a message about options and commands in the words of the Python interface.

    >>> in_python("cyk needs a grammar (--grammar FILE.cfg; try --grammar example)")
    'cyk needs a grammar (grammar="FILE.cfg"; try grammar="example")'
    >>> in_python("raise it with --max-steps; schemata why-not tells more")
    'raise it with budget=Budget(steps=...); schemata.why_not tells more'
    """

    def said(found: re.Match[str]) -> str:
        name, value = found[1], (found[2] or "")[1:]
        if name in _LIMITS:
            return f"budget=Budget({_LIMITS[name]}={value or '...'})"
        if name in _FLAGS:
            return _FLAGS[name]
        if name == "conllu":
            return f"schemata.treebanks.read_conllu({value})" if value else "schemata.treebanks.read_conllu"
        argument = _NAMED.get(name, name.replace("-", "_"))
        return f'{argument}="{value}"' if value else argument

    def called(found: re.Match[str]) -> str:
        return f"schemata.{found[1].replace('-', '_')}"

    text = re.sub(r"\bschemata list --grammar ([a-z-]+)", r'schemata.list(grammar="\1")', text)
    text = re.sub(r"\bschemata list ([\w-]+) shows more", r'schemata.list("\1") shows more', text)
    return re.sub(_COMMAND, called, re.sub(_OPTION, said, text))


class SchemataError(Exception):
    """Base of every error this package raises on purpose; carries the diagnostics that explain it.

    A text is the message of one diagnostic without a place: its code, what was expected and a hint may follow. The
    diagnostics speak of options, as commands print them; the exception's own text speaks of arguments (`in_python`).
    """

    def __init__(
        self,
        diagnostics: Diagnostic | Iterable[Diagnostic] | str,
        *,
        code: str = "error",
        expected: str | None = None,
        hint: str | None = None,
    ) -> None:
        if isinstance(diagnostics, str):
            diagnostics = Diagnostic(code, diagnostics, expected=expected, hint=hint)
        if isinstance(diagnostics, Diagnostic):
            diagnostics = (diagnostics,)
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        super().__init__(in_python("\n".join(d.render() for d in self.diagnostics)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the message and the attributes: constructors of subclasses take other arguments."""
        return copyreg.__newobj__, (type(self), *self.args), vars(self)  # type: ignore[attr-defined]


class SchemaError(SchemataError):
    """A schema file cannot be read or is not a well-formed schema."""


class GrammarError(SchemataError):
    """A grammar cannot be read, or does not fit the schema or the sentence."""


class AmbiguityWarning(UserWarning):
    """A sum over derivations of a schema that derives some structure more than once, or may do so."""


class UnreadWarning(UserWarning):
    """Rules, facts or roots of a grammar that no step of a schema can read: its derivations leave them out."""


class TreebankError(SchemataError):
    """A treebank file, or a sentence in it, is broken."""


class StructureError(SchemataError):
    """A sequence of heads or a set of links is not the structure it was said to be."""


class UsageError(SchemataError):
    """A request makes no sense: an unknown name, an option out of range, an empty sentence."""


class BudgetError(SchemataError):
    """A computation ran out of its budget; subclasses carry the partial results."""


def did_you_mean(word: str, known: Iterable[str], quote: str = "") -> str | None:
    """Return a hint naming the candidates nearest to `word`, or None if none is near.

    They stand between quotes if any are given. Words that differ in case alone come first. If one candidate differs by
    a slip of the pen only, it is named alone. Among very many candidates, only those one slip away count.

    >>> did_you_mean("CombinSpans", ["R-Link", "CombineSpans"])
    'did you mean CombineSpans?'
    >>> did_you_mean("I", ["i", "j"])
    'did you mean i?'
    >>> did_you_mean("xyz", ["R-Link"]) is None
    True
    """
    if len(word) > _LONGEST_MISSPELT:
        return None
    others = set(known) - {word}
    candidates = sorted(_slips(word, others) if len(others) > EFFORTS.compared_names else others)
    folded = word.casefold()
    near = [c for c in candidates if c.casefold() == folded]
    if not near:
        by_folded: dict[str, str] = {}
        for candidate in candidates:
            by_folded.setdefault(candidate.casefold(), candidate)
        near = [by_folded[c] for c in _nearest(folded, list(by_folded))]
    return f"did you mean {' or '.join(f'{quote}{x}{quote}' for x in near)}?" if near else None


def _nearest(word: str, known: list[str]) -> list[str]:
    """Return at most three words near to one, the nearest first; if some are much nearer than the next, these alone."""
    near = difflib.get_close_matches(word, known, n=3, cutoff=0.6)
    ratios = [difflib.SequenceMatcher(None, other, word).ratio() for other in near]
    return [o for o, r in zip(near, ratios, strict=True) if ratios[0] < _SLIP or r > ratios[0] - _APART]


def _slips(word: str, known: set[str]) -> set[str]:
    """Return the words one slip of the pen away: a letter is other, missing or too many, two are exchanged, or case."""
    letters = set[str]().union(*known)
    parts = [(word[:k], word[k:]) for k in range(len(word) + 1)]
    slips = {begin + end for a, b in parts for begin in (a, *(a + x for x in letters)) for end in (b, b[1:])}
    slips |= {a + b[1::-1] + b[2:] for a, b in parts} | {word.lower(), word.upper(), word.title()}
    return (slips & known) - {word}


def one_of(words: Iterable[str]) -> str:
    """Return the text that one of a few words is expected.

    >>> one_of(["i", "j"]), one_of(["k"])
    ('one of i, j', 'k')
    """
    known = list(words)
    return known[0] if len(known) == 1 else "one of " + ", ".join(known)


def require_number(name: str, value: Any, least: int) -> None:
    """Refuse a value that is not a whole number, or less than allowed.

    Raises
    ------
    UsageError : the message names the number.

    >>> require_number("the limit", 0, least=0)
    """
    if not hasattr(value, "__index__"):  # numbers of arrays are whole ones too
        raise UsageError(f"{name} must be a whole number, not {value!r}", code="bad-option")
    if value < least:
        raise UsageError(f"{name} must be at least {least}, not {value}", code="bad-option")
    if value > sys.maxsize:
        raise UsageError(f"{name} must be at most {sys.maxsize:,}", code="bad-option")


def require_known(
    name: str, known: Iterable[str], message: str, code: str = "error", expected: str | None = None
) -> None:
    """Refuse a name that is not among the admitted ones.

    Raises
    ------
    UsageError : the name is unknown; the message lists the known names, and those near.
    """
    if name not in (names := list(known)):
        hint = did_you_mean(name, names)
        raise UsageError(message, code=code, expected=expected or one_of(names), hint=hint)


def require_library(module: str, message: str, hint: str) -> Any:
    """Return a module of a library that is not among the package's dependencies, or raise an error with a hint.

    >>> require_library("no_such_library", "this needs a library that is not installed", "pip install it")
    Traceback (most recent call last):
    schemata.errors.UsageError: error: this needs a library that is not installed
      hint: pip install it
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        raise UsageError(message, code="missing-library", hint=hint) from None


# Letters of one column, arrows and the lines of drawings, for which the tables of wcwidth need not be loaded.
_NARROW = re.compile("[ -~\u00c0-\u02af\u0391-\u03c9\u2022\u2190-\u2193\u2500-\u257f\u25b2-\u25bc]*")


def text_width(text: str) -> int:
    """Return the number of terminal columns of printable text.

    >>> text_width("猫 e\u0301")
    4
    """
    if text.isascii() or _NARROW.fullmatch(text):
        return len(text)
    from wcwidth import wcswidth

    return max(0, wcswidth(text))


def _excerpt(line: str, location: Location) -> tuple[str, str]:
    """Return at most `_WINDOW` characters of the line around the marked place, and the caret line."""
    start = min(max(location.column - 1, 0), len(line))
    end = max(location.end_column - 1, start + 1) if location.end_column else start + 1
    left = max(0, min(start - _WINDOW // 2, len(line) - _WINDOW))
    window = _visible(line[left : left + _WINDOW])
    head = "..." if left else ""
    tail = "..." if left + _WINDOW < len(line) else ""
    before = text_width(head) + text_width(window[: start - left])
    marked = max(1, text_width(window[start - left : end - left]))
    return f"{head}{window}{tail}", " " * before + "^" * marked


def _visible(text: str) -> str:
    """Return a stretch of a source line in which nothing is invisible, joiners and special blanks included."""
    return "".join(c if c.isprintable() else " " if c == "\t" else "\ufffd" for c in text)


def printable(text: str) -> str:
    """Return the text with tabs as blanks and control characters replaced, each by one character.

    >>> printable("a\\tb\\x1b")
    'a b\ufffd'
    """
    if text.isprintable():
        return text
    return "".join(" " if c == "\t" else "\ufffd" if is_control(c) else c for c in text)


def is_control(character: str) -> bool:
    """Whether a terminal might obey a character rather than show it."""
    return character in _BARRED or unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"}


_SAID_OTHERWISE = {  # arguments as commands or other libraries call them, and those of functions here
    **dict.fromkeys(("max_words", "max_length", "n"), "max_n"),
    **dict.fromkeys(("heads", "tree"), "grammar"),
    **dict.fromkeys(("time", "timeout", "max_seconds"), "seconds"),
    "max_steps": "steps",
    "max_memory": "memory",
}


def no_attribute(owner: object, name: str, instead: str | None) -> NoReturn:
    """Refuse a name that an object does not have; the message says what to write instead.

    Raises
    ------
    AttributeError : always.
    """
    where = f": {instead}" if instead else ""
    raise AttributeError(
        f"{type(owner).__name__!r} object has no attribute {name!r}{where}", name=name, obj=owner
    )


def guided(
    too_many: str = "the other arguments are given by name",
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Return a decorator of a function: its errors about wrong arguments say what to write.

    Parameters
    ----------
    too_many : the hint where there are too many arguments without a name.
    """

    def decorated(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def called(*values: P.args, **named: P.kwargs) -> T:
            try:
                return function(*values, **named)
            except TypeError as problem:
                trace, message = problem.__traceback__, str(problem)
                unknown = re.search(r"unexpected keyword argument '(\w+)'", message)
                if trace is None or trace.tb_next or not (unknown or " were given" in message):
                    raise  # the function was entered, or the message says it all
                hint = _name_meant(unknown[1], function) if unknown else too_many
                raise TypeError(f"{message.partition('. Did you mean')[0]}: {hint}") from None

        return called

    return decorated


def _name_meant(word: str, function: Any) -> str:
    code = function.__code__
    names = [*code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]]
    known = [name for name in names if name != "self"]
    otherwise = _SAID_OTHERWISE.get(word)
    near = f"did you mean {otherwise}?" if otherwise in known else did_you_mean(word, known)
    return near or f"the arguments are {', '.join(known)}"
