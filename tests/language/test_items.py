"""Items as text and back, and what is said of texts that are no items of a schema."""

import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from schemata.errors import SchemaError
from schemata.language.files import read_schema_text
from schemata.language.forms import read_item
from schemata.language.model import HEAD_WORD, ROOT, terminal
from schemata.language.typeset import format_item, sort_key
from tests.support import titled_blocks
from tests.support.charts import schema_text

SCHEMA, FINDINGS = read_schema_text(schema_text("items"))

symbols = st.one_of(
    st.sampled_from(
        ["A", "NP", "NP-SBJ", "n", "true", "not", "root", "length", "$,", ".", "B'", "α", "in", ROOT]
    ),
    st.text(st.characters(blacklist_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1),
    st.text("ab'\"\\#[]( ),.", min_size=1),
    st.text("ab'\"\\#[]( ),.", min_size=1).map(terminal),
)
body_symbols = st.one_of(symbols.filter(lambda x: x != ROOT), st.just(HEAD_WORD))


def values_of(kind):
    match kind.kind:
        case "position":
            return st.integers(-9999, 99999)
        case "flag":
            return st.booleans()
        case "symbol":
            return symbols
        case "optional":
            return st.one_of(st.none(), values_of(kind.arguments[0]))
        case "list":
            return st.lists(values_of(kind.arguments[0]), max_size=4).map(tuple)
        case "tuple":
            return st.tuples(*map(values_of, kind.arguments))
        case "dotted":
            part = st.lists(body_symbols, max_size=3).map(tuple)
            return st.tuples(symbols, *([part] * (kind.dots + 1)))
    raise TypeError(kind)


def in_nfc(value):
    if isinstance(value, tuple):
        return tuple(map(in_nfc, value))
    return unicodedata.normalize("NFC", value) if isinstance(value, str) else value


items = st.sampled_from(SCHEMA.forms).flatmap(
    lambda form: st.tuples(st.just(form), st.tuples(*(values_of(f.type) for f in form.fields)))
)


@given(items)
@example((next(form for form in SCHEMA.forms if form.name == "edge"), (("A", ("A", "in"), ()), 0)))
@settings(max_examples=150)
def test_items_are_read_back(item):
    form, values = item
    values = in_nfc(values)
    text = format_item(form, values)
    assert read_item(SCHEMA, text) == (form.name, values)


@given(st.sampled_from(SCHEMA.forms), st.data())
@settings(max_examples=100)
def test_values_of_one_type_can_be_sorted(form, data):
    rows = data.draw(st.lists(st.tuples(*(values_of(f.type) for f in form.fields)), max_size=5))
    ordered = sorted(rows, key=sort_key)
    backwards = ordered[::-1]
    assert sorted(backwards, key=sort_key) == ordered


@pytest.mark.parametrize(("text", "values"), [
    ("span[0, n, true]", (0, 7, True)),
    ("span[ n - k , -3 ,not true ]", (3, -3, False)),
    ("edge[A(B . ^ C), 1]", (("A", ("B",), ("^", "C")), 1)),
    ("edge[root(. S), 1]", ((ROOT, (), ("S",)), 1)),
    ("edge[root(S •), n]", ((ROOT, ("S",), ()), 7)),
    ("edge[A(* . \"NP\"), 0]", (("A", ("^",), ("NP",)), 0)),
    ("edge[A('up' . \"NP-SBJ\"), 0]", (("A", ('"up"',), ("NP-SBJ",)), 0)),
    (r"""edge[A('don\'t' . "5\""), 0]""", (("A", ('"don\'t"',), ('5"',)), 0)),
    ("gap[-, 'a # b]', -]", (None, '"a # b]"', None)),
    ("part[A(. B . ^), 2]", (("A", (), ("B",), ("^",)), 2)),
    ("part[A(. .), 2]", (("A", (), (), ()), 2)),
    ("gap[-, root, NP]", (None, ROOT, "NP")),
    ("state[<1, n>, <(2, -, <A, B>), (3, false, <>)>, (-, B)]",
     ((1, 7), ((2, None, ("A", "B")), (3, False, ())), (None, "B"))),
])  # fmt: skip
def test_items_as_users_write_them(text, values):
    assert FINDINGS == []
    assert read_item(SCHEMA, text, 7)[1] == values


NO_ITEMS = titled_blocks(Path(__file__).with_name("no-items.txt"))


@pytest.mark.parametrize("text", NO_ITEMS)
def test_texts_that_are_no_items(text):
    with pytest.raises(SchemaError) as caught:
        read_item(SCHEMA, text, 7)
    (finding,) = caught.value.diagnostics
    assert f"{finding.code}\n{caught.value}" == NO_ITEMS[text]


def test_the_length_is_unknown_unless_given():
    with pytest.raises(SchemaError, match="n is a variable"):
        read_item(SCHEMA, "span[0, n, true]")


def test_all_mistakes_of_an_item_at_once():
    with pytest.raises(SchemaError) as caught:
        read_item(SCHEMA, "span[x, true, 3]")
    assert [d.location.column for d in caught.value.diagnostics] == [6, 9, 15]
