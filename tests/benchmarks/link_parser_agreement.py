"""Count the sentences of a corpus that have as many linkages here as link-parser finds, by what is split in them.

Usage: python -m tests.benchmarks.link_parser_agreement CORPUS [--words N] [--schema NAME]

CORPUS is a file of link-parser's batch format, such as `data/en/corpus-basic.batch` of its source. Sentences that are
marked as ungrammatical are counted as well. link-parser and its English dictionary must be installed. Sentences that
differ are printed with both numbers and the warnings about them.
"""

from __future__ import annotations

import argparse
import shutil
from collections import Counter
from pathlib import Path

import schemata
from schemata.errors import SchemataError
from tests.oracle.linkages import link_parser_counts


def sentences_of(path: Path, most: int) -> list[str]:
    """Return the sentences of a batch file that have at most so many words between blanks."""
    lines = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    texts = (line.removeprefix("*").strip() for line in lines if line and not line.startswith(("%", "!")))
    return [text for text in texts if 0 < len(text.split()) <= most]


def main() -> None:
    """Print the sentences that differ, and a table of counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path, metavar="CORPUS")
    parser.add_argument("--words", type=int, default=14)
    parser.add_argument("--schema", default="eisner-satta-lg")
    options = parser.parse_args()
    if shutil.which("link-parser") is None:
        print("left out: link-parser is not installed")
        return
    texts = sentences_of(options.corpus, options.words)
    schema, grammar = schemata.load(options.schema), schemata.LinkGrammar.installed()
    counts: Counter[tuple[str, str]] = Counter()
    for text, theirs in zip(texts, link_parser_counts("en", texts), strict=True):
        try:
            chart = schema.run(text, grammar)
        except SchemataError as refused:
            counts["refused", "refused"] += 1
            print(f"{text}\n  {theirs} in link-parser; {refused}")
            continue
        walls = sum(wall in grammar.dictionary for wall in ("LEFT-WALL", "RIGHT-WALL"))
        is_split = len(chart.grammar.words) - walls > len(text.split())
        read = (
            "in several readings" if chart.grammar.graph else "with words split" if is_split else "as it is"
        )
        ours = chart.forest().derivation_count
        counts[read, "same" if ours == theirs else "other"] += 1
        if ours != theirs:
            codes = ", ".join(warning.code for warning in chart.grammar.warnings)
            print(f"{text}\n  {theirs} in link-parser, {ours} here {codes}")
    print("| sentence read | number of linkages | sentences |\n| --- | --- | ---: |")
    for (read, answer), count in sorted(counts.items()):
        print(f"| {read} | {answer} | {count} |")


if __name__ == "__main__":
    main()
