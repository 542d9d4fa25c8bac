"""The commands about files of schemata, relations and grammars: `list`, `show`, `check` and `grammar`."""

from __future__ import annotations

import os
import re
import unicodedata
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from schemata.cli import command as c
from schemata.cli.corpus import usable
from schemata.cli.output import print_json, report, waiting, write
from schemata.display.terminal import Page, columns, padded, table
from schemata.errors import (
    MORE_ERRORS,
    Diagnostic,
    Location,
    SchemaError,
    UsageError,
    did_you_mean,
    painted,
    require_known,
)
from schemata.kinds import CONSTRAINTS, CONTEXT_FREE, D_RULES, DEPENDENCY_RULES, FACTS, GRAMMARS
from schemata.language import library, shipped
from schemata.language.beginnings import BEGINNINGS, beginning
from schemata.language.source import RELATION_SUFFIX, SUFFIX, read_source
from schemata.records import document, fields_json
from schemata.text_files import read_file, write_text
from schemata.thresholds import REFUSALS
from schemata.wording import quantity

_SORT = "order by name, time or the number of deduction steps (default: by folder)"
_COLUMNS = {
    "time": "time",
    "class": "class",
    "each_once": "each once",
    "grammar": "grammar",
    "for_every_n": "proved",
}
"""The columns beside name and title, in the order in which they are added while there is room."""
_TRIALS = {
    CONTEXT_FREE: ('"the dog slept" --grammar example', ""),
    FACTS: ('"the dogs run" --grammar {0}.facts', " --same-as hmm --grammar {0}.facts"),
}
"""Arguments that run and verify a new schema, by its kind; only those that differ from the usual ones."""
_TITLE = 56  # columns that a title has at least, beside others


@c.command(
    c.option(
        "word WORD", "only those with all these words in name, alias, title, source or folder", nargs="*"
    ),
    c.option("--grammar KIND", f"schemata over one kind: {', '.join(GRAMMARS)}", choices=GRAMMARS),
    c.CLASS,
    c.flag("--each-once", "schemata that derive each structure once"),
    c.option("--sort", _SORT, choices=("name", "time", "steps")),
    c.flag("--relations", "list the shipped relations in place of the schemata"),
    c.JSON,
)
def list_schemata(arguments: Namespace) -> int:
    """List the shipped schemata by folder, or those that words name; on wide terminals with classes and times.

    Classes and times are those claimed of the schemata with their default parameters. `schemata verify` tests the
    classes, and whether each structure is derived once. *Proved*: claims that a certificate proves for every number of
    words; correct is sound and complete.
    """
    words = [folded(word) for text in arguments.word for word in text.split()]
    rows = [row for row in schema_rows(arguments.sort == "steps") if has_words(row, words)]
    classes = {row["class"] for row in rows if "class" in row}
    if arguments.class_name is not None:
        message = f"no shipped schema is for {arguments.class_name}"
        require_known(arguments.class_name, sorted(classes), message, "unknown-class")
    wanted = {"class": arguments.class_name} if arguments.class_name else {}
    if arguments.each_once:
        wanted["each_once"] = True
    rows = [row for row in rows if all(row.get(key) == x for key, x in wanted.items())]
    if arguments.grammar:
        rows = [row for row in rows if is_over(row, arguments.grammar)]
    if arguments.sort:
        rows.sort(key=lambda row: (_rank(row, arguments.sort), row["schema"]))
    relations = (
        [] if wanted or arguments.grammar else [_relation(name) for name in library.shipped_relations()]
    )
    relations = [row for row in relations if all(word in folded(" ".join(row.values())) for word in words)]
    if not (relations if arguments.relations else rows):
        what = "relation" if arguments.relations else "schema"
        named = f" with {' '.join(arguments.word)!r}" if words else ""
        hint = did_you_mean(" ".join(arguments.word), [*shipped.shipped_schemata(), *shipped.ALIASES])
        titles = (
            []
            if arguments.relations
            else re.findall(r"\w+", " ".join(row["title"] for row in schema_rows(False)))
        )
        nearer = (did_you_mean(word, titles) for word in words if word not in map(folded, titles))
        hint = hint or next(filter(None, nearer), None)
        raise UsageError(f"there is no shipped {what}{named}", code="unknown-schema", hint=hint)
    text = partial(_related, relations) if arguments.relations else partial(listed, rows, arguments.sort)
    return c.answer(arguments, {"schemata": rows, "relations": relations}, text)


def is_over(row: Mapping[str, Any], kind: str) -> bool:
    """Whether the schema of a row is over a kind of grammars, or takes the facts that these provide."""
    if row["grammar"] != FACTS or kind != CONSTRAINTS:
        return bool(row["grammar"] == kind)
    from schemata.grammars.constraint_networks import RELATIONS

    asked = {relation.name for relation in library.load_schema(row["schema"]).relations}
    return bool(asked) and asked <= RELATIONS.keys()


def schema_rows(steps: bool) -> list[dict[str, Any]]:
    """Return a row for each shipped schema, optionally with the number of its steps."""
    from schemata.correctness.shipped import shipped_claims_for_every_n
    from schemata.language.extension import load_headline
    from schemata.verification.claims import claim_about

    rows = []
    in_order = sorted(shipped.shipped_schemata().items(), key=lambda one: (one[1].parent, one[0]))
    for name, path in in_order:
        schema = load_headline(path)
        row = {
            "schema": name,
            "group": path.parent.name,
            **fields_json(schema, "title source=reference grammar"),
        }
        parameters = {p.name: p.default for p in schema.parameters}
        claim = claim_about(name, parameters)
        if claim:
            row |= fields_json(claim, "class=class_name time=complexity sound complete each_once repaired?")
        proved = shipped_claims_for_every_n(name)
        row |= {"for_every_n": proved} if proved else {}
        if steps:
            row["steps"] = len(library.load_schema(name).step_names)
        aliases = [alias for alias, schema_name in shipped.ALIASES.items() if schema_name == name]
        rows.append(row | {"parameters": parameters} | ({"aliases": aliases} if aliases else {}))
    return rows


def folded(text: str) -> str:
    """Return text without case and accents, as it is searched."""
    letters = unicodedata.normalize("NFD", text.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def has_words(row: dict[str, Any], words: list[str]) -> bool:
    """Whether all words occur in the name, the aliases, the title, the source or the folder of a schema."""
    parts = [row["schema"], *row.get("aliases", ()), row["title"] or "", row["source"] or "", row["group"]]
    text = folded(" ".join(parts))
    return all(word in text for word in words)


def _rank(row: dict[str, Any], order: str) -> int:
    """Return the sort key of a row besides its name; exponential and unknown times come last."""
    if order == "time":
        from schemata.verification.claims import degree_of

        time = row.get("time")
        return degree_of(time or "") or 1_000 + (time is None)
    return int(row["steps"]) if order == "steps" else 0


def _cell(row: dict[str, Any], key: str) -> str:
    if key == "class":
        faults = ("sound", "unsound"), ("complete", "incomplete")
        wrong = [no for fault, no in faults if row.get(fault) is False]
        return ", ".join([row.get("class", ""), *wrong])
    if key == "for_every_n":
        claims = list(row.get(key, ()))
        if claims[:2] == ["sound", "complete"]:
            claims[:2] = ["correct"]
        return ", ".join(claim.removeprefix("each_") for claim in claims)
    value = row.get(key)
    return (
        {True: "yes", False: "no", None: ""}[value] if value is None or value in (True, False) else str(value)
    )


def listed(rows: list[dict[str, Any]], sort: str | None, page: Page) -> str:
    """Return the schemata under a heading for each folder, or in one table if they are sorted."""
    gap, names = 2, [row["schema"] for row in rows]
    cells = {key: [_cell(row, key) for row in rows] for key in _COLUMNS}
    sizes = {key: max(map(len, [_COLUMNS[key], *cells[key]])) + gap for key in _COLUMNS}
    if sort == "steps":
        cells["steps"] = [f"{row['steps']:>5}" for row in rows]
        sizes["steps"] = 5 + gap
    room = page.width - max(map(len, names)) - 2 * gap - _TITLE
    chosen = [sort] if sort in cells else []
    room -= sum(sizes[key] for key in chosen)
    for key in _COLUMNS:
        if key not in chosen and any(cells[key]) and sizes[key] <= room:
            chosen.append(key)
            room -= sizes[key]
    keys = [_COLUMNS.get(key, key) for key in chosen]
    beside = [["schema", *names], *([head, *cells[key]] for head, key in zip(keys, chosen, strict=True))]
    filled = [[padded(text, max(map(len, texts))) for text in texts] for texts in beside]
    header, *texts = zip(*filled, ["title", *(row["title"] or "" for row in rows)], strict=True)
    bold = partial(painted, style="message", colour=page.colour)
    indent = "" if sort else "  "

    def lines(entries: Iterable[Sequence[str]]) -> list[str]:
        return [indent + line for line in columns(entries, page.width - len(indent), widest=page.width)]

    parts = ["\n".join(map(bold, lines([header])))] if chosen or sort else []
    if sort:
        return "\n".join([*parts, *lines(texts)])
    for folder, entries in groupby(zip(rows, texts, strict=True), lambda entry: entry[0]["group"]):
        parts.append("\n".join([bold(folder), *lines(text for _, text in entries)]))
    return "\n\n".join(parts)


def _related(relations: list[dict[str, str]], page: Page) -> str:
    """Return the relations as a table."""
    cells = [[row["relation"], row["kind"]] for row in relations]
    return table(("relation", "kind"), cells, page)


def _relation(name: str) -> dict[str, str]:
    """Return the claim of a shipped relation, as written.

    Raises
    ------
    SchemaError : the file cannot be read, or does not say which schemata are related or how.
    """
    from schemata.language.reader import parse_relation

    syntax, problems = parse_relation(read_source(library.shipped_relations()[name]))
    header, kind = syntax.header, syntax.kind
    if header is None or kind is None:
        raise SchemaError(problems)
    return {"relation": name, "from": header.first.name, "to": header.second.name, "kind": kind[0]}


@c.command(
    c.SCHEMA,
    c.flag("--source", "print the schema's file"),
    c.ASCII,
    c.flag("--latex", "print the rules in LaTeX, with the packages amsmath and mathpartir"),
    c.flag("--standalone", "make LaTeX a document that compiles by itself"),
    c.LIMITS,
    c.JSON,
    needs=(("--standalone", "--latex"),),
    apart=(("--json", "--latex --source"), ("--latex", "--source")),
)
def show(arguments: Namespace) -> int:
    """Show a schema, its rules typeset with the comments of its file, or a relation; or the file as it is."""
    from schemata.display import rules
    from schemata.display.latex import schema_latex, standalone

    as_json: Callable[[], dict[str, Any]]
    typeset: Callable[[Page], str]
    if library.is_relation_reference(arguments.schema):
        from schemata.language.relations import load_relation

        if arguments.latex:
            raise UsageError("--latex typesets the rules of a schema; a relation has none")
        file = load_relation(arguments.schema, library.parse_settings(arguments.set))
        source, as_json = file.source, partial(rules.relation_json, file)
        typeset = partial(rules.relation_text, file)
    else:
        chosen = c.chosen_schema(arguments.schema, arguments.set)
        schema = chosen.definition
        source, as_json = schema.source, chosen.to_json
        typeset = partial(rules.typeset_schema, schema)
        if arguments.latex:
            fragment = schema_latex(schema)
            text = standalone(fragment) if arguments.standalone else fragment
            typeset = lambda _: text  # noqa: E731
    return c.answer(arguments, as_json, source.text.removesuffix("\n") if arguments.source else typeset)


_FILES = "a shipped name, a .schema, .relation, .drules, .deprules, .cfg, .facts or .dict file, or a folder of these"


@c.command(c.option("files FILE", _FILES, nargs="+"), c.LIMITS, c.JSON)
def check(arguments: Namespace) -> int:
    """Check schemata, relations and grammars: every mistake at once, with its place, what was expected and a hint.

    The suffix of a file says what it is. A folder stands for all such files in it, or is a dictionary of
    Link Grammar (with 4.0.dict).
    """
    wrong = False
    results = []
    for file, path in (pair for name in arguments.files for pair in named_files(name)):
        findings = findings_in(path)
        counted = Counter(f.severity for f in findings if f.code != MORE_ERRORS)
        errors = counted["error"]
        wrong = wrong or errors > 0
        if arguments.json:
            row = {"file": file, "ok": not errors, "findings": [f.to_json() for f in findings]}
            names = {"names": _names_in(path)} if path.suffix in (SUFFIX, RELATION_SUFFIX) else {}
            results.append(row | names)
            continue
        c.report_findings(findings, file)
        counts = ((errors, "error"), (counted["warning"], "warning"))
        found = ", ".join(quantity(k, what) for k, what in counts if k)
        if errors and findings[-1].code == MORE_ERRORS:
            found = f"more than {found}"
        write(f"{file}: {found or 'no errors'}\n")
    if arguments.json:
        print_json({"files": results})
    return 1 if wrong else 0


@c.command(
    c.option("files FILE.schema", "schema files, or folders of them", nargs="+"),
    c.flag("--check", "write nothing; exit code 1 if a file has another layout"),
    c.JSON,
)
def format_files(arguments: Namespace) -> int:
    """Lay out the rules of schema files as in papers: fitted lines of dashes, spaced items; comments stay.

    Only blanks, dashes and empty lines change, never the meaning of a schema. Files with errors are left as they are.
    Exit code 1: a file has errors, or another layout under --check.
    """
    from schemata.language.files import check_file, read_schema_text
    from schemata.language.layout import formatted

    results: list[dict[str, Any]] = []
    for file in (file for name in arguments.files for file in _schema_files(name)):
        schema, findings = check_file(file)
        errors = [finding for finding in findings if finding.severity == "error"]
        changed = False
        if schema is not None and not errors:
            source = read_source(file)
            text = formatted(source)
            again, _ = read_schema_text(text, str(file), path=file)
            if again != schema:
                message, hint = (
                    "the layout would change the schema, and is not written",
                    "please report this file",
                )
                errors = [Diagnostic("layout", message, Location(str(file), 1, 1), hint=hint)]
            else:
                changed = text.encode() != file.read_bytes()
                if changed and not arguments.check:
                    write_text(file, text)
        report(*errors)
        results.append({"file": str(file), "changed": changed, "ok": not errors})
        if changed and not arguments.json:
            write(f"{file}: {'has another layout' if arguments.check else 'laid out'}\n")
    if arguments.json:
        print_json(document({"files": results}))
    wrong = any(not row["ok"] or (arguments.check and row["changed"]) for row in results)
    return 1 if wrong else 0


def _schema_files(name: str) -> list[Path]:
    """Return a schema file, or those of a folder.

    Raises
    ------
    UsageError : there is no such file, or no schema in the folder.
    """
    path = Path(name)
    files = sorted(path.rglob(f"*{SUFFIX}")) if os.path.isdir(path) else [path] * os.path.isfile(path)
    if not os.path.exists(path):
        near = did_you_mean(path.name, (one.name for one in path.parent.glob(f"*{SUFFIX}")))
        expected = f"a {SUFFIX} file, or a folder of them"
        raise UsageError(f"there is no file {name}", code="no-file", expected=expected, hint=near)
    if not files or any(file.suffix != SUFFIX for file in files):
        raise UsageError(
            f"{name} is not a schema file", code="no-file", expected=f"a {SUFFIX} file, or a folder of them"
        )
    return files


@c.command(
    c.option("name NAME", "the schema's name: the file is NAME.schema"),
    c.choice("--kind", tuple(BEGINNINGS), "what is parsed"),
)
def new(arguments: Namespace) -> int:
    """Write a new schema to begin with, which checks, runs, and can be verified."""
    text = beginning(arguments.name, arguments.kind)
    files = {Path(f"{arguments.name}{SUFFIX}"): text}
    if arguments.kind == FACTS:
        shipped_facts = shipped.shipped_files(".facts", "examples")["hmm"]
        files[Path(f"{arguments.name}.facts")] = shipped_facts.read_text(encoding="utf-8")
    for path in files:
        if path.exists():
            raise UsageError(f"{path} is there already", code="file-exists", hint="choose another name")
    for path, content in files.items():
        write_text(path, content)
    run, verify = _TRIALS.get(arguments.kind, ('"the dog slept"', ""))
    write(" and ".join(map(str, files)) + ": try\n")
    for trial in (
        "check {0}.schema",
        "show {0}.schema",
        f"run {{0}}.schema {run}",
        f"verify {{0}}.schema{verify}",
    ):
        write(f"  schemata {trial.format(arguments.name)}\n")
    return 0


@c.command(c.flag("--stdio", "over standard input and output, as always: some editors add this"))
def lsp(arguments: Namespace) -> int:
    """Run the language server for editors, over standard input and output; docs/editors.md says how editors start it.

    Needs the extra `lsp`: pip install "parsing-schemata[lsp]".
    """
    try:
        from schemata.lsp import serve
    except ModuleNotFoundError as problem:
        if (problem.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        hint = 'pip install "parsing-schemata[lsp]"'
        message = "the language server needs the extra lsp, which is not installed"
        raise UsageError(message, code="missing-library", hint=hint) from None
    waiting()
    serve()
    return 0


def named_files(name: str) -> list[tuple[str, Path]]:
    """Return the files that a shipped name, a path or a folder denotes, each with its display name.

    Raises
    ------
    UsageError : it looks like a shipped name, but is not one.
    """
    from schemata.grammars.kinds import is_grammar_file

    path = Path(name)
    if not name.strip():
        raise UsageError("this names no file", code="no-file", expected=_FILES)
    if os.path.isdir(path) and not (path / "4.0.dict").is_file():
        files = sorted(x for x in path.rglob("*") if x.is_file())
        own = [x for x in files if x.suffix in (SUFFIX, RELATION_SUFFIX, ".exercise") or is_grammar_file(x)]
        if not own:
            message = f"there is nothing to check in the folder {name}"
            raise UsageError(message, code="no-file", expected=_FILES)
        return [(str(x), x) for x in own]
    if path.suffix or os.path.exists(path) or "/" in name:
        return [(name, path)]
    relation = library.shipped_relations().get(name)
    return [(name, relation or library.schema_path(name))]


def findings_in(path: Path) -> list[Diagnostic]:
    """Return all that is found in a file; its suffix says of which kind it is."""
    from schemata.editing.findings import disagreements_of, not_runnable
    from schemata.grammars.kinds import check_grammar_file, is_grammar_file

    if is_grammar_file(path):
        return check_grammar_file(path)
    if path.suffix == ".exercise":
        from schemata.exercises.reading import check_exercise

        try:
            text = read_file(path, SchemaError, "an exercise file", REFUSALS.schema_bytes)
        except SchemaError as error:
            return list(error.diagnostics)
        return check_exercise(text, str(path), path.stem, thorough=True)[1]
    if path.suffix in (".conllu", ".scores", ".control"):
        message = f"{path.name} is not a schema, relation or grammar"
        return [Diagnostic("wrong-kind", message, expected=_FILES)]
    if path.suffix != RELATION_SUFFIX:
        schema, findings = library.load_file(path)
        return [*findings, *not_runnable(schema)] if schema is not None else findings
    from schemata.language.files import in_order
    from schemata.language.relations import check_relation_file

    relation, findings = check_relation_file(path)
    return findings if relation is None else in_order([*findings, *disagreements_of(relation)])


def _names_in(path: Path) -> list[dict[str, object]]:
    """Return the names of a schema or relation file with their places; none of a file that cannot be read."""
    from schemata.language.index import index_of_file

    try:
        return [name.to_json() for name in index_of_file(path).names]
    except SchemaError:
        return []


def _unfold(arguments: Namespace) -> int:
    """Write D-rules as a context-free grammar."""
    from schemata.grammars import DRules
    from schemata.grammars.drules import DRuleSet
    from schemata.grammars.rule_files import write_context_free
    from schemata.grammars.split_heads import context_free

    for option, default in (
        ("kind", "d-rules"),
        ("min_count", 1),
        ("limit_distance", False),
        ("estimate", False),
    ):
        if getattr(arguments, option) != default:
            raise UsageError(f"--{option.replace('_', '-')} is an option of grammar extract alone")
    rules = DRules.read(arguments.file)
    report(*rules.warnings)
    assert isinstance(rules.basis, DRuleSet)
    found = context_free(rules.basis, arguments.stage)
    header = [f"D-rules of {Path(arguments.file).name} as context-free rules: {arguments.stage}"]
    if arguments.stage != "bilexical":
        header.append("each word w is read as w_l and w_r")
    text = write_context_free(found, header=header)
    if arguments.output:
        write_text(arguments.output, text)
    shown = f"{arguments.output}: {quantity(len(found.rules), 'rule')} from {rules.basis}"
    told = shown if arguments.output else text.removesuffix("\n")
    answer = fields_json(arguments, "file stage") | {"rules": len(found.rules), "grammar": text}
    return c.answer(arguments, answer, told, 0)


@c.command(
    c.option("action", "what to do", choices=["extract", "unfold"]),
    c.option(
        "file FILE", "extract: a treebank in CoNLL-U (example: a shipped one); unfold: a file of D-rules"
    ),
    c.choice(
        "--kind",
        (D_RULES, DEPENDENCY_RULES, "lcfrs", CONTEXT_FREE),
        "the kind of grammar (d-rules); context-free: of bracketed trees",
    ),
    c.number("--min-count N", "leave out what occurs less often", 1, above=0),
    c.flag("--limit-distance", "D-rules: no dependent farther away than the farthest seen"),
    c.flag("--estimate", "not for lcfrs: with probabilities, the relative frequencies"),
    c.choice(
        "--stage", ("unfolded", "split", "bilexical"), "unfold: how far D-rules are converted (unfolded)"
    ),
    c.output("-o --output FILE", "write the grammar to a file (default: standard output)"),
    c.LIMITS,
    c.JSON,
)
def grammar(arguments: Namespace) -> int:
    """Extract a grammar from a treebank: D-rules, dependency rules and a lexicon, facts for lcfrs, context-free rules.

    With unfold in place of extract: convert D-rules to a context-free grammar over split heads, of which all rules have
    two symbols, and every tree one derivation. Its sentences have each word twice, cat_l and cat_r.
    """
    if arguments.action == "unfold":
        return _unfold(arguments)
    if arguments.stage != "unfolded":
        raise UsageError("--stage is about grammar unfold")
    arguments.file = str(c.corpus_file(arguments.file))
    from schemata.grammars.extract import Extraction, extract_d_rules, extract_dependency_rules, extract_lcfrs
    from schemata.treebanks import read_conllu

    if arguments.limit_distance and arguments.kind != D_RULES:
        raise UsageError("--limit-distance is about D-rules")
    if arguments.estimate and arguments.kind == "lcfrs":
        message = "rules for lcfrs always weigh their relative frequencies"
        raise UsageError(message, expected="no --estimate")
    broken: list[Diagnostic] = []
    extract: Any = {
        "lcfrs": extract_lcfrs,
        DEPENDENCY_RULES: partial(extract_dependency_rules, estimate=arguments.estimate),
    }.get(arguments.kind)
    more = {"limit_distance": arguments.limit_distance, "estimate": arguments.estimate}
    extract = extract or partial(extract_d_rules, **more)
    extraction: Extraction[Any]
    if arguments.kind == CONTEXT_FREE:
        from schemata.learning.brackets import extract_context_free

        how = {"min_count": arguments.min_count, "estimate": arguments.estimate}
        extraction = extract_context_free(arguments.file, **how)
    else:
        sentences = usable(read_conllu(arguments.file), arguments.file, broken)
        extraction = extract(sentences, min_count=arguments.min_count)
    text = extraction.to_text(Path(arguments.file).name)
    report(*extraction.skipped)
    if arguments.output:
        write_text(arguments.output, text)
    shown = f"{arguments.output}: {len(extraction.counts):,} lines from {extraction.sentences:,} sentences"
    found = fields_json(arguments, "file kind") | fields_json(extraction, "sentences words omitted")
    found["skipped"] = len(extraction.skipped) + len(broken)
    found["counts"] = {str(rule): count for rule, count in extraction.counts.items()}
    told = shown if arguments.output else text.removesuffix("\n")
    return c.answer(arguments, found | {"grammar": text}, told, 2 if extraction.skipped or broken else 0)
