"""Families of steps: one rule written for every layout of letters becomes one rule for each of them.

A layout is a string of letters, no letter twice in a row. It cuts a stretch of positions into consecutive
non-empty pieces, one for each letter. In the rule, `first(a)`, `last(a)` and `gaps(a)` are the first position
of the pieces of a, the last one, and the intervals between them that belong to other letters. Each piece's
first position is a variable of its own, named by the letter and a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import pairwise
from typing import Any

from schemata.errors import Diagnostic, did_you_mean, one_of
from schemata.language import syntax as s
from schemata.language.source import Span

__all__ = ["expand_family", "layouts"]

LIMIT = 5_000  # members of one family
LENGTH = 60  # pieces of one layout; longer ones are taken for a family without end
_FUNCTIONS = ("first", "last", "gaps")
_TESTS = {
    "<=": int.__le__, "<": int.__lt__, ">=": int.__ge__, ">": int.__gt__, "==": int.__eq__, "!=": int.__ne__,
}  # fmt: skip


def expand_family(
    step: s.StepDeclaration, environment: Mapping[str, int], problems: list[Diagnostic]
) -> list[s.StepDeclaration]:
    """Return a step's members, named by the step and their layouts; the step itself where it is no family."""
    families = [c.family for c in step.cases if c.family is not None]
    if not families:
        return [step]
    if len(step.cases) > 1:
        problems.append(
            families[0].span.report(
                "family-case", "a family of steps has one rule", expected="a step without cases"
            )
        )
        return []
    (case,) = step.cases
    (family,) = families
    found = layouts(family, _letters_used(case) & {x.id for x in family.letters}, environment, problems)
    members = []
    mistakes: list[Diagnostic] = []
    for layout in found:
        member = _Member(family, layout, mistakes)
        members.append(replace(step, name=f"{step.name} {layout}", cases=(member.case(case),)))
    problems += dict.fromkeys(mistakes)
    return [] if mistakes else members


def layouts(
    family: s.Family, needed: frozenset[str], environment: Mapping[str, int], problems: list[Diagnostic]
) -> list[str]:
    """Return the layouts of a family, shortest first, then in the order of its letters.

    `needed` are the letters whose pieces the rule asks for: each occurs in every layout.
    """
    letters = [name.id for name in family.letters]
    bad = [x for x in family.letters if len(x.id) > 1 or letters.count(x.id) > 1]
    if bad:
        problems.append(
            bad[0].span.report("bad-letter", f"{bad[0].id} is no letter", expected="different single letters")
        )
        return []
    for name in (*family.first, *family.last):
        if name.id not in letters:
            problems.append(
                name.span.report(
                    "unknown-letter", f"{name.id} is no letter of the layout", expected=one_of(letters),
                    hint=did_you_mean(name.id, letters),
                )
            )  # fmt: skip
            return []
    bounds = [_Bound.read(c, letters, environment, problems) for c in family.where]
    tests = [b for b in bounds if b is not None]
    if len(tests) < len(bounds):
        return []
    begin = [name.id for name in family.first] or letters
    end = [name.id for name in family.last] or letters
    found: list[str] = []
    waiting = list(begin)
    while waiting:
        layout = waiting.pop(0)
        if not all(t.still_possible(layout) for t in tests):
            continue
        if len(layout) > LENGTH or len(waiting) + len(found) > LIMIT:
            problems.append(
                family.span.report(
                    "endless-family",
                    "there are too many layouts, or no end of them",
                    expected="a bound on the pieces of every letter, for example pieces(a) <= 2",
                )
            )
            return []
        if layout[-1] in end and needed <= set(layout) and all(t.holds(layout) for t in tests):
            found.append(layout)
        waiting += [layout + letter for letter in letters if letter != layout[-1]]
    if not found:
        problems.append(
            family.span.report("empty-family", "no layout fulfils the conditions", expected="at least one")
        )
    return found


def pieces(layout: str, letters: Sequence[str]) -> int:
    """Return the number of pieces of some letters, touching ones counted once.

    >>> pieces("abgab", "a"), pieces("abgab", "ab")
    (2, 2)
    """
    inside = [x in letters for x in layout]
    return sum(1 for before, here in zip([False, *inside], inside, strict=False) if here and not before)


@dataclass(frozen=True, slots=True)
class _Bound:
    """A condition `pieces(a b) <= 3` on layouts."""

    letters: tuple[str, ...]
    relation: str
    number: int

    @classmethod
    def read(
        cls,
        condition: s.Condition,
        letters: Sequence[str],
        environment: Mapping[str, int],
        problems: list[Diagnostic],
    ) -> _Bound | None:
        match condition:
            case s.Comparison((s.Dotted(s.Name("pieces"), (operands,)), right), (relation,)):
                names = [x.id for x in operands if isinstance(x, s.Name)]
                number = _value(right, environment)
                if (
                    number is not None
                    and names
                    and len(names) == len(operands)
                    and set(names) <= set(letters)
                ):
                    return cls(tuple(names), relation, number)
        problems.append(
            condition.span.report(
                "bad-layout", "this says nothing of a layout",
                expected=f"pieces({letters[0]}) <= a number or parameter, with letters {', '.join(letters)}",
            )
        )  # fmt: skip
        return None

    def holds(self, layout: str) -> bool:
        return _TESTS[self.relation](pieces(layout, self.letters), self.number)

    def still_possible(self, layout: str) -> bool:
        """Whether a longer layout may fulfil the condition: pieces of one letter only grow in number."""
        count = pieces(layout, self.letters)
        if self.relation in ("<=", "=="):
            return count <= self.number
        return self.relation != "<" or count < self.number


def _value(term: s.Term, environment: Mapping[str, int]) -> int | None:
    match term:
        case s.Constant(int() as number, "number"):
            return number
        case s.Name(name) if name in environment:
            return environment[name]
        case s.Sum(parts):
            values = [(sign, _value(part, environment)) for sign, part in parts]
            known = [sign * value for sign, value in values if value is not None]
            return sum(known) if len(known) == len(values) else None
    return None


def _letters_used(case: s.StepCase) -> frozenset[str]:
    """Return the letters that `first` and `last` are asked of, one at a time."""
    return frozenset(
        operands[0].id
        for name, operands in _calls((case.antecedents, case.consequent, case.conditions))
        if name in ("first", "last") and len(operands) == 1
    )


def _calls(node: object) -> Iterator[tuple[str, tuple[s.Name, ...]]]:
    match node:
        case s.Dotted(s.Name(name), (operands,)) if name in _FUNCTIONS:
            yield name, tuple(x for x in operands if isinstance(x, s.Name))
        case Span():
            return
        case tuple():
            for part in node:
                yield from _calls(part)
        case _ if is_dataclass(node):
            for part in fields(node):
                yield from _calls(getattr(node, part.name))


class _Member:
    """One member of a family: the rule with a layout's positions in place of its functions."""

    def __init__(self, family: s.Family, layout: str, problems: list[Diagnostic]) -> None:
        self.family = family
        self.layout = layout
        self.problems = problems
        counts: dict[str, int] = {}
        self.starts: list[str] = []
        for letter in layout:
            counts[letter] = counts.get(letter, 0) + 1
            self.starts.append(f"{letter}{counts[letter]}")
        self.end = "end"

    def case(self, case: s.StepCase) -> s.StepCase:
        span = self.family.span
        positions = [*(s.Name(x, span) for x in self.starts), s.Name(self.end, span)]
        relations = (*["<"] * (len(positions) - 2), "<=")
        order = s.Comparison(tuple(positions), relations, span)
        return replace(
            case,
            antecedents=self._with_positions(case.antecedents),
            consequent=self._with_positions(case.consequent),
            conditions=(*self._with_positions(case.conditions), order),
            family=None,
            generated=frozenset((*self.starts, self.end)),
        )

    def _with_positions(self, node: Any) -> Any:
        """Return a syntax node with functions of the layout worked out."""
        match node:
            case s.Dotted(s.Name(name), (operands,), span) if name in _FUNCTIONS:
                return self._function(name, operands, span)
            case Span():
                return node
            case tuple():
                return tuple(self._with_positions(part) for part in node)
            case _ if is_dataclass(node) and not isinstance(node, type):
                values = {f.name: self._with_positions(getattr(node, f.name)) for f in fields(node)}
                return type(node)(**values)
        return node

    def _function(self, name: str, operands: tuple[s.Term, ...], span: Span) -> s.Term:
        letters = [x.id for x in operands if isinstance(x, s.Name)]
        known = [x.id for x in self.family.letters]
        strange = [x for x in letters if x not in known]
        if not letters or len(letters) < len(operands) or strange:
            self.problems.append(
                span.report(
                    "unknown-letter", f"{name} is asked of letters of the layout", expected=one_of(known)
                )
            )
            return s.Constant(0, "number", span)
        inside = [k for k, letter in enumerate(self.layout) if letter in letters]
        if name == "first":
            return s.Name(self.starts[inside[0]], span)
        if name == "last":
            return self._end_of(inside[-1], span)
        gaps = []
        for before, after in pairwise(inside):
            if after > before + 1:
                ends = (s.Name(self.starts[before + 1], span), self._end_of(after - 1, span))
                gaps.append(s.TupleTerm(ends, span))
        return s.ListTerm(tuple(gaps), span)

    def _end_of(self, piece: int, span: Span) -> s.Term:
        """Return the last position of a piece: the one before the next piece begins."""
        if piece == len(self.layout) - 1:
            return s.Name(self.end, span)
        return s.Sum(((1, s.Name(self.starts[piece + 1], span)), (-1, s.Constant(1, "number", span))), span)
