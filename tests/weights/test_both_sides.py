"""Whatever is computed of weights, on both sides of every size on the way: tables that are kept or dropped, or others.

The truth is a list of all trees that a schema derives, by definition, with the sums of their links' scores.
"""

import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from schemata import ArcScores, DRules, ParsingSchema
from schemata.engine.chart import Chart
from schemata.errors import AmbiguityWarning
from schemata.language.library import load_schema
from schemata.thresholds import changed
from tests.oracle.trees import Heads, gap_degree, projective, trees_under_zero, well_nested

ONCE = ("eisner1996-once", "eisner-split", "mh-once", "arc-eager-once", "collins1996-once", "wg1-once")
OFTEN = ("eisner1996", "eisner-satta1999", "wg1", "mh")
NAMES = (*ONCE, *OFTEN)
ROOTED = ("collins1996-once", "wg1-once", "wg1")  # no step links a root to 0: there is one
LENGTHS = (3, 1, 4, 3)  # one after the other, so that tables of a length are used again after others
SIDES: Mapping[str, Mapping[str, float]] = {
    "no tables kept": {"kept_bytes": 0},
    "tables of one length kept": {"kept_lengths": 1, "kept_measures": 1, "kept_answers": 1},
    "numbers looked up": {"spread_places": 0, "threadless_places": 0},
    "arrays": {"array_steps": 0, "numpy_steps": 0, "edges_together": 3},
    "objects": {"array_steps": 10**9, "numpy_steps": 10**9},
    "small rooms": {"set_room": 16, "log_room": 16, "arena_room": 16, "met_places": 16, "row_work": 1, "limbs": 1},
    "no tables of writings": {"ordered_writings": 1, "kept_writings": 1, "kept_rewritings": 1},
    "no proved order": {"proof_seconds": 0},
    "no order, hashed": {"proof_seconds": 0, "dense_bytes": -1, "dense_places": -1},
    "no tables of an order": {"ordered_places": 0},
    "no kernels that are large": {"ordered_columns": 2, "block_lines": 10, "part_lines": 10},
    "sparse grammars": {"sparse_places": 0, "sparse_share": 2.0},
    "few states at once": {"states_at_once": 1, "few_states": 1},
    "natively at once": {"in_memory_steps": 1, "on_disk_steps": 1, "not_made_steps": 1, "untimed_words": 0},
    "nothing is counted for warnings": {"checked_steps": 0},
    "regions apart": {"regions_apart": 1},
}  # fmt: skip


def trees_of(name: str, n: int, single_root: bool) -> Sequence[Heads]:
    trees = trees_under_zero(n, single_root=single_root or name in ROOTED)
    if name.startswith("wg1"):
        return [tree for tree in trees if well_nested(tree) and gap_degree(tree) < 2]
    return [tree for tree in trees if projective(tree)]


class Truth:
    """The trees of a sentence with their weights, best first."""

    def __init__(self, name: str, matrix: np.ndarray, single_root: bool) -> None:
        n = len(matrix) - 1
        weights = {
            tree: math.fsum(float(matrix[h, d]) for d, h in enumerate(tree, start=1))
            for tree in trees_of(name, n, single_root)
        }
        self.weights = dict(sorted(weights.items(), key=lambda one: -one[1]))
        values = np.array(list(self.weights.values()))
        self.log = float(np.logaddexp.reduce(values))
        shares = np.exp(values - self.log)
        self.entropy = -float((shares * np.log(shares)).sum())
        self.links: dict[tuple[int, int], float] = {}
        for tree, share in zip(self.weights, shares.tolist(), strict=True):
            for link in enumerate(tree, start=1):
                self.links[link] = self.links.get(link, 0.0) + share


def problems(name: str, chart: Chart, truth: Truth) -> list[str]:
    """Return which answers about a chart are not the truth."""
    values = list(truth.weights.values())
    best, drawn = chart.k_best(len(values) + 1), chart.sample(5, seed=1)
    alone = chart.best()
    found: dict[str, tuple[Any, Any]] = {
        "k best": ([one.weight for one in best], values),
        "each of them": ([truth.weights.get(one.structure.heads) for one in best], values),
        "best": (alone.weight, values[0]),
        "the best tree": (truth.weights.get(alone.structure.heads), values[0]),
        "drawn": ([one.weight for one in drawn], [truth.weights.get(one.structure.heads) for one in drawn]),
        "total log": (chart.total("log", distinct=True), truth.log),
        "total viterbi": (chart.total("viterbi"), values[0]),
        "total min-plus": (chart.total("min-plus"), -values[0]),
        "marginals": (chart.marginals(distinct=True), truth.links),
        "entropy": (chart.entropy(distinct=True), truth.entropy),
        "weight of the last": (chart.weight_of(list(truth.weights)[-1]), values[-1]),
    }  # fmt: skip
    if name in ONCE:
        found |= {
            "sum log": (chart.total("log"), truth.log),
            "sum real": (chart.total("real"), math.exp(truth.log)),
            "sum count": (chart.total("count"), len(values)),
            "sum of shares": (chart.marginals(), truth.links),
            "entropy of derivations": (chart.entropy(), truth.entropy),
            "four best": (chart.total("best:4"), tuple(values[:4])),
        }
    return [
        f"{what}: {ours}, not {theirs}"
        for what, (ours, theirs) in found.items()
        if ours != pytest.approx(theirs, rel=1e-7, abs=1e-7)
    ]


def compare(name: str, engine: Any, single_root: bool) -> None:
    """Run several sentences, and ask about their charts when all of them have run, the last one first."""
    schema = ParsingSchema(load_schema(name, {}))
    matrices = [np.random.default_rng(10 * k + n).normal(0, 1, (n + 1, n + 1)) for k, n in enumerate(LENGTHS)]
    grammar = DRules.all(single_root=single_root)
    charts = [
        schema.run(["w"] * (len(matrix) - 1), grammar, weights=ArcScores(matrix), engine=engine)
        for matrix in matrices
    ]
    truths = [Truth(name, matrix, single_root) for matrix in matrices]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AmbiguityWarning)
        for number in reversed(range(len(LENGTHS))):
            assert problems(name, charts[number], truths[number]) == [], f"sentence {number}"
        assert problems(name, charts[-1], truths[-1]) == []  # and again
    trees = schema.best_trees([["w"] * n for n in LENGTHS], matrices, grammar, engine=engine)
    for tree, truth in zip(trees, truths, strict=True):
        assert tree is not None
        assert tree.weight == pytest.approx(next(iter(truth.weights.values())))
        assert truth.weights[tree.structure.heads] == pytest.approx(tree.weight)
    decoder = schema.decoder(single_root=single_root)
    heads, weights = decoder(matrices)
    few = decoder.k_best(matrices, k=4)[1]
    for number, (n, truth) in enumerate(zip(LENGTHS, truths, strict=True)):
        values = list(truth.weights.values())
        assert weights[number] == pytest.approx(values[0])
        assert truth.weights[tuple(heads[number, :n].tolist())] == pytest.approx(values[0])
        assert few[number, : len(values)].tolist() == pytest.approx(values[:4])
    if name in ONCE:
        assert decoder.log_total(matrices).tolist() == pytest.approx([truth.log for truth in truths])


@pytest.mark.parametrize("number", range(len(SIDES)), ids=list(SIDES))
@pytest.mark.rotated(4)
def test_weights_on_each_side(number: int) -> None:
    """Each side with two schemata, and each schema with three sides: on either engine."""
    values = list(SIDES.values())[number]
    for k, name in enumerate((NAMES[number % len(NAMES)], NAMES[(7 * number + 3) % len(NAMES)])):
        with changed(**values):
            compare(name, ("native", "python", "auto")[(number + k) % 3], single_root=(number + k) % 2 == 1)


@pytest.mark.thorough
@pytest.mark.rotated(8)
@pytest.mark.parametrize("engine", ["python", "native", "auto"])
@pytest.mark.parametrize("name", NAMES)
def test_weights_on_all_sides(name: str, engine: Any) -> None:
    for values in ({}, *SIDES.values()):
        for single_root in (False, True):
            with changed(**values):
                compare(name, engine, single_root)
