"""The command `schemata`, which `python -m schemata` is too: what comes before the first command and after the last."""

from __future__ import annotations

import contextlib
import os
import sys


def entry_point() -> None:
    """Run the command line and exit; at once, if Ctrl-C came while machine code was made, which cannot be stopped.

    Everything is imported here, so that Ctrl-C during imports is no traceback either.
    """
    os.environ.setdefault(
        "OPENBLAS_NUM_THREADS", "1"
    )  # numpy's threads take address space, and nothing uses them
    try:
        from schemata.cli.main import main

        code = main()
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        code = 130
    compiler = sys.modules.get("schemata.machine.compile")
    if compiler is not None and compiler.is_compiling():
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)
    raise SystemExit(code)


if __name__ == "__main__":
    entry_point()
