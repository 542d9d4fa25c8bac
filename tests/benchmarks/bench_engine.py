"""Measures the engine: step instances per second, and the time of whole commands.

    python -m tests.benchmarks.bench_engine

Every figure is the best of several runs; compare figures of one run only.
"""

from __future__ import annotations

import subprocess
import sys
import time

import schemata

RUNS = [
    ("eisner1996", 40),
    ("eisner1996", 160),
    ("collins1996", 30),
    ("yamada-matsumoto2003", 40),
    ("eisner-satta1999", 40),
    ("arc-eager", 40),
    ("hybrid", 40),
    ("arc-standard", 24),
    ("arc-standard-hook", 24),
    ("mh:k=4", 12),
    ("nivre2003", 8),
    ("wg1", 12),
]
COMMANDS = [
    ["list"],
    ["run", "eisner1996", "a b c d e f g h i j"],
    ["run", "eisner1996", "a b c d e f g h i j", "--json"],
]


def main() -> None:
    """Print both tables."""
    print(f"{'schema':<24}{'words':>6}{'items':>10}{'steps':>12}{'seconds':>10}{'million steps/s':>17}")
    for name, n in RUNS:
        schema = schemata.load(name)
        charts = [schema.run(["w"] * n) for _ in range(3)]
        best = min(charts, key=lambda c: c.seconds)
        rate = best.step_count / best.seconds / 1e6
        print(
            f"{name:<24}{n:>6}{best.item_count:>10,}{best.step_count:>12,}{best.seconds:>10.4f}{rate:>17.2f}"
        )
    print(f"\n{'whole command':<58}{'seconds':>10}")
    for words in COMMANDS:
        times = []
        for _ in range(5):
            start = time.perf_counter()
            subprocess.run([sys.executable, "-m", "schemata", *words], check=True, capture_output=True)
            times.append(time.perf_counter() - start)
        print(f"{'schemata ' + ' '.join(words):<58}{min(times):>10.3f}")


if __name__ == "__main__":
    main()
