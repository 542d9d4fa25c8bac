"""A plain client of the language server over its standard input and output."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any


class Client:
    """Starts `schemata lsp`, sends requests and keeps what the server sends by itself."""

    def __init__(self, root: Path, **capabilities: Any) -> None:
        command = [sys.executable, "-m", "schemata", "lsp"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.count = 0
        self.sent: list[dict[str, Any]] = []
        folders = [{"uri": root.as_uri(), "name": "root"}]
        asked = {
            "processId": None,
            "rootUri": root.as_uri(),
            "workspaceFolders": folders,
            "capabilities": capabilities,
        }
        self.capabilities = self.request("initialize", asked)["capabilities"]
        self.notify("initialized", {})

    def _write(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0"} | message).encode()
        assert self.process.stdin
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def _read(self) -> dict[str, Any]:
        assert self.process.stdout
        length = 0
        while (line := self.process.stdout.readline().strip()) or not length:
            assert self.process.poll() is None, self.process.stderr and self.process.stderr.read()
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        return json.loads(self.process.stdout.read(length))

    def notify(self, method: str, params: Any) -> None:
        self._write({"method": method, "params": params})

    def request(self, method: str, params: Any) -> Any:
        """Return the result of a request; an error of the server raises."""
        self.count += 1
        self._write({"id": self.count, "method": method, "params": params})
        while True:
            found = self._read()
            if found.get("id") == self.count and "method" not in found:
                assert "error" not in found, found["error"]
                return found["result"]
            self._keep(found)

    def wait_for(self, method: str, wanted: Any = lambda params: True) -> Any:
        """Return the parameters of a message that the server sends by itself, perhaps already sent."""
        while True:
            for k, found in enumerate(self.sent):
                if found["method"] == method and wanted(found.get("params")):
                    return self.sent.pop(k).get("params")
            self._keep(self._read())

    def _keep(self, found: dict[str, Any]) -> None:
        if "method" in found:
            self.sent.append(found)
            if "id" in found:
                self._write(
                    {
                        "id": found["id"],
                        "result": {"applied": True} if "applyEdit" in found["method"] else None,
                    }
                )

    def open(self, uri: str, text: str) -> None:
        document = {"uri": uri, "languageId": "schema", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def change(self, uri: str, text: str, version: int = 2) -> None:
        changed = {"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": text}]}
        self.notify("textDocument/didChange", changed)

    def ask(self, method: str, uri: str, line: int, character: int, **more: Any) -> Any:
        """Return the answer to a question about a place of a document."""
        place = {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}
        return self.request(f"textDocument/{method}", place | more)

    def close(self) -> int:
        """End the server in order; returns its exit code."""
        self.request("shutdown", None)
        self.notify("exit", None)
        code = self.process.wait(20)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe:
                pipe.close()
        return code
