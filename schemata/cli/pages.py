"""Make a page of documentation: python -m schemata.cli.pages catalogue|relations|costs [--max-n N] [--output FILE].

A command for those who maintain `docs/catalogue.md`, which verifies every shipped schema, and `docs/relations.md`,
which decides the claims of all shipped relation files and has their map beside it as SVG, and `docs/costs.md`, which
sets deduced costs beside published ones.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from schemata.analysis.complexity import complexity
from schemata.display.pages import (
    catalogue_page,
    constituent_section,
    costs_page,
    field_page,
    linkage_section,
)
from schemata.display.relations import field_svg
from schemata.display.terminal import progress
from schemata.errors import SchemataError
from schemata.relations.catalogue import field_map
from schemata.verification.catalogue import catalogue, constituent_catalogue, linkage_catalogue
from schemata.verification.claims import all_claims
from schemata.workbench import load

COMMAND = "python -m schemata.cli.pages {page} --max-n {n} --output docs/{page}.md"
"""The command as the page names it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the page and print it, or write it to a file."""
    parser = argparse.ArgumentParser("python -m schemata.cli.pages", description=__doc__)
    parser.add_argument("page", choices=("catalogue", "relations", "costs"))
    parser.add_argument("--max-n", type=int, metavar="N", help="words at most (default 6, of relations 5)")
    parser.add_argument("--jobs", type=int, default=1, metavar="K", help="processes for verdicts (default 1)")
    parser.add_argument("--output", type=Path, metavar="FILE", help="the file; standard output without")
    options = parser.parse_args(arguments)
    usual = {"catalogue": 6, "relations": 5, "costs": 0}[options.page]
    max_n = usual if options.max_n is None else options.max_n
    command = COMMAND.format(page=options.page, n=max_n)
    picture = None
    try:
        if options.page == "catalogue":
            rows, theorems = catalogue(max_n, jobs=options.jobs, watch=progress)
            linkages, constituents = linkage_catalogue(max_n), constituent_catalogue(max_n)
            sections = [linkage_section(linkages), constituent_section(constituents)]
            page = catalogue_page(rows, theorems, sections, max_n, command)
        elif options.page == "costs":
            claims = {claim.reference: claim for claim in all_claims()}
            costs = [(name, c.complexity, complexity(load(name))) for name, c in claims.items()]
            page = costs_page(costs, "python -m schemata.cli.pages costs --output docs/costs.md")
        else:
            arrows = field_map(max_n, watch=progress)
            page, picture = field_page(arrows, max_n, command), field_svg(arrows)
        if options.output is None:
            sys.stdout.write(page)
        else:
            options.output.write_text(page, encoding="utf-8")
            if picture is not None:
                options.output.with_suffix(".svg").write_text(picture, encoding="utf-8")
    except (SchemataError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
