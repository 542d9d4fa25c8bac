"""Profiles: counts that add up to the chart's, candidates against a count by hand, times that add up, reasons."""

import json
from collections import Counter

import pytest

import schemata
from schemata.analysis.profile import Profile, profile
from schemata.budget import Budget
from schemata.display.kernels import profile_text
from schemata.display.terminal import Page
from schemata.engine.run import Kernel
from schemata.errors import UsageError
from schemata.grammars import DRules, LinkGrammar, grammar_from_option
from schemata.grammars.rule_files import parse_context_free
from schemata.kernels.measures import Measure
from schemata.thresholds import EFFORTS
from schemata.workbench import ParsingSchema
from tests.support.charts import schema_text
from tests.support.commands import Written

SENTENCE = "a b c d e f"
D_RULES = [
    "collins1996", "eisner1996", "wg1", "mh:k=4", "mgk:k=1", "arc-eager", "covington2001",
    "yamada-matsumoto2003",
]  # fmt: skip

# Every pair of arcs is tried, since no field of the second is limited by those of the first, only their sum.
CARTESIAN = schema_text("cartesian")

# The same where the second is far behind the first: arcs are gone through from a place on.
RANGED = CARTESIAN.replace("i + l > j + k + 5", "k > j + 6")


def chart_items(found: Profile) -> dict[str, int]:
    """Return the items of every form, hypotheses included."""
    chart = found.measured
    counts = Counter(item.form for item in (*chart.items, *chart.hypotheses))
    return {form.name: counts[form.name] for form in chart.schema.forms}


def adds_up(schema: ParsingSchema, found: Profile) -> None:
    """Check what holds of every profile of a run that came to its end."""
    chart = found.measured
    assert chart.engine == "python"
    assert {step.name: step.instances for step in found.steps} == dict(chart.steps_by_name)
    filing = sum(form.share for form in found.filing)
    assert sum(step.share for step in found.steps) + filing + found.rest_share == pytest.approx(1)
    assert all(form.indexes or form.has_writings for form in found.filing)
    assert {form.form: form.items for form in found.filing}.items() <= chart_items(found).items()
    for step in found.steps:
        for case in step.cases:
            for block in case.blocks:
                assert 0 <= block.instances <= block.candidates
                assert 0 <= block.taken <= block.candidates
                for move in block.plan:
                    assert move.found is None or 0 <= move.found <= block.candidates
    by_case = [case.instances for step in found.steps for case in step.cases]
    named = schema.definition.step_names
    cases = sorted(
        range(len(schema.definition.cases)), key=lambda k: named.index(schema.definition.cases[k].step)
    )
    counts = chart.raw.step_counts(chart.strides)
    assert by_case == [counts[k] for k in cases]
    json.dumps(found.to_json())
    assert profile_text(found)


@pytest.mark.parametrize("name", D_RULES)
def test_counts_are_those_of_the_chart(name: str) -> None:
    schema = schemata.load(name)
    found = profile(schema, SENTENCE)
    chart = schema.run(SENTENCE)
    assert found.is_whole
    assert (found.measured.item_count, found.measured.step_count) == (chart.item_count, chart.step_count)
    adds_up(schema, found)


def test_context_free_grammars() -> None:
    grammar = parse_context_free('S -> S S\nS -> "a"\n')
    schema = schemata.load("cyk")
    adds_up(schema, profile(schema, "a a a a", grammar))


def test_link_grammars() -> None:
    grammar = LinkGrammar.from_text("a: {A-} & {A+}; b: {A-} & {@A+};")
    for name in ("sleator-temperley1991", "eisner-lg"):
        schema = schemata.load(name)
        adds_up(schema, profile(schema, "a b a b", grammar))


def test_dependency_rules() -> None:
    schema = schemata.load("dvh1")
    grammar = grammar_from_option("heads:2,0,2", schema.definition.grammar)
    adds_up(schema, profile(schema, "a b c", grammar))


def test_candidates_are_what_the_plan_looks_up() -> None:
    """In Eisner's CombineSpans a left span meets every right span that begins where it ends, with the opposite flag."""
    found = profile(schemata.load("eisner1996"), SENTENCE)
    spans = [item.values for item in found.chart.items if item.form == "span"]
    fit = [(a, b) for a in spans for b in spans if a[1] == b[0] and a[3] != b[2]]
    pairs = [(a, b) for a, b in fit if not (a[2] and b[3])]  # no rule has both flags set
    (combine,) = (step for step in found.steps if step.name == "CombineSpans")
    looked_up = [
        move for case in combine.cases for b in case.blocks for move in b.plan if move.kind == "index"
    ]
    assert sum(move.found or 0 for move in looked_up) == len(pairs)
    assert combine.instances == len(pairs)
    first, second = combine.cases[0].blocks
    assert first.plan[0].key == (("i", "j"), ("b", "¬c"))
    assert second.plan[0].key == (("j", "j"), ("c", "c"))
    assert [block.taken for block in (first, second)] == [len(spans)] * 2


def test_cases_of_a_step_have_rows() -> None:
    found = profile(schemata.load("mh:k=4"), SENTENCE)
    (link,) = (step for step in found.steps if step.name == "Link")
    assert [case.label for case in link.cases] == ["to the right", "to the left"]
    assert sum(case.share for case in link.cases) == pytest.approx(link.share)
    rows = profile_text(found, plans=0).splitlines()
    at = next(k for k, row in enumerate(rows) if row.startswith("Link "))
    assert [row[:16].rstrip() for row in rows[at + 1 : at + 3]] == ["  to the right", "  to the left"]


def test_items_that_fit_no_place_are_candidates() -> None:
    """Every span without flags is tried as the one antecedent of R-Link; those without a licence fail."""
    schema = schemata.load("eisner1996")
    found = profile(schema, SENTENCE, DRules.from_pairs([(1, 2)]))
    (step,) = (step for step in found.steps if step.name == "R-Link")
    spans = [item.values for item in found.chart.items if item.form == "span"]
    assert step.candidates == sum(1 for span in spans if not span[2] and not span[3])
    assert 1 == step.instances < step.candidates


def test_a_cartesian_join_is_the_bottleneck(written: Written) -> None:
    path = written("cartesian.schema", CARTESIAN)
    schema = schemata.load(path)
    found = profile(schema, "a b c d e f g h i j k l")
    adds_up(schema, found)
    worst = found.bottleneck
    assert worst.step.name == "Pair"
    assert "no field is a key" in worst.why
    (pair,) = (step for step in found.steps if step.name == "Pair")
    assert pair.candidates >= 66 * 65  # all ordered pairs of different arcs
    assert pair.selectivity is not None
    assert pair.selectivity < 0.1
    assert "bottleneck: Pair, " in profile_text(found)


def test_a_limit_on_a_field_is_told(written: Written) -> None:
    path = written("cartesian.schema", RANGED)
    found = profile(schemata.load(path), "a b c d e f g h i j k l")
    adds_up(schemata.load(path), found)
    (pair,) = (step for step in found.steps if step.name == "Pair")
    first, second = pair.cases[0].blocks
    assert (first.plan[0].kind, first.plan[0].key) == ("index", (("i", "≥ j + 7"),))
    assert (second.plan[0].kind, second.plan[0].key) == ("index", (("i", "≤ k - 8"),))
    assert "look up arc[k, l] by i ≥ j + 7: " in profile_text(found)
    assert pair.candidates < 66 * 65


def test_rules_of_a_case_are_one_block() -> None:
    """CombineSpans is a rule for every choice of flags; each item is taken once, and what it does is told once."""
    found = profile(schemata.load("eisner1996"), SENTENCE)
    (combine,) = (step for step in found.steps if step.name == "CombineSpans")
    (case,) = combine.cases
    assert [block.place for block in case.blocks] == [1, 2]
    assert all(
        len({(move.kind, move.text) for move in block.plan}) == len(block.plan) for block in case.blocks
    )


def test_a_turn_that_is_broken_off_counts_once() -> None:
    """Arrays are enlarged in the middle of turns, which begin again."""
    schema = schemata.load("collins1996")
    found = profile(schema, ["a"] * 22)
    assert found.measured.item_count > 1024
    adds_up(schema, found)


def test_a_long_sentence_is_measured_on_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EFFORTS, "profile_steps", 300)
    schema = schemata.load("collins1996")
    schema.engine = "python"
    found = profile(schema, SENTENCE * 2)
    steps = [schema.run(["a"] * n).step_count for n in range(1, 12)]
    assert found.measured_n == sum(1 for count in steps if count <= 300)
    assert found.measured.step_count == steps[found.measured_n - 1]
    assert not found.is_whole
    assert f"the first {found.measured_n} words" in profile_text(found, Page(200))


def test_a_tree_has_no_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EFFORTS, "profile_steps", 10)
    schema = schemata.load("eisner1996")
    found = profile(schema, "a b c d e f", DRules.from_heads([2, 0, 2, 3, 4, 5]))
    assert (found.measured_n, found.measured.stopped, found.over) == (6, "steps", None)
    assert "cut off" in profile_text(found, Page(200))
    with pytest.raises(UsageError, match="whole sentence"):
        profile(schema, "a b c d e f", DRules.from_heads([2, 0, 2, 3, 4, 5]), max_n=3)


def test_the_number_of_words_to_measure() -> None:
    schema = schemata.load("eisner1996")
    assert profile(schema, SENTENCE, max_n=3).measured.step_count == schema.run("a b c").step_count
    assert profile(schema, SENTENCE, max_n=30).is_whole
    with pytest.raises(UsageError):
        profile(schema, SENTENCE, max_n=0)


def test_a_run_over_budget_is_profiled_as_far_as_it_came() -> None:
    found = profile(schemata.load("wg1"), SENTENCE, budget=Budget(steps=200))
    assert found.chart.stopped == "steps"
    assert found.over is not None
    assert 0 < found.measured.step_count < schemata.load("wg1").run(SENTENCE).step_count
    assert found.to_json()["stopped"] == "steps"


@pytest.mark.parametrize("name", ["eisner1996", "wg1"])
def test_native_kernels_are_told(name: str) -> None:
    schema = ParsingSchema(schemata.load(name).definition, "native")
    found = profile(schema, SENTENCE)
    adds_up(schema, found)
    assert found.engine.engine == "native"
    if found.engine.kernel == "ordered":
        by_step = dict.fromkeys(schema.definition.step_names, 0)
        for rule in found.engine.rules:
            by_step[rule.step] += rule.instances
            assert rule.around
        assert by_step == dict(found.chart.steps_by_name)
        assert "The native kernel: " in profile_text(found)


def test_the_loops_of_combine_spans() -> None:
    found = profile(ParsingSchema(schemata.load("eisner1996").definition, "native"), SENTENCE)
    rules = [rule for rule in found.engine.rules if rule.step == "CombineSpans"]
    assert {rule.inside for rule in rules} == {("for j from i + 1 to k - 1",)}
    assert rules[0].around[0] == "for every level = k - i from 1 to n"
    assert rules[0].looks_up == ("span[i, j, false, false]", "span[j, k, true, false]")


@pytest.mark.parametrize("name", [*D_RULES, "earley", "sleator-temperley1991", "wgk", "dvh1"])
@pytest.mark.parametrize("measure", ["rows", "time"])
def test_a_measured_kernel_is_the_kernel(name: str, measure: Measure) -> None:
    """Without the lines that measure, the text is that of the kernel that runs, however its parts are divided."""
    definition = schemata.load(name).definition
    measured, plain = (Kernel(definition, what).text.splitlines() for what in (measure, None))
    marks = (
        "rows_counted[", "rows_found[", "time_spent[", "block_begun = ", "time_filed[", "filing_begun = ",
        "turn_begins(",
    )  # fmt: skip
    kept = [line for line in measured if not line.strip().startswith(marks)]
    assert len(kept) < len(measured)
    divided = any(line.startswith("def part_") for line in (*kept, *plain))
    assert kept == plain if not divided else rules_of(kept) == rules_of(plain)


def rules_of(lines: list[str]) -> list[str]:
    """Return the lines of a kernel's rules, without those that divide it into functions."""
    heads = ("def part_", "more = part_", "@apart", "steps += more", "if more < 0:", "return ")
    ends = ("steps = 0", "work = 0", "st[WORK] += work")
    texts = [line.strip() for line in lines]
    return [text for text in texts if text and not text.startswith((*heads, *ends, "st[13] += work"))]
