"""Link-parser itself, where it is installed: entries have the same disjuncts, sentences as many linkages.

Linkages are counted from the disjuncts that a dictionary gives for a sentence, by an oracle of the tests, and
derived by all schemata, so that reading, expansion, pruning and deduction are told apart.
"""

import random
import re
from dataclasses import replace
from pathlib import Path

import pytest

import schemata
from schemata.grammars.link_grammar import LinkGrammar
from schemata.grammars.link_grammar.preparation import Preparation
from schemata.grammars.link_grammar.pruning import FREE
from schemata.structures import Linkage, Sentence, all_linkages, random_disjuncts
from tests.linkgrammar.test_counts import DICTIONARIES, UNIQUE, grammar
from tests.oracle.linkages import (
    answers_of_link_parser,
    count_clauses,
    count_linkages,
    dictionary_text,
    link_parser_counts,
    needs_english,
    needs_link_parser,
    write_dictionary,
)
from tests.structures.strategies import words

LOADED = [schemata.load(name) for name in UNIQUE]


def count(grammar: LinkGrammar, sentence: str) -> int:
    disjuncts = grammar.for_sentence(Sentence.of(sentence))
    return count_linkages(disjuncts.disjuncts, disjuncts.limits)


def assert_same(sentences: list[str], expected: list[int], grammar: LinkGrammar) -> None:
    """Assert that every schema derives so many linkages of each sentence, each once, and the same ones."""
    assert [count(grammar, sentence) for sentence in sentences] == expected
    for sentence, number in zip(sentences, expected, strict=True):
        first: set[Linkage] | None = None
        for schema in LOADED:
            forest = schema.run(sentence, grammar, engine="python").forest()
            linkages = forest.linkages(None)
            assert len(set(linkages)) == forest.derivation_count == number, (schema.name, sentence)
            first = set(linkages) if first is None else first
            assert set(linkages) == first, (schema.name, sentence)


def entries_of_link_parser(dictionary: str, words: list[str]) -> dict[str, tuple[int, dict[str, float]]]:
    """Return the entries of words: how many disjuncts before equal ones are merged, and those with costs."""
    found: dict[str, tuple[int, dict[str, float]]] = {}
    text = answers_of_link_parser(dictionary, [f"!!{word}//" for word in words])
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
    preparation = Preparation(grammar.limits, grammar.cutoff)
    for word in words:
        for name, expression in grammar.dictionary.of(word):
            if name not in theirs:
                continue
            before, costs = theirs[name]
            ours = {str(d): d.cost for d in preparation.disjuncts([[(name, expression)]], FREE).disjuncts[0]}
            assert ours.keys() == costs.keys(), name
            assert all(abs(ours[d] - costs[d]) < 0.002 for d in ours), name
            if not any(e.endswith(".I") for e in theirs):
                assert abs(count_clauses(expression, grammar.cutoff) - before) <= 1  # the empty one
            compared += 1
    return compared


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


@needs_link_parser
@needs_english
def test_english_sentences_have_as_many_linkages() -> None:
    expected = link_parser_counts("en", SENTENCES)
    assert sum(expected) > 100
    assert [count(grammar("en"), sentence) for sentence in SENTENCES] == expected


@needs_link_parser
@needs_english
def test_english_entries_have_the_same_disjuncts() -> None:
    words = ["the", "cat", "dogs", "of", "quickly", "that's", "here", "telescope", "who", "big", "all"]
    assert compare_entries(grammar("en"), "en", words) >= 12


@needs_link_parser
@pytest.mark.parametrize(("name", "words"), [("mini", "cat saw who said the"), ("edge", "j m p t x zz z.1")])
def test_entries_of_small_dictionaries(name: str, words: str) -> None:
    assert compare_entries(grammar(name), str(DICTIONARIES / name), words.split()) >= 5


@needs_link_parser
@pytest.mark.parametrize("seed", range(3))
def test_random_disjuncts(seed: int, tmp_path: Path) -> None:
    """Disjuncts written as a dictionary: multi-connectors, subscripts, prefixes, words with several entries."""
    entries, sentences, enumerated = [], [], []
    for number in range(50):
        # A word by itself is no linkage to link-parser, even if it may be without links.
        _, drawn = random_disjuncts(2 + number % 6, random.Random(f"{seed} {number}"))
        # Words that no other sentence uses, so that all sentences can share a dictionary.
        prefix = f"q{chr(97 + number % 26)}{chr(97 + number // 26)}"
        choices = [[replace(d, word=prefix + d.word) for d in of_word] for of_word in drawn]
        names = [of_word[0].word.split(".")[0] for of_word in choices]
        entries += dictionary_text(choices)
        sentences.append(" ".join(names))
        enumerated.append(sum(1 for _ in all_linkages(names, choices)))
    write_dictionary(tmp_path, entries)
    expected = link_parser_counts(tmp_path, sentences)
    assert enumerated == expected
    assert sum(count > 1 for count in expected) > 15
    assert_same(sentences, expected, LinkGrammar.read(tmp_path))


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
    lines: list[str] = []
    if rng.random() < 0.3:
        lines.append("LEFT-WALL: A+ or ({B+} & C+);")
    lines.append(f"<m>: {_random_expression(rng, 2)};")
    for names in ("a b.x", "b.y", "c", "c_d e", "d"):
        macro = rng.choice(["", " & <m>", " or <m>"])
        lines.append(f"{names}: {_random_expression(rng, 3)}{macro};")
    return "\n".join(lines) + "\n"


@needs_link_parser
@pytest.mark.parametrize("seed", range(4))
def test_random_expressions(seed: int, tmp_path: Path) -> None:
    """Expressions with costs, macros, idioms and walls."""
    rng = random.Random(f"expressions {seed}")
    total = 0
    for number in range(6):
        folder = tmp_path / f"d{number}"
        write_dictionary(folder, [random_dictionary(rng)])
        sentences = [" ".join(rng.choices("abcde", k=rng.randint(2, 6))) for _ in range(12)]
        expected = link_parser_counts(folder, sentences)
        assert_same(sentences, expected, LinkGrammar.read(folder))
        total += sum(expected)
    assert total > 0


@needs_link_parser
def test_limits_of_length(tmp_path: Path) -> None:
    """Connectors that reach a word or two only, with and without subscripts."""
    rng = random.Random("limits 10")
    changed = 0
    for number in range(6):
        folder = tmp_path / f"d{number}"
        listed = " & ".join(rng.choice("ABC") + rng.choice(["", "a", "ab", "b"]) + "+" for _ in range(2))
        whole = random_dictionary(rng)
        limited = f"{whole}LENGTH-LIMIT-{1 + number % 2}: {listed};\n"
        write_dictionary(folder, [limited])
        sentences = [" ".join(rng.choices("abcde", k=rng.randint(3, 6))) for _ in range(10)]
        expected = link_parser_counts(folder, sentences)
        grammar = LinkGrammar.read(folder)
        assert_same(sentences, expected, grammar)
        assert_same(sentences[:3], expected[:3], replace(grammar, pruned=False))
        free = LinkGrammar.from_text(whole)
        changed += sum(
            LOADED[1].run(text, free).forest().derivation_count != count
            for text, count in zip(sentences, expected, strict=True)
        )
    assert changed > 0


@needs_link_parser
@pytest.mark.parametrize("listed", ["Ba+", "dBa+", "B+", "Bab+", "B1+", "hBb+"])
def test_which_connectors_a_limit_is_for(listed: str, tmp_path: Path) -> None:
    names = ["B", "Ba", "B*a", "Bb", "Bba", "B1", "Bx", "dB", "dBa", "hB", "hB*a", "dBab"]
    entries = [f"LENGTH-LIMIT-1: {listed};", "b: C-;"]
    for number, name in enumerate(names):
        entries += [f"p{number}: C+ & {name}+;", f"q{number}: {name}-;"]
    write_dictionary(tmp_path, entries)
    sentences = [f"p{number} b q{number}" for number in range(len(names))]
    expected = link_parser_counts(tmp_path, sentences)
    assert 0 in expected
    assert_same(sentences, expected, LinkGrammar.read(tmp_path))
    assert_same(sentences, expected, replace(LinkGrammar.read(tmp_path), pruned=False))


@needs_link_parser
def test_where_some_are_unlimited(tmp_path: Path) -> None:
    between = [f"b{letter}" for letter in "abcdefghijklmnopq"]
    entries = ["UNLIMITED-CONNECTORS: Ba+;", "a: C+ & B+;", "d: C+ & Bb+;"]
    entries += [f"{' '.join(between)}: C- & {{C+}};", "c: B-;"]
    write_dictionary(tmp_path, entries)
    sentences = [" ".join([first, *between[: 17 - fewer], "c"]) for first in "ad" for fewer in (0, 1, 2)]
    expected = link_parser_counts(tmp_path, sentences)
    assert set(expected) == {0, 1}
    assert_same(sentences, expected, LinkGrammar.read(tmp_path))
