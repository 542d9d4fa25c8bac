"""The command `verify`."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from schemata.cli import command as c
from schemata.display.terminal import progress
from schemata.display.verdicts import linkage_verdict_text, recognition_text, verdict_text
from schemata.errors import UsageError
from schemata.language.library import split_reference
from schemata.structures import tree_class
from schemata.verification import trees
from schemata.verification.verdicts import LinkageVerdict, Recognition, Verdict
from schemata.verification.workers import RUN_BUDGET
from schemata.workbench import ParsingSchema

if TYPE_CHECKING:
    from schemata.language.model import Schema
    from schemata.relations.consequences import Citation


@c.command(
    c.SCHEMA,
    c.option(
        "--class",
        dest="class_name",
        metavar="CLASS",
        help="projective, planar, wg-1, all ... (see docs); linkages or acyclic-linkages",
    ),
    c.option("--max-n", type=int, default=5, metavar="N", help="words at most (default 5)"),
    c.option("--seed", type=int, default=0, metavar="S", help="of random grammars (default 0)"),
    c.option(
        "--random", type=int, default=0, metavar="M", help="random trees and grammars of more words to try"
    ),
    c.option("--roots", choices=("one", "many"), default="one", help="words under node 0 (default one)"),
    c.flag("--cite", "tell which verdicts follow from those on related schemata"),
    c.option("--jobs", type=int, default=1, metavar="K", help="processes (default 1)"),
    c.BUDGET,
    c.ASCII,
    c.JSON,
)
def verify(arguments: Namespace) -> int:
    """Check that a schema parses exactly a class of trees, exhaustively up to a number of words.

    Without --class: tell which of the known classes it parses exactly. A Link Grammar schema is checked on small
    dictionaries, plain and random ones: whether it derives all linkages (or all acyclic ones), nothing else, each once.
    Exit code 0: yes; 1: no, with the smallest counterexample; 2: bad usage, or a budget was hit before it was known.
    """
    schema = c.chosen_schema(arguments.schema, arguments.set)
    settings: dict[str, Any] = {
        "seed": arguments.seed,
        "jobs": arguments.jobs,
        "budget": c.chosen_budget(arguments, RUN_BUDGET),
        "seconds": arguments.max_seconds,
        "watch": progress,
    }
    citations: tuple[Citation, ...] = ()
    cited: dict[str, Any] = {}
    verdict: Verdict | Recognition | LinkageVerdict
    if schema.definition.grammar == "link-grammar":
        verdict = _verify_linkages(schema, arguments, settings)
        text = partial(linkage_verdict_text, verdict, schema=split_reference(arguments.schema)[0])
    elif arguments.class_name is None:
        for option in ("random", "cite"):
            if getattr(arguments, option):
                raise UsageError(f"--{option} needs --class")
        verdict = trees.recognise(schema, arguments.max_n, single_root=arguments.roots == "one", **settings)
        text = partial(recognition_text, verdict)
    else:
        settings["single_root"] = arguments.roots == "one"
        wanted = tree_class(arguments.class_name)
        verdict = trees.verify(schema, wanted, arguments.max_n, random=arguments.random, **settings)
        text = partial(verdict_text, verdict)
        if arguments.cite and verdict.stopped is None:
            from schemata.relations.consequences import citations as follow

            def verdict_on(other: Schema) -> Verdict:
                return trees.verify(ParsingSchema(other), wanted, arguments.max_n, **settings)

            citations = tuple(follow(schema.definition, verdict.class_name, arguments.max_n, verdict_on))
        cited = {"citations": [one.to_json() for one in citations]} if arguments.cite else {}
    c.answer(
        arguments,
        lambda: verdict.to_json() | cited,
        lambda page: "\n\n".join([text(width=page.width, ascii=page.ascii), *map(str, citations)]),
    )
    return c.exit_code(verdict.holds, verdict.stopped)


def _verify_linkages(
    schema: ParsingSchema, arguments: Namespace, settings: Mapping[str, Any]
) -> LinkageVerdict:
    from schemata.verification.linkages import verify_linkages

    if arguments.roots != "one":
        raise UsageError(f"--roots is about trees, and schema {schema.name} derives linkages")
    name = arguments.class_name or "linkages"
    return verify_linkages(schema, name, arguments.max_n, random=arguments.random, **settings)
