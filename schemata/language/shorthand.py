"""Shorthand: families of steps, one rule for every layout of letters, and abbreviations, `define f(b, c) = b or c`.

A layout is a string of letters, no letter twice in a row. It cuts a stretch of positions into consecutive
non-empty pieces, one for each letter. In the rule, `first(a)`, `last(a)` and `gaps(a)` are the first position
of the pieces of a, the last one, and the intervals between them that belong to other letters. Each piece's
first position is a variable of its own, named by the letter and a number.

An abbreviation is expanded where it is used, before names and types are resolved: `linked(x, not y)` is read as
`x or not y`. Its body speaks of its parameters, the schema's parameters and `n` alone, so that it means the same
everywhere. Mistakes in what it stands for are reported at its definition.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from schemata.errors import did_you_mean, one_of
from schemata.language import model as m
from schemata.language import syntax as s
from schemata.language.model import nodes, rewrite
from schemata.language.parse import CONDITION_WORDS, RESERVED
from schemata.language.source import Findings, Span
from schemata.wording import quantity

LIMIT = 5_000  # members of one family
LENGTH = 60  # pieces of one layout; longer ones are taken for a family without end


def expand_family(
    step: s.StepDeclaration, environment: s.Environment, problems: Findings
) -> list[s.StepDeclaration]:
    """Return a step's members, named by the step and their layouts; the step itself where it is no family."""
    families = [c.family for c in step.cases if c.family is not None]
    if not families:
        return [step]
    if len(step.cases) > 1:
        message = "a family of steps has one rule"
        problems.report(families[0].span, "family-case", message, "a step without cases")
        return []
    (case,) = step.cases
    (family,) = families
    needed = _letters_used(case) & {x.id for x in family.letters}
    members = []
    mistakes = Findings()
    for layout in layouts(family, needed, environment, problems):
        member = _Member(family, layout, mistakes)
        members.append(replace(step, name=f"{step.name} {layout}", cases=(member.case(case),)))
    problems += dict.fromkeys(mistakes)
    return [] if mistakes else members


def layouts(family: s.Family, needed: Set[str], environment: s.Environment, problems: Findings) -> list[str]:
    """Return the layouts of a family, shortest first, then in the order of its letters.

    `needed` are the letters whose pieces the rule asks for: each occurs in every layout.
    """
    letters = [name.id for name in family.letters]
    for name in family.letters:
        if len(name.id) > 1 or letters.count(name.id) > 1:
            problems.report(name.span, "bad-letter", f"{name.id} is not a letter", "different single letters")
            return []
    for name in (*family.first, *family.last):
        if name.id not in letters:
            message = f"{name.id} is not a letter of the layout"
            problems.report_unknown(name.span, "unknown-letter", message, letters)
            return []
    bounds = [_read_bound(c, letters, environment, problems) for c in family.where]
    tests = [b for b in bounds if b is not None]
    if len(tests) < len(bounds):
        return []
    end = [name.id for name in family.last] or letters
    fitting: list[str] = []
    pending = deque([name.id for name in family.first] or letters)
    while pending:
        layout = pending.popleft()
        if not all(t.still_possible(layout) for t in tests):
            continue
        if len(layout) > LENGTH or len(pending) + len(fitting) > LIMIT:
            message = "there are too many layouts, or no end of them"
            expected = "a bound on the pieces of every letter, for example pieces(a) <= 2"
            problems.report(family.span, "endless-family", message, expected)
            return []
        if layout[-1] in end and needed <= set(layout) and all(t.holds(layout) for t in tests):
            fitting.append(layout)
        pending += [layout + letter for letter in letters if letter != layout[-1]]
    if not fitting:
        message = "no layout fulfils the conditions"
        problems.report(family.span, "empty-family", message, "at least one")
    return fitting


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
    relation: s.Relation
    number: int

    def holds(self, layout: str) -> bool:
        return s.holds([pieces(layout, self.letters), self.number], [self.relation])

    def still_possible(self, layout: str) -> bool:
        """Whether a longer layout may fulfil the condition: pieces of one letter only grow in number."""
        count = pieces(layout, self.letters)
        if self.relation in ("<=", "=="):
            return count <= self.number
        return self.relation != "<" or count < self.number


def _read_bound(
    condition: s.Condition, letters: Sequence[str], environment: s.Environment, problems: Findings
) -> _Bound | None:
    match condition:
        case s.Comparison((s.Dotted(s.Name("pieces"), (operands,)), right), (relation,)):
            names = [x.id for x in operands if isinstance(x, s.Name)]
            number = s.number_of(right, environment)
            if isinstance(number, int) and len(names) == len(operands) and set() < set(names) <= set(letters):
                return _Bound(tuple(names), relation, number)
    message = "this says nothing of a layout"
    expected = f"pieces({letters[0]}) <= a number or parameter, with letters {', '.join(letters)}"
    problems.report(condition.span, "bad-layout", message, expected)
    return None


def _letters_used(case: s.StepCase) -> set[str]:
    """Return the letters to which `first` and `last` apply, one at a time."""
    letters = set()
    for node in m.nodes((case.antecedents, case.consequent, case.conditions)):
        match node:
            case s.Dotted(s.Name("first" | "last"), ((s.Name(letter),),)):
                letters.add(letter)
    return letters


class _Member:
    """One member of a family: the rule with a layout's positions in place of its functions."""

    def __init__(self, family: s.Family, layout: str, problems: Findings) -> None:
        self.family = family
        self.layout = layout
        self.problems = problems
        # The first position of every piece, and the last of all.
        self.starts = [f"{letter}{layout[: k + 1].count(letter)}" for k, letter in enumerate(layout)] + [
            "end"
        ]

    def case(self, case: s.StepCase) -> s.StepCase:
        span = self.family.span
        positions = tuple(s.Name(x, span) for x in self.starts)
        before: list[s.Relation] = ["<"] * (len(positions) - 2)
        order = s.Comparison(positions, (*before, "<="), span)
        parts = (case.antecedents, case.consequent, case.conditions)
        antecedents, consequent, conditions = m.rewrite(parts, self._positions)
        return replace(
            case,
            antecedents=antecedents,
            consequent=consequent,
            conditions=(*conditions, order),
            family=None,
            generated=frozenset(self.starts),
        )

    def _positions(self, node: object) -> s.Term | None:
        """Return the positions that a function of the layout stands for."""
        match node:
            case s.Dotted(s.Name("first" | "last" | "gaps" as name), (operands,), span):
                pass
            case _:
                return None
        letters = [x.id for x in operands if isinstance(x, s.Name)]
        known = [x.id for x in self.family.letters]
        if not letters or len(letters) < len(operands) or not set(letters) <= set(known):
            message = f"{name} is asked of letters of the layout"
            self.problems.report(span, "unknown-letter", message, one_of(known))
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
        following = s.Name(self.starts[piece + 1], span)
        if piece == len(self.layout) - 1:
            return following
        return s.Sum(((1, following), (-1, s.Constant(1, "number", span))), span)


# Abbreviations -----------------------------------------------------------------------------------------------


def read_definitions(
    definitions: Iterable[s.Definition], relations: Iterable[str], names: Iterable[str], problems: Findings
) -> dict[str, s.Definition]:
    """Return abbreviations by name, those in their bodies expanded; reports those with mistakes.

    Parameters
    ----------
    definitions : as written, in order.
    relations : the names of declared relations.
    names : parameters of the schema, which bodies may speak of.
    """
    known: dict[str, s.Definition] = {}
    for definition in definitions:
        if _is_sound(definition, {*known, *relations}, {"n", *names}, problems):
            known[definition.name] = replace(definition, body=spelt_out(definition.body, known, problems))
    return known


def _is_sound(definition: s.Definition, taken: set[str], names: set[str], problems: Findings) -> bool:
    """Whether an abbreviation can be used; reports it if not."""
    name, before = definition.name, len(problems)
    if name in taken or name in RESERVED | CONDITION_WORDS | {"given", "reverse"}:
        problems.report(definition.span, "duplicate-definition", f"{name} is taken", "another name")
    own = [parameter.id for parameter in definition.parameters]
    free = {*own, *names}
    for used in s.names_in(definition.body):
        called = {found.id for found in _called(definition.body)}
        if used.id not in free and used.id not in called:
            message = f"{used.id} is no parameter of {name}"
            hint = did_you_mean(used.id, own)
            problems.report(used.span, "unbound-variable", message, one_of(own) if own else "n", hint)
            break
    later = [found for found in _called(definition.body) if found.id not in taken]
    for found in later:
        message = f"{found.id} is not defined before {name}"
        problems.report(
            found.span, "unknown-relation", message, "an abbreviation or relation declared before"
        )
        break
    return len(problems) == before


def _called(node: Any) -> list[s.Name]:
    """Return the names in a node that may be those of abbreviations or relations."""
    parts = map(s.application, nodes(node))
    return [part[0] for part in parts if part is not None]


def spelt_out(node: Any, known: Mapping[str, s.Definition], problems: Findings) -> Any:
    """Return a node with what abbreviations stand for in their place."""

    def change(part: Any) -> Any:
        call = s.application(part)
        definition = known.get(call[0].id) if call is not None else None
        if call is None or definition is None:
            return None
        name, terms = call
        wanted = [parameter.id for parameter in definition.parameters]
        if len(terms) != len(wanted):
            message = f"{name.id} takes {quantity(len(wanted), 'argument')}, not {len(terms)}"
            problems.report(part.span, "wrong-arity", message, f"{name.id}({', '.join(wanted)})")
            return s.Constant(True, "flag", part.span)
        given = dict(zip(wanted, (spelt_out(term, known, problems) for term in terms), strict=True))
        body = _filled(definition.body, given)
        return body[0] if len(body) == 1 else s.Junction("and", body, part.span)

    return rewrite(node, change)


def _filled(body: Any, given: Mapping[str, s.Term]) -> Any:
    """Return the body of an abbreviation with arguments in place of its parameters."""

    def change(part: Any) -> Any:
        if isinstance(part, s.Name | s.Star) and part.id in given:
            return given[part.id]
        return None

    return rewrite(body, change)
