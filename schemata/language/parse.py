"""Parses the pieces of a schema file with Lark (`schema.lark`) into the nodes of the syntax tree.

Lark's complaints become the package's diagnostics (`syntax_errors`).
"""

from __future__ import annotations

import contextlib
import functools
import io
import pickle
import sys
import zlib
from importlib import resources
from typing import TYPE_CHECKING, Any

from schemata.cache import look_up, store
from schemata.errors import Diagnostic, SchemaError
from schemata.language import syntax as s
from schemata.language.pieces import Piece, units
from schemata.language.source import SourceText, source_from_text

if TYPE_CHECKING:
    from lark import Lark
    from lark.exceptions import UnexpectedInput

    from schemata.language.build import Builder

__all__ = ["PieceParser", "parse_item"]

_STARTS = [
    "header", "item_declaration", "hypothesis_declaration", "final_declaration", "equation",
    "antecedents",
    "family", "consequent", "conditions", "item",
]  # fmt: skip
_RELATION_STARTS = ["relation_header", "stations", "value_range", "item_map"]
_KIND = "grammar"  # folder in the user's cache folder


@functools.cache
def _lark() -> Lark:
    """Return the parser. Its table is kept between runs: making it takes as long as all the rest of a schema."""
    import lark

    grammar = resources.files("schemata.language").joinpath("schema.lark").read_text(encoding="utf-8")
    key = f"{sys.version_info.major}.{sys.version_info.minor}-{lark.__version__}-{zlib.crc32(grammar.encode()):08x}"
    content = look_up(_KIND, key)
    if content is not None:
        with contextlib.suppress(Exception):  # it is made again, whatever is wrong with the file
            return lark.Lark.load(_Table(io.BytesIO(content)).load())
    parser = lark.Lark(
        grammar,
        parser="lalr",
        lexer="contextual",
        start=[*_STARTS, *_RELATION_STARTS],
        propagate_positions=True,
        maybe_placeholders=True,
    )
    written = io.BytesIO()
    parser.save(written)
    store(_KIND, key, written.getvalue())
    return parser


class _Table(pickle.Unpickler):
    """Reads a parse table, which is made of numbers, texts, lists and mappings only."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"{module}.{name} is no part of a parse table")


def parse_item(text: str, file: str = "item") -> s.Item:
    """Return one item written as in a schema, `span[0, 3, false, true]`.

    Raises
    ------
    SchemaError : the text is not one item.
    """
    source = source_from_text(text, file)
    parser = PieceParser(source)
    item = parser.parse("item", Piece("\n".join(source.code).replace("\t", " "), 1), "the item")
    if parser.problems:
        raise SchemaError(parser.problems)
    assert isinstance(item, s.Item)
    return item


class PieceParser:
    """Parses pieces of one source text; `problems` grows."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.problems: list[Diagnostic] = []

    def parse(self, start: str, text: Piece, what: str) -> Any:
        """Parse a piece from a start symbol; on a mistake report it and return None."""
        from lark import UnexpectedInput

        from schemata.language.syntax_errors import explain_syntax_error, find_size_error

        problem = find_size_error(text, self.source)
        if problem is not None:
            self.problems.append(problem)
            return None
        try:
            tree = _lark().parse(text.text, start=start)
        except UnexpectedInput as error:
            expected = _acceptable(error, text.text, start)
            self.problems.append(explain_syntax_error(error, expected, text, self.source, what))
            return None
        return _builder(start)(self.source, text.first_line, self.problems).transform(tree)

    def parse_units(self, start: str, text: Piece, what: str) -> tuple[tuple[Any, ...], bool]:
        """Parse antecedents or conditions; those that parse, and whether all did.

        Where the whole does not parse, each is tried alone, so that every one reports its own mistake.
        """
        before = len(self.problems)
        found = self.parse(start, text, what)
        if found is not None:
            return found, True
        parts = units(text, start)
        first_problem = self.problems[before:]
        if len(parts) < 2 or any(p.code != "syntax" for p in first_problem):
            return (), False
        del self.problems[before:]
        parsed = [x for part in parts for x in self.parse(start, part, what) or ()]
        if len(self.problems) == before:
            self.problems += first_problem
        return tuple(parsed), False


def _builder(start: str) -> type[Builder]:
    """Return what makes the nodes of a piece; that of relations is imported for relations alone."""
    if start in _RELATION_STARTS:
        from schemata.language.build import RelationBuilder

        return RelationBuilder
    from schemata.language.build import Builder

    return Builder


def _acceptable(error: UnexpectedInput, text: str, start: str) -> set[str]:
    """Return the terminals that could stand where a piece does not go on.

    The lexer knows less than the parser of what can follow a character that begins no token.
    """
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

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
