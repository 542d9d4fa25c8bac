"""Make the catalogue page: python -m schemata.cli.catalogue [--max-n N] [--jobs K] [--output FILE].

A command for those who maintain the page `docs/catalogue.md`; it verifies every shipped schema.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from schemata.display.verdicts import catalogue_page, linkage_section
from schemata.errors import SchemataError
from schemata.verification.catalogue import CatalogueRow, catalogue, linkage_catalogue, without_trees

__all__ = ["COMMAND", "main"]

COMMAND = "python -m schemata.cli.catalogue --max-n {n} --output docs/catalogue.md"
"""The command as the page names it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the page and print it, or write it to a file."""
    parser = argparse.ArgumentParser("python -m schemata.cli.catalogue", description=__doc__)
    parser.add_argument("--max-n", type=int, default=6, metavar="N", help="words at most (default 6)")
    parser.add_argument("--jobs", type=int, default=1, metavar="K", help="processes (default 1)")
    parser.add_argument("--output", type=Path, metavar="FILE", help="the file; standard output without")
    options = parser.parse_args(arguments)
    try:
        rows, theorems = catalogue(options.max_n, jobs=options.jobs, watch=_watch)
        command = COMMAND.format(n=options.max_n)
        linkages = linkage_section(linkage_catalogue(options.max_n))
        page = catalogue_page(rows, theorems, without_trees(), linkages, options.max_n, command)
        if options.output is None:
            sys.stdout.write(page)
        else:
            options.output.write_text(page, encoding="utf-8")
    except (SchemataError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def _watch(rows: Iterable[CatalogueRow], total: int, description: str) -> Iterable[CatalogueRow]:
    from schemata.display.terminal import progress

    return progress(rows, total, description)


if __name__ == "__main__":
    raise SystemExit(main())
