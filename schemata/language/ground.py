"""Items in canonical text, `span[0, 3, false, true]`, read back into a form and values."""

from __future__ import annotations

from collections.abc import Iterable

from schemata.errors import SchemaError, did_you_mean
from schemata.language import model as m
from schemata.language import syntax as s
from schemata.language.forms import check_arity
from schemata.language.labels import EMPTY, LONE_DOT, is_sequence
from schemata.language.parse import parse_item
from schemata.language.source import Findings, Span
from schemata.language.typeset import sort_key
from schemata.quick_dataclasses import Record


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
    problems = Findings()
    forms = {form.name: form for form in schema.forms}
    form = forms.get(item.form)
    if form is None:
        message = f"schema {schema.name} has no item form {item.form}"
        problems.report_unknown(item.name_span, "unknown-form", message, forms)
        raise SchemaError(problems)
    if not check_arity(item, form, problems):
        raise SchemaError(problems)
    names = {p.name: p.value for p in schema.parameters}
    if n is not None:
        names["n"] = n
    reader = _Reader(names, problems)
    values = tuple(reader.value(t, f.type) for t, f in zip(item.terms, form.fields, strict=True))
    if problems:
        raise SchemaError(problems)
    return form.name, values


def read_value(text: str, kind: m.Type) -> m.Value:
    """Return the value of a type that a text without variables stands for, as in items.

    Raises
    ------
    SchemaError : there is none.

    >>> category = m.Type("term", of="category", constructors=(("", ("symbol",)), ("/", ("category", "category"))))
    >>> read_value("S/NP", category) == (m.CONSTRUCTOR + "/", (m.CONSTRUCTOR, "S"), (m.CONSTRUCTOR, "NP"))
    True
    """
    item = parse_item(f"value[{text}]")
    problems = Findings()
    value = _Reader({}, problems).value(item.terms[0], kind) if len(item.terms) == 1 else None
    if problems or len(item.terms) != 1:
        raise SchemaError(problems)
    return value


class _Reader(Record):
    """Turns terms into values; `names` have numbers as values."""

    names: s.Environment
    problems: Findings

    def value(self, term: s.Term, kind: m.Type) -> m.Value:
        """Return the value of a term; None, with a problem, where it has none of that type."""
        match kind.kind, term:
            case "optional", s.Constant(_, "absent"):
                return None
            case "optional", _:
                return self.value(term, kind.arguments[0])
            case "position", _:
                return self._number(term)
            case "flag", _:
                return self._flag(term)
            case "symbol", s.Constant(str() as symbol, "symbol") | s.Name(symbol):
                return symbol
            case "list", s.ListTerm(elements):
                values = tuple(self.value(e, kind.arguments[0]) for e in elements)
                return tuple(sorted(set(values), key=sort_key)) if kind.arcs else values
            case "tuple", s.TupleTerm(terms) if len(terms) == len(kind.arguments):
                return tuple(self.value(t, k) for t, k in zip(terms, kind.arguments, strict=True))
            case "dotted", s.Dotted(category, parts) if len(parts) == kind.dots + 1:
                lists = (tuple(self.value(e, m.SYMBOL) for e in part) for part in parts)
                return (self.value(category, m.SYMBOL), *lists)
            case "term", _:
                return self._constructed(term, kind)
            case "labels" | "dotted labels", _:
                return self._labels(term, kind)
        return self._wrong(term.span, f"not a {kind}", f"a {kind}")

    def _constructed(self, term: s.Term, kind: m.Type) -> m.Value:
        known = dict(kind.constructors)
        call = s.application(term)
        if call is not None and len(known.get(call[0].id, ())) == len(call[1]) and call[0].id in known:
            kinds = (kind if argument == kind.of else m.SYMBOL for argument in known[call[0].id])
            parts = (self.value(t, k) for t, k in zip(call[1], kinds, strict=True))
            return (m.CONSTRUCTOR + call[0].id, *parts)
        if "" in known and isinstance(term, s.Name | s.Constant):
            return (m.CONSTRUCTOR, self.value(term, m.SYMBOL))
        return self._wrong(term.span, f"no {kind}", f"a {kind}")

    def _number(self, term: s.Term) -> m.Value:
        value = s.number_of(term, self.names)
        if isinstance(value, int):
            return value
        if isinstance(value, s.Name):
            expected = "a number" + "".join(f" or {known}" for known in self.names)
            return self._variable(value, expected, self.names)
        return self._wrong(value.span, "not a position", "a position")

    def _flag(self, term: s.Term) -> m.Value:
        match term:
            case s.Constant(bool() as flag, "flag"):
                return flag
            case s.Not(operand):
                inner = self._flag(operand)
                return None if inner is None else not inner
            case s.Name():
                return self._variable(term, "true or false", ["true", "false"])
        return self._wrong(term.span, "not a flag", "a flag")

    def _labels(self, term: s.Term, kind: m.Type) -> m.Value:
        dot = kind == m.DOTTED_LABELS
        match term:
            case s.ListTerm(()) if not dot:
                return EMPTY
            case s.Sequence(((), ())) if dot:
                return LONE_DOT
            case s.Constant(str() as text, "symbol") if is_sequence(text, dot=dot):
                return text
        what = f"not a sequence of labels {'with' if dot else 'without'} a dot"
        example = '"cat#1: D- . O+"' if dot else '"cat#1: D-"'
        return self._wrong(term.span, what, f"{example} as printed, or {'.' if dot else '<>'}")

    def _variable(self, name: s.Name, expected: str, known: Iterable[str]) -> m.Value:
        message = f"{name.id} is a variable: an item has values"
        hint = did_you_mean(name.id, known)
        self.problems.report(name.span, "unbound-variable", message, expected, hint)
        return None

    def _wrong(self, span: Span, what: str, expected: str) -> m.Value:
        shown = span.text if len(span.text) < 30 else "this"
        self.problems.report(span, "wrong-type", f"{shown} is {what}", expected)
        return None
