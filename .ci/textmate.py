#!/usr/bin/env python3
"""TextMate grammars of `editors/vscode`, translated from the lexers for Pygments, so that both colour alike.

    python .ci/textmate.py

writes `editors/vscode/syntaxes`; a test compares the files with this. `python .ci/textmate.py FILE...` prints in JSON
the scopes in files as the lexers have them, with which `.ci/editors/run` compares those of the grammars.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from pygments.lexer import words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text

from schemata.display.highlighting import GrammarLexer, SchemaLexer

FOLDER = Path(__file__).parents[1] / "editors" / "vscode" / "syntaxes"
LEXERS: dict[str, Any] = {"schema": SchemaLexer, "schemagrammar": GrammarLexer}
SCOPES = {
    Comment.Single: "comment.line.number-sign",
    String: "string.quoted",
    Keyword.Declaration: "keyword.declaration",
    Keyword.Type: "support.type",
    Keyword.Constant: "constant.language",
    Keyword: "keyword.control",
    Name.Class: "entity.name.section",
    Name.Constant: "constant.other",
    Name.Function: "entity.name.function",
    Name.Variable: "variable.parameter",
    Name: "variable.other",
    Number: "constant.numeric",
    Operator.Word: "keyword.operator.line",
    Operator: "keyword.operator",
    Punctuation: "punctuation.separator",
}
"""Scopes that themes of editors know, by kind of token; `Text` has none."""


def pattern(rule: str | words) -> str:
    """Return the expression of a lexer's rule as Oniguruma, the library of TextMate grammars, reads it."""
    if isinstance(rule, words):  # whose own expression is another in each version of Pygments
        choice = "|".join(re.escape(word) for word in sorted(rule.words, key=len, reverse=True))
        return f"{rule.prefix}(?:{choice}){rule.suffix}"
    return re.sub(r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), rule)


def groups(action: Any) -> tuple[Any, ...]:
    """Return the kinds of tokens that `bygroups` keeps."""
    (cell,) = action.__closure__
    return tuple(cell.cell_contents)


def grammar(language: str) -> dict[str, Any]:
    """Return the TextMate grammar of a language; it needs no rules that only skip text."""
    patterns: list[dict[str, Any]] = []
    for rule, action, *_ in LEXERS[language].tokens["root"]:
        if action is Text:
            continue
        entry: dict[str, Any] = {"match": pattern(rule)}
        if action in SCOPES:
            entry["name"] = f"{SCOPES[action]}.{language}"
        else:
            entry["captures"] = {
                str(number): {"name": f"{SCOPES[kind]}.{language}"}
                for number, kind in enumerate(groups(action), 1)
                if kind is not Text
            }
        patterns.append(entry)
    return {
        "comment": "made by .ci/textmate.py from schemata/display/highlighting.py",
        "name": LEXERS[language].name,
        "scopeName": f"source.{language}",
        "patterns": patterns,
    }


def scopes(path: Path) -> list[list[str | None]]:
    """Return the scope of each character of each line of a file, as its lexer has it."""
    language = "schema" if path.suffix in (".schema", ".relation") else "schemagrammar"
    rows: list[list[str | None]] = [[]]
    for _, kind, part in LEXERS[language]().get_tokens_unprocessed(path.read_text(encoding="utf-8")):
        scope = None if kind is Text else f"{SCOPES[kind]}.{language}"
        for sign in part:
            if sign == "\n":
                rows.append([])
            else:
                rows[-1].append(scope)
    return rows


def text(language: str) -> str:
    """Return the file of a language's grammar."""
    return json.dumps(grammar(language), ensure_ascii=False, indent=2) + "\n"


def main() -> None:
    """Write the grammars, or print the scopes of files."""
    if files := sys.argv[1:]:
        json.dump({file: scopes(Path(file)) for file in files}, sys.stdout)
        return
    for language in LEXERS:
        (FOLDER / f"{language}.tmLanguage.json").write_text(text(language), encoding="utf-8")


if __name__ == "__main__":
    main()
