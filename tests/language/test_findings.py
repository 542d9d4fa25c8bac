"""Every kind of finding, by fixtures that carry what is expected of them; files that must give none."""

import re
from functools import cache

import pytest

from schemata.language.files import check_file
from schemata.language.library import shipped_relations
from schemata.language.relation_model import KINDS
from schemata.language.relations import check_relation_file
from schemata.language.shipped import shipped_schemata
from tests.language.findings import (
    BROKEN_RELATIONS,
    CLEAN_RELATIONS,
    FIXTURES,
    assert_sound,
    described,
    expected_findings,
)
from tests.language.fuzz import run

ERRORS = sorted((FIXTURES / "errors").glob("*.schema"))
CLEAN = sorted((FIXTURES / "clean").glob("*.schema"))

SHIPPED = [*shipped_schemata().values(), *shipped_relations().values()]

# Codes that no fixture can show: files that cannot be read as text are made in test_files.py.
ELSEWHERE = {
    "empty-file", "too-deep", "too-long", "name-mismatch", "bad-setting", "unknown-relation", "empty-map",
    "too-many-bases", "wrong-kind", "no-claims", "no-word-graph",
}  # fmt: skip

OTHER_WORDS = {"d-rules", "dependency-rules", "context-free", "link-grammar", "utf-8", *KINDS}


@cache
def check(path):
    """Return what is read of a schema or a relation file, and the findings."""
    return check_file(path) if path.suffix == ".schema" else check_relation_file(path)


@pytest.mark.parametrize("path", [*ERRORS, *BROKEN_RELATIONS], ids=lambda p: p.stem)
def test_findings_are_exactly_those_expected(path):
    whole, findings = check(path)
    assert described(findings, path) == expected_findings(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    for finding in findings:
        assert_sound(finding, lines if finding.location.file == str(path) else None)
    assert (whole is None) == any(f.severity == "error" for f in findings)
    assert findings or path in ERRORS


@pytest.mark.parametrize("path", [*CLEAN, *CLEAN_RELATIONS, *SHIPPED], ids=lambda p: p.stem)
def test_legal_files_have_no_findings(path):
    whole, findings = check(path)
    assert described(findings, path) == []
    assert whole is not None
    assert path.suffix == ".schema" or whole.relations


def test_every_code_of_the_sources_is_shown_by_a_fixture():
    folder = FIXTURES.parents[2] / "schemata" / "language"
    text = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py"))
    shown = {finding.code for path in (*ERRORS, *BROKEN_RELATIONS) for finding in check(path)[1]}
    assert len(shown) > 50
    for code in shown | ELSEWHERE:
        assert f'"{code}"' in text, code
    # Codes stand as literals of their own where they are reported.
    hyphenated = set(re.findall(r'(?<=[\s(])"([a-z]+(?:-[a-z0-9]+)+)",', text))
    assert hyphenated - shown - ELSEWHERE - OTHER_WORDS == set()


@pytest.mark.thorough
def test_mutated_files_raise_nothing_and_give_placed_findings():
    codes, failures = run(cases=300, seed=1)
    assert failures == []
    assert len(codes) > 25
