"""Proofs of these tests have time, however busy the machine is."""

import pytest

from schemata.thresholds import EFFORTS


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EFFORTS, "solver_seconds", 900.0)
