"""Extracted grammars license the trees they came from, by brute force and on treebanks, and read back."""

import math
import random
import re
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import schemata
from schemata.cli.main import main
from schemata.errors import GrammarError, TreebankError, UsageError
from schemata.grammars import DependencyRules, DRules, DRuleSet, Facts, Rule, RuleSet
from schemata.grammars.extract import Extraction, extract_d_rules, extract_dependency_rules, extract_lcfrs
from schemata.grammars.rule_files import parse_d_rules, parse_dependency_rules
from schemata.learning.brackets import extract_context_free
from schemata.structures import DependencyTree, Sentence
from schemata.structures.constituents import Constituent, ConstituentTree
from schemata.treebanks import read_conllu
from tests.oracle import rules as oracle
from tests.oracle import trees as brute
from tests.structures.strategies import trees
from tests.support import TREEBANKS, needs_treebanks
from tests.support.charts import naive_rules

LCFRS = schemata.load("lcfrs")

SMALL = [
    Sentence(("the", "old", "dogs", "bark"), ("DET", "ADJ", "NOUN", "VERB"), (3, 3, 4, 0)),
    Sentence(("dogs", "bark", "loudly"), ("NOUN", "VERB", "ADV"), (2, 0, 2)),
    Sentence(("dogs",), ("NOUN",), (0,)),
]


def d_rules_of(extraction: Extraction[DRules]) -> DRuleSet:
    assert isinstance(extraction.grammar.basis, DRuleSet)
    return extraction.grammar.basis


def rules_of(extraction: Extraction[DependencyRules]) -> RuleSet:
    assert isinstance(extraction.grammar.basis, RuleSet)
    return extraction.grammar.basis


class TestDRules:
    def test_text(self) -> None:
        assert extract_d_rules(SMALL, limit_distance=True).to_text("three sentences") == (
            "# extracted from three sentences: 3 sentences, 8 words\n"
            "# the number after each line is how often it was seen\n"
            "root NOUN                                  # 1\n"
            "root VERB                                  # 2\n"
            "head NOUN takes ADJ on the left within 1   # 1\n"
            "head NOUN takes DET on the left within 2   # 1\n"
            "head VERB takes NOUN on the left within 1  # 2\n"
            "head VERB takes ADV on the right within 1  # 1\n"
        )

    def test_minimum_count(self) -> None:
        extraction = extract_d_rules(SMALL, min_count=2)
        assert extraction.omitted == 4
        assert extraction.to_text("x").splitlines()[2:] == [
            "# seen at least 2 times; 4 lines left out",
            "root VERB                         # 2",
            "head VERB takes NOUN on the left  # 2",
        ]

    def test_single_root_is_passed_on(self) -> None:
        assert extract_d_rules(SMALL, single_root=True).grammar.single_root


class TestDependencyRules:
    def test_text(self) -> None:
        assert extract_dependency_rules(SMALL).to_text("three sentences") == (
            "# extracted from three sentences: 3 sentences, 8 words\n"
            "# the number after each line is how often it was seen\n"
            "root NOUN         # 1\n"
            "root VERB         # 2\n"
            "ADJ(*)            # 1\n"
            "ADV(*)            # 1\n"
            "DET(*)            # 1\n"
            "NOUN(DET ADJ *)   # 1\n"
            "NOUN(*)           # 2\n"
            "VERB(NOUN *)      # 1\n"
            "VERB(NOUN * ADV)  # 1\n"
            "tag ADJ : ADJ\n"
            "tag ADV : ADV\n"
            "tag DET : DET\n"
            "tag NOUN : NOUN\n"
            "tag VERB : VERB\n"
        )

    def test_a_category_that_lost_its_rules_takes_those_with_it_that_use_it(self) -> None:
        sentences = [
            Sentence(("b", "c"), ("B", "C"), (2, 0)),
            Sentence(("a", "b", "c"), ("A", "B", "C"), (2, 3, 0)),
            *[Sentence(("c",), ("C",), (0,))] * 2,
        ]
        # C(B *) was seen twice, but B(*) and B(A *) only once each
        rules = rules_of(extract_dependency_rules(sentences, min_count=2))
        assert [str(rule) for rule in rules.rules] == ["C(*)"]
        assert rules.lexicon.tags == (("C", "C"),)

    def test_a_part_of_speech_that_no_category_may_be_called(self) -> None:
        with pytest.raises(UsageError, match="a category cannot be called root"):
            extract_dependency_rules([Sentence(("a",), ("root",), (0,))])


@pytest.mark.parametrize("extract", [extract_d_rules, extract_dependency_rules])
class TestBoth:
    def test_sentences_that_cannot_be_used_are_skipped_and_named(
        self, extract: type[Extraction[DRules]]
    ) -> None:
        odd = [
            Sentence(("a",), ("A",), name="s1"),
            Sentence(("a",), None, (0,)),
            Sentence(("a", "b"), ("A", "B"), (2, 1), name="s3"),
        ]
        extraction = extract([*odd, *SMALL])
        assert (extraction.sentences, extraction.words) == (3, 8)
        assert [d.message for d in extraction.skipped] == [
            "sentence s1 has no gold heads",
            "sentence number 2 has no parts of speech",
            "sentence s3 has gold heads that are not a tree: heads (2, 1) have a cycle: 1 -> 2 -> 1",
        ]
        assert "# 3 sentences could not be used" in extraction.to_text("x")
        with pytest.raises(GrammarError, match="no sentence has both parts of speech and gold heads"):
            extract(odd)

    def test_nothing_left(self, extract: type[Extraction[DRules]]) -> None:
        with pytest.raises(GrammarError, match="too little was seen 9 times"):
            extract(SMALL, min_count=9)
        with pytest.raises(GrammarError, match="no sentence has both"):
            extract([])

    def test_bad_minimum(self, extract: type[Extraction[DRules]]) -> None:
        with pytest.raises(UsageError, match="min_count is 0"):
            extract(SMALL, min_count=0)


@st.composite
def sentences(draw: st.DrawFn, max_size: int = 5) -> Sentence:
    tree = draw(trees(max_size=max_size))
    tags = draw(st.lists(st.sampled_from(["A", "B", "C"]), min_size=len(tree), max_size=len(tree)))
    return Sentence(("x",) * len(tree), tuple(tags), tree.heads)


@settings(max_examples=60)
@given(st.lists(sentences(), min_size=1, max_size=3), st.booleans())
def test_d_rules_license_exactly_what_was_seen(corpus: list[Sentence], limit_distance: bool) -> None:
    extraction = extract_d_rules(corpus, limit_distance=limit_distance)
    for sentence in corpus:
        pairs = extraction.grammar.for_sentence(sentence).pairs
        assert pairs >= set(enumerate(sentence.heads or (), start=1))
        for d, h in pairs:
            assert any(same_link(sentence, d, h, other, limit_distance) for other in corpus)
    assert sum(extraction.counts.values()) >= extraction.words
    again, _ = parse_d_rules(extraction.to_text("a corpus"))
    assert again == d_rules_of(extraction)


def same_link(sentence: Sentence, d: int, h: int, other: Sentence, limit_distance: bool) -> bool:
    """Whether a gold link of another sentence is like the link: the same tags and side, no shorter."""
    tags, theirs = ("0", *(sentence.tags or ())), ("0", *(other.tags or ()))
    return any(
        (theirs[e], theirs[g], bool(g) and e < g) == (tags[d], tags[h], bool(h) and d < h)
        and (not (limit_distance and g) or abs(e - g) >= abs(d - h))
        for e, g in enumerate(other.heads or (), start=1)
    )


@settings(max_examples=60)
@given(st.lists(sentences(max_size=4), min_size=1, max_size=3))
def test_dependency_rules_analyse_the_projective_trees_they_came_from(corpus: list[Sentence]) -> None:
    extraction = extract_dependency_rules(corpus)
    rules = rules_of(extraction)
    for sentence in corpus:
        provided = extraction.grammar.for_sentence(sentence)
        found = {heads for heads, _ in oracle.analyses_by_brute_force(naive_rules(provided))}
        projective = sentence.heads in set(brute.projective_trees(len(sentence)))
        assert (sentence.heads in found) or not projective
    assert sum(extraction.counts[rule] for rule in rules.rules) == extraction.words
    again, warnings = parse_dependency_rules(extraction.to_text("a corpus"))
    assert again == rules
    assert warnings == ()


def test_estimated_probabilities_are_relative_frequencies(tmp_path) -> None:
    """Of five words that are N four have no dependents and one has two; V(N *) has no rival."""
    corpus = [
        Sentence(("dogs", "bark"), ("N", "V"), (2, 0)),
        Sentence(("dogs", "bark"), ("N", "V"), (2, 0)),
        Sentence(("dogs", "dogs", "dogs"), ("N", "N", "N"), (2, 0, 2)),
    ]
    found = extract_dependency_rules(corpus, estimate=True)
    weights = {str(key): math.exp(weight) for key, weight in found.grammar.basis.weights}
    roots = {"('root', 'V')": 2 / 3, "('root', 'N')": 1 / 3}
    assert weights == pytest.approx({"N(*)": 4 / 5, "N(N * N)": 1 / 5, **roots})
    path = tmp_path / "some.deprules"
    path.write_text(found.to_text("three sentences"), "utf-8")
    again = schemata.DependencyRules.read(path)
    for name in ("lombardo-lesmo1996", "bulc", "barbero1998", "dvh2"):
        chart = schemata.load(name).run(corpus[0], again)
        assert math.exp(chart.weight_of((2, 0))) == pytest.approx(2 / 3 * 4 / 5), name
        assert math.exp(chart.total("log")) == pytest.approx(2 / 3 * 4 / 5), name
        chart = schemata.load(name).run(corpus[2], again)
        assert math.exp(chart.best().weight) == pytest.approx(1 / 3 * 1 / 5 * (4 / 5) ** 2), name
    assert not extract_dependency_rules(corpus).grammar.basis.weights


TREES = """( (S (NP (D the) (N cat)) (VP (V saw) (NP (N dogs)))) )
(S (NP (N dogs)) (-NONE- *) (, ,) (VP (V saw)
   (NP (D the) (N dogs))))
(S (NP (N cat)) (VP (V slept)))
(NP (NP (N dogs)) (, ,) (NP (-NONE- *T*)) (NP (N dogs)))
"""


SEEN = {  # counted by hand
    "TOP S": 3, "TOP NP": 1, "S NP VP": 2, "S NP COMMA VP": 1, "NP D N": 2, "NP N": 5, "NP NP COMMA NP": 1,
    "VP V NP": 2, "VP V": 1, 'D "the"': 2, 'N "cat"': 2, 'N "dogs"': 5, 'V "saw"': 2, 'V "slept"': 1, 'COMMA ","': 2,
}  # fmt: skip


def test_probabilities_of_context_free_rules_are_relative_frequencies(tmp_path, capsys) -> None:
    """Each tree is derived, with the product of the shares of its rules; what covers no word is left out."""
    path, written = tmp_path / "some.brackets", tmp_path / "some.cfg"
    path.write_text(TREES, "utf-8")
    found = extract_context_free(path, estimate=True)
    assert {" ".join((rule.lhs, *rule.body)): count for rule, count in found.counts.items()} == SEEN
    assert (found.sentences, found.words, found.omitted) == (4, 14, 0)
    assert (
        main(["grammar", "extract", str(path), "--kind", "context-free", "--estimate", "-o", str(written)])
        == 0
    )
    again = schemata.ContextFreeGrammar.read(written)
    assert again == found.grammar
    chart = schemata.load("earley").run("cat slept", again)
    wanted = 3 / 4 * 2 / 3 * 5 / 8 * 2 / 7 * 1 / 3 * 1 / 3
    assert math.exp(chart.total("log")) == pytest.approx(wanted)
    assert not extract_context_free(path).grammar.weights
    few = extract_context_free(path, min_count=2)
    assert {" ".join((rule.lhs, *rule.body)): count for rule, count in few.counts.items()} == {
        rule: count for rule, count in SEEN.items() if count > 1
    }
    assert few.omitted == 5
    with pytest.raises(GrammarError, match="too little"):
        extract_context_free(path, min_count=50)


@pytest.mark.parametrize("text", ["(S (NP dogs)", "(S (N a))) (S", "dogs"])
def test_brackets_without_partners_have_places(tmp_path, text: str) -> None:
    path = tmp_path / "wrong.brackets"
    path.write_text(text, "utf-8")
    with pytest.raises(TreebankError, match=r"wrong\.brackets:1:"):
        extract_context_free(path)


@pytest.mark.parametrize("label", ["root", "->", "x,y", '"q', "#x", "*"])
def test_labels_that_no_category_may_have_have_places(label: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.brackets"
    path.write_text(f"(S (N dogs))\n(S (N dogs)\n  ({label} bark))", "utf-8")
    with pytest.raises(TreebankError, match=rf"wrong\.brackets:3:4: .*called {re.escape(label)}\n"):
        extract_context_free(path)


def test_signs_of_the_penn_treebank_have_other_names(tmp_path: Path) -> None:
    path = tmp_path / "signs.brackets"
    path.write_text("(S (# #) (, ,) (: ;) (`` ``) ('' '') (. .))", "utf-8")
    (rule,) = (rule for rule in extract_context_free(path).grammar.rules if rule.lhs == "S")
    assert rule.body == ("POUND", "COMMA", "COLON", "OPENING", "CLOSING", ".")


def test_probabilities_of_a_category_sum_to_one() -> None:
    """Rules that are left out have no share."""
    corpus = [*SMALL, *SMALL, Sentence(("dogs", "dogs"), ("NOUN", "NOUN"), (2, 0))]
    for least in (1, 2):
        found = extract_dependency_rules(corpus, min_count=least, estimate=True)
        known = dict(found.grammar.basis.weights)
        sums = Counter[str]()
        for rule in found.grammar.basis.rules:
            sums[rule.lhs] += math.exp(known.get(rule, 0.0))
        assert all(total == pytest.approx(1) for total in sums.values())


def test_counts_of_dependency_rules_are_those_of_the_words() -> None:
    seen: Counter[Rule] = Counter()
    for sentence in SMALL:
        tags, heads = sentence.tags or (), sentence.heads or ()
        for w in range(1, len(sentence) + 1):
            left = [tags[d - 1] for d in range(1, w) if heads[d - 1] == w]
            right = [tags[d - 1] for d in range(w + 1, len(sentence) + 1) if heads[d - 1] == w]
            seen[Rule(tags[w - 1], (*left, "^", *right))] += 1
    extraction = extract_dependency_rules(SMALL)
    assert {rule: extraction.counts[rule] for rule in rules_of(extraction).rules} == seen


# Linear context-free rewriting systems ---------------------------------------------------------------------


def heads_in(tree: ConstituentTree) -> tuple[int, ...]:
    """Return the heads that constituents tell: of those right below one, only the head's is not called TAG:SPANS."""
    heads: dict[int, int] = {}

    def head_of(node: Constituent) -> int:
        if not node.children:
            return node.covered[0]
        own = [child for child in node.children if not re.fullmatch(r"[^+]*:\d+", child.category)]
        (head,) = map(head_of, own)
        heads.update((head_of(child), head) for child in node.children if child not in own)
        return head

    (top,) = tree.nodes
    heads[head_of(top)] = 0
    return tuple(heads[d] for d in sorted(heads))


def heads_under(corpus: list[Sentence], sentence: Sentence) -> list[tuple[int, ...]]:
    forest = LCFRS.run(sentence, extract_lcfrs(corpus).grammar).forest()
    return [heads_in(structure) for structure in forest.structures(None)]


def blocks(heads: tuple[int, ...], word: int) -> int:
    """Return how many stretches the words below a word make up."""
    return 1 + brute.gaps(brute.tree_projections(heads)[word])


@settings(max_examples=40)
@given(st.lists(sentences(), min_size=1, max_size=2))
def test_rewriting_systems_analyse_the_trees_they_came_from(corpus: list[Sentence]) -> None:
    extraction = extract_lcfrs(corpus)
    for sentence in corpus:
        assert sentence.heads in heads_under(corpus, sentence)
    assert Facts.from_text(extraction.to_text("a corpus")) == extraction.grammar
    totals: Counter[str] = Counter()
    for fact in extraction.grammar.facts:
        if fact.relation in ("unary", "binary"):
            totals[str(fact.arguments[0])] += math.exp(fact.weight)  # type: ignore[assignment]
    assert all(math.isclose(total, 1) for total in totals.values())


@settings(max_examples=40)
@given(trees(max_size=6))
def test_words_of_different_parts_of_speech_have_one_tree(tree: DependencyTree) -> None:
    """The rules allow the tree they came from alone; its constituents have as many spans as their words stretches."""
    tags = tuple(f"T{d}" for d in range(1, len(tree) + 1))
    sentence = Sentence(tags, tags, tree.heads)
    assert heads_under([sentence], sentence) == [tree.heads]
    facts = extract_lcfrs([sentence]).grammar.facts
    whole = {str(fact.arguments[0]) for fact in facts if fact.relation in ("unary", "binary")}
    truth = {f"T{d}:{blocks(tree.heads, d)}" for d in range(1, len(tree) + 1)}
    assert {category for category in whole if "+" not in category} == truth


def sentences_of(path: Path, most: int) -> list[Sentence]:
    """Return the first sentences of a treebank that have all their heads."""
    whole = (s for s in read_conllu(path) if isinstance(s, Sentence) and s.heads)
    return list(islice(whole, most))


@needs_treebanks
@pytest.mark.parametrize("path", sorted(TREEBANKS.glob("*/*.conllu")), ids=lambda path: path.stem)
def test_crossing_trees_of_treebanks(path: Path) -> None:
    """Rules of all short sentences accept those with gaps; rules of the sentence by itself find its tree, too."""
    short = [sentence for sentence in sentences_of(path, 800) if len(sentence) <= 7]
    gaps = [s for s in short if s.heads and any(blocks(s.heads, d) > 1 for d in range(1, len(s) + 1))][:3]
    grammar = extract_lcfrs(short).grammar
    for sentence in gaps:
        assert LCFRS.run(sentence, grammar).accepted
        assert sentence.heads in heads_under([sentence], sentence)


@needs_treebanks
@pytest.mark.parametrize("path", sorted(TREEBANKS.glob("*/*.conllu")), ids=lambda path: path.stem)
def test_treebanks(path: Path) -> None:
    corpus = sentences_of(path, 400)
    d_rules = extract_d_rules(corpus, limit_distance=True)
    assert parse_d_rules(d_rules.to_text(path.name))[0] == d_rules_of(d_rules)
    rules = extract_dependency_rules(corpus)
    again, warnings = parse_dependency_rules(rules.to_text(path.name))
    assert (again, warnings) == (rules_of(rules), ())
    assert d_rules.skipped == rules.skipped == ()
    for sentence in random.Random(path.name).sample(corpus, min(100, len(corpus))):
        links = set(enumerate(sentence.heads or (), start=1))
        assert d_rules.grammar.for_sentence(sentence).pairs >= links
        provided = rules.grammar.for_sentence(sentence)
        tree = DependencyRules.gold().for_sentence(sentence)
        tags = {f"w{i}": tag for i, tag in enumerate(sentence.tags or (), start=1)}
        for rule in tree.rules:
            renamed = tuple(tags.get(symbol, symbol) for symbol in rule.body)
            assert (tags[rule.lhs], renamed) in provided.table.pairs
        assert {tags[root] for root in tree.roots} <= provided.roots


def story(
    corpus: list[Sentence],
) -> tuple[Counter[tuple[str, str, str]], Counter[str], Counter[tuple[str, str]]]:
    """Count choices of a bilexical model, (head, side, dependent or "stop"), roots, and choices by head and side."""
    choices: Counter[tuple[str, str, str]] = Counter()
    roots: Counter[str] = Counter()
    for one in corpus:
        tags, heads = one.tags or (), one.heads or ()
        roots.update(tag for tag, h in zip(tags, heads, strict=True) if h == 0)
        for h, tag in enumerate(tags, 1):
            for side in ("left", "right"):
                taken = [
                    tags[d - 1] for d, x in enumerate(heads, 1) if x == h and (d < h) == (side == "left")
                ]
                choices.update((tag, side, dependent) for dependent in [*taken, "stop"])
    groups: Counter[tuple[str, str]] = Counter()
    for (tag, side, _), count in choices.items():
        groups[tag, side] += count
    return choices, roots, groups


def test_d_rules_of_a_bilexical_model_weigh_trees_by_hand() -> None:
    """A tree weighs what its choices have as relative frequencies, with those of the stops."""
    rng = random.Random(5)
    corpus = []
    for _ in range(12):
        n = rng.randint(1, 4)
        heads = rng.choice(brute.projective_trees(n))
        corpus.append(Sentence(tuple("w" * n), tuple(rng.choice("AB") for _ in range(n)), heads))
    choices, roots, groups = story(corpus)
    grammar = extract_d_rules(corpus, estimate=True).grammar
    again = parse_d_rules(extract_d_rules(corpus, estimate=True).to_text("x"))[0]
    assert dict(again.weights) == pytest.approx(
        dict(d_rules_of(extract_d_rules(corpus, estimate=True)).weights)
    )
    schema = schemata.load("eisner-split")
    for one in corpus:
        made, tops, _ = story([one])
        expected = sum(k * math.log(choices[x] / groups[x[:2]]) for x, k in made.items())
        expected += sum(k * math.log(roots[x] / sum(roots.values())) for x, k in tops.items())
        assert schema.run(one, grammar).weight_of(one.heads) == pytest.approx(expected)


def test_probabilities_of_d_rules_sum_to_one() -> None:
    """A takes a B with 1/2 each time, so that B .. B A has 1/2 to the power of its length, by each schema."""
    grammar = extract_d_rules([Sentence(("b", "a"), ("B", "A"), (2, 0))], estimate=True).grammar
    for n in range(6):
        sentence = Sentence((*"b" * n, "a"), (*"B" * n, "A"))
        for name in ("eisner-split", "eisner1996-once"):
            assert schemata.load(name).run(sentence, grammar).total("real") == pytest.approx(0.5 ** (n + 1))


def test_estimates_that_are_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "one.conllu"
    path.write_text("1\tb\t_\tB\t_\t_\t2\tx\t_\t_\n2\ta\t_\tA\t_\t_\t0\troot\t_\t_\n\n", encoding="utf-8")
    assert main(["grammar", "extract", str(path), "--estimate"]) == 0
    assert "head A takes B on the left [0.5]" in re.sub(r"\s+", " ", capsys.readouterr().out)
    assert main(["grammar", "extract", str(path), "--kind", "lcfrs", "--estimate"]) == 2
    assert "always weigh their relative frequencies" in capsys.readouterr().err
