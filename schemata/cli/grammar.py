"""Extract a grammar from a treebank: D-rules over parts of speech, or dependency rules and a lexicon."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from schemata.cli.main import report
from schemata.cli.options import add_json_option, print_json
from schemata.errors import Diagnostic, UsageError
from schemata.structures import Sentence

__all__ = ["configure", "run"]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("action", choices=["extract"], help="what to do")
    parser.add_argument("file", metavar="FILE.conllu", help="a treebank in CoNLL-U")
    parser.add_argument(
        "--kind",
        choices=["d-rules", "dependency-rules"],
        default="d-rules",
        help="the kind of grammar (d-rules)",
    )
    parser.add_argument(
        "--min-count", type=int, default=1, metavar="N", help="leave out what occurs less often"
    )
    parser.add_argument(
        "--limit-distance",
        action="store_true",
        help="D-rules: no dependent farther away than the farthest seen",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write the grammar here instead of printing it"
    )
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Extract and write the grammar; 2 where sentences were skipped."""
    from schemata.grammars.extract import extract_d_rules, extract_dependency_rules

    if arguments.min_count < 1:
        raise UsageError("--min-count must be at least 1")
    if arguments.limit_distance and arguments.kind != "d-rules":
        raise UsageError("--limit-distance is about D-rules")
    broken: list[Diagnostic] = []
    sentences = _sentences(arguments.file, broken)
    if arguments.kind == "d-rules":
        found = extract_d_rules(
            sentences, min_count=arguments.min_count, limit_distance=arguments.limit_distance
        )
        text, counts, skipped = found.to_text(Path(arguments.file).name), found.counts, found.skipped
        figures = (found.sentences, found.words, found.omitted)
    else:
        rules = extract_dependency_rules(sentences, min_count=arguments.min_count)
        text, counts, skipped = rules.to_text(Path(arguments.file).name), rules.counts, rules.skipped
        figures = (rules.sentences, rules.words, rules.omitted)
    report(*skipped)
    if arguments.output:
        try:
            Path(arguments.output).write_text(text, encoding="utf-8")
        except OSError as problem:
            raise UsageError(f"{arguments.output} cannot be written: {problem.strerror}") from problem
    if arguments.json:
        print_json(
            {
                "file": arguments.file,
                "kind": arguments.kind,
                "sentences": figures[0],
                "words": figures[1],
                "omitted": figures[2],
                "skipped": len(skipped) + len(broken),
                "counts": {str(rule): count for rule, count in counts.items()},
                "grammar": text,
            }
        )
    elif not arguments.output:
        sys.stdout.write(text)
    else:
        print(f"{arguments.output}: {len(counts):,} lines from {figures[0]:,} sentences")
    return 2 if skipped or broken else 0


def _sentences(file: str, broken: list[Diagnostic]) -> Iterator[Sentence]:
    """Yield the usable sentences of a treebank, with a progress bar; reports the others."""
    from schemata.display.terminal import progress
    from schemata.treebanks.conllu import count_sentences, read_conllu

    for sentence in progress(read_conllu(file), count_sentences(file), f"reading {file}"):
        if isinstance(sentence, Sentence):
            yield sentence
        else:
            report(sentence.diagnostic)
            broken.append(sentence.diagnostic)
