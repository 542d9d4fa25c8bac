"""The numbers of linkages that link-parser 5.12 finds with small dictionaries, against the enumeration."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from schemata.grammars.link_grammar import LinkGrammar
from schemata.structures import Sentence, all_linkages, is_linkage

KNOWN = Path(__file__).parents[2].parent / "shared" / "linkgrammar"


@pytest.mark.skipif(not KNOWN.is_dir(), reason="the known numbers are not here")
@pytest.mark.parametrize("dictionary", ["classic", "edge", "mini"])
def test_known_numbers(dictionary: str) -> None:
    grammar = LinkGrammar.read(KNOWN / dictionary)
    entries = json.loads((KNOWN / "truth.json").read_text(encoding="utf-8"))
    wanted = [entry for entry in entries if entry["dictionary"] == dictionary]
    assert wanted
    for entry in wanted:
        given = grammar.for_sentence(Sentence(tuple(entry["sentence"].split())))
        found = list(all_linkages(given.words, given.disjuncts, reach=given.limits.reach))
        assert len(set(found)) == len(found) == entry["linkages"], entry["sentence"]
        assert all(is_linkage(linkage, reach=given.limits.reach) for linkage in found)
