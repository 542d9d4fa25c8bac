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
from schemata.workbench import ParsingSchema


@c.command(
    c.SCHEMA,
    c.flag("--degrees", "only degrees, no formulas: nothing is counted"),
    c.flag("--improve", "look for a schema of a lower degree; degrees only"),
    c.option(
        "--class", "CLASS", "the class of trees for which it is verified (what is claimed)", dest="class_name"
    ),
    c.BUDGET,
    c.ASCII,
    c.JSON,
    needs=(("--class", "--improve"),),
)
def complexity(arguments: Namespace) -> int:
    """Tell what a schema costs, from its rules: time and space, the bottleneck, formulas in n for its counts.

    Formulas are those under a grammar that licenses every link. Counts at short lengths determine them, within the
    limits (20 s by default). Exit code 0, or 2 where a limit left formulas open.
    With --improve: fold the costliest steps, and print a schema of a lower degree that is verified as the original is,
    and a refinement of it. Exit code 1 where none is found.
    """
    from schemata.display.complexity import complexity_text

    schema = c.chosen_schema(arguments.schema, arguments.set)
    budget = c.chosen_budget(arguments, COUNTING)
    if arguments.improve:
        return _improve(schema, arguments)
    with ProgressBar(f"counting under {schema.name}"):
        found = cost_of(schema, formulas=not arguments.degrees, budget=budget)
    if found.stopped:
        hint = "--max-seconds and --max-steps allow more; --degrees leaves formulas out"
        report(Diagnostic("budget", f"no formulas: {found.why_not}", hint=hint, severity="warning"))
    c.answer(arguments, found.to_json, partial(complexity_text, found))
    return 2 if found.stopped else 0


def _improve(schema: ParsingSchema, arguments: Namespace) -> int:
    from schemata.display.complexity import improvement_text
    from schemata.relations.improve import improve
    from schemata.structures import tree_class
    from schemata.verification.claims import claim_about

    claim = claim_about(schema.name, schema.parameters)
    trees = claim is not None and schema.definition.grammar == "d-rules"
    name = arguments.class_name or (claim.class_name if claim is not None and trees else None)
    seconds = {} if arguments.max_seconds is None else {"seconds": 0.9 * arguments.max_seconds}
    with ProgressBar(f"folding steps of {schema.name}"):
        found = improve(schema, tree_class(name) if name else None, **seconds)
    if found is None:
        before = cost_of(schema, formulas=False)
        c.answer(
            arguments,
            lambda: before.to_json() | {"improvement": None},
            lambda page: f"No fold of the costliest steps of {schema.name} has a lower degree.",
        )
        return 1
    c.answer(
        arguments,
        lambda: found.before.to_json() | {"improvement": found.to_json()},
        partial(improvement_text, found),
    )
    return 0
