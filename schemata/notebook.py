"""Cells of notebooks that hold a schema or a grammar: `%%schema NAME` and `%%grammar NAME KIND`.

`%load_ext schemata` adds them. A cell sets the variable NAME; mistakes in it are shown as the command shows them, with
the line and a caret below the place.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from keyword import iskeyword
from typing import Any

from schemata.errors import Diagnostic, SchemataError, UsageError, printable
from schemata.from_text import checked_schema, grammar
from schemata.kinds import CONTEXT_FREE
from schemata.language.library import parse_settings
from schemata.workbench import ParsingSchema

_SCHEMA_LINE = re.compile(r"^\s*schema\b", re.MULTILINE)


def register(shell: Any) -> None:
    """Add the magics to an IPython shell."""
    shell.register_magic_function(lambda line, cell: schema_cell(shell, line, cell), "cell", "schema")
    shell.register_magic_function(lambda line, cell: grammar_cell(shell, line, cell), "cell", "grammar")


def schema_cell(shell: Any, line: str, cell: str) -> ParsingSchema | None:
    """Check the schema in a cell, set the variable and return the schema; None if it has errors, which are shown.

    Parameters
    ----------
    shell : the IPython shell, whose variable is set.
    line : the name, and perhaps parameters: `mine k=4`. In the variable, hyphens are underscores.
    cell : the schema. Without a line `schema NAME` at its top, the name is that of the variable.
    """
    added = 0 if _SCHEMA_LINE.search(cell) else 1
    try:
        name, *settings = line.split() or [""]
        variable = _variable(name, "%%schema NAME k=4")
        text = f"schema {name}\n{cell}" if added else cell
        found, warnings = checked_schema(text, parse_settings(settings))
    except SchemataError as error:
        _show(error.diagnostics, added)
        return None
    _show(warnings, added)
    shell.user_ns[variable] = found
    return found


def grammar_cell(shell: Any, line: str, cell: str) -> Any:
    """Read the grammar in a cell, set the variable and return the grammar; None if it has errors, which are shown.

    Parameters
    ----------
    shell : the IPython shell, whose variable is set.
    line : the name, and the kind of grammar: a word as `schemata.grammar` takes it, or a variable that holds a schema.
        Context-free rules without one.
    cell : the grammar.
    """
    try:
        name, *kinds = line.split() or [""]
        variable = _variable(name, "%%grammar NAME, or %%grammar NAME KIND")
        if len(kinds) > 1:
            raise UsageError(f"{' '.join(kinds)} is not a kind of grammar", expected="%%grammar NAME KIND")
        kind = shell.user_ns.get(kinds[0], kinds[0]) if kinds else CONTEXT_FREE
        found = grammar(cell, kind, file=name)
    except SchemataError as error:
        _show(error.diagnostics)
        return None
    _show(found.warnings)
    shell.user_ns[variable] = found
    return found


def _variable(name: str, expected: str) -> str:
    """Return the variable of a name.

    Raises
    ------
    UsageError : there is no name, or it cannot be that of a variable.
    """
    variable = name.replace("-", "_")
    if not variable.isidentifier() or iskeyword(variable):
        message = f"{name!r} is not a name for a variable" if name else "the cell has no name"
        raise UsageError(message, code="usage", expected=expected)
    return variable


def _show(findings: Sequence[Diagnostic], above: int = 0) -> None:
    """Write findings as the command does; so many lines above the cell are not counted."""
    for finding in findings:
        place, shown = finding.location, finding
        if place is not None and above:
            shown = replace(finding, location=replace(place, line=max(1, place.line - above)))
        sys.stderr.write("\n".join(map(printable, shown.render().split("\n"))) + "\n")
