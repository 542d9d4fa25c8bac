"""Print the Python kernel that is generated from a schema, or the proof of an order for native kernels."""

from __future__ import annotations

import argparse
from typing import Any

from schemata.cli.options import add_json_option, add_schema_options, chosen_schema, print_json
from schemata.workbench import ParsingSchema

__all__ = ["configure", "run"]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_schema_options(parser)
    parser.add_argument(
        "--explain",
        action="store_true",
        help="print in which order items can be completed, for every sentence length, and why that is so, "
        "or which step prevents an order",
    )
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the kernel, or the order; 1 where there is no order."""
    schema = chosen_schema(arguments.schema, arguments.set)
    if arguments.explain:
        return _explain(schema, arguments.json)
    text = schema.kernel.source.text
    if arguments.json:
        print_json({**_head(schema), "engine": "python", "source": text})
    else:
        print(text, end="")
    return 0


def _head(schema: ParsingSchema) -> dict[str, Any]:
    return {"schema": schema.name, "parameters": dict(schema.parameters)}


def _explain(schema: ParsingSchema, as_json: bool) -> int:
    from schemata.engine.order.explain import (
        explain_order,
        explain_refusal,
        order_as_json,
        refusal_as_json,
    )
    from schemata.engine.order.model import Order
    from schemata.engine.order.prove import prove_order
    from schemata.engine.ordered.kernel import why_unused
    from schemata.program.lower import lower
    from schemata.program.model import NotLowerable

    try:
        program = lower(schema.definition)
    except NotLowerable as construct:
        reason = f"{construct} has no native form"
        if as_json:
            order = {"proved": False, "reason": reason, "step": None, "example": None}
            print_json({**_head(schema), "order": order})
        else:
            print(f"{schema.name}: no proved order\n\n  why  {reason}")
        return 1
    found = prove_order(program)
    if isinstance(found, Order):
        if as_json:
            print_json({**_head(schema), "order": order_as_json(found, why_unused(found))})
        else:
            print(explain_order(found, why_unused(found)))
        return 0
    if as_json:
        print_json({**_head(schema), "order": refusal_as_json(program, found)})
    else:
        print(explain_refusal(program, found))
    return 1
