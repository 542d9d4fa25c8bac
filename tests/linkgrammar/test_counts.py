"""The numbers of linkages that link-parser 5.12 finds: the disjuncts, the enumeration and all schemata give them too.

Of `counts.json`, the classic, edge and mini dictionaries are in the repository; `en` is the installed English one.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from schemata.grammars.link_grammar import LinkGrammar, SentenceDisjuncts
from schemata.structures import Linkage, all_linkages, check_linkage
from schemata.structures.linkages import cheapest_first
from schemata.structures.sentence import Sentence
from tests.oracle.linkages import count_linkages, needs_english
from tests.support.charts import Given, shipped

UNIQUE = ("sleator-temperley1991", "eisner-lg", "eisner-satta-lg", "yamada-matsumoto-lg")
DICTIONARIES = Path(__file__).parents[1] / "grammars" / "dictionaries"
COUNTS: list[dict[str, Any]] = json.loads(Path(__file__).with_name("counts.json").read_text(encoding="utf-8"))
SMALL = ("classic", "edge", "mini")


@cache
def grammar(dictionary: str, cutoff: float | None = None) -> LinkGrammar:
    if cutoff is not None:
        return replace(grammar(dictionary), cutoff=cutoff)  # read once
    return LinkGrammar.installed() if dictionary == "en" else LinkGrammar.read(DICTIONARIES / dictionary)


def entries(dictionary: str) -> Iterator[tuple[SentenceDisjuncts, int]]:
    """Yield the disjuncts of a sentence and the number of its linkages, for each sentence of a dictionary."""
    found = [entry for entry in COUNTS if entry["dictionary"] == dictionary]
    assert len(found) > 10
    for entry in found:
        sentence = Sentence.of(entry["sentence"])
        yield grammar(dictionary, entry.get("cutoff")).for_sentence(sentence), entry["linkages"]


def derived(name: str, disjuncts: SentenceDisjuncts) -> tuple[list[Linkage], int | float]:
    """Return the linkages that a schema derives, and the number of derivations."""
    chart = shipped(name).run(Sentence(disjuncts.words), Given("link-grammar", disjuncts), engine="python")
    forest = chart.forest()
    linkages = forest.linkages(None)
    assert forest.count_linkages(10**9).others == 0
    return linkages, forest.derivation_count


def enumerated(disjuncts: SentenceDisjuncts) -> list[Linkage]:
    found = list(all_linkages(disjuncts.words, disjuncts.disjuncts, reach=disjuncts.limits.reach))
    assert len(set(found)) == len(found)
    assert all(check_linkage(linkage, reach=disjuncts.limits.reach).holds for linkage in found)
    return cheapest_first(found)


@pytest.mark.parametrize(
    "dictionary", [*SMALL, pytest.param("en", marks=[needs_english, pytest.mark.thorough])]
)
def test_each_unique_schema_derives_every_linkage_once(dictionary: str) -> None:
    for disjuncts, count in entries(dictionary):
        assert count_linkages(disjuncts.disjuncts, disjuncts.limits) == count, disjuncts.words
        expected = None
        if dictionary in SMALL:
            expected = enumerated(disjuncts)
        else:
            assert not disjuncts.warnings
        for name in UNIQUE:
            linkages, derivations = derived(name, disjuncts)
            assert len(linkages) == derivations == count, (name, disjuncts.words)
            expected = linkages if expected is None else expected
            assert linkages == expected, (name, disjuncts.words)
        assert len(set(expected or ())) == count


def test_the_printed_rules_derive_some_linkages_several_times() -> None:
    spurious = 0
    for dictionary in SMALL:
        for disjuncts, _ in entries(dictionary):
            linkages, derivations = derived("sleator-temperley-printed", disjuncts)
            assert linkages == enumerated(disjuncts)
            assert derivations >= len(linkages)
            spurious += dictionary == "mini" and derivations > len(linkages)
    assert spurious > 10


@pytest.mark.parametrize("name", UNIQUE)
def test_items_of_native_charts_are_ranked_as_their_values(name: str) -> None:
    for disjuncts, count in entries("mini"):
        given = Given("link-grammar", disjuncts)
        chart = shipped(name).run(Sentence(disjuncts.words), given, engine="native")
        in_order = sorted(range(chart.raw.item_count), key=chart.order)
        assert [chart.ranks[item] for item in in_order] == list(range(chart.raw.item_count))
        assert chart.forest().derivation_count == count


def test_acyclic_linkages() -> None:
    cyclic = 0
    for disjuncts, count in entries("edge"):
        acyclic = [linkage for linkage in enumerated(disjuncts) if not linkage.is_cyclic]
        cyclic += count - len(acyclic)
        for name in ("eisner-lg:acyclic=1", "eisner-satta-lg:acyclic=1"):
            assert derived(name, disjuncts) == (acyclic, len(acyclic))
    assert cyclic > 0


# The English dictionary ------------------------------------------------------------------------------------------


@needs_english
def test_the_english_dictionary_is_pruned_well() -> None:
    english = grammar("en")
    assert english.cutoff == 2.7
    assert len(english.dictionary.entries) > 50_000
    words = "he said that the old man had seen her dog in the park yesterday"
    disjuncts = english.for_sentence(Sentence.of(words))
    assert disjuncts.warnings == ()
    assert 15 < disjuncts.size < 1500
    assert len(english.disjuncts_of("dog")) > 1000


@needs_english
def test_misspelt_english() -> None:
    (warning,) = grammar("en").for_sentence(Sentence.of("the telescoep is big")).warnings
    assert warning.hint is not None
    assert "telescope" in warning.hint
    (warning,) = grammar("en").for_sentence(Sentence.of("the telescoep, too, is big")).warnings
    assert "telescope" in str(warning.hint)
