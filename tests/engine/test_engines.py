"""Which engine runs: chosen by hand or by length; the switch from Python to native code is not seen."""

import math
import subprocess
import sys
import time
from types import SimpleNamespace
from typing import Any

import pytest

import schemata
from schemata.engine import engines, run
from schemata.engine.engines import Worth
from schemata.kernels.run import AgendaKernel
from schemata.thresholds import WAYS
from tests.support.charts import schema_of, schema_text
from tests.support.commands import Written

GROWING = schema_text("growing")


@pytest.fixture
def early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let native code take over after a few steps."""
    set_worth(monkeypatch, 5, 10, 20)


@pytest.mark.parametrize("back_pointers", ["implicit", "compact", "explicit"])
def test_the_switch_is_not_seen(early: None, back_pointers: str) -> None:
    schema = schemata.load("eisner1996")
    sentence = ["w"] * 9
    plain = schema.run(sentence, engine="python")
    first = schema.run(sentence, back_pointers=back_pointers)  # type: ignore[arg-type]
    again = schema.run(sentence)
    assert [c.engine for c in (plain, first, again)] == ["python", "native", "native"]
    for chart in (first, again):
        assert chart.items == plain.items
        assert chart.steps_by_name == plain.steps_by_name
        assert chart.forest().trees() == plain.forest().trees()
        assert repr(chart) == repr(plain)
    assert schema.run(["w"]).engine == "python"


def set_worth(
    patch: pytest.MonkeyPatch, in_memory: int, on_disk: int, not_made: int, seconds: float = math.inf
) -> None:
    """Set the work after which one run goes over to native code; what runs have cost is not learned."""
    patch.setattr(WAYS, "compared_runs", 1 << 60)
    patch.setattr(WAYS, "in_memory_steps", in_memory)
    patch.setattr(WAYS, "on_disk_steps", on_disk)
    patch.setattr(WAYS, "not_made_steps", not_made)
    patch.setattr(WAYS, "on_disk_seconds", seconds)
    patch.setattr(WAYS, "not_made_seconds", seconds)


def test_a_corpus_of_short_sentences_goes_over_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    set_worth(monkeypatch, 100, 300, 300)
    schema = schemata.load("eisner1996")
    charts = [schema.run(["w"] * 7) for _ in range(4)]
    assert 150 < charts[0].step_count < 300
    assert [chart.engine for chart in charts] == ["python", "native", "native", "native"]
    assert schema.run(["w"] * 3).engine == "python"
    assert {chart.step_count for chart in charts} == {charts[0].step_count}


def test_what_takes_long_goes_over_by_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    set_worth(monkeypatch, 100, 150_000, 2_000_000, 1e-9)
    schema = schemata.load("eisner1996")
    assert schema.run(["w"] * 10).engine == "python"
    assert schemata.load("eisner1996").run(["w"] * 11).engine == "native"


def test_a_loop_learns_what_runs_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Native code starts once it would have saved so much, and stays only where it costs less; answers are the same."""
    monkeypatch.setattr(WAYS, "lost_seconds", 1e-9)
    monkeypatch.setattr(WAYS, "lost_seconds_with_numpy", 1e-9)
    monkeypatch.setattr(WAYS, "on_disk_steps", 1 << 60)
    schemata.load("eisner1996").run(["w"] * 9, engine="native")  # its machine code is on disk now
    schema = schemata.load("eisner1996")
    found = []
    for _ in range(6):
        chart = schema.run(["w"] * 16)
        found.append((chart.engine, chart.step_count, chart.forest().derivation_count))
        if chart.engine == "python":
            assert chart.account is not None
            chart.account.seconds += 1e3  # whatever else the machine does
    (costs,) = schema.engines._memory.costs.values()
    assert len({answers[1:] for answers in found}) == 1
    assert [engine for engine, *_ in found] == ["python"] + ["native"] * 5
    for account in costs.latest["native"][16]:
        account.seconds = 1e9
    assert schema.run(["w"] * 16).engine == "python"
    for account in costs.latest["python"][16]:
        account.seconds = 2e9
    assert schema.run(["w"] * 16).engine == "native"


def test_native_code_that_saves_little_is_not_started(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = schemata.load("eisner1996")
    monkeypatch.setattr(WAYS, "lost_seconds", 1e9)
    monkeypatch.setattr(WAYS, "lost_seconds_with_numpy", 1e9)
    assert [schema.run(["w"] * 9).engine for _ in range(5)] == ["python"] * 5
    (costs,) = schema.engines._memory.costs.values()
    assert not costs.latest["native"]
    assert costs.in_python == {9: 5}


def test_native_code_is_cheaper_to_start_beside_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    worths = []
    for modules in ({**sys.modules, "numpy": math}, {k: v for k, v in sys.modules.items() if k != "numpy"}):
        monkeypatch.setattr(sys, "modules", modules)
        worths.append(Worth.of_loop().on_disk_seconds)
    assert worths == [WAYS.lost_seconds_with_numpy, WAYS.lost_seconds]


def test_costs_of_a_forest_count() -> None:
    schema = schemata.load("eisner1996")
    charts = [schema.run(["w"] * 6, engine="auto") for _ in range(2)]
    account = charts[1].account
    assert account is not None
    before = account.seconds
    assert charts[1].forest().derivation_count > 0
    after = account.seconds
    assert after > before > 0
    charts[1].forest().count_trees()
    assert account.seconds > after
    assert schema.run(["w"] * 6, engine="python").account is None


def test_seconds_in_which_a_kernel_is_made_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a kernel in Python has cost already is no reason for another one."""
    late = [0.0]

    def slowly(*parts: Any) -> AgendaKernel:
        late[0] += 5.0
        return AgendaKernel(*parts)

    monkeypatch.setattr(run, "AgendaKernel", slowly)
    clocks = {
        name: lambda name=name: getattr(time, name)() + late[0] for name in ("perf_counter", "process_time")
    }
    monkeypatch.setattr(run, "time", SimpleNamespace(**clocks))
    set_worth(monkeypatch, 100, 150_000, 2_000_000, 4.0)
    schema = schema_of(schemata.load("eisner1996").definition.source.text)
    assert [schema.run(["w"] * n).engine for n in (11, 12)] == ["python", "python"]
    assert late == [5.0]


def test_with_few_seconds_left_a_run_stays_in_python(early: None) -> None:
    schema = schemata.load("eisner1996")
    assert schema.run(["w"] * 9, budget=schemata.Budget(seconds=1.5)).engine == "python"
    assert schema.run(["w"] * 9, budget=schemata.Budget(seconds=60)).engine == "native"
    assert schema.run(["w"] * 9, budget=schemata.Budget(seconds=1.5)).engine == "native"  # in memory


def test_lists_without_a_bound_run_natively(early: None) -> None:
    schema = schemata.load("nivre2003")
    charts = [schema.run("a b c d"), schema.run("a b c d", engine="native")]
    python = schema.run("a b c d", engine="python")
    for chart in charts:
        assert chart.engine == "native"
        assert chart.items == python.items
        assert chart.steps_by_name == python.steps_by_name
        assert chart.forest().trees() == python.forest().trees()


def test_a_normal_form_over_lists_without_a_bound_is_refused(written: Written) -> None:
    path = written(
        "open.schema",
        "schema open\nhypothesis word[i]  where 1 <= i <= n\n"
        "item tree[i: position, j: position, h: position, gaps: intervals]"
        "  where 1 <= i <= j <= n, gaps in [i + 1..j - 1]\n"
        "normal form\n  tree[i, j, h, gaps] covers [i..j] minus gaps, with or without h\n"
        "step Start\n  word[i]\n  -------\n  tree[i, i, i, <>]\nfinal tree[1, n, _, _]\n",
    )
    for engine in ("python", "native", "auto"):
        with pytest.raises(schemata.UsageError, match="normal form over lists without a bound"):
            schemata.load(path).run("a b", engine=engine)


def test_there_is_no_such_engine() -> None:
    schema = schemata.load("nivre2003")
    with pytest.raises(schemata.UsageError, match="no engine"):
        schema.run("a b", engine="fast")  # type: ignore[arg-type]
    with pytest.raises(schemata.UsageError, match="no back-pointers"):
        schema.run("a b", back_pointers="none")  # type: ignore[arg-type]


def test_values_without_a_bound_stop_at_the_budget(early: None, written: Written) -> None:
    path = written("growing.schema", GROWING)
    schema = schemata.load(path)
    with pytest.raises(schemata.BudgetExceeded) as stopped:
        schema.run("a b", budget=schemata.Budget(steps=1_000), engine="native")
    chart = stopped.value.chart
    assert chart.step_count == len(chart.items) + 1 > 1_000
    assert [str(i) for i in chart.items[:3]] == ["count[1]", "count[2]", "count[3]"]


def test_values_beyond_native_tables_stop_the_run(written: Written) -> None:
    path = written("growing.schema", GROWING.replace("count[i + 1]", "count[i + i]"))
    schema = schemata.load(path)
    budget = schemata.Budget(steps=1_000)
    with pytest.raises(schemata.BudgetExceeded, match="numbers above 2,147,483,647") as stopped:
        schema.run("a b", budget=budget, engine="native")
    chart = stopped.value.chart
    assert chart.step_count == len(chart.items) + 1 < 40
    assert all(0 < item.values[0] < 1 << 31 for item in chart.items)  # type: ignore[operator]
    with pytest.raises(schemata.BudgetExceeded, match="1,000 step instances") as stopped:
        schema.run("a b", budget=budget, engine="python")
    assert stopped.value.chart.step_count > 1_000


def test_ctrl_c_between_the_engines_keeps_the_chart(early: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(engines.Engines, "_look", interrupted)
    with pytest.raises(schemata.Interrupted) as stopped:
        schemata.load("eisner1996").run(["w"] * 9)
    assert stopped.value.chart.engine == "python"
    assert stopped.value.chart.step_count > 10


def test_missing_libraries_are_named_once(
    early: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    engines._say_once.cache_clear()
    monkeypatch.setattr(engines, "_missing", lambda: ("llvmlite",))
    for _ in range(2):
        assert schemata.load("eisner1996").run(["w"] * 9).engine == "python"
    assert capsys.readouterr().err.count("llvmlite") == 1
    with pytest.raises(schemata.UsageError, match="llvmlite"):
        schemata.load("eisner1996").run("a", engine="native")
    engines._say_once.cache_clear()


def test_a_short_sentence_imports_nothing_heavy() -> None:
    program = (
        "import sys, schemata\n"
        "chart = schemata.load('eisner1996').run('a b c d e f g h i j')\n"
        "assert chart.step_count > 500 and chart.engine == 'python'\n"
        "chart.forest().trees(), repr(chart)\n"
        "print([m for m in ('numpy', 'llvmlite', 'z3') if m in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
