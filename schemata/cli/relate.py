"""Decide whether two schemata are related, how, and show why.

Give two schemata and --kind, or a relation file. Items correspond by --map, else by a shipped relation between
the two, else items of one form correspond. Without --kind all kinds and simple maps are tried. With --all every
shipped relation is decided and the map of all is drawn. With --counts or --sentence nothing is decided: items and
steps of both schemata are counted, and what one of them saves.

Exit code 0: the relation holds (without --kind: some relation holds); 1: it does not, with the smallest
counterexample; 2: bad usage, or a budget was hit before it was known.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from schemata.analysis.relations.answers import Answer
from schemata.analysis.relations.ask import check_kind, decide_claim, relate_kind
from schemata.analysis.relations.bench import DEFAULT_BUDGET, Workbench, reference_of
from schemata.cli.options import add_budget_options, add_json_option, chosen_budget, chosen_schema, print_json
from schemata.cli.relate_counts import add_count_options, counted_relations, counts_asked, run_counts
from schemata.errors import UsageError
from schemata.language import model as m
from schemata.language.library import is_relation_reference, parse_settings, relation_path
from schemata.language.relations import load_relation

__all__ = ["configure", "run"]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="two schemata (also NAME:k=4), or one relation file"
    )
    parser.add_argument("--all", action="store_true", help="decide all shipped relations and draw their map")
    parser.add_argument(
        "--format", choices=("text", "dot", "svg"), default="text", help="of the map (default text)"
    )
    parser.add_argument("--output", metavar="FILE", help="write the map to a file")
    parser.add_argument("--kind", metavar="KIND", help="step-refinement, item-refinement, static-filter, ...")
    parser.add_argument(
        "--map", action="append", default=[], metavar="MAP", help='"tree[i, j, i] to span[i, j, false, true]"'
    )
    parser.add_argument("--max-n", type=int, default=5, metavar="N", help="words at most (default 5)")
    parser.add_argument(
        "--rule-length", type=int, default=3, metavar="L", help="symbols in a rule, at most (default 3)"
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="K=V", help="set a variable of the file"
    )
    parser.add_argument("--examples", action="store_true", help="show the items of each emulation")
    parser.add_argument("--latex", action="store_true", help="print a LaTeX fragment")
    add_count_options(parser)
    add_budget_options(parser)
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Relate; 0 for yes, 1 for no, 2 where a budget prevented the answer, 130 where Ctrl-C did."""
    if arguments.json and arguments.latex:
        raise UsageError("--json and --latex exclude each other")
    if arguments.rule_length < 1:
        raise UsageError("--rule-length must be at least 1")
    if arguments.all:
        from schemata.cli.relate_all import run_all

        return run_all(arguments, Workbench(_budget(arguments), arguments.rule_length))
    if arguments.format != "text" or arguments.output:
        raise UsageError("--format and --output are for the map that --all draws")
    if counts_asked(arguments):
        return _counts(arguments)
    bench = Workbench(_budget(arguments), arguments.rule_length)
    names = arguments.names
    if len(names) == 1 and is_relation_reference(names[0]):
        return _file(arguments, bench)
    first, second = _two_schemata(arguments)
    if arguments.kind is None:
        return _any_kind(arguments, first, second, bench)
    kind = check_kind(arguments.kind)
    answer = relate_kind(first, second, kind, arguments.map, arguments.max_n, bench=bench, watch=_watch)
    _print([answer], arguments)
    if arguments.json:
        print_json(answer.to_json())
    return _code([answer])


def _two_schemata(arguments: argparse.Namespace) -> tuple[m.Schema, m.Schema]:
    if len(arguments.names) == 1:
        relation_path(arguments.names[0])  # says that there is no such relation
    if len(arguments.names) != 2:
        raise UsageError(f"relate takes two schemata or one relation file, not {len(arguments.names)} names")
    if arguments.set:
        raise UsageError("--set is for relation files; a schema's parameters are given as in mh:k=4")
    first, second = (chosen_schema(name).definition for name in arguments.names)
    return first, second


def _counts(arguments: argparse.Namespace) -> int:
    """Count items and steps along a relation."""
    if len(arguments.names) == 1 and is_relation_reference(arguments.names[0]):
        _refuse_claims(arguments)
        file = load_relation(relation_path(arguments.names[0]), parse_settings(arguments.set))
        return run_counts(file.relations, arguments)
    return run_counts(counted_relations(*_two_schemata(arguments), arguments), arguments)


def _refuse_claims(arguments: argparse.Namespace) -> None:
    if arguments.kind or arguments.map:
        raise UsageError("a relation file says kind and maps itself")


def _file(arguments: argparse.Namespace, bench: Workbench) -> int:
    """Decide the claims of a relation file; all must hold."""
    _refuse_claims(arguments)
    file = load_relation(relation_path(arguments.names[0]), parse_settings(arguments.set))
    answers: list[Answer] = []
    for claim in file.relations:
        found = decide_claim(claim, arguments.max_n, bench=bench, watch=_watch)
        answers += found
        if any(answer.stopped == "interrupt" for answer in found):
            break
    _print(answers, arguments)
    if arguments.json:
        parts = [answer.to_json() for answer in answers]
        print_json(parts[0] if len(parts) == 1 else {"relation": file.name, "relations": parts})
    return _code(answers)


def _any_kind(arguments: argparse.Namespace, first: m.Schema, second: m.Schema, bench: Workbench) -> int:
    """Try all kinds and simple maps."""
    from schemata.analysis.relations.discovery import discover
    from schemata.display.relate import answers_text
    from schemata.display.terminal import terminal_width

    answers = discover(first, second, arguments.max_n, maps=arguments.map, bench=bench, watch=_watch)
    ends = reference_of(first), reference_of(second)
    if arguments.json:
        relations = [answer.to_json() for answer in answers if answer.holds]
        print_json({"from": ends[0], "to": ends[1], "relations": relations})
    elif arguments.latex and answers:
        _print(answers, arguments)
    else:
        print(answers_text(answers, *ends, width=terminal_width(), examples=arguments.examples))
    if any(answer.stopped == "interrupt" for answer in answers):
        return 130
    if any(answer.holds for answer in answers):
        return 0
    return 2 if any(answer.stopped for answer in answers) else 1


def _print(answers: list[Answer], arguments: argparse.Namespace) -> None:
    """Print answers as text or LaTeX, unless JSON is wanted."""
    if arguments.json:
        return
    if arguments.latex:
        from schemata.display.relate_latex import answer_latex

        print("\n\n".join(answer_latex(answer) for answer in answers))
        return
    from schemata.display.relate import answer_text
    from schemata.display.terminal import terminal_width

    shown = (answer_text(a, width=terminal_width(), examples=arguments.examples) for a in answers)
    print("\n\n".join(shown))


def _code(answers: list[Answer]) -> int:
    if any(answer.stopped == "interrupt" for answer in answers):
        return 130
    if any(answer.holds is False for answer in answers):
        return 1
    return 2 if any(answer.holds is None for answer in answers) else 0


def _budget(arguments: argparse.Namespace) -> Any:
    """Return the limits given, and those of relations elsewhere."""
    given = chosen_budget(arguments)
    steps = DEFAULT_BUDGET.steps if arguments.max_steps is None else given.steps
    seconds = DEFAULT_BUDGET.seconds if arguments.max_seconds is None else given.seconds
    return replace(given, steps=steps, seconds=seconds)


def _watch(items: Iterable[Any], total: int, description: str) -> Iterable[Any]:
    from schemata.display.terminal import progress

    return progress(items, total, description)
