"""List the shipped schemata by folder, with their titles and parameters."""

from __future__ import annotations

import argparse

from schemata.cli.options import add_json_option, print_json
from schemata.language.library import load_schema, shipped_schemata

__all__ = ["configure", "run"]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print one line per schema, grouped by folder."""
    rows = []
    for name, path in shipped_schemata().items():
        schema = load_schema(name)
        parameters = {p.name: p.default for p in schema.parameters}
        rows.append(
            {
                "schema": name,
                "group": path.parent.name,
                "title": schema.title,
                "source": schema.reference,
                "grammar": schema.grammar,
                "parameters": parameters,
            }
        )
    if arguments.json:
        print_json({"schemata": rows})
        return 0
    width = max((len(str(row["schema"])) + len(_settings(row["parameters"])) for row in rows), default=0)
    group = None
    for row in rows:
        if row["group"] != group:
            print(f"{'' if group is None else chr(10)}{row['group']}")
            group = row["group"]
        name = f"{row['schema']}{_settings(row['parameters'])}"
        print(f"  {name:<{width}}  {row['title'] or ''}")
    return 0


def _settings(parameters: object) -> str:
    if not isinstance(parameters, dict) or not parameters:
        return ""
    return ":" + ",".join(f"{k}={v}" for k, v in parameters.items())
