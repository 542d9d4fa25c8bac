"""Back-pointers of one item: a schema's rules run backwards from it, in Python, over the tables of its chart.

Only what one item's consequent determines is looked at, so this costs microseconds to milliseconds, whatever
the chart's size. The functions are generated with the same nests of loops as the kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from schemata.engine.code import Code
from schemata.engine.ordered.plan import column_name
from schemata.engine.ordered.rules import RuleWriter
from schemata.engine.ordered.shape import Layouts, kind_conditions, step_numbers
from schemata.engine.ordered.text import Names
from schemata.program.duplicates import repeating_rules
from schemata.program.linear import variable
from schemata.program.model import Program

__all__ = ["expanders"]


def expanders(program: Program, layouts: Layouts) -> Mapping[int, Callable[..., None]]:
    """Return, by kind, the function that appends the instances that derive one writing of an item.

    Its arguments are n, S, D, C, L, Y, the tables of numbers of all kinds, the columns, the item's number and a
    list, to which (step or -1, rule, row) is appended; rows with a step may come more than once.
    """
    code = Code()
    for kind in program.kinds:
        code.depth = 0
        tables = ", ".join(f"I{k.number}" for k in program.kinds)
        columns = "".join(f"c{k}, " for k in range(len(kind.columns)))
        code.open(f"def expand{kind.number}(n, S, D, C, L, Y, {tables}, {columns}item, found):")
        code.line("N = n + 2")
        names = Names(program, {column_name(k): f"c{k}" for k in range(len(kind.columns))}, layouts)
        writer = RuleWriter(
            program,
            "expand",
            code,
            names,
            (),
            [variable("n") - 1, *kind_conditions(program, kind.number)],
            (),
            repeating_rules(program),
            step_numbers(program),
            [frozenset() for _ in program.kinds],
        )
        for rule in program.rules:
            if rule.consequent.kind == kind.number:
                writer.write(rule.number, rule, ())
                code.depth = 1
    space: dict[str, Any] = {}
    exec(compile("\n".join(code.lines), "<expand>", "exec"), space)
    return {kind.number: space[f"expand{kind.number}"] for kind in program.kinds}
