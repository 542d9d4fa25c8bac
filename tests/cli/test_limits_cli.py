"""One budget for all that a command does: each of these would go on for minutes, and hands over what is known."""

import csv
import json
import math
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count, islice
from pathlib import Path
from time import perf_counter
from types import SimpleNamespace
from typing import Any

import pytest

from schemata.analysis import compare as comparing
from schemata.analysis.compare import compare
from schemata.analysis.figures import Figures, figures_of
from schemata.budget import OverBudget
from schemata.cli.main import main
from schemata.display.comparison import comparison_csv
from tests.support.commands import Cli, Tells, Written, conllu

# What ends a run is raised anywhere in it, also while a folder is read: then nothing closes it but the collector.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


def words(n: int) -> str:
    return " ".join(f"w{i}" for i in range(n))


@pytest.fixture
def corpus(written: Written) -> Callable[[int, int], str]:
    """Make a treebank of so many sentences of n words, each word under its left neighbour, and half of them shorter."""

    def make(sentences: int, n: int) -> str:
        rows = [f"w{i}/NOUN/{i - 1}" for i in range(1, n + 1)]
        texts = {f"s{k}": " ".join(rows[: n - k % 2]) for k in range(sentences)}
        path = written("made.conllu", conllu(**texts))
        return str(path)

    return make


@pytest.mark.parametrize(
    "command",
    [
        "run eisner1996 WORDS --limit 200000",
        "run eisner1996 WORDS --trace-all",
        "run eisner1996 WORDS --derivations 100000",
        "run wg1 WORDS",
        "run mgk:k=3 WORDS --engine native",
        "compare eisner1996 collins1996 --lengths 2..90",
        "compare eisner1996 wg1 WORDS --diff",
        "relate mh:k=3 mh:k=4 --lengths 2..90",
        "relate mgk wgk --kind static-filter --max-n 40",
        "why-not wg1 WORDS --depth 8",
        "explain wg1 WORDS tree[1,60,1,-,-] --every-step",
        "profile wg1 WORDS",
        "compile mgk:k=3 --explain",
        "verify eisner1996 --max-n 30 --class projective --cite",
    ],
)
def test_seconds_end_a_command(command: str, tells: Tells) -> None:
    given = [words(60) if word == "WORDS" else word for word in command.split()]
    answer = tells(*given, "--max-seconds", "0.3", code=2)
    assert "seconds" in (answer.get("stopped"), answer.get("measured", {}).get("stopped"))


def test_what_is_long_in_no_phase_of_a_command_is_broken_off(
    monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    """Reading a schema is no run, and has no budget of its own."""
    monkeypatch.setattr(
        "schemata.cli.command.load_file", lambda *_: iter(int, 1) and [0 for _ in iter(int, 1)]
    )
    code, out, err = cli("show eisner1996 --max-seconds 0.1 --json")
    assert (code, json.loads(out)["stopped"]) == (2, "seconds")
    assert "hit the budget of 0.1 seconds" in err


def over(*_: Any, **__: Any) -> Any:
    raise OverBudget("memory")


@pytest.mark.parametrize(
    ("where", "command", "known"),
    [
        (
            "forest.forest.Forest.structures",
            "run eisner1996 abc",
            {"derivations": 16, "distinct_trees": None},
        ),
        (
            "forest.forest.Forest.count_structures",
            "run eisner1996 abc",
            {"trees_complete": False, "derivations": 16},
        ),
        ("cli.run.iterate_derivations", "run eisner1996 abc --derivations 3", {"distinct_trees": 12}),
        ("analysis.explain._told", "run eisner1996 abc --trace", {"accepted": True}),
        ("analysis.compare.figures_of", "compare eisner1996 abc", {}),
        ("analysis.compare.chart_difference", "compare eisner1996 nivre2003 abc --diff", {}),
        ("relations.decide.correspondence", "relate mh:k=3 mh:k=4 --kind step-refinement", {"holds": None}),
    ],
)
def test_what_is_known_at_a_limit_is_printed(
    where: str, command: str, known: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tells: Tells
) -> None:
    if where.endswith("figures_of"):  # of a forest; the chart's own figures are known
        whole = figures_of
        monkeypatch.setattr(
            f"schemata.{where}",
            lambda *a, forest, **k: (whole if not forest else over)(*a, forest=forest, **k),
        )
    else:
        monkeypatch.setattr(f"schemata.{where}", over)
    given = ["a b c" if word == "abc" else word for word in command.split()]
    answer = tells(*given, code=2)
    assert answer["stopped"] == "memory"
    assert {name: answer[name] for name in known} == known
    for row in answer.get("rows", ()):
        if command.startswith("compare"):
            assert row["items"] > 0
            assert (row["derivations"] is None) == ("figures_of" in where)
    assert main(given) == 2


def test_a_corpus_ends_at_the_limit(
    corpus: Callable[[int, int], str], cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a clock that stands still for forty looks, and is past every limit from then on."""
    looks = count()
    clock = SimpleNamespace(
        monotonic=lambda: math.inf if next(looks) > 40 else 0.0, perf_counter=perf_counter
    )
    monkeypatch.setattr("schemata.cli.run.time", clock)
    code, out, err = cli("run eisner1996 --conllu", corpus(1000, 20), "--max-seconds", "600", "--tsv")
    made = len(out.splitlines()) - 1
    assert code == 2
    assert 0 < made < 60
    assert f"hit the budget of 600 seconds after {made}" in err
    assert f"of {made} sentence" in err


def test_figures_of_a_corpus_are_kept_by_length(
    corpus: Callable[[int, int], str], monkeypatch: pytest.MonkeyPatch, tells: Tells
) -> None:
    growths: list[int] = []
    whole_growth = comparing.growth_of
    monkeypatch.setattr(
        "schemata.analysis.compare.growth_of", lambda rows: growths.append(len(rows)) or whole_growth(rows)
    )
    path = corpus(30, 4)
    answer = tells("compare eisner1996 collins1996 --conllu", path, "--no-seconds")
    assert growths == [4]
    whole = compare(["eisner1996", "collins1996"], [4, 3] * 15)
    rows = [row.to_json() for row in whole.totals]
    assert [row["items"] for row in answer["rows"]] == [row["items"] for row in rows]
    assert [(row["sentences"], row["derivations"]) for row in answer["rows"]] == [
        (30, row["derivations"]) for row in rows
    ]
    assert [one["exponent"] for one in answer["growth"]] == [
        one.to_json()["exponent"] for one in whole.growth
    ]


def test_a_line_of_values_is_written_before_the_next_row_is_measured() -> None:
    rows = compare(["eisner1996", "collins1996"], [2, 3]).rows
    taken: list[Figures] = []

    def measured() -> Iterator[Figures]:
        for row in rows:
            taken.append(row)
            yield row

    written = []
    for line in comparison_csv(measured(), 2, seconds=False):
        written.append((len(taken), line.count("\n")))
    assert written[:4] == [(2, 2), (2, 1), (3, 1), (4, 1)]


def test_an_interrupted_table_of_values_is_printed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = comparing.measurements

    def some(*arguments: Any, **settings: Any) -> Iterator[Any]:
        yield from islice(made(*arguments, **settings), 3)
        raise RuntimeError("killed")

    monkeypatch.setattr("schemata.analysis.compare.measurements", some)
    with pytest.raises(RuntimeError, match="killed"):
        main(["compare", "eisner1996", "collins1996", "--lengths", "2..5", "--csv"])
    rows = csv.DictReader(capsys.readouterr().out.splitlines())
    found = [(row["label"], row["n"]) for row in rows]
    assert found == [("eisner1996", "2"), ("collins1996", "2"), ("eisner1996", "3")]


@pytest.mark.parametrize(
    "line",
    ["train BANK -o MODEL", "parse MODEL BANK", "evaluate BANK BANK", "accuracy mst --treebank BANK,BANK"],
)
def test_learning_within_limits(line: str, cli: Cli, written: Written, tmp_path: Path) -> None:
    """Within a moment no model is written, and nothing is said; within long enough all is as without a limit."""
    bank = written("bank.conllu", conllu(one="a/D/2 b/N/3 c/V/0", two="a/D/3 b/N/4 c/V/0 d/N/3"))
    model = tmp_path / "model"
    if line.startswith("parse"):
        assert cli("train", str(bank), "-o", str(model), "--epochs", "1").code == 0
    words = line.replace("BANK", str(bank)).replace("MODEL", str(model)).split()
    cut = cli(*words, "--max-seconds", "1e-9")
    assert cut.code == 2
    assert "hit the budget of" in cut.err
    assert not cut.out
    assert line.startswith("parse") or not model.exists()
    assert cli(*words, "--max-seconds", "600").code == 0


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="there is no such signal")
@pytest.mark.parametrize(("name", "code"), [("SIGHUP", 129), ("SIGTERM", 143), ("SIGINT", 130)])
def test_a_signal_while_modules_are_imported(name: str, code: int) -> None:
    """Before a command is looked for, nothing catches what the handler raises. `nohup` would have it ignored."""
    text = f"""
import signal, schemata.cli.main as command
signal.signal(signal.{name}, signal.default_int_handler if signal.{name} == signal.SIGINT else signal.SIG_DFL)
command.main = lambda: signal.raise_signal(signal.{name})
from schemata.__main__ import entry_point
entry_point()
"""
    done = subprocess.run([sys.executable, "-c", text], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (code, "error: interrupted\n")
