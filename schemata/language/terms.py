"""Resolves the terms and conditions of one rule: names to variables, parameters and constants, all with their types.

Mistakes are collected, and resolution goes on with `Any()` in place of what was wrong. A condition may stand where a
flag is asked for, and has terms of every type within it. Conditions may be written in any order: one may use a
variable that a later one binds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence

from schemata.errors import did_you_mean
from schemata.language import model as m
from schemata.language import syntax as s
from schemata.language.scope import CONSTANT_TYPES, Scope, infer, with_article
from schemata.language.source import Span
from schemata.language.substitute import linear_of

Part = m.Var | m.Any | m.Splice | m.Run


def is_about_labels(kind: m.Type | None) -> bool:
    """Whether values of a type are labels or sequences of them, or have such parts."""
    if kind is None:
        return False
    return kind.kind in ("label", "labels", "dotted labels") or any(map(is_about_labels, kind.arguments))


def sequence(scope: Scope, term: s.Sequence, expected: m.Type | None, binding: bool) -> m.Term:
    """Resolve `*a . x *b`: a pattern where `binding`, else an expression."""
    dots = len(term.parts) - 1
    if expected is not None and expected.kind == "optional":
        expected = expected.arguments[0]
    if expected is None or expected.kind not in ("labels", "dotted labels"):
        wanted = with_article(str(expected)) if expected is not None else "a value"
        hint = "commas separate terms; a sequence is a value of a field of labels"
        return scope.error(term.span, "wrong-type", "this is a sequence of labels", wanted, hint)
    wanted_dots = int(expected.kind == "dotted labels")
    if dots != wanted_dots:
        shown = "*a . *b" if wanted_dots else "x *a"
        return scope.error(
            term.span, "wrong-arity", f"this sequence has {_count(dots)}, not {_count(wanted_dots)}", shown
        )
    stays = _stays(scope, term, binding)
    if stays is None:
        return m.Any()
    sides = [[_part(scope, part, binding) for part in side] for side in term.parts]
    if binding:
        for side, written in zip(sides, term.parts, strict=True):
            starred = [w for w, p in zip(written, side, strict=True) if isinstance(p, m.Splice | m.Run)]
            if len(starred) > 1:
                return scope.error(
                    starred[1].span,
                    "pattern",
                    "where one of these ends and the other begins is open",
                    "one starred name between the ends of a sequence and its dot",
                )
    parts = tuple(part for side in sides for part in side)
    return m.Labels(parts, len(sides[0]) if dots else None, stays)


def _count(dots: int) -> str:
    return f"{dots or 'no'} dot{'s' * (dots != 1)}"


def _stays(scope: Scope, term: s.Sequence, binding: bool) -> bool | None:
    """Whether a sequence has `x@` before its dot; None, with a finding, where it has one elsewhere."""
    found = [part for side in term.parts for part in side if isinstance(part, s.Stays)]
    if not found:
        return False
    first = term.parts[0]
    if binding:
        problem = "a pattern moves no dot"
    elif len(term.parts) == 1 or found[0] is not first[-1] or len(found) > 1:
        problem = f"{found[-1].span.text} stands not before the dot"
    else:
        return True
    scope.error(found[-1].span, "pattern", problem, "x@ right before the dot of a consequent")
    return None


def _part(scope: Scope, part: s.Name | s.Star | s.Wildcard | s.Stays, binding: bool) -> Part:
    match part:
        case s.Stays(name):
            part = name
        case s.Wildcard(span) if not binding:
            return scope.error(span, "wildcard", "_ has no value here", "a label", "_ only matches")
        case s.Wildcard():
            return m.Any()
        case s.Star("_", span):
            if not binding:
                scope.error(span, "wildcard", "*_ has no value here", "labels", "*_ only matches")
            return m.Run(m.Any())
        case s.Star(name, span):
            value = scope.name(s.Name(name, span), m.LABELS, binding)
            return m.Splice(value.name) if isinstance(value, m.Var) else m.Run(m.Any())
    value = scope.name(part, m.LABEL, binding)
    return value if isinstance(value, m.Var) else m.Any()


def label(scope: Scope, term: s.Term) -> m.Term:
    """Resolve one side of `x ~ y`: a label, or a sequence with a dot, which stands for the label at the dot."""
    if isinstance(term, s.Sequence):
        found = sequence(scope, term, m.DOTTED_LABELS, binding=False)
        return m.AtDot(found) if isinstance(found, m.Labels) else m.Any()
    if isinstance(term, s.Name):
        return scope.name(term, m.LABEL, False)
    return scope.error(term.span, "wrong-type", f"{_shown(term.span)} is no label", "a label of a sequence")


def matches(scope: Scope, term: s.Matches) -> m.Matches:
    """Resolve `x ~ y`."""
    return m.Matches(label(scope, term.left), label(scope, term.right))


def _shown(span: Span) -> str:
    return span.text if len(span.text) < 30 else "this"


class ValueTerms(Scope, ABC):
    """A scope that resolves terms of every type; what it makes of conditions that are terms is left open."""

    @abstractmethod
    def condition(self, term: s.Term, binding: bool = False) -> m.Term:
        """Resolve a condition made of terms; one that stands alone may bind a variable (`x == i + 1`)."""

    def resolve(self, term: s.Term, expected: m.Type | None, binding: bool = False) -> m.Term:
        """Resolve a term that must have the expected type (any type where None)."""
        match term:
            case s.Name():
                return self.name(term, expected, binding)
            case s.Wildcard(span):
                if binding:
                    return m.Any()
                return self.error(span, "wildcard", "_ has no value here", "a value", "_ only matches")
            case s.Constant():
                return self._constant(term, expected)
            case s.Sum() | s.Length():
                linear = self.linear(term, binding)
                if isinstance(linear, m.Any):
                    return linear
                return self.fits(linear, m.POSITION, expected, term.span, "the result")
            case s.Star(name, span):
                return self._star(name, span, expected, binding)
            case s.ListTerm((), _) if expected in (m.LABELS, m.Type("optional", (m.LABELS,))):
                return m.Labels(())
            case s.ListTerm(elements, span):
                return self._list(elements, span, expected, binding)
            case s.TupleTerm(terms, span):
                return self._tuple(terms, span, expected, binding)
            case s.Sequence():
                return sequence(self, term, expected, binding)
            case s.Dotted(s.Name()) if is_about_labels(expected):
                if binding:
                    return self.error(term.span, "pattern", "a pattern computes nothing", "labels")
                return self._reverse(term, expected)
            case s.Dotted():
                return self._dotted(term, expected, binding)
            case s.Run(_, span):
                return self.error(span, "run", "a run of elements stands outside a list", "a value")
            case s.Not(operand, span):
                if binding and not isinstance(operand, s.Name):
                    return self.error(span, "pattern", "a pattern computes nothing", "not and a variable")
                inner = self.resolve(operand, m.FLAG, binding)
                return self.fits(m.Not(inner), m.FLAG, expected, span, "not ...")
            case _:
                if binding:
                    return self.error(
                        term.span,
                        "pattern",
                        "a condition stands in a pattern",
                        "a variable or a value",
                        "write it as a side condition",
                    )
                return self.fits(self.condition(term), m.FLAG, expected, term.span, "a condition")

    def _constant(self, term: s.Constant, expected: m.Type | None) -> m.Term:
        if term.kind != "absent":
            shown = term.span.text if len(term.span.text) < 30 else f"this {term.kind}"
            return self.fits(m.Lit(term.value), CONSTANT_TYPES[term.kind], expected, term.span, shown)
        if expected is None or expected.kind == "optional":
            return m.Lit(None)
        return self.error(
            term.span,
            "wrong-type",
            "- is an absent value",
            with_article(str(expected)),
            "only a field whose type ends in ? can be absent",
        )

    def _star(self, name: str, span: Span, expected: m.Type | None, binding: bool) -> m.Term:
        if expected == m.DOTTED_LABELS:
            shown = f"*{name} stands for labels without a dot"
            return self.error(span, "wrong-type", shown, "dotted labels", f". *{name}, or *{name} .")
        if expected == m.Type("optional", (m.LABELS,)):
            expected = m.LABELS
        if expected is not None and expected.kind not in ("list", "labels"):
            return self.error(
                span, "wrong-type", f"*{name} stands for elements of a list", with_article(str(expected))
            )
        if name != "_":
            return self.name(s.Name(name, span), expected, binding)
        if binding:
            return m.Any()
        return self.error(span, "wildcard", "*_ has no value here", "a value", "*_ only matches")

    # arithmetic

    def linear(self, term: s.Sum | s.Length, binding: bool = False) -> m.Term:
        """Resolve arithmetic to a constant, a variable or a linear form; Any where something is wrong."""
        constant = 0
        atoms: dict[m.Var | m.Length, int] = {}
        parts = term.parts if isinstance(term, s.Sum) else ((1, term),)
        wrong = False
        for sign, part in parts:
            match self._atom(part, binding):
                case m.Lit(int() as number):
                    constant += sign * number
                case m.Var() | m.Length() as atom:
                    atoms[atom] = atoms.get(atom, 0) + sign
                case _:
                    wrong = True
        return m.Any() if wrong else linear_of(constant, atoms)

    def _atom(self, part: s.Term, binding: bool) -> m.Term:
        """Resolve one summand: a number, a position or a length; Any where it is none."""
        if isinstance(part, s.Length):
            return self._length(part)
        kind = infer(part, self)
        if kind is not None and kind.kind == "optional" and isinstance(part, s.Name):
            self.wrong.add(part.id)
            return self.error(
                part.span,
                "wrong-type",
                f"{part.id} may be absent",
                "a position that is present",
                f"write {part.id} without ? in an antecedent, so that it matches present values only",
            )
        return self.resolve(part, m.POSITION, binding and isinstance(part, s.Name))

    def _length(self, part: s.Length) -> m.Term:
        operand = self.resolve(part.operand, None)
        if isinstance(operand, m.Any):
            return operand
        if isinstance(operand, m.Var) and operand.name in self.types:
            if self.types[operand.name].kind == "list":
                return m.Length(operand.name)
            shown = f"{operand.name} is a {self.types[operand.name]}"
        else:
            shown = "this is no list variable"
        return self.error(part.operand.span, "wrong-type", shown, "a list variable")

    # lists, tuples, rules

    def _list(
        self, elements: Iterable[s.Term | s.Run], span: Span, expected: m.Type | None, binding: bool
    ) -> m.Term:
        if expected is None or expected.kind != "list":
            wanted = with_article(str(expected)) if expected else "a variable on one side"
            return self.error(span, "wrong-type", "this is a list", wanted)
        inner = expected.arguments[0]
        resolved: list[m.Term] = []
        for element in elements:
            match element:
                case s.Star("_", place):
                    if not binding:
                        self.error(place, "wildcard", "*_ has no value here", "elements", "*_ only matches")
                    resolved.append(m.Run(m.Any()))
                case s.Star():
                    value = self.resolve(element, expected, binding)
                    resolved.append(m.Splice(value.name) if isinstance(value, m.Var) else m.Run(m.Any()))
                case s.Run(shape, place):
                    if not binding:
                        self.error(place, "run", "a run of elements cannot be built", "elements")
                    resolved.append(m.Run(self.resolve(shape, inner, binding) if binding else m.Any()))
                case _:
                    resolved.append(self.resolve(element, inner, binding))
        return m.ListTerm(tuple(resolved))

    def _tuple(self, terms: tuple[s.Term, ...], span: Span, expected: m.Type | None, binding: bool) -> m.Term:
        if expected is not None and expected.kind == "optional":
            expected = expected.arguments[0]
        if expected is None or expected.kind != "tuple":
            wanted = with_article(str(expected)) if expected else "a variable on one side"
            return self.error(span, "wrong-type", f"this is a tuple of {len(terms)}", wanted)
        if len(terms) != len(expected.arguments):
            return self.error(
                span,
                "wrong-arity",
                f"this tuple has {len(terms)} parts, not {len(expected.arguments)}",
                str(expected),
            )
        return m.TupleTerm(
            tuple(self.resolve(t, kind, binding) for t, kind in zip(terms, expected.arguments, strict=True))
        )

    def _dotted(self, term: s.Dotted, expected: m.Type | None, binding: bool) -> m.Term:
        dots = len(term.parts) - 1
        if expected is None or expected.kind != "dotted":
            wanted = with_article(str(expected)) if expected else "a value"
            return self.error(term.span, "wrong-type", "this is a rule of the grammar", wanted)
        if dots != expected.dots:
            return self.error(
                term.span,
                "wrong-arity",
                f"this rule has {dots} dot{'s' * (dots != 1)}, not {expected.dots}",
                "A(*alpha . *beta)" if expected.dots == 1 else "A(*alpha . *beta . *gamma)",
            )
        category = self.resolve(term.category, m.SYMBOL, binding)
        parts = (self._list(part, term.span, m.SYMBOLS, binding) for part in term.parts)
        return m.TupleTerm((category, *parts))

    # functions of labels

    def _reverse(self, term: s.Dotted, expected: m.Type | None) -> m.Term:
        """Resolve `reverse(R)`."""
        assert isinstance(term.category, s.Name)
        if term.category.id != "reverse":
            return self.error(
                term.category.span,
                "wrong-type",
                f"there is no function {term.category.id} of labels",
                "reverse(R)",
                did_you_mean(term.category.id, ["reverse"]),
            )
        if expected is not None and expected != m.LABELS:
            return self.error(
                term.span, "wrong-type", "this is a sequence of labels", with_article(str(expected))
            )
        parts = term.parts[0] if len(term.parts) == 1 else ()
        if len(parts) != 1:
            return self.error(term.span, "wrong-arity", "reverse turns one sequence round", "reverse(R)")
        operand = self.resolve(parts[0], m.LABELS)
        return operand if isinstance(operand, m.Any) else m.Reversed(operand)


_SWAPPED = {">": "<", ">=": "<="}


class Terms(ValueTerms):
    """A scope that resolves terms, and the conditions made of terms."""

    def condition(self, term: s.Term, binding: bool = False) -> m.Term:
        """Resolve a condition made of terms; one that stands alone may bind a variable (`x == i + 1`)."""
        match term:
            case s.Junction(word, operands):
                return m.Junction(word, tuple(self.condition(o) for o in operands))
            case s.Not(operand):
                return m.Not(self.condition(operand))
            case s.Comparison():
                return self._comparison(term, binding)
            case s.Membership(element, region, negated):
                member = self._membership(element, region, binding and not negated)
                return m.Not(member) if negated else member
            case s.StateTest():
                return self._state(term)
            case s.Matches():
                return matches(self, term)
            case _:
                return self.resolve(term, m.FLAG)

    def _comparison(self, term: s.Comparison, binding: bool) -> m.Term:
        parts: list[m.Term] = []
        for left, relation, right in zip(term.operands, term.relations, term.operands[1:], strict=False):
            if relation in ("==", "!="):
                binds = binding and relation == "==" and len(term.relations) == 1
                parts.append(self._equality(relation, left, right, binds))
                continue
            low, high = self._number(left), self._number(right)
            if relation in _SWAPPED:
                low, high = high, low
            parts.append(m.Compare("<" if _SWAPPED.get(relation, relation) == "<" else "<=", low, high))
        return parts[0] if len(parts) == 1 else m.Junction("and", tuple(parts))

    def _number(self, term: s.Term) -> m.Term:
        """Resolve an operand of an order: a position, possibly an absent one."""
        return self.resolve(term, m.Type("optional", (m.POSITION,)))

    def _equality(self, relation: str, left: s.Term, right: s.Term, binding: bool) -> m.Term:
        one, two = infer(left, self), infer(right, self)
        kind = one or two
        if kind is None:
            before = len(self.problems)
            a = self.resolve(left, None)
            b = self.resolve(right, None) if len(self.problems) == before else m.Any()
            return m.Compare("==" if relation == "==" else "!=", a, b)
        wide = (
            kind
            if kind.kind in ("optional", "list") or is_about_labels(kind)
            else m.Type("optional", (kind,))
        )
        binds_left = binding and one is None and isinstance(left, s.Name | s.Star)
        binds_right = binding and two is None and isinstance(right, s.Name | s.Star)
        a = self.resolve(left, kind if binds_left else wide, binds_left)
        b = self.resolve(right, kind if binds_right else wide, binds_right)
        return m.Compare("==" if relation == "==" else "!=", a, b)

    def _taken(self, region: s.Interval | s.Name) -> m.Interval | m.Var:
        """Resolve what is taken away from a region: an interval or a list of intervals."""
        if isinstance(region, s.Interval):
            return m.Interval(self._number(region.low), self._number(region.high))
        value = self.name(region, None, binding=False)
        if isinstance(value, m.Var) and (kind := self.type_of(value.name)):
            if kind.intervals:
                return value
            self.error(region.span, "wrong-type", f"{region.id} is a {kind}", "[l..r] or a list of intervals")
        elif not isinstance(value, m.Any):
            self.error(region.span, "wrong-type", f"{region.id} is a number", "[l..r] or a list of intervals")
        return m.Interval(m.Any(), m.Any())

    def _membership(self, element: s.Term, region: s.Region, binding: bool) -> m.Term:
        where = self._region(region)
        kind_of_element = infer(element, self)
        if kind_of_element is not None and kind_of_element.intervals and isinstance(where, m.Interval):
            return m.AllWithin(self.resolve(element, kind_of_element), where)
        kind = m.POSITION
        if isinstance(where, m.Var):
            kind = self.types[where.name].arguments[0]
        elif isinstance(region, s.Name):
            self.doubt(element)
            return m.Any()
        binds = binding and isinstance(element, s.Name) and not self.knows(element.id)
        wide = kind if binds or kind.kind == "optional" else m.Type("optional", (kind,))
        return m.Member(self.resolve(element, wide, binds), where)

    def _region(self, region: s.Region) -> m.Region:
        match region:
            case s.Interval(low, high):
                return m.Interval(self._number(low), self._number(high))
            case s.Difference(left, right):
                return m.Without(self._region(left), self._taken(right))
            case s.Name(name, span):
                value = self.name(region, None, binding=False)
                if isinstance(value, m.Var) and (kind := self.type_of(value.name)):
                    if kind.kind == "list":
                        return value
                    self.error(span, "wrong-type", f"{name} is a {kind}", "[i..j] or a list variable")
                elif not isinstance(value, m.Any):
                    self.error(span, "wrong-type", f"{name} is a number", "[i..j] or a list variable")
        return m.Interval(m.Any(), m.Any())

    def _state(self, term: s.StateTest) -> m.Term:
        kind = infer(term.operand, self)
        value = self.resolve(term.operand, None)
        if isinstance(value, m.Any):
            return value
        shown = term.operand.span.text
        if term.state == "empty" and kind == m.LABELS:
            test: m.Term = m.Compare("==", value, m.Labels(()))
        elif term.state == "empty":
            if kind is None or kind.kind != "list" or not isinstance(value, m.Var):
                return self.error(
                    term.operand.span, "wrong-type", f"{shown} is no list", expected="a list variable"
                )
            test = m.Compare("==", m.Length(value.name), m.Lit(0))
        elif kind is None or kind.kind != "optional":
            return self.error(
                term.operand.span,
                "wrong-type",
                f"{shown} is never absent",
                "an optional variable",
                f"write {shown}? where it may match an absent value",
            )
        else:
            test = m.IsAbsent(value)
        return m.Not(test) if term.negated else test


# Conditions of a rule ----------------------------------------------------------------------------------------


GRAMMAR_CONDITIONS = (s.RootCategory, s.GrammarRule, s.CategoryOf, s.LeftCorner, s.DisjunctOf)
STEP_CONDITIONS = (s.LinkCondition, s.LinkHeads, s.HeadOfBuilt, s.JoinCondition, *GRAMMAR_CONDITIONS)


def conjuncts(conditions: Sequence[s.Condition]) -> tuple[s.Condition, ...]:
    """Return conditions with those joined by `and` taken apart: `a, b and c` says the same as `a, b, c`."""
    found: list[s.Condition] = []
    for condition in conditions:
        if isinstance(condition, s.Junction) and condition.word == "and":
            found += conjuncts(condition.operands)
        else:
            found.append(condition)
    return tuple(found)


def in_binding_order(conditions: Sequence[s.Condition], scope: Terms) -> Iterator[tuple[int, s.Condition]]:
    """Yield conditions with their places so that each comes after those that bind its variables.

    The caller resolves each before it asks for the next. Where none can go first, they go as written.
    """
    pending = dict(enumerate(conditions))
    while pending:
        ready = [k for k, c in pending.items() if _ready(c, scope)]
        # A licence with both ends free is about positions: it waits for what may say that it is not.
        place = next((k for k in ready if not _is_open_licence(pending[k], scope)), None)
        if place is None:
            place = ready[0] if ready else next(iter(pending))
        yield place, pending.pop(place)


def _is_open_licence(condition: s.Condition, scope: Terms) -> bool:
    """Whether a condition is `licensed d to h` and nothing is known of either end."""
    match condition:
        case s.LinkCondition(dependent, head, True, False):
            return infer(dependent, scope) is None and infer(head, scope) is None
    return False


def _ready(condition: s.Condition, scope: Terms) -> bool:
    free = {name.id for name in s.names_in(condition) if not scope.knows(name.id)}
    return free <= _binds(condition, scope)


def _binds(condition: s.Condition, scope: Terms) -> set[str]:
    """Return the variables that a condition can introduce now."""
    match condition:
        case s.LinkCondition(dependent, head, True):
            return _bare(dependent) | _bare(head)
        case s.RootCategory(category) | s.CategoryOf(_, category):
            return _bare(category)
        case s.GrammarRule(rule):
            return {name.id for name in s.names_in(rule)}
        case s.LeftCorner(category, whole):
            return _bare(category) | _bare(whole)
        case s.Comparison((left, right), ("==",)):
            if infer(left, scope) is None:
                return _bare(left) if infer(right, scope) is not None else set()
            return _bare(right)
        case s.Membership(element, region, False):
            return _bare(element) - {name.id for name in s.names_in(region)}
    return set()


def _bare(term: s.Term) -> set[str]:
    return {term.id} if isinstance(term, s.Name | s.Star) else set()


def grammar_condition(
    condition: s.RootCategory | s.GrammarRule | s.CategoryOf | s.LeftCorner | s.DisjunctOf, scope: Terms
) -> m.Condition:
    """Resolve a condition on the grammar; its names are bound where they are free."""
    match condition:
        case s.RootCategory(category):
            return m.RootCategory(scope.resolve(category, m.SYMBOL, isinstance(category, s.Name)))
        case s.CategoryOf(word, category):
            return m.HasCategory(
                scope.resolve(word, m.POSITION),
                scope.resolve(category, m.SYMBOL, isinstance(category, s.Name)),
            )
        case s.LeftCorner(category, whole):
            return m.LeftCorner(
                scope.resolve(category, m.SYMBOL, isinstance(category, s.Name)),
                scope.resolve(whole, m.SYMBOL, isinstance(whole, s.Name)),
            )
        case s.DisjunctOf(right, left, word):
            return m.HasDisjunct(
                scope.resolve(right, m.LABELS, binding=True),
                scope.resolve(left, m.LABELS, binding=True),
                scope.resolve(word, m.POSITION),
            )
        case s.GrammarRule(rule, span):
            if len(rule.parts) != 1:
                scope.error(span, "wrong-arity", "a rule of the grammar has no dots", "rule A(*alpha)")
                scope.doubt(rule)
                return m.RootCategory(m.Any())
            body = scope.resolve(s.ListTerm(rule.parts[0], span), m.SYMBOLS, binding=True)
            head = scope.resolve(rule.category, m.SYMBOL, binding=True)
            return m.HasRule(head, body if isinstance(body, m.ListTerm) else m.ListTerm(()))
