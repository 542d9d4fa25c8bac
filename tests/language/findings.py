"""Fixtures that carry their expected findings: lines `#! LINE:COLUMN [warning] CODE: MESSAGE` at the end."""

from pathlib import Path

from schemata.errors import Diagnostic

FIXTURES = Path(__file__).parent / "fixtures"
CLEAN_RELATIONS = sorted((FIXTURES / "relations" / "clean").glob("*.relation"))
BROKEN_RELATIONS = sorted((FIXTURES / "relations" / "errors").glob("*.relation"))
SPECS = Path(__file__).parents[2] / "schema_specs"
MARK = "#! "


def expected_findings(path: Path) -> list[str]:
    """Return the expected findings of a fixture, one text each, indented lines joined to the one before."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.removeprefix(MARK) for line in lines if line.startswith(MARK)]


def described(findings: list[Diagnostic], path: Path) -> list[str]:
    """Return findings as the fixtures write them; those in other files begin with the file's name."""
    found = []
    for finding in findings:
        place = finding.location
        file = "" if place.file == str(path) else f"{Path(place.file).name}:"
        severity = "warning " if finding.severity == "warning" else ""
        found.append(f"{file}{place.line}:{place.column} {severity}{finding.code}: {finding.message}")
        found += [f"  expected: {finding.expected}"] if finding.expected else []
        found += [f"  hint: {finding.hint}"] if finding.hint else []
    return found


def assert_sound(finding: Diagnostic, lines: list[str] | None = None) -> None:
    """Check that a finding renders, and that it points into the text it is about."""
    assert finding.code
    assert finding.message
    place = finding.location
    assert place is not None, finding
    assert place.line >= 1, finding
    assert place.column >= 1, finding
    assert place.end_column is None or place.end_column > place.column, finding
    if lines is not None:
        assert place.line <= len(lines), finding
        assert place.column <= len(lines[place.line - 1]) + 1, finding
    assert finding.message.splitlines()[0] in finding.render()
    assert finding.to_json()["line"] == place.line
