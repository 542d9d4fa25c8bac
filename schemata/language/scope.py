"""The names of one rule: which variables it has, of which types, and what is said of a name that is wrong.

A `Scope` lives for one rule or one declaration. Patterns introduce variables, expressions only use them. One
mistake gives one finding: a name that was complained of, or that a broken part of the rule may have
introduced, is passed over from then on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from schemata.errors import did_you_mean, one_of
from schemata.language import model as m
from schemata.language import syntax as s
from schemata.language.source import Findings, Span
from schemata.language.syntax_errors import RESERVED


@dataclass(slots=True)
class Scope:
    """The variables of one rule, with their types and the place each was introduced at.

    `parameters` are names with fixed values. `doubtful` names are not reported where they are unbound;
    `wrong` names stand for anything, since they were reported; `lenient` makes every name doubtful.
    `fields_of` says whose fields the names are, where none may be introduced.
    """

    parameters: Mapping[str, int]
    problems: Findings
    types: dict[str, m.Type] = field(default_factory=dict)
    places: dict[str, Span] = field(default_factory=dict)
    doubtful: set[str] = field(default_factory=set)
    wrong: set[str] = field(default_factory=set)
    lenient: bool = False
    fields_of: str | None = None

    def error(
        self, span: Span, code: str, message: str, expected: str | None = None, hint: str | None = None
    ) -> m.Any:
        """Report a mistake; return what stands in for the wrong term."""
        self.problems.report(span, code, message, expected, hint)
        return m.Any()

    def doubt(self, node: object) -> None:
        """Take it that the names in a part of the rule that is not understood may be bound by it."""
        self.doubtful.update(name.id for name in s.names_in(node))

    def knows(self, name: str) -> bool:
        """Whether nothing more is to be learnt of a name: it has a type, or was complained of."""
        return name == "n" or name in self.types or name in self.parameters or name in self.wrong

    def type_of(self, name: str) -> m.Type | None:
        """Return the type of a known name."""
        return m.POSITION if name == "n" or name in self.parameters else self.types.get(name)

    def infer(self, term: s.Term) -> m.Type | None:
        """Return the type that a term has whatever is expected of it, or None where that is open."""
        match term:
            case s.Name(name) | s.Star(name):
                return None if name in self.wrong else self.type_of(name)
            case s.Constant(_, kind):
                return CONSTANT_TYPES.get(kind)
            case s.Sum() | s.Length():
                return m.POSITION
            case s.Not() | s.Junction() | s.Comparison() | s.Membership() | s.StateTest() | s.Matches():
                return m.FLAG
            case s.Dotted(s.Name("reverse"), ((_,),)):
                return m.LABELS
            case s.Sequence(parts):
                return m.LABELS if len(parts) == 1 else m.DOTTED_LABELS
        return None

    def name(self, term: s.Name, expected: m.Type | None, binding: bool) -> m.Term:
        """Resolve a name; introduces it as a variable of the expected type where `binding`."""
        if term.id in self.wrong:
            return m.Any()
        if term.id in self.parameters:
            return self.fits(m.Lit(self.parameters[term.id]), m.POSITION, expected, term)
        if term.id == "n":
            return self.fits(m.Var("n"), m.POSITION, expected, term)
        known = self.types.get(term.id)
        if known is None:
            if not binding or expected is None:
                return self._unknown(term)
            return self._introduce(term, expected)
        if binding and known.kind == "optional" and not term.optional:
            known = self.types[term.id] = known.arguments[0]
        return self.fits(m.Var(term.id, known.kind == "optional"), known, expected, term)

    def _introduce(self, term: s.Name, expected: m.Type) -> m.Term:
        if term.id in RESERVED:
            self.wrong.add(term.id)
            message = f"{term.id} is a word of the language and names no variable"
            return self.error(term.span, "reserved-word", message, "another name")
        kind = expected
        if expected.kind == "optional" and not term.optional:
            kind = expected.arguments[0]
        self.types[term.id] = kind
        self.places[term.id] = term.span
        return m.Var(term.id, kind.kind == "optional")

    def _unknown(self, term: s.Name) -> m.Any:
        if self.lenient or term.id in self.doubtful:
            return m.Any()
        self.wrong.add(term.id)
        names = [*self.types, *self.parameters, "n"]
        hint = did_you_mean(term.id, names)
        if self.fields_of:
            message = f"{term.id} is not a field of {self.fields_of}"
            return self.error(term.span, "unknown-field", message, one_of(names), hint)
        expected = "a variable of an antecedent, or one that a condition binds"
        if self.fields_of == "":
            expected = "a variable of the item, a parameter or n"
        return self.error(
            term.span, "unbound-variable", f"variable {term.id} is bound nowhere", expected, hint
        )

    def fits(
        self, term: m.Term, actual: m.Type, expected: m.Type | None, place: s.Name | Span, shown: str = ""
    ) -> m.Term:
        """Return a term of a type where the expected one accepts it; else report it."""
        if expected is None or actual == expected:
            return term
        wanted = expected.arguments[0] if expected.kind == "optional" else expected
        if expected.kind == "optional" and wanted == actual:
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


# The types of the kinds of constants; an absent value is of no type of its own.
CONSTANT_TYPES = {"number": m.POSITION, "flag": m.FLAG, "symbol": m.SYMBOL}


def with_article(kind: m.Type | str) -> str:
    """Return the name of a type as it stands in a sentence: `a position`, `labels`."""
    return str(kind) if str(kind).endswith("labels") else f"a {kind}"
