"""Charts whose forests are too large to be gone through: some trees are listed, nothing is counted."""

from __future__ import annotations

import pytest

import schemata
from schemata.analysis import figures
from schemata.display.results import result_text


@pytest.mark.parametrize("engine", ["python", "native"])
def test_derivations_of_large_charts_are_not_counted(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    chart = schemata.load("collins1996").run("a b c d", engine=engine)  # type: ignore[arg-type]
    whole = figures.run_result(chart, limit=None)
    monkeypatch.setattr(figures, "WHOLE_FOREST", chart.step_count - 1)
    found = figures.run_result(chart, limit=3)
    assert (found.derivations, found.distinct_trees, len(found.trees)) == (None, None, 3)
    assert set(found.trees) < set(whole.trees)
    told = found.to_json()
    assert told["derivations"] is None
    assert told["distinct_trees_at_least"] == 3
    assert "derivations are not counted" in result_text(found)
    untold = result_text(figures.run_result(chart, limit=0))
    assert untold.endswith(f"derivations are not counted in a chart of {chart.step_count} step instances")
