"""Findings, completion and hover on shipped files."""

from pathlib import Path

import pytest

from schemata.cli.library import findings_in
from schemata.editing.completion import completion
from schemata.editing.document import Document, Position
from schemata.editing.findings import diagnostics, run_diagnostics
from schemata.editing.hover import hover
from schemata.editing.keywords import KEYWORDS
from schemata.editing.lenses import lenses
from schemata.language.library import schema_path, shipped_relations
from schemata.language.pieces import RELATION_KEYWORDS, SCHEMA_KEYWORDS
from schemata.language.shipped import shipped_files
from schemata.thresholds import EFFORTS

EISNER = schema_path("eisner1996")
TEXT = EISNER.read_text(encoding="utf-8")


def at(text: str, mark: str, before: str = "", nth: int = 0) -> Position:
    """Return the place right behind `before` in the nth occurrence of a mark."""
    offset = -1
    for _ in range(nth + 1):
        offset = text.index(mark, offset + 1)
    offset += len(before)
    return Position(text.count("\n", 0, offset), offset - (text.rfind("\n", 0, offset) + 1))


def labels(text: str, position: Position, path: Path = EISNER) -> list[str]:
    return [x.label for x in completion(text, position, path)]


def test_all_keywords_are_explained() -> None:
    assert set(KEYWORDS) == {*SCHEMA_KEYWORDS.words, *RELATION_KEYWORDS.words}


def test_findings_are_those_of_check(tmp_path: Path) -> None:
    """Of every broken file that the tests of the language keep, with the same messages at the same places."""
    fixtures = sorted((Path(__file__).parents[1] / "language" / "fixtures").rglob("*.schema"))
    assert len(fixtures) > 20
    for path in fixtures[::3]:
        try:
            text = path.read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            continue
        expected = [x for x in findings_in(path) if x.location and x.location.file == str(path)]
        found = [x for x in diagnostics(text, path) if ".schema:" not in x.message]
        run = run_diagnostics(text, path)
        assert [x.code for x in expected] == [x.code for x in (*found, *run)], path
        for one, other in zip(expected, found, strict=False):
            assert one.message == other.message
            assert Document(text, path).place_of(other.range.start)[0] == one.location.line


def test_shipped_files_have_no_errors() -> None:
    paths = [EISNER, schema_path("mg1"), next(iter(shipped_relations().values()))]
    paths += [*shipped_files(".cfg", "examples").values(), *shipped_files(".dict", "examples").values()]
    paths += [
        *shipped_files(".facts", "examples").values(),
        *shipped_files(".constraints", "examples").values(),
    ]
    for path in paths:
        assert [x for x in diagnostics(path.read_text(encoding="utf-8"), path) if x.severity == "error"] == []


def test_a_text_without_a_file_is_a_schema() -> None:
    assert diagnostics(TEXT) == []
    assert [x.code for x in diagnostics("")] == ["empty-file"]
    assert diagnostics(TEXT.replace("span[i, k, b, d]", "spam[i, k, b, d]"))[0].hint == "did you mean span?"


def test_hover_tells_types_declarations_comments_and_rules() -> None:
    def text_at(position: Position) -> str:
        found = hover(TEXT, position, EISNER)
        assert found is not None
        return found.text

    assert "item span[i: position, j: position, b: flag, c: flag]" in text_at(at(TEXT, "span[i, j, false"))
    assert "with trees headed at i and at j only" in text_at(at(TEXT, "span[i, j, false"))
    assert "c: flag" in text_at(at(TEXT, "b, c]   span", "b, "))
    assert "variable of step CombineSpans" in text_at(at(TEXT, "b, c]   span", "b, "))
    assert "end = 0" in text_at(at(TEXT, "end <="))
    rule = text_at(at(TEXT, "R-Link"))
    assert "────" in rule
    assert "attach i to j" in rule
    assert text_at(at(TEXT, "------------------------  attach i", "--")) == rule
    assert "licenses the link" in text_at(at(TEXT, "attach"))
    assert "word[i" in text_at(at(TEXT, "Initter"))
    assert hover(TEXT, at(TEXT, "# b: word", "# b: w"), EISNER) is None
    assert "`flag`" in text_at(at(TEXT, "b: flag", "b: "))


def test_hover_over_what_is_inherited_names_the_file() -> None:
    path = schema_path("mg1")
    text = path.read_text(encoding="utf-8")
    found = hover(text, at(text, "tree[i, j"), path)
    assert found is not None
    assert "wg1.schema" in found.text


def test_comments_show_no_markdown() -> None:
    text = TEXT.replace("step R-Link", "# a [link](x) <img src=x> `b`\nstep R-Link")
    found = hover(text, at(text, "step R-Link", "step "), EISNER)
    assert found is not None
    assert "<img" not in found.text.replace("\\<img", "")
    assert "\\[link\\]" in found.text


def test_completion_proposes_what_can_stand_there() -> None:
    assert set(SCHEMA_KEYWORDS.words) <= set(labels(TEXT, at(TEXT, "step R-Link")))
    items = labels(TEXT, at(TEXT, "span[i, j, b, c]"))
    assert {"span", "word", "given"} <= set(items)
    assert "attach" not in items
    beside = labels(TEXT, at(TEXT, "attach i to j"))
    assert {"attach", "i", "j", "end", "n"} <= set(beside)
    assert "span" not in beside
    inside = labels(TEXT, at(TEXT, "span[i, k, b, d]", "span[i, k, "))
    assert {"i", "j", "k", "b", "c", "d"} <= set(inside)
    assert not {"span", "attach"} & set(inside)
    assert {"position", "flag"} <= set(labels(TEXT, at(TEXT, "b: flag", "b: ")))
    assert set(labels(TEXT, at(TEXT, "d-rules"))) == {
        "d-rules",
        "dependency-rules",
        "context-free",
        "link-grammar",
        "facts",
    }
    assert labels(TEXT, at(TEXT, "# b: word", "# b: ")) == []
    assert labels(TEXT, at(TEXT, '"Eisner', '"')) == []


def test_completion_of_inherited_steps_and_schemata() -> None:
    path = schema_path("mg1")
    text = path.read_text(encoding="utf-8") + "\nwithout step "
    end = Position(text.count("\n"), len("without step "))
    assert "Link Ungapped" in labels(text, end, path) or len(labels(text, end, path)) > 4
    assert "wg1" in labels(text, at(text, "wg1"), path)


def test_completion_knows_the_variables_of_a_rule_that_does_not_parse() -> None:
    text = TEXT.replace("  span[i, k, b, d]", "  span[i, k, ")
    assert {"i", "j", "k", "b", "c", "d"} <= set(labels(text, at(text, "  span[i, k, ", "  span[i, k, ")))


def test_an_item_is_proposed_with_its_fields() -> None:
    proposals = {x.label: x for x in completion(TEXT, at(TEXT, "span[i, j, b, c]"), EISNER)}
    assert proposals["span"].edit.text == "span[${1:i}, ${2:j}, ${3:b}, ${4:c}]"
    assert proposals["span"].is_snippet


def test_completion_in_relations_and_grammars() -> None:
    path = shipped_relations()["yamada-matsumoto2003-hybrid"]
    text = path.read_text(encoding="utf-8")
    assert "static-filter" in labels(text, at(text, "step-ref"), path)
    assert "eisner1996" in labels(text, at(text, "relation ", "relation "), path)
    grammar = shipped_files(".cfg", "examples")["english"]
    assert {"NP", "VP", '"Mary"'} <= set(labels(grammar.read_text(encoding="utf-8"), Position(3, 0), grammar))


@pytest.mark.parametrize(
    "position", [Position(0, 0), Position(10**6, 0), Position(3, 10**9), Position(-1, -5)]
)
def test_places_out_of_the_text_are_answered(position: Position) -> None:
    for text in ("", "\ufeff", "schema a", "\n\n", "😀" * 50, TEXT):
        completion(text, position, EISNER)
        hover(text, position, EISNER)


def test_lenses_name_the_schemata_that_one_refines(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("eisner1996", "eisner-satta1999", "collins1996", "cyk")
    some = {name: schema_path(name) for name in names}
    monkeypatch.setattr("schemata.language.shipped.shipped_schemata", lambda: some)
    monkeypatch.setattr("schemata.editing.lenses._class", lambda *_: ())

    def refined() -> list[str]:
        return [x.title for x in lenses(TEXT, EISNER) if x.title.startswith("refines")]

    assert refined() == ["refines eisner-satta1999 for every n"]  # neither collins1996 nor itself
    monkeypatch.setattr(EFFORTS, "lens_seconds", 1e-6)
    assert refined() == []
