"""The command `verify`."""

from __future__ import annotations

import time
from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from schemata.cli import command as c
from schemata.cli.corpus import PLACES, places
from schemata.display.shown import text_of
from schemata.display.terminal import progress
from schemata.display.verdicts import repairs_text
from schemata.errors import UsageError
from schemata.language.library import split_reference
from schemata.structures import tree_class
from schemata.verification.subject import RUN_BUDGET
from schemata.workbench import ParsingSchema

if TYPE_CHECKING:
    from schemata.language.model import Schema
    from schemata.relations.consequences import Citation
    from schemata.relations.repair import Repairs


@c.command(
    c.SCHEMA,
    c.option(
        "--class",
        "CLASS",
        "projective, planar, wg-1, all ... (see docs); linkages, acyclic-linkages; of graphs planar+acyclic ...; of "
        "constituent trees non-empty, binary, all",
        dest="class_name",
    ),
    c.option("--same-as", "NAME", "in place of a class: exactly the structures that another schema derives"),
    c.option(
        "--grammar",
        "G",
        "with --same-as: a grammar whose sentences are tried, in place of small and random grammars",
    ),
    c.MAX_N,
    c.number("--seed", "S", "the seed of random grammars and trees (default 0)", 0),
    c.number("--random", "M", "random trees and grammars of more words to try", 0),
    c.choice("--roots", ("one", "many"), "how many words may hang under node 0 (default one)"),
    c.flag("--repair", "where trees are derived several times, look for conditions that prevent it"),
    c.flag("--cite", "name the verdicts that follow from those on related schemata"),
    PLACES,
    c.BUDGET,
    c.ASCII,
    c.WIDTH,
    c.JSON,
    needs=(("--grammar", "--same-as"),),
    apart=(("--same-as", "--class --repair --cite"),),
)
def verify(arguments: Namespace) -> int:
    """Check that a schema parses exactly a class of trees, and each tree once, exhaustively up to a number of words.

    Without --class: name the known classes that it parses exactly. A Link Grammar schema is checked on small
    dictionaries, plain and random ones: whether it derives all linkages (or all acyclic ones), nothing else, each once;
    a context-free schema on small grammars: whether it derives all constituent trees that brute force finds (those of a
    class: all, non-empty, binary), nothing else, each once.
    With --same-as: whether it derives what another schema does, whatever both build.
    With --repair: also look for a schema that derives each tree once, as sound and as complete as this one and a
    filter of it, for a minute at most unless --max-seconds says otherwise. No such schema: exit code 1.
    Exit code 0: yes; 1: no, with the smallest counterexample; 2: bad usage, or a budget was hit before it was known.
    """
    schema = c.chosen_schema(arguments.schema, arguments.set)
    linkages = schema.definition.grammar == "link-grammar"
    for option in ("cite", "repair"):
        if getattr(arguments, option) and arguments.class_name is None and not linkages:
            raise UsageError(f"--{option} needs --class")
    if arguments.repair and schema.definition.grammar != "d-rules":
        raise UsageError(f"--repair is about schemata over D-rules, and {schema.name} is not")
    budget = c.chosen_budget(arguments, RUN_BUDGET)
    settings: dict[str, Any] = {"single_root": arguments.roots == "one", "seed": arguments.seed}
    settings |= {
        "jobs": places(arguments, ("json", "width", "cite", "repair")),
        "watch": progress,
        "budget": budget,
    }
    settings["seconds"] = arguments.max_seconds and 0.9 * arguments.max_seconds  # the rest is for evidence
    more: dict[str, Any] = {"random": arguments.random}
    if arguments.same_as:
        more |= {"same_as": c.chosen_schema(arguments.same_as), "grammar": arguments.grammar}
    verdict = schema.verify(arguments.class_name, arguments.max_n, **more, **settings)
    settings["jobs"] = arguments.jobs  # a ledger is about one verification
    citations: list[Citation] = []
    if arguments.cite and not linkages and verdict.stopped is None:
        from schemata.relations.consequences import citations as follow
        from schemata.relations.systems import DEFAULT_BUDGET, SharedSystems

        def verdict_on(other: Schema) -> Any:
            left = {"seconds": max(0.0, min(budget.seconds, budget.left(time.perf_counter())))}
            return ParsingSchema(other).verify(arguments.class_name, arguments.max_n, **settings | left)

        systems = SharedSystems(replace(DEFAULT_BUDGET, memory=budget.memory, end=budget.end))
        followed = follow(schema.definition, verdict.class_name, arguments.max_n, verdict_on, systems=systems)
        when = " while citations were looked for"
        citations, _ = c.heeding(budget, time.perf_counter(), when, followed)
    cited: dict[str, Any] = {}
    if arguments.cite and not linkages:
        cited["citations"] = [one.to_json() for one in citations]
    repairs: Repairs | None = None
    if arguments.repair and verdict.each_once is False:
        from schemata.relations.repair import repair

        if arguments.max_seconds is not None:
            settings["seconds"] = max(0.0, budget.left(time.perf_counter()))
        repairs = repair(schema, tree_class(arguments.class_name), arguments.max_n, **settings)
        cited["repairs"] = repairs.to_json()
    named = split_reference(arguments.schema)[0]
    told = [*map(str, citations), *([] if repairs is None else [repairs_text(repairs, schema=named)])]
    c.answer(
        arguments,
        lambda: verdict.to_json() | cited,
        lambda page: "\n\n".join([text_of(verdict, page, named), *told]),
    )
    if repairs is not None and repairs.found is None:
        return c.exit_code(None if repairs.stopped else False, repairs.stopped)
    return c.exit_code(verdict.holds, verdict.stopped)
