"""The command `schemata`, which `python -m schemata` is too: what comes before the first command and after the last."""

from __future__ import annotations

import sys


def entry_point() -> None:
    """Run the command line and exit. Everything is imported here, so that Ctrl-C meanwhile is no traceback either."""
    try:
        from schemata.cli.main import run_and_exit

        run_and_exit()
    except (KeyboardInterrupt, Exception) as error:
        if not _is_interrupt(error):
            raise
        print("error: interrupted", file=sys.stderr)
        raise SystemExit(130) from None


def _is_interrupt(error: BaseException | None) -> bool:
    """Whether an exception is Ctrl-C, or what a class that was just being made turned it into."""
    return error is not None and (isinstance(error, KeyboardInterrupt) or _is_interrupt(error.__cause__))


if __name__ == "__main__":
    entry_point()
