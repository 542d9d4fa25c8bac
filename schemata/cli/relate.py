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
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from schemata.cli.compare import chosen_grammars, parse_lengths
from schemata.cli.main import report
from schemata.cli.options import (
    add_budget_options,
    add_grammar_options,
    add_json_option,
    chosen_budget,
    chosen_schema,
    chosen_sentence,
    print_json,
)
from schemata.engine.budget import BudgetExceeded, Interrupted
from schemata.errors import UsageError
from schemata.language import model as m
from schemata.language.library import is_relation_reference, parse_settings, relation_path
from schemata.language.relation_model import Relation
from schemata.language.relations import load_relation, read_maps
from schemata.relations.answers import Answer
from schemata.relations.consequences import Saving, savings
from schemata.relations.decide import check_kind, decide_claim, relate_kind, shipped_claims
from schemata.relations.systems import DEFAULT_BUDGET, SharedSystems, reference_of
from schemata.structures import Sentence
from schemata.workbench import ParsingSchema


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
        return run_all(arguments, SharedSystems(_budget(arguments), arguments.rule_length))
    if arguments.format != "text" or arguments.output:
        raise UsageError("--format and --output are for the map that --all draws")
    if counts_asked(arguments):
        return _counts(arguments)
    systems = SharedSystems(_budget(arguments), arguments.rule_length)
    names = arguments.names
    if len(names) == 1 and is_relation_reference(names[0]):
        return _file(arguments, systems)
    first, second = _two_schemata(arguments)
    if arguments.kind is None:
        return _any_kind(arguments, first, second, systems)
    kind = check_kind(arguments.kind)
    answer = relate_kind(first, second, kind, arguments.map, arguments.max_n, systems=systems, watch=_watch)
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


def _file(arguments: argparse.Namespace, systems: SharedSystems) -> int:
    """Decide the claims of a relation file; all must hold."""
    _refuse_claims(arguments)
    file = load_relation(relation_path(arguments.names[0]), parse_settings(arguments.set))
    answers: list[Answer] = []
    for claim in file.relations:
        found = decide_claim(claim, arguments.max_n, systems=systems, watch=_watch)
        answers += found
        if any(answer.stopped == "interrupt" for answer in found):
            break
    _print(answers, arguments)
    if arguments.json:
        parts = [answer.to_json() for answer in answers]
        print_json(parts[0] if len(parts) == 1 else {"relation": file.name, "relations": parts})
    return _code(answers)


def _any_kind(
    arguments: argparse.Namespace, first: m.Schema, second: m.Schema, systems: SharedSystems
) -> int:
    """Try all kinds and simple maps."""
    from schemata.display.relations import answers_text
    from schemata.display.terminal import terminal_width
    from schemata.relations.discovery import discover

    answers = discover(first, second, arguments.max_n, maps=arguments.map, systems=systems, watch=_watch)
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
        from schemata.display.relations import answer_latex

        print("\n\n".join(answer_latex(answer) for answer in answers))
        return
    from schemata.display.relations import answer_text
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


def run_all(arguments: argparse.Namespace, systems: SharedSystems) -> int:
    """Decide all shipped relations; 0 if all hold, 1 if one does not, 2 and 130 as elsewhere."""
    from schemata.cli.options import check_writable, write_text
    from schemata.display.relation_map import field_dot, field_svg, field_text
    from schemata.display.terminal import terminal_width
    from schemata.relations.catalogue import field_map

    if arguments.names or arguments.kind or arguments.map:
        raise UsageError("--all takes no schemata, kinds or maps")
    if arguments.json and arguments.format != "text":
        raise UsageError("--json and --format exclude each other")
    if arguments.output:
        check_writable(arguments.output)
    arrows = field_map(arguments.max_n, systems=systems, watch=_watch)
    if arguments.json:
        print_json({"max_n": arguments.max_n, "relations": [arrow.to_json() for arrow in arrows]})
    else:
        match arguments.format:
            case "dot":
                text = field_dot(arrows)
            case "svg":
                text = field_svg(arrows)
            case _:
                text = field_text(arrows, width=terminal_width()) + "\n"
        if arguments.output:
            print(f"wrote {write_text(arguments.output, text)}")
        else:
            print(text, end="")
    verdicts = [answer for arrow in arrows for answer in arrow.answers]
    if any(answer.stopped == "interrupt" for answer in verdicts):
        return 130
    if any(answer.holds is False for answer in verdicts):
        return 1
    return 2 if any(answer.holds is None for answer in verdicts) else 0


def add_count_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that ask for counts instead of a decision."""
    parser.add_argument(
        "--counts", metavar="L", help="count items and steps on sentences of these lengths: 2..8, or 4,8"
    )
    parser.add_argument("--sentence", metavar="TEXT", help="count items and steps on this sentence")
    add_grammar_options(parser)


def counts_asked(arguments: argparse.Namespace) -> bool:
    """Whether counts are asked for.

    Raises
    ------
    UsageError : both lengths and a sentence are given, or a grammar without either, or counts in LaTeX.
    """
    asked = arguments.counts is not None or arguments.sentence is not None
    if arguments.counts is not None and arguments.sentence is not None:
        raise UsageError("--counts and --sentence exclude each other")
    if not asked and (arguments.grammar or arguments.tagged or arguments.single_root):
        raise UsageError("--grammar, --tagged and --single-root go with --counts or --sentence")
    if asked and arguments.latex:
        raise UsageError("counts are printed as text or JSON")
    return asked


def counted_relations(
    first: m.Schema, second: m.Schema, arguments: argparse.Namespace
) -> tuple[Relation, ...]:
    """Return by which maps items of two schemata correspond: those given, or of a shipped relation, or forms alike.

    Raises
    ------
    SchemaError : a map has errors.
    """
    kind = check_kind(arguments.kind) if arguments.kind else None
    if not arguments.map:
        claims = [c for c in shipped_claims(first, second) if c.maps and kind in (None, c.kind)]
        if claims:
            return (claims[0],)
    return (read_maps(arguments.map, first, second, kind, lenient=True),)


def run_counts(relations: Sequence[Relation], arguments: argparse.Namespace) -> int:
    """Count along each relation; 2 where a budget was hit, 130 after Ctrl-C."""
    code = 0
    results: list[dict[str, Any]] = []
    shown: list[str] = []
    for relation in relations:
        found, stopped = _count(relation, arguments)
        ends = reference_of(relation.first), reference_of(relation.second)
        results.append(
            {
                "from": ends[0],
                "to": ends[1],
                "kind": relation.kind,
                "saver": found[0].saver if found else None,
                "rows": [one.to_json() for one in found],
            }
            | ({"stopped": stopped} if stopped else {})
        )
        if found:
            shown.append(_text(found, *ends))
        code = 130 if stopped == "interrupt" else max(code, 2 if stopped else 0)
        if code == 130:
            break
    if arguments.json:
        print_json(results[0] if len(results) == 1 else {"counts": results})
    elif shown:
        print("\n\n".join(shown))
    return code


def _count(relation: Relation, arguments: argparse.Namespace) -> tuple[list[Saving], str | None]:
    """Return the figures, and what cut them short."""
    schemata = [ParsingSchema(relation.first), ParsingSchema(relation.second)]
    grammars = chosen_grammars(schemata, arguments)
    found: list[Saving] = []
    try:
        for one in savings(relation, _sentences(arguments), grammars, chosen_budget(arguments)):
            found.append(one)
    except BudgetExceeded as over:
        report(*over.diagnostics)
        return found, "interrupt" if isinstance(over, Interrupted) else over.reason
    return found, None


def _sentences(arguments: argparse.Namespace) -> Iterator[Sentence]:
    if arguments.sentence is not None:
        yield chosen_sentence(arguments.sentence, arguments.tagged)
        return
    from schemata.analysis.compare import sentence_of_length

    yield from map(sentence_of_length, parse_lengths(arguments.counts))


def _text(found: Sequence[Saving], first: str, second: str) -> str:
    from schemata.display.relations import savings_text
    from schemata.display.terminal import can_encode, use_colour
    from schemata.display.text import Style

    return savings_text(found, first, second, Style(not can_encode(sys.stdout, "─"), use_colour(sys.stdout)))
