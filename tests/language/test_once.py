"""What is read once and used again: syntax trees of the same text, steps that no parameter changes, parts of nodes."""

import pytest

from schemata.language import files
from schemata.language import model as m
from schemata.language.files import check_file, read_schema_text
from schemata.language.reader import parse_schema
from schemata.language.shipped import shipped_files
from schemata.language.source import SUFFIX, source_from_text

# A contradiction in a step, in one with the parameter, in an image of each, and in one where only its value makes it.
TEXT = """\
schema known(d = 1)  where 0 <= d <= 3
  grammar d-rules

item span[i: position, j: position]  where 0 <= i <= j <= n, d <= j
hypothesis word[i]  where 1 <= i <= n
mirror span[i, j] = span[n + 1 - j, n + 1 - i]

step Start
  word[i]
  ----------
  span[i, i]
step Longer
  span[i, j]   word[k]
  --------------------  k == j + 1{plain}
  span[i, k]
mirror step Longer as Wider
step Farther
  span[i, j]   word[k]
  --------------------  k == j + d{open}
  span[i, k]
final span[1, n]
"""


def test_a_tree_that_is_changed_leaves_the_next_one_of_the_same_text_alone() -> None:
    source = source_from_text(TEXT.format(plain="", open=""), "known.schema")
    first, _ = parse_schema(source)
    count = len(first.declarations)
    first.declarations.clear()
    first.lost_names.add("d")
    second, _ = parse_schema(source)
    assert (len(second.declarations), second.lost_names) == (count, set())


def test_a_text_checked_again_has_the_same_findings() -> None:
    text = TEXT.format(plain=", k < j, x = ", open="")
    one, two = (read_schema_text(text, "known.schema")[1] for _ in range(2))
    assert one
    assert one == two


@pytest.mark.parametrize(
    ("plain", "open_", "steps"),
    [
        ("", "", []),
        (", k < j", "", ["Longer"]),
        ("", ", i < j, j < i", ["Farther"]),
        (", k < j", ", i < j, j < i", ["Longer", "Farther"]),
        ("", ", d == 2, d == 3", ["Farther"]),
        ("", ", d == 2", []),
    ],
)
def test_contradictions_are_found_whether_or_not_a_parameter_is_named(
    plain: str, open_: str, steps: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = TEXT.format(plain=plain, open=open_)
    schema, findings = read_schema_text(text, "known.schema")
    contradictions = [x.message for x in findings if x.code == "contradiction"]
    assert sorted({s for s in ("Longer", "Farther") for x in contradictions if s in x}) == sorted(steps)
    monkeypatch.setattr(files, "_without_parameters", lambda *_: {})
    assert read_schema_text(text, "known.schema") == (schema, findings)


@pytest.mark.thorough
def test_shipped_schemata_are_the_same_with_every_step_read_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = shipped_files(SUFFIX).values()
    before = [check_file(path) for path in paths]
    reused: list[str] = []
    without = files._without_parameters
    monkeypatch.setattr(files, "_without_parameters", lambda e, b: reused.extend(without(e, b)) or {})
    assert [check_file(path) for path in paths] == before
    assert len(reused) > 50


def test_parts_of_which_nothing_is_replaced_stay_the_same_objects() -> None:
    i, j = m.Var("i"), m.Var("j")
    node = (m.Compare("<", i, j), m.Compare("<", j, m.Lit(3)))
    assert m.rewrite(node, lambda _: None) is node
    changed = m.rewrite(node, lambda x: m.Var("k") if x == i else None)
    assert changed == (m.Compare("<", m.Var("k"), j), m.Compare("<", j, m.Lit(3)))
    assert changed[1] is node[1]
