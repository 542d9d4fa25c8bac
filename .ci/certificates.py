#!/usr/bin/env python3
"""Make the certificates that are shipped: python .ci/certificates.py [NAME ...].

For each schema of dependency trees that is claimed to parse projective trees, or at most these, or trees with so many
gaps, what is proved of it for every number of words is written to schema_specs/certificates, and what is not is
reported with its reason. All takes some minutes.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for the schemata beside this script

from schemata.correctness.answers import prove
from schemata.correctness.shipped import file_name
from schemata.thresholds import EFFORTS
from schemata.verification.claims import shipped_claims
from schemata.workbench import load

PATIENCE = 900.0  # seconds of a search, however busy the machine is


def main(names: list[str]) -> int:
    """Write the certificates of some schemata, or of all."""
    EFFORTS.solver_seconds = PATIENCE
    folder = Path(__file__).resolve().parents[1] / "schema_specs" / "certificates"
    folder.mkdir(exist_ok=True)
    for reference in dict.fromkeys(c.reference for c in shipped_claims()):
        schema = load(reference)
        if (names and reference not in names) or schema.definition.grammar != "d-rules":
            continue
        found = prove(schema)
        answers = ", ".join(f"{claim} {answer}" for claim, answer in found.answers.items())
        print(f"{reference}: {answers}{'; ' if found.reason else ''}{found.reason or ''}", flush=True)
        path = folder / f"{file_name(found.schema)}.certificate"
        if found.certificate is None:
            path.unlink(missing_ok=True)
        else:
            path.write_text(found.certificate.text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
