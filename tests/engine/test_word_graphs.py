"""Runs on word graphs derive what runs on the sentences of all paths derive together; what may not is refused."""

import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import schemata
from schemata import ContextFreeGrammar, DependencyRules, DRules, WordGraph
from schemata.analysis.weighed import why_not_best
from schemata.charts import Item
from schemata.errors import GrammarError, UsageError
from schemata.language.shipped import shipped_schemata
from schemata.structures.word_graphs import Arc, OnPath, graph_of_text
from tests.support.commands import Cli

CFG = ContextFreeGrammar.from_text(
    "S -> A B\nS -> B S\nA -> A A\nB -> A S\na : A\na : B\nb : B\nc : A\nc : S\n", "random.cfg"
)
RULES = DependencyRules.from_text(
    "root S\nroot A\nS(A * B)\nS(*)\nA(*)\nA(* A)\nB(A *)\na : A\nb : B\nb : S\nc : S\n"
)


def readable() -> list[str]:
    """Return the shipped schemata that read word graphs and whose grammars are here."""
    names = [name for name in shipped_schemata() if schemata.load(name).reads_word_graphs]
    return [name for name in names if schemata.load(name).definition.grammar in GRAMMARS]


GRAMMARS = {"d-rules": DRules.all(), "context-free": CFG, "dependency-rules": RULES}
READABLE = readable()
BEFORE_FIRST = {  # whose items have the word before their first on a graph
    *("earley", "bottom-up-earley", "left-corner", "bottom-up-left-corner"),
    *("lombardo-lesmo1996", "barbero1998"),
}


def random_graph(rng: random.Random) -> WordGraph:
    """Return a graph with a path of two to four words, and one to four other words beside it."""
    n = rng.randint(2, 4)
    arcs = [Arc(str(i), str(i + 1), rng.choice("ab")) for i in range(n)]
    for _ in range(rng.randint(1, 4)):
        i = rng.randrange(n)
        arcs.append(Arc(str(i), str(rng.randint(i + 1, n)), rng.choice("abc")))
    return WordGraph.of_arcs(arcs, {str(n): 0.0, str(rng.randint(1, n)): 0.0})


def test_enough_schemata_read_graphs() -> None:
    assert {"cyk", "eisner1996", "eisner-split", "arc-standard", "collins1996", "dvh1"} <= set(READABLE)
    assert len(READABLE) > 18


@pytest.mark.parametrize("name", READABLE)
def test_a_run_is_the_union_over_paths(name: str) -> None:
    schema = schemata.load(name)
    grammar = GRAMMARS[schema.definition.grammar]
    total = several = 0
    for seed in range(6):
        graph = random_graph(random.Random(f"{name} {seed}"))
        forest = schema.run(graph, grammar, engine="python").forest()
        found = forest.structures(None)
        expected, derivations = [], 0
        for path in graph.paths():
            own = schema.run(graph.sentence_of(path), grammar, engine="python").forest()
            derivations += int(own.derivation_count)
            expected += [(path, structure) for structure in own.structures(None)]
        assert forest.derivation_count == derivations, (graph, seed)
        assert all(isinstance(one, OnPath) for one in found)
        shown = [(one.path, one.structure) for one in found]
        # A tree of one word that no step links says nothing of the path.
        assert [x for x in shown if len(x[0]) > 1] == sorted(x for x in expected if len(x[0]) > 1)
        total += derivations
        several += graph.path_count > 1
    assert several == 6
    assert total > 0


@pytest.mark.parametrize(
    "name", ["cyk", "earley", "eisner1996", "arc-standard", "hybrid", "koo-collins2010-model1"]
)
def test_native_code_derives_the_same(name: str) -> None:
    pytest.importorskip("llvmlite")
    schema = schemata.load(name)
    grammar = GRAMMARS[schema.definition.grammar]
    for seed in range(8):
        graph = random_graph(random.Random(seed))
        python, native = (schema.run(graph, grammar, engine=engine) for engine in ("python", "native"))
        assert (set(python.items), python.step_count) == (set(native.items), native.step_count)
        assert python.forest().derivation_count == native.forest().derivation_count


@pytest.mark.parametrize("name", READABLE)
def test_a_graph_of_one_path_read_as_a_graph(name: str) -> None:
    """The schema that reads graphs has the same items on a row of words, final ones apart."""
    schema = schemata.load(name)
    grammar = GRAMMARS[schema.definition.grammar]
    graph = WordGraph.of_sentence(schemata.Sentence.of("a b a c"))
    from schemata.grammars.relations import knowing_graph

    plain = schema.run(graph.sentence, grammar, engine="python")
    provided = knowing_graph(grammar.for_sentence(graph.sentence), graph)
    read = schema.on_word_graphs.engines.run(graph.sentence, provided, None, "python")
    axioms = read.steps_by_name.get("hypothesis", 0)  # hypotheses that may be derived, too, are steps
    assert read.step_count == plain.step_count + axioms
    items = [*plain.items, *(plain.hypotheses if axioms else ())]
    assert shown(read.items, 0) == shown(items, int(name in BEFORE_FIRST))
    assert shown(read.final_items, 0) == shown(plain.final_items, int(name in BEFORE_FIRST))


def shown(items: Iterable[Item], less: int) -> set[tuple[object, ...]]:
    """Return items by their values, a number less in the second field, the first position."""
    return {(x.form, *(value - less if k == 1 else value for k, value in enumerate(x.values))) for x in items}


def test_any_schema_takes_a_graph_of_one_path() -> None:
    graph = WordGraph.of_sentence(schemata.Sentence.of("a b"))
    chart = schemata.load("nivre2003").run(graph, DRules.all())
    assert chart.items == schemata.load("nivre2003").run("a b", DRules.all()).items


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("nivre2003", "which is more than one position"),
        ("eisner-lg", "whether a word stands right after i is asked, but no part adjoins it"),
        ("kahane1998", "counts words"),
        ("vine", "count words: j - i <= 3"),
        ("arc-eager", "step sh: it looks at an item that may be on another path"),
        ("edit-distance", "reads several inputs"),
        ("noncrossing", "a dependency graph does not say over which path it is"),
    ],
)
def test_refusals(name: str, why: str) -> None:
    graph = WordGraph.of_arcs([Arc("0", "1", "a"), Arc("0", "1", "b"), Arc("1", "2", "a")])
    with pytest.raises(UsageError) as refused:
        schemata.load(name).on_word_graphs.run(graph)
    assert refused.value.diagnostics[0].code == "no-word-graph"
    assert why in str(refused.value)


STEPS = """schema apart
  grammar d-rules
hypothesis word[i]  where 0 <= i <= n + 1
item span[i: position, j: position]
  where 0 <= i <= j <= n
step Begin
  word[i]
  ----------
  span[i, i]
step Join
  span[i, j]   span[{k}, l]
  ------------------------  {test}
  span[i, l]
final span[{first}, n]
"""


@pytest.mark.parametrize(
    ("k", "test", "first", "why"),
    [
        ("j + 1", "", "1", ""),
        ("j + 1", "", "0", ""),
        ("j + 1", "i < l", "1", ""),
        ("k", "j < k", "1", "do not adjoin in a row"),
        ("j + 1", "i + 1 < l", "1", "counts words"),
        ("j + 1", "l < n", "1", "counts words"),
        ("j + 2", "", "1", "more than a word and its neighbour"),
        ("j + 1", "", "2", "neither the beginning nor the first word"),
        ("j + 1", "i + 1 == l", "1", "asked, but no part adjoins it"),
    ],
)
def test_conditions(k: str, test: str, first: str, why: str) -> None:
    text = STEPS.format(k=k, test=test, first=first).replace("  \n", "\n")
    schema = schemata.schema(text)
    if not why:
        assert schema.reads_word_graphs
        graph = random_graph(random.Random(1))
        derived = sum(
            int(schema.run(graph.sentence_of(path), DRules.all()).forest().derivation_count)
            for path in graph.paths()
        )
        assert schema.run(graph, DRules.all()).forest().derivation_count == derived > 1
    else:
        with pytest.raises(UsageError, match="cannot be run on a word graph") as refused:
            schema.on_word_graphs  # noqa: B018
        assert why in str(refused.value)


TEXT = "0 1 I'm  # a comment\n0 2 I\n2 1 'm\n1 3 in\n1 3 out\n# and one more\n3\n"


def test_files(tmp_path: Path) -> None:
    file = tmp_path / "im.lattice"
    file.write_text(TEXT, encoding="utf-8")
    graph = WordGraph.read(file)
    found = {" ".join(graph.sentence_of(path).words) for path in graph.paths()}
    assert found == {"I'm in", "I'm out", "I 'm in", "I 'm out"}
    assert graph.path_count == 4
    assert all(graph.is_path(path) for path in graph.paths())
    assert not graph.is_path((1, 2))
    tagged = graph_of_text("0 1 the/D\n1 2 cat/N\n1 2 cats/N\n", tagged=True)
    assert (tagged.words, tagged.tags) == (("the", "cat", "cats"), ("D", "N", "N"))
    unended = graph_of_text("a b x\nb c y\na d z\n")
    assert [unended.sentence_of(path).words for path in unended.paths()] in (
        [("x", "y"), ("z",)],
        [("z",), ("x", "y")],
    )


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "the word graph is empty"),
        ("0 1\n", 1, "the word graph is empty"),
        ("0 1 a\n1 2 b x\n", 2, "x is not a cost"),
        ("0 1 a\n1 2 b inf\n2\n", 2, "inf is not a cost"),
        ("0 1 a\n1 nan\n", 2, "nan is not a cost"),
        ("0 1 <eps>\n", 1, "<eps> is not a word"),
        ("0 1 a\n1 0 b\n", 1, "circle"),
        ("0 1 a\n2 3 b\n", 1, "the word b from 2 to 3 is on no path"),
        ("0 1 a\n1 2 b\n0 3 c\n2\n", 1, "the word c from 0 to 3 is on no path"),
        ("0 1 a\n1\n0 1 x y z w\n", 3, "a line of 6 columns"),
    ],
)
def test_mistakes_in_files(text: str, line: int, message: str) -> None:
    with pytest.raises(GrammarError) as caught:
        graph_of_text(text, "some.lattice")
    (problem,) = caught.value.diagnostics
    assert problem.location is not None
    assert (problem.location.file, problem.location.line) == ("some.lattice", line)
    assert message in problem.message


def test_a_graph_that_is_none() -> None:
    with pytest.raises(UsageError, match="smaller numbers"):
        WordGraph(("a", "b"), ((0, 2), (2, 1), (1, 3)))
    with pytest.raises(UsageError, match="is on no path"):
        WordGraph(("a", "b"), ((0, 1), (1, 3)))


AMBIGUOUS = pytest.mark.filterwarnings("ignore::schemata.errors.AmbiguityWarning")
WEIGHTED_CFG = ContextFreeGrammar.from_text(
    "S -> A B [.5]\nS -> B S [.5]\nA -> A A [.3]\nB -> A S [.8]\n"
    'A -> "a" [.4]\nB -> "a" [.2]\nB -> "b" [.6]\nA -> "c" [.3]\nS -> "c" [.7]\n',
    "weighted.cfg",
)


def link_scores(n: int, rng: random.Random) -> np.ndarray:
    """Return random scores, [head, dependent]; those of roots are all the same."""
    matrix = np.array([[rng.uniform(-1, 1) for _ in range(n + 1)] for _ in range(n + 1)])
    matrix[0] = 0.25
    return matrix


@AMBIGUOUS
@pytest.mark.parametrize("engine", ["python", "auto"])
@pytest.mark.parametrize("name", READABLE)
@pytest.mark.rotated(4, 2)
def test_what_derivations_weigh_is_that_of_all_paths(name: str, engine: Literal["python", "auto"]) -> None:
    """Sums are sums over paths, the best structures those of all paths in a row, by rules and by scores of links."""
    schema = schemata.load(name)
    of_rules = schema.definition.grammar == "context-free"
    grammar = WEIGHTED_CFG if of_rules else GRAMMARS[schema.definition.grammar]
    accepted = 0
    for seed in range(4):
        rng = random.Random(f"{name} {seed} of weights")
        graph = random_graph(rng)
        matrix = link_scores(len(graph), rng)
        weights = schemata.ArcScores(matrix) if schema.definition.builds_links else None
        chart = schema.run(graph, grammar, weights=weights, engine=engine)
        totals, found = [], []
        for path in graph.paths():
            places = [0, *path]
            own = None if weights is None else schemata.ArcScores(matrix[np.ix_(places, places)])
            sentence = graph.sentence_of(path)
            alone = schema.run(sentence, grammar, weights=own, engine="python")
            totals.append(alone.total("real"))
            found += [(path, one) for one in alone.k_best(None)] if len(path) > 1 else []
        assert chart.total("real") == pytest.approx(sum(totals))
        accepted += chart.accepted
        best = [one for one in chart.k_best(None) if len(one.structure.path) > 1]
        assert [one.weight for one in best] == pytest.approx(
            sorted((one.weight for _, one in found), reverse=True)
        )
        expected = {(path, one.structure): one.weight for path, one in found}
        assert {(x.structure.path, x.structure.structure): x.weight for x in best} == pytest.approx(expected)
        assert all(chart.weight_of(one.structure) == pytest.approx(one.weight) for one in best[:5])
        samples = chart.sample(5, distinct=True)
        assert {one.structure for one in samples} <= {one.structure for one in chart.k_best(None)}
    assert accepted


@AMBIGUOUS
def test_marginals_are_shares_of_paths() -> None:
    """The root is linked by a step: each word on a path has one head, so its marginals sum to the path's share."""
    schema = schemata.load("eisner1996-once")
    for seed in range(4):
        rng = random.Random(seed)
        graph = random_graph(rng)
        matrix = link_scores(len(graph), rng)
        chart = schema.run(graph, weights=schemata.ArcScores(matrix))
        of_word: dict[int, float] = {}
        for (dependent, _), share in chart.marginals().items():
            of_word[dependent] = of_word.get(dependent, 0.0) + share
        total, shares = chart.total("real"), dict.fromkeys(range(1, len(graph) + 1), 0.0)
        for path in graph.paths():
            places = [0, *path]
            own = schemata.ArcScores(matrix[np.ix_(places, places)])
            one = schema.run(graph.sentence_of(path), weights=own).total("real")
            for word in path:
                shares[word] += one / total
        assert of_word == pytest.approx(shares)


def with_weights(graph: WordGraph, rng: random.Random) -> WordGraph:
    """Return a graph with random weights: of words, and of ends."""
    own = [rng.uniform(-2, 1) for _ in graph.words]
    end = len(graph) + 1
    weights = tuple(own[j - 1] if j < end else rng.uniform(-1, 0) for _, j in graph.follows)
    return WordGraph(graph.words, graph.follows, weights=weights)


@AMBIGUOUS
@pytest.mark.parametrize("engine", ["python", "auto"])
@pytest.mark.parametrize("name", READABLE)
@pytest.mark.rotated(4, 2)
def test_weights_of_words_weigh_each_path_once(name: str, engine: Literal["python", "auto"]) -> None:
    """Sums are those of the sentences of all paths times what the words of these weigh; with a single path, too."""
    schema = schemata.load(name)
    of_rules = schema.definition.grammar == "context-free"
    grammar = WEIGHTED_CFG if of_rules else GRAMMARS[schema.definition.grammar]
    accepted = 0
    for seed in range(5):
        rng = random.Random(f"{name} {seed} of words")
        plain = random_graph(rng) if seed else WordGraph.of_sentence(schemata.Sentence.of("a b a"))
        graph = with_weights(plain, rng)
        chart = schema.run(graph, grammar, engine=engine)
        found, total = [], 0.0
        for path in graph.paths():
            alone, of_path = (
                schema.run(graph.sentence_of(path), grammar, engine="python"),
                graph.weight_of(path),
            )
            total += alone.total("real") * np.exp(of_path)
            found += [one.weight + of_path for one in alone.k_best(None)] if len(path) > 1 else []
        assert chart.total("real") == pytest.approx(total)
        best = [one for one in chart.k_best(None) if len(one.structure.path) > 1]
        assert [one.weight for one in best] == pytest.approx(sorted(found, reverse=True))
        assert chart.forest().derivation_count == schema.run(plain, grammar).forest().derivation_count
        accepted += chart.accepted
    assert accepted


def test_files_with_costs() -> None:
    """As in OpenFst, costs are negative logarithms, of words and of final states."""
    graph = graph_of_text("0 1 a .5\n0 1 b 1 # less\n1 2 a\n1 .25\n2 2\n")
    weights = {graph.sentence_of(path).words: graph.weight_of(path) for path in graph.paths()}
    assert weights == {("a",): -0.75, ("b",): -1.25, ("a", "a"): -2.5, ("b", "a"): -3.0}
    assert graph_of_text("0 1 a 0\n1 0\n").weights is None
    with pytest.raises(UsageError, match="1 weights for 2 pairs"):
        WordGraph(("a",), ((0, 1), (1, 2)), weights=(0.5,))


def test_the_first_word_is_weighed_once() -> None:
    text = STEPS.format(k="j + 1", test="", first="1").replace("  \n", "\n")
    schema = schemata.schema(
        text.replace("  word[i]\n  ---", "  word[1]\n  ---").replace("span[i, i]", "span[1, 1]")
    )
    graph = graph_of_text("0 1 a\n0 1 b\n")
    assert schema.run(graph, DRules.all()).accepted
    with pytest.raises(UsageError, match="step Begin asks for the first or last word"):
        schema.run(with_weights(graph, random.Random(1)), DRules.all())


@AMBIGUOUS
def test_roots_of_paths_are_unknown() -> None:
    """Where no step links the root, and links to 0 have several scores, no sum is given; nor marginals of links."""
    graph = graph_of_text("0 1 a\n1 2 b\n0 2 c\n2 3 a\n")
    names = [name for name in READABLE if schemata.load(name).definition.builds_links]
    unlinked = 0
    for name in names:
        schema = schemata.load(name)
        grammar = GRAMMARS[schema.definition.grammar]
        chart = schema.run(
            graph, grammar, weights=schemata.ArcScores(np.diag(np.arange(5.0)) + np.arange(5.0))
        )
        if -1 in schema.run(graph, grammar).weighing.weighted.roots:
            unlinked += 1
            with pytest.raises(UsageError, match="scores of their roots are not known"):
                chart.total("log")
            with pytest.raises(UsageError, match="paths have different words"):
                schema.run(graph, grammar).marginals()
            assert schema.run(graph, grammar).marginals(distinct=True)
        with pytest.raises(UsageError, match="heads are those of one sentence"):
            why_not_best(schema.run(graph, grammar), [2, 0, 2, 2])
    assert unlinked > 1


def test_commands_on_word_graphs(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "g.lattice").write_text("0 1 the\n1 2 black\n2 3 cat\n1 3 dog\n3 4 slept\n")
    where = ("--lattice", str(tmp_path / "g.lattice"))
    proof = cli("explain", "eisner1996", *where, "span[0, 5, false, true]")
    assert proof.code == 0
    assert "1 (the) follows 0 (root) in the word graph" in proof.out
    assert cli("why-not", "eisner1996", *where, "span[1, 4, true, true]").code == 1
    assert cli("why-not", "eisner1996", *where).code == 0
    assert cli("why-not", "eisner1996", *where, "--heads", "2,0").code == 2
    run = cli("run", "eisner1996-once", *where, "--total", "real", "--best", "2", "--json")
    answer = json.loads(run.out)
    assert answer["totals"]["real"] == answer["derivations"] == 67
    assert [len(one["heads"]) == len(one["path"]) for one in answer["best"]] == [True, True]
    drawn = cli("run", "eisner1996-once", *where, "--best", "1", "--marginals", "--limit", "0")
    title = "best 1: weight 0: "
    assert title + "the black cat slept" in drawn.out or title + "the dog slept" in drawn.out


@pytest.mark.parametrize(
    "wrong", [("1", "2"), ("1", "2", "b", None, 0, 0.0, 7), ("1", "2", "b", 0.5), ("1", "2", 3), "12b", None,
              ("1", "2", "b", None, 0, float("nan")), ("1", "2", "b", None, 0, "1")],
)  # fmt: skip
def test_what_is_no_arc_is_named(wrong: Any) -> None:
    with pytest.raises(UsageError) as refused:
        WordGraph.of_arcs([("0", "1", "a"), wrong])
    assert refused.value.diagnostics[0].message == f"arc 2 of the word graph is not an arc: {wrong!r}"
