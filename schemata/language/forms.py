"""The item forms of a schema, and the items written of them: names, arities and types of their fields."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import cast

from schemata.errors import Diagnostic, did_you_mean, one_of
from schemata.language import model as m
from schemata.language import syntax as s
from schemata.language.source import Span
from schemata.language.syntax_errors import RESERVED
from schemata.language.terms import STEP_CONDITIONS, Terms, conjuncts, is_about_labels

__all__ = ["FormTable", "indefinite"]

_TYPES = {
    "position": m.POSITION,
    "flag": m.FLAG,
    "symbol": m.SYMBOL,
    "intervals": m.INTERVALS,
    "labels": m.LABELS,
}


@dataclass(slots=True)
class FormTable:
    """The item forms declared so far.

    `lost` are the names of forms whose declaration could not be read, `all_lost` where any form may be
    missing; `open_fields` are fields of unknown type; `implicit` are the forms only a hypothesis declares.
    `places` has the spans of a form's conditions.
    """

    problems: list[Diagnostic]
    lost: frozenset[str] = frozenset()
    all_lost: bool = False
    forms: dict[str, m.Form] = field(default_factory=dict)
    implicit: set[str] = field(default_factory=set)
    open_fields: set[tuple[str, str]] = field(default_factory=set)
    places: dict[str, tuple[Span, ...]] = field(default_factory=dict)

    # declarations

    def declare(self, item: s.ItemDeclaration, scope: Terms) -> None:
        """Add the form of an item declaration; the scope has the parameters."""
        if item.form in self.forms:
            self._report(
                item.span, "duplicate-form", f"item form {item.form} is declared twice", "another name"
            )
            return
        fields: list[m.Field] = []
        for declared in item.fields:
            if problem := _taken(declared.name, fields, scope):
                self._report(declared.span, *problem, "another name")
                scope.wrong.add(declared.name)
            kind = self._type(declared.type)
            if kind is None:
                self.open_fields.add((item.form, declared.name))
            fields.append(m.Field(declared.name, kind or m.POSITION))
        scope.fields_of = f"{item.form}[{', '.join(f.name for f in fields)}]"
        scope.types.update({f.name: f.type for f in fields if (item.form, f.name) not in self.open_fields})
        scope.doubtful.update(f.name for f in fields)
        where: list[m.Term] = [m.InOrder(m.Var(f.name)) for f in fields if f.type.intervals]
        places: list[Span] = [f.span for f in item.fields if f.type.name == "intervals"]
        for condition in conjuncts(item.where):
            if isinstance(condition, STEP_CONDITIONS):
                self._report(
                    condition.span,
                    "misplaced-condition",
                    "the conditions of an item form are about its fields",
                    "a comparison, a flag or membership",
                    "write it beside a step",
                )
                continue
            where.append(scope.condition(condition))
            places.append(condition.span)
        if len({f.name for f in fields}) < len(fields):
            # Which of the two is meant, and so how many fields there are, is open.
            self.lost |= {item.form}
            return
        self.forms[item.form] = m.Form(item.form, tuple(fields), tuple(where), item.span)
        self.places[item.form] = tuple(places)

    def find_misspelt(self, hypotheses: Sequence[s.Item], used: Iterable[str]) -> None:
        """Report declarations that no rule uses but whose misspelling one does.

        One word is wrong then, not every item that is spelt right. `used` are the forms of the rules' items.
        """
        wanted = Counter(used)
        # A name used once is the misspelt one itself.
        missing = [x for x, k in wanted.items() if k > 1 and x not in self.forms and x not in self.lost]
        for form in list(self.forms.values()):
            if form.name not in wanted:
                self._misspelt("item form", form.name, form.span, missing)
        given = {h.form for h in hypotheses}
        for item in hypotheses:
            if item.form in wanted or item.form in self.forms:
                continue
            alike = [f.name for f in self.forms.values() if len(f.fields) == len(item.terms)]
            candidates = [*(name for name in missing if name not in given), *alike]
            self._misspelt("hypothesis", item.form, item.name_span, candidates)

    def _misspelt(self, what: str, name: str, span: Span, candidates: Sequence[str]) -> None:
        near = get_close_matches(name, [c for c in candidates if c not in self.lost], n=1, cutoff=0.7)
        if near:
            hint = did_you_mean(name, near)
            self._report(span, "unknown-form", f"nothing uses the {what} {name}", near[0], hint)
            self.lost |= {name, near[0]}

    def declare_implicitly(self, item: s.Item, parameters: Iterable[str]) -> None:
        """Declare the form of a hypothesis that is no item form: its fields are positions."""
        if item.form in self.forms or item.form in self.lost:
            return
        taken = {"n", *parameters}
        names: list[str] = []
        for k, term in enumerate(item.terms, start=1):
            free = isinstance(term, s.Name) and term.id not in taken
            names.append(term.id if free and isinstance(term, s.Name) else f"field{k}")
            taken.add(names[-1])
        fields = tuple(m.Field(name, m.POSITION) for name in names)
        self.forms[item.form] = m.Form(item.form, fields, (), item.name_span)
        self.implicit.add(item.form)

    def _type(self, name: s.TypeName) -> m.Type | None:
        """Resolve a type; None where it is unknown."""
        match name.name:
            case "list" | "tuple" | "optional":
                arguments = [self._type(a) for a in name.arguments]
                if None in arguments:
                    return None
                return m.Type(cast("m.Kind", name.name), cast("tuple[m.Type, ...]", tuple(arguments)))
            case "dotted rule":
                return m.Type("dotted", dots=1)
            case "double-dotted rule":
                return m.Type("dotted", dots=2)
            case "dotted labels":
                return m.DOTTED_LABELS
        if name.name in _TYPES:
            return _TYPES[name.name]
        known = [*_TYPES, "list of", "dotted labels", "dotted rule", "double-dotted rule"]
        self._report(
            name.span,
            "unknown-type",
            f"unknown type {name.name}",
            one_of(known),
            did_you_mean(name.name, [*_TYPES, "list", "dotted", "double-dotted"]),
        )
        return None

    # items

    def pattern(self, item: s.Item, scope: Terms, binding: bool) -> m.Pattern | None:
        """Resolve an item: a pattern where `binding`, else an expression; None where its form is unknown."""
        form = self.forms.get(item.form)
        if form is None:
            scope.doubt(item)
            if not (self.all_lost or item.form in self.lost):
                self._report(
                    item.name_span,
                    "unknown-form",
                    f"unknown item form {item.form}",
                    one_of(self.forms) if self.forms else "an item declaration",
                    did_you_mean(item.form, self.forms),
                )
            return None
        if self._comma_missing(item, form):
            scope.doubt(item)
            return indefinite(form)
        if len(item.terms) != len(form.fields):
            scope.doubt(item)
            count = len(form.fields)
            self._report(
                item.span,
                "wrong-arity",
                f"{item.form} has {count} field{'s' * (count != 1)}, not {len(item.terms)}",
                f"{item.form}[{', '.join(f.name for f in form.fields)}]",
            )
            return indefinite(form)
        terms: list[m.Term] = []
        for term, declared in zip(item.terms, form.fields, strict=True):
            before = len(self.problems)
            if (form.name, declared.name) in self.open_fields:
                scope.doubt(term)
                terms.append(m.Any())
                continue
            terms.append(scope.resolve(term, declared.type, binding))
            if len(self.problems) > before:
                scope.doubt(term)
        return m.Pattern(item.form, tuple(terms))

    def _comma_missing(self, item: s.Item, form: m.Form) -> bool:
        """Report two terms without a comma, read as a sequence, where no field of the form has labels."""
        if any(is_about_labels(field.type) for field in form.fields) or form.name in self.lost:
            return False
        for term in item.terms:
            if isinstance(term, s.Sequence) and len(term.parts) == 1:
                second = term.parts[0][1].span
                self._report(second, "syntax", f"the item cannot go on with {second.text}", "a comma or ]")
                return True
        return False

    def _report(
        self, span: Span, code: str, message: str, expected: str | None = None, hint: str | None = None
    ) -> None:
        self.problems.append(span.report(code, message, expected=expected, hint=hint))


def indefinite(form: m.Form) -> m.Pattern:
    """Return the pattern of any item of a form."""
    return m.Pattern(form.name, (m.Any(),) * len(form.fields))


def _taken(name: str, fields: list[m.Field], scope: Terms) -> tuple[str, str] | None:
    """Return the code and message for a field name that cannot be had."""
    if name == "n":
        return "duplicate-field", "n is the length of the sentence, and names no field"
    if name in scope.parameters or name in scope.types:
        return "duplicate-field", f"{name} is a parameter, and names no field"
    if any(f.name == name for f in fields):
        return "duplicate-field", f"a second field {name}"
    if name in RESERVED:
        return "reserved-word", f"{name} is a word of the language and names no field"
    return None
