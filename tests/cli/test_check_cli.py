"""`schemata check` on grammars: dictionaries, folders with one, and the rule files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from schemata.cli.main import main

GOOD = {
    "ten.dict": "a: A+; b: A-;",
    "some.drules": "root any\nhead any takes any\n",
    "some.deprules": "root S\nS(N *)\nN(*)\nsees : S\nKim : N\n",
    "some.cfg": 'S -> NP VP\nNP -> "Kim"\nVP -> "sleeps"\n',
    "4.0.affix": '".": RPUNC+;',
    "4.0.regex": "<A>: /x/",
    "4.0.dialect": "[default]\ncheap: 1",
}
DOUBTFUL = {
    "ten.dict": ("a: A+ or C+; b: A-;", "1:10: warning: no word has a connector to the left that matches C+"),
    "some.drules": ("head any takes any\n", "warning"),
    "some.cfg": ('S -> "a"\nT -> "b"\n', "2:1: warning: the rules of T are never used"),
}
BROKEN = {
    "ten.dict": ("a: A+ & ;\nb: <m>;\n", ["1:9: error: ", "2:4: error: there is no macro <m>"]),
    "some.drules": ("head NOUN take DET\nfoo\n", ["1:11: error: ", "2:1: error: "]),
    "some.deprules": ("root S\nS(N *)\n", ["error: "]),
    "some.cfg": ('S -> "a\n', ["error: "]),
    "4.0.affix": ("( : RPUNC+;", ["1:1: error: "]),
    "4.0.regex": ("<A>: /(/", ["1:1: error: "]),
    "4.0.dialect": ("cheap: 1", ["1:1: error: "]),
}


def check(folder: Path, name: str, text: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    (folder / name).write_text(text, encoding="utf-8")
    code = main(["check", str(folder / name)])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


@pytest.mark.parametrize("name", GOOD)
def test_good(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(tmp_path, name, GOOD[name], capsys) == (0, f"{tmp_path / name}: no errors\n", "")


@pytest.mark.parametrize("name", DOUBTFUL)
def test_doubtful(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, said = DOUBTFUL[name]
    code, out, err = check(tmp_path, name, text, capsys)
    assert (code, out) == (0, f"{tmp_path / name}: 1 warning\n")
    assert said in err


@pytest.mark.parametrize("name", BROKEN)
def test_broken(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, said = BROKEN[name]
    code, out, err = check(tmp_path, name, text, capsys)
    assert code == 1
    assert out.endswith(f": {len(said)} error{'s' if len(said) > 1 else ''}\n")
    assert f"{tmp_path / name}:" in err
    assert all(part in err for part in said), err
    assert main(["check", str(tmp_path / name), "--json"]) == 1
    (found,) = json.loads(capsys.readouterr().out)["files"]
    assert (found["ok"], len(found["findings"])) == (False, len(said))


def test_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(tmp_path)]) == 1
    assert "this folder holds no dictionary" in capsys.readouterr().err
    (tmp_path / "4.0.dict").write_text("a: A+; b: A-;")
    assert main(["check", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"{tmp_path}: no errors\n"
    (tmp_path / "4.0.affix").write_text("( : RPUNC+;")
    assert main(["check", str(tmp_path)]) == 1
    assert "4.0.affix:1:1: error" in capsys.readouterr().err


def test_a_missing_grammar(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("no.dict", "no.cfg"):
        assert main(["check", str(tmp_path / name)]) == 1
        assert "there is no such file" in capsys.readouterr().err
