"""Show a schema, its rules typeset, or a relation; or the file as it is."""

from __future__ import annotations

import argparse
import sys

from schemata.cli.options import add_json_option, add_schema_options, chosen_schema, print_json
from schemata.language.library import is_relation_reference, parse_settings

__all__ = ["configure", "run"]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_schema_options(parser)
    parser.add_argument("--source", action="store_true", help="print the schema's file")
    parser.add_argument("--ascii", action="store_true", help="typeset with ASCII characters")
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the schema, or the relation."""
    if is_relation_reference(arguments.schema):
        return _show_relation(arguments)
    from schemata.display.rules import typeset_schema
    from schemata.display.terminal import can_encode, terminal_width
    from schemata.language.typeset import conditions_of, pattern_text

    schema = chosen_schema(arguments.schema, arguments.set)
    definition = schema.definition
    if arguments.json:
        print_json(
            {
                "schema": definition.name,
                "title": definition.title,
                "source": definition.reference,
                "grammar": definition.grammar,
                "parameters": dict(schema.parameters),
                "forms": {f.name: {x.name: str(x.type) for x in f.fields} for f in definition.forms},
                "steps": [
                    {
                        "step": c.step,
                        "case": c.label,
                        "antecedents": [
                            pattern_text(definition, a.pattern, ascii=True) for a in c.antecedents
                        ],
                        "context": [k for k, a in enumerate(c.antecedents) if a.context],
                        "consequent": pattern_text(definition, c.consequent, ascii=True),
                        "conditions": conditions_of(c, ascii=True),
                    }
                    for c in definition.cases
                ],
                "final": [pattern_text(definition, c.pattern, ascii=True) for c in definition.finals],
                "text": definition.source.text,
            }
        )
    elif arguments.source:
        print(definition.source.text, end="")
    else:
        ascii_only = arguments.ascii or not can_encode(sys.stdout, "─≤∧∨¬∈≠•")
        print(typeset_schema(definition, ascii=ascii_only, width=terminal_width()))
    return 0


def _show_relation(arguments: argparse.Namespace) -> int:
    from schemata.display.rules import map_parts, relation_text
    from schemata.display.terminal import can_encode
    from schemata.language.relations import load_relation
    from schemata.relations.systems import reference_of

    file = load_relation(arguments.schema, parse_settings(arguments.set))
    if arguments.json:
        print_json(
            {
                "relation": file.name,
                "claims": [
                    {
                        "from": reference_of(claim.first),
                        "to": reference_of(claim.second),
                        "kind": claim.kind,
                        "source": claim.reference,
                        "settings": dict(claim.settings),
                        "through": [reference_of(s) for s in claim.through],
                        "requires": list(claim.requires),
                        "maps": [
                            {
                                "of": "second" if item_map.reversed else "first",
                                "item": source,
                                "carried_to": target,
                                "conditions": conditions,
                                "written": item_map.written,
                            }
                            for item_map in claim.maps
                            for source, target, conditions in [map_parts(claim, item_map, ascii=True)]
                        ],
                    }
                    for claim in file.relations
                ],
                "text": file.source.text,
            }
        )
    elif arguments.source:
        print(file.source.text, end="")
    else:
        print(relation_text(file, ascii=arguments.ascii or not can_encode(sys.stdout, "─≤∧∨¬∈≠•→←")))
    return 0
