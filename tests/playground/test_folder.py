"""The folder of the page and its server; the parts are stand-ins here, those of npm are tested in a browser."""

import hashlib
import http.client
import io
import json
import re
import subprocess
import sys
import tarfile
import threading
import zipfile
from pathlib import Path

import pytest

from schemata.errors import SchemaError, UsageError
from schemata.exercises.reading import shipped_exercises
from schemata.kinds import FACTS
from schemata.language.beginnings import BEGINNINGS, beginning
from schemata.language.library import schema_path
from schemata.playground import export, parts
from schemata.playground.answers import answer
from schemata.playground.serve import HEADERS, server


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Parts that are none, where the variable names them."""
    folder = tmp_path / "parts"
    (folder / "pyodide").mkdir(parents=True)
    (folder / "solver").mkdir()
    for name in (*parts.NEEDED, "solver/z3.whl"):
        (folder / name).write_text("// nothing", encoding="utf-8")
    monkeypatch.setenv(parts.VARIABLE, str(folder))
    return folder


@pytest.mark.thorough
def test_the_folder_has_all_that_the_page_loads(made: Path, tmp_path: Path) -> None:
    own = tmp_path / "mine.schema"
    own.write_text("schema mine\n", encoding="utf-8")
    (tmp_path / "words.cfg").write_text("S -> 'a'\n", encoding="utf-8")
    site = tmp_path / "site"
    export.export(site, parts.parts(), [str(own), str(tmp_path / "words.cfg")])
    listed = json.loads((site / "catalogue.json").read_text(encoding="utf-8"))
    assert listed["first"] == "mine"
    assert listed["groups"][0]["schemata"][0]["text"] == "schema mine\n"
    assert [one["kind"] for one in listed["grammars"]] == ["context-free"]
    for script in site.glob("*.js"):
        for line in script.read_text(encoding="utf-8").splitlines():
            if ' from "./' in line:
                assert (site / line.split('from "./')[1].split('"')[0]).is_file(), line
    with tarfile.open(site / "library.tar.gz") as archive:
        names = archive.getnames()
    for name in (
        "schemata/playground/answers.py",
        "schemata/language/schema.lark",
        "lark/lark.py",
        "wcwidth/__init__.py",
    ):
        assert name in names
    assert "schemata/schema_specs/projective/eisner1996.schema" in names
    assert "schemata/examples/english.cfg" in names
    assert len(names) == len(set(names))
    first = (site / "library.tar.gz").read_bytes()
    export.export(site, made, [])  # again, over itself
    assert (site / "library.tar.gz").read_bytes() == first


def test_the_archive_needs_nothing_else_for_wide_and_combined_characters(tmp_path: Path) -> None:
    with tarfile.open(fileobj=io.BytesIO(export.library())) as archive:
        archive.extractall(tmp_path, filter="data")
    program = """
import sys
sys.path.insert(0, sys.argv[1])
from schemata.errors import text_width
from schemata.playground.answers import answer
assert text_width("猫 e\u0301 ─") == 6
schema = "schema x\\n  grammar d-rules\\nitem a[i: position]\\nstep S\\n  ---  猫 < ß\\n  a[1]\\nfinal a[n]\\n"
found = answer({"ask": "check", "schema": schema})
assert "unbound-variable" in {x["code"] for x in found["findings"]}, found
"""
    asked = [sys.executable, "-I", "-S", "-c", program, str(tmp_path)]
    found = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr


@pytest.mark.parametrize("kind", BEGINNINGS)
def test_schemata_of_a_teacher_begin_with_a_sentence(kind: str, made: Path, tmp_path: Path) -> None:
    """And with a grammar, so that the page opens with a chart and not with an error; those with errors have neither."""
    own, broken = tmp_path / "mine.schema", tmp_path / "broken.schema"
    own.write_text(beginning("mine", kind), encoding="utf-8")
    broken.write_text("schema broken\n", encoding="utf-8")
    export.export(tmp_path / "site", parts.parts(), [str(own), str(broken)])
    listed = json.loads((tmp_path / "site" / "catalogue.json").read_text(encoding="utf-8"))
    mine, other = listed["groups"][0]["schemata"]
    found = answer(
        {"ask": "run", "schema": mine["text"], "sentence": mine["sentence"], "grammar": mine["given"]}
    )
    assert "errors" not in found
    assert found["items"] > 0 or kind == FACTS
    assert "sentence" not in other


def test_exercises_of_a_teacher_go_with_the_page(made: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.schema").write_text(
        schema_path("collins1996").read_text(encoding="utf-8"), encoding="utf-8"
    )
    own = tmp_path / "mine.exercise"
    own.write_text(
        f"exercise count\ntitle Mine\nschema {tmp_path / 'mine.schema'}\ncount items\nlengths 1..3\n\ntask\n  Count.\n",
        encoding="utf-8",
    )
    site = tmp_path / "site"
    export.export(site, parts.parts(), [str(own)])
    (tmp_path / "mine.schema").unlink()  # the page has no such file: the text is in the exercise
    listed = json.loads((site / "catalogue.json").read_text(encoding="utf-8"))["exercises"]
    assert [one["name"] for one in listed] == ["mine", *shipped_exercises()]
    assert (listed[0]["title"], listed[0]["kind"]) == ("Mine", "count")
    about = {"exercise": "mine", "text": listed[0]["text"]}
    assert answer({"ask": "exercise", **about})["title"] == "Mine"
    assert answer({"ask": "grade", "given": "n*(n+1)*(n+2)/6 - n", **about})["right"] is True
    wrong = answer({"ask": "grade", "given": "n", **about})
    assert wrong["right"] is False
    assert "has 0 items" in wrong["message"]
    own.write_text("exercise count\nschema collins1996\ncount itms\n", encoding="utf-8")
    with pytest.raises(SchemaError) as told:
        export.export(site, parts.parts(), [str(own)])
    assert any("itms" in one.message for one in told.value.diagnostics)


def test_scripts_make_no_markup_of_text() -> None:
    web = Path(export.__file__).parent / "web"
    scripts = [path for path in web.iterdir() if path.suffix in (".js", ".html")]
    assert len(scripts) > 10
    for path in scripts:
        text = path.read_text(encoding="utf-8")
        for word in (
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "new Function",
            "http://1",
        ):
            assert word not in text, (path.name, word)
        assert "https://" not in text, path.name  # nothing from elsewhere


def test_other_folders_are_left_alone(made: Path, tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "dear.txt").write_text("x", encoding="utf-8")
    for folder in (tmp_path / "letters", tmp_path / "letters" / "dear.txt"):
        with pytest.raises(UsageError):
            export.export(folder, made)
    for given in ("nothing", str(tmp_path / "letters" / "dear.txt"), str(tmp_path / "absent.schema")):
        with pytest.raises(UsageError):
            export.export(tmp_path / "new", made, [given])


def test_the_lack_of_parts_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(parts.VARIABLE, str(tmp_path))
    with pytest.raises(UsageError, match=r"lacks codemirror\.js"):
        parts.parts()
    monkeypatch.delenv(parts.VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(parts.shutil, "which", lambda *_, **__: None)
    with pytest.raises(UsageError, match="there is no npm") as told:
        parts.parts()
    assert "parsing-schemata[playground]" in str(told.value.diagnostics[0].hint)


def test_npm_that_fails_is_told_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    npm = tmp_path / "npm"
    npm.write_text("#!/bin/sh\necho 'npm error network' >&2\nexit 1\n", encoding="utf-8")
    npm.chmod(0o755)
    monkeypatch.delenv(parts.VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(parts.shutil, "which", lambda *_, **__: str(npm))
    with pytest.raises(UsageError, match="npm error network"):
        parts.parts()
    assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file()] == []


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("#!/bin/sh\nexec sleep 30\n", "node took more than 0.3 s"),
        ("#!/bin/sh\necho 'out of memory' >&2\nexit 1\n", "node fails: out of memory"),
        ("#!/bin/sh\nexit 0\n", "node left no result"),
        (None, "there is no node"),
    ],
)
def test_a_page_that_is_not_compiled_says_so(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str | None, reason: str
) -> None:
    node = tmp_path / "node"
    if script is not None:
        node.write_text(script, encoding="utf-8")
        node.chmod(0o755)
    monkeypatch.setattr(parts.shutil, "which", lambda *_, **__: None if script is None else str(node))
    monkeypatch.setattr(parts, "_PATIENCE", 0.3)
    monkeypatch.setattr(export, "library", lambda: b"as it is")
    (warning,) = export.export(tmp_path / "site", made)
    assert reason in warning.message
    assert warning.severity == "warning"
    assert (tmp_path / "site" / parts.LIBRARY).read_bytes() == b"as it is"


def test_a_page_without_a_solver_says_so(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "compiled", lambda *_: ({}, None))
    for left, codes in ((True, []), (False, ["no-solver"])):
        if not left:
            (made / "solver" / "z3.whl").unlink()
        assert [one.code for one in export.export(tmp_path / "site", made)] == codes
        told = json.loads((tmp_path / "site" / "vendor" / "parts.json").read_text(encoding="utf-8"))
        assert told["solver"] == ["z3.whl"] * left


def test_a_solver_with_another_checksum_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pip")
    (pinned,) = (parts._OWN / parts._SOLVER).read_text(encoding="utf-8").splitlines()
    version, checksum = re.fullmatch(r"z3-solver==([\d.]+) --hash=sha256:([0-9a-f]{64})", pinned).groups()
    index = tmp_path / "index"
    index.mkdir()
    wheel = index / f"z3_solver-{version}-py3-none-{parts._PLATFORM}.whl"
    about = f"z3_solver-{version}.dist-info"
    with zipfile.ZipFile(wheel, "w") as content:
        content.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: z3-solver\nVersion: {version}\n")
        content.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\n")
        content.writestr(f"{about}/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))
    parts._solver(tmp_path / "other")
    assert list((tmp_path / "other").glob("*.whl")) == []
    right = pinned.replace(checksum, hashlib.sha256(wheel.read_bytes()).hexdigest())
    (tmp_path / parts._SOLVER).write_text(right, encoding="utf-8")
    monkeypatch.setattr(parts, "_OWN", tmp_path)
    parts._solver(tmp_path / "same")
    assert [one.name for one in (tmp_path / "same").iterdir()] == [wheel.name]


@pytest.mark.thorough
def test_a_page_that_is_compiled_has_what_node_made(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = tmp_path / "node"
    node.write_text(
        '#!/bin/sh\nprintf one > "$4/library.tar.gz"\nprintf two > "$4/python_stdlib.zip"\n', encoding="utf-8"
    )
    node.chmod(0o755)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(parts.shutil, "which", lambda *_, **__: str(node))
    monkeypatch.setattr(export, "library", lambda: b"as it is")
    for _ in range(2):  # made, then kept
        assert export.export(tmp_path / "site", made) == ()
        assert (tmp_path / "site" / parts.LIBRARY).read_bytes() == b"one"
        node.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")


def test_the_server_serves_files_alone_and_this_machine_alone(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("page", encoding="utf-8")
    (tmp_path / "a.mjs").write_text("1", encoding="utf-8")
    (tmp_path / "inside").mkdir()
    serving = server(tmp_path)
    thread = threading.Thread(target=serving.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        host, port = str(serving.server_address[0]), int(serving.server_address[1])
        assert host == "127.0.0.1"

        def get(path: str, name: str = host) -> tuple[int, dict[str, str], bytes]:
            link = http.client.HTTPConnection(host, port, timeout=20)
            link.request("GET", path, headers={"Host": f"{name}:{port}"})
            answer = link.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()

        status, headers, body = get("/")
        assert (status, body) == (200, b"page")
        assert headers.items() >= HEADERS.items()
        assert get("/a.mjs")[1]["Content-type"].startswith("text/javascript")
        assert get("/inside/")[0] == 404
        assert get("/../../etc/passwd")[0] == 404
        assert get("/", "elsewhere.example")[0] == 421
        with pytest.raises(UsageError, match="nothing can be served at port"):
            server(tmp_path, port)
    finally:
        serving.shutdown()
        thread.join()
        serving.server_close()
