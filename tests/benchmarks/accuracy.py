"""The page docs/accuracy.md: the sources' comparisons of parsers again, on treebanks of Universal Dependencies.

    python -m tests.benchmarks.accuracy TREEBANKS --kept FOLDER [--only NAME ...] [-o docs/accuracy.md]

TREEBANKS has folders as they are published (UD_English-EWT ...). What has been computed is kept in FOLDER, treebank by
treebank: a run that was ended goes on there, and --only adds treebanks one by one. The page has those that are there.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from schemata.display.terminal import markdown_table
from schemata.learning.accuracy import accuracy

TREEBANKS = {
    "Hungarian": ("UD_Hungarian-Szeged/hu_szeged-ud-train", "UD_Hungarian-Szeged/hu_szeged-ud-test"),
    "Danish": ("UD_Danish-DDT/da_ddt-ud-dev", "UD_Danish-DDT/da_ddt-ud-test"),
    "Dutch": ("UD_Dutch-Alpino/nl_alpino-ud-dev", "UD_Dutch-Alpino/nl_alpino-ud-test"),
    "Ancient Greek": (
        "UD_Ancient_Greek-Perseus/grc_perseus-ud-dev", "UD_Ancient_Greek-Perseus/grc_perseus-ud-test",
    ),
    "English": ("UD_English-EWT/en_ewt-ud-train", "UD_English-EWT/en_ewt-ud-test"),
}  # fmt: skip
SCHEMATA = ("eisner-satta1999", "mh:k=4", "mst")
SYSTEMS = (
    "arc-eager-system", "arc-eager-system+pseudo-projective", "planar-system", "k-planar-system",
    "arc-eager-system+dynamic", "arc-eager-system+beam=8", "arc-standard-system", "hybrid-system+dynamic",
    "easy-first-system+dynamic", "attardi-system", "swap-system", "covington-system+dynamic",
)  # fmt: skip
EPOCHS = 5
_HEADERS = ["parser", "training", ">UAS", ">LAS", ">p", ">LP-NP", ">LR-NP", ">coverage", ">ms a sentence"]
_TRAININGS = ("neutral", "own")


def compute(name: str, folder: Path, kept: Path) -> None:
    """Train and test all parsers on a treebank, and keep the scores."""
    path = kept / f"{name}.json"
    found: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    train, test = (str(folder / f"{part}.conllu") for part in TREEBANKS[name])
    for training, names in (("neutral", SCHEMATA + SYSTEMS), ("own", SCHEMATA)):
        if training not in found:
            compared = accuracy(
                names, [f"{name}={train},{test}"], training=training, epochs=EPOCHS, models=kept / "models",
                note=lambda text: print(text, file=sys.stderr, flush=True),
            )  # fmt: skip
            found[training] = compared.to_json()
            path.write_text(json.dumps(found), "utf-8")


def page(kept: Path, text: Path) -> str:
    """Return the page: its text, in which `TABLES` stands for the tables of the treebanks that are there."""
    parts: list[str] = []
    for name in TREEBANKS:
        path = kept / f"{name}.json"
        if not path.is_file():
            continue
        found = json.loads(path.read_text("utf-8"))
        scores = [
            score for training in _TRAININGS if training in found for score in found[training]["scores"]
        ]
        parts.append(f"### {name}\n\n{scores[0]['sentences']:,} sentences are parsed.\n")
        parts.append(markdown_table(_HEADERS, [row(score) for score in scores]) + "\n")
    return text.read_text("utf-8").replace("TABLES", "\n".join(parts))


def row(score: dict[str, Any]) -> list[str]:
    """Return the cells of a score."""

    def percent(share: float | None) -> str:
        return "-" if share is None else f"{100 * share:.2f}"

    def with_interval(name: str) -> str:
        between = score[f"{name}_interval"]
        return f"{percent(score[name])} ±{50 * (between['high'] - between['low']):.2f}"

    return [
        f"`{score['parser']}`",
        score["training"],
        with_interval("uas"),
        with_interval("las"),
        "" if score.get("p_las") is None else f"{score['p_las']:.3f}",
        percent(score.get("crossing_precision")),
        percent(score.get("crossing_recall")),
        percent(score.get("coverage")),
        f"{1000 * score['parse_seconds'] / score['sentences']:.2f}",
    ]


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("treebanks", type=Path)
    parser.add_argument("--kept", type=Path, required=True)
    parser.add_argument("--only", nargs="*", choices=TREEBANKS, default=[*TREEBANKS])
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    arguments.kept.mkdir(parents=True, exist_ok=True)
    for name in arguments.only:
        compute(name, arguments.treebanks, arguments.kept)
    if arguments.output is not None:
        text = Path(__file__).with_name("accuracy.md")
        arguments.output.write_text(page(arguments.kept, text), "utf-8")


if __name__ == "__main__":
    main()
