"""Answers that are cut short: an exception in the middle of a command, at any call, makes no false yes and no false no.

Ctrl-C, a limit and a lack of memory are raised at calls spread over the whole of a command; a limit of steps at every
number of steps; processes are killed at some shards. What is answered then is unknown, or what the whole command says.
By default some calls are tried of each command; with `--nightly`, more, and the first of each function.
"""

import json
import os
import re
import shlex
import signal
import sys
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from schemata import budget, shards
from schemata.cli.main import COMMANDS as MAIN
from schemata.cli.main import command_of, main
from tests.support import ROOT
from tests.support.commands import Written, conllu
from tests.support.cuts import Calls, Told, counting, documents, faults, spread

# What ends a run is raised anywhere in it, also while a folder is read: then nothing closes it but the collector.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

COMMANDS = """
run eisner1996 "a b c"
run wg1 "a b"
run cyk "the dog slept" --grammar example
run eisner1996 --conllu BANK --grammar gold
explain eisner1996 "a b c" "span[0, 3, false, true]"
why-not eisner1996 "a b c" "span[1, 3, false, true]"
why-not eisner1996 "a b c" --grammar heads:2,3,0
compare eisner1996 nivre2003 "a b c"
compare eisner1996 collins1996 --lengths 2..4
compare eisner1996 nivre2003 "a b" --diff
verify eisner1996 --class projective --max-n 3
verify eisner1996 --max-n 3
verify covington2001 --class all --max-n 3
verify eisner1996 --class all --max-n 3
verify dag-arc-eager-system --max-n 2
verify planar-system --class planar --max-n 2
verify cyk --max-n 1
verify eisner1996 --same-as nivre2003 --max-n 2
relate mh:k=3 mh:k=4 --kind step-refinement --max-n 3
relate eisner1996 collins1996 --kind step-refinement --max-n 3
complexity eisner1996 --degrees
coverage BANK --schema eisner1996 --schema attardi2006
oracle arc-eager-system "a b c" --heads 2,0,2
oracle arc-eager-system --conllu BANK
system arc-eager-system --max-n 2
tabulate arc-eager-system
pseudo-projective BANK
profile eisner1996 "a b c"
next earley the --grammar example
masks GRAMMAR --against "PROGRAM" --max-n 1 --random 0
constraints "die Katze jagt der Hund" --grammar CONSTRAINTS
constraints --grammar CONSTRAINTS --verify --max-n 1
evaluate BANK BANK --resamples 10
step earley "the cat slept" --grammar example
grammar extract BANK
""".strip().splitlines()
if "exercise" in MAIN:
    COMMANDS.append('exercise 10-class-collins "projective; 3 4 0 3"')

LONG = """
verify wg1 --class wg-1 --max-n 3 --repair
verify eisner1996 --max-n 3 --for-every-n
relate eisner1996 nivre2003 --max-n 3
verify cyk --max-n 2
verify earley --max-n 2
verify earley --class all --max-n 1
verify eisner-satta-lg --max-n 2
verify collins1996 --class projective --max-n 3 --cite
complexity eisner1996
accuracy mst --treebank BANK,BANK --epochs 1 --resamples 10
coverage BANK
verify eisner-lg --max-n 3
""".strip().splitlines()

WITH_JOBS = """
verify cyk --max-n 1
coverage BANK --classes
run eisner1996 --conllu BANK
compare eisner1996 nivre2003 --conllu BANK
""".strip().splitlines()

# Commands that answer no question about schemata, sentences or trees: they print what is there, or write files.
NO_ANSWERS = {
    "list", "show", "check", "format", "new", "train", "estimate", "parse", "compile", "completion", "lsp",
    "playground",
}  # fmt: skip

KINDS: dict[str, tuple[Callable[[], BaseException], bool]] = {
    "Ctrl-C": (KeyboardInterrupt, False),
    "seconds": (budget._over("seconds"), True),
    "memory": (budget._over("memory"), True),
    "no memory": (MemoryError, True),
}

WHOLE: dict[str, tuple[Told, Calls]] = {}  # the answers of commands that are not cut short, and their calls
TRIED: dict[str, set[CodeType]] = {kind: set() for kind in KINDS}  # functions in which that was raised
CALLS_IN_ALL = 30_000_000  # that a case of `test_an_exception_in_each_function` makes: some minutes
Tell = Callable[..., Told]


@pytest.fixture
def bank(written: Written) -> Path:
    return written("bank.conllu", conllu(one="a/D/2 b/N/3 c/V/0", two="a/D/3 b/N/4 c/V/0 d/N/3"))


@pytest.fixture
def tell(bank: Path, capsys: pytest.CaptureFixture[str], hearing_ctrl_c: None) -> Tell:
    """Return a function that gives a command, counting calls meanwhile, and returns what it tells."""
    grammar = str(ROOT / "examples" / "english.cfg")
    program = shlex.join([sys.executable, "-m", "schemata", "masks", grammar, "--serve"])
    constraints = str(ROOT / "examples" / "constraint-propagation.constraints")
    places = {"BANK": str(bank), "GRAMMAR": grammar, "PROGRAM": program, "CONSTRAINTS": constraints}

    def told(line: str, *, calls: Calls | None = None) -> Told:
        words = [re.sub(r"\b[A-Z]{4,}\b", lambda found: places[found[0]], word) for word in shlex.split(line)]
        capsys.readouterr()
        try:
            with counting(calls) if calls is not None else nullcontext():
                code = main([*words, "--json"])
        except KeyboardInterrupt:  # before the command is looked for; `entry_point` says so
            code = 130
        out, err = capsys.readouterr()
        return Told(code, documents(out), err)

    return told


def test_each_command_that_answers_is_tried() -> None:
    assert {line.split()[0] for line in COMMANDS + LONG} == MAIN.keys() - NO_ANSWERS
    with_jobs = {name for name in MAIN if any("--jobs" in one.flags for one in command_of(name).options)}
    assert {line.split()[0] for line in WITH_JOBS} == with_jobs


@pytest.mark.parametrize("line", COMMANDS)
@pytest.mark.rotated(3)
def test_an_exception_at_any_call(line: str, tell: Tell) -> None:
    for kind, number in (("Ctrl-C", 3), ("seconds", 2), ("no memory", 1)):
        try_calls(line, kind, number, tell)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("line", COMMANDS + LONG)
def test_an_exception_at_many_calls(kind: str, line: str, tell: Tell) -> None:
    try_calls(line, kind, 20, tell)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["Ctrl-C", "seconds"])
@pytest.mark.parametrize("line", COMMANDS + LONG)
def test_an_exception_in_each_function(kind: str, line: str, tell: Tell) -> None:
    """At the first call of each function, by the first command that calls it; of long commands, at some of these.

    Which ones these are changes with the package, so that after some nights all were tried.
    """
    of = 1 if KINDS[kind][1] else 0
    every = whole_of(line, tell)[1]
    new = {at[of]: code for code, at in every.firsts.items() if at[of] > 0 and code not in TRIED[kind]}
    places = sorted(new)
    chosen = [places[k - 1] for k in spread(len(places), max(1, CALLS_IN_ALL // every.count), every.count)]
    try_at(line, kind, chosen, tell)
    TRIED[kind] |= {new[at] for at in chosen}


def whole_of(line: str, tell: Tell) -> tuple[Told, Calls]:
    """Return the whole answer of a command, and its calls once all is imported and made that is kept."""
    if line not in WHOLE:
        tell(line)
        every = Calls.none()
        WHOLE[line] = tell(line, calls=every), every
    return WHOLE[line]


def try_calls(line: str, kind: str, number: int, tell: Tell) -> None:
    """Try a command with an exception at some calls, others each time that the package changes."""
    _, every = whole_of(line, tell)
    count = every.guarded_count if KINDS[kind][1] else every.count
    assert count > 0
    try_at(line, kind, spread(count, number, count), tell)


def try_at(line: str, kind: str, places: Iterable[int], tell: Tell) -> None:
    error, guarded = KINDS[kind]
    whole, _ = whole_of(line, tell)
    found = {}
    for at in places:
        calls = Calls(at, error, guarded)
        if wrong := faults(whole, tell(line, calls=calls)):
            found[at] = wrong, calls.where[:4]
    assert not found


@pytest.mark.parametrize(
    ("line", "most"),
    [
        ('run eisner1996 "a b c"', 30),
        ('explain eisner1996 "a b c" "span[0, 3, false, true]"', 30),
        ('why-not eisner1996 "a b c" "span[0, 3, false, true]"', 30),
        ("verify eisner1996 --class projective --max-n 3", 30),
        ("verify eisner1996 --max-n 3", 30),
        ("verify dag-arc-eager-system --max-n 2", 40),
        ("verify covington2001 --class all --max-n 3", 30),
        ("relate mh:k=3 mh:k=4 --kind step-refinement --max-n 3", 30),
        ('compare eisner1996 nivre2003 "a b c"', 30),
        ("system arc-eager-system --max-n 2", 30),
    ],
)
def test_a_limit_of_steps_at_every_number_of_steps(line: str, most: int, tell: Tell) -> None:
    whole = tell(line)
    for steps in range(1, most, 5):
        assert not faults(whole, tell(f"{line} --max-steps {steps}")), steps


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are killed")
@pytest.mark.parametrize("line", WITH_JOBS)
@pytest.mark.rotated(2)
def test_a_process_lost_at_some_shard(
    line: str, tell: Tell, monkeypatch: pytest.MonkeyPatch, bank: Path
) -> None:
    """All processes are killed just before the result of the k-th shard is waited for."""
    bank.write_text(conllu(**{f"s{k}": "a/X/2 b/X/0 c/X/2" for k in range(120)}), "utf-8")
    own = shards.Crew._kept
    waited = 0
    deadly = 0

    def kept(crew: Any, name: str, wait: Callable[[], Any]) -> Any:
        nonlocal waited
        waited += 1
        if waited == deadly and crew._pool is not None:
            for process in list(crew._pool._processes):
                os.kill(process, signal.SIGKILL)
        return own(crew, name, wait)

    monkeypatch.setattr(shards.Crew, "_kept", kept)
    whole = tell(line)
    waited = 0
    assert tell(f"{line} --jobs 2") == whole
    number = waited
    killed = 0
    for deadly in spread(number, 2):
        waited = 0
        cut = tell(f"{line} --jobs 2")
        killed += cut.code == 2
        assert not faults(whole, cut), deadly
        if cut.code == 2:
            said = [document.get("stopped") for document in cut.documents]
            assert "worker" in said or "a worker process was killed" in cut.messages, deadly
    assert killed


@pytest.mark.parametrize("schema", ["dag-arc-eager-system", "cyk", "earley"])
def test_ctrl_c_in_the_stage_that_chooses_a_class(
    schema: str, monkeypatch: pytest.MonkeyPatch, tell: Tell
) -> None:
    """At each of the runs by which the class is chosen in which the answers are given then."""
    from schemata.verification import progress

    own = progress.run_case
    line = f"verify {schema} --max-n 1"
    whole = tell(line)
    runs = 0
    pressed = 0

    def run_case(*arguments: Any) -> Any:
        nonlocal runs
        runs += 1
        if runs == pressed:
            raise KeyboardInterrupt
        return own(*arguments)

    monkeypatch.setattr(progress, "run_case", run_case)
    for pressed in (1, 2, 3):
        runs = 0
        cut = tell(line)
        if runs >= pressed:
            assert cut.code == 130
            assert cut.documents[0]["stopped"] == "interrupt"
            assert not faults(whole, cut)


def test_what_a_case_leaves_open_is_no_class(monkeypatch: pytest.MonkeyPatch, tell: Tell) -> None:
    """A limit in the first stage alone: the class is that of fewer words, and nothing is said beyond these."""
    from schemata.engine.run import BudgetExceeded
    from schemata.verification import progress

    own = progress.run_case
    runs = 0

    def run_case(schema: Any, case: Any, limits: Any) -> Any:
        nonlocal runs
        runs += 1
        chart = own(schema, case, limits)
        if runs == 3:  # of three words
            raise BudgetExceeded("seconds", chart, "too slow")
        return chart

    monkeypatch.setattr(progress, "run_case", run_case)
    told = tell("verify dag-arc-eager-system --max-n 3")
    (found,) = told.documents
    assert told.code == 2
    assert found["stopped"] == "seconds"
    assert (found["sound"], found["complete"], found["sound_to"]) == (None, None, 2)


def test_the_checks_can_fail() -> None:
    """Of a whole answer that says yes, a cut one that says no is found, and one that is said to be whole."""
    whole = Told(0, [{"sound": True, "stopped": None}], "")
    assert faults(whole, Told(1, [{"sound": False}], ""))
    assert faults(whole, Told(0, [], ""))
    assert faults(whole, Told(2, [{"sound": False, "stopped": "seconds"}], ""))
    assert faults(whole, Told(0, [{"sound": None, "stopped": "seconds"}], ""))
    assert faults(Told(0, [{"yes": [True, False]}], ""), Told(0, [{"yes": [True], "stopped": "seconds"}], ""))
    assert not faults(whole, Told(0, [{"sound": True, "stopped": "seconds"}], ""))
    assert faults(whole, Told(2, [], "Traceback (most recent call last)"))
    assert not faults(whole, Told(2, [{"sound": None, "stopped": "seconds"}], ""))
    assert not faults(whole, Told(130, [], "error: interrupted"))
    assert [*spread(100, 3)][-1] == 100
    assert json.loads(json.dumps([*spread(2, 5)])) == [1, 2]
