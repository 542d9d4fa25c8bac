"""What the shipped schemata derive and say is what is on record."""

import pytest

import schemata
from schemata import UsageError
from tests.golden.cases import references
from tests.golden.record import RECORDS, differences, record_path

HINT = "python -m tests.golden.make --show CASE prints a case in full"


@pytest.mark.parametrize("reference", references())
@pytest.mark.rotated(4, 2)
def test_nothing_has_changed(reference: str, request: pytest.FixtureRequest) -> None:
    engine = request.config.getoption("--engine")
    if engine == "native":
        try:
            schemata.load(reference).run("a b", engine="native")
        except UsageError as refused:
            pytest.skip(str(refused))
    found = list(differences(reference, engine))
    assert not found, "\n".join([HINT, *found])


def test_each_record_belongs_to_a_shipped_schema() -> None:
    assert set(RECORDS.iterdir()) == {record_path(reference) for reference in references()}
