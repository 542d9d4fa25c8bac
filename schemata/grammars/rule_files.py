"""Files of rules: dependency rules (``.deprules``) and context-free grammars (``.cfg``).

    root S                  # a sentence is an S
    S(N * N)                # an S takes an N on its left and one on its right; * is the word itself
    N(*)                    # an N takes nothing
    sees : S                # the word "sees" is an S
    tag NOUN : N            # and so are words of part of speech NOUN an N

    start S                         # without it, the left-hand side of the first rule
    S -> NP VP
    NP -> Det N | "Kim" | NP PP     # terminals in quotes
    PP -> ε                         # the empty right-hand side; "" is the same
    sleeps : VP                     # the same as VP -> "sleeps"
    tag NOUN : N                    # words of part of speech NOUN are an N

Both have lexicon lines, and in both a category that is used must be defined somewhere. The formats are
described in docs/grammars.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, NamedTuple

from schemata.errors import Diagnostic, Location, did_you_mean
from schemata.grammars.context_free import MARKS, ContextFreeGrammar, is_terminal, terminal, word_of
from schemata.grammars.dependency_rules import RuleSet
from schemata.grammars.drule_files import commented
from schemata.grammars.lines import (
    Cursor,
    LineError,
    Span,
    Token,
    is_bare,
    quoted,
    read_lines,
    refuse,
    report,
)
from schemata.grammars.rules import HEAD, RESERVED, Lexicon, Rule
from schemata.grammars.text import GrammarText, read_text, text_of

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


_DEPENDENCY_MARKS = ("(", ")", "*", "^", ":", ",")
_DEPENDENCY_LINE = "A(B * C), root A, word : A, or tag T : A"
_CATEGORY = "a category"


def read_dependency_rules(path: str | PathLike[str]) -> tuple[RuleSet, tuple[Diagnostic, ...]]:
    """Read a dependency rule file; return its rules, and warnings about them.

    Raises
    ------
    GrammarError : the file cannot be read, holds no rules, or holds mistakes; all of them are reported.
    """
    return _parse_dependency_rules(read_text(path))


def parse_dependency_rules(text: str, file: str = "<text>") -> tuple[RuleSet, tuple[Diagnostic, ...]]:
    r"""Read dependency rules from a string, as `read_dependency_rules` does from a file.

    >>> rules, warnings = parse_dependency_rules("root S\nS(*)\ngo : S")
    >>> [str(rule) for rule in rules.rules], warnings
    (['S(*)'], ())
    """
    return _parse_dependency_rules(text_of(text, file))


def write_dependency_rules(
    rules: RuleSet, *, header: Iterable[str] = (), counts: Mapping[Any, int] | None = None
) -> str:
    r"""Return the text of a dependency rule file that reads back to an equal set of rules.

    Parameters
    ----------
    rules : the rules.
    header : lines of comment to begin with.
    counts : how often a rule, or (by its category) a root, was seen: written beside it.

    >>> rules, _ = parse_dependency_rules("go : S\nS(^)\nroot S")
    >>> print(write_dependency_rules(rules), end="")
    root S
    S(*)
    go : S
    """
    entries: list[tuple[object, str]] = [(root, f"root {_written(root)}") for root in sorted(rules.roots)]
    for rule in rules.rules:
        body = " ".join("*" if symbol == HEAD else _written(symbol) for symbol in rule.body)
        entries.append((rule, f"{_written(rule.lhs)}({body})"))
    entries += [(None, line) for line in entry_lines(rules.lexicon, _DEPENDENCY_MARKS, _written)]
    return commented(entries, header, counts or {})


def _parse_dependency_rules(text: GrammarText) -> tuple[RuleSet, tuple[Diagnostic, ...]]:
    draft = Draft(text, _DEPENDENCY_MARKS)
    roots: dict[str, Span] = {}
    root_lines = 0

    def read_line(line: Cursor) -> None:
        nonlocal root_lines
        if draft.is_entry(line):
            for token in draft.read_entry(line, _dependency_category):
                draft.use(token.text, token.span)
        elif line.is_at("root") and not line.mark_follows("("):
            root_lines += 1
            _read_roots(line, roots)
        elif line.next.kind in ("name", "label") and line.mark_follows("("):
            rule, span = _read_dependency_rule(line, draft)
            draft.rules.setdefault(rule, span)
        else:
            _refuse_dependency_line(line)

    draft.read(read_line)
    _check_dependency_rules(draft, roots, root_lines)
    refuse(draft.findings)
    return RuleSet(tuple(draft.rules), frozenset(roots), draft.lexicon), tuple(draft.findings)


def _read_roots(line: Cursor, roots: dict[str, Span]) -> None:
    line.take()
    while True:
        token = _dependency_category(line)
        roots.setdefault(token.text, token.span)
        if not line.accept(","):
            break
    line.require_end("a comma and another category, or the end of the line")


def _read_dependency_rule(line: Cursor, draft: Draft) -> tuple[Rule, Span]:
    lhs = _dependency_category(line)
    draft.define(lhs.text, lhs.span)
    line.require("(")
    body: list[str] = []
    while not line.is_at(")"):
        if line.is_at("*", HEAD):
            star = line.take()
            if HEAD in body:
                message = f"the rule has two head words: there is a {star} before this one"
                raise LineError(star.span, "two-heads", message, "exactly one * in a rule")
            body.append(HEAD)
            continue
        if line.is_at(","):
            line.unexpected("a category, * or )", hint="the categories of a rule are separated by blanks")
        token = _dependency_category(line, "a category, * or )")
        draft.use(token.text, token.span)
        body.append(token.text)
    if HEAD not in body:
        dependents = " ".join(body)
        hint = "the * stands where the head word stands between its dependents"
        if not body:
            hint = f"write {lhs}(*) for a word without dependents"
        message = f"the rule {lhs}({dependents}) has no head word"
        raise LineError(line.next.span, "no-head", message, "exactly one * in a rule", hint)
    line.take()
    line.require_end()
    return Rule(lhs.text, tuple(body)), lhs.span


def _dependency_category(line: Cursor, expected: str = _CATEGORY) -> Token:
    token = line.next
    if token.kind == "word":
        line.unexpected(
            expected, hint=f"a category with odd characters is put in single quotes: '{token.text}'"
        )
    if token.kind not in ("name", "label"):
        line.unexpected(expected)
    if token.text in RESERVED:
        raise reserved(token, expected)
    if not token.text:
        raise LineError(token.span, "empty-quotes", "nothing stands between the quotes", expected)
    return line.take()


def _check_dependency_rules(draft: Draft, roots: dict[str, Span], root_lines: int) -> None:
    """Report what is missing from the file as a whole."""
    top = Location(draft.text.file, 1, 1)
    if not (draft.findings or draft.defined or roots or draft.words or draft.tags):
        hint = "a dependency rule file has lines such as: S(N * N)"
        draft.findings.append(
            Diagnostic("empty-grammar", "the file holds no dependency rules", top, _DEPENDENCY_LINE, hint)
        )
        return
    if not root_lines and draft.is_whole:
        message = "no category may be the root"
        hint = "add a line such as: root S (without a colon)"
        draft.findings.append(Diagnostic("no-root", message, top, "root and a category", hint))
    for category, span in roots.items():
        draft.use(category, span)
    draft.check_undefined(
        "no rule says what {} takes", lambda c: f"add a rule; if it takes nothing: {_written(c)}(*)"
    )
    if any(finding.severity == "error" for finding in draft.findings):
        return
    draft.warn_unreachable(roots, "the root")
    with_words = draft.lexicon.categories
    for category, span in draft.defined.items():
        if category not in with_words:
            hint = f"add a line such as: word : {_written(category)}, or tag T : {_written(category)}"
            draft.warn(span, "no-word", f"no word and no part of speech is of category {category}", hint)


def _refuse_dependency_line(line: Cursor) -> None:
    first, second = line.next, line.peek()
    texts = [token.text for token in line.tokens]
    hint = None
    if any(text in ("->", "→", "-->") for text in texts):
        hint = "a dependency rule is written A(B * C), with * for the head word"
    elif "=" in texts or first.text == "tag":
        hint = "the colon is missing: word : A, or tag T : A"
    elif ":" in texts:
        hint = ONE_WORD
    elif second.kind in ("name", "label"):
        hint = did_you_mean(first.text, ("root", "tag")) or f"the colon is missing: {first} : {second}"
    message = f"a line beginning with {first} {second} is none of those known"
    if second.kind == "end":
        message = f"{first} alone says nothing"
    raise LineError(first.span, "unknown-line", message, _DEPENDENCY_LINE, hint)


def _written(category: str) -> str:
    return category if is_bare(category, _DEPENDENCY_MARKS) else quoted(category, "'")


_ARROWS = ("->", "→")
_LINE = "A -> B C, start A, word : A, or tag T : A"
_SYMBOL = 'a category or a "terminal"'


class RulesRead(NamedTuple):
    """What a file holds: the arguments of a `ContextFreeGrammar`, warnings last."""

    rules: tuple[Rule, ...]
    start: str
    lexicon: Lexicon
    warnings: tuple[Diagnostic, ...]


def read_context_free(text: GrammarText) -> RulesRead:
    """Read the text of a context-free grammar file.

    Raises
    ------
    GrammarError : the text holds no rules, or mistakes; all of them are reported.
    """
    draft = Draft(text, MARKS)
    starts: list[Token] = []

    def read_line(line: Cursor) -> None:
        if draft.is_entry(line):
            for category in draft.read_entry(line, _category):
                draft.define(category.text, category.span)
        elif any(map(line.mark_follows, _ARROWS)):
            _read_rule(line, draft)
        elif line.is_at("start") and line.peek().kind == "name":
            line.take()
            token = _category(line)
            draft.use(token.text, token.span)
            line.require_end()
            if starts:
                message = f"the start symbol is {starts[0]} already (line {starts[0].span.line})"
                raise LineError(token.span, "two-starts", message, "one start line")
            starts.append(token)
        else:
            _refuse_line(line)

    draft.read(read_line)
    if not (draft.findings or draft.defined):
        hint = "a file of a context-free grammar has lines such as: S -> NP VP"
        place = Location(text.file, 1, 1)
        draft.findings.append(Diagnostic("empty-grammar", "the file holds no rules", place, _LINE, hint))
    draft.check_undefined(
        "{} is neither on the left of a rule nor the category of a word",
        lambda c: f'a terminal is put in quotes: "{c}"; a category needs a rule or a line: word : {c}',
    )
    refuse(draft.findings)
    start = starts[0].text if starts else _first_left(draft)
    draft.warn_unreachable([start], start)
    return RulesRead(tuple(draft.rules), start, draft.lexicon, tuple(draft.findings))


def _first_left(draft: Draft) -> str:
    """Return the left-hand side of the first rule; in a file of lexicon lines alone, the first category."""
    rules = iter(draft.rules)
    return next((rule.lhs for rule in rules), next(iter(draft.defined)))


def _read_rule(line: Cursor, draft: Draft) -> None:
    lhs = _category(line)
    draft.define(lhs.text, lhs.span)
    line.take()
    while True:
        draft.rules.setdefault(Rule(lhs.text, _alternative(line, draft)), lhs.span)
        if not line.accept("|"):
            break
    line.require_end("a symbol, | or the end of the line")


def _alternative(line: Cursor, draft: Draft) -> tuple[str, ...]:
    """Read one right-hand side, up to ``|`` or the end of the line."""
    body: list[str] = []
    empty: Token | None = None
    first = line.next
    while not (line.next.kind == "end" or line.is_at("|")):
        token = line.next
        if token.kind in ("word", "label"):
            line.take()
            empty = empty if token.text else token
            body += [terminal(token.text)] if token.text else []
        elif line.is_at("ε"):
            empty = line.take()
        else:
            if token.text in _ARROWS:
                line.unexpected("one rule in a line")
            _category(line, _SYMBOL)
            draft.use(token.text, token.span)
            body.append(token.text)
        if empty and (body or token is not first):
            message = "the empty string stands alone on the right of a rule"
            raise LineError(empty.span, "empty-among-others", message, "ε, or symbols")
    if not (body or empty):
        message = (
            "nothing stands on the right of the rule"
            if line.next.kind == "end"
            else "an alternative is missing"
        )
        raise LineError(
            line.next.span, "empty-alternative", message, _SYMBOL, 'the empty string is written ε or ""'
        )
    return tuple(body)


def _category(line: Cursor, expected: str = "a category") -> Token:
    token = line.next
    if token.kind in ("word", "label") and token is line.tokens[0]:
        line.unexpected(expected, hint="a terminal has no rules")
    if token.kind in ("word", "label"):
        line.unexpected(expected, hint=f"a category stands without quotes: {token.text or 'A'}")
    if token.kind != "name":
        line.unexpected(expected)
    if token.text == "ε":
        line.unexpected(expected, hint="ε is the empty string")
    if token.text in RESERVED:
        raise reserved(token, expected)
    return line.take()


def _refuse_line(line: Cursor) -> None:
    first, second = line.next, line.peek()
    texts = [token.text for token in line.tokens]
    hint = None
    if first.kind == "mark" and first.text == "|":
        hint = "a rule is one line: write the left-hand side again"
    elif re.search(r"=|--|<-|\(", "".join(texts)):
        hint = "a rule is written A -> B C"
    elif any(arrow in texts for arrow in _ARROWS):
        hint = "one category stands on the left of the arrow"
    elif first.text == "tag":
        hint = "the colon is missing: tag T : A"
    elif ":" in texts:
        hint = ONE_WORD
    elif second.kind == "name":
        hint = did_you_mean(first.text, ("start", "tag")) or "the arrow or the colon is missing"
    message = f"a line beginning with {first} {second} is none of those known"
    if second.kind == "end":
        message = f"{first} alone says nothing"
    raise LineError(first.span, "unknown-line", message, _LINE, hint)


def parse_context_free(text: str, file: str = "<text>") -> ContextFreeGrammar:
    """Read a context-free grammar from a string, as `ContextFreeGrammar.read` does from a file.

    Raises
    ------
    GrammarError : the text holds no rules, or mistakes; all of them are reported.

    >>> parse_context_free('S -> "a" S "b" | "c"').lexicon.words
    (('c', 'S'),)
    """
    return ContextFreeGrammar(*read_context_free(text_of(text, file)))


def write_context_free(grammar: ContextFreeGrammar, *, header: Iterable[str] = ()) -> str:
    """Return the text of a file that reads back to an equal grammar.

    >>> print(write_context_free(parse_context_free('S -> "a" S "b" | "c"')), end="")
    start S
    S -> "a" S "b"
    c : S
    """
    lines = [f"start {grammar.start}"]
    for rule in grammar.rules:
        body = [quoted(word_of(s)) if is_terminal(s) else s for s in rule.body]
        lines.append(f"{rule.lhs} -> {' '.join(body) or 'ε'}")
    lines += entry_lines(grammar.lexicon, MARKS, str)
    return commented(((None, line) for line in lines), header, {})
