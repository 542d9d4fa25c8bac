"""Files kept between runs: whole, our own, not too many, and nobody else's files touched."""

import os
import pickle
import time
import zlib
from pathlib import Path

import pytest

from schemata import cache
from schemata.language import parse
from schemata.language.parse import parse_item
from schemata.thresholds import WAYS

USERS = pytest.mark.skipif(not hasattr(os, "getuid"), reason="no users")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "schemata" / "things"


def names(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}


def test_what_is_kept_is_found(folder: Path) -> None:
    assert cache.look_up("things", "one") is None
    for content in (b"", b"\n", b"a\nb", bytes(range(256))):
        cache.store("things", "one", content)
        assert cache.look_up("things", "one") == content
    assert cache.look_up("others", "one") is None
    assert names(folder) == {"one.kept"}


@pytest.mark.parametrize("at", [0, 4, 8, 9, 12])
def test_a_file_with_one_byte_changed_is_not_found(at: int, folder: Path) -> None:
    cache.store("things", "one", b"content")
    content = bytearray((folder / "one.kept").read_bytes())
    content[at] ^= 1
    (folder / "one.kept").write_bytes(content)
    assert cache.look_up("things", "one") is None


def test_files_that_changed_places_are_not_found(folder: Path) -> None:
    cache.store("things", "one", b"first")
    cache.store("things", "two", b"second")
    (folder / "one.kept").rename(folder / "other")
    (folder / "two.kept").rename(folder / "one.kept")
    (folder / "other").rename(folder / "two.kept")
    assert cache.look_up("things", "one") is None
    assert cache.look_up("things", "two") is None


@pytest.mark.parametrize("name", ["a\0b", "../up", "a/b", "a:b?", "Café"])
def test_any_text_is_a_name(name: str, folder: Path) -> None:
    cache.store("things", name, b"content")
    assert cache.look_up("things", name) == b"content"
    assert len(names(folder)) == 1
    assert names(folder.parent) == {"things"}


@USERS
@pytest.mark.parametrize("which", ["", "things", "things/one.kept"])
def test_what_others_may_write_to_is_not_read(which: str, folder: Path) -> None:
    cache.store("things", "one", b"content")
    (folder.parent / which).chmod(0o777)
    assert cache.look_up("things", "one") is None


@USERS
def test_folders_are_the_users_own_whatever_new_files_are(folder: Path) -> None:
    before = os.umask(0o002)
    try:
        cache.store("things", "one", b"content")
    finally:
        os.umask(before)
    assert cache.look_up("things", "one") == b"content"


@pytest.mark.parametrize("which", ["schemata", "schemata/things"])
def test_a_link_is_not_followed(which: str, tmp_path: Path, folder: Path) -> None:
    documents = tmp_path / "documents"
    (documents / "things").mkdir(parents=True)
    for k in range(9):
        (documents / "things" / f"{k}.kept").write_text("mine")
        (documents / f"{k}.kept").write_text("mine")
    link = tmp_path / which
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(documents)
    for k in range(9):
        cache.store("things", f"new{k}", b"content")
    assert cache.look_up("things", "new0") is None
    assert sum(file.is_file() for file in documents.rglob("*")) == 18


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes")
def test_what_is_no_file_is_not_read(folder: Path) -> None:
    cache.store("things", "one", b"content")
    os.mkfifo(folder / "two.kept")
    assert cache.look_up("things", "two") is None


def test_what_was_not_used_for_longest_goes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WAYS, "cached_files", 3)
    for k in range(3):
        cache.store("things", str(k), b"content")
        os.utime(folder / f"{k}.kept", (k, k))
    assert cache.look_up("things", "0") == b"content"
    cache.store("things", "3", b"content")
    assert names(folder) == {"0.kept", "2.kept", "3.kept"}


def test_what_is_none_of_ours_stays(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WAYS, "cached_files", 1)
    cache.store("things", "one", b"content")
    (folder / "letter.txt").write_text("mine")
    (folder / "inner.kept").mkdir()
    (folder / "broken.kept").symlink_to(folder / "nowhere")
    cache.store("things", "two", b"content")
    assert names(folder) == {"two.kept", "letter.txt", "inner.kept", "broken.kept"}


def test_files_of_the_future_do_not_push_new_ones_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WAYS, "cached_files", 3)
    for k in range(3):
        cache.store("things", str(k), b"content")
        os.utime(folder / f"{k}.kept", (time.time() + 9999, time.time() + 9999))
    cache.store("things", "new", b"content")
    assert cache.look_up("things", "new") == b"content"
    assert len(names(folder)) == 3


def test_without_a_folder_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache.folder_of("things") is None
    cache.store("things", "one", b"content")
    assert cache.look_up("things", "one") is None
    assert not Path("relative").exists()


def test_modules_are_told_apart_by_what_they_say(tmp_path: Path) -> None:
    module = tmp_path / "package" / "inner" / "module.py"
    module.parent.mkdir(parents=True)
    module.write_text("a < b")
    os.utime(module, (0, 0))
    one = cache.state_of([tmp_path / "package"])
    assert one == cache.state_of([tmp_path / "package"])
    module.write_text("b < a")
    os.utime(module, (0, 0))
    two = cache.state_of([tmp_path / "package"])
    assert two not in (one, None)
    module.rename(module.with_name("other.py"))
    assert cache.state_of([tmp_path / "package"]) not in (one, two, None)
    assert cache.state_of([tmp_path / "archive.zip" / "package"]) is None


class Harm:
    """What a file could say to do harm, if pickles were obeyed."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.path),)


@pytest.mark.parametrize("harmful", [False, True])
def test_the_parse_table_is_kept_and_nothing_it_says_is_done(
    harmful: bool, tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = parse._lark.__wrapped__
    monkeypatch.setattr(parse, "_lark", table)
    monkeypatch.setattr(parse, "_tree", parse._tree.__wrapped__)  # trees of pieces are kept in the process
    item = parse_item("span[0, 1]")
    (file,) = (folder.parent / "grammar").iterdir()
    if harmful:
        content = pickle.dumps(Harm(tmp_path / "harm"))
        place = zlib.crc32(f"grammar/{file.name}".encode())
        file.write_bytes(b"%08x\n" % zlib.crc32(content, place) + content)
    else:
        monkeypatch.setattr("lark.Lark.__init__", None)
    assert parse_item("span[0, 1]") == item
    assert not (tmp_path / "harm").exists()
    assert b"mkdir" not in file.read_bytes()
