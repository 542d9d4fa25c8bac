"""What writing an ordered kernel goes by: the order and its tables, the code so far, and what all its parts share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from schemata.engine.code import Code
from schemata.engine.order.model import Order, Region
from schemata.engine.ordered.nests import Nests
from schemata.engine.ordered.rules import RuleWriter
from schemata.engine.ordered.shape import Layouts, Mode, measured_columns, step_numbers
from schemata.engine.ordered.text import Names
from schemata.program.duplicates import repeating_rules
from schemata.program.linear import Affine, variable

__all__ = ["ONE", "Frame"]

ONE = [variable("n") - 1]  # terms that are at least 0: a sentence has a word


@dataclass(slots=True)
class Frame:
    """A kernel under construction; `nests` takes note of its loops, where they are asked for."""

    order: Order
    layouts: Layouts
    mode: Mode
    code: Code
    nests: Nests | None = None
    repeating: frozenset[int] = field(init=False)

    def __post_init__(self) -> None:
        self.repeating = repeating_rules(self.order.program)

    def derived_regions(self) -> list[Region]:
        """Return the regions of items that rules derive: where there is a normal form, all of the form's."""
        order, kinds = self.order, self.order.program.kinds
        used = {rule.consequent for rule in order.rules}
        forms = {kinds[order.regions[number].kind].form for number in used}
        written = {form for form in forms if order.program.equations.get(form)}
        return [r for r in order.regions if r.number in used or kinds[r.kind].form in written]

    def rule_writer(
        self, names: Names, lanes: Sequence[str], context: Sequence[Affine], own: Sequence[Affine]
    ) -> RuleWriter:
        """Return what writes rules inside loops over their consequents; see `RuleWriter` for what is given."""
        program = self.order.program
        measured = [measured_columns(self.order, k.number) for k in program.kinds]
        return RuleWriter(
            program,
            self.mode,
            self.code,
            names,
            lanes,
            context,
            own,
            self.repeating,
            step_numbers(program),
            measured,
            self.nests,
        )

    def look(self) -> None:
        """Stop between items: where the driver says so or the budget is used up; where all rows are written.

        So the rows of a run that was broken off are those that it counted.
        """
        rules = len(self.order.rules)
        if self.mode == "fill":
            stop = f"control[0] != 0 or control[6] != 0 or total(counts, {rules}) > control[1]"
        else:
            stop = f"full(at, ends, {rules}) != 0"
        self.code.line(f"if {stop}:")
        self.code.line("    return 1")
