"""The compiler of kernel text: machine code and checked Python say the same; what is no kernel text is refused."""

import os
import re
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import schemata
from schemata.machine import compile as compile_module
from schemata.machine.compile import intermediate, is_compiled, machine_code
from schemata.order.kept import prove_order
from schemata.order.model import Order
from schemata.ordered.emit import emit_ordered
from schemata.program.lower import lower
from tests.support import ROOT
from tests.support.compilers import checked, optimised

ARITHMETIC = """
@apart
def third(x: "int") -> "int":
    return x // 3 + x % 3


def mixed(x: "int", y: "int", found: "i32[]") -> "int":
    found[0] = x // 7
    found[1] = x % 7
    found[2] = min(x, y, 5) + max(x, -y)
    found[3] = (x & 255) ^ (y | 3)
    found[4] = x >> 2
    total = 0
    for k in range(x, y, 3):
        if k % 2 == 0 and not k == 4 or k < -5:
            continue
        total += k
        if total > 1000:
            break
    found[5] = total
    while x > y:
        x -= 2
    found[6] = x < y
    return third(x)
"""


@settings(max_examples=60)
@given(st.integers(-200, 200), st.integers(-200, 200))
def test_arithmetic_is_that_of_python(x: int, y: int) -> None:
    results = []
    for compiler in (machine_code, optimised, checked):
        found = np.zeros(7, np.int32)
        results.append((compiler(ARITHMETIC, ("mixed",))["mixed"](x, y, found), found.tolist()))
    assert results[0] == results[1] == results[2]
    assert is_compiled(ARITHMETIC, ("mixed",))


@pytest.mark.parametrize(
    "text",
    [
        "import os",
        'def f(x: "int") -> "int":\n    return open(x)',
        'def f(x: "int") -> "int":\n    return x / 2',
        'def f(x: "int") -> "int":\n    return x // x',
        'def f(x: "int") -> "int":\n    for k in range(1, 2, x):\n        pass\n    return 0',
        'def f(x: "text") -> "int":\n    return 0',
        'def f(x: "int") -> "int":\n    return x.y',
        'def f(x: "int") -> "int":\n    return y',
    ],
)
def test_other_words_are_refused(text: str) -> None:
    with pytest.raises(SyntaxError):
        machine_code(text, ("f",))
    assert not is_compiled(text, ("f",))


def test_checked_kernels_find_wrong_indices() -> None:
    text = 'def f(x: "int", a: "i64[]") -> "int":\n    return a[x]\n'
    array = np.arange(3)
    assert checked(text)["f"](2, array) == machine_code(text, ("f",))["f"](2, array) == 2
    for index in (3, -1):
        with pytest.raises(IndexError):
            checked(text)["f"](index, array)


def test_what_others_write_is_read_at_every_look() -> None:
    order = prove_order(lower(schemata.load("collins1996").definition))
    assert isinstance(order, Order)
    fill = intermediate(emit_ordered(order, "fill"))[0].partition("@fill(")[2]
    looks = re.findall(
        r"getelementptr inbounds i64, ptr %p.st, [^\n]*\n[^\n]* = (load|load volatile) i64", fill
    )
    assert set(looks) == {"load volatile"}


def test_ctrl_c_is_heard_while_machine_code_is_made(hearing_ctrl_c: None) -> None:
    began, go_on = threading.Event(), threading.Event()

    def make() -> bytes:
        began.set()
        go_on.wait(30)
        return b"code"

    def press() -> None:
        began.wait(30)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press, daemon=True).start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        compile_module._interruptible(make)
    assert time.monotonic() - started < 120
    assert compile_module.is_compiling()
    go_on.set()
    while compile_module.is_compiling():
        time.sleep(0.01)
    assert not compile_module.is_compiling()
    assert compile_module._interruptible(lambda: b"more") == b"more"


def test_mistakes_of_the_compiler_are_raised_where_it_was_called() -> None:
    def make() -> bytes:
        raise SyntaxError("no kernel text")

    with pytest.raises(SyntaxError, match="no kernel text"):
        compile_module._interruptible(make)
    assert not compile_module.is_compiling()


REALS = """
def reals(size: "int", given: "f64[]", found: "f64[]") -> "int":
    most = -1e300
    for k in range(size):
        most = max(most, given[k] * 0.5 - -given[k])
    total = 0.0
    for k in range(size):
        total += exp(given[k] * 0.5 + given[k] - most)
    found[0] = most
    found[1] = most + log(total)
    found[2] = total
    if total >= 0.5 and most < 100.0:
        return 1
    return 0
"""


@settings(max_examples=30)
@given(st.lists(st.floats(-500, 500).filter(lambda x: abs(x - 200 / 3) > 1), min_size=1, max_size=40))
def test_real_numbers_in_machine_code_and_in_python(numbers: list[float]) -> None:
    compiled, plain = optimised(REALS, ("reals",))["reals"], checked(REALS)["reals"]
    array = np.array(numbers)
    one, other = np.zeros(3), np.zeros(3)
    assert compiled(len(array), array, one) == plain(len(array), array, other)
    assert one == pytest.approx(other, rel=1e-12)
    assert one[1] == pytest.approx(np.logaddexp.reduce(1.5 * array), rel=1e-12, abs=1e-12)


def test_real_numbers_of_half_the_size() -> None:
    """They are read as they are, reckoned with in full, and rounded where they are written."""
    text = 'def f(z: "f32[]", out: "f32[]", all: "f64[]") -> "int":\n    all[0] = z[0] + z[1] * 0.1\n'
    text += "    out[1] = z[0] + z[1] * 0.1\n    return 0\n"
    given, out, whole = np.array([0.3, 1e-9], np.float32), np.ones(3, np.float32), np.zeros(1)
    machine_code(text, ("f",))["f"](given, out, whole)
    assert whole[0] == pytest.approx(float(given[0]) + float(given[1]) * 0.1, rel=1e-15)
    assert whole[0] != given[0]
    assert out.tolist() == [1, np.float32(whole[0]), 1]


@pytest.mark.parametrize("wrong", ["x = 0.5 + n", "x = max(0.5, n)", "x = 0.5\n    y = x // 2", "x = exp(n)"])
def test_whole_numbers_do_not_mix_with_real_ones(wrong: str) -> None:
    with pytest.raises(SyntaxError):
        machine_code(f'def f(n: "int", z: "f64[]") -> "int":\n    {wrong}\n    return 0\n', ("f",))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers of Unix")
@pytest.mark.parametrize("hardened", [True, False])
def test_ctrl_c_leaves_the_lock_of_llvm_free(hardened: bool) -> None:
    """Also where Ctrl-C comes while the lock is taken or released; as llvmlite has it, it stays taken."""
    script = f"""
import llvmlite.binding as llvm, signal, threading
from schemata.machine import compile as machine
{"machine._initialize()" if hardened else ""}
lock = llvm.ffi.lib._lock

def press(number, frame):
    raise KeyboardInterrupt

signal.signal(signal.SIGALRM, press)
for k in range(1000):
    try:
        signal.setitimer(signal.ITIMER_REAL, 1e-4 + k % 7 * 1e-6)
        while True:
            with lock:
                pass
    except KeyboardInterrupt:
        pass
free = []
thread = threading.Thread(target=lambda: free.append(lock._lock.acquire(timeout=1)))
thread.start()
thread.join()
print(free)
"""
    said = subprocess.run(
        [sys.executable, "-c", script], check=False, capture_output=True, text=True, timeout=60, cwd=ROOT
    )
    assert said.stdout == f"[{hardened}]\n", said.stderr


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers of Unix")
def test_ctrl_c_at_any_moment_of_loading_stops_nothing_later(hearing_ctrl_c: None) -> None:
    """Machine code is loaded again and again, and Ctrl-C comes all the time; then it is loaded once more."""
    machine_code(ARITHMETIC, ("mixed",))
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    pressed = 0
    try:
        for k in range(200):
            try:
                signal.setitimer(signal.ITIMER_REAL, 1e-4 + k % 29 * 1e-4)
                while True:
                    machine_code(ARITHMETIC, ("mixed",))
            except KeyboardInterrupt:
                pressed += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert pressed == 200
    assert machine_code(ARITHMETIC, ("mixed",))["mixed"](7, 0, np.zeros(7, np.int32)) == 1
