"""Dependency rule and context-free grammars: what they provide for a sentence, and their warnings."""

from pathlib import Path

import pytest
from hypothesis import given, settings

from schemata.errors import GrammarError, UsageError
from schemata.grammars import HEAD, ContextFreeGrammar, DependencyRules, Rule, tagged_sentence
from schemata.grammars.rule_files import parse_context_free, parse_dependency_rules
from schemata.grammars.rules import Lexicon
from schemata.structures import DependencyTree, Sentence
from tests.oracle import rules as oracle
from tests.oracle.trees import projective_trees
from tests.structures.strategies import trees
from tests.support.charts import naive_rules

TEXT = """
root S
S(N * N)   # transitive
S(N ^)
N(*)
N(D *)
sees : S
tag NOUN : N
Kim : N, S
the : D
D(*)
"""


def dependency_rules(text: str) -> DependencyRules:
    return DependencyRules(*parse_dependency_rules(text))


class TestDependencyRules:
    def test_what_a_sentence_gets(self) -> None:
        grammar = dependency_rules(TEXT).for_sentence(tagged_sentence("the/DET dog/NOUN sees/VERB Kim/NOUN"))
        assert grammar.n == 4
        assert [str(rule) for rule in grammar.rules] == ["D(*)", "N(D *)", "N(*)", "S(N *)", "S(N * N)"]
        assert grammar.roots == {"S"}
        assert [grammar.categories_of(i) for i in range(6)] == [set(), {"D"}, {"N"}, {"S"}, {"N", "S"}, set()]
        assert grammar.table.bodies_of["N"] == (("D", HEAD), (HEAD,))
        assert set(grammar.table.pairs) == {(rule.lhs, rule.body) for rule in grammar.rules}
        assert ("S", ("N", HEAD)) in grammar.table.pairs

    def test_the_rules_are_shared_by_all_sentences(self) -> None:
        grammar = dependency_rules(TEXT)
        one, other = (grammar.for_sentence(Sentence.of(text)) for text in ("Kim sees Kim", "Kim"))
        assert one.table is other.table

    def test_analyses_are_those_of_the_oracle(self) -> None:
        grammar = dependency_rules(TEXT).for_sentence(Sentence.of("Kim sees the Kim"))
        assert {heads for heads, _ in oracle.analyses_by_brute_force(naive_rules(grammar))} == {(2, 0, 4, 2)}

    def test_a_grammar_made_in_python_equals_the_one_read(self) -> None:
        made = DependencyRules.of(
            ["S(N * N)", "S(N *)", "N(*)", Rule("N", ("D", HEAD)), "D( * )"],
            roots=["S"],
            words={"sees": ["S"], "Kim": ["S", "N"], "the": ["D"]},
            tags={"NOUN": ["N"]},
        )
        assert made == dependency_rules(TEXT)
        assert hash(made) == hash(dependency_rules(TEXT))

    @pytest.mark.parametrize(
        ("rule", "message"),
        [
            ("S(N N)", r"has 0 head words, not 1"),
            ("S(* *)", r"has 2 head words, not 1"),
            ("S", r"written S\(N \* N\), not S"),
            ("S(*) x", r"written S\(N \* N\)"),
            ("(*)", r"a category is empty"),
            ("root(*)", r"a category cannot be called root"),
        ],
    )
    def test_bad_rules_in_python(self, rule: str, message: str) -> None:
        with pytest.raises(UsageError, match=message):
            DependencyRules.of([rule], ["S"])

    def test_unknown_words_are_all_named(self) -> None:
        provided = dependency_rules("root S\nS(*)\nsleeps : S").for_sentence(Sentence.of("sleep sleeps xyz"))
        assert [(d.message, d.hint) for d in provided.warnings] == [
            ('word 1, "sleep", has no category in the grammar', 'did you mean "sleeps"?'),
            ('word 3, "xyz", has no category in the grammar', 'give it one with a line such as: "xyz" : S'),
        ]

    def test_unknown_words_of_a_tagged_sentence(self) -> None:
        (warning,) = dependency_rules(TEXT).for_sentence(tagged_sentence("x/NUON")).warnings
        assert '"x", has no category in the grammar, nor has its part of speech NUON' in warning.message

    def test_a_sentence_without_tags(self) -> None:
        grammar = dependency_rules(TEXT)
        assert grammar.for_sentence(Sentence.of("Kim sees Kim")).categories_of(1) == {"N", "S"}
        with pytest.raises(GrammarError, match="mentions parts of speech"):
            grammar.for_sentence(Sentence.of("Kim sees dogs"))

    def test_words_are_compared_in_nfc(self) -> None:
        grammar = dependency_rules("root S\nS(*)\n\u00e9 : S")
        assert grammar.for_sentence(Sentence(("e\u0301",))).categories_of(1) == {"S"}

    def test_warnings(self) -> None:
        rules, warnings = parse_dependency_rules("root S\nS(*)\nT(S *)\nU(*)\ngo : S\nt : T", "g")
        assert [(str(w.location), w.code, w.severity) for w in warnings] == [
            ("g:3:1", "unreachable-category", "warning"),
            ("g:4:1", "unreachable-category", "warning"),
            ("g:4:1", "no-word", "warning"),
        ]
        assert DependencyRules(rules, warnings) == DependencyRules(rules)
        assert dependency_rules(TEXT).warnings == ()

    def test_names_in_single_quotes(self) -> None:
        grammar = dependency_rules("root 'NN$'\n'NN$'(')' *)\n')'(*)\n\"(\" : ')'\ntag ',' : 'NN$'")
        assert grammar.for_sentence(Sentence(("x", "("), (",", "-"))).categories_of(1) == {"NN$"}

    def test_words_called_like_keywords(self) -> None:
        rules, _ = parse_dependency_rules('root S\nS(*)\nroot : S\ntag : S\ntag tag : S\n"tag" : S')
        assert rules.lexicon.words == (("root", "S"), ("tag", "S"))
        assert rules.lexicon.tags == (("tag", "S"),)

    def test_reading_a_file(self, tmp_path: Path) -> None:
        path = tmp_path / "g.deprules"
        path.write_text(TEXT)
        assert DependencyRules.read(path) == dependency_rules(TEXT)


class TestTreeGrammars:
    def test_each_word_is_its_own_category(self) -> None:
        grammar = DependencyRules.from_heads((2, 0, 2)).for_sentence(Sentence.of("a a a"))
        assert [str(rule) for rule in grammar.rules] == ["w1(*)", "w2(w1 * w3)", "w3(*)"]
        assert grammar.roots == {"w2"}
        assert grammar.categories_of(3) == {"w3"}

    def test_gold(self) -> None:
        sentence = Sentence(("a", "b"), heads=(2, 0))
        assert DependencyRules.gold().for_sentence(sentence) == DependencyRules.from_heads(
            (2, 0)
        ).for_sentence(sentence)
        with pytest.raises(GrammarError, match="no gold heads"):
            DependencyRules.gold().for_sentence(Sentence.of("a b"))

    def test_wrong_length(self) -> None:
        with pytest.raises(GrammarError, match="a tree with 1 head, but the sentence has 2 words"):
            DependencyRules.from_heads((0,)).for_sentence(Sentence.of("a b"))

    @settings(max_examples=60)
    @given(trees(max_size=5))
    def test_a_projective_tree_is_the_only_analysis_of_its_grammar(self, tree: DependencyTree) -> None:
        grammar = DependencyRules.from_heads(tree.heads).for_sentence(Sentence(("x",) * len(tree)))
        found = {heads for heads, _ in oracle.analyses_by_brute_force(naive_rules(grammar))}
        assert found <= {tree.heads}
        assert bool(found) == (tree.heads in projective_trees(len(tree)))


class TestContextFree:
    TEXT = """
    S -> NP VP | S 'and' S
    NP -> Det N | "Kim"
    VP -> V | V NP
    Det -> 'the' | ε
    sees : V
    tag NOUN : N, NP
    """

    def test_what_a_sentence_gets(self) -> None:
        grammar = parse_context_free(self.TEXT)
        assert grammar.start == "S"
        assert [str(rule) for rule in grammar.rules] == [
            "Det -> ε",
            "NP -> Det N",
            "S -> NP VP",
            'S -> S "and" S',
            "VP -> V",
            "VP -> V NP",
        ]
        assert grammar.terminals == ("Kim", "and", "sees", "the")
        provided = grammar.for_sentence(tagged_sentence("Kim/X and/X dogs/NOUN sees/X"))
        assert provided.roots == {"S"}
        assert [provided.categories_of(i) for i in range(1, 5)] == [{"NP"}, {'"and"'}, {"N", "NP"}, {"V"}]
        assert provided.table.bodies_of["Det"] == ((),)
        assert ("S", ("S", '"and"', "S")) in provided.table.pairs

    def test_both_arrows_both_quotes_both_empty_strings(self) -> None:
        assert parse_context_free("A -> 'x' A \"y\" | ε") == parse_context_free('A → "x" A \'y\' | ""')

    def test_start(self) -> None:
        assert parse_context_free("A -> B\nB -> 'b'\nstart B").start == "B"
        assert parse_context_free("start -> 'a'\nstart start").start == "start"
        assert parse_context_free("go : S").start == "S"

    def test_primes_and_features_in_names(self) -> None:
        grammar = parse_context_free(
            "N' -> A N'|'n'\nA->\"a\" | V[fin]/NP\nV[fin]/NP : N'".replace(" : N'", " -> 'v'")
        )
        assert [str(rule) for rule in grammar.rules] == ["A -> V[fin]/NP", "N' -> A N'"]

    def test_chomsky_normal_form(self) -> None:
        assert parse_context_free("S -> S S | 's'").check_cnf() == ()
        grammar = parse_context_free(self.TEXT)
        assert [str(rule) for rule in grammar.check_cnf()] == ["Det -> ε", 'S -> S "and" S', "VP -> V"]

    def test_unknown_word(self) -> None:
        (diagnostic,) = (
            parse_context_free("S -> 'go' S | 'stop'").for_sentence(Sentence.of("go stpo")).warnings
        )
        assert (diagnostic.message, diagnostic.hint) == (
            'word 2, "stpo", has no category in the grammar',
            'did you mean "stop"?',
        )

    def test_warnings(self) -> None:
        (warning,) = parse_context_free("S -> 's'\nT -> S S", "g").warnings
        assert (str(warning.location), warning.code) == ("g:2:1", "unreachable-category")

    @pytest.mark.parametrize("name", ["", "a b", "a|b", "a:b", '"a"', "a#b", "ε", "root", HEAD, "->"])
    def test_names_that_no_file_could_hold(self, name: str) -> None:
        with pytest.raises(UsageError):
            ContextFreeGrammar.of([(name, ("S", "S"))], "S")
        with pytest.raises(UsageError):
            ContextFreeGrammar.of([], "S", tags={"NOUN": [name]})

    def test_reading_a_file(self, tmp_path: Path) -> None:
        path = tmp_path / "g.cfg"
        path.write_text(self.TEXT, "utf-8")
        assert ContextFreeGrammar.read(path) == parse_context_free(self.TEXT)


class TestTaggedSentences:
    def test_the_last_slash_counts(self) -> None:
        sentence = tagged_sentence(" 1/2/NUM  //PUNCT ")
        assert (sentence.words, sentence.tags) == (("1/2", "/"), ("NUM", "PUNCT"))

    def test_all_words_without_tags_are_named(self) -> None:
        with pytest.raises(UsageError) as caught:
            tagged_sentence("the cat/NOUN sat/ /VERB")
        assert [d.message for d in caught.value.diagnostics] == [
            "word 1, the, has no part of speech",
            "word 3, sat/, has no part of speech",
            "word 4, /VERB, has no part of speech",
        ]

    def test_empty(self) -> None:
        with pytest.raises(UsageError, match="the sentence is empty"):
            tagged_sentence("  ")


def test_unknown_words_are_named_before_tags_are_asked_for() -> None:
    lexicon = Lexicon.of({"cat": ["N"]}, {"VERB": ["V"]})
    with pytest.raises(GrammarError) as caught:
        lexicon.look_up(Sentence.of("cot sleeps"))
    assert [found.code for found in caught.value.diagnostics] == [
        "unknown-word",
        "unknown-word",
        "untagged-sentence",
    ]
    assert caught.value.diagnostics[0].hint == 'did you mean "cat"?'
    with pytest.raises(GrammarError) as caught:
        Lexicon.of({}, {"VERB": ["V"]}).look_up(Sentence.of("cot sleeps"))
    assert [found.code for found in caught.value.diagnostics] == ["untagged-sentence"]
