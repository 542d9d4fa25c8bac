"""The command `complexity`."""

from __future__ import annotations

from argparse import Namespace
from functools import partial

from schemata.analysis.complexity import COUNTING
from schemata.analysis.complexity import complexity as cost_of
from schemata.cli import command as c
from schemata.cli.main import report
from schemata.display.complexity import complexity_text, improvement_text
from schemata.display.terminal import ProgressBar
from schemata.errors import Diagnostic
from schemata.workbench import ParsingSchema


@c.command(
    c.SCHEMA,
    c.flag("--degrees", "only degrees, no formulas: nothing is counted"),
    c.flag("--improve", "look for a schema of a lower degree; degrees only"),
    c.flag(
        "--folds-only", "with --improve: cut no items in halves, so that what is found is a step refinement"
    ),
    c.option(
        "--class", "CLASS", "the class of trees for which it is verified (what is claimed)", dest="class_name"
    ),
    c.BUDGET,
    c.ASCII,
    c.JSON,
    needs=(("--class", "--improve"), ("--folds-only", "--improve")),
)
def complexity(arguments: Namespace) -> int:
    """Tell what a schema costs, from its rules: time and space, the bottleneck, formulas in n for its counts.

    Formulas are those under a grammar that licenses every link: proved, or else determined by counts at short lengths,
    within the limits (20 s by default). Exit code 0, or 2 where a limit left formulas open.
    With --improve: fold the costliest steps, and cut items around a head in halves; print a schema of a lower degree,
    with what is verified of it, and whether it refines the original. Exit code 1 where none is found.
    """
    schema = c.chosen_schema(arguments.schema, arguments.set)
    budget = c.chosen_budget(arguments, COUNTING)
    if arguments.improve:
        return _improve(schema, arguments)
    with ProgressBar(f"counting under {schema.name}"):
        found = cost_of(schema, formulas=not arguments.degrees, budget=budget)
    if found.stopped:
        hint = "--max-seconds and --max-steps allow more; --degrees leaves formulas out"
        missing = f"no formulas: {found.why_not}"
        if found.why_not is None:
            missing = f"no time for other values of its parameter: the limit of {found.stopped} was hit"
        report(Diagnostic("budget", missing, hint=hint, severity="warning"))
    c.answer(arguments, found.to_json, partial(complexity_text, found))
    return 2 if found.stopped else 0


def _improve(schema: ParsingSchema, arguments: Namespace) -> int:
    from schemata.relations.improve import improve
    from schemata.structures import tree_class
    from schemata.verification.claims import claim_about

    claim = claim_about(schema.name, schema.parameters)
    trees = claim is not None and schema.definition.grammar == "d-rules"
    name = arguments.class_name or (claim.class_name if claim is not None and trees else None)
    seconds = {} if arguments.max_seconds is None else {"seconds": 0.9 * arguments.max_seconds}
    with ProgressBar(f"folding steps of {schema.name}"):
        found = improve(
            schema, tree_class(name) if name else None, folds_only=arguments.folds_only, **seconds
        )
    if found is None:
        before = cost_of(schema, formulas=False)
        said = f"No fold of the costliest steps of {schema.name} has a lower degree."
        c.answer(arguments, lambda: before.to_json() | {"improvement": None}, lambda _: said)
        return 1
    improved = found.before.to_json() | {"improvement": found.to_json()}
    c.answer(arguments, lambda: improved, partial(improvement_text, found))
    return 0
