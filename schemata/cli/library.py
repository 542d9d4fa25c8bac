"""The commands about files of schemata, relations and grammars: `list`, `show`, `check` and `grammar`."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from schemata.cli import command as c
from schemata.cli.main import report, write
from schemata.display.terminal import page, progress
from schemata.errors import Diagnostic, SchemaError, UsageError
from schemata.json_values import fields_json
from schemata.language import library
from schemata.language.source import RELATION_SUFFIX
from schemata.structures import Sentence
from schemata.wording import quantity, reference


@c.command(c.JSON)
def list_schemata(arguments: Namespace) -> int:
    """List the shipped schemata by folder, with their titles and parameters, and the shipped relations."""
    from schemata.language.extension import load_headline

    relations = [_relation(name) for name in library.shipped_relations()]
    rows: list[dict[str, Any]] = []
    for name, path in library.shipped_schemata().items():
        schema = load_headline(path)
        said = fields_json(schema, "title source=reference grammar")
        parameters = {p.name: p.default for p in schema.parameters}
        rows.append({"schema": name, "group": path.parent.name, **said, "parameters": parameters})
    c.answer(
        arguments, lambda: {"schemata": rows, "relations": relations}, lambda _: _listed(rows, relations)
    )
    return 0


def _listed(rows: list[dict[str, Any]], relations: list[dict[str, str]]) -> str:
    groups: dict[str, list[tuple[str, str]]] = {}
    for row in rows:
        entry = reference(row["schema"], row["parameters"]), row["title"] or ""
        groups.setdefault(row["group"], []).append(entry)
    width = max((len(name) for entries in groups.values() for name, _ in entries), default=0)
    parts = [
        "\n".join([group, *(f"  {name:<{width}}  {title}" for name, title in entries)])
        for group, entries in groups.items()
    ]
    width = max((len(claim["relation"]) for claim in relations), default=0)
    claims = [f"  {claim['relation']:<{width}}  {claim['kind']}" for claim in relations]
    return "\n\n".join([*parts, "\n".join(["relations", *claims])])


def _relation(name: str) -> dict[str, str]:
    """Return what a shipped relation claims, as it is written.

    Raises
    ------
    SchemaError : the file cannot be read, or does not say which schemata are related or how.
    """
    from schemata.language.reader import parse_relation
    from schemata.language.source import read_source

    syntax, problems = parse_relation(read_source(library.shipped_relations()[name]))
    header, kind = syntax.header, syntax.kind
    if header is None or kind is None:
        raise SchemaError(problems)
    return {"relation": name, "from": header.first.name, "to": header.second.name, "kind": kind[0]}


@c.command(
    c.SCHEMA,
    c.flag("--source", "print the schema's file"),
    c.flag("--ascii", "typeset with ASCII characters"),
    c.JSON,
)
def show(arguments: Namespace) -> int:
    """Show a schema, its rules typeset, or a relation; or the file as it is."""
    from schemata.display import rules

    as_json: Callable[[], dict[str, Any]]
    if library.is_relation_reference(arguments.schema):
        from schemata.language.relations import load_relation

        file = load_relation(arguments.schema, library.parse_settings(arguments.set))
        source, as_json = file.source, partial(rules.relation_json, file)
        typeset = partial(rules.relation_text, file)
    else:
        schema = c.chosen_schema(arguments.schema, arguments.set).definition
        source, as_json = schema.source, partial(rules.schema_json, schema)
        typeset = partial(rules.typeset_schema, schema, width=page().width)
    as_written = source.text.removesuffix("\n")
    c.answer(arguments, as_json, lambda page: as_written if arguments.source else typeset(ascii=page.ascii))
    return 0


_FILES = "a .schema, .relation, .drules, .deprules, .cfg or .dict file, or a folder with a dictionary"


@c.command(c.option("files", nargs="+", metavar="FILE", help=_FILES), c.JSON)
def check(arguments: Namespace) -> int:
    """Check schemata, relations and grammars: every mistake at once, with its place, what was expected and a hint.

    The suffix of a file says what it is; a folder is one with a dictionary of Link Grammar.
    """
    wrong = False
    results = []
    for file in arguments.files:
        findings = _findings(Path(file))
        errors = sum(1 for f in findings if f.severity == "error")
        wrong = wrong or errors > 0
        if arguments.json:
            results.append({"file": file, "ok": not errors, "findings": [f.to_json() for f in findings]})
            continue
        report(*findings)
        counts = ((errors, "error"), (len(findings) - errors, "warning"))
        found = ", ".join(quantity(k, what) for k, what in counts if k)
        write(f"{file}: {found or 'no errors'}\n")
    if arguments.json:
        c.print_json({"files": results})
    return 1 if wrong else 0


def _findings(path: Path) -> list[Diagnostic]:
    """Return all that is found in a file; its suffix says of which kind it is."""
    from schemata.grammars.kinds import check_grammar_file, is_grammar_file
    from schemata.language.library import load_file

    if is_grammar_file(path):
        return check_grammar_file(path)
    if path.suffix != RELATION_SUFFIX:
        return load_file(path)[1]
    from schemata.language.files import in_order
    from schemata.language.relations import check_relation_file

    relation, findings = check_relation_file(path)
    if relation is None:
        return findings
    from schemata.relations.mapping import disagreements

    return in_order([*findings, *disagreements(relation)])


@c.command(
    c.option("action", choices=["extract"], help="what to do"),
    c.option("file", metavar="FILE.conllu", help="a treebank in CoNLL-U"),
    c.option(
        "--kind",
        choices=["d-rules", "dependency-rules"],
        default="d-rules",
        help="the kind of grammar (d-rules)",
    ),
    c.option("--min-count", type=int, default=1, metavar="N", help="leave out what occurs less often"),
    c.flag("--limit-distance", "D-rules: no dependent farther away than the farthest seen"),
    c.option("-o", "--output", metavar="FILE", help="write the grammar here instead of printing it"),
    c.JSON,
)
def grammar(arguments: Namespace) -> int:
    """Extract a grammar from a treebank: D-rules over parts of speech, or dependency rules and a lexicon."""
    from schemata.grammars.extract import extract_d_rules, extract_dependency_rules

    c.at_least(1, arguments, "min_count")
    if arguments.limit_distance and arguments.kind != "d-rules":
        raise UsageError("--limit-distance is about D-rules")
    broken: list[Diagnostic] = []
    sentences = _sentences(arguments.file, broken)
    extraction = (
        extract_d_rules(sentences, min_count=arguments.min_count, limit_distance=arguments.limit_distance)
        if arguments.kind == "d-rules"
        else extract_dependency_rules(sentences, min_count=arguments.min_count)
    )
    text = extraction.to_text(Path(arguments.file).name)
    report(*extraction.skipped)
    if arguments.output:
        c.write_text(arguments.output, text)
    shown = f"{arguments.output}: {len(extraction.counts):,} lines from {extraction.sentences:,} sentences"
    c.answer(
        arguments,
        lambda: {
            **fields_json(arguments, "file kind"),
            **fields_json(extraction, "sentences words omitted"),
            "skipped": len(extraction.skipped) + len(broken),
            "counts": {str(rule): count for rule, count in extraction.counts.items()},
            "grammar": text,
        },
        lambda _: shown if arguments.output else text.removesuffix("\n"),
    )
    return 2 if extraction.skipped or broken else 0


def _sentences(file: str, broken: list[Diagnostic]) -> Iterator[Sentence]:
    """Yield the usable sentences of a treebank, with a progress bar; reports the others."""
    from schemata.treebanks.conllu import count_sentences, read_conllu

    for sentence in progress(read_conllu(file), count_sentences(file), f"reading {file}"):
        if isinstance(sentence, Sentence):
            yield sentence
        else:
            report(sentence.diagnostic)
            broken.append(sentence.diagnostic)
