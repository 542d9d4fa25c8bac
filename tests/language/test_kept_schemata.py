"""Schemata kept between runs are those that checking gives, and are given up when anything they come from changes."""

import pickle
import zlib
from pathlib import Path

import pytest

from schemata.errors import SchemaError, UsageError
from schemata.language import library
from schemata.language.files import check_file
from schemata.language.library import load_file, load_schema
from schemata.language.shipped import shipped_schemata
from tests.support.commands import Written
from tests.test_cache import Harm

SMALL = """\
schema {name}{more}
hypothesis word[i]  where 1 <= i <= n
item span[i: position, j: position]  where 1 <= i <= j <= n

step Start
  word[i]
  ----------
  span[i, i]

step Longer
  span[i, j]   word[j + {step}]
  ---------------------
  span[i, j + {step}]

final span[1, n]
"""
CHILD = """\
schema child extends {base}
without step Longer
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of kept schemata, which is not there yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "schemata" / "schemata"


def write(path: Path, step: str = "1", more: str = "") -> Path:
    path.write_text(SMALL.format(name=path.stem, step=step, more=more), encoding="utf-8")
    return path


@pytest.fixture
def small(folder: Path, tmp_path: Path) -> Path:
    """A schema that may be kept."""
    return write(tmp_path / "small.schema")


def forbid_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("read again")

    monkeypatch.setattr("schemata.language.files.check_file", fail)


@pytest.mark.parametrize("name", shipped_schemata())
@pytest.mark.rotated(4)
def test_what_is_kept_is_what_is_checked(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = shipped_schemata()[name]
    checked, findings = load_file(path)
    assert not findings
    forbid_reading(monkeypatch)
    again, _ = load_file(path)
    assert again == checked
    assert again is not checked
    assert repr(again) == repr(checked)
    assert len(list(folder.iterdir())) == 1


def test_a_changed_file_is_read_again(small: Path) -> None:
    first = load_schema(small)
    assert load_schema(small) == first
    write(small, "2")
    changed = load_schema(small)
    assert changed != first
    assert changed == check_file(small)[0]
    small.unlink()
    with pytest.raises(SchemaError, match="there is no such file"):
        load_schema(small)


def test_what_is_extended_is_read_again_where_it_changed(folder: Path, tmp_path: Path) -> None:
    base, child = tmp_path / "base.schema", tmp_path / "child.schema"
    write(base)
    child.write_text(CHILD.format(base="base"), encoding="utf-8")
    first = load_schema(child)
    assert [case.step for case in first.cases] == ["Start"]
    base.write_text(
        base.read_text().replace("where 1 <= i <= j <= n", "where 0 <= i <= j <= n"), encoding="utf-8"
    )
    changed = load_schema(child)
    assert changed != first
    assert changed == check_file(child)[0]
    base.write_text("schema base\n", encoding="utf-8")
    with pytest.raises(SchemaError):
        load_schema(child)


def test_a_base_that_appears_beside_the_file_comes_before_the_shipped_one(
    folder: Path, tmp_path: Path, written: Written
) -> None:
    child = written("child.schema", 'schema child extends eisner1996\ntitle "mine"\n')
    shipped = load_schema(child)
    assert shipped.cases == load_schema("eisner1996").cases
    write(tmp_path / "eisner1996.schema")
    assert load_schema(child).cases != shipped.cases
    assert load_schema(child) == check_file(child)[0]


def test_each_setting_of_the_parameters_is_kept_by_itself(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "small.schema", "k", "(k = 1) where k >= 1")
    found = {k: load_schema(path, {"k": k}) for k in (1, 2, 3)}
    assert len(list(folder.iterdir())) == 3
    forbid_reading(monkeypatch)
    assert {k: load_schema(path, {"k": k}) for k in (1, 2, 3)} == found
    assert len({str(schema.cases) for schema in found.values()}) == 3


def test_a_file_with_a_warning_warns_every_time(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small.write_text(small.read_text().replace("schema small", "schema other"), encoding="utf-8")
    first, findings = load_file(small)
    assert first is not None
    assert [f.code for f in findings] == ["name-mismatch"]
    forbid_reading(monkeypatch)
    assert load_file(small) == (first, findings)
    assert load_file(small)[1][0].render() == findings[0].render()


def test_a_file_with_an_error_is_not_kept(folder: Path, tmp_path: Path) -> None:
    path = write(tmp_path / "small.schema", "")
    for _ in range(2):
        schema, findings = load_file(path)
        assert schema is None
        assert findings
    assert not list(folder.glob("*"))


def test_wrong_parameters_are_told_of_after_right_ones(folder: Path, tmp_path: Path) -> None:
    path = write(tmp_path / "small.schema", "k", "(k = 1) where k >= 1")
    load_schema(path, {"k": 2})
    for wrong in ({"k": 0}, {"l": 2}):
        for _ in range(2):
            with pytest.raises(UsageError):
                load_schema(path, wrong)


def test_what_is_nested_too_deeply_to_be_kept_is_read_every_time(small: Path, folder: Path) -> None:
    deep = ("not " * 33 + "(") * 10 + "i < j" + ")" * 10
    small.write_text(
        small.read_text().replace("-\n  span[i, j + 1]", f"-  {deep}\n  span[i, j + 1]"), encoding="utf-8"
    )
    first, findings = load_file(small)
    assert first is not None, findings
    again, _ = load_file(small)
    assert [c.step for c in again.cases] == [c.step for c in first.cases]
    assert not list(folder.glob("*"))


def test_another_copy_of_the_package_keeps_its_own(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_schema(small)
    monkeypatch.setattr(library, "_PACKAGE", tmp_path)
    assert library.kept_schema(small, {}) is None
    monkeypatch.undo()


def test_where_the_modules_cannot_be_read_nothing_is_kept(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "_modules", lambda: None)
    path = write(tmp_path / "small.schema")
    assert load_schema(path) == load_schema(path)
    assert not folder.exists()


def test_a_name_that_is_none_is_told_of(folder: Path) -> None:
    with pytest.raises(SchemaError, match="the file cannot be read: embedded null"):
        load_schema("a\0.schema")


def test_places_name_the_file_as_it_was_given(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_schema(small)
    monkeypatch.chdir(tmp_path)
    near = load_schema(Path("small.schema"))
    assert near.cases[0].span.source.file == "small.schema"
    assert load_schema(small).cases[0].span.source.file == str(small)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda file, content: b"",
        lambda file, content: content[: len(content) // 2],
        lambda file, content: content[:-9] + b"\0" + content[-8:],
        lambda file, content: summed(file, b""),
        lambda file, content: summed(file, pickle.dumps(("key", (), "schema"))),
        lambda file, content: summed(file, pickle.dumps(None)),
        lambda file, content: summed(file, content.partition(b"\n")[2][:-20]),
    ],
)
def test_a_spoilt_file_is_passed_over(spoil, small: Path, folder: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    schema = load_schema(small)
    (file,) = folder.iterdir()
    file.write_bytes(spoil(file, file.read_bytes()))
    assert load_schema(small) == schema
    forbid_reading(monkeypatch)
    assert load_schema(small) == schema  # from the file, which is whole again


def summed(file: Path, content: bytes) -> bytes:
    place = zlib.crc32(f"{file.parent.name}/{file.name}".encode())
    return b"%08x\n" % zlib.crc32(content, place) + content


def test_nothing_that_a_file_says_is_done(folder: Path, tmp_path: Path) -> None:
    path, harm = write(tmp_path / "small.schema"), tmp_path / "harm"
    schema = load_schema(path)
    (file,) = folder.iterdir()
    content = pickle.dumps((Harm(harm), (), None))
    pickle.loads(content)
    assert harm.exists()
    harm.rmdir()
    file.write_bytes(summed(file, content))
    assert load_schema(path) == schema
    assert not harm.exists()


def test_a_folder_that_cannot_be_written_is_no_mistake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    path = write(tmp_path / "small.schema")
    assert load_schema(path) == load_schema(path)
