#!/usr/bin/env python3
"""Make the certificates that are shipped: python .ci/certificates.py [NAME ...] [relations].

For each schema of dependency trees that is claimed to parse projective trees, or at most these, or trees with so many
gaps, what is proved of it for every number of words is written to schema_specs/certificates, and what is not is
reported with its reason. All takes some minutes. The relations between them along which claims travel for every number
of words are one file (`relations`), a minute's work.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for the schemata beside this script

from schemata.correctness.answers import prove
from schemata.correctness.certificate import NotProved
from schemata.correctness.shipped import TRANSFERS, file_name
from schemata.correctness.steps import program_of
from schemata.language.library import shipped_relations
from schemata.language.relations import load_relation
from schemata.language.typeset import reference_of
from schemata.records import document
from schemata.relations import transfer
from schemata.relations.consequences import emulated_and_emulating
from schemata.relations.decide import decide
from schemata.relations.systems import SharedSystems
from schemata.thresholds import EFFORTS
from schemata.verification.claims import shipped_claims
from schemata.workbench import load

PATIENCE = 900.0  # seconds of a search, however busy the machine is
RELATIONS = "relations"
LENGTHS = (2, 3, 4)  # words of the sentences in which ways are met from which a proof is made


def main(names: list[str]) -> int:
    """Write the certificates of some schemata, or of all."""
    EFFORTS.solver_seconds = PATIENCE
    folder = Path(__file__).resolve().parents[1] / "schema_specs" / "certificates"
    folder.mkdir(exist_ok=True)
    if not names or RELATIONS in names:
        entries = [entry for name in shipped_relations() for entry in transfers(name)]
        text = json.dumps(document({"certificates": entries}), separators=(",", ":"))
        (folder / TRANSFERS).write_text(text + "\n", encoding="utf-8")
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


def transfers(name: str) -> Iterator[dict[str, Any]]:
    """Yield the relations of a file along which claims travel."""
    for relation in load_relation(name).relations:
        ends = emulated_and_emulating(relation)
        try:
            for end in ends or ():
                program_of(end)
        except NotProved:
            continue
        for max_n in LENGTHS if ends else ():
            answer = decide(relation, relation.kind, max_n, systems=SharedSystems(), strict=True, lift=True)  # type: ignore[arg-type]
            if answer.certificate is not None:
                refused = transfer.refusal(relation, relation.kind, answer.certificate)  # type: ignore[arg-type]
                print(f"{name}: {answer.first} to {answer.second}: {refused or 'claims travel'}", flush=True)
                if not refused:
                    yield transfer.entry(answer, relation, name)
                break
        else:
            if ends:
                print(f"{name}: {reference_of(ends[0])}, {reference_of(ends[1])}: not proved", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
