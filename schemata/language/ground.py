"""Items in canonical text, `span[0, 3, false, true]`, read back into a form and values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from schemata.errors import Diagnostic, SchemaError, did_you_mean, one_of
from schemata.language import model as m
from schemata.language import syntax as s
from schemata.language.labels import EMPTY, LONE_DOT, is_sequence
from schemata.language.parse import parse_item
from schemata.language.source import Span

__all__ = ["read_item"]


def read_item(schema: m.Schema, text: str, n: int | None = None) -> tuple[str, tuple[m.Value, ...]]:
    """Return the form and the values of an item written without variables.

    Parameters
    ----------
    schema : declares the item's form; its parameters may stand for numbers.
    text : one item, for example `span[0, n, false, true]`. Symbols may be bare or quoted.
    n : the length of the sentence, which the text may name; without it, it may not.

    Raises
    ------
    SchemaError : the text is no item, or not one of the schema's; carries every mistake.

    Examples
    --------
    >>> from schemata.language.files import read_schema_text
    >>> text = "schema s\\nhypothesis word[i] where 1 <= i <= n\\n"
    >>> text += "step S\\n  word[i]\\n  ----\\n  word[i]\\nfinal word[1]"
    >>> schema, _ = read_schema_text(text)
    >>> read_item(schema, "word[n - 1]", n=3)
    ('word', (2,))
    """
    item = parse_item(text)
    forms = {form.name: form for form in schema.forms}
    form = forms.get(item.form)
    if form is None:
        raise SchemaError(
            item.name_span.report(
                "unknown-form",
                f"schema {schema.name} has no item form {item.form}",
                expected=one_of(forms),
                hint=did_you_mean(item.form, forms),
            )
        )
    if len(item.terms) != len(form.fields):
        count = len(form.fields)
        raise SchemaError(
            item.span.report(
                "wrong-arity",
                f"{form.name} has {count} field{'s' * (count != 1)}, not {len(item.terms)}",
                expected=f"{form.name}[{', '.join(f.name for f in form.fields)}]",
            )
        )
    names = {p.name: p.value for p in schema.parameters}
    if n is not None:
        names["n"] = n
    reader = _Reader(names, [])
    values = tuple(reader.value(t, f.type) for t, f in zip(item.terms, form.fields, strict=True))
    if reader.problems:
        raise SchemaError(reader.problems)
    return form.name, values


@dataclass(frozen=True, slots=True)
class _Reader:
    """Turns terms into values; `names` have numbers as values."""

    names: Mapping[str, int]
    problems: list[Diagnostic]

    def value(self, term: s.Term, kind: m.Type) -> m.Value:
        """Return the value of a term; None, with a problem, where it has none of that type."""
        match kind.kind:
            case "optional":
                return None if _is_absent(term) else self.value(term, kind.arguments[0])
            case "position":
                return self._number(term)
            case "flag":
                return self._flag(term)
            case "symbol":
                return self._symbol(term)
            case "list":
                if isinstance(term, s.ListTerm):
                    return tuple(self.value(e, kind.arguments[0]) for e in term.elements)
            case "tuple":
                if isinstance(term, s.TupleTerm) and len(term.terms) == len(kind.arguments):
                    return tuple(self.value(t, k) for t, k in zip(term.terms, kind.arguments, strict=True))
            case "dotted":
                if isinstance(term, s.Dotted) and len(term.parts) == kind.dots + 1:
                    parts = (tuple(self._symbol(e) for e in part) for part in term.parts)
                    return (self._symbol(term.category), *parts)
            case "labels" | "dotted labels":
                return self._labels(term, kind)
        return self._wrong(term.span, str(kind))

    def _number(self, term: s.Term) -> m.Value:
        match term:
            case s.Constant(int() as number, "number"):
                return number
            case s.Name(name, span):
                if name in self.names:
                    return self.names[name]
                self.problems.append(
                    span.report(
                        "unbound-variable",
                        f"{name} is a variable: an item has values",
                        expected="a number" + "".join(f" or {known}" for known in self.names),
                        hint=did_you_mean(name, self.names),
                    )
                )
                return None
            case s.Sum(parts):
                total = 0
                for sign, part in parts:
                    value = self._number(part)
                    if not isinstance(value, int):
                        return None
                    total += sign * value
                return total
        return self._wrong(term.span, "position")

    def _flag(self, term: s.Term) -> m.Value:
        match term:
            case s.Constant(bool() as flag, "flag"):
                return flag
            case s.Not(operand):
                inner = self._flag(operand)
                return None if inner is None else not inner
            case s.Name(name, span):
                self.problems.append(
                    span.report(
                        "unbound-variable",
                        f"{name} is a variable: an item has values",
                        expected="true or false",
                        hint=did_you_mean(name, ["true", "false"]),
                    )
                )
                return None
        return self._wrong(term.span, "flag")

    def _symbol(self, term: s.Term) -> m.Value:
        match term:
            case s.Constant(str() as symbol, "symbol"):
                return symbol
            case s.Name(name):
                return name
        return self._wrong(term.span, "symbol")

    def _labels(self, term: s.Term, kind: m.Type) -> m.Value:
        dot = kind == m.DOTTED_LABELS
        match term:
            case s.ListTerm(()) if not dot:
                return EMPTY
            case s.Sequence(((), ())) if dot:
                return LONE_DOT
            case s.Constant(str() as text, "symbol") if is_sequence(text, dot=dot):
                return text
        shown = term.span.text if len(term.span.text) < 30 else "this"
        example = '"cat#1: D- . O+"' if dot else '"cat#1: D-"'
        self.problems.append(
            term.span.report(
                "wrong-type",
                f"{shown} is no sequence of labels {'with' if dot else 'without'} a dot",
                expected=f"{example} as printed, or {'.' if dot else '<>'}",
            )
        )
        return None

    def _wrong(self, span: Span, kind: str) -> m.Value:
        shown = span.text if len(span.text) < 30 else "this"
        self.problems.append(span.report("wrong-type", f"{shown} is no {kind}", expected=f"a {kind}"))
        return None


def _is_absent(term: s.Term) -> bool:
    return isinstance(term, s.Constant) and term.kind == "absent"
