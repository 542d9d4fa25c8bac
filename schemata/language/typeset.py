"""Checked terms, items, conditions and values back as text, the way a paper prints them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from schemata.language import model as m
from schemata.language.labels import EMPTY, LONE_DOT
from schemata.language.model import HEAD_WORD, ROOT, Form, Type, Value

_NAME = re.compile(r"[^\W\d_]\w*'*")
_BARE_LABELS = {EMPTY: "<>", LONE_DOT: LONE_DOT}
_WORDS = frozenset(("false", "length", "not", "root", "true"))  # what a bare word would be mistaken for


def format_item(form: Form, values: Sequence[Value]) -> str:
    """Return an item in canonical text, as a schema would write it.

    Symbols are written bare where they could be names and in quotes where not, the absent value as `-`,
    lists as `<...>`, dotted rules as `A(B . C)`, sequences of labels in quotes.
    `schemata.language.ground.read_item` reads it back.
    """
    fields = (format_value(value, field.type) for value, field in zip(values, form.fields, strict=True))
    return f"{form.name}[{', '.join(fields)}]"


def format_value(value: Value, kind: Type) -> str:
    """Return one value of a type in canonical text."""
    if value is None:
        return "-"
    match kind.kind:
        case "flag":
            return "true" if value else "false"
        case "optional":
            return format_value(value, kind.arguments[0])
        case "list" if isinstance(value, tuple):
            return f"<{', '.join(format_value(v, kind.arguments[0]) for v in value)}>"
        case "tuple" if isinstance(value, tuple):
            return f"({', '.join(format_value(v, t) for v, t in zip(value, kind.arguments, strict=True))})"
        case "dotted" if isinstance(value, tuple):
            category, *parts = value
            words: list[str] = []
            for part in parts:
                if isinstance(part, tuple):
                    words += [HEAD_WORD if x == HEAD_WORD else _symbol(x) for x in part]
                words.append(".")
            return f"{_symbol(category)}({' '.join(words[:-1])})"
        case "symbol":
            return _symbol(value)
        case "label" | "labels" | "dotted labels":
            return f'"{value}"' if value not in _BARE_LABELS else _BARE_LABELS[str(value)]
    return str(value)


def _symbol(value: Value) -> str:
    if value == ROOT:
        return "root"
    text = str(value)
    return text if _NAME.fullmatch(text) and text not in _WORDS else f'"{text}"'


def sort_key(value: Value) -> Any:
    """Return a key that sorts values of one type: absent first, lists lexicographically."""
    if value is None:
        return ()
    if isinstance(value, tuple):
        return (tuple(map(sort_key, value)),)
    return (value,)


_UNICODE = {
    "<=": "≤",
    "<": "<",
    "==": "=",
    "!=": "≠",
    "and": "∧",
    "or": "∨",
    "not ": "¬",
    "in": "∈",
    "not in": "∉",
}
_ASCII = {
    "<=": "<=",
    "<": "<",
    "==": "==",
    "!=": "!=",
    "and": "and",
    "or": "or",
    "not ": "not ",
    "in": "in",
    "not in": "not in",
}


_DOTS = {True: ".", False: "•"}


def linear_text(constant: int, parts: Iterable[tuple[str, int]]) -> str:
    """Return `constant + sum of coefficient * expression`, positive parts first.

    >>> linear_text(-1, [("i", 1), ("j", -2)])
    'i - 2 * j - 1'
    """
    text = ""
    for shown, coefficient in sorted(parts, key=lambda pair: -pair[1]):
        size = shown if abs(coefficient) == 1 else f"{abs(coefficient)} * {shown}"
        if not text:
            text = size if coefficient > 0 else f"-{size}"
        else:
            text += f" + {size}" if coefficient > 0 else f" - {size}"
    if not text:
        return str(constant)
    if constant:
        text += f" + {constant}" if constant > 0 else f" - {-constant}"
    return text


def pattern_text(schema: m.Schema, pattern: m.Pattern, *, ascii: bool = False) -> str:
    """Return an item with its terms: `span[i, j + 1, not c]`."""
    fields = schema.form(pattern.form).fields
    terms = (term_text(t, f.type, ascii=ascii) for t, f in zip(pattern.terms, fields, strict=True))
    return f"{pattern.form}[{', '.join(terms)}]"


def term_text(term: m.Term, kind: m.Type | None = None, *, ascii: bool = False) -> str:
    """Return a term; its type tells dotted rules from other tuples."""
    signs = _ASCII if ascii else _UNICODE
    match term:
        case m.Var(name, optional):
            return f"{name}?" if optional else name
        case m.Any():
            return "_"
        case m.Lit(None):
            return "-"
        case m.Lit(bool() as value):
            return "true" if value else "false"
        case m.Lit("" | "." as value):
            return value or "<>"
        case m.Lit(str() as value) if ": " in value:
            return f'"{value}"'
        case m.Lit(value):
            return "root" if value == ROOT else str(value)
        case m.Length(name):
            return f"length({name})"
        case m.Linear(constant, atoms):
            return linear_text(constant, [(term_text(a, ascii=ascii), k) for a, k in atoms])
        case m.Splice(name):
            return f"*{name}"
        case m.Run(m.Any()):
            return "*_"
        case m.Run(shape):
            text = term_text(shape, kind, ascii=ascii)
            return f"*{text}" if text.startswith("(") else f"*({text})"
        case m.ListTerm(elements):
            inner = kind.arguments[0] if kind is not None and kind.kind == "list" else None
            return f"<{', '.join(term_text(e, inner, ascii=ascii) for e in elements)}>"
        case m.TupleTerm(terms):
            if kind is not None and kind.kind == "dotted":
                return _dotted(terms, ascii)
            return f"({', '.join(term_text(t, ascii=ascii) for t in terms)})"
        case m.Labels(()):
            return "<>" if term.dot is None else _DOTS[ascii]
        case m.Labels():
            return _labels(term, ascii)
        case m.Reversed(operand):
            return f"reverse({term_text(operand, ascii=ascii)})"
        case m.AtDot(operand):
            return term_text(operand, ascii=ascii)
        case m.Matches(left, right):
            return f"{term_text(left, ascii=ascii)} ~ {term_text(right, ascii=ascii)}"
        case m.Not(operand):
            return f"{signs['not ']}{_in_brackets(term_text(operand, ascii=ascii))}"
        case m.Junction("and", operands) if (chain := _chain(operands)) is not None:
            first, *rest = chain
            shown = [term_text(first.left, ascii=ascii)]
            shown += [f"{signs[c.relation]} {term_text(c.right, ascii=ascii)}" for c in (first, *rest)]
            return " ".join(shown)
        case m.Junction(word, operands):
            return f" {signs[word]} ".join(_in_brackets(term_text(o, ascii=ascii)) for o in operands)
        case m.Compare("==", left, m.Labels(())):
            return f"{term_text(left, ascii=ascii)} is empty"
        case m.Not(m.Compare("==", left, m.Labels(()))):
            return f"{term_text(left, ascii=ascii)} is not empty"
        case m.Compare(relation, left, right):
            return f"{term_text(left, ascii=ascii)} {signs[relation]} {term_text(right, ascii=ascii)}"
        case m.Member(element, region):
            return f"{term_text(element, ascii=ascii)} {signs['in']} {_region(region, ascii)}"
        case m.IsAbsent(operand):
            return f"{term_text(operand, ascii=ascii).removesuffix('?')} is absent"
        case m.InOrder(operand):
            return f"{term_text(operand, ascii=ascii)} from left to right"
        case m.AllWithin(intervals, outer):
            return f"{term_text(intervals, ascii=ascii)} {signs['in']} {_region(outer, ascii)}"


def _labels(term: m.Labels, ascii: bool) -> str:
    shown = [term_text(part, ascii=ascii) for part in term.parts]
    if term.dot is not None:
        if term.stays:
            shown[term.dot - 1] += "@"
        shown.insert(term.dot, _DOTS[ascii])
    return " ".join(shown)


def _dotted(terms: tuple[m.Term, ...], ascii: bool) -> str:
    category, *parts = terms
    shown = [
        " ".join(term_text(e, ascii=ascii) for e in part.elements)
        for part in parts
        if isinstance(part, m.ListTerm)
    ]
    dot = _DOTS[ascii]
    return f"{term_text(category, ascii=ascii)}({f' {dot} '.join(shown).strip()})".replace("  ", " ")


def _region(region: m.Region, ascii: bool) -> str:
    match region:
        case m.Interval(low, high):
            return f"[{term_text(low, ascii=ascii)}..{term_text(high, ascii=ascii)}]"
        case m.Without(left, right):
            if isinstance(right, m.Interval):
                return f"{_region(left, ascii)} minus {_region(right, ascii)}"
            return f"{_region(left, ascii)} minus {term_text(right, ascii=ascii)}"
        case m.Var(name):
            return name


def _chain(operands: tuple[m.Term, ...]) -> list[m.Compare] | None:
    """Return comparisons each of which begins where the one before ends, or None."""
    found = [o for o in operands if isinstance(o, m.Compare)]
    linked = all(a.right == b.left for a, b in pairwise(found))
    return found if len(found) == len(operands) and linked else None


def _in_brackets(text: str) -> str:
    return f"({text})" if " " in text else text


def condition_text(condition: m.Condition, *, ascii: bool = False) -> str:
    """Return a side condition; `attach` stands for a licence that a link of the rule goes with."""
    match condition:
        case m.Licensed(dependent, head) | m.CategoryLicence(dependent, head):
            return f"licensed {term_text(dependent)} to {term_text(head)}"
        case m.HasRule(category, body):
            inside = " ".join(term_text(e, ascii=ascii) for e in body.elements)
            return f"rule {term_text(category)}({inside})"
        case m.RootCategory(category):
            return f"root {term_text(category)}"
        case m.LeftCorner(category, whole):
            return f"corner {term_text(category)} of {term_text(whole)}"
        case m.HasCategory(word, category):
            return f"category {term_text(word)} is {term_text(category)}"
        case m.Not(m.Member(element, region)):
            sign = "not in" if ascii else "∉"
            return f"{term_text(element, ascii=ascii)} {sign} {_region(region, ascii)}"
        case m.Not(m.Compare("==", m.Length(name), m.Lit(0))):
            return f"{name} is not empty"
        case m.Compare("==", m.Length(name), m.Lit(0)):
            return f"{name} is empty"
        case m.HasDisjunct(right, left, word):
            sides = [
                f"*{side.name}" if isinstance(side, m.Var) else term_text(side, ascii=ascii)
                for side in (right, left)
            ]
            return f"disjunct {' / '.join(sides)} of {term_text(word, ascii=ascii)}"
    return term_text(condition, ascii=ascii)


def conditions_of(case: m.Case, *, ascii: bool = False) -> list[str]:
    """Return everything that stands beside a case's line: what it builds, then its conditions."""
    found: list[str] = []
    attached: list[m.Condition] = []
    for link in case.links:
        if isinstance(link, m.Join):
            ends = [term_text(t, ascii=ascii) for t in (link.left, link.right)]
            by = term_text(link.by, ascii=ascii)
            built = f"join {ends[0]} to {ends[1]} by {by}"
            tested: m.Condition = link.by
            if link.when is not None:
                built += f" if {term_text(link.when, ascii=ascii)}"
                tested = m.Junction("or", (m.Not(link.when), link.by))
            attached.append(tested)
            found.append(built)
            continue
        licence: m.Condition = m.Licensed(link.dependent, link.head)
        word = "link"
        if licence in case.conditions:
            word = "attach"
            attached.append(licence)
        found.append(f"{word} {term_text(link.dependent)} to {term_text(link.head)}")
    for head_link in case.head_links:
        found.append(f"link head of {head_link.dependent + 1} to head of {head_link.head + 1}")
    if case.head is not None:
        found.append(f"head {term_text(case.head)}")
    return found + [condition_text(c, ascii=ascii) for c in case.conditions if c not in attached]
