"""What runs cost, learned: by length and engine; what native code would have saved."""

import pytest

from schemata.charts import Account
from schemata.engine.costs import RunTimes
from schemata.thresholds import changed


def costs_of(**runs: dict[int, list[float]]) -> RunTimes:
    """Return costs after runs: by engine and length, their seconds."""
    costs = RunTimes()
    for engine, by_length in runs.items():
        for n, values in by_length.items():
            for value in values:
                costs.note(engine, n, Account(value))  # type: ignore[arg-type]
    return costs


def test_nothing_is_known_before_so_many_runs() -> None:
    costs = costs_of(python={8: [0.5]})
    assert costs.seconds("python", 8) == 0.5
    with changed(compared_runs=2):
        assert costs.seconds("python", 8) is None
        assert costs.is_better_natively(8) is None
        assert costs.lost_seconds(8) == 0
        costs.note("python", 9, Account(0.7))
        assert costs.seconds("python", 8) == 0.5


def test_the_least_of_the_latest_runs_counts() -> None:
    assert costs_of(python={8: [0.1, 0.5, 0.4, 0.6, 0.7]}).seconds("python", 8) == 0.4
    with changed(kept_costs=5):
        assert costs_of(python={8: [0.1, 0.5, 0.4, 0.6, 0.7]}).seconds("python", 8) == 0.1


def test_the_nearest_length_tells_of_others() -> None:
    costs = costs_of(python={8: [0.16], 20: [2.0]})
    assert costs.seconds("python", 4) == pytest.approx(0.04)
    assert costs.seconds("python", 10) == pytest.approx(0.25)
    assert costs.seconds("python", 40) == pytest.approx(8.0)


def test_native_runs_are_guessed_until_they_are_known() -> None:
    costs = costs_of(python={8: [0.0005, 0.0005], 16: [0.1]})
    assert costs.is_better_natively(8) is False
    assert costs.is_better_natively(16) is True
    costs.note("native", 16, Account(0.3))
    assert costs.is_better_natively(16) is True
    costs.note("native", 16, Account(0.2))
    assert costs.is_better_natively(16) is False


def test_what_was_lost_counts_every_run_and_the_next() -> None:
    costs = costs_of(python={8: [0.0005] * 100, 16: [0.1] * 10}, native={16: [0.04, 0.04]})
    assert costs.lost_seconds(16) == pytest.approx(11 * 0.06)
    assert costs.lost_seconds(8) == pytest.approx(10 * 0.06)
