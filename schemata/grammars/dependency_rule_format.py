"""Dependency rule files (``.deprules``): root categories, rules A(alpha * beta), and a lexicon.

    root S                  # a sentence is an S
    S(N * N)                # an S takes an N on its left and one on its right; * is the word itself
    N(*)                    # an N takes nothing
    sees : S                # the word "sees" is an S
    tag NOUN : N            # and so are words of part of speech NOUN an N

The format is described in docs/grammars.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any

from schemata.errors import Diagnostic, Location, did_you_mean
from schemata.grammars.dependency_rule_set import RuleSet
from schemata.grammars.drule_format import commented
from schemata.grammars.lines import Cursor, LineError, Span, Token, is_bare, quoted, refuse
from schemata.grammars.rule_files import ONE_WORD, Draft, entry_lines, reserved
from schemata.grammars.rules import HEAD, RESERVED, Rule
from schemata.grammars.text import GrammarText, read_text, text_of

__all__ = ["parse_dependency_rules", "read_dependency_rules", "write_dependency_rules"]

_MARKS = ("(", ")", "*", "^", ":", ",")
_LINE = "A(B * C), root A, word : A, or tag T : A"
_CATEGORY = "a category"


def read_dependency_rules(path: str | PathLike[str]) -> tuple[RuleSet, tuple[Diagnostic, ...]]:
    """Read a dependency rule file; return its rules, and warnings about them.

    Raises
    ------
    GrammarError : the file cannot be read, holds no rules, or holds mistakes; all of them are reported.
    """
    return _parse(read_text(path))


def parse_dependency_rules(text: str, file: str = "<text>") -> tuple[RuleSet, tuple[Diagnostic, ...]]:
    r"""Read dependency rules from a string, as `read_dependency_rules` does from a file.

    >>> rules, warnings = parse_dependency_rules("root S\nS(*)\ngo : S")
    >>> [str(rule) for rule in rules.rules], warnings
    (['S(*)'], ())
    """
    return _parse(text_of(text, file))


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
    entries += [(None, line) for line in entry_lines(rules.lexicon, _MARKS, _written)]
    return commented(entries, header, counts or {})


def _parse(text: GrammarText) -> tuple[RuleSet, tuple[Diagnostic, ...]]:
    draft = Draft(text, _MARKS)
    roots: dict[str, Span] = {}
    root_lines = 0

    def read_line(line: Cursor) -> None:
        nonlocal root_lines
        if draft.is_entry(line):
            for token in draft.read_entry(line, _category):
                draft.use(token.text, token.span)
        elif line.is_at("root") and not line.mark_follows("("):
            root_lines += 1
            _read_roots(line, roots)
        elif line.next.kind in ("name", "label") and line.mark_follows("("):
            rule, span = _read_rule(line, draft)
            draft.rules.setdefault(rule, span)
        else:
            _refuse_line(line)

    draft.read(read_line)
    _check(draft, roots, root_lines)
    refuse(draft.findings)
    return RuleSet(tuple(draft.rules), frozenset(roots), draft.lexicon), tuple(draft.findings)


def _read_roots(line: Cursor, roots: dict[str, Span]) -> None:
    line.take()
    while True:
        token = _category(line)
        roots.setdefault(token.text, token.span)
        if not line.accept(","):
            break
    line.require_end("a comma and another category, or the end of the line")


def _read_rule(line: Cursor, draft: Draft) -> tuple[Rule, Span]:
    lhs = _category(line)
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
        token = _category(line, "a category, * or )")
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


def _category(line: Cursor, expected: str = _CATEGORY) -> Token:
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


def _check(draft: Draft, roots: dict[str, Span], root_lines: int) -> None:
    """Report what is missing from the file as a whole."""
    top = Location(draft.text.file, 1, 1)
    if not (draft.findings or draft.defined or roots or draft.words or draft.tags):
        hint = "a dependency rule file has lines such as: S(N * N)"
        draft.findings.append(
            Diagnostic("empty-grammar", "the file holds no dependency rules", top, _LINE, hint)
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


def _refuse_line(line: Cursor) -> None:
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
    raise LineError(first.span, "unknown-line", message, _LINE, hint)


def _written(category: str) -> str:
    return category if is_bare(category, _MARKS) else quoted(category, "'")
