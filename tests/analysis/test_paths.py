"""Runs on the paths of a word graph one by one: sums, best structures and samples against lists of all trees."""

import json
import math
from collections import Counter

import numpy as np
import pytest

import schemata
from schemata import ArcScores, BudgetExceeded, DRules, WordGraph, run_paths
from schemata.analysis.figures import run_result
from schemata.errors import UsageError
from schemata.grammars.drules import ANY, DRule, DRuleSet
from schemata.language.shipped import shipped_schemata
from schemata.structures.word_graphs import Arc
from schemata.weights.scores import parse_weights
from tests.oracle.trees import projective_forests
from tests.support.commands import Cli, Written

ARCS = [
    Arc("0", "1", "a", weight=-0.5),
    Arc("1", "2", "b"),
    Arc("2", "3", "c", weight=-0.25),
    Arc("1", "3", "d", weight=0.5),
    Arc("0", "3", "e", weight=-1.0),
]
GRAPH = WordGraph.of_arcs(ARCS, {"3": -0.125})  # paths a b c, a d, e
PATHS = {("a", "b", "c"): -0.875, ("a", "d"): -0.125, ("e",): -1.125}
Weighed = dict[tuple[tuple[int, ...], tuple[int, ...]], float]


def scores(graph: WordGraph, seed: int = 1) -> np.ndarray:
    n = len(graph)
    return np.random.default_rng(seed).normal(size=(n + 1, n + 1))


def forests(graph: WordGraph, matrix: np.ndarray) -> Weighed:
    """Return all projective forests under 0 over all paths with their weights, by path and heads."""
    return {
        (path, heads): graph.weight_of(path)
        + sum(matrix[(0, *path)[h], path[d]] for d, h in enumerate(heads))
        for path in graph.paths()
        for heads in projective_forests(len(path))
    }


def log_sum(values: list[float]) -> float:
    return math.log(math.fsum(map(math.exp, values)))


def test_weights_of_paths() -> None:
    found = {GRAPH.sentence_of(path).words: GRAPH.weight_of(path) for path in GRAPH.paths()}
    assert found == pytest.approx(PATHS)


@pytest.mark.parametrize("name", ["nivre2003", "vine", "eisner1996"])
def test_every_answer_against_a_list_of_all_forests(name: str) -> None:
    """Stacks, word counts, and a schema that reads graphs at once."""
    matrix = scores(GRAPH)
    runs = run_paths(name, GRAPH, weights=ArcScores(matrix))
    every = forests(GRAPH, matrix)
    best = sorted(every, key=every.__getitem__, reverse=True)
    found = runs.k_best(len(every) + 5)
    shown = [(one.structure.path, one.structure.structure.heads) for one in found]  # type: ignore[union-attr]
    assert shown == best
    assert [one.weight for one in found] == pytest.approx([every[key] for key in best])
    top = runs.best()
    assert top is not None
    assert top.weight == pytest.approx(every[best[0]])
    assert runs.total("log", distinct=True) == pytest.approx(log_sum(list(every.values())))
    assert runs.total("viterbi") == pytest.approx(every[best[0]])
    assert runs.total("count", distinct=True) == len(every) == run_result(runs).count.exact  # type: ignore[union-attr]
    shares: Counter[tuple[int, int]] = Counter()
    for (path, heads), weight in every.items():
        share = math.exp(weight - log_sum(list(every.values())))
        for d, h in enumerate(heads):
            shares[path[d], (0, *path)[h]] += share  # type: ignore[assignment]
    assert runs.marginals(distinct=True) == pytest.approx(dict(shares))


def test_samples_follow_weights() -> None:
    matrix = scores(GRAPH, 2)
    every = forests(GRAPH, matrix)
    whole = log_sum(list(every.values()))
    runs = run_paths("nivre2003", GRAPH, weights=ArcScores(matrix))
    drawn = runs.sample(4_000, seed=5, distinct=True)
    counts = Counter((one.structure.path, one.structure.structure.heads) for one in drawn)  # type: ignore[union-attr]
    for key, weight in every.items():
        share = math.exp(weight - whole)
        assert abs(counts[key] / 4_000 - share) < 4 * math.sqrt(share / 4_000) + 1e-3
    assert counts.total() == sum(counts[key] for key in every)


def derivations(name: str, graph: WordGraph, grammar: object) -> tuple[int, list[object]]:
    schema = schemata.load(name)
    count, listed = 0, []
    for path in graph.paths():
        forest = schema.run(graph.sentence_of(path), grammar, engine="python").forest()  # type: ignore[arg-type]
        count += forest.derivation_count  # type: ignore[assignment]
        listed += [(path, one) for one in forest.structures(None)]
    return count, listed


OVER_D_RULES = [
    name
    for name in shipped_schemata()
    if schemata.load(name).definition.grammar == "d-rules" and not schemata.load(name).definition.reads_inputs
]


@pytest.mark.thorough
def test_any_schema_over_d_rules_runs() -> None:
    refused = 0
    for name in OVER_D_RULES:
        schema = schemata.load(name)
        runs = run_paths(schema, GRAPH, engine="python")
        result = run_result(runs, limit=None)
        count, listed = derivations(name, GRAPH, DRules.all())
        assert result.derivations == count, name
        assert [(one.path, one.structure) for one in result.structures] == listed, name
        refused += not schema.reads_word_graphs
    assert refused > 20


@pytest.mark.filterwarnings("ignore::schemata.errors.AmbiguityWarning")
def test_schemata_that_read_graphs_say_the_same_in_both_ways() -> None:
    matrix = scores(GRAPH, 3)
    schema = schemata.load("eisner1996")
    at_once, one_by_one = schema.run(GRAPH, weights=matrix), run_paths(schema, GRAPH, weights=matrix)
    for semiring in ("log", "real", "viterbi", "count", "best:4"):
        assert one_by_one.total(semiring) == pytest.approx(at_once.total(semiring)), semiring
    assert one_by_one.marginals() == pytest.approx(at_once.marginals())
    assert [(x.structure, x.weight) for x in one_by_one.k_best(9)] == [
        (x.structure, pytest.approx(x.weight)) for x in at_once.k_best(9)
    ]


def test_several_inputs() -> None:
    """A word ||| stands between the inputs; costs of edits are those of the cheapest path."""
    arcs = [
        ("0", "1", "a"),
        ("1", "2", "b"),
        ("1", "2", "c"),
        ("2", "3", "|||"),
        ("3", "4", "a"),
        ("4", "5", "c"),
    ]
    graph = WordGraph.of_arcs([Arc(*arc) for arc in arcs])
    schema = schemata.load("edit-distance")
    runs = run_paths(schema, graph)
    own = [schema.run(text) for text in ("a b ||| a c", "a c ||| a c")]
    assert runs.total("count") == sum(one.total("count") for one in own)
    best = runs.best()
    assert best is not None
    assert best.weight == max(one.best().weight for one in own)  # type: ignore[union-attr]
    assert [run.path for run in runs.runs] == [(1, 2, 5, 6), (1, 3, 5, 6)]


def test_equal_sentences_share_a_chart_and_count_as_paths() -> None:
    graph = WordGraph.of_arcs(
        [Arc("0", "1", "a"), Arc("1", "3", "b"), Arc("0", "2", "a"), Arc("2", "3", "b")]
    )
    runs = run_paths("nivre2003", graph)
    assert len(runs.charts) == 1
    assert runs.accepted_count == 2
    assert runs.total("count") == 2 * len(projective_forests(2))
    assert runs.item_count == 2 * runs.charts[0].item_count


def test_rules_that_count_words_are_refused_at_once() -> None:
    """Words at a distance of one on a path may be far apart in the graph, and the other way round."""
    rules = DRules.from_rules(DRuleSet((DRule(ANY, ANY, "either", 1),), (ANY,)))
    near = sum(
        all(h in (0, d, d + 2) for d, h in enumerate(heads))
        for path in GRAPH.paths()
        for heads in projective_forests(len(path))
    )
    result = run_result(run_paths("eisner1996", GRAPH, rules))
    assert result.count is not None
    assert result.count.exact == near
    with pytest.raises(UsageError, match="count words"):
        schemata.load("eisner1996").run(GRAPH, rules)
    wide = DRules.from_rules(DRuleSet((DRule(ANY, ANY),), (ANY,)))
    assert schemata.load("eisner1996").run(GRAPH, wide).accepted


def test_features_look_at_the_neighbours_on_a_path() -> None:
    """In the graph d stands two positions from a, on its path it is the next word."""
    weights = parse_weights(
        "feature R-Link where distance i j is 1 [log 2]\nfeature L-Link where distance i j is 1 [log 2]"
    )
    best = run_paths("eisner1996", GRAPH, weights=weights).best()
    expected = max(
        GRAPH.weight_of(path) + 2 * sum(abs(h - d) == 1 for d, h in enumerate(heads, start=1))
        for path in GRAPH.paths()
        for heads in projective_forests(len(path))
    )
    assert best is not None
    assert best.weight == pytest.approx(expected)
    with pytest.raises(UsageError, match="features look at words beside others"):
        schemata.load("eisner1996").run(GRAPH, weights=weights)


def test_what_is_by_position_is_refused() -> None:
    step = {"R-Link": np.zeros((6, 6))}
    for settings in ({"weights": step}, {"weights": parse_weights("step R-Link where i is 1 [0.5]")}):
        with pytest.raises(UsageError, match="weights of steps by positions are of one sentence"):
            run_paths("eisner1996", GRAPH, **settings)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="links of positions are of one sentence"):
        run_paths("eisner1996", GRAPH, DRules.from_pairs({(1, 0)}))
    free = parse_weights("step R-Link [log 1.5]")
    best = run_paths("eisner1996", GRAPH, weights=free).best()
    assert best is not None
    assert best.weight == pytest.approx(max(-0.875 + 2 * 1.5, -0.125 + 1.5))


def test_a_limit_leaves_what_was_not_run_unknown() -> None:
    with pytest.raises(BudgetExceeded) as stopped:
        run_paths("nivre2003", GRAPH, budget=schemata.Budget(steps=12), engine="python")
    runs = stopped.value.chart
    assert runs.stopped == "steps"
    with pytest.raises(UsageError, match="not all paths were run"):
        runs.total("log")
    assert run_result(runs).derivations is None


def test_the_command_runs_what_reads_no_graphs_path_by_path(cli: Cli, written: Written) -> None:
    file = written("x.lattice", "0 1 a .5\n1 2 b\n0 2 c .25\n2\n")
    shown = cli(
        f"run nivre2003 --lattice {file} --limit 1 --best 1 --weights {written('x.scores', 'otherwise [0.5]')}"
    )
    assert "3 words in 2 paths, run one by one (2 accepted): accepted" in shown.out
    assert f"best 1: weight {math.log(0.5) - 0.25:.6g}: c" in shown.out
    found = json.loads(cli(f"run nivre2003 --lattice {file} --total count --json").out)
    assert (found["derivations"], found["totals"]["count"]) == (4, 4)
    assert found["paths"] == [[1, 3]] * 3 + [[2]]
    assert [row["sentence"] for row in found["by_path"]] == [["a", "b"], ["c"]]
    ways = ("--limit 1", "--each-path")
    both = [
        json.loads(cli(f"run eisner1996 --lattice {file} {way} --total count --json").out) for way in ways
    ]
    assert both[0]["totals"] == both[1]["totals"]
    assert "by_path" not in both[0]
    refused = cli(f"run nivre2003 --lattice {file} --trace")
    assert refused.code == 2
    assert "--trace is about one chart" in refused.err


def test_commands_about_items_answer_on_a_path_that_has_the_item(cli: Cli, written: Written) -> None:
    """By hand: over `a b` words are 1 and 2, over `c` there is one; state[i, ...] has read the words before i."""
    file = written("x.lattice", "0 1 c\n0 2 a\n2 1 b\n1\n")
    rules = written("x.drules", 'root "c"\nroot "b"\nhead "b" takes "a" on the left\n')
    both = {"state[3, <(0, false), (2, true)>]": "a b", "state[2, <(0, false), (1, true)>]": "c"}
    for item, words in both.items():
        told = cli("explain", "nivre2003", "--lattice", str(file), item, "--grammar", str(rules), "--json")
        assert (told.code, json.loads(told.out)["sentence"]) == (0, words.split())
        assert f"of 2 paths, the answer is about '{words}'" in told.err
        asked = cli("why-not", "nivre2003", "--lattice", str(file), item, "--grammar", str(rules))
        assert asked.code == 0
    missing = cli("why-not", "nivre2003", "--lattice", str(file), "state[2, <(0, false), (2, false)>]")
    assert missing.code == 1
    assert "'a b'" in missing.err  # the only path with a word 2
    beyond = cli("explain", "nivre2003", "--lattice", str(file), "nosuch[1]")
    assert beyond.code == 2
    assert "no item form nosuch" in beyond.err
    at_once = cli("explain", "eisner1996", "--lattice", str(file), "span[0, 1, false, true]")
    assert (at_once.code, at_once.err) == (0, "")
