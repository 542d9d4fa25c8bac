"""What link-parser, the original program, counts: for dictionaries written down from lists of disjuncts.

The program is asked where it is installed; tests that want it skip elsewhere.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from schemata.structures import Disjunct

__all__ = ["count_linkages", "dictionary_text", "needs_link_parser", "write_dictionary"]

# Every linkage is counted, none is dropped by later processing, and no word may be left out.
_OPTIONS = ("-limit=10000000", "-null=0", "-panic=0", "-spell=0", "-graphics=0", "-timeout=600", "-bad=1")
_ANSWER = re.compile(r"Found (\d+) linkages? |(No complete linkages found)")

needs_link_parser = pytest.mark.skipif(
    shutil.which("link-parser") is None, reason="link-parser is not installed"
)


def count_linkages(folder: Path, sentences: Sequence[str]) -> list[int]:
    """Return the number of linkages of sentences under the dictionary in a folder."""
    run = subprocess.run(
        ["link-parser", str(folder), *_OPTIONS],
        input="".join(f"{sentence}\n" for sentence in sentences),
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )
    return [int(number or 0) for number, _ in _ANSWER.findall(run.stdout)]


def write_dictionary(folder: Path, entries: Sequence[str]) -> None:
    """Write a dictionary without affixes and regular expressions into a folder."""
    head = "#define dictionary-version-number 5.0.0;\n#define dictionary-locale C;\n\n"
    (folder / "4.0.dict").write_text(head + "\n".join(entries) + "\n", encoding="utf-8")
    for name in ("4.0.affix", "4.0.regex"):
        (folder / name).write_text("% none\n", encoding="utf-8")


def dictionary_text(choices: Sequence[Sequence[Disjunct]]) -> list[str]:
    """Return the entries of the words of a sentence, which must all be different."""
    entries: dict[str, list[str]] = {}
    for of_word in choices:
        for disjunct in of_word:
            cost = f"]{disjunct.cost}" if disjunct.cost else ")"
            text = f"{'[' if disjunct.cost else '('}{disjunct}{cost}"
            entries.setdefault(disjunct.word, []).append(text)
    return [f"{word}: {' or '.join(texts)};" for word, texts in entries.items()]
