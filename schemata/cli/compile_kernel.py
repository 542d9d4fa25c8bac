"""Print the Python kernel that is generated from a schema: the code that runs."""

from __future__ import annotations

import argparse

from schemata.cli.options import add_json_option, add_schema_options, chosen_schema, print_json

__all__ = ["configure", "run"]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_schema_options(parser)
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the kernel."""
    schema = chosen_schema(arguments.schema, arguments.set)
    text = schema.kernel.source.text
    if arguments.json:
        print_json(
            {"schema": schema.name, "parameters": dict(schema.parameters), "engine": "python", "source": text}
        )
    else:
        print(text, end="")
    return 0
