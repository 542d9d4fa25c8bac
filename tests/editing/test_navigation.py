"""Definition, references, rename, outlines, tokens, layout and offered changes, on shipped files and copies of them."""

import contextlib
import itertools
import random
import re
import shutil
from pathlib import Path

import pytest

from schemata.editing.actions import actions, formatting, signature
from schemata.editing.completion import completion
from schemata.editing.document import Document, Position, TextRange
from schemata.editing.findings import diagnostics
from schemata.editing.hover import hover
from schemata.editing.navigation import definition, folding, references, rename, symbols, workspace_symbols
from schemata.editing.tokens import TOKEN_TYPES, encoded, semantic_tokens
from schemata.errors import UsageError
from schemata.language import parse
from schemata.language.files import check_file, read_schema_text
from schemata.language.library import schema_path, shipped_relations
from schemata.language.shipped import shipped_files, shipped_schemata
from schemata.thresholds import REFUSALS
from tests.editing.test_answers import EISNER, TEXT, at

ALL = [*shipped_schemata().values()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with wg1 and what extends it, and a relation between two other schemata."""
    names = ("wg1", "mg1", "eisner-satta1999", "eisner1996")
    for name in names:
        shutil.copy(schema_path(name), tmp_path)
    shutil.copy(shipped_relations()["eisner-satta1999-eisner1996"], tmp_path)
    return tmp_path


def applied(changes: dict[Path, list], files: dict[Path, str]) -> dict[Path, str]:
    return files | {
        path: Document(files[path], path).with_edits(edits).text for path, edits in changes.items()
    }


def test_definition_and_references_within_a_file() -> None:
    (place,) = definition(TEXT, at(TEXT, "span[i, j, false"), EISNER)
    assert place.range.start == at(TEXT, "item span", "item ")
    found = references(TEXT, at(TEXT, "span[i, j, false"), EISNER)
    assert len(found) == len(re.findall(r"\bspan\b(?=\[)", TEXT))
    assert definition(TEXT, Position(0, 500), EISNER) == []


def test_a_renamed_item_changes_all_files_that_know_it(folder: Path) -> None:
    files = {path: path.read_text(encoding="utf-8") for path in folder.iterdir()}
    base = folder / "wg1.schema"
    for start in (base, folder / "mg1.schema"):
        changes = rename(files[start], at(files[start], "tree["), "bush", start, files)
        assert set(changes) == {base, folder / "mg1.schema"}
        for path, text in applied(changes, files).items():
            path.write_text(text, encoding="utf-8")
        for name in ("wg1", "mg1"):
            schema, found = check_file(folder / f"{name}.schema")
            assert schema is not None, found
            assert "tree[" not in re.sub("#.*", "", (folder / f"{name}.schema").read_text(encoding="utf-8"))
        for path, text in files.items():
            path.write_text(text, encoding="utf-8")


def test_a_renamed_item_changes_relation_files(folder: Path) -> None:
    files = {path: path.read_text(encoding="utf-8") for path in folder.iterdir()}
    relation = folder / "eisner-satta1999-eisner1996.relation"
    start = folder / "eisner1996.schema"
    changes = rename(files[start], at(files[start], "span["), "stretch", start, files)
    assert set(changes) == {start, relation}
    for path, text in applied(changes, files).items():
        path.write_text(text, encoding="utf-8")
    from schemata.language.relations import check_relation_file

    made, found = check_relation_file(relation)
    assert made is not None, found


def copied(path: Path, folder: Path) -> tuple[str, Path]:
    """Return the text of a shipped schema and a copy of it in a folder; one that extends others is not whole there."""
    text, own = path.read_text(encoding="utf-8"), folder / path.name
    own.write_text(text, encoding="utf-8")
    if check_file(own)[0] is None:
        pytest.skip("it extends a schema that stands beside it")
    return text, own


@pytest.mark.parametrize("path", ALL[::7], ids=lambda path: path.stem)
def test_every_name_can_be_renamed_and_the_schema_stays_the_same(path: Path, tmp_path: Path) -> None:
    """Each renamed schema checks; renamed back, its text is the old one."""
    from schemata.language.index import index_of_file

    text, own = copied(path, tmp_path)
    generator = random.Random(path.stem)
    names = [x for x in index_of_file(own).names if x.kind != "schema"]
    for name in generator.sample(names, min(12, len(names))):
        span = next(s for s in (*name.declarations, *name.uses) if s.source.path == own)
        place = Position(span.line - 1, span.column - 1)
        try:
            changes = rename(
                text, place, "zz" + name.name.replace(" ", "") if name.kind != "step" else "ZZ", own
            )
        except UsageError as refused:
            # Conditions of a composition have the variables of its transitions, which the base may declare.
            composed = "composed of" in text and "is bound nowhere" in str(refused)
            if composed or re.search("declared in a shipped file|is not a letter", str(refused)):
                continue
            raise
        made = Document(text, own).with_edits(changes[own]).text
        assert made != text
        assert [x for x in diagnostics(made, own) if x.severity == "error"] == []


def test_names_that_are_taken_or_none_are_refused() -> None:
    place = at(TEXT, "span[i, j, b, c]", "span[")
    for new in ("j", "n", "not", "1x", "a b", "", "attach", "end"):
        with pytest.raises(UsageError):
            rename(TEXT, place, new, EISNER)
    assert rename(TEXT, place, "first", EISNER)
    with pytest.raises(UsageError, match="no name"):
        rename(TEXT, Position(5, 3), "x", EISNER)
    with pytest.raises(UsageError, match="called like its file"):
        rename(TEXT, at(TEXT, "eisner1996"), "x", EISNER)
    with pytest.raises(UsageError, match="already"):
        rename(TEXT, at(TEXT, "span[i"), "word", EISNER)


@pytest.mark.parametrize("path", ALL[3::7], ids=lambda path: path.stem)
def test_no_new_name_leads_to_an_error(path: Path, tmp_path: Path) -> None:
    """Whatever the new name, of the language or of the text: it is refused, or the schema has no errors with it."""
    from schemata.language.index import index_of_file

    text, own = copied(path, tmp_path)
    words = re.findall(r"[^\W\d_]+", (Path(parse.__file__).parent / "schema.lark").read_text("utf-8"))
    generator = random.Random(path.stem)
    names = [x for x in index_of_file(own).names if x.kind != "schema"]
    refused = 0
    for _ in range(25):
        name = generator.choice(names)
        new = generator.choice([generator.choice(words), generator.choice(names).name, "new"])
        span = next(s for s in (*name.declarations, *name.uses) if s.source.path == own)
        try:
            changes = rename(text, Position(span.line - 1, span.column - 1), new, own)
        except UsageError:
            refused += 1
            continue
        made = Document(text, own).with_edits(changes[own]).text
        assert [x for x in diagnostics(made, own) if x.severity == "error"] == [], (name, new)
    assert refused < 25 or "extends" in text


def test_a_name_of_a_shipped_base_is_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "own.schema"
    text = "schema own extends eisner1996\n\nstep Twice\n  span[i, j, b, c]\n  ---  i < j, b\n  span[i, j, b, c]\n"
    with pytest.raises(UsageError, match="shipped file"):
        rename(text, at(text, "span["), "edge", path)


def test_outlines_and_folding() -> None:
    found = symbols(TEXT, EISNER)
    assert [x.name for x in found if x.keyword == "step"] == re.findall(r"^step (.*)", TEXT, re.MULTILINE)
    lines = TEXT.split("\n")
    for first, last, comment in folding(TEXT, EISNER):
        assert first < last
        assert all(lines[k].startswith("#") for k in range(first, last + 1)) is comment
    every = workspace_symbols("LINK", ALL[::4])
    assert len(every) > 8
    assert all("link" in x.name.casefold() for x in every)


@pytest.mark.parametrize(
    "path", [*ALL[::9], *shipped_files(".cfg", "examples").values()], ids=lambda p: p.name
)
def test_tokens_are_in_order_and_apart(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = semantic_tokens(text, path)
    assert found
    for one, other in itertools.pairwise(found):
        assert (one.line, one.character + one.length) <= (other.line, other.character)
    data = encoded(found)
    assert len(data) == 5 * len(found)
    assert all(x >= 0 for x in data)
    assert {x.type for x in found} <= set(TOKEN_TYPES)
    lines = text.split("\n")
    keywords = {lines[x.line][x.character : x.character + x.length] for x in found if x.type == "keyword"}
    if path.suffix == ".schema":
        assert "schema" in keywords


def test_layout_is_that_of_the_command() -> None:
    assert formatting(TEXT, EISNER) == []
    ragged = TEXT.replace("  span[i, j, false, false]\n  ---", "     span[i,  j, false, false]\n  ---")
    for text in (ragged, ragged.replace("\n", "\r\n")):
        (edit,) = formatting(text, EISNER)
        assert Document(text, EISNER).with_edits([edit]).text == TEXT.replace(
            "\n", "\r\n" if "\r" in text else "\n"
        )
    assert formatting(ragged.replace("attach i to j", "attach i j"), EISNER) == []


def test_hints_can_be_carried_out() -> None:
    for old, new in (
        ("span[i, k, b, d]", "spam[i, k, b, d]"),
        ("\nfinal span[0, n, false", "\ngoal span[0, n, false"),
        ("b: flag", "b: bool"),
        ("grammar d-rules", "grammar drules"),
        ("step R-Link", "\tstep R-Link"),
    ):
        text = TEXT.replace(old, new)
        errors = [x for x in diagnostics(text, EISNER) if x.severity == "error"]
        assert errors, new
        offered = [a for x in errors for a in actions(text, x.range, EISNER) if a.mends]
        mended = [Document(text, EISNER).with_edits(list(a.edits)).text for a in offered]
        assert any(not [x for x in diagnostics(m, EISNER) if x.severity == "error"] for m in mended), new


def test_a_missing_hypothesis_is_offered() -> None:
    text = TEXT.replace("hypothesis word[i]  where 0 <= i <= n + 1\n", "")
    errors = diagnostics(text, EISNER)
    offered = [a for x in errors for a in actions(text, x.range, EISNER) if "hypothesis" in a.title]
    assert offered
    mended = Document(text, EISNER).with_edits(list(offered[0].edits)).text
    schema, _ = read_schema_text(mended, "eisner1996.schema", path=EISNER)
    assert schema is not None


def without_left_link(path: Path) -> str:
    """Return Collins's parser with a line about mirror images in place of one of its links."""
    whole = path.read_text(encoding="utf-8")
    kept = whole[: whole.index("step L-Link")] + whole[whole.index("final tree") :]
    return kept.replace("step R-Link", "mirror tree[i, j, h] = tree[j, i, h]\n\nstep R-Link")


def test_the_mirror_image_of_a_step_is_offered_where_it_has_one() -> None:
    path = schema_path("collins1996")
    text = without_left_link(path)
    place = at(text, "step R-Link")
    (action,) = [a for a in actions(text, TextRange(place, place), path) if "mirror" in a.title]
    made = Document(text, path).with_edits(list(action.edits)).text
    assert "mirror step R-Link as L-Link" in made
    assert read_schema_text(made, "collins1996.schema", path=path)[0] is not None
    place = at(TEXT, "step R-Link")
    assert [a for a in actions(TEXT, TextRange(place, place), EISNER) if "L-Link" in a.title] == []


def test_signatures_know_the_field_that_is_written() -> None:
    for before, active in (("span[", 0), ("span[i, ", 1), ("span[i, k, b, ", 3)):
        text = TEXT.replace("  span[i, k, b, d]", f"  {before}")
        found = signature(text, at(text, f"  {before}\n", f"  {before}"), EISNER)
        assert found is not None
        assert (found.parts[found.active], found.active) == (
            ("i: position", "j: position", "b: flag", "c: flag")[active],
            active,
        )
    assert signature(TEXT, Position(0, 3), EISNER) is None


HOSTILE = [
    "schema " + "(" * 5000, "schema a\nitem x[" * 300, "step " * 20_000, "\x00" * 50, "😀" * 3000, "a" * 100_000,
    "schema a\n" + "step S\n  ---\n  x[1]\n" * 200, "\ud800", "schema a extends a", "not " * 30_000, "\n" * 5000 + "#",
    "schema a\nhypothesis x[" + "<" * 400 + ">" * 400 + "]", "\u2028\x0b\x0c\r\r\n",
    "schema a\ndefine f(x) = f(x)\nfinal x[1] where f(f(f(1)))",
]  # fmt: skip


@pytest.mark.parametrize("k", range(len(HOSTILE)))
def test_hostile_texts_are_answered(k: int) -> None:
    text = HOSTILE[k]
    for path in (
        Path("a.schema"),
        Path("a.relation"),
        Path("a.cfg"),
        Path("a.dict"),
        Path("a.facts"),
        Path("schema"),
    ):
        for place in (Position(0, 0), Position(0, 7), Position(2, 3), Position(10**9, 10**9)):
            ask_everything(text, place, path)


def ask_everything(text: str, place: Position, path: Path) -> None:
    diagnostics(text, path)
    hover(text, place, path)
    completion(text, place, path)
    definition(text, place, path)
    references(text, place, path)
    symbols(text, path)
    folding(text, path)
    encoded(semantic_tokens(text, path))
    formatting(text, path)
    actions(text, TextRange(place, place), path)
    signature(text, place, path)
    with contextlib.suppress(UsageError):
        rename(text, place, "other", path)


def edited(generator: random.Random, text: str) -> str:
    """Return a text with one random edit: a stretch taken out, doubled, or other characters put in."""
    start = generator.randrange(len(text) + 1)
    end = min(len(text), start + generator.choice((0, 1, 3, 20, 100)))
    put = generator.choice(
        (
            "",
            "[",
            "]",
            "(",
            ",",
            " ",
            "\n",
            "step",
            "\t",
            "---",
            "😀",
            "é",
            '"',
            "#",
            "i",
            text[start:end] * 2,
        )
    )
    return text[:start] + put + text[end:]


def random_edits(seed: int, count: int) -> None:
    generator = random.Random(seed)
    paths = [*ALL, *shipped_relations().values(), *shipped_files(".cfg", "examples").values()]
    paths += [*shipped_files(".dict", "examples").values(), *shipped_files(".facts", "examples").values()]
    path = generator.choice(paths)
    text = path.read_text(encoding="utf-8")
    for k in range(count):
        if k % 10 == 0:
            path = generator.choice(paths)
            text = path.read_text(encoding="utf-8")
        text = edited(generator, text)
        rows = text.split("\n")
        row = generator.randrange(len(rows))
        ask_everything(text, Position(row, generator.randrange(len(rows[row]) + 3)), path)


def test_random_edits_are_answered() -> None:
    random_edits(1, 60)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(2, 22))
def test_a_thousand_random_edits_are_answered(seed: int) -> None:
    random_edits(seed, 50)


def test_the_limits_of_texts_are_known() -> None:
    assert len(HOSTILE[5]) > REFUSALS.schema_line


def test_names_of_a_base_are_those_that_its_file_has_now(tmp_path: Path) -> None:
    text = "schema own extends base\n\nstep Twice\n  span[i, j]\n  ---\n  span[i, j]\n"
    path, base = tmp_path / "own.schema", tmp_path / "base.schema"
    place = at(text, "span[")

    def written(fields: str, item: str = "span", above: str = "") -> None:
        body = f"{above}item {item}[{fields}]\nstep Begin\n  ---  1 <= i <= n\n  {item}[i, i]\nfinal {item}[1, n]\n"
        base.write_text(f"schema base\n  grammar d-rules\n{body}", encoding="utf-8")

    def row() -> int:
        (found,) = definition(text, place, path)
        assert found.path == base
        return found.range.start.line

    assert definition(text, place, path) == []  # there is no such file yet
    written("i: position, j: position")
    assert row() == 2
    written("i: position, j: position", above="\n\n")
    assert row() == 4
    help_ = signature(text, Position(place.line, place.character + 5), path)
    assert help_ is not None
    assert help_.parts == ("i: position", "j: position")
    written("start: position, stop: position")
    help_ = signature(text, Position(place.line, place.character + 5), path)
    assert help_ is not None
    assert help_.parts == ("start: position", "stop: position")
    assert {"span"} <= {x.label for x in completion(text, place, path)}
    written("i: position, j: position", "stretch")
    assert definition(text, place, path) == []
    labels = {x.label for x in completion(text, place, path)}
    assert "stretch" in labels
    assert any("span" in x.message for x in diagnostics(text, path))


def test_names_of_related_schemata_are_those_that_their_files_have_now(folder: Path) -> None:
    path, end = folder / "eisner-satta1999-eisner1996.relation", folder / "eisner1996.schema"
    text, before = path.read_text(encoding="utf-8"), end.read_text(encoding="utf-8")
    place = at(text, "span[")

    def rows() -> list[int]:
        return [x.range.start.line for x in definition(text, place, path)]

    (first,) = rows()
    diagnostics(text, path)
    end.write_text(before.replace("item span", "\n\nitem span"), encoding="utf-8")
    assert rows() == [first + 2]
    end.write_text(before.replace("span[", "stretch["), encoding="utf-8")
    assert rows() == []
    assert any("span" in x.message for x in diagnostics(text, path))
