"""All linkages of a sentence, straight from their definition: what parsers are checked against.

The words take their disjuncts from left to right. A word links its left connectors, nearest first, to words
before it that can still be reached: those with no unfinished word in between. What is left over is tried in
every way there is, so the time grows exponentially; no item, chart or table of results is involved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from schemata.errors import BudgetError, UsageError
from schemata.structures.connectors import Connector, Reach, connectors_match
from schemata.structures.linkage_checks import check_linkage_connectedness
from schemata.structures.linkages import Disjunct, LabelledLink, Linkage, labelled_link

__all__ = ["DEFAULT_EFFORT", "all_linkages"]

DEFAULT_EFFORT = 1_000_000
"""The number of unfinished linkages looked at before the enumeration gives up."""


class _Open(NamedTuple):
    """A word that can still be linked from the right: `linked` of its right connectors are, at least once."""

    word: int
    linked: int


class _Use(NamedTuple):
    left: int
    right: int
    uses: tuple[int, int]


class _State(NamedTuple):
    """The words before `next_word`, linked among themselves; the last of the open words is the nearest."""

    next_word: int
    open_words: tuple[_Open, ...]
    disjuncts: tuple[Disjunct, ...]
    uses: tuple[_Use, ...]


def all_linkages(
    words: Sequence[str],
    disjuncts: Sequence[Sequence[Disjunct]],
    *,
    reach: Reach | None = None,
    effort: int = DEFAULT_EFFORT,
) -> Iterator[Linkage]:
    """Yield every linkage of a sentence once.

    Linkages are different if they choose different disjuncts, those of different dictionary words included,
    or if their links use different connectors. They come in the order of the disjuncts given for the words.

    Parameters
    ----------
    words : the words of the sentence, walls included.
    disjuncts : the disjuncts to choose from, for each word; equal ones count once.
    reach : how far a connector may link; None: all may link any two words.
    effort : how many unfinished linkages may be looked at.

    Raises
    ------
    UsageError : no words, or disjuncts not given for each word.
    BudgetError : the effort was not enough; what was yielded before is part of the answer.

    References
    ----------
    Sleator & Temperley 1991, section 2; GCW11, section 8.

    >>> from schemata.structures.connectors import read_connector
    >>> a_plus, a_minus = read_connector("A+"), read_connector("A-")
    >>> choices = [[Disjunct("a", (), (a_plus,))], [Disjunct("b.n", (a_minus,), ()), Disjunct("b.v", (), ())]]
    >>> [linkage.links for linkage in all_linkages(["a", "b"], choices)]
    [(LabelledLink(left=0, right=1, label='A', uses=(0, 0)),)]
    """
    if not words:
        raise UsageError("a linkage has at least one word")
    if len(disjuncts) != len(words):
        raise UsageError(f"disjuncts for {len(disjuncts)} words, but {len(words)} words")
    choices = _linkable([tuple(dict.fromkeys(of_word)) for of_word in disjuncts])
    todo = [_State(0, (), (), ())]
    done = 0
    while todo:
        state = todo.pop()
        if state.next_word == len(words):
            linkage = _finished(words, state)
            if linkage is not None:
                yield linkage
            continue
        done += 1
        if done > effort:
            raise BudgetError(
                f"more than {effort} unfinished linkages of {len(words)} words; try fewer words or disjuncts"
            )
        further = [new for disjunct in choices[state.next_word] for new in _extended(state, disjunct, reach)]
        todo += reversed(further)


def _linkable(choices: list[tuple[Disjunct, ...]]) -> list[list[Disjunct]]:
    """Return the disjuncts without those that have a connector no other word has a partner for."""
    rights = [{c for d in of_word for c in d.right} for of_word in choices]
    lefts = [{c for d in of_word for c in d.left} for of_word in choices]

    def partner(connector: Connector, elsewhere: Sequence[set[Connector]]) -> bool:
        return any(connectors_match(connector, other) for some in elsewhere for other in some)

    return [
        [
            d
            for d in of_word
            if all(partner(c, rights[:word]) for c in d.left)
            and all(partner(c, lefts[word + 1 :]) for c in d.right)
        ]
        for word, of_word in enumerate(choices)
    ]


def _extended(state: _State, disjunct: Disjunct, reach: Reach | None) -> Iterator[_State]:
    """Yield the states in which the next word takes the disjunct, one for each way to link its left side."""
    word = state.next_word
    chosen = (*state.disjuncts, disjunct)
    # Open words, links so far, and how many of the left connectors are linked.
    ways = [(state.open_words, state.uses, 0)]
    while ways:
        open_words, uses, linked = ways.pop()
        if linked == len(disjunct.left):
            opened = (*open_words, _Open(word, 0)) if disjunct.right else open_words
            yield _State(word + 1, opened, chosen, uses)
        nearest = uses[-1].left if len(uses) > len(state.uses) else word
        for place in reversed(range(len(open_words))):
            candidate = open_words[place]
            rights = chosen[candidate.word].right
            # What the next word has linked is not linked again: its further links go to words before that.
            if candidate.word < nearest:
                for right in _usable(rights, candidate.linked):
                    for left in _usable(disjunct.left, linked):
                        pair = (rights[right], disjunct.left[left])
                        if connectors_match(*pair) and _within(word - candidate.word, pair, reach):
                            there = _Open(candidate.word, right + 1)
                            use = _Use(candidate.word, word, (right, left))
                            ways.append(((*open_words[:place], there), (*uses, use), left + 1))
            if candidate.linked < len(rights):
                break


def _within(distance: int, connectors: Iterable[Connector], reach: Reach | None) -> bool:
    return reach is None or all((limit := reach(c)) is None or distance <= limit for c in connectors)


def _usable(connectors: Sequence[Connector], linked: int) -> Iterator[int]:
    """Yield the connectors that the next link may use: the next one, or a multi-connector once more."""
    if linked and connectors[linked - 1].multi:
        yield linked - 1
    if linked < len(connectors):
        yield linked


def _finished(words: Sequence[str], state: _State) -> Linkage | None:
    if any(open_word.linked < len(state.disjuncts[open_word.word].right) for open_word in state.open_words):
        return None
    links: list[LabelledLink] = [labelled_link(state.disjuncts, *use) for use in state.uses]
    linkage = Linkage(words, state.disjuncts, links)
    return linkage if check_linkage_connectedness(linkage).holds else None
