"""Sequences of labels as values: texts with the labels, the place of the dot, and the disjunct they belong to.

A sequence is a stretch of one side of a disjunct, read nearest first or, reversed, farthest first. Its text
names the disjunct and has one word for every label of that side: `cat.n#2: D- . @A-`, where `_` stands for a
label that is not part of the stretch. So equal sequences of different disjuncts are different values, only parts of
one sequence can be joined, and a value explains itself without the grammar.

The empty sequence is the empty text and belongs to no disjunct, and so does `.`, a dot with nothing on either
side. A single label is a sequence of one.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from schemata.thresholds import WAYS

if TYPE_CHECKING:
    from schemata.structures.linkages import Connector


EMPTY = ""
LONE_DOT = "."
_OUT = "_"
_REVERSED = " reversed"


def side_text(origin: str, side: tuple[str, ...]) -> str:
    """Return the value for a whole side.

    Parameters
    ----------
    origin : the disjunct that the side belongs to.
    side : its labels as texts without blanks, nearest first.

    >>> side_text("cat#1", ("D-", "@A-"))
    'cat#1: D- @A-'
    """
    return f"{origin}: {' '.join(side)}" if side else EMPTY


class Stretch(NamedTuple):
    """The labels `low` up to `high` of a side; `dot` is the number of the label it stands before."""

    origin: str
    words: tuple[str, ...]
    low: int
    high: int
    dot: int | None

    def part(self, low: int, high: int, dot: int | None = None) -> str:
        """Return the text of other labels of the same side."""
        return text_of(self.origin, self.words, low, high, dot)


@lru_cache(WAYS.kept_sequences)
def parts_of(value: str) -> Stretch:
    """Return the origin of a sequence, the labels of its side, and the stretch of these that it is, with its dot.

    Raises
    ------
    ValueError : the text is not a sequence.
    """
    if value in (EMPTY, LONE_DOT):
        return Stretch("", (), 0, 0, 0 if value else None)
    origin, colon, listed = value.rpartition(": ")
    words = listed.split(" ")
    dots = [k for k, x in enumerate(words) if x == LONE_DOT]
    words = [x for x in words if x != LONE_DOT]
    inside = [k for k, x in enumerate(words) if x != _OUT]
    if not colon or not origin or not inside or "" in words or len(dots) > 1:
        raise ValueError(f"{value!r} is not a sequence of labels")
    low, high = inside[0], inside[-1] + 1
    dot = dots[0] if dots else None
    if len(inside) < high - low or (dot is not None and not low <= dot <= high):
        raise ValueError(f"{value!r} is not a sequence of labels")
    return Stretch(origin, tuple(words), low, high, dot)


def text_of(origin: str, words: tuple[str, ...], low: int, high: int, dot: int | None) -> str:
    """Return the sequence that goes from one label of a side to another; the inverse of `parts_of`."""
    if low == high:
        return EMPTY if dot is None else LONE_DOT
    shown = [*[_OUT] * low, *words[low:high], *[_OUT] * (len(words) - high)]
    if dot is not None:
        shown.insert(dot, LONE_DOT)
    return f"{origin}: {' '.join(shown)}"


def reversed_origin(origin: str) -> str:
    """Return the origin of a side's reverse."""
    return origin.removesuffix(_REVERSED) if origin.endswith(_REVERSED) else origin + _REVERSED


def is_sequence(value: str, *, dot: bool) -> bool:
    """Whether a text is a sequence of labels, with a dot or without one.

    >>> is_sequence("cat#1: D- . O+", dot=True), is_sequence("cat", dot=False)
    (True, False)
    """
    try:
        return (parts_of(value).dot is not None) == dot
    except ValueError:
        return False


def label_count(value: str) -> int:
    """Return the number of labels of a sequence, with or without a dot."""
    found = parts_of(value)
    return found.high - found.low


@lru_cache(WAYS.kept_sequences)
def before(value: str) -> str:
    """Return the part before the dot.

    >>> before("cat#1: D- . A-"), before("cat#1: . D-")
    ('cat#1: D- _', '')
    """
    found = parts_of(value)
    assert found.dot is not None
    return found.part(found.low, found.dot)


@lru_cache(WAYS.kept_sequences)
def after(value: str) -> str:
    """Return the part after the dot.

    >>> after("cat#1: D- . A-")
    'cat#1: _ A-'
    """
    found = parts_of(value)
    assert found.dot is not None
    return found.part(found.dot, found.high)


@lru_cache(WAYS.kept_sequences)
def _cut(value: str, low: int, high: int) -> str:
    """Return a sequence without its first `low` and last `high` labels."""
    found = parts_of(value)
    return found.part(found.low + low, found.high - high, found.dot)


def split(value: str, size: int) -> tuple[str, str]:
    """Return the first labels of a sequence, as many as `size`, and the others.

    >>> split("cat#1: D- A-", 1)
    ('cat#1: D- _', 'cat#1: _ A-')
    """
    return _cut(value, 0, label_count(value) - size), _cut(value, size, 0)


def first(value: str) -> str:
    """Return the first label of a sequence that is not empty."""
    return _cut(value, 0, label_count(value) - 1)


def rest(value: str) -> str:
    """Return a sequence without its first label."""
    return _cut(value, 1, 0)


def last(value: str) -> str:
    """Return the last label of a sequence that is not empty."""
    return _cut(value, label_count(value) - 1, 0)


def chain(one: str, two: str) -> str | None:
    """Return two sequences as one; None if they are not neighbours in one side of one disjunct.

    >>> chain("cat#1: D- _", "cat#1: _ A-"), chain("cat#1: D- _", "cat#2: _ A-")
    ('cat#1: D- A-', None)
    """
    if not one or not two:
        return one or two
    a, b = parts_of(one), parts_of(two)
    if a.origin != b.origin or a.high != b.low or len(a.words) != len(b.words):
        return None
    return text_of(a.origin, a.words[: a.high] + b.words[b.low :], a.low, b.high, None)


@lru_cache(WAYS.kept_sequences)
def dotted(one: str, two: str) -> str | None:
    """Return two sequences with a dot between them; None if they are not neighbours.

    >>> dotted("cat#1: D- _", "cat#1: _ A-"), dotted("", "")
    ('cat#1: D- . A-', '.')
    """
    whole = chain(one, two)
    if whole is None:
        return None
    found = parts_of(whole)
    return found.part(found.low, found.high, found.low + label_count(one))


@lru_cache(WAYS.kept_sequences)
def turned(value: str) -> str:
    """Return a sequence turned round. The reverse of a side with a single label is the side itself.

    >>> turned("cat#1: D- _"), turned("cat#1 reversed: _ D-")
    ('cat#1 reversed: _ D-', 'cat#1: D- _')
    """
    found = parts_of(value)
    size = len(found.words)
    origin = found.origin
    if size > 1:
        origin = reversed_origin(origin)
    return text_of(origin, found.words[::-1], size - found.high, size - found.low, None)


def moved(value: str) -> str:
    """Return a sequence with its dot behind the label that now stands after it.

    >>> moved("cat#1: . D- A-")
    'cat#1: D- . A-'
    """
    found = parts_of(value)
    assert found.dot is not None
    return found.part(found.low, found.high, found.dot + 1)


def at_dot(value: str) -> str:
    """Return the label at the dot: the last one before it or, if there is none, the first one after it.

    >>> at_dot("cat#1: D- . A-"), at_dot("cat#1: . D- A-"), at_dot(".")
    ('cat#1: D- _', 'cat#1: D- _', '')
    """
    done = before(value)
    if done:
        return last(done)
    left = after(value)
    return first(left) if left else EMPTY


def token(label: str) -> str:
    """Return a single label as the dictionary writes it.

    >>> token("cat#1: D- _")
    'D-'
    """
    found = parts_of(label)
    return found.words[found.low] if found.low < found.high else EMPTY


# Labels as connectors of Link Grammar ------------------------------------------------------------------------


@lru_cache(WAYS.kept_sequences)
def _connector(text: str) -> Connector:
    from schemata.structures.linkages import read_connector

    return read_connector(text)


def connector_of(label: str) -> Connector:
    """Return the connector that a single label is.

    Raises
    ------
    ValueError : the label is not a connector.
    """
    return _connector(token(label))


def is_multi(label: str) -> bool:
    """Whether a label is a multi-connector.

    >>> is_multi("cat#1: @A-")
    True
    """
    try:
        return connector_of(label).multi
    except ValueError:
        return False


def labels_match(one: str, two: str) -> bool:
    """Whether two labels are connectors that match, one to the right and one to the left.

    >>> labels_match("the#1: D+", "cat#1: D-"), labels_match("the#1: D+", "a#1: D+")
    (True, False)
    """
    return tokens_match(token(one), token(two))


@lru_cache(WAYS.kept_sequences)
def tokens_match(one: str, two: str) -> bool:
    """Whether two labels as the dictionary writes them are connectors that match.

    >>> tokens_match("D+", "Ds-"), tokens_match("D+", "")
    (True, False)
    """
    from schemata.structures.linkages import connectors_match

    try:
        a, b = _connector(one), _connector(two)
    except ValueError:
        return False
    return a.right != b.right and connectors_match(a, b)


def outcomes(value: str) -> tuple[str, ...]:
    """Return the possible results of linking the label after the dot of a sequence.

    The dot moves over the label; if that is a multi-connector, the dot may also stay.

    >>> outcomes("cat#1: . D-"), outcomes("cat#1: . @A-")
    (('cat#1: D- .',), ('cat#1: @A- .', 'cat#1: . @A-'))
    """
    one = moved(value)
    return (one, value) if is_multi(first(after(value))) else (one,)
