"""Parses the pieces of schema and relation files with Lark (`schema.lark`) and makes syntax nodes of its trees.

Lark's complaints become diagnostics that a schema's author can act on.
"""

from __future__ import annotations

import contextlib
import functools
import io
import pickle
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Mapping
from importlib import resources
from typing import Any, TypeAlias

import lark
from lark import Lark, Token, Tree, UnexpectedCharacters, UnexpectedInput, UnexpectedToken
from lark.tree import Meta

from schemata.cache import look_up, store
from schemata.errors import Diagnostic, Location, SchemaError, did_you_mean
from schemata.language import habits
from schemata.language import syntax as s
from schemata.language.model import HEAD_WORD, LENGTH_OF, ROOT, terminal
from schemata.language.pieces import Piece, units
from schemata.language.source import QUOTED, Findings, SourceText, Span, line_span, source_from_text
from schemata.thresholds import REFUSALS
from schemata.wording import quoted, unquoted

NUMBER_DIGITS = 6  # no sentence, list or parameter comes near a million
NUMBER_LIMIT = f"at most {10**NUMBER_DIGITS - 1:,}"
_STARTS = [
    "header", "definition", "inputs", "type_declaration", "relation_declaration", "item_declaration",
    "hypothesis_declaration", "final_declaration", "meaning_declaration",
    "equation", "composition", "antecedents", "family", "consequent", "conditions", "item", "relation_header",
    "stations", "value_range", "item_map",
]  # fmt: skip
TABLE = "schema.table"
"""The file beside the grammar in which copies of this package have the parse table."""

_KIND = "grammar"  # folder in the user's cache folder


@functools.cache
def _lark() -> Lark:
    """Return the parser. Its table is kept between runs: making it takes as long as all the rest of a schema."""
    grammar = _grammar()
    key = f"{sys.version_info.major}.{sys.version_info.minor}-{lark.__version__}-{zlib.crc32(grammar.encode()):08x}"
    shipped = resources.files("schemata.language").joinpath(TABLE)
    for content in (look_up(_KIND, key), shipped.read_bytes() if shipped.is_file() else None):
        with contextlib.suppress(Exception):  # it is made again, whatever is wrong with the file
            if content is not None:
                return Lark.load(_Table(io.BytesIO(content)).load())
    parser = Lark(grammar, parser="lalr", start=_STARTS, propagate_positions=True, maybe_placeholders=True)
    store(_KIND, key, _written(parser))
    return parser


@functools.cache
def words_of_language() -> frozenset[str]:
    """Return the words that the language gives a meaning, with some more: all that stand in `schema.lark`."""
    return frozenset(re.findall(r"[^\W\d_]+", _grammar()))


def _grammar() -> str:
    return resources.files("schemata.language").joinpath("schema.lark").read_text(encoding="utf-8")


def table() -> bytes:
    """Return the parse table as bytes: a copy of this package, with the same grammar and Lark, has it in `TABLE`."""
    return _written(_lark())


def _written(parser: Lark) -> bytes:
    written = io.BytesIO()
    parser.save(written)
    return written.getvalue()


@functools.lru_cache(maxsize=1024)
def _tree(text: str, start: str) -> Tree[Token]:
    """Return the parse tree of a piece, with places relative to it, so that an editor reparses only
    changed pieces.
    """
    return _lark().parse(text, start=start)


class _Table(pickle.Unpickler):
    """Reads a parse table, which is made of numbers, texts, lists and mappings only."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"{module}.{name} is not part of a parse table")


def parse_item(text: str, file: str = "item") -> s.ItemSyntax:
    """Return one item written as in a schema, `span[0, 3, false, true]`.

    Raises
    ------
    SchemaError : the text is not one item.
    """
    if not text.strip():
        expected = "an item, such as span[0, 3, false, true]"
        raise SchemaError(Diagnostic("syntax", "there is no item", Location(file, 1, 1), expected=expected))
    source = source_from_text(text, file)
    parser = PieceParser(source)
    item = parser.parse("item", Piece.of(source), "the item")
    if parser.problems:
        raise SchemaError(parser.problems)
    assert isinstance(item, s.ItemSyntax)
    return item


class PieceParser:
    """Parses pieces of one source text, and makes syntax nodes of Lark's trees; `problems` grows.

    Numbers too large to mean anything are reported, and words of a sentence outside of items with values.
    """

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.problems = Findings()
        self._offset = 0
        self._is_item = False

    def parse(self, start: str, text: Piece, what: str) -> Any:
        """Parse a piece from a start symbol; on a mistake report it and return None."""
        problem = _find_size_error(text, self.source)
        if problem is None:
            self._offset, self._is_item = text.first_line - 1, start == "item"
            try:
                before = len(self.problems)
                node = self._node(_tree(text.text, start))
                return None if "number-too-large" in (p.code for p in self.problems[before:]) else node
            except UnexpectedInput as error:
                problem = _explain(error, _acceptable(error, text.text, start), text, self.source, what)
        self.problems.append(problem)
        return None

    def parse_units(self, start: str, text: Piece, what: str) -> tuple[tuple[Any, ...], bool]:
        """Parse antecedents or conditions; those that parse, and whether all did.

        Where the whole does not parse, each is tried alone, so that every one reports its own mistake.
        """
        before = len(self.problems)
        nodes = self.parse(start, text, what)
        if nodes is not None:
            return nodes, True
        parts = units(text, start)
        first_problem = self.problems[before:]
        if len(parts) < 2 or any(p.code != "syntax" for p in first_problem):
            return (), False
        del self.problems[before:]
        parsed = [x for part in parts for x in self.parse(start, part, what) or ()]
        if len(self.problems) == before:
            self.problems += first_problem
        return tuple(parsed), False

    # From parse trees to syntax nodes

    def _node(self, tree: Tree[Token]) -> Any:
        """Build the node of a parse tree: from nodes and token values, with None for omitted parts."""
        children = tree.children
        if len(children) > 1:
            children = [x for x in children if not (isinstance(x, Token) and x.type in _SIGNS)]
        parts = [self._node(x) if isinstance(x, Tree) else x and self._value(x) for x in children]
        place: Any = children[0] if tree.data in _NAMED else tree.meta
        rule = tree.data.removeprefix("not_")
        negated = {"negated": True} if len(rule) < len(tree.data) else {}
        return _maker(rule)(*parts, span=self._span(place), **negated)

    def _span(self, place: Meta | Token) -> Span:
        if isinstance(place, Meta) and place.empty:  # of a tree without tokens
            return Span(self.source, 1 + self._offset, 1, 2)
        line, column, end = (place.line or 1) + self._offset, place.column or 1, place.end_column
        if place.end_line != place.line:
            end = len(self.source.lines[line - 1]) + 1
        return Span(self.source, line, column, max(end or 1, column + 1))

    def _value(self, token: Token) -> int | float | str:
        """Return the value of a token, without its quotes or its star."""
        match token.type:
            case "INT" if len(token) > NUMBER_DIGITS:
                message = "the number is too large"
                self.problems.report(self._span(token), "number-too-large", message, NUMBER_LIMIT)
                return 0
            case "INT":
                return int(token)
            case "DECIMAL":
                return float(token)
            case "STAR_NAME":
                return token[1:]
            case "LENGTH_OF":
                return LENGTH_OF + token.split()[-1]
            case "STRING":
                return unquoted(token)
            case "WORD":  # items have words in single quotes, and a schema its symbols in double ones
                word = unquoted(token)
                if not self._is_item:
                    message, expected = f"{token} stands in single quotes", quoted(word)
                    self.problems.report(self._span(token), "syntax", message, expected, _SYMBOL_HINTS["'"])
                return terminal(word)
        return _RELATIONS.get(token.type) or str(token)


def _acceptable(error: UnexpectedInput, text: str, start: str) -> set[str]:
    """Return the terminals that could stand where parsing stopped.

    If it stopped at a character that begins no token, the parser knows more of them than the lexer.
    """
    if isinstance(error, UnexpectedToken):
        return set(error.accepts or error.expected)
    if not isinstance(error, UnexpectedCharacters):
        return set()
    interactive = _lark().parse_interactive(text[: error.pos_in_stream], start=start)
    try:
        interactive.exhaust_lexer()
    except (UnexpectedToken, UnexpectedCharacters):
        return set()
    return set(interactive.accepts())  # type: ignore[no-untyped-call]


# What makes nodes of the parts of trees ---------------------------------------------------------------------


_Maker: TypeAlias = "Callable[..., Any]"  # of the parts of a tree, with their place as `span`


@functools.cache
def _maker(rule: str) -> _Maker:
    """Return the constructor for a rule's parts: by `_NODES`, else by the rule's name, perhaps with `Syntax`."""
    if rule.startswith("asks_"):
        return _of_all(s.GrammarCondition, rule.removeprefix("asks_").replace("_", " "))
    if rule.endswith("_type") and rule not in _NODES:
        return _of_all(s.TypeName, rule.removesuffix("_type").replace("_", " "))
    if rule in _NODES:
        return _NODES[rule]
    name = "".join(map(str.capitalize, rule.split("_")))
    maker: _Maker = getattr(s, name, None) or getattr(s, f"{name}Syntax")
    return maker


def _row(words: str | None) -> str:
    """Return words with single blanks between."""
    return " ".join((words or "").split())


def _of(kind: _Maker, *more: object) -> _Maker:
    """Return a constructor of nodes from a tree's parts and further values."""
    return lambda *parts, **named: kind(*parts, *more, **named)


def _of_all(kind: _Maker, *first: object) -> _Maker:
    """Return a constructor of nodes from fixed values and all parts together as one tuple."""
    return lambda *parts, **named: kind(*first, parts, **named)


def _constant(value: int | bool | str | None, kind: str) -> _Maker:
    return lambda *parts, span: s.ConstantSyntax(value, kind, span=span)  # type: ignore[arg-type]


def _has_head(word: s.TermSyntax, arcs: s.RegionSyntax, span: Span, negated: bool = False) -> s.Membership:
    """The condition that a word has a head among arcs: that these have a pair of the word and any other."""
    pair = s.TupleTermSyntax((word, s.Wildcard(span=span)), span=span)
    return s.Membership(pair, arcs, negated, span=span)


def _only(part: Any, span: Span) -> Any:
    return part


def _all(*parts: Any, span: Span) -> tuple[Any, ...]:
    return parts


def _cut(parts: Iterable[Any]) -> tuple[tuple[Any, ...], ...]:
    """Cut the parts of a dotted rule or sequence at its dots, which are tokens."""
    cut: list[list[Any]] = [[]]
    for part in parts:
        if isinstance(part, str):
            cut.append([])
        else:
            cut[-1].append(part)
    return tuple(map(tuple, cut))


_RELATIONS = {"LESS": "<", "MORE": ">", "AT_MOST": "<=", "AT_LEAST": ">=", "EQUALS": "==", "DIFFERS": "!="}
_SIGNS = frozenset(("EQUALS", "HYPHEN", "SIGN", "LESS", "MORE"))  # nothing by themselves, beside other parts
# Rules whose nodes are known by the name that they begin with, and stand at its place.
_NAMED = frozenset(
    ("field", "definition", "relation_declaration", "item_declaration", "type_declaration", "constituent",
     "schema_reference", "value_range", "parameter", "argument", "header")
)  # fmt: skip
_ROWS = "conditions antecedents composition inputs beginning ending parameters arguments stations beside properties"
_NODES: Mapping[str, _Maker] = {
    **dict.fromkeys(["dot", "parenthesis", "relation", "over_antecedent", "where", "extension"], _only),
    **dict.fromkeys(_ROWS.split(), _all),
    # terms
    "length_of_input": s.Name,
    "optional_name": _of(s.Name, True),
    "advance": _of(s.Name, False, True),
    "constructor": s.Name,
    "number": _of(s.ConstantSyntax, "number"),
    "text": _of(s.ConstantSyntax, "symbol"),
    "word": _of(s.ConstantSyntax, "symbol"),
    "true": _constant(True, "flag"),
    "false": _constant(False, "flag"),
    "absent": _constant(None, "absent"),
    "root_symbol": _constant(ROOT, "symbol"),
    "head_word": _constant(HEAD_WORD, "symbol"),
    "added": lambda part, span: (1, part),
    "subtracted": lambda part, span: (-1, part),
    "sum": lambda *c, span: s.Sum(tuple(x if isinstance(x, tuple) else (1, x) for x in c), span=span),
    "list": _of_all(s.ListTermSyntax),
    "run": lambda *c, span: s.RunSyntax(c[0] if len(c) == 1 else s.TupleTermSyntax(c, span=span), span=span),
    "tuple": _of_all(s.TupleTermSyntax),
    "dotted": lambda category, *c, span: s.Dotted(category, _cut(c), span=span),
    "fact": lambda relation, *c, span: s.FactSyntax(relation, c, span=span),
    "infix": lambda one, sign, other, span: s.FactSyntax(sign, (one, other), span=span),
    "sequence": lambda *c, span: s.Sequence(_cut(c), span=span),
    "lone_dot": lambda dot, span: s.Sequence(((), ()), span=span),
    # conditions made of terms
    "conjunction": _of_all(s.JunctionSyntax, "and"),
    "disjunction": _of_all(s.JunctionSyntax, "or"),
    "comparison": lambda *c, span: s.ComparisonSyntax(c[0::2], c[1::2], span=span),
    "has_head": _has_head,
    "connected": _of(s.PathSyntax, False),
    "above": _of(s.PathSyntax, True),
    "is_empty": _of(s.StateTest, "empty"),
    "is_absent": _of(s.StateTest, "absent"),
    # other conditions
    "attach": _of(s.LinkCondition, True, True),
    "licensed": _of(s.LinkCondition, None, True, False),
    "build": _of(s.LinkCondition, False, True),
    "builds": lambda name, *c, span: s.BuildCondition(name, c[:-1], c[-1], span=span),
    "build_heads": lambda d, h, span: s.LinkHeads(d, d if h is None else h, span=span),
    "join": s.JoinCondition,
    "matched": s.MatchesSyntax,
    "weight": _of(s.WeightCondition, False),
    "log_weight": _of(s.WeightCondition, True),
    "plus": _of_all(s.ArithmeticSyntax, "+"),
    "minus": _of_all(s.ArithmeticSyntax, "-"),
    "times": _of_all(s.ArithmeticSyntax, "*"),
    "over": _of_all(s.ArithmeticSyntax, "/"),
    "negative": _of_all(s.ArithmeticSyntax, "-"),
    "asked": _of_all(s.ArithmeticSyntax, "asked"),
    "call": lambda function, *c, span: s.ArithmeticSyntax(function, c, span=span),
    # items and declarations
    "item": lambda form, *c, span: s.ItemSyntax(form, c, span=span),
    "antecedent": _of(s.AntecedentSyntax, False),
    "context_antecedent": _of(s.AntecedentSyntax, True),
    "consequent": lambda item, conditions=(), span=None: (item, conditions),
    "named_type": s.TypeName,
    "infix_alternative": lambda one, sign, other, span: s.TypeName(sign.id, (one, other), span=sign.span),
    "alternative": lambda name, *c, span: s.TypeName(f"{name}()", c, span=span),
    "input_type": lambda name, source, span: s.TypeName(name, (source,), span=span),
    "double_dotted_rule_type": _of_all(s.TypeName, "double-dotted rule"),
    "type_declaration": lambda name, *c, span: s.TypeDeclaration(name, c, span=span),
    "definition": lambda name, *c, span: s.Definition(name, c[:-1], c[-1], span=span),
    "relation_declaration": lambda name, *c, span: s.RelationDeclaration(name, c, span=span),
    "item_declaration": lambda form, *c, span: s.ItemDeclaration(form, c[:-1], c[-1] or (), span=span),
    "hypothesis_declaration": s.Hypothesis,
    "final_declaration": s.FinalDeclaration,
    "equation": s.EquationDeclaration,
    "meaning_declaration": lambda item, stands, *rest, span: s.MeaningDeclaration(
        item, stands[0], stands[1], stands[2], rest[0] if len(rest) > 1 else (), rest[-1] or (), span=span
    ),
    "standing": lambda *c, span: (c[:-2], c[-2], c[-1] or ()),
    "forest_class": lambda name, level=None, *, span: s.ForestClass(
        name.rstrip("-"), level, False, span=span
    ),
    "words_if": lambda term, when, span: s.SomeWordsSyntax(term, when=when, span=span),
    "partial_opening": _of(s.Opening, True),
    "neighbours": lambda one, other, of, span: (one, other, of),
    "link_claim": lambda how, d, h, pairs, span: s.LinkClaim(_row(how), d, h, neighbours=pairs, span=span),
    "between_claim": lambda how, d, h, span: s.LinkClaim(_row(how), d, h, undirected=True, span=span),
    "counted_claim": lambda number, d, h, span: s.LinkClaim("", d, h, number, span=span),
    "crossing_claim": lambda d, h, *by, span: s.LinkClaim("", d, h, undirected=True, crossing=by, span=span),
    "disconnection": lambda one, other, span: s.Connection(one, other, negated=True, span=span),
    "lower_class": lambda name, level=None, *, span: s.ForestClass(name.rstrip("-"), level, True, span=span),
    "family": lambda *c, span: s.Family(c[:-3], *(part or () for part in c[-3:]), span=span),
    "parameter": s.Setting,
    "argument": s.Setting,
    "header": lambda name, own, base, where, span: s.Header(name, own or (), base, where or (), span=span),
    # relation files
    "value_range": lambda name, values, span: s.ValueRange(name, values.low, values.high, span=span),
    "item_map": lambda one, other, where=(), *, span: s.ItemMapLine(one, other, where, False, span=span),
    "reversed_item_map": lambda one, other, where=(), *, span: s.ItemMapLine(
        other, one, where, True, span=span
    ),
}


_NAMES = {
    "NAME": "a name", "SCHEMA_NAME": "a schema name", "STAR_NAME": "a sequence variable *A", "INT": "a number",
    "STRING": 'a quoted "symbol"', "COMMA": "a comma", "RSQB": "]", "LSQB": "[", "RPAR": ")", "LPAR": "(", "MORE": ">",
    "COLON": ":", "EQUALS": "=", "DOT": ".", "$END": "the end", "DOTS": "..", "LESS": "<", "AT_MOST": "<=",
    "AT_LEAST": ">=", "DIFFERS": "!=", "SIGN": "+", "HYPHEN": "-", "DECIMAL": "a number", "HEAD_WORD": "^",
    "UNDERSCORE": "_", "QMARK": "?", "VBAR": "|", "SEMICOLON": ";", "TREES": "trees",
    "FOREST_CLASS": "a class of forests", "COUNTED_CLASS": "gap-degree-K", "LENGTH_CLASS": "length-K",
    "LINK_COUNT": "one",
}  # fmt: skip
_TERM_STARTS = frozenset(
    ["NAME", "STAR_NAME", "UNDERSCORE", "INT", "STRING", "TRUE", "FALSE", "LESS", "LPAR", "HYPHEN", "SIGN"]
)
_CONDITION_STARTS = frozenset(
    ["ATTACH", "BUILDS", "LICENSED", "LINK", "HEAD", "RULE", "CATEGORY", "CORNER", "DISJUNCT", "JOIN", "WEIGHT",
     "SAME_WORD"]
)  # fmt: skip
_LABEL_PARTS = frozenset(["NAME", "STAR_NAME", "UNDERSCORE", "DOT", "AT"])
_OPERATORS = frozenset(
    ("SIGN", "HYPHEN", "LESS", "MORE", "AT_MOST", "AT_LEAST", "EQUALS", "DIFFERS", "QMARK", "LPAR", "MATCHES")
)
_JOINING = frozenset(
    ["_AND", "_OR", "_NOT", "_IN", "_NOT_IN", "_RUN", "_HAS_HEAD", "_HAS_NO_HEAD", "_CONNECTED", "_NOT_CONNECTED",
     "_ABOVE", "_NOT_ABOVE", "_UNDER"]
)  # fmt: skip
_LISTS = "lists are written <a, b>"
_SYMBOL_HINTS = {
    **dict.fromkeys(("=>", "|-", "⊢", "⇒", ":-"), "the consequent stands below a line of dashes"),
    **dict.fromkeys(("->", "→", "<-"), "write attach d to h"),
    "&": "separate conditions with commas; within or and not, write and",
    "&&": "separate conditions with commas; within or and not, write and",
    "and": "separate conditions with commas",
    "|": "write or",
    "notin": "write not in",
    "||": "write or",
    "!": "write not, or != for a difference",
    "~": "write not, or x ~ y for labels that match",
    "'": 'quote symbols with "..."',
    '"': 'symbols are quoted with "..." on one line',
    "{": _LISTS,
    "}": _LISTS,
    ";": "separate with commas",
    "/": "arithmetic is + and - only",
    "*": "sequence variables are written *A without a blank; there are no products",
    ":=": "write ==",
    "\N{NO-BREAK SPACE}": "this blank is a no-break space: write an ordinary one",
}
# Words that can name no variable. Others, such as `head`, only begin a condition.
RESERVED = frozenset(["and", "false", "in", "is", "length", "minus", "not", "or", "root", "to", "true"])
CONDITION_WORDS = frozenset(
    ["attach", "builds", "category", "corner", "disjunct", "head", "join", "licensed", "link", "rule"]
)
_PAIRS = {"[": "]", "(": ")"}
_BRACKETS = frozenset("[]()")
_SIZED = re.compile(rf"{QUOTED}|[^\W\d]\w*'*|[^\s\w]|\".*")
_TOKEN = re.compile(r"[^\W\d]\w*'*|\d+|=>|->|<-|:=|:-|\|-|&&|\|\||.")


def _find_size_error(text: Piece, source: SourceText) -> Diagnostic | None:
    """Report unbalanced brackets, and pieces that are too long or too deeply nested to parse."""
    stack: list[tuple[str, Span]] = []
    negations = 0
    for number, line in enumerate(text.text.split("\n")):
        for found in _SIZED.finditer(line):
            token = found[0]
            negations = negations + 1 if token in ("not", "¬") else 0
            if negations <= REFUSALS.nested_brackets and token not in _BRACKETS:
                continue
            span = Span(source, text.first_line + number, found.start() + 1, found.end() + 1)
            if negations > REFUSALS.nested_brackets:
                return span.report("too-deep", f"more than {REFUSALS.nested_brackets} negations in a row")
            if token in _PAIRS:
                stack.append((token, span))
                if len(stack) > REFUSALS.nested_brackets:
                    return span.report(
                        "too-deep", f"brackets nested more than {REFUSALS.nested_brackets} deep"
                    )
            else:
                problem = _closing(token, span, stack)
                if problem is not None:
                    return problem
    if stack:
        opened, span = stack[-1]
        return span.report("bracket", f"{opened} is never closed", expected=_PAIRS[opened])
    sizes = [len(line.strip()) for line in text.text.split("\n")]
    if sum(sizes) <= REFUSALS.piece_characters:
        return None
    first = line_span(source, text.first_line + next(k for k, size in enumerate(sizes) if size))
    limit = f"at most {REFUSALS.piece_characters:,} characters"
    return first.report("too-long", "this is too long to be read", expected=limit)


def _closing(token: str, span: Span, stack: list[tuple[str, Span]]) -> Diagnostic | None:
    if not stack:
        return span.report("bracket", f"{token} closes nothing", hint="remove it, or open it before")
    opened, place = stack.pop()
    if _PAIRS[opened] == token:
        return None
    message = f"{token} does not close {opened} of line {place.line}, column {place.column}"
    return span.report("bracket", message, expected=_PAIRS[opened])


def _explain(
    error: UnexpectedInput, expected: set[str], text: Piece, source: SourceText, what: str
) -> Diagnostic:
    """Return the diagnostic for a piece that does not parse.

    `what` names the piece; `expected` are the terminals that could have gone on.
    """
    lines = text.text.split("\n")
    line, column, whole = 0, 0, what
    match error:
        case UnexpectedCharacters():
            line, column = error.line, error.column
        case UnexpectedToken() if error.token.type != "$END":
            line, column = error.token.line or 1, error.token.column or 1
    symbol, message = "", f"{what} ends too early"
    if line:
        content = lines[line - 1]
        column = _whole_symbol(content, column)
        found = _TOKEN.match(content, column - 1)
        symbol = found[0] if found else content[column - 1 : column]
        before = content[: column - 1].rstrip()
        visible = symbol.isprintable() and symbol.strip()
        shown = repr(symbol) if visible else f"character U+{ord(symbol[:1] or ' '):04X}"
        message = f"unexpected {shown} in {what}"
    else:
        line = max((k for k, content in enumerate(lines, start=1) if content.strip()), default=1)
        before, whole, what = lines[line - 1].rstrip(), what, ""
        column = len(before) + 1
    span = Span(source, text.first_line + line - 1, column, column + max(1, len(symbol)))
    content = lines[line - 1]
    hint = habits.hint_at(content, column - 1, what or whole, source.code)
    hint = hint or _hint(symbol, before, what, expected)
    return span.report("syntax", message, expected=_expected(expected), hint=hint)


def _whole_symbol(line: str, column: int) -> int:
    """Return the column at which an arrow or doubled sign begins whose second character was reported."""
    pair = line[column - 2 : column] if column > 1 else ""
    return column - 1 if pair in _SYMBOL_HINTS else column


def _hint(symbol: str, before: str, what: str, expected: set[str]) -> str | None:
    if re.search(r"[=≠]\s*-$", before):
        return "write l is absent, or l is present"
    if re.search(r"=<[^<>=,]*$", before):
        return "write <= for at most"
    negated = symbol in ("", "[") and re.search(r"(^|,)\s*not(\s+[^\W\d][\w-]*)?$", before)
    if symbol == ">" and before.endswith("<"):
        return "write != for a difference"
    if symbol == '"' and what == "the schema line":
        return 'a schema has a name of one word here, and its title in a line below: title "..."'
    if symbol in ("]", ")", ",", "") and re.search(r"\blength$", before):
        return "n is the number of words"
    if negated or (symbol == "not" and what == "the antecedent"):
        return "a step asks for items that are derived, never for their lack; only conditions are denied, as in i != j"
    if not symbol and re.search(r"\bsame word\s[^,]*,", before):
        return "same word i, j stands by itself: in place of or, write two cases of the step"
    if symbol in ("->", "→") and re.search(r"(\brule\s+|\[)[^\W\d]\w*$", before):
        return "rules are written A(B *beta)"
    if symbol in RESERVED and "NAME" in expected:
        return f"{symbol} is a word of the language and names no variable"
    if symbol in _SYMBOL_HINTS:
        return _SYMBOL_HINTS[symbol]
    last = re.search(r"([^\W\d_]\w*'*)\s*[<>=≤≥≠!]*$", before)
    if last and last[1] in CONDITION_WORDS and not symbol.isalnum():
        return f"{last[1]} begins a condition of its own; a variable needs another name"
    if what == "the condition" and not before and symbol:
        return "separate conditions with commas"
    return _misspelt(symbol, before)


def _misspelt(symbol: str, before: str) -> str | None:
    """Return the likely intended word at the mistake, or before it; None if there is no near one."""
    if symbol and did_you_mean(symbol, ["where"]):
        return "did you mean where?"
    words = re.findall(r"[^\W\d_]\w*", before)
    if not words or not before.endswith(words[-1]):
        return None
    if symbol[:1].isalnum():
        return did_you_mean(words[-1], CONDITION_WORDS)
    return did_you_mean(words[-1], ["given"]) if not symbol else None


def _expected(terminals: Iterable[str]) -> str | None:
    """Describe the possible continuations in a few words: terminators and separators before others."""
    left = {t.removeprefix("_") for t in terminals if t not in _JOINING and not t.startswith("__")}
    words: list[str] = []
    if "TO" in left:
        return "to"
    if "AT" in left:
        left -= _LABEL_PARTS  # a name may be the first of a sequence of labels: seldom what was meant
    if len(left & _TERM_STARTS) >= 5:
        words.append("a condition" if left & _CONDITION_STARTS else "a term")
        left -= _TERM_STARTS | _CONDITION_STARTS | {"LENGTH", "LENGTH_OF", "ROOT", "DOT"}
    elif len(left & _OPERATORS) >= 3:
        left -= _OPERATORS | {"IS"}
    left -= {"MATCHES", "WORD", "STAR", "SLASH", "BACKSLASH"}
    first = [t for t in ("COMMA", "MORE", "RSQB", "RPAR") if t in left]
    last = [t for t in ("DOTS", "$END") if t in left]
    order = [*first, *sorted(left - {*first, *last}), *last]
    words += [_NAMES.get(t, t.lower().replace("_", " ")) for t in order]
    if not words:
        return None
    return ", ".join(words[:-1]) + " or " + words[-1] if len(words) > 1 else words[0]
