"""Commands where the system refuses something: closed streams, odd sizes of a terminal, no memory, an early Ctrl-C."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.commands import Cli

ROOT = Path(__file__).parents[2]


def outcome(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, text=True, cwd=ROOT, check=False)


@pytest.mark.skipif(sys.platform == "win32", reason="streams are closed by a shell")
@pytest.mark.parametrize(
    ("closed", "code", "said"),
    [
        (">&-", 2, "error: the output cannot be written: standard output is closed\n"),
        (">&- 2>&-", 2, ""),
        (">/dev/null 2>&-", 0, ""),
    ],
)
def test_closed_streams(closed: str, code: int, said: str) -> None:
    done = outcome("sh", "-c", f"{sys.executable} -m schemata run eisner1996 a {closed}")
    assert (done.returncode, done.stdout, done.stderr) == (code, "", said)


@pytest.mark.parametrize("columns", ["9" * 5000, "0" * 5000, "-1", "x", ""])
def test_any_number_of_columns(columns: str, monkeypatch: pytest.MonkeyPatch, cli: Cli) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert cli("run eisner1996", "a b").code == 0
    assert cli("list").code == 0


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (MemoryError(), "error: there is not enough memory\n  hint: ulimit -v"),
        (RuntimeError("can't start new thread"), "error: there is not enough memory: can't start new thread"),
        (ImportError("cannot map libx.so"), "error: a library cannot be loaded: cannot map libx.so"),
        (
            ModuleNotFoundError("No module named 'z3.x'", name="z3.x"),
            "error: the library z3-solver is not installed\n  hint: install it: pip install z3-solver\n",
        ),
        (OSError("no libllvmlite.so"), "error: there is not enough memory: no libllvmlite.so"),
    ],
)
def test_too_little_memory(problem: Exception, said: str, monkeypatch: pytest.MonkeyPatch, cli: Cli) -> None:
    def fails(name: str) -> None:
        raise problem

    monkeypatch.setattr(importlib, "import_module", fails)
    code, out, err = cli("run eisner1996 a")
    assert (code, out) == (2, "")
    assert err.startswith(said)


def test_other_failures_are_not_hidden(monkeypatch: pytest.MonkeyPatch, cli: Cli) -> None:
    def fails(name: str) -> None:
        raise RecursionError("too deep")

    monkeypatch.setattr(importlib, "import_module", fails)
    with pytest.raises(RecursionError):
        cli("run eisner1996 a")


@pytest.mark.parametrize(
    "pressed", ["raise KeyboardInterrupt", "raise RuntimeError from KeyboardInterrupt()"]
)
@pytest.mark.parametrize("module", ["schemata.cli.main", "schemata.errors", "schemata.cli.run", "argparse"])
def test_ctrl_c_during_imports(module: str, pressed: str) -> None:
    """A class that is just being made turns it into another exception."""
    program = f"""
import sys
class Finder:
    def find_spec(name, path=None, target=None):
        if name == {module!r}:
            {pressed}
sys.meta_path.insert(0, Finder)
sys.argv = ["schemata", "run", "eisner1996", "a"]
from schemata.__main__ import entry_point
entry_point()
"""
    done = outcome(sys.executable, "-c", program)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "error: interrupted\n")


def test_ctrl_c_while_the_package_is_looked_for() -> None:
    """`python -m` imports the package before its main module."""
    program = """
import runpy, sys
class Finder:
    def find_spec(name, path=None, target=None):
        if name == "schemata.records":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Finder)
sys.argv = ["-m", "run", "eisner1996", "a"]
import schemata
"""
    assert outcome(sys.executable, "-c", program).stderr == ""


def test_ctrl_c_while_numpy_is_imported_leaves_the_process_usable() -> None:
    """Numpy cannot be imported a second time after an import that was broken off."""
    program = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
class Finder:
    waits = True
    def find_spec(name, path=None, target=None):
        if name == "numpy.linalg" and Finder.waits:
            Finder.waits = False
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Finder)
import schemata
try:
    schemata.load("eisner1996").run("a b", engine="native")
except (KeyboardInterrupt, schemata.Interrupted):
    print("interrupted")
print(schemata.load("eisner1996").run("a b", engine="native").accepted)
"""
    done = outcome(sys.executable, "-c", program)
    assert (done.stdout, done.stderr) == ("interrupted\nTrue\n", "")
