"""The enumeration of linkages against link-parser itself, over random dictionaries."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from string import ascii_lowercase

import pytest

from schemata.structures import Disjunct, all_linkages, random_disjuncts
from tests.oracle.linkages import dictionary_text, link_parser_counts, needs_link_parser, write_dictionary
from tests.structures.strategies import words

_CASES = 150


def _named(seed: int, choices: tuple[tuple[Disjunct, ...], ...]) -> list[list[Disjunct]]:
    """Give the words names that no other sentence uses: all sentences share a dictionary."""
    prefix = "".join(ascii_lowercase[seed // 26**k % 26] for k in range(3))
    return [[replace(d, word=f"q{prefix}{d.word}") for d in of_word] for of_word in choices]


@needs_link_parser
def test_random_dictionaries(tmp_path: Path) -> None:
    entries, sentences, expected = [], [], []
    for seed in range(_CASES):
        # A word by itself is no linkage to link-parser, even if it may be without links.
        _, drawn = random_disjuncts(2 + seed % 6, seed)
        choices = _named(seed, drawn)
        names = [of_word[0].word.split(".")[0] for of_word in choices]
        entries += dictionary_text(choices)
        sentences.append(" ".join(names))
        expected.append(sum(1 for _ in all_linkages(names, choices)))
    write_dictionary(tmp_path, entries)
    assert link_parser_counts(tmp_path, sentences) == expected
    assert sum(count > 1 for count in expected) > _CASES // 3


@needs_link_parser
@pytest.mark.parametrize(
    ("texts", "count"),
    [
        (["@A+ @A+", "A-", "A-"], 1),
        (["@A+ @A+", "A-", "A-", "A-"], 2),
        (["@A+ @A+", "A-", "A-", "A-", "A-"], 3),
        (["@A+ @Ax+", "A-", "A-", "A-"], 2),
    ],
)
def test_multi_connectors_side_by_side(tmp_path: Path, texts: list[str], count: int) -> None:
    """Links that share two multi-connectors in several ways are several linkages to link-parser too."""
    choices = [[replace(d, word=f"q{d.word}")] for d in words(*texts)]
    names = [disjunct.word for (disjunct,) in choices]
    write_dictionary(tmp_path, dictionary_text(choices))
    assert link_parser_counts(tmp_path, [" ".join(names)]) == [count]
    assert sum(1 for _ in all_linkages(names, choices)) == count
