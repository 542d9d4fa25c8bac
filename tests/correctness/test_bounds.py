"""The page of what is not proved for every number of words: it is up to date, and gives the reasons of the prover."""

from __future__ import annotations

import re

import pytest

import schemata
from schemata.correctness.certificate import NotProved
from schemata.correctness.shipped import CLAIMS, shipped_claims_for_every_n
from schemata.correctness.steps import program_of
from schemata.language.shipped import shipped_files, shipped_schemata
from schemata.language.typeset import reference_of
from schemata.thresholds import EFFORTS
from tests.support import ROOT, script

PAGE = (ROOT / "docs" / "bounds.md").read_text("utf-8")
ROWS = {
    name: (dict(zip(CLAIMS, answers.split(" | "), strict=True)), reason.replace("\\|", "|"))
    for name, answers, reason in re.findall(
        r"^\| `(\S+)` \| (.*? \| .*? \| .*?) \| (.*) \|$", PAGE.split("## Along relations")[0], re.MULTILINE
    )
}
WHOLE = re.findall(r"`([\w:=-]+)`", PAGE.split("every number of words: ", 1)[1].split("\n", 1)[0])


def claims_of(reference: str) -> list[str]:
    """Return what the certificate of a schema proves."""
    return shipped_claims_for_every_n(reference_of(schemata.load(reference).definition))


def test_each_reason_is_under_its_bound() -> None:
    """The sections of the page are those that its script finds for the reasons that stand in it."""
    left = [(name, answers, reason) for name, (answers, reason) in ROWS.items()]
    sections = [(title, [name for name, _, _ in here]) for title, _, here in script("bounds").grouped(left)]
    assert len(sections) > 7
    assert sections == [
        (title, names)
        for title, body in re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
        if (names := re.findall(r"^\| `(\S+)` \| (?:yes|no|not proved) \|", body, re.MULTILINE))
    ]


@pytest.mark.thorough
def test_every_schema_is_there() -> None:
    """Each shipped schema that builds trees over D-rules is on the page, and what is proved of it."""
    for name in shipped_schemata():
        schema = schemata.load(name).definition
        if schema.grammar == "d-rules" and schema.structure in ("dependency tree", "dependency graph"):
            assert (name in WHOLE) != (name in ROWS), name
    for name in WHOLE:
        assert {"sound", "complete"} <= {*claims_of(name)}
    assert len(WHOLE) + 5 == len(shipped_files(".certificate"))  # five are proved in part
    for name, (answers, _) in ROWS.items():
        assert [claim for claim in CLAIMS if answers[claim] == "yes"] == claims_of(name)


def test_reasons_are_those_of_the_prover() -> None:
    """What is beyond the method has the reason that is given without a search."""
    compared = 0
    for name, (answers, reason) in ROWS.items():
        why = _beyond(name)
        if why:
            assert "yes" not in answers.values()
            assert reason == why, name
            compared += 1
    assert compared > 30


def _beyond(name: str) -> str:
    """Return why a schema is beyond the method; nothing where it is not."""
    try:
        program_of(schemata.load(name).definition)
    except NotProved as why:
        return str(why)
    return ""


@pytest.mark.thorough
def test_the_whole_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page is what its script makes."""
    monkeypatch.setattr(EFFORTS, "solver_seconds", 900.0)
    assert script("bounds").page() == PAGE
