"""Resolves the terms and conditions of one rule: names to variables, parameters and constants, all with their types.

Mistakes are collected, and resolution goes on with `Any()` in place of what was wrong. A condition may stand where a
flag is asked for, and has terms of every type within it. Conditions may be written in any order: one may use a
variable that a later one binds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from schemata.errors import did_you_mean
from schemata.language import model as m
from schemata.language import syntax as s
from schemata.language.scope import CONSTANT_TYPES, Scope, with_article
from schemata.language.source import Span
from schemata.language.substitute import sum_of

_OPTIONAL_POSITION = m.Type("optional", (m.POSITION,))
_OPTIONAL_LABELS = m.Type("optional", (m.LABELS,))
_SWAPPED = {">": "<", ">=": "<="}


def is_about_labels(kind: m.Type | None) -> bool:
    """Whether values of a type are labels or sequences of them, or have such parts."""
    if kind is None:
        return False
    return kind.kind in ("label", "labels", "dotted labels") or any(map(is_about_labels, kind.arguments))


class Terms(Scope):
    """A scope that resolves terms of every type, and conditions made of terms.

    With `binding`, a term is a pattern that introduces variables, else an expression that only uses them.
    """

    def resolve(self, term: s.Term, expected: m.Type | None, binding: bool = False) -> m.Term:
        """Resolve a term that must have the expected type (any type where None)."""
        match term:
            case s.Name():
                return self.name(term, expected, binding)
            case s.Wildcard(span):
                return m.Any() if binding else self._no_value(span, "_", "a value")
            case s.Constant():
                return self._constant(term, expected)
            case s.Sum() | s.Length():
                linear = self._linear(term, binding)
                if isinstance(linear, m.Any):
                    return linear
                return self.fits(linear, m.POSITION, expected, term.span, "the result")
            case s.Star():
                return self._star(term, expected, binding)
            case s.ListTerm((), _) if expected in (m.LABELS, _OPTIONAL_LABELS):
                return m.Labels(())
            case s.ListTerm(elements, span):
                return self._list(elements, span, expected, binding)
            case s.TupleTerm():
                return self._tuple(term, expected, binding)
            case s.Sequence():
                return self._sequence(term, expected, binding)
            case s.Dotted(s.Name(), _, span) if is_about_labels(expected):
                if binding:
                    return self.error(span, "pattern", "a pattern computes nothing", "labels")
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
        if binding:
            message, hint = "a condition stands in a pattern", "write it as a side condition"
            return self.error(term.span, "pattern", message, "a variable or a value", hint)
        return self.fits(self.condition(term), m.FLAG, expected, term.span, "a condition")

    def _no_value(self, span: Span, sign: str, expected: str) -> m.Any:
        return self.error(span, "wildcard", f"{sign} has no value here", expected, f"{sign} only matches")

    def _constant(self, term: s.Constant, expected: m.Type | None) -> m.Term:
        if term.kind != "absent":
            shown = term.span.text if len(term.span.text) < 30 else f"this {term.kind}"
            return self.fits(m.Lit(term.value), CONSTANT_TYPES[term.kind], expected, term.span, shown)
        if expected is None or expected.kind == "optional":
            return m.Lit(None)
        hint = "only a field whose type ends in ? can be absent"
        return self.error(term.span, "wrong-type", "- is an absent value", with_article(expected), hint)

    def _star(self, term: s.Star, expected: m.Type | None, binding: bool) -> m.Term:
        name, span = term.id, term.span
        if expected == m.DOTTED_LABELS:
            shown = f"*{name} stands for labels without a dot"
            return self.error(span, "wrong-type", shown, "dotted labels", f". *{name}, or *{name} .")
        if expected == _OPTIONAL_LABELS:
            expected = m.LABELS
        if expected is not None and expected.kind not in ("list", "labels"):
            shown = f"*{name} stands for elements of a list"
            return self.error(span, "wrong-type", shown, with_article(expected))
        if name != "_":
            return self.name(s.Name(name, span), expected, binding)
        return m.Any() if binding else self._no_value(span, "*_", "a value")

    # arithmetic

    def _linear(self, term: s.Sum | s.Length, binding: bool) -> m.Term:
        """Resolve arithmetic to a constant, a variable or a linear form; Any where something is wrong."""
        parts = term.parts if isinstance(term, s.Sum) else ((1, term),)
        return sum_of(0, [(self._summand(part, binding), sign) for sign, part in parts])

    def _summand(self, part: s.Term, binding: bool) -> m.Term:
        """Resolve a number, a position or a length; Any where it is none."""
        if isinstance(part, s.Length):
            return self._length(part)
        kind = self.infer(part)
        if kind is not None and kind.kind == "optional" and isinstance(part, s.Name):
            self.wrong.add(part.id)
            message, expected = f"{part.id} may be absent", "a position that is present"
            hint = f"write {part.id} without ? in an antecedent, so that it matches present values only"
            return self.error(part.span, "wrong-type", message, expected, hint)
        return self.resolve(part, m.POSITION, binding and isinstance(part, s.Name))

    def _length(self, part: s.Length) -> m.Term:
        operand = self.resolve(part.operand, None)
        shown = "this is no list variable"
        if isinstance(operand, m.Any):
            return operand
        if isinstance(operand, m.Var) and operand.name in self.types:
            if self.types[operand.name].kind == "list":
                return m.Length(operand.name)
            shown = f"{operand.name} is a {self.types[operand.name]}"
        return self.error(part.operand.span, "wrong-type", shown, "a list variable")

    # lists, tuples, rules

    def _list(
        self, elements: Iterable[s.Term | s.Run], span: Span, expected: m.Type | None, binding: bool
    ) -> m.Term:
        if expected is None or expected.kind != "list":
            wanted = with_article(expected) if expected else "a variable on one side"
            return self.error(span, "wrong-type", "this is a list", wanted)
        return m.ListTerm(tuple(self._element(e, expected, binding) for e in elements))

    def _element(self, element: s.Term | s.Run, expected: m.Type, binding: bool) -> m.Term:
        inner = expected.arguments[0]
        match element:
            case s.Star("_", span):
                if not binding:
                    self._no_value(span, "*_", "elements")
                return m.Run(m.Any())
            case s.Star():
                value = self.resolve(element, expected, binding)
                return m.Splice(value.name) if isinstance(value, m.Var) else m.Run(m.Any())
            case s.Run(shape, span):
                if not binding:
                    self.error(span, "run", "a run of elements cannot be built", "elements")
                return m.Run(self.resolve(shape, inner, binding) if binding else m.Any())
        return self.resolve(element, inner, binding)

    def _tuple(self, term: s.TupleTerm, expected: m.Type | None, binding: bool) -> m.Term:
        count = len(term.terms)
        if expected is not None and expected.kind == "optional":
            expected = expected.arguments[0]
        if expected is None or expected.kind != "tuple":
            wanted = with_article(expected) if expected else "a variable on one side"
            return self.error(term.span, "wrong-type", f"this is a tuple of {count}", wanted)
        kinds = expected.arguments
        if count != len(kinds):
            message = f"this tuple has {count} parts, not {len(kinds)}"
            return self.error(term.span, "wrong-arity", message, str(expected))
        return m.TupleTerm(tuple(self.resolve(t, k, binding) for t, k in zip(term.terms, kinds, strict=True)))

    def _dotted(self, term: s.Dotted, expected: m.Type | None, binding: bool) -> m.Term:
        if expected is None or expected.kind != "dotted":
            wanted = with_article(expected) if expected else "a value"
            return self.error(term.span, "wrong-type", "this is a rule of the grammar", wanted)
        dots = len(term.parts) - 1
        if dots != expected.dots:
            message = f"this rule has {dots} dot{'s' * (dots != 1)}, not {expected.dots}"
            shown = "A(*alpha . *beta)" if expected.dots == 1 else "A(*alpha . *beta . *gamma)"
            return self.error(term.span, "wrong-arity", message, shown)
        category = self.resolve(term.category, m.SYMBOL, binding)
        parts = (self._list(part, term.span, m.SYMBOLS, binding) for part in term.parts)
        return m.TupleTerm((category, *parts))

    # labels

    def _sequence(self, term: s.Sequence, expected: m.Type | None, binding: bool) -> m.Term:
        """Resolve `*a . x *b`."""
        dots = len(term.parts) - 1
        if expected is not None and expected.kind == "optional":
            expected = expected.arguments[0]
        if expected is None or expected.kind not in ("labels", "dotted labels"):
            wanted = with_article(expected) if expected is not None else "a value"
            hint = "commas separate terms; a sequence is a value of a field of labels"
            return self.error(term.span, "wrong-type", "this is a sequence of labels", wanted, hint)
        wanted_dots = int(expected.kind == "dotted labels")
        if dots != wanted_dots:
            message = f"this sequence has {_dot_count(dots)}, not {_dot_count(wanted_dots)}"
            return self.error(term.span, "wrong-arity", message, "*a . *b" if wanted_dots else "x *a")
        stays = [part for side in term.parts for part in side if isinstance(part, s.Name) and part.stays]
        if stays and (binding or not dots or term.parts[0][-1:] != tuple(stays)):
            shown = stays[-1].span
            message = "a pattern moves no dot" if binding else f"{shown.text} stands not before the dot"
            return self.error(shown, "pattern", message, "x@ right before the dot of a consequent")
        sides = [[self._label_part(part, binding) for part in side] for side in term.parts]
        if binding:
            for side, written in zip(sides, term.parts, strict=True):
                starred = [w for w, p in zip(written, side, strict=True) if isinstance(p, m.Splice | m.Run)]
                if len(starred) > 1:
                    message = "where one of these ends and the other begins is open"
                    wanted = "one starred name between the ends of a sequence and its dot"
                    return self.error(starred[1].span, "pattern", message, wanted)
        parts = tuple(part for side in sides for part in side)
        return m.Labels(parts, len(sides[0]) if dots else None, bool(stays))

    def _label_part(
        self, part: s.Name | s.Star | s.Wildcard, binding: bool
    ) -> m.Var | m.Any | m.Splice | m.Run:
        match part:
            case s.Wildcard(span):
                return m.Any() if binding else self._no_value(span, "_", "a label")
            case s.Star("_", span):
                if not binding:
                    self._no_value(span, "*_", "labels")
                return m.Run(m.Any())
            case s.Star(name, span):
                value = self.name(s.Name(name, span), m.LABELS, binding)
                return m.Splice(value.name) if isinstance(value, m.Var) else m.Run(m.Any())
        value = self.name(part, m.LABEL, binding)
        return value if isinstance(value, m.Var) else m.Any()

    def _reverse(self, term: s.Dotted, expected: m.Type | None) -> m.Term:
        """Resolve `reverse(R)`."""
        assert isinstance(term.category, s.Name)
        name, place = term.category.id, term.category.span
        if name != "reverse":
            message, hint = f"there is no function {name} of labels", did_you_mean(name, ["reverse"])
            return self.error(place, "wrong-type", message, "reverse(R)", hint)
        if expected is not None and expected != m.LABELS:
            message = "this is a sequence of labels"
            return self.error(term.span, "wrong-type", message, with_article(expected))
        parts = term.parts[0] if len(term.parts) == 1 else ()
        if len(parts) != 1:
            return self.error(term.span, "wrong-arity", "reverse turns one sequence round", "reverse(R)")
        operand = self.resolve(parts[0], m.LABELS)
        return operand if isinstance(operand, m.Any) else m.Reversed(operand)

    def matches(self, term: s.Matches) -> m.Matches:
        """Resolve `x ~ y`."""
        return m.Matches(self._label(term.left), self._label(term.right))

    def _label(self, term: s.Term) -> m.Term:
        """Resolve a label, or a sequence with a dot, which stands for the label at the dot."""
        if isinstance(term, s.Sequence):
            sequence = self._sequence(term, m.DOTTED_LABELS, binding=False)
            return m.AtDot(sequence) if isinstance(sequence, m.Labels) else m.Any()
        if isinstance(term, s.Name):
            return self.name(term, m.LABEL, False)
        shown = term.span.text if len(term.span.text) < 30 else "this"
        return self.error(term.span, "wrong-type", f"{shown} is no label", "a label of a sequence")

    # conditions

    def condition(self, term: s.Condition, binding: bool = False) -> m.Term:
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
                return self.matches(term)
        assert not isinstance(term, STEP_CONDITIONS)
        return self.resolve(term, m.FLAG)

    def _comparison(self, term: s.Comparison, binding: bool) -> m.Term:
        parts: list[m.Term] = []
        for left, relation, right in zip(term.operands, term.relations, term.operands[1:], strict=False):
            if relation in ("==", "!="):
                binds = binding and relation == "==" and len(term.relations) == 1
                sides = self._equated(left, right, binds)
                parts.append(m.Compare("==" if relation == "==" else "!=", *sides))
                continue
            low, high = (self.resolve(t, _OPTIONAL_POSITION) for t in (left, right))
            if relation in _SWAPPED:
                low, high = high, low
            parts.append(m.Compare("<" if relation in ("<", ">") else "<=", low, high))
        return parts[0] if len(parts) == 1 else m.Junction("and", tuple(parts))

    def _equated(self, left: s.Term, right: s.Term, binding: bool) -> tuple[m.Term, m.Term]:
        one, two = self.infer(left), self.infer(right)
        kind = one or two
        if kind is None:
            before = len(self.problems)
            value = self.resolve(left, None)
            return value, self.resolve(right, None) if len(self.problems) == before else m.Any()
        as_is = kind.kind in ("optional", "list") or is_about_labels(kind)
        wide = kind if as_is else m.Type("optional", (kind,))
        binds = [
            binding and k is None and isinstance(t, s.Name | s.Star) for t, k in ((left, one), (right, two))
        ]
        value = self.resolve(left, kind if binds[0] else wide, binds[0])
        return value, self.resolve(right, kind if binds[1] else wide, binds[1])

    def _membership(self, element: s.Term, region: s.Region, binding: bool) -> m.Term:
        where = self._region(region)
        kind_of_element = self.infer(element)
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
            case s.Interval():
                return self._interval(region)
            case s.Difference(left, right):
                rest = self._region(left)
                taken = self._list_variable(right, "[l..r] or a list of intervals", intervals=True)
                return m.Without(rest, taken)
            case s.Name():
                return self._list_variable(region, "[i..j] or a list variable", intervals=False)

    def _interval(self, interval: s.Interval) -> m.Interval:
        """Resolve an interval, whose ends may be absent."""
        ends = (self.resolve(end, _OPTIONAL_POSITION) for end in (interval.low, interval.high))
        return m.Interval(*ends)

    def _list_variable(
        self, region: s.Interval | s.Name, expected: str, intervals: bool
    ) -> m.Interval | m.Var:
        """Resolve an interval or a name that stands for a list, of `intervals` where so; else report it."""
        if isinstance(region, s.Interval):
            return self._interval(region)
        value = self.name(region, None, binding=False)
        if isinstance(value, m.Var) and (kind := self.type_of(value.name)):
            if kind.intervals if intervals else kind.kind == "list":
                return value
            self.error(region.span, "wrong-type", f"{region.id} is a {kind}", expected)
        elif not isinstance(value, m.Any):
            self.error(region.span, "wrong-type", f"{region.id} is a number", expected)
        return m.Interval(m.Any(), m.Any())

    def _state(self, term: s.StateTest) -> m.Term:
        kind = self.infer(term.operand)
        value = self.resolve(term.operand, None)
        if isinstance(value, m.Any):
            return value
        place, shown = term.operand.span, term.operand.span.text
        if term.state == "absent":
            if kind is None or kind.kind != "optional":
                message, hint = (
                    f"{shown} is never absent",
                    f"write {shown}? where it may match an absent value",
                )
                return self.error(place, "wrong-type", message, "an optional variable", hint)
            test: m.Term = m.IsAbsent(value)
        elif kind == m.LABELS:
            test = m.Compare("==", value, m.Labels(()))
        elif kind is not None and kind.kind == "list" and isinstance(value, m.Var):
            test = m.Compare("==", m.Length(value.name), m.Lit(0))
        else:
            return self.error(place, "wrong-type", f"{shown} is no list", "a list variable")
        return m.Not(test) if term.negated else test

    def misplaced(self, condition: s.Condition, message: str, hint: str = "write it beside a step") -> None:
        """Report a condition that only steps have."""
        expected = "a comparison, a flag or membership"
        self.error(condition.span, "misplaced-condition", message, expected, hint)
        self.doubt(condition)

    # conditions on the grammar

    def grammar_condition(self, condition: s.GrammarCondition) -> m.Condition:
        """Resolve a condition on the grammar; its names are bound where they are free."""
        if condition.relation == "rule":
            (rule,) = condition.terms
            assert isinstance(rule, s.Dotted)
            if len(rule.parts) != 1:
                message = "a rule of the grammar has no dots"
                self.error(condition.span, "wrong-arity", message, "rule A(*alpha)")
                self.doubt(rule)
                return m.RootCategory(m.Any())
            body = self._list(rule.parts[0], condition.span, m.SYMBOLS, binding=True)
            category = self.resolve(rule.category, m.SYMBOL, binding=True)
            return m.HasRule(category, body if isinstance(body, m.ListTerm) else m.ListTerm(()))
        node, kinds = _RELATIONS[condition.relation]
        pairs = zip(condition.terms, kinds, strict=True)
        return node(*(self.resolve(t, kind, _may_bind(t, kind)) for t, kind in pairs))


# The conditions on the grammar, and the types of their terms; symbols and labels are bound where they are free.
_RELATIONS: Mapping[s.GrammarRelation, tuple[Callable[..., m.Condition], tuple[m.Type, ...]]] = {
    "root": (m.RootCategory, (m.SYMBOL,)),
    "category": (m.HasCategory, (m.POSITION, m.SYMBOL)),
    "corner": (m.LeftCorner, (m.SYMBOL, m.SYMBOL)),
    "disjunct": (m.HasDisjunct, (m.LABELS, m.LABELS, m.POSITION)),
}
STEP_CONDITIONS = (s.LinkCondition, s.LinkHeads, s.HeadOfBuilt, s.JoinCondition, s.GrammarCondition)


def _may_bind(term: s.Term, kind: m.Type) -> bool:
    return kind == m.LABELS or (kind == m.SYMBOL and isinstance(term, s.Name))


def _dot_count(dots: int) -> str:
    return f"{dots or 'no'} dot{'s' * (dots != 1)}"


# The order of conditions --------------------------------------------------------------------------------------


def conjuncts(conditions: Sequence[s.Condition]) -> tuple[s.Condition, ...]:
    """Return conditions with those joined by `and` taken apart: `a, b and c` says the same as `a, b, c`."""
    parts: list[s.Condition] = []
    for condition in conditions:
        if isinstance(condition, s.Junction) and condition.word == "and":
            parts += conjuncts(condition.operands)
        else:
            parts.append(condition)
    return tuple(parts)


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
            return scope.infer(dependent) is None and scope.infer(head) is None
    return False


def _ready(condition: s.Condition, scope: Terms) -> bool:
    free = {name.id for name in s.names_in(condition) if not scope.knows(name.id)}
    return free <= _binds(condition, scope)


def _binds(condition: s.Condition, scope: Terms) -> set[str]:
    """Return the variables that a condition can introduce now."""
    match condition:
        case s.LinkCondition(dependent, head, True):
            return _bare(dependent) | _bare(head)
        case s.GrammarCondition("rule", terms):
            return {name.id for name in s.names_in(terms)}
        case s.GrammarCondition(relation, terms):
            pairs = zip(terms, _RELATIONS[relation][1], strict=True)
            return {name for term, kind in pairs if kind == m.SYMBOL for name in _bare(term)}
        case s.Comparison((left, right), ("==",)):
            if scope.infer(left) is None:
                return _bare(left) if scope.infer(right) is not None else set()
            return _bare(right)
        case s.Membership(element, region, False):
            return _bare(element) - {name.id for name in s.names_in(region)}
    return set()


def _bare(term: s.Term) -> set[str]:
    return {term.id} if isinstance(term, s.Name | s.Star) else set()
