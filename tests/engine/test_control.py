"""Strategies: against exhaustive runs, against all trees, and against a plain greedy parser and beam."""

import json
import math
import random
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import schemata
from schemata.budget import Budget
from schemata.charts import Item
from schemata.engine.control import Control, Exploration
from schemata.engine.exceeded import BudgetExceeded
from schemata.errors import GrammarError, UsageError
from schemata.grammars.rule_files import parse_context_free
from schemata.structures import Sentence
from schemata.weights.scores import Weights
from tests.oracle import transitions
from tests.oracle.trees import projective, trees_under_zero
from tests.support.charts import shipped
from tests.support.commands import Cli

TABULAR = ("eisner1996", "arc-standard", "eisner-satta1999", "mh", "yamada-matsumoto2003")
ALL = (
    *TABULAR, "collins1996", "wg1", "covington-lsup", "nivre2003", "attardi2006", "koo-collins2010-model1", "hybrid",
    "swap-system", "dag-arc-eager-system", "covington2001", "kahane1998", "dvh1", "head-corner3",
)  # fmt: skip


@pytest.mark.parametrize("name", ALL)
def test_an_exploration_to_the_end_is_the_run(name: str) -> None:
    schema = shipped(name)
    grammar = None if schema.definition.grammar == "d-rules" else "heads:2,0,2"
    whole, found = (schema.run("a b c", grammar, control=c) for c in (None, "exhaustive"))
    assert [*map(str, found.items)] == [*map(str, whole.items)]
    assert found.steps_by_name == whole.steps_by_name
    assert found.final_items == whole.final_items
    assert found.forest().derivation_count == whole.forest().derivation_count


@pytest.mark.parametrize("sentence", ["the dog", "the dog saw the cat ||| the dog saw a cat"])
def test_other_grammars_and_inputs_are_explored_too(sentence: str) -> None:
    links = schemata.LinkGrammar.from_text("the: D+;\ndog: D- & {S-};\n", "two")
    name, grammar = ("edit-distance", None) if "|||" in sentence else ("eisner-lg", links)
    schema = shipped(name)
    whole, found = (schema.run(sentence, grammar, control=c) for c in (None, "exhaustive"))
    assert (found.item_count, found.step_count) == (whole.item_count, whole.step_count)
    assert found.forest().structures(50) == whole.forest().structures(50)


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(2, 4), st.sampled_from(TABULAR), st.booleans())
def test_what_is_proved_is_the_best_of_all_trees(seed: int, n: int, name: str, gains: bool) -> None:
    scores = np.random.default_rng(seed).normal(size=(n + 1, n + 1))
    scores = scores if gains else -abs(scores)
    trees = (tree for tree in trees_under_zero(n) if projective(tree))
    best = max(sum(scores[h, d] for d, h in enumerate(tree, start=1)) for tree in trees)
    for control in ("best-first", "astar", "exhaustive, order left-to-right", "beam 2"):
        chart = shipped(name).run("w " * n, weights=schemata.ArcScores(scores), control=control)
        found = chart.search
        kept = chart.best()
        assert found.weight == (None if kept is None else pytest.approx(kept.weight))
        assert found.weight is None or found.weight <= best + 1e-9
        assert found.proved or control == "beam 2" or (gains and control == "best-first")
        if found.proved:
            assert found.weight == pytest.approx(best)


def test_a_star_takes_fewer_items_than_best_first_and_best_first_fewer_than_all() -> None:
    weights = schemata.ArcScores(-abs(np.random.default_rng(1).normal(size=(7, 7))))
    schema = shipped("collins1996")
    runs = [schema.run("w " * 6, weights=weights, control=c) for c in ("astar", "best-first", None)]
    assert runs[0].item_count < runs[1].item_count < runs[2].item_count


def test_a_gain_is_no_proof() -> None:
    """Best first would stop at a final item although a step that it has not tried gains more."""
    scores = np.full((3, 3), -1.0)
    scores[0, 1], scores[1, 2] = -3.0, 9.0
    chart = shipped("collins1996").run("a b", weights=schemata.ArcScores(scores), control="best-first")
    assert not chart.search.proved


def test_heuristics_may_be_functions() -> None:
    def hope(item: Item) -> float:
        return 0.0

    weights = {"Shift": lambda j: -0.5 * j}
    schema = shipped("arc-standard-system")
    chart = schema.run("a b c", weights=weights, control=Control("astar", heuristic=hope))
    assert chart.search.weight == -1.5  # word 1 alone is shifted, three times
    assert not chart.search.proved  # nothing is known of the function


# Greedy and beam, against a plain parser --------------------------------------------------------------------


def score(seed: int, step: str, stack: tuple[int, ...], arcs: object) -> float:
    """Return a score that differs from configuration to configuration."""
    return random.Random(f"{seed} {step} {stack} {sorted(arcs)}").uniform(-2, 1)  # type: ignore[call-overload]


def plain_beam(system: str, n: int, width: int, seed: int) -> tuple[float, int, int]:
    """Return the best weight of a terminal configuration, and the numbers of configurations kept and looked at."""
    beam: dict[transitions.Config, float] = {transitions.initial(system, n, {}): 0.0}
    best, kept, seen = -math.inf, 0, 1
    done: set[transitions.Config] = set()
    while beam:
        chosen = sorted(beam, key=lambda c: -beam[c])[:width]
        done |= {*chosen}
        best = max([best, *(beam[c] for c in chosen if not c[1])])
        kept += len(chosen)
        after: dict[transitions.Config, float] = {}
        for c in chosen:
            for step, d in transitions.moves(system, c, {}):
                seen += 1
                weight = beam[c] + score(seed, step, c[0], c[2])
                assert d not in done
                after[d] = max(weight, after.get(d, -math.inf))
        beam = after
    return best, kept, seen


@settings(max_examples=20)
@given(
    st.integers(0, 10**6),
    st.sampled_from(["arc-standard-system", "arc-eager-system", "planar-system"]),
    st.sampled_from([1, 2, 5]),
)
def test_a_beam_keeps_what_a_plain_one_keeps(seed: int, system: str, width: int) -> None:
    schema, n = shipped(system), 4

    def of(step: str) -> object:
        if step == "Shift":
            return lambda S, A: score(seed, step, S, A)
        return lambda S, i, A: score(seed, step, (*S, i), A)

    weights = {step: of(step) for step in schema.definition.step_names if step != "Initial"}
    chart = schema.run("w " * n, weights=weights, control="greedy" if width == 1 else f"beam {width}")
    best, kept, seen = plain_beam(system, n, width, seed)
    found = chart.search
    assert found.weight == pytest.approx(best)
    assert (found.taken, found.tried) == (kept, seen)
    assert chart.item_count == kept
    assert found.proved == (not found.dropped)


def test_greedy_runs_of_n_words_take_at_most_2n_transitions() -> None:
    n = 40
    scores = np.random.default_rng(1).normal(size=(n + 1, n + 1))
    schema = shipped("arc-standard-system")
    chart = schema.run("w " * n, weights=schemata.ArcScores(scores), control="greedy")
    assert n <= chart.step_count - 1 <= 2 * n  # without Initial
    assert chart.item_count == chart.step_count
    assert chart.accepted


def test_steps_that_are_preferred_win_where_weights_are_equal() -> None:
    schema = shipped("arc-standard-system")
    for steps, arcs in (("Left-Arc Right-Arc", 2), ("Shift", 0)):
        chart = schema.run("a b c", "heads:2,0,2", control=f"greedy, prefer {steps}")
        assert max(len(one.to_json()) for one in chart.forest().structures()) == arcs


CHOICES = "greedy, choose entered by C, choose grown by k"


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_the_spanning_tree_parser_finds_the_best_of_all_trees(n: int) -> None:
    """Also with equal scores, forbidden links, and roots so bad that cycles within cycles are contracted."""
    schema, trees, decoder = shipped("mst"), trees_under_zero(n), schemata.decoder("mst")
    contracted = 0
    for seed in range(12):
        draw = np.random.default_rng(seed)
        size = n + 1, n + 1
        scores = draw.integers(-3, 4, size).astype(float) if seed % 2 else draw.normal(size=size)
        scores[0] -= 9 * (seed % 3)
        if seed % 4 == 3:
            scores[1:][draw.random((n, n + 1)) < 0.2] = -math.inf
        chart = schema.run("w " * n, weights=schemata.ArcScores(scores), control=CHOICES)
        best = max(sum(scores[h, d] for d, h in enumerate(one, start=1)) for one in trees)
        found = chart.best()
        assert chart.search is not None
        assert found is not None
        for weight in (chart.search.weight, found.weight, decoder([scores])[1][0]):
            assert weight == pytest.approx(best)
        contracted = max(contracted, chart.steps_by_name["Contract"])
    assert contracted >= n * (n > 1)


def test_without_control_the_spanning_tree_parser_derives_all_trees() -> None:
    for n in (1, 2, 3):
        found = shipped("mst").run("w " * n).forest().trees(limit=None)
        assert {tree.heads for tree in found} == set(trees_under_zero(n))


def test_a_beam_takes_some_items_of_each_value() -> None:
    schema, weights = shipped("eisner1996"), schemata.ArcScores(np.random.default_rng(2).normal(size=(6, 6)))
    every, two = (
        schema.run("a b c d e", weights=weights, control=f"beam {k}, choose span by i") for k in (1000, 2)
    )
    starts = Counter(item.values[0] for item in two.items)
    assert max(starts.values()) == 2 < max(Counter(item.values[0] for item in every.items).values())
    assert every.search.proved
    assert not two.search.proved
    assert every.search.dropped == 0 < two.search.dropped


# Files, limits, commands -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ("# nothing\n", "no-strategy", 1, 1),
        ("beam\n", "bad-width", 1, 5),
        ("beam 0\n", "bad-width", 1, 6),
        ("gready\n", "unexpected-token", 1, 1),
        ("greedy\norder down\n", "unexpected-token", 2, 7),
        ("greedy\nbeam 2\n", "second-line", 2, 1),
        ("greedy\noder span\n", "unexpected-token", 2, 1),
        ("astar 3\n", "unexpected-token", 1, 7),
        ("astar\nheuristic luck\n", "unexpected-token", 2, 11),
        ("greedy\nchoose span in i\n", "unexpected-token", 2, 13),
        ("greedy\nchoose span by i j\n", "unexpected-token", 2, 18),
    ],
)
def test_mistakes_in_control_files_have_places(
    tmp_path, text: str, code: str, line: int, column: int
) -> None:
    (tmp_path / "my.control").write_text(text)
    with pytest.raises(GrammarError) as caught:
        Control.of(str(tmp_path / "my.control"))
    found = caught.value.diagnostics[0]
    assert (found.code, found.location.line, found.location.column) == (code, line, column)


def test_files_and_options_mean_the_same(tmp_path) -> None:
    (tmp_path / "my.control").write_text("beam 3   # wide\norder left-to-right\nprefer 'Left-Arc' Shift\n")
    found = Control.of(tmp_path / "my.control")
    assert found == Control.of("beam:3, order left-to-right, prefer Left-Arc Shift")
    assert found == Control("beam", 3, "left-to-right", "none", ("Left-Arc", "Shift"))


def refused() -> Iterator[tuple[str, str, dict[str, object]]]:
    yield "arc-standard-system", "greedy, prefer Reduse", {}
    yield "eisner1996", "greedy, choose spam by i", {}
    yield "eisner1996", "greedy, choose span by z", {}
    yield "eisner1996", "greedy, order span, choose span by i", {}
    yield "eisner1996", "best-first, choose span by i", {}
    yield "cyk", "astar", {"grammar": parse_context_free('S -> "a" "b"')}
    yield "eisner1996", "greedy", {"grammar": schemata.DRules.all(single_root=True)}


@pytest.mark.parametrize(("name", "control", "more"), list(refused()))
def test_strategies_that_a_schema_cannot_follow_are_refused(name: str, control: str, more) -> None:
    with pytest.raises(UsageError):
        shipped(name).run("a b", control=control, **more)


def test_a_search_stops_at_its_budget() -> None:
    with pytest.raises(BudgetExceeded) as caught:
        shipped("swap-system").run("a b c d e", control="exhaustive", budget=Budget(steps=500))
    assert 0 < caught.value.chart.item_count <= 500
    assert caught.value.chart.stopped == "steps"


def test_scores_of_steps_come_from_files(written) -> None:
    file = written(
        "my.scores",
        "words a b\nstep Shift [log -1]\nstep Shift where j is b [log -3]\nattach a to b [log 2]\n",
    )
    chart = shipped("arc-standard-system").run("a b", weights=Weights.read(file), control="best-first")
    assert chart.search.weight == -2.0
    with pytest.raises(GrammarError):
        schemata.ArcScores.read(file)
    file.write_text("step Shift where k is 1 [log -1]")
    with pytest.raises(UsageError, match="no variable k"):
        shipped("arc-standard-system").run("a b", weights=Weights.read(file), control="greedy")


def test_the_command_tells_the_search_error(cli: Cli, written) -> None:
    """Greedy takes the arc that weighs most at once, and loses the two arcs that weigh more together."""
    file = written(
        "my.scores",
        "attach 1 to 2 [log 2]\nattach 2 to 1 [log 1.5]\nattach 3 to 1 [log 1]\notherwise [log -1]\n",
    )
    words = ("run arc-standard-system --control greedy --search-error --weights", str(file), "a b c")
    found = cli(*words)
    assert (found.code, found.err) == (0, "")
    assert "search error 0.5; the best weight of the exhaustive run is 2.5" in found.out
    shown = cli(*words, "--json").out
    assert '"search_error": 0.5' in shown
    assert '"strategy": "greedy", "width": 1, "order": "steps"' in shown
    assert cli("run eisner1996", "a b", "--search-error").code == 2


def test_the_search_error_is_of_structures(cli: Cli, written) -> None:
    """The best derivation of covington2001 under these scores is a cycle, which is not a tree."""
    file = written("my.scores", "attach 1 to 2 [log 3]\nattach 2 to 1 [log 3]\nattach 3 to 1 [log 1]\n")
    options = ("--weights", str(file), "--control", "beam 4", "--search-error", "--json")
    found = json.loads(cli("run covington2001", "a b c", *options).out)
    best = [one["weight"] for one in found["best"]]
    control = found["control"]
    assert control["weight"] == (best[0] if best else None)
    assert control["search_error"] == (control["exhaustive"] - best[0] if best else "infinite")


def test_probabilities_of_rules_prove_the_first_parse_best() -> None:
    grammar = parse_context_free('S -> S S [0.3] | "a" [0.4] | "b" [0.3]')
    schema = shipped("cyk")
    chart = schema.run("a b a a", grammar, control="best-first")
    assert chart.search.proved
    best = schema.run("a b a a", grammar).best()
    assert chart.search.weight == pytest.approx(best.weight)


def test_an_exploration_takes_items_in_any_order() -> None:
    schema = shipped("eisner1996")
    words = Sentence.of("a b c")
    for seed in range(3):
        explored = Exploration(schema.definition, words, schema.check_grammar(None).for_sentence(words))
        waiting = {i.consequent for i in explored.first}
        while waiting:
            item = random.Random(seed).choice(sorted(waiting))
            waiting |= {i.consequent for i in explored.take(item)}
            waiting -= explored.taken.keys()
        assert (len(explored.taken), explored.chart_of(explored.taken).step_count) == (20, 25)


def test_a_hypothesis_may_be_final() -> None:
    """A sentence of one word under Collins: nothing is taken."""
    weights = schemata.ArcScores([[0.0, -2.0], [0.0, 0.0]])
    chart = shipped("collins1996").run("a", weights=weights, control="greedy")
    best = chart.best()
    assert (chart.search.weight, chart.search.taken) == (best.weight, 0) == (-2.0, 0)
