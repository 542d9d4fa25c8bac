"""Whether link-parser finds other linkages, with words in parts that are read whole here.

link-parser tries *Mr.* whole and as *Mr .*. Mostly there is no linkage with the parts, and its number of
linkages is the same. So a word is doubtful only if the sentence has linkages with it in parts. That is asked of
pruning: first of expressions, where the other words count with all their readings at once, then of disjuncts
for every choice of readings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product

from schemata.errors import Diagnostic, GrammarError
from schemata.grammars.link_grammar.exact_pruning import prune_exactly
from schemata.grammars.link_grammar.expression_pruning import prune_expressions
from schemata.grammars.link_grammar.lengths import NO_LIMITS
from schemata.grammars.link_grammar.matching import Matching
from schemata.grammars.link_grammar.pruning import prune
from schemata.grammars.link_grammar.splitting import Part, Way
from schemata.grammars.link_grammar.tokens_of_sentence import Entries, LookUp, Split
from schemata.grammars.link_grammar.words import LEFT_WALL
from schemata.structures.linkages import Disjunct

__all__ = ["Expand", "doubts_about_splits"]

Expand = Callable[[Entries], tuple[Disjunct, ...]]
"""Returns the disjuncts of entries."""

_MOST_READINGS = 16  # of a sentence, that are asked for linkages


def doubts_about_splits(
    words: Sequence[str], look_up: LookUp, expand: Expand, matching: Matching
) -> list[Diagnostic]:
    """Return a warning for each word of `look_up.splits` with which link-parser may find other linkages.

    Parameters
    ----------
    words : those of the sentence, without walls.
    look_up : has looked up the sentence.
    expand : returns the disjuncts of entries.
    matching : which connectors match, and how far they reach.
    """
    possible = _possible_ways(words, look_up)
    readings = [
        {split: way for split, way in zip(possible, chosen, strict=True) if way is not None}
        for chosen in product(*([None, *ways] for ways in possible.values()))
    ]
    readings = sorted((reading for reading in readings if reading), key=len)
    if len(readings) > _MOST_READINGS:
        return [_doubt(split, ways[0], sure=False) for split, ways in possible.items()]
    found: dict[Split, Diagnostic] = {}
    for reading in readings:
        if reading.keys() <= found.keys():
            continue
        way_at = {split.number - 1: way for split, way in reading.items()}
        parts = [part for at, word in enumerate(words) for part in way_at.get(at, (Part(word),))]
        linked = _has_linkage(parts, look_up, expand, matching)
        if linked is not False:
            for split, way in reading.items():
                found.setdefault(split, _doubt(split, way, sure=linked is True))
    return [found[split] for split in possible if split in found]


def _possible_ways(words: Sequence[str], look_up: LookUp) -> dict[Split, tuple[Way, ...]]:
    """Return the ways to split words without those that no other readings of words can be linked with."""
    possible = {split: split.ways for split in look_up.splits}
    while True:
        left = {
            split: tuple(way for way in ways if _may_be_linked(split, way, possible, words, look_up))
            for split, ways in possible.items()
        }
        left = {split: ways for split, ways in left.items() if ways}
        if left == possible:
            return possible
        possible = left


def _may_be_linked(
    split: Split, way: Way, possible: Mapping[Split, tuple[Way, ...]], words: Sequence[str], look_up: LookUp
) -> bool:
    """Whether the parts of a word have connectors that some readings of the other words can match.

    A word with several readings stands there as often as it has parts, each time with the entries of all its
    readings: so whatever can match in one of them can match here.
    """
    others = {other.number - 1: ways for other, ways in possible.items()}
    read: list[tuple[str, Entries]] = []
    own = range(0)
    for at, word in enumerate(words):
        if at == split.number - 1:
            own = range(len(read), len(read) + len(way))
            read += [(part.text, _wherever(part, look_up)) for part in way]
        elif at in others:
            parts = dict.fromkeys([Part(word), *(part for other in others[at] for part in other)])
            entries = [entry for part in parts for entry in _wherever(part, look_up)]
            read += [(word, entries)] * max(map(len, others[at]))
        else:
            read.append((word, _wherever(Part(word), look_up)))
    positions = look_up.with_walls(read)
    left = prune_expressions([position.entries for position in positions], Matching(NO_LIMITS))
    wall = 1 if LEFT_WALL in look_up.dictionary else 0
    return all(left[wall + at] for at in own)


def _wherever(part: Part, look_up: LookUp) -> Entries:
    """Return the entries that a part of a word has in one place of a sentence or another."""
    here = look_up.entries_of(part, begins=False)
    if not part.text[:1].isupper():
        return here
    named = {name for name, _ in here}
    return [*here, *(entry for entry in look_up.entries_of(part, begins=True) if entry[0] not in named)]


def _has_linkage(parts: Sequence[Part], look_up: LookUp, expand: Expand, matching: Matching) -> bool | None:
    """Tell whether a reading of the sentence has a linkage; None where that takes too long."""
    left = prune_expressions([position.entries for position in look_up.reading(parts)], matching)
    if not all(left):
        return False
    try:
        disjuncts = prune([expand(entries) for entries in left], matching)
    except GrammarError:  # too many disjuncts
        return None
    if not all(disjuncts) or len(disjuncts) < 2:
        return False
    exactly = prune_exactly(disjuncts, matching)
    return None if exactly is None else all(exactly)


def _doubt(split: Split, way: Way, *, sure: bool) -> Diagnostic:
    written = " ".join(part.text for part in way)
    message = f'word {split.number}, "{split.word}", is read whole; link-parser also reads it as {written}'
    hint = "link-parser has linkages with that as well" if sure else "link-parser may have more linkages"
    return Diagnostic("unsplit-word", message, hint=hint, severity="warning")
