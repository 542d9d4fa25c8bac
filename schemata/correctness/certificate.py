"""Certificates of correctness for every sentence length: the parts of a proof, as a value and as JSON.

A certificate names the parts that a search has found, and says nothing about how: forgotten columns that are kept
(`Hidden`), invariants, the layout of each kind's items (`ItemLayout`), how each step puts the words of its antecedents
together (`Decomposition`), the meaning of each kind, a shortest word for each type, and for each element of a meaning
the ways in which its items are derived (`ProfiledStep`). `checker` decides whether all that is a proof.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from schemata.correctness.shipped import CLASS
from schemata.correctness.words import FEATURES, Pattern, Profile, is_word, pattern_of, pattern_text
from schemata.language import model as m
from schemata.program.linear import Affine, Linear, Test
from schemata.program.model import Program
from schemata.records import Record, document, field
from schemata.thresholds import REFUSALS

VERSION = 1
"""The version of the files of certificates: a greater one where a key changes its meaning."""


class NotProved(Exception):  # noqa: N818 - an answer, not a mistake
    """There is no proof for every n; the message says why.

    `gap` has the words that no step, or more than one, was shown to derive; `refuted` has the assumptions, and the
    conclusion that does not follow from them.
    """

    def __init__(
        self, message: str, gap: Gap | None = None, refuted: tuple[Sequence[Test], Test] | None = None
    ) -> None:
        super().__init__(message)
        self.gap, self.refuted = gap, refuted


class Hidden(Record):
    """A column that items of a kind forget and that a proof keeps: its value in each step that derives them.

    `terms` has the number of a step (`checker.Step`) and a term over its variables.
    """

    kind: int
    name: str
    terms: tuple[tuple[int, Affine], ...]


class ItemLayout(Record):
    """How the items of a kind stand for forests.

    Parameters
    ----------
    cuts : terms over the columns, each at most the next: the nodes at which segments meet.
    owned : for each segment, from a cut to the next, whether an item has a word there.
    pending : links that lead over a cut: the sign of a bracket pair, and the numbers of the two cuts.
    marks : tests on the columns that elements of the meaning distinguish.
    """

    cuts: tuple[Affine, ...]
    owned: tuple[bool, ...]
    pending: tuple[tuple[str, int, int], ...] = ()
    marks: tuple[Linear, ...] = ()

    @property
    def segments(self) -> tuple[int, ...]:
        """The numbers of the segments that have words."""
        return tuple(k for k, own in enumerate(self.owned) if own)


class StepPiece(Record):
    """A piece between two neighbouring boundaries of a step.

    With an antecedent: its segment of that number, always an empty one if `empty`. Without: a gap, or, if `empty`, a
    segment of the consequent that has no word.
    """

    antecedent: int | None = None
    segment: int = 0
    empty: bool = False


class Decomposition(Record):
    """How a step puts words together.

    Parameters
    ----------
    pieces : from the consequent's first cut to its last.
    cuts : for each cut of the consequent, the number of a boundary of the pieces.
    links : for each link of the step, then for each pending one of its antecedents: the sign, and two boundaries.
    patterns : for each word of the consequent, its pattern: the pieces and links as a word with variables.
    """

    pieces: tuple[StepPiece, ...]
    cuts: tuple[int, ...]
    links: tuple[tuple[str, int, int], ...]
    patterns: tuple[Pattern, ...] = ()


class Given(Record):
    """A context item that the items of a kind need, for some values of its open columns, and the licence that goes
    with it.

    Parameters
    ----------
    kind : the kind of the item.
    terms : over the columns of the kind that needs it; columns that are open are variables named `?0`, `?1` ...
    licence : dependent and head, over the same.
    """

    kind: int
    terms: tuple[Affine, ...]
    licence: tuple[Affine, Affine]


class Gap(Record):
    """Words of an item that a proof stops at: of a kind and an element, with the ways that were refused."""

    kind: int
    element: Element
    words: tuple[str, ...]
    ways: tuple[ProfiledStep, ...] = ()


Element: TypeAlias = "tuple[tuple[Profile, ...], tuple[bool, ...]]"
"""An element of a meaning: the profiles of the words, and whether each mark holds."""


class ProfiledStep(Record):
    """A step with the profile of the words of each antecedent, in the order of the step's pieces."""

    step: int
    values: tuple[Profile, ...]


class Certificate(Record):
    """The parts of a proof.

    Parameters
    ----------
    schema : the schema by reference, such as `eisner1996:end=1`.
    checksum : of the lowered schema.
    sound, complete, each_once : whether these are proved; the others are not claimed.
    features : the features of profiles.
    hidden, invariants, layouts, plans, meanings : see their classes; plans by number of the step, None for a step that
        never applies.
    givens : by kind, the contexts of which its items need one.
    types : a word of each type.
    ways : by kind, number of the given (0 where there is none) and element.
    """

    schema: str
    checksum: str
    sound: bool
    complete: bool
    each_once: bool
    features: tuple[str, ...]
    hidden: tuple[Hidden, ...]
    invariants: Mapping[int, tuple[Linear, ...]]
    layouts: Mapping[int, ItemLayout]
    plans: tuple[Decomposition | None, ...]
    meanings: Mapping[int, frozenset[Element]]
    givens: Mapping[int, tuple[Given, ...]]
    types: tuple[str, ...] = ()
    ways: Mapping[tuple[int, int, Element], tuple[ProfiledStep, ...]] = field(default_factory=dict)

    @property
    def class_name(self) -> str:
        """The class of trees that it is about."""
        return CLASS

    def text(self) -> str:
        """Return the certificate as a JSON document, which `recheck.certificate_of` reads."""
        kinds = []
        for number in sorted(self.layouts):
            layout, elements = self.layouts[number], sorted(self.meanings.get(number, ()))
            kinds.append(
                {
                    "kind": number,
                    "cuts": [term_json(term) for term in layout.cuts],
                    "owned": flags_text(layout.owned),
                    "pending": [list(link) for link in layout.pending],
                    "marks": [_test_json(test) for test in layout.marks],
                    "needs": [_given_json(given) for given in self.givens.get(number, ())],
                    "meaning": [_element_text(element) for element in elements],
                    "ways": [
                        [
                            [
                                [way.step, _profiles_text(way.values)]
                                for way in self.ways.get((number, given, e), ())
                            ]
                            for e in elements
                        ]
                        for given in range(max(1, len(self.givens.get(number, ()))))
                    ]
                    if self.complete
                    else [],
                }
            )
        whole = {
            "certificate": VERSION,
            "schema": self.schema,
            "class": self.class_name,
            "checksum": self.checksum,
            "sound": self.sound,
            "complete": self.complete,
            "each_once": self.each_once,
            "features": list(self.features),
            "hidden": [
                {"kind": h.kind, "name": h.name, "terms": [[k, term_json(t)] for k, t in h.terms]}
                for h in self.hidden
            ],
            "invariants": {str(k): [_test_json(t) for t in row] for k, row in self.invariants.items()},
            "plans": [None if plan is None else _plan_json(plan) for plan in self.plans],
            "kinds": kinds,
            "types": " ".join(self.types),
        }
        return json.dumps(document(whole), separators=(",", ":")) + "\n"


def checksum_of(schema: m.Schema, program: Program) -> str:
    """Return the checksum to which a certificate is bound: a hash of the lowered schema."""
    content: tuple[object, ...] = (
        schema.name,
        program.kinds,
        program.rules,
        program.finals,
        program.hypotheses,
    )
    if program.equations:
        content += (sorted(program.equations.items()),)
    # Rules that are weighed nowhere are as they were before they had a place for that.
    text = repr(content).replace(", weighed=()", "")
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def read_words(value: Any) -> Certificate:
    """Return a certificate from its JSON as a value.

    Raises
    ------
    ValueError, KeyError, TypeError : it is not a certificate.
    """
    layouts, meanings, givens, ways = {}, {}, {}, {}
    for row in value["kinds"]:
        kind = as_whole(row["kind"])
        cuts, owned = tuple(map(term_of, row["cuts"])), as_flags(row["owned"])
        pending = tuple((_sign(s), as_whole(x), as_whole(y)) for s, x, y in row["pending"])
        layouts[kind] = ItemLayout(cuts, owned, pending, tuple(map(_test, row["marks"])))
        givens[kind] = tuple(map(_given, row["needs"]))
        elements = list(map(_element, row["meaning"]))
        meanings[kind] = frozenset(elements)
        for number, of_given in enumerate(row["ways"]):
            for element, found in zip(elements, of_given, strict=True):
                steps = tuple(ProfiledStep(as_whole(k), _profiles(values)) for k, values in found)
                ways[kind, number, element] = steps
    features = tuple(map(as_text, value["features"]))
    if not {*features} <= FEATURES.keys():
        raise ValueError
    hidden = tuple(
        Hidden(
            as_whole(h["kind"]), as_text(h["name"]), tuple((as_whole(k), term_of(t)) for k, t in h["terms"])
        )
        for h in value["hidden"]
    )
    types = tuple(as_text(value["types"]).split(" "))
    if not all(map(is_word, types)):
        raise ValueError
    return Certificate(
        as_text(value["schema"]),
        as_text(value["checksum"]),
        as_flag(value["sound"]),
        as_flag(value["complete"]),
        as_flag(value["each_once"]),
        features,
        hidden,
        {int(k): tuple(map(_test, row)) for k, row in value["invariants"].items()},
        layouts,
        tuple(None if plan is None else _plan(plan) for plan in value["plans"]),
        meanings,
        {kind: row for kind, row in givens.items() if row},
        types,
        {place: row for place, row in ways.items() if row},
    )


# Parts as JSON and back -------------------------------------------------------------------------------------


def term_json(term: Affine) -> Any:
    """Return a term as JSON."""
    return [term.constant, *([x, k] for x, k in term.terms)]


def term_of(value: Any) -> Affine:
    """Return a term from its JSON."""
    constant, *terms = value
    return Affine.of(as_whole(constant), [(as_text(x), as_whole(k)) for x, k in terms])


def _test_json(test: Linear) -> Any:
    return [test.relation, term_json(test.left)]


def _test(value: Any) -> Linear:
    relation, left = value
    if relation not in (">=", "==", "!="):
        raise ValueError
    return Linear(relation, term_of(left))


def _given_json(given: Given) -> Any:
    return [given.kind, [term_json(t) for t in given.terms], [term_json(t) for t in given.licence]]


def _given(value: Any) -> Given:
    kind, terms, (dependent, head) = value
    return Given(as_whole(kind), tuple(map(term_of, terms)), (term_of(dependent), term_of(head)))


def _piece_text(piece: StepPiece) -> str:
    if piece.antecedent is None:
        return "-" if piece.empty else "."
    return f"{piece.antecedent}:{piece.segment}{'=' if piece.empty else ''}"


def _piece(text: str) -> StepPiece:
    if text in ("-", "."):
        return StepPiece(empty=text == "-")
    antecedent, segment = text.removesuffix("=").split(":")
    return StepPiece(int(antecedent), int(segment), text.endswith("="))


def _plan_json(plan: Decomposition) -> Any:
    pieces, patterns = " ".join(map(_piece_text, plan.pieces)), list(map(pattern_text, plan.patterns))
    return [pieces, list(plan.cuts), [list(link) for link in plan.links], patterns]


def _plan(value: Any) -> Decomposition:
    pieces, cuts, links, patterns = value
    found = tuple((_sign(sign), as_whole(low), as_whole(high)) for sign, low, high in links)
    words = tuple(pattern_of(as_text(pattern)) for pattern in patterns)
    return Decomposition(
        tuple(map(_piece, as_text(pieces).split())), tuple(map(as_whole, cuts)), found, words
    )


def _element_text(element: Element) -> str:
    return f"{_profiles_text(element[0])} {flags_text(element[1])}"


def _element(text: str) -> Element:
    profiles, flags = text.split(" ")
    return _profiles(profiles), as_flags(flags)


def _profiles_text(profiles: tuple[Profile, ...]) -> str:
    return "/".join(profiles) if profiles else "-"


def _profiles(text: str) -> tuple[Profile, ...]:
    return () if text == "-" else tuple(as_text(text).split("/"))


def flags_text(flags: tuple[bool, ...]) -> str:
    """Return flags as digits."""
    return "".join("01"[flag] for flag in flags)


def as_flags(text: str) -> tuple[bool, ...]:
    """Return flags from digits; raises ValueError for other texts."""
    if not {*as_text(text)} <= {*"01"}:
        raise ValueError
    return tuple(x == "1" for x in text)


def _sign(value: Any) -> str:
    if value not in ("(", "["):
        raise ValueError
    return str(value)


def as_whole(value: Any) -> int:
    """Return a value that must be a whole number of moderate size; raises ValueError otherwise."""
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > REFUSALS.certificate_numbers:
        raise ValueError
    return value


def as_text(value: Any) -> str:
    """Return a value that must be a text; raises TypeError otherwise."""
    if not isinstance(value, str):
        raise TypeError
    return value


def as_flag(value: Any) -> bool:
    """Return a value that must be yes or no; raises TypeError otherwise."""
    if not isinstance(value, bool):
        raise TypeError
    return value
