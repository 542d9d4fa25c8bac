"""Certificates for schemata of well-nested trees with gaps: the parts of a proof, as a value and as JSON.

A certificate has the words that items of each kind cover (`CoveredWords`), and a word of each type. It has the step
that derives (`Use`) each arrangement of one dependent, and each of some splits of several dependents. `gap_checker`
decides whether that is a proof.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from schemata.correctness.certificate import (
    VERSION,
    as_flag,
    as_flags,
    as_text,
    as_whole,
    flags_text,
    term_json,
    term_of,
)
from schemata.program.linear import Affine
from schemata.records import Record, document, field


class CoveredWords(Record):
    """The words that items of a kind cover: the head, and blocks from a first to a last word, as terms over the
    columns.
    """

    head: Affine
    blocks: tuple[tuple[Affine, Affine], ...]


class Use(Record):
    """A step, and how its items are written: the consequent, then the antecedents, each with the head or without.

    Parameters
    ----------
    step : its number.
    heads : for each item, whether the head is in its blocks.
    turned : whether the first antecedent is the second part: of a link, the dependent.
    """

    step: int
    heads: tuple[bool, ...]
    turned: bool = False


class GapCertificate(Record):
    """The parts of a proof.

    Parameters
    ----------
    schema : the schema by reference, such as `wgk:k=2`.
    checksum : of the lowered schema.
    class_name : the class of trees, such as `wg-1`.
    sound, complete, each_once : whether these are proved; the others are not claimed.
    readings : of each kind.
    links : by shape and place of the dependent's run, the step that links the only dependent.
    splits : by split, the step that derives the whole from the parts.
    words : an arrangement of each type.
    """

    schema: str
    checksum: str
    class_name: str
    sound: bool
    complete: bool
    each_once: bool
    readings: Mapping[int, CoveredWords]
    links: Mapping[tuple[str, int], Use] = field(default_factory=dict)
    splits: Mapping[str, Use] = field(default_factory=dict)
    words: tuple[str, ...] = ()

    def text(self) -> str:
        """Return the certificate as a JSON document, which `certificate_of` reads."""
        whole = {
            "certificate": VERSION,
            "schema": self.schema,
            "class": self.class_name,
            "checksum": self.checksum,
            "sound": self.sound,
            "complete": self.complete,
            "each_once": self.each_once,
            "readings": [
                [kind, term_json(one.head), [[term_json(x), term_json(y)] for x, y in one.blocks]]
                for kind, one in sorted(self.readings.items())
            ],
            "links": [f"{shape} {at} {_use_text(use)}" for (shape, at), use in sorted(self.links.items())],
            "splits": [f"{split} {_use_text(use)}" for split, use in sorted(self.splits.items())],
            "words": " ".join(self.words),
        }
        return json.dumps(document(whole), separators=(",", ":")) + "\n"


def read_gaps(value: Any) -> GapCertificate:
    """Return a certificate from its JSON as a value.

    Raises
    ------
    ValueError, KeyError, TypeError : it is not a certificate.
    """
    readings = {
        as_whole(kind): CoveredWords(term_of(head), tuple((term_of(x), term_of(y)) for x, y in blocks))
        for kind, head, blocks in value["readings"]
    }
    rows = [as_text(row).split(" ") for row in value["links"]]
    links = {(shape, int(place)): _use(*use) for shape, place, *use in rows}
    rows = [as_text(row).split(" ") for row in value["splits"]]
    return GapCertificate(
        as_text(value["schema"]),
        as_text(value["checksum"]),
        as_text(value["class"]),
        as_flag(value["sound"]),
        as_flag(value["complete"]),
        as_flag(value["each_once"]),
        readings,
        links,
        {split: _use(*use) for split, *use in rows},
        tuple(as_text(value["words"]).split(" ")),
    )


def _use_text(use: Use) -> str:
    return f"{use.step} {flags_text(use.heads)}{'t' if use.turned else ''}"


def _use(step: str, how: str) -> Use:
    return Use(int(step), as_flags(how.removesuffix("t")), how.endswith("t"))
