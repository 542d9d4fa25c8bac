"""Check schema files: every mistake at once, each with its place, what was expected and a hint."""

from __future__ import annotations

import argparse
from pathlib import Path

from schemata.cli.main import report
from schemata.cli.options import add_json_option, print_json
from schemata.language.library import check_file

__all__ = ["configure", "run"]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="a .schema file")
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check the files; 1 where one has errors."""
    wrong = False
    results = []
    for file in arguments.files:
        schema, findings = check_file(Path(file))
        errors = sum(1 for f in findings if f.severity == "error")
        wrong = wrong or schema is None
        if arguments.json:
            results.append(
                {"file": file, "ok": schema is not None, "findings": [f.to_json() for f in findings]}
            )
            continue
        report(*findings)
        warnings = len(findings) - errors
        said = [
            f"{k} {what}{'s' if k > 1 else ''}" for k, what in ((errors, "error"), (warnings, "warning")) if k
        ]
        print(f"{file}: {', '.join(said) if said else 'no errors'}")
    if arguments.json:
        print_json({"files": results})
    return 1 if wrong else 0
