"""Certificates that are shipped (`schema_specs/certificates`), by schema, without a look at what they prove.

A certificate is bound to its schema by a checksum, which `answers.known_correctness` compares; tests check all of them
again.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from schemata.language.shipped import shipped_files

CLASS = "projective"
CLAIMS = ("sound", "complete", "each_once")
_SUFFIX = ".certificate"


def file_name(reference: str) -> str:
    """Return the name of the file with the certificate that is shipped for a schema, without its suffix.

    >>> file_name("eisner1996:end=1")
    'eisner1996_end_1'
    """
    return re.sub(r"[^\w.-]", "_", reference)


def shipped_certificate(reference: str) -> Path | None:
    """Return the file with the certificate that is shipped for a schema, by reference; None where there is none."""
    return shipped_files(_SUFFIX).get(file_name(reference))


def shipped_claims_for_every_n(reference: str, class_name: str | None = None) -> list[str]:
    """Return the claims that the certificate shipped for a schema proves, by reference; none where there is none.

    With a class, only claims about that.

    The file is taken at its word: tests check it again.

    >>> shipped_claims_for_every_n("nivre2003")
    []
    """
    path = shipped_certificate(reference)
    found = {} if path is None else json.loads(path.read_text("utf-8"))
    fits = class_name in (None, found.get("class"))
    return [claim for claim in CLAIMS if fits and found.get(claim)]
