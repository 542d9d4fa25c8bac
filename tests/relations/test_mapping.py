"""Items carried along maps: against maps written by hand, and as properties of random maps."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import schemata
from schemata.language.files import read_schema_text
from schemata.language.library import load_schema, shipped_relations
from schemata.language.relations import load_relation, read_maps
from schemata.relations.mapping import carried_from, carried_to, forgotten_fields, images

WORDS = "abcde"


def image(relation, item, n):
    """What an item is carried to, which is one item at most; None where no map carries it."""
    made = images(relation, item, n)
    assert len(made) <= 1
    return made[0] if made else None


def chart_items(name, n, parameters=()):
    """The items a shipped D-rule schema derives for n words, as form and values."""
    chart = schemata.load(name, **dict(parameters)).run(list(WORDS[:n]))
    return [(item.form, item.values) for item in chart.items]


def claim_of(name):
    return load_relation(name).relations[0]


def test_eisner_satta_to_eisner_by_hand():
    relation = claim_of("eisner-satta1999-eisner1996")
    for i, j in itertools.product(range(5), repeat=2):
        for h in (i, j):
            made = image(relation, ("tree", (i, j, h)), 4)
            if i >= j:
                assert made is None
            else:
                assert made == ("span", (i, j, h == j, h == i))


def test_dotted_rules_with_one_dot_and_with_two():
    relation = claim_of("dvh3-bulc")
    single = ("edge", (("A", ("B", "^"), ("C",)), 1, 2))
    double = ("edge", (("A", (), ("B", "^"), ("C",)), 1, 2))
    assert carried_from(relation).name == "bulc"
    assert image(relation, single, 3) == double


def test_a_field_may_be_dropped():
    relation = claim_of("head-corner5-head-corner3")
    item = ("edge", (("A", (), ("^",), ()), 1, 1, 1))
    made = image(relation, item, 3)
    assert made == ("edge", (("A", (), ("^",), ()), 1, 1))


@pytest.mark.parametrize("n", range(1, 5))
def test_one_gap_as_two_fields_and_as_a_list(n):
    """mgk with k = 1 and mg1 derive the same items, written otherwise; both have normal forms."""
    one, two = load_schema("mgk", {"k": 1}), load_schema("mg1")
    texts = ["tree[i, j, h, <>] to tree[i, j, h, -, -]", "tree[i, j, h, <(l, r)>] to tree[i, j, h, l, r]"]
    relation = read_maps(texts, one, two)
    listed = chart_items("mgk", n, {"k": 1})
    made = [image(relation, item, n) for item in listed]
    assert sorted(made, key=repr) == sorted(chart_items("mg1", n), key=repr)


def test_a_pattern_matches_any_writing():
    """tree[1, 2, 1] and tree[2, 2, 1] are two writings of one item of wg1; the second is no normal form."""
    schema = load_schema("wg1")
    relation = read_maps(["tree[h + 1, j, h, -, -] to tree[h + 1, j, h, -, -]"], schema, schema)
    assert images(relation, ("tree", (1, 2, 1, None, None)), 3) == (("tree", (1, 2, 1, None, None)),)
    assert images(relation, ("tree", (1, 3, 3, None, None)), 3) == ()


@pytest.mark.parametrize("name", sorted(shipped_relations()))
@pytest.mark.parametrize("n", range(1, 4))
@pytest.mark.rotated(4)
def test_shipped_maps_are_injective_but_for_forgotten_fields(name, n):
    for relation in load_relation(name).relations:
        schema = carried_from(relation)
        if schema.grammar != "d-rules" or not relation.maps:
            continue
        parameters = {p.name: p.value for p in schema.parameters}
        forms = {f.name: f for f in carried_to(relation).forms}
        items = chart_items(schema.name, n, parameters)
        carried = [image(relation, item, n) for item in items]
        names = {f.name: [f"{x.name} of {f.name}" for x in f.fields] for f in schema.forms}
        forgotten = forgotten_fields(relation)
        kept = {
            (form, *(x for x, name in zip(values, names[form], strict=True) if name not in forgotten))
            for form, values in items
        }
        assert len(set(carried)) == len(kept)
        assert forgotten or len(kept) == len(items)
        for made in carried:
            assert len(forms[made[0]].fields) == len(made[1])


def test_maps_that_disagree_are_no_mapping():
    first, second = load_schema("eisner-satta1999"), load_schema("eisner1996")
    texts = ["tree[i, j, i] to span[i, j, false, true]", "tree[i, j, j] to span[i, j, true, false]"]
    relation = read_maps(texts, first, second)
    assert len(images(relation, ("tree", (1, 1, 1)), 3)) == 2


# Random maps between two schemata of one form each ----------------------------------------------------------

SCHEMA = """schema {name}
hypothesis word[i]  where 0 <= i <= n + 1
item {form}[i: position, j: position, b: flag, o: position?]
  where 0 <= i <= n + 1, 0 <= j <= n + 1
step S
  word[i]
  -------
  {form}[i, i, false, -]
final {form}[1, 1, false, -]
"""
FIRST = read_schema_text(SCHEMA.format(name="first", form="x"))[0]
SECOND = read_schema_text(SCHEMA.format(name="second", form="y"))[0]


@st.composite
def random_maps(draw):
    """A map as text, and the same map as a function on values; whether it loses something."""
    source = [draw(st.sampled_from(["i", "i", "j", "3", "_"])) for _ in range(2)]
    source += [
        draw(st.sampled_from(["b", "not b", "true", "_"])),
        draw(st.sampled_from(["o?", "o", "-", "_"])),
    ]
    bound = {name for name in ("i", "j") if name in source[:2]}
    places = [f"{x} + {k}" for x in sorted(bound) for k in (0, 1)] + ["2"]
    target = [draw(st.sampled_from(places)) for _ in range(2)]
    target.append(
        draw(st.sampled_from(["b", "not b", "false"] if "b" in source[2].split() else ["false", "true"]))
    )
    target.append(draw(st.sampled_from(["o", "-"] if source[3][0] == "o" else ["-", "1"])))
    return source, target


def by_hand(source, target, values):
    known = {}
    for term, value in zip(source[:2], values[:2], strict=True):
        if term == "3":
            if value != 3:
                return None
        elif term != "_" and known.setdefault(term, value) != value:
            return None
    match source[2]:
        case "b":
            known["b"] = values[2]
        case "not b":
            known["b"] = not values[2]
        case "true" if not values[2]:
            return None
    match source[3]:
        case "o" if values[3] is None:
            return None
        case "o" | "o?":
            known["o"] = values[3]
        case "-" if values[3] is not None:
            return None
    made = []
    for term in target[:2]:
        name, _, more = term.partition(" + ")
        made.append(known[name] + int(more) if more else int(name))
    made.append({"b": known.get("b"), "not b": not known.get("b"), "true": True, "false": False}[target[2]])
    made.append({"o": known.get("o"), "-": None, "1": 1}[target[3]])
    return tuple(made)


ALL = list(itertools.product(range(5), range(5), (False, True), (None, 0, 2)))


@given(random_maps())
def test_random_maps_against_the_same_by_hand(maps):
    source, target = maps
    relation = read_maps([f"x[{', '.join(source)}] to y[{', '.join(target)}]"], FIRST, SECOND, lenient=True)
    for values in ALL:
        wanted = by_hand(source, target, values)
        assert image(relation, ("x", values), 3) == (None if wanted is None else ("y", wanted))
