"""The command `schemata`, also as `python -m schemata`: set-up before the first command, and the end of the
last.
"""

from __future__ import annotations

import sys


def entry_point() -> None:
    """Run the command line and exit. Everything is imported here, so that Ctrl-C meanwhile shows no traceback."""
    try:
        from schemata.cli.main import run_and_exit

        run_and_exit()
    except (KeyboardInterrupt, Exception) as error:
        if not _is_interrupt(error):
            raise
        print("error: interrupted", file=sys.stderr)
        raise SystemExit(130) from None


def _is_interrupt(error: BaseException | None) -> bool:
    """Whether an exception is Ctrl-C, or was raised from it while a class was being made."""
    return error is not None and (isinstance(error, KeyboardInterrupt) or _is_interrupt(error.__cause__))


if __name__ == "__main__":
    entry_point()
