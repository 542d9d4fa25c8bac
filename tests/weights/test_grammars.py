"""Weights in grammars: read, written, and summed up as NLTK does; in D-rules they are weights of links."""

import itertools
import math

import numpy as np
import pytest

import schemata
from schemata.errors import GrammarError, UsageError
from schemata.grammars.prefixes import START, Productions
from schemata.grammars.rule_files import (
    parse_context_free,
    parse_d_rules,
    parse_dependency_rules,
    write_context_free,
    write_d_rules,
    write_dependency_rules,
)
from schemata.grammars.rules import ContextFreeGrammar, Lexicon, Rule
from schemata.structures.graphs import find_cycle
from schemata.structures.projections import has_projective_heads
from tests.support.charts import schema_of, schema_text, shipped

PCFG = """
S -> NP VP [1.0]
NP -> Det N [0.5] | NP PP [0.3] | "John" [0.2]
VP -> V NP [0.6] | VP PP [0.3] | "slept" [0.1]
PP -> P NP [1.0]
Det -> "the" [0.8] | "a" [0.2]
N -> "man" [0.5] | "telescope" [0.3] | "dog" [0.2]
V -> "saw" [1.0]
P -> "with" [1.0]
"""
SENTENCES = ["John saw a dog", "the man saw a dog with the telescope with a dog", "John slept with the man"]


@pytest.mark.parametrize("name", ["cyk", "earley", "left-corner"])
@pytest.mark.parametrize("sentence", SENTENCES)
def test_context_free_grammars_as_in_nltk(name: str, sentence: str) -> None:
    nltk = pytest.importorskip("nltk")
    trees = list(nltk.InsideChartParser(nltk.PCFG.fromstring(PCFG)).parse(sentence.split()))
    chart = shipped(name).run(sentence, parse_context_free(PCFG))
    shares = sorted((tree.prob() for tree in trees), reverse=True)
    assert chart.total("count") == len(trees)
    assert chart.total("real") == pytest.approx(sum(shares))
    assert [math.exp(one.weight) for one in chart.k_best(100)] == pytest.approx(shares)
    viterbi = next(nltk.ViterbiParser(nltk.PCFG.fromstring(PCFG)).parse(sentence.split()))
    assert math.exp(chart.best().weight) == pytest.approx(viterbi.prob())
    assert math.exp(chart.total("viterbi")) == pytest.approx(viterbi.prob())


DEPENDENCY = """
root V [0.7], N [0.2]
V(N * N) [0.4]
V(N *) [0.5]
V(*) [0.1]
N(*) [0.7]
N(N *) [0.3]
a : N [0.6], V [0.2]
b : V [0.9], N [0.4]
"""
RULE_BASED = ["barbero1998", "bulc", "dvh1", "dvh2", "dvh3", "head-corner3", "head-corner5", "kahane1998",
              "lombardo-lesmo1996"]  # fmt: skip


@pytest.mark.parametrize("name", RULE_BASED)
def test_dependency_rules_over_all_analyses(name: str) -> None:
    rules = {("V", ("N", "*", "N")): 0.4, ("V", ("N", "*")): 0.5, ("V", ("*",)): 0.1, ("N", ("*",)): 0.7,
             ("N", ("N", "*")): 0.3}  # fmt: skip
    entries = {("a", "N"): 0.6, ("a", "V"): 0.2, ("b", "V"): 0.9, ("b", "N"): 0.4}
    words = "abaa"
    n, expected, trees = len(words), [], []
    for heads in itertools.product(range(n + 1), repeat=n):
        if heads.count(0) != 1 or find_cycle(heads) or not has_projective_heads(heads):
            continue
        for categories in itertools.product("VN", repeat=n):
            weight = {"V": 0.7, "N": 0.2}[categories[heads.index(0)]]
            for h in range(1, n + 1):
                own = [d for d in range(1, n + 1) if heads[d - 1] == h]
                body = (
                    *(categories[d - 1] for d in own if d < h),
                    "*",
                    *(categories[d - 1] for d in own if d > h),
                )
                weight *= rules.get((categories[h - 1], body), 0) * entries[words[h - 1], categories[h - 1]]
            if weight:
                expected.append(weight)
                trees.append(heads)
    grammar = schemata.DependencyRules(parse_dependency_rules(DEPENDENCY)[0])
    chart = shipped(name).run(" ".join(words), grammar)
    assert chart.best().weight == pytest.approx(math.log(max(expected)))
    assert chart.total("viterbi") == pytest.approx(math.log(max(expected)))
    once = chart.forest().derivation_count == len(expected)
    if once:
        assert chart.total("real") == pytest.approx(sum(expected))
    matrix = np.random.default_rng(1).normal(0, 1, (n + 1, n + 1))  # links weigh as well
    chart = shipped(name).run(" ".join(words), grammar, weights=matrix)
    links = np.exp([sum(matrix[h, d] for d, h in enumerate(heads, start=1)) for heads in trees])
    weights = np.array(expected) * links
    assert chart.best().structure.heads == trees[weights.argmax()]
    assert chart.best().weight == pytest.approx(math.log(weights.max()))
    if once:
        assert chart.total("real") == pytest.approx(weights.sum())
        for (d, h), share in chart.marginals().items():
            has = [heads[d - 1] == h for heads in trees]
            assert share == pytest.approx(weights @ has / weights.sum())


def test_the_weights_of_roots_stand_in_prefixes() -> None:
    rules, _ = parse_dependency_rules(DEPENDENCY)
    found = Productions.of(schemata.DependencyRules(rules)).rules
    weights = {one.body: math.exp(one.weight) for one in found if one.lhs == START}
    assert sorted(weights.values()) == pytest.approx([0.2, 0.7])


def test_d_rules_weigh_links() -> None:
    rules, _ = parse_d_rules(
        'root "b" [0.5], "a" [0.1]\nhead "b" takes "a" on the left [0.7]\nhead "a", "b" takes any [log -2]\n'
    )
    for name in ("eisner1996", "collins1996", "wg1-unlexicalised"):
        chart = shipped(name).run("a b", schemata.DRules.from_rules(rules, single_root=True))
        best = chart.k_best(5)
        assert [one.structure.heads for one in best] == [(2, 0), (0, 1)]
        assert [one.weight for one in best] == pytest.approx([math.log(0.35), math.log(0.1) - 2])
        more = shipped(name).run("a b", schemata.DRules.from_rules(rules), weights=np.ones((3, 3)))
        assert more.best().weight == pytest.approx(math.log(0.35) + 2)


def test_weights_are_written_and_read_again() -> None:
    grammar = parse_context_free(PCFG + '\nNP -> "up" N [log -3.25]\nslow : N [0], V [12]\n')
    again = parse_context_free(write_context_free(grammar))
    assert again == grammar
    assert dict(again.weights)["word", "slow", "V"] == pytest.approx(math.log(12))
    rules, _ = parse_dependency_rules(DEPENDENCY)
    assert parse_dependency_rules(write_dependency_rules(rules))[0] == rules
    assert parse_dependency_rules(write_dependency_rules(rules).replace("[0.4]", "[0.3]"))[0] != rules
    links, _ = parse_d_rules('root V [0.5]\nhead V takes N, "x" within 3 [log 0.1]\n')
    assert parse_d_rules(write_d_rules(links))[0] == links
    assert len(links.weights) == 3


@pytest.mark.parametrize(
    ("read", "text", "code", "line", "column"),
    [
        (parse_context_free, "S -> A A [-1]\na : A", "bad-weight", 1, 10),
        (parse_context_free, "S -> A [0.5] A\na : A", "unexpected-token", 1, 14),
        (parse_context_free, "S -> A [0.5]\nS -> A [0.4]\na : A", "second-weight", 2, 8),
        (parse_context_free, 'S -> "a" [0.5]\na : S [0.4]', "second-weight", 2, 7),
        (parse_context_free, 'a : S\nS -> "a" [0.4]', "second-weight", 2, 10),
        (parse_context_free, "S -> A [0,5]\na : A", "bad-weight", 1, 8),
        (parse_context_free, "S -> A\na : A [log 0.2", "bad-weight", 2, 7),
        (parse_dependency_rules, "root S\nS(*) [x]\na : S", "unexpected-token", 2, 6),
        (parse_dependency_rules, "root S [0.5] T\nS(*)\na : S", "unexpected-token", 1, 14),
        (parse_dependency_rules, "root S [0.5]\nroot S [0.6]\nS(*)\na : S", "second-weight", 2, 8),
        (parse_d_rules, "root V [log]\nhead V takes N", "bad-weight", 1, 8),
        (parse_d_rules, "root V\nhead V takes N [0.5] within 3", "unexpected-token", 2, 22),
    ],
)
def test_mistakes_are_shown_where_they_stand(read, text: str, code: str, line: int, column: int) -> None:
    with pytest.raises(GrammarError) as caught:
        read(text, "g")
    found = caught.value.diagnostics[0]
    assert (found.code, found.location.line, found.location.column) == (code, line, column)


RELATIONS = schema_text("tagger")
FACTS = """emit(flies, N) [0.4]
emit(flies, V) [log -0.5]
emit(tag D, N) [0.1]
emit(_, X) [0.2]
follows\tN\tV\t[0.9]
follows(N, N) [0.3]
follows(X, N)
"""


def test_facts_have_weights(written) -> None:
    file = written("tagger.schema", RELATIONS)
    chart = schemata.load(file).run("flies flies", schemata.Facts.from_text(FACTS))
    n, v = 0.4, math.exp(-0.5)
    ways = [n * 0.9 * v, n * 0.3 * n, 0.2 * n]
    assert [math.exp(one.weight) for one in chart.k_best(9)] == pytest.approx(sorted(ways, reverse=True))
    assert chart.total("real") == pytest.approx(sum(ways))
    for text, code in (
        ("emit(a, N) [x", "unexpected-token"),
        ("emit(a, N) [0.1]\nemit(a, N) [0.2]", "unfit-fact"),
    ):
        with pytest.raises(GrammarError) as caught:
            schemata.load(file).run("a", schemata.Facts.from_text(text))
        assert caught.value.diagnostics[0].code == code


def test_final_items_weigh_what_they_ask(written) -> None:
    final = "relation last(one: symbol, other: symbol)\nfinal tagged[n, t] where last(t, u)"
    file = written("tagger.schema", RELATIONS.replace("final tagged[n, t]", final))
    facts = "emit(a, N) [0.4]\nemit(a, V)\nfollows(N, V)\nfollows(N, N)\n"
    facts += "last(N, X) [0.25]\nlast(V, X) [0.5]\nlast(V, Y) [0.125]\n"
    chart = schemata.load(file).run("a a", schemata.Facts.from_text(facts))
    noun, verb = 0.4 * 0.4 * 0.25, 0.4
    assert chart.total("real") == pytest.approx(noun + verb * (0.5 + 0.125))
    assert math.exp(chart.total("viterbi")) == pytest.approx(verb * 0.5)
    assert [math.exp(one.weight) for one in chart.k_best(3)] == pytest.approx([verb * 0.5, noun])


def test_facts_with_weights_that_fit_one_instance_are_ways_of_it(written) -> None:
    """Of relations in which any fact weighs; weights that are all 1 are none."""
    file = written("tagger.schema", RELATIONS.replace("follows(s, t)", "follows(s, _)"))
    facts = "emit(a, N)\nfollows(N, V) {}\nfollows(N, X)\n"
    for weight, total in (("", 1), ("[1]", 1), ("[0.5]", 1.5)):
        chart = schemata.load(file).run("a a", schemata.Facts.from_text(facts.format(weight)))
        assert chart.forest().derivation_count == 1
        assert chart.total("real") == pytest.approx(total)


def test_costs_of_linkages_are_weights() -> None:
    grammar = schemata.LinkGrammar.from_text(
        "a: [A+]0.5 or (A+ & {[B+]}); b: A- or [[A- & {C+}]]; c: [B-] or C-;"
    )
    for name in ("sleator-temperley1991", "eisner-lg", "eisner-satta-lg", "yamada-matsumoto-lg"):
        chart = shipped(name).run("a b c", grammar)
        linkages = chart.forest().linkages(None)
        best = chart.k_best(20)
        assert [one.weight for one in best] == pytest.approx([-linkage.cost for linkage in linkages])
        assert {one.structure for one in best} == set(linkages)
        assert chart.total("min-plus") == pytest.approx(linkages[0].cost)
        shares = np.exp([-linkage.cost for linkage in linkages]) / sum(
            math.exp(-linkage.cost) for linkage in linkages
        )
        for (left, right, label), share in chart.marginals(distinct=True).items():
            has = [
                any((x.left, x.right, x.label) == (left, right, label) for x in one.links) for one in linkages
            ]
            assert share == pytest.approx(shares @ has)
        if chart.weighing.doubt is None:
            assert chart.marginals() == pytest.approx(chart.marginals(distinct=True))
        label = min(linkages[0].links).label
        scores = np.zeros((chart.n + 1, chart.n + 1, 1))
        scores[0, 1, 0] = 7
        more = shipped(name).run("a b c", grammar, weights=schemata.ArcScores(scores, [label], otherwise=0.0))
        assert more.best().weight == pytest.approx(7 - linkages[0].cost)
        assert more.weight_of(linkages[0]) == pytest.approx(7 - linkages[0].cost)
    mirrored = schemata.LinkGrammar.from_text("a: [[@A+]]; b: A-;")
    with pytest.raises(schemata.UsageError, match="no connector that links exactly once"):
        shipped("eisner-lg").run("a b", mirrored).best()


def test_sums_over_cyclic_forests(written) -> None:
    """A and B derive each other: a geometric series, by the star; the best derivation passes no item twice."""
    grammar = parse_context_free(
        "S -> S [0.5] | A B [0.4]\nA -> B [0.25]\nB -> A [0.5]\na : A [0.5], B [0.125]\n"
    )
    file = written("chains.schema", CHAINS)
    chart = schemata.load(file).run("a a", grammar)
    # A = 0.5 + 0.25 B, B = 0.125 + 0.5 A, S = 0.5 S + 0.4 A B
    a, b = np.linalg.solve([[1, -0.25], [-0.5, 1]], [0.5, 0.125])
    assert chart.total("real") == pytest.approx(0.8 * a * b)
    assert chart.total("log") == pytest.approx(math.log(0.8 * a * b))
    assert chart.total("viterbi") == pytest.approx(math.log(0.4 * 0.5 * 0.25))
    assert chart.total("boolean") is True
    assert chart.total("count") == math.inf
    above = {"A": (0.5, "B", 0.25), "B": (0.125, "A", 0.5)}

    def entropy(weights: list[float]) -> float:
        shares = np.array(weights) / sum(weights)
        return float(-(shares * np.log(shares)).sum())

    def ways(symbol: str, most: int) -> list[float]:
        entry, other, weight = above[symbol]
        return [entry, *(weight * way for way in (ways(other, most - 1) if most else []))]

    parts = [0.5**k for k in range(200)], ways("A", 60), ways("B", 60)  # of a derivation, independent
    assert chart.entropy() == pytest.approx(sum(map(entropy, parts)))
    for ask in (chart.marginals, lambda: chart.total("best:3")):
        with pytest.raises(schemata.UsageError, match=r"edge\[A, 1, 1\] and edge\[B, 1, 1\] help"):
            ask()


def chains(tmp_path, grammar: str) -> schemata.Chart:
    file = tmp_path / "chains.schema"
    file.write_text(CHAINS, encoding="utf-8")
    return schemata.load(file).run("a a", parse_context_free(grammar))


@pytest.mark.thorough
def test_best_structures_and_samples_of_cyclic_forests(tmp_path) -> None:
    """Against all derivations with at most thirty rules of one symbol on top of each other.

    A derivation that goes round once builds no tree, since a symbol would stand above itself; samples leave it out.
    """
    chart = chains(tmp_path, "S -> A B [0.4]\nA -> B [0.25]\nB -> A [1.5]\na : A [0.5], B [0.125]\n")
    entries = {"A": 0.5, "B": 0.125}
    above = {"A": ("B", 0.25), "B": ("A", 1.5)}

    def ways(symbol: str, most: int) -> list[float]:
        other, weight = above[symbol]
        return [entries[symbol], *([weight * way for way in ways(other, most - 1)] if most else [])]

    trees = [0.4 * x * y for x in ways("A", 1) for y in ways("B", 1)]
    found = chart.k_best(40)
    assert [math.exp(one.weight) for one in found] == pytest.approx(sorted(trees, reverse=True))
    assert chart.best() == found[0]
    assert chart.total("real") == pytest.approx(0.4 * sum(ways("A", 40)) * sum(ways("B", 40)))
    drawn = chart.sample(2000, seed=5)
    counts = [sum(one.structure == other.structure for one in drawn) for other in found]
    expected = [2000 * math.exp(one.weight) / sum(trees) for one in found]
    # three degrees of freedom, at the level 0.001
    assert sum((c - e) ** 2 / e for c, e in zip(counts, expected, strict=True)) < 16.27


@pytest.mark.parametrize("gain", ["B -> A [5]", "B -> A [4]"])
def test_cycles_that_gain_are_named(gain: str, tmp_path) -> None:
    """A round that weighs more than 1 leaves no best derivation; one that weighs 1 no finite sum."""
    chart = chains(tmp_path, f"S -> A B\nA -> B [0.25]\n{gain}\na : A [0.5], B [0.125]\n")
    asks = [lambda: chart.sample(1), chart.best, lambda: chart.total("viterbi")]
    for ask in asks if "5" in gain else asks[:1]:
        with pytest.raises(schemata.UsageError, match=r"edge.* and edge.* help to derive each other, and"):
            ask()
    with pytest.raises(schemata.UsageError, match="sum of its derivations is infinite"):
        chart.total("real")
    assert "4" not in gain or len(chart.k_best(5)) == 4


LOOPS = schema_text("loops")


def test_best_trees_of_cyclic_forests(written) -> None:
    """The same trees as without the cycles, though some steps on them gain."""
    file = written("loops.schema", LOOPS)
    matrix = np.random.default_rng(2).normal(0, 1, (5, 5))
    for single_root in (False, True):
        grammar = schemata.DRules.all(single_root=single_root)
        plain, cyclic = (
            schemata.load(x).run("a b c d", grammar, weights=matrix) for x in ("eisner1996", file)
        )
        assert cyclic.forest().cyclic
        best, expected = cyclic.k_best(1_000), plain.k_best(1_000)
        assert [one.structure for one in best] == [one.structure for one in expected]
        assert [one.weight for one in best] == pytest.approx([one.weight for one in expected])
        assert cyclic.total("log", distinct=True) == pytest.approx(plain.total("log", distinct=True))


CHAINS = schema_text("chains")


def test_of_facts_only_those_that_fit_a_pattern_weigh() -> None:
    schema = schema_of(schema_text("patterned"))
    grammar = schemata.Facts.from_text(
        "rest(z, <A>) [2]\nrest(z, <B A>) [3]\nrest(z, <B>) [5]\nrest(y, <B>) [7]\n"
    )
    assert schema.run("u", grammar).total("real") == pytest.approx(5)


HYPOTHESES = schema_text("hypotheses")


@pytest.mark.filterwarnings("ignore:the total is over")
def test_hypotheses_that_are_final_items_weigh_as_nothing_does() -> None:
    """There are more of them than hyperedges, and nothing links a root."""
    chart = schema_of(HYPOTHESES).run("a b c d")
    assert chart.total("real") == 4
    assert chart.total("viterbi") == 0
    assert chart.best() is None


def test_a_rule_of_one_word_and_its_entry_in_the_lexicon_have_one_weight() -> None:
    rule, entry, words = Rule("S", ('"a"',)), ("word", "a", "S"), Lexicon((("a", "S"),))
    with pytest.raises(UsageError, match="two weights"):
        ContextFreeGrammar((rule,), "S", words, weights=((rule, -0.5), (entry, -0.4)))
    grammar = ContextFreeGrammar((rule,), "S", words, weights=((rule, -0.5), (entry, -0.5)))
    assert dict(grammar.weights) == {entry: -0.5}
