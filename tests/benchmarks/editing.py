"""What the language server takes for each question, on the largest schema that is shipped.

    python -m tests.benchmarks.editing [--rounds 9] [--page docs/editors.md]

Each question is put to a text that has just been changed by one line, so that nothing of it is known, and once more to
the same text. Milliseconds of the processor, the least of all rounds; the protocol itself takes one or two more.
"""

from __future__ import annotations

import argparse
import gc
import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from schemata.display.terminal import markdown_table
from schemata.editing import actions, completion, findings, hover, navigation, tokens
from schemata.editing.document import Position, TextRange
from schemata.language.shipped import shipped_files
from schemata.language.source import SUFFIX
from tests.benchmarks.measure import Sample

PATH = max(shipped_files(SUFFIX).values(), key=lambda path: path.stat().st_size)
TEXT = PATH.read_text(encoding="utf-8")
_NAME = re.search(r"^item (\w+)", TEXT, re.MULTILINE)
assert _NAME is not None, f"{PATH} declares no item"
_LINE = next(k for k, line in enumerate(TEXT.split("\n")) if line.startswith(f"  {_NAME[1]}["))
ITEM = Position(_LINE, 3)  # in the name of an item, in a rule
VARIABLE = Position(_LINE, len(_NAME[1]) + 3)
QUESTIONS: Mapping[str, Callable[[str], Any]] = {
    "findings": lambda text: findings.diagnostics(text, PATH),
    "code actions": lambda text: actions.actions(text, TextRange(ITEM, ITEM), PATH),
    "completion": lambda text: completion.completion(text, ITEM, PATH),
    "hover": lambda text: hover.hover(text, ITEM, PATH),
    "formatting": lambda text: actions.formatting(text, PATH),
    "signature help": lambda text: actions.signature(text, Position(_LINE, len(_NAME[1]) + 4), PATH),
    "definition": lambda text: navigation.definition(text, ITEM, PATH),
    "references": lambda text: navigation.references(text, ITEM, PATH),
    "symbols": lambda text: navigation.symbols(text, PATH),
    "folding": lambda text: navigation.folding(text, PATH),
    "semantic tokens": lambda text: tokens.semantic_tokens(text, PATH),
    "rename": lambda text: navigation.rename(text, ITEM, "renamed", PATH),
    "rename of a variable": lambda text: navigation.rename(text, VARIABLE, "renamed", PATH),
}


def measured(rounds: int) -> dict[str, tuple[Sample, Sample]]:
    """Return the seconds for each question where a text is new, and where it is not.

    Questions take turns, so that a slow moment of the machine is not that of one question.
    """

    def taken(question: Callable[[str], Any], text: str) -> float:
        start = time.process_time()
        question(text)
        return time.process_time() - start

    pairs: dict[str, list[tuple[float, float]]] = {name: [] for name in QUESTIONS}
    for turn in range(rounds):
        for name, question in QUESTIONS.items():
            text = f"{TEXT}\n# {name} {turn}\n"
            pairs[name].append((taken(question, text), taken(question, text)))
    return {
        name: (Sample(tuple(new for new, _ in both)), Sample(tuple(again for _, again in both)))
        for name, both in pairs.items()
    }


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description="Measure the answers of the language server.")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--page", type=Path, help="the page whose table is written again")
    arguments = parser.parse_args()
    findings.diagnostics(TEXT, PATH)  # modules, and the table of the parser
    gc.freeze()  # as the server does
    rows = [
        (name, *(f"{sample.least * 1000:.0f}" for sample in samples))
        for name, samples in measured(arguments.rounds).items()
    ]
    print(f"{PATH.name}, {len(TEXT):,} characters\n")
    table = markdown_table(("question", ">after a change", ">again"), rows)
    print(table)
    if arguments.page is not None:
        text = arguments.page.read_text(encoding="utf-8")
        pattern = r"(<!-- figures -->\n).*?(\n<!-- end of the figures -->)"
        assert re.search(pattern, text, re.DOTALL), f"{arguments.page} has no table of figures"
        written = re.sub(pattern, lambda marks: marks[1] + table + marks[2], text, flags=re.DOTALL)
        arguments.page.write_text(written, encoding="utf-8")


if __name__ == "__main__":
    main()
