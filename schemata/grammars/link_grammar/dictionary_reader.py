"""Reads the entries of a dictionary: ``cat.n dog.n: {@A-} & Ds- & (S+ or O-);``.

An entry is words, a colon, an expression and a semicolon. Reading goes on after a mistake, so that all of
them are reported; the words of a broken entry count as defined.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from schemata.errors import Diagnostic, GrammarError, did_you_mean
from schemata.grammars.link_grammar.dictionary import Dictionary, Entry
from schemata.grammars.link_grammar.expression_reader import ExpressionReader
from schemata.grammars.link_grammar.expressions import NOTHING, Expression, one_of_these
from schemata.grammars.link_grammar.idioms import IdiomNames, middle_first
from schemata.grammars.link_grammar.lonely import lonely_connectors
from schemata.grammars.link_grammar.tokens import DictionaryError, Token, diagnostic, read_tokens
from schemata.grammars.link_grammar.word_files import is_word_file, words_of_file
from schemata.grammars.link_grammar.words import IDIOM, full_name, is_idiom, parts_of_idiom, split_subscript
from schemata.grammars.text import GrammarText

__all__ = ["read_dictionary"]

_MOST_ERRORS = 50  # reported of one file
Word = tuple[str, str]


def read_dictionary(text: GrammarText, folder: Path | None, cost_of: Callable[[Token], float]) -> Dictionary:
    """Return the entries of a dictionary.

    Parameters
    ----------
    text : the file.
    folder : where its word files are, or None if it has none.
    cost_of : returns the cost of a dialect's tag; raises `DictionaryError` for one that is unknown.

    Raises
    ------
    GrammarError : the text holds mistakes; all of them are reported.
    """
    tokens, problems = read_tokens(text)
    draft = _Draft(text, folder, tokens, cost_of)
    draft.problems.extend(problems)
    draft.read()
    if not draft.problems and not draft.entries:
        hint = "an entry is words, a colon, an expression and a semicolon: the: D+;"
        draft.report(DictionaryError(tokens[0], "empty-dictionary", "there is no entry", "an entry", hint))
    if draft.problems:
        in_order = sorted(
            draft.problems, key=lambda d: (d.location.line, d.location.column) if d.location else (0, 0)
        )
        raise GrammarError(in_order[:_MOST_ERRORS])
    found = Dictionary({w: tuple(e) for w, e in draft.entries.items()}, dict(draft.definitions))
    return replace(found, warnings=tuple(diagnostic(text, w, "warning") for w in draft.lonely(found)))


class _Draft:
    """A dictionary as far as it has been read."""

    def __init__(
        self, text: GrammarText, folder: Path | None, tokens: list[Token], cost_of: Callable[[Token], float]
    ) -> None:
        self.text = text
        self.folder = folder
        self.problems: list[Diagnostic] = []
        self.entries: dict[str, list[Entry]] = {}
        self.definitions: dict[str, str] = {}
        self._reader = ExpressionReader(tokens, self._expression_of, cost_of)
        self._defined: dict[Word, tuple[Expression, Token]] = {}
        self._idioms = IdiomNames()
        self._heads: list[tuple[Word, Token]] = []

    def report(self, error: DictionaryError) -> None:
        """Note a mistake."""
        self.problems.append(diagnostic(self.text, error))

    def read(self) -> None:
        """Read all entries."""
        reader = self._reader
        while reader.next.kind != "end":
            self._heads = []
            try:
                if (
                    reader.next.kind == "word"
                    and reader.next.text.startswith("#")
                    and reader.next.text
                    in (
                        "#define",
                        "#include",
                    )
                ):
                    self._directive()
                else:
                    self._entry()
            except DictionaryError as error:
                self.report(error)
                self._define(self._heads, NOTHING, broken=True)
                self._go_on(error)

    def lonely(self, dictionary: Dictionary) -> list[DictionaryError]:
        """Return a warning for each connector that no connector of the dictionary matches."""
        return lonely_connectors(dictionary, self._reader.connectors)

    def _go_on(self, error: DictionaryError) -> None:
        """Go to where the next entry probably begins."""
        reader = self._reader
        if error.resume is not None:
            reader.at = error.resume
            return
        while reader.next.kind != "end" and not reader.next.is_mark(";"):
            reader.at += 1
        if reader.next.is_mark(";"):
            reader.at += 1

    def _directive(self) -> None:
        reader = self._reader
        first = reader.next
        if first.text == "#include":
            hint = "put the text of the other file in its place"
            raise DictionaryError(first, "include", "#include is not read", hint=hint)
        reader.at += 1
        begin = reader.at
        given: list[Token] = []
        while reader.next.kind in ("word", "quoted"):
            given.append(reader.next)
            reader.at += 1
        if not reader.next.is_mark(";") or len(given) != 2:
            raise self._no_definition(first, given, begin)
        reader.at += 1
        self.definitions[given[0].text] = given[1].text
        if given[0].text == "max-disjunct-cost" and not given[1].text.replace(".", "", 1).isdecimal():
            raise DictionaryError(
                given[1], "bad-define", f"{given[1].text} is no cost", "a number such as 2.7"
            )

    def _no_definition(self, first: Token, given: list[Token], begin: int) -> DictionaryError:
        """Return what is wrong with a definition; if it is not ended, reading goes on in the next line."""
        message = "a definition is a name, a value and a semicolon"
        hint = "#define max-disjunct-cost 2.7;"
        beside = [token for token in given if token.line == first.line]
        if self._reader.next.is_mark(";") and len(beside) == len(given):
            return DictionaryError(first, "bad-define", message, hint=hint)
        resume = begin + len(beside)
        if resume < self._reader.at or self._reader.next.line > first.line or self._reader.next.kind == "end":
            if len(beside) == 2:
                message = f"the definition of {beside[0].text} is not ended"
                return DictionaryError(beside[1], "bad-define", message, ";", hint, resume)
            return DictionaryError(first, "bad-define", message, hint=hint, resume=resume)
        return DictionaryError(first, "bad-define", message, hint=hint)

    def _entry(self) -> None:
        reader = self._reader
        first = reader.next
        while not reader.next.is_mark(":"):
            token = reader.next
            if token.kind not in ("word", "quoted"):
                raise self._no_head(first, token)
            self._heads.extend(self._words(token))
            reader.at += 1
        if not self._heads:
            raise DictionaryError(reader.next, "missing-word", "no word stands before the colon", "a word")
        reader.at += 1
        self._define(self._heads, reader.read_entry())

    def _no_head(self, first: Token, token: Token) -> DictionaryError:
        if token.is_mark(";") and token is first:
            return DictionaryError(token, "missing-word", "; ends nothing", "the words of an entry")
        if token.kind == "end":
            hint = "an entry is words, a colon, an expression and a semicolon: the: D+;"
            return DictionaryError(first, "missing-colon", "the last entry has no colon", ":", hint)
        if token.is_mark(";"):
            message = f"the entry of {first.text} has no colon"
            hint = "an entry is words, a colon, an expression and a semicolon: the: D+;"
            return DictionaryError(token, "missing-colon", message, ":", hint)
        message = f"{token.text} stands among the words of an entry"
        hint = f'words with marks stand in quotes: "{token.text}"'
        return DictionaryError(token, "missing-colon", message, "words, then a colon", hint)

    def _words(self, token: Token) -> list[tuple[Word, Token]]:
        if is_word_file(token):
            return [(word, token) for word in words_of_file(self.folder, token)]
        word = split_subscript(token.text)
        if word[1] == IDIOM:
            message = f"the subscript {IDIOM} is kept for the words of idioms"
            raise DictionaryError(token, "bad-word", message, hint="choose another subscript")
        if is_idiom(word[0]) and parts_of_idiom(word[0]) is None:
            message = f"{token.text} is an idiom with an empty word"
            raise DictionaryError(token, "bad-word", message, "words joined by single underscores")
        return [(word, token)]

    def _define(self, heads: list[tuple[Word, Token]], expression: Expression, broken: bool = False) -> None:
        """Enter words; a word that is defined already is a mistake, except that idioms may have variants."""
        idioms = False
        for word, token in heads:
            earlier = self._defined.get(word)
            idioms = idioms or "_" in word[0]
            if earlier is None:
                self._defined[word] = (expression, token)
                self.entries.setdefault(word[0], []).append(Entry(word[1], expression))
            elif not is_idiom(word[0]) and not broken:
                self._duplicate(word, token, earlier[1])
        if idioms and not broken:
            for name, _ in middle_first([word for word, _ in reversed(heads)]):
                self._define_idiom(name, expression)

    def _duplicate(self, word: Word, token: Token, earlier: Token) -> None:
        name = full_name(*word)
        where = f" (in {token.text})" if is_word_file(token) else ""
        message = f"{name}{where} has been defined before, in line {earlier.line}"
        hint = f"subscripts tell the entries of a word apart: {word[0]}.n, {word[0]}.v"
        self.report(DictionaryError(token, "duplicate-word", message, hint=hint))

    def _define_idiom(self, word: str, expression: Expression) -> None:
        parts = parts_of_idiom(word) if is_idiom(word) else None
        for part, its in self._idioms.expressions(parts, expression) if parts else ():
            entries = self.entries.setdefault(part, [])
            for at, (subscript, known) in enumerate(entries):
                if subscript == IDIOM:
                    entries[at] = Entry(IDIOM, one_of_these((its, known)))
                    break
            else:
                entries.append(Entry(IDIOM, its))

    def _expression_of(self, token: Token) -> Expression:
        """Return what a word in an expression stands for."""
        word = split_subscript(token.text)
        found = self._defined.get(word)
        if found is not None:
            return found[0]
        name = token.text
        if any(word == own for own, _ in self._heads):
            raise DictionaryError(token, "recursive-macro", f"{name} is defined by itself")
        later = self._defined_later(name)
        if later is not None:
            message = f"{name} is used before it is defined, in line {later.line}"
            hint = "move its entry up; words that stand for each other in a circle define nothing"
            raise DictionaryError(token, "used-before-defined", message, hint=hint)
        what = "macro" if name.startswith("<") else "word"
        message = f"there is no {what} {name}"
        expected = "a connector, which ends in + or -, or a word defined before"
        raise DictionaryError(token, f"unknown-{what}", message, expected, self._hint(name, word))

    def _hint(self, name: str, word: Word) -> str | None:
        if name.endswith(","):
            return "operands are joined with & or |; there are no commas"
        subscripts = [entry.subscript for entry in self.entries.get(word[0], ()) if entry.subscript != IDIOM]
        if subscripts:
            known = ", ".join(full_name(word[0], s) for s in subscripts[:5])
            return f"the word is defined with another subscript: {known}"
        if name[:1].isupper() and name.isalnum():
            return f"did you mean the connector {name}+ or {name}-?"
        macro = name.startswith("<")
        return did_you_mean(name, (full_name(*w) for w in self._defined if w[0].startswith("<") == macro))

    def _defined_later(self, name: str) -> Token | None:
        """Return where a word is among the words of a later entry, or None."""
        reader = self._reader
        tokens = reader.tokens
        at = reader.at
        while tokens[at].kind != "end":
            while tokens[at].kind != "end" and not tokens[at].is_mark(";"):
                at += 1
            while tokens[at].kind != "end" and not tokens[at].is_mark(":"):
                if tokens[at].text == name and tokens[at].kind != "mark":
                    return tokens[at]
                at += 1
        return None
