"""Words, and what schemata derive, by trying everything: what proofs are compared with."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cache

import schemata
from schemata.correctness.words import links_of, word_of
from schemata.program.model import Program, encoded
from schemata.verification.trees import _structures

Links = frozenset[tuple[int, int]]


@cache
def link_sets(last: int) -> tuple[Links, ...]:
    """Return all sets of links over the nodes 0..last: no node has two heads, and no two links join the same nodes."""
    choices = []
    for node in range(last + 1):
        heads = [(node, head) for head in range(last + 1) if head != node]
        choices.append([(), *((one,) for one in heads)])
    found = []
    for chosen in itertools.product(*choices):
        links = frozenset(link for part in chosen for link in part)
        if not any((head, dependent) in links for dependent, head in links):
            found.append(links)
    return tuple(found)


@cache
def words(gaps: int) -> tuple[str, ...]:
    """Return all words of so many gaps in which no node has two heads."""
    found = (word_of(links, 0, gaps) for links in link_sets(gaps))
    return tuple(sorted({word for word in found if word is not None}))


def crosses(links: Links) -> bool:
    """Whether two links cross."""
    ends = [sorted(link) for link in links]
    return any(a < c < b < d for (a, b), (c, d) in itertools.permutations(ends, 2))


def is_live(links: Links, last: int) -> bool:
    """Whether all nodes between 0 and last have one head, and no links make a cycle, whatever their direction."""
    dependents = [dependent for dependent, _ in links]
    if any(dependents.count(node) != 1 for node in range(1, last)) or len(set(dependents)) < len(dependents):
        return False
    heads = dict(links)
    for start in heads:
        node, seen = start, set()
        while node in heads and node not in seen:
            seen.add(node)
            node = heads[node]
        if node in seen:
            return False
    return True


def item_structures(name: str, program: Program, n: int) -> Iterator[tuple[int, tuple[int, ...], set[Links]]]:
    """Yield the kind, the columns and the structures of each item that a schema derives under all links."""
    chart = schemata.load(name).run([f"w{k}" for k in range(1, n + 1)], "all")
    forms = {form.name: number for number, form in enumerate(program.schema.forms)}
    for item, structures in _structures(chart).items():
        shown = chart.item(item)
        place = encoded(program.kinds, forms[shown.form], shown.values, lambda _, value: value)
        assert place is not None
        yield *place, {frozenset(links) for links in structures}


def shifted(word: str, start: int) -> Links:
    """Return the links of a word whose first node is `start`."""
    return frozenset(links_of(word, start))
