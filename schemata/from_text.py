"""Schemata and grammars from text in place of files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, cast

from schemata import grammars as g
from schemata.errors import Diagnostic, SchemaError, UsageError, one_of
from schemata.kinds import CONTEXT_FREE, GRAMMARS, GrammarKind
from schemata.language.files import read_schema_text
from schemata.language.source import SUFFIX
from schemata.workbench import ParsingSchema, schema_of

_NAME = re.compile(r"^\s*schema\s+([\w-]+)", re.MULTILINE)


def schema(text: str, /, **parameters: int) -> ParsingSchema:
    '''Return the schema in a text, as a .schema file has it.

    Parameters
    ----------
    text : the text. It may extend a shipped schema, or a file in the current folder.
    parameters : values for the schema's parameters.

    Raises
    ------
    SchemaError : the text has errors; carries all of them with their places.

    >>> pairs = schema("""
    ... schema pairs
    ...   grammar d-rules
    ... item pair[i: position, j: position]  where 1 <= i < j <= n
    ... step Pair
    ...   ---  i in [1..n - 1], attach i to i + 1
    ...   pair[i, i + 1]
    ... final pair[_, n]
    ... """)
    >>> pairs.run("a b c").items
    (<Item pair[1, 2]>, <Item pair[2, 3]>)
    '''
    found, _ = checked_schema(text, parameters)
    return found


def checked_schema(
    text: str, parameters: dict[str, int], file: str | None = None
) -> tuple[ParsingSchema, list[Diagnostic]]:
    """Return the schema in a text, and warnings about it; errors as for `schema`; `file` names it in messages."""
    if not isinstance(text, str):
        raise UsageError(f"{text!r} is not a text", code="unknown-schema", expected="the text of a schema")
    if "\n" not in text.strip():
        hint = "schemata.load takes the name of a schema, or the path of its file"
        message = f"{text!r} is not a text of a schema"
        raise UsageError(message, code="unknown-schema", expected="several lines", hint=hint)
    named = _NAME.search(text)
    name = f"{named[1] if named else 'schema'}{SUFFIX}"
    definition, findings = read_schema_text(text, file or name, cast("Any", parameters), Path.cwd() / name)
    if definition is None:
        raise SchemaError(findings)
    return ParsingSchema(definition), findings


def grammar(text: str, kind: str | ParsingSchema = CONTEXT_FREE, *, file: str = "grammar") -> g.Grammar:
    r"""Return the grammar in a text, as files of its kind have it.

    The text alone does where a schema is given a grammar: `schema.run("the cat", text)`.

    Parameters
    ----------
    text : the text.
    kind : "context-free", "dependency-rules", "d-rules", "link-grammar", "facts" or "constraints"; or the suffix of
        such files, such as "cfg"; or a schema over that kind, or its name.
    file : names the text in messages.

    Raises
    ------
    UsageError : there is no such kind.
    GrammarError : the text holds mistakes; all of them are reported with their places.

    >>> grammar("S -> NP VP\nNP -> 'Mary'\nVP -> 'slept'")
    <ContextFreeGrammar of 1 rule for 2 words, start S>
    """
    return g.grammar_from_text(text, kind_named(kind), file)


def kind_named(name: str | ParsingSchema) -> GrammarKind:
    """Return the kind of grammars that a name, the suffix of files, or a schema stands for.

    Raises
    ------
    UsageError : it is none of these.
    """
    from schemata.grammars.kinds import kind_of_suffix

    if isinstance(name, ParsingSchema):
        return name.definition.grammar
    found = next((kind for kind in GRAMMARS if kind == name), None) or kind_of_suffix(name)
    if found is not None:
        return found
    try:
        return schema_of(name).definition.grammar
    except UsageError:
        message = f"there are no grammars of kind {name}"
        raise UsageError(message, code="unknown-kind", expected=f"{one_of(GRAMMARS)}, or a schema") from None
