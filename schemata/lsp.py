"""The language server: `schemata.editing` behind the language server protocol, over standard input and output.

It works in one thread. Findings follow a change after a moment's pause; slow answers (lenses, findings about runs,
repairs) are worked out by other processes, which are ended when the text changes or their time is over.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

from lsprotocol import types as t
from pygls.capabilities import ServerCapabilitiesBuilder
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from schemata.editing import actions as changes
from schemata.editing import completion as words
from schemata.editing import findings, navigation, tokens
from schemata.editing import hover as meaning
from schemata.editing.document import Edit, Position, TextRange
from schemata.errors import SchemataError
from schemata.language.source import RELATION_SUFFIX, SUFFIX

_PAUSE = 0.2  # seconds without a change, after which findings are sent
_LONGEST = 120.0  # seconds that another process may take
_FILES = 500  # files of a folder that are looked through

_KINDS = {
    "keyword": t.CompletionItemKind.Keyword, "type": t.CompletionItemKind.TypeParameter,
    "variable": t.CompletionItemKind.Variable, "file": t.CompletionItemKind.File,
    "snippet": t.CompletionItemKind.Snippet, "value": t.CompletionItemKind.Value, "item": t.CompletionItemKind.Class,
    "field": t.CompletionItemKind.Field, "step": t.CompletionItemKind.Method, "part": t.CompletionItemKind.Method,
    "relation": t.CompletionItemKind.Function, "definition": t.CompletionItemKind.Function,
    "constructor": t.CompletionItemKind.Constructor, "parameter": t.CompletionItemKind.Constant,
}  # fmt: skip
_SYMBOLS = {
    "item": t.SymbolKind.Class, "replace item": t.SymbolKind.Class, "step": t.SymbolKind.Method,
    "part": t.SymbolKind.Method, "mirror step": t.SymbolKind.Method, "replace step": t.SymbolKind.Method,
    "define": t.SymbolKind.Function, "relation": t.SymbolKind.Function, "type": t.SymbolKind.TypeParameter,
    "schema": t.SymbolKind.Namespace, "category": t.SymbolKind.Class,
}  # fmt: skip


class _Server(LanguageServer):
    """The server, with the findings of other processes about each document and the tasks in progress."""

    def __init__(self) -> None:
        from schemata.version import __version__

        super().__init__("schemata", __version__, text_document_sync_kind=t.TextDocumentSyncKind.Full)
        self.lenses: dict[str, list[dict[str, Any]]] = {}
        self.of_runs: dict[str, list[dict[str, Any]]] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}
        self.slow: dict[str, asyncio.Task[None]] = {}


server = _Server()


# Texts and places ------------------------------------------------------------------------------------------------


def _path(uri: str) -> Path:
    """Return the path of a document; for one that is not saved, its name alone, which has no suffix of a file."""
    path = to_fs_path(uri) if uri.startswith("file:") else None
    if path is not None:
        return Path(path)
    name = Path(urlparse(uri).path or "schema")
    return Path("untitled") if name.suffix in ("", SUFFIX) else Path(name.name)


def _opened(uri: str) -> tuple[str, Path]:
    return server.workspace.get_text_document(uri).source, _path(uri)


def _texts() -> dict[Path, str]:
    return {_path(uri): document.source for uri, document in server.workspace.text_documents.items()}


def _neighbours(path: Path) -> list[Path]:
    """Return the schema and relation files of the folders that are open, and of the document's own."""
    opened = (to_fs_path(x.uri) for x in server.workspace.folders.values())
    folders = [Path(folder) for folder in opened if folder]
    if path.suffix and path.parent.is_dir():
        folders.append(path.parent)
    found: dict[Path, None] = {}
    for folder in folders:
        for suffix in (SUFFIX, RELATION_SUFFIX):
            for count, file in enumerate(folder.rglob(f"*{suffix}")):
                if count >= _FILES:
                    break
                found[file] = None
    return list(found)


def _position(place: t.Position) -> Position:
    return Position(place.line, place.character)


def _range(place: TextRange) -> t.Range:
    return t.Range(
        t.Position(place.start.line, place.start.character), t.Position(place.end.line, place.end.character)
    )


def _edits(edits: Iterable[Edit]) -> list[t.TextEdit]:
    return [t.TextEdit(_range(edit.range), edit.text) for edit in edits]


def _location(place: navigation.FileRange) -> t.Location:
    return t.Location(from_fs_path(str(place.path)) or str(place.path), _range(place.range))


def _uri_of(path: Path, uri: str) -> str:
    return uri if path == _path(uri) else from_fs_path(str(path)) or str(path)


# Findings --------------------------------------------------------------------------------------------------------


@server.feature(t.TEXT_DOCUMENT_DID_OPEN)
def _did_open(params: t.DidOpenTextDocumentParams) -> None:
    _changed(params.text_document.uri, 0.0)


@server.feature(t.TEXT_DOCUMENT_DID_CHANGE)
def _did_change(params: t.DidChangeTextDocumentParams) -> None:
    _changed(params.text_document.uri, _PAUSE)


@server.feature(t.TEXT_DOCUMENT_DID_SAVE)
def _did_save(params: t.DidSaveTextDocumentParams) -> None:
    for uri in server.workspace.text_documents:  # what extends it may have other findings now
        _changed(uri, 0.0)


@server.feature(t.TEXT_DOCUMENT_DID_CLOSE)
def _did_close(params: t.DidCloseTextDocumentParams) -> None:
    uri = params.text_document.uri
    for tasks in (server.tasks, server.slow):
        if task := tasks.pop(uri, None):
            task.cancel()
    server.lenses.pop(uri, None)
    server.of_runs.pop(uri, None)
    server.text_document_publish_diagnostics(t.PublishDiagnosticsParams(uri, []))


def _changed(uri: str, pause: float) -> None:
    for tasks in (server.tasks, server.slow):
        if task := tasks.pop(uri, None):
            task.cancel()
    server.of_runs.pop(uri, None)
    server.tasks[uri] = asyncio.get_running_loop().create_task(_check(uri, pause))


async def _check(uri: str, pause: float) -> None:
    """Send the findings about a document after a pause, and have the slow answers worked out if it has no errors."""
    await asyncio.sleep(pause)
    if uri not in server.workspace.text_documents:
        return
    text, path = _opened(uri)
    found = findings.diagnostics(text, path)
    _publish(uri, [x.to_json() for x in found])
    if not any(x.severity == "error" for x in found) and path.suffix in ("", SUFFIX, RELATION_SUFFIX):
        server.slow[uri] = asyncio.get_running_loop().create_task(
            _work_out(uri, [x.to_json() for x in found])
        )


def _publish(uri: str, found: list[dict[str, Any]]) -> None:
    version = server.workspace.get_text_document(uri).version
    rows = [
        t.Diagnostic(
            t.Range(t.Position(**x["range"]["start"]), t.Position(**x["range"]["end"])),
            x["message"],
            t.DiagnosticSeverity(x["severity"]),
            x["code"],
            source=x["source"],
        )
        for x in found
    ]
    server.text_document_publish_diagnostics(t.PublishDiagnosticsParams(uri, rows, version))


async def _work_out(uri: str, found: list[dict[str, Any]]) -> None:
    """Have lenses and findings about runs worked out by another process, and show each as it comes."""
    text, path = _opened(uri)
    lenses: list[dict[str, Any]] = []
    of_runs: list[dict[str, Any]] = []
    async for answer in _asked({"text": text, "path": str(path), "task": "lenses"}):
        if "finding" in answer:
            of_runs.append(answer["finding"])
            _publish(uri, [*found, *of_runs])
        else:
            lenses.append(answer["lens"])
            server.lenses[uri] = lenses
            _refresh_lenses()
    server.lenses[uri] = lenses
    _refresh_lenses()


def _refresh_lenses() -> None:
    workspace = server.client_capabilities.workspace
    if workspace and workspace.code_lens and workspace.code_lens.refresh_support:
        server.workspace_code_lens_refresh(None)


async def _asked(question: dict[str, Any]) -> Any:
    """Yield the answers of another process to a question, until its time is over."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "schemata.editing.lenses",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        limit=1 << 24,
    )  # fmt: skip
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(question).encode())
        process.stdin.close()
        end = asyncio.get_running_loop().time() + _LONGEST
        while True:
            left = end - asyncio.get_running_loop().time()
            line = await asyncio.wait_for(process.stdout.readline(), max(left, 0.01))
            if not line:
                return
            yield json.loads(line)
    except (TimeoutError, OSError, ValueError):
        return
    finally:
        if process.returncode is None:
            process.kill()


# Questions about a place -----------------------------------------------------------------------------------------


@server.feature(t.TEXT_DOCUMENT_HOVER)
def _hover(params: t.HoverParams) -> t.Hover | None:
    text, path = _opened(params.text_document.uri)
    found = meaning.hover(text, _position(params.position), path)
    if found is None:
        return None
    return t.Hover(t.MarkupContent(t.MarkupKind.Markdown, found.text), _range(found.range))


@server.feature(t.TEXT_DOCUMENT_COMPLETION, t.CompletionOptions(trigger_characters=["[", ",", ":", " "]))
def _completion(params: t.CompletionParams) -> t.CompletionList:
    text, path = _opened(params.text_document.uri)
    capabilities = server.client_capabilities.text_document
    item = capabilities.completion.completion_item if capabilities and capabilities.completion else None
    snippets = bool(item and item.snippet_support)
    rows = [
        t.CompletionItem(
            x.label,
            kind=_KINDS.get(x.kind, t.CompletionItemKind.Text),
            detail=x.detail or None,
            documentation=x.about or None,
            sort_text=f"{k:04}",
            text_edit=t.TextEdit(
                _range(x.edit.range), x.edit.text if snippets or not x.is_snippet else x.label
            ),
            insert_text_format=t.InsertTextFormat.Snippet if x.is_snippet and snippets else None,
        )
        for k, x in enumerate(words.completion(text, _position(params.position), path))
    ]
    return t.CompletionList(False, rows)


@server.feature(t.TEXT_DOCUMENT_SIGNATURE_HELP, t.SignatureHelpOptions(trigger_characters=["[", "(", ","]))
def _signature(params: t.SignatureHelpParams) -> t.SignatureHelp | None:
    text, path = _opened(params.text_document.uri)
    found = changes.signature(text, _position(params.position), path)
    if found is None:
        return None
    parts = [t.ParameterInformation(part) for part in found.parts]
    return t.SignatureHelp([t.SignatureInformation(found.label, found.about or None, parts)], 0, found.active)


@server.feature(t.TEXT_DOCUMENT_DEFINITION)
def _definition(params: t.DefinitionParams) -> list[t.Location]:
    text, path = _opened(params.text_document.uri)
    return [_location(x) for x in navigation.definition(text, _position(params.position), path)]


@server.feature(t.TEXT_DOCUMENT_REFERENCES)
def _references(params: t.ReferenceParams) -> list[t.Location]:
    text, path = _opened(params.text_document.uri)
    found = navigation.references(text, _position(params.position), path, _neighbours(path), _texts())
    declared = navigation.definition(text, _position(params.position), path)
    kept = (x for x in found if params.context.include_declaration or x not in declared)
    return [_location(x) for x in kept]


@server.feature(t.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
def _highlight(params: t.DocumentHighlightParams) -> list[t.DocumentHighlight]:
    text, path = _opened(params.text_document.uri)
    found = navigation.references(text, _position(params.position), path)
    return [t.DocumentHighlight(_range(x.range)) for x in found if x.path == path]


@server.feature(t.TEXT_DOCUMENT_PREPARE_RENAME)
def _prepare_rename(params: t.PrepareRenameParams) -> t.Range | None:
    text, path = _opened(params.text_document.uri)
    found = navigation.name_range(text, _position(params.position), path)
    return None if found is None else _range(found)


@server.feature(t.TEXT_DOCUMENT_RENAME, t.RenameOptions(prepare_provider=True))
def _rename(params: t.RenameParams) -> t.WorkspaceEdit | None:
    uri = params.text_document.uri
    text, path = _opened(uri)
    place = _position(params.position)
    try:
        found = navigation.rename(text, place, params.new_name, path, _neighbours(path), _texts())
    except SchemataError as error:
        message = "; ".join(x.message for x in error.diagnostics)
        server.window_show_message(t.ShowMessageParams(t.MessageType.Error, message))
        return None
    return t.WorkspaceEdit({_uri_of(file, uri): _edits(edits) for file, edits in found.items()})


# Questions about a document --------------------------------------------------------------------------------------


def _symbol_kind(keyword: str) -> t.SymbolKind:
    return _SYMBOLS.get(keyword, t.SymbolKind.Constant)


@server.feature(t.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
def _symbols(params: t.DocumentSymbolParams) -> list[t.DocumentSymbol]:
    text, path = _opened(params.text_document.uri)
    return [
        t.DocumentSymbol(
            x.name, _symbol_kind(x.keyword), _range(x.place.range), _range(x.selection), detail=x.keyword
        )
        for x in navigation.symbols(text, path)
    ]


@server.feature(t.WORKSPACE_SYMBOL)
def _workspace_symbols(params: t.WorkspaceSymbolParams) -> list[t.WorkspaceSymbol]:
    texts = _texts()
    files = dict.fromkeys([*texts, *_neighbours(Path("untitled"))])
    found = navigation.workspace_symbols(params.query, files, texts)
    return [
        t.WorkspaceSymbol(
            _location(navigation.FileRange(x.place.path, x.selection)), x.name, _symbol_kind(x.keyword)
        )
        for x in found
    ]


@server.feature(t.TEXT_DOCUMENT_FOLDING_RANGE)
def _folding(params: t.FoldingRangeParams) -> list[t.FoldingRange]:
    text, path = _opened(params.text_document.uri)
    return [
        t.FoldingRange(first, last, kind=t.FoldingRangeKind.Comment if comment else None)
        for first, last, comment in navigation.folding(text, path)
    ]


@server.feature(t.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, t.SemanticTokensLegend(list(tokens.TOKEN_TYPES), []))
def _tokens(params: t.SemanticTokensParams) -> t.SemanticTokens:
    return t.SemanticTokens(tokens.encoded(tokens.semantic_tokens(*_opened(params.text_document.uri))))


@server.feature(t.TEXT_DOCUMENT_FORMATTING)
def _formatting(params: t.DocumentFormattingParams) -> list[t.TextEdit]:
    return _edits(changes.formatting(*_opened(params.text_document.uri)))


# Actions and lenses ----------------------------------------------------------------------------------------------


@server.feature(
    t.TEXT_DOCUMENT_CODE_ACTION,
    t.CodeActionOptions([t.CodeActionKind.QuickFix, t.CodeActionKind.RefactorRewrite]),
)
def _code_actions(params: t.CodeActionParams) -> list[t.CodeAction]:
    uri = params.text_document.uri
    text, path = _opened(uri)
    place = TextRange(_position(params.range.start), _position(params.range.end))
    found = [
        t.CodeAction(
            x.title,
            kind=t.CodeActionKind.QuickFix if x.mends else t.CodeActionKind.RefactorRewrite,
            edit=t.WorkspaceEdit({uri: _edits(x.edits)}),
        )
        for x in changes.actions(text, place, path)
    ]
    if path.suffix == SUFFIX and any(x["title"] == "each once: no" for x in server.lenses.get(uri, ())):
        title = "look for a schema that derives each tree once"
        repair = t.Command(title, "schemata.repair", arguments=[uri])
        found.append(t.CodeAction(title, kind=t.CodeActionKind.RefactorRewrite, command=repair))
    return found


@server.feature(t.TEXT_DOCUMENT_CODE_LENS)
def _code_lenses(params: t.CodeLensParams) -> list[t.CodeLens]:
    uri = params.text_document.uri
    rows = enumerate(server.lenses.get(uri, ()))
    return [
        t.CodeLens(
            t.Range(t.Position(x["line"], 0), t.Position(x["line"], 0)),
            t.Command(
                x["title"],
                "schemata.explainLens" if x["more"] else "",
                arguments=[uri, k] if x["more"] else None,
            ),
        )
        for k, x in rows
    ]


@server.command("schemata.explainLens")
def _explain_lens(uri: str, number: int) -> str | None:
    """Show the details of a lens: the whole verdict with its counterexample, or all degrees."""
    more = _lens_text(uri, number)
    if more:
        server.window_show_message(t.ShowMessageParams(t.MessageType.Info, more))
    return more


@server.command("schemata.lensText")
def _lens_text(uri: str, number: int) -> str | None:
    """Return the details of a lens, for clients whose messages have no room for them."""
    lenses = server.lenses.get(uri, [])
    more: str | None = lenses[number]["more"] if 0 <= number < len(lenses) else None
    return more


@server.command("schemata.repair")
async def _repair(uri: str) -> str | None:
    """Look for a schema that derives each tree once, and write it beside the one that does not."""
    text, path = _opened(uri)
    async for answer in _asked({"text": text, "path": str(path), "task": "repair"}):
        if not answer:
            break
        file = from_fs_path(str(path.with_name(f"{answer['name']}{SUFFIX}"))) or ""
        start = t.Range(t.Position(0, 0), t.Position(0, 0))
        created = t.CreateFile(file, options=t.CreateFileOptions(overwrite=False, ignore_if_exists=False))
        written = t.TextDocumentEdit(
            t.OptionalVersionedTextDocumentIdentifier(file), [t.TextEdit(start, answer["text"])]
        )
        edit = t.WorkspaceEdit(document_changes=[created, written])
        server.workspace_apply_edit(t.ApplyWorkspaceEditParams(edit, "a schema that derives each tree once"))
        return str(answer["name"])
    message = "no repair was found within the time"
    server.window_show_message(t.ShowMessageParams(t.MessageType.Info, message))
    return None


def serve() -> None:
    """Answer one client over standard input and output until it ends.

    Places are counted in UTF-16, which all clients know, even where the client offers something else first.
    """
    ServerCapabilitiesBuilder.choose_position_encoding = classmethod(  # type: ignore[method-assign, assignment]
        lambda cls, capabilities: t.PositionEncodingKind.Utf16
    )
    gc.freeze()  # modules stay: the collector need not look at them after each change
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as output:  # which the server closes
        server.start_io(None, output)
