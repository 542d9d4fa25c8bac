"""D-rule grammars: what they license in a sentence, checked against the meaning of each rule word by word."""

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemata.errors import GrammarError, UsageError
from schemata.grammars import DRule, DRules, DRuleSet, Licences, WordPattern
from schemata.grammars.relations import FREE
from schemata.grammars.rule_files import parse_d_rules
from schemata.structures import Sentence

TAGGED = Sentence(("the", "old", "man", "saw", "a", "saw"), ("DET", "ADJ", "NOUN", "VERB", "DET", "NOUN"))
Pairs = set[tuple[int, int]]


def sentence(n: int) -> Sentence:
    return Sentence(tuple(f"w{i}" for i in range(1, n + 1)))


def licensed(text: str, of: Sentence = TAGGED) -> Pairs:
    rules, _ = parse_d_rules(text)
    return set(DRules.from_rules(rules).for_sentence(of).pairs)


class TestLicences:
    @pytest.mark.parametrize("n", range(1, 7))
    def test_all(self, n: int) -> None:
        licences = DRules.all().for_sentence(sentence(n))
        assert licences.pairs == {(d, h) for d in range(1, n + 1) for h in range(n + 1) if d != h}
        assert licences.is_complete
        assert licences == Licences(n, licences.pairs)
        assert licences.relations["licensed"].rows(FREE, FREE) == tuple(sorted(licences.pairs))

    def test_heads_and_dependents_are_sorted(self) -> None:
        licences = DRules.from_pairs({(3, 1), (2, 1), (3, 2), (2, 0), (2, 3)}).for_sentence(sentence(3))
        asked = licences.relations["licensed"].rows
        assert [asked(d, FREE) for d in range(5)] == [(), (), ((0,), (1,), (3,)), ((1,), (2,)), ()]
        assert [asked(FREE, h) for h in range(5)] == [((2,),), ((2,), (3,)), ((3,),), ((2,),), ()]
        assert not licences.is_complete

    def test_single_root_is_carried_and_changes_no_licence(self) -> None:
        free, single = (
            DRules.all().for_sentence(sentence(4)),
            DRules.all(single_root=True).for_sentence(sentence(4)),
        )
        assert (free.single_root, single.single_root) == (False, True)
        assert free.pairs == single.pairs
        for grammar in (
            DRules.gold(single_root=True),
            DRules.from_heads((0, 0), single_root=True),
            DRules.from_pairs((), single_root=True),
        ):
            assert grammar.for_sentence(Sentence(("a", "b"), heads=(0, 0))).single_root


class TestTrees:
    def test_heads_license_exactly_the_links(self) -> None:
        assert DRules.from_heads((2, 3, 0)).for_sentence(sentence(3)).pairs == {(1, 2), (2, 3), (3, 0)}
        assert DRules.from_heads([2, 3, 0]) == DRules.from_heads((2, 3, 0))

    def test_gold(self) -> None:
        gold = Sentence(("a", "b"), heads=(2, 0))
        assert DRules.gold().for_sentence(gold).pairs == {(1, 2), (2, 0)}

    @pytest.mark.parametrize(
        ("heads", "message"),
        [
            ((), "a dependency tree has at least one word"),
            ((2, 3, 1), "heads (2, 3, 1) have a cycle: 1 -> 2 -> 3 -> 1"),
            ((1, 0), "word 1 is its own head"),
            ((4, 0), "word 1 has head 4, but heads are 0..2"),
            ((-1, 0), "word 1 has head -1, but heads are 0..2"),
            ((1.5, 0), "heads are whole numbers, one per word, not (1.5, 0)"),
        ],
    )
    def test_no_tree(self, heads: tuple[int, ...], message: str) -> None:
        with pytest.raises(UsageError) as caught:
            DRules.from_heads(heads)
        assert caught.value.diagnostics[0].message == message

    def test_wrong_length(self) -> None:
        with pytest.raises(GrammarError, match=r"a tree with 3 heads, but the sentence has 1 word\n"):
            DRules.from_heads((2, 3, 0)).for_sentence(Sentence(("a",)))

    def test_no_gold_heads(self) -> None:
        with pytest.raises(GrammarError, match="but the sentence s7 has no gold heads"):
            DRules.gold().for_sentence(Sentence(("a",), name="s7"))

    def test_broken_gold_heads(self) -> None:
        with pytest.raises(
            GrammarError, match=r"gold heads of the sentence are not a tree: .* cycle: 1 -> 2 -> 1"
        ):
            DRules.gold().for_sentence(Sentence(("a", "b"), heads=(2, 1)))


class TestPairs:
    @pytest.mark.parametrize(
        ("pair", "message"),
        [
            ((0, 1), r"dependent 0, but the words are 1, 2"),
            ((1, -1), r"head -1, but heads are words or 0"),
            ((2, 2), r"makes word 2 its own head"),
            ((1, 2, 3), r"a link is a pair \(dependent, head\)"),
            ("ab", r"a link is a pair"),
            (3, r"a link is a pair"),
        ],
    )
    def test_no_links(self, pair: tuple[int, int], message: str) -> None:
        with pytest.raises(UsageError, match=message):
            DRules.from_pairs([pair])

    @pytest.mark.parametrize("pair", [(3, 1), (1, 3)])
    def test_beyond_the_sentence(self, pair: tuple[int, int]) -> None:
        with pytest.raises(GrammarError, match=r"licenses the link .*, but the sentence has 2 words"):
            DRules.from_pairs({(1, 2), pair}).for_sentence(sentence(2))


class TestRules:
    def test_side_is_that_of_the_dependent(self) -> None:
        assert licensed("head NOUN takes DET on the left") == {(1, 3), (1, 6), (5, 6)}
        assert licensed("head NOUN takes DET on the right") == {(5, 3)}
        assert licensed("head NOUN takes DET on either side") == licensed("head NOUN takes DET")

    def test_distance(self) -> None:
        assert licensed("head NOUN takes DET on the left within 1") == {(5, 6)}
        assert licensed("head NOUN takes DET within 2") == {(1, 3), (5, 3), (5, 6)}

    def test_words(self) -> None:
        assert licensed('head "saw" takes "man"') == {(3, 4), (3, 6)}
        assert licensed('head "saw"/VERB takes "man"') == {(3, 4)}

    def test_roots(self) -> None:
        assert licensed('root VERB, "old"') == {(4, 0), (2, 0)}
        assert licensed("root any\nhead any takes any") == set(DRules.all().for_sentence(TAGGED).pairs)

    def test_no_word_is_its_own_head(self) -> None:
        assert licensed("head NOUN takes NOUN") == {(3, 6), (6, 3)}

    def test_lists_stand_for_every_combination(self) -> None:
        long = "\n".join(f"head {h} takes {d} on the left" for h in ("NOUN", "VERB") for d in ("DET", "ADJ"))
        assert parse_d_rules("head NOUN, VERB takes DET, ADJ on the left")[0] == parse_d_rules(long)[0]

    def test_order_and_repetition_do_not_matter(self) -> None:
        assert parse_d_rules("root A\nroot B\nroot A")[0] == parse_d_rules("root B, A")[0]

    def test_words_are_compared_in_nfc(self) -> None:
        assert licensed('root "\u00e9"', Sentence(("e\u0301",))) == {(1, 0)}
        assert licensed('root "e\u0301"', Sentence(("\u00e9",))) == {(1, 0)}

    def test_a_sentence_without_tags(self) -> None:
        plain = Sentence(TAGGED.words, name="s1")
        assert licensed('head "saw" takes "man"', plain)
        with pytest.raises(GrammarError) as caught:
            licensed("root VERB", plain)
        (diagnostic,) = caught.value.diagnostics
        assert diagnostic.code == "untagged-sentence"
        assert diagnostic.message == (
            "the grammar mentions parts of speech (VERB), but the sentence s1 has no tags"
        )
        assert diagnostic.hint is not None
        assert "the/VERB" in diagnostic.hint

    def test_distance_below_one(self) -> None:
        with pytest.raises(UsageError, match="within 0 licenses nothing"):
            DRule(WordPattern("A"), WordPattern("B"), "left", 0)

    def test_a_grammar_without_roots_is_read_with_a_warning(self, tmp_path: Path) -> None:
        path = tmp_path / "g.drules"
        path.write_text("head NOUN takes DET\n")
        grammar = DRules.read(path, single_root=True)
        assert grammar.single_root
        (warning,) = grammar.warnings
        assert (warning.severity, warning.code) == ("warning", "no-root")
        path.write_text("head NOUN takes DET\nroot NOUN\n")
        assert DRules.read(path).warnings == ()


tags = st.sampled_from(["A", "B"])
words = st.sampled_from(["x", "y"])
some_patterns = st.builds(WordPattern, st.just("") | tags, st.just("") | words)
sides = st.sampled_from(["left", "right", "either"])
some_rules = st.builds(DRule, some_patterns, some_patterns, sides, st.none() | st.integers(1, 4))


@given(
    st.lists(some_rules, max_size=4),
    st.lists(some_patterns, max_size=2),
    st.lists(st.tuples(words, tags), min_size=1, max_size=6),
)
def test_licences_are_those_of_the_rules_word_by_word(
    rules: list[DRule], roots: list[WordPattern], tokens: list[tuple[str, str]]
) -> None:
    def fits(pattern: WordPattern, position: int) -> bool:
        word, tag = tokens[position - 1]
        return pattern.word in ("", word) and pattern.tag in ("", tag)

    def allows(rule: DRule, d: int, h: int) -> bool:
        return (
            fits(rule.head, h)
            and fits(rule.dependent, d)
            and (rule.within is None or abs(d - h) <= rule.within)
            and (rule.side == "either" or rule.side == ("left" if d < h else "right"))
        )

    n = len(tokens)
    expected = {(d, 0) for d in range(1, n + 1) if any(fits(root, d) for root in roots)}
    for d, h in itertools.permutations(range(1, n + 1), 2):
        if any(allows(rule, d, h) for rule in rules):
            expected.add((d, h))
    grammar = DRules.from_rules(DRuleSet(tuple(rules), tuple(roots)))
    of = Sentence(tuple(word for word, _ in tokens), tuple(tag for _, tag in tokens))
    assert grammar.for_sentence(of).pairs == expected


def test_grammars_are_values() -> None:
    assert DRules.all() == DRules.all() != DRules.all(single_root=True)
    assert DRules.gold() == DRules.gold() != DRules.all()
    assert (
        len({DRules.all(), DRules.all(), DRules.gold(), DRules.from_heads((0,)), DRules.from_pairs(())}) == 4
    )
