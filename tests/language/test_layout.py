"""The layout of schema files, and new ones: the schema stays the same, and a second time nothing changes."""

import json
import random
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

import schemata
from schemata.errors import UsageError
from schemata.language.beginnings import BEGINNINGS, beginning
from schemata.language.files import check_file, read_schema_text
from schemata.language.layout import formatted
from schemata.language.shipped import shipped_schemata
from schemata.language.source import read_source, source_from_text
from tests.random_schemata.writer import random_draft
from tests.support import ROOT
from tests.support.commands import Answer

Cli = Callable[..., Answer]
FILES = [*shipped_schemata().values(), *sorted((ROOT / "tests" / "schemata").glob("*.schema"))]


def check_layout(text: str, path: Path) -> str:
    """Check that the layout of a text keeps its schema, if it has one, and return it."""
    schema, _ = read_schema_text(text, path.name, path=path)
    found = formatted(source_from_text(text, path.name))
    assert read_schema_text(found, path.name, path=path)[0] == schema
    assert formatted(source_from_text(found, path.name)) == found
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.rotated(4)
def test_the_schema_stays(path: Path) -> None:
    """Whatever was done to blanks, dashes and empty lines."""
    text = read_source(path).text
    found = check_layout(text, path)
    draw = random.Random(path.stem)
    lines = []
    for line in text.splitlines():
        is_bar = line.strip() and not line.strip().strip("-")
        shown = (
            line.replace("-----", "---") if is_bar and line.count("-") > 8 else line + "---" * bool(is_bar)
        )
        lines.append(shown + " " * draw.randint(0, 2))
        lines += [""] * (draw.random() < 0.1 and not line.strip())
    assert check_layout("\n".join(lines) + "\n\n\n", path) == found


def test_shipped_files_are_laid_out() -> None:
    for path in shipped_schemata().values():
        assert formatted(read_source(path)) == path.read_text(encoding="utf-8"), path


@pytest.mark.thorough
def test_random_schemata() -> None:
    for seed in range(40):
        check_layout(random_draft(random.Random(seed)).text, Path("r.schema"))


def test_a_rule(tmp_path: Path) -> None:
    text = """\
schema a
title "x"   # its name
grammar    d-rules


hypothesis word[i]  where 1 <= i <= n
item t[i: position, j: position]   where i <= j
step A
# begins
 word[ i ]
 ---   i   in [1..n],   # a word
   t[i,i]
step B
case left
# to the left
  t[i, j]  t[j + 1, k]
  -----------------------------  attach  j  to  k
  t[i, k]
case right
      t[i, j]      t[j + 1, k]   # two
  ---  attach k to j,
  t[i, k]     j < k
final t[1, n]
"""
    assert formatted(source_from_text(text, "a.schema")) == """\
schema a
  title "x"   # its name
  grammar    d-rules

hypothesis word[i]  where 1 <= i <= n
item t[i: position, j: position]   where i <= j
step A
  # begins
  word[ i ]
  ---------  i in [1..n],  # a word
  t[i,i]
step B
  case left
    # to the left
    t[i, j]   t[j + 1, k]
    ---------------------  attach j to k
    t[i, k]
  case right
    t[i, j]   t[j + 1, k]  # two
    ---------------------  attach k to j,
    t[i, k]
final t[1, n]
""".replace("    t[i, k]\nfinal", "    t[i, k]                j < k\nfinal")  # fmt: skip


def test_the_command(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "mine.schema"
    path.write_text(beginning("mine").replace("-----------------------------", "---"), encoding="utf-8")
    assert cli("format", "--check", str(path)).code == 1
    assert cli("format", str(tmp_path)).code == 0
    assert path.read_text(encoding="utf-8") == beginning("mine")
    answer = cli("format", "--check", str(path), "--json")
    assert (answer.code, json.loads(answer.out)["files"][0]["changed"]) == (0, False)
    path.write_text("schema mine\nstep A\n", encoding="utf-8")
    assert cli("format", str(path)).code == 1
    assert path.read_text(encoding="utf-8") == "schema mine\nstep A\n"
    assert cli("format", str(tmp_path / "none.schema")).code == 2


@pytest.mark.parametrize("kind", BEGINNINGS)
def test_new_schemata(kind: str, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They have no findings and are laid out; the commands that are printed with them accept a sentence and verify."""
    monkeypatch.chdir(tmp_path)
    answer = cli("new", "my-parser", "--kind", kind)
    assert answer.code == 0
    path = Path("my-parser.schema")
    schema, findings = check_file(path)
    assert schema is not None
    assert findings == []
    assert formatted(read_source(path)) == path.read_text(encoding="utf-8")
    printed = [shlex.split(line) for line in answer.out.splitlines()[1:]]
    assert [words[:3] for words in printed] == [
        ["schemata", command, "my-parser.schema"] for command in ("check", "show", "run", "verify")
    ]
    tried = {words[1]: cli(*words[1:]) for words in printed}
    assert {(one.code, one.err) for one in tried.values()} == {(0, "")}
    assert "words: accepted" in tried["run"].out
    assert "yes, to 5 words" in tried["verify"].out or "as far as 5 words tell" in tried["verify"].out
    assert cli("new", "my-parser").code == 2  # it is there
    if kind == "dependencies":
        assert schemata.verify(str(path), "projective", max_n=4).holds


def test_a_new_schema_over_facts_is_verified_in_earnest(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With its facts beside it: these are never overwritten, are missed with a hint, and tell a wrong step."""
    monkeypatch.chdir(tmp_path)
    beside = Path("mine.facts")
    beside.write_text("mine", encoding="utf-8")
    assert cli("new", "mine", "--kind", "facts").code == 2
    assert [file.name for file in Path().iterdir()] == ["mine.facts"]
    beside.unlink()
    assert cli("new", "mine", "--kind", "facts").code == 0
    without = cli("run", "mine.schema", "the dogs run")
    assert without.code == 2
    assert "example" not in without.err
    assert "prints a small grammar that would do" in without.err
    path = Path("mine.schema")
    path.write_text(path.read_text(encoding="utf-8").replace("next(S, T)", "next(T, S)"), encoding="utf-8")
    assert cli("verify", "mine.schema", "--same-as", "hmm", "--grammar", "mine.facts").code == 1


def test_names_and_kinds_that_are_none() -> None:
    with pytest.raises(UsageError, match="not a name of a schema"):
        beginning("my parser")
    with pytest.raises(UsageError, match="no new schemata over trees"):
        beginning("mine", "trees")


def test_blanks_within_a_structure_and_a_case_make_no_difference() -> None:
    text = (
        "schema a\n  grammar d-rules\n  structure dependency tree\n"
        "hypothesis word[i]  where 1 <= i <= n\n"
        "item t[i: position, j: position]  where 1 <= i <= j <= n\n"
        "step A\n  case to the left\n    word[i]\n    -------\n    t[i, i]\n"
        "  case to the right\n    t[i, j]   t[j + 1, k]\n    ---------------------  attach i to k\n    t[i, k]\n"
        "final t[1, n]\n"
    )
    wide = text.replace("dependency tree", "dependency   tree").replace("to the left", "to  the   left")
    schema, findings = read_schema_text(text, "a.schema")
    other, more = read_schema_text(wide, "a.schema")
    assert schema is not None
    assert (schema.structure, [one.label for one in schema.cases]) == (
        "dependency tree",
        ["to the left", "to the right"],
    )
    assert (other, more) == (schema, findings)
