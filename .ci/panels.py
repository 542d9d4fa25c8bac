"""Draw docs/panels.svg: ten lines of rules, a sentence parsed with them, and a counterexample to a broken rule.

    python .ci/panels.py

The parse and the counterexample are computed; the picture is light or dark as the reader prefers.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import schemata  # noqa: E402
from schemata.display import svg  # noqa: E402
from schemata.display.structures import structure_svgs  # noqa: E402
from schemata.language.files import read_schema_text  # noqa: E402
from schemata.language.shipped import shipped_files, shipped_schemata  # noqa: E402
from schemata.structures import DependencyTree, Sentence  # noqa: E402
from schemata.workbench import ParsingSchema  # noqa: E402

SENTENCE = "Mary chased the big cat today"
RIGHT = "attach h2 to h1"  # the condition of L-Link that is broken below
WRONG = "attach h2 to h1, j < 3"
SIZE, LINE = 14.0, 23.0  # of text, so that it can be read where the picture is as narrow as a column of text
WIDE, GAP = 480.0, 20.0
UPPER, LOWER = 225.0, 280.0  # heights of the panels at the right; that at the left is as high as both
_PLAIN, _SOFT = ("word", "word"), ("note", "note")


def rules() -> list[str]:
    """Return the lines of collins1996 that are rules: two steps and the final item."""
    text = shipped_schemata()["collins1996"].read_text(encoding="utf-8")
    lines = text[text.index("step R-Link") : text.index("\nmeans")].splitlines()
    return [re.sub(r"-{20,}", "-" * 35, line) for line in lines]


def parsed() -> str:
    """Return the picture of the one tree of a sentence."""
    grammar = schemata.DRules.read(shipped_files(".drules", "examples")["english"])
    (tree,) = schemata.load("collins1996").run(SENTENCE, grammar).forest().trees(limit=2)
    return structure_svgs(Sentence.of(SENTENCE), [tree])[0]


def broken() -> tuple[str, list[str]]:
    """Return the picture of the smallest tree that the rules with a wrong condition miss, and what is said of it."""
    text = shipped_schemata()["collins1996"].read_text(encoding="utf-8").replace(RIGHT, WRONG)
    schema, findings = read_schema_text(text)
    assert schema is not None, findings
    verdict = ParsingSchema(schema).verify("projective", max_n=4)
    heads = verdict.to_json()["counterexamples"]["incomplete"]["heads"]
    words = Sentence(tuple(f"w{k}" for k in range(1, len(heads) + 1)))
    said = ["complete  no: this tree is missed", f"sound     {'yes' if verdict.sound else 'no'}, to 4 words"]
    return structure_svgs(words, [DependencyTree(tuple(heads))])[0], said


def inner(picture: str, x: float, y: float, width: float) -> str:
    """Return a picture at a place of another, made smaller where it is too wide; without its title and style."""
    size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)" width="[\d.]+" height="[\d.]+"', picture)
    assert size is not None
    scale = min(1.0, width / float(size[1]))
    body = re.sub(r"<title>.*?</title>|<style>.*?</style>", "", picture, flags=re.DOTALL)
    body = body[body.index(">") + 1 : body.rindex("</svg>")]
    return svg.element(
        "g", body, transform=f"translate({svg.number(x)} {svg.number(y)}) scale({svg.number(scale)})"
    )


def panel(x: float, y: float, high: float, title: str, note: str) -> list[str]:
    """Return the frame of a panel, its title and the line below it."""
    colour = svg.COLOURS["note"][0]
    frame = svg.element(
        "rect", x=x + 1, y=y + 1, width=WIDE - 2, height=high - 2, rx=8, fill="none", stroke=colour
    )
    head = svg.text_at(x + 16, y + 28, title, 17, "label", anchor="start")
    return [frame, head, svg.text_at(x + 16, y + high - 14, note, SIZE, "note", anchor="start")]


def text_lines(lines: list[str], x: float, y: float, marked: str = "", line_high: float = LINE) -> list[str]:
    """Return lines of text; `step`, `final` and what is marked in colour."""
    parts = []
    for k, line in enumerate(lines):
        colour = (
            "arc" if line.startswith(("step", "final")) else "root" if marked and marked in line else "word"
        )
        if line.strip():
            parts.append(svg.text_at(x, y + k * line_high, line, SIZE, "word", colour, anchor="start"))
    return parts


def drawing() -> str:
    """Return the picture of three panels."""
    tree, said = broken()
    high, x = UPPER + GAP + LOWER, WIDE + GAP
    parts = panel(0, 0, high, "1  write the rules", "a parsing algorithm, as papers print it")
    parts += text_lines(rules(), 16, 72, line_high=1.55 * LINE)
    parts += panel(x, 0, UPPER, "2  run them", "a native parser, its chart, counts and trees")
    parts += text_lines(["$ schemata run collins1996 \\", f'    "{SENTENCE}"'], x + 16, 58)
    parts.append(inner(parsed(), x + 60, 84, WIDE - 48))
    y = UPPER + GAP
    parts += panel(x, y, LOWER, "3  find out what is wrong", "the smallest counterexample, drawn")
    shown = ["----  " + WRONG, "$ schemata verify mine.schema --class projective", *said]
    parts += text_lines(shown, x + 16, y + 58, WRONG)
    parts.append(inner(tree, x + 140, y + 140, WIDE - 48))
    return svg.document(x + WIDE, high, "rules, a parsed sentence, a counterexample", parts)


if __name__ == "__main__":
    path = ROOT / "docs" / "panels.svg"
    path.write_text(drawing(), encoding="utf-8")
    print(f"wrote {path.relative_to(ROOT)}")
