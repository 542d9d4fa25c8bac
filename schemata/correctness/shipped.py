"""Certificates that are shipped (`schema_specs/certificates`), by schema, without inspection of their proofs.

A certificate is bound to its schema by a checksum, which `answers.known_correctness` compares; tests check all of them
again. The same holds for the relations along which claims travel from one schema to another (`relations.transfers`).
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from pathlib import Path

from schemata.language.shipped import shipped_files
from schemata.records import Record, json_of

CLASS = "projective"
CLAIMS = ("sound", "complete", "each_once")
TRAVELLING = ("sound", "complete")
"""The claims that travel along relations: soundness to the emulated schema, completeness to the emulating one."""
TRANSFERS = "relations.transfers"
"""The file of the relations along which claims travel."""
_SUFFIX = ".certificate"


def file_name(reference: str) -> str:
    """Return the name of the file with the certificate that is shipped for a schema, without its suffix.

    >>> file_name("eisner1996:end=1")
    'eisner1996_end_1'
    """
    return re.sub(r"[^\w.-]", "_", reference)


def shipped_certificate(reference: str) -> Path | None:
    """Return the file with the certificate that is shipped for a schema, by reference; None if it has no
    certificate.
    """
    return shipped_files(_SUFFIX).get(file_name(reference))


def has_proofs(reference: str) -> bool:
    """Whether a certificate is shipped for a schema, by reference, or a relation that may carry claims to it."""
    ends = (end for one in shipped_transfers() for end in (one.emulated, one.emulating))
    return shipped_certificate(reference) is not None or reference in ends


def shipped_claims_for_every_n(reference: str, class_name: str | None = None) -> list[str]:
    """Return the claims that the certificate shipped for a schema proves, by reference; empty without a
    certificate.

    With a class, only claims about that.

    The file is trusted here; tests check it again.

    >>> shipped_claims_for_every_n("nivre2003")
    []
    """
    path = shipped_certificate(reference)
    found = {} if path is None else json.loads(path.read_text("utf-8"))
    fits = class_name in (None, found.get("class"))
    return [claim for claim in CLAIMS if fits and found.get(claim)]


class Transfer(Record):
    """A relation that is proved for every n and keeps structures and final items.

    Parameters
    ----------
    relation : the name of the relation file.
    emulated, emulating : the schemata by reference; the second derives every structure that the first derives.
    checksums : of both, as in their certificates.
    """

    relation: str
    emulated: str
    emulating: str
    checksums: tuple[str, str]


class Source(Record):
    """The source of a claim about a schema: the schema that a certificate is about, and the relations on the way."""

    schema: str
    relations: tuple[str, ...]

    to_json = json_of("from=schema relations")


@functools.cache
def shipped_transfers() -> tuple[Transfer, ...]:
    """Return the relations along which claims travel."""
    path = shipped_files(".transfers").get(TRANSFERS.removesuffix(".transfers"))
    entries = [] if path is None else json.loads(path.read_text("utf-8"))["certificates"]
    found = []
    for x in entries:
        (emulated, emulating), (one, other) = x["travels"], x["checksums"]
        found.append(Transfer(x["relation"], emulated, emulating, (one, other)))
    return tuple(found)


def sources_along_relations(reference: str, checksum: str, class_name: str) -> Mapping[str, Source]:
    """Return the claims about a schema that follow from certificates of others, each with its nearest source.

    Parameters
    ----------
    reference : the schema.
    checksum : of the schema; relations of a schema that has changed carry nothing.
    class_name : the class of trees that the claims are about.

    >>> checksum = next(x.checksums[1] for x in shipped_transfers() if x.emulating == "mh:k=4")
    >>> sources_along_relations("mh:k=4", checksum, "projective")["complete"]
    Source(schema='mh', relations=('mh-mh',))
    """
    found: dict[str, Source] = {}
    for claim in TRAVELLING:
        origins: dict[str, list[tuple[str, str]]] = {}
        for one in shipped_transfers():
            ends = (one.emulated, one.emulating), one.checksums
            (origin, to), sums = ends if claim == "complete" else (end[::-1] for end in ends)
            if to != reference or sums[1] == checksum:
                origins.setdefault(to, []).append((origin, one.relation))
        ways: dict[str, tuple[str, ...]] = {reference: ()}
        waiting = [reference]
        for there in waiting:  # grows: the nearest first
            if there != reference and claim in shipped_claims_for_every_n(there, class_name):
                found[claim] = Source(there, ways[there])
                break
            for origin, relation in origins.get(there, ()):
                if origin not in ways:
                    ways[origin] = (relation, *ways[there])
                    waiting.append(origin)
    return found
