"""Item forms: their fields with types, declared or implied by hypotheses; declared types and relations.

Items in canonical text, `span[0, 3, false, true]`, are read back into a form and values (`read_item`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import cast

from schemata.errors import SchemaError, did_you_mean, one_of
from schemata.language import model as m
from schemata.language import syntax as s
from schemata.language.habits import type_meant
from schemata.language.labels import EMPTY, LONE_DOT, is_sequence
from schemata.language.parse import CONDITION_WORDS, RESERVED, parse_item
from schemata.language.source import Findings, Span
from schemata.language.terms import FACT_TYPES, Terms, conjuncts, is_about_labels
from schemata.language.typeset import sort_key
from schemata.records import Record
from schemata.wording import quantity

_TYPES = {
    "position": m.POSITION,
    "integer": m.INTEGER,
    "flag": m.FLAG,
    "symbol": m.SYMBOL,
    "intervals": m.INTERVALS,
    "arcs": m.ARCS,
    "labels": m.LABELS,
    "dotted labels": m.DOTTED_LABELS,
    "dotted rule": m.Type("dotted", dots=1),
    "double-dotted rule": m.Type("dotted", dots=2),
}


_UNKNOWN = "TYPE"


def _kind_of(term: s.TermSyntax) -> str | None:
    """Return the type that a term has by itself."""
    match term:
        case s.ConstantSyntax(kind="number") | s.Sum() | s.Name("n"):
            return "position"
        case s.ConstantSyntax(kind="flag") | s.NotSyntax() | s.JunctionSyntax() | s.ComparisonSyntax():
            return "flag"
        case s.ConstantSyntax(kind="symbol"):
            return "symbol"
        case s.Dotted(parts=parts):
            return {2: "dotted rule", 3: "double-dotted rule"}.get(len(parts))
    return None


@dataclass(slots=True)
class FormTable:
    """The item forms declared so far.

    `lost` are the names of forms whose declaration could not be read, `all_lost` where any form may be
    missing; `open_fields` are fields of unknown type; `implicit` are the forms only a hypothesis declares.
    `places` has the spans of a form's conditions.
    """

    problems: Findings
    lost: set[str] = field(default_factory=set)
    all_lost: bool = False
    forms: dict[str, m.Form] = field(default_factory=dict)
    implicit: set[str] = field(default_factory=set)
    open_fields: set[tuple[str, str]] = field(default_factory=set)
    places: dict[str, tuple[Span, ...]] = field(default_factory=dict)
    inputs: tuple[str, ...] = ()
    types: Mapping[str, m.Type] = field(default_factory=dict)

    # declarations

    def declare(self, item: s.ItemDeclaration, scope: Terms) -> None:
        """Add the form of an item declaration; the scope has the parameters."""
        if item.form in self.forms:
            message = f"item form {item.form} is declared twice"
            self.problems.report(item.span, "duplicate-form", message, "another name")
            return
        fields: list[m.Field] = []
        for declared in item.fields:
            if problem := _taken(declared.name, fields, scope):
                self.problems.report(declared.span, *problem, "another name")
                scope.wrong.add(declared.name)
            kind = self._type(declared.type)
            if kind is None:
                self.open_fields.add((item.form, declared.name))
            fields.append(m.Field(declared.name, kind or m.POSITION))
        scope.fields_of = f"{item.form}[{', '.join(f.name for f in fields)}]"
        scope.types.update({f.name: f.type for f in fields if (item.form, f.name) not in self.open_fields})
        scope.doubtful.update(f.name for f in fields)
        implied = [(d.span, part) for d, f in zip(item.fields, fields, strict=True) for part in _implied(f)]
        where: list[m.Term] = [part for _, part in implied]
        places: list[Span] = [span for span, _ in implied]
        for condition in conjuncts(item.where):
            if isinstance(condition, s.StepCondition):
                scope.misplaced(condition, "the conditions of an item form are about its fields")
            else:
                where.append(scope.condition(condition))
                places.append(condition.span)
        if len({f.name for f in fields}) < len(fields):
            # Which of the two is meant, and so how many fields there are, is open.
            self.lost.add(item.form)
            return
        self.forms[item.form] = m.Form(item.form, tuple(fields), tuple(where), item.span)
        self.places[item.form] = tuple(places)

    def find_misspelt(self, hypotheses: Sequence[s.ItemSyntax], used: Iterable[str]) -> None:
        """Report declarations that no rule uses, if rules use a name that differs by a slip.

        Then the one word is wrong, not each item that is spelt otherwise. `used` are the forms of the rules' items.
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

    def find_undeclared(self, rules: Sequence[s.Declaration]) -> None:
        """Report each form once that rules use several times and nothing declares, with a declaration that fits."""
        used: dict[str, list[s.ItemSyntax]] = {}
        for node in m.nodes(rules if not self.all_lost else ()):
            if isinstance(node, s.ItemSyntax) and not (node.form in self.forms or node.form in self.lost):
                used.setdefault(node.form, []).append(node)
        for name, (first, *more) in used.items():
            arity = len(first.terms)
            if not more or did_you_mean(name, self.forms) or (arity == 1 and not self.implicit):
                continue
            if all(len(other.terms) == arity for other in more):
                fields = self._fields_meant(name, arity, rules)
                said = f"item {name}[{', '.join(f'{field}: {kind}' for field, kind in fields)}]"
                hint = f"declare it above the steps: {said}"
                if any(kind == _UNKNOWN for _, kind in fields):
                    hint += f", with a type in place of {_UNKNOWN}"
                message = f"item form {name} is used and not declared"
                self.problems.report(first.name_span, "unknown-form", message, "an item declaration", hint)
                self.lost.add(name)

    def _fields_meant(self, name: str, arity: int, rules: Sequence[s.Declaration]) -> list[tuple[str, str]]:
        """Return a name and a type for each field of a form that nothing declares, from its items and their rules."""
        called: list[list[str]] = [[] for _ in range(arity)]
        found: list[set[str]] = [set() for _ in range(arity)]
        for rule in rules:
            types = {
                x.id: kind for node in m.nodes(rule) for x, kind in self._typed(node) if isinstance(x, s.Name)
            }
            for item in m.nodes(rule):
                if isinstance(item, s.ItemSyntax) and item.form == name:
                    for k, term in enumerate(item.terms):
                        kind = _kind_of(term) or (types.get(term.id) if isinstance(term, s.Name) else None)
                        found[k] |= {kind} if kind else set()
                        called[k] += [term.id] if isinstance(term, s.Name) and term.id != "n" else []
        names: list[str] = []
        for k, candidates in enumerate(called):
            usual = "rule" if any("rule" in kind for kind in found[k]) else f"field{k + 1}"
            names.append(next((x for x in candidates if x not in names), usual))
        return [
            (x, next(iter(kinds)) if len(kinds) == 1 else _UNKNOWN)
            for x, kinds in zip(names, found, strict=True)
        ]

    def _typed(self, node: object) -> Iterable[tuple[s.TermSyntax, str]]:
        """Return the terms whose types are evident from a part of a rule, with these types."""
        match node:
            case s.ItemSyntax(form=name, terms=terms) if name in self.forms:
                kinds = [field.type.kind for field in self.forms[name].fields]
                return [(x, kind) for x, kind in zip(terms, kinds, strict=False) if kind in _TYPES]
            case s.GrammarCondition(relation="category", terms=(word, category)):
                return [(word, "position"), (category, "symbol")]
            case s.GrammarCondition(relation="root" | "left_corner", terms=terms):
                return [(term, "symbol") for term in terms]
            case s.Dotted(category=category, parts=parts):
                return [(x, "symbol") for x in (category, *(part for each in parts for part in each))]
            case s.LinkCondition(dependent=dependent, head=head):
                return [(dependent, "position"), (head, "position")]
            case s.ComparisonSyntax(operands=operands, relations=signs) if set(signs) & {
                "<",
                "<=",
                ">",
                ">=",
            }:
                return [(term, "position") for term in operands]
            case s.NotSyntax(operand=operand):
                return [(operand, "flag")]
        return ()

    def _misspelt(self, what: str, name: str, span: Span, candidates: Sequence[str]) -> None:
        near = get_close_matches(name, [c for c in candidates if c not in self.lost], n=1, cutoff=0.7)
        if near:
            message, hint = f"nothing uses the {what} {name}", did_you_mean(name, near)
            self.problems.report(span, "unknown-form", message, near[0], hint)
            self.lost |= {name, near[0]}

    def declare_implicitly(self, item: s.ItemSyntax, parameters: Iterable[str]) -> None:
        """Declare the form of a hypothesis that is not an item form: its fields are positions."""
        if item.form in self.forms or item.form in self.lost:
            return
        taken = {"n", *parameters}
        names: list[str] = []
        for k, term in enumerate(item.terms, start=1):
            names.append(term.id if isinstance(term, s.Name) and term.id not in taken else f"field{k}")
            taken.add(names[-1])
        fields = tuple(m.Field(name, m.POSITION) for name in names)
        self.forms[item.form] = m.Form(item.form, fields, (), item.name_span)
        self.implicit.add(item.form)

    def _type(self, name: s.TypeName) -> m.Type | None:
        """Resolve a type; None if it is unknown."""
        if name.name in ("list", "tuple", "optional"):
            arguments = [self._type(a) for a in name.arguments]
            if None in arguments:
                return None
            return m.Type(cast("m.Kind", name.name), cast("tuple[m.Type, ...]", tuple(arguments)))
        if name.name in _TYPES and not name.arguments:
            return _TYPES[name.name]
        if name.name in self.types:
            return self.types[name.name]
        if name.name == "position":
            (of,) = name.arguments
            known = self.problems.knows(
                of.span, "unknown-input", of.name, self.inputs, "input source, target"
            )
            return m.Type("position", of=of.name) if known else None
        words = [*self.types, *(word for word in _TYPES if " " not in word)]
        expected = one_of([*words, "list of", *(word for word in _TYPES if " " in word)])
        hint = type_meant(name.name) or did_you_mean(name.name, [*words, "list", "dotted", "double-dotted"])
        self.problems.report(name.span, "unknown-type", f"unknown type {name.name}", expected, hint)
        return None

    # items

    def pattern(self, item: s.ItemSyntax, scope: Terms, binding: bool) -> m.Pattern | None:
        """Resolve an item: a pattern where `binding`, else an expression; None if its form is unknown."""
        form = self.forms.get(item.form)
        if form is None:
            scope.doubt(item)
            if not (self.all_lost or item.form in self.lost):
                message, expected = f"unknown item form {item.form}", "an item declaration"
                hint = did_you_mean(item.form, self.forms)
                if hint is None and binding and not self.implicit and len(item.terms) == 1:
                    bound = next((x.id for x in item.terms if isinstance(x, s.Name)), "i")
                    hint = f"words are a hypothesis: hypothesis {item.form}[{bound}]  where 1 <= {bound} <= n"
                expected = one_of(self.forms) if self.forms else expected
                self.problems.report(item.name_span, "unknown-form", message, expected, hint)
            return None
        if self._comma_missing(item, form) or not check_arity(item, form, self.problems):
            scope.doubt(item)
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

    def _comma_missing(self, item: s.ItemSyntax, form: m.Form) -> bool:
        """Report two terms without a comma, read as a sequence, where no field of the form has labels."""
        if any(is_about_labels(field.type) for field in form.fields) or form.name in self.lost:
            return False
        for term in item.terms:
            if isinstance(term, s.Sequence) and len(term.parts) == 1:
                second = term.parts[0][1].span
                message = f"unexpected {second.text!r} in the item"
                self.problems.report(second, "syntax", message, "a comma or ]")
                return True
        return False


def _implied(field: m.Field) -> tuple[m.Term, ...]:
    """Return the conditions that a field's type makes: intervals are in order, positions of an input within it."""
    if field.type.intervals:
        return (m.InOrder(m.Var(field.name)),)
    if field.type.kind != "position" or field.type.of == m.INTEGER.of or not field.type.of:
        return ()
    length = m.Var(m.LENGTH_OF + field.type.of)
    ends = (m.Compare("<=", m.Lit(0), m.Var(field.name)), m.Compare("<=", m.Var(field.name), length))
    return (m.Junction("and", ends),)


def check_arity(item: s.ItemSyntax, form: m.Form, problems: Findings, *, types: bool = False) -> bool:
    """Whether an item has as many terms as its form has fields; reports it if not, with the types of the fields where
    values are wanted.
    """
    count = len(form.fields)
    if len(item.terms) != count:
        message = f"{item.form} has {quantity(count, 'field')}, not {len(item.terms)}"
        dots = any(isinstance(term, s.Sequence) and not any(term.parts[1:-1]) for term in item.terms)
        hint = "a field for each end, in place of i..j" if dots and ".." in item.span.text else None
        problems.report(item.span, "wrong-arity", message, field_names(form, types=types), hint)
    return len(item.terms) == count


def field_names(form: m.Form, *, types: bool = False) -> str:
    """Return a form with the names of its fields: `span[i, j]`, or with their types: `span[i: position, b: flag]`."""
    return f"{form.name}[{', '.join(f'{f.name}: {f.type}' if types else f.name for f in form.fields)}]"


def indefinite(form: m.Form) -> m.Pattern:
    """Return the pattern of any item of a form."""
    return m.Pattern(form.name, (m.Any(),) * len(form.fields))


def _taken(name: str, fields: list[m.Field], scope: Terms) -> tuple[str, str] | None:
    """Return the code and message for a field name that is not allowed."""
    if name == "n":
        return "duplicate-field", "n is the length of the sentence, and names no field"
    if name in scope.parameters or name in scope.types:
        return "duplicate-field", f"{name} is a parameter, and names no field"
    if any(f.name == name for f in fields):
        return "duplicate-field", f"a second field {name}"
    if name in RESERVED:
        return "reserved-word", f"{name} is a word of the language and names no field"
    return None


def declared_types(declarations: Iterable[s.TypeDeclaration], problems: Findings) -> dict[str, m.Type]:
    """Return the types of terms that a schema declares, by name; reports those that are not allowed."""
    types: dict[str, m.Type] = {}
    taken = {*_TYPES, "list", "dotted", "number", "word"}
    for declared in declarations:
        name, span = declared.name, declared.span
        if name in taken:
            problems.report(span, "duplicate-type", f"there is a type {name} already", "another name")
        taken.add(name)
        constructors: dict[str, tuple[str, ...]] = {}
        for part in declared.alternatives:
            called, arguments = part.name.removesuffix("()"), tuple(a.name for a in part.arguments)
            is_symbol = part.name == "symbol"
            for argument in () if is_symbol else (part.arguments or (part,) * (not part.name.endswith("()"))):
                if argument.name not in (name, "symbol"):
                    message = f"no part of a {name} is a {argument.name}"
                    expected = f"{name} or symbol; a constructor without parts is written {argument.name}()"
                    problems.report(argument.span, "unknown-type", message, expected)
            key = "" if is_symbol else called
            if key in constructors or any(key in dict(t.constructors) and key for t in types.values()):
                message = f"{part.span.text} is declared twice"
                problems.report(part.span, "duplicate-type", message, "another name")
            constructors[key] = ("symbol",) if is_symbol else arguments
        types.setdefault(name, m.Type("term", of=name, constructors=tuple(constructors.items())))
    return types


def declared_relations(
    declarations: Iterable[s.RelationDeclaration], types: Mapping[str, m.Type], problems: Findings
) -> dict[str, m.Relation]:
    """Return the relations that a schema declares, by name; reports those that are not allowed."""
    relations: dict[str, m.Relation] = {}
    for declared in declarations:
        name = declared.name
        if name in relations or name in RESERVED | CONDITION_WORDS | {"given", "reverse"}:
            taken = "is declared twice" if name in relations else "is a word of the language"
            problems.report(declared.span, "duplicate-relation", f"relation {name} {taken}", "another name")
        arguments: list[tuple[str, m.FactSort]] = []
        for argument in declared.fields:
            kind = argument.type
            written = f"list of {kind.arguments[0].name}" if kind.name == "list" else kind.name
            if written in types:
                arguments.append((argument.name, types[written]))
                continue
            if written not in FACT_TYPES:
                message = f"no argument of a relation is a {written}"
                problems.report_unknown(kind.span, "unknown-type", message, [*types, *FACT_TYPES])
            arguments.append((argument.name, FACT_TYPES.get(written, ("symbol", m.SYMBOL))[0]))
        relations.setdefault(name, m.Relation(name, tuple(arguments), declared.span))
    return relations


def read_item(schema: m.Schema, text: str, n: int | None = None) -> tuple[str, tuple[m.Value, ...]]:
    """Return the form and the values of an item written without variables.

    Parameters
    ----------
    schema : declares the item's form; its parameters may stand for numbers.
    text : one item, for example `span[0, n, false, true]`. Symbols may be bare or quoted.
    n : the length of the sentence; without it, the text may not use `n`.

    Raises
    ------
    SchemaError : the text is not an item, or not one of the schema's; carries every mistake.

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
    if not check_arity(item, form, problems, types=True):
        raise SchemaError(problems)
    names = {p.name: p.value for p in schema.parameters}
    if n is not None:
        names["n"] = n
    reader = _FormReader(names, problems)
    values = tuple(reader.value(t, f.type) for t, f in zip(item.terms, form.fields, strict=True))
    if problems:
        raise SchemaError(problems)
    return form.name, values


def read_value(text: str, kind: m.Type) -> m.Value:
    """Return the value of a type that a text without variables stands for, as in items.

    Raises
    ------
    SchemaError : there is no such value.

    >>> category = m.Type("term", of="category", constructors=(("", ("symbol",)), ("/", ("category", "category"))))
    >>> read_value("S/NP", category) == (m.CONSTRUCTOR + "/", (m.CONSTRUCTOR, "S"), (m.CONSTRUCTOR, "NP"))
    True
    """
    item = parse_item(f"value[{text}]")
    problems = Findings()
    value = _FormReader({}, problems).value(item.terms[0], kind) if len(item.terms) == 1 else None
    if problems or len(item.terms) != 1:
        raise SchemaError(problems)
    return value


class _FormReader(Record):
    """Turns terms into values; `names` have numbers as values."""

    names: s.Environment
    problems: Findings

    def value(self, term: s.TermSyntax, kind: m.Type) -> m.Value:
        """Return the value of a term; None, with a problem, where it has none of that type."""
        match kind.kind, term:
            case "optional", s.ConstantSyntax(_, "absent"):
                return None
            case "optional", _:
                return self.value(term, kind.arguments[0])
            case "position", _:
                return self._number(term)
            case "flag", _:
                return self._flag(term)
            case "symbol", s.ConstantSyntax(str() as symbol, "symbol") | s.Name(symbol):
                return symbol
            case "list", s.ListTermSyntax(elements):
                values = tuple(self.value(e, kind.arguments[0]) for e in elements)
                return tuple(sorted(set(values), key=sort_key)) if kind.arcs else values
            case "tuple", s.TupleTermSyntax(terms) if len(terms) == len(kind.arguments):
                return tuple(self.value(t, k) for t, k in zip(terms, kind.arguments, strict=True))
            case "dotted", s.Dotted(category, parts) if len(parts) == kind.dots + 1:
                lists = (tuple(self.value(e, m.SYMBOL) for e in part) for part in parts)
                return (self.value(category, m.SYMBOL), *lists)
            case "term", _:
                return self._constructed(term, kind)
            case "labels" | "dotted labels", _:
                return self._labels(term, kind)
        return self._wrong(term.span, f"not a {kind}", f"a {kind}")

    def _constructed(self, term: s.TermSyntax, kind: m.Type) -> m.Value:
        known = dict(kind.constructors)
        call = s.application(term)
        if call is not None and len(known.get(call[0].id, ())) == len(call[1]) and call[0].id in known:
            kinds = (kind if argument == kind.of else m.SYMBOL for argument in known[call[0].id])
            parts = (self.value(t, k) for t, k in zip(call[1], kinds, strict=True))
            return (m.CONSTRUCTOR + call[0].id, *parts)
        if "" in known and isinstance(term, s.Name | s.ConstantSyntax):
            return (m.CONSTRUCTOR, self.value(term, m.SYMBOL))
        return self._wrong(term.span, f"no {kind}", f"a {kind}")

    def _number(self, term: s.TermSyntax) -> m.Value:
        value = s.number_of(term, self.names)
        if isinstance(value, int):
            return value
        if isinstance(value, s.Name):
            expected = "a number" + "".join(f" or {known}" for known in self.names)
            return self._variable(value, expected, self.names)
        return self._wrong(value.span, "not a position", "a position")

    def _flag(self, term: s.TermSyntax) -> m.Value:
        match term:
            case s.ConstantSyntax(bool() as flag, "flag"):
                return flag
            case s.NotSyntax(operand):
                inner = self._flag(operand)
                return None if inner is None else not inner
            case s.Name("T" | "F" as letter):  # as pictures of derivations abbreviate them
                return letter == "T"
            case s.Name():
                return self._variable(term, "true or false", ["true", "false"])
        return self._wrong(term.span, "not a flag", "a flag")

    def _labels(self, term: s.TermSyntax, kind: m.Type) -> m.Value:
        dot = kind == m.DOTTED_LABELS
        match term:
            case s.ListTermSyntax(()) if not dot:
                return EMPTY
            case s.Sequence(((), ())) if dot:
                return LONE_DOT
            case s.ConstantSyntax(str() as text, "symbol") if is_sequence(text, dot=dot):
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
