"""The command `relate`: answers, exit codes, JSON, LaTeX, mistakes; and relation files, listed, shown and checked."""

import json

import pytest

from schemata.cli.main import main
from schemata.language.library import shipped_relations
from tests.support.commands import Prints, Tells

TO_EISNER = "span[i, j] to span[i, j, false, false]"


def test_a_refinement_with_its_witnesses(prints):
    out = prints("relate eisner-satta1999 eisner1996 --kind step-refinement")
    assert "eisner1996 is a step refinement of eisner-satta1999: holds" in out
    assert "= Initter; CombineSpans; CombineSpans; R-Link of eisner1996" in out
    assert "checked for n <= 5" in out


def test_no_with_the_counterexample(prints):
    out = prints("relate mg1 wg1 --kind step-refinement --max-n 5", code=1)
    assert "At n = 5: wg1 does not derive" in out
    assert "Interleaving" in out


def test_json_has_the_stable_keys(tells, prints):
    words = ["yamada-matsumoto2003", "eisner1996:end=1", "--kind", "step-refinement", "--map", TO_EISNER]
    found = tells("relate", *words, "--max-n", "3")
    assert {k: found[k] for k in ("from", "to", "kind", "holds", "max_n", "counterexample")} == {
        "from": "yamada-matsumoto2003",
        "to": "eisner1996:end=1",
        "kind": "step-refinement",
        "holds": True,
        "max_n": 3,
        "counterexample": None,
    }
    assert [w["step"] for w in found["witnesses"]] == ["Initter", "R-Link", "L-Link"]
    out = prints("relate wg1 mg1 --kind static-filter --max-n 5 --json", code=1)
    broken = json.loads(out)["counterexample"]
    assert broken["n"] == 5
    assert broken["instance"]["step"].startswith("Interleaving")


def test_without_a_kind(tells, prints):
    found = tells("relate eisner1996:end=1 yamada-matsumoto2003 --max-n 3")
    assert [r["kind"] for r in found["relations"]] == ["step-contraction"]
    asked = "relate nivre2003 collins1996 --max-n 2"
    assert "they are guesses, so nothing is decided" in " ".join(prints(asked, code=2).split())
    assert json.loads(prints(asked, "--json", code=2))["guessed"] is True
    by_maps = prints(asked, "--map", "state[i, _] to tree[1, i, 1]", code=1)
    assert "no relation is found" in by_maps
    assert "guess" not in by_maps


def test_a_relation_file(tells, prints):
    assert tells("relate mh-mh --set k=3 --max-n 3")["kind"] == "static-filter"
    out = prints("relate collins1996-head-corner5 --max-n 2", code=1)
    assert "the derivation:" in out
    assert "rule w1(^ w2)" in out


def test_latex(prints):
    out = prints("relate eisner-satta1999 eisner1996 --kind step-refinement --latex --max-n 3")
    assert r"\stackrel{sr}{\rightarrow}" in out
    assert out.count(r"\begin{quote}") == out.count(r"\end{quote}") > 3
    assert out.count("{") == out.count("}")


def test_examples(prints):
    out = prints("relate eisner-satta1999 eisner1996 --kind step-refinement --emulations --max-n 3")
    assert "|- span[1, 2, true, false], 1 under 2  by R-Link" in out


def test_the_map(prints, tmp_path, monkeypatch):
    some = ("arc-eager-published-arc-eager", "collins1996-head-corner5")
    shipped = {name: path for name, path in shipped_relations().items() if name in some}
    monkeypatch.setattr("schemata.relations.discovery.shipped_relations", lambda: shipped)
    target = tmp_path / "map.svg"
    assert prints("relate --all --max-n 3 --svg", str(target), code=1).endswith(f"wrote {target}\n")
    assert target.read_text(encoding="utf-8").startswith("<svg")
    told = json.loads(prints("relate --all --max-n 3 --json --dot", str(tmp_path / "map.dot"), code=1))
    assert len(told["relations"]) == 2
    assert "head-corner5" in (tmp_path / "map.dot").read_text(encoding="utf-8")


def test_schemata_without_maps(cli):
    code, out, err = cli("relate eisner1996 collins1996 --kind static-filter --max-n 2")
    assert (code, err) == (2, "")
    assert "unknown, nothing was decided" in out
    assert "a map says how items correspond (--map)" in out
    code, out, err = cli("relate eisner1996 collins1996 --kind static-filter --max-n 2 --json")
    assert (code, json.loads(out)["holds"]) == (2, None)


def test_a_budget(prints):
    words = ["mg1", "wg1", "--kind", "step-refinement", "--max-steps", "20", "--json"]
    out = prints("relate", *words, code=2)
    found = json.loads(out)
    assert found["holds"] is None
    assert found["stopped"] == "steps"
    out = prints("relate generalised-eisner-satta collins1996 --max-steps 5 --json", code=2)
    assert json.loads(out)["stopped"] == "steps"


def test_verify_cites(tells: Tells):
    found = tells("verify eisner1996 --class projective --max-n 3 --cite")
    said = [(one["says"], one["because"], one["relation"]) for one in found["citations"]]
    assert said[:2] == [
        ("complete", "eisner-satta1999", "eisner-satta1999-eisner1996"),
        ("complete", "eisner1996-once", "eisner1996-eisner1996-once"),
    ]
    assert [because for _, because, _ in said[2:]] == ["vine"]
    kept = ("max_n", "kind", "from", "to", "checked")
    assert [found["citations"][0][key] for key in kept] == [
        3, "step-refinement", "eisner-satta1999", "eisner1996",
        "checked for n <= 3: all 20 items, all 30 step instances, each in the least grammar that has it",
    ]  # fmt: skip


def test_what_follows_from_a_stronger_kind_is_said_in_a_line(tells: Tells, prints: Prints):
    shown = prints("relate arc-eager-published arc-eager --max-n 3")
    assert shown.count("  re of arc-eager = re of arc-eager-published") == 1
    assert (
        "arc-eager is a step contraction of arc-eager-published: holds for every n, being a static filter"
        in shown
    )
    found = tells("relate arc-eager-published arc-eager --max-n 3")["relations"]
    assert [(one["kind"], one.get("implied_by")) for one in found] == [
        ("static-filter", None),
        ("dynamic-filter", "static-filter"),
        ("step-contraction", "static-filter"),
    ]
    assert found[2]["witnesses"] == found[0]["witnesses"]


CLAIM = """relation eisner-satta1999 to eisner1996
  kind  step-refinement
map tree[i, j, i]  to  span[i, j, false, true]{first}
map tree[i, j, j]  to  span[i, j, true, false]{second}
"""


@pytest.mark.parametrize("name", sorted(shipped_relations()))
def test_every_shipped_relation_shows(name, prints: Prints):
    assert prints("show", name).startswith(name)
    assert prints("show", name, "--ascii").splitlines()[2:] != []
    assert prints("show", name, "--source") == shipped_relations()[name].read_text(encoding="utf-8")


def test_show_of_a_relation_with_a_variable(tells: Tells):
    (claim,) = tells("show attardi2006-mh --set d=5")["claims"]
    assert (claim["from"], claim["to"]) == ("attardi2006:d=5", "mh:k=7")
    assert claim["kind"] == "static-filter"


def test_show_of_items_that_are_carried_backwards(prints: Prints):
    shown = prints("show dvh3-bulc --ascii")
    assert "edge[A(. *beta . *gamma), i, j] <- edge[A(*beta . *gamma), i, j]" in shown


def test_list_has_the_relations(tells: Tells, prints: Prints):
    found = tells("list")["relations"]
    assert {row["relation"] for row in found} == set(shipped_relations())
    assert {"relation": "mg1-wg1", "from": "mg1", "to": "wg1", "kind": "static-filter"} in found
    assert "mg1-wg1" in prints("list --relations")


def test_check_of_a_relation_file(written, tells: Tells, prints: Prints):
    path = written("mine.relation", CLAIM.format(first=" where i < j", second=" where i < j"))
    assert "no errors" in prints("check", str(path))
    path.write_text(CLAIM.format(first=" where i < k", second=""), encoding="utf-8")
    (result,) = tells("check", str(path), code=1)["files"]
    assert [f["code"] for f in result["findings"]] == ["unbound-variable"]


def test_check_of_maps_that_disagree(written, tells: Tells):
    path = written("mine.relation", CLAIM.format(first="", second=" where i < n"))
    (result,) = tells("check", str(path), code=1)["files"]
    (finding,) = result["findings"]
    assert (finding["code"], finding["line"], finding["column"]) == ("ambiguous-map", 4, 5)
    assert finding["message"].startswith(
        "tree[0, 0, 0] is carried to span[0, 0, true, false] as well as to span[0"
    )


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
def test_maps_that_are_no_mappings(text, message, written, tells: Tells):
    path = written("mine.relation", text)
    (result,) = tells("check", str(path), code=1)["files"]
    (finding,) = result["findings"]
    assert finding["code"] == "ambiguous-map"
    assert message in finding["message"]


def test_schemata_over_kinds_of_grammar_that_have_little_in_common():
    assert main(["relate", "kahane1998", "eisner1996", "--max-n", "2"]) == 2
