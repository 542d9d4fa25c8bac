"""Files of constraint dependency grammars: labels, readings of words, and constraints, a line each.

    labels nsubj obj det root
    tag NOUN : NOUN
    the : DET
    die : DET case=nom | DET case=acc                     # two readings, with a feature
    constraint subject: X.label = nsubj -> X^cat = VERB   # hard
    constraint subject-first [0.1]: X.label = nsubj -> X.position < X.head
    constraint one-subject: X.label = nsubj and Y.label = nsubj -> X.head != Y.head

All mistakes of a file are reported at once; names of labels, categories, features and their values are looked up in the
whole file, so that one that is misspelt is an error with a hint.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from schemata.errors import did_you_mean, one_of
from schemata.grammars import text as t
from schemata.grammars.constraints import (
    COMPARISONS,
    FIXED,
    NONE,
    ROOT,
    Among,
    Attribute,
    BetweenHead,
    Compare,
    Constant,
    Constraint,
    Constraints,
    Crossing,
    Distance,
    Has,
    Junction,
    Reading,
)
from schemata.wording import quoted

MARKS = ("->", "→", "!=", "≠", "<=", "≤", ">=", "≥", "<", ">", "=", "(", ")", "{", "}", ",", ":", "|")
_SYNONYMS = {"→": "->", "≠": "!=", "≤": "<=", "≥": ">="}
_LINE = "labels ..., tag T : CATEGORY, word : CATEGORY, or constraint NAME: FORMULA"
_FORMULA = "a comparison, has(X, LABEL), crosses(X, Y), between(Y, X), not, true, false or ("
_TERM = "X.label, X.cat, X.word, X.position, X.head, a feature, X^cat ..., distance(X), a name or a number"
_WORDS = ("and", "or", "not", "in", "true", "false", "has", "crosses", "between", "distance")
_LEAST = 1e-6  # the smallest weight of a soft constraint: sums of costs must keep their digits


class _Draft:
    """The parts of a file read so far, and the names to be resolved once all of it is read."""

    def __init__(self) -> None:
        self.labels: dict[str, t.LineToken] = {}
        self.words: dict[str, list[Reading]] = {}
        self.tags: dict[str, list[Reading]] = {}
        self.constraints: dict[str, Constraint] = {}
        self.compared: list[tuple[str, t.LineToken]] = []  # an attribute, and a name that it is compared with
        self.attributes: list[t.LineToken] = []

    @property
    def readings(self) -> Iterable[Reading]:
        return (one for table in (self.words, self.tags) for listed in table.values() for one in listed)


def parse_constraints(text: str | t.GrammarText, file: str = "<text>") -> Constraints:
    """Read a constraint dependency grammar.

    Parameters
    ----------
    text : the text of a file, or the result of `text.read_text`.
    file : names a string in messages.

    Raises
    ------
    GrammarError : the text holds no constraints, or mistakes; all of them are reported.
    """
    source, draft = t.text_of(text, file), _Draft()
    mistakes = t.read_lines(source, MARKS, lambda line: _read_line(line, draft))
    mistakes += (mistake.report(source) for mistake in _unknown_names(draft))
    if not mistakes:
        parts = {"labels": draft.labels, "words": draft.words or draft.tags, "constraints": draft.constraints}
        for what, missing in parts.items():
            if not missing:
                mistakes.append(source.finding("empty-grammar", f"the file has no {what}", _LINE))
    t.refuse(mistakes)
    used = {token.text for kind, token in draft.compared if kind == "label"}
    warnings = [
        t.TokenError(token, "unused-label", f"no constraint speaks of the label {name}").report(
            source, "warning"
        )
        for name, token in draft.labels.items()
        if name not in used
    ]
    words, tags = (
        {key: tuple(dict.fromkeys(x)) for key, x in one.items()} for one in (draft.words, draft.tags)
    )
    return Constraints(tuple(draft.labels), tuple(draft.constraints.values()), words, tags, tuple(warnings))


def write_constraints(grammar: Constraints, header: Iterable[str] = ()) -> str:
    """Return the text of a file that reads back to an equal grammar."""
    lines = [f"# {line}".rstrip() for line in header]
    lines.append(f"labels {' '.join(map(_name, grammar.labels))}")
    for prefix, table in (("tag ", grammar.tags), ("", grammar.words)):
        for key, readings in table.items():
            shown = _name(key) if prefix else quoted(key)
            lines.append(f"{prefix}{shown} : {' | '.join(map(_written_reading, readings))}")
    for one in grammar.constraints:
        weight = f" [{one.weight!r}]" if one.weight else ""
        lines.append(f"constraint {_name(one.name)}{weight}: {_written(one.formula)}")
    return "".join(f"{line}\n" for line in lines)


def _name(text: Any) -> str:
    bare = isinstance(text, int) or (t.is_bare(text, MARKS) and text not in _WORDS and not text.isdecimal())
    return str(text) if bare else quoted(text, "'")


def _written_reading(reading: Reading) -> str:
    parts = (f"{_name(name)}={_name(value)}" for name, value in reading.features)
    return " ".join([_name(reading.category), *parts])


def _written(formula: Any) -> str:
    match formula:
        case Compare(left=left, operator=operator, right=right):
            return f"{_written(left)} {operator} {_written(right)}"
        case Among(term=term, names=names):
            return f"{term} in {{{', '.join(map(_name, names))}}}"
        case Has(variable=variable, labels=labels):
            return f"has({', '.join((variable, *map(_name, labels)))})"
        case Junction(operator="not", parts=(part,)):
            return f"not ({_written(part)})"
        case Junction(operator=operator, parts=parts):
            return f" {operator} ".join(
                f"({_written(x)})" if isinstance(x, Junction) else _written(x) for x in parts
            )
        case str() | int() if not isinstance(formula, bool):
            return _name(formula)
    return str(formula)


# Lines ----------------------------------------------------------------------------------------------------------


def _read_line(line: t.Cursor, draft: _Draft) -> None:
    if line.is_at("constraint") and not line.peek().is_mark(":"):
        _read_constraint(line, draft)
    elif line.is_at("labels") and not line.peek().is_mark(":"):
        line.take()
        while line.next.kind != "end":
            if line.is_at(",") and draft.labels:
                line.unexpected("a label", hint="blanks stand between labels, without commas")
            token = _symbol(line, "a label")
            if token.text in draft.labels:
                message = f"the label {token.text} is declared already (line {draft.labels[token.text].line})"
                raise t.TokenError(token, "duplicate-label", message, "each label once")
            draft.labels[token.text] = token
    elif line.is_at("tag") and not line.peek().is_mark(":"):
        line.take()
        _read_entry(line, draft.tags)
    elif line.next.kind in ("name", "word") and line.peek().is_mark(":"):
        _read_entry(line, draft.words)
    else:
        first = line.next
        near = did_you_mean(first.text, ("labels", "tag", "constraint")) if first.kind == "name" else None
        if any(token.is_mark("->") for token in line.tokens):
            near = near or "a constraint begins with: constraint NAME:"
        line.unexpected(_LINE, hint=near or "a word and its categories: dog : NOUN")


def _read_entry(line: t.Cursor, table: dict[str, list[Reading]]) -> None:
    token = line.take()
    t.require_text(token, "a word or a part of speech")
    if token.kind not in ("name", "word", "label"):
        raise t.TokenError(
            token, "unexpected-token", f"{token} does not belong here", "a word or a part of speech"
        )
    line.require(":", "a colon and the categories")
    readings = table.setdefault(t.nfc(token.text), [])
    while True:
        category = _symbol(line, "a category")
        features: dict[str, str] = {}
        while line.next.kind in ("name", "label"):
            name = _symbol(line, "a feature")
            if name.text in FIXED:
                raise t.TokenError(
                    name, "bad-feature", f"no feature can be called {name.text}", "another name"
                )
            line.require("=", f"= and the value of the feature {name.text}")
            features[name.text] = _symbol(line, "a value").text
        readings.append(Reading(category.text, tuple(sorted(features.items()))))
        if not line.accept("|", ","):
            break
    if any(token.is_mark("->", "→") for token in line.tokens):
        hint = f"a constraint begins with its keyword: constraint {token.text}: ..."
        line.unexpected("a feature, another reading or the end of the line", hint=hint)
    line.require_end("a feature such as case=nom, | and another reading, or the end of the line")


def _symbol(line: t.Cursor, expected: str) -> t.LineToken:
    if line.next.kind not in ("name", "label"):
        line.unexpected(expected)
    token = line.take()
    t.require_text(token, expected)
    return token._replace(text=t.nfc(token.text))


def _read_constraint(line: t.Cursor, draft: _Draft) -> None:
    line.take()
    name = _symbol(line, "the name of the constraint")
    place = line.next
    log = line.weight()
    weight = 0.0 if log is None or log == -math.inf else float(f"{math.exp(log):.12g}")  # as it is written
    if log is not None and log >= 0:
        hint = "1 would mean that a violation does not matter; hard constraints have the weight 0, or none"
        raise t.TokenError(place, "bad-weight", "a weight is less than 1", "a factor from 0 to 1", hint)
    if 0 < weight < _LEAST:
        raise t.TokenError(
            place, "bad-weight", f"a weight is 0 or at least {_LEAST:g}", "0 for a hard constraint"
        )
    line.require(":", "a colon and a formula, or a weight such as [0.1]")
    formula = _implication(line, draft)
    if line.is_at("=") and line.peek().text in (">", "=>"):
        line.unexpected("and, or, -> or the end of the line", hint="write ->")
    line.require_end("and, or, -> or the end of the line", ("and", "or"))
    if name.text in draft.constraints:
        line_number = draft.constraints[name.text].line
        message = f"there is a constraint {name.text} already (line {line_number})"
        raise t.TokenError(name, "duplicate-constraint", message, "another name")
    one = Constraint(name.text, weight, formula, name.line)
    variables = {token.text[0] for token in line.tokens if token.kind == "name" and _is_variable(token.text)}
    if "X" not in variables:
        hint = "write X for the word: X.label = obj -> ..."
        raise t.TokenError(name, "no-variable", f"the constraint {name.text} does not speak of X", "X", hint)
    draft.constraints[name.text] = one


def _is_variable(text: str) -> bool:
    return text in ("X", "Y") or text[:2] in ("X.", "Y.", "X^", "Y^", "X↑", "Y↑")


# Formulas -------------------------------------------------------------------------------------------------------


def _implication(line: t.Cursor, draft: _Draft) -> Any:
    condition = _joined(line, draft, "or")
    if line.accept("->", "→"):
        return Junction("->", (condition, _implication(line, draft)))
    return condition


def _joined(line: t.Cursor, draft: _Draft, operator: str) -> Any:
    def read() -> Any:
        return _joined(line, draft, "and") if operator == "or" else _negation(line, draft)

    parts = [read()]
    while line.accept(operator):
        parts.append(read())
    return parts[0] if len(parts) == 1 else Junction(operator, tuple(parts))


def _negation(line: t.Cursor, draft: _Draft) -> Any:
    if line.accept("not"):
        return Junction("not", (_negation(line, draft),))
    if line.accept("("):
        inside = _implication(line, draft)
        line.require(")", "and, or, -> or )")
        return inside
    if line.is_at("true", "false"):
        return Constant(line.take().text == "true")
    if line.is_at("has") and line.peek().is_mark("("):
        line.take()
        line.take()
        variable = _variable(line)
        labels = []
        while line.accept(","):
            labels.append(_symbol(line, "a label"))
        if not labels:
            line.unexpected("a comma and a label: has(X, det)")
        line.require(")", "a comma and a label, or )")
        draft.compared += (("label", token) for token in labels)
        return Has(variable, tuple(token.text for token in labels))
    if line.is_at("crosses", "between") and line.peek().is_mark("("):
        token = line.take()
        line.take()
        first = _variable(line)
        line.require(",", "a comma and the other word")
        second = _variable(line)
        line.require(")")
        if first == second:
            message = f"{token.text} is about two different words"
            raise t.TokenError(token, "same-word", message, f"{token.text}(X, Y)")
        return Crossing() if token.text == "crosses" else BetweenHead(first, second)
    return _comparison(line, draft)


def _variable(line: t.Cursor) -> str:
    if not line.is_at("X", "Y"):
        line.unexpected("X or Y")
    return line.take().text


def _comparison(line: t.Cursor, draft: _Draft) -> Any:
    left_token = line.next
    left = _term(line, draft)
    negated = line.is_at("not") and line.peek().text == "in"
    if negated:
        line.take()
    if line.accept("in"):
        line.require("{", "{ and names: in {nsubj, obj}")
        tokens = [_symbol(line, "a name")]
        while line.accept(","):
            tokens.append(_symbol(line, "a name"))
        line.require("}", "a comma and a name, or }")
        if not isinstance(left, Attribute) or left.name in ("position", "head"):
            message = "only an attribute with names as values can be in a set"
            raise t.TokenError(left_token, "wrong-type", message, "X.label, X.cat, X.word or a feature")
        draft.compared += ((left.name, token) for token in tokens)
        found = Among(left, tuple(token.text for token in tokens))
        return Junction("not", (found,)) if negated else found
    operator = line.next
    if not line.is_at(*COMPARISONS, *_SYNONYMS) or line.is_at("->", "→"):
        call = line.is_at("(") and isinstance(left, str) and line.peek().text in ("X", "Y")
        hint = f"write {line.peek().text}.{left}" if call else None
        line.unexpected(f"one of {', '.join(COMPARISONS)}, or in", ("in",), hint)
    line.take()
    if operator.text == "=" and line.is_at("="):
        line.unexpected(_TERM, hint="write = for equal")
    sign = _SYNONYMS.get(operator.text, operator.text)
    right_token = line.next
    right = _term(line, draft)
    sides = [(left, left_token), (right, right_token)]
    kinds = [_kind(term) for term, _ in sides]
    if "name" in kinds and isinstance(left, str) and isinstance(right, str):
        raise t.TokenError(
            left_token, "no-variable", "two names are compared", "an attribute such as X.label"
        )
    if isinstance(left, int) and isinstance(right, int):
        raise t.TokenError(
            left_token, "no-variable", "two numbers are compared", "an attribute such as X.position"
        )
    if kinds[0] != kinds[1]:
        message = f"a {kinds[0]} is compared with a {kinds[1]}: {left_token.text} with {right_token.text}"
        hint = "positions, heads and distances are numbers; the label of a root is read as X.head = 0"
        raise t.TokenError(right_token, "wrong-type", message, f"a {kinds[0]}", hint)
    if kinds[0] == "name" and sign not in ("=", "!="):
        raise t.TokenError(operator, "wrong-type", f"names cannot be compared by {sign}", "= or !=")
    for (term, token), (other, _) in zip(sides, reversed(sides), strict=True):
        if isinstance(term, str) and isinstance(other, Attribute):
            draft.compared.append((other.name, token._replace(text=term)))
    return Compare(left, sign, right)


def _kind(term: Any) -> str:
    if isinstance(term, Attribute):
        return "number" if term.name in ("position", "head") else "name"
    return "name" if isinstance(term, str) else "number"


def _term(line: t.Cursor, draft: _Draft) -> Any:
    token = line.next
    if token.kind in ("label", "word"):
        t.require_text(token, "a name")
        return t.nfc(line.take().text)
    if token.kind != "name":
        line.unexpected(_FORMULA if token.is_mark("(", ")") else _TERM)
    if token.text == "distance" and line.peek().is_mark("("):
        line.take()
        line.take()
        start = _variable(line)
        end = _variable(line) if line.accept(",") else None
        line.require(")", "a comma and the other word, or )")
        if start == end:
            raise t.TokenError(
                token, "same-word", "a word has no distance to itself", "distance(X, Y) or distance(X)"
            )
        return Distance(start, end)
    if _is_variable(token.text) and len(token.text) > 2:
        line.take()
        variable, arrow, name = token.text[0], token.text[1], t.nfc(token.text[2:])
        name = {"id": "position", "category": "cat"}.get(name, name)
        draft.attributes.append(token.part(2, 2 + len(name))._replace(text=name))
        return Attribute(variable, arrow != ".", name)
    if token.text in ("X", "Y"):
        hint = f"write {token.text}.position for its place, {token.text}.label for its label"
        line.unexpected(_TERM, hint=hint)
    if token.text in _WORDS:
        line.unexpected(_FORMULA)
    digits = token.text.removeprefix("-").removeprefix("−")
    if digits.isascii() and digits.isdecimal() and len(digits) < 7:
        line.take()
        return int(digits) * (1 if token.text == digits else -1)
    if token.text[1:2] in (".", "^", "↑") and token.text[0].isalpha():
        message, hint = f"there is no word {token.text[0]}", "a constraint speaks of X, or of X and Y"
        raise t.TokenError(token, "unknown-variable", message, "X or Y", hint)
    return t.nfc(line.take().text)


def _unknown_names(draft: _Draft) -> Iterable[t.TokenError]:
    """Yield the names in constraints that nothing in the file declares."""
    features: dict[str, set[str]] = {}
    for reading in draft.readings:
        for name, value in reading.features:
            features.setdefault(name, {NONE}).add(value)
    known = [*FIXED, *features]
    for token in draft.attributes:
        if token.text not in known:
            message = f"no word has an attribute {token.text or '(nothing)'}"
            hint = did_you_mean(token.text, known) or "features stand in readings: dog : NOUN number=sing"
            yield t.TokenError(token, "unknown-attribute", message, one_of(known), hint)
    values: Mapping[str, Iterable[str]] = {
        "label": {*draft.labels, NONE},
        "cat": {*(reading.category for reading in draft.readings), ROOT},
        **features,
    }
    nouns = {"label": "label", "cat": "category"}
    for name, token in draft.compared:
        among = values.get(name)
        if among is not None and token.text not in among and (draft.labels if name == "label" else True):
            noun = nouns.get(name, f"value of {name}")
            message = f"there is no {noun} {token.text}"
            near = did_you_mean(token.text, among)
            yield t.TokenError(token, "unknown-name", message, one_of(sorted(among)[:20]), near)
