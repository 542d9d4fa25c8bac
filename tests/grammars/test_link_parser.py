"""The same as link-parser: disjuncts of entries, and numbers of linkages, where it is installed.

Counts are made by an oracle of the tests from the disjuncts that the dictionary gives for a sentence, so that
they tell about reading, expansion and pruning.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from schemata.errors import GrammarError
from schemata.grammars import LinkGrammar
from schemata.grammars.link_grammar.expressions import count_clauses, expand
from schemata.structures import Sentence
from tests.oracle.linkages import count_linkages

DICTIONARIES = Path(__file__).with_name("dictionaries")
ENGLISH = Path("/usr/share/link-grammar/en")
TRUTH = Path(__file__).parents[3] / "shared" / "linkgrammar" / "truth.json"

needs_parser = pytest.mark.skipif(shutil.which("link-parser") is None, reason="link-parser is not installed")
needs_english = pytest.mark.skipif(not ENGLISH.is_dir(), reason="no English dictionary is installed")
OPTIONS = ["-limit=10000000", "-null=0", "-panic=0", "-spell=0", "-graphics=0", "-timeout=60", "-bad=1"]


@pytest.fixture(scope="module")
def english() -> LinkGrammar:
    return LinkGrammar.installed()


def link_parser(dictionary: str, lines: list[str], *options: str) -> str:
    command = ["link-parser", dictionary, *OPTIONS, *options]
    done = subprocess.run(
        command, input="\n".join(lines) + "\n", capture_output=True, text=True, check=False, timeout=300
    )
    return done.stdout


def counts_of_link_parser(dictionary: str, sentences: list[str]) -> list[int]:
    found = re.findall(
        r"^(?:No complete linkages|Found (\d+) linkage)", link_parser(dictionary, sentences), re.M
    )
    assert len(found) == len(sentences)
    return [int(number or 0) for number in found]


def count(grammar: LinkGrammar, sentence: str) -> int:
    provided = grammar.for_sentence(Sentence.of(sentence))
    return count_linkages(provided.disjuncts, provided.limits)


def entries_of_link_parser(dictionary: str, words: list[str]) -> dict[str, tuple[int, dict[str, float]]]:
    """Return the entries of words: how many disjuncts before equal ones are merged, and those with costs."""
    found: dict[str, tuple[int, dict[str, float]]] = {}
    text = link_parser(dictionary, [f"!!{word}//" for word in words])
    for line in text.splitlines():
        head = re.match(r"    (\S+)\s+(\d+)/(\d+) disjuncts", line)
        if head:
            found[head[1]] = (int(head[3]), found.get(head[1], (0, {}))[1])
        row = re.match(r"\s*(\S+): \[\d+\]\s*([-\d.]+)=(.*)<>(.*)", line)
        if row:
            disjunct = " & ".join(row[3].split() + row[4].split())
            found.setdefault(row[1], (0, {}))[1][disjunct] = float(row[2])
    return found


def compare_entries(grammar: LinkGrammar, dictionary: str, words: list[str]) -> int:
    theirs = entries_of_link_parser(dictionary, words)
    compared = 0
    for word in words:
        for name, expression in grammar.dictionary.of(word):
            if name not in theirs:
                continue
            before, costs = theirs[name]
            ours = {str(d): d.cost for d in expand(name, expression, grammar.cutoff)}
            assert ours.keys() == costs.keys(), name
            assert all(abs(ours[d] - costs[d]) < 0.002 for d in ours), name
            if not any(e.endswith(".I") for e in theirs):
                assert abs(count_clauses(expression, grammar.cutoff) - before) <= 1  # the empty one
            compared += 1
    return compared


@pytest.mark.skipif(not TRUTH.is_file(), reason="no table of linkage counts")
def test_the_small_dictionaries_give_the_counts_of_the_table() -> None:
    checked = 0
    for entry in json.loads(TRUTH.read_text()):
        if entry["dictionary"] == "full":
            continue
        limit = re.search(r"-cost-max=([\d.]+)", entry["options"])
        cutoff = float(limit[1]) if limit else None
        grammar = LinkGrammar.read(DICTIONARIES / entry["dictionary"], cutoff)
        assert count(grammar, entry["sentence"]) == entry["linkages"], entry
        checked += 1
    assert checked > 100


@needs_english
@pytest.mark.skipif(not TRUTH.is_file(), reason="no table of linkage counts")
def test_english_gives_the_counts_of_the_table(english: LinkGrammar) -> None:
    grammars: dict[float | None, LinkGrammar] = {}
    entries = [e for e in json.loads(TRUTH.read_text()) if e["dictionary"] == "full"]
    assert len(entries) > 20
    for entry in entries:
        limit = re.search(r"-cost-max=([\d.]+)", entry["options"])
        cutoff = float(limit[1]) if limit else None
        if cutoff not in grammars:
            grammars[cutoff] = english if cutoff is None else replace(english, cutoff=cutoff)
        grammar = grammars[cutoff]
        sentence = entry["sentence"].replace(",", " ,")
        assert count(grammar, sentence) == entry["linkages"], entry


SENTENCES = [
    "the dog that chased the cat ran in the park",
    "The dogs bark",
    "Great plans fail",
    "John saw Mary yesterday",
    "what did you say to her ?",
    "I told him that she would not come",
    "THE HIGH COURT .",
    "there 's no excuse for that kind of estimate .",
    "as well as his brother he likes to swim",
    "3 of the 12 men left on May 5 , 1990",
    "blorfing is fun",
    "he gave her the book because she asked for it",
    "neither the man nor his dog was there",
    'this is an invention of the scammers . "',
]


@needs_parser
@needs_english
def test_english_sentences_have_as_many_linkages(english: LinkGrammar) -> None:
    expected = counts_of_link_parser("en", SENTENCES)
    assert sum(expected) > 100
    assert [count(english, sentence) for sentence in SENTENCES] == expected


@needs_parser
@needs_english
def test_english_entries_have_the_same_disjuncts(english: LinkGrammar) -> None:
    words = ["the", "cat", "dogs", "of", "quickly", "that's", "here", "telescope", "who", "big", "all"]
    assert compare_entries(english, "en", words) >= 12


@needs_parser
@pytest.mark.parametrize(("name", "words"), [("mini", "cat saw who said the"), ("edge", "j m p t x zz z.1")])
def test_entries_of_small_dictionaries(name: str, words: str) -> None:
    folder = DICTIONARIES / name
    assert compare_entries(LinkGrammar.read(folder), str(folder), words.split()) >= 5


_NAMES = ["A", "B", "Ba", "Bb", "B*b", "C", "hC", "dC"]


def _random_expression(rng: random.Random, depth: int) -> str:
    if depth == 0 or rng.random() < 0.25:
        return "@" * (rng.random() < 0.2) + rng.choice(_NAMES) + rng.choice("+-")
    kind = rng.random()
    inner = [_random_expression(rng, depth - 1) for _ in range(rng.choice([2, 2, 3]))]
    if kind < 0.35:
        return "(" + " & ".join(inner) + ")"
    if kind < 0.65:
        return "(" + " or ".join(inner) + ")"
    if kind < 0.85:
        return "{" + inner[0] + "}"
    return f"[{inner[0]}]{rng.choice(['', '0.5', '1.4', '2', '-0.3'])}"


def random_dictionary(rng: random.Random) -> str:
    lines = ["#define dictionary-version-number 5.0.0;", "#define dictionary-locale C;"]
    if rng.random() < 0.3:
        lines.append("LEFT-WALL: A+ or ({B+} & C+);")
    lines.append(f"<m>: {_random_expression(rng, 2)};")
    for words in ("a b.x", "b.y", "c", "c_d e", "d"):
        macro = rng.choice(["", " & <m>", " or <m>"])
        lines.append(f"{words}: {_random_expression(rng, 3)}{macro};")
    return "\n".join(lines) + "\n"


@needs_parser
@pytest.mark.parametrize("seed", range(4))
def test_random_dictionaries_give_as_many_linkages(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    total = 0
    for number in range(12):
        folder = tmp_path / f"d{number}"
        folder.mkdir()
        (folder / "4.0.dict").write_text(random_dictionary(rng))
        for other in ("affix", "regex"):
            (folder / f"4.0.{other}").write_text("% none\n")
        grammar = LinkGrammar.read(folder)
        sentences = [" ".join(rng.choices("abcde", k=rng.randint(2, 6))) for _ in range(25)]
        expected = counts_of_link_parser(str(folder), sentences)
        assert [count(grammar, sentence) for sentence in sentences] == expected
        total += sum(expected)
    assert total > 0


@needs_english
def test_the_english_dictionary_is_pruned_well(english: LinkGrammar) -> None:
    grammar = english
    assert grammar.cutoff == 2.7
    assert len(grammar.dictionary.entries) > 50_000
    provided = grammar.for_sentence(
        Sentence.of("he said that the old man had seen her dog in the park yesterday")
    )
    assert provided.warnings == ()
    assert 15 < provided.size < 1500
    assert len(grammar.disjuncts_of("dog")) > 1000


@needs_english
def test_misspelt_english(english: LinkGrammar) -> None:
    (warning,) = english.for_sentence(Sentence.of("the telescoep is big")).warnings
    assert warning.hint is not None
    assert "telescope" in warning.hint
    with pytest.raises(GrammarError, match=r"link-parser splits it: write I 'm"):
        english.for_sentence(Sentence.of("I'm here"))
