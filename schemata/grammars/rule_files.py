"""What the files of dependency rules and of context-free grammars have in common.

Both have lexicon lines, ``sleeps : V`` for a word form and ``tag NOUN : N`` for a part of speech, and in
both a category that is used must be defined somewhere. A `Draft` is such a file as far as it has been read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from schemata.errors import Diagnostic, did_you_mean
from schemata.grammars.lexicon import Lexicon
from schemata.grammars.lines import Cursor, LineError, Span, Token, is_bare, quoted, read_lines, report
from schemata.grammars.rules import Rule
from schemata.grammars.text import GrammarText

__all__ = ["ONE_WORD", "Draft", "entry_lines", "reserved"]

ONE_WORD = (
    'one word stands before the colon; one with a blank or a mark in it is put in quotes: "New York" : N'
)


@dataclass(slots=True)
class Draft:
    """The rules, lexicon entries and names of a rule file, with where they stand.

    Parameters
    ----------
    text : the file.
    marks : the punctuation of its format.
    rules, words, tags : what has been read.
    defined : the categories that a rule or entry defines, also one whose rest is broken.
    used : where each category is first used.
    """

    text: GrammarText
    marks: tuple[str, ...]
    rules: dict[Rule, Span] = field(default_factory=dict)
    words: list[tuple[str, str]] = field(default_factory=list)
    tags: list[tuple[str, str]] = field(default_factory=list)
    defined: dict[str, Span] = field(default_factory=dict)
    used: dict[str, Span] = field(default_factory=dict)
    findings: list[Diagnostic] = field(default_factory=list)
    is_whole: bool = True

    @property
    def lexicon(self) -> Lexicon:
        """The lexicon entries read."""
        return Lexicon(tuple(self.words), tuple(self.tags))

    def read(self, read_line: Callable[[Cursor], None]) -> None:
        """Read all lines. The draft is not whole afterwards if a line was lost before it defined anything."""
        understood = 0

        def read_one(line: Cursor) -> None:
            nonlocal understood
            before = len(self.defined), len(self.used)
            try:
                read_line(line)
            except LineError:
                understood += before != (len(self.defined), len(self.used))
                raise

        self.findings = read_lines(self.text, self.marks, read_one)
        self.is_whole = len(self.findings) == understood

    def define(self, category: str, span: Span) -> None:
        """Note that a category is defined here."""
        self.defined.setdefault(category, span)

    def use(self, category: str, span: Span) -> None:
        """Note that a category is used here."""
        self.used.setdefault(category, span)

    def error(self, span: Span, code: str, message: str, expected: str | None, hint: str | None) -> None:
        """Note a mistake that shows only when the whole file is read."""
        self.findings.append(report(self.text, LineError(span, code, message, expected, hint)))

    def warn(self, span: Span, code: str, message: str, hint: str | None = None) -> None:
        """Note something that is probably not meant."""
        self.findings.append(report(self.text, LineError(span, code, message, hint=hint), "warning"))

    def check_undefined(self, message: str, hint: Callable[[str], str]) -> None:
        """Report the categories that are used and not defined, if no line that may define them was lost."""
        if not self.is_whole:
            return
        for category, span in self.used.items():
            if category not in self.defined:
                near = did_you_mean(category, self.defined)
                text = message.format(category)
                self.error(span, "undefined-category", text, None, near or hint(category))

    def warn_unreachable(self, roots: Iterable[str], start: str) -> None:
        """Warn of categories with rules that no derivation from the root categories can use."""
        bodies: dict[str, set[str]] = {}
        for rule in self.rules:
            bodies.setdefault(rule.lhs, set()).update(rule.body)
        reached: set[str] = set()
        todo = list(roots)
        while todo:
            category = todo.pop()
            if category not in reached:
                reached.add(category)
                todo.extend(bodies.get(category, ()))
        for category in bodies:
            if category not in reached:
                message = f"the rules of {category} are never used: {start} does not lead to it"
                self.warn(self.defined[category], "unreachable-category", message)

    def is_entry(self, line: Cursor) -> bool:
        """Whether a line is a lexicon line: a word, or ``tag`` and a part of speech, then a colon."""
        colon = 2 if self._is_for_tag(line) else 1
        return line.mark_follows(":", colon) and not line.mark_follows(":", colon + 1)

    def _is_for_tag(self, line: Cursor) -> bool:
        """Whether a lexicon line is for a part of speech, not for the word *tag*."""
        return line.is_at("tag") and not line.mark_follows(":")

    def read_entry(self, line: Cursor, category: Callable[[Cursor], Token]) -> list[Token]:
        """Read a lexicon line; `category` reads one category. Return the categories."""
        entries = self.words
        if self._is_for_tag(line):
            line.take()
            entries = self.tags
        key = line.take()
        if key.kind == "mark":
            hint = f'a word with marks in it is put in quotes: "{key.text}" : N'
            raise LineError(key.span, "unexpected-token", f"{key} is not a word", "a word", hint)
        if not key.text:
            raise LineError(key.span, "empty-quotes", "nothing stands between the quotes", "a word")
        line.require(":")
        found = [category(line)]
        while line.accept(","):
            found.append(category(line))
        line.require_end("a comma and another category, or the end of the line")
        entries.extend((key.text, token.text) for token in found)
        return found


def reserved(token: Token, expected: str) -> LineError:
    """Return the mistake of calling a category by a name that schemata show something else under."""
    hint = "root, * and ^ stand for the root and the head word: choose another name"
    message = f"a category cannot be called {token}"
    return LineError(token.span, "reserved-name", message, expected, hint)


def entry_lines(lexicon: Lexicon, marks: tuple[str, ...], written: Callable[[str], str]) -> list[str]:
    """Return the lines of a lexicon, one per word form and part of speech.

    Parameters
    ----------
    lexicon : the entries.
    marks : the punctuation of the format.
    written : returns a category as the format writes it.
    """
    lines = []
    for keyword, entries in (("", lexicon.words), ("tag ", lexicon.tags)):
        grouped: dict[str, list[str]] = {}
        for key, category in entries:
            grouped.setdefault(key, []).append(written(category))
        for key, categories in grouped.items():
            shown = key if is_bare(key, marks) and key != "tag" else quoted(key)
            lines.append(f"{keyword}{shown} : {', '.join(categories)}")
    return lines
