"""Formulas in n that a student writes: numbers, n, + - * / ^, parentheses, C(n, k). Nothing of them is executed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import comb
from typing import TypeAlias
from unicodedata import normalize

from schemata.errors import UsageError

LengthFormula: TypeAlias = Callable[[Mapping[str, int]], Fraction]
_TOKEN = re.compile(r"\s*(?:(?P<number>\d{1,9}(?:\.\d{1,9})?)|(?P<name>[A-Za-z]+)|(?P<mark>\*\*|[-+*/^(),]))")
_AS_PRINTED = str.maketrans("−–·×⋅÷", "--***/")
_RAISED = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_GREATEST = 40  # of exponents, and of the arguments of C
_DEEPEST = 50
_LONGEST = 300  # characters
_EXPECTED = "a number, or a formula in n, such as n*(n+1)/2 or 3*C(n+1, 2)"


def read_formula(text: str, names: Sequence[str]) -> LengthFormula:
    """Return the function that a formula says.

    Parameters
    ----------
    text : the formula.
    names : the variables it may have.

    Raises
    ------
    UsageError : it is not a formula. When it is applied: a division by zero, or a number that is too large.

    >>> read_formula("3*C(n+1, 2) - n^2/2", ["n"])({"n": 4})
    Fraction(22, 1)
    """
    tokens, at = list[str](), 0
    if len(text) > _LONGEST:
        raise _wrong(text, f"it has more than {_LONGEST} characters")
    text = _RAISED.sub(lambda raised: f"^{normalize('NFKC', raised[0])}", text.translate(_AS_PRINTED))
    while at < len(text.rstrip()):
        found = _TOKEN.match(text, at)
        if found is None:
            raise _wrong(text, f"{text[at:].strip()[:1]!r} does not belong there")
        tokens.append(found[0].strip())
        at = found.end()
    reader = _FormulaReader(text.strip(), tokens, names)
    formula = reader.sum(0)
    if reader.tokens:
        raise _wrong(text, f"{reader.tokens[0]} does not belong there")
    return formula


def _wrong(text: str, why: str) -> UsageError:
    shown = text.strip()
    shown = shown if len(shown) < 60 else f"{shown[:57]}..."
    return UsageError(f"{shown!r} is not a formula: {why}", code="bad-formula", expected=_EXPECTED)


class _FormulaReader:
    """Reads the tokens of a formula from left to right; products bind closer than sums, powers closer than both."""

    def __init__(self, text: str, tokens: list[str], names: Sequence[str]) -> None:
        self.text, self.tokens, self.names = text, tokens, names

    def next(self) -> str:
        return self.tokens[0] if self.tokens else ""

    def take(self, *marks: str) -> str:
        return self.tokens.pop(0) if self.tokens and self.tokens[0] in marks else ""

    def require(self, mark: str) -> None:
        if not self.take(mark):
            raise _wrong(self.text, f"expected {mark}")

    def sum(self, depth: int) -> LengthFormula:
        if depth > _DEEPEST:
            raise _wrong(self.text, "it is nested too deeply")
        sign = self.take("-", "+")
        terms = [(sign == "-", self.product(depth))]
        while sign := self.take("-", "+"):
            terms.append((sign == "-", self.product(depth)))
        return lambda n: sum((-term(n) if minus else term(n) for minus, term in terms), Fraction(0))

    def product(self, depth: int) -> LengthFormula:
        factors = [(False, self.power(depth))]
        while True:
            sign = self.take("*", "/")
            if not sign and not (self.next() == "(" or self.next().isalpha()):  # 3n, n(n+1)
                break
            factors.append((sign == "/", self.power(depth)))

        def value(n: Mapping[str, int]) -> Fraction:
            found = Fraction(1)
            for over, factor in factors:
                part = factor(n)
                if over and not part:
                    raise _wrong(self.text, "it divides by zero")
                found = found / part if over else found * part
            return found

        return value

    def power(self, depth: int) -> LengthFormula:
        base = self.atom(depth)
        if not self.take("^", "**"):
            return base
        exponent = self.atom(depth)

        def value(n: Mapping[str, int]) -> Fraction:
            one, many = base(n), exponent(n)
            if many.denominator != 1 or not 0 <= many <= _GREATEST or abs(one) > 10**9:
                raise _wrong(self.text, f"an exponent is not a whole number from 0 to {_GREATEST}")
            return one ** int(many)

        return value

    def atom(self, depth: int) -> LengthFormula:
        token = self.next()
        if token[:1].isdecimal():
            self.tokens.pop(0)
            return lambda n: Fraction(token)
        if self.take("("):
            inner = self.sum(depth + 1)
            self.require(")")
            return inner
        if token in self.names:
            self.tokens.pop(0)
            return lambda n: Fraction(n[token])
        if self.take("C"):
            self.require("(")
            above = self.sum(depth + 1)
            self.require(",")
            below = self.sum(depth + 1)
            self.require(")")
            return lambda n: self.binomial(above(n), below(n))
        raise _wrong(self.text, f"{token} does not belong there" if token else "it ends too early")

    def binomial(self, above: Fraction, below: Fraction) -> Fraction:
        if above.denominator != 1 or below.denominator != 1 or not 0 <= above <= 10 * _GREATEST or below < 0:
            raise _wrong(self.text, "C is about whole numbers from 0")
        return Fraction(comb(int(above), int(below)))
