"""Kernels that measure themselves: counters of the bindings that rules try, or clocks around rules; plans of rules.

A measured kernel is the kernel for Python with a few lines more. Counters and clocks are never mixed, so that
counting costs no time where time is measured. The plan of a rule is the list of its moves, noted while its text
is written.
"""

from __future__ import annotations

from collections import Counter
from time import perf_counter
from typing import Any, Literal, TypeAlias

from schemata.machine.text import Nest
from schemata.program.linear import Affine, Test
from schemata.program.model import Rule
from schemata.records import Record, dataclass, field

Measure: TypeAlias = Literal["rows", "time"]


class Move(Record):
    """One part of what is done for a rule once an item has taken a slot.

    Attributes
    ----------
    kind : "list" (partners gone through), "item" (one item looked up), "choose" (values tried), "solve", "test".
    slot : the antecedent that is looked for, -1 where none is.
    key : columns by which it is looked up.
    parts : the same of what is taken out of columns when they are filed: the column's term, and the known part's.
    ranged, low, high : the column whose range is gone through, and the terms between which that lies.
    test : what is tested, solved or asked.
    bound : of a query, the places that are known.
    variable : what runs over a range.
    """

    kind: Literal["list", "item", "choose", "solve", "test"]
    slot: int = -1
    key: tuple[int, ...] = ()
    parts: tuple[tuple[Affine, Affine], ...] = ()
    ranged: int = -1
    low: tuple[Affine, ...] = ()
    high: tuple[Affine, ...] = ()
    test: Test | None = None
    bound: tuple[int, ...] = ()
    variable: str = ""


@dataclass(slots=True)
class Plan:
    """The moves of a rule once an item has taken a slot, -1 where there is none; counters by number."""

    probe: Probe
    number: int
    rule: Rule
    slot: int
    taken: int = -1  # counter of items
    moves: list[tuple[Move, int]] = field(default_factory=list)  # with their counters

    def begin(self, code: Nest) -> None:
        """Begin the code."""
        if self.probe.measure == "time":
            code.add("block_begun = read_clock()")
        self.taken = self.probe.counter(code)

    def note(self, move: Move, code: Nest) -> None:
        """Note a move; where it finds something, count it here."""
        looks = move.kind in ("list", "item", "choose")
        self.moves.append((move, self.probe.counter(code) if looks else -1))

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
    plans: list[Plan] = field(default_factory=list)
    counted: list[int] = field(default_factory=list)
    found: list[int] = field(default_factory=list)
    spent: list[float] = field(default_factory=list)
    filed: Counter[int] = field(default_factory=Counter)
    indexes: Counter[int] = field(default_factory=Counter)
    _before: tuple[list[int], list[int]] = ([], [])  # counters when the turn began

    def plan(self, rule: Rule, slot: int) -> Plan:
        """Return a new plan."""
        self.plans.append(Plan(self, len(self.plans), rule, slot))
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
        """Forget what was measured."""
        self.counted[:] = [0] * len(self.counted)
        self.found[:] = [0] * len(self.found)
        self.spent[:] = [0.0] * len(self.spent)
        self.filed.clear()

    def names(self) -> dict[str, Any]:
        """Return what a measured kernel refers to."""

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
