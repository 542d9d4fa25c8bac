"""Shards: the same answer wherever they are worked on, and however often the work is ended."""

import copy
import dataclasses
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest

from schemata.cache import fits, values_read, values_written
from schemata.cli.compare import _Measurer
from schemata.cli.run import _Runner
from schemata.errors import BudgetError, UsageError
from schemata.language.shipped import shipped_schemata
from schemata.shards import Crew, Ledger, Places, _checksum, crew, deaf
from schemata.verification.coverage import Counting
from schemata.verification.progress import Examiner
from tests.support.commands import Cli, Prints, Written, conllu

Result = tuple[int, bool]


class Squares:
    """Squares numbers; those of a set end the process, or are not whole."""

    def __init__(self, deadly: int | None = None, cut: int | None = None) -> None:
        self.deadly, self.cut = deadly, cut

    def __call__(self, number: int) -> Result:
        if number == self.deadly:
            os.kill(os.getpid(), signal.SIGKILL)
        return number * number, number != self.cut


def squares(places: Places, numbers: Any, *arguments: Any) -> list[int]:
    with crew(Squares, arguments, places) as workers:
        return list(workers.results(numbers))


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_come_in_order_and_few_are_under_way(jobs: int) -> None:
    taken = 0

    def numbers() -> Iterator[int]:
        nonlocal taken
        for number in range(60):
            taken += 1
            yield number

    with crew(Squares, (), Places(jobs)) as workers:
        for place, found in enumerate(workers.results(numbers())):
            assert found == place * place
            assert taken - place <= 8 * jobs


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_shards_raise_comes_after_the_results_before_it(jobs: int) -> None:
    def numbers() -> Iterator[int]:
        yield from range(5)
        raise UsageError("no more")

    found = []
    with crew(Squares, (), Places(jobs)) as workers:
        results = workers.results(numbers())
        found += [next(results) for _ in range(5)]
        with pytest.raises(UsageError, match="no more"):
            next(results)
    assert found == [0, 1, 4, 9, 16]


class _Stillborn:
    """Ends its process before there is any work."""

    def __init__(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_process_that_dies_at_its_beginning_is_an_answer() -> None:
    with (
        pytest.raises(BudgetError, match="a worker process was killed"),
        crew(_Stillborn, (), Places(2)) as workers,
    ):
        list(workers.results(range(9)))


def test_a_process_that_dies_is_an_answer() -> None:
    with pytest.raises(BudgetError, match="a worker process was killed"):
        squares(Places(2), range(9), 5)


def test_a_ledger_keeps_what_is_whole(tmp_path: Path) -> None:
    places = Places(ledger=tmp_path / "kept", question="1")
    assert squares(places, range(4), None, 2) == [0, 1, 4, 9]
    assert len(list((tmp_path / "kept").glob("*.done"))) == 3
    marked = sorted((tmp_path / "kept").glob("*.result"))[0]
    marked.write_bytes(marked.read_bytes()[:-1])  # not what the marker is about: done again
    assert squares(places, range(4)) == [0, 1, 4, 9]
    assert len(list((tmp_path / "kept").glob("*.done"))) == 4
    with pytest.raises(UsageError, match="results of another command"):
        squares(Places(ledger=tmp_path / "kept", question="2"), range(4))
    for broken in (b"\xff", b"[" * 100_000):  # a broken disk; nested deeper than JSON is read
        (tmp_path / "kept" / "question.json").write_bytes(broken)
        with pytest.raises(UsageError, match="results of another command"):
            squares(places, range(4))


def test_a_ledger_is_of_one_process(tmp_path: Path) -> None:
    held = Ledger(tmp_path, "1")
    with pytest.raises(UsageError, match="in use"):
        Ledger(tmp_path, "1")
    held.close()
    Ledger(tmp_path, "1").close()


def test_a_ledger_executes_nothing(tmp_path: Path) -> None:
    import hashlib
    import pickle

    class Evil:
        def __reduce__(self) -> Any:
            return os.mkdir, (str(tmp_path / "evil"),)

    places = Places(ledger=tmp_path / "kept", question="1")
    squares(places, range(1))
    (name,) = (file.stem for file in (tmp_path / "kept").glob("*.done"))
    content = pickle.dumps(Evil())
    (tmp_path / "kept" / f"{name}.result").write_bytes(content)
    (tmp_path / "kept" / f"{name}.done").write_text(hashlib.sha256(content).hexdigest())
    assert squares(places, range(1)) == [0]  # what nothing of this package wrote is worked on once more
    assert not (tmp_path / "evil").exists()


def test_a_result_under_another_name_is_none(tmp_path: Path) -> None:
    places = Places(ledger=tmp_path / "kept", question="1")
    assert squares(places, [2, 3]) == [4, 9]
    first, second = sorted(file.stem for file in (tmp_path / "kept").glob("*.done"))
    for ending in ("result", "done"):
        content = (tmp_path / "kept" / f"{first}.{ending}").read_bytes()
        (tmp_path / "kept" / f"{second}.{ending}").write_bytes(content)
    assert squares(places, [2, 3]) == [4, 9]


# Commands ----------------------------------------------------------------------------------------------------

COMMANDS = {
    "run": ["run", "eisner1996", "--grammar", "gold", "--conllu", "{bank}", "--json"],
    "run by length": ["run", "eisner1996", "--grammar", "all", "--conllu", "{bank}", "--json"],
    "coverage": ["coverage", "{bank}", "--schema", "mh:k=4", "--schema", "eisner1996", "--json", "--examples", "2"],
    "compare": [
        "compare", "eisner1996", "mh:k=4", "--grammar", "gold", "--conllu", "{bank}", "--no-seconds", "--json",
        "--no-forest",
    ],
    "verify": ["verify", "covington2001", "--class", "all", "--max-n", "4", "--json"],
}  # fmt: skip

MAKERS: dict[str, Any] = {
    "run": _Runner, "coverage": Counting, "compare": _Measurer, "verify": Examiner
}  # fmt: skip


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a treebank of 330 random trees, three of them broken."""
    chance, sentences = random.Random(5), {}
    for number in range(330):
        heads = [
            0 if number % 110 else 9,
            *(chance.randint(1, word) for word in range(1, chance.randint(1, 9))),
        ]
        sentences[f"s{number}"] = " ".join(f"w{d}/X/{h}" for d, h in enumerate(heads, start=1))
    path = tmp_path_factory.mktemp("bank") / "random.conllu"
    path.write_text(conllu(**sentences), encoding="utf-8")
    return path


def plain(text: str) -> list[Any]:
    """Return JSON without seconds and engines, which differ from run to run."""
    lines = [json.loads(line) for line in text.splitlines()]
    return [{key: value for key, value in line.items() if key not in ("seconds", "engine")} for line in lines]


@pytest.mark.parametrize("name", COMMANDS)
def test_processes_and_ledgers_change_no_answer(name: str, bank: Path, tmp_path: Path, cli: Cli) -> None:
    command, *words = [word.format(bank=bank) for word in COMMANDS[name]]
    first = cli(command, *words)
    for more in (["--jobs", "2"], ["--resume", str(tmp_path)], ["--resume", str(tmp_path), "--jobs", "2"]):
        again = cli(command, *words, *more)
        assert (again.code, again.err) == (first.code, first.err)
        assert plain(again.out) == plain(first.out)
    assert list(tmp_path.glob("*.done"))


@pytest.mark.parametrize("name", ["run", "coverage"])
@pytest.mark.rotated(2)
def test_killed_ten_times_the_answer_is_the_same(name: str, bank: Path, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "schemata", *(word.format(bank=bank) for word in COMMANDS[name])]
    whole = subprocess.run(words, capture_output=True, check=False)
    resumed = [*words, "--resume", str(tmp_path / "ledger")]
    outputs = []
    for killed in range(10):
        process = subprocess.Popen(resumed, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 20
        # As soon as one more shard is done; at the last ones the process may be through before it is killed.
        while process.poll() is None and time.monotonic() < end:
            if len(list((tmp_path / "ledger").glob("*.done"))) > killed // 3:
                break
            time.sleep(0.005)
        process.kill()
        process.wait()
    for _ in range(2):
        outputs.append(subprocess.run(resumed, capture_output=True, check=False))
    assert outputs[0].stdout == outputs[1].stdout
    assert outputs[0].returncode == whole.returncode == 2  # three sentences are broken
    assert plain(outputs[0].stdout.decode()) == plain(whole.stdout.decode())


def family(process: subprocess.Popen[str], least: int) -> list[psutil.Process]:
    """Return the processes that a process has begun, once there are as many as that."""
    while len(found := psutil.Process(process.pid).children()) < least:
        assert process.poll() is None
        time.sleep(0.01)
    return found


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
@pytest.mark.parametrize(
    ("name", "code"), [("SIGTERM", 143), ("SIGHUP", 129), ("SIGINT", 130), ("SIGKILL", -9)]
)
@pytest.mark.parametrize("early", [True, False])
@pytest.mark.rotated(2)
def test_no_process_outlives_the_command(name: str, code: int, early: bool, tmp_path: Path) -> None:
    """Killed when the first process has just begun, or when there are results; nobody holds the ledger then."""
    bank, folder = tmp_path / "bank.conllu", tmp_path / "ledger"
    bank.write_text(conllu(**{f"s{k}": "a/X/2 b/X/0 c/X/2 d/X/3 e/X/1" for k in range(5_000)}), "utf-8")
    words = ["coverage", str(bank), "--json", "--jobs", "2", "--resume", str(folder)]
    program = f"""
import signal, sys
for one in (signal.SIGTERM, signal.SIGHUP):
    signal.signal(one, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.argv = {["schemata", *words]!r}
from schemata.__main__ import entry_point
entry_point()
"""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    command = subprocess.Popen([sys.executable, "-c", program], **pipes)  # type: ignore[call-overload]
    workers = family(command, 1 if early else 2)
    while not early and not any(folder.glob("*.done")):
        time.sleep(0.01)
    command.send_signal(getattr(signal, name))
    out, err = command.communicate(timeout=120)
    assert command.returncode == code
    assert "Traceback" not in err
    _, alive = psutil.wait_procs(workers, timeout=60)
    assert not alive
    if code > 0:
        answer = json.loads(out)
        assert answer["stopped"] == "interrupt"
        assert answer["sentences"] < 5_000
        assert f"interrupted after {answer['sentences']}" in err.replace(",", "")
    question = (folder / "question.json").read_text("utf-8")
    Ledger(folder, question).close()


def test_a_signal_while_processes_begin_is_put_off_and_heard(hearing_ctrl_c: None) -> None:
    went_on = []

    def press() -> None:
        with deaf():
            signal.raise_signal(signal.SIGINT)
            went_on.append(True)

    with pytest.raises(KeyboardInterrupt):
        press()
    assert went_on
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_ledger_is_about_the_content_of_files(written: Written, tmp_path: Path, cli: Cli) -> None:
    for head, code in ((0, 0), (0, 0), (9, 2)):
        file = written("a.conllu", f"1\ta\t_\t_\t_\t_\t{head}\t_\t_\t_\n")
        answer = cli("coverage", str(file), "--classes", "--resume", str(tmp_path / "kept"))
        assert answer.code == code
    assert "results of another command: content of" in answer.err


@pytest.mark.thorough
def test_a_ledger_is_about_schemata_with_parameters_and_what_they_extend(
    written: Written, tmp_path: Path, cli: Cli
) -> None:
    mine = written("mine.schema", "schema mine extends base\n")
    text = shipped_schemata()["mh"].read_text("utf-8")
    base = text.replace("schema mh", "schema base", 1)
    command = (
        "verify",
        f"{mine}:k=3",
        "--class",
        "projective",
        "--max-n",
        "1",
        "--resume",
        str(tmp_path / "kept"),
    )
    written("base.schema", base)
    assert cli(*command).code == cli(*command).code == 0
    written("base.schema", f"{base}\n# changed\n")
    answer = cli(*command)
    assert answer.code == 2
    assert "results of another command: content of" in answer.err
    written("base.schema", base)
    assert cli(*command).code == 0
    written("mine.schema", "schema mine extends base\n# changed\n")
    assert cli(*command).code == 2


def test_a_ledger_is_about_nothing_that_is_read_once(tmp_path: Path, cli: Cli) -> None:
    pipe = tmp_path / "pipe.conllu"
    os.mkfifo(pipe)
    for file in (str(pipe), "/dev/zero"):
        answer = cli("coverage", file, "--classes", "--resume", str(tmp_path / "kept"))
        assert answer.code == 2
        assert f"--resume cannot go on with {file}" in answer.err


# A cluster ---------------------------------------------------------------------------------------------------


class Slow(Squares):
    """Takes a moment, so that a worker can be killed while it is at work."""

    def __call__(self, number: int) -> Result:
        time.sleep(0.05)
        return super().__call__(number)


def test_a_worker_of_a_cluster_may_be_killed(bank: Path, cli: Cli) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
    ) as cluster:
        words = [word.format(bank=bank) for word in COMMANDS["coverage"]]
        assert cli(*words, "--scheduler", cluster.scheduler_address).out == cli(*words).out
        pids = [worker.pid for worker in cluster.workers.values()]
        with crew(Slow, (), Places(scheduler=cluster.scheduler_address)) as workers:
            found = []
            for number in workers.results(range(60)):
                found.append(number)
                if len(found) == 5:
                    os.kill(pids[0], signal.SIGKILL)
        assert found == [number * number for number in range(60)]


def test_without_a_scheduler(bank: Path, warns: Prints) -> None:
    pytest.importorskip("distributed")
    assert "no scheduler answers at" in warns(
        "coverage", str(bank), "--classes", "--scheduler", "tcp://127.0.0.1:1"
    )


def test_a_scheduler_that_is_killed_is_an_answer(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    where = tmp_path / "scheduler.json"
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"]
    options = ["--no-dashboard", "--scheduler-file", str(where)]
    quiet: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([*command, *options], **quiet) as scheduler:
        end = time.monotonic() + 30
        while not where.exists() and time.monotonic() < end:
            time.sleep(0.1)
        time.sleep(0.1)
        address = json.loads(where.read_text(encoding="utf-8"))["address"]
        killer = threading.Timer(1, scheduler.kill)
        killer.start()
        with pytest.raises(BudgetError, match=f"scheduler at {address} is gone"):
            squares(Places(scheduler=address), range(9))  # without workers, it waits


def forgeries(value: Any, wrong: Any) -> Iterator[Any]:
    """Yield a value with one of its parts replaced, for each of its parts."""
    yield wrong
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        for one in dataclasses.fields(value):
            for part in forgeries(getattr(value, one.name), wrong):
                forged = copy.copy(value)
                object.__setattr__(forged, one.name, part)
                yield forged
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from ({**value, key: part} for part in forgeries(inner, wrong))
    elif isinstance(value, list | tuple):
        for place, inner in enumerate(value):
            yield from (
                type(value)([*value[:place], part, *value[place + 1 :]]) for part in forgeries(inner, wrong)
            )


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "run by length"])
def test_a_ledger_with_other_results_is_worked_on_again(name: str, tmp_path: Path, cli: Cli) -> None:
    """What is of a wrong type counts as not done; what is of the right type, and means nothing, is no traceback."""
    bank = tmp_path / "small.conllu"
    bank.write_text(conllu(one="a/X/2 b/X/0", two="a/X/0 b/X/1 c/X/1", three="a/X/9"), "utf-8")
    words = [word.format(bank=bank) for word in COMMANDS[name]] + ["--resume", str(tmp_path / "kept")]
    honest = cli(*words)
    modules = {one for one in sys.modules if one.partition(".")[0] == "schemata"}
    chance, seen = random.Random(name), 0
    for result in sorted((tmp_path / "kept").glob("*.result"))[:2]:
        _, value = values_read(result.read_bytes(), modules)
        hint = Crew(MAKERS[name], (), Places())._hint
        assert fits(value, hint)
        for wrong in (None, "x", (), [()], {"a": ()}):
            for one in chance.sample(forged := list(forgeries(value, wrong)), min(4, len(forged))):
                content = values_written((result.stem, one))
                result.write_bytes(content)
                result.with_suffix(".done").write_bytes(_checksum(content))
                answer = cli(*words)
                if not fits(one, hint):
                    seen += 1
                    assert (answer.code, answer.err) == (honest.code, honest.err)
                    assert plain(answer.out) == plain(honest.out)
    assert seen > 3


class Named:
    """Names numbers."""

    def __call__(self, number: int) -> tuple[dict[str, int], bool]:
        return {"number": number}, True


def test_results_that_fit_and_mean_nothing_are_named(tmp_path: Path) -> None:
    places = Places(ledger=tmp_path / "kept", question="1")

    def numbers() -> list[int]:
        with crew(Named, (), places) as workers:
            return [one["number"] for one in workers.results([7])]

    assert numbers() == numbers() == [7]
    (result,) = (tmp_path / "kept").glob("*.result")
    content = values_written((result.stem, {"other": 7}))
    result.write_bytes(content)
    result.with_suffix(".done").write_bytes(_checksum(content))
    with pytest.raises(UsageError, match=r"has results that do not belong to this command \('number'\)"):
        numbers()
