"""Checked terms, items, conditions and values as text, as a paper prints them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeGuard

from schemata.language import model as m
from schemata.language.labels import EMPTY, LONE_DOT
from schemata.language.substitute import fold
from schemata.records import document, fields_json
from schemata.wording import quoted, reference

_NAME = re.compile(r"[^\W\d_]\w*'*")
_BARE_LABELS = {EMPTY: "<>", LONE_DOT: LONE_DOT}
_WORDS = frozenset(
    ("and", "false", "in", "is", "length", "not", "or", "root", "true")
)  # what a bare word would be mistaken for


def format_item(form: m.Form, values: Sequence[m.Value]) -> str:
    """Return an item in canonical text, as a schema would write it.

    Symbols are written bare where they could be names and in double quotes where not, words among them in single
    quotes, the absent value as `-`, lists as `<...>`, dotted rules as `A(B . 'up')`, sequences of labels in quotes.
    `schemata.language.forms.read_item` reads it back.
    """
    fields = (format_value(value, field.type) for value, field in zip(values, form.fields, strict=True))
    return f"{form.name}[{', '.join(fields)}]"


def format_value(value: m.Value, kind: m.Type) -> str:
    """Return one value of a type in canonical text."""
    if value is None:
        return "-"
    match kind.kind:
        case "flag":
            return "true" if value else "false"
        case "optional":
            return format_value(value, kind.arguments[0])
        case "list" if kind.arcs and isinstance(value, tuple):
            return _arcs(format_value(arc, kind.arguments[0]) for arc in value)
        case "list" if isinstance(value, tuple):
            return f"<{', '.join(format_value(v, kind.arguments[0]) for v in value)}>"
        case "tuple" if isinstance(value, tuple):
            return f"({', '.join(format_value(v, t) for v, t in zip(value, kind.arguments, strict=True))})"
        case "dotted" if isinstance(value, tuple):
            category, *parts = value
            words: list[str] = []
            for part in parts:
                if isinstance(part, tuple):
                    words += [m.HEAD_WORD if x == m.HEAD_WORD else _symbol(x) for x in part]
                words.append(".")
            return f"{_symbol(category)}({' '.join(words[:-1])})"
        case "term" if isinstance(value, tuple):
            constructor, *arguments = value
            return _constructed(constructor, [format_value(x, kind) for x in arguments])
        case "symbol" | "term":
            return _symbol(value)
        case "label" | "labels" | "dotted labels":
            return _BARE_LABELS.get(str(value)) or quoted(str(value))
    return str(value)


def _arcs(pairs: Iterable[str]) -> str:
    return f"<{', '.join(pair.strip('()').replace(', ', ' under ') for pair in pairs)}>"


def _constructed(constructor: object, arguments: Sequence[str]) -> str:
    """Return a term of a constructor as it is written: `(S\\NP)/NP`, `pair(A, B)`, or a symbol by itself."""
    name = str(constructor).removeprefix(m.CONSTRUCTOR)
    if name in m.INFIX:
        return name.join(f"({text})" if set(m.INFIX) & set(text) else text for text in arguments)
    return f"{name}({', '.join(arguments)})" if name else arguments[0]


def _symbol(value: m.Value) -> str:
    if value == m.ROOT:
        return "root"
    text = str(value)
    if _NAME.fullmatch(text) and text not in _WORDS:
        return text
    return quoted(m.word_of(text), "'") if m.is_terminal(text) else quoted(text)


def sort_key(value: m.Value) -> Any:
    """Return a key that sorts values of one type: absent first, lists lexicographically."""
    if value is None:
        return ()
    if isinstance(value, tuple):
        return (tuple(map(sort_key, value)),)
    return (value,)


_UNICODE = {
    "<=": "≤", "<": "<", "==": "=", "!=": "≠", "and": "∧", "or": "∨", "not": "¬", "in": "∈", "notin": "∉", "dot": "•",
}  # fmt: skip
_ASCII = {sign: sign for sign in _UNICODE} | {"not": "not ", "notin": "not in", "dot": "."}
# Nodes whose text is that of their parts in order, with words between.
_TEXTS: Mapping[type, str] = {
    m.Any: "_",
    m.TupleTerm: "({})",
    m.Composed: "compose({}, {})",
    m.Arithmetic: "{}({})",
    m.Length: "length({})",
    m.Splice: "*{}",
    m.Reversed: "reverse({})",
    m.AtDot: "{}",
    m.Matches: "{} ~ {}",
    m.Interval: "[{}..{}]",
    m.Positions: "<*[{}..{}]>",
    m.Without: "{} minus {}",
    m.AllWithin: "{} {in} {}",
    m.InOrder: "{} from left to right",
}
_ASKING = {
    "licensed": "licensed {} to {}",
    "licensed_categories": "licensed {} to {}",
    "root": "root {}",
    "left_corner": "corner {} of {}",
    "category": "category {} is {}",
}


def linear_text(constant: int, parts: Iterable[tuple[str, int]]) -> str:
    """Return `constant + sum of coefficient * expression`, positive parts first.

    >>> linear_text(-1, [("i", 1), ("j", -2)])
    'i - 2 * j - 1'
    """
    text = ""
    for shown, coefficient in sorted(parts, key=lambda pair: -pair[1]):
        size = shown if abs(coefficient) == 1 else f"{abs(coefficient)} * {shown}"
        if not text:
            text = size if coefficient > 0 else f"-{size}"
        else:
            text += f" + {size}" if coefficient > 0 else f" - {size}"
    if not text:
        return str(constant)
    if constant:
        text += f" + {constant}" if constant > 0 else f" - {-constant}"
    return text


def pattern_text(schema: m.Schema, pattern: m.Pattern, *, ascii: bool = False) -> str:
    """Return an item with its terms: `span[i, j + 1, not c]`."""
    fields = schema.form(pattern.form).fields
    terms = (term_text(t, f.type, ascii=ascii) for t, f in zip(pattern.terms, fields, strict=True))
    return f"{pattern.form}[{', '.join(terms)}]"


def term_text(term: m.Term, kind: m.Type | None = None, *, ascii: bool = False) -> str:
    """Return the text of a term; its type distinguishes dotted rules from other tuples."""
    return _Typesetter(_ASCII if ascii else _UNICODE).text(term, kind)


def condition_text(condition: m.Condition, *, ascii: bool = False) -> str:
    """Return the text of a side condition, without the parts that numbers alone decide, such as set
    parameters.
    """
    folded = _folded(condition)
    shown = condition if isinstance(folded, m.Lit) else folded
    return _Typesetter(_ASCII if ascii else _UNICODE).text(shown)


def _folded(condition: m.Condition) -> m.Condition:
    return condition if isinstance(condition, m.HasFact) else fold(condition)


def conditions_of(case: m.Case, *, ascii: bool = False) -> list[str]:
    """Return the lines beside a case's rule: the atoms that it builds, then its conditions.

    `attach` stands for a link and its licence, `join` for a link and its match. Conditions that numbers make true are
    left out.
    """
    text = _Typesetter(_ASCII if ascii else _UNICODE).text
    lines: list[str] = []
    told: list[m.Condition] = []
    for link in case.links:
        if isinstance(link, m.Join):
            when = f" if {text(link.when)}" if link.when is not None else ""
            lines.append(f"join {text(link.left)} to {text(link.right)} by {text(link.by)}{when}")
            told.append(link.by if link.when is None else m.Junction("or", (m.Not(link.when), link.by)))
            continue
        terms = [text(term, kind) for term, kind in zip(link.terms, link.types, strict=True)]
        if link.licence is None:
            over = "" if link.over is None else f" over {link.over + 1}"
            lines.append(f"builds {link.name}({', '.join(terms)}){over}")
            continue
        word = "attach" if link.licence in case.conditions else "link"
        told.append(link.licence)
        lines.append(f"{word} {' to '.join(terms[:2])}" + "".join(f" by {label}" for label in terms[2:]))
    lines += [f"link head of {x.dependent + 1} to head of {x.head + 1}" for x in case.head_links]
    lines += [f"head {text(case.head)}"] if case.head is not None else []
    lines += [text(case.weight)] if case.weight is not None else []
    untold = [c for c in case.conditions if c not in told and _folded(c) != m.Lit(True)]
    return lines + [condition_text(c, ascii=ascii) for c in untold]


def case_text(schema: m.Schema, case: m.Case, added: Sequence[str] = ()) -> str:
    """Return a case as a schema writes it; `added` are further conditions."""
    above = "   ".join(
        ("given " if a.context else "") + pattern_text(schema, a.pattern, ascii=True)
        for a in case.antecedents
    )
    below = pattern_text(schema, case.consequent, ascii=True)
    return rule_text(above, [*conditions_of(case, ascii=True), *added], below)


def rule_text(above: str, beside: Sequence[str], below: str) -> str:
    """Return a rule in schema notation from its antecedents, the text beside the line, and the consequent."""
    line = f"{'-' * max(len(above), len(below))}  {', '.join(beside)}".rstrip()
    return f"  {above}\n  {line}\n  {below}"


class _Typesetter:
    """Writes nodes with one set of signs."""

    def __init__(self, signs: Mapping[str, str]) -> None:
        self.signs = signs

    def text(self, node: object, kind: m.Type | None = None) -> str:
        """Return the text of a node, perhaps of a certain type, or of a name in it."""
        signs = self.signs
        match node:
            case str():
                return node
            case tuple():
                return ", ".join(map(self.text, node))
            case m.Var(name, optional):
                return f"{name}?" if optional else name
            case m.Lit(value) if kind is not None:
                return format_value(value, kind)
            case m.Lit(value):
                return _constant(value)
            case m.Linear(constant, atoms):
                return linear_text(constant, [(self.text(a), k) for a, k in atoms])
            case m.Run(m.Any()):
                return "*_"
            case m.Run(shape):
                text = self.text(shape, kind)
                return f"*{text}" if text.startswith("(") else f"*({text})"
            case m.ListTerm(elements) if kind is not None and kind.arcs:
                return _arcs(map(self.text, elements))
            case m.ListTerm(elements):
                inner = kind.arguments[0] if kind is not None and kind.kind == "list" else None
                return f"<{', '.join(self.text(e, inner) for e in elements)}>"
            case m.TupleTerm((category, *parts)) if kind is not None and kind.kind == "dotted":
                shown = f" {signs['dot']} ".join(self.row(part) for part in parts).strip()
                return f"{self.text(category)}({shown})".replace("  ", " ")
            case m.TupleTerm((m.Lit(str() as constructor), *parts)) if constructor.startswith(m.CONSTRUCTOR):
                return _constructed(constructor, [self.text(part, kind) for part in parts])
            case m.TupleTerm(terms) if kind is not None and kind.kind == "tuple":
                return f"({', '.join(map(self.text, terms, kind.arguments))})"
            case m.Labels(labels, dot, stays):
                words = [*map(self.text, labels)]
                if dot is not None:
                    if stays:
                        words[dot - 1] += "@"
                    words.insert(dot, signs["dot"])
                return " ".join(words) or "<>"
            case m.Not(m.Member() as member):
                return self.member(member, "notin", "no")
            case m.Not(m.Compare("==", m.Length(name), m.Lit(0))):
                return f"{name} is not empty"
            case m.Not(m.Path() as path):
                return self.path(path, "not ")
            case m.Not(operand):
                return f"{signs['not']}{_in_brackets(self.text(operand))}"
            case m.Junction("and", operands) if _is_chain(operands):
                links = (f"{signs[c.relation]} {self.text(c.right)}" for c in operands)
                return " ".join((self.text(operands[0].left), *links))
            case m.Junction(word, operands):
                return f" {signs[word]} ".join(_in_brackets(self.text(o)) for o in operands)
            case m.Compare("==", m.Length(left), m.Lit(0)) | m.Compare("==", left, m.Labels(())):
                return f"{self.text(left)} is empty"
            case m.Compare(relation, left, right):
                return f"{self.compared(left)} {signs[relation]} {self.compared(right)}"
            case m.WithArc(arcs, m.TupleTerm(ends)):
                return f"{self.text(arcs, m.ARCS)} + ({' under '.join(map(self.text, ends))})"
            case m.Member():
                return self.member(node, "in", "a")
            case m.Path():
                return self.path(node)
            case m.IsAbsent(operand):
                return f"{self.text(operand).removesuffix('?')} is absent"
            case m.Weight(term, is_log):
                return f"weight {'log ' if is_log else ''}{self.text(term)}"
            case m.Decimal(value):
                return f"{value:g}"
            case m.Arithmetic("asked"):
                return "asked"
            case m.Arithmetic(sign, operands) if not sign.isalpha():
                both = [_in_brackets(self.text(o)) for o in operands]
                return f" {sign} ".join(both) if len(both) > 1 else f"{sign}{both[0]}"
            case m.HasFact("rule", (category, body), None):
                return f"rule {self.text(category)}({self.row(body)})"
            case m.HasFact("disjunct", (right, left, word), None):
                sides = [m.Splice(x.name) if isinstance(x, m.Var) else x for x in (right, left)]
                return f"disjunct {self.text(sides[0])} / {self.text(sides[1])} of {self.text(word)}"
            case m.HasFact(relation, terms, None):
                return _ASKING[relation].format(*map(self.text, terms))
            case m.HasFact(relation, terms, _, negated):
                asked = f"{relation} {{}}" if relation in (m.SAME_WORD, m.NEXT_WORD) else f"{relation}({{}})"
                return (signs["not"] if negated else "") + asked.format(self.text(terms))
        return _TEXTS[type(node)].format(*map(self.text, m.parts(node)), **signs)

    def compared(self, term: m.Term) -> str:
        """The text of a side of a comparison, a condition in parentheses."""
        text = self.text(term)
        return f"({text})" if isinstance(term, m.Compare | m.Member | m.IsAbsent | m.Junction) else text

    def member(self, member: m.Member, sign: str, determiner: str) -> str:
        """The text of a membership in a region, or of its opposite."""
        if not isinstance(member.element, m.TupleTerm) or not member.arcs:
            own = member.element == m.Lit(m.HEAD_WORD)  # which outside a rule is written in quotes
            element = f'"{m.HEAD_WORD}"' if own else self.text(member.element)
            return f"{element} {self.signs[sign]} {self.text(member.region)}"
        word, head = map(self.text, member.element.terms)
        arcs = self.text(member.region, m.ARCS)
        if member.element.terms[1] == m.Any():
            return f"{word} has {determiner} head in {arcs}"
        return f"({word} under {head}) {self.signs[sign]} {arcs}"

    def path(self, path: m.Path, negation: str = "") -> str:
        """The text of the condition that there is a path, or of its opposite."""
        word = "above" if path.directed else "connected to"
        return f"{self.text(path.one)} {negation}{word} {self.text(path.other)} in {self.text(path.arcs, m.ARCS)}"

    def row(self, elements: m.Term) -> str:
        """Return the elements of a list with blanks between."""
        return " ".join(map(self.text, elements.elements)) if isinstance(elements, m.ListTerm) else ""


def _constant(value: m.Value) -> str:
    kind = m.SYMBOL if isinstance(value, str) and value != m.HEAD_WORD else m.POSITION
    kind = m.FLAG if isinstance(value, bool) else m.LABELS if value in _BARE_LABELS else kind
    return format_value(value, kind)


def meaning_text(schema: m.Schema, meaning: m.Meaning, *, ascii: bool = False) -> str:
    """Return a claim about items as schemata write it, without its keyword.

    >>> from schemata.language.library import load_schema
    >>> schema = load_schema("yamada-matsumoto2003")
    >>> meaning_text(schema, schema.meanings[0])
    'span[i, j]: trees i, j over [i..j], projective'
    """

    def words(many: Sequence[m.SomeWords], between: str = ", ") -> str:
        return between.join(map(some, many))

    def some(one: m.SomeWords) -> str:
        term = f"*{one.term.name}" if isinstance(one.term, m.Splice) else term_text(one.term, ascii=ascii)
        if one.when is not None:
            return f"{term} if {condition_text(one.when, ascii=ascii)}"
        if one.element is None or one.of is None:
            return term
        kind = meaning.clause.types[one.of.name].arguments[0]
        return f"{term} for {term_text(one.element, kind, ascii=ascii)} in {one.of.name}"

    def region(one: m.Region) -> str:
        return _Typesetter(_ASCII if ascii else _UNICODE).text(m.rewrite(one, _never_absent))

    heads = (
        f"tree{'s' if len(meaning.heads) > 1 or _is_many(meaning.heads[0]) else ''} {words(meaning.heads)}"
    )
    parts = [f"{pattern_text(schema, meaning.clause.pattern, ascii=ascii)}: {heads} over "]
    parts[0] += region(meaning.region)
    parts[0] += f" with {words(meaning.beside, ' and ')}" if meaning.beside else ""
    for name, number, below in meaning.classes:
        counted = name in ("mg", "length", "gap-degree")
        parts.append(f"{'below ' if below else ''}{name}{f'-{number}' if counted else ''}")
    for claim in meaning.links:
        if isinstance(claim, m.ClaimedConnection):
            ends = (term_text(end, ascii=ascii) for end in (claim.one, claim.other))
            parts.append(f" {'not ' * claim.negated}connected to ".join(ends))
            parts[-1] += "" if claim.without is None else f" without {region(claim.without)}"
            parts[-1] += "" if claim.iff is None else f" iff {condition_text(claim.iff, ascii=ascii)}"
            continue
        ends = (
            region(x) if isinstance(x, m.Interval) else term_text(x, ascii=ascii)
            for x in (claim.dependent, claim.head)
        )
        how = claim.how if claim.number is None else term_text(claim.number, ascii=ascii)
        plural = claim.number is not None or claim.crossing is not None or how.startswith("several")
        between = " between {} and {}" if claim.undirected else " {} to {}"
        parts.append(f"{how} link{'s' * plural}{between.format(*ends)}".lstrip())
        if claim.crossing is not None:
            parts[-1] += f" crossed by {words(claim.crossing, ' and ')}" if claim.crossing else " uncrossed"
        if claim.neighbours is not None:
            of = claim.neighbours.of.name
            kind = meaning.clause.types[of].arguments[0]
            pair = (term_text(x, kind, ascii=ascii) for x in (claim.neighbours.one, claim.neighbours.other))
            parts[-1] += f" for {', '.join(pair)} in {of}"
    if meaning.expected is not None:
        parts.append(f"expected at {term_text(meaning.expected, ascii=ascii)}")
    least = "at least " if meaning.partly else ""
    parts += [] if meaning.opened is None else [f"open {least}{words(meaning.opened)}"]
    conditions = (c for c in meaning.clause.conditions if any(True for _ in m.variables(c)))
    where = ", ".join(condition_text(c, ascii=ascii) for c in conditions)
    return ", ".join(parts) + (f" where {where}" if where else "")


def _never_absent(node: object) -> m.Var | None:
    """Return a variable as it is written after a pattern that has marked it as possibly absent."""
    return m.Var(node.name) if isinstance(node, m.Var) and node.optional else None


def _is_many(words: m.SomeWords) -> bool:
    return isinstance(words.term, m.Splice) or words.of is not None


def _is_chain(operands: Sequence[m.Term]) -> TypeGuard[Sequence[m.Compare]]:
    """Whether these are comparisons each of which begins where the one before ends."""
    comparisons = [o for o in operands if isinstance(o, m.Compare)]
    linked = all(a.right == b.left for a, b in pairwise(comparisons))
    return linked and len(comparisons) == len(operands)


def _in_brackets(text: str) -> str:
    return f"({text})" if " " in text else text


def reference_of(schema: m.Schema) -> str:
    """Return how a schema is referred to: its name, and the parameters that differ from their defaults.

    >>> import schemata
    >>> reference_of(schemata.load("mh", k=4).definition)
    'mh:k=4'
    """
    return reference(schema.name, {p.name: p.value for p in schema.parameters if p.value != p.default})


def schema_json(schema: m.Schema) -> dict[str, Any]:
    """Return the JSON document of a schema that `schemata show --json` prints."""
    return {
        **document(fields_json(schema, "schema=name title source=reference grammar")),
        "relations": {r.name: {x: str(s) for x, s in r.arguments} for r in schema.relations},
        "parameters": {p.name: p.value for p in schema.parameters},
        "forms": {f.name: {x.name: str(x.type) for x in f.fields} for f in schema.forms},
        "steps": [
            {
                **fields_json(c, "step case=label"),
                "antecedents": [pattern_text(schema, a.pattern, ascii=True) for a in c.antecedents],
                "context": [k for k, a in enumerate(c.antecedents) if a.context],
                "consequent": pattern_text(schema, c.consequent, ascii=True),
                "conditions": conditions_of(c, ascii=True),
            }
            for c in schema.cases
        ],
        "final": [pattern_text(schema, c.pattern, ascii=True) for c in schema.finals],
        "means": [meaning_text(schema, one, ascii=True) for one in schema.meanings],
        "text": schema.source.text,
    }
