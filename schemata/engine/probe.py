"""Probes: kernels that measure themselves, and the plan of each of their blocks in words.

A probed kernel is the generated kernel with a few lines more: either a clock around every block, or counters of
the partners that joins look at and of the instances found. The two are never mixed, so that counting costs no
time where time is measured.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal

from schemata.engine.code import Code
from schemata.language import model as m
from schemata.language.typeset import condition_text, pattern_text

if TYPE_CHECKING:
    from schemata.engine.indexes import Index
    from schemata.engine.run import Kernel

__all__ = ["Measure", "Move", "PlannedBlock", "Probe", "compile_probed"]

Measure = Literal["rows", "time"]


@dataclass(frozen=True, slots=True)
class Move:
    """One part of a block's plan: what is done, and to what, in words."""

    kind: Literal["index", "item", "scan", "choose", "solve", "test"]
    text: str


@dataclass(slots=True)
class PlannedBlock:
    """The plan of one rule for one place: an item takes the place, and the moves find the rest.

    `case` and `place` are 0-based; the place is -1 for a rule without antecedents. `note` says which lengths of
    lists the block is for.
    """

    case: int
    place: int
    note: str
    moves: list[Move] = field(default_factory=list)


class Probe:
    """What is written into a kernel to measure it, and what was measured, block by block.

    Attributes
    ----------
    blocks : the plans, in the order of emission.
    tried : partners looked at by each block's joins and choices, if rows are measured.
    found : step instances found by each block, if rows are measured.
    spent : seconds spent in each block, if time is measured.
    """

    def __init__(self, schema: m.Schema, measure: Measure) -> None:
        self.schema = schema
        self.measure = measure
        self.blocks: list[PlannedBlock] = []
        self.tried: list[int] = []
        self.found: list[int] = []
        self.spent: list[float] = []

    def begin(self, case: int, place: int, note: str, code: Code) -> None:
        """Begin a block."""
        self.blocks.append(PlannedBlock(case, place, note))
        self.tried.append(0)
        self.found.append(0)
        self.spent.append(0.0)
        if self.measure == "time":
            code.line("block_begun = read_clock()")

    def end(self, code: Code, depth: int) -> None:
        """End a block; `depth` is that of its first line."""
        code.depth = depth
        if self.measure == "time":
            code.line(f"time_spent[{len(self.blocks) - 1}] += read_clock() - block_begun")

    def looked_at(self, code: Code) -> None:
        """Count one partner."""
        if self.measure == "rows":
            code.line(f"rows_tried[{len(self.blocks) - 1}] += 1")

    def derived(self, code: Code) -> None:
        """Count one instance."""
        if self.measure == "rows":
            code.line(f"rows_found[{len(self.blocks) - 1}] += 1")

    # the plan

    def index(self, pattern: m.Pattern, index: Index) -> None:
        """Note a look-up in an index."""
        shown = pattern_text(self.schema, pattern)
        described = index.describe(self.schema)
        for python, word in (("is not None", "is present"), ("is None", "is absent"), ("len(", "length(")):
            described = described.replace(python, word)
        if index.key:
            self._note("index", f"look up {shown} in the index of {described}")
        else:
            guards = f", where {described.partition(' where ')[2]}" if index.guards else ""
            self._note("scan", f"go through all items {shown}{guards}")

    def item(self, pattern: m.Pattern) -> None:
        """Note a look-up of one item all of whose fields are known."""
        self._note("item", f"look up the one item {pattern_text(self.schema, pattern)}")

    def choose(self, condition: m.Condition) -> None:
        """Note that a condition's choices are tried."""
        self._note("choose", f"try every choice of {condition_text(condition)}")

    def solve(self, condition: m.Condition) -> None:
        """Note that an equation is solved."""
        self._note("solve", f"solve {condition_text(condition)}")

    def test(self, condition: m.Condition) -> None:
        """Note a test."""
        self._note("test", f"test {condition_text(condition)}")

    def _note(self, kind: Any, text: str) -> None:
        self.blocks[-1].moves.append(Move(kind, text))

    def names(self) -> dict[str, Any]:
        """Return what a probed kernel refers to."""
        return {
            "rows_tried": self.tried,
            "rows_found": self.found,
            "time_spent": self.spent,
            "read_clock": perf_counter,
        }


def compile_probed(schema: m.Schema, measure: Measure) -> tuple[Kernel, Probe]:
    """Generate and compile the Python kernel of a schema with a probe in it."""
    from schemata.engine.emit import emit_kernel
    from schemata.engine.run import Kernel

    probe = Probe(schema, measure)
    source = emit_kernel(schema, probe)
    namespace = probe.names()
    exec(compile(source.text, f"<probed kernel of {schema.name}>", "exec"), namespace)
    return Kernel(schema, source, namespace["kernel"], namespace["final_items"]), probe
