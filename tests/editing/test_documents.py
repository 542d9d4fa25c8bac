"""Places of documents: units of UTF-16, normalised lines, marks; and the index of names against the texts."""

import random
import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemata.editing.document import Document, Position, TextRange
from schemata.language.index import index_of_file
from schemata.language.library import schema_path, shipped_relations
from schemata.language.shipped import shipped_schemata

LINES = st.text(st.sampled_from("ab [\t#é\u0301e\U0001f600猫\ufeff"), max_size=12)


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


@given(st.lists(LINES, min_size=1, max_size=4), st.integers(-2, 6), st.integers(-2, 40))
def test_places_are_those_of_utf16(lines: list[str], row: int, character: int) -> None:
    document = Document("\n".join(lines), Path("x.schema"))
    line, column = document.place_of(Position(row, character))
    assert 1 <= line <= len(lines)
    text = lines[line - 1].removeprefix("\ufeff") if line == 1 else lines[line - 1]
    assert 1 <= column <= len(unicodedata.normalize("NFC", text)) + 1
    back = document.position_of(line, column)
    assert back.line == line - 1
    assert 0 <= back.character <= units(lines[line - 1])
    assert document.place_of(back)[0] == line


@given(LINES)
def test_a_place_between_whole_characters_comes_back(text: str) -> None:
    document = Document(text, Path("x.schema"))
    line = text.removeprefix("\ufeff")
    for k in range(len(line) + 1):
        # Where no accent follows that would join what stands before.
        if unicodedata.normalize("NFC", line[:k]) + unicodedata.normalize(
            "NFC", line[k:]
        ) == unicodedata.normalize("NFC", line):
            at = units(text[: len(text) - len(line)] + line[:k])
            line_number, column = document.place_of(Position(0, at))
            assert (line_number, column) == (1, len(unicodedata.normalize("NFC", line[:k])) + 1)
            assert (
                document.position_of(1, column).character >= at - units(line[:k]) * (not line.isascii()) - 1
            )


def test_edits_from_the_last_to_the_first() -> None:
    from schemata.editing.document import Edit

    document = Document("a😀b\r\ncd\n", Path("x.schema"))
    edits = [
        Edit(document.range_at(1, 3, 4), "X"),
        Edit(document.range_at(2, 1, 2), "YY"),
        Edit(document.range_at(1, 1, 1), ">"),
    ]
    assert document.with_edits(edits).text == ">a😀X\r\nYYd\n"
    assert document.range_at(1, 3, 4) == TextRange(Position(0, 3), Position(0, 4))


@pytest.mark.thorough
def test_every_place_of_every_name_holds_that_name() -> None:
    for path in (*shipped_schemata().values(), *shipped_relations().values()):
        index = index_of_file(path)
        assert index.names
        for name in index.names:
            for span in (*name.declarations, *name.uses):
                assert span.text == name.name, (path, name, span)
            assert not set(name.declarations) & set(name.uses)


@pytest.mark.thorough
def test_every_item_of_a_text_is_in_the_index() -> None:
    """Against a plain search: every name that stands before a bracket, beside comments."""
    for path in shipped_schemata().values():
        index = index_of_file(path)
        known = {
            (s.line, s.column)
            for x in index.of("item")
            for s in (*x.declarations, *x.uses)
            if s.source.path == path
        }
        code = [
            re.sub(r'"[^"]*"|#.*', lambda m: " " * len(m[0]), line)
            for line in path.read_text(encoding="utf-8").splitlines()
        ]
        written = {
            (k, m.start() + 1)
            for k, line in enumerate(code, 1)
            for m in re.finditer(r"[^\W\d_]\w*'*(?=\[)", line)
        }
        assert written == known, path


def test_variables_have_the_types_of_their_fields() -> None:
    index = index_of_file(schema_path("mgk"))
    types = {(x.name, x.within): x.type for x in index.of("variable")}
    link = next(b for b in index.blocks if b.name == "Link")
    assert types["G", (link.first, link.last)] == "list of intervals"
    assert types["h1", (link.first, link.last)] == "position"
    tree = next(x for x in index.of("item") if x.name == "tree")
    assert tree.type == "tree[i: position, j: position, h: position, gaps: intervals]"


def test_what_a_schema_inherits_is_declared_in_its_base() -> None:
    index = index_of_file(schema_path("mg1"))
    tree = next(x for x in index.of("item") if x.name == "tree")
    assert [Path(s.source.file).stem for s in tree.declarations] == ["wg1"]
    assert len(tree.uses) == len(re.findall(r"\btree\[", schema_path("mg1").read_text()))


def test_a_file_with_mistakes_has_the_names_of_what_parses(tmp_path: Path) -> None:
    text = schema_path("eisner1996").read_text()
    lines = text.splitlines()
    generator = random.Random(1)
    for number in generator.sample(range(1, len(lines)), 12):
        broken = [*lines]
        broken[number] = broken[number][: len(broken[number]) // 2] + " ] ] (("
        path = tmp_path / "eisner1996.schema"
        path.write_text("\n".join(broken))
        index = index_of_file(path)
        assert {"R-Link", "L-Link", "CombineSpans"} & {x.name for x in index.of("step")}


@pytest.mark.parametrize("name", ["eisner1996", "tag-cky", "planar-system", "pitler2013"])
def test_scopes_of_variables_are_apart(name: str) -> None:
    """No variable of one rule is at home in another, but for the parts that composed steps restrict."""
    index = index_of_file(schema_path(name))
    for x in index.of("variable"):
        first = x.declarations[0]
        assert x.within is None or x.within[0] <= first.line <= x.within[1]
