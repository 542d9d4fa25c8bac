"""A dictionary: its entries by word, the definitions beside them, and their reading.

An entry is words, a colon, an expression and a semicolon: ``cat.n dog.n: {@A-} & Ds- & (S+ or O-);``. Reading goes
on after a mistake, so that all of them are reported; the words of a broken entry count as defined.

Expressions are read by recursive descent: ``&`` or ``and``, ``|`` or ``or``, ``^`` or ``sym`` (both orders);
``{x}`` is optional, ``[x]`` costs 1, ``[x]0.5`` costs that, ``[x]name`` the cost in the dialect file; ``()`` is
nothing. A word stands for the expression it has been defined by before. Different operators of one level need
parentheses.

*Idioms*: the entry of ``kind_of`` becomes entries of its words, joined by connectors of their own. The last word
has the idiom's expression and a connector to the word before it; the others have nothing but such connectors.
Their names are those of link-parser, except that it writes ``_I`` for ``ID`` today. It numbers idioms in the order
in which it puts the words of an entry into its tree: the middle one first, then those after it in the file, then
those before.

Some dictionaries put limits on connectors. The entry ``LENGTH-LIMIT-1`` lists connectors whose links join
neighbours only. ``UNLIMITED-CONNECTORS`` lists those without any limit; where a dictionary has this entry, all
others reach 16 words, which is link-parser's default.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from schemata.errors import Diagnostic, did_you_mean
from schemata.grammars.link_grammar import expressions as ex
from schemata.grammars.link_grammar import files
from schemata.grammars.text import Cursor, GrammarText, LineToken, TokenError, refuse
from schemata.records import Record, replace
from schemata.structures.linkages import Connector, LengthLimits, matching_connectors, read_connector
from schemata.thresholds import REFUSALS

DEFAULT_CUTOFF = 2.7
"""The cost cut-off of a dictionary that names none, as in link-parser."""


class DictionaryEntry(NamedTuple):
    """One entry of a word: its subscript, without the point, and its expression."""

    subscript: str
    expression: ex.Expression


class Dictionary(Record, eq=False):
    """The entries of a dictionary.

    Parameters
    ----------
    entries : the entries of each word, by the word without its subscript. Parts of idioms have the
        subscript ``I``.
    definitions : the ``#define`` lines.
    warnings : entries that are probably mistakes.
    """

    entries: Mapping[str, tuple[DictionaryEntry, ...]]
    definitions: Mapping[str, str]
    warnings: tuple[Diagnostic, ...] = ()

    def __contains__(self, word: object) -> bool:
        return word in self.entries

    def of(self, word: str, entry: str | None = None) -> list[tuple[str, ex.Expression]]:
        """Return the entries of a word, or those of the `entry` that serves for it: its names with subscripts, and
        expressions.
        """
        listed = self.entries.get(word if entry is None else entry, ())
        return [(files.full_name(word, subscript), expression) for subscript, expression in listed]

    def expression(self, word: str, subscript: str = "") -> ex.Expression | None:
        """Return the expression of a word with exactly this subscript, or None."""
        for entry in self.entries.get(word, ()):
            if entry.subscript == subscript and subscript != files.IDIOM:
                return entry.expression
        return None

    @property
    def cutoff(self) -> float:
        """The cost cut-off that the dictionary asks for."""
        try:
            return float(self.definitions.get("max-disjunct-cost", DEFAULT_CUTOFF))
        except ValueError:
            return DEFAULT_CUTOFF


_LIMITED = re.compile(r"LENGTH-LIMIT-(\d{1,4})")
_UNLIMITED = "UNLIMITED-CONNECTORS"


def length_limits(dictionary: Dictionary) -> LengthLimits:
    """Return the limits that the entries of a dictionary set."""
    limited: list[tuple[Connector, int]] = []
    unlimited: tuple[Connector, ...] | None = None
    for word in dictionary.entries:
        number = _LIMITED.fullmatch(word)
        if number:
            limited += [(c, int(number[1])) for c in _listed(dictionary, word)]
        elif word == _UNLIMITED:
            unlimited = tuple(_listed(dictionary, word))
    return LengthLimits(tuple(limited), unlimited)


def wildcard_warnings(limits: LengthLimits) -> tuple[Diagnostic, ...]:
    """Return a warning for each limit of a connector with a wildcard: link-parser applies such limits
    differently.
    """
    listed = [connector for connector, _ in limits.limited] + [*(limits.unlimited or ())]
    return tuple(
        Diagnostic(
            "limit-with-wildcard",
            f"the limit of {connector} has a wildcard: link-parser may apply it to other connectors",
            hint="list each connector without *",
            severity="warning",
        )
        for connector in dict.fromkeys(listed)
        if "*" in connector.subscript
    )


def _listed(dictionary: Dictionary, word: str) -> Iterable[Connector]:
    return sorted(ex.connectors_of(expression for _, expression in dictionary.of(word)))


Word = tuple[str, str]
T = TypeVar("T")

_OPERATORS = {"&": "&", "and": "&", "|": "or", "or": "or", "^": "^", "sym": "^"}
_CLOSING = {"(": ")", "{": "}", "[": "]"}
_NUMBER = re.compile(r"[+-]?(?:\d{1,7}(?:\.\d*)?|\.\d+)")
_LIKE_NUMBER = re.compile(r"[+-]?\.?\d")
_DIALECT = re.compile(r"[a-z][A-Za-z\d_-]*")
_DIRECTIONS = ("+", "-", "$")
_OPERAND = "a connector, a word defined before, (, { or ["
_AFTER = "&, or, a closing bracket, or ; at the end of the entry"
_ENTRY = "an entry is words, a colon, an expression and a semicolon: the: D+;"


def read_dictionary(
    text: GrammarText, folder: Path | None, costs: Mapping[str, float] | None = None
) -> Dictionary:
    """Return the entries of a dictionary.

    Parameters
    ----------
    text : the file.
    folder : where its word files are, or None if it has none.
    costs : the costs of a dialect's tags; None if there is no dialect file, so that every tag is a mistake.

    Raises
    ------
    GrammarError : the text holds mistakes; all of them are reported.
    """
    reader = _DictionaryReader(text, folder, costs)
    reader.read()
    refuse(reader.problems)
    entries = {word: tuple(listed) for word, listed in reader.entries.items()}
    dictionary = Dictionary(entries, dict(reader.definitions))
    lonely = _lonely_connectors(dictionary, reader.connectors)
    return replace(dictionary, warnings=tuple(warning.report(text, "warning") for warning in lonely))


class _DictionaryReader:
    """A dictionary as far as it has been read.

    Attributes
    ----------
    problems : the mistakes.
    entries, definitions : as those of a `Dictionary`.
    connectors : where each connector is first written.
    """

    def __init__(self, text: GrammarText, folder: Path | None, costs: Mapping[str, float] | None) -> None:
        self._tokens, self.problems = files.read_tokens(text)
        self._cursor = Cursor(self._tokens)
        self.entries: dict[str, list[DictionaryEntry]] = {}
        self.definitions: dict[str, str] = {}
        self.connectors: dict[Connector, LineToken] = {}
        self._text = text
        self._folder = folder
        self._costs = costs
        self._open: list[LineToken] = []  # brackets
        self._defined: dict[Word, tuple[ex.Expression, LineToken]] = {}
        self._idiom_links = 0
        self._heads: list[tuple[Word, LineToken]] = []  # the words of the entry that is read

    def _report(self, mistake: TokenError) -> None:
        self.problems.append(mistake.report(self._text))

    # entries

    def read(self) -> None:
        """Read all entries."""
        while self._cursor.next.kind != "end":
            self._heads, self._open = [], []
            try:
                if self._cursor.next.kind == "name" and self._cursor.next.text in ("#define", "#include"):
                    self._directive()
                else:
                    self._entry()
            except TokenError as mistake:
                self._report(mistake)
                self._define(self._heads, ex.NOTHING, broken=True)
                self._go_on(mistake)
        if not self.problems and not self.entries:
            self._report(
                TokenError(self._tokens[0], "empty-dictionary", "there is no entry", "an entry", _ENTRY)
            )

    def _go_on(self, mistake: TokenError) -> None:
        """Go to where the next entry probably begins."""
        if mistake.resume is not None:
            self._cursor.at = mistake.resume
            return
        self._cursor.at = self._find(";", self._cursor.at)
        self._cursor.accept(";")

    def _find(self, mark: str, at: int) -> int:
        """Return the number of the next token that is some mark, or of the end."""
        while self._tokens[at].kind != "end" and not self._tokens[at].is_mark(mark):
            at += 1
        return at

    def _directive(self) -> None:
        first = self._cursor.take()
        if first.text == "#include":
            hint = "put the text of the other file in its place"
            raise TokenError(first, "include", "#include is not read", hint=hint)
        begin = self._cursor.at
        while self._cursor.next.kind in ("name", "word"):
            self._cursor.take()
        parts = self._tokens[begin : self._cursor.at]
        if len(parts) != 2 or not self._cursor.accept(";"):
            raise self._no_definition(first, parts, begin)
        name, value = parts
        self.definitions[name.text] = value.text
        if name.text == "max-disjunct-cost" and not value.text.replace(".", "", 1).isdecimal():
            raise TokenError(value, "bad-define", f"{value.text} is not a cost", "a number such as 2.7")

    def _no_definition(self, first: LineToken, parts: Sequence[LineToken], begin: int) -> TokenError:
        """Return the error of a definition; if it is not terminated, reading resumes in the next line."""
        hint = "#define max-disjunct-cost 2.7;"
        beside = [token for token in parts if token.line == first.line]
        resume = begin + len(beside)
        after = self._tokens[resume]
        goes_on = after.is_mark(";") or (after.line == first.line and after.kind != "end")
        if len(beside) == 2 and not goes_on:
            message = f"the definition of {beside[0].text} is not ended"
            return TokenError(beside[1], "bad-define", message, ";", hint, resume)
        message = "a definition is a name, a value and a semicolon"
        return TokenError(first, "bad-define", message, hint=hint, resume=None if goes_on else resume)

    def _entry(self) -> None:
        first = self._cursor.next
        while not self._cursor.is_at(":"):
            token = self._cursor.next
            if token.kind not in ("name", "word"):
                raise self._no_head(first, token)
            self._heads.extend(self._words(token))
            self._cursor.take()
        if not self._heads:
            raise TokenError(self._cursor.next, "missing-word", "no word stands before the colon", "a word")
        self._cursor.take()
        expression = self._expression()
        if not self._cursor.accept(";"):
            raise self._unexpected()
        self._define(self._heads, expression)

    def _no_head(self, first: LineToken, token: LineToken) -> TokenError:
        if token.is_mark(";") and token is first:
            return TokenError(token, "missing-word", "; ends nothing", "the words of an entry")
        if token.kind == "end":
            return TokenError(first, "missing-colon", "the last entry has no colon", ":", _ENTRY)
        if token.is_mark(";"):
            return TokenError(token, "missing-colon", f"the entry of {first.text} has no colon", ":", _ENTRY)
        message = f"{token.text} stands among the words of an entry"
        hint = f'words with marks stand in quotes: "{token.text}"'
        if token is not first and token.is_mark("&", "|", "(", "{", "[", "@"):
            hint = f"a colon stands behind the words: {first.text}: ..."
        return TokenError(token, "missing-colon", message, "words, then a colon", hint)

    def _words(self, token: LineToken) -> list[tuple[Word, LineToken]]:
        if files.is_word_file(token):
            return [(word, token) for word in files.words_of_file(self._folder, token)]
        word = files.split_subscript(token.text)
        if word[1] == files.IDIOM:
            message = f"the subscript {files.IDIOM} is kept for the words of idioms"
            raise TokenError(token, "bad-word", message, hint="choose another subscript")
        if files.is_idiom(word[0]) and files.parts_of_idiom(word[0]) is None:
            message = f"{token.text} is an idiom with an empty word"
            raise TokenError(token, "bad-word", message, "words joined by single underscores")
        return [(word, token)]

    def _define(
        self, heads: list[tuple[Word, LineToken]], expression: ex.Expression, broken: bool = False
    ) -> None:
        """Enter words; a word that is defined already is a mistake, except that idioms may have variants."""
        for word, token in heads:
            earlier = self._defined.get(word)
            if earlier is None:
                self._defined[word] = (expression, token)
                self.entries.setdefault(word[0], []).append(DictionaryEntry(word[1], expression))
            elif not files.is_idiom(word[0]) and not broken:
                where = f" (in {token.text})" if files.is_word_file(token) else ""
                message = (
                    f"{files.full_name(*word)}{where} has been defined before, in line {earlier[1].line}"
                )
                hint = f"subscripts tell the entries of a word apart: {word[0]}.n, {word[0]}.v"
                self._report(TokenError(token, "duplicate-word", message, hint=hint))
        if not broken and any(files.is_idiom(word) for (word, _), _ in heads):
            for name, _ in middle_first([word for word, _ in reversed(heads)]):
                if files.is_idiom(name):
                    self._define_idiom(files.parts_of_idiom(name) or (), expression)

    def _define_idiom(self, parts: Sequence[str], expression: ex.Expression) -> None:
        for part, its in self._idiom(parts, expression) if parts else ():
            entries = self.entries.setdefault(part, [])
            known = next((at for at, entry in enumerate(entries) if entry.subscript == files.IDIOM), None)
            if known is None:
                entries.append(DictionaryEntry(files.IDIOM, its))
            else:
                entries[known] = DictionaryEntry(
                    files.IDIOM, ex.one_of_these((its, entries[known].expression))
                )

    def _idiom(self, parts: Sequence[str], whole: ex.Expression) -> Iterator[tuple[str, ex.Expression]]:
        """Yield the words of an idiom with their expressions, last word first."""
        yield parts[-1], ex.all_of((_idiom_connector(self._idiom_links, right=False), whole))
        for part in reversed(parts[1:-1]):
            onward = _idiom_connector(self._idiom_links, right=True)
            self._idiom_links += 1
            yield part, ex.all_of((onward, _idiom_connector(self._idiom_links, right=False)))
        yield parts[0], _idiom_connector(self._idiom_links, right=True)
        self._idiom_links += 1

    # expressions

    def _expression(self) -> ex.Expression:
        operands = [self._operand()]
        operator = None
        while True:
            token = self._cursor.next
            another = _OPERATORS.get(token.text) if token.kind != "word" else None
            if another is None:
                break
            if operator not in (None, another):
                message = f"{operator} and {another} stand at one level of an expression"
                groups = f"A+ {operator} (B+ {another} C+) or (A+ {operator} B+) {another} C+"
                raise TokenError(token, "mixed-operators", message, None, f"group with parentheses: {groups}")
            operator = another
            self._cursor.take()
            operands.append(self._operand())
        whole = operands[0]
        if operator == "&":
            whole = ex.all_of(operands)
        elif operator == "or":
            whole = ex.one_of_these(operands)
        elif operator == "^":
            whole = functools.reduce(ex.in_any_order, operands)
        if whole.depth > REFUSALS.expression_levels:
            raise _too_deep(self._tokens[self._cursor.at - 1])
        return whole

    def _operand(self) -> ex.Expression:
        token = self._cursor.next
        if token.is_mark(*_CLOSING):
            return self._bracket(token)
        if token.kind in ("mark", "end") or (token.kind == "name" and token.text in _OPERATORS):
            raise self._unexpected_operand(token)
        self._cursor.take()
        if token.kind == "word" or not token.text.endswith(_DIRECTIONS):
            if self._cursor.is_at(":") or self._cursor.next.kind == "name":
                self._check_entry_ended(self._cursor.at - 1)
            return ex.all_of((self._meaning(token),))
        if token.text.endswith("$"):
            return ex.one_of_these(self._single(token, token.text[:-1] + side) for side in "+-")
        return self._single(token, token.text)

    def _single(self, token: LineToken, text: str) -> ex.Single:
        connector = _connector_of(token, text)
        self.connectors.setdefault(connector, token)
        return ex.Single(connector)

    def _bracket(self, token: LineToken) -> ex.Expression:
        if len(self._open) > REFUSALS.expression_levels:
            raise _too_deep(token)
        self._open.append(self._cursor.take())
        closing = _CLOSING[token.text]
        is_empty = token.text != "{" and self._cursor.is_at(closing)
        inner = ex.NOTHING if is_empty else self._expression()
        if not self._cursor.accept(closing):
            raise self._unexpected()
        self._open.pop()
        match token.text:
            case "{":
                return ex.optional(inner)
            case "[":
                return ex.costing(inner, self._cost())
        return inner

    def _cost(self) -> float:
        """Read the cost after a closing square bracket, if any: a number or the tag of a dialect."""
        token = self._cursor.next
        if token.kind != "name" or token.text in _OPERATORS:
            return 1.0
        if _NUMBER.fullmatch(token.text):
            return float(self._cursor.take().text)
        if _LIKE_NUMBER.match(token.text):
            message = f"{token.text} is not a cost"
            hint = "at most seven digits before the point, and no exponent"
            raise TokenError(token, "bad-cost", message, "a number such as 0.5", hint)
        if _DIALECT.fullmatch(token.text) and not token.text.endswith(_DIRECTIONS):
            self._check_entry_ended(self._cursor.at)
            self._cursor.take()
            if self._costs is None:
                message = f"{token.text} is not a cost, and there is no dialect file that gives it one"
                hint = "a cost is written right after the bracket: [A+]0.5"
                raise TokenError(token, "bad-cost", message, "a number, &, or, or a closing bracket", hint)
            return self._costs.get(token.text, files.VERY_HIGH)
        return 1.0

    def _meaning(self, token: LineToken) -> ex.Expression:
        """Return the expression that a word in an expression stands for."""
        name, word = token.text, files.split_subscript(token.text)
        if word in self._defined:
            return self._defined[word][0]
        if any(word == own for own, _ in self._heads):
            raise TokenError(token, "recursive-macro", f"{name} is defined by itself")
        later = self._defined_later(name)
        if later is not None:
            message = f"{name} is used before it is defined, in line {later.line}"
            hint = "move its entry up; words that stand for each other in a circle define nothing"
            raise TokenError(token, "used-before-defined", message, hint=hint)
        what = "macro" if name.startswith("<") else "word"
        expected = "a connector, which ends in + or -, or a word defined before"
        message = f"there is no {what} {name}"
        raise TokenError(token, f"unknown-{what}", message, expected, self._hint(name, word[0]))

    def _hint(self, name: str, word: str) -> str | None:
        """Return a hint on the likely intended word for an undefined one."""
        if name.endswith(","):
            return "operands are joined with & or |; there are no commas"
        subscripts = [
            entry.subscript for entry in self.entries.get(word, ()) if entry.subscript != files.IDIOM
        ]
        if subscripts:
            known = ", ".join(files.full_name(word, subscript) for subscript in subscripts[:5])
            return f"the word is defined with another subscript: {known}"
        if name[:1].isupper() and name.isalnum():
            return f"did you mean the connector {name}+ or {name}-?"
        macro = name.startswith("<")
        return did_you_mean(
            name, (files.full_name(*w) for w in self._defined if w[0].startswith("<") == macro)
        )

    def _defined_later(self, name: str) -> LineToken | None:
        """Return where a word is among the words of a later entry, or None."""
        at = self._cursor.at
        while self._tokens[at].kind != "end":
            begin = self._find(";", at)
            at = self._find(":", begin)
            for token in self._tokens[begin:at]:
                if token.text == name and token.kind != "mark":
                    return token
        return None

    # what is wrong with expressions

    def _unexpected(self) -> TokenError:
        """Return the mistake that the next token does not belong after a whole operand."""
        token = self._cursor.next
        self._check_entry_ended(self._cursor.at)
        opened = self._open[-1] if self._open else None
        closing = _CLOSING[opened.text] if opened else ""
        if token.is_mark(*_CLOSING.values()):
            message = f"{token.text} closes nothing"
            if opened:
                message = f"{token.text} does not close the {opened.text} of line {opened.line}"
            return TokenError(token, "unbalanced-brackets", message, closing or _AFTER)
        if opened and (token.is_mark(";", ":") or token.kind == "end"):
            before = "" if token.kind == "end" else f" before the {token} of line {token.line}"
            message, where = f"the {opened.text} is not closed", f"a {closing} is missing{before}"
            return TokenError(opened, "unbalanced-brackets", message, closing, where)
        if token.kind == "end":
            return TokenError(token, "missing-semicolon", "the last entry is not ended", ";")
        hint = did_you_mean(token.text, ("and", "or"))
        if token.text.endswith(_DIRECTIONS) or token.is_mark(*_CLOSING):
            hint = "write & or | between two operands"
        return TokenError(token, "unexpected-token", f"{token.text} does not belong here", _AFTER, hint)

    def _unexpected_operand(self, token: LineToken) -> TokenError:
        hint = None
        if token.is_mark("}"):
            hint = "nothing is written ()"
        elif token.is_mark(";"):
            hint = "an expression that is empty is written ()"
        code = "missing-operand"
        if token.is_mark(*_CLOSING.values()) and not self._open:
            code = "unbalanced-brackets"
        return TokenError(token, code, f"{token.text} stands where an operand is due", _OPERAND, hint)

    def _check_entry_ended(self, start: int) -> None:
        """Raise the mistake of a missing semicolon, if from token `start` on there are words and a colon."""
        at = start
        while self._tokens[at].kind in ("name", "word"):
            at += 1
        if at == start or not self._tokens[at].is_mark(":"):
            return
        before, word = self._tokens[start - 1], self._tokens[start]
        if self._open:
            opened = self._open[-1]
            message = f"the {opened.text} is not closed before the entry of {word.text}"
            raise TokenError(opened, "unbalanced-brackets", message, _CLOSING[opened.text], resume=start)
        message = f"the entry is not ended before that of {word.text} in line {word.line}"
        place = before._replace(column=before.end, end=before.end + 1)
        raise TokenError(place, "missing-semicolon", message, ";", resume=start)


def _too_deep(token: LineToken) -> TokenError:
    message = f"the expression is more than {REFUSALS.expression_levels} levels deep"
    return TokenError(token, "too-deep", message, "fewer brackets, and shorter chains of macros")


_read_connector = functools.lru_cache(maxsize=8192)(read_connector)


def _connector_of(token: LineToken, text: str) -> Connector:
    """Return the connector that a token is.

    Raises
    ------
    TokenError : it is not a connector, or it is one of those made for idioms.
    """
    try:
        connector = _read_connector(text)
    except ValueError as problem:
        expected = "a connector such as Ss+ or @MV-"
        raise TokenError(token, "bad-connector", str(problem), expected) from None
    if connector.name.startswith("ID") and connector.name[2:3].isupper():
        message = f"{text}: connectors that begin with ID are made for idioms"
        raise TokenError(token, "bad-connector", message, hint="choose another name")
    return connector


def _idiom_connector(number: int, right: bool) -> ex.Single:
    letters = ""
    for _ in range(4):
        number, letter = divmod(number, 26)
        letters = chr(ord("A") + letter) + letters
    return ex.Single(Connector("ID" + letters.lstrip("A"), right))


def middle_first(items: Sequence[T]) -> Iterator[T]:
    """Return some items: the middle one, then those before it and those after it, in the same way.

    >>> list(middle_first("abcd"))
    ['b', 'a', 'c', 'd']
    """
    if items:
        middle = (len(items) - 1) // 2
        yield items[middle]
        yield from middle_first(items[:middle])
        yield from middle_first(items[middle + 1 :])


# Connectors without partners ----------------------------------------------------------------------------------------

_LARGE = 1000  # entries; large dictionaries have connectors for words that are yet to come
_MOST = 200  # warnings of one dictionary


def _lonely_connectors(dictionary: Dictionary, places: Mapping[Connector, LineToken]) -> Iterable[TokenError]:
    """Return a warning for each connector that nothing can be linked to, in the order of their places.

    It is misspelt, or a wall has no entry. A large dictionary gets none. After some warnings the rest is left out.

    Parameters
    ----------
    dictionary : the dictionary.
    places : where each of its connectors is written first.
    """
    if len(dictionary.entries) > _LARGE:
        return []
    lonely: list[TokenError] = []
    for connector, partners in matching_connectors(places).items():
        if partners:
            continue
        side = "left" if connector.right else "right"
        message = f"no word has a connector to the {side} that matches {connector}"
        opposite = [other for other in places if other.right != connector.right]
        others = [str(other) for other in opposite if other.base == connector.base]
        wall = {("W", False): files.LEFT_WALL, ("RW", True): files.RIGHT_WALL}.get(
            (connector.base, connector.right)
        )
        hint = did_you_mean(connector.base, (other.base for other in opposite))
        if others:
            hint = f"subscripts must agree: there is {', '.join(others[:3])}"
        elif wall is not None and wall not in dictionary:
            hint = f"is an entry of {wall} missing?"
        lonely.append(TokenError(places[connector], "lonely-connector", message, hint=hint))
    return lonely[:_MOST]
