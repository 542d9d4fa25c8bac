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
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import resources
from typing import Any, TypeAlias

import lark
from lark import Lark, Token, Tree, UnexpectedCharacters, UnexpectedInput, UnexpectedToken
from lark.tree import Meta

from schemata.cache import look_up, store
from schemata.errors import Diagnostic, SchemaError, did_you_mean
from schemata.language import syntax as s
from schemata.language.model import HEAD_WORD, LENGTH_OF, ROOT, SAME_WORD, terminal
from schemata.language.pieces import Piece, units
from schemata.language.source import QUOTED, Findings, SourceText, Span, line_span, source_from_text
from schemata.wording import quoted, unquoted

NUMBER_DIGITS = 6  # no sentence, list or parameter comes near a million
NUMBER_LIMIT = f"at most {10**NUMBER_DIGITS - 1:,}"
_STARTS = [
    "header", "definition", "inputs", "type_declaration", "relation_declaration", "item_declaration",
    "hypothesis_declaration", "final_declaration",
    "equation", "composition", "antecedents", "family", "consequent", "conditions", "item", "relation_header",
    "stations", "value_range", "item_map",
]  # fmt: skip
_KIND = "grammar"  # folder in the user's cache folder


@functools.cache
def _lark() -> Lark:
    """Return the parser. Its table is kept between runs: making it takes as long as all the rest of a schema."""
    grammar = resources.files("schemata.language").joinpath("schema.lark").read_text(encoding="utf-8")
    key = f"{sys.version_info.major}.{sys.version_info.minor}-{lark.__version__}-{zlib.crc32(grammar.encode()):08x}"
    content = look_up(_KIND, key)
    if content is not None:
        with contextlib.suppress(Exception):  # it is made again, whatever is wrong with the file
            return Lark.load(_Table(io.BytesIO(content)).load())
    parser = Lark(grammar, parser="lalr", start=_STARTS, propagate_positions=True, maybe_placeholders=True)
    written = io.BytesIO()
    parser.save(written)
    store(_KIND, key, written.getvalue())
    return parser


class _Table(pickle.Unpickler):
    """Reads a parse table, which is made of numbers, texts, lists and mappings only."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"{module}.{name} is not part of a parse table")


def parse_item(text: str, file: str = "item") -> s.Item:
    """Return one item written as in a schema, `span[0, 3, false, true]`.

    Raises
    ------
    SchemaError : the text is not one item.
    """
    source = source_from_text(text, file)
    parser = PieceParser(source)
    item = parser.parse("item", Piece.of(source), "the item")
    if parser.problems:
        raise SchemaError(parser.problems)
    assert isinstance(item, s.Item)
    return item


class PieceParser:
    """Parses pieces of one source text; `problems` grows."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.problems = Findings()

    def parse(self, start: str, text: Piece, what: str) -> Any:
        """Parse a piece from a start symbol; on a mistake report it and return None."""
        problem = _find_size_error(text, self.source)
        if problem is not None:
            self.problems.append(problem)
            return None
        try:
            tree = _lark().parse(text.text, start=start)
        except UnexpectedInput as error:
            expected = _acceptable(error, text.text, start)
            self.problems.append(_explain(error, expected, text, self.source, what))
            return None
        return _Builder(self.source, text.first_line, self.problems, start == "item").node(tree)

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


def _acceptable(error: UnexpectedInput, text: str, start: str) -> set[str]:
    """Return the terminals that could stand where a piece does not go on.

    The lexer knows less than the parser of what can follow a character that begins no token.
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


# From parse trees to syntax nodes --------------------------------------------------------------------------


class _Builder:
    """Makes nodes of parse trees whose text begins at line `first_line` of the source.

    Numbers too large to mean anything are reported, and words of a sentence in what is no item with values.
    """

    def __init__(self, source: SourceText, first_line: int, problems: Findings, is_item: bool) -> None:
        self._source = source
        self._offset = first_line - 1
        self._problems = problems
        self._is_item = is_item

    def node(self, tree: Tree[Token]) -> Any:
        """Return what `_NODES` makes of a tree's parts: nodes, tokens, and None for what is left out.

        A rule without an entry there makes the node of its name, `head_of_built` a `HeadOfBuilt`.
        """
        parts: list[Any] = [c if isinstance(c, str | None) else self.node(c) for c in tree.children]
        name = "".join(word.capitalize() for word in tree.data.split("_"))
        maker = _NODES.get(tree.data) or _of(getattr(s, name))
        return maker(self, parts, self.span(tree.meta))

    def span(self, place: Meta | Token) -> Span:
        line = (getattr(place, "line", None) or 1) + self._offset
        column = getattr(place, "column", None) or 1
        end = getattr(place, "end_column", None)
        if getattr(place, "end_line", None) != getattr(place, "line", None):
            end = len(self._source.lines[line - 1]) + 1
        return Span(self._source, line, column, max(end or 1, column + 1))

    def name(self, token: Token) -> s.Name:
        return s.Name(str(token), self.span(token))

    def integer(self, token: Token) -> int:
        if len(token) <= NUMBER_DIGITS:
            return int(token)
        self._problems.report(self.span(token), "number-too-large", "the number is too large", NUMBER_LIMIT)
        return 0

    def word(self, token: Token) -> str:
        """Return the symbol of a word in single quotes, which items have; symbols of a schema have double ones."""
        word = unquoted(token)
        if not self._is_item:
            message, expected = f"{token} stands in single quotes", quoted(word)
            self._problems.report(self.span(token), "syntax", message, expected, _SYMBOL_HINTS["'"])
        return terminal(word)


_Maker: TypeAlias = "Callable[[_Builder, Sequence[Any], Span], Any]"


def _of(kind: Callable[..., Any], *more: object) -> _Maker:
    """Return what makes a node of a tree's parts, further values and the span."""
    return lambda b, c, at: kind(*c, *more, at)


def _of_all(kind: Callable[..., Any], *first: object) -> _Maker:
    """Return what makes a node of values, all parts together as one tuple, and the span."""
    return lambda b, c, at: kind(*first, _present(b, c, at), at)


def _constant(value: int | bool | str | None, kind: str) -> _Maker:
    return lambda b, c, at: s.Constant(value, kind, at)  # type: ignore[arg-type]


def _present(b: _Builder, c: Iterable[Any], at: Span) -> tuple[Any, ...]:
    return tuple(x for x in c if x is not None)


def _names(b: _Builder, c: Iterable[Any], at: Span) -> tuple[s.Name, ...]:
    return tuple(b.name(x) for x in c if x is not None)


def _only(b: _Builder, c: Sequence[Any], at: Span) -> Any:
    return c[0]


def _name(b: _Builder, c: Sequence[Token], at: Span) -> s.Name:
    return s.Name(str(c[0]), at)


def _text(b: _Builder, c: Sequence[Token], at: Span) -> s.Constant:
    return s.Constant(unquoted(c[0]), "symbol", at)


def _run(b: _Builder, c: Sequence[s.Term], at: Span) -> s.Run:
    return s.Run(c[0] if len(c) == 1 else s.TupleTerm(tuple(c), at), at)


def _cut(parts: Iterable[Any]) -> tuple[tuple[Any, ...], ...]:
    """Cut the parts of a dotted rule or sequence at its dots, which are tokens."""
    cut: list[list[Any]] = [[]]
    for part in parts:
        if isinstance(part, str):
            cut.append([])
        else:
            cut[-1].append(part)
    return tuple(map(tuple, cut))


def _join(b: _Builder, c: Sequence[Any], at: Span) -> s.JoinCondition:
    left, right, one, other, when = c
    return s.JoinCondition(left, right, s.Matches(one, other, at), when, at)


def _link_heads(b: _Builder, c: Sequence[Token], at: Span) -> s.LinkHeads:
    dependent = b.integer(c[0])
    return s.LinkHeads(dependent, dependent if c[1] is None else b.integer(c[1]), at)


def _has_head(c: Sequence[Any], negated: bool, at: Span) -> s.Membership:
    """Return that a word has a head among arcs: that these have a pair of the word and anything."""
    return s.Membership(s.TupleTerm((c[0], s.Wildcard(at)), at), c[1], negated, at)


def _builds(b: _Builder, c: Sequence[Any], at: Span) -> s.BuildCondition:
    name, *terms, over = c
    return s.BuildCondition(str(name), _present(b, terms, at), over, at)


def _asks(relation: str) -> _Maker:
    return lambda b, c, at: s.GrammarCondition(relation, tuple(c), at)


def _type(name: str) -> _Maker:
    return lambda b, c, at: s.TypeName(name, tuple(c), at)


def _type_names(b: _Builder, names: Iterable[Any]) -> tuple[s.TypeName, ...]:
    return tuple(s.TypeName(str(name), (), b.span(name)) for name in names if name is not None)


def _item_declaration(b: _Builder, c: Sequence[Any], at: Span) -> s.ItemDeclaration:
    name, *fields, where = c
    return s.ItemDeclaration(str(name), _present(b, fields, at), where or (), b.span(name))


def _definition(b: _Builder, c: Sequence[Any], at: Span) -> s.Definition:
    name, *parameters, _, body = c
    return s.Definition(str(name), _names(b, parameters, at), body, b.span(name))


def _family(b: _Builder, c: Sequence[Any], at: Span) -> s.Family:
    *letters, first, last, where = c
    return s.Family(_names(b, letters, at), first or (), last or (), where or (), at)


def _header(b: _Builder, c: Sequence[Any], at: Span) -> s.Header:
    name, parameters, extension, where = c
    extends, extends_span, arguments = extension or (None, None, ())
    return s.Header(str(name), parameters or (), extends, arguments, where or (), b.span(name), extends_span)


_RELATIONS = {"LESS": "<", "MORE": ">", "AT_MOST": "<=", "AT_LEAST": ">=", "EQUALS": "==", "DIFFERS": "!="}
_NODES: Mapping[str, _Maker] = {
    # terms
    "name": _name,
    "length_of_input": lambda b, c, at: s.Name(LENGTH_OF + c[0].split()[-1], at),
    "optional_name": lambda b, c, at: s.Name(str(c[0]), at, optional=True),
    "star": lambda b, c, at: s.Star(str(c[0])[1:], at),
    "number": lambda b, c, at: s.Constant(b.integer(c[0]), "number", at),
    "text": _text,
    "word": lambda b, c, at: s.Constant(b.word(c[0]), "symbol", at),
    "root_name": lambda b, c, at: _name(b, c, at) if c[0].type == "NAME" else _text(b, c, at),
    "true": _constant(True, "flag"),
    "false": _constant(False, "flag"),
    "absent": _constant(None, "absent"),
    "root_symbol": _constant(ROOT, "symbol"),
    "head_word": _constant(HEAD_WORD, "symbol"),
    "dot": _only,
    "signed": lambda b, c, at: (1 if c[0].type == "SIGN" else -1, c[1]),
    "sum": lambda b, c, at: s.Sum(tuple(x if isinstance(x, tuple) else (1, x) for x in c), at),
    "list": _of_all(s.ListTerm),
    "list_open": lambda b, c, at: None,
    "list_close": lambda b, c, at: None,
    "run": _run,
    "tuple": _of_all(s.TupleTerm),
    "parenthesis": _only,
    "dotted": lambda b, c, at: s.Dotted(c[0], _cut(c[1:]), at),
    "fact": lambda b, c, at: s.Fact(c[0], tuple(c[1:]), at),
    "constructor": _only,
    "infix": lambda b, c, at: s.Fact(s.Name(str(c[1]), b.span(c[1])), (c[0], c[2]), at),
    "infix_alternative": lambda b, c, at: s.TypeName(str(c[1]), _type_names(b, [c[0], c[2]]), b.span(c[1])),
    "alternative": lambda b, c, at: s.TypeName(str(c[0]) + "()", _type_names(b, c[1:]), at),
    "type_declaration": lambda b, c, at: s.TypeDeclaration(str(c[0]), tuple(c[2:]), b.span(c[0])),
    "sequence": lambda b, c, at: s.Sequence(_cut(c), at),
    "lone_dot": lambda b, c, at: s.Sequence(((), ()), at),
    "advance": lambda b, c, at: s.Name(str(c[0]), at, stays=True),
    # conditions made of terms
    "conjunction": _of_all(s.Junction, "and"),
    "disjunction": _of_all(s.Junction, "or"),
    "relation": lambda b, c, at: _RELATIONS[c[0].type],
    "comparison": lambda b, c, at: s.Comparison(tuple(c[0::2]), tuple(c[1::2]), at),
    "difference_of_list": lambda b, c, at: s.Difference(c[0], b.name(c[1]), at),
    "list_region": _name,
    "membership": _of(s.Membership, False),
    "non_membership": _of(s.Membership, True),
    "has_head": lambda b, c, at: _has_head(c, False, at),
    "has_no_head": lambda b, c, at: _has_head(c, True, at),
    "connected": _of(s.Path, False, False),
    "not_connected": _of(s.Path, False, True),
    "above": _of(s.Path, True, False),
    "not_above": _of(s.Path, True, True),
    "is_empty": _of(s.StateTest, "empty", False),
    "is_not_empty": _of(s.StateTest, "empty", True),
    "is_absent": _of(s.StateTest, "absent", False),
    "is_present": _of(s.StateTest, "absent", True),
    # other conditions
    "attach": _of(s.LinkCondition, True, True),
    "licensed": lambda b, c, at: s.LinkCondition(c[0], c[1], None, True, False, at),
    "build": _of(s.LinkCondition, False, True),
    "builds": _builds,
    "over_antecedent": lambda b, c, at: b.integer(c[0]),
    "build_heads": _link_heads,
    "join": _join,
    "weight": _of(s.WeightCondition, False),
    "log_weight": _of(s.WeightCondition, True),
    "plus": _of_all(s.Arithmetic, "+"),
    "minus": lambda b, c, at: s.Arithmetic("-", (c[0], c[2]), at),
    "times": _of_all(s.Arithmetic, "*"),
    "over": _of_all(s.Arithmetic, "/"),
    "negative": lambda b, c, at: s.Arithmetic("-", (c[1],), at),
    "asked": _of_all(s.Arithmetic, "asked"),
    "call": lambda b, c, at: s.Arithmetic(str(c[0]), tuple(c[1:]), at),
    "decimal": lambda b, c, at: s.Decimal(float(c[0]), at),
    "root_category": _asks("root"),
    "grammar_rule": _asks("rule"),
    "left_corner": _asks("corner"),
    "category": _asks("category"),
    "disjunct": _asks("disjunct"),
    "same_word": _asks(SAME_WORD),
    "other_word": lambda b, c, at: s.GrammarCondition(SAME_WORD, tuple(c), at, negated=True),
    "conditions": _present,
    "where": _only,
    # items and declarations
    "item": lambda b, c, at: s.Item(str(c[0]), _present(b, c[1:], at), at, b.span(c[0])),
    "antecedent": lambda b, c, at: s.Antecedent(c[0], context=False),
    "context_antecedent": lambda b, c, at: s.Antecedent(c[0], context=True),
    "antecedents": _present,
    "constituent": lambda b, c, at: s.Constituent(str(c[0]), c[1] or (), b.span(c[0])),
    "composition": _present,
    "consequent": lambda b, c, at: (c[0], c[1] or ()),
    "named_type": lambda b, c, at: s.TypeName(str(c[0]), (), at),
    "optional_type": _type("optional"),
    "input_type": lambda b, c, at: s.TypeName(str(c[0]), (s.TypeName(str(c[1]), (), b.span(c[1])),), at),
    "inputs": _names,
    "list_type": _type("list"),
    "tuple_type": _type("tuple"),
    "dotted_rule_type": _type("dotted rule"),
    "double_dotted_rule_type": _type("double-dotted rule"),
    "dotted_labels_type": _type("dotted labels"),
    "field": lambda b, c, at: s.Field(str(c[0]), c[1], b.span(c[0])),
    "definition": _definition,
    "relation_declaration": lambda b, c, at: s.RelationDeclaration(
        str(c[0]), _present(b, c[1:], at), b.span(c[0])
    ),
    "item_declaration": _item_declaration,
    "hypothesis_declaration": lambda b, c, at: s.ItemClause(c[0], c[1] or (), at),
    "final_declaration": lambda b, c, at: s.ItemClause(c[0], c[1] or (), at),
    "equation": lambda b, c, at: s.Equation(c[0], c[2], c[3] or (), at),
    "covering": lambda b, c, at: s.Covering(c[0], c[1], b.name(c[2]), at),
    "beginning": _names,
    "ending": _names,
    "family": _family,
    "parameter": lambda b, c, at: s.Setting(str(c[0]), c[2], b.span(c[0])),
    "argument": lambda b, c, at: s.Setting(str(c[0]), c[2], b.span(c[0])),
    "parameters": _present,
    "arguments": _present,
    "extension": lambda b, c, at: (str(c[0]), b.span(c[0]), c[1] or ()),
    "header": _header,
    # relation files
    "schema_reference": lambda b, c, at: s.SchemaReference(str(c[0]), c[1] or (), b.span(c[0])),
    "stations": _present,
    "value_range": lambda b, c, at: s.ValueRange(str(c[0]), c[1].low, c[1].high, b.span(c[0])),
    "item_map": lambda b, c, at: s.ItemMapLine(c[0], c[1], c[2] or (), False, at),
    "reversed_item_map": lambda b, c, at: s.ItemMapLine(c[1], c[0], c[2] or (), True, at),
}


DEPTH_LIMIT = 60
PIECE_LIMIT = 10_000  # characters; beyond, a declaration is no rule that people read

_NAMES = {
    "NAME": "a name",
    "SCHEMA_NAME": "a schema name",
    "STAR_NAME": "a sequence variable *A",
    "INT": "a number",
    "STRING": 'a quoted "symbol"',
    "COMMA": "a comma",
    "RSQB": "]",
    "LSQB": "[",
    "RPAR": ")",
    "LPAR": "(",
    "MORE": ">",
    "COLON": ":",
    "EQUALS": "=",
    "DOT": ".",
    "$END": "the end",
}
_TERM_STARTS = frozenset(
    ["NAME", "STAR_NAME", "UNDERSCORE", "INT", "STRING", "TRUE", "FALSE", "LESS", "LPAR", "MINUS", "SIGN"]
)
_CONDITION_STARTS = frozenset(
    [
        "ATTACH",
        "BUILDS",
        "LICENSED",
        "LINK",
        "HEAD",
        "RULE",
        "CATEGORY",
        "CORNER",
        "DISJUNCT",
        "JOIN",
        "WEIGHT",
        "SAME_WORD",
    ]
)
_LABEL_PARTS = frozenset(["NAME", "STAR_NAME", "UNDERSCORE", "DOT", "AT"])
_OPERATORS = frozenset(
    ("SIGN", "MINUS", "LESS", "MORE", "AT_MOST", "AT_LEAST", "EQUALS", "DIFFERS", "QMARK", "LPAR", "MATCHES")
)
_JOINING = frozenset(
    ["_AND", "_OR", "_NOT", "_IN", "_NOT_IN", "_RUN", "_HAS_HEAD", "_HAS_NO_HEAD", "_CONNECTED", "_NOT_CONNECTED",
     "_ABOVE", "_NOT_ABOVE", "_UNDER"]
)  # fmt: skip
_DASH = "the consequent stands below a line of dashes"
_LISTS = "lists are written <a, b>"
_SYMBOL_HINTS = {
    "=>": _DASH,
    "|-": _DASH,
    "⊢": _DASH,
    "⇒": _DASH,
    ":-": _DASH,
    "->": "write attach d to h",
    "→": "write attach d to h",
    "<-": "write attach d to h",
    "&": "write and",
    "&&": "write and",
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
_SIZED = re.compile(rf"{QUOTED}|[^\W\d]\w*'*|[^\s\w]|\".*")
_TOKEN = re.compile(r"[^\W\d]\w*'*|\d+|=>|->|<-|:=|:-|\|-|&&|\|\||.")


def _find_size_error(text: Piece, source: SourceText) -> Diagnostic | None:
    """Report brackets that do not match, and what is too long or too deeply nested to parse."""
    stack: list[tuple[str, Span]] = []
    negations = 0
    for number, line in enumerate(text.text.split("\n")):
        for found in _SIZED.finditer(line):
            token = found[0]
            span = Span(source, text.first_line + number, found.start() + 1, found.end() + 1)
            negations = negations + 1 if token in ("not", "¬") else 0
            if negations > DEPTH_LIMIT:
                return span.report("too-deep", f"more than {DEPTH_LIMIT} negations in a row")
            if token in _PAIRS:
                stack.append((token, span))
                if len(stack) > DEPTH_LIMIT:
                    return span.report("too-deep", f"brackets nested more than {DEPTH_LIMIT} deep")
            elif token in "])":
                problem = _closing(token, span, stack)
                if problem is not None:
                    return problem
    if stack:
        opened, span = stack[-1]
        return span.report("bracket", f"{opened} is never closed", expected=_PAIRS[opened])
    sizes = [len(line.strip()) for line in text.text.split("\n")]
    if sum(sizes) <= PIECE_LIMIT:
        return None
    first = line_span(source, text.first_line + next(k for k, size in enumerate(sizes) if size))
    limit = f"at most {PIECE_LIMIT:,} characters"
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
    line, column = 0, 0
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
        shown = symbol if visible else f"character U+{ord(symbol[:1] or ' '):04X}"
        message = f"{what} cannot go on with {shown}"
    else:
        line = max((k for k, content in enumerate(lines, start=1) if content.strip()), default=1)
        before, what = lines[line - 1].rstrip(), ""
        column = len(before) + 1
    span = Span(source, text.first_line + line - 1, column, column + max(1, len(symbol)))
    hint = _hint(symbol, before, what)
    return span.report("syntax", message, expected=_expected(expected), hint=hint)


def _whole_symbol(line: str, column: int) -> int:
    """Return the column at which an arrow or doubled sign begins whose second character was complained of."""
    pair = line[column - 2 : column] if column > 1 else ""
    return column - 1 if pair in _SYMBOL_HINTS else column


def _hint(symbol: str, before: str, what: str) -> str | None:
    if re.search(r"[=≠]\s*-$", before):
        return "write l is absent, or l is present"
    if before.strip() == "not" and not symbol:
        return "whether an item is not derived is known at the end only: ask the grammar instead, as in not closed(i)"
    if symbol in _SYMBOL_HINTS:
        return _SYMBOL_HINTS[symbol]
    if symbol in RESERVED:
        return f"{symbol} is a word of the language and names no variable"
    last = re.search(r"([^\W\d_]\w*'*)\s*[<>=≤≥≠!]*$", before)
    if last and last[1] in CONDITION_WORDS and not symbol.isalnum():
        return f"{last[1]} begins a condition of its own; a variable needs another name"
    if what == "the condition" and not before and symbol:
        return "separate conditions with commas"
    return _misspelt(symbol, before)


def _misspelt(symbol: str, before: str) -> str | None:
    """Return what the word at the mistake, or the one before it, most likely was meant to be."""
    if symbol and did_you_mean(symbol, ["where"]):
        return "did you mean where?"
    words = re.findall(r"[^\W\d_]\w*", before)
    if not words or not before.endswith(words[-1]):
        return None
    if symbol[:1].isalnum():
        return did_you_mean(words[-1], CONDITION_WORDS)
    return did_you_mean(words[-1], ["given"]) if not symbol else None


def _expected(terminals: Iterable[str]) -> str | None:
    """Return what may come next in a few words: what ends or separates before what could go on."""
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
    order = [t for t in ("COMMA", "MORE", "RSQB", "RPAR") if t in left]
    rest = sorted(t for t in left if t not in order and t not in ("$END", "DOTS"))
    words += [_NAMES[t] for t in order]
    words += [_NAMES.get(t, t.lower().replace("_", " ")) for t in rest]
    if "DOTS" in left:
        words.append("..")
    if "$END" in left:
        words.append("the end")
    words = [w for w in words if w not in ("list open", "list close", "⟨", "⟩")]
    if not words:
        return None
    return ", ".join(words[:-1]) + " or " + words[-1] if len(words) > 1 else words[0]
