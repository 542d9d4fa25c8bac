"""The extension for Visual Studio Code: its grammars are those of the lexers, its files are sound, its snippets check.

That the grammars colour as the lexers do is tested under node by `.ci/editors/run`.
"""

import json
import re
from pathlib import Path
from typing import Any, get_args

import pytest

pytest.importorskip("pygments")

import schemata
from schemata.editing.document import Document
from schemata.editing.findings import diagnostics
from schemata.grammars.kinds import kind_of_suffix
from schemata.kinds import GRAMMARS
from schemata.language.pieces import RELATION_KEYWORDS, SCHEMA_KEYWORDS
from schemata.language.relation_model import StepKind
from schemata.language.source import RELATION_SUFFIX, SUFFIX
from tests.support import script

FOLDER = Path(__file__).parents[2] / "editors" / "vscode"
CFG = ".cfg"  # often a file of settings: the extension leaves it to its users


def read(name: str) -> Any:
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


def contributed(kind: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = read("package.json")["contributes"][kind]
    return found


def bodies(language: str) -> dict[str, str]:
    """The text of each snippet by prefix, with the first of all choices."""
    (path,) = [x["path"] for x in contributed("snippets") if x["language"] == language]
    texts = {x["prefix"]: "\n".join(x["body"]) for x in read(path).values()}
    return {
        name: re.sub(r"\$\{\d+:([^}]*)\}", r"\1", re.sub(r"\$\{\d+\|([^,|}]*)[^}]*\}", r"\1", text))
        for name, text in texts.items()
    }


@pytest.mark.parametrize("language", ["schema", "schemagrammar"])
def test_grammars_are_those_of_the_lexers(language: str) -> None:
    (entry,) = [x for x in contributed("grammars") if x["language"] == language]
    file = FOLDER / entry["path"]
    assert file.read_text(encoding="utf-8") == script("textmate").text(language), "python .ci/textmate.py"
    assert read(entry["path"])["scopeName"] == entry["scopeName"]


def test_keywords_of_the_reader_are_coloured() -> None:
    rules = [x for x in read("syntaxes/schema.tmLanguage.json")["patterns"] if "captures" in x]

    def scope(line: str, word: str) -> str | None:
        for rule in rules:
            if found := re.match(rule["match"], line):
                return next((x["name"] for k, x in rule["captures"].items() if found[int(k)] == word), None)
        return None

    for keyword in (*SCHEMA_KEYWORDS.words, *RELATION_KEYWORDS.words):
        assert scope(f"  {keyword} x", keyword) == "keyword.declaration.schema", keyword
    assert scope("  nothing x", "nothing") is None


def test_files_of_the_extension_are_there() -> None:
    package = read("package.json")
    assert package["version"] == schemata.__version__
    parts = [x for kind in ("grammars", "snippets") for x in contributed(kind)]
    named = [x["path"] for x in parts] + [x["configuration"] for x in contributed("languages")]
    for path in named:
        assert read(path), path
    assert (FOLDER / package["icon"]).read_bytes().startswith(b"\x89PNG")
    assert {x["language"] for x in parts} <= {x["id"] for x in contributed("languages")}
    assert package["contributes"]["configuration"]["properties"]["schemata.command"]["default"] == [
        "schemata",
        "lsp",
    ]


def test_suffixes_are_those_the_server_reads() -> None:
    suffixes = {x["id"]: set(x["extensions"]) for x in contributed("languages")}
    assert suffixes["schema"] == {SUFFIX, RELATION_SUFFIX}
    others = suffixes["schemagrammar"] | suffixes["schemadict"]
    every = {f"*{x}" for x in others | suffixes["schema"] | {CFG}}
    lexers = {name for lexer in script("textmate").LEXERS.values() for name in lexer.filenames}
    assert lexers <= every
    kinds = {kind_of_suffix(suffix) for suffix in others | {CFG}}
    assert kinds == {*GRAMMARS}
    assert all(Document("", Path("a" + suffix)).language == "grammar" for suffix in others)


def test_snippets_check() -> None:
    texts = bodies("schema")
    assert diagnostics(texts["schema"]) == []
    start = "step Start\n  word[i]\n  ---\n  span[i, i]\n"
    start = f"schema small\n  grammar d-rules\n\n{texts['hypothesis']}\n{texts['item']}\n\n{start}\n"
    for step in (texts["step"].replace("item[", "span["), texts["link"].replace("item[", "span[")):
        assert diagnostics(f"{start}{step}\n\n{texts['final']}\n") == []
    relation = read("snippets/schema.json")["relation"]["body"][1]
    assert relation.split("|")[1].split(",") == list(get_args(StepKind))
    grammars = bodies("schemagrammar")
    assert diagnostics(f"{grammars['root']}\n{grammars['head']}\n", "a.drules") == []
    labels = "labels det\ntag the : DET\n"
    assert diagnostics(f"{labels}{grammars['constraint']}\n", "a.constraints") == []
