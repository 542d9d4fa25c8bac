"""`schemata list`: every schema under its folder at any width, and those that words name."""

import pytest

from schemata.language.extension import load_headline
from schemata.language.library import schema_path, shipped_relations
from schemata.language.shipped import ALIASES, shipped_schemata
from tests.support.commands import Cli, Prints, Tells


def test_json_has_all_schemata_and_relations(tells: Tells) -> None:
    found = tells("list")
    names = [row["schema"] for row in found["schemata"]]
    assert sorted(names) == sorted(shipped_schemata())
    assert names.index("bilexical") + 1 == names.index("bilexical-hooks")
    assert names.index("eisner1996") + 1 == names.index("eisner1996-once")
    assert {row["relation"] for row in found["relations"]} == set(shipped_relations())
    aliases = {alias: row["schema"] for row in found["schemata"] for alias in row.get("aliases", ())}
    assert aliases == ALIASES


@pytest.mark.parametrize("width", [40, 60, 80, 100, 150, 220])
def test_every_name_and_title_stands_under_its_folder_within_the_width(
    width: int, prints: Prints, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    text = prints("list")
    assert max(map(len, text.splitlines())) <= width
    blocks = [block.split("\n") for block in text.rstrip("\n").split("\n\n")]
    folders = {lines[0]: lines[1:] for lines in blocks if not lines[0].startswith(" ")}
    assert list(folders) == sorted({path.parent.name for path in shipped_schemata().values()})
    for name, path in shipped_schemata().items():
        lines = folders[path.parent.name]
        at = next(k for k, line in enumerate(lines) if line.split()[0] == name and line[2] != " ")
        entry = [lines[at]]
        for line in lines[at + 1 :]:
            if line[2] != " ":
                break
            entry.append(line)
        shown = " ".join(" ".join(entry).split())
        assert shown.startswith(f"{name} ")
        assert shown.endswith(load_headline(path).title or "")


def test_at_eighty_columns_there_are_names_and_titles_only(prints: Prints) -> None:
    lines = prints("list").splitlines()
    assert "  mh                         Multi-headed schema: Attardi's lists with at most k" in lines
    assert not any("O(n" in line or "k=3" in line for line in lines)


def test_where_there_is_room_times_and_classes_stand_beside_names(
    prints: Prints, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    header, *lines = prints("list").splitlines()
    assert header.split() == ["schema", "time", "class", "each", "once", "grammar", "proved", "title"]
    (eisner,) = (line.split() for line in lines if line.startswith("  eisner1996 "))
    assert eisner[1:7] == ["O(n^3)", "projective", "no", "d-rules", "correct", "Eisner"]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("cky", {"cyk", "tag-cky"}),
        ("KASAMI", {"cyk"}),
        ("courtin", {"head-corner3"}),
        ("gomez-rodriguez nivre", None),
        ("projective eisner once", {"eisner-satta1999-once", "eisner1996-once"}),
    ],
)
def test_words_are_looked_for_in_names_titles_sources_and_aliases(
    words: str, found: set[str] | None, tells: Tells
) -> None:
    rows = tells(f"list {words}")["schemata"]
    if found is not None:
        assert {row["schema"] for row in rows} >= found
    else:
        assert rows
        assert all("Gómez" in row["source"] for row in rows)


def test_relations_by_name_and_kind(tells: Tells, prints: Prints) -> None:
    assert set(shipped_relations()) == {
        line.split()[0] for line in prints("list --relations").splitlines()[2:]
    }
    assert [line.split() for line in prints("list --relations mg1-wg1").splitlines()[2:]] == [
        ["mg1-wg1", "static-filter"]
    ]
    assert {row["kind"] for row in tells("list --relations static-filter")["relations"]} == {"static-filter"}


def test_an_alias_names_its_schema_in_every_command(prints: Prints) -> None:
    for alias, name in ALIASES.items():
        assert schema_path(alias) == shipped_schemata()[name]
    assert prints("show cky") == prints("show cyk")


def test_what_is_not_there(cli: Cli) -> None:
    assert cli("list", "eisnr1996").code == 2
    assert "did you mean eisner1996" in cli("list", "eisnr1996").err
    assert cli("list", "--relations", "eisnr1996").out == ""
