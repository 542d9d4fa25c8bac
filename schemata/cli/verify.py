"""Check that a schema parses exactly a class of trees, exhaustively up to a number of words.

Without --class: tell which of the known classes it parses exactly. A Link Grammar schema is checked on random
small dictionaries: whether it derives all linkages (or all acyclic ones), nothing else, and each of them once.
Exit code 0: yes; 1: no, with the smallest counterexample; 2: bad usage, or a budget was hit before it was known.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from schemata.cli.options import (
    add_budget_options,
    add_json_option,
    add_schema_options,
    chosen_budget,
    chosen_schema,
    print_json,
)
from schemata.engine.budget import Budget
from schemata.errors import UsageError
from schemata.language.library import split_reference
from schemata.structures import tree_class
from schemata.verification.trees import Found
from schemata.verification.verdicts import Recognition, Verdict
from schemata.verification.verify import RUN_BUDGET, recognise, verify
from schemata.workbench import ParsingSchema

if TYPE_CHECKING:
    from schemata.language.model import Schema
    from schemata.relations.consequences import Citation

__all__ = ["configure", "run"]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_schema_options(parser)
    parser.add_argument(
        "--class",
        dest="class_name",
        metavar="CLASS",
        help="projective, planar, wg-1, all ... (see docs); linkages or acyclic-linkages",
    )
    parser.add_argument("--max-n", type=int, default=5, metavar="N", help="words at most (default 5)")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of random grammars (default 0)")
    parser.add_argument(
        "--random", type=int, default=0, metavar="M", help="random trees and grammars of more words to try"
    )
    parser.add_argument(
        "--roots", choices=("one", "many"), default="one", help="words under node 0 (default one)"
    )
    parser.add_argument(
        "--cite", action="store_true", help="tell which verdicts follow from those on related schemata"
    )
    parser.add_argument("--jobs", type=int, default=1, metavar="K", help="processes (default 1)")
    add_budget_options(parser)
    parser.add_argument("--ascii", action="store_true", help="draw with ASCII characters")
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Verify; 0 for yes, 1 for no, 2 where a budget prevented the answer, 130 where Ctrl-C did."""
    schema = chosen_schema(arguments.schema, arguments.set)
    if schema.definition.grammar == "link-grammar":
        return _run_linkages(schema, arguments)
    if arguments.random and arguments.class_name is None:
        raise UsageError("--random needs --class")
    if arguments.cite and arguments.class_name is None:
        raise UsageError("--cite needs --class")
    wanted = tree_class(arguments.class_name) if arguments.class_name is not None else None
    single_root = arguments.roots == "one"
    found: Verdict | Recognition
    if wanted is not None:
        found = verify(
            schema,
            wanted,
            arguments.max_n,
            seed=arguments.seed,
            single_root=single_root,
            random=arguments.random,
            jobs=arguments.jobs,
            budget=_budget(arguments),
            watch=_watch,
        )
    else:
        found = recognise(
            schema,
            arguments.max_n,
            seed=arguments.seed,
            single_root=single_root,
            jobs=arguments.jobs,
            budget=_budget(arguments),
            watch=_watch,
        )
    cited = _cited(schema, found, arguments) if isinstance(found, Verdict) and arguments.cite else ()
    if arguments.json:
        citations = {"citations": [one.to_json() for one in cited]} if arguments.cite else {}
        print_json(found.to_json() | citations)
    else:
        _show(found, arguments.ascii)
        for one in cited:
            print(f"\n{one}")
    if found.stopped == "interrupt":
        return 130
    return {True: 0, False: 1, None: 2}[found.holds]


def _run_linkages(schema: ParsingSchema, arguments: argparse.Namespace) -> int:
    """Verify a Link Grammar schema."""
    from schemata.display.terminal import can_encode, progress, terminal_width
    from schemata.display.verdicts import linkage_verdict_text
    from schemata.verification.linkages import verify_linkages

    for name, given in (("roots", arguments.roots != "one"), ("jobs", arguments.jobs != 1)):
        if given:
            raise UsageError(f"--{name} is about trees, and schema {schema.name} derives linkages")
    found = verify_linkages(
        schema,
        arguments.class_name or "linkages",
        arguments.max_n,
        seed=arguments.seed,
        random=arguments.random,
        budget=_budget(arguments),
        watch=progress,
    )
    if arguments.json:
        print_json(found.to_json())
    else:
        ascii_only = arguments.ascii or not can_encode(sys.stdout, "│─╭╮╯╰┼▼≤")
        named = split_reference(arguments.schema)[0]
        print(linkage_verdict_text(found, schema=named, width=terminal_width(), ascii=ascii_only))
    if found.stopped == "interrupt":
        return 130
    return {True: 0, False: 1, None: 2}[found.holds]


def _cited(schema: ParsingSchema, found: Verdict, arguments: argparse.Namespace) -> tuple[Citation, ...]:
    """Return the verdicts on the schema that follow from those on related schemata."""
    from schemata.relations.consequences import citations

    if found.stopped is not None:
        return ()

    def verdict_on(other: Schema) -> Verdict:
        return verify(
            ParsingSchema(other),
            arguments.class_name,
            arguments.max_n,
            seed=arguments.seed,
            single_root=arguments.roots == "one",
            jobs=arguments.jobs,
            budget=_budget(arguments),
            watch=_watch,
        )

    return tuple(citations(schema.definition, found.class_name, arguments.max_n, verdict_on))


def _budget(arguments: argparse.Namespace) -> Budget:
    """Return the limits of a single run: those given, and the defaults of verification elsewhere."""
    given = chosen_budget(arguments)
    steps = RUN_BUDGET.steps if arguments.max_steps is None else given.steps
    seconds = RUN_BUDGET.seconds if arguments.max_seconds is None else given.seconds
    return replace(given, steps=steps, seconds=seconds)


def _watch(results: Iterable[Found], total: int, description: str) -> Iterable[Found]:
    from schemata.display.terminal import progress

    return progress(results, total, description)


def _show(found: Verdict | Recognition, ascii_wanted: bool) -> None:
    from schemata.display.terminal import can_encode, terminal_width
    from schemata.display.verdicts import recognition_text, verdict_text

    ascii_only = ascii_wanted or not can_encode(sys.stdout, "│─╭╮╯╰┼▼≤")
    if isinstance(found, Verdict):
        print(verdict_text(found, width=terminal_width(), ascii=ascii_only))
    else:
        print(recognition_text(found, width=terminal_width(), ascii=ascii_only))
