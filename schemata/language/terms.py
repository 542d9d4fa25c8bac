"""Resolves the terms and conditions of one rule: names to variables, parameters and constants, all with their types.

`Terms` has the names of one rule or one declaration. Patterns introduce variables, expressions only use them. One
mistake gives one finding: resolution goes on with `Any()` in place of the wrong term, and passes over names that were
reported, or that a broken part of the rule may have introduced.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from schemata.errors import did_you_mean, one_of
from schemata.language import model as m
from schemata.language import syntax as s
from schemata.language.parse import RESERVED
from schemata.language.source import Findings, SourceText, Span
from schemata.language.substitute import solved, sum_of
from schemata.language.typeset import term_text
from schemata.wording import quantity

_SWAPPED = {">": "<", ">=": "<="}
_CONDITIONS = (
    s.PathSyntax,
    s.NotSyntax,
    s.JunctionSyntax,
    s.ComparisonSyntax,
    s.Membership,
    s.StateTest,
    s.MatchesSyntax,
)


# The types of the kinds of constants; an absent value is of no type of its own.
CONSTANT_TYPES = {"number": m.POSITION, "flag": m.FLAG, "symbol": m.SYMBOL}


def _present(kind: m.Type | None) -> m.Type | None:
    """Return the type of values that are present."""
    return kind.arguments[0] if kind is not None and kind.kind == "optional" else kind


def _is_number(actual: m.Type, wanted: m.Type) -> bool:
    """Whether a number of one type may stand where one of another is expected.

    Integers may be any numbers; positions of inputs are positions, but not of other inputs.
    """
    return actual.kind == wanted.kind == "position" and (
        wanted == m.INTEGER or not actual.of or (not wanted.of and actual != m.INTEGER)
    )


def with_article(kind: m.Type | str) -> str:
    """Return the name of a type as it stands in a sentence: `a position`, `labels`."""
    name = str(kind)
    return name if name.endswith(("labels", "arcs")) else f"a{'n' * name.startswith('i')} {name}"


def is_about_labels(kind: m.Type | None) -> bool:
    """Whether values of a type are labels or sequences of them, or have such parts."""
    if kind is None:
        return False
    return kind.kind in ("label", "labels", "dotted labels") or any(map(is_about_labels, kind.arguments))


@dataclass(slots=True)
class Terms:
    """Resolves the terms of one rule; has its variables, with their types and the place each was introduced at.

    `parameters` are names with fixed values. `doubtful` names are not reported where they are unbound;
    `wrong` names stand for anything, since they were reported; `lenient` makes every name doubtful.
    `fields_of` says whose fields the names are, where none may be introduced. `relations` are those that the
    schema declares, None if some may not be known. `inputs_of` has the types of positions whose input follows from
    the rule, inferred by a trial of the whole rule. `meant` has hints for unknown names, from equations about them.

    With `binding`, a term is a pattern that introduces variables, else an expression that only uses them.
    """

    parameters: s.Environment
    problems: Findings
    types: dict[str, m.Type] = field(default_factory=dict)
    places: dict[str, Span] = field(default_factory=dict)
    doubtful: set[str] = field(default_factory=set)
    wrong: set[str] = field(default_factory=set)
    lenient: bool = False
    fields_of: str | None = None
    relations: Mapping[str, m.Relation] | None = None
    inputs: tuple[str, ...] = ()
    inputs_of: dict[str, m.Type] = field(default_factory=dict)
    is_trial: bool = False
    constructors: Mapping[str, tuple[m.Type, tuple[str, ...]]] = field(default_factory=dict)
    meant: dict[str, str] = field(default_factory=dict)

    def error(
        self, span: Span, code: str, message: str, expected: str | None = None, hint: str | None = None
    ) -> m.Any:
        """Report a mistake; return a stand-in for the wrong term."""
        self.problems.report(span, code, message, expected, hint)
        return m.Any()

    def doubt(self, node: object) -> None:
        """Assume that a part of the rule that does not parse may bind any of its names."""
        self.doubtful.update(name.id for name in s.names_in(node))

    def knows(self, name: str) -> bool:
        """Whether a name is resolved, or an error was already reported for it."""
        return self.type_of(name) is not None or name in self.wrong or name in self.constructors

    def type_of(self, name: str) -> m.Type | None:
        """Return the type of a name; None if it is not yet typed."""
        if m.is_length(name):
            return m.Type("position", of=name.removeprefix(m.LENGTH_OF))
        return m.POSITION if name == "n" or name in self.parameters else self.types.get(name)

    def infer(self, term: s.TermSyntax) -> m.Type | None:
        """Return the type that a term has whatever is expected of it, or None if that is open."""
        called, arguments = s.application(term) or (None, ())
        if called is not None and called.id in self.constructors:
            return self.constructors[called.id][0]
        if called is not None and called.id == "compose":
            return self._spans(arguments)
        match term:
            case s.Name(name) | s.Star(name):
                return None if name in self.wrong else self.type_of(name)
            case s.ConstantSyntax(_, kind):
                return CONSTANT_TYPES.get(kind)
            case s.Sum(((_, s.Name() as first), *rest)) if any(
                isinstance(x, s.TupleTermSyntax) for _, x in rest
            ):
                return self.infer(first)
            case s.Sum(parts):
                return self._type_of_sum(parts)
            case s.LengthSyntax():
                return m.POSITION
            case s.Dotted(s.Name("reverse"), ((_,),)):
                return m.LABELS
            case s.Sequence(parts):
                return m.LABELS if len(parts) == 1 else m.DOTTED_LABELS
        return m.FLAG if isinstance(term, _CONDITIONS) else None

    def _type_of_sum(self, parts: Sequence[tuple[int, s.TermSyntax]]) -> m.Type:
        """Return the type of a sum: a position of the input of which more positions are added than subtracted."""
        found = [(sign, its) for sign, part in parts if (its := self.infer(part)) is not None and its.of]
        kinds = list(dict.fromkeys(its for _, its in found))
        if len(kinds) > 1 and m.INTEGER not in kinds:
            kinds = [kind for kind in kinds if sum(sign for sign, its in found if its == kind)]
        return kinds[0] if len(kinds) == 1 else m.INTEGER if kinds else m.POSITION

    def _learn(self, term: s.TermSyntax, kind: m.Type | None) -> None:
        """Infer the input of a position that stands where one of a certain input is expected, perhaps
        in a sum.
        """
        kind = _present(kind)
        if kind is None or kind.kind != "position" or kind.of not in self.inputs:
            return
        parts = term.parts if isinstance(term, s.Sum) else ((1, term),)
        names = [
            (sign, x) for sign, x in parts if not isinstance(x, s.ConstantSyntax) and not self._is_fixed(x)
        ]
        match names:
            case [(1, s.Name(name))] if self.types.get(name, m.POSITION) == m.POSITION:
                self.inputs_of.setdefault(name, kind)

    def _is_fixed(self, term: s.TermSyntax) -> bool:
        """Whether a summand is a number whatever the rule, or the length of a list."""
        return isinstance(term, s.LengthSyntax) or (isinstance(term, s.Name) and term.id in self.parameters)

    def name(self, term: s.Name, expected: m.Type | None, binding: bool) -> m.Term:
        """Resolve a name; introduces it as a variable of the expected type where `binding`."""
        if term.id in self.wrong:
            return m.Any()
        if term.id in self.parameters:
            return self.fits(m.Lit(self.parameters[term.id]), m.POSITION, expected, term)
        if term.id == "n":
            return self.fits(m.Var("n"), m.POSITION, expected, term)
        if m.is_length(term.id):
            return self._length_of_input(term, expected)
        known = self.types.get(term.id)
        if known is None:
            if not binding or expected is None:
                return self._unknown(term)
            return self._introduce(term, expected)
        if binding and known.kind == "optional" and not term.optional:
            known = self.types[term.id] = known.arguments[0]
        return self.fits(m.Var(term.id, known.kind == "optional"), known, expected, term)

    def _length_of_input(self, term: s.Name, expected: m.Type | None) -> m.Term:
        """Resolve `n of source`: for the last input, the length of all inputs together less those of the others."""
        name = term.id.removeprefix(m.LENGTH_OF)
        if not self.problems.knows(term.span, "unknown-input", name, self.inputs, "input source, target"):
            return m.Any()
        return self.fits(m.Var(term.id), m.Type("position", of=name), expected, term)

    def _introduce(self, term: s.Name, expected: m.Type) -> m.Term:
        if term.id in RESERVED:
            self.wrong.add(term.id)
            message = f"{term.id} is a word of the language and names no variable"
            return self.error(term.span, "reserved-word", message, "another name")
        kind = expected if term.optional else _present(expected) or expected
        if kind == m.POSITION:
            kind = self.inputs_of.get(term.id, kind)
        self.types[term.id] = kind
        self.places[term.id] = term.span
        return m.Var(term.id, kind.kind == "optional")

    def _unknown(self, term: s.Name) -> m.Any:
        if self.lenient or term.id in self.doubtful:
            return m.Any()
        self.wrong.add(term.id)
        names = [*self.types, *self.parameters, "n"]
        hint = self.meant.get(term.id) or did_you_mean(
            term.id, [*names, *({term.id.lower()} & {"true", "false"})]
        )
        if hint is None and term.id in ("epsilon", "eps", "lambda"):
            hint = "for no symbols nothing is written, as in A(. B) or A()"
        if self.fields_of:
            message = f"{term.id} is not a field of {self.fields_of}"
            return self.error(term.span, "unknown-field", message, one_of(names), hint)
        message, expected = f"variable {term.id} is bound nowhere", "a variable of the item, a parameter or n"
        if self.fields_of is None:
            expected = "a variable of an antecedent, or one that a condition binds"
        return self.error(term.span, "unbound-variable", message, expected, hint)

    def fits(
        self, term: m.Term, actual: m.Type, expected: m.Type | None, place: s.Name | Span, shown: str = ""
    ) -> m.Term:
        """Return a term of a type where the expected one accepts it; else report it."""
        if expected == actual:
            return term
        wanted = _present(expected)
        if wanted is None or wanted == actual or _is_number(actual, wanted):
            return term
        hint = None
        if isinstance(place, s.Name):
            shown = place.id
            self.types.pop(shown, None)
            self.wrong.add(shown)
            if actual.kind == "optional" and actual.arguments[0] == expected:
                hint = f"write {shown} without ? in an antecedent, so that it matches present values only"
        kind = "number" if shown.isdecimal() else str(actual)
        if actual.kind == "optional":
            kind = f"{actual.arguments[0]} that may be absent"
        span = place.span if isinstance(place, s.Name) else place
        message = f"{shown} is {with_article(kind)}"
        return self.error(span, "wrong-type", message, with_article(wanted), hint)

    # terms

    def resolve(self, term: s.TermSyntax, expected: m.Type | None, binding: bool = False) -> m.Term:
        """Resolve a term that must have the expected type (any type where None)."""
        wanted = _present(expected)
        if self.inputs:
            self._learn(term, expected)
        if wanted is not None and "" in dict(wanted.constructors) and self.infer(term) == m.SYMBOL:
            return m.TupleTerm((m.Lit(m.CONSTRUCTOR), self.resolve(term, m.SYMBOL, binding)))
        call = s.application(term)
        if call is not None and call[0].id in self.constructors:
            return self._constructed(term.span, *call, expected, binding)
        if call is not None and call[0].id == "compose":
            return self._composed(term.span, call[1], expected, binding)
        is_rule = wanted is not None and (wanted.kind == "dotted" or is_about_labels(wanted))
        if call is not None and not is_rule:
            return self._no_term(call[0].id, len(call[1]), term.span)
        match term:
            case s.Name():
                return self.name(term, expected, binding)
            case s.Wildcard():
                return m.Any() if binding else self._no_value(term.span, "_", "a value")
            case s.ConstantSyntax():
                return self._constant(term, expected)
            case s.Sum() if expected == m.ARCS:
                return self._with_arcs(term, binding)
            case s.Sum() | s.LengthSyntax():
                linear = self._linear(term, binding)
                if isinstance(linear, m.Any):
                    return linear
                return self.fits(linear, self.infer(term) or m.POSITION, expected, term.span, "the result")
            case s.Star():
                return self._star(term, expected, binding)
            case s.ListTermSyntax(()) if _present(expected) == m.LABELS:
                return m.Labels(())
            case s.ListTermSyntax(elements):
                return self._list(elements, term.span, expected, binding)
            case s.TupleTermSyntax():
                return self._tuple(term, expected, binding)
            case s.Sequence():
                return self._sequence(term, expected, binding)
            case s.Dotted(s.Name(), _, span=span) if is_about_labels(expected):
                if binding:
                    return self.error(span, "pattern", "a pattern computes nothing", "labels")
                return self._reverse(term, expected)
            case s.Dotted():
                return self._dotted(term, expected, binding)
            case s.FactSyntax(relation, parts, span=span):
                return self._no_term(relation.span.text, len(parts), span)
            case s.RunSyntax(span=span):
                return self.error(span, "run", "a run of elements stands outside a list", "a value")
            case s.NotSyntax(operand, span=span):
                if binding and not isinstance(operand, s.Name):
                    return self.error(span, "pattern", "a pattern computes nothing", "not and a variable")
                inner = self.resolve(operand, m.FLAG, binding)
                return self.fits(m.Not(inner), m.FLAG, expected, span, "not ...")
        if binding:
            message, hint = "a condition stands in a pattern", "write it as a side condition"
            return self.error(term.span, "pattern", message, "a variable or a value", hint)
        return self.fits(self.condition(term), m.FLAG, expected, term.span, "a condition")

    def _no_term(self, called: str, count: int, span: Span) -> m.Any:
        """Report a misplaced relation of the grammar, or a term without a declared type."""
        if called in (self.relations or {}):
            hint = "a relation of the grammar is a condition by itself: name(A, B), or not name(A, B)"
            return self.error(span, "wrong-type", "this is a relation of the grammar", "a term", hint)
        parts = ["category"] * count
        shown = f"{called}({', '.join(parts)})" if called[:1].isalpha() else f" {called} ".join(parts)
        hint = did_you_mean(called, self.constructors) or f"declare it: type category = symbol | {shown}"
        if called in ("min", "max"):
            hint = "write two steps, one with i <= j and one with i > j"
        return self.error(
            span, "unknown-type", f"no type has terms with {called}", "a term of a declared type", hint
        )

    def _no_value(self, span: Span, sign: str, expected: str) -> m.Any:
        return self.error(span, "wildcard", f"{sign} has no value here", expected, f"{sign} only matches")

    def _unexpected(
        self,
        span: Span,
        what: str,
        expected: m.Type | None,
        otherwise: str = "a variable on one side",
        hint: str | None = None,
    ) -> m.Any:
        """Report a term that cannot be of the expected type, with `otherwise` if any type is expected."""
        return self.error(span, "wrong-type", what, with_article(expected) if expected else otherwise, hint)

    def _constant(self, term: s.ConstantSyntax, expected: m.Type | None) -> m.Term:
        if term.kind != "absent":
            shown = term.span.text if len(term.span.text) < 30 else f"this {term.kind}"
            return self.fits(m.Lit(term.value), CONSTANT_TYPES[term.kind], expected, term.span, shown)
        if expected is None or expected.kind == "optional":
            return m.Lit(None)
        hint = "only a field whose type ends in ? can be absent"
        return self._unexpected(term.span, "- is an absent value", expected, hint=hint)

    def _star(self, term: s.Star, expected: m.Type | None, binding: bool) -> m.Term:
        name, span = term.id, term.span
        if expected == m.DOTTED_LABELS:
            shown = f"*{name} stands for labels without a dot"
            return self.error(span, "wrong-type", shown, "dotted labels", f". *{name}, or *{name} .")
        if _present(expected) == m.LABELS:
            expected = m.LABELS
        if expected is not None and expected.kind not in ("list", "labels"):
            return self._unexpected(span, f"*{name} stands for elements of a list", expected)
        if name != "_":
            return self.name(s.Name(name, span=span), expected, binding)
        return m.Any() if binding else self._no_value(span, "*_", "a value")

    # arithmetic

    def _linear(self, term: s.Sum | s.LengthSyntax, binding: bool) -> m.Term:
        """Resolve arithmetic to a constant, a variable or a linear form; Any where something is wrong."""
        parts = term.parts if isinstance(term, s.Sum) else ((1, term),)
        return sum_of(0, [(self._summand(part, binding), sign) for sign, part in parts])

    def _summand(self, part: s.TermSyntax, binding: bool) -> m.Term:
        """Resolve a number, a position or a length; other terms become Any."""
        if isinstance(part, s.LengthSyntax):
            return self._length(part)
        kind = self.infer(part)
        if kind is not None and kind.kind == "optional" and isinstance(part, s.Name):
            self.wrong.add(part.id)
            message, expected = f"{part.id} may be absent", "a position that is present"
            hint = f"write {part.id} without ? in an antecedent, so that it matches present values only"
            return self.error(part.span, "wrong-type", message, expected, hint)
        number = kind if kind is not None and kind.kind == "position" else m.POSITION
        return self.resolve(part, number, binding and isinstance(part, s.Name))

    def _length(self, part: s.LengthSyntax) -> m.Term:
        operand = self.resolve(part.operand, None)
        shown = "this is not a list variable"
        if isinstance(operand, m.Any):
            return operand
        if isinstance(operand, m.Var) and operand.name in self.types:
            if self.types[operand.name].kind == "list":
                return m.Length(operand.name)
            shown = f"{operand.name} is a {self.types[operand.name]}"
        return self.error(part.operand.span, "wrong-type", shown, "a list variable")

    # lists, tuples, rules

    def _list(
        self,
        elements: Sequence[s.TermSyntax | s.RunSyntax],
        span: Span,
        expected: m.Type | None,
        binding: bool,
    ) -> m.Term:
        if expected is None or expected.kind != "list":
            return self._unexpected(span, "this is a list", expected)
        match elements:
            case [s.IntervalSyntax(low, high, span=at)]:
                if binding or expected.arguments != (m.POSITION,):
                    what = "these are the positions of a list that is put together"
                    return self._unexpected(at, what, expected)
                return m.Positions(*(self.resolve(end, m.POSITION) for end in (low, high)))
        if expected.arcs and not binding and elements:
            return self.error(span, "pattern", "arcs in a row are a pattern", "<>, A or A + (i under j)")
        return m.ListTerm(tuple(self._element(e, expected, binding) for e in elements))

    def _with_arcs(self, term: s.Sum, binding: bool) -> m.Term:
        """Resolve `A + (i under j)`."""
        (_, first), *rest = term.parts
        arcs = self.resolve(first, m.ARCS)
        if binding or not all(sign > 0 and isinstance(part, s.TupleTermSyntax) for sign, part in rest):
            wanted = "a variable" if binding else "A + (i under j)"
            return self.error(term.span, "wrong-type", "this adds no arcs to a set", wanted)
        for _, part in rest:
            arc = self.resolve(part, m.ARCS.arguments[0])
            arcs = m.WithArc(arcs, arc) if isinstance(arc, m.TupleTerm) else arcs
        return arcs

    def _element(self, element: s.TermSyntax | s.RunSyntax, expected: m.Type, binding: bool) -> m.Term:
        inner = expected.arguments[0]
        match element:
            case s.Star():
                return self._splice(element, expected, binding, "elements")
            case s.RunSyntax(shape, span=span):
                if not binding:
                    self.error(span, "run", "a run of elements cannot be built", "elements")
                return m.Run(self.resolve(shape, inner, binding) if binding else m.Any())
        return self.resolve(element, inner, binding)

    def _splice(self, star: s.Star, expected: m.Type, binding: bool, what: str) -> m.Splice | m.Run:
        """Resolve a sequence variable among other elements."""
        if star.id == "_" and not binding:
            self._no_value(star.span, "*_", what)
        value = self._star(star, expected, binding) if star.id != "_" else m.Any()
        return m.Splice(value.name) if isinstance(value, m.Var) else m.Run(m.Any())

    def _tuple(self, term: s.TupleTermSyntax, expected: m.Type | None, binding: bool) -> m.Term:
        count, expected = len(term.terms), _present(expected)
        if expected is None or expected.kind != "tuple":
            return self._unexpected(term.span, f"this is a tuple of {count}", expected)
        kinds = expected.arguments
        if count != len(kinds):
            message = f"this tuple has {count} parts, not {len(kinds)}"
            return self.error(term.span, "wrong-arity", message, str(expected))
        return m.TupleTerm(tuple(self.resolve(t, k, binding) for t, k in zip(term.terms, kinds, strict=True)))

    def _constructed(
        self, span: Span, name: s.Name, terms: Sequence[s.TermSyntax], expected: m.Type | None, binding: bool
    ) -> m.Term:
        """Resolve `X/Y` or `pair(X, A)`, a term of a type that the schema declares."""
        kind, arguments = self.constructors[name.id]
        if len(terms) != len(arguments):
            message = f"{name.id} has {quantity(len(arguments), 'part')}, not {len(terms)}"
            return self.error(span, "wrong-arity", message, f"{name.id}({', '.join(arguments)})")
        kinds = (kind if argument == kind.of else m.SYMBOL for argument in arguments)
        parts = (self.resolve(t, k, binding) for t, k in zip(terms, kinds, strict=True))
        built = m.TupleTerm((m.Lit(m.CONSTRUCTOR + name.id), *parts))
        return self.fits(built, kind, expected, span, span.text if len(span.text) < 30 else "this term")

    def _composed(
        self, span: Span, terms: Sequence[s.TermSyntax], expected: m.Type | None, binding: bool
    ) -> m.Term:
        """Resolve `compose(F, S, T)`."""
        if binding or len(terms) < 2:
            message = "a pattern computes nothing" if binding else "there is nothing to compose"
            wanted = "compose(F, S, T) below the line, S and T lists of spans"
            return self.error(span, "pattern", message, wanted)
        function, *lists = terms
        spans = self._spans(terms)
        parts = tuple(self.resolve(part, spans) for part in lists)
        built = m.Composed(self.resolve(function, m.SYMBOL), parts)
        return self.fits(built, spans, expected, span, "compose(...)")

    def _spans(self, terms: Sequence[s.TermSyntax]) -> m.Type:
        """Return the type of the lists that `compose` concatenates: lists of spans, perhaps of one input."""
        known = [m.spans_of(kind) for kind in (m.POSITION, *(m.Type("position", of=x) for x in self.inputs))]
        return next((found for found in map(self.infer, terms[1:]) if found in known), m.SPANS)

    def _dotted(self, term: s.Dotted, expected: m.Type | None, binding: bool) -> m.Term:
        if expected is None or expected.kind != "dotted":
            return self._unexpected(term.span, "this is a rule of the grammar", expected, "a value")
        dots = len(term.parts) - 1
        if dots != expected.dots:
            message = f"this rule has {quantity(dots, 'dot')}, not {expected.dots}"
            shown = "A(*alpha . *beta)" if expected.dots == 1 else "A(*alpha . *beta . *gamma)"
            return self.error(term.span, "wrong-arity", message, shown)
        category = self.resolve(term.category, m.SYMBOL, binding)
        parts = (self._list(part, term.span, m.SYMBOLS, binding) for part in term.parts)
        return m.TupleTerm((category, *parts))

    # labels

    def _sequence(self, term: s.Sequence, expected: m.Type | None, binding: bool) -> m.Term:
        """Resolve `*a . x *b`."""
        dots, expected = len(term.parts) - 1, _present(expected)
        if expected is None or expected.kind not in ("labels", "dotted labels"):
            hint = "commas separate terms; a sequence is a value of a field of labels"
            return self._unexpected(term.span, "this is a sequence of labels", expected, "a value", hint)
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
            case s.Wildcard(span=span):
                return m.Any() if binding else self._no_value(span, "_", "a label")
            case s.Star():
                return self._splice(part, m.LABELS, binding, "labels")
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
            return self._unexpected(term.span, "this is a sequence of labels", expected)
        parts = term.parts[0] if len(term.parts) == 1 else ()
        if len(parts) != 1:
            return self.error(term.span, "wrong-arity", "reverse turns one sequence round", "reverse(R)")
        operand = self.resolve(parts[0], m.LABELS)
        return operand if isinstance(operand, m.Any) else m.Reversed(operand)

    def matches(self, term: s.MatchesSyntax) -> m.Matches:
        """Resolve `x ~ y`."""
        return m.Matches(self._label(term.left), self._label(term.right))

    def _label(self, term: s.TermSyntax) -> m.Term:
        """Resolve a label, or a sequence with a dot, which stands for the label at the dot."""
        if isinstance(term, s.Sequence):
            sequence = self._sequence(term, m.DOTTED_LABELS, binding=False)
            return m.AtDot(sequence) if isinstance(sequence, m.Labels) else m.Any()
        if isinstance(term, s.Name):
            return self.name(term, m.LABEL, False)
        shown = term.span.text if len(term.span.text) < 30 else "this"
        return self.error(term.span, "wrong-type", f"{shown} is not a label", "a label of a sequence")

    # conditions

    def condition(self, term: s.ConditionSyntax, binding: bool = False) -> m.Term:
        """Resolve a condition made of terms; one that stands alone may bind a variable (`x == i + 1`)."""
        match term:
            case s.JunctionSyntax(word, operands):
                return m.Junction(word, tuple(self.condition(o) for o in operands))
            case s.NotSyntax(operand):
                return m.Not(self.condition(operand))
            case s.ComparisonSyntax():
                return self._comparison(term, binding)
            case s.Membership(element, region, negated):
                member = self._membership(element, region, binding and not negated)
                return m.Not(member) if negated else member
            case s.PathSyntax(one, other, arcs, directed, negated):
                ends = self.resolve(one, m.POSITION), self.resolve(other, m.POSITION)
                path = m.Path(*ends, self.resolve(arcs, m.ARCS), directed)
                return m.Not(path) if negated else path
            case s.StateTest():
                return self._state(term)
            case s.MatchesSyntax():
                return self.matches(term)
        if isinstance(term, s.StepCondition):
            message = "this condition stands by itself, not within others"
            self.misplaced(term, message, "write two cases of the step")
            return m.Any()
        return self.resolve(term, m.FLAG)

    def _comparison(self, term: s.ComparisonSyntax, binding: bool) -> m.Term:
        parts: list[m.Term] = []
        for left, relation, right in zip(term.operands, term.relations, term.operands[1:], strict=False):
            if relation in ("==", "!="):
                binds = binding and relation == "==" and len(term.relations) == 1
                sides = self._equated(left, right, binds)
                parts.append(m.Compare("==" if relation == "==" else "!=", *sides))
                continue
            low, high = map(self._optional_number, (left, right))
            if relation in _SWAPPED:
                low, high = high, low
            parts.append(m.Compare("<" if relation in ("<", ">") else "<=", low, high))
        return parts[0] if len(parts) == 1 else m.Junction("and", tuple(parts))

    def _solve(self, left: s.TermSyntax, right: s.TermSyntax) -> None:
        """Solve an equation for its only unknown name, and keep the solution as a hint for messages about that name."""
        terms, unknown = list[m.Term](), list[m.Var]()
        for side in (left, right):
            parts = side.parts if isinstance(side, s.Sum) else ((1, side),)
            numbers: list[tuple[m.Term, int]] = []
            for sign, part in parts:
                match part:
                    case s.Name(name):
                        known = name == "n" or name in self.types or name in self.parameters
                        numbers.append((m.Var(name), sign))
                        unknown += [] if known else [m.Var(name)]
                    case s.ConstantSyntax(int() as number) if not isinstance(number, bool):
                        numbers.append((m.Lit(number), sign))
                    case _:
                        return
            terms.append(sum_of(0, numbers))
        if len(unknown) == 1 and (found := solved(terms[0], terms[1], unknown[0])) is not None:
            text = term_text(found)
            self.meant[unknown[0].name] = f"{unknown[0].name} is {text}: write {text} in the pattern"

    def _equated(self, left: s.TermSyntax, right: s.TermSyntax, binding: bool) -> tuple[m.Term, m.Term]:
        if binding:
            self._solve(left, right)
        one, two = self.infer(left), self.infer(right)
        self._learn(left, two)
        self._learn(right, one)
        kind = one or two
        if one is not None and two is not None and one.kind == two.kind == "position":
            kind = m.INTEGER
        if kind is None:
            before = len(self.problems)
            value = self.resolve(left, None)
            return value, self.resolve(right, None) if len(self.problems) == before else m.Any()
        as_is = kind.kind in ("optional", "list") or is_about_labels(kind)
        wide = kind if as_is else m.Type("optional", (kind,))
        sides = (left, one), (right, two)
        binds = [binding and known is None and isinstance(term, s.Name | s.Star) for term, known in sides]
        value = self.resolve(left, kind if binds[0] else wide, binds[0])
        return value, self.resolve(right, kind if binds[1] else wide, binds[1])

    def _membership(self, element: s.TermSyntax, region: s.RegionSyntax, binding: bool) -> m.Term:
        where, actual = self.region(region), self.infer(element)
        if actual is not None and actual.intervals and isinstance(where, m.Interval):
            return m.AllWithin(self.resolve(element, actual), where)
        arcs = isinstance(where, m.WithArc)
        match where:
            case m.Var(name):
                (kind,), arcs = self.types[name].arguments, self.types[name].arcs
            case m.WithArc():
                (kind,) = m.ARCS.arguments
            case _ if isinstance(region, s.Name):
                self.doubt(element)
                return m.Any()
            case _:
                ends = map(
                    self.infer, (region.low, region.high) if isinstance(region, s.IntervalSyntax) else ()
                )
                kind = next((end for end in ends if end is not None and end.of), actual or m.POSITION)
                kind = kind if kind.kind == "position" else m.POSITION
                self._learn(element, kind)
        if isinstance(element, s.TupleTermSyntax):
            wild = [isinstance(x, s.Wildcard) for x in element.terms]
            if any(wild) and kind.kind != "tuple":
                shown = region.span.text
                return self.error(region.span, "wrong-type", f"{shown} is not a set of arcs", "arcs")
            if len(wild) == len(kind.arguments):
                parts = zip(element.terms, kind.arguments, wild, strict=True)
                pair = tuple(m.Any() if any_ else self.resolve(x, its) for x, its, any_ in parts)
                return m.Member(m.TupleTerm(pair), where, arcs)
        binds = binding and isinstance(element, s.Name) and not self.knows(element.id)
        wide = kind if binds or kind.kind == "optional" else m.Type("optional", (kind,))
        return m.Member(self.resolve(element, wide, binds), where)

    def region(self, region: s.RegionSyntax) -> m.Region:
        """Resolve positions: an interval, the rest of one, or a list."""
        match region:
            case s.IntervalSyntax():
                return self.interval(region)
            case s.DifferenceSyntax(left, right):
                rest = self.region(left)
                taken = self._list_variable(right, "[l..r] or a list of intervals", intervals=True)
                return m.Without(rest, taken)
            case s.Name():
                return self._list_variable(region, "[i..j] or a list variable", intervals=False)
        arcs = self.resolve(region, m.ARCS)
        return arcs if isinstance(arcs, m.WithArc) else m.Interval(m.Any(), m.Any())

    def interval(self, interval: s.IntervalSyntax) -> m.Interval:
        """Resolve an interval, whose ends may be absent."""
        return m.Interval(*map(self._optional_number, (interval.low, interval.high)))

    def _list_variable(
        self, region: s.IntervalSyntax | s.Name, expected: str, intervals: bool
    ) -> m.Interval | m.Var:
        """Resolve an interval or a name that stands for a list, of `intervals` where so; else report it."""
        if isinstance(region, s.IntervalSyntax):
            return self.interval(region)
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
            return self.error(place, "wrong-type", f"{shown} is not a list", "a list variable")
        return m.Not(test) if term.negated else test

    def misplaced(
        self, condition: s.ConditionSyntax, message: str, hint: str = "write it beside a step"
    ) -> None:
        """Report a condition that only steps have."""
        expected = "a comparison, a flag or membership"
        self.error(condition.span, "misplaced-condition", message, expected, hint)
        self.doubt(condition)

    # conditions on the grammar

    def arithmetic(self, term: s.Name | s.DecimalSyntax | s.ArithmeticSyntax) -> m.WeightTerm:
        """Resolve a part of a weight, over positions and flags."""
        match term:
            case s.DecimalSyntax(value):
                return m.Decimal(value)
            case s.Name():
                kind = self.infer(term)
                if kind is not None and kind.kind not in ("position", "flag"):
                    self.error(term.span, "wrong-type", f"{term.id} is a {kind}", "a position or a flag")
                found = self.name(term, kind or m.POSITION, False)
                return found if isinstance(found, m.Var) else m.Decimal(_number_of(found))
            case s.ArithmeticSyntax(operation, operands, span=span):
                least, most = _OPERANDS.get(operation, (1, 2))
                if operation.isalpha() and operation not in _OPERANDS:
                    known = ", ".join(_OPERANDS)
                    hint = did_you_mean(operation, _OPERANDS)
                    self.error(span, "unknown-function", f"there is no function {operation}", known, hint)
                elif not least <= len(operands) <= most:
                    message = f"{operation} has {quantity(len(operands), 'operand')}"
                    wanted = quantity(least, "operand") + (" or more" if most > least else "")
                    self.error(span, "wrong-arity", message, wanted)
                return m.Arithmetic(operation, tuple(map(self.arithmetic, operands)))

    def grammar_condition(self, condition: s.GrammarCondition) -> m.Condition:
        """Resolve a condition on the grammar; its names are bound where they are free."""
        if condition.relation == "rule" and isinstance(rule := condition.terms[0], s.Dotted):
            if len(rule.parts) != 1:
                message = "a rule of the grammar has no dots"
                self.error(condition.span, "wrong-arity", message, "rule A(*alpha)")
                self.doubt(rule)
                return m.HasFact("root", (m.Any(),))
            body = self._list(rule.parts[0], condition.span, m.SYMBOLS, binding=True)
            category = self.resolve(rule.category, m.SYMBOL, binding=True)
            return m.HasFact("rule", (category, body if isinstance(body, m.ListTerm) else m.ListTerm(())))
        if condition.relation not in GRAMMAR_RELATIONS:
            return self._fact(condition)
        relation, kinds = GRAMMAR_RELATIONS[condition.relation]
        pairs = zip(condition.terms, kinds, strict=True)
        return m.HasFact(
            relation,
            tuple(
                self.word(t, False) if kind == m.POSITION else self.resolve(t, kind, _may_bind(t, kind))
                for t, kind in pairs
            ),
        )

    def _fact(self, condition: s.GrammarCondition) -> m.Condition:
        """Resolve a condition on a relation that the schema declares."""
        name, terms = condition.relation, condition.terms
        relation = SAME_WORDS if name == m.SAME_WORD else (self.relations or {}).get(name)
        if relation is None or len(terms) != len(relation.arguments):
            self.doubt(condition)
            if relation is not None:
                shown = f"{name}({', '.join(argument for argument, _ in relation.arguments)})"
                message = f"{name} has {quantity(len(relation.arguments), 'argument')}, not {len(terms)}"
                self.error(condition.span, "wrong-arity", message, shown)
            elif self.relations is not None:
                expected = f"relation {name}(...) among the declarations"
                self.problems.knows(condition.span, "unknown-relation", name, self.relations, expected)
            return m.HasFact(name, (), ())
        sorts = tuple(sort for _, sort in relation.arguments)
        kinds = (sort if isinstance(sort, m.Type) else _OF_SORTS[sort] for sort in sorts)
        resolved = [
            self.word(t) if sort == "word" else self.resolve(t, self._number(t, kind), not condition.negated)
            for t, sort, kind in zip(terms, sorts, kinds, strict=True)
        ]
        return m.HasFact(name, tuple(resolved), sorts, condition.negated)

    def _number(self, term: s.TermSyntax, kind: m.Type) -> m.Type:
        """Return the type of a number that is an argument: that of the term, where it has one."""
        found = _present(self.infer(term))
        return found if found is not None and found.kind == kind.kind == "position" else kind

    def _optional_number(self, term: s.TermSyntax) -> m.Term:
        """Resolve a number of any type, which may be absent."""
        return self.resolve(term, m.Type("optional", (self._number(term, m.POSITION),)))

    def word(self, term: s.TermSyntax, binding: bool = True) -> m.Term:
        """Resolve the position of a word; those of the second input come after the words of the first."""
        position = self.resolve(term, m.POSITION, binding)
        kind = self.infer(term)
        if not self.inputs or isinstance(position, m.Any):
            return position
        if kind is None or kind.of not in self.inputs:
            if self.is_trial:
                return position
            shown = term.span.text if len(term.span.text) < 30 else "this"
            message = f"nothing says of which input {shown} is a position"
            expected = " or ".join(f"a position of {name}" for name in self.inputs)
            name = term.id if isinstance(term, s.Name) and term.id != "n" else "i"
            hint = f"a field of an item says it, or a range: {name} in [1..n of {self.inputs[0]}]"
            return self.error(term.span, "open-input", message, expected, hint)
        before = self.inputs[: self.inputs.index(kind.of)]
        return sum_of(0, [(position, 1), *((m.Var(m.LENGTH_OF + name), 1) for name in before)])


# The conditions on the grammar, and the types of their terms; symbols and labels are bound where they are free.
GRAMMAR_RELATIONS: Mapping[str, tuple[str, tuple[m.Type, ...]]] = {
    "root": ("root", (m.SYMBOL,)),
    "category": ("category", (m.POSITION, m.SYMBOL)),
    "corner": ("left_corner", (m.SYMBOL, m.SYMBOL)),
    "disjunct": ("disjunct", (m.LABELS, m.LABELS, m.POSITION)),
}


SAME_WORDS = m.Relation(
    m.SAME_WORD, (("one", "word"), ("other", "word")), Span(SourceText("", (), ()), 1, 1, 1)
)
"""The relation of `same word i, j`."""

_OPERANDS = {"exp": (1, 1), "abs": (1, 1), "min": (1, 99), "max": (1, 99), "score": (2, 2), "asked": (0, 0)}
"""The functions of weights, and the least and greatest number of their arguments."""


def _number_of(term: m.Term) -> float:
    """Return the value of a parameter."""
    return float(term.value) if isinstance(term, m.Lit) and isinstance(term.value, int) else 0.0


BUILT_IN = frozenset(("rule", *GRAMMAR_RELATIONS))
"""The words with which conditions ask for relations that no schema declares."""

# What the arguments of a declared relation may be, as written: their sorts, and the types of terms.
FACT_TYPES: Mapping[str, tuple[m.FactSort, m.Type]] = {
    "word": ("word", m.POSITION),
    "number": ("position", m.POSITION),
    "symbol": ("symbol", m.SYMBOL),
    "list of symbol": ("symbols", m.SYMBOLS),
}


_OF_SORTS = dict(FACT_TYPES.values())


def _may_bind(term: s.TermSyntax, kind: m.Type) -> bool:
    return kind == m.LABELS or (kind == m.SYMBOL and isinstance(term, s.Name))


def _dot_count(dots: int) -> str:
    return quantity(dots, "dot") if dots else "no dots"


def conjuncts(conditions: Sequence[s.ConditionSyntax]) -> tuple[s.ConditionSyntax, ...]:
    """Return conditions with those joined by `and` taken apart: `a, b and c` says the same as `a, b, c`."""
    parts: list[s.ConditionSyntax] = []
    for condition in conditions:
        if isinstance(condition, s.JunctionSyntax) and condition.word == "and":
            parts += conjuncts(condition.operands)
        else:
            parts.append(_as_fact(condition))
    return tuple(parts)


def _as_fact(condition: s.ConditionSyntax) -> s.ConditionSyntax:
    """Return `adjoin(T, N)`, or `not` with that, as a condition on the grammar, and others as they are."""
    match condition:
        case s.FactSyntax() | s.Dotted() if (applied := s.application(condition)) is not None:
            return s.GrammarCondition(applied[0].id, applied[1], span=condition.span)
        case s.NotSyntax(operand, span=span) if isinstance(fact := _as_fact(operand), s.GrammarCondition):
            return replace(fact, span=span, negated=True)
    return condition
