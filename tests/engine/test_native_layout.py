"""How native agenda kernels number items and lists, and how they look up ranges: against what the numbers mean."""

import functools
import itertools
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import schemata
from schemata.engine.native import NativeEngine
from schemata.engine.run import compile_kernel, run_kernel
from schemata.grammars import DRules
from schemata.kernels.layout import Layout, layout_of
from schemata.language.files import read_schema_text
from schemata.language.library import load_schema
from schemata.language.model import Schema
from schemata.program.lower import lower
from schemata.structures import Sentence
from schemata.thresholds import WAYS
from tests.support.charts import schema_of, schema_text
from tests.support.compilers import COMPILERS, checked

REFERENCES = ["eisner1996", "collins1996", "mh:k=4", "wg1", "wgk:k=2", "mgk:k=2", "arc-eager"]

# Comparisons with one end and with two, through another field of the partner, and where the key is empty.
FAR = schema_text("far")


@functools.cache
def layout_for(reference: str) -> Layout:
    return layout_of(lower(load_schema(reference, {})))


def values_of(layout: Layout, kind: int, n: int) -> list[tuple[int, ...]]:
    """Return all columns that the conditions of a kind allow, tried one by one."""
    columns = layout.program.kinds[kind].columns
    found = []
    for row in itertools.product(range(-1, n + 3), repeat=len(columns)):
        named = {"n": n, **{c.name: v for c, v in zip(columns, row, strict=True)}}
        if all(any(_hold(o, named) for o in _options(t)) for t in layout.program.kinds[kind].conditions):
            found.append(row)
    return found


def _options(test: object) -> list[tuple[object, ...]]:
    return list(test.options) if hasattr(test, "options") else [(test,)]


def _hold(tests: tuple[object, ...], named: dict[str, int]) -> bool:
    return all(test.holds(named) for test in tests)  # type: ignore[attr-defined]


@pytest.mark.parametrize("n", [1, 2, 4])
def test_every_item_has_a_place_of_its_own(n: int) -> None:
    for layout in map(layout_for, REFERENCES):
        for kind in layout.program.kinds:
            if len(kind.columns) > 5 and n > 1:
                continue  # too many to try
            if any(digit.open for digit in layout.digits[kind.number]):
                assert not layout.bounded  # items are kept in hash tables
                continue
            numbering = layout.numbering(kind.number)
            places = [numbering.place(row, n, 1) for row in values_of(layout, kind.number, n)]
            assert None not in places
            assert len(set(places)) == len(places)
            assert all(place is not None and 0 <= place < numbering.size(n, 1) for place in places)


@given(st.integers(3, 14), st.lists(st.integers(0, 15), min_size=6, max_size=6).map(sorted))
def test_a_place_says_that_columns_are_in_order(n: int, ordered: list[int]) -> None:
    layout = layout_for("wgk:k=2")
    kind = next(k.number for k in layout.program.kinds if len(k.columns) == 7)
    (chain,) = (c for c in layout.numbering(kind).chains if len(c.columns) > 1)
    assert len(chain.columns) == 6
    i, *gaps, j = ordered
    number = chain.number((i, j, 1, *gaps), n, 1)
    assert (number is not None) == (1 <= i < gaps[0] <= gaps[1] and gaps[1] + 1 < gaps[2] <= gaps[3] < j <= n)
    assert number is None or 0 <= number < chain.size(n, 1)


def test_there_are_far_fewer_places_than_in_a_box() -> None:
    layout = layout_for("wgk:k=2")
    assert layout.places(12, 0) < 12**5


@pytest.mark.parametrize("checked", [False, True])
@pytest.mark.parametrize("n", [5, 7, 40])
@pytest.mark.rotated(2)
def test_ranges_of_every_kind(n: int, checked: bool) -> None:
    """40 words: more values than a mask has bits."""
    schema = schema_of(FAR).definition
    engine = NativeEngine(compile_kernel(schema), COMPILERS[checked], "agenda")
    ranged = [index for index in engine.agenda.text(False).quantities.indexes if index.ranged is not None]
    assert len(ranged) >= 4
    assert {bool(index.key) for index in ranged} == {True, False}
    arcs = [(i, i + 1 + i % 4) for i in range(1, n - 3, 3)] + [(1, n), (n - 2, n), (2, n // 2)]
    assert_alike(schema, engine, n, DRules.from_pairs(arcs if n > 7 else every_pair(n)))


def every_pair(n: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(1, n + 1) for j in range(1, n + 1) if i != j]


@pytest.mark.parametrize("reference", ["wg1", "wgk:k=2", "mg1", "collins1996", "odd"])
def test_rules_in_functions_of_their_own(
    reference: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(WAYS, "block_lines", 0)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))  # other tests shall not find these kernels
    schema = schema_of(FAR).definition if reference == "odd" else load_schema(reference, {})
    for hashed in (False, True):
        engine = NativeEngine(compile_kernel(schema), checked, "agenda")
        engine.agenda.hashed = hashed or None
        assert "def part_1(" in engine.agenda.text(hashed).text
        for n in (1, 3, 4):
            assert_alike(schema, engine, n, DRules.all())


def assert_alike(schema: Schema, engine: NativeEngine, n: int, grammar: DRules) -> None:
    python = compile_kernel(schema)
    sentence = Sentence(("w",) * n)
    licences = grammar.for_sentence(sentence)
    expected = run_kernel(python, sentence, licences)
    found = engine.run(python, sentence, licences, schemata.Budget())
    assert found.items == expected.items
    assert found.steps_by_name == expected.steps_by_name
    for chart in (found, expected):
        rows = [(i.case, i.antecedents, i.consequent, i.links) for i in chart.instances()]
        assert len(rows) == len(set(rows)) == chart.step_count
    told = [
        {
            (i.case, tuple(chart.item(x) for x in i.antecedents), chart.item(i.consequent), i.links)
            for i in chart.instances()
        }
        for chart in (found, expected)
    ]
    assert told[0] == told[1]


@st.composite
def ordered_schemata(draw: st.DrawFn) -> str:
    """Return schemata whose forms have up to five positions in order, with rules that compare those of two items."""

    def form(name: str, width: int) -> tuple[str, list[str]]:
        fields = [f"{name}{k}" for k in range(width)]
        signs = [draw(st.sampled_from(["<", "<=", "<="])) for _ in fields[2:]] + ["<="]
        ordered = "".join(f" {sign} {field}" for sign, field in zip(["<=", *signs], fields, strict=False))
        text = f"item {name}[{', '.join(f'{f}: position' for f in fields)}]  where 1{ordered} <= n"
        return text, fields

    widths = {"x": 2, "y": draw(st.integers(2, 4)), "z": draw(st.integers(3, 5))}
    forms = {name: form(name, width) for name, width in widths.items()}
    lines = ["schema ordered", "hypothesis word[i]  where 1 <= i <= n"]
    lines += [text for text, _ in forms.values()]
    lines += ["step Begin", "  word[i]   word[j]", "  ----------  attach i to j, i <= j", "  x[i, j]"]
    for name, width in widths.items():
        made = {2: "i, l", 3: "i, j, l", 4: "i, j, k, l", 5: "i, j, k, l, l"}[width]
        lines += [f"step Make {name}", "  x[i, j]   x[k, l]", "  ----------  j < k", f"  {name}[{made}]"]
    for k in range(draw(st.integers(1, 3))):
        one, other, target = (draw(st.sampled_from("xyz")) for _ in range(3))
        a, b = ([f"{v}{k}" for k in range(widths[n])] for v, n in (("a", one), ("b", other)))
        if draw(st.booleans()):
            b[0] = draw(st.sampled_from(a))  # a field that both have
        more, sign = draw(st.integers(0, 2)), draw(st.sampled_from(["<", "<=", ">"]))
        tests = f"{draw(st.sampled_from(a))} + {more} {sign} {draw(st.sampled_from(b[1:]))}"
        every = [*a, *(y for y in b if y not in a)]
        made = ", ".join(sorted(draw(st.sampled_from(every)) for _ in range(widths[target])))
        lines += [f"step Step{k}", f"  {one}[{', '.join(a)}]   {other}[{', '.join(b)}]"]
        lines += [f"  ----------  {tests}", f"  {target}[{made}]"]
    return "\n".join([*lines, "final x[1, n]"]) + "\n"


@settings(max_examples=25, derandomize=True, suppress_health_check=list(HealthCheck))
@given(ordered_schemata(), st.booleans())
@pytest.mark.thorough
def test_random_comparisons_of_ordered_fields(text: str, hashed: bool) -> None:
    schema, _ = read_schema_text(text)
    assume(schema is not None)  # some contradict themselves
    assert schema is not None
    engine = NativeEngine(compile_kernel(schema), checked, "agenda")
    engine.agenda.hashed = hashed or None
    chosen = random.Random(text)
    for n in (3, 5):
        pairs = [pair for pair in every_pair(n) if pair[0] < pair[1] and chosen.random() < 0.8]
        assert_alike(schema, engine, n, DRules.from_pairs([(1, 2), *pairs]))
