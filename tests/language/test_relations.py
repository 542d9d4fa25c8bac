"""Relation files: what is found wrong with them, and what those that are right say."""

import contextlib
import random
from itertools import pairwise

import pytest

from schemata.errors import SchemaError, UsageError
from schemata.language import model as m
from schemata.language.library import is_relation_reference, load_schema, relation_path, shipped_relations
from schemata.language.relation_model import CHAINS, KINDS, turned
from schemata.language.relations import (
    chain_parts,
    check_relation_file,
    load_relation,
    read_maps,
    read_relation_text,
)
from schemata.language.shipped import shipped_schemata
from tests.language.findings import BROKEN_RELATIONS, CLEAN_RELATIONS, FIXTURES, assert_sound
from tests.language.fuzz import mutate

FOUND = {  # by `schemata relate`, claimed nowhere
    "arc-eager-published-arc-eager", "collins1996-mg1", "collins1996-wg1", "hybrid-yamada-matsumoto2003",
    "yamada-matsumoto2003-hybrid",
    *(f"{name.removesuffix('-once')}-{name}" for name in shipped_schemata() if name.endswith("-once")),
}  # fmt: skip


@pytest.mark.parametrize("name", shipped_relations())
def test_shipped_files_say_where_the_claim_is_from_and_are_named_like_their_schemata(name):
    for claim in load_relation(name).relations:
        assert bool(claim.reference) == (name not in FOUND)
        assert claim.kind in KINDS
        assert name.removesuffix("-" + claim.kind) == f"{claim.first.name}-{claim.second.name}"
        assert all(x.reversed == claim.reversed for x in claim.maps)
        assert bool(claim.maps) != (claim.kind in CHAINS)


def test_every_value_of_the_variables_is_a_claim():
    file, _ = check_relation_file(FIXTURES / "relations" / "clean" / "parametrised.relation")
    settings = [dict(r.settings) for r in file.relations]
    assert settings == [{"d": d, "e": e} for d in (3, 4) for e in (0, 1)]
    bounds = [(r.first.parameters[0].value, r.second.parameters[0].value) for r in file.relations]
    assert bounds == [(3, 3), (4, 3), (4, 4), (5, 4)]


def test_variables_can_be_set_from_outside():
    path = FIXTURES / "relations" / "clean" / "parametrised.relation"
    claims = load_relation(path, {"d": 7}).relations
    assert [dict(r.settings) for r in claims] == [{"d": 7, "e": 0}, {"d": 7, "e": 1}]
    with pytest.raises(UsageError, match="no variable f"):
        load_relation(path, {"f": 1})
    assert check_relation_file(path, {"d": 2})[0] is None  # mh needs k >= 3


def test_forms_without_a_map_are_carried_over_unchanged():
    claim = read_maps((), load_schema("mg1"), load_schema("wg1"), "static-filter")
    tree = next(x for x in claim.maps if x.source.form == "tree")
    assert tree.source == tree.target
    assert not tree.written
    assert tree.reversed


def test_fields_of_other_names_are_not_the_same():
    """tree[i, h, j] of arc-standard looks like tree[i, j, h] of Collins, and says something else."""
    with pytest.raises(SchemaError, match="nothing says what"):
        read_maps((), load_schema("arc-standard"), load_schema("collins1996"))
    lenient = read_maps((), load_schema("arc-standard"), load_schema("collins1996"), lenient=True)
    assert lenient.maps == ()


def test_a_hint_never_shows_two_equal_forms(tmp_path):
    text = "schema one\nhypothesis word[i] where 1 <= i <= n\nitem tree[i: position, h: flag]\n"
    text += "step S\n  word[i]\n  -------\n  tree[i, true]\nfinal tree[n, _]\n"
    (tmp_path / "one.schema").write_text(text)
    other = text.replace("schema one", "schema two").replace("flag", "position").replace("true", "i")
    (tmp_path / "two.schema").write_text(other)
    (tmp_path / "x.relation").write_text("relation one to two\n  kind step-refinement\n")
    (finding,) = check_relation_file(tmp_path / "x.relation")[1]
    assert finding.message == "nothing says what tree[i: position, h: flag] of one is in two"
    assert finding.hint == "form tree of two has other fields: tree[i: position, h: position]"


def test_maps_from_texts_point_into_the_text():
    first, second = load_schema("eisner-satta1999"), load_schema("eisner1996")
    with pytest.raises(SchemaError) as caught:
        read_maps(["tree[i, j, i] to span[i, j, false, k]", "tree[i, j, j] span[i]"], first, second)
    places = [(d.location.line, d.location.column, d.source_line) for d in caught.value.diagnostics]
    assert places == [(1, 15, "tree[i, j, j] span[i]"), (1, 36, "tree[i, j, i] to span[i, j, false, k]")]


def test_maps_of_one_relation_go_one_way():
    first, second = load_schema("eisner-satta1999"), load_schema("eisner1996")
    texts = ["tree[i, j, i] to span[i, j, false, true]", "tree[i, j, j] from span[i, j, true, false]"]
    with pytest.raises(SchemaError, match="the other way"):
        read_maps(texts, first, second)
    backwards = read_maps([texts[1]], first, second)
    assert backwards.reversed
    assert backwards.maps[0].source.form == "span"


def test_only_refinements_and_contractions_have_inverses():
    first, second = load_schema("eisner-satta1999"), load_schema("eisner1996")
    texts = ["tree[i, j, _] to span[i, j, false, true]"]
    claim = read_maps(texts, first, second, "step-refinement")
    back = turned(claim)
    assert (back.kind, back.first, back.second, back.reversed) == ("step-contraction", second, first, True)
    assert turned(back) == claim
    assert turned(read_maps((), load_schema("mg1"), load_schema("wg1"), "static-filter")).kind is None


def test_a_chain_names_what_could_be_each_of_its_parts():
    chain = load_relation(FIXTURES / "relations" / "clean" / "a-chain.relation").relations[0]
    parts = chain_parts(chain)
    stations = ["head-corner3", "dvh1", "dvh2", "dvh3", "bulc", "barbero1998"]
    assert [(p[0].first.name, p[0].second.name) for p in parts] == list(pairwise(stations))
    for part in parts:
        assert {claim.kind for claim in part} <= set(CHAINS["filtering"])
        assert len({claim.kind for claim in part}) == len(part)
    by_file = parts[3][0]  # dotted rules written with a second dot are no form of the same fields
    assert by_file.maps[0].written


def test_names_of_relations():
    assert is_relation_reference("some/where.relation")
    assert not is_relation_reference("eisner1996")
    with pytest.raises(UsageError, match="did you mean eisner-satta1999-eisner1996"):
        relation_path("eisner-satta1999-eisner96")


@pytest.mark.parametrize("text", ["", "\n", "# nothing", "relation", "map", "\0", "relation a to b" * 5_000])
def test_any_text_gives_findings(text):
    relation, findings = read_relation_text(text)
    assert relation is None
    assert findings
    for finding in findings:
        assert_sound(finding)


def test_parameters_of_the_schemata_are_filled_in():
    text = "relation yamada-matsumoto2003 to eisner1996(end = 1)\nkind step-refinement\n"
    file, _ = read_relation_text(text + "map span[i, j] to span[i, j, false, false]")
    (claim,) = file.relations
    assert claim.second.parameters[0].value == 1
    assert claim.maps[0].target.terms[2:] == (m.Lit(False), m.Lit(False))


def mutated(cases, seed):
    """Texts of relation files with random changes."""
    paths = [*BROKEN_RELATIONS, *CLEAN_RELATIONS, *shipped_relations().values()]
    texts = [path.read_text(encoding="utf-8") for path in paths]
    rng = random.Random(seed)
    return [mutate(rng, texts) for _ in range(cases)]


def test_mutated_files_raise_nothing_and_give_placed_findings():
    codes = set()
    for text in mutated(cases=150, seed=3):
        relation, findings = read_relation_text(text)
        assert (relation is None) == any(f.severity == "error" for f in findings), text
        for finding in findings:
            assert_sound(finding)
            codes.add(finding.code)
    assert len(codes) > 10


def test_mutated_maps_raise_nothing_else():
    first, second = load_schema("eisner-satta1999"), load_schema("eisner1996")
    for text in mutated(cases=100, seed=4):
        for line in text.splitlines():
            if line.startswith("map "):
                with contextlib.suppress(SchemaError):
                    read_maps([line.removeprefix("map ")], first, second)
