"""Probes: kernels that measure themselves, and the plan of each of their blocks in words.

A probed kernel is the generated kernel with a few lines more: either a clock around every block, or counters of
the partners that joins look at and of the instances found. The two are never mixed, so that counting costs no
time where time is measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal

from schemata.engine.code import Code
from schemata.language import model as m
from schemata.language.typeset import condition_text, pattern_text, term_text

if TYPE_CHECKING:
    from schemata.engine.python.indexes import Index

__all__ = ["Measure", "Move", "PlannedBlock", "Probe", "clock_cost"]

Measure = Literal["rows", "time"]
_TURNS, _ROUNDS = 2_000, 10  # of measuring what a clock takes


@dataclass(slots=True)
class Move:
    """One part of a block's plan: what is done, and to what, in words.

    `form` is that of the items looked up, and `key` what they are looked up by, as pairs of a field (or a part
    of one) and the value it must have. `counters` are the numbers of the counters in the loops of the move.
    """

    kind: Literal["index", "item", "scan", "choose", "solve", "test"]
    text: str
    form: str | None = None
    key: tuple[tuple[str, str], ...] = ()
    counters: list[int] = field(default_factory=list)


@dataclass(slots=True)
class PlannedBlock:
    """The plan of one rule for one place: an item takes the place, and the moves find the rest.

    `case` and `place` are 0-based; the place is -1 for a rule without antecedents. `note` says which lengths of
    lists the block is for. `counters` are the numbers of counters: of items that take the place, and of the loops
    in which lists of theirs are cut.
    """

    case: int
    place: int
    note: str
    counters: list[int]
    moves: list[Move] = field(default_factory=list)


class Probe:
    """What is written into a kernel to measure it, and what was measured, block by block.

    Attributes
    ----------
    blocks : the plans, in the order of emission.
    counted : by number of a counter, how often it was passed, if rows are measured: items that take a block's
        place, look-ups of whole items, turns of every loop.
    found : step instances found by each block, if rows are measured.
    spent : seconds spent in each block, if time is measured.
    filed : by item form, seconds spent on filing items in indexes and on finding their writings.
    indexes : by item form, the number of indexes that its items are filed in.
    clocks : by item form, how many clocks run for every item filed.
    """

    def __init__(self, schema: m.Schema, measure: Measure) -> None:
        self.schema = schema
        self.measure = measure
        self.blocks: list[PlannedBlock] = []
        self.counted: list[int] = []
        self.found: list[int] = []
        self.spent: list[float] = []
        self.filed: dict[str, float] = {}
        self.indexes: dict[str, int] = {}
        self.clocks: dict[str, int] = {}

    def code(self) -> Code:
        """Return the writer of a block's code."""
        return _ProbedCode(self)

    def reset(self) -> None:
        """Forget what was measured."""
        self.counted[:] = [0] * len(self.counted)
        self.found[:] = [0] * len(self.found)
        self.spent[:] = [0.0] * len(self.spent)
        self.filed.update(dict.fromkeys(self.filed, 0.0))

    def tried(self, block: PlannedBlock) -> int:
        """Return how many ways to fill a block's places were tried, where the search for them is widest."""
        counters = [*block.counters, *(k for move in block.moves for k in move.counters)]
        return max(self.counted[k] for k in counters)

    def turns(self, move: Move) -> int:
        """Return what a move found: the turns of its widest loop, or the look-ups of whole items."""
        return max((self.counted[k] for k in move.counters), default=0)

    def begin(self, case: int, place: int, note: str, code: Code) -> None:
        """Begin a block."""
        if self.measure == "time":
            code.line("block_begun = read_clock()")
        self.blocks.append(PlannedBlock(case, place, note, [self._count(code)]))
        self.found.append(0)
        self.spent.append(0.0)

    def end(self, code: Code, depth: int) -> None:
        """End a block; `depth` is that of its first line."""
        code.depth = depth
        if self.measure == "time":
            code.line(f"time_spent[{len(self.blocks) - 1}] += read_clock() - block_begun")

    def begin_filing(self, form: str, indexes: int, code: Code) -> None:
        """Begin what is done to file an item of a form."""
        self.filed[form] = 0.0
        self.indexes[form] = indexes
        self.clocks[form] = self.clocks.get(form, 0) + 1
        if self.measure == "time":
            code.line("filing_begun = read_clock()")

    def end_filing(self, form: str, code: Code) -> None:
        """End what is done to file an item of a form."""
        if self.measure == "time":
            code.line(f"time_filed[{form!r}] += read_clock() - filing_begun")

    def looked_at(self, code: Code) -> None:
        """Count a look-up or a turn of a loop, for the last move that finds something."""
        block = self.blocks[-1]
        finding = [move.counters for move in block.moves if move.kind not in ("solve", "test")]
        (finding[-1] if finding else block.counters).append(self._count(code))

    def derived(self, code: Code) -> None:
        """Count one instance."""
        if self.measure == "rows":
            code.line(f"rows_found[{len(self.blocks) - 1}] += 1")

    def _count(self, code: Code) -> int:
        """Write a new counter; returns its number."""
        self.counted.append(0)
        if self.measure == "rows":
            code.line(f"rows_counted[{len(self.counted) - 1}] += 1")
        return len(self.counted) - 1

    # the plan

    def index(self, pattern: m.Pattern, index: Index, told: Sequence[tuple[str, str]]) -> None:
        """Note a look-up in an index; `told` is its key in words, with `{k}` for the name of field k."""
        shown = pattern_text(self.schema, pattern)
        names = [f.name for f in self.schema.form(pattern.form).fields]
        key = tuple((part.format(*names), value) for part, value in told)
        if index.key:
            by = ", ".join(f"{part} = {value}" for part, value in key)
            self._note(Move("index", f"look up {shown} by {by}", index.form, key))
        else:
            self._note(Move("scan", f"go through all items {shown}", index.form))

    def item(self, pattern: m.Pattern) -> None:
        """Note a look-up of one item all of whose fields are known."""
        fields = self.schema.form(pattern.form).fields
        key = ((f.name, term_text(t, f.type)) for f, t in zip(fields, pattern.terms, strict=True))
        text = f"look up the one item {pattern_text(self.schema, pattern)}"
        self._note(Move("item", text, pattern.form, tuple(key)))

    def choose(self, condition: m.Condition) -> None:
        """Note that a condition's choices are tried."""
        self._note(Move("choose", f"try every choice of {condition_text(condition)}"))

    def outcomes(self, term: m.Labels) -> None:
        """Note that a dot may move or stay."""
        self._note(Move("choose", f"try both ways for the dot of {term_text(term)} where it may stay"))

    def solve(self, condition: m.Condition) -> None:
        """Note that an equation is solved."""
        self._note(Move("solve", f"solve {condition_text(condition)}"))

    def test(self, condition: m.Condition) -> None:
        """Note a test."""
        self._note(Move("test", f"test {condition_text(condition)}"))

    def _note(self, move: Move) -> None:
        self.blocks[-1].moves.append(move)

    def names(self) -> dict[str, Any]:
        """Return what a probed kernel refers to."""
        return {
            "rows_counted": self.counted,
            "rows_found": self.found,
            "time_spent": self.spent,
            "time_filed": self.filed,
            "read_clock": perf_counter,
        }


class _ProbedCode(Code):
    """Code of a block, with a counter in every loop."""

    def __init__(self, probe: Probe) -> None:
        super().__init__()
        self._probe = probe

    def open(self, header: str) -> None:
        super().open(header)
        if header.startswith("for "):
            self._probe.looked_at(self)


def clock_cost() -> tuple[float, float]:
    """Return the seconds that one clock around a block takes, within what it measures and outside.

    The least of several rounds counts.
    """
    spent = [0.0]
    inside, around = [], []
    for _ in range(_ROUNDS):
        spent[0] = 0.0
        begun = perf_counter()
        for _ in range(_TURNS):
            block_begun = perf_counter()
            spent[0] += perf_counter() - block_begun
        whole = perf_counter() - begun
        begun = perf_counter()
        for _ in range(_TURNS):
            pass
        empty = perf_counter() - begun
        inside.append(spent[0] / _TURNS)
        around.append((whole - empty) / _TURNS)
    return min(inside), max(0.0, min(around) - min(inside))
