"""Lemmas 3, 5 and 6 of docs/proofs.md: the structures of every item are those of its meaning, by runs."""

import itertools

import pytest

import schemata
from schemata.correctness.questions import QuickQuestions
from schemata.correctness.search import find_proof
from schemata.correctness.steps import program_of
from tests.correctness.brute_force import Links, item_structures, shifted, words

COMPLETE = ("sound", "complete")
NAMES = [
    "eisner1996",
    "eisner1996:end=1",
    "eisner1996-once",
    "eisner-split",
    "eisner-satta1999-once",
    "generalised-eisner-satta",
    "collins1996-once",
    "yamada-matsumoto2003",
    "mh-once",
    "arc-standard",
    "hybrid-once",
    "arc-eager",
    "mcdonald-pereira2006",
    "koo-collins2010-model2",
]


@pytest.mark.rotated(3)
@pytest.mark.parametrize("name", NAMES)
def test_items_have_the_structures_of_their_meanings(name: str) -> None:
    """An item has just the structures whose words have a profile tuple of its meaning, if it is derived at all."""
    found = find_proof(schemata.load(name).definition, QuickQuestions(), COMPLETE)
    assert found.cover is not None
    checker = found.cover.checker
    hidden = {one.kind for one in found.certificate.hidden} if found.certificate else set()
    plain = program_of(schemata.load(name).definition)
    compared = 0
    for n in (1, 2, 3, 4):
        for kind, columns, structures in item_structures(name, plain, n):
            layout = checker.layouts.get(kind)
            if layout is None or kind in hidden or layout.pending or not all(layout.owned):
                continue
            names = [column.name for column in checker.program.kinds[kind].columns]
            values = dict(zip(names, columns, strict=True)) | {"n": n}
            cuts = [cut.value(values) for cut in layout.cuts]
            flags = tuple(mark.holds(values) for mark in layout.marks)
            meant: set[Links] = set()
            for parts in itertools.product(*(words(y - x) for x, y in itertools.pairwise(cuts))):
                profiles = [checker.algebra.profile(word) for word in parts]
                if (tuple(profiles), flags) in checker.meanings[kind]:
                    links = frozenset().union(*map(shifted, parts, cuts)) if parts else frozenset()
                    if all(1 <= dependent <= n and head <= n for dependent, head in links):
                        meant.add(links)
            assert structures == meant, (checker.program.kinds[kind].name, columns)
            compared += len(structures)
    assert compared > 10
