"""Relation files on the command line: listed, shown and checked."""

import json

import pytest

from schemata.cli.main import main
from schemata.language.library import shipped_relations

CLAIM = """relation eisner-satta1999 to eisner1996
  kind  step-refinement
map tree[i, j, i]  to  span[i, j, false, true]{first}
map tree[i, j, j]  to  span[i, j, true, false]{second}
"""


@pytest.mark.parametrize("name", sorted(shipped_relations()))
def test_every_shipped_relation_shows(name, capsys):
    assert main(["show", name]) == 0
    assert capsys.readouterr().out.startswith(name)
    assert main(["show", name, "--ascii"]) == 0
    assert capsys.readouterr().out.splitlines()[2:] != []
    assert main(["show", name, "--source"]) == 0
    assert capsys.readouterr().out == shipped_relations()[name].read_text(encoding="utf-8")


def test_show_of_a_relation_with_a_variable(capsys):
    assert main(["show", "attardi2006-mh", "--set", "d=5", "--json"]) == 0
    (claim,) = json.loads(capsys.readouterr().out)["claims"]
    assert (claim["from"], claim["to"]) == ("attardi2006:d=5", "mh:k=7")
    assert claim["kind"] == "static-filter"
    assert main(["show", "attardi2006-mh", "--set", "e=5"]) == 2
    assert "no variable e" in capsys.readouterr().err


def test_show_of_items_that_are_carried_backwards(capsys):
    assert main(["show", "dvh3-bulc", "--ascii"]) == 0
    shown = capsys.readouterr().out
    assert "edge[A(. *beta . *gamma), i, j] <- edge[A(*beta . *gamma), i, j]" in shown


def test_list_has_the_relations(capsys):
    assert main(["list", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["relations"]
    assert {row["relation"] for row in found} == set(shipped_relations())
    assert {"relation": "mg1-wg1", "from": "mg1", "to": "wg1", "kind": "static-filter"} in found
    assert main(["list"]) == 0
    assert "mg1-wg1" in capsys.readouterr().out


def test_check_of_a_relation_file(tmp_path, capsys):
    path = tmp_path / "mine.relation"
    path.write_text(CLAIM.format(first=" where i < j", second=" where i < j"), encoding="utf-8")
    assert main(["check", str(path)]) == 0
    assert "no errors" in capsys.readouterr().out
    path.write_text(CLAIM.format(first=" where i < k", second=""), encoding="utf-8")
    assert main(["check", str(path), "--json"]) == 1
    (result,) = json.loads(capsys.readouterr().out)["files"]
    assert [f["code"] for f in result["findings"]] == ["unbound-variable"]


def test_check_of_maps_that_disagree(tmp_path, capsys):
    path = tmp_path / "mine.relation"
    path.write_text(CLAIM.format(first="", second=" where i < n"), encoding="utf-8")
    assert main(["check", str(path), "--json"]) == 1
    (result,) = json.loads(capsys.readouterr().out)["files"]
    (finding,) = result["findings"]
    assert (finding["code"], finding["line"], finding["column"]) == ("ambiguous-map", 4, 5)
    assert finding["message"].startswith(
        "tree[0, 0, 0] is carried to span[0, 0, true, false] as well as to span[0"
    )


@pytest.mark.parametrize("name", sorted(shipped_relations()))
def test_shipped_relations_are_clean(name, capsys):
    assert main(["check", str(shipped_relations()[name])]) == 0
    assert "no errors" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "relation attardi-unbounded to yamada-matsumoto2003\nkind item-contraction\n"
            "map heads[<*_, x, *_, y, *_>] to span[x, y]",
            "heads[<0, 1, 2>] is carried to span[0, 2] as well as to span[0, 1]",
        ),
        (
            "relation eisner-satta-lg to eisner-lg\nkind step-refinement\n"
            "map span[i, j, R, L, a, b, linked] to span[i, j, R, L, a, b, true, linked]\n"
            "map span[i, j, R, L, a, b, true] to span[i, j, R, L, a, b, false, true]",
            "as well as to",
        ),
    ],
    ids=["one map of a list", "labels"],
)
def test_maps_that_are_no_mappings(text, message, tmp_path, capsys):
    path = tmp_path / "mine.relation"
    path.write_text(text, encoding="utf-8")
    assert main(["check", str(path), "--json"]) == 1
    (result,) = json.loads(capsys.readouterr().out)["files"]
    (finding,) = result["findings"]
    assert finding["code"] == "ambiguous-map"
    assert message in finding["message"]
