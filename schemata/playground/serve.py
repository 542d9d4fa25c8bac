"""The page served on this machine alone, with the headers that keep it apart from all other pages."""

from __future__ import annotations

import webbrowser
from collections.abc import Callable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from schemata.errors import UsageError

ADDRESS = "127.0.0.1"
POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
"""The policy that browsers apply to the page: it loads only its own files; inline styles are allowed, since the
editor makes them."""

HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",  # with the next one: memory shared with the worker, to interrupt it
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}


class _Handler(SimpleHTTPRequestHandler):
    """Serves files of a folder; lists no folders."""

    extensions_map = {  # noqa: RUF012 - as in the class above; not those of the machine, which may be anything
        ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
        ".mjs": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".json": "application/json",
        ".svg": "image/svg+xml", ".wasm": "application/wasm", "": "application/octet-stream",
    }  # fmt: skip

    def end_headers(self) -> None:
        for name, value in HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def send_head(self):  # type: ignore[no-untyped-def]
        host = self.headers.get("Host", "").rpartition(":")[0] or self.headers.get("Host", "")
        if host not in (ADDRESS, "localhost"):  # another name that leads here is another site's
            self.send_error(421, "this is served for 127.0.0.1 alone")
            return None
        return super().send_head()

    def list_directory(self, path):  # type: ignore[no-untyped-def]
        self.send_error(404)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def server(folder: Path, port: int = 0) -> ThreadingHTTPServer:
    """Return a server of a folder at a port, a free one if 0; its `serve_forever` serves.

    Raises
    ------
    UsageError : the port is taken, or may not be used.
    """
    try:
        return ThreadingHTTPServer((ADDRESS, port), partial(_Handler, directory=str(folder)))
    except (OSError, OverflowError) as problem:
        said = getattr(problem, "strerror", None) or str(problem)
        raise UsageError(
            f"nothing can be served at port {port}: {said}", hint="another --port, or none"
        ) from None


def serve(folder: Path, port: int, browser: bool, say: Callable[[str], object]) -> None:
    """Serve a folder until Ctrl-C, and open it in the browser.

    Parameters
    ----------
    folder : the page.
    port : the port; 0 for a free one.
    browser : whether to open the browser.
    say : receives the address.
    """
    with server(folder, port) as serving:
        address = f"http://{ADDRESS}:{serving.server_address[1]}/"
        say(address)
        if browser:
            webbrowser.open(address)
        serving.serve_forever(poll_interval=0.2)
