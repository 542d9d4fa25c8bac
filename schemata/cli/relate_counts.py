"""`schemata relate --counts`: how many items and steps related schemata need, and what one of them saves."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from schemata.analysis.relations.ask import check_kind, shipped_claims
from schemata.analysis.relations.bench import reference_of
from schemata.analysis.relations.savings import Saving, savings
from schemata.cli.compared import chosen_grammars, parse_lengths
from schemata.cli.main import report
from schemata.cli.options import add_grammar_options, chosen_budget, chosen_sentence, print_json
from schemata.engine.budget import BudgetExceeded, Interrupted
from schemata.errors import UsageError
from schemata.language import model as m
from schemata.language.relation_model import Relation
from schemata.language.relations import read_maps
from schemata.structures import Sentence
from schemata.workbench import ParsingSchema

__all__ = ["add_count_options", "counted_relations", "counts_asked", "run_counts"]


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
    from schemata.display.savings import savings_text
    from schemata.display.tables import Style
    from schemata.display.terminal import can_encode, use_colour

    return savings_text(found, first, second, Style(not can_encode(sys.stdout, "─"), use_colour(sys.stdout)))
