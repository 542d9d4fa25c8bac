"""The command `complexity`."""

from __future__ import annotations

from argparse import Namespace
from functools import partial

from schemata.analysis.complexity import COUNTING
from schemata.analysis.complexity import complexity as cost_of
from schemata.cli import command as c
from schemata.cli.main import report
from schemata.display.terminal import ProgressBar
from schemata.errors import Diagnostic


@c.command(
    c.SCHEMA,
    c.flag("--degrees", "only degrees, no formulas: nothing is counted"),
    c.BUDGET,
    c.ASCII,
    c.JSON,
)
def complexity(arguments: Namespace) -> int:
    """Tell what a schema costs, from its rules: time and space, the bottleneck, formulas in n for its counts.

    Formulas are those under a grammar that licenses every link. Counts at short lengths determine them, within the
    limits (20 s by default). Exit code 0, or 2 where a limit left formulas open.
    """
    from schemata.display.complexity import complexity_text

    schema = c.chosen_schema(arguments.schema, arguments.set)
    budget = c.chosen_budget(arguments, COUNTING)
    with ProgressBar(f"counting under {schema.name}"):
        found = cost_of(schema, formulas=not arguments.degrees, budget=budget)
    if found.stopped:
        hint = "--max-seconds and --max-steps allow more; --degrees leaves formulas out"
        report(Diagnostic("budget", f"no formulas: {found.why_not}", hint=hint, severity="warning"))
    c.answer(arguments, found.to_json, partial(complexity_text, found))
    return 2 if found.stopped else 0
