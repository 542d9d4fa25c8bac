"""The page docs/accuracy.md: the sources' comparisons of parsers again, on treebanks of Universal Dependencies.

    python -m tests.benchmarks.accuracy TREEBANKS --kept FOLDER [--only NAME ...] [--parsers NAME ...]
        [-o docs/accuracy.md]

TREEBANKS has folders as they are published (UD_English-EWT ...). What has been computed is kept in FOLDER, part by
part: a run that was ended goes on there, and --only adds treebanks one by one. Tables of the page are replaced.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

from schemata.display.plots import plot_parsers
from schemata.display.terminal import markdown_table
from schemata.learning.accuracy import accuracy

TREEBANKS: dict[str, tuple[str, str | None]] = {
    "Hungarian": ("UD_Hungarian-Szeged/hu_szeged-ud-train", "UD_Hungarian-Szeged/hu_szeged-ud-test"),
    "Danish": ("UD_Danish-DDT/da_ddt-ud-dev", "UD_Danish-DDT/da_ddt-ud-test"),
    "Dutch": ("UD_Dutch-Alpino/nl_alpino-ud-dev", "UD_Dutch-Alpino/nl_alpino-ud-test"),
    "Ancient Greek": (
        "UD_Ancient_Greek-Perseus/grc_perseus-ud-dev", "UD_Ancient_Greek-Perseus/grc_perseus-ud-test",
    ),
    "Latin": ("UD_Latin-Perseus/la_perseus-ud-train", None),  # each fifth sentence is tested
    "English": ("UD_English-EWT/en_ewt-ud-dev", "UD_English-EWT/en_ewt-ud-test"),
}  # fmt: skip
SCHEMATA = ("eisner-satta1999", "mh:k=4", "pitler2013", "mst")
SYSTEMS = (
    "arc-eager-system", "arc-eager-system+pseudo-projective", "planar-system", "k-planar-system",
    "arc-eager-system+dynamic", "arc-eager-system+beam=8", "arc-standard-system", "hybrid-system+dynamic",
    "easy-first-system+dynamic", "attardi-system", "swap-system", "covington-system+dynamic",
)  # fmt: skip
# What is computed, part by part: training, parsers, treebanks (all, or those whose sentences are short). All parts of a
# training have the same first parser, with which others are compared.
PARTS: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "neutral": ("neutral", SCHEMATA + SYSTEMS, (*TREEBANKS,)),
    "own": ("own", ("eisner-satta1999", "mh:k=4", "mst"), (*TREEBANKS,)),
    "1-endpoint-crossing": ("own", ("eisner-satta1999", "pitler2013"), ("Latin", "Danish", "Dutch")),
}
EPOCHS = 5
TESTED = 5  # of a treebank without a file to be tested on, each fifth sentence
_HEADERS = ["parser", "training", ">UAS", ">LAS", ">p", ">LP-NP", ">LR-NP", ">coverage", ">ms a sentence"]


def files_of(name: str, folder: Path, kept: Path) -> tuple[str, str]:
    """Return the files to learn from and to be tested on; a treebank that has one file is divided."""
    train, test = TREEBANKS[name]
    path = folder / f"{train}.conllu"
    if test is not None:
        return str(path), str(folder / f"{test}.conllu")
    sentences = path.read_text("utf-8").strip("\n").split("\n\n")
    parts = kept / f"{name}-train.conllu", kept / f"{name}-test.conllu"
    for part, tested in zip(parts, (False, True), strict=True):
        chosen = [one for k, one in enumerate(sentences, start=1) if (k % TESTED == 0) is tested]
        part.write_text("\n\n".join(chosen) + "\n\n", "utf-8")
    return str(parts[0]), str(parts[1])


def compute(name: str, part: str, folder: Path, kept: Path, only: Collection[str] = ()) -> None:
    """Train and test the parsers of a part on a treebank, all or some of them, and keep the scores."""
    path = kept / f"{name}.json"
    found: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    training, names, treebanks = PARTS[part]
    names = tuple(one for one in names if not only or one in only)
    if part not in found and name in treebanks and names:
        train, test = files_of(name, folder, kept)
        compared = accuracy(
            names, [f"{name}={train},{test}"], training=training, epochs=EPOCHS, models=kept / "models",
            note=lambda text: print(text, file=sys.stderr, flush=True),
        )  # fmt: skip
        found[part] = compared.to_json()
        path.write_text(json.dumps(found), "utf-8")
        plot_parsers(compared, kept / f"{name}-{part}.svg")


def plot_name(name: str) -> str:
    """Return the name of a treebank's plot beside the page."""
    return f"accuracy-{name.lower().replace(' ', '-')}.svg"


def with_tables(kept: Path, text: str) -> str:
    """Return the page with the tables of the treebanks that are kept, in place of older ones under their names."""
    for name in TREEBANKS:
        path = kept / f"{name}.json"
        if path.is_file():
            found = json.loads(path.read_text("utf-8"))
            rows = [tuple(row(score)) for part in PARTS if part in found for score in found[part]["scores"]]
            sentences = next(iter(found.values()))["scores"][0]["sentences"]
            table = markdown_table(_HEADERS, [list(one) for one in dict.fromkeys(rows)])
            picture = f"![LAS by time and by coverage, {name}]({plot_name(name)})"
            section = f"### {name}\n\n{sentences:,} sentences are parsed.\n\n{table}\n\n{picture}\n\n"
            begin, end = text.find(f"### {name}\n"), text.index("## What repeats")
            if begin >= 0:
                next_section = text.find("\n### ", begin)
                end = end if next_section < 0 else min(end, next_section + 1)
            else:
                begin = end
            text = text[:begin] + section + text[end:]
    return text


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
    parser.add_argument("--parsers", nargs="*", choices=SCHEMATA + SYSTEMS, default=[])
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    arguments.kept.mkdir(parents=True, exist_ok=True)
    for part in PARTS:
        for name in arguments.only:
            compute(name, part, arguments.treebanks, arguments.kept, arguments.parsers)
    if arguments.output is not None:
        page = with_tables(arguments.kept, arguments.output.read_text("utf-8"))
        arguments.output.write_text(page, "utf-8")
        for name in TREEBANKS:
            if (plot := arguments.kept / f"{name}-neutral.svg").is_file():
                shutil.copyfile(plot, arguments.output.with_name(plot_name(name)))


if __name__ == "__main__":
    main()
