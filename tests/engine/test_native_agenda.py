"""Native agenda kernels against the Python engine: the same chart, with any storage, checked, broken off, resumed."""

import functools
import signal
import threading
from collections.abc import Iterator, Sequence

import pytest

import schemata
from schemata.engine.chart import Chart
from schemata.engine.native import NativeEngine
from schemata.engine.run import Kernel, run_kernel
from schemata.grammars import DRules
from schemata.grammars.rule_files import parse_context_free
from schemata.kernels import runtime
from schemata.kernels.answers import Answers
from schemata.kernels.run import AgendaRun
from schemata.structures import Sentence
from schemata.thresholds import WAYS
from tests.support.charts import PROJECTIVE, facts, schema_of, schema_text, shipped, some_links
from tests.support.compilers import COMPILERS

MILD = ["wg1", "wg1-unlexicalised", "mg1", "wgk:k=1", "wgk:k=2", "wgk-published", "mgk:k=1"]

# Values without a window (hashed storage), free variables over ranges, a step of three antecedents with a context
# antecedent, two cases of one name that overlap, arithmetic with factors, symbols by a condition that binds.
ODD = schema_text("odd")


@functools.cache
def python_of(reference: str) -> Kernel:
    return (schema_of(ODD) if reference == "odd" else shipped(reference)).kernel


@functools.cache
def _native(reference: str, checked: bool) -> NativeEngine:
    return NativeEngine(python_of(reference), COMPILERS[checked], "agenda")


def native_of(reference: str, checked: bool, hashed: bool) -> NativeEngine:
    engine = _native(reference, checked)
    engine.agenda.hashed = hashed or None  # kernels of both kinds of storage are the schema's
    return engine


def assert_same(native: Chart, python: Chart) -> None:
    assert (native.engine, python.engine) == ("native", "python")
    assert native.items == python.items
    assert native.final_items == python.final_items
    in_order = sorted(range(native.raw.item_count), key=native.order)
    assert [native.ranks[item] for item in in_order] == list(range(native.raw.item_count))
    assert native.step_count == sum(1 for _ in native.instances())
    assert facts(native) == facts(python)
    assert [t.heads for t in native.forest().trees(20)] == [t.heads for t in python.forest().trees(20)]


def run_both(reference: str, n: int, grammar: DRules, checked: bool = False, hashed: bool = False) -> None:
    sentence = Sentence(("w",) * n)
    licences = grammar.for_sentence(sentence)
    python = run_kernel(python_of(reference), sentence, licences)
    native = native_of(reference, checked, hashed).run(
        python_of(reference), sentence, licences, schemata.Budget()
    )
    assert native is not None
    assert_same(native, python)


@pytest.mark.parametrize("reference", [*PROJECTIVE, *MILD, "odd"])
@pytest.mark.rotated(3)
def test_the_same_chart(reference: str) -> None:
    for n in (1, 2, 3, 5):
        run_both(reference, n, DRules.all())
    for n in (3, 5):
        run_both(reference, n, some_links(n, n))


@pytest.mark.parametrize("reference", ["collins1996", "eisner1996", "mh:k=4", "arc-eager", "wg1", "odd"])
def test_the_same_chart_from_hash_tables(reference: str) -> None:
    for n in (1, 2, 6):
        run_both(reference, n, DRules.all(), hashed=True)
    run_both(reference, 6, some_links(6, 1), hashed=True)


@pytest.mark.parametrize("hashed", [False, True])
@pytest.mark.parametrize("reference", [*PROJECTIVE, "wg1", "mg1", "wgk:k=2", "wg1-unlexicalised", "odd"])
@pytest.mark.rotated(3)
def test_no_index_is_out_of_bounds(reference: str, hashed: bool) -> None:
    for n in (1, 2, 3, 4):
        run_both(reference, n, DRules.all(), checked=True, hashed=hashed)
    run_both(reference, 4, some_links(4, 2), checked=True, hashed=hashed)


@pytest.mark.thorough
def test_every_array_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    grown: set[int] = set()
    enlarge = AgendaRun.enlarge

    def noted(self: AgendaRun, status: int, memory: int) -> None:
        grown.add(status)
        enlarge(self, status, memory)

    monkeypatch.setattr(AgendaRun, "enlarge", noted)
    for hashed in (False, True):
        run_both("wg1", 10, DRules.all(), hashed=hashed)
    assert grown >= {runtime.ITEMS_FULL, runtime.ARENA_FULL, runtime.TABLE_FULL, runtime.LISTS_FULL}


def native_run(reference: str, n: int, budget: schemata.Budget) -> Chart:
    sentence = Sentence(("w",) * n)
    licences = DRules.all().for_sentence(sentence)
    found = native_of(reference, False, False).run(python_of(reference), sentence, licences, budget)
    assert found is not None
    return found


def assert_a_part(part: Chart) -> None:
    """What is kept of a stopped run is derived from what is kept."""
    rows = list(part.instances())
    assert len(rows) == part.step_count
    known = set(range(part.raw.hypothesis_count))
    assert {i.consequent for i in rows} - known == set(range(part.raw.hypothesis_count, part.raw.item_count))
    assert {x for i in rows for x in i.antecedents} <= set(range(part.raw.item_count))
    assert len(part.items) == part.item_count == sum(part.items_by_form.values())


@pytest.mark.parametrize("reference", ["eisner1996", "wg1"])
def test_a_budget_of_steps_keeps_a_part(reference: str) -> None:
    with pytest.raises(schemata.BudgetExceeded) as stopped:
        native_run(reference, 14, schemata.Budget(steps=500))
    assert stopped.value.reason == stopped.value.chart.stopped == "steps"
    assert 500 < stopped.value.chart.step_count < 2_000
    assert_a_part(stopped.value.chart)


def test_a_budget_of_memory_and_of_seconds() -> None:
    with pytest.raises(schemata.BudgetExceeded) as stopped:
        native_run("wg1", 14, schemata.Budget(memory=1))
    assert stopped.value.reason == "memory"
    with pytest.raises(schemata.BudgetExceeded) as stopped:
        native_run("mg1", 30, schemata.Budget(seconds=0.2))
    assert stopped.value.reason == "seconds"


@pytest.fixture
def ctrl_c() -> Iterator[threading.Timer]:
    """A timer that presses Ctrl-C, to be started when everything is compiled."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.4, signal.raise_signal, [signal.SIGINT])
    yield timer
    timer.cancel()
    signal.signal(signal.SIGINT, before)


@pytest.mark.thorough
def test_ctrl_c_ends_a_run_long_before_its_budget(ctrl_c: threading.Timer) -> None:
    native_run("mg1", 4, schemata.Budget())
    ctrl_c.start()
    with pytest.raises(schemata.Interrupted) as stopped:
        native_run("mg1", 40, schemata.Budget(seconds=600))
    chart = stopped.value.chart
    assert chart.stopped == "interrupt"
    assert chart.step_count > 0


def test_a_turn_that_is_broken_off_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: AgendaRun, status: int, memory: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(AgendaRun, "enlarge", interrupted)
    for reference in ("collins1996", "wg1"):
        with pytest.raises(schemata.Interrupted) as stopped:
            native_run(reference, 20, schemata.Budget())
        assert stopped.value.chart.step_count > 100
        monkeypatch.setattr(AgendaRun, "enlarge", interrupted)
        assert_a_part(stopped.value.chart)


def test_runs_of_one_length_begin_with_the_room_of_the_last() -> None:
    schema, words = schemata.load("nivre2003"), ["w"] * 7
    expected = {}
    for grammar in (DRules.all(), DRules.from_heads((2, 3, 0, 3, 4, 5, 6))):
        chart = schema.run(words, grammar, engine="python")
        expected[grammar] = chart.step_count, {str(item) for item in chart.items}
    assert max(len(items) for _, items in expected.values()) > 1_500  # arrays have to grow
    for grammar in (*expected, *expected, *reversed(expected)):
        chart = schema.run(words, grammar, engine="native")
        assert (chart.step_count, {str(item) for item in chart.items}) == expected[grammar]
    with pytest.raises(schemata.BudgetExceeded, match="memory"):
        schema.run(words, engine="native", budget=schemata.Budget(memory=1 << 20))


@pytest.mark.thorough
def test_a_log_without_room_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    grammar = schemata.LinkGrammar.from_text("a: @A+; b: {@A-} & {@A+}; c: @A- & {B+}; d: {@A-} & B-;")
    schema, found = schemata.load("sleator-temperley1991"), []
    for room in (WAYS.noted_entries, 12):
        monkeypatch.setattr(WAYS, "noted_entries", room)
        run_both("wg1", 6, DRules.all(), hashed=True)
        forest = schema.run("a b b c d", grammar, engine="native").forest()
        found.append((forest.derivation_count, forest.linkages(None), facts(forest.chart)))
    python = schema.run("a b b c d", grammar, engine="python")
    assert found == [(python.forest().derivation_count, python.forest().linkages(None), facts(python))] * 2


def test_more_answers_about_words_than_there_is_room_for() -> None:
    grammar = parse_context_free("S -> B\nA -> 'a'\nB -> 'b'\n")
    charts = [
        schemata.load("cyk").run(["a"] * 1_500, grammar, engine=which) for which in ("python", "native")
    ]
    assert [len(chart.items) for chart in charts] == [1_500, 1_500]


@pytest.mark.parametrize(
    "reference", ["arc-standard-system", "attardi-system", "planar-system:single_head=1,no_covered_roots=1"]
)
def test_kernels_answer_queries_about_sets_of_arcs(reference: str, monkeypatch: pytest.MonkeyPatch) -> None:
    schema = schemata.load(reference)
    derived = set(schema.run(["w"] * 4, engine="python").items)
    asked: list[int] = []
    rows = Answers.rows

    def noted(self: Answers, table: int, key: Sequence[int]) -> tuple[int, list[int]]:
        asked.append(table)
        return rows(self, table, key)

    monkeypatch.setattr(Answers, "rows", noted)
    assert set(schema.run(["w"] * 4, engine="native").items) == derived
    assert len(asked) == 1  # the positions of all words


WRITTEN = schema_text("written")

BOUNDED = schema_text("bounded")


@pytest.mark.parametrize(
    ("text", "items"), [(WRITTEN, {"tree[1]", "item[1, 2, 1]"}), (BOUNDED, {"list[<B>, 1]", "list[<B>, 2]"})]
)
def test_items_are_known_by_their_normal_form_and_have_what_their_lists_need(
    text: str, items: set[str]
) -> None:
    schema = schema_of(text)
    for engine in ("python", "native"):
        assert {str(item) for item in schema.run("a b", engine=engine).items} == items
