"""Make the page of relations: python -m schemata.cli.relations_page [--max-n N] [--output FILE].

A command for those who maintain `docs/relations.md`; it decides the claims of all shipped relation files, and writes
the map beside the page as SVG.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from schemata.display.relation_map import field_page, field_svg
from schemata.errors import SchemataError
from schemata.relations.catalogue import field_map

__all__ = ["COMMAND", "main"]

COMMAND = "python -m schemata.cli.relations_page --max-n {n} --output docs/relations.md"
"""The command as the page names it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the page and print it, or write it to a file."""
    parser = argparse.ArgumentParser("python -m schemata.cli.relations_page", description=__doc__)
    parser.add_argument("--max-n", type=int, default=5, metavar="N", help="words at most (default 5)")
    parser.add_argument("--output", type=Path, metavar="FILE", help="the file; standard output without")
    options = parser.parse_args(arguments)
    try:
        arrows = field_map(options.max_n, watch=_watch)
        page = field_page(arrows, options.max_n, COMMAND.format(n=options.max_n))
        if options.output is None:
            sys.stdout.write(page)
        else:
            options.output.write_text(page, encoding="utf-8")
            options.output.with_suffix(".svg").write_text(field_svg(arrows), encoding="utf-8")
    except (SchemataError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def _watch(items: Iterable[Any], total: int, description: str) -> Iterable[Any]:
    from schemata.display.terminal import progress

    return progress(items, total, description)


if __name__ == "__main__":
    raise SystemExit(main())
