"""Kernels kept between runs are those that lowering and writing give; damaged ones and those of others are not used."""

import pickle
import shutil
import zlib
from pathlib import Path

import pytest

import schemata
from schemata.engine.run import Kernel, run_kernel
from schemata.kernels.kept import kept_kernel
from schemata.language.inputs import with_lengths
from schemata.language.library import load_schema
from schemata.language.shipped import shipped_schemata
from tests.test_cache import Harm


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of kept kernels, which is not there yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "schemata" / "kernels"


def run(kernel: Kernel) -> tuple[list[str], list[object]]:
    words = schemata.Sentence.of("a b c")
    chart = run_kernel(kernel, words, schemata.DRules.all().for_sentence(words))
    return [str(item) for item in chart.items], list(chart.instances())


@pytest.mark.parametrize("name", ["eisner1996", "wg1", "mh", "nivre2003", "arc-eager"])
def test_a_kept_kernel_does_without_lowering_and_derives_the_same(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = load_schema(name, {})
    found = run(Kernel(schema))
    assert len(list(folder.iterdir())) == 1

    def fail(*_: object, **__: object) -> None:
        raise AssertionError("made again")

    monkeypatch.setattr("schemata.program.lower.lower", fail)
    monkeypatch.setattr("schemata.kernels.agenda.emit_agenda", fail)
    monkeypatch.setattr("schemata.kernels.run.interpreted", fail)
    assert run(Kernel(schema)) == found


@pytest.mark.parametrize("name", shipped_schemata())
@pytest.mark.rotated(4)
def test_what_is_kept_is_what_was_made(name: str, request: pytest.FixtureRequest) -> None:
    schema = load_schema(name, {})  # before `folder`, without which it would be read anew
    request.getfixturevalue("folder")
    schema = with_lengths(schema, (2,)) if schema.reads_inputs else schema
    kernel = Kernel(schema)
    hashed = not kernel.agenda.layout.bounded
    kernel.agenda.module(None, hashed, "log")
    kept = kept_kernel(schema)
    assert kept.program == kernel.program
    assert kept.program.schema is schema
    assert kept.text == kernel.agenda.text(hashed, "log")


@pytest.mark.parametrize("harm", ["cut", "other", "obeyed"])
def test_a_damaged_kernel_is_written_anew(harm: str, folder: Path, tmp_path: Path) -> None:
    schema = load_schema("eisner1996", {})
    found = run(Kernel(schema))
    (file,) = folder.iterdir()
    content = file.read_bytes()
    if harm == "cut":
        file.write_bytes(content[: len(content) // 2])
    elif harm == "other":
        file.write_bytes(content[:5000] + bytes([content[5000] ^ 1]) + content[5001:])
    else:
        wrong = pickle.dumps(Harm(tmp_path / "harm"))
        place = zlib.crc32(f"kernels/{file.name}".encode())
        file.write_bytes(b"%08x\n" % zlib.crc32(wrong, place) + wrong)
    assert kept_kernel(schema) is None
    assert not (tmp_path / "harm").exists()
    assert run(Kernel(schema)) == found
    assert kept_kernel(schema) is not None


def test_kernels_that_were_swapped_are_written_anew(folder: Path) -> None:
    schemas = [load_schema(name, {}) for name in ("eisner1996", "collins1996")]
    found = [run(Kernel(schema)) for schema in schemas]
    one, other = sorted(folder.iterdir())
    shutil.move(one, folder / "aside")
    shutil.move(other, one)
    shutil.move(folder / "aside", other)
    assert [kept_kernel(schema) for schema in schemas] == [None, None]
    assert [run(Kernel(schema)) for schema in schemas] == found


def test_a_kernel_is_kept_for_one_schema(folder: Path) -> None:
    """Parameters make another schema, and so does another text of the file."""
    run(Kernel(load_schema("mh", {"k": 3})))
    assert kept_kernel(load_schema("mh", {"k": 3})) is not None
    assert kept_kernel(load_schema("mh", {"k": 4})) is None
    shutil.copy(shipped_schemata()["mh"], folder / "mh.schema")
    with (folder / "mh.schema").open("a", encoding="utf-8") as file:
        file.write("# one more line\n")
    assert kept_kernel(load_schema(folder / "mh.schema", {"k": 3})) is None


def test_measured_kernels_are_not_kept(folder: Path) -> None:
    run(Kernel(load_schema("eisner1996", {}), "rows"))
    assert not folder.exists()
