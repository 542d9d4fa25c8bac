"""Items that may be empty, prediction, words outside of items: runs on word graphs against trees counted apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import schemata
from schemata import ContextFreeGrammar, WordGraph
from schemata.errors import UsageError
from schemata.structures.word_graphs import Arc

Rule = tuple[str, tuple[str, ...], float]
WORDS = "abc"
EARLEY = ["earley", "bottom-up-earley"]
CORNER = ["left-corner", "bottom-up-left-corner"]
AMBIGUOUS = pytest.mark.filterwarnings("ignore::schemata.errors.AmbiguityWarning")


@st.composite
def graphs(draw: st.DrawFn) -> WordGraph:
    """Graphs of up to five states: arcs that skip states, equal words on several, several final states, weights."""
    states = draw(st.integers(2, 5))
    pairs = st.tuples(st.integers(0, states - 1), st.integers(0, states - 1), st.sampled_from(WORDS))
    drawn = draw(st.lists(pairs, max_size=5))
    found = [(i, i + 1, draw(st.sampled_from(WORDS))) for i in range(states - 1)]
    found += [(i, j, word) for i, j, word in drawn if i < j]
    cost = st.sampled_from((0.0, -0.5, -1.25))
    arcs = [Arc(str(i), str(j), word, weight=draw(cost)) for i, j, word in found]
    inner = draw(st.sets(st.integers(1, states - 1), max_size=2))
    return WordGraph.of_arcs(arcs, {str(end): draw(cost) for end in {*inner, states - 1}})


@st.composite
def grammars(draw: st.DrawFn, *, empty: bool) -> list[Rule]:
    """Rules of finitely many trees for a sentence: symbols lead to later ones, or back behind a word."""
    symbols = ["S", "A", "B"]
    rules = {
        ("S", ("A", "B")): 0.5,
        ("A", ('"a"', "A")): 0.5,
        ("A", ('"b"',)): 0.25,
        ("B", ('"c"', "B")): 0.5,
    }
    rules |= {("A", ()): 0.75, ("B", ()): 0.75} if empty else {("A", ('"a"',)): 0.75, ("B", ('"c"',)): 0.75}
    for k, parent in enumerate(symbols):
        for _ in range(draw(st.integers(0, 2))):
            later = [*symbols[k + 1 :], '"a"', '"b"', '"c"']
            body = draw(st.lists(st.sampled_from(later), min_size=0 if empty else 1, max_size=3))
            if draw(st.booleans()):
                body = [draw(st.sampled_from(later[-3:])), *body, draw(st.sampled_from(symbols))]
            rules[parent, tuple(body)] = draw(st.sampled_from((0.25, 0.5, 0.75)))
    return [(parent, body, weight) for (parent, body), weight in rules.items()]


def inside(rules: Sequence[Rule], words: Sequence[str]) -> tuple[int, float]:
    """Return the number of trees of a sentence, and the sum of their weights, by the definition of derivations."""

    @cache
    def of_symbol(symbol: str, i: int, j: int) -> tuple[int, float]:
        if symbol.startswith('"'):
            return (1, 1.0) if words[i:j] == (symbol.strip('"'),) else (0, 0.0)
        found = [(weight, of_body(body, i, j)) for parent, body, weight in rules if parent == symbol]
        return sum(n for _, (n, _) in found), sum(weight * w for weight, (_, w) in found)

    @cache
    def of_body(body: tuple[str, ...], i: int, j: int) -> tuple[int, float]:
        if not body:
            return (1, 1.0) if i == j else (0, 0.0)
        firsts = [(k, of_symbol(body[0], i, k)) for k in range(i, j + 1)]
        parts = [(first, of_body(body[1:], k, j)) for k, first in firsts if first[0]]
        return sum(a[0] * b[0] for a, b in parts), sum(a[1] * b[1] for a, b in parts)

    return of_symbol("S", 0, len(words))


def grammar_of(rules: Sequence[Rule]) -> ContextFreeGrammar:
    text = "".join(f"{a} -> {' '.join(body) or 'ε'} [{weight}]\n" for a, body, weight in rules)
    return ContextFreeGrammar.from_text(text, "random.cfg")


def check(name: str, rules: Sequence[Rule], graph: WordGraph) -> None:
    """Compare a run on a graph with the trees of all its paths."""
    assume(not graph.is_row or graph.weights is not None)
    schema, grammar = schemata.load(name), grammar_of(rules)
    chart = schema.run(graph, grammar)
    counts = {path: inside(rules, graph.sentence_of(path).words) for path in graph.paths()}
    trees = sum(n for n, _ in counts.values())
    assert chart.accepted == bool(trees)
    assert chart.forest().derivation_count == trees
    assert chart.total("real") == pytest.approx(
        sum(weight * math.exp(graph.weight_of(path)) for path, (_, weight) in counts.items())
    )
    shown = [(one.path, one.structure) for one in chart.forest().structures(None)]
    alone = [
        (path, tree)
        for path in counts
        for tree in schema.run(graph.sentence_of(path), grammar).forest().structures(None)
    ]
    assert sorted(shown) == sorted(alone)
    by_path = {path: sum(one[0] == path for one in shown) for path in counts}
    assert all(found <= counts[path][0] for path, found in by_path.items())
    assert sum(math.exp(one.weight) for one in chart.k_best(None)) == pytest.approx(chart.total("real"))


@AMBIGUOUS
@pytest.mark.parametrize("name", EARLEY)
@settings(max_examples=60, deadline=None)
@given(rules=grammars(empty=True), graph=graphs())
@pytest.mark.thorough
def test_earley_with_empty_rules(name: str, rules: list[Rule], graph: WordGraph) -> None:
    check(name, rules, graph)


@AMBIGUOUS
def test_endless_derivations_have_their_sum() -> None:
    """Empty constituents beside others, over and over: sums are those of the paths, whatever follows on these."""
    grammar = ContextFreeGrammar.from_text(
        'S -> S S [.2]\nS -> "a" [.5]\nS -> "b" [.1]\nS -> ε [.2]\n', "endless.cfg"
    )
    arcs = [
        ("0", "1", "a", -0.5),
        ("1", "2", "b", 0.0),
        ("1", "2", "a", -1.0),
        ("0", "2", "b", 0.0),
        ("2", "3", "a", 0.0),
    ]
    graph = WordGraph.of_arcs([Arc(i, j, word, weight=w) for i, j, word, w in arcs], {"2": -0.25, "3": 0.0})
    schema = schemata.load("earley")
    totals = [
        schema.run(graph.sentence_of(path), grammar).total("real") * math.exp(graph.weight_of(path))
        for path in graph.paths()
    ]
    assert len(totals) == 6
    assert schema.run(graph, grammar).total("real") == pytest.approx(sum(totals))


@AMBIGUOUS
@pytest.mark.parametrize("name", CORNER)
@settings(max_examples=40, deadline=None)
@given(rules=grammars(empty=False), graph=graphs())
@pytest.mark.thorough
def test_left_corners(name: str, rules: list[Rule], graph: WordGraph) -> None:
    check(name, rules, graph)


EARLEY_TEXT = schemata.load("earley").definition.source.text


@pytest.mark.parametrize(
    ("written", "instead", "why"),
    [
        ("given edge[_(*_ . B *_), _, j]\n", "given edge[_(*_ . B *_), i, j]\n", None),
        ("given edge[_(*_ . B *_), _, j]\n", "given edge[_(B . B *_), _, j]\n", "may be on another path"),
        ("given edge[_(*_ . B *_), _, j]\n", "given edge[_(*_ . C *_), _, j]\n", "may be on another path"),
        (
            "edge[B(*_ .), j + 1, k]\n",
            "edge[_(*_ .), j + 1, k]\n",
            "does not append what step Predictor predicts",
        ),
        ("  edge[A(*alpha B . *beta), i, k]\n", "  edge[B(*alpha B . *beta), i, k]\n", "does not append"),
    ],
)
def test_more_than_a_prediction(written: str, instead: str, why: str | None) -> None:
    """What looks at items and is not sure to find them on the same path is refused."""
    assert EARLEY_TEXT.count(written) == 1
    schema = schemata.schema(EARLEY_TEXT.replace(written, instead))
    if why is None:
        assert schema.reads_word_graphs
        return
    with pytest.raises(UsageError) as refused:
        schema.on_word_graphs  # noqa: B018
    assert why in str(refused.value)


OUTSIDE = """schema outside
  grammar d-rules
hypothesis word[i]  where 0 <= i <= n
item tree[i: position, j: position]
  where 0 <= i <= j <= n
item below[h: position, i: position, j: position]
  where 0 <= h < i <= j <= n
step Begin
  word[i]
  ----------
  tree[i, i]
step Guess
  tree[i, j]
  --------------  attach i to h, h < i
  below[h, i, j]
step Join
  {left}   below[h, k + 1, j]
  -------------------------------
  tree[i, j]
final tree[0, n]
"""


@pytest.mark.parametrize(("left", "reads"), [("tree[h, k]", True), ("tree[i, k]", False)])
def test_words_outside_of_items_are_covered_by_others(left: str, reads: bool) -> None:
    """A head that is guessed is a word of the other part, or the schema is refused: it might be on another path."""
    text = OUTSIDE.format(left=left).replace("  tree[i, j]\nfinal", f"  tree[{left[5]}, j]\nfinal")
    schema = schemata.schema(text)
    assert schema.reads_word_graphs == reads
    if reads:
        arcs = [
            ("0", "1", "a"),
            ("1", "2", "b"),
            ("1", "2", "c"),
            ("0", "2", "b"),
            ("2", "3", "a"),
            ("1", "3", "a"),
        ]
        graph = WordGraph.of_arcs([Arc(*arc) for arc in arcs], {"2": 0.0, "3": 0.0})
        paths = [schema.run(graph.sentence_of(path), schemata.DRules.all()) for path in graph.paths()]
        counts = [int(chart.forest().derivation_count) for chart in paths]
        assert int(schema.run(graph, schemata.DRules.all()).forest().derivation_count) == sum(counts)
        assert sum(map(bool, counts)) > 3
