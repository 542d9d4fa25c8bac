"""The command `schemata`, which `python -m schemata` is too: what comes before the first command and after the last."""

from __future__ import annotations

import sys


def entry_point() -> None:
    """Run the command line and exit. Everything is imported here, so that Ctrl-C meanwhile is no traceback either."""
    try:
        from schemata.cli.main import run_and_exit

        run_and_exit()
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        raise SystemExit(130) from None


if __name__ == "__main__":
    entry_point()
