"""Each structure once: what the claims say, against brute force."""

from __future__ import annotations

from pathlib import Path

import pytest

from schemata.language.library import load_schema, schema_path
from schemata.verification.claims import each_once, repaired


@pytest.mark.parametrize(
    ("reference", "once"),
    [
        ("nivre2003", True),
        ("mh", False),
        ("mh:k=4", False),
        ("mh:k=7", None),
        ("eisner1996:end=1", False),
        ("cyk", True),
    ],
)
def test_what_is_known_of_a_schema_with_its_parameters(reference: str, once: bool | None) -> None:
    assert each_once(load_schema(reference)) is once


def test_nothing_is_known_of_a_schema_that_has_only_the_name(tmp_path: Path) -> None:
    text = schema_path("nivre2003").read_text("utf-8")
    same, other = tmp_path / "same" / "nivre2003.schema", tmp_path / "other" / "nivre2003.schema"
    for path, content in ((same, text), (other, text.replace("state[0, <>]", "state[0, <(0, true)>]"))):
        path.parent.mkdir()
        path.write_text(content, "utf-8")
    assert each_once(load_schema(same)) is True
    assert each_once(load_schema(other)) is None
    assert repaired(load_schema(other)) is None
