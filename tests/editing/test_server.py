"""The language server, asked by a client over its standard input and output."""

import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import schemata
from schemata.cli.main import main
from schemata.language.library import schema_path
from schemata.language.shipped import shipped_files
from tests.editing.client import Client
from tests.editing.test_answers import EISNER, TEXT, at
from tests.editing.test_navigation import edited, without_left_link

pytest.importorskip("pygls")

URI = EISNER.as_uri()
DOCUMENT = {"textDocument": {"uri": URI}}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """Start a server whose client prefers another unit than UTF-16, as Neovim does."""
    snippets = {"completion": {"completionItem": {"snippetSupport": True}}}
    client = Client(
        EISNER.parent,
        textDocument=snippets,
        workspace={"codeLens": {"refreshSupport": True}},
        general={"positionEncodings": ["utf-8", "utf-16", "utf-32"]},
    )
    yield client
    assert client.close() == 0


def place(mark: str, before: str = "") -> tuple[int, int]:
    found = at(TEXT, mark, before)
    return found.line, found.character


def test_every_question_has_an_answer(client: Client) -> None:
    assert client.capabilities["positionEncoding"] == "utf-16"
    client.open(URI, TEXT)
    assert client.wait_for("textDocument/publishDiagnostics")["diagnostics"] == []
    item = place("span[i, j, false")
    assert "item span[" in client.ask("hover", URI, *item)["contents"]["value"]
    proposals = {x["label"]: x for x in client.ask("completion", URI, *item)["items"]}
    assert proposals["span"]["textEdit"]["newText"] == "span[${1:i}, ${2:j}, ${3:b}, ${4:c}]"
    (defined,) = client.ask("definition", URI, *item)
    assert (defined["range"]["start"]["line"], defined["range"]["start"]["character"]) == place(
        "item span", "item "
    )
    used = client.ask("references", URI, *item, context={"includeDeclaration": False})
    every = client.ask("references", URI, *item, context={"includeDeclaration": True})
    assert len(every) == len(used) + 1
    assert {Path(x["uri"]).suffix for x in every} >= {".schema"}
    assert len(client.ask("documentHighlight", URI, *item)) == TEXT.count("span[")
    variable = place("b, c]   span", "b, ")
    changes = client.ask("rename", URI, *variable, newName="flagged")["changes"]
    assert [x["newText"] for x in changes[URI]] == ["flagged"] * 2
    assert client.ask("prepareRename", URI, *variable)["start"]["character"] == variable[1]
    assert client.ask("rename", URI, *variable, newName="j") is None
    assert "already" in client.wait_for("window/showMessage")["message"]
    help_ = client.ask("signatureHelp", URI, *place("span[i, k, b", "span[i, k, "))
    assert help_["activeParameter"] == 2
    names = [x["name"] for x in client.request("textDocument/documentSymbol", DOCUMENT)]
    assert {"eisner1996", "word", "span", "R-Link"} <= set(names)
    assert len(client.request("workspace/symbol", {"query": "Link"})) >= 4
    data = client.request("textDocument/semanticTokens/full", DOCUMENT)["data"]
    assert len(data) % 5 == 0
    assert len(data) > 400
    assert client.request("textDocument/foldingRange", DOCUMENT)
    options = {"options": {"tabSize": 2, "insertSpaces": True}}
    assert client.request("textDocument/formatting", DOCUMENT | options) == []


def test_findings_follow_changes_and_their_hints_are_offered(client: Client) -> None:
    client.open(URI, TEXT)
    client.change(URI, TEXT.replace("span[i, k, b, d]", "spam[i, k, b, d]"))
    found = client.wait_for("textDocument/publishDiagnostics", lambda p: p["diagnostics"])
    (finding,) = found["diagnostics"]
    assert finding["code"] == "unknown-form"
    assert "did you mean span?" in finding["message"]
    asked = DOCUMENT | {"range": finding["range"], "context": {"diagnostics": [finding]}}
    (action,) = [x for x in client.request("textDocument/codeAction", asked) if x["kind"] == "quickfix"]
    (edit,) = action["edit"]["changes"][URI]
    assert edit["newText"] == "span"
    client.change(URI, TEXT, 3)
    client.wait_for("textDocument/publishDiagnostics", lambda p: not p["diagnostics"])


def test_lenses_come_in_the_background(client: Client) -> None:
    client.open(URI, TEXT)
    titles: list[str] = []
    while not any(x.startswith("refines eisner-satta1999 ") for x in titles):
        client.wait_for("workspace/codeLens/refresh")
        lenses = client.request("textDocument/codeLens", DOCUMENT)
        titles = [x["command"]["title"] for x in lenses]
    assert {
        "time n^3, space n^2",
        "100 items, 380 steps at n = 8",
        "projective to 5 words",
        "sound, complete for every n (projective)",
        "each once: no",
    } <= set(titles)
    rows = {(x["range"]["start"]["line"], x["command"]["title"]) for x in lenses}
    assert (place("step CombineSpans")[0], "n^3") in rows
    assert (place("step R-Link")[0], "n^2") in rows
    command = next(x["command"] for x in lenses if x["command"]["title"] == "each once: no")
    asked = {"command": command["command"], "arguments": command["arguments"]}
    assert "derivations" in client.request("workspace/executeCommand", asked)
    assert "derivations" in client.wait_for("window/showMessage")["message"]
    quiet = asked | {"command": "schemata.lensText"}  # shown by the client
    assert "derivations" in client.request("workspace/executeCommand", quiet)
    assert not any(x["method"] == "window/showMessage" for x in client.sent)
    header = DOCUMENT | {"range": lenses[0]["range"], "context": {"diagnostics": []}}
    offered = client.request("textDocument/codeAction", header)
    assert any((x.get("command") or {}).get("command") == "schemata.repair" for x in offered)


def test_the_mirror_image_of_a_step_is_offered_and_mends_the_text(client: Client) -> None:
    path = schema_path("collins1996")
    uri, text = path.as_uri(), without_left_link(path)
    document = {"textDocument": {"uri": uri}}
    client.open(uri, text)
    spot = {"line": at(text, "step R-Link").line, "character": 0}
    asked = document | {"range": {"start": spot, "end": spot}, "context": {"diagnostics": []}}
    (action,) = [x for x in client.request("textDocument/codeAction", asked) if "mirror image" in x["title"]]
    assert action["kind"] == "refactor.rewrite"
    (edit,) = action["edit"]["changes"][uri]
    rows = text.split("\n")
    place_of = edit["range"]["start"]
    rows[place_of["line"]] += edit["newText"]
    assert place_of["character"] == len(rows[place_of["line"]]) - len(edit["newText"])
    client.change(uri, "\n".join(rows), 2)
    found = client.wait_for(
        "textDocument/publishDiagnostics", lambda p: p["uri"] == uri and p.get("version") == 2
    )
    assert found["diagnostics"] == []
    names = [x["name"] for x in client.request("textDocument/documentSymbol", document)]
    assert "L-Link" in names
    assert not [x for x in client.request("textDocument/codeAction", asked) if "mirror image" in x["title"]]


@pytest.mark.thorough
def test_a_repair_is_written_beside_the_schema(client: Client) -> None:
    client.open(URI, TEXT)
    name = client.request("workspace/executeCommand", {"command": "schemata.repair", "arguments": [URI]})
    edit = client.wait_for("workspace/applyEdit")["edit"]
    created, written = edit["documentChanges"]
    assert created["kind"] == "create"
    assert Path(created["uri"]).name == f"{name}.schema"
    (change,) = written["edits"]
    client.open("untitled:Untitled-2", change["newText"])
    found = client.wait_for("textDocument/publishDiagnostics", lambda p: p["uri"] == "untitled:Untitled-2")
    assert [x for x in found["diagnostics"] if x["severity"] == 1] == []
    assert schemata.verify(schemata.schema(change["newText"]), "projective", 4).each_once


def test_grammars_and_texts_without_a_file(client: Client) -> None:
    path = shipped_files(".cfg", "examples")["english"]
    text = path.read_text(encoding="utf-8")
    client.open(path.as_uri(), text)
    found = client.wait_for("textDocument/publishDiagnostics", lambda p: p["uri"] == path.as_uri())
    assert found["diagnostics"] == []
    category = at(text, "NP VP")
    assert client.ask("definition", path.as_uri(), category.line, category.character)
    client.open("untitled:Untitled-1", "schema x\n")
    found = client.wait_for("textDocument/publishDiagnostics", lambda p: p["uri"] == "untitled:Untitled-1")
    assert {x["code"] for x in found["diagnostics"]} == {"no-final", "no-step"}


def storm(client: Client, seed: int, count: int) -> None:
    """Change a text at random, and ask at random places, in it and out of it."""
    generator = random.Random(seed)
    path = schema_path("mg1")
    uri = f"file:///tmp/storm{seed}.schema"
    text = path.read_text(encoding="utf-8")
    client.open(uri, text)
    methods = ("hover", "completion", "definition", "signatureHelp", "documentHighlight", "prepareRename")
    for k in range(count):
        text = path.read_text(encoding="utf-8") if k % 20 == 0 else edited(generator, text)
        client.change(uri, text, k + 2)
        line = generator.choice((0, generator.randrange(60), 10**6, 2**31 - 1))
        client.ask(generator.choice(methods), uri, line, generator.choice((0, 3, 17, 2**31 - 1)))
    client.change(uri, "schema storm\n", count + 9)
    client.wait_for(
        "textDocument/publishDiagnostics", lambda p: p["uri"] == uri and p.get("version") == count + 9
    )


def test_the_server_lives_on_after_random_edits(client: Client) -> None:
    storm(client, 1, 100)


@pytest.mark.thorough
def test_the_server_lives_on_after_a_thousand_random_edits(client: Client) -> None:
    storm(client, 2, 1000)


def test_without_the_extra_its_name_is_told(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setitem(sys.modules, "schemata.lsp", None)
    monkeypatch.setitem(sys.modules, "pygls", None)
    monkeypatch.delitem(sys.modules, "schemata.lsp")
    monkeypatch.setitem(sys.modules, "lsprotocol", None)
    monkeypatch.delattr(schemata, "lsp", raising=False)
    assert main(["lsp"]) == 2
    assert "parsing-schemata[lsp]" in capsys.readouterr().err
