"""The page docs/accuracy.md: the sources' comparisons of parsers again, on treebanks of Universal Dependencies.

    python -m tests.benchmarks.accuracy TREEBANKS --kept FOLDER [--only NAME ...] [--parsers NAME ...]
        [--parts PART ...] [-o docs/accuracy.md]

TREEBANKS has folders as they are published (UD_English-EWT ...). What has been computed is kept in FOLDER, part by
part: a run that was ended goes on there, and --only adds treebanks one by one. Rows of the page's tables are replaced
by what FOLDER has; others stay.
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
SECOND_ORDER = (
    "mcdonald-pereira2006", "koo-collins2010-model0", "koo-collins2010-model1", "koo-collins2010-model2",
)  # fmt: skip
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
    "second-order": ("own", ("eisner-satta1999", *SECOND_ORDER), (*TREEBANKS,)),
    "1-endpoint-crossing": ("own", ("eisner-satta1999", "pitler2013"), (*TREEBANKS,)),
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
    done = {score["parser"] for score in found.get(part, {}).get("scores", ())}
    names = tuple(one for one in names if one in done or not only or one in only)
    if name in treebanks and not done.issuperset(names):
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
    """Return the page with rows of the treebanks that are kept, in place of older ones of the same names."""
    for name in TREEBANKS:
        path = kept / f"{name}.json"
        if not path.is_file():
            continue
        found = json.loads(path.read_text("utf-8"))
        scores = [score for part in PARTS if part in found for score in found[part]["scores"]]
        begin = text.find(f"### {name}\n")
        if begin < 0:
            begin = text.index("## What repeats")
            head = f"### {name}\n\n{scores[0]['sentences']:,} sentences are parsed.\n\n"
            text = text[:begin] + head + text[begin:]
        end = min(at for mark in ("\n### ", "\n## ") if (at := text.find(mark, begin)) >= 0) + 1
        lines = text[begin:end].rstrip("\n").split("\n")
        table = [k for k, line in enumerate(lines) if line.startswith("|")] or [len(lines)]
        older = [[cell.strip() for cell in lines[k].strip("|").split("|")] for k in table[2:]]
        rows = {(one[0], one[1]): one for one in [*older, *map(row, scores)]}
        order = sorted(rows.values(), key=lambda one: ("neutral", "transitions", "own").index(one[1]))
        lines[table[0] : table[-1] + 1] = [*[""] * (not older), *markdown_table(_HEADERS, order).split("\n")]
        picture = f"![LAS by time and by coverage, {name}]({plot_name(name)})"
        if (kept / f"{name}-neutral.svg").is_file() and picture not in lines:
            lines += ["", picture]
        text = text[:begin] + "\n".join(lines) + "\n\n" + text[end:]
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
    parser.add_argument("--parsers", nargs="*", choices=SCHEMATA + SECOND_ORDER + SYSTEMS, default=[])
    parser.add_argument("--parts", nargs="*", choices=PARTS, default=[*PARTS])
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    arguments.kept.mkdir(parents=True, exist_ok=True)
    for part in arguments.parts:
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
