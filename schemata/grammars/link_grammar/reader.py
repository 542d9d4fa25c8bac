"""Reads the entries of a dictionary: ``cat.n dog.n: {@A-} & Ds- & (S+ or O-);``.

An entry is words, a colon, an expression and a semicolon. Reading goes on after a mistake, so that all of
them are reported; the words of a broken entry count as defined.

Expressions are read by recursive descent: ``&`` or ``and``, ``|`` or ``or``, ``^`` or ``sym`` (both orders);
``{x}`` is optional, ``[x]`` costs 1, ``[x]0.5`` costs that, ``[x]name`` what the dialect file says; ``()`` is
nothing. A word stands for the expression it has been defined by before. Different operators of one level need
parentheses.

*Idioms*: the entry of ``kind_of`` becomes entries of its words, joined by connectors of their own. The last word
has the idiom's expression and a connector to the word before it; the others have nothing but such connectors.
Their names are those of link-parser, except that it writes ``_I`` for ``ID`` today. It numbers idioms in the order
in which it puts the words of an entry into its tree: the middle one first, then those after it in the file, then
those before.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from schemata.errors import Diagnostic, GrammarError, did_you_mean
from schemata.grammars.link_grammar.dictionary import Dictionary, Entry
from schemata.grammars.link_grammar.expressions import (
    NOTHING,
    Expression,
    Single,
    all_of,
    costing,
    in_any_order,
    one_of_these,
    optional,
)
from schemata.grammars.link_grammar.files import (
    IDIOM,
    LEFT_WALL,
    RIGHT_WALL,
    DictionaryError,
    Token,
    diagnostic,
    full_name,
    is_idiom,
    is_word_file,
    parts_of_idiom,
    read_tokens,
    split_subscript,
    words_of_file,
)
from schemata.grammars.text import GrammarText
from schemata.structures.connectors import Connector, connectors_match, read_connector

_OPERATORS = {"&": "&", "and": "&", "|": "or", "or": "or", "^": "^", "sym": "^"}
_CLOSING = {"(": ")", "{": "}", "[": "]"}
_NUMBER = re.compile(r"[+-]?(?:\d{1,7}(?:\.\d*)?|\.\d+)")
_LIKE_NUMBER = re.compile(r"[+-]?\.?\d")
_DIALECT = re.compile(r"[a-z][A-Za-z\d_-]*")
_DEEPEST = 200  # levels of an expression, with those of the words it uses
_DIRECTIONS = ("+", "-", "$")
_OPERAND = "a connector, a word defined before, (, { or ["
_AFTER = "&, or, a closing bracket, or ; at the end of the entry"


class ExpressionReader:
    """Reads expressions out of a list of tokens.

    `at` is the number of the next one; `connectors` says where each connector was first seen.

    Parameters
    ----------
    tokens : the tokens of a file.
    expression_of : returns the expression that a word has been defined by.
    cost_of : returns what a tag of a dialect costs.

    Both raise a `DictionaryError` if they do not know it.
    """

    def __init__(
        self,
        tokens: list[Token],
        expression_of: Callable[[Token], Expression],
        cost_of: Callable[[Token], float],
    ) -> None:
        self.tokens = tokens
        self.at = 0
        self._expression_of = expression_of
        self._cost_of = cost_of
        self._open: list[Token] = []

        self.connectors: dict[Connector, Token] = {}

    @property
    def next(self) -> Token:
        """The next token."""
        return self.tokens[self.at]

    def read_entry(self) -> Expression:
        """Read an expression and the semicolon after it.

        Raises
        ------
        DictionaryError : the first mistake.
        """
        self._open = []
        expression = self._read()
        if not self.next.is_mark(";"):
            raise self._unexpected()
        self.at += 1
        return expression

    def _read(self) -> Expression:
        operands = [self._operand()]
        operator = None
        while True:
            token = self.next
            found = _OPERATORS.get(token.text) if token.kind != "quoted" else None
            if found is None:
                break
            if operator not in (None, found):
                hint = (
                    f"group with parentheses: A+ {operator} (B+ {found} C+) or (A+ {operator} B+) {found} C+"
                )
                message = f"{operator} and {found} stand at one level of an expression"
                raise DictionaryError(token, "mixed-operators", message, None, hint)
            operator = found
            self.at += 1
            operands.append(self._operand())
        whole = operands[0]
        if operator == "&":
            whole = all_of(operands)
        elif operator == "or":
            whole = one_of_these(operands)
        elif operator == "^":
            whole = functools.reduce(in_any_order, operands)
        if whole.depth > _DEEPEST:
            raise self._too_deep(self.tokens[self.at - 1])
        return whole

    def _operand(self) -> Expression:
        token = self.next
        if token.is_mark("({["):
            return self._bracket(token)
        if token.kind in ("mark", "end") or (token.kind == "word" and token.text in _OPERATORS):
            raise self._unexpected_operand(token)
        self.at += 1
        if token.kind == "quoted" or not token.text.endswith(_DIRECTIONS):
            return self._word(token)
        if token.text.endswith("$"):
            return one_of_these(self._leaf(token, token.text[:-1] + side) for side in "+-")
        return self._leaf(token, token.text)

    def _leaf(self, token: Token, text: str) -> Single:
        connector = connector_of(token, text)
        self.connectors.setdefault(connector, token)
        return Single(connector)

    def _word(self, token: Token) -> Expression:
        following = self.next
        if following.is_mark(":") or following.kind == "word":
            ended = self._entry_follows(self.at - 1)
            if ended is not None:
                raise ended
        return all_of((self._expression_of(token),))

    def _bracket(self, token: Token) -> Expression:
        if len(self._open) > _DEEPEST:
            raise self._too_deep(token)
        self._open.append(token)
        self.at += 1
        closing = _CLOSING[token.text]
        if token.text != "{" and self.next.is_mark(closing):
            inner: Expression = NOTHING
        else:
            inner = self._read()
        if not self.next.is_mark(closing):
            raise self._unexpected()
        self._open.pop()
        self.at += 1
        match token.text:
            case "{":
                return optional(inner)
            case "[":
                return costing(inner, self._cost())
        return inner

    def _cost(self) -> float:
        """Read what may follow a closing square bracket: a number or the tag of a dialect."""
        token = self.next
        if token.kind != "word" or token.text in _OPERATORS:
            return 1.0
        if _NUMBER.fullmatch(token.text):
            self.at += 1
            return float(token.text)
        if _LIKE_NUMBER.match(token.text):
            message = f"{token.text} is no cost"
            hint = "at most seven digits before the point, and no exponent"
            raise DictionaryError(token, "bad-cost", message, "a number such as 0.5", hint)
        if _DIALECT.fullmatch(token.text) and not token.text.endswith(_DIRECTIONS):
            ended = self._entry_follows(self.at)
            if ended is not None:
                raise ended
            self.at += 1
            return self._cost_of(token)
        return 1.0

    def _unexpected(self) -> DictionaryError:
        """Return the mistake that the next token does not belong after a whole operand."""
        token = self.next
        ended = self._entry_follows(self.at)
        if ended is not None:
            return ended
        if token.is_mark(")}]"):
            if not self._open:
                message = f"{token.text} closes nothing"
                return DictionaryError(token, "unbalanced-brackets", message, _AFTER)
            opened = self._open[-1]
            message = f"{token.text} does not close the {opened.text} of line {opened.line}"
            return DictionaryError(token, "unbalanced-brackets", message, _CLOSING[opened.text])
        if self._open and (token.is_mark(";:") or token.kind == "end"):
            opened = self._open[-1]
            closing = _CLOSING[opened.text]
            message = f"the {opened.text} is not closed"
            where = f"a {closing} is missing before the {token} of line {token.line}"
            if token.kind == "end":
                where = f"a {closing} is missing"
            return DictionaryError(opened, "unbalanced-brackets", message, closing, where)
        if token.kind == "end":
            return DictionaryError(token, "missing-semicolon", "the last entry is not ended", ";")
        hint = did_you_mean(token.text, ("and", "or"))
        if token.text.endswith(_DIRECTIONS) or token.is_mark("({["):
            hint = "write & or | between two operands"
        return DictionaryError(token, "unexpected-token", f"{token} does not belong here", _AFTER, hint)

    def _unexpected_operand(self, token: Token) -> DictionaryError:
        hint = None
        if token.is_mark("}"):
            hint = "nothing is written ()"
        elif token.is_mark(";"):
            hint = "an expression that is empty is written ()"
        what = f"{token} stands" if token.kind == "end" else f"{token.text} stands"
        code = "unbalanced-brackets" if token.is_mark(")}]") and not self._open else "missing-operand"
        return DictionaryError(token, code, f"{what} where an operand is due", _OPERAND, hint)

    def _entry_follows(self, start: int) -> DictionaryError | None:
        """Return the mistake of a missing semicolon, if from token `start` on there are words and a colon."""
        at = start
        while self.tokens[at].kind in ("word", "quoted"):
            at += 1
        if at == start or not self.tokens[at].is_mark(":"):
            return None
        before, word = self.tokens[start - 1], self.tokens[start]
        place = Token(before.text, before.kind, before.line, before.column + before.width, 1)
        if self._open:
            opened = self._open[-1]
            message = f"the {opened.text} is not closed before the entry of {word.text}"
            return DictionaryError(
                opened, "unbalanced-brackets", message, _CLOSING[opened.text], resume=start
            )
        message = f"the entry is not ended before that of {word.text} in line {word.line}"
        return DictionaryError(place, "missing-semicolon", message, ";", resume=start)

    def _too_deep(self, token: Token) -> DictionaryError:
        message = f"the expression is more than {_DEEPEST} levels deep"
        return DictionaryError(token, "too-deep", message, "fewer brackets, and shorter chains of macros")


@functools.lru_cache(maxsize=8192)
def _connector(text: str) -> Connector:
    return read_connector(text)


def connector_of(token: Token, text: str) -> Connector:
    """Return the connector that a token is.

    Raises
    ------
    DictionaryError : it is none, or one of those made for idioms.
    """
    try:
        found = _connector(text)
    except ValueError as problem:
        raise DictionaryError(
            token, "bad-connector", str(problem), "a connector such as Ss+ or @MV-"
        ) from None
    if found.name.startswith("ID") and found.name[2:3].isupper():
        message = f"{text}: connectors that begin with ID are made for idioms"
        raise DictionaryError(token, "bad-connector", message, hint="choose another name")
    return found


_T = TypeVar("_T")
_LETTERS = 4


class IdiomNames:
    """Hands out the connectors of idioms."""

    def __init__(self) -> None:
        self._count = 0

    def expressions(self, parts: Sequence[str], whole: Expression) -> list[tuple[str, Expression]]:
        """Return the words of an idiom with their expressions, last word first."""
        found: list[tuple[str, Expression]] = [(parts[-1], all_of((self._connector(right=False), whole)))]
        for part in reversed(parts[1:-1]):
            onward = self._connector(right=True)
            self._count += 1
            found.append((part, all_of((onward, self._connector(right=False)))))
        found.append((parts[0], self._connector(right=True)))
        self._count += 1
        return found

    def _connector(self, right: bool) -> Single:
        letters, rest = "", self._count
        for _ in range(_LETTERS):
            letters = chr(ord("A") + rest % 26) + letters
            rest //= 26
        return Single(Connector("ID" + letters.lstrip("A"), right))


def middle_first(items: Sequence[_T]) -> Iterator[_T]:
    """Return some items: the middle one, then those before it and those after it, in the same way.

    >>> list(middle_first("abcd"))
    ['b', 'a', 'c', 'd']
    """
    if items:
        middle = (len(items) - 1) // 2
        yield items[middle]
        yield from middle_first(items[:middle])
        yield from middle_first(items[middle + 1 :])


_LARGE = 1000  # entries; large dictionaries have connectors for words that are yet to come
_MOST = 200  # warnings of one dictionary


def lonely_connectors(dictionary: Dictionary, places: Mapping[Connector, Token]) -> list[DictionaryError]:
    """Return a warning for each connector that no other matches, in the order of their places.

    A large dictionary gets none. After some warnings the rest is left out.

    Parameters
    ----------
    dictionary : the dictionary.
    places : where each of its connectors is written first.
    """
    if len(dictionary.entries) > _LARGE:
        return []
    by_base: dict[tuple[str, bool], list[Connector]] = {}
    for connector in places:
        by_base.setdefault((connector.base, connector.right), []).append(connector)
    lonely = [
        connector
        for connector in places
        if not any(connectors_match(connector, other) for other in by_base.get(_opposite(connector), ()))
    ]
    return [
        DictionaryError(
            places[connector],
            "lonely-connector",
            f"no word has a connector to the {'left' if connector.right else 'right'} that matches {connector}",
            hint=_lonely_hint(connector, dictionary, by_base),
        )
        for connector in lonely[:_MOST]
    ]


def _opposite(connector: Connector) -> tuple[str, bool]:
    return connector.base, not connector.right


def _lonely_hint(
    connector: Connector, dictionary: Dictionary, by_base: Mapping[tuple[str, bool], list[Connector]]
) -> str | None:
    others = by_base.get(_opposite(connector))
    if others:
        return f"subscripts must agree: there is {', '.join(map(str, others[:3]))}"
    wall = {("W", False): LEFT_WALL, ("RW", True): RIGHT_WALL}.get((connector.base, connector.right))
    if wall is not None and wall not in dictionary:
        return f"is an entry of {wall} missing?"
    return did_you_mean(connector.base, (base for base, right in by_base if right != connector.right))


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
