"""Limits hold for the whole of a verification: each of these would take minutes or hours without them."""

from pathlib import Path

import pytest

import schemata
from schemata import verify
from schemata.budget import Budget
from schemata.verification.trees import has_root_node
from tests.support.charts import schema_text
from tests.support.commands import Prints, Written

# What ends a run is raised anywhere in it, also in what the tests' own tools do when garbage is collected.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

ENDLESS = schema_text("endless-2")

SECONDS = 0.6


@pytest.fixture
def endless(written: Written) -> Path:
    return written("endless.schema", ENDLESS)


@pytest.mark.parametrize(("steps", "seconds", "stopped"), [(1000, 60, "steps"), (10**9, SECONDS, "seconds")])
def test_items_without_end(endless: Path, steps: int, seconds: float, stopped: str) -> None:
    found = verify(schemata.load(endless), None, 1, budget=Budget(steps=steps, seconds=60), seconds=seconds)
    assert found.stopped == stopped
    assert found.parses is None


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(
    ("name", "class_name"),
    [
        ("eisner1996", "projective"),
        ("arc-eager", "projective"),
        ("attardi-unbounded", "all"),
        ("dvh1", "all"),
    ],
)
def test_long_sentences(name: str, class_name: str, jobs: int) -> None:
    verdict = verify(name, class_name, 30, seconds=SECONDS, jobs=jobs)
    assert verdict.stopped == "seconds"
    assert verdict.sound is None
    assert verdict.sound_to < 30


def test_long_sentences_without_a_class_and_over_dictionaries() -> None:
    found = verify("eisner1996", None, 30, seconds=SECONDS)
    assert (found.stopped, found.parses) == ("seconds", None)
    assert len(found.counts) == found.covered < 30
    linkages = verify("eisner-lg", max_n=12, seconds=SECONDS)
    assert (linkages.stopped, linkages.holds) == ("seconds", None)


def test_evidence_keeps_the_limits(written: Written) -> None:
    """Any two parts of a rule are put together, wherever they stand: items form cycles by the thousand."""
    path = written(
        "free.schema",
        """schema free extends dvh1
replace step Concatenate
  edge[A(*alpha . *b1 . *b2 *gamma), i, _]   edge[A(*alpha *b1 . *b2 . *gamma), _, k]
  ------------------------------------------------------------------------------------
  edge[A(*alpha . *b1 *b2 . *gamma), i, k]
""",
    )
    limits = (2, 20, 200)  # seconds: a busy machine comes late to what refutes it
    verdicts = (verify(schemata.load(path), "projective", 3, seconds=seconds) for seconds in limits)
    assert any(verdict.sound is False for verdict in verdicts)


@pytest.mark.thorough
def test_a_run_that_is_cut_short_does_not_say_whether_there_is_a_node_0() -> None:
    schema = schemata.load("pitler2013")
    with pytest.raises(schemata.BudgetExceeded):
        has_root_node(schema, Budget(seconds=1e-9))
    assert has_root_node(schema, Budget(steps=1))


def test_memory() -> None:
    verdict = verify("eisner1996", "projective", 12, budget=Budget(memory=1 << 20))
    assert (verdict.stopped, verdict.sound) == ("memory", None)


def test_command(endless: Path, prints: Prints) -> None:
    limits = ["--max-steps", "1000", "--max-seconds", "20", "--max-memory", "6G"]
    assert "stopped by the limit on steps" in prints("verify", str(endless), "--max-n", "1", *limits, code=2)
    assert "stopped by the limit on seconds" in prints("verify eisner1996 --max-n 30 --max-seconds 1", code=2)
