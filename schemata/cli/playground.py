"""The page in the browser: the command `playground`."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from tempfile import TemporaryDirectory

from schemata.cli import command as c
from schemata.cli.output import report, waiting, write
from schemata.display.terminal import ProgressBar


@c.command(
    c.option(
        "schema SCHEMA",
        "shipped names, of which the first is shown first; files of schemata, grammars, exercises",
        nargs="*",
    ),
    c.option("--export DIR", "write the page into a folder for any web server, and serve nothing"),
    c.number("--port PORT", "the port; a free one by default", 0, above=-1),
    c.flag("--no-browser", "do not open the browser"),
    c.JSON,
    apart=(("--export", "--port --no-browser"),),
)
def playground(arguments: Namespace) -> int:
    """Serve a page on this machine on which schemata are written, run, drawn and verified; Python runs in the browser.

    The first time, npm fetches the parts of the page; they are kept. Ctrl-C ends the server.
    """
    from schemata.playground.export import export
    from schemata.playground.parts import parts
    from schemata.playground.serve import serve

    with ProgressBar("making the page"):
        found = parts()
        if arguments.export is not None:
            warnings = export(Path(arguments.export), found, arguments.schema)
    if arguments.export is not None:
        report(*warnings)
        return c.answer(
            arguments, {"folder": arguments.export}, f"{arguments.export}: index.html and what it needs"
        )
    with TemporaryDirectory(prefix="schemata-") as folder:
        report(*export(Path(folder), found, arguments.schema))

        def say(address: str) -> None:
            c.answer(arguments, {"address": address}, f"{address}  (Ctrl-C ends)")
            import sys

            sys.stdout.flush()

        waiting()
        try:
            serve(Path(folder), arguments.port, not arguments.no_browser, say)
        except KeyboardInterrupt:
            write("\n")
    return 0
