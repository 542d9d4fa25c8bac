"""Files kept between runs: whole, our own, and not too many."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from schemata import kept


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "schemata" / "things"


def test_what_is_kept_is_found(folder: Path) -> None:
    assert kept.look_up("things", "one") is None
    for content in (b"", b"\n", b"a\nb", bytes(range(256))):
        kept.store("things", "one", content)
        assert kept.look_up("things", "one") == content
    assert kept.look_up("others", "one") is None
    assert [file.name for file in folder.iterdir()] == ["one"]


@pytest.mark.parametrize("at", [0, 4, 8, 9, 12])
def test_a_file_with_one_byte_changed_is_not_found(at: int, folder: Path) -> None:
    kept.store("things", "one", b"content")
    content = bytearray((folder / "one").read_bytes())
    content[at] ^= 1
    (folder / "one").write_bytes(content)
    assert kept.look_up("things", "one") is None


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no users")
@pytest.mark.parametrize("which", ["folder", "file"])
def test_what_others_may_write_to_is_not_read(which: str, folder: Path) -> None:
    kept.store("things", "one", b"content")
    open_to_all = folder if which == "folder" else folder / "one"
    open_to_all.chmod(0o777)
    assert kept.look_up("things", "one") is None


def test_the_oldest_files_go(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "_MOST", 3)
    for k in range(6):
        kept.store("things", str(k), b"content")
        os.utime(folder / str(k), (k, k))
    assert {file.name for file in folder.iterdir()} == {"3", "4", "5"}


def test_without_a_folder_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert kept.folder_of("things") is None
    kept.store("things", "one", b"content")
    assert kept.look_up("things", "one") is None
    assert not Path("relative").exists()
