"""Every threshold, from both sides: the answers of all engines are the same, whichever way they take."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import schemata
from schemata import ArcScores, DRules, Facts, ParsingSchema
from schemata.grammars.rule_files import parse_context_free
from schemata.language.library import load_schema
from schemata.program.instances import chart_writings
from schemata.thresholds import EFFORTS, REFUSALS, WAYS, Ways, changed, changes, thresholds
from schemata.weights.semiring import semiring_of
from tests.support import script
from tests.support.charts import schema_of

# Least values that have a meaning: room for something at first, and rows by which something grows.
LEAST = {
    "met_places": 16, "noted_entries": 16, "writings_room": 1, "limbs": 1, "binomial_rows": 1, "edges_together": 1,
    "part_lines": 1, "kept_kernels": 1, "kept_measures": 1, "kept_lengths": 1, "kept_answers": 1, "chain_columns": 2,
    "first_work": 1, "slice_work": 1, "states_at_once": 1, "few_states": 1, "kept_writings": 1, "kept_rewritings": 1,
    "alternatives": 1, "disjuncts": 1, "watch_seconds": 0.001, "wait_seconds": 0.001, "slice_seconds": 1e-5,
    "arena_room": 16, "rewriting_room": 16, "log_room": 16, "set_room": 16, "row_work": 1, "least_work": 1,
    "most_work": 1, "binomial_columns": 2, "thread_sentences": 2, "search_nodes": 1, "kept_costs": 1,
}  # fmt: skip
# What is not on the way of an engine to a chart and its weights; each has tests where it is used.
ELSEWHERE = {
    "many_on_disk_steps", "many_not_made_steps", "watch_seconds", "watch_again", "cached_files", "shards_ahead",
    "process_cases", "cluster_cases", "process_sentences", "cluster_sentences", "poor_share", "profile_repeats",
    "profile_seconds", "written_steps", "many_lengths", "control_gain", "kept_inputs", "kept_words", "kept_nodes",
    "spare_bytes", "newton_settled", "numpy_steps", "kept_sequences", "left_seconds_to_make", "not_made_seconds",
    "kept_licences", "spread_places", "checked_steps", "thread_sentences", "listed_words", "search_nodes",
    "lost_seconds", "lost_seconds_with_numpy", "kept_costs", "compared_runs", "far_score", "decoded_sentences",
    "kept_analyses", "page_schemata", "kept_codes",
}  # fmt: skip
# Whose lower side hides that of others: tables that are not there have no size.
HIDING = (
    "proof_seconds", "kept_bytes", "derived_constraints", "tuple_parts", "alternatives", "ordered_columns",
    "ordered_places", "ordered_met", "sparse_share", "sparse_places", "packed_keys",
)  # fmt: skip
LISTS = """schema triples
relation of(word: word, category: symbol)
item state[i: position, L: list of (position, position, symbol)] where 0 <= i <= n
step Begin
  -----------
  state[0, <>]
step Shift
  state[i, L]
  -----------  of(i + 1, A)
  state[i + 1, <*L, (i, i + 1, A)>]
step Reduce
  state[i, <*L, (j, k, A), (k, i, A)>]
  -----------
  state[i, <*L, (j, i, A)>]
final state[n, <(0, n, _)>]
"""


def fresh(name: str, **parameters: int) -> ParsingSchema:
    """Return a schema of which nothing was run yet."""
    return ParsingSchema(load_schema(name, parameters))


def low(name: str, part: int = 1_000) -> float:
    """Return a thousandth, or another part, of a threshold's value."""
    value = thresholds()[name]
    found = value / part if isinstance(value, float) else value // part
    return max(found, LEAST.get(name, 0))


def answers() -> dict[str, Any]:
    """Return what all engines say of some schemata: counts, items, structures and weights."""
    found: dict[str, Any] = {}
    matrix = np.random.default_rng(5).normal(0, 1, (6, 6))
    for name, n in (
        ("eisner1996", 5),
        ("eisner-satta1999", 4),
        ("wgk", 4),
        ("mgk", 4),
        ("mg1", 4),
        ("nivre2003-stacks", 4),
    ):
        for engine in ("python", "native", "auto"):
            schema = fresh(name)
            chart = schema.run(
                ["w"] * n,
                weights=ArcScores(matrix[: n + 1, : n + 1]),
                engine=engine,  # type: ignore[arg-type]
            )
            found[f"{name} {engine}"] = _of(chart)
    for engine in ("python", "native"):
        facts = Facts.from_text("of(a, A)\nof(b, B)\nof(b, A)\n")
        found[f"lists {engine}"] = _of(schema_of(LISTS).run("a b a b", facts, engine=engine))
        cyclic = parse_context_free('S -> S S [.2] | "a" [.5] | "" [.3]\n')
        found[f"earley {engine}"] = _of(fresh("earley").run("a a", cyclic, engine=engine))
        dictionary = schemata.LinkGrammar.from_text("a: @A+; b: {@A-} & {@A+}; c: @A- & {B+}; d: {@A-} & B-;")
        chart = fresh("sleator-temperley1991").run("a b c d", dictionary, engine=engine)
        found[f"linkages {engine}"] = (chart.step_count, chart.forest().count_linkages().exact)
    found["compact"] = _of(fresh("eisner1996").run(["w"] * 4, engine="native", back_pointers="compact"))
    found["sparse"] = (
        fresh("eisner1996").run("a b c d", DRules.from_heads((2, 0, 2, 3)), engine="native").step_count
    )
    return found


def _of(chart: Any) -> Any:
    forest = chart.forest()
    weights = [chart.weighing._total(semiring_of(name)) for name in ("viterbi", "real", "log")]
    weights += [chart.weighing._total(semiring_of("count"))] if forest.derivation_count < math.inf else []
    best = chart.best()
    return (
        sorted(map(str, chart.items)),
        dict(chart.steps_by_name),
        forest.derivation_count,
        [str(one) for one in forest.structures(limit=20)],
        sorted(str(one) for one in chart.forest().structures(limit=1_000, budget=0)),
        sorted(str(sorted(map(str, chart_writings(chart, x)))) for x in range(chart.raw.item_count)),
        [float(f"{float(one):.9g}") for one in weights],
        None if best is None else round(best.weight, 9),
        [round(one.weight, 9) for one in chart.k_best(4)],
    )


@contextmanager
def noted() -> Iterator[set[str]]:
    """Note which thresholds are read."""
    found: set[str] = set()
    plain = Ways.__getattribute__

    def reading(self: Ways, name: str) -> Any:
        found.add(name)
        return plain(self, name)

    Ways.__getattribute__ = reading  # type: ignore[method-assign,assignment]
    try:
        yield found
    finally:
        del Ways.__getattribute__


@pytest.fixture(scope="module")
def usual() -> dict[str, Any]:
    """The answers with thresholds as they are."""
    return answers()


def test_all_at_a_thousandth(usual: dict[str, Any]) -> None:
    """And engines ask for each of them, so that each is on its other side for some of them."""
    values = {name: low(name) for name in vars(Ways)["__annotations__"] if name not in HIDING}
    with changed(**values), noted() as read:
        assert answers() == usual
    assert values.keys() - read <= ELSEWHERE


@pytest.mark.thorough
def test_those_that_hide_others(usual: dict[str, Any]) -> None:
    """Each of them alone is on both sides in the thorough run."""
    with changed(**{name: low(name, 10**12) for name in HIDING if name != "packed_keys"}):
        assert answers() == usual


ALONE = [
    pytest.param(name, low(name, part), id=f"{name}, {part:,}")
    for name in Ways.__annotations__
    if name not in ELSEWHERE
    for part in ((1_000, 10**12) if name in HIDING and low(name) != low(name, 10**12) else (10**12,))
]


@pytest.mark.thorough
@pytest.mark.rotated(6)
@pytest.mark.parametrize(("name", "value"), ALONE)
def test_one_alone(name: str, value: float, usual: dict[str, Any]) -> None:
    with changed(**{name: value}):
        assert answers() == usual


RANGED = """schema ranged
hypothesis word[i] where 1 <= i <= n
item span[i: position, j: position] where 0 <= i <= j <= n
item pair[i: position, l: position] where 0 <= i <= l <= n
step One
  word[i]
  ------------
  span[i - 1, i]
step Two
  span[i, j] span[k, l]
  ---------------------  j + 3 < k
  pair[i, l]
final pair[0, n]
"""


@pytest.mark.parametrize("n", [30, 31, 32, 33, 62, 63, 64, 65])
def test_masks_of_several_words(n: int) -> None:
    """Dense tables have a mask for each 32 values of a range: each way from one mask to the next is gone."""
    with changed(proof_seconds=0):
        chart = schema_of(RANGED).run(["w"] * n, engine="native")
    assert chart.steps_by_name["Two"] == sum(max(0, n - 4 - i) for i in range(1, n + 1))
    assert chart.accepted == (n > 5)


ASKING = """schema asking
relation of(word: word, category: symbol)
item state[i: position, A: symbol] where 1 <= i <= n
step Begin
  -----------  of(i, A)
  state[i, A]
step Go on
  state[i, A] state[i + 1, B]
  ---------------------------  of(i + 1, A), A != B
  state[i, B]
final state[1, _]
"""


@pytest.mark.parametrize("engine", ["python", "native"])
def test_questions_that_kernels_refuse(engine: Any) -> None:
    """From some number of different questions on they have the answer, and below it a message."""
    facts = Facts.from_text("of(a, A)\nof(b, B)\nof(b, A)\n")

    def run(size: int) -> Any:
        """Of a schema of another name each time, of which nothing is kept."""
        other = schema_of(ASKING.replace("schema asking", f"schema asking-{engine}-{size}"))
        try:
            return sorted(map(str, other.run("a b a", facts, engine=engine).items))
        except schemata.SchemataError as refused:
            return "questions to the grammar" in str(refused)

    expected = run(99)
    with changed(proof_seconds=0):
        found = []
        for size in range(5):
            with changed(query_tables=size):
                found.append(run(size))
    refused = found.index(expected)
    assert found == [True] * refused + [expected] * (5 - refused)
    assert refused > 0


def test_engines_agree(usual: dict[str, Any]) -> None:
    for name, found in usual.items():
        if name.endswith((" native", " auto")):
            assert found == usual[f"{name.rpartition(' ')[0]} python"]


def test_the_page_lists_them() -> None:
    of = script("thresholds")
    assert of.PAGE.read_text(encoding="utf-8") == of.page()
    named = {name for kind in of.HEADS for name, _ in of.meanings(kind)}
    assert named == thresholds().keys()


def test_changes_are_undone() -> None:
    before = changes()
    with changed(in_memory_steps=3, unions=5):
        assert (WAYS.in_memory_steps, EFFORTS.unions) == (3, 5)
        assert {*changes()} - {*before} == {("in_memory_steps", 3), ("unions", 5)}
        with pytest.raises(ZeroDivisionError), changed(bases=1):
            raise ZeroDivisionError
        assert REFUSALS.bases != 1
    assert changes() == before
    with pytest.raises(KeyError), changed(nothing=1):
        pass
