"""Schemata with many step instances: seconds, step instances per second, growth."""

from __future__ import annotations

import schemata
from schemata.verification.claims import shipped_claims
from tests.benchmarks.growth import fitted
from tests.benchmarks.measure import Section, Setup, clocked, in_turn, seconds
from tests.benchmarks.native_runs import NO_LIMIT, KernelRun, words

__all__ = ["measure"]

TARGET = 20e6
RUNS = [("wg1", (12, 16, 20, 24, 30)), ("mg1", (10, 12, 14, 16, 20)), ("wgk:k=2", (6, 8, 10, 12))]
QUICK = [("wg1", (8, 10, 12)), ("mg1", (8, 10, 12)), ("wgk:k=2", (4, 6, 8))]
FROM = {"wg1": 20, "mg1": 20, "wgk:k=2": 12}  # lengths from which the target is meant
ABOUT = """\
Schemata of high degree, those with a normal form among them: every consequent is rewritten into its normal
form, and antecedents match any writing of an item. Exponents are slopes of log(value) over log(n) through
the longer half of the lengths; at these lengths they are still on their way to the theoretical ones."""
HEADER = ("schema", "words", "kernel", "items", "step instances", "s (kernel)", "million steps/s", "s (call)")


def measure(setup: Setup) -> Section:
    """Return the table."""
    rows: list[tuple[str, ...]] = []
    notes: list[str] = []
    theory = {claim.reference: claim.complexity for claim in shipped_claims()}
    for name, lengths in QUICK if setup.quick else RUNS:
        schema = schemata.load(name)
        times: list[tuple[int, float]] = []
        steps: list[tuple[int, float]] = []
        for n in lengths:
            setup.say(f"{name}, {n} words")
            kernel = KernelRun.of(schema, n)
            call = clocked(lambda s=schema, k=n: s.run(words(k), engine="native", budget=NO_LIMIT))  # type: ignore[misc]
            inner, whole = in_turn(3, kernel.seconds, call)
            chart = schema.run(words(n), engine="native", budget=NO_LIMIT)
            rate = chart.step_count / inner.least
            times.append((n, inner.least))
            steps.append((n, float(chart.step_count)))
            rows.append(
                (name, str(n), kernel.kind, f"{chart.item_count:,}", f"{chart.step_count:,}", seconds(inner.least),
                 f"{rate / 1e6:.1f}", seconds(whole.least))
            )  # fmt: skip
            if n >= FROM[name] and rate < TARGET:
                notes.append(
                    f"**{name}, {n} words: {rate / 1e6:.1f} million steps/s, below {TARGET / 1e6:.0f}**"
                )
        notes.append(
            f"{name}, {theory.get(name, 'no bound known')}: time grows as n^{fitted(times)}, step instances as "
            f"n^{fitted(steps)}"
        )
    return Section("Large charts", ABOUT, HEADER, rows, notes)
