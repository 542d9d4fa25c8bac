"""Random dictionaries: link-parser itself, where it is installed, and all schemata give the same numbers."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

import schemata
from schemata.grammars.link_grammar import LinkGrammar
from schemata.structures import Linkage, random_disjuncts
from tests.grammars.test_link_parser import random_dictionary
from tests.linkgrammar.test_counts import UNIQUE
from tests.oracle.linkages import dictionary_text, link_parser_counts, needs_link_parser, write_dictionary

LOADED = [schemata.load(name) for name in UNIQUE]


def assert_same(sentences: list[str], expected: list[int], grammar: LinkGrammar) -> None:
    """Assert that every schema derives so many linkages of each sentence, each once, and the same ones."""
    for sentence, count in zip(sentences, expected, strict=True):
        first: set[Linkage] | None = None
        for schema in LOADED:
            forest = schema.run(sentence, grammar, engine="python").forest()
            linkages = forest.linkages(None)
            assert len(set(linkages)) == forest.derivation_count == count, (schema.name, sentence)
            first = set(linkages) if first is None else first
            assert set(linkages) == first, (schema.name, sentence)


@needs_link_parser
@pytest.mark.parametrize("seed", range(3))
def test_random_disjuncts(seed: int, tmp_path: Path) -> None:
    """Disjuncts written as a dictionary: multi-connectors, subscripts, prefixes, words with several entries."""
    entries, sentences = [], []
    for number in range(40):
        _, drawn = random_disjuncts(2 + number % 6, random.Random(f"{seed} {number}"))
        # Words that no other sentence uses, so that all sentences can share a dictionary.
        prefix = f"q{chr(97 + number % 26)}{chr(97 + number // 26)}"
        choices = [[replace(d, word=prefix + d.word) for d in of_word] for of_word in drawn]
        entries += dictionary_text(choices)
        sentences.append(" ".join(of_word[0].word.split(".")[0] for of_word in choices))
    write_dictionary(tmp_path, entries)
    expected = link_parser_counts(tmp_path, sentences)
    assert sum(count > 1 for count in expected) > 10
    assert_same(sentences, expected, LinkGrammar.read(tmp_path))


@needs_link_parser
@pytest.mark.parametrize("seed", range(4))
def test_random_expressions(seed: int, tmp_path: Path) -> None:
    """Expressions with costs, macros, idioms and walls."""
    rng = random.Random(f"expressions {seed}")
    total = 0
    for number in range(6):
        folder = tmp_path / f"d{number}"
        folder.mkdir()
        (folder / "4.0.dict").write_text(random_dictionary(rng), encoding="utf-8")
        for other in ("affix", "regex"):
            (folder / f"4.0.{other}").write_text("% none\n", encoding="utf-8")
        sentences = [" ".join(rng.choices("abcde", k=rng.randint(2, 6))) for _ in range(15)]
        expected = link_parser_counts(folder, sentences)
        assert_same(sentences, expected, LinkGrammar.read(folder))
        total += sum(expected)
    assert total > 0


@needs_link_parser
@pytest.mark.parametrize("seed", range(3))
def test_limits_of_length(seed: int, tmp_path: Path) -> None:
    """Connectors that reach a word or two only, with and without subscripts."""
    rng = random.Random(f"limits {seed + 10}")
    changed = 0
    for number in range(6):
        folder = tmp_path / f"d{number}"
        folder.mkdir()
        listed = " & ".join(rng.choice("ABC") + rng.choice(["", "a", "ab", "b"]) + "+" for _ in range(2))
        whole = random_dictionary(rng)
        limited = f"{whole}LENGTH-LIMIT-{1 + number % 2}: {listed};\n"
        (folder / "4.0.dict").write_text(limited, encoding="utf-8")
        for other in ("affix", "regex"):
            (folder / f"4.0.{other}").write_text("% none\n", encoding="utf-8")
        sentences = [" ".join(rng.choices("abcde", k=rng.randint(3, 6))) for _ in range(15)]
        expected = link_parser_counts(folder, sentences)
        grammar = LinkGrammar.read(folder)
        assert_same(sentences, expected, grammar)
        assert_same(sentences, expected, replace(grammar, pruned=False))
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
