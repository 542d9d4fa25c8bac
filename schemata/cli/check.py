"""Check schemata, relations and grammars: every mistake at once, with its place, what was expected and a hint.

The suffix of a file says what it is; a folder is one with a dictionary of Link Grammar.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from schemata.cli.main import report
from schemata.cli.options import add_json_option, print_json
from schemata.errors import Diagnostic
from schemata.grammars.kinds import check_grammar_file, is_grammar_file
from schemata.language.library import RELATION_SUFFIX, load_file

__all__ = ["configure", "run"]

_FILES = "a .schema, .relation, .drules, .deprules, .cfg or .dict file, or a folder with a dictionary"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("files", nargs="+", metavar="FILE", help=_FILES)
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check the files; 1 where one has errors."""
    wrong = False
    results = []
    for file in arguments.files:
        findings = _findings(Path(file))
        errors = sum(1 for f in findings if f.severity == "error")
        wrong = wrong or errors > 0
        if arguments.json:
            results.append({"file": file, "ok": not errors, "findings": [f.to_json() for f in findings]})
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


def _findings(path: Path) -> list[Diagnostic]:
    """Return all that is found in a file; its suffix says of which kind it is."""
    if is_grammar_file(path):
        return check_grammar_file(path)
    if path.suffix != RELATION_SUFFIX:
        return load_file(path)[1]
    from schemata.language.files import in_order
    from schemata.language.relations import check_relation_file

    relation, findings = check_relation_file(path)
    if relation is None:
        return findings
    from schemata.relations.disagreement import disagreements

    return in_order([*findings, *disagreements(relation)])
