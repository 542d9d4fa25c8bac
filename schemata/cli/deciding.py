"""The commands that decide properties of schemata: `verify` for one schema, `relate` for two.

`relate` decides one relation, or looks for all kinds of relations, counts their savings, and draws the map of all.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schemata.analysis.compare import sentence_of_length
from schemata.budget import Budget
from schemata.cli import command as c
from schemata.cli.corpus import PLACES, places
from schemata.cli.output import print_json, report, write
from schemata.display import relations as shown
from schemata.display.terminal import Page, page, progress
from schemata.engine.exceeded import BudgetExceeded
from schemata.errors import Diagnostic, UsageError
from schemata.kinds import D_RULES, LINK_GRAMMAR
from schemata.language import model as m
from schemata.language.library import is_relation_reference, parse_settings, relation_path, split_reference
from schemata.language.relation_model import Relation, RelationFile
from schemata.language.relations import load_relation, read_maps
from schemata.language.shipped import ALIASES, shipped_schemata
from schemata.language.source import SUFFIX
from schemata.language.typeset import reference_of
from schemata.relations import discovery
from schemata.relations.answers import Answer, Answers
from schemata.relations.certificate import certificate_of, certificates_text, entries_of, refusal
from schemata.relations.consequences import Citation, Saving, citations, savings
from schemata.relations.mapping import corresponding
from schemata.relations.systems import DEFAULT_BUDGET, SharedSystems
from schemata.structures import tree_class
from schemata.text_files import read_file, write_text
from schemata.thresholds import EFFORTS, REFUSALS
from schemata.verification.verdicts import all_of
from schemata.workbench import ParsingSchema

if TYPE_CHECKING:
    from schemata.correctness.counting import Series
    from schemata.relations.repair import Repairs


_CERTIFICATES = (
    c.output("--certificate FILE", "write the proofs for every n to a file"),
    c.option("--recheck FILE", "check the proofs in such a file again, without a search"),
)
_GRAMMAR = "with --same-as or --prefix: a grammar to try, in place of small and random grammars"


@c.command(
    c.SCHEMA,
    c.CLASS,
    c.option("--same-as NAME", "in place of a class: exactly the structures that another schema derives"),
    c.option("--grammar G", _GRAMMAR),
    c.MAX_N,
    c.SEED,
    c.number("--random N", "try N random trees and grammars of more words (default 0)", 0),
    c.ROOTS,
    c.flag("--repair", "where trees are derived several times, look for conditions that prevent it"),
    c.flag("--cite", "name the verdicts that follow from those on related schemata"),
    c.flag(
        "--for-every-n",
        "also prove the answers for every number of words (of projective trees, or of trees with so many gaps)",
    ),
    c.flag("--prefix", "instead: whether the schema accepts just the prefixes of sentences"),
    c.ROOM,
    c.flag(
        "--items", "instead: whether all items, not only final ones, stand for the structures claimed of them"
    ),
    c.several("--means CLAIM", "with --items: a claim, as 'span[i, j]: trees i, j over [i..j], projective'"),
    c.flag("--series", "with --for-every-n: numbers of derivations, read off the proof, and their equation"),
    _CERTIFICATES,
    c.output("--svg FILE", "draw the counterexamples, with the derivations that they have, as SVG"),
    c.output("--tikz FILE", "draw the counterexamples for LaTeX (tikz-dependency, forest, tikz; ebproof)"),
    PLACES,
    c.BUDGET,
    c.ASCII,
    c.WIDTH,
    c.JSON,
    needs=(
        ("--grammar", "--same-as --prefix"),
        ("--room", "--prefix"),
        ("--certificate", "--for-every-n"),
        ("--series", "--for-every-n"),
        ("--means", "--items"),
    ),
    apart=(
        ("--same-as", "--class --repair --cite"),
        ("--for-every-n", "--same-as"),
        ("--prefix", "--same-as --random --repair --cite --for-every-n --certificate --recheck"),
        (
            "--items",
            "--prefix --class --same-as --random --repair --cite --for-every-n --certificate --recheck",
        ),
        ("--recheck", "--class --same-as --grammar --random --roots --repair --cite --for-every-n"),
        ("--svg", "--prefix --items --recheck"),
        ("--tikz", "--prefix --items --recheck"),
    ),
)
def verify(arguments: Namespace) -> int:
    """Check that a schema parses exactly a class of trees, and each tree once, exhaustively up to a number of words.

    Without --class: name the known classes that it parses exactly. A Link Grammar schema is checked on small
    dictionaries, plain and random ones: whether it derives all linkages (or all acyclic ones), nothing else, each once;
    a context-free schema on small grammars: whether it derives all constituent trees that brute force finds (those of a
    class: all, non-empty, binary), nothing else, each once. With --same-as: whether it derives the same structures as
    another schema, of whatever kind. With --repair: also look for a schema that derives each tree once, as sound and as
    complete as this one and a filter of it, for a minute at most unless --max-seconds says otherwise. No such schema:
    exit code 1. With --prefix: whether a schema has the valid-prefix property, in general or for a grammar;
    docs/prefixes.md. With --items: whether each item of short sentences stands for the forests that the
    schema claims of it (means). With --for-every-n: also whether this holds for every number of words: proved, refuted
    by a tree, or not proved, with the reason. For a schema in a file, proofs found within a second are reported without
    that option. With --recheck: whether a certificate proves what it claims. Exit code 0: yes; 1: no, with the smallest
    counterexample; 2: bad usage, a budget was hit before it was known, or an answer for every number of words was
    neither proved nor refuted.
    """
    from schemata.display.shown import text_of
    from schemata.display.verdicts import repairs_text
    from schemata.verification.progress import RUN_BUDGET

    schema = c.chosen_schema(arguments.schema, arguments.set)
    if arguments.recheck:
        return _recheck_correctness(schema, arguments)
    if arguments.prefix:
        from schemata.cli.prefixes import verify_prefix

        return verify_prefix(arguments, schema, c.chosen_budget(arguments, RUN_BUDGET))
    if arguments.items:
        from schemata.verification.items import verify_items

        limits = c.chosen_budget(arguments, RUN_BUDGET)
        found = verify_items(schema, arguments.means, arguments.max_n, budget=limits)
        return c.answer(arguments, found, code=0 if found.holds else 1)
    if arguments.for_every_n:
        from schemata.correctness.answers import class_for_proofs

        arguments.class_name = class_for_proofs(schema, arguments.class_name)
        if arguments.roots == "many":
            raise UsageError("--for-every-n is about trees with one root", expected="--roots one")
    linkages = schema.definition.grammar == LINK_GRAMMAR
    for option in ("cite", "repair"):
        if getattr(arguments, option) and arguments.class_name is None and not linkages:
            raise UsageError(f"--{option} needs --class")
    if arguments.repair and schema.definition.grammar != D_RULES:
        raise UsageError(f"--repair is about schemata over D-rules, and {schema.name} is not")
    budget = c.chosen_budget(arguments, RUN_BUDGET)
    settings: dict[str, Any] = {"single_root": arguments.roots == "one", "seed": arguments.seed}
    settings |= {"jobs": places(arguments, ("json", "width", "cite", "repair")), "watch": progress}
    settings["budget"] = budget
    settings["seconds"] = arguments.max_seconds and 0.9 * arguments.max_seconds  # the rest is for evidence
    more: dict[str, Any] = {"random": arguments.random}
    if arguments.same_as:
        more |= {"same_as": c.chosen_schema(arguments.same_as), "grammar": arguments.grammar}
    verdict = schema.verify(arguments.class_name, arguments.max_n, **more, **settings)
    if arguments.for_every_n:
        verdict = _for_every_n(schema, verdict, arguments, budget)
    elif not arguments.same_as and split_reference(arguments.schema)[0] not in (
        *shipped_schemata(),
        *ALIASES,
    ):
        verdict = _briefly_for_every_n(schema, verdict, budget)
    settings["jobs"] = arguments.jobs  # a ledger is about one verification
    cites: list[Citation] = []
    more_told: list[str] = []
    if arguments.cite and not linkages and verdict.stopped is None:

        def verdict_on(other: m.Schema) -> Any:
            left = {"seconds": max(0.0, min(budget.seconds, budget.left(time.perf_counter())))}
            return ParsingSchema(other).verify(arguments.class_name, arguments.max_n, **settings | left)

        systems = SharedSystems(replace(DEFAULT_BUDGET, memory=budget.memory, end=budget.end))
        asked = schema.definition, verdict.class_name, arguments.max_n, verdict_on
        followed = citations(*asked, systems=systems)
        when = " while citations were looked for"
        cites, _ = c.heeding(budget, time.perf_counter(), when, followed)
    cited: dict[str, Any] = {}
    if arguments.cite and not linkages:
        cited["citations"] = [one.to_json() for one in cites]
    repairs: Repairs | None = None
    if arguments.repair and verdict.each_once is False:
        from schemata.relations.repair import repair

        if arguments.max_seconds is not None:
            settings["seconds"] = max(0.0, budget.left(time.perf_counter()))
        repairs = repair(schema, tree_class(arguments.class_name), arguments.max_n, **settings)
        cited["repairs"] = repairs.to_json()
    named = split_reference(arguments.schema)[0]
    files = list(_written_counterexamples(verdict, named, arguments))
    if arguments.series:
        series = _series(schema, verdict, budget)
        cited["series"] = series.to_json()
        more_told = [str(series)]
    told = [*more_told, *map(str, cites), *([] if repairs is None else [repairs_text(repairs, schema=named)])]
    stopped = verdict.stopped or (verdict.for_every_n and verdict.for_every_n.stopped)
    code = c.exit_code(verdict.holds, stopped)
    if repairs is not None and repairs.found is None:
        code = c.exit_code(None if repairs.stopped else False, repairs.stopped)
    text = lambda page: "\n\n".join([text_of(verdict, page, named), *told])  # noqa: E731
    return c.answer(arguments, verdict.to_json() | cited, text, code, files)


def _written_counterexamples(verdict: Any, named: str, arguments: Namespace) -> Iterator[Path]:
    """Draw the counterexamples of a verdict on a schema, as named on the command line; yields the files written."""
    from schemata.display import svg
    from schemata.display.verdicts import counterexample_svgs, counterexample_tikz

    for path, draw, join in (
        (arguments.svg, counterexample_svgs, svg.stacked),
        (arguments.tikz, counterexample_tikz, "\n".join),
    ):
        if path is not None and (pictures := draw(verdict, named)):
            yield write_text(path, join(pictures))
        elif path is not None:
            message = f"there is no counterexample to draw: {path} is not written"
            report(Diagnostic("no-picture", message, severity="warning"))


def _for_every_n(schema: ParsingSchema, verdict: Any, arguments: Namespace, budget: Budget) -> Any:
    """Return a verdict with the answers for every number of words, proved now."""
    from schemata.correctness import answers

    limits = replace(budget, seconds=max(0.0, min(budget.seconds, budget.left(time.perf_counter()))))
    proof = answers.prove(schema, arguments.class_name, verdict=verdict, budget=limits)
    if arguments.certificate:
        if proof.certificate is None:
            report(
                Diagnostic(
                    "no-certificate",
                    "nothing was proved of the schema by itself: no certificate is written",
                    severity="warning",
                )
            )
        else:
            write_text(arguments.certificate, proof.certificate.text())
    return replace(verdict, for_every_n=proof)


def _series(schema: ParsingSchema, verdict: Any, budget: Budget) -> Series:
    """Return the numbers of derivations that follow from the proof of a verdict."""
    from schemata.correctness.counting import Series, series_of
    from schemata.order.logic import SolverFailed

    try:
        return series_of(schema.definition, verdict.for_every_n.certificate)
    except SolverFailed as failure:
        return Series(reason=str(failure))


def _briefly_for_every_n(schema: ParsingSchema, verdict: Any, budget: Budget) -> Any:
    """Add to a verdict on a user's schema the properties that are proved quickly for every number of
    words.
    """
    from schemata.correctness.shipped import CLASS

    of_class = verdict.class_name or CLASS
    is_open = verdict.of.rooted and verdict.single_root and verdict.stopped is None
    is_wrong = False in (verdict.sound, verdict.complete)
    if not is_open or is_wrong or of_class != CLASS or schema.definition.grammar != D_RULES:
        return verdict
    if not verdict.class_name and CLASS not in verdict.consistent:
        return verdict  # what is not so for short sentences is not so for all
    if budget.left(time.perf_counter()) < EFFORTS.brief_proof_seconds:
        return verdict
    from schemata.correctness.answers import prove_briefly

    return replace(verdict, for_every_n=prove_briefly(schema, verdict, verdict.class_name))


def _recheck_correctness(schema: ParsingSchema, arguments: Namespace) -> int:
    """Check a certificate of correctness again."""
    from schemata.correctness import answers
    from schemata.correctness.shipped import CLAIMS
    from schemata.order.logic import SolverFailed

    certificate = answers.read_certificate(arguments.recheck)
    budget, claims = c.chosen_budget(arguments), [x for x in CLAIMS if getattr(certificate, x)]
    limits = replace(budget, seconds=max(0.0, budget.left(time.perf_counter())))
    stopped: str | None = None
    try:
        refused: str | None = answers.recheck(schema, certificate, budget=limits)
    except SolverFailed as failure:
        refused, stopped = str(failure), "seconds" if failure.patience else None
        proved = None
    except KeyboardInterrupt:
        refused, stopped, proved = "interrupted", "interrupt", None
    else:
        proved = not refused
    named = arguments.schema
    row = {"schema": certificate.schema, "claims": claims, "proved": proved, "reason": refused or None}
    said = ", ".join(claim.replace("_", " ") for claim in claims) or "nothing"
    text = f"{named}: {said} for every number of words (proved)"
    if proved is None:
        text = f"{named}: unknown, {refused}"
    elif not proved:
        text = f"{named}: the certificate is refused, {refused}"
    return c.answer(arguments, row, text, c.exit_code(proved, stopped))


@c.command(
    c.option("names NAME", "two schemata (also NAME:k=4), or one relation file", nargs="*"),
    c.flag("--all", "decide all shipped relations and draw their map"),
    c.output("--svg FILE", "draw the map as SVG"),
    c.output("--dot FILE", "draw the map in DOT, for Graphviz"),
    c.option("--kind KIND", "step-refinement, item-refinement, static-filter, ..."),
    c.MAP,
    c.MAX_N,
    c.number("--rule-length L", "symbols in a rule, at most (default 3)", 3, above=0),
    c.SET,
    c.flag("--emulations", "show the items of each emulation"),
    c.flag("--latex", "print the relation in LaTeX"),
    c.LENGTHS,
    c.option("--sentence TEXT", "the sentence on which items and steps are counted"),
    _CERTIFICATES,
    c.GRAMMAR,
    c.BUDGET,
    c.JSON,
    needs=(
        ("--svg --dot", "--all", "the picture is that of all relations; text goes to a file by >"),
        ("--grammar --tagged --single-root", "--lengths --sentence"),
    ),
    apart=(
        ("--json", "--latex"),
        ("--all", "NAME --kind --map"),
        ("--lengths", "--sentence --latex"),
        ("--sentence", "--latex"),
        ("--certificate", "--all --lengths --sentence"),
        ("--recheck", "--all --lengths --sentence --certificate --latex --kind --map"),
    ),
)
def relate(arguments: Namespace) -> int:
    """Decide whether two schemata are related, how, and show why.

    Give two schemata and --kind, or a relation file. Items correspond by --map, else by a shipped relation between
    the two, else items of one form correspond. Without --kind all kinds and simple maps are tried. With --all every
    shipped relation is decided and the map of all is drawn. With --lengths or --sentence nothing is decided: items and
    steps of both schemata are counted, and the savings of one of them.

    Exit code 0: the relation holds (without --kind: some relation holds); 1: it does not, with the smallest
    counterexample; 2: bad usage, a budget was hit before it was known, or all maps between the items were guessed.
    """
    watch = None if arguments.all else progress
    systems = SharedSystems(c.chosen_budget(arguments, DEFAULT_BUDGET), arguments.rule_length, watch)
    if arguments.recheck:
        return _recheck(arguments)
    if arguments.all:
        return _all(arguments, systems)
    counts = arguments.lengths is not None or arguments.sentence is not None
    if len(arguments.names) == 1 and is_relation_reference(arguments.names[0]):
        if arguments.kind or arguments.map:
            raise UsageError("a relation file says kind and maps itself")
        file = load_relation(relation_path(arguments.names[0]), parse_settings(arguments.set))
        return _counts(file.relations, arguments) if counts else _claims(file, arguments, systems)
    ends = _two_schemata(arguments)
    if counts:
        kind = discovery.check_kind(arguments.kind) if arguments.kind else None
        relation = corresponding(*ends, arguments.map, kind)
        return _counts((relation,), arguments)
    answers = discovery.answers(*ends, arguments.kind, arguments.map, arguments.max_n, systems=systems)
    _print(answers, answers.to_json(), arguments)
    return c.exit_code(answers.holds, answers.stopped)


def _two_schemata(arguments: Namespace) -> tuple[m.Schema, m.Schema]:
    if len(arguments.names) == 1:
        name = arguments.names[0]
        plain = split_reference(name)[0]
        if not (ALIASES.get(plain, plain) in shipped_schemata() or name.endswith(SUFFIX)):
            relation_path(name)  # says that there is no such relation
        expected = f"schemata relate {name} NAME, or a relation file"
        hint = f"schemata list --relations {name.partition(':')[0]} shows the relations that are shipped"
        raise UsageError(
            f"{name} is one schema, and two are related", code="usage", expected=expected, hint=hint
        )
    if len(arguments.names) != 2:
        raise UsageError(f"relate takes two schemata or one relation file, not {len(arguments.names)} names")
    if arguments.set:
        raise UsageError("--set is for relation files; a schema's parameters are given as in mh:k=4")
    first, second = (c.chosen_schema(name).definition for name in arguments.names)
    return first, second


def _claims(file: RelationFile, arguments: Namespace, systems: SharedSystems) -> int:
    """Decide the claims of a relation file; all must hold."""
    answers: list[Answer] = []
    for claim in file.relations:
        found = discovery.decide_claim(claim, arguments.max_n, systems=systems)
        answers += found
        if any(answer.stopped == "interrupt" for answer in found):
            break
    parts = [answer.to_json() for answer in answers]
    _print(answers, parts[0] if len(parts) == 1 else {"relation": file.name, "relations": parts}, arguments)
    return _code(answers)


def _print(answers: list[Answer], as_json: dict[str, Any], arguments: Namespace) -> None:
    """Print answers as JSON, LaTeX or text, and write their certificates."""
    if arguments.certificate:
        write_text(arguments.certificate, certificates_text(answers))

    def as_text(page: Page) -> str:
        if arguments.latex and answers:
            return "\n\n".join(map(shown.answer_latex, answers))
        if isinstance(answers, Answers):
            return shown.answers_text(answers, page, arguments.emulations)
        return "\n\n".join(shown.answer_text(one, page, arguments.emulations) for one in answers)

    c.answer(arguments, as_json, as_text)


def _recheck(arguments: Namespace) -> int:
    """Check the certificates of a file again; all must prove their claims."""
    expected = "a file that --certificate writes"
    text = read_file(arguments.recheck, UsageError, expected, REFUSALS.certificate_file_bytes)
    rows = []
    for entry in entries_of(text, arguments.recheck):
        names = arguments.names or [entry["from"], entry["to"]]
        if len(names) != 2:
            raise UsageError("--recheck takes two schemata, or none where the file names shipped ones")
        first, second = (c.chosen_schema(name).definition for name in names)
        relation = read_maps(entry["maps"], first, second, entry["kind"])
        refused = refusal(relation, discovery.check_kind(entry["kind"]), certificate_of(entry["cases"]))
        row = {"from": names[0], "to": names[1], "kind": entry["kind"], "proved": not refused}
        rows.append(row | ({"reason": refused} if refused else {}))
    said = "{kind} from {from} to {to}: {told}".format
    told = (f"refused, {row['reason']}" if "reason" in row else "proved for every n" for row in rows)
    lines = [said(told=one, **row) for row, one in zip(rows, told, strict=True)]
    code = 0 if all(row["proved"] for row in rows) else 1
    return c.answer(arguments, {"certificates": rows}, "\n".join(lines), code)


def _code(answers: Sequence[Answer]) -> int:
    """Return 0 where all answers are yes."""
    interrupted = "interrupt" if any(answer.stopped == "interrupt" for answer in answers) else None
    return c.exit_code(all_of(*(answer.holds for answer in answers)), interrupted)


def _all(arguments: Namespace, systems: SharedSystems) -> int:
    """Decide all shipped relations, and print or write their map."""
    arrows = discovery.field_map(arguments.max_n, systems=systems, watch=progress)
    wanted = (arguments.svg, shown.field_svg), (arguments.dot, shown.field_dot)
    files = [write_text(file, draw(arrows)) for file, draw in wanted if file]
    value = {"max_n": arguments.max_n, "relations": [arrow.to_json() for arrow in arrows]}
    code = _code([answer for arrow in arrows for answer in arrow.answers])
    return c.answer(arguments, value, partial(shown.field_text, arrows), code, files)


# Counts ----------------------------------------------------------------------------------------------------


def _counts(relations: Sequence[Relation], arguments: Namespace) -> int:
    """Count along each relation; 2 where a budget was hit, 130 after Ctrl-C."""
    code = 0
    results: list[dict[str, Any]] = []
    texts: list[str] = []
    for relation in relations:
        figures, stopped = _count(relation, arguments)
        first, second = reference_of(relation.first), reference_of(relation.second)
        saver, rows = figures[0].saver if figures else None, [one.to_json() for one in figures]
        result = {"from": first, "to": second, "kind": relation.kind, "saver": saver, "rows": rows}
        results.append(result | ({"stopped": stopped} if stopped else {}))
        if figures:
            texts.append(shown.savings_text(figures, first, second, page()))
        code = 130 if stopped == "interrupt" else max(code, 2 if stopped else 0)
        if code == 130:
            break
    if arguments.json:
        print_json(results[0] if len(results) == 1 else {"counts": results})
    elif texts:
        write("\n\n".join(texts) + "\n")
    return code


def _count(relation: Relation, arguments: Namespace) -> tuple[list[Saving], str | None]:
    """Return the figures, and the limit that ended them early, if any."""
    schemata = [ParsingSchema(relation.first), ParsingSchema(relation.second)]
    grammars = c.chosen_grammars(schemata, arguments)
    if arguments.sentence is not None:
        sentences = [c.chosen_sentence(arguments.sentence, arguments.tagged)]
    else:
        sentences = list(map(sentence_of_length, arguments.lengths))
    figures: list[Saving] = []
    try:
        figures.extend(savings(relation, sentences, grammars, c.chosen_budget(arguments)))
    except BudgetExceeded as over:
        report(*over.diagnostics)
        return figures, over.reason
    return figures, None
