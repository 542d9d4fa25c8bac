"""Kernels that measure themselves: counters of the bindings that the plans of rules try, or clocks around rules.

A measured kernel is the kernel for Python with a few lines more. Counters and clocks are never mixed, so that
counting costs no time where time is measured.
"""

from __future__ import annotations

from collections import Counter
from time import perf_counter
from typing import Any, Literal, TypeAlias

from schemata.machine.text import Nest
from schemata.program.model import Rule
from schemata.program.plan import Move, Plan
from schemata.records import dataclass, field

Measure: TypeAlias = Literal["rows", "time"]


@dataclass(slots=True)
class Measured:
    """The plan of a rule in a measured kernel, with the counters of its moves by their numbers.

    Attributes
    ----------
    probe, number : the measurements, and the plan's place among them.
    plan : the plan.
    taken : the counter of items taken.
    counters : those of moves that find partners or values.
    """

    probe: Probe
    number: int
    plan: Plan
    taken: int = -1
    counters: dict[int, int] = field(default_factory=dict)

    @property
    def rule(self) -> Rule:
        """The rule."""
        return self.plan.rule

    def begin(self, code: Nest) -> None:
        """Begin the code."""
        if self.probe.measure == "time":
            code.add("block_begun = read_clock()")
        self.taken = self.probe.counter(code)

    def count(self, move: Move, code: Nest) -> None:
        """Count the partners or values that a move finds."""
        place = next(k for k, one in enumerate(self.plan.moves) if one is move)
        self.counters[place] = self.probe.counter(code)

    @property
    def end(self) -> str:
        """The end of the code, outside of all its loops."""
        if self.probe.measure == "time":
            return f"time_spent[{self.number}] += read_clock() - block_begun"
        return f"rows_found[{self.number}] += found"


@dataclass(slots=True)
class Probe:
    """The lines in a kernel that measure it, and their measurements.

    Attributes
    ----------
    measure : rows are counted, or time is measured.
    plans : of the rules, in the order in which they are written.
    counted : by number of a counter, how often it was passed.
    found : step instances by plan.
    spent : seconds by plan.
    filed : seconds spent on filing items, and on finding their writings, by kind.
    indexes : of every kind.
    """

    measure: Measure
    plans: list[Measured] = field(default_factory=list)
    counted: list[int] = field(default_factory=list)
    found: list[int] = field(default_factory=list)
    spent: list[float] = field(default_factory=list)
    filed: Counter[int] = field(default_factory=Counter)
    indexes: Counter[int] = field(default_factory=Counter)
    _before: tuple[list[int], list[int]] = ([], [])  # counters when the turn began

    def measured(self, plan: Plan) -> Measured:
        """Return a plan with counters of its own."""
        self.plans.append(Measured(self, len(self.plans), plan))
        self.found.append(0)
        self.spent.append(0.0)
        return self.plans[-1]

    def counter(self, code: Nest) -> int:
        """Write a new counter; returns its number."""
        self.counted.append(0)
        if self.measure == "rows":
            code.add(f"rows_counted[{len(self.counted) - 1}] += 1")
        return len(self.counted) - 1

    @property
    def frame(self) -> dict[str, str]:
        """The other lines of a measured kernel: at the beginning of a turn, before and after an item is filed."""
        if self.measure == "rows":
            return {"measured": "turn_begins(st[AGAIN])", "filing": "", "filed": ""}
        filed = "time_filed[KI[x]] += read_clock() - filing_begun"
        return {"measured": "", "filing": "filing_begun = read_clock()", "filed": filed}

    def reset(self) -> None:
        """Reset all measurements to zero."""
        self.counted[:] = [0] * len(self.counted)
        self.found[:] = [0] * len(self.found)
        self.spent[:] = [0.0] * len(self.spent)
        self.filed.clear()

    def names(self) -> dict[str, Any]:
        """Return the globals of a measured kernel: its counters and its clock."""

        def turn_begins(again: int) -> None:
            if again:  # what the turn counted before it broke off does not count
                self.counted[:], self.found[:] = self._before
            self._before = self.counted[:], self.found[:]

        return {
            "rows_counted": self.counted,
            "rows_found": self.found,
            "time_spent": self.spent,
            "time_filed": self.filed,
            "read_clock": perf_counter,
            "turn_begins": turn_begins,
        }
