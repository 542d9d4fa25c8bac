"""As many linkages as link-parser finds, each derived once, and the same ones by every schema.

`counts.json` holds the numbers that link-parser 5.12 gives for sentences under the small dictionaries; those for
the installed English dictionary stand in a table that is not always there.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import schemata
from schemata.engine.run import run_kernel
from schemata.grammars.link_grammar import LinkGrammar, SentenceDisjuncts
from schemata.structures import Linkage, all_linkages, is_linkage
from schemata.structures.sentence import Sentence

UNIQUE = ("sleator-temperley1991", "eisner-lg", "eisner-satta-lg", "yamada-matsumoto-lg")
DICTIONARIES = Path(__file__).parents[1] / "grammars" / "dictionaries"
SMALL: list[dict[str, Any]] = json.loads(Path(__file__).with_name("counts.json").read_text(encoding="utf-8"))
TABLE = Path(__file__).parents[3] / "shared" / "linkgrammar" / "truth.json"
ENGLISH = Path("/usr/share/link-grammar/en")


loaded = cache(schemata.load)


def derived(name: str, given: SentenceDisjuncts) -> tuple[list[Linkage], int | float]:
    """Return the linkages that a schema derives, and the number of derivations."""
    forest = run_kernel(loaded(name).kernel, Sentence(given.words), given).forest()
    linkages = forest.linkages(None)
    assert forest.count_linkages(10**9).others == 0
    return linkages, forest.derivation_count


@pytest.mark.parametrize("dictionary", ["classic", "edge", "mini"])
def test_small_dictionaries(dictionary: str) -> None:
    grammar = LinkGrammar.read(DICTIONARIES / dictionary)
    entries = [entry for entry in SMALL if entry["dictionary"] == dictionary]
    assert len(entries) > 10
    for entry in entries:
        given = grammar.for_sentence(Sentence.of(entry["sentence"]))
        first: set[Linkage] | None = None
        for name in UNIQUE:
            linkages, derivations = derived(name, given)
            assert len(linkages) == derivations == entry["linkages"], (name, entry)
            assert all(map(is_linkage, linkages))
            first = set(linkages) if first is None else first
            assert set(linkages) == first, (name, entry)
            assert len(first) == len(linkages)
        printed, derivations = derived("sleator-temperley-printed", given)
        assert set(printed) == first
        assert derivations >= len(printed)


def test_the_printed_rules_derive_some_linkages_several_times() -> None:
    grammar = LinkGrammar.read(DICTIONARIES / "mini")
    spurious = 0
    for entry in SMALL:
        if entry["dictionary"] == "mini":
            given = grammar.for_sentence(Sentence.of(entry["sentence"]))
            linkages, derivations = derived("sleator-temperley-printed", given)
            spurious += derivations > len(linkages)
    assert spurious > 10


def test_acyclic_linkages() -> None:
    grammar = LinkGrammar.read(DICTIONARIES / "edge")
    cyclic = 0
    for entry in SMALL:
        if entry["dictionary"] != "edge":
            continue
        given = grammar.for_sentence(Sentence.of(entry["sentence"]))
        every = set(all_linkages(given.words, given.disjuncts))
        acyclic = {linkage for linkage in every if not linkage.is_cyclic}
        cyclic += len(every) - len(acyclic)
        for name in ("eisner-lg:acyclic=1", "eisner-satta-lg:acyclic=1"):
            linkages, derivations = derived(name, given)
            assert set(linkages) == acyclic
            assert derivations == len(acyclic)
    assert cyclic > 0


@pytest.mark.skipif(not ENGLISH.is_dir(), reason="no English dictionary is installed")
@pytest.mark.skipif(not TABLE.is_file(), reason="no table of linkage counts")
def test_english() -> None:
    entries = [e for e in json.loads(TABLE.read_text(encoding="utf-8")) if e["dictionary"] == "full"]
    assert len(entries) > 20
    grammars: dict[float | None, LinkGrammar] = {}
    for entry in entries:
        limit = re.search(r"-cost-max=([\d.]+)", entry["options"])
        cutoff = float(limit[1]) if limit else None
        if cutoff not in grammars:
            grammars[cutoff] = LinkGrammar.installed(cutoff=cutoff)
        # link-parser splits off the comma; here words are split at blanks only.
        sentence = entry["sentence"].replace(",", " ,")
        given = grammars[cutoff].for_sentence(Sentence.of(sentence))
        assert not given.warnings
        found = []
        for name in UNIQUE:
            linkages, derivations = derived(name, given)
            assert len(linkages) == derivations == entry["linkages"], (name, entry)
            found.append(set(linkages))
        assert all(linkages == found[0] for linkages in found), entry
