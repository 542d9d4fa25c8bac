"""Files as bytes: what cannot be read is reported with its place, what can be read is read."""

import unicodedata

import pytest

from schemata.errors import SchemaError, UsageError
from schemata.language import model as m
from schemata.language import parse
from schemata.language import syntax as s
from schemata.language.extension import load_headline
from schemata.language.files import check_file, read_schema_text
from schemata.language.library import load_schema
from schemata.language.parse import parse_item
from schemata.thresholds import REFUSALS
from tests.language.findings import FIXTURES, assert_sound

GOOD = (FIXTURES / "clean" / "parent.schema").read_text(encoding="utf-8")


def findings(tmp_path, data, name="parent"):
    path = tmp_path / f"{name}.schema"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    schema, found = check_file(path)
    for finding in found:
        assert_sound(finding)
    return schema, found


@pytest.mark.parametrize(
    ("data", "code", "message"),
    [
        (b"", "empty-file", "the file is empty"),
        (b"\n  \n\n", "empty-file", "the file is empty"),
        (b"# only\n# comments\n", "empty-file", "the file holds only comments"),
        (b"schema x\0y\n", "binary-file", "a null byte: this is not a text file"),
        (b"\x7fELF" + bytes(range(256)) * 20, "binary-file", "a null byte: this is not a text file"),
        (b"x" * 1_000_001, "file-too-large", "the file has more than 1,000,000 bytes"),
        (b'schema x\n  title "G\xf3mez"\n', "not-utf8", "byte 0xF3 is not valid UTF-8"),
        (b"schema x\n" + b"x" * 2001, "line-too-long", "the line has 2,001 characters"),
    ],
)
def test_files_that_are_no_schema_text(tmp_path, data, code, message):
    schema, found = findings(tmp_path, data)
    assert schema is None
    assert [(f.code, f.message) for f in found] == [(code, message)]


def test_the_place_of_a_byte_that_is_not_utf_8(tmp_path):
    _, (found,) = findings(tmp_path, 'schema x\r\n  title "Gó'.encode() + b'\xf3"\r\n')
    assert (found.location.line, found.location.column) == (2, 12)


def test_missing_files_and_directories(tmp_path):
    for path, code in ((tmp_path / "none.schema", "file-not-found"), (tmp_path, "is-a-directory")):
        schema, (found,) = check_file(path)
        assert schema is None
        assert found.code == code


@pytest.mark.parametrize(
    "change",
    [
        lambda t: "\ufeff" + t,
        lambda t: t.replace("\n", "\r\n"),
        lambda t: "\ufeff" + t.replace("\n", "\r\n"),
        lambda t: t.replace("\n", "\r"),
        lambda t: t.rstrip("\n"),
        lambda t: t + "\n\n  \n",
        lambda t: t.replace("span", "spän"),
    ],
)
def test_encodings_and_line_ends_that_are_accepted(tmp_path, change):
    schema, found = findings(tmp_path, change(GOOD))
    assert found == []
    assert schema is not None


def test_names_are_compared_in_nfc(tmp_path):
    composed, decomposed = "spän", unicodedata.normalize("NFD", "spän")
    assert composed != decomposed
    schema, found = findings(
        tmp_path, GOOD.replace("item span", f"item {composed}").replace("span[", f"{decomposed}[")
    )
    assert found == []
    assert schema.forms[0].name == composed


def test_file_named_otherwise(tmp_path):
    schema, (found,) = findings(tmp_path, GOOD, name="other")
    assert schema is not None
    assert (found.code, found.severity, found.location.column) == ("name-mismatch", "warning", 8)


def step_with(condition):
    return GOOD.replace("attach i to j", condition)


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ("(" * 500 + "b" + ")" * 500, "too-deep"),
        ("not " * 400 + "b", "too-deep"),
        ("\n  ".join(["attach i to j, "] + ["not " * 100] * 100), "too-deep"),
        ("\n".join(["("] * 10_000), "too-deep"),
        ("¬" * 1500 + "b", "too-deep"),
        ("i" + " + i" * 450 + " > 0", None),
        ("i" + " < i" * 400, "contradiction"),
        ("i <= j" + " and i <= j" * 150, None),
        ("i <= j" + " or i <= j" * 150, None),
        ("<" * 300, "syntax"),
    ],
)
def test_deep_and_long_expressions(condition, code):
    schema, found = read_schema_text(step_with(condition))
    codes = {f.code for f in found}
    if code is None:
        assert codes == set()
        assert schema is not None
    else:
        assert code in codes
    for finding in found:
        assert_sound(finding)


def test_declarations_of_any_length_end(tmp_path):
    fields = ",\n".join(f"f{k}: position" for k in range(20_000))
    _, found = findings(tmp_path, GOOD.replace("item span[", f"item span[\n{fields},\n"))
    assert [f.code for f in found] == ["too-long"]


def test_items_of_any_length_end():
    for text in ("x[" + "(" * 1000 + ")" * 1000 + "]", "x[" + "i, " * 600 + "i]", "x[" + "<" * 900 + "]", ""):
        try:
            parse_item(text)
        except SchemaError as error:
            for finding in error.diagnostics:
                assert_sound(finding)


@pytest.mark.parametrize(
    ("length", "codes"),
    [(REFUSALS.bases, []), (REFUSALS.bases + 1, ["too-many-bases"]), (500, ["too-many-bases"])],
)
def test_schemata_that_extend_one_another(tmp_path, written, length, codes):
    for k in range(length):
        written(f"x{k}.schema", f"schema x{k} extends x{k + 1}\n")
    written(f"x{length}.schema", GOOD.replace("schema parent", f"schema x{length}"))
    schema, found = check_file(tmp_path / "x0.schema")
    assert [f.code for f in found] == codes
    assert (schema is None) == bool(codes)
    for finding in found:
        assert_sound(finding)
    if codes:
        with pytest.raises(SchemaError, match="extend one another"):
            load_headline(tmp_path / "x0.schema")


def test_checking_compares_no_rules_with_one_another(monkeypatch):
    """Or it would take time in proportion to the square of the number of steps."""

    def fail(*_):
        raise AssertionError("compared")

    for kind in (m.Case, s.StepDeclaration, s.StepCase):
        monkeypatch.setattr(kind, "__eq__", fail)
    text = "".join(f"step S{k}\n  span[i, j, _]\n  ---\n  span[i, j, true]\n" for k in range(50))
    schema, found = read_schema_text(GOOD.replace("\nfinal", f"\n{text}\nfinal", 1))
    assert found == []
    assert len(schema.cases) > 50


def test_every_rule_of_the_grammar_makes_a_node():
    """A rule is made by its entry, or by the node of its name; only rules of one part are never seen."""
    for rule in parse._lark().rules:
        name = (rule.alias or rule.origin.name).removeprefix("not_")
        seen = (
            rule.alias
            or not rule.options.expand1
            or sum(not x.name.startswith("_") for x in rule.expansion) > 1
        )
        if seen and not name.startswith("_"):
            assert callable(parse._maker(name)), name


@pytest.mark.thorough
def test_a_parameter_that_makes_too_many_steps_is_refused_with_those_that_do_not():
    with pytest.raises(
        UsageError, match="k = 9 is out of range: schema mgk would have too many steps"
    ) as error:
        load_schema("mgk", {"k": 9})
    assert error.value.diagnostics[0].expected == "k in 1..3"
    assert error.value.diagnostics[0].location is None
    assert load_schema("mgk", {"k": 3}).parameters[0].value == 3
