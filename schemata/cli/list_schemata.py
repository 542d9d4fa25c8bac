"""List the shipped schemata by folder, with their titles and parameters, and the shipped relations."""

from __future__ import annotations

import argparse

from schemata.cli.options import add_json_option, print_json
from schemata.errors import SchemaError
from schemata.language.files import load_headline
from schemata.language.library import shipped_relations, shipped_schemata
from schemata.language.reader import parse_relation
from schemata.language.source import read_source

__all__ = ["configure", "run"]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print one line per schema, grouped by folder, and one per relation."""
    relations = [_relation(name) for name in shipped_relations()]
    rows = []
    for name, path in shipped_schemata().items():
        schema = load_headline(path)
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
        print_json({"schemata": rows, "relations": relations})
        return 0
    width = max((len(str(row["schema"])) + len(_settings(row["parameters"])) for row in rows), default=0)
    group = None
    for row in rows:
        if row["group"] != group:
            print(f"{'' if group is None else chr(10)}{row['group']}")
            group = row["group"]
        name = f"{row['schema']}{_settings(row['parameters'])}"
        print(f"  {name:<{width}}  {row['title'] or ''}")
    print("\nrelations")
    width = max((len(row["relation"]) for row in relations), default=0)
    for claim in relations:
        print(f"  {claim['relation']:<{width}}  {claim['kind']}")
    return 0


def _relation(name: str) -> dict[str, str]:
    """Return what a shipped relation claims, as it is written.

    Raises
    ------
    SchemaError : the file cannot be read, or does not say which schemata are related or how.
    """
    syntax, problems = parse_relation(read_source(shipped_relations()[name]))
    header, kind = syntax.header, syntax.kind
    if header is None or kind is None:
        raise SchemaError(problems)
    return {"relation": name, "from": header.first.name, "to": header.second.name, "kind": kind[0]}


def _settings(parameters: object) -> str:
    if not isinstance(parameters, dict) or not parameters:
        return ""
    return ":" + ",".join(f"{k}={v}" for k, v in parameters.items())
