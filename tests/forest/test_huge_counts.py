"""Numbers of derivations: exact up to some 300,000 digits, unknown beyond; no limit is passed meanwhile."""

import json
import time
from typing import Any

import pytest

import schemata
from schemata.budget import Budget, OverBudget, make_room, resident_bytes, within
from schemata.errors import BudgetError
from schemata.thresholds import EFFORTS, WAYS
from schemata.weights.semiring import UncountedError
from tests.support.charts import schema_text
from tests.support.commands import Cli, Written


@pytest.fixture
def squares(written: Written) -> Any:
    """A schema in which an item of n has 2 ** 2 ** n derivations."""
    return schemata.load(written("squares.schema", schema_text("squares")))


def counted(schema: Any, n: int, arrays: bool, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(WAYS, "array_steps", 0 if arrays else 10**9)
    monkeypatch.setattr(WAYS, "numpy_steps", 0 if arrays else 10**9)
    forest = schema.run(["w"] * n, engine="python").forest()
    assert (forest._graph is not None) == arrays
    return int(forest.derivation_count)


@pytest.mark.parametrize("arrays", [False, True])
@pytest.mark.parametrize("work", [0, 100, 10**8])
def test_counts_are_exact_however_often_the_kernel_returns(
    arrays: bool, work: int, squares: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WAYS, "count_work", work)
    monkeypatch.setattr(WAYS, "limbs", 2)
    for n in (1, 3, 8, 12):
        assert counted(squares, n, arrays, monkeypatch) == 2 ** (2**n)


@pytest.mark.parametrize("arrays", [False, True])
def test_the_longest_number(arrays: bool, squares: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EFFORTS, "count_bits", 600)
    assert counted(squares, 9, arrays, monkeypatch) == 2**512
    for n in (10, 11, 40, 1_000):
        with pytest.raises(UncountedError, match="more than 180 digits"):
            counted(squares, n, arrays, monkeypatch)
    assert issubclass(UncountedError, BudgetError)


@pytest.mark.parametrize("n", [40, 1_000])
def test_squares_of_squares_are_not_counted_and_the_rest_is_known(n: int, cli: Cli, written: Written) -> None:
    path = written("squares.schema", schema_text("squares"))
    code, out, _ = cli("run", str(path), " ".join(["w"] * n), "--json")
    found = json.loads(out)
    assert code == 0
    assert (found["accepted"], found["items"], found["derivations"]) == (True, n + 1, None)


def test_what_needs_more_memory_than_there_may_be_is_not_begun() -> None:
    began = []

    def work(size: int) -> bool:
        make_room(size)
        began.append(size)
        return True

    def limited(size: int) -> bool:
        budget = Budget(memory=resident_bytes() + (256 << 20))
        return within(
            budget, time.perf_counter(), lambda: within(Budget(), time.perf_counter(), lambda: work(size))
        )

    make_room(1 << 60)  # no limit is known here
    with pytest.raises(OverBudget, match="memory"):
        limited(1 << 30)
    assert not began


def test_arrays_of_hyperedges_keep_to_the_memory(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """The arrays of 3.4 million hyperedges take some 150 MB; before they are made, that is known."""
    before = resident_bytes()
    limit = str((before >> 20) + 90) + "M"
    words = " ".join(["w"] * 170)
    code, out, err = cli("run eisner1996", words, "--engine", "native", "--json", "--max-memory", limit)
    found = json.loads(out)
    assert code == 2
    assert found["stopped"] == "memory"
    assert resident_bytes() < before + (150 << 20)
    assert "MiB of memory" in err
