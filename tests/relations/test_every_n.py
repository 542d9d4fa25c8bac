"""Relations proved for every n, their certificates, and what is refused."""

import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemata.errors import UsageError
from schemata.language import model as m
from schemata.language.library import load_schema, shipped_relations
from schemata.language.relations import load_relation, read_maps
from schemata.relations import decide as decisions
from schemata.relations.certificate import certificate_of, certificates_text, entries_of, refusal
from schemata.relations.decide import decide
from schemata.relations.systems import SharedSystems
from tests.support.commands import Cli, Prints

PAGE = Path(__file__).parents[2] / "docs" / "relations.md"
BENCH = SharedSystems()
PROVED = (
    "arc-eager-arc-eager-once", "arc-standard-arc-standard-hook", "collins1996-wg1",
    "eisner-satta1999-eisner1996", "eisner1996-eisner1996-once", "mh-mh", "yamada-matsumoto2003-mh",
)  # fmt: skip


SATTA = "eisner-satta1999-eisner1996"


@cache
def _claim(name: str):
    return load_relation(name).relations[0]


def _lifted(claim, max_n: int = 4):
    return decide(claim, claim.kind, max_n, systems=BENCH, lift=True)


@cache
def _answer(name: str):
    """Return what is found of a claim that is proved."""
    return _lifted(_claim(name))


def test_the_page_has_at_least_25_relations_proved():
    rows = re.findall(r"^\| \S+ \| .* \| for every n \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) >= 25
    assert set(PROVED) <= set(shipped_relations())


@pytest.mark.parametrize("name", PROVED)
def test_a_relation_is_proved_and_its_certificate_is_checked_again(name):
    claim = _claim(name)
    answer = _answer(name)
    assert answer.holds
    assert answer.every_n, answer.unproved
    (entry,) = entries_of(certificates_text([answer]), "FILE")
    certificate = certificate_of(entry["cases"])
    assert certificate == answer.certificate
    again = read_maps(entry["maps"], claim.first, claim.second, claim.kind)
    assert refusal(again, claim.kind, certificate) == ""


def test_a_certificate_without_a_way_is_refused_with_an_instance():
    claim, certificate = _claim(SATTA), _answer(SATTA).certificate
    for key, ways in certificate.ways.items():
        for k in range(len(ways)):
            fewer = replace(certificate, ways={**certificate.ways, key: ways[:k] + ways[k + 1 :]})
            assert re.search(
                r"no way stands for \S+ from tree\[.* at n = \d", refusal(claim, claim.kind, fewer)
            )


def test_a_certificate_cannot_take_the_consequent_for_given():
    claim, certificate = _claim(SATTA), _answer(SATTA).certificate
    ways = {
        key: (replace(ways[0], steps=(), result=len(key[1]) - 1),) for key, ways in certificate.ways.items()
    }
    assert refusal(claim, claim.kind, replace(certificate, ways=ways))


@pytest.mark.parametrize("text", ["", "[]", '{"certificates": [{}]}', '{"certificates": 3}'])
def test_what_is_no_certificate_is_refused(text):
    with pytest.raises(UsageError, match=r"not a file that certificate\.text"):
        entries_of(text, "FILE")
    with pytest.raises(UsageError, match="not of the form"):
        certificate_of([{"rule": 0, "maps": [], "ways": [{"steps": [{}]}]}])


def _with_conditions(schema: m.Schema, number: int, conditions: tuple[m.Condition, ...]) -> m.Schema:
    case = replace(schema.cases[number], conditions=conditions)
    return replace(schema, cases=(*schema.cases[:number], case, *schema.cases[number + 1 :]))


def test_a_condition_that_matters_from_seven_words_on_only_refutes():
    claim = _claim("yamada-matsumoto2003-eisner1996")
    number = next(k for k, case in enumerate(claim.second.cases) if case.step == "CombineSpans")
    few = m.Compare("<=", m.Var("k"), m.Lit(6))
    short = _with_conditions(claim.second, number, (*claim.second.cases[number].conditions, few))
    relation = read_maps(["span[i, j] to span[i, j, false, false]"], claim.first, short, claim.kind)
    assert decide(relation, claim.kind, 5, systems=BENCH).holds
    answer = _lifted(relation)
    assert answer.holds is False
    assert not answer.every_n
    assert answer.counterexample.n >= 6
    longest = re.search(r"span\[\d, (\d)\]", answer.counterexample.instance.consequent)
    assert int(longest[1]) >= 6
    assert refusal(relation, claim.kind, _lifted(claim).certificate)
    gone_through = decide(relation, claim.kind, answer.counterexample.n, systems=BENCH)
    assert gone_through.holds is False
    assert gone_through.counterexample.n <= answer.counterexample.n


def test_a_length_without_a_proof_at_which_the_relation_holds_does_not_refute_it(monkeypatch):
    claim = _claim(SATTA)
    plain = decide(claim, claim.kind, 4, systems=BENCH)
    monkeypatch.setattr(decisions, "lifted", lambda *_: (None, "no way stands for Some at n = 5", 5))
    answer = _lifted(claim)
    assert (answer.holds, answer.every_n, answer.extent) == (True, False, plain.extent)
    assert answer.unproved == "no way stands for Some at n = 5; for 5 words it holds"
    at_length = decisions._Decision._at_length

    def refusing(self, n):
        if n == 5:
            raise UsageError("too many items")
        return at_length(self, n)

    monkeypatch.setattr(decisions._Decision, "_at_length", refusing)
    answer = _lifted(claim)
    assert (answer.holds, answer.every_n) == (True, False)
    assert answer.unproved.endswith("for 5 words was not found within the limits")


@pytest.mark.parametrize(
    ("maps", "why"),
    [
        (["tree[i, j, i] to span[i, j, false, true] where i < j"], "has no image"),
        (["tree[i, j, _] to span[i, j, true, false] where i < j"], "shares its image"),
        (
            [
                "tree[i, j, i] to span[i, j, false, true] where i < j",
                "tree[i, j, _] to span[i, j, true, false] where i < j",
            ],
            "has two images",
        ),
        (
            [
                "tree[i, j, i] to span[i, j + 1, false, true] where i < j",
                "tree[i, j, j] to span[i, j, true, false] where i < j",
            ],
            "is not an item",
        ),
    ],
)
def test_maps_that_are_none_are_refused(maps, why):
    claim = _claim(SATTA)
    relation = read_maps(maps, claim.first, claim.second, claim.kind)
    assert why in refusal(relation, claim.kind, _answer(SATTA).certificate)


@pytest.mark.parametrize(
    "name",
    ["collins1996-collins1996-once", "eisner1996-eisner1996-once", "mh-mh-once", "arc-eager-arc-eager-once"],
)
def test_a_filter_that_has_lost_a_condition_is_refused_with_an_instance(name):
    """Whatever is left of the filter: a certificate proves a mutant exactly if it is one still."""
    claim, certificate = _claim(name), _answer(name).certificate
    refused = 0
    for number, case in enumerate(claim.second.cases):
        for k in range(len(case.conditions)):
            left = case.conditions[:k] + case.conditions[k + 1 :]
            relation = replace(claim, second=_with_conditions(claim.second, number, left))
            said = refusal(relation, claim.kind, certificate)
            if not decide(relation, claim.kind, 4, systems=BENCH).holds:
                assert said
                refused += "at n = " in said
    assert refused or name == "collins1996-collins1996-once"


@settings(max_examples=15)
@given(st.sampled_from(PROVED), st.data())
def test_what_is_proved_of_mutants_holds(name, data):
    """A rule of either schema loses a condition; what is proved then holds of all instances up to 4 words."""
    claim = _claim(name)
    side = data.draw(st.sampled_from(["first", "second"]))
    schema = getattr(claim, side)
    number = data.draw(st.integers(0, len(schema.cases) - 1))
    conditions = schema.cases[number].conditions
    if conditions:
        k = data.draw(st.integers(0, len(conditions) - 1))
        schema = _with_conditions(schema, number, conditions[:k] + conditions[k + 1 :])
    mutant = replace(claim, **{side: schema})
    answer = _lifted(mutant, 2)
    if answer.every_n:
        assert decide(mutant, claim.kind, 4, systems=BENCH).holds


def test_what_is_beyond_the_proofs_says_so():
    assert "D-rules" in _lifted(_claim("dvh1-dvh2"), 2).unproved
    assert "not positions" in _lifted(_claim("attardi2006-mh"), 2).unproved
    claim = _claim("head-corner5-head-corner3")
    assert "single steps" in decide(claim, claim.kind, 2, systems=BENCH, lift=True).unproved
    assert not load_schema("eisner1996").cases[0].head_links


def test_the_command_writes_and_checks_certificates(cli: Cli, prints: Prints, tmp_path):
    file = tmp_path / "proof.json"
    out = prints("relate mh-mh --max-n 2 --set k=3 --certificate", str(file))
    assert "mh is a static filter of mh:k=4: holds for every n" in out
    assert cli("relate --recheck", str(file))[:2] == (
        0,
        "static-filter from mh:k=4 to mh: proved for every n\n",
    )
    broken = json.loads(file.read_text(encoding="utf-8"))
    broken["certificates"][0]["cases"].pop()
    file.write_text(json.dumps(broken), encoding="utf-8")
    out = prints("relate mh:k=4 mh --recheck", str(file), "--json", code=1)
    (row,) = json.loads(out)["certificates"]
    assert row["proved"] is False
    assert "at n = " in row["reason"]
