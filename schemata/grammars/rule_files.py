"""Files of rules: D-rules (``.drules``), dependency rules (``.deprules``) and context-free grammars (``.cfg``).

    root VERB                                     # a VERB may hang under the artificial root
    head NOUN takes DET on the left within 3      # a DET may hang under a NOUN up to 3 words to its right
    head VERB takes NOUN, PRON                    # on either side, at any distance
    head "give"/VERB takes "up" on the right      # words in double quotes; a word of a part of speech

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

Rules, roots and categories of words may have weights, the factor ``[0.3]`` or its logarithm ``[log -1.2]``:

    NP -> Det N [0.6] | "Kim" [0.4]
    sees : V [0.01], N [0.002]

The latter two have lexicon lines, and in both a category that is used must be defined somewhere. The formats are
described in docs/grammars.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from schemata.errors import Diagnostic, did_you_mean
from schemata.grammars import text as t
from schemata.grammars.drules import ANY, DRule, DRuleSet, KeptWeights, Side, WordPattern
from schemata.grammars.rules import HEAD, MARKS, RESERVED, ContextFreeGrammar, Lexicon, Rule, RuleSet
from schemata.grouping import grouped, reachable
from schemata.language.model import is_terminal, terminal, word_of
from schemata.thresholds import EFFORTS
from schemata.wording import quoted

_DEPENDENCY_MARKS = ("(", ")", "*", "^", ":", ",")
_DEPENDENCY_LINE = 'A(B * C), root A, "dog" : A, or tag T : A'
_CONTEXT_FREE_LINE = 'A -> B C, start A, "dog" : A, or tag T : A'
_CATEGORY = "a category"
_SYMBOL = 'a category or a "terminal"'
_ARROWS = ("->", "→")
_IN_QUOTES = 'one with a blank or a mark in it is put in quotes: "New York" : N'
_ONE_WORD = f"one word stands before the colon; {_IN_QUOTES}"

ReadCategory = Callable[[t.Cursor], t.LineToken]


@dataclass(slots=True)
class _RuleDraft:
    """The rules, lexicon entries and names of a rule file as far as it has been read, with where they stand.

    Parameters
    ----------
    text : the file.
    rules, words, tags : the results of reading.
    defined : the categories that a rule or entry defines, also one whose rest is broken.
    used : where each category is first used.
    is_whole : whether no line was lost before it defined anything.
    weights : the weights of rules and lexicon entries, with their lines.
    """

    text: t.GrammarText
    rules: dict[Rule, t.LineToken] = field(default_factory=dict)
    words: list[tuple[str, str]] = field(default_factory=list)
    tags: list[tuple[str, str]] = field(default_factory=list)
    defined: dict[str, t.LineToken] = field(default_factory=dict)
    used: dict[str, t.LineToken] = field(default_factory=dict)
    findings: list[Diagnostic] = field(default_factory=list)
    is_whole: bool = True
    weights: dict[Any, tuple[float, int]] = field(default_factory=dict)

    @property
    def lexicon(self) -> Lexicon:
        """The lexicon entries read."""
        return Lexicon(tuple(self.words), tuple(self.tags))

    def read(self, marks: tuple[str, ...], read_line: Callable[[t.Cursor], None]) -> None:
        """Read all lines."""

        understood = 0

        def read_one(line: t.Cursor) -> None:
            nonlocal understood
            before = len(self.defined), len(self.used)
            try:
                read_line(line)
            except t.TokenError:
                understood += before != (len(self.defined), len(self.used))
                raise

        self.findings = t.read_lines(self.text, marks, read_one)
        self.is_whole = len(self.findings) == understood

    def weigh(self, line: t.Cursor, what: Any) -> None:
        """Read the weight of a rule or entry, 1 if it has none; an entry that is repeated must have
        the same weight.
        """
        token = line.next
        weight = line.weight() or 0.0
        before, where = self.weights.setdefault(what, (weight, token.line))
        if before != weight:
            message = f"this has another weight in line {where}"
            raise t.TokenError(token, "second-weight", message, "one weight for each rule", "write it once")

    @property
    def kept_weights(self) -> KeptWeights:
        """The weights read."""
        return tuple((what, weight) for what, (weight, _) in self.weights.items())

    def define(self, category: t.LineToken) -> None:
        """Note that a category is defined here."""
        self.defined.setdefault(category.text, category)

    def use(self, category: t.LineToken) -> None:
        """Note that a category is used here."""
        self.used.setdefault(category.text, category)

    def check_empty(self, something: object, rules: str, expected: str, hint: str) -> bool:
        """Report that the file holds nothing, if there is nothing in it; return whether that is so."""
        if is_empty := not (self.findings or something):
            message = f"the file holds no {rules}"
            self.findings.append(self.text.finding("empty-grammar", message, expected, hint))
        return is_empty

    def warn(self, token: t.LineToken, code: str, message: str, hint: str | None = None) -> None:
        """Note something that is probably not meant."""
        self.findings.append(t.TokenError(token, code, message, hint=hint).report(self.text, "warning"))

    def check_undefined(self, message: str, hint: Callable[[str], str]) -> None:
        """Report the categories that are used and not defined, if no line that may define them was lost."""
        for category, token in self.used.items() if self.is_whole else ():
            if category not in self.defined:
                near = hint(category) if category.endswith(".") or category in dict(self.words) else None
                near = near or (_SEMICOLON if f"{category};" in self.defined else None)
                if len(self.findings) < EFFORTS.reported_errors:  # the others are counted alone
                    near = near or did_you_mean(category, self.defined)
                near = near or hint(category)
                mistake = t.TokenError(token, "undefined-category", message.format(category), None, near)
                self.findings.append(mistake.report(self.text))

    def warn_unreachable(self, roots: Iterable[str], start: str) -> None:
        """Warn of categories with rules that no derivation from the root categories can use."""
        bodies: dict[str, set[str]] = {}
        for rule in self.rules:
            bodies.setdefault(rule.lhs, set()).update(rule.body)
        reached = reachable(roots, lambda category: bodies.get(category, ()))
        for category in bodies:
            if category not in reached:
                message = f"the rules of {category} are never used: {start} does not lead to it"
                self.warn(self.defined[category], "unreachable-category", message)


# Lexicon lines ------------------------------------------------------------------------------------------------------


def _is_for_tag(line: t.Cursor) -> bool:
    """Whether a lexicon line is for a part of speech, not for the word *tag*."""
    return line.is_at("tag") and not line.peek().is_mark(":")


def _is_entry(line: t.Cursor) -> bool:
    """Whether a line is a lexicon line: a word, or ``tag`` and a part of speech, then a colon."""
    colon = 2 if _is_for_tag(line) else 1
    return line.peek(colon).is_mark(":") and not line.peek(colon + 1).is_mark(":")


def _read_entry(line: t.Cursor, draft: _RuleDraft, category: ReadCategory) -> list[t.LineToken]:
    """Read a lexicon line; `category` reads one category. Return the categories."""
    kind, entries = ("tag", draft.tags) if _is_for_tag(line) else ("word", draft.words)
    if kind == "tag":
        line.take()
    key = line.take()
    if key.kind == "mark":
        hint = f'a word with marks in it is put in quotes: "{key.text}" : N'
        raise t.TokenError(key, "unexpected-token", f"{key} is not a word", "a word", hint)
    t.require_text(key, "a word")
    line.require(":")

    def weighed(line: t.Cursor) -> t.LineToken:
        token = category(line)
        draft.weigh(line, (kind, t.nfc(key.text), t.nfc(token.text)))
        return token

    categories = line.several(weighed)
    line.require_end("a weight, a comma and another category, or the end of the line")
    entries.extend((key.text, token.text) for token in categories)
    return categories


def _entry_lines(lexicon: Lexicon, marks: tuple[str, ...], weights: KeptWeights) -> list[str]:
    """Return the lines of a lexicon, one per word form and part of speech."""
    lines, known = [], dict(weights)
    for keyword, kind, entries in (("", "word", lexicon.words), ("tag ", "tag", lexicon.tags)):
        for key, categories in grouped(entries).items():
            shown = key if t.is_bare(key, marks) and key != "tag" else quoted(key)
            listed = (
                f"{_written(c, marks)}{t.weight_text(known.get((kind, key, c), 0.0))}" for c in categories
            )
            lines.append(f"{keyword}{shown} : {', '.join(listed)}")
    return lines


def _written(category: str, marks: tuple[str, ...]) -> str:
    return category if t.is_bare(category, marks) else quoted(category, "'")


def _category(line: t.Cursor, expected: str) -> t.LineToken:
    """Read the name of a category: not one that schemata use for the root or the head word."""
    token = line.take()
    if token.text in RESERVED:
        hint = "root, * and ^ stand for the root and the head word: choose another name"
        raise t.TokenError(token, "reserved-name", f"a category cannot be called {token}", expected, hint)
    t.require_text(token, expected)
    return token


def _unknown_line(line: t.Cursor, expected: str, hint: str | None) -> t.TokenError:
    first, second = line.next, line.peek()
    message = f"a line beginning with {first} {second} is not a known one"
    if second.kind == "end":
        message = f"{first} alone says nothing"
    return t.TokenError(first, "unknown-line", message, expected, hint)


# Dependency rules ---------------------------------------------------------------------------------------------------


def parse_dependency_rules(
    text: str | t.GrammarText, file: str = "<text>"
) -> tuple[RuleSet, tuple[Diagnostic, ...]]:
    r"""Read dependency rules; return them, and warnings about them.

    Parameters
    ----------
    text : the text of a file, or the result of `text.read_text`.
    file : names a string in messages.

    Raises
    ------
    GrammarError : the text holds no rules, or holds mistakes; all of them are reported.

    >>> rules, warnings = parse_dependency_rules("root S\nS(*)\ngo : S")
    >>> [str(rule) for rule in rules.rules], warnings
    (['S(*)'], ())
    """
    draft = _RuleDraft(t.text_of(text, file))
    roots: dict[str, t.LineToken] = {}

    def read_line(line: t.Cursor) -> None:
        if _is_entry(line):
            for token in _read_entry(line, draft, _dependency_category):
                draft.use(token)
        elif line.is_at("root") and not line.peek().is_mark("("):
            line.take()

            def weighed(line: t.Cursor) -> t.LineToken:
                token = _dependency_category(line)
                draft.weigh(line, ("root", token.text))
                return token

            for token in line.several(weighed):
                roots.setdefault(token.text, token)
            line.require_end("a weight, a comma and another category, or the end of the line")
        elif line.next.kind in ("name", "label") and line.peek().is_mark("("):
            _read_dependency_rule(line, draft)
        else:
            _refuse_dependency_line(line)

    draft.read(_DEPENDENCY_MARKS, read_line)
    _check_dependency_rules(draft, roots)
    t.refuse(draft.findings)
    rules = RuleSet(tuple(draft.rules), frozenset(roots), draft.lexicon, draft.kept_weights)
    return rules, tuple(draft.findings)


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

    def written(symbol: str) -> str:
        return "*" if symbol == HEAD else _written(symbol, _DEPENDENCY_MARKS)

    entries: list[tuple[object, str]] = [(root, f"root {written(root)}") for root in sorted(rules.roots)]
    for rule in rules.rules:
        entries.append((rule, f"{written(rule.lhs)}({' '.join(map(written, rule.body))})"))
    lines = _entry_lines(rules.lexicon, _DEPENDENCY_MARKS, rules.weights)
    of_roots = (
        (key[1], weight) for key, weight in rules.weights if isinstance(key, tuple) and key[0] == "root"
    )
    return t.commented(entries, header, counts, (*rules.weights, *of_roots), lines)


def _read_dependency_rule(line: t.Cursor, draft: _RuleDraft) -> None:
    lhs = _dependency_category(line)
    draft.define(lhs)
    line.require("(")
    body: list[str] = []
    while not line.is_at(")"):
        if line.is_at("*", HEAD):
            star = line.take()
            if HEAD in body:
                message = f"the rule has two head words: there is a {star} before this one"
                raise t.TokenError(star, "two-heads", message, "exactly one * in a rule")
            body.append(HEAD)
            continue
        if line.is_at(","):
            line.unexpected("a category, * or )", hint="the categories of a rule are separated by blanks")
        token = _dependency_category(line, "a category, * or )")
        draft.use(token)
        body.append(token.text)
    if HEAD not in body:
        hint = "the * stands where the head word stands between its dependents"
        if not body:
            hint = f"write {lhs}(*) for a word without dependents"
        message = f"the rule {lhs}({' '.join(body)}) has no head word"
        raise t.TokenError(line.next, "no-head", message, "exactly one * in a rule", hint)
    line.take()
    rule = Rule(lhs.text, tuple(body))
    draft.weigh(line, rule)
    line.require_end("a weight, or the end of the line")
    draft.rules.setdefault(rule, lhs)


def _dependency_category(line: t.Cursor, expected: str = _CATEGORY) -> t.LineToken:
    token = line.next
    if token.kind not in ("name", "label"):
        hint = f"a category with odd characters is put in single quotes: '{token.text}'"
        line.unexpected(expected, hint=hint if token.kind == "word" else None)
    return _category(line, expected)


def _check_dependency_rules(draft: _RuleDraft, roots: dict[str, t.LineToken]) -> None:
    """Report parts that are missing from the file as a whole."""
    anything, hint = (
        draft.defined or roots or draft.used,
        "a dependency rule file has lines such as: S(N * N)",
    )
    if draft.check_empty(anything, "dependency rules", _DEPENDENCY_LINE, hint):
        return
    if not roots and draft.is_whole:
        message, hint = "no category may be the root", "add a line such as: root S (without a colon)"
        draft.findings.append(draft.text.finding("no-root", message, "root and a category", hint))
    for token in roots.values():
        draft.use(token)

    def rule_hint(category: str) -> str:
        return f"add a rule; if it takes nothing: {_written(category, _DEPENDENCY_MARKS)}(*)"

    draft.check_undefined("no rule says what {} takes", rule_hint)
    if any(finding.severity == "error" for finding in draft.findings):
        return
    draft.warn_unreachable(roots, "the root")
    with_words = draft.lexicon.categories
    for category, token in draft.defined.items():
        if category not in with_words:
            written = _written(category, _DEPENDENCY_MARKS)
            hint = f"add a line such as: word : {written}, or tag T : {written}"
            draft.warn(token, "no-word", f"no word and no part of speech is of category {category}", hint)


def _refuse_dependency_line(line: t.Cursor) -> None:
    first, second = line.next, line.peek()
    texts = [token.text for token in line.tokens]
    hint = None
    if any(text in ("->", "→", "-->") for text in texts):
        hint = "a dependency rule is written A(B * C), with * for the head word"
    elif "=" in texts or first.text == "tag":
        hint = 'the colon is missing: "dog" : A, or tag T : A'
    elif ":" in texts:
        hint = _ONE_WORD
    elif second.kind in ("name", "label"):
        hint = did_you_mean(first.text, ("root", "tag")) or f"the colon is missing: {first} : {second}"
    raise _unknown_line(line, _DEPENDENCY_LINE, hint)


# Context-free grammars ----------------------------------------------------------------------------------------------


def parse_context_free(text: str | t.GrammarText, file: str = "<text>") -> ContextFreeGrammar:
    """Read a context-free grammar.

    Parameters
    ----------
    text : the text of a file, or the result of `text.read_text`.
    file : names a string in messages.

    Raises
    ------
    GrammarError : the text holds no rules, or mistakes; all of them are reported.

    >>> parse_context_free('S -> "a" S "b" | "c"').lexicon.words
    (('c', 'S'),)
    """
    draft = _RuleDraft(t.text_of(text, file))
    starts: list[t.LineToken] = []

    def read_line(line: t.Cursor) -> None:
        if _is_entry(line):
            for category in _read_entry(line, draft, _context_free_category):
                draft.define(category)
        elif line.peek().is_mark(*_ARROWS):
            _read_context_free_rule(line, draft)
        elif line.is_at("start") and line.peek().kind == "name":
            line.take()
            token = _context_free_category(line)
            draft.use(token)
            line.require_end()
            if starts:
                message = f"the start symbol is {starts[0]} already (line {starts[0].line})"
                raise t.TokenError(token, "two-starts", message, "one start line")
            starts.append(token)
        else:
            _refuse_context_free_line(line)

    draft.read(MARKS, read_line)
    hint = "a file of a context-free grammar has lines such as: S -> NP VP"
    draft.check_empty(draft.defined, "rules", _CONTEXT_FREE_LINE, hint)
    draft.check_undefined(
        "{} is neither on the left of a rule nor the category of a word",
        lambda c: (
            f"a weight stands in square brackets: [{c.strip('()')}]"
            if re.fullmatch(r"\(\d*\.?\d+\)", c)
            else "rules end with their lines, without a full stop"
            if c.endswith(".")
            else _SEMICOLON
            if c == ";"
            else f"names stand without angle brackets: {c[1:-1]}"
            if re.fullmatch("<.+>", c)
            else "the empty string is written ε"
            if c.casefold() in _EMPTY
            else f'the word stands before the colon: "dog" : {c}'
            if c in dict(draft.words)
            else f'a terminal is put in quotes: "{c}"; a category needs a rule or a line: word : {c}'
        ),
    )
    t.refuse(draft.findings)
    # Without a start line, the left-hand side of the first rule; in a file of lexicon lines, the first category.
    first = next((rule.lhs for rule in draft.rules), next(iter(draft.defined)))
    start = starts[0].text if starts else first
    draft.warn_unreachable([start], start)
    weights = draft.kept_weights
    return ContextFreeGrammar(tuple(draft.rules), start, draft.lexicon, tuple(draft.findings), weights)


_SEMICOLON = "rules end with their lines, without a semicolon"
_EMPTY = ("eps", "epsilon", "empty", "lambda", "λ", "∅")


def write_context_free(
    grammar: ContextFreeGrammar, *, header: Iterable[str] = (), counts: Mapping[Any, int] | None = None
) -> str:
    """Return the text of a file that reads back to an equal grammar; `counts` say how often a rule was seen.

    >>> print(write_context_free(parse_context_free('S -> "a" S "b" | "c"')), end="")
    start S
    S -> "a" S "b"
    c : S
    """
    entries: list[tuple[object, str]] = [(None, f"start {grammar.start}")]
    for rule in grammar.rules:
        body = [quoted(word_of(s)) if is_terminal(s) else s for s in rule.body]
        entries.append((rule, f"{rule.lhs} -> {' '.join(body) or 'ε'}"))
    lines = _entry_lines(grammar.lexicon, MARKS, grammar.weights)
    return t.commented(entries, header, counts, grammar.weights, lines)


def _read_context_free_rule(line: t.Cursor, draft: _RuleDraft) -> None:
    lhs = _context_free_category(line)
    draft.define(lhs)
    line.take()
    while True:
        rule = Rule(lhs.text, _alternative(line, draft))
        is_entry = len(rule.body) == 1 and is_terminal(rule.body[0])  # a line of the lexicon may say it, too
        draft.weigh(line, ("word", word_of(rule.body[0]), t.nfc(rule.lhs)) if is_entry else rule)
        draft.rules.setdefault(rule, lhs)
        if not line.accept("|"):
            break
    line.require_end("a symbol, a weight, | or the end of the line")


def _alternative(line: t.Cursor, draft: _RuleDraft) -> tuple[str, ...]:
    """Read one right-hand side, up to ``|`` or the end of the line."""
    body: list[str] = []
    empty: t.LineToken | None = None
    first = line.next
    while not (line.next.kind == "end" or line.is_at("|") or line.is_at_weight):
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
            draft.use(_context_free_category(line, _SYMBOL))
            body.append(token.text)
        if empty and (body or token is not first):
            message = "the empty string stands alone on the right of a rule"
            raise t.TokenError(empty, "empty-among-others", message, "ε, or symbols")
    if not (body or empty):
        at_end = line.next.kind == "end"
        message = "nothing stands on the right of the rule" if at_end else "an alternative is missing"
        hint = 'the empty string is written ε or ""'
        raise t.TokenError(line.next, "empty-alternative", message, _SYMBOL, hint)
    return tuple(body)


def _context_free_category(line: t.Cursor, expected: str = _CATEGORY) -> t.LineToken:
    token = line.next
    hint = None
    if token.kind in ("word", "label"):
        hint = f"a category stands without quotes: {token.text or 'A'}"
        hint = "a terminal has no rules" if token is line.tokens[0] else hint
    elif token.text == "ε":
        hint = "ε is the empty string"
    if token.kind != "name" or hint:
        line.unexpected(expected, hint=hint)
    if re.fullmatch(".+;", token.text) and line.peek().kind == "end":
        is_connector = token.text[-2] in "+-"
        hint = "this looks like a Link Grammar dictionary: a .dict file" if is_connector else _SEMICOLON
        raise t.TokenError(token, "bad-name", f"{token} is not a name of a category", expected, hint)
    return _category(line, expected)


def _refuse_context_free_line(line: t.Cursor) -> None:
    first, second = line.next, line.peek()
    texts = [token.text for token in line.tokens]
    hint = None
    if first.is_mark("|"):
        hint = "a rule is one line: write the left-hand side again"
    elif re.search(r"::?=", "".join(texts)):
        sign = "::=" if "::=" in "".join(texts) else ":="
        hint = f"write -> in place of {sign}, and names without < >"
    elif re.fullmatch(r"\([^()]+\(.*\)", "".join(texts[:-1])) and not any(
        arrow in texts for arrow in _ARROWS
    ):
        hint = "this is a tree: schemata grammar extract FILE --kind context-free reads a grammar off trees"
    elif re.search(r"=|--|<-|\(", "".join(texts)):
        hint = "a rule is written A -> B C"
    elif re.fullmatch(r"[\d.]+", first.text) and any(arrow in texts for arrow in _ARROWS):
        hint = "a weight stands behind its rule, in brackets: A -> B C [0.5]"
    elif any(arrow in texts for arrow in _ARROWS):
        hint = "one category stands on the left of the arrow"
    elif first.text == "tag":
        hint = "the colon is missing: tag T : A"
    elif ":" in texts:
        hint = _ONE_WORD
    elif second.kind == "name":
        hint = did_you_mean(first.text, ("start", "tag")) or "the arrow or the colon is missing"
    raise _unknown_line(line, _CONTEXT_FREE_LINE, hint)


# D-rules ------------------------------------------------------------------------------------------------------------


_D_RULE_MARKS = (",", "/")
_D_RULE_WORDS = ("root", "head", "takes", "on", "the", "within", "any")
_SIDES: dict[str, Side] = {"left": "left", "right": "right", "either": "either"}
_ANY_ARROW = ("->", "<-", "-->", "<--", "→", "←", "=>")
_D_RULE_LINE = "head ... takes ..., or root ..."
_PATTERN = 'a part of speech, a "word", "word"/TAG, or any'
_DIRECTIONS = "on the left, on the right, on either side"


def parse_d_rules(text: str | t.GrammarText, file: str = "<text>") -> tuple[DRuleSet, tuple[Diagnostic, ...]]:
    """Read D-rules; return them, and warnings about them.

    Parameters
    ----------
    text : the text of a file, or the result of `text.read_text`.
    file : names a string in messages.

    Raises
    ------
    GrammarError : the text holds no rules, or holds mistakes; all of them are reported.

    >>> parse_d_rules("root VERB")[0].roots
    (WordPattern(tag='VERB', word=''),)
    """
    draft = _RuleDraft(t.text_of(text, file))
    rules: list[DRule] = []
    roots: list[WordPattern] = []

    def root(line: t.Cursor) -> None:
        roots.append(_pattern(line))
        draft.weigh(line, roots[-1])

    def read_line(line: t.Cursor) -> None:
        if line.accept("root"):
            line.several(root)
            if line.is_at("within", "on"):
                line.unexpected("the end of the line", hint="a root has neither side nor distance")
            line.require_end("a weight, a comma or the end of the line")
        elif line.accept("head"):
            rules.extend(_read_d_rules(line, draft))
        else:
            _refuse_line(line)

    draft.read(_D_RULE_MARKS, read_line)
    hint = "a D-rule file has lines such as: head NOUN takes DET on the left"
    draft.check_empty(rules or roots, "D-rules", _D_RULE_LINE, hint)
    t.refuse(draft.findings)
    if not roots:
        message = "no word may hang under the artificial root"
        hint = "schemata with node 0 accept nothing under this grammar: add a line such as: root VERB"
        finding = draft.text.finding("no-root", message, hint=hint)
        draft.findings.append(replace(finding, severity="warning"))
    return DRuleSet(tuple(rules), tuple(roots), draft.kept_weights), tuple(draft.findings)


def write_d_rules(
    rules: DRuleSet, *, header: Iterable[str] = (), counts: Mapping[Any, int] | None = None
) -> str:
    """Return the text of a D-rule file that reads back to an equal set of rules.

    Parameters
    ----------
    rules : the rules.
    header : lines of comment to begin with.
    counts : how often a rule, or a word under the artificial root, was seen: written beside it.

    >>> noun, verb = WordPattern("NOUN"), WordPattern("VERB")
    >>> print(write_d_rules(DRuleSet((DRule(verb, noun, "left", 3),), (verb,))), end="")
    root VERB
    head VERB takes NOUN on the left within 3
    """
    entries: list[tuple[object, str]] = [(root, f"root {_written_pattern(root)}") for root in rules.roots]
    for rule in rules.rules:
        side = "" if rule.side == "either" else f" on the {rule.side}"
        within = "" if rule.within is None else f" within {rule.within}"
        head, dependent = _written_pattern(rule.head), _written_pattern(rule.dependent)
        entries.append((rule, f"head {head} takes {dependent}{side}{within}"))
    return t.commented(entries, header, counts, rules.weights)


def _written_pattern(pattern: WordPattern) -> str:
    tag = pattern.tag
    if tag and (tag in _D_RULE_WORDS or not t.is_bare(tag, _D_RULE_MARKS)):
        tag = quoted(tag, "'")
    return "/".join(part for part in (pattern.word and quoted(pattern.word), tag) if part) or "any"


def _read_d_rules(line: t.Cursor, draft: _RuleDraft) -> Iterable[DRule]:
    heads = line.several(_pattern)
    line.require("takes", "takes, or a comma and another head")
    dependents = line.several(_pattern)
    side: Side = "either"
    if line.accept("on"):
        line.accept("the")
        if not line.is_at(*_SIDES):
            line.unexpected(_DIRECTIONS, _SIDES)
        side = _SIDES[line.take().text]
        if side == "either":
            line.require("side", "on either side")
    within = _distance(line) if line.accept("within") else None
    if side == "either":
        rest = f"{_DIRECTIONS}; within a number; a weight; or the end of the line"
    else:
        rest = "within a number, a weight, or the end of the line"
    if line.is_at("left", "right"):
        line.unexpected(rest, hint=f"say where: on the {line.next}")
    if line.next.kind == "word":
        line.unexpected(rest, hint="several dependents have commas between them")
    rules = [DRule(head, dependent, side, within) for head, dependent in product(heads, dependents)]
    begin = line.at
    for rule in rules:
        line.at = begin  # one weight for all of them
        draft.weigh(line, rule)
    line.require_end("a weight, or the end of the line" if within else rest, ("on", "within"))
    return rules


def _pattern(line: t.Cursor) -> WordPattern:
    if line.next.kind == "word":
        word = _value(line)
        return WordPattern(_tag(line) if line.accept("/") else "", word)
    return ANY if line.accept("any") else WordPattern(_tag(line))


def _tag(line: t.Cursor) -> str:
    token = line.next
    if token.kind != "label" and (token.kind != "name" or token.text in _D_RULE_WORDS):
        hint = None
        if token.kind == "name":
            hint = f"a part of speech called {token.text} is written '{token.text}', a word \"{token.text}\""
        line.unexpected(_PATTERN, hint=hint)
    return _value(line)


def _value(line: t.Cursor) -> str:
    token = line.take()
    t.require_text(token, _PATTERN)
    return token.text


def _distance(line: t.Cursor) -> int:
    token = line.take()
    if token.kind == "name" and token.text.isdecimal() and token.text.isascii() and len(token.text) <= 9:
        distance = int(token.text)
        if distance:
            return distance
    message = "within what number?" if token.kind == "end" else f"{token} is not a distance between two words"
    expected, hint = "a whole number from 1", "neighbours are at distance 1"
    raise t.TokenError(token, "bad-distance", message, expected, hint)


def _refuse_line(line: t.Cursor) -> None:
    if any(token.text in _ANY_ARROW for token in line.tokens):
        message = "a D-rule is not written with an arrow"
        hint = "arrows point either way in the literature; say who is the head: head NOUN takes DET"
        raise t.TokenError(line.next, "unknown-line", message, _D_RULE_LINE, hint)
    takes = any(token.text == "takes" for token in line.tokens)
    hint = "a rule begins with the word head: head NOUN takes DET"
    words = [token for token in line.tokens if token.kind in ("name", "word")]
    if len(words) == 2 and not takes and not did_you_mean(words[0].text, ("root", "head", "any")):
        takes, hint = (
            True,
            f'a rule says which word is the head: head "{words[0].text.rstrip(":")}" takes "{words[1].text}"',
        )
    line.unexpected(_D_RULE_LINE, () if "which word" in hint else ("root", "head"), hint if takes else None)
