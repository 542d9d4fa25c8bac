"""The commands about kernels, which run a schema: `profile` and `compile`."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from schemata.budget import Interrupted
from schemata.cli import command as c
from schemata.cli.main import report
from schemata.display.terminal import ProgressBar
from schemata.language.typeset import reference_of


@c.command(
    c.SCHEMA,
    c.option("sentence", nargs="+", metavar="SENTENCE", help="the words, split at blanks"),
    c.option(
        "--max-n",
        type=int,
        metavar="N",
        help="measure the Python kernel on the first N words (default: as many as make 200,000 step instances)",
    ),
    c.option("--plans", type=int, default=5, metavar="N", help="tell the plans of N steps (default 5)"),
    c.flag("--ascii", "keep to ASCII characters in the table"),
    c.GRAMMAR,
    c.BUDGET,
    c.ENGINE,
    c.JSON,
)
def profile(arguments: Namespace) -> int:
    """Profile a schema on a sentence: instances, time and join selectivity of every step, and the plan in words.

    Shares of the time and candidates are measured in the kernel that Python runs; of a long sentence, on a beginning.
    What the engine takes that runs the schema stands beside.
    """
    from schemata.analysis import profile as p
    from schemata.analysis.figures import warnings_json, warnings_of
    from schemata.display.profile import profile_text

    c.at_least(0, arguments, "plans")
    c.at_least(1, arguments, "max_n")
    schema = c.chosen_schema(arguments.schema, arguments.set, arguments.engine)
    grammar = c.chosen_grammar(schema, arguments)
    sentence = c.chosen_sentence(arguments.sentence, arguments.tagged)
    budget = c.chosen_budget(arguments)
    try:
        with ProgressBar(f"profiling {schema.name}"):
            result = p.profile(schema, sentence, grammar, budget, arguments.max_n)
    except Interrupted as stopped:
        report(*stopped.diagnostics)
        return 130
    if result.over is not None:
        report(*result.over.diagnostics)
    report(*warnings_of(result.chart))
    c.answer(
        arguments,
        lambda: {**result.to_json(), **warnings_json(result.chart)},
        lambda page: profile_text(result, arguments.plans, width=page.width, ascii=page.ascii),
    )
    return 0 if result.over is None else 2


@c.command(
    c.SCHEMA,
    c.flag(
        "--explain",
        "print in which order items can be completed, for every sentence length, and why that is so, "
        "or which step prevents an order",
    ),
    c.JSON,
)
def compile_kernel(arguments: Namespace) -> int:
    """Print the kernel that is generated from a schema, or the proof of an order for native kernels."""
    schema = c.chosen_schema(arguments.schema, arguments.set)
    head = {"schema": schema.name, "parameters": dict(schema.parameters)}
    if not arguments.explain:
        text = schema.kernel.text
        source = {**head, "engine": "python", "source": text}
        c.answer(arguments, lambda: source, lambda _: text.removesuffix("\n"))
        return 0
    from schemata.display import orders
    from schemata.order.cache import prove_order
    from schemata.order.model import Order
    from schemata.ordered.kernel import why_unused
    from schemata.program.lower import lower
    from schemata.program.model import NotLowerable

    refusal: dict[str, Any] = {"proved": False, "reason": None, "step": None, "example": None}
    try:
        program = lower(schema.definition)
    except NotLowerable as construct:
        refusal["reason"] = f"{construct} has no native form"
    else:
        found = prove_order(program)
        if isinstance(found, Order):
            order, unused = found, why_unused(found)
            c.answer(
                arguments,
                lambda: {**head, "order": orders.order_as_json(order, unused)},
                lambda _: orders.explain_order(order, unused),
            )
            return 0
        refusal = orders.refusal_as_json(program, found)
    name = reference_of(schema.definition)
    c.answer(arguments, lambda: {**head, "order": refusal}, lambda _: orders.explain_refusal(name, refusal))
    return 1
